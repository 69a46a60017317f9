//! Files near the working directory, or that others can write, decide nothing. An inbox counts only in a project that a
//! person listed; the home and its configuration count only where they are ours alone.

use crate::support::{NOBODY, Said, User, binary, skipped};
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const CONFIG: &str = "version: 1\nknowledge_bases:\n  user: { path: ~/USER.md, title: User, policy: auto }\n  \
    project: { path: AGENTS.md, root: project, title: Project, policy: auto }\nsession_bootstrap: [user, project]\n";

/// A user who is neither root nor `NOBODY`.
const STRANGER: u32 = 65533;

fn user() -> User {
    let user = User::new();
    user.configure(CONFIG);
    user
}

fn declaring(kb: &str) -> String {
    format!(
        "version: \"1.0.0\"\nentries:\n  - {{key: {{kb: {kb}, heading: Left}}, operation: append, content: \"- left\", meta: {{trust: user, confidence: 1}}}}\n"
    )
}

/// A repository with an inbox, and a declaration for this knowledge base in it.
fn repository(user: &User, kb: &str) -> PathBuf {
    let repo = user.root().join("repo");
    fs::create_dir_all(repo.join(".git")).unwrap();
    fs::create_dir_all(repo.join(".agents")).unwrap();
    leave(user, &repo, kb);
    repo
}

fn leave(user: &User, repo: &Path, kb: &str) {
    user.leave_in(&repo.join(".agents"), "z.md.yaml", declaring(kb).as_bytes());
}

