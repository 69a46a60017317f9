//! Who declares without being us: the modules for Python and Node by the same cases (`fixtures/producers/`), with the program
//! and without it; and every example of `docs/COOKBOOK.md`, as it stands there. A language that is not installed is skipped,
//! and the skip is said.

use crate::support::{User, binary, skipped};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A language that has a module: its interpreter, and where in `packaging/` the module is.
struct Language {
    interpreter: &'static str,
    module: &'static str,
    driver: &'static str,
}

const PYTHON: Language = Language { interpreter: "python3", module: "packaging/python", driver: "drive.py" };
const NODE: Language = Language { interpreter: "node", module: "packaging/node", driver: "drive.mjs" };

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// A program of the machine in this user's world, with the program under test at `$LAST_WORD_PROGRAM`.
fn started(user: &User, program: &str) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("HOME", user.root()).env("LAST_WORD_PROGRAM", binary()).current_dir(user.root());
    for name in ["PATH", "PYENV_ROOT", "RUSTUP_HOME", "CARGO_HOME", "RUSTUP_TOOLCHAIN"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
}

/// Whether the machine has a program; says so where not.
fn has(program: &str, asked: &str) -> bool {
    let has = started(&User::bare(), program).arg(asked).output().is_ok_and(|output| output.status.success());
    if !has {
        skipped(format!("there is no `{program}` here"));
    }
    has
}

fn with_two_documents() -> User {
    let user = User::new();
    user.configure(
        "version: 1\nknowledge_bases:\n  notes: { path: ~/notes.md }\n  more: { path: ~/more.md }\n",
    );
    user
}

/// What the steps of a case came to in a language.
fn played(user: &User, language: &Language, case: &Value) -> Vec<Value> {
    use std::io::Write;
    let mut command = started(user, language.interpreter);
    command.arg(project("fixtures/producers").join(language.driver)).env("MODULE", project(language.module));
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(case.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{}: {e}: {errors}", case["name"]))
}

fn assert_step(name: &str, step: &Value, said: &Value) {
    for (field, wanted) in step["expect"].as_object().unwrap() {
        let got = &said[field.as_str()];
        let fits = match field.as_str() {
            "ids" => got.as_array().map(Vec::len) == wanted.as_u64().map(|n| usize::try_from(n).unwrap()),
            "dropped" => got.is_string() == wanted.as_bool().unwrap(),
            "says" => got.as_str().is_some_and(|text| text.contains(wanted.as_str().unwrap())),
            _ => got == wanted,
        };
        assert!(fits, "{name}: {field} of {step}\n  is {said}");
    }
}

fn check_cases(language: &Language) {
    if !has(language.interpreter, "--version") {
        return;
    }
    let cases: Vec<Value> = serde_json::from_str(include_str!("../fixtures/producers/cases.json")).unwrap();
    for case in cases {
        let name = format!("{}, {}", language.interpreter, case["name"].as_str().unwrap());
        let user = with_two_documents();
        let said = played(&user, language, &case);
        let steps = case["steps"].as_array().unwrap();
        assert_eq!(said.len(), steps.len(), "{name}");
        for (step, said) in steps.iter().zip(&said) {
            assert_step(&name, step, said);
        }
        let notes = fs::read_to_string(user.root().join("notes.md")).ok();
        assert_eq!(notes.as_deref(), case["notes"].as_str(), "{name}");
        let failed = case["failed"].as_u64().unwrap_or(0);
        assert_eq!(
            user.json(["list", "failed"]).as_array().map(Vec::len),
            usize::try_from(failed).ok(),
            "{name}"
        );
        user.assert_clean();
    }
}

#[test]
fn the_python_module_does_what_its_cases_say() {
    check_cases(&PYTHON);
}

#[test]
fn the_node_module_does_what_its_cases_say() {
    check_cases(&NODE);
}

/// One entry left without the program.
const LEFT: &str = r#"{"name": "left", "steps": [{"do": "enqueue", "without": true,
    "what": {"key": {"kb": "notes", "heading": "Log"}, "operation": "append", "content": "- left"}}]}"#;

#[test]
fn without_a_home_of_our_own_nothing_is_left() {
    for language in [PYTHON, NODE] {
        if !has(language.interpreter, "--version") {
            continue;
        }
        let case: Value = serde_json::from_str(LEFT).unwrap();
        let none = User::bare();
        let said = played(&none, &language, &case);
        assert!(said[0]["says"].as_str().unwrap().contains("last-word init"), "{said:?}");
        assert!(none.tree().keys().all(|path| !path.ends_with("pending")), "no home was made");
        let open = with_two_documents();
        fs::set_permissions(open.home(), fs::Permissions::from_mode(0o777)).unwrap();
        let said = played(&open, &language, &case);
        assert!(said[0]["says"].as_str().unwrap().contains("others can write"), "{said:?}");
        assert!(open.files("pending").is_empty() && open.files("tmp").is_empty());
    }
}

