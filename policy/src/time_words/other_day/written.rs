//! A day as people write it: 2026-11-20, 20.11., Nov 20, 11月20日, 2026-W47-5, 20 novembre 2026; in a title also 11-20, 1120, November,
//! week 47, Friday. A title is read generously: one that may name another day is better taken for it than not.

use super::super::Moment;
use super::super::english::{MONTHS, WEEKDAYS};
use chrono::Datelike;
use std::ops::Range;

/// A day or a longer time as it is written. Of `3/4/26` nobody knows which is the month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct WrittenDay {
    year: Option<i32>,
    quarter: Option<u32>,
    month: Option<u32>,
    /// Of a year, from 1, as ISO 8601 counts them.
    week: Option<u32>,
    /// From Monday, 0.
    weekday: Option<u32>,
    day: Option<u32>,
    either: bool,
}

impl WrittenDay {
    /// Whether the day of the moment is it, or lies in it.
    pub(super) fn is(&self, moment: &Moment) -> bool {
        let today = moment.date();
        let agrees = |named: Option<u32>, own: u32| named.is_none_or(|named| named == own);
        let named =
            |month: Option<u32>, day: Option<u32>| agrees(month, today.month()) && agrees(day, today.day());
        let year = self.year.is_none_or(|year| {
            // On 1 January the week may be one of the year before.
            let own = if self.week.is_some() { today.iso_week().year() } else { today.year() };
            year == own || year == own % 100
        });
        year && (named(self.month, self.day) || self.either && named(self.day, self.month))
            && agrees(self.quarter, today.month0() / 3 + 1)
            && agrees(self.week, today.iso_week().week())
            && agrees(self.weekday, today.weekday().num_days_from_monday())
    }

    /// What a title says below another one: `20` or `Friday 20` below `November 2026`.
    pub(super) fn below(self, title: &str) -> Option<WrittenDay> {
        let own = in_title(title);
        let of_day = own.is_some_and(|own| own.day.is_some() || own.month.is_some() || own.year.is_some());
        let number = if of_day { None } else { lone_number(title) };
        let (month, day) = match number {
            Some(number) if self.month.is_some() && self.day.is_none() => (None, Some(number)),
            Some(number) if self.year.is_some() && self.month.is_none() => (Some(number), None),
            _ => (None, None),
        };
        if own.is_none() && month.is_none() && day.is_none() {
            return None;
        }
        let own = own.unwrap_or_default();
        let is_whole = own.day.is_some() && own.month.is_some();
        Some(WrittenDay {
            year: own.year.or(self.year),
            quarter: own.quarter.or(self.quarter.filter(|_| !is_whole)),
            month: own.month.or(month).or(self.month),
            week: own.week.or(self.week.filter(|_| !is_whole)),
            weekday: own.weekday.or(self.weekday.filter(|_| !is_whole)),
            day: own.day.or(day).or(self.day),
            either: own.either || self.either && own.day.is_none(),
        })
    }

    fn of(year: Option<i32>, month: u32, day: u32) -> Option<WrittenDay> {
        let good = (1..=12).contains(&month) && (1..=31).contains(&day);
        good.then_some(WrittenDay { year, month: Some(month), day: Some(day), ..WrittenDay::default() })
    }

    fn of_month(year: Option<i32>, month: u32) -> Option<WrittenDay> {
        (1..=12).contains(&month).then_some(WrittenDay { year, month: Some(month), ..WrittenDay::default() })
    }

    /// Of two numbers either may be the month.
    fn of_two(year: Option<i32>, first: u32, second: u32) -> Option<WrittenDay> {
        match (WrittenDay::of(year, first, second), WrittenDay::of(year, second, first)) {
            (Some(day), Some(_)) => Some(WrittenDay { either: true, ..day }),
            (one, other) => one.or(other),
        }
    }
}

/// How far a day is looked for, in bytes.
const FAR_BYTES: usize = 240;

/// The first day in a text that can be nothing else, and where it stands.
pub(super) fn first_day(text: &str) -> Option<(Range<usize>, WrittenDay)> {
    first(text, |rest| whole(rest, false).filter(|_| !rest.starts_with(char::is_lowercase)))
}

