//! Times that read as a date and are none, or are one that this moment does not decide: a part of a longer span (two years and
//! three months ago), one end of a range, a day of a period that is named beside it (上月今日), a time in a sentence that names
//! the day it is told of. A calendar would give a wrong date for them, so they are only marked.

use super::english::{MONTHS, WEEKDAYS};
use super::mention::is_mentioned;
use super::point_of_view::{is_anothers, is_said, is_told_behind};
use super::rule::{Clause, Standing};
use super::{Moment, Relative, TimeWord};
use super::{beside, fixed, point_of_view};

/// How many characters before a word are looked at.
const NEAR_CHARS: usize = 120;

/// Marks hits as uncertain where the text beside them makes them doubtful. They come in the order of the text. Without a moment no two
/// times agree.
pub(super) fn doubt<L: PartialEq>(text: &str, hits: &mut [(TimeWord, L)], moment: Option<&Moment>) {
    for at in 0..hits.len() {
        let (hit, _) = &hits[at];
        if !hit.relative.is_date() {
            continue;
        }
        let before = sentence_before(text, hit.range.start);
        let language = &hits[at].1;
        let beside = |other: Option<&(TimeWord, L)>| {
            other.is_some_and(|(other, of)| {
                let (first, second) =
                    if other.range.start < hit.range.start { (other, hit) } else { (hit, other) };
                let between = &text[first.range.end..second.range.start];
                // 今天刚刚 says the same day twice.
                let same = other.relative == hit.relative && between.is_empty();
                other.relative.is_date() && of == language && are_one(between) && !same
            })
        };
        let touched = beside(at.checked_sub(1).and_then(|at| hits.get(at))) || beside(hits.get(at + 1));
        let word = &text[hit.range.clone()];
        let behind = &text[hit.range.end..];
        let counted = counts(word);
        let standing = Clause::of(before, word, behind).standing(counted);
        if is_in_a_name(before, behind)
            || fixed::is_fixed(before, word, behind)
            || point_of_view::dateline_ends(text, hit.range.start).is_some()
            || standing == Some(Standing::Habit)
        {
            hits[at].0.certain = false;
            hits[at].0.stated = false;
            continue;
        }
        if !hit.certain {
            continue;
        }
        let is_inexact = || goes_on(before) || is_range(before) || is_inexact(before, word);
        let earlier = earlier_time(&hits[..at], hit.range.start - before.len());
        let same_from_there = || {
            let moment = moment?;
            let (there, _) = moment.span(earlier?.relative).filter(|(first, last)| first == last)?;
            let here = moment.span(hit.relative)?;
            Some(
                moment.on(there).span(hit.relative)? == here && !matches!(hit.relative, Relative::Minutes(_)),
            )
        };
        let free = beside::without_named(before);
        let rest = sentence_behind(text, hit.range.end);
        if touched
            || is_of_another_time(&hits[..at], hit, before)
            || standing.is_some()
            || counted && (is_inexact() || follows_a_term(before, word) || is_supposed(before))
            || word.starts_with('明') && fixed::follows_a_surname(before)
            || is_mentioned(before, word, rest)
            || is_part_of_a_number(before, word, behind)
            || says_another(word, behind)
            || names_more(hit.relative, word, behind)
            || is_of_another(hit.relative, before, word)
            || names_its_day(free)
            || is_told_behind(rest)
            || is_anothers(text, hit.range.start, free)
            || earlier.is_some() && is_said(before) && same_from_there() != Some(true)
            || moment.is_some_and(|moment| !beside::agrees(text, &hit.range, hit.relative, moment))
            || moment.is_some_and(|moment| is_of_another_tense(hit.relative, before, behind, moment))
        {
            hits[at].0.certain = false;
        }
    }
}

