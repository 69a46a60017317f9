//! The law of a trial: its text is, byte for byte, the text that `work` then writes, and its outcomes are those of the
//! jobs. Held for every merge fixture and for generated policies, documents and jobs.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on stops"
)]

use declaration::{Create, Entry, Key, Meta, Operation, Scope, Target, Timestamp, Trust};
use documents::Documents;
use durable::RealDisk;
use markdown_merge::Headings;
use markdown_merge::hash;
use policy::knowledge_base::{KnowledgeBase, OnHit, OnOverBudget, Policy};
use proptest::prelude::*;
use queue_layout::{
    Approval, DocKey, DocumentRef, Draft, Job, Layout, Outcome, Producer, Queue, Restore, State,
};
use serde_json::Value;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use trial::{ApprovedAs, Trial};
use worker::{Backoff, Context, Ran};

const NOW: Timestamp = Timestamp(1_790_000_000_000);
const SNAPSHOTS: u32 = 50;

/// A user's home directory with a queue, in memory where there is such a place.
struct Home {
    dir: tempfile::TempDir,
    kbs: Vec<KnowledgeBase>,
    chance: Cell<u64>,
}

/// What became of a document, by the trial or by the worker: its text, and how many jobs failed and how many wait.
#[derive(Debug, PartialEq)]
struct Became {
    text: Option<String>,
    failed: usize,
    review: usize,
}

impl Home {
    fn new(kbs: Vec<KnowledgeBase>) -> Home {
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let home = Home { dir, kbs, chance: Cell::new(1) };
        home.layout().create(&RealDisk::new()).unwrap();
        home
    }

    fn layout(&self) -> Layout {
        Layout::new(self.dir.path().join("queue"))
    }

    fn document(&self, kb: &str) -> PathBuf {
        self.dir.path().join(format!("{kb}.md"))
    }

