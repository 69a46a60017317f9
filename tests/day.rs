//! A day of hooks on two machines, one with the crontab line and one with the systemd units, with real processes and a
//! clock that runs faster: 24 hours in which hooks and workers are killed, the disk is full for a while, the clock is set
//! forward and back, the machine sleeps, a document cannot be reached, a person edits. What was acknowledged is in its
//! document once and in order at the end, and `status` says what is on the disk all along.

use crate::support::{Said, User};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

const MINUTE_MS: u64 = 60_000;
const MINUTES: u64 = 24 * 60;
/// What a process takes is that much longer on the machine's clock.
const RATE: u64 = 100;
const DOCUMENTS: [&str; 3] = ["alpha", "beta", "gamma"];

/// Who calls the worker.
#[derive(Clone, Copy, PartialEq)]
enum Schedule {
    /// Once a minute.
    Cron,
    /// When something is in `pending/`, and a minute after the last time.
    Systemd,
}

/// What the machine goes through in a minute of the day.
#[derive(Default, Clone, Copy)]
struct Weather {
    /// Milliseconds by which the clock on the wall is wrong.
    clock_ms: i64,
    disk_full: bool,
    /// Nobody calls the worker; hooks come all the same.
    asleep: bool,
    /// A document is not where it was.
    unreachable: bool,
    /// Hooks and workers are killed.
    killing: bool,
}

fn weather(minute: u64) -> Weather {
    let hours = |from: u64, to: u64| (from * 60..to * 60).contains(&minute);
    let clock_ms = match minute {
        _ if hours(6, 8) => 3 * 60 * MINUTE_MS as i64,
        _ if hours(15, 17) => -2 * 60 * MINUTE_MS as i64,
        _ => 0,
    };
    Weather {
        clock_ms,
        disk_full: (300..330).contains(&minute) || (1000..1010).contains(&minute),
        asleep: (600..640).contains(&minute),
        unreachable: (700..712).contains(&minute),
        killing: minute % 7 == 3,
    }
}

struct Machine {
    user: User,
    schedule: Schedule,
    chance: u64,
    /// The first moment of the day.
    began_ms: u64,
    minute: u64,
    said: usize,
    /// What was acknowledged, by document, in the order of acknowledging.
    promised: BTreeMap<&'static str, Vec<String>>,
    /// How runs of the worker ended, and how often a process was killed.
    runs: u32,
    troubles: u32,
    killed: u32,
}

impl Machine {
    fn new(schedule: Schedule) -> Machine {
        let user = User::in_memory();
        fs::create_dir(user.root().join("docs")).unwrap();
        let kb = |name: &&str| format!("  {name}: {{ path: ~/docs/{name}.md }}\n");
        let kbs: String = DOCUMENTS.iter().map(kb).collect();
        user.configure(&format!("version: 1\nknowledge_bases:\n{kbs}session_bootstrap: [alpha]\nretry: {{ retries: 40, base: 50s, cap: 60s }}\n"));
        for name in DOCUMENTS {
            fs::write(
                user.root().join(format!("docs/{name}.md")),
                "# Mine\n\n## Log\n\n- begin\n\n## Other\n\nmine\n",
            )
            .unwrap();
        }
        let began = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        // In the morning. Around a midnight that the clock passed twice, a run from while it was ahead reads as one of a moment ago, and
        // nobody can tell that it is not.
        const DAY_MS: u64 = 24 * 60 * MINUTE_MS;
        let began_ms = u64::try_from(began.as_millis()).unwrap() / DAY_MS * DAY_MS + 9 * 60 * MINUTE_MS;
        Machine {
            user,
            schedule,
            chance: 0x9e37_79b9_7f4a_7c15,
            began_ms,
            minute: 0,
            said: 0,
            promised: BTreeMap::new(),
            runs: 0,
            troubles: 0,
            killed: 0,
        }
    }

    /// One of so many, the same each time this test runs.
    fn one_of(&mut self, many: u64) -> u64 {
        self.chance ^= self.chance << 13;
        self.chance ^= self.chance >> 7;
        self.chance ^= self.chance << 17;
        self.chance % many
    }

    fn now_ms(&self) -> u64 {
        (self.began_ms + self.minute * MINUTE_MS).checked_add_signed(weather(self.minute).clock_ms).unwrap()
    }

    fn command(&self, args: &[&str], trouble: &str) -> Command {
        let mut command = self.user.command(args);
        command.env("LAST_WORD_CLOCK", format!("{}x{RATE}", self.now_ms())).env("LAST_WORD_TROUBLE", trouble);
        command
    }

