//! The steps of a search: units that have the question word for word, then units by their words, then units that have its
//! letters anywhere. Below the floor nothing is answered, and hits that are nearly equal are shown once.

use crate::diverse;
use crate::fold::{fold, is_cjk};
use crate::meaning::{self, Meaning};
use crate::query::Query;
use crate::rank::{Finder, Occurrences, Score, Seen, Statistics, Weights, score};
use crate::unit::{Unit, UnitKind};
use crate::words::{Lexer, Token, Tokens};
use std::collections::{HashMap, HashSet};

/// How many of the best hits are ordered again, for variety.
pub(crate) const BEST: usize = 50;

/// A document as it is searched.
#[derive(Debug, Clone, Copy)]
pub struct SearchedDocument<'a> {
    /// Its units.
    pub units: &'a [Unit],
    /// Whether its items lose weight with time: events and sessions do, facts do not.
    pub ages: bool,
}

/// Which units may answer, and how many.
pub struct HitFilter<'a> {
    /// Also what is retired or superseded.
    pub all: bool,
    /// Whether a unit of a document is asked for.
    pub may: &'a dyn Fn(usize, &Unit) -> bool,
    /// The day it is, as `2026-11-22`.
    pub today: &'a str,
    /// At most so many.
    pub limit: usize,
}

/// The step at which something was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// It says the question word for word, or has the identifier that was asked for.
    Exact,
    /// By its words.
    Words,
    /// By its meaning; of its words too few stand in it.
    Meaning,
    /// The letters stand in it, inside of other words.
    Letters,
}

impl Tier {
    /// Of two hits that of the lower step comes first; within one step the score decides.
    pub(crate) fn step(self) -> u8 {
        match self {
            Tier::Exact => 0,
            Tier::Words | Tier::Meaning => 1,
            Tier::Letters => 2,
        }
    }
}

/// Something that was found.
#[derive(Debug, Clone)]
pub struct Hit {
    /// The number of its document.
    pub document: usize,
    /// The number of the unit in it.
    pub unit: usize,
    /// By which step.
    pub tier: Tier,
    /// How it was scored.
    pub score: Score,
    /// Words of the question that stand in it.
    pub matched: Vec<String>,
}

/// Looks through all units.
#[must_use]
pub fn scan(
    documents: &[SearchedDocument<'_>],
    query: &Query,
    wanted: &HitFilter<'_>,
    weights: &Weights,
) -> Vec<Hit> {
    let finder = Finder::new(query);
    let mut statistics = Statistics::default();
    let mut found = HashMap::new();
    let mut candidates = Vec::new();
    let mut lexer = Lexer::default();
    for (at, document) in documents.iter().enumerate() {
        for (number, unit) in document.units.iter().enumerate() {
            let here = finder.find(&unit.text, &mut lexer, |token| {
                if !unit.item.retired {
                    *statistics.with.entry(token).or_default() += 1;
                }
            });
            if !unit.item.retired {
                statistics.units += 1;
                statistics.words += u64::from(here.words);
            }
            if !here.at.is_empty() {
                candidates.push((at, number));
            }
            found.insert((at, number), here);
        }
    }
    let look = Look { documents, query, wanted, weights, finder, statistics: &statistics, meaning: None };
    look.answer(&candidates, found)
}

/// Ranks units that an index named, with what it knows of all units.
#[must_use]
pub fn rank(documents: &[SearchedDocument<'_>], named: &Named<'_>, wanted: &HitFilter<'_>) -> Vec<Hit> {
    let Named { candidates, query, statistics, weights, meaning } = *named;
    let finder = Finder::new(query);
    let look = Look { documents, query, wanted, weights, finder, statistics, meaning };
    look.answer(candidates, HashMap::new())
}

/// What an index names for a question.
#[derive(Debug, Clone, Copy)]
pub struct Named<'a> {
    /// The units that may answer: document and unit.
    pub candidates: &'a [(usize, usize)],
    /// The question.
    pub query: &'a Query,
    /// What is known of all units.
    pub statistics: &'a Statistics,
    /// How words are weighed.
    pub weights: &'a Weights,
    /// How near candidates are in meaning, where that was asked for.
    pub meaning: Option<&'a Meaning>,
}

/// The last step of the ladder: units in which the letters of the question stand, anywhere.
#[must_use]
pub fn letters(documents: &[SearchedDocument<'_>], query: &Query, wanted: &HitFilter<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    if !query.has_enough_letters() {
        return hits;
    }
    for (document, of) in documents.iter().enumerate() {
        for (unit, here) in of.units.iter().enumerate() {
            if is_wanted(here, document, wanted) && fold(&here.text).contains(&query.phrase) {
                let matched = vec![query.phrase.clone()];
                hits.push(Hit { document, unit, tier: Tier::Letters, score: Score::default(), matched });
            }
        }
    }
    let day = |hit: &Hit| documents[hit.document].units[hit.unit].day.clone();
    hits.sort_by_cached_key(|hit| std::cmp::Reverse(day(hit)));
    hits.truncate(wanted.limit);
    hits
}

fn is_wanted(unit: &Unit, document: usize, wanted: &HitFilter<'_>) -> bool {
    (wanted.all || !unit.item.retired) && (wanted.may)(document, unit)
}

struct Look<'a> {
    documents: &'a [SearchedDocument<'a>],
    query: &'a Query,
    wanted: &'a HitFilter<'a>,
    weights: &'a Weights,
    finder: Finder,
    statistics: &'a Statistics,
    meaning: Option<&'a Meaning>,
}

