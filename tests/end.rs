//! `last-word end`: what a chat bot keeps of a turn, as events in the scope of its group; and the profiles beside them.

use crate::support::User;
use last_word::{Caller, Home, Host, Question, Timestamp, TurnEnd};
use serde_json::json;
use std::fs;
use std::path::PathBuf;

fn with_memory() -> User {
    let user = User::new();
    user.run(["init", "--memory"]).ok();
    user
}

fn events(user: &User, scope: &str, day: &str) -> PathBuf {
    user.root().join(format!(".config/agents/events/{scope}/{day}.md"))
}

/// What a bot has on disk of a turn, in the form it already keeps.
const TURN: &str = r#"{
  "request_id": "r101", "end_seq": 0, "user_id": "10086001", "group_id": "", "sender_id": "10086001",
  "request_type": "private", "timestamp_utc": "2026-11-19T07:00:00+00:00",
  "timestamp_local": "2026-11-19T08:00:00+01:00", "timestamp_epoch": 1795071600,
  "timezone": "Europe/Stockholm", "location_abs": "私聊", "message_ids": ["91", "92"], "perspective": "",
  "action_summary": "确认了备份时间", "observations": ["Mei 把备份改到每天 04:00"], "schema_version": "final_v1"
}"#;

/// Where its knowledge base wants a yes, the answer says so and promises no merge.
#[test]
fn what_waits_for_a_yes_is_said_to() {
    let user = with_memory();
    let config = user.home().join("config.yaml");
    let asks = fs::read_to_string(&config).unwrap().replace("explicit_only: false", "explicit_only: true");
    assert!(asks.contains("explicit_only: true"));
    user.configure(&asks);
    let said = user.run(["end", "--request", "r1", "--group", "7", "--action-summary", "deployed"]).ok();
    assert!(said.contains("waits for a yes: ") && !said.contains("at the next"), "{said}");
    let said = user.json(["end", "--request", "r2", "--group", "7", "--action-summary", "deployed again"]);
    assert!(said["asks"].is_string(), "{said}");
    user.run(["work"]).ok();
    assert_eq!(user.json(["list", "review"]).as_array().unwrap().len(), 2);
}

/// A turn is of the day that it is at its place, and "tomorrow" is counted from that.
#[test]
fn a_turn_has_the_day_of_its_place() {
    let user = with_memory();
    // 20:00 in UTC on the last of October is 04:00 of the next day in Shanghai, and 16:00 in New York.
    let (epoch, utc) = (1_761_940_800, "2025-10-31T20:00:00Z");
    let local = "2025-11-01T04:00:00+08:00";
    let cases = [
        (json!({ "timestamp_epoch": epoch, "timezone": "Asia/Shanghai" }), "2025-11-01", "2025-11-02"),
        (json!({ "timestamp_utc": utc, "timezone": "+08:00" }), "2025-11-01", "2025-11-02"),
        (json!({ "timestamp_utc": utc, "timezone": "America/New_York" }), "2025-10-31", "2025-11-01"),
        (json!({ "timestamp_local": local, "timezone": "nowhere" }), "2025-11-01", "2025-11-02"),
    ];
    for (n, (mut turn, day, tomorrow)) in cases.into_iter().enumerate() {
        turn["group_id"] = json!(n.to_string());
        turn["action_summary"] = json!("deploy tomorrow");
        user.run_with(["end", "-"], turn.to_string().as_bytes()).ok();
        user.run(["work"]).ok();
        let text = fs::read_to_string(events(&user, &format!("group-{n}"), day)).unwrap();
        assert!(text.contains(&format!("deploy {tomorrow}")), "{turn}: {text}");
    }
    // Of a group whose number is below zero; and of no group.
    let day = "2025-11-01";
    for (group, scope) in [(json!(-100), "group--100"), (json!(0), "user-5")] {
        let turn =
            json!({ "group_id": group, "user_id": 5, "action_summary": "x", "timestamp_local": local });
        user.run_with(["end", "-"], turn.to_string().as_bytes()).ok();
        user.run(["work"]).ok();
        assert!(events(&user, scope, day).exists(), "{scope}");
    }
    for (mut turn, why) in [
        (json!({ "timestamp_epoch": epoch, "timezone": "../../etc/passwd" }), "is no time zone"),
        (json!({ "timestamp_epoch": 1e30 }), "is no time"),
        (json!({ "timestamp_epoch": -5 }), "is no time"),
        (json!({ "timestamp_epoch": 1_761_940_800_000_u64 }), "is no time"),
    ] {
        turn["action_summary"] = json!("x");
        user.run_with(["end", "-"], turn.to_string().as_bytes()).fails(3, why);
    }
}

