//! Jobs of one document, judged and merged in memory one after another. A job that cannot be merged is left out; its
//! neighbours are merged all the same.

use crate::copy::copied;
use crate::declared::{self, DoneInRun, Run};
use crate::index::indexed;
use crate::made_before;
use crate::oldest::with_oldest;
use crate::provenance;
use crate::restore::restored;
use crate::since::Since;
use crate::{ApprovedAs, Trial};
use declaration::{Asked, Code, Entry, Fault, Operation, Scope, Trust};
use markdown_merge::item::{Item, SignedWords, said_by_the_person, signed_by_the_person, without_our_end};
use markdown_merge::{Change, ChangeKind, Edit, Merger, Refusal, Rules};
use policy::confidence_note::{is_marked, mark_taken_out, marked, unread_marks, with_doubt_of};
use policy::judge::{Verdict, judge};
use policy::knowledge_base::{KnowledgeBase, MIN_TRUST, OnOverBudget, Policy};
use policy::stamp::stamp;
use queue_layout::{Job, Outcome, Restore};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// What jobs make of a document.
#[derive(Debug, Clone)]
pub struct Merged {
    /// The whole text afterwards.
    pub text: Vec<u8>,
    /// One per job, in order.
    pub outcomes: Vec<Outcome>,
}

/// Merges jobs into a text, in their order.
pub(crate) fn merge_jobs(trial: &Trial<'_>, onto: &[u8], jobs: &[&Job], approved_as: ApprovedAs) -> Merged {
    let all_failed = |refusal: Refusal| Merged {
        text: onto.to_vec(),
        outcomes: jobs.iter().map(|_| Outcome::Failed(refusal.clone().into())).collect(),
    };
    let mut merger = match Merger::open(onto) {
        Ok(merger) => merger,
        Err(refusal) => return all_failed(refusal),
    };
    let rules = trial.kb.rules();
    let mut run = Run::onto(onto);
    let mut applied: Vec<&Job> = Vec::new();
    let mut outcomes = Vec::with_capacity(jobs.len());
    for &job in jobs {
        let asked_for = approved_as == ApprovedAs::IfApproved || job.approved_by.is_some();
        let outcome = match &job.restore {
            // A rollback is asked for by a person and recorded so: one without a record is a file that somebody wrote.
            Some(_) if !asked_for => {
                let error =
                    Fault::new(Code::NeedsReview, "no record says that a person asked for this rollback");
                review(&merger, job, not_approved(job, false).unwrap_or(error), &run)
            }
            Some(restore) => {
                let replayed = (restore.base.as_bytes() == onto)
                    .then(|| replayed(trial, restore, &applied, &rules, approved_as))
                    .flatten();
                restored(&mut merger, restore, replayed, trial.kb)
            }
            None => written(&mut merger, trial, job, &rules, approved_as, &run),
        };
        if matches!(outcome, Outcome::Applied(_)) {
            applied.push(job);
        }
        let done = outcome.changes().into_iter().flatten().cloned();
        run.done.extend(done.map(|change| DoneInRun { declared: job.created_at, change }));
        outcomes.push(with_oldest(outcome, trial, onto));
    }
    // One last look at the whole: what the edits say of the document must be what a fresh reader of it says.
    if let Err(refusal) = merger.verify() {
        return all_failed(refusal);
    }
    Merged { text: merger.into_text().into_bytes(), outcomes }
}

/// A job that is no rollback.
fn written(
    merger: &mut Merger,
    trial: &Trial<'_>,
    job: &Job,
    rules: &Rules,
    approved_as: ApprovedAs,
    run: &Run<'_>,
) -> Outcome {
    match (job.is_index(), &trial.kb.index, &trial.kb.copy_of) {
        (true, Some(_), _) | (true, None, Some(_)) if !is_made_by_itself(trial.kb) => {
            Outcome::Failed(not_by_itself(trial.kb))
        }
        // Nobody has said yes to it.
        (true, Some(index), _) => indexed(merger, trial, index, job, &rules_for(trial.kb, rules, false)),
        (true, None, Some(of)) => copied(merger, trial, of, job, &rules_for(trial.kb, rules, false)),
        _ => merge_one(merger, trial, job, rules, approved_as, run),
    }
}

