//! How well a unit answers a question: which share of the question's information it has, how close together its words
//! stand, and what stands beside it.

use crate::query::{Query, Term};
use crate::unit::Unit;
use crate::words::{Lexer, Token, TokenKind};
use std::collections::HashMap;

/// The weights of the ranking: the same for every collection.
#[derive(Debug, Clone, Copy)]
pub struct Weights {
    /// A stem that matches instead of the word.
    pub stem: f32,
    /// A word that is in most questions.
    pub generic: f32,
    /// A part of an identifier.
    pub part: f32,
    /// An identifier as a whole.
    pub whole: f32,
    /// Two words joined by a hyphen, as a whole.
    pub joined: f32,
    /// A single character of a longer run.
    pub single: f32,
    /// A pair of characters that no unit has: most of those are no word, but the end of one word and the beginning of the
    /// next.
    pub unseen_pair: f32,
    /// A single character that stands alone.
    pub alone: f32,
    /// A heading above the unit that has the term.
    pub heading: f32,
    /// The unit before or after that has the term.
    pub near: f32,
    /// A neighbour of so many words counts half as much.
    pub near_words: f32,
    /// The shares of the score: what is covered.
    pub covered: f32,
    /// BM25: how often the terms stand in it, for its length.
    pub frequency: f32,
    /// The most information that stands within a few words.
    pub window: f32,
    /// How many neighbouring words of the question are neighbours in the unit.
    pub close: f32,
    /// BM25's saturation.
    pub k1: f32,
    /// BM25's length normalisation.
    pub b: f32,
    /// Words of a window.
    pub window_words: u32,
    /// An exact phrase adds so much.
    pub phrase: f32,
    /// The smallest share of the question's information that an answer has (`Score::said`), where at least two words of the
    /// question stand in it.
    pub floor: f32,
    /// The same where one word stands in it.
    pub floor_one: f32,
    /// The same for a question of characters in pairs.
    pub floor_pairs: f32,
    /// So much more is asked of a long text, where words meet by chance.
    pub floor_long: f32,
    /// A text of more words is long.
    pub long_words: u32,
    /// A hit beside a good one is shown if it has this share of the best score.
    pub beside: f32,
    /// How much a hit's own score counts against how new its text is beside the hits before it.
    pub lambda: f32,
    /// How much closeness adds to what a unit says of the question.
    pub said_close: f32,
    /// How much nearness in meaning counts beside the score by words.
    pub meaning: f32,
    /// Meaning adds to what a unit says unless it is further below what chance gives than this, in standard deviations.
    pub meaning_from: f32,
    /// Meaning alone is an answer from this far above what chance gives, in standard deviations.
    pub meaning_alone: f32,
}

impl Weights {
    /// The weights in use.
    pub const DEFAULT: Weights = Weights {
        stem: 0.9,
        generic: 0.5,
        part: 0.4,
        whole: 1.5,
        joined: 0.3,
        single: 0.2,
        unseen_pair: 0.5,
        alone: 0.5,
        heading: 0.5,
        near: 0.9,
        near_words: 60.0,
        covered: 0.3,
        frequency: 0.3,
        window: 0.2,
        close: 0.1,
        k1: 1.2,
        b: 0.3,
        window_words: 30,
        phrase: 0.5,
        floor: 0.26,
        floor_one: 0.4,
        floor_pairs: 0.36,
        floor_long: 0.06,
        long_words: 60,
        beside: 0.1,
        said_close: 0.3,
        meaning: 0.2,
        meaning_from: 0.3,
        meaning_alone: 1.0,
        lambda: 0.7,
    };
}

/// The counts over all units together, which make a term common or rare.
#[derive(Debug, Clone, Default)]
pub struct Statistics {
    /// How many units there are.
    pub units: u64,
    /// How many words they have together.
    pub words: u64,
    /// In how many of them each token of the question stands.
    pub with: HashMap<Token, u64>,
}

impl Statistics {
    /// The information of a term in nats; a term that no unit has gets the most.
    #[must_use]
    pub fn information(&self, term: &Term, weights: &Weights) -> f32 {
        let with =
            term.forms.iter().filter_map(|(token, _)| self.with.get(token)).max().copied().unwrap_or(0);
        let (units, with) = (self.units as f32, with as f32);
        let unseen = if with == 0.0 && term.sort == TokenKind::Pair { weights.unseen_pair } else { 1.0 };
        unseen * term.weight * (1.0 + (units - with + 0.5).max(0.0) / (with + 0.5)).ln()
    }
}

/// Where the terms of a question stand in one text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Occurrences {
    /// Term, place, and how well it matches; in the order of the text.
    pub(crate) at: Vec<(usize, u32, f32)>,
    /// How many words the text has.
    pub(crate) words: u32,
}

