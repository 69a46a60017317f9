//! What an agent can never do, through the binary: each row of the table in SECURITY.md, tried.

use crate::support::{User, write_program};
use std::fs;

/// Made up, and put together here so that no scanner takes this file for a leak.
fn secret() -> String {
    ["ghp", "_", "9aB3kQ7xLm2ZpR8vTn4WcY6dEf1GhJ5sKu0i"].concat()
}

/// Whether any file of the user has these bytes; which.
fn files_with(user: &User, words: &str) -> Vec<String> {
    let holds = |bytes: &[u8]| bytes.windows(words.len()).any(|part| part == words.as_bytes());
    let tree = user.tree();
    tree.iter().filter(|(_, bytes)| holds(bytes)).map(|(path, _)| path.display().to_string()).collect()
}

/// Where the secret stands in an input, as a message says it; `None` where it is hidden in an escape.
fn place_of(input: &str, secret: &str) -> Option<String> {
    let at = input.find(secret)?;
    let line_start = input[..at].rfind('\n').map_or(0, |at| at + 1);
    Some(format!("{}:{}", input[..at].matches('\n').count() + 1, input[line_start..at].chars().count() + 1))
}

#[test]
fn a_secret_is_never_enqueued() {
    let user = User::new();
    user.with_notes();
    let secret = secret();
    let before = user.tree();
    let yaml = |content: &str| {
        format!(
            "version: \"1.0.0\"\nentries:\n  - key: {{ kb: notes, heading: Log }}\n    operation: append\n    content: |-\n      one\n      {content}\n"
        )
    };
    let json = serde_json::json!({"version": "1.0.0", "entries": [
        { "key": { "kb": "notes", "heading": "Log" }, "content": "x", "meta": { "reason": format!("token {secret}") } }]});
    // In an escape, in a heading, in a target, in a field nobody knows, in what is no declaration at all.
    let escaped = json.to_string().replace("ghp_", "\\u0067hp_");
    let inputs = [
        yaml(&secret),
        json.to_string(),
        escaped,
        yaml("x").replace("heading: Log", &format!("heading: \"{secret}\"")),
        yaml("x").replace("kb: notes", &format!("kb: {secret}")),
        yaml("x").replace("content:", &format!("{secret}:")),
        yaml("x").replace("entries:", &format!("source: {secret}\nentries:")),
        format!("{{\"version\": \"{secret}\"\n"),
    ];
    for input in &inputs {
        let said = user.run_with(["enqueue"], input.as_bytes());
        let stderr = said.fails(3, "what looks like a GitHub token");
        assert!(!stderr.contains(&secret[..12]), "{stderr}");
        let place = place_of(input, &secret);
        assert!(place.is_none_or(|place| stderr.contains(&format!("{place}: "))), "{input}\n{stderr}");
    }
    let by_flags = |flag: &str, value: &str| {
        let mut args = vec!["enqueue", "--to", "notes", "--heading", "Log", "--op", "append"];
        if flag != "--content" {
            args.extend(["--content", "x"]);
        }
        args.extend([flag, value]);
        user.run(args)
    };
    for flag in ["--content", "--reason", "--key", "--session", "--agent"] {
        let stderr = by_flags(flag, &format!("it is {secret}")).fails(3, "what looks like a GitHub token");
        assert!(!stderr.contains(&secret[..12]), "{stderr}");
    }
    assert!(by_flags("--content", "it is in the keyring").ok().len() > 30);
    let after = user.run(["list", "pending", "--json"]).ok();
    assert!(after.contains("pending"), "the one without a secret is there: {after}");
    assert_eq!(files_with(&user, &secret), Vec::<String>::new());
    assert_eq!(user.counts(), [1, 0, 0, 0, 0, 0]);
    assert!(user.tree().len() > before.len());
}

/// Several documents in one declaration: the entry is named by its number there, and the line is the secret's.
#[test]
fn a_secret_of_a_later_entry_is_found_at_its_line() {
    let user = User::new();
    user.with_notes();
    let other = user.root().join("other.md");
    let two = format!("  other: {{ path: {} }}\nsession_bootstrap", other.display());
    let config = user.home().join("config.yaml");
    let with_two = fs::read_to_string(&config).unwrap().replace("session_bootstrap", &two);
    fs::write(&config, with_two).unwrap();
    let entry = |kb: &str, text: &str| {
        format!("  - key: {{ kb: {kb}, heading: H }}\n    content: |-\n      {text}\n")
    };
    let entries = [entry("notes", "x"), entry("other", &format!("one\n\n      two {}", secret()))].concat();
    let input = format!("version: \"1.0.0\"\nentries:\n{entries}");
    let stderr = user.run_with(["enqueue"], input.as_bytes()).fails(3, "a GitHub token");
    assert!(stderr.contains("standard input:10:11: entry 2: content line 3"), "{stderr}");
}

/// What a person writes beside a decision goes into journal and receipts.
#[test]
fn a_secret_is_in_no_decision() {
    let user = User::new();
    user.with_notes();
    let secret = secret();
    let id =
        user.run(["enqueue", "--to", "notes", "--heading", "Log", "--op", "append", "--content", "x"]).ok();
    let decisions: [&[&str]; 5] = [
        &["hold", "--all"],
        &["release", "--all"],
        &["resolve", id.trim(), "--discard"],
        &["review", id.trim(), "--reject"],
        &["review", id.trim(), "--approve"],
    ];
    for decision in decisions {
        let reason = format!("because of {secret}");
        let said = user.run(decision.iter().copied().chain(["--reason", &reason]));
        let stderr = said.fails(3, "what looks like a GitHub token");
        assert!(!stderr.contains(&secret[..12]), "{stderr}");
    }
    assert_eq!(files_with(&user, &secret), Vec::<String>::new());
}

#[test]
fn a_secret_is_never_planned() {
    let user = User::new();
    user.with_notes();
    let secret = secret();
    let args =
        ["plan", "--agent", "test", "--session", "s1", "--to", "notes", "--heading", "Log", "--content"];
    let mut args = args.to_vec();
    let content = format!("line\nthe token is {secret}");
    args.push(&content);
    let stderr = user.run(args).fails(3, "entry 1: content line 2 has what looks like a GitHub token");
    assert!(!stderr.contains(&secret[..12]) && stderr.contains("hint:"), "{stderr}");
    assert_eq!(files_with(&user, &secret), Vec::<String>::new());
    assert_eq!(user.files("sessions"), Vec::<String>::new());
}

/// A file that was moved in is on the disk already: it is set aside as it came, and nothing we write repeats it.
#[test]
fn a_secret_in_a_file_goes_no_further() {
    let user = User::new();
    let notes = user.with_notes();
    let secret = secret();
    let text = format!(
        "version: \"1.0.0\"\nentries:\n  - {{ key: {{ kb: notes, heading: Log }}, content: \"{secret}\" }}\n"
    );
    user.drop_in(&user.home().join("pending"), "hook.yaml", text.as_bytes());
    user.leave_in(&user.home(), "left.md.yaml", text.as_bytes());
    user.run(["work", "-vv"]).ok();
    assert_eq!(user.counts(), [0, 0, 0, 2, 0, 0]);
    let with = files_with(&user, &secret);
    assert!(with.len() == 2 && with.iter().all(|path| path.ends_with(".original")), "{with:?}");
    assert!(!notes.exists());
    let said = user.run(["status"]).ok() + &user.run(["log"]).ok();
    assert!(said.contains("what looks like a GitHub token") && !said.contains(&secret[..12]), "{said}");
}

/// What got past the door is judged again: a job somebody forged fails before it is merged.
#[test]
fn a_secret_in_a_forged_job_is_not_merged() {
    let user = User::new();
    let notes = user.with_notes();
    let secret = secret();
    user.note("Log", "append", "it is SOMETHING");
    let pending = user.home().join("pending");
    let name = user.files("pending").remove(0);
    let forged = fs::read_to_string(pending.join(&name)).unwrap().replace("SOMETHING", &secret);
    fs::write(pending.join(&name), forged).unwrap();
    user.run(["work"]).ok();
    assert_eq!(user.counts(), [0, 0, 0, 1, 0, 0]);
    assert!(!notes.exists());
    assert!(user.run(["status"]).ok().contains("what looks like a GitHub token"));
}

