//! Items across documents: which document holds one.

use crate::{ChangeItem, Exit, Failure, Home};
use declaration::{Code, Problem, Target};
use markdown_merge::item::Item;
use markdown_merge::{Merger, RefusalCode};
use policy::settings::Settings;
use std::path::Path;

impl Home {
    /// The document that holds the item with this id, or will hold it once what waits is merged.
    ///
    /// # Errors
    /// None does, or several do.
    pub(crate) fn home_of_item(
        &self,
        settings: &Settings,
        cwd: &Path,
        project: Option<&Path>,
        id: &str,
    ) -> Result<Target, Problem> {
        let managed = self.documents_and_old_days(cwd, project, settings);
        let texts = managed.iter().filter_map(|managed| {
            let bytes = self.documents().read(&managed.document()).ok()?.bytes;
            Some((managed.name(), bytes))
        });
        let texts: Vec<(String, Vec<u8>)> = texts.collect();
        let unread =
            || managed.iter().filter_map(|managed| self.merger_of(managed).err()).collect::<Vec<_>>();
        let written = format!("^{id}");
        let (mut homes, mut several) =
            holding(&texts, |bytes| String::from_utf8_lossy(bytes).contains(&written), id);
        if homes.is_empty() && several.is_none() {
            if let Some(target) = self.waiting_home_of(id) {
                return Ok(target);
            }
            // An item that a person wrote has no id in the document: it has the one that is derived from its text.
            (homes, several) = holding(&texts, |_| true, id);
        }
        keep_originals(settings, &mut homes, |name| name);
        match homes.as_slice() {
            [one] => Ok(Target::Kb((*one).clone())),
            [] => Err(several.unwrap_or_else(|| {
                Problem::new(Code::ItemNotFound, in_no_document(id, &unread()))
                    .hint("look at the items there are: an id is what stands behind the `^` of one")
            })),
            [first, second, ..] => {
                let message = format!("more than one document has an item {id}: {first} and {second}");
                Err(Problem::new(Code::ItemAmbiguous, message).hint("name the knowledge base beside it"))
            }
        }
    }

    /// The text that an item is given, with the tags it has where the new text names none.
    ///
    /// # Errors
    /// `Exit::Refused`: it is to be checked, and is no task.
    pub(crate) fn text_of_change(&self, change: &ChangeItem, cwd: &Path) -> Result<Option<String>, Failure> {
        // An item that is not found is refused by the enqueue itself.
        let Ok(item) = self.item(&change.id, cwd).map(|shown| shown.item) else {
            return Ok(change.text.clone());
        };
        if item.done.is_none() && matches!(change.operation.as_str(), "check" | "uncheck") {
            let (id, text) = (&item.id, &item.text);
            return Err(Failure::new(format!("item {id} is no task, nothing was enqueued: {text}"))
                .hint("a task is written `- [ ] …`")
                .exit(Exit::Refused));
        }
        let Some(text) = &change.text else { return Ok(None) };
        let line = format!("- {}", text.trim());
        let names_some = Item::read(&line).is_some_and(|new| new.tags().next().is_some());
        let tags: String = item.tags.iter().map(|tag| format!(" #{tag}")).collect();
        if names_some || tags.is_empty() {
            return Ok(Some(text.clone()));
        }
        let (first, below) = text.split_at(text.find('\n').unwrap_or(text.len()));
        Ok(Some(format!("{}{tags}{below}", first.trim_end())))
    }

    /// The document of a job that waits and makes this item.
    fn waiting_home_of(&self, id: &str) -> Option<Target> {
        let waiting = operator::all_waiting(self.queue()).ok()?;
        waiting.iter().find_map(|waiting| Some(waiting.job.entry_of_item(id)?.key.target.clone()))
    }
}

/// That no document has an item; and, as that is not so for certain then, which documents could not be read.
pub(crate) fn in_no_document(id: &str, unread: &[String]) -> String {
    match unread {
        [] => format!("no managed document has an item {id}"),
        unread => format!("no document that could be read has an item {id}; {}", not_searched(unread)),
    }
}

/// Which documents could not be read, with the reasons.
pub(crate) fn not_searched(unread: &[String]) -> String {
    format!("not searched: {}", unread.join("; "))
}

/// Of documents that have the same item those that it was written into: what stands in a copy (`copy_of`) is the item of its
/// document. `of`: the knowledge base of one, or the member of it.
pub(crate) fn keep_originals<T>(settings: &Settings, found: &mut Vec<T>, of: impl Fn(&T) -> &str) {
    let is_original = |one: &T| !is_of_copy(settings, of(one));
    if found.iter().any(is_original) {
        found.retain(is_original);
    }
}

/// Whether a knowledge base, or that of a member, is a copy of another document (`copy_of`).
pub(crate) fn is_of_copy(settings: &Settings, name: &str) -> bool {
    let kb = name.split(':').next().unwrap_or_default();
    settings.knowledge_base(kb).is_some_and(|kb| kb.copy_of.is_some())
}

/// The documents with an item of this id, among those that may have one; and that one has several, where that is so.
fn holding<'t>(
    texts: &'t [(String, Vec<u8>)],
    may: impl Fn(&[u8]) -> bool,
    id: &str,
) -> (Vec<&'t String>, Option<Problem>) {
    let (mut homes, mut several) = (Vec::new(), None);
    for (name, bytes) in texts.iter().filter(|(_, bytes)| may(bytes)) {
        match Merger::open(bytes).and_then(|merger| merger.one_item(id).map(|_| ())) {
            Ok(()) => homes.push(name),
            Err(refusal) if refusal.code == RefusalCode::ItemAmbiguous => {
                let hint = refusal.hint.unwrap_or_default();
                several = Some(Problem::new(Code::ItemAmbiguous, refusal.message).hint(hint));
            }
            Err(_) => {}
        }
    }
    (homes, several)
}