    fn says(&self, kb: &str) -> Option<String> {
        fs::read(self.document(kb)).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    fn random(&self) -> u64 {
        self.chance.set(self.chance.get().wrapping_add(0x9e37_79b9_7f4a_7c15));
        self.chance.get()
    }

    fn draft(&self, kb: &str, entries: Vec<Entry>, trust: Trust) -> Draft {
        let path = self.document(kb);
        let document = DocumentRef { kb: kb.to_owned(), doc: DocKey::of(&path), path, project: None };
        let producer = Producer { trust: Some(trust), ..Producer::default() };
        Draft { document, entries, source: "a session".to_owned(), producer, key: None }
    }

    /// Enqueues those that a declaration can say; how many.
    fn enqueue(&self, mut drafts: Vec<Draft>) -> usize {
        let layout = self.layout();
        let queue = Queue::new(Arc::new(RealDisk::new()), layout.clone());
        drafts.retain(|draft| {
            let json = draft.clone().into_job(NOW).to_json(None).unwrap();
            Job::from_json(&json).is_ok()
        });
        let jobs = drafts.len();
        queue.producer().enqueue(drafts, NOW, &mut || self.random(), &mut |_| {}).unwrap();
        jobs
    }

    /// What the trials of all waiting jobs say, by knowledge base.
    fn tried(&self) -> BTreeMap<String, Became> {
        let layout = self.layout();
        let (queue, documents) =
            (Queue::new(Arc::new(RealDisk::new()), layout.clone()), self.documents(&layout));
        let mut jobs: BTreeMap<String, Vec<Job>> = BTreeMap::new();
        for listed in queue.list_runnable().unwrap().0.jobs {
            let found = queue.load(&listed).unwrap();
            let job = found.job.unwrap_or_else(|| panic!("no job: {:?}", found.unreadable));
            jobs.entry(job.document.kb.clone()).or_default().push(job);
        }
        let tried = |(name, jobs): (String, Vec<Job>)| {
            let kb = self.kbs.iter().find(|kb| kb.name == name).unwrap();
            let document = documents.find(&self.document(&name)).unwrap();
            let user_home = self.dir.path();
            let trial = Trial {
                documents: &documents,
                queue: &queue,
                document: &document,
                kb,
                user_home,
                snapshots: SNAPSHOTS,
                rewritten: false,
            };
            let jobs: Vec<&Job> = jobs.iter().collect();
            let tried = trial.now(&jobs, ApprovedAs::Given).unwrap();
            let outcomes = &tried.merged.outcomes;
            let failed = outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Failed(_))).count();
            let review = outcomes.iter().filter(|out| matches!(out, Outcome::Review { .. })).count();
            // Nothing is committed where nothing changed: no document is made then.
            let stays = tried.merged.text == tried.before;
            let text = if stays {
                self.says(&name)
            } else {
                Some(String::from_utf8_lossy(&tried.merged.text).into_owned())
            };
            (name, Became { text, failed, review })
        };
        jobs.into_iter().map(tried).collect()
    }

    fn documents(&self, layout: &Layout) -> Documents {
        Documents::new(Arc::new(RealDisk::new()), layout.history(), layout.locks())
    }

    /// Lets the worker merge, and says what became of it.
    fn work(&self) -> BTreeMap<String, Became> {
        let layout = self.layout();
        let (queue, documents) =
            (Queue::new(Arc::new(RealDisk::new()), layout.clone()), self.documents(&layout));
        let staged = |state| -> BTreeMap<String, usize> {
            let mut counts = BTreeMap::new();
            for listed in queue.list(state).unwrap().jobs {
                *counts.entry(queue.load(&listed).unwrap().job.unwrap().document.kb).or_default() += 1;
            }
            counts
        };
        let (failed, review) = (staged(State::Failed), staged(State::Review));
        let chance = AtomicU64::new(self.random());
        let context = Context {
            queue: &queue,
            disk: &RealDisk::new(),
            documents: &documents,
            kbs: &self.kbs,
            others: &[],
            user_home: self.dir.path(),
            retry: Backoff { retries: 3, base_ms: 1000, cap_ms: 10_000 },
            snapshots: SNAPSHOTS,
            threads: 1,
            projects: &|_| Vec::new(),
            only: None,
            now: &|| NOW,
            random: &|| chance.fetch_add(0x9e37_79b9, Ordering::Relaxed),
            stop: &|| false,
            run: &|_| Ran::NotStarted("no programs here".to_owned()),
            tell: &|_| {},
            warn: &|_| {},
        };
        let claimant = queue.claimant().unwrap();
        worker::pass(&context, &claimant, &mut worker::Report::default()).unwrap();
        claimant.end().unwrap();
        let (failed_now, review_now) = (staged(State::Failed), staged(State::Review));
        let since = |before: &BTreeMap<String, usize>, now: &BTreeMap<String, usize>, kb: &str| {
            now.get(kb).unwrap_or(&0) - before.get(kb).unwrap_or(&0)
        };
        let names = self.kbs.iter().map(|kb| kb.name.clone());
        let became = |kb: String| {
            let failed = since(&failed, &failed_now, &kb);
            let review = since(&review, &review_now, &kb);
            (kb.clone(), Became { text: self.says(&kb), failed, review })
        };
        names.map(became).collect()
    }

    /// The law.
    fn holds(&self) -> Result<(), String> {
        let tried = self.tried();
        let worked = self.work();
        for (kb, tried) in tried {
            let worked = &worked[&kb];
            if tried != *worked {
                return Err(format!("{kb}: the trial said {tried:?}\n     the worker made {worked:?}"));
            }
        }
        Ok(())
    }
}

fn entry(heading: Vec<String>, level: u8, operation: Operation, content: Option<String>) -> Entry {
    Entry {
        key: Key { target: Target::Path(String::new()), heading, level },
        operation,
        content,
        old_text: None,
        expect: None,
        scope: Scope::Own,
        create: Create::Section,
        base: None,
        meta: Meta::default(),
    }
}

// ---- fixtures ----

fn fixture_entry(step: &Value, base: Option<String>) -> Entry {
    let texts = |value: &Value| match value {
        Value::String(text) if text.is_empty() => Vec::new(),
        Value::String(text) => vec![text.clone()],
        other => serde_json::from_value(other.clone()).unwrap(),
    };
    let text = |field: &str| step[field].as_str().map(str::to_owned);
    Entry {
        old_text: text("old_text"),
        scope: serde_json::from_value(step["scope"].clone()).unwrap_or(Scope::Own),
        create: serde_json::from_value(step["create"].clone()).unwrap_or_default(),
        expect: step["times"].as_u64().map(|times| u32::try_from(times).unwrap()),
        base,
        ..entry(
            texts(&step["heading"]),
            u8::try_from(step["level"].as_u64().unwrap()).unwrap(),
            serde_json::from_value(step["op"].clone()).unwrap(),
            text("content"),
        )
    }
}

