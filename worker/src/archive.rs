//! Where a person wants it (`keep_days`), daily logs that are old go to `archive/` beside them, untouched: one rename, under the
//! document's lock, and only when nothing waits for it, neither for a worker nor for a person. A late entry has its day brought back.

use crate::Context;
use crate::error::RunError;
use declaration::time::day_before;
use documents::{Document, Documents};
use durable::Moved;
use policy::family::old_days;
use policy::knowledge_base::{self, KnowledgeBase, family_directory};
use queue_layout::{DocKey, Event, JournalEntry, State};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Moves what is older than its knowledge base keeps in place; `today` by the calendar of whoever speaks here.
///
/// # Errors
/// Trouble of the machine: what was not moved is moved another time.
pub fn archive(context: &Context<'_>, today: &str) -> Result<Vec<PathBuf>, RunError> {
    let mut moved = Vec::new();
    for kb in context.kbs {
        let Some((dir, file, oldest)) = daily_logs(kb, context.user_home, today) else { continue };
        let names = match context.disk.list(&dir) {
            Ok(names) => names.into_iter().filter_map(|name| name.into_string().ok()).collect::<Vec<_>>(),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => continue,
            Err(e) => return Err(e.into()),
        };
        let old = old_days(&file, &names, &oldest);
        if old.is_empty() {
            continue;
        }
        let mut waiting: BTreeSet<DocKey> =
            context.queue.list_runnable()?.0.jobs.iter().map(|listed| listed.doc).collect();
        for state in [State::Failed, State::Review] {
            let staged = context.queue.list(state)?.jobs;
            let jobs = staged.iter().filter_map(|listed| context.queue.load(listed).ok()?.job);
            waiting.extend(jobs.map(|job| job.document.doc));
        }
        for name in old {
            moved.extend(one(context, &dir, &name, &waiting)?);
        }
    }
    Ok(moved)
}

/// A family of daily logs: its directory, its file name, and the oldest day that stays.
fn daily_logs(kb: &KnowledgeBase, user_home: &Path, today: &str) -> Option<(PathBuf, String, String)> {
    let (dir, file) = family_directory(kb, user_home)?;
    Some((dir, file, day_before(today, kb.keep_days?)?))
}

/// The documents, with the days that lie in `archive/`.
pub(crate) fn and_archives(context: &Context<'_>) -> Documents {
    context.documents.and_archives(knowledge_base::archives(context.kbs, context.user_home))
}

/// Puts an old day back in its place, from where what a job changes of it is merged like everything else: under the locks that its
/// worker holds. The next look moves it again, with what it says then.
pub(crate) fn bring_back(
    context: &Context<'_>,
    kb: &KnowledgeBase,
    document: &Document,
) -> Result<(), RunError> {
    let (path, disk) = (&document.path, context.disk);
    let Some(from) = knowledge_base::archived(kb, context.user_home, path) else { return Ok(()) };
    if disk.stat_link(path)?.is_some() {
        return Ok(());
    }
    let is_file = |stat: durable::Stat| stat.kind == durable::FileKind::File;
    if !disk.stat_link(&from)?.is_some_and(is_file) || disk.move_new(&from, path)? != Moved::Done {
        return Ok(());
    }
    for dir in [path.parent(), from.parent()].into_iter().flatten() {
        disk.sync_dir(dir)?;
    }
    let mut event = JournalEntry::new((context.now)(), Event::BroughtBack);
    event.document = Some(path.display().to_string());
    context.happened(&[event.saying(None, from.display().to_string())]);
    Ok(())
}

fn one(
    context: &Context<'_>,
    dir: &Path,
    name: &str,
    waiting: &BTreeSet<DocKey>,
) -> Result<Option<PathBuf>, RunError> {
    let path = dir.join(name);
    // A link or a directory of that name is no log.
    let is_file = |stat: durable::Stat| stat.kind == durable::FileKind::File;
    if !context.disk.stat_link(&path)?.is_some_and(is_file) {
        return Ok(None);
    }
    let document = Document { canonical: context.documents.canonical(&path)?, path };
    // A document that is being written, or soon will be, stays where it is.
    let Some(_only_writer) = context.documents.try_lock(&document)? else { return Ok(None) };
    let Some(_in_place) = context.documents.try_lock_place(&document)? else { return Ok(None) };
    let holds = context.queue.holds()?;
    let is_held = holds.queue() || holds.document(&document.canonical);
    if is_held || waiting.contains(&DocKey::of(&document.canonical)) {
        return Ok(None);
    }
    let disk = context.disk;
    let archive = dir.join("archive");
    disk.make_dir(&archive)?;
    let target = archive.join(name);
    match disk.move_new(&document.path, &target)? {
        // A log of that day is there already: both stay where they are, for a person to look at.
        Moved::Gone | Moved::Taken => return Ok(None),
        Moved::Done => {}
    }
    disk.sync_dir(&archive)?;
    disk.sync_dir(dir)?;
    let mut event = JournalEntry::new((context.now)(), Event::Archived);
    event.document = Some(document.path.display().to_string());
    context.happened(&[event.saying(None, target.display().to_string())]);
    Ok(Some(target))
}