/// The first thing that is read at the beginning of a word.
fn first(
    text: &str,
    read: impl Fn(&str) -> Option<(usize, WrittenDay)>,
) -> Option<(Range<usize>, WrittenDay)> {
    let mut last = ' ';
    for (at, c) in text.char_indices().take_while(|(at, _)| *at <= FAR_BYTES) {
        if begins(last, c)
            && let Some((length, day)) = read(&text[at..])
        {
            return Some((at..at + length, day));
        }
        last = c;
    }
    None
}

/// Whether a word or a number may begin here: 周会|11-20, Ⅱ|二月.
fn begins(last: char, c: char) -> bool {
    let is_part = |c: char| c.is_alphanumeric() && !is_chinese(c);
    !is_part(last) && (is_part(c) || digit(c).is_some()) && !(digit(last).is_some() && digit(c).is_some())
}

fn is_chinese(c: char) -> bool {
    ('\u{2e80}'..='\u{9fff}').contains(&c)
}

/// What a title says of its day: the whole day, or else a part of it or a longer time.
pub(super) fn in_title(title: &str) -> Option<WrittenDay> {
    let title = &*narrow(title);
    if let Some((_, day)) = first(title, |rest| whole(rest, true)) {
        return Some(day);
    }
    let numbers = two_numbers(title).or_else(|| run_of_digits(title));
    if numbers.is_some() {
        return numbers;
    }
    let (year, month) = (year_of(title), month_of_title(title));
    let named =
        WrittenDay { year, month, quarter: quarter(title), week: week(title), ..WrittenDay::default() };
    let weekday = title.split(|c: char| !c.is_alphanumeric()).find_map(weekday);
    // 20 blåbær 2026: a month in whatever language.
    let day = month.is_none().then(|| lone_number(title)).flatten();
    let day = day.filter(|day| *day <= 31 && year.is_some()).or_else(|| counted_day(title));
    let named = WrittenDay { weekday, day, ..named };
    (named != WrittenDay::default()).then_some(named)
}

/// Digits of full width as plain ones: ２０２６.
fn narrow(title: &str) -> String {
    let plain =
        |c: char| u32::from(c).checked_sub(u32::from('０')).and_then(|digit| char::from_digit(digit, 10));
    title.chars().map(|c| plain(c).unwrap_or(c)).collect()
}

/// A whole day that a text begins with. In a title a name of a month needs neither a capital letter nor a year.
fn whole(text: &str, title: bool) -> Option<(usize, WrittenDay)> {
    by_numbers(text).or_else(|| by_week(text)).or_else(|| by_name(text, title)).or_else(|| in_chinese(text))
}

fn number(text: &str) -> (u32, usize) {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    (text[..digits].parse().unwrap_or(0), digits)
}

fn is_year(number: u32) -> Option<i32> {
    (1900..=2100).contains(&number).then(|| i32::try_from(number).ok()).flatten()
}

