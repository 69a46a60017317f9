//! In which order hits are shown: of two that say nearly the same the newer comes first, and a hit that says nothing new
//! comes later (maximal marginal relevance).

use crate::search::Hit;
use crate::words::Token;
use std::collections::HashSet;

/// Two texts that share so many of their tokens say nearly the same.
const ALIKE: f32 = 0.5;
/// Two texts that share so many of their tokens are taken for one.
const EQUAL: f32 = 0.95;
/// Age decides between two such texts only where the newer one's score by words is at least this share of the older one's.
/// By words: a model of meaning may see two versions of one sentence as far apart.
const SCORES_NEAR: f32 = 0.8;

/// The numbers of the hits in the order in which they are shown, at most so many.
pub(crate) fn order(
    hits: &[Hit],
    tokens: &[HashSet<Token>],
    days: &[Option<&str>],
    limit: usize,
    lambda: f32,
) -> Vec<usize> {
    let (mut left, totals) = newest_first(hits, tokens, days);
    let best = totals.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    let mut told: Vec<usize> = Vec::new();
    let mut nearest = vec![0f32; hits.len()];
    while told.len() < limit {
        // Exact hits come before all others, even where they repeat each other.
        let Some(tier) = left.iter().map(|at| hits[*at].tier.step()).min() else { break };
        let of_tier = left.iter().enumerate().filter(|(_, at)| hits[**at].tier.step() == tier);
        let gain = |rank: usize, at: usize| {
            // Equal hits stay in the order they came in.
            lambda * totals[at] / best - (1.0 - lambda) * nearest[at] - rank as f32 * 1e-6
        };
        let next = of_tier.max_by(|a, b| gain(a.0, *a.1).total_cmp(&gain(b.0, *b.1)));
        let Some((rank, at)) = next.map(|(rank, at)| (rank, *at)) else { break };
        left.remove(rank);
        if nearest[at] >= EQUAL {
            continue;
        }
        for other in &left {
            // A few words in common are no repetition: short texts that answer one question always share some.
            let likeness = Some(likeness(&tokens[at], &tokens[*other])).filter(|share| *share >= ALIKE);
            nearest[*other] = nearest[*other].max(likeness.unwrap_or(0.0));
        }
        told.push(at);
    }
    told
}

/// The hits by score, of two that say nearly the same the newer one first; and what each counts: a newer one no less than
/// the older one that it comes before.
fn newest_first(hits: &[Hit], tokens: &[HashSet<Token>], days: &[Option<&str>]) -> (Vec<usize>, Vec<f32>) {
    let mut order: Vec<usize> = Vec::with_capacity(hits.len());
    let mut totals: Vec<f32> = hits.iter().map(|hit| hit.score.total).collect();
    for at in 0..hits.len() {
        let older = |before: &usize| {
            days[*before].is_some()
                && days[*before] < days[at]
                && hits[at].tier.step() == hits[*before].tier.step()
                && hits[at].score.by_words >= SCORES_NEAR * hits[*before].score.by_words
                && likeness(&tokens[at], &tokens[*before]) >= ALIKE
        };
        let place = order.iter().position(older);
        if let Some(before) = place.map(|place| order[place]) {
            totals[at] = totals[at].max(totals[before]);
        }
        order.insert(place.unwrap_or(order.len()), at);
    }
    (order, totals)
}

/// The share of their tokens that two texts have in common.
fn likeness(one: &HashSet<Token>, other: &HashSet<Token>) -> f32 {
    let common = one.intersection(other).count();
    let all = one.len() + other.len() - common;
    if all == 0 { 0.0 } else { common as f32 / all as f32 }
}

#[cfg(test)]
mod tests {
    use super::order;
    use crate::rank::Score;
    use crate::search::{Hit, Tier};
    use crate::words::Tokens;

    /// The texts in the order in which they are shown. Each comes with its day, its score by words and, where its meaning
    /// was asked for, the sum of both; they stand by total, as the search hands them over.
    fn shown(texts: &[(&'static str, &'static str, f32, Option<f32>)]) -> Vec<&'static str> {
        let hits: Vec<Hit> = texts
            .iter()
            .enumerate()
            .map(|(unit, (_, _, by_words, total))| {
                let total = total.unwrap_or(*by_words);
                let score = Score { total, by_words: *by_words, ..Score::default() };
                Hit { document: 0, unit, tier: Tier::Words, score, matched: Vec::new() }
            })
            .collect();
        let tokens: Vec<_> = texts
            .iter()
            .map(|(text, ..)| Tokens::of(text).at.into_iter().map(|(token, _)| token).collect())
            .collect();
        let days: Vec<_> = texts.iter().map(|(_, day, ..)| (!day.is_empty()).then_some(*day)).collect();
        order(&hits, &tokens, &days, 8, 0.7).into_iter().map(|at| texts[at].0).collect()
    }

    const OLD: &str = "the bakery opens at seven on Sundays";
    const NEW: &str = "the bakery opens at nine on Sundays";
    const OTHER: &str = "rye bread is baked at night";

    #[test]
    fn of_two_that_say_nearly_the_same_the_newer_comes_first() {
        let texts = [(OLD, "2026-01-02", 1.0, None), (NEW, "2026-03-02", 0.85, None), (OTHER, "", 0.5, None)];
        assert_eq!(shown(&texts)[0], NEW);
        let far = [(OLD, "2026-01-02", 1.0, None), (NEW, "2026-03-02", 0.5, None)];
        assert_eq!(shown(&far)[0], OLD, "age does not decide where the words say so much less");
        let apart = [(OLD, "2026-01-02", 1.0, None), (OTHER, "2026-03-02", 0.9, None)];
        assert_eq!(shown(&apart)[0], OLD, "they are about different things");
        let undated = [(OLD, "", 1.0, None), (NEW, "2026-03-02", 0.9, None)];
        assert_eq!(shown(&undated)[0], OLD);
    }

    #[test]
    fn what_their_meaning_adds_does_not_put_the_older_first() {
        let texts = [(OLD, "2026-01-02", 0.9, Some(1.0)), (NEW, "2026-03-02", 0.9, Some(0.6))];
        assert_eq!(shown(&texts)[0], NEW);
        let by_meaning_alone = [(OLD, "2026-01-02", 0.0, Some(0.5)), (NEW, "2026-03-02", 0.0, Some(0.3))];
        assert_eq!(shown(&by_meaning_alone)[0], NEW);
    }
}
