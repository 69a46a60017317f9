//! Which jobs are where: rows for a table, by names alone unless a filter asks for what only the content says.

use declaration::Timestamp;
use queue_layout::{JobId, Listed, LocatedJob, Queue, QueueError, Result, State};
use serde::Serialize;
use std::path::PathBuf;

/// What to list. Empty: everything that has not ended.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only this state.
    pub state: Option<State>,
    /// Only jobs whose document's path contains this, or whose knowledge base is this.
    pub document: Option<String>,
    /// Only of this agent.
    pub agent: Option<String>,
    /// Only of this session.
    pub session: Option<String>,
    /// Only with this error code.
    pub error: Option<String>,
    /// Only declared before this.
    pub older: Option<Timestamp>,
    /// Only declared after this.
    pub newer: Option<Timestamp>,
    /// Only what was declared after this job.
    pub after: Option<JobId>,
    /// Only with this text in an entry.
    pub text: Option<String>,
    /// In which order; `None`: by state, and in each the order of declaring.
    pub sort: Option<Sort>,
    /// At most so many rows.
    pub limit: Option<usize>,
}

/// In which order jobs are listed; by what their names say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// Oldest first.
    Oldest,
    /// Newest first.
    Newest,
    /// What is due next first, then what has no due time.
    Due,
}

/// One job in a listing.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// Its id.
    pub id: JobId,
    /// Where it is.
    pub state: State,
    /// When it was declared.
    pub declared: Timestamp,
    /// When it is due, in `deferred`.
    pub due: Option<Timestamp>,
    /// Who holds it, in `processing`.
    pub held_by: Option<String>,
    /// Its document.
    pub document: Option<PathBuf>,
    /// Its knowledge base.
    pub kb: Option<String>,
    /// The agent that declared it.
    pub agent: Option<String>,
    /// The agent's session.
    pub session: Option<String>,
    /// Its entries, in short.
    pub what: Option<String>,
    /// Its error's code.
    pub error: Option<String>,
    /// Its error's message.
    pub message: Option<String>,
    /// How it ended.
    pub outcome: Option<&'static str>,
}

/// Lists jobs.
///
/// # Errors
/// A disk error.
pub fn list(queue: &Queue, filter: &Filter) -> Result<Vec<Row>> {
    let states = match filter.state {
        Some(state) => vec![state],
        None => State::ALL.into_iter().filter(|state| *state != State::Done).collect(),
    };
    let limit = filter.limit.unwrap_or(usize::MAX);
    let mut rows = Vec::new();
    if let Some(sort) = filter.sort {
        let mut all = Vec::new();
        for state in states {
            all.extend(queue.scan(state)?.jobs);
        }
        put_in_order(&mut all, sort);
        add_rows(queue, filter, all, limit, &mut rows)?;
        return Ok(rows);
    }
    for state in states {
        // Without a sort the states after the last row are not even looked at.
        if rows.len() < limit {
            add_rows(queue, filter, queue.list(state)?.jobs, limit, &mut rows)?;
        }
    }
    Ok(rows)
}

fn put_in_order(jobs: &mut [Listed], sort: Sort) {
    match sort {
        Sort::Oldest => jobs.sort_by_key(|job| job.id),
        Sort::Newest => jobs.sort_by_key(|job| std::cmp::Reverse(job.id)),
        Sort::Due => jobs.sort_by_key(|job| (job.due.unwrap_or(Timestamp(u64::MAX)), job.id)),
    }
}

/// Rows of these jobs until there are enough. Only what becomes a row, or must be read to know, is opened.
fn add_rows(
    queue: &Queue,
    filter: &Filter,
    jobs: Vec<Listed>,
    limit: usize,
    rows: &mut Vec<Row>,
) -> Result<()> {
    for listed in jobs.into_iter().filter(|listed| by_name(filter, listed)) {
        if rows.len() >= limit {
            break;
        }
        match queue.load(&listed) {
            Ok(found) if by_content(filter, &found) => rows.push(row(found)),
            // Moved since it was listed: it is no longer in this state.
            Ok(_) | Err(QueueError::TakenMeanwhile(_)) => {}
            Err(QueueError::Unreadable { .. }) => rows.push(row(unread(listed))),
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

fn by_name(filter: &Filter, listed: &Listed) -> bool {
    if filter.after.is_some_and(|after| listed.id <= after) {
        return false;
    }
    let declared = listed.id.declared_at();
    filter.older.is_none_or(|older| declared < older) && filter.newer.is_none_or(|newer| declared > newer)
}

fn by_content(filter: &Filter, found: &LocatedJob) -> bool {
    let job = found.job.as_ref();
    let is = |wanted: &Option<String>, has: Option<&str>| {
        wanted.as_deref().is_none_or(|wanted| has == Some(wanted))
    };
    let document = filter.document.as_deref().is_none_or(|wanted| {
        job.is_some_and(|job| {
            job.document.kb == wanted || job.document.path.to_string_lossy().contains(wanted)
        })
    });
    let text = filter.text.as_deref().is_none_or(|wanted| {
        job.is_some_and(|job| {
            job.entries.iter().any(|entry| {
                entry.content.as_deref().is_some_and(|content| content.contains(wanted))
                    || entry.key.heading.iter().any(|heading| heading.contains(wanted))
            })
        })
    });
    let error = job.and_then(|job| job.error.as_ref()).or(found.unreadable.as_ref());
    document
        && text
        && is(&filter.agent, job.map(|job| job.producer.agent.as_str()))
        && is(&filter.session, job.map(|job| job.producer.session.as_str()))
        && is(&filter.error, error.map(|error| error.code.as_str()))
}

fn unread(listed: Listed) -> LocatedJob {
    LocatedJob { listed, job: None, receipt: None, unreadable: None }
}

fn row(found: LocatedJob) -> Row {
    let LocatedJob { listed, job, receipt, unreadable } = found;
    let error = job.as_ref().and_then(|job| job.error.clone()).or(unreadable);
    // What a deferred job waits for is its last attempt's error.
    let error =
        error.or_else(|| job.as_ref().and_then(|job| job.attempts.last()).map(|last| last.error.clone()));
    Row {
        id: listed.id,
        state: listed.state,
        declared: listed.id.declared_at(),
        due: listed.due,
        held_by: listed.within.filter(|_| listed.state == State::Processing),
        document: job.as_ref().map(|job| job.document.path.clone()),
        kb: job.as_ref().map(|job| job.document.kb.clone()),
        agent: job.as_ref().map(|job| job.producer.agent.clone()).filter(|agent| !agent.is_empty()),
        session: job.as_ref().map(|job| job.producer.session.clone()).filter(|session| !session.is_empty()),
        what: job.as_ref().map(what),
        message: error.as_ref().map(|error| error.message.clone()),
        error: error.map(|error| error.code.to_string()),
        outcome: receipt.map(|receipt| receipt.outcome.as_str()),
    }
}

/// `update Notes`, or `update Notes +2` for three entries.
fn what(job: &queue_layout::Job) -> String {
    if let Some(restore) = &job.restore {
        return format!("rollback to version {}", restore.version);
    }
    let Some(first) = job.entries.first() else { return String::new() };
    let more = if job.entries.len() > 1 { format!(" +{}", job.entries.len() - 1) } else { String::new() };
    format!("{} {}{more}", first.operation.as_str(), first.key.heading.join(" > "))
}
