//! Times that are put together from two: 下个月第一个周二, 上个月今天, 两周后的今天, 去年这个时候, 下周初, 明后两天.

use super::super::{Period, Relative};
use super::numbers::number;
use super::reading::{Found, Reading, starts_with};
use Relative::{
    Day, DayOfMonth, LastOfMonth, Minutes, NthWeekday, Part, SameDay, SameDayOfMonth, SameMonth, TwoDays,
};

/// Minutes of a day.
const DAY: i64 = 24 * 60;
/// Days of the week, from Monday.
const WEEKDAYS: [char; 8] = ['一', '二', '三', '四', '五', '六', '日', '天'];
/// Today, behind another time.
const TODAY: [&str; 4] = ["的今天", "的今日", "今天", "今日"];

/// A rule: how many bytes of a text are a time, and which.
type Rule = fn(&str) -> Option<(usize, Relative)>;

/// The rules of this file: a time that begins here.
pub(super) fn compound(reading: &Reading<'_>, at: usize) -> Option<Found> {
    const RULES: [Rule; 5] = [of_month, counted_to_today, same_time, of_week, two_days];
    const FIRST: &str = "上下本这今明后去前昨一二三四五六七八九十两俩百";
    let (before, rest) = reading.split(at);
    if !rest.starts_with(|c: char| c.is_ascii_digit() || FIRST.contains(c)) {
        return None;
    }
    let (length, relative) = RULES.iter().find_map(|rule| rule(rest))?;
    // The second 上 of 上上, the 个 of 三个, 大上周 are no beginnings.
    let goes_on = before.ends_with(|c: char| c.is_numeric() || "上下大前后个两几数半多第每近".contains(c));
    // 明后|天气: nor does it end within a word.
    let last = rest[..length].chars().next_back();
    let next = rest[length..].chars().next();
    let cut = last
        .zip(next)
        .is_some_and(|(last, next)| super::super::segments::is_a_word(&format!("{last}{next}")));
    (!goes_on).then(|| Found { whole: !cut, ..Found::certain(length, relative) })
}

/// 上个月, 下月, 本月 and how many months from now they are.
fn month(text: &str) -> Option<(i64, usize)> {
    const MONTHS: [(&str, i64); 11] = [
        ("上上个月", -2),
        ("下下个月", 2),
        ("上一个月", -1),
        ("下一个月", 1),
        ("上个月", -1),
        ("下个月", 1),
        ("这个月", 0),
        ("上月", -1),
        ("下月", 1),
        ("本月", 0),
        ("这月", 0),
    ];
    MONTHS.into_iter().find(|(name, _)| text.starts_with(name)).map(|(name, by)| (by, name.len()))
}

/// 下个月最后一天, 这个月第二个周五, 上个月今天.
fn of_month(text: &str) -> Option<(usize, Relative)> {
    let (by, length) = month(text)?;
    if let Some(today) = starts_with(&text[length..], &TODAY) {
        return (by != 0).then_some((length + today.len(), SameDayOfMonth(by)));
    }
    let rest = text[length..].strip_prefix('的').unwrap_or(&text[length..]);
    let from = text.len() - rest.len();
    for (day, relative) in
        [("最后一天", LastOfMonth(by)), ("第一天", DayOfMonth(by, 1)), ("头一天", DayOfMonth(by, 1))]
    {
        if rest.starts_with(day) {
            return Some((from + day.len(), relative));
        }
    }
    let (nth, words) = match starts_with(rest, &["最后一个", "首个", "头一个"]) {
        Some("最后一个") => (-1, "最后一个".len()),
        Some(first) => (1, first.len()),
        None => {
            let counted = rest.strip_prefix('第')?;
            let (nth, digits) = number(counted).filter(|(nth, _)| (1..=4).contains(nth))?;
            let measure = usize::from(counted[digits..].starts_with('个')) * "个".len();
            (nth, "第".len() + digits + measure)
        }
    };
    let week = starts_with(&rest[words..], &["周", "星期", "礼拜"])?;
    let day = rest[words + week.len()..].chars().next()?;
    let weekday = WEEKDAYS.iter().position(|one| *one == day)?.min(6);
    let weekday = u32::try_from(weekday).ok()?;
    Some((from + words + week.len() + day.len_utf8(), NthWeekday(by, nth, weekday)))
}

