//! `adopt`: turns the entries of other agents' memories into declarations, each with its date, its author and the keys of its
//! origins. The items themselves keep these keys, which is how an entry that was taken over is recognised: there is no list.

mod in_place;
mod known;
mod record;
mod undo;

use crate::output::{AdoptedEntry, AdoptedOrigin, AdoptedSystem, Adoption, NotAdopted};
use crate::{Caller, EntryFields, Exit, Failure, Home, chain};
use ::adopt::{About, Folded, MemoryStore, MemorySystem, Proposal, SYSTEMS, fold};
use declaration::reading::near::{begun, suggestion};
use declaration::{Advice, Operation, Timestamp, Trust};
use known::{Known, Standing};
use policy::family;
use policy::settings::Settings;
use policy::time_words::Moment;
use producer::Submission;
use queue_layout::{ADOPTION_FORMAT, AdoptionRecord, Draft};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// The source that declarations of an adoption name.
const SOURCE: &str = "adopt";
/// The knowledge base that facts go to.
const FACTS: &str = "facts";
/// The knowledge base of the agent's character.
const SOUL: &str = "soul";
/// The knowledge base of events in a scope.
const EVENTS: &str = "events";
/// The knowledge base of pages about people and groups.
const PROFILE: &str = "profile";
/// The heading above items without a date.
const UNDATED: &str = "Undated";
/// How many origins the reason of an entry names.
const ORIGINS_NAMED: usize = 3;

/// Which stores are searched.
#[derive(Clone, Copy)]
pub struct Stores<'a> {
    /// Only these systems; all if none is named.
    pub systems: &'a [String],
    /// A home directory; the user's if none is named.
    pub from: Option<&'a Path>,
    /// The project whose stores are searched, too.
    pub project: Option<&'a Path>,
    /// Reads an environment variable with which a user can move the store of a system.
    pub variable: &'a dyn Fn(&str) -> Option<PathBuf>,
}

/// What can be taken over.
#[derive(Debug)]
pub struct Adoptable {
    /// The part that a person is shown.
    pub found: Adoption,
    wanted: Vec<Wanted>,
}

/// One declaration to make.
#[derive(Debug)]
struct Wanted {
    fields: EntryFields,
    said_at: String,
    of: String,
    system: &'static str,
}

impl Home {
    /// Finds what other agents know and this home does not. Changes nothing.
    ///
    /// # Errors
    /// An unknown system; a configuration that cannot be used; a disk error.
    pub fn adoptable(&self, stores: &Stores<'_>, cwd: &Path) -> Result<Adoptable, Failure> {
        let systems = named(stores.systems)?;
        let home = stores.from.unwrap_or(&self.user_home);
        let store = MemoryStore {
            disk: &*self.disk,
            home,
            project: stores.project,
            within: stores.from,
            variable: stores.variable,
        };
        let mut found = Adoption::default();
        let mut read = Vec::new();
        for system in systems {
            let of_it = system.read(&store);
            if !of_it.entries.is_empty() || !of_it.left_out.is_empty() {
                found.systems.push(in_use(&system, &of_it));
            }
            read.push(of_it);
        }
        let mut folded = fold(read);
        let known = Known::of(self, cwd)?;
        let all = folded.proposals.len();
        let otherwise = self.leave_unknown(&mut folded, &known, cwd)?;
        found.known = all - folded.proposals.len() - otherwise.len();
        folded.cap();
        let Folded { proposals, left_out, beyond } = folded;
        found.left_out = left_out.into_iter().map(not_adopted).chain(otherwise).collect();
        for system in &mut found.systems {
            system.beyond = beyond.get(system.system).copied().unwrap_or(0);
        }
        let targets = Targets::of(&self.settings()?, self.now());
        let mut wanted = Vec::new();
        for proposal in proposals {
            let standing = known.standing(&proposal);
            let Some(fields) = self.fields(&proposal, &standing, &targets, &known) else {
                let why = "a knowledge base of that name is no family by scope and day, or by type and id";
                found.left_out.push(refused(&proposal, why.to_owned()));
                continue;
            };
            match fields.declaration() {
                Ok(Ok(_)) => {}
                problem => {
                    let why = problem.err().map(|e| e.sentence());
                    let why = why.unwrap_or_else(|| "it cannot be an item of a list".to_owned());
                    found.left_out.push(refused(&proposal, why));
                    continue;
                }
            }
            let of = known.keys(&proposal, &standing);
            found.entries.push(shown(&proposal, &standing, &fields, &of));
            wanted.push(Wanted { fields, said_at: proposal.said_at(), of, system: proposal.entry.system });
        }
        Ok(Adoptable { found, wanted })
    }

