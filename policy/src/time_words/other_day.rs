//! Text that stands under a day: that of a heading, of a line's beginning or end, of a mail, of a chat. What it says of "tomorrow" is
//! counted from there, so where that is not the day on which it is declared, such times are only marked.

mod written;

use super::Moment;
use super::point_of_view::dateline;
use std::ops::Range;
use written::{WrittenDay, first_day, in_title, is_a_dated_head, is_only_a_time};

/// How far into its line a day may begin, in bytes, and how far from its end.
const HEAD_BYTES_MAX: usize = 60;
const TAIL_BYTES_MAX: usize = 60;
/// Words that may stand before the day of a head: `Log of 20 Nov.`, `Standup 20.11.2026`.
const LABEL_WORDS_MAX: usize = 4;

/// The parts of a text that stand under another day than that of the moment, in bytes, in order. `titles`: what it stands below, the
/// outermost first.
pub(super) fn ranges(text: &str, titles: &[&str], moment: &Moment) -> Vec<Range<usize>> {
    let mut heads = Heads::new(moment);
    for (depth, title) in titles.iter().enumerate() {
        heads.open(depth, title);
    }
    if heads.is_of_another_day() {
        return std::iter::once(0..text.len()).collect();
    }
    let is_other = |day: &WrittenDay| !day.is(moment);
    let mut found = Vec::new();
    let mut above: Option<Above> = None;
    let mut at = 0;
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let (from, to) = (at, at + line.len());
        at = to;
        let bare = line.trim_start_matches([' ', '\t', '>']);
        let indent = line.len() - bare.len();
        if bare.trim().is_empty() {
            continue;
        }
        if let Some((depth, title)) = heading(bare) {
            // It stands under the head before it itself.
            if matches!(above, Some(Above::Everything)) {
                found.push(from..to);
            }
            heads.open(titles.len() + depth, title);
            above = heads.is_of_another_day().then_some(Above::Everything);
            continue;
        }
        // What a report goes on with is of the day of its first line.
        if dateline(line.trim()).is_some() {
            above = Some(Above::Everything);
            continue;
        }
        let opens =
            lines.peek().is_none_or(|next| next.trim_start().is_empty() || in_list(next.trim_start()));
        let read = head(line).or_else(|| alone(line, opens));
        match read {
            Some((end, day)) if is_other(&day) => {
                found.push(from + end..to);
                let is_alone = !line[end..].contains(char::is_alphabetic);
                above =
                    Some(if is_alone && !in_list(bare) { Above::Everything } else { Above::Deeper(indent) });
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

/// Whether a line is an item of a list.
fn in_list(line: &str) -> bool {
    line.starts_with(['-', '*', '+'])
}

/// How deep a heading is and what it says: `## 20 Nov`; a line in bold letters is one below all others.
fn heading(line: &str) -> Option<(usize, &str)> {
    const BOLD: usize = 7;
    let depth = line.bytes().take_while(|b| *b == b'#').count();
    let is_bold = line.starts_with("**") && line.trim_end().ends_with("**");
    (depth > 0 || is_bold)
        .then(|| (if depth > 0 { depth } else { BOLD }, line[depth..].trim().trim_matches('*')))
}

/// The headings that a text stands below, and what each says of the day together with those above it.
struct Heads<'m> {
    moment: &'m Moment,
    open: Vec<(usize, WrittenDay)>,
}

impl<'m> Heads<'m> {
    fn new(moment: &'m Moment) -> Heads<'m> {
        Heads { moment, open: Vec::new() }
    }

    /// Goes below a title, and above all that are as deep.
    fn open(&mut self, depth: usize, title: &str) {
        self.open.retain(|(other, _)| *other < depth);
        let above = self.open.last().map(|(_, day)| *day).unwrap_or_default();
        self.open.extend(above.below(title).map(|day| (depth, day)));
    }

    fn is_of_another_day(&self) -> bool {
        self.open.iter().any(|(_, day)| !day.is(self.moment))
    }
}

/// What a head counts for.
#[derive(Clone, Copy)]
enum Above {
    /// All lines below it, to the next head.
    Everything,
    /// Lines that are indented deeper than this.
    Deeper(usize),
}

/// The day of a line that is a head as a whole, and where that ends.
fn alone(line: &str, opens: bool) -> Option<(usize, WrittenDay)> {
    let bare = line.trim();
    let short = bare.len() <= HEAD_BYTES_MAX && !in_list(bare);
    let is_head = short && (is_only_a_time(bare) || opens && is_a_dated_head(bare));
    Some((line.len(), in_title(bare).filter(|_| is_head)?))
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
            ("- deploy tomorrow", &["2026-11-20", "Notes"]),
            ("- deploy tomorrow", &["November 2026", "20"]),
            ("- deploy tomorrow", &["2026", "11", "20 (Friday)"]),
            ("- deploy tomorrow", &["2026-11", "Standup", "20th"]),
            ("## November 2026\n\n### 20\n\n- deploy tomorrow", &[]),
            ("## 2026-11-20\n\n### Notes\n\n- deploy tomorrow", &[]),
            ("## 20\n\n- deploy tomorrow", &["2026-11"]),
            ("2026-11-20T09:00 deploy tomorrow", &[]),
            ("2026 年 11 月 20 日，明天部署", &[]),
            ("二〇二六年十一月二十日：明天部署", &[]),
            ("20 novembre 2026: deploy tomorrow", &[]),
            ("20-Nov-2026: deploy tomorrow", &[]),
            ("11-20\ndeploy tomorrow", &[]),
            ("11/20 (Fri)\n- deploy tomorrow", &[]),
            ("周会 11-20\n\n明天部署", &[]),
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
            let found = ranges(text, headings, &moment);
            let at = text.find("omorrow").or_else(|| text.find("明天")).unwrap();
            assert!(found.iter().any(|range| range.contains(&at)), "{text}: {found:?}");
        }
        for (text, headings) in [
            ("- deploy tomorrow", &["2026-11-27"][..]),
            ("- deploy tomorrow", &["Log"]),
            ("- deploy tomorrow", &["November 2026", "27"]),
            ("- deploy tomorrow", &["2026", "11", "27 (Friday)"]),
            ("## November 2026\n\n### 27\n\n- deploy tomorrow", &[]),
            ("## 2026-11-20\n\n## Notes\n\n- deploy tomorrow", &[]),
            ("11-27\ndeploy tomorrow", &[]),
            ("20 disks are full\ndeploy tomorrow", &[]),
            ("3/4 of the disks\n\ndeploy tomorrow", &[]),
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
            let found = ranges(text, headings, &moment);
            let at = text.find("omorrow").unwrap();
            assert!(!found.iter().any(|range| range.contains(&at)), "{text}: {found:?}");
        }
    }
}
