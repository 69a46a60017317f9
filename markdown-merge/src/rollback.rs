//! A whole document put back to an earlier text, and what that means for each of its sections.

use crate::{Change, ChangeKind, Merger, Section};
use std::collections::{BTreeMap, BTreeSet};

/// Most lines of the three texts together that are merged with each other, without those that all begin and end with; the time it takes
/// grows with their product.
const LINES_MAX: usize = 18_000;

/// `wanted`, with what `now` has changed since `base`; `None` where both changed the same lines, or brought the same section.
#[must_use]
pub fn put_back(base: &str, now: &str, wanted: &str) -> Option<String> {
    if now == base || now == wanted {
        return Some(wanted.to_owned());
    }
    merged([base, now, wanted], |[base, now, wanted]| diffy::merge(base, now, wanted).ok())
}

/// The same where both changed the same lines: there `wanted` stands, elsewhere what `now` has changed stays. `None` where that cannot be
/// told: both brought the same section, one that came since would go, a line would stand there twice, or too much differs.
#[must_use]
pub fn put_back_over(base: &str, now: &str, wanted: &str) -> Option<String> {
    // Where nothing stands there now, nothing was written elsewhere.
    if now.is_empty() {
        return Some(wanted.to_owned());
    }
    put_back(base, now, wanted)
        .or_else(|| merged([base, now, wanted], |[base, now, wanted]| Some(over(base, now, wanted))))
        .filter(|text| !loses_a_section([base, now], text) && !doubles_a_line(text, [base, now, wanted]))
}

/// How often each line that says something stands in a text.
fn counted(text: &str) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    let lines = text.lines().map(str::trim).filter(|line| line.chars().any(char::is_alphanumeric));
    lines.for_each(|line| *counts.entry(line).or_default() += 1);
    counts
}

/// Whether such a line stands in a text more often than both together brought, which began with the same one.
fn doubles_a_line(text: &str, of: [&str; 3]) -> bool {
    let of = of.map(counted);
    let most = |line: &str| {
        let [base, now, wanted] = of.each_ref().map(|counts| counts.get(line).copied().unwrap_or(0));
        now.max(wanted).max((now + wanted).saturating_sub(base))
    };
    counted(text).iter().any(|(line, count)| *count > most(line))
}

/// Whether a section that came into `now` since `base` is in a text no more: its lines stood beside those that both changed.
fn loses_a_section([base, now]: [&str; 2], text: &str) -> bool {
    let (was, is) = (counted(now), counted(text));
    let [base, now, text] = [base, now, text].map(lines_of);
    // Under another name it is there.
    let is_there = |line: &&str| {
        let count = |counts: &BTreeMap<&str, usize>| counts.get(line.trim()).copied().unwrap_or(0);
        count(&is) >= count(&was)
    };
    now.iter()
        .filter(|(name, _)| !base.contains_key(*name) && !text.contains_key(*name))
        .any(|(_, lines)| !lines.iter().all(is_there))
}

/// What is made of the three texts, made of where they differ.
fn merged(texts: [&str; 3], merge: impl Fn([&str; 3]) -> Option<String>) -> Option<String> {
    let count = |texts: [&str; 3]| texts.iter().map(|text| text.lines().count()).sum::<usize>();
    // What is around the lines that differ helps to find which are the same: it is left out of long documents only.
    let (before, differing, after) =
        if count(texts) <= LINES_MAX { ("", texts, "") } else { differing(texts) };
    let lines = count(differing);
    let middle = (lines <= LINES_MAX).then(|| merge(differing)).flatten()?;
    let merged = [before, &middle, after].concat();
    let of = [texts[1], texts[2]];
    (!doubles_a_section(&merged, of) && !moves_a_line(&merged, of) && !gives_another_parent(&merged, of))
        .then_some(merged)
}

