//! What an adoption put into this home beside its jobs: lines of `config.yaml`, directories. A record of each, so that taking it back
//! takes them back too; made before they are, and gone when the adoption is taken back.

use super::OperatorVerbs;
use super::record::Records;
use crate::error::Result;
use crate::format::id::JobId;
use declaration::Timestamp;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The version of the record this build writes.
pub const ADOPTION_FORMAT: u32 = 1;
/// A record larger than this is none, in bytes.
const RECORD_BYTES_MAX: u64 = 4 << 20;

/// What an adoption made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdoptionRecord {
    /// 1.
    pub format: u32,
    /// The adoption.
    pub id: String,
    /// When it was made.
    pub at: Timestamp,
    /// The knowledge bases that it added to `config.yaml`: name, and the line as it was written, without its end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<(String, String)>,
    /// Whether `config.yaml` did not end in a line end before.
    #[serde(default)]
    pub bare_end: bool,
    /// Directories of its documents that were not there before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub directories: Vec<PathBuf>,
    /// That somebody wants it taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<AdoptionUndo>,
}

/// The wish to take an adoption back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdoptionUndo {
    /// Who wants it.
    pub by: String,
    /// Documents that were not there before the adoption: one that is empty afterwards goes.
    pub documents: Vec<PathBuf>,
    /// The jobs that take it back; `None` until all of them are in the queue.
    pub jobs: Option<Vec<JobId>>,
}

impl OperatorVerbs<'_> {
    fn adoption_records(&self) -> Records<'_> {
        let (queue, dir) = (self.queue, self.queue.layout.adoptions());
        Records { queue, dir, what: "an adoption", tmp: "adoption-", bytes_max: RECORD_BYTES_MAX }
    }

    /// Writes a record down, in the place of the one before; durable when it returns.
    ///
    /// # Errors
    /// A disk error.
    pub fn record_adoption(&self, record: &AdoptionRecord) -> Result<()> {
        self.adoption_records().write(&record.id, record)?;
        self.queue.disk.point("adoption.recorded");
        Ok(())
    }

    /// The adoptions that have not been taken back, the oldest first.
    ///
    /// # Errors
    /// A disk error; a record that cannot be read.
    pub fn adoptions(&self) -> Result<Vec<AdoptionRecord>> {
        let found: Result<Vec<AdoptionRecord>> = self.adoption_records().each()?.into_iter().collect();
        let mut found = found?;
        found.sort_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
        Ok(found)
    }

    /// Ends the record of an adoption that is taken back, for good.
    ///
    /// # Errors
    /// A disk error.
    pub fn end_adoption(&self, id: &str) -> Result<()> {
        self.adoption_records().end(id)
    }
}
