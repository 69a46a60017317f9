//! `adopt` as a person uses it: six systems' stores in one home directory become one memory, twice with the same result, and back
//! to the byte.

use crate::support::User;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the samples were made.
const MADE_IN: &str = "/home/mei/src/tidepool";
/// Systems whose stores lie side by side, as they do on one machine.
const SIX: [&str; 6] =
    ["claude_code", "codex", "gemini_cli", "cursor_windsurf_copilot", "basic_memory", "mcp_server_memory"];

/// A user in whose home directory six systems were at work, in one project.
struct Mei {
    user: User,
}

fn slug(path: &str) -> String {
    path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

impl Mei {
    fn new() -> Mei {
        let mei = Mei { user: User::new() };
        fs::create_dir_all(mei.project().join(".git")).unwrap();
        for system in SIX {
            mei.lay_out(system);
        }
        mei
    }

    fn project(&self) -> PathBuf {
        self.user.root().join("src/tidepool")
    }

    /// A store as its program leaves it: `dot_x` is `.x`, the last `.sample` is dropped.
    fn lay_out(&self, system: &str) {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/adopt").join(system);
        self.lay_out_folder(&samples.join("home"), self.user.root());
        self.lay_out_folder(&samples.join("project"), &self.project());
    }

    fn lay_out_folder(&self, from: &Path, to: &Path) {
        let Ok(entries) = fs::read_dir(from) else { return };
        fs::create_dir_all(to).unwrap();
        let (home, project) = (self.user.root().to_str().unwrap(), self.project());
        let project = project.to_str().unwrap();
        for entry in entries {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let name = name.strip_prefix("dot_").map_or(name.to_owned(), |name| format!(".{name}"));
            let name = name.strip_suffix(".sample").unwrap_or(&name).replace(&slug(MADE_IN), &slug(project));
            if path.is_dir() {
                self.lay_out_folder(&path, &to.join(name));
            } else {
                let text = fs::read_to_string(&path).unwrap();
                let text = text.replace(MADE_IN, project).replace(&slug(MADE_IN), &slug(project));
                fs::write(to.join(name), text.replace("/home/mei", home)).unwrap();
            }
        }
    }

    fn run(&self, args: &[&str]) -> crate::support::Said {
        let mut command = self.user.command(["--as", "tests"].iter().chain(args).collect::<Vec<_>>());
        command.current_dir(self.project());
        crate::support::Said::of(command.output().unwrap())
    }

    fn json(&self, args: &[&str]) -> Value {
        let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        serde_json::from_str(&self.run(&args).ok()).unwrap()
    }

    fn facts(&self) -> BTreeMap<String, String> {
        let dir = self.user.root().join(".config/agents/facts");
        let Ok(entries) = fs::read_dir(dir) else { return BTreeMap::new() };
        let paths = entries.map(|entry| entry.unwrap().path());
        let named = paths.filter(|path| path.extension().is_some_and(|end| end == "md"));
        named
            .map(|path| {
                (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(path).unwrap())
            })
            .collect()
    }

    /// Every file of the stores, with its bytes.
    fn sources(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.user.root().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let ours = path.starts_with(self.user.root().join(".config"))
                    || path.starts_with(self.user.root().join(".cache"));
                if path.is_dir() && !ours {
                    folders.push(path);
                } else if !ours {
                    found.insert(path.clone(), fs::read(path).unwrap());
                }
            }
        }
        found
    }
}

fn texts(adoption: &Value) -> Vec<&str> {
    adoption["entries"].as_array().unwrap().iter().map(|entry| entry["text"].as_str().unwrap()).collect()
}

/// The line of all facts that says this.
fn line<'f>(facts: &'f BTreeMap<String, String>, says: &str) -> &'f str {
    let lines: Vec<&str> =
        facts.values().flat_map(|text| text.lines()).filter(|line| line.contains(says)).collect();
    assert_eq!(lines.len(), 1, "{says}: {lines:?}");
    lines[0]
}

