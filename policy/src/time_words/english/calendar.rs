//! English words for times: periods (last week, end of next month), parts of days, weekdays, counts of units (three days
//! ago, in ten days) and the present (currently).

use super::super::{Period, Relative};
use super::words::{ENDS, Found, Reading, Word};
use Relative::{
    Day, DayOfMonth, DayOfWeek, DayPart, EndOf, Minutes, Month, NamedMonth, Nearest, Part, Quarter, SameDay,
    Season, Vague, Week, Weekday, Weekend, Year,
};

pub(in crate::time_words) const WEEKDAYS: [&str; 7] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
pub(in crate::time_words) const MONTHS: [&str; 12] = [
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

/// `last`, `this` and `next` as a number.
pub(super) fn which(word: &Word<'_>) -> Option<i64> {
    [("last", -1), ("this", 0), ("next", 1), ("nxt", 1)]
        .into_iter()
        .find(|(which, _)| word.is(which))
        .map(|(_, by)| by)
}

fn period_of(word: &Word<'_>) -> Option<Period> {
    [
        ("week", Period::Week),
        ("wk", Period::Week),
        ("month", Period::Month),
        ("quarter", Period::Quarter),
        ("year", Period::Year),
    ]
    .into_iter()
    .find(|(name, _)| word.is(name))
    .map(|(_, period)| period)
}

/// `last week`, `this coming Sunday`, `next spring`, `this afternoon`: a period, and which one.
pub(super) fn period(reading: &Reading<'_>, n: usize) -> Option<Found> {
    let by = which(reading.word(n)?)?;
    let unit = reading.word(n + 1)?;
    let after = |words: &[&str]| reading.previous(n).is_some_and(|word| word.is_one_of(words));
    let next = |at: usize, words: &[&str]| reading.word(n + at).is_some_and(|word| word.is_one_of(words));
    let definite = by != 0
        && after(&[
            "the", "each", "every", "a", "its", "their", "s", "our", "your", "his", "her", "my", "one",
            "any", "no", "very",
        ]);
    if !reading.are_together(n, 2) || definite {
        return None;
    }
    if unit.is("coming") || unit.is("past") {
        let day = reading.word(n + 2).and_then(weekday_of).filter(|_| reading.are_together(n, 3))?;
        let this = by == 0 && unit.is("coming");
        return Some(Found::stated(3, if this { Nearest(1, day) } else { Vague }));
    }
    if let Some(day) = weekday_of(unit).filter(|_| unit.is_capital() || unit.text.len() > 5) {
        // The last Sunday in March; not last Sunday in 1:52.
        let timed =
            reading.word(n + 3).is_some_and(|word| word.text.starts_with(|c: char| c.is_ascii_digit()));
        let of_something = next(2, &["of", "in"]) && !timed;
        let weekday = Weekday(by, day);
        return (!of_something).then(|| Found::stated(2, weekday));
    }
    if unit.is_one_of(&[
        "weekend",
        "sprint",
        "term",
        "semester",
        "spring",
        "summer",
        "autumn",
        "fall",
        "winter",
        "christmas",
        "easter",
        "thanksgiving",
    ]) {
        // The next weekend may be this one.
        let relative = match unit.text {
            "weekend" if by < 1 => Weekend(by),
            "spring" if by < 0 => Season(by, "spring"),
            "autumn" if by < 0 => Season(by, "autumn"),
            "fall" if by < 0 => Season(by, "fall"),
            "christmas" | "Christmas" if by < 0 => Season(by, "Christmas"),
            _ => Vague,
        };
        return (!next(2, &["of"])).then(|| Found::stated(2, relative));
    }
    if let Some(found) = part_of_day(by, unit) {
        return Some(found);
    }
    // The last week of March is not the week before this one; nor is a week in a story: that next year, the next week.
    // Last year's model is no model of that year for sure.
    let own = next(2, &["s"]) && !(by == 0 && unit.is("quarter"));
    if next(2, &["of"]) || own && (!reading.opens_clause(n) || unit.is("year") && by != 0) {
        return None;
    }
    Some(Found::stated(2, of_period(period_of(unit)?, by)))
}

fn of_period(period: Period, by: i64) -> Relative {
    match period {
        Period::Week => Week(by),
        Period::Month => Month(by),
        Period::Quarter => Quarter(by),
        Period::Year => Year(by),
    }
}

/// `Monday last week`, `Wednesday of next week`, `last week on Tuesday`.
pub(super) fn day_of_week(reading: &Reading<'_>, n: usize) -> Option<Found> {
    let first = reading.word(n)?;
    let week = |at: usize| {
        let by = which(reading.word(at)?)?;
        (reading.word(at + 1)?.is("week") && reading.are_together(at, 2)).then_some(by)
    };
    if let Some(by) = week(n) {
        let on = usize::from(reading.word(n + 2)?.is("on"));
        let day = reading.word(n + 2 + on)?;
        let at = WEEKDAYS.iter().position(|name| day.is(name)).filter(|_| day.is_capital())?;
        let together = reading.are_together(n, 3 + on);
        let alone = !reading.text[day.end()..].starts_with(['\'', '’']);
        return (together && alone)
            .then(|| Found::stated(3 + on, DayOfWeek(by, u32::try_from(at).unwrap_or_default())));
    }
    if first.is_one_of(&WEEKDAYS)
        && reading.word(n + 1)?.is("of")
        && let Some(by) = week(n + 2)
    {
        let day = WEEKDAYS.iter().position(|day| first.is(day))?;
        return reading
            .are_together(n, 4)
            .then(|| Found::stated(4, DayOfWeek(by, u32::try_from(day).unwrap_or_default())));
    }
    let day = weekday_of(first).filter(|_| first.is_capital() || first.is_one_of(&WEEKDAYS))?;
    let by = which(reading.word(n + 1)?)?;
    let week = reading.word(n + 2)?.is("week") && reading.are_together(n, 3);
    // Tue or Wed next week are two.
    let several = reading.previous(n).is_some_and(|word| word.is_one_of(&["or", "and", "to"]));
    Some(Found::stated(3, DayOfWeek(by, day))).filter(|_| week && !several)
}

/// `the 5th of last month`.
pub(super) fn day_of_month(reading: &Reading<'_>, n: usize) -> Option<Found> {
    let at = n + usize::from(reading.word(n)?.is("the"));
    let day = reading.word(at)?.text;
    let digits = day.bytes().take_while(u8::is_ascii_digit).count();
    let number = day[..digits].parse().ok().filter(|day| (1..=31).contains(day))?;
    let ends = ["st", "nd", "rd", "th"].contains(&&day[digits..]);
    let by = which(reading.word(at + 2)?)?;
    // The 24th and 25th of last month are two.
    let several = reading.previous(n).is_some_and(|word| word.is_one_of(&["and", "or", "to", "through"]));
    let is_one = ends
        && !several
        && reading.word(at + 1)?.is("of")
        && reading.word(at + 3)?.is("month")
        && reading.are_together(n, at + 4 - n);
    is_one.then(|| Found::stated(at + 4 - n, DayOfMonth(by, number)))
}

/// `last November`, `this June`: a month of which a year is meant; not the last March of a series.
pub(super) fn named_month(reading: &Reading<'_>, n: usize) -> Option<Found> {
    let by = which(reading.word(n)?)?;
    let name = reading.word(n + 1)?;
    let month = MONTHS.iter().position(|month| name.text == *month)?;
    let of_something = reading
        .word(n + 2)
        .is_some_and(|word| word.is("of") || word.is_capital() || word.text.parse::<u32>().is_ok());
    let definite = reading.previous(n).is_some_and(|word| {
        word.is_one_of(&["the", "each", "every", "a", "its", "their", "s", "our", "your"])
    });
    let once = !of_something && !definite && reading.are_together(n, 2);
    Some(Found::stated(2, NamedMonth(by, u32::try_from(month).ok()?))).filter(|_| once)
}

fn part_of_day(by: i64, unit: &Word<'_>) -> Option<Found> {
    let relative = match (by, unit.text.to_ascii_lowercase().as_str()) {
        (0, "morning") => DayPart(0, "the morning of"),
        (0, "afternoon" | "arvo" | "aft") => DayPart(0, "the afternoon of"),
        (0, "evening") => DayPart(0, "the evening of"),
        (-1, "night" | "nite") => DayPart(-1, "the night of"),
        _ => return None,
    };
    Some(Found::stated(2, relative))
}

/// `EOD`, `EOM`, `EOD Friday`.
fn by_letters(reading: &Reading<'_>, n: usize) -> Option<Found> {
    let word = reading.word(n)?;
    // The EOD of a day; an EOD team is something else.
    let of_a_day = reading.text[..word.at].trim_end().ends_with(|c: char| "一二三四五六日天号".contains(c));
    let other = of_a_day
        || reading.previous(n).is_some_and(|word| word.is_one_of(&["of", "an", "average", "three"]))
        || reading.word(n + 1).is_some_and(|word| word.is_one_of(&DISPOSAL));
    if let Some(day) = reading.word(n + 1).filter(|_| reading.are_together(n, 2)).and_then(weekday_of) {
        return Some(Found::stated(2, Nearest(1, day)));
    }
    // Reports due EOM are due each month.
    let once = reading.of_sentence(n).len() <= 12 && !reading.of_sentence(n)[0].text.ends_with('s');
    let end =
        [("EOW", Period::Week), ("EOM", Period::Month), ("EOQ", Period::Quarter), ("EOY", Period::Year)]
            .into_iter()
            .find(|(end, _)| word.text == *end && once)
            .map_or(Vague, |(_, period)| EndOf(period, "the end of"));
    (!other).then(|| Found::stated(1, end))
}

/// What another EOD is about.
const DISPOSAL: [&str; 9] =
    ["guy", "guys", "team", "tech", "techs", "technician", "staff", "elements", "soldiers"];

/// `end of next month`, `the week after next`, `later this week`, `end of the quarter`, `EOM`.
pub(super) fn part_of_period(reading: &Reading<'_>, n: usize) -> Option<Found> {
    let word = reading.word(n)?;
    let unit_at = n + usize::from(word.is("the"));
    if let Some(unit) = reading.word(unit_at).and_then(period_of) {
        for (words, by) in [(["after", "next"], 2), (["before", "last"], -2)] {
            if reading.says(unit_at + 1, &words) && reading.are_together(n, unit_at + 3 - n) {
                return Some(Found::stated(unit_at + 3 - n, of_period(unit, by)));
            }
        }
    }
    if ENDS.contains(&word.text) {
        return by_letters(reading, n);
    }
    if word.is_one_of(&["later", "earlier"]) && reading.word(n + 1).is_some_and(|word| word.is("this")) {
        let unit = reading.word(n + 2).and_then(period_of)?;
        let part = if word.is("later") { "later in" } else { "earlier in" };
        return reading.are_together(n, 3).then(|| Found::stated(3, Part(unit, 0, part)));
    }
    if word.is_one_of(&["later", "earlier"]) && reading.says(n + 1, &["today"]) {
        return Some(Found::stated(2, DayPart(0, if word.is("later") { "later" } else { "earlier" })));
    }
    let part =
        [("end", "end of"), ("beginning", "beginning of"), ("start", "start of"), ("middle", "middle of")]
            .into_iter()
            .find(|(name, _)| word.is(name))
            .map(|(_, part)| part)?;
    if !reading.are_together(n, 4) || !reading.word(n + 1)?.is("of") {
        return None;
    }
    let (said, unit) = (reading.word(n + 2)?, period_of(reading.word(n + 3)?)?);
    if let Some(by) = which(said) {
        return Some(Found::stated(4, Part(unit, by, part)));
    }
    // Something is due at this end; what happens at each end is a habit.
    let again = reading.word(n + 4).is_some_and(|word| word.is_one_of(&["of", "when", "for", "in", "s"]));
    let due = said.is("the")
        && word.is("end")
        && reading.previous(n).is_some_and(|word| word.is_one_of(&["the", "by"]));
    // By the end of the month; delivered at the end of the month.
    let by = reading.previous(n).filter(|word| word.is("the")).and_then(|_| reading.previous(n - 1));
    let coming = by.and_then(|by| tense(reading, n, by)) == Some(1);
    // Timesheets must be in by the end of the month, each month.
    let several = reading.of_sentence(n).first().is_some_and(|word| {
        word.is_one_of(&["all", "every", "each", "any"])
            || word.text.len() > 3 && word.text.ends_with('s') && !word.is("this")
    });
    // It was raised at the beginning of the year.
    let past = reading.of_sentence(n).iter().any(|word| {
        word.is_one_of(&PAST) && !word.is_one_of(&["had", "did"])
            || word.text.len() > 4 && word.text.ends_with("ed")
    });
    let begun = said.is("the")
        && word.is_one_of(&["beginning", "start"])
        && matches!(unit, Period::Month | Period::Year)
        && reading.says(n.checked_sub(2)?, &["at", "the"])
        && past
        && !several;
    if begun && !again && reading.is_short(n) {
        return Some(Found::stated(4, Part(unit, 0, part)));
    }
    let relative = if coming && !several && unit != Period::Week { EndOf(unit, part) } else { Vague };
    (due && !again && reading.one_statement(n)).then(|| Found::stated(4, relative))
}

/// `yesterday`, `the day after tomorrow`, `tomorrow night`.
pub(super) fn day(reading: &Reading<'_>, n: usize) -> Option<Found> {
    const DAYS: [(&[&str], i64); 22] = [
        (&["day", "after", "tmrw"], 2),
        (&["day", "after", "tmr"], 2),
        (&["day", "b4", "yesterday"], -2),
        (&["2day"], 0),
        (&["the", "day", "before", "yesterday"], -2),
        (&["the", "day", "after", "tomorrow"], 2),
        (&["day", "before", "yesterday"], -2),
        (&["day", "after", "tomorrow"], 2),
        (&["yesterday"], -1),
        (&["tomorrow"], 1),
        (&["today"], 0),
        (&["tmrw"], 1),
        (&["tmr"], 1),
        (&["2moro"], 1),
        (&["2morrow"], 1),
        (&["tomoz"], 1),
        (&["tmw"], 1),
        (&["tommorow"], 1),
        (&["tommorrow"], 1),
        (&["tomorow"], 1),
        (&["yesturday"], -1),
        (&["yday"], -1),
    ];
    if ["tonight", "tonite", "2nite"].iter().any(|word| reading.says(n, &[word])) {
        return Some(Found::stated(1, DayPart(0, "the evening of")));
    }
    if reading.says(n, &["just", "now"]) {
        return Some(Found::stated(2, Day(0)));
    }
    // Every day before yesterday: that is told from yesterday.
    let one_of_many = reading
        .previous(n)
        .is_some_and(|word| word.is_one_of(&["every", "each", "any", "one", "another", "other", "all"]));
    let is_said = |(words, _): &(&[&str], i64)| reading.says(n, words) && !(one_of_many && words[0] == "day");
    let (words, by) = DAYS.into_iter().find(is_said)?;
    let count = words.len();
    // A value after an option belongs to a command: `--since yesterday`.
    let option = reading.previous(n).is_some_and(|word| reading.text[..word.at].ends_with("--"));
    if matches!(by, 0 | 1) && reading.is_saying(n) || is_no_day(reading, n, by) {
        return None;
    }
    let compared =
        reading.previous(n).is_some_and(|word| word.is_one_of(&["of", "like", "s", "until", "better"]));
    if option || compared && count == 1 && by != -1 && generic(reading, n) {
        return None;
    }
    let part = reading
        .word(n + count)
        .filter(|_| reading.are_together(n, count + 1))
        .and_then(|part| ["morning", "afternoon", "evening", "night"].iter().position(|name| part.is(name)));
    if let (Some(part), true) = (part, by != 0) {
        let of = ["the morning of", "the afternoon of", "the evening of", "the night of"][part];
        return Some(Found::stated(count + 1, DayPart(by, of)));
    }
    // Yesterday's heroes are of no day, either.
    let own = reading.text[reading.word(n)?.end()..].starts_with(['\'', '’']);
    // A page of |yesterday's homework.
    let of_a_day = own && by == -1 && reading.previous(n).is_some_and(|word| word.is("of"));
    (count > 1 || by != 0 && !own || of_a_day || !generic(reading, n)).then(|| Found::stated(count, Day(by)))
}

/// `there is no tomorrow`, `people today`: an age, or a future that nobody dates.
fn is_no_day(reading: &Reading<'_>, n: usize, by: i64) -> bool {
    const NO_DAY: [&str; 7] = ["no", "a", "remote", "brighter", "better", "about", "here"];
    const OF_AN_AGE: [&str; 14] = [
        "people",
        "kids",
        "children",
        "films",
        "movies",
        "directors",
        "actors",
        "world",
        "society",
        "women",
        "men",
        "young",
        "artists",
        "country",
    ];
    let after = |words: &[&str]| reading.previous(n).is_some_and(|word| word.is_one_of(words));
    // The yesterday table; the day before has its own "the".
    if reading.words[n].text.len() > 3
        && after(&["the"])
        && reading.word(n + 1).is_some_and(|next| reading.are_together(n, 2) && !next.is("s"))
        && !reading.words[n].is("day")
    {
        return true;
    }
    // Today's Special is the cooking society.
    let is_title = reading.opens(n)
        && reading.word(n + 1).is_some_and(|word| word.is("s"))
        && reading.word(n + 2).is_some_and(Word::is_capital)
        && (reading.says(n + 3, &["is", "the"]) || reading.says(n + 3, &["is", "a"]));
    if is_title {
        return true;
    }
    match by {
        1 => reading.words[n].is("tomorrow") && after(&NO_DAY),
        // What stands on a screen: pick today as the start.
        0 => after(&OF_AN_AGE) || after(&["pick", "select", "choose", "click", "press", "type"]),
        _ => false,
    }
}

/// `today` in the sense of nowadays: the web of today, today's youth, even today.
fn generic(reading: &Reading<'_>, n: usize) -> bool {
    let after = reading
        .previous(n)
        .is_some_and(|word| word.is_one_of(&["of", "even", "still", "here", "available", "known"]))
        && !n.checked_sub(2).is_some_and(|as_of| reading.says(as_of, &["as", "of"]));
    let behind = &reading.text[reading.words[n].end()..];
    let own = behind.starts_with("'s") || behind.starts_with("’s");
    let lower = |at: usize| reading.word(at).map(|word| word.text.to_ascii_lowercase()).unwrap_or_default();
    let (next, second) = (lower(n + 1), lower(n + 2));
    // Today, people tend to; today when a man marries; today much of it; in America today; as it is today; the most popular one today.
    const OF_ALL: [&str; 12] = [
        "people",
        "most",
        "much",
        "many",
        "everybody",
        "everyone",
        "women",
        "children",
        "men",
        "nobody",
        "television",
        "computers",
    ];
    let opens = reading.opens(n)
        && !own
        && (OF_ALL.contains(&next.as_str()) || next == "when" && matches!(second.as_str(), "a" | "people"));
    let sentence = reading.of_sentence(n);
    let most = sentence.windows(2).any(|pair| {
        pair[0].is_one_of(&["the", "single"])
            && pair[1].is_one_of(&["most", "best", "worst", "greatest", "biggest"])
            && pair[0].at < reading.words[n].at
    });
    let as_it_is = n > 2
        && (reading.says(n - 3, &["as", "it", "is"]) || reading.says(n - 3, &["it", "may", "seem"]))
        || n > 1 && reading.says(n - 2, &["we", "know"])
        || n > 1 && reading.says(n - 2, &["and", "love"]);
    if opens || most || as_it_is {
        return true;
    }
    const OF_AN_AGE: [&str; 24] = [
        "world",
        "web",
        "youth",
        "society",
        "standards",
        "market",
        "modern",
        "audience",
        "kids",
        "technical",
        "highly",
        "mass",
        "screen",
        "generation",
        "women",
        "men",
        "children",
        "technology",
        "young",
        "viewers",
        "heroes",
        "leaders",
        "stars",
        "parents",
    ];
    after || own && reading.word(n + 2).is_some_and(|word| word.is_one_of(&OF_AN_AGE))
}

/// So many years back people speak of their own life; a longer time ago is history.
const YEARS_MAX: i64 = 200;

/// Words before an amount after which it is not exact.
pub(super) const ABOUT: [&str; 14] = [
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
    "maybe",
    "till",
];

/// `three days ago`, `twenty-five days ago`, `a year and a half ago`, `a year ago today`, `two weeks from now`.
pub(super) fn counted(reading: &Reading<'_>, n: usize) -> Option<Found> {
    // The 5 of 1.5, the two of twenty-two are no numbers of their own.
    if reading.text[..reading.word(n)?.at].ends_with(['.', ',', '-', '/', ':']) {
        return None;
    }
    let (count, mut of_amount) = amount(reading, n)?;
    // Two and a half years; a year and a half.
    let half_before = reading.says(n + of_amount, &["and", "a", "half"]);
    of_amount += if half_before { 3 } else { 0 };
    let unit = full_unit(&reading.word(n + of_amount)?.text.to_ascii_lowercase()).to_owned();
    let half_behind = reading.says(n + of_amount + 1, &["and", "a", "half"]);
    let half = half_before || half_behind;
    let at = n + of_amount + 1 + if half_behind { 3 } else { 0 };
    let (sign, more, from_tomorrow) = if reading.says(at, &["ago"]) || ends_with_back(reading, at) {
        (-1, 1, false)
    } else if reading.says(at, &["from", "now"]) || reading.says(at, &["from", "today"]) {
        (1, 2, false)
    } else if reading.says(at, &["from", "tomorrow"]) {
        (1, 2, true)
    } else {
        return from_a_day(reading, n, at, (&unit, count.filter(|_| !half)));
    };
    if !reading.are_together(n + of_amount, at + more - n - of_amount) {
        return None;
    }
    let of = reading.previous(n).is_some_and(|word| word.is("of"))
        && n > 1
        && reading.words[n - 2]
            .is_one_of(&["half", "third", "thirds", "quarter", "quarters", "most", "part"]);
    let about = of || reading.previous(n).is_some_and(|word| word.is_one_of(&ABOUT));
    let count = count.map(|count| count * sign);
    let today = reading.says(at + more, &["today"]);
    let yesterday = sign < 0 && reading.says(at + more, &["yesterday"]);
    let relative = match (unit.trim_end_matches('s'), count) {
        ("day", Some(count)) if !half => Day(count),
        ("week", Some(count)) if !half => Day(7 * count),
        ("fortnight", Some(count)) if !half => Day(14 * count),
        ("month", Some(count)) if !half => Month(count),
        ("year", Some(count)) if count.abs() > YEARS_MAX => return None,
        ("year", Some(count)) if half => Month(12 * count + 6 * sign),
        ("year", Some(count)) => Year(count),
        ("decade", Some(count)) if !half && count.abs() <= YEARS_MAX / 10 => Year(10 * count),
        ("hour", Some(count)) if half => Minutes(60 * count + 30 * sign),
        ("hour", Some(count)) if !half => Minutes(60 * count),
        ("minute", Some(count)) if !half => Minutes(count),
        ("autumn", Some(count)) if !half && sign < 0 && !about => Season(count, "autumn"),
        ("spring", Some(count)) if !half && sign < 0 && !about => Season(count, "spring"),
        (
            "sprint" | "term" | "semester" | "second" | "minute" | "hour" | "day" | "night" | "week"
            | "weekend" | "fortnight" | "month" | "quarter" | "year" | "decade" | "century" | "monday"
            | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday" | "summer" | "winter"
            | "spring" | "autumn",
            _,
        ) => Vague,
        _ => return None,
    };
    let words = at + more - n;
    Some(match relative {
        Year(years) if today && !about => Found::stated(words + 1, SameDay(years)),
        Day(days) if today && !about => Found::stated(words + 1, Day(days)),
        Day(days) if yesterday && !about => Found::stated(words + 1, Day(days - 1)),
        Day(days) if from_tomorrow && !about => Found::stated(words, Day(days + 1)),
        _ if from_tomorrow => Found::stated(words, Vague),
        _ if about => Found::stated(words, Vague),
        relative => Found::stated(words, relative),
    })
}

/// A week |today, two weeks |tomorrow: how many days that is from this one; not "it has been two weeks today".
fn is_a_day_from(reading: &Reading<'_>, n: usize, at: usize) -> Option<i64> {
    const PAST: [&str; 12] =
        ["been", "for", "since", "was", "were", "did", "took", "after", "before", "over", "had", "every"];
    let days = [("today", 0), ("tomorrow", 1)]
        .into_iter()
        .find(|(day, _)| reading.says(at, &[day]))
        .map(|(_, days)| days)?;
    // Listed |for three weeks today.
    let is_set = n > 1
        && reading.words[n - 1].is("for")
        && reading.words[n - 2].is_one_of(&["listed", "set", "booked", "scheduled", "planned", "fixed"]);
    let from = n.saturating_sub(8);
    (is_set || !reading.words[from..n].iter().any(|word| word.is_one_of(&PAST))).then_some(days)
}

/// Two weeks |today, a week |on Friday, a fortnight |on Friday, a week |from Friday: units counted from another day.
fn from_a_day(
    reading: &Reading<'_>,
    n: usize,
    at: usize,
    (unit, count): (&str, Option<i64>),
) -> Option<Found> {
    let found = |words: usize, relative: Relative| {
        reading.are_together(n, at + words - n).then(|| Found::stated(at + words - n, relative))
    };
    if let Some(days) = is_a_day_from(reading, n, at) {
        let days_of_unit = match unit {
            "week" | "weeks" => 7,
            "fortnight" => 14,
            _ => return None,
        };
        return found(1, Day(days_of_unit * count? + days));
    }
    let day = reading.word(at + 1).filter(|day| day.is_capital())?;
    if reading.says(at, &["on"]) && count == Some(1) && matches!(unit, "week" | "fortnight") {
        return found(2, Nearest(if unit == "week" { 2 } else { 3 }, weekday_of(day)?));
    }
    (reading.says(at, &["from"]) && day.is_one_of(&WEEKDAYS)).then(|| found(2, Vague)).flatten()
}

/// The unit that a chat writes short: 10 mins ago, 2 hrs ago.
fn full_unit(word: &str) -> &str {
    const SHORT: [(&str, &str); 6] = [
        ("min", "minute"),
        ("hr", "hour"),
        ("wk", "week"),
        ("mth", "month"),
        ("yr", "year"),
        ("sec", "second"),
    ];
    let one = word.strip_suffix('s').unwrap_or(word);
    SHORT.into_iter().find(|(short, _)| *short == one).map_or(word, |(_, full)| full)
}

/// `three days back`, at the end of its clause: not back to back, nor back in 2019.
fn ends_with_back(reading: &Reading<'_>, at: usize) -> bool {
    reading.says(at, &["back"])
        && (reading.says(at + 1, &["and"])
            || reading.text[reading.words[at].end()..]
                .trim_start()
                .chars()
                .next()
                .is_none_or(|c| ".,;!\n".contains(c)))
}

/// `half a year ago`, `half an hour ago`.
pub(super) fn half(reading: &Reading<'_>, n: usize) -> Option<Found> {
    const AHEAD: [(&[&str], Relative); 5] = [
        (&["half", "a", "year", "from", "now"], Month(6)),
        (&["half", "an", "hour", "from", "now"], Minutes(30)),
        (&["in", "half", "an", "hour"], Minutes(30)),
        (&["in", "half", "a", "year"], Part(Period::Month, 6, "in")),
        (&["in", "two", "and", "a", "half", "hours"], Minutes(150)),
    ];
    let first = reading.word(n)?;
    if first.is_one_of(&["half", "in"])
        && let Some((words, relative)) = AHEAD.into_iter().find(|(words, _)| reading.says(n, words))
    {
        let to_come = words[0] == "half"
            || comes(reading, n, n + words.len())
            || reading.is_to_do(n)
            || leads(reading, n);
        return to_come.then(|| Found::stated(words.len(), relative));
    }
    const HALVES: [([&str; 4], Relative); 3] = [
        (["half", "a", "year", "ago"], Month(-6)),
        (["half", "an", "hour", "ago"], Minutes(-30)),
        (["half", "a", "month", "ago"], Vague),
    ];
    // A quarter of an hour ago: not an hour.
    const QUARTERS: [(&[&str], i64); 3] = [
        (&["a", "quarter", "of", "an", "hour", "ago"], -15),
        (&["quarter", "of", "an", "hour", "ago"], -15),
        (&["three", "quarters", "of", "an", "hour", "ago"], -45),
    ];
    if let Some((words, minutes)) = QUARTERS.into_iter().find(|(words, _)| reading.says(n, words)) {
        return Some(Found::stated(words.len(), Minutes(minutes)));
    }
    HALVES
        .into_iter()
        .find(|(words, _)| reading.says(n, words))
        .map(|(_, relative)| Found::stated(4, relative))
}

/// An amount, and how many words it takes; `None` for one that is not exact: `a few`, `1.5`.
pub(super) fn amount(reading: &Reading<'_>, n: usize) -> Option<(Option<i64>, usize)> {
    const VAGUE: [&[&str]; 9] = [
        &["a", "couple", "of"],
        &["a", "few"],
        &["a", "couple"],
        &["several"],
        &["half", "a"],
        &["half", "an"],
        &["some"],
        &["many"],
        &["few"],
    ];
    const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    const ONES: [&str; 20] = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    if let Some(vague) = VAGUE.iter().find(|vague| reading.says(n, vague)) {
        return Some((None, vague.len()));
    }
    if reading.says(n, &["a", "dozen"]) {
        return Some((Some(12), 2));
    }
    let first = reading.word(n)?;
    let next = reading.word(n + 1);
    if let (Ok(count), Some(next)) = (first.text.parse::<i64>(), next) {
        let between = &reading.text[first.end()..next.at];
        let fraction = matches!(between, "." | ",") && next.text.bytes().all(|b| b.is_ascii_digit());
        return Some(if fraction { (None, 2) } else { (Some(count).filter(|count| *count <= 10_000), 1) });
    }
    let position = |names: &[&str], word: &Word<'_>| {
        names.iter().position(|name| word.is(name)).and_then(|n| i64::try_from(n).ok())
    };
    if let Some(tens) = position(&TENS, first) {
        let tens = (tens + 2) * 10;
        let more = next.filter(|next| matches!(&reading.text[first.end()..next.at], "-" | " "));
        let more = more.and_then(|next| position(&ONES[1..10], next));
        return Some(more.map_or((Some(tens), 1), |more| (Some(tens + more + 1), 2)));
    }
    if let Some(next) = next.filter(|next| next.is("hundred") && reading.are_together(n, 2)) {
        let hundreds = if first.is("a") { Some(1) } else { position(&ONES, first) };
        // A hundred and twenty days.
        let more = reading.says(n + 2, &["and"]);
        return hundreds.map(|count| (Some(count * 100).filter(|_| !more && next.is("hundred")), 2));
    }
    if first.is_one_of(&["a", "an"]) {
        return Some((Some(1), 1));
    }
    position(&ONES, first).map(|count| (Some(count), 1))
}

