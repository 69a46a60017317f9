//! Keeps agents from writing managed documents by hand, and from commands that are hard to undo in a project whose documents
//! they have not read.

use super::git_index::{self, GitKnows};
use super::{Here, Seen, archive, links, other_projects, words};
use agents::{ByGit, Chosen, CopiedTree, HookEvent, How, Reply, ToolIntent, WrittenPath, plain};
use durable::FileKind;
use policy::knowledge_base::{self, KnowledgeBase, Resolved, Root};
use policy::settings::{Mode, Settings};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

/// What the guard says of a tool call.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Objection {
    /// A managed document would be written.
    Document(Mode, String),
    /// Something is to be read first: the project's documents before a risky command, or a document that the settings require
    /// before a change.
    Unread(Mode, String),
}

impl Objection {
    /// The answer.
    pub(super) fn reply(&self) -> Reply {
        if self.stops() {
            Reply::Deny(self.text().to_owned())
        } else {
            Reply::Context(self.text().to_owned())
        }
    }

    /// Whether the call is refused, and not only warned of.
    pub(super) fn stops(&self) -> bool {
        let (Objection::Document(mode, _) | Objection::Unread(mode, _)) = self;
        *mode == Mode::Block
    }

    /// What the agent is told.
    pub(super) fn text(&self) -> &str {
        let (Objection::Document(_, text) | Objection::Unread(_, text)) = self;
        text
    }
}

/// The documents of the knowledge bases, as far as they can be found from here.
pub(super) fn documents<'s>(here: Here<'_>, settings: &'s Settings) -> Vec<(&'s KnowledgeBase, Resolved)> {
    let project = here.project();
    let around = here.home.around(here.cwd, project.as_deref());
    let canonicalise = |path: &Path| here.canonical(path);
    let found = settings.knowledge_bases.iter().enumerate().filter_map(|(index, kb)| {
        Some((kb, knowledge_base::document(index, kb, &around, &canonicalise).ok()?))
    });
    found.collect()
}

/// The objection to a tool call that writes a managed document: that goes through the queue.
pub(super) fn documents_written(
    here: Here<'_>,
    settings: &Settings,
    event: &HookEvent,
    agent: &str,
    intent: &ToolIntent,
) -> Option<Objection> {
    let unseen = || intent.simple.iter().any(|command| command.not_looked_at().is_some());
    if settings.guard.documents == Mode::Off || (intent.written.is_empty() && !unseen()) {
        return None;
    }
    let changes: Vec<ChangedFile<'_>> =
        intent.written.iter().map(|written| ChangedFile::of(here, written)).collect();
    let object = |there: Here<'_>, program: &str| {
        let (kb, document, reached) = written(there, settings, intent, &changes)?;
        let whose = words::whose(agent, event.session.as_deref());
        let name = there.home.short(&document.path);
        let text = words::denied(program, kb, &name, &whose, reached.unwrap_or_default());
        Some(Objection::Document(settings.guard.documents, text))
    };
    let elsewhere = || {
        let to = intent.trees.iter().map(|tree| (How::Gone, tree.to.as_path()));
        let paths = changes.iter().flat_map(ChangedFile::paths).chain(to);
        other_projects::reached(here, settings, paths).into_iter().find_map(|project| {
            let seen = Seen::in_project(here.home, project.clone());
            let there = Here { home: here.home, cwd: &project, seen: &seen };
            object(there, &format!("cd {} && {}", crate::quoted(&project.to_string_lossy()), here.command()))
        })
    };
    object(here, &here.command()).or_else(elsewhere)
}

/// The first document, as they are found from a directory, that a tool call writes; and how, where that is known.
fn written<'s>(
    here: Here<'_>,
    settings: &'s Settings,
    intent: &ToolIntent,
    changes: &[ChangedFile<'_>],
) -> Option<(&'s KnowledgeBase, Resolved, Option<words::Reached>)> {
    let touched = documents(here, settings).into_iter().find_map(|(kb, document)| {
        let change = touching(here, changes, &document);
        let is_touched = change.is_some()
            || intent.trees.iter().any(|tree| {
                let paths = [&document.path, &document.canonical];
                paths.into_iter().any(|path| brings(here, tree, intent, path))
            })
            || is_named_unseen(intent, &document);
        is_touched.then(|| (kb, document, change.map(words::Reached::by)))
    });
    touched.or_else(|| member_written(here, settings, changes).map(|(kb, member)| (kb, member, None)))
}

