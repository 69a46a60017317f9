//! Scripts of package.json: `npm run build`, `yarn lint`, `pnpm run test:unit`.

use super::{is_plain, typed};
use crate::evidence::{is_for_developers, is_misspelt};
use crate::{DriftFinding, Look};
use std::collections::BTreeSet;

/// Commands that these programs have themselves, without a script of that name.
const OWN: [&str; 12] =
    ["install", "ci", "add", "remove", "init", "publish", "test", "start", "exec", "dlx", "link", "create"];

pub(crate) fn find(look: &Look<'_>) -> Vec<DriftFinding> {
    let mut named = Vec::new();
    for program in ["npm", "pnpm", "yarn", "bun"] {
        for (line, words) in typed(look, program) {
            let script = match words.as_slice() {
                [_, "run" | "run-script", script, ..] => *script,
                // `npm test` and `npm start` run the scripts of these names.
                [_, script @ ("test" | "start"), ..] if program != "bun" => *script,
                _ => continue,
            };
            if is_plain(script)
                && !words.iter().any(|word| {
                    word.starts_with("--prefix")
                        || *word == "-w"
                        || word.starts_with("--workspace")
                        || *word == "--filter"
                })
            {
                named.push((line, program, script));
            }
        }
    }
    if named.is_empty() {
        return Vec::new();
    }
    let Some(scripts) = scripts(look) else { return Vec::new() };
    let there = named.iter().filter(|(_, _, script)| scripts.contains(*script)).count();
    let gone = named.len() - there;
    let found = named.into_iter().filter(|(_, _, script)| !scripts.contains(*script)).filter_map(
        |(line, program, script)| {
            let near = scripts.iter().find(|known| is_misspelt(known, script));
            let is_own = OWN.contains(&script);
            let ours = near.is_some()
                || there >= 2 && there >= gone
                || is_for_developers(look.document.path, look.document.text, line);
            let says = if is_own { format!("{program} {script}") } else { format!("{program} run {script}") };
            ours.then(|| DriftFinding {
                line,
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
