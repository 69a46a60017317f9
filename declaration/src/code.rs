//! Every code that a refusal, a failed attempt or a waiting job can carry: its stable name, what it means, and what a
//! person can do about it. The only place that decides which action fits; surfaces turn an action into a command to type.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Defines the codes: variant, stable name, kind, meaning.
macro_rules! codes {
    ($($variant:ident = $name:literal, $kind:ident, $meaning:literal;)*) => {
        /// The reason of a refusal, by its stable `snake_case` name. `docs/CODES.md` is made of this list.
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum Code {
            $(#[doc = $meaning] $variant,)*
            /// A name that this build does not know: another build wrote it, and it is written back as it was read.
            Other(Box<str>),
        }

        impl Code {
            /// Every code this build knows.
            pub const ALL: &[Code] = &[$(Code::$variant),*];

            /// Its stable name.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Code::$variant => $name,)*
                    Code::Other(name) => name,
                }
            }

            /// What it means, in words.
            #[must_use]
            pub fn meaning(&self) -> &'static str {
                match self {
                    $(Code::$variant => $meaning,)*
                    Code::Other(_) => "a code of another build",
                }
            }

            /// What it is about.
            #[must_use]
            pub fn kind(&self) -> CodeKind {
                match self {
                    $(Code::$variant => CodeKind::$kind,)*
                    Code::Other(_) => CodeKind::Unknown,
                }
            }

            /// The code with this stable name, as it stands in a file.
            #[must_use]
            pub fn named(name: &str) -> Self {
                match name {
                    $($name => Code::$variant,)*
                    other => Code::Other(other.into()),
                }
            }
        }
    };
}

