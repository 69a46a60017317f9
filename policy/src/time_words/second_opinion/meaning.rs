//! What a candidate may mean that a calendar can read in two ways, or that may be no date at all: on Friday, in ten days, the end of the
//! month, 周五, 十天后, 月底. `policy/words/train-dates` reads them in the same way.

use super::candidates::Candidate;
use super::line::Line;
use crate::time_words::chinese::number;
use crate::time_words::{Moment, Period, Relative};
use std::ops::Range;

/// What it may mean, and the items that a date would stand for.
pub(super) struct Meaning {
    /// Which of the scores in `dates-*.txt` it must have.
    pub kind: &'static str,
    pub items: Range<usize>,
    pub when: When,
}

/// What all of a candidate means.
fn whole(one: &Candidate, kind: &'static str, when: When) -> Meaning {
    Meaning { kind, items: one.first..one.end, when }
}

/// When it is, where it is a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// The last or the next day of this name, Monday is 0.
    Weekday(u32),
    /// The last one or that of this week.
    Weekend,
    /// This, whatever the sentence tells.
    Counted(Relative),
    /// This, if the sentence tells what comes.
    Coming(Relative),
    /// This, if it tells what has been.
    Past(Relative),
    /// A part of the period of now, from and to which of its days or months: of a part that is over only the past is told.
    Part(Relative, Period, u32, u32),
}

impl When {
    /// What is meant where the sentence tells a direction, below zero the past and above it what comes, by more than `least`.
    pub(super) fn told(self, direction: f64, least: f64, moment: &Moment) -> Option<Relative> {
        let (comes, is_past) = (direction > least, -direction > least);
        match self {
            When::Weekday(day) if comes => Some(Relative::Nearest(1, day)),
            When::Weekday(day) if is_past => Some(Relative::Nearest(-1, day)),
            When::Weekend if comes => Some(Relative::Weekend(0)),
            When::Weekend if is_past => Some(Relative::Weekend(-1)),
            When::Weekday(_) | When::Weekend => None,
            When::Counted(relative) => Some(relative),
            When::Coming(relative) => comes.then_some(relative),
            When::Past(relative) => is_past.then_some(relative),
            When::Part(relative, period, from, to) => {
                let now = moment.place_in(period);
                let fits = if now < from { comes } else { now <= to || is_past };
                fits.then_some(relative)
            }
        }
    }
}

pub(super) fn english(line: &Line<'_>, one: &Candidate) -> Option<Meaning> {
    match one.kind {
        "WD" => weekday(line, one),
        "WEEKEND" => {
            let at = one.end.checked_sub(2).filter(|at| *at >= one.first)?;
            let is_one = line.norm(at) == "the" && line.norm(at + 1) == "weekend";
            is_one.then_some(Meaning { kind: "WEEKEND", items: at..one.end, when: When::Weekend })
        }
        "IN" => in_time(line, one),
        "ENDOF" => part_of_period(line, one),
        "REL" => season(line, one).or_else(|| said(line, one)),
        _ => said(line, one),
    }
}

/// An item, or nothing beyond the ends of the line.
fn norm<'l>(line: &'l Line<'_>, at: Option<usize>) -> &'l str {
    at.and_then(|at| line.items.get(at)).map_or("", |item| &*item.norm)
}

/// Short names of days that are no other words in small letters.
const SHORT: [&str; 5] = ["fri", "thu", "thurs", "tue", "tues"];

fn is_day(norm: &str) -> bool {
    norm == "_wd" || SHORT.contains(&norm)
}

/// Tomorrow, last week: the date is clear, where it is one.
fn said(line: &Line<'_>, one: &Candidate) -> Option<Meaning> {
    let words: Vec<String> =
        line.items[one.first..one.end].iter().map(|item| item.word.to_lowercase()).collect();
    let joined = words.join(if line.text[line.range(one.first, one.end)].is_ascii() { " " } else { "" });
    let relative = match &*joined {
        "yesterday" | "昨天" | "昨日" => Relative::Day(-1),
        "today" | "今天" | "今日" | "刚刚" | "刚才" => Relative::Day(0),
        "tomorrow" | "明天" | "明日" => Relative::Day(1),
        "前天" | "前日" => Relative::Day(-2),
        "后天" | "后日" => Relative::Day(2),
        "tonight" => Relative::DayPart(0, "the evening of"),
        "this morning" => Relative::DayPart(0, "the morning of"),
        "昨上午" => Relative::DayPart(-1, "上午"),
        "昨下午" => Relative::DayPart(-1, "下午"),
        "last night" | "last nite" => Relative::DayPart(-1, "the night of"),
        "last week" => Relative::Week(-1),
        "this week" => Relative::Week(0),
        "next week" => Relative::Week(1),
        "last month" => Relative::Month(-1),
        "this month" => Relative::Month(0),
        "next month" => Relative::Month(1),
        "last quarter" => Relative::Quarter(-1),
        "this quarter" => Relative::Quarter(0),
        "next quarter" => Relative::Quarter(1),
        "last year" => Relative::Year(-1),
        "this year" => Relative::Year(0),
        "next year" => Relative::Year(1),
        _ => return None,
    };
    Some(whole(one, "SAID", When::Counted(relative)))
}

