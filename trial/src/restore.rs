//! A rollback: the whole document goes back to an earlier text. What was changed since somebody asked for it stays
//! where that is possible, and is a conflict where it is not; nothing is undone that nobody has looked at.

use declaration::{Code, Fault};
use markdown_merge::rollback::{changes, put_back};
use markdown_merge::{Conflict, Merger};
use policy::knowledge_base::{KnowledgeBase, Policy};
use queue_layout::{Outcome, Restore};

/// Puts the merger's document back. `replayed`: the text it becomes where jobs alone changed the document since, if that is known.
pub(crate) fn restored(
    merger: &mut Merger,
    restore: &Restore,
    replayed: Option<String>,
    kb: &KnowledgeBase,
) -> Outcome {
    if kb.policy == Policy::ReadOnly {
        let message = format!("knowledge base `{}` is read-only", kb.name);
        let hint = "change its policy in config.yaml, then retry the job; or discard it";
        return Outcome::Failed(Fault::new(Code::ReadOnly, message).hint(hint));
    }
    let put_back = || put_back(&restore.base, merger.text(), &restore.text);
    let Some(text) = replayed.or_else(put_back) else {
        return Outcome::Failed(conflict(restore, merger.text()));
    };
    // Earlier edits of this merger are verified now, because the whole text is replaced here.
    let opened = merger.verify().and_then(|()| Merger::open(text.as_bytes()));
    match opened {
        Ok(opened) => {
            let changes = changes(merger, &opened);
            *merger = opened;
            Outcome::merged(changes)
        }
        Err(refusal) => Outcome::Failed(refusal.into()),
    }
}

fn conflict(restore: &Restore, now: &str) -> Fault {
    let message =
        format!("the document changed since its rollback to version {} was asked for", restore.version);
    let conflict = Conflict {
        base: Some(restore.base.clone()),
        current: Some(now.to_owned()),
        wanted: restore.text.clone(),
    };
    let hint =
        "the job's side (theirs) rolls it back all the same, the document's side (ours) leaves it as it is";
    Fault { conflict: Some(Box::new(conflict)), ..Fault::new(Code::Conflict, message).hint(hint) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use markdown_merge::ChangeKind;

    fn back(now: &str, base: &str, text: &str) -> (Outcome, String) {
        let mut merger = Merger::open(now.as_bytes()).unwrap();
        let restore = Restore { version: 1, base: base.to_owned(), text: text.to_owned() };
        let outcome = restored(&mut merger, &restore, None, &KnowledgeBase::plain("notes", "~/notes.md"));
        (outcome, merger.text().to_owned())
    }

    #[test]
    fn the_old_text_byte_for_byte() {
        let (old, new) = ("# A\r\n\r\nx\r\n", "# A\r\n\r\ny\r\n\r\n## B\r\n\r\nz\r\n");
        let (outcome, text) = back(new, new, old);
        let Outcome::Applied(changes) = outcome else { panic!("{outcome:?}") };
        assert_eq!(text, old);
        let kinds: Vec<_> = changes.iter().map(|change| (change.kind, change.heading.join(">"))).collect();
        assert_eq!(kinds, [(ChangeKind::Changed, "A".to_owned()), (ChangeKind::Deleted, "A>B".to_owned())]);
    }

    #[test]
    fn what_came_since_stays_or_is_a_conflict() {
        let (old, seen) = ("# A\n\none\n\n## B\n\nb\n", "# A\n\ntwo\n\n## B\n\nb\n");
        let (outcome, text) = back("# A\n\ntwo\n\n## B\n\nb\n\n## C\n\nc\n", seen, old);
        assert!(matches!(outcome, Outcome::Applied(_)));
        assert_eq!(text, "# A\n\none\n\n## B\n\nb\n\n## C\n\nc\n");
        let now = "# A\n\nthree\n\n## B\n\nb\n";
        let (outcome, text) = back(now, seen, old);
        let Outcome::Failed(error) = outcome else { panic!("{outcome:?}") };
        assert_eq!((error.code.as_str(), text.as_str()), ("conflict", now));
        assert_eq!(error.conflict.unwrap().wanted, old);
    }

    #[test]
    fn there_already_changes_nothing() {
        let (outcome, _) = back("# A\n", "# B\n", "# A\n");
        assert_eq!(outcome, Outcome::Unchanged(Vec::new()));
    }
}