codes! {
    BadBase = "bad_base", Declaration, "`base` is not `sha256:` and 64 hex digits";
    BadBundle = "bad_bundle", Declaration, "a file of several jobs is not what its name says";
    BadConfidence = "bad_confidence", Declaration, "`confidence` is not a number from 0 to 1";
    BadFact = "bad_fact", Declaration, "a fact in `meta` is not a name";
    BadField = "bad_field", Declaration, "the name of a field is not a word";
    BadIntent = "bad_intent", Declaration, "the record of a commit cannot be read";
    BadJob = "bad_job", Declaration, "the `job` block of a job cannot be read";
    BadLevel = "bad_level", Declaration, "`level` is not one a heading can have";
    BadReviewBy = "bad_review_by", Declaration, "`review_by` is not a day";
    BadUrl = "bad_url", Declaration, "the URL does not name a file, or for `embeddings` a server, of this machine";
    BadUtf8 = "bad_utf8", Declaration, "the text is not UTF-8";
    ContentMissing = "content_missing", Declaration, "the operation needs content and there is none";
    ContentNotAllowed = "content_not_allowed", Declaration, "the operation takes no content and there is some";
    ContentTooLarge = "content_too_large", Declaration, "the content of an entry is over its limit";
    ControlCharacter = "control_character", Declaration, "a character that terminals obey";
    CutByComment = "cut_by_comment", Declaration, "a text without quotes has a ` #` in it, behind which YAML reads a comment";
    DuplicateField = "duplicate_field", Declaration, "a field stands twice";
    DuplicateKey = "duplicate_key", Declaration, "two entries of one declaration name the same section";
    EmptyInput = "empty_input", Declaration, "there is no declaration";
    EmptyJob = "empty_job", Declaration, "the job's file is empty";
    HeadingEmpty = "heading_empty", Declaration, "the heading is blank";
    HeadingHasNewline = "heading_has_newline", Declaration, "the heading has a line end";
    HeadingNotAllowed = "heading_not_allowed", Declaration, "a heading is given where none can be";
    HeadingTooLong = "heading_too_long", Declaration, "the heading is over its limit";
    ItemMissing = "item_missing", Declaration, "the operation needs the id of an item";
    ItemNotAllowed = "item_not_allowed", Declaration, "an item is named, and the operation is about a section";
    JobBlockChanged = "job_block_changed", Declaration, "the `job` block was edited; it is written by the pipeline only";
    JsonSyntax = "json_syntax", Declaration, "the text is not JSON";
    JsonTruncated = "json_truncated", Declaration, "the JSON ends before it is complete";
    JsonUnreadable = "json_unreadable", Declaration, "a value of the JSON cannot be read";
    MissingField = "missing_field", Declaration, "a required field is not there";
    MoreProblems = "more_problems", Declaration, "there are more problems than are listed";
    NoEntries = "no_entries", Declaration, "there are no entries";
    NotAJob = "not_a_job", Declaration, "the file is not a job";
    NulByte = "nul_byte", Declaration, "a NUL byte";
    OldTextMissing = "old_text_missing", Declaration, "`replace` needs `old_text`";
    OldTextNotAllowed = "old_text_not_allowed", Declaration, "only `replace` and the operations on an item have `old_text`";
    OperationMissing = "operation_missing", Declaration, "no operation is named, and without one a text that stands there would be replaced";
    BadExpect = "bad_expect", Declaration, "`expect` is not within 1 to 1000";
    ExpectNotAllowed = "expect_not_allowed", Declaration, "only `replace` has `expect`";
    UnknownCreate = "unknown_create", Declaration, "`create` is `true`, `false` or `ancestors`";
    Secret = "secret", Declaration, "something that looks like a secret; it is not repeated";
    ReceiptUnreadable = "receipt_unreadable", Declaration, "a receipt cannot be read";
    SeveralJobs = "several_jobs", Declaration, "several jobs where one is expected";
    SourceTooLong = "source_too_long", Declaration, "`source` is over its limit";
    TargetAmbiguous = "target_ambiguous", Declaration, "more than one of `kb`, `path` and `url`";
    TargetMissing = "target_missing", Declaration, "none of `kb`, `path` and `url`";
    TargetTooLong = "target_too_long", Declaration, "the target is over its limit";
    TooDeep = "too_deep", Declaration, "nested too deeply";
    TooLarge = "too_large", Declaration, "the input is over its limit";
    TooManyAliases = "too_many_aliases", Declaration, "the YAML has too many aliases";
    TooManyEntries = "too_many_entries", Declaration, "more entries than a declaration may have";
    UnknownField = "unknown_field", Declaration, "a field nobody knows, most often a spelling mistake";
    UnknownOperation = "unknown_operation", Declaration, "an operation that does not exist";
    UnknownScope = "unknown_scope", Declaration, "a scope that does not exist";
    UnknownTrust = "unknown_trust", Declaration, "a trust that does not exist";
    UnknownVersion = "unknown_version", Declaration, "a version that is not supported";
    Unreadable = "unreadable", Declaration, "the file could not be read as a job";
    WrongType = "wrong_type", Declaration, "a value of another type than its field has";
    YamlSyntax = "yaml_syntax", Declaration, "the YAML is malformed";
    YamlUnreadable = "yaml_unreadable", Declaration, "the text is not YAML";
    AbsolutePath = "absolute_path", Configuration, "a path of the configuration must be relative";
    BadDuration = "bad_duration", Configuration, "a duration of the configuration cannot be read";
    BadName = "bad_name", Configuration, "a name of the configuration has a character it may not have";
    BadPath = "bad_path", Configuration, "a path of the configuration cannot be used";
    BadTag = "bad_tag", Configuration, "a `tag` of the configuration cannot be used";
    BadVariable = "bad_variable", Configuration, "a variable of a family's path cannot be filled with this";
    DuplicateDocument = "duplicate_document", Configuration, "two knowledge bases have the same document";
    NeedsVariables = "needs_variables", Configuration, "the target is a family of documents, and does not say which";
    NoCandidate = "no_candidate", Configuration, "a validator does not name `{candidate}`";
    NoDate = "no_date", Configuration, "`keep_days` without a `{date}` in the path";
    NoGate = "no_gate", Configuration, "a rewriter without `on_hit`";
    NoProgram = "no_program", Configuration, "an empty list of arguments where a program is named";
    NoProject = "no_project", Configuration, "the target belongs to a project, and there is none";
    OutOfRange = "out_of_range", Configuration, "a number of the configuration is out of its range";
    PathEscape = "path_escape", Configuration, "the target leads out of its knowledge base's root";
    RelativePath = "relative_path", Configuration, "a path of the configuration must be absolute";
    SeveralDocuments = "several_documents", Configuration, "the configuration has several YAML documents";
    SymlinkEscape = "symlink_escape", Configuration, "a symbolic link leads out of its knowledge base's root";
    TargetUnreadable = "target_unreadable", Configuration, "the target's directory cannot be looked at; tried again";
    TemplateUnreadable = "template_unreadable", Configuration, "the template of a new document cannot be read; tried again";
    UnknownBlock = "unknown_block", Configuration, "a value of `block` that does not exist";
    UnknownChannel = "unknown_channel", Configuration, "a way to decide that does not exist";
    UnknownCommand = "unknown_command", Configuration, "a command that a decider cannot be given";
    UnknownGate = "unknown_gate", Configuration, "a value of `gate` that does not exist";
    UnknownKb = "unknown_kb", Configuration, "a name that is no knowledge base";
    IndexAndBlock = "index_and_block", Configuration, "an index and `block: machine` in one document";
    UnknownPart = "unknown_part", Configuration, "a part of a session's start that does not exist";
    UnknownMode = "unknown_mode", Configuration, "a value of `mode` that does not exist";
    UnknownOnHit = "unknown_on_hit", Configuration, "a value of `on_hit` that does not exist";
    UnknownOnOverBudget = "unknown_on_over_budget", Configuration, "a value of `on_over_budget` that does not exist";
    UnknownPolicy = "unknown_policy", Configuration, "a value of `policy` that does not exist";
    UnknownRoot = "unknown_root", Configuration, "a value of `root` that does not exist";
    UnknownTarget = "unknown_target", Configuration, "the target belongs to no knowledge base";
    ApprovalMismatch = "approval_mismatch", Policy, "what a person approved, or what was proposed to them, is not what it says now";
    HeadingDenied = "heading_denied", Policy, "the knowledge base does not let this heading be written";
    LowConfidence = "low_confidence", Policy, "the author is less sure than the knowledge base takes without a yes";
    NeedsReview = "needs_review", Policy, "the knowledge base takes this only with a yes";
    PersonOnly = "person_only", Policy, "only a person does this, with the command for it";
    ReadOnly = "read_only", Policy, "the knowledge base is read-only";
    RejectedAgain = "rejected_again", Policy, "a person said no to the same not long ago";
    RejectedBefore = "rejected_before", Policy, "a person said no to the same not long ago";
    RelativeWords = "relative_words", Policy, "words that mean something else later: today, here, he";
    Reverted = "reverted", Policy, "a save undid a merge; the change is proposed again";
    UnmarkedGuess = "unmarked_guess", Policy, "a guess that cannot be marked as one where it is written";
    Untrusted = "untrusted", Policy, "it comes from a source that the knowledge base does not take without a yes";
    Ambiguous = "ambiguous", Merge, "more than one section has this heading";
    BadHeading = "bad_heading", Merge, "the heading cannot be written as a heading";
    BadItem = "bad_item", Merge, "the text cannot stand as one item of a list";
    BadRow = "bad_row", Merge, "the text cannot stand as a row of that table";
    ContentHasHeading = "content_has_heading", Merge, "the content has a heading that would end its section";
    EmptyContent = "empty_content", Merge, "nothing is left of the content";
    EmptyOldText = "empty_old_text", Merge, "`old_text` is blank";
    FrontMatterMissing = "front_matter_missing", Merge, "the document has no front matter";
    FrontMatterNotEditable = "front_matter_not_editable", Merge, "the front matter cannot be edited line by line";
    FrontMatterNotOneLine = "front_matter_not_one_line", Merge, "the value of a front matter key must be one line";
    FrontMatterNotScalar = "front_matter_not_scalar", Merge, "the front matter key holds a list or a map";
    FrontMatterOperation = "front_matter_operation", Merge, "the operation does not apply to front matter";
    FrontMatterToml = "front_matter_toml", Merge, "the front matter is TOML";
    FrontMatterTooLarge = "front_matter_too_large", Merge, "the front matter is over its limit";
    HasSubsections = "has_subsections", Merge, "the section has sections below it";
    HeadingLevel = "heading_level", Merge, "a heading of the content is above the section's level";
    HeadingNotFound = "heading_not_found", Merge, "a heading that is named is not in the document";
    IndexDiffers = "index_differs", Merge, "the merge refused its own result: a fresh reading of it differs";
    ItemAmbiguous = "item_ambiguous", Merge, "more than one item has this id";
    ItemNotFound = "item_not_found", Merge, "no item has this id";
    ItemNotLive = "item_not_live", Merge, "the item is retired, or another took its place";
    LevelMismatch = "level_mismatch", Merge, "the heading is there at another level";
    LoneCr = "lone_cr", Merge, "the document has a carriage return without a line feed";
    MachineBlockDoubled = "machine_block_doubled", Merge, "the document has more than one machine block";
    MachineBlockMissing = "machine_block_missing", Merge, "the document has no machine block";
    MachineBlockOrder = "machine_block_order", Merge, "the machine block ends before it begins";
    MarkerBlock = "marker_block", Merge, "the change would touch a block between markers";
    NearMatch = "near_match", Merge, "a heading that is almost the same is there";
    NewParent = "new_parent", Merge, "the change would put sections below another heading";
    NotRepeatable = "not_repeatable", Merge, "done twice, the change would do something else";
    NotUtf8 = "not_utf8", Merge, "the document is not UTF-8";
    NulInContent = "nul_in_content", Merge, "a NUL byte in the content";
    OrphansReference = "orphans_reference", Merge, "a link elsewhere would lose its definition";
    OutsideMachineBlock = "outside_machine_block", Merge, "the section is outside the machine block";
    OverBudget = "over_budget", Merge, "the document or the section would be over its budget";
    ParentNotFound = "parent_not_found", Merge, "a heading above the section is not there";
    ParentRequired = "parent_required", Merge, "the section must be named with the headings above it";
    ReservedMarker = "reserved_marker", Merge, "the content has a marker that only the pipeline may write";
    SectionMissing = "section_missing", Merge, "the section is not there and may not be created";
    SideEffect = "side_effect", Merge, "the change would alter text outside its section";
    TextAmbiguous = "text_ambiguous", Merge, "`old_text` is in the section more than once";
    TextNotFound = "text_not_found", Merge, "`old_text` is not in the section";
    TrailingAnchor = "trailing_anchor", Merge, "the content ends in an anchor that would be read as the next heading's";
    UnclosedBlock = "unclosed_block", Merge, "a block is not closed";
    UnclosedBlockInDocument = "unclosed_block_in_document", Merge, "the document has a block that is not closed";
    UnclosedBlockInSection = "unclosed_block_in_section", Merge, "the section has a block that is not closed";
    Conflict = "conflict", Conflict, "the section changed since its author saw it, in the same lines";
    BadHistory = "bad_history", Document, "the document's history cannot be read; tried again";
    CommitUnclear = "commit_unclear", Document, "a commit was cut short, and nobody can tell whether the document has it";
    DocumentBusy = "document_busy", Document, "the document was saved again and again while it was merged; tried again";
    DocumentNotAFile = "document_not_a_file", Document, "what stands at the document's path is no regular file";
    DocumentTooLarge = "document_too_large", Document, "the document is over its limit";
    DocumentUnreachable = "document_unreachable", Document, "the document cannot be read or written; tried again";
    NoSafeReplace = "no_safe_replace", Document, "the document's file system can neither exchange two files nor link them, or its owner cannot be kept";
    Poison = "poison", Document, "workers died of this job three times";
    ValidatorBusy = "validator_busy", Validator, "a validator asked to be asked later; tried again";
    ValidatorMissing = "validator_missing", Validator, "a validator cannot be started; tried again";
    ValidatorRefused = "validator_refused", Validator, "a validator refused the merged text";
    ValidatorTimeout = "validator_timeout", Validator, "a validator took too long; tried again";
    UnreadableFile = "unreadable_file", ClosedFile, "the worker's user may not read this file";
    FutureVersion = "future_version", NewerFormat, "a newer last-word wrote this file";
    JobTooLarge = "job_too_large", NoText, "the file is larger than a job may be";
    NotAFile = "not_a_file", NoText, "what was left is no file";
    LateWrite = "late_write", PersonsText, "an editor wrote into a text that a commit had displaced";
    LeftOut = "left_out", PersonsText, "a saved text that is not in the document";
    Taken = "taken", Moved, "the job was taken by somebody else meanwhile";
    Unknown = "unknown", Unknown, "the file of the job does not say why it waits";
}

