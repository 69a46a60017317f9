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
    // Where the second has a part of it, lines that stand as they did are no place for that part: it would be there twice.
    let found = Found { base, first, second };
    let whole = if has_a_part(&there, &found) { None } else { diffy::apply(second, &there).ok() };
    whole.or_else(|| line_by_line(&there, &found)).map_or(Rebased::LeftOut, Rebased::Merged)
}

/// The index of the text that differs least from `other`, the later of two; `None` where all are strangers to it.
#[must_use]
pub fn nearest(texts: &[&str], other: &str) -> Option<usize> {
    let near = texts.iter().enumerate().filter_map(|(at, text)| Some((distance(text, other)?, at)));
    near.min_by_key(|(distance, at)| (*distance, std::cmp::Reverse(*at))).map(|(_, at)| at)
}

/// The three texts, to ask which lines of the first one's change the second has.
struct Found<'t> {
    base: &'t str,
    first: &'t str,
    second: &'t str,
}

impl Found<'_> {
    /// Whether a line that the first one added is in the second, too. Blank lines tell nothing.
    fn is_there(&self, line: &str) -> bool {
        let wanted = count(self.first, line);
        !is_blank(line) && count(self.base, line) < wanted && count(self.second, line) >= wanted
    }

    /// Whether a line that the first one took away is gone from the second, too.
    fn is_gone(&self, line: &str) -> bool {
        count(self.second, line) <= count(self.first, line)
    }
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

fn count(text: &str, wanted: &str) -> usize {
    text.split_inclusive('\n').filter(|line| *line == wanted).count()
}

fn has_a_part(patch: &diffy::Patch<'_, str>, found: &Found<'_>) -> bool {
    let mut lines = patch.hunks().iter().flat_map(|hunk| hunk.lines());
    lines.any(|line| matches!(line, diffy::Line::Insert(line) if found.is_there(line)))
}

/// The patch, each line at its own place: behind the same lines as in the first text, where these stand in the second one
/// exactly once. Lines that are there already, or gone already, are done.
fn line_by_line(patch: &diffy::Patch<'_, str>, found: &Found<'_>) -> Option<String> {
    let lines: Vec<&str> = found.second.split_inclusive('\n').collect();
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

/// Whether every line that a patch adds is in `text`, be it as the beginning of a longer one (somebody went on typing),
/// and none that it takes away is there more often than in `first`, which the patch leads to.
fn is_done(patch: &diffy::Patch<'_, str>, first: &str, text: &str) -> bool {
    let lines: Vec<_> = patch.hunks().iter().flat_map(|hunk| hunk.lines()).collect();
    let added = lines.iter().filter_map(|line| match line {
        diffy::Line::Insert(line) => Some(*line),
        _ => None,
    });
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
            first in prop::collection::vec((0..8_usize, 0..12_u32), 0..6),
            second in prop::collection::vec((0..8_usize, 0..12_u32), 0..6),
        ) {
            let text = |added: &[(usize, u32)]| {
                let mut lines: Vec<String> = (0..base).map(|n| format!("line {n}\n")).collect();
                for (at, name) in added {
                    let line = format!("- added {name:02}\n");
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