/// Whether a number ends here: `2026-11-20T09:00` and `2026-11-20_notes` begin with a day.
fn ends(behind: &str) -> bool {
    let time =
        behind.strip_prefix(['T', 't']).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    time || !behind.starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// `2026-11-20`, `20.11.2026`, `11/20/26`, `20.11.`, `20261120`, `2026-324`.
fn by_numbers(text: &str) -> Option<(usize, WrittenDay)> {
    let (first, digits) = number(text);
    if digits == 8 && ends(&text[8..]) {
        let year = is_year(first / 10_000)?;
        return Some((8, WrittenDay::of(Some(year), first / 100 % 100, first % 100)?));
    }
    let sign = text[digits..].chars().next().filter(|c| matches!(c, '-' | '.' | '/' | '_'))?;
    let (second, more) = number(&text[digits + 1..]);
    let to_second = digits + 1 + more;
    let third = text[to_second..].strip_prefix(sign).map(number);
    let year = i32::try_from(first).ok();
    match (digits, more, third) {
        (4, 1..=2, Some((day, width @ 1..=2))) if ends(&text[to_second + 1 + width..]) => {
            Some((to_second + 1 + width, WrittenDay::of(year, second, day)?))
        }
        (4, 3, None) if sign == '-' && ends(&text[to_second..]) => {
            let day = chrono::NaiveDate::from_yo_opt(is_year(first)?, second)?;
            Some((to_second, WrittenDay::of(year, day.month(), day.day())?))
        }
        (1..=2, 1..=2, Some((year, width @ (2 | 4)))) if ends(&text[to_second + 1 + width..]) => {
            // 10.0.2024 is a version, 1.2.34 as well.
            let dotted = sign != '.' || width == 4 && more == 2;
            let day = WrittenDay::of_two(i32::try_from(year).ok(), first, second).filter(|_| dotted)?;
            Some((to_second + 1 + width, day))
        }
        // 20.11.: …
        (1..=2, 2, Some((_, 0))) if sign == '.' && text[to_second + 1..].starts_with([':', ' ']) => {
            Some((to_second + 1, WrittenDay::of(None, second, first)?))
        }
        _ => None,
    }
}

/// `2026-W47-5`, `2026W475`, `2026-W47`.
fn by_week(text: &str) -> Option<(usize, WrittenDay)> {
    let (year, 4) = number(text) else { return None };
    let year = is_year(year)?;
    let rest = text[4..].strip_prefix(['-', ' ']).unwrap_or(&text[4..]).strip_prefix(['W', 'w'])?;
    let (week, weekday, rest) = match number(rest) {
        (week, 2) => {
            let behind = rest[2..]
                .strip_prefix('-')
                .map(number)
                .filter(|(day, digits)| *digits == 1 && (1..=7).contains(day));
            (week, behind.map(|(day, _)| day - 1), &rest[if behind.is_some() { 4 } else { 2 }..])
        }
        (day, 3) => (day / 10, (day % 10).checked_sub(1), &rest[3..]),
        _ => return None,
    };
    let named = WrittenDay { year: Some(year), week: Some(week), weekday, ..WrittenDay::default() };
    ((1..=53).contains(&week) && weekday.is_none_or(|day| day < 7) && ends(rest))
        .then_some((text.len() - rest.len(), named))
}

/// Months in the languages of the neighbours, and their short forms.
const MONTHS_ABROAD: [&str; 12] = [
    "janvier janv januar jänner jan enero ene gennaio janeiro januari января январь stycznia styczeń ocak",
    "février fevrier févr fevr februar feb febrero febbraio fevereiro fev februari февраля февраль lutego luty şubat",
    "mars märz maerz mär marzo março marco maart mrt марта март marca marzec",
    "avril avr april abril abr aprile апреля апрель kwietnia kwiecień nisan",
    "mai mayo maggio maio mei maj мая май maja mayıs",
    "juin juni junio giugno giu junho июня июнь czerwca czerwiec haziran",
    "juillet juil juli julio luglio lug julho июля июль lipca lipiec temmuz",
    "août aout august agosto augustus augusti августа август sierpnia sierpień ağustos",
    "septembre september septiembre settembre setembro sept сентября сентябрь września wrzesień eylül",
    "octobre oktober octubre ottobre ott outubro okt октября октябрь października październik ekim",
    "novembre november noviembre novembro ноября ноябрь listopada listopad kasım",
    "décembre decembre dezember diciembre dic dicembre dezembro dez декабря декабрь grudnia grudzień aralık",
];

/// The month of a name, from 1.
fn month_of(word: &str) -> Option<u32> {
    if word.len() < 3 || !word.starts_with(char::is_alphabetic) {
        return None;
    }
    let is = |name: &str| word.eq_ignore_ascii_case(name);
    let english = MONTHS.iter().position(|month| is(month) || is(&month[..3]));
    let abroad = || {
        let lower = word.to_lowercase();
        MONTHS_ABROAD.iter().position(|names| names.split_ascii_whitespace().any(|name| name == lower))
    };
    u32::try_from(english.or_else(abroad)? + 1).ok()
}

/// `Nov 20`, `20 November 2026`, `November the 20th, 2026`, `20-Nov-26`, `20 de noviembre de 2026`, `2026 Nov 20`.
fn by_name(text: &str, title: bool) -> Option<(usize, WrittenDay)> {
    let words = Words::of(text);
    let (first, second) = (words.get(0)?, words.get(1)?);
    let year_at = |at: usize| words.get(at).and_then(|word| year_behind(&words, at, word));
    let (name, day, year, last) = match (day_of_month(first), day_of_month(second)) {
        (_, Some(day)) if month_of(first).is_some() => {
            let year = year_at(2);
            (first, day, year, if year.is_some() { 2 } else { 1 })
        }
        (Some(day), _) if month_of(second).is_some() => {
            let year = year_at(2);
            (second, day, year, if year.is_some() { 2 } else { 1 })
        }
        _ => (second, day_of_month(words.get(2)?)?, Some(whole_year(first)?), 2),
    };
    let month = month_of(name)?;
    let is_name = title || year.is_some() || name.starts_with(char::is_uppercase);
    Some((words.end(last), WrittenDay::of(year, month, day).filter(|_| is_name)?))
}

fn whole_year(word: &str) -> Option<i32> {
    is_year(word.parse().ok().filter(|_| word.len() == 4)?)
}

/// The year behind a day: four digits, or two behind a hyphen or an apostrophe.
fn year_behind(words: &Words<'_>, at: usize, word: &str) -> Option<i32> {
    let short = word.len() == 2 && words.before(at).ends_with(['-', '\'', '’', '/']);
    whole_year(word).or_else(|| word.parse().ok().filter(|_| short))
}

/// 20, 20th, 1er, 1º.
fn day_of_month(word: &str) -> Option<u32> {
    let (day, digits) = number(word);
    let ordinal = matches!(&word[digits..], "" | "st" | "nd" | "rd" | "th" | "er" | "e" | "º" | "ª");
    (ordinal && (1..=31).contains(&day) && (1..=2).contains(&digits)).then_some(day)
}

/// The first three words and numbers of a text that stand so near to each other that they may be a date; articles are left out.
struct Words<'t> {
    text: &'t str,
    found: Vec<Range<usize>>,
}

