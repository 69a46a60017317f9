//! From the address in a declaration to the one section it means, or to the reason why there is none.

use super::document::Document;
use super::parse::{self, Known};
use super::refusal::refuse;
use super::title;
use super::{Refusal, RefusalCode};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::OnceLock;

/// A checked address.
#[derive(Debug, Clone)]
pub(super) struct Address {
    /// Ancestors … heading; empty for the text before the first heading.
    pub path: Vec<Step>,
    pub level: u8,
}

/// One text of an address.
#[derive(Debug, Clone)]
pub(super) struct Step {
    /// In the form headings are compared in.
    pub title: String,
    /// The same with the hashes before it, where there are some: `# # A` is a heading called `# A`.
    literal: Option<String>,
    /// As the author wrote it, with single blanks: what a new heading says.
    pub written: String,
    /// Made when it is asked for: most addresses name a heading as it is.
    fold: OnceLock<String>,
    /// Given by `##` before the text.
    level: Option<u8>,
}

/// The parents of a section that is to be made: the deepest one that is there (`None`: the end of the document), and those
/// below it that are missing, outermost first, with their levels.
pub(super) struct Ancestors<'a> {
    pub parent: Option<usize>,
    pub missing: Vec<(&'a Step, u8)>,
}

/// What an address leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lookup {
    Section(usize),
    Missing,
}

impl Address {
    /// Checks the form of an address, without looking at a document.
    pub(super) fn read(heading: &[String], level: u8) -> Result<Self, Refusal> {
        if level > 6 {
            return Err(refuse(RefusalCode::BadLevel, format!("level {} does not exist", level))
                .hint("use 1 to 6, or 0 for the text before the first heading"));
        }
        let blank = heading.iter().all(|text| text.trim().is_empty());
        match (level, blank) {
            (0, true) => return Ok(Address { path: Vec::new(), level: 0 }),
            (0, false) => {
                let message = "level 0 has no heading, and one was given".to_owned();
                return Err(refuse(RefusalCode::BadHeading, message)
                    .hint("leave out the heading, or give its level (1 to 6)"));
            }
            (_, true) => {
                return Err(refuse(RefusalCode::BadHeading, "the heading is empty")
                    .hint("name the heading, or use level 0 for the text before the first heading"));
            }
            _ => {}
        }
        let path = heading.iter().map(|text| Step::read(text)).collect::<Result<Vec<_>, _>>()?;
        let address = Address { path, level };
        match address.last().level.filter(|hashes| *hashes != level) {
            Some(hashes) => {
                let text = heading.last().map_or("", |t| t);
                let message = format!("`{text}` has {hashes} hashes, but the level is {level}");
                Err(refuse(RefusalCode::BadHeading, message)
                    .hint("give the heading without hashes, and its level"))
            }
            None => Ok(address),
        }
    }

    /// The step that names the section itself. An address with a level has one.
    pub(super) fn last(&self) -> &Step {
        static NOWHERE: Step = Step {
            title: String::new(),
            literal: None,
            written: String::new(),
            fold: OnceLock::new(),
            level: None,
        };
        self.path.last().unwrap_or(&NOWHERE)
    }

    fn parents(&self) -> &[Step] {
        self.path.split_last().map_or(&[], |(_, parents)| parents)
    }

    fn shown(&self) -> String {
        let titles: Vec<&str> = self.path.iter().map(|s| s.written.as_str()).collect();
        titles.join(" > ")
    }

    /// The section this means in `document`.
    pub(super) fn find(&self, document: &Document) -> Result<Lookup, Refusal> {
        if self.level == 0 {
            return Ok(Lookup::Section(0));
        }
        let same = self
            .known(document)
            .unwrap_or_else(|| matches(document, &self.path, |step, i| step.names(document, i)));
        let exact: Vec<usize> = same.iter().copied().filter(|i| document.level(*i) == self.level).collect();
        match (exact.as_slice(), same.is_empty()) {
            ([one], _) => Ok(Lookup::Section(*one)),
            ([], false) => Err(self.other_level(document, &same)),
            ([], true) => self.no_twin(document),
            (several, _) => Err(ambiguous(document, &self.shown(), several)),
        }
    }

