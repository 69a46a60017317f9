//! The main job end to end, through the binary: hooks enqueue, a worker merges, an operator resolves.

use crate::support::{Said, User, write_program};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

/// A user whose document `notes.md` is there.
fn with_document() -> (User, PathBuf) {
    let user = User::new();
    let notes = user.with_notes();
    fs::write(&notes, "# Notes\n\nMine.\n\n## Log\n\n- one\n").unwrap();
    (user, notes)
}

fn fate(user: &User, id: &str) -> String {
    user.json(["verify", id])["fate"].as_str().unwrap().to_owned()
}

fn ids(said: &str) -> Vec<String> {
    said.lines().map(str::to_owned).collect()
}

/// A job that fails: its section is there twice.
fn failed_job(user: &User, notes: &Path) -> String {
    let id = user.note("Twice", "update", "x");
    let before = text(notes);
    fs::write(notes, format!("{before}\n## Twice\n\na\n\n## Twice\n\nb\n")).unwrap();
    user.run(["work"]).ok();
    assert_eq!(fate(user, &id), "failed");
    id
}

// ---- init ----

#[test]
fn init_twice_changes_nothing() {
    let user = User::bare();
    let said = user.run(["init"]).ok();
    assert!(said.contains("next (") && said.contains("last-word work"), "{said}");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&user.home()), mode(&user.home().join("config.yaml"))), (0o700, 0o600));
    assert!(user.root().join(".config/agents/SOUL.md").is_file());
    user.run(["validate"]).ok();
    let before = user.tree();
    assert!(user.run(["init"]).ok().contains("nothing to do"));
    assert_eq!(user.json(["init"])["made"], json!([]));
    assert!(user.tree() == before);
    // A person's settings are theirs; only what is kept of them for hooks is brought up to date.
    user.with_notes();
    let theirs = |user: &User| {
        let mut tree = user.tree();
        tree.retain(|path, _| !path.ends_with("config.cache"));
        tree
    };
    let before = theirs(&user);
    user.run(["init"]).ok();
    assert!(theirs(&user) == before);
}

#[test]
fn a_declaration_moved_in_waits_like_any_other() {
    let user = User::new();
    user.with_notes();
    let pending = user.home().join("pending");
    fs::write(pending.join("from-a-hook.yaml"), "version: \"1.0.0\"\n").unwrap();
    fs::write(pending.join("letter.txt"), "dear queue").unwrap();
    let status = user.json(["status"]);
    assert_eq!(status["states"][0]["count"], 1);
    assert_eq!(status["foreign"], json!(["pending/letter.txt"]));
}

#[test]
fn init_refuses_a_synchronised_folder_unless_forced() {
    let user = User::bare();
    let home = user.root().join("Dropbox/lw");
    let home = home.to_str().unwrap();
    user.run(["--home", home, "init"]).fails(1, "is in a synchronised folder (Dropbox)");
    assert!(!user.root().join("Dropbox").exists(), "nothing was made");
    user.run(["--home", home, "init", "--force"]).ok();
    user.run(["--home", home, "status", "--check"]).ok();
}

#[test]
fn init_makes_a_projects_inbox() {
    let user = User::new();
    let site = user.root().join("site");
    fs::create_dir_all(site.join(".git")).unwrap();
    Said::of(user.command(["init", "--project"]).current_dir(&site).output().unwrap()).ok();
    assert!(site.join(".agents").is_dir());
}

// ---- enqueue ----

const TWO_DOCUMENTS: &str = "version: \"1.0.0\"\nentries:\n  - { key: { kb: notes, heading: A }, content: a }\n---\n\
version: \"1.0.0\"\nentries:\n  - { key: { kb: notes, heading: B }, content: b }\n";

fn json_line(heading: &str, content: &str) -> String {
    json!({ "version": "1.0.0", "entries": [{ "key": { "kb": "notes", "heading": heading }, "content": content }] }).to_string()
}

#[test]
fn every_way_to_declare_makes_jobs() {
    let (user, notes) = with_document();
    let file = user.root().join("several.yaml");
    fs::write(&file, TWO_DOCUMENTS).unwrap();
    assert_eq!(ids(&user.run(["enqueue".as_ref(), file.as_os_str()]).ok()).len(), 2, "an id per job");
    let lines = [json_line("C", "c"), json_line("D", "d")].join("\n");
    assert_eq!(ids(&user.run_with(["enqueue", "-"], lines.as_bytes()).ok()).len(), 2);
    assert_eq!(ids(&user.run_with(["enqueue"], json_line("E", "e").as_bytes()).ok()).len(), 1);
    let args = [
        "enqueue",
        "--to",
        "notes",
        "--heading",
        "F",
        "--content",
        "-",
        "--reason",
        "said so",
        "--confidence",
        "0.9",
    ];
    user.run_with(args, b"f on stdin").ok();
    let args = [
        "enqueue",
        "--to",
        "~/notes.md",
        "--heading",
        "A",
        "--heading",
        "Sub",
        "--level",
        "3",
        "--content",
        "- sub",
    ];
    user.run(args).ok();
    assert_eq!(user.counts(), [7, 0, 0, 0, 0, 0]);
    assert_eq!(user.run(["work"]).ok(), "", "silent when all is well");
    assert_eq!(
        text(&notes),
        "# Notes\n\nMine.\n\n## Log\n\n- one\n\n## A\n\na\n\n### Sub\n\n- sub\n\n## B\n\nb\n\n## C\n\nc\n\n## D\n\nd\n\n## E\n\ne\n\n## F\n\nf on stdin\n"
    );
    assert_eq!(user.counts(), [0, 0, 0, 0, 0, 7]);
    user.assert_clean();
}

