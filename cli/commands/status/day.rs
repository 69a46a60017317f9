//! The last day in two lines of blocks: what waited, and what was merged.

use crate::language::said;
use engine::output::{Timeline, TimelineStep};

/// A block for each eighth of the largest count.
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// How wide a terminal is that has room for them: 48 blocks, what they are, and what they come to.
pub const COLUMNS: usize = 80;
/// Steps of a quarter of an hour that share a block.
const TOGETHER: usize = 2;

/// The lines; none for a day on which nothing happened.
pub fn lines(timeline: &Timeline) -> Vec<String> {
    let waiting: Vec<usize> =
        in_blocks(timeline, |steps| steps.iter().map(TimelineStep::waiting).max().unwrap_or(0));
    let merged: Vec<usize> = in_blocks(timeline, |steps| steps.iter().map(|step| step.merged).sum());
    if waiting.iter().chain(&merged).all(|count| *count == 0) {
        return Vec::new();
    }
    // The number that is known: of a step that is over, what waited at its end is kept, not the most within it.
    let now = timeline.steps.last().map_or(0, TimelineStep::waiting);
    vec![
        String::new(),
        format!("{}  {}  {}", said("waiting, 24 h"), sparkline(&waiting), said(&format!("{now} now"))),
        // Without a number: the journal lacks the line of a worker that was killed, and receipts are counted above.
        format!("{}  {}", said("merged, 24 h "), sparkline(&merged)),
    ]
}

fn in_blocks(timeline: &Timeline, count: impl Fn(&[TimelineStep]) -> usize) -> Vec<usize> {
    timeline.steps.chunks(TOGETHER).map(count).collect()
}

/// Counts as blocks, the largest the highest; nothing is a dot.
fn sparkline(counts: &[usize]) -> String {
    let most = counts.iter().max().copied().unwrap_or(0).max(1);
    let block = |count: usize| match count {
        0 => '·',
        count => BLOCKS.get((count * BLOCKS.len()).div_ceil(most) - 1).copied().unwrap_or('█'),
    };
    counts.iter().map(|count| block(*count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_fit_where_they_are_shown() {
        let busy = TimelineStep { queued: 12_345, merged: 12_345, ..TimelineStep::default() };
        let found = lines(&Timeline { step_ms: 1, steps: vec![busy; 97] });
        assert!(found.iter().all(|line| line.chars().count() <= COLUMNS), "{found:?}");
    }

    #[test]
    fn a_count_is_as_high_as_its_share() {
        assert_eq!(sparkline(&[0, 1, 4, 8]), "·▁▄█");
        assert_eq!(sparkline(&[0, 0]), "··");
        assert_eq!(sparkline(&[3]), "█");
    }

    #[test]
    fn a_day_is_two_lines_and_an_empty_one_none() {
        let step = |queued, merged| TimelineStep { queued, merged, ..TimelineStep::default() };
        let day = |steps| Timeline { step_ms: 1, steps };
        assert_eq!(lines(&day(vec![step(0, 0), step(0, 0)])), Vec::<String>::new());
        let found = lines(&day(vec![step(4, 0), step(2, 1), step(0, 2), step(0, 0)]));
        assert_eq!(found[1..], ["waiting, 24 h  █·  0 now", "merged, 24 h   ▄█"]);
    }
}
