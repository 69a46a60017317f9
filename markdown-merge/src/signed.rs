//! What stands under the person's name: comments of ours that say `by=user`, and the words that a reader takes for theirs because of one.

use super::item::Item;
use super::text::{indent_of, is_blank, part};

/// Words under a comment of ours that names the person as whoever said them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedWords<'t> {
    /// The lines of the item or paragraph, with all that belongs to it below, without the blanks around them.
    pub lines: Vec<&'t str>,
    /// The comment, with what follows it in its line.
    pub stamp: &'t str,
}

/// Comments in a text that read as ours and name the person, or nobody we know, as whoever said them (`by=user`), each with what follows
/// it in its line; also one whose end is in another line or missing, for those are read too.
pub fn said_by_the_person(text: &str) -> impl Iterator<Item = &str> {
    stamps(text).map(|(_, stamp)| stamp)
}

/// Each of them with the words it stands for.
pub fn signed_by_the_person(text: &str) -> impl Iterator<Item = SignedWords<'_>> {
    let mut stamps = stamps(text).peekable();
    let lines: Vec<&str> = if stamps.peek().is_some() { text.lines().collect() } else { Vec::new() };
    stamps.map(move |(at, stamp)| SignedWords { stamp, lines: around(&lines, at) })
}

/// Whoever says something by our word and is not the person.
const OTHERS: [&str; 3] = ["agent", "tool", "web"];

/// The stamps of a text, each with the line that it begins in.
fn stamps(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let (mut next, mut comments) = (0, Comments { text, read_to: 0, is_last: false });
    text.split_inclusive('\n').enumerate().filter_map(move |(n, line)| {
        let start = next;
        next += line.len();
        let is_ours = |at: &usize| begins_as_ours(part(text, start + at + OPENING.len()..text.len()));
        let mut ours = line.match_indices(OPENING).map(|(at, _)| at).filter(is_ours);
        let (at, comment) = ours.find_map(|at| {
            let comment = comments.at(start + at, next)?;
            names_the_person(comment).then_some((at, comment))
        })?;
        // A line may have several; the last of them may end in another line, or nowhere.
        let to_end_of_line = part(line, at..line.len()).trim_end();
        Some((n, if comment.len() > to_end_of_line.len() { comment } else { to_end_of_line }))
    })
}

/// The comments of a text in their order, each read once.
struct Comments<'t> {
    text: &'t str,
    /// What begins before this stands in one that was read.
    read_to: usize,
    /// Whether none ends any more.
    is_last: bool,
}

impl<'t> Comments<'t> {
    /// The one that begins here, in a line that ends there: to its end, or where it has none to that of the line.
    fn at(&mut self, at: usize, line_end: usize) -> Option<&'t str> {
        if at < self.read_to {
            return None;
        }
        let rest = part(self.text, at..self.text.len());
        let end = if self.is_last { None } else { rest.find("-->").map(|end| at + end) };
        self.is_last = end.is_none();
        let end = end.unwrap_or(line_end);
        self.read_to = end;
        Some(part(self.text, at..end).trim_end())
    }
}

const OPENING: &str = "<!--";

fn begins_as_ours(inner: &str) -> bool {
    let mut inner = inner.chars().filter_map(folded).skip_while(|c| c.is_whitespace() || *c == '-');
    inner.next() == Some('l')
        && inner.next() == Some('w')
        && inner.next().is_none_or(|c| c.is_whitespace() || c == '-' && inner.next() == Some('-'))
}

/// Whether a comment says `by=` and somebody else than those that we write there, in whatever letters a reader takes for that.
fn names_the_person(comment: &str) -> bool {
    let folded: String = comment.chars().filter_map(folded).collect();
    folded.match_indices("by").any(|(at, by)| {
        let is_word = !part(&folded, 0..at).ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-');
        let value = part(&folded, at + by.len()..folded.len()).trim_start().strip_prefix('=');
        let name = |value: &str| -> String {
            let value = value.trim_start().trim_start_matches(['"', '\'']);
            value.chars().take_while(|c| c.is_alphanumeric()).collect()
        };
        is_word && value.is_some_and(|value| !OTHERS.contains(&name(value).as_str()))
    })
}

/// A character as it is read: full-width letters are letters, of either case, and what is not seen is nothing.
fn folded(c: char) -> Option<char> {
    const FULL_WIDTH: u32 = 0xfee0;
    match c {
        '\u{ad}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' => None,
        '\u{fe00}'..='\u{fe0f}' | '\u{feff}' => None,
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - FULL_WIDTH).map(|c| c.to_ascii_lowercase()),
        c => Some(c.to_ascii_lowercase()),
    }
}