/// The lines that all texts begin with, what is between, and the lines that all end with.
fn differing(texts: [&str; 3]) -> (&str, [&str; 3], &str) {
    let lines = texts.map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let [one, two, three] = &lines;
    let shortest = lines.iter().map(Vec::len).min().unwrap_or(0);
    let is_same = |n: &usize, m: &usize, k: &usize| one[*n] == two[*m] && one[*n] == three[*k];
    let begin = (0..shortest).take_while(|n| is_same(n, n, n)).count();
    let end = (1..=shortest - begin)
        .take_while(|n| is_same(&(one.len() - n), &(two.len() - n), &(three.len() - n)))
        .count();
    let bytes = |lines: &[&str]| lines.iter().map(|line| line.len()).sum::<usize>();
    let (before, after) = (bytes(&one[..begin]), bytes(&one[one.len() - end..]));
    let [text, ..] = texts;
    (&text[..before], texts.map(|text| &text[before..text.len() - after]), &text[text.len() - after..])
}

fn over(base: &str, now: &str, wanted: &str) -> String {
    // With an end of the last line each mark of a conflict has a line of its own.
    let of = [base, now, wanted].map(|text| ended(text, "\n"));
    // Longer than any run of these in the texts.
    let run = |line: &str, with: char| line.chars().take_while(|c| *c == with).count();
    let longest =
        of.iter().flat_map(|text| text.lines()).flat_map(|line| ['<', '=', '>', '|'].map(|c| run(line, c)));
    let chars = longest.max().unwrap_or(0).max(6) + 1;
    let [base, now, ended_wanted] = &of;
    let merged = diffy::MergeOptions::new().set_conflict_marker_length(chars).merge(base, now, ended_wanted);
    let mut text = merged.unwrap_or_else(|marked| {
        let (mut text, mut is_theirs, mut in_conflict) = (String::new(), false, false);
        for line in marked.split_inclusive('\n') {
            if run(line, '<') == chars {
                (in_conflict, is_theirs) = (true, false);
            } else if in_conflict && run(line, '=') == chars {
                is_theirs = true;
            } else if in_conflict && run(line, '>') == chars {
                in_conflict = false;
            } else if !in_conflict || is_theirs {
                text.push_str(line);
            }
        }
        text
    });
    if !wanted.ends_with('\n') && text.ends_with('\n') {
        text.pop();
    }
    text
}

/// Whether a section stands in a merged text more often than in either text that was merged: both brought it, in other places.
fn doubles_a_section(merged: &str, of: [&str; 2]) -> bool {
    let counted = |text: &str| {
        let mut counts: BTreeMap<(Vec<String>, u8), usize> = BTreeMap::new();
        for section in crate::sections(text).unwrap_or_default() {
            *counts.entry((section.heading, section.level)).or_default() += 1;
        }
        counts
    };
    let [one, two] = of.map(counted);
    let most = |name| one.get(name).max(two.get(name)).copied().unwrap_or(0);
    counted(merged).iter().any(|(name, count)| *count > most(name))
}

/// A section as it is told from others: by its heading with those above it, and its level. Of what stands above all headings, nothing.
type SectionName = (Vec<String>, u8);

/// The lines of each section.
fn lines_of(text: &str) -> BTreeMap<SectionName, BTreeSet<&str>> {
    let sections = crate::sections(text).unwrap_or_default();
    let first = sections.first().map_or(text.len(), |section| section.own.start);
    let above = ((Vec::new(), 0), text.get(..first).unwrap_or_default());
    let own = |section: Section| {
        let lines = text.get(section.own).unwrap_or_default();
        // The heading's own line comes first.
        ((section.heading, section.level), lines.split_once('\n').map_or("", |(_, below)| below))
    };
    let mut lines: BTreeMap<SectionName, BTreeSet<&str>> = BTreeMap::new();
    for (name, text) in std::iter::once(above).chain(sections.into_iter().map(own)) {
        lines.entry(name).or_default().extend(text.lines().filter(|line| !line.trim().is_empty()));
    }
    lines
}