/// A fixture as a knowledge base of its own, with its document and its job.
fn fixture(n: usize, case: &Value) -> (KnowledgeBase, String, Vec<Entry>) {
    let name = format!("case-{n}");
    let rules = &case["rules"];
    let number = |field: &str| rules[field].as_u64().map(|n| usize::try_from(n).unwrap());
    let kb = KnowledgeBase {
        create: rules["create"].as_bool().unwrap_or(true),
        machine_block: rules["machine_block"].as_bool().unwrap_or(false),
        front_matter: rules["front_matter"].as_bool().unwrap_or(false),
        budget_chars: number("chars_max"),
        budget_tokens: number("tokens_max"),
        section_budget_chars: number("section_chars_max"),
        headings: serde_json::from_value(rules["headings"].clone()).unwrap_or_default(),
        ..KnowledgeBase::plain(&name, &format!("~/{name}.md"))
    };
    let seen = case["base_text"].as_str().or(case["lost_base_text"].as_str()).map(hash);
    let steps = case["entries"].as_array().cloned().unwrap_or_else(|| vec![case.clone()]);
    let entries = steps.iter().map(|step| Entry {
        key: Key { target: Target::Kb(name.clone()), ..fixture_entry(step, None).key },
        ..fixture_entry(step, seen.clone())
    });
    (kb, case["doc"].as_str().unwrap().to_owned(), entries.collect())
}

#[test]
fn the_trial_of_every_fixture_is_what_is_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/merge");
    let mut cases: Vec<Value> = Vec::new();
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "json") {
            let read: Vec<Value> = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
            cases.extend(read);
        }
    }
    assert!(cases.len() > 500, "the fixtures are not where this test looks for them");
    let cases: Vec<_> = cases.iter().enumerate().map(|(n, case)| fixture(n, case)).collect();
    let home = Home::new(cases.iter().map(|(kb, ..)| kb.clone()).collect());
    let mut drafts = Vec::new();
    for (kb, doc, entries) in cases {
        fs::write(home.document(&kb.name), doc).unwrap();
        drafts.push(home.draft(&kb.name, entries, Trust::Agent));
    }
    let jobs = home.enqueue(drafts);
    assert!(jobs > 400, "{jobs} jobs");
    home.holds().unwrap();
}

// ---- generated ----

const KB: &str = "notes";
const DOCUMENT: &str =
    "---\ntitle: T\n---\n\n# Notes\n\nmine\n\n## Log\n\n- a\n- b\n- c\n\n## Other\n\nkept\n";

fn policies() -> impl Strategy<Value = KnowledgeBase> {
    let budget = prop_oneof![3 => Just(None), 1 => (60usize..140).prop_map(Some)];
    let policy = prop_oneof![6 => Just(Policy::Auto), 1 => Just(Policy::Review), 1 => Just(Policy::ReadOnly)];
    let reviewed = prop_oneof![3 => Just(Vec::new()), 1 => Just(vec!["Other".to_owned()])];
    let on_hit = prop_oneof![Just(None), Just(Some(OnHit::Warn)), Just(Some(OnHit::Review))];
    (budget, any::<bool>(), policy, reviewed, on_hit, any::<[bool; 4]>()).prop_map(
        |(budget_chars, asks, policy, review, on_hit, [front_matter, template, create, unsure])| {
            KnowledgeBase {
                budget_chars,
                on_over_budget: if asks { OnOverBudget::Review } else { OnOverBudget::Fail },
                policy,
                headings: Headings { review, ..Headings::default() },
                on_hit,
                front_matter,
                template: template.then(|| "~/template.md".to_owned()),
                create,
                min_confidence: unsure.then_some(0.2),
                ..KnowledgeBase::plain(KB, "~/notes.md")
            }
        },
    )
}

