//! The rules that keep the house livable, held against its own files: who may use whom, who may print, read the clock,
//! build paths, touch the disk. What would be said twice in a review is said here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The longest a function gets.
const FUNCTION_LINES_MAX: usize = 70;

/// Functions that are longer all the same: `file: function`. This list only gets shorter.
const LONGER: [&str; 0] = [];

/// The directories whose names only `queue-layout` puts into paths.
const STATE_DIRS: [&str; 10] =
    ["tmp", "pending", "deferred", "processing", "staging", "holds", "sessions", "keys", "journal", "locks"];

// ---- sources ----

struct Source {
    /// Relative to the root.
    path: String,
    text: String,
}

impl Source {
    /// The folder at the root it is in.
    fn folder(&self) -> &str {
        self.path.split('/').next().unwrap()
    }

    fn is_test(&self) -> bool {
        self.path.split('/').any(|part| matches!(part, "tests" | "benches" | "examples" | "fuzz"))
    }

    /// The code that ships: no comments, no test module.
    fn code(&self) -> String {
        let shipped = self.text.split("#[cfg(test)]").next().unwrap();
        shipped.lines().map(without_comment).collect::<Vec<_>>().join("\n")
    }

    /// Each line of the shipping code that has one of these, as `path:line: text`.
    fn lines_with(&self, words: &[&str]) -> Vec<String> {
        let code = self.code();
        let found = code.lines().enumerate().filter(|(_, line)| words.iter().any(|word| line.contains(word)));
        found.map(|(n, line)| format!("{}:{}: {}", self.path, n + 1, line.trim())).collect()
    }
}

/// Good enough for code that rustfmt has seen: `//` outside a string ends the line.
fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    let bytes = line.as_bytes();
    for at in 0..bytes.len() {
        match bytes[at] {
            b'"' if at == 0 || bytes[at - 1] != b'\\' => quoted = !quoted,
            b'/' if !quoted && bytes.get(at + 1) == Some(&b'/') => return &line[..at],
            _ => {}
        }
    }
    line
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every file of the project with this ending; no build output, nothing hidden.
fn files(ending: &str) -> Vec<Source> {
    let mut found = Vec::new();
    walk(&root(), ending, &mut found);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn walk(dir: &Path, ending: &str, found: &mut Vec<Source>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            if name != "target" && !name.starts_with('.') && !name.starts_with("demo-home") {
                walk(&path, ending, found);
            }
        } else if name.ends_with(ending)
            && let Ok(text) = fs::read_to_string(&path)
        {
            let path = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
            found.push(Source { path, text });
        }
    }
}

fn shipped() -> Vec<Source> {
    let mut sources = files(".rs");
    sources.retain(|source| !source.is_test());
    assert!(sources.len() > 50, "the sources are not where this test looks for them");
    sources
}

/// What a rule finds, and nothing else.
#[track_caller]
fn assert_none(rule: &str, found: Vec<String>) {
    assert!(found.is_empty(), "{rule}:\n  {}", found.join("\n  "));
}

/// Sources outside these folders (or files) must not have these words in their code.
#[track_caller]
fn only(allowed: &[&str], rule: &str, words: &[&str]) {
    let sources = shipped();
    let others = sources
        .iter()
        .filter(|source| !allowed.contains(&source.folder()) && !allowed.contains(&source.path.as_str()));
    assert_none(rule, others.flat_map(|source| source.lines_with(words)).collect());
}

// ---- who may use whom ----

/// The dependencies of a crate on crates of the workspace, tests' aside.
fn uses(folder: &str) -> BTreeSet<String> {
    let manifest = fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
    let section = manifest.split("\n[dependencies]\n").nth(1).unwrap_or("").split("\n[").next().unwrap();
    let names = section.lines().filter_map(|line| line.split(['.', ' ', '=']).next());
    let ours = members();
    names.map(str::to_owned).filter(|name| ours.contains(name) || name == "last-word").collect()
}

fn members() -> BTreeSet<String> {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let list = manifest.split("members = [").nth(1).unwrap().split(']').next().unwrap();
    list.split(',')
        .map(|name| name.trim().trim_matches('"').to_owned())
        .filter(|name| !name.is_empty())
        .collect()
}