    fn run(&mut self, args: &[&str], trouble: &str) -> Said {
        let said = Said::of(self.command(args, trouble).output().unwrap());
        self.killed += u32::from(said.code.is_none());
        said
    }

    /// What goes wrong for the next process.
    fn trouble(&mut self, steps: u64) -> String {
        let weather = weather(self.minute);
        match () {
            () if weather.disk_full => format!("fail-from={}:28", 1 + self.one_of(3)),
            () if weather.killing => format!("step={}", 1 + self.one_of(steps)),
            () => String::new(),
        }
    }

    /// A hook declares a line, with a key; one that was killed or failed is fired once more, as agents do.
    fn hook(&mut self) {
        self.said += 1;
        let document = DOCUMENTS[self.said % DOCUMENTS.len()];
        let (line, key) = (format!("- line {:05}", self.said), format!("key-{}", self.said));
        let args = [
            "enqueue",
            "--to",
            document,
            "--heading",
            "Log",
            "--op",
            "append",
            "--key",
            &key,
            "--content",
            &line,
        ];
        for _ in 0..2 {
            let trouble = self.trouble(9);
            if self.run(&args, &trouble).code == Some(0) {
                self.promised.entry(document).or_default().push(line);
                break;
            }
        }
        if self.schedule == Schedule::Systemd && !self.user.files("pending").is_empty() {
            self.worker();
        }
    }

    fn worker(&mut self) {
        if weather(self.minute).asleep {
            return;
        }
        let args: &[&str] = match self.schedule {
            Schedule::Cron => &["work"],
            Schedule::Systemd => &["work", "--stay", "0"],
        };
        let trouble = self.trouble(60);
        let said = self.run(args, &trouble);
        self.runs += 1;
        assert_eq!(said.stdout, "", "a worker says nothing on standard output");
        match said.code {
            Some(0) => assert!(trouble.starts_with("fail") || said.stderr.is_empty(), "{}", said.stderr),
            Some(1) => {
                assert!(
                    said.stderr.contains("No space left") && said.stderr.contains("hint:"),
                    "{}",
                    said.stderr
                );
                self.troubles += 1;
            }
            None => assert!(trouble.starts_with("step"), "{trouble}: {}", said.stderr),
            other => panic!("exit {other:?}: {}", said.stderr),
        }
    }

    /// `status` says what is on the disk, and whether somebody is needed.
    fn assert_status_is_true(&mut self) {
        let said = self.run(&["status", "--json"], "").ok();
        let status: serde_json::Value = serde_json::from_str(&said).unwrap();
        let of = |state: &str| {
            let states = status["states"].as_array().unwrap();
            let of = states.iter().find(|of| of["state"] == state).unwrap();
            usize::try_from(of["count"].as_u64().unwrap()).unwrap()
        };
        let [pending, deferred, processing, failed, review, _] = self.user.counts();
        let there = [of("pending"), of("deferred"), of("processing"), of("failed"), of("review")];
        let minute = self.minute;
        // An intent of a dead worker is in processing/ too, and is no job.
        let intents = self.user.files("processing").iter().filter(|name| name.starts_with("commit-")).count();
        assert_eq!(
            there,
            [pending, deferred, processing - intents, failed, review],
            "minute {minute}: {said}"
        );
        let weather = weather(minute);
        let stalled = !status["stalled"].is_null();
        if weather.asleep && minute >= 630 {
            assert!(stalled, "minute {minute}: jobs wait and nobody says so: {said}");
        }
        let stuck = status["stuck"].as_u64().unwrap() > 0;
        assert!(!stuck || deferred > 0, "minute {minute}: {said}");
        let dead = !status["dead"].as_array().unwrap().is_empty();
        assert_eq!(dead, processing > intents, "minute {minute}: {said}");
        assert_eq!(
            status["needs_somebody"].as_bool().unwrap(),
            failed + review > 0 || stalled || stuck || dead || !status["failing_since"].is_null(),
            "minute {minute}: {said}"
        );
        assert_eq!(status["working"].as_array().unwrap().len(), 0, "nobody lives between the runs: {said}");
    }

    fn document(&self, name: &str) -> PathBuf {
        self.user.root().join(format!("docs/{name}.md"))
    }

    /// The directory of the documents goes away, and comes back.
    fn reach(&self) {
        let (there, away) = (self.user.root().join("docs"), self.user.root().join("away"));
        let gone = weather(self.minute).unreachable;
        if gone && !away.exists() {
            fs::rename(&there, &away).unwrap();
            fs::write(&there, "in the way").unwrap();
        } else if !gone && away.exists() {
            fs::remove_file(&there).unwrap();
            fs::rename(&away, &there).unwrap();
        }
    }