/// Words that `bare_weekday` looks for.
const NAMED: [&str; 8] = ["on", "by", "until", "till", "since", "before", "after", "coming"];
/// Words that `bare_weekday` looks for.
const MOVES: [&str; 8] =
    ["moved", "postponed", "rescheduled", "shifted", "pushed", "delayed", "slipped", "changed"];

/// on `Friday`, by `Monday`: a weekday without a week.
pub(super) fn bare_weekday(reading: &Reading<'_>, n: usize) -> Option<Found> {
    let day = reading.word(n)?;
    let weekday = weekday_of(day)?;
    // - [ ] |Thursday: pay the bill.
    if day.is_capital()
        && reading.text[day.end()..].starts_with(": ")
        && reading.is_to_do(n)
        && reading.opens(n)
    {
        return Some(Found::stated(1, Nearest(1, weekday)));
    }
    // Moved to thurs, as people chat; sun and sat are words.
    if !(day.is_capital() || day.text.len() > 3 && reading.is_marked(n)) {
        return None;
    }
    let previous = n.checked_sub(1)?;
    let named = reading.words[previous];
    let week_on = reading.says(n + 1, &["week"]) && !reading.says(n + 2, &["of"]);
    // A date follows and says which day it is: on Monday, 3 March.
    let behind = reading.text[day.end()..].trim_start_matches([',', ' ']);
    let dated = behind.starts_with(|c: char| c.is_ascii_digit())
        || MONTHS.iter().any(|month| behind.starts_with(month));
    let part = reading
        .word(n + 1)
        .is_some_and(|word| word.is_one_of(&["mornings", "afternoons", "nights", "evenings", "the"]));
    let often = reading.previous(previous).is_some_and(|word| word.is_one_of(&["every", "each", "only"]));
    // Thursday of next week has a week.
    // Fri. 13 and Sat Nav are none; Sat and Sun need a word before them.
    let short = day.text.len() < 6;
    if short && reading.word(n + 1).is_some_and(|word| word.is_capital() && reading.are_together(n, 2)) {
        return None;
    }
    // A week on Friday.
    let in_a_week = previous > 1
        && reading.words[previous - 1].is_one_of(&["week", "fortnight"])
        && reading.words[previous - 2].is_one_of(&["a", "two", "three"]);
    let due = named.is_one_of(&["due", "you"])
        || named.is("is") && week_on
        || named.is_one_of(&MEETINGS) && reading.opens(previous);
    let of_a_week =
        reading.says(n + 1, &["of"]) || reading.word(n + 1).is_some_and(|word| which(word).is_some());
    // By Friday, the rest next week.
    let stated = reading.one_statement(n)
        || named.is_one_of(&["by", "since", "until", "till"]) && reading.two_statements(n);
    let due = due || is_booked_for(reading, previous);
    if (named.is_one_of(&NAMED) || due)
        && !dated
        && !often
        && !part
        && !of_a_week
        && reading.are_together(previous, 2)
        && stated
    {
        return Some(of_a_named_weekday(reading, n, weekday, due, in_a_week));
    }
    // The demo moved to |Friday.
    let put_off = named.is("to")
        && (2..5).any(|back| n.checked_sub(back).is_some_and(|at| reading.words[at].is_one_of(&MOVES)));
    if put_off && reading.one_statement(n) {
        // It was moved to Monday and went well: that Monday is over.
        let over = reading
            .of_sentence(n)
            .iter()
            .any(|word| word.is_one_of(&PAST) && !word.is_one_of(&["was", "were", "had", "got"]));
        return Some(Found::stated(1, if over { Vague } else { Nearest(1, weekday) }));
    }
    loose_weekday(reading, n, weekday, dated || often || part || of_a_week)
}