fn is_made_by_itself(kb: &KnowledgeBase) -> bool {
    kb.policy == Policy::Auto && kb.min_trust <= MIN_TRUST
}

/// What is generated is written without a question, from documents that others may write: so not into one which is not to be written so.
fn not_by_itself(kb: &KnowledgeBase) -> Fault {
    let what = if kb.index.is_some() { "index" } else { "copy_of" };
    let name = &kb.name;
    let (code, why) = match kb.policy {
        Policy::ReadOnly => (Code::ReadOnly, format!("knowledge base `{name}` is read-only")),
        Policy::Auto => {
            let why = format!(
                "knowledge base `{name}` takes only what a person says, and what is generated is nobody's word"
            );
            (Code::Untrusted, why)
        }
        Policy::Review => {
            let why = format!(
                "knowledge base `{name}` asks for your yes to each change, and what is generated asks for none"
            );
            (Code::NeedsReview, why)
        }
    };
    let hint =
        format!("take `{what}`, or the rule (`policy`, `explicit_only`, `min_trust`), out of config.yaml");
    Fault::new(code, why).hint(hint)
}

/// What the jobs make of the text that a rollback goes back to, which were merged before it in this run: they waited when somebody asked
/// for it, and what they changed was not what that person saw. `None` where one of them cannot be merged into that text.
fn replayed(
    trial: &Trial<'_>,
    restore: &Restore,
    jobs: &[&Job],
    rules: &Rules,
    approved_as: ApprovedAs,
) -> Option<String> {
    if jobs.is_empty() || jobs.iter().any(|job| job.restore.is_some()) {
        return None;
    }
    let mut merger = Merger::open(restore.text.as_bytes()).ok()?;
    let mut run = Run::onto(restore.text.as_bytes());
    for job in jobs {
        let Outcome::Applied(changes) = written(&mut merger, trial, job, rules, approved_as, &run) else {
            return None;
        };
        run.done.extend(changes.into_iter().map(|change| DoneInRun { declared: job.created_at, change }));
    }
    merger.verify().ok().map(|()| merger.into_text())
}

fn merge_one(
    merger: &mut Merger,
    trial: &Trial<'_>,
    job: &Job,
    rules: &Rules,
    approved_as: ApprovedAs,
    run: &Run<'_>,
) -> Outcome {
    let kb = trial.kb;
    let asked = |merger: &Merger, error: Fault| proposed(merger, trial, job, error, run);
    let approved = job.approved_by.is_some() || approved_as == ApprovedAs::IfApproved;
    let verdict = judge(kb, &Asked { approved, rewritten: trial.rewritten, ..job.asked() });
    let waits = not_approved(job, approved);
    match (verdict, waits) {
        (Verdict::Refuse(problem), _) => return Outcome::Failed(problem.into()),
        (_, Some(error)) => return asked(merger, error),
        (Verdict::Write, None) => {}
        (Verdict::Review(problem), None) => return asked(merger, problem.into()),
    }
    if approved_as == ApprovedAs::Given
        && job.entries.iter().any(|entry| declared::is_in_other_lines(merger, entry))
    {
        let why = "what it replaces stands in another line now than in the one that was shown";
        return asked(merger, Fault::new(Code::ApprovalMismatch, why));
    }
    // Over its budget is a question for a person where the knowledge base says so; their yes answers it.
    let asks = kb.on_over_budget == OnOverBudget::Review;
    let rules = rules_for(kb, rules, approved);
    let doubted = with_doubts(merger, kb, job);
    let entries = marked(kb, job.producer.trust(), &doubted, approved);
    let wrong_mark = |entry: &Entry| {
        takes_out_a_mark(merger, kb, entry).or_else(|| claims_the_person_said_it(merger, job, entry))
    };
    if let Some(error) = entries.iter().find_map(wrong_mark).filter(|_| !approved) {
        return asked(merger, error);
    }
    let bases = bases(trial, merger, job, &entries, run);
    let edits = edits(trial, merger, job, (&entries, &bases), run);
    let signed = before_words_are_signed(merger, job).filter(|_| !approved);
    let doubted = |entry: &Entry| is_marked(kb, job.producer.trust(), entry);
    let unmarked = (!approved && entries.iter().any(doubted)).then(|| merger.text().to_owned());
    let copy = kb.copy_of.as_deref().and_then(|of| Some((of, kept_copy(merger)?)));
    match merger.apply(edits, &rules, &|hash| trial.section_of(hash)) {
        Ok(changes) => {
            if let Some((of, before)) = copy
                && let Some(refused) = changes_the_copy(merger, before, of)
            {
                return refused;
            }
            let theirs = signed.and_then(|before| changes_what_they_signed(merger, &before));
            let unread = || mark_is_not_read(merger, kb, &changes, &unmarked?);
            if let Some(error) = theirs.or_else(unread) {
                return asked(merger, error);
            }
            stamp(merger, kb, &changes, job.created_at, job.said_by());
            Outcome::merged(changes)
        }
        Err(refusal) => {
            let error = Fault::from(refusal);
            match error.code {
                Code::OverBudget if asks => asked(merger, error),
                Code::NeedsReview => asked(merger, error),
                _ => Outcome::Failed(error),
            }
        }
    }
}

