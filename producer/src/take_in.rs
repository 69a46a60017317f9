//! Declarations that were left as files: moved into `pending/` by a shell script, or put into an inbox. Each becomes
//! jobs once, also when we die half-way.

use crate::drafts::{Submission, drafts};
use declaration::reading;
use declaration::terminal::without_hidden;
use declaration::{Problem, Timestamp, Trust};
use policy::knowledge_base::Surroundings;
use queue_layout::{
    Claimant, Claimed, DROP_EVENT, Enqueued, INBOX_EVENT, JobId, Producer, QueueError, Result, Stray,
};
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// A declaration left in an inbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxFile {
    /// Where.
    pub path: PathBuf,
    /// The project whose `.agents/` it was left in; `None` for the home.
    pub project: Option<PathBuf>,
}

/// What was taken in.
#[derive(Debug, Default)]
pub struct TakenIn {
    /// The jobs made.
    pub jobs: Vec<Enqueued>,
    /// The files that could not be read, with what is wrong: they wait in `staging/failed/`.
    pub refused: Vec<(JobId, Vec<Problem>)>,
    /// The files of inboxes that could not be taken, with what the system said: they stay where they are.
    pub left: Vec<(PathBuf, QueueError)>,
}

/// Takes in everything that was left. `said` is what is known of where: its producer is filled in per file.
///
/// # Errors
/// A disk error; what was taken in before stays.
pub fn take_in(
    claimant: &Claimant,
    inbox: &[InboxFile],
    said: &Submission<'_>,
    now: Timestamp,
    random: &mut dyn FnMut() -> u64,
) -> Result<TakenIn> {
    let mut taken = TakenIn::default();
    let queue = claimant.queue();
    let strays = queue.worker().strays()?;
    // One that came back may have killed the process that read it: it is held alone.
    let together = |a: &Stray, b: &Stray| matches!((a, b), (Stray::Foreign(_), Stray::Foreign(_)));
    for strays in strays.chunk_by(together).flat_map(|alike| alike.chunks(TOGETHER_MAX)) {
        some(claimant, strays, said, now, random, &mut taken)?;
    }
    for file in inbox {
        match claimant.drops().claim_from_inbox(&file.path, now, random) {
            // An inbox is a directory of a person's. A file that may not be moved out of it is reported, and the
            // others are taken in.
            Err(e) if !e.is_machine_trouble() => taken.left.push((file.path.clone(), e)),
            other => {
                if let Some(claimed) = other? {
                    let name = file.path.file_name().unwrap_or_default().to_string_lossy();
                    let left = LeftFile { name: &name, fresh: false, project: file.project.as_deref() };
                    match one(claimant, &claimed, said, &left, now, &mut taken) {
                        Ok(None) => {}
                        Ok(Some(problems)) => refuse(claimant, vec![(claimed, problems)], now, &mut taken)?,
                        Err(e) => return Err(given_back(claimant, &[claimed], e)),
                    }
                }
            }
        }
    }
    Ok(taken)
}

/// Files that are claimed together, and share the syncs of their claims and of what is set aside of them.
const TOGETHER_MAX: usize = 100;

/// Takes in some of those that were moved into `pending/`.
fn some(
    claimant: &Claimant,
    strays: &[Stray],
    said: &Submission<'_>,
    now: Timestamp,
    random: &mut dyn FnMut() -> u64,
    taken: &mut TakenIn,
) -> Result<()> {
    let claims = claimant.drops().claim(strays, now, random)?;
    let mut refused = Vec::new();
    for (n, (stray, claimed)) in strays.iter().zip(&claims).enumerate() {
        let Some(claimed) = claimed else { continue };
        let left = match stray {
            Stray::Foreign(name) => LeftFile { name, fresh: true, project: None },
            Stray::Known(_) => LeftFile { name: "", fresh: false, project: None },
        };
        match one(claimant, claimed, said, &left, now, taken) {
            Ok(problems) => refused.extend(problems.map(|problems| (claimed.clone(), problems))),
            Err(e) => {
                let refused = refused.into_iter().map(|(claimed, _)| claimed);
                let open: Vec<Claimed> = refused.chain(claims[n..].iter().flatten().cloned()).collect();
                return Err(given_back(claimant, &open, e));
            }
        }
    }
    refuse(claimant, refused, now, taken)
}

