//! A second opinion on what the rules find: a linear model scores the candidates in a line. It only marks and takes marks
//! back; no date is written or lost by it. Its data is in `policy/words`, made by `policy/words/train`: the same text gives the same.

mod candidates;
mod chinese;
mod english;
mod features;
mod line;

use super::{Language, Relative, TimeWord, shield, simplified};
use candidates::{Candidate, Grammar};
use line::Line;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

/// The longest line that is looked at, in bytes: in longer ones, which are no sentence, the rules are alone.
const LINE_BYTES_MAX: usize = 1_200;

static CHINESE: LazyLock<Model> = LazyLock::new(|| {
    let candidates = include_str!("../../words/candidates-zh.txt");
    Model::of(Language::Chinese, candidates, include_str!("../../words/weights-zh.txt"))
});
static ENGLISH: LazyLock<Model> = LazyLock::new(|| {
    let candidates = include_str!("../../words/candidates-en.txt");
    Model::of(Language::English, candidates, include_str!("../../words/weights-en.txt"))
});

/// What a language's candidates are, and the weights of their features.
struct Model {
    language: Language,
    grammar: Grammar,
    /// By the name of a group the score above which a candidate is a mark.
    above: HashMap<&'static str, f64>,
    /// The score up to which a mark of the rules is taken back.
    below: f64,
    intercept: f64,
    weights: Vec<f64>,
    /// By the name of a feature its place among the weights.
    features: HashMap<&'static str, usize>,
}

impl Model {
    fn of(language: Language, candidates: &'static str, weights: &'static str) -> Model {
        let lines = weights.lines().filter(|line| !line.starts_with("# "));
        let mut model = Model {
            language,
            grammar: Grammar::of(language, candidates),
            above: HashMap::new(),
            below: f64::NEG_INFINITY,
            intercept: 0.0,
            weights: Vec::new(),
            features: HashMap::new(),
        };
        for (first, second) in lines.filter_map(|line| line.split_once(' ')) {
            match first {
                "intercept" => model.intercept = second.parse().unwrap_or_default(),
                "below" => model.below = second.parse().unwrap_or(model.below),
                "above" => {
                    let group = second.split_once(' ');
                    model.above.extend(group.and_then(|(group, score)| Some((group, score.parse().ok()?))));
                }
                weight => {
                    if let Ok(weight) = weight.parse() {
                        model.features.insert(second, model.weights.len());
                        model.weights.push(weight);
                    }
                }
            }
        }
        model
    }
}

/// A candidate of a line, with its score.
#[derive(Debug)]
struct Opinion {
    range: Range<usize>,
    kind: &'static str,
    score: f64,
    /// With a higher score it is a mark, whatever the rules say.
    above: f64,
    /// Up to this one it is none, whatever the rules say, but for a date.
    below: f64,
}

/// Every candidate of a line in its order.
fn opinions(text: &str) -> Vec<Opinion> {
    let is_chinese = text.chars().any(|c| matches!(c, '\u{4e00}'..='\u{9fff}'));
    let model: &Model = if is_chinese { &CHINESE } else { &ENGLISH };
    let line = Line::of(text, model.language);
    let found = model.grammar.candidates(&line);
    let scores = features::scores(model, &line, &found);
    let opinion = |(one, score): (&Candidate, f64)| Opinion {
        range: line.range(one.first, one.end),
        kind: one.kind,
        score,
        above: model.above.get(features::group(one.kind)).copied().unwrap_or(f64::INFINITY),
        below: model.below,
    };
    found.iter().zip(scores).map(opinion).collect()
}

