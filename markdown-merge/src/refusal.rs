//! How a refusal is made: code and message first, then what the author can do and the lines concerned.

use super::{Conflict, Refusal};

/// A refusal without advice yet.
pub(super) fn refuse(code: &str, message: impl Into<String>) -> Refusal {
    Refusal {
        code: code.to_owned(),
        message: message.into(),
        hint: None,
        entry: None,
        lines: Vec::new(),
        conflict: None,
    }
}

impl Refusal {
    /// The same with advice.
    #[must_use]
    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same with the lines of the document that are concerned.
    #[must_use]
    pub(super) fn lines(mut self, lines: impl IntoIterator<Item = usize>) -> Self {
        self.lines = lines.into_iter().collect();
        self
    }

    /// The same with the three sides of a conflict.
    #[must_use]
    pub(super) fn conflict(mut self, conflict: Conflict) -> Self {
        self.conflict = Some(Box::new(conflict));
        self
    }
}
