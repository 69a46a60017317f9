//! Rebases one edit of a whole text onto another: two people saved one after the other, and the second may have loaded the
//! text before the first saved. The first one's change is put into the second one's text, or reported as left out.

use super::base::{distance, is_near};

/// What became of the first text's change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rebased {
    /// The second text has it already.
    Contained,
    /// The second text with the first one's change in it.
    Merged(String),
    /// Both changed the same lines: the later text stands, and the first must be shown to somebody.
    LeftOut,
}

/// Puts the change from `base` to `first` into `second`. Without a known `base`, only a `first` whose every line is in
/// `second` counts as carried.
#[must_use]
pub fn rebase_edit(base: Option<&str>, first: &str, second: &str) -> Rebased {
    if first == second || base == Some(first) {
        return Rebased::Contained;
    }
    let Some(base) = base else {
        let all_there = has_lines(second, first.lines());
        return if all_there { Rebased::Contained } else { Rebased::LeftOut };
    };
    if !(is_near(base, first) && is_near(base, second)) {
        return Rebased::LeftOut;
    }
    let there = diffy::create_patch(base, first);
    let back = diffy::create_patch(first, base);
    if diffy::apply(second, &back).is_ok_and(|without| without != second) || is_done(&there, first, second) {
        return Rebased::Contained;
    }
    let merged = diffy::apply(second, &there).ok().or_else(|| insert_behind(&there, second));
    merged.map_or(Rebased::LeftOut, Rebased::Merged)
}

/// The index of the text that differs least from `other`, the later of two; `None` where all are strangers to it.
#[must_use]
pub fn nearest(texts: &[&str], other: &str) -> Option<usize> {
    let near = texts.iter().enumerate().filter_map(|(at, text)| Some((distance(text, other)?, at)));
    near.min_by_key(|(distance, at)| (*distance, std::cmp::Reverse(*at))).map(|(_, at)| at)
}

/// A patch that only adds lines, where both added some at the same place: its lines go behind the same lines of the
/// base as before, if these stand in `text` exactly once.
fn insert_behind(patch: &diffy::Patch<'_, str>, text: &str) -> Option<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut behind: Vec<Vec<&str>> = vec![Vec::new(); lines.len() + 1];
    for hunk in patch.hunks() {
        let mut above: Vec<&str> = Vec::new();
        for line in hunk.lines() {
            match line {
                diffy::Line::Delete(_) => return None,
                diffy::Line::Context(line) => above.push(line),
                diffy::Line::Insert(line) => behind.get_mut(place_below(&lines, &above)?)?.push(line),
            }
        }
    }
    // A line without its end would join another one.
    let whole = |line: &&str| line.ends_with('\n');
    if !(lines.iter().all(whole) && behind.iter().flatten().all(whole)) {
        return None;
    }
    let (above_all, behind) = behind.split_first()?;
    let lines = lines.iter().zip(behind).flat_map(|(line, added)| std::iter::once(line).chain(added));
    Some(above_all.iter().chain(lines).copied().collect())
}

/// The number of lines up to the end of the only place where `above` stands.
fn place_below(lines: &[&str], above: &[&str]) -> Option<usize> {
    let first = above.first()?;
    let starts = lines.iter().enumerate().filter(|(_, line)| *line == first).map(|(at, _)| at);
    let mut found = starts.filter(|at| lines.get(*at..at + above.len()) == Some(above));
    let at = found.next()?;
    found.next().is_none().then_some(at + above.len())
}

/// Whether every line that a patch adds is in `text`, be it as the beginning of a longer one (somebody went on typing),
/// and none that it takes away is there more often than in `first`, which the patch leads to.
fn is_done(patch: &diffy::Patch<'_, str>, first: &str, text: &str) -> bool {
    let lines: Vec<_> = patch.hunks().iter().flat_map(|hunk| hunk.lines()).collect();
    let added = lines.iter().filter_map(|line| match line {
        diffy::Line::Insert(line) => Some(*line),
        _ => None,
    });
    let count = |text: &str, wanted: &str| text.split_inclusive('\n').filter(|line| *line == wanted).count();
    let gone = |line: &&diffy::Line<'_, str>| match line {
        diffy::Line::Delete(line) => count(text, line) <= count(first, line),
        _ => true,
    };
    has_lines(text, added) && lines.iter().all(gone)
}

