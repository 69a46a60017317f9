//! The binary as a user runs it: a home of its own, real files, real processes. Shared by the tests.

pub mod mcp;
pub mod svg;
pub mod terminal;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;

/// The program under test: `$LAST_WORD_BINARY`, for `.ci/run` the one that is released, else the one built with the tests.
pub fn binary() -> &'static str {
    static BINARY: OnceLock<String> = OnceLock::new();
    BINARY.get_or_init(|| named_binary().unwrap_or_else(|| env!("CARGO_BIN_EXE_last-word").to_owned()))
}

fn named_binary() -> Option<String> {
    let named = std::env::var("LAST_WORD_BINARY").ok().filter(|path| !path.is_empty())?;
    Some(fs::canonicalize(named).unwrap().to_str().unwrap().to_owned())
}

/// Says what cannot be tested here. Not by `println!`: of a test that passes the harness shows nothing of that.
pub fn skipped(why: impl std::fmt::Display) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

/// Whether the program under test has crash points and a clock that can be set; says so where a test is skipped for it.
pub fn has_crash_points() -> bool {
    let has = cfg!(feature = "crash-points") && named_binary().is_none();
    if !has {
        println!("skipped: this program has no crash points");
    }
    has
}

/// A user with an empty home directory, and the binary.
pub struct User {
    dir: tempfile::TempDir,
}

/// What a command said.
#[derive(Debug)]
pub struct Said {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl User {
    /// A user whose `last-word` home is made by `init`.
    pub fn new() -> User {
        let user = User::bare();
        user.run(["init"]).ok();
        user.lets_tests_decide();
        user
    }

    /// Tests have no terminal: what they decide they decide as a script that this user lets decide, like any other.
    pub fn lets_tests_decide(&self) {
        let path = self.home().join("config.yaml");
        let config = fs::read_to_string(&path).unwrap();
        fs::write(path, with_decider(&config)).unwrap();
    }

    /// A user whose files are in memory, where there is such a place: for thousands of processes that are killed, but whose
    /// power never goes.
    pub fn in_memory() -> User {
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let user = User { dir };
        user.run(["init"]).ok();
        user.lets_tests_decide();
        user
    }

    /// A user who never ran anything.
    pub fn bare() -> User {
        User { dir: tempfile::tempdir().unwrap() }
    }

    /// The user's home directory.
    pub fn root(&self) -> &Path {
        self.dir.path()
    }

    /// The `last-word` home.
    pub fn home(&self) -> PathBuf {
        self.root().join(".config/agents/last-word")
    }

    /// The document of the default knowledge base `user`.
    pub fn user_md(&self) -> PathBuf {
        self.root().join(".config/agents/USER.md")
    }

    /// A command of the binary, in this user's world and no other.
    pub fn command<I, S>(&self, args: I) -> Command
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        let args: Vec<S> = args.into_iter().collect();
        let words: Vec<&OsStr> = args.iter().map(AsRef::as_ref).collect();
        let mut command = Command::new(binary());
        command
            .args(self.decider(&words))
            .args(&words)
            .env_clear()
            .env("HOME", self.root())
            .env("PATH", "/usr/bin:/bin")
            .env("USER", "tester");
        command.current_dir(self.root()).stdin(Stdio::null());
        command
    }

