//! `enqueue`: declarations become jobs. All of the input is checked before any of it is enqueued; a job is acknowledged only
//! when it is durable.

use crate::output::Acknowledged;
use crate::{Caller, Exit, Failure, Home, chain, problem_lines};
use declaration::reading::{self, Format, Unplaced};
use declaration::{Advice, Declaration, Operation, Problem};
use operator::Verified;
use queue_layout::{Brought, Counters, Draft, Enqueued, JobId, QueueError};
use std::ops::Range;
use std::time::Duration;

/// How long to wait between two looks at a job that is waited for.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// Declarations that are to become jobs: all of them, or none.
#[derive(Debug, Clone, Default)]
pub struct Declared {
    inputs: Vec<Input>,
    key: Option<String>,
}

/// Where declarations came from.
#[derive(Debug, Clone)]
struct Input {
    name: String,
    /// Kept for the places of what is found wrong later; `None` for what is no text.
    bytes: Option<Vec<u8>>,
    format: Option<Format>,
    read: Result<Vec<Declaration>, Vec<Problem>>,
    /// Which of all declarations are from here.
    declarations: Range<usize>,
}

impl Declared {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Declared {
        Declared::default()
    }

    /// Also what this text declares, YAML or JSON. `name` is what messages call it; `format` where it is known.
    #[must_use]
    pub fn text(mut self, name: &str, bytes: Vec<u8>, format: Option<Format>) -> Declared {
        let read = reading::read(&bytes, format);
        self.inputs.push(Input {
            name: name.to_owned(),
            bytes: Some(bytes),
            format,
            read,
            declarations: 0..0,
        });
        self
    }

    /// Also this declaration, or what is wrong with it. `name` is what messages call it.
    #[must_use]
    pub fn declaration(mut self, name: &str, checked: Result<Declaration, Vec<Problem>>) -> Declared {
        let read = checked.map(|one| vec![one]);
        self.inputs.push(Input {
            name: name.to_owned(),
            bytes: None,
            format: None,
            read,
            declarations: 0..0,
        });
        self
    }

    /// Takes effect once, however often it is enqueued with this key.
    #[must_use]
    pub fn key(self, key: Option<String>) -> Declared {
        Declared { key, ..self }
    }

    /// The same, and what is said without an operation means this one: it adds, or replaces what stands there.
    #[must_use]
    pub fn meaning(mut self, operation: Operation) -> Declared {
        let read = self.inputs.iter_mut().filter_map(|input| input.read.as_mut().ok());
        read.flatten().for_each(|declaration| declaration.mean(operation));
        self
    }

    /// Whether an entry of it has a content and names no operation.
    #[must_use]
    pub fn leaves_operations_open(&self) -> bool {
        let read = self.inputs.iter().filter_map(|input| input.read.as_ref().ok());
        read.flatten().any(|declaration| !declaration.unnamed.is_empty())
    }

    /// Whether it declares nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }

    /// All the declarations, or what is wrong with any.
    fn take(&mut self) -> Result<Vec<Declaration>, Failure> {
        let mut declarations = Vec::new();
        let mut failure = nothing_enqueued();
        for input in &mut self.inputs {
            match std::mem::replace(&mut input.read, Ok(Vec::new())) {
                Ok(read) => {
                    input.declarations = declarations.len()..declarations.len() + read.len();
                    declarations.extend(read);
                }
                Err(problems) => failure.add(&input.name, problems),
            }
        }
        if failure.messages.is_empty() { Ok(declarations) } else { Err(failure) }
    }

    /// What was found in drafts of them, with the places in the texts.
    fn refused(&self, found: &[Unplaced]) -> Failure {
        let mut failure = nothing_enqueued();
        for input in &self.inputs {
            failure.add(&input.name, input.problems(found));
        }
        failure
    }
}

impl Input {
    /// What of all that was found is about this input.
    fn problems(&self, found: &[Unplaced]) -> Vec<Problem> {
        let first = self.declarations.start;
        let here = |n: usize| self.declarations.contains(&n).then(|| n - first);
        let of_it = found.iter().filter_map(|found| match found.declaration {
            Some(n) => here(n).map(|n| Unplaced { declaration: Some(n), ..found.clone() }),
            // Of the whole command: said once.
            None => (first == 0).then(|| found.clone()),
        });
        let of_it: Vec<Unplaced> = of_it.collect();
        match &self.bytes {
            Some(bytes) => reading::placed(bytes, self.format, of_it),
            None => reading::bare(of_it),
        }
    }
}

fn nothing_enqueued() -> Failure {
    Failure {
        exit: Exit::Refused,
        messages: Vec::new(),
        hint: Some(Advice::CheckDeclaration),
        problems: Vec::new(),
    }
}

impl Failure {
    fn add(&mut self, name: &str, problems: Vec<Problem>) {
        self.messages.extend(problem_lines(name, &problems));
        self.problems.extend(problems);
    }
}

/// What was said and found right: it has its ids and its place in the order, and what is said from now on comes behind it. It is
/// durable when it is finished, together with what other threads have begun by then.
#[must_use]
pub struct Begun<'h, T>(Box<dyn FnOnce() -> Result<T, Failure> + 'h>);

impl<'h, T> Begun<'h, T> {
    pub(crate) fn new(finish: impl FnOnce() -> Result<T, Failure> + 'h) -> Self {
        Begun(Box::new(finish))
    }