impl Look<'_> {
    fn answer(
        &self,
        candidates: &[(usize, usize)],
        mut found: HashMap<(usize, usize), Occurrences>,
    ) -> Vec<Hit> {
        let informations: Vec<f32> =
            self.query.terms.iter().map(|term| self.statistics.information(term, self.weights)).collect();
        let mean = self.statistics.words as f32 / self.statistics.units.max(1) as f32;
        let mut headings = HashMap::new();
        let mut lexer = Lexer::default();
        let mut hits = Vec::new();
        for at in candidates {
            let (document, number) = *at;
            let Some(unit) = self.documents.get(document).and_then(|of| of.units.get(number)) else {
                continue;
            };
            if !is_wanted(unit, document, self.wanted) {
                continue;
            }
            let near = self.neighbours(document, number);
            for beside in near.into_iter().flatten().chain([number]) {
                found.entry((document, beside)).or_insert_with(|| self.look_at(document, beside, &mut lexer));
            }
            let heading = headings
                .entry((document, unit.section))
                .or_insert_with(|| self.finder.find(&unit.heading.join("\n"), &mut lexer, |_| {}));
            let of = |beside: Option<usize>| beside.and_then(|beside| found.get(&(document, beside)));
            let cosine = self.meaning.and_then(|meaning| meaning.near.get(at)).copied();
            let has_words = |own: &&Occurrences| !own.at.is_empty() || cosine.is_some();
            let Some(own) = of(Some(number)).filter(has_words) else { continue };
            let seen = Seen { unit, own, heading, near: near.map(of) };
            let mut score = score(self.query, &informations, mean, &seen, self.weights);
            score.near = cosine;
            score.stands_out = cosine.zip(self.meaning).map(|(near, meaning)| meaning.stands_out(near));
            hits.push(self.hit(document, number, score, own));
        }
        hits.sort_by(|a, b| b.score.total.total_cmp(&a.score.total));
        let (mut hits, by_meaning): (Vec<Hit>, Vec<Hit>) =
            hits.into_iter().partition(|hit| !hit.matched.is_empty());
        hits.truncate(BEST);
        // At most as many as the index names by meaning.
        hits.extend(by_meaning);
        self.above_the_floor(hits)
    }

    fn look_at(&self, document: usize, unit: usize, lexer: &mut Lexer) -> Occurrences {
        self.finder.find(&self.documents[document].units[unit].text, lexer, |_| {})
    }

    /// The units before and after it in its section. A retired one does not count.
    fn neighbours(&self, document: usize, number: usize) -> [Option<usize>; 2] {
        let units = self.documents[document].units;
        let section = units[number].section;
        let beside = |at: Option<usize>| {
            let good =
                |unit: &Unit| unit.section == section && unit.kind != UnitKind::Heading && !unit.item.retired;
            at.filter(|at| units.get(*at).is_some_and(good))
        };
        [beside(number.checked_sub(1)), beside(number.checked_add(1))]
    }

    fn hit(&self, document: usize, number: usize, mut score: Score, own: &Occurrences) -> Hit {
        let of = &self.documents[document];
        let unit = &of.units[number];
        let worth = worth(unit, of.ages, self.wanted.today);
        score.worth = worth;
        score.total *= worth;
        score.by_words = score.total;
        let stands: HashSet<usize> = own.at.iter().map(|(term, _, _)| *term).collect();
        let matched = self
            .query
            .terms
            .iter()
            .enumerate()
            .filter(|(at, _)| stands.contains(at))
            .map(|(_, t)| t.text.clone());
        let by_words = || score.said(self.weights) >= floor(self.query, &score, self.weights);
        let tier = match score.phrase {
            true => Tier::Exact,
            false if score.near.is_some() && !by_words() => Tier::Meaning,
            false => Tier::Words,
        };
        Hit { document, unit: number, tier, matched: matched.collect(), score }
    }

    /// No hits where the best one is below the floor: no answer is better than a wrong one.
    fn above_the_floor(&self, hits: Vec<Hit>) -> Vec<Hit> {
        let Some(best) = hits.first().map(|hit| hit.score.total) else { return hits };
        let is_exact = hits.iter().any(|hit| hit.tier == Tier::Exact);
        let answers =
            |hit: &Hit| hit.score.answers(floor(self.query, &hit.score, self.weights), self.weights);
        let nearest = |hits: &[Hit]| {
            let near = hits.iter().filter_map(|hit| hit.score.near);
            near.fold((f32::MAX, f32::MIN), |(low, high), near| (low.min(near), high.max(near)))
        };
        let bounds = nearest(&hits);
        // Where the question was found word for word, the other hits must be good answers by themselves. Else one good
        // answer is enough to show what stands beside it.
        let any = hits.iter().filter(|hit| !hit.matched.is_empty()).take(3).any(answers);
        let kept = hits.into_iter().filter(|hit| {
            let is_beside = !hit.matched.is_empty() && hit.score.total >= self.weights.beside * best;
            answers(hit) || (any && !is_exact && is_beside)
        });
        let mut kept: Vec<Hit> = kept.collect();
        if self.meaning.is_some() {
            meaning::add(kept.iter_mut().map(|hit| &mut hit.score), bounds, self.weights);
        }
        kept.sort_by(|a, b| a.tier.step().cmp(&b.tier.step()).then(b.score.total.total_cmp(&a.score.total)));
        let unit = |hit: &Hit| &self.documents[hit.document].units[hit.unit];
        let tokens: Vec<HashSet<Token>> = kept
            .iter()
            .map(|hit| Tokens::of(&unit(hit).text).at.into_iter().map(|(token, _)| token).collect())
            .collect();
        let days: Vec<Option<&str>> = kept.iter().map(|hit| unit(hit).day.as_deref()).collect();
        let order = diverse::order(&kept, &tokens, &days, self.wanted.limit, self.weights.lambda);
        let mut slots: Vec<Option<Hit>> = kept.into_iter().map(Some).collect();
        order.into_iter().filter_map(|at| slots.get_mut(at)?.take()).collect()
    }
}

