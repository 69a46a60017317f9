//! Times that are put together from two: the first Tuesday of next month, Thursday of the week after next, this time last year, two
//! weeks from Friday, a month ago to the day.

use super::super::{Period, Relative};
use super::calendar::{MONTHS, WEEKDAYS, amount, weekday_of, which};
use super::words::{Found, Reading, Word};
use Relative::{
    Day, DayOfWeek, LastOfMonth, Minutes, MonthOfYear, Nearest, NthWeekday, Part, Quarter, SameDayOfMonth,
    SameMonth, Vague,
};

/// Minutes of a day.
const DAY: i64 = 24 * 60;

/// The rules of this file: a time that begins with this word. A word of each must be near, so that most places are asked for nothing else.
pub(super) fn compound(reading: &Reading<'_>, n: usize) -> Option<Found> {
    let near = reading.words.get(n + 1..(n + 5).min(reading.words.len()))?;
    let says = |words: &[&str]| near.iter().any(|word| word.is_one_of(words));
    let of_another = || {
        let rules = [of_month, of_year, of_week, half_of_year];
        says(&["of"]).then(|| rules.iter().find_map(|rule| rule(reading, n))).flatten()
    };
    let counted =
        || says(&["ago", "from"]).then(|| from_a_weekday(reading, n).or_else(|| ago(reading, n))).flatten();
    this_time(reading, n)
        .or_else(of_another)
        .or_else(|| a_week_on(reading, n))
        .or_else(|| just_gone(reading, n))
        .or_else(counted)
}

/// How many words the article takes that a time may begin with.
fn article(reading: &Reading<'_>, n: usize) -> usize {
    usize::from(reading.word(n).is_some_and(|word| word.is("the")))
}

fn found(reading: &Reading<'_>, n: usize, end: usize, relative: Relative) -> Option<Found> {
    reading.are_together(n, end - n).then(|| Found::stated(end - n, relative))
}

/// First, second, last: which one of a row, from 1; the last one is -1.
fn ordinal(word: &Word<'_>) -> Option<i64> {
    const ORDINALS: [(&str, i64); 9] = [
        ("first", 1),
        ("1st", 1),
        ("second", 2),
        ("2nd", 2),
        ("third", 3),
        ("3rd", 3),
        ("fourth", 4),
        ("4th", 4),
        ("last", -1),
    ];
    ORDINALS.into_iter().find(|(name, _)| word.is(name)).map(|(_, nth)| nth)
}

/// `the last day of next month`, `the first Tuesday of this month`.
fn of_month(reading: &Reading<'_>, n: usize) -> Option<Found> {
    let at = n + article(reading, n);
    let nth = ordinal(reading.word(at)?)?;
    // The first of next month.
    if nth > 0
        && at > n
        && reading.says(at + 1, &["of"])
        && reading.word(at + 3).is_some_and(|word| word.is("month"))
    {
        let by = which(reading.word(at + 2)?)?;
        return found(reading, n, at + 4, Relative::DayOfMonth(by, u32::try_from(nth).ok()?));
    }
    let of = reading.word(at + 2).filter(|word| word.is_one_of(&["of", "in"]))?;
    let by = which(reading.word(at + 3)?)?;
    let month = reading.word(at + 4)?.is("month");
    let day = reading.word(at + 1)?;
    let relative = match weekday_of(day) {
        Some(weekday) => NthWeekday(by, nth, weekday),
        None if day.is("day") && nth == -1 => LastOfMonth(by),
        None if day.is("day") && nth == 1 && of.is("of") => Relative::DayOfMonth(by, 1),
        None => return None,
    };
    if month { found(reading, n, at + 5, relative) } else { None }
}

/// `May of next year`, `March of the year after next`.
fn of_year(reading: &Reading<'_>, n: usize) -> Option<Found> {
    let name = reading.word(n)?;
    let month = MONTHS.iter().position(|month| name.text == *month)?;
    let month = u32::try_from(month).ok()?;
    // 3 May of next year is a day.
    if reading.previous(n).is_some_and(|word| word.text.starts_with(|c: char| c.is_ascii_digit())) {
        return None;
    }
    for (words, by) in
        [(["of", "the", "year", "after", "next"], 2), (["of", "the", "year", "before", "last"], -2)]
    {
        if reading.says(n + 1, &words) {
            return found(reading, n, n + 6, MonthOfYear(by, month));
        }
    }
    let by = reading.word(n + 1).filter(|word| word.is("of")).and_then(|_| which(reading.word(n + 2)?))?;
    if reading.word(n + 3)?.is("year") { found(reading, n, n + 4, MonthOfYear(by, month)) } else { None }
}

