//! What the names of files in the queue say: which jobs a file holds, in which state, since when. No file is opened.

use crate::Queue;
use crate::error::Result;
use crate::format::id::JobId;
use crate::format::name::{DocKey, Form, JobName, is_declaration, is_hidden};
use crate::format::state::State;
use declaration::Timestamp;
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::sync::Arc;

/// One job as its name shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Where it is.
    pub state: State,
    /// Its id.
    pub id: JobId,
    /// Its document's hint; `DocKey::UNKNOWN` where the name does not say.
    pub doc: DocKey,
    /// How often it moved; 0 where the name does not say.
    pub rev: u32,
    /// For `deferred`: when it may be tried again.
    pub due: Option<Timestamp>,
    /// For `processing`: who holds it. For `done`: the day.
    pub within: Option<String>,
    /// For `failed` and `review`: since when.
    pub since: Option<String>,
    /// The name of its file, which other jobs may share.
    pub(crate) name: Arc<str>,
}

impl Listed {
    /// Whether it is a dropped declaration that nobody has read yet.
    #[must_use]
    pub fn is_drop(&self) -> bool {
        self.doc == DocKey::UNKNOWN && matches!(self.state, State::Pending | State::Processing)
    }

    /// Whether a file in `staging/` is a job, rather than bytes that could not be read as one.
    #[must_use]
    pub fn is_staged_job(&self) -> bool {
        self.name.ends_with(".yaml")
    }

    /// Whether two jobs are in one file, so that they are claimed together.
    #[must_use]
    pub fn shares_file(&self, other: &Listed) -> bool {
        self.name == other.name && self.state == other.state && self.within == other.within
    }

    /// The jobs of a file, by its name.
    pub(super) fn each(
        state: State,
        name: &JobName,
        file: &str,
        within: Option<&str>,
    ) -> impl Iterator<Item = Listed> + use<> {
        let (name, file, within) = (*name, Arc::from(file), within.map(str::to_owned));
        name.ids().map(move |id| Listed {
            state,
            id,
            doc: name.doc,
            rev: name.rev,
            due: name.due,
            within: within.clone(),
            since: None,
            name: Arc::clone(&file),
        })
    }
}

/// What a directory of waiting jobs holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scan {
    /// Jobs, in the order of their ids.
    pub jobs: Vec<Listed>,
    /// In `pending`: declarations moved in by hand, which the next run takes in.
    pub dropped: Vec<String>,
    /// Files that do not belong here.
    pub foreign: Vec<String>,
}

impl Queue {
    /// The names in a directory; none when it is gone by now or is no directory.
    pub(crate) fn list_or_gone(&self, dir: &std::path::Path) -> Result<Vec<String>> {
        let names = gone_is_empty(self.disk.list(dir))?;
        Ok(names.into_iter().filter_map(|name| name.into_string().ok()).collect())
    }
}

/// What was read of a directory; nothing where it is gone by now or is no directory.
pub(super) fn gone_is_empty<T: Default>(read: durable::Result<T>) -> Result<T> {
    match read {
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(T::default()),
        other => Ok(other?),
    }
}

/// A receipt by its name.
pub(crate) fn receipt_of(day: &str, name: &str) -> Option<Listed> {
    Some(Listed {
        state: State::Done,
        id: name.strip_suffix(".json")?.parse().ok()?,
        doc: DocKey::UNKNOWN,
        rev: 0,
        due: None,
        within: Some(day.to_owned()),
        since: None,
        name: Arc::from(name),
    })
}

/// The jobs of a bundle that ended.
pub(crate) fn bundle_of(bundle: &JobName, day: &str) -> impl Iterator<Item = Listed> + use<> {
    Listed::each(State::Done, bundle, &bundle.to_string(), Some(day))
}

/// The ending of a file that was found under the name of a receipt and is not one.
pub(crate) const UNREADABLE: &str = ".unreadable";

/// How the names of bundles end.
pub(super) const BUNDLE_ENDING: &str = ".jsonl";