/// What a code is about, which decides who sees it and what can be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeKind {
    /// The words of a declaration or of a job's file.
    Declaration,
    /// The configuration, or a target that does not fit it.
    Configuration,
    /// What policy says of the change.
    Policy,
    /// What the document's text lets be done.
    Merge,
    /// Two changes of the same lines.
    Conflict,
    /// The document's file, or the worker at it.
    Document,
    /// A validator of the configuration.
    Validator,
    /// A file that nothing can be made of, not by an editor either.
    NoText,
    /// A file that may not be read: nothing else is known to be wrong with it.
    ClosedFile,
    /// A file of a newer format.
    NewerFormat,
    /// Somebody's words that are not in their document: neither a job nor a declaration.
    PersonsText,
    /// A thing that is somewhere else now.
    Moved,
    /// None is known, or it is a code of another build.
    Unknown,
}

/// What a person can do about a job or a file that waits in `staging/failed/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// Take it up again as it is.
    Retry,
    /// Change what it says, then take it up again.
    Edit,
    /// Keep the document's side of a conflict.
    Ours,
    /// Keep the job's side of a conflict.
    Theirs,
    /// End it.
    Discard,
}

impl Remedy {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Remedy::Retry => "retry",
            Remedy::Edit => "edit",
            Remedy::Ours => "ours",
            Remedy::Theirs => "theirs",
            Remedy::Discard => "discard",
        }
    }
}

