//! A document in the middle of being saved: many programs empty a file first and write it again, and what is read meanwhile is
//! nothing, or a beginning.

use crate::{Document, Documents, Hashed, Result, hash};
use std::path::Path;

/// So often is looked again at a text that may be half saved. Between two looks the disk gives way, for 10 ms.
const LOOKS: u32 = 4;

/// Whether a text may be what is there of a save so far: nothing, or lines of which the last has no end, and had one.
fn is_begun(text: &[u8], before: &[u8]) -> bool {
    !text.ends_with(b"\n") && (before.ends_with(b"\n") || text.is_empty() && !before.is_empty())
}

impl Documents {
    /// What the document says once nobody is in the middle of saving it, as far as a few looks tell.
    ///
    /// # Errors
    /// As `read`, and as `last_revision`.
    pub fn read_saved(&self, document: &Document) -> Result<Hashed> {
        let mut read = self.read_hashed(document)?;
        for _ in 0..LOOKS {
            if read.stat.is_none()
                || read.text.ends_with(b"\n")
                || !self.is_half_saved(document, &read.text)?
            {
                break;
            }
            self.disk.point("save.begun");
            self.disk.give_way();
            let again = self.read_hashed(document)?;
            let rests = again.text == read.text && !again.text.is_empty();
            read = again;
            if rests {
                break;
            }
        }
        Ok(read)
    }

    /// Whether we left more in the document than it says, so that it may be half saved.
    fn is_half_saved(&self, document: &Document, text: &[u8]) -> Result<bool> {
        let Some(last) = self.last_revision(document)? else { return Ok(false) };
        if text.is_empty() {
            return Ok(last.after != hash(b""));
        }
        Ok(self.before(document, last.version)?.is_some_and(|before| is_begun(text, &before)))
    }

    /// The text that an exchange displaced into this file, once who is in the middle of saving it has saved it. `before`: what was read of it.
    ///
    /// # Errors
    /// A disk error.
    pub fn displaced_saved(&self, temp: &Path, mut out: Vec<u8>, before: &[u8]) -> Result<Vec<u8>> {
        for _ in 0..LOOKS {
            if !is_begun(&out, before) {
                break;
            }
            self.disk.point("save.begun");
            self.disk.give_way();
            let Some(again) = self.displaced(temp)? else { break };
            let rests = again == out && !again.is_empty();
            out = again;
            if rests {
                break;
            }
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::is_begun;

    #[test]
    fn what_may_be_half_saved() {
        for (text, before, expected) in [
            ("", "- one\n", true),
            ("- one\n- tw", "- one\n- two\n", true),
            ("- one\n", "- one\n- two\n", false),
            ("- one\n- two\n- thr", "- one\n- two\n", true),
            ("", "- one", true),
            ("- on", "- one", false),
            ("", "", false),
        ] {
            assert_eq!(is_begun(text.as_bytes(), before.as_bytes()), expected, "{text:?} of {before:?}");
        }
    }
}
