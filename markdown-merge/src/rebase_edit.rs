//! Rebases one edit of a whole text onto another: two people saved one after the other, and the second may have loaded the
//! text before the first saved. The first one's change is put into the second one's text, or reported as left out.

use super::base::{distance, is_near};
use std::collections::BTreeMap;

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
/// `second` counts as carried. A line counts as often as it stands there, and only whole: one that another line begins like
/// may be somebody else's.
#[must_use]
pub fn rebase_edit(base: Option<&str>, first: &str, second: &str) -> Rebased {
    if first == second || base == Some(first) {
        return Rebased::Contained;
    }
    let Some(base) = base else {
        let (wanted, there) = (counts(first), counts(second));
        let is_there = |(line, times): (&&str, &usize)| is_blank(line) || of(&there, line) >= *times;
        return if wanted.iter().all(is_there) { Rebased::Contained } else { Rebased::LeftOut };
    };
    if !(is_near(base, first) && is_near(base, second)) {
        return Rebased::LeftOut;
    }
    let there = diffy::create_patch(base, first);
    let back = diffy::create_patch(first, base);
    let found = Found { base: counts(base), first: counts(first), second: counts(second) };
    let goes_back = |text: &str| diffy::apply(text, &back).is_ok_and(|without| without != text);
    // What can be taken out of the base as well was there before.
    if goes_back(second) && !goes_back(base) || found.is_done(&there) {
        return Rebased::Contained;
    }
    if inserted(&there).any(|line| found.may_go_on(line, first, second)) {
        return Rebased::LeftOut;
    }
    // Where the second has a part of it, lines that stand as they did are no place for that part: it would be there twice.
    let has_a_part = inserted(&there).any(|line| found.is_there(line));
    let whole = if has_a_part { None } else { diffy::apply(second, &there).ok() };
    whole.or_else(|| line_by_line(&there, second, &found)).map_or(Rebased::LeftOut, Rebased::Merged)
}

/// The index of the text that differs least from `other`, the later of two; `None` where all are strangers to it.
#[must_use]
pub fn nearest(texts: &[&str], other: &str) -> Option<usize> {
    let near = texts.iter().enumerate().filter_map(|(at, text)| Some((distance(text, other)?, at)));
    near.min_by_key(|(distance, at)| (*distance, std::cmp::Reverse(*at))).map(|(_, at)| at)
}

/// How often each line stands in a text.
type Counts<'t> = BTreeMap<&'t str, usize>;

/// How often each line stands in each of the three texts, to ask which lines of the first one's change the second has.
struct Found<'t> {
    base: Counts<'t>,
    first: Counts<'t>,
    second: Counts<'t>,
}

