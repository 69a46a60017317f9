//! `outcome`: what became of what was declared, so that no agent reports a save that never happened.

use super::Tool;
use crate::call::{Call, ToolAnswer, arguments, sentence};
use crate::schema::{OPTIONAL, REQUIRED, choice, input, list, output, text, texts, whole};
use engine::output::Fate;
use engine::secrets::unrepeated;
use engine::{Advice, Failure, JobId};
use rmcp::model::JsonObject;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;

pub(super) const TOOL: Tool = Tool {
    name: "outcome",
    description: "What became of ids (left out: of all this session said). Only applied and unchanged are in the document.",
    changes: false,
    takes,
    answers,
    run,
};

/// The most ids of one call.
const IDS_MAX: usize = 200;
/// The longest that one call waits, in seconds.
const WAIT_SECONDS_MAX: u64 = 600;
/// How long it waits between two looks at jobs without an outcome.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// How a job stands, in words that promise nothing too early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JobState {
    Applied,
    Unchanged,
    Queued,
    Waits,
    Failed,
    Dropped,
    Unknown,
}

impl JobState {
    const ALL: [JobState; 7] = [
        JobState::Applied,
        JobState::Unchanged,
        JobState::Queued,
        JobState::Waits,
        JobState::Failed,
        JobState::Dropped,
        JobState::Unknown,
    ];

    fn as_str(self) -> &'static str {
        match self {
            JobState::Applied => "applied",
            JobState::Unchanged => "unchanged",
            JobState::Queued => "queued",
            JobState::Waits => "waits",
            JobState::Failed => "failed",
            JobState::Dropped => "dropped",
            JobState::Unknown => "unknown",
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Args {
    ids: Option<Vec<String>>,
    wait_seconds: Option<u64>,
}

fn takes() -> JsonObject {
    input(vec![
        ("ids", texts(""), OPTIONAL),
        ("wait_seconds", whole("Wait at most so long for a worker"), OPTIONAL),
    ])
}

fn answers() -> JsonObject {
    let outcome = output(vec![
        ("id", text(""), REQUIRED),
        ("state", choice(&JobState::ALL.map(JobState::as_str)), REQUIRED),
        ("document", text(""), OPTIONAL),
        ("why", text(""), OPTIONAL),
        ("next", text(""), OPTIONAL),
    ]);
    output(vec![("outcomes", list(outcome), REQUIRED)])
}

fn run(call: &Call, given: JsonObject) -> Result<ToolAnswer, Failure> {
    let args: Args = arguments(given, "{\"ids\": [\"019ab3…\"]}")?;
    let ids: Vec<String> =
        args.ids.unwrap_or_default().into_iter().filter(|id| !id.trim().is_empty()).collect();
    let ids = if ids.is_empty() { call.session.said().iter().map(JobId::to_string).collect() } else { ids };
    if ids.len() > IDS_MAX {
        return Err(
            Failure::new(format!("{} ids were given", ids.len())).hint(format!("at most {IDS_MAX} at once"))
        );
    }
    let wait = Duration::from_secs(args.wait_seconds.unwrap_or(0).min(WAIT_SECONDS_MAX));
    let looks = wait.as_millis() / LOOK_EVERY.as_millis();
    let mut outcomes = look(call, &ids);
    for _ in 0..looks {
        let ended = outcomes.iter().filter(|outcome| outcome.state != JobState::Queued).count();
        if ended == outcomes.len() || call.is_cancelled() {
            break;
        }
        call.is_at(format!("{ended} of {} have an outcome", outcomes.len()));
        call.pause(LOOK_EVERY);
        outcomes = look(call, &ids);
    }
    Ok(answer(outcomes))
}

fn look(call: &Call, ids: &[String]) -> Vec<JobOutcome> {
    ids.iter().map(|id| JobOutcome::of(call, id)).collect()
}

fn answer(outcomes: Vec<JobOutcome>) -> ToolAnswer {
    let lines: Vec<String> = outcomes.iter().map(JobOutcome::line).collect();
    let text =
        if lines.is_empty() { "this session has said nothing yet".to_owned() } else { lines.join("\n") };
    let is_error = !outcomes.is_empty() && outcomes.iter().all(|outcome| outcome.state == JobState::Unknown);
    let outcomes: Vec<Value> = outcomes.into_iter().map(JobOutcome::value).collect();
    ToolAnswer { text, value: json!({ "outcomes": outcomes }), is_error }
}

/// What became of one job.
struct JobOutcome {
    id: String,
    state: JobState,
    document: Option<String>,
    why: Option<String>,
    next: Option<String>,
}

impl JobOutcome {
    fn of(call: &Call, id: &str) -> JobOutcome {
        let say = |advice: &Advice| Some(call.home.host().say(advice));
        let verdict = match call.home.verify(id.trim()) {
            Ok(verdict) => verdict,
            Err(failure) => {
                let why = Some(sentence(&failure, &call.home));
                return JobOutcome {
                    id: unrepeated(id).into_owned(),
                    state: JobState::Unknown,
                    document: None,
                    why,
                    next: None,
                };
            }
        };
        let (state, next) = match verdict.fate {
            Fate::Applied => (JobState::Applied, None),
            Fate::Unchanged => (JobState::Unchanged, None),
            Fate::Dropped => (JobState::Dropped, None),
            Fate::Failed => (JobState::Failed, say(&Advice::Resolve(verdict.id.to_string()))),
            Fate::Review => (JobState::Waits, say(&Advice::ReviewSome)),
            Fate::Waiting => (JobState::Queued, None),
        };
        let why = match state {
            JobState::Dropped => Some("a person decided against it".to_owned()),
            JobState::Unchanged => Some("the document said it already".to_owned()),
            JobState::Queued => Some("no worker has merged it yet".to_owned()),
            _ => verdict.error.map(|error| error.message),
        };
        let document = verdict.document.as_deref().map(|path| call.short(path));
        JobOutcome { id: verdict.id.to_string(), state, document, why, next }
    }

    fn line(&self) -> String {
        let document = self.document.as_ref().map(|document| format!(" in {document}")).unwrap_or_default();
        let why = self.why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
        let next = self.next.as_ref().map(|next| format!("; the person decides: {next}")).unwrap_or_default();
        format!("{}: {}{document}{why}{next}", self.id, self.state.as_str())
    }

    fn value(self) -> Value {
        let mut value = json!({ "id": self.id, "state": self.state.as_str() });
        for (name, said) in [("document", self.document), ("why", self.why), ("next", self.next)] {
            if let Some(said) = said {
                value[name] = json!(said);
            }
        }
        value
    }
}
