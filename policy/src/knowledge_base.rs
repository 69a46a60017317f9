//! Knowledge bases: the documents that may be written, and how the target of a declaration becomes one of them. A target is
//! never used as a path itself: what is written is always a configured document. Touches no disk: the caller hands in the
//! function that resolves links.

use crate::family;
use crate::index::GeneratedIndex;
use declaration::Code;
use declaration::problem::Problem;
use declaration::reading::near::{nearest, suggestion};
use declaration::target::{Target, file_url};
use declaration::time::{day_before, is_day};
use declaration::trust::Trust;
use markdown_merge::{Headings, Rules};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Component, Path, PathBuf};

/// Default: what an agent says is merged, and what it read elsewhere waits for a yes.
pub const MIN_TRUST: Trust = Trust::Agent;
/// Default: how long a validator may take, in milliseconds.
pub const VALIDATE_MS: u64 = 10_000;
/// Default: an author less sure than this guesses.
pub const MARK_BELOW: f64 = markdown_merge::item::GUESS_BELOW;

/// A named document of the configuration, and the policy for writing to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KnowledgeBase {
    /// The name declarations use (`kb: user`).
    pub name: String,
    /// As configured: `~/…`, absolute, or relative to `root`.
    pub path: String,
    /// What a relative path is relative to.
    pub root: Root,
    /// For people, and for agents at session start; the name where none is given.
    pub title: String,
    /// The tag around it in what an agent is shown at its start.
    pub tag: String,
    /// Who decides.
    pub policy: Policy,
    /// Whether the document, and sections in it, may be created.
    pub create: bool,
    /// Whether the front matter's keys may be targets.
    pub front_matter: bool,
    /// Only between `<!-- MACHINE_BLOCK_START -->` and `<!-- MACHINE_BLOCK_END -->` may be written.
    pub machine_block: bool,
    /// How many characters (as users see them) the document may have.
    pub budget_chars: Option<usize>,
    /// How many tokens of a language model it may have, by estimate.
    pub budget_tokens: Option<usize>,
    /// How many characters each of its sections may have.
    pub section_budget_chars: Option<usize>,
    /// What becomes of a change that would exceed a budget.
    pub on_over_budget: OnOverBudget,
    /// Entries less sure than this go to review.
    pub min_confidence: Option<f64>,
    /// What comes from less trusted sources goes to review.
    pub min_trust: Trust,
    /// An entry whose author is less sure than this is marked as a guess where it is written; 0: none is.
    pub mark_below: f64,
    /// What becomes of words that will mean something else later (today, here, he); `None` without a gate.
    pub on_hit: Option<OnHit>,
    /// A program that rewrites a text with such words in it; empty for none.
    pub rewriter: Vec<String>,
    /// The text a document of it begins with; `~` is not yet resolved.
    pub template: Option<String>,
    /// Days of daily logs that are kept in place; older ones go to `archive/` beside them. Only for a `{date}`; `None`: all stay.
    pub keep_days: Option<u32>,
    /// Which sections may be written.
    pub headings: Headings,
    /// Whether what looks like a secret is refused.
    pub redact: bool,
    /// Programs that judge the merged text (argument lists); `{candidate}` stands for its path.
    pub validate: Vec<Vec<String>>,
    /// How long each of them may take, in milliseconds.
    pub validate_ms: u64,
    /// Earlier versions kept; `retention.snapshots` where absent.
    pub snapshots: Option<u32>,
    /// The documents whose index is kept in this document's machine block.
    pub index: Option<GeneratedIndex>,
    /// The document whose text is kept in this document's machine block: a path like its own.
    pub copy_of: Option<String>,
}

impl Default for KnowledgeBase {
    /// The policy of a knowledge base of which nothing is configured; it has no name and no document.
    fn default() -> Self {
        KnowledgeBase::plain("", "")
    }
}

impl KnowledgeBase {
    /// Whether the worker keeps a part of its document: an index, or a copy of another document.
    #[must_use]
    pub fn is_generated(&self) -> bool {
        self.index.is_some() || self.copy_of.is_some()
    }

    /// The facts of its policy that bear on a merge, once whoever has to say yes has said it.
    #[must_use]
    pub fn rules(&self) -> Rules {
        Rules {
            create: self.create,
            machine_block: self.machine_block,
            block_is_made: self.copy_of.is_some(),
            front_matter: self.front_matter,
            chars_max: self.budget_chars,
            tokens_max: self.budget_tokens,
            section_chars_max: self.section_budget_chars,
            headings: Headings { review: Vec::new(), ..self.headings.clone() },
            ..Rules::default()
        }
    }