/// Three weeks ago on |Tuesday is not the nearest one; she said the train leaves |in an hour. `earlier`: the hits before it.
fn is_of_another_time<L>(earlier: &[(TimeWord, L)], hit: &TimeWord, before: &str) -> bool {
    let is_time = |other: &Relative| other.is_date() || *other == Relative::Vague;
    let from = hit.range.start - before.len();
    match hit.relative {
        Relative::Minutes(1..) => point_of_view::says_that(before),
        Relative::Nearest(by, _) => {
            // From tomorrow until |Thursday; tomorrow and |Friday.
            let joined =
                ["until ", "till ", "and ", "and on ", "to "].iter().any(|word| before.ends_with(word));
            let of_day = |other: &Relative| matches!(other, Relative::Day(_) | Relative::DayPart(..));
            by > 0 && point_of_view::says_that(before)
                || MONTHS.iter().any(|month| before.contains(month))
                || earlier.iter().any(|(other, _)| {
                    other.range.start >= from
                        && is_time(&other.relative)
                        && !(by > 0 && joined && of_day(&other.relative))
                })
        }
        _ => false,
    }
}

/// Whether a day or month of now has passed and the sentence tells what will be, or the other way round: This Monday we will meet.
fn is_of_another_tense(relative: Relative, before: &str, behind: &str, moment: &Moment) -> bool {
    let named = matches!(relative, Relative::Weekday(0, _) | Relative::NamedMonth(0, _));
    let Some((first, last)) = moment.span(relative).filter(|_| named) else { return false };
    let near = behind.char_indices().nth(40).map_or(behind, |(at, _)| &behind[..at]);
    let says = |any: &[&str]| {
        [before, near]
            .iter()
            .any(|text| text.split(|c: char| !c.is_ascii_alphabetic()).any(|word| any.contains(&word)))
    };
    // What was moved may be moved to this Friday.
    let past = ["met", "came", "went", "happened"];
    last < moment.date() && says(&["will", "ll", "shall"]) || first > moment.date() && says(&past)
}

/// The last time among earlier hits of the sentence that begins at this place which is no part of the day of now.
fn earlier_time<L>(hits: &[(TimeWord, L)], from: usize) -> Option<&TimeWord> {
    use Relative::{Day, DayPart, Minutes};
    let of_sentence = hits.iter().rev().take_while(|(hit, _)| hit.range.start >= from).map(|(hit, _)| hit);
    let mut others = of_sentence
        .filter(|hit| hit.relative.is_date() && !matches!(hit.relative, Day(0) | DayPart(0, _) | Minutes(_)));
    others.next()
}

/// Whether two times with this between them are one: 上月今日, 下个月的今天, two years ago tomorrow.
fn are_one(between: &str) -> bool {
    matches!(between, "" | "的" | " ")
}

/// The text before a place in its sentence, as far as it is near.
pub(super) fn sentence_before(text: &str, at: usize) -> &str {
    let before = &text[..at];
    let from = before.char_indices().rev().nth(NEAR_CHARS).map_or(0, |(at, _)| at);
    let near = &before[from..];
    // The point of Mr. ends none.
    let title =
        |at: usize| ["Mr", "Mrs", "Ms", "Dr", "Prof", "St"].iter().any(|title| near[..at].ends_with(title));
    let is_end = |at: usize, c: char| {
        "。！？!?\n；;".contains(c) || c == '.' && near[at + 1..].starts_with([' ', '\n']) && !title(at)
    };
    let end = near.char_indices().rev().find(|(at, c)| is_end(*at, *c));
    end.map_or(near, |(at, c)| &near[at + c.len_utf8()..])
}

/// The text behind a place in its sentence, as far as it is near.
fn sentence_behind(text: &str, at: usize) -> &str {
    let behind = &text[at..];
    let near = behind.char_indices().nth(NEAR_CHARS).map_or(behind, |(at, _)| &behind[..at]);
    let is_end = |at: usize, c: char| {
        "。！？!?\n；;".contains(c) || c == '.' && near[at + 1..].starts_with([' ', '\n'])
    };
    let end = near.char_indices().find(|(at, c)| is_end(*at, *c));
    end.map_or(near, |(at, _)| &near[..at])
}

