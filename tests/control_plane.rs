//! The guard keeps agents from what decides over documents; the cases are data, in `fixtures/hooks/control.json`.

use crate::support::{Said, User};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Stdio;

const CONFIG: &str = "version: 1\nknowledge_bases:\n  user: { path: ~/USER.md, title: User, policy: auto }\nsession_bootstrap: [user]\n";

fn user() -> User {
    let user = User::new();
    user.configure(CONFIG);
    let root = user.root();
    for dir in ["repo/.git", "repo/.claude", ".claude", "x", ".local/bin"] {
        fs::create_dir_all(root.join(dir)).unwrap();
    }
    symlink("/usr/local/lib/last-word", root.join(".local/bin/last-word")).unwrap();
    fs::write(root.join("USER.md"), "# User\n").unwrap();
    symlink(user.home(), root.join("link")).unwrap();
    fs::write(root.join("repo/.claude/settings.json"), "{}\n").unwrap();
    fs::create_dir_all(root.join("repo/dot/.claude")).unwrap();
    fs::write(root.join("repo/dot/.claude/settings.json"), "{}\n").unwrap();
    let hooks = json!({ "hooks": { "PreToolUse": [{ "hooks": [{ "type": "command", "command": "/bin/last-word hook --agent claude_code" }] }] } });
    fs::write(root.join(".claude/settings.json"), hooks.to_string()).unwrap();
    let plugin = root.join(".config/opencode/plugins/last-word.js");
    fs::create_dir_all(plugin.parent().unwrap()).unwrap();
    fs::write(plugin, "// calls `last-word hook --agent opencode`\n").unwrap();
    [root, &root.join("x")].into_iter().for_each(rules_in);
    for (name, document) in
        [("other", "USER.md"), ("moved/.config/agents/last-word", "USER.md"), ("separate", "OWN.md")]
    {
        let dir = root.join(name);
        user.run(["--home", dir.to_str().unwrap(), "init"]).ok();
        let config =
            format!("version: 1\nknowledge_bases:\n  own: {{ path: ~/{document} }}\nsession_bootstrap: []\n");
        fs::write(dir.join("config.yaml"), config).unwrap();
    }
    user
}

/// The files of rules that `install` writes into the directories of Codex and Gemini CLI.
fn rules_in(dir: &Path) {
    for (file, text) in [
        (
            ".codex/rules/last-word.rules",
            "prefix_rule(pattern = [\"last-word\", [\"review\"]], decision = \"forbidden\")\n",
        ),
        (
            ".gemini/policies/last-word.toml",
            "[[rule]]\ncommandPrefix = \"last-word review\"\ndecision = \"deny\"\n",
        ),
    ] {
        fs::create_dir_all(dir.join(file).parent().unwrap()).unwrap();
        fs::write(dir.join(file), text).unwrap();
    }
}

