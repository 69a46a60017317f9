//! Reads what other agents keep as their memory: one reader for each system, each from the files of a store to entries with
//! their origin. Changes nothing, prints nothing, and decides nothing about what is taken over.

/// The examples of README.md, so that they are compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;

mod declared;
mod entry;
mod export;
mod fold;
mod front_matter;
pub mod markdown;
mod readers;
mod screen;
mod sqlite;
mod store;
mod wording;

pub use entry::{About, FoundMemories, LeftOut, Memory, MemoryKind};
pub use export::{ExportFormat, ExportedItem, export};
pub use fold::{Folded, IDENTITY, Origin, Proposal, fold, plain, text_hash};
pub use readers::{MemorySystem, SYSTEMS, project_folder};
pub use store::MemoryStore;
