//! The rules for English. Words are easy to tell apart; names, file names and other senses of the same word are not: USA
//! Today, today.md, the last week of March, Phase I, the US.

use super::{Hit, Moment, Relative};
use Relative::{
    Day, DayPart, Here, Month, Others, Speaker, SpeakersOwn, There, User, UsersOwn, Vague, Week, Weekday,
    Year,
};
use declaration::Meta;

/// Phrases in lower case; longer ones first.
const PHRASES: &[(&str, Relative)] = &[
    ("the day before yesterday", Day(-2)),
    ("the day after tomorrow", Day(2)),
    ("day before yesterday", Day(-2)),
    ("day after tomorrow", Day(2)),
    ("earlier today", DayPart(0, "earlier")),
    ("later today", DayPart(0, "later")),
    ("at the moment", Vague),
    ("right now", Vague),
    ("just now", Day(0)),
    ("over there", There),
    ("over here", Here),
    ("around here", Here),
    ("this morning", DayPart(0, "the morning of")),
    ("this afternoon", DayPart(0, "the afternoon of")),
    ("this evening", DayPart(0, "the evening of")),
    ("last night", DayPart(-1, "the night of")),
    ("last week", Week(-1)),
    ("this week", Week(0)),
    ("next week", Week(1)),
    ("last month", Month(-1)),
    ("this month", Month(0)),
    ("next month", Month(1)),
    ("last year", Year(-1)),
    ("this year", Year(0)),
    ("next year", Year(1)),
    ("today", Day(0)),
    ("yesterday", Day(-1)),
    ("tomorrow", Day(1)),
    ("tonight", DayPart(0, "the evening of")),
    ("recently", Vague),
    ("lately", Vague),
    ("nowadays", Vague),
    ("currently", Vague),
    ("now", Vague),
    ("soon", Vague),
    ("here", Here),
    ("nearby", Here),
    ("he", User),
    ("him", User),
    ("she", User),
    ("his", UsersOwn),
    ("her", UsersOwn),
    ("hers", Others),
    ("i", Speaker),
    ("me", Speaker),
    ("my", SpeakersOwn),
    ("mine", Others),
    ("we", Others),
    ("us", Others),
    ("our", Others),
    ("ours", Others),
];

const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const NUMBERS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
];
/// What hangs on a word with an apostrophe.
const ENDINGS: [&str; 6] = ["s", "m", "ve", "re", "d", "ll"];

/// A word and where it stands.
#[derive(Clone, Copy)]
struct Word<'t> {
    text: &'t str,
    at: usize,
}

impl Word<'_> {
    fn end(&self) -> usize {
        self.at + self.text.len()
    }

    fn is(&self, word: &str) -> bool {
        self.text.eq_ignore_ascii_case(word)
    }

    fn is_capital(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_uppercase())
    }

    fn is_shouted(&self) -> bool {
        self.text.len() > 1 && self.text.bytes().all(|b| b.is_ascii_uppercase())
    }
}

/// Every hit.
pub(super) fn hits(text: &str) -> Vec<Hit> {
    let words = words(text);
    let mut found = Vec::new();
    let mut n = 0;
    while n < words.len() {
        let hit =
            ago(text, &words, n).or_else(|| weekday(text, &words, n)).or_else(|| phrase(text, &words, n));
        match hit {
            Some((count, relative)) => {
                let end = with_ending(text, words[n + count - 1].end());
                found.push(Hit { range: words[n].at..end, relative });
                // An ending is no word of its own.
                n += count;
                while words.get(n).is_some_and(|word| word.at < end) {
                    n += 1;
                }
            }
            None => n += 1,
        }
    }
    found
}

/// Runs of ASCII letters, digits and underscores that no other letter touches.
fn words(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let belongs = c.is_ascii_alphanumeric() || c == '_';
        match (start, belongs) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                words.push(Word { text: &text[from..at], at: from });
                start = None;
            }
            _ => {}
        }
    }
    words
}

/// The end of a word with what an apostrophe hangs on it.
fn with_ending(text: &str, end: usize) -> usize {
    let rest = &text[end..];
    let Some(behind) = rest.strip_prefix(['\'', '’']) else { return end };
    let length = behind.bytes().take_while(u8::is_ascii_alphabetic).count();
    let is_ending = ENDINGS.contains(&behind[..length].to_ascii_lowercase().as_str());
    if is_ending { end + (rest.len() - behind.len()) + length } else { end }
}

