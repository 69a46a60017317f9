//! `doctor`: says what is in place and what is not, and changes nothing.

use crate::support::{Said, User, skipped, write_program};
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// What was found of one thing: its health and the words.
fn found(user: &User, what: &str) -> (String, String) {
    let all = user.json(["doctor"]);
    let of = all.as_array().unwrap().iter().find(|finding| finding["what"] == what);
    let of = of.unwrap_or_else(|| panic!("nothing is said of {what}: {all}"));
    (of["health"].as_str().unwrap().to_owned(), of["found"].as_str().unwrap().to_owned())
}

#[test]
fn a_fresh_home_is_well_and_stays_as_it_is() {
    let user = User::new();
    let before = user.tree();
    let said = user.run(["doctor"]).ok();
    assert!(!said.contains("BAD"), "{said}");
    assert_eq!(user.tree(), before);
    assert_eq!(found(&user, "codex"), ("ok".to_owned(), "not wired, never called".to_owned()));
}

#[test]
fn what_does_not_work_is_named_with_what_to_do() {
    let user = User::bare();
    let said = user.run(["doctor"]);
    assert_eq!(said.code, Some(4), "{}", said.stdout);
    assert!(said.stdout.contains("last-word init"), "{}", said.stdout);
    user.run(["init"]).ok();
    user.configure("version: 1\nknowledge_bases:\n  notes: { path: ~/notes.md, policy: atuo }\n");
    let said = user.run(["doctor"]);
    assert_eq!(said.code, Some(4), "{}", said.stdout);
    assert!(said.stdout.contains("config.yaml:3:") && said.stdout.contains("atuo"), "{}", said.stdout);
}

#[test]
fn a_directory_above_the_home_that_everybody_can_write_to_is_named() {
    let user = User::new();
    let home = user.home();
    let above = home.parent().unwrap();
    let set = |mode| fs::set_permissions(above, fs::Permissions::from_mode(mode)).unwrap();
    set(0o777);
    let (health, words) = found(&user, "permissions");
    assert!(health == "bad" && words.contains("everybody can write to"), "{health}: {words}");
    // As in /tmp, nobody can move what is somebody else's.
    set(0o1777);
    assert_eq!(found(&user, "permissions").0, "ok");
    set(0o700);
}

#[test]
fn what_others_may_look_into_is_noted() {
    let user = User::new();
    let done = user.home().join("done");
    fs::set_permissions(&done, fs::Permissions::from_mode(0o755)).unwrap();
    let (health, words) = found(&user, "permissions");
    assert!(health == "note" && words.contains("done"), "{health}: {words}");
    assert_eq!(user.run(["doctor"]).code, Some(0), "a note is no failure");
}

#[test]
fn claims_of_the_dead_are_noted_until_they_are_recovered() {
    let user = User::new();
    user.with_notes();
    user.note("Log", "append", "- one");
    let pending = user.home().join("pending").join(&user.files("pending")[0]);
    let held = user.home().join("processing/w7");
    fs::create_dir(&held).unwrap();
    fs::rename(&pending, held.join(pending.file_name().unwrap())).unwrap();
    assert!(found(&user, "dead workers").1.contains("w7"));
    user.run(["work"]).ok();
    assert_eq!(found(&user, "dead workers").0, "ok");
    assert!(found(&user, "worker").1.contains("last run"));
}

