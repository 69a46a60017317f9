//! The validators of a knowledge base: programs that judge the merged text before it is committed. Exit 0 accepts, 75
//! says later, anything else refuses, with what the program complained of. One refused job does not sink its neighbours.

use crate::commit::Commit;
use crate::error::Trouble;
use crate::program::{Program, Ran};
use declaration::Fault;
use queue_layout::Job;
use trial::{ApprovedAs, JobOutcome, Merged};

/// Stands for the path of the merged text among a validator's arguments.
pub const CANDIDATE: &str = "{candidate}";
/// What a validator answers that wants to be asked again.
const LATER: i32 = 75;
/// Of what a validator complains of so much is kept.
const SAID_CHARS_MAX: usize = 2000;

/// What the validators say of a text.
enum Judged {
    Accepted,
    Refused(Fault),
}

impl Commit<'_> {
    /// The merge of all jobs that validators accept; the others are refused, each alone.
    pub(crate) fn validated(&self, onto: &[u8], merged: Merged) -> Result<Merged, Trouble> {
        if self.base.validate.is_empty() || merged.text == onto {
            return Ok(merged);
        }
        let error = match self.judged(&merged.text)? {
            Judged::Accepted => return Ok(merged),
            Judged::Refused(error) => error,
        };
        let jobs: Vec<usize> = (0..merged.outcomes.len()).filter(|at| is_in(&merged.outcomes[*at])).collect();
        let mut refused: Vec<(usize, Fault)> = Vec::new();
        let mut accepted: Vec<usize> = Vec::new();
        self.sift(onto, &jobs, error, &mut accepted, &mut refused)?;
        Ok(self.without(onto, &merged, &accepted, refused))
    }

    /// Halves the jobs until those are found that are refused. `error` is what was said of all of them together, on top
    /// of what is accepted.
    fn sift(
        &self,
        onto: &[u8],
        jobs: &[usize],
        error: Fault,
        accepted: &mut Vec<usize>,
        refused: &mut Vec<(usize, Fault)>,
    ) -> Result<(), Trouble> {
        if let [only] = jobs {
            refused.push((*only, error));
            return Ok(());
        }
        let (first, second) = jobs.split_at(jobs.len() / 2);
        for half in [first, second] {
            let with: Vec<usize> = accepted.iter().chain(half).copied().collect();
            match self.judged(&self.merged_of(onto, &with).text)? {
                Judged::Accepted => accepted.extend(half),
                Judged::Refused(error) => self.sift(onto, half, error, accepted, refused)?,
            }
        }
        Ok(())
    }

    fn merged_of(&self, onto: &[u8], jobs: &[usize]) -> Merged {
        let jobs: Vec<&Job> = jobs.iter().map(|at| &self.jobs[*at].job).collect();
        self.trial().merge(onto, &jobs, ApprovedAs::Given)
    }

    /// The merge of the accepted ones, with an outcome for every job.
    fn without(
        &self,
        onto: &[u8],
        merged: &Merged,
        accepted: &[usize],
        refused: Vec<(usize, Fault)>,
    ) -> Merged {
        let rest = self.merged_of(onto, accepted);
        let mut outcomes = merged.outcomes.clone();
        for (at, outcome) in accepted.iter().zip(rest.outcomes) {
            outcomes[*at] = outcome;
        }
        for (at, error) in refused {
            outcomes[at] = JobOutcome::Failed(error);
        }
        Merged { text: rest.text, outcomes }
    }

    fn judged(&self, text: &[u8]) -> Result<Judged, Trouble> {
        let path = self.claimant.write_candidate(&self.document.canonical, text)?;
        let shown = path.display().to_string();
        let mut judged = Ok(Judged::Accepted);
        for argv in &self.base.validate {
            let argv: Vec<String> = argv.iter().map(|word| word.replace(CANDIDATE, &shown)).collect();
            let program = Program {
                argv: &argv,
                stdin: &[],
                directory: self.document.canonical.parent(),
                time_ms: self.base.validate_ms,
            };
            judged = verdict(&argv, (self.context.run)(&program), self.base.validate_ms);
            if !matches!(judged, Ok(Judged::Accepted)) {
                break;
            }
        }
        self.claimant.remove_candidate(&path)?;
        judged
    }
}

fn is_in(outcome: &JobOutcome) -> bool {
    matches!(outcome, JobOutcome::In(_))
}

fn verdict(argv: &[String], ran: Ran, time_ms: u64) -> Result<Judged, Trouble> {
    let name = argv.first().map_or("", String::as_str);
    let later = |code: &str, message: String, hint: &str| {
        Err(Trouble::Later(Fault::new(code, message).hint(hint.to_owned())))
    };
    match ran {
        Ran::Ended { code: Some(0), .. } => Ok(Judged::Accepted),
        Ran::Ended { code: Some(LATER), stderr, stdout } => {
            let message = format!("validator `{name}` asked for later{}", said(&stderr, &stdout));
            later("validator_busy", message, "it is tried again")
        }
        Ran::Ended { code, stderr, stdout } => {
            let how = code.map_or_else(|| "was ended by a signal".to_owned(), |code| format!("exit {code}"));
            let message =
                format!("validator `{name}` refused the merged text ({how}){}", said(&stderr, &stdout));
            let hint = "mend what it complains of, then resolve --retry or --edit; or discard the job";
            Ok(Judged::Refused(Fault::new("validator_refused", message).hint(hint)))
        }
        Ran::TimedOut => {
            let message = format!("validator `{name}` was killed: it took longer than {time_ms} ms");
            later("validator_timeout", message, "see why it hangs, or raise `validate_timeout`")
        }
        Ran::NotStarted(why) => {
            let message = format!("validator `{name}` cannot be started: {why}");
            later("validator_missing", message, "give its whole path: cron knows few directories")
        }
    }
}

/// What a program complained of, else what it said.
fn said(stderr: &[u8], stdout: &[u8]) -> String {
    let text = if stderr.trim_ascii().is_empty() { stdout } else { stderr };
    let text = String::from_utf8_lossy(text);
    let visible = text.trim().chars().filter(|c| !c.is_control() || *c == '\n').take(SAID_CHARS_MAX);
    let text: String = visible.collect();
    if text.is_empty() { String::new() } else { format!(": {}", text.replace('\n', " / ")) }
}