/// ARCHITECTURE.md's table: folder, what it may use.
fn house_plan() -> BTreeMap<String, BTreeSet<String>> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let rows =
        text.lines().filter_map(|line| line.strip_prefix("| `")).filter_map(|row| row.split_once("/` |"));
    let cells = rows.map(|(folder, rest)| {
        (folder.to_owned(), rest.trim_end_matches(['|', ' ']).rsplit('|').next().unwrap())
    });
    let listed =
        |cell: &str| cell.split(',').map(|name| name.trim().to_owned()).filter(|name| name != "–").collect();
    cells.map(|(folder, cell)| (folder, listed(cell))).collect()
}

#[test]
fn crates_use_what_the_plan_says() {
    let plan = house_plan();
    for member in members() {
        let planned = plan.get(&member).unwrap_or_else(|| panic!("{member} has no row in ARCHITECTURE.md"));
        assert_eq!(&uses(&member), planned, "{member}: Cargo.toml against the table of ARCHITECTURE.md");
    }
}

#[test]
fn some_never_know_each_other() {
    for (one, other) in [
        ("producer", "worker"),
        ("worker", "producer"),
        ("queue-layout", "policy"),
        ("durable", "declaration"),
    ] {
        assert!(!uses(one).contains(other), "{one} knows {other}");
    }
    for member in members() {
        assert!(!uses(&member).contains("last-word"), "{member} depends on the binary");
    }
    assert_eq!(uses("markdown-merge"), BTreeSet::new(), "markdown-merge is usable alone");
    for pure in ["declaration", "policy", "agents"] {
        assert!(!uses(pure).contains("durable"), "{pure} is pure");
    }
}

// ---- who may do what ----

#[test]
fn only_cli_prints() {
    only(
        // A build script speaks to cargo by printing.
        &["cli", "build.rs"],
        "only cli prints",
        &["println!", "print!(", "eprint", "std::io::stdout", "std::io::stderr"],
    );
}

#[test]
fn only_cli_reads_environment_and_clock() {
    let words = ["SystemTime", "Instant", "Utc::now", "Local::now", "std::env", "env::var", "home_dir("];
    let rule = "only cli reads the environment, and only it and engine/src/system the clock";
    let may = ["cli", "build.rs", "engine/src/system.rs", "engine/src/system/program.rs"];
    only(&may, rule, &words);
    // The kernel knows no flock with a deadline: the disk tries again a bounded number of times.
    let may = [&may[..], &["durable/src/real.rs"]].concat();
    only(&may, "only these, and a wait for a lock of another home, sleep", &["thread::sleep"]);
}

#[test]
fn only_durable_touches_the_disk() {
    let words = [
        "std::fs",
        "rustix::fs",
        "fs::File",
        "OpenOptions",
        ".canonicalize()",
        ".symlink_metadata()",
        ".is_file()",
        ".is_dir()",
    ];
    only(&["durable"], "only durable touches the disk", &words);
}

/// The steps that put a text in a document's place. A rollback, a review and a restore are jobs like any other. And nobody
/// else writes, moves or removes the file of a document by other means.
#[test]
fn only_worker_writes_documents() {
    let rule = "only worker writes documents";
    let steps = [".stage(", ".exchange(", ".unstage(", ".sweep_beside("];
    only(&["worker", "documents", "durable"], rule, &steps);
    let changes = [
        "write_new(",
        "write_in_place_of(",
        "write_many_new(",
        ".replace(&",
        ".move_new(",
        ".link_new(",
        ".remove(&",
        ".append(",
    ];
    let others = shipped().into_iter().filter(|source| !matches!(source.folder(), "worker" | "documents"));
    let lines = others.flat_map(|source| source.lines_with(&changes));
    let of_document = ["document.path", "document.canonical", "doc_path", "document_path"];
    assert_none(rule, lines.filter(|line| of_document.iter().any(|name| line.contains(name))).collect());
    let sources = shipped();
    let of_worker = sources.iter().filter(|source| source.folder() == "worker");
    assert!(
        of_worker.flat_map(|source| source.lines_with(&steps)).count() > 0,
        "the steps have other names now"
    );
}

