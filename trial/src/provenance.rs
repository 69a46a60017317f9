//! What is written beside an item: when it was said, how surely, by whom. From what we know of the job, never from its words.

use declaration::trust::of_entry;
use declaration::{Entry, Occasion};
use markdown_merge::Stamp;
use queue_layout::Job;

/// Characters of a session's name that are written: enough to find it, short enough to read past.
const SESSION_CHARS: usize = 8;

/// The stamp of an entry that is about an item.
pub(crate) fn of_item(job: &Job, n: usize, entry: &Entry) -> Option<Stamp<'static>> {
    if !entry.operation.is_of_item() {
        return None;
    }
    // A job that was left by hand has no moment of its own: then it is ours, in UTC.
    let at = entry.meta.said_at.clone().unwrap_or_else(|| job.created_at.minute());
    let by = of_entry(job.producer.trust(), entry).as_str().to_owned();
    let fields = [
        ("c", entry.meta.confidence.map(|sure| sure.to_string())),
        ("by", Some(by)),
        ("s", session(job)),
        ("until", entry.meta.review_by.clone()),
        ("of", entry.meta.of.clone()),
        ("in", entry.meta.project.clone()),
    ];
    let occasion = entry.meta.occasion.as_ref();
    let fields = fields.into_iter().filter_map(|(key, value)| Some((key, value?)));
    let fields = fields.chain(occasion.map(Occasion::fields).unwrap_or_default()).collect();
    Some(Stamp { id: job.item_id(n).into(), at: at.into(), fields, occurs: occasion.is_some() })
}

/// `claude-code/9f1c2d3e`; none for a person's shell.
fn session(job: &Job) -> Option<String> {
    let agent = &job.producer.agent;
    let session: String = job.producer.session.chars().take(SESSION_CHARS).collect();
    let parts: Vec<&str> = [agent.as_str(), &session].into_iter().filter(|part| !part.is_empty()).collect();
    (!parts.is_empty()).then(|| parts.join("/"))
}
