//! A second time beside one, which must agree with it: yesterday (Nov 25), 昨天（周三）, Monday, two days ago, 去年2月29日. Of two that
//! do not agree nobody can tell which one is meant.

use super::chinese::number;
use super::english::{MONTHS, WEEKDAYS};
use super::{Moment, Relative, first_bytes, last_bytes};
use chrono::{Datelike, NaiveDate};
use std::ops::Range;

/// How far a second time is looked for, in bytes.
const NEAR_BYTES: usize = 60;

/// A time by the calendar, as a sentence names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    /// From Monday, 0.
    Weekday(u32),
    /// A day of a month; its year, if that is named.
    Day(Option<i32>, u32, u32),
    /// A month, from 1.
    Month(u32),
    /// A year.
    Year(i32),
}

/// Whether every time by the calendar that stands beside a word fits what the word stands for.
pub(super) fn agrees(text: &str, range: &Range<usize>, relative: Relative, moment: &Moment) -> bool {
    let Some(span) = moment.span(relative) else { return true };
    let behind = first_bytes(&text[range.end..], NEAR_BYTES);
    let before = last_bytes(&text[..range.start], NEAR_BYTES);
    let named = named_behind(behind).into_iter().chain(named_before(before)).chain(signed(behind));
    named.into_iter().all(|named| fits(named, span))
}