/// How much of the question a unit must have. One matching word is no answer to a long question; neither are a few words of
/// a long text, nor a few pairs of characters: they match by chance.
fn floor(query: &Query, score: &Score, weights: &Weights) -> f32 {
    let in_pairs =
        query.terms.iter().filter(|term| term.text.chars().all(is_cjk)).count() * 2 > query.terms.len();
    let floor = if in_pairs {
        weights.floor_pairs
    } else if score.terms < 2 {
        weights.floor_one
    } else {
        weights.floor
    };
    if score.words > weights.long_words { floor + weights.floor_long } else { floor }
}

/// How much an item counts by who said it, how sure they were, and how old it is.
fn worth(unit: &Unit, ages: bool, today: &str) -> f32 {
    let item = &unit.item;
    let trust = match item.by.as_deref() {
        Some("transcript") => 0.7,
        Some("web") => 0.85,
        Some("tool") => 0.92,
        Some("agent") => 0.98,
        _ => 1.0,
    };
    let sure = item.confidence.map_or(1.0, |c| 0.95 + 0.05 * c.clamp(0.0, 1.0) as f32);
    let what = match unit.kind {
        UnitKind::Item | UnitKind::Section => 1.0,
        UnitKind::Heading | UnitKind::FrontMatter => 0.9,
    };
    let ages = ages || item.kind.as_deref() == Some("E");
    let days = unit.day.as_deref().and_then(day_number).zip(day_number(today));
    let age = match days {
        Some((day, today)) if ages => 0.5 + 0.5 * 2f32.powf(-((today - day).max(0) as f32) / 30.0),
        _ => 1.0,
    };
    trust * sure * what * age
}

/// Days since a day long ago, for differences only.
fn day_number(day: &str) -> Option<i64> {
    let part = |range: std::ops::Range<usize>| day.get(range).and_then(|part| part.parse::<i64>().ok());
    let (year, month, day) = (part(0..4)?, part(5..7)?, part(8..10)?);
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    Some(365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day)
}

#[cfg(test)]
mod tests {
    use super::day_number;

    #[test]
    fn days_are_counted() {
        let between = |a, b| day_number(b).unwrap() - day_number(a).unwrap();
        assert_eq!(between("2024-02-28", "2024-03-01"), 2);
        assert_eq!(between("2025-12-31", "2026-01-01"), 1);
        assert_eq!(between("2025-01-01", "2026-01-01"), 365);
        assert_eq!(day_number("soon"), None);
    }
}
