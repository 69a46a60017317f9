//! Takes documents that say nothing any more out of their places: what an adoption made goes so when it is taken back.

use crate::error::RunError;
use documents::Documents;
use std::path::{Path, PathBuf};

/// Takes the empty ones of these documents away, into the history: those that are not there afterwards. `None` where somebody is at
/// one of them now; the rest is left for another time then.
///
/// # Errors
/// Trouble of the machine: what was not taken away is taken away another time.
pub fn take_away_empty(documents: &Documents, paths: &[PathBuf]) -> Result<Option<Vec<PathBuf>>, RunError> {
    let mut gone = Vec::new();
    for path in paths {
        let Some(is_gone) = one(documents, path)? else { return Ok(None) };
        gone.extend(is_gone.then(|| path.clone()));
    }
    Ok(Some(gone))
}

/// Whether it is not there any more.
fn one(documents: &Documents, path: &Path) -> Result<Option<bool>, RunError> {
    let document = documents.find(path)?;
    if !documents.remove_empty(&document)? {
        return Ok(None);
    }
    Ok(Some(documents.read(&document)?.stat.is_none()))
}
