//! What a session is shown at its start, from texts: the documents, the generated indexes, the facts of the last days, what the
//! last session left behind, the last daily logs. In an order and in shares that are settings; each block that does not hold
//! everything says what shows the rest.

use crate::context::Block;
use crate::facts;
use crate::scope;
use crate::time_words::Moment;
use serde::{Deserialize, Serialize};

/// The tags around what is no document.
pub const INDEX_TAG: &str = "index";
/// See [`INDEX_TAG`].
pub const FACTS_TAG: &str = "recent-facts";
/// See [`INDEX_TAG`].
pub const SESSION_TAG: &str = "last-session";

/// The settings of a session's start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// What is shown, in this order; what is not in it is not shown.
    pub order: Vec<StartPart>,
    /// Most characters of each generated index.
    pub index_chars: usize,
    /// Most characters of the facts.
    pub facts_chars: usize,
    /// Most characters of what the last session left behind.
    pub session_chars: usize,
    /// Most characters of each daily log.
    pub log_chars: usize,
}

/// A part of what is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StartPart {
    /// Those of `session_bootstrap`.
    Documents,
    /// The generated indexes.
    Index,
    /// The facts of the last days.
    Facts,
    /// What the last session left behind.
    Session,
    /// The last daily logs.
    Logs,
}

impl StartPart {
    /// Each by its word, in the order of the default.
    pub const WORDS: [(&'static str, StartPart); 5] = [
        ("documents", StartPart::Documents),
        ("index", StartPart::Index),
        ("facts", StartPart::Facts),
        ("session", StartPart::Session),
        ("logs", StartPart::Logs),
    ];
}

/// The texts that a start is made of, as they stand on disk.
#[derive(Debug, Clone, Default)]
pub struct StartTexts {
    /// Documents in their order, each a block that is whole but for its budget.
    pub documents: Vec<Block>,
    /// Generated indexes: the name of the knowledge base, and the block.
    pub indexes: Vec<(String, String)>,
    /// The documents of facts that may have some of the last days.
    pub facts: Vec<String>,
    /// The days of the journal of sessions, the newest first.
    pub sessions: Vec<(String, String)>,
    /// Daily logs by their day, the newest first.
    pub logs: Vec<(String, String)>,
}

/// What a surface says of where more is to be seen.
#[derive(Clone, Copy)]
pub struct StartWords<'a> {
    /// The tag around daily logs.
    pub logs_tag: &'a str,
    /// The command that shows a knowledge base, or a member of one.
    pub read: &'a dyn Fn(&str) -> String,
    /// The command that lists all facts.
    pub facts: &'a str,
    /// The command that shows all daily logs.
    pub logs: &'a str,
}

/// The blocks of a start, in their order. `here` is the name of the session's project.
#[must_use]
pub fn blocks(
    texts: &StartTexts,
    start: &Start,
    here: Option<&str>,
    now: &Moment,
    words: StartWords<'_>,
) -> Vec<Block> {
    let mut blocks = Vec::new();
    for part in &start.order {
        match part {
            StartPart::Documents => blocks.extend(texts.documents.iter().cloned()),
            StartPart::Index => blocks.extend(texts.indexes.iter().map(|(kb, text)| Block {
                more: (words.read)(kb),
                ..block(INDEX_TAG, text, start.index_chars)
            })),
            StartPart::Facts => blocks.extend(facts_block(texts, start, here, now, words)),
            StartPart::Session => {
                blocks.extend(last_session(&texts.sessions, here).map(|(day, text)| Block {
                    more: (words.read)(&format!("sessions:{day}")),
                    ..block(SESSION_TAG, &text, start.session_chars)
                }))
            }
            StartPart::Logs => blocks.extend(logs_block(texts, start, here, words)),
        }
    }
    blocks
}

fn block(tag: &str, text: &str, chars_max: usize) -> Block {
    Block {
        tag: tag.to_owned(),
        text: text.trim().to_owned(),
        chars_max: Some(chars_max),
        ..Block::default()
    }
}

fn facts_block(
    texts: &StartTexts,
    start: &Start,
    here: Option<&str>,
    now: &Moment,
    words: StartWords<'_>,
) -> Option<Block> {
    let documents: Vec<&str> = texts.facts.iter().map(String::as_str).collect();
    let chosen = facts::chosen(&documents, here, now);
    let more = if chosen.text.is_empty() { "" } else { "more " };
    let note = match chosen.left_out {
        0 => String::new(),
        1 => format!("1 {more}fact is not shown: {}", words.facts),
        count => format!("{count} {more}facts are not shown: {}", words.facts),
    };
    let block =
        Block { more: words.facts.to_owned(), note, ..block(FACTS_TAG, &chosen.text, start.facts_chars) };
    (!block.text.is_empty() || !block.note.is_empty()).then_some(block)
}

/// The newest session of this project, else the newest that is of none, with its day.
fn last_session(days: &[(String, String)], here: Option<&str>) -> Option<(String, String)> {
    let mut of_none = None;
    for (day, text) in days {
        let Ok(sections) = markdown_merge::sections(text) else { continue };
        for section in sections.iter().rev().filter(|section| section.level > 1 && !section.body.is_empty()) {
            let body = text.get(section.body.clone()).unwrap_or_default();
            let project = scope::project_of_text(body);
            if !scope::is_shown(project, here) {
                continue;
            }
            let found = || {
                let own = text.get(section.own.clone()).unwrap_or_default();
                Some((day.clone(), format!("{day}:\n{}", scope::shown(own, here).trim())))
            };
            match project {
                Some(_) => return found(),
                None if here.is_none() => return found(),
                None => of_none = of_none.or_else(found),
            }
        }
    }
    of_none
}

/// The daily logs as one block, without what other projects said.
fn logs_block(texts: &StartTexts, start: &Start, here: Option<&str>, words: StartWords<'_>) -> Option<Block> {
    let shown = texts.logs.iter().map(|(day, text)| (day, scope::shown(text, here)));
    let parts: Vec<String> = shown
        .filter(|(_, text)| !text.trim().is_empty())
        .map(|(day, text)| format!("{day}:\n{}", text.trim()))
        .collect();
    let chars_max = start.log_chars.saturating_mul(parts.len());
    let block =
        Block { more: words.logs.to_owned(), ..block(words.logs_tag, &parts.join("\n\n"), chars_max) };
    (!parts.is_empty()).then_some(block)
}