#[test]
fn a_turn_becomes_events_with_all_that_is_known_of_it() {
    let user = with_memory();
    let said = user.run_with(["end", "-"], TURN.as_bytes()).ok();
    assert_eq!(said.lines().count(), 2, "{said}");
    user.run(["work"]).ok();
    let path = events(&user, "user-10086001", "2026-11-19");
    let text = fs::read_to_string(&path).unwrap();
    let line = text.lines().find(|line| line.contains("确认了备份时间")).unwrap();
    assert!(line.starts_with("- [E] 确认了备份时间 <!-- lw 08:00+01:00 by="), "{line}");
    assert!(
        line.contains(
            " of=r101:0 utc=2026-11-19T07:00:00Z zone=Europe/Stockholm type=private user=10086001 sender=10086001 msg=91,92 place=私聊 --> ^"
        ),
        "{line}"
    );
    assert!(text.contains("## 2026-11-19\n\n- [E] ") && text.contains("Mei 把备份改到每天 04:00"), "{text}");
    let item = user.json(["item", "list", "--kind", "E"]);
    assert_eq!((&item[0]["of"], &item[0]["day"]), (&json!("r101:0"), &json!("2026-11-19")), "{item}");

    // Said again it is there once; said otherwise under the same number it is refused.
    let again: serde_json::Value =
        serde_json::from_str(&user.run_with(["end", "-", "--json"], TURN.as_bytes()).ok()).unwrap();
    assert_eq!(again["new"], json!(false), "{again}");
    assert_eq!(again["items"][0].as_str(), said.split_whitespace().next(), "{again}");
    user.run(["work"]).ok();
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    user.run_with(["end", "-", "--action-summary", "else"], TURN.as_bytes()).fails(3, "r101:0");
    user.assert_clean();
}