    /// The sections with the name of an address without ancestors, where the document has an index of names.
    fn known(&self, document: &Document) -> Option<Vec<usize>> {
        let [only] = self.path.as_slice() else { return None };
        let mut named: Vec<usize> = document.memory.called(&only.title)?.collect();
        if let Some(literal) = &only.literal {
            named.extend(document.memory.called(literal)?);
            named.sort_unstable();
            named.dedup();
        }
        named.retain(|i| only.names(document, *i));
        Some(named)
    }

    fn other_level(&self, document: &Document, found: &[usize]) -> Refusal {
        let levels: Vec<String> = found
            .iter()
            .take(8)
            .map(|i| format!("{} has level {}", document.place(*i), document.level(*i)))
            .collect();
        let message =
            format!("`{}` is not a level {} heading: {}", self.shown(), self.level, levels.join(", "));
        let hint = match found {
            [one] => format!("say `level: {}` in its key, as the document has it", document.level(*one)),
            _ => "say in its key which `level:` it has in the document".to_owned(),
        };
        refuse(RefusalCode::LevelMismatch, message).hint(hint).lines(lines(document, found))
    }

    /// `Missing`, unless a heading is there that only differs in case, spaces, punctuation or emoji.
    fn no_twin(&self, document: &Document) -> Result<Lookup, Refusal> {
        let near = matches(document, &self.path, |step, i| step.resembles(document, i));
        if near.is_empty() {
            return Ok(Lookup::Missing);
        }
        let message = format!("`{}` is not there, but nearly: {}", self.shown(), places(document, &near));
        Err(refuse(RefusalCode::NearMatch, message)
            .hint("write the heading exactly as the document has it")
            .lines(lines(document, &near)))
    }

    /// The section a new one goes under; `None` for the end of the document. `made`: where none is that can be meant without its name.
    pub(super) fn parent(
        &self,
        document: &Document,
        made: Option<&Range<usize>>,
    ) -> Result<Option<usize>, Refusal> {
        if self.parents().is_empty() { self.only_parent(document, made) } else { self.given_parent(document) }
    }

