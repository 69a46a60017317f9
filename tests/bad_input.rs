//! Bad input and bad places, through the binary: the exit code, the message, and that nothing was lost or half-written.

use crate::support::{Said, User, skipped};
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A declaration nobody may enqueue, and what is said about it.
struct Case {
    name: &'static str,
    /// Its file's name: the ending decides how it is read.
    file: &'static str,
    bytes: Vec<u8>,
    /// Each is in the message: the error's code, and the place where there is one.
    says: &'static [&'static str],
}

fn case(
    name: &'static str,
    file: &'static str,
    bytes: impl Into<Vec<u8>>,
    says: &'static [&'static str],
) -> Case {
    Case { name, file, bytes: bytes.into(), says }
}

/// A declaration with one entry, or more, for the knowledge base `notes`.
fn declared(entries: &str) -> String {
    format!("version: \"1.0.0\"\nentries:\n{entries}")
}

fn yaml_bomb() -> String {
    let mut bomb = "version: \"1.0.0\"\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for n in 1..12 {
        let before = vec![format!("*a{}", n - 1); 10].join(", ");
        bomb.push_str(&format!("a{n}: &a{n} [{before}]\n"));
    }
    bomb + "entries: *a11\n"
}

#[rustfmt::skip]
fn cases() -> Vec<Case> {
    let two_mib = "x".repeat(2 << 20);
    vec![
        case("bad UTF-8", "d.yaml", [b"version: \"1.0.0\"\nsource: caf".as_slice(), b"\xe9\n"].concat(), &["2:12:", "not UTF-8", "bad_utf8"]),
        case("truncated JSON", "d.json", r#"{"version":"1.0.0","entries":[{"key":{"kb":"notes""#, &["1:", "json_truncated"]),
        case("empty file", "d.yaml", "", &["empty", "empty_input"]),
        case("only blanks", "d.json", " \n\n", &["empty", "empty_input"]),
        case("YAML bomb", "d.yaml", yaml_bomb(), &["too_many_aliases"]),
        case("deep nesting", "d.json", "[".repeat(100_000) + &"]".repeat(100_000), &["64", "too_deep"]),
        case("2 MiB of content in JSON", "d.json",
            format!(r#"{{"version":"1.0.0","entries":[{{"key":{{"kb":"notes","heading":"A"}},"content":"{two_mib}"}}]}}"#),
            &["1048576", "too_large"]),
        case("2 MiB of content in YAML", "d.yaml",
            declared(&format!("  - {{ key: {{ kb: notes, heading: A }}, content: \"{two_mib}\" }}\n")),
            &["262144", "too_large"]),
        case("unknown field", "d.yaml", declared("  - { key: { kb: notes, haeding: A }, content: x }\n"),
            &["3:25:", "haeding", "hint:", "unknown_field"]),
        case("unknown version", "d.yaml", "version: \"2.0.0\"\nentries: []\n", &["1:10:", "1.0.0", "unknown_version"]),
        case("duplicate (heading, level)", "d.yaml",
            declared("  - { key: { kb: notes, heading: A }, content: x }\n  - { key: { kb: notes, heading: A }, content: y }\n"),
            &["4:", "duplicate_key"]),
        case("level 7", "d.yaml", declared("  - { key: { kb: notes, heading: A, level: 7 }, content: x }\n"), &["3:44:", "bad_level"]),
        case("empty heading", "d.yaml", declared("  - { key: { kb: notes, heading: \"\" }, content: x }\n"), &["3:34:", "heading_empty"]),
        case("heading with a newline", "d.yaml", declared("  - { key: { kb: notes, heading: \"a\\nb\" }, content: x }\n"),
            &["3:34:", "heading_has_newline"]),
        case("update without content", "d.yaml", declared("  - { key: { kb: notes, heading: A }, operation: update }\n"),
            &["3:5:", "content_missing"]),
        case("delete with content", "d.yaml",
            declared("  - { key: { kb: notes, heading: A }, operation: delete, content: x }\n"), &["content_not_allowed"]),
        case("unknown knowledge base", "d.yaml", declared("  - { key: { kb: note, heading: A }, content: x }\n"),
            &["`note`", "did you mean `notes`?", "unknown_target"]),
        case("a path of no knowledge base", "d.yaml", declared("  - { key: { path: /etc/passwd, heading: A }, content: x }\n"),
            &["/etc/passwd", "unknown_target"]),
        case("../ escape", "d.yaml", declared("  - { key: { path: ../../../../../../etc/passwd, heading: A }, content: x }\n"),
            &["..", "path_escape"]),
        case("one bad entry among good ones", "d.yaml",
            declared("  - { key: { kb: notes, heading: A }, content: x }\n  - { key: { kb: notes, heading: B, level: 7 }, content: x }\n"),
            &["4:", "bad_level"]),
    ]
}

/// A user with a document, a job that waits and one that is done: what must survive every case.
fn busy() -> User {
    let user = User::new();
    let notes = user.with_notes();
    fs::write(&notes, "# Notes\n\nMine.\n").unwrap();
    user.note("Log", "append", "- one");
    user.run(["work"]).ok();
    user.note("Log", "append", "- two");
    user
}

const BUSY: [usize; 6] = [1, 0, 0, 0, 0, 1];

/// The writer opens its end when somebody reads: a reader that does not wait sees nothing, or an error.
#[test]
fn a_pipe_is_read_once_its_writer_is_there() {
    let user = User::new();
    user.with_notes();
    let pipe = user.root().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let text = "version: \"1.0.0\"\nentries:\n  - { key: { kb: notes, heading: H }, operation: append, content: \"- x\" }\n";
    fs::write(user.root().join("text"), text).unwrap();
    for args in
        [&["validate", "pipe"][..], &["enqueue", "pipe"], &["apply", "pipe"], &["validate", "/dev/stdin"]]
    {
        let mut command = user.command(args);
        let mut reader =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdin = reader.stdin.take().unwrap();
        // A process of its own: where nobody reads, opening the pipe for writing waits for ever.
        let write = format!("cat {0}/text > {0}/pipe", user.root().display());
        let mut writer =
            (args[1] == "pipe").then(|| Command::new("sh").args(["-c", &write]).spawn().unwrap());
        if writer.is_none() {
            stdin.write_all(text.as_bytes()).unwrap();
        }
        drop(stdin);
        let said = Said::of(reader.wait_with_output().unwrap());
        writer.iter_mut().for_each(|writer| writer.kill().unwrap());
        writer.iter_mut().for_each(|writer| drop(writer.wait()));
        assert_eq!(said.code, Some(0), "{args:?}: {}{}", said.stdout, said.stderr);
    }
    assert!(fs::read_to_string(user.root().join("notes.md")).unwrap().contains("- x"));
}

#[test]
fn enqueue_refuses_and_changes_nothing() {
    let user = busy();
    for Case { name, file, bytes, says } in cases() {
        let path = user.root().join(file);
        fs::write(&path, &bytes).unwrap();
        let before = user.tree();
        let by_file = user.run(["enqueue".as_ref(), path.as_os_str()]);
        let on_stdin = user.run_with(["enqueue"], &bytes);
        for (way, said) in [("file", by_file), ("standard input", on_stdin)] {
            assert_eq!(said.stdout, "", "{name} by {way}: an id is an acknowledgement");
            let stderr = said.fails(3, "nothing was enqueued");
            let missing = says.iter().find(|text| !stderr.contains(**text));
            assert_eq!(missing, None, "{name} by {way}: {}", &stderr[..stderr.len().min(800)]);
            assert!(stderr.len() < 4000, "{name} by {way}: a message, not an echo: {} bytes", stderr.len());
        }
        assert!(user.tree() == before, "{name}: something changed");
        fs::remove_file(path).unwrap();
    }
    assert_eq!(user.counts(), BUSY);
    user.assert_clean();
}

/// `fixtures/declarations/mistakes` has the commonest mistakes, each with what a person reads of it.
#[test]
fn each_common_mistake_is_refused_with_its_place_and_what_to_write() {
    let user = User::new();
    user.with_notes();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/declarations/mistakes");
    let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|end| end != "expect")).collect();
    assert!(files.len() > 50, "{}", files.len());
    for file in files {
        let name = file.display().to_string();
        let said = user.run(["enqueue".as_ref(), file.as_os_str()]);
        let stderr = said.fails(3, "nothing was enqueued");
        let expected = fs::read_to_string(format!("{name}.expect")).unwrap();
        for line in expected.lines() {
            let shown = line.strip_prefix("  hint: ").map_or(format!("{name}:{line}"), str::to_owned);
            assert!(stderr.contains(&shown), "{shown}\n{stderr}");
        }
    }
    assert_eq!(user.counts(), [0; 6]);
}