#[test]
fn six_stores_become_one_memory_and_a_second_run_proposes_nothing() {
    let mei = Mei::new();
    let before = mei.sources();
    let looked = mei.run(&["adopt", "--dry-run"]).ok();
    assert!(looked.contains("Claude Code") && looked.contains("will wait for your yes"), "{looked}");
    assert!(mei.json(&["list"]).as_array().unwrap().is_empty(), "a dry run enqueued something");

    let taken = mei.json(&["adopt"]);
    assert_eq!(taken["added"][0], "facts");
    assert_eq!(taken["jobs"].as_array().unwrap().len(), texts(&taken).len());
    let known: Vec<&Value> = taken["entries"].as_array().unwrap().iter().collect();
    let of = |says: &str| *known.iter().find(|entry| entry["text"].as_str().unwrap().contains(says)).unwrap();
    let origins = of("Answers in Chinese, code comments in English")["origins"].as_array().unwrap();
    let systems: Vec<&str> = origins.iter().map(|origin| origin["system"].as_str().unwrap()).collect();
    assert!(systems.contains(&"claude_code") && systems.contains(&"basic_memory"), "{systems:?}");
    assert!(of("备份每天 04:00")["waits"].is_string());

    let meanwhile = mei.json(&["adopt", "--dry-run"]);
    assert_eq!(texts(&meanwhile), Vec::<&str>::new(), "what waits in the queue is known");
    mei.run(&["work"]).ok();
    assert_eq!(before, mei.sources(), "a source was changed");
    let facts = mei.facts();
    let force = line(&facts, "Never force-push");
    assert!(force.contains("[O]") && force.contains(" by=agent ") && force.contains("s=codex/"), "{force}");
    assert!(facts["2026-11.md"].contains("## 2026-11-20\n"), "{facts:?}");
    let undated = line(&facts, "Laptop: Debian 13");
    assert!(undated.contains("<!-- lw by=agent "), "no date is invented: {undated}");
    assert!(facts.values().any(|text| text.contains("\n## Undated\n") || text.starts_with("## Undated\n")));
    line(&facts, "for `migrations/**/*.sql`, `src/db/**`: Every migration has a down part");
    assert!(!facts.values().any(|text| text.contains("04:00")), "it waits for a yes");
    assert!(!mei.json(&["list", "review"]).as_array().unwrap().is_empty());
    assert!(mei.json(&["list", "failed"]).as_array().unwrap().is_empty());

    let again = mei.json(&["adopt"]);
    assert_eq!(texts(&again), Vec::<&str>::new());
    assert!(again["adoption"].is_null() && again["known"].as_u64().unwrap() > 20, "{again}");
    mei.run(&["work"]).ok();
    assert_eq!(mei.facts(), facts);
    assert!(mei.run(&["recall", "force-push"]).ok().contains("Never force-push"));
    mei.user.assert_clean();
}

#[test]
fn a_changed_source_proposes_only_the_change() {
    let mei = Mei::new();
    mei.run(&["adopt", "--yes"]).ok();
    mei.run(&["work"]).ok();
    let memory = mei.user.root().join(".claude/projects").join(slug(mei.project().to_str().unwrap()));
    let memory = memory.join("memory/grafana-board.md");
    let text = fs::read_to_string(&memory).unwrap();
    fs::write(&memory, text.replace("/d/p95", "/d/p99")).unwrap();
    let own = mei.user.root().join(".claude/CLAUDE.md");
    fs::write(&own, fs::read_to_string(&own).unwrap() + "- Editor: helix\n").unwrap();

    let id = line(&mei.facts(), "/d/p95").rsplit_once('^').unwrap().1.to_owned();
    let changed = mei.json(&["adopt"]);
    let states: Vec<_> = changed["entries"].as_array().unwrap().iter().map(|entry| &entry["state"]).collect();
    assert_eq!(states, ["new", "changed"], "{changed}");
    mei.run(&["work"]).ok();
    let facts = mei.facts();
    assert!(line(&facts, "/d/p99").ends_with(&id), "the item keeps its id");
    line(&facts, "Editor: helix");
    assert!(!facts.values().any(|text| text.contains("/d/p95")));
    assert_eq!(texts(&mei.json(&["adopt"])), Vec::<&str>::new());

    // What a person made of an item is not written over without a yes.
    let facts_md = mei.user.root().join(".config/agents/facts/2026-11.md");
    let text = fs::read_to_string(&facts_md).unwrap();
    fs::write(&facts_md, text.replace("/d/p99", "/d/mine")).unwrap();
    let text = fs::read_to_string(&memory).unwrap();
    fs::write(&memory, text.replace("/d/p99", "/d/p50")).unwrap();
    let again = mei.json(&["adopt"]);
    assert_eq!(again["entries"][0]["waits"], "somebody edited the item since", "{again}");
    mei.run(&["work"]).ok();
    line(&mei.facts(), "/d/mine");
}

