//! What we write into a document's front matter, where its knowledge base has `frontmatter: true`: when it was last
//! changed, and by what. The time is the declaration's own, so that a merge that is repeated writes the same bytes.

use crate::knowledge_base::KnowledgeBase;
use declaration::time::Timestamp;
use declaration::{Create, Entry, Key, Operation, Target};
use markdown_merge::FRONT_MATTER;
use markdown_merge::{Change, ChangeKind, Merger};

/// Sets `updated_at` and `source` after a job that changed something. Where they cannot be set (there is no front matter,
/// or a person made it a list) the text stays as it is, and so does what a person wrote there: an `updated_at` of several words that
/// are no time, and a `source` without one.
pub fn stamp(merger: &mut Merger, kb: &KnowledgeBase, changes: &[Change], said_at: Timestamp, source: &str) {
    if !kb.front_matter || changes.iter().all(|change| change.kind == ChangeKind::Unchanged) {
        return;
    }
    let said_at = said_at.to_string();
    let value = |key| merger.front_matter_value(key).map(|value| value.trim().trim_matches(['"', '\'']));
    let is_ours = match value("updated_at") {
        Some(written) => is_a_time(written) || written.split_whitespace().count() < 2,
        None => value("source").is_none_or(str::is_empty),
    };
    if !is_ours {
        return;
    }
    for (key, value) in [("updated_at", said_at.as_str()), ("source", source)] {
        if !value.trim().is_empty() {
            let _ = merger.apply(&[set(key, value)], &kb.rules(), &|_| None);
        }
    }
}

/// Whether a value is a date, `2026-11-28`, with nothing behind it but a time and its zone.
fn is_a_time(value: &str) -> bool {
    let mut words = value.split_whitespace();
    let date = words.next().and_then(|word| word.get(..10)).unwrap_or_default();
    let digit = |at: usize, b: u8| if matches!(at, 4 | 7) { b == b'-' } else { b.is_ascii_digit() };
    let is_date = date.len() == 10 && date.bytes().enumerate().all(|(at, b)| digit(at, b));
    let is_of_a_time = |word: &str| {
        word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b":.+-/".contains(&b))
    };
    is_date && words.all(is_of_a_time)
}

fn set(key: &str, value: &str) -> Entry {
    let heading = vec![FRONT_MATTER.to_owned(), key.to_owned()];
    let key = Key { target: Target::Path(String::new()), heading, level: 0 };
    // The value stays on one line, even if the source has several.
    let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
    Entry { operation: Operation::Update, content: Some(value), create: Create::Section, ..Entry::no_op(key) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamped(text: &str, source: &str) -> String {
        let kb = KnowledgeBase { front_matter: true, ..KnowledgeBase::plain("notes", "~/notes.md") };
        let mut merger = Merger::open(text.as_bytes()).unwrap();
        let entry = Entry {
            operation: Operation::Append,
            content: Some("x".to_owned()),
            create: Create::Section,
            ..Entry::no_op(Key { target: Target::Kb("notes".into()), heading: vec!["A".into()], level: 2 })
        };
        let changes = merger.apply(&[entry], &kb.rules(), &|_| None).unwrap();
        stamp(&mut merger, &kb, &changes, Timestamp(1_700_000_000_000), source);
        merger.text().to_owned()
    }

    #[test]
    fn only_its_own_keys_and_only_where_they_can_stand() {
        assert_eq!(
            stamped("---\ntitle: \"T\" # mine\nupdated_at: 2020-01-01\n---\n\n## A\n\nold\n", "s: 1"),
            "---\ntitle: \"T\" # mine\nupdated_at: 2023-11-14T22:13:20.000Z\nsource: \"s: 1\"\n---\n\n## A\n\nold\n\nx\n"
        );
        assert_eq!(stamped("## A\n\nold\n", "s"), "## A\n\nold\n\nx\n", "no front matter");
        let odd = "---\nupdated_at: [1, 2]\n---\n\n## A\n\nold\n";
        assert_eq!(stamped(odd, ""), format!("{odd}\nx\n"), "a hand made a list of it");
        for theirs in
            ["updated_at: yesterday, by Mei", "updated_at: 2026-01-01 by Mei", "source: my notebook"]
        {
            let text = format!("---\n{theirs}\n---\n\n## A\n\nold\n");
            assert_eq!(stamped(&text, "s"), format!("{text}\nx\n"), "a person's words");
        }
    }
}