    /// The tag of a knowledge base that does not name one.
    #[must_use]
    pub fn default_tag(name: &str) -> String {
        match name {
            "soul" => "agent-identity",
            "user" => "user-profile",
            "memory" => "agent-memory",
            "global" => "agent-notes",
            "project" => "project-knowledge",
            other => return other.replace('_', "-"),
        }
        .to_owned()
    }

    /// A knowledge base with this path and no policy beyond the defaults.
    #[must_use]
    pub fn plain(name: &str, path: &str) -> Self {
        KnowledgeBase {
            name: name.to_owned(),
            path: path.to_owned(),
            root: Root::default(),
            title: name.to_owned(),
            tag: KnowledgeBase::default_tag(name),
            policy: Policy::default(),
            create: true,
            front_matter: false,
            machine_block: false,
            budget_chars: None,
            budget_tokens: None,
            section_budget_chars: None,
            on_over_budget: OnOverBudget::default(),
            min_confidence: None,
            min_trust: MIN_TRUST,
            mark_below: MARK_BELOW,
            on_hit: None,
            rewriter: Vec::new(),
            template: None,
            keep_days: None,
            headings: Headings::default(),
            redact: true,
            validate: Vec::new(),
            validate_ms: VALIDATE_MS,
            snapshots: None,
            index: None,
            copy_of: None,
        }
    }
}

/// Who decides on a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// It is merged.
    #[default]
    Auto,
    /// A person approves it first.
    Review,
    /// It is refused.
    ReadOnly,
}

/// A limit on how long a document may get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Budget {
    /// The characters of the document.
    Chars,
    /// Its tokens of a language model, by estimate.
    Tokens,
    /// The characters of each of its sections.
    SectionChars,
}

impl Budget {
    /// All of them.
    pub const ALL: [Budget; 3] = [Budget::Chars, Budget::Tokens, Budget::SectionChars];

    /// Its key in the configuration.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Budget::Chars => "budget_chars",
            Budget::Tokens => "budget_tokens",
            Budget::SectionChars => "section_budget_chars",
        }
    }

    /// What it is for this knowledge base.
    pub fn of_mut(self, kb: &mut KnowledgeBase) -> &mut Option<usize> {
        match self {
            Budget::Chars => &mut kb.budget_chars,
            Budget::Tokens => &mut kb.budget_tokens,
            Budget::SectionChars => &mut kb.section_budget_chars,
        }
    }
}

/// What becomes of a change that would exceed a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnOverBudget {
    /// It fails.
    #[default]
    Fail,
    /// A person decides.
    Review,
}

/// What becomes of a text with relative words that could not be resolved; the strictest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnHit {
    /// It is merged, with a mark.
    Warn,
    /// A person decides.
    Review,
    /// It fails.
    Fail,
}

/// What a knowledge base's relative path is relative to; the document may not lie outside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Root {
    /// Nothing: the path is absolute or begins with `~/`. The document may be a link to anywhere.
    #[default]
    None,
    /// The project of the session.
    Project,
    /// The user's home directory.
    Home,
}

/// Where a declaration comes from, so far as paths depend on it.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    /// The user's home directory (`~`), absolute.
    pub home: &'a Path,
    /// The root of the session's project, absolute.
    pub project: Option<&'a Path>,
    /// The session's working directory, absolute.
    pub cwd: &'a Path,
    /// The day it is there, `YYYY-MM-DD`, where that is known: what `{date}` means.
    pub today: Option<&'a str>,
}

/// The document a target means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// Its knowledge base, as an index into the list handed in.
    pub index: usize,
    /// Its knowledge base's name.
    pub name: String,
    /// The document as configured, absolute; may be a symbolic link, which is to be kept.
    pub path: PathBuf,
    /// The same with every link resolved: the document's key.
    pub canonical: PathBuf,
    /// The values of the variables of its knowledge base's path, for a family.
    pub values: Vec<String>,
}

impl Resolved {
    /// The target that means this document on any day.
    #[must_use]
    pub fn target(&self) -> Target {
        Target::Kb(family::join(&self.name, &self.values))
    }
}

/// Resolves every symbolic link of an existing path (`std::fs::canonicalize`). It says `NotFound` where nothing is. For a
/// link to nothing it may say what it wants: any error other than `NotFound` refuses the document.
pub type Canonicalise<'a> = &'a dyn Fn(&Path) -> io::Result<PathBuf>;

