//! "Did you mean …?": the known word nearest to a misspelt one.

/// The candidate that differs from `word` by little, if there is one. Case, `-` and `_` do not count.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = plain(word);
    let far = 1 + word.len() / 4;
    candidates
        .into_iter()
        .map(|candidate| (distance(&word, &plain(candidate)), candidate))
        .filter(|(distance, _)| *distance <= far)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The candidate that begins like `word`, in any case.
pub fn begun<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    candidates.into_iter().find(|candidate| !word.is_empty() && candidate.starts_with(&word))
}

/// The beginning of a hint that goes on with what is known: empty where nothing is near.
#[must_use]
pub fn suggestion(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!("did you mean `{near}`? "))
}

/// Words that other tools, and language models, use for ours. Each counts only where ours is a candidate.
const SYNONYMS: [(&str, &[&str]); 15] = [
    ("operation", &["op", "action", "type", "mode"]),
    ("content", &["text", "body", "value", "new_text", "new_string"]),
    ("old_text", &["old", "old_string", "find"]),
    ("heading", &["title", "section", "header"]),
    ("kb", &["knowledge_base", "base", "target", "to", "document"]),
    ("path", &["file", "filename", "document"]),
    ("entries", &["entry", "changes", "edits", "items", "updates"]),
    ("reason", &["why", "note"]),
    ("append", &["insert", "push", "add"]),
    ("update", &["set", "write", "overwrite", "upsert", "create"]),
    ("replace", &["edit", "patch", "substitute"]),
    ("delete", &["remove", "drop"]),
    ("clear", &["empty", "erase"]),
    ("no-op", &["none", "nothing", "skip"]),
    ("version", &["schema_version", "format"]),
];

/// The candidate that means the same as another tool's `word`.
fn synonym<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase().replace('-', "_");
    let same =
        |ours: &str| SYNONYMS.iter().any(|(known, others)| *known == ours && others.contains(&word.as_str()));
    candidates.into_iter().find(|candidate| same(candidate))
}

/// Advice for an unknown word: the one that means the same, the nearest one, or all of them.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    let near = synonym(word, known.clone()).or_else(|| nearest(word, known.clone()));
    match near.or_else(|| longer(word, known.clone())) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known are: {}", known.into_iter().collect::<Vec<_>>().join(", ")),
    }
}

/// The candidate that a word begins with, before a separator: `append` of `append_line`; what it means the same as counts, too.
fn longer<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let (first, _) = word.split_once(['-', '_', ' '])?;
    synonym(first, candidates.clone()).or_else(|| candidates.into_iter().find(|known| *known == first))
}

/// Compared without case and separators, and only its head: a longer word is near to nothing we know.
fn plain(word: &str) -> Vec<char> {
    word.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).flat_map(char::to_lowercase).take(64).collect()
}

/// Edit distance in which two swapped neighbours count once.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut best = (above[j] + usize::from(x != y)).min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut above, row);
    }
    above.last().copied().unwrap_or(a.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longer_word_means_what_it_begins_with() {
        let known = ["append", "update", "delete", "insert_before"];
        for (word, meant) in [
            ("add_line", "append"),
            ("append_to", "append"),
            ("remove-section", "delete"),
            ("delete it", "delete"),
        ] {
            assert_eq!(did_you_mean(word, known), format!("did you mean `{meant}`?"), "{word}");
        }
        assert!(did_you_mean("line_add", known).starts_with("known are: "));
    }

    #[test]
    fn a_slip_is_recognised_and_another_word_is_not() {
        let known = ["heading", "level", "path", "kb", "url", "old_text", "no-op"];
        for (slip, meant) in [
            ("haeding", Some("heading")),
            ("Level", Some("level")),
            ("oldText", Some("old_text")),
            ("noop", Some("no-op")),
            ("priority", None),
            ("", None),
        ] {
            assert_eq!(nearest(slip, known).filter(|_| !slip.is_empty()), meant, "{slip}");
        }
    }
}
