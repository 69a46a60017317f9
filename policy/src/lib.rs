//! What a declaration is, what a Markdown section is, how one takes in the other, and which policies judge it.
//!
//! Pure: values in, values out. No file, no clock, no environment, no randomness is touched here.

pub mod base;
pub mod context;
pub mod declaration;
pub mod family;
pub mod gate;
pub mod judge;
pub mod mark;
pub mod merge;
pub mod problem;
pub mod reading;
pub mod rollback;
pub mod schema;
pub mod secrets;
pub mod settings;
pub mod stamp;
pub mod time;
pub mod trust;

pub use declaration::{Declaration, Entry, Key, Meta, Operation, Scope, Target};
pub use problem::Problem;
pub use time::Timestamp;
pub use trust::Trust;
