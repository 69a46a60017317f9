//! What a list item says beside its text: kind, tags, fields of its comment, id, whether it is struck out. A second reader
//! beside the grammar of `markdown-merge`, so that a search needs no Markdown parser: it reads only what recall needs, also
//! from a comment that a person broke. `tests/grammar.rs` holds it to the cases of the grammar.

use crate::struck::is_struck_item;

/// What stands at the beginning of a field comment.
const FIELDS: &str = "<!-- lw";

/// An item as it was read.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ItemFields {
    /// `W`, `B`, `O`, `E`, or a lower-case word.
    pub kind: Option<String>,
    /// What stands behind `#`, in the order of the text.
    pub tags: Vec<String>,
    /// The block id behind `^`.
    pub id: Option<String>,
    /// The day of the comment's time, where it has one.
    pub day: Option<String>,
    /// `by=`: who said it.
    pub by: Option<String>,
    /// `c=`: how sure they were, 0–1.
    pub confidence: Option<f64>,
    /// `of=`: its scope or event.
    pub of: Option<String>,
    /// `in=`: the project it was said in, where others are not to be told.
    #[serde(default)]
    pub project: Option<String>,
    /// `sup=`: the id of the item that took its place.
    pub superseded_by: Option<String>,
    /// Struck out, or `del=` or `sup=` says so: no longer live.
    pub retired: bool,
    /// Short comments in it or above it that are not ours, as they are written: one may say that it is a guess.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

/// What stands in the place of a text that was purged; an earlier version that comes back may have nothing else of an item.
const PURGED: &str = "(purged)";

/// Reads the text of an item without its bullet: its fields, and the text that a reader is shown.
#[must_use]
pub fn read(text: &str) -> (ItemFields, String) {
    let mut item = ItemFields::default();
    let Commented { mut shown, fields, remarks } = commented(text);
    for fields in fields {
        item.take_fields(&fields);
    }
    item.remarks = remarks;
    if let Some((rest, id)) = block_id(&shown) {
        item.id = Some(id.to_owned());
        shown = rest.to_owned();
    }
    shown = checked_off(shown.trim());
    if let Some(bare) = struck_out(&shown) {
        item.retired = true;
        shown = bare;
    }
    if let Some((kind, rest)) = kind(&shown) {
        item.kind = Some(kind.to_owned());
        shown = rest.trim_start().to_owned();
    }
    item.retired |= shown.trim() == PURGED || is_struck_item(&shown);
    item.tags = tags(&shown);
    (item, shown.trim().to_owned())
}

/// The text without its comments. A comment that is never closed ends with its line.
#[must_use]
pub fn without_comments(text: &str) -> String {
    commented(text).shown
}

/// A text, and what its comments say.
#[derive(Debug, Default)]
pub(crate) struct Commented {
    /// Without them.
    pub shown: String,
    /// The fields of ours.
    pub fields: Vec<String>,
    /// The others, as far as they are kept.
    pub remarks: Vec<String>,
}

/// Longest comment that is kept, in bytes, and most of them in one unit.
const REMARK_BYTES_MAX: usize = 200;
/// The same, how many.
pub(crate) const REMARKS_MAX: usize = 8;

pub(crate) fn commented(text: &str) -> Commented {
    let mut shown = String::with_capacity(text.len());
    let (mut fields, mut remarks) = (Vec::new(), Vec::new());
    let mut rest = text;
    while let Some(at) = rest.find("<!--") {
        let (before, comment) = rest.split_at(at);
        if in_code(&shown, before) {
            let (sign, behind) = comment.split_at("<!--".len());
            shown.push_str(before);
            shown.push_str(sign);
            rest = behind;
            continue;
        }
        shown.push_str(before.trim_end_matches(' '));
        let closed = comment.find("-->").map(|end| end + 3);
        let line = comment.find('\n').unwrap_or(comment.len());
        // A comment of ours is always one line, even if a person damaged its end.
        let end = match closed {
            Some(end) if !is_ours(comment) || end <= line => end,
            _ if is_ours(comment) => broken_end(&comment[..line]),
            _ => comment.len(),
        };
        let (inside, behind) = comment.split_at(end);
        if let Some(said) = inside.strip_prefix(FIELDS).filter(|_| is_ours(inside)) {
            fields.push(said.trim_end_matches(['-', '>']).to_owned());
        } else if inside.len() <= REMARK_BYTES_MAX && inside.ends_with("-->") && remarks.len() < REMARKS_MAX {
            remarks.push(inside.to_owned());
        }
        rest = behind;
    }
    shown.push_str(rest);
    Commented { shown, fields, remarks }
}

