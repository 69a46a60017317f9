//! `drift`: checks the documents of a repository against its files, and proposes corrections, which need a person's yes. Only
//! proposals need a home: a repository without one can be checked too, for example in CI.

mod git;
mod past;

pub(crate) use git::{ObjectId, committed, has_committed_since, head_of, noted};

use crate::output::{DriftReport, DriftedLine, UnreadPath};
use crate::{Caller, Declared, EntryFields, Failure, Home};
use declaration::{Target, Timestamp, Trust};
use documents::DOCUMENT_BYTES_MAX;
use drift::{CheckedDocument, DriftCheck, Ignored, Past, Tree, is_about_now};
use durable::FileKind;
use past::Commits;
use policy::knowledge_base::Root;
use queue_layout::JobId;
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Files of a repository that are listed; of a larger one, what is missing is not decided.
const FILES_MAX: usize = 50_000;
/// The same for `status`, which is asked often: a larger repository is left to `drift`.
const STATUS_FILES_MAX: usize = 5_000;
/// A screen that is shown again and again looks for drift again after so many milliseconds: each look lists a whole project.
const LOOKED_AGAIN_MS: u64 = 30_000;
/// Largest file that is looked into, in bytes; a document may be as large as one that is managed.
const FILE_BYTES_MAX: u64 = 4 << 20;
/// Directories that are skipped, even if version control has them.
const SKIPPED: [&str; 8] = [".git", "node_modules", "target", ".venv", "venv", "__pycache__", ".tox", ".hg"];
/// Directories whose texts are data and not documents.
const DATA: [&str; 10] = [
    "fixtures",
    "testdata",
    "test-data",
    "__fixtures__",
    "snapshots",
    "__snapshots__",
    "vendor",
    "third_party",
    "tests",
    "test",
];

/// What had drifted when it was looked at last.
#[derive(Debug, Clone, Default)]
pub struct DriftFollower {
    at: Option<Timestamp>,
    lines: Vec<DriftedLine>,
}

impl Home {
    /// Checks a document, or all documents below a directory, against their repository; all documents of the project if nothing is
    /// named.
    ///
    /// # Errors
    /// The named file or directory does not exist.
    pub fn drift(&self, named: Option<&Path>, cwd: &Path) -> Result<DriftReport, Failure> {
        let start = named.map_or_else(|| cwd.to_owned(), |path| cwd.join(path));
        let stat = self.disk.stat(&start)?;
        let Some(stat) = stat else {
            return Err(Failure::new(format!("{} is not there", self.short(&start))));
        };
        let is_file = stat.kind == FileKind::File;
        let dir = if is_file { start.parent().unwrap_or(cwd) } else { &start };
        let root = self.project(dir).unwrap_or_else(|| dir.to_owned());
        let listing = self.listing(&root, FILES_MAX);
        let inside = |path: &str| root.join(path).starts_with(&start);
        let documents: Vec<String> = match is_file {
            true => vec![relative(&root, &start)],
            false => {
                // A link says what the document says to which it leads, and is read from there.
                let of_tree = listing.tree.files().filter(|path| is_document(path) && inside(path));
                let of_tree = of_tree.filter(|path| !listing.links.contains(*path));
                of_tree.map(str::to_owned).collect()
            }
        };
        // What is open to others tells us nothing of what was.
        let asks_commits = self.project(&root).is_some_and(|project| project == root);
        let unlisted = listing.unread.iter().filter(|unread| inside(&unread.path)).cloned().collect();
        let mut report = self.held_against(root.clone(), &listing, &documents, asks_commits);
        report.unread = [report.unread, unlisted].concat();
        Ok(report)
    }

    /// The same for the documents of this home that belong to the project here: what `status` says, which asks no commits to be quick.
    #[must_use]
    pub fn drifted(&self, cwd: &Path) -> Vec<DriftedLine> {
        let (Some(project), Ok(settings)) = (self.project(cwd), self.settings()) else { return Vec::new() };
        let of_project = settings.knowledge_bases.iter();
        let of_project = of_project.filter(|kb| kb.root == Root::Project || kb.copy_of.is_some());
        let documents: Vec<String> = of_project
            .flat_map(|kb| self.documents_of(kb, cwd, Some(&project), &settings))
            .filter(|managed| managed.path.starts_with(&project))
            .map(|managed| relative(&project, &managed.path))
            .collect();
        if documents.is_empty() {
            return Vec::new();
        }
        let listing = self.listing(&project, STATUS_FILES_MAX);
        self.held_against(project, &listing, &documents, false).lines
    }

