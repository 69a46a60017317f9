//! What a session is told beside a prompt that nobody asked for: items that say enough of what it is about, each once.

use super::Here;
use crate::recall::unasked::{line_of, name_of};
use agents::HookEvent;
use policy::context::{Frame, harmless};
use policy::settings::Settings;
use queue_layout::{Noted, Session, What};

/// An item that is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ToldItem {
    /// What it goes by in the session's log.
    pub(super) name: String,
    /// What it says, in a line.
    pub(super) text: String,
    /// Where it stands: knowledge base and id, else the line.
    pub(super) place: String,
}

/// What the session is told beside this prompt; nothing where nothing is worth it, or anything is in the way.
pub(super) fn told(
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
    // What the session was shown at its start is not said again.
    let start = session.context().ok().flatten().unwrap_or_default();
    let mut left = settings.recall.auto_chars.saturating_sub(super::words::KNOWN_CHARS);
    let mut told: Vec<ToldItem> = Vec::new();
    for hit in hits {
        let (name, text) = (name_of(&hit), line_of(&hit).to_owned());
        let place = match (&hit.id, hit.line) {
            (Some(id), _) => format!("{} ^{id}", hit.kb),
            (None, Some(line)) => format!("{}:{line}", hit.path),
            (None, None) => hit.kb.clone(),
        };
        if told.len() == most || before.contains(&name) || start.contains(&text) {
            continue;
        }
        // What somebody remembered may try to speak as the agent's own system.
        let item = ToldItem { name, text: harmless(&text, frame), place };
        let chars = super::words::known_line(&item).chars().count() + 1;
        if chars <= left {
            left -= chars;
            told.push(item);
        }
    }
    told
}