/// A knowledge base may be told to take what looks like one: then it is the person's word that it is none.
#[test]
fn a_person_may_switch_it_off() {
    let user = User::new();
    let notes = user.with_notes();
    let config = fs::read_to_string(user.home().join("config.yaml")).unwrap();
    user.configure(&config.replace("    path:", "    redact: false\n    path:"));
    user.note("Log", "append", &secret());
    user.run(["work"]).ok();
    assert!(fs::read_to_string(notes).unwrap().contains(&secret()));
}

/// A knowledge base `notes` with these lines of policy.
fn with_policy(lines: &[&str]) -> (User, std::path::PathBuf) {
    let user = User::new();
    let notes = user.with_notes();
    let config = fs::read_to_string(user.home().join("config.yaml")).unwrap();
    let policy: String = lines.iter().map(|line| format!("    {line}\n")).collect();
    user.configure(&config.replace("    path:", &format!("{policy}    path:")));
    (user, notes)
}

/// One entry for the section `Log` of `notes`, said by an agent, with more flags.
fn say(user: &User, content: &str, flags: &[&str]) -> String {
    let mut args = vec!["enqueue", "--agent", "codex", "--to", "notes", "--heading", "Log", "--op", "append"];
    args.extend(["--content", content]);
    args.extend(flags);
    user.run(args).ok().trim().to_owned()
}

/// Every way in, and it is still not written without a yes: by policy, by its source, by explicit-only mode.
#[test]
fn what_needs_a_yes_is_not_written_without_one() {
    let ways: [(&[&str], &[&str], &str); 6] = [
        (&["policy: review"], &[], "need your approval"),
        (&[], &["--trust", "web"], "it comes from the web"),
        (&[], &["--trust", "tool"], "it comes from a tool"),
        (&["min_trust: user"], &["--trust", "user"], "it comes from an agent"),
        (&["min_confidence: 0.8"], &[], "confidence 0 is below 0.8"),
        (&["headings: { review: [log] }"], &[], "need your approval"),
    ];
    for (policy, flags, why) in ways {
        let (user, notes) = with_policy(policy);
        let id = say(&user, "- x", flags);
        user.run(["work"]).ok();
        assert_eq!(user.counts(), [0, 0, 0, 0, 1, 0], "{why}");
        assert!(!notes.exists(), "{why}");
        let shown = user.run(["show", &id]).ok();
        assert!(shown.contains(why), "{shown}");
        // An agent's session cannot say it.
        let mark = |args: &[&str]| {
            let mut command = user.command(args);
            crate::support::Said::of(command.env("CLAUDECODE", "1").output().unwrap())
        };
        mark(&["review", &id, "--approve"]).fails(1, "an agent's session cannot approve");
        assert_eq!(user.counts(), [0, 0, 0, 0, 1, 0], "{why}");
        user.run(["review", &id, "--approve"]).ok();
        user.run(["work"]).ok();
        assert_eq!(fs::read_to_string(&notes).unwrap(), "## Log\n\n- x\n", "{why}");
    }
}

#[test]
fn explicit_only_means_every_knowledge_base() {
    let user = User::new();
    let notes = user.with_notes();
    let config = fs::read_to_string(user.home().join("config.yaml")).unwrap();
    user.configure(&format!("explicit_only: true\n{config}"));
    user.note("Log", "append", "- x");
    user.run(["work"]).ok();
    assert_eq!((user.counts(), notes.exists()), ([0, 0, 0, 0, 1, 0], false));
    user.run(["review", "--all", "--approve"]).ok();
    user.run(["work"]).ok();
    assert!(notes.exists());
}

/// A command run in an agent's session is an agent's, whether or not it says so.
#[test]
fn an_agent_is_known_by_its_marks() {
    let (user, notes) = with_policy(&["min_trust: user"]);
    let args = ["enqueue", "--to", "notes", "--heading", "Log", "--content", "x"];
    let mut command = user.command(args);
    crate::support::Said::of(command.env("GEMINI_CLI", "1").output().unwrap()).ok();
    user.run(["work"]).ok();
    assert_eq!((user.counts(), notes.exists()), ([0, 0, 0, 0, 1, 0], false));
    user.run(args).ok();
    user.run(["work"]).ok();
    assert!(notes.exists(), "a person's own shell is not asked");
}

#[test]
fn a_guess_is_marked_where_it_is_written() {
    let (user, notes) = with_policy(&["min_trust: web"]);
    say(&user, "- likes tea", &["--confidence", "0.3", "--reason", "one remark"]);
    user.run(["work"]).ok();
    say(&user, "- is in Basel", &["--trust", "web"]);
    user.run(["work"]).ok();
    say(&user, "- speaks German", &["--confidence", "0.9"]);
    user.run(["work"]).ok();
    let text = fs::read_to_string(&notes).unwrap();
    assert_eq!(
        text,
        "## Log\n\n- likes tea <!-- a guess, 30 % sure -->\n- is in Basel <!-- from the web -->\n- speaks German\n"
    );
    // A later session is shown the marks; blame tells more.
    assert!(user.run(["context"]).ok().contains("a guess, 30 % sure"));
    let blamed = user.json(["blame", "notes"]);
    assert_eq!(blamed["sections"][0]["last"]["meta"]["confidence"], 0.9);
    // What cannot carry a mark waits; a person's yes makes knowledge of it.
    user.run([
        "enqueue",
        "--agent",
        "codex",
        "--to",
        "notes",
        "--heading",
        "Log",
        "--op",
        "replace",
        "--old-text",
        "German",
        "--content",
        "French",
        "--confidence",
        "0.1",
    ])
    .ok();
    user.run(["work"]).ok();
    assert_eq!(fs::read_to_string(&notes).unwrap(), text);
    assert_eq!(user.counts(), [0, 0, 0, 0, 1, 3]);
    user.run(["review", "--all", "--approve"]).ok();
    user.run(["work"]).ok();
    assert_eq!(fs::read_to_string(&notes).unwrap(), text.replace("German", "French"));
}

/// A mark breaks up no list and no table, and is found where it stands.
#[test]
fn a_guess_is_marked_within_its_list_and_table() {
    let (user, notes) = with_policy(&[]);
    let mark = "<!-- a guess, 10 % sure -->";
    let say = |heading: &str, operation: &str, content: &str, more: &[&str]| {
        let args = ["enqueue", "--agent", "codex", "--to", "notes", "--heading", heading, "--op", operation];
        user.run([&args[..], &["--content", content], more].concat()).ok();
        user.run(["work"]).ok();
        fs::read_to_string(&notes).unwrap()
    };
    let guess = ["--confidence", "0.1"];
    fs::write(&notes, "## T\n\n| k | v |\n|---|---|\n| a | b |\n\n## L\n\n- one\n").unwrap();
    say("T", "append", "| z | zz |", &guess);
    let text = say("L", "append", "- [ ] do it\n- two\n  ```\n  code\n  ```", &guess);
    assert_eq!(
        text,
        format!(
            "## T\n\n| k | v |\n|---|---|\n| a | b |\n| z | zz {mark} |\n\n## L\n\n- one\n- [ ] do it {mark}\n- two {mark}\n  ```\n  code\n  ```\n"
        )
    );
    let again = say("T", "append", "| z | zz |", &guess);
    assert_eq!(again, text, "it stands there already");
    for (heading, operation, content) in [
        ("T", "upsert_row", "| z | zz |"),
        ("T", "update", "| k | v |\n|---|---|\n| z | zz |"),
        ("L", "update", "- [x] do it"),
    ] {
        assert_eq!(say(heading, operation, content, &[]), text, "{content} waits for a yes");
    }
    assert_eq!(user.counts()[4], 3);
    let known = say("T", "upsert_row", "| z | known |", &[]);
    assert_eq!(known, text.replace(&format!("zz {mark}"), "known"));
}

