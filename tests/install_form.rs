//! `install AGENT` in the form of the agent's own shop: a plugin, an extension, a skill, commands. Files of ours alone, which keep what a
//! person put in their place.

use crate::support::User;
use std::fs;
use std::path::{Path, PathBuf};

/// Each agent, the directory of its form, and what is written there.
const FORMS: [(&str, &str, &[&str]); 6] = [
    (
        "claude_code",
        ".claude/skills/last-word",
        &[".claude-plugin/plugin.json", "commands/remember.md", SKILL],
    ),
    ("codex", ".codex/skills/last-word", &["SKILL.md"]),
    ("gemini_cli", ".gemini/extensions/last-word", &["gemini-extension.json", "commands/recall.toml", SKILL]),
    ("copilot", ".copilot/skills/last-word", &["SKILL.md"]),
    ("qwen_code", ".qwen/extensions/last-word", &["qwen-extension.json", "commands/review.md", SKILL]),
    ("opencode", ".config/opencode", &["plugins/last-word.js", "commands/remember.md", SKILL]),
];
const SKILL: &str = "skills/last-word/SKILL.md";

fn files_below(user: &User, dir: &str) -> Vec<(PathBuf, String)> {
    let found = user.tree().into_iter().filter(|(path, _)| path.to_string_lossy().contains(dir));
    found.map(|(path, bytes)| (path, String::from_utf8(bytes).unwrap())).collect()
}

#[test]
fn each_agent_gets_its_own_form_and_loses_it_again() {
    for (agent, dir, names) in FORMS {
        let user = User::new();
        let before = user.tree();
        user.run(["install", agent, "--yes"]).ok();
        let written = files_below(&user, dir);
        for name in names {
            assert!(written.iter().any(|(path, _)| path.ends_with(name)), "{agent} {name}: {written:?}");
        }
        for (path, text) in &written {
            let stands_for_something = ["PROGRAM", "ARGUMENTS"]
                .into_iter()
                .find(|word| text.replace("$ARGUMENTS", "").replace("LAST_WORD_PROGRAM", "").contains(word));
            assert_eq!(stands_for_something, None, "{}: {text}", path.display());
            if path.ends_with("SKILL.md") {
                let recall = format!("`{} recall 'words'`", crate::support::binary());
                assert!(text.starts_with("---\nname: last-word\n") && text.contains(&recall), "{text}");
            }
            if path.extension().is_some_and(|ending| ending == "json") {
                let manifest: serde_json::Value = serde_json::from_str(text).unwrap();
                assert_eq!(manifest["name"], "last-word");
            }
        }
        let wired = user.tree();
        assert_eq!(user.run(["install", agent, "--yes"]).ok(), "nothing to do: it is as it should be\n");
        assert!(user.tree() == wired, "{agent}: twice is once");
        user.run(["uninstall", agent, "--yes"]).ok();
        assert!(user.tree() == before, "{agent}: as if it had never been");
        assert!(!user.root().join(dir).exists(), "{agent}: nor its directory");
    }
}

#[test]
fn what_a_person_put_there_or_changed_stays() {
    for (agent, dir, names) in FORMS {
        let user = User::new();
        let theirs = user.root().join(dir).join(names[0]);
        fs::create_dir_all(theirs.parent().unwrap()).unwrap();
        fs::write(&theirs, "mine\n").unwrap();
        let said = user.run(["install", agent, "--yes"]).ok();
        assert!(said.contains("is not ours, and stays as it is"), "{agent}: {said}");
        assert_eq!(fs::read_to_string(&theirs).unwrap(), "mine\n");
        let written = files_below(&user, dir).into_iter().map(|(path, _)| user.root().join(path));
        let changed = written.filter(|path| *path != theirs).find(|path| path.ends_with("SKILL.md"));
        if let Some(path) = &changed {
            fs::write(path, fs::read_to_string(path).unwrap() + "mine, too\n").unwrap();
        }
        user.run(["uninstall", agent, "--yes"]).ok();
        assert_eq!(fs::read_to_string(&theirs).unwrap(), "mine\n", "{agent}");
        assert!(changed.is_none_or(|path| path.exists()), "{agent}: what was changed since");
    }
}

/// A plugin that calls our hook with the home that was named, whatever is in its name.
#[test]
fn a_plugin_calls_the_home_that_was_named() {
    let user = User::new();
    let home = user.root().join("it's mine");
    let home = home.to_str().unwrap();
    user.run(["init", "--home", home]).ok();
    user.run(["install", "opencode", "--yes", "--home", home]).ok();
    let plugin = fs::read_to_string(user.root().join(".config/opencode/plugins/last-word.js")).unwrap();
    let named = serde_json::json!(["--home", home]).to_string();
    assert!(plugin.contains(&format!("const home = {named}")), "{plugin}");
    assert!(plugin.contains(crate::support::binary()), "{plugin}");
}

/// What a variable moved is written where the agent looks.
#[test]
fn a_form_follows_the_agents_directory() {
    let user = User::new();
    let moved = user.root().join("moved");
    let mut command = user.command(["install", "claude_code", "--yes"]);
    command.env("CLAUDE_CONFIG_DIR", &moved);
    crate::support::Said::of(command.output().unwrap()).ok();
    assert!(moved.join("skills/last-word/.claude-plugin/plugin.json").exists());
    assert!(!Path::new(user.root()).join(".claude").exists());
}
