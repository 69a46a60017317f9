//! Text that stands under a day: that of a heading, of a line's beginning or end, of a mail, of a chat. What it says of "tomorrow" is
//! counted from there, so where that is not the day on which it is declared, such times are only marked.

use super::Moment;
use super::english::MONTHS;
use super::point_of_view::dateline;
use chrono::Datelike;
use std::ops::Range;

/// How far into its line a day may begin, in bytes, and how far from its end.
const HEAD_BYTES_MAX: usize = 60;
const TAIL_BYTES_MAX: usize = 60;
/// Words that may stand before the day of a head: `Log of 20 Nov.`, `Standup 20.11.2026`.
const LABEL_WORDS_MAX: usize = 4;

/// The parts of a text that stand under another day than that of the moment, in bytes, in order.
pub(super) fn ranges(text: &str, headings: &[String], moment: &Moment) -> Vec<Range<usize>> {
    let is_other = |day: &WrittenDay| !day.is(moment);
    if headings.iter().filter_map(|heading| first_day(heading)).any(|(_, day)| is_other(&day)) {
        return std::iter::once(0..text.len()).collect();
    }
    let mut found = Vec::new();
    let mut above: Option<Above> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (from, to) = (at, at + line.len());
        at = to;
        let bare = line.trim_start_matches([' ', '\t', '>']);
        let indent = line.len() - bare.len();
        let is_bold = bare.starts_with("**") && line.trim_end().ends_with("**");
        if bare.starts_with('#') || is_bold || line.trim().is_empty() {
            if !line.trim().is_empty() {
                // It stands under the head before it itself.
                if matches!(above, Some(Above::Everything)) {
                    found.push(from..to);
                }
                above = first_day(bare).filter(|(_, day)| is_other(day)).map(|_| Above::Everything);
            }
            continue;
        }
        // What a report goes on with is of the day of its first line.
        if dateline(line.trim()).is_some() {
            above = Some(Above::Everything);
            continue;
        }
        match head(line) {
            Some((end, day)) if is_other(&day) => {
                found.push(from + end..to);
                let is_alone = !line[end..].contains(char::is_alphabetic);
                let in_list = bare.starts_with(['-', '*', '+']);
                above = Some(if is_alone && !in_list { Above::Everything } else { Above::Deeper(indent) });
                continue;
            }
            Some(_) => above = None,
            None => {}
        }
        let is_below = match above {
            Some(Above::Everything) => true,
            Some(Above::Deeper(outer)) => indent > outer,
            None => false,
        };
        if is_below {
            found.push(from..to);
        } else {
            if matches!(above, Some(Above::Deeper(_))) {
                above = None;
            }
            if tail(line).is_some_and(|day| is_other(&day)) {
                found.push(from..to);
            }
        }
    }
    found
}

/// What a head counts for.
#[derive(Clone, Copy)]
enum Above {
    /// All lines below it, to the next head.
    Everything,
    /// Lines that are indented deeper than this.
    Deeper(usize),
}

/// A day as it is written; of `3/4/26` nobody knows which is the month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct WrittenDay {
    year: Option<i32>,
    month: Option<u32>,
    day: u32,
    either: bool,
}

impl WrittenDay {
    fn is(&self, moment: &Moment) -> bool {
        let today = moment.date();
        let is = |month: Option<u32>, day: u32| {
            day == today.day() && month.is_none_or(|month| month == today.month())
        };
        let year = self.year.is_none_or(|year| year == today.year() || year == today.year() % 100);
        year && (is(self.month, self.day)
            || self.either && self.month.is_some_and(|day| is(Some(self.day), day)))
    }
}

/// The day that a line begins with, and where it ends: `20.11.2026 …`, `- 2026-11-20`, `Wednesday, 20 November 2026. …`, `Log of 20
/// Nov. …`, `Date: Fri, 20 Nov 2026 10:00`, `[11/20/26, 10:03] Alice: …`, `20号：…`.
fn head(line: &str) -> Option<(usize, WrittenDay)> {
    let (range, day) = first_day(line).filter(|(range, _)| range.start <= HEAD_BYTES_MAX)?;
    let marks = |c: char| c.is_whitespace() || "-*+>#[(【（_|,:：,".contains(c);
    let is_weekday = |word: &str| {
        let lower = word.trim_end_matches('.').to_ascii_lowercase();
        super::english::WEEKDAYS
            .iter()
            .any(|day| *day == lower || lower.len() == 3 && day.starts_with(&lower))
    };
    let before: Vec<&str> = line[..range.start].split(marks).filter(|word| !word.is_empty()).collect();
    let begins =
        before.iter().all(|word| is_weekday(word) || matches!(*word, "Date" | "Sent" | "日期" | "时间"));
    let behind = without_time(line[range.end..].trim_start_matches([')', ']', '）', '】', '*', '_']));
    let ends = behind.trim().is_empty()
        || [". ", ":", "：", "。", "—", "–", "-- ", " - ", " – ", " — ", " -- ", "]", ")", "】", "|", ".\n"]
            .iter()
            .any(|end| {
                behind.starts_with(end) || behind.trim_start_matches([')', ']', ' ']).starts_with(end)
            });
    // A label is no sentence: nothing of it is said before the day.
    let label = &line[..range.start];
    let is_sentence = label.contains(['，', '。', '—', '–']) || label.contains(" -- ");
    let is_label = before.len() <= LABEL_WORDS_MAX && range.start <= 30 && !is_sentence;
    (begins && (!before.is_empty() || range.start < 8) || is_label && ends).then_some((range.end, day))
}

