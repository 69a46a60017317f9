//! The rules for Chinese. There are no blanks between words: `segments` finds where a word begins and ends. A small grammar
//! puts the meaning of a word together from its parts (`calendar`, `person`), and the text around it decides whether it is
//! meant that way (`reading`).

mod calendar;
mod compound;
mod numbers;
mod person;
mod reading;

pub(super) use numbers::{amount, number};

use super::segments::Segments;
use super::{Moment, Period, Relative, TimeWord};
use declaration::Meta;
use reading::{Found, Reading};
use std::ops::Range;

/// A rule: finds a word that begins at this byte.
type Rule = fn(&Reading<'_>, usize) -> Option<Found>;

/// The rules in their order: of two words that begin at one place the earlier rule's is taken.
const RULES: [Rule; 12] = [
    compound::compound,
    calendar::period,
    calendar::present,
    calendar::counted,
    calendar::passing,
    calendar::day_or_year,
    calendar::southern_day,
    calendar::part,
    calendar::time_of_a_row,
    calendar::bare_weekday,
    person::person,
    person::place,
];

/// Every hit that stands in none of the lines which are no prose.
pub(super) fn hits(text: &str, no_prose: &[Range<usize>]) -> Vec<TimeWord> {
    let (reading, segments) = (Reading::of(text), Segments::of(text));
    let mut found = Vec::new();
    let mut at = 0;
    let mut lines = no_prose.iter().peekable();
    while let Some(c) = text[at..].chars().next() {
        if let Some(line) = lines.next_if(|line| line.start <= at) {
            at = at.max(line.end);
            continue;
        }
        let hit = (!c.is_ascii() || c.is_ascii_digit()).then(|| hit(&reading, &segments, at)).flatten();
        at = hit.as_ref().map_or(at + c.len_utf8(), |hit| hit.range.end);
        found.extend(hit);
    }
    found
}

fn hit(reading: &Reading<'_>, segments: &Segments<'_>, at: usize) -> Option<TimeWord> {
    RULES.iter().find_map(|rule| {
        let found = rule(reading, at)?;
        // 证|明后天: what begins within a word of the dictionary is divided like any other, and not certain.
        let doubtful = found.whole && begins_in_a_word(reading, at);
        if found.whole && !doubtful {
            let range = at..at + found.bytes;
            return Some(TimeWord {
                range,
                relative: found.relative,
                certain: found.certain,
                stated: found.stated,
            });
        }
        let shorter = found.shorter.filter(|(bytes, _)| *bytes < found.bytes);
        let words = [Some((found.bytes, found.relative)), shorter];
        let ends: Vec<usize> = words.iter().flatten().map(|(bytes, _)| at + bytes).collect();
        let (which, sure) = segments.stands(at, &ends)?;
        let relative = words[which]?.1;
        // 合同|一年后 is, whatever else 同一 may be.
        let counted = reading
            .split(at)
            .1
            .starts_with(|c: char| c.is_ascii_digit() || "一二两三四五六七八九十".contains(c));
        let certain = found.certain && sure && (counted || !doubtful);
        // An uncertain word that has no replacement is dropped: a mark on it would help nobody.
        let is_one = sure || relative != Relative::Vague;
        is_one.then_some(TimeWord { range: at..ends[which], relative, certain, stated: found.stated })
    })
}

/// Whether the character before a place and the one at it are a word; the 从 of 从今年起 leads to a time.
fn begins_in_a_word(reading: &Reading<'_>, at: usize) -> bool {
    let (before, rest) = reading.split(at);
    let (Some(last), Some(first)) = (before.chars().next_back(), rest.chars().next()) else { return false };
    !matches!(last, '从' | '自') && super::segments::is_a_word(&format!("{last}{first}"))
}

/// The replacement of a word.
pub(super) fn resolved(relative: Relative, moment: &Moment, meta: &Meta) -> Option<String> {
    use Relative::{
        Day, DayOfMonth, DayPart, EndOf, Here, LastOfMonth, Minutes, Month, Nearest, NthWeekday, Part,
        PartOfYear, Quarter, SameDay, SameDayOfMonth, SameMonth, Speaker, TwoDays, User, Week, Weekday,
        Weekend, Year,
    };
    match relative {
        DayPart(days, part) => Some(format!("{} {part}", moment.days(days)?)),
        Week(weeks) => Some(format!("{} 那一周", moment.week(weeks)?)),
        Month(months) => moment.month(months),
        Part(Period::Month, months, part) => Some(format!("{} {part}", moment.month(months)?)),
        Year(years) => Some(format!("{} 年", moment.year(years))),
        Part(Period::Year, years, part) => Some(format!("{} 年{part}", moment.year(years))),
        Day(_) | Weekday(..) | DayOfMonth(..) | LastOfMonth(_) | NthWeekday(..) | SameDayOfMonth(_) => {
            moment.date_of(relative).map(|day| day.to_string())
        }
        PartOfYear(part) => moment.is_amid_the_year().then(|| format!("{} 年{part}", moment.year(0))),
        SameMonth(years) => Some(moment.same_month(years)),
        TwoDays(first) => Some(format!("{} 和 {}", moment.days(first)?, moment.days(first + 1)?)),
        Part(Period::Week, weeks, part) => Some(format!("{} 那一周{part}", moment.week(weeks)?)),
        // 周一 of a Wednesday may be the one of the next week.
        Nearest(by, day) => moment.nearest_in_week(by, day).map(|day| day.to_string()),
        EndOf(period, _) if !moment.is_early(period) => None,
        EndOf(Period::Month, part) => Some(format!("{} {part}", moment.month(0)?)),
        EndOf(Period::Year, part) => Some(format!("{} 年{part}", moment.year(0))),
        EndOf(Period::Quarter, _) => {
            let (year, quarter) = moment.quarter(0)?;
            Some(format!("{year} 年第 {quarter} 季度末"))
        }
        Weekend(weeks) => Some(format!("{} 那个周末", moment.weekend(weeks)?)),
        Minutes(minutes) => moment.minutes(minutes),
        Speaker => meta.speaker.clone(),
        User => meta.user.clone(),
        Here => meta.place.clone(),
        Quarter(quarters) => {
            let (year, quarter) = moment.quarter(quarters)?;
            Some(format!("{year} 年第 {quarter} 季度"))
        }
        SameDay(years) => Some(moment.same_day(years)?.to_string()),
        _ => None,
    }
}