/// The rules of a knowledge base as they hold with a yes, or without one.
fn rules_for<'r>(kb: &KnowledgeBase, rules: &'r Rules, approved: bool) -> Cow<'r, Rules> {
    match approved {
        true if kb.on_over_budget == OnOverBudget::Review => {
            Cow::Owned(Rules { chars_max: None, tokens_max: None, section_chars_max: None, ..rules.clone() })
        }
        // Which sections an entry reaches is known only here.
        false if !kb.headings.review.is_empty() => {
            Cow::Owned(Rules { headings: kb.headings.clone(), ..rules.clone() })
        }
        _ => Cow::Borrowed(rules),
    }
}

/// The entries, with the doubts that items have which they say anew.
fn with_doubts<'j>(merger: &Merger, kb: &KnowledgeBase, job: &'j Job) -> Cow<'j, [Entry]> {
    let who = job.producer.trust();
    let one = |entry: &Entry| with_doubt_of(kb, who, entry, || merger.item_text(entry.key.item()?));
    let doubted: Vec<Option<Entry>> = job.entries.iter().map(one).collect();
    if doubted.iter().all(Option::is_none) {
        return Cow::Borrowed(&job.entries);
    }
    let each = job.entries.iter().zip(doubted);
    Cow::Owned(each.map(|(entry, doubted)| doubted.unwrap_or_else(|| entry.clone())).collect())
}

/// The document before an edit, where it has a copy of another one in it.
fn kept_copy(merger: &Merger) -> Option<Merger> {
    merger.machine_block().ok()?;
    Merger::open(merger.text().as_bytes()).ok()
}

/// Refuses an edit of what is made anew from another document, and puts the document back: nobody would find there what was said.
fn changes_the_copy(merger: &mut Merger, before: Merger, of: &str) -> Option<Outcome> {
    if merger.machine_block().ok() == before.machine_block().ok() {
        return None;
    }
    *merger = before;
    let message = format!("the section is in the copy of {of}, and what is written there is lost");
    Some(Outcome::Failed(Fault::new(Code::ReadOnly, message).hint(format!("declare it for {of}"))))
}

/// Why an entry that takes the mark of a guess out of the document waits for a yes.
fn takes_out_a_mark(merger: &Merger, kb: &KnowledgeBase, entry: &Entry) -> Option<Fault> {
    let key = &entry.key;
    let section = merger.section_text(&key.heading, key.level, entry.scope).ok().flatten()?;
    let mark = mark_taken_out(kb, entry, section)?;
    Some(Fault::new(
        Code::UnmarkedGuess,
        format!("it takes out `{mark}`, and what that stands beside would read as a fact"),
    ))
}

/// Why an edit waits for a yes that left a mark where nobody reads it: the sections that it changed say so, and not the entry alone, because
/// what stands above may swallow it. The document is put back.
fn mark_is_not_read(
    merger: &mut Merger,
    kb: &KnowledgeBase,
    changes: &[Change],
    before: &str,
) -> Option<Fault> {
    let was = Merger::open(before.as_bytes()).ok()?;
    let unread = |merger: &Merger, change: &Change| {
        let section = merger.section_text(&change.heading, change.level, Scope::Subtree).ok().flatten();
        section.map_or(0, |section| unread_marks(kb, section))
    };
    let is_lost = |change: &&Change| unread(merger, change) > unread(&was, change);
    let changed = changes.iter().filter(|change| change.kind != ChangeKind::Unchanged);
    changed.into_iter().find(is_lost)?;
    *merger = was;
    let message = "the mark of a guess would stand where it is not read: in code, or in another comment";
    Some(
        Fault::new(Code::UnmarkedGuess, message)
            .hint("close what is open in the text, or say it in plain words"),
    )
}