impl Code {
    /// What can be done about what waits with this code, the best first.
    #[must_use]
    pub fn actions(&self) -> &'static [Remedy] {
        use Remedy::{Discard, Edit, Ours, Retry, Theirs};
        match self.kind() {
            // As it is it could only fail again.
            CodeKind::Declaration => &[Edit, Discard],
            CodeKind::Configuration
            | CodeKind::Policy
            | CodeKind::Merge
            | CodeKind::Document
            | CodeKind::Validator
            | CodeKind::NewerFormat
            | CodeKind::Unknown => &[Retry, Edit, Discard],
            CodeKind::Conflict => &[Retry, Edit, Ours, Theirs, Discard],
            CodeKind::ClosedFile => &[Retry, Discard],
            CodeKind::NoText | CodeKind::PersonsText | CodeKind::Moved => &[Discard],
        }
    }

    /// Whether the waiting thing is a file whose content is not at fault: it may be read one day as it is.
    #[must_use]
    pub fn may_read_later(&self) -> bool {
        matches!(self.kind(), CodeKind::ClosedFile | CodeKind::NewerFormat)
    }

    /// Whether this action fits.
    #[must_use]
    pub fn allows(&self, remedy: Remedy) -> bool {
        self.actions().contains(&remedy)
    }
}