impl<'t> Words<'t> {
    fn of(text: &'t str) -> Words<'t> {
        const LINKS: [&str; 7] = ["the", "of", "de", "di", "den", "do", "d"];
        let mut found: Vec<Range<usize>> = Vec::new();
        let mut at = 0;
        while found.len() < 3 {
            let rest = &text[at..];
            let is_digit = rest.starts_with(|c: char| c.is_ascii_digit());
            let mut length = rest
                .find(|c: char| !(c.is_alphabetic() || is_digit && c.is_ascii_digit()))
                .unwrap_or(rest.len());
            if is_digit {
                // 20Nov2026, but 20th.
                let digits = number(rest).1;
                let letters = &rest[digits..length];
                let glued = letters.trim_end_matches(|c: char| c.is_ascii_digit());
                length = if month_of(glued).is_some() { digits } else { length };
            }
            if length == 0 {
                break;
            }
            if !LINKS.contains(&rest[..length].to_lowercase().as_str()) {
                found.push(at..at + length);
            }
            at += length;
            let gap = text[at..].find(|c: char| !" .,-_/'’".contains(c)).unwrap_or(text.len() - at);
            if gap > 3 {
                break;
            }
            at += gap;
        }
        Words { text, found }
    }

    fn get(&self, at: usize) -> Option<&'t str> {
        self.found.get(at).map(|range| &self.text[range.clone()])
    }

    fn before(&self, at: usize) -> &'t str {
        self.found.get(at).map_or("", |range| &self.text[..range.start])
    }

    fn end(&self, at: usize) -> usize {
        self.found.get(at).map_or(0, |range| range.end)
    }
}

/// A digit of any writing: 2, ２, 二, 〇, and the tens 十, 廿, 卅.
fn digit(c: char) -> Option<u32> {
    let chinese = || "〇一二三四五六七八九".chars().position(|digit| digit == c);
    let wide = || u32::from(c).checked_sub(u32::from('０')).filter(|digit| *digit < 10);
    let more = || {
        [('零', 0), ('○', 0), ('十', 10), ('廿', 20), ('卅', 30)]
            .iter()
            .find(|(one, _)| *one == c)
            .map(|(_, n)| *n)
    };
    c.to_digit(10).or_else(wide).or_else(|| chinese().and_then(|at| u32::try_from(at).ok())).or_else(more)
}