#[test]
fn only_queue_layout_builds_queue_paths() {
    let builds = ["join(", "push(", "Path::new(", "PathBuf::from(", "format!("];
    let sources = shipped();
    let others = sources.iter().filter(|source| source.folder() != "queue-layout");
    let mut found = Vec::new();
    for line in others.flat_map(|source| source.lines_with(&builds)) {
        // A literal that is a state directory's name, or a path that goes through one.
        let literals = line.split('"').skip(1).step_by(2);
        let is_state = |text: &str| text.split('/').any(|part| STATE_DIRS.contains(&part));
        let bare = |text: &str| !text.contains(' ');
        if literals.into_iter().any(|text| bare(text) && is_state(text)) {
            found.push(line);
        }
    }
    assert_none("only queue-layout builds paths inside the queue", found);
}

/// `format/` of the queue is what stands on the disk, as values.
#[test]
fn the_queues_format_is_pure() {
    let sources = shipped();
    let format: Vec<_> =
        sources.iter().filter(|source| source.path.contains("queue-layout/src/format/")).collect();
    assert!(format.len() >= 4, "the format is elsewhere now");
    let impure = ["durable", "Disk", "Queue", "Layout", "crate::"];
    let lines = format.iter().flat_map(|source| source.lines_with(&impure));
    assert_none("format/ knows no disk", lines.filter(|line| !line.contains("crate::format::")).collect());
}

/// Write, rename and sync are one sequence, spelled out once.
#[test]
fn only_moves_writes_renames_and_syncs_in_the_queue() {
    let steps = [
        "sync_dir(",
        "sync_file(",
        "write_new(",
        "write_in_place_of(",
        "write_many_new(",
        ".move_new(",
        ".link_new(",
        ".replace(&",
    ];
    let (moves, others): (Vec<_>, Vec<_>) = shipped()
        .into_iter()
        .filter(|source| source.folder() == "queue-layout")
        .partition(|source| source.path.contains("queue-layout/src/moves/"));
    let lines = others.iter().flat_map(|source| source.lines_with(&steps));
    assert_none("only moves/ writes, renames and syncs files of the queue", lines.collect());
    let used = moves.iter().flat_map(|source| source.lines_with(&steps)).count();
    assert!(used >= 6, "the steps have other names now: {used}");
}

/// The rooms of the queue, from the bottom up: none knows one above it, so that no circle of modules comes back.
#[test]
fn the_queues_rooms_are_in_layers() {
    const ROOMS: [&str; 5] = ["format", "layout", "moves", "look", "verbs"];
    let sources = shipped();
    let mut found = Vec::new();
    for (at, room) in ROOMS.iter().enumerate() {
        let above: Vec<String> = ROOMS[at + 1..].iter().map(|above| format!("crate::{above}")).collect();
        let above: Vec<&str> = above.iter().map(String::as_str).collect();
        let (file, folder) = (format!("queue-layout/src/{room}.rs"), format!("queue-layout/src/{room}/"));
        let of_room =
            sources.iter().filter(|source| source.path.ends_with(&file) || source.path.contains(&folder));
        let of_room: Vec<_> = of_room.collect();
        assert!(!of_room.is_empty(), "{room} is elsewhere now");
        found.extend(of_room.iter().flat_map(|source| source.lines_with(&above)));
    }
    assert_none("a room of queue-layout uses only those below it", found);
}

