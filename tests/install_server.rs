//! `install AGENT --mcp`: our server among those that an agent starts, and out again to the byte.

use crate::support::User;
use std::fs;
use std::path::{Path, PathBuf};

/// Each agent, and the file in which it lists servers.
const AGENTS: [(&str, &str); 8] = [
    ("claude_code", ".claude.json"),
    ("codex", ".codex/config.toml"),
    ("gemini_cli", ".gemini/settings.json"),
    ("cursor", ".cursor/mcp.json"),
    ("qwen_code", ".qwen/settings.json"),
    ("copilot", ".copilot/mcp-config.json"),
    ("opencode", ".config/opencode/opencode.json"),
    ("vscode", VSCODE),
];
const VSCODE: &str = if cfg!(target_os = "macos") {
    "Library/Application Support/Code/User/mcp.json"
} else {
    ".config/Code/User/mcp.json"
};

fn golden(agent: &str, file: &str) -> PathBuf {
    let ending = Path::new(file).extension().unwrap().to_str().unwrap();
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("fixtures/install/servers/{agent}.{ending}"))
}

fn put(user: &User, file: &str, text: &str) -> PathBuf {
    let path = user.root().join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

fn install(user: &User, agent: &str) -> String {
    user.run(["install", agent, "--mcp", "--yes"]).ok()
}

fn uninstall(user: &User, agent: &str) -> String {
    user.run(["uninstall", agent, "--mcp", "--yes"]).ok()
}

#[test]
fn into_a_clean_home_and_out_again() {
    for (agent, file) in AGENTS {
        let user = User::new();
        let before = user.tree();
        assert!(install(&user, agent).contains(&format!("wrote ~/{file}")));
        let written = fs::read_to_string(user.root().join(file)).unwrap();
        let named = format!(", \"--home\", \"{}\"", user.home().display());
        assert!(written.contains(&named), "{written}");
        // The entries for marketplaces are the same without a home.
        let written = written.replace(crate::support::binary(), "last-word").replace(&named, "");
        let golden = golden(agent, file);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::create_dir_all(golden.parent().unwrap()).unwrap();
            fs::write(&golden, &written).unwrap();
        }
        assert_eq!(written, fs::read_to_string(golden).unwrap(), "{agent}");
        let wired = user.tree();
        assert_eq!(install(&user, agent), "nothing to do: it is as it should be\n");
        assert_eq!(user.tree(), wired, "{agent}: twice is once");
        uninstall(&user, agent);
        assert_eq!(user.tree(), before, "{agent}: as if it had never been");
        assert_eq!(uninstall(&user, agent), "nothing to do: it is as it should be\n");
    }
}

#[test]
fn what_was_there_comes_back_to_the_byte() {
    const JSON: [&str; 6] = [
        "{}",
        "{\"mcpServers\":{}}",
        "{\r\n\t\"model\": \"opus\", // mine\r\n}",
        "{\n  \"mcpServers\": {\n    \"other\": { \"command\": \"x\", \"args\": [] }\n  }\n}\n\n",
        "",
        "\n",
    ];
    const TOML: [&str; 4] = ["", "model = \"o\"", "[mcp_servers.other]\ncommand = \"x\"\r\n\r\n", "\n"];
    for (agent, file) in AGENTS {
        for text in if file.ends_with(".toml") { &TOML[..] } else { &JSON[..] } {
            let user = User::new();
            let path = put(&user, file, text);
            let before = user.tree();
            install(&user, agent);
            assert_ne!(user.tree(), before);
            uninstall(&user, agent);
            assert!(user.tree() == before, "{agent} {text:?}: {:?}", fs::read_to_string(path));
        }
    }
}

/// Gemini and Qwen keep hooks and servers in one file: each is taken out without the other, in any order.
#[test]
fn hooks_and_server_in_one_file_do_not_take_each_other_out() {
    for agent in ["gemini_cli", "qwen_code"] {
        let file = AGENTS.iter().find(|(name, _)| *name == agent).unwrap().1;
        for server_first in [true, false] {
            let user = User::new();
            let path = put(&user, file, "{\n  \"theme\": \"dark\"\n}\n");
            let hooks = |words: &str| user.run([words, agent, "--yes"]).ok();
            hooks("install");
            install(&user, agent);
            let has = |mark: &str| fs::read_to_string(&path).unwrap().contains(mark);
            assert!(has("hook --agent") && has("mcpServers"));
            if server_first {
                uninstall(&user, agent);
                assert!(has("hook --agent") && !has("mcpServers"), "{agent}");
                hooks("uninstall");
            } else {
                hooks("uninstall");
                assert!(!has("hook --agent") && has("mcpServers"), "{agent}");
                uninstall(&user, agent);
            }
            let left: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            assert_eq!(left["theme"], serde_json::json!("dark"), "{agent}");
            assert!(!has("last-word"), "{agent}");
        }
    }
}

#[test]
fn the_command_that_is_written_works() {
    let user = User::new();
    install(&user, "cursor");
    let written: serde_json::Value =
        serde_json::from_slice(&fs::read(user.root().join(".cursor/mcp.json")).unwrap()).unwrap();
    let server = &written["mcpServers"]["last-word"];
    assert_eq!(server["command"], serde_json::json!(crate::support::binary()));
    let words: Vec<&str> =
        server["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    user.run_with(words, b"").ok();
}

#[test]
fn a_server_of_that_name_by_hand_and_other_mistakes_are_refused() {
    let user = User::new();
    put(&user, ".codex/config.toml", "[mcp_servers.last-word]\ncommand = \"mine\"\n");
    let before = user.tree();
    user.run(["install", "codex", "--mcp", "--yes"]).fails(1, "is not ours");
    user.run(["install", "generic", "--mcp", "--yes"]).fails(2, "docs/AGENTS.md");
    user.run(["install", "vscode", "--yes"]).fails(2, "--mcp");
    user.run(["install", "cron", "--mcp", "--yes"]).fails(2, "--mcp is for an agent");
    assert!(user.tree() == before, "nothing was written");
}