fn phrase(text: &str, words: &[Word<'_>], n: usize) -> Option<(usize, Relative)> {
    let (parts, relative) = PHRASES.iter().find_map(|(phrase, relative)| {
        let count = phrase.split(' ').count();
        let of = words.get(n..n + count)?;
        let same = phrase.split(' ').zip(of).all(|(part, word)| word.is(part));
        (same && one_blank_between(text, of)).then_some((of, *relative))
    })?;
    let previous = n.checked_sub(1).map(|before| words[before]);
    let next = words.get(n + parts.len()).copied();
    let stands = !is_in_a_name(text, parts) && !has_another_sense(text, parts, previous, next);
    stands.then_some((parts.len(), relative))
}

fn one_blank_between(text: &str, words: &[Word<'_>]) -> bool {
    words.windows(2).all(|pair| matches!(&text[pair[0].end()..pair[1].at], " " | "\n"))
}

/// A file name, a call, a host name, a name in capitals.
fn is_in_a_name(text: &str, parts: &[Word<'_>]) -> bool {
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return true };
    let behind = &text[last.end()..];
    let before = &text[..first.at];
    let dotted = |c: char| matches!(c, '.' | '/' | '@' | ':' | '-' | '=' | '\\' | '#');
    let goes_on = behind.starts_with('(')
        || behind.strip_prefix(dotted).is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric()));
    let comes_from = before.ends_with(['.', '/', '@', '$', '\\', '-', '=', '#', '%', '&'])
        || before.ends_with(|c: char| c.is_alphabetic());
    let shouted = parts.iter().any(Word::is_shouted);
    // In the middle of a sentence capitals make a name: USA Today; at its beginning a second one does: This Week in Rust.
    let named = match parts {
        [one] => one.is_capital() && one.text != "I" && !begins_sentence(before),
        several => several.iter().skip(1).any(Word::is_capital),
    };
    goes_on || comes_from || shouted || named
}

fn begins_sentence(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '*', '_', '-', '(', '[', '#', '>', '\t']);
    before.is_empty() || before.ends_with(['.', '!', '?', ':', ';', '\n', '。', '…', '|'])
}

