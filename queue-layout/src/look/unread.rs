//! Reading one file of the queue, and saying of one that cannot be read what is wrong with it: that is the file's own
//! trouble, set aside with it, and never the queue's.

use crate::error::{QueueError, Result};
use crate::format::id::JobId;
use crate::format::state::State;
use crate::look::names::Listed;
use crate::{JOB_BYTES_MAX, Queue};
use declaration::{Advice, Code, Fault, Problem};
use durable::{DiskError, FileKind, Stat};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A file that is kept as it came, for whoever wants to see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptBytes {
    /// Where it is.
    pub path: PathBuf,
    /// Its size in bytes.
    pub len: u64,
    /// What is in it, or why that cannot be said.
    pub bytes: std::result::Result<Vec<u8>, Problem>,
}

impl Queue {
    /// The bytes of one file, or what is wrong with it alone: too large, no file, not ours to read.
    ///
    /// # Errors
    /// Trouble of the machine or of the directory; that nothing is there.
    pub(crate) fn read_one(&self, path: &Path) -> Result<std::result::Result<Vec<u8>, Problem>> {
        let read = || self.disk.read(path, JOB_BYTES_MAX);
        // Read a second time: the permission may have been given back a moment ago, and then nothing needs to be set
        // aside.
        let again = |e: DiskError| if e.kind() == ErrorKind::PermissionDenied { read() } else { Err(e) };
        match read().or_else(again) {
            Ok(bytes) => Ok(Ok(bytes)),
            Err(e) if e.is_machine_trouble() => Err(e.into()),
            // Its facts could be read, so the directory is sound, and only this file is at fault.
            Err(e) => match self.disk.stat_link(path) {
                Ok(Some(stat)) if e.kind() != ErrorKind::NotFound || stat.kind == FileKind::Link => {
                    Ok(Err(problem(&e, stat)))
                }
                _ => Err(e.into()),
            },
        }
    }

    /// What is kept of something that is no job: in `staging/`, or thrown away, as long as its receipt is kept. `None` when
    /// there is nothing of that kind.
    ///
    /// # Errors
    /// A disk error.
    pub fn kept(&self, listed: &Listed) -> Result<Option<KeptBytes>> {
        let path = match (listed.state, listed.within.as_deref()) {
            (State::Failed | State::Review, _) => self.layout.dir(listed.state).join(&*listed.name),
            (State::Done, Some(day)) => self.layout.done_day(day).join(format!("{}.original", listed.id)),
            _ => return Ok(None),
        };
        let Some(stat) = self.disk.stat_link(&path)? else { return Ok(None) };
        Ok(Some(KeptBytes { len: stat.len, bytes: self.read_one(&path)?, path }))
    }

    /// The refusal to do something with a staged file that cannot be read as a job.
    #[must_use]
    pub fn unreadable(&self, listed: &Listed, error: &Fault) -> QueueError {
        let Fault { code, message, hint, .. } = error.clone();
        let problem = Problem { hint, ..Problem::new(code, message) };
        let path = self.layout.dir(listed.state).join(&*listed.name);
        QueueError::Unreadable { path, problems: vec![problem] }
    }

    /// What to type so that our user can read this file, which will be at `path` then.
    pub(crate) fn remedy(&self, now_at: &Path, path: &Path, id: JobId) -> Result<String> {
        let (home, stat) = (self.disk.stat(self.home())?, self.disk.stat_link(now_at)?);
        let ours = home.map(|home| home.uid);
        let path = path.display();
        let then = self.say(&Advice::RetryOrDiscard(id.to_string()));
        Ok(match (ours, stat.map(|stat| stat.uid)) {
            (Some(ours), Some(theirs)) if ours != theirs => {
                format!("sudo chown {ours} '{path}' && chmod 600 '{path}', then {then}")
            }
            _ => format!("chmod 600 '{path}', then {then}"),
        })
    }
}

fn problem(e: &DiskError, stat: Stat) -> Problem {
    let not_a_file = |what: &str| Problem::new(Code::NotAFile, what);
    match (e.kind(), stat.kind) {
        (_, FileKind::Directory) => not_a_file("it is a directory"),
        (ErrorKind::PermissionDenied, FileKind::Link) => Problem::new(
            Code::UnreadableFile,
            format!("it is a symbolic link to a file that may not be read: {}", e.source),
        ),
        (_, FileKind::Link) => not_a_file("it is a symbolic link that leads to no file"),
        (_, FileKind::Other) => not_a_file("it is a device, a socket or a pipe"),
        (ErrorKind::FileTooLarge, FileKind::File) => {
            Problem::new(Code::JobTooLarge, format!("larger than {JOB_BYTES_MAX} bytes: it has {}", stat.len))
        }
        (_, FileKind::File) => {
            let whose = if stat.uid == 0 { "root".to_owned() } else { format!("uid {}", stat.uid) };
            let message =
                format!("it may not be read: {}; it belongs to {whose}, mode {:04o}", e.source, stat.mode);
            Problem::new(Code::UnreadableFile, message)
        }
    }
}
