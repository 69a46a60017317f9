//! `install` and `uninstall`: what is written into an agent's configuration, and that nothing else is.

use crate::support::{Said, User};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Agent, its file, its file of instructions.
const AGENTS: [(&str, &str, Option<&str>); 6] = [
    ("claude_code", ".claude/settings.json", Some(".claude/CLAUDE.md")),
    ("codex", ".codex/hooks.json", Some(".codex/AGENTS.md")),
    ("gemini_cli", ".gemini/settings.json", None),
    ("copilot", ".copilot/hooks/last-word.json", Some(".copilot/copilot-instructions.md")),
    ("cursor", ".cursor/hooks.json", None),
    ("qwen_code", ".qwen/settings.json", None),
];

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/install").join(name)
}

fn install(user: &User, agent: &str) -> String {
    user.run(["install", agent, "--yes"]).ok()
}

fn uninstall(user: &User, agent: &str) -> String {
    user.run(["uninstall", agent, "--yes"]).ok()
}

fn put(user: &User, file: &str, text: &[u8]) -> PathBuf {
    let path = user.root().join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn into_a_clean_home_and_out_again() {
    for (agent, file, instructions) in AGENTS {
        let user = User::new();
        let before = user.tree();
        let said = install(&user, agent);
        assert!(said.contains(&format!("wrote ~/{file}")) && said.contains("@@"), "{said}");
        let written = fs::read_to_string(user.root().join(file)).unwrap();
        let named = format!(" --home {} hook", user.home().display());
        assert!(commands(&json(&user.root().join(file))).iter().all(|command| command.contains(&named)));
        // The plugin of the marketplace has the same file without a home.
        let written = written.replace(crate::support::binary(), "last-word").replace(&named, " hook");
        let golden = fixture(&format!("{agent}.json"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&golden, &written).unwrap();
        }
        assert_eq!(written, fs::read_to_string(golden).unwrap(), "{agent}");
        serde_json::from_str::<Value>(&written).unwrap();
        if let Some(file) = instructions {
            let text = fs::read_to_string(user.root().join(file)).unwrap();
            assert!(
                text.starts_with("<!-- last-word:begin -->\n") && text.ends_with("<!-- last-word:end -->\n")
            );
        }
        let wired = user.tree();
        assert_eq!(install(&user, agent), "nothing to do: it is as it should be\n");
        assert_eq!(user.tree(), wired, "{agent}: twice is once");
        assert!(uninstall(&user, agent).contains(&format!("removed ~/{file}")));
        assert_eq!(user.tree(), before, "{agent}: as if it had never been");
        assert_eq!(uninstall(&user, agent), "nothing to do: it is as it should be\n");
    }
}

/// Every name below a directory, directories and links as well.
fn names(root: &Path) -> Vec<PathBuf> {
    let mut found = vec![root.to_owned()];
    let mut at = 0;
    while at < found.len() {
        if found[at].is_dir() && !found[at].is_symlink() {
            let inside = fs::read_dir(&found[at]).unwrap().map(|entry| entry.unwrap().path());
            found.extend(inside.collect::<Vec<_>>());
        }
        at += 1;
    }
    found.sort();
    found
}

/// Settings files as people and programs leave them.
const SETTINGS: [Option<&str>; 22] = [
    None,
    Some(""),
    Some("\n"),
    Some("{}"),
    Some("{}\n"),
    Some("{ }"),
    Some("{\n}\n"),
    Some("{\r\n  \"a\": 1\r\n}\r\n"),
    Some("\u{feff}{}\n"),
    Some("{\"hooks\":{}}"),
    Some("{\"hooks\":{\"Stop\":[]}}\n"),
    Some("{\n\t\"model\": \"x\",\n\t\"hooks\": {\n\t\t\"Stop\": []\n\t}\n}"),
    Some("// mine\n{\n  /* here */ \"a\": [1, 2,],\n}\n// end"),
    Some("{\"a\":1}"),
    Some("{\n\n  \"a\": 1,\n\n  \"hooks\": {}\n\n}\n\n"),
    Some("{\"version\":1,\"hooks\":{}}"),
    Some("{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": \"x\"}]}}\n"),
    Some("{\"permissions\":{}}"),
    Some("{\"permissions\":{\"allow\":[],\"deny\":[]}}"),
    Some("{\"permissions\":{\"allow\":[\"Bash(ls)\"]}}\n"),
    Some(
        "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]}]}}",
    ),
    Some("  {\"a\":1}  "),
];
/// The same of standing instructions.
const INSTRUCTIONS: [Option<&str>; 6] =
    [None, Some(""), Some("\n"), Some("# Mine"), Some("# Mine\r\n\r\n"), Some("\u{feff}# Mine\n\n\n")];

/// Whatever a file said before, `uninstall` puts back to the byte, with the directories, where nothing else changed since.
#[test]
fn every_byte_comes_back() {
    let mut wired = 0;
    for (agent, file, of_instructions) in AGENTS {
        let user = User::new();
        for (n, text) in SETTINGS.iter().enumerate() {
            let said = INSTRUCTIONS[n % INSTRUCTIONS.len()];
            let _ = fs::remove_dir_all(user.root().join(Path::new(file).components().next().unwrap()));
            if let Some(text) = text {
                put(&user, file, text.as_bytes());
            }
            if let (Some(file), Some(text)) = (of_instructions, said) {
                put(&user, file, text.as_bytes());
            }
            let before = (user.tree(), names(user.root()));
            if user.run(["install", agent, "--yes"]).code == Some(0) {
                wired += 1;
                uninstall(&user, agent);
            }
            let after = (user.tree(), names(user.root()));
            let differ: Vec<_> =
                after.0.iter().filter(|(path, text)| before.0.get(*path) != Some(text)).collect();
            assert!(
                after.0.len() == before.0.len() && differ.is_empty(),
                "{agent}: {text:?} {said:?}: {differ:?}"
            );
            assert_eq!(after.1, before.1, "{agent}: {text:?} {said:?}");
        }
    }
    assert!(wired > 100, "{wired}");
}

/// The commands of a configuration's hooks.
fn commands(value: &Value) -> Vec<String> {
    match value {
        Value::Object(map) => map
            .iter()
            .flat_map(|(key, value)| match value {
                Value::String(text) if key == "command" => vec![text.clone()],
                value => commands(value),
            })
            .collect(),
        Value::Array(items) => items.iter().flat_map(commands).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn foreign_hooks_and_comments_stay() {
    for (agent, file, _) in
        AGENTS.iter().filter(|(agent, ..)| fixture(&format!("foreign/{agent}.json")).exists())
    {
        let user = User::new();
        let original = fs::read(fixture(&format!("foreign/{agent}.json"))).unwrap();
        let path = put(&user, file, &original);
        install(&user, agent);
        let wired = fs::read_to_string(&path).unwrap();
        assert!(wired.contains(&format!("hook --agent {agent}")), "{wired}");
        for kept in [
            "// mine, with a reason",
            "/* kept */",
            "// a sound",
            "notify-send done",
            "\"mine\"",
            "audit.sh",
            "prettier",
        ] {
            let was = String::from_utf8_lossy(&original).contains(kept);
            assert_eq!(wired.contains(kept), was, "{agent} {kept}: {wired}");
        }
        install(&user, agent);
        assert_eq!(fs::read_to_string(&path).unwrap(), wired, "{agent}: twice is once");
        uninstall(&user, agent);
        let left = fs::read_to_string(&path).unwrap();
        assert!(!left.contains("last-word"), "{left}");
        for line in String::from_utf8_lossy(&original).lines().filter(|line| !line.contains("last-word")) {
            let words: String = line.split_whitespace().collect();
            let all: String = left.split_whitespace().collect();
            assert!(
                all.contains(words.trim_end_matches(',')) || words.contains("\"hooks\":{}"),
                "{agent}: {line} in {left}"
            );
        }
    }
}

/// Wherever a comment stands, and however little stands beside it.
#[test]
fn a_comment_outlives_install_and_uninstall() {
    for text in [
        "{\n  \"hooks\": {\n    // mine\n  }\n}\n",
        "{\n  \"hooks\": {\n    \"Stop\": [\n      // mine\n    ]\n  }\n}\n",
        "{ \"hooks\": { \"Stop\": [ /* mine */ ] } }",
        "{ \"hooks\": { \"Stop\": [] /* mine */, \"SessionEnd\": [] } }",
        "{\n  \"hooks\": {}, // mine\n  \"model\": \"opus\"\n}\n",
        "{\r\n  /* mine */ \"hooks\": {}\r\n}\r\n",
        "{ \"permissions\": { \"allow\": [\n// mine\n] } }",
        "{ \"permissions\": { /* mine */ } }",
        "// mine\n{}\n",
    ] {
        for (agent, file, _) in AGENTS {
            let user = User::new();
            let path = put(&user, file, text.as_bytes());
            let count = |when: &str| {
                let now = fs::read_to_string(&path).unwrap_or_default();
                assert_eq!(now.matches("mine").count(), 1, "{agent}, {when}, {text}: {now}");
            };
            install(&user, agent);
            count("installed");
            uninstall(&user, agent);
            count("uninstalled");
            assert!(!fs::read_to_string(&path).unwrap().contains("last-word"));
        }
    }
}

/// In our own entry, too, and on its line.
#[test]
fn a_comment_in_our_entry_is_kept() {
    let user = User::new();
    install(&user, "claude_code");
    let path = user.root().join(".claude/settings.json");
    let text = fs::read_to_string(&path).unwrap();
    let command = "\"type\": \"command\",";
    fs::write(&path, text.replacen(command, &format!("{command} // off.sh"), 1)).unwrap();
    uninstall(&user, "claude_code");
    let left = fs::read_to_string(&path).unwrap();
    assert!(left.contains("// off.sh") && !left.contains("last-word"), "{left}");
}

#[test]
fn an_older_wiring_is_replaced() {
    let user = User::new();
    let path = put(&user, ".codex/hooks.json", &fs::read(fixture("foreign/codex.json")).unwrap());
    install(&user, "codex");
    let all = commands(&json(&path));
    assert_eq!(all.iter().filter(|command| command.contains("last-word")).count(), 5, "{all:?}");
    assert!(
        !all.iter().any(|command| command.starts_with("/old/")) && all.contains(&"a".to_owned()),
        "{all:?}"
    );
    let rules = fs::read_to_string(user.root().join(".codex/rules/last-word.rules")).unwrap();
    let program = crate::support::binary();
    let first = format!(
        "prefix_rule(pattern = [\"{program}\",[\"plan\",\"read\",\"context\",\"flush\",\"recall\",\"remember\",\"session\",\"tidy\"]], decision = \"allow\""
    );
    assert!(rules.contains(&first) && rules.lines().count() == 11, "{rules}");
    assert_eq!(json(&path)["hooks"]["Interrupt"], serde_json::json!([]), "somebody else's, and left");
}

#[test]
fn what_cannot_be_understood_is_not_touched() {
    for (text, why) in [
        (&b"{ \"hooks\": "[..], "cannot be edited"),
        (b"[]", "it is no object"),
        (b"{ \"hooks\": [] }", "`hooks` is no object"),
        (b"{ \"hooks\": { \"SessionStart\": {} } }", "`hooks.SessionStart` is no list"),
        (b"{ \"hooks\": {}, \"hooks\": {} }", "`hooks` is there twice"),
        (b"{ \"hooks\": { \"Stop\": [], \"Stop\": [] } }", "`hooks.Stop` is there twice"),
        (b"{ \"permissions\": { \"allow\": \"all\" } }", "`permissions.allow` is no list"),
        (b"{ 'a': 1 }", "cannot be edited"),
        (b"{ \"a\": \"\xff\" }", "not UTF-8"),
    ] {
        let user = User::new();
        let path = put(&user, ".claude/settings.json", text);
        let before = user.tree();
        user.run(["install", "claude_code", "--yes"]).fails(1, why);
        assert_eq!(user.tree(), before, "{}", path.display());
    }
    let user = User::new();
    put(&user, ".claude/CLAUDE.md", b"<!-- last-word:begin -->\nhalf\n");
    user.run(["install", "claude_code", "--yes"]).fails(1, "do not pair");
    assert!(!user.root().join(".claude/settings.json").exists(), "all or nothing");
    user.run(["install", "nobody", "--yes"]).fails(2, "claude_code, codex");
    user.run(["install", "generic", "--yes"]).fails(2, "claude_code, codex");
    User::bare().run(["install", "codex", "--yes"]).fails(1, "last-word init");
}

#[test]
fn nothing_is_written_without_a_yes() {
    let user = User::new();
    let before = user.tree();
    let said = user.run(["install", "gemini_cli"]);
    assert!(
        said.stdout.contains("+    \"SessionStart\": [") && said.stdout.contains("\"timeout\": 10000"),
        "{}",
        said.stdout
    );
    said.fails(1, "--yes");
    assert_eq!(user.tree(), before);
    let json = user.json(["install", "gemini_cli", "--yes"]);
    // Settings, rules, and the extension.
    assert_eq!(json["written"].as_array().unwrap().len(), 2 + 5, "{json}");
}

#[test]
fn a_link_and_a_mode_are_kept() {
    let user = User::new();
    let real = put(&user, "dotfiles/settings.json", b"{}\n");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    fs::create_dir(user.root().join(".claude")).unwrap();
    let link = user.root().join(".claude/settings.json");
    std::os::unix::fs::symlink(&real, &link).unwrap();
    install(&user, "claude_code");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains("hook --agent claude_code"));
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn a_file_behind_a_link_is_emptied_and_not_removed() {
    let user = User::new();
    fs::create_dir(user.root().join(".claude")).unwrap();
    let files = [("settings.json", "{}\n"), ("CLAUDE.md", "")];
    for (name, text) in files {
        let real = put(&user, &format!("dotfiles/{name}"), text.as_bytes());
        std::os::unix::fs::symlink(real, user.root().join(".claude").join(name)).unwrap();
    }
    let before = user.tree();
    install(&user, "claude_code");
    assert_ne!(user.tree(), before);
    uninstall(&user, "claude_code");
    assert_eq!(user.tree(), before);
    assert_eq!(uninstall(&user, "claude_code"), "nothing to do: it is as it should be\n");
}

#[test]
fn a_renamed_program_knows_its_own_hooks() {
    let user = User::new();
    let foreign = "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"/bin/other hook --agent codex\"}]}]}}";
    let path = put(&user, ".codex/hooks.json", foreign.as_bytes());
    let program = user.root().join("lw");
    std::os::unix::fs::symlink(crate::support::binary(), &program).unwrap();
    let run = |verb: &str| {
        let mut command = std::process::Command::new(&program);
        command.args(["--as", "tests", verb, "codex", "--yes"]).env_clear().env("HOME", user.root());
        Said::of(command.output().unwrap()).ok()
    };
    run("install");
    let wired = json(&path);
    let ours = format!("{} --home {} hook --agent codex", program.display(), user.home().display());
    assert!(commands(&wired).contains(&ours), "{wired}");
    assert_eq!(run("install"), "nothing to do: it is as it should be\n");
    assert_eq!(json(&path), wired);
    run("uninstall");
    assert_eq!(commands(&json(&path)), ["/bin/other hook --agent codex"], "somebody else's, and left");
}

#[test]
fn instructions_are_a_block_of_their_own() {
    let user = User::new();
    let path = put(&user, ".claude/CLAUDE.md", b"# Mine\r\n\r\nBe brief.\r\n");
    install(&user, "claude_code");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with(
        "# Mine\r\n\r\nBe brief.\r\n\r\n<!-- last-word:begin -->\r\n## What is worth keeping\r\n"
    ));
    assert!(!text.replace("\r\n", "").contains('\n'));
    fs::write(&path, text.replace("declare it", "shout it") + "After.\r\n").unwrap();
    install(&user, "claude_code");
    assert!(fs::read_to_string(&path).unwrap().contains("declare it"), "brought up to date");
    uninstall(&user, "claude_code");
    assert_eq!(fs::read_to_string(&path).unwrap(), "# Mine\r\n\r\nBe brief.\r\n\r\nAfter.\r\n");
}

/// Qwen Code says on the screen that it read QWEN.md, and Gemini CLI counts GEMINI.md. Earlier versions of ours wrote there.
#[test]
fn instructions_that_the_screen_speaks_of_are_the_persons_alone() {
    let user = User::new();
    for (agent, file) in [("qwen_code", ".qwen/QWEN.md"), ("gemini_cli", ".gemini/GEMINI.md")] {
        let path = user.root().join(file);
        install(&user, agent);
        assert!(!path.exists(), "{agent}");
        fs::write(&path, "# Mine\n\n<!-- last-word:begin -->\nold\n<!-- last-word:end -->\n").unwrap();
        install(&user, agent);
        assert_eq!(fs::read_to_string(&path).unwrap(), "# Mine\n", "{agent}");
    }
}

#[test]
fn a_project_has_files_of_its_own() {
    let user = User::new();
    let project = user.root().join("site");
    fs::create_dir_all(project.join(".git")).unwrap();
    fs::write(project.join("AGENTS.md"), "# Site\n").unwrap();
    let run = |args: &[&str]| Said::of(user.command(args).current_dir(&project).output().unwrap());
    run(&["install", "codex", "--project", "--yes"]).ok();
    let all = commands(&json(&project.join(".codex/hooks.json")));
    assert!(all.iter().all(|command| command == "last-word hook --agent codex"), "{all:?}");
    assert_eq!(fs::read_to_string(project.join("AGENTS.md")).unwrap(), "# Site\n", "a managed document");
    let rules = fs::read_to_string(project.join(".codex/rules/last-word.rules")).unwrap();
    assert!(rules.contains("prefix_rule(pattern = [\"last-word\",[\"plan\""), "{rules}");
    run(&["install", "claude_code", "--project", "--yes"]).ok();
    assert!(project.join("CLAUDE.md").exists() && !user.root().join(".claude").exists());
    for agent in ["gemini_cli", "qwen_code", "copilot", "cursor"] {
        run(&["install", agent, "--project", "--yes"]).ok();
    }
    let settings = json(&project.join(".gemini/settings.json"));
    assert_eq!(settings["policyPaths"], json!(["~/.gemini/policies", ".gemini/policies/last-word.toml"]));
    let policies = fs::read_to_string(project.join(".gemini/policies/last-word.toml")).unwrap();
    assert!(policies.contains("commandPrefix = \"last-word plan\"\ndecision = \"allow\""), "{policies}");
    let personal = [crate::support::binary(), user.root().to_str().unwrap()];
    for (path, bytes) in user.tree() {
        let text = String::from_utf8_lossy(&bytes);
        let shared = path.starts_with(&project) || path.starts_with("site");
        assert!(!shared || !personal.iter().any(|mine| text.contains(mine)), "{}: {text}", path.display());
    }
    for agent in ["gemini_cli", "qwen_code", "copilot", "cursor"] {
        run(&["uninstall", agent, "--project", "--yes"]).ok();
    }
    run(&["uninstall", "claude_code", "--project", "--yes"]).ok();
    run(&["uninstall", "codex", "--project", "--yes"]).ok();
    assert!(!project.join("CLAUDE.md").exists() && !project.join(".codex/hooks.json").exists());
    assert!(!project.join(".gemini").exists());
    user.run(["install", "codex", "--project", "--yes"]).fails(1, "no project");
}

/// The command line as the agent's shell would run it, from a home whose name is a trap.
#[test]
fn the_command_that_is_written_works() {
    let user = User::new();
    let home = user.root().join("it's a $HOME; home");
    let home = home.to_str().unwrap();
    user.run(["init", "--home", home]).ok();
    fs::write(user.root().join(".config/agents/USER.md"), "# User\n\nlikes tea\n").unwrap();
    user.run(["install", "codex", "--yes", "--home", home]).ok();
    let command = commands(&json(&user.root().join(".codex/hooks.json"))).remove(0);
    let mut shell = std::process::Command::new("/bin/sh");
    shell.args(["-c", &command]).env_clear().env("HOME", user.root()).env("PATH", "/usr/bin:/bin");
    shell.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = shell.spawn().unwrap();
    let start =
        serde_json::json!({ "session_id": "s", "cwd": user.root(), "hook_event_name": "SessionStart" });
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), start.to_string().as_bytes()).unwrap();
    let said = Said::of(child.wait_with_output().unwrap()).ok();
    assert!(said.contains("likes tea"), "{said}");
    assert!(Path::new(home).join("sessions/codex-s/log.jsonl").exists());
    install_is_stable(&user, home);
}