/// Nor do the modules within a room: each can be read after those that it names.
#[test]
fn the_queues_modules_know_each_other_one_way() {
    let sources = shipped();
    let module = |source: &Source| {
        let (room, name) =
            source.path.strip_prefix("queue-layout/src/")?.strip_suffix(".rs")?.split_once('/')?;
        (name != "mod").then(|| (room.to_owned(), name.to_owned()))
    };
    let modules: Vec<_> =
        sources.iter().filter_map(|source| Some((module(source)?, source.code()))).collect();
    assert!(modules.len() > 30, "the modules of queue-layout are elsewhere now");
    let names = |code: &str, path: &str| {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        code.match_indices(path).any(|(at, _)| !code[at + path.len()..].starts_with(is_name))
    };
    let knows = |(room, code): (&str, &str), (other_room, other): &(String, String)| {
        names(code, &format!("crate::{other_room}::{other}"))
            || room == other_room && names(code, &format!("super::{other}"))
    };
    let mut left: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (named @ (room, name), code) in &modules {
        let others = modules.iter().map(|(other, _)| other).filter(|other| *other != named);
        let known = others.filter(|other| knows((room, code), other));
        left.insert(format!("{room}/{name}"), known.map(|(room, name)| format!("{room}/{name}")).collect());
    }
    // Those that know nobody who is left can be read next. Where none can, the rest is a circle.
    loop {
        let before = left.len();
        let still: BTreeSet<String> = left.keys().cloned().collect();
        left.retain(|_, known| known.iter().any(|other| still.contains(other)));
        if left.len() == before {
            break;
        }
    }
    let circle = left.iter().map(|(module, known)| {
        let of_circle: Vec<&String> = known.iter().filter(|other| left.contains_key(*other)).collect();
        format!("{module} knows {of_circle:?}")
    });
    assert_none("modules of queue-layout know each other in a circle", circle.collect());
}

#[test]
fn only_documents_builds_history_paths() {
    // What `adopt` reads are other programs' files, under the names that these gave them.
    let found = shipped()
        .into_iter()
        .filter(|source| !matches!(source.folder(), "documents" | "queue-layout" | "adopt"));
    let found = found.flat_map(|source| source.lines_with(&["\"history", "history()", "log.jsonl"]));
    // The one place where the documents is given its directory.
    let found: Vec<String> = found.into_iter().filter(|line| !line.contains("Documents::new(")).collect();
    assert_none("only documents builds paths inside the history", found);
}

#[test]
fn only_durable_may_be_unsafe() {
    only(&["durable"], "no unsafe outside durable", &["unsafe "]);
}

// ---- files ----

#[test]
fn every_file_opens_with_what_it_is_for() {
    let silent = files(".rs").into_iter().filter(|source| !source.text.starts_with("//! "));
    assert_none("opens with a `//!` line", silent.map(|source| source.path).collect());
}

#[test]
fn names_say_something() {
    let vague = ["util", "utils", "common", "helper", "helpers", "manager", "misc", "imp"];
    let named = files(".rs")
        .into_iter()
        .filter(|source| source.path.trim_end_matches(".rs").split('/').any(|part| vague.contains(&part)));
    assert_none("a name that says nothing", named.map(|source| source.path).collect());
}

/// Two types of one name make a reader ask which is meant. Let off: what clap and `Result` call the same everywhere, and the
/// forms of a declaration as written, which stand for the types they become.
#[test]
fn public_types_have_names_of_their_own() {
    let mut named: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for source in shipped().iter().filter(|source| source.path != "declaration/src/reading/written.rs") {
        for line in source.code().lines() {
            let kinds = ["pub struct ", "pub enum ", "pub type ", "pub trait "];
            let Some(rest) = kinds.iter().find_map(|kind| line.trim_start().strip_prefix(kind)) else {
                continue;
            };
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
            named.entry(name).or_default().push(source.path.clone());
        }
    }
    assert!(named.len() > 200, "the types are not where this test looks for them");
    let twice =
        named.into_iter().filter(|(name, at)| at.len() > 1 && !["Args", "Result"].contains(&name.as_str()));
    assert_none(
        "one name, one public type",
        twice.map(|(name, at)| format!("{name}: {}", at.join(", "))).collect(),
    );
}

