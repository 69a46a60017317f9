//! The user's file over the defaults, field by field, each checked by its rule.

use super::duration::millis;
use super::knowledge_bases::{is_name, kbs};
use super::{
    Decider, Guard, Hooks, Mode, Node, PathProblem, Problem, Retention, Retry, Settings, Value, did_you_mean,
};
use super::{embeddings, start};
use crate::knowledge_base::{KnowledgeBase, Policy};
use declaration::Code;

/// A larger context is taken for a mistake.
pub(super) const CONTEXT_CHARS_MAX: u32 = 1_000_000;

/// The settings, unless something in the file is wrong. `whole` says whether the file has the right shape; where it has
/// not, missing fields are not reported.
pub(super) fn lay(
    root: &Node,
    defaults: Option<&Settings>,
    whole: bool,
    found: &mut Vec<PathProblem>,
) -> Option<Settings> {
    let mut fields = Fields { root, whole, found };
    let explicit_only = fields.bool("explicit_only");
    let explicit_only =
        explicit_only.or_else(|| fields.or("explicit_only", defaults.map(|d| d.explicit_only)));
    let knowledge_bases = match kbs(&mut fields) {
        Some(kbs) => Some(kbs),
        None => fields.or("knowledge_bases", defaults.map(|d| d.knowledge_bases.clone())),
    };
    let enabled = fields.bool("enabled");
    let enabled = enabled.or_else(|| fields.or("enabled", defaults.map(|d| d.enabled)));
    let projects = fields.texts("projects").inspect(|paths| fields.absolute("projects", paths));
    let projects = projects.or_else(|| fields.or("projects", defaults.map(|d| d.projects.clone())));
    let deciders =
        deciders(&mut fields).or_else(|| fields.or("deciders", defaults.map(|d| d.deciders.clone())));
    let review_channels = fields.texts("review.channels");
    let review_channels =
        review_channels.or_else(|| fields.or("review.channels", defaults.map(|d| d.review_channels.clone())));
    let retry = fields.retry(defaults.map(|d| d.retry));
    let retention = fields.retention(defaults.map(|d| d.retention));
    let hooks = fields.hooks(defaults.map(|d| &d.hooks));
    let recall = start::unasked(&mut fields, defaults.map(|d| d.recall));
    let start = start::start(&mut fields, defaults.map(|d| &d.start));
    let transcripts = fields.bool_or("recall.transcripts", defaults.map(|d| d.transcripts));
    let embeddings = embeddings::embeddings(&mut fields, defaults.and_then(|d| d.embeddings.clone()));
    let guard = fields.guard(defaults.map(|d| &d.guard));
    let metrics_textfile = fields.textfile(defaults.and_then(|d| d.metrics_textfile.clone()));
    let session_bootstrap = fields
        .bootstrap(knowledge_bases.as_deref().unwrap_or_default(), defaults.map(|d| &d.session_bootstrap));
    Some(Settings {
        knowledge_bases: asked(knowledge_bases?, explicit_only?),
        explicit_only: explicit_only?,
        session_bootstrap: session_bootstrap?,
        retry: retry?,
        retention: retention?,
        projects: projects?,
        deciders: deciders?,
        review_channels: review_channels?,
        enabled: enabled?,
        hooks: hooks?,
        start: start?,
        recall: recall?,
        transcripts: transcripts?,
        embeddings,
        guard: guard?,
        metrics_textfile,
    })
}

/// The file's deciders; `None` when it leaves them out.
fn deciders(fields: &mut Fields<'_>) -> Option<Vec<Decider>> {
    let Value::Map(pairs) = fields.value("deciders")? else { return None };
    let names: Vec<String> = pairs.iter().map(|pair| pair.name.clone()).collect();
    let mut deciders = Vec::new();
    for name in names {
        let at = format!("deciders.{name}");
        if !is_name(&name) {
            let says = format!("is named `{name}`");
            let hint = "names are lower case letters, digits, `-` and `_`, at most 64";
            fields.note(&at, Code::BadName, says, hint);
        }
        deciders.push(Decider { commands: fields.texts(&at).unwrap_or_default(), name });
    }
    Some(deciders)
}

/// In explicit-only mode every knowledge base asks: nothing is written without an approval.
fn asked(mut kbs: Vec<KnowledgeBase>, explicit_only: bool) -> Vec<KnowledgeBase> {
    for kb in kbs.iter_mut().filter(|kb| explicit_only && kb.policy == Policy::Auto) {
        kb.policy = Policy::Review;
    }
    kbs
}

/// The file's fields by path, and what was found wrong with them.
pub(super) struct Fields<'a> {
    pub(super) root: &'a Node,
    whole: bool,
    found: &'a mut Vec<PathProblem>,
}

