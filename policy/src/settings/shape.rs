//! The shape of `config.yaml`.

use declaration::reading::shape::{Shape, may, must};

/// The whole file.
pub(super) static SETTINGS: Shape = Shape::Record(&[
    must("version", Shape::Integer),
    may("enabled", Shape::Bool),
    may("explicit_only", Shape::Bool),
    may("knowledge_bases", Shape::Named(&BASE)),
    may("session_bootstrap", Shape::List(&Shape::Text)),
    may(
        "retry",
        Shape::Record(&[
            may("retries", Shape::Integer),
            may("base", Shape::Text),
            may("cap", Shape::Text),
            may("lock_wait", Shape::Text),
        ]),
    ),
    may(
        "retention",
        Shape::Record(&[
            may("done", Shape::Text),
            may("journal", Shape::Text),
            may("snapshots", Shape::Integer),
        ]),
    ),
    may("projects", Shape::List(&Shape::Text)),
    may(
        "hooks",
        Shape::Record(&[
            may("context_chars", Shape::Integer),
            may("recent_tag", Shape::Text),
            may("daily_logs", Shape::Text),
            may("ask", Shape::Bool),
            may("remind", Shape::Bool),
            may("drain", Shape::Bool),
        ]),
    ),
    may("guard", Shape::Record(&[may("documents", MODE), may("unread", MODE)])),
    may("metrics", Shape::Record(&[may("textfile", Shape::Text)])),
]);

const MODE: Shape = Shape::Word("unknown_mode", &["off", "warn", "block"]);

static ARGUMENTS: Shape = Shape::List(&Shape::Text);

static BASE: Shape = Shape::Record(&[
    must("path", Shape::Text),
    may("root", Shape::Word("unknown_root", &["project", "home"])),
    may("title", Shape::Text),
    may("tag", Shape::Text),
    may("policy", Shape::Word("unknown_policy", &["auto", "review", "read-only"])),
    may("create", Shape::Bool),
    may("frontmatter", Shape::Bool),
    may("block", Shape::Word("unknown_block", &["machine"])),
    may("budget_chars", Shape::Integer),
    may("budget_tokens", Shape::Integer),
    may("section_budget_chars", Shape::Integer),
    may("on_over_budget", Shape::Word("unknown_on_over_budget", &["fail", "review"])),
    may("min_confidence", Shape::Number),
    may("min_trust", Shape::Word("unknown_trust", &["user", "agent", "tool", "web"])),
    may("mark_below", Shape::Number),
    may(
        "headings",
        Shape::Record(&[
            may("allow", Shape::List(&Shape::Text)),
            may("deny", Shape::List(&Shape::Text)),
            may("review", Shape::List(&Shape::Text)),
        ]),
    ),
    may("snapshots", Shape::Integer),
    may("validate", Shape::List(&ARGUMENTS)),
    may("validate_timeout", Shape::Text),
    may("redact", Shape::Bool),
    may("gate", Shape::Word("unknown_gate", &["absolutize"])),
    may("on_hit", Shape::Word("unknown_on_hit", &["warn", "review", "fail"])),
    may("rewriter", Shape::List(&Shape::Text)),
    may("keep_days", Shape::Integer),
    may("template", Shape::Text),
]);
