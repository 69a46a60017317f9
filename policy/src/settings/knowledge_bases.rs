//! The knowledge bases of a configuration, each checked against the rules of names and paths.

use super::Value;
use super::overlay::Fields;
use crate::family;
use crate::index::GeneratedIndex;
use crate::knowledge_base::{
    KnowledgeBase, MARK_BELOW, MIN_TRUST, OnHit, OnOverBudget, Policy, Root, VALIDATE_MS,
};
use declaration::Code;
use declaration::trust::Trust;
use markdown_merge::Headings;
use std::path::{Component, Path};

/// A larger budget is taken for a mistake.
const BUDGET_CHARS_MAX: u32 = 10_000_000;
const NAME_CHARS_MAX: usize = 64;

/// The file's knowledge bases in its order; `None` when it leaves them out.
pub(super) fn kbs(fields: &mut Fields<'_>) -> Option<Vec<KnowledgeBase>> {
    let Value::Map(pairs) = fields.value("knowledge_bases")? else { return None };
    let names: Vec<String> = pairs.iter().map(|pair| pair.name.clone()).collect();
    let mut kbs: Vec<KnowledgeBase> = Vec::new();
    for name in names {
        let at = format!("knowledge_bases.{name}");
        if !is_name(&name) {
            let says = format!("is named `{name}`");
            fields.note(
                &at,
                Code::BadName,
                says,
                "names are lower case letters, digits, `-` and `_`, at most 64",
            );
            continue;
        }
        let Some(kb) = kb(fields, &at, name) else { continue };
        if let Some(twin) = kbs.iter().find(|other| (other.root, &other.path) == (kb.root, &kb.path)) {
            let says = format!("is the document of `{}`, too", twin.name);
            fields.note(
                &format!("{at}.path"),
                Code::DuplicateDocument,
                says,
                "one document, one knowledge base",
            );
        }
        kbs.push(kb);
    }
    for kb in kbs.iter().filter(|kb| copies_itself(kb, &kbs)) {
        fields.note(
            &format!("knowledge_bases.{}.copy_of", kb.name),
            Code::BadPath,
            "leads back to the document itself, whose copies would grow for ever",
            "name the one document that is written, in all its copies",
        );
    }
    Some(kbs)
}

/// Whether the document is copied from itself, by way of others or not.
fn copies_itself(kb: &KnowledgeBase, kbs: &[KnowledgeBase]) -> bool {
    let mut of = kb.copy_of.as_ref();
    for _ in 0..=kbs.len() {
        if of == Some(&kb.path) {
            return true;
        }
        let source = kbs.iter().find(|other| other.root == kb.root && of == Some(&other.path));
        of = source.and_then(|source| source.copy_of.as_ref());
    }
    false
}

fn kb(fields: &mut Fields<'_>, at: &str, name: String) -> Option<KnowledgeBase> {
    let field = |name: &str| format!("{at}.{name}");
    let root = match fields.text(&field("root")).as_deref() {
        Some("project") => Root::Project,
        Some("home") => Root::Home,
        _ => Root::None,
    };
    let path = fields.text(&field("path"))?;
    check_path(fields, &field("path"), &path, root);
    let dated =
        path.matches('{').count() == 1 && path.rsplit('/').next().is_some_and(|file| file.contains("{date}"));
    if !dated && fields.value(&field("keep_days")).is_some() {
        let hint = "only files with a {date} and no other variable have an age";
        fields.note(&field("keep_days"), Code::NoDate, "does nothing for this path", hint);
    }
    let min_confidence = fields.share(&field("min_confidence"));
    let mut budget =
        |name: &str| fields.count(&field(name), BUDGET_CHARS_MAX).and_then(|most| usize::try_from(most).ok());
    let (budget_chars, budget_tokens) = (budget("budget_chars"), budget("budget_tokens"));
    let section_budget_chars = budget("section_budget_chars");
    let tag = fields.tag(&field("tag")).unwrap_or_else(|| KnowledgeBase::default_tag(&name));
    Some(KnowledgeBase {
        title: fields.text(&field("title")).unwrap_or_else(|| name.clone()),
        tag,
        name,
        path,
        root,
        policy: match fields.text(&field("policy")).as_deref() {
            Some("review") => Policy::Review,
            Some("read-only") => Policy::ReadOnly,
            _ => Policy::Auto,
        },
        create: fields.bool(&field("create")).unwrap_or(true),
        front_matter: fields.bool(&field("frontmatter")).unwrap_or(false),
        machine_block: fields.text(&field("block")).is_some(),
        budget_chars,
        budget_tokens,
        section_budget_chars,
        on_over_budget: match fields.text(&field("on_over_budget")).as_deref() {
            Some("review") => OnOverBudget::Review,
            _ => OnOverBudget::Fail,
        },
        min_confidence,
        min_trust: fields.text(&field("min_trust")).and_then(|word| Trust::parse(&word)).unwrap_or(MIN_TRUST),
        mark_below: fields.share(&field("mark_below")).unwrap_or(MARK_BELOW),
        on_hit: on_hit(fields, at),
        rewriter: fields.texts(&field("rewriter")).unwrap_or_default(),
        template: fields
            .text(&field("template"))
            .inspect(|path| fields.absolute_one(&field("template"), path)),
        keep_days: fields.count(&field("keep_days"), 100_000),
        headings: Headings {
            allow: fields.texts(&field("headings.allow")).unwrap_or_default(),
            deny: fields.texts(&field("headings.deny")).unwrap_or_default(),
            review: fields.texts(&field("headings.review")).unwrap_or_default(),
        },
        redact: fields.bool(&field("redact")).unwrap_or(true),
        validate: validators(fields, &field("validate")),
        validate_ms: fields.millis(&field("validate_timeout")).unwrap_or(VALIDATE_MS),
        snapshots: fields.count(&field("snapshots"), 10_000),
        index: index(fields, at, root),
        copy_of: copy_of(fields, at, root),
    })
}

