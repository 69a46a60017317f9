//! What becomes of an item's line: struck out, given back, said anew. Every piece that is not asked about stays as it is, so that
//! an item that was retired and restored has its old bytes.

use super::item::{Item, comment_inner};
use super::item_text::ItemText;
use super::parse;
use super::request::Stamp;
use super::said_again::GUESS_BELOW;
use super::struck::without_struck;
use super::text::part;
use sha2::{Digest, Sha256};

/// What stands in the place of a text that was purged.
pub const PURGED: &str = "(purged)";

/// Characters of an id.
const ID_LEN: usize = 8;

/// The id of an item that is made from `seed`: the same seed gives the same id.
#[must_use]
pub fn id_of(seed: &[u8]) -> String {
    let digest = Sha256::digest(seed);
    let mut number = digest.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    let mut id = String::with_capacity(ID_LEN);
    for _ in 0..ID_LEN {
        let digit = u32::try_from(number % 36).unwrap_or(0);
        id.push(char::from_digit(digit, 36).unwrap_or('0'));
        number /= 36;
    }
    id
}

/// The id by which an item goes that nobody gave one yet: it follows from what the item says.
#[must_use]
pub fn derived_id(text: &str) -> String {
    id_of(format!("item\0{text}").as_bytes())
}

/// What two items have in common that say the same: letters without case, words without the blanks between them, no comments
/// and no full stop at the end. Code is what it is: `rm -rf A` is not `rm -rf a`.
#[must_use]
pub fn fold(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("<!--") {
        plain.push_str(before);
        rest = comment.split_once("-->").map_or("", |(_, behind)| behind);
    }
    plain.push_str(rest);
    let mut folded = String::with_capacity(plain.len());
    let mut rest = plain.as_str();
    while let Some((before, code, behind)) = code_span(rest) {
        push_words(&mut folded, before);
        folded.push_str(code);
        rest = behind;
    }
    push_words(&mut folded, rest);
    folded.trim_end().trim_end_matches(['.', '。']).to_owned()
}

/// Adds a text without case and with single blanks.
fn push_words(folded: &mut String, text: &str) {
    for c in text.to_lowercase().chars() {
        if !c.is_whitespace() {
            folded.push(c);
        } else if !folded.is_empty() && !folded.ends_with(' ') {
            folded.push(' ');
        }
    }
}

/// The first code in a text with its backticks, what stands before it, and behind it. As many backticks end it as began it.
fn code_span(text: &str) -> Option<(&str, &str, &str)> {
    // Each length is looked for once at most to the end: longer ones would cost more than they are used.
    const TICKS_MAX: usize = 8;
    let run = |at: usize| text[at..].bytes().take_while(|byte| *byte == b'`').count();
    let mut from = 0;
    loop {
        let open = from + text[from..].find('`')?;
        let ticks = run(open);
        let mut at = if ticks > TICKS_MAX { text.len() } else { open + ticks };
        while let Some(found) = text[at..].find('`') {
            let close = at + found;
            at = close + run(close);
            if at - close == ticks {
                return Some((&text[..open], &text[open..at], &text[at..]));
            }
        }
        from = open + ticks;
    }
}

/// What a line says that looks like an item, folded and hashed.
pub(super) fn said_by(line: &str) -> Option<u64> {
    Item::read(line).map(|item| parse::hash(&*fold(item.text())))
}

