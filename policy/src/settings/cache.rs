//! Settings as they were read once, with the text they were read from, for hooks, which have no time to parse YAML. They
//! are used only while the configuration has exactly that text, so nothing else has to keep them up to date.

use super::Settings;
use crate::knowledge_base::KnowledgeBase;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// What stands before the text, on a line of its own. The text follows as it is: a hook compares it, and unescapes nothing.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cached<'a> {
    /// The build that read it: another build may read the same text in another way.
    build: u64,
    /// How many bytes the text has.
    text_len: usize,
    settings: Cow<'a, Settings>,
}

impl Settings {
    /// These settings and the text that this build read them from, for `from_cache`. `None` when they cannot be serialised.
    /// What a knowledge base has by default is left out: more than half of what a hook would read.
    #[must_use]
    pub fn to_cache(&self, text: &str, build: u64) -> Option<Vec<u8>> {
        let kept = Cached { build, text_len: text.len(), settings: Cow::Borrowed(self) };
        let mut kept = serde_json::to_value(&kept).ok()?;
        let usual = serde_json::to_value(KnowledgeBase::default()).ok()?;
        for kb in kept.pointer_mut("/settings/knowledge_bases")?.as_array_mut()? {
            kb.as_object_mut()?.retain(|field, value| usual.get(field) != Some(value));
        }
        let mut bytes = serde_json::to_vec(&kept).ok()?;
        bytes.push(b'\n');
        bytes.extend_from_slice(text.as_bytes());
        Some(bytes)
    }

    /// The kept settings, whatever the configuration says now: for what must not stop because it cannot be read. `None` for bytes that are
    /// no such settings.
    #[must_use]
    pub fn last_in_cache(bytes: &[u8]) -> Option<Settings> {
        let line = bytes.split(|byte| *byte == b'\n').next()?;
        serde_json::from_slice::<Cached<'_>>(line).ok().map(|kept| kept.settings.into_owned())
    }

    /// The text that settings were read from, whichever build kept them.
    #[must_use]
    pub fn text_in_cache(bytes: &[u8]) -> Option<&str> {
        std::str::from_utf8(bytes).ok()?.split_once('\n').map(|(_, text)| text)
    }

    /// The kept settings, if this build read them from exactly this text. `None` for bytes that a power cut tore.
    #[must_use]
    pub fn from_cache(bytes: &[u8], text: &str, build: u64) -> Option<Settings> {
        let kept = bytes.strip_suffix(text.as_bytes())?.strip_suffix(b"\n")?;
        let kept: Cached<'_> = serde_json::from_slice(kept).ok()?;
        (kept.build == build && kept.text_len == text.len()).then(|| kept.settings.into_owned())
    }
}