/// Behind a day its time: ` 10:03`, `, 10:03:22`, ` 10:00:00 +0100`.
fn without_time(text: &str) -> &str {
    let rest = text.trim_start_matches([' ', ',', 'T']);
    let time = rest.bytes().take_while(|b| b.is_ascii_digit() || matches!(b, b':' | b'+' | b' ')).count();
    if rest[..time].contains(':') && rest.starts_with(|c: char| c.is_ascii_digit()) {
        &rest[time..]
    } else {
        text
    }
}

/// The day that a line names at its end as that on which it was said: `… tomorrow -- Alice, Nov 20`, `明天部署——小王，11月20日`.
fn tail(line: &str) -> Option<WrittenDay> {
    let end = super::last_bytes(line.trim_end(), TAIL_BYTES_MAX);
    let at =
        [" -- ", " — ", " – ", "——"].iter().filter_map(|dash| Some(end.rfind(dash)? + dash.len())).max()?;
    let (range, day) = first_day(&end[at..])?;
    let behind = &end[at + range.end..];
    (!behind.contains(char::is_alphanumeric)).then_some(day)
}

/// The first day in a text that is named by its month or as a calendar writes it, and where it stands.
fn first_day(text: &str) -> Option<(Range<usize>, WrittenDay)> {
    let mut last_ended = true;
    for (at, c) in text.char_indices() {
        if last_ended && (c.is_ascii_digit() || c.is_ascii_uppercase()) {
            let rest = &text[at..];
            let found = by_numbers(rest).or_else(|| in_english(rest)).or_else(|| in_chinese(rest));
            if let Some((length, day)) = found {
                return Some((at..at + length, day));
            }
        }
        last_ended = !c.is_ascii_alphanumeric();
        if at > 4 * HEAD_BYTES_MAX {
            break;
        }
    }
    None
}

fn number(text: &str) -> (u32, usize) {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    (text[..digits].parse().unwrap_or(0), digits)
}

/// `2026-11-20`, `20.11.2026`, `11/20/26`, `20.11.`, `20261120`.
fn by_numbers(text: &str) -> Option<(usize, WrittenDay)> {
    let (first, digits) = number(text);
    let ends = |length: usize| !text[length..].starts_with(|c: char| c.is_ascii_alphanumeric());
    let year_of = |year: u32| i32::try_from(year).ok();
    let good = |month: u32, day: u32| (1..=12).contains(&month) && (1..=31).contains(&day);
    if digits == 8 && ends(8) && (1990..=2100).contains(&(first / 10_000)) {
        let (month, day) = (first / 100 % 100, first % 100);
        return good(month, day).then_some((
            8,
            WrittenDay { year: year_of(first / 10_000), month: Some(month), day, either: false },
        ));
    }
    let sign = text[digits..].chars().next().filter(|c| matches!(c, '-' | '.' | '/'))?;
    let (second, more) = number(&text[digits + 1..]);
    let to_second = digits + 1 + more;
    let third = text[to_second..].strip_prefix(sign).map(number);
    match (digits, more, third) {
        (4, 1..=2, Some((day, width @ 1..=2))) if good(second, day) && ends(to_second + 1 + width) => {
            let day = WrittenDay { year: year_of(first), month: Some(second), day, either: false };
            Some((to_second + 1 + width, day))
        }
        (1..=2, 1..=2, Some((year, width @ (2 | 4)))) if ends(to_second + 1 + width) => {
            // 10.0.2024 is a version, 1.2.34 as well.
            let both = good(second, first) || good(first, second);
            let dotted = sign != '.' || width == 4 && more == 2;
            let (month, day) = if good(second, first) { (second, first) } else { (first, second) };
            (both && dotted).then_some((
                to_second + 1 + width,
                WrittenDay { year: year_of(year), month: Some(month), day, either: true },
            ))
        }
        // 20.11.: …
        (1..=2, 2, Some((_, 0)))
            if sign == '.' && good(second, first) && text[to_second + 1..].starts_with([':', ' ']) =>
        {
            Some((to_second + 1, WrittenDay { year: None, month: Some(second), day: first, either: false }))
        }
        _ => None,
    }
}