#[test]
fn one_declaration_for_several_documents_is_a_job_for_each() {
    let (user, _) = with_document();
    let other = user.root().join("other.md");
    user.configure(
        "version: 1\nknowledge_bases:\n  notes: { path: ~/notes.md }\n  other: { path: ~/other.md }\n",
    );
    let declaration = json!({ "version": "1.0.0", "entries": [
        { "key": { "kb": "notes", "heading": "A" }, "content": "a" },
        { "key": { "kb": "other", "heading": "A" }, "content": "b" },
        { "key": { "kb": "notes", "heading": "B" }, "content": "c" } ] });
    let said = user.run_with(["enqueue", "--json"], declaration.to_string().as_bytes()).ok();
    let jobs: Value = serde_json::from_str(&said).unwrap();
    let kbs: Vec<_> = jobs.as_array().unwrap().iter().map(|job| job["kb"].as_str().unwrap()).collect();
    assert_eq!(kbs, ["notes", "other"]);
    user.run(["work", "--threads", "2"]).ok();
    assert_eq!(text(&other), "## A\n\nb\n");
    assert_eq!(user.counts(), [0, 0, 0, 0, 0, 2]);
}

#[test]
fn the_same_key_is_the_same_job_whatever_happened_to_it() {
    let (user, notes) = with_document();
    let again = || {
        let said = user.run([
            "enqueue",
            "--to",
            "notes",
            "--heading",
            "Log",
            "--op",
            "append",
            "--content",
            "- two",
            "--key",
            "s1-end",
        ]);
        said.ok().trim().to_owned()
    };
    let id = again();
    assert_eq!(again(), id, "while it waits");
    assert_eq!(user.counts(), [1, 0, 0, 0, 0, 0]);
    user.run(["work"]).ok();
    assert_eq!(again(), id, "after it was merged");
    user.run(["work"]).ok();
    assert_eq!(user.counts(), [0, 0, 0, 0, 0, 1]);
    assert_eq!(text(&notes).matches("- two").count(), 1);
}

#[test]
fn an_id_that_cannot_be_printed_is_said_all_the_same() {
    for more in [None, Some("--json")] {
        let (user, _) = with_document();
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let args = ["enqueue", "--to", "notes", "--heading", "Log", "--op", "append", "--content", "x"];
        let said = user.command(args.into_iter().chain(more)).stdout(full).output().unwrap();
        let words = String::from_utf8_lossy(&said.stderr).into_owned();
        assert_eq!(said.status.code(), Some(1), "{words}");
        let id = user.json(["list", "pending"])[0]["id"].as_str().unwrap().to_owned();
        assert!(words.contains(&format!("queued all the same: {id}")), "{words}");
    }
}

#[test]
fn a_refusal_that_cannot_be_printed_has_its_exit_code() {
    let (user, _) = with_document();
    let args = ["enqueue", "--to", "nowhere", "--heading", "Log", "--op", "append", "--content", "x"];
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    assert_eq!(user.command(args).stderr(full).output().unwrap().status.code(), Some(3));
}

#[test]
fn a_key_that_stands_for_something_else_is_refused_and_loses_nothing_silently() {
    let (user, notes) = with_document();
    let declare =
        |lines: &[String]| user.run_with(["enqueue", "-", "--key", "s1-end"], lines.join("\n").as_bytes());
    let first = ids(&declare(&[json_line("A", "first"), json_line("B", "second")]).ok());
    // The same words, though somebody has got surer since.
    let surer = json_line("A", "first").replace("\"content\"", "\"meta\":{\"confidence\":0.9},\"content\"");
    assert_eq!(ids(&declare(&[surer, json_line("B", "second")]).ok()), first);
    for merged in [false, true] {
        if merged {
            user.run(["work"]).ok();
        }
        for other in [
            [json_line("A", "resumed"), json_line("B", "second")],
            [json_line("A", "first"), json_line("C", "second")],
        ] {
            let said = declare(&other).fails(3, "the key `s1-end` stands for job");
            assert!(said.contains("nothing was enqueued") && said.contains("hint: "), "{said}");
        }
        let said = declare(&[json_line("A", "resumed")]).fails(3, &first[0]);
        assert!(said.contains("last-word show"), "{said}");
        assert_eq!(user.counts().iter().sum::<usize>(), 2, "{merged}");
    }
    assert!(text(&notes).contains("first") && !text(&notes).contains("resumed"));
}

#[test]
fn wait_returns_with_the_outcome() {
    let (user, notes) = with_document();
    let wait = |seconds: &str, heading: &str| {
        user.run(["enqueue", "--to", "notes", "--heading", heading, "--content", "x", seconds])
    };
    // Nobody merges: the job is queued all the same, and its id was said.
    let said = wait("--wait=0", "Alone");
    let id = said.stdout.trim().to_owned();
    said.fails(75, "is queued, but still waiting");
    assert_eq!(user.counts(), [1, 0, 0, 0, 0, 0]);
    user.run(["work"]).ok();
    assert_eq!(fate(&user, &id), "applied");

    fs::write(&notes, text(&notes) + "\n## Twice\n\na\n\n## Twice\n\nb\n").unwrap();
    std::thread::scope(|scope| {
        let good = scope.spawn(|| wait("--wait=60", "Together"));
        let bad = scope.spawn(|| wait("--wait=60", "Twice"));
        // A worker for as long as somebody waits.
        while !good.is_finished() || !bad.is_finished() {
            user.run(["work"]).ok();
        }
        assert!(good.join().unwrap().ok().contains("applied"));
        let bad = bad.join().unwrap();
        assert_eq!(bad.code, Some(4), "{}", bad.stderr);
        assert!(bad.stdout.contains("failed"), "{}", bad.stdout);
    });
}

