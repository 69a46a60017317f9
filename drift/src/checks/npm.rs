//! Scripts of package.json: `npm run build`, `yarn lint`, `pnpm run test:unit`.

use super::{Named, Typed, is_plain, typed, undefined};
use crate::evidence::{is_for_developers, is_misspelt};
use crate::{DriftFinding, Look};
use std::collections::BTreeSet;

/// Commands that these programs have themselves, without a script of that name.
const OWN: [&str; 12] =
    ["install", "ci", "add", "remove", "init", "publish", "test", "start", "exec", "dlx", "link", "create"];

pub(crate) fn find(look: &Look<'_>) -> Vec<DriftFinding> {
    let mut named: Vec<(&str, Named)> = Vec::new();
    for program in ["npm", "pnpm", "yarn", "bun"] {
        for Typed { line, words, .. } in typed(look, program) {
            let script = match words.as_slice() {
                [_, "run" | "run-script", script, ..] => *script,
                // `npm test` and `npm start` run the scripts of these names.
                [_, script @ ("test" | "start"), ..] if program != "bun" => *script,
                _ => continue,
            };
            let is_other = |word: &&str| {
                ["--prefix", "--workspace", "--filter", "--dir", "--cwd"]
                    .iter()
                    .any(|flag| word.starts_with(flag))
                    || matches!(*word, "-w" | "-C" | "-F")
            };
            if is_plain(script) && !words.iter().any(is_other) {
                // A README that names one script may speak of the scripts of its reader.
                named.push((program, Named { line, name: script.to_owned(), sure: false }));
            }
        }
    }
    if named.is_empty() {
        return Vec::new();
    }
    let Some(scripts) = scripts(look) else { return Vec::new() };
    let (programs, named): (Vec<&str>, Vec<Named>) = named.into_iter().unzip();
    let ours: Vec<(usize, String)> = undefined(look, &named, &|name| scripts.contains(name))
        .into_iter()
        // A reader starts a program of their own.
        .filter(|named| {
            named.name != "start" || is_for_developers(look.document.path, look.document.text, named.line)
        })
        .map(|named| (named.line, named.name.clone()))
        .collect();
    let found = named.iter().zip(programs).filter(|(named, _)| !scripts.contains(&named.name)).filter_map(
        |(Named { line, name, .. }, program)| {
            let near = scripts.iter().find(|known| is_misspelt(known, name));
            let is_own = OWN.contains(&name.as_str());
            let says = if is_own { format!("{program} {name}") } else { format!("{program} run {name}") };
            let is_ours = near.is_some() || ours.contains(&(*line, name.clone()));
            is_ours.then(|| DriftFinding {
                line: *line,
                check: "npm",
                says,
                why: "package.json has no such script".to_owned(),
                now: near.map(|known| format!("{program} run {known}")),
            })
        },
    );
    found.collect()
}

/// The scripts of the nearest package.json that has any.
fn scripts(look: &Look<'_>) -> Option<BTreeSet<String>> {
    let mut dir = look.document.dir();
    loop {
        let path = if dir.is_empty() { "package.json".to_owned() } else { format!("{dir}/package.json") };
        let read = (look.read)(&path).and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
        if let Some(scripts) = read.as_ref().and_then(|package| package.get("scripts")?.as_object()) {
            return Some(scripts.keys().cloned().collect())
                .filter(|scripts: &BTreeSet<String>| !scripts.is_empty());
        }
        if dir.is_empty() {
            return None;
        }
        dir = dir.rsplit_once('/').map_or("", |(above, _)| above);
    }
}