/// Whether a line stands under a heading in a merged text under which neither text that was merged has it: where lines are compared alone, a
/// section that comes back may come between a heading and what is below it, and one that goes may leave a line behind. A section that one of the two names anew is the same one.
fn moves_a_line(merged: &str, of: [&str; 2]) -> bool {
    let (merged, of) = (lines_of(merged), of.map(lines_of));
    let is_in = |text: &BTreeMap<SectionName, BTreeSet<&str>>, name: &SectionName, line: &str| {
        text.get(name).is_some_and(|lines| lines.contains(line))
    };
    let comes_from = |name: &SectionName, line: &str| {
        of.iter().any(|text| {
            let renamed = |(before, lines): (&SectionName, &BTreeSet<&str>)| {
                lines.contains(line) && !merged.contains_key(before)
            };
            is_in(text, name, line) || !text.contains_key(name) && text.iter().any(renamed)
        })
    };
    merged.iter().any(|(name, lines)| lines.iter().any(|line| !comes_from(name, line)))
}

/// The lines that are set in, each with the line that it is set in below.
fn set_in(text: &str) -> BTreeSet<(&str, &str)> {
    let mut above: Vec<(usize, &str)> = Vec::new();
    let mut found = BTreeSet::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let indent = line.len() - line.trim_start().len();
        above.retain(|(of, _)| *of < indent);
        if let Some((_, parent)) = above.last() {
            found.insert((line, *parent));
        }
        above.push((indent, line));
    }
    found
}

/// Whether a line is set in below one in a merged text below which it stands in neither of those that were merged, and which `now` had beside
/// its own: what it stood below is gone.
fn gives_another_parent(merged: &str, [now, other]: [&str; 2]) -> bool {
    let known = [now, other].map(set_in);
    let lines: BTreeSet<&str> = now.lines().collect();
    let is_other = |(line, parent): &(&str, &str)| {
        !known.iter().any(|pairs| pairs.contains(&(*line, *parent))) && lines.contains(parent)
    };
    set_in(merged).iter().any(is_other)
}

/// Most pieces that are told apart, and most bytes that are made in doing so.
const PIECES_MAX: usize = 14;
const BYTES_MAX: usize = 64 << 20;

/// `before` with what was changed by hand in `now`, where somebody merged into `before` first: `is_merged` knows what that made of
/// it. `None` where the two cannot be told apart, because they changed the same lines or because there are too many.
#[must_use]
pub fn without_merged(before: &str, now: &str, is_merged: impl Fn(&str) -> bool) -> Option<String> {
    let lines: usize = [before, now].iter().map(|text| text.lines().count()).sum();
    if before == now || lines > LINES_MAX {
        return is_merged(now).then(|| before.to_owned());
    }
    // A last line without an end is the same as one with it, and has none where the document has none now.
    let end = if before.contains("\r\n") || now.contains("\r\n") { "\r\n" } else { "\n" };
    let is_bare = |text: &str| !is_ended(text) && is_merged(text);
    let is_one = |text: &str| is_merged(text) || text.strip_suffix(end).is_some_and(is_bare);
    let mut left = told_apart(&ended(before, end), &ended(now, end), &is_one)?;
    if !is_ended(now) && left.ends_with(end) {
        left.truncate(left.len() - end.len());
    }
    Some(left)
}

fn is_ended(text: &str) -> bool {
    text.is_empty() || text.ends_with('\n')
}

/// A text whose last line has an end.
fn ended(text: &str, end: &str) -> String {
    if is_ended(text) { text.to_owned() } else { format!("{text}{end}") }
}

