//! Targets of make: `make check`.

use super::{Named, first_in, is_plain, missing};
use crate::tree::{joined, name_of};
use crate::typed::{Typed, entered, led_into, typed};
use crate::{DriftCheck, DriftFinding, Look};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

const FILES: [&str; 3] = ["GNUmakefile", "Makefile", "makefile"];

/// How deep one Makefile includes another, and one variable is made of others.
const DEPTH_MAX: usize = 4;
/// So many values of a variable, and texts made of several, are looked at.
const VALUES_MAX: usize = 16;
/// What stands for names that a program lists.
const FILES_OF_DISK: &str = "*";

pub(crate) fn find(look: &Look<'_>) -> Vec<DriftFinding> {
    let mut by_directory: BTreeMap<Option<String>, Vec<Named>> = BTreeMap::new();
    for typed in typed(look, "make") {
        if let Some((within, named)) = named(look, typed) {
            by_directory.entry(within).or_default().extend(named);
        }
    }
    // A Makefile is read only for a document that names a target.
    let found = by_directory.into_iter().filter(|(_, named)| !named.is_empty());
    found.flat_map(|(within, named)| of_directory(look, within.as_deref(), &named)).collect()
}

/// The directory in which a command runs, and the targets that it names; `None` where another file is read, or another directory.
fn named(look: &Look<'_>, typed: Typed<'_>) -> Option<(Option<String>, Vec<Named>)> {
    let mut words = typed.words.iter().skip(1).copied().peekable();
    let mut within = typed.within.clone();
    while let Some(word) = words.next_if(|word| word.starts_with("-C")) {
        let dir = if word == "-C" { words.next()? } else { &word["-C".len()..] };
        within = Some(led_into(look, &typed, dir)?);
    }
    let words: Vec<&str> = words.collect();
    let is_other = |word: &&str| word.starts_with("-C") || word.starts_with("-f") || word.starts_with("--");
    if words.iter().any(is_other) {
        return None;
    }
    // Behind `FLAGS='-a` the value goes on.
    let is_open = |word: &&str| ['"', '\''].iter().any(|quote| word.matches(*quote).count() == 1);
    let targets = words.into_iter().take_while(|word| is_plain(word) || word.contains('=') && !is_open(word));
    let plain = targets.filter(|word| is_plain(word));
    let named = plain.map(|name| Named { line: typed.line, name: name.to_owned(), sure: typed.sure });
    Some((within, named.collect()))
}

/// What is wrong of the targets that are made in a directory, or in that of the document.
fn of_directory(look: &Look<'_>, within: Option<&str>, named: &[Named]) -> Vec<DriftFinding> {
    let targets = match within {
        Some(dir) => first_in(look, dir, &FILES).and_then(|text| {
            let mut targets = Targets::default();
            targets.add(look, dir, &text, DEPTH_MAX).map(|()| targets)
        }),
        None => of_document(look),
    };
    let Some(targets) = targets.filter(|targets| !targets.names.is_empty()) else { return Vec::new() };
    // A file that is there is made already, and make knows itself how to build a program from one. A directory is no target.
    let is_file = |name: &str| {
        let name = within.and_then(|dir| joined(dir, name)).unwrap_or_else(|| name.to_owned());
        look.tree.is_file(&name)
            || ["c", "cc", "cpp", "o"].iter().any(|ending| look.tree.is_file(&format!("{name}.{ending}")))
    };
    let of_others = OnceCell::new();
    let is_of_others =
        |name: &str| within.is_none() && of_others.get_or_init(|| of_named_directories(look)).have(name);
    let is_defined = |name: &str| {
        targets.have(name)
            || is_file(name)
            || targets.of_files && look.tree.ends(name).next().is_some()
            || is_of_others(name)
    };
    let known = targets.names.iter().map(String::as_str);
    let files = match within {
        Some(dir) => FILES.iter().filter_map(|name| joined(dir, name)).collect(),
        None => look.beside_and_above(&FILES),
    };
    let may_have = |path: &str| files.contains(path) || path.ends_with(".mk");
    let was_defined = |name: &str| {
        // `make -C web name`, too.
        let says = if within.is_some() { name.to_owned() } else { format!("make {name}") };
        look.once_had(&may_have, &says, &|text| makes(text, name))
    };
    let why = "the Makefile has no such target";
    missing(look, DriftCheck::Make, why, named, known, &is_defined, &was_defined)
}

