//! `install cron`, `systemd`, `launchd`: what would be written is shown first, is what the golden files say, changes
//! nothing when it is there already, and goes again. The programs of the system are stood in for by scripts that write
//! down how they were called.

use crate::support::{Said, User, skipped, write_program};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Keeps the crontab in a file.
const CRONTAB: &str = r#"#!/bin/sh
echo "crontab $*" >> "$HOME/calls"
case "$1" in
-l) [ -e "$HOME/crontab" ] || { echo "no crontab for tester" >&2; exit 1; }; cat "$HOME/crontab" ;;
-) cat > "$HOME/crontab" ;;
esac
"#;

/// Makes and removes the links that say that a unit is enabled.
const SYSTEMCTL: &str = r#"#!/bin/sh
echo "systemctl $*" >> "$HOME/calls"
[ ! -e "$HOME/no-bus" ] || { echo "Failed to connect to bus: No medium found" >&2; exit 1; }
wants="$HOME/.config/systemd/user/default.target.wants"
verb="$2"; shift 2
case "$verb" in
enable) mkdir -p "$wants"; for unit; do ln -sf "../$unit" "$wants/$unit"; done ;;
disable) for unit; do rm -f "$wants/$unit"; done ;;
esac
"#;

const LAUNCHCTL: &str = "#!/bin/sh\necho \"launchctl $*\" | sed s,gui/[0-9]*,gui/501, >> \"$HOME/calls\"\n";

struct Machine {
    user: User,
}

impl Machine {
    fn new() -> Machine {
        let user = User::new();
        let tools = user.root().join("tools");
        fs::create_dir(&tools).unwrap();
        for (name, script) in [("crontab", CRONTAB), ("systemctl", SYSTEMCTL), ("launchctl", LAUNCHCTL)] {
            write_program(&tools.join(name), script);
        }
        Machine { user }
    }

    fn run(&self, args: &[&str]) -> Said {
        let path = format!("{}:/usr/bin:/bin", self.user.root().join("tools").display());
        Said::of(self.user.command(args).env("PATH", path).output().unwrap())
    }

    fn file(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.user.root().join(path)).ok().map(|text| self.plain(&text))
    }

    /// How the system's programs were called since it was asked last; looking at the crontab is no change.
    fn calls(&self) -> Vec<String> {
        let text = self.file("calls").unwrap_or_default();
        let _ = fs::remove_file(self.user.root().join("calls"));
        text.lines().filter(|line| *line != "crontab -l").map(str::to_owned).collect()
    }

    /// A text with the places of this run as they would be at Ann's.
    fn plain(&self, text: &str) -> String {
        text.replace(crate::support::binary(), "/usr/bin/last-word")
            .replace(&self.user.root().display().to_string(), "/home/ann")
    }
}

#[track_caller]
fn assert_golden(name: &str, said: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/schedule").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, said).unwrap();
    }
    assert_eq!(
        fs::read_to_string(&path).unwrap_or_default(),
        said,
        "{name} (UPDATE_GOLDEN=1 writes it anew)"
    );
}

#[test]
fn cron_keeps_what_is_there_and_is_a_line_that_runs() {
    let machine = Machine::new();
    let mine = "MAILTO=ann\n0 5 * * * backup\n";
    fs::write(machine.user.root().join("crontab"), mine).unwrap();
    let said = machine.run(&["install", "cron"]).fails(1, "nothing was written");
    assert!(said.contains("--yes"), "{said}");
    assert_eq!(machine.file("crontab").unwrap(), mine);
    machine.run(&["install", "cron", "--yes"]).ok();
    let crontab = machine.file("crontab").unwrap();
    assert_golden("crontab", &crontab);
    assert_eq!(machine.calls(), ["crontab -"]);
    assert!(machine.run(&["install", "cron", "--yes"]).ok().contains("nothing to do"));
    assert_eq!(machine.calls(), [""; 0]);
    // The line itself, in the world as cron makes it.
    let notes = machine.user.with_notes();
    machine.user.note("Log", "append", "- by cron");
    let text = fs::read_to_string(machine.user.root().join("crontab")).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("* * * * * ")).unwrap().to_owned();
    let mut cron = Command::new("/bin/sh");
    cron.env_clear().env("HOME", machine.user.root()).env("PATH", "/usr/bin:/bin").env("SHELL", "/bin/sh");
    let said = Said::of(cron.env("LOGNAME", "tester").current_dir("/").args(["-c", &line]).output().unwrap());
    assert_eq!((said.code, said.stdout.as_str(), said.stderr.as_str()), (Some(0), "", ""));
    assert_eq!(fs::read_to_string(notes).unwrap(), "## Log\n\n- by cron\n");
    // Where the program is gone it says nothing: cron would mail it once a minute.
    let gone = line.replace("last-word", "no-such-word");
    let said = Said::of(Command::new("/bin/sh").args(["-c", &gone]).output().unwrap());
    assert_eq!((said.stdout.as_str(), said.stderr.as_str()), ("", ""), "{gone}");
    // Another home has a line of its own.
    let other = machine.user.root().join("other").display().to_string();
    machine.run(&["--home", &other, "init", "--yes"]);
    machine.run(&["--home", &other, "install", "cron", "--yes"]).ok();
    assert_eq!(machine.file("crontab").unwrap().matches("# last-word begin").count(), 2);
    assert!(machine.run(&["install", "cron", "--yes"]).ok().contains("nothing to do"));
    fs::write(machine.user.root().join("crontab"), &text).unwrap();
    machine.run(&["uninstall", "cron", "--yes"]).ok();
    assert_eq!(machine.file("crontab").unwrap(), mine);
    assert!(machine.run(&["uninstall", "cron", "--yes"]).ok().contains("nothing to do"));
}