/// The item or paragraph around a line: what recall answers with its stamp. A row of a table is one by itself.
fn around<'t>(lines: &[&'t str], at: usize) -> Vec<&'t str> {
    let is_row = |line: &str| line.trim_start().starts_with('|');
    let begins = |line: &str| Item::read(line).is_some();
    if is_row(lines[at]) {
        return vec![lines[at].trim()];
    }
    let mut first = at;
    while !begins(lines[first]) && first > 0 && !ends_text(lines[first - 1]) {
        first -= 1;
    }
    let indent = indent_of(lines[first]);
    let mut words: Vec<&str> = lines[first..=at].iter().map(|line| line.trim()).collect();
    for (n, line) in lines.iter().enumerate().skip(at + 1) {
        let after_blank = is_blank(lines[n - 1]);
        let is_below = indent_of(line) > indent;
        if is_blank(line) {
            continue;
        }
        if !is_below && (after_blank || begins(line) || ends_text(line)) {
            break;
        }
        words.push(line.trim());
    }
    words
}

/// Whether no paragraph goes on in this line.
fn ends_text(line: &str) -> bool {
    let text = line.trim_start();
    is_blank(line)
        || text.starts_with('|')
        || text.starts_with('#') && text.trim_start_matches('#').starts_with([' ', '\t'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_stamp() {
        for (text, expected) in [
            ("- a <!-- lw by=user --> ^i\n- b", "- a <!-- lw by=user --> ^i"),
            ("- a <!-- lw by=user -->\n  b\n  - c\n\n  d\n- e", "- a <!-- lw by=user -->|b|- c|d"),
            ("- a <!-- lw by=user -->\nlazy\n\nother", "- a <!-- lw by=user -->|lazy"),
            ("- z\n- a\n  b <!-- lw by=user -->\n\nc", "- a|b <!-- lw by=user -->"),
            ("- z\n  - a <!-- lw by=user -->\n  - b\n", "- a <!-- lw by=user -->"),
            ("- a <!-- lw by=user -->\n# H\n", "- a <!-- lw by=user -->"),
            ("# H\none\ntwo <!-- lw by=user -->\nthree\n\nfour", "one|two <!-- lw by=user -->|three"),
            ("| a |\n| b | <!-- lw by=user -->\n| c |", "| b | <!-- lw by=user -->"),
            ("- a <!-- lw by=agent -->\n- by=user <!-- lwx by=user -->", ""),
            ("- a <!-- lw-config: stand-by=on --> <!-- lw stand-by=on -->", ""),
            ("- a <!-- lw by=tool s=by/user -->\n- b <!-- lw by=web --> by=user", ""),
            ("- a <!-- lw c=1 --> <!-- lw by=user -->", "- a <!-- lw c=1 --> <!-- lw by=user -->"),
            (
                "- a <!-- lw c=1 --> <!-- mine --> <!-- LW by=x",
                "- a <!-- lw c=1 --> <!-- mine --> <!-- LW by=x",
            ),
            ("- a <!--\n  lw by=user -->\n- b", "- a <!--|lw by=user -->"),
            ("- a <!--- lw by=user --->", "- a <!--- lw by=user --->"),
            ("- a <!-- lw by=User -->", "- a <!-- lw by=User -->"),
            ("- a <!-- LW BY=USER -->", "- a <!-- LW BY=USER -->"),
            ("- a <!-- lw by=\"user\" -->", "- a <!-- lw by=\"user\" -->"),
            ("- a <!-- lw by= user -->", "- a <!-- lw by= user -->"),
            ("- a <!-- lw by=person -->", "- a <!-- lw by=person -->"),
            ("- a <!-- lw by=us\u{200d}er -->", "- a <!-- lw by=us\u{200d}er -->"),
            ("- a <!-- lw by=\u{ff55}ser -->", "- a <!-- lw by=\u{ff55}ser -->"),
            ("- a <!-- lw by=agent by=user -->", "- a <!-- lw by=agent by=user -->"),
            ("- a <!-- lw c=1\n  by=user -->\n- b", "- a <!-- lw c=1|by=user -->"),
        ] {
            let found: Vec<String> = signed_by_the_person(text).map(|one| one.lines.join("|")).collect();
            assert_eq!(found.join("/"), expected, "{text}");
        }
    }
}