/// A number of a date, and its bytes: 20, ２０, 二十, 二〇二六, 廿一.
fn number_of_date(text: &str) -> Option<(u32, usize)> {
    let digits: Vec<(char, u32)> = text.chars().map_while(|c| Some((c, digit(c)?))).take(5).collect();
    let value = digits.iter().enumerate().fold(0, |value, (at, (_, digit))| match digit {
        10 => value.max(u32::from(at == 0)) * 10,
        20.. => *digit,
        digit if at > 0 && digits[at - 1].1 >= 10 => value + digit,
        digit => value * 10 + digit,
    });
    let bytes = digits.iter().map(|(c, _)| c.len_utf8()).sum();
    (1..=4).contains(&digits.len()).then_some((value, bytes))
}

/// `2026年11月20日`, `十一月二十日`, `11月20`, `20号`, `11월 20일`.
fn in_chinese(text: &str) -> Option<(usize, WrittenDay)> {
    let mut at = 0;
    let mut part = |ends: &[char]| {
        let (value, bytes) = number_of_date(&text[at..])?;
        let rest = &text[at + bytes..];
        let bare = rest.trim_start_matches(' ');
        let end = bare.chars().next().filter(|c| ends.contains(c))?;
        let behind = bare[end.len_utf8()..].trim_start_matches(' ');
        let is_part = digit(behind.chars().next().unwrap_or(' ')).is_some();
        // 2026 年 11 月: the blanks belong to it where another number follows.
        at += bytes + (rest.len() - bare.len()) + end.len_utf8();
        at = if is_part { text.len() - behind.len() } else { at };
        Some(value)
    };
    let year = part(&['年', '년']).and_then(|year| i32::try_from(year).ok());
    let month = part(&['月', '월']);
    let day = part(&['日', '号', '號', '일']).or_else(|| {
        // 11月20 周会, not 11月20个.
        let (day, bytes) = number_of_date(&text[at..]).filter(|_| month.is_some())?;
        let ends = !text[at + bytes..].starts_with(char::is_alphanumeric);
        at += if ends { bytes } else { 0 };
        ends.then_some(day)
    });
    // 一日三餐, 3号楼.
    let alone_ok = month.is_some()
        || text.starts_with(|c: char| c.is_ascii_digit())
            && !text[at..].starts_with(['楼', '线', '门', '机', '院', '厅', '库', '桌', '房', '车']);
    let day = day.filter(|day| (1..=31).contains(day) && alone_ok)?;
    let month_ok = month.is_none_or(|month| (1..=12).contains(&month));
    (month_ok && (year.is_none() || month.is_some()))
        .then_some((at, WrittenDay { year, month, day: Some(day), ..WrittenDay::default() }))
}

/// Words before a number that counts something else than days: version 1.2, issue 3-4, 第3-4章.
fn is_numbered(before: &str) -> bool {
    const KINDS: &str = "v ver version versions release section sec chapter part step page pages pp issue issues ticket pr no nr number \
        question questions level grade room port error figure fig table item items line lines rfc appendix week wk kw sprint";
    let bare = before.trim_end();
    let last = bare.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
    KINDS.split_ascii_whitespace().any(|kind| kind == last)
        || bare.ends_with(['#', '§', '第', '$', '€', '¥', '+', '~'])
        || ["版本", "章", "节", "页", "端口", "编号", "工单"].iter().any(|kind| bare.ends_with(kind))
}