#[test]
fn a_good_file_beside_a_bad_one_is_not_enqueued_either() {
    let user = busy();
    let good = user.root().join("good.yaml");
    fs::write(&good, declared("  - { key: { kb: notes, heading: A }, content: x }\n")).unwrap();
    for Case { name, file, bytes, .. } in cases() {
        let path = user.root().join(file);
        fs::write(&path, bytes).unwrap();
        let before = user.tree();
        user.run(["enqueue".as_ref(), good.as_os_str(), path.as_os_str()]).fails(3, "nothing was enqueued");
        assert!(user.tree() == before, "{name}: something changed");
        fs::remove_file(path).unwrap();
    }
}

/// Puts every bad file somewhere and lets a worker find them: each ends verbatim in `staging/failed/`, the reason
/// beside it; what is good goes on.
#[track_caller]
fn assert_set_aside(user: &User, cases: &[Case]) {
    user.run(["work"]).ok();
    assert_eq!(user.counts(), [0, 0, 0, cases.len(), 0, 2], "{:?}", user.files("staging/failed"));
    user.assert_clean();
    let notes = fs::read_to_string(user.root().join("notes.md")).unwrap();
    assert!(notes.starts_with("# Notes\n\nMine.\n") && notes.ends_with("- one\n- two\n"), "{notes}");
    let failed = user.home().join("staging/failed");
    let names = user.files("staging/failed");
    for Case { name, bytes, says, .. } in cases {
        let mut kept = names.iter().filter(|name| name.ends_with(".original"));
        let original = kept.find(|name| fs::read(failed.join(name)).unwrap() == *bytes);
        let original = original.unwrap_or_else(|| panic!("{name}: not there verbatim"));
        let reason = fs::read_to_string(failed.join(original.replace(".original", ".yaml"))).unwrap();
        let code = says.last().unwrap();
        assert!(reason.contains(&format!("code: {code}")), "{name}: {reason}");
        assert!(reason.contains("last-word resolve "), "{name}: no next command: {reason}");
    }
    let status = user.run(["status", "--check"]);
    assert_eq!(status.code, Some(4), "{}", status.stdout);
}

