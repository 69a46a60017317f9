//! What is worth saying when nobody asked: of what a prompt brings up, only what says enough of it in words of its own. Silence
//! costs less than a remark beside the point.

use crate::query::Query;
use crate::rank::Weights;
use crate::search::{Hit, Tier};

/// Characters of a prompt that are looked at: what it is about stands at its beginning.
const CHARS_MAX: usize = 1_000;
/// So many words of the prompt, rare enough to say something, must stand in a text itself.
const TERMS_MIN: u32 = 2;
/// The share of the prompt's information that it must say itself.
const OWN_MIN: f32 = 0.26;
/// What stands behind the best must be nearly as good.
const BESIDE: f32 = 0.7;

/// A prompt as a question. Only its words count: no text repeats a whole prompt.
#[must_use]
pub fn question_of(prompt: &str, weights: &Weights) -> Query {
    let mut said = String::new();
    let mut fenced = false;
    for line in prompt.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            said.push_str(line);
            said.push('\n');
        }
        if said.chars().count() > CHARS_MAX {
            break;
        }
    }
    let said: String = said.chars().take(CHARS_MAX).collect();
    Query { phrase: String::new(), is_identifier: false, ..Query::new(&said, weights) }
}

/// Those of the hits that are worth saying, at most so many; the best first.
#[must_use]
pub fn worth_saying(mut hits: Vec<Hit>, most: usize) -> Vec<Hit> {
    hits.retain(|hit| hit.tier != Tier::Letters && hit.score.terms >= TERMS_MIN && hit.score.own >= OWN_MIN);
    let best = hits.first().map_or(0.0, |hit| hit.score.total);
    hits.retain(|hit| hit.score.total >= BESIDE * best);
    hits.truncate(most);
    hits
}
