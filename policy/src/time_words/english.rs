//! The rules for English. Words are easy to tell apart; names, file names and other senses of the same word are not: USA
//! Today, today.md, the last week of March, Phase I, the US.

use super::{Hit, Moment, Relative};
use Relative::{
    Day, DayPart, Here, Month, Others, Quarter, SameDay, Speaker, SpeakersOwn, There, User, UsersOwn, Vague,
    Week, Weekday, Year,
};
use declaration::Meta;

/// Phrases in lower case; longer ones first.
const PHRASES: &[(&str, Relative)] = &[
    ("this time last year", Vague),
    ("later this week", Vague),
    ("later this month", Vague),
    ("later this year", Vague),
    ("earlier this week", Vague),
    ("earlier this month", Vague),
    ("earlier this year", Vague),
    ("end of the month", Vague),
    ("end of the year", Vague),
    ("end of the week", Vague),
    ("end of the quarter", Vague),
    ("end of this month", Vague),
    ("end of this week", Vague),
    ("end of this year", Vague),
    ("end of next month", Vague),
    ("end of next week", Vague),
    ("end of next year", Vague),
    ("end of last month", Vague),
    ("end of last year", Vague),
    ("the other day", Vague),
    ("the past few days", Vague),
    ("the last few days", Vague),
    ("the past few weeks", Vague),
    ("the last few weeks", Vague),
    ("the next few days", Vague),
    ("the next few weeks", Vague),
    ("the coming weeks", Vague),
    ("the coming days", Vague),
    ("the coming months", Vague),
    ("a while ago", Vague),
    ("a while back", Vague),
    ("long ago", Vague),
    ("these days", Vague),
    ("at present", Vague),
    ("last weekend", Vague),
    ("this weekend", Vague),
    ("next weekend", Vague),
    ("over the weekend", Vague),
    ("last spring", Vague),
    ("last summer", Vague),
    ("last autumn", Vague),
    ("last fall", Vague),
    ("last winter", Vague),
    ("this spring", Vague),
    ("this summer", Vague),
    ("this autumn", Vague),
    ("this fall", Vague),
    ("this winter", Vague),
    ("next spring", Vague),
    ("next summer", Vague),
    ("next autumn", Vague),
    ("next fall", Vague),
    ("next winter", Vague),
    ("last quarter", Quarter(-1)),
    ("this quarter", Quarter(0)),
    ("next quarter", Quarter(1)),
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

/// What finds a hit that begins with a word: how many words it takes, and what it is relative to.
type Rule = fn(&str, &[Word<'_>], usize) -> Option<(usize, Relative)>;

/// Longer ones first.
const RULES: [Rule; 6] = [ago, weekday, in_time, bare_weekday, phrase, alone];

/// Every hit.
pub(super) fn hits(text: &str) -> Vec<Hit> {
    let words = words(text);
    let mut found = Vec::new();
    let mut n = 0;
    while n < words.len() {
        let hit = RULES.iter().find_map(|rule| rule(text, &words, n));
        match hit {
            Some((count, relative)) => {
                let end = with_ending(text, words[n + count - 1].end());
                found.push(Hit { range: words[n].at..end, relative, certain: true });
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
    const COMPANIES: [&str; 12] = [
        "Show",
        "Corporation",
        "Corp",
        "Inc",
        "Ltd",
        "Group",
        "Studio",
        "Studios",
        "Magazine",
        "Games",
        "Records",
        "Capital",
    ];
    // A value behind an option is a command's: `--since yesterday`.
    let option =
        previous.is_some_and(|word| text[..word.at].ends_with('-') && text[..word.at].ends_with("--"));
    let company = next.is_some_and(|word| COMPANIES.contains(&word.text));
    let stands =
        !option && !company && !is_in_a_name(text, parts) && !has_another_sense(text, parts, previous, next);
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

/// Years back that somebody speaks of as of their own; what is longer ago is history.
const YEARS_MAX: i64 = 200;

/// `three days ago`, `twenty-five days ago`, `a year and a half ago`, `a year ago today`.
fn ago(text: &str, words: &[Word<'_>], n: usize) -> Option<(usize, Relative)> {
    let rest = &words[n..];
    // The 5 of 1.5, the two of twenty-two.
    if text[..rest[0].at].ends_with(['.', ',', '-', '/', ':']) {
        return None;
    }
    let (count, of_amount) = amount(text, rest)?;
    let unit = rest.get(of_amount)?;
    let half = says(rest, of_amount + 1, &["and", "a", "half"]);
    let at = of_amount + 1 + if half { 3 } else { 0 };
    if !says(rest, at, &["ago"]) || !one_blank_between(text, &rest[of_amount..=at]) {
        return None;
    }
    let unit = unit.text.to_ascii_lowercase();
    let about = [
        "about",
        "around",
        "almost",
        "nearly",
        "over",
        "than",
        "roughly",
        "some",
        "least",
        "most",
        "under",
        "approximately",
    ];
    let about = n > 0 && about.iter().any(|word| words[n - 1].is(word));
    let relative = match (unit.trim_end_matches('s'), count) {
        ("day", Some(count)) if !half => Day(-count),
        ("week", Some(count)) if !half => Day(-7 * count),
        ("fortnight", Some(count)) if !half => Day(-14 * count),
        ("month", Some(count)) if !half => Month(-count),
        ("year", Some(count)) if count > YEARS_MAX => return None,
        ("year", Some(count)) if half => Month(-12 * count - 6),
        ("year", Some(count)) => Year(-count),
        (
            "second" | "minute" | "hour" | "day" | "week" | "fortnight" | "month" | "quarter" | "year"
            | "decade",
            _,
        ) => Vague,
        _ => return None,
    };
    let today = says(rest, at + 1, &["today"]) && one_blank_between(text, &rest[at..=at + 1]);
    Some(match relative {
        Year(years) if today && !about => (at + 2, SameDay(years)),
        _ if about => (at + 1, Vague),
        relative => (at + 1, relative),
    })
}

/// Whether these words stand at a place.
fn says(words: &[Word<'_>], at: usize, wanted: &[&str]) -> bool {
    words
        .get(at..at + wanted.len())
        .is_some_and(|words| words.iter().zip(wanted).all(|(word, wanted)| word.is(wanted)))
}

/// An amount, and how many words it takes; `None` for one that is not exact: `a few`, `1.5`, `half an`.
fn amount(text: &str, words: &[Word<'_>]) -> Option<(Option<i64>, usize)> {
    const VAGUE: [&[&str]; 8] = [
        &["a", "few"],
        &["a", "couple", "of"],
        &["a", "couple"],
        &["several"],
        &["half", "a"],
        &["half", "an"],
        &["some"],
        &["many"],
    ];
    if let Some(vague) = VAGUE.iter().find(|vague| says(words, 0, vague)) {
        return Some((None, vague.len()));
    }
    if says(words, 0, &["a", "dozen"]) {
        return Some((Some(12), 2));
    }
    let first = words.first()?;
    if let (Ok(count), Some(next)) = (first.text.parse::<i64>(), words.get(1)) {
        let fraction =
            matches!(&text[first.end()..next.at], "." | ",") && next.text.bytes().all(|b| b.is_ascii_digit());
        return Some(if fraction { (None, 2) } else { (Some(count).filter(|count| *count <= 10_000), 1) });
    }
    const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    let ones = |word: &Word<'_>| {
        NUMBERS.iter().position(|number| word.is(number)).and_then(|n| i64::try_from(n).ok())
    };
    if let Some(tens) = TENS.iter().position(|ten| first.is(ten)).and_then(|n| i64::try_from(n).ok()) {
        let tens = (tens + 2) * 10;
        let more =
            words.get(1).filter(|next| matches!(&text[first.end()..next.at], "-" | " ")).and_then(ones);
        return Some(more.filter(|more| *more < 10).map_or((Some(tens), 1), |more| (Some(tens + more), 2)));
    }
    if first.is("a") || first.is("an") {
        return Some((Some(1), 1));
    }
    ones(first).map(|count| (Some(count), 1))
}

/// `on Friday`, `by Monday`: a day of a week that nobody names.
fn bare_weekday(text: &str, words: &[Word<'_>], n: usize) -> Option<(usize, Relative)> {
    let of = words.get(n..n + 2)?;
    let named =
        ["on", "by", "until", "till", "since", "before", "after", "coming"].iter().any(|word| of[0].is(word));
    let day = of[1].is_capital() && WEEKDAYS.iter().any(|day| of[1].is(day));
    // A date says which: on Monday, 3 March.
    let behind = text[of[1].end()..].trim_start_matches([',', ' ']);
    let dated = behind.starts_with(|c: char| c.is_ascii_digit())
        || MONTHS.iter().any(|month| behind.starts_with(month));
    let often = n > 0 && ["every", "each", "only"].iter().any(|word| words[n - 1].is(word));
    (named && day && !dated && !often && one_blank_between(text, of)).then_some((2, Vague))
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// `in three weeks`, where the sentence speaks of what is to come.
fn in_time(text: &str, words: &[Word<'_>], n: usize) -> Option<(usize, Relative)> {
    const UNITS: [&str; 12] = [
        "day",
        "days",
        "week",
        "weeks",
        "month",
        "months",
        "year",
        "years",
        "hour",
        "hours",
        "fortnight",
        "minutes",
    ];
    const TO_COME: [&str; 14] = [
        "will",
        "ll",
        "due",
        "starts",
        "begins",
        "expires",
        "ends",
        "launches",
        "ships",
        "leaves",
        "arrives",
        "going",
        "scheduled",
        "planned",
    ];
    let rest = &words[n..];
    if !(rest[0].is("in") || rest[0].is("within")) {
        return None;
    }
    let (_, of_amount) = amount(text, rest.get(1..)?)?;
    let unit = rest.get(1 + of_amount)?;
    let sentence = words[..n]
        .iter()
        .rev()
        .take_while(|word| !text[word.end()..rest[0].at].contains(['.', '!', '?', '\n']));
    let to_come = sentence.take(12).any(|word| TO_COME.iter().any(|said| word.is(said)));
    (to_come && UNITS.iter().any(|known| unit.is(known))).then_some((2 + of_amount, Vague))
}

/// What is due at an end that everybody abbreviates; and who nobody can have named before: `They` as the first word of all.
fn alone(text: &str, words: &[Word<'_>], n: usize) -> Option<(usize, Relative)> {
    let word = words[n];
    let abbreviated = ["EOD", "EOW", "EOM", "EOQ", "EOY", "COB"].contains(&word.text);
    let first = text[..word.at].trim_start_matches(['-', '*', ' ', '#', '>']).is_empty();
    let nobody = first && ["They", "Their", "You", "Your"].contains(&word.text);
    let relative = if abbreviated { Vague } else { Others };
    (abbreviated || nobody).then_some((1, relative))
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
        Quarter(quarters) => {
            let (year, quarter) = moment.quarter(quarters)?;
            format!("Q{quarter} {year}")
        }
        SameDay(years) => moment.same_day(years)?.to_string(),
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