#[test]
fn a_day_to_look_again_is_announced_and_nothing_is_deleted() {
    let user = User::new();
    let notes = user.with_notes();
    say(&user, "- on holiday", &["--review-by", "2026-01-31"]);
    say(&user, "- far away", &["--review-by", "2999-01-31"]);
    user.run(["enqueue", "--to", "notes", "--heading", "Old", "--content", "x", "--review-by", "2020-02-29"])
        .ok();
    user.run(["work"]).ok();
    let text = fs::read_to_string(&notes).unwrap();
    let expired = user.json(["status"])["expired"].clone();
    let found: Vec<_> =
        expired.as_array().unwrap().iter().map(|e| (&e["heading"][0], &e["review_by"])).collect();
    assert_eq!(
        found,
        [(&serde_json::json!("Old"), &serde_json::json!("2020-02-29"))],
        "the last author's day counts"
    );
    assert!(user.run(["status"]).ok().contains("DOES IT STILL HOLD"));
    user.run(["status", "--check"]).ok();
    assert_eq!(fs::read_to_string(&notes).unwrap(), text);
    // Whoever writes the section has looked at it.
    fs::write(&notes, text.replace("## Old\n\nx", "## Old\n\nx, still")).unwrap();
    assert_eq!(user.json(["status"])["expired"], serde_json::json!([]));
    let said =
        user.run(["enqueue", "--to", "notes", "--heading", "A", "--content", "x", "--review-by", "soon"]);
    said.fails(3, "meta.review_by is `soon`, not a day");
}

/// However it is addressed, and however far it reaches.
#[test]
fn a_denied_heading_is_not_touched() {
    let (user, notes) = with_policy(&["headings: { deny: [Secrets] }"]);
    let text = "# Notes\n\n## **Secrets**\n\nMine.\n\n### Deep\n\nMine, too.\n\n## Log\n\n- one\n";
    fs::write(&notes, text).unwrap();
    let refused = |args: &[&str], code: i32| {
        let mut all = vec!["enqueue", "--to", "notes"];
        all.extend(args);
        user.run(all).fails(code, "may not be written");
    };
    refused(&["--heading", "secrets", "--content", "x"], 3);
    refused(&["--heading", "Secrets", "--heading", "New", "--level", "3", "--content", "x"], 3);
    user.run([
        "enqueue",
        "--to",
        "notes",
        "--heading",
        "Deep",
        "--level",
        "3",
        "--op",
        "update",
        "--content",
        "x",
    ])
    .ok();
    let whole = "version: \"1.0.0\"\nentries:\n  - { key: { kb: notes, heading: Notes, level: 1 }, operation: update, scope: subtree, content: gone }\n";
    user.run_with(["enqueue"], whole.as_bytes()).ok();
    user.run(["work"]).ok();
    assert_eq!(user.counts(), [0, 0, 0, 2, 0, 0]);
    assert_eq!(fs::read_to_string(&notes).unwrap(), text);
}

/// Keys of the front matter are targets where that is allowed, and what we stamp ourselves is not the agent's to say.
#[test]
fn front_matter_is_written_where_it_is_allowed_and_stamped_by_us() {
    let args = |key: &str, value: &str| {
        [
            "enqueue",
            "--agent",
            "codex",
            "--session",
            "s1",
            "--to",
            "notes",
            "--heading",
            "front matter",
            "--heading",
            key,
        ]
        .into_iter()
        .chain(["--level", "0", "--content", value])
        .map(str::to_owned)
        .collect::<Vec<_>>()
    };
    let text = "---\n# mine\ntitle: 'T'   # quoted so\nstatus: open\n---\n\n# Notes\n";
    let (user, notes) = with_policy(&["frontmatter: true"]);
    fs::write(&notes, text).unwrap();
    user.run(args("status", "closed")).ok();
    user.run(args("updated_at", "never")).ok();
    user.run(["work"]).ok();
    let after = fs::read_to_string(&notes).unwrap();
    let begins = "---\n# mine\ntitle: 'T'   # quoted so\nstatus: closed\nupdated_at: 20";
    assert!(after.starts_with(begins) && after.ends_with("Z\nsource: s1\n---\n\n# Notes\n"), "{after}");
    let (user, notes) = with_policy(&[]);
    fs::write(&notes, text).unwrap();
    user.run(args("status", "closed")).ok();
    user.run(["work"]).ok();
    assert_eq!((user.counts()[3], fs::read_to_string(&notes).unwrap()), (1, text.to_owned()));
}

/// Nobody is asked twice: what was rejected is not asked again by an agent, whatever it says of itself this time.
#[test]
fn what_was_rejected_is_not_asked_again() {
    let (user, notes) = with_policy(&["policy: review"]);
    let first = say(&user, "- likes tea", &[]);
    user.run(["work"]).ok();
    user.run(["review", &first, "--reject", "--reason", "coffee"]).ok();
    let second = say(&user, "- likes tea\n", &["--confidence", "1", "--reason", "I am sure"]);
    let other = say(&user, "- likes coffee", &[]);
    user.run(["work"]).ok();
    assert_eq!(user.counts(), [0, 0, 0, 0, 1, 2], "only the other one is asked");
    let verdict = user.json(["verify", &second]);
    assert_eq!(verdict["receipt"]["outcome"], "rejected_again", "{verdict}");
    assert_eq!(verdict["receipt"]["same_as"], first.as_str());
    let why = user.run(["why", &second]).ok();
    assert!(why.contains("tester rejected the same") && why.contains("coffee"), "{why}");
    // While the agent still listens it is told at once.
    let plan = |content: &str| {
        let args = [
            "plan",
            "--agent",
            "codex",
            "--session",
            "s1",
            "--to",
            "notes",
            "--heading",
            "Log",
            "--op",
            "append",
        ];
        user.run(args.into_iter().chain(["--content", content]))
    };
    plan("- likes tea").fails(3, "tester rejected the same on");
    plan("- likes cocoa").ok();
    // A person may change their mind.
    user.note("Log", "append", "- likes tea");
    user.run(["work"]).ok();
    assert_eq!(user.counts()[4], 2);
    user.run(["review", "--all", "--approve"]).ok();
    user.run(["work"]).ok();
    assert_eq!(fs::read_to_string(notes).unwrap(), "## Log\n\n- likes coffee\n- likes tea\n");
    let _ = other;
}

/// A no is forgotten after thirty days, and goes with the receipt of what was rejected.
#[test]
fn a_no_is_forgotten_in_time() {
    let (user, _) = with_policy(&["policy: review"]);
    let first = say(&user, "- likes tea", &[]);
    user.run(["work"]).ok();
    user.run(["review", &first, "--reject"]).ok();
    let keys = user.home().join("keys");
    let no = user.files("keys").into_iter().find(|name| name.starts_with("no-")).unwrap();
    let text = fs::read_to_string(keys.join(&no)).unwrap();
    let year = text.split("\"at\":\"").nth(1).unwrap()[..4].to_owned();
    fs::write(keys.join(&no), text.replacen(&format!("\"at\":\"{year}"), "\"at\":\"2001", 1)).unwrap();
    say(&user, "- likes tea", &[]);
    user.run(["work"]).ok();
    assert_eq!(user.counts()[4], 1, "thirty days have gone by: asked once more");
    // The receipt's day is as old as the no.
    let done = user.home().join("done");
    let day = fs::read_dir(&done).unwrap().next().unwrap().unwrap().path();
    fs::rename(day, done.join("2001-01-01")).unwrap();
    user.run(["prune"]).ok();
    assert!(!user.files("keys").contains(&no), "{:?}", user.files("keys"));
}