/// The days of a week by their first letters.
const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
/// What makes two days a span or a list.
const JOINS: [&str; 8] = ["and", "or", "to", "through", "thru", "-", "–", "/"];
/// What stands before the day of a rule, a name or another week.
const OTHERS: [&str; 28] = [
    "to",
    "called",
    "like",
    "every",
    "each",
    "following",
    "previous",
    "one",
    "mr",
    "named",
    "black",
    "good",
    "blue",
    "ash",
    "palm",
    "cyber",
    "bloody",
    "bank",
    "easter",
    "whit",
    "any",
    "week",
    "weeks",
    "fortnight",
    "day",
    "days",
    "month",
    "months",
];
/// What is not over, if it stands before a day.
const NOW: [&str; 14] = [
    "takes", "goes", "comes", "gets", "starts", "begins", "ends", "needs", "wants", "keeps", "runs", "opens",
    "closes", "leaves",
];
/// What stands behind a day that is another one.
const FURTHER: [&str; 9] = ["week", "fortnight", "of", "next", "last", "in", "after", "'s", "s"];

/// On Friday, Monday night: not on Friday, 13 March, nor Monday to Wednesday, every Tuesday, Thursday next week.
fn weekday(line: &Line<'_>, one: &Candidate) -> Option<Meaning> {
    let at = (one.first..one.end).find(|at| is_day(line.norm(*at))).filter(|at| *at <= one.first + 1)?;
    let behind = |more: usize| norm(line, Some(one.end + more));
    let before = |less: usize| norm(line, one.first.checked_sub(less));
    let date = behind(usize::from(behind(0) == ","));
    let is_dated = date.starts_with('#') || matches!(date, "_mo" | "march" | "may");
    let last = line.norm(one.end - 1);
    let is_plural = last.ends_with('s') && !SHORT.contains(&last);
    let is_joined = JOINS.contains(&behind(0))
        && (is_day(behind(1)) || behind(1) == "on" && is_day(behind(2)))
        || JOINS.contains(&before(1)) && is_day(before(2));
    if is_dated
        || is_plural
        || is_joined
        || FURTHER.contains(&behind(0))
        || OTHERS.contains(&before(1))
        || OTHERS.contains(&line.norm(one.first))
    {
        return None;
    }
    let name = line.items[at].word.to_ascii_lowercase();
    let day = DAYS.iter().position(|day| name.starts_with(day)).and_then(|day| u32::try_from(day).ok())?;
    if line.norm(one.first) == "since" {
        let is_past = !matches!(behind(0), "is" | "was");
        let when = When::Counted(Relative::Nearest(-1, day));
        return is_past.then(|| Meaning { kind: "WD", items: at..at + 1, when });
    }
    // What takes place on Thursday is not over, nor is what is to do; what is ticked is.
    let box_at = usize::from(norm(line, Some(0)) == "-");
    let ticked = |sign: &[&str]| (0..).zip(sign).all(|(k, sign)| norm(line, Some(box_at + k)) == *sign);
    let is_now = (1..=3).any(|less| NOW.contains(&before(less))) || ticked(&["[", "]"]);
    let when = match () {
        () if is_now => When::Coming(Relative::Nearest(1, day)),
        () if ticked(&["[", "x", "]"]) => When::Past(Relative::Nearest(-1, day)),
        () => When::Weekday(day),
    };
    Some(Meaning { kind: "WD", items: at..at + 1, when })
}

