//! Finding the receipt of a job that ended together with others, in `receipts/<day>/`.

use crate::Queue;
use crate::error::Result;
use crate::format::id::JobId;
use crate::format::job::{Ending, Job, Receipt};
use crate::format::name::{DocKey, Form, JobName};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The largest file of receipts that is read, in bytes. Receipts are about as large as the changes of their jobs.
const RECEIPTS_BYTES_MAX: u64 = 1 << 30;
/// How the names of files of receipts end.
pub(crate) const ENDING: &str = ".jsonl";

/// The most batches of a document that are searched for the jobs of a dead worker. Their batch is the last that was written, as a
/// rule the one whose first job is the latest.
const LOOKED_THROUGH_MAX: usize = 64;

#[derive(Deserialize)]
struct Line {
    receipt: Receipt,
}

#[derive(Deserialize)]
struct EndedLine {
    id: JobId,
    /// Not in the lines of earlier builds.
    rev: Option<u32>,
    receipt: EndedAs,
}

#[derive(Deserialize)]
struct EndedAs {
    outcome: Ending,
}

/// A batch of receipts with jobs that are still claimed.
#[derive(Debug)]
pub(crate) struct OpenBatch {
    pub day: String,
    /// Its first job, as it was claimed.
    pub first: JobName,
    /// How its jobs ended, all of them.
    pub outcomes: Vec<Ending>,
    /// The claimed files whose jobs are in it.
    pub held: BTreeSet<JobName>,
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

    /// The batches that have receipts of these claims, each with the claims it has.
    pub(crate) fn batches_of(&self, held: &BTreeSet<JobName>) -> Result<Vec<OpenBatch>> {
        if held.is_empty() {
            return Ok(Vec::new());
        }
        let docs: BTreeSet<DocKey> = held.iter().map(|name| name.doc).collect();
        // Every day is searched: where the clock was wrong when the job was declared or ended, its receipt may be in any.
        let mut days = self.list_or_gone(&self.layout.receipts())?;
        days.sort_by(|a, b| b.cmp(a));
        let mut open = Vec::new();
        for day in days {
            let batches = self.batches(&day)?;
            for doc in &docs {
                let latest =
                    held.iter().filter(|name| name.doc == *doc).filter_map(|name| name.ids().last()).max();
                let mut of_doc: Vec<_> =
                    batches.iter().filter(|(first, of, _)| of == doc && Some(*first) <= latest).collect();
                of_doc.sort_by_key(|(first, ..)| std::cmp::Reverse(*first));
                for (.., path) in of_doc.into_iter().take(LOOKED_THROUGH_MAX) {
                    open.extend(self.open_batch(&day, *doc, path, held)?);
                }
            }
        }
        Ok(open)
    }

    /// A batch, when it has the jobs of claimed files.
    fn open_batch(
        &self,
        day: &str,
        doc: DocKey,
        path: &Path,
        held: &BTreeSet<JobName>,
    ) -> Result<Option<OpenBatch>> {
        let Some(bytes) = self.batch_bytes(path)? else { return Ok(None) };
        let lines = bytes.split(|byte| *byte == b'\n');
        let lines: Vec<EndedLine> = lines.filter_map(|line| serde_json::from_slice(line).ok()).collect();
        let Some(EndedLine { id, rev: Some(rev), .. }) = lines.first() else { return Ok(None) };
        let first = JobName { id: *id, doc, rev: *rev, due: None, form: Form::Job };
        let ended: BTreeSet<(JobId, u32)> =
            lines.iter().filter_map(|line| Some((line.id, line.rev?))).collect();
        let is_in = |name: &&JobName| name.ids().all(|id| ended.contains(&(id, name.rev)));
        let held: BTreeSet<JobName> = held.iter().filter(is_in).copied().collect();
        let outcomes = lines.iter().map(|line| line.receipt.outcome).collect();
        Ok((!held.is_empty()).then(|| OpenBatch { day: day.to_owned(), first, outcomes, held }))
    }

    fn batches(&self, day: &str) -> Result<Vec<(JobId, DocKey, PathBuf)>> {
        let dir = self.layout.receipts_day(day);
        let names = self.list_or_gone(&dir)?;
        Ok(names.iter().filter_map(|name| parse(name).map(|(id, doc)| (id, doc, dir.join(name)))).collect())
    }

    /// A file of receipts; `None` once it was pruned.
    fn batch_bytes(&self, path: &Path) -> Result<Option<Vec<u8>>> {
        match self.disk.read(path, RECEIPTS_BYTES_MAX) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e.into()),
        }
    }

    fn receipt_in(&self, path: &Path, id: JobId) -> Result<Option<Receipt>> {
        let Some(bytes) = self.batch_bytes(path)? else { return Ok(None) };
        let begins = format!("{{\"id\":\"{id}\"");
        let found = bytes.split(|byte| *byte == b'\n').find(|line| line.starts_with(begins.as_bytes()));
        Ok(found.and_then(|line| serde_json::from_slice::<Line>(line).ok()).map(|line| line.receipt))
    }
}

fn parse(name: &str) -> Option<(JobId, DocKey)> {
    let mut parts = name.strip_suffix(ENDING)?.split('~');
    Some((parts.next()?.parse().ok()?, DocKey::parse(parts.next()?)?))
}
