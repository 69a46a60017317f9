//! Which files a command means where it reaches many: those that a search found, or all of a directory but some.

use super::{fits, parts};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Which of the files that a path stands for are meant. By default all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chosen {
    /// Names of files or directories that are left out, or ends of paths; with `*`, `?` and `[…]`.
    pub except: Vec<String>,
    /// A text that each of the files has in it.
    pub with: Option<String>,
    /// Whether only those are meant that have nothing in them.
    pub empty: bool,
    /// The archive in which each of them is.
    pub archive: Option<PathBuf>,
    /// What git knows of each of them.
    pub git: ByGit,
    /// Names of files in which a person says what is left alone: `.prettierignore`.
    pub ignored_by: &'static [&'static str],
}

/// What git knows of files that a command changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ByGit {
    /// The command does not ask git.
    #[default]
    Any,
    /// It knows them, and they have changes that are not committed.
    Uncommitted {
        /// Whether files of the whole repository are meant, and not only those below the path.
        everywhere: bool,
    },
    /// It does not know them.
    Untracked {
        /// Whether that goes for files, too, that `.gitignore` names.
        ignored: bool,
    },
    /// It does not have them as they are: it does not know them, or they have changes that are not committed.
    Either {
        /// Whether files of the whole repository are meant, and not only those below the path.
        everywhere: bool,
    },
}

impl Chosen {
    /// All but these.
    pub(super) fn but(except: Vec<String>) -> Chosen {
        Chosen { except, ..Chosen::default() }
    }

    /// What is known of files that two searches may have found.
    pub(super) fn or(self, other: &Chosen) -> Chosen {
        if self == *other { self } else { Chosen::default() }
    }

    /// Whether a file is left out. `changed` is the path that stands for all of them: only what a file's path has below that is compared.
    pub(super) fn leaves_out(&self, changed: &Path, file: &Path) -> bool {
        if self.except.is_empty() {
            return false;
        }
        let names: Vec<_> = file.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        let above = parts(changed).len().saturating_sub(1).min(names.len().saturating_sub(1));
        self.except.iter().any(|pattern| is_left_out(pattern, &names[above..]))
    }
}

/// Whether a pattern names a file, or a directory it is in, by the names of its path.
fn is_left_out(pattern: &str, names: &[Cow<'_, str>]) -> bool {
    let parts: Vec<&str> = pattern.split('/').filter(|part| !matches!(*part, "" | "." | "**")).collect();
    // `docs/*` and `docs/**` leave out what is in `docs`, and `*/docs` any `docs`.
    let parts = match parts.as_slice() {
        ["*", between @ .., "*"] | ["*", between @ ..] | [between @ .., "*"] if !between.is_empty() => {
            between
        }
        parts => parts,
    };
    let is_here = |names: &[Cow<'_, str>]| names.iter().zip(parts).all(|(name, part)| fits(part, name));
    !parts.is_empty() && names.windows(parts.len()).any(is_here)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out() {
        for (pattern, file, expected) in [
            ("AGENTS.md", "/r/AGENTS.md", true),
            ("./AGENTS.md", "/r/AGENTS.md", true),
            ("*/AGENTS.md", "/r/docs/AGENTS.md", true),
            ("*/AGENTS.md", "/r/AGENTS.md", true),
            ("*/docs/*", "/r/docs/AGENTS.md", true),
            ("**/*.md", "/r/docs/AGENTS.md", true),
            ("docs/*", "/r/docs/AGENTS.md", true),
            ("docs", "/r/docs/AGENTS.md", true),
            (".*", "/r/.config/AGENTS.md", true),
            ("docs", "/r/AGENTS.md", false),
            ("r", "/r/AGENTS.md", false),
            ("AGENTS", "/r/AGENTS.md", false),
            ("", "/r/AGENTS.md", false),
        ] {
            let chosen = Chosen::but(vec![pattern.to_owned()]);
            assert_eq!(chosen.leaves_out(Path::new("/r/*"), Path::new(file)), expected, "{pattern} {file}");
        }
    }
}