/// `11-20`, `20/11 meeting`, `周会 11.20`, `2026/11`, `11.2026`.
fn two_numbers(title: &str) -> Option<WrittenDay> {
    let read = |at: usize| {
        let rest = &title[at..];
        let (first, digits) = number(rest);
        let sign = rest[digits..].chars().next().filter(|c| matches!(c, '-' | '.' | '/' | '_'))?;
        let (second, more) = number(&rest[digits + 1..]);
        let behind = &rest[digits + 1 + more..];
        let closed = behind.strip_prefix('.').unwrap_or(behind);
        let goes_on = behind.starts_with(['%', ':'])
            || behind.starts_with(" of ")
            || closed.starts_with(|c: char| c.is_ascii_alphanumeric() || "-./".contains(c));
        if digits == 0
            || more == 0
            || goes_on
            || is_numbered(&title[..at])
            || &rest[..digits + 1 + more] == "24/7"
        {
            return None;
        }
        match (digits, more) {
            (1..=2, 1..=2) => WrittenDay::of_two(None, first, second).filter(|_| {
                // 1.2 Overview is a section.
                let is_section = sign == '.'
                    && digits + more == 2
                    && closed.trim_start().starts_with(|c: char| c.is_ascii_alphabetic());
                !is_section
            }),
            (4, 1..=2) => WrittenDay::of_month(Some(is_year(first)?), second),
            (1..=2, 4) => WrittenDay::of_month(Some(is_year(second)?), first),
            _ => None,
        }
    };
    numbers(title).find_map(|(at, _)| read(at))
}

/// The numbers of a title that are no parts of words or of longer numbers: their place and digits.
fn numbers(title: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut last = ' ';
    title.char_indices().filter_map(move |(at, c)| {
        let begins = c.is_ascii_digit() && (is_chinese(last) || !last.is_alphanumeric());
        // 1.2.3: of a longer number only the first begins one.
        let inside = "-./_".contains(last) && title[..at - 1].ends_with(|c: char| c.is_ascii_digit());
        last = c;
        (begins && !inside).then(|| (at, number(&title[at..]).1))
    })
}

/// `1120 周会`, `261120`: at the beginning or the end of a title.
fn run_of_digits(title: &str) -> Option<WrittenDay> {
    let bare = title.trim();
    numbers(bare).find_map(|(at, digits)| {
        let behind = &bare[at + digits..];
        let outer = (at == 0 || behind.is_empty())
            && !behind.starts_with(|c: char| c.is_ascii_alphanumeric() || "-./%年".contains(c));
        let number: u32 =
            bare[at..at + digits].parse().ok().filter(|_| outer && !is_numbered(&bare[..at]))?;
        match digits {
            4 => WrittenDay::of(None, number / 100, number % 100),
            6 => WrittenDay::of(i32::try_from(number / 10_000).ok(), number / 100 % 100, number % 100),
            _ => None,
        }
    })
}

/// The year of a title: `2026`, `Log 2026`, `2026年`, `November 2026`.
fn year_of(title: &str) -> Option<i32> {
    let chinese = || {
        let at = title.find('年')?;
        let from =
            title[..at].trim_end().char_indices().rev().take_while(|(_, c)| digit(*c).is_some()).last()?.0;
        is_year(number_of_date(&title[from..])?.0)
    };
    let plain = numbers(title).find_map(|(at, digits)| {
        let whole = digits == 4 && ends(&title[at + 4..]) && !title[at + 4..].starts_with("-");
        is_year(number(&title[at..]).0).filter(|_| whole && !is_numbered(&title[..at]))
    });
    plain.or_else(chinese)
}

/// The month of a title by its name: `November`, `11月`, `novembre 2026`.
fn month_of_title(title: &str) -> Option<u32> {
    let chinese = || {
        let at = title.find(['月', '월'])?;
        let from =
            title[..at].trim_end().char_indices().rev().take_while(|(_, c)| digit(*c).is_some()).last()?.0;
        number_of_date(&title[from..]).map(|(month, _)| month).filter(|month| (1..=12).contains(month))
    };
    let words = title.split(|c: char| !c.is_alphabetic());
    // Jan may be a person; Jan 2026 is none.
    let dated = year_of(title).is_some();
    let named = words.filter(|word| word.chars().count() > 3 || dated || *word == "May").find_map(month_of);
    named.or_else(chinese)
}