/// Why an entry waits for a yes whose own text says that the person said it: that is written by us, of what we know of the job.
/// An update may bring back what its section says already.
fn claims_the_person_said_it(merger: &Merger, job: &Job, entry: &Entry) -> Option<Fault> {
    if job.producer.trust() >= Trust::User {
        return None;
    }
    let content = entry.content.as_deref()?;
    // The comment at the end of an item's line is ours, whatever was declared there; not one within the line, or below it.
    let (line, below) = match content.split_once('\n') {
        Some((line, below)) if entry.operation.is_of_item() => (without_our_end(line), below),
        None if entry.operation.is_of_item() => (without_our_end(content), ""),
        _ => ("", content),
    };
    let mut claims = said_by_the_person(line).chain(said_by_the_person(below)).peekable();
    claims.peek()?;
    let key = &entry.key;
    let replaced = match (key.item(), &entry.old_text) {
        (_, Some(old)) => Some(old.as_str()),
        (Some(id), None) => merger.item_text(id),
        (None, None) => merger.section_text(&key.heading, key.level, entry.scope).ok().flatten(),
    };
    let replaces = !matches!(entry.operation, Operation::Append | Operation::Prepend);
    let mut there: Vec<&str> =
        replaced.filter(|_| replaces).map_or_else(Vec::new, |text| said_by_the_person(text).collect());
    let new = claims.find(|claim| match there.iter().position(|one| one == claim) {
        Some(at) => {
            there.swap_remove(at);
            false
        }
        None => true,
    })?;
    Some(Fault::new(Code::Untrusted, format!("its text says `{new}`, and the person did not declare it")))
}

/// The text before an edit of anybody but the person that may leave their stamp beside other words, or bring it along. A `replace` may
/// also make one out of what stands there, and a heading brings one where it is made.
fn before_words_are_signed(merger: &Merger, job: &Job) -> Option<String> {
    use Operation::{Prepend, Replace, Update, UpsertItem, UpsertRow};
    let is = |entry: &Entry, which: &[Operation]| which.contains(&entry.operation);
    let entries = || job.entries.iter();
    let says = |text: &str| said_by_the_person(text).next().is_some();
    let brings = |entry: &Entry| {
        let texts = entry.key.heading.iter().map(String::as_str).chain(entry.content.as_deref());
        // Blanks within a heading are written as one space each.
        texts.into_iter().any(|text| says(text) || says(&text.replace(char::is_whitespace, " ")))
    };
    let is_made = entries().any(|entry| is(entry, &[Replace]) || brings(entry));
    let is_changed = || entries().any(|entry| is(entry, &[Update, UpsertItem, UpsertRow, Prepend]));
    let is_signed = || signed_by_the_person(merger.text()).next().is_some();
    let may = job.producer.trust() < Trust::User && (is_made || is_changed() && is_signed());
    may.then(|| merger.text().to_owned())
}

/// Why an edit waits for a yes that leaves the person's stamp beside other words than theirs; the document is put back.
fn changes_what_they_signed(merger: &mut Merger, before: &str) -> Option<Fault> {
    let theirs: BTreeSet<Vec<&str>> = signed_by_the_person(before).map(|signed| signed.lines).collect();
    // An item that no longer holds is nobody's word.
    let holds = |signed: &SignedWords<'_>| {
        signed.lines.first().and_then(|line| Item::read(line)).is_none_or(|item| item.is_live())
    };
    let is_new = |signed: &SignedWords<'_>| holds(signed) && !theirs.contains(&signed.lines);
    let new = signed_by_the_person(merger.text()).find(is_new)?;
    let is_item = new.lines.first().is_some_and(|line| Item::read(line).is_some());
    let message = format!("it leaves `{}` beside words that the person did not say", new.stamp);
    *merger = Merger::open(before.as_bytes()).ok()?;
    let fault = Fault::new(Code::Untrusted, message);
    Some(match is_item {
        true => fault.hint("say an item anew with `item revise`: that is stamped anew"),
        false => fault,
    })
}

