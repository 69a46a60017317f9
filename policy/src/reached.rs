//! Several knowledge bases may lead to one file, by links or as hard links of one inode. Whoever writes the file through
//! one of them must keep the rules of all.

use crate::knowledge_base::{
    Canonicalise, KnowledgeBase, OnOverBudget, Policy, Resolved, Root, Surroundings, document, member_of,
};
use crate::settings::{Guard, Settings};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

/// Whether two paths name one file: decided by the inode where the paths differ.
pub type SameFile<'a> = &'a dyn Fn(&Path, &Path) -> bool;

/// The projects that a file lies in, one within the other.
pub type ProjectsAround<'a> = &'a dyn Fn(&Path) -> Vec<PathBuf>;

/// Where a document lies in the archive, where it counts as one that does.
pub type AsArchived<'a> = &'a dyn Fn(&KnowledgeBase, &Path) -> Option<PathBuf>;

/// The other knowledge bases that lead to the same file and have a rule that the one it was found by lacks; those of a project also from
/// the projects that the file lies in, whichever it was found from.
#[must_use]
pub fn stricter(
    found: &Resolved,
    kbs: &[KnowledgeBase],
    around: &Surroundings<'_>,
    canonicalise: Canonicalise<'_>,
    same_file: SameFile<'_>,
    projects: ProjectsAround<'_>,
    as_archived: AsArchived<'_>,
) -> Vec<usize> {
    let kb = &kbs[found.index];
    // An old day is brought back from the archive, and moved there again.
    let archived =
        as_archived(kb, &found.path).map(|path| (canonicalise(&path).unwrap_or_else(|_| path.clone()), path));
    let archived = archived.as_ref().map(|(canonical, path)| [path, canonical]);
    let places = [Some([&found.path, &found.canonical]), archived];
    let reaches_from = |index: usize, other: &KnowledgeBase, around: &Surroundings<'_>| {
        places.iter().flatten().any(|[path, canonical]| {
            let reached =
                member_of(index, other, &[path.as_path(), canonical.as_path()], around, canonicalise)
                    .or_else(|| document(index, other, around, canonicalise).ok());
            reached
                .is_some_and(|other| other.canonical == **canonical || same_file(&other.canonical, canonical))
        })
    };
    let lies_in = OnceCell::new();
    let reaches = |index: usize, other: &KnowledgeBase| {
        reaches_from(index, other, around)
            || other.root == Root::Project
                && lies_in.get_or_init(|| projects(&found.canonical)).iter().any(|project| {
                    reaches_from(index, other, &Surroundings { project: Some(project), ..*around })
                })
    };
    let others = kbs.iter().enumerate().filter(|(index, other)| *index != found.index && adds_to(kb, other));
    others.filter(|(index, other)| reaches(*index, other)).map(|(index, _)| index).collect()
}

/// A knowledge base with the stricter rules of others added.
#[must_use]
pub fn strictest<'b>(kbs: &'b [KnowledgeBase], index: usize, others: &[usize]) -> Cow<'b, KnowledgeBase> {
    let with = |kb: Cow<'b, KnowledgeBase>, other: &usize| Cow::Owned(both(&kb, &kbs[*other]));
    others.iter().fold(Cow::Borrowed(&kbs[index]), with)
}