    /// What a script says that decides, where this user's configuration lets it.
    fn decider(&self, words: &[&OsStr]) -> &'static [&'static str] {
        let decides = words.first().is_some_and(|word| DECIDING.iter().any(|command| word == command))
            || words.starts_with(&["init".as_ref(), "--project".as_ref()]);
        let config = || fs::read_to_string(self.home().join("config.yaml")).unwrap_or_default();
        if decides && config().contains(DECIDER) { &["--as", "tests"] } else { &[] }
    }

    /// Runs a command to its end.
    pub fn run<I, S>(&self, args: I) -> Said
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        Said::of(self.command(args).output().unwrap())
    }

    /// Runs a command with a text on standard input.
    pub fn run_with<I, S>(&self, args: I, stdin: &[u8]) -> Said
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        use std::io::Write;
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A command that refuses early may close its end first.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        Said::of(child.wait_with_output().unwrap())
    }

    /// Starts a command and leaves it running.
    pub fn start<I, S>(&self, args: I) -> Child
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        self.command(args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// What a command says on a terminal where somebody gives these answers, one to each question, then Enter alone; a number that
    /// is asked for is read and typed. `None`, said, where no terminal can be made.
    pub fn conversation(&self, args: &str, cwd: &Path, answers: &[&str]) -> Option<String> {
        use std::io::Write;
        if !Command::new("script").arg("--version").output().is_ok_and(|output| output.status.success()) {
            skipped("no `script` (util-linux) to make a terminal with");
            return None;
        }
        let mut command = Command::new("script");
        command.args(["-qec", &format!("{} {args}", binary()), "/dev/null"]).env_clear().current_dir(cwd);
        for (name, value) in [("PATH", "/usr/bin:/bin"), ("SHELL", "/bin/sh"), ("USER", "tester")] {
            command.env(name, value);
        }
        let mut child =
            command.env("HOME", self.root()).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let (mut all, mut answers) = (String::new(), answers.iter());
        loop {
            let said = read_until_asked(&mut stdout);
            all.push_str(&said);
            if !asks(said.as_bytes()) {
                break;
            }
            let number = number_asked(&said);
            let answer = number.as_deref().unwrap_or_else(|| answers.next().copied().unwrap_or_default());
            stdin.write_all(format!("{answer}\n").as_bytes()).unwrap();
        }
        assert!(child.wait().unwrap().success(), "{all}");
        assert_eq!(answers.next(), None, "nobody asked for it: {all}");
        Some(all)
    }

    /// What a command says on a terminal where somebody types these keys; `None`, said, where no terminal can be made. The
    /// terminal is a program's, so whoever decides there is asked for a number first, which is read and typed.
    pub fn on_terminal(&self, args: &str, keys: &str, editor: &Path) -> Option<String> {
        use std::io::Write;
        if !Command::new("script").arg("--version").output().is_ok_and(|output| output.status.success()) {
            skipped("no `script` (util-linux) to make a terminal with");
            return None;
        }
        let mut command = Command::new("script");
        let binary = binary();
        command.args(["-qec", &format!("{binary} {args}"), "/dev/null"]).env_clear().current_dir(self.root());
        for (name, value) in [("PATH", "/usr/bin:/bin"), ("SHELL", "/bin/sh"), ("USER", "tester")] {
            command.env(name, value);
        }
        command.env("HOME", self.root()).env("EDITOR", editor);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut said = read_until_asked(child.stdout.as_mut().unwrap());
        if let Some(number) = number_asked(&said) {
            stdin.write_all(format!("{number}\n").as_bytes()).unwrap();
        }
        // A command that asks nothing may have ended.
        let _ = stdin.write_all(keys.as_bytes());
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        said.push_str(&String::from_utf8_lossy(&output.stdout));
        assert!(output.status.success(), "{said}");
        Some(said)
    }

    /// Writes the configuration: knowledge bases as YAML lines below `knowledge_bases:`.
    pub fn configure(&self, yaml: &str) {
        fs::write(self.home().join("config.yaml"), with_decider(yaml)).unwrap();
    }

    /// A configuration with one knowledge base `notes` at `notes.md` in the user's home directory, without a budget.
    pub fn with_notes(&self) -> PathBuf {
        let path = self.root().join("notes.md");
        self.configure(&format!(
            "version: 1\nknowledge_bases:\n  notes:\n    path: {}\nsession_bootstrap: [notes]\nretry: {{ retries: 3, base: 5ms, cap: 20ms }}\n",
            path.display()
        ));
        path
    }

    /// Enqueues one entry for `notes` and returns the job's id.
    pub fn note(&self, heading: &str, op: &str, content: &str) -> String {
        self.run(["enqueue", "--to", "notes", "--heading", heading, "--op", op, "--content", content])
            .ok()
            .trim()
            .to_owned()
    }

    /// From here on this user is somebody whom permission bits bind: root hands everything to `nobody`, and a binary with it.
    pub fn is_bound(&self) {
        // By another process: written by this one, it would be busy in every child that other tests start meanwhile.
        let target = self.root().join("last-word");
        let copied = Command::new("cp").arg(binary()).arg(target).status();
        assert!(copied.unwrap().success());
        give_to_nobody(self.root());
    }

    /// A command of such a user.
    pub fn bound(&self, args: &[&str]) -> Command {
        let mut command = self.command(args);
        if !rustix::process::geteuid().is_root() {
            return command;
        }
        command = Command::new(self.root().join("last-word"));
        let words: Vec<&OsStr> = args.iter().map(AsRef::as_ref).collect();
        command
            .args(self.decider(&words))
            .args(args)
            .env_clear()
            .env("HOME", self.root())
            .env("PATH", "/usr/bin:/bin")
            .current_dir(self.root());
        command.uid(NOBODY).gid(NOBODY);
        command
    }

    /// The files of a state, sorted.
    pub fn files(&self, state: &str) -> Vec<String> {
        let mut names = Vec::new();
        walk(&self.home().join(state), &mut names);
        names.sort();
        names
    }

    /// Whatever waits for its next attempt is due now. The due time leads the name: this is a clock that went on.
    pub fn make_due(&self) {
        let deferred = self.home().join("deferred");
        for name in self.files("deferred") {
            let (due, rest) = name.split_once('~').unwrap();
            fs::rename(deferred.join(&name), deferred.join(format!("{}~{rest}", "0".repeat(due.len()))))
                .unwrap();
        }
    }

    /// How many jobs each state holds: pending, deferred, processing, failed, review, done.
    pub fn counts(&self) -> [usize; 6] {
        let of = |state: &str| self.files(state).iter().map(|name| jobs_in(name)).sum();
        // In one look: workers go on meanwhile. A person's text that was put aside is no job.
        let failed = self.files("staging/failed").into_iter().filter(|name| !name.ends_with(".original"));
        [
            of("pending"),
            of("deferred"),
            of("processing"),
            failed.map(|name| jobs_in(&name)).sum(),
            of("staging/review"),
            of("done"),
        ]
    }

    /// Every file below the user's home directory with its bytes (a link: where it points), by its path.
    pub fn tree(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut paths = Vec::new();
        walk_paths(self.root(), &mut paths);
        let text = |path: &Path| match fs::read_link(path) {
            Ok(target) => target.into_os_string().into_encoded_bytes(),
            Err(_) => fs::read(path).unwrap(),
        };
        paths
            .into_iter()
            .map(|path| (path.strip_prefix(self.root()).unwrap().to_owned(), text(&path)))
            .collect()
    }

    /// A command that answers in JSON.
    pub fn json<I, S>(&self, args: I) -> serde_json::Value
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        let said = Said::of(self.command(args).arg("--json").output().unwrap());
        serde_json::from_str(&said.stdout).unwrap_or_else(|e| panic!("{e}: {}{}", said.stdout, said.stderr))
    }

    /// Puts a file where somebody else would: written beside, then moved in.
    pub fn drop_in(&self, dir: &Path, name: &str, bytes: &[u8]) {
        let tmp = self.root().join(format!(".{name}.tmp"));
        fs::write(&tmp, bytes).unwrap();
        fs::rename(tmp, dir.join(name)).unwrap();
    }

    /// Leaves a file in an inbox, as if it had rested there for a while.
    pub fn leave_in(&self, dir: &Path, name: &str, bytes: &[u8]) {
        let path = dir.join(name);
        fs::write(&path, bytes).unwrap();
        let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
        fs::File::options().write(true).open(path).unwrap().set_modified(long_ago).unwrap();
    }

    /// Asserts that nothing is left half-written anywhere in the home.
    pub fn assert_clean(&self) {
        assert_eq!(self.files("tmp"), Vec::<String>::new(), "tmp/ is empty");
        assert_eq!(self.files("processing"), Vec::<String>::new(), "processing/ is empty");
    }
}