/// Private types may share names, as long as no file can see both: none takes the name of a public type of its own crate or
/// of one that its crate uses. Let off: `markdown-merge` parses a `Section` of its own, which is what its listing calls so.
#[test]
fn private_types_take_no_name_of_a_public_one() {
    let sources = shipped();
    let types = |source: &Source| -> Vec<(bool, String)> {
        let code = source.code();
        let of_line = |line: &str| {
            let is_public = line.starts_with("pub ");
            let line =
                line.strip_prefix("pub ").or(line.split_once(") ").map(|(_, rest)| rest)).unwrap_or(line);
            let kinds = ["struct ", "enum ", "type ", "trait "];
            let rest = kinds.iter().find_map(|kind| line.strip_prefix(kind))?;
            Some((is_public, rest.chars().take_while(|c| c.is_alphanumeric()).collect()))
        };
        code.lines()
            .filter(|line| line.starts_with("pub") || !line.starts_with(' '))
            .filter_map(of_line)
            .collect()
    };
    let mut public: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.folder() != "cli") {
        for (_, name) in types(source).into_iter().filter(|(is_public, _)| *is_public) {
            public.entry(name).or_default().push((source.folder().to_owned(), source.path.clone()));
        }
    }
    let plan = house_plan();
    let mut found = Vec::new();
    for source in &sources {
        let sees = |folder: &String| {
            source.folder() == "cli"
                || source.folder() == folder
                || plan.get(source.folder()).is_some_and(|used| used.contains(folder))
        };
        for (is_public, name) in types(source) {
            let others = public.get(&name).into_iter().flatten();
            let mut seen = others.filter(|(folder, path)| sees(folder) && *path != source.path);
            let let_off = ["Args", "Result"].contains(&name.as_str())
                || (name == "Section" && source.path == "markdown-merge/src/document.rs");
            if let Some((_, other)) = seen.next().filter(|_| !is_public && !let_off) {
                found.push(format!("{name}: {} and {other}", source.path));
            }
        }
    }
    assert!(public.len() > 200, "the types are not where this test looks for them");
    assert_none("a private type with the name of a public one", found);
}

/// A file in `tests/` whose tests nobody runs looks like coverage and is none.
#[test]
fn every_test_file_has_tests() {
    let of_tests = files(".rs").into_iter().filter(|source| {
        let parts: Vec<_> = source.path.rsplit('/').collect();
        parts.get(1) == Some(&"tests") && source.path != "tests/main.rs"
    });
    let empty = of_tests.filter(|source| !source.text.contains("#[test]"));
    assert_none("a test file without tests", empty.map(|source| source.path).collect());
}

/// The tests at the root are one program: a file that `tests/main.rs` does not name is not compiled.
#[test]
fn every_test_file_is_a_module() {
    let main = fs::read_to_string(root().join("tests/main.rs")).unwrap();
    let named: BTreeSet<&str> =
        main.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';')).collect();
    let there = fs::read_dir(root().join("tests")).unwrap().map(|entry| entry.unwrap().path());
    let modules =
        there.filter(|path| path.extension().is_some_and(|end| end == "rs") && !path.ends_with("main.rs"));
    let forgotten = modules.filter(|path| !named.contains(path.file_stem().unwrap().to_str().unwrap()));
    assert_none("not in tests/main.rs", forgotten.map(|path| path.display().to_string()).collect());
}

#[test]
fn nothing_is_left_to_do() {
    let left = ["todo!", "unimplemented!", "dbg!", "FIXME", "XXX"];
    let found = files(".rs").into_iter().filter(|source| source.path != "tests/architecture.rs");
    let found = found.flat_map(|source| {
        let lines =
            source.text.lines().enumerate().filter(|(_, line)| left.iter().any(|word| line.contains(word)));
        lines.map(|(n, line)| format!("{}:{}: {}", source.path, n + 1, line.trim())).collect::<Vec<_>>()
    });
    assert_none("left to do", found.collect());
}

/// The project stands alone: what its makers were given to read is not there for who checks it out.
#[test]
fn nothing_points_outside_the_repository() {
    let endings = [".rs", ".md", ".toml", ".yaml", ".json", "run", "run-tests"];
    let sources = endings
        .iter()
        .flat_map(|ending| files(ending))
        .filter(|source| source.path != "tests/architecture.rs");
    let found = sources.filter(|source| {
        ["../shared", "/work/shared", "/work/h/", "/work/main"].iter().any(|text| source.text.contains(text))
    });
    assert_none("points outside", found.map(|source| source.path).collect());
}

// ---- functions ----