/// Booked |for Friday.
fn is_booked_for(reading: &Reading<'_>, n: usize) -> bool {
    const BOOKED: [&str; 4] = ["booked", "scheduled", "planned", "set"];
    reading.words[n].is("for") && reading.previous(n).is_some_and(|word| word.is_one_of(&BOOKED))
}

/// Which day a weekday is behind `on`, `by`, `due` and the like. `in_a_week`: a week stands before it.
fn of_a_named_weekday(reading: &Reading<'_>, n: usize, weekday: u32, due: bool, in_a_week: bool) -> Found {
    let (day, named) = (reading.words[n], reading.words[n - 1]);
    let tense = tense(reading, n, &named);
    // On Sunday week.
    let further = reading.says(n, &[day.text, "week"]) && !reading.says(n + 2, &["of"]);
    // On Monday in two weeks, the Monday after the fair.
    let next = n + 1 + usize::from(further);
    let further_on = reading.word(next).is_some_and(|word| {
        word.is_one_of(&["after", "before", "following", "week", "fortnight"])
            || word.is("in") && amount(reading, next + 1).is_some()
    });
    let tense = if due { Some(1) } else { tense };
    let relative = match tense {
        _ if in_a_week || further_on => Vague,
        Some(1) if further => Nearest(2, weekday),
        Some(by) if !further => Nearest(by, weekday),
        _ => Vague,
    };
    Found::stated(1 + usize::from(further), relative)
}

