//! Links to a heading: `#usage`, `docs/guide.md#usage`.

use super::links::file_of;
use crate::document::{Reading, slug};
use crate::evidence::is_near;
use crate::tree::joined;
use crate::{CheckedDocument, DriftFinding, Look};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) fn find(look: &Look<'_>) -> Vec<DriftFinding> {
    if look.document.is_part() {
        return Vec::new();
    }
    // Several links may lead into the same document: it is read once.
    let mut others: BTreeMap<String, Option<(BTreeSet<String>, bool)>> = BTreeMap::new();
    let found = look.document.links.iter().filter_map(|link| {
        let (target, anchor) = link.text.split_once('#')?;
        // `#L12` is a line of code; an anchor with one of these characters is made by a program.
        let is_line =
            anchor.strip_prefix('L').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        if anchor.is_empty()
            || is_line
            || matches!(anchor, "top" | "readme")
            || anchor.contains(['/', '=', ':', '{', '%'])
        {
            return None;
        }
        let other = match target {
            "" => None,
            target => {
                let path = joined(look.document.dir(), &file_of(target)?)?;
                let read = others.entry(path).or_insert_with_key(|path| anchors_of(look, path));
                Some(read.as_ref()?)
            }
        };
        let own = (&look.document.anchors, look.document.has_hidden_anchors);
        let (anchors, hidden) = other.map_or(own, |(anchors, hidden)| (anchors, *hidden));
        let wanted = anchor.to_lowercase();
        // Some tools leave signs and dashes in anchors that others leave out.
        let bare = |anchor: &str| slug(anchor).trim_matches('-').to_owned();
        let plain = bare(&wanted);
        let is_there = anchors.iter().any(|known| known.to_lowercase() == wanted || bare(known) == plain);
        // The anchors of a file without any heading are made by something we do not know.
        if is_there || hidden || anchors.is_empty() {
            return None;
        }
        let mut near = anchors.iter().filter(|known| is_near(known, &wanted));
        let now = near.next().filter(|_| near.next().is_none()).map(|anchor| format!("{target}#{anchor}"));
        let why = "no heading has that anchor".to_owned();
        Some(DriftFinding { line: link.line, check: "anchor", says: link.text.clone(), why, now })
    });
    found.collect()
}

/// The anchors of another document, and whether it may have more that we cannot know; `None` if it is not Markdown.
fn anchors_of(look: &Look<'_>, path: &str) -> Option<(BTreeSet<String>, bool)> {
    let text = path.ends_with(".md").then(|| (look.read)(path)).flatten()?;
    let reading = Reading::of(&CheckedDocument { path, text: &text });
    Some((reading.anchors, reading.has_hidden_anchors))
}