#[test]
fn cron_in_a_crontab_that_was_not_there_or_is_not_understood() {
    let machine = Machine::new();
    machine.run(&["install", "cron", "--yes"]).ok();
    let crontab = machine.file("crontab").unwrap();
    assert_eq!(crontab.lines().count(), 3, "{crontab}");
    let torn: String = crontab.lines().take(2).map(|line| format!("{line}\n")).collect();
    fs::write(machine.user.root().join("crontab"), &torn).unwrap();
    machine.run(&["install", "cron", "--yes"]).fails(1, "crontab cannot be edited");
    assert_eq!(machine.file("crontab").unwrap(), torn);
}

const UNITS: [&str; 3] = ["last-word.service", "last-word.path", "last-word.timer"];

fn units(machine: &Machine) -> Vec<Option<String>> {
    UNITS.iter().map(|name| machine.file(&format!(".config/systemd/user/{name}"))).collect()
}

#[test]
fn systemd_is_shown_first_and_goes_again() {
    let machine = Machine::new();
    let said = machine.run(&["install", "systemd"]);
    assert_eq!(said.code, Some(1));
    assert_golden("systemd-shown.txt", &machine.plain(&said.stdout));
    assert_eq!(units(&machine), [None, None, None]);
    assert_eq!(machine.calls(), [""; 0]);
    machine.run(&["install", "systemd", "--yes"]).ok();
    for (name, text) in UNITS.iter().zip(units(&machine)) {
        assert_golden(&format!("systemd/{name}"), &text.unwrap());
    }
    assert_eq!(
        machine.calls(),
        [
            "systemctl --user daemon-reload",
            "systemctl --user enable last-word.path last-word.timer",
            "systemctl --user restart last-word.path last-word.timer",
            "systemctl --user start last-word.service",
        ]
    );
    assert!(machine.run(&["install", "systemd", "--yes"]).ok().contains("nothing to do"));
    machine.run(&["uninstall", "systemd", "--yes"]).ok();
    assert_eq!(units(&machine), [None, None, None]);
    assert_eq!(
        machine.calls(),
        [
            "systemctl --user disable --now last-word.service last-word.path last-word.timer",
            "systemctl --user daemon-reload",
        ]
    );
    assert!(machine.run(&["uninstall", "systemd", "--yes"]).ok().contains("nothing to do"));
}

#[test]
fn systemd_with_one_service_that_stays_takes_the_place_of_the_other() {
    let machine = Machine::new();
    machine.run(&["install", "systemd", "--yes"]).ok();
    machine.calls();
    machine.run(&["install", "systemd", "--watch", "--yes"]).ok();
    let [service, path, timer] = units(&machine).try_into().unwrap();
    assert_golden("systemd-watch/last-word.service", &service.unwrap());
    assert_eq!((path, timer), (None, None));
    assert_eq!(
        machine.calls(),
        [
            "systemctl --user disable --now last-word.path last-word.timer",
            "systemctl --user daemon-reload",
            "systemctl --user enable last-word.service",
            "systemctl --user restart last-word.service",
        ]
    );
    assert!(machine.run(&["install", "systemd", "--watch", "--yes"]).ok().contains("nothing to do"));
    machine.run(&["install", "systemd", "--unconfined", "--yes"]).ok();
    let service = units(&machine)[0].clone().unwrap();
    assert!(service.contains("oneshot") && !service.contains("ProtectSystem"), "{service}");
}

#[test]
fn systemd_that_cannot_be_reached_is_no_success() {
    let machine = Machine::new();
    fs::write(machine.user.root().join("no-bus"), "").unwrap();
    let said = machine
        .run(&["install", "systemd", "--yes"])
        .fails(1, "daemon-reload failed: Failed to connect to bus");
    assert!(said.contains("run this again"), "{said}");
    fs::remove_file(machine.user.root().join("no-bus")).unwrap();
    machine.calls();
    machine.run(&["install", "systemd", "--yes"]).ok();
    assert_eq!(machine.calls().len(), 4, "what was missing is done");
}

