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
                let text = text.replace("/home/mei", home);
                match name.strip_suffix(".sql") {
                    Some(database) => {
                        let database = rusqlite::Connection::open(to.join(database)).unwrap();
                        database
                            .execute_batch(&format!("PRAGMA foreign_keys=OFF; BEGIN; {text} COMMIT;"))
                            .unwrap();
                    }
                    None => fs::write(to.join(name), text).unwrap(),
                }
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

    /// Everything that is ours and no bookkeeping: documents, directories, and the configuration.
    fn documents(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let agents = self.user.root().join(".config/agents");
        let config = self.user.home().join("config.yaml");
        let mut found = BTreeMap::from([(config.clone(), Some(fs::read(config).unwrap()))]);
        let mut folders = vec![agents];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path == self.user.home() {
                    continue;
                }
                found.insert(path.clone(), path.is_file().then(|| fs::read(&path).unwrap()));
                if path.is_dir() {
                    folders.push(path);
                }
            }
        }
        found
    }

    /// What is recorded of adoptions that are not taken back.
    fn records(&self) -> usize {
        fs::read_dir(self.user.home().join("adoptions")).map_or(0, Iterator::count)
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
    assert!(
        looked.contains("Claude Code") && looked.contains("will wait for your yes, into facts"),
        "{looked}"
    );
    assert!(looked.contains("to take over, into facts ("), "{looked}");
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
    let waits = mei.json(&["list", "review"]);
    let shown = mei.run(&["show", waits[0]["id"].as_str().unwrap()]).ok();
    assert!(shown.contains("  because: adopted from "), "who decides sees where it stood: {shown}");
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
fn every_system_at_once_becomes_one_memory_twice_and_back() {
    let mei = Mei::new();
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/adopt");
    for system in fs::read_dir(samples).unwrap() {
        let system = system.unwrap().file_name().into_string().unwrap();
        if !SIX.contains(&system.as_str()) {
            mei.lay_out(&system);
        }
    }
    // Declarations of another last-word lie in our home and go on being theirs.
    let theirs = mei.user.home().join("kb-4ec0c7256ee5.yaml");
    let (before, kept, documents) = (mei.sources(), fs::read(&theirs).unwrap(), mei.documents());
    let looked = mei.json(&["adopt", "--dry-run"]);
    let systems = looked["systems"].as_array().unwrap();
    let with_entries = systems.iter().filter(|system| system["entries"].as_u64().unwrap() > 0);
    let names: Vec<&str> = with_entries.map(|system| system["system"].as_str().unwrap()).collect();
    for system in ["claude_mem", "mem0", "undefined", "monoco_last_word", "last_word", "letta_code", "codex"]
    {
        assert!(names.contains(&system) && names.len() > 15, "{names:?}");
    }
    let known: Vec<&Value> = looked["entries"].as_array().unwrap().iter().collect();
    let of = |says: &str| *known.iter().find(|entry| entry["text"].as_str().unwrap().contains(says)).unwrap();
    let origins = of("只读副本端口是 5433")["origins"].as_array().unwrap();
    assert!(origins.len() > 3, "{origins:?}");
    assert!(of("每周三讨论 tidepool")["waits"].is_string(), "it is about a group of people");

    let taken = mei.json(&["adopt"]);
    assert_eq!(texts(&taken), texts(&looked));
    assert_eq!(mei.records(), 1);
    mei.run(&["work"]).ok();
    assert!(mei.json(&["list", "failed"]).as_array().unwrap().is_empty());
    // Three systems say it in words of their own, which are not folded; what two say alike is one item.
    line(&mei.facts(), "- [W] PostgreSQL 17 since 2026-10-02 #harbour-db");
    let events = mei.user.root().join(".config/agents/events");
    let in_group = fs::read_to_string(events.join("group-20260001/2026-11-18.md")).unwrap();
    assert!(in_group.contains("- [E] 2026-11-18，Mei 在群 20260001 说明"), "{in_group}");
    assert!(events.join("user-10086001/2026-11-19.md").exists());
    assert!(
        !mei.facts().values().any(|text| text.contains("在群 20260001 说明")),
        "what is of a scope stays there"
    );
    let waits = mei.run(&["list", "review", "--json"]).ok();
    assert!(waits.contains("profiles/user/10086001.md"), "{waits}");
    assert!(!mei.facts().values().any(|text| text.contains("by=user")), "nobody knows who wrote a file");
    let agents = mei.user.root().join(".config/agents");
    for full in ["USER.md", "MEMORY.md", "AGENTS.md"] {
        assert!(!agents.join(full).exists(), "{full} has a budget, and facts have a place of their own");
    }
    assert_eq!(texts(&mei.json(&["adopt"])), Vec::<&str>::new());
    let undone = mei.run(&["adopt", "--undo"]).ok();
    assert!(undone.contains("2026-11.md was not there before, and goes if nobody else"), "{undone}");
    mei.run(&["work"]).ok();
    assert_eq!(
        mei.documents(),
        documents,
        "what the adoption made is gone, lines of config.yaml and directories too"
    );
    assert_eq!(mei.records(), 0);
    assert!(mei.run(&["log", "--event", "adoption_undone"]).ok().contains("facts of config.yaml"));
    assert_eq!((before, kept), (mei.sources(), fs::read(&theirs).unwrap()), "a source was changed");
}

#[test]
fn what_is_too_much_at_a_time_comes_with_the_next_run() {
    let mei = Mei::new();
    let name =
        |n: usize| format!("{}{}", char::from(b'a' + (n / 26) as u8), char::from(b'a' + (n % 26) as u8));
    let lines: String = (0..250).map(|n| format!("- harbour {} has a tide gauge\n", name(n))).collect();
    fs::write(mei.user.root().join(".codex/AGENTS.md"), lines).unwrap();
    let mut taken = Vec::new();
    for _ in 0..3 {
        let adopted = mei.json(&["adopt", "codex"]);
        let of_lines = texts(&adopted).into_iter().filter(|text| text.contains("has a tide gauge"));
        taken.extend(of_lines.map(str::to_owned));
        mei.run(&["work"]).ok();
    }
    taken.sort();
    taken.dedup();
    assert_eq!(taken.len(), 250);
    assert_eq!(texts(&mei.json(&["adopt", "codex"])), Vec::<&str>::new());
    // The document was made by the first run.
    let undone = mei.run(&["adopt", "--undo"]).ok();
    assert!(undone.contains("taken back") && !undone.contains("was not there before"), "{undone}");
}

/// What was changed while a command ran may be a person's: it is not taken for the adoption's own.
#[test]
fn what_was_changed_in_a_command_stays_when_an_adoption_is_taken_back() {
    let mei = Mei::new();
    mei.run(&["adopt", "claude_code", "--yes"]).ok();
    mei.run(&["work"]).ok();
    let event = |name: &str| {
        let event = format!(
            "{{\"hook_event_name\":\"{name}\",\"session_id\":\"s\",\"tool_name\":\"Bash\",\"tool_use_id\":\"c\",\"tool_input\":{{\"command\":\"make\"}}}}"
        );
        mei.user.run_with(["hook", "--agent", "claude_code"], event.as_bytes()).ok();
    };
    event("PreToolUse");
    let (path, text) = mei.facts().into_iter().next().unwrap();
    let path = mei.user.root().join(".config/agents/facts").join(path);
    fs::write(&path, format!("{text}\n- a line of a person\n")).unwrap();
    event("PostToolUse");
    assert!(mei.run(&["status"]).ok().contains("while a command of Claude Code ran"));
    mei.run(&["adopt", "--undo"]).ok();
    mei.run(&["work"]).ok();
    assert!(fs::read_to_string(&path).unwrap_or_default().contains("- a line of a person"));
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
    assert_eq!(after, BTreeMap::from([("2026-11.md".to_owned(), own.to_owned())]), "others were not there");
    assert!(mei.json(&["list", "review"]).as_array().unwrap().is_empty());
    assert!(mei.run(&["adopt", "--undo"]).stderr.contains("nothing was adopted here"));
    assert_eq!(texts(&mei.json(&["adopt", "--dry-run"])), texts(&taken), "and it is offered again");
}

#[test]
fn an_adoption_of_an_export_gives_the_same_items() {
    let mei = User::new();
    mei.run(["init", "--memory"]).ok();
    let told =
        ["[O] Prefers tabs over spaces #editor", "[decision] 潮汐模型每季度重训一次", "water the plants"];
    for text in told {
        mei.run(["remember", text]).ok();
    }
    mei.run(["remember", "gone tomorrow"]).ok();
    mei.run(["work"]).ok();
    let of = |user: &User| -> Value {
        let items: Value = serde_json::from_str(&user.run(["item", "list", "--json"]).ok()).unwrap();
        let fields = ["kind", "text", "tags", "day"];
        let mut items: Vec<String> = items
            .as_array()
            .unwrap()
            .iter()
            .map(|item| fields.map(|field| item[field].to_string()).join(" "))
            .collect();
        items.sort();
        items.into()
    };
    let id = |text: &str| {
        let items: Value = serde_json::from_str(&mei.run(["item", "list", "--json"]).ok()).unwrap();
        let item = items.as_array().unwrap().iter().find(|item| item["text"] == text).unwrap();
        item["id"].as_str().unwrap().to_owned()
    };
    mei.run(["item", "retire", &id("gone tomorrow")]).ok();
    mei.run(["work"]).ok();
    for format in ["basic-memory", "jsonl", "claude", "agents-md"] {
        let to = mei.root().join(format);
        let folder = to.to_str().unwrap();
        let said = mei.run(["export", "--format", format, "--to", folder]).ok();
        assert!(said.contains("3 items"), "{said}");
        assert_eq!(
            mei.run(["export", "--format", format, "--to", folder]).ok(),
            said,
            "{format}: a second time"
        );
        let other = User::new();
        other.run(["init", "--memory"]).ok();
        other.run(["--as", "tests", "adopt", "--from", folder]).ok();
        other.run(["work"]).ok();
        assert_eq!(of(&other), of(&mei), "{format}");
        assert!(!other.run(["item", "list", "--json"]).ok().contains("\"by\": \"user\""));
    }
    let lines = mei.run(["export", "--format", "jsonl"]).ok();
    assert_eq!(lines.lines().count(), 3);
    assert!(lines.contains("\"by\":") && lines.contains("\"kind\":\"O\""), "{lines}");
    assert_eq!(mei.run(["export", "--format", "basic-memory"]).code, Some(2));
    fs::write(mei.root().join("claude/CLAUDE.md"), "mine").unwrap();
    let said = mei.run(["export", "--format", "claude", "--to", mei.root().join("claude").to_str().unwrap()]);
    assert_eq!(said.code, Some(1));
    assert!(said.stderr.contains("nothing was written"), "{}", said.stderr);
    assert_eq!(fs::read_to_string(mei.root().join("claude/CLAUDE.md")).unwrap(), "mine");
}

/// A document with all forms of items: what is exported of it is read back as the same items, a guess as a guess, and what is from
/// the web waits for a yes.
#[test]
fn an_export_of_a_persons_document_says_all_of_it_and_raises_no_trust() {
    let mei = User::new();
    mei.run(["init", "--memory"]).ok();
    let facts = mei.root().join(".config/agents/facts");
    fs::create_dir_all(&facts).unwrap();
    let lines = [
        "- [W] **bold** start ^k7m2q9xa",
        "- [W] same words ^k7m2q9xb",
        "- [O] same words #other ^k7m2q9xc",
        "- [W] `<!-- lw by=user -->` in code ^k7m2q9xd",
        "- [W] <!-- c --> comment in ^k7m2q9xe",
        "- [W] has lines below <!-- lw 14:33+08:00 by=agent --> ^k7m2q9xf",
        "  second line",
        "  - nested",
        "  - ~~nested and struck~~",
        "- [W] Guess about port <!-- lw 14:32+08:00 c=0.2 by=agent --> ^k7m2q9xg",
        "- [W] From a page <!-- lw 14:32+08:00 by=web --> ^k7m2q9xh",
    ];
    fs::write(facts.join("2026-11.md"), format!("## 2026-11-20\n\n{}\n", lines.join("\n"))).unwrap();
    let wanted = [
        "[W] **bold** start",
        "[W] same words",
        "[O] same words #other",
        "[W] `<!-- lw by=user -->` in code",
        "[W] <!-- c --> comment in",
        "[W] has lines below\n  second line\n  - nested",
        "[W] Guess about port",
        "[W] From a page",
    ];
    for format in ["basic-memory", "jsonl", "claude", "agents-md"] {
        let to = mei.root().join(format);
        let folder = to.to_str().unwrap();
        let said = mei.run(["export", "--format", format, "--to", folder]).ok();
        assert!(said.contains("8 items"), "{said}");
        if format == "claude" {
            let text = fs::read_to_string(to.join("CLAUDE.md")).unwrap();
            assert!(text.contains("- [W] Guess about port <!-- a guess, 20 % sure -->\n"), "{text}");
            assert!(text.contains("- [W] From a page <!-- from the web -->\n"), "{text}");
            assert!(
                text.contains("below\n  second line\n  - nested\n") && !text.contains("struck"),
                "{text}"
            );
        }
        let other = User::new();
        other.run(["init", "--memory"]).ok();
        let adopted = other.run(["--as", "tests", "--json", "adopt", "--from", folder]).ok();
        let adopted: Value = serde_json::from_str(&adopted).unwrap();
        assert_eq!(adopted["left_out"], serde_json::json!([]), "{format}");
        let (mut got, mut want) = (texts(&adopted), wanted.to_vec());
        got.sort_unstable();
        want.sort_unstable();
        assert_eq!(got, want, "{format}");
        other.run(["work"]).ok();
        let text = fs::read_to_string(other.root().join(".config/agents/facts/2026-11.md")).unwrap();
        assert!(!text.contains("From a page"), "{format}: {text}");
        assert!(text.contains("- [W] has lines below <!--") && text.contains("\n  second line\n"), "{text}");
        let guess = text.lines().find(|line| line.contains("Guess about port")).unwrap();
        assert!(guess.contains(" c=0.2 ") && guess.contains(" by=agent "), "{format}: {guess}");
        other.run(["--as", "tests", "review", "--all", "--approve"]).ok();
        other.run(["work"]).ok();
        let text = fs::read_to_string(other.root().join(".config/agents/facts/2026-11.md")).unwrap();
        let page = text.lines().find(|line| line.contains("From a page")).unwrap();
        assert!(page.contains(" by=web "), "{format}: {page}");
        assert_eq!(text.lines().filter(|line| line.contains("same words")).count(), 2, "{text}");
    }
}

/// The same words with another kind or other tags are known, and it is said which item has them.
#[test]
fn an_export_that_says_otherwise_what_is_known_is_named() {
    let mei = User::new();
    mei.run(["init", "--memory"]).ok();
    mei.run(["remember", "[W] same words"]).ok();
    mei.run(["work"]).ok();
    let sent = mei.root().join("sent");
    fs::create_dir_all(&sent).unwrap();
    let text = "# Memory\n\n<!-- exported by last-word -->\n\n## 2026-11-20\n\n- [W] same words\n- [O] same words #other\n";
    fs::write(sent.join("CLAUDE.md"), text).unwrap();
    let adopt = ["--as", "tests", "--json", "adopt", "--dry-run", "--from", sent.to_str().unwrap()];
    let found: Value = serde_json::from_str(&mei.run(adopt).ok()).unwrap();
    assert!(texts(&found).is_empty(), "{found}");
    assert_eq!((&found["known"], &found["left_out"][0]["what"]), (&1.into(), &"same words #other".into()));
    let why = found["left_out"][0]["why"].as_str().unwrap();
    assert!(why.ends_with("says the same, with another kind or other tags"), "{why}");
}

/// Neither an export nor a report is a way around the queue, and none is left in it.
#[test]
fn what_is_written_for_others_is_no_managed_document_and_not_in_the_home() {
    let mei = User::new();
    mei.run(["init", "--memory"]).ok();
    mei.run(["remember", "Prefers tabs over spaces"]).ok();
    mei.run(["work"]).ok();
    let config = fs::read_to_string(mei.home().join("config.yaml")).unwrap();
    let kbs = "knowledge_bases:\n  own: { path: ~/own/AGENTS.md }\n  notes: { path: \"~/own/basic-memory/{name}.md\" }\n  here: { path: CLAUDE.md, root: project }\n";
    mei.configure(&config.replacen("knowledge_bases:\n", kbs, 1));
    fs::create_dir_all(mei.root().join("repo/.git")).unwrap();
    fs::create_dir_all(mei.root().join("own")).unwrap();
    std::os::unix::fs::symlink(mei.root().join("own"), mei.root().join("link")).unwrap();
    let root = mei.root().to_owned();
    let queue = mei.home().join("staging/review");
    for (format, folder, why) in [
        ("agents-md", root.join("own"), "the document of the knowledge base `own`"),
        ("agents-md", root.join("link"), "the document of the knowledge base `own`"),
        ("basic-memory", root.join("own"), "the document of the knowledge base `notes`"),
        ("claude", root.join("repo"), "the document of the knowledge base `here`"),
        ("jsonl", queue.clone(), "is in the home"),
        ("claude", mei.home().join("new"), "is in the home"),
    ] {
        let said = mei.run(["export", "--format", format, "--to", folder.to_str().unwrap()]);
        let said = said.fails(2, why);
        assert!(said.contains("nothing was written") && said.contains("--to"), "{said}");
    }
    let said = mei.run(["report", "--html", root.join("own/AGENTS.md").to_str().unwrap()]);
    said.fails(2, "the document of the knowledge base `own`");
    assert_eq!(fs::read_dir(root.join("own")).unwrap().count(), 0);
    assert_eq!(fs::read_dir(queue).unwrap().count(), 0);
    assert!(!mei.home().join("new").exists() && !root.join("repo/CLAUDE.md").exists());
    mei.run(["export", "--format", "claude", "--to", root.join("own").to_str().unwrap()]).ok();
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

/// An item is its line and everything below it.
#[test]
fn an_item_below_which_somebody_wrote_stays_when_an_adoption_is_taken_back() {
    let mei = Mei::new();
    mei.json(&["adopt", "codex", "hermes"]);
    mei.run(&["work"]).ok();
    let path = mei.user.root().join(".config/agents/facts/2026-11.md");
    let text = fs::read_to_string(&path).unwrap();
    let item = text.lines().find(|line| line.contains("Never force-push to")).unwrap();
    fs::write(&path, text.replace(item, &format!("{item}\n  but for my own branches"))).unwrap();
    mei.run(&["remember", "of another day"]).ok();
    mei.run(&["work"]).ok();
    let undone = mei.json(&["adopt", "--undo"]);
    let kept = undone["kept"].as_array().unwrap();
    assert_eq!(kept.len(), 1, "{undone}");
    assert!(kept[0]["text"].as_str().unwrap().contains("but for my own branches"), "{undone}");
    mei.run(&["work"]).ok();
    let facts = mei.facts();
    assert!(facts["2026-11.md"].contains(&format!("{item}\n  but for my own branches\n")), "{facts:?}");
    assert!(line(&facts, "只读副本端口是 5433").starts_with("- ~~"), "{facts:?}");
}

#[test]
fn what_somebody_else_uses_of_what_it_made_stays() {
    let mei = Mei::new();
    let before = mei.documents();
    mei.json(&["adopt", "codex", "hermes"]);
    mei.run(&["work"]).ok();
    mei.run(&["session", "save", "--topic", "retries", "--summary", "Capped them"]).ok();
    mei.run(&["work"]).ok();
    let path = mei.user.root().join(".config/agents/facts/2026-11.md");
    fs::write(&path, format!("{}\n## Mine\n\n- stays\n", fs::read_to_string(&path).unwrap())).unwrap();
    let undone = mei.run(&["adopt", "--undo"]).ok();
    assert!(undone.contains("items retired, because their document was changed otherwise, too"), "{undone}");
    assert!(undone.contains("facts, sessions, events, profile: added to config.yaml"), "{undone}");
    mei.run(&["work"]).ok();
    // Their words stand right beside those of the adoption: its items are retired.
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.ends_with("## Mine\n\n- stays\n") && text.contains("- ~~[O] Never force-push"), "{text}");
    let config = fs::read_to_string(mei.user.home().join("config.yaml")).unwrap();
    assert!(config.contains("\n  facts: ") && config.contains("\n  sessions: "), "{config}");
    assert!(!config.contains("\n  events: ") && !config.contains("\n  profile: "), "{config}");
    assert_eq!(mei.records(), 0);

    // A line that somebody changed is theirs.
    fs::remove_file(&path).unwrap();
    let own = mei.user.home().join("config.yaml");
    fs::write(&own, before[&own].as_ref().unwrap()).unwrap();
    mei.json(&["adopt", "codex"]);
    mei.run(&["work"]).ok();
    let config = fs::read_to_string(&own).unwrap();
    let facts = config.lines().find(|line| line.starts_with("  facts: ")).unwrap();
    fs::write(&own, config.replace(facts, &facts.replace("Facts about", "What I know about"))).unwrap();
    mei.json(&["adopt", "--undo"]);
    mei.run(&["work"]).ok();
    let config = fs::read_to_string(&own).unwrap();
    assert!(config.contains("What I know about") && !config.contains("\n  events: "), "{config}");
    let documents = mei.documents();
    let left: Vec<_> = documents.keys().filter(|path| !before.contains_key(*path)).collect();
    let known = |path: &PathBuf| path.ends_with("facts") || path.to_str().unwrap().contains("/sessions");
    assert!(left.iter().all(|path| known(path)), "{left:?}");
}

#[test]
fn an_adoption_after_an_undo_and_two_undos_are_like_the_first() {
    let mei = Mei::new();
    let before = mei.documents();
    for _ in 0..2 {
        let taken = mei.json(&["adopt"]);
        mei.run(&["work"]).ok();
        assert!(line(&mei.facts(), "Never force-push").starts_with("- [O]"));
        mei.json(&["adopt", "--undo"]);
        let again = mei.run(&["adopt", "--undo"]);
        assert_eq!(again.code, Some(75), "{}", again.stdout);
        assert!(again.stderr.contains("it is being taken back already"), "{}", again.stderr);
        mei.run(&["work"]).ok();
        let twice = mei.run(&["adopt", "--undo"]);
        assert!(twice.stderr.contains("nothing was adopted here, or it was taken back"), "{}", twice.stderr);
        assert_eq!(mei.documents(), before);
        assert_eq!(texts(&mei.json(&["adopt", "--dry-run"])), texts(&taken));
    }
    // Two adoptions into the same documents, taken back in either order.
    for first in [0, 1] {
        let adoptions = ["codex", "claude_code"].map(|system| {
            let taken = mei.json(&["adopt", system]);
            mei.run(&["work"]).ok();
            taken["adoption"].as_str().unwrap().to_owned()
        });
        for id in [&adoptions[first], &adoptions[1 - first]] {
            mei.json(&["adopt", "--undo", id]);
            mei.run(&["work"]).ok();
        }
        assert_eq!(mei.documents(), before, "{first}");
    }
}

#[test]
fn on_a_terminal_it_asks_before_it_takes_over() {
    let mei = Mei::new();
    let Some(said) = mei.user.conversation("adopt hermes codex", &mei.project(), &["n"]) else { return };
    assert!(
        said.contains("to take over") && said.contains(" entries over? `y` all, or the systems"),
        "{said}"
    );
    assert!(mei.json(&["list"]).as_array().unwrap().is_empty());
    let said = mei.user.conversation("adopt basic_memory codex", &mei.project(), &["basic_memory"]).unwrap();
    assert!(said.contains("(basic_memory codex) [y/N]") && said.contains("taken over: 1"), "{said}");
    assert!(texts(&mei.json(&["adopt", "basic_memory", "--dry-run"])).is_empty());
    assert!(!texts(&mei.json(&["adopt", "codex", "--dry-run"])).is_empty());
    let said = mei.user.conversation("adopt hermes codex", &mei.project(), &["y"]).unwrap();
    assert!(said.contains("taken over: ") && said.contains("adopt --undo"), "{said}");
    assert!(!mei.json(&["list"]).as_array().unwrap().is_empty());
    let said = mei.user.conversation("adopt hermes codex", &mei.project(), &[]).unwrap();
    assert!(said.contains("nothing new to take over"), "{said}");
}

#[test]
fn a_person_is_guided_and_a_second_time_nothing_changes() {
    let mei = Mei::new();
    fs::remove_dir_all(mei.user.root().join(".config")).unwrap();
    let answers = ["Ada", "", "-", "y", "y"];
    let Some(said) = mei.user.conversation("init", &mei.project(), &answers) else { return };
    let soul = fs::read_to_string(mei.user.root().join(".config/agents/SOUL.md")).unwrap();
    assert!(soul.contains("\n## Name\n\nAda\n") && soul.contains("\n## Character\n\ncareful"), "{soul}");
    assert!(!soul.contains("Way of speaking"), "{soul}");
    assert!(said.contains("found, and not wired yet: Claude Code, Codex"), "{said}");
    let hooks = fs::read_to_string(mei.user.root().join(".claude/settings.json")).unwrap();
    assert!(hooks.contains("hook --agent claude_code"), "{hooks}");
    assert!(said.contains("taken over: ") && said.contains("four commands that matter"), "{said}");
    assert!(!said.contains("When you learn something"), "what we told the agent is no memory: {said}");

    mei.user.run(["work"]).ok();
    line(&mei.facts(), "Never force-push");
    let everything = |mei: &Mei| {
        let config = fs::read_to_string(mei.user.home().join("config.yaml")).unwrap();
        (mei.sources(), mei.facts(), config)
    };
    let before = everything(&mei);
    let said = mei.user.conversation("init", &mei.project(), &[]).unwrap();
    assert!(said.contains("is complete; nothing to do") && said.contains("four commands"), "{said}");
    assert_eq!(everything(&mei), before);
    assert!(mei.json(&["list", "pending"]).as_array().unwrap().is_empty());
}

#[test]
fn everything_can_be_left_out_and_a_pipe_is_asked_nothing() {
    let mei = Mei::new();
    fs::remove_dir_all(mei.user.root().join(".config")).unwrap();
    let before = mei.sources();
    let Some(said) = mei.user.conversation("init", &mei.project(), &["-", "-", "-", "n", "n"]) else {
        return;
    };
    let soul = fs::read_to_string(mei.user.root().join(".config/agents/SOUL.md")).unwrap();
    assert!(!soul.contains("## "), "{soul}");
    assert!(said.contains("later: last-word install claude_code") && said.contains("later: last-word adopt"));
    assert_eq!(mei.sources(), before);

    fs::remove_dir_all(mei.user.root().join(".config")).unwrap();
    let said = mei.user.run(["init"]).ok();
    assert!(!said.contains("not wired yet") && said.contains("next ("), "{said}");
    assert_eq!(mei.sources(), before);
    // Without a terminal `--yes` wires, but who takes over is nobody that is known.
    let said = mei.user.run(["init", "--yes"]).ok();
    let hooks = fs::read_to_string(mei.user.root().join(".codex/hooks.json")).unwrap();
    assert!(
        hooks.contains("hook --agent codex") && said.contains("not done: only a person can take over"),
        "{said}"
    );
    assert!(mei.json(&["list"]).as_array().unwrap().is_empty());
    let agent = mei.user.command(["init", "--yes"]).env("CLAUDECODE", "1").output().unwrap();
    assert!(!String::from_utf8_lossy(&agent.stdout).contains("not wired yet"));
}

#[test]
fn a_document_is_managed_where_it_is() {
    let mei = Mei::new();
    let (claude, config) = (mei.project().join("CLAUDE.md"), mei.user.home().join("config.yaml"));
    let before = (fs::read_to_string(&claude).unwrap(), fs::read_to_string(&config).unwrap());
    let said = mei.run(&["adopt", "--in-place", "CLAUDE.md", "AGENTS.md"]).ok();
    assert!(said.contains("CLAUDE.md is managed where it is, as `claude`"), "{said}");
    assert!(said.contains("AGENTS.md was managed already, as `project`"), "{said}");
    let after = fs::read_to_string(&config).unwrap();
    let added: Vec<&str> = after.lines().filter(|line| !before.1.lines().any(|old| old == *line)).collect();
    assert_eq!(added.len(), 1, "{added:?}");
    assert!(added[0].contains("claude: { path: \"CLAUDE.md\", root: project, "), "{added:?}");
    assert_eq!(fs::read_to_string(&claude).unwrap(), before.0, "nothing in it changed");

    // What it says is known now and is not copied; and it can be written to.
    let looked = mei.json(&["adopt", "--dry-run", "claude_code"]);
    for said in ["just import-tides", "Tide predictions for 42 harbours"] {
        assert!(!texts(&looked).iter().any(|text| text.contains(said)), "{looked}");
    }
    mei.run(&[
        "enqueue",
        "--to",
        "claude",
        "--heading",
        "Commands",
        "--op",
        "append",
        "--content",
        "- Lint: `just lint`",
    ])
    .ok();
    mei.run(&["work"]).ok();
    let text = fs::read_to_string(&claude).unwrap();
    assert!(text.contains("just import-tides") && text.contains("- Lint: `just lint`"), "{text}");
    let again = mei.run(&["adopt", "--in-place", "CLAUDE.md"]).ok();
    assert!(again.contains("was managed already, as `claude`"), "{again}");
    assert_eq!(fs::read_to_string(&config).unwrap(), after);
    assert_eq!(mei.run(&["adopt", "--in-place", "no.md"]).code, Some(1));
    let agent = mei
        .user
        .command(["adopt", "--in-place", "CLAUDE.md"])
        .env("CLAUDECODE", "1")
        .current_dir(mei.project())
        .output();
    assert_eq!(agent.unwrap().status.code(), Some(1));
}

#[test]
fn the_agents_files_of_a_project_are_kept_in_step_from_one_of_them() {
    let mei = Mei::new();
    let file = |name: &str| mei.project().join(name);
    let read = |name: &str| fs::read_to_string(file(name)).unwrap();
    let (own, gemini) = (read("CLAUDE.md"), read("GEMINI.md"));
    let said = mei.run(&["adopt", "--in-place", "CLAUDE.md", "GEMINI.md", "--copy-of", "AGENTS.md"]).ok();
    assert!(said.contains("copies AGENTS.md into them"), "{said}");
    mei.run(&["work"]).ok();
    for (name, own) in [("CLAUDE.md", &own), ("GEMINI.md", &gemini)] {
        let text = read(name);
        assert!(text.starts_with(own.as_str()), "{name}: what the person wrote stays: {text}");
        assert!(text.contains("<!-- last-word:copy of AGENTS.md "), "{text}");
        for line in read("AGENTS.md").lines() {
            assert!(text.contains(line), "{name}: {line}");
        }
    }
    let before = mei.sources();
    mei.run(&["work"]).ok();
    assert_eq!(mei.sources(), before, "a second run writes nothing");
    let config = fs::read_to_string(mei.user.home().join("config.yaml")).unwrap();
    assert!(
        config.contains("path: \"~/src/tidepool/CLAUDE.md\""),
        "of this project, and of no other: {config}"
    );

    // The source changes, also by a merge; a person writes around the block; both are there afterwards.
    fs::write(file("GEMINI.md"), format!("{}\n## Mine\n\n- stays\n", read("GEMINI.md"))).unwrap();
    fs::write(file("AGENTS.md"), format!("{}\n## Ports\n\n- replica 5433\n", read("AGENTS.md"))).unwrap();
    mei.run(&["work"]).ok();
    assert!(read("CLAUDE.md").contains("- replica 5433") && read("CLAUDE.md").starts_with(&own));
    assert!(
        read("GEMINI.md").contains("- replica 5433") && read("GEMINI.md").contains("## Mine\n\n- stays\n")
    );

    // A copy that somebody edited is said, and not written over.
    let edited = read("CLAUDE.md").replace("- replica 5433", "- replica 5432");
    fs::write(file("CLAUDE.md"), &edited).unwrap();
    let said = mei.run(&["work"]);
    assert!(said.stderr.contains("the copy of AGENTS.md in it was edited by hand"), "{}", said.stderr);
    assert_eq!(read("CLAUDE.md"), edited);
    let said = mei.run(&["drift"]);
    let told = "copy of AGENTS.md: the copy was edited by hand, or AGENTS.md has changed since it was made";
    assert_eq!(said.code, Some(4), "{}", said.stderr);
    assert_eq!(said.stdout.matches(told).count(), 1, "{}", said.stdout);
    let status = mei.json(&["status"]);
    assert!(status["drifted"].as_array().unwrap().iter().any(|line| line["check"] == "copy"), "{status}");
}

#[test]
#[cfg(unix)]
fn a_source_that_became_a_link_to_elsewhere_is_not_copied() {
    let mei = Mei::new();
    let file = |name: &str| mei.project().join(name);
    mei.run(&["adopt", "--in-place", "CLAUDE.md", "--copy-of", "AGENTS.md"]).ok();
    mei.run(&["work"]).ok();
    let before = fs::read_to_string(file("CLAUDE.md")).unwrap();
    let private = mei.user.root().join("private.txt");
    fs::write(&private, "nobody else is to read this\n").unwrap();
    fs::remove_file(file("AGENTS.md")).unwrap();
    std::os::unix::fs::symlink(&private, file("AGENTS.md")).unwrap();
    let said = mei.run(&["work"]);
    assert!(said.stderr.contains("AGENTS.md is a link to somewhere else"), "{}", said.stderr);
    assert_eq!(fs::read_to_string(file("CLAUDE.md")).unwrap(), before);
}

#[test]
fn a_projects_import_shows_no_file_of_another_kind() {
    let mei = Mei::new();
    fs::write(mei.user.root().join(".netrc"), "machine api login me password hunter2\n").unwrap();
    let path = mei.project().join("CLAUDE.md");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}\nSee @~/.netrc\n")).unwrap();
    let said = mei.run(&["adopt", "--dry-run"]).ok();
    assert!(said.contains("@~/.netrc") && !said.contains("hunter2"), "{said}");
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
