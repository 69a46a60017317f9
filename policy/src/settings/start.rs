//! What a session is shown at its start, as the configuration says it.

use super::overlay::{CONTEXT_CHARS_MAX, Fields};
use crate::settings::Unasked;
use crate::start::{Start, StartPart};

/// Items at a prompt beyond which a number is a slip.
const UNASKED_MAX: u32 = 20;

/// The file's settings of a start over the defaults.
pub(super) fn start(fields: &mut Fields<'_>, default: Option<&Start>) -> Option<Start> {
    let words = fields.texts("start.order");
    let order = words.map(|words| words.iter().filter_map(|word| part(word)).collect());
    let order = order.or_else(|| fields.or("start.order", default.map(|d| d.order.clone())));
    let mut chars = |name: &str, default: Option<usize>| {
        let path = format!("start.{name}");
        let chars = fields.count(&path, CONTEXT_CHARS_MAX).and_then(|chars| usize::try_from(chars).ok());
        chars.or_else(|| fields.or(&path, default))
    };
    let index_chars = chars("index_chars", default.map(|d| d.index_chars));
    let facts_chars = chars("facts_chars", default.map(|d| d.facts_chars));
    let session_chars = chars("session_chars", default.map(|d| d.session_chars));
    let log_chars = chars("log_chars", default.map(|d| d.log_chars));
    Some(Start {
        order: order?,
        index_chars: index_chars?,
        facts_chars: facts_chars?,
        session_chars: session_chars?,
        log_chars: log_chars?,
    })
}

/// What is told unasked at a prompt.
pub(super) fn unasked(fields: &mut Fields<'_>, default: Option<Unasked>) -> Option<Unasked> {
    let mut count = |path: &str, most: u32, default: Option<usize>| {
        let count = fields.count(path, most).and_then(|count| usize::try_from(count).ok());
        count.or_else(|| fields.or(path, default))
    };
    let auto = count("recall.auto", UNASKED_MAX, default.map(|d| d.auto));
    let auto_chars = count("recall.auto_chars", CONTEXT_CHARS_MAX, default.map(|d| d.auto_chars));
    Some(Unasked { auto: auto?, auto_chars: auto_chars? })
}

fn part(word: &str) -> Option<StartPart> {
    StartPart::WORDS.iter().find(|(name, _)| *name == word).map(|(_, part)| *part)
}
