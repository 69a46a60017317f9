//! What a worker is about to do to a document, written down before it does it: a recovery after a crash reads there how far
//! the worker came.

use super::id::JobId;
use super::job::{DocumentRef, Receipt};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The intent of one exchange of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Intent {
    /// The version of this file's form.
    pub format: u32,
    /// Names the commit: the id of its first job.
    pub batch: JobId,
    /// The document.
    pub document: DocumentRef,
    /// Its canonical path: what is exchanged.
    pub canonical: PathBuf,
    /// The file beside it that holds the new text until the exchange, and the displaced text after it.
    pub temp: PathBuf,
    /// Hash of what the exchange should displace; `None` when no document should be there.
    pub before: Option<String>,
    /// Hash of the new text.
    pub after: String,
    /// A person's text that an earlier exchange of this commit displaced and that `temp` takes in.
    pub kept: Option<PathBuf>,
    /// Hash of the text that becomes the earlier version: of `kept`, or else `before`.
    pub earlier: Option<String>,
    /// The version number the new text gets.
    pub version: u64,
    /// The jobs it contains, with the receipts they get.
    pub jobs: Vec<(JobId, Receipt)>,
}

impl Intent {
    /// The version of the form this build writes.
    pub const FORMAT: u32 = 1;
    /// The version with jobs of a bundle: a build that does not know bundles must not finish the commit without them.
    pub const FORMAT_OF_BUNDLES: u32 = 2;
    /// The version of a commit that gave back what people saved into it, without any of its jobs: it is written when
    /// all exchanges are made. A build that does not know this must not take it for one before an exchange.
    pub const FORMAT_OF_GIVEN_BACK: u32 = 3;
    /// Every version this build reads.
    pub const FORMATS: [u32; 3] = [Self::FORMAT, Self::FORMAT_OF_BUNDLES, Self::FORMAT_OF_GIVEN_BACK];

    /// Whether the commit gave back what people saved: only its version is to be written down.
    #[must_use]
    pub fn is_given_back(&self) -> bool {
        self.format == Self::FORMAT_OF_GIVEN_BACK
    }
}

pub(crate) fn is_intent(name: &str) -> bool {
    name.starts_with("commit-") && name.ends_with(".json")
}
