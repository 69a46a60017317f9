//! The gate: text that is read much later must not say "today", "here" or "he". Finds such words in Chinese and English,
//! not in code, quotations and names, and puts in their place what is known: dates by the declaration's own time and
//! zone, persons and places by what its author says of them. Rules decide what is replaced; a small linear model has a second
//! opinion on what is marked. The same text gives the same.

mod beside;
mod chinese;
mod doubt;
mod english;
mod fixed;
mod mention;
mod moment;
mod other_day;
mod point_of_view;
mod rule;
mod second_opinion;
mod segments;
mod shield;
mod simplified;
mod someone;

pub use moment::Moment;

use crate::family;
use crate::knowledge_base::{KnowledgeBase, OnHit};
use declaration::{Entry, Meta};
use std::ops::Range;

/// A word that will mean something else to a later reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeWord {
    /// Where it stands, in bytes.
    pub range: Range<usize>,
    /// What it is relative to.
    pub relative: Relative,
    /// Whether it is certainly this word, and not parts of two others: a word that is not certain is only marked.
    pub certain: bool,
    /// Whether the sentence states a fact with it: 我住在这里. A word in a remark or a story (我觉得, 你可以) is replaced if `meta`
    /// names what it stands for, and is else not marked.
    pub stated: bool,
}

/// What a word is relative to, and by how much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relative {
    /// Days from the day it was said.
    Day(i64),
    /// Two days, the first of them counted from the day it was said.
    TwoDays(i64),
    /// The same, and a part of that day.
    DayPart(i64, &'static str),
    /// Weeks from the week it was said in.
    Week(i64),
    /// A day of such a week: 0 is Monday.
    Weekday(i64, u32),
    /// A day of such a week, named with the week, so that no other can be meant: Monday last week.
    DayOfWeek(i64, u32),
    /// Months from the month it was said in.
    Month(i64),
    /// A day, counted from 1, of a month that is counted from the one it was said in: 上个月15号.
    DayOfMonth(i64, u32),
    /// The last day of a month, counted from the one it was said in.
    LastOfMonth(i64),
    /// A day of the week in such a month, by its number from 1, or -1 for the last one: the first Tuesday of next month.
    NthWeekday(i64, i64, u32),
    /// The same day of another month: a month ago to the day.
    SameDayOfMonth(i64),
    /// The next (1) or the last (-1) day of this name, 0 is Monday, which no week is named with: on Friday; the second next (2) and so on.
    Nearest(i64, u32),
    /// The Saturday and the Sunday of a week, counted from the one it was said in.
    Weekend(i64),
    /// A month by its name, 0 for January, before (-1), in (0) or after (1) the year's day it was said on: last November.
    NamedMonth(i64, u32),
    /// A month of a year that is counted from the one it was said in, 0 for January: May of next year.
    MonthOfYear(i64, u32),
    /// The month it was said in, so many years from then: this time last year.
    SameMonth(i64),
    /// A season of such a year, by its name.
    Season(i64, &'static str),
    /// Years from the year it was said in.
    Year(i64),
    /// Quarters from the quarter it was said in.
    Quarter(i64),
    /// A part of such a period: its end, its beginning.
    Part(Period, i64, &'static str),
    /// The end of the period it was said in, if that is not near yet: by the end of the month.
    EndOf(Period, &'static str),
    /// A part of the year it was said in, where that is not one of another year: 年初, 下半年.
    PartOfYear(&'static str),
    /// Minutes from the time it was said.
    Minutes(i64),
    /// The same day so many years from the day it was said.
    SameDay(i64),
    /// About the time it was said: no calendar can resolve it.
    Vague,
    /// The speaker.
    Speaker,
    /// The person spoken of or to.
    User,
    /// The speaker, as an owner: my.
    SpeakersOwn,
    /// The person spoken of or to, as an owner: his, your.
    UsersOwn,
    /// People whom no fact of `meta` names.
    Others,
    /// The place it was said at.
    Here,
    /// Another place.
    There,
}

impl Relative {
    /// Whether a calendar gives a date for it.
    fn is_date(self) -> bool {
        use Relative::{Here, Others, Speaker, SpeakersOwn, There, User, UsersOwn, Vague};
        !matches!(self, Vague | Speaker | User | SpeakersOwn | UsersOwn | Others | Here | There)
    }
}

/// What a calendar divides time into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Period {
    /// From Monday.
    Week,
    /// Of a calendar.
    Month,
    /// Three of them.
    Quarter,
    /// Of a calendar.
    Year,
}

/// The language whose rules found a word: it decides how the replacement is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    Chinese,
    English,
}

/// Every word of a text that refers to a time, person or place which a later reader cannot know, in its order.
#[must_use]
pub fn hits(text: &str) -> Vec<TimeWord> {
    second_opinion::of(text, hits_by_rules(text))
}

/// The same by the rules alone, without the second opinion, which is trained beside them.
#[must_use]
pub fn hits_by_rules(text: &str) -> Vec<TimeWord> {
    found(text, None, By::Rules).into_iter().map(|(hit, _)| hit).filter(|hit| hit.stated).collect()
}

/// The longest line that may be prose, in bytes. In longer ones, which are data, nothing is looked for.
const LINE_BYTES_MAX: usize = 20_000;

/// The beginning of a text, of so many bytes at most.
fn first_bytes(text: &str, bytes_max: usize) -> &str {
    let end = (0..=text.len().min(bytes_max)).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or_default()]
}

/// The end of a text, of so many bytes at most.
fn last_bytes(text: &str, bytes_max: usize) -> &str {
    let from = text.len().saturating_sub(bytes_max);
    let from = (from..=text.len()).find(|from| text.is_char_boundary(*from));
    &text[from.unwrap_or_default()..]
}

fn long_lines(text: &str) -> Vec<Range<usize>> {
    let mut at = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        at += line.len();
        at - line.len()..at
    });
    lines.filter(|line| line.len() > LINE_BYTES_MAX).collect()
}