/// Whether a part of the line that is too long or too deeply nested to be looked into names the document's file.
fn is_named_unseen(intent: &ToolIntent, document: &Resolved) -> bool {
    let names: Vec<_> = [&document.path, &document.canonical]
        .into_iter()
        .filter_map(|path| Some(path.file_name()?.to_string_lossy()))
        .collect();
    let mut unseen = intent.simple.iter().filter_map(agents::SimpleCommand::not_looked_at);
    unseen.any(|text| names.iter().any(|name| text.contains(name.as_ref())))
}

/// The objection to a shell that stays open, for agents that do not report what is typed into it later: a document could be
/// written from there.
pub(super) fn typed_unseen(here: Here<'_>, settings: &Settings, intent: &ToolIntent) -> Option<Objection> {
    let mode = settings.guard.documents;
    let opens = mode != Mode::Off && intent.simple.iter().any(agents::SimpleCommand::is_open_shell);
    opens.then(|| Objection::Document(mode, words::typed_unseen(&here.program())))
}

/// The objection to a risky command before the project's documents were read. `read`: the knowledge bases that this session was
/// shown.
pub(super) fn unread(
    here: Here<'_>,
    settings: &Settings,
    intent: &ToolIntent,
    read: &[String],
) -> Option<Objection> {
    if settings.guard.unread == Mode::Off {
        return None;
    }
    let command = agents::risk(&intent.commands)?;
    let documents = documents(here, settings);
    let unread = documents.iter().find(|(kb, document)| {
        kb.root == Root::Project
            && !read.contains(&kb.name)
            && here
                .home
                .disk
                .stat(&document.canonical)
                .is_ok_and(|stat| stat.is_some_and(|stat| stat.len > 0))
    });
    unread
        .map(|(kb, _)| Objection::Unread(settings.guard.unread, words::unread(&here.command(), &command, kb)))
}

/// The directories of a project in which a required document is looked for, in this order.
const DETAILS: [&str; 3] = ["", "memory-bank", "memory-bank/details"];

/// The required documents of this project, by name and path. One that the project does not have, or that is empty, is not
/// required.
fn required(here: Here<'_>, settings: &Settings) -> Vec<(String, PathBuf)> {
    if settings.guard.require.is_empty() {
        return Vec::new();
    }
    let Some(project) = here.project() else { return Vec::new() };
    let is_text = |path: &PathBuf| {
        let stat = here.home.disk.stat(path).ok().flatten();
        stat.is_some_and(|stat| stat.kind == FileKind::File && stat.len > 0)
    };
    let found = settings.guard.require.iter().filter_map(|name| {
        let path = DETAILS.iter().map(|dir| project.join(dir).join(name)).find(is_text)?;
        Some((name.clone(), path))
    });
    found.collect()
}

/// How the log of a session names a file that was read.
fn read_file(path: &Path) -> String {
    format!("file {}", path.display())
}

/// The objection to a change before the required documents were read. `read`: what this session was shown or has read.
pub(super) fn unprepared(
    here: Here<'_>,
    settings: &Settings,
    intent: &ToolIntent,
    read: &[String],
) -> Option<Objection> {
    if settings.guard.require.is_empty() {
        return None;
    }
    let project = here.project()?;
    let canonical = here.canonical(&project).ok();
    let is_inside = |written: &WrittenPath| {
        let roots = [Some(&project), canonical.as_ref()];
        roots.into_iter().flatten().any(|root| written.path.starts_with(root))
    };
    let risky = agents::risk(&intent.commands);
    let edited = || intent.written.iter().find(|written| is_inside(written));
    let (mode, what) = match &risky {
        Some(command) => (settings.guard.require_risky, format!("`{command}` is hard to undo")),
        None => {
            (settings.guard.require_edits, format!("{} is of this project", here.home.short(&edited()?.path)))
        }
    };
    if mode == Mode::Off {
        return None;
    }
    // At most calls all of them were read as files: then no knowledge base has to be found.
    let unread: Vec<(String, PathBuf)> =
        required(here, settings).into_iter().filter(|(_, path)| !read.contains(&read_file(path))).collect();
    if unread.is_empty() {
        return None;
    }
    let mut documents = documents(here, settings);
    documents.retain(|(kb, _)| read.contains(&kb.name));
    let was_shown = |path: &Path| {
        let path = as_read(path);
        let file = [ChangedFile::of(here, &path)];
        documents.iter().any(|(_, document)| any_touches(here, &file, document))
    };
    let unread: Vec<(String, PathBuf)> = unread.into_iter().filter(|(_, path)| !was_shown(path)).collect();
    // All are named at once, so that one command reads them.
    (!unread.is_empty()).then(|| Objection::Unread(mode, words::unprepared(&what, &unread)))
}

