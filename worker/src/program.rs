//! Programs of the user's that judge or rewrite a text. The worker decides which one and with what input; a function that
//! is handed in starts it. No shell is involved, and no word of a declaration is among the arguments.

use std::path::Path;

/// Most of what a program says that is kept, in bytes of each stream.
pub const OUTPUT_BYTES_MAX: usize = 64 << 10;

/// A program to be run.
#[derive(Debug, Clone, Copy)]
pub struct Program<'a> {
    /// The program and its arguments.
    pub argv: &'a [String],
    /// What it reads.
    pub stdin: &'a [u8],
    /// Where it runs, if that is there.
    pub directory: Option<&'a Path>,
    /// How long it may take, in milliseconds. What it has started by then ends with it.
    pub time_ms: u64,
}

/// How it went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ran {
    /// It ended by itself.
    Ended {
        /// Its exit code; `None` when a signal ended it.
        code: Option<i32>,
        /// What it wrote, at most `OUTPUT_BYTES_MAX`.
        stdout: Vec<u8>,
        /// What it complained of, at most `OUTPUT_BYTES_MAX`.
        stderr: Vec<u8>,
    },
    /// It took too long and was killed.
    TimedOut,
    /// It could not be started; why.
    NotStarted(String),
}

/// Runs a program to its end, or to the end of its time.
pub type Runner<'a> = &'a (dyn Fn(&Program<'_>) -> Ran + Sync);
