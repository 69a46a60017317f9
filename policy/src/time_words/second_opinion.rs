//! A second opinion on what the rules find: linear models score the candidates in a line. One marks and takes marks back; two
//! say of times that a calendar can read in two ways whether they are dates, and which, where they are certain of it. No date of the
//! rules is lost. Their data is in `policy/words`, made by `train` and `train-dates` there: the same text gives the same.

mod candidates;
mod chinese;
mod english;
mod features;
mod line;
mod meaning;

use super::{Language, Moment, Relative, TimeWord, shield, simplified, touch};
use candidates::{Candidate, Grammar};
use line::Line;
use meaning::{Meaning, When};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

/// The longest line that is looked at, in bytes: in longer ones, which are no sentence, the rules are alone.
const LINE_BYTES_MAX: usize = 1_200;

static CHINESE: LazyLock<Model> = LazyLock::new(|| {
    let candidates = include_str!("../../words/candidates-zh.txt");
    let dates = include_str!("../../words/dates-zh.txt");
    Model::of(Language::Chinese, candidates, include_str!("../../words/weights-zh.txt"), dates)
});
static ENGLISH: LazyLock<Model> = LazyLock::new(|| {
    let candidates = include_str!("../../words/candidates-en.txt");
    let dates = include_str!("../../words/dates-en.txt");
    Model::of(Language::English, candidates, include_str!("../../words/weights-en.txt"), dates)
});

/// What a language's candidates are, and the weights of their features.
struct Model {
    language: Language,
    grammar: Grammar,
    /// By the name of a group the score above which a candidate is a mark.
    above: HashMap<&'static str, f64>,
    /// By a kind the score above which a time is a date, and that above which its direction is told.
    above_for_dates: HashMap<&'static str, (f64, f64)>,
    /// The score up to which a mark of the rules is taken back.
    below: f64,
    intercept: Scores,
    weights: Vec<Scores>,
    /// By the name of a feature its place among the weights.
    features: HashMap<&'static str, usize>,
}

/// What the models give: whether a candidate is a mark, whether it is a date, whether it is one to come.
type Scores = [f64; 3];

impl Model {
    fn of(language: Language, candidates: &'static str, weights: &'static str, dates: &'static str) -> Model {
        let mut model = Model {
            language,
            grammar: Grammar::of(language, candidates),
            above: HashMap::new(),
            above_for_dates: HashMap::new(),
            below: f64::NEG_INFINITY,
            intercept: [0.0; 3],
            weights: Vec::new(),
            features: HashMap::new(),
        };
        let parts = |text: &'static str| text.lines().filter_map(|line| line.split_once(' '));
        for (first, second) in parts(weights) {
            match first {
                "intercept" => model.intercept[0] = second.parse().unwrap_or_default(),
                "below" => model.below = second.parse().unwrap_or(model.below),
                "above" => {
                    let group = second.split_once(' ');
                    model.above.extend(group.and_then(|(group, score)| Some((group, score.parse().ok()?))));
                }
                weight => model.add(weight, 0, second),
            }
        }
        for (first, rest) in parts(dates) {
            let Some((second, third)) = rest.split_once(' ') else { continue };
            match first {
                "above" => {
                    let scores =
                        third.split_once(' ').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
                    model.above_for_dates.extend(scores.map(|scores| (second, scores)));
                }
                "intercept" => {
                    model.intercept[1] = second.parse().unwrap_or_default();
                    model.intercept[2] = third.parse().unwrap_or_default();
                }
                weight => {
                    model.add(weight, 1, third);
                    model.add(second, 2, third);
                }
            }
        }
        model
    }

    /// Takes the weight that a feature has in one of the models; a comment has none.
    fn add(&mut self, weight: &str, model: usize, feature: &'static str) {
        let Ok(weight) = weight.parse() else { return };
        let at = *self.features.entry(feature).or_insert(self.weights.len());
        if at == self.weights.len() {
            self.weights.push([0.0; 3]);
        }
        self.weights[at][model] = weight;
    }
}

/// A candidate of a line, with its scores.
struct Opinion {
    range: Range<usize>,
    kind: &'static str,
    score: f64,
    /// What it may mean.
    date: Option<Date>,
    /// With a higher score it is a mark, whatever the rules say.
    above: f64,
    /// Up to this one it is none, whatever the rules say, but for a date.
    below: f64,
}

/// A time that may be a date, and the scores of that.
struct Date {
    range: Range<usize>,
    when: When,
    is_one: f64,
    comes: f64,
    /// The score above which it is a date, and that above which its direction is told.
    above: (f64, f64),
}