/// Programs that show a file.
const SHOWING: [&str; 9] = ["cat", "head", "tail", "less", "more", "bat", "nl", "sed", "batcat"];

/// The required documents that a tool call reads: by a tool that reads files, or by a program that shows one.
fn required_reads(here: Here<'_>, settings: &Settings, intent: &ToolIntent) -> Vec<String> {
    if settings.guard.require.is_empty() {
        return Vec::new();
    }
    let shown = |words: &Vec<String>| -> Vec<PathBuf> {
        let [program, arguments @ ..] = words.as_slice() else { return Vec::new() };
        let name = program.rsplit('/').next().unwrap_or(program);
        let shows = read_by_us(here, words).is_some() || SHOWING.contains(&name);
        arguments.iter().filter(|_| shows).map(|word| here.cwd.join(here.home.expand(word))).collect()
    };
    let by_commands = intent.commands.iter().flat_map(shown);
    let paths: Vec<PathBuf> = intent.read.iter().cloned().chain(by_commands).collect();
    if paths.is_empty() {
        return Vec::new();
    }
    let is_one = |path: &Path, wanted: &Path| {
        path == wanted
            || here.canonical(path).ok().is_some_and(|path| here.canonical(wanted).ok() == Some(path))
    };
    let required = required(here, settings);
    let read = required.iter().filter(|(_, wanted)| paths.iter().any(|path| is_one(path, wanted)));
    read.map(|(_, path)| read_file(path)).collect()
}

/// What a command names if it is `last-word read` of this home.
fn read_by_us<'w>(here: Here<'_>, words: &'w [String]) -> Option<&'w [String]> {
    let (program, arguments) = words.split_first()?;
    if !program.ends_with("last-word") {
        return None;
    }
    let is_read = |verb: &String| verb == "read";
    match arguments {
        [verb, rest @ ..] if is_read(verb) && here.named().is_none() => Some(rest),
        [option, home, verb, rest @ ..] if option == "--home" && is_read(verb) => {
            let home = agents::absolute(home, &here.home.user_home, here.cwd);
            (here.canonical(&home).ok() == here.canonical(here.home.layout().home()).ok()).then_some(rest)
        }
        _ => None,
    }
}

/// The first document of this home that the home in another directory manages as well.
pub(super) fn shared(here: Here<'_>, settings: &Settings, other: &Path) -> Option<PathBuf> {
    let other = here.home.another(other);
    let theirs = other.settings().ok()?;
    let there = Here { home: &other, cwd: here.cwd, seen: &Seen::new(&other) };
    let managed = documents(there, &theirs);
    let ours = documents(here, settings);
    let same = |document: &Resolved| managed.iter().any(|(_, other)| other.canonical == document.canonical);
    ours.into_iter().find(|(_, document)| same(document)).map(|(_, document)| document.canonical)
}

/// The document of a family that a tool call would write. It may not exist yet, so the paths are held against the family's
/// pattern.
fn member_written<'s>(
    here: Here<'_>,
    settings: &'s Settings,
    changes: &[ChangedFile<'_>],
) -> Option<(&'s KnowledgeBase, Resolved)> {
    let project = here.project();
    let around = here.home.around(here.cwd, project.as_deref());
    let canonicalise = |path: &Path| here.canonical(path);
    let families = settings.knowledge_bases.iter().enumerate();
    let mut families = families.filter(|(_, kb)| policy::family::is_family(&kb.path));
    families.find_map(|(index, kb)| {
        let pattern = knowledge_base::pattern(kb, &around)?;
        let dir = Path::new(policy::family::root(&pattern));
        let canonical_dir = here.canonical(dir).ok();
        changes.iter().find_map(|change| {
            let paths = [Some(&change.path), change.resolved.as_ref().map(|resolved| &resolved.path)];
            let paths: Vec<&Path> = paths.into_iter().flatten().map(PathBuf::as_path).collect();
            let member = knowledge_base::member_of(index, kb, &paths, &around, &canonicalise);
            let member = member.filter(|found| !found.values.is_empty());
            // All members, or one whose name is not known from the text.
            let dirs = [Some(dir), canonical_dir.as_deref()];
            let is_any = dirs.into_iter().flatten().any(|dir| change.is_any_in(dir));
            let any = || Resolved {
                index,
                name: kb.name.clone(),
                path: PathBuf::from(&pattern),
                canonical: PathBuf::from(&pattern),
                values: Vec::new(),
            };
            let is_any = is_any || change.may_be_any(Path::new(&pattern));
            let found = member.or_else(|| is_any.then(any)).or_else(|| archived_day(here, index, kb, change));
            Some((kb, found?))
        })
    })
}