/// A knowledge base with the stricter rules of another home added, from those that lead to its file or to one of its files.
#[must_use]
pub fn bound_by(
    (kb, here): (&KnowledgeBase, &Surroundings<'_>),
    (others, there): (&[KnowledgeBase], &Surroundings<'_>),
    canonicalise: Canonicalise<'_>,
    same_file: SameFile<'_>,
) -> KnowledgeBase {
    let ours = document(0, kb, here, canonicalise).ok();
    let leads_here = |other: &&KnowledgeBase| {
        let theirs = document(0, other, there, canonicalise).ok();
        match (&ours, &theirs) {
            (Some(one), Some(two)) => {
                one.canonical == two.canonical || same_file(&one.canonical, &two.canonical)
            }
            (Some(one), None) => {
                member_of(0, other, &[&one.path, &one.canonical], there, canonicalise).is_some()
            }
            (None, Some(two)) => member_of(0, kb, &[&two.path, &two.canonical], here, canonicalise).is_some(),
            // Two families, or documents of the project that a job comes from, whichever that is.
            (None, None) => whole_path(kb, here) == whole_path(other, there),
        }
    };
    others.iter().filter(leads_here).fold(kb.clone(), |kb, other| generated_as(both(&kb, other), other))
}

/// What another home of the same user says.
#[derive(Debug, Clone)]
pub struct OtherRules {
    /// Its knowledge bases.
    pub kbs: Vec<KnowledgeBase>,
    /// What `~` means in them.
    pub home: PathBuf,
}

/// A knowledge base with the stricter rules of other homes added, for one file that it leads to: by a link, or below a project, which no
/// look at the configuration alone can tell.
#[must_use]
pub fn bound_at<'k>(
    kb: Cow<'k, KnowledgeBase>,
    file: &Path,
    others: &[OtherRules],
    canonicalise: Canonicalise<'_>,
    same_file: SameFile<'_>,
    projects: ProjectsAround<'_>,
) -> Cow<'k, KnowledgeBase> {
    let mut kb = kb;
    let lies_in = OnceCell::new();
    for other in others {
        let there = Surroundings { home: &other.home, project: None, cwd: &other.home, today: None };
        let leads_from =
            |theirs: &KnowledgeBase, there: &Surroundings<'_>| match document(0, theirs, there, canonicalise)
            {
                Ok(found) => found.canonical == file || same_file(&found.canonical, file),
                Err(_) => member_of(0, theirs, &[file], there, canonicalise).is_some(),
            };
        let leads_here = |theirs: &&KnowledgeBase| {
            leads_from(theirs, &there)
                || theirs.root == Root::Project
                    && lies_in
                        .get_or_init(|| projects(file))
                        .iter()
                        .any(|project| leads_from(theirs, &Surroundings { project: Some(project), ..there }))
        };
        for theirs in other.kbs.iter().filter(leads_here) {
            kb = Cow::Owned(generated_as(both(&kb, theirs), theirs));
        }
    }
    kb
}

/// What nobody declares is made in a document of another home only as that one says.
fn generated_as(kb: KnowledgeBase, other: &KnowledgeBase) -> KnowledgeBase {
    let copy_of = kb.copy_of.clone().filter(|of| Some(of) == other.copy_of.as_ref());
    let index = kb.index.clone().filter(|index| Some(index) == other.index.as_ref());
    KnowledgeBase { copy_of, index, ..kb }
}

fn whole_path(kb: &KnowledgeBase, around: &Surroundings<'_>) -> PathBuf {
    kb.path.strip_prefix("~/").map_or_else(|| PathBuf::from(&kb.path), |rest| around.home.join(rest))
}

/// Whether a rule of a knowledge base can refuse a declaration before it is a job.
#[must_use]
pub fn may_refuse(kb: &KnowledgeBase) -> bool {
    kb.policy == Policy::ReadOnly || !kb.headings.deny.is_empty() || !kb.headings.allow.is_empty()
}

/// Whether a knowledge base has a rule that another one lacks. Most have none: then their paths need not be compared.
fn adds_to(kb: &KnowledgeBase, other: &KnowledgeBase) -> bool {
    both(kb, other) != *kb
}

/// Whether a knowledge base keeps something from being written, or has it asked for, beside how long it may get.
fn restricts(kb: &KnowledgeBase) -> bool {
    let none = KnowledgeBase::default();
    strictness(kb.policy) > strictness(Policy::Auto)
        || kb.machine_block
        || !kb.create && none.create
        || !kb.validate.is_empty()
        || kb.min_trust > none.min_trust
        || kb.min_confidence.is_some()
        || kb.headings != none.headings
}