/// 两周后的今天, 三个月前的今天, 两年前的这个月.
fn counted_to_today(text: &str) -> Option<(usize, Relative)> {
    const UNITS: [&str; 8] = ["天", "周", "个星期", "星期", "个礼拜", "礼拜", "个月", "年"];
    let (count, digits) = number(text)?;
    let unit = starts_with(&text[digits..], &UNITS)?;
    let side = starts_with(&text[digits + unit.len()..], &["之前", "以前", "前", "之后", "以后", "后"])?;
    let length = digits + unit.len() + side.len();
    let count = if side.ends_with('前') { -count } else { count };
    if unit == "年"
        && let Some(month) = starts_with(&text[length..], &["的这个月", "这个月", "的这个时候", "的本月"])
    {
        return Some((length + month.len(), SameMonth(count)));
    }
    let today = starts_with(&text[length..], &TODAY)?;
    let relative = match unit {
        "天" => Day(count),
        "个月" => SameDayOfMonth(count),
        "年" => SameDay(count),
        _ => Day(7 * count),
    };
    Some((length + today.len(), relative))
}

/// 去年这个时候, 明天这个时候.
fn same_time(text: &str) -> Option<(usize, Relative)> {
    const TIMES: [(&str, Relative); 11] = [
        ("去年", SameMonth(-1)),
        ("前年", SameMonth(-2)),
        ("明年", SameMonth(1)),
        ("昨天", Minutes(-DAY)),
        ("昨日", Minutes(-DAY)),
        ("前天", Minutes(-2 * DAY)),
        ("明天", Minutes(DAY)),
        ("明日", Minutes(DAY)),
        ("后天", Minutes(2 * DAY)),
        ("上周", Day(-7)),
        ("下周", Day(7)),
    ];
    let (word, relative) = TIMES.into_iter().find(|(word, _)| text.starts_with(word))?;
    let rest = &text[word.len()..];
    let now = starts_with(rest, &["的这个时候", "这个时候", "这会儿", "这时候", "的这个时间", "这个时间"])?;
    Some((word.len() + now.len(), relative))
}

/// 下周初, 本周中.
fn of_week(text: &str) -> Option<(usize, Relative)> {
    const WEEKS: [(&str, i64); 9] = [
        ("上个星期", -1),
        ("下个星期", 1),
        ("上个礼拜", -1),
        ("下个礼拜", 1),
        ("上周", -1),
        ("下周", 1),
        ("本周", 0),
        ("这周", 0),
        ("下下周", 2),
    ];
    let (word, by) = WEEKS.into_iter().find(|(word, _)| text.starts_with(word))?;
    let behind = &text[word.len()..];
    // 下周初三考试 is about the third year of a school.
    let part = [("初", "的开头"), ("中", "的中间")].into_iter().find(|(part, _)| behind.starts_with(part))?;
    let next = &behind[part.0.len()..];
    let other = next.starts_with(WEEKDAYS)
        || starts_with(
            next,
            &[
                "中", "考", "期", "级", "午", "秋", "国", "学", "央", "恋", "步", "审", "稿", "试", "版",
                "赛", "选", "始",
            ],
        )
        .is_some();
    (!other).then_some((word.len() + part.0.len(), Part(Period::Week, by, part.1)))
}

/// 明后两天, 今明两天.
fn two_days(text: &str) -> Option<(usize, Relative)> {
    const DAYS: [(&str, i64); 6] =
        [("今明两天", 0), ("今明两日", 0), ("明后两天", 1), ("明后两日", 1), ("明后天", 1), ("昨今两天", -1)];
    DAYS.into_iter()
        .find(|(word, _)| text.starts_with(word))
        .map(|(word, first)| (word.len(), TwoDays(first)))
}