impl Found<'_> {
    /// Whether a line that the first one added is in the second, too. Blank lines tell nothing.
    fn is_there(&self, line: &str) -> bool {
        let wanted = of(&self.first, line);
        !is_blank(line) && of(&self.base, line) < wanted && of(&self.second, line) >= wanted
    }

    /// Whether a line that the first one took away is gone from the second, too.
    fn is_gone(&self, line: &str) -> bool {
        of(&self.second, line) <= of(&self.first, line)
    }

    /// Whether the first one only put a line in another place. How often it stands there does not say where.
    fn is_moved(&self, line: &str) -> bool {
        of(&self.base, line) == of(&self.first, line)
    }

    /// Whether every line that the patch adds is in the second text, and none that it takes away is there more often than in
    /// the first one.
    fn is_done(&self, patch: &diffy::Patch<'_, str>) -> bool {
        let (mut tells, mut only_blank) = (false, true);
        for line in lines_in(patch) {
            let (line, is_done) = match line {
                diffy::Line::Insert(line) => (*line, of(&self.second, line) >= of(&self.first, line)),
                diffy::Line::Delete(line) => (*line, self.is_gone(line)),
                diffy::Line::Context(_) => continue,
            };
            if is_blank(line) {
                continue;
            }
            if !is_done {
                return false;
            }
            only_blank = false;
            tells |= !self.is_moved(line);
        }
        tells || only_blank
    }

    /// Whether the second text has, where the first one added this line, a new one that begins like it: somebody may have gone on
    /// typing, or it is another one's line. Nobody can tell.
    fn may_go_on(&self, line: &str, first: &str, second: &str) -> bool {
        let start = line.trim_end_matches(['\r', '\n']);
        if is_blank(line) || self.is_there(line) || self.is_moved(line) {
            return false;
        }
        let goes_on = |other: &str| {
            let known = of(&self.base, other).max(of(&self.first, other));
            other != line && other.starts_with(start) && of(&self.second, other) > known
        };
        let above_and_below = |text, is_it: &dyn Fn(&str) -> bool| -> Vec<(Option<&str>, Option<&str>)> {
            let lines: Vec<&str> = lines_of(text).collect();
            let at = |n: usize| lines.get(n).copied();
            let those = lines.iter().enumerate().filter(|(_, line)| is_it(line));
            those.map(|(n, _)| (n.checked_sub(1).and_then(at), at(n + 1))).collect()
        };
        let (there, here) =
            (above_and_below(second, &goes_on), above_and_below(first, &|other| other == line));
        there.iter().any(|(above, below)| here.iter().any(|(a, b)| a == above || b == below))
    }
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

fn lines_of(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n')
}

fn counts(text: &str) -> Counts<'_> {
    let mut counts = Counts::new();
    lines_of(text).for_each(|line| *counts.entry(line).or_default() += 1);
    counts
}

fn of(counts: &Counts<'_>, line: &str) -> usize {
    counts.get(line).copied().unwrap_or(0)
}

fn lines_in<'p>(patch: &'p diffy::Patch<'p, str>) -> impl Iterator<Item = &'p diffy::Line<'p, str>> {
    patch.hunks().iter().flat_map(|hunk| hunk.lines())
}

fn inserted<'p>(patch: &'p diffy::Patch<'p, str>) -> impl Iterator<Item = &'p str> {
    lines_in(patch).filter_map(|line| match line {
        diffy::Line::Insert(line) => Some(*line),
        _ => None,
    })
}

/// The patch, each line at its own place: behind the same lines as in the first text, where these stand in the second one
/// exactly once. Lines that are there already, or gone already, are done.
fn line_by_line(patch: &diffy::Patch<'_, str>, second: &str, found: &Found<'_>) -> Option<String> {
    let lines: Vec<&str> = lines_of(second).collect();
    let mut behind: Vec<Vec<&str>> = vec![Vec::new(); lines.len() + 1];
    let mut gone = vec![false; lines.len()];
    for hunk in patch.hunks() {
        let mut above: Vec<&str> = Vec::new();
        // Blank lines belong to what follows them, and the last ones to what they follow.
        let (mut blank, mut placed) = (Vec::new(), true);
        for line in hunk.lines() {
            match line {
                diffy::Line::Context(line) => {
                    if placed && !blank.is_empty() {
                        behind.get_mut(place_below(&lines, &above)?)?.append(&mut blank);
                    }
                    blank.clear();
                    placed = true;
                    above.push(line);
                }
                // Nothing of the first one's is put in the place of a line that the second took away, too.
                diffy::Line::Delete(line) if found.is_gone(line) => above.clear(),
                diffy::Line::Delete(line) => {
                    above.push(line);
                    *gone.get_mut(place_below(&lines, &above)?.checked_sub(1)?)? = true;
                }
                diffy::Line::Insert(line) if is_blank(line) => blank.push(*line),
                diffy::Line::Insert(line) if found.is_there(line) => {
                    (above, placed) = (vec![*line], false);
                    blank.clear();
                }
                // Whether the second has it at its new place already is not known: it would be there twice.
                diffy::Line::Insert(line) if found.is_moved(line) => return None,
                diffy::Line::Insert(line) => {
                    let place = behind.get_mut(place_below(&lines, &above)?)?;
                    place.append(&mut blank);
                    place.push(line);
                    placed = true;
                }
            }
        }
        if placed && !blank.is_empty() {
            behind.get_mut(place_below(&lines, &above)?)?.append(&mut blank);
        }
    }
    // A line without its end would join another one.
    let whole = |line: &&str| line.ends_with('\n');
    if !(lines.iter().all(whole) && behind.iter().flatten().all(whole)) {
        return None;
    }
    let (above_all, behind) = behind.split_first()?;
    let lines = lines
        .iter()
        .zip(behind)
        .zip(gone)
        .flat_map(|((line, added), gone)| std::iter::once(line).filter(move |_| !gone).chain(added));
    Some(above_all.iter().chain(lines).copied().collect())
}