impl Item<'_> {
    /// Its id; where it has none, the one derived from its text.
    #[must_use]
    pub fn known_as(&self) -> String {
        self.id().map_or_else(|| derived_id(self.text), str::to_owned)
    }

    /// The whole item struck out, with this field. A text that strokes cannot hold gets the field alone.
    pub(super) fn struck_out(&self, field: &str) -> String {
        let (gap, comment) = with_field(self, field);
        let (id_gap, id) = self.id_piece();
        let line = |stroke: &str| {
            [
                self.bullet,
                self.task,
                stroke,
                self.kind,
                self.text,
                stroke,
                gap,
                &comment,
                id_gap,
                &id,
                self.below,
            ]
            .concat()
        };
        let struck = line("~~");
        let reads = |item: Item| item.is_struck() && item.text == self.text && item.comment == comment;
        if self.is_struck() || !Item::read(&struck).is_some_and(reads) {
            return line(self.strike);
        }
        struck
    }

    /// What is left of it when its text is purged: one line with its id, when and by whom.
    pub(super) fn tombstone(&self, stamp: Option<&Stamp<'_>>) -> String {
        let day = stamp.map(Stamp::day).filter(|day| !day.is_empty()).unwrap_or("1");
        let by = stamp.and_then(|stamp| stamp.fields.iter().find(|(key, _)| *key == "by"));
        let by = by.map_or_else(String::new, |(_, name)| format!(" by={}", plain(name)));
        let (_, id) = self.id_piece();
        let end = part(self.below, self.below.trim_end_matches(['\r', '\n']).len()..self.below.len());
        let comment = format!(" <!-- lw del={day}{by} --> ");
        [self.bullet.trim_end_matches([' ', '\t']), " ~~", PURGED, "~~", &comment, &id, end].concat()
    }

    /// Whether its text was purged.
    #[must_use]
    pub fn is_purged(&self) -> bool {
        self.text == PURGED && self.is_struck() && self.field("del").is_some()
    }

    /// The whole item as it was before [`Item::struck_out`].
    pub(super) fn given_back(&self) -> String {
        let comment = without_field(&without_field(self.comment, "del="), "sup=");
        let whole = [self.bullet, self.task, self.kind, self.text];
        // A comment that said only that was made for it, and so was the id that follows from the text.
        let made = comment.is_empty() && !self.comment.is_empty();
        let gap = if comment.is_empty() { "" } else { self.before_comment };
        let own_id = !(made && self.id() == Some(&derived_id(self.text)));
        let (id_gap, id) = if own_id { (self.before_id, self.id) } else { ("", "") };
        [whole.concat().as_str(), gap, &comment, id_gap, id, self.below].concat()
    }

    /// The whole item with another text. `day` is that of the heading it stands under.
    pub(super) fn said_anew(
        &self,
        text: &ItemText,
        stamp: Option<&Stamp<'_>>,
        day: &str,
        eol: &str,
    ) -> String {
        let task = if text.task.is_empty() { self.task } else { &text.task };
        let kind = if text.kind.is_empty() { self.kind } else { &text.kind };
        let (gap, comment) = match stamp {
            Some(stamp) => {
                let gap = if self.comment.is_empty() { " " } else { self.before_comment };
                (gap, stamped(self.comment, stamp, day))
            }
            None => (self.before_comment, self.comment.to_owned()),
        };
        let (id_gap, id) = self.id_piece();
        let below = if text.below.is_empty() { self.below.to_owned() } else { text.below(self.bullet, eol) };
        [self.bullet, task, kind, &text.text, gap, &comment, id_gap, &id, &below].concat()
    }

    /// The whole item with the confidence of a stamp, where that says another one than the item; who said it and when stay.
    pub(super) fn as_sure_as(&self, stamp: &Stamp<'_>) -> Option<String> {
        let (_, sure) = stamp.fields.iter().find(|(key, _)| *key == "c")?;
        let value = |text: &str| text.parse::<f64>().unwrap_or(1.0);
        let now = self.field("c").map_or(1.0, value);
        if value(sure) == now {
            return None;
        }
        let without = without_field(self.comment, "c=");
        let item = Item { comment: &without, ..*self };
        let (gap, comment) = match value(sure) {
            1.0 if without.is_empty() => ("", without.clone()),
            1.0 => (self.before_comment, without.clone()),
            _ => with_field(&item, &format!("c={}", plain(sure))),
        };
        let (id_gap, id) = self.id_piece();
        let head = [self.bullet, self.task, self.strike, self.kind, self.text, self.strike_end].concat();
        Some([head.as_str(), gap, &comment, id_gap, &id, self.below].concat())
    }

    /// The whole item as it is shown: without its comment, but for what is to be doubted of it, and without what is struck out below it.
    #[must_use]
    pub fn shown(&self) -> String {
        let head = [self.bullet, self.task, self.strike, self.kind, self.text, self.strike_end].concat();
        let mark = self.doubt().map_or_else(String::new, |doubt| format!(" <!-- {doubt} -->"));
        [&head, &mark, self.before_id, self.id, &*without_struck(self.below, true)].concat()
    }

    /// Why a reader should not take it for a fact: `a guess, 20 % sure, from the web`, as text that is no item is marked.
    fn doubt(&self) -> Option<String> {
        let sure: Option<f64> = self.field("c").and_then(|sure| sure.parse().ok());
        let guess = sure
            .filter(|sure| *sure < GUESS_BELOW)
            .map(|sure| format!("a guess, {:.0} % sure", sure * 100.0));
        let origin = match self.field("by") {
            Some("web") => Some("from the web"),
            Some("tool") => Some("from a tool"),
            _ => None,
        };
        let said: Vec<String> = guess.into_iter().chain(origin.map(str::to_owned)).collect();
        (!said.is_empty()).then(|| said.join(", "))
    }

    /// The whole item as a task that is done, or is not; `None` for what is no task.
    pub(super) fn checked(&self, done: bool) -> Option<String> {
        self.done()?;
        let task = format!("[{}]{}", if done { 'x' } else { ' ' }, part(self.task, 3..self.task.len()));
        let rest = [self.strike, self.kind, self.text, self.strike_end, self.before_comment, self.comment];
        Some([self.bullet, &task, &rest.concat(), self.before_id, self.id, self.below].concat())
    }

    /// Its id with the blanks before it; where it has none, the one derived from its text.
    fn id_piece(&self) -> (&str, String) {
        match self.id {
            "" => (" ", format!("^{}", derived_id(self.text))),
            id => (self.before_id, id.to_owned()),
        }
    }
}