/// Whether a time is counted: so many units from now.
fn counts(word: &str) -> bool {
    let first = word.chars().next().unwrap_or(' ');
    let english = ["ago", "back", "now", "today", "tomorrow", "time"].iter().any(|end| word.ends_with(end));
    let words = word.split_ascii_whitespace().count() > 2;
    (first.is_ascii_digit() || english) && words
        || !word.is_ascii() && (first.is_ascii_digit() || NUMERALS.contains(first))
}

const NUMERALS: &str = "零一二两三四五六七八九十百千半几俩仨";
const UNITS: [&str; 15] =
    ["个月", "月", "年", "天", "日", "周", "星期", "礼拜", "小时", "钟头", "分钟", "季度", "个", "零", "又"];
const ENGLISH_UNITS: [&str; 9] =
    ["second", "minute", "hour", "day", "week", "fortnight", "month", "quarter", "year"];

/// Whether a larger part of the same span stands before it: 两年|三个月前, two years and|three months ago.
fn goes_on(before: &str) -> bool {
    let joined = before.trim_end().trim_end_matches(['零', '又', '加', '和']);
    let unit = UNITS.iter().find_map(|unit| joined.strip_suffix(unit));
    let counts = |rest: &str| rest.strip_suffix('个').unwrap_or(rest).trim_end().ends_with(is_number);
    if unit.is_some_and(counts) {
        return true;
    }
    let mut words = before.trim_end().rsplit([' ', ',']).filter(|word| !word.is_empty());
    let last = words.next().unwrap_or("");
    let unit = if matches!(last, "and" | "plus") { words.next().unwrap_or("") } else { last };
    let one = unit.strip_suffix('s').unwrap_or(unit).to_ascii_lowercase();
    let ends = before.ends_with(' ') || before.ends_with('-');
    ends && ENGLISH_UNITS.contains(&one.as_str()) && words.next().is_some_and(is_english_number)
}

/// Whether the lower end of a range stands before it: 3到|5天前, two or|three days ago.
fn is_range(before: &str) -> bool {
    let bare = before.trim_end();
    if let Some(rest) = bare.strip_suffix(['到', '至', '~', '～', '–', '—', '－', '或', '-']) {
        return rest.trim_end().ends_with(is_number);
    }
    let mut words = bare.rsplit(' ');
    matches!(words.next(), Some("or" | "to")) && words.next().is_some_and(is_english_number)
}

