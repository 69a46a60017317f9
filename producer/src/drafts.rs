//! Declarations become drafts of jobs: one per document, in the order said. All of an input or nothing.

use declaration::reading::{self, Unplaced};
use declaration::secrets;
use declaration::{Code, Declaration, Entry, Operation, Problem, Target, Timestamp};
use policy::family;
use policy::judge::{Verdict, judge, only_a_person};
use policy::knowledge_base::{self, Canonicalise, KnowledgeBase, Resolved, Surroundings};
use policy::reached;
use policy::scope;
use policy::time_words::{self, Moment};
use queue_layout::{DocKey, DocumentRef, Draft, Producer};
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

/// What an entry that names no operation would replace, in words.
pub type WouldReplace<'a> = &'a dyn Fn(&Entry, &Resolved, &[Entry]) -> Option<String>;

/// The hash of what an entry would take out of its document; of the moment in which it was written, where that is not now.
pub type SeenThere<'a> = &'a dyn Fn(&Entry, &Resolved, Option<Timestamp>) -> Option<String>;

/// Where something was said, and by whom.
#[derive(Clone, Copy)]
pub struct Submission<'a> {
    /// The knowledge bases that may be written.
    pub kbs: &'a [KnowledgeBase],
    /// Home directory, project and working directory of who said it.
    pub around: Surroundings<'a>,
    /// Resolves symbolic links.
    pub canonicalise: Canonicalise<'a>,
    /// Who said it, as we saw it.
    pub producer: &'a Producer,
    /// When it is said, by the speaker's own calendar: now, or at a given time. Asked only where a knowledge base needs it.
    pub moment: &'a dyn Fn(Option<Timestamp>) -> Moment,
    /// The document that holds the item with this id, for who did not name it.
    pub home_of_item: &'a dyn Fn(&str) -> Result<Target, Problem>,
    /// What an entry that names no operation would replace, in words; `None` where there is nothing to lose. Given the
    /// entry, where its document really is, and what was said for that document before in the same input.
    pub would_replace: WouldReplace<'a>,
    /// The hash of what an entry that names no base would take out, where the document says something there: now, or when it was
    /// written.
    pub seen: SeenThere<'a>,
    /// When it was written, where that is not now.
    pub written: Option<Timestamp>,
    /// Makes it idempotent.
    pub key: Option<&'a str>,
}

/// The drafts of an input's declarations.
///
/// # Errors
/// Every target that cannot be resolved and every entry that policy refuses for good; then nothing becomes a job. Where that
/// stands in the input `reading::placed` says.
pub fn drafts(declarations: Vec<Declaration>, said: &Submission<'_>) -> Result<Vec<Draft>, Vec<Unplaced>> {
    let mut drafts = Vec::new();
    let by = said.producer;
    let texts = [
        ("the key", said.key),
        ("the session", Some(by.session.as_str())),
        ("the agent", Some(by.agent.as_str())),
    ];
    let named = texts.into_iter().find_map(|(field, text)| secrets::problem(field, text?));
    let no_place = |problem| Unplaced { declaration: None, path: String::new(), problem };
    let mut problems: Vec<Unplaced> = named.map(no_place).into_iter().collect();
    let mut places = Vec::new();
    let wanted = declarations.iter().any(|declaration| !declaration.unnamed.is_empty());
    let mut before = SaidBefore { wanted, said: HashMap::new() };
    for (n, declaration) in declarations.into_iter().enumerate() {
        let here = |path: String, problem| Unplaced { declaration: Some(n), path, problem };
        problems
            .extend(secrets::problem("source", &declaration.source).map(|p| here("source".to_owned(), p)));
        let source = declaration.source.clone();
        let unnamed = declaration.unnamed.clone();
        let mut found = Vec::new();
        let purges = declaration.entries.iter().position(|entry| entry.operation == Operation::Purge);
        problems.extend(purges.map(|n| here(format!("entries[{n}].operation"), only_a_person())));
        let groups = by_document(declaration, said, &mut places, &mut found);
        problems.extend(found.into_iter().map(|(path, problem)| here(path, problem)));
        for (place, numbered) in groups {
            let (numbers, mut entries): (Vec<usize>, Vec<Entry>) = numbered.into_iter().unzip();
            let kb = &said.kbs[place.resolved.index];
            for (number, entry) in numbers.iter().zip(&entries) {
                let replaced = before.replaced_unasked(entry, unnamed.contains(number), &place, said);
                problems.extend(replaced.map(|problem| here(format!("entries[{number}]"), problem)));
            }
            // What was said is ours to keep, not an author's to claim.
            let said_at = items_said_at(&entries, said);
            let project = said.around.project.filter(|_| scope::is_shared_journal(kb));
            let project = project.map(|project| scope::name(project, said.around.home));
            for entry in &mut entries {
                (entry.meta.said, entry.meta.of, entry.meta.occasion) = (None, None, None);
                (entry.meta.edited_by, entry.meta.item) = (None, None);
                entry.meta.seen = (said.seen)(entry, &place.resolved, said.written);
                entry.meta.project = project.clone().filter(|_| entry.operation == Operation::Add);
                if let Some(project) = &project {
                    scope::mark(entry, project);
                }
                entry.meta.said_at = said_at.clone().filter(|_| entry.operation.is_of_item());
            }
            time_words::resolve(kb, &place.resolved.values, &mut entries, &|| (said.moment)(None));
            let key = said.key.map(|key| format!("{key}#{}", drafts.len()));
            let draft = Draft {
                document: place.document.clone(),
                entries,
                source: source.clone(),
                producer: said.producer.clone(),
                key,
            };
            let kb = reached::strictest(said.kbs, place.resolved.index, &place.others);
            if let Verdict::Refuse(problem) = judge(&kb, &draft.asked()) {
                let (path, problem) = secret_in(&numbers, &draft.entries, problem);
                problems.push(here(path, problem));
            }
            drafts.push(draft);
        }
    }
    // A message quotes what it is about: beside a secret, nothing else is said.
    if problems.iter().any(|found| found.problem.code == Code::Secret) {
        problems.retain(|found| found.problem.code == Code::Secret);
    }
    if problems.is_empty() { Ok(drafts) } else { Err(problems) }
}