/// Words that `loose_weekday` looks for.
const LEADS: [&str; 35] = [
    "through", "the", "a", "an", "every", "each", "this", "last", "next", "of", "or", "to", "from",
    "between", "black", "good", "happy", "casual", "easter", "ash", "is", "was", "it", "s", "on", "in",
    "for", "called", "named", "my", "and", "long", "lazy", "rainy", "typical",
];
/// Words that `loose_weekday` looks for.
const PLANNED: [&str; 10] = [
    "booked",
    "scheduled",
    "planned",
    "reserved",
    "confirmed",
    "expected",
    "needed",
    "wanted",
    "invited",
    "postponed",
];
/// Words that `loose_weekday` looks for.
const COMES: [&str; 12] = [
    "fly", "flies", "back", "coming", "come", "comes", "visiting", "visits", "arriving", "leaving",
    "starting", "again",
];

/// Cousins fly back |Tuesday; the vet came |Monday; tomorrow and |Friday; it turns out |Monday's merge broke it: a weekday that nothing leads
/// to. `other`: whether what stands around it makes another time of it.
fn loose_weekday(reading: &Reading<'_>, n: usize, weekday: u32, other: bool) -> Option<Found> {
    let before = reading.previous(n)?;
    let day = reading.words[n];
    if other || !reading.is_short(n) || !day.is_capital() {
        return None;
    }
    // Tomorrow and |Friday.
    if before.is("and") {
        let joined = n > 1 && reading.words[n - 2].is_one_of(&["tomorrow", "today", "tonight"]);
        return joined.then(|| Found::stated(1, Nearest(1, weekday)));
    }
    let behind = &reading.text[day.end()..];
    let all = reading.of_sentence(n);
    // Hotel booked through |Sunday: what is planned is to come.
    if before.is("through") && all.iter().any(|word| word.is_one_of(&PLANNED)) && reading.is_note_like(n) {
        return Some(Found::stated(1, Nearest(1, weekday)));
    }
    let past = !all.iter().any(|word| word.is_one_of(&PLANNED))
        && all.iter().any(|word| {
            word.is_one_of(&PAST) && !word.is("had")
                || word.text.len() > 4
                    && word.text.ends_with("ed")
                    && !word.is_one_of(&["need", "speed", "based", "named"])
        });
    // Monday's merge broke it.
    let own = behind.starts_with("'s ") || behind.starts_with("’s ");
    if own {
        let leads =
            before.is_one_of(&["out", "since", "after", "because", "from"]) && reading.is_note_like(n);
        return (leads && past).then(|| Found::stated(1, Nearest(-1, weekday)));
    }
    let led = before.is_one_of(&LEADS) || !reading.are_together(n - 1, 2) || reading.opens(n);
    let next = reading.word(n + 1).filter(|_| reading.are_together(n, 2));
    let ends = behind.trim_start_matches(' ').is_empty() || behind.starts_with([',', '.', ';', '\n']);
    let part = next.is_some_and(|word| {
        word.is_one_of(&[
            "morning",
            "afternoon",
            "evening",
            "night",
            "nite",
            "noon",
            "on",
            "at",
            "with",
            "for",
        ]) && !word.is_capital()
    });
    if led || !(ends || part) {
        return None;
    }
    // Lunch with Olga |Tuesday.
    let meeting = all[0].is_one_of(&MEETINGS) && ends && all.len() <= 6;
    let comes = meeting || all.iter().any(|word| word.is_one_of(&COMES) || word.is_one_of(&SCHEDULED));
    match (past && !comes, comes && !past) {
        (true, _) if reading.is_note_like(n) => Some(Found::stated(1, Nearest(-1, weekday))),
        (_, true) => Some(Found::stated(1, Nearest(1, weekday))),
        _ => None,
    }
}

