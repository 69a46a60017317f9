//! Environment variables: `MYAPP_LOG_LEVEL`. Reported only if the code has others that begin alike (`MYAPP_`), a *family*.

use crate::document::Mention;
use crate::{DriftFinding, Look};
use std::collections::BTreeSet;

/// The most code that is searched, in bytes; in a larger tree nothing is reported.
const BYTES_MAX: usize = 24 << 20;
/// Endings of files that are not code.
const TEXTS: [&str; 14] =
    ["md", "rst", "txt", "lock", "svg", "png", "jpg", "gif", "pdf", "ico", "woff", "woff2", "map", "html"];

/// Families that belong to other programs. That the code reads one variable of such a family says nothing about the others.
const FOREIGN: [&str; 24] = [
    "NODE_", "NPM_", "PYTHON_", "PIP_", "RUST_", "CARGO_", "GIT_", "GITHUB_", "GITLAB_", "CI_", "AWS_",
    "AZURE_", "GOOGLE_", "DOCKER_", "HTTP_", "HTTPS_", "NO_", "LC_", "XDG_", "SSH_", "SSL_", "JAVA_", "PG_",
    "UV_",
];

pub(crate) fn find(look: &Look<'_>) -> Vec<DriftFinding> {
    let named: Vec<Mention> = look
        .document
        .spans
        .iter()
        .filter_map(|span| Some(Mention { text: variable(&span.text)?.to_owned(), line: span.line }))
        .filter(|mention| speaks_of_environment(look, mention.line))
        .collect();
    if named.is_empty() || !look.tree.is_complete() {
        return Vec::new();
    }
    let Some(known) = known(look) else { return Vec::new() };
    let family = |name: &str| name.split_once('_').map(|(family, _)| format!("{family}_"));
    let found = named.into_iter().filter(|mention| !known.contains(&mention.text)).filter_map(|mention| {
        let family = family(&mention.text).filter(|family| !FOREIGN.contains(&family.as_str()))?;
        let relatives: Vec<&String> = known.iter().filter(|known| known.starts_with(&family)).collect();
        // The code puts the name together from parts (`MYAPP_` and a word), so a search for the whole name proves nothing.
        let is_composed = known.contains(&family)
            || relatives.iter().any(|known| known.ends_with('_') && mention.text.starts_with(known.as_str()));
        if relatives.len() < 2 || is_composed {
            return None;
        }
        let mut near = relatives.iter().filter(|known| crate::evidence::is_near(known, &mention.text));
        let now = near.next().filter(|_| near.next().is_none()).map(|known| (**known).clone());
        let why = "no file of the code has that variable, and others of its family it has".to_owned();
        Some(DriftFinding { line: mention.line, check: "variable", says: mention.text, why, now })
    });
    found.collect()
}

/// The variable's name in a text like `MYAPP_LOG`, `$MYAPP_LOG` or `MYAPP_LOG=debug`.
fn variable(span: &str) -> Option<&str> {
    let name = span.trim().trim_start_matches('$').trim_matches(['{', '}']).split('=').next()?;
    let letters = name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    (letters && name.contains('_') && name.len() > 4 && !name.ends_with('_') && !name.starts_with('_'))
        .then_some(name)
}

/// Whether the line, or the heading above it, says that it is about the environment.
fn speaks_of_environment(look: &Look<'_>, line: usize) -> bool {
    let says = |text: &str| {
        let text = text.to_lowercase();
        text.contains("environment") || text.contains("env var") || text.contains("export ")
    };
    let heading = look.document.text.lines().take(line).filter(|line| line.starts_with('#')).last();
    says(look.document.line(line)) || heading.is_some_and(says)
}

/// Every word of the code that may be a variable's name; `None` if there is too much code to search.
fn known(look: &Look<'_>) -> Option<BTreeSet<String>> {
    let mut known = BTreeSet::new();
    let mut bytes = 0;
    for path in look.tree.files() {
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        if TEXTS.contains(&ending) || look.tree.is_made(path) {
            continue;
        }
        let Some(text) = (look.read)(path) else { continue };
        bytes += text.len();
        if bytes > BYTES_MAX {
            return None;
        }
        let words = text.split(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'));
        known.extend(words.filter(|word| word.len() > 2 && word.contains('_')).map(str::to_owned));
    }
    Some(known)
}
