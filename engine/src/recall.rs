//! Finding again what stands in the managed documents, and what still waits for them. Every hit is read from its document
//! when it is asked for.

mod indexed;
pub(crate) mod managed;
mod meaning;
mod transcripts;
pub(crate) mod unasked;

use crate::output::{RecallHit, RecallPart, Recalled, Searched, SearchedBy};
use crate::{Exit, Failure, Home};
use ::recall::{Hit, HitFilter, Query, Unit, Weights};
use declaration::trust::of_entry;
use declaration::{Entry, Trust};
use indexed::NotIndexed;
use managed::Managed;
use operator::{Waiting, Whereabouts};
use policy::confidence_note::doubt_of_item;
use policy::knowledge_base::KnowledgeBase;
use policy::settings::Settings;
use queue_layout::JobId;
use std::path::Path;

/// The variable of a family whose members are of one group or user each.
const SCOPE: &str = "scope";
/// The `type` of a profile that is a group's; its `id` says which one's.
const GROUP: &str = "group";

/// What is asked for, and which answers are wanted.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The words.
    pub text: String,
    /// Only items of these kinds.
    pub kinds: Vec<String>,
    /// Only items with one of these tags.
    pub entities: Vec<String>,
    /// Only these documents: a knowledge base, a member of a family or the first of its names (`profile:user`), or a path.
    pub documents: Vec<String>,
    /// Only what is from this day or later, `YYYY-MM-DD`.
    pub from: Option<String>,
    /// Only what is from this day or earlier.
    pub to: Option<String>,
    /// Only documents of families whose variables say this.
    pub scope: Vec<(String, String)>,
    /// Leave out documents of one scope (a group's events), unless the question names a scope or these documents: an agent that
    /// speaks with many groups must not answer one of them from another.
    pub apart: bool,
    /// At most so many hits.
    pub limit: usize,
    /// Also what is retired or superseded.
    pub all: bool,
    /// Only what stands in documents: what waits in the queue is not read for it.
    pub standing: bool,
}

/// A document that is searched: on disk, or what one job would add to it.
struct Source {
    managed: Managed,
    units: Vec<Unit>,
    waits: Option<(JobId, Whereabouts)>,
}

impl Source {
    fn searched(&self) -> ::recall::SearchedDocument<'_> {
        ::recall::SearchedDocument { units: &self.units, ages: self.managed.ages() }
    }
}

impl Home {
    /// What the managed documents say about something, the best first.
    ///
    /// # Errors
    /// The question cannot be read, the configuration cannot be used, or a disk error that is no single document's.
    pub fn recall(&self, question: &Question, cwd: &Path) -> Result<Recalled, Failure> {
        question.check()?;
        let settings = self.settings()?;
        let project = self.project(cwd);
        let mut managed = self.documents_and_old_days(cwd, project.as_deref(), &settings);
        managed.retain(|document| question.asks_document(document, self));
        let mut waiting = if question.standing {
            Vec::new()
        } else {
            self.waiting_units(question, &settings, project.as_deref())?
        };
        if settings.transcripts && question.asks_everywhere() {
            waiting.extend(self.sessions_said(cwd, project.as_deref()));
        }
        let mut by_meaning = self.by_meaning(question, &settings);
        let index_trouble = match self.recall_by_index(question, &managed, &waiting, by_meaning.as_mut()) {
            Ok(recalled) => return Ok(recalled),
            Err(NotIndexed::Needless) => None,
            Err(NotIndexed::Trouble(why)) => Some(why),
        };
        let mut unread = Vec::new();
        let mut sources = Vec::new();
        for managed in managed {
            match self.text_of(&managed) {
                Ok(text) => sources.push(Source { managed, units: ::recall::cut(&text), waits: None }),
                Err(failure) => unread.push(failure.to_string()),
            }
        }
        let documents = sources.len();
        sources.extend(waiting);
        let meaning = by_meaning.map(|by_meaning| by_meaning.told.without_index());
        let searched =
            Searched { documents, unread, by: SearchedBy::Reading, index_trouble, units: 0, meaning };
        Ok(self.answer(question, &sources, searched))
    }