/// Why a job that says that it was approved was not: the worker has held it against the record of that yes.
fn not_approved(job: &Job, approved: bool) -> Option<Fault> {
    job.error.clone().filter(|error| !approved && error.code == Code::ApprovalMismatch)
}

/// A proposal; but where somebody wrote meanwhile what an entry would take out, a conflict. Who says yes to all that waits is shown
/// no diff, and the proposal has what stands there now for what its author saw; but where another refusal hides whether it is one, what
/// they saw is kept.
fn proposed(merger: &Merger, trial: &Trial<'_>, job: &Job, error: Fault, run: &Run<'_>) -> Outcome {
    let bases = bases(trial, merger, job, &job.entries, run);
    let refused = if bases.iter().any(Option::is_some) { refused(merger, trial, job, &bases) } else { None };
    match refused {
        Some(conflict) if conflict.code == Code::Conflict => Outcome::Failed(conflict),
        refused => {
            let place = |(entry, base): (&Entry, &Option<String>)| match base {
                Some(_) if refused.is_some() => declared::as_declared(entry),
                _ => declared::place(merger, entry, run),
            };
            Outcome::Review { fault: error, seen: job.entries.iter().zip(&bases).map(place).collect() }
        }
    }
}

/// What a merge of a job would say if its yes were there already.
fn refused(merger: &Merger, trial: &Trial<'_>, job: &Job, bases: &[Option<String>]) -> Option<Fault> {
    let edits = job.entries.iter().zip(bases).map(|(entry, base)| based(entry, base.as_deref()));
    let mut tried = Merger::open(merger.text().as_bytes()).ok()?;
    tried.apply(edits, &trial.kb.rules(), &|hash| trial.section_of(hash)).err().map(Fault::from)
}

/// The base of each entry, as `declared::base` has it.
fn bases(
    trial: &Trial<'_>,
    merger: &Merger,
    job: &Job,
    entries: &[Entry],
    run: &Run<'_>,
) -> Vec<Option<String>> {
    entries.iter().map(|entry| declared::base(trial, merger, job, entry, run)).collect()
}

/// What the merger is asked for, each entry with its base.
fn edits<'e>(
    trial: &Trial<'_>,
    merger: &Merger,
    job: &Job,
    (entries, bases): (&'e [Entry], &'e [Option<String>]),
    run: &Run<'_>,
) -> Vec<Edit<'e>> {
    // Of what is offered again because a save had taken it out, some may be back.
    let since = job.again.map(|again| Since::new(trial.documents, trial.document, trial.queue, again));
    let one =
        |(n, entry): (usize, &'e Entry)| edit(trial, merger, job, (n, entry), bases, (run, since.as_ref()));
    entries.iter().enumerate().filter_map(one).collect()
}

/// What it is asked for an entry, with what is known of the job and of what was done before.
fn edit<'e>(
    trial: &Trial<'_>,
    merger: &Merger,
    job: &Job,
    (n, entry): (usize, &'e Entry),
    bases: &'e [Option<String>],
    (run, since): (&Run<'_>, Option<&Since<'_>>),
) -> Option<Edit<'e>> {
    if since.is_some_and(|since| since.is_back(merger, entry)) {
        let edit = Edit { operation: Operation::NoOp, content: None, ..Edit::from(entry) };
        // An item is in no section by its address.
        let level = if entry.operation.is_of_item() { 0 } else { edit.level };
        let heading = if level == 0 { Cow::default() } else { edit.heading };
        return Some(Edit { heading, level, ..edit });
    }
    let left = since.and_then(|since| since.left_to_say(merger, entry)).map(Cow::Owned);
    let based = based(entry, bases.get(n)?.as_deref());
    Some(Edit {
        stamp: provenance::of_item(job, n, entry),
        made: made_before::made(trial, merger, entry, run),
        content: left.or(based.content.clone()),
        ..based
    })
}

fn based<'e>(entry: &'e Entry, base: Option<&'e str>) -> Edit<'e> {
    Edit { base: base.map(Cow::Borrowed), ..Edit::from(entry) }
}

fn review(merger: &Merger, job: &Job, error: Fault, run: &Run<'_>) -> Outcome {
    Outcome::Review {
        fault: error,
        seen: job.entries.iter().map(|entry| declared::place(merger, entry, run)).collect(),
    }
}