/// A day of the week by its name or the beginning of it, from Monday, 0.
pub(super) fn weekday_of(word: &Word<'_>) -> Option<u32> {
    const SHORT: [(&str, u32); 11] = [
        ("Mon", 0),
        ("Tue", 1),
        ("Tues", 1),
        ("Wed", 2),
        ("Weds", 2),
        ("Thu", 3),
        ("Thur", 3),
        ("Thurs", 3),
        ("Fri", 4),
        ("Sat", 5),
        ("Sun", 6),
    ];
    let whole = WEEKDAYS.iter().position(|name| word.is(name)).and_then(|day| u32::try_from(day).ok());
    // Thurs and tues are nothing else in small letters; sun and sat are words.
    let is = |short: &str| word.text == short || short.len() > 3 && word.is(short);
    whole.or_else(|| SHORT.into_iter().find(|(short, _)| is(short)).map(|(_, day)| day))
}

/// What takes place at a time that is set before.
const MEETINGS: [&str; 29] = [
    "review",
    "meeting",
    "call",
    "appointment",
    "exam",
    "interview",
    "demo",
    "deadline",
    "delivery",
    "dinner",
    "lunch",
    "party",
    "flight",
    "match",
    "game",
    "concert",
    "wedding",
    "checkup",
    "visit",
    "standup",
    "retro",
    "workshop",
    "hearing",
    "evening",
    "launch",
    "release",
    "dentist",
    "train",
    "rehearsal",
];

