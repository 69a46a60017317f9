//! The shape of `config.yaml`.

use declaration::Code;
use declaration::reading::schema::{Schema, may, must};

/// The whole file.
pub(super) static SETTINGS: Schema = Schema::Record(&[
    must("version", Schema::Integer, "version: 1"),
    may("enabled", Schema::Bool),
    may("explicit_only", Schema::Bool),
    may("knowledge_bases", Schema::Named(&BASE)),
    may("session_bootstrap", Schema::List(&Schema::Text)),
    may(
        "retry",
        Schema::Record(&[
            may("retries", Schema::Integer),
            may("base", Schema::Text),
            may("cap", Schema::Text),
            may("lock_wait", Schema::Text),
        ]),
    ),
    may(
        "retention",
        Schema::Record(&[
            may("done", Schema::Text),
            may("journal", Schema::Text),
            may("snapshots", Schema::Integer),
        ]),
    ),
    may("projects", Schema::List(&Schema::Text)),
    may("deciders", Schema::Named(&COMMANDS)),
    may("review", Schema::Record(&[may("channels", Schema::List(&CHANNEL))])),
    may(
        "hooks",
        Schema::Record(&[
            may("context_chars", Schema::Integer),
            may("recent_tag", Schema::Text),
            may("daily_logs", Schema::Text),
            may("ask", Schema::Bool),
            may("remind", Schema::Bool),
            may("drain", Schema::Bool),
        ]),
    ),
    may(
        "start",
        Schema::Record(&[
            may("order", Schema::List(&START_PART)),
            may("index_chars", Schema::Integer),
            may("facts_chars", Schema::Integer),
            may("session_chars", Schema::Integer),
            may("log_chars", Schema::Integer),
        ]),
    ),
    may(
        "recall",
        Schema::Record(&[
            may("auto", Schema::Integer),
            may("auto_chars", Schema::Integer),
            may("transcripts", Schema::Bool),
        ]),
    ),
    may(
        "embeddings",
        Schema::Record(&[
            must("url", Schema::Text, "url: http://127.0.0.1:8080/v1/embeddings"),
            may("model", Schema::Text),
            may("query_prefix", Schema::Text),
            may("document_prefix", Schema::Text),
            may("deadline", Schema::Text),
        ]),
    ),
    may(
        "guard",
        Schema::Record(&[
            may("documents", MODE),
            may("control", MODE),
            may("unread", MODE),
            may("require", Schema::List(&Schema::Text)),
            may("require_edits", MODE),
            may("require_risky", MODE),
        ]),
    ),
    may("metrics", Schema::Record(&[may("textfile", Schema::Text)])),
]);

/// The commands that a decider may be allowed: those that only a person uses, and `enqueue`, whose jobs are then a person's. Not
/// among them is `deciders`: only a person says who decides.
pub const DECIDABLE: [&str; 9] =
    ["enqueue", "hold", "prune", "purge", "release", "resolve", "review", "rollback", "uninstall"];

static COMMANDS: Schema = Schema::List(&Schema::Word(&Code::UnknownCommand, &DECIDABLE));

static START_PART: Schema =
    Schema::Word(&Code::UnknownPart, &["documents", "index", "facts", "session", "logs"]);

/// How a person can be known to decide.
pub const CHANNELS: [&str; 3] = ["terminal", "page", "decider"];

static CHANNEL: Schema = Schema::Word(&Code::UnknownChannel, &CHANNELS);

const MODE: Schema = Schema::Word(&Code::UnknownMode, &["off", "warn", "block"]);

static ARGUMENTS: Schema = Schema::List(&Schema::Text);

static BASE: Schema = Schema::Record(&[
    must("path", Schema::Text, "path: ~/.config/agents/NOTES.md"),
    may("root", Schema::Word(&Code::UnknownRoot, &["project", "home"])),
    may("title", Schema::Text),
    may("tag", Schema::Text),
    may("policy", Schema::Word(&Code::UnknownPolicy, &["auto", "review", "read-only"])),
    may("create", Schema::Bool),
    may("frontmatter", Schema::Bool),
    may("block", Schema::Word(&Code::UnknownBlock, &["machine"])),
    may("budget_chars", Schema::Integer),
    may("budget_tokens", Schema::Integer),
    may("section_budget_chars", Schema::Integer),
    may("on_over_budget", Schema::Word(&Code::UnknownOnOverBudget, &["fail", "review"])),
    may("min_confidence", Schema::Number),
    may("min_trust", Schema::Word(&Code::UnknownTrust, &["user", "agent", "tool", "web"])),
    may("mark_below", Schema::Number),
    may(
        "headings",
        Schema::Record(&[
            may("allow", Schema::List(&Schema::Text)),
            may("deny", Schema::List(&Schema::Text)),
            may("review", Schema::List(&Schema::Text)),
        ]),
    ),
    may("snapshots", Schema::Integer),
    may("validate", Schema::List(&ARGUMENTS)),
    may("validate_timeout", Schema::Text),
    may("redact", Schema::Bool),
    may("gate", Schema::Word(&Code::UnknownGate, &["absolutize"])),
    may("on_hit", Schema::Word(&Code::UnknownOnHit, &["warn", "review", "fail"])),
    may("rewriter", Schema::List(&Schema::Text)),
    may("keep_days", Schema::Integer),
    may("template", Schema::Text),
    may("copy_of", Schema::Text),
    may(
        "index",
        Schema::Record(&[
            must("of", Schema::Text, "of: memory-bank/details/**/*.md"),
            may("when", Schema::Text),
        ]),
    ),
]);