fn install_is_stable(user: &User, home: &str) {
    assert!(user.run(["install", "codex", "--yes", "--home", home]).ok().starts_with("nothing to do"));
}

/// What is in such files anyway: no last line end, odd spaces, empty lists, comments, CRLF.
const ODD: [&str; 11] = [
    "\u{feff}{\n  \"model\": \"opus\"\n}\n",
    "{ \"hooks\": null }",
    "{ \"permissions\": null, \"hooks\": { \"SessionStart\": null, \"sessionStart\": null } }",
    "{ \"permissions\": { \"allow\": null, \"deny\": null } }",
    "{}",
    "{ \"permissions\": { \"deny\": [], \"allow\": [ ] } }",
    "{\"model\":\"opus\",\"hooks\":{}}",
    "{\r\n\t\"model\": \"opus\", // mine\r\n}",
    "{\n\n  \"permissions\": {\n    \"deny\": [\"Bash(curl:*)\"]\n  }\n\n}\n\n",
    "",
    "\n",
];

#[test]
fn what_was_there_comes_back_to_the_byte() {
    for (agent, file, instructions) in AGENTS {
        for text in ODD {
            let user = User::new();
            put(&user, file, text.as_bytes());
            if let Some(instructions) = instructions {
                put(&user, instructions, b"# Mine, without a last line end");
            }
            let before = user.tree();
            install(&user, agent);
            assert_ne!(user.tree(), before);
            uninstall(&user, agent);
            assert!(
                user.tree() == before,
                "{agent} {text:?}: {:?}",
                fs::read_to_string(user.root().join(file))
            );
        }
    }
}