/// The targets of the Makefile beside a document and of those further up; a README means of these only what is called like its directory.
fn of_document(look: &Look<'_>) -> Option<Targets> {
    let (mut targets, mut above) = (Targets::default(), Targets::default());
    let mut is_above = false;
    for dir in look.document.dirs() {
        let Some(text) = first_in(look, dir, &FILES) else { continue };
        let of = if is_above { &mut above } else { &mut targets };
        of.add(look, dir, &text, DEPTH_MAX)?;
        is_above |= look.document.is_readme() && dir == look.document.dir();
    }
    above.names.retain(|name| name.contains(name_of(look.document.dir())));
    targets.names.append(&mut above.names);
    Some(targets)
}

/// Whether a Makefile names a target as it is.
fn makes(text: &str, name: &str) -> bool {
    let has = |words: &str| words.split_whitespace().any(|word| word == name);
    let rules = text.lines().filter(|line| !line.starts_with(['\t', '#'])).filter_map(split_rule);
    rules.into_iter().any(|(left, right)| has(left) || left.trim() == ".PHONY" && has(right))
}

/// The targets of Makefiles further down whose directories the document names ("`make quick` in `images/base`") or enters in another block.
fn of_named_directories(look: &Look<'_>) -> Targets {
    let mut targets = Targets::default();
    let spans = look.document.spans.iter().flat_map(|span| span.text.split_whitespace());
    let dirs = spans.map(|word| word.trim_start_matches("./").trim_end_matches('/').to_owned());
    let dirs: BTreeSet<String> = dirs.chain(entered(look)).collect();
    for dir in dirs.iter().filter(|dir| !dir.is_empty() && look.tree.is_directory(dir)) {
        let text = first_in(look, dir, &FILES).unwrap_or_default();
        // What cannot be read has no target that we know.
        let _ = targets.add(look, dir, &text, DEPTH_MAX);
    }
    targets
}

/// What Makefiles can make.
#[derive(Default)]
struct Targets {
    names: BTreeSet<String>,
    /// The parts around each `%` of a pattern, which is any text, as is a part that is known only when make runs.
    patterns: Vec<Vec<String>>,
    /// `%: common-%`: any name of which the other one is there.
    others: Vec<(String, String)>,
    /// What each variable may be: it may be set more than once, for one case and for another.
    variables: BTreeMap<String, Vec<String>>,
    /// Some are what a program lists, as `$(wildcard cmd/*)` does: names of files and directories.
    of_files: bool,
}