#[test]
fn documents_outside_of_the_home_directory_may_be_written() {
    let machine = Machine::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let dir = elsewhere.path().canonicalize().unwrap().join("my notes 100%");
    fs::create_dir(&dir).unwrap();
    machine.user.configure(&format!(
        "version: 1\nknowledge_bases:\n  notes: {{ path: \"{}/notes.md\" }}\nsession_bootstrap: [notes]\n",
        dir.display()
    ));
    machine.run(&["install", "systemd", "--yes"]).ok();
    let service = units(&machine)[0].clone().unwrap();
    let wanted = format!("ReadWritePaths=-\"{}\"", dir.display().to_string().replace('%', "%%"));
    assert!(service.lines().any(|line| line == wanted), "{service}");
}

/// What `systemd-analyze verify` says of the units, with a program that is there.
#[test]
fn systemd_itself_finds_nothing_wrong_with_them() {
    let machine = Machine::new();
    for args in [&["install", "systemd", "--yes"][..], &["install", "systemd", "--watch", "--yes"]] {
        machine.run(args).ok();
        let dir = machine.user.root().join(".config/systemd/user");
        let there: Vec<PathBuf> =
            UNITS.iter().map(|name| dir.join(name)).filter(|path| path.exists()).collect();
        let mut verify = Command::new("systemd-analyze");
        verify.args(["verify", "--user", "--man=no"]).args(there).env("XDG_RUNTIME_DIR", machine.user.root());
        match verify.output() {
            Err(e) => return skipped(format!("no systemd-analyze here ({e})")),
            Ok(done) => {
                let stderr = String::from_utf8_lossy(&done.stderr);
                let ours: Vec<&str> = stderr.lines().filter(|line| line.contains("last-word")).collect();
                assert_eq!(ours, [""; 0], "{stderr}");
            }
        }
    }
}

#[test]
fn launchd_keeps_a_worker_that_watches() {
    let machine = Machine::new();
    machine.run(&["install", "launchd", "--yes"]).ok();
    let path = "Library/LaunchAgents/last-word.work.plist";
    let plist = machine.file(path).unwrap();
    assert_golden("launchd/last-word.work.plist", &plist);
    assert_eq!(
        machine.calls(),
        ["launchctl bootstrap gui/501 /home/ann/Library/LaunchAgents/last-word.work.plist"]
    );
    assert!(machine.run(&["install", "launchd", "--yes"]).ok().contains("nothing to do"));
    assert_keys_of_launchd(&machine.user.root().join(path));
    machine.run(&["uninstall", "launchd", "--yes"]).ok();
    assert_eq!(machine.file(path), None);
    assert_eq!(machine.calls(), ["launchctl bootout gui/501/last-word.work"]);
}

/// A property list as another reader understands it (Python's): each key is one of launchd.plist(5), with a value of its type
/// (`fixtures/schedule/launchd-keys.json`), and those without which nothing runs are there.
fn assert_keys_of_launchd(plist: &Path) {
    const READ: &str =
        "import json, plistlib, sys; print(json.dumps(plistlib.load(open(sys.argv[1], 'rb'))))";
    let done = match Command::new("python3").args(["-c", READ]).arg(plist).output() {
        Err(e) => return skipped(format!("no python3 here ({e})")),
        Ok(done) => done,
    };
    let read: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    let keys: serde_json::Value =
        serde_json::from_str(include_str!("../fixtures/schedule/launchd-keys.json")).unwrap();
    for (key, value) in read.as_object().unwrap() {
        let wanted = keys[key].as_str().unwrap_or_else(|| panic!("launchd knows no {key}"));
        let fits = match wanted {
            "str" => value.is_string(),
            "int" => value.is_i64(),
            "bool" => value.is_boolean(),
            "list of str" => {
                value.as_array().is_some_and(|list| list.iter().all(serde_json::Value::is_string))
            }
            "dict of str" => {
                value.as_object().is_some_and(|dict| dict.values().all(serde_json::Value::is_string))
            }
            words => value.as_str().is_some_and(|value| words.split('|').any(|word| word == value)),
        };
        assert!(fits, "{key} is {value}, not {wanted}");
    }
    assert_eq!(read["Label"], "last-word.work");
    let words: Vec<&str> =
        read["ProgramArguments"].as_array().unwrap().iter().filter_map(|word| word.as_str()).collect();
    assert!(words[0].starts_with('/') && words[1..] == ["work", "--watch"], "{words:?}");
    // The log is in a directory that is there, and the mask is a number in tens: 63 is octal 077.
    assert!(read["StandardErrorPath"].as_str().unwrap().starts_with('/') && read["Umask"] == 0o077);
    assert_eq!(read["KeepAlive"], true);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let machine = Machine::new();
    machine.run(&["install", "cron", "--project"]).fails(2, "not for one");
    machine.run(&["install", "cron", "--watch"]).fails(2, "for systemd");
    machine.run(&["install", "codex", "--watch"]).fails(2, "for systemd");
    machine.run(&["install", "at"]).fails(2, "cron, systemd, launchd");
}