/// A mark of the byte order is no part of the JSON, and stays before it; what is `null` is not there.
#[test]
fn a_mark_of_the_byte_order_stays_and_null_is_nothing() {
    let user = User::new();
    let path =
        put(&user, ".claude/settings.json", "\u{feff}{ \"model\": \"opus\", \"hooks\": null }".as_bytes());
    install(&user, "claude_code");
    let text = fs::read_to_string(&path).unwrap();
    let settings: Value = serde_json::from_str(text.strip_prefix('\u{feff}').unwrap()).unwrap();
    assert!(settings["hooks"]["SessionStart"].is_array() && settings["permissions"]["allow"].is_array());
    assert_eq!(install(&user, "claude_code"), "nothing to do: it is as it should be\n");
    fs::write(&path, text.replace("opus", "sonnet")).unwrap();
    uninstall(&user, "claude_code");
    let left = fs::read_to_string(&path).unwrap();
    let left: Value = serde_json::from_str(left.strip_prefix('\u{feff}').unwrap()).unwrap();
    assert_eq!(left, json!({ "model": "sonnet" }));
    put(&user, ".claude.json", "\u{feff}{ \"mcpServers\": null }\n".as_bytes());
    user.run(["install", "claude_code", "--mcp", "--yes"]).ok();
    let listed = fs::read_to_string(user.root().join(".claude.json")).unwrap();
    assert!(listed.starts_with('\u{feff}') && listed.contains("\"last-word\": {"), "{listed}");
}