/// What an input says of each section, kept only where one of its entries names no operation.
struct SaidBefore {
    wanted: bool,
    said: HashMap<(DocKey, u8, Vec<String>), Vec<Entry>>,
}

impl SaidBefore {
    /// The refusal of an entry that would replace a text without a word of that; and remembers the entry.
    fn replaced_unasked(
        &mut self,
        entry: &Entry,
        unnamed: bool,
        place: &Destination,
        said: &Submission<'_>,
    ) -> Option<Problem> {
        if !self.wanted {
            return None;
        }
        let section = (place.document.doc, entry.key.level, entry.key.heading.clone());
        let before = self.said.entry(section).or_default();
        let what = unnamed.then(|| (said.would_replace)(entry, &place.resolved, before)).flatten();
        before.push(entry.clone());
        let problem = Problem::new(Code::OperationMissing, format!("without an operation, {}", what?));
        Some(problem.hint("write `operation: append` to add to it, or `operation: update` to replace it"))
    }
}

/// When items are said, by the speaker's calendar; it is asked only for them.
fn items_said_at(entries: &[Entry], said: &Submission<'_>) -> Option<String> {
    let of_items = entries.iter().any(|entry| entry.operation.is_of_item());
    of_items.then(|| (said.moment)(None).minute())
}

/// Where a target leads, and what jobs say of it.
struct Destination {
    resolved: Resolved,
    document: DocumentRef,
    /// Other knowledge bases that lead to the same file, and may refuse what this one takes.
    others: Vec<usize>,
}

/// An entry, and its number in its declaration.
type Numbered = (usize, Entry);

