//! Makes one list of the entries of all systems. The same statement occurs once, with all its origins; contradictions are marked;
//! secrets are named but not shown; and each system adds no more entries than a person can look through.

use crate::readers;
use crate::screen::gives_orders;
use crate::{About, FoundMemories, LeftOut, Memory, MemoryKind};
use declaration::{Trust, secrets};
use markdown_merge::item::{self, id_of};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use unicode_normalization::UnicodeNormalization;

/// The most entries of one system that are proposed at a time.
pub const OF_A_SYSTEM_MAX: usize = 200;
/// Entries that contradict one another at most: more that differ only in a number are a list of like things (Sprint 1, Sprint 2).
const CONTRADICT_MAX: usize = 4;
/// Characters of an entry.
const CHARS_MAX: usize = 2_000;
/// Characters of something that was left out, as the list names it.
const NAMED_CHARS_MAX: usize = 200;
/// Length of the stable part of a key, in characters: it stays the same when the text of its entry changes.
pub const IDENTITY: usize = 8;
/// Length of the part after it, a hash of the text.
const TEXT_HASH: usize = 4;

/// Where an entry was found.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Origin {
    /// The system's name.
    pub system: &'static str,
    /// The file.
    pub path: PathBuf,
    /// Its line, from 1; 0 if it has none.
    pub line: usize,
    /// Its key: eight characters that stay the same when its text changes (if its system has a name for it), and four of the
    /// hash of its text.
    pub key: String,
}

/// An entry that can be taken over.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// The entry: the text of its first origin, the earliest date and the least trusted author of all origins.
    pub entry: Memory,
    /// Its origins.
    pub origins: Vec<Origin>,
    /// The projects it is about.
    pub projects: Vec<PathBuf>,
    /// Another proposal that has the same words with another number.
    pub contradicts: Option<String>,
}

/// The list of what can be taken over.
#[derive(Debug, Default)]
pub struct Folded {
    /// The entries.
    pub proposals: Vec<Proposal>,
    /// What is not taken over, and why.
    pub left_out: Vec<LeftOut>,
    /// How many entries of each system were not listed, because it has too many.
    pub beyond: BTreeMap<&'static str, usize>,
}

/// The findings of all systems as one list.
#[must_use]
pub fn fold(found: Vec<FoundMemories>) -> Folded {
    let mut folded = Folded::default();
    let mut at: HashMap<String, Vec<usize>> = HashMap::new();
    for system in found {
        folded.left_out.extend(system.left_out.into_iter().map(named));
        for entry in screened(system.entries, &mut folded.left_out) {
            let same = at.entry(key(&entry)).or_default();
            let known = same.iter().find(|at| folded.proposals[**at].is_same(&entry));
            match known.map(|at| &mut folded.proposals[*at]) {
                Some(known) if known.entry.is_of_other_kind(&entry) => folded.left_out.push(named(LeftOut {
                    system: entry.system,
                    path: entry.path,
                    line: entry.line,
                    what: entry.text,
                    why: "another item of the export says the same, with another kind",
                })),
                Some(known) => known.also(entry),
                None => {
                    same.push(folded.proposals.len());
                    folded.proposals.push(Proposal::of(entry));
                }
            }
        }
    }
    // The home may be the project, too: then its files are read twice.
    let mut known = HashSet::new();
    folded.left_out.retain(|left| known.insert(left.clone()));
    contradictions(&mut folded.proposals);
    folded
}

impl Proposal {
    fn of(entry: Memory) -> Proposal {
        let origins = vec![entry.origin()];
        let projects = entry.project.iter().cloned().collect();
        Proposal { entry, origins, projects, contradicts: None }
    }

    /// Whether an entry that says the same in other words or signs is the same: two items of an export are two as they were in
    /// their home, where tags and what stands below make them two.
    fn is_same(&self, other: &Memory) -> bool {
        let both = self.entry.exported && other.exported;
        !both || item::fold(&self.entry.text) == item::fold(&other.text)
    }

    fn also(&mut self, other: Memory) {
        let origin = other.origin();
        if !self.origins.contains(&origin) {
            self.origins.push(origin);
        }
        if let Some(project) = other.project.clone().filter(|project| !self.projects.contains(project)) {
            self.projects.push(project);
        }
        let entry = &mut self.entry;
        let dates = [entry.date.take(), other.date];
        entry.date = dates.into_iter().flatten().min();
        entry.author = entry.author.min(other.author);
        entry.waits = entry.waits.filter(|_| other.waits.is_some());
        for name in other.entities {
            if !entry.entities.contains(&name) {
                entry.entities.push(name);
            }
        }
    }

    /// The order in which entries are listed if there are too many: decisions, preferences, facts, what was done; the newest of
    /// each first.
    fn rank(&self) -> (u8, std::cmp::Reverse<&str>) {
        let decision = self.entry.heading.as_deref().is_some_and(|heading| heading.starts_with("Decision"));
        let rank = match self.entry.kind {
            _ if decision => 0,
            MemoryKind::O => 1,
            MemoryKind::W => 2,
            MemoryKind::B => 3,
        };
        (rank, std::cmp::Reverse(self.entry.date.as_deref().unwrap_or_default()))
    }
}

impl Memory {
    /// Whether both are items of an export, of two kinds.
    fn is_of_other_kind(&self, other: &Memory) -> bool {
        self.exported && other.exported && self.word != other.word
    }

