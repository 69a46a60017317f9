//! What is read of transcripts: talk of the place that is asked for, and nothing else of them.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use agents::{Said, SessionPlace, TranscriptOf, said};
use std::fs;
use std::path::{Path, PathBuf};

/// The one sample below this folder.
fn sample(folder: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/adopt/transcripts/home").join(folder);
    let mut left = vec![root];
    let mut found: Vec<PathBuf> = Vec::new();
    while let Some(dir) = left.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { left.push(path) } else { found.push(path) }
        }
    }
    assert_eq!(found.len(), 1);
    fs::read_to_string(&found[0]).unwrap()
}

const HASH: &str = "66fa9b73f26c64ede6cc21be3a8a5106441181429b610bd5b282b3cb5559284d";

fn at_tidepool(place: SessionPlace<'_>) -> bool {
    matches!(place, SessionPlace::Directory("/home/mei/src/tidepool") | SessionPlace::ProjectHash(HASH))
}

fn texts(of: &[Said]) -> Vec<&str> {
    of.iter().map(|said| said.text.as_str()).collect()
}

#[test]
fn talk_is_read_and_nothing_else() {
    for (agent, folder, has) in [
        (TranscriptOf::ClaudeCode, "dot_claude", "记住：1) 回答用中文"),
        (TranscriptOf::Codex, "dot_codex", "副本端口是多少"),
        (TranscriptOf::Codex, "dot_codex", "只读副本端口是 5433"),
        (TranscriptOf::GeminiCli, "dot_gemini", "记住了：端口 5433"),
    ] {
        let text = sample(folder);
        let here = said(agent, &text, &at_tidepool);
        let all = texts(&here);
        assert!(all.iter().any(|text| text.contains(has)), "{has}: {all:?}");
        assert!(
            all.iter().all(|text| !text.contains("AGENTS.md instructions") && !text.contains("CSV")),
            "{all:?}"
        );
        for one in &here {
            assert!(text.lines().nth(one.line - 1).unwrap().starts_with('{'));
            assert_eq!(one.day.as_deref(), Some("2026-11-22"));
        }
        assert_eq!(said(agent, &text, &|_| false), [], "another project's talk is not read");
        let torn = &text[..text.floor_char_boundary(text.len() - 20)];
        assert!(said(agent, torn, &at_tidepool).len() <= here.len());
    }
}

#[test]
fn what_names_no_place_is_not_read() {
    let talk = r#"{"type":"user","message":{"content":"the code is blue"}}"#;
    assert_eq!(said(TranscriptOf::ClaudeCode, talk, &|_| true), []);
    let elsewhere = r#"{"type":"user","cwd":"/b","message":{"content":"the code is blue"}}
{"type":"user","cwd":"/a","message":{"content":"the code is red"}}
{"type":"user","cwd":"/a","message":{"content":[{"type":"tool_result","content":"secret"}]}}
{"type":"user","cwd":"/a","isMeta":true,"message":{"content":"caveat"}}
no json"#;
    let here = said(TranscriptOf::ClaudeCode, elsewhere, &|place| place == SessionPlace::Directory("/a"));
    assert_eq!(texts(&here), ["the code is red"]);
}