fn list(user: &User) {
    user.configure(&format!("{CONFIG}projects: [~/repo]\n"));
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn run_in(user: &User, dir: &Path, args: &[&str]) -> Said {
    Said::of(user.command(args).current_dir(dir).output().unwrap())
}

/// Whether we are root, who alone can give files to others; says so where a test is skipped for it.
fn is_root() -> bool {
    let root = rustix::process::geteuid().is_root();
    if !root {
        skipped("only root can make files of another user");
    }
    root
}

#[test]
fn what_is_no_file_is_left_in_an_inbox_and_named() {
    let user = user();
    let repo = repository(&user, "project");
    list(&user);
    user.run(["work"]).ok();
    let outside = user.root().join("outside.yaml");
    fs::write(&outside, declaring("project")).unwrap();
    symlink(&outside, repo.join(".agents/l.md.yaml")).unwrap();
    fs::create_dir(repo.join(".agents/d.md.yaml")).unwrap();
    let said = user.run(["work"]);
    for (name, what) in [("l.md.yaml", "is a link"), ("d.md.yaml", "is a directory")] {
        assert!(said.stderr.contains(name) && said.stderr.contains(what), "{}", said.stderr);
    }
    said.ok();
    assert_eq!(fs::read_to_string(repo.join("AGENTS.md")).unwrap().matches("- left").count(), 1);
    let check = user.run(["status", "--check"]);
    assert!(check.stdout.contains("2 left in inboxes"), "{}", check.stdout);
}

#[test]
fn a_repository_nobody_listed_declares_nothing() {
    let user = user();
    let repo = repository(&user, "user");
    let left = repo.join(".agents/z.md.yaml");
    let below = repo.join("src/deep");
    fs::create_dir_all(&below).unwrap();
    for dir in [&repo, &below] {
        for args in [&["work"][..], &["apply"], &["work", "--join"]] {
            run_in(&user, dir, args).ok();
            let mut by_agent = user.command(args);
            Said::of(by_agent.env("CLAUDECODE", "1").current_dir(dir).output().unwrap()).ok();
        }
        assert!(left.exists() && !user.root().join("USER.md").exists());
        assert_eq!(user.counts(), [0; 6], "nothing was taken in");
        // It is named, with what lists the project, and `work` is not what helps.
        for command in ["status", "doctor"] {
            let said = run_in(&user, dir, &[command]);
            let line =
                said.stdout.lines().find(|line| line.contains("not listed")).unwrap_or_default().to_owned();
            assert!(line.contains("1 declaration in ~/repo/.agents"), "{command}: {}", said.stdout);
            assert!(line.contains("last-word init --project"), "{line}");
            assert!(!line.contains("last-word work"), "{line}");
        }
        let status = run_in(&user, dir, &["status", "--json"]).ok();
        let status: serde_json::Value = serde_json::from_str(&status).unwrap();
        assert_eq!((&status["unlisted"]["files"], &status["needs_somebody"]), (&1.into(), &false.into()));
    }
    // From elsewhere nobody hears of it.
    assert!(!user.run(["status"]).ok().contains("not listed"));
}

#[test]
fn a_person_lists_the_project_and_its_inbox_counts_for_its_own_documents() {
    let user = user();
    let config = format!("# mine\n{CONFIG}projects: [] # none yet\n");
    fs::write(user.home().join("config.yaml"), config).unwrap();
    user.lets_tests_decide();
    let config = fs::read_to_string(user.home().join("config.yaml")).unwrap();
    mode(&user.home().join("config.yaml"), 0o640);
    let repo = repository(&user, "project");
    let mut by_agent = user.command(["init", "--project"]);
    Said::of(by_agent.env("CLAUDECODE", "1").current_dir(&repo).output().unwrap()).fails(1, "an agent");
    // Nor does what left its parents and its environment behind.
    let mut orphan = Command::new("setsid");
    orphan.args(["-w", binary(), "init", "--project"]).env_clear().env("HOME", user.root());
    Said::of(orphan.current_dir(&repo).stdin(Stdio::null()).output().unwrap())
        .fails(1, "only a person can list a project");
    assert_eq!(fs::read_to_string(user.home().join("config.yaml")).unwrap(), config);

    let said = run_in(&user, &repo, &["init", "--project"]).ok();
    assert!(said.contains("listed ~/repo in config.yaml"), "{said}");
    let listed = config.replace("projects: []", "projects: [~/repo]");
    assert_eq!(fs::read_to_string(user.home().join("config.yaml")).unwrap(), listed);
    let now = fs::metadata(user.home().join("config.yaml")).unwrap().permissions().mode();
    assert_eq!(now & 0o777, 0o640, "its mode is kept");
    let again = run_in(&user, &repo, &["init", "--project"]).ok();
    assert!(again.contains("listed in config.yaml already"), "{again}");
    assert_eq!(fs::read_to_string(user.home().join("config.yaml")).unwrap(), listed);

    // From anywhere.
    user.run(["work"]).ok();
    assert_eq!(fs::read_to_string(repo.join("AGENTS.md")).unwrap(), "## Left\n\n- left\n");
    let id = user.files("done")[0][..36].to_owned();
    let job = user.json(["show", &id]).to_string();
    assert!(job.contains("\"trust\":\"agent\""), "no more than an agent's word: {job}");
}

#[test]
fn a_listed_project_speaks_for_its_own_documents_only() {
    let user = user();
    repository(&user, "user");
    list(&user);
    user.run(["work"]).ok();
    assert!(!user.root().join("USER.md").exists());
    assert_eq!(user.counts(), [0, 0, 0, 0, 1, 0], "it waits for a yes");
    let review = user.home().join("staging/review").join(&user.files("staging/review")[0]);
    let text = fs::read_to_string(review).unwrap();
    assert!(text.contains("speaks for that project's own documents only"), "{text}");
}

#[test]
fn the_homes_own_inbox_still_counts() {
    let user = user();
    user.leave_in(&user.home(), "z.md.yaml", declaring("user").as_bytes());
    // As an editor leaves it where the umask is 002: nobody else gets into the home.
    mode(&user.home().join("z.md.yaml"), 0o664);
    user.run(["work"]).ok();
    assert_eq!(fs::read_to_string(user.root().join("USER.md")).unwrap(), "## Left\n\n- left\n");
}

#[test]
fn what_others_can_write_to_is_left_and_named() {
    let user = user();
    let repo = repository(&user, "project");
    list(&user);
    let inbox = repo.join(".agents");
    for (path, open, closed) in [
        (repo.clone(), 0o777, 0o755),
        (inbox.clone(), 0o1777, 0o755),
        (inbox.join("z.md.yaml"), 0o666, 0o644),
    ] {
        mode(&path, open);
        let said = user.run(["work"]);
        let hint = format!("chmod go-w {}", path.display());
        assert!(
            said.stderr.contains("is left where it is") && said.stderr.contains(&hint),
            "{}",
            said.stderr
        );
        said.ok();
        assert!(!repo.join("AGENTS.md").exists());
        let check = user.run(["status", "--check"]);
        assert!(check.code == Some(4) && check.stdout.contains("1 left in inboxes"), "{}", check.stdout);
        mode(&path, closed);
    }
    let elsewhere = user.root().join("elsewhere");
    fs::rename(&inbox, &elsewhere).unwrap();
    symlink(&elsewhere, &inbox).unwrap();
    let said = user.run(["work"]);
    assert!(said.stderr.contains("is a link"), "{}", said.stderr);
    assert!(!repo.join("AGENTS.md").exists());
    fs::remove_file(&inbox).unwrap();
    fs::rename(&elsewhere, &inbox).unwrap();
    user.run(["work"]).ok();
    assert!(repo.join("AGENTS.md").exists(), "without that it is taken in");
}

#[test]
fn what_belongs_to_somebody_else_is_left_and_named() {
    if !is_root() {
        return;
    }
    let user = user();
    let repo = repository(&user, "project");
    list(&user);
    let inbox = repo.join(".agents");
    for path in [repo.clone(), inbox.clone(), inbox.join("z.md.yaml")] {
        chown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
        let said = user.run(["work"]);
        assert!(said.stderr.contains("belongs to user id 65534"), "{}", said.stderr);
        said.ok();
        assert!(!repo.join("AGENTS.md").exists());
        chown(&path, Some(0), Some(0)).unwrap();
    }
    user.run(["work"]).ok();
    assert!(repo.join("AGENTS.md").exists(), "without that it is taken in");
}

/// Another user makes `.git` in a directory that sessions of ours are below, and documents beside it. The process and the owner
/// are two real users, neither of them root.
#[test]
fn a_project_of_another_user_is_none_until_a_person_lists_it() {
    if !is_root() {
        return;
    }
    let user = user();
    let repo = user.root().join("repo");
    for dir in [repo.join(".git"), repo.join(".agents")] {
        fs::create_dir_all(dir).unwrap();
    }
    fs::write(repo.join("AGENTS.md"), "# Project\n\n- a forged rule\n").unwrap();
    user.is_bound();
    let run = |args: &[&str]| Said::of(user.bound(args).current_dir(&repo).output().unwrap());
    let sees = || run(&["context"]).ok().contains("a forged rule");
    assert!(sees(), "our own is shown");
    let declare = ["enqueue", "--to", "project", "--heading", "H", "--op", "append", "--content", "- x"];
    for path in [repo.clone(), repo.join(".git"), repo.join(".agents")] {
        chown(&path, Some(STRANGER), Some(STRANGER)).unwrap();
        assert!(!sees(), "{}", path.display());
        run(&declare).fails(3, "no_project");
        let doctor = run(&["doctor"]).stdout;
        assert!(doctor.contains("~/repo is not taken for a project") && doctor.contains("65533"), "{doctor}");
        chown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
    assert!(sees());
    mode(&repo, 0o777);
    assert!(!sees(), "everybody could have written it");
    mode(&repo, 0o755);
    chown(&repo, Some(0), Some(0)).unwrap();
    assert!(sees(), "root can write everywhere anyway");
    chown(&repo, Some(STRANGER), Some(STRANGER)).unwrap();
    fs::write(user.home().join("config.yaml"), format!("{CONFIG}projects: [~/repo]\n")).unwrap();
    assert!(sees(), "a person listed it");
}

/// A directory that two users share, and the other's document in it: no later try could give it back to its owner.
#[test]
fn a_document_of_another_user_fails_at_once_and_says_why() {
    if !is_root() {
        return;
    }
    let user = user();
    let team = user.root().join("team");
    fs::create_dir(&team).unwrap();
    let path = team.join("TEAM.md");
    fs::write(&path, "# Team\n").unwrap();
    user.configure(&format!("version: 1\nknowledge_bases:\n  team: {{ path: {} }}\n", path.display()));
    user.run(["enqueue", "--to", "team", "--heading", "A", "--op", "append", "--content", "- x"]).ok();
    user.is_bound();
    mode(&team, 0o777);
    mode(&path, 0o666);
    chown(&path, Some(STRANGER), Some(STRANGER)).unwrap();
    Said::of(user.bound(&["work"]).output().unwrap());
    assert_eq!(user.files("staging/failed").len(), 1, "{:?}", user.tree().keys().collect::<Vec<_>>());
    let shown = Said::of(user.bound(&["list", "failed"]).output().unwrap()).ok();
    assert!(shown.contains("belongs to user id 65533"), "{shown}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "# Team\n");
    assert_eq!(fs::read_dir(&team).unwrap().count(), 1, "nothing is left beside it");
}

/// Every command that looks into the home or does something with it.
const COMMANDS: [&[&str]; 12] = [
    &["enqueue", "--to", "user", "--heading", "H", "--op", "append", "--content", "- x"],
    &["work"],
    &["apply"],
    &["status"],
    &["list"],
    &["read", "user"],
    &["context"],
    &["validate"],
    &["log"],
    &["blame", "user"],
    &["init"],
    &["prune", "--dry-run"],
];

fn assert_all_refused(user: &User, saying: &str) {
    for args in COMMANDS {
        let said = user.run(args);
        assert_ne!(said.code, Some(0), "{args:?}: {}", said.stdout);
        assert!(said.stderr.contains(saying) && said.stderr.contains("hint: "), "{args:?}: {}", said.stderr);
    }
    assert!(!user.root().join("ran").exists());
    assert!(user.run(["doctor"]).stdout.contains(saying));
}

/// A home whose configuration names a program, and a job that would have it run.
fn with_validator() -> User {
    let user = user();
    let ran = user.root().join("ran");
    user.configure(&CONFIG.replace(
        "policy: auto }\n  project",
        &format!(
            "policy: auto, validate: [[/usr/bin/touch, {}, \"{{candidate}}\"]] }}\n  project",
            ran.display()
        ),
    ));
    user.run(COMMANDS[0]).ok();
    user.run(["work"]).ok();
    assert!(ran.exists(), "it runs where nothing is wrong");
    fs::remove_file(ran).unwrap();
    user
}

#[test]
fn a_configuration_that_others_can_write_to_is_refused_by_every_command() {
    let user = with_validator();
    let config = user.home().join("config.yaml");
    for open in [0o666, 0o620, 0o602] {
        mode(&config, open);
        assert_all_refused(&user, "config.yaml can be written to by others");
        let hint = format!("hint: chmod go-w {}", config.display());
        user.run(["work"]).fails(1, &hint);
        mode(&config, 0o644);
        user.run(["status"]).ok();
    }
    mode(&user.home(), 0o777);
    assert_all_refused(&user, "last-word can be written to by others");
    mode(&user.home(), 0o700);

    // A link is as good as what it leads to, and as the directory that is in.
    let dotfiles = user.root().join("dotfiles");
    fs::create_dir(&dotfiles).unwrap();
    fs::rename(&config, dotfiles.join("config.yaml")).unwrap();
    symlink(dotfiles.join("config.yaml"), &config).unwrap();
    user.run(["status"]).ok();
    mode(&dotfiles, 0o777);
    assert_all_refused(&user, "dotfiles can be written to by others");
    mode(&dotfiles, 0o755);
    mode(&dotfiles.join("config.yaml"), 0o666);
    assert_all_refused(&user, "config.yaml can be written to by others");
}

/// A configuration that is away, while an editor saves it, or for good, is no reason to go on by the defaults: what a person wants to be
/// asked about would be written without a word.
#[test]
fn a_configuration_that_is_gone_is_refused_by_every_command() {
    let user = user();
    let config = user.home().join("config.yaml");
    user.configure(&CONFIG.replace("policy: auto }\n  project", "policy: review }\n  project"));
    let said = fs::read_to_string(&config).unwrap();
    assert_ne!(said, CONFIG);
    user.run(COMMANDS[0]).ok();
    user.run(["work"]).ok();
    assert_eq!(user.files("staging/review").len(), 1);
    let enqueue = ["enqueue", "--to", "user", "--heading", "H", "--op", "append", "--content", "- y"];
    user.run(enqueue).ok();
    fs::remove_file(&config).unwrap();
    symlink(user.root().join("dotfiles/config.yaml"), &config).unwrap();
    for args in [COMMANDS[0], &["work"], &["apply"], &["context"], &["init"]] {
        user.run(args).fails(1, "config.yaml is a link, and nothing is where it leads");
    }
    fs::remove_file(&config).unwrap();
    user.run(["work"]).fails(1, "config.yaml is gone, and it did not say the defaults");
    user.run(["work"]).fails(1, "`last-word init` writes what it said last");
    assert!(user.run(["doctor"]).stdout.contains("it is not there"));
    assert!(!user.root().join("USER.md").exists());
    user.run(["init"]).ok();
    assert_eq!(fs::read_to_string(&config).unwrap(), said);
    user.run(["work"]).ok();
    assert_eq!(user.files("staging/review").len(), 2);
    assert!(!user.root().join("USER.md").exists());
    // One whose save was cut off is none, though it may be a good one with other rules.
    let cut = said.find("policy: review").unwrap();
    fs::write(&config, &said[..cut]).unwrap();
    user.run(["work"]).fails(1, "a save may have been cut off");
    fs::write(&config, &said).unwrap();
    // Whatever was declared by it knows what it said.
    user.configure(&said.replace("policy: review", "min_confidence: 0.9, policy: review"));
    user.run(COMMANDS[0]).ok();
    fs::remove_file(&config).unwrap();
    user.run(["work"]).fails(1, "config.yaml is gone");
    user.run(["init"]).ok();
    assert!(fs::read_to_string(&config).unwrap().contains("min_confidence: 0.9"));
    user.configure(&said);
    // An editor that has it away for a moment is waited for.
    let aside = user.home().join("config.yaml~");
    fs::rename(&config, &aside).unwrap();
    let back = std::thread::spawn(move || fs::rename(&aside, &config).unwrap());
    user.run(["work"]).ok();
    back.join().unwrap();
}

/// What a save that was cut off has left may be a good configuration, too: one that asks nobody.
#[test]
fn a_configuration_that_ends_where_its_rules_begin_is_refused() {
    let user = user();
    let (config, document) = (user.home().join("config.yaml"), user.root().join("USER.md"));
    for rule in [
        "policy: review",
        "min_trust: user",
        "headings: { review: [H] }",
        "validate: [[/bin/false, '{candidate}']]",
    ] {
        let whole = format!(
            "version: 1\nknowledge_bases:\n  user:\n    path: {}\n    title: 'what is known'\n    {rule}\nretry: {{ retries: 0 }}\n",
            document.display()
        );
        user.configure(&whole);
        user.run([
            "enqueue",
            "--to",
            "user",
            "--agent",
            "codex",
            "--heading",
            "H",
            "--op",
            "append",
            "--content",
            "- x",
        ])
        .ok();
        for end in ["    path:", "    title:"] {
            let at = whole.find(end).unwrap();
            let at = at + whole[at..].find('\n').unwrap() + 1;
            fs::write(&config, &whole[..at]).unwrap();
            for args in [&["work"][..], &["validate"], COMMANDS[0]] {
                user.run(args).fails(1, "a save may have been cut off");
            }
            assert!(!document.exists(), "{rule}");
            fs::write(&config, &whole).unwrap();
            user.run(["status"]).ok();
        }
        // A person may mean it: less in the middle, another end, or so many words.
        let path = whole.find("    title:").unwrap();
        for meant in [
            whole.replace(&format!("    {rule}\n"), ""),
            format!("{}    title: 'mine'\n", &whole[..path]),
            format!("{}# all of it\n", &whole[..path]),
        ] {
            fs::write(&config, &meant).unwrap();
            user.run(["status"]).ok();
        }
    }
}

/// So it is where a second name of the same file, whose rules hold for it, is gone.
#[test]
fn a_configuration_that_ends_before_a_stricter_name_of_a_file_is_refused() {
    let user = user();
    let config = user.home().join("config.yaml");
    let base = |name: &str| {
        format!(
            "  {name}:\n    path: {}\n    title: 'what is known'\n",
            user.root().join("USER.md").display()
        )
    };
    let first = format!("version: 1\nknowledge_bases:\n{}", base("user"));
    let whole = format!("{first}{}    policy: review\n", base("second").replace("USER.md", "./USER.md"));
    user.configure(&whole);
    user.run(COMMANDS[0]).ok();
    fs::write(&config, &first).unwrap();
    user.run(["work"]).fails(1, "a save may have been cut off");
    fs::write(&config, format!("{first}# all of it\n")).unwrap();
    user.run(["work"]).ok();
}

/// So it is with what the guard asks.
#[test]
fn a_configuration_that_ends_before_what_the_guard_asks_is_refused() {
    let user = user();
    let config = user.home().join("config.yaml");
    let whole = format!(
        "{CONFIG}guard:\n  control: block\n  unread: block\n  require: [patterns.md]\n  require_edits: block\n"
    );
    user.configure(&whole);
    user.run(COMMANDS[0]).ok();
    for end in ["  unread:", "  require:", "  require_edits:"] {
        fs::write(&config, &whole[..whole.find(end).unwrap()]).unwrap();
        user.run(["work"]).fails(1, "a save may have been cut off");
    }
}

/// So it is where that home is another one: its rules are not known, and everything waits.
#[test]
fn while_the_configuration_of_the_usual_home_is_gone_another_home_asks() {
    let user = user();
    let config = user.home().join("config.yaml");
    user.configure(&CONFIG.replace("policy: auto }\n  project", "policy: review }\n  project"));
    user.run(["work"]).ok();
    fs::remove_file(&config).unwrap();
    let home = user.root().join("second");
    let second = |args: &[&str]| user.run([&["--home", home.to_str().unwrap()], args].concat());
    second(&["init"]).ok();
    fs::write(home.join("config.yaml"), CONFIG).unwrap();
    second(COMMANDS[0]).ok();
    second(&["work"]).ok();
    assert!(!user.root().join("USER.md").exists());
    assert_eq!(fs::read_dir(home.join("staging/review")).unwrap().count(), 1);
}

#[test]
fn what_was_kept_of_the_configuration_counts_only_when_it_is_ours_alone() {
    let user = user();
    user.run(["work"]).ok();
    let cache = user.home().join("config.cache");
    let kept = fs::read_to_string(&cache).unwrap();
    // As it is kept, and not as it is written in the configuration's text.
    let forged = kept.replace("\"path\":\"~/USER.md\"", "\"path\":\"~/EVIL.md\"");
    assert_ne!(forged, kept);
    user.run(["validate"]).ok();
    fs::write(&cache, &forged).unwrap();
    mode(&cache, 0o666);
    user.run(COMMANDS[0]).ok();
    user.run(["work"]).ok();
    assert!(user.root().join("USER.md").exists() && !user.root().join("EVIL.md").exists());
}

#[test]
fn a_configuration_or_home_of_somebody_else_is_refused_by_every_command() {
    if !is_root() {
        return;
    }
    let user = with_validator();
    for name in queue_layout::LATER_DIRS {
        fs::create_dir_all(user.home().join(name)).unwrap();
        mode(&user.home().join(name), 0o700);
    }
    let states = ["pending"].iter().chain(&queue_layout::LATER_DIRS).map(|name| user.home().join(name));
    let states: Vec<PathBuf> = states.collect();
    for path in [user.home().join("config.yaml"), user.home()].iter().chain(&states) {
        chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        let saying = format!("{} belongs to user id 65534", path.display());
        if states.contains(path) {
            user.run(["work"]).fails(1, &saying);
        } else {
            assert_all_refused(&user, &saying);
        }
        chown(path, Some(0), Some(0)).unwrap();
        user.run(["status"]).ok();
    }
    // And the other way round: the owner may, and root may not in their place.
    user.is_bound();
    Said::of(user.bound(&["status"]).output().unwrap()).ok();
    user.run(["work"]).fails(1, "belongs to user id 65534");
    // What the administrator wrote counts: it is how a system hands out configurations.
    chown(user.home().join("config.yaml"), Some(0), Some(0)).unwrap();
    mode(&user.home().join("config.yaml"), 0o644);
    Said::of(user.bound(&["status"]).output().unwrap()).ok();
}

#[test]
fn a_repository_switches_off_the_context_and_never_the_guard() {
    let user = user();
    fs::write(user.root().join("USER.md"), "# User\n\n- likes tea\n").unwrap();
    let repo = repository(&user, "user");
    let hook = |event: serde_json::Value| {
        let mut command = user.command(["hook", "--agent", "claude_code"]);
        command.current_dir(&repo).stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), event.to_string().as_bytes()).unwrap();
        Said::of(child.wait_with_output().unwrap()).ok()
    };
    let write = || {
        hook(
            serde_json::json!({ "hook_event_name": "PreToolUse", "session_id": "s", "cwd": repo, "tool_name": "Write",
            "tool_input": { "file_path": user.root().join("USER.md"), "content": "x" } }),
        )
    };
    let start = |session: &str| {
        hook(
            serde_json::json!({ "hook_event_name": "SessionStart", "session_id": session, "cwd": repo, "source": "startup" }),
        )
    };
    assert!(start("a").contains("likes tea") && write().contains("deny"));
    fs::write(repo.join(".agents/disabled"), "").unwrap();
    assert!(!start("b").contains("likes tea"));
    assert!(write().contains("deny"), "{}", write());
    let status = run_in(&user, &repo, &["status"]).ok();
    assert!(status.contains("but for the guard"), "{status}");
    // The home's own switch is the person's.
    fs::write(user.home().join("disabled"), "").unwrap();
    assert!(!write().contains("deny"));
}

/// A document that asks and one that does not, which leads to it.
fn two_rules(strict: &str) -> User {
    let user = User::new();
    user.configure(&format!(
        "version: 1\nknowledge_bases:\n  soul: {{ path: ~/SOUL.md, title: Soul, {strict} }}\n  g: {{ path: ~/G.md, title: G, policy: auto }}\n  \
         day: {{ path: \"days/{{id}}.md\", root: home, title: D, policy: auto }}\nsession_bootstrap: []\n"
    ));
    fs::write(user.root().join("SOUL.md"), SOUL).unwrap();
    user
}

const SOUL: &str = "# S\n\n## Tone\n\n- kind\n";

fn declare(user: &User, kb: &str) -> Said {
    user.run([
        "enqueue",
        "--to",
        kb,
        "--heading",
        "Tone",
        "--op",
        "append",
        "--content",
        "- evil",
        "--confidence",
        "0.6",
    ])
}

fn assert_waits_for_a_yes(user: &User, kb: &str) {
    assert_eq!(fs::read_to_string(user.root().join("SOUL.md")).unwrap(), SOUL, "{kb}");
    assert_eq!(user.counts(), [0, 0, 0, 0, 1, 0], "{kb}: it waits for a yes");
}

#[test]
fn the_strictest_policy_of_all_that_lead_to_a_file_holds() {
    for (strict, links_before) in [
        ("policy: review", true),
        ("policy: review", false),
        ("min_confidence: 0.9", false),
        ("min_trust: user, policy: review", true),
    ] {
        let user = two_rules(strict);
        let link = || symlink("SOUL.md", user.root().join("G.md")).unwrap();
        if links_before {
            link();
        }
        declare(&user, "g").ok();
        if !links_before {
            link();
        }
        let preview = user.run(["apply", "--dry-run"]);
        assert!(preview.stdout.contains("would wait for a review"), "{}", preview.stdout);
        user.run(["work"]).ok();
        assert_waits_for_a_yes(&user, "g");
    }
    // Without the link it is merged.
    let user = two_rules("policy: review");
    declare(&user, "g").ok();
    user.run(["work"]).ok();
    assert!(fs::read_to_string(user.root().join("G.md")).unwrap().contains("- evil"));
}

/// A family's directory that is a link to another family's, made before or after the declaration; a member that is there, and a
/// new one.
#[test]
fn a_family_whose_directory_leads_to_another_ones_keeps_to_its_rules() {
    for (member, links_before) in [("a", true), ("a", false), ("new", true), ("new", false)] {
        let user = User::new();
        user.configure(
            "version: 1\nknowledge_bases:\n  memory: { path: \"memory/{id}.md\", root: home, policy: review }\n  \
             logs: { path: \"logs/{id}.md\", root: home, policy: auto }\nsession_bootstrap: []\n",
        );
        fs::create_dir(user.root().join("memory")).unwrap();
        fs::write(user.root().join("memory/a.md"), SOUL).unwrap();
        let link = || symlink("memory", user.root().join("logs")).unwrap();
        if links_before {
            link();
        }
        declare(&user, &format!("logs:{member}")).ok();
        if !links_before {
            link();
        }
        user.run(["work"]).ok();
        assert_eq!(user.counts(), [0, 0, 0, 0, 1, 0], "{member} waits for a yes");
        assert_eq!(fs::read_to_string(user.root().join("memory/a.md")).unwrap(), SOUL);
        assert!(!user.root().join("memory/new.md").exists());
    }
}

/// A document of one project that is a link into another: what that one wants for its own documents holds, from wherever it is led to.
#[test]
fn the_rules_of_the_project_that_a_file_lies_in_hold() {
    for (file, rules) in [("SOUL.md", "SOUL.md"), ("docs/SOUL.md", "docs/SOUL.md"), ("SOUL.md", "{x}.md")] {
        for beside in [false, true] {
            let user = User::new();
            user.configure(&format!(
                "version: 1\nknowledge_bases:\n  rules: {{ path: \"{rules}\", root: project, policy: review }}\n  \
                 agents: {{ path: {}, policy: auto }}\nsession_bootstrap: []\n",
                if beside { "~/AGENTS.md" } else { "AGENTS.md, root: project" }
            ));
            let outer = user.root().join("outer");
            let inner = if beside { user.root().join("inner") } else { outer.join("inner") };
            for project in [&outer, &inner] {
                fs::create_dir_all(project.join(".git")).unwrap();
            }
            let soul = inner.join(file);
            fs::create_dir_all(soul.parent().unwrap()).unwrap();
            fs::write(&soul, SOUL).unwrap();
            let link = if beside { user.root().join("AGENTS.md") } else { outer.join("AGENTS.md") };
            symlink(&soul, link).unwrap();
            let declare =
                ["enqueue", "--to", "agents", "--heading", "Tone", "--op", "append", "--content", "- evil"];
            for args in [&declare[..], &["work"]] {
                Said::of(user.command(args).current_dir(&outer).output().unwrap()).ok();
            }
            assert_eq!(fs::read_to_string(&soul).unwrap(), SOUL, "{file} {beside}");
            assert_eq!(user.counts(), [0, 0, 0, 0, 1, 0], "{file} {beside}: it waits for a yes");
        }
    }
}

/// Another home whose documents are those of a project, by their own name, by a link, as a member or as a copy: the usual one has rules for that file.
#[test]
fn another_home_keeps_to_the_rules_of_the_usual_one_in_projects_too() {
    for (kb, to) in [
        ("s: { path: SOUL.md, root: project }", Some("s")),
        ("s: { path: link.md, root: project }", Some("s")),
        ("s: { path: \"{x}.md\", root: project }", Some("s:SOUL")),
        ("s: { path: SOUL.md, root: project, copy_of: OTHER.md }", None),
        ("s: { path: ~/pen/SOUL.md, copy_of: ~/pen/OTHER.md }", None),
        ("s: { path: ~/pen/SOUL.md }", Some("s")),
    ] {
        let user = User::new();
        // Those of a project hold from wherever a job leads into it.
        let path = if kb.contains("~/pen/SOUL.md }") { "SOUL.md, root: project" } else { "~/pen/SOUL.md" };
        user.configure(&format!(
            "version: 1\nknowledge_bases:\n  soul: {{ path: {path}, policy: review }}\n"
        ));
        let project = user.root().join("pen");
        fs::create_dir_all(project.join(".git")).unwrap();
        fs::write(project.join("SOUL.md"), SOUL).unwrap();
        fs::write(project.join("OTHER.md"), "- evil\n").unwrap();
        symlink("SOUL.md", project.join("link.md")).unwrap();
        let home = user.root().join("second");
        let second = |args: &[&str]| {
            let mut command = user.command(["--home", home.to_str().unwrap()]);
            Said::of(command.args(args).current_dir(&project).output().unwrap())
        };
        second(&["init"]).ok();
        let config = format!("version: 1\nknowledge_bases:\n  {kb}\nprojects: [~/pen]\n");
        fs::write(home.join("config.yaml"), config).unwrap();
        if let Some(to) = to {
            second(&["enqueue", "--to", to, "--heading", "Tone", "--op", "append", "--content", "- evil"])
                .ok();
        }
        second(&["work"]);
        second(&["work"]);
        assert_eq!(fs::read_to_string(project.join("SOUL.md")).unwrap(), SOUL, "{kb}");
    }
}

#[test]
fn a_second_name_of_the_same_file_is_bound_as_well() {
    let user = two_rules("policy: review");
    fs::hard_link(user.root().join("SOUL.md"), user.root().join("G.md")).unwrap();
    declare(&user, "g").ok();
    user.run(["work"]).ok();
    assert_waits_for_a_yes(&user, "g");
}

/// Budgets, the gate and the mark of a guess are rules as well.
#[test]
fn the_smallest_budget_the_gate_and_the_mark_hold_by_every_name() {
    let long = "- far too long for what that document may say, in whatever way it is named";
    for (rule, content, ends) in [
        ("budget_chars: 60", long, "failed"),
        ("section_budget_chars: 20, on_over_budget: review", long, "review"),
        ("gate: absolutize, on_hit: review", "- he said it a few days ago", "review"),
        ("gate: absolutize, on_hit: fail", "- he said it a few days ago", "failed"),
        ("mark_below: 0.9", "- evil", "<!--"),
    ] {
        let user = two_rules(rule);
        symlink("SOUL.md", user.root().join("G.md")).unwrap();
        let words = ["--heading", "Tone", "--op", "append", "--confidence", "0.6", "--content", content];
        user.run([&["enqueue", "--to", "g"], &words[..]].concat());
        user.run(["work"]);
        let text = fs::read_to_string(user.root().join("SOUL.md")).unwrap();
        let counts = user.counts();
        let ended = if counts[3] > 0 {
            "failed"
        } else if counts[4] > 0 {
            "review"
        } else {
            "merged"
        };
        assert!(ended == ends || text.contains("evil") && text.contains(ends), "{rule}: {ended} {text}");
    }
}

/// A day that lies in the archive is held to the rules that are for it there, and to a hold of it.
#[test]
fn an_old_day_is_written_as_its_place_in_the_archive_says() {
    for rule in ["policy: review", "policy: read-only", "headings: { deny: [Log] }", "hold"] {
        let user = User::new();
        let archive = if rule == "hold" { "policy: auto" } else { rule };
        user.configure(&format!(
            "version: 1\nknowledge_bases:\n  log: {{ path: \"~/l/{{date}}.md\", keep_days: 3 }}\n  \
             old: {{ path: \"~/l/archive/{{date}}.md\", {archive} }}\n"
        ));
        let day = user.root().join("l/archive/2026-11-01.md");
        fs::create_dir_all(day.parent().unwrap()).unwrap();
        fs::write(&day, SOUL).unwrap();
        if rule == "hold" {
            user.run(["hold", "--document", "old:2026-11-01", "--reason", "x"]).ok();
        }
        // What waits for a yes has it brought back beforehand. Nor is it written by a later job, while the first one waits there.
        let places = [day, user.root().join("l/2026-11-01.md")];
        for content in ["- evil", "- more"] {
            let entry =
                ["--to", "log:2026-11-01", "--heading", "Log", "--op", "append", "--content", content];
            user.run(["enqueue"].into_iter().chain(entry));
            user.run(["work"]);
            let texts: Vec<String> = places.iter().filter_map(|path| fs::read_to_string(path).ok()).collect();
            assert_eq!(texts, [SOUL], "{rule} {content}");
        }
        let (rule_asks, rule_holds) =
            (2 * usize::from(rule == "policy: review"), 2 * usize::from(rule == "hold"));
        assert_eq!([user.counts()[4], user.counts()[0]], [rule_asks, rule_holds], "{rule}");
    }
}

/// A day that does not lie in the archive is not held to what is said of those that do.
#[test]
fn the_day_of_today_is_written_beside_an_archive_that_is_read_only() {
    for keep_days in [0, 1, 3] {
        let user = User::new();
        user.configure(&format!(
            "version: 1\nknowledge_bases:\n  log: {{ path: \"~/l/{{date}}.md\", keep_days: {keep_days} }}\n  \
             old: {{ path: \"~/l/archive/{{date}}.md\", policy: read-only }}\n",
        ));
        user.run(["enqueue", "--to", "log", "--heading", "Log", "--op", "append", "--content", "- x"]).ok();
        user.run(["work"]).ok();
        assert_eq!(user.counts(), [0, 0, 0, 0, 0, 1], "{keep_days}");
    }
}

#[test]
fn a_read_only_document_is_refused_by_every_name_it_has() {
    let user = two_rules("policy: read-only");
    symlink("SOUL.md", user.root().join("G.md")).unwrap();
    declare(&user, "g").fails(3, "read-only");
    fs::remove_file(user.root().join("G.md")).unwrap();
    declare(&user, "g").ok();
    symlink("SOUL.md", user.root().join("G.md")).unwrap();
    user.run(["work"]).ok();
    assert_eq!(fs::read_to_string(user.root().join("SOUL.md")).unwrap(), SOUL);
    assert_eq!(user.counts(), [0, 0, 0, 1, 0, 0]);
}

#[test]
fn a_yes_to_the_strictest_is_enough() {
    let user = two_rules("policy: review");
    symlink("SOUL.md", user.root().join("G.md")).unwrap();
    declare(&user, "g").ok();
    user.run(["work"]).ok();
    let Some(said) = user.on_terminal("review --all --approve", "", Path::new("/bin/true")) else { return };
    assert!(!said.contains("cannot"), "{said}");
    user.run(["work"]).ok();
    assert!(fs::read_to_string(user.root().join("SOUL.md")).unwrap().contains("- evil"));
    assert!(fs::symlink_metadata(user.root().join("G.md")).unwrap().is_symlink());
}

#[test]
fn a_link_of_another_user_is_not_followed() {
    if !is_root() {
        return;
    }
    let user = User::new();
    let shared = user.root().join("shared");
    fs::create_dir(&shared).unwrap();
    mode(&shared, 0o777);
    user.configure("version: 1\nknowledge_bases:\n  g: { path: ~/shared/G.md, title: G, policy: auto }\nsession_bootstrap: []\n");
    fs::write(user.root().join("private.md"), "# Private\n").unwrap();
    let link = shared.join("G.md");
    symlink(user.root().join("private.md"), &link).unwrap();
    std::os::unix::fs::lchown(&link, Some(NOBODY), Some(NOBODY)).unwrap();
    declare(&user, "g").ok();
    user.run(["work"]).ok();
    assert_eq!(fs::read_to_string(user.root().join("private.md")).unwrap(), "# Private\n");
    assert_eq!(user.counts(), [0, 0, 0, 1, 0, 0]);
    assert!(user.run(["status"]).stdout.contains("link of another user"));
    std::os::unix::fs::lchown(&link, Some(0), Some(0)).unwrap();
    declare(&user, "g").ok();
    user.run(["work"]).ok();
    assert!(fs::read_to_string(user.root().join("private.md")).unwrap().contains("- evil"), "one of ours is");
}

#[test]
fn doctor_names_another_home_that_manages_a_document_of_ours() {
    let user = user();
    assert!(!user.run(["doctor"]).stdout.contains(", too"));
    let other = user.root().join("other");
    user.run(["--home", other.to_str().unwrap(), "init"]).ok();
    fs::write(other.join("config.yaml"), CONFIG).unwrap();
    // The usual home is looked at from another one, and another one where a hook or a schedule names it.
    let said = user.run(["--home", other.to_str().unwrap(), "doctor"]);
    assert!(
        said.code == Some(4) && said.stdout.contains("~/.config/agents/last-word manages ~/USER.md, too"),
        "{}",
        said.stdout
    );
    fs::create_dir_all(user.root().join(".codex")).unwrap();
    let call = format!(
        "{{\"hooks\": {{\"Stop\": [{{\"hooks\": [{{\"type\": \"command\", \"command\": \"/bin/last-word --home {} hook --agent codex\"}}]}}]}}}}",
        other.display()
    );
    fs::write(user.root().join(".codex/hooks.json"), call).unwrap();
    let said = user.run(["doctor"]);
    assert!(
        said.code == Some(4) && said.stdout.contains("~/other manages ~/USER.md, too"),
        "{}",
        said.stdout
    );
    fs::write(
        other.join("config.yaml"),
        CONFIG.replace("USER.md", "OWN.md").replace("AGENTS.md", "OTHER.md"),
    )
    .unwrap();
    assert!(!user.run(["doctor"]).stdout.contains(", too"));
}

/// The attack: a home that somebody makes elsewhere, which has a document of ours and asks nobody.
#[test]
fn a_home_made_elsewhere_keeps_to_the_rules_of_the_usual_one() {
    let user = User::new();
    let root = user.root();
    user.configure(
        "version: 1\nknowledge_bases:\n  soul: { path: ~/SOUL.md, policy: review }\n  logs: { path: \"logs/{id}.md\", root: home, policy: read-only }\nsession_bootstrap: []\n",
    );
    fs::write(root.join("SOUL.md"), "# Soul\n").unwrap();
    fs::hard_link(root.join("SOUL.md"), root.join("twin.md")).unwrap();
    let elsewhere = root.join("elsewhere");
    let home = elsewhere.to_str().unwrap();
    user.run(["--home", home, "init"]).ok();
    let documents = ["SOUL.md", "twin.md", "logs/a.md", "OWN.md"];
    let kbs: Vec<String> =
        (0..).zip(documents).map(|(n, name)| format!("  k{n}: {{ path: ~/{name} }}\n")).collect();
    let config = format!("version: 1\nknowledge_bases:\n{}session_bootstrap: []\n", kbs.concat());
    fs::write(elsewhere.join("config.yaml"), config).unwrap();
    for name in ["k0", "k1", "k2", "k3"] {
        let entry = ["enqueue", "--to", name, "--heading", "Tone", "--op", "append", "--content", "- EVIL"];
        user.run([&["--home", home][..], &entry[..]].concat()).ok();
    }
    user.run(["--home", home, "work"]).ok();
    let said = |name: &str| fs::read_to_string(root.join(name)).unwrap_or_default().contains("EVIL");
    assert_eq!(documents.map(said), [false, false, false, true]);
    assert_eq!(fs::read_dir(elsewhere.join("staging/review")).unwrap().count(), 2);
    // While the usual home's configuration cannot be read, nobody can tell what it asks of which document.
    let config = user.home().join("config.yaml");
    let whole = fs::read_to_string(&config).unwrap();
    user.run([
        "--home",
        home,
        "enqueue",
        "--to",
        "k3",
        "--heading",
        "Tone",
        "--op",
        "append",
        "--content",
        "- LATER",
    ])
    .ok();
    fs::write(&config, "knowledge_bases: [\n").unwrap();
    let work = user.run(["--home", home, "work"]);
    assert!(work.stderr.contains("cannot be read"), "{}{}", work.stdout, work.stderr);
    assert!(!fs::read_to_string(root.join("OWN.md")).unwrap().contains("LATER"));
    assert_eq!(fs::read_dir(elsewhere.join("staging/review")).unwrap().count(), 3);
    fs::write(&config, whole).unwrap();
    // By hand, and by the environment.
    user.run([
        "--home",
        home,
        "enqueue",
        "--to",
        "k0",
        "--heading",
        "Way",
        "--op",
        "append",
        "--content",
        "- EVIL",
    ])
    .ok();
    let mut command = user.command(["apply"]);
    let by_hand = Said::of(command.env("LAST_WORD_HOME", &elsewhere).output().unwrap());
    assert!(!said("SOUL.md"), "{}{}", by_hand.stdout, by_hand.stderr);
}

/// The usual home is one that only a hook names, as `install` wires it where `LAST_WORD_HOME` is set: whoever unsets that finds no
/// rules of it in the environment.
#[test]
fn a_home_that_only_a_hook_names_binds_as_well() {
    let user = User::new();
    let root = user.root();
    let strict = root.join("strict");
    let home = strict.to_str().unwrap();
    user.run(["--home", home, "init"]).ok();
    let config = |policy: &str| {
        format!(
            "version: 1\nknowledge_bases:\n  soul: {{ path: ~/SOUL.md, policy: {policy} }}\nsession_bootstrap: []\n"
        )
    };
    fs::write(strict.join("config.yaml"), config("review")).unwrap();
    user.configure(&config("auto"));
    let say = |content: &str| {
        user.run(["enqueue", "--to", "soul", "--heading", "Tone", "--op", "append", "--content", content])
            .ok();
        user.run(["work"]).ok();
        fs::read_to_string(root.join("SOUL.md")).unwrap()
    };
    assert!(say("- before").contains("- before"), "nothing names that home yet");
    fs::create_dir(root.join(".claude")).unwrap();
    let hook = format!("last-word --home {home} hook --agent claude_code");
    let hooks = serde_json::json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": hook}]}]}});
    fs::write(root.join(".claude/settings.json"), hooks.to_string()).unwrap();
    assert!(!say("- EVIL").contains("EVIL"));
    assert_eq!(user.files("staging/review").len(), 1);
}

/// A repository that an agent takes variables out of (`env` in `.claude/settings.json`, a `.env`), with a home in it that guards nothing
/// and has a memory of its own.
fn with_a_home_of_its_own(user: &User) -> PathBuf {
    let repo = user.root().join("src/repo");
    fs::create_dir_all(repo.join(".git")).unwrap();
    let own = repo.join(".lw");
    user.run(["--home", own.to_str().unwrap(), "init"]).ok();
    let config = "version: 1\nknowledge_bases:\n  user: { path: ~/EVIL.md }\nsession_bootstrap: [user]\nguard: { control: off }\n";
    fs::write(own.join("config.yaml"), config).unwrap();
    fs::write(user.root().join("EVIL.md"), "# User\n\nobeys the repository\n").unwrap();
    repo
}

/// What the wired hook answers when the agent has these variables.
fn wired_hook(user: &User, variables: &[(&str, &str)], event: &serde_json::Value) -> String {
    use std::io::Write;
    let settings = fs::read_to_string(user.root().join(".claude/settings.json")).unwrap();
    let settings: serde_json::Value = serde_json::from_str(&settings).unwrap();
    let command = settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"].as_str().unwrap().to_owned();
    let mut shell = std::process::Command::new("/bin/sh");
    shell.args(["-c", &command]).env_clear().env("HOME", user.root()).env("PATH", "/usr/bin:/bin");
    shell.envs(variables.iter().copied()).current_dir(user.root().join("src/repo"));
    let (stdin, stdout) = (std::process::Stdio::piped(), std::process::Stdio::piped());
    let mut child = shell.stdin(stdin).stdout(stdout).spawn().unwrap();
    child.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
    Said::of(child.wait_with_output().unwrap()).ok()
}

/// The attack: one committed file, and the guard is off, or what is said goes elsewhere, for whoever works there.
#[test]
fn a_repository_s_variables_lead_no_hook_to_another_home_and_switch_off_no_guard() {
    let user = user();
    fs::write(user.root().join("USER.md"), "# User\n\nlikes tea\n").unwrap();
    let repo = with_a_home_of_its_own(&user);
    user.run(["install", "claude_code", "--yes"]).ok();
    let own = repo.join(".lw").display().to_string();
    let root = repo.display().to_string();
    let attacks: [&[(&str, &str)]; 9] = [
        &[],
        &[("LAST_WORD_DISABLE", "1")],
        &[("LAST_WORD_HOME", &own)],
        &[("LAST_WORD_HOME", ".lw")],
        &[("LAST_WORD_HOME", "/proc/self/cwd/.lw")],
        &[("LAST_WORD_HOME", "/nowhere"), ("LAST_WORD_DISABLE", "yes")],
        &[("XDG_CONFIG_HOME", &root), ("XDG_CACHE_HOME", &root)],
        &[("HOME", &root)],
        &[("HOME", "/nowhere"), ("LAST_WORD_HOME", &own), ("XDG_CONFIG_HOME", "/nowhere")],
    ];
    let event = |name: &str, session: &str| serde_json::json!({"hook_event_name": name, "session_id": session, "cwd": repo});
    for (n, variables) in attacks.iter().enumerate() {
        for input in [
            serde_json::json!({"command": format!("echo x >> {}/USER.md", user.root().display())}),
            serde_json::json!({"command": "last-word review"}),
        ] {
            let mut wanted = event("PreToolUse", "s");
            wanted["tool_name"] = "Bash".into();
            wanted["tool_input"] = input;
            let said = wired_hook(&user, variables, &wanted);
            assert!(said.contains("\"deny\""), "{variables:?}: {said}");
        }
        let said = wired_hook(&user, variables, &event("SessionStart", &format!("s{n}")));
        let is_off = variables.iter().any(|(name, _)| *name == "LAST_WORD_DISABLE");
        assert_eq!(said.contains("likes tea"), !is_off, "{variables:?}: {said}");
        assert!(!said.contains("obeys"), "{variables:?}: {said}");
    }
    assert!(!repo.join("last-word").exists(), "nothing of the memory is put into the repository");
    // Without a home, as a project's shared file and older versions have it, the usual one is meant.
    let path = user.root().join(".claude/settings.json");
    let wired = fs::read_to_string(&path).unwrap();
    fs::write(&path, wired.replace(&format!(" --home {}", user.home().display()), "")).unwrap();
    let said = wired_hook(&user, attacks[2], &event("SessionStart", "old"));
    assert!(said.contains("likes tea") && !said.contains("obeys"), "{said}");
    let said = user.run(["doctor"]).stdout;
    assert!(
        said.contains("its hooks name no home") && said.contains("last-word install claude_code"),
        "{said}"
    );
    user.run(["install", "claude_code", "--yes"]).ok();
    assert_eq!(fs::read_to_string(&path).unwrap(), wired);
}

/// The same for what the agent types: its words are not lost into a home that the repository has.
#[test]
fn a_repository_s_variables_lead_no_agent_s_words_to_another_home() {
    let user = user();
    let repo = with_a_home_of_its_own(&user);
    let own = repo.join(".lw").display().to_string();
    let below = repo.join("a/b");
    fs::create_dir_all(&below).unwrap();
    let say = |dir: &Path, named: &str, agent: bool| {
        let words = ["enqueue", "--to", "user", "--heading", "H", "--op", "append", "--content", "- x"];
        let mut command = user.command(words);
        command.env("LAST_WORD_HOME", named).current_dir(dir);
        if agent {
            command.env("CLAUDECODE", "1");
        }
        Said::of(command.output().unwrap())
    };
    for (dir, named) in
        [(&repo, own.as_str()), (&repo, ".lw"), (&repo, "/proc/self/cwd/.lw"), (&below, "../../.lw")]
    {
        say(dir, named, true).fails(1, "LAST_WORD_HOME names a home in");
    }
    // A person says where they want it, in whatever way; so does an agent that was told.
    say(&repo, &own, false).ok();
    say(user.root(), &own, true).ok();
    let entry = ["enqueue", "--to", "user", "--heading", "H", "--op", "append", "--content", "- x"];
    let mut command = user.command([&["--home", own.as_str()][..], &entry[..]].concat());
    Said::of(command.env("CLAUDECODE", "1").current_dir(&repo).output().unwrap()).ok();
    assert_eq!(fs::read_dir(repo.join(".lw/pending")).unwrap().count(), 3);
    let mut server = user.command(["mcp"]);
    Said::of(server.env("LAST_WORD_HOME", &own).current_dir(&repo).output().unwrap())
        .fails(1, "LAST_WORD_HOME names");
}