/// Whether settings let something be written or approved that others did not: by rules of knowledge bases that both have, or that are
/// gone, as another one may lead to the same file; by the channels of a yes; by what the guard does.
#[must_use]
pub fn are_laxer(settings: &Settings, before: &Settings) -> bool {
    let is_laxer = |kb: &KnowledgeBase| {
        before.knowledge_base(&kb.name).is_some_and(|before| {
            // Where it lies, and what it is called, are no rules.
            let KnowledgeBase { path, title, tag, .. } = kb.clone();
            adds_to(kb, &KnowledgeBase { path, title, tag, ..before.clone() })
        })
    };
    let (channels, guard, was) = (&before.review_channels, &settings.guard, &before.guard);
    let modes = |guard: &Guard| {
        [guard.documents, guard.control, guard.unread, guard.require_edits, guard.require_risky]
    };
    let is_gone = |kb: &KnowledgeBase| restricts(kb) && settings.knowledge_base(&kb.name).is_none();
    settings.knowledge_bases.iter().any(is_laxer)
        || before.knowledge_bases.iter().any(is_gone)
        || modes(guard).into_iter().zip(modes(was)).any(|(now, was)| now < was)
        || was.require.iter().any(|document| !guard.require.contains(document))
        || settings.review_channels.iter().any(|channel| !channels.contains(channel))
}

/// The first one with each rule of the second that is stricter.
fn both(kb: &KnowledgeBase, other: &KnowledgeBase) -> KnowledgeBase {
    let mut both = kb.clone();
    if strictness(other.policy) > strictness(kb.policy) {
        both.policy = other.policy;
    }
    both.create &= other.create;
    both.machine_block |= other.machine_block;
    both.front_matter &= other.front_matter;
    both.redact |= other.redact;
    both.on_over_budget = match (has_budget(kb), has_budget(other)) {
        (true, true) if kb.on_over_budget != other.on_over_budget => OnOverBudget::Fail,
        (false, true) => other.on_over_budget,
        _ => kb.on_over_budget,
    };
    both.budget_chars = least(kb.budget_chars, other.budget_chars);
    both.budget_tokens = least(kb.budget_tokens, other.budget_tokens);
    both.section_budget_chars = least(kb.section_budget_chars, other.section_budget_chars);
    both.mark_below = kb.mark_below.max(other.mark_below);
    both.on_hit = kb.on_hit.max(other.on_hit);
    both.min_trust = kb.min_trust.max(other.min_trust);
    both.min_confidence = match (kb.min_confidence, other.min_confidence) {
        (Some(one), Some(other)) => Some(one.max(other)),
        (one, other) => one.or(other),
    };
    let added = |list: &mut Vec<String>, more: &[String]| {
        let new = more.iter().filter(|heading| !list.contains(heading)).cloned().collect::<Vec<_>>();
        list.extend(new);
    };
    added(&mut both.headings.deny, &other.headings.deny);
    added(&mut both.headings.review, &other.headings.review);
    if both.headings.allow.is_empty() {
        both.headings.allow.clone_from(&other.headings.allow);
    } else if !other.headings.allow.is_empty() {
        both.headings.allow.retain(|heading| other.headings.allow.contains(heading));
        // An empty list would allow everything.
        if both.headings.allow.is_empty() {
            both.policy = Policy::ReadOnly;
        }
    }
    let new = other.validate.iter().filter(|program| !kb.validate.contains(program)).cloned();
    both.validate.extend(new);
    both
}

fn has_budget(kb: &KnowledgeBase) -> bool {
    [kb.budget_chars, kb.budget_tokens, kb.section_budget_chars].iter().any(Option::is_some)
}

/// The smaller budget; none has no end.
fn least(one: Option<usize>, other: Option<usize>) -> Option<usize> {
    [one, other].into_iter().flatten().min()
}

fn strictness(policy: Policy) -> u8 {
    match policy {
        Policy::Auto => 0,
        Policy::Review => 1,
        Policy::ReadOnly => 2,
    }
}