#[test]
fn a_shell_hook_without_the_binary() {
    let (user, notes) = with_document();
    let script = r#"
        home=$HOME/.config/agents/last-word; file=$home/tmp/hook-$$.json
        printf '%s' '{"version":"1.0.0","entries":[{"key":{"kb":"notes","heading":"Hook"},"content":"from a shell"}]}' > "$file"
        mv "$file" "$home/pending/"
    "#;
    let hook = Command::new("sh")
        .args(["-euc", script])
        .env_clear()
        .env("HOME", user.root())
        .env("PATH", "/usr/bin:/bin")
        .status();
    assert!(hook.unwrap().success());
    user.run(["work"]).ok();
    assert!(text(&notes).ends_with("\n## Hook\n\nfrom a shell\n"));
    assert_eq!(user.counts(), [0, 0, 0, 0, 0, 1]);
    user.assert_clean();
}

#[test]
fn an_inbox_is_taken_in_once_it_rests() {
    let (user, notes) = with_document();
    user.leave_in(&user.home(), "evening.md.yaml", TWO_DOCUMENTS.as_bytes());
    fs::write(user.home().join("still-typing.md.yaml"), "version:").unwrap();
    user.run(["work"]).ok();
    assert!(text(&notes).ends_with("\n## A\n\na\n\n## B\n\nb\n"));
    assert!(user.home().join("still-typing.md.yaml").exists(), "nobody's half a file is taken");
    assert_eq!(user.counts(), [0, 0, 0, 0, 0, 2]);
}

// ---- work ----

#[test]
fn work_drains_and_ends_well_though_a_job_failed() {
    let (user, notes) = with_document();
    fs::write(&notes, text(&notes) + "\n## Twice\n\na\n\n## Twice\n\nb\n").unwrap();
    user.note("Log", "append", "- two");
    let bad = user.note("Twice", "update", "x");
    user.note("Log", "append", "- three");
    let report: Value = serde_json::from_str(&user.run(["work", "--json"]).ok()).unwrap();
    assert_eq!((&report["applied"], &report["failed"]), (&json!(2), &json!(1)), "{report}");
    assert!(text(&notes).contains("## Log\n\n- one\n- two\n- three\n"), "{}", text(&notes));
    let why = user.run(["verify", &bad]);
    assert_eq!(why.code, Some(4));
    assert!(why.stdout.contains("[ambiguous]") || why.stdout.contains("ambiguous"), "{}", why.stdout);
    assert_eq!(user.counts(), [0, 0, 0, 1, 0, 2]);
}

#[test]
fn a_second_work_ends_at_once() {
    let (user, _) = with_document();
    user.note("Log", "append", "- two");
    let lock = fs::File::options().create(true).append(true).open(user.home().join("locks/run")).unwrap();
    lock.try_lock().unwrap();
    let said = user.run(["work", "-v"]);
    assert!(said.stderr.contains("another worker is running"), "{}", said.stderr);
    said.ok();
    assert_eq!(user.run(["work"]).ok(), "");
    assert_eq!(user.counts(), [1, 0, 0, 0, 0, 0], "left to the one that runs");
    // Not by dropping it: a child that another test starts in this moment has a copy until it is the program it shall be.
    lock.unlock().unwrap();
    user.run(["work"]).ok();
    assert_eq!(user.counts(), [0, 0, 0, 0, 0, 1]);
}

/// A user whose document is `sub/notes.md`, and a way to take its directory away: a file in its place.
fn in_a_directory(retry: &str) -> (User, PathBuf) {
    let user = User::new();
    let sub = user.root().join("sub");
    fs::create_dir(&sub).unwrap();
    fs::write(sub.join("notes.md"), "## Log\n\n- one\n").unwrap();
    user.configure(&format!(
        "version: 1\nknowledge_bases:\n  notes: {{ path: ~/sub/notes.md }}\n  more: {{ path: ~/sub/more.md }}\nretry: {retry}\n"
    ));
    (user, sub)
}

fn take_away(sub: &Path) {
    fs::rename(sub, sub.with_extension("away")).unwrap();
    fs::write(sub, "a file where a directory was\n").unwrap();
}

fn give_back(sub: &Path) {
    fs::remove_file(sub).unwrap();
    fs::rename(sub.with_extension("away"), sub).unwrap();
}

#[test]
fn what_may_pass_is_deferred_and_order_is_kept() {
    let (user, sub) = in_a_directory("{ retries: 3, base: 60s, cap: 60s }");
    let first = user.note("Log", "append", "- two");
    take_away(&sub);
    let report: Value = serde_json::from_str(&user.run(["work", "--json"]).ok()).unwrap();
    assert_eq!((&report["deferred"], report["next_due"].is_null()), (&json!(1), false), "{report}");
    give_back(&sub);
    let second = user.note("Log", "append", "- three");
    user.run(["work"]).ok();
    assert_eq!(user.counts(), [1, 1, 0, 0, 0, 0], "the later one waits for the earlier one");
    assert_eq!((fate(&user, &first), fate(&user, &second)), ("waiting".to_owned(), "waiting".to_owned()));
    assert_eq!(user.run(["verify", &first]).code, Some(75));
    let row = &user.json(["list", "deferred"])[0];
    assert_eq!(row["error"], "document_unreachable", "{row}");
    user.make_due();
    user.run(["work"]).ok();
    assert_eq!(text(&sub.join("notes.md")), "## Log\n\n- one\n- two\n- three\n");
    assert_eq!(user.counts(), [0, 0, 0, 0, 0, 2]);
    user.assert_clean();
}