/// What the kernel was asked, in order: the file's bytes, the rename, both directories. strace counts it.
#[test]
fn what_is_left_without_the_program_is_durable_and_whole() {
    for language in [PYTHON, NODE] {
        if !has(language.interpreter, "--version") || !has("strace", "--version") {
            continue;
        }
        let user = with_two_documents();
        let log = user.root().join("strace.log");
        let driver = project("fixtures/producers").join(language.driver);
        let mut command = started(&user, "strace");
        command.args(["-f", "-y", "-s", "0", "-e", "trace=fsync,fdatasync,rename,renameat,renameat2", "-o"]);
        command.arg(&log).arg(language.interpreter).arg(driver).env("MODULE", project(language.module));
        let case = user.root().join("case.json");
        fs::write(&case, LEFT).unwrap();
        let output = command.stdin(fs::File::open(case).unwrap()).output().unwrap();
        if !output.status.success() {
            skipped(format!("strace cannot trace here: {}", String::from_utf8_lossy(&output.stderr)));
            continue;
        }
        let asked = asked_of_the_kernel(&fs::read_to_string(log).unwrap(), &user.home());
        assert_eq!(
            asked,
            ["fsync tmp/", "rename tmp/ pending/", "fsync pending", "fsync tmp"],
            "{}",
            language.interpreter
        );
        let name = &user.files("pending")[0];
        let mode = fs::metadata(user.home().join("pending").join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

/// The calls that touch the home, as `verb place`: a file by the directory it is in, with a slash behind.
fn asked_of_the_kernel(log: &str, home: &Path) -> Vec<String> {
    let home = format!("{}/", home.display());
    let ours = log.lines().filter(|line| line.contains(&home));
    ours.map(|line| {
        let verb = if line.contains("rename") { "rename" } else { "fsync" };
        let places = line.split(&home).skip(1).map(|rest| {
            let path = rest.split(['"', '>']).next().unwrap();
            path.split_once('/').map_or_else(|| path.to_owned(), |(directory, _)| format!("{directory}/"))
        });
        format!("{verb} {}", places.collect::<Vec<_>>().join(" "))
    })
    .collect()
}

// ---- the cookbook ----

/// The code of the page: the language and the text of each block, in order.
fn recipes() -> Vec<(String, String)> {
    let page = fs::read_to_string(project("docs/COOKBOOK.md")).unwrap();
    let blocks = page.split("\n```").skip(1).step_by(2);
    blocks
        .map(|block| block.split_once('\n').unwrap())
        .map(|(l, t)| (l.to_owned(), format!("{t}\n")))
        .collect()
}

/// Runs a recipe where `last-word` is on PATH; `None`, said, where its language is not installed.
fn cooked(user: &User, language: &str, text: &str) -> Option<Output> {
    let bin = user.root().join("bin");
    fs::create_dir(&bin).unwrap();
    symlink(binary(), bin.join("last-word")).unwrap();
    let file = |name: &str| {
        let path = user.root().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let mut command = match language {
        "bash" => has("bash", "--version").then(|| with(started(user, "bash"), &[&file("recipe.sh")]))?,
        "python" => has("python3", "--version").then(|| {
            symlink(project("packaging/python/last_word.py"), user.root().join("last_word.py")).unwrap();
            with(started(user, "python3"), &[&file("recipe.py")])
        })?,
        "js" => has("node", "--version").then(|| {
            let beside = user.root().join("last-word.mjs");
            fs::copy(project("packaging/node/last-word.mjs"), beside).unwrap();
            with(started(user, "node"), &[&file("recipe.mjs")])
        })?,
        "rust" => has("rustc", "--version").then(|| {
            let program = user.root().join("recipe");
            let mut compiler = with(started(user, "rustc"), &[&file("recipe.rs")]);
            let built = compiler.args(["--edition", "2024", "-o"]).arg(&program).output().unwrap();
            assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
            started(user, program.to_str().unwrap())
        })?,
        "go" => has("go", "version").then(|| {
            let mut go = with(started(user, "go"), &[Path::new("run"), &file("recipe.go")]);
            go.env("GOTOOLCHAIN", "local");
            go
        })?,
        other => panic!("who runs {other}?"),
    };
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    command.env("PATH", path).env_remove("LAST_WORD_PROGRAM");
    Some(command.output().unwrap())
}

fn with(mut command: Command, args: &[&Path]) -> Command {
    command.args(args);
    command
}

#[test]
fn every_recipe_of_the_cookbook_leads_to_a_merged_document() {
    let recipes = recipes();
    let languages: Vec<&str> = recipes.iter().map(|(language, _)| language.as_str()).collect();
    assert_eq!(languages, ["bash", "python", "js", "rust", "go", "bash"]);
    for (language, text) in recipes {
        let user = User::new();
        let Some(output) = cooked(&user, &language, &text) else { continue };
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{language}: {said}{}", String::from_utf8_lossy(&output.stderr));
        // By the program: a job has an id, which is printed. Without it: nothing is.
        assert_eq!(said.trim().len(), if text.contains("/pending/") { 0 } else { 36 }, "{language}: {said}");
        user.run(["work"]).ok();
        let known = fs::read_to_string(user.user_md()).unwrap();
        assert!(known.contains("## Practices\n\n- deploys need `make check` first\n"), "{language}: {known}");
    }
}