/// The same of texts whose last lines have ends.
fn told_apart(before: &str, now: &str, is_merged: &dyn Fn(&str) -> bool) -> Option<String> {
    let parts = parts(before, now);
    let most = (BYTES_MAX / (before.len() + now.len() + 1)).max(1).ilog2() as usize;
    let left = |ways: &Ways<'_>| {
        let pieces = ways.iter().flatten().filter(|part| part.is_change()).count();
        let tries = if pieces <= PIECES_MAX.min(most) { 1_u32 << pieces } else { 0 };
        let merged = (0..tries).find(|chosen| is_merged(&text(ways, *chosen)))?;
        let mut bits = merged;
        let lines = ways.iter().map(|part| taken_back(part, &mut bits)).collect::<Option<Vec<_>>>()?;
        Some((lines.concat().concat(), text(ways, merged)))
    };
    // Line by line where that is possible: somebody may have written beside what was merged.
    let ways = [Beside::Above, Beside::Below, Beside::Apart, Beside::Whole];
    let mut texts =
        ways.iter().filter_map(|beside| left(&parts.iter().map(|part| split(part, *beside)).collect()));
    let (left, _) = texts.find(|(left, merged)| {
        let of = [now, before];
        !moves_a_line(left, of) && !undoes_a_move(left, merged, now) && !gives_another_parent(left, of)
    })?;
    Some(left)
}

/// Whether a line stands again in a section out of which somebody had moved it in `now`, since `merged`: what it was moved to is gone.
fn undoes_a_move(left: &str, merged: &str, now: &str) -> bool {
    let [left, merged, now] = [left, merged, now].map(lines_of);
    let has = |text: &BTreeMap<SectionName, BTreeSet<&str>>, name: &SectionName, line: &str| {
        text.get(name).is_some_and(|lines| lines.contains(line))
    };
    let is_moved = |name: &SectionName, line: &str| {
        let to = |(other, lines): (&SectionName, &BTreeSet<&str>)| {
            lines.contains(line) && !has(&merged, other, line) && !left.contains_key(other)
        };
        has(&merged, name, line) && now.contains_key(name) && !has(&now, name, line) && now.iter().any(to)
    };
    left.iter().any(|(name, lines)| lines.iter().any(|line| is_moved(name, line)))
}

/// The pieces of each part.
type Ways<'a> = Vec<Vec<Part<'a>>>;