#[test]
fn an_agent_is_wired_and_when_it_last_called() {
    let user = User::new();
    user.run(["install", "codex", "--yes"]).ok();
    assert!(found(&user, "codex").1.starts_with("wired, but nobody trusted its hooks"));
    let hooks = user.root().join(".codex/hooks.json");
    let told = format!("[hooks.state.\"{}:session_start:0:0\"]\ntrusted_hash = \"x\"\n", hooks.display());
    fs::write(user.root().join(".codex/config.toml"), told).unwrap();
    assert_eq!(found(&user, "codex").1, "wired, never called");
    let event = format!(
        r#"{{"session_id":"s1","hook_event_name":"SessionStart","cwd":"{}","source":"startup"}}"#,
        user.root().display()
    );
    user.run_with(["hook", "--agent", "codex"], event.as_bytes()).ok();
    let (health, words) = found(&user, "codex");
    assert!(health == "ok" && words.starts_with("wired, last called"), "{words}");
    // A hook somebody took out by hand.
    let config = fs::read_dir(user.root().join(".codex")).unwrap().map(|entry| entry.unwrap().path());
    let hooks = config
        .filter(|path| fs::read_to_string(path).is_ok_and(|text| text.contains("hook --agent codex")))
        .last()
        .unwrap();
    let text = fs::read_to_string(&hooks).unwrap();
    fs::write(&hooks, text.replacen("hook --agent codex", "hook --agent nobody", 1)).unwrap();
    let (health, words) = found(&user, "codex");
    assert!(health == "note" && words.contains("not as it should be"), "{health}: {words}");
    user.run(["uninstall", "codex", "--yes"]).ok();
    assert!(found(&user, "codex").1.starts_with("not wired, last called"));
}