/// Over a budget nothing is written and nothing is cut; who is told can act on it.
#[test]
fn a_budget_is_not_exceeded_unseen() {
    let (user, notes) = with_policy(&["budget_chars: 60", "section_budget_chars: 30"]);
    user.run(["enqueue", "--to", "notes", "--heading", "Old", "--content", "something that was said first"])
        .ok();
    user.run(["work"]).ok();
    // Over its section's budget already: 7 + 29 characters.
    assert_eq!(user.counts()[3], 1);
    user.run(["resolve", "--all", "--discard"]).ok();
    user.run(["enqueue", "--to", "notes", "--heading", "Old", "--content", "said first"]).ok();
    user.run(["work"]).ok();
    user.run(["enqueue", "--to", "notes", "--heading", "New", "--content", "said second"]).ok();
    user.run(["work"]).ok();
    let before = fs::read_to_string(&notes).unwrap();
    let plan = [
        "plan",
        "--agent",
        "codex",
        "--session",
        "s1",
        "--to",
        "notes",
        "--heading",
        "More",
        "--content",
        "and a lot more than fits",
    ];
    let said = user.run(plan).fails(3, "over its budget of 60");
    assert!(said.contains("characters more would fit") && said.contains("`New`"), "{said}");
    let id = user.note("More", "update", "and a lot more than fits");
    user.run(["work"]).ok();
    assert_eq!(fs::read_to_string(&notes).unwrap(), before);
    let shown = user.run(["show", &id]).ok();
    for words in [
        "over its budget of 60",
        "characters more would fit",
        "the largest sections are `More` (33), `New`",
        "written longest ago are `Old` (20",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    // Where the knowledge base says so it is a question, and a yes answers it.
    let config = fs::read_to_string(user.home().join("config.yaml")).unwrap();
    user.configure(&config.replace("    budget_chars:", "    on_over_budget: review\n    budget_chars:"));
    user.run(["resolve", &id, "--retry"]).ok();
    user.run(["work"]).ok();
    assert_eq!(user.counts()[4], 1);
    user.run(["review", &id, "--approve"]).ok();
    user.run(["work"]).ok();
    assert!(fs::read_to_string(&notes).unwrap().ends_with("## More\n\nand a lot more than fits\n"));
}

#[test]
fn a_budget_of_tokens_is_kept() {
    let (user, notes) = with_policy(&["budget_tokens: 11"]);
    user.note("A", "append", "用户喜欢");
    user.run(["work"]).ok();
    user.note("A", "append", "简短的回答");
    user.note("A", "append", "简短");
    user.run(["work"]).ok();
    assert_eq!(user.counts()[3], 1);
    assert_eq!(fs::read_to_string(notes).unwrap(), "## A\n\n用户喜欢\n\n简短\n");
}

/// A program of the person's own, as a file.
fn program(user: &User, name: &str, lines: &str) -> String {
    let path = user.root().join(name);
    write_program(&path, &format!("#!/bin/sh\n{lines}\n"));
    path.display().to_string()
}

/// A knowledge base `notes` whose text this program judges.
fn judged_by(lines: &str, more: &[&str]) -> (User, std::path::PathBuf) {
    let (user, notes) = with_policy(more);
    let judge = program(&user, "judge", lines);
    let config = fs::read_to_string(user.home().join("config.yaml")).unwrap();
    let validate =
        format!("    validate: [[{judge}, \"{{candidate}}\", \"$(touch /tmp/never); *\"]]\n    path:");
    user.configure(&config.replacen("    path:", &validate, 1));
    (user, notes)
}

/// The validator sees the text that would be written, under the document's name; a refused job does not sink others.
#[test]
fn a_validator_refuses_one_job_and_lets_the_others_pass() {
    let (user, notes) = judged_by(
        "echo \"$2\" >&2; case $1 in *notes.md) ;; *) exit 9;; esac; if grep -q bad \"$1\"; then echo 'line 3: bad' >&2; exit 1; fi",
        &[],
    );
    for n in 0..8 {
        user.note(&format!("S{n}"), "update", if n % 5 == 2 { "bad" } else { "good" });
    }
    user.run(["work"]).ok();
    assert_eq!(user.counts(), [0, 0, 0, 2, 0, 6], "S2 and S7");
    let text = fs::read_to_string(&notes).unwrap();
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("##")).collect();
    assert_eq!(headings, ["## S0", "## S1", "## S3", "## S4", "## S5", "## S6"]);
    let shown = user.run(["list", "failed", "--json"]).ok();
    let id = serde_json::from_str::<serde_json::Value>(&shown).unwrap()[0]["id"].as_str().unwrap().to_owned();
    let shown = user.run(["show", &id]).ok();
    // Its words come as they are: nothing of them was given to a shell.
    assert!(
        shown.contains("refused the merged text (exit 1): $(touch /tmp/never); * / line 3: bad"),
        "{shown}"
    );
    user.assert_clean();
}

#[test]
fn a_validator_may_say_later() {
    let (user, notes) = judged_by("test -e busy && exit 75; exit 0", &[]);
    // What is due in milliseconds may be due again, and given up, within one run on a busy machine.
    let config = fs::read_to_string(user.home().join("config.yaml")).unwrap();
    user.configure(&config.replace("base: 5ms, cap: 20ms", "base: 1h, cap: 2h"));
    fs::write(user.root().join("busy"), "").unwrap();
    user.note("A", "update", "x");
    user.run(["work"]).ok();
    assert_eq!((user.counts(), notes.exists()), ([0, 1, 0, 0, 0, 0], false));
    fs::remove_file(user.root().join("busy")).unwrap();
    user.make_due();
    user.run(["work"]).ok();
    assert!(notes.exists());
    user.assert_clean();
}

/// One that hangs is ended in its time, with what it started; what waits is tried again and then put before a person.
#[test]
fn a_validator_that_hangs_does_not_hang_the_worker() {
    let (user, notes) = judged_by(
        "sleep 1000 & echo $! > child; yes | head -c 300000 >&2; sleep 1000",
        &["validate_timeout: 1s"],
    );
    user.note("A", "update", "x");
    user.run(["work", "--wait-retries", "120"]).ok();
    assert_eq!((user.counts(), notes.exists()), ([0, 0, 0, 1, 0, 0], false));
    assert!(user.run(["status"]).ok().contains("validator_timeout"));
    let child = fs::read_to_string(user.root().join("child")).unwrap();
    // A process that was killed is gone once it had a turn on the processor.
    let given_up = std::time::Instant::now() + std::time::Duration::from_secs(60);
    loop {
        let state = fs::read_to_string(format!("/proc/{}/stat", child.trim())).unwrap_or_default();
        if state.is_empty() || state.contains(") Z ") {
            break;
        }
        assert!(std::time::Instant::now() < given_up, "what it started goes on: {state}");
        std::thread::yield_now();
    }
    user.assert_clean();
}

#[test]
fn a_validator_that_is_not_there_accepts_nothing() {
    let (user, notes) = with_policy(&["validate: [[/nowhere/judge, \"{candidate}\"]]"]);
    user.note("A", "update", "x");
    user.run(["work", "--wait-retries", "120"]).ok();
    assert_eq!((user.counts(), notes.exists()), ([0, 0, 0, 1, 0, 0], false));
    assert!(user.run(["status"]).ok().contains("cannot be started"));
}

/// A home, or a directory in it, that others can write to is refused by everything; so is trusting such a configuration.
#[test]
fn what_others_can_write_is_not_trusted() {
    use std::os::unix::fs::PermissionsExt;
    let user = User::new();
    user.with_notes();
    let chmod = |path: &std::path::Path, mode: u32| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    for dir in [
        user.home(),
        user.home().join("pending"),
        user.home().join("staging/review"),
        user.home().join("tmp"),
    ] {
        for mode in [0o770, 0o707] {
            chmod(&dir, mode);
            for command in [
                &["work"][..],
                &["enqueue", "--to", "notes", "--heading", "A", "--content", "x"],
                &["review", "--all", "--approve"],
            ] {
                let said = user.run(command).fails(1, "hint:");
                assert!(said.contains("chmod"), "{said}");
            }
            user.run(["doctor"]).code.filter(|code| *code != 0).expect("doctor says so");
        }
        chmod(&dir, 0o700);
    }
    chmod(&user.home().join("config.yaml"), 0o666);
    let doctor = user.run(["doctor"]);
    assert!(doctor.code != Some(0) && doctor.stdout.contains("others can change"), "{}", doctor.stdout);
    chmod(&user.home().join("config.yaml"), 0o600);
    assert!(!user.run(["doctor"]).stdout.contains("others can"));
    // What we make is ours alone, whatever the umask.
    let id = user.note("A", "update", "x");
    let mut command = std::process::Command::new("/bin/sh");
    let line = format!("umask 000; exec {} work", crate::support::binary());
    let said = command.args(["-c", &line]).env_clear().env("HOME", user.root()).output().unwrap();
    assert!(said.status.success(), "{said:?}");
    assert!(user.run(["verify", &id]).ok().contains("applied"));
    let mut open = Vec::new();
    let mut dirs = vec![user.home()];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let mode = fs::symlink_metadata(&path).unwrap().permissions().mode();
            if mode & 0o077 != 0 {
                open.push(format!("{} {mode:o}", path.display()));
            }
            if path.is_dir() {
                dirs.push(path);
            }
        }
    }
    assert_eq!(open, Vec::<String>::new());
}