    fn person(&mut self) {
        if self.minute % 97 == 5 && !weather(self.minute).unreachable {
            let name = DOCUMENTS[self.one_of(3) as usize];
            let path = self.document(name);
            let text = fs::read_to_string(&path).unwrap();
            fs::write(path, format!("{text}saved in minute {}\n", self.minute)).unwrap();
        }
    }

    fn live_a_minute(&mut self) {
        self.reach();
        self.person();
        for _ in 0..[0, 0, 1, 0, 2, 0, 1, 1][self.one_of(8) as usize] {
            self.hook();
        }
        // One quiet minute is like another: of those only some are lived through.
        let busy =
            ["pending", "deferred", "processing"].iter().any(|state| !self.user.files(state).is_empty());
        if busy || self.minute.is_multiple_of(6) {
            self.worker();
        }
        if self.minute.is_multiple_of(10) || weather(self.minute).killing {
            self.assert_status_is_true();
        }
        if self.minute == 400 {
            // Something that fails, and waits for a person until the next morning.
            let entry = ["--heading", "Log", "--op", "replace", "--old-text", "nowhere", "--content", "x"];
            self.run(&[&["enqueue", "--to", "alpha"], &entry[..]].concat(), "").ok();
        }
        self.minute += 1;
    }

    /// The lines of jobs that killed three workers, or seem to: in this weather the innocent ones. They wait for a person.
    fn poisoned(&self) -> Vec<String> {
        let failed = self.user.json(["list", "failed", "--limit", "0"]);
        let poison = failed.as_array().unwrap().iter().filter(|job| job["error"] == "poison");
        let line = |job: &serde_json::Value| {
            let shown = self.user.json(["show", job["id"].as_str().unwrap()]);
            shown["job"]["entries"][0]["content"].as_str().unwrap().to_owned()
        };
        let lines: Vec<String> = poison.map(line).collect();
        assert!(lines.len() < 20, "too many to be chance: {lines:?}");
        lines
    }

    /// The next morning: everything is drained, and held against what was promised.
    fn assert_promises_were_kept(&mut self) {
        let poisoned = self.poisoned();
        for _ in 0..3 {
            self.run(&["work"], "").ok();
            self.run(&["resolve", "--all", "--discard", "--reason", "morning"], "");
            self.minute += 1;
        }
        self.assert_status_is_true();
        let [pending, deferred, processing, failed, review, done] = self.user.counts();
        assert_eq!([pending, deferred, processing, failed, review], [0; 5]);
        self.user.run(["work"]).ok();
        let mut promised = 0;
        for name in DOCUMENTS {
            let text = fs::read_to_string(self.document(name)).unwrap();
            let log = text.split("## Log\n").nth(1).unwrap().split("## Other").next().unwrap();
            let lines: Vec<&str> = log.lines().filter(|line| line.starts_with("- line")).collect();
            let kept = &self.promised[name];
            // Such a one is not in the document: it is in the hands of a person, with the reason.
            let kept: Vec<&String> = kept.iter().filter(|line| !poisoned.contains(line)).collect();
            promised += kept.len();
            let mut once = lines.clone();
            once.sort_unstable();
            once.dedup();
            assert_eq!(once.len(), lines.len(), "{name}: a line took effect twice");
            let found: Vec<&str> =
                lines.iter().copied().filter(|line| kept.iter().any(|kept| kept == line)).collect();
            assert_eq!(found, kept, "{name}: every acknowledged line, in its order");
            let saves = text.lines().filter(|line| line.starts_with("saved in minute")).count();
            assert!(
                text.starts_with("# Mine\n\n## Log\n\n- begin\n") && saves > 0,
                "{name}: what a person wrote stays"
            );
        }
        assert!(done >= promised, "{done} receipts for {promised}");
        println!(
            "{promised} lines promised, {} runs, {} stopped by trouble, {} processes killed",
            self.runs, self.troubles, self.killed
        );
        assert!(promised > 600 && self.troubles > 2 && self.killed > 100, "it was too quiet a day");
    }
}

fn a_day(schedule: Schedule) {
    let mut machine = Machine::new(schedule);
    while machine.minute < MINUTES {
        machine.live_a_minute();
    }
    machine.assert_promises_were_kept();
}

#[test]
fn under_cron() {
    a_day(Schedule::Cron);
}

#[test]
fn under_systemd() {
    a_day(Schedule::Systemd);
}
