//! Every bound an input is held to, in one place. Each has a problem code of its own.

/// Bytes of one input, however many declarations it holds (`too_large`).
pub const INPUT_BYTES_MAX: usize = 16 << 20;
/// Bytes of one declaration in JSON (`too_large`).
pub const JSON_BYTES_MAX: usize = 1 << 20;
/// Bytes of one input in YAML (`too_large`). Lower than for JSON because YAML costs more than ten times as much to read.
pub const YAML_BYTES_MAX: usize = 256 << 10;
/// Bytes of one job, in either format (`too_large`). Higher than for declarations: a job carries its attempts, and a
/// declaration of 1 MiB grows when it is written as YAML for people.
pub const JOB_BYTES_MAX: usize = 8 << 20;
/// Bytes of an entry's `content`, and of its `old_text` (`content_too_large`).
pub const CONTENT_BYTES_MAX: usize = 256 << 10;
/// Entries of one declaration (`too_many_entries`).
pub const ENTRIES_MAX: usize = 1000;
/// How deep lists and mappings may be nested (`too_deep`).
pub const NESTING_MAX: usize = 64;
/// What YAML aliases may add to an input, counted as one per node plus its text's bytes (`too_many_aliases`).
pub const ALIAS_WEIGHT_MAX: usize = 1 << 20;
/// Characters of one heading text, a path, a name or a URL (`heading_too_long`, `target_too_long`).
pub const NAME_CHARS_MAX: usize = 1000;
/// Texts of one heading path (`heading_too_long`): Markdown has six levels.
pub const HEADING_PARTS_MAX: usize = 6;
/// Problems reported for one input; what is beyond is counted (`more_problems`).
pub const PROBLEMS_MAX: usize = 100;

const _: () = assert!(CONTENT_BYTES_MAX <= YAML_BYTES_MAX && YAML_BYTES_MAX <= JSON_BYTES_MAX);
const _: () = assert!(JSON_BYTES_MAX <= JOB_BYTES_MAX && JOB_BYTES_MAX <= INPUT_BYTES_MAX);