#[test]
fn moved_into_pending_by_a_shell_script() {
    let user = busy();
    let cases = cases();
    for (n, Case { file, bytes, .. }) in cases.iter().enumerate() {
        user.drop_in(&user.home().join("pending"), &format!("{n}-{file}"), bytes);
    }
    assert_set_aside(&user, &cases);
}

#[test]
fn left_in_the_inbox_of_the_home() {
    let user = busy();
    let cases = cases();
    for (n, Case { bytes, .. }) in cases.iter().enumerate() {
        user.leave_in(&user.home(), &format!("{n}.md.yaml"), bytes);
    }
    assert_set_aside(&user, &cases);
    assert_eq!(left_over(&user.home()), Vec::<String>::new());
}

#[test]
fn left_in_the_inbox_of_a_project() {
    let user = busy();
    let inbox = user.root().join("work/site/.agents");
    fs::create_dir_all(&inbox).unwrap();
    let config = fs::read_to_string(user.home().join("config.yaml")).unwrap();
    user.configure(&format!("{config}projects: [~/work/site]\n"));
    let cases = cases();
    for (n, Case { bytes, .. }) in cases.iter().enumerate() {
        user.leave_in(&inbox, &format!("{n}.md.yaml"), bytes);
    }
    assert_set_aside(&user, &cases);
    assert_eq!(left_over(&inbox), Vec::<String>::new());
}