/// The same words with another meaning.
fn has_another_sense(
    text: &str,
    parts: &[Word<'_>],
    previous: Option<Word<'_>>,
    next: Option<Word<'_>>,
) -> bool {
    let after = |words: &[&str]| previous.is_some_and(|word| words.iter().any(|w| word.is(w)));
    let before = |words: &[&str]| next.is_some_and(|word| words.iter().any(|w| word.is(w)));
    let first = parts.first().map_or("", |word| word.text);
    match first.to_ascii_lowercase().as_str() {
        "last" | "next" => after(&["the", "each", "every", "of"]) || before(&["of"]),
        "this" => before(&["of"]) && !parts.iter().any(|word| word.is("week")),
        "recently" => after(&["least", "most"]) || before(&["used"]) && after(&["the"]),
        "i" => first != "I" || is_numeral(text, parts, previous),
        "me" => {
            after(&["about", "read", "contact", "remember"]) && previous.is_some_and(|word| word.is_capital())
        }
        "mine" => {
            after(&["a", "the", "data", "gold", "coal", "iron", "to", "can", "crypto"])
                || before(&["the", "for"])
        }
        "here" => after(&["click", "from"]) && before(&["to"]),
        "soon" => after(&["as", "too", "means"]) || before(&["as"]),
        "now" => after(&["by", "until", "till"]) && before(&["on"]),
        "us" => after(&["the", "in"]) && first != "us",
        _ => false,
    }
}

/// Phase I, Type I, I. and I/O.
fn is_numeral(text: &str, parts: &[Word<'_>], previous: Option<Word<'_>>) -> bool {
    const COUNTED: [&str; 16] = [
        "phase", "type", "part", "section", "chapter", "war", "class", "level", "stage", "volume", "grade",
        "act", "appendix", "book", "tier", "category",
    ];
    let counted = previous.is_some_and(|word| COUNTED.iter().any(|noun| word.is(noun)));
    let behind = parts.last().map_or("", |word| &text[word.end()..]);
    counted || behind.starts_with(['/', '.', ')', ':', '-', '&'])
}

/// `three days ago`, `a week ago`, `2 months ago`.
fn ago(text: &str, words: &[Word<'_>], n: usize) -> Option<(usize, Relative)> {
    let of = words.get(n..n + 3)?;
    if !of[2].is("ago") || !one_blank_between(text, of) {
        return None;
    }
    let lower = of[0].text.to_ascii_lowercase();
    let count = match lower.as_str() {
        "a" | "an" => 1,
        word => match NUMBERS.iter().position(|number| *number == word) {
            Some(count) => i64::try_from(count).ok()?,
            None => word.parse().ok().filter(|count| *count <= 10_000)?,
        },
    };
    let relative = match of[1].text.to_ascii_lowercase().trim_end_matches('s') {
        "day" => Day(-count),
        "week" => Day(-7 * count),
        "month" => Month(-count),
        "year" => Year(-count),
        "hour" | "minute" | "second" => Vague,
        _ => return None,
    };
    Some((3, relative))
}

/// `last Friday`, `next Monday`, `this Friday`.
fn weekday(text: &str, words: &[Word<'_>], n: usize) -> Option<(usize, Relative)> {
    let of = words.get(n..n + 2)?;
    let weeks = match of[0].text.to_ascii_lowercase().as_str() {
        "last" => -1,
        "this" => 0,
        "next" => 1,
        _ => return None,
    };
    let day = WEEKDAYS.iter().position(|day| of[1].is(day))?;
    let previous = n.checked_sub(1).map(|before| words[before]);
    let next = words.get(n + 2);
    let definite = previous.is_some_and(|word| ["the", "each", "every"].iter().any(|w| word.is(w)));
    let of_something = next.is_some_and(|word| word.is("of") || word.is("in"));
    let weekday = Weekday(weeks, u32::try_from(day).ok()?);
    (!definite && !of_something && one_blank_between(text, of)).then_some((2, weekday))
}

/// What is put in the place of a word; `behind` is what follows it.
pub(super) fn resolved(
    said: &str,
    behind: &str,
    relative: Relative,
    moment: &Moment,
    meta: &Meta,
) -> Option<String> {
    let (word, ending) = said.split_at(said.find(['\'', '’']).unwrap_or(said.len()));
    let put = match relative {
        DayPart(days, part) => format!("{part} {}", moment.days(days)?),
        Week(weeks) => format!("the week of {}", moment.week(weeks)?),
        Month(months) => moment.month(months)?,
        Year(years) => moment.year(years).to_string(),
        Weekday(weeks, day) if !moment.is_clear(weeks, day) => return None,
        Day(_) | Weekday(..) => moment.date(relative)?.to_string(),
        Here if word.eq_ignore_ascii_case("here") => format!("in {}", meta.place.as_ref()?),
        Speaker | User | SpeakersOwn | UsersOwn => return person(word, ending, behind, relative, meta),
        _ => return None,
    };
    let put = if word.starts_with(|c: char| c.is_ascii_uppercase()) { capital(&put) } else { put };
    // A possessive stays one; "today's" for "today is" reads the same.
    Some(put + ending)
}

fn person(word: &str, ending: &str, behind: &str, relative: Relative, meta: &Meta) -> Option<String> {
    let name = match relative {
        Speaker | SpeakersOwn => meta.speaker.as_ref()?,
        _ => meta.user.as_ref()?,
    };
    let next = behind.trim_start().split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("");
    match word.to_ascii_lowercase().as_str() {
        "my" | "his" => Some(format!("{name}'s")),
        // Whose, or whom: only a word that cannot be a thing of hers tells.
        "her"
            if ["", "in", "at", "to", "about", "before", "after", "last", "on", "with", "and", "for"]
                .contains(&next) =>
        {
            Some(name.clone())
        }
        "her" => None,
        "i" => first_person(name, ending, next),
        _ => Some(match ending {
            "" | "'s" | "’s" => format!("{name}{ending}"),
            _ => return None,
        }),
    }
}

/// "I" takes another form of the verb than a name does, but for these.
fn first_person(name: &str, ending: &str, next: &str) -> Option<String> {
    const SAME: [&str; 12] =
        ["was", "had", "did", "will", "can", "could", "would", "should", "might", "may", "must", "said"];
    match ending {
        "'m" | "’m" => Some(format!("{name} is")),
        "'ve" | "’ve" => Some(format!("{name} has")),
        "'d" | "’d" | "'ll" | "’ll" => Some(format!("{name}{ending}")),
        _ if SAME.contains(&next) || next.len() > 4 && next.ends_with("ed") => Some(name.to_owned()),
        _ => None,
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