    fn answer(&self, question: &Question, sources: &[Source], mut searched: Searched) -> Recalled {
        let texts: Vec<::recall::SearchedDocument<'_>> = sources.iter().map(Source::searched).collect();
        searched.units = texts.iter().map(|text| text.units.len()).sum();
        let hits = self.asking(question, |query, wanted, weights| {
            let hits = ::recall::scan(&texts, query, wanted, weights);
            if hits.is_empty() { ::recall::letters(&texts, query, wanted) } else { hits }
        });
        let found = |hit: Hit| {
            let source = sources.get(hit.document)?;
            Some(self.found(&source.managed, source.waits.clone(), source.units.get(hit.unit)?, hit))
        };
        let hits = hits.into_iter().filter_map(found).collect();
        Recalled { query: question.text.clone(), hits, searched }
    }

    /// Asks a question, of texts or of an index: its words, and which units may answer them today.
    fn asking<T>(&self, question: &Question, ask: impl FnOnce(&Query, &HitFilter<'_>, &Weights) -> T) -> T {
        let today = self.moment().day();
        let may = |_: usize, unit: &Unit| question.asks_unit(unit);
        let wanted = HitFilter { all: question.all, may: &may, today: &today, limit: question.limit };
        let weights = Weights::DEFAULT;
        ask(&Query::new(&question.text, &weights), &wanted, &weights)
    }

    fn found(
        &self,
        managed: &Managed,
        waits: Option<(JobId, Whereabouts)>,
        unit: &Unit,
        hit: Hit,
    ) -> RecallHit {
        let (job, waits) = waits.unzip();
        RecallHit {
            path: self.short(&managed.path),
            line: waits.is_none().then_some(unit.line),
            lines: unit.lines,
            kb: managed.name(),
            part: RecallPart::from(unit.kind),
            text: unit.text.clone(),
            heading: unit.heading.clone(),
            kind: unit.item.kind.clone(),
            tags: unit.item.tags.clone(),
            id: unit.item.id.clone(),
            day: unit.day.clone(),
            by: unit.item.by.clone(),
            doubt: managed.doubt(&unit.item),
            live: !unit.item.retired,
            superseded_by: unit.item.superseded_by.clone(),
            job,
            waits: waits.map(|waits| waits.describe(&|advice| self.host.say(advice))),
            tier: hit.tier,
            score: hit.score.total,
            matched: hit.matched,
            parts: hit.score,
        }
    }

    /// What is declared and not in its document yet, as documents of their own; for documents of a project only from within it, as with
    /// those documents themselves.
    fn waiting_units(
        &self,
        question: &Question,
        settings: &Settings,
        project: Option<&Path>,
    ) -> Result<Vec<Source>, Failure> {
        let source = |Waiting { place, job }: Waiting| {
            let of_project = job.document.project.as_deref();
            if of_project.is_some() && of_project != project {
                return None;
            }
            let managed = Managed::of_job(&job.document, settings, &self.user_home);
            let who = job.producer.trust();
            let kb = settings.knowledge_base(&job.document.kb);
            let units = job.entries.iter().flat_map(|entry| units_of_entry(kb, who, entry)).collect();
            let is_asked = question.asks_document(&managed, self);
            is_asked.then_some(Source { managed, units, waits: Some((job.id, place)) })
        };
        Ok(operator::all_waiting(self.queue())?.into_iter().filter_map(source).collect())
    }
}

/// What an entry would have its section say. Whose word an item of it is, its text may claim: what we know of the job counts.
fn units_of_entry(kb: Option<&KnowledgeBase>, who: Trust, entry: &Entry) -> Vec<Unit> {
    let Some(content) = &entry.content else { return Vec::new() };
    let mut units = ::recall::cut(content);
    let by = of_entry(who, entry);
    let doubt = kb.and_then(|kb| doubt_of_item(kb, entry.meta.confidence, Some(by)));
    let by = by.as_str();
    for unit in &mut units {
        unit.item.remarks.extend(doubt.iter().map(|doubt| format!("<!-- {doubt} -->")));
        unit.item.by = unit.item.by.take().map(|_| by.to_owned());
        unit.heading.splice(0..0, entry.key.heading.iter().cloned());
        unit.day = unit.day.take().or_else(|| {
            let days = entry.key.heading.iter().filter_map(|title| title.get(..10));
            days.filter(|day| ::recall::is_day(day)).map(str::to_owned).next_back()
        });
    }
    units
}

impl Question {
    fn check(&self) -> Result<(), Failure> {
        let usage = |message: String, hint: &str| Err(Failure::new(message).hint(hint).exit(Exit::Usage));
        if self.text.trim().is_empty() {
            return usage("there is no question".to_owned(), "name the words to look for");
        }
        for day in self.from.iter().chain(&self.to) {
            if !declaration::time::is_day(day) {
                return usage(format!("`{day}` is not a day"), "a day is written YYYY-MM-DD");
            }
        }
        Ok(())
    }