/// The document that this one has a copy of. The block is the worker's then.
fn copy_of(fields: &mut Fields<'_>, at: &str, root: Root) -> Option<String> {
    let path = format!("{at}.copy_of");
    fields.value(&path)?;
    let of = fields.text(&path)?;
    check_path(fields, &path, &of, root);
    let has = |field: &str| fields.value(&format!("{at}.{field}")).is_some();
    if has("block") || has("index") {
        let hint = "leave the other out: what stands around the copy may be written";
        let what = "and `index` or `block: machine` cannot both have the machine block";
        fields.note(&path, Code::IndexAndBlock, what, hint);
    }
    Some(of)
}

/// The index that the document keeps. The block is the worker's then, so that agents cannot have it as well.
fn index(fields: &mut Fields<'_>, at: &str, root: Root) -> Option<GeneratedIndex> {
    let path = format!("{at}.index");
    fields.value(&path)?;
    let of = fields.text(&format!("{path}.of"))?;
    check_path(fields, &format!("{path}.of"), &of, root);
    if fields.text(&format!("{at}.block")).is_some() {
        let hint = "leave `block` out: what stands around the index may be written";
        fields.note(
            &path,
            Code::IndexAndBlock,
            "and `block: machine` cannot both have the machine block",
            hint,
        );
    }
    Some(GeneratedIndex {
        of,
        when: fields.text(&format!("{path}.when")).unwrap_or_else(|| "read_when".to_owned()),
    })
}

/// What becomes of relative words; only with a gate.
fn on_hit(fields: &mut Fields<'_>, at: &str) -> Option<OnHit> {
    let says = fields.text(&format!("{at}.on_hit"));
    if fields.text(&format!("{at}.gate")).is_none() {
        for name in ["on_hit", "rewriter"] {
            let path = format!("{at}.{name}");
            if fields.value(&path).is_some() {
                fields.note(&path, Code::NoGate, "does nothing without a gate", "add `gate: absolutize`");
            }
        }
        return None;
    }
    Some(match says.as_deref() {
        Some("review") => OnHit::Review,
        Some("fail") => OnHit::Fail,
        _ => OnHit::Warn,
    })
}

/// Each a program with its arguments, which must say where the text goes.
fn validators(fields: &mut Fields<'_>, at: &str) -> Vec<Vec<String>> {
    let lists = fields.lists(at);
    for (index, argv) in lists.iter().enumerate() {
        let at = format!("{at}[{index}]");
        if argv.first().is_none_or(|name| name.trim().is_empty()) {
            fields.note(&at, Code::NoProgram, "names no program", "[the program, its arguments ...]");
        } else if !argv.iter().skip(1).any(|word| word.contains("{candidate}")) {
            let hint = "write {candidate} where the path of the merged text goes";
            fields.note(&at, Code::NoCandidate, "does not say where the text goes", hint);
        }
    }
    lists
}

pub(super) fn is_name(name: &str) -> bool {
    let letters =
        name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_'));
    letters && !name.is_empty() && name.len() <= NAME_CHARS_MAX
}

/// With a root a path is relative and stays below it; without one it is absolute or begins with `~/`.
fn check_path(fields: &mut Fields<'_>, at: &str, path: &str, root: Root) {
    let climbs = Path::new(path).components().any(|component| component == Component::ParentDir);
    let absolute = path.starts_with('/') || path.starts_with('~');
    let is = format!("is `{path}`");
    if let Err(why) = family::variables(path) {
        fields.note(at, Code::BadPath, format!("is `{path}`: {why}"), "such as profiles/{user_id}.md");
    } else if path.trim().is_empty() || path.ends_with('/') || path.contains(['\0', '\n']) || path == "~" {
        fields.note(at, Code::BadPath, is, "name a file");
    } else if climbs {
        fields.note(at, Code::PathEscape, is, "write it without `..`");
    } else if root == Root::None && !(path.starts_with('/') || path.starts_with("~/")) {
        fields.note(
            at,
            Code::RelativePath,
            is,
            "begin it with / or ~/, or say `root: project` or `root: home`",
        );
    } else if root != Root::None && absolute {
        fields.note(at, Code::AbsolutePath, is, "with `root` the path is relative to it");
    }
}
