//! How long a document may get: what its budgets are, what it would need for the changes that they stopped, and a person's word
//! that it may get longer.

use crate::output::{BudgetNow, Budgets};
use crate::{Failure, Home, Which, defaults};
use declaration::Code;
use markdown_merge::{Merger, chars, tokens};
use operator::{Actor, Filter};
use policy::knowledge_base::{Budget, KnowledgeBase};
use policy::settings::with_budget;
use queue_layout::{Event, Job, JournalEntry, Listed, State};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use trial::ApprovedAs;

/// Of so many jobs it is tried how long they would make their documents.
const TRIED_MAX: usize = 1_000;

/// The jobs that a budget stopped, by their documents.
type Stopped = BTreeMap<PathBuf, Vec<Job>>;

impl Home {
    /// The jobs for this knowledge base that failed because a budget stopped them, in their order.
    ///
    /// # Errors
    /// A disk error.
    pub fn over_budget(&self, kb: &str) -> Result<Vec<Listed>, Failure> {
        let (error, document) = (Some(Code::OverBudget.to_string()), Some(kb.to_owned()));
        let filter = Filter { error, document, ..Filter::default() };
        let mut jobs = self.staged(State::Failed, &Which::Filtered(Box::new(filter)))?.jobs;
        // The filter takes a part of a path, too.
        jobs.retain(|listed| {
            self.load_listed(listed).is_ok_and(|found| found.job.is_some_and(|job| job.document.kb == kb))
        });
        Ok(jobs)
    }

    /// The budgets of a knowledge base: how long the longest of its documents is that these jobs, or its name, lead to, and how long
    /// it would be with these jobs.
    ///
    /// # Errors
    /// There is no such knowledge base. A disk error.
    pub fn budgets(&self, kb: &str, jobs: &[Listed], cwd: &Path) -> Result<Budgets, Failure> {
        let settings = self.settings()?;
        let known = settings.knowledge_base(kb);
        let known = known.ok_or_else(|| Failure::new(format!("there is no knowledge base `{kb}`")))?;
        let without = without_budgets(known);
        let mut lengths = Vec::new();
        for (path, jobs) in self.stopped(jobs) {
            let Ok(document) = self.documents().find(&path) else { continue };
            let jobs: Vec<&Job> = jobs.iter().collect();
            let tried = self.trial(&document, &without, &settings).now(&jobs, ApprovedAs::Given);
            let Ok(tried) = tried else { continue };
            lengths.push((path, measured(&tried.before), measured(&tried.merged.text)));
        }
        if lengths.is_empty()
            && let Ok(found) = self.document(kb, cwd, &settings)
        {
            let now = measured(&self.documents().read(&self.documents().find(&found.path)?)?.bytes);
            lengths.push((found.path, now, now));
        }
        let longest = lengths.into_iter().max_by_key(|(_, _, then)| then.first().map(|(_, length)| *length));
        let (document, now, then) = longest.map_or_else(
            || (None, measured(b""), measured(b"")),
            |(path, now, then)| (Some(path), now, then),
        );
        let mut asked = known.clone();
        let budget = |((budget, now), (_, needed)): ((Budget, usize), (Budget, usize))| {
            let most = (*budget.of_mut(&mut asked))?;
            Some(BudgetNow { budget, most, now, needed })
        };
        let budgets = now.into_iter().zip(then).filter_map(budget).collect();
        Ok(Budgets { kb: kb.to_owned(), document, budgets, more: jobs.len().saturating_sub(TRIED_MAX) })
    }

    /// These jobs by their documents: the first of them, as far as they can be read.
    fn stopped(&self, jobs: &[Listed]) -> Stopped {
        let mut stopped = Stopped::new();
        let first = jobs.iter().take(TRIED_MAX);
        for job in first.filter_map(|listed| self.load_listed(listed).ok()?.job) {
            stopped.entry(job.document.path.clone()).or_default().push(job);
        }
        stopped
    }

    /// Lets the documents of a knowledge base get so long. Every other byte of `config.yaml` stays as it is; the journal says who did
    /// it. Who may not say yes to a change here may not do this either.
    ///
    /// # Errors
    /// Nobody decides by this channel. The budget is written in a way that is not understood, or the file changed meanwhile. A disk
    /// error.
    pub fn set_budget(&self, kb: &str, budget: Budget, most: usize, who: &Actor) -> Result<(), Failure> {
        self.may_review(who)?;
        let by_hand = || {
            let config = self.short(&self.layout.config());
            Failure::new(format!("`{}` of `{kb}` cannot be changed in {config} to {most}", budget.key()))
                .hint("open that file with an editor")
        };
        let edit = |text: &str| with_budget(text, kb, budget, most, &defaults().ok()?);
        self.edit_config(edit, by_hand)?;
        let message = format!("{kb}: {} is {most} ({})", budget.key(), who.channel);
        let happened = JournalEntry::new(self.now(), Event::Budget).by(&who.name).saying(None, message);
        // What was said is durable; a journal that cannot be written changes nothing of it.
        let _ = self.queue().journal().write(&[happened]);
        Ok(())
    }
}

fn without_budgets(kb: &KnowledgeBase) -> KnowledgeBase {
    let mut kb = kb.clone();
    Budget::ALL.into_iter().for_each(|budget| *budget.of_mut(&mut kb) = None);
    kb
}

/// How long a text is, as each budget counts it.
fn measured(bytes: &[u8]) -> [(Budget, usize); 3] {
    let text = String::from_utf8_lossy(bytes);
    let longest = Merger::open(bytes).map_or(0, |merger| {
        let own = |section: markdown_merge::Section| merger.text().get(section.own).map_or(0, chars);
        merger.sections().into_iter().map(own).max().unwrap_or(0)
    });
    Budget::ALL.map(|budget| {
        let length = match budget {
            Budget::Chars => chars(&text),
            Budget::Tokens => tokens(&text),
            Budget::SectionChars => longest,
        };
        (budget, length)
    })
}