/// Every function as (name, lines): from its `fn` to the brace at the same indent, as rustfmt sets it.
fn functions(text: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        let starts = [
            "fn ",
            "pub fn ",
            "pub(crate) fn ",
            "pub(super) fn ",
            "const fn ",
            "pub const fn ",
            "unsafe fn ",
        ];
        let Some(rest) = starts.iter().find_map(|start| code.strip_prefix(start)) else { continue };
        let name = rest.split(['(', '<']).next().unwrap().to_owned();
        let closing = format!("{}}}", &line[..line.len() - code.len()]);
        let ends = |line: &&str| **line == closing;
        if !line.ends_with(['}', ';'])
            && let Some(length) = lines[start..].iter().position(ends)
        {
            found.push((name, length + 1));
        }
    }
    found
}

#[test]
fn functions_fit_a_screen() {
    let mut long = BTreeSet::new();
    let mut lengths = Vec::new();
    for source in files(".rs") {
        for (name, lines) in functions(&source.text) {
            lengths.push(lines);
            if lines > FUNCTION_LINES_MAX {
                long.insert(format!("{}: {name}", source.path));
            }
        }
    }
    assert!(lengths.len() > 300, "{} functions: this test does not see them", lengths.len());
    let known: BTreeSet<String> = LONGER.iter().map(|&name| name.to_owned()).collect();
    assert_none("longer than a screen", long.difference(&known).cloned().collect());
    assert_none("no longer too long: take it from the list", known.difference(&long).cloned().collect());
}

// ---- dependencies ----

/// Every package a manifest asks for has its reason in docs/DEPENDENCIES.md, and nothing else has.
#[test]
fn every_dependency_has_its_reason() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let section = manifest.split("[workspace.dependencies]\n").nth(1).unwrap().split("\n[").next().unwrap();
    let ours = members();
    let names = section.lines().filter_map(|line| line.split_once(" = ")).map(|(name, _)| name.to_owned());
    let asked: BTreeSet<String> =
        names.filter(|name| !ours.contains(name) && !name.starts_with('#')).collect();
    let reasons = fs::read_to_string(root().join("docs/DEPENDENCIES.md")).unwrap();
    // The last table is of what is not used.
    let used = reasons.split("\n## Not used").next().unwrap();
    let rows =
        used.lines().filter_map(|line| line.strip_prefix("| `")).filter_map(|row| row.split('`').next());
    let given: BTreeSet<String> = rows.map(str::to_owned).collect();
    assert_eq!(asked, given, "left: the workspace's Cargo.toml, right: docs/DEPENDENCIES.md");
}

// ---- publishing ----

/// What a registry wants of each crate, and what a reader of its page needs.
#[test]
fn every_crate_can_be_published() {
    let workspace = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let version = workspace.split("\nversion = \"").nth(1).unwrap().split('"').next().unwrap();
    for member in members() {
        let folder = root().join(&member);
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        for line in [
            format!("name = \"last-word-{member}\""),
            format!("name = \"{}\"", member.replace('-', "_")),
            "description = \"".to_owned(),
            "license.workspace = true".to_owned(),
            "readme = \"README.md\"".to_owned(),
        ] {
            assert!(manifest.contains(&line), "{member}/Cargo.toml has no `{line}`");
        }
        let readme = fs::read_to_string(folder.join("README.md")).unwrap();
        assert!(
            readme.contains("What always holds:"),
            "{member}/README.md does not name the crate's invariants"
        );
        assert!(readme.contains("```rust"), "{member}/README.md has no example");
        let is_code = |line: &str| matches!(line, "```rust" | "```rust,no_run");
        let library = fs::read_to_string(folder.join("src/lib.rs")).unwrap();
        let compiled = library.contains("#[doc = include_str!(\"../README.md\")]");
        assert_eq!(readme.lines().any(is_code), compiled, "{member}: its README's example is compiled");
        assert_eq!(manifest.contains("doctest = false"), !compiled, "{member}: rustdoc looks for examples");
        let wanted = format!(
            "{member} = {{ package = \"last-word-{member}\", path = \"{member}\", version = \"{version}\" }}"
        );
        assert!(workspace.contains(&wanted), "Cargo.toml does not say `{wanted}`");
    }
}

// ---- codes ----

#[test]
fn a_code_is_never_made_of_text() {
    let words = ["Code::named(\"", "Code::Other(", "Deref for Code"];
    only(&["declaration"], "a new code is a line of declaration/src/code.rs", &words);
}

