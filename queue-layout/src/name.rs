//! File names of jobs: what a scan knows without opening a file. `[0-9a-z~.-]` only.

use crate::id::JobId;
use knowledge::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;
use std::path::Path;

/// 8 hex digits of a document's key, in the names of its jobs: a hint for grouping, the lock decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DocKey(u32);

impl DocKey {
    /// Not known yet: a dropped file nobody has read.
    pub const UNKNOWN: DocKey = DocKey(0);

    /// The key of a document by its canonical path.
    #[must_use]
    pub fn of(canonical: &Path) -> Self {
        let digest = Sha256::digest(canonical.as_os_str().as_encoded_bytes());
        let head = digest.iter().take(4).fold(0u32, |head, byte| (head << 8) | u32::from(*byte));
        // 0 is taken: one document in four thousand million shares its hint with another one instead.
        DocKey(head.max(1))
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        let hex = text.len() == 8 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        hex.then(|| u32::from_str_radix(text, 16).ok().map(DocKey)).flatten()
    }
}

impl fmt::Display for DocKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

impl TryFrom<String> for DocKey {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        DocKey::parse(&text).ok_or_else(|| format!("`{text}` is not a document key (8 hex digits)"))
    }
}

impl From<DocKey> for String {
    fn from(key: DocKey) -> String {
        key.to_string()
    }
}

/// The name of a job's file in `pending/`, `deferred/` and `processing/<worker>/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JobName {
    pub id: JobId,
    pub doc: DocKey,
    pub rev: u32,
    /// When it may be tried again; leads the name in `deferred/`.
    pub due: Option<Timestamp>,
    pub form: Form,
}

/// What the bytes of a claimed or waiting file are; said by the name's ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// A job, in JSON, written by us.
    Job,
    /// A declaration somebody moved in, not yet read: `.drop`.
    Drop,
    /// A job in YAML on its way from `staging/`, held by an operator: `.yaml`.
    Staged,
}

impl Form {
    fn ending(self) -> &'static str {
        match self {
            Form::Job => "json",
            Form::Drop => "drop",
            Form::Staged => "yaml",
        }
    }

    fn of(ending: &str) -> Option<Self> {
        [Form::Job, Form::Drop, Form::Staged].into_iter().find(|form| form.ending() == ending)
    }
}

impl JobName {
    /// Reads a name; `None` for every other file name.
    pub fn parse(name: &str) -> Option<Self> {
        let (stem, ending) = name.rsplit_once('.')?;
        let form = Form::of(ending)?;
        let (due, rest) = match stem.split_once('~')? {
            (head, rest) if head.len() == DUE_DIGITS && head.bytes().all(|b| b.is_ascii_digit()) => {
                (Some(Timestamp(head.parse().ok()?)), rest)
            }
            _ => (None, stem),
        };
        let mut parts = rest.split('~');
        let id = parts.next()?.parse().ok()?;
        let doc = DocKey::parse(parts.next()?)?;
        let rev = parts.next()?;
        let canonical = rev == "0" || !rev.starts_with('0');
        let rev = rev.parse().ok().filter(|_| canonical && rev.bytes().all(|b| b.is_ascii_digit()))?;
        parts.next().is_none().then_some(JobName { id, doc, rev, due, form })
    }

    /// The same job one move later, at no particular time.
    pub fn moved(&self) -> JobName {
        JobName { rev: self.rev.saturating_add(1), due: None, ..self.clone() }
    }
}

pub(crate) const DUE_DIGITS: usize = 15;

impl fmt::Display for JobName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(due) = self.due {
            write!(f, "{:0width$}~", due.millis(), width = DUE_DIGITS)?;
        }
        write!(f, "{}~{}~{}.{}", self.id, self.doc, self.rev, self.form.ending())
    }
}

/// Whether a file name in a state directory is a file being written or hidden: never looked at.
pub(crate) fn is_hidden(name: &str) -> bool {
    name.starts_with('.') || name.ends_with('~')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Stamp;
    use proptest::prelude::*;

    #[test]
    fn what_is_not_a_name() {
        for name in [
            "",
            "a.json",
            "note.yaml",
            "~~.json",
            "018f0000-0000-7000-8000-000000000000~0000000a~0",
            "018f0000-0000-7000-8000-000000000000~0000000A~0.json",
            "018F0000-0000-7000-8000-000000000000~0000000a~0.json",
            "018f0000-0000-7000-8000-000000000000~0000000a~01.json",
            "018f0000-0000-7000-8000-000000000000~0000000a~-1.json",
            "018f0000-0000-7000-8000-000000000000~0000000a~0~1.json",
            "018f0000-0000-4000-8000-000000000000~0000000a~0.json",
        ] {
            assert_eq!(JobName::parse(name), None, "{name}");
        }
    }

    proptest! {
        #[test]
        fn a_name_reads_back(millis in 0u64..1 << 48, random: u64, doc: u32, rev: u32, due in proptest::option::of(0u64..1 << 49)) {
            let id = JobId::new(Stamp { millis, count: 3 }, random);
            for form in [Form::Job, Form::Drop, Form::Staged] {
                let name = JobName { id, doc: DocKey(doc), rev, due: due.map(Timestamp), form };
                prop_assert_eq!(JobName::parse(&name.to_string()), Some(name));
            }
        }

        #[test]
        fn any_text_is_read_without_panic(text in ".*") {
            let _ = JobName::parse(&text);
        }
    }
}
