//! Targets of make: `make check`.

use super::{Named, Typed, first_in, is_plain, missing, typed};
use crate::{DriftFinding, Look};
use std::collections::{BTreeMap, BTreeSet};

const FILES: [&str; 3] = ["GNUmakefile", "Makefile", "makefile"];

/// How deep one Makefile includes another, and one variable is made of others.
const DEPTH_MAX: usize = 4;

pub(crate) fn find(look: &Look<'_>) -> Vec<DriftFinding> {
    let typed = typed(look, "make");
    // A Makefile is read only for a document that names a target.
    if typed.is_empty() {
        return Vec::new();
    }
    // A document that is no README may mean the Makefile beside it or one further up.
    let mut targets = Targets::default();
    for dir in look.document.dirs() {
        let Some(text) = first_in(look, dir, &FILES) else { continue };
        if targets.add(look, &text, DEPTH_MAX).is_none() {
            return Vec::new();
        }
        if look.document.is_readme() && dir == look.document.dir() {
            break;
        }
    }
    if targets.names.is_empty() {
        return Vec::new();
    }
    // The command runs in another directory, or reads another file.
    let is_other = |word: &&str| word.starts_with("-C") || word.starts_with("-f") || word.starts_with("--");
    let here = typed.into_iter().filter(|typed| !typed.words.iter().any(is_other));
    let named: Vec<Named> = here
        .flat_map(|Typed { line, words, sure }| {
            let targets = words.into_iter().skip(1).take_while(|word| is_plain(word) || word.contains('='));
            let plain = targets.filter(|word| is_plain(word));
            plain.map(move |name| Named { line, name: name.to_owned(), sure })
        })
        .collect();
    let is_defined = |name: &str| targets.have(name) || look.tree.has(name);
    let known = targets.names.iter().map(String::as_str);
    missing(look, "make", "the Makefile has no such target", &named, known, &is_defined)
}

/// What Makefiles can make.
#[derive(Default)]
struct Targets {
    names: BTreeSet<String>,
    /// What stands before and behind the `%` of a pattern, or a part that is known only when make runs.
    patterns: Vec<(String, String)>,
    variables: BTreeMap<String, String>,
}

impl Targets {
    /// Adds those of a Makefile; `None` where some of them are only known when make runs.
    fn add(&mut self, look: &Look<'_>, text: &str, depth: usize) -> Option<()> {
        let text = text.replace("\\\n", " ");
        let lines = || text.lines().filter(|line| !line.starts_with(['\t', '#']));
        for (name, value) in lines().filter_map(variable) {
            let all = self.variables.entry(name.to_owned()).or_default();
            all.push(' ');
            all.push_str(value);
        }
        for line in lines() {
            let mut words = line.split_whitespace();
            match words.next() {
                Some(".DEFAULT:") => return None,
                Some(word @ ("include" | "-include" | "sinclude")) => {
                    let must = word == "include";
                    words.try_for_each(|file| self.include(look, file, must, depth))?;
                    continue;
                }
                _ if line.contains("$(eval") => return None,
                _ => {}
            }
            let Some((left, right)) = line.split_once(':') else { continue };
            if variable(line).is_some() || right.starts_with('=') || left.contains('=') {
                continue;
            }
            let left = self.expanded(left, DEPTH_MAX);
            for name in left.split_whitespace() {
                self.add_target(name)?;
            }
            if left.trim() == ".PHONY" {
                let right = self.expanded(right, DEPTH_MAX);
                self.names
                    .extend(right.split_whitespace().filter(|name| !name.contains('%')).map(str::to_owned));
            }
        }
        Some(())
    }

    fn add_target(&mut self, name: &str) -> Option<()> {
        match name.split_once('%') {
            Some(("", "")) => return None,
            Some((before, rest)) => {
                let behind = rest.rsplit('%').next().unwrap_or(rest);
                self.patterns.push((before.to_owned(), behind.to_owned()));
            }
            None => drop(self.names.insert(name.to_owned())),
        }
        Some(())
    }

    fn include(&mut self, look: &Look<'_>, file: &str, must: bool, depth: usize) -> Option<()> {
        let read = (depth > 0).then(|| (look.read)(file)).flatten();
        match read {
            Some(text) => self.add(look, &text, depth - 1),
            // `-include`: a file that may be missing has dependencies or variables as a rule, and no targets.
            None => (!must).then_some(()),
        }
    }

    /// A text with its variables filled in; what is only known when make runs is `%`, as in a pattern.
    fn expanded(&self, text: &str, depth: usize) -> String {
        let mut made = String::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('$') {
            made.push_str(before);
            let (name, after) = reference(behind);
            match self.variables.get(name).filter(|_| depth > 0) {
                Some(value) => made.push_str(self.expanded(value, depth - 1).trim()),
                None => made.push('%'),
            }
            rest = after;
        }
        made + rest
    }

    fn have(&self, name: &str) -> bool {
        let fits = |(before, behind): &(String, String)| {
            name.len() > before.len() + behind.len()
                && name.starts_with(before.as_str())
                && name.ends_with(behind.as_str())
        };
        self.names.contains(name) || self.patterns.iter().any(fits)
    }
}

/// Name and value of a line that sets a variable.
fn variable(line: &str) -> Option<(&str, &str)> {
    let (left, value) = line.split_once('=')?;
    let name = left.trim_end_matches([':', '?', '+', '!']).trim();
    let name = name.strip_prefix("export ").or_else(|| name.strip_prefix("override ")).unwrap_or(name).trim();
    let good =
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    good.then_some((name, value))
}

/// What stands behind a `$`: the name of a variable or the words of a function, and the rest.
fn reference(behind: &str) -> (&str, &str) {
    let Some(first) = behind.chars().next() else { return ("", "") };
    let close = match first {
        '(' => ')',
        '{' => '}',
        first => return behind.split_at(first.len_utf8()),
    };
    let mut depth = 0;
    for (at, c) in behind.char_indices() {
        depth += i32::from(c == first);
        depth -= i32::from(c == close);
        if depth == 0 {
            return (&behind[1..at], &behind[at + 1..]);
        }
    }
    (behind, "")
}
