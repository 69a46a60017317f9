//! The rules a well-shaped declaration is held to. Each finding names the path of what it is about; the place in the
//! text is looked up by whoever has the text.

use super::input::SPLIT_HINT;
use super::limits::{CONTENT_BYTES_MAX, ENTRIES_MAX, HEADING_PARTS_MAX, NAME_CHARS_MAX};
use super::mistakes;
use super::node::{in_words, shortened};
use super::written;
use crate::problem::Problem;
use crate::terminal::first_hidden;
use crate::{Code, Declaration, Entry, FRONT_MATTER, ITEM, Key, Meta, Operation, Target, VERSION};
use std::collections::HashMap;
use std::hash::Hash;

/// Characters of a fact that may be put into a text.
const FACT_CHARS_MAX: usize = 200;

/// Characters of an item's id; ours have eight, a person's may have more.
const ITEM_ID_CHARS_MAX: usize = 64;

/// The level of a heading whose level is not given.
pub const LEVEL_DEFAULT: u8 = 2;

/// A problem and the path of what it is about.
#[derive(Debug)]
pub struct PathProblem {
    /// E.g. `entries[2].key.level`.
    pub path: String,
    /// The path of a second thing it is about.
    pub other: Option<String>,
    /// What is wrong.
    pub problem: Problem,
}

impl PathProblem {
    /// A finding about one thing.
    pub fn new(path: impl Into<String>, problem: Problem) -> Self {
        PathProblem { path: path.into(), other: None, problem }
    }
}

/// Holds a declaration to every rule; all problems are returned, without places.
pub fn check(declaration: written::Declaration) -> Result<Declaration, Vec<Problem>> {
    let written::Declaration { version, source, entries } = declaration;
    checked(&version, source, entries).map_err(|found| found.into_iter().map(|f| f.problem).collect())
}

/// The same, with the paths of what the problems are about.
pub(crate) fn checked(
    version: &str,
    source: Option<String>,
    written_entries: Vec<written::Entry>,
) -> Result<Declaration, Vec<PathProblem>> {
    version_spoken(version).map_err(|problem| vec![PathProblem::new("version", problem)])?;
    let mut found: Vec<PathProblem> = Vec::new();
    found.extend(count(written_entries.len()));
    found.extend(source_text(source.as_deref()));
    let mut entries = Vec::with_capacity(written_entries.len().min(ENTRIES_MAX));
    let mut unnamed = Vec::new();
    for (index, entry) in written_entries.into_iter().enumerate().take(ENTRIES_MAX) {
        if entry.operation.is_none() && entry.content.is_some() {
            unnamed.push(index);
        }
        match check_entry(index, entry) {
            Ok(entry) => entries.push(entry),
            Err(problems) => found.extend(problems),
        }
    }
    // Indices are those of the entries only while none was left out; the unchecked case reports its own duplicates.
    if found.is_empty() {
        let sections = entries.iter().enumerate().filter(|(_, entry)| entry.operation != Operation::Add);
        found.extend(duplicates(sections.map(|(index, entry)| (index, &entry.key.target, &entry.key))));
    }
    if found.is_empty() {
        Ok(Declaration { source: source.unwrap_or_default(), entries, unnamed })
    } else {
        Err(found)
    }
}

/// Whether this build speaks that version.
pub(crate) fn version_spoken(version: &str) -> Result<(), Problem> {
    if matches!(version, "1.0.0" | "1.0" | "1") {
        return Ok(());
    }
    let hint = mistakes::quoted_typographically(version)
        .unwrap_or_else(|| format!("write `version: \"{VERSION}\"`, the newest this build knows"));
    Err(Problem::new(Code::UnknownVersion, format!("version `{}` is not supported", shortened(version)))
        .hint(hint))
}

/// Whether the number of entries is allowed.
pub(crate) fn count(entries: usize) -> Option<PathProblem> {
    let problem = match entries {
        0 => Problem::new(Code::NoEntries, "the declaration has no entries")
            .hint("give at least one entry, or send nothing"),
        n if n > ENTRIES_MAX => Problem::new(
            Code::TooManyEntries,
            format!("the declaration has {n} entries, more than {ENTRIES_MAX}"),
        )
        .hint(SPLIT_HINT),
        _ => return None,
    };
    Some(PathProblem::new("entries", problem))
}