    /// Takes out what this home knows already, and what stands in documents that are managed where they are. Returned is what it
    /// knows otherwise than an export says it.
    fn leave_unknown(
        &self,
        folded: &mut Folded,
        known: &Known,
        cwd: &Path,
    ) -> Result<Vec<NotAdopted>, Failure> {
        let mut otherwise = Vec::new();
        let managed = self.managed_paths(cwd)?;
        let mut looked_at: HashMap<PathBuf, bool> = HashMap::new();
        let mut is_managed = |path: &PathBuf| {
            let look = || managed.contains(&self.canonicalise(path).unwrap_or_else(|_| path.clone()));
            *looked_at.entry(path.clone()).or_insert_with(look)
        };
        folded.proposals.retain(|proposal| {
            let elsewhere = proposal.origins.iter().any(|origin| !is_managed(&origin.path));
            let is_new = elsewhere && known.standing(proposal) != Standing::Known;
            if let Some(item) = known.otherwise(proposal).filter(|_| elsewhere && !is_new) {
                let why = format!("the item {item} says the same, with another kind or other tags");
                otherwise.push(refused(proposal, why));
            }
            is_new
        });
        Ok(otherwise)
    }

    /// Enqueues what was found, durably; it is merged like every declaration. The knowledge base of facts is added to the
    /// configuration if it is missing.
    ///
    /// # Errors
    /// An agent asks; the configuration cannot be added to; a disk error.
    pub fn adopt(&self, caller: &Caller, adoptable: Adoptable) -> Result<Adoption, Failure> {
        caller.refuse_agents("take over what other agents know")?;
        let Adoptable { mut found, wanted } = adoptable;
        if wanted.is_empty() {
            return Ok(found);
        }
        let seed = [self.host.random().to_le_bytes(), self.now().millis().to_le_bytes()].concat();
        let id = markdown_merge::item::id_of(&seed);
        let mut record = AdoptionRecord {
            format: ADOPTION_FORMAT,
            id: id.clone(),
            at: self.now(),
            ..AdoptionRecord::default()
        };
        let settings = self.settings()?;
        let asked = wanted.iter().map(|wanted| wanted.fields.to.split(':').next().unwrap_or_default());
        if asked.filter(|kb| !kb.is_empty()).any(|kb| settings.knowledge_base(kb).is_none()) {
            self.note_lines(&mut record)?;
            self.queue().operator().record_adoption(&record)?;
            found.added = self.add_memory()?;
        }
        let settings = self.settings()?;
        let mut drafts = Vec::with_capacity(wanted.len());
        for wanted in &wanted {
            drafts.extend(self.draft_of(caller, &id, wanted, &settings)?);
        }
        record.directories = self.missing_directories(&drafts)?;
        self.queue().operator().record_adoption(&record)?;
        let mut random = || self.host.random();
        let mut jobs = Vec::with_capacity(drafts.len());
        self.queue()
            .producer()
            .enqueue(drafts, self.now(), &mut random, &mut |job| jobs.push(job.id))
            .map_err(|e| {
                Failure::new(format!("{}; {}", chain(&e), "what was taken over before stays"))
                    .exit(Exit::TryAgain)
            })?;
        found.adoption = Some(id);
        found.jobs = jobs;
        Ok(found)
    }

    /// The documents that are managed in place.
    fn managed_paths(&self, cwd: &Path) -> Result<BTreeSet<PathBuf>, Failure> {
        let project = self.project(cwd);
        let documents = self.searched_documents(cwd, project.as_deref(), &self.settings()?);
        Ok(documents.into_iter().map(|managed| managed.canonical).collect())
    }

