//! What stands in `done/` under a job's id and is not its receipt: empty, torn, another job's. It ends nothing. The job
//! that waits under that id is kept and put before a person, and the file is set aside beside its place.

use crate::error::Result;
use crate::format::job::{Job, Receipt};
use crate::format::name::{Form, JobName};
use crate::look::names::{Listed, UNREADABLE};
use crate::{Queue, format::bundle};
use declaration::{Advice, Code, Problem};
use serde::{Deserialize, Serialize};

/// Which of some waiting jobs have ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EndedJobs {
    /// These have: their receipts.
    pub receipts: Vec<Listed>,
    /// Of these it is not known: the file in `done/` that should be their receipt is none.
    pub doubtful: Vec<Listed>,
}

/// The receipt of bytes that were thrown away unread.
#[derive(Serialize, Deserialize)]
pub(crate) struct OriginalReceipt {
    pub(crate) receipt: Receipt,
    pub(crate) original: String,
}

impl Queue {
    /// Whether what stands in `done/` is the receipt of that job, whole.
    ///
    /// # Errors
    /// Trouble of the machine.
    pub fn is_receipt(&self, listed: &Listed) -> Result<bool> {
        let day = listed.within.as_deref().unwrap_or_default();
        let Ok(bytes) = self.read_one(&self.layout.done_day(day).join(&*listed.name))? else {
            return Ok(false);
        };
        let of_batch = |job: &Job| Ok(self.receipt_of_batch(job, day)?.is_some());
        if let Some(name) = JobName::parse(&listed.name).filter(|name| matches!(name.form, Form::Bundle(_))) {
            return bundle::read_one(&name, listed.id, &bytes).map_or(Ok(false), |job| of_batch(&job));
        }
        match Job::from_json(&bytes) {
            Ok((job, Some(_))) => Ok(job.id == listed.id),
            // A job that ended together with others: its file was moved there unchanged, so the id in the name
            // counts, and its receipt is among those of the batch.
            Ok((job, None)) => of_batch(&Job { id: listed.id, ..job }),
            Err(_) => {
                let original = serde_json::from_slice::<OriginalReceipt>(&bytes);
                Ok(original.is_ok_and(|found| found.original == format!("{}.original", listed.id)))
            }
        }
    }

    /// Why a job waits whose receipt is none.
    pub(crate) fn doubt(&self, listed: &Listed) -> Problem {
        let id = listed.id;
        let place =
            self.layout.done_day(listed.within.as_deref().unwrap_or_default()).join(aside(&listed.name));
        let message =
            format!("what stood in the place of its receipt cannot be read as one: {}", place.display());
        Problem::new(Code::ReceiptUnreadable, message).hint(self.say(&Advice::CheckDocument(id.to_string())))
    }
}

/// The name a receipt has that is none.
pub(crate) fn aside(name: &str) -> String {
    name.strip_suffix(".json").map_or_else(|| name.to_owned(), |id| format!("{id}{UNREADABLE}"))
}
