//! What an agent can never do, through the binary: each row of the README's table, tried.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::fs;
use support::User;

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
    }
    let by_flags = |flag: &str, value: &str| {
        let mut args = vec!["enqueue", "--to", "notes", "--heading", "Log", "--op", "append"];
        if flag != "--content" {
            args.extend(["--content", "x"]);
        }
        args.extend([flag, value]);
        user.run(args)
    };
    for flag in ["--content", "--reason", "--key"] {
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
    let stderr = user.run(args).fails(3, "entries[0].content line 2 has what looks like a GitHub token");
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
