//! Declarations become drafts of jobs: one per document, in the order said. All of an input or nothing.

use knowledge::base::{self, Canonicalise, KnowledgeBase, Resolved, Surroundings};
use knowledge::judge::{Verdict, judge};
use knowledge::{Declaration, Entry, Operation, Problem};
use queue_layout::{DocKey, DocumentRef, Draft, Producer};

/// Where something was said, and by whom.
#[derive(Clone, Copy)]
pub struct Said<'a> {
    /// The knowledge bases that may be written.
    pub bases: &'a [KnowledgeBase],
    /// Home directory, project and working directory of who said it.
    pub around: Surroundings<'a>,
    /// Resolves symbolic links.
    pub canonicalise: Canonicalise<'a>,
    /// Who said it, as we saw it.
    pub producer: &'a Producer,
    /// Makes it idempotent.
    pub key: Option<&'a str>,
}

/// The drafts of an input's declarations.
///
/// # Errors
/// Every target that cannot be resolved and every entry that policy refuses for good; then nothing becomes a job.
pub fn drafts(declarations: &[Declaration], said: &Said<'_>) -> Result<Vec<Draft>, Vec<Problem>> {
    let mut drafts = Vec::new();
    let mut problems = Vec::new();
    for declaration in declarations {
        for (resolved, entries) in by_document(declaration, said, &mut problems) {
            if let Verdict::Refuse(problem) = judge(&said.bases[resolved.index], &entries, false) {
                problems.push(problem);
            }
            let key = said.key.map(|key| format!("{key}#{}", drafts.len()));
            drafts.push(Draft {
                document: document_ref(&resolved, said),
                entries,
                source: declaration.source.clone(),
                producer: said.producer.clone(),
                key,
            });
        }
    }
    if problems.is_empty() { Ok(drafts) } else { Err(problems) }
}

/// The entries of a declaration by document, documents in the order of their first entry.
fn by_document(
    declaration: &Declaration,
    said: &Said<'_>,
    problems: &mut Vec<Problem>,
) -> Vec<(Resolved, Vec<Entry>)> {
    let mut groups: Vec<(Resolved, Vec<Entry>)> = Vec::new();
    for (index, entry) in declaration.entries.iter().enumerate() {
        let resolved = match base::resolve(&entry.key.target, said.bases, &said.around, said.canonicalise) {
            Ok(resolved) => resolved,
            Err(problem) => {
                let message = format!("entry {}: {}", index + 1, problem.message);
                problems.push(Problem { message, ..problem });
                continue;
            }
        };
        match groups.iter_mut().find(|(known, _)| known.canonical == resolved.canonical) {
            Some((known, entries)) => {
                if let Some(twin) = twin_of(entry, entries) {
                    problems.push(twin_problem(twin, known));
                }
                entries.push(entry.clone());
            }
            None => groups.push((resolved, vec![entry.clone()])),
        }
    }
    groups
}

/// Two entries may name one section by different targets (`kb: user` and its path): only now can that be seen.
fn twin_of<'e>(entry: &Entry, entries: &'e [Entry]) -> Option<&'e Entry> {
    let writes = |e: &Entry| e.operation != Operation::NoOp;
    entries.iter().find(|other| {
        writes(entry)
            && writes(other)
            && other.key.level == entry.key.level
            && other.key.heading == entry.key.heading
            && other.key.target != entry.key.target
    })
}

fn twin_problem(twin: &Entry, document: &Resolved) -> Problem {
    let heading = twin.key.heading.join(" > ");
    let message = format!("heading `{heading}` of {} is declared twice, under two names", document.path.display());
    Problem::new("duplicate_key", message).hint("say it once, or in two declarations")
}

fn document_ref(resolved: &Resolved, said: &Said<'_>) -> DocumentRef {
    let base = &said.bases[resolved.index];
    DocumentRef {
        kb: resolved.name.clone(),
        path: resolved.path.clone(),
        project: said.around.project.filter(|_| base.root == base::Root::Project).map(ToOwned::to_owned),
        doc: DocKey::of(&resolved.canonical),
    }
}
