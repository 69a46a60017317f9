//! Whose now a time is counted from. Where a sentence tells what somebody said on another day, or a line is headed by its day, "yesterday"
//! is not the day before this moment: such times are only marked.

use super::doubt::has_a_date;
use super::english::{MONTHS, WEEKDAYS};

/// Words of saying, behind another time in the same sentence: On Monday she said |yesterday was fine.
const SAID: [&str; 22] = [
    "said",
    "says",
    "say",
    "saying",
    "wrote",
    "writes",
    "writing",
    "told",
    "tells",
    "mail",
    "email",
    "emailed",
    "mailed",
    "called",
    "announced",
    "announces",
    "reported",
    "reports",
    "decided",
    "promised",
    "asked",
    "claimed",
];
const SAID_IN_CHINESE: [&str; 16] = [
    "说",
    "讲",
    "写",
    "提到",
    "告诉",
    "答应",
    "承诺",
    "宣布",
    "报告",
    "通知",
    "会上",
    "邮件",
    "日报",
    "周报",
    "计划里",
    "群里",
];
/// Times of another moment, in small letters.
const ANOTHER_TIME: [&str; 14] = [
    "yesterday",
    "last ",
    "next ",
    " ago",
    "back in ",
    "at the time of",
    "at that time",
    "back then",
    "昨",
    "前天",
    "上周",
    "上个",
    "上月",
    "去年",
];
/// How far the head of a line counts, in bytes. The bound keeps a long line full of times linear.
const LINE_BYTES_MAX: usize = 600;
const WEEK: [&str; 3] = ["周", "星期", "礼拜"];
const DAYS: [char; 8] = ['一', '二', '三', '四', '五', '六', '日', '天'];

/// Whether a time at this place is counted from somebody else's moment. `before`: what stands before it in its sentence.
pub(super) fn is_anothers(text: &str, at: usize, before: &str) -> bool {
    line_before(text, at).is_some_and(is_headed_by_its_day)
        || is_told_on_another_day(before)
        || is_in_single_quotes(before)
}

/// What stands before a place in its line; `None` where the line begins too far away for its head to be meant.
fn line_before(text: &str, at: usize) -> Option<&str> {
    let from = (at.saturating_sub(LINE_BYTES_MAX)..=at).find(|from| text.is_char_boundary(*from))?;
    match text[from..at].rfind('\n') {
        Some(end) => Some(&text[from + end + 1..at]),
        None => (from == 0).then_some(&text[..at]),
    }
}

/// `10/02 the disk failed`, `【11-20】昨天`, `Mon: today we …`, `周一：今天`, `Mei (Tuesday): …`.
fn is_headed_by_its_day(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '-', '*', '>', '#', '[', '【', '(', '（']);
    let near: String = line.chars().take(40).collect();
    let digits = near.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &near[digits..];
    let second =
        rest.strip_prefix(['/', '-', '.']).map(|rest| rest.bytes().take_while(u8::is_ascii_digit).count());
    if (1..=2).contains(&digits) && second.is_some_and(|digits| (1..=2).contains(&digits)) {
        let after = &rest[1 + second.unwrap_or_default()..];
        // 3/4 of the disks is no day.
        return !after.starts_with(|c: char| c.is_ascii_digit() || ".%/".contains(c))
            && !after.starts_with(" of ");
    }
    let Some((head, _)) = near.split_once([':', '：', '】', '—', '–']).or_else(|| near.split_once(" - "))
    else {
        return false;
    };
    has_a_date(head)
        || head.split(|c: char| !c.is_ascii_alphabetic()).any(is_a_weekday)
        || names_a_weekday(head)
}

/// Whether another time and a word of saying stand before it, or it is told as of another time.
fn is_told_on_another_day(before: &str) -> bool {
    let lower = before.to_ascii_lowercase();
    let words: Vec<&str> =
        before.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty()).collect();
    let is_said = words.iter().any(|word| SAID.contains(&word.to_ascii_lowercase().as_str()))
        || SAID_IN_CHINESE.iter().any(|said| before.contains(said));
    let another = ANOTHER_TIME.iter().any(|time| lower.contains(time))
        || words.iter().any(|word| is_a_weekday(word))
        || names_a_weekday(before)
        || has_a_year(before);
    let of_a_month = words.windows(2).any(|pair| {
        let leads =
            ["in", "the", "of", "since", "by", "from"].contains(&pair[0].to_ascii_lowercase().as_str());
        leads && is_a_month(pair[1])
    });
    is_said && another || of_a_month || lower.contains("at the time of") || lower.contains("back then")
}

fn is_a_weekday(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let whole = WEEKDAYS.contains(&lower.as_str());
    whole
        || word.len() == 3
            && word.starts_with(char::is_uppercase)
            && WEEKDAYS.iter().any(|day| day.starts_with(&lower))
}

fn is_a_month(word: &str) -> bool {
    word.starts_with(char::is_uppercase) && MONTHS.iter().any(|month| word.eq_ignore_ascii_case(month))
}

/// 周一, 星期三.
fn names_a_weekday(text: &str) -> bool {
    let day =
        |week: &&str| text.match_indices(*week).any(|(at, week)| text[at + week.len()..].starts_with(DAYS));
    WEEK.iter().any(day)
}

/// A year by its four digits.
fn has_a_year(text: &str) -> bool {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit());
    numbers.any(|number| number.len() == 4 && (number.starts_with("19") || number.starts_with("20")))
}

/// Yesterday she said 'I'll call |tomorrow'.
fn is_in_single_quotes(before: &str) -> bool {
    let mut open = false;
    let mut last = ' ';
    for (at, c) in before.char_indices() {
        if matches!(c, '\'' | '‘' | '’') {
            let next = before[at + c.len_utf8()..].chars().next().unwrap_or(' ');
            if !open && !last.is_alphanumeric() && next.is_alphanumeric() {
                open = true;
            } else if open && !next.is_alphanumeric() {
                open = false;
            }
        }
        last = c;
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_end(before: &str) -> bool {
        is_anothers(before, before.len(), before)
    }

    #[test]
    fn what_is_told_on_another_day_is_counted_from_there() {
        for before in [
            "周一他说",
            "上个月的会上说",
            "On Monday she said ",
            "Mei wrote on Tuesday: the disk failed ",
            "The plan from last year says ",
            "The 2024 plan says ",
            "Back in March we decided that the launch is ",
            "At the time of the incident, ",
            "10/02 the disk failed ",
            "【11-20】",
            "- Mon: ",
            "周一：",
            "Mei (Tuesday): the disk failed ",
            "Yesterday she said 'I'll call ",
        ] {
            assert!(at_end(before), "{before}");
        }
    }

    #[test]
    fn what_is_told_now_is_counted_from_now() {
        for before in [
            "他说",
            "She said ",
            "I don't know what happened ",
            "We meet on Monday, after the release of ",
            "Note: ",
            "3/4 of the disks failed ",
            "It's John's, since ",
            "备注：",
        ] {
            assert!(!at_end(before), "{before}");
        }
    }
}