impl Targets {
    /// Adds those of a Makefile for a make that runs in this directory; `None` where some of them are only known when it runs.
    fn add(&mut self, look: &Look<'_>, dir: &str, text: &str, depth: usize) -> Option<()> {
        let text = text.replace("\\\n", " ");
        let lines = || text.lines().filter(|line| !line.starts_with(['\t', '#']));
        for line in lines() {
            let Some((name, value)) = variable(without_comment(line)) else { continue };
            let known = self.variables.entry(name.to_owned()).or_default();
            if line.split('=').next().is_some_and(|left| left.ends_with('+')) && !known.is_empty() {
                known.iter_mut().for_each(|known| *known = format!("{known} {value}"));
            } else if known.len() < VALUES_MAX {
                known.push(value.to_owned());
            }
        }
        for line in lines() {
            let mut words = line.split_whitespace();
            match words.next() {
                Some(".DEFAULT:") => return None,
                Some(word @ ("include" | "-include" | "sinclude")) => {
                    let must = word == "include";
                    // Of `$(wildcard mk/*.mk)` the pattern.
                    let files = without_comment(line).trim()[word.len()..].replace("$(wildcard ", " ");
                    let files = files.replace("$(CURDIR)", ".").replace("${CURDIR}", ".");
                    for files in self.expanded(files.trim_end_matches(')'), DEPTH_MAX) {
                        let mut files = files.split_whitespace();
                        files.try_for_each(|file| self.include(look, dir, file, must, depth))?;
                    }
                    continue;
                }
                _ if line.contains("$(eval") && !is_of_known_template(&text, line) => return None,
                _ => {}
            }
            let line = without_comment(line);
            let Some((left, right)) = split_rule(line) else { continue };
            if variable(line).is_some() || right.starts_with('=') || left.contains('=') {
                continue;
            }
            // `$(ARCHS): docker-%: Dockerfile`: targets that are of one pattern.
            let of_pattern = right.trim_start_matches(':').split_once(':').map(|(pattern, _)| pattern.trim());
            if let Some(pattern) = of_pattern.filter(|pattern| pattern.contains('%') && *pattern != "%") {
                self.add_target(pattern, "")?;
                continue;
            }
            for left in self.expanded(left, DEPTH_MAX) {
                for name in left.split_whitespace() {
                    self.add_target(name, right)?;
                }
            }
            if left.trim() == ".PHONY" {
                for right in self.expanded(right, DEPTH_MAX) {
                    let mut names = right.split_whitespace().filter(|name| !name.contains('%'));
                    names.try_for_each(|name| self.add_target(name, ""))?;
                }
            }
        }
        Some(())
    }

    /// Adds a target; `right`: what stands behind its colon. `None` for one that is any name.
    fn add_target(&mut self, name: &str, right: &str) -> Option<()> {
        if name == FILES_OF_DISK {
            self.of_files = true;
            return Some(());
        }
        let name = name.replace(FILES_OF_DISK, "%");
        match name.split_once('%') {
            Some(("", "")) => {
                let other = right.split([';', '|']).next().unwrap_or_default().trim();
                let (before, behind) = other.split_once('%')?;
                if before.is_empty() && behind.is_empty() || other.contains(char::is_whitespace) {
                    return None;
                }
                self.others.push((before.to_owned(), behind.to_owned()));
            }
            // `$(A)$(B)` may be any name.
            Some(_) if name.chars().all(|c| c == '%') => return None,
            Some(_) => self.patterns.push(name.split('%').map(str::to_owned).collect()),
            None => drop(self.names.insert(name)),
        }
        Some(())
    }

    /// Adds those of a Makefile that another one includes. What is only known when make runs (`%/common.mk`) or is a pattern may be any
    /// file that fits.
    fn include(&mut self, look: &Look<'_>, dir: &str, file: &str, must: bool, depth: usize) -> Option<()> {
        let (before, behind) = file.split_once(['%', '*']).map_or((file, None), |(b, a)| (b, Some(a)));
        let files: Vec<String> = match behind {
            Some(behind) => {
                let behind = behind.rsplit(['%', '*']).next().unwrap_or(behind).trim_start_matches('/');
                // Of what only a program tells (`$(ROOT)/tools.mk`) the place is not known.
                let from =
                    if before.is_empty() { String::new() } else { joined(dir, before).unwrap_or_default() };
                let fits =
                    |path: &&str| path.starts_with(&from) && !behind.is_empty() && path.ends_with(behind);
                look.tree.files().filter(fits).map(str::to_owned).collect()
            }
            None => joined(dir, file).into_iter().collect(),
        };
        let texts: Vec<String> = files.iter().filter_map(|path| (look.read)(path)).collect();
        // `-include`: a file that may be missing has dependencies or variables as a rule, and no targets.
        if texts.is_empty() || depth == 0 {
            return (!must).then_some(());
        }
        texts.iter().try_for_each(|text| self.add(look, dir, text, depth - 1))
    }