/// Finds the knowledge base a target belongs to, and its document.
///
/// # Errors
/// `unknown_target`, `path_escape`, `symlink_escape`, `no_project`, `bad_url`, `target_unreadable`.
pub fn resolve(
    target: &Target,
    kbs: &[KnowledgeBase],
    around: &Surroundings<'_>,
    canonicalise: Canonicalise<'_>,
) -> Result<Resolved, Problem> {
    let path = match target {
        Target::Kb(name) => {
            let (name, values) = family::split(name);
            let found = kbs.iter().enumerate().find(|(_, kb)| kb.name == *name);
            let (index, kb) = found.ok_or_else(|| unknown_name(name, kbs))?;
            return member(index, kb, &values, around, canonicalise);
        }
        Target::Path(path) => path.clone(),
        Target::Item(id) => {
            let problem = Problem::new(Code::ItemNotFound, format!("no managed document has an item {id}"));
            return Err(problem.hint("name its knowledge base beside it: `key: { kb: facts, item: … }`"));
        }
        Target::Url(url) => file_url(url).ok_or_else(|| {
            Problem::new(Code::BadUrl, format!("`{url}` is not a file URL with an absolute path"))
        })?,
    };
    let candidates = candidates(&path, around)?;
    for candidate in &candidates {
        if let Some(found) = by_path(candidate, kbs, around, canonicalise)? {
            return Ok(found);
        }
    }
    Err(Problem::new(Code::UnknownTarget, format!("`{path}` is not the document of a knowledge base"))
        .hint(listed(kbs)))
}

/// The document of one knowledge base.
///
/// # Errors
/// `no_project`, `path_escape`, `symlink_escape`, `target_unreadable`.
pub fn document(
    index: usize,
    kb: &KnowledgeBase,
    around: &Surroundings<'_>,
    canonicalise: Canonicalise<'_>,
) -> Result<Resolved, Problem> {
    member(index, kb, &[], around, canonicalise)
}

/// The member of a family that one of these paths names; `None` for a knowledge base that is one document.
#[must_use]
pub fn member_of(
    index: usize,
    kb: &KnowledgeBase,
    paths: &[&Path],
    around: &Surroundings<'_>,
    canonicalise: Canonicalise<'_>,
) -> Option<Resolved> {
    paths.iter().find_map(|path| {
        let values = member_at(kb, path, around)?;
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        member(index, kb, &values, around, canonicalise).ok()
    })
}

/// The document of a family with these values. Without any values: the document of a knowledge base that is one document,
/// or today's daily log.
fn member(
    index: usize,
    kb: &KnowledgeBase,
    values: &[&str],
    around: &Surroundings<'_>,
    canonicalise: Canonicalise<'_>,
) -> Result<Resolved, Problem> {
    let (path, values) = family::filled(&kb.name, &kb.path, values, around.today)?;
    let root = match kb.root {
        Root::None => None,
        Root::Home => Some(around.home),
        Root::Project => Some(around.project.ok_or_else(|| {
            Problem::new(
                Code::NoProject,
                format!("knowledge base `{}` belongs to a project, and there is none", kb.name),
            )
            .hint("run it inside the project, or name the document by its path there")
        })?),
    };
    let path = match root {
        Some(root) => below(root, Path::new(&path)).ok_or_else(|| escape(&path))?,
        None => absolute(&path, around.home).ok_or_else(|| {
            Problem::new(
                Code::PathEscape,
                format!("the path `{}` of knowledge base `{}` is relative", kb.path, kb.name),
            )
        })??,
    };
    let canonical = follow(&path, canonicalise)?;
    // A member of a family must also stay below the fixed part of its pattern: the file of a member cannot be a link to
    // another document.
    let fixed = pattern(kb, around).filter(|_| !values.is_empty());
    let fixed = fixed.as_deref().map(|pattern| Path::new(family::root(pattern)));
    for root in root.into_iter().chain(fixed) {
        stays_below(root, &path, &canonical, canonicalise)?;
    }
    Ok(Resolved { index, name: kb.name.clone(), path, canonical, values })
}

/// Refuses a document that a link leads out of this directory.
fn stays_below(
    root: &Path,
    path: &Path,
    canonical: &Path,
    canonicalise: Canonicalise<'_>,
) -> Result<(), Problem> {
    if canonical.starts_with(follow(root, canonicalise)?) {
        return Ok(());
    }
    let message =
        format!("`{}` leads out of {} to `{}`", path.display(), root.display(), canonical.display());
    Err(Problem::new(Code::SymlinkEscape, message)
        .hint("replace the link by the file, or give the knowledge base the absolute path"))
}