#[test]
fn what_was_put_off_is_tried_at_once_when_that_is_asked_for() {
    let (user, sub) = in_a_directory("{ retries: 5, base: 60s, cap: 60s }");
    user.note("Log", "append", "- two");
    let to_more = ["enqueue", "--to", "more", "--heading", "Log", "--op", "append", "--content", "- three"];
    user.run(to_more).ok();
    take_away(&sub);
    user.run(["work"]).ok();
    let status = user.run(["status"]).ok();
    assert!(status.contains("last-word apply --now"), "{status}");
    let said = user.run(["apply", "--now"]).ok();
    assert!(said.contains("could not be merged yet: ") && said.contains("[document_unreachable]"), "{said}");
    give_back(&sub);
    user.run(["apply"]).ok();
    assert_eq!(user.counts(), [0, 2, 0, 0, 0, 0], "without a word they wait until they are due");
    user.run(["apply", "--now"]).ok();
    assert_eq!(text(&sub.join("notes.md")), "## Log\n\n- one\n- two\n");
    assert!(!user.run(["status"]).ok().contains("apply --now"));
}

#[test]
fn retries_end_and_then_it_needs_a_person() {
    let (user, sub) = in_a_directory("{ retries: 2, base: 1ms, cap: 2ms }");
    let id = user.note("Log", "append", "- two");
    take_away(&sub);
    user.run(["work"]).ok();
    assert_eq!(user.counts(), [0, 0, 0, 1, 0, 0]);
    let job = user.json(["show", &id]);
    assert_eq!(job["job"]["job"]["attempts"].as_array().unwrap().len(), 3, "{job}");
    give_back(&sub);
    user.run(["resolve", &id, "--retry"]).ok();
    user.run(["work"]).ok();
    assert_eq!(text(&sub.join("notes.md")), "## Log\n\n- one\n- two\n");
}

#[test]
fn what_cannot_pass_fails_at_once() {
    let (user, notes) = with_document();
    let id = user.note("Log", "append", "- two");
    fs::remove_file(&notes).unwrap();
    fs::create_dir(&notes).unwrap();
    user.run(["work"]).ok();
    assert_eq!(user.json(["verify", &id])["error"]["code"], "document_not_a_file");
    assert_eq!(user.counts(), [0, 0, 0, 1, 0, 0]);
    user.assert_clean();
}

// ---- documents ----

#[test]
fn a_link_is_kept_and_so_are_mode_and_history() {
    let user = User::new();
    let notes = user.with_notes();
    let real = user.root().join("dotfiles/notes.md");
    fs::create_dir(user.root().join("dotfiles")).unwrap();
    fs::write(&real, "# Notes\r\n\r\nMine.\r\n").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    #[cfg(target_os = "linux")]
    let given = give_extended(&real);
    symlink("dotfiles/notes.md", &notes).unwrap();
    user.note("Log", "append", "- one");
    user.run(["work"]).ok();
    assert_eq!(fs::read_link(&notes).unwrap(), Path::new("dotfiles/notes.md"));
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o7777, 0o640);
    assert_eq!(text(&real), "# Notes\r\n\r\nMine.\r\n\r\n## Log\r\n\r\n- one\r\n");
    #[cfg(target_os = "linux")]
    assert_eq!(carried(&real), given, "its access list and attributes stay");
    let beside: Vec<_> =
        fs::read_dir(real.parent().unwrap()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(beside, ["notes.md"], "nothing is left beside the document");
    let kept = user.tree().into_iter().filter(|(path, _)| path.to_str().unwrap().contains("/history/"));
    assert!(
        kept.into_iter().any(|(_, bytes)| bytes == b"# Notes\r\n\r\nMine.\r\n"),
        "the earlier version is kept"
    );
}

/// Gives a file a list that lets nobody read it through the mask its mode shows, and its group nothing; and a tag. Answers those
/// the file system takes.
#[cfg(target_os = "linux")]
fn give_extended(path: &Path) -> Vec<Option<Vec<u8>>> {
    let list: [&[u8]; 6] = [
        &[2, 0, 0, 0],
        &[0x01, 0, 6, 0, 255, 255, 255, 255],
        &[0x02, 0, 7, 0, 0xfe, 0xff, 0, 0],
        &[0x04, 0, 0, 0, 255, 255, 255, 255],
        &[0x10, 0, 4, 0, 255, 255, 255, 255],
        &[0x20, 0, 0, 0, 255, 255, 255, 255],
    ];
    for (name, value) in [("system.posix_acl_access", list.concat()), ("user.tag", b"mine".to_vec())] {
        if let Err(e) = rustix::fs::setxattr(path, name, &value, rustix::fs::XattrFlags::empty()) {
            eprintln!("left out: no {name} here: {e}");
        }
    }
    carried(path)
}

#[cfg(target_os = "linux")]
fn carried(path: &Path) -> Vec<Option<Vec<u8>>> {
    let value = |name| {
        let mut value = Vec::with_capacity(200);
        let found = rustix::fs::getxattr(path, name, rustix::buffer::spare_capacity(&mut value));
        found.ok().map(|_| value)
    };
    ["system.posix_acl_access", "user.tag"].map(value).into()
}

