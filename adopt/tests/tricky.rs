//! Stores as they are found in practice: byte order marks, line ends, circles, links, large files, broken lines, missing dates.

#![allow(clippy::disallowed_methods, clippy::unwrap_used)] // a test makes its files itself

use adopt::{FoundMemories, MemoryStore, MemorySystem};
use durable::RealDisk;
use std::fs;
use std::path::{Path, PathBuf};

struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new(files: &[(&str, &[u8])]) -> Place {
        let place = Place { dir: tempfile::tempdir().unwrap() };
        for (name, bytes) in files {
            let path = place.path(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn read(&self, system: &str) -> FoundMemories {
        let project = self.path("project");
        let store = MemoryStore {
            disk: &RealDisk::new(),
            home: self.dir.path(),
            project: Some(&project),
            within: None,
            variable: &|_| None,
        };
        MemorySystem::named(system).unwrap().read(&store)
    }
}

fn texts(found: &FoundMemories) -> Vec<&str> {
    found.entries.iter().map(|entry| entry.text.as_str()).collect()
}

fn reasons(found: &FoundMemories) -> Vec<&str> {
    found.left_out.iter().map(|left| left.why).collect()
}

#[test]
fn marks_line_ends_and_a_missing_last_line_end_change_nothing() {
    let place = Place::new(&[(".claude/CLAUDE.md", b"\xef\xbb\xbf# Me\r\n\r\n- one\r\n- two")]);
    let found = place.read("claude_code");
    assert_eq!(texts(&found), ["one", "two"]);
    assert_eq!(found.entries[1].line, 4);
}

/// Each line was once looked for in all of the text: half an hour for a file of 5 MB.
#[test]
fn a_file_of_many_lines_and_a_patch_to_it_are_read_line_by_line() {
    let lines: String = (0..60_000).map(|n| format!("- harbour {n} has a tide gauge\n")).collect();
    let place = Place::new(&[
        (".gemini/GEMINI.md", lines.as_bytes()),
        (".gemini/tmp/p/memory/.inbox/global/extraction.patch", b""),
    ]);
    let there = place.path(".gemini/GEMINI.md");
    let added: String = lines.lines().map(|line| format!("+{line}\n")).collect();
    let patch = format!("--- /dev/null\n+++ {}\n{added}+- one more\n", there.display());
    fs::write(place.path(".gemini/tmp/p/memory/.inbox/global/extraction.patch"), patch).unwrap();
    let found = place.read("gemini_cli");
    assert_eq!(found.entries.len(), 60_001);
    assert_eq!(found.entries.last().unwrap().text, "one more");
}

#[test]
fn imports_in_a_circle_end_and_five_hops_are_too_many() {
    let place = Place::new(&[
        (".claude/CLAUDE.md", b"- zero\n\n@a/one.md"),
        (".claude/a/one.md", b"- one\n\n@../b.md"),
        (".claude/b.md", b"- two\n\n@CLAUDE.md\n\n@c.md"),
        (".claude/c.md", b"- three\n\n@d.md\n\n@missing.md"),
        (".claude/d.md", b"- four\n\n@e.md"),
        (".claude/e.md", b"- five"),
    ]);
    let found = place.read("claude_code");
    assert_eq!(texts(&found), ["zero", "one", "two", "three", "four"]);
    assert!(found.left_out.is_empty(), "{:?}", found.left_out);
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_goes_on() {
    let large = vec![b'x'; (5 << 20) + 1];
    let place = Place::new(&[
        (".claude/CLAUDE.md", b"\xff\xfe\x00"),
        (".claude/projects/-p/memory/a.md", &large),
        (".claude/projects/-p/memory/b.md", b"---\nname: b\n---\n\nsaid"),
    ]);
    let found = place.read("claude_code");
    assert_eq!(texts(&found), ["said"]);
    assert_eq!(reasons(&found), ["it is not UTF-8 text", "it is larger than 5 MB"]);
    assert_eq!(found.entries[0].date, None, "no date is invented");
}

#[test]
fn a_link_out_of_the_project_is_named_and_not_followed() {
    let place =
        Place::new(&[("elsewhere.md", b"- from elsewhere"), ("project/.claude/rules/own.md", b"- own")]);
    std::os::unix::fs::symlink(place.path("elsewhere.md"), place.path("project/.claude/rules/link.md"))
        .unwrap();
    std::os::unix::fs::symlink(place.path("project"), place.path("project/.claude/rules/circle")).unwrap();
    let found = place.read("claude_code");
    assert_eq!(texts(&found), ["own"]);
    assert_eq!(reasons(&found), ["it is a link to somewhere else"]);
}

/// A repository refers to files of others: by a link in its root, and by a folder that is a link.
#[test]
fn a_file_or_folder_of_a_project_that_leads_out_of_it_is_not_read() {
    for (system, link, to) in [
        ("gemini_cli", "project/GEMINI.md", "private/note.md"),
        ("claude_code", "project/CLAUDE.md", "private/note.md"),
        ("claude_code", "project/.claude/rules", "private"),
        ("cursor", "project/.windsurfrules", "private/note.md"),
        ("cursor", "project/.github/copilot-instructions.md", "private/note.md"),
        ("cursor", "project/.cursor/rules", "private"),
        ("codex", "project/AGENTS.md", "private/note.md"),
        ("qwen_code", "project/QWEN.md", "private/note.md"),
        ("undefined", "project/data", "private"),
    ] {
        let place = Place::new(&[
            ("private/note.md", b"- the code is 0000"),
            ("private/note.mdc", b"- the code is 0000"),
            ("private/memory.json", b"[{\"fact\": \"the code is 0000\"}]"),
            ("private/cognitive/chromadb/chroma.sqlite3", b"the code is 0000"),
        ]);
        let link = place.path(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(place.path(to), &link).unwrap();
        let found = place.read(system);
        assert_eq!(texts(&found), [""; 0], "{system}: {}", link.display());
        assert!(
            reasons(&found).contains(&"it is a link to somewhere else"),
            "{system}: {:?}",
            reasons(&found)
        );
    }
}

#[test]
fn a_broken_line_of_a_graph_costs_that_line() {
    let graph = b"{\"type\":\"entity\",\"name\":\"a\",\"entityType\":\"x\",\"observations\":[\"one\"]}\n{\"type\":\"ent";
    let settings =
        |path: &Path| format!("{{\"mcpServers\":{{\"m\":{{\"env\":{{\"MEMORY_FILE_PATH\":{path:?}}}}}}}}}");
    let place = Place::new(&[("graph.jsonl", graph)]);
    fs::write(place.path(".claude.json"), settings(&place.path("graph.jsonl"))).unwrap();
    let found = place.read("mcp-server-memory");
    assert_eq!(texts(&found), ["one"]);
    assert_eq!((reasons(&found), found.left_out[0].line), (vec!["the line is no JSON"], 2));
}

/// The attack: settings in a directory that somebody sent name a file of the person's.
#[test]
fn a_directory_that_is_named_reads_nothing_outside_of_it() {
    let graph = b"{\"type\":\"entity\",\"name\":\"a\",\"entityType\":\"x\",\"observations\":[\"mine\"]}\n";
    let place = Place::new(&[("graph.jsonl", graph), ("sent/memory.jsonl", graph)]);
    let outside = place.path("graph.jsonl");
    let settings = format!("{{\"mcpServers\":{{\"m\":{{\"env\":{{\"MEMORY_FILE_PATH\":{outside:?}}}}}}}}}");
    let sent = place.path("sent");
    fs::write(sent.join(".claude.json"), settings).unwrap();
    let read = |within: Option<&Path>| {
        let disk = RealDisk::new();
        let store = MemoryStore { disk: &disk, home: &sent, project: None, within, variable: &|_| None };
        MemorySystem::named("mcp-server-memory").unwrap().read(&store)
    };
    assert_eq!(read(None).entries.len(), 2);
    let found = read(Some(&sent));
    assert_eq!(found.entries.len(), 1);
    assert_eq!(reasons(&found), ["it lies outside of the directory that was named"]);
}

#[test]
fn whose_project_it_was_is_said_by_what_lies_beside_it() {
    let transcript = b"{\"type\":\"x\"}\n{\"cwd\":\"/home/mei/src/a_b\"}\n{\"cwd\":\"/torn";
    let memory = b"---\nname: m\ntype: project\n---\n\nsaid\n";
    let place = Place::new(&[
        (".claude/projects/-home-mei-src-a-b/1.jsonl", transcript),
        (".claude/projects/-home-mei-src-a-b/memory/m.md", memory),
        (".claude/projects/-other/memory/m.md", memory),
    ]);
    let found = place.read("claude_code");
    let projects: Vec<_> = found.entries.iter().map(|entry| entry.project.clone()).collect();
    assert_eq!(projects, [Some(PathBuf::from("/home/mei/src/a_b")), None]);
}

#[test]
fn a_rule_for_some_files_says_for_which() {
    let place = Place::new(&[
        (
            "project/.cursor/rules/a.mdc",
            b"---\nglobs: **/*.rs,*.toml\nalwaysApply: false\n---\n- no unwrap\n",
        ),
        ("project/.github/instructions/b.instructions.md", b"---\napplyTo: \"**\"\n---\n- for all\n"),
        ("project/src/AGENTS.md", b"- only here\n"),
        ("project/node_modules/x/AGENTS.md", b"- of others\n"),
    ]);
    assert_eq!(texts(&place.read("cursor")), ["for `**/*.rs`, `*.toml`: no unwrap", "for all"]);
    assert_eq!(texts(&place.read("codex")), ["for `src/**`: only here"]);
}

/// Free Markdown: what no entry is made of is named, whichever form it has. `fixtures/adopt/every_line.json` has the forms.
#[test]
fn every_line_is_in_an_entry_or_named_with_the_reason() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/adopt/every_line.json");
    let parts: Vec<serde_json::Value> = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let said: Vec<&str> = parts.iter().map(|part| part["text"].as_str().unwrap()).collect();
    let text = said.join("\n\n");
    let lines: Vec<&str> = text.lines().collect();
    let mut bad = Vec::new();
    for (system, path) in [
        ("claude_code", ".claude/CLAUDE.md"),
        ("claude_code", ".claude/rules/a.md"),
        ("claude_code", ".claude/projects/-p/memory/MEMORY.md"),
        ("codex", ".codex/AGENTS.md"),
        ("codex", "project/src/AGENTS.md"),
        ("gemini_cli", ".gemini/GEMINI.md"),
        ("gemini_cli", ".gemini/tmp/p/memory/a.md"),
        ("qwen_code", ".qwen/QWEN.md"),
        ("cursor", "project/.cursor/rules/a.mdc"),
        ("cursor", "project/.github/copilot-instructions.md"),
        ("openclaw", ".openclaw/workspace/MEMORY.md"),
        ("openclaw", ".openclaw/workspace/memory/2026-11-20.md"),
        ("agentkit", ".agentkit/memories/USER.md"),
        ("letta_code", ".letta/agents/a/memory/b.md"),
        ("cline_memory_bank", "project/.clinerules/a.md"),
    ] {
        let found = Place::new(&[(path, text.as_bytes())]).read(system);
        for part in &parts {
            let (said, is) = (part["text"].as_str().unwrap(), part["is"].as_str().unwrap());
            for word in said.split(|c: char| !c.is_alphanumeric()).filter(|word| word.starts_with('w')) {
                if !word[1..].starts_with(|c: char| c.is_ascii_digit()) {
                    continue;
                }
                let entries = found.entries.iter().filter(|entry| entry.text.contains(word)).count();
                let named: Vec<_> = found.left_out.iter().filter(|left| left.what.contains(word)).collect();
                let fits = match is {
                    "structure" => entries == 0 && named.is_empty(),
                    "entry" => entries == 1 && named.is_empty(),
                    why => entries == 0 && named.len() == 1 && named[0].why == why,
                };
                let at_its_line = named.iter().all(|left| {
                    let upto = lines.iter().position(|line| line.contains(word)).unwrap() + 1;
                    (1..=upto).contains(&left.line)
                });
                if !fits || !at_its_line {
                    bad.push(format!("{system} {path}: {word}: {entries} entries, {named:?}"));
                }
            }
        }
        let is_tag = |text: &str| ["<br", "<d", "<summary", "</"].iter().any(|tag| text.starts_with(tag));
        let tags = found.entries.iter().filter(|entry| is_tag(&entry.text)).count();
        assert_eq!(tags, 0, "{system}: a tag is no fact");
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}