/// The path of a knowledge base as configured, absolute, with its variables unfilled; `None` where it belongs to a project
/// and there is none.
#[must_use]
pub fn pattern(kb: &KnowledgeBase, around: &Surroundings<'_>) -> Option<String> {
    let path = match kb.root {
        Root::None => absolute(&kb.path, around.home).and_then(Result::ok),
        Root::Home => below(around.home, Path::new(&kb.path)),
        Root::Project => around.project.and_then(|root| below(root, Path::new(&kb.path))),
    };
    path.and_then(|path| path.to_str().map(str::to_owned))
}

/// The values of a family's variables for the document with this path.
#[must_use]
pub fn member_values(kb: &KnowledgeBase, document: &Path, home: &Path) -> Option<Vec<String>> {
    if kb.root == Root::Project {
        // The project may be anywhere above: the names at the end of the path decide.
        let tail = kb.path.split('/').count();
        let parts: Vec<_> = document.components().collect();
        let end: PathBuf = parts.get(parts.len().checked_sub(tail)?..)?.iter().collect();
        return family::matched(&kb.path, end.to_str()?);
    }
    let around = Surroundings { home, project: None, cwd: home, today: None };
    member_at(kb, document, &around)
}

/// The directory and the file name of a family that has variables in the file's name only.
#[must_use]
pub fn family_directory(kb: &KnowledgeBase, home: &Path) -> Option<(PathBuf, String)> {
    let around = Surroundings { home, project: None, cwd: home, today: None };
    let pattern = pattern(kb, &around)?;
    let (dir, file) = pattern.rsplit_once('/')?;
    (family::is_family(file) && !family::is_family(dir)).then(|| (PathBuf::from(dir), file.to_owned()))
}

/// The directory that old documents of a family of days go to, and the file name there: also where none go now, because some
/// may have gone before.
#[must_use]
pub fn archive(kb: &KnowledgeBase, home: &Path) -> Option<(PathBuf, String)> {
    let (dir, file) = family_directory(kb, home)?;
    file.contains("{date}").then(|| (dir.join("archive"), file))
}

/// Where in its archive a document of a family of days lies once it is old.
#[must_use]
pub fn archived(kb: &KnowledgeBase, home: &Path, document: &Path) -> Option<PathBuf> {
    archived_and_values(kb, home, document).map(|(archived, _)| archived)
}

/// The same with the values of its name's variables.
fn archived_and_values(kb: &KnowledgeBase, home: &Path, document: &Path) -> Option<(PathBuf, Vec<String>)> {
    let (archive, file) = archive(kb, home)?;
    let name = document.file_name()?.to_str()?;
    let values = family::matched(&file, name).filter(|_| archive.parent() == document.parent())?;
    Some((archive.join(name), values))
}

/// The same where the document counts as one that lies there: it does, or it is so old that it will again, for what waits has an old day
/// brought back. `today`: a day, which may be the one before or after by another calendar.
pub fn as_archived(
    kb: &KnowledgeBase,
    home: &Path,
    document: &Path,
    today: &str,
    is_there: &dyn Fn(&Path) -> bool,
) -> Option<PathBuf> {
    let (archived, values) = archived_and_values(kb, home, document)?;
    let is_old = || {
        let newest = day_before(today, kb.keep_days?.max(1))?;
        values.into_iter().find(|value| is_day(value)).map(|day| day <= newest)
    };
    let counts = is_old() == Some(true) || is_there(&archived) && !is_there(document);
    counts.then_some(archived)
}

/// The directories of all of them.
pub fn archives<'k>(kbs: &'k [KnowledgeBase], home: &'k Path) -> impl Iterator<Item = PathBuf> + 'k {
    kbs.iter().filter_map(|kb| archive(kb, home)).map(|(dir, _)| dir)
}

/// The member of a family that a written path means.
fn member_at(kb: &KnowledgeBase, candidate: &Path, around: &Surroundings<'_>) -> Option<Vec<String>> {
    let pattern = pattern(kb, around).filter(|pattern| family::is_family(pattern))?;
    family::matched(&pattern, candidate.to_str()?)
}