/// A bundle by its name.
pub(crate) fn bundle_in(name: &str) -> Option<JobName> {
    name.ends_with(BUNDLE_ENDING).then(|| JobName::parse(name)).flatten()
}

/// The name of a job in `pending` or `deferred`; `None` for one of anything else.
pub(super) fn job_in(name: &str) -> Option<JobName> {
    JobName::parse(name).filter(|parsed| matches!(parsed.form, Form::Job | Form::Bundle(_) | Form::Drop))
}

/// A name that is not UTF-8 as text: its invalid bytes as `\\xff`.
pub(super) fn escaped(name: &std::ffi::OsStr) -> String {
    let chunks = name.as_encoded_bytes().utf8_chunks();
    let shown = |chunk: std::str::Utf8Chunk<'_>| {
        let bytes: String = chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")).collect();
        chunk.valid().to_owned() + &bytes
    };
    chunks.map(shown).collect()
}

/// What names in `pending` and `deferred` are.
pub(super) fn flat(state: State, names: impl Iterator<Item = String>) -> Scan {
    let mut scan = Scan::default();
    for name in names {
        match job_in(&name) {
            Some(parsed) => scan.jobs.extend(Listed::each(state, &parsed, &name, None)),
            // Dot files belong to editors, or are still being copied. A finished one with such a name is reported.
            _ if is_hidden(&name) && !(name.starts_with('.') && is_declaration(&name)) => {}
            _ if is_hidden(&name) => scan.foreign.push(name),
            _ if state == State::Pending && is_declaration(&name) => scan.dropped.push(name),
            _ => scan.foreign.push(name),
        }
    }
    scan.dropped.sort();
    scan.foreign.sort();
    scan
}

/// `<YYYYMMDD-HHMMSS>-<id>`: sorts by when it came to wait.
pub(crate) fn stem(now: Timestamp, id: JobId) -> String {
    format!("{}-{id}", now.compact())
}

fn parse_stem(stem: &str) -> Option<(String, JobId)> {
    let (since, id) = (stem.get(..15)?, stem.get(16..)?);
    let shaped = since.bytes().enumerate().all(|(i, b)| if i == 8 { b == b'-' } else { b.is_ascii_digit() });
    (shaped && stem.as_bytes().get(15) == Some(&b'-')).then_some(())?;
    Some((since.to_owned(), id.parse().ok()?))
}

/// `YYYYMMDD-HHMMSS`, the head of a name.
pub(super) const SINCE_LEN: usize = 15;

/// What names in `staging/` are.
pub(super) fn staged(state: State, names: &[String]) -> Scan {
    let mut scan = Scan::default();
    let originals: BTreeSet<&str> = names.iter().filter_map(|name| name.strip_suffix(".original")).collect();
    for name in names {
        // The file with the reason is part of its original, and not listed.
        let reason = name.strip_suffix(".yaml").is_some_and(|stem| originals.contains(stem));
        let stem = name.strip_suffix(".original").or_else(|| name.strip_suffix(".yaml"));
        match stem.filter(|_| !reason).and_then(parse_stem) {
            Some((since, id)) => scan.jobs.push(Listed {
                state,
                id,
                doc: DocKey::UNKNOWN,
                rev: 0,
                due: None,
                within: None,
                since: Some(since),
                name: name.as_str().into(),
            }),
            None if reason || is_hidden(name) => {}
            None => scan.foreign.push(name.clone()),
        }
    }
    scan
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems() {
        let id: JobId = "01938f00-0000-7000-8000-00000000000a".parse().unwrap();
        assert_eq!(
            parse_stem(&stem(Timestamp(1_732_000_000_000), id)),
            Some(("20241119-070640".to_owned(), id))
        );
        for bad in [
            "",
            "20241119-070640",
            "20241119-070640_x",
            "2024111x-070640-01938f00-0000-7000-8000-00000000000a",
            "é",
        ] {
            assert_eq!(parse_stem(bad), None, "{bad}");
        }
    }
}
