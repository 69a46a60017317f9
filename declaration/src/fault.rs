//! Why a job failed, was put off or waits: what is kept with it on disk and shown to people.

use crate::{Code, Problem};
use markdown_merge::{Conflict, Refusal, RefusalCode};
use serde::{Deserialize, Serialize};

/// Why a job failed, was put off, or waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Which of the known reasons; decides what can be done about it.
    pub code: Code,
    /// What failed, on what, why.
    pub message: String,
    /// What its author or the operator can do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Index of the entry at fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<usize>,
    /// Lines of the document that are concerned, from 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<usize>,
    /// The three texts of a conflict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflict: Option<Box<Conflict>>,
}

impl Fault {
    /// A fault without a hint.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Fault { code, message: message.into(), hint: None, entry: None, lines: Vec::new(), conflict: None }
    }

    /// The same with advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        Fault {
            code: refusal.code.into(),
            message: refusal.message,
            hint: refusal.hint,
            entry: refusal.entry,
            lines: refusal.lines,
            conflict: refusal.conflict,
        }
    }
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Self {
        let message = problem.to_string();
        Fault { hint: problem.hint, ..Fault::new(problem.code, message) }
    }
}

/// Each refusal of a merge is a code of the same name. Does not compile while one is missing.
macro_rules! same_names {
    ($($name:ident),* $(,)?) => {
        impl From<RefusalCode> for Code {
            fn from(code: RefusalCode) -> Self {
                match code {
                    $(RefusalCode::$name => Code::$name,)*
                }
            }
        }

        #[cfg(test)]
        const REFUSALS: &[RefusalCode] = &[$(RefusalCode::$name),*];
    };
}

same_names! {
    Ambiguous,
    BadHeading,
    BadItem,
    BadRow,
    BadLevel,
    Conflict,
    ContentHasHeading,
    EmptyContent,
    EmptyOldText,
    FrontMatterMissing,
    FrontMatterNotEditable,
    FrontMatterNotOneLine,
    FrontMatterNotScalar,
    FrontMatterOperation,
    FrontMatterToml,
    FrontMatterTooLarge,
    HasSubsections,
    HeadingDenied,
    HeadingLevel,
    HeadingNotFound,
    IndexDiffers,
    ItemAmbiguous,
    ItemNotFound,
    ItemNotLive,
    LevelMismatch,
    LoneCr,
    MachineBlockDoubled,
    MachineBlockMissing,
    MachineBlockOrder,
    MarkerBlock,
    NearMatch,
    NeedsReview,
    NewParent,
    NotRepeatable,
    NotUtf8,
    NulInContent,
    OrphansReference,
    OutsideMachineBlock,
    OverBudget,
    ParentNotFound,
    ParentRequired,
    ReservedMarker,
    SectionMissing,
    SideEffect,
    TextAmbiguous,
    TextNotFound,
    TooLarge,
    TrailingAnchor,
    UnclosedBlock,
    UnclosedBlockInDocument,
    UnclosedBlockInSection,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_keeps_the_name_of_its_code() {
        for refusal in REFUSALS {
            assert_eq!(Code::from(*refusal).as_str(), refusal.as_str());
        }
    }
}
