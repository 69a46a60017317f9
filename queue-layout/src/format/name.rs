//! File names of jobs: what a scan knows without opening a file. `[0-9a-z~.-]` only.

use super::id::JobId;
use declaration::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;
use std::path::Path;

/// Most jobs in a file: a worker takes a bundle whole, and one that is split becomes so many files.
pub(crate) const JOBS_MAX: u32 = 250;

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
        // 0 means `UNKNOWN`. One document in four thousand million gets 1 instead, and shares its hint with another
        // document.
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

/// The name of a job's file in `pending/`, `deferred/` and `processing/<worker>/`, or of several jobs' one (a bundle).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct JobName {
    /// The job's; of a bundle the first one's.
    pub id: JobId,
    pub doc: DocKey,
    pub rev: u32,
    /// When it may be tried again; leads the name in `deferred/`.
    pub due: Option<Timestamp>,
    pub form: Form,
}

/// What the bytes of a claimed or waiting file are; said by the name's ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Form {
    /// A job, in JSON, written by us.
    Job,
    /// So many jobs of one document, one a line, with ids that follow from the first: `~<n>.jsonl`.
    Bundle(u32),
    /// A declaration somebody moved in, not yet read: `.drop`.
    Drop,
    /// A job in YAML on its way from `staging/`, held by an operator: `.yaml`.
    Staged,
}

impl Form {
    fn ending(self) -> &'static str {
        match self {
            Form::Job => "json",
            Form::Bundle(_) => "jsonl",
            Form::Drop => "drop",
            Form::Staged => "yaml",
        }
    }

    fn of(ending: &str) -> Option<Self> {
        [Form::Job, Form::Bundle(0), Form::Drop, Form::Staged]
            .into_iter()
            .find(|form| form.ending() == ending)
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
        let rev = number(parts.next()?)?;
        let form = match form {
            Form::Bundle(_) => {
                let jobs = number(parts.next()?)?;
                let sound = (2..=JOBS_MAX).contains(&jobs) && due.is_none() && doc != DocKey::UNKNOWN;
                sound.then_some(Form::Bundle(jobs))?
            }
            other => other,
        };
        parts.next().is_none().then_some(JobName { id, doc, rev, due, form })
    }

    /// The same file one move later, at no particular time.
    pub fn moved(&self) -> JobName {
        JobName { rev: self.rev.saturating_add(1), due: None, ..*self }
    }

    /// How many jobs are in it.
    pub fn jobs(&self) -> u32 {
        if let Form::Bundle(jobs) = self.form { jobs } else { 1 }
    }

    /// Their ids.
    pub fn ids(&self) -> impl Iterator<Item = JobId> + use<> {
        let first = self.id;
        (0..self.jobs()).map(move |n| first.nth(n))
    }

    /// Which of them a job is, from 0; `None` for a job that is not in it.
    pub fn place_of(&self, id: JobId) -> Option<u32> {
        id.after(self.id).filter(|n| *n < self.jobs())
    }

    /// The file of its own that a job of a bundle gets when the bundle is split.
    pub fn alone(&self, id: JobId) -> JobName {
        JobName { id, form: Form::Job, ..self.moved() }
    }
}

fn number(text: &str) -> Option<u32> {
    let canonical = text == "0" || !text.starts_with('0');
    text.parse().ok().filter(|_| canonical && text.bytes().all(|b| b.is_ascii_digit()))
}

pub(crate) const DUE_DIGITS: usize = 15;

impl fmt::Display for JobName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(due) = self.due {
            write!(f, "{:0width$}~", due.millis(), width = DUE_DIGITS)?;
        }
        write!(f, "{}~{}~{}", self.id, self.doc, self.rev)?;
        if let Form::Bundle(jobs) = self.form {
            write!(f, "~{jobs}")?;
        }
        write!(f, ".{}", self.form.ending())
    }
}

/// Whether a file name in a state directory is a file being written or hidden: never looked at.
pub(crate) fn is_hidden(name: &str) -> bool {
    name.starts_with('.') || name.ends_with('~')
}

/// Whether a file somebody moved into `pending/` is for us, by its ending.
pub(crate) fn is_declaration(name: &str) -> bool {
    [".json", ".yaml", ".yml"].iter().any(|ending| name.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::id::IdTime;
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
            "018f0000-0000-7000-8000-000000000000~0000000a~0~2.json",
            "018f0000-0000-7000-8000-000000000000~0000000a~0.jsonl",
            "018f0000-0000-7000-8000-000000000000~0000000a~0~1.jsonl",
            "018f0000-0000-7000-8000-000000000000~0000000a~0~02.jsonl",
            "018f0000-0000-7000-8000-000000000000~0000000a~0~2~2.jsonl",
            "018f0000-0000-7000-8000-000000000000~0000000a~0~4000000000.jsonl",
            "018f0000-0000-7000-8000-000000000000~00000000~0~2.jsonl",
            "000001790000000~018f0000-0000-7000-8000-000000000000~0000000a~0~2.jsonl",
        ] {
            assert_eq!(JobName::parse(name), None, "{name}");
        }
    }

    proptest! {
        #[test]
        fn a_name_reads_back(millis in 0u64..1 << 48, random: u64, doc: u32, rev: u32, due in proptest::option::of(0u64..1 << 49)) {
            let id = JobId::new(IdTime { millis, count: 3 }, random);
            for form in [Form::Job, Form::Drop, Form::Staged] {
                let name = JobName { id, doc: DocKey(doc), rev, due: due.map(Timestamp), form };
                prop_assert_eq!(JobName::parse(&name.to_string()), Some(name));
            }
            let jobs = 2 + rev % (JOBS_MAX - 1);
            let bundle = JobName { id, doc: DocKey(doc.max(1)), rev, due: None, form: Form::Bundle(jobs) };
            prop_assert_eq!(JobName::parse(&bundle.to_string()), Some(bundle));
            let places: Vec<_> = bundle.ids().map(|id| bundle.place_of(id)).collect();
            prop_assert_eq!(places, (0..jobs).map(Some).collect::<Vec<_>>());
            prop_assert_eq!(bundle.place_of(id.nth(jobs)), None);
        }

        #[test]
        fn any_text_is_read_without_panic(text in ".*") {
            let _ = JobName::parse(&text);
        }
    }
}