impl CodeKind {
    /// Who is told.
    #[must_use]
    pub fn seen_by(self) -> &'static str {
        match self {
            CodeKind::Declaration => "who declares; for dropped files, who resolves",
            CodeKind::Configuration => "who declares, who configures, who resolves",
            CodeKind::Policy => "who declares, who reviews or resolves",
            CodeKind::Moved => "who resolves at the same time as somebody else",
            _ => "who resolves",
        }
    }
}

/// `docs/CODES.md`, made of the list.
#[must_use]
pub fn table() -> String {
    let mut text = String::from(concat!(
        "# Codes\n\n",
        "Every code that a refusal, a failed attempt or a waiting job can carry. Names are stable: scripts may compare them.\n",
        "Made from `declaration/src/code.rs`; `UPDATE_FIXTURES=1 cargo test -p last-word-declaration --test codes` writes it\n",
        "anew.\n\n",
        "| code | meaning | who sees it | what can be done |\n|---|---|---|---|\n",
    ));
    for code in Code::ALL {
        let actions: Vec<&str> = code.actions().iter().map(|remedy| remedy.as_str()).collect();
        let (name, meaning, seen_by) = (code.as_str(), code.meaning(), code.kind().seen_by());
        text.push_str(&format!("| `{name}` | {meaning} | {seen_by} | {} |\n", actions.join(", ")));
    }
    text
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|name| Code::named(&name))
    }
}