// ---- apply ----

#[test]
fn apply_shows_first_and_then_does() {
    let (user, notes) = with_document();
    user.configure(
        "version: 1\nknowledge_bases:\n  notes: { path: ~/notes.md }\n  other: { path: ~/other.md }\n",
    );
    user.note("Log", "append", "- two");
    user.run(["enqueue", "--to", "other", "--heading", "A", "--content", "a"]).ok();
    let before = user.tree();
    let diff = user.run(["apply", "--dry-run"]).ok();
    for line in ["--- ", "+++ ", "@@ ", "\n - one\n+- two", "+## A\n"] {
        assert!(diff.contains(line), "no `{line}` in:\n{diff}");
    }
    let changes = user.json(["apply", "--dry-run", "--file", "notes"]);
    assert_eq!(changes.as_array().unwrap().len(), 1, "{changes}");
    assert!(changes[0]["diff"].as_str().unwrap().contains("+- two"));
    assert!(user.tree() == before, "a dry run changes nothing");

    user.run(["apply", "--file", "~/notes.md"]).ok();
    assert!(text(&notes).ends_with("- one\n- two\n"));
    assert_eq!(user.counts(), [1, 0, 0, 0, 0, 1], "only that document");
    let file = user.root().join("now.yaml");
    fs::write(&file, TWO_DOCUMENTS).unwrap();
    assert!(user.run(["apply", "--dry-run", file.to_str().unwrap()]).ok().contains("+## B"));
    user.run(["apply", file.to_str().unwrap()]).ok();
    assert!(text(&notes).ends_with("## A\n\na\n\n## B\n\nb\n"));
    user.run(["apply", "--file", "nonsense"]).fails(1, "nonsense");
}

// ---- operators ----

#[test]
fn status_list_show_and_verify() {
    let (user, notes) = with_document();
    assert_eq!(user.run(["status", "--check"]).code, Some(0));
    let bad = failed_job(&user, &notes);
    let waits = user.note("Log", "append", "- two");

    let status = user.json(["status"]);
    let count = |state: &str| {
        let states = status["states"].as_array().unwrap();
        states.iter().find(|row| row["state"] == state).unwrap()["count"].clone()
    };
    assert_eq!(
        (count("pending"), count("failed"), &status["needs_somebody"]),
        (json!(1), json!(1), &json!(true))
    );
    assert_eq!(status["failures"][0]["count"], 1);
    let said = user.run(["status"]).ok();
    assert!(said.contains("failed") && said.contains("last-word resolve"), "{said}");
    let check = user.run(["status", "--check"]);
    assert_eq!((check.code, check.stdout.lines().count()), (Some(4), 1), "{}", check.stdout);

    let rows = user.json(["list"]);
    assert_eq!(rows.as_array().unwrap().len(), 2, "{rows}");
    assert_eq!(user.json(["list", "failed"])[0]["id"], json!(bad));
    assert_eq!(user.json(["list", "--text", "- two"])[0]["id"], json!(waits));
    assert_eq!(user.json(["list", "--document", "other.md"]), json!([]));
    assert!(user.run(["list"]).ok().contains(&bad));

    let shown = user.json(["show", &waits]);
    assert_eq!((&shown["state"], &shown["id"]), (&json!("pending"), &json!(waits)));
    assert!(shown["preview"]["diff"].as_str().unwrap().contains("+- two"), "{shown}");
    let said = user.run(["show", &bad]).ok();
    assert!(said.contains("error ") && said.contains("notes.md"), "{said}");

    user.run(["work"]).ok();
    let verdict = user.json(["verify", &waits]);
    assert_eq!(verdict["fate"], "applied");
    assert!(verdict["receipt"]["document_hash"].as_str().unwrap().starts_with("sha256:"), "{verdict}");
    user.run(["verify", "00000000-0000-7000-8000-000000000000"]).fails(1, "no job");
}

#[test]
fn an_id_may_be_short_but_not_ambiguous() {
    let (user, _) = with_document();
    let (one, two) = (user.note("Log", "append", "- two"), user.note("Log", "append", "- three"));
    let common = one.bytes().zip(two.bytes()).take_while(|(a, b)| a == b).count();
    assert_eq!(user.json(["show", &one[..=common]])["id"], json!(one));
    let stderr = user.run(["show", &one[..common]]).fails(1, "fits 2 jobs");
    assert!(stderr.contains(&one) && stderr.contains(&two), "{stderr}");
}

#[test]
fn resolve_retries_discards_and_reads_ids() {
    let (user, notes) = with_document();
    let id = failed_job(&user, &notes);
    let before = user.tree();
    user.run(["resolve"]).fails(2, "no job is named");
    user.run(["resolve", &id]).fails(2, "not what to do");
    assert_eq!(
        user.json(["resolve", "--all", "--discard", "--dry-run"]),
        json!({ "would": "discard", "left": [], "ids": [id] })
    );
    assert!(user.tree() == before, "nothing was done yet");

    // Retried as it is, it fails again; mended, it is merged.
    user.run_with(["resolve", "-", "--retry"], format!("{id}\n").as_bytes()).ok();
    assert_eq!(user.counts(), [1, 0, 0, 0, 0, 0]);
    user.run(["work"]).ok();
    assert_eq!(fate(&user, &id), "failed");
    fs::write(&notes, text(&notes).replacen("## Twice\n\nb\n", "", 1)).unwrap();
    assert_eq!(user.json(["resolve", &id, "--retry"])["requeued"], json!([id]));
    user.run(["work"]).ok();
    // What the person wrote there since is not replaced by a second try.
    assert_eq!(fate(&user, &id), "failed");
    assert!(text(&notes).contains("## Twice\n\na\n"), "{}", text(&notes));
    user.run(["resolve", &id, "--theirs"]).ok();
    user.run(["work"]).ok();
    assert_eq!(fate(&user, &id), "applied");
    user.run(["resolve", &id, "--retry"]).fails(1, "not in staging");
}

