//! What a shell command would write, as far as its text shows. This stops an agent that means well and takes the nearest tool,
//! however it spells the path. It does not stop malice: a program can hide what it does.

mod allowed;
mod chosen;
mod code;
mod containers;
mod copies;
mod enclosed;
mod fixers;
mod functions;
mod git;
mod interpreters;
mod lex;
mod makefile;
mod options;
mod ours;
mod outputs;
mod possible;
mod recipes;
mod run;
mod runners;
mod said;
mod searches;
mod substitution;
mod unpacking;
mod uses;
mod wrappers;

pub use allowed::{ALLOWED, is_allowed};
pub use chosen::{ByGit, Chosen};
pub use git::GitReach;
pub use ours::{OurCall, denied_by_rules, our_calls};

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

/// The program of a simple command that stands for a part of the line that was not looked into.
const NOT_LOOKED_AT: &str = "?";

/// Where a command runs.
#[derive(Clone, Copy)]
pub struct CommandDirs<'a> {
    /// What `~` and `$HOME` mean.
    pub home: &'a Path,
    /// The working directory.
    pub cwd: &'a Path,
    /// Variables of its environment whose value is known: name, value.
    pub variables: &'a [(String, String)],
    /// What a line leaves to the disk.
    pub files: &'a dyn DiskOfLine,
}

/// What a line does not tell of the files that it names.
pub trait DiskOfLine {
    /// Whether there is no such directory, so that `cd` fails.
    fn is_missing(&self, dir: &Path) -> bool;
    /// The text of a patch that a command applies; `None` where it cannot be read.
    fn patch(&self, file: &Path) -> Option<String>;
    /// The text of a script that the agent may have written itself; `None` for any other file.
    fn script(&self, file: &Path) -> Option<String>;
    /// The files that a pattern means, of which a script may be one.
    fn scripts(&self, pattern: &WrittenPath) -> Vec<PathBuf>;
    /// The files below a directory that are meant and that the agent may have written, the newest first.
    fn below(&self, dir: &Path, is_meant: &dyn Fn(&Path) -> bool) -> Vec<PathBuf>;
}

/// No disk: directories are there, and files are not read.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoDisk;

impl DiskOfLine for NoDisk {
    fn is_missing(&self, _: &Path) -> bool {
        false
    }

    fn patch(&self, _: &Path) -> Option<String> {
        None
    }

    fn script(&self, _: &Path) -> Option<String> {
        None
    }

    fn scripts(&self, _: &WrittenPath) -> Vec<PathBuf> {
        Vec::new()
    }

    fn below(&self, _: &Path, _: &dyn Fn(&Path) -> bool) -> Vec<PathBuf> {
        Vec::new()
    }
}

/// What a command would do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Analysis {
    /// The files it would change.
    pub(crate) written: Vec<WrittenPath>,
    /// The simple commands it runs, each with its arguments.
    pub(crate) commands: Vec<Vec<String>>,
    /// The same commands, with everything that is known of each.
    pub(crate) simple: Vec<SimpleCommand>,
    /// Those of the changed files that a redirect (`>`) changes.
    pub(crate) redirected: Vec<WrittenPath>,
    /// The directories that it copies with their content.
    pub(crate) trees: Vec<CopiedTree>,
    /// The links that it makes: name, target.
    pub(crate) links: Vec<(PathBuf, PathBuf)>,
    /// Whether a command of it gets arguments from a pipe (`xargs`).
    pub(crate) fed: bool,
}

/// A directory that is copied over another one with its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopiedTree {
    /// The directory that is copied, absolute.
    pub from: PathBuf,
    /// The directory it is copied to, absolute.
    pub to: PathBuf,
    /// A pattern: only entries with such a name are copied.
    pub names: Option<String>,
}

impl CopiedTree {
    /// The file or directory that would be copied to this path; `None` when the copy does not reach it.
    #[must_use]
    pub fn source_of(&self, file: &Path) -> Option<PathBuf> {
        let (names, to) = (parts(file), parts(&self.to));
        let begins = names.len() > to.len() && to.iter().zip(&names).all(|(to, name)| fits(to, name));
        let rest = names.get(to.len()..).filter(|_| begins)?;
        let is_taken = self.names.as_ref().is_none_or(|pattern| fits(pattern, &rest[0]));
        is_taken.then(|| self.from.join(rest.iter().map(AsRef::<str>::as_ref).collect::<PathBuf>()))
    }
}