#[test]
fn where_nothing_is_said_nothing_is_kept() {
    let user = with_memory();
    user.run(["end"]).ok();
    user.run(["end", "--action-summary", " ", "--new-info", ""]).ok();
    user.run_with(["end", "-"], br#"{"action_summary": "", "new_info": [], "request_id": "r1"}"#).ok();
    user.run_with(["end", "-"], br#"{"action_sumary": "x"}"#).fails(3, "action_sumary");
    let unsent = br#"{"action_summary": "x", "message_sent": false}"#;
    user.run_with(["end", "-"], unsent).fails(3, "--force");
    user.run(["end", "what was done"]).fails(2, "--action-summary");
    assert_eq!(user.counts(), [0; 6]);
    user.run_with(["end", "-", "--force"], unsent).ok();
    user.run(["end", "--summary", "the older word"]).ok();
    assert_eq!(user.counts()[0], 2);
    let bare = User::new();
    bare.run(["end", "--action-summary", "x"]).fails(1, "init --memory");
    assert_eq!(bare.counts(), [0; 6]);
}

/// Whatever a model says, the document stays a plain list, and two turns of the same words are two events.
#[test]
fn each_text_is_one_event_whatever_it_says() {
    const TEXTS: [&str; 22] = [
        "- a\n- b",
        "# head",
        "1. one",
        "1.5 l",
        "```\ncode\n```",
        "~~~",
        "> quote",
        "| a | b |\n|---|---|",
        "---",
        "===",
        "<div>",
        "<!-- lw del=1 -->",
        "<!--",
        "[x]: http://e.org",
        "[ ] task",
        "[W] fact",
        "~~gone~~",
        "see ^k7m2q9xa",
        "a\0b\u{7}c",
        "\\",
        "* * *",
        "<script>alert(1)</script>",
    ];
    let user = with_memory();
    for (n, text) in TEXTS.iter().enumerate() {
        let turn = json!({ "request_id": format!("r{n}"), "group_id": 7, "new_info": text, "timestamp_local": "2026-11-19T08:00:00+01:00" });
        user.run_with(["end", "-"], turn.to_string().as_bytes()).ok();
    }
    for n in ["a", "b"] {
        user.run([
            "end",
            "--request",
            n,
            "--group",
            "7",
            "--summary",
            "good night",
            "--at",
            "2026-11-19T23:00:00+01:00",
        ])
        .ok();
    }
    user.run(["work"]).ok();
    assert_eq!(user.counts()[..5], [0; 5], "{}", user.run(["list"]).ok());
    let items = user.json(["item", "list"]);
    let items = items.as_array().unwrap();
    assert_eq!(items.len(), TEXTS.len() + 2);
    for item in items {
        assert_eq!((&item["kind"], &item["live"]), (&json!("E"), &json!(true)), "{item}");
        assert!(item["of"].as_str().is_some(), "{item}");
    }
    let text = fs::read_to_string(events(&user, "group-7", "2026-11-19")).unwrap();
    assert_eq!(text.lines().filter(|line| !line.is_empty()).count(), TEXTS.len() + 3, "{text}");
}

/// Five snapshots of a profile, and only where something changed.
#[test]
fn a_profile_has_front_matter_and_five_earlier_versions() {
    let user = with_memory();
    let say = |text: &str| {
        let text = format!(
            "version: \"1.0.0\"\nsource: chat\nentries:\n  - {{ key: {{ kb: 'profile:user:42', heading: About }}, operation: update, content: {text} }}\n  - {{ key: {{ kb: 'profile:user:42', level: 0, heading: [front matter, name] }}, operation: update, content: Mei }}\n"
        );
        user.run_with(["enqueue", "-"], text.as_bytes()).ok();
        user.run(["work"]).ok();
    };
    for n in 0..9 {
        say(&format!("likes tea no. {n}"));
        say(&format!("likes tea no. {n}"));
    }
    let path = user.root().join(".config/agents/profiles/user/42.md");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("---\n") && text.contains("name: Mei\n"), "{text}");
    assert!(text.contains("## About\n\nlikes tea no. 8\n"), "{text}");
    let versions = user.json(["history", "profile:user:42"]);
    let versions: Vec<_> =
        versions["versions"].as_array().unwrap().iter().filter(|one| one["version"] != json!(0)).collect();
    assert_eq!(versions.len(), 9, "said twice is changed once: {versions:?}");
    let earlier = versions.iter().filter(|one| one["kept"] == json!(true) && one["current"] != json!(true));
    let earlier: Vec<u64> = earlier.map(|one| one["version"].as_u64().unwrap()).collect();
    assert_eq!(earlier.len(), 5, "{versions:?}");
    let back = earlier.iter().min().unwrap();
    user.run(["rollback", "profile:user:42", "--to", &back.to_string()]).ok();
    user.run(["work"]).ok();
    let before = fs::read_to_string(&path).unwrap();
    assert!(before != text && before.contains("likes tea no. "), "{before}");
}

const GROUPS: usize = 50;
/// As many as take seconds; `LAST_WORD_QUESTIONS=10000` asks more.
const QUESTIONS: usize = 1_000;

fn questions() -> usize {
    std::env::var("LAST_WORD_QUESTIONS").ok().and_then(|asked| asked.parse().ok()).unwrap_or(QUESTIONS)
}

/// What is asked in one group is never answered from another, whatever the words have in common.
#[test]
fn no_question_crosses_into_another_group() {
    let user = with_memory();
    let root = user.root().to_owned();
    let host = Host::system().with_clock(|| Timestamp::parse("2026-11-20T10:00:00Z").unwrap());
    let home = Home::open(user.home(), &root, host).unwrap();
    let caller = Caller::agent(&root, "bot", "s1");
    // Ids that look alike, to a person and to a disk.
    let group = |n: usize| match n % 5 {
        0 => format!("{n}"),
        1 => format!("Group {n}"),
        2 => format!("group {}", n - 1),
        3 => format!("{n}@chatroom"),
        _ => format!("群{n}"),
    };
    for n in 0..GROUPS {
        let turn = TurnEnd {
            action_summary: format!("moved the nightly backup of harbour g{n:02}x to 04:00"),
            new_info: vec![
                format!("Mei leads the harbour team g{n:02}x"),
                "everybody likes the harbour".into(),
            ],
            request_id: Some("r1".into()),
            group_id: Some(group(n)),
            user_id: Some("42".into()),
            ..TurnEnd::default()
        };
        assert!(home.end(&caller, &turn).unwrap().new);
    }
    // Half of the groups are in their documents, half still wait.
    let ask = |n: usize, text: &str| {
        let question = Question {
            text: text.to_owned(),
            documents: vec!["events".into()],
            scope: vec![("scope".into(), last_word::scope_of(Some(&group(n)), Some("42")))],
            limit: 10,
            ..Question::default()
        };
        home.recall(&question, &root).unwrap().hits
    };
    let mine = |n: usize, hits: &[last_word::output::RecallHit]| {
        hits.iter().all(|hit| hit.text.contains(&format!("g{n:02}x")) || hit.text.contains("everybody"))
    };
    for n in 0..GROUPS {
        let hits = ask(n, "harbour team");
        assert!(!hits.is_empty() && mine(n, &hits), "waiting, group {n}: {hits:?}");
    }
    user.run(["work"]).ok();
    let words = [
        "harbour",
        "who leads the harbour team",
        "nightly backup 04:00",
        "everybody likes the harbour",
        "Mei",
    ];
    let asked = questions();
    let (mut answered, mut crossed) = (0, 0);
    for question in 0..asked {
        let n = question % GROUPS;
        // Every third asks for what only another group knows.
        let other = format!("backup g{:02}x", (n + 1 + question / 3 % (GROUPS - 1)) % GROUPS);
        let text = if question % 3 == 0 { other.as_str() } else { words[question % words.len()] };
        let hits = ask(n, text);
        let prefix = format!("events:{}:", last_word::scope_of(Some(&group(n)), None));
        answered += usize::from(!hits.is_empty());
        crossed += hits.iter().filter(|hit| !hit.kb.starts_with(&prefix)).count();
        crossed += usize::from(!mine(n, &hits));
    }
    assert_eq!(crossed, 0);
    assert!(answered > asked / 2, "{answered} were answered: this test asks nothing");
}

/// On the command line a group is asked for by its id, whatever letters that has.
#[test]
fn a_group_is_asked_for_by_its_id() {
    let user = with_memory();
    for group in ["C024BE91L", "a b", "7", "7 "] {
        let told = format!("the secret of {group}.");
        user.run(["end", "--request", "r1", "--group", group, "--new-info", &told]).ok();
    }
    user.run(["work"]).ok();
    for group in ["C024BE91L", "a b", "7", "7 "] {
        let scope = format!("scope=group-{group}");
        let found = user.json(["recall", "--document", "events", "--scope", &scope, "secret"]);
        let hits = found["hits"].as_array().unwrap();
        assert!(hits.len() == 1, "{group}: {found}");
        assert!(
            hits[0]["text"].as_str().unwrap().contains(&format!("the secret of {}", group.trim())),
            "{found}"
        );
    }
}
