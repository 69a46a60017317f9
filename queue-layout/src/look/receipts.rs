//! Finding the receipt of a job that ended together with others, in `receipts/<day>/`.

use crate::Queue;
use crate::error::Result;
use crate::format::id::JobId;
use crate::format::job::{Job, Receipt};
use crate::format::name::DocKey;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A batch's receipts are as large as the changes they tell of; a limit all the same.
const RECEIPTS_BYTES_MAX: u64 = 1 << 30;
/// How the names of files of receipts end.
pub(crate) const ENDING: &str = ".jsonl";

#[derive(Deserialize)]
struct Line {
    receipt: Receipt,
}

impl Queue {
    /// The receipt of a job that ended together with others.
    pub(crate) fn receipt_of_batch(&self, job: &Job, day: &str) -> Result<Option<Receipt>> {
        let mut batches = self.batches(day)?;
        // Jobs of a document end in the order of their ids: the last batch that began before this job is the likely one.
        batches.retain(|(first, _, _)| *first <= job.id);
        batches.sort_by_key(|(first, doc, _)| (*doc == job.document.doc, *first));
        for (_, _, path) in batches.iter().rev() {
            if let Some(receipt) = self.receipt_in(path, job.id)? {
                return Ok(Some(receipt));
            }
        }
        Ok(None)
    }

    fn batches(&self, day: &str) -> Result<Vec<(JobId, DocKey, PathBuf)>> {
        let dir = self.layout.receipts_day(day);
        let names = self.list_or_gone(&dir)?;
        Ok(names.iter().filter_map(|name| parse(name).map(|(id, doc)| (id, doc, dir.join(name)))).collect())
    }

    fn receipt_in(&self, path: &Path, id: JobId) -> Result<Option<Receipt>> {
        let bytes = match self.disk.read(path, RECEIPTS_BYTES_MAX) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            other => other?,
        };
        let begins = format!("{{\"id\":\"{id}\"");
        let found = bytes.split(|byte| *byte == b'\n').find(|line| line.starts_with(begins.as_bytes()));
        Ok(found.and_then(|line| serde_json::from_slice::<Line>(line).ok()).map(|line| line.receipt))
    }
}

fn parse(name: &str) -> Option<(JobId, DocKey)> {
    let mut parts = name.strip_suffix(ENDING)?.split('~');
    Some((parts.next()?.parse().ok()?, DocKey::parse(parts.next()?)?))
}