/// Writes a program that can be started at once. By another process: what this one holds open for writing, a child that
/// another test starts in that moment holds too, until it is the program it shall be, and nothing that is open for writing
/// can be started (ETXTBSY).
pub fn write_program(path: &Path, text: &str) {
    use std::io::Write;
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "cat > \"$0\" && chmod 755 \"$0\""]).arg(path).stdin(Stdio::piped());
    let mut child = shell.spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success(), "{} cannot be written", path.display());
}

/// The commands that a person uses, and `enqueue`, whose jobs are then a person's.
const DECIDING: [&str; 8] =
    ["enqueue", "hold", "prune", "release", "resolve", "review", "rollback", "uninstall"];
const DECIDER: &str =
    "deciders: { tests: [enqueue, hold, init, prune, purge, release, resolve, review, rollback, uninstall] }";

/// A configuration that lets the tests decide, unless it says itself who may.
fn with_decider(config: &str) -> String {
    if config.contains("deciders: {}") {
        return config.replace("deciders: {}", DECIDER);
    }
    if config.contains("\ndeciders:") {
        config.to_owned()
    } else {
        format!("{}\n{DECIDER}\n", config.trim_end())
    }
}

/// Whether a command waits for an answer: the proof that a person is there, or what `enqueue` should do.
fn asks(said: &[u8]) -> bool {
    let ends = [&b"\n> "[..], b"\n\r> ", b"[n]othing? ", b"[y/N] ", b"[Y/n] "];
    ends.iter().any(|end| said.ends_with(end))
}