/// Declarations in an inbox, taken or not.
fn left_over(inbox: &Path) -> Vec<String> {
    let names = fs::read_dir(inbox).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.contains(".md.yaml")).collect()
}

#[test]
fn resolve_mends_one_and_ends_another() {
    let user = busy();
    let truncated = declared("  - { key: { kb: notes, heading: Mended }, content: was tor");
    user.drop_in(&user.home().join("pending"), "torn.yaml", truncated.as_bytes());
    user.drop_in(&user.home().join("pending"), "torn.json", b"{\"version\"");
    user.run(["work"]).ok();
    let rows = user.json(["list", "failed"]);
    let id_of = |code: &str| {
        let row =
            rows.as_array().unwrap().iter().find(|row| row["error"].as_str().unwrap().starts_with(code));
        row.unwrap_or_else(|| panic!("{code}: {rows}"))["id"].as_str().unwrap().to_owned()
    };
    let (yaml, json) = (id_of("yaml"), id_of("json"));

    // Still bad: said at once, and nothing moves.
    let mended = user.root().join("mended.yaml");
    fs::write(&mended, truncated.replace("was tor", "\"still torn")).unwrap();
    let before = user.tree();
    user.run(["resolve", &yaml, "--edit", "--with", mended.to_str().unwrap()]).fails(3, "mended.yaml:3:");
    unchanged_but_for_bookkeeping(&user, &before);
    assert_eq!(user.json(["status"])["dead"], serde_json::json!([]), "a refused edit is nobody's death");

    fs::write(&mended, truncated + "n }\n").unwrap();
    user.run(["resolve", &yaml, "--edit", "--with", mended.to_str().unwrap()]).ok();
    user.run(["work"]).ok();
    let notes = fs::read_to_string(user.root().join("notes.md")).unwrap();
    assert!(notes.contains("## Mended\n\nwas torn\n"), "{notes}");
    // The jobs of a file have ids of their own, also those of a mended one.
    let done = user.json(["list", "done", "--text", "was torn"]);
    assert_eq!(
        (&done[0]["what"], &done[0]["outcome"]),
        (&"update Mended".into(), &"applied".into()),
        "{done}"
    );

    assert_eq!(user.json(["verify", &yaml])["fate"], "applied", "the file's own id leads to its job");

    user.run(["resolve", &json, "--discard", "--reason", "noise"]).ok();
    assert_eq!(user.json(["verify", &json])["fate"], "dropped");
    let done: Vec<_> =
        user.tree().into_iter().filter(|(path, _)| path.to_str().unwrap().contains("/done/")).collect();
    assert!(
        done.iter().any(|(_, bytes)| bytes == b"{\"version\""),
        "what is discarded is kept beside its receipt"
    );
    assert_eq!(user.counts()[..5], [0, 0, 0, 0, 0]);
    user.assert_clean();
}