    fn origin(&self) -> Origin {
        let identity = self.id.clone().unwrap_or_else(|| plain(&self.text));
        let of_file = if self.id.is_some() { String::new() } else { self.path.display().to_string() };
        let mut key = id_of(format!("adopt\0{}\0{of_file}\0{identity}", self.system).as_bytes());
        key.push_str(&text_hash(&self.text));
        Origin { system: self.system, path: self.path.clone(), line: self.line, key }
    }
}

impl Folded {
    /// Leaves of each system what a person can look through, the most important first, and counts the rest. To be called when what
    /// is known already has been taken out: else the rest would never have its turn.
    pub fn cap(&mut self) {
        let mut ranked: Vec<usize> = (0..self.proposals.len()).collect();
        ranked.sort_by(|a, b| self.proposals[*a].rank().cmp(&self.proposals[*b].rank()));
        let mut taken: BTreeMap<&'static str, usize> = BTreeMap::new();
        let mut keep = vec![true; self.proposals.len()];
        for at in ranked {
            let system = self.proposals[at].entry.system;
            let count = taken.entry(system).or_default();
            *count += 1;
            if *count > OF_A_SYSTEM_MAX {
                keep[at] = false;
                *self.beyond.entry(system).or_default() += 1;
            }
        }
        let mut keep = keep.into_iter();
        self.proposals.retain(|_| keep.next().unwrap_or(true));
    }
}

/// The entries that may be shown. One with a secret is left out by name. One that gives orders to an agent, or says how an agent
/// should be, needs a person's yes.
fn screened(entries: Vec<Memory>, left_out: &mut Vec<LeftOut>) -> Vec<Memory> {
    let mut kept = Vec::with_capacity(entries.len());
    for mut entry in entries {
        let LeftOut { system, path, line, .. } = LeftOut {
            system: entry.system,
            path: entry.path.clone(),
            line: entry.line,
            what: String::new(),
            why: "",
        };
        let refused = |what: String, why| LeftOut { system, path: path.clone(), line, what, why };
        let texts = [Some(&entry.text), entry.heading.as_ref(), entry.id.as_ref()];
        let secret = texts.into_iter().flatten().chain(&entry.entities).find_map(|text| secrets::find(text));
        if let Some(secret) = secret {
            left_out
                .push(refused(secret.what.to_owned(), "it looks like a secret, and is not repeated here"));
            continue;
        }
        // What we exported was an item of ours, however long it is.
        if system != readers::EXPORTED && entry.text.chars().count() > CHARS_MAX {
            let start: String = entry.text.chars().take(80).collect();
            left_out.push(refused(format!("{start}…"), "it is longer than 2,000 characters"));
            continue;
        }
        if entry.about == About::Soul {
            entry.waits = entry.waits.or(Some("it is about how the agent is"));
        }
        if gives_orders(&entry.text) {
            entry.waits = Some("it gives orders to the agent that reads it");
        }
        // A file does not prove that the person wrote it.
        entry.author = entry.author.min(Trust::Agent);
        kept.push(entry);
    }
    kept
}

/// Entries with an equal identity are one: the same text, and the same people who may know of it.
fn key(entry: &Memory) -> String {
    let scope = match &entry.about {
        about @ (About::Profile { .. } | About::Event { .. }) => format!("{about:?}"),
        _ => String::new(),
    };
    format!("{scope}\0{}", plain(&entry.text))
}

/// What was left out as it is named: without secrets, and not longer than it takes to know it again.
fn named(mut left: LeftOut) -> LeftOut {
    if let Some(secret) = secrets::find(&left.what) {
        left.what = format!("{}, not repeated here", secret.what);
    }
    if let Some((at, _)) = left.what.char_indices().nth(NAMED_CHARS_MAX) {
        left.what.truncate(at);
        left.what.push('…');
    }
    left
}

/// A normal form in which texts are compared: without differences in compatibility forms, case and blanks, without tags at the end
/// and punctuation at both ends.
#[must_use]
pub fn plain(text: &str) -> String {
    let text: String = text.nfkc().collect::<String>().to_lowercase();
    let mut words: Vec<&str> = text.split_whitespace().collect();
    while words.len() > 1 && words.last().is_some_and(|word| word.starts_with('#')) {
        words.pop();
    }
    let mark = |c: char| !c.is_alphanumeric();
    words.join(" ").trim_matches(mark).replace('`', "")
}

/// The second part of a key: a hash of the text.
#[must_use]
pub fn text_hash(text: &str) -> String {
    id_of(format!("text\0{}", plain(text)).as_bytes()).chars().take(TEXT_HASH).collect()
}

/// Marks entries that differ in a number only: a person must decide which one is right.
fn contradictions(proposals: &mut [Proposal]) {
    let mut same: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, proposal) in proposals.iter().enumerate() {
        let plain = plain(&proposal.entry.text);
        let shape = without_numbers(&plain);
        if proposal.entry.kind == MemoryKind::W && shape != plain && shape.chars().count() >= 6 {
            same.entry(shape).or_default().push(at);
        }
    }
    for group in same.into_values().filter(|group| (2..=CONTRADICT_MAX).contains(&group.len())) {
        for at in &group {
            let other =
                group.iter().find(|other| *other != at).map(|other| proposals[*other].entry.text.clone());
            proposals[*at].contradicts = other;
            proposals[*at].entry.waits = Some("another memory says the same with another number");
        }
    }
}

fn without_numbers(text: &str) -> String {
    let mut shape = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '0'..='9' if shape.ends_with('#') => {}
            '0'..='9' => shape.push('#'),
            c => shape.push(c),
        }
    }
    shape
}
