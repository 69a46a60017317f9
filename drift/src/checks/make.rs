//! Targets of make: `make check`.

use super::{is_plain, typed};
use crate::evidence::is_near;
use crate::{DriftFinding, Look};
use std::collections::BTreeSet;

const FILES: [&str; 3] = ["GNUmakefile", "Makefile", "makefile"];

pub(crate) fn find(look: &Look<'_>) -> Vec<DriftFinding> {
    let typed = typed(look, "make");
    // The Makefile is read only for a document that names a target.
    if typed.is_empty() {
        return Vec::new();
    }
    let Some(text) = FILES.iter().find_map(|name| (look.read)(name)) else { return Vec::new() };
    let Some(targets) = targets(&text) else { return Vec::new() };
    let mut found = Vec::new();
    for (line, words) in typed {
        // `make -C dir` and `make -f file` read another Makefile.
        if words.iter().any(|word| word.starts_with("-C") || word.starts_with("-f") || word.starts_with("--"))
        {
            continue;
        }
        for target in words.iter().skip(1).filter(|word| is_plain(word)) {
            if !targets.contains(*target) && !look.tree.has(target) {
                let now =
                    targets.iter().find(|known| is_near(known, target)).map(|known| format!("make {known}"));
                let why = "the Makefile has no such target".to_owned();
                found.push(DriftFinding { line, check: "make", says: format!("make {target}"), why, now });
            }
        }
    }
    found
}

/// The targets of a Makefile; `None` if it includes other files or has targets by pattern.
fn targets(text: &str) -> Option<BTreeSet<&str>> {
    let mut targets = BTreeSet::new();
    for line in text.lines() {
        let words = line.split_whitespace();
        if matches!(words.clone().next(), Some("include" | "-include" | "sinclude" | ".DEFAULT:"))
            || line.contains("$(eval")
        {
            return None;
        }
        if line.starts_with(['\t', ' ', '#']) {
            continue;
        }
        let Some((left, right)) = line.split_once(':') else { continue };
        if right.starts_with('=') || left.contains('=') {
            continue;
        }
        if left.contains(['%', '$']) {
            return None;
        }
        targets.extend(left.split_whitespace());
        if left.trim() == ".PHONY" {
            targets.extend(right.split_whitespace());
        }
    }
    (!targets.is_empty()).then_some(targets)
}