#[test]
fn what_was_changed_since_stays_changed() {
    let user = User::new();
    let path = put(&user, ".claude/settings.json", b"{ \"model\": \"opus\" }");
    install(&user, "claude_code");
    let changed = fs::read_to_string(&path).unwrap().replace("opus", "sonnet");
    fs::write(&path, changed).unwrap();
    uninstall(&user, "claude_code");
    let left = fs::read_to_string(&path).unwrap();
    assert!(left.contains("sonnet") && !left.contains("last-word") && !left.contains("deny"), "{left}");
    assert!(!user.home().join("installed").exists());
}

#[test]
fn agents_that_have_rules_are_denied_what_decides() {
    let user = User::new();
    install(&user, "claude_code");
    let settings = json(&user.root().join(".claude/settings.json"));
    let denied = settings["permissions"]["deny"].as_array().unwrap().clone();
    for rule in [
        "Bash(last-word review:*)",
        "Edit(~/.config/agents/last-word/config.yaml)",
        "Edit(~/.config/agents/last-word/staging/**)",
    ] {
        assert!(denied.contains(&rule.into()), "{rule}: {denied:?}");
    }
    // What commands of the agent write themselves would be denied to a sandboxed command, too.
    for open in ["pending", "sessions", "tmp", "locks", "journal", "keys"] {
        assert!(
            !denied.iter().any(|rule| rule.as_str().unwrap().contains(&format!("last-word/{open}"))),
            "{open}"
        );
    }
    install(&user, "codex");
    let rules = fs::read_to_string(user.root().join(".codex/rules/last-word.rules")).unwrap();
    assert!(
        rules.lines().any(|rule| rule.contains("\"review\"") && rule.contains("decision = \"forbidden\"")),
        "{rules}"
    );
    assert!(
        rules.lines().any(|rule| rule.contains("\"plan\"") && rule.contains("decision = \"allow\"")),
        "{rules}"
    );
    install(&user, "gemini_cli");
    let rules = fs::read_to_string(user.root().join(".gemini/policies/last-word.toml")).unwrap();
    // Above 950: what a person once clicked "always allow" for is one of those there.
    let denied = "commandPrefix = \"last-word review\"\ndecision = \"deny\"\npriority = 999";
    assert!(rules.contains(denied), "{rules}");
    install(&user, "qwen_code");
    let settings = json(&user.root().join(".qwen/settings.json"));
    let denied = settings["permissions"]["deny"].to_string();
    for rule in ["Bash(last-word resolve --discard *)", "Edit(~/.config/agents/last-word/config.yaml)"] {
        assert!(denied.contains(rule), "{settings}");
    }
}