/// The lines of a part once what was merged is taken back, which `chosen` says of its pieces, the lowest bit first; takes those bits off.
/// Lines that come back where somebody else's stand have no order, unless they took the place of some: `None`.
fn taken_back<'a>(pieces: &[Part<'a>], chosen: &mut u32) -> Option<Vec<&'a str>> {
    let changed = pieces.iter().map(|piece| {
        let is_merged = piece.is_change() && *chosen & 1 != 0;
        *chosen >>= u32::from(piece.is_change());
        (piece, is_merged)
    });
    let changed: Vec<(&Part<'a>, bool)> = changed.collect();
    let lines =
        |piece: &Part<'a>, is_merged: bool| if is_merged { piece.old.clone() } else { piece.new.clone() };
    let comes_back = |(piece, is_merged): &(&Part<'a>, bool)| *is_merged && piece.new.is_empty();
    let came = |(piece, is_merged): &(&Part<'a>, bool)| !is_merged && piece.old.is_empty();
    if !(changed.iter().any(comes_back) && changed.iter().any(came)) {
        return Some(changed.iter().flat_map(|(piece, is_merged)| lines(piece, *is_merged)).collect());
    }
    // They stand where those stood that had taken their place.
    let new: Vec<_> = changed.iter().filter(|(piece, _)| piece.old.is_empty()).collect();
    let (first, last) =
        (new.iter().position(|(_, merged)| *merged)?, new.iter().rposition(|(_, merged)| *merged)?);
    let in_one_place = new[first..=last].iter().all(|(_, merged)| *merged);
    let is_paired = |(piece, _): &(&Part<'a>, bool)| !piece.old.is_empty() && !piece.new.is_empty();
    if !in_one_place || changed.iter().any(is_paired) {
        return None;
    }
    let back = changed.iter().filter(|part| comes_back(part)).flat_map(|(piece, _)| piece.old.clone());
    let theirs = |range: &[&(&Part<'a>, bool)]| {
        range.iter().flat_map(|(piece, _)| piece.new.clone()).collect::<Vec<_>>()
    };
    Some([theirs(&new[..first]), back.collect(), theirs(&new[last + 1..])].concat())
}

/// Lines that went, and those that came in their place; equal where nothing changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Part<'a> {
    pub(crate) old: Vec<&'a str>,
    pub(crate) new: Vec<&'a str>,
}

impl Part<'_> {
    pub(crate) fn is_change(&self) -> bool {
        self.old != self.new
    }
}

pub(crate) fn parts<'a>(before: &'a str, now: &'a str) -> Vec<Part<'a>> {
    let whole = before.lines().count() + now.lines().count();
    let patch = diffy::DiffOptions::new().set_context_len(whole).create_patch(before, now);
    let mut parts: Vec<Part<'a>> = Vec::new();
    let mut open = Part::default();
    // The patch is gone at the end: its lines are taken out of the texts.
    let (mut was, mut is) = (before, now);
    for line in patch.hunks().iter().flat_map(|hunk| hunk.lines()) {
        let next = |rest: &mut &'a str, line: &str| {
            let (line, left) = rest.split_at(line.len());
            *rest = left;
            line
        };
        match line {
            diffy::Line::Context(line) => {
                let change = std::mem::take(&mut open);
                parts.extend(Some(change).filter(Part::is_change));
                parts.push(Part { old: vec![next(&mut was, line)], new: vec![next(&mut is, line)] });
            }
            diffy::Line::Delete(line) => open.old.push(next(&mut was, line)),
            diffy::Line::Insert(line) => open.new.push(next(&mut is, line)),
        }
    }
    parts.extend(Some(open).filter(Part::is_change));
    parts
}

/// Which lines of a part took the place of which.
#[derive(Clone, Copy, PartialEq)]
enum Beside {
    /// Those above each other's, and what is left stands below.
    Above,
    /// Those below each other's, and what is left stands above.
    Below,
    /// None.
    Apart,
    /// All that came of all that went.
    Whole,
}

/// A part with each line by itself, or in pairs of one that went and one that came in its place.
fn split<'a>(part: &Part<'a>, beside: Beside) -> Vec<Part<'a>> {
    let (old, new) = (&part.old, &part.new);
    let pairs = match beside {
        _ if !part.is_change() => return vec![part.clone()],
        Beside::Whole => return vec![part.clone()],
        Beside::Apart => 0,
        Beside::Above | Beside::Below => old.len().min(new.len()),
    };
    let (above, below) = match beside {
        Beside::Below => ((old.len() - pairs, new.len() - pairs), (old.len(), new.len())),
        _ => ((0, 0), (pairs, pairs)),
    };
    let went = |lines: &[&'a str]| {
        lines.iter().map(|line| Part { old: vec![*line], new: Vec::new() }).collect::<Vec<_>>()
    };
    let came = |lines: &[&'a str]| {
        lines.iter().map(|line| Part { old: Vec::new(), new: vec![*line] }).collect::<Vec<_>>()
    };
    let paired = old[above.0..below.0].iter().zip(&new[above.1..below.1]);
    let paired = paired.map(|(old, new)| Part { old: vec![*old], new: vec![*new] }).collect();
    [went(&old[..above.0]), came(&new[..above.1]), paired, went(&old[below.0..]), came(&new[below.1..])]
        .concat()
}

/// The text with the chosen changes made, a bit for each.
fn text(ways: &Ways<'_>, chosen: u32) -> String {
    let mut change = 0;
    let lines = ways.iter().flatten().flat_map(|part| {
        let is_chosen = part.is_change() && chosen & (1 << change) != 0;
        change += usize::from(part.is_change());
        if is_chosen { &part.new } else { &part.old }
    });
    lines.copied().collect()
}

/// What became of each section, for the receipt and for `blame`.
#[must_use]
pub fn changes(before: &Merger, after: &Merger) -> Vec<Change> {
    let (was, is) = (named(before), named(after));
    let mut changes = Vec::new();
    for (name, section) in &is {
        let old = was.get(name).map(|old| old.hash.clone());
        if old.as_ref() != Some(&section.hash) {
            let kind = if old.is_some() { ChangeKind::Changed } else { ChangeKind::Created };
            changes.push(change(kind, section, old, Some(section.hash.clone())));
        }
    }
    for (_, section) in was.iter().filter(|(name, _)| !is.contains_key(*name)) {
        changes.push(change(ChangeKind::Deleted, section, Some(section.hash.clone()), None));
    }
    if changes.is_empty() && before.text() != after.text() {
        // Only blank lines between sections.
        let kind = ChangeKind::Changed;
        changes.push(Change {
            kind,
            heading: Vec::new(),
            level: 0,
            before: None,
            after: None,
            item: None,
            renamed: None,
            piece: None,
            sections: None,
        });
    }
    changes
}