impl Fields<'_> {
    /// Notes a problem, with its path before the message.
    pub(super) fn note(
        &mut self,
        path: &str,
        code: Code,
        says: impl std::fmt::Display,
        hint: impl Into<String>,
    ) {
        let problem = Problem::new(code, format!("{path} {says}")).hint(hint);
        self.found.push(PathProblem::new(path, problem));
    }

    /// The value at a path, when it is there and not null.
    pub(super) fn value(&self, path: &str) -> Option<&Value> {
        let node = path
            .split('.')
            .filter(|step| !step.is_empty())
            .try_fold(self.root, |node, step| node.get(step))?;
        Some(&node.value).filter(|value| !matches!(value, Value::Null))
    }

    pub(super) fn bool(&self, path: &str) -> Option<bool> {
        match self.value(path)? {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    pub(super) fn text(&self, path: &str) -> Option<String> {
        match self.value(path)? {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        }
    }

    pub(super) fn number(&self, path: &str) -> Option<f64> {
        match self.value(path)? {
            // The numbers of settings are small enough for an f64; a larger one fails its range check anyway.
            #[expect(clippy::cast_precision_loss)]
            Value::Integer(whole) => Some(*whole as f64),
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// A number from 0 to 1.
    pub(super) fn share(&mut self, path: &str) -> Option<f64> {
        let share = self.number(path)?;
        if !(0.0..=1.0).contains(&share) {
            self.note(path, Code::OutOfRange, format!("is {share}, not within 0 to 1"), "0.8, say");
        }
        Some(share)
    }

    pub(super) fn texts(&self, path: &str) -> Option<Vec<String>> {
        let Value::List(items) = self.value(path)? else { return None };
        let text = |item: &Node| match &item.value {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        };
        Some(items.iter().filter_map(text).collect())
    }

    /// A list of lists of texts; empty where it is left out.
    pub(super) fn lists(&self, path: &str) -> Vec<Vec<String>> {
        let Some(Value::List(items)) = self.value(path) else { return Vec::new() };
        let text = |item: &Node| match &item.value {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        };
        let list = |item: &Node| match &item.value {
            Value::List(words) => Some(words.iter().filter_map(text).collect()),
            _ => None,
        };
        items.iter().filter_map(list).collect()
    }

    /// A whole number from 0 to `max`.
    pub(super) fn count(&mut self, path: &str, max: u32) -> Option<u32> {
        let Value::Integer(count) = *self.value(path)? else { return None };
        let within = u32::try_from(count).ok().filter(|count| *count <= max);
        if within.is_none() {
            self.note(
                path,
                Code::OutOfRange,
                format!("is {count}, not within 0 to {max}"),
                "leave it out to have the default",
            );
        }
        within
    }

    pub(super) fn millis(&mut self, path: &str) -> Option<u64> {
        let text = self.text(path)?;
        millis(&text)
            .map_err(|hint| self.note(path, Code::BadDuration, format!("is `{text}`, not a duration"), hint))
            .ok()
    }

    fn millis_or(&mut self, path: &str, default: Option<u64>) -> Option<u64> {
        self.millis(path).or_else(|| self.or(path, default))
    }

    /// The default of a field the file leaves out; a problem where there are no defaults.
    pub(super) fn or<T>(&mut self, path: &str, default: Option<T>) -> Option<T> {
        if default.is_none() && self.whole && self.value(path).is_none() {
            self.note(path, Code::MissingField, "is missing", "the defaults name every field");
        }
        default
    }

    fn absolute(&mut self, path: &str, texts: &[String]) {
        for (index, text) in texts.iter().enumerate() {
            self.absolute_one(&format!("{path}[{index}]"), text);
        }
    }

    pub(super) fn absolute_one(&mut self, path: &str, text: &str) {
        if !(text.starts_with('/') || text.starts_with("~/")) {
            self.note(path, Code::RelativePath, format!("is `{text}`"), "begin it with / or ~/");
        }
    }

    pub(super) fn bool_or(&mut self, path: &str, default: Option<bool>) -> Option<bool> {
        self.bool(path).or_else(|| self.or(path, default))
    }

    fn hooks(&mut self, default: Option<&Hooks>) -> Option<Hooks> {
        let chars = self.count("hooks.context_chars", CONTEXT_CHARS_MAX);
        let chars = chars.and_then(|chars| usize::try_from(chars).ok());
        let chars = chars.or_else(|| self.or("hooks.context_chars", default.map(|d| d.context_chars)));
        let recent_tag = self.tag("hooks.recent_tag");
        let recent_tag =
            recent_tag.or_else(|| self.or("hooks.recent_tag", default.map(|d| d.recent_tag.clone())));
        let logs = self.text("hooks.daily_logs");
        if let Some(logs) = &logs {
            self.absolute_one("hooks.daily_logs", logs);
        }
        let logs = logs.or_else(|| self.or("hooks.daily_logs", default.map(|d| d.daily_logs.clone())));
        let ask = self.bool_or("hooks.ask", default.map(|d| d.ask));
        let remind = self.bool_or("hooks.remind", default.map(|d| d.remind));
        let drain = self.bool_or("hooks.drain", default.map(|d| d.drain));
        Some(Hooks {
            context_chars: chars?,
            recent_tag: recent_tag?,
            daily_logs: logs?,
            ask: ask?,
            remind: remind?,
            drain: drain?,
        })
    }

    fn guard(&mut self, default: Option<&Guard>) -> Option<Guard> {
        let documents = self.mode("guard.documents", default.map(|d| d.documents));
        let control = self.mode("guard.control", default.map(|d| d.control));
        let unread = self.mode("guard.unread", default.map(|d| d.unread));
        let require = self.texts("guard.require").inspect(|paths| self.inside("guard.require", paths));
        let require = require.or_else(|| self.or("guard.require", default.map(|d| d.require.clone())));
        let require_edits = self.mode("guard.require_edits", default.map(|d| d.require_edits));
        let require_risky = self.mode("guard.require_risky", default.map(|d| d.require_risky));
        Some(Guard {
            documents: documents?,
            control: control?,
            unread: unread?,
            require: require?,
            require_edits: require_edits?,
            require_risky: require_risky?,
        })
    }

    /// Paths that stay below a project.
    fn inside(&mut self, path: &str, texts: &[String]) {
        for (index, text) in texts.iter().enumerate() {
            let parts = text.split('/').collect::<Vec<_>>();
            if parts.iter().any(|part| part.is_empty() || matches!(*part, "." | ".."))
                || text.starts_with('~')
            {
                let at = format!("{path}[{index}]");
                self.note(
                    &at,
                    Code::BadPath,
                    format!("is `{text}`"),
                    "a path below the project: patterns.md",
                );
            }
        }
    }

    /// An absolute path, so that it does not matter where a worker is started, with the ending that node_exporter reads.
    fn textfile(&mut self, default: Option<String>) -> Option<String> {
        const PATH: &str = "metrics.textfile";
        let Some(path) = self.text(PATH) else { return default };
        if !(path.starts_with('/') || path.starts_with("~/")) || !path.ends_with(".prom") {
            let says = format!("is `{path}`: a path from / or ~/ that ends with .prom");
            self.note(PATH, Code::BadPath, says, "/var/lib/node_exporter/textfile_collector/last-word.prom");
        }
        Some(path)
    }

    fn mode(&mut self, path: &str, default: Option<Mode>) -> Option<Mode> {
        // YAML reads a bare `off` as a word here and `false` as a boolean: only the word is accepted.
        match self.text(path).as_deref() {
            Some("off") => Some(Mode::Off),
            Some("warn") => Some(Mode::Warn),
            Some(_) => Some(Mode::Block),
            None => self.or(path, default),
        }
    }

    /// A name that can stand in `<…>`.
    pub(super) fn tag(&mut self, path: &str) -> Option<String> {
        let tag = self.text(path)?;
        let letters = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        if !tag.starts_with(|c: char| c.is_ascii_lowercase()) || !tag.bytes().all(letters) {
            self.note(path, Code::BadTag, format!("is `{tag}`"), "lower case letters, digits and `-`");
        }
        Some(tag)
    }

    fn retry(&mut self, default: Option<Retry>) -> Option<Retry> {
        let retries = self.count("retry.retries", 100);
        let retries = retries.or_else(|| self.or("retry.retries", default.map(|d| d.retries)));
        let base_ms = self.millis_or("retry.base", default.map(|d| d.base_ms));
        let cap_ms = self.millis_or("retry.cap", default.map(|d| d.cap_ms));
        let lock_wait_ms = self.millis_or("retry.lock_wait", default.map(|d| d.lock_wait_ms));
        let retry =
            Retry { retries: retries?, base_ms: base_ms?, cap_ms: cap_ms?, lock_wait_ms: lock_wait_ms? };
        if retry.base_ms > retry.cap_ms {
            let path = if self.value("retry.base").is_some() { "retry.base" } else { "retry.cap" };
            let says =
                format!("does not fit: base {} ms is longer than cap {} ms", retry.base_ms, retry.cap_ms);
            self.note(path, Code::OutOfRange, says, "the cap is the longest wait");
        }
        Some(retry)
    }

    fn retention(&mut self, default: Option<Retention>) -> Option<Retention> {
        let done_ms = self.millis_or("retention.done", default.map(|d| d.done_ms));
        let journal_ms = self.millis_or("retention.journal", default.map(|d| d.journal_ms));
        let snapshots = self.count("retention.snapshots", 10_000);
        let snapshots = snapshots.or_else(|| self.or("retention.snapshots", default.map(|d| d.snapshots)));
        Some(Retention { done_ms: done_ms?, journal_ms: journal_ms?, snapshots: snapshots? })
    }

    /// The user's list must name knowledge bases; of the default list, those that are configured remain.
    fn bootstrap(&mut self, kbs: &[KnowledgeBase], default: Option<&Vec<String>>) -> Option<Vec<String>> {
        let known = |name: &String| kbs.iter().any(|kb| kb.name == *name);
        let Some(names) = self.texts("session_bootstrap") else {
            let default = default.map(|names| names.iter().filter(|name| known(name)).cloned().collect());
            return self.or("session_bootstrap", default);
        };
        for (index, name) in names.iter().enumerate().filter(|(_, name)| !known(name)) {
            let hint = did_you_mean(name, kbs.iter().map(|kb| kb.name.as_str()));
            let path = format!("session_bootstrap[{index}]");
            self.note(&path, Code::UnknownKb, format!("is `{name}`, which is not a knowledge base"), hint);
        }
        Some(names)
    }
}