/// Whether a comment has fields: `lw` is a word by itself there, as the grammar reads it.
fn is_ours(comment: &str) -> bool {
    let behind = comment.strip_prefix(FIELDS);
    behind.is_some_and(|behind| {
        behind.is_empty() || behind.starts_with([' ', '\t', '\n', '\r']) || behind.starts_with("-->")
    })
}

/// Whether a code span is open at the end of these two, which follow each other.
fn in_code(one: &str, other: &str) -> bool {
    let line = |text: &str| text.rfind('\n').map_or(0, |end| end + 1);
    let ticks = |text: &str| text.bytes().filter(|b| *b == b'`').count();
    let begun = if other.contains('\n') { 0 } else { ticks(&one[line(one)..]) };
    (begun + ticks(&other[line(other)..])) % 2 == 1
}

/// Where a comment of ours ends whose `-->` is missing: at the block id, else with the line.
fn broken_end(line: &str) -> usize {
    line.rfind(" ^").filter(|at| is_id(line[at + 2..].trim_end())).unwrap_or(line.len())
}

fn is_id(text: &str) -> bool {
    !text.is_empty() && text.len() <= 64 && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

/// The block id that ends the first line or the whole, and the text without it.
fn block_id(shown: &str) -> Option<(String, String)> {
    let (line, rest) = shown.split_once('\n').unwrap_or((shown, ""));
    let line = line.trim_end();
    let at = line.rfind('^').filter(|at| *at == 0 || line[..*at].ends_with([' ', '~', '\t']))?;
    let id = &line[at + 1..];
    let text =
        if rest.is_empty() { line[..at].to_owned() } else { format!("{}\n{rest}", line[..at].trim_end()) };
    is_id(id).then(|| (text, id.to_owned()))
}

/// The text without the check box of a task.
fn checked_off(shown: &str) -> String {
    let boxes = ["[ ] ", "[x] ", "[X] "];
    boxes.iter().find_map(|mark| shown.strip_prefix(mark)).unwrap_or(shown).to_owned()
}

/// The text without `~~`, where all of it except tags is struck out.
fn struck_out(shown: &str) -> Option<String> {
    let inner = shown.strip_prefix("~~")?;
    let end = inner.find("~~")?;
    let behind = &inner[end + 2..];
    let first = behind.split('\n').next().unwrap_or_default();
    let only_tags = first.split_whitespace().all(|word| word.starts_with('#'));
    only_tags.then(|| format!("{}{behind}", &inner[..end]))
}

/// The `[kind]` at the beginning, before a blank and a text: one of four capitals, or a word of the user's own. A link or a
/// footnote is no kind.
fn kind(shown: &str) -> Option<(&str, &str)> {
    let (kind, rest) = shown.strip_prefix('[')?.split_once(']')?;
    let letter = |c: char| (c.is_alphanumeric() && !c.is_uppercase()) || matches!(c, '-' | '_');
    let word =
        |kind: &str| kind.len() <= 64 && kind.chars().any(char::is_alphabetic) && kind.chars().all(letter);
    let is_kind = matches!(kind, "W" | "B" | "O" | "E") || word(kind);
    let line = rest.split('\n').next().unwrap_or_default();
    (is_kind && line.starts_with([' ', '\t']) && !line.trim().is_empty()).then_some((kind, rest))
}

/// Words that begin with one `#` and have a letter in them, without the punctuation behind them.
fn tags(shown: &str) -> Vec<String> {
    let words = shown.split_whitespace().filter_map(|word| word.strip_prefix('#'));
    let tags = words.map(|word| word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '。', '，']));
    let is_tag = |tag: &&str| !tag.starts_with('#') && tag.chars().any(char::is_alphabetic);
    tags.filter(is_tag).map(str::to_owned).collect()
}

