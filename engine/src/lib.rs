//! Runs a home of `last-word`: every verb a surface needs (a command line, hooks, a server), as a value to call it on and
//! plain data to get back. Prints nothing and reads no environment; clock, randomness and programs are handed in as a
//! [`Host`].

/// The examples of README.md, so that they are compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;

mod adopt;
mod apply;
mod budget;
mod caller;
mod doctor;
mod document;
mod drift;
mod end;
mod enqueue;
mod entry;
mod export;
mod failure;
mod filling;
mod flush;
mod home;
mod hook;
mod host;
mod inbox;
mod init;
mod item_list;
mod items;
mod look_around;
pub mod nearly_json;
mod operate;
mod other_homes;
pub mod output;
pub mod person;
mod plan;
mod project;
mod purge;
mod recall;
mod remember;
mod replaced_text;
mod resolve;
mod review;
mod seen_before;
mod session_note;
mod settings;
mod show;
mod soul;
mod speaker;
mod staged;
mod status;
pub mod system;
mod tidy;
mod timeline;
mod validate;
mod work;

pub use crate::drift::DriftFollower;
pub use adopt::{Adoptable, Stores};
pub use apply::{ApplyScope, RunByHand};
pub use caller::Caller;
pub use declaration::advice::{Advice, HomeAdvice};
pub use declaration::quoted;
pub use doctor::{HooksState, NO_CONFIG, UNKNOWN_FILE_HINT};
pub use document::SectionNamed;
pub use end::{TurnEnd, path_name, scope_of, scope_said};
pub use enqueue::{Begun, Declared};
pub use entry::EntryFields;
pub use export::Exportable;
pub use failure::{Exit, Failure, problem_lines};
pub use filling::Filling;
pub use home::Home;
pub use hook::{HookAnswer, HookCall, HooksOff};
pub use host::{EmbeddingsRequest, Host, NotEmbedded, Notice};
pub use init::{schema, schema_text};
pub use item_list::ItemFilter;
pub use look_around::ItemPlace;
pub use operate::LogPosition;
pub use other_homes::OtherHome;
pub use recall::Question;
pub use remember::{ChangeItem, Remember};
pub use resolve::{Decisions, Undecided};
pub use review::ReviewAnswer;
pub use session_note::SessionNote;
pub use settings::{DEFAULT_CONFIG, DEFAULT_SOUL, defaults};
pub use show::JobView;
pub use soul::Soul;
pub use speaker::Speaker;
pub use staged::{ChangedJob, StagedJobs, Which};
// What the verbs take and give, so that nobody needs the crates below by name.
pub use declaration::reading::Format;
pub use declaration::secrets;
pub use declaration::span;
pub use declaration::terminal::{not_shown, without_hidden};
pub use declaration::{Code, Declaration, Entry, Fault, Operation, Problem, Remedy, Timestamp, Trust};
pub use operator::{
    Action, Actor, ApprovedWords, Because, Blamed, ChangedSection, Filter, LogFilter, Preview, Sort,
};
pub use policy::knowledge_base::Budget;
pub use queue_layout::{
    Attempt, DocKey, Event, HeldThing, Job, JobId, JournalEntry, Layout, Listed, LocatedJob, State,
};
pub use timeline::JournalFollower;
pub use worker::{Program, Ran, Report, chain};

pub use work::{Control, Stay, Turn, Watchdog, Watched, Worker, sentence};