fn change(kind: ChangeKind, section: &Section, before: Option<String>, after: Option<String>) -> Change {
    Change {
        kind,
        heading: section.heading.clone(),
        level: section.level,
        before,
        after,
        item: None,
        renamed: None,
        piece: None,
        sections: None,
    }
}

/// Sections by heading, level, and how many there were before of the same name.
fn named(merger: &Merger) -> BTreeMap<(Vec<String>, u8, usize), Section> {
    let mut seen: BTreeMap<(Vec<String>, u8), usize> = BTreeMap::new();
    let mut named = BTreeMap::new();
    for section in merger.sections() {
        let count = seen.entry((section.heading.clone(), section.level)).or_default();
        named.insert((section.heading.clone(), section.level, *count), section);
        *count += 1;
    }
    named
}

#[cfg(test)]
mod tests {
    use super::{ended, put_back, put_back_over, without_merged};

    /// What somebody wrote below an item that goes is not left to the one above it.
    #[test]
    fn a_line_stays_below_its_item() {
        let wanted = "# T\n\n- a\n\n## B\n\n- b\n";
        let merged = "# T\n\n- a\n- agent\n\n## B\n\n- b\n";
        let now = merged.replace("- agent\n", "- agent\n  - mine\n");
        assert_eq!(without_merged(wanted, &now, |text| text == merged), None);
        // The item that was worded anew is the same one.
        let worded = wanted.replace("- a\n", "- agent\n");
        let now = worded.replace("- agent\n", "- agent\n  - mine\n");
        let back = without_merged(wanted, &now, |text| text == worded);
        assert_eq!(back, Some(wanted.replace("- a\n", "- a\n  - mine\n")));
    }

    /// A line that a person moved below a heading stays where they put it, or it is refused.
    #[test]
    fn a_line_that_was_moved_below_what_goes_stays() {
        let wanted = "# T\n\n## A\n\n- x\n- y\n- z\n";
        let merged = format!("{wanted}\n## New\n\nagent\n");
        for moved in ["## New\n- y\n", "## New\n\n- y\n"] {
            let now = merged.replace("- y\n", "").replace("## New\n", moved);
            assert_eq!(without_merged(wanted, &now, |text| text == merged), None, "{now}");
        }
        let within = merged.replace("- y\n- z\n", "- z\n- y\n");
        let back = without_merged(wanted, &within, |text| text == merged);
        assert_eq!(back, Some(wanted.replace("- y\n- z\n", "- z\n- y\n")));
    }

    /// What was taken out of the end of a document comes back with the blank lines in it.
    #[test]
    fn a_blank_line_at_the_end_comes_back() {
        for said in
            ["- x\n\npara\n", "first\n\nsecond\n\nthird\n", "| a |\n|---|\n| 1 |\n\nbelow\n", "> q\n\np"]
        {
            let wanted = format!("# T\n\n- one\n\n## A\n\n{said}");
            let taken_out = "# T\n\n- one\n\n## A\n";
            let now = taken_out.replace("one", "one, edited");
            let back = without_merged(&wanted, &now, |text| text == taken_out);
            assert_eq!(back.as_deref(), Some(ended(&wanted, "\n").replace("one", "one, edited").as_str()));
        }
    }