/// Q3, 第三季度.
fn quarter(title: &str) -> Option<u32> {
    let english = title.split(|c: char| !c.is_alphanumeric()).find_map(|word| {
        match number(word.strip_prefix(['Q', 'q'])?) {
            (quarter @ 1..=4, 1) if word.len() == 2 => Some(quarter),
            _ => None,
        }
    });
    let chinese = || {
        let before = title[..title.find("季度")?].trim_end();
        before.chars().next_back().and_then(digit).filter(|quarter| (1..=4).contains(quarter))
    };
    english.or_else(chinese)
}

/// W47, KW 47, week 47, 第47周.
fn week(title: &str) -> Option<u32> {
    let lower = title.to_lowercase();
    let behind = |name: &str| {
        lower.match_indices(name).find_map(|(at, _)| {
            let begins = !lower[..at].ends_with(char::is_alphanumeric);
            let (week, digits) = number(lower[at + name.len()..].trim_start_matches([' ', '#']));
            ((1..=2).contains(&digits) && begins).then_some(week)
        })
    };
    let chinese = || {
        let rest = &title[title.find('第')? + "第".len()..];
        let (week, bytes) = number_of_date(rest.trim_start())?;
        let behind = rest.trim_start()[bytes..].trim_start();
        (behind.starts_with('周') || behind.starts_with("星期")).then_some(week)
    };
    ["week", "kw", "wk", "w"].into_iter().find_map(behind).or_else(chinese)
}

/// Day 3, 第三天: of what began on a day that nobody knows here. No day of a month has this number.
fn counted_day(title: &str) -> Option<u32> {
    const NO_DAY: u32 = 0;
    let lower = title.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_number = |word: &str| word.bytes().all(|b| b.is_ascii_digit());
    let english = words.windows(2).any(|pair| pair[0] == "day" && is_number(pair[1]));
    let chinese = title.find('第').is_some_and(|at| {
        let rest = title[at + "第".len()..].trim_start();
        number_of_date(rest).is_some_and(|(_, bytes)| rest[bytes..].trim_start().starts_with('天'))
    });
    (english || chinese).then_some(NO_DAY).or_else(|| {
        // The 20th.
        let last = words.last().filter(|word| word.len() > 2 && !word.starts_with('0'))?;
        let ordinal = ["st", "nd", "rd", "th"].iter().any(|end| last.ends_with(end));
        day_of_month(last).filter(|_| ordinal)
    })
}

/// Friday, Fri, 周五, 星期五.
fn weekday(word: &str) -> Option<u32> {
    const DAYS: [char; 8] = ['一', '二', '三', '四', '五', '六', '日', '天'];
    let lower = word.to_lowercase();
    let short = word.len() == 3 && word.starts_with(|c: char| c.is_ascii_uppercase());
    let english = WEEKDAYS.iter().position(|day| *day == lower || short && day.starts_with(&lower));
    let chinese = || {
        ["周", "週", "星期", "礼拜"].iter().find_map(|week| {
            let day = word[word.find(week)? + week.len()..].chars().next()?;
            DAYS.iter().position(|one| *one == day).map(|at| at.min(6))
        })
    };
    u32::try_from(english.or_else(chinese)?).ok()
}

/// The number of a title that begins or ends with one, and has no other: `20`, `20.`, `Friday 20`, `20 – standup`.
fn lone_number(title: &str) -> Option<u32> {
    let words: Vec<&str> =
        title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut found = words.iter().enumerate().filter_map(|(at, word)| Some((at, day_of_month(word)?)));
    let (at, number) = found.next()?;
    let outer = at == 0
        || at + 1 == words.len()
        || whole_year(words[at + 1]).is_some()
        || words.get(at + 2).copied().and_then(whole_year).is_some();
    (outer && found.next().is_none() && !is_numbered(&title[..title.find(words[at]).unwrap_or_default()]))
        .then_some(number)
}

/// Whether a line has nothing but a day or a longer time in it: `11-20 周五`, `Friday`, `Nov 2026`.
pub(super) fn is_only_a_time(line: &str) -> bool {
    let is_time = |word: &str| {
        let chinese = word.chars().all(|c| digit(c).is_some() || "年月日号週周星期礼拜天第季度".contains(c));
        let week = ["w", "week", "kw", "wk", "the", "of", "t", "q"];
        chinese
            || day_of_month(word).is_some()
            || month_of(word).is_some()
            || weekday(word).is_some()
            || week.contains(&word.trim_end_matches(|c: char| c.is_ascii_digit()).to_lowercase().as_str())
    };
    line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).all(is_time)
}

