//! Who speaks: the agent is the client, by its name and version, and the session is this process. The ids of what it
//! declared are kept here, so that `outcome` can be asked without them.

use engine::{Caller, JobId};
use rmcp::model::Implementation;
use std::path::PathBuf;
use std::sync::Mutex;

/// Characters of a client's name or version that are kept.
const NAME_CHARS: usize = 40;
/// How many of this session's jobs are remembered: the newest.
const SAID_MAX: usize = 200;

/// The time of one client with us.
#[derive(Debug)]
pub(crate) struct Session {
    /// Its name: sixteen hexadecimal digits, of which an item's stamp shows eight.
    name: String,
    cwd: PathBuf,
    said: Mutex<Vec<JobId>>,
}

impl Session {
    pub(crate) fn new(cwd: PathBuf, random: u64) -> Session {
        Session { name: format!("{random:016x}"), cwd, said: Mutex::default() }
    }

    /// Who declares: this client. It has an agent's trust, whatever it says of itself.
    pub(crate) fn caller(&self, client: Option<&Implementation>) -> Caller {
        Caller::agent(self.cwd.clone(), agent(client), self.name.clone())
    }

    /// Where it was started.
    pub(crate) fn cwd(&self) -> &PathBuf {
        &self.cwd
    }

    /// Remembers that a job is this session's.
    pub(crate) fn note(&self, job: JobId) {
        let mut said = self.said.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        said.push(job);
        let surplus = said.len().saturating_sub(SAID_MAX);
        said.drain(..surplus);
    }

    /// The jobs that this session declared, oldest first.
    pub(crate) fn said(&self) -> Vec<JobId> {
        self.said.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }
}

/// `claude-code@2.1.330`: one word, which can stand in an item's comment.
fn agent(client: Option<&Implementation>) -> String {
    let name = client.map_or_else(String::new, |client| word(&client.name));
    let version = client.map_or_else(String::new, |client| word(&client.version));
    match (name.as_str(), version.as_str()) {
        ("", _) => "mcp".to_owned(),
        (name, "") => name.to_owned(),
        (name, version) => format!("{name}@{version}"),
    }
}

/// Letters, digits, `.` and `_`; everything else is one `-` between them.
fn word(text: &str) -> String {
    let mut word = String::new();
    for c in text.chars().take(NAME_CHARS) {
        match c {
            c if c.is_ascii_alphanumeric() || matches!(c, '.' | '_') => word.push(c),
            _ if word.is_empty() || word.ends_with('-') => {}
            _ => word.push('-'),
        }
    }
    word.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_one_word() {
        let named = |name: &str, version: &str| agent(Some(&Implementation::new(name, version)));
        assert_eq!(named("claude-code", "2.1.330"), "claude-code@2.1.330");
        assert_eq!(named("Visual Studio Code", "1.107.0"), "Visual-Studio-Code@1.107.0");
        assert_eq!(named("--> ^x9k2m7qa\n-->", ""), "x9k2m7qa", "what would end an item's comment");
        assert_eq!(named("工具", "1"), "mcp");
        assert_eq!(named("", "1"), "mcp");
        assert_eq!(agent(None), "mcp");
        assert_eq!(named(&"n".repeat(500), "v").len(), 42);
    }

    #[test]
    fn only_the_newest_jobs_are_kept() {
        let session = Session::new("/".into(), 7);
        let id = |n: usize| format!("01900000-0000-7000-8000-{n:012x}").parse::<JobId>();
        let ids: Vec<JobId> = (0..SAID_MAX + 5).filter_map(|n| id(n).ok()).collect();
        assert_eq!(ids.len(), SAID_MAX + 5, "what an id looks like has changed");
        for id in &ids {
            session.note(*id);
        }
        assert_eq!(session.said(), ids[5..]);
    }
}