    /// A section that comes back is put where it was, or it is a conflict: not between another heading and its lines.
    #[test]
    fn a_line_stays_under_its_heading() {
        let wanted = "# D\n\n## A\n\n- a\n\n## B\n\n- b\n\n## C\n\n- c\n";
        let taken_out = wanted.replace("## B\n\n- b\n\n", "");
        let set = |text: &str| text.replace("\n- ", "\n* ");
        let back = without_merged(wanted, &set(&taken_out), |text| text == taken_out);
        assert_eq!(back, Some(set(wanted).replace("* b", "- b")));
        assert_eq!(without_merged(wanted, &taken_out, |text| text == taken_out).as_deref(), Some(wanted));
        let put_last = "# D\n\n## A\n\n- a\n\n## C\n\n- c\n\n## B\n\n- b\n";
        let mine = put_last.replace("## B\n\n", "## B\n\n- mine\n");
        assert_eq!(without_merged(wanted, &mine, |text| text == put_last), None);
        assert_eq!(put_back(put_last, &mine, wanted), None);
        // Whoever typed on in the line above it.
        for (line, typed) in [
            ("Some words.\n", "Some words, and more.\n"),
            ("```\nx\n```\n", "```\nx\n````\n"),
            ("| 1 | 2 |\n", "| 1 | 3 |\n"),
        ] {
            let [wanted, taken_out] = [wanted, &taken_out].map(|text| text.replace("- a\n", line));
            let back = without_merged(&wanted, &taken_out.replace(line, typed), |text| text == taken_out);
            assert_eq!(back, Some(wanted.replace(line, typed)));
        }
        // Lines that come back where somebody wrote others have no order.
        let steps = "# D\n\n1. one\n2. two\n3. three\n";
        let without = steps.replace("2. two\n", "");
        let mine = without.replace("1. one\n", "1. one\n4. mine\n");
        let back = without_merged(steps, &mine, |text| text == without);
        assert_eq!(back.as_deref(), None);
        // Unless others had taken their place; and one that was the last gets an end.
        let three = "# D\n\n- a\n- b\n- c\n";
        let (one, mine) = ("# D\n\n- x\n", "# D\n\n- top\n- x\n- mine");
        let back = without_merged(three, mine, |text| text == one);
        assert_eq!(back.as_deref(), Some("# D\n\n- top\n- a\n- b\n- c\n- mine"));
        let back = without_merged("l1\nl2\nl3", "l1\nl2\nl3\n- mine\n\n## M\n\nm\n", |text| {
            text == "l1\nl2\nl3\n\n## M\n\nm\n"
        });
        assert_eq!(back.as_deref(), Some("l1\nl2\nl3\n- mine\n"));
        let back = without_merged("- a\n\n## C", "- a\n- mine", |text| text == "- a");
        assert_eq!(back.as_deref(), None);
        // A section that somebody named anew is the same one.
        let cleared = wanted.replace("- b\n", "");
        let named = |text: &str| text.replace("## B\n", "## Bb\n");
        assert_eq!(put_back(&cleared, &named(&cleared), wanted), Some(named(wanted)));
    }

