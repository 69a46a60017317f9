//! The receipts of jobs that ended together: one file a batch, `receipts/<day>/<first id>~<doc>~<rev>.jsonl`, one line a
//! job. It is durable before the first of its jobs moves to `done/`, so that a job there always has its receipt: in its own
//! file when it ended alone, else here. A hundred jobs that end cost one file and one sync then, not a hundred.

use crate::Queue;
use crate::error::{QueueError, Result};
use crate::format::id::JobId;
use crate::format::job::Receipt;
use crate::format::name::{Form, JobName};
use crate::look::receipts::ENDING;
use crate::moves::NewFile;
use crate::verbs::claimant::{Claimant, Claimed};
use crate::verbs::ended::Ended;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{MutexGuard, PoisonError};

/// Below this many jobs each gets a receipt file of its own: one file for all would save nothing.
pub(crate) const TOGETHER_MIN: usize = 2;
/// About how many bytes the receipt of one entry takes.
const LINE_BYTES: usize = 512;

#[derive(Serialize)]
struct LineOut<'a> {
    id: JobId,
    /// The `rev` of the claim that ended with this receipt.
    rev: u32,
    receipt: &'a Receipt,
}

impl Claimant {
    /// Writes the receipts of a batch; durable when it returns. Only then may its jobs move to `done`.
    pub(crate) fn write_receipts(&self, ended: &[(Claimed, Receipt)], day: &str) -> Result<()> {
        let Some((first, _)) = ended.first() else { return Ok(()) };
        let mut bytes = Vec::with_capacity(ended.len() * LINE_BYTES);
        for (claimed, receipt) in ended {
            let line = LineOut { id: claimed.id(), rev: claimed.name.rev, receipt };
            serde_json::to_writer(&mut bytes, &line)
                .map_err(|e| QueueError::Encode { what: "a receipt", message: e.to_string() })?;
            bytes.push(b'\n');
        }
        let (all, dir) = (self.layout().receipts(), self.layout().receipts_day(day));
        self.make_day(&all)?;
        self.make_day(&dir)?;
        let tmp = self.layout().tmp().join(format!("{}.{}.receipts", self.name(), first.id()));
        let target = dir.join(batch_name(&first.name, 0));
        let written = self.queue.moves().write_again(vec![NewFile { tmp, bytes, target }])?;
        self.disk().point("receipts.written");
        // If the name is taken, an earlier try wrote it, and some of its jobs may have ended with it: it is not replaced.
        written.place_free(|n| dir.join(batch_name(&first.name, n)))?.durable()?;
        self.disk().point("receipts.durable");
        Ok(())
    }

    /// Moves files to `done` as they are; the receipts of their jobs are durable in a batch.
    pub(super) fn move_to_done(&self, files: &BTreeSet<JobName>, day: &str) -> Result<()> {
        let done = self.layout().done_day(day);
        let mut renamed = self.queue.moves().begin();
        for file in files {
            let name = match file.form {
                Form::Bundle(_) => file.to_string(),
                _ => format!("{}.json", file.id),
            };
            renamed.place(&self.dir().join(file.to_string()), &done.join(name))?;
        }
        self.disk().point("ended.moved");
        renamed.durable()?;
        self.disk().point("ended.durable");
        Ok(())
    }

    /// Makes a directory and syncs its parent before anything is moved into it. Once per claimant even if the directory is
    /// there: whoever made it may have died before syncing.
    pub(crate) fn make_day(&self, dir: &Path) -> Result<()> {
        if !self.days().contains(dir) {
            self.queue.moves().make_dir(dir)?;
            self.days().insert(dir.to_owned());
        }
        Ok(())
    }

    fn days(&self) -> MutexGuard<'_, BTreeSet<PathBuf>> {
        self.days.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Those of these claims that have no receipt in a batch. The others have ended and must not be given back, even if trouble
    /// kept them from being moved.
    ///
    /// # Errors
    /// A disk error.
    pub fn without_ended(&self, claims: &[Claimed]) -> Result<Vec<Claimed>> {
        let held: BTreeSet<JobName> = claims.iter().map(|claimed| claimed.name).collect();
        let open = self.queue.batches_of(&held)?;
        let is_open = |claimed: &&Claimed| !open.iter().any(|batch| batch.held.contains(&claimed.name));
        Ok(claims.iter().filter(is_open).cloned().collect())
    }

    /// Moves to `done` the jobs whose batch of receipts a dead worker had written without having moved them. Otherwise they
    /// would be merged again and get a second receipt.
    pub(crate) fn finish_endings(&self) -> Result<()> {
        let names = self.queue.list_or_gone(&self.dir())?;
        let held = names.iter().filter_map(|name| JobName::parse(name));
        let held: BTreeSet<JobName> =
            held.filter(|name| matches!(name.form, Form::Job | Form::Bundle(_))).collect();
        for batch in self.queue.batches_of(&held)? {
            // Its writer may have died before syncing the directory.
            let dirs = [self.layout().receipts(), self.layout().receipts_day(&batch.day)];
            self.queue.moves().confirm(dirs)?;
            self.make_day(&self.layout().done_day(&batch.day))?;
            self.count_ended_once(Ended::new(&batch.first, batch.outcomes));
            self.queue.use_up_approvals(batch.held.iter().flat_map(JobName::ids))?;
            self.move_to_done(&batch.held, &batch.day)?;
        }
        Ok(())
    }
}

impl Queue {
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
