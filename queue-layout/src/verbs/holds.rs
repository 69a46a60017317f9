//! What is held: nothing held is merged until it is released. A file in `holds/` for each; its name alone decides, its
//! content says who, when and why. The directory is made by the first hold.

use super::OperatorVerbs;
use crate::Queue;
use crate::error::{QueueError, Result};
use crate::format::hex;
use crate::format::id::JobId;
use crate::format::name::DocKey;
use crate::moves::NewFile;
use declaration::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What can be held.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeldThing {
    /// Everything.
    Queue,
    /// Every job of a document, by its canonical path.
    Document(PathBuf),
    /// One job; later jobs of its document wait behind it.
    Job(JobId),
}

/// One hold, as its file tells it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hold {
    /// What is held.
    pub held: HeldThing,
    /// Since when.
    pub at: Timestamp,
    /// Who holds it.
    pub by: String,
    /// Why, in their words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What is held at a moment, by names alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Holds {
    queue: bool,
    documents: BTreeSet<String>,
    jobs: BTreeSet<JobId>,
}

impl Holds {
    /// Whether nothing is held.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.queue && self.documents.is_empty() && self.jobs.is_empty()
    }

    /// Whether everything is.
    #[must_use]
    pub fn queue(&self) -> bool {
        self.queue
    }

    /// Whether this job is, by itself.
    #[must_use]
    pub fn job(&self, id: JobId) -> bool {
        self.jobs.contains(&id)
    }

    /// Whether the document at this canonical path is, by itself.
    #[must_use]
    pub fn document(&self, canonical: &Path) -> bool {
        !self.documents.is_empty() && self.documents.contains(&document_key(canonical))
    }

    /// Whether a document with this hint in its jobs' names is. Enough for reports and for passing jobs over; whoever
    /// wants to merge asks `document`.
    #[must_use]
    pub fn hint(&self, doc: DocKey) -> bool {
        let hint = doc.to_string();
        doc != DocKey::UNKNOWN && self.documents.iter().any(|key| key.starts_with(&hint))
    }

    /// The held jobs.
    pub fn jobs(&self) -> impl Iterator<Item = JobId> + '_ {
        self.jobs.iter().copied()
    }

    fn add(&mut self, name: &str) {
        let Some(stem) = name.strip_suffix(ENDING) else { return };
        if stem == QUEUE {
            self.queue = true;
        } else if let Some(key) = stem.strip_prefix(DOCUMENT) {
            self.documents.insert(key.to_owned());
        } else if let Some(id) = stem.strip_prefix(JOB).and_then(|id| id.parse().ok()) {
            self.jobs.insert(id);
        }
    }
}

const ENDING: &str = ".json";
const QUEUE: &str = "queue";
const DOCUMENT: &str = "document-";
const JOB: &str = "job-";
/// A hold is a few lines; what is larger is not one.
const HOLD_BYTES_MAX: u64 = 64 << 10;

impl HeldThing {
    fn file_name(&self) -> String {
        match self {
            HeldThing::Queue => format!("{QUEUE}{ENDING}"),
            HeldThing::Document(canonical) => format!("{DOCUMENT}{}{ENDING}", document_key(canonical)),
            HeldThing::Job(id) => format!("{JOB}{id}{ENDING}"),
        }
    }
}

/// 16 hex digits of a canonical path; they begin with the hint in the names of the document's jobs.
fn document_key(canonical: &Path) -> String {
    let digest = Sha256::digest(canonical.as_os_str().as_encoded_bytes());
    hex(digest.get(..8).unwrap_or_default())
}

impl OperatorVerbs<'_> {
    /// The holds with who and why, oldest first. One whose content cannot be read holds all the same.
    ///
    /// # Errors
    /// A disk error.
    pub fn hold_notes(&self) -> Result<Vec<Hold>> {
        let mut notes = Vec::new();
        for name in self.queue.list_or_gone(&self.queue.layout.holds())? {
            // The name decides what is held, and that it is a hold at all.
            let Some(unread) = unread(&name) else { continue };
            let note = match self.queue.disk.read(&self.queue.layout.holds().join(&name), HOLD_BYTES_MAX) {
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => continue,
                Err(_) => None,
                Ok(bytes) => serde_json::from_slice(&bytes).ok(),
            };
            notes.push(note.unwrap_or(unread));
        }
        notes.sort_by_key(|hold: &Hold| hold.at);
        Ok(notes)
    }

    /// Holds a thing; durable when it returns. False when it was held already, which is left as it is.
    ///
    /// # Errors
    /// A disk error.
    pub fn hold(&self, hold: &Hold) -> Result<bool> {
        let dir = self.queue.layout.holds();
        self.queue.moves().make_dir(&dir)?;
        let name = hold.held.file_name();
        let bytes = serde_json::to_vec(hold)
            .map_err(|e| QueueError::Encode { what: "a hold", message: e.to_string() })?;
        let tmp = self.queue.layout.tmp().join(format!("{name}.hold"));
        let written = self.queue.moves().write_again(vec![NewFile { tmp, bytes, target: dir.join(name) }])?;
        self.queue.disk.point("hold.written");
        let renamed = written.place()?;
        let is_new = renamed.taken() == 0;
        renamed.durable()?;
        Ok(is_new)
    }

    /// Releases a thing; false when it was not held.
    ///
    /// # Errors
    /// A disk error.
    pub fn unhold(&self, held: &HeldThing) -> Result<bool> {
        let mut renamed = self.queue.moves().begin();
        let was = renamed.remove(&self.queue.layout.holds().join(held.file_name()))?;
        if was {
            renamed.durable()?;
        } else {
            // There may be no such directory yet.
            renamed.not_durable();
        }
        Ok(was)
    }
}

impl Queue {
    /// What is held now: one look at a small directory, no file is opened.
    ///
    /// # Errors
    /// A disk error.
    pub fn holds(&self) -> Result<Holds> {
        let mut holds = Holds::default();
        for name in self.list_or_gone(&self.layout.holds())? {
            holds.add(&name);
        }
        Ok(holds)
    }
}

/// A hold of which only the name can be read.
fn unread(name: &str) -> Option<Hold> {
    let stem = name.strip_suffix(ENDING)?;
    let held = match (stem == QUEUE, stem.strip_prefix(JOB), stem.strip_prefix(DOCUMENT)) {
        (true, _, _) => HeldThing::Queue,
        (_, Some(id), _) => HeldThing::Job(id.parse().ok()?),
        (_, _, Some(key)) => HeldThing::Document(PathBuf::from(key)),
        _ => return None,
    };
    Some(Hold { held, at: Timestamp(0), by: "somebody".to_owned(), reason: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_decide() {
        let mut holds = Holds::default();
        assert!(holds.is_empty());
        let path = Path::new("/home/me/notes.md");
        let id: JobId = "01938f00-0000-7000-8000-00000000000a".parse().unwrap();
        for held in [HeldThing::Document(path.to_owned()), HeldThing::Job(id)] {
            holds.add(&held.file_name());
        }
        assert!(holds.document(path) && holds.hint(DocKey::of(path)) && holds.job(id) && !holds.queue());
        assert!(!holds.document(Path::new("/home/me/other.md")) && !holds.hint(DocKey::UNKNOWN));
        holds.add(&HeldThing::Queue.file_name());
        assert!(holds.queue());
        let mut none = Holds::default();
        for stranger in ["note.txt", "job-7.json", "queue.json.hold", ""] {
            none.add(stranger);
        }
        assert!(none.is_empty());
    }
}