/// A command without pipes, lists and redirects. A part of a word whose value is not known stays as `$name` or `$(…)`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SimpleCommand {
    /// The program and its arguments, without assignments and programs that only start it (`env`, `sudo`).
    pub words: Vec<String>,
    /// Assignments in front of it.
    pub assigned: Vec<(String, String)>,
    /// The here-documents that it reads.
    pub bodies: Vec<String>,
    /// The directory it runs in.
    pub cwd: PathBuf,
    /// Whether it gets further arguments from a pipe.
    pub fed: bool,
    /// Whether its standard input is a pipe.
    pub piped: bool,
    /// The programs in files that it runs, where these were looked into.
    pub programs: Vec<String>,
    /// The files that it changes, by its arguments.
    pub written: Vec<WrittenPath>,
}

/// A path that would be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenPath {
    /// Absolute, not resolved; may hold `*`, `?` and `[…]`.
    pub path: PathBuf,
    /// How far it reaches.
    pub how: How,
    /// Which of the files there are meant.
    pub chosen: Chosen,
}

/// How far a change reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// That file.
    Here,
    /// It is removed, with everything below it.
    Gone,
    /// Every file with its name, anywhere below its directory.
    Below,
    /// Every file and directory with its name, anywhere below its directory, is removed, with everything below them.
    GoneBelow,
}

impl How {
    /// Whether it is about names anywhere below a directory.
    #[must_use]
    pub fn is_below(self) -> bool {
        matches!(self, How::Below | How::GoneBelow)
    }
}

impl WrittenPath {
    /// A change of everything that this path stands for.
    #[must_use]
    pub fn of(path: PathBuf, how: How) -> WrittenPath {
        WrittenPath { path, how, chosen: Chosen::default() }
    }

    /// Whether a file is among those changed, by the text of the paths: links are not resolved.
    #[must_use]
    pub fn reaches(&self, file: &Path) -> bool {
        self.is_at(file) && !self.chosen.leaves_out(&self.path, file)
    }

    fn is_at(&self, file: &Path) -> bool {
        match self.how {
            How::Here => glob_fits(&self.path, file),
            How::Gone => file.ancestors().any(|part| glob_fits(&self.path, part)),
            How::Below => self.is_named_below(file),
            How::GoneBelow => file.ancestors().any(|part| self.is_named_below(part)),
        }
    }
}

impl WrittenPath {
    /// Whether a path has its name, and lies anywhere below its directory.
    fn is_named_below(&self, path: &Path) -> bool {
        let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
        let mut above = path.ancestors().skip(1);
        let below = self.path.parent().is_some_and(|dir| above.any(|part| glob_fits(dir, part)));
        below && name(&self.path).zip(name(path)).is_some_and(|(pattern, name)| fits(&pattern, &name))
    }

    /// Whether it is, or may be, this directory or something in it, by the text of the paths.
    #[must_use]
    pub fn enters(&self, dir: &Path) -> bool {
        let (parts, names) = (parts(&self.path), parts(dir));
        parts.len() >= names.len() && parts.iter().zip(&names).all(|(part, name)| fits(part, name))
    }
}

impl WrittenPath {
    /// Whether it is a pattern that may mean a file, or for `How::Gone` a directory above, of which the path is a pattern as well (`*` in
    /// place of what differs).
    #[must_use]
    pub fn may_reach_any(&self, files: &Path) -> bool {
        let (parts, names) = (parts(&self.path), parts(files));
        let is_above = self.how == How::Gone && parts.len() < names.len();
        parts.iter().any(|part| part.contains(['*', '?', '[']))
            && (is_above || parts.len() == names.len())
            && parts.iter().zip(&names).all(|(part, name)| meet(part, name))
    }
}

/// Reads a command.
#[must_use]
pub(crate) fn analyse(command: &str, place: &CommandDirs<'_>) -> Analysis {
    run::run(command, place)
}

/// The path that stands for a program wherever it is found: `$(which NAME)`.
#[must_use]
pub fn found_in_path(name: &str) -> PathBuf {
    Path::new(substitution::FOUND_IN_PATH).join(name)
}

