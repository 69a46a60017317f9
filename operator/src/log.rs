//! The journal as somebody asks for it: since when, of which job, of which document.

use declaration::Timestamp;
use queue_layout::{Event, JobId, JournalEntry, Queue, Result};

/// Which events.
#[derive(Debug, Clone, Default)]
pub struct LogFilter {
    /// Only since then.
    pub since: Option<Timestamp>,
    /// Only of this job.
    pub id: Option<JobId>,
    /// Only of documents whose path contains this.
    pub document: Option<String>,
    /// Only these kinds; all when empty.
    pub events: Vec<Event>,
}

impl LogFilter {
    /// Whether an event is asked for.
    #[must_use]
    pub fn wants(&self, happened: &JournalEntry) -> bool {
        let document = |wanted: &String| happened.document.as_ref().is_some_and(|path| path.contains(wanted));
        self.since.is_none_or(|since| happened.at >= since)
            && self.id.is_none_or(|id| happened.id == Some(id))
            && self.document.as_ref().is_none_or(document)
            && (self.events.is_empty() || self.events.contains(&happened.event))
    }
}

/// Events, and how far the journal was read for them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Logged {
    /// Oldest first.
    pub events: Vec<JournalEntry>,
    /// The newest day that was read, if one was.
    pub day: Option<String>,
    /// Where its lines ended, in bytes: what comes after them is new.
    pub end: u64,
}

/// The last events that are asked for, at most `limit`. Reads the days backwards, only as far as needed.
///
/// # Errors
/// A disk error.
pub fn log(queue: &Queue, filter: &LogFilter, limit: usize) -> Result<Logged> {
    let mut logged = backwards(queue, filter, filter.since, limit)?;
    logged.events.reverse();
    Ok(logged)
}

/// The newest events that are asked for, newest first, at most `limit`; of the days since then, or of a job since it was
/// declared.
///
/// # Errors
/// A disk error.
pub fn newest(queue: &Queue, filter: &LogFilter, limit: usize) -> Result<Vec<JournalEntry>> {
    let since = filter.since.or(filter.id.map(JobId::declared_at));
    Ok(backwards(queue, filter, since, limit)?.events)
}

/// The newest events that are asked for, newest first, of the days since then.
fn backwards(queue: &Queue, filter: &LogFilter, since: Option<Timestamp>, limit: usize) -> Result<Logged> {
    let journal = queue.journal();
    let first_day = since.map(Timestamp::day);
    let id = filter.id.map(|id| id.to_string());
    let texts: Vec<&str> = id.as_deref().into_iter().collect();
    let mut logged = Logged::default();
    for day in journal.days()?.into_iter().rev() {
        let found = logged.events.len();
        if found >= limit || first_day.as_ref().is_some_and(|first| day < *first) {
            break;
        }
        let end = journal.end(&day)?;
        let more = journal.newest(&day, end, &texts, limit - found, &|event| filter.wants(event))?;
        logged.events.extend(more);
        if logged.day.is_none() {
            (logged.day, logged.end) = (Some(day), end);
        }
    }
    Ok(logged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters() {
        let id: JobId = "01938f00-0000-7000-8000-00000000000a".parse().unwrap();
        let happened =
            JournalEntry::new(Timestamp(10), Event::Applied).job(id, std::path::Path::new("/a/notes.md"));
        let filter = LogFilter::default();
        assert!(filter.wants(&happened));
        assert!(!LogFilter { since: Some(Timestamp(11)), ..filter.clone() }.wants(&happened));
        assert!(
            LogFilter { id: Some(id), document: Some("notes".into()), ..filter.clone() }.wants(&happened)
        );
        assert!(!LogFilter { document: Some("other".into()), ..filter.clone() }.wants(&happened));
        assert!(!LogFilter { events: vec![Event::Failed], ..filter }.wants(&happened));
    }
}