/// Whether a sign or the beginning of a longer number stands before it: ~3 days, ≥3 days, 1 000 days, 三、|四天前.
fn is_inexact(before: &str, word: &str) -> bool {
    let bare = before.trim_end();
    let listed = bare.strip_suffix('、').is_some_and(|rest| rest.ends_with(|c: char| NUMERALS.contains(c)));
    listed
        || bare.ends_with(['~', '～', '≈', '≥', '≤', '<', '>', '±', '+', '(', '（'])
        || bare.ends_with(|c: char| c.is_ascii_digit()) && word.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether words beside it make another number of it, or take its last character: a hundred and|one days ago, in a week|or two, the first and|third
/// Monday of next month, 距今|三年前, 下周三|小时.
fn is_part_of_a_number(before: &str, word: &str, behind: &str) -> bool {
    const MORE: [&str; 8] =
        [" or two", " or three", " or four", " or so", " or more", " and a half", " or thereabouts", "-ish"];
    const LARGE: [&str; 6] = ["hundred", "thousand", "million", "dozen", "score", "dozens"];
    const ORDINALS: [&str; 6] = ["first", "second", "third", "fourth", "last", "next"];
    const COUNTED: [&str; 28] = [
        "小时",
        "年级",
        "波",
        "审",
        "批",
        "轮",
        "分钟",
        "季度",
        "方",
        "中开",
        "中学",
        "中高",
        "中的",
        "中校",
        "中和",
        "中与",
        "二中",
        "三中",
        "星级",
        "号线",
        "线城市",
        "福珠宝",
        "名",
        "位",
        "部曲",
        "部委",
        "楼",
        "期",
    ];
    if word.is_ascii() {
        let said = before.trim_end().to_ascii_lowercase();
        let bare = said.strip_suffix(" and").or_else(|| said.strip_suffix(" to")).unwrap_or(&said);
        let last = bare.rsplit([' ', '-']).next().unwrap_or_default();
        return MORE.iter().any(|more| behind.starts_with(more))
            || LARGE.contains(&last)
            || bare.len() < said.len() && ORDINALS.contains(&last);
    }
    let is_weekday = ["周", "星期", "礼拜"].iter().any(|week| {
        let (_, day) = word.rsplit_once(week).unwrap_or_default();
        day.chars().count() == 1 && day.starts_with(['一', '二', '三', '四', '五', '六'])
    });
    before.ends_with("距今") || is_weekday && COUNTED.iter().any(|what| behind.starts_with(what))
}

/// Whether the sentence supposes it: 如果三天前没有备份.
fn is_supposed(before: &str) -> bool {
    let first = before.trim_start_matches([' ', '-', '*']);
    ["如果", "若", "假如", "一旦", "要是", "If ", "if ", "When "].iter().any(|word| first.starts_with(word))
}

/// Whether another time stands behind it that makes one of both: two weeks ago|Monday, last Tuesday|or Wednesday.
fn says_another(word: &str, behind: &str) -> bool {
    const TIMES: [&str; 13] = [
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "last",
        "next",
        "this",
        "today",
        "yesterday",
        "tomorrow",
    ];
    if !word.is_ascii() {
        return false;
    }
    let Some(rest) = behind.strip_prefix(' ') else { return false };
    let rest = rest.strip_prefix("or ").unwrap_or(rest);
    let next = rest.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    TIMES.iter().any(|time| next.eq_ignore_ascii_case(time))
}

/// Whether what stands behind a day names another one with it, or another time: 上周二和|周四, 下周一|、三、五, 今晚|0点 (which is the next
/// day), 后天|这部电影.
fn names_more(relative: Relative, word: &str, behind: &str) -> bool {
    use Relative::{Day, DayOfWeek, DayPart, Nearest, Weekday};
    const DAYS: [char; 8] = ['一', '二', '三', '四', '五', '六', '日', '天'];
    // 三周前的|周二 is a day of that week; yesterday|week, Friday|week are a week further.
    let of_that = behind.strip_prefix('的').unwrap_or(behind);
    let weekday = ["周", "星期", "礼拜"].iter().find_map(|week| of_that.strip_prefix(week));
    let week_before = behind.strip_prefix(" week").is_some_and(|rest| !rest.starts_with(char::is_alphabetic));
    let is_called = ["这部", "这首", "这本", "这篇", "这个词", "一词", "二字", "两个字", "这两个字"];
    if week_before
        || counts(word) && weekday.is_some_and(|rest| rest.starts_with(DAYS))
        || is_called.iter().any(|called| behind.starts_with(called))
    {
        return true;
    }
    match relative {
        Weekday(..) | DayOfWeek(..) | Nearest(..) => {
            let joined = ["、", "和", "至", "到", "及", "与", "跟", "~", "-", "—"];
            let next = joined.iter().find_map(|word| behind.strip_prefix(word));
            let next = next.map(|next| next.trim_start_matches(['周', '星', '期', '礼', '拜']));
            let counts = |rest: &str| {
                rest.starts_with(['个', '人', '次', '天', '点', '十', '百', '位', '条', '月', '楼'])
            };
            let names_a_day = next.and_then(|next| next.strip_prefix(DAYS)).is_some_and(|rest| !counts(rest));
            let rest = behind.trim_start();
            let english = ["and ", "to ", "through "].iter().find_map(|word| rest.strip_prefix(word));
            let english = english.is_some_and(|rest| {
                let word = rest.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
                WEEKDAYS.contains(&word.to_ascii_lowercase().as_str())
            });
            names_a_day || english
        }
        // 前天|晚上十二点, 昨天|夜里两点 are of the next day.
        Day(_) => ["晚上", "夜里", "深夜", "半夜", "后半夜", "夜间"]
            .iter()
            .find_map(|night| behind.strip_prefix(night))
            .is_some_and(is_past_midnight),
        DayPart(_, "晚上" | "夜里" | "the evening of" | "the night of") => is_past_midnight(behind),
        _ => false,
    }
}

/// Whether an hour behind an evening is one of the next day: 今晚|0点, tonight| at 1am.
fn is_past_midnight(behind: &str) -> bool {
    const NIGHT: [&str; 17] = [
        "0点",
        "0:",
        "00:",
        "1点",
        "2点",
        "3点",
        "4点",
        "零点",
        "一点",
        "二点",
        "两点",
        "三点",
        "四点",
        "凌晨",
        "半夜",
        "12点",
        "十二点",
    ];
    let bare = behind.trim_start();
    let hour = ["at ", "around ", "about ", "by "].iter().find_map(|at| bare.strip_prefix(at));
    let english = hour.is_some_and(|hour| {
        let digits = hour.bytes().take_while(u8::is_ascii_digit).count();
        let early = matches!(hour[..digits].parse(), Ok(0..=5_u32) | Ok(12));
        hour.starts_with("midnight")
            || early && !hour[digits..].trim_start().to_ascii_lowercase().starts_with("pm")
    });
    english || NIGHT.iter().any(|word| bare.starts_with(word))
}

/// Whether a word is a part of a path, an address, a file's name or a command: C:\昨天\a, 昨天.md, `date -d yesterday`.
fn is_in_a_name(before: &str, behind: &str) -> bool {
    let extension = |rest: &str| {
        let letters = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        (2..=4).contains(&letters) && !rest[..letters].bytes().any(|b| b.is_ascii_uppercase())
    };
    // `_today_` is emphasis, 昨天_备份 a name.
    let goes_on = before.strip_suffix('_').is_some_and(|rest| rest.ends_with(char::is_alphanumeric))
        || behind.strip_prefix('_').is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
    goes_on
        || before.ends_with(['\\', '@'])
        || before.ends_with(" -d ")
        || behind.starts_with(['\\', '@'])
        || behind.strip_prefix('.').is_some_and(extension)
}

/// Whether what stands before a time counts it from another one: 再|下个月, 两个月后的|今天.
fn is_of_another(relative: Relative, before: &str, word: &str) -> bool {
    let from = ["后的", "前的"].iter().find_map(|word| before.strip_suffix(word));
    let counted = from
        .is_some_and(|rest| rest.ends_with(['以', '之']) || UNITS.iter().any(|unit| rest.ends_with(unit)));
    let lower = before.to_ascii_lowercase();
    // Next to last week is the one before; Monday to Friday last week are five days.
    let weekday =
        ["to ", "and ", "or "].iter().find_map(|word| lower.strip_suffix(word)).is_some_and(|rest| {
            let word = rest.trim_end().rsplit(' ').next().unwrap_or_default();
            WEEKDAYS.contains(&word)
        });
    let more = lower.ends_with("next to ")
        || weekday && matches!(relative, Relative::Week(_) | Relative::DayOfWeek(..));
    // 上|上上周, 大|上周三; the week after|next week; this day|last year; Monday|two weeks ago.
    let longer = before.ends_with(['上', '下', '大']) && word.starts_with(['上', '下']);
    let period = ["after ", "before "].iter().find_map(|word| lower.strip_suffix(word)).unwrap_or_default();
    let behind_one =
        ["week ", "weekend ", "month ", "quarter ", "year "].iter().any(|unit| period.ends_with(unit));
    let same =
        ["this day ", "same day ", "this time ", "same time "].iter().any(|words| lower.ends_with(words));
    let last = lower.trim_end().rsplit(' ').next().unwrap_or_default();
    let of_a_weekday = counts(word) && lower.ends_with(' ') && WEEKDAYS.contains(&last);
    // A week|last Friday, two weeks|yesterday.
    let is_day = matches!(relative, Relative::Day(_) | Relative::Weekday(..));
    let unit = last.strip_suffix('s').unwrap_or(last);
    let further = is_day && ENGLISH_UNITS[3..].contains(&unit) && {
        let amount = lower.trim_end().rsplit(' ').nth(1).unwrap_or_default();
        is_english_number(amount)
    };
    if longer || behind_one || same || of_a_weekday || further {
        return true;
    }
    counted && matches!(relative, Relative::Day(_))
        || before.ends_with('再')
        || before.ends_with("年的") && matches!(relative, Relative::Year(_) | Relative::SameDay(_))
        || more && !matches!(relative, Relative::Minutes(_))
}

fn is_number(c: char) -> bool {
    is_digit(c) || NUMERALS.contains(c)
}

/// A digit, of full width as well: １９９８年１月.
pub(super) fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || ('０'..='９').contains(&c)
}