/// A knowledge base below `root` whose file is a link out of it.
fn escaping(user: &User, root: &str) -> PathBuf {
    let outside = user
        .root()
        .parent()
        .unwrap()
        .join(format!("{}-outside.md", user.root().file_name().unwrap().display()));
    fs::write(&outside, "# Not yours\n").unwrap();
    let site = user.root().join("site");
    fs::create_dir_all(site.join(".git")).unwrap();
    let link = if root == "project" { site.join("AGENTS.md") } else { user.root().join("AGENTS.md") };
    symlink(&outside, link).unwrap();
    user.configure(&format!("version: 1\nknowledge_bases:\n  linked: {{ path: AGENTS.md, root: {root} }}\n"));
    outside
}

#[test]
fn a_link_out_of_the_root_is_not_followed() {
    for root in ["project", "home"] {
        let user = User::new();
        let outside = escaping(&user, root);
        let site = user.root().join("site");
        // What is kept of the settings is brought up to date by whatever declares.
        let but_kept = |user: &User| {
            let mut tree = user.tree();
            tree.retain(|path, _| !path.ends_with("config.cache"));
            tree
        };
        let before = but_kept(&user);
        let args = ["enqueue", "--to", "linked", "--heading", "A", "--content", "x"];
        let said = Said::of(user.command(args).current_dir(&site).output().unwrap());
        said.fails(3, "symlink_escape");
        assert!(but_kept(&user) == before, "{root}: something changed");

        // The link is laid after the declaration: the worker looks again.
        let link = if root == "project" { site.join("AGENTS.md") } else { user.root().join("AGENTS.md") };
        fs::remove_file(&link).unwrap();
        let id = Said::of(user.command(args).current_dir(&site).output().unwrap()).ok();
        symlink(&outside, &link).unwrap();
        user.run(["work"]).ok();
        assert_eq!(user.json(["verify", id.trim()])["error"]["code"], "symlink_escape", "{root}");
        assert_eq!(user.counts(), [0, 0, 0, 1, 0, 0]);
        user.assert_clean();
        assert_eq!(fs::read_to_string(&outside).unwrap(), "# Not yours\n");
        fs::remove_file(outside).unwrap();
    }
}

#[test]
fn a_home_that_is_not_there_or_not_whole() {
    let user = User::bare();
    let before = user.tree();
    for command in [
        &["work"][..],
        &["status"],
        &["list"],
        &["enqueue", "--to", "user", "--heading", "A", "--content", "x"],
    ] {
        let stderr = user.run(command).fails(1, "is not a last-word home");
        assert!(stderr.contains("hint: make it with `last-word init`"), "{stderr}");
    }
    assert!(user.tree() == before && !user.home().exists(), "only `init` makes a home");
    let user = busy();
    fs::remove_dir(user.home().join("deferred")).unwrap();
    let before = user.tree();
    user.run(["work"]).fails(1, "deferred is missing");
    assert!(user.tree() == before);
    user.run(["init"]).ok();
    user.run(["work"]).ok();
    assert_eq!(user.counts(), [0, 0, 0, 0, 0, 2]);
}

#[test]
fn a_home_others_may_write_to() {
    let user = busy();
    fs::set_permissions(user.home(), fs::Permissions::from_mode(0o777)).unwrap();
    let before = user.tree();
    let stderr = user.run(["work"]).fails(1, "can be written to by others (mode 0777)");
    assert!(stderr.contains("hint: chmod 700"), "{stderr}");
    assert!(user.tree() == before);
}

/// A user whose files, and a binary of their own, are `nobody`'s where we are root.
fn busy_nobody() -> User {
    let user = busy();
    user.is_bound();
    user
}

fn set_mode(dir: &Path, mode: u32) {
    fs::set_permissions(dir, fs::Permissions::from_mode(mode)).unwrap();
}

const A_NOTE: [&str; 9] =
    ["enqueue", "--to", "notes", "--heading", "Log", "--op", "update", "--content", "x"];