/// A program for an interpreter, with the names of files that it only reads removed.
#[must_use]
pub fn without_reads(program: &str) -> String {
    code::without_reads(program)
}

/// Whether a program writes, removes, renames or starts anything.
#[must_use]
pub fn changes_or_starts(program: &str) -> bool {
    code::changes_or_starts(program)
}

/// The names of paths in a program's string literals, in their order: `~`, `.config`, `agents` of
/// `expanduser("~/.config") + "/agents"`.
#[must_use]
pub fn names_in(program: &str) -> Vec<String> {
    let literals = code::literals(program).into_iter();
    literals
        .flat_map(|literal| literal.split('/').map(str::to_owned).collect::<Vec<_>>())
        .filter(|name| !name.is_empty())
        .collect()
}

/// The most links that lead one to the other, and the most paths that a path may be by them.
const LINK_STEPS_MAX: usize = 4;
const LED_MAX: usize = 64;

/// Where a path leads through links (name, target) that a line makes, also through several of them.
#[must_use]
pub fn led(links: &[(PathBuf, PathBuf)], path: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    if links.is_empty() {
        return found;
    }
    let mut last = vec![path.to_owned()];
    for _ in 0..LINK_STEPS_MAX {
        let next = last.iter().flat_map(|path| {
            // The name of a link is held against the path as it is, and with `..` taken out.
            let plain = plain(path);
            let through =
                |link| led_by(link, path).or_else(|| led_by(link, &plain)).filter(|next| next != path);
            links.iter().filter_map(through).collect::<Vec<_>>()
        });
        let next: Vec<PathBuf> = next.filter(|path| !found.contains(path)).take(LED_MAX).collect();
        if next.is_empty() {
            break;
        }
        found.extend(next.iter().cloned());
        last = next;
    }
    found
}

fn led_by((name, target): &(PathBuf, PathBuf), path: &Path) -> Option<PathBuf> {
    let rest = path.strip_prefix(name).ok()?;
    Some(if rest.as_os_str().is_empty() { target.clone() } else { target.join(rest) })
}

/// A path as a shell or a person writes it, made absolute: resolves `~`, `$HOME`, `$PWD` and relative paths, nothing else.
#[must_use]
pub fn absolute(path: &str, home: &Path, cwd: &Path) -> PathBuf {
    // `~root`: a user's name is as a rule that of their home directory.
    let by_name = format!("~{}", home.file_name().unwrap_or_default().to_string_lossy());
    let heads = [
        ("~", home),
        (by_name.as_str(), home),
        ("~+", cwd),
        ("$HOME", home),
        ("${HOME}", home),
        ("$PWD", cwd),
        ("${PWD}", cwd),
    ];
    for (head, dir) in heads {
        match path.strip_prefix(head) {
            Some("") => return dir.to_owned(),
            Some(rest) if rest.starts_with('/') => return dir.join(rest.trim_start_matches('/')),
            _ => {}
        }
    }
    cwd.join(path)
}

/// A path with `.` and `..` taken out by their text.
#[must_use]
pub fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain
}

/// Whether a path fits a pattern, name by name, after `.` and `..` were removed from the pattern.
#[must_use]
fn glob_fits(pattern: &Path, path: &Path) -> bool {
    let (parts, names) = (parts(pattern), path.components());
    parts.len() == names.clone().count()
        && parts.iter().zip(names).all(|(part, name)| fits(part, &name.as_os_str().to_string_lossy()))
}

/// The names of a path, after `.` and `..` were removed without looking at the disk.
fn parts(path: &Path) -> Vec<Cow<'_, str>> {
    let mut parts = Vec::new();
    for component in path.components() {
        match component {
            Component::ParentDir if parts.len() > 1 => drop(parts.pop()),
            Component::ParentDir | Component::CurDir => {}
            other => parts.push(other.as_os_str().to_string_lossy()),
        }
    }
    parts
}