/// In ten days, in three months.
fn in_time(line: &Line<'_>, one: &Candidate) -> Option<Meaning> {
    const NUMBERS: [(&str, i64); 24] = [
        ("a", 1),
        ("an", 1),
        ("one", 1),
        ("two", 2),
        ("three", 3),
        ("four", 4),
        ("five", 5),
        ("six", 6),
        ("seven", 7),
        ("eight", 8),
        ("nine", 9),
        ("ten", 10),
        ("eleven", 11),
        ("twelve", 12),
        ("thirteen", 13),
        ("fourteen", 14),
        ("fifteen", 15),
        ("sixteen", 16),
        ("eighteen", 18),
        ("twenty", 20),
        ("thirty", 30),
        ("forty", 40),
        ("fifty", 50),
        ("sixty", 60),
    ];
    let words = &line.items[one.first..one.end];
    if words.iter().map(|item| &*item.norm).eq(["in", "half", "a", "year"]) {
        return Some(whole(one, "IN", When::Counted(Relative::Part(Period::Month, 6, "in"))));
    }
    if words.len() != 3
        || line.norm(one.first) != "in"
        || matches!(norm(line, Some(one.end)), "or" | "and" | "'")
    {
        return None;
    }
    let number = line.items[one.first + 1].word.to_ascii_lowercase();
    let named = || NUMBERS.iter().find(|(name, _)| *name == number).map(|(_, count)| *count);
    let count = number.parse().ok().or_else(named).filter(|count| (1..=1_000).contains(count))?;
    let relative = match line.norm(one.first + 2) {
        "day" | "days" => Relative::DayPart(count, "on"),
        "week" | "weeks" => Relative::DayPart(7 * count, "on"),
        "fortnight" => Relative::DayPart(14 * count, "on"),
        "month" | "months" => Relative::Part(Period::Month, count, "in"),
        "year" | "years" => Relative::Part(Period::Year, count, "in"),
        _ => return None,
    };
    Some(whole(one, "IN", When::Counted(relative)))
}

/// The end of the month, the rest of this week.
fn part_of_period(line: &Line<'_>, one: &Candidate) -> Option<Meaning> {
    const PERIODS: [(&str, Period); 4] = [
        ("week", Period::Week),
        ("month", Period::Month),
        ("quarter", Period::Quarter),
        ("year", Period::Year),
    ];
    let at = one.end.checked_sub(4).filter(|at| (one.first..one.first + 3).contains(at))?;
    let leads = &line.items[one.first..at];
    if !(leads.len() < 2 || leads[1].norm == "the")
        || line.norm(at + 1) != "of"
        || !matches!(line.norm(at + 2), "the" | "this")
    {
        return None;
    }
    let period = PERIODS.iter().find(|(name, _)| *name == line.norm(at + 3)).map(|(_, period)| *period)?;
    let part = |part: &'static str| Relative::Part(period, 0, part);
    // Of a week the days from 0, of a month from 1, of a quarter and a year the months from 1.
    let (relative, from, to) = match (line.norm(at), period) {
        ("end", Period::Week) => (Relative::EndOf(period, "end of"), 3, 6),
        ("end", Period::Month) => (Relative::EndOf(period, "end of"), 21, 31),
        ("end", Period::Quarter) => (Relative::EndOf(period, "end of"), 4, 4),
        ("end", Period::Year) => (Relative::EndOf(period, "end of"), 11, 12),
        ("middle", Period::Week) => (part("middle of"), 1, 3),
        ("middle", Period::Month) => (part("middle of"), 11, 20),
        ("middle", Period::Quarter) => (part("middle of"), 2, 2),
        ("middle", Period::Year) => (part("middle of"), 5, 8),
        ("rest", _) => (part("rest of"), 0, 31),
        ("beginning", Period::Month) => (part("beginning of"), 1, 10),
        ("start", Period::Month) => (part("start of"), 1, 10),
        ("beginning", _) => (part("beginning of"), 0, 1),
        ("start", _) => (part("start of"), 0, 1),
        _ => return None,
    };
    Some(Meaning { kind: "ENDOF", items: at..one.end, when: When::Part(relative, period, from, to) })
}

/// Last summer, this autumn.
fn season(line: &Line<'_>, one: &Candidate) -> Option<Meaning> {
    const SEASONS: [&str; 4] = ["spring", "summer", "autumn", "fall"];
    let at = one.end.checked_sub(2).filter(|at| (one.first..one.first + 2).contains(at))?;
    let name = SEASONS.into_iter().find(|name| *name == line.norm(at + 1))?;
    let when = match line.norm(at) {
        "last" => When::Counted(Relative::Season(-1, name)),
        "this" => When::Coming(Relative::Season(0, name)),
        _ => return None,
    };
    Some(Meaning { kind: "REL", items: at..one.end, when })
}