/// The number of lines up to the end of the only place where `above` stands, or else its last line.
fn place_below(lines: &[&str], above: &[&str]) -> Option<usize> {
    let last = above.last().filter(|line| !is_blank(line));
    only_place(lines, above).or_else(|| only_place(lines, &[last?]))
}

fn only_place(lines: &[&str], above: &[&str]) -> Option<usize> {
    let first = above.first()?;
    let starts = lines.iter().enumerate().filter(|(_, line)| *line == first).map(|(at, _)| at);
    let mut found = starts.filter(|at| lines.get(*at..at + above.len()) == Some(above));
    let at = found.next()?;
    found.next().is_none().then_some(at + above.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
        for second in [first.clone(), format!("{first}more\n"), first.replace("# T\n", "# Title\n")] {
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
    fn a_line_that_begins_a_longer_one_is_not_taken_for_it() {
        // The longer one stood there before, or in another place: it says nothing of the shorter one.
        let base = BASE.replace("one\n", "- ab\none\n");
        let (first, second) = (base.replace("five\n", "five\n- a\n"), base.replace("two\n", "TWO\n"));
        let both = first.replace("two\n", "TWO\n");
        assert_eq!(rebase_edit(Some(&base), &first, &second), Rebased::Merged(both));
        // Both are new, at one place: the words may have been typed on, or be somebody else's. Nobody can tell.
        let (first, second) = (BASE.replace("two\n", "two\n- a\n"), BASE.replace("two\n", "two\n- ab\n"));
        assert_eq!(rebase_edit(Some(BASE), &first, &second), Rebased::LeftOut);
        assert_eq!(rebase_edit(None, &first, &second), Rebased::LeftOut);
    }

    #[test]
    fn a_line_that_stands_there_once_is_not_taken_for_a_second_one() {
        let base = BASE.replace("one\n", "- x\none\n");
        let (first, second) = (base.replace("five\n", "five\n- x\n"), base.replace("two\n", "TWO\n"));
        let both = first.replace("two\n", "TWO\n");
        assert_eq!(rebase_edit(Some(&base), &first, &second), Rebased::Merged(both));
        assert_eq!(rebase_edit(None, &first, &second), Rebased::LeftOut);
        // A block that stands twice and that somebody copied once more.
        let block = "- x\n- y\n- z\n";
        let (base, first) = (block.repeat(2), block.repeat(3));
        let second = format!("{base}end\n");
        assert_ne!(rebase_edit(Some(&base), &first, &second), Rebased::Contained);
    }

    #[test]
    fn a_line_that_was_only_moved_is_moved() {
        let base = format!("above\n\nfar\n\n{BASE}");
        let first = base.replace("two\n", "").replace("five\n", "five\ntwo\n");
        let (second, both) = (format!("more\n{base}"), format!("more\n{first}"));
        assert_eq!(rebase_edit(Some(&base), &first, &second), Rebased::Merged(both));
        // So close that nobody can tell the place.
        let second = base.replace("one\n", "one\nmore\n");
        assert_eq!(rebase_edit(Some(&base), &first, &second), Rebased::LeftOut);
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
    fn what_the_second_has_a_part_of_is_not_there_twice() {
        let base = "# T\n\n## Mine\n\n- begin\n\n## Log\n\n- n0\n\n## State\n\none\n";
        // Another home's text: its lines, and a save that it had merged them onto.
        let first = base.replace("- begin\n", "- saved\n- begin\n").replace("- n0\n", "- n0\n- n1\n- n2\n");
        let cases = [
            ("- n0\n- n1\n- n2\n- n3\n", "- n0\n- n1\n- n2\n- n3\n"),
            ("- n0\n- n1\n", "- n0\n- n1\n- n2\n"),
            ("- n0\n- n1\n- x\n", "- n0\n- n1\n- n2\n- x\n"),
        ];
        for (log, merged) in cases {
            let second = base.replace("- n0\n", log);
            let wanted = base.replace("- begin\n", "- saved\n- begin\n").replace("- n0\n", merged);
            assert_eq!(rebase_edit(Some(base), &first, &second), Rebased::Merged(wanted), "{second}");
        }
    }

    #[test]
    fn a_section_that_both_made_is_not_made_twice() {
        let base = "# T\n\n## Mine\n\n- begin\n";
        let log = "\n## Log 1\n\n- n1\n";
        let first = format!("{base}{log}- n2\n").replace("- begin", "- saved\n- begin");
        let second = format!("{base}\n## Log 3\n\n- x\n{log}");
        let merged = format!("{second}- n2\n").replace("- begin", "- saved\n- begin");
        assert_eq!(rebase_edit(Some(base), &first, &second), Rebased::Merged(merged));
        // And one that says something else by now.
        let base = format!("{base}\n## State\n\none\n\n## Log\n\n- n0\n");
        let first = base.replace("one\n", "two\n").replace("- n0\n", "- n0\n- n1\n");
        let second = base.replace("- begin", "- saved\n- begin").replace("- n0\n", "- n0\n- n1\n- x\n");
        let merged = second.replace("one\n", "two\n");
        assert_eq!(rebase_edit(Some(&base), &first, &second), Rebased::Merged(merged));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]
        /// Whoever has seen a part of the other's lines, and in whatever order both wrote: no line stands twice, and none
        /// of the second's is gone.
        #[test]
        fn no_line_comes_to_stand_twice(
            base in 1..8_usize,
            first in prop::collection::vec((0..8_usize, 0..24_u32), 0..6),
            second in prop::collection::vec((0..8_usize, 0..24_u32), 0..6),
        ) {
            // Names of one and of two digits: one line may begin like another one.
            let text = |added: &[(usize, u32)]| {
                let mut lines: Vec<String> = (0..base).map(|n| format!("line {n}\n")).collect();
                for (at, name) in added {
                    let line = format!("- added {name}\n");
                    if !lines.contains(&line) {
                        lines.insert((*at).min(lines.len()), line);
                    }
                }
                lines.concat()
            };
            let (base, first, second) = (text(&[]), text(&first), text(&second));
            let there = |text: &str, line: &str| text.split_inclusive('\n').filter(|of| *of == line).count();
            match rebase_edit(Some(&base), &first, &second) {
                Rebased::Merged(merged) => {
                    for line in first.split_inclusive('\n').chain(second.split_inclusive('\n')) {
                        prop_assert_eq!(there(&merged, line), 1, "{}", merged);
                    }
                    prop_assert_eq!(rebase_edit(Some(&base), &first, &merged), Rebased::Contained);
                }
                Rebased::Contained => for line in first.split_inclusive('\n') {
                    prop_assert_eq!(there(&second, line), 1, "{}", second);
                },
                Rebased::LeftOut => {}
            }
        }
    }

    #[test]
    fn without_the_base_every_line_must_be_there() {
        assert_eq!(rebase_edit(None, "a\nb\n", "b\nx\na\n"), Rebased::Contained);
        assert_eq!(rebase_edit(None, "a\nb\nc\n", "b\nx\na\n"), Rebased::LeftOut);
    }
}
