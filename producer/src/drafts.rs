//! Declarations become drafts of jobs: one per document, in the order said. All of an input or nothing.

use knowledge::base::{self, Canonicalise, KnowledgeBase, Resolved, Surroundings};
use knowledge::gate::{self, Moment};
use knowledge::judge::{Verdict, judge};
use knowledge::reading::{self, Unplaced};
use knowledge::{Declaration, Entry, Problem, Target, family, secrets};
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
    /// When it is said, by the speaker's own calendar; asked only where a knowledge base needs it.
    pub moment: &'a dyn Fn() -> Moment,
    /// Makes it idempotent.
    pub key: Option<&'a str>,
}

/// The drafts of an input's declarations.
///
/// # Errors
/// Every target that cannot be resolved and every entry that policy refuses for good; then nothing becomes a job. Where that
/// stands in the input `reading::placed` says.
pub fn drafts(declarations: &[Declaration], said: &Said<'_>) -> Result<Vec<Draft>, Vec<Unplaced>> {
    let mut drafts = Vec::new();
    let key = said.key.and_then(|key| secrets::problem("the key", key));
    let no_place = |problem| Unplaced { declaration: None, path: String::new(), problem };
    let mut problems: Vec<Unplaced> = key.map(no_place).into_iter().collect();
    let mut places = Vec::new();
    for (n, declaration) in declarations.iter().enumerate() {
        let here = |path: String, problem| Unplaced { declaration: Some(n), path, problem };
        problems
            .extend(secrets::problem("source", &declaration.source).map(|p| here("source".to_owned(), p)));
        let mut found = Vec::new();
        let groups = by_document(declaration, said, &mut places, &mut found);
        problems.extend(found.into_iter().map(|(path, problem)| here(path, problem)));
        for (resolved, mut entries) in groups {
            gate::resolve(&said.bases[resolved.index], &mut entries, said.moment);
            let key = said.key.map(|key| format!("{key}#{}", drafts.len()));
            let draft = Draft {
                document: document_ref(&resolved, said),
                entries,
                source: declaration.source.clone(),
                producer: said.producer.clone(),
                key,
            };
            if let Verdict::Refuse(problem) = judge(&said.bases[resolved.index], &draft.asked()) {
                // Whichever of its entries it is, the message says.
                problems.push(here(String::new(), problem));
            }
            drafts.push(draft);
        }
    }
    // A message quotes what it is about: beside a secret, nothing else is said.
    if problems.iter().any(|found| found.problem.code == secrets::CODE) {
        problems.retain(|found| found.problem.code == secrets::CODE);
    }
    if problems.is_empty() { Ok(drafts) } else { Err(problems) }
}

/// The entries of a declaration by document, documents in the order of their first entry.
fn by_document(
    declaration: &Declaration,
    said: &Said<'_>,
    places: &mut Vec<(Target, Resolved)>,
    problems: &mut Vec<(String, Problem)>,
) -> Vec<(Resolved, Vec<Entry>)> {
    let mut groups: Vec<(Resolved, Vec<Entry>)> = Vec::new();
    // The calendar is asked only for a daily log: a hook waits for this.
    let dated = declaration.entries.iter().any(|entry| means_today(&entry.key.target, said.bases));
    let today = dated.then(|| (said.moment)().day());
    let around = Surroundings { today: today.as_deref(), ..said.around };
    let mut keys = Vec::new();
    for (index, entry) in declaration.entries.iter().enumerate() {
        let resolved = match place_of(&entry.key.target, said, &around, places) {
            Ok(resolved) => resolved,
            Err(problem) => {
                let message = format!("entry {}: {}", index + 1, problem.message);
                let secret = secrets::in_entry(index, entry);
                let path = format!("entries[{index}].key");
                problems.push((path, secret.unwrap_or(Problem { message, ..problem })));
                continue;
            }
        };
        keys.push((index, resolved.canonical.clone(), &entry.key));
        let mut entry = entry.clone();
        if !resolved.values.is_empty() {
            // The day it is said on, not the one it is merged on.
            entry.key.target = resolved.target();
        }
        match groups.iter_mut().find(|(known, _)| known.canonical == resolved.canonical) {
            Some((_, entries)) => entries.push(entry),
            None => groups.push((resolved, vec![entry])),
        }
    }
    // Two entries may name one section by different targets (`kb: user` and its path): only now can that be seen.
    problems.extend(reading::same_sections(keys));
    groups
}

/// Where a target leads. An input names few documents, each many times.
fn place_of(
    target: &Target,
    said: &Said<'_>,
    around: &Surroundings<'_>,
    places: &mut Vec<(Target, Resolved)>,
) -> Result<Resolved, Problem> {
    if let Some((_, known)) = places.iter().find(|(known, _)| known == target) {
        return Ok(known.clone());
    }
    let resolved = base::resolve(target, said.bases, around, said.canonicalise)?;
    // A family's member may be another one tomorrow.
    if resolved.values.is_empty() && places.len() < PLACES_MAX {
        places.push((target.clone(), resolved.clone()));
    }
    Ok(resolved)
}

/// Targets that are remembered of one input.
const PLACES_MAX: usize = 16;

/// Whether a target names a family by its name alone, so that `{date}` is to be filled.
fn means_today(target: &Target, bases: &[KnowledgeBase]) -> bool {
    let Target::Kb(name) = target else { return false };
    let (name, _) = family::split(name);
    bases.iter().any(|base| base.name == name && base.path.contains("{date}"))
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
