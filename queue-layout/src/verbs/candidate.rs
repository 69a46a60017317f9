//! A merged text that is shown to a program before it is committed: a file of its own in `tmp/`, with its document's name.

use crate::error::Result;
use crate::format::name::DocKey;
use crate::moves::NewFile;
use crate::verbs::intent::CommitVerbs;
use std::path::{Path, PathBuf};

impl CommitVerbs<'_> {
    /// Writes the text somebody is to judge. What a crash leaves is swept with everything else of this worker's.
    ///
    /// # Errors
    /// A disk error.
    pub fn write_candidate(&self, document: &Path, text: &[u8]) -> Result<PathBuf> {
        let name = document.file_name().map_or_else(|| "document.md".into(), |name| name.to_string_lossy());
        let path = self.claimant.layout().tmp().join(format!(
            "{}.{}.{name}",
            self.claimant.name(),
            DocKey::of(document)
        ));
        let file = NewFile { tmp: path.clone(), bytes: text.to_vec(), target: path.clone() };
        self.claimant.queue.moves().write_again(vec![file])?.stay();
        Ok(path)
    }

    /// Removes it again.
    ///
    /// # Errors
    /// A disk error.
    pub fn remove_candidate(&self, path: &Path) -> Result<()> {
        self.claimant.disk().remove(path)?;
        Ok(())
    }
}
