//! Finds again what stands in Markdown documents: cuts them into items, blocks, headings and keys, ranks those for a
//! question, and answers nothing below a floor. A pure function of texts and question: it knows no file and no clock.

/// The examples of README.md, so that they are compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;

mod diverse;
mod fold;
mod function_words;
mod irregular;
mod item;
mod meaning;
mod query;
mod rank;
mod search;
mod struck;
mod unasked;
mod unit;
mod words;

pub use fold::fold;
pub use item::{ItemFields, is_day};
pub use meaning::Meaning;
pub use query::{Query, Term};
pub use rank::{Score, Statistics, Weights};
pub use search::{Hit, HitFilter, Named, SearchedDocument, Tier, letters, rank, scan};
pub use unasked::{question_of, worth_saying};
pub use unit::{PassedSeam, Seam, Unit, UnitKind, cut, cut_from};
pub use words::{Token, TokenKind, Tokens};