#[test]
fn resolve_edits_with_a_file_and_discards_with_a_reason() {
    let (user, notes) = with_document();
    let (edited, discarded) = (failed_job(&user, &notes), user.note("Twice", "update", "y"));
    user.run(["work"]).ok();
    let staged = user.home().join("staging/failed");
    let name = user.files("staging/failed").into_iter().find(|name| name.contains(&edited)).unwrap();
    let job = text(&staged.join(&name));
    assert!(job.starts_with("# last-word: this job failed"), "{job}");

    let with = user.root().join("edited.yaml");
    fs::write(&with, job.replace(&edited, &discarded)).unwrap();
    user.run(["resolve", &edited, "--edit", "--with", with.to_str().unwrap()]).fails(3, "job_block_changed");
    fs::write(&with, job.replace("Twice", "Once")).unwrap();
    // The file's own name is an id, too.
    user.run(["resolve", staged.join(&name).to_str().unwrap(), "--edit", "--with", with.to_str().unwrap()])
        .ok();
    user.run(["resolve", &discarded, "--discard", "--reason", "old news"]).ok();
    user.run(["work"]).ok();
    assert!(text(&notes).ends_with("\n## Once\n\nx\n"), "{}", text(&notes));
    let verdict = user.json(["verify", &discarded]);
    assert_eq!((&verdict["fate"], &verdict["receipt"]["reason"]), (&json!("dropped"), &json!("old news")));
    assert_eq!(user.counts(), [0, 0, 0, 0, 0, 2]);
    user.assert_clean();
}

#[test]
fn resolve_edits_in_an_editor_and_asks_on_a_terminal() {
    let (user, notes) = with_document();
    let id = failed_job(&user, &notes);
    let editor = user.root().join("editor");
    write_program(&editor, "#!/bin/sh\nsed -i 's/Twice/Once/' \"$1\"\n");
    let on_terminal = |keys: &str| user.on_terminal("resolve", keys, &editor);
    let Some(said) = on_terminal("what\ns\n") else { return };
    assert!(said.contains("[r]etry, [e]dit, [d]iscard") && said.contains("type one of"), "{said}");
    assert!(said.contains("1 left as it was"), "{said}");
    assert_eq!(fate(&user, &id), "failed");
    assert!(on_terminal("e\n").unwrap().contains("back in the queue"));
    user.run(["work"]).ok();
    assert!(text(&notes).ends_with("\n## Once\n\nx\n"), "{}", text(&notes));
    user.assert_clean();
}

/// A script as EDITOR: what it leaves cannot be read, and it never learns.
#[test]
fn an_editor_that_mends_nothing_is_not_started_for_ever() {
    // An empty text says nothing: it is no edit, and nothing is kept of it.
    for (script, rounds_max, kept) in [
        ("sed -i 's/update/nonsense/' \"$1\"", 2, true),
        ("sed -i 's/.*//' \"$1\"", 2, false),
        ("echo '- [' >> \"$1\"", 20, true),
    ] {
        let (user, notes) = with_document();
        let id = failed_job(&user, &notes);
        let editor = user.root().join("editor");
        // Were it started for ever, it would fail some day.
        let counting = "echo round >> \"$HOME/rounds\"\ntest $(wc -l < \"$HOME/rounds\") -lt 30 || exit 1";
        write_program(&editor, &format!("#!/bin/sh\n{counting}\n{script}\n"));
        let edit =
            || Said::of(user.command(["resolve", &id, "--edit"]).env("EDITOR", &editor).output().unwrap());
        let ended = edit();
        if kept {
            ended.fails(3, "--edit goes on with it");
        } else {
            assert_eq!(ended.code, Some(1), "{}", ended.stderr);
            assert!(ended.stdout.contains("1 left as it was"), "{}", ended.stdout);
        }
        let rounds = text(&user.root().join("rounds")).lines().count();
        assert!(rounds <= rounds_max, "{script}: {rounds}");
        assert_eq!(fate(&user, &id), "failed");
        write_program(&editor, "#!/bin/sh\n");
        let again = edit();
        let resumed = again.stdout.contains("going on with the edit that was not finished");
        assert_eq!(resumed, kept, "{script}: {}", again.stdout);
    }
}