/// Today, by the calendar of the machine's zone.
fn day(offset: &str) -> String {
    let out =
        std::process::Command::new("date").args(["-d", offset, "+%F"]).env_remove("TZ").output().unwrap();
    String::from_utf8(out.stdout).unwrap().trim().to_owned()
}

/// A yes makes no fact of a guess: what is shown before it is marked, and so is what is merged.
#[test]
fn a_yes_keeps_the_mark_of_a_guess() {
    let user = User::new();
    let path = user.root().join("n.md");
    user.configure(&format!(
        "version: 1\nknowledge_bases:\n  notes: {{ path: {}, policy: review, gate: absolutize }}\n",
        path.display()
    ));
    say(&user, "- may like jazz", &["--confidence", "0.2", "--reason", "one joke"]);
    say(&user, "- he came on Friday evening, or so", &[]);
    user.run(["work"]).ok();
    let waiting = user.json(["list", "review"]);
    for job in waiting.as_array().unwrap() {
        let shown = user.run(["show", job["id"].as_str().unwrap()]).ok();
        assert!(shown.contains("<!-- a guess, 20 % sure -->") || shown.contains("<!-- says "), "{shown}");
    }
    user.run(["--as", "tests", "review", "--all", "--approve"]).ok();
    user.run(["work"]).ok();
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("- may like jazz <!-- a guess, 20 % sure -->\n"), "{text}");
    assert!(text.contains("<!-- says "), "{text}");
}

/// What is said of today is written as the day it is, whoever merges it whenever; what no calendar resolves is marked.
#[test]
fn a_gate_makes_words_absolute() {
    let (user, notes) = with_policy(&["gate: absolutize"]);
    let days = [day("yesterday"), day("tomorrow")];
    say(&user, "- 用户昨天换了手机", &[]);
    say(&user, "- leaves tomorrow", &[]);
    say(&user, "- he plays the 吉他 `today`", &[]);
    user.run(["work"]).ok();
    let expected = format!(
        "## Log\n\n- 用户{}换了手机\n- leaves {}\n- he plays the 吉他 `today` <!-- says he -->\n",
        days[0], days[1]
    );
    let text = fs::read_to_string(&notes).unwrap();
    if [day("yesterday"), day("tomorrow")] == days {
        assert_eq!(text, expected);
    }
    // Named by its author it is no riddle.
    let yaml = "version: \"1.0.0\"\nentries:\n  - key: { kb: notes, heading: Who }\n    content: 他住在这里\n    meta: { user: 李雷, place: 杭州 }\n";
    user.run_with(["enqueue"], yaml.as_bytes()).ok();
    user.run(["work"]).ok();
    assert!(fs::read_to_string(&notes).unwrap().ends_with("## Who\n\n李雷住在杭州\n"));
}

/// The author's own words stay in the job, for whoever asks later; an author cannot put others there.
#[test]
fn a_gate_keeps_what_was_said() {
    let (user, notes) = with_policy(&["gate: absolutize"]);
    let yaml = "version: \"1.0.0\"\nentries:\n  - key: { kb: notes, heading: Who }\n    content: The server fell over yesterday.\n    meta: { said: something else }\n  - key: { kb: notes, heading: File }\n    content: 文件名要注明日期。\n    meta: { said: something else }\n";
    let ids = user.run_with(["enqueue"], yaml.as_bytes()).ok();
    let id = ids.lines().next().unwrap();
    let shown = user.run(["show", id]).ok();
    assert!(shown.contains("  > The server fell over yesterday.\n"), "{shown}");
    assert!(!shown.contains("something else"), "{shown}");
    user.run(["work"]).ok();
    assert!(user.run(["show", id]).ok().contains("  > The server fell over yesterday.\n"));
    let text = fs::read_to_string(notes).unwrap();
    assert!(text.contains("文件名要注明日期。") && !text.contains("yesterday"), "{text}");
}

/// What stands in the document of another day, or below a heading with one, is counted from there: nobody's tomorrow is made of it.
#[test]
fn a_gate_counts_from_the_day_that_a_text_stands_under() {
    let user = User::new();
    fs::create_dir(user.root().join("logs")).unwrap();
    let document = |name: &str, path: &str| format!("  {name}: {{ path: '~/{path}', gate: absolutize }}\n");
    let (log, months, notes) = (
        document("log", "logs/{date}.md"),
        document("months", "months/{month}.md"),
        document("notes", "notes.md"),
    );
    user.configure(&format!("version: 1\nknowledge_bases:\n{log}{months}{notes}"));
    let (today, tomorrow, other) = (day("today"), day("tomorrow"), day("8 days ago"));
    let file = |name: &str| user.root().join(name);
    let (own, others) = (format!("logs/{today}.md"), format!("logs/{other}.md"));
    let (month, day_and_month) = ("months/2001-02.md", &other[5..]);
    let in_words = format!("{} 年 {} 月 {} 日", &other[..4], &other[5..7], &other[8..]);
    let says = |to: &str, heading: &str| {
        let args =
            ["enqueue", "--to", to, "--heading", heading, "--op", "append", "--content", "- leaves tomorrow"];
        user.run(args).ok();
    };
    let path = |name: &str| file(name).display().to_string();
    for (to, heading) in [
        (path(&own), "Notes"),
        (path(&others), "Notes"),
        (path(month), "Notes"),
        ("log".to_owned(), day_and_month),
        ("notes".to_owned(), &in_words),
        ("notes".to_owned(), &today),
    ] {
        says(&to, heading);
    }
    user.run(["work"]).ok();
    if day("today") != today {
        return;
    }
    let text = |name: &str| fs::read_to_string(file(name)).unwrap();
    let (written, left) = (format!("- leaves {tomorrow}\n"), "- leaves tomorrow <!-- says tomorrow -->\n");
    assert_eq!(text(&others), format!("## Notes\n\n{left}"));
    assert_eq!(text(month), format!("## Notes\n\n{left}"));
    assert_eq!(text(&own), format!("## Notes\n\n{written}\n## {day_and_month}\n\n{left}"));
    assert_eq!(text("notes.md"), format!("## {in_words}\n\n{left}\n## {today}\n\n{written}"));
}