/// The hits of the rules without those that are none by this opinion, and what they missed.
pub(super) fn of(text: &str, rules: Vec<TimeWord>) -> Vec<TimeWord> {
    let text = &*simplified::of(text);
    let shield = LazyLock::new(|| shield::of(text));
    // Its ranges are in order and do not overlap.
    let is_shielded = |range: &Range<usize>| {
        let first = shield.partition_point(|shielded| shielded.end <= range.start);
        shield.get(first).is_some_and(|shielded| touch(shielded, range))
    };
    let mut all = Vec::new();
    let mut rules = rules.into_iter().peekable();
    let (mut end, mut is_first) = (0, true);
    for line in text.split_inclusive('\n') {
        end += line.len();
        let of_line: Vec<TimeWord> =
            std::iter::from_fn(|| rules.next_if(|hit| hit.range.start < end)).collect();
        let prose = line.trim_start_matches([' ', '\t', '-', '*', '+']);
        // A title says nothing itself, and a quoted line is somebody else's.
        if line.len() > LINE_BYTES_MAX || prose.starts_with(['#', '>']) {
            is_first = false;
            all.extend(of_line);
            continue;
        }
        let start = end - prose.len();
        let mut opinions = opinions(prose.trim_end());
        for opinion in &mut opinions {
            opinion.range = start + opinion.range.start..start + opinion.range.end;
        }
        // Whom a line above names can be meant in this one.
        let may_be_a_person = is_first;
        is_first &= prose.trim().is_empty();
        let is_new = |opinion: &&Opinion| {
            opinion.score > opinion.above
                && !of_line.iter().any(|hit| touch(&hit.range, &opinion.range))
                && !is_shielded(&opinion.range)
                && (may_be_a_person || features::group(opinion.kind) != "P3")
        };
        let new: Vec<TimeWord> = opinions.iter().filter(is_new).map(mark).collect();
        all.extend(of_line.into_iter().filter(|hit| stays(hit, &opinions)));
        all.extend(new);
    }
    all.extend(rules);
    all.sort_by_key(|hit| hit.range.start);
    all
}

fn touch(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// Whether a hit of the rules stays: it becomes a date, no candidate is there, or one that is not far below zero.
fn stays(hit: &TimeWord, opinions: &[Opinion]) -> bool {
    let mut there = opinions.iter().filter(|opinion| touch(&opinion.range, &hit.range)).peekable();
    hit.certain && hit.relative.is_date()
        || there.peek().is_none()
        || there.any(|opinion| opinion.score > opinion.below)
}

fn mark(opinion: &Opinion) -> TimeWord {
    let relative = match features::group(opinion.kind) {
        "T" => Relative::Vague,
        "L" => Relative::Here,
        _ => Relative::Others,
    };
    TimeWord { range: opinion.range.clone(), relative, certain: false, stated: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What stands in a text by the rules, and with the second opinion.
    fn said(text: &str) -> (Vec<&str>, Vec<&str>) {
        let rules = crate::time_words::hits_by_rules(text);
        let words = |hits: &[TimeWord]| hits.iter().map(|hit| &text[hit.range.clone()]).collect();
        (words(&rules), words(&of(text, rules.clone())))
    }

    #[test]
    fn what_the_rules_miss_is_marked() {
        assert_eq!(said("He goes bright red after one beer"), (vec![], vec!["He"]));
        assert_eq!(said("The cold room over there has no alarm"), (vec![], vec!["over there"]));
        for text in [
            "`He goes bright red after one beer`",
            "# He goes bright red after one beer",
            "> He goes bright red after one beer",
            "Bo is a friend.\nHe goes bright red after one beer",
        ] {
            assert_eq!(said(text), (vec![], vec![]), "{text}");
        }
    }

    #[test]
    fn a_mark_is_taken_back_and_a_date_is_not() {
        assert_eq!(said("温湿度计一周五次人工抄表，周末交给保安。"), (vec!["周末"], vec![]));
        let text = "一问才知道，他今年四岁。";
        let found = opinions(text);
        let score = found.iter().find(|one| text[one.range.clone()].starts_with("今年")).map(|one| one.score);
        assert!(score.is_some_and(|score| score < CHINESE.below), "{score:?}");
        assert_eq!(said(text), (vec!["今年"], vec!["今年"]));
    }

    /// `policy/words/train --fixture` wrote the candidates and scores.
    #[test]
    fn candidates_and_scores_are_those_of_the_training() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/gate/second-opinion.jsonl");
        #[allow(clippy::disallowed_methods, reason = "a test reads its data")]
        let lines = std::fs::read_to_string(path).unwrap();
        assert!(lines.lines().count() >= 200, "{}", lines.lines().count());
        for line in lines.lines() {
            let case: serde_json::Value = serde_json::from_str(line).unwrap();
            let found = opinions(&simplified::of(case["text"].as_str().unwrap()));
            let told: Vec<_> = found
                .iter()
                .map(|one| serde_json::json!([one.range.start, one.range.end, one.kind]))
                .collect();
            let expected = case["candidates"].as_array().unwrap();
            let places = expected.iter().map(|one| serde_json::json!([one[0], one[1], one[2]]));
            let places: Vec<_> = places.collect();
            assert_eq!(told, places, "{line}");
            for (one, expected) in found.iter().zip(expected) {
                let expected = expected[3].as_f64().unwrap();
                assert!((one.score - expected).abs() < 1e-6, "{} is not {expected}: {line}", one.score);
            }
        }
    }
}
