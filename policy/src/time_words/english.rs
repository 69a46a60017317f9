//! The rules for English. Words are easy to find; names, file names and other senses of a word are the difficulty: USA
//! Today, today.md, the last week of March, Phase I, the US.

mod calendar;
mod compound;
mod person;
mod words;

pub(super) use calendar::{MONTHS, WEEKDAYS};

use super::{Moment, Period, Relative, TimeWord};
use declaration::Meta;
use std::ops::Range;
use words::{Found, Reading};

/// A rule: finds a hit that begins with this word.
type Rule = fn(&Reading<'_>, usize) -> Option<Found>;

/// The rules, longer phrases first.
const RULES: [Rule; 16] = [
    compound::compound,
    calendar::half,
    calendar::day_of_week,
    calendar::named_month,
    calendar::day_of_month,
    calendar::counted,
    calendar::in_time,
    calendar::about_now,
    calendar::part_of_period,
    calendar::period,
    calendar::bare_weekday,
    calendar::day,
    calendar::present,
    person::person,
    person::place,
    person::place_of_now,
];

/// Endings after an apostrophe.
const ENDINGS: [&str; 6] = ["s", "m", "ve", "re", "d", "ll"];
/// Words that make a company's name of the word before them.
const COMPANIES: [&str; 14] = [
    "FM",
    "TV",
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

/// Every hit that stands in none of the lines which are no prose.
pub(super) fn hits(text: &str, no_prose: &[Range<usize>]) -> Vec<TimeWord> {
    let reading = Reading::of(text);
    let mut found = Vec::new();
    let mut n = 0;
    let mut lines = no_prose.iter().peekable();
    while n < reading.words.len() {
        if let Some(line) = lines.next_if(|line| line.start <= reading.words[n].at) {
            n += reading.words[n..].partition_point(|word| word.at < line.end);
            continue;
        }
        let Some(Found { words, relative, stated }) = hit(&reading, n) else {
            n += 1;
            continue;
        };
        let end = with_ending(text, reading.words[n + words - 1].end());
        found.push(TimeWord { range: reading.words[n].at..end, relative, certain: true, stated });
        // An ending after an apostrophe is no word of its own.
        n += words;
        while reading.word(n).is_some_and(|word| word.at < end) {
            n += 1;
        }
    }
    found
}

fn hit(reading: &Reading<'_>, n: usize) -> Option<Found> {
    RULES.iter().find_map(|rule| {
        let found = rule(reading, n)?;
        let company = reading.word(n + found.words).is_some_and(|word| COMPANIES.contains(&word.text));
        // The capital of a weekday makes no name of it.
        let weekday =
            found.words == 1 && reading.word(n).is_some_and(|word| calendar::weekday_of(word).is_some());
        (!company && (weekday || !reading.is_in_a_name(n, found.words))).then_some(found)
    })
}

/// Where a word ends, with its ending after an apostrophe.
fn with_ending(text: &str, end: usize) -> usize {
    let rest = &text[end..];
    let Some(behind) = rest.strip_prefix(['\'', '’']) else { return end };
    let length = behind.bytes().take_while(u8::is_ascii_alphabetic).count();
    let is_ending = ENDINGS.contains(&behind[..length].to_ascii_lowercase().as_str());
    if is_ending { end + (rest.len() - behind.len()) + length } else { end }
}

/// The replacement of a word; `behind` is the text after it.
pub(super) fn resolved(
    said: &str,
    behind: &str,
    relative: Relative,
    moment: &Moment,
    meta: &Meta,
) -> Option<String> {
    use Relative::{
        Day, DayOfMonth, DayOfWeek, DayPart, EndOf, Here, LastOfMonth, Minutes, Month, MonthOfYear,
        NamedMonth, Nearest, NthWeekday, Part, Quarter, SameDay, SameDayOfMonth, SameMonth, Season, Speaker,
        SpeakersOwn, User, UsersOwn, Week, Weekday, Weekend, Year,
    };
    // In two weeks' time: that apostrophe is no ending.
    let apostrophe = said.find(['\'', '’']).filter(|at| !said[*at..].contains(' '));
    let (word, ending) = said.split_at(apostrophe.unwrap_or(said.len()));
    let put = match relative {
        DayPart(days, part) => format!("{part} {}", moment.days(days)?),
        Week(weeks) => period(Period::Week, weeks, moment)?,
        Month(months) => period(Period::Month, months, moment)?,
        NamedMonth(by, month) => moment.named_month(by, month)?,
        Quarter(quarters) => period(Period::Quarter, quarters, moment)?,
        Year(years) => period(Period::Year, years, moment)?,
        Part(unit, by, part) => format!("{part} {}", period(unit, by, moment)?),
        SameDay(years) => moment.same_day(years)?.to_string(),
        Weekday(weeks, day) if !moment.is_clear(weeks, day) => return None,
        EndOf(unit, _) if !moment.is_early(unit) => return None,
        EndOf(unit, part) => format!("{part} {}", period(unit, 0, moment)?),
        Weekend(weeks) => format!("the weekend of {}", moment.weekend(weeks)?),
        Day(_) | Weekday(..) | DayOfWeek(..) | DayOfMonth(..) | Nearest(..) | LastOfMonth(_)
        | NthWeekday(..) | SameDayOfMonth(_) => moment.date_of(relative)?.to_string(),
        MonthOfYear(years, month) => moment.month_of_year(years, month),
        SameMonth(years) => moment.same_month(years),
        Season(by, name) => moment.season(by, name).map(|year| format!("{name} {year}"))?,
        Minutes(minutes) if word.starts_with("in ") || word.starts_with("In ") => {
            format!("at {}", moment.minutes(minutes)?)
        }
        Minutes(minutes) => moment.minutes(minutes)?,
        Here if word.eq_ignore_ascii_case("here") => format!("in {}", meta.place.as_ref()?),
        Speaker | User | SpeakersOwn | UsersOwn => {
            return person::named(word, ending, behind, relative, meta);
        }
        _ => return None,
    };
    let begins = word.starts_with(|c: char| c.is_ascii_uppercase()) && !words::ENDS.contains(&word);
    let put = if begins { capital(&put) } else { put };
    // A possessive stays one; "today's" that means "today is" reads the same.
    Some(put + ending)
}

fn period(unit: Period, by: i64, moment: &Moment) -> Option<String> {
    match unit {
        Period::Week => Some(format!("the week of {}", moment.week(by)?)),
        Period::Month => moment.month(by),
        Period::Year => Some(moment.year(by).to_string()),
        Period::Quarter => {
            let (year, quarter) = moment.quarter(by)?;
            Some(format!("Q{quarter} {year}"))
        }
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