/// The comment with one field more, and the blanks before it.
fn with_field<'i>(item: &Item<'i>, field: &str) -> (&'i str, String) {
    let Some(inner) = comment_inner(item.comment) else { return (" ", format!("<!-- lw {field} -->")) };
    let said = inner.trim_end();
    // A second blank tells a comment that was there and said nothing from one that was made for the field.
    let blank = if said.is_empty() { "  " } else { " " };
    let at = item.comment.len() - "-->".len() - (inner.len() - said.len());
    let (head, tail) = (part(item.comment, 0..at), part(item.comment, at..item.comment.len()));
    (item.before_comment, [head, blank, field, tail].concat())
}

/// The comment without a field, as it was before [`with_field`]; empty where it was made for that field.
fn without_field(comment: &str, key: &str) -> String {
    let Some(inner) = comment_inner(comment) else { return comment.to_owned() };
    let from = comment.len() - "-->".len() - inner.len();
    let Some(at) = inner.find(&format!(" {key}")) else { return comment.to_owned() };
    let word = part(inner, at + 1..inner.len());
    let end = at + 1 + word.find([' ', '\t']).unwrap_or(word.len());
    let (before, behind) = (part(inner, 0..at), part(inner, end..inner.len()));
    if before.is_empty() && behind.trim().is_empty() {
        return String::new();
    }
    let before = if before.trim().is_empty() { "" } else { before };
    [part(comment, 0..from), before, behind, "-->"].concat()
}

/// A comment with the fields of a stamp in place of those that an earlier one left. What else it says is kept.
pub(super) fn stamped(comment: &str, stamp: &Stamp<'_>, day: &str) -> String {
    let ours =
        |key: &str| matches!(key, "c" | "by" | "s") || stamp.fields.iter().any(|(name, _)| *name == key);
    let time = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let kept = comment_inner(comment).unwrap_or("").split_whitespace();
    let kept = kept.filter(|word| match word.split_once('=') {
        Some((key, _)) => !ours(key),
        None => !time(word),
    });
    let at = plain(&stamp.at);
    let at =
        at.strip_prefix(day).and_then(|at| at.strip_prefix('T')).filter(|_| !day.is_empty()).unwrap_or(&at);
    let fields = stamp.fields.iter().map(|(key, value)| (key, plain(value)));
    let fields = fields.filter(|(_, value)| !value.is_empty()).map(|(key, value)| format!("{key}={value}"));
    let words = Some(at.to_owned()).filter(|at| !at.is_empty()).into_iter().chain(fields);
    let words: Vec<String> = words.chain(kept.map(str::to_owned)).collect();
    if words.is_empty() { String::new() } else { format!("<!-- lw {} -->", words.join(" ")) }
}

/// A value without what would end its field or its comment.
fn plain(value: &str) -> String {
    let fits = |c: &char| {
        c.is_alphanumeric()
            || matches!(c, '-' | '_' | '.' | ':' | '/' | '+' | '@' | '^' | '#' | ',' | '~' | '%')
    };
    let mut plain: String = value.chars().filter(fits).collect();
    while plain.contains("--") {
        plain = plain.replace("--", "-");
    }
    plain
}