/// What is done on a day that is fixed before: The ferry leaves on Friday.
const SCHEDULED: [&str; 29] = [
    "resumes",
    "restarts",
    "starts",
    "begins",
    "expires",
    "ends",
    "launches",
    "ships",
    "leaves",
    "arrives",
    "lands",
    "flies",
    "returns",
    "moves",
    "retires",
    "lapses",
    "finishes",
    "begin",
    "expire",
    "leave",
    "arrive",
    "land",
    "return",
    "reopens",
    "departs",
    "graduates",
    "move",
    "fly",
    "marries",
];

/// Words that `tense` looks for.
pub(super) const PAST: [&str; 54] = [
    "was", "were", "had", "did", "went", "came", "got", "ran", "broke", "left", "paid", "said", "sent",
    "met", "took", "gave", "told", "saw", "made", "lost", "began", "wrote", "held", "fell", "bought", "won",
    "called", "found", "drove", "flew", "sold", "drew", "beat", "quit", "became", "felt", "slept", "ate",
    "drank", "spoke", "rang", "brought", "caught", "taught", "died", "froze", "blew", "rose", "stole",
    "burst", "woke", "threw", "grew", "knew",
];
/// Words that `tense` looks for.
const AHEAD: [&str; 12] = [
    "will",
    "ll",
    "shall",
    "going",
    "due",
    "scheduled",
    "planned",
    "expected",
    "meeting",
    "leaving",
    "arriving",
    "must",
];

/// Whether what a sentence says of a weekday has happened (-1) or will happen (1), where it says so.
fn tense(reading: &Reading<'_>, n: usize, named: &Word<'_>) -> Option<i64> {
    let all: Vec<&Word<'_>> = reading.of_sentence(n).iter().collect();
    let says = |words: &[&str]| all.iter().any(|word| word.is_one_of(words));
    let is_be = |word: &Word<'_>| word.is_one_of(&["is", "are", "be", "being", "gets", "get", "s", "re"]);
    // What is made on Sundays was not made.
    let done = |at: usize| {
        let word = all[at];
        let ends = word.text.len() > 4
            && word.text.ends_with("ed")
            && !word.is_one_of(&["need", "speed", "based", "named", "indeed", "overdue"]);
        (ends || word.is_one_of(&PAST))
            && !at.checked_sub(1).is_some_and(|before| is_be(all[before]))
            && !at.checked_sub(2).is_some_and(|before| is_be(all[before]))
    };
    let will_not = all.windows(2).any(|pair| pair[0].is("won") && pair[1].is("t"));
    // Mum is coming on Sunday; see you on Saturday.
    let doing = all.windows(2).any(|pair| {
        is_be(pair[0]) && pair[1].text.len() > 4 && pair[1].text.ends_with("ing") && !pair[1].is("being")
    });
    let doing = doing || all.windows(2).any(|pair| pair[0].is("see") && pair[1].is("you"));
    let past = (0..all.len()).any(done);
    if says(&["born", "war"]) {
        return None;
    }
    if named.is("since") {
        return Some(-1);
    }
    if says(&AHEAD) || will_not || doing && named.is_one_of(&["on", "by", "until", "till"]) {
        return (!past).then_some(1);
    }
    if past {
        return named.is("on").then_some(-1);
    }
    if named.is_one_of(&["by", "until", "till", "before", "coming"]) {
        // Reports are sent by Friday, each week.
        let made = all
            .windows(2)
            .any(|pair| is_be(pair[0]) && (pair[1].text.ends_with("ed") || pair[1].is_one_of(&PAST)));
        let several =
            all[0].text.len() > 3 && all[0].text.ends_with('s') && !all[0].is_one_of(&["this", "always"]);
        return (!(made && several)).then_some(1);
    }
    // Budget review on Friday.
    // The heater is installed on Saturdays, or on this one; it gets installed once.
    let passive = all.windows(2).any(|pair| pair[0].is("gets") && pair[1].text.ends_with("ed"));
    let leaves = all.windows(2).any(|pair| {
        pair[0].is_one_of(&["come", "comes"]) && pair[1].is_one_of(&["out", "off", "back", "home"])
    });
    let event = reading.previous(n.checked_sub(1)?).is_some_and(|word| word.is_one_of(&MEETINGS))
        || all[0].is_one_of(&MEETINGS) && !says(&["of", "if", "when"]);
    let verbless = event && all.len() <= 10 && !says(&["is", "are", "has", "have"]);
    // The retro is |on Thursday.
    let is_then = all.windows(2).any(|pair| pair[0].is_one_of(&["is", "are"]) && pair[1].at == named.at)
        && !all[0].is_one_of(&["it", "today"]);
    (named.is_one_of(&["on", "at"])
        && (says(&SCHEDULED)
            || is_then
            || says(&["lands"])
            || passive
            || leaves
            || verbless
            || reading.is_to_do(n)))
    .then_some(1)
}

/// Words that `in_time` looks for.
const TO_COME: [&str; 16] = [
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
    "opens",
    "closes",
];
/// The session expires in 30 minutes, whenever it begins; you will get it in three days, whoever you are.
const KINDS: [&str; 26] = [
    "session",
    "sessions",
    "token",
    "tokens",
    "cache",
    "link",
    "links",
    "code",
    "codes",
    "password",
    "passwords",
    "cookie",
    "lock",
    "timer",
    "request",
    "requests",
    "connection",
    "key",
    "keys",
    "otp",
    "captcha",
    "messages",
    "entries",
    "records",
    "files",
    "logs",
];

/// `in three weeks`, where the sentence speaks of the future.
pub(super) fn in_time(reading: &Reading<'_>, n: usize) -> Option<Found> {
    let word = reading.word(n)?;
    if !word.is_one_of(&["in", "within"]) {
        return None;
    }
    // In like three days.
    let like = usize::from(reading.word(n + 1)?.is("like"));
    let (count, of_amount) = amount(reading, n + 1 + like)?;
    let (count, of_amount) = (count.filter(|_| like == 0), of_amount + like);
    let unit = reading.word(n + 1 + of_amount)?.text.to_ascii_lowercase();
    let unit = full_unit(&unit).trim_end_matches('s');
    // In a month or so.
    let or_so = if reading.says(n + 2 + of_amount, &["or", "so"]) { 2 } else { 0 };
    let count = count.filter(|_| or_so == 0);
    if reading.says(n + 2 + of_amount, &["and", "a"]) {
        return and_a_half(reading, n, (unit, count), of_amount);
    }
    if !["day", "week", "month", "year", "hour", "fortnight", "minute"].contains(&unit) {
        return None;
    }
    let from = n.saturating_sub(8);
    // "Rebooting in two hours" says what comes as well.
    let opens = |at: usize| reading.opens(at) && reading.words[at].text.ends_with("ing");
    // The exam is in two weeks; back in an hour.
    let will = reading.previous(n).is_some_and(|word| word.is_one_of(&["is", "are", "s", "m", "re", "back"]));
    let to_come = (will
        || reading.is_to_do(n)
        || (from..n).any(|at| reading.words[at].is_one_of(&TO_COME) || opens(at)))
        && reading.one_statement(n);
    let to_come = to_come
        || or_so > 0 && reading.one_statement(n)
        || leads(reading, n)
        || comes(reading, n, n + 2 + of_amount + or_so);
    // "The day after tomorrow" supposes nothing.
    let modal = (from..n).any(|at| {
        reading.words[at].is_one_of(&["if", "when", "automatically", "can", "should", "every", "each"])
            || reading.words[at].is("after") && !reading.says(at, &["after", "tomorrow"])
    });
    let relative = match (unit, count.filter(|_| word.is("in"))) {
        ("day", Some(count)) => DayPart(count, "on"),
        ("week", Some(count)) => DayPart(7 * count, "on"),
        ("fortnight", Some(count)) => DayPart(14 * count, "on"),
        ("month", Some(count)) => Part(Period::Month, count, "in"),
        ("year", Some(count)) => Part(Period::Year, count, "in"),
        ("hour", Some(count)) => Minutes(60 * count),
        ("minute", Some(count)) => Minutes(count),
        _ => Vague,
    };
    // What would be is counted from then.
    let says = |words: &[&str]| reading.of_sentence(n).iter().any(|word| word.is_one_of(words));
    let any_time = matches!(relative, Minutes(_)) && says(&KINDS);
    let relative = if any_time || says(&["you", "would", "hoped"]) { Vague } else { relative };
    // In two weeks' time: nothing but the future is meant.
    let behind = &reading.text[reading.words[n + 1 + of_amount].end()..];
    for (time, words) in [("' time", 1), ("’ time", 1), ("'s time", 2), ("’s time", 2)] {
        if behind.starts_with(time) {
            return Some(Found::stated(2 + of_amount + words, relative));
        }
    }
    (to_come && !modal).then(|| Found::stated(2 + of_amount + or_so, relative))
}