fn entries() -> impl Strategy<Value = Entry> {
    let heading = prop::sample::select(vec!["Log", "Other", "New", "Notes"]);
    let level = prop_oneof![5 => Just(2u8), 1 => Just(1u8), 1 => Just(3u8)];
    let operation = prop::sample::select(vec![
        Operation::Update,
        Operation::Append,
        Operation::Append,
        Operation::Replace,
        Operation::Clear,
        Operation::Delete,
        Operation::NoOp,
    ]);
    let content =
        prop::sample::select(vec!["- a\n- b, more\n- c", "- d", "today he came", "## A heading", "one"]);
    let base = prop::sample::select(vec![None, Some("## Log\n\n- a\n- b\n- c"), Some("## Log\n\nnever")]);
    let confidence = prop::sample::select(vec![None, Some(0.1), Some(0.4), Some(0.9)]);
    (heading, level, operation, content, base, confidence).prop_map(
        |(heading, level, operation, content, base, confidence)| {
            let writes = matches!(operation, Operation::Update | Operation::Append | Operation::Replace);
            Entry {
                key: Key { target: Target::Kb(KB.to_owned()), heading: vec![heading.to_owned()], level },
                old_text: (operation == Operation::Replace).then(|| "- b".to_owned()),
                base: base.map(hash),
                meta: Meta { confidence, ..Meta::default() },
                ..entry(Vec::new(), 2, operation, writes.then(|| content.to_owned()))
            }
        },
    )
}

fn jobs() -> impl Strategy<Value = Vec<(Vec<Entry>, Trust)>> {
    let trust = prop::sample::select(vec![Trust::User, Trust::Agent, Trust::Web]);
    prop::collection::vec((prop::collection::vec(entries(), 1..3), trust), 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    /// Two runs: what the first one left in the history is what the second one's authors may have seen. Then everything
    /// that waits for a yes gets one.
    #[test]
    fn the_trial_of_generated_jobs_is_what_is_written(
        kb in policies(), there in any::<bool>(), first in jobs(), second in jobs(), back in any::<bool>(),
    ) {
        let home = Home::new(vec![kb]);
        fs::write(home.dir.path().join("template.md"), "# Template\n\n## Log\n\nof the template\n").unwrap();
        if there {
            fs::write(home.document(KB), DOCUMENT).unwrap();
        }
        for jobs in [first, second] {
            home.enqueue(jobs.into_iter().map(|(entries, trust)| home.draft(KB, entries, trust)).collect());
            prop_assert_eq!(home.holds(), Ok(()));
        }
        home.approve();
        if back {
            home.put_back();
        }
        prop_assert_eq!(home.holds(), Ok(()));
    }
}

impl Home {
    /// A person's yes to everything that waits for one.
    fn approve(&self) {
        let layout = self.layout();
        let queue = Queue::new(Arc::new(RealDisk::new()), layout.clone());
        let claimant = queue.claimant().unwrap();
        for listed in queue.list(State::Review).unwrap().jobs {
            let job = queue.load(&listed).unwrap().job.unwrap();
            let claimed = claimant.claim_staged(&listed, &job).unwrap().unwrap();
            queue.operator().record_approvals(&[Approval::of(&job, "ann", "terminal", NOW)]).unwrap();
            let job = Job { approved_by: Some("ann".to_owned()), ..job };
            let settlement = queue_layout::Settlement::Pending(Box::new(job));
            claimant.settle(vec![(claimed, settlement)], NOW, false).unwrap();
        }
        claimant.end().unwrap();
    }

    /// A rollback to what the document said at first, asked for now.
    fn put_back(&self) {
        let layout = self.layout();
        let restore =
            Restore { version: 0, base: self.says(KB).unwrap_or_default(), text: DOCUMENT.to_owned() };
        let key = Key { target: Target::Kb(KB.to_owned()), heading: Vec::new(), level: 0 };
        let draft = self.draft(KB, vec![Entry::no_op(key)], Trust::User);
        let queue = Queue::new(Arc::new(RealDisk::new()), layout.clone());
        let yes = ("ann", "terminal");
        let file = draft.document.path.clone();
        queue.producer().enqueue_restore(draft, restore, &file, yes, NOW, &mut || self.random()).unwrap();
    }
}
