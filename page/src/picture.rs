//! The last day as an SVG picture: what waited over time as stacked areas, and what was merged below it. Colours and fonts come
//! from the style sheet.

use engine::output::{Timeline, TimelineStep};
use std::fmt::Write;

/// How wide the picture is, in its own units. The style sheet stretches it to the room there is, so that it holds no text.
pub(crate) const WIDTH: f64 = 960.0;
/// How high it is.
pub(crate) const HEIGHT: f64 = WAITING + GAP + MERGED + 4.0;
const WAITING: f64 = 150.0;
const MERGED: f64 = 60.0;
const GAP: f64 = 26.0;

/// The counts at the lower and the upper edge of a layer in a step.
type Span = fn(&TimelineStep) -> (usize, usize);

/// The picture, and what its highest points stand for.
pub(crate) struct Picture {
    /// The content of the `svg` element.
    pub(crate) svg: String,
    pub(crate) most_waiting: usize,
    /// In one step.
    pub(crate) most_merged: usize,
}

impl Picture {
    pub(crate) fn of(timeline: &Timeline) -> Picture {
        let steps = &timeline.steps;
        let most_waiting = steps.iter().map(TimelineStep::waiting).max().unwrap_or(0);
        let most_merged = steps.iter().map(|step| step.merged).max().unwrap_or(0);
        Picture { svg: drawn(steps, most_waiting.max(1), most_merged.max(1)), most_waiting, most_merged }
    }
}

fn drawn(steps: &[TimelineStep], highest: usize, most: usize) -> String {
    let mut svg = String::new();
    let layers: [(&str, Span); 3] = [
        ("queued", |step| (0, step.queued)),
        ("review", |step| (step.queued, step.queued + step.waiting_review)),
        ("failed", |step| (step.queued + step.waiting_review, step.waiting())),
    ];
    for (class, span) in layers {
        let _ = write!(svg, "<path class=\"{class}\" d=\"{}\"/>", area(steps, highest, span));
    }
    let width = WIDTH / count(steps.len().max(1));
    for (n, step) in steps.iter().enumerate().filter(|(_, step)| step.merged > 0) {
        let height = MERGED * count(step.merged) / count(most);
        let (x, y) = (count(n) * width, WAITING + GAP + MERGED - height);
        let _ = write!(
            svg,
            "<rect class=\"merged\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{height:.1}\"/>",
            width * 0.8
        );
    }
    let base = WAITING + GAP + MERGED;
    let _ = write!(svg, "<path class=\"axis\" d=\"M0 {WAITING}H{WIDTH}M0 {base}H{WIDTH}\"/>");
    svg
}

/// The outline of a layer over all steps. It has the form of stairs, because a count holds until the next step.
fn area(steps: &[TimelineStep], highest: usize, span: Span) -> String {
    let width = WIDTH / count(steps.len().max(1));
    let y = |waiting: usize| (WAITING - 18.0).mul_add(-(count(waiting) / count(highest)), WAITING);
    let mut path = String::from("M0");
    let mut begun = false;
    for (n, step) in steps.iter().enumerate() {
        let at = y(span(step).1);
        if begun {
            let _ = write!(path, "V{at:.1}");
        } else {
            let _ = write!(path, " {at:.1}");
            begun = true;
        }
        let _ = write!(path, "H{:.1}", count(n + 1) * width);
    }
    for (n, step) in steps.iter().enumerate().rev() {
        let _ = write!(path, "V{:.1}H{:.1}", y(span(step).0), count(n) * width);
    }
    if begun { path + "Z" } else { String::new() }
}

/// A count as a length; counts above 2^32 are drawn as that.
fn count(n: usize) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Timestamp;

    #[test]
    fn a_day_is_drawn() {
        let step = |queued, failed, merged| TimelineStep {
            at: Timestamp(0),
            queued,
            waiting_failed: failed,
            merged,
            ..TimelineStep::default()
        };
        let Picture { svg: drawn, most_waiting, most_merged } =
            Picture::of(&Timeline { step_ms: 1, steps: vec![step(0, 0, 0), step(2, 2, 5)] });
        assert!(
            drawn.contains("class=\"queued\" d=\"M0 150.0H480.0V84.0H960.0V150.0H480.0V150.0H0.0Z\""),
            "{drawn}"
        );
        assert!(
            drawn.contains("class=\"failed\" d=\"M0 150.0H480.0V18.0H960.0V84.0H480.0V150.0H0.0Z\""),
            "{drawn}"
        );
        assert_eq!(drawn.matches("<rect").count(), 1, "{drawn}");
        assert_eq!((most_waiting, most_merged), (4, 5));
    }

    #[test]
    fn an_empty_day_is_drawn_too() {
        assert!(Picture::of(&Timeline { step_ms: 1, steps: Vec::new() }).svg.contains("class=\"axis\""));
    }
}