/// Whether `source` is a text we can keep.
pub(crate) fn source_text(source: Option<&str>) -> Option<PathProblem> {
    let source = source?;
    let problem = nul("source", source).or_else(|| too_long("source", source))?;
    Some(PathProblem::new("source", problem))
}

/// The entries that name the same section as an earlier one, once it is known which document each means: `kb: user` and
/// the path of that document look different to `check`, which knows no documents. Not for entries that add items. Each item is the entry's index, its document, its key;
/// each answer the path of the later entry and what is wrong with it.
pub fn same_sections<'a, D: Eq + Hash>(
    entries: impl IntoIterator<Item = (usize, D, &'a Key)>,
) -> Vec<(String, Problem)> {
    duplicates(entries).into_iter().map(|finding| (finding.path, finding.problem)).collect()
}

/// The same with the paths of both entries.
pub(crate) fn duplicates<'a, D: Eq + Hash>(
    entries: impl IntoIterator<Item = (usize, D, &'a Key)>,
) -> Vec<PathProblem> {
    let mut first: HashMap<(D, &[String], u8), usize> = HashMap::new();
    let mut found = Vec::new();
    let entries = entries.into_iter();
    // One alone, as most declarations have it, needs no table.
    if entries.size_hint().1.is_some_and(|most| most < 2) {
        return found;
    }
    for (index, document, key) in entries {
        let section = (document, key.heading.as_slice(), key.level);
        let Some(earlier) = first.get(&section) else {
            first.insert(section, index);
            continue;
        };
        let message = format!("entry {} names the same section as entry {}: {key}", index + 1, earlier + 1);
        let problem = Problem::new(Code::DuplicateKey, message)
            .hint("say everything about one section in one entry, or use two declarations");
        let other = Some(format!("entries[{earlier}].key"));
        found.push(PathProblem { path: format!("entries[{index}].key"), other, problem });
    }
    found
}

/// Holds one entry to the rules.
pub(crate) fn check_entry(index: usize, entry: written::Entry) -> Result<Entry, Vec<PathProblem>> {
    let mut found = Judge { index, found: Vec::new() };
    let operation = found.operation(&entry);
    found.texts(&entry);
    let expect = found.expect(operation, entry.expect);
    let key = found.key(entry.key, operation);
    let base = entry.base.map(|base| found.base(base));
    let meta = found.meta(entry.meta.unwrap_or_default());
    let content = match operation {
        Operation::Replace => entry.content,
        says if says.writes_text() => entry.content,
        _ => entry.content.filter(|_| operation.writes_item()),
    };
    match key {
        Some(key) if found.found.is_empty() => Ok(Entry {
            key,
            operation,
            content,
            old_text: entry.old_text,
            scope: entry.scope.unwrap_or_default(),
            expect,
            create: entry.create.unwrap_or_default(),
            base,
            meta,
        }),
        _ => Err(found.found),
    }
}

/// Most often that one text is replaced in a section.
const EXPECT_MAX: u32 = 1000;

/// Collects what is wrong with one entry.
struct Judge {
    index: usize,
    found: Vec<PathProblem>,
}

impl Judge {
    /// Notes a problem; the path is put in front of what it says.
    fn note(&mut self, field: &str, code: Code, says: impl std::fmt::Display, hint: &str) {
        let path = self.path(field);
        let problem = Problem::new(code, format!("{} {says}", in_words(&path))).hint(hint);
        self.found.push(PathProblem::new(path, problem));
    }

    fn path(&self, field: &str) -> String {
        format!("entries[{}].{field}", self.index)
    }

    /// The operation meant, with the rules of which texts go with it.
    fn operation(&mut self, entry: &written::Entry) -> Operation {
        let content = entry.content.as_deref();
        let operation = entry.operation.unwrap_or(match content {
            None => Operation::NoOp,
            Some("") => Operation::Clear,
            Some(_) => Operation::Update,
        });
        match (operation, content) {
            (says, None) if says.writes_text() => self.content_missing(operation, "is missing"),
            (says, Some(text)) if says.writes_text() && text.trim().is_empty() => {
                self.content_missing(operation, "is blank");
            }
            (of_item, text) if of_item.writes_item() && text.is_none_or(|text| text.trim().is_empty()) => {
                let says = format!("is missing, but the operation is {}", of_item.as_str());
                self.note("content", Code::ContentMissing, says, "say the item in a line of text");
            }
            (of_item, _) if of_item.writes_item() => {}
            (Operation::Replace, None) => {
                self.note(
                    "content",
                    Code::ContentMissing,
                    "is missing, but the operation is replace",
                    "give the new text; \"\" takes the old text out",
                );
            }
            (Operation::NoOp | Operation::Delete, Some(_)) => self.content_not_allowed(operation),
            (of_item, Some(_)) if of_item.is_of_known_item() => self.content_not_allowed(operation),
            (Operation::Clear, Some(text)) if !text.is_empty() => self.content_not_allowed(operation),
            _ => {}
        }
        self.old_text(operation, entry.old_text.as_deref());
        operation
    }