/// What a terminal says until it asks for a number, or ends.
pub fn read_until_asked(stdout: &mut impl std::io::Read) -> String {
    let mut said = Vec::new();
    let mut byte = [0];
    while !asks(&said) && stdout.read(&mut byte).is_ok_and(|read| read == 1) {
        said.push(byte[0]);
    }
    String::from_utf8_lossy(&said).into_owned()
}

/// The number that is asked for, in digits.
pub fn number_asked(said: &str) -> Option<String> {
    const WORDS: [&str; 10] =
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    let (_, words) = said.split_once("and Enter:")?;
    let digit = |word| WORDS.iter().position(|known| *known == word).map(|digit| digit.to_string());
    words.trim_start().lines().next()?.split_whitespace().map(digit).collect()
}

pub const NOBODY: u32 = 65534;

/// Hands everything below a directory to `nobody`, where we are root.
pub fn give_to_nobody(dir: &Path) {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    chown(dir, Some(NOBODY), Some(NOBODY)).unwrap();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            give_to_nobody(&path)
        } else {
            std::os::unix::fs::lchown(path, Some(NOBODY), Some(NOBODY)).unwrap()
        }
    }
}

impl Said {
    pub fn of(output: Output) -> Said {
        Said {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Asserts exit 0 and answers stdout.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self.stdout
    }

    /// Asserts an exit code and that stderr says something; answers stderr.
    #[track_caller]
    pub fn fails(self, code: i32, saying: &str) -> String {
        assert_eq!(self.code, Some(code), "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        assert!(self.stderr.contains(saying), "stderr does not say `{saying}`: {}", self.stderr);
        self.stderr
    }
}

/// How many jobs are in a file, by its name: `<id>~<doc>~<rev>~<n>.jsonl` has n.
fn jobs_in(name: &str) -> usize {
    let bundle = name.strip_suffix(".jsonl").and_then(|stem| stem.rsplit_once('~'));
    bundle.map_or(1, |(_, jobs)| jobs.parse().unwrap())
}

fn walk(dir: &Path, names: &mut Vec<String>) {
    let mut paths = Vec::new();
    walk_paths(dir, &mut paths);
    names.extend(paths.iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()));
}

fn walk_paths(dir: &Path, paths: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            walk_paths(&entry.path(), paths)
        } else {
            paths.push(entry.path())
        }
    }
}