fn touch(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// What finds the words of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Rules,
    /// And the models that tell which date is meant.
    RulesAndModels,
}

fn found(text: &str, moment: Option<&Moment>, by: By) -> Vec<(TimeWord, Language)> {
    let text = &*simplified::of(text);
    let shield = shield::of(text);
    let free = |hit: TimeWord| {
        // Ranges are in order and do not overlap: only the first one that ends after the word begins can hold it.
        let at = shield.partition_point(|range| range.end <= hit.range.start);
        let Some(range) = shield.get(at).filter(|range| range.start < hit.range.end) else {
            return Some(hit);
        };
        // What somebody said on another day is marked: Petra wrote yesterday: "It comes |tomorrow."
        let is_told = hit.relative.is_date() && point_of_view::is_quoted(text, range);
        is_told.then_some(TimeWord { certain: false, ..hit })
    };
    let no_prose = long_lines(text);
    let chinese = chinese::hits(text, &no_prose).into_iter().map(|hit| (hit, Language::Chinese));
    let english = english::hits(text, &no_prose).into_iter().map(|hit| (hit, Language::English));
    let shielded = chinese.chain(english).filter_map(|(hit, language)| Some((free(hit)?, language)));
    let mut all: Vec<(TimeWord, Language)> = shielded.collect();
    if let (Some(moment), By::RulesAndModels) = (moment, by) {
        let dates = second_opinion::dates(text, &shield, &all, moment);
        let is_one = |hit: &TimeWord| dates.iter().any(|(date, _)| touch(&date.range, &hit.range));
        all.retain(|(hit, _)| !is_one(hit));
        all.extend(dates);
    }
    all.sort_by_key(|(hit, _)| hit.range.start);
    doubt::doubt(text, &mut all, moment);
    someone::doubt(text, &mut all);
    all
}

/// The text, with every word replaced that can be resolved.
#[must_use]
pub fn absolute(text: &str, moment: &Moment, meta: &Meta) -> String {
    rewritten(text, moment, meta).0
}

/// A range of bytes of the old text, and the bytes of the new text that replaced it.
pub type Replaced = (Range<usize>, Range<usize>);

/// The same, and the replaced ranges.
#[must_use]
pub fn rewritten(text: &str, moment: &Moment, meta: &Meta) -> (String, Vec<Replaced>) {
    rewritten_below(text, &[], moment, meta, By::RulesAndModels)
}