fn is_english_number(word: &str) -> bool {
    const NUMBERS: [&str; 26] = [
        "a", "an", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "eighteen", "twenty", "thirty", "forty",
        "fifty", "half", "couple", "few",
    ];
    let word = word.trim_start_matches(['(', '"', '*', '-']).to_ascii_lowercase();
    word.starts_with(|c: char| c.is_ascii_digit())
        || NUMBERS.contains(&word.as_str())
        || word.split('-').next().is_some_and(|ten| NUMBERS.contains(&ten) && word.contains('-'))
}

/// Whether a time ahead is counted from a term that the sentence names: 有效期30天，|30天后失效.
fn follows_a_term(before: &str, word: &str) -> bool {
    let ahead = word.ends_with('后');
    let clause = before.trim_end_matches(['，', ',', ' ']);
    ahead
        && clause.len() < before.len()
        && ["天", "日", "月", "年", "期", "后", "起", "次"].iter().any(|term| clause.contains(term))
}

/// Whether the sentence names the day or the year it is told of: "2026-05-01: we lost the disk |yesterday".
fn names_its_day(before: &str) -> bool {
    const ANOTHER: [&str; 24] = [
        "that week",
        "that month",
        "that year",
        "the previous day",
        "the following week",
        "the next week",
        "by the time",
        "那一周",
        "那个月",
        "那年",
        "前一天",
        "后一天",
        "the next day",
        "the next morning",
        "the following day",
        "the day after that",
        "that day",
        "that morning",
        "that night",
        "第二天",
        "次日",
        "翌日",
        "那天",
        "当天",
    ];
    let lower = before.to_ascii_lowercase();
    ANOTHER.iter().any(|word| lower.contains(word)) || has_a_date(before) || begins_with_a_year(before)
}