/// The commands that ask who decides, as they are typed: each is denied by every agent that has rules, in its own way.
#[test]
fn every_deciding_command_is_denied_by_every_agent_that_has_rules() {
    let user = User::new();
    let said = |agent: &str, file: &str| {
        install(&user, agent);
        fs::read_to_string(user.root().join(file)).unwrap()
    };
    let claude = said("claude_code", ".claude/settings.json");
    let qwen = said("qwen_code", ".qwen/settings.json");
    let codex = said("codex", ".codex/rules/last-word.rules");
    let forbidden: Vec<&str> = codex.lines().filter(|rule| rule.contains("\"forbidden\"")).collect();
    let gemini = said("gemini_cli", ".gemini/policies/last-word.toml");
    let deciding = deciding_commands();
    assert!(deciding.len() > 9 && deciding.contains(&"item purge".to_owned()), "{deciding:?}");
    for rules in [&claude, &qwen, &codex, &gemini] {
        assert!(!rules.contains("resolve --retry"), "a session's own job: {rules}");
    }
    for command in deciding {
        // `resolve --retry ID` is allowed, so that only the other forms are denied.
        if command == "resolve" {
            assert!(
                claude.contains("\"Bash(last-word resolve --all:*)\"") && !claude.contains("resolve:*"),
                "{claude}"
            );
            assert!(
                qwen.contains("\"Bash(last-word resolve --all *)\"") && !qwen.contains("resolve *"),
                "{qwen}"
            );
            assert!(
                forbidden.iter().any(|rule| rule.contains("[\"last-word\",\"resolve\",[\"--all\",")),
                "{codex}"
            );
            assert!(
                gemini.contains("commandPrefix = \"last-word resolve --all\"\ndecision = \"deny\""),
                "{gemini}"
            );
            assert!(!gemini.contains("commandPrefix = \"last-word resolve\""), "{gemini}");
            continue;
        }
        assert!(claude.contains(&format!("\"Bash(last-word {command}:*)\"")), "{command}: {claude}");
        assert!(qwen.contains(&format!("\"Bash(last-word {command} *)\"")), "{command}: {qwen}");
        let words = command.split(' ').map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(",");
        let denies = |rule: &&str| rule.contains("[\"last-word\",") && rule.contains(&words);
        assert!(forbidden.iter().any(denies), "{command}: {codex}");
        let rule = format!("commandPrefix = \"last-word {command}\"\ndecision = \"deny\"\npriority = 999");
        assert!(gemini.contains(&rule), "{command}: {gemini}");
    }
}