#[test]
fn a_review_needs_a_persons_yes() {
    let user = User::new();
    let soul = user.root().join(".config/agents/SOUL.md");
    let declare = |heading: &str| {
        let said = user.run(["enqueue", "--to", "soul", "--heading", heading, "--content", "curious"]).ok();
        said.trim().to_owned()
    };
    let (yes, no) = (declare("Character"), declare("Voice"));
    user.run(["work"]).ok();
    assert_eq!(user.counts(), [0, 0, 0, 0, 2, 0]);
    assert_eq!(user.run(["verify", &yes]).code, Some(4));
    assert!(user.run(["review"]).ok().contains(&yes));

    let agent = user.command(["review", &yes, "--approve"]).env("LAST_WORD_SESSION", "s1").output().unwrap();
    Said::of(agent).fails(1, "an agent's session cannot");
    assert_eq!(user.counts(), [0, 0, 0, 0, 2, 0]);
    user.run(["review", "--approve"]).fails(2, "no job is named");
    user.run(["review", &yes, "--approve"]).ok();
    user.run(["review", &no, "--reject", "--reason", "not me"]).ok();
    user.run(["work"]).ok();
    let said = text(&soul);
    assert!(said.ends_with("\n## Character\n\ncurious\n") && !said.contains("Voice"), "{said}");
    assert_eq!((fate(&user, &yes), fate(&user, &no)), ("applied".to_owned(), "dropped".to_owned()));
    assert_eq!(user.counts(), [0, 0, 0, 0, 0, 2]);
}

// ---- validate, schema ----

#[test]
fn validate_names_every_place() {
    let (user, _) = with_document();
    let bad = user.root().join("bad.yaml");
    fs::write(&bad, "version: \"1.0.0\"\nentries:\n  - key: { kb: notes, haeding: A }\n    contents: x\n")
        .unwrap();
    let said = user.run(["validate", "bad.yaml"]);
    assert_eq!(said.code, Some(3));
    assert!(
        said.stdout.contains("bad.yaml:3:23: ") && said.stdout.contains("bad.yaml:4:5: "),
        "{}",
        said.stdout
    );
    let problems = &user.json(["validate", "bad.yaml"])[0]["problems"];
    assert_eq!(problems.as_array().unwrap().len(), 2, "{problems}");
    fs::write(&bad, TWO_DOCUMENTS).unwrap();
    assert!(user.run(["validate", "bad.yaml"]).ok().contains("a good declaration"));
    user.configure("version: 1\nknowledge_basis: {}\n");
    let said = user.run(["validate"]);
    assert_eq!(said.code, Some(3));
    assert!(
        said.stdout.contains("config.yaml:2:1: ") && said.stdout.contains("knowledge_bases"),
        "{}",
        said.stdout
    );
    user.run(["work"]).fails(1, "config.yaml:2:1: ");
    assert_eq!(user.counts(), [0, 0, 0, 0, 0, 0], "validating enqueues nothing");
}

#[test]
fn the_schema_is_what_init_wrote() {
    let user = User::new();
    assert_eq!(user.run(["schema"]).ok(), text(&user.home().join("schema.yaml")));
    assert!(user.json(["schema"])["properties"]["entries"].is_object());
}

