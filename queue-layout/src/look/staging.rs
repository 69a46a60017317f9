//! What waits for people in `staging/`: jobs as YAML that people can edit, or bytes that could not be read, with the reason in
//! a file beside them.

use crate::error::{QueueError, Result};
use crate::format::id::JobId;
use crate::format::job::{Job, unreadable};
use crate::format::name::{Form, JobName};
use crate::format::state::State;
use crate::look::names::{Listed, stem};
use crate::{JOB_BYTES_MAX, Queue};
use declaration::{Advice, Code, Fault, Problem, Remedy, Timestamp, Wording};
use serde::{Deserialize, Serialize};

/// One thing in `staging/`.
#[derive(Debug, Clone, PartialEq)]
pub enum StagedItem {
    /// A job with its error.
    Job(Box<Job>),
    /// A file that could not be read as a job, or a staged job that no longer can be. It is not opened here, as it may be huge or
    /// no regular file: `Queue::kept` reads its bytes.
    Original {
        /// Why it could not be read.
        error: Fault,
    },
}

impl StagedItem {
    /// The error it waits with.
    #[must_use]
    pub fn error(&self) -> Option<&Fault> {
        match self {
            StagedItem::Job(job) => job.error.as_ref(),
            StagedItem::Original { error } => Some(error),
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Reason {
    error: Fault,
    original: Original,
}

#[derive(Serialize, Deserialize)]
struct Original {
    id: JobId,
    at: Timestamp,
    file: String,
    /// The name it had when it was claimed. It goes back under that name if only its permissions were wrong, or if it needs a newer
    /// build.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

/// The comment on top of a staged job: what it is and what to type.
pub(crate) fn with_header(job: &Job, state: State, yaml: &str, say: Wording) -> String {
    let id = job.id.to_string();
    let (what, next) = match state {
        State::Review => ("waits for a yes", say(&Advice::Review(id))),
        _ => ("failed", say(&Advice::Resolve(id))),
    };
    format!(
        "# last-word: this job {what}. Nothing of it was written to the document.\n# next: {next}\n{yaml}"
    )
}

/// The text beside a file that could not be read.
pub(crate) fn reason(name: JobName, problems: &[Problem], now: Timestamp, say: Wording) -> String {
    let (id, error) = (name.id, unreadable(problems));
    let (retry, edit) = (error.code.allows(Remedy::Retry), error.code.allows(Remedy::Edit));
    let next = match &error.hint {
        Some(hint) if retry && !edit => hint.clone(),
        _ if !retry && !edit => say(&Advice::Discard(id.to_string())),
        _ => say(&Advice::EditOrDiscard(id.to_string())),
    };
    let yaml = reason_yaml(id, error, now, Some(name));
    format!(
        "# last-word: a file that could not be read as a job; its bytes are beside this text, as they came.\n\
         # next: {next}\n{yaml}"
    )
}

/// The text beside a person's words that are not in their document.
pub(crate) fn reason_of_text(id: JobId, why: &Fault, now: Timestamp, say: Wording) -> String {
    let next = say(&Advice::PutThisTextByHand(id.to_string()));
    let yaml = reason_yaml(id, why.clone(), now, None);
    format!(
        "# last-word: somebody's text that is not in the document; it is beside this text, as they saved it.\n\
         # next: {next}\n{yaml}"
    )
}

fn reason_yaml(id: JobId, error: Fault, now: Timestamp, name: Option<JobName>) -> String {
    let file = format!("{}.original", stem(now, id));
    let name = name.filter(|_| error.code.may_read_later()).map(|name| name.to_string());
    let reason = Reason { error, original: Original { id, at: now, file, name } };
    serde_yaml::to_string(&reason).unwrap_or_default()
}

impl Queue {
    /// Reads what waits in `staging/`.
    ///
    /// # Errors
    /// A disk error; `TakenMeanwhile` when it is gone.
    pub fn read_staged(&self, listed: &Listed) -> Result<StagedItem> {
        let path = self.layout.dir(listed.state).join(&*listed.name);
        if listed.name.ends_with(".original") {
            if self.disk.stat_link(&path)?.is_none() {
                return Err(QueueError::TakenMeanwhile(listed.id.to_string()));
            }
            let error = self.reason_beside(listed).map_or_else(|| unreadable(&[]), |reason| reason.error);
            return Ok(StagedItem::Original { error });
        }
        let read = taken_if_gone(self.read_one(&path), listed)?.map_err(|problem| vec![problem]);
        match read.and_then(|bytes| crate::format::text(&bytes).and_then(Job::from_yaml)) {
            Ok(mut job) => {
                job.id = listed.id;
                Ok(StagedItem::Job(Box::new(job)))
            }
            Err(problems) => Ok(StagedItem::Original { error: unreadable(&problems) }),
        }
    }

    /// What is written beside an original; `None` where nothing is that can be read.
    fn reason_beside(&self, listed: &Listed) -> Option<Reason> {
        let stem = listed.name.strip_suffix(".original")?;
        let path = self.layout.dir(listed.state).join(format!("{stem}.yaml"));
        serde_yaml::from_slice(&self.disk.read(&path, JOB_BYTES_MAX).ok()?).ok()
    }

    /// The name that a job's file had before it was set aside, where it may go back under it.
    pub(crate) fn name_before(&self, listed: &Listed) -> Option<JobName> {
        let name = JobName::parse(&self.reason_beside(listed)?.original.name?)?;
        (name.id == listed.id && matches!(name.form, Form::Job | Form::Bundle(_))).then_some(name)
    }

    /// The file in `staging/failed/` that was set aside unread and holds this job.
    pub(crate) fn set_aside_with(&self, id: JobId) -> Result<Option<Listed>> {
        let failed = self.list_staging(State::Failed)?.jobs.into_iter();
        let holds =
            |listed: &Listed| self.name_before(listed).is_some_and(|name| name.place_of(id).is_some());
        Ok(failed.filter(|listed| listed.name.ends_with(".original")).find(holds))
    }
}

/// A file that is gone was taken by somebody else meanwhile.
pub(crate) fn taken_if_gone<T>(read: Result<T>, listed: &Listed) -> Result<T> {
    match read {
        Err(QueueError::Disk(e)) if e.kind() == std::io::ErrorKind::NotFound => {
            Err(QueueError::TakenMeanwhile(listed.id.to_string()))
        }
        other => other,
    }
}

impl Queue {
    /// The code of the error that something in `staging/` waits with. Looks for the line where we write it, near the top,
    /// and reads the whole only where a hand has moved it.
    ///
    /// # Errors
    /// A disk error; `TakenMeanwhile` when it is gone.
    pub fn staged_code(&self, listed: &Listed) -> Result<Code> {
        let reason = listed.name.strip_suffix(".original").map(|stem| format!("{stem}.yaml"));
        let name = reason.as_deref().unwrap_or(&listed.name);
        let bytes = self.disk.read(&self.layout.dir(listed.state).join(name), JOB_BYTES_MAX);
        if let Some(code) = bytes.ok().as_deref().and_then(code_line) {
            return Ok(code);
        }
        let item = self.read_staged(listed)?;
        Ok(item.error().map_or_else(|| Code::Unknown, |error| error.code.clone()))
    }
}

/// The value of the first `code:` among the first lines, when it is right below an `error:`.
fn code_line(text: &[u8]) -> Option<Code> {
    let mut lines =
        text.split(|b| *b == b'\n').take(HEAD_LINES).skip_while(|line| line.trim_ascii() != b"error:");
    let code = lines.nth(1)?.trim_ascii().strip_prefix(b"code: ")?;
    let plain = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'_';
    (!code.is_empty() && code.iter().all(plain)).then(|| Code::named(&String::from_utf8_lossy(code)))
}

const HEAD_LINES: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_is_found_where_we_write_it_and_nowhere_else() {
        let code = |text: &str| code_line(text.as_bytes());
        assert_eq!(code("# x\n# y\njob:\n  error:\n    code: ambiguous\n"), Some(Code::Ambiguous));
        assert_eq!(code("error:\n  code: bad_utf8\n"), Some(Code::BadUtf8));
        for other in
            ["", "code: x\n", "error:\n  message: m\n  code: x\n", "error:\n  code: 'x'\n", "error:\n"]
        {
            assert_eq!(code(other), None, "{other}");
        }
    }
}
