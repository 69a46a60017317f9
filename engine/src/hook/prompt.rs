//! Items that a session is told beside a prompt without asking: those that match the prompt well enough, each once a session.

use super::Here;
use crate::recall::unasked::{line_of, line_with_doubt, name_of};
use agents::HookEvent;
use policy::context::{Frame, harmless};
use policy::settings::Settings;
use queue_layout::{Noted, Session, What};

/// An item that the session is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ToldItem {
    /// By what it is recognised in the session's log.
    pub(super) name: String,
    /// Its text, in one line.
    pub(super) text: String,
    /// Where it is: knowledge base and id; without an id, path and line.
    pub(super) place: String,
}

/// The items for this prompt; none where none matches well enough, or where the memory cannot be asked now.
pub(super) fn matching_items(
    here: Here<'_>,
    settings: &Settings,
    event: &HookEvent,
    log: &[Noted],
    session: &Session,
    frame: Frame,
) -> Vec<ToldItem> {
    let most = settings.recall.auto;
    let Some(prompt) = event.prompt.as_deref().filter(|_| most > 0) else {
        return Vec::new();
    };
    let of = |what: What| {
        log.iter().filter(move |noted| noted.what == what).filter_map(|noted| noted.detail.clone())
    };
    let shown: Vec<String> = of(What::Shown).collect();
    let before: Vec<String> = of(What::Recalled).collect();
    let hits = here.home.recall_unasked(prompt, here.cwd, here.project().as_deref(), settings, &shown);
    if hits.is_empty() {
        return Vec::new();
    }
    // An item whose text is in the session's context is left out.
    let start = session.context().ok().flatten().unwrap_or_default();
    let mut left = settings.recall.auto_chars.saturating_sub(super::words::KNOWN_CHARS);
    let mut told: Vec<ToldItem> = Vec::new();
    for hit in hits {
        let (name, text) = (name_of(&hit), line_with_doubt(&hit));
        let place = match (&hit.id, hit.line) {
            (Some(id), _) => format!("{} ^{id}", hit.kb),
            (None, Some(line)) => format!("{}:{line}", hit.path),
            (None, None) => hit.kb.clone(),
        };
        if told.len() == most || before.contains(&name) || start.contains(line_of(&hit)) {
            continue;
        }
        // The text of an item may imitate the tags with which the agent's own program speaks to its model.
        let item = ToldItem { name, text: harmless(&text, frame), place: harmless(&place, frame) };
        let chars = super::words::known_line(&item).chars().count() + 1;
        if chars <= left {
            left -= chars;
            told.push(item);
        }
    }
    told
}
