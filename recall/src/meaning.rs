//! How near units are to a question in meaning, where vectors of both were made elsewhere: what is added to the score by words,
//! and when it is an answer by itself.

use crate::rank::{Score, Weights};
use std::collections::HashMap;

/// A text of fewer words, such as a heading, is no answer by its meaning.
const WORDS_MIN: u32 = 3;

/// How near units are to the question, and how near all of them are: vectors of one model lie more or less close together,
/// so that a cosine by itself says nothing.
#[derive(Debug, Clone, Default)]
pub struct Meaning {
    /// The cosine of candidates, by document and unit.
    pub near: HashMap<(usize, usize), f32>,
    /// The mean of the cosines of all units that were looked at.
    pub mean: f32,
    /// Their standard deviation.
    pub deviation: f32,
    /// How many they are.
    pub units: u64,
}

impl Meaning {
    /// By how many standard deviations a cosine stands out further than the largest of so many that mean nothing would:
    /// of n values by chance the largest is about √(2 ln n) deviations above their mean.
    pub(crate) fn stands_out(&self, cosine: f32) -> f32 {
        let by_chance = (2.0 * (self.units.max(2) as f32).ln()).sqrt();
        (cosine - self.mean) / self.deviation.max(1e-6) - by_chance
    }
}

impl Score {
    /// How much of an answer a unit is: 1 is enough. What it says of the question in its words, for its floor, and how far its
    /// meaning stands out. Without its meaning that is the floor alone.
    pub(crate) fn answers(&self, floor: f32, weights: &Weights) -> bool {
        let by_words = self.said(weights) / floor;
        let by_meaning = self
            .stands_out
            .filter(|_| self.words >= WORDS_MIN)
            .map_or(0.0, |out| (out + weights.meaning_from) / (weights.meaning_from + weights.meaning_alone));
        self.phrase || by_words >= 1.0 || (by_meaning > 0.0 && by_words + by_meaning >= 1.0)
    }
}

/// Adds nearness to the scores by words: both between 0 and 1 within these scores (min-max), not by rank.
pub(crate) fn add<'s>(
    scores: impl Iterator<Item = &'s mut Score>,
    (low, high): (f32, f32),
    weights: &Weights,
) {
    let mut scores: Vec<&mut Score> = scores.collect();
    let best = scores.iter().map(|score| score.total).fold(0.0, f32::max);
    for score in &mut scores {
        let by_words = if best > 0.0 { score.total / best } else { 0.0 };
        let near = score.near.map_or(0.0, |near| ((near - low) / (high - low).max(1e-6)).clamp(0.0, 1.0));
        score.total = (by_words + weights.meaning * near) / (1.0 + weights.meaning);
    }
}

#[cfg(test)]
mod tests {
    use super::{Meaning, add};
    use crate::rank::{Score, Weights};

    #[test]
    fn the_more_units_the_further_one_must_stand_out() {
        let of = |units| Meaning { units, mean: 0.8, deviation: 0.02, ..Meaning::default() };
        assert!(of(50).stands_out(0.87) > 0.5, "{}", of(50).stands_out(0.87));
        assert!(of(1_000_000).stands_out(0.87) < -1.0);
        assert!(of(0).stands_out(0.8).is_finite());
        let flat = Meaning { units: 9, mean: 1.0, deviation: 0.0, ..Meaning::default() };
        assert!(flat.stands_out(1.0) < 0.0, "where all are equal none stands out");
    }

    #[test]
    fn words_and_meaning_add_up() {
        let weights = Weights::DEFAULT;
        let answers =
            |own, stands_out| Score { own, stands_out, words: 8, ..Score::default() }.answers(0.3, &weights);
        assert!(answers(0.3, None) && !answers(0.29, None) && !answers(0.0, None));
        assert!(answers(0.0, Some(2.0)) && !answers(0.0, Some(0.0)));
        assert!(answers(0.25, Some(0.0)) && !answers(0.25, Some(-3.0)));
        let heading = Score { stands_out: Some(9.0), words: 1, ..Score::default() };
        assert!(!heading.answers(0.3, &weights), "a word stands for nothing");
        assert!(answers(0.3, Some(-9.0)), "meaning takes no answer away");
    }

    #[test]
    fn the_sum_orders_by_both() {
        let score = |total, near| Score { total, near: Some(near), ..Score::default() };
        let mut scores = [score(0.8, 0.80), score(0.7, 0.90), score(0.0, 0.85)];
        add(scores.iter_mut(), (0.8, 0.9), &Weights::DEFAULT);
        assert!(scores[1].total > scores[0].total && scores[0].total > scores[2].total, "{scores:?}");
        assert!(scores.iter().all(|score| (0.0..=1.0).contains(&score.total)));
    }
}
