//! Which facts a session is shown unasked: all of the last days, fewer of the days before, and after a week none. The rest is
//! one question away, and that is said.

use crate::scope;
use crate::time_words::Moment;
use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime};
use markdown_merge::{FoundItem, Merger};
use std::cmp::Reverse;

/// Days, today being 0, of which every fact is shown.
const ALL_DAYS: i64 = 2;
/// Days of which the newest few are shown, and how many of each.
const SOME_DAYS: i64 = 5;
const SOME_A_DAY: usize = 3;
/// Days of which only what is sure is shown, and how sure that is.
const SURE_DAYS: i64 = 7;
const SURE: f64 = 0.9;
/// At most so many in all.
const FACTS_MAX: usize = 15;

/// The facts that are shown, and how many are not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChosenFacts {
    /// Whole items below the day they are from, the newest day first; empty where there are none.
    pub text: String,
    /// Facts of the same documents that hold, are for here, and are not shown.
    pub left_out: usize,
}

/// Chooses among the facts of these documents for a session in the project `here`, by the calendar of `now`. A fact from the
/// future (the clock was set back) counts as one of today.
#[must_use]
pub fn chosen(documents: &[&str], here: Option<&str>, now: &Moment) -> ChosenFacts {
    let mut facts: Vec<Fact> =
        documents.iter().enumerate().flat_map(|(n, text)| facts(n, text, here, now)).collect();
    let all = facts.len();
    facts.retain(|fact| fact.day.is_some());
    // The newest first; of one moment, what was written last.
    facts.sort_by_key(|fact| Reverse((fact.day, fact.at, fact.place)));
    let today = now.date();
    let mut of_day = (None, 0);
    facts.retain(|fact| {
        of_day = if of_day.0 == fact.day { (fact.day, of_day.1 + 1) } else { (fact.day, 1) };
        let age = fact.day.map_or(i64::MAX, |day| (today - day).num_days());
        if age <= ALL_DAYS {
            return true;
        }
        if age <= SOME_DAYS {
            return of_day.1 <= SOME_A_DAY;
        }
        age <= SURE_DAYS && fact.confidence.is_some_and(|sure| sure >= SURE)
    });
    facts.truncate(FACTS_MAX);
    let mut text = String::new();
    let mut day = None;
    for fact in &facts {
        if fact.day != day {
            day = fact.day;
            let blank = if text.is_empty() { "" } else { "\n" };
            text.push_str(&day.map_or_else(String::new, |day| format!("{blank}{day}:\n")));
        }
        text.push_str(fact.shown.trim_end());
        text.push('\n');
    }
    ChosenFacts { text, left_out: all - facts.len() }
}

/// A fact as it counts here.
#[derive(Debug)]
struct Fact {
    shown: String,
    /// The day it is from, by the calendar of whoever is shown it.
    day: Option<NaiveDate>,
    /// The time of that day; the first moment where only the day is known.
    at: NaiveTime,
    /// Document and line.
    place: (usize, usize),
    confidence: Option<f64>,
}

fn facts(document: usize, text: &str, here: Option<&str>, now: &Moment) -> Vec<Fact> {
    let Ok(merger) = Merger::open(text.as_bytes()) else { return Vec::new() };
    let fact = |found: FoundItem<'_>| {
        let item = found.item;
        if !found.is_live() || !scope::is_shown(item.field("in"), here) {
            return None;
        }
        let headed = found.heading.iter().rev().find_map(|title| title.get(..10)?.parse::<NaiveDate>().ok());
        let time = item.said_at();
        let said = time.and_then(|word| said_at(word, headed, now));
        let alone = || time?.parse::<NaiveDate>().ok();
        let day = said.map(|said| said.date()).or_else(alone).or(headed);
        Some(Fact {
            shown: item.shown(),
            day,
            at: said.map_or(NaiveTime::MIN, |said| said.time()),
            place: (document, found.line),
            confidence: item.field("c").and_then(|sure| sure.parse().ok()),
        })
    };
    merger.items().into_iter().filter_map(fact).collect()
}

/// When an item was said, by the clock of `now`: of a time with a zone that moment, of one without the time that stands there.
fn said_at(word: &str, headed: Option<NaiveDate>, now: &Moment) -> Option<NaiveDateTime> {
    let whole = if word.contains('T') { word.to_owned() } else { format!("{}T{word}", headed?) };
    if let Ok(at) = DateTime::<FixedOffset>::parse_from_str(&whole, "%Y-%m-%dT%H:%M%:z") {
        return Some(now.here(at));
    }
    let bare = whole.trim_end_matches('Z');
    NaiveDateTime::parse_from_str(bare, "%Y-%m-%dT%H:%M").ok().map(|at| match bare.len() < whole.len() {
        true => now.here(at.and_utc().fixed_offset()),
        false => at,
    })
}