/// A file says "yesterday" of the day it was written on.
#[test]
fn a_dropped_file_is_dated_by_its_own_time() {
    let (user, notes) = with_policy(&["gate: absolutize"]);
    let drop = user.home().join("tmp/d");
    fs::write(&drop, r#"{"version":"1.0.0","entries":[{"key":{"kb":"notes","heading":"H"},"operation":"update","content":"It was moved yesterday."}]}"#).unwrap();
    let written = std::time::SystemTime::now() - std::time::Duration::from_secs(5 * 86_400);
    fs::File::options().write(true).open(&drop).unwrap().set_modified(written).unwrap();
    let expected = day("6 days ago");
    fs::rename(&drop, user.home().join("pending/d.json")).unwrap();
    user.run(["work"]).ok();
    let text = fs::read_to_string(&notes).unwrap();
    if expected == day("6 days ago") {
        assert!(text.contains(&format!("It was moved {expected}.")), "{text}");
    }
}

#[test]
fn a_gate_may_ask_or_refuse() {
    let (user, notes) = with_policy(&["gate: absolutize", "on_hit: fail"]);
    let plan = [
        "plan",
        "--agent",
        "codex",
        "--session",
        "s1",
        "--to",
        "notes",
        "--heading",
        "Log",
        "--content",
        "he likes tea",
    ];
    user.run(plan).fails(3, "it says he, which will mean something else later");
    user.run(["enqueue", "--to", "notes", "--heading", "Log", "--content", "最近在学 Rust"]).fails(3, "最近");
    say(&user, "- 其他人喜欢吉他", &[]);
    user.run(["work"]).ok();
    assert_eq!(fs::read_to_string(notes).unwrap(), "## Log\n\n- 其他人喜欢吉他\n");
    let (user, notes) = with_policy(&["gate: absolutize", "on_hit: review"]);
    say(&user, "- he likes tea", &[]);
    user.run(["work"]).ok();
    assert_eq!((user.counts()[4], notes.exists()), (1, false));
    user.run(["review", "--all", "--approve"]).ok();
    user.run(["work"]).ok();
    assert_eq!(fs::read_to_string(notes).unwrap(), "## Log\n\n- he likes tea\n");
}

/// A program may rewrite what rules cannot; it is asked twice at most, must keep every id, and cannot hang the worker.
#[test]
fn a_rewriter_is_heard_within_bounds() {
    let rewriters = [
        (
            "echo x >> asked; cat > said; echo '- Anna has number 123456'",
            1,
            "- Anna has number 123456",
            [0, 1],
        ),
        ("echo x >> asked; echo '- Anna has number 12345'", 1, "", [1, 0]),
        ("echo x >> asked; echo '- she has number 123456'", 1, "", [1, 0]),
        ("echo x >> asked; echo '- she and her number 123456'; exit 1", 1, "", [1, 0]),
        ("echo x >> asked; sleep 1000", 1, "", [1, 0]),
    ];
    for (lines, asked, written, [review, done]) in rewriters {
        let user = User::new();
        let notes = user.with_notes();
        let rewriter = program(&user, "rewriter", &format!("cd {}; {lines}", user.root().display()));
        let config = fs::read_to_string(user.home().join("config.yaml")).unwrap();
        // On a busy machine a program that answers needs its time; the one that hangs is waited for to the end.
        let timeout = if lines.contains("sleep") { "2s" } else { "60s" };
        let gate = format!(
            "    gate: absolutize\n    on_hit: review\n    rewriter: [{rewriter}]\n    validate_timeout: {timeout}\n    path:"
        );
        user.configure(&config.replacen("    path:", &gate, 1));
        say(&user, "- she has number 123456", &[]);
        user.run(["work"]).ok();
        assert_eq!((user.counts()[4], user.counts()[5]), (review, done), "{lines}");
        assert_eq!(fs::read_to_string(user.root().join("asked")).unwrap().lines().count(), asked, "{lines}");
        let text = fs::read_to_string(&notes).unwrap_or_default();
        assert!(text.contains(written) && text.is_empty() == written.is_empty(), "{lines}: {text}");
        if done == 1 {
            let said = fs::read_to_string(user.root().join("said")).unwrap();
            assert_eq!(said, r#"{"hits":["she"],"text":"- she has number 123456"}"#);
        }
    }
}

/// Families of documents: named by what fills their variables, or by a member's path; never anything else.
#[test]
fn a_family_has_members_and_nothing_outside() {
    let user = User::new();
    let dir = user.root().join("profiles");
    user.configure("version: 1\nknowledge_bases:\n  profile: { path: 'profiles/{user_id}.md', root: home, template: ~/template.md }\n");
    fs::write(user.root().join("template.md"), "# {user_id}\n\n## Notes\n").unwrap();
    let to = |to: &str| {
        user.run(["enqueue", "--to", to, "--heading", "Notes", "--op", "append", "--content", "- x"])
    };
    to("profile:42").ok();
    to(dir.join("a.b").with_extension("md").to_str().unwrap()).ok();
    to("~/profiles/42.md").ok();
    user.run(["work"]).ok();
    assert_eq!(
        fs::read_to_string(dir.join("42.md")).unwrap(),
        "# 42\n\n## Notes\n\n- x\n",
        "said twice, there once"
    );
    let names: Vec<_> = fs::read_dir(&dir).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    for (bad, says) in [
        ("profile", "is a family of documents"),
        ("profile:", "cannot fill {user_id}"),
        ("profile:..", "cannot fill {user_id}"),
        ("profile:.hidden", "cannot fill {user_id}"),
        ("profile:a b", "cannot fill {user_id}"),
        ("profile:a:b", "is a family of documents"),
        ("~/profiles/sub/x.md", "is not the document"),
        ("~/profiles/.x.md", "is not the document"),
        ("~/profiles/../secrets.md", "is not the document"),
    ] {
        let said = to(bad);
        assert_eq!(said.code, Some(3), "{bad}: {}{}", said.stdout, said.stderr);
        assert!(said.stderr.contains(says), "{bad}: {}", said.stderr);
    }
    let traversal =
        "version: \"1.0.0\"\nentries:\n  - { key: { kb: \"profile:../../etc\", heading: A }, content: x }\n";
    user.run_with(["enqueue"], traversal.as_bytes()).fails(3, "cannot fill {user_id}");
    // A link inside the family that leads out of it.
    std::os::unix::fs::symlink(user.root().join("elsewhere.md"), dir.join("link.md")).unwrap();
    to("profile:link").fails(3, "leads out of");
    assert!(user.run(["read", "profile:42"]).ok().contains("- x"));
    assert!(user.run(["history", "profile:42"]).ok().contains('2'));
    user.run(["rollback", "profile:42", "--to", "0"]).ok();
    user.run(["work"]).ok();
    assert!(user.run(["status"]).ok().contains("OK"));
}

/// An editor may save a day in its place that was moved to `archive/` meanwhile: then both say something, and a reader is shown both.
#[test]
fn a_day_that_is_there_twice_is_read_twice() {
    let user = User::new();
    let logs = user.root().join("logs");
    user.configure(&format!(
        "version: 1\nknowledge_bases:\n  log: {{ path: \"{}/{{date}}.md\", keep_days: 7 }}\nsession_bootstrap: []\n",
        logs.display()
    ));
    fs::create_dir_all(logs.join("archive")).unwrap();
    let day = "2025-03-04";
    let save = |name: &str, line: &str| {
        fs::write(logs.join(format!("{name}.md")), format!("# Day\n\n## Morning\n\n- both\n{line}")).unwrap();
    };
    save(day, "- of the editor\n");
    save(&format!("archive/{day}"), "- merged there\n");
    let of_day = format!("log:{day}");
    for named in [&["read", of_day.as_str()][..], &["read", &of_day, "--heading", "Morning"]] {
        let read = user.run(named).ok();
        let (here, there) = read.split_once("has this day, too").unwrap_or_else(|| panic!("{read}"));
        assert!(here.contains("- of the editor") && here.contains("logs/archive/"), "{read}");
        assert!(there.contains("- merged there"), "{read}");
        let archived = &user.json(named)["archived"];
        assert!(archived["text"].as_str().unwrap().contains("- merged there"), "{archived}");
    }
    save(&format!("archive/{day}"), "- of the editor\n");
    assert!(user.json(["read", &of_day]).get("archived").is_none(), "they say the same");
    fs::remove_file(logs.join(format!("{day}.md"))).unwrap();
    assert!(user.run(["read", &of_day]).ok().contains("- of the editor"));
}

/// A daily log is that of the day something was said, with its own budget; old ones go to `archive/`, untouched.
#[test]
fn daily_logs_have_their_day_and_their_time() {
    let user = User::new();
    let logs = user.root().join("logs");
    fs::create_dir(&logs).unwrap();
    user.configure(
        "version: 1\nknowledge_bases:\n  log: { path: '~/logs/{date}.md', budget_chars: 60, keep_days: 2 }\n",
    );
    let today = day("today");
    let old = [day("3 days ago"), day("2001-02-03")];
    let kept = [day("2 days ago"), day("yesterday")];
    for name in old.iter().chain(&kept) {
        fs::write(logs.join(format!("{name}.md")), format!("# {name}\r\n\r\nquokka {name}\r\n")).unwrap();
    }
    fs::write(logs.join("notes.md"), "mine").unwrap();
    let log = |to: &str, content: &str| {
        user.run(["enqueue", "--to", to, "--heading", "Log", "--op", "append", "--content", content]).ok()
    };
    log("log", "- merged later");
    log(&format!("log:{}", kept[1]), "- a day late");
    user.run(["work"]).ok();
    if day("today") != today {
        return;
    }
    assert_eq!(fs::read_to_string(logs.join(format!("{today}.md"))).unwrap(), "## Log\n\n- merged later\n");
    assert!(fs::read_to_string(logs.join(format!("{}.md", kept[1]))).unwrap().contains("a day late"));
    for name in &old {
        assert!(!logs.join(format!("{name}.md")).exists());
        assert_eq!(
            fs::read_to_string(logs.join("archive").join(format!("{name}.md"))).unwrap(),
            format!("# {name}\r\n\r\nquokka {name}\r\n")
        );
    }
    assert!(
        kept.iter().all(|name| logs.join(format!("{name}.md")).exists()) && logs.join("notes.md").exists()
    );
    assert!(user.run(["log"]).ok().contains("archived"));
    // What they say is found and read all the same.
    let found = user.run(["recall", "quokka"]).ok();
    assert!(found.contains(&format!("logs/archive/{}.md", old[0])), "{found}");
    assert!(user.run(["read", &format!("log:{}", old[0])]).ok().contains(&old[0]));
    // One of a day whose log is in the archive already is left for a person to look at.
    fs::write(logs.join(format!("{}.md", old[1])), "again").unwrap();
    user.run(["work"]).ok();
    assert_eq!(fs::read_to_string(logs.join(format!("{}.md", old[1]))).unwrap(), "again");
    log("log", &"- far more than a day's log may have ".repeat(3));
    user.run(["work"]).ok();
    assert_eq!(user.counts()[3], 1);
    user.run(["enqueue", "--to", "log:2026-02-30", "--heading", "A", "--content", "x"])
        .fails(3, "a day is written");
}

/// A late entry is merged into its day, which is one document before and after.
#[test]
fn a_late_entry_for_an_archived_day_is_merged_into_it() {
    let user = User::new();
    let logs = user.root().join("logs");
    fs::create_dir(&logs).unwrap();
    user.configure("version: 1\nknowledge_bases:\n  log: { path: '~/logs/{date}.md', keep_days: 2 }\n");
    user.lets_tests_decide();
    let (place, archived) = (logs.join("2001-02-03.md"), logs.join("archive/2001-02-03.md"));
    fs::write(&place, "## N\n\n- first words alpha\n").unwrap();
    user.run(["work"]).ok();
    let declare = |op: &str, content: &str| {
        let to = place.to_str().unwrap();
        user.run(["enqueue", "--to", to, "--heading", "N", "--op", op, "--content", content]).ok()
    };
    let id = declare("append", "- late words beta").split_whitespace().next().unwrap().to_owned();
    let shown = user.run(["show", &id]).ok();
    assert!(shown.contains("first words alpha"), "a preview is of that day: {shown}");
    user.run(["work"]).ok();
    let both = "## N\n\n- first words alpha\n- late words beta\n";
    assert!(!place.exists() && fs::read_to_string(&archived).unwrap() == both);
    assert_eq!(user.run(["read", "log:2001-02-03"]).ok(), both);
    let history = user.run(["history", "log:2001-02-03"]).ok();
    assert!(history.contains("append N") && !history.contains("by hand"), "{history}");
    assert!(user.run(["diff", "log:2001-02-03"]).ok().contains("\n+- late words beta"));
    assert!(user.run(["recall", "alpha"]).ok().contains("logs/archive/2001-02-03.md"));
    assert!(user.run(["log"]).ok().contains("brought_back"));
    declare("update", "- gamma");
    user.run(["work"]).ok();
    assert_eq!(user.counts()[3..5], [0, 0], "{:?}", user.json(["list"]));
    assert_eq!(fs::read_to_string(&archived).unwrap(), "## N\n\n- gamma\n");
    // What fails leaves its day in place until that is decided: nothing is merged elsewhere.
    user.run(["--as", "tests", "rollback", "log:2001-02-03"]).ok();
    user.run(["work"]).ok();
    assert!(!place.exists() && fs::read_to_string(&archived).unwrap() == both);
    // Two of one day, made by hand or by an older version, are named.
    fs::write(&place, "again\n").unwrap();
    user.run(["work"]).ok();
    let said = user.run(["doctor"]).stdout;
    assert!(said.contains("2001-02-03.md") && said.contains("archive/"), "{said}");
}

/// Its items are found by their ids, and changed there; a purge forgets nothing of them where they lie, and says so.
#[test]
fn an_item_of_an_archived_day_is_an_item() {
    let user = User::new();
    let logs = user.root().join("logs");
    fs::create_dir(&logs).unwrap();
    user.configure("version: 1\nknowledge_bases:\n  log: { path: '~/logs/{date}.md', keep_days: 2 }\n");
    user.lets_tests_decide();
    let archived = logs.join("archive/2001-02-03.md");
    fs::write(logs.join("2001-02-03.md"), "## N\n\n- first words alpha ^k7m2q9xa\n").unwrap();
    user.run(["work"]).ok();
    assert!(user.run(["item", "list"]).ok().contains("first words alpha"));
    assert!(user.run(["item", "show", "k7m2q9xa"]).ok().contains("logs/archive/2001-02-03.md"));
    user.run(["item", "revise", "k7m2q9xa", "other words beta"]).ok();
    user.run(["work"]).ok();
    assert!(!logs.join("2001-02-03.md").exists());
    let text = fs::read_to_string(&archived).unwrap();
    assert!(text.contains("other words beta") && !text.contains("alpha"), "{text}");
    let purge = ["--as", "tests", "item", "purge", "k7m2q9xa", "--yes"];
    user.run(purge).fails(1, "logs/archive/2001-02-03.md, an old day: nothing was forgotten");
    fs::rename(&archived, logs.join("2001-02-03.md")).unwrap();
    user.run(purge).ok();
    let text = fs::read_to_string(logs.join("2001-02-03.md")).unwrap();
    assert!(text.contains("(purged)") && !text.contains("beta"), "{text}");
    user.run(["work"]).ok();
    assert!(fs::read_to_string(&archived).unwrap().contains("(purged)"));
}

/// Without `keep_days` every day stays where it is; with it, what waits for a person and what is no file does.
#[test]
fn days_stay_where_nobody_wants_them_moved() {
    let user = User::new();
    user.lets_tests_decide();
    let logs = user.root().join("logs");
    fs::create_dir(&logs).unwrap();
    let configured = |more: &str| {
        let log = format!("log: {{ path: '~/logs/{{date}}.md', policy: review{more} }}");
        user.configure(&format!("version: 1\nknowledge_bases:\n  {log}\n"));
        user.lets_tests_decide();
    };
    configured("");
    fs::write(logs.join("2001-02-03.md"), "# Day\n\n## A\n\n- old\n").unwrap();
    fs::create_dir(logs.join("2001-02-04.md")).unwrap();
    std::os::unix::fs::symlink("2001-02-03.md", logs.join("2001-02-05.md")).unwrap();
    let to = ["enqueue", "--to", "log:2001-02-03", "--heading", "A", "--op", "append", "--content", "- new"];
    user.run(to).ok();
    user.run(["work"]).ok();
    assert!(!logs.join("archive").exists());
    configured(", keep_days: 2");
    user.run(["work"]).ok();
    assert!(!logs.join("archive").exists(), "what waits for a yes is needed there");
    user.run(["--as", "tests", "review", "--all", "--approve"]).ok();
    user.run(["work"]).ok();
    fs::write(logs.join("2001-02-02.md"), "held\n").unwrap();
    user.run(["--as", "tests", "hold", "--document", "log:2001-02-02"]).ok();
    user.run(["work"]).ok();
    assert!(logs.join("2001-02-02.md").exists(), "a hold stops it");
    let day = fs::read_to_string(logs.join("archive/2001-02-03.md")).unwrap();
    assert!(day.ends_with("- old\n- new\n"), "{day}");
    assert!(logs.join("2001-02-04.md").is_dir() && logs.join("2001-02-05.md").is_symlink());
}

/// The daily log of a new home asks when it is full, as the other documents do that agents write without a yes.
#[test]
fn a_full_daily_log_asks() {
    let user = User::new();
    user.configure("version: 1\n");
    let log = |lines: usize| {
        let content = "- did one of many things\n".repeat(lines);
        user.run(["enqueue", "--to", "log", "--heading", "Log", "--op", "append", "--content", &content])
            .ok();
        user.run(["work"]).ok();
    };
    log(60);
    assert_eq!(user.counts()[3..], [0, 0, 1], "an ordinary day");
    log(160);
    assert_eq!(user.counts()[3..], [0, 1, 1], "it waits for a yes, and did not fail");
}

/// A job that waited over midnight is for the day it was said on.
#[test]
fn a_daily_log_is_that_of_the_day_it_was_said() {
    let user = User::new();
    user.configure("version: 1\nknowledge_bases:\n  log: { path: '~/logs/{date}.md' }\n");
    user.run(["enqueue", "--to", "log", "--heading", "Log", "--content", "x"]).ok();
    let pending = user.home().join("pending");
    let name = user.files("pending").remove(0);
    let text = fs::read_to_string(pending.join(name)).unwrap();
    assert!(text.contains("\"kb\":\"log:20"), "{text}");
}

/// Only between the markers: what a person wrote around them stays byte for byte, and where the markers are not as they
/// should be nothing is written at all.
#[test]
fn a_persons_part_is_not_touched() {
    let (user, notes) = with_policy(&["block: machine"]);
    let before = "\u{feff}# Mine\r\n\r\n  as  I\tlike it  \r\n\r\n## Log\r\n\r\nmy own words\r\n\r\n";
    let (start, end) = ("<!-- MACHINE_BLOCK_START -->\r\n", "<!-- MACHINE_BLOCK_END -->\r\n");
    let after = "\r\n## After\r\n\r\nmine, too";
    fs::write(&notes, format!("{before}{start}\r\n## Facts\r\n\r\n- old\r\n\r\n{end}{after}")).unwrap();
    for (heading, op) in
        [("Facts", "append"), ("New", "update"), ("Log", "clear"), ("After", "update"), ("Mine", "delete")]
    {
        let mut args = vec!["enqueue", "--agent", "codex", "--to", "notes", "--heading", heading, "--op", op];
        args.extend(["--level", if heading == "Mine" { "1" } else { "2" }]);
        args.extend(if matches!(op, "append" | "update") { &["--content", "- new"][..] } else { &[] });
        user.run(args).ok();
    }
    user.run(["work"]).ok();
    let text = fs::read_to_string(&notes).unwrap();
    assert!(
        text.starts_with(&format!("{before}{start}")) && text.ends_with(&format!("{end}{after}")),
        "{text:?}"
    );
    assert!(text.contains("- old\r\n- new\r\n") && text.contains("## New\r\n"), "{text:?}");
    // `Log` reaches into the block, and has nothing there to clear.
    assert_eq!(user.counts(), [0, 0, 0, 2, 0, 3], "what is outside of the block fails");
    for (doubtful, code) in [
        ("# No markers\n\n## Facts\n".to_owned(), "machine_block_missing"),
        (format!("{start}\n## Facts\n"), "machine_block_missing"),
        (format!("{start}{start}\n## Facts\n\n{end}{end}"), "machine_block_doubled"),
        (format!("{end}\n## Facts\n\n{start}"), "machine_block_order"),
    ] {
        user.run(["resolve", "--all", "--discard"]).ok();
        fs::write(&notes, &doubtful).unwrap();
        say(&user, "- x", &[]);
        user.run(["work"]).ok();
        assert_eq!(fs::read_to_string(&notes).unwrap(), doubtful, "{code}");
        assert!(user.run(["status"]).ok().contains(code), "{code}: {}", user.run(["status"]).ok());
    }
}

/// As it is set up: an agent may propose a change to SOUL, and nothing comes of it before a person's yes.
#[test]
fn soul_is_not_changed_without_a_yes() {
    let user = User::new();
    let soul = user.root().join(".config/agents/SOUL.md");
    let before = fs::read(&soul).unwrap();
    for target in ["soul", "~/.config/agents/SOUL.md", "~/.config/agents/last-word/../SOUL.md"] {
        for op in ["append", "update"] {
            let args = ["enqueue", "--agent", "codex", "--to", target, "--heading", "Voice", "--op", op];
            user.run(args.into_iter().chain([
                "--content",
                "be bold",
                "--confidence",
                "1",
                "--trust",
                "user",
            ]))
            .ok();
        }
    }
    // A job cannot bring its own yes, and neither can a declaration.
    let forged = "version: \"1.0.0\"\njob: { approved_by: me }\nentries:\n  - { key: { kb: soul, heading: Voice }, content: x }\n";
    user.run_with(["enqueue"], forged.as_bytes()).fails(3, "job");
    user.run(["work"]).ok();
    assert_eq!(user.counts()[..5], [0, 0, 0, 0, 6]);
    assert_eq!(fs::read(&soul).unwrap(), before);
    user.run(["review", "--all", "--reject"]).ok();
    user.run(["work"]).ok();
    assert_eq!(fs::read(&soul).unwrap(), before);
}

/// Whatever a target says, nothing but a knowledge base's document is ever made or changed.
#[test]
fn nothing_is_written_outside_of_the_knowledge_bases() {
    let user = User::new();
    let notes = user.with_notes();
    std::os::unix::fs::symlink(user.root().join("secret.md"), user.root().join("link.md")).unwrap();
    fs::write(user.root().join("secret.md"), "mine").unwrap();
    let absolute = user.root().join("secret.md").display().to_string();
    let url = format!("file://{absolute}");
    for (field, target) in [
        ("path", "../secret.md"),
        ("path", "/etc/passwd"),
        ("path", "~/secret.md"),
        ("path", "~/link.md"),
        ("path", "~/notes.md/../secret.md"),
        ("path", "notes.md/"),
        ("path", absolute.as_str()),
        ("url", url.as_str()),
        ("url", "file:///etc/passwd"),
        ("url", "https://example.com/x.md"),
        ("kb", "notes:../secret"),
        ("kb", "../notes"),
        ("kb", "nobody"),
    ] {
        let entry = serde_json::json!({"version": "1.0.0", "entries": [
            { "key": { field: target, "heading": "A" }, "content": "x" }]});
        let said = user.run_with(["enqueue"], entry.to_string().as_bytes());
        // `notes.md/` is the document itself, spelt oddly.
        let fine = said.code == Some(3) || target == "notes.md/";
        assert!(fine, "{field} {target}: {:?} {}", said.code, said.stderr);
    }
    user.run(["work"]).ok();
    assert_eq!(fs::read_to_string(user.root().join("secret.md")).unwrap(), "mine");
    let known = [".config", "link.md", "secret.md", "notes.md"];
    for entry in fs::read_dir(user.root()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(known.contains(&name.as_str()), "{name}");
    }
    let _ = notes;
}

/// What is put into a text is a name: no line, no heading, no secret comes in that way.
#[test]
fn a_fact_is_a_name() {
    let (user, _) = with_policy(&["gate: absolutize"]);
    let long = "x".repeat(201);
    for (fact, says) in [
        ("a\n# Heading".to_owned(), "meta.user is no name"),
        ("  ".to_owned(), "meta.user is no name"),
        (long, "meta.user is no name"),
        (secret(), "what looks like a GitHub token"),
    ] {
        let entry = serde_json::json!({"version": "1.0.0", "entries": [
            { "key": { "kb": "notes", "heading": "A" }, "content": "he likes tea", "meta": { "user": fact } }]});
        user.run_with(["enqueue"], entry.to_string().as_bytes()).fails(3, says);
    }
    assert_eq!(user.counts(), [0; 6]);
}