    /// The same for who asks again and again: as it was found at most half a minute ago.
    pub fn drifted_lately<'f>(&self, cwd: &Path, follower: &'f mut DriftFollower) -> &'f [DriftedLine] {
        let now = self.now();
        if follower.at.is_none_or(|at| now < at || now.since_ms(at) >= LOOKED_AGAIN_MS) {
            *follower = DriftFollower { at: Some(now), lines: self.drifted(cwd) };
        }
        &follower.lines
    }

    /// Proposes a change for each finding in a managed document: the statement is replaced by what is true now, or, if that is not
    /// known, gets a mark beside it. Each proposal waits for a yes, and is made only once.
    ///
    /// # Errors
    /// A disk error.
    pub fn propose_drift(&self, caller: &Caller, report: &DriftReport) -> Result<Vec<JobId>, Failure> {
        let settings = self.settings()?;
        let mut jobs = Vec::new();
        for line in &report.lines {
            let path = report.root.join(&line.path);
            let target = Target::Path(path.display().to_string());
            // Only managed documents are changed.
            let Ok(found) = self.resolve_target(&target, &report.root, &settings) else { continue };
            // What stands in a copy is to be mended in its source, or moved out of it.
            if line.finding.check == DriftCheck::Copy {
                continue;
            }
            let Some(text) = self.text(&path) else { continue };
            let Some(fields) = proposal(line, &text, &found.target()) else { continue };
            let key = format!("drift {} {} {}", line.path, line.finding.says, line.finding.line);
            let declared = Declared::new().declaration("the proposal", fields.declaration()?).key(Some(key));
            // A line that cannot be addressed, for example below a heading that occurs twice, gets no proposal.
            if let Ok(made) = self.enqueue(&Caller { trust: Trust::Tool, ..caller.clone() }, declared) {
                jobs.extend(made.into_iter().filter(|made| made.new).map(|made| made.id));
            }
        }
        Ok(jobs)
    }

    fn held_against(
        &self,
        root: PathBuf,
        listing: &Listing,
        documents: &[String],
        asks_commits: bool,
    ) -> DriftReport {
        let today = self.moment().day();
        let tree = &listing.tree;
        // A link of the repository's must not lead out of it: a finding quotes what stands there.
        let is_inside = |path: &str| {
            let is_plain = tree.is_file(path) && !listing.links.contains(path);
            is_plain || self.disk.is_within(&root.join(path), &root)
        };
        let read = |path: &str| is_inside(path).then(|| self.text(&root.join(path))).flatten();
        let git = root.join(".git");
        let history = Commits::of(&*self.disk, &git, &read);
        let past = asks_commits.then_some(&history as &dyn Past);
        let (mut lines, mut unread) = (Vec::new(), Vec::new());
        for path in documents {
            let text = match self.document_text(&root.join(path), is_inside(path)) {
                Ok(text) => text,
                Err(why) => {
                    unread.push(UnreadPath { path: path.clone(), why });
                    continue;
                }
            };
            let found = drift::drift(&CheckedDocument { path, text: &text }, tree, &read, past, &today);
            lines.extend(found.into_iter().map(|finding| DriftedLine { path: path.clone(), finding }));
        }
        let looked_at = documents.len() - unread.len();
        DriftReport { documents: looked_at, whole: tree.is_complete(), unread, lines, root }
    }

    /// The text of a document, or why it is not looked at.
    fn document_text(&self, path: &Path, is_inside: bool) -> Result<String, String> {
        if !is_inside {
            return Err("it leads out of the repository".to_owned());
        }
        let bytes = self.disk.read(path, DOCUMENT_BYTES_MAX).map_err(|e| match e.kind() {
            ErrorKind::FileTooLarge => format!("it is larger than {DOCUMENT_BYTES_MAX} bytes"),
            ErrorKind::NotFound => "it is not there".to_owned(),
            _ => e.source.to_string(),
        })?;
        String::from_utf8(bytes).map_err(|_| "it is no text in UTF-8".to_owned())
    }

    fn text(&self, path: &Path) -> Option<String> {
        String::from_utf8(self.disk.read(path, FILE_BYTES_MAX).ok()?).ok()
    }

    /// The files of a repository, without ignored ones and those of repositories inside of it.
    fn listing(&self, root: &Path, most: usize) -> Listing {
        let mut ignored = Ignored::default();
        ignored.add_submodules(&self.own_text(&root.join(".gitmodules")).unwrap_or_default());
        let (mut files, mut links, mut unread) = (Vec::new(), BTreeSet::new(), Vec::new());
        let mut rest = vec![root.to_owned()];
        while let Some(dir) = rest.pop() {
            let here = relative(root, &dir);
            let mut below = match self.disk.list(&dir) {
                Ok(below) => below,
                Err(e) => {
                    unread.push(UnreadPath { path: here.clone(), why: e.source.to_string() });
                    // What is below it may be there.
                    ignored.add_repository(&here);
                    continue;
                }
            };
            below.sort();
            if !here.is_empty() && below.iter().any(|name| name == ".git") {
                ignored.add_repository(&here);
                continue;
            }
            if let Some(text) = self.own_text(&dir.join(".gitignore")) {
                ignored.add(&here, &text);
            }
            for name in below {
                let path = dir.join(&name);
                let skipped = || {
                    let is_left_out =
                        |name: &str| SKIPPED.contains(&name) || ignored.has(&relative(root, &path));
                    name.to_str().is_none_or(is_left_out)
                };
                match self.disk.stat_link(&path).ok().flatten().map(|stat| stat.kind) {
                    Some(FileKind::Directory) if !skipped() => rest.push(path),
                    Some(FileKind::Directory) | None => {}
                    kind => {
                        // A symbolic link counts as a file, wherever it leads.
                        let path = relative(root, &path);
                        if kind != Some(FileKind::File) {
                            links.insert(path.clone());
                        }
                        if kind == Some(FileKind::Other) && is_document(&path) {
                            unread.push(UnreadPath { path: path.clone(), why: NO_FILE.to_owned() });
                        }
                        files.push(path);
                    }
                }
            }
            if files.len() > most {
                return Listing { tree: Tree::new(files, false), links, unread };
            }
        }
        Listing { tree: Tree::new(files, true).ignoring(ignored), links, unread }
    }

    /// The text of a file that is no link.
    fn own_text(&self, path: &Path) -> Option<String> {
        let stat = self.disk.stat_link(path).ok().flatten();
        stat.filter(|stat| stat.kind == FileKind::File).and_then(|_| self.text(path))
    }
}