    /// The entry of a proposal; `None` if no document takes it.
    fn fields(
        &self,
        proposal: &Proposal,
        standing: &Standing,
        targets: &Targets,
        known: &Known,
    ) -> Option<EntryFields> {
        let author = proposal.entry.author;
        let trust = if proposal.entry.waits.is_some() { author.min(Trust::Tool) } else { author };
        let common = EntryFields {
            content: Some(proposal.line()),
            confidence: proposal.entry.confidence,
            reason: Some(self.reason(proposal)),
            trust: Some(trust),
            ..EntryFields::default()
        };
        if let Standing::Changed { item } = standing {
            let edited = known.is_edited(item);
            return Some(EntryFields {
                item: Some(item.clone()),
                op: Some(Operation::Revise.as_str().to_owned()),
                trust: Some(if edited { trust.min(Trust::Tool) } else { trust }),
                ..common
            });
        }
        let said_at = proposal.said_at();
        let (to, heading) = targets.of_entry(&proposal.entry.about, said_at.get(..10))?;
        Some(EntryFields { to, heading, op: Some(Operation::Add.as_str().to_owned()), ..common })
    }

    /// Where it was found, as the reason in the history.
    fn reason(&self, proposal: &Proposal) -> String {
        let named = proposal.origins.iter().take(ORIGINS_NAMED).map(|origin| {
            let line = if origin.line > 0 { format!(":{}", origin.line) } else { String::new() };
            format!("{} {}{line}", origin.system, self.short(&origin.path))
        });
        let named: Vec<String> = named.collect();
        let more = proposal.origins.len().saturating_sub(ORIGINS_NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let reason = format!("adopted from {}{more}", named.join(", "));
        reason.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
    }

    /// The draft of one declaration, dated with the day it was said on.
    fn draft_of(
        &self,
        caller: &Caller,
        id: &str,
        wanted: &Wanted,
        settings: &Settings,
    ) -> Result<Vec<Draft>, Failure> {
        let mut declaration =
            wanted.fields.declaration()?.map_err(|problems| Failure::refused("the entry", &problems))?;
        SOURCE.clone_into(&mut declaration.source);
        let speaks = Caller { agent: wanted.system.to_owned(), session: id.to_owned(), ..caller.clone() };
        let producer = speaks.producer("adopt");
        let said = Timestamp::parse(&format!("{}T12:00:00Z", wanted.said_at.get(..10).unwrap_or_default()));
        let moment = |at: Option<Timestamp>| match (at, said) {
            (None, Some(said)) => Moment::new(said, 0),
            (at, _) => self.moment_at(at),
        };
        let drafts = self.saying(settings, &caller.cwd, &producer, None, |submission| {
            producer::drafts(vec![declaration], &Submission { moment: &moment, ..submission })
        });
        let mut drafts = drafts.map_err(|found| {
            let problems: Vec<_> = found.into_iter().map(|found| found.problem).collect();
            Failure::refused("the entry", &problems)
        })?;
        for entry in drafts.iter_mut().flat_map(|draft| &mut draft.entries) {
            entry.meta.said_at = Some(wanted.said_at.clone());
            entry.meta.of = Some(wanted.of.clone());
        }
        Ok(drafts)
    }
}

/// The systems of these names.
fn named(names: &[String]) -> Result<Vec<MemorySystem>, Failure> {
    if names.is_empty() {
        return Ok(SYSTEMS.to_vec());
    }
    let of_name = |name: &String| {
        MemorySystem::named(name).ok_or_else(|| {
            let names = SYSTEMS.map(|system| system.name);
            let near = suggestion(begun(name, names));
            Failure::new(format!("there is no system `{name}`"))
                .hint(format!("{near}systems are {}", names.join(", ")))
                .exit(Exit::Usage)
        })
    };
    names.iter().map(of_name).collect()
}

/// Which documents the entries go to.
struct Targets {
    /// Whether facts are kept by the month.
    by_month: bool,
    has_soul: bool,
    /// Whether events have a document for each scope and day, and pages one for each type and id.
    by_scope: bool,
    by_id: bool,
    month: String,
}

impl Targets {
    fn of(settings: &Settings, now: Timestamp) -> Targets {
        let facts = settings.knowledge_base(FACTS);
        // If there is none yet, the default one is added.
        let by_month = facts.is_none_or(|kb| family::is_family(&kb.path));
        let month = now.day().chars().take(7).collect();
        let fits = |name: &str, variables: [&str; 2]| {
            let kb = settings.knowledge_base(name);
            kb.is_none_or(|kb| family::variables(&kb.path).is_ok_and(|found| found == variables))
        };
        Targets {
            by_month,
            has_soul: settings.knowledge_base(SOUL).is_some(),
            by_scope: fits(EVENTS, ["scope", "date"]),
            by_id: fits(PROFILE, ["type", "id"]),
            month,
        }
    }