/// The same by the rules alone.
#[must_use]
pub fn rewritten_by_rules(text: &str, moment: &Moment, meta: &Meta) -> (String, Vec<Replaced>) {
    rewritten_below(text, &[], moment, meta, By::Rules)
}

/// The same of a text that stands below titles, the outermost first: those of its document and its headings.
fn rewritten_below(
    text: &str,
    titles: &[&str],
    moment: &Moment,
    meta: &Meta,
    by: By,
) -> (String, Vec<Replaced>) {
    let mut out = String::with_capacity(text.len());
    let mut replaced = Vec::new();
    let mut from = 0;
    let mut hits = found(text, Some(moment), by);
    if hits.iter().any(|(hit, _)| hit.certain && hit.relative.is_date()) {
        let other_days = other_day::ranges(text, titles, moment);
        let is_others = |at: usize| {
            let first = other_days.partition_point(|range| range.end <= at);
            other_days.get(first).is_some_and(|range| range.contains(&at))
        };
        for (hit, _) in &mut hits {
            hit.certain &= !(hit.relative.is_date() && is_others(hit.range.start));
        }
    }
    for (hit, language) in hits {
        let said = &text[hit.range.clone()];
        let put = match language {
            _ if !hit.certain => None,
            Language::Chinese => chinese::resolved(hit.relative, moment, meta),
            Language::English => english::resolved(said, &text[hit.range.end..], hit.relative, moment, meta),
        };
        if let Some(put) = put {
            out.push_str(&text[from..hit.range.start]);
            let start = out.len();
            // 今天0点, v2今天: a date and a number that stand beside each other are two.
            let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
            if is_digit(out.chars().next_back()) && is_digit(put.chars().next()) {
                out.push(' ');
            }
            out.push_str(&put);
            if is_digit(put.chars().next_back()) && is_digit(text[hit.range.end..].chars().next()) {
                out.push(' ');
            }
            from = hit.range.end;
            replaced.push((hit.range, start..out.len()));
        }
    }
    out.push_str(&text[from..]);
    (out, replaced)
}

/// The entries of a declaration for one document, resolved where their knowledge base wants that. `values`: those of the variables of its
/// path.
pub fn resolve(kb: &KnowledgeBase, values: &[String], entries: &mut [Entry], moment: &dyn Fn() -> Moment) {
    if kb.on_hit.is_none() {
        return;
    }
    let moment = moment();
    let of_document = family::titles(&kb.path, values);
    for entry in entries {
        // An entry that is for no section has an id or the name of a key there.
        let headings: &[String] = if entry.key.level == 0 { &[] } else { &entry.key.heading };
        let titles: Vec<&str> =
            of_document.iter().copied().chain(headings.iter().map(String::as_str)).collect();
        if let Some(content) = &mut entry.content {
            let (absolute, _) = rewritten_below(content, &titles, &moment, &entry.meta, By::RulesAndModels);
            if absolute != *content {
                entry.meta.said = Some(std::mem::replace(content, absolute));
            }
        }
    }
}

/// The relative words that are left in an entry, each once; empty where its knowledge base has no gate.
#[must_use]
pub fn left(kb: &KnowledgeBase, entry: &Entry) -> Vec<String> {
    let (Some(_), Some(content)) = (kb.on_hit, &entry.content) else { return Vec::new() };
    let mut words: Vec<String> = Vec::new();
    for hit in hits(content) {
        let word = content[hit.range].to_owned();
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

/// Whether words that are left keep an entry from being merged.
#[must_use]
pub fn stops(kb: &KnowledgeBase) -> bool {
    matches!(kb.on_hit, Some(OnHit::Review | OnHit::Fail))
}

/// Every id of a text: 5 to 12 digits in a row. A rewriter must keep them all.
#[must_use]
pub fn ids(text: &str) -> Vec<&str> {
    let runs = text.split(|c: char| !c.is_ascii_digit());
    runs.filter(|run| (5..=12).contains(&run.len())).collect()
}

/// A sentence of a test, with `|` around its time: what stands before it, the time, what stands behind it.
#[cfg(test)]
fn parted(sentence: &str) -> [&str; 3] {
    let pieces: Vec<&str> = sentence.split('|').collect();
    pieces.try_into().unwrap_or_else(|_| panic!("{sentence}"))
}
