//! One item of a list as a person writes it: `- [kind] text #tag <!-- lw fields --> ^id`. Only the text is required.
//! Reading takes a line apart into pieces of itself, so that printing gives back the same bytes, whatever a person made of it.

pub use super::item_line::{PURGED, derived_id, fold, id_of};
pub use super::item_said::is_said;
pub use super::item_shown::shown;
use super::parse::{self, Events, Kind, Known};
pub use super::said_again::GUESS_BELOW;
pub use super::signed::{SignedWords, said_by_the_person, signed_by_the_person};
use super::struck;
pub use super::struck::{struck_lines, without_struck, without_struck_blocks};
use super::text::{line_start, part};
use std::fmt;
use std::ops::Range;

/// A list item: its first line in pieces, and what belongs to it below (nested lists, lazy lines, paragraphs).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item<'t> {
    /// Indentation, bullet or number, and the blanks behind it.
    pub(super) bullet: &'t str,
    /// `[ ] ` or `[x] `.
    pub(super) task: &'t str,
    /// `~~` of an item that is struck out; empty otherwise.
    pub(super) strike: &'t str,
    /// `[kind] `.
    pub(super) kind: &'t str,
    pub(super) text: &'t str,
    /// The closing `~~`.
    pub(super) strike_end: &'t str,
    pub(super) before_comment: &'t str,
    /// `<!-- lw … -->`.
    pub(super) comment: &'t str,
    pub(super) before_id: &'t str,
    /// `^id`.
    pub(super) id: &'t str,
    /// Blanks and line end of the first line, and all lines below it.
    pub(super) below: &'t str,
}

impl fmt::Display for Item<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = [self.bullet, self.task, self.strike, self.kind, self.text, self.strike_end];
        let tail = [self.before_comment, self.comment, self.before_id, self.id, self.below];
        head.iter().chain(&tail).try_for_each(|piece| f.write_str(piece))
    }
}

impl<'t> Item<'t> {
    /// Reads an item from its bullet on. `None` when the text does not begin with a bullet or number.
    #[must_use]
    pub fn read(text: &'t str) -> Option<Item<'t>> {
        let first_line = text.find('\n').unwrap_or(text.len());
        let line = part(text, 0..first_line).trim_end_matches([' ', '\t', '\r']);
        let bullet_len = bullet_len(line)?;
        let below = part(text, line.len().max(bullet_len)..text.len());
        let (bullet, rest) = part(text, 0..line.len().max(bullet_len)).split_at_checked(bullet_len)?;
        let (task, rest) = rest.split_at_checked(task_len(rest))?;
        let (rest, before_id, id) = split_id(rest);
        let (rest, before_comment, comment) = split_comment(rest);
        let (strike, rest, strike_end) = split_strike(rest);
        let (kind, text) = rest.split_at_checked(kind_len(rest))?;
        Some(Item {
            bullet,
            task,
            strike,
            kind,
            text,
            strike_end,
            before_comment,
            comment,
            before_id,
            id,
            below,
        })
    }

    /// What it says, without kind, comment and id; with its tags.
    #[must_use]
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// What sort of thing it is: `W`, `B`, `O`, `E` or a category of the user's own.
    #[must_use]
    pub fn kind(&self) -> Option<&'t str> {
        self.kind.strip_prefix('[').and_then(|kind| kind.split(']').next())
    }

    /// Its id, without the `^`.
    #[must_use]
    pub fn id(&self) -> Option<&'t str> {
        self.id.strip_prefix('^')
    }

    /// Whether a task is done; `None` for what is no task.
    #[must_use]
    pub fn done(&self) -> Option<bool> {
        self.task.get(1..2).map(|mark| mark != " ")
    }

    /// Whether it is struck out.
    #[must_use]
    pub fn is_struck(&self) -> bool {
        !self.strike.is_empty()
    }

    /// Its tags, without the `#`: a word that begins with `#` and has a letter in it.
    pub fn tags(&self) -> impl Iterator<Item = &'t str> + use<'t> {
        let words = self.text.split([' ', '\t']).filter_map(|word| word.strip_prefix('#'));
        let tags = words.map(|word| word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '。', '，']));
        tags.filter(|tag| !tag.starts_with('#') && tag.chars().any(char::is_alphabetic))
    }

    /// The fields of its comment: the words that name none (the time), and `key=value`. In order; of a comment that a person
    /// broke, what is left.
    pub fn fields(&self) -> impl Iterator<Item = (Option<&'t str>, &'t str)> + use<'t> {
        let inner = comment_inner(self.comment).unwrap_or("");
        inner.split_whitespace().map(|word| match word.split_once('=') {
            Some((key, value)) if !key.is_empty() => (Some(key), value),
            _ => (None, word),
        })
    }

    /// The value of one field; the first one where a key is there twice.
    #[must_use]
    pub fn field(&self, key: &str) -> Option<&'t str> {
        self.fields().find(|(name, _)| *name == Some(key)).map(|(_, value)| value)
    }

    /// When it was said, as its comment has it: `14:30+08:00`, with the day before it where no heading says that.
    #[must_use]
    pub fn said_at(&self) -> Option<&'t str> {
        let time = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
        self.fields().find(|(key, word)| key.is_none() && time(word)).map(|(_, word)| word)
    }

    /// Whether it holds: neither struck out, in whatever form, nor marked as retired (`del=`) or replaced (`sup=`), and it says something: what a
    /// purge left of an item in an earlier version may have come back with that version.
    #[must_use]
    pub fn is_live(&self) -> bool {
        !self.is_struck() && !self.is_marked() && self.text != PURGED && !self.is_struck_by_hand()
    }

    /// Whether its comment says that it is retired or replaced.
    pub(super) fn is_marked(&self) -> bool {
        self.field("del").is_some() || self.field("sup").is_some()
    }

    /// Whether a person struck it out in a form that [`Item::is_struck`] does not know: `**~~text~~**`, `<del>text</del>`, `~~text~~ #tag`.
    #[must_use]
    pub fn is_struck_by_hand(&self) -> bool {
        let may_be = !self.is_struck() && (struck::may_strike(self.text) || struck::may_strike(self.below));
        may_be && struck::is_struck_item(&[self.text, self.below].concat())
    }

    /// Nested lists, lazy lines and paragraphs that belong to it, from the line end of its first line on.
    #[must_use]
    pub fn below(&self) -> &'t str {
        self.below.trim_start_matches([' ', '\t'])
    }
}

