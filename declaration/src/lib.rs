//! What a declaration is: its entries, how they are written in YAML and JSON, and every rule their form is held to.
//!
//! Pure: values in, values out. No file, no clock, no environment, no randomness is touched here. Which documents exist
//! and who may write them is not known here.

/// The examples of README.md, so that they are compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;

pub mod advice;
pub mod asked;
pub mod code;
pub mod counted;
pub mod entry;
pub mod fault;
pub mod fingerprint;
pub mod occasion;
pub mod problem;
mod quoted;
pub mod reading;
pub mod schema;
pub mod secrets;
pub mod target;
pub mod terminal;
pub mod time;
pub mod trust;
mod variation;

pub use advice::{Advice, Wording};
pub use asked::Asked;
pub use code::{Code, Remedy};
pub use counted::counted;
pub use entry::{Declaration, Entry, Key, Meta, VERSION};
pub use fault::Fault;
pub use fingerprint::{Fingerprint, Forgetting, hex};
pub use markdown_merge::{Create, FRONT_MATTER, ITEM, Operation, Scope};
pub use occasion::Occasion;
pub use problem::Problem;
pub use quoted::quoted;
pub use target::Target;
pub use time::{Timestamp, span};
pub use trust::Trust;