    /// The same where missing parents may be made: each a level above the next one, unless its hashes say another.
    pub(super) fn ancestors(
        &self,
        document: &Document,
        made: Option<&Range<usize>>,
    ) -> Result<Ancestors<'_>, Refusal> {
        let there = |n: &usize| {
            let steps = self.path.get(..*n).unwrap_or(&[]);
            !matches(document, steps, |step, i| step.names(document, i)).is_empty()
        };
        let known = (1..self.path.len()).rev().find(there).unwrap_or(0);
        let mut missing: Vec<(&Step, u8)> = Vec::new();
        let mut below = self.level;
        for step in self.parents().iter().skip(known).rev() {
            let level = step.level.unwrap_or(below.saturating_sub(1));
            if level == 0 || level >= below {
                return Err(self.no_room(document, known));
            }
            missing.insert(0, (step, level));
            below = level;
        }
        let twin = |n: &usize| {
            let steps = self.path.get(..*n).unwrap_or(&[]);
            !matches(document, steps, |step, i| step.resembles(document, i)).is_empty()
        };
        if let Some(n) = (known + 1..self.path.len()).find(twin) {
            let parents = Address { path: self.path.get(..n).unwrap_or(&[]).to_vec(), level: self.level };
            parents.no_twin(document)?;
        }
        // The first one that is made stands where a section of its name and level would.
        let path = self.path.get(..=known).unwrap_or(&self.path).to_vec();
        let parent = Address { path, level: below }.parent(document, made);
        let parent = parent.map_err(|refusal| match refusal.code {
            RefusalCode::LevelMismatch => self.no_room(document, known),
            _ => refusal,
        });
        Ok(Ancestors { parent: parent?, missing })
    }

    /// There is no level left for a parent that would have to be made.
    fn no_room(&self, document: &Document, known: usize) -> Refusal {
        let above = self.path.get(..known).unwrap_or(&[]);
        let found = matches(document, above, |step, i| step.names(document, i));
        let below = found.first().filter(|_| known > 0);
        let below = below.map_or_else(String::new, |i| format!(" below {}", document.place(*i)));
        let message =
            format!("the parents of `{}` do not fit above level {}{below}", self.shown(), self.level);
        refuse(RefusalCode::LevelMismatch, message)
            .hint("each missing parent takes one level: use a deeper level, or name fewer parents")
    }

    fn only_parent(
        &self,
        document: &Document,
        made: Option<&Range<usize>>,
    ) -> Result<Option<usize>, Refusal> {
        let shallower: Vec<usize> = (0..document.sections.len())
            .filter(|i| document.head(*i).is_some_and(|h| h.level < self.level))
            .filter(|i| !made.is_some_and(|made| made.contains(&document.start_of(*i))))
            .collect();
        match shallower.as_slice() {
            [] => Ok(None),
            [one] => Ok(Some(*one)),
            several => {
                let message = format!(
                    "`{}` is not there, and {} headings could be its parent: {}",
                    self.shown(),
                    several.len(),
                    places(document, several)
                );
                Err(refuse(RefusalCode::ParentRequired, message)
                    .hint("give the heading as a list: [parent, heading]")
                    .lines(lines(document, several)))
            }
        }
    }

    fn given_parent(&self, document: &Document) -> Result<Option<usize>, Refusal> {
        let found = matches(document, self.parents(), |step, i| step.names(document, i));
        let shallower: Vec<usize> =
            found.iter().copied().filter(|i| document.level(*i) < self.level).collect();
        match (shallower.as_slice(), found.first()) {
            ([one], _) => Ok(Some(*one)),
            ([], Some(deep)) => {
                let place = document.place(*deep);
                let (deep_level, level) = (document.level(*deep), self.level);
                let message =
                    format!("the parent at {place} has level {deep_level}, the new heading level {level}");
                Err(refuse(RefusalCode::LevelMismatch, message)
                    .hint("a heading's level must be deeper than its parent's")
                    .lines([document.line(document.start_of(*deep))]))
            }
            ([], None) => Err(self.no_parent(document)),
            (several, _) => Err(ambiguous(document, &titles(self.parents()), several)),
        }
    }

    fn no_parent(&self, document: &Document) -> Refusal {
        let near = matches(document, self.parents(), |step, i| step.resembles(document, i));
        let nearly =
            if near.is_empty() { String::new() } else { format!("; nearly: {}", places(document, &near)) };
        refuse(RefusalCode::ParentNotFound, format!("`{}` is not there{nearly}", titles(self.parents())))
            .hint("declare the parent as an entry of its own, before this one, or say `create: ancestors`")
            .lines(lines(document, &near))
    }
}

fn titles(steps: &[Step]) -> String {
    let titles: Vec<&str> = steps.iter().map(|s| s.written.as_str()).collect();
    titles.join(" > ")
}

fn ambiguous(document: &Document, shown: &str, found: &[usize]) -> Refusal {
    let hint = match told_apart(document, found) {
        true => "give the heading as a list with its parents: [parent, heading]",
        false => "no declaration can tell headings with the same parents apart: rename one of them",
    };
    refuse(
        RefusalCode::Ambiguous,
        format!("`{shown}` means {} headings: {}", found.len(), places(document, found)),
    )
    .hint(hint)
    .lines(lines(document, found))
}

/// Whether each of these headings can be named by its parents; looks at the first ones of many.
fn told_apart(document: &Document, found: &[usize]) -> bool {
    const LOOKED_AT: usize = 16;
    let mut paths = BTreeSet::new();
    found.iter().take(LOOKED_AT).all(|section| paths.insert(document.titles(*section)))
}

