//! Whether a job may be written, before it is merged: the policy of its knowledge base, how sure its author is, which
//! headings may be written, and that nobody writes a secret down. Never in a prompt, always here.

use crate::base::{KnowledgeBase, Policy};
use crate::declaration::{Entry, Operation};
use crate::problem::Problem;
use crate::secrets;

/// What policy says of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It may be merged.
    Write,
    /// A person must say yes first; why.
    Review(Problem),
    /// Never; why.
    Refuse(Problem),
}

/// Judges the entries of one job. `approved`: a person said yes to it already.
#[must_use]
pub fn judge(base: &KnowledgeBase, entries: &[Entry], approved: bool) -> Verdict {
    if let Some(problem) = base.redact.then(|| secrets::in_entries(entries)).flatten() {
        return Verdict::Refuse(problem);
    }
    let writes = || entries.iter().filter(|entry| entry.operation != Operation::NoOp);
    if writes().next().is_none() {
        return Verdict::Write;
    }
    if base.policy == Policy::ReadOnly {
        let problem = Problem::new("read_only", format!("knowledge base `{}` is read-only", base.name));
        return Verdict::Refuse(
            problem.hint("change its policy in config.yaml, then resolve --retry; or discard the job"),
        );
    }
    if let Some(refused) = writes().find_map(|entry| refused_heading(base, entry)) {
        return Verdict::Refuse(refused);
    }
    if approved {
        return Verdict::Write;
    }
    if base.policy == Policy::Review {
        let problem = Problem::new(
            "needs_review",
            format!("knowledge base `{}` takes nothing without a yes", base.name),
        );
        return Verdict::Review(problem);
    }
    writes().find_map(|entry| reviewed(base, entry)).map_or(Verdict::Write, Verdict::Review)
}

fn refused_heading(base: &KnowledgeBase, entry: &Entry) -> Option<Problem> {
    let heading = entry.key.heading.last()?;
    let denied = base.headings.deny.contains(heading);
    let listed = base.headings.allow.is_empty()
        || base.headings.allow.contains(heading)
        || base.headings.review.contains(heading);
    (denied || !listed).then(|| {
        Problem::new(
            "heading_denied",
            format!("heading `{heading}` of knowledge base `{}` may not be written", base.name),
        )
        .hint("see `headings` of that knowledge base in config.yaml")
    })
}

fn reviewed(base: &KnowledgeBase, entry: &Entry) -> Option<Problem> {
    if let Some(heading) = entry.key.heading.last().filter(|heading| base.headings.review.contains(heading)) {
        let message =
            format!("heading `{heading}` of knowledge base `{}` takes nothing without a yes", base.name);
        return Some(Problem::new("needs_review", message));
    }
    let min = base.min_confidence?;
    // An author that does not say how sure it is, is not sure.
    let confidence = entry.meta.confidence.unwrap_or(0.0);
    (confidence < min).then(|| {
        let message =
            format!("confidence {confidence} is below {min}, the least knowledge base `{}` takes", base.name);
        Problem::new("low_confidence", message)
    })
}
