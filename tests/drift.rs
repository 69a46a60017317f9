//! `drift` as a person, a CI job and a hook of git run it: a renamed directory makes it point at the one line that lies, a repository
//! in order is in order, and what it proposes waits for a yes.

use crate::support::{User, skipped};
use last_word::{DriftFollower, Home, Host, Timestamp};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const DOCUMENT: &str = "# Map\n\n- `src/auth/session.rs`: who is logged in\n- `src/wire/codec.rs`: how bytes go\n\n## Work\n\nRun `make check`; see [the guide](docs/guide.md#start).\n";

/// A user with a repository in order; its `AGENTS.md` is the knowledge base `project`.
fn user() -> (User, PathBuf) {
    let user = User::new();
    let project = user.root().join("app");
    for (path, text) in [
        (".git/HEAD", ""),
        ("AGENTS.md", DOCUMENT),
        ("CHANGELOG.md", "- removed `src/old/gone.rs`, see [x](gone.md)\n"),
        ("src/auth/session.rs", "//\n"),
        ("src/wire/codec.rs", "//\n"),
        ("docs/guide.md", "# Guide\n\n## Start\n"),
        ("Makefile", "check:\n\ttrue\n"),
        ("node_modules/x/README.md", "[gone](gone.md)\n"),
    ] {
        let path = project.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    (user, project)
}

fn drift(user: &User, dir: &Path, args: &[&str]) -> (i32, String) {
    let output = user.command([&["drift"], args].concat()).current_dir(dir).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn a_renamed_directory_makes_it_point_at_the_line_that_lies() {
    let (user, project) = user();
    assert_eq!(drift(&user, &project, &[]), (0, String::new()), "in order");
    fs::rename(project.join("src/auth"), project.join("src/login")).unwrap();
    let (code, said) = drift(&user, &project, &[]);
    assert_eq!(code, 4);
    assert_eq!(
        said,
        "AGENTS.md:3  src/auth/session.rs: there is no such file or directory; now: src/login/session.rs\n"
    );
    // From below, and by name: the same line.
    assert_eq!(drift(&user, &project.join("src"), &["../AGENTS.md"]), (4, said));
    assert_eq!(drift(&user, &project, &["docs"]).0, 0, "another part of the repository");
    let output = user.command(["--json", "drift"]).current_dir(&project).output().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((json["lines"][0]["line"].as_u64(), &json["lines"][0]["check"]), (Some(3), &"path".into()));
    assert_eq!((json["whole"].as_bool(), json["documents"].as_u64()), (Some(true), Some(2)));
}

#[test]
fn it_needs_no_home() {
    let (user, project) = user();
    fs::remove_file(project.join("docs/guide.md")).unwrap();
    fs::remove_dir_all(user.home()).unwrap();
    let (code, said) = drift(&user, &project, &[]);
    assert_eq!((code, said.lines().count()), (4, 1), "{said}");
    assert!(said.starts_with("AGENTS.md:8  docs/guide.md#start: the link leads to no file"), "{said}");
    assert_eq!(drift(&user, &project, &["nowhere"]).0, 1);
}

#[test]
fn status_has_a_line_where_a_managed_document_drifted() {
    let (user, project) = user();
    let status = |user: &User| {
        let output = user.command(["status"]).current_dir(&project).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(!status(&user).contains("any more"), "{}", status(&user));
    fs::rename(project.join("src/auth"), project.join("src/login")).unwrap();
    let said = status(&user);
    assert!(
        said.contains("1 line of this project's documents is not so any more (first: AGENTS.md:3)"),
        "{said}"
    );
}

/// `status --watch` shows its screen each second, and a project has thousands of files.
#[test]
fn who_asks_again_and_again_is_told_what_was_found_half_a_minute_ago() {
    let (user, project) = user();
    let clock = Arc::new(AtomicU64::new(1_760_000_000_000));
    let now = Arc::clone(&clock);
    let host = Host::system().with_clock(move || Timestamp(now.load(Ordering::Relaxed)));
    let home = Home::open(user.home(), user.root(), host).unwrap();
    let mut follower = DriftFollower::default();
    let mut looked = |seconds: u64| {
        clock.fetch_add(seconds * 1000, Ordering::Relaxed);
        home.drifted_lately(&project, &mut follower).len()
    };
    assert_eq!(looked(0), 0, "in order");
    fs::rename(project.join("src/auth"), project.join("src/login")).unwrap();
    assert_eq!((looked(1), looked(28), looked(1)), (0, 0, 1));
    fs::rename(project.join("src/login"), project.join("src/auth")).unwrap();
    assert_eq!((looked(29), looked(1)), (1, 0));
}

#[test]
fn what_it_proposes_waits_for_a_yes_and_is_proposed_once() {
    let (user, project) = user();
    fs::rename(project.join("src/auth"), project.join("src/login")).unwrap();
    fs::write(project.join("Makefile"), "build:\n\ttrue\n").unwrap();
    let path = project.join("AGENTS.md");
    let run = |args: &[&str]| {
        let output = user.command(args).current_dir(&project).output().unwrap();
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
    };
    let said = run(&["drift", "--propose"]);
    assert!(said.contains("2 proposals wait for your yes"), "{said}");
    assert!(run(&["drift", "--propose"]).contains("0 proposals wait"));
    run(&["work"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), DOCUMENT, "nothing is rewritten by itself");
    assert_eq!(user.files("staging/review").len(), 2);
    run(&["review", "--all", "--approve"]);
    run(&["work"]);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("- `src/login/session.rs`: who is logged in\n"), "{text}");
    assert!(text.contains("<!-- drift: the Makefile has no such target -->"), "{text}");
}

#[test]
#[cfg(unix)]
fn a_link_of_the_repository_does_not_lead_out_of_it() {
    let (user, project) = user();
    let private = user.root().join("private.md");
    fs::write(&private, "# Private\n\nasked [Dr. Who](why-i-see-a-doctor.md) about it\n").unwrap();
    std::os::unix::fs::symlink(&private, project.join("docs/linked.md")).unwrap();
    assert_eq!(drift(&user, &project, &[]), (0, String::new()));
    // One that stays within it is read.
    fs::write(project.join("docs/own.md"), "# Own\n\nSee [gone](gone.md).\n").unwrap();
    std::os::unix::fs::symlink("own.md", project.join("docs/inside.md")).unwrap();
    let (code, said) = drift(&user, &project, &[]);
    assert!(code == 4 && said.contains("docs/own.md:3"), "{said}");
}

/// The step and the hook that docs/DRIFT.md shows, as they stand there: a commit that leaves a line lying is not made.
#[test]
#[cfg(unix)]
fn as_a_step_of_ci_and_before_each_commit() {
    let (user, project) = user();
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/DRIFT.md")).unwrap();
    let shown = |above: &str| {
        let (_, rest) = page.split_once(above).unwrap();
        rest.split_once("```sh\n").unwrap().1.split_once("```").unwrap().0.to_owned()
    };
    let (step, hook) = (shown("**In CI**"), shown("**Before each commit**"));
    let bin = Path::new(crate::support::binary()).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    // As the user's commands are, but for another program.
    let run = |program: &str, args: &[&str]| {
        let mut command = Command::new(program);
        command.args(args).current_dir(&project).env_clear().env("PATH", &path).env("HOME", user.root());
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        command.output().map(|output| (output.status.code(), String::from_utf8(output.stdout).unwrap()))
    };
    fs::remove_dir_all(project.join(".git")).unwrap();
    if run("git", &["init", "-q"]).is_err() {
        skipped("there is no git here");
        return;
    }
    crate::support::write_program(&project.join(".git/hooks/pre-commit"), &hook);
    let commit = || {
        run("git", &["add", "--all"]).unwrap();
        run("git", &["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "-m", "x"]).unwrap()
    };
    assert_eq!(commit().0, Some(0), "in order");
    assert_eq!(run("sh", &["-e", "-c", &step]).unwrap(), (Some(0), String::new()));
    fs::rename(project.join("src/auth"), project.join("src/login")).unwrap();
    let (code, said) = run("sh", &["-e", "-c", &step]).unwrap();
    assert_eq!(code, Some(4));
    assert!(said.starts_with("AGENTS.md:3  src/auth/session.rs"), "{said}");
    assert_ne!(commit().0, Some(0));
    fs::write(project.join("AGENTS.md"), DOCUMENT.replace("src/auth", "src/login")).unwrap();
    assert_eq!(commit().0, Some(0));
    assert_eq!(run("git", &["rev-list", "--count", "HEAD"]).unwrap().1.trim(), "2");
}

/// Each thing in a line is judged by that line: of thousands in a long one, the last are not decided.
#[test]
fn a_long_line_is_looked_at_within_limits() {
    let (user, project) = user();
    let links = |end: &str| (0..3000).map(|n| format!("[a](docs/gone-{n}.md){end}")).collect::<String>();
    let found = |text: String| {
        fs::write(project.join("docs/begin.md"), text).unwrap();
        drift(&user, &project, &[]).1.lines().filter(|line| line.starts_with("docs/begin.md")).count()
    };
    assert_eq!(found(links("\n")), 3000);
    let decided = found(links(" "));
    assert!((1..3000).contains(&decided), "{decided}");
}

/// Thirteen objects of a repository are 10¹² empty directories: it ends all the same.
#[test]
fn a_tree_without_an_end_is_left() {
    let (user, project) = user();
    let git = |args: &[&str], input: &str| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b.c"]).args(args);
        command.current_dir(&project).env("HOME", user.root()).env("GIT_CONFIG_GLOBAL", "/dev/null");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "git {args:?}");
        Some(String::from_utf8(output.stdout).unwrap().trim().to_owned())
    };
    fs::remove_dir_all(project.join(".git")).unwrap();
    if git(&["init", "-q"], "").is_none() {
        skipped("there is no git here");
        return;
    }
    let mut tree = git(&["mktree"], "").unwrap();
    for _ in 0..12 {
        let entries: String = (0..10).map(|n| format!("040000 tree {tree}\td{n}\n")).collect();
        tree = git(&["mktree"], &entries).unwrap();
    }
    let commit = git(&["commit-tree", "-m", "x", &tree], "").unwrap();
    git(&["update-ref", "HEAD", &commit], "").unwrap();
    fs::write(project.join("docs/begin.md"), "See `src/auth/gone.rs` and `src/gone/x.rs`.\n").unwrap();
    let (code, said) = drift(&user, &project, &[]);
    assert_eq!(code, 4, "{said}");
    assert!(said.contains("docs/begin.md:1"), "{said}");
}

/// What an earlier commit had is gone, whatever else can be told of it: loose or packed, committed or not. Without the commits nothing is
/// known of it.
#[test]
fn what_commits_had_is_gone() {
    let (user, project) = user();
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command
            .args(["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main"])
            .args(args);
        command.current_dir(&project).env("HOME", user.root());
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        command.output().map(|output| assert!(output.status.success(), "git {args:?}: {output:?}"))
    };
    fs::remove_dir_all(project.join(".git")).unwrap();
    if git(&["init", "-q"]).is_err() {
        println!("skipped: there is no git here");
        return;
    }
    let commit = || {
        git(&["add", "--all"]).unwrap();
        git(&["commit", "-q", "-m", "x"]).unwrap();
    };
    let text = "Begin with `src/index.js`; KIT:\n\n```sh\nnpm run serve-all\nexport KIT_LOG=1\n```\n";
    let package = |script: &str| format!("{{ \"scripts\": {{ \"{script}\": \"x\" }} }}");
    let code = |name: &str| format!("// {}\nlet a = process.env.{name};\n", "long ".repeat(200));
    for (path, text) in [
        ("docs/begin.md", text),
        ("src/index.js", &code("KIT_LOG")),
        ("src/other.js", &code("KIT_LOG")),
        ("package.json", &package("serve-all")),
    ] {
        fs::write(project.join(path), text).unwrap();
    }
    commit();
    assert_eq!(drift(&user, &project, &[]), (0, String::new()), "in order");
    fs::remove_file(project.join("src/index.js")).unwrap();
    fs::write(project.join("src/other.js"), code("OTHER_ONE")).unwrap();
    fs::write(project.join("package.json"), package("watch-it")).unwrap();
    let lines =
        |said: &str| said.lines().map(|line| line.split("  ").next().unwrap().to_owned()).collect::<Vec<_>>();
    let wanted = ["docs/begin.md:1", "docs/begin.md:4", "docs/begin.md:5"];
    let (code, said) = drift(&user, &project, &[]);
    assert_eq!((code, lines(&said)), (4, wanted.map(str::to_owned).to_vec()), "not committed");
    commit();
    assert_eq!(drift(&user, &project, &[]), (4, said.clone()), "committed, loose");
    git(&["gc", "-q"]).unwrap();
    assert_eq!(drift(&user, &project, &[]), (4, said), "packed");
    fs::remove_dir_all(project.join(".git")).unwrap();
    fs::create_dir(project.join(".git")).unwrap();
    assert_eq!(drift(&user, &project, &[]), (0, String::new()), "no commits");
}

/// What a repository inside of this one says, and what an ignored directory holds, is not asked; links are followed within it alone.
#[test]
#[cfg(unix)]
fn repositories_inside_and_ignored_directories_are_left_alone() {
    let (user, project) = user();
    let lies = "See [gone](gone.md).\n";
    for (path, text) in [
        ("worktrees/x/.git", "gitdir: elsewhere\n"),
        ("worktrees/x/README.md", lies),
        ("lib/sub/README.md", lies),
        (".gitmodules", "[submodule \"sub\"]\n\tpath = lib/sub\n"),
        ("docs/made/page.md", lies),
        ("docs/.gitignore", "made/\n"),
        ("docs/more.md", "[a](made/other.md) [b](../lib/sub/other.md) [c](../worktrees/x/other.md)\n"),
    ] {
        let path = project.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    assert_eq!(drift(&user, &project, &[]), (0, String::new()));
}

/// A document that was not looked at is not one of which all is so.
#[test]
fn what_was_not_looked_at_is_said() {
    let (user, project) = user();
    let large = "- [a](docs/gone.md)\n".repeat(1 << 20);
    fs::write(project.join("README.md"), &large[..5 << 20]).unwrap();
    let (code, said) = drift(&user, &project, &[]);
    assert_eq!(code, 4, "five megabytes are looked at");
    assert!(said.starts_with("README.md:1  docs/gone.md: the link leads to no file\n"), "{}", &said[..200]);
    fs::write(project.join("README.md"), &large).unwrap();
    fs::write(project.join("docs/old.md"), b"- caf\xe9 [a](gone.md)\n").unwrap();
    let pipe = project.join("docs/pipe.md");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let output = user.command(["drift"]).current_dir(&project).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0), "{told}");
    for line in [
        "README.md was not looked at: it is larger than 16777216 bytes\n",
        "docs/old.md was not looked at: it is no text in UTF-8\n",
        "docs/pipe.md was not looked at: it is no ordinary file\n",
        "nothing has drifted in 2 documents; 3 were not looked at\n",
    ] {
        assert!(told.contains(line), "{line}{told}");
    }
    let output = user.command(["--json", "drift"]).current_dir(&project).output().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["documents"], 2);
    let unread = json["unread"].as_array().unwrap();
    assert_eq!((unread.len(), &unread[0]["path"]), (3, &"README.md".into()), "{json}");
    // Where nothing of what was asked for was looked at, nobody knows.
    for args in [&["drift", "docs/old.md"][..], &["drift", "README.md"], &["--json", "drift", "docs/old.md"]]
    {
        let output = user.command(args).current_dir(&project).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?} {told}");
        assert!(args.contains(&"--json") || told.contains("nothing could be looked at"), "{told}");
        assert!(!told.contains("nothing has drifted"), "{told}");
    }
}