    fn content_missing(&mut self, operation: Operation, how: &str) {
        let says = format!("{how}, but the operation is {}", operation.as_str());
        self.note(
            "content",
            Code::ContentMissing,
            says,
            "to empty a section use `clear`, to remove it `delete`",
        );
    }

    fn content_not_allowed(&mut self, operation: Operation) {
        let says = format!("is given, but the operation is {}", operation.as_str());
        self.note("content", Code::ContentNotAllowed, says, "leave `content` out, or use `update`");
    }

    fn old_text(&mut self, operation: Operation, old_text: Option<&str>) {
        match (operation, old_text) {
            (Operation::Replace, None | Some("")) => {
                self.note(
                    "old_text",
                    Code::OldTextMissing,
                    "is empty, but the operation is replace",
                    "give the text that `content` takes the place of",
                );
            }
            (Operation::Replace, _) | (_, None) => {}
            (of_item, Some(_)) if of_item.is_of_known_item() => {}
            (other, Some(_)) => {
                let says = format!("is given, but the operation is {}", other.as_str());
                self.note(
                    "old_text",
                    Code::OldTextNotAllowed,
                    says,
                    "only `replace` and operations on an item have an `old_text`",
                );
            }
        }
    }

    /// How often the old text stands there.
    fn expect(&mut self, operation: Operation, expect: Option<i64>) -> Option<u32> {
        let expect = expect?;
        if operation != Operation::Replace {
            let says = format!("is given, but the operation is {}", operation.as_str());
            self.note("expect", Code::ExpectNotAllowed, says, "only `replace` expects a text so often");
        }
        let times = u32::try_from(expect).ok().filter(|times| (1..=EXPECT_MAX).contains(times));
        if times.is_none() {
            let says = format!("is {expect}, not within 1 to {EXPECT_MAX}");
            self.note("expect", Code::BadExpect, says, "say how often the section holds `old_text`");
        }
        times
    }

    /// Sizes and NULs of the entry's texts.
    fn texts(&mut self, entry: &written::Entry) {
        let texts = [("content", entry.content.as_deref()), ("old_text", entry.old_text.as_deref())];
        for (field, text) in texts.into_iter().filter_map(|(field, text)| Some((field, text?))) {
            if text.len() > CONTENT_BYTES_MAX {
                let says = format!("has {} bytes, more than the {CONTENT_BYTES_MAX} allowed", text.len());
                self.note(field, Code::ContentTooLarge, says, "say less, or split it over several sections");
            }
            self.no_nul(field, text);
            // What a `replace` takes out may be one that stands in the document already.
            if field == "content" {
                self.no_control(field, text);
            }
        }
    }

    fn key(&mut self, key: written::Key, operation: Operation) -> Option<Key> {
        if let Some(id) = key.item.clone() {
            return self.item_key(key, &id, operation);
        }
        if operation.is_of_known_item() {
            let says = format!("names no item, but the operation is {}", operation.as_str());
            self.note("key", Code::ItemMissing, says, "write `key: { item: <id> }`");
            return None;
        }
        let level = self.level(key.level);
        let dated = operation == Operation::Add && key.heading.is_none() && level != Some(0);
        let heading = if dated { Some(Vec::new()) } else { self.heading(key.heading, level) };
        let target = self.target(key.path, key.kb, key.url);
        Some(Key { target: target?, heading: heading?, level: level? })
    }

