//! The receipts of jobs that ended together: one file a batch, `receipts/<day>/<first id>~<doc>~<rev>.jsonl`, one line a
//! job. It is durable before the first of its jobs moves to `done/`, so that a job there always has its receipt: in its own
//! file when it ended alone, else here. A hundred jobs that end cost one file and one sync then, not a hundred.

use crate::Queue;
use crate::claimant::{Claimant, Claimed};
use crate::error::{QueueError, Result};
use crate::id::JobId;
use crate::job::{Job, Receipt};
use crate::name::{DocKey, JobName};
use durable::Moved;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Fewer jobs than this keep their receipts in their own files: a batch's would save nothing.
pub(crate) const TOGETHER_MIN: usize = 2;
/// A batch's receipts are as large as the changes they tell of; a limit all the same.
const RECEIPTS_BYTES_MAX: u64 = 1 << 30;
/// What a receipt of one entry takes, about.
const LINE_BYTES: usize = 512;
const ENDING: &str = ".jsonl";

#[derive(Deserialize)]
struct Line {
    receipt: Receipt,
}

#[derive(Serialize)]
struct LineOut<'a> {
    id: JobId,
    receipt: &'a Receipt,
}

impl Claimant {
    /// Writes the receipts of a batch down, for good. Nothing may move to `done` before.
    pub(crate) fn write_receipts(&self, ended: &[(Claimed, Receipt)], day: &str) -> Result<()> {
        let Some((first, _)) = ended.first() else { return Ok(()) };
        let mut bytes = Vec::with_capacity(ended.len() * LINE_BYTES);
        for (claimed, receipt) in ended {
            let line = LineOut { id: claimed.id(), receipt };
            serde_json::to_writer(&mut bytes, &line)
                .map_err(|e| QueueError::Encode { what: "a receipt", message: e.to_string() })?;
            bytes.push(b'\n');
        }
        let (all, dir) = (self.layout().receipts(), self.layout().receipts_day(day));
        self.make_day(&all, self.layout().home())?;
        self.make_day(&dir, &all)?;
        let tmp = self.layout().tmp().join(format!("{}.{}.receipts", self.name(), first.id()));
        self.disk().remove(&tmp)?;
        self.disk().write_many_new(&[(tmp.clone(), bytes)])?;
        self.disk().point("receipts.written");
        // A name that is taken is an earlier try's, with which some of its jobs may have ended.
        let name = |n: u32| dir.join(batch_name(&first.name, n));
        let mut n = 0;
        while self.disk().move_new(&tmp, &name(n))? == Moved::Taken {
            n += 1;
        }
        self.disk().sync_dir(&dir)?;
        self.disk().point("receipts.durable");
        Ok(())
    }
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

    /// Removes a day's batches, once none of its receipts' jobs is left in `done`.
    pub(crate) fn prune_receipts(&self, day: &str) -> Result<()> {
        let dir = self.layout.receipts_day(day);
        for name in self.list_or_gone(&dir)? {
            self.disk.remove(&dir.join(name))?;
        }
        self.disk.remove_dir(&dir)?;
        Ok(())
    }
}

fn batch_name(first: &JobName, n: u32) -> String {
    let JobName { id, doc, rev, .. } = first;
    if n == 0 { format!("{id}~{doc}~{rev}{ENDING}") } else { format!("{id}~{doc}~{rev}-{n}{ENDING}") }
}

fn parse(name: &str) -> Option<(JobId, DocKey)> {
    let mut parts = name.strip_suffix(ENDING)?.split('~');
    Some((parts.next()?.parse().ok()?, DocKey::parse(parts.next()?)?))
}
