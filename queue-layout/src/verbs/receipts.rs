//! The receipts of jobs that ended together: one file a batch, `receipts/<day>/<first id>~<doc>~<rev>.jsonl`, one line a
//! job. It is durable before the first of its jobs moves to `done/`, so that a job there always has its receipt: in its own
//! file when it ended alone, else here. A hundred jobs that end cost one file and one sync then, not a hundred.

use crate::Queue;
use crate::error::{QueueError, Result};
use crate::format::id::JobId;
use crate::format::job::Receipt;
use crate::format::name::JobName;
use crate::look::receipts::ENDING;
use crate::moves::NewFile;
use crate::verbs::claimant::{Claimant, Claimed};
use serde::Serialize;

/// Fewer jobs than this keep their receipts in their own files: a batch's would save nothing.
pub(crate) const TOGETHER_MIN: usize = 2;
/// What a receipt of one entry takes, about.
const LINE_BYTES: usize = 512;

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
        self.make_day(&all)?;
        self.make_day(&dir)?;
        let tmp = self.layout().tmp().join(format!("{}.{}.receipts", self.name(), first.id()));
        let target = dir.join(batch_name(&first.name, 0));
        let written = self.queue.moves().write_again(vec![NewFile { tmp, bytes, target }])?;
        self.disk().point("receipts.written");
        // A name that is taken is an earlier try's, with which some of its jobs may have ended.
        written.place_free(|n| dir.join(batch_name(&first.name, n)))?.durable()?;
        self.disk().point("receipts.durable");
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
