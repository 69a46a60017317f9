//! `upsert_item`: an item of a section's list that is known by what stands before its first colon (`- **Port**: 5433`): it gets the
//! new text, or comes behind the last item. Works on a section's text with LF line ends.

use super::item::{Item, items};
use super::item_text::ItemText;
use super::refusal::refuse;
use super::table_row::Upsert;
use super::text::{line_number, part};
use super::{Refusal, RefusalCode};
use std::ops::Range;

/// An item of the list that has this key.
struct Keyed<'c> {
    at: Range<usize>,
    item: Item<'c>,
}

/// Finds where an item goes in a section's text, and how it is written there.
pub(super) fn find(core: &str, content: &str) -> Result<Upsert, Refusal> {
    let new = ItemText::read(content)?;
    let Some(key) = key_of(&new.text).map(str::to_owned).filter(|_| new.below.is_empty()) else {
        return Err(refuse(RefusalCode::BadItem, "the content is not one line with a key before a colon")
            .hint("write it as `key: value`; use `append` for an item without a key"));
    };
    let places = items(core);
    let read = places
        .iter()
        .filter_map(|at| Some(Keyed { at: at.clone(), item: Item::read(part(core, at.clone()))? }));
    let same: Vec<Keyed<'_>> =
        read.filter(|keyed| keyed.item.is_live() && key_of(keyed.item.text()) == Some(&key)).collect();
    let (upsert, expected) = match same.as_slice() {
        [one] if new.is(&one.item) => return Ok(Upsert::Done(one.at.clone())),
        [one] => {
            let Item { bullet, task, kind, before_comment, comment, before_id, id, below, .. } = one.item;
            let task = if new.task.is_empty() { task } else { &new.task };
            let kind = if new.kind.is_empty() { kind } else { &new.kind };
            let line =
                [bullet, task, kind, &new.text, before_comment, comment, before_id, id, below].concat();
            (Upsert::At(one.at.clone(), line.clone()), Expected { at: one.at.start, replaces: true, line })
        }
        [] => {
            let last = places.last();
            let bullet = last.map_or_else(|| "- ".to_owned(), |last| next_bullet(part(core, last.clone())));
            let end = last.map_or(core.len(), |last| last.start + part(core, last.clone()).trim_end().len());
            let gap = if last.is_some() { "\n" } else { "\n\n" };
            let line = new.written(&bullet, None, "", "\n");
            (Upsert::At(end..end, format!("{gap}{line}")), Expected { at: end, replaces: false, line })
        }
        several => {
            let at: Vec<usize> = several.iter().map(|keyed| line_number(core, keyed.at.start)).collect();
            return Err(refuse(
                RefusalCode::TextAmbiguous,
                format!("{} items begin with `{key}:`", at.len()),
            )
            .hint("make the words before the colon differ, or use `replace`")
            .lines(at));
        }
    };
    let Upsert::At(at, with) = upsert else { return Ok(upsert) };
    // What follows the list without a blank line would be read on as part of the new last item.
    let apart = format!("{with}\n");
    let forms = if expected.replaces { vec![with] } else { vec![with, apart] };
    let form = forms.into_iter().find(|with| expected.stands(core, &places, &at, with));
    form.map(|with| Upsert::At(at, with)).ok_or_else(|| {
        refuse(RefusalCode::SideEffect, "the list would not read as one with that item")
            .hint("write the item as one line of plain text")
    })
}

/// The item of a section that has no text yet.
pub(super) fn alone(content: &str) -> Result<String, Refusal> {
    match find("", content)? {
        Upsert::At(_, line) => Ok(line.trim_start().to_owned()),
        Upsert::Done(_) => Ok(String::new()),
    }
}

/// What stands before the first colon, without the marks around it. A colon inside a word (`http://…`, `12:30`) is none.
fn key_of(text: &str) -> Option<&str> {
    let mut colons = text.match_indices([':', '：']);
    let ends = |behind: &str| {
        behind.trim_start_matches(['*', '_', '`']).is_empty()
            || behind.trim_start_matches(['*', '_', '`']).starts_with([' ', '\t'])
    };
    let (at, _) =
        colons.find(|(at, colon)| *colon == "：" || ends(part(text, at + colon.len()..text.len())))?;
    let key = part(text, 0..at).trim_matches(['*', '_', '`', ' ', '\t']);
    (!key.is_empty()).then_some(key)
}

/// The bullet that goes on behind this item: the same, or the next number.
fn next_bullet(item: &str) -> String {
    let bullet = Item::read(item).map_or("- ", |item| item.bullet);
    let number: String = bullet.trim_start().chars().take_while(char::is_ascii_digit).collect();
    let mut next = match number.parse::<u32>() {
        Ok(n) => bullet.replacen(&number, &(n + 1).to_string(), 1),
        Err(_) => bullet.to_owned(),
    };
    // An item that says nothing needs no blank behind its bullet.
    if !next.ends_with([' ', '\t']) {
        next.push(' ');
    }
    next
}

/// What the lists of the section are to say: the items that they had, with this one behind them or in the place of one.
struct Expected {
    at: usize,
    replaces: bool,
    line: String,
}

impl Expected {
    /// Whether they say that once this text is in the place of another.
    fn stands(&self, core: &str, before: &[Range<usize>], at: &Range<usize>, with: &str) -> bool {
        let text = |of: &str, at: &Range<usize>| part(of, at.clone()).trim_end().to_owned();
        let is_replaced = |at: &&Range<usize>| self.replaces && at.start == self.at;
        let mut wanted: Vec<String> = before
            .iter()
            .map(|at| if is_replaced(&at) { self.line.trim_end().to_owned() } else { text(core, at) })
            .collect();
        if !self.replaces {
            wanted.push(self.line.trim_end().to_owned());
        }
        let now = [part(core, 0..at.start), with, part(core, at.end..core.len())].concat();
        items(&now).iter().map(|at| text(&now, at)).eq(wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_stands_before_the_first_colon_that_ends_a_word() {
        for (text, key) in [
            ("Port: 5433", Some("Port")),
            ("**Port**: 5433", Some("Port")),
            ("**Port:** 5433", Some("Port")),
            ("`PORT`: 5433", Some("PORT")),
            ("端口：5433", Some("端口")),
            ("see http://example.org: it has it", Some("see http://example.org")),
            ("at 12:30", None),
            (": nothing", None),
            ("plain", None),
        ] {
            assert_eq!(key_of(text), key, "{text}");
        }
        assert_eq!((next_bullet("3. x").as_str(), next_bullet("* x").as_str()), ("4. ", "* "));
        assert_eq!((next_bullet("3.").as_str(), next_bullet("-").as_str()), ("4. ", "- "));
    }
}