/// By the source: the file of a command that asks `who` decides is named as it is typed.
fn deciding_commands() -> Vec<String> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("cli/commands");
    let mut found: Vec<String> = names(&root)
        .into_iter()
        .filter(|path| path.extension().is_some_and(|end| end == "rs"))
        .filter(|path| fs::read_to_string(path).unwrap().contains(".who(\""))
        .map(|path| {
            let name = path.strip_prefix(&root).unwrap().with_extension("").display().to_string();
            // Alone it makes the home, which an agent may.
            name.replace('/', " ").replace("init", "init --project")
        })
        .collect();
    found.sort();
    found
}

#[test]
fn a_project_does_not_say_what_is_written_outside_of_it() {
    let user = User::new();
    let repo = user.root().join("repo");
    fs::create_dir_all(repo.join(".git")).unwrap();
    fs::create_dir_all(user.root().join("elsewhere")).unwrap();
    std::os::unix::fs::symlink(user.root().join("elsewhere"), repo.join(".claude")).unwrap();
    let run = |args: &[&str]| Said::of(user.command(args).current_dir(&repo).output().unwrap());
    run(&["install", "claude_code", "--project", "--yes"]).fails(1, "leads out of the project");
    assert_eq!(fs::read_dir(user.root().join("elsewhere")).unwrap().count(), 0);
    fs::remove_file(repo.join(".claude")).unwrap();
    run(&["install", "claude_code", "--project", "--yes"]).ok();
    assert!(repo.join(".claude/settings.json").exists());
}