/// Finds the terms of one question in texts.
#[derive(Debug)]
pub(crate) struct Finder {
    /// Sorted by token: the term it stands for, and how well.
    terms: Vec<(Token, usize, f32)>,
}

impl Finder {
    /// For this question.
    pub(crate) fn new(query: &Query) -> Finder {
        let of = |(number, term): (usize, &Term)| {
            term.forms.iter().map(move |(token, strength)| (*token, number, *strength)).collect::<Vec<_>>()
        };
        let mut terms: Vec<(Token, usize, f32)> = query.terms.iter().enumerate().flat_map(of).collect();
        terms.sort_by_key(|(token, number, _)| (*token, *number));
        Finder { terms }
    }

    /// Where they stand in a text. `occurs` is called once for each token that occurs.
    pub(crate) fn find(&self, text: &str, lexer: &mut Lexer, mut occurs: impl FnMut(Token)) -> Occurrences {
        let mut found = Occurrences::default();
        let mut seen: Vec<Token> = Vec::new();
        let mut visit = |_: TokenKind, text: &str, place: u32, _: u32| {
            let token = Token::of(text);
            let from = self.terms.partition_point(|(of, _, _)| *of < token);
            let fit = self.terms[from..].iter().take_while(|(of, _, _)| *of == token);
            for (_, term, strength) in fit {
                if !seen.contains(&token) {
                    seen.push(token);
                    occurs(token);
                }
                found.at.push((*term, place, *strength));
            }
        };
        let words = lexer.each(text, &mut visit);
        Occurrences { words, ..found }
    }
}

/// A unit with what was found in it and around it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen<'a> {
    pub(crate) unit: &'a Unit,
    pub(crate) own: &'a Occurrences,
    pub(crate) heading: &'a Occurrences,
    pub(crate) near: [Option<&'a Occurrences>; 2],
}

/// How a unit was scored, each part between 0 and 1.
#[derive(Debug, Clone, Default, serde::Serialize)]
pub struct Score {
    /// What it is ranked by.
    pub total: f32,
    /// The same by words alone, before what its meaning adds.
    #[serde(skip)]
    pub by_words: f32,
    /// The share of the question's information that it covers, with its headings and neighbours.
    pub covered: f32,
    /// The same by its own text alone.
    pub own: f32,
    /// BM25: how often the terms stand in it, for its length.
    pub frequency: f32,
    /// The share of the information that stands within a few words.
    pub window: f32,
    /// How many of the question's neighbouring words are neighbours in it.
    pub close: f32,
    /// Whether the whole question stands in it, word for word.
    pub phrase: bool,
    /// How many different words of the question, rare enough to say something, stand in its own text.
    pub terms: u32,
    /// How many words it has.
    pub words: u32,
    /// What its total was multiplied by: kind, trust and age.
    pub worth: f32,
    /// The cosine of its vector and the question's, where meaning was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub near: Option<f32>,
    /// By how many standard deviations that stands out further than chance would.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stands_out: Option<f32>,
}

impl Score {
    /// How much of the question it says: compared with the floor.
    pub(crate) fn said(&self, weights: &Weights) -> f32 {
        self.own + weights.said_close * self.close
    }
}

/// Scores a unit.
#[must_use]
pub(crate) fn score(
    query: &Query,
    informations: &[f32],
    mean_words: f32,
    seen: &Seen<'_>,
    weights: &Weights,
) -> Score {
    let count = query.terms.len();
    let strongest = |found: &Occurrences| {
        let mut best = vec![0f32; count];
        found.at.iter().for_each(|(term, _, strength)| best[*term] = best[*term].max(*strength));
        best
    };
    let own = strongest(seen.own);
    let mut present = own.clone();
    let raise = |present: &mut Vec<f32>, by: &[f32], factor: f32| {
        present.iter_mut().zip(by).for_each(|(here, there)| *here = here.max(there * factor));
    };
    raise(&mut present, &strongest(seen.heading), weights.heading);
    for near in seen.near.iter().flatten() {
        let factor = weights.near * weights.near_words / (weights.near_words + near.words as f32);
        raise(&mut present, &strongest(near), factor);
    }
    let all: f32 = informations.iter().sum();
    let share = |by: &[f32]| by.iter().zip(informations).map(|(s, i)| s * i).sum::<f32>() / all.max(1e-6);
    let covered = share(&present);
    let own_share = share(&own);
    let frequency = frequency(seen.own, informations, mean_words, weights) / all.max(1e-6);
    let window = window(seen.own, informations, count, weights.window_words) / all.max(1e-6);
    let close = close(query, seen.own, informations);
    // Most units lack one of the question's words: only the others are searched for the phrase.
    let has_words = own
        .iter()
        .zip(&query.terms)
        .all(|(s, term)| *s > 0.0 || !matches!(term.sort, TokenKind::Word | TokenKind::Single));
    let phrase = has_words && is_phrase(&query.phrase, &crate::fold::fold(&seen.unit.text));
    let mut total = weights.covered * covered
        + weights.frequency * frequency
        + weights.window * window
        + weights.close * close;
    if phrase {
        total += weights.phrase;
    }
    let tells = |term: &Term| term.weight >= 1.0;
    let terms = own.iter().zip(&query.terms).filter(|(s, term)| **s > 0.0 && tells(term)).count() as u32;
    Score {
        total,
        by_words: total,
        covered,
        own: own_share,
        frequency,
        window,
        close,
        phrase,
        terms,
        words: seen.own.words,
        worth: 1.0,
        near: None,
        stands_out: None,
    }
}