/// The old day of a family in its `archive/` that a tool call would write, or all of them.
fn archived_day(
    here: Here<'_>,
    index: usize,
    kb: &KnowledgeBase,
    change: &ChangedFile<'_>,
) -> Option<Resolved> {
    let (dir, file) = knowledge_base::archive(kb, &here.home.user_home)?;
    let dirs = [here.canonical(&dir).ok(), Some(dir)];
    let is_day = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str());
        let is_beside = dirs.iter().flatten().any(|dir| path.parent() == Some(dir.as_path()));
        is_beside && name.is_some_and(|name| policy::family::matched(&file, name).is_some())
    };
    let day = change.paths().map(|(_, path)| path).find(|path| is_day(path)).map(Path::to_owned);
    let is_any = |dir: &&PathBuf| change.is_any_in(dir) || change.may_be_any(&dir.join(&file));
    let all = || dirs.iter().flatten().find(is_any).map(|dir| dir.join(&file));
    let path = day.or_else(all)?;
    Some(Resolved { index, name: kb.name.clone(), canonical: path.clone(), path, values: Vec::new() })
}

/// The knowledge bases a tool call reads: by a tool that reads files, or by `last-word read`.
pub(crate) fn reads(here: Here<'_>, settings: &Settings, intent: &ToolIntent) -> Vec<String> {
    let by_command = intent.commands.iter().filter_map(|words| read_by_us(here, words)?.first().cloned());
    let mut names: Vec<String> = by_command.filter(|name| settings.knowledge_base(name).is_some()).collect();
    if !intent.read.is_empty() {
        let documents = documents(here, settings);
        let paths: Vec<WrittenPath> = intent.read.iter().map(|path| as_read(path)).collect();
        let read: Vec<ChangedFile<'_>> = paths.iter().map(|path| ChangedFile::of(here, path)).collect();
        let is_read = |document: &Resolved| any_touches(here, &read, document);
        names.extend(
            documents.iter().filter(|(_, document)| is_read(document)).map(|(kb, _)| kb.name.clone()),
        );
    }
    names.extend(required_reads(here, settings, intent));
    names
}

/// A path that a tool call would change, with what the disk says of it, so that the disk is asked once: there may be a thousand
/// such paths, and each is held against every document.
struct ChangedFile<'w> {
    written: Cow<'w, WrittenPath>,
    /// With `.` and `..` removed, without looking at the disk.
    path: PathBuf,
    /// With links resolved; for `How::Below` those of its directory only.
    resolved: Option<WrittenPath>,
    identity: Option<FileIdentity>,
    /// Where the links lead that it means, where it is a pattern.
    led: OnceCell<Vec<PathBuf>>,
}

/// Device and inode of a file.
type FileIdentity = (u64, u64);