#[test]
fn what_is_kept_of_the_settings_never_outlives_them() {
    let user = User::new();
    let cache = user.home().join("config.cache");
    let enqueue = || user.run(["enqueue", "--to", "notes", "--heading", "Log", "--content", "x"]);
    assert!(cache.is_file(), "`init` keeps what it read");
    assert!(enqueue().fails(3, "notes").contains("unknown"), "not in the defaults");
    user.with_notes();
    enqueue().ok();
    user.run(["work"]).ok();
    let of_notes = fs::read(&cache).unwrap();
    assert!(String::from_utf8_lossy(&of_notes).contains("notes.md"), "`work` keeps what it read");
    // It is used: what it says of the same text counts. And damage to it costs nothing.
    let other =
        String::from_utf8(of_notes.clone()).unwrap().replace(r#""name":"notes""#, r#""name":"other""#);
    fs::write(&cache, other).unwrap();
    enqueue().fails(3, "notes");
    for damaged in [&of_notes[..of_notes.len() / 2], b"", b"\0\0\0\0"] {
        fs::write(&cache, damaged).unwrap();
        enqueue().ok();
    }
    fs::remove_file(&cache).unwrap();
    fs::create_dir(&cache).unwrap();
    enqueue().ok();
    user.run(["work"]).ok();
    fs::write(user.home().join("config.yaml"), "version: 1\n").unwrap();
    enqueue().fails(3, "notes");
}

/// What is found wrong after reading has its place like what is found while reading.
#[test]
fn a_target_that_leads_nowhere_is_named_with_its_line() {
    let user = User::new();
    user.with_notes();
    let entry = |kb: &str| {
        format!(r##"{{"key":{{"kb":"{kb}","heading":"Log"}},"operation":"append","content":"- x"}}"##)
    };
    let line = |kb: &str| format!(r##"{{"version":"1.0.0","entries":[{}]}}"##, entry(kb));
    let mut lines = vec![line("notes"); 300];
    lines[200] = line("nosuch");
    let jsonl = lines.join("\n") + "\n";
    let two = format!(r##"{{"version":"1.0.0","entries":[{},{}]}}"##, entry("notes"), entry("nosuch"));
    let document = |kb: &str| {
        format!(
            "version: \"1.0.0\"\nentries:\n  - key: {{ kb: {kb}, heading: Log }}\n    operation: append\n    content: \"- x\"\n"
        )
    };
    let yaml = [document("notes"), document("notes"), document("nosuch")].join("---\n");
    let cases = [
        ("b.jsonl", jsonl.as_str(), ":201:38: "),
        ("two.json", &two, &format!(":1:{}: ", two.rfind("{\"kb\"").unwrap() + 1)),
        ("docs.yaml", &yaml, ":15:10: "),
    ];
    for (name, text, place) in cases {
        let path = user.root().join(name);
        fs::write(&path, text).unwrap();
        let path = path.to_str().unwrap();
        let says = format!("{path}{place}entry ");
        user.run(["enqueue", path]).fails(3, &says);
        user.run(["apply", path]).fails(3, &says);
        let validated = user.run(["validate", path]);
        assert!(validated.code == Some(3) && validated.stdout.starts_with(&says), "{}", validated.stdout);
        user.run_with(["enqueue"], text.as_bytes()).fails(3, &format!("standard input{place}entry "));
    }
    // Of several files the one that it is in.
    let good = user.root().join("good.json");
    fs::write(&good, line("notes")).unwrap();
    let path = user.root().join("b.jsonl");
    let stderr = user
        .run(["enqueue".as_ref(), good.as_os_str(), path.as_os_str()])
        .fails(3, "b.jsonl:201:38: entry 1");
    assert!(!stderr.contains("good.json"), "{stderr}");
    // A file that was moved in: the reason says where.
    user.drop_in(&user.home().join("pending"), "moved.yaml", yaml.as_bytes());
    user.run(["work"]).ok();
    let failed = user.json(["list", "failed"]);
    assert!(failed[0]["message"].as_str().unwrap().starts_with("15:10: entry 1"), "{failed}");
    // However many there are, no more than a person reads.
    let many = vec![line("nosuch"); 3000].join("\n");
    let stderr = user.run_with(["enqueue"], many.as_bytes()).fails(3, "standard input:2:38: ");
    assert!(stderr.contains("more_problems") && stderr.lines().count() < 12, "{stderr}");
    assert!(stderr.contains("… and 97 more like it, up to line 100"), "{stderr}");
}

#[test]
fn a_policy_that_refuses_is_named_with_its_line() {
    let user = User::new();
    user.configure(
        "version: 1\nknowledge_bases:\n  notes: { path: ~/notes.md, headings: { deny: [Mine] } }\n",
    );
    let line = |heading: &str| {
        format!(
            r##"{{"version":"1.0.0","entries":[{{"key":{{"kb":"notes","heading":"{heading}"}},"content":"- x"}}]}}"##
        )
    };
    let text = format!("{}\n{}\n{}\n", line("Log"), line("Mine"), line("Log"));
    let stderr = user.run_with(["enqueue"], text.as_bytes()).fails(3, "heading_denied");
    assert!(stderr.contains("standard input:2:1: "), "{stderr}");
}

#[test]
fn a_member_of_a_projects_family_is_found_by_its_name() {
    let user = User::new();
    user.configure("version: 1\nknowledge_bases:\n  notes: { path: \"notes/{id}.md\", root: project, title: N }\nsession_bootstrap: []\n");
    let repo = user.root().join("repo");
    fs::create_dir_all(repo.join(".git")).unwrap();
    let entry = ["enqueue", "--to", "notes:abc", "--heading", "H", "--op", "append", "--content", "- x"];
    Said::of(user.command(entry).current_dir(&repo).output().unwrap()).ok();
    user.run(["work"]).ok();
    assert!(fs::read_to_string(repo.join("notes/abc.md")).unwrap().contains("- x"));
    let outside = user.run(entry);
    outside.fails(3, "no_project");
}

#[test]
fn a_configuration_that_cannot_be_used_needs_somebody() {
    let (user, _) = with_document();
    let good = text(&user.home().join("config.yaml"));
    user.note("Log", "append", "- two");
    user.configure(&good.replace("retries: 3", "retries: -3"));
    user.run(["enqueue", "--to", "notes", "--heading", "Log", "--content", "x"])
        .fails(1, "config.yaml:6:19: ");
    user.run(["work"]).fails(1, "config.yaml:6:19: ");
    let check = user.run(["status", "--check"]);
    assert_eq!(check.code, Some(4), "{}", check.stdout);
    for said in ["NEEDS SOMEBODY: ", "config.yaml:6:19: ", "last-word validate"] {
        assert!(check.stdout.contains(said), "{said}: {}", check.stdout);
    }
    assert_eq!(check.stdout.lines().count(), 1, "one line for a monitor: {}", check.stdout);
    let screen = user.run(["status"]).ok();
    for said in ["NEEDS SOMEBODY: ", "config.yaml:6:19: ", "hint: last-word validate"] {
        assert!(screen.contains(said), "{said}: {screen}");
    }
    assert!(!screen.contains("last-word work"), "that would end with the same: {screen}");
    let status = user.json(["status"]);
    assert!(status["configuration"].as_str().unwrap().contains("config.yaml:6:19: "), "{status}");
    assert!(user.run(["metrics"]).ok().contains("\nlast_word_needs_somebody 1\n"));
    user.configure(&good);
    assert_eq!(user.run(["status", "--check"]).code, Some(0));
    assert_eq!(user.json(["status"])["configuration"], Value::Null);
    assert!(user.run(["metrics"]).ok().contains("\nlast_word_needs_somebody 0\n"));
}

/// `--key "$SESSION-end"`, where nobody has set SESSION.
#[test]
fn a_key_may_begin_with_a_hyphen() {
    let (user, _) = with_document();
    let enqueue = |flag: &[&str]| {
        let entry = ["enqueue", "--to", "notes", "--heading", "Log", "--op", "append", "--content", "- two"];
        user.run([&entry[..], flag].concat()).ok()
    };
    // Read the fast way, and the way of clap.
    let ids = [enqueue(&["--key", "-end"]), enqueue(&["--key", "-end", "-v"])];
    assert_eq!(ids[0], ids[1], "it is the same job");
    assert_eq!(user.counts()[0], 1);
}
