//! What was said in a session, from the transcripts that agents keep: only a person's and the agent's own words, no tool's, no
//! instructions, nothing that is no line of JSON (the last line of a running session is torn).

use serde_json::Value;

/// An agent that keeps transcripts which can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TranscriptOf {
    /// `~/.claude/projects/<directory>/<session>.jsonl`
    ClaudeCode,
    /// `~/.codex/sessions/YYYY/MM/DD/rollout-….jsonl`
    Codex,
    /// `~/.gemini/tmp/<project>/chats/session-….jsonl`
    GeminiCli,
}

/// Where a session was: as its transcript says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionPlace<'a> {
    /// The directory it was in.
    Directory(&'a str),
    /// The SHA-256 of its project's directory.
    ProjectHash(&'a str),
}

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The line of the transcript, from 1.
    pub line: usize,
    /// The words.
    pub text: String,
    /// The day, `YYYY-MM-DD`.
    pub day: Option<String>,
}

/// What was said in sessions at a place that is asked for. A line that says no place is where those before it were; before any
/// place is named nothing is taken.
#[must_use]
pub fn said(agent: TranscriptOf, text: &str, is_here: &dyn Fn(SessionPlace<'_>) -> bool) -> Vec<Said> {
    let mut here = false;
    let mut said: Vec<Said> = Vec::new();
    let mut ids: Vec<Option<String>> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let Ok(value) = serde_json::from_str::<Value>(line) else { continue };
        if let Some(place) = place(agent, &value) {
            here = is_here(place);
        }
        let Some(words) = words(agent, &value).filter(|_| here) else { continue };
        let day = value["timestamp"].as_str().and_then(|at| at.get(..10)).map(str::to_owned);
        let one = Said { line: at + 1, text: words, day };
        // Gemini writes a message again when more of it is known: the last counts.
        let id =
            (agent == TranscriptOf::GeminiCli).then(|| value["id"].as_str().map(str::to_owned)).flatten();
        match ids.iter().position(|of| of.is_some() && *of == id) {
            Some(before) => said[before] = one,
            None => {
                said.push(one);
                ids.push(id);
            }
        }
    }
    said
}

fn place(agent: TranscriptOf, line: &Value) -> Option<SessionPlace<'_>> {
    match agent {
        TranscriptOf::ClaudeCode => line["cwd"].as_str().map(SessionPlace::Directory),
        TranscriptOf::Codex => line["payload"]["cwd"].as_str().map(SessionPlace::Directory),
        TranscriptOf::GeminiCli => line["projectHash"].as_str().map(SessionPlace::ProjectHash),
    }
}

/// The words of a line of talk.
fn words(agent: TranscriptOf, line: &Value) -> Option<String> {
    let content = match agent {
        TranscriptOf::ClaudeCode => {
            let is_talk = matches!(line["type"].as_str(), Some("user" | "assistant"))
                && line["isMeta"] != true
                && line["toolUseResult"].is_null();
            is_talk.then(|| &line["message"]["content"])?
        }
        TranscriptOf::Codex => {
            let message = &line["payload"];
            let is_message = line["type"] == "response_item" && message["type"] == "message";
            is_message.then_some(())?;
            match message["role"].as_str()? {
                "assistant" => {}
                "user" if is_by_person(message) => {}
                _ => return None,
            }
            &message["content"]
        }
        TranscriptOf::GeminiCli => {
            matches!(line["type"].as_str(), Some("user" | "gemini")).then(|| &line["content"])?
        }
    };
    let words = match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter(|part| part["functionResponse"].is_null());
            let texts = texts.filter(|part| {
                matches!(part["type"].as_str(), None | Some("text" | "input_text" | "output_text"))
            });
            texts.filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => return None,
    };
    // What begins with a tag or a heading of instructions was put there by a program.
    let words = words.trim();
    let by_program = words.starts_with('<') || words.starts_with("# AGENTS.md");
    (!words.is_empty() && !by_program).then(|| words.to_owned())
}

/// Newer versions of Codex say which of the user's messages are a person's; in older ones all are.
fn is_by_person(message: &Value) -> bool {
    let kinds = &message["internal_chat_message_metadata_passthrough"]["content_item_kinds"];
    kinds.as_array().is_none_or(|kinds| kinds.iter().all(|kind| kind == "user.text"))
}