impl<'w> ChangedFile<'w> {
    fn of(here: Here<'_>, written: &'w WrittenPath) -> ChangedFile<'w> {
        let written = in_all_of_its_repository(here, written);
        let path = plain(&written.path);
        let canonical = match (written.how, written.path.parent(), written.path.file_name()) {
            (How::Below, Some(dir), Some(name)) => here.canonical(dir).ok().map(|dir| dir.join(name)),
            _ => here.canonical(&written.path).ok(),
        };
        let resolved = canonical.map(|path| WrittenPath { path, ..written.clone().into_owned() });
        let identity = identity(here, &written.path);
        ChangedFile { written, path, resolved, identity, led: OnceCell::new() }
    }

    /// Where it is, by its text and with links resolved, and how far it reaches.
    fn paths(&self) -> impl Iterator<Item = (How, &Path)> + Clone {
        let resolved = self.resolved.as_ref().map(|resolved| resolved.path.as_path());
        let how = self.written.how;
        [Some(self.path.as_path()), resolved].into_iter().flatten().map(move |path| (how, path))
    }

    /// Whether the change reaches a document: by the text of the paths, through links, or as a hard link to the same file.
    fn touches(&self, here: Here<'_>, document: &Resolved, identity: Option<FileIdentity>) -> bool {
        let reaches =
            |written: &WrittenPath| written.reaches(&document.path) || written.reaches(&document.canonical);
        let is_reached = reaches(&self.written)
            || self.resolved.as_ref().is_some_and(reaches)
            || self.written.how == How::Here && self.identity.is_some() && self.identity == identity
            || self.led.get_or_init(|| links::led_to(here, &self.written)).contains(&document.canonical);
        is_reached && is_meant(here, &self.written.chosen, document) || self.is_untold(document)
    }

    /// Whether its name is that of the document and its directory is not known from the text: `$D/AGENTS.md`.
    fn is_untold(&self, document: &Resolved) -> bool {
        let text = self.path.to_string_lossy();
        // `$(find . -name AGENTS.md | head -1)`.
        let mut named = text.split([' ', '(', ')', '"', '\'', '`', '/']);
        let searched = text.contains("$(")
            && document.path.file_name().is_some_and(|name| named.any(|word| name == word));
        let begins = text.rsplit('/').skip(1).any(|part| part.contains(['$', '`']));
        searched
            || begins && self.path.file_name().is_some_and(|name| Some(name) == document.path.file_name())
    }

    /// Whether it is a pattern that may mean a document whose variables (`{date}`) may have any value.
    fn may_be_any(&self, family: &Path) -> bool {
        let family = PathBuf::from(any_value(&family.to_string_lossy()));
        let written = [Some(&*self.written), self.resolved.as_ref()];
        written.into_iter().flatten().any(|written| written.may_reach_any(&family))
    }

    /// Whether it removes a directory, or is a file in it whose name is a pattern or not known from the text.
    fn is_any_in(&self, dir: &Path) -> bool {
        let is_unknown = |path: &Path| {
            path.parent() == Some(dir)
                && path.file_name().is_some_and(|name| name.to_string_lossy().contains(['*', '?', '$', '`']))
        };
        let takes = self.written.how == How::Gone
            && (self.written.reaches(dir)
                || self.resolved.as_ref().is_some_and(|resolved| dir.starts_with(&resolved.path)));
        let resolved = self.resolved.as_ref();
        // Any file below: a member of a family may be among them.
        let member = dir.join("any.md");
        let chosen = &self.written.chosen;
        let below = self.written.how == How::Below
            && (chosen.git == ByGit::Any && chosen.with.is_none() && chosen.ignored_by.is_empty())
            && !chosen.empty
            && (self.written.reaches(&member)
                || self.resolved.as_ref().is_some_and(|path| path.reaches(&member)));
        takes
            || below
            || is_unknown(&self.path)
            || resolved.is_some_and(|resolved| is_unknown(&resolved.path))
    }
}

/// The path of a family with `*` in place of its variables.
fn any_value(pattern: &str) -> String {
    let mut parts = pattern.split('{');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |path, part| format!("{path}*{}", part.split_once('}').map_or(part, |(_, rest)| rest)))
}

/// A change of all that is not committed in a repository reaches from its root, wherever it is asked for.
fn in_all_of_its_repository<'w>(here: Here<'_>, written: &'w WrittenPath) -> Cow<'w, WrittenPath> {
    let everywhere = matches!(
        written.chosen.git,
        ByGit::Uncommitted { everywhere: true } | ByGit::Either { everywhere: true }
    );
    let root = || git_index::root_of(&*here.home.disk, &plain(&written.path));
    match everywhere.then(root).flatten() {
        Some(root) => Cow::Owned(WrittenPath { path: root.join("*"), ..written.clone() }),
        None => Cow::Borrowed(written),
    }
}

