//! The content of an entry as the text of one item: a line, and lines below it that belong to it. A bullet is taken off (no number:
//! that is a part of what is said), and so
//! are a comment and an id that somebody copied along: those are ours to write.

use super::address::Address;
use super::content::{self, Content};
use super::item::Item;
use super::item_line;
use super::parse::{self, Events, Kind, Known};
use super::refusal::refuse;
use super::request::Stamp;
use super::text::{indent_of, is_blank, with_line_ends, without_blank_edges};
use super::{Refusal, RefusalCode, Scope};

/// What an item is to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ItemText {
    /// `[ ] ` or `[x] `.
    pub task: String,
    /// `[kind] `.
    pub kind: String,
    pub text: String,
    /// Without the indentation that makes them the item's.
    pub below: Vec<String>,
}

impl ItemText {
    /// Reads content, and sees that it stands as one item wherever a list may be.
    pub(super) fn read(raw: &str) -> Result<ItemText, Refusal> {
        content::no_nul(raw)?;
        let text = with_line_ends(raw.trim_start_matches('\u{feff}'), "\n");
        let mut lines = without_blank_edges(&text).lines();
        let first = lines.next().unwrap_or("").trim_end();
        let below: Vec<&str> = lines.map(str::trim_end).collect();
        let indent = indent_of(first);
        let line = match Item::read(first) {
            Some(_) if below.iter().any(|line| indent_of(line) <= indent && Item::read(line).is_some()) => {
                return Err(bad("the content has several items").hint("give each item an entry of its own"));
            }
            // `3. Oktober` begins with a date or a title, and no list: unless it was copied with its id, the number stays.
            Some(item) if is_ordinal(&item) => {
                let text = first.trim_start();
                let digits = text.bytes().take_while(u8::is_ascii_digit).count();
                format!("- {}\\{}", &text[..digits], &text[digits..])
            }
            Some(_) => first.to_owned(),
            None => format!("- {}", first.trim_start()),
        };
        let item = Item::read(&line).filter(|item| !item.text.is_empty());
        let Some(item) = item else {
            return Err(refuse(RefusalCode::EmptyContent, "the item would say nothing")
                .hint("say it in a line of text, or retire the item"));
        };
        if item.is_struck() {
            return Err(bad("the content is struck out").hint("use `retire` for what no longer holds"));
        }
        if below.iter().any(|line| is_blank(line)) {
            return Err(
                bad("the content has a blank line").hint("an item is one line, with lines below it at most")
            );
        }
        let outdent = below.iter().map(|line| indent_of(line)).min().unwrap_or(0);
        let read = ItemText {
            task: item.task.to_owned(),
            kind: item.kind.to_owned(),
            text: item.text.to_owned(),
            below: below.iter().map(|line| line.get(outdent..).unwrap_or("").to_owned()).collect(),
        };
        read.stands()?;
        Ok(read)
    }

    /// The whole item behind a bullet.
    pub(super) fn written(&self, bullet: &str, stamp: Option<&Stamp<'_>>, day: &str, eol: &str) -> String {
        let mut line = [bullet, &self.task, &self.kind, &self.text].concat();
        if let Some(stamp) = stamp {
            let comment = item_line::stamped("", stamp, day);
            for piece in [comment, format!("^{}", stamp.id)] {
                if !piece.is_empty() {
                    line.push(' ');
                    line.push_str(&piece);
                }
            }
        }
        line + &self.below(bullet, eol)
    }

    /// The lines below, each behind its line end and indented like what stands behind this bullet.
    pub(super) fn below(&self, bullet: &str, eol: &str) -> String {
        let width: usize = bullet.chars().map(|c| if c == '\t' { 4 } else { 1 }).sum();
        self.below.iter().map(|line| format!("{eol}{}{line}", " ".repeat(width))).collect()
    }

    /// Whether the same is said in the same words.
    pub(super) fn is(&self, item: &Item<'_>) -> bool {
        let same = |new: &str, old: &str| new.is_empty() || new.trim_end() == old.trim_end();
        let below = with_line_ends(item.below(), "\n");
        self.text == item.text
            && same(&self.task, item.task)
            && same(&self.kind, item.kind)
            && (self.below.is_empty() || below == self.below(item.bullet, "\n"))
    }

    /// Sees that this reads back as one item of a list, whose line is plain text.
    fn stands(&self) -> Result<(), Refusal> {
        let plain = parse::scan(&self.text, &Known::NOTHING, Events::Places);
        let mut blocks = plain.events.iter().filter(|event| event.depth == 0);
        let is_text =
            blocks.next().is_some_and(|event| event.kind == Kind::Paragraph) && blocks.next().is_none();
        if !is_text || !plain.definitions.is_empty() {
            return Err(bad("the item's line would not be plain text")
                .hint("begin it with a word: `#`, `>`, a fence or `[x]: …` begin something else"));
        }
        let open = self.text.rsplit("-->").next().is_some_and(|rest| rest.contains("<!--"));
        let stamp = Stamp { id: "aaaaaaaa".into(), at: "0".into(), fields: Vec::new(), occurs: false };
        let written = self.written("- ", Some(&stamp), "", "\n");
        let reads = Item::read(&written)
            .is_some_and(|item| self.is(&item) && item.is_live() && item.id() == Some("aaaaaaaa"));
        if open || !reads {
            return Err(bad("the item's line would read as something else")
                .hint("leave out comments that are not closed, `<!-- lw … -->` and ids: they are written by the pipeline"));
        }
        let scan = parse::scan(&written, &Known::NOTHING, Events::Places);
        let top: Vec<Kind> =
            scan.events.iter().filter(|event| event.depth < 2).map(|event| event.kind).collect();
        let first_line = written.find('\n').unwrap_or(written.len());
        let odd = |kind| matches!(kind, Kind::Heading | Kind::Table);
        let changed = scan.events.iter().any(|event| event.start < first_line && odd(event.kind));
        if top != [Kind::List, Kind::Item] || changed {
            return Err(bad("the content would be more than one item")
                .hint("leave out what begins a block of its own"));
        }
        Content::read(&written, &Address::read(&[], 0)?, Scope::Own).map(drop)
    }
}

/// Whether a line begins with a number that is a part of what it says.
fn is_ordinal(item: &Item<'_>) -> bool {
    let is_plain = item.id().is_none() && item.task.is_empty() && item.kind.is_empty();
    is_plain && item.bullet.trim_end().ends_with(['.', ')'])
}

fn bad(message: &str) -> Refusal {
    refuse(RefusalCode::BadItem, message)
}