/// The text before a word without the time by the calendar that stands right before it: in May |last year.
pub(super) fn without_named(before: &str) -> &str {
    let bare = before.trim_end();
    let from = bare.rsplit_once(' ').map_or("", |(rest, last)| if month(last).is_some() { rest } else { "" });
    if from.is_empty() { before } else { from.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ') }
}

/// Whether one of the two lies within the other.
fn fits(named: Named, (first, last): (NaiveDate, NaiveDate)) -> bool {
    let is_day = first == last;
    match named {
        Named::Weekday(day) => !is_day || first.weekday().num_days_from_monday() == day,
        Named::Day(year, month, day) => (first.year()..=last.year())
            .filter(|one| year.is_none_or(|year| year == *one))
            .filter_map(|year| NaiveDate::from_ymd_opt(year, month, day))
            .any(|day| (first..=last).contains(&day)),
        Named::Month(month) => first.year() < last.year() || (first.month()..=last.month()).contains(&month),
        Named::Year(year) => (first.year()..=last.year()).contains(&year),
    }
}

/// The times by the calendar behind a word: yesterday| (Nov 25), tomorrow|, Saturday 28 Nov, 今天|是周四.
fn named_behind(behind: &str) -> Vec<Named> {
    let bare = behind.trim_start();
    let opened = bare.strip_prefix(['(', '（', '[', '，', ',', '、', ':', '：']).unwrap_or(bare).trim_start();
    let in_brackets = bare.starts_with(['(', '（', '[']);
    let links = ["on the ", "on ", "the ", "is ", "was ", "that is ", "又是", "也就是", "就是", "即", "是"];
    let rest = links.iter().find_map(|link| opened.strip_prefix(link)).unwrap_or(opened);
    let mut found = Vec::new();
    let mut rest = rest;
    while let Some((named, length)) = named(rest, in_brackets) {
        found.push(named);
        rest = rest[length..].trim_start_matches([' ', ',', '，']);
    }
    found
}

/// The date of a signature that ends the sentence: yesterday| (Mei, 3 March).
fn signed(behind: &str) -> Option<Named> {
    let line = behind.split(['\n', '。', ';', '；']).next()?;
    let inside = line.trim_end_matches(['.', ' ']).strip_suffix([')', '）'])?;
    let inside = &inside[inside.rfind(['(', '（'])?..];
    let mut before = ' ';
    let begins = inside.char_indices().filter(|(_, c)| {
        let begins = !before.is_alphanumeric();
        before = *c;
        begins
    });
    let mut days = begins.filter_map(|(at, _)| named(&inside[at..], false)).map(|(named, _)| named);
    days.find(|named| matches!(named, Named::Day(..)))
}

/// The time by the calendar right before a word: Monday, |two days ago; 29 February |next year; Monday morning |two weeks ago.
fn named_before(before: &str) -> Option<Named> {
    let bare = before.trim_end_matches([' ', ',', '，', '(', '（']);
    let parts = [" morning", " afternoon", " evening", " night"];
    let bare = parts.iter().find_map(|part| bare.strip_suffix(part)).unwrap_or(bare);
    let mut words = bare.rsplit([' ', '\n', '(']);
    let last = words.next()?;
    if let Some(month) = month(last) {
        let day = words.next().and_then(day_of_month);
        return Some(day.map_or(Named::Month(month), |day| Named::Day(None, month, day)));
    }
    if let Some(day) = day_of_month(last)
        && let Some(month) = words.next().and_then(month)
    {
        return Some(Named::Day(None, month, day));
    }
    weekday(last).map(Named::Weekday)
}

/// A time by the calendar that a text begins with, and its bytes.
fn named(text: &str, in_brackets: bool) -> Option<(Named, usize)> {
    by_numbers(text, in_brackets).or_else(|| in_chinese(text)).or_else(|| in_english(text, in_brackets))
}

/// 2026-11-25, 2026/11/25; in brackets also 11/25 and 2025.
fn by_numbers(text: &str, in_brackets: bool) -> Option<(Named, usize)> {
    let length = text.bytes().take_while(|b| b.is_ascii_digit() || b"-/.".contains(b)).count();
    let parts: Vec<&str> = text[..length].split(['-', '/', '.']).collect();
    let two = |part: &str| part.parse().ok().filter(|_| part.len() <= 2);
    let named = match parts[..] {
        [year, month, day] if year.len() == 4 => Named::Day(Some(year.parse().ok()?), two(month)?, two(day)?),
        [month, day] if in_brackets => Named::Day(None, two(month)?, two(day)?),
        [year] if in_brackets && year.len() == 4 => Named::Year(year.parse().ok()?),
        _ => return None,
    };
    Some((named, length))
}

/// 11月25日, 十一月, 2025年, 周三.
fn in_chinese(text: &str) -> Option<(Named, usize)> {
    const DAYS: [char; 8] = ['一', '二', '三', '四', '五', '六', '日', '天'];
    if let Some(week) = ["周", "星期", "礼拜"].iter().find(|week| text.starts_with(*week)) {
        let day = text[week.len()..].chars().next()?;
        let at = DAYS.iter().position(|one| *one == day)?.min(6);
        return Some((Named::Weekday(u32::try_from(at).ok()?), week.len() + day.len_utf8()));
    }
    let (count, digits) = wide_number(text).or_else(|| number(text))?;
    let blank = usize::from(text[digits..].starts_with(' '));
    let behind = &text[digits + blank..];
    if behind.starts_with('年') && count >= 1_000 {
        return Some((Named::Year(i32::try_from(count).ok()?), digits + blank + "年".len()));
    }
    let month = u32::try_from(count).ok().filter(|month| (1..=12).contains(month))?;
    let of_day = behind.strip_prefix('月')?;
    let length = digits + blank + "月".len();
    let bare = of_day.trim_start_matches(' ');
    let blanks = of_day.len() - bare.len();
    match wide_number(bare).or_else(|| number(bare)) {
        Some((day, digits)) if bare[digits..].starts_with(['日', '号']) => {
            let day = u32::try_from(day).ok()?;
            Some((Named::Day(None, month, day), length + blanks + digits + "日".len()))
        }
        _ => Some((Named::Month(month), length)),
    }
}

/// A number in digits of full width, and its bytes: １１月.
fn wide_number(text: &str) -> Option<(i64, usize)> {
    let digits =
        text.chars().map_while(|c| u32::from(c).checked_sub(u32::from('０')).filter(|digit| *digit < 10));
    let digits: Vec<u32> = digits.take(5).collect();
    let number = digits.iter().fold(0, |number, digit| number * 10 + i64::from(*digit));
    (1..=4).contains(&digits.len()).then_some((number, digits.len() * '０'.len_utf8()))
}

/// Nov 25, 25 November, Wednesday; in brackets also November.
fn in_english(text: &str, in_brackets: bool) -> Option<(Named, usize)> {
    let word = |text: &str| text.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let first = word(text);
    if first == 0 {
        return None;
    }
    let rest = text[first..].strip_prefix(['.', ',']).unwrap_or(&text[first..]);
    let rest = rest.trim_start_matches(' ');
    let rest = rest.strip_prefix("of ").unwrap_or(rest);
    let second = word(rest);
    let end = text.len() - rest.len() + second;
    if let (Some(month), Some(day)) = (month(&text[..first]), day_of_month(&rest[..second])) {
        return Some((Named::Day(None, month, day), end));
    }
    if let (Some(day), Some(month)) = (day_of_month(&text[..first]), month(&rest[..second])) {
        return Some((Named::Day(None, month, day), end));
    }
    if let Some(day) = weekday(&text[..first]) {
        return Some((Named::Weekday(day), first));
    }
    month(&text[..first]).filter(|_| in_brackets).map(|month| (Named::Month(month), first))
}

/// A month by its name or the first letters of it, from 1.
fn month(word: &str) -> Option<u32> {
    let of = |name: &&str| {
        word.eq_ignore_ascii_case(name)
            || word.eq_ignore_ascii_case(&name[..3])
            || word == "Sept" && **name == *"September"
    };
    let at = MONTHS.iter().position(of)?;
    u32::try_from(at + 1).ok().filter(|_| word.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// A day of a month: 25, 5th.
fn day_of_month(word: &str) -> Option<u32> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let ends = ["", "st", "nd", "rd", "th"].contains(&word.split_at(digits).1);
    word[..digits].parse().ok().filter(|day| ends && (1..=31).contains(day))
}

/// A day of the week by its name or its first three letters, from Monday, 0.
fn weekday(word: &str) -> Option<u32> {
    let lower = word.to_ascii_lowercase();
    let is_short = word.len() == 3 && word.starts_with(|c: char| c.is_ascii_uppercase());
    let at = WEEKDAYS.iter().position(|day| *day == lower || is_short && day.starts_with(&lower))?;
    u32::try_from(at).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agrees(text: &str, word: &str, relative: Relative) -> bool {
        let moment = Moment::read("2026-11-27T10:00:00+08:00").unwrap();
        let at = text.find(word).unwrap();
        super::agrees(text, &(at..at + word.len()), relative, &moment)
    }

    #[test]
    fn a_time_beside_one_must_fit_it() {
        for (text, word, relative) in [
            ("10 days ago (2026-10-01) it failed", "10 days ago", Relative::Day(-10)),
            ("yesterday (Nov 25) it failed", "yesterday", Relative::Day(-1)),
            ("Yesterday, 2 May, was a holiday", "Yesterday", Relative::Day(-1)),
            ("Yesterday (Wednesday) we met", "Yesterday", Relative::Day(-1)),
            ("Today is Monday", "Today", Relative::Day(0)),
            ("Monday, two days ago, he left", "two days ago", Relative::Day(-2)),
            ("Monday morning two weeks ago", "two weeks ago", Relative::Day(-14)),
            ("three weeks ago on Tuesday", "three weeks ago", Relative::Day(-21)),
            ("on 29 February next year", "next year", Relative::Year(1)),
            ("last month (August)", "last month", Relative::Month(-1)),
            ("it failed yesterday (Mei, 3 March).", "yesterday", Relative::Day(-1)),
            ("去年2月29日", "去年", Relative::Year(-1)),
            ("去年（2024年）", "去年", Relative::Year(-1)),
            ("昨天（周三）来过", "昨天", Relative::Day(-1)),
            ("今天是周四", "今天", Relative::Day(0)),
            ("昨天11月25日", "昨天", Relative::Day(-1)),
        ] {
            assert!(!agrees(text, word, relative), "{text}");
        }
    }

    #[test]
    fn what_fits_stays() {
        for (text, word, relative) in [
            ("yesterday (Nov 26) it failed", "yesterday", Relative::Day(-1)),
            ("Tomorrow, Saturday 28 Nov, we meet", "Tomorrow", Relative::Day(1)),
            ("Today is Friday", "Today", Relative::Day(0)),
            ("last week (Nov 18)", "last week", Relative::Week(-1)),
            ("last week on Wednesday", "last week", Relative::Week(-1)),
            ("In May last year", "last year", Relative::Year(-1)),
            ("the 3 disks of yesterday", "yesterday", Relative::Day(-1)),
            ("去年2月28日", "去年", Relative::Year(-1)),
            ("昨天（周四）来过", "昨天", Relative::Day(-1)),
            ("明天11月28日出发", "明天", Relative::Day(1)),
            ("今天3点开会", "今天", Relative::Day(0)),
        ] {
            assert!(agrees(text, word, relative), "{text}");
        }
    }
}
