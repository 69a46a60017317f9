//! Decides before the merge whether a job may be written: by the policy of its knowledge base, the trust in its author and
//! how sure that is, the headings that may be written, and the rule that no secret is written down. These rules are code
//! and never a prompt. No document is seen here: what depends on what it says now is asked in `trial` (`merge`).

use crate::confidence_note;
use crate::knowledge_base::{KnowledgeBase, OnHit, Policy};
use crate::time_words;
use declaration::problem::Problem;
use declaration::secrets;
use declaration::trust::{Trust, of_entry};
use declaration::{Asked, Code, Entry, Operation};
use markdown_merge::is_same_heading;

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

/// Judges the entries of one job.
#[must_use]
pub fn judge(kb: &KnowledgeBase, asked: &Asked<'_>) -> Verdict {
    if let Some(problem) = kb.redact.then(|| secrets::in_entries(asked.entries)).flatten() {
        return Verdict::Refuse(problem);
    }
    let writes = || asked.entries.iter().filter(|entry| entry.operation != Operation::NoOp);
    if writes().next().is_none() {
        return Verdict::Write;
    }
    if kb.policy == Policy::ReadOnly {
        let problem = Problem::new(Code::ReadOnly, format!("knowledge base `{}` is read-only", kb.name));
        return Verdict::Refuse(
            problem.hint("change its policy in config.yaml, then retry the job; or discard it"),
        );
    }
    if writes().any(|entry| entry.operation == Operation::Purge) && asked.who != Trust::User {
        return Verdict::Refuse(only_a_person());
    }
    if let Some(refused) = writes().find_map(|entry| refused_heading(kb, entry)) {
        return Verdict::Refuse(refused);
    }
    // Whoever asks for a purge is a person and has said yes to it.
    if asked.approved || writes().all(|entry| entry.operation == Operation::Purge) {
        return Verdict::Write;
    }
    let relative = writes().find_map(|entry| relative(kb, asked, entry));
    if let Some(problem) = &relative
        && kb.on_hit == Some(OnHit::Fail)
    {
        return Verdict::Refuse(problem.clone());
    }
    if kb.policy == Policy::Review {
        let problem = Problem::new(
            Code::NeedsReview,
            format!("changes to knowledge base `{}` need your approval", kb.name),
        );
        return Verdict::Review(problem);
    }
    if asked.beyond_inbox {
        let message = format!(
            "it was left in a project's inbox, which speaks for that project's own documents only, and `{}` is not one",
            kb.name
        );
        return Verdict::Review(Problem::new(Code::Untrusted, message));
    }
    let reviewed = relative.or_else(|| writes().find_map(|entry| reviewed(kb, asked.who, entry)));
    reviewed.map_or(Verdict::Write, Verdict::Review)
}

/// Why a purge is refused in a declaration.
#[must_use]
pub fn only_a_person() -> Problem {
    Problem::new(Code::PersonOnly, "a purge is not declared: only a person forgets something for good")
        .hint("retire the item, and ask a person to purge it with `item purge`")
}

/// Judges what the author's own words say. What the entry reaches in the document is judged during the merge.
fn refused_heading(kb: &KnowledgeBase, entry: &Entry) -> Option<Problem> {
    let heading = entry.key.heading.last()?;
    let denied = is_listed(entry, &kb.headings.deny);
    let listed = kb.headings.allow.is_empty()
        || is_listed(entry, &kb.headings.allow)
        || is_listed(entry, &kb.headings.review);
    (denied || !listed).then(|| {
        Problem::new(
            Code::HeadingDenied,
            format!("heading `{heading}` of knowledge base `{}` may not be written", kb.name),
        )
        .hint("see `headings` of that knowledge base in config.yaml")
    })
}

fn is_listed(entry: &Entry, list: &[String]) -> bool {
    entry.key.heading.iter().any(|part| list.iter().any(|listed| is_same_heading(part, listed)))
}

fn reviewed(kb: &KnowledgeBase, who: Trust, entry: &Entry) -> Option<Problem> {
    if let Some(heading) = entry.key.heading.last().filter(|_| is_listed(entry, &kb.headings.review)) {
        let message =
            format!("changes to heading `{heading}` of knowledge base `{}` need your approval", kb.name);
        return Some(Problem::new(Code::NeedsReview, message));
    }
    untrusted(kb, who, entry).or_else(|| unsure(kb, entry)).or_else(|| unmarked(kb, who, entry))
}

fn untrusted(kb: &KnowledgeBase, who: Trust, entry: &Entry) -> Option<Problem> {
    let trust = of_entry(who, entry);
    (trust < kb.min_trust).then(|| {
        let message = format!(
            "it comes {}, which `{}` takes only with your yes (without one what comes {})",
            trust.origin(),
            kb.name,
            kb.min_trust.origin()
        );
        Problem::new(Code::Untrusted, message)
    })
}

fn unsure(kb: &KnowledgeBase, entry: &Entry) -> Option<Problem> {
    let min = kb.min_confidence?;
    // An author that does not say how sure it is counts as unsure.
    let confidence = entry.meta.confidence.unwrap_or(0.0);
    (confidence < min).then(|| {
        let message =
            format!("confidence {confidence} is below {min}, the least knowledge base `{}` takes", kb.name);
        Problem::new(Code::LowConfidence, message)
    })
}

/// Words that will mean something else to a later reader, where the entry may not be merged with a mark.
fn relative(kb: &KnowledgeBase, asked: &Asked<'_>, entry: &Entry) -> Option<Problem> {
    let waits = !asked.rewritten && !kb.rewriter.is_empty();
    let words = if waits || !time_words::stops(kb) { Vec::new() } else { time_words::left(kb, entry) };
    (!words.is_empty()).then(|| {
        let message = format!("it says {}, which will mean something else later", words.join(", "));
        Problem::new(Code::RelativeWords, message)
            .hint("say which day, who, and where; or name `user`, `speaker` and `place` in `meta`")
    })
}

/// A guess that cannot be marked as one where it is written.
fn unmarked(kb: &KnowledgeBase, who: Trust, entry: &Entry) -> Option<Problem> {
    // Asked first: what can be marked needs no search for words, which costs most here.
    if confidence_note::can_be_marked(entry) {
        return None;
    }
    let doubt = confidence_note::doubt(kb, who, entry, false)?;
    let message = format!("it is {doubt}, and a `{}` cannot be marked as that", entry.operation.as_str());
    Some(Problem::new(Code::UnmarkedGuess, message))
}
