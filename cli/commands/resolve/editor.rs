//! A job in a person's editor, until it is valid or left as it was. The draft is kept until the edited job is back in the
//! queue: after a lost terminal the next edit begins with it.

use crate::failure::{self, Failure, problem_lines};
use crate::language::said;
use crate::render;
use crate::world::World;
use declaration::Code;
use durable::{Attributes, Disk};
use engine::Decisions;
use operator::Action;
use queue_layout::{JobId, Listed};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Largest text that is read back.
const DRAFT_BYTES_MAX: u64 = 8 << 20;
/// How often an editor is started for one job where no person is at a terminal.
const ROUNDS_MAX: usize = 20;

/// A person's editor.
pub struct Editor<'w> {
    world: &'w World,
    /// Whether Ctrl-C ends this process: not while the editor runs, for which it is meant.
    interrupts: Arc<AtomicBool>,
}

impl<'w> Editor<'w> {
    pub fn new(world: &'w World) -> Self {
        let interrupts = Arc::new(AtomicBool::new(true));
        // If this cannot be registered, Ctrl-C in the editor ends this process too; the draft is still there.
        let _ = signal_hook::flag::register_conditional_default(
            signal_hook::consts::SIGINT,
            Arc::clone(&interrupts),
        );
        Editor { world, interrupts }
    }

    /// What to do with the job after the edit; `None` when it was left as it was.
    pub fn edit(&self, decisions: &Decisions, listed: &Listed) -> Result<Option<Action>, Failure> {
        let before = entries_first(self.world.staged_text(listed)?);
        let draft = self.world.layout().edit_draft(listed.id);
        let begun = self.begun(decisions, listed, &before);
        if begun.is_some() {
            render::say("going on with the edit that was not finished; saved empty, it is dropped")?;
        }
        let goes_on = begun.is_some();
        let mut bare = begun.unwrap_or_else(|| before.clone());
        let first = if goes_on { GOES_ON } else { INSTRUCTION };
        let mut text = remarked(&bare, [first.to_owned()]);
        let mut rounds = 0;
        loop {
            let is_saved;
            (text, is_saved) = self.open(listed.id, &text)?;
            rounds += 1;
            // What an earlier edit left there is a person's word once they save it: whoever leaves the editor has said nothing.
            if goes_on && rounds == 1 && !is_saved {
                render::say("the edit that was not finished is kept; it is gone on with once it is saved")?;
                return Ok(None);
            }
            let last = std::mem::replace(&mut bare, without_remarks(&text));
            if bare == before || is_empty(&bare) {
                self.world.disk.remove(&draft)?;
                return Ok(None);
            }
            match decisions.edited(listed, &bare) {
                Ok(action) => return Ok(Some(action)),
                Err(problems) if problems.iter().any(|problem| problem.code == Code::Taken) => {
                    let kept = self.world.short(&draft);
                    return Err(Failure::refused("the edited job", &problems).hint(format!(
                        "it was decided meanwhile; what you wrote is kept in {kept}: put it into the document, or declare it anew"
                    )));
                }
                Err(problems) => {
                    // The same text was saved again, or this is one try too many without a terminal: nobody is there to
                    // correct it.
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
                    text = remarked(&bare, problem_lines("this job", &problems));
                }
            }
        }
    }

    /// The text of an unfinished edit. What a crash left of a draft does not count: an empty file, NUL bytes, or the
    /// beginning of the job's own text that is no valid job.
    fn begun(&self, decisions: &Decisions, listed: &Listed, before: &[u8]) -> Option<Vec<u8>> {
        let draft = self.world.layout().edit_draft(listed.id);
        let begun = self.world.disk.read(&draft, DRAFT_BYTES_MAX).ok()?;
        let bare = without_remarks(&begun);
        let torn = || before.starts_with(bare.trim_ascii_end()) && decisions.edited(listed, &bare).is_err();
        let is_draft = bare != before && !is_empty(&bare) && !bare.contains(&0) && !torn();
        is_draft.then_some(bare)
    }

    /// The same with the text in a file.
    pub fn with_file(&self, decisions: &Decisions, listed: &Listed, file: &str) -> Result<Action, Failure> {
        let text = self.world.read_input(file)?;
        decisions.edited(listed, &text).map_err(|problems| Failure::refused(file, &problems))
    }

    /// Written whole or not at all: a draft replaces the job in the next edit, so half a draft would be taken for the job.
    fn write(&self, id: JobId, text: &[u8]) -> Result<(), Failure> {
        let disk = &self.world.disk;
        let (draft, new) = (self.world.layout().edit_draft(id), self.world.layout().edit_draft_new(id));
        disk.remove(&new)?;
        disk.write_new(&new, text, Attributes::PRIVATE)?;
        disk.replace(&new, &draft)?;
        draft.parent().map_or(Ok(()), |tmp| disk.sync_dir(tmp))?;
        Ok(())
    }