/// Whether a line is a short head that begins or ends with a day in two numbers: `11-20 周会`, `Standup 11/20`.
pub(super) fn is_a_dated_head(line: &str) -> bool {
    let bare = line.trim().trim_end_matches([':', '：']);
    let short =
        bare.chars().count() <= 24 && !bare.contains([',', '，', '。', ';', '；', '!', '！', '?', '？']);
    let outer = [bare.chars().next(), bare.trim_end_matches('.').chars().next_back()];
    short && outer.into_iter().flatten().any(|c| c.is_ascii_digit()) && two_numbers(bare).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_today(title: &str) -> Option<bool> {
        let moment = Moment::read("2026-11-27T10:00:00+08:00").unwrap();
        in_title(title).map(|day| day.is(&moment))
    }

    /// Titles of other days, on Friday, 2026-11-27.
    const OTHER_DAYS: &str = "11-20 | 11-20 meeting | 11-20 周会 | 周会 11-20 | 周会11-20 | 周会-11-20 | 11.20 会议 | 11.20 | \
        20/11 | 11/20 | Meeting 20.11. | 3.4 会议 | 2026-11-20T09:00 | 2026-11-20 09:00 | 20261120T0900 | \
        2026_11_20 | 2026 年 11 月 20 日 | ２０２６年１１月２０日 | 十一月二十日 | \
        二〇二六年十一月二十日 | 二零二六年十一月二十日会议 | 11月20 | 11 月 20 日 | \
        20号 | 廿日周会 11月廿日 | 11월 20일 | November the 20th | The 20th of November | the 20th | \
        november 20 | nov 20th 2026 | NOV 20 | 20-Nov-26 | 20Nov2026 | 2026 Nov 20 | 20/Nov/2026 | 2026-W47-5 | \
        2026W475 | 2026-W47 | W47 | KW 47 | Week 47 | 第47周 | 2026-324 | 20 novembre 2026 | 20. november | \
        20 de noviembre de 2026 | 20 ноября | 1er décembre | 20 kasım 2026 | 20 marraskuu 2026 | 1120 | \
        1120 周会 | 周会 1120 | 261120 | October | October 2026 | 2026-10 | 10/2026 | 2026年10月 | 十月 | \
        2025 | Log 2025 | 2025年 | Q3 | Q3 2026 | 2026年第三季度 | Thursday | Thu | 周四 | \
        星期四例会 | Monday 27 | Day 3 | 第三天";
    /// Titles of this day, and of longer times that it lies in.
    const THIS_DAY: &str = "2026-11-27 | 11-27 | 27/11 | 11.27 周会 | 27.11. | 2026-11-27T09:00 | 2026 年 11 月 27 日 | \
        十一月二十七日 | 二〇二六年十一月二十七日 | November the 27th | 2026-W48-5 | 2026-W48 | \
        Week 48 | 27 novembre 2026 | 27 marraskuu 2026 | 1127 | November 2026 | 2026-11 | 十一月 | 2026 | \
        Q4 2026 | Friday | 周五 | the 27th | 2026-331";
    /// Titles of no day.
    const NO_DAY: &str = "Notes | Log | 20 | v1.2 | Version 1.2 | 1.2 Overview | 1.2.3 | Release 1.20 | Issue 3-4 | #34 | \
        Section 2.1 | 第3-4章 | 24/7 support | 100% | 3/4 of the disks | CVE-2021-44228 | Port 8080 | RFC 2026 | \
        Marching | 会议 | 周会 | 日报 | 今天 | IPv6 | Windows 11 | 404 errors | 50/50";

    #[test]
    fn titles_and_their_days() {
        for (titles, expected) in [(OTHER_DAYS, Some(false)), (THIS_DAY, Some(true)), (NO_DAY, None)] {
            for title in titles.split(" | ") {
                assert_eq!(is_today(title), expected, "{title}");
            }
        }
    }
}