/// The entries of a declaration by document, documents in the order of their first entry.
fn by_document(
    declaration: Declaration,
    said: &Submission<'_>,
    places: &mut Vec<(Target, Rc<Destination>)>,
    problems: &mut Vec<(String, Problem)>,
) -> Vec<(Rc<Destination>, Vec<Numbered>)> {
    let mut found: Vec<(Rc<Destination>, usize, Entry)> = Vec::with_capacity(declaration.entries.len());
    // The calendar is asked only for a daily log: a hook waits for this.
    let dated = declaration.entries.iter().any(|entry| means_today(&entry.key.target, said.kbs));
    let today = dated.then(|| (said.moment)(None).day());
    let around = Surroundings { today: today.as_deref(), ..said.around };
    for (index, mut entry) in declaration.entries.into_iter().enumerate() {
        let place =
            with_home(&mut entry, said).and_then(|()| place_of(&entry.key.target, said, &around, places));
        match place {
            Ok(place) => found.push((place, index, entry)),
            Err(problem) => {
                let message = format!("entry {}: {}", index + 1, problem.message);
                let key = (format!("entries[{index}].key"), Problem { message, ..problem });
                problems.push(numbered_secret(index, &entry).unwrap_or(key));
            }
        }
    }
    // Two entries may name one section by different targets (`kb: user` and its path): only now can that be seen.
    let sections = found.iter().filter(|(_, _, entry)| entry.operation != Operation::Add);
    let keys = sections.map(|(place, index, entry)| (*index, &place.resolved.canonical, &entry.key));
    problems.extend(reading::same_sections(keys));
    let mut groups: Vec<(Rc<Destination>, Vec<Numbered>)> = Vec::new();
    for (place, index, mut entry) in found {
        if !place.resolved.values.is_empty() {
            // The day it is said on, not the one it is merged on.
            entry.key.target = place.resolved.target();
        }
        match groups.iter_mut().find(|(known, _)| known.resolved.canonical == place.resolved.canonical) {
            Some((_, entries)) => entries.push((index, entry)),
            None => groups.push((place, vec![(index, entry)])),
        }
    }
    groups
}

/// Names the document of an item in an entry that names only the item.
fn with_home(entry: &mut Entry, said: &Submission<'_>) -> Result<(), Problem> {
    if let Target::Item(id) = &entry.key.target {
        entry.key.target = (said.home_of_item)(id)?;
    }
    Ok(())
}

/// A refusal with the path of what it is about. A secret is in one entry; `numbers` are those the entries have in their
/// declaration, which may be for several documents.
fn secret_in(numbers: &[usize], entries: &[Entry], refusal: Problem) -> (String, Problem) {
    if refusal.code != Code::Secret {
        return (String::new(), refusal);
    }
    let mut numbered = numbers.iter().zip(entries);
    numbered.find_map(|(number, entry)| numbered_secret(*number, entry)).unwrap_or((String::new(), refusal))
}

/// The path and the problem of the secret in an entry.
fn numbered_secret(number: usize, entry: &Entry) -> Option<(String, Problem)> {
    let (field, _) = secrets::field_with_secret(entry)?;
    Some((format!("entries[{number}].{field}"), secrets::in_entry(number, entry)?))
}

/// Where a target leads. An input names few documents, each many times.
fn place_of(
    target: &Target,
    said: &Submission<'_>,
    around: &Surroundings<'_>,
    places: &mut Vec<(Target, Rc<Destination>)>,
) -> Result<Rc<Destination>, Problem> {
    if let Some((_, known)) = places.iter().find(|(known, _)| known == target) {
        return Ok(Rc::clone(known));
    }
    let resolved = knowledge_base::resolve(target, said.kbs, around, said.canonicalise)?;
    let mut others = Vec::new();
    if said.kbs.iter().any(reached::may_refuse) {
        // A second name of the inode, and another project's, is left to the worker, who looks again: it has the disk at hand.
        let (same_file, projects) = (|_: &Path, _: &Path| false, |_: &Path| Vec::new());
        let as_archived = |kb: &KnowledgeBase, path: &Path| {
            knowledge_base::as_archived(kb, around.home, path, around.today?, &|_| false)
        };
        let canonicalise = said.canonicalise;
        others =
            reached::stricter(&resolved, said.kbs, around, canonicalise, &same_file, &projects, &as_archived);
    }
    let place = Rc::new(Destination { document: document_ref(&resolved, said), resolved, others });
    // A family's member may be another one tomorrow.
    if place.resolved.values.is_empty() && places.len() < PLACES_MAX {
        places.push((target.clone(), Rc::clone(&place)));
    }
    Ok(place)
}

/// Targets that are remembered of one input.
const PLACES_MAX: usize = 16;

/// Whether a target names a family whose document follows from the day.
fn means_today(target: &Target, kbs: &[KnowledgeBase]) -> bool {
    let Target::Kb(name) = target else { return false };
    let (name, _) = family::split(name);
    kbs.iter().any(|kb| kb.name == name && family::is_dated(&kb.path))
}

fn document_ref(resolved: &Resolved, said: &Submission<'_>) -> DocumentRef {
    let kb = &said.kbs[resolved.index];
    DocumentRef {
        kb: resolved.name.clone(),
        path: resolved.path.clone(),
        project: said
            .around
            .project
            .filter(|_| kb.root == knowledge_base::Root::Project)
            .map(ToOwned::to_owned),
        doc: DocKey::of(&resolved.canonical),
    }
}
