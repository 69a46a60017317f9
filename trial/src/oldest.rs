//! Which sections of a document were written longest ago. A refusal over the budget names them, because old sections
//! are the likeliest to be shortened.

use crate::Trial;
use declaration::{Code, Timestamp};
use documents::Revision;
use markdown_merge::{ChangeKind, Section, sections};
use queue_layout::Outcome;
use std::collections::HashMap;

/// Sections that are named.
const NAMED: usize = 3;

/// The same outcome; an error about a budget gets these words at the end of its hint. `onto` is the text the jobs are
/// merged onto.
pub(crate) fn with_oldest(mut outcome: Outcome, trial: &Trial<'_>, onto: &[u8]) -> Outcome {
    if let Outcome::Failed(error) | Outcome::Review { fault: error, .. } = &mut outcome
        && error.code == Code::OverBudget
        && let (Some(hint), Some(words)) = (&mut error.hint, longest_ago(trial, onto))
    {
        hint.push_str("; ");
        hint.push_str(&words);
    }
    outcome
}

/// In words, for the end of a hint; `None` where nothing is known of any section.
fn longest_ago(trial: &Trial<'_>, onto: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(onto).ok()?;
    let found = written(&sections(text).ok()?, &trial.documents.revisions(trial.document).ok()?);
    let named: Vec<String> =
        found.iter().take(NAMED).map(|(heading, at)| format!("`{heading}` ({})", at.day())).collect();
    (!named.is_empty()).then(|| format!("written longest ago are {}", named.join(", ")))
}

/// The sections that we wrote, with when we did so last, the oldest first.
fn written(sections: &[Section], revisions: &[Revision]) -> Vec<(String, Timestamp)> {
    let mut last: HashMap<(&str, u8), Timestamp> = HashMap::new();
    for revision in revisions {
        let changes = revision.jobs.iter().flat_map(|job| &job.changes);
        for change in changes.filter(|change| change.kind != ChangeKind::Unchanged) {
            if let Some(title) = change.heading.last() {
                last.insert((title.trim(), change.level), revision.at);
            }
        }
    }
    let known = |section: &Section| {
        let at = *last.get(&(section.heading.last()?.trim(), section.level))?;
        Some((section.heading.join(" > "), at))
    };
    let mut found: Vec<_> = sections.iter().filter_map(known).collect();
    found.sort_by_key(|(_, at)| *at);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use documents::JobRecord;
    use markdown_merge::Change;

    #[test]
    fn the_last_change_counts_and_what_is_gone_is_not_named() {
        let revision = |at: u64, headings: &[&str]| {
            let change = |heading: &&str| Change {
                kind: ChangeKind::Changed,
                heading: vec![(*heading).to_owned()],
                level: 2,
                before: None,
                after: None,
                item: None,
                renamed: None,
                piece: None,
                sections: None,
            };
            let job = JobRecord { changes: headings.iter().map(change).collect(), ..JobRecord::default() };
            Revision {
                version: at,
                at: Timestamp(at),
                batch: String::new(),
                document: None,
                by: String::new(),
                before: None,
                after: String::new(),
                jobs: vec![job],
                during: None,
            }
        };
        let sections = sections("# D\n\n## A\n\na\n\n## B\n\nb\n\n## C\n\nc\n").unwrap();
        let found =
            written(&sections, &[revision(1, &["A", "Gone"]), revision(2, &["B"]), revision(3, &["A"])]);
        assert_eq!(found, [("D > B".to_owned(), Timestamp(2)), ("D > A".to_owned(), Timestamp(3))]);
    }
}