    /// The address of an item; its document need not be named.
    fn item_key(&mut self, key: written::Key, id: &str, operation: Operation) -> Option<Key> {
        let id = id.trim().trim_start_matches('^');
        let fits = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
        if id.is_empty() || id.len() > ITEM_ID_CHARS_MAX || !id.bytes().all(fits) {
            let says = format!("is `{}`, not the id of an item", shortened(id));
            self.note(
                "key.item",
                Code::BadItem,
                says,
                "such as k7m2q9xa, as it stands behind the `^` of an item",
            );
            return None;
        }
        if !operation.is_of_known_item() {
            let says = format!("names an item, but the operation is {}", operation.as_str());
            self.note("key.item", Code::ItemNotAllowed, says, "use revise, supersede, retire or restore");
            return None;
        }
        if key.heading.is_some() || key.level.is_some() {
            let says = "is given beside an item";
            self.note("key.heading", Code::HeadingNotAllowed, says, "an item is found by its id alone");
            return None;
        }
        let target = match (&key.path, &key.kb, &key.url) {
            (None, None, None) => Target::Item(id.to_owned()),
            _ => self.target(key.path, key.kb, key.url)?,
        };
        Some(Key { target, heading: vec![ITEM.to_owned(), id.to_owned()], level: 0 })
    }

    fn level(&mut self, level: Option<i64>) -> Option<u8> {
        let level = level.unwrap_or(i64::from(LEVEL_DEFAULT));
        let within = u8::try_from(level).ok().filter(|level| *level <= 6);
        if within.is_none() {
            self.note(
                "key.level",
                Code::BadLevel,
                format!("is {level}, not within 0 to 6"),
                "1 is `#`, 2 is `##`; 0 is the text before the first heading",
            );
        }
        within
    }

    fn heading(&mut self, heading: Option<written::Heading>, level: Option<u8>) -> Option<Vec<String>> {
        let parts: Vec<String> = heading
            .map_or_else(Vec::new, |heading| heading.0)
            .iter()
            .map(|part| part.trim().to_owned())
            .collect();
        let blank = parts.iter().all(String::is_empty);
        match level {
            Some(0) if blank && parts.len() <= 1 => return Some(Vec::new()),
            // A key of the front matter, where its knowledge base allows that.
            Some(0) if is_front_matter(&parts) => return self.heading_parts(&parts).then_some(parts),
            Some(0) => {
                self.note(
                    "key.heading",
                    Code::HeadingNotAllowed,
                    "is given, but level 0 has no heading",
                    "level 0 is the text before the first heading; leave `heading` out",
                );
                return None;
            }
            _ => {}
        }
        if parts.iter().any(String::is_empty) || parts.is_empty() {
            self.note(
                "key.heading",
                Code::HeadingEmpty,
                "is empty",
                "name the section; for the text before the first heading use level 0",
            );
            return None;
        }
        self.heading_parts(&parts).then_some(parts)
    }

    fn heading_parts(&mut self, parts: &[String]) -> bool {
        let before = self.found.len();
        if parts.len() > HEADING_PARTS_MAX {
            let says = format!("has {} texts, more than {HEADING_PARTS_MAX}", parts.len());
            self.note("key.heading", Code::HeadingTooLong, says, "Markdown has six levels of headings");
        }
        for part in parts {
            if part.contains(['\n', '\r']) {
                let says = format!("has a line break: `{}`", shortened(part));
                self.note(
                    "key.heading",
                    Code::HeadingHasNewline,
                    says,
                    "a heading is one line; what follows it belongs into `content`",
                );
            } else {
                self.no_control("key.heading", part);
            }
            if part.chars().count() > NAME_CHARS_MAX {
                let says = format!("is longer than {NAME_CHARS_MAX} characters: `{}`", shortened(part));
                self.note(
                    "key.heading",
                    Code::HeadingTooLong,
                    says,
                    "what follows a heading belongs into `content`",
                );
            }
            self.no_nul("key.heading", part);
        }
        self.found.len() == before
    }

    fn target(&mut self, path: Option<String>, kb: Option<String>, url: Option<String>) -> Option<Target> {
        let target = match (path, kb, url) {
            (Some(path), None, None) => Target::Path(path),
            (None, Some(kb), None) => Target::Kb(kb),
            (None, None, Some(url)) => Target::Url(url),
            (None, None, None) => {
                self.note("key", Code::TargetMissing, "names no document", "give one of `path`, `kb`, `url`");
                return None;
            }
            _ => {
                self.note(
                    "key",
                    Code::TargetAmbiguous,
                    "names its document in more than one way",
                    "give only one of `path`, `kb`, `url`",
                );
                return None;
            }
        };
        self.target_text(&target).then_some(target)
    }