/// Sections whose chain of ancestors ends with `path`. One pass: looking for each one's parents anew would be
/// quadratic in a long flat document.
fn matches(document: &Document, path: &[Step], names: impl Fn(&Step, usize) -> bool) -> Vec<usize> {
    if let [only] = path {
        // No ancestor is named: most addresses.
        return (0..document.sections.len()).filter(|i| names(only, *i)).collect();
    }
    let mut chain: Vec<(u8, usize)> = Vec::new();
    let mut found = Vec::new();
    for i in 0..document.sections.len() {
        let level = document.level(i);
        if level == 0 {
            continue;
        }
        while chain.last().is_some_and(|(above, _)| *above >= level) {
            chain.pop();
        }
        chain.push((level, i));
        let ends_with_path = chain.len() >= path.len()
            && path.iter().rev().zip(chain.iter().rev()).all(|(step, (_, at))| names(step, *at));
        if ends_with_path {
            found.push(i);
        }
    }
    found
}

/// Places for a message, the first few.
fn places(document: &Document, found: &[usize]) -> String {
    let some: Vec<String> = found.iter().take(8).map(|i| document.place(*i)).collect();
    let more = if found.len() > some.len() { ", …" } else { "" };
    some.join(", ") + more
}

fn lines(document: &Document, found: &[usize]) -> Vec<usize> {
    found.iter().take(8).map(|i| document.line(document.start_of(*i))).collect()
}

impl Step {
    fn read(text: &str) -> Result<Self, Refusal> {
        let hint = "a heading is one line of text";
        if text.contains(['\n', '\r']) {
            return Err(
                refuse(RefusalCode::BadHeading, format!("the heading {text:?} has a line break")).hint(hint)
            );
        }
        if text.chars().any(|c| c.is_control() && c != '\t') {
            return Err(refuse(
                RefusalCode::BadHeading,
                format!("the heading {text:?} has a control character"),
            )
            .hint(hint));
        }
        if text.trim().is_empty() {
            return Err(refuse(RefusalCode::BadHeading, "a heading of the list is empty").hint(hint));
        }
        let (written, level) = without_hashes(text);
        let words: Vec<&str> = written.split([' ', '\t']).filter(|w| !w.is_empty()).collect();
        let written = words.join(" ");
        let title = title::normal(&written);
        if title.is_empty() {
            return Err(refuse(RefusalCode::BadHeading, format!("`{text}` names no heading")).hint(hint));
        }
        let literal = level.map(|_| title::normal(text.trim()));
        Ok(Step { fold: OnceLock::new(), title, literal, written, level })
    }

    fn names(&self, document: &Document, i: usize) -> bool {
        let Some(head) = document.head(i) else { return false };
        let level = self.level.is_none_or(|level| level == head.level);
        level && head.is_called(&self.title) || self.literal.as_ref().is_some_and(|text| head.is_called(text))
    }

    fn resembles(&self, document: &Document, i: usize) -> bool {
        let fold = self.fold.get_or_init(|| title::fold(&self.title));
        !fold.is_empty() && document.head(i).is_some_and(|h| h.fold() == fold)
    }
}

/// `## A` means `A` at level 2: agents copy the heading with its hashes.
fn without_hashes(text: &str) -> (String, Option<u8>) {
    let trimmed = text.trim();
    let hashes = trimmed.bytes().take_while(|b| *b == b'#').count();
    let is_heading = (1..=6).contains(&hashes)
        && super::text::part(trimmed, hashes..trimmed.len()).starts_with([' ', '\t']);
    if !is_heading {
        return (trimmed.to_owned(), None);
    }
    let scan = parse::scan(trimmed, &Known::NOTHING, parse::Events::None);
    let raw = scan.headings.first().and_then(|h| h.forms.last()).map_or("", |form| form);
    (raw.to_owned(), u8::try_from(hashes).ok())
}