/// A repository as it was walked through.
struct Listing {
    tree: Tree,
    /// Those of its files that are symbolic links, or no files in the ordinary sense.
    links: BTreeSet<String>,
    /// What could not be looked into.
    unread: Vec<UnreadPath>,
}

/// Why a pipe or a device is not looked at.
const NO_FILE: &str = "it is no ordinary file";

/// A path below a root, with `/`.
fn relative(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned()
}

/// Whether a file is a document that describes the present.
fn is_document(path: &str) -> bool {
    let is_markdown = [".md", ".markdown"].iter().any(|ending| path.to_lowercase().ends_with(ending));
    is_markdown && is_about_now(path) && !path.split('/').any(|part| DATA.contains(&part))
}

/// The entry that proposes to replace one line in its section.
fn proposal(line: &DriftedLine, text: &str, target: &Target) -> Option<EntryFields> {
    let finding = &line.finding;
    let old = text.lines().nth(finding.line.checked_sub(1)?)?;
    let new = match &finding.now {
        Some(now) => old.replacen(&finding.says, now, 1),
        None => marked(old, &format!("<!-- drift: {} -->", finding.why)),
    };
    let sections = markdown_merge::sections(text).ok()?;
    let section = sections.iter().rev().find(|section| section.line <= finding.line)?;
    let Target::Kb(name) = target else { return None };
    (new != old && section.level > 0).then(|| EntryFields {
        to: name.clone(),
        heading: section.heading.clone(),
        level: Some(i64::from(section.level)),
        op: Some("replace".to_owned()),
        content: Some(new.trim().to_owned()),
        old_text: Some(old.trim().to_owned()),
        reason: Some(format!("drift: {}", finding.why)),
        trust: Some(Trust::Tool),
        ..EntryFields::default()
    })
}

/// Adds a mark at the end of a line: before the id of an item, and inside of the last cell of a table's row.
fn marked(line: &str, mark: &str) -> String {
    let line = line.trim_end();
    if let Some(row) = line.strip_suffix('|') {
        return format!("{} {mark} |", row.trim_end());
    }
    match line.rsplit_once(" ^") {
        Some((text, id)) if id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') => {
            format!("{text} {mark} ^{id}")
        }
        _ => format!("{line} {mark}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_keeps_the_line_what_it_is() {
        for (line, expected) in [
            ("- x `a/b.c`", "- x `a/b.c` <!-- m -->"),
            ("- x ^aaaaaaaa", "- x <!-- m --> ^aaaaaaaa"),
            ("| a | b |", "| a | b <!-- m --> |"),
        ] {
            assert_eq!(marked(line, "<!-- m -->"), expected);
        }
    }

    #[test]
    fn data_and_other_times_are_no_documents() {
        for path in ["fixtures/a.md", "a/tests/b.md", "CHANGELOG.md", "src/a.rs"] {
            assert!(!is_document(path), "{path}");
        }
        assert!(is_document("docs/a.md") && is_document("README.MD"));
    }
}