/// Wired by the files of the project that it is asked in.
#[test]
fn an_agent_is_wired_in_a_project() {
    let user = User::new();
    let project = user.root().join("site");
    fs::create_dir_all(project.join(".git")).unwrap();
    let run = |args: &[&str]| Said::of(user.command(args).current_dir(&project).output().unwrap());
    run(&["install", "gemini_cli", "--project", "--yes"]).ok();
    let found = || {
        let said = run(&["doctor", "--json"]).stdout;
        let all: serde_json::Value = serde_json::from_str(&said).unwrap();
        let of = all.as_array().unwrap().iter().find(|finding| finding["what"] == "gemini_cli");
        of.unwrap()["found"].as_str().unwrap().to_owned()
    };
    assert_eq!(found(), "wired in this project, never called");
    let path = project.join(".gemini/settings.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen("hook --agent gemini_cli", "hook --agent nobody", 1)).unwrap();
    assert!(found().contains("not as it should be"), "{}", found());
}

// ---- --fix ----

/// A directory of scripts that stand in for the programs of the system.
fn tools(user: &User, scripts: &[(&str, &str)]) -> String {
    let tools = user.root().join("tools");
    fs::create_dir_all(&tools).unwrap();
    for (name, script) in scripts {
        write_program(&tools.join(name), &format!("#!/bin/sh\n{script}\n"));
    }
    format!("{}:/usr/bin:/bin", tools.display())
}

const CRONTAB: &str =
    r#"case "$1" in -l) [ ! -e "$HOME/crontab" ] || cat "$HOME/crontab" ;; -) cat > "$HOME/crontab" ;; esac"#;

#[test]
fn fix_mends_layout_permissions_and_what_the_dead_left() {
    let user = User::new();
    user.with_notes();
    user.note("Log", "append", "- one");
    // Somebody died with a job in hand, a temp file was left, a directory is gone, others may write to the home.
    let pending = user.home().join("pending").join(&user.files("pending")[0]);
    let held = user.home().join("processing/w7");
    fs::create_dir(&held).unwrap();
    fs::rename(&pending, held.join(pending.file_name().unwrap())).unwrap();
    fs::write(user.home().join("tmp/w9.1.half"), "half").unwrap();
    fs::remove_dir(user.home().join("staging/review")).unwrap();
    fs::set_permissions(user.home(), fs::Permissions::from_mode(0o777)).unwrap();
    fs::set_permissions(user.home().join("done"), fs::Permissions::from_mode(0o755)).unwrap();
    let approvals = user.home().join("approvals");
    fs::create_dir(&approvals).unwrap();
    fs::set_permissions(&approvals, fs::Permissions::from_mode(0o777)).unwrap();
    user.run(["work"]).fails(1, "hint:");
    let said = user.run(["doctor", "--fix"]);
    assert_eq!(said.code, Some(0), "{}{}", said.stdout, said.stderr);
    for word in ["yours alone", "staging/review", "back in the queue"] {
        assert!(
            said.stdout.lines().any(|line| line.starts_with("mended: ") && line.contains(word)),
            "{word}: {}",
            said.stdout
        );
    }
    for dir in [&user.home(), &approvals] {
        assert_eq!(fs::metadata(dir).unwrap().permissions().mode() & 0o777, 0o700);
    }
    assert_eq!(user.counts(), [1, 0, 0, 0, 0, 0], "only given back: it merges nothing");
    assert_eq!(user.files("tmp"), [""; 0]);
    let again = user.run(["doctor", "--fix"]).ok();
    assert!(!again.contains("mended"), "{again}");
    user.run(["work"]).ok();
    user.assert_clean();
}

/// A schedule that works is named beside one that was left half installed.
#[test]
fn a_working_schedule_is_named_beside_an_odd_one() {
    let user = User::new();
    let path = tools(&user, &[("crontab", CRONTAB)]);
    let installed = user.command(["install", "cron", "--yes"]).env("PATH", &path).output().unwrap();
    assert!(installed.status.success());
    let units = user.root().join(".config/systemd/user");
    fs::create_dir_all(&units).unwrap();
    fs::write(units.join("last-word.service"), "# Written by `last-word install systemd`\n").unwrap();
    let said = crate::support::Said::of(user.command(["doctor"]).env("PATH", &path).output().unwrap()).ok();
    assert!(said.contains("systemd, but not as it should be; cron is in order"), "{said}");
}

#[test]
fn fix_brings_a_schedule_up_to_date_after_a_look() {
    let user = User::new();
    let path = tools(&user, &[("crontab", CRONTAB)]);
    let doctor = |args: &[&str]| {
        crate::support::Said::of(user.command(["doctor"]).args(args).env("PATH", &path).output().unwrap())
    };
    let schedule = |said: &str| said.lines().find(|line| line.starts_with("schedule")).unwrap().to_owned();
    assert!(schedule(&doctor(&[]).ok()).contains("`last-word install` has made none"));
    let installed = user.command(["install", "cron", "--yes"]).env("PATH", &path).output().unwrap();
    assert!(installed.status.success());
    assert!(schedule(&doctor(&[]).ok()).contains("ok"), "as it should be");
    // The program was somewhere else then.
    let crontab = user.root().join("crontab");
    let good = fs::read_to_string(&crontab).unwrap();
    fs::write(&crontab, good.replace(crate::support::binary(), "/old/last-word")).unwrap();
    assert!(schedule(&doctor(&[]).ok()).contains("not as it should be"));
    doctor(&["--fix"]).fails(1, "nothing was written");
    assert_ne!(fs::read_to_string(&crontab).unwrap(), good);
    assert!(schedule(&doctor(&["--fix", "--yes"]).ok()).contains("ok"));
    assert_eq!(fs::read_to_string(&crontab).unwrap(), good);
}

#[test]
fn a_clock_that_was_ahead_is_noted() {
    let user = User::new();
    user.with_notes();
    assert_eq!(found(&user, "clock").0, "ok");
    user.note("Log", "append", "- one");
    let ahead =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() + 7_200_000;
    fs::write(user.home().join("locks/seq"), format!("{ahead:016}.0000\n")).unwrap();
    let (health, words) = found(&user, "clock");
    assert!(health == "note" && words.contains("ahead"), "{words}");
}

/// On a file system of its own that is too small; needs the right to mount one.
#[test]
fn a_disk_that_is_nearly_full_is_said_and_what_is_old_goes() {
    let script = r#"set -e
mount -t tmpfs -o size=8m tmpfs "$HOME"
"$BIN" init >/dev/null
mkdir "$HOME/.config/agents/last-word/done/2020-01-01"
echo '{}' > "$HOME/.config/agents/last-word/done/2020-01-01/01a20090-a813-7000-a1b3-22a5b4576ceb.json"
"$BIN" doctor --fix || echo "exit $?"
"#;
    let user = User::bare();
    let mut unshare = std::process::Command::new("unshare");
    unshare.args(["--mount", "--", "sh", "-c", script]).env_clear();
    unshare
        .env("HOME", user.root())
        .env("PATH", "/usr/sbin:/usr/bin:/bin:/sbin")
        .env("BIN", crate::support::binary());
    let said = crate::support::Said::of(unshare.output().unwrap());
    if said.stdout.is_empty() {
        return skipped(said.stderr.trim());
    }
    assert!(said.stdout.contains("mended: cleared away 1 receipt,"), "{}{}", said.stdout, said.stderr);
    let space = said.stdout.lines().find(|line| line.starts_with("space")).unwrap();
    assert!(space.contains("BAD") && said.stdout.ends_with("exit 4\n"), "{}", said.stdout);
}

#[test]
fn temp_files_of_nobody_here_are_named_and_stay() {
    let user = User::new();
    let notes = user.with_notes();
    fs::write(&notes, "# Notes\n").unwrap();
    let litter = |health: &str, words: &str| {
        let said = found(&user, "temp files beside documents");
        assert!(said.0 == health && said.1.contains(words), "{said:?}");
    };
    litter("ok", "nothing of a commit is left");
    let old = user.root().join(".notes.md.last-word-0");
    fs::write(&old, "what somebody saved\n").unwrap();
    litter("ok", "nothing of a commit is left");
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(2 * 60 * 60);
    fs::File::options().write(true).open(&old).unwrap().set_modified(long_ago).unwrap();
    litter("note", "1 temp files of no commit here, e.g. ~/.notes.md.last-word-0");
    user.note("Log", "append", "- one");
    user.run(["work"]).ok();
    user.run(["doctor", "--fix"]);
    assert!(old.exists());
}

/// A directory that `PATH` names without saying where is one of the place, and a repository's programs are in it.
#[test]
fn no_program_of_the_place_is_started() {
    let user = User::new();
    let place = user.root().join("repository");
    fs::create_dir_all(place.join("bin")).unwrap();
    for name in ["crontab", "systemctl", "launchctl"] {
        write_program(
            &place.join("bin").join(name),
            &format!("#!/bin/sh\n: > '{}/ran'\n", user.root().display()),
        );
    }
    for args in [
        &["doctor"][..],
        &["install", "cron", "--yes"],
        &["install", "systemd", "--yes"],
        &["uninstall", "cron", "--yes"],
    ] {
        for path in [
            "bin:/nowhere",
            "./bin:/nowhere",
            ":/nowhere",
            "/proc/self/cwd/bin:/nowhere",
            "/tmp/../proc/self/cwd/bin",
            "/dev/fd/../cwd/bin",
            "//proc/self/cwd/bin",
        ] {
            let dir = if path.starts_with(':') { place.join("bin") } else { place.clone() };
            user.command(args).env("PATH", path).current_dir(dir).output().unwrap();
            assert!(!user.root().join("ran").exists(), "{args:?} {path}");
        }
    }
}

/// An agent whose settings switch all hooks off calls nothing, however well it is wired.
#[test]
fn hooks_that_are_switched_off_in_the_agent_are_told() {
    let user = User::new();
    let settings = user.root().join(".claude/settings.json");
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    fs::write(&settings, "{ \"disableAllHooks\": true }\n").unwrap();
    let said = user.run(["install", "claude_code", "--yes"]).ok();
    assert!(said.contains("calls no hook while `disableAllHooks` is true"), "{said}");
    let found = user.run(["doctor"]).stdout;
    assert!(found.contains("its settings switch all hooks off"), "{found}");
    let text = fs::read_to_string(&settings)
        .unwrap()
        .replace("\"disableAllHooks\": true", "\"disableAllHooks\": false");
    fs::write(&settings, text).unwrap();
    assert!(!user.run(["doctor"]).stdout.contains("switch all hooks off"));
}
