//! Settings as they were read once, with the text they were read from: for whoever has no time to read YAML. They count
//! only while the configuration says exactly that text, so nothing else has to keep them up to date.

use super::Settings;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cached<'a> {
    /// What read it: another build may read the same text in another way.
    build: u64,
    #[serde(borrow)]
    text: Cow<'a, str>,
    settings: Cow<'a, Settings>,
}

impl Settings {
    /// These settings, for `from_cache`, and the text they were read from by this build. `None` when they cannot be
    /// written down.
    #[must_use]
    pub fn to_cache(&self, text: &str, build: u64) -> Option<Vec<u8>> {
        let kept = Cached { build, text: Cow::Borrowed(text), settings: Cow::Borrowed(self) };
        serde_json::to_vec(&kept).ok()
    }

    /// Settings that were kept, if this build read them from exactly this text. Bytes that a power cut tore are none.
    #[must_use]
    pub fn from_cache(bytes: &[u8], text: &str, build: u64) -> Option<Settings> {
        let kept: Cached<'_> = serde_json::from_slice(bytes).ok()?;
        (kept.build == build && kept.text == text).then(|| kept.settings.into_owned())
    }
}
