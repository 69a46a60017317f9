//! What was declared for a document and is not in it yet, wherever it waits.

use declaration::Advice;
use queue_layout::{DocKey, Job, Queue, QueueError, Result, State};
use serde::Serialize;

/// One job that waits for a document.
#[derive(Debug, Clone)]
pub struct Waiting {
    /// Where.
    pub place: Whereabouts,
    /// The job.
    pub job: Job,
}

/// Where it waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Whereabouts {
    /// In the queue.
    Queue(State),
    /// In the buffer of a session, which flushes it when it ends.
    Session(String),
}

impl Whereabouts {
    /// In words; `say` is the wording of the surface.
    #[must_use]
    pub fn describe(&self, say: &dyn Fn(&Advice) -> String) -> String {
        match self {
            Whereabouts::Queue(State::Failed) => {
                format!("failed; {}", say(&Advice::ResolveSome))
            }
            Whereabouts::Queue(State::Review) => "waits for a person's yes".to_owned(),
            Whereabouts::Queue(_) => "queued".to_owned(),
            Whereabouts::Session(name) => format!("planned in session {name}"),
        }
    }
}

/// Everything that waits for a document, in the order declared. What moves while we look may be missed.
///
/// # Errors
/// A disk error.
pub fn waiting(queue: &Queue, doc: DocKey) -> Result<Vec<Waiting>> {
    waiting_for(queue, Some(doc))
}

/// Everything that waits for any document, in the order declared. Each job is read: for who searches in what they say.
///
/// # Errors
/// A disk error.
pub fn all_waiting(queue: &Queue) -> Result<Vec<Waiting>> {
    waiting_for(queue, None)
}

fn waiting_for(queue: &Queue, doc: Option<DocKey>) -> Result<Vec<Waiting>> {
    let is_asked = |job: &Job| doc.is_none_or(|doc| job.document.doc == doc);
    let mut found = Vec::new();
    for state in [State::Pending, State::Deferred, State::Processing, State::Failed, State::Review] {
        for listed in queue.list(state)?.jobs {
            let staged = matches!(state, State::Failed | State::Review);
            if !staged && doc.is_some_and(|doc| listed.doc != doc) {
                continue;
            }
            match queue.load(&listed) {
                Ok(loaded) => {
                    let job = loaded.job.filter(is_asked);
                    found.extend(job.map(|job| Waiting { place: Whereabouts::Queue(state), job }));
                }
                Err(QueueError::TakenMeanwhile(_)) => {}
                Err(e) => return Err(e),
            }
        }
    }
    for session in queue.sessions().all()? {
        let planned = match session.planned() {
            // The buffer belongs to another user, who may plan in our home without letting us read it.
            Err(e) if !e.is_machine_trouble() => continue,
            other => other?,
        };
        let planned = planned.into_iter().filter_map(|planned| planned.job.ok());
        let place = Whereabouts::Session(session.name().to_owned());
        found.extend(planned.filter(is_asked).map(|job| Waiting { place: place.clone(), job }));
    }
    found.sort_by_key(|waiting| waiting.job.id);
    found.dedup_by_key(|waiting| waiting.job.id);
    Ok(found)
}
