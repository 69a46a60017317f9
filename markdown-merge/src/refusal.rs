//! Why a change is refused, as one list of codes; and how a refusal is made: code and message first, then what the author can do and the lines concerned.

use super::{Conflict, Refusal};
use serde::{Deserialize, Serialize};

/// Defines the codes: variant, stable name, meaning.
macro_rules! codes {
    ($($variant:ident = $name:literal, $meaning:literal;)*) => {
        /// The reason of a refusal, by its stable `snake_case` name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum RefusalCode {
            $(#[doc = $meaning] $variant,)*
        }

        impl RefusalCode {
            /// Its stable name.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(RefusalCode::$variant => $name,)*
                }
            }
        }
    };
}

codes! {
    Ambiguous = "ambiguous", "more than one section has this heading";
    BadHeading = "bad_heading", "the heading cannot be written as a heading";
    BadItem = "bad_item", "the text cannot stand as one item of a list";
    BadLevel = "bad_level", "`level` is not one a heading can have";
    BadRow = "bad_row", "the text cannot stand as a row of that table";
    Conflict = "conflict", "the section changed since its author saw it, in the same lines";
    ContentHasHeading = "content_has_heading", "the content has a heading that would end its section";
    EmptyContent = "empty_content", "nothing is left of the content";
    EmptyOldText = "empty_old_text", "`old_text` is blank";
    FrontMatterMissing = "front_matter_missing", "the document has no front matter";
    FrontMatterNotEditable = "front_matter_not_editable", "the front matter cannot be edited line by line";
    FrontMatterNotOneLine = "front_matter_not_one_line", "the value of a front matter key must be one line";
    FrontMatterNotScalar = "front_matter_not_scalar", "the front matter key holds a list or a map";
    FrontMatterOperation = "front_matter_operation", "the operation does not apply to front matter";
    FrontMatterToml = "front_matter_toml", "the front matter is TOML";
    FrontMatterTooLarge = "front_matter_too_large", "the front matter is over its limit";
    HasSubsections = "has_subsections", "the section has sections below it";
    HeadingDenied = "heading_denied", "the knowledge base does not let this heading be written";
    HeadingLevel = "heading_level", "a heading of the content is above the section's level";
    HeadingNotFound = "heading_not_found", "a heading that is named is not in the document";
    IndexDiffers = "index_differs", "the merge refused its own result: a fresh reading of it differs";
    ItemAmbiguous = "item_ambiguous", "more than one item has this id";
    ItemNotFound = "item_not_found", "no item has this id";
    ItemNotLive = "item_not_live", "the item is retired, or another took its place";
    LevelMismatch = "level_mismatch", "the heading is there at another level";
    LoneCr = "lone_cr", "the document has a carriage return without a line feed";
    MachineBlockDoubled = "machine_block_doubled", "the document has more than one machine block";
    MachineBlockMissing = "machine_block_missing", "the document has no machine block";
    MachineBlockOrder = "machine_block_order", "the machine block ends before it begins";
    MarkerBlock = "marker_block", "the change would touch a block between markers";
    NearMatch = "near_match", "a heading that is almost the same is there";
    NeedsReview = "needs_review", "the knowledge base takes this only with a yes";
    NewParent = "new_parent", "the change would put sections below another heading";
    NotRepeatable = "not_repeatable", "done twice, the change would do something else";
    NotUtf8 = "not_utf8", "the document is not UTF-8";
    NulInContent = "nul_in_content", "a NUL byte in the content";
    OrphansReference = "orphans_reference", "a link elsewhere would lose its definition";
    OutsideMachineBlock = "outside_machine_block", "the section is outside the machine block";
    OverBudget = "over_budget", "the document or the section would be over its budget";
    ParentNotFound = "parent_not_found", "a heading above the section is not there";
    ParentRequired = "parent_required", "the section must be named with the headings above it";
    ReservedMarker = "reserved_marker", "the content has a marker that only the pipeline may write";
    SectionMissing = "section_missing", "the section is not there and may not be created";
    SideEffect = "side_effect", "the change would alter text outside its section";
    TextAmbiguous = "text_ambiguous", "`old_text` is in the section more than once";
    TextNotFound = "text_not_found", "`old_text` is not in the section";
    TooLarge = "too_large", "the input is over its limit";
    TrailingAnchor = "trailing_anchor", "the content ends in an anchor that would be read as the next heading's";
    UnclosedBlock = "unclosed_block", "a block is not closed";
    UnclosedBlockInDocument = "unclosed_block_in_document", "the document has a block that is not closed";
    UnclosedBlockInSection = "unclosed_block_in_section", "the section has a block that is not closed";
}

impl std::fmt::Display for RefusalCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

/// A refusal without advice yet.
pub(super) fn refuse(code: RefusalCode, message: impl Into<String>) -> Refusal {
    Refusal { code, message: message.into(), hint: None, entry: None, lines: Vec::new(), conflict: None }
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
