//! A job in a person's editor, until it is good or left as it was. The draft is kept until what was edited is done: who
//! loses the terminal goes on where they were.

use crate::failure::{self, Failure, problem_lines};
use crate::render;
use crate::world::World;
use declaration::Problem;
use durable::{Attributes, Disk};
use engine::Decisions;
use operator::Action;
use queue_layout::{JobId, Listed, Queue};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Largest text that is read back.
const DRAFT_BYTES_MAX: u64 = 8 << 20;
/// How often an editor is started for one job where no person sits at a terminal.
const ROUNDS_MAX: usize = 20;

/// A person's editor.
pub struct Editor<'w> {
    world: &'w World,
    /// Whether Ctrl-C ends us: not while it is meant for the editor.
    interrupts: Arc<AtomicBool>,
}

impl<'w> Editor<'w> {
    pub fn new(world: &'w World) -> Self {
        let interrupts = Arc::new(AtomicBool::new(true));
        // Where this cannot be registered, Ctrl-C in the editor ends us as well, and the draft is still there.
        let _ = signal_hook::flag::register_conditional_default(
            signal_hook::consts::SIGINT,
            Arc::clone(&interrupts),
        );
        Editor { world, interrupts }
    }

    /// What to do with the job after the edit; `None` when it was left as it was.
    pub fn edit(
        &self,
        queue: &Queue,
        decisions: &Decisions,
        listed: &Listed,
    ) -> Result<Option<Action>, Failure> {
        let before = queue.staged_text(listed)?;
        let draft = self.world.layout().edit_draft(listed.id);
        let mut text = match self.begun(decisions, listed, &before) {
            Some(begun) => {
                render::line("going on with the edit that was not finished; saved empty, it is dropped")?;
                begun
            }
            None => before.clone(),
        };
        let mut rounds = 0;
        let mut bare = without_complaint(&text);
        loop {
            text = self.open(listed.id, &text)?;
            rounds += 1;
            let last = std::mem::replace(&mut bare, without_complaint(&text));
            if bare == before || is_empty(&bare) {
                self.world.disk.remove(&draft)?;
                return Ok(None);
            }
            match decisions.edited(listed, &bare) {
                Ok(action) => return Ok(Some(action)),
                Err(problems) => {
                    // The same text saved again, or again and again without a terminal: nobody is there to mend it.
                    let same = bare.trim_ascii() == last.trim_ascii();
                    if same || (rounds >= ROUNDS_MAX && !self.world.interactive()) {
                        return Err(Failure {
                            hint: Some(engine::Advice::Words(format!(
                                "last-word resolve {} --edit goes on with it; rm {} begins again with the job as it is",
                                listed.id,
                                self.world.short(&draft)
                            ))),
                            ..Failure::refused("the edited job", &problems)
                        });
                    }
                    text = with_complaint(&bare, &problems);
                }
            }
        }
    }

    /// The text of an edit that was not finished. What a crash left of a draft is none: nothing, blank bytes, or the
    /// beginning of the job's own text that makes no job.
    fn begun(&self, decisions: &Decisions, listed: &Listed, before: &[u8]) -> Option<Vec<u8>> {
        let draft = self.world.layout().edit_draft(listed.id);
        let begun = self.world.disk.read(&draft, DRAFT_BYTES_MAX).ok()?;
        let bare = without_complaint(&begun);
        let torn = || before.starts_with(bare.trim_ascii_end()) && decisions.edited(listed, &bare).is_err();
        let is_draft = begun != before && !is_empty(&bare) && !bare.contains(&0) && !torn();
        is_draft.then_some(begun)
    }

    /// The same with the text in a file.
    pub fn with_file(&self, decisions: &Decisions, listed: &Listed, file: &str) -> Result<Action, Failure> {
        let text = self.world.read_input(file)?;
        decisions.edited(listed, &text).map_err(|problems| Failure::refused(file, &problems))
    }

    /// What was edited is done.
    pub fn forget(&self, listed: &Listed) -> Result<(), Failure> {
        self.world.disk.remove(&self.world.layout().edit_draft(listed.id))?;
        Ok(())
    }

    /// Whole or absent: a draft stands in for the job, so half of one would be edited in its place.
    fn write(&self, id: JobId, text: &[u8]) -> Result<(), Failure> {
        let disk = &self.world.disk;
        let (draft, new) = (self.world.layout().edit_draft(id), self.world.layout().edit_draft_new(id));
        disk.remove(&new)?;
        disk.write_new(&new, text, Attributes::PRIVATE)?;
        disk.replace(&new, &draft)?;
        draft.parent().map_or(Ok(()), |tmp| disk.sync_dir(tmp))?;
        Ok(())
    }

    fn open(&self, id: JobId, text: &[u8]) -> Result<Vec<u8>, Failure> {
        let disk = &self.world.disk;
        let draft = &self.world.layout().edit_draft(id);
        self.write(id, text)?;
        let editor = self.world.editor();
        let mut words = editor.split_whitespace();
        let program = words.next().unwrap_or("vi");
        self.interrupts.store(false, Ordering::Relaxed);
        let status = std::process::Command::new(program).args(words).arg(draft).status();
        self.interrupts.store(true, Ordering::Relaxed);
        let status = status.map_err(|e| {
            Failure::new(format!("cannot start the editor `{editor}`: {e}")).hint("set EDITOR")
        })?;
        if !status.success() {
            let message = format!("the editor `{editor}` ended with {status}; the job was not changed");
            return Err(Failure::new(message).exit(failure::Exit::CouldNot));
        }
        Ok(disk.read(draft, DRAFT_BYTES_MAX)?)
    }
}

/// Whether a person left nothing of it.
fn is_empty(text: &[u8]) -> bool {
    text.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0)
}

const COMPLAINT: &str = "#! ";

/// The problems as comments on top, for the next round in the editor.
fn with_complaint(text: &[u8], problems: &[Problem]) -> Vec<u8> {
    let lines = problem_lines("this job", problems);
    let mut out: Vec<u8> = lines
        .iter()
        .flat_map(|line| line.lines())
        .flat_map(|line| format!("{COMPLAINT}{line}\n").into_bytes())
        .collect();
    out.extend_from_slice(text);
    out
}

fn without_complaint(text: &[u8]) -> Vec<u8> {
    text.split_inclusive(|b| *b == b'\n')
        .filter(|line| !line.starts_with(COMPLAINT.as_bytes()))
        .flatten()
        .copied()
        .collect()
}