/// 2026-05-01, 2026年5月1日, 5月1日.
pub(super) fn has_a_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let iso = bytes.windows(10).any(|part| {
        part.iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => matches!(byte, b'-' | b'/' | b'.') && part[4] == part[7],
            _ => byte.is_ascii_digit(),
        })
    });
    let of_a_month = text.match_indices('月').any(|(at, month)| {
        let day: String =
            text[at + month.len()..].chars().take_while(|c| is_number(*c) || *c == ' ').collect();
        let behind = &text[at + month.len() + day.len()..];
        !day.trim().is_empty()
            && behind.starts_with(['日', '号'])
            && text[..at].trim_end().ends_with(is_number)
    });
    iso || of_a_month || has_an_english_date(text)
}

/// November 20, 20 Nov.
fn has_an_english_date(text: &str) -> bool {
    let words: Vec<&str> =
        text.split([' ', ',', '.', ':', '(', ')']).filter(|word| !word.is_empty()).collect();
    let is_month = |word: &str| {
        let is = |name: &str| word.eq_ignore_ascii_case(name);
        word.starts_with(|c: char| c.is_ascii_uppercase())
            && (is("sept") || MONTHS.iter().any(|month| is(month) || is(&month[..3])))
    };
    let is_day = |word: &str| {
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        let rest = &word[digits..];
        matches!(word[..digits].parse(), Ok(1..=31_u32)) && matches!(rest, "" | "st" | "nd" | "rd" | "th")
    };
    words.windows(2).any(|pair| is_month(pair[0]) && is_day(pair[1]) || is_day(pair[0]) && is_month(pair[1]))
}