    fn target_text(&mut self, target: &Target) -> bool {
        let (field, text) = match target {
            Target::Path(path) => ("key.path", path),
            Target::Kb(name) => ("key.kb", name),
            Target::Url(url) => ("key.url", url),
            Target::Item(id) => ("key.item", id),
        };
        let before = self.found.len();
        if text.trim().is_empty() {
            self.note(field, Code::TargetMissing, "is empty", "name the document");
        } else if text.chars().count() > NAME_CHARS_MAX {
            self.note(
                field,
                Code::TargetTooLong,
                format!("is longer than {NAME_CHARS_MAX} characters"),
                "shorten it",
            );
        } else if matches!(target, Target::Url(_)) && crate::target::file_url(text).is_none() {
            let says = format!("is `{}`, not a file URL with an absolute path", shortened(text));
            self.note(
                field,
                Code::BadUrl,
                says,
                "such as file:///home/me/USER.md; other schemes are not supported",
            );
        }
        self.no_nul(field, text);
        self.found.len() == before
    }

    fn base(&mut self, base: String) -> String {
        let hex = base.strip_prefix("sha256:").unwrap_or_default();
        if hex.len() != 64 || !hex.bytes().all(|b| b.is_ascii_hexdigit()) {
            let says = format!("is `{}`, not `sha256:` and 64 hex digits", shortened(&base));
            self.note(
                "base",
                Code::BadBase,
                says,
                "leave it out, or give the hash that came with the section when it was read",
            );
        }
        base.to_ascii_lowercase()
    }

    fn meta(&mut self, meta: Meta) -> Meta {
        if let Some(confidence) = meta.confidence
            && !(0.0..=1.0).contains(&confidence)
        {
            let says = format!("is {confidence}, not within 0 to 1");
            self.note("meta.confidence", Code::BadConfidence, says, "0 is a guess, 1 is certain");
        }
        if let Some(reason) = &meta.reason {
            self.no_nul("meta.reason", reason);
            self.no_control("meta.reason", reason);
        }
        for (field, fact) in [("speaker", &meta.speaker), ("user", &meta.user), ("place", &meta.place)] {
            let plain = |fact: &String| {
                fact.chars().count() <= FACT_CHARS_MAX
                    && !fact.contains(char::is_control)
                    && first_hidden(fact).is_none()
            };
            if fact.as_ref().is_some_and(|fact| fact.trim().is_empty() || !plain(fact)) {
                let hint = "a name, on one line, at most 200 characters";
                self.note(&format!("meta.{field}"), Code::BadFact, "is no name", hint);
            }
        }
        if let Some(day) = meta.review_by.as_deref().filter(|day| !crate::time::is_day(day)) {
            let says = format!("is `{}`, not a day", shortened(day));
            self.note(
                "meta.review_by",
                Code::BadReviewBy,
                says,
                "write it as YYYY-MM-DD, such as 2027-01-31",
            );
        }
        meta
    }

    /// Nothing that a terminal obeys instead of showing it: it would let a text look like another one where a person
    /// decides about it. And no invisible letters, which only a later session would read.
    fn no_control(&mut self, field: &str, text: &str) {
        if let Some((at, c)) = first_hidden(text) {
            let line = text[..at].matches('\n').count() + 1;
            let says = format!("has the control character {} in its line {line}", c.escape_unicode());
            self.note(
                field,
                Code::ControlCharacter,
                says,
                "take it out: a text has newlines and tabs, and no others",
            );
        }
    }

    fn no_nul(&mut self, field: &str, text: &str) {
        if memchr::memchr(0, text.as_bytes()).is_some() {
            self.note(field, Code::NulByte, "has a NUL character", "Markdown has no NUL; take it out");
        }
    }
}

fn is_front_matter(parts: &[String]) -> bool {
    matches!(parts, [first, key] if first == FRONT_MATTER && !key.is_empty())
}

fn nul(field: &str, text: &str) -> Option<Problem> {
    text.contains('\0').then(|| Problem::new(Code::NulByte, format!("{field} has a NUL character")))
}

fn too_long(field: &str, text: &str) -> Option<Problem> {
    (text.chars().count() > NAME_CHARS_MAX).then(|| {
        Problem::new(Code::SourceTooLong, format!("{field} is longer than {NAME_CHARS_MAX} characters"))
    })
}