#[test]
fn an_adoption_is_taken_back_to_the_byte() {
    let mei = Mei::new();
    mei.run(&["init", "--memory"]).ok();
    let facts = mei.user.root().join(".config/agents/facts");
    fs::create_dir_all(&facts).unwrap();
    let own = "# Mine\n\n## 2026-11-20\n\n* tea\r\n\n## Last\n\nno line end";
    fs::write(facts.join("2026-11.md"), own).unwrap();
    let taken = mei.json(&["adopt"]);
    mei.run(&["work"]).ok();
    assert!(mei.facts()["2026-11.md"].len() > own.len());
    let undone = mei.json(&["adopt", "--undo"]);
    assert_eq!(undone["adoption"], taken["adoption"]);
    assert!(!undone["ended"].as_array().unwrap().is_empty(), "what waited for a yes");
    assert!(undone["retired"].as_array().unwrap().is_empty(), "{undone}");
    mei.run(&["work"]).ok();
    let after = mei.facts();
    assert_eq!(after["2026-11.md"], own);
    assert!(after.iter().all(|(name, text)| name == "2026-11.md" || text.is_empty()), "{after:?}");
    assert!(mei.json(&["list", "review"]).as_array().unwrap().is_empty());
    assert!(mei.run(&["adopt", "--undo"]).stderr.contains("nothing was adopted here"));
    assert_eq!(texts(&mei.json(&["adopt", "--dry-run"])), texts(&taken), "and it is offered again");
}

#[test]
fn what_was_edited_since_stays_when_an_adoption_is_taken_back() {
    let mei = Mei::new();
    mei.json(&["adopt", "codex", "hermes"]);
    mei.run(&["work"]).ok();
    let path = mei.user.root().join(".config/agents/facts/2026-11.md");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("Never force-push to", "Never ever force-push to")).unwrap();
    mei.run(&["remember", "of another day"]).ok();
    mei.run(&["work"]).ok();
    let undone = mei.json(&["adopt", "--undo"]);
    assert_eq!(undone["kept"].as_array().unwrap().len(), 1, "{undone}");
    mei.run(&["work"]).ok();
    let facts = mei.facts();
    assert!(line(&facts, "Never ever force-push").starts_with("- [O] Never ever"));
    assert!(line(&facts, "只读副本端口是 5433").starts_with("- ~~"), "{facts:?}");
    line(&facts, "of another day");
    assert!(
        texts(&mei.json(&["adopt", "codex", "--dry-run"])).is_empty(),
        "what was retired is not offered again"
    );
}

#[test]
fn an_agent_may_look_and_take_nothing_over() {
    let mei = Mei::new();
    let agent = |args: &[&str]| {
        let mut command = mei.user.command(args);
        command.current_dir(mei.project()).env("CLAUDECODE", "1");
        crate::support::Said::of(command.output().unwrap())
    };
    assert!(agent(&["adopt", "--dry-run"]).ok().contains("Codex"));
    for args in [&["adopt", "--yes"][..], &["adopt", "--undo"]] {
        let said = agent(args);
        assert_eq!(said.code, Some(1), "{args:?}: {}", said.stderr);
        assert!(said.stderr.contains("an agent's session cannot"), "{}", said.stderr);
    }
    assert!(mei.json(&["list"]).as_array().unwrap().is_empty());
}

#[test]
fn a_secret_in_a_memory_is_named_and_goes_nowhere() {
    let mei = Mei::new();
    let token = ["ghp_", "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gH6"].concat();
    let own = mei.user.root().join(".claude/CLAUDE.md");
    fs::write(&own, format!("- the token is {token}\n- tea at four\n")).unwrap();
    let said = mei.run(&["adopt", "claude_code", "--yes"]).ok();
    assert!(said.contains("CLAUDE.md:1: it looks like a secret") && !said.contains(&token), "{said}");
    mei.run(&["work"]).ok();
    let (found, _) = mei
        .facts()
        .into_values()
        .fold((false, ()), |(found, ()), text| (found || text.contains("tea at four"), ()));
    assert!(found);
    let log = mei.run(&["log", "--json"]).ok();
    assert!(!log.contains(&token) && !mei.facts().values().any(|text| text.contains(&token)));
}

#[test]
fn mistakes_on_the_command_line_are_named() {
    let user = User::new();
    let said = user.run(["adopt", "claud"]);
    assert_eq!(said.code, Some(2));
    assert!(
        said.stderr.contains("no system `claud`") && said.stderr.contains("claude_code"),
        "{}",
        said.stderr
    );
    assert!(user.run(["adopt"]).ok().contains("no other agent's memory is found here"));
    assert_eq!(user.run(["adopt", "--undo", "--as", "tests"]).code, Some(1));
}