    /// What the draft says once the editor is closed, and whether it was saved.
    fn open(&self, id: JobId, text: &[u8]) -> Result<(Vec<u8>, bool), Failure> {
        let disk = &self.world.disk;
        let draft = &self.world.layout().edit_draft(id);
        self.write(id, text)?;
        let editor = self.world.editor();
        let mut words = editor.split_whitespace();
        let program = words.next().unwrap_or("vi");
        self.interrupts.store(false, Ordering::Relaxed);
        let opened = disk.stat(draft)?;
        let status = std::process::Command::new(program).args(words).arg(draft).status();
        self.interrupts.store(true, Ordering::Relaxed);
        let status = status.map_err(|e| {
            Failure::new(format!("cannot start the editor `{editor}`: {e}")).hint("set EDITOR")
        })?;
        if !status.success() {
            let message = format!("the editor `{editor}` ended with {status}; the job was not changed");
            return Err(Failure::new(message).exit(failure::Exit::CouldNot));
        }
        let saved = disk.read(draft, DRAFT_BYTES_MAX)?;
        let is_saved = disk.stat(draft)? != opened || saved != text;
        Ok((saved, is_saved))
    }
}

/// Whether a person deleted everything in it.
fn is_empty(text: &[u8]) -> bool {
    text.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0)
}

/// Our remarks in a draft are lines that begin so; they are not part of the job.
const REMARK: &str = "#! ";
const INSTRUCTION: &str = "Change what is below, save and close: it goes back into the queue. Saved as it is or empty, it is left as it was.";
const GOES_ON: &str = "This is an edit that was not finished. Look through it and save it: it goes back into the queue. Left without saving, the job is left as it was, and the edit is kept; saved empty, it is dropped.";
/// Where the part of a job begins that is not edited, and the remark above it.
const JOB: &[u8] = b"job:";
const BOOKKEEPING: &str = "Bookkeeping, to be left as it is:";

/// A job's text as it is edited: the declaration first, the pipeline's part below it. A text that is no job stays as it is.
fn entries_first(text: Vec<u8>) -> Vec<u8> {
    let (mut entries, mut rest) = (Vec::new(), Vec::new());
    let mut in_entries = false;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        if line.first().is_some_and(u8::is_ascii_alphabetic) {
            in_entries = line.starts_with(b"entries:");
        }
        if in_entries { &mut entries } else { &mut rest }.extend_from_slice(line);
    }
    let first_key = rest.split(|byte| *byte == b'\n').find(|line| !line.starts_with(b"#"));
    let is_job = first_key.is_some_and(|line| line.starts_with(JOB)) && text.ends_with(b"\n");
    if is_job && !entries.is_empty() { [entries, rest].concat() } else { text }
}

/// A draft as the editor shows it: remarks at the top, and one above the pipeline's part.
fn remarked(bare: &[u8], on_top: impl IntoIterator<Item = String>) -> Vec<u8> {
    let remark = |line: &str| format!("{REMARK}{}\n", said(line)).into_bytes();
    let on_top: Vec<String> = on_top.into_iter().collect();
    let lines: Vec<&[u8]> = bare.split_inclusive(|byte| *byte == b'\n').collect();
    let job = lines.iter().position(|line| line.starts_with(JOB)).unwrap_or(0);
    // The comments above it belong to it.
    let comments = lines.iter().take(job).rev().take_while(|line| line.starts_with(b"#")).count();
    let mut text: Vec<u8> = on_top.iter().flat_map(|remark| remark.lines()).flat_map(remark).collect();
    for (at, line) in lines.iter().enumerate() {
        if at > 0 && at == job - comments {
            text.extend(remark(BOOKKEEPING));
        }
        text.extend_from_slice(line);
    }
    text
}

/// A draft without our remarks.
fn without_remarks(text: &[u8]) -> Vec<u8> {
    text.split_inclusive(|b| *b == b'\n')
        .filter(|line| !line.starts_with(REMARK.as_bytes()))
        .flatten()
        .copied()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_job_says_comes_first() {
        let job = "# last-word: it failed\njob:\n  id: 1\n  error:\n    hint: |-\n      entries: none\nversion: 1.0.0\nentries:\n- key:\n    heading: A\n  content: |-\n    job: x\n\n    b\n";
        let edited = String::from_utf8(entries_first(job.into())).unwrap();
        assert!(edited.starts_with("entries:\n- key:") && edited.ends_with("version: 1.0.0\n"), "{edited}");
        assert!(edited.contains("    b\n# last-word: it failed\njob:\n"), "{edited}");
        let shown = remarked(edited.as_bytes(), ["one\n  two".to_owned()]);
        let text = String::from_utf8(shown.clone()).unwrap();
        assert!(text.starts_with("#! one\n#!   two\nentries:\n"), "{text}");
        assert!(
            text.contains("    b\n#! Bookkeeping, to be left as it is:\n# last-word: it failed\njob:\n"),
            "{text}"
        );
        assert_eq!(without_remarks(&shown), edited.as_bytes());
        // What is no job of ours is shown as it is.
        for other in ["version: 1\nentries:\n- a\n", "{\"entries\": []}", "", "job: [spoilt"] {
            assert_eq!(entries_first(other.into()), other.as_bytes(), "{other}");
        }
    }
}