    fn asks_document(&self, document: &Managed, home: &Home) -> bool {
        let in_scope = self.scope.iter().all(|wanted| document.variables.contains(wanted));
        // A knowledge base, a member of it, or the first of the names that make a member: `profile:user`.
        let name = document.name();
        let is_named = |named: &String| {
            name.strip_prefix(named.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
                || document.path == home.expand(named)
                || document.canonical.as_os_str() == named.as_str()
        };
        // The name of a family names no scope: `events` is of all groups, `events:group-1` of one.
        let names_it = |scope: &String| {
            self.documents.iter().any(|named| {
                named.split(':').skip(1).any(|part| part == scope) || document.path == home.expand(named)
            })
        };
        let value = |of: &str| document.variables.iter().find(|(name, _)| name == of).map(|(_, value)| value);
        // A group's own profile is as much of that group as its events are.
        let of_group = value("type").filter(|of| *of == GROUP).and_then(|_| value("id"));
        let of_scope = value(SCOPE).or(of_group);
        // A day, or `type=group`, is one of every group.
        let is_whose = |name: &str| name == SCOPE || (name == "id" && of_group.is_some());
        let says_whose = self.scope.iter().any(|(name, _)| is_whose(name));
        let is_apart = self.apart && !says_whose && of_scope.is_some_and(|scope| !names_it(scope));
        in_scope && !is_apart && (self.documents.is_empty() || self.documents.iter().any(is_named))
    }

    /// Whether it asks for no documents in particular: only then it asks for what stands in none.
    fn asks_everywhere(&self) -> bool {
        !self.standing && self.scope.is_empty() && self.documents.is_empty()
    }

    /// Whether it asks for some units only.
    fn narrows(&self) -> bool {
        !(self.kinds.is_empty() && self.entities.is_empty()) || self.from.is_some() || self.to.is_some()
    }

    fn asks_unit(&self, unit: &Unit) -> bool {
        let is_kind = |kind: &String| {
            unit.item
                .kind
                .as_ref()
                .is_some_and(|of| of == kind || (kind.len() > 1 && of.eq_ignore_ascii_case(kind)))
        };
        let has_tag = |tag: &String| {
            let tag = ::recall::fold(tag.trim_start_matches('#'));
            unit.item.tags.iter().any(|of| ::recall::fold(of) == tag)
        };
        let day = unit.day.as_deref();
        (self.kinds.is_empty() || self.kinds.iter().any(is_kind))
            && (self.entities.is_empty() || self.entities.iter().any(has_tag))
            && self.from.as_deref().is_none_or(|from| day.is_some_and(|day| day >= from))
            && self.to.as_deref().is_none_or(|to| day.is_some_and(|day| day <= to))
    }
}