#[test]
fn a_home_that_cannot_be_read() {
    let user = busy_nobody();
    for mode in [0o000, 0o600] {
        set_mode(&user.home(), mode);
        for args in [&A_NOTE[..], &["work"], &["status"]] {
            let said = Said::of(user.bound(args).output().unwrap());
            assert_eq!(said.stdout, "");
            let stderr = said.fails(1, "Permission denied");
            assert!(stderr.contains(user.home().to_str().unwrap()), "which file: {stderr}");
            assert!(stderr.contains("hint: check the owner and permissions"), "{stderr}");
        }
        set_mode(&user.home(), 0o700);
    }
    assert_eq!(user.counts(), BUSY);
    user.assert_clean();
    Said::of(user.bound(&["work"]).output().unwrap()).ok();
    assert_eq!(user.counts(), [0, 0, 0, 0, 0, 2], "nothing was lost");
}

#[test]
fn a_home_whose_bits_forbid_writing() {
    let user = busy_nobody();
    let dirs = ["", "tmp", "pending", "deferred", "processing", "locks", "keys", "done", "journal"];
    dirs.iter().for_each(|dir| set_mode(&user.home().join(dir), 0o500));
    let before = user.tree();
    for args in [&A_NOTE[..], &["work"]] {
        let said = Said::of(user.bound(args).output().unwrap());
        assert_eq!(said.stdout, "");
        said.fails(1, "Permission denied");
    }
    // Looking is possible all the same.
    Said::of(user.bound(&["status"]).output().unwrap()).ok();
    dirs.iter().for_each(|dir| set_mode(&user.home().join(dir), 0o700));
    unchanged_but_for_bookkeeping(&user, &before);
    Said::of(user.bound(&["work"]).output().unwrap()).ok();
    assert_eq!(user.counts(), [0, 0, 0, 0, 0, 2], "nothing was lost");
}

/// A counter in `locks/` may have moved on, and the journal says that a run could not begin; everything else must be as it
/// was.
#[track_caller]
fn unchanged_but_for_bookkeeping(user: &User, before: &std::collections::BTreeMap<PathBuf, Vec<u8>>) {
    let without = |tree: &std::collections::BTreeMap<PathBuf, Vec<u8>>| {
        let mut tree = tree.clone();
        tree.retain(|path, _| !path.to_str().unwrap().contains("/locks/"));
        for (_, lines) in tree.iter_mut().filter(|(path, _)| path.to_str().unwrap().contains("/journal/")) {
            let text = String::from_utf8(std::mem::take(lines)).unwrap();
            let kept = text.split_inclusive('\n').filter(|line| !line.contains("\"event\":\"trouble\""));
            *lines = kept.collect::<String>().into_bytes();
        }
        tree
    };
    let (now, before) = (without(&user.tree()), without(before));
    let paths = now.keys().chain(before.keys());
    let changed: Vec<&PathBuf> = paths.filter(|path| now.get(*path) != before.get(*path)).collect();
    assert!(changed.is_empty(), "something changed: {changed:?}");
    user.assert_clean();
}

/// A command in a mount namespace of its own, after `mounts`; `None` where we may not make one.
fn with_mounts(user: &User, mounts: &str, args: &[&str]) -> Option<Said> {
    let flags = if rustix::process::geteuid().is_root() { "-m" } else { "-rm" };
    let allowed = Command::new("unshare").args([flags, "sh", "-c", "mount -t tmpfs none /mnt"]).output();
    if !allowed.is_ok_and(|output| output.status.success()) {
        skipped(format!("this test needs a mount namespace (`unshare {flags}`), and may not make one here"));
        return None;
    }
    let mut command = Command::new("unshare");
    command
        .args([flags, "sh", "-c", &format!("{mounts}\nexec \"$0\" \"$@\""), crate::support::binary()])
        .args(args);
    command
        .env_clear()
        .env("HOME", user.root())
        .env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin")
        .env("HOME_DIR", user.home());
    Some(Said::of(command.current_dir(user.root()).output().unwrap()))
}