fn has_lines<'l>(text: &str, mut lines: impl Iterator<Item = &'l str>) -> bool {
    let known: std::collections::BTreeSet<&str> = text.lines().collect();
    lines.all(|line| {
        let line = line.trim_end_matches(['\r', '\n']);
        known.range(line..).next().is_some_and(|next| next.starts_with(line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "# T\n\none\ntwo\nthree\n\nfour\nfive\n";

    #[test]
    fn what_the_first_changed_comes_into_the_second() {
        let cases = [
            // The second was loaded before the first was saved: both added a line at the end, or far apart.
            (
                "# T\n\none\ntwo\nthree\n\nfour\nfive\nfirst\n",
                "# T\n\none\ntwo\nthree\n\nfour\nfive\nsecond\n",
            ),
            ("# T\n\nONE\ntwo\nthree\n\nfour\nfive\n", "# T\n\none\ntwo\nthree\n\nfour\nfive\n## H\n\njob\n"),
        ];
        let merged = [
            "# T\n\none\ntwo\nthree\n\nfour\nfive\nfirst\nsecond\n",
            "# T\n\nONE\ntwo\nthree\n\nfour\nfive\n## H\n\njob\n",
        ];
        for ((first, second), merged) in cases.into_iter().zip(merged) {
            assert_eq!(rebase_edit(Some(BASE), first, second), Rebased::Merged(merged.into()));
        }
    }

    #[test]
    fn what_the_second_has_already_is_not_put_in_again() {
        let first = BASE.replace("two\n", "two\nhello wor\n");
        for second in [
            first.clone(),
            first.replace("hello wor", "hello world"),
            format!("{first}more\n"),
            first.replace("# T\n", "# Title\n"),
        ] {
            assert_eq!(rebase_edit(Some(BASE), &first, &second), Rebased::Contained, "{second}");
        }
        // It changed a line, and its author went on from there.
        let first = BASE.replace("two\n", "zwei\n");
        let second = BASE.replace("two\n", "zwei\nund mehr\n");
        assert_eq!(rebase_edit(Some(BASE), &first, &second), Rebased::Contained);
        // A line that the first took away is gone in the second too.
        let first = BASE.replace("four\n", "");
        assert_eq!(rebase_edit(Some(BASE), &first, &format!("{first}more\n")), Rebased::Contained);
    }

    #[test]
    fn lines_that_both_added_at_one_place_are_both_there() {
        let (first, second) = (BASE.replace("two\n", "two\nA\nB\n"), BASE.replace("two\n", "two\nC\n"));
        let both = BASE.replace("two\n", "two\nA\nB\nC\n");
        assert_eq!(rebase_edit(Some(BASE), &first, &second), Rebased::Merged(both));
        // Above everything the lines below say where.
        let (first, second) = (format!("A\n{BASE}"), format!("B\n{BASE}"));
        assert_eq!(rebase_edit(Some(BASE), &first, &second), Rebased::Merged(format!("B\nA\n{BASE}")));
        // Nothing says so where the lines above stand twice.
        let twice = format!("{BASE}{BASE}");
        let (first, second) =
            (twice.replacen("five\n", "five\nA\n", 1), twice.replace("five\n", "five\nC\n"));
        assert_eq!(rebase_edit(Some(&twice), &first, &second), Rebased::LeftOut);
    }

    #[test]
    fn a_last_line_without_its_end_is_not_joined_with_another() {
        let base = "# T\n\none\ntwo";
        let carried = rebase_edit(Some(base), "# T\n\none\ntwo\nA", "# T\n\none\ntwo\nB");
        assert_eq!(carried, Rebased::LeftOut);
    }

    #[test]
    fn two_changes_of_one_line_leave_the_first_out() {
        let (first, second) = (BASE.replace("two", "TWO"), BASE.replace("two", "zwei"));
        assert_eq!(rebase_edit(Some(BASE), &first, &second), Rebased::LeftOut);
    }

    #[test]
    fn without_the_base_every_line_must_be_there() {
        assert_eq!(rebase_edit(None, "a\nb\n", "b\nx\na\n"), Rebased::Contained);
        assert_eq!(rebase_edit(None, "a\nb\nc\n", "b\nx\na\n"), Rebased::LeftOut);
    }
}