fn answer(user: &User, tool: &str, input: &Value) -> String {
    let event = json!({ "hook_event_name": "PreToolUse", "session_id": "s", "cwd": user.root().join("repo"),
        "tool_name": tool, "tool_input": input });
    let mut command = user.command(["hook", "--agent", "claude_code"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
    Said::of(child.wait_with_output().unwrap()).ok()
}

/// An event that a JSON parser refuses is no way past the guard: half of a surrogate pair, what is nested deeply, what was cut off.
#[test]
fn an_event_that_is_not_quite_json_is_judged_all_the_same() {
    let user = user();
    let path = user.root().join("USER.md").display().to_string();
    let deep = format!("{}1{}", "[".repeat(300), "]".repeat(300));
    for content in [r#""abc \ud83d""#, r#""\q""#, "1e999", &deep, "\"cut of"] {
        let head = r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/","tool_name":"Write","#;
        let text = format!(r#"{head}"tool_input":{{"file_path":"{path}","content":{content}"#);
        let text = if content.starts_with("\"cut") { text } else { text + "}}" };
        let mut command = user.command(["hook", "--agent", "claude_code"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let said = Said::of(child.wait_with_output().unwrap()).ok();
        assert!(said.contains("\"deny\""), "{content}: {said}");
    }
}

/// A configuration that is a link is the file that it leads to, in whatever repository that lies.
#[test]
fn what_the_configuration_leads_to_is_not_for_agents() {
    let user = user();
    let dotfiles = user.root().join("dotfiles/agents");
    fs::create_dir_all(&dotfiles).unwrap();
    fs::create_dir(user.root().join("dotfiles/.git")).unwrap();
    fs::create_dir(user.root().join("dotfiles/vim")).unwrap();
    let (config, file) = (user.home().join("config.yaml"), dotfiles.join("config.yaml"));
    let write = json!({ "file_path": file, "content": "x" });
    assert!(!answer(&user, "Write", &write).contains("\"deny\""), "it is nothing of ours yet");
    fs::rename(&config, &file).unwrap();
    std::os::unix::fs::symlink(&file, &config).unwrap();
    assert!(answer(&user, "Write", &write).contains("\"deny\""));
    for (line, is_denied) in [
        ("echo x > ~/dotfiles/agents/config.yaml", true),
        ("cd ~/dotfiles && sed -i s/review/auto/ agents/config.yaml", true),
        ("rm -rf ~/dotfiles/agents", true),
        ("cd ~/dotfiles && git checkout old", true),
        ("cd ~/dotfiles/vim && git reset --hard HEAD~1", true),
        ("git -C ~/dotfiles reset --hard HEAD~1", true),
        ("python3 -c \"open('dotfiles/agents/config.yaml','w').write('x')\"", true),
        ("cat ~/dotfiles/agents/config.yaml", false),
        ("echo x > ~/dotfiles/agents/other.yaml", false),
        ("cd ~/dotfiles && git pull", true),
        ("cd ~/dotfiles && git stash", true),
        ("cd ~/dotfiles && git stash pop", true),
        ("cd ~/dotfiles/vim && git restore :/", true),
        ("cd ~/dotfiles && git restore .", true),
        ("cd ~/dotfiles && git restore agents", true),
        ("cd ~/dotfiles && git checkout -- agents/config.yaml", true),
        ("cd ~/dotfiles && git checkout -b new origin/main", true),
        ("cd ~/dotfiles && git checkout other --", true),
        ("cd ~/dotfiles && git switch --detach other --", true),
        ("cd ~/dotfiles && git switch --create=new other", true),
        ("cd ~/dotfiles && git switch -cnew other", true),
        ("cd ~/dotfiles && git switch --orphan new", true),
        ("cd ~/dotfiles && git checkout -b new -t other", true),
        ("cd ~/dotfiles && git reset --har", true),
        ("cd ~/dotfiles && git restore 'ag*'", true),
        ("cd ~/dotfiles && git checkout HEAD~1 -- 'a*/config.yaml'", true),
        ("cd ~/dotfiles && git bisect start && git subtree pull --prefix x", true),
        ("cd ~/dotfiles && git read-tree -u -m old", true),
        ("cd ~/dotfiles && git sparse-checkout set vim", true),
        ("cd ~/dotfiles && git stash push vim/vimrc && git clean -fd vim", false),
        ("cd ~/dotfiles && git checkout -b new HEAD && git switch -cnewer", false),
        ("cd ~/dotfiles && git stash list && git stash show -p", false),
        ("cd ~/dotfiles && git checkout -b new && git switch -c newer", false),
        ("cd ~/dotfiles && git commit -m merge && git log --grep pull", false),
        ("cd ~/dotfiles && git restore vim/vimrc && git checkout -- vim", false),
        ("cd ~/dotfiles && git restore --staged . && git reset HEAD vim", false),
        ("cd ~/dotfiles && git status && git diff && git add -A && git commit -m x", false),
    ] {
        let said = answer(&user, "Bash", &json!({ "command": line }));
        assert_eq!(said.contains("\"deny\""), is_denied, "{line}: {said}");
    }
}

/// Where the switch stands already, another word beside it is enough.
#[test]
fn a_switch_that_is_there_is_not_turned() {
    let user = user();
    let settings = user.root().join("repo/.claude/settings.json");
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    let edit = json!({ "file_path": settings, "old_string": "false", "new_string": "true" });
    let sed = json!({ "command": format!("sed -i s/false/true/ {}", settings.display()) });
    for (text, is_denied) in [("{ \"disableAllHooks\": false }", true), ("{ \"verbose\": false }", false)] {
        fs::write(&settings, text).unwrap();
        for (tool, input) in [("Edit", &edit), ("Bash", &sed)] {
            let said = answer(&user, tool, input);
            assert_eq!(said.contains("\"deny\""), is_denied, "{text} {tool}: {said}");
        }
    }
}

/// Where a person's word is noted that its hooks run, too.
#[test]
fn codex_is_not_told_to_leave_its_hooks() {
    let user = user();
    user.run(["install", "codex", "--yes"]).ok();
    let config = user.root().join(".codex/config.toml");
    let lines = [
        "rm ~/.codex/config.toml",
        "sed -i /trusted_hash/d ~/.codex/config.toml",
        "echo '[x]' >> ~/.codex/config.toml",
    ];
    let hooks = user.root().join(".codex/hooks.json");
    for (text, is_denied) in [
        ("model = \"x\"\n".to_owned(), false),
        (format!("[hooks.state.\"{}:stop:0:0\"]\ntrusted_hash = \"x\"\n", hooks.display()), true),
    ] {
        fs::write(&config, text).unwrap();
        for line in lines {
            let said = answer(&user, "Bash", &json!({ "command": line }));
            assert_eq!(said.contains("\"deny\""), is_denied, "{line}: {said}");
        }
    }
    for (line, is_denied) in [
        ("codex --disable hooks exec x", true),
        ("codex features disable hooks", true),
        ("codex features disable web_search", false),
        ("codex features list", false),
    ] {
        let said = answer(&user, "Bash", &json!({ "command": line }));
        assert_eq!(said.contains("\"deny\""), is_denied, "{line}: {said}");
    }
}

/// An agent's process may stand in a directory that was removed since: a worktree, a build directory.
#[test]
fn where_the_working_directory_is_gone_everything_is_guarded() {
    let user = user();
    let gone = user.root().join("gone");
    let path = user.root().join("USER.md").display().to_string();
    let event = json!({ "hook_event_name": "PreToolUse", "session_id": "s", "cwd": gone,
        "tool_name": "Write", "tool_input": { "file_path": path, "content": "x" } });
    for agent in ["claude_code", "codex", "qwen_code"] {
        fs::create_dir(&gone).unwrap();
        let mut shell = std::process::Command::new("/bin/sh");
        let line = "cd \"$1\" && rmdir \"$1\" && exec \"$2\" hook --agent \"$3\"";
        shell.args(["-c", line, "sh", gone.to_str().unwrap(), crate::support::binary(), agent]);
        shell.env_clear().env("HOME", user.root()).env("PATH", "/usr/bin:/bin");
        let mut child = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
        let said = Said::of(child.wait_with_output().unwrap()).ok();
        assert!(said.contains("\"deny\""), "{agent}: {said}");
    }
}

/// Of an event that is too long the texts are cut, and what stands behind them is judged.
#[test]
fn a_path_behind_a_long_text_is_judged() {
    let user = user();
    let path = user.root().join("USER.md").display().to_string();
    let head = r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/","tool_name":"Write","#;
    let long = "all work and no play\\n".repeat(2 << 20);
    let text = format!(r#"{head}"tool_input":{{"content":"{long}","file_path":"{path}"}}}}"#);
    assert!(text.len() > 40 << 20);
    let mut command = user.command(["hook", "--agent", "claude_code"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let said = Said::of(child.wait_with_output().unwrap()).ok();
    assert!(said.contains("\"deny\""), "{said}");
}

/// The calls of a kind, with the places of this user.
fn calls(user: &User, kind: &str) -> Vec<(String, Value)> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/hooks/control.json");
    let text = fs::read_to_string(path).unwrap();
    let root = user.root().to_str().unwrap().to_owned();
    let places = [
        ("<link>", format!("{root}/link")),
        ("<queue>", user.home().display().to_string()),
        ("<home>", root),
    ];
    let text = places.iter().fold(text, |text, (name, place)| text.replace(name, place));
    let cases: Value = serde_json::from_str(&text).unwrap();
    let call = |call: &Value| (call[0].as_str().unwrap().to_owned(), call[1].clone());
    cases[kind].as_array().unwrap().iter().map(call).collect()
}

fn wrong(user: &User, kind: &str, denied: bool) -> Vec<String> {
    let calls = calls(user, kind);
    assert!(calls.len() > 20);
    let is_wrong = |(tool, input): &(String, Value)| {
        let said = answer(user, tool, input);
        (said.contains("\"deny\"") != denied).then(|| format!("{tool} {input}: {said}"))
    };
    calls.iter().filter_map(is_wrong).collect()
}

#[test]
fn what_decides_is_not_for_agents() {
    let user = user();
    assert_eq!(wrong(&user, "denied", true), Vec::<String>::new());
}

#[test]
fn what_is_only_looked_at_or_declared_stays_free() {
    let user = user();
    assert_eq!(wrong(&user, "free", false), Vec::<String>::new());
}

/// The settings that `install` wrote and the path by which the hook runs say where the program is, wherever that is.
#[test]
fn the_program_is_kept_where_the_settings_and_the_hook_say_it_is() {
    let user = user();
    let (named, of_others) = (user.root().join("opt/bin/last-word"), user.root().join("opt/bin/other"));
    fs::create_dir_all(named.parent().unwrap()).unwrap();
    for file in [&named, &of_others] {
        fs::write(file, "").unwrap();
    }
    let line = |verb: &str, file: &Path| json!({ "command": format!("{verb} {}", file.display()) });
    let denies = |verb: &str, file: &Path| answer(&user, "Bash", &line(verb, file)).contains("\"deny\"");
    assert!(!denies("rm", &named), "nothing says that it is ours");
    let hook = format!("{} hook --agent claude_code", named.display());
    let hooks = json!({ "hooks": { "PreToolUse": [{ "hooks": [{ "type": "command", "command": hook }] }] } });
    fs::write(user.root().join(".claude/settings.json"), hooks.to_string()).unwrap();
    for verb in ["rm", "sudo rm -f", "chmod -x", "cp /bin/true", "echo x >"] {
        assert!(denies(verb, &named), "{verb}");
        assert!(!denies(verb, &of_others), "{verb}");
    }
    // The file that runs, though it was called by its bare name.
    let running = Path::new(crate::support::binary());
    let event = json!({ "hook_event_name": "PreToolUse", "session_id": "s", "cwd": user.root().join("repo"),
        "tool_name": "Bash", "tool_input": line("rm", running) });
    let mut command = user.command(["hook", "--agent", "claude_code"]);
    std::os::unix::process::CommandExt::arg0(&mut command, "last-word");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
    let said = Said::of(child.wait_with_output().unwrap()).ok();
    assert!(said.contains("\"deny\""), "{said}");
}

/// The rules of an agent that `install --project` writes are kept as the person's are.
#[test]
fn rules_of_a_project_are_kept() {
    let user = user();
    let denies = |line: &str| answer(&user, "Bash", &json!({ "command": line })).contains("\"deny\"");
    let lines = [
        "rm .codex/rules/last-word.rules",
        "rm -r .gemini/policies",
        "mv .gemini /tmp/x",
        "echo > .gemini/policies/last-word.toml",
    ];
    assert!(!lines.into_iter().any(denies), "there are none");
    rules_in(&user.root().join("repo"));
    for line in lines {
        assert!(denies(line), "{line}");
    }
    assert!(!denies("rm .codex/rules/own.rules"));
}

#[test]
fn the_guard_does_not_depend_on_what_agents_can_spoil() {
    let user = user();
    let home = user.home();
    let config = json!({ "file_path": home.join("config.yaml"), "content": "x" });
    // A configuration that cannot be read, or that others can write to.
    user.configure("version: 1\nknowledge_bases: [\n");
    assert!(answer(&user, "Write", &config).contains("\"deny\""));
    user.configure(CONFIG);
    fs::remove_dir(home.join("deferred")).unwrap();
    assert!(answer(&user, "Write", &config).contains("\"deny\""));
    let document = json!({ "file_path": user.root().join("USER.md"), "content": "x" });
    assert!(answer(&user, "Write", &document).contains("\"deny\""), "nor does that of the documents");
}

#[test]
fn a_person_says_how_much() {
    let user = user();
    let config = json!({ "file_path": user.home().join("config.yaml"), "content": "x" });
    for (setting, denied) in [
        ("guard: { control: off }", false),
        ("guard: { control: warn }", false),
        ("guard: { control: block }", true),
        ("enabled: false", false),
    ] {
        user.configure(&format!("{CONFIG}{setting}\n"));
        assert_eq!(answer(&user, "Write", &config).contains("\"deny\""), denied, "{setting}");
    }
    user.configure(&format!("{CONFIG}guard: {{ control: warn }}\n"));
    assert!(answer(&user, "Write", &config).contains("must not change them"));
}

#[test]
fn the_answer_says_what_to_do() {
    let user = user();
    let said = answer(&user, "Bash", &json!({ "command": "last-word review --all --approve" }));
    assert!(said.contains("for the person you work for") && said.contains("status"), "{said}");
    let said = answer(&user, "Bash", &json!({ "command": "rm -rf ~/.config/agents/last-word/staging" }));
    assert!(said.contains("staging") && said.contains(" plan --to KB"), "{said}");
}

#[test]
fn a_line_of_thousands_of_files_or_commands_is_asked_for_in_parts() {
    let user = user();
    let run = |line: String| answer(&user, "Bash", &json!({ "command": line }));
    let files: Vec<String> = (0..1_500).map(|n| format!("f{n}")).collect();
    for line in [format!("rm {}", files.join(" ")), "ln -s a b;".repeat(600)] {
        let said = run(line);
        assert!(said.contains("\"deny\"") && said.contains("Run it in parts"), "{said}");
    }
    assert!(!run(format!("rm {}", files[..200].join(" "))).contains("\"deny\""));
    assert!(!run("ln -s a b;".repeat(100)).contains("\"deny\""));
    // Lines of text are no reason, however many.
    assert!(!run("echo a line of a script;".repeat(600)).contains("\"deny\""));
}