    /// Makes it durable, and says what became of it.
    ///
    /// # Errors
    /// As for the verb that began it.
    pub fn finish(self) -> Result<T, Failure> {
        (self.0)()
    }
}

impl<T> std::fmt::Debug for Begun<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Begun")
    }
}

impl Home {
    /// Enqueues what was declared. When it returns, every job is on stable storage.
    ///
    /// # Errors
    /// `Exit::Refused`: something is wrong with it, and nothing was enqueued. `Exit::TryAgain`: a sync failed, and it may or
    /// may not be queued; with a key it is safe to repeat.
    pub fn enqueue(&self, caller: &Caller, declared: Declared) -> Result<Vec<Acknowledged>, Failure> {
        let mut acknowledged = Vec::new();
        self.enqueue_telling(caller, declared, &mut |enqueued| acknowledged.push(enqueued.into()))?;
        Ok(acknowledged)
    }

    /// The same, and each job is told of as soon as it is durable.
    ///
    /// # Errors
    /// As for `enqueue`; what was told of before stays queued.
    pub fn enqueue_telling(
        &self,
        caller: &Caller,
        mut declared: Declared,
        tell: &mut dyn FnMut(&Enqueued),
    ) -> Result<(), Failure> {
        let drafts = self.drafts_of(caller, "enqueue", &mut declared)?;
        self.publish(drafts, tell)
    }

    /// Makes jobs of drafts, and tells of each that is durable.
    fn publish(&self, drafts: Vec<Draft>, tell: &mut dyn FnMut(&Enqueued)) -> Result<(), Failure> {
        self.make_durable(self.bring(drafts)?, tell)
    }

    /// Gives drafts their ids and their place in the order; nothing is durable yet.
    pub(crate) fn bring(&self, drafts: Vec<Draft>) -> Result<Brought, Failure> {
        let mut random = || (self.host.random)();
        let brought = self.queue().producer().bring(drafts, self.now(), &mut random);
        brought.map_err(|e| uncertain(e, 0))
    }

    /// Makes them durable, together with what other threads have brought, and tells of each that is.
    pub(crate) fn make_durable(
        &self,
        brought: Brought,
        tell: &mut dyn FnMut(&Enqueued),
    ) -> Result<(), Failure> {
        let (mut told, mut known) = (0_usize, 0_u64);
        let result = brought.wait(&mut |enqueued| {
            told += 1;
            known += u64::from(!enqueued.new);
            tell(enqueued);
        });
        if known > 0 {
            // The counters only feed graphs. An error is ignored, because the jobs are durable.
            let _ = self.queue().worker().count(&Counters { duplicates: known, ..Counters::default() });
        }
        result.map_err(|e| uncertain(e, told))
    }

    /// The drafts of what was declared. `event` is as for `Caller::producer`.
    pub(crate) fn drafts_of(
        &self,
        caller: &Caller,
        event: &str,
        declared: &mut Declared,
    ) -> Result<Vec<Draft>, Failure> {
        let settings = self.settings_to_keep()?;
        let declarations = declared.take()?;
        self.drafts(caller, event, declarations, declared.key.as_deref(), &settings)
            .map_err(|found| declared.refused(&found))
    }

    /// Waits until every one of these jobs ended or waits for somebody. A worker must be running: nothing is merged here.
    ///
    /// # Errors
    /// `Exit::TryAgain`: one is still waiting after this time.
    pub fn wait_for(&self, jobs: &[JobId], time: Duration) -> Result<Vec<Verified>, Failure> {
        let queue = self.queue();
        let deadline = (self.host.elapsed)() + time;
        let mut verdicts = Vec::new();
        for job in jobs {
            let verdict = loop {
                match operator::verify(queue, &job.to_string()) {
                    Ok(verdict) if !verdict.is_waiting() => break verdict,
                    // It was between two states at this moment; look again.
                    Ok(_) | Err(QueueError::NoSuchJob(_) | QueueError::TakenMeanwhile(_)) => {}
                    Err(e) => return Err(e.into()),
                }
                if (self.host.elapsed)() >= deadline {
                    let seconds = time.as_secs();
                    return Err(Failure::new(format!(
                        "job {job} is queued, but still waiting after {seconds} s"
                    ))
                    .hint(Advice::RunWorker)
                    .exit(Exit::TryAgain));
                }
                (self.host.sleep)(LOOK_EVERY);
            };
            verdicts.push(verdict);
        }
        Ok(verdicts)
    }
}

/// After a failed fsync nobody can know: say so, and that repeating with the same key is safe.
pub(crate) fn uncertain(e: QueueError, acknowledged: usize) -> Failure {
    match &e {
        QueueError::Disk(disk) if disk.is_sync() => Failure::new(format!(
            "{}; queued for certain: {}; the others may or may not be",
            chain(&e),
            declaration::counted(acknowledged, "job")
        ))
        .hint("enqueue it again with the same --key: then it takes effect once, whatever happened")
        .exit(Exit::TryAgain),
        // No job of it is in `pending/`: a hook that tries again later loses nothing.
        QueueError::Disk(disk) if disk.is_full() => {
            let rest = match acknowledged {
                0 => "nothing was enqueued".to_owned(),
                some => format!("{some} jobs are queued, the others are not"),
            };
            Failure::new(format!("{}; {rest}", chain(&e)))
                .hint("free some space on that disk, then enqueue it again")
                .exit(Exit::TryAgain)
        }
        _ => e.into(),
    }
}