/// `Thursday of the week after next`.
fn of_week(reading: &Reading<'_>, n: usize) -> Option<Found> {
    let weekday = weekday_of(reading.word(n)?)?;
    let (length, by) =
        [(["of", "the", "week", "after", "next"], 2), (["of", "the", "week", "before", "last"], -2)]
            .into_iter()
            .find(|(words, _)| reading.says(n + 1, words))
            .map(|(words, by)| (words.len(), by))?;
    found(reading, n, n + 1 + length, DayOfWeek(by, weekday))
}

/// `this time last year`, `this time tomorrow`, `this past Sunday`.
fn this_time(reading: &Reading<'_>, n: usize) -> Option<Found> {
    if !reading.word(n)?.is("this") {
        return None;
    }
    if reading.word(n + 1)?.is("past") {
        return found(reading, n, n + 3, Nearest(-1, reading.word(n + 2).and_then(weekday_of)?));
    }
    if !reading.word(n + 1)?.is("time") {
        return None;
    }
    let day = [("tomorrow", 1), ("yesterday", -1)].into_iter().find(|(day, _)| reading.says(n + 2, &[day]));
    if let Some((_, days)) = day {
        return found(reading, n, n + 3, Minutes(days * DAY));
    }
    let by = which(reading.word(n + 2)?).filter(|by| *by != 0)?;
    let relative = match reading.word(n + 3)?.text.to_ascii_lowercase().as_str() {
        "year" => SameMonth(by),
        "week" => Day(7 * by),
        "month" => Vague,
        _ => return None,
    };
    found(reading, n, n + 4, relative)
}

/// `the second half of the year`, `the first half of this year`.
fn half_of_year(reading: &Reading<'_>, n: usize) -> Option<Found> {
    let at = n + article(reading, n);
    let half = [("first", "first half of"), ("second", "second half of")]
        .into_iter()
        .find(|(name, _)| reading.says(at, &[name, "half", "of"]))
        .map(|(_, half)| half)?;
    let year = reading.word(at + 4)?.is("year");
    let said = reading.word(at + 3)?;
    let by = if said.is("the") { Some(0) } else { which(said) };
    let due = at == n || !said.is("the") || reading.one_statement(n) || reading.two_statements(n);
    // The second half of the year was weak: that of the year before.
    let over =
        said.is("the") && reading.of_sentence(n).iter().any(|word| word.is_one_of(&super::calendar::PAST));
    let part = if over { Vague } else { Part(Period::Year, by?, half) };
    if year && due { found(reading, at, at + 5, part) } else { None }
}

/// `Friday week`, `today week`, `Monday fortnight`.
fn a_week_on(reading: &Reading<'_>, n: usize) -> Option<Found> {
    let first = reading.word(n)?;
    let weeks = match reading.word(n + 1)? {
        unit if unit.is("week") => 1,
        unit if unit.is("fortnight") => 2,
        _ => return None,
    };
    let relative = match first.text.to_ascii_lowercase().as_str() {
        "today" => Day(7 * weeks),
        "tomorrow" => Day(7 * weeks + 1),
        _ => Nearest(weeks + 1, weekday_of(first).filter(|_| first.is_capital())?),
    };
    if !reading.are_together(n, 2) {
        return None;
    }
    // The Friday week of a fair; a Monday week by week.
    let behind = reading.text[reading.words[n + 1].end()..].trim_start_matches(' ');
    let ends = behind.is_empty() || behind.starts_with(['.', ',', ';', '\n', ')']);
    let of_another = reading.previous(n).is_some_and(|word| {
        word.is_one_of(&[
            "a", "the", "each", "every", "one", "last", "next", "this", "from", "after", "before", "ago",
        ])
    });
    if ends && !of_another { found(reading, n, n + 2, relative) } else { None }
}