/// In 2019, last year …; 1998年，三年前 ….
fn begins_with_a_year(before: &str) -> bool {
    let bare = before.trim_start_matches([' ', '-', '*', '>', '#']);
    let named = ["在", "于", "截至", "到", "In ", "in ", "As of ", "By ", "Since ", "During "]
        .iter()
        .find_map(|word| bare.strip_prefix(word));
    let bare = named.unwrap_or(bare);
    let digits = bare.chars().take_while(|c| is_digit(*c)).count();
    let behind = bare.trim_start_matches(is_digit).trim_start();
    digits == 4
        && (behind.starts_with(['年', ',', '，', ':', '：'])
            || named.is_some() && behind.starts_with(|c: char| c.is_ascii_alphabetic()))
}

#[cfg(test)]
mod tests {
    use super::super::parted;
    use super::*;

    #[test]
    fn a_number_goes_on_beside_a_time() {
        for sentence in [
            "we meet |in a week| or two",
            "A hundred and |one days ago|",
            "One hundred |twenty days ago|",
            "the first and |third Monday of next month|",
            "The second to |last Friday of last month|",
            "距今|三年前|成立",
            "|下周三|小时培训",
            "|下周一|年级考试",
        ] {
            assert!(is_part(sentence), "{sentence}");
        }
        for sentence in [
            "we met |a week ago| or at",
            "today and |next Monday|",
            "|下周三|中午",
            "|下周五|部门会议",
            "大约|三年前|成立",
        ] {
            assert!(!is_part(sentence), "{sentence}");
        }
    }

    fn is_part(sentence: &str) -> bool {
        let [before, word, behind] = parted(sentence);
        is_part_of_a_number(before, word, behind)
    }

    #[test]
    fn what_stands_before_a_counted_time() {
        for before in
            ["两年", "三年零", "一年零", "Two years and ", "A year and ", "3 days and ", "2 years, "]
        {
            assert!(goes_on(before), "{before}");
        }
        for before in ["今年", "", "用户", "this year and ", "The days "] {
            assert!(!goes_on(before), "{before}");
        }
        for before in ["3到", "2–", "Two or ", "Three to "] {
            assert!(is_range(before), "{before}");
        }
        assert!(!is_range("去了") && !is_range("came to ") && !is_range("走到"));
    }

    #[test]
    fn what_is_no_single_event() {
        assert!(
            is_inexact("~", "3 days ago")
                && is_inexact("1 ", "000 days ago")
                && !is_inexact("moved to 17 ", "five months ago")
                && is_inexact("三、", "四天前")
                && !is_inexact("1、", "三天前")
                && !is_inexact("the ", "3 days ago")
        );
        assert!(says_another("two weeks ago", " Monday") && says_another("last Tuesday", " or Wednesday"));
        assert!(!says_another("去年", " last"));
        assert!(!says_another("two weeks ago", " we moved"));
    }

    #[test]
    fn a_sentence_that_names_its_day() {
        for before in [
            "2026-05-01: ",
            "会议纪要（2026-05-01）：",
            "2026年5月1日的邮件说",
            "他在5月1日说",
            "在2019年，",
            "1998年，",
        ] {
            assert!(names_its_day(before), "{before}");
        }
        for before in ["", "用户 1990 年生，", "六月的", "version 1.2.3 was built ", "每月的"] {
            assert!(!names_its_day(before), "{before}");
        }
    }
}
