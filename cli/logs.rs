//! Messages on stderr while things happen, for those who ask: `-v` a line a run, `-vv` a line an event, `-vvv` all; or
//! RUST_LOG, by target and level. Under journald they have no time of their own and the priority in front. The words are in
//! docs/EVENTS.md.

use crate::visible::visible;
use queue_layout::{Event, JournalEntry};
use std::fmt;
use tracing::field::{Field, Visit};
use tracing::{Level, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;

/// The target of all our messages.
pub const TARGET: &str = "last_word";

/// Starts the messages. Where nobody asks, nothing is set up: hooks pay nothing for them.
pub fn begin(verbose: u8) {
    let asked = std::env::var("RUST_LOG").ok().filter(|asked| !asked.is_empty());
    if verbose == 0 && asked.is_none() {
        return;
    }
    let by_count = match verbose {
        0 => Level::WARN,
        1 => Level::INFO,
        2 => Level::DEBUG,
        _ => Level::TRACE,
    };
    let targets = asked.as_deref().and_then(|asked| match asked.parse::<Targets>() {
        Ok(targets) => Some(targets),
        Err(e) => {
            let shown = visible(asked);
            crate::render::tell_line(format!(
                "last-word: warning: RUST_LOG=`{shown}` cannot be read ({e}); -v is what counts"
            ));
            None
        }
    });
    let targets = targets.unwrap_or_else(|| Targets::new().with_target(TARGET, by_count));
    let journald = std::env::var_os("JOURNAL_STREAM").is_some();
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).event_format(Line { journald });
    // It fails only where messages are set up already.
    let _ = tracing_subscriber::registry().with(targets).with(lines).try_init();
}

/// Prints an event of the journal as it happens.
pub fn happened(happened: &JournalEntry) {
    let event = happened.event.as_str();
    let id = happened.id.map(tracing::field::display);
    let (document, by) = (happened.document.as_deref(), happened.by.as_deref());
    let (code, words) = (happened.code.as_deref(), happened.message.as_deref());
    match happened.event {
        Event::RunEnded
        | Event::Failed
        | Event::Poisoned
        | Event::LeftOut
        | Event::LateWrite
        | Event::Reverted => {
            tracing::info!(target: TARGET, event, id, document, by, code, words);
        }
        _ => tracing::debug!(target: TARGET, event, id, document, by, code, words),
    }
}

/// Prints, at `-v`, something that is not in the journal.
pub fn said(event: &'static str, words: &str) {
    tracing::info!(target: TARGET, event, words);
}

/// The same at `-vvv`.
pub fn noted(event: &'static str, words: &str) {
    tracing::trace!(target: TARGET, event, words);
}

/// `last-word: EVENT ID DOCUMENT WORDS key=value …`
struct Line {
    journald: bool,
}

impl<S, N> FormatEvent<S, N> for Line
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut out: Writer<'_>,
        event: &tracing::Event<'_>,
    ) -> fmt::Result {
        if self.journald {
            write!(out, "<{}>", priority(*event.metadata().level()))?;
        }
        let mut said = EventFields::default();
        event.record(&mut said);
        write!(out, "last-word:")?;
        for word in said.plain.iter().flatten() {
            write!(out, " {word}")?;
        }
        for (name, value) in &said.named {
            // Quoted where necessary, so that a program can parse it.
            match value.contains([' ', '"']) {
                true => write!(out, " {name}={value:?}")?,
                false => write!(out, " {name}={value}")?,
            }
        }
        writeln!(out)
    }
}

/// Priorities as syslog numbers them.
fn priority(level: Level) -> u8 {
    match level {
        Level::ERROR => 3,
        Level::WARN => 4,
        Level::INFO => 6,
        _ => 7,
    }
}

/// The fields of an event: those that are words of a sentence in their order, and the others with their names.
#[derive(Default)]
struct EventFields {
    plain: [Option<String>; 4],
    named: Vec<(&'static str, String)>,
}

const PLAIN: [&str; 4] = ["event", "id", "document", "words"];

impl EventFields {
    fn note(&mut self, field: &Field, value: String) {
        // One event is one line, even if its text has several; a path's name may hold what a terminal obeys.
        let value = visible(&value.replace('\n', " ")).into_owned();
        match PLAIN.iter().position(|name| *name == field.name()) {
            Some(at) => self.plain[at] = Some(value),
            None => self.named.push((field.name(), value)),
        }
    }
}

impl Visit for EventFields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.note(field, value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.note(field, format!("{value:?}"));
    }
}