    #[test]
    fn a_section_that_both_brought_is_not_there_twice() {
        let base = "# D\n\n## B\n\n- b\n\n## D\n\n- d\n";
        let wanted = base.replace("## D", "## C\n\n- c\n\n## D");
        assert_eq!(put_back(base, base, &wanted), Some(wanted.clone()));
        assert_eq!(put_back(base, &wanted, &wanted), Some(wanted.clone()), "it is back already");
        let beside = |text: &str| text.replace("- b\n", "- b\n- mine\n");
        assert_eq!(put_back(base, &beside(base), &wanted), Some(beside(&wanted)));
        assert_eq!(put_back(base, &beside(&wanted), &wanted), None, "where the two differ is for a person");
        assert_eq!(put_back_over(base, &beside(&wanted), &wanted), None);
        let changed = base.replace("- d\n", "- D\n").replace("- b\n", "- b\n- mine\n");
        let wanted_too = base.replace("- d\n", "- e\n");
        assert_eq!(put_back(base, &changed, &wanted_too), None);
        assert_eq!(
            put_back_over(base, &changed, &wanted_too),
            Some(wanted_too.replace("- b\n", "- b\n- mine\n"))
        );
        // A section that was written since, right below what both changed.
        let more = changed.replace("- D\n", "- D\n\n## E\n\n- mine\n");
        assert_eq!(put_back_over(base, &more, &wanted_too), None);
        // Without an end of the last line, and with lines that look like marks.
        let cut = |text: &str| text.trim_end_matches('\n').to_owned();
        let kept = wanted_too.replace("- b\n", "- b\n- mine\n");
        assert_eq!(put_back_over(&cut(base), &cut(&changed), &cut(&wanted_too)), Some(cut(&kept)));
        assert_eq!(put_back_over(base, &changed, &cut(&wanted_too)), Some(cut(&kept)));
        let marks = ["<", "=", ">", "|"].map(|mark| mark.repeat(70)).join("\n");
        let with = |text: &str| text.replace("- e\n", &format!("- e\n{marks}\n"));
        assert_eq!(put_back_over(base, &changed, &with(&wanted_too)), Some(with(&kept)));
        assert_eq!(put_back_over(base, "", &wanted_too), Some(wanted_too.clone()));
        // Of a long document only what differs is merged.
        let long =
            |text: &str| format!("# Long\n\n{}{text}{}", "- line\n".repeat(9_000), "- line\n".repeat(9_000));
        let [base_too, changed, wanted_too] = [base, &*changed, &*wanted_too].map(long);
        assert_eq!(put_back_over(&base_too, &changed, &wanted_too), Some(long(&kept)));
        let other = |n: usize| (0..7_000).map(|at| format!("- {n} {at}\n")).collect::<String>();
        assert_eq!(put_back_over(&other(1), &other(2), &other(3)), None, "too much");
        let below = wanted.replace("- d\n", "- d\n- mine\n");
        assert_eq!(put_back(base, &below, &wanted), Some(below.clone()));
    }

    #[test]
    fn what_was_changed_by_hand_since_a_merge_stays() {
        let before = "# A\n\n- one\n\n## B\n\n- two\n";
        let merged = "# A\n\n- one\n- m1\n- m2\n\n## B\n\n- two\n";
        for (now, wanted) in [
            // Elsewhere, beside it, before it, and in two places.
            (merged.replace("- two", "- two PERSON"), Some(before.replace("- two", "- two PERSON"))),
            (merged.replace("- m2\n", "- m2\n- mine\n"), Some(before.replace("- one\n", "- one\n- mine\n"))),
            (merged.replace("- one\n", ""), Some(before.replace("- one\n", ""))),
            (
                merged.replace("# A", "# a").replace("- two\n", "x"),
                Some(before.replace("# A", "# a").replace("- two\n", "x")),
            ),
            // Nothing.
            (merged.to_owned(), Some(before.to_owned())),
            // In what was merged.
            (merged.replace("- m2", "- m2, I think"), None),
            (merged.replace("- m2\n", ""), None),
        ] {
            assert_eq!(without_merged(before, &now, |text| text == merged), wanted, "{now}");
        }
        // A line that somebody wrote into a section which goes.
        let with = "# A\n\n- one\n\n## C\n\n- c\n\n## B\n\n- two\n";
        let mine = with.replace("- c\n", "- c\n- mine\n");
        assert_eq!(without_merged(before, &mine, |text| text == with), None);
        assert_eq!(without_merged(before, with, |text| text == with).as_deref(), Some(before));
        // A line that was changed, and the one below it by hand.
        let now = "a\nM\nP\n";
        let back = without_merged("a\nb\nc\n", now, |text| text == "a\nM\nc\n");
        assert_eq!(back.as_deref(), Some("a\nb\nP\n"));
    }

    #[test]
    fn what_is_too_much_is_not_told_apart() {
        let lines = |from: usize| (from..from + 40).map(|n| format!("- {n}\n")).collect::<String>();
        let now = lines(0).replace('1', "x") + &lines(100);
        // Told apart line by line, this one would be found.
        let merged = lines(0) + "- 100\n";
        assert_eq!(without_merged(&lines(0), &now, |text| text == merged), None);
    }
}