/// `Nov 20`, `20 November 2026`, `November 20th, 2026`.
fn in_english(text: &str) -> Option<(usize, WrittenDay)> {
    let month_of = |word: &str| {
        let bare = word.trim_end_matches('.');
        let is = |name: &str| bare.eq_ignore_ascii_case(name);
        let at = MONTHS
            .iter()
            .position(|month| is(month) || is(&month[..3]) || is("sept") && *month == "september");
        word.starts_with(|c: char| c.is_ascii_uppercase())
            .then_some(at)
            .flatten()
            .and_then(|at| u32::try_from(at + 1).ok())
    };
    let day_of = |word: &str| {
        let (day, digits) = number(word);
        let ordinal = matches!(&word[digits..], "" | "st" | "nd" | "rd" | "th");
        (ordinal && (1..=31).contains(&day) && digits <= 2).then_some(day)
    };
    let word = |from: usize| {
        let rest = &text[from..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        &rest[..end]
    };
    let first = word(0);
    let after = first.len() + text[first.len()..].bytes().take_while(|b| matches!(b, b' ' | b'.')).count();
    let second = word(after);
    let (month, day) = match (month_of(first), day_of(second)) {
        (Some(month), Some(day)) => (month, day),
        _ => (month_of(second)?, day_of(first)?),
    };
    let end = after + second.len();
    let gap = text[end..].bytes().take_while(|b| matches!(b, b' ' | b',' | b'.')).count();
    let third = word(end + gap);
    let year = (third.len() == 4 && gap <= 2).then(|| third.parse().ok()).flatten();
    let end = if year.is_some() { end + gap + 4 } else { end };
    Some((end, WrittenDay { year, month: Some(month), day, either: false }))
}

/// `2026年11月20日`, `11月20日`, `20号`.
fn in_chinese(text: &str) -> Option<(usize, WrittenDay)> {
    let mut at = 0;
    let mut part = |ends: &[char]| {
        let (value, digits) = number(&text[at..]);
        let end = text[at + digits..].chars().next().filter(|c| digits > 0 && ends.contains(c))?;
        at += digits + end.len_utf8();
        Some(value)
    };
    let year = part(&['年']).and_then(|year| i32::try_from(year).ok());
    let month = part(&['月']);
    let day = part(&['日', '号']).filter(|day| (1..=31).contains(day))?;
    Some((at, WrittenDay { year, month, day, either: false }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Said on 2026-11-27. What is under another day stands between `<` and `>`.
    #[test]
    fn what_stands_under_another_day() {
        let moment = Moment::read("2026-11-27T10:00:00+08:00").unwrap();
        for (text, headings) in [
            ("- deploy tomorrow", &["2026-11-20"][..]),
            ("- Alice comes tomorrow", &["Standup Nov 20"]),
            ("- 2026-11-20\n  - Alice comes tomorrow", &[]),
            ("20.11.2026 deploy tomorrow", &[]),
            ("20.11.: deploy tomorrow", &[]),
            ("20/11/2026: deploy tomorrow", &[]),
            ("11/20/2026 deploy tomorrow", &[]),
            ("20261120: deploy tomorrow", &[]),
            ("Wednesday, 20 November 2026. Deploy tomorrow.", &[]),
            ("Log of 20 Nov. Deploy tomorrow.", &[]),
            ("*Nov 20* deploy tomorrow", &[]),
            ("Standup 20.11.2026\n\n- Alice comes tomorrow.", &[]),
            ("## 20 Nov\n\n- Alice comes tomorrow.", &[]),
            ("From: a\nDate: Fri, 20 Nov 2026 10:00:00 +0100\n\nAlice comes tomorrow.", &[]),
            ("[11/20/26, 10:03] Alice: I come tomorrow", &[]),
            ("Alice 20.11.2026 10:03\nI come tomorrow", &[]),
            ("20号：明天交", &[]),
            ("2026-11-20\n\n**Release tomorrow**", &[]),
            ("deploy tomorrow -- Alice, Nov 20", &[]),
            ("Deploy tomorrow — from the standup on Nov 20", &[]),
            ("明天部署——小王，11月20日", &[]),
        ] {
            let headings: Vec<String> = headings.iter().map(|&heading| heading.to_owned()).collect();
            let found = ranges(text, &headings, &moment);
            let at = text.find("omorrow").or_else(|| text.find("明天")).unwrap();
            assert!(found.iter().any(|range| range.contains(&at)), "{text}: {found:?}");
        }
        for (text, headings) in [
            ("- deploy tomorrow", &["2026-11-27"][..]),
            ("- deploy tomorrow", &["Log"]),
            ("- 2026-11-27\n  - Alice comes tomorrow", &[]),
            ("27.11.2026 deploy tomorrow", &[]),
            ("11/27/26: deploy tomorrow", &[]),
            ("- 2026-11-20: an old one\n- deploy tomorrow", &[]),
            ("Version 1.20.11 goes live tomorrow", &[]),
            ("We moved on 2026-11-20 and deploy tomorrow", &[]),
            ("deploy tomorrow -- Alice", &[]),
            ("deploy tomorrow, the branch of 20 Nov is ready", &[]),
            ("On May 3 people came; we deploy tomorrow", &[]),
        ] {
            let headings: Vec<String> = headings.iter().map(|&heading| heading.to_owned()).collect();
            let found = ranges(text, &headings, &moment);
            let at = text.find("omorrow").unwrap();
            assert!(!found.iter().any(|range| range.contains(&at)), "{text}: {found:?}");
        }
    }
}