/// The items of the lists at the top of a section's text, in order, each with everything below it. A list in a quote, in
/// another item or in a code block has none here.
#[must_use]
pub fn items(text: &str) -> Vec<Range<usize>> {
    let scan = parse::scan(text, &Known::NOTHING, Events::Places);
    let mut in_list = false;
    let mut found = Vec::new();
    for event in &scan.events {
        match event.kind {
            Kind::List if event.depth == 0 => in_list = true,
            _ if event.depth == 0 => in_list = false,
            Kind::Item | Kind::LooseItem if event.depth == 1 && in_list => {
                found.push(line_start(text, event.start)..event.end);
            }
            _ => {}
        }
    }
    found
}

/// Bytes of the bullet with the blanks around it.
fn bullet_len(line: &str) -> Option<usize> {
    let blank = |c: char| matches!(c, ' ' | '\t');
    let indent = line.len() - line.trim_start_matches(blank).len();
    let rest = part(line, indent..line.len());
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let mark = match (digits, rest.as_bytes().get(digits)?) {
        (0, b'-' | b'*' | b'+') => 1,
        (1..=9, b'.' | b')') => digits + 1,
        _ => return None,
    };
    let behind = part(rest, mark..rest.len());
    let gap = behind.len() - behind.trim_start_matches(blank).len();
    (gap > 0 || behind.is_empty()).then_some(indent + mark + gap)
}

/// Bytes of `[ ] ` or `[x] `, where text follows.
fn task_len(rest: &str) -> usize {
    let is_task = matches!(rest.as_bytes(), [b'[', b' ' | b'x' | b'X', b']', b' ' | b'\t', ..]);
    let behind = rest.get(3..).filter(|_| is_task).unwrap_or("");
    let gap = behind.len() - behind.trim_start_matches([' ', '\t']).len();
    if is_task { 3 + gap } else { 0 }
}

/// Bytes of `[kind] `. `[link](x)`, `[text][ref]` and `[^1]` are none, nor is a bracket that nothing follows.
fn kind_len(rest: &str) -> usize {
    let Some((name, behind)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) else { return 0 };
    let letter = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let one_capital = matches!(name, "W" | "B" | "O" | "E");
    let category = name.chars().any(char::is_alphabetic)
        && name.chars().all(|c| letter(c) && !c.is_uppercase())
        && name.len() <= 64;
    let gap = behind.len() - behind.trim_start_matches([' ', '\t']).len();
    if (one_capital || category) && gap > 0 && gap < behind.len() { name.len() + 2 + gap } else { 0 }
}

/// Takes a block id off the end: `^` with letters, digits and `-`, as Obsidian writes them, behind a blank.
fn split_id(rest: &str) -> (&str, &str, &str) {
    let at = rest.rfind([' ', '\t']).map_or(0, |at| at + 1);
    let (before, id) = rest.split_at_checked(at).unwrap_or((rest, ""));
    let name = id.strip_prefix('^').unwrap_or("");
    if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
        return (rest, "", "");
    }
    let text = before.trim_end_matches([' ', '\t']);
    (text, part(before, text.len()..before.len()), id)
}

/// Takes our comment off the end.
fn split_comment(rest: &str) -> (&str, &str, &str) {
    let Some(at) = rest.rfind("<!--").filter(|_| rest.ends_with("-->")) else { return (rest, "", "") };
    let (before, comment) = rest.split_at_checked(at).unwrap_or((rest, ""));
    if comment_inner(comment).is_none() {
        return (rest, "", "");
    }
    let text = before.trim_end_matches([' ', '\t']);
    (text, part(before, text.len()..before.len()), comment)
}

/// The line of an item without what we write at its end: its id, and our comment before that.
#[must_use]
pub fn without_our_end(line: &str) -> &str {
    split_comment(split_id(line.trim_end()).0).0
}

/// What stands between `<!-- lw` and `-->`.
pub(super) fn comment_inner(comment: &str) -> Option<&str> {
    let inner = comment.strip_prefix("<!--")?.strip_suffix("-->")?.trim_start().strip_prefix("lw")?;
    (inner.is_empty() || inner.starts_with([' ', '\t']))
        .then_some(inner)
        .filter(|inner| !inner.contains("-->"))
}

/// Takes the strike marks off both ends, when they hold all of it.
fn split_strike(rest: &str) -> (&str, &str, &str) {
    let inner = rest.strip_prefix("~~").and_then(|inner| inner.strip_suffix("~~"));
    let whole = |inner: &&str| {
        !inner.is_empty() && !inner.contains("~~") && !inner.starts_with('~') && !inner.ends_with('~')
    };
    match inner.filter(whole) {
        Some(inner) => (part(rest, 0..2), inner, part(rest, rest.len() - 2..rest.len())),
        None => ("", rest, ""),
    }
}