/// `Thursday last`, `Saturday just gone`.
fn just_gone(reading: &Reading<'_>, n: usize) -> Option<Found> {
    let weekday = weekday_of(reading.word(n)?).filter(|_| reading.words[n].is_capital())?;
    let words = if reading.says(n + 1, &["just", "gone"]) { 3 } else { 2 };
    let last = words == 2 && reading.says(n + 1, &["last"]);
    let behind = reading.text[reading.word(n + words - 1)?.end()..].trim_start_matches(' ');
    let ends = behind.is_empty() || behind.starts_with(['.', ',', ';', '\n', ')']);
    if ends && (last || words == 3) { found(reading, n, n + words, Nearest(-1, weekday)) } else { None }
}

/// `two weeks from Friday`, `a week on Monday`, `three Saturdays ago`, `two Sundays from now`.
fn from_a_weekday(reading: &Reading<'_>, n: usize) -> Option<Found> {
    if reading.text[..reading.word(n)?.at].ends_with(['.', ',', '-', '/', ':']) || is_inexact(reading, n) {
        return None;
    }
    let (count, of_amount) = amount(reading, n)?;
    let count = count.filter(|count| (1..=52).contains(count))?;
    let at = n + of_amount;
    let unit = reading.word(at)?;
    let one = unit.text.strip_suffix('s').unwrap_or(unit.text).to_ascii_lowercase();
    if let Some(weekday) = WEEKDAYS.iter().position(|day| *day == one).filter(|_| unit.is_capital()) {
        let weekday = u32::try_from(weekday).ok()?;
        if reading.says(at + 1, &["ago"]) {
            return found(reading, n, at + 2, Nearest(-count, weekday));
        }
        return if reading.says(at + 1, &["from", "now"]) {
            found(reading, n, at + 3, Nearest(count, weekday))
        } else {
            None
        };
    }
    let weeks = count * if matches!(one.as_str(), "week" | "wk") { 1 } else { 2 };
    if !matches!(one.as_str(), "week" | "wk" | "fortnight") || !reading.says(at + 1, &["from"]) {
        return None;
    }
    let (the, day) =
        (usize::from(reading.says(at + 2, &["this"])), |more: usize| reading.word(at + 2 + more));
    let weekday = day(the).filter(|day| day.is_capital()).and_then(weekday_of)?;
    // While she is on leave, two weeks |from Monday: that long, and beginning then.
    let lasts = reading.text[..reading.word(n)?.at].trim_end().ends_with(',');
    found(reading, n, at + 3 + the, if lasts { Vague } else { Nearest(weeks + 1, weekday) })
}

fn is_inexact(reading: &Reading<'_>, n: usize) -> bool {
    reading.previous(n).is_some_and(|word| word.is_one_of(&super::calendar::ABOUT))
}

/// `a month ago to the day`, `two years ago this month`, `a month ago today`, `five quarters ago`.
fn ago(reading: &Reading<'_>, n: usize) -> Option<Found> {
    if reading.text[..reading.word(n)?.at].ends_with(['.', ',', '-', '/', ':']) || is_inexact(reading, n) {
        return None;
    }
    let (count, of_amount) = amount(reading, n)?;
    let count = count.filter(|count| (1..=200).contains(count))?;
    let at = n + of_amount;
    let unit = reading.word(at)?;
    let exact = reading.previous(n).is_some_and(|word| word.is("exactly"));
    let from_today = reading.says(at + 1, &["from", "today"]);
    if !(reading.says(at + 1, &["ago"]) || from_today) {
        return None;
    }
    let one = unit.text.strip_suffix('s').unwrap_or(unit.text).to_ascii_lowercase();
    let same_day = if reading.says(at + 2, &["to", "the", "day"]) {
        Some(3)
    } else {
        reading.says(at + 2, &["today"]).then_some(1)
    };
    if from_today || exact && same_day.is_none() {
        let (words, count) = if from_today { (3, count) } else { (2, -count) };
        return match one.as_str() {
            "month" => found(reading, n, at + words, SameDayOfMonth(count)),
            "year" => found(reading, n, at + words, Relative::SameDay(count)),
            _ => None,
        };
    }
    match (one.as_str(), same_day) {
        ("month", Some(words)) => found(reading, n, at + 2 + words, SameDayOfMonth(-count)),
        ("year", Some(3)) => found(reading, n, at + 5, Relative::SameDay(-count)),
        ("week", Some(3)) => found(reading, n, at + 5, Day(-7 * count)),
        ("year", None) if reading.says(at + 2, &["this", "month"]) => {
            found(reading, n, at + 4, SameMonth(-count))
        }
        ("quarter", None) => found(reading, n, at + 2, Quarter(-count)),
        _ => None,
    }
}