/// Sets aside what could not be read.
fn refuse(
    claimant: &Claimant,
    refused: Vec<(Claimed, Vec<Problem>)>,
    now: Timestamp,
    taken: &mut TakenIn,
) -> Result<()> {
    claimant.quarantine_all(&refused, now)?;
    taken.refused.extend(refused.into_iter().map(|(claimed, problems)| (claimed.id(), problems)));
    Ok(())
}

/// The run ends, and what it holds goes back. Where that fails as well, whoever recovers the claims gives it back.
fn given_back(claimant: &Claimant, claims: &[Claimed], why: QueueError) -> QueueError {
    drop(claimant.release(claims));
    why
}

/// How a file was left.
struct LeftFile<'a> {
    /// The name somebody gave it; empty where that is not known any more.
    name: &'a str,
    /// Nobody can have made jobs of it before.
    fresh: bool,
    /// The project whose inbox it was left in.
    project: Option<&'a Path>,
}

/// Makes jobs of one claimed file; what is wrong with one that cannot be read.
fn one(
    claimant: &Claimant,
    claimed: &Claimed,
    said: &Submission<'_>,
    left: &LeftFile<'_>,
    now: Timestamp,
    taken: &mut TakenIn,
) -> Result<Option<Vec<Problem>>> {
    let LeftFile { name, fresh, project } = *left;
    let bytes = match claimant.drops().bytes(claimed) {
        Ok(bytes) => Ok(bytes),
        Err(QueueError::Unreadable { problems, .. }) => Err(problems),
        Err(e) => return Err(e),
    };
    let event = if project.is_some() { INBOX_EVENT } else { DROP_EVENT };
    // Whoever left it did not sign it: no more than an agent's word.
    let trust = Some(Trust::Agent);
    let producer = Producer { event: event.to_owned(), pid: None, cwd: None, trust, ..said.producer.clone() };
    let around = Surroundings { project: project.or(said.around.project), ..said.around };
    let trouble = RefCell::new(None);
    let canonicalise = |path: &Path| {
        (said.canonicalise)(path).inspect_err(|e| {
            let e = QueueError::cannot_look(path, e);
            if e.is_machine_trouble() {
                trouble.replace(Some(e));
            }
        })
    };
    // A file says "yesterday" of the day it was written on, whenever a worker comes by.
    let written = claimant.drops().written_at(claimed)?.map(|at| at.min(now));
    let moment = |_| (said.moment)(written);
    let said = Submission {
        around,
        producer: &producer,
        key: None,
        canonicalise: &canonicalise,
        moment: &moment,
        written,
        ..*said
    };
    let read = bytes.and_then(|bytes| {
        let declarations = reading::read(&bytes, None)?;
        drafts(declarations, &said).map_err(|found| reading::placed(&bytes, None, found))
    });
    // The disk failed, not the declaration: the claim is released, and the run ends.
    if let Some(e) = trouble.take() {
        return Err(e);
    }
    match read {
        Ok(drafts) => {
            taken.jobs.extend(claimant.drops().publish(claimed, drafts, fresh, written.unwrap_or(now))?);
            Ok(None)
        }
        Err(mut problems) => {
            // It waits under an id: its author looks for the name they gave it.
            if let Some(first) = problems.first_mut().filter(|_| !name.is_empty()) {
                // Nobody's words: what a terminal would obey in it is written out at once, wherever the message goes.
                let name = without_hidden(name).replace(['\n', '\t'], " ");
                first.message = format!("{} (left as {name})", first.message);
            }
            Ok(Some(problems))
        }
    }
}