/// In an hour and a half; in a year and a bit is none.
fn and_a_half(
    reading: &Reading<'_>,
    n: usize,
    (unit, count): (&str, Option<i64>),
    of_amount: usize,
) -> Option<Found> {
    let half =
        reading.says(n + 4 + of_amount, &["half"]) && matches!(unit, "hour" | "year" | "month" | "week");
    let there = ["is", "are", "back", "out", "there"];
    let comes = half
        && (reading.previous(n).is_some_and(|word| word.is_one_of(&there))
            || reading.is_to_do(n)
            || comes(reading, n, n + 5 + of_amount));
    let relative = match (unit, count) {
        ("hour", Some(count)) => Minutes(60 * count + 30),
        _ => Vague,
    };
    comes.then(|| Found::stated(5 + of_amount, relative))
}

/// Whether a time opens a sentence that says what comes: In a couple of weeks the shop closes.
fn leads(reading: &Reading<'_>, n: usize) -> bool {
    const WILL: [&str; 8] = ["will", "ll", "closes", "opens", "we", "is", "comes", "goes"];
    const TOLD: [&str; 8] = ["was", "were", "had", "did", "came", "went", "can", "you"];
    let sentence = reading.of_sentence(n);
    reading.opens(n)
        && sentence.len() <= 14
        && sentence.iter().any(|word| word.is_one_of(&SCHEDULED) || word.is_one_of(&WILL))
        && !sentence.iter().any(|word| word.is_one_of(&TOLD) || word.text.ends_with("ed"))
}

/// Words that `comes` looks for.
const WILL_BE: [&str; 13] = [
    "will",
    "ll",
    "would",
    "must",
    "hopes",
    "hope",
    "expects",
    "going",
    "due",
    "won",
    "scheduled",
    "planned",
    "shall",
];
/// Words that `comes` looks for.
const EVENTS: [&str; 36] = [
    "jab",
    "shot",
    "dose",
    "vaccination",
    "injection",
    "ultrasound",
    "biopsy",
    "operation",
    "graduation",
    "audit",
    "recheck",
    "checkup",
    "dinner",
    "lunch",
    "kickoff",
    "handover",
    "go-live",
    "party",
    "pickup",
    "appointment",
    "meeting",
    "review",
    "exam",
    "checkup",
    "deadline",
    "delivery",
    "renewal",
    "visit",
    "flight",
    "wedding",
    "scan",
    "demo",
    "launch",
    "hearing",
    "surgery",
    "inspection",
];
/// Words that `comes` looks for.
const LEAVES: [&str; 12] =
    ["takes", "take", "come", "comes", "go", "goes", "run", "runs", "fall", "falls", "get", "gets"];
/// Words that `comes` looks for.
const BECOMES: [&str; 9] =
    ["dies", "stops", "drops", "closes", "changes", "change", "vanishes", "disappears", "retires"];
/// Words that `comes` looks for.
const PARTICLES: [&str; 8] = ["out", "off", "back", "due", "home", "up", "down", "in"];

/// Whether a sentence of some length says what will become of one thing, up to a time that ends before word `end`: The loan must be repaid
/// |in twenty days; the braces come off |in six weeks.
fn comes(reading: &Reading<'_>, n: usize, end: usize) -> bool {
    let sentence = reading.of_sentence(n);
    let Some(first) = sentence.first() else { return false };
    // Of each of a kind it says nothing of now; what is not at the end of its sentence may be a span that something takes.
    let kind = first.is_one_of(&["a", "an", "any", "every", "each", "all", "in", "within"])
        && !reading.opens(n)
        || first.text.ends_with('s')
            && first.text.len() > 3
            && !first.is_one_of(&["this", "always"])
            && !reading.text[first.end()..].starts_with(['\'', '’']);
    let behind = reading.text[reading.words[end - 1].end()..].trim_start_matches(' ');
    let ends = behind.is_empty() || behind.starts_with(['.', ',', '\n', ';', ')']);
    if kind && !first.is_one_of(&["in"]) || !ends || sentence.len() > 22 {
        return false;
    }
    let before = &reading.words[..n];
    let before = &before[before.len().saturating_sub(sentence.len()).max(first_of(reading, first))..];
    let says = |words: &[&str]| before.iter().any(|word| word.is_one_of(words));
    let has_to = before
        .windows(2)
        .any(|pair| pair[0].is_one_of(&["has", "have", "needs", "need"]) && pair[1].is("to"));
    let takes_place =
        before.windows(2).any(|pair| pair[0].is_one_of(&["takes", "take"]) && pair[1].is("place"));
    // The mortgage is paid off in three years.
    let ends_then = before.windows(3).any(|three| {
        three[0].is_one_of(&["is", "are", "gets"])
            && (three[1].is_one_of(&["paid", "let", "shut"]) || three[1].text.ends_with("ed"))
            && three[2].is_one_of(&["off", "out", "down"])
    });
    let leaves = takes_place
        || ends_then
        || before.windows(2).any(|pair| pair[0].is_one_of(&LEAVES) && pair[1].is_one_of(&PARTICLES));
    let last = before.last();
    let scheduled = last.is_some_and(|word| word.is_one_of(&SCHEDULED) || word.is_one_of(&BECOMES));
    let event = last.is_some_and(|word| word.is_one_of(&EVENTS)) && before.len() <= 6;
    says(&WILL_BE) || has_to || leaves || scheduled || event
}

/// The number of a word.
fn first_of(reading: &Reading<'_>, word: &Word<'_>) -> usize {
    reading.words.partition_point(|one| one.at < word.at)
}

/// Words that `about_now` looks for.
const PHRASES: [&[&str]; 28] = [
    &["the", "rest", "of", "the", "week"],
    &["the", "rest", "of", "the", "month"],
    &["the", "rest", "of", "the", "year"],
    &["in", "a", "bit"],
    &["in", "a", "while"],
    &["one", "of", "these", "days"],
    &["at", "the", "weekend"],
    &["this", "lunchtime"],
    &["the", "summer", "before", "last"],
    &["the", "winter", "before", "last"],
    &["since", "the", "start", "of", "the", "year"],
    &["since", "the", "beginning", "of", "the", "year"],
    &["since", "the", "start", "of", "the", "month"],
    &["since", "the", "beginning", "of", "the", "month"],
    &["some", "time", "ago"],
    &["these", "past", "few", "days"],
    &["the", "past", "few", "days"],
    &["these", "last", "few", "days"],
    &["the", "other", "night"],
    &["the", "other", "week"],
    &["not", "long", "ago"],
    &["a", "moment", "ago"],
    &["the", "other", "day"],
    &["a", "while", "ago"],
    &["a", "while", "back"],
    &["over", "the", "weekend"],
    &["in", "the", "near", "future"],
    &["the", "day", "before", "last"],
];

/// What another time is before: the weekend before last Christmas.
const BEFORE_LAST: [&str; 12] = [
    "week",
    "month",
    "year",
    "summer",
    "winter",
    "spring",
    "autumn",
    "christmas",
    "easter",
    "night",
    "session",
    "time",
];

