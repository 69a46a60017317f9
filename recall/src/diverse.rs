//! In which order hits are shown: of two that say nearly the same the newer comes first, and a hit that says nothing new
//! comes later (maximal marginal relevance).

use crate::search::Hit;
use crate::words::Token;
use std::collections::HashSet;

/// Two texts that share so many of their tokens say nearly the same.
const ALIKE: f32 = 0.5;
/// Two texts that share so many of their tokens are taken for one.
const EQUAL: f32 = 0.95;
/// Age decides between two such texts only where the lower score is at least this share of the higher one.
const SCORES_NEAR: f32 = 0.8;

/// The numbers of the hits in the order in which they are shown, at most so many.
pub(crate) fn order(
    hits: &[Hit],
    tokens: &[HashSet<Token>],
    days: &[Option<&str>],
    limit: usize,
    lambda: f32,
) -> Vec<usize> {
    let mut left: Vec<usize> = newest_first(hits, tokens, days);
    let best = hits.iter().map(|hit| hit.score.total).fold(f32::MIN_POSITIVE, f32::max);
    let mut told: Vec<usize> = Vec::new();
    let mut nearest = vec![0f32; hits.len()];
    while told.len() < limit {
        // Exact hits come before all others, even where they repeat each other.
        let Some(tier) = left.iter().map(|at| hits[*at].tier.step()).min() else { break };
        let of_tier = left.iter().enumerate().filter(|(_, at)| hits[**at].tier.step() == tier);
        let gain = |rank: usize, at: usize| {
            // Equal hits stay in the order they came in.
            lambda * hits[at].score.total / best - (1.0 - lambda) * nearest[at] - rank as f32 * 1e-6
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

/// The hits by score; of two that say nearly the same the newer comes first.
fn newest_first(hits: &[Hit], tokens: &[HashSet<Token>], days: &[Option<&str>]) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::with_capacity(hits.len());
    for at in 0..hits.len() {
        let older = |before: &usize| {
            days[*before].is_some()
                && days[*before] < days[at]
                && hits[at].tier.step() == hits[*before].tier.step()
                && hits[at].score.total >= SCORES_NEAR * hits[*before].score.total
                && likeness(&tokens[at], &tokens[*before]) >= ALIKE
        };
        let place = order.iter().position(older).unwrap_or(order.len());
        order.insert(place, at);
    }
    order
}

/// The share of their tokens that two texts have in common.
fn likeness(one: &HashSet<Token>, other: &HashSet<Token>) -> f32 {
    let common = one.intersection(other).count();
    let all = one.len() + other.len() - common;
    if all == 0 { 0.0 } else { common as f32 / all as f32 }
}
