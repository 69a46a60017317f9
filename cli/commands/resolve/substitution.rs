//! `--sed s/…/…/`: the same change to many jobs, in the syntax of `sed`. It changes what an entry says (heading, content,
//! `old_text`), never the pipeline's part of a job.

use crate::failure::{self, Failure};
use engine::Decisions;
use operator::Action;
use queue_layout::Listed;
use regex::{Captures, Regex, RegexBuilder};
use std::collections::BTreeMap;

/// A pattern and its replacement.
#[derive(Debug, Clone)]
pub struct Substitution {
    pattern: Regex,
    with: Vec<Part>,
    /// Replaces every match in a line, not only the first.
    global: bool,
}

/// A part of the replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    /// What this group matched; 0 is the whole match.
    Group(usize),
}

/// The result of a substitution in one job.
#[derive(Debug)]
pub struct Substituted {
    /// What is to be done with the job.
    pub action: Action,
    /// The lines that change: before and after.
    pub lines: Vec<(String, String)>,
    /// The lines of the document that go with it.
    pub gone: Vec<String>,
}

impl Substitution {
    /// Reads `s/pattern/replacement/flags`. Any character may stand for `/`; the flags are `g` and `i`.
    pub fn read(said: &str) -> Result<Substitution, Failure> {
        let bad = |why: String| {
            Failure::new(format!("--sed `{said}`: {why}"))
                .hint("e.g. --sed 's/Restrat/Restart/'; flags: g (every match in a line), i (any case)")
                .exit(failure::Exit::Usage)
        };
        let mut chars = said.chars();
        let Some('s') = chars.next() else { return Err(bad("it does not begin with `s`".to_owned())) };
        let Some(mark) = chars.next().filter(|c| !c.is_alphanumeric() && *c != '\\') else {
            return Err(bad("after the `s` a `/` is missing".to_owned()));
        };
        let parts = split(chars.as_str(), mark);
        let [pattern, with, flags] = parts.as_slice() else {
            return Err(bad(format!("it needs three `{mark}`, and has {}", parts.len())));
        };
        if let Some(unknown) = flags.chars().find(|flag| !"gi".contains(*flag)) {
            return Err(bad(format!("there is no flag `{unknown}`")));
        }
        let pattern = RegexBuilder::new(pattern).case_insensitive(flags.contains('i')).build();
        let pattern = pattern.map_err(|e| bad(format!("the pattern cannot be read: {e}")))?;
        let with = parts_of(with);
        let highest = with.iter().map(|part| if let Part::Group(n) = part { *n } else { 0 }).max();
        match highest.filter(|highest| *highest >= pattern.captures_len()) {
            Some(highest) => Err(bad(format!(
                "the pattern has no group {highest}; a group is written `(…)`, as with `sed -E`"
            ))),
            None => Ok(Substitution { pattern, with, global: flags.contains('g') }),
        }
    }

    /// A text with the change in it, line by line as `sed` does.
    pub fn of(&self, text: &str) -> String {
        let put = |found: &Captures<'_>| -> String {
            let part = |part: &Part| match part {
                Part::Text(text) => text.clone(),
                Part::Group(n) => found.get(*n).map_or_else(String::new, |group| group.as_str().to_owned()),
            };
            self.with.iter().map(part).collect()
        };
        let limit = usize::from(!self.global);
        let lines = text.split('\n').map(|line| self.pattern.replacen(line, limit, put).into_owned());
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The edit that makes the change in a job, checked like every edit; `None` where nothing changes.
    pub fn in_job(&self, decisions: &Decisions, listed: &Listed) -> Result<Option<Substituted>, Failure> {
        let changed = decisions.with_texts_changed(listed, &|text| self.of(text))?;
        Ok(changed.map(|changed| {
            let lines =
                changed.lines().map(|(before, after)| (before.to_owned(), after.to_owned())).collect();
            Substituted { lines, gone: changed.gone, action: changed.action }
        }))
    }
}

/// What changes in how many jobs: each pair of lines once.
pub fn preview<'s>(changes: impl Iterator<Item = &'s Substituted> + Clone) -> Vec<String> {
    const PAIRS_MAX: usize = 10;
    let gone: Vec<&String> = changes.clone().flat_map(|change| &change.gone).collect();
    let mut pairs: BTreeMap<&(String, String), usize> = BTreeMap::new();
    changes.flat_map(|change| &change.lines).for_each(|pair| *pairs.entry(pair).or_default() += 1);
    let mut lines = Vec::new();
    for ((before, after), times) in pairs.iter().take(PAIRS_MAX) {
        let times = if *times > 1 { format!("   (× {times})") } else { String::new() };
        lines.extend([format!("- {before}{times}"), format!("+ {after}")]);
    }
    if pairs.len() > PAIRS_MAX {
        lines.push(format!("… and {} other changes", pairs.len() - PAIRS_MAX));
    }
    lines.extend(gone.into_iter().map(|line| format!("- {line}   (in the document now)")));
    lines
}

/// The parts between the delimiters; a delimiter after a backslash does not count.
fn split(text: &str, mark: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let last = parts.len() - 1;
        match (c, chars.peek()) {
            ('\\', Some(next)) if *next == mark => parts[last].extend(chars.next()),
            ('\\', Some(_)) => parts[last].extend([Some(c), chars.next()].into_iter().flatten()),
            (c, _) if c == mark => parts.push(String::new()),
            _ => parts[last].push(c),
        }
    }
    parts
}

/// The replacement: `&` is the whole match, `\1` its first group, `\n` a new line.
fn parts_of(with: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut chars = with.chars();
    while let Some(c) = chars.next() {
        let group = match c {
            '&' => Some(0),
            '\\' => match chars.next() {
                Some(digit) if digit.is_ascii_digit() => {
                    digit.to_digit(10).and_then(|n| usize::try_from(n).ok())
                }
                other => {
                    text.push(other.map_or('\\', |c| if c == 'n' { '\n' } else { c }));
                    None
                }
            },
            c => {
                text.push(c);
                None
            }
        };
        if let Some(group) = group {
            parts.extend([Part::Text(std::mem::take(&mut text)), Part::Group(group)]);
        }
    }
    parts.push(Part::Text(text));
    parts
}

#[cfg(test)]
mod tests {
    use super::Substitution;

    #[test]
    fn as_sed_does_it() {
        for (said, text, expected) in [
            ("s/Restrat/Restart/", "Restrat Restrat", "Restart Restrat"),
            ("s/Restrat/Restart/g", "Restrat\nRestrat Restrat", "Restart\nRestart Restart"),
            ("s/restrat/Restart/i", "RESTRAT", "Restart"),
            ("s|a/b|c|", "a/b", "c"),
            (r"s/a\/b/c\/d/", "a/b", "c/d"),
            (r"s/(\d+) s/\1 seconds (&)/", "wait 30 s", "wait 30 seconds (30 s)"),
            (r"s/x/$1 \& \\/", "x", r"$1 & \"),
            ("s/ü/u/i", "Ü", "u"),
            ("s/ *$//", "tail   ", "tail"),
            ("s/^/- /", "a\nb", "- a\n- b"),
        ] {
            assert_eq!(Substitution::read(said).unwrap().of(text), expected, "{said}");
        }
        for bad in ["", "y/a/b/", "s", "sabcac", "s/a", "s/a/b", "s/a/b/x", "s/(/b/", r"s/a/\2/", "s/a/b/g/"]
        {
            let said = Substitution::read(bad).unwrap_err();
            assert!(said.hint.is_some(), "{bad}");
        }
    }
}