#[test]
fn a_home_on_a_read_only_file_system() {
    let user = busy();
    let before = user.tree();
    let read_only =
        "set -e; mount --bind \"$HOME_DIR\" \"$HOME_DIR\"; mount -o remount,bind,ro \"$HOME_DIR\"";
    for args in [&A_NOTE[..], &["work"]] {
        let Some(said) = with_mounts(&user, read_only, args) else { return };
        assert_eq!(said.stdout, "");
        let stderr = said.fails(1, "Read-only file system");
        assert!(stderr.contains("hint: the file system is read-only"), "{stderr}");
    }
    assert!(user.tree() == before, "something changed");
    user.run(["work"]).ok();
    assert_eq!(user.counts(), [0, 0, 0, 0, 0, 2], "nothing was lost, and no attempt was spent");
}

#[test]
fn a_state_directory_on_another_file_system() {
    let user = busy();
    let before = user.tree();
    for dir in ["pending", "processing", "staging/failed", "done", "tmp"] {
        let elsewhere = format!("set -e; mount -t tmpfs -o mode=700 none \"$HOME_DIR/{dir}\"");
        for args in [&A_NOTE[..], &["work"], &["init"]] {
            let Some(said) = with_mounts(&user, &elsewhere, args) else { return };
            assert_eq!(said.stdout, "");
            let stderr = said.fails(1, "is on another file system than");
            assert!(stderr.contains(&format!("{dir} is on")) && stderr.contains("hint: move"), "{stderr}");
        }
    }
    assert!(user.tree() == before, "something changed");
}

/// What costs more to read than anybody's document is worth is refused before it is parsed, and holds up nobody.
#[test]
fn a_document_with_too_much_markup_is_refused_and_the_others_go_on() {
    let user = User::new();
    let huge = user.root().join("huge.md");
    let other = user.root().join("other.md");
    let path = |path: &Path| path.display().to_string();
    user.configure(&format!(
        "version: 1\nknowledge_bases:\n  huge: {{ path: {}, title: H }}\n  other: {{ path: {}, title: O }}\n",
        path(&huge),
        path(&other)
    ));
    for (text, says) in
        [("#\n".repeat(400_000), "400000 headings"), ("> ".repeat(200_000), "line 1 opens more than 10000")]
    {
        fs::write(&huge, &text).unwrap();
        for kb in ["huge", "other"] {
            user.run([
                "enqueue",
                "--to",
                kb,
                "--heading",
                "A",
                "--op",
                "append",
                "--content",
                &format!("- {says}"),
            ])
            .ok();
        }
        user.run(["work"]);
        assert_eq!(fs::read_to_string(&huge).unwrap(), text);
        assert!(
            fs::read_to_string(&other).unwrap().contains(says),
            "the other document's job waits for this one"
        );
        let said = user.run(["read", "huge"]).fails(1, says);
        assert!(said.contains("split the document"), "{said}");
    }
    assert_eq!(user.files("staging/failed").len(), 2);
}

/// Arguments that are no text, and an input that is not even read: a message each, with what to do, and never a panic.
#[test]
fn what_cannot_be_an_argument_or_is_far_too_large_is_refused_with_a_hint() {
    let user = User::new();
    user.with_notes();
    let odd = std::ffi::OsStr::from_bytes(b"\xff");
    for before in [&[][..], &["enqueue", "--to", "notes", "--content"], &["read"], &["list"]] {
        let mut command = user.command(before);
        let said = Said::of(command.arg(odd).output().unwrap());
        assert!(matches!(said.code, Some(1 | 2)), "{before:?}: {:?} {}", said.code, said.stderr);
        assert!(!said.stderr.contains("panicked"), "{before:?}: {}", said.stderr);
    }
    let large = vec![b'x'; (16 << 20) + 1];
    let stderr = user.run_with(["enqueue", "-"], &large).fails(3, "larger than 16777216 bytes");
    assert!(stderr.contains("hint: split it"), "{stderr}");
    assert_eq!(user.counts(), [0; 6]);
}