pub(super) fn chinese(line: &Line<'_>, one: &Candidate) -> Option<Meaning> {
    let text: String = line.items[one.first..one.end].iter().map(|item| item.word).collect();
    if let Some(when) = part(&text) {
        return Some(whole(one, "END", when));
    }
    match one.kind {
        "WD" => chinese_weekday(line, one, &text),
        "NUM" => counted(&text).map(|relative| whole(one, "NUM", When::Counted(relative))),
        _ => said(line, one),
    }
}

/// 月底, 上半年: of a month the days, of a quarter and a year the months.
fn part(text: &str) -> Option<When> {
    let (period, relative, from, to) = match text {
        "月初" => (Period::Month, Relative::Part(Period::Month, 0, "初"), 1, 10),
        "上旬" => (Period::Month, Relative::Part(Period::Month, 0, "上旬"), 1, 10),
        "月中" => (Period::Month, Relative::Part(Period::Month, 0, "中"), 11, 20),
        "中旬" => (Period::Month, Relative::Part(Period::Month, 0, "中旬"), 11, 20),
        "下旬" => (Period::Month, Relative::Part(Period::Month, 0, "下旬"), 21, 31),
        "月内" => (Period::Month, Relative::Part(Period::Month, 0, "内"), 1, 31),
        "月底" => (Period::Month, Relative::EndOf(Period::Month, "底"), 21, 31),
        "月末" => (Period::Month, Relative::EndOf(Period::Month, "末"), 21, 31),
        "季度末" | "季末" => (Period::Quarter, Relative::EndOf(Period::Quarter, "末"), 4, 4),
        "年初" => (Period::Year, Relative::PartOfYear("初"), 1, 2),
        "年中" => (Period::Year, Relative::PartOfYear("中"), 5, 8),
        "上半年" => (Period::Year, Relative::PartOfYear("上半年"), 1, 6),
        "下半年" => (Period::Year, Relative::PartOfYear("下半年"), 7, 12),
        "年内" => (Period::Year, Relative::PartOfYear("内"), 1, 12),
        "年底" => (Period::Year, Relative::EndOf(Period::Year, "底"), 11, 12),
        "年末" => (Period::Year, Relative::EndOf(Period::Year, "末"), 11, 12),
        _ => return None,
    };
    Some(When::Part(relative, period, from, to))
}

/// 周五, 礼拜天晚上: not 下|周五, nor 周一到|周五.
fn chinese_weekday(line: &Line<'_>, one: &Candidate, text: &str) -> Option<Meaning> {
    const JOINS: &str = "上下每和到至、-与及或";
    let noun = ["周", "星期", "礼拜", "拜"].into_iter().find(|noun| text.starts_with(noun))?;
    let day = text[noun.len()..].chars().next()?;
    let day = "一二三四五六日天".chars().position(|name| name == day)?.min(6);
    let before = norm(line, one.first.checked_sub(1));
    if !before.is_empty() && JOINS.contains(before) {
        return None;
    }
    let end = one.first + noun.chars().count() + 1;
    Some(Meaning { kind: "WD", items: one.first..end, when: When::Weekday(u32::try_from(day).ok()?) })
}

/// 十天后, 再过两个月.
fn counted(text: &str) -> Option<Relative> {
    let passes = text.strip_prefix("再过");
    let rest = passes.or_else(|| text.strip_prefix('过')).unwrap_or(text);
    let (count, digits) = number(rest)?;
    let rest = &rest[digits..];
    let (measure, rest) = rest.strip_prefix('个').map_or((false, rest), |rest| (true, rest));
    let unit =
        ["天", "日", "周", "星期", "礼拜", "月", "年"].into_iter().find(|unit| rest.starts_with(unit))?;
    let behind = &rest[unit.len()..];
    let behind = behind.strip_prefix(['之', '以']).unwrap_or(behind);
    let said = behind == "后" || passes.is_some() && behind.is_empty();
    let measured = match unit {
        "月" => measure,
        "星期" | "礼拜" | "周" => true,
        _ => !measure,
    };
    let relative = match unit {
        "天" | "日" => Relative::Day(count),
        "月" => Relative::Month(count),
        "年" => Relative::Year(count),
        _ => Relative::Day(7 * count),
    };
    (said && measured).then_some(relative)
}
