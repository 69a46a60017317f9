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

/// The commands that a decider may be allowed: those that only a person uses (of `init`, listing a project), and `enqueue`, whose
/// jobs are then a person's. Not among them is `deciders`: only a person says who decides.
pub const DECIDABLE: [&str; 10] =
    ["enqueue", "hold", "init", "prune", "purge", "release", "resolve", "review", "rollback", "uninstall"];

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

/// A setting of `config.yaml`, as the reference (`docs/CONFIG.md`) names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingField {
    /// Where it stands: `guard.require`, `knowledge_bases.NAME.path`.
    pub path: String,
    /// What it takes, in words.
    pub takes: String,
    /// Whether it must be there, where what it belongs to is.
    pub required: bool,
}

/// Every setting that there is, in the order of the schema.
#[must_use]
pub fn fields() -> Vec<SettingField> {
    let mut found = Vec::new();
    below("", &SETTINGS, &mut found);
    found
}

fn below(path: &str, schema: &Schema, found: &mut Vec<SettingField>) {
    let at = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match schema {
        Schema::Record(fields) => {
            for field in *fields {
                match &field.schema {
                    Schema::Record(_) | Schema::Named(Schema::Record(_)) => {
                        below(&at(field.name), &field.schema, found);
                    }
                    other => {
                        let takes = takes(other);
                        found.push(SettingField { path: at(field.name), takes, required: field.required });
                    }
                }
            }
        }
        Schema::Named(inner) => below(&at("NAME"), inner, found),
        _ => {}
    }
}

fn takes(schema: &Schema) -> String {
    match schema {
        Schema::Any | Schema::Record(_) => "a mapping".to_owned(),
        Schema::Text => "text".to_owned(),
        Schema::Texts => "text, or a list of texts".to_owned(),
        Schema::Integer => "whole number".to_owned(),
        Schema::Number => "number".to_owned(),
        Schema::Bool => "`true` or `false`".to_owned(),
        Schema::BoolOr(_, words) => format!("`true`, `false`, {}", one_of(words)),
        Schema::Word(_, words) => one_of(words),
        Schema::List(inner) => format!("list of: {}", takes(inner)),
        Schema::Named(inner) => format!("by name, {}", takes(inner)),
    }
}

fn one_of(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}