/// What a written path may mean, absolute: a relative one is looked for in the project, then in the working directory.
fn candidates(path: &str, around: &Surroundings<'_>) -> Result<Vec<PathBuf>, Problem> {
    if let Some(absolute) = absolute(path, around.home) {
        return Ok(vec![absolute?]);
    }
    let roots = around.project.into_iter().chain([around.cwd]);
    let found: Vec<PathBuf> = roots.filter_map(|root| below(root, Path::new(path))).collect();
    if found.is_empty() { Err(escape(path)) } else { Ok(found) }
}

/// The path where it is absolute or begins with `~`; `None` when it is relative.
fn absolute(path: &str, home: &Path) -> Option<Result<PathBuf, Problem>> {
    if path == "~" {
        return Some(Ok(home.to_path_buf()));
    }
    if let Some(rest) = path.strip_prefix("~/") {
        return Some(below(home, Path::new(rest.trim_start_matches('/'))).ok_or_else(|| escape(path)));
    }
    Path::new(path).has_root().then(|| below(Path::new("/"), Path::new(path)).ok_or_else(|| escape(path)))
}

/// `path` below `root`, with `.` and `..` taken out; `None` when it climbs above the root.
fn below(root: &Path, path: &Path) -> Option<PathBuf> {
    let mut names = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => names.push(name),
            Component::ParentDir => {
                names.pop()?;
            }
            Component::CurDir => {}
            Component::RootDir if root.parent().is_none() => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(root.join(names.iter().collect::<PathBuf>()))
}

/// The knowledge base whose document is that file. One that cannot be resolved now (no project) is skipped.
fn by_path(
    candidate: &Path,
    kbs: &[KnowledgeBase],
    around: &Surroundings<'_>,
    canonicalise: Canonicalise<'_>,
) -> Result<Option<Resolved>, Problem> {
    let canonical = follow(candidate, canonicalise)?;
    let mut refused = None;
    for (index, kb) in kbs.iter().enumerate() {
        let found = match member_at(kb, candidate, around) {
            Some(values) => {
                let values: Vec<&str> = values.iter().map(String::as_str).collect();
                member(index, kb, &values, around, canonicalise)
            }
            None => document(index, kb, around, canonicalise),
        };
        match found {
            Ok(found) if found.canonical == canonical => return Ok(Some(found)),
            Ok(_) => {}
            Err(problem) if names(kb, candidate, around) => refused = Some(problem),
            Err(_) => {}
        }
    }
    refused.map_or(Ok(None), Err)
}

/// Whether the written path is that of the knowledge base, links not resolved: then why it was refused is the reason to
/// give.
fn names(kb: &KnowledgeBase, candidate: &Path, around: &Surroundings<'_>) -> bool {
    let written = pattern(kb, around).is_some_and(|path| Path::new(&path) == candidate);
    written || member_at(kb, candidate, around).is_some()
}

/// Resolves every link; of a path whose end does not exist yet, those of the part that exists.
fn follow(path: &Path, canonicalise: Canonicalise<'_>) -> Result<PathBuf, Problem> {
    let mut missing = Vec::new();
    let mut here = path;
    loop {
        match canonicalise(here) {
            Ok(found) => return Ok(missing.iter().rev().fold(found, |path, name| path.join(name))),
            Err(error) if is_missing(&error) => match (here.parent(), here.file_name()) {
                (Some(parent), Some(name)) => {
                    missing.push(name);
                    here = parent;
                }
                _ => return Ok(path.to_path_buf()),
            },
            Err(error) => {
                return Err(Problem::new(
                    Code::TargetUnreadable,
                    format!("`{}` cannot be looked at: {error}", here.display()),
                ));
            }
        }
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn escape(path: &str) -> Problem {
    Problem::new(Code::PathEscape, format!("`{path}` climbs out of where it starts"))
        .hint("write the path without `..`")
}

fn unknown_name(name: &str, kbs: &[KnowledgeBase]) -> Problem {
    let near = nearest(name, kbs.iter().map(|kb| kb.name.as_str()));
    let hint = suggestion(near) + &listed(kbs);
    Problem::new(Code::UnknownTarget, format!("there is no knowledge base `{name}`")).hint(hint)
}

fn listed(kbs: &[KnowledgeBase]) -> String {
    if kbs.is_empty() {
        return "the configuration has no knowledge bases".to_owned();
    }
    let names: Vec<&str> = kbs.iter().map(|kb| kb.name.as_str()).collect();
    format!("knowledge bases are: {}", names.join(", "))
}