/// `agents` is let off: its texts go into the settings of agents, where a command is what is meant.
#[test]
fn only_surfaces_know_the_commands_to_type() {
    let commands: Vec<String> = files(".rs")
        .iter()
        .filter_map(|source| {
            source.path.strip_prefix("cli/commands/")?.strip_suffix(".rs").map(str::to_owned)
        })
        .filter(|name| !name.contains('/'))
        .collect();
    assert!(
        commands.iter().any(|name| name == "resolve"),
        "the commands are not where this test looks for them"
    );
    let typed: Vec<String> = commands.iter().map(|name| format!("last-word {name}")).collect();
    let is_command = |line: &&String| {
        let after = |text: &String| line.split_once(text.as_str()).map(|(_, rest)| rest.chars().next());
        typed.iter().filter_map(after).any(|next| !next.is_some_and(|c| c.is_alphanumeric() || c == '-'))
    };
    let words: Vec<&str> = typed.iter().map(String::as_str).collect();
    let mut found = Vec::new();
    for source in shipped() {
        if !["cli", "agents", "build.rs"].contains(&source.folder()) {
            found.extend(source.lines_with(&words).iter().filter(is_command).cloned());
        }
    }
    assert_none("a library names an `Advice`, and only a surface says which command to type", found);
}

/// `Home::queue` is not public, and this test keeps surfaces from opening a queue of their own.
#[test]
fn surfaces_ask_the_home_and_not_the_queue() {
    let words = [
        "Queue::",
        "&Queue",
        ": Queue",
        "Queue,",
        "Queue}",
        ".queue()",
        "operator::list(",
        "operator::log(",
        "operator::preview(",
    ];
    let mut found = Vec::new();
    for source in shipped().iter().filter(|source| matches!(source.folder(), "cli" | "page")) {
        found.extend(source.lines_with(&words).into_iter().filter(|line| !line.contains("HeldThing::Queue")));
    }
    assert_none(
        "what a surface finds out or does is a verb of `engine::Home`: another surface needs it too",
        found,
    );
}

#[test]
fn json_for_machines_is_a_type_of_the_output_module() {
    let shapes = ["Serialize", "json!(", "to_string_pretty("];
    let mut found = Vec::new();
    for source in shipped() {
        let prints =
            source.path.starts_with("cli/commands/") && !source.path.starts_with("cli/commands/demo");
        if prints || source.path == "cli/install.rs" {
            found.extend(source.lines_with(&shapes));
        }
    }
    assert_none("what `--json` prints is a public type of engine/src/output.rs", found);
}

/// Verbs that read documents, history or queue, and may take longer than a second.
const LONG_VERBS: [&str; 29] = [
    "adopt",
    "adoptable",
    "blame",
    "change_item",
    "diff",
    "doctor",
    "drift",
    "export",
    "exportable",
    "flush",
    "flush_all",
    "history",
    "item",
    "items",
    "items_and_unread",
    "list",
    "manage_in_place",
    "mend",
    "propose_shorter",
    "prune",
    "purge",
    "recall",
    "rollback",
    "save_session",
    "tidy",
    "undo_adoption",
    "verify",
    "would_apply",
    "would_purge",
];

/// On a terminal a line says what is done from the first second on (`progress::waiting`), so that nobody takes it for stuck.
#[test]
fn what_may_take_long_is_done_in_sight() {
    let mut found = Vec::new();
    for source in shipped().iter().filter(|source| source.path.starts_with("cli/commands/")) {
        let code = source.code().replace('\n', " ");
        for verb in LONG_VERBS {
            for (at, _) in code.match_indices(&format!("world.{verb}(")) {
                // Only a function that is handed over can be waited for in sight.
                if !code[..at].trim_end().ends_with("||") {
                    found.push(format!("{}: world.{verb}", source.path));
                }
            }
        }
    }
    assert_none("work of more than a second is done within `progress::waiting`", found);
}

#[test]
fn no_decision_compares_the_text_of_a_code() {
    let words = ["code == \"", "code != \"", "code.as_str() ==", "match error.code.as_str()"];
    only(&["fuzz"], "compare codes as values, and ask them what can be done", &words);
}