/// Every candidate of a line in its order.
fn opinions(text: &str) -> Vec<Opinion> {
    let is_chinese = text.chars().any(|c| matches!(c, '\u{4e00}'..='\u{9fff}'));
    let model: &Model = if is_chinese { &CHINESE } else { &ENGLISH };
    let line = Line::of(text, model.language);
    let found = model.grammar.candidates(&line);
    let scores = features::scores(model, &line, &found);
    let date = |one: &Candidate, scores: Scores| {
        let meaning = match model.language {
            Language::Chinese => meaning::chinese(&line, one),
            Language::English => meaning::english(&line, one),
        };
        let Meaning { kind, items, when } = meaning?;
        let above = *model.above_for_dates.get(kind)?;
        let range = line.range(items.start, items.end);
        Some(Date { range, when, is_one: scores[1], comes: scores[2], above })
    };
    let opinion = |(one, scores): (&Candidate, Scores)| Opinion {
        range: line.range(one.first, one.end),
        kind: one.kind,
        score: scores[0],
        date: date(one, scores),
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
        let prose = prose_of(line);
        if is_passed_over(line, prose) {
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

/// The dates that these models are certain of where the rules found none, in their order. `rules`: the hits of the rules; `shield`: what is
/// no word of the author's.
pub(super) fn dates(
    text: &str,
    shield: &[Range<usize>],
    rules: &[(TimeWord, Language)],
    moment: &Moment,
) -> Vec<(TimeWord, Language)> {
    let mut found = Vec::new();
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        end += line.len();
        let prose = prose_of(line);
        if is_passed_over(line, prose) {
            continue;
        }
        let start = end - prose.len();
        for opinion in opinions(prose.trim_end()) {
            let is_mark = opinion.score > opinion.above;
            let Some(date) = opinion.date.filter(|date| date.is_one > date.above.0) else { continue };
            let range = start + opinion.range.start..start + opinion.range.end;
            let told = date.when.told(date.comes, date.above.1, moment);
            let is_free = !shield.iter().any(|shielded| touch(shielded, &range));
            let Some(relative) = told.filter(|_| is_free) else { continue };
            // What the rules find and leave open they doubt; of a season they know nothing.
            let is_ruled = rules.iter().any(|(hit, _)| touch(&hit.range, &range));
            let is_open = if is_ruled { matches!(relative, Relative::Season(..)) } else { is_mark };
            if is_open {
                let language = if text[range].is_ascii() { Language::English } else { Language::Chinese };
                let range = start + date.range.start..start + date.range.end;
                found.push((TimeWord { range, relative, certain: true, stated: true }, language));
            }
        }
    }
    found
}

/// A line without what makes it an item of a list.
fn prose_of(line: &str) -> &str {
    line.trim_start_matches([' ', '\t', '-', '*', '+'])
}

/// A title says nothing itself, and a quoted line is somebody else's; one that is too long is not looked at.
fn is_passed_over(line: &str, prose: &str) -> bool {
    line.len() > LINE_BYTES_MAX || prose.starts_with(['#', '>'])
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

    /// The cases of a fixture that a training wrote, each with its line.
    fn cases(fixture: &str) -> Vec<(String, serde_json::Value)> {
        let path = format!("{}/../fixtures/gate/{fixture}.jsonl", env!("CARGO_MANIFEST_DIR"));
        #[allow(clippy::disallowed_methods, reason = "a test reads its data")]
        let lines = std::fs::read_to_string(path).unwrap();
        assert!(lines.lines().count() >= 200, "{}", lines.lines().count());
        lines.lines().map(|line| (line.to_owned(), serde_json::from_str(line).unwrap())).collect()
    }

    /// `policy/words/train-dates --fixture` wrote where something has a meaning, and the scores.
    #[test]
    fn scores_of_dates_are_those_of_the_training() {
        for (line, case) in cases("dates") {
            let found = opinions(&simplified::of(case["text"].as_str().unwrap()));
            let dates: Vec<_> = found.iter().filter_map(|one| Some((one, one.date.as_ref()?))).collect();
            let expected = case["dates"].as_array().unwrap();
            assert_eq!(dates.len(), expected.len(), "{line}");
            for ((one, date), expected) in dates.iter().zip(expected) {
                let place = serde_json::json!([one.range.start, one.range.end]);
                assert_eq!(place, serde_json::json!([expected[0], expected[1]]), "{line}");
                for (score, expected) in [(date.is_one, &expected[2]), (date.comes, &expected[3])] {
                    assert!(
                        (score - expected.as_f64().unwrap()).abs() < 1e-6,
                        "{score}, not {expected}: {line}"
                    );
                }
            }
        }
    }

    /// What the rules leave open is written where its sentence tells which date it is.
    #[test]
    fn dates_that_are_told() {
        let at = |text: &str| Moment::read(text).unwrap();
        let written = |text: &str, moment: &Moment| {
            crate::time_words::absolute(text, moment, &declaration::Meta::default())
        };
        let wednesday = at("2026-03-11T10:00:00+08:00");
        for (text, expected) in [
            (
                "Van broke down outside Dijon on Monday, gearbox, and the support act lent theirs.",
                "on 2026-03-09,",
            ),
            ("Yusuf will merge the lint rules on Friday, rebase onto them.", "on 2026-03-13,"),
            ("The steam oven has been out of order since Saturday, so cold plates.", "since 2026-03-07,"),
            ("In 45 days the TLS certificate of the listener runs out.", "On 2026-04-25 the"),
            (
                "Hotel holds twelve rooms until the end of the month, after that at full price",
                "the end of 2026-03,",
            ),
            ("甜面酱月底过期，赶紧做京酱肉丝", "2026-03 底"),
        ] {
            assert!(written(text, &wednesday).contains(expected), "{}", written(text, &wednesday));
        }
        // The same words on other days: the end of a month is not early, a Friday has no next one that is near.
        let text = "Hotel holds twelve rooms until the end of the month, after that at full price";
        assert_eq!(written(text, &at("2026-03-28T10:00:00+08:00")), text);
        let text = "Van broke down outside Dijon on Monday, gearbox, and the support act lent theirs.";
        assert_eq!(written(text, &at("2026-03-09T10:00:00+08:00")), text);
    }

    /// `policy/words/train --fixture` wrote the candidates and scores.
    #[test]
    fn candidates_and_scores_are_those_of_the_training() {
        for (line, case) in cases("second-opinion") {
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