impl ItemFields {
    fn take_fields(&mut self, said: &str) {
        for word in said.split_whitespace() {
            match word.split_once('=') {
                Some(("c", value)) => self.confidence = value.parse().ok(),
                Some(("by", value)) => self.by = Some(value.to_owned()),
                Some(("of", value)) => self.of = Some(value.to_owned()),
                Some(("in", value)) => self.project = Some(value.to_owned()),
                Some(("sup", value)) => {
                    self.superseded_by = Some(value.trim_start_matches('^').to_owned());
                    self.retired = true;
                }
                Some(("del", _)) => self.retired = true,
                Some(_) => {}
                None => {
                    self.day = word.get(..10).filter(|day| is_day(day)).map(str::to_owned).or(self.day.take())
                }
            }
        }
    }
}

/// Whether a text is a day as `2026-02-16`.
#[must_use]
pub fn is_day(text: &str) -> bool {
    text.len() == 10
        && text
            .bytes()
            .enumerate()
            .all(|(at, b)| if at == 4 || at == 7 { b == b'-' } else { b.is_ascii_digit() })
}

#[cfg(test)]
mod tests {
    use super::{ItemFields, read, without_comments};

    #[test]
    fn an_item_is_read_as_its_author_meant_it() {
        let (item, text) = read(
            "[O] Prefers tabs over spaces #editor <!-- lw 2026-02-16T14:30+08:00 c=0.9 by=user s=claude_code/9f1c --> ^k7m2q9xa",
        );
        assert_eq!(text, "Prefers tabs over spaces #editor");
        assert_eq!(
            item,
            ItemFields {
                kind: Some("O".into()),
                tags: vec!["editor".into()],
                id: Some("k7m2q9xa".into()),
                day: Some("2026-02-16".into()),
                by: Some("user".into()),
                confidence: Some(0.9),
                ..ItemFields::default()
            }
        );
    }

    #[test]
    fn what_is_no_longer_live_is_told() {
        let cases = [
            ("~~[O] Prefers tabs~~ <!-- lw 14:30 del=2026-03-01 --> ^k7m2q9xa", true, "Prefers tabs"),
            ("~~[W] Old #x~~ <!-- lw sup=^abcdefgh --> ^k7m2q9xa", true, "Old #x"),
            ("[W] not struck <!-- lw del=2026-03-01 -->", true, "not struck"),
            ("~~by hand~~", true, "by hand"),
            ("~~by hand~~ #tag ^abcdefgh", true, "by hand #tag"),
            ("~~half~~ of it", false, "~~half~~ of it"),
            ("text with del=x", false, "text with del=x"),
        ];
        for (written, retired, shown) in cases {
            let (item, text) = read(written);
            assert_eq!((item.retired, text.as_str()), (retired, shown), "{written}");
        }
    }

    #[test]
    fn a_broken_comment_costs_its_fields_never_the_text() {
        let cases = [
            ("a plan <!-- lw 14:30 c=0.9 -> ^k7m2q9xa", "a plan", Some("k7m2q9xa")),
            ("a plan <!-- lw 14:30 c=0.9", "a plan", None),
            ("a plan <!-- lw\n  goes on", "a plan\n  goes on", None),
            ("a plan <!-- a note --> here", "a plan here", None),
            ("a plan ^k7m2q9xa", "a plan", Some("k7m2q9xa")),
            ("a plan <!-- lw c=x by= -->\nsecond line", "a plan\nsecond line", None),
            ("2^10 is 1024", "2^10 is 1024", None),
        ];
        for (written, shown, id) in cases {
            let (item, text) = read(written);
            assert_eq!((text.as_str(), item.id.as_deref()), (shown, id), "{written}");
        }
        assert_eq!(without_comments("x <!-- never closed\ny"), "x");
    }

    #[test]
    fn kinds_are_letters_or_words() {
        let cases = [
            ("[W] a", Some("W"), "a"),
            ("[decision] a", Some("decision"), "a"),
            ("[ ] a", None, "a"),
            ("[x] [todo] a", Some("todo"), "a"),
            ("[link](http://x) a", None, "[link](http://x) a"),
            ("[Q] a", None, "[Q] a"),
            ("[^1] a", None, "[^1] a"),
        ];
        for (written, kind, shown) in cases {
            let (item, text) = read(written);
            assert_eq!((item.kind.as_deref(), text.as_str()), (kind, shown), "{written}");
        }
    }
}
