//! Scripts that a document tells to run: `./scripts/release.sh`, `python tools/make.py`.

use super::paths;
use crate::evidence::{Asked, findings, has_siblings};
use crate::typed::commands;
use crate::{DriftCheck, DriftFinding, Look, document::Mention};

const RUNNERS: [&str; 12] =
    ["python", "python3", "node", "bash", "sh", "ruby", "perl", "deno", "bun", "source", ".", "php"];

/// `./check.sh`: a script beside the document, or where a reader is.
fn beside(look: &Look<'_>, script: &str) -> Option<String> {
    let name = script.strip_prefix("./")?;
    // `paths::path` wants a directory in front; which one is no matter here. A program that was built has no ending either.
    let is_file = || {
        paths::path(&format!("scripts/{name}")).is_some()
            || has_siblings(look.tree, name)
            || look.was_whole(name)
    };
    (!name.contains('/') && is_file()).then(|| name.to_owned())
}

/// `./check.sh` alone between backticks: something to run, unlike `./data.json`.
fn is_script(look: &Look<'_>, span: &str) -> bool {
    const ENDINGS: [&str; 6] = ["sh", "bash", "zsh", "py", "rb", "pl"];
    let name = span.strip_prefix("./").filter(|name| !name.contains('/'));
    let of_shell = |name: &str| name.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending));
    name.is_some_and(|name| of_shell(name) || has_siblings(look.tree, name) || look.was_whole(name))
}

pub(crate) fn find(look: &Look<'_>) -> Vec<DriftFinding> {
    let script = |words: &[&str]| match words {
        [runner, script, ..] if RUNNERS.contains(runner) => Some((*script).to_owned()),
        [script, ..] if script.starts_with("./") => Some((*script).to_owned()),
        _ => None,
    };
    let mentions: Vec<Mention> = look
        .document
        .shell
        .iter()
        .chain(&look.document.bare)
        // A span that is a path alone is looked at as one.
        .chain(
            look.document.spans.iter().filter(|span| span.text.contains(' ') || is_script(look, &span.text)),
        )
        .flat_map(|line| {
            commands(&line.text).into_iter().filter_map(|words| script(&words)).map(|text| (line.line, text))
        })
        .filter_map(|(line, text)| {
            // `./scripts/make` has no ending, and is nothing else than a file.
            let in_directory = || paths::two_words(look.tree, text.strip_prefix("./")?);
            let path = paths::path(&text).or_else(|| beside(look, &text)).or_else(in_directory)?;
            Some(Mention { line, text: path })
        })
        .collect();
    let (check, why) = (DriftCheck::Command, "there is no such script");
    findings(look, &mentions, &Asked { check, why, has_words: &|_, _| false, is_ours: &|_| false })
}