    /// What a text may be with its variables filled in; what is only known when make runs is `%`, as in a pattern.
    fn expanded(&self, text: &str, depth: usize) -> Vec<String> {
        let mut made = vec![String::new()];
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('$') {
            let (name, after) = reference(behind);
            let values = self.values(name, depth);
            let all =
                made.iter().flat_map(|made| values.iter().map(move |value| format!("{made}{before}{value}")));
            made = all.take(VALUES_MAX).collect();
            rest = after;
        }
        made.iter().map(|made| format!("{made}{rest}")).collect()
    }

    /// What a variable, or a call of a function, may be.
    fn values(&self, name: &str, depth: usize) -> Vec<String> {
        if let Some(known) = self.variables.get(name).filter(|_| depth > 0) {
            let of_each = known.iter().flat_map(|value| self.expanded(value, depth - 1));
            return of_each.map(|value| value.trim().to_owned()).take(VALUES_MAX).collect();
        }
        let (function, arguments) = name.split_once([' ', '\t']).unwrap_or((name, ""));
        let around = |before: &str, behind: &str, words: &str| -> Vec<String> {
            let of = |words: &String| {
                words.split_whitespace().map(|word| format!("{before}{word}{behind}")).collect()
            };
            self.expanded(words, depth.saturating_sub(1))
                .iter()
                .map(of)
                .map(|all: Vec<_>| all.join(" "))
                .collect()
        };
        match (function, arguments.split_once(',')) {
            ("addprefix", Some((before, words))) if !before.contains('$') => around(before.trim(), "", words),
            ("addsuffix", Some((behind, words))) if !behind.contains('$') => around("", behind.trim(), words),
            (
                "wildcard" | "shell" | "notdir" | "basename" | "dir" | "patsubst" | "sort" | "filter-out",
                _,
            ) => {
                vec![FILES_OF_DISK.to_owned()]
            }
            _ => vec!["%".to_owned()],
        }
    }

    fn have(&self, name: &str) -> bool {
        let has_other = |(before, behind): &(String, String)| {
            let other = format!("{before}{name}{behind}");
            self.names.contains(&other) || self.patterns.iter().any(|pattern| fits(pattern, &other))
        };
        self.names.contains(name)
            || self.patterns.iter().any(|pattern| fits(pattern, name))
            || self.others.iter().any(has_other)
    }
}

/// Whether a name has these parts in their order, the first at its beginning and the last at its end, and something between them.
fn fits(parts: &[String], name: &str) -> bool {
    let [first, between @ .., last] = parts else { return false };
    let inner = name.strip_prefix(first.as_str()).and_then(|rest| rest.strip_suffix(last.as_str()));
    let Some(mut rest) = inner.filter(|inner| !inner.is_empty()) else { return false };
    between.iter().filter(|part| !part.is_empty()).all(|part| {
        let found = rest.split_once(part.as_str());
        rest = found.map_or(rest, |(_, behind)| behind);
        found.is_some()
    })
}

/// Whether a line has make read what a `define` of the same text gives (`$(eval $(call build,kit))`), whose lines are read as they are, or
/// sets a variable.
fn is_of_known_template(text: &str, line: &str) -> bool {
    let evals = line.split("$(eval").skip(1).map(|behind| behind.trim_start());
    evals.into_iter().all(|behind| match behind.strip_prefix("$(call") {
        Some(called) => {
            let name = called.trim_start().split([',', ')']).next().unwrap_or_default().trim();
            text.lines()
                .filter_map(|line| line.strip_prefix("define "))
                .any(|defined| defined.split(['=', ' ']).next() == Some(name))
        }
        None => variable(behind).is_some(),
    })
}

/// What stands before and behind the first colon that is in no call of a function: `$(warning see: x)` is no rule.
fn split_rule(line: &str) -> Option<(&str, &str)> {
    let mut depth = 0;
    for (at, c) in line.char_indices() {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth -= 1,
            ':' if depth == 0 => return Some((&line[..at], &line[at + 1..])),
            _ => {}
        }
    }
    None
}

/// A line without what stands behind a `#`.
fn without_comment(line: &str) -> &str {
    let begins = line.match_indices('#').map(|(at, _)| at).find(|at| !line[..*at].ends_with('\\'));
    begins.map_or(line, |at| &line[..at])
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