/// Whether one name fits both patterns. What stands in brackets counts as any character.
fn meet(one: &str, other: &str) -> bool {
    let (one, other) = (signs(one), signs(other));
    // Which ends of `other` the signs of `one` that were read may have come to.
    let mut ends = vec![false; other.len() + 1];
    ends[0] = true;
    let through_stars = |ends: &mut Vec<bool>| {
        for at in 0..other.len() {
            ends[at + 1] |= ends[at] && other[at] == '*';
        }
    };
    through_stars(&mut ends);
    for sign in one {
        let mut next = vec![false; other.len() + 1];
        for at in 0..=other.len() {
            if !ends[at] {
                continue;
            }
            match (sign, other.get(at)) {
                ('*', _) => next[at..].fill(true),
                (_, Some('*')) => next[at] = true,
                (sign, Some(other)) => next[at + 1] |= sign == '?' || *other == '?' || sign == *other,
                (_, None) => {}
            }
        }
        ends = next;
        through_stars(&mut ends);
    }
    ends.last() == Some(&true)
}

/// The characters of a pattern, with `?` for each bracket.
fn signs(pattern: &str) -> Vec<char> {
    let mut signs = Vec::new();
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        let bracket = rest.strip_prefix('[').and_then(|inside| inside.get(1..)?.split_once(']'));
        match bracket {
            Some((_, behind)) => (rest, _) = (behind, signs.push('?')),
            None => (rest, _) = (&rest[c.len_utf8()..], signs.push(c)),
        }
    }
    signs
}

/// Whether one name fits a pattern of `*`, `?`, `[abc]`, `[!a-z]`. Never exponential: it goes back to the last star only.
fn fits(pattern: &str, name: &str) -> bool {
    if let Some((head, rest)) = pattern.split_once("!(")
        && let Some((others, tail)) = rest.split_once(')')
    {
        // `!(README|NOTES).md`: every name but these.
        let inner = name.strip_prefix(head).and_then(|rest| rest.strip_suffix(tail));
        return inner.is_some_and(|inner| !others.split('|').any(|other| fits(other, inner)));
    }
    if !pattern.contains(['*', '?', '[']) {
        return pattern == name; // nearly every name of every path that a hook compares
    }
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        let step = match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
                continue;
            }
            Some('?') => Some(1),
            Some('[') => class(&pattern[p..], name[n]),
            Some(c) if *c == name[n] => Some(1),
            _ => None,
        };
        match (step, star) {
            (Some(width), _) => (p, n) = (p + width, n + 1),
            (None, Some((at, from))) => {
                star = Some((at, from + 1));
                (p, n) = (at + 1, from + 1);
            }
            (None, None) => return false,
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// How many characters of the pattern a `[…]` takes that fits the character; `None` when it does not fit.
fn class(pattern: &[char], c: char) -> Option<usize> {
    // `[[:upper:]]`: any letter or digit.
    if pattern.starts_with(&['[', '[', ':']) {
        let close = pattern.windows(3).position(|end| end == [':', ']', ']'])?;
        return c.is_alphanumeric().then_some(close + 3);
    }
    let close = 2 + pattern.iter().skip(2).position(|c| *c == ']')?;
    let negated = matches!(pattern[1], '!' | '^');
    let set = &pattern[if negated { 2 } else { 1 }..close];
    let among = (0..set.len()).any(|at| match set.get(at..at + 3) {
        Some([low, '-', high]) => (*low..=*high).contains(&c),
        _ => set[at] == c,
    });
    (among != negated).then_some(close + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_patterns() {
        for (pattern, name, expected) in [
            ("*.md", "USER.md", true),
            ("U*E*.m?", "USER.md", true),
            ("[A-Z]SER.[!x]d", "USER.md", true),
            ("[a-z]SER.md", "USER.md", false),
            ("[[:upper:]]*.md", "USER.md", true),
            ("USER", "USER.md", false),
            ("*", "", true),
            ("[", "[", false),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
        assert!(glob_fits(Path::new("/a/./x/../b/*.md"), Path::new("/a/b/c.md")));
        assert!(!glob_fits(Path::new("/a/*"), Path::new("/a/b/c.md")));
        for (one, other, both) in [
            ("*", "*.md", true),
            ("2026-11-1?.md", "*.md", true),
            ("[a]rchive", "archive", true),
            ("ar*", "archive", true),
            ("b*", "archive", false),
            ("*.txt", "*.md", false),
            ("a*b", "*c*", true),
            ("*a", "b*", true),
            ("a", "", false),
            ("", "*", true),
            ("??", "*a", true),
            ("?", "ab*", false),
        ] {
            assert_eq!((meet(one, other), meet(other, one)), (both, both), "{one} {other}");
        }
    }
}