/// `the other day`, `in the past few weeks`, `this time last year`: no calendar can resolve it.
pub(super) fn about_now(reading: &Reading<'_>, n: usize) -> Option<Found> {
    // The weekend before last; not the weekend before last Christmas.
    let named = reading.word(n + 4).is_some_and(|word| {
        reading.are_together(n, 5) && (word.is_capital() || word.is_one_of(&BEFORE_LAST))
    });
    if named && reading.says(n + 2, &["before", "last"]) {
        return None;
    }
    if reading.says(n, &["the", "weekend", "before", "last"]) {
        return Some(Found::stated(4, Weekend(-2)));
    }
    if reading.says(n, &["the", "night", "before", "last"]) {
        return Some(Found::stated(4, DayPart(-2, "the night of")));
    }
    let after_next =
        reading.word(n + 1).and_then(weekday_of).is_some() && reading.says(n + 2, &["after", "next"]);
    let after_next = after_next || reading.says(n + 1, &["weekend", "after", "next"]);
    if after_next && reading.says(n, &["the"]) {
        return Some(Found::stated(4, Vague));
    }
    let day = reading.word(n + 1).and_then(|day| WEEKDAYS.iter().position(|name| day.is(name)));
    if let Some(day) = day.filter(|_| reading.says(n, &["the"]) && reading.says(n + 2, &["before", "last"])) {
        return reading
            .are_together(n, 4)
            .then(|| Found::stated(4, Nearest(-2, u32::try_from(day).unwrap_or_default())));
    }
    // Left over from |last time.
    if reading.says(n, &["last", "time"])
        && reading.previous(n).is_some_and(|word| word.is_one_of(&["from", "since"]))
        && reading.one_statement(n)
    {
        return Some(Found::stated(2, Vague));
    }
    // Before |the weekend.
    let until = reading.previous(n).is_some_and(|word| word.is_one_of(&["by", "before", "until", "till"]));
    if until && reading.says(n, &["the", "weekend"]) && reading.one_statement(n) {
        return Some(Found::stated(2, Vague));
    }
    if let Some(words) = PHRASES.iter().find(|words| reading.says(n, words)) {
        let stated = reading.one_statement(n) || reading.two_statements(n) && reading.is_note_like(n);
        return Some(Found { words: words.len(), relative: Vague, stated });
    }
    let start = usize::from(reading.word(n)?.is_one_of(&["in", "over", "for", "during"]));
    if !reading.word(n + start)?.is("the") {
        return None;
    }
    let the = reading.word(n + start)?.is("the");
    let which = reading.word(n + start + 1)?.is_one_of(&["past", "last", "next", "coming"]);
    let vague = usize::from(reading.word(n + start + 2)?.is_one_of(&["few", "couple"]));
    let counted = amount(reading, n + start + 2).map_or(0, |(_, words)| words);
    let few = vague.max(counted);
    let unit = reading.word(n + start + 2 + few)?;
    let coming = reading.word(n + start + 1)?.is("coming");
    let short = unit.is_one_of(&["days", "nights", "weeks", "months"]);
    let several = (short || unit.is("years")) && (vague == 1 || coming) 
        // The cache holds the last 7 days, whenever that is.
        || short && counted > 0 && start == 1 || unit.is("fortnight");
    let count = start + 3 + few;
    (the && which && several && reading.are_together(n, count)).then(|| Found {
        words: count,
        relative: Vague,
        stated: reading.one_statement(n),
    })
}

/// Words that `present` looks for.
const NOW: [&[&str]; 18] = [
    &["at", "the", "minute"],
    &["for", "the", "time", "being"],
    &["as", "we", "speak"],
    &["rn"],
    &["atm"],
    &["at", "the", "moment"],
    &["at", "present"],
    &["right", "now"],
    &["these", "days"],
    &["for", "now"],
    &["recently"],
    &["lately"],
    &["nowadays"],
    &["currently"],
    &["now"],
    &["soon"],
    &["presently"],
    &["as", "of", "now"],
];

/// `currently`, `recently`, `now`: where the sentence states how things are when it is said.
pub(super) fn present(reading: &Reading<'_>, n: usize) -> Option<Found> {
    let words = NOW.iter().find(|words| reading.says(n, words))?;
    let count = words.len();
    let after = |words: &[&str]| reading.previous(n).is_some_and(|word| word.is_one_of(words));
    let before = |words: &[&str]| reading.word(n + count).is_some_and(|word| word.is_one_of(words));
    // Run it |now.
    if after(&["it"]) && n > 1 && reading.opens(n - 2) {
        return None;
    }
    // Act now.
    if reading.of_sentence(n).len() < 3 {
        return None;
    }
    let other = match words[words.len() - 1] {
        "recently" => after(&["least", "most", "more"]) || before(&["used"]) && after(&["the"]),
        "soon" => {
            after(&["as", "too", "means", "how", "so", "very", "but"])
                || before(&["as", "after", "enough", "becomes"])
        }
        "now" => {
            after(&[
                "by", "until", "till", "from", "can", "should", "must", "could", "may", "but", "and", "even",
                "so", "or", "that", "then", "us", "here",
            ]) || before(&["on"]) && !after(&["is", "are"])
                || before(&[
                    "that",
                    "and",
                    "then",
                    "a",
                    "accepts",
                    "supports",
                    "available",
                    "pay",
                    "be",
                    "if",
                    "when",
                    "you",
                    "i",
                    "we",
                ])
        }
        _ => false,
    };
    // A decision is expected |soon; parts are not available |at the moment.
    let awaited = matches!(words[words.len() - 1], "soon" | "moment" | "present")
        && after(&["expected", "due", "coming", "available", "announced", "out", "stock"]);
    // Meds |at present: …; quiet |at the minute, phones barely ring.
    let chatted = words[0] == "rn" || words[0] == "atm";
    let noted =
        (count > 1 || chatted) && (reading.is_a_label(n) || reading.is_note(n) && reading.two_statements(n));
    let opens = count > 2 && reading.opens(n) && reading.is_plain(n) && reading.of_sentence(n).len() <= 16;
    let stated = !other
        && (reading.one_statement(n) || noted || opens)
        && !reading.is_of_a_film(n)
        && (awaited || noted || of_somebody(reading, n, count));
    Some(Found { words: count, relative: Vague, stated })
}

/// Words that `of_somebody` looks for.
const VERBS: [&str; 34] = [
    "is", "are", "lives", "works", "uses", "rents", "has", "drinks", "eats", "takes", "prefers", "stays",
    "sleeps", "studies", "learns", "started", "moved", "switched", "bought", "lost", "got", "will", "likes",
    "plays", "owns", "runs", "wants", "needs", "married", "joined", "left", "feels", "visits", "s",
];
/// Words that `of_somebody` looks for.
const ELIDED: [&str; 12] = [
    "doesn",
    "works",
    "lives",
    "has",
    "hasn",
    "have",
    "haven",
    "sleeps",
    "sleeping",
    "feels",
    "feeling",
    "struggles",
];

/// Whether the sentence is about somebody or their things, in the present: what a note would say.
fn of_somebody(reading: &Reading<'_>, n: usize, count: usize) -> bool {
    let subject = |at: usize| {
        let the =
            reading.word(at).is_some_and(|word| word.is_one_of(&["the", "his", "her", "my", "their", "our"]));
        let noun = at + usize::from(the);
        let named = reading.word(noun).is_some_and(|word| word.is_capital() || the);
        let verb = (noun + 1..noun + 4).any(|at| {
            at == n || reading.word(at).is_some_and(|word| word.is_one_of(&VERBS) || word.text.ends_with('s'))
        });
        let plural = reading.word(noun).is_some_and(|word| word.text.ends_with('s') && !word.is("his"));
        named && verb && !plural
    };
    if reading.opens(n) {
        let next = reading.word(n + count);
        // Right now |only two nodes are healthy.
        let state = (n + count + 1..n + count + 5)
            .any(|at| reading.word(at).is_some_and(|word| word.is_one_of(&["is", "are"])));
        let far = (n + count + 1..n + count + 9)
            .any(|at| reading.word(at).is_some_and(|word| word.is_one_of(&["is", "are", "stay", "stays"])));
        if count > 2 && far && next.is_some_and(|word| word.is("the")) {
            return true;
        }
        if next.is_some_and(|word| word.is_one_of(&["nobody", "everybody", "everyone"]))
            && reading.says(n, &["nowadays"])
        {
            return true;
        }
        let counted =
            next.is_some_and(|word| word.is_one_of(&["only", "no", "both", "all", "two", "three", "half"]));
        if count > 1 && state && counted {
            return true;
        }
        // Currently |staging runs Postgres 15.
        let runs = (n + count + 1..n + count + 3).any(|at| {
            reading
                .word(at)
                .is_some_and(|word| word.is_one_of(&["is", "are", "has", "runs", "uses", "lives", "works"]))
        });
        if (reading.is_note(n) || reading.says(n, &["currently"]))
            && runs
            && !next.is_some_and(|word| word.is_one_of(&["it", "this", "that", "i", "you", "we", "they"]))
        {
            return true;
        }
        return next.is_some_and(|word| word.is_one_of(&["the", "he", "she", "his", "her", "there"]))
            && subject(n + count);
    }
    let first = (0..n.min(7)).map(|back| n - 1 - back).find(|at| reading.opens(*at));
    // Hasn't slept well |lately: the subject is left out.
    first.is_some_and(|first| {
        subject(first)
            || reading.words[first].is_one_of(&ELIDED)
            || reading.word(first).is_some_and(|word| word.is_one_of(&["he", "she", "i", "we", "they"]))
    })
}