/// Whether a document is among the files that a command chooses from those it reaches, as far as the disk tells.
fn is_meant(here: Here<'_>, chosen: &Chosen, document: &Resolved) -> bool {
    let disk = &*here.home.disk;
    let has_text = |text: &String| {
        let read = disk.read(&document.canonical, ::documents::DOCUMENT_BYTES_MAX);
        read.map_or(true, |bytes| String::from_utf8_lossy(&bytes).contains(text.as_str()))
    };
    let by_git = || {
        let known = git_index::of(here, &document.canonical);
        match chosen.git {
            ByGit::Any => true,
            ByGit::Uncommitted { .. } => matches!(known, Some(GitKnows::Changed | GitKnows::Untold)),
            ByGit::Untracked { ignored: true } => {
                matches!(known, Some(GitKnows::Untracked { .. } | GitKnows::Untold))
            }
            ByGit::Untracked { ignored: false } => {
                matches!(known, Some(GitKnows::Untracked { ignored: false } | GitKnows::Untold))
            }
            ByGit::Either { .. } => matches!(
                known,
                Some(GitKnows::Changed | GitKnows::Untracked { ignored: false } | GitKnows::Untold)
            ),
        }
    };
    let is_empty = || disk.stat(&document.canonical).ok().flatten().is_none_or(|stat| stat.len == 0);
    let name = document.path.file_name().unwrap_or_default().to_string_lossy();
    let is_packed = |file: &PathBuf| {
        archive::names(disk, file).is_none_or(|names| names.iter().any(|one| one.eq_ignore_ascii_case(&name)))
    };
    chosen.with.as_ref().is_none_or(has_text)
        && (!chosen.empty || is_empty())
        && chosen.archive.as_ref().is_none_or(is_packed)
        && by_git()
        && !is_ignored(here, chosen, document)
}

/// Largest file that is looked into for what a formatter leaves alone, in bytes.
const IGNORE_BYTES_MAX: u64 = 256 << 10;

/// Whether a person's file says that a formatter leaves a document alone: it names the document, or all of Markdown.
fn is_ignored(here: Here<'_>, chosen: &Chosen, document: &Resolved) -> bool {
    let Some(name) = document.path.file_name().map(|name| name.to_string_lossy().into_owned()) else {
        return false;
    };
    let root = here.project().unwrap_or_else(|| here.cwd.to_owned());
    let dirs = [root.as_path(), here.cwd];
    let files = dirs.into_iter().flat_map(|dir| chosen.ignored_by.iter().map(move |file| dir.join(file)));
    let says_so = |file: PathBuf| {
        let text = here.home.disk.read(&file, IGNORE_BYTES_MAX).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).into_owned();
        text.contains(&name) || text.lines().any(|line| matches!(line.trim(), "*.md" | "**/*.md" | "*"))
    };
    files.into_iter().any(says_so)
}

fn identity(here: Here<'_>, path: &Path) -> Option<FileIdentity> {
    let stat = here.home.disk.stat(path).ok().flatten()?;
    Some((stat.device, stat.inode))
}

/// Whether a directory that is copied has something that would come to this path: on the disk, or because the same line writes it
/// there. A directory that does not exist yet may have anything in it.
pub(super) fn brings(here: Here<'_>, tree: &CopiedTree, intent: &ToolIntent, target: &Path) -> bool {
    let Some(source) = tree.source_of(target).map(|source| plain(&source)) else { return false };
    let is_there = |path: &Path| here.home.disk.stat(path).is_ok_and(|stat| stat.is_some());
    let is_source = |written: &WrittenPath| {
        written.path.starts_with(&source) || written.how == How::Here && written.reaches(&source)
    };
    source != target && (is_there(&source) || !is_there(&tree.from) || intent.written.iter().any(is_source))
}

/// A path that a tool reads, in the form in which changes are compared with documents.
fn as_read(path: &Path) -> WrittenPath {
    WrittenPath::of(path.to_owned(), How::Here)
}

/// The change of a file that reaches a document.
fn touching<'f>(
    here: Here<'_>,
    files: &'f [ChangedFile<'_>],
    document: &Resolved,
) -> Option<&'f WrittenPath> {
    let identity = identity(here, &document.canonical);
    files.iter().find(|file| file.touches(here, document, identity)).map(|file| &*file.written)
}

/// Whether one of these files is the document.
fn any_touches(here: Here<'_>, files: &[ChangedFile<'_>], document: &Resolved) -> bool {
    touching(here, files, document).is_some()
}