/// BM25 as a share: 1 where every term stands in it again and again.
fn frequency(found: &Occurrences, informations: &[f32], mean_words: f32, weights: &Weights) -> f32 {
    let mut counts = vec![0f32; informations.len()];
    found.at.iter().for_each(|(term, _, strength)| counts[*term] += strength);
    let length = 1.0 - weights.b + weights.b * found.words as f32 / mean_words.max(1.0);
    counts.iter().zip(informations).map(|(count, i)| i * count / (count + weights.k1 * length)).sum()
}

/// The most information that stands within so many words.
fn window(found: &Occurrences, informations: &[f32], terms: usize, words: u32) -> f32 {
    let mut inside = vec![0u32; terms];
    let (mut start, mut now, mut best) = (0, 0f32, 0f32);
    for (term, place, _) in &found.at {
        inside[*term] += 1;
        if inside[*term] == 1 {
            now += informations[*term];
        }
        while let Some((old, from, _)) =
            found.at.get(start).filter(|(_, from, _)| place.saturating_sub(*from) >= words)
        {
            let _ = from;
            inside[*old] -= 1;
            if inside[*old] == 0 {
                now -= informations[*old];
            }
            start += 1;
        }
        best = best.max(now);
    }
    best
}

/// The share of the question's neighbouring words that are neighbours in the text, weighed by how far apart they stand.
fn close(query: &Query, found: &Occurrences, informations: &[f32]) -> f32 {
    let main: Vec<usize> = (0..query.terms.len())
        .filter(|n| {
            matches!(query.terms[*n].sort, TokenKind::Word | TokenKind::Pair) || query.terms[*n].weight >= 0.5
        })
        .collect();
    let (mut said, mut all) = (0f32, 0f32);
    for two in main.windows(2) {
        let (one, other) = (two[0], two[1]);
        let worth = informations[one].min(informations[other]);
        all += worth;
        let apart = query.terms[other].place.saturating_sub(query.terms[one].place).max(1);
        let mut nearest = u32::MAX;
        let mut last: Option<u32> = None;
        let mut last_other: Option<u32> = None;
        for (term, place, _) in &found.at {
            if *term == one {
                last = Some(*place);
                if let Some(from) = last_other {
                    nearest = nearest.min(place.abs_diff(from) + 2);
                }
            } else if *term == other {
                last_other = Some(*place);
                if let Some(from) = last {
                    nearest = nearest.min(place.abs_diff(from).abs_diff(apart));
                }
            }
        }
        if nearest < 16 {
            said += worth / (1.0 + 0.5 * nearest as f32);
        }
    }
    if all > 0.0 { said / all } else { 0.0 }
}

/// Whether a text says the phrase word for word: not `v4.0.1` in `v4.0.10`, nor `C` in `C++`.
#[must_use]
pub(crate) fn is_phrase(phrase: &str, folded: &str) -> bool {
    if phrase.is_empty() {
        return false;
    }
    let flat = if folded.contains(['\n', '\t']) || folded.contains("  ") {
        folded.split_whitespace().collect::<Vec<_>>().join(" ")
    } else {
        folded.to_owned()
    };
    let joins = |c: char| c.is_alphanumeric() && !crate::fold::is_cjk(c);
    let begins = phrase.chars().next().is_some_and(joins);
    let ends = phrase.chars().next_back().is_some_and(joins);
    flat.match_indices(phrase).any(|(at, _)| {
        let before = flat[..at].chars().next_back();
        let mut behind = flat[at + phrase.len()..].chars();
        let next = behind.next();
        let free_before = !begins || !before.is_some_and(joins);
        let free_behind = !ends || !next.is_some_and(|c| joins(c) || matches!(c, '+' | '#'));
        let signs_end = ends || !next.is_some_and(|c| matches!(c, '+' | '#'));
        free_before && free_behind && signs_end
    })
}
