//! What is wrong with something a person or an agent wrote, in words they can act on.

use crate::Code;
use serde::{Deserialize, Serialize};

/// One thing that is wrong with an input, with its place where it is known.
///
/// `message` is lower case, names the thing, has no full stop, and reads after "failed: ". Advice is in `hint`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Stable, `snake_case`; what scripts and `status` group by (e.g. `unknown_target`).
    pub code: Code,
    /// What is wrong and with what.
    pub message: String,
    /// What its author can do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Where in the input, 1-based, counted in characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Position>,
}

/// A 1-based position in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// 1-based line.
    pub line: u32,
    /// 1-based column, in characters.
    pub column: u32,
}

impl Problem {
    /// A problem without a place or hint.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Problem { code, message: message.into(), hint: None, place: None }
    }

    /// The same problem with advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same problem at a place.
    #[must_use]
    pub fn at(mut self, place: Position) -> Self {
        self.place = Some(place);
        self
    }

    /// Whether something is too large, which is known, and said, without a look at its text.
    #[must_use]
    pub fn is_of_size(&self) -> bool {
        matches!(self.code, Code::TooLarge | Code::ContentTooLarge)
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(place) = self.place {
            write!(f, "{}:{}: ", place.line, place.column)?;
        }
        write!(f, "{}", self.message)
    }
}

impl std::error::Error for Problem {}
