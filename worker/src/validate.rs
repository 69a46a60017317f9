//! The validators of a knowledge base: programs that judge the merged text before it is committed. Exit 0 accepts, 75
//! means later, anything else refuses, with what the program printed. One refused job does not fail the others.

use crate::commit::Commit;
use crate::error::RunError;
use crate::program::{Program, Ran};
use declaration::{Code, Fault};
use queue_layout::{Job, Outcome};
use trial::{ApprovedAs, Merged};

/// Stands for the path of the merged text among a validator's arguments.
pub const CANDIDATE: &str = "{candidate}";
/// What a validator answers that wants to be asked again.
const LATER: i32 = 75;
/// Of what a validator complains of so much is kept.
const SAID_CHARS_MAX: usize = 2000;

/// What the validators say of one text.
enum Judged {
    Accepted,
    Refused(Fault),
    /// One of them cannot answer now: it timed out, could not be started, or asked for later.
    Later(Fault),
}

/// What the validators leave of a merge.
pub(crate) enum Validated {
    /// What they accept, with an outcome for every job.
    Merged(Merged),
    /// One of them cannot answer now.
    Later(Fault),
}

/// The jobs of a batch, by their place in it, after the validators were asked.
#[derive(Default)]
struct Sifted {
    accepted: Vec<usize>,
    refused: Vec<(usize, Fault)>,
    /// Set when a validator could not answer: then nothing is known of the rest.
    later: Option<Fault>,
}

impl Commit<'_> {
    /// The merge of all jobs that validators accept; the others are refused, each alone.
    pub(crate) fn validated(&self, onto: &[u8], merged: Merged) -> Result<Validated, RunError> {
        if self.kb.validate.is_empty() || merged.text == onto {
            return Ok(Validated::Merged(merged));
        }
        let fault = match self.judged(&merged.text)? {
            Judged::Accepted => return Ok(Validated::Merged(merged)),
            Judged::Later(fault) => return Ok(Validated::Later(fault)),
            Judged::Refused(fault) => fault,
        };
        let is_merged = |at: &usize| merged.outcomes[*at].changes().is_some();
        let jobs: Vec<usize> = (0..merged.outcomes.len()).filter(is_merged).collect();
        let mut sifted = Sifted::default();
        self.sift(onto, &jobs, fault, &mut sifted)?;
        Ok(match sifted.later {
            Some(fault) => Validated::Later(fault),
            None => Validated::Merged(self.without(onto, &merged, sifted)),
        })
    }

    /// Finds the refused jobs by halving the batch. `fault` is what the validators said of all of them together, on
    /// top of what is accepted.
    fn sift(&self, onto: &[u8], jobs: &[usize], fault: Fault, sifted: &mut Sifted) -> Result<(), RunError> {
        if let [only] = jobs {
            sifted.refused.push((*only, fault));
            return Ok(());
        }
        let (first, second) = jobs.split_at(jobs.len() / 2);
        for half in [first, second] {
            if sifted.later.is_some() {
                return Ok(());
            }
            let with: Vec<usize> = sifted.accepted.iter().chain(half).copied().collect();
            match self.judged(&self.merged_of(onto, &with).text)? {
                Judged::Accepted => sifted.accepted.extend(half),
                Judged::Refused(fault) => self.sift(onto, half, fault, sifted)?,
                Judged::Later(fault) => sifted.later = Some(fault),
            }
        }
        Ok(())
    }

    fn merged_of(&self, onto: &[u8], jobs: &[usize]) -> Merged {
        let jobs: Vec<&Job> = jobs.iter().map(|at| &self.jobs[*at].job).collect();
        self.trial().merge(onto, &jobs, ApprovedAs::Given)
    }

    /// The merge of the accepted ones, with an outcome for every job.
    fn without(&self, onto: &[u8], merged: &Merged, sifted: Sifted) -> Merged {
        let rest = self.merged_of(onto, &sifted.accepted);
        let mut outcomes = merged.outcomes.clone();
        for (at, outcome) in sifted.accepted.iter().zip(rest.outcomes) {
            outcomes[*at] = outcome;
        }
        for (at, fault) in sifted.refused {
            outcomes[at] = Outcome::Failed(fault);
        }
        Merged { text: rest.text, outcomes }
    }

    fn judged(&self, text: &[u8]) -> Result<Judged, RunError> {
        let path = self.claimant.commits().write_candidate(&self.document.canonical, text)?;
        let shown = path.display().to_string();
        let mut judged = Judged::Accepted;
        for argv in &self.kb.validate {
            let argv: Vec<String> = argv.iter().map(|word| word.replace(CANDIDATE, &shown)).collect();
            let program = Program {
                argv: &argv,
                stdin: &[],
                directory: self.document.canonical.parent(),
                time_ms: self.kb.validate_ms,
            };
            judged = verdict(&argv, (self.context.run)(&program), self.kb.validate_ms);
            if !matches!(judged, Judged::Accepted) {
                break;
            }
        }
        self.claimant.commits().remove_candidate(&path)?;
        Ok(judged)
    }
}

fn verdict(argv: &[String], ran: Ran, time_ms: u64) -> Judged {
    let name = argv.first().map_or("", String::as_str);
    let later = |code: Code, message: String, hint: &str| Judged::Later(Fault::new(code, message).hint(hint));
    match ran {
        Ran::Ended { code: Some(0), .. } => Judged::Accepted,
        Ran::Ended { code: Some(LATER), stderr, stdout } => {
            let message = format!("validator `{name}` asked for later{}", complaint(&stderr, &stdout));
            later(Code::ValidatorBusy, message, "it is tried again")
        }
        Ran::Ended { code, stderr, stdout } => {
            let how = code.map_or_else(|| "was ended by a signal".to_owned(), |code| format!("exit {code}"));
            let message =
                format!("validator `{name}` refused the merged text ({how}){}", complaint(&stderr, &stdout));
            let hint = "mend what it complains of, then retry or edit the job; or discard it";
            Judged::Refused(Fault::new(Code::ValidatorRefused, message).hint(hint))
        }
        Ran::TimedOut => {
            let message = format!("validator `{name}` was killed: it took longer than {time_ms} ms");
            later(Code::ValidatorTimeout, message, "see why it hangs, or raise `validate_timeout`")
        }
        Ran::NotStarted(why) => {
            let message = format!("validator `{name}` cannot be started: {why}");
            later(Code::ValidatorMissing, message, "give its whole path: cron knows few directories")
        }
    }
}

/// What a program complained of, else what it said.
fn complaint(stderr: &[u8], stdout: &[u8]) -> String {
    let text = if stderr.trim_ascii().is_empty() { stdout } else { stderr };
    let text = String::from_utf8_lossy(text);
    let visible = text.trim().chars().filter(|c| !c.is_control() || *c == '\n').take(SAID_CHARS_MAX);
    let text: String = visible.collect();
    if text.is_empty() { String::new() } else { format!(": {}", text.replace('\n', " / ")) }
}