    /// Document and heading.
    fn of_entry(&self, about: &About, day: Option<&str>) -> Option<(String, Vec<String>)> {
        if *about == About::Soul && self.has_soul {
            return Some((SOUL.to_owned(), vec!["Adopted".to_owned()]));
        }
        match (about, day) {
            // An event of one scope must not be found from another, so it goes to no other document.
            (About::Event { group, user }, Some(day)) => {
                let scope = crate::end::scope_of(group.as_deref(), user.as_deref());
                return self.by_scope.then(|| (format!("{EVENTS}:{scope}:{day}"), vec![day.to_owned()]));
            }
            (About::Event { .. }, None) => return None,
            (About::Profile { sort, id }, _) => {
                let name = crate::end::path_name(id);
                return self.by_id.then(|| (format!("{PROFILE}:{sort}:{name}"), vec!["Adopted".to_owned()]));
            }
            _ => {}
        }
        let month = day.and_then(|day| day.get(..7)).unwrap_or(&self.month);
        let to = if self.by_month { format!("{FACTS}:{month}") } else { FACTS.to_owned() };
        Some((to, vec![day.unwrap_or(UNDATED).to_owned()]))
    }
}

fn in_use(system: &MemorySystem, found: &::adopt::FoundMemories) -> AdoptedSystem {
    let day =
        |entry: &::adopt::Memory| entry.date.as_deref().and_then(|date| date.get(..10)).map(str::to_owned);
    let days = found.entries.iter().filter_map(day);
    AdoptedSystem {
        system: system.name,
        title: system.title,
        entries: found.entries.len(),
        beyond: 0,
        from: days.clone().min(),
        to: days.max(),
    }
}

fn not_adopted(left: ::adopt::LeftOut) -> NotAdopted {
    let ::adopt::LeftOut { system, path, line, what, why } = left;
    NotAdopted { system, path, line, what, why: why.to_owned() }
}

fn refused(proposal: &Proposal, why: String) -> NotAdopted {
    let ::adopt::Memory { system, path, line, text, .. } = &proposal.entry;
    NotAdopted { system, path: path.clone(), line: *line, what: text.clone(), why }
}

fn shown(proposal: &Proposal, standing: &Standing, fields: &EntryFields, of: &str) -> AdoptedEntry {
    let origins = proposal.origins.iter();
    let item = match standing {
        Standing::Changed { item } => Some(item.clone()),
        _ => None,
    };
    let edited = item.is_some() && fields.trust < Some(Trust::Agent);
    AdoptedEntry {
        state: if item.is_some() { "changed" } else { "new" },
        item,
        text: proposal.line(),
        kb: fields.to.clone(),
        said_at: proposal.said_at(),
        of: of.to_owned(),
        origins: origins
            .map(|origin| AdoptedOrigin {
                system: origin.system,
                path: origin.path.clone(),
                line: origin.line,
            })
            .collect(),
        waits: proposal.entry.waits.or(Some("somebody edited the item since").filter(|_| edited)),
        contradicts: proposal.contradicts.clone(),
    }
}

/// The error for an adoption that has nothing to take back.
fn nothing_adopted() -> Failure {
    Failure::new("nothing was adopted here, or it was taken back").hint(Advice::Words(
        "what was adopted is told by the items themselves: they name the system they are from".to_owned(),
    ))
}
