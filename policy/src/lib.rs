//! Which knowledge bases there are, what may be written to them and what must wait for a person: the settings, and every
//! judgement that is made before a merge.
//!
//! Pure: values in, values out. No file, no clock, no environment, no randomness is touched here.

/// The examples of README.md, so that they are compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;

pub mod confidence_note;
pub mod context;
pub mod facts;
pub mod family;
pub mod index;
pub mod judge;
pub mod knowledge_base;
pub mod reached;
pub mod scope;
pub mod settings;
pub mod stamp;
pub mod start;
pub mod time_words;
