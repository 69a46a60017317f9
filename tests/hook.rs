//! `hook` through the binary: what the real programs send, and the exact answers; and everything that can go wrong, which is
//! answered neutrally.

use crate::support::{Said, User};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

const CONFIG: &str = "version: 1
knowledge_bases:
  user: { path: ~/USER.md, title: User profile, budget_chars: 1400 }
  managed: { path: managed.md, root: project, title: Project knowledge }
  managed2: { path: managed2.md, root: project, policy: read-only }
session_bootstrap: [user, managed]
";

/// A user with a project and something known.
fn user() -> User {
    let user = User::new();
    user.configure(CONFIG);
    fs::create_dir_all(project(&user).join(".git")).unwrap();
    fs::write(user.root().join("USER.md"), "# User\n\n## Preferences\n\n- likes tea\n").unwrap();
    user
}

fn project(user: &User) -> PathBuf {
    user.root().join("myapp")
}

fn with_config(user: &User, lines: &str) {
    user.configure(&format!("{CONFIG}{lines}\n"));
}

fn hook(user: &User, agent: &str, payload: &Value) -> Said {
    user.run_with(["hook", "--agent", agent], payload.to_string().as_bytes())
}

/// The reply, which came with exit 0 and without a word on stderr.
#[track_caller]
fn reply(user: &User, agent: &str, payload: &Value) -> String {
    let said = hook(user, agent, payload);
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""), "{payload}");
    said.stdout
}

fn event(user: &User, name: &str, session: &str) -> Value {
    json!({ "session_id": session, "cwd": project(user), "hook_event_name": name })
}

fn with(mut event: Value, fields: Value) -> Value {
    event.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    event
}

fn start(user: &User, session: &str) -> Value {
    with(event(user, "SessionStart", session), json!({ "source": "startup" }))
}

fn stop(user: &User, session: &str) -> Value {
    with(event(user, "Stop", session), json!({ "stop_hook_active": false }))
}

fn bash(user: &User, session: &str, command: &str) -> Value {
    let tool = json!({ "tool_name": "Bash", "tool_input": { "command": command } });
    with(event(user, "PreToolUse", session), tool)
}

fn plan(user: &User, session: &str, line: &str) {
    let entry = ["plan", "--to", "user", "--heading", "Preferences", "--op", "append", "--content", line];
    user.run(entry.iter().chain(&["--agent", "claude_code", "--session", session])).ok();
}

fn journal(user: &User) -> String {
    let days = fs::read_dir(user.home().join("journal")).unwrap();
    days.map(|day| fs::read_to_string(day.unwrap().path()).unwrap()).collect()
}

// ---- what the real programs said ----

/// Every recorded payload in its order, with the answer and what is on disk after it.
#[test]
fn recorded_sessions_are_answered_to_the_letter() {
    for agent in ["claude_code", "codex", "gemini_cli", "copilot", "qwen_code"] {
        let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/hooks");
        let user = user();
        let recorded = fs::read_to_string(dir.join(format!("{agent}.jsonl"))).unwrap();
        let mut answered = String::new();
        for line in recorded.lines() {
            let line = line.replace("/home/dev/myapp", &project(&user).display().to_string());
            let line: Value = serde_json::from_str(&line).unwrap();
            let said = hook(&user, agent, &line["payload"]);
            assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""));
            let files = json!({ "sessions": user.files("sessions").len(), "jobs": user.counts().iter().sum::<usize>() });
            let row =
                json!({ "event": line["payload"]["hook_event_name"], "stdout": said.stdout, "files": files });
            let row = row.to_string().replace(crate::support::binary(), "last-word");
            let row = row.replace(&user.root().display().to_string(), "/home/dev");
            answered.push_str(&row);
            answered.push('\n');
        }
        let golden = dir.join(format!("{agent}.answers.jsonl"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&golden, &answered).unwrap();
        }
        let expected = fs::read_to_string(&golden).unwrap();
        for (found, expected) in answered.lines().zip(expected.lines()) {
            assert_eq!(
                found, expected,
                "{agent}; UPDATE_GOLDEN=1 writes the answers anew, look at the difference"
            );
        }
        assert_eq!(answered.lines().count(), expected.lines().count());
    }
}

/// Codex tells no hook what is typed into a shell that it left open; the others have no such tool, or tell.
#[test]
fn a_shell_is_not_left_open_where_nothing_tells_what_is_typed() {
    let user = user();
    for (agent, command, refused) in [
        ("codex", "bash", true),
        ("codex", "env -i sh", true),
        ("codex", "bash build.sh", false),
        ("codex", "curl -s x | sh", false),
        ("claude_code", "bash", false),
    ] {
        let said = reply(&user, agent, &bash(&user, "s1", command));
        assert_eq!(
            said.contains("\"deny\"") && said.contains("typed into it"),
            refused,
            "{agent} {command}: {said}"
        );
    }
}

// ---- at a session's start ----

#[test]
fn a_session_is_shown_the_same_bytes_again() {
    let user = user();
    let first = reply(&user, "claude_code", &start(&user, "s1"));
    assert!(first.contains("<user-profile>\\n# User") && first.contains("likes tea"), "{first}");
    assert_eq!(reply(&user, "claude_code", &start(&user, "s1")), "", "told twice is told once");
    fs::write(user.root().join("USER.md"), "# User\n\nlikes coffee\n").unwrap();
    let again = |source: &str| with(start(&user, "s1"), json!({ "source": source }));
    assert_eq!(reply(&user, "claude_code", &again("compact")), first);
    assert_eq!(reply(&user, "claude_code", &again("resume")), first);
    assert!(reply(&user, "claude_code", &again("clear")).contains("likes coffee"), "asked anew");
    assert!(user.run(["context", "--agent", "claude_code", "--session", "s1"]).ok().contains("coffee"));
    assert!(user.run(["context"]).ok().contains("<user-profile>\n# User\n\nlikes coffee\n</user-profile>\n"));
    let told = |args: &[&str]| {
        let said = user.run([&["context", "--session"], args].concat());
        assert!(said.code == Some(0) && said.stdout.contains("coffee"), "{}", said.stdout);
        said.stderr
    };
    assert_eq!(told(&["s1", "--agent", "claude_code"]), "");
    for unknown in [&["never-was", "--agent", "claude_code"][..], &["s1"], &["s1", "--json"]] {
        assert!(told(unknown).contains("is not known here"), "{unknown:?}: {}", told(unknown));
    }
}

/// A full disk can be read: a session begins with what is known, and with the word that nothing is kept now.
#[test]
fn a_session_is_shown_what_is_known_where_nothing_can_be_written() {
    if !crate::support::has_crash_points() {
        return;
    }
    let user = user();
    let mut command = user.command(["hook", "--agent", "claude_code"]);
    command.env("LAST_WORD_TROUBLE", "fail-from=1:28").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(start(&user, "s1").to_string().as_bytes()).unwrap();
    let said = Said::of(child.wait_with_output().unwrap()).ok();
    assert!(said.contains("likes tea") && said.contains("nothing that is learned is kept"), "{said}");
    assert!(!reply(&user, "claude_code", &start(&user, "s1")).contains("nothing that is learned"));
}

/// Qwen Code tells no end after a `/compress` that changed nothing: the next run may resume the session some seconds later.
#[test]
fn a_start_is_the_one_before_by_the_agents_own_time_of_it() {
    let user = user();
    let resumed = |second: u8| {
        let stamp = format!("2026-11-24T04:12:{second}.855Z");
        with(start(&user, "q"), json!({ "source": "resume", "timestamp": stamp }))
    };
    let first = reply(&user, "qwen_code", &resumed(34));
    assert!(first.contains("likes tea"), "{first}");
    assert_eq!(reply(&user, "qwen_code", &resumed(34)), "{}", "our hook in two files");
    assert_eq!(reply(&user, "qwen_code", &resumed(40)), first, "a run of its own");
    // Who says no time went on, once it was prompted.
    let first = reply(&user, "claude_code", &start(&user, "c"));
    reply(&user, "claude_code", &prompt(&user, "claude_code", "c"));
    assert_eq!(reply(&user, "claude_code", &start(&user, "c")), first);
}

/// What a session is shown at its start. Gemini CLI is told it beside the first prompt: what is said before it makes a prompt
/// that is a command one no more.
fn at_start(user: &User, agent: &str, start: &Value) -> String {
    let said = reply(user, agent, start);
    if agent != "gemini_cli" {
        return said;
    }
    assert_eq!(said, "{}");
    let prompt = json!({ "hook_event_name": "BeforeAgent", "prompt": "/remember the pot" });
    reply(user, agent, &with(start.clone(), prompt))
}

#[test]
fn who_knows_nothing_is_told_how_to_remember_and_recall() {
    let user = User::new();
    let start = json!({ "cwd": user.root(), "hook_event_name": "SessionStart", "source": "startup" });
    for agent in ["claude_code", "codex", "gemini_cli", "cursor", "copilot", "qwen_code"] {
        let event = with(start.clone(), json!({ "session_id": agent, "conversation_id": agent }));
        let event =
            if agent == "cursor" { with(event, json!({ "hook_event_name": "sessionStart" })) } else { event };
        let said = at_start(&user, agent, &event);
        for told in [
            "To remember ",
            " plan --to KB --heading 'HEADING'",
            " recall 'WORDS'",
            "user (who the person is",
        ] {
            assert!(said.contains(told), "{agent}: {said}");
        }
        let named = said.contains(&format!("--agent {agent} --session {agent}"));
        let by_variable = ["claude_code", "codex", "copilot", "qwen_code"].contains(&agent);
        assert_eq!(named, !by_variable, "{agent}: who has no variable for its session is told it: {said}");
        let tagged = if ["gemini_cli", "qwen_code"].contains(&agent) { "[last-word]" } else { "<last-word>" };
        assert!(said.contains(tagged), "{agent}: {said}");
    }
    assert!(user.run(["context"]).ok().contains("To recall: "), "never empty for an agent");
}

/// The same words again in the next session: what a provider caches stays the same.
#[test]
fn nothing_in_a_context_changes_by_itself() {
    let user = user();
    let first = reply(&user, "codex", &start(&user, "one"));
    reply(&user, "codex", &with(event(&user, "SessionEnd", "one"), json!({ "reason": "other" })));
    assert_eq!(reply(&user, "codex", &start(&user, "two")), first);
}

/// What an agent plans with its session's name alone is merged with the end of that session, as with its own name beside it.
#[test]
fn what_is_planned_with_a_session_alone_is_its_agents() {
    let user = user();
    reply(&user, "codex", &start(&user, "one"));
    let plan =
        ["plan", "--to", "user", "--heading", "Preferences", "--op", "append", "--content", "- planned"];
    let mut command = user.command(plan);
    command.env("LAST_WORD_SESSION", "one").env("CODEX_CI", "1").current_dir(project(&user));
    Said::of(command.output().unwrap()).ok();
    reply(&user, "codex", &with(event(&user, "SessionEnd", "one"), json!({ "reason": "other" })));
    user.run(["work"]).ok();
    let text = fs::read_to_string(user.root().join("USER.md")).unwrap();
    assert!(text.contains("- planned"), "{text}");
}

/// A document that the agent reads by itself would take its room twice.
#[test]
fn what_an_agent_reads_by_itself_is_not_shown_again() {
    let user = user();
    user.configure(&CONFIG.replace("path: managed.md", "path: AGENTS.md"));
    let project = project(&user);
    fs::write(project.join("AGENTS.md"), "# Rules\n\nnever force-push\n").unwrap();
    let mut count = 0;
    let mut shown = |agent: &str| {
        count += 1;
        at_start(&user, agent, &start(&user, &format!("s{count}"))).contains("never force-push")
    };
    for (agent, expected) in [
        ("codex", false),
        ("qwen_code", false),
        ("copilot", false),
        ("claude_code", true),
        ("gemini_cli", true),
    ] {
        assert_eq!(shown(agent), expected, "{agent}");
    }
    fs::write(project.join("CLAUDE.md"), "# Mine\n").unwrap();
    assert!(shown("claude_code"), "not every version reads it");
    fs::write(project.join("CLAUDE.md"), "# Mine\n\n@AGENTS.md\n").unwrap();
    assert!(!shown("claude_code"), "CLAUDE.md imports it");
    with_config(&user, "guard: { unread: block }");
    user.configure(&format!(
        "{}guard: {{ unread: block }}\n",
        CONFIG.replace("path: managed.md", "path: AGENTS.md")
    ));
    reply(&user, "codex", &start(&user, "last"));
    let push = bash(&user, "last", "git push --force origin main");
    assert_eq!(reply(&user, "codex", &push), "", "it counts as read");
}

#[test]
fn a_context_stays_below_what_agents_take() {
    let user = user();
    with_config(&user, "hooks: { context_chars: 9000 }");
    let line = "- ünï 中文 🦀 words and words\n";
    for (text, name) in [(line.repeat(9), "short"), (line.repeat(3000), "long")] {
        fs::write(project(&user).join("managed.md"), text).unwrap();
        for (agent, length) in [
            ("claude_code", (|text: &str| text.encode_utf16().count()) as fn(&str) -> usize),
            ("codex", |text: &str| text.len()),
        ] {
            let said = reply(&user, agent, &start(&user, &format!("{name}-{agent}")));
            let said: Value = serde_json::from_str(&said).unwrap();
            let context = said["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
            assert!(length(context) <= 9000, "{agent} {name}: {}", length(context));
            let cut = context.contains("managed is cut: ") && context.contains(" read managed\n");
            assert_eq!(cut, name == "long", "{context}");
            assert!(name == "short" || length(context) > 8000, "{agent}: {}", length(context));
        }
    }
}

#[test]
fn recent_activity_is_shown() {
    let user = user();
    let logs = user.root().join(".config/agents/logs");
    fs::create_dir_all(&logs).unwrap();
    for day in ["2026-01-01", "2026-01-02", "2026-01-03"] {
        fs::write(logs.join(format!("{day}.md")), format!("did {day}\n")).unwrap();
    }
    fs::write(logs.join("notes.md"), "not a day\n").unwrap();
    let shown = reply(&user, "claude_code", &start(&user, "s1"));
    assert!(shown.contains("<recent-activity>\\n2026-01-03:\\ndid 2026-01-03"), "{shown}");
    assert!(shown.contains("did 2026-01-02"), "{shown}");
    assert!(!shown.contains("did 2026-01-01") && !shown.contains("not a day"));
}

// ---- asking ----

/// How an asking begins, and no other answer.
const ASKING: &str = "(last-word: if this session taught you something";

/// A prompt as each agent tells it.
fn prompt(user: &User, agent: &str, session: &str) -> Value {
    let name = if agent == "gemini_cli" { "BeforeAgent" } else { "UserPromptSubmit" };
    with(
        event(user, name, session),
        json!({ "prompt": "go on", "submitted_prompt": "go on", "prompt_id": "p" }),
    )
}

/// How many of so many prompts in a row bring an asking, and with which the first one comes.
fn asked_in(user: &User, agent: &str, session: &str, prompts: usize) -> (usize, Option<usize>) {
    let said: Vec<bool> =
        (0..prompts).map(|_| reply(user, agent, &prompt(user, agent, session)).contains(ASKING)).collect();
    (said.iter().filter(|asked| **asked).count(), said.iter().position(|asked| *asked).map(|at| at + 1))
}

const AT_PROMPTS: [&str; 5] = ["claude_code", "codex", "gemini_cli", "copilot", "qwen_code"];

#[test]
fn a_session_is_asked_seldom_and_beside_a_prompt() {
    for agent in AT_PROMPTS {
        let user = user();
        let (times, first) = asked_in(&user, agent, "s1", 60);
        assert_eq!((times, first), (3, Some(3)), "{agent}");
        let said = reply(&user, agent, &prompt(&user, agent, "s2"));
        assert!(!said.contains(ASKING), "{agent}: not at the first");
    }
    let user = user();
    asked_in(&user, "codex", "s1", 2);
    let said: Value = serde_json::from_str(&reply(&user, "codex", &prompt(&user, "codex", "s1"))).unwrap();
    let said = said["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains(" plan --to KB ") && said.contains("--agent codex --session s1"), "{said}");
    assert!(
        said.contains("KB one of user, managed.") && !said.contains("managed2"),
        "read-only is nobody's: {said}"
    );
}

/// Whatever an agent would do with it, a stop is no moment to speak: the answer stands on the screen, or on stdout.
#[test]
fn at_a_stop_nothing_is_said() {
    for agent in AT_PROMPTS {
        let user = user();
        let neutral = agents::find(agent).unwrap().neutral();
        asked_in(&user, agent, "s1", 2);
        let name = if agent == "gemini_cli" { "AfterAgent" } else { "Stop" };
        for again in [false, true] {
            let stopped = with(event(&user, name, "s1"), json!({ "stop_hook_active": again, "prompt": "x" }));
            assert_eq!(reply(&user, agent, &stopped), neutral, "{agent}");
        }
        let compact = if agent == "gemini_cli" { "PreCompress" } else { "PreCompact" };
        let compacting = with(event(&user, compact, "s1"), json!({ "trigger": "auto" }));
        assert_eq!(reply(&user, agent, &compacting), neutral, "{agent}");
    }
}

/// Cursor takes no text at a prompt: it is asked at a stop, after work in several minutes.
#[test]
fn who_takes_nothing_at_a_prompt_is_asked_after_work() {
    let user = user();
    let cursor = |name: &str| {
        json!({ "conversation_id": "c", "workspace_roots": [project(&user)], "hook_event_name": name,
            "status": "completed", "tool_name": "Shell", "tool_input": { "command": "ls" } })
    };
    reply(&user, "cursor", &cursor("sessionStart"));
    for _ in 0..9 {
        reply(&user, "cursor", &cursor("preToolUse"));
        assert_eq!(reply(&user, "cursor", &cursor("stop")), "{}", "all of it within a minute");
    }
    let log = user.home().join("sessions/cursor-c/log.jsonl");
    let heard = "{\"at\":\"2026-01-01T00:00:00.000Z\",\"what\":\"heard\"}\n".repeat(3);
    fs::write(&log, fs::read_to_string(&log).unwrap() + &heard).unwrap();
    assert!(reply(&user, "cursor", &cursor("stop")).contains("followup_message"));
    assert_eq!(reply(&user, "cursor", &cursor("stop")), "{}");
}

#[test]
fn who_declared_something_is_not_asked() {
    let user = user();
    asked_in(&user, "claude_code", "s1", 2);
    plan(&user, "s1", "- prefers tabs");
    assert_eq!(asked_in(&user, "claude_code", "s1", 9).0, 0);
    user.run(["flush", "--all"]).ok();
    assert_eq!(asked_in(&user, "claude_code", "s1", 2).0, 0, "nor when it was flushed since");
    let of_subagent = |session: &str| with(prompt(&user, "claude_code", session), json!({ "agent_id": "a" }));
    for _ in 0..4 {
        assert_eq!(reply(&user, "claude_code", &of_subagent("s2")), "", "nor a subagent");
    }
    for _ in 0..4 {
        let continued = json!({ "hook_event_name": "UserPromptSubmit", "session_id": "s3", "prompt_id": "p",
            "cwd": project(&user), "prompt": "the result of a tool" });
        assert_eq!(reply(&user, "qwen_code", &continued), "{}", "nor what no person typed");
    }
    with_config(&user, "hooks: { ask: false }");
    assert_eq!(asked_in(&user, "claude_code", "s4", 4).0, 0);
}

/// A hook below a program of that name, started with these arguments.
#[cfg(target_os = "linux")]
fn below(user: &User, agent: &str, program: &str, arguments: &[&str], payload: &Value) -> String {
    use std::os::unix::process::CommandExt;
    let hook = format!("'{}' hook --agent {agent}; true", crate::support::binary());
    let mut command = std::process::Command::new("/bin/sh");
    command.arg0(program).arg("-c").arg(hook).args(arguments).env_clear().env("HOME", user.root());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), payload.to_string().as_bytes()).unwrap();
    Said::of(child.wait_with_output().unwrap()).ok()
}

/// Who runs an agent without a person reads its answer: nothing of ours may change that. How each shows: the arguments with
/// which it was started, and what else it says.
#[cfg(target_os = "linux")]
#[test]
fn where_nobody_sits_nobody_is_asked() {
    for (agent, program, headless, attended) in [
        ("claude_code", "claude", &["--print"][..], &["--continue"][..]),
        ("codex", "codex", &["exec", "do it"], &["do it"]),
        ("gemini_cli", "gemini", &["-p", "do it"], &["-i", "do it"]),
        ("qwen_code", "qwen", &["--prompt=do it"], &["--prompt-interactive", "do it"]),
        ("copilot", "copilot", &["-p", "do it"], &["--resume"]),
    ] {
        for (arguments, expected) in [(headless, false), (attended, true)] {
            let user = user();
            asked_in(&user, agent, "s1", 2);
            let said = below(&user, agent, program, arguments, &prompt(&user, agent, "s1"));
            assert_eq!(said.contains(ASKING), expected, "{program} {arguments:?}: {said}");
        }
    }
    let user = user();
    asked_in(&user, "claude_code", "s1", 2);
    let mut command = user.command(["hook", "--agent", "claude_code"]);
    command.env("CLAUDE_CODE_ENTRYPOINT", "sdk-cli").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let payload = prompt(&user, "claude_code", "s1").to_string();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), payload.as_bytes()).unwrap();
    assert_eq!(Said::of(child.wait_with_output().unwrap()).ok(), "");
}

/// `qwen -p` tells no end: its stop is it.
#[cfg(target_os = "linux")]
#[test]
fn a_run_that_tells_no_end_ends_with_its_stop() {
    let user = user();
    reply(&user, "qwen_code", &start(&user, "s1"));
    let entry = ["plan", "--to", "user", "--heading", "A", "--op", "append", "--content", "- x"];
    user.run(entry.iter().chain(&["--agent", "qwen_code", "--session", "s1"])).ok();
    below(&user, "qwen_code", "qwen", &[], &stop(&user, "s1"));
    assert_eq!(user.counts()[0], 0, "on a terminal the session goes on");
    assert_eq!(below(&user, "qwen_code", "qwen", &["-p", "x"], &stop(&user, "s1")), "{}");
    assert_eq!(user.counts()[0], 1);
}

/// Copilot's subagents have sessions of their own, and no other end.
#[test]
fn a_subagents_stop_is_its_end() {
    let user = user();
    let entry = ["plan", "--to", "user", "--heading", "A", "--op", "append", "--content", "- x"];
    reply(&user, "copilot", &start(&user, "parent"));
    for session in ["parent", "child"] {
        user.run(entry.iter().chain(&["--agent", "copilot", "--session", session])).ok();
    }
    assert_eq!(reply(&user, "copilot", &stop(&user, "parent")), "{}");
    assert_eq!(user.counts()[0], 0);
    let ended = with(stop(&user, "child"), json!({ "agent_id": "a1", "agent_name": "explore" }));
    assert_eq!(reply(&user, "copilot", &ended), "{}");
    assert_eq!(user.counts()[0], 1);
}

/// Its commands carry an id that no hook is told: they are of nobody who could still say that it ends.
#[test]
fn what_a_subagent_declared_under_another_id_ends_with_it() {
    let user = user();
    reply(&user, "copilot", &start(&user, "parent"));
    reply(&user, "copilot", &start(&user, "another"));
    let elsewhere = user.root().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    let entry =
        ["plan", "--to", "user", "--heading", "A", "--op", "append", "--agent", "copilot", "--content"];
    for (session, dir) in [
        ("parent", project(&user)),
        ("another", project(&user)),
        ("unheard", project(&user)),
        ("far", elsewhere),
    ] {
        let text = format!("- {session}");
        let words = entry.iter().copied().chain([text.as_str(), "--session", session]);
        assert!(user.command(words).current_dir(dir).output().unwrap().status.success());
    }
    let ended = with(stop(&user, "child"), json!({ "agent_id": "a1", "agent_name": "explore" }));
    assert_eq!(reply(&user, "copilot", &ended), "{}");
    assert_eq!(user.counts()[0], 1, "the living ones and those of other directories wait");
    user.run(["work"]).ok();
    assert!(fs::read_to_string(user.root().join("USER.md")).unwrap().contains("- unheard"));
}

#[test]
fn what_cannot_be_written_down_is_not_asked() {
    let user = user();
    let session = user.home().join("sessions/codex-s1");
    fs::create_dir_all(session.join("log.jsonl")).unwrap();
    assert_eq!(asked_in(&user, "codex", "s1", 4).0, 0);
    assert!(journal(&user).contains("\"hook_failed\""), "{}", journal(&user));
}

#[test]
fn after_a_summary_it_is_asked_with_the_context() {
    let user = user();
    let first = reply(&user, "claude_code", &start(&user, "s1"));
    let compacted = with(start(&user, "s1"), json!({ "source": "compact" }));
    reply(&user, "claude_code", &prompt(&user, "claude_code", "s1"));
    let text = |said: &str| -> String {
        let said: Value = serde_json::from_str(said).unwrap();
        said["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
    };
    let again = text(&reply(&user, "claude_code", &compacted));
    let asked = again.strip_prefix(&text(&first)).unwrap();
    assert!(asked.starts_with(ASKING) && asked.lines().count() == 1, "{asked}");
    assert_eq!(asked_in(&user, "claude_code", "s1", 9).0, 0, "that was it for a while");
}

// ---- where the start is not heard ----

#[test]
fn what_was_lost_is_shown_again_at_the_next_prompt() {
    let user = user();
    let said = |agent: &str, event: &Value| reply(&user, agent, event).contains("likes tea");
    let gemini = |name: &str, fields: Value| with(event(&user, name, "g"), fields);
    for lost in [
        start(&user, "g"),
        gemini("PreCompress", json!({ "trigger": "manual" })),
        gemini("SessionStart", json!({ "source": "clear" })),
    ] {
        assert_eq!(reply(&user, "gemini_cli", &lost), "{}", "{lost}");
        assert!(said("gemini_cli", &prompt(&user, "gemini_cli", "g")), "{lost}");
        assert!(!said("gemini_cli", &prompt(&user, "gemini_cli", "g")), "once: {lost}");
    }
    let resumed = json!({ "source": "resume" });
    assert_eq!(
        reply(&user, "gemini_cli", &gemini("SessionStart", resumed.clone())),
        "{}",
        "it comes back with the prompts"
    );
    assert!(!said("gemini_cli", &prompt(&user, "gemini_cli", "g")));
    reply(&user, "gemini_cli", &start(&user, "h"));
    reply(&user, "gemini_cli", &with(start(&user, "h"), resumed));
    assert!(said("gemini_cli", &prompt(&user, "gemini_cli", "h")), "no prompt was there to come back with");
    reply(&user, "gemini_cli", &gemini("PreCompress", json!({ "trigger": "auto" })));
    assert!(
        !said("gemini_cli", &prompt(&user, "gemini_cli", "g")),
        "told at every turn, whether it happens or not"
    );
    assert!(said("copilot", &start(&user, "c")));
    reply(&user, "copilot", &with(event(&user, "PreCompact", "c"), json!({ "trigger": "manual" })));
    assert!(said("copilot", &prompt(&user, "copilot", "c")));
    assert!(!said("copilot", &prompt(&user, "copilot", "c")));
}

#[test]
fn what_is_still_there_is_not_shown_twice() {
    let user = user();
    let resumed = |session: &str| with(start(&user, session), json!({ "source": "resume" }));
    assert!(reply(&user, "codex", &start(&user, "s1")).contains("likes tea"));
    assert_eq!(reply(&user, "codex", &resumed("s1")), "");
    assert!(reply(&user, "codex", &resumed("s2")).contains("likes tea"), "a session that began without us");
}

// ---- the guard ----

#[test]
fn a_managed_document_is_not_written_by_hand() {
    let user = user();
    let write = |path: &str| {
        let tool = json!({ "tool_name": "Write", "tool_input": { "file_path": path, "content": "x" } });
        with(event(&user, "PreToolUse", "s1"), tool)
    };
    let home = user.root();
    fs::write(project(&user).join("managed.md"), "# M\n").unwrap();
    fs::create_dir(project(&user).join("sub")).unwrap();
    std::os::unix::fs::symlink(home.join("USER.md"), project(&user).join("alias.md")).unwrap();
    std::os::unix::fs::symlink(home, project(&user).join("up")).unwrap();
    fs::hard_link(home.join("USER.md"), project(&user).join("hard.md")).unwrap();
    for path in [
        home.join("USER.md"),
        home.join("myapp/./sub/../../USER.md"),
        home.join("gone/../USER.md"),
        project(&user).join("alias.md"),
        project(&user).join("up/USER.md"),
        project(&user).join("hard.md"),
        "../USER.md".into(),
        "~/USER.md".into(),
        "managed.md".into(),
        "up/myapp/managed.md".into(),
    ] {
        let said = reply(&user, "claude_code", &write(path.to_str().unwrap()));
        assert!(
            said.contains("\"permissionDecision\":\"deny\"") && said.contains(" plan --to "),
            "{path:?}: {said}"
        );
        assert!(said.contains("--agent claude_code --session s1"), "{said}");
    }
    for command in [
        "echo x >> up/USER.md",
        "tee ../USER.md < y",
        "sed -i s/a/b/ alias.md",
        "rm -rf up/myapp",
        "cd up && echo x > USER.md",
        "find up/ -name 'USER*' -delete",
    ] {
        assert!(reply(&user, "codex", &bash(&user, "s1", command)).contains("deny"), "{command}");
    }
    for command in ["cat ../USER.md", "echo x > other.md", "grep -n tea alias.md", "git status"] {
        assert_eq!(reply(&user, "codex", &bash(&user, "s1", command)), "", "{command}");
    }
    let read_only = reply(&user, "claude_code", &write("managed2.md"));
    assert!(read_only.contains("read-only") && !read_only.contains(" plan "), "{read_only}");
    let shell = json!({ "conversation_id": "c", "workspace_roots": [project(&user)], "hook_event_name": "preToolUse",
        "tool_name": "Shell", "tool_input": { "command": "echo x > ~/USER.md" } });
    assert!(reply(&user, "cursor", &shell).contains("\"permission\":\"deny\""));
}

/// What only the disk says: whether a directory that is copied has a file for a document's place, and what a family consists of.
#[test]
fn a_document_is_not_copied_over_nor_a_family_taken_away() {
    let user = user();
    let log = "  log: { path: \"logs/{date}.md\", root: home, title: Log }\n";
    user.configure(&CONFIG.replace("session_bootstrap", &format!("{log}session_bootstrap")));
    for dir in ["new", "plain", "logs", "logs/archive"] {
        fs::create_dir_all(user.root().join(dir)).unwrap();
    }
    for file in
        ["new/USER.md", "plain/a.md", "logs/2026-01-01.md", "logs/archive/2025-01-01.md", "myapp/managed.md"]
    {
        fs::write(user.root().join(file), "# x\n").unwrap();
    }
    let denied = |command: &str| reply(&user, "claude_code", &bash(&user, "s1", command)).contains("deny");
    for command in [
        "rsync -a ../new/ ..",
        "cp -r ../new/. ~",
        "cp ../new/* ~",
        "echo x > ../plain/USER.md; cp -r ../plain/. ..",
        "echo x >> ~/logs/$(date +%F).md",
        "echo x >> ~/logs/`date +%F`.md",
        "echo x > ~/logs/$DAY.md",
        "echo x > ~/logs/2026-02-02.md",
        "rm ~/logs/*",
        "mv ~/logs /tmp",
        "rm -rf ../logs",
        "echo x >> ~/logs/archive/2025-01-01.md",
        "sed -i s/old/new/ ../logs/archive/2025-01-01.md",
        "rm ~/logs/archive/2025-01-01.md",
        "rm ~/logs/archive/*",
        "rm ~/logs/a*/*.md",
        "sed -i s/a/b/ ~/logs/*/*.md",
        "cd ~/logs && rm */2025-01-0?.md",
        "tee ~/logs/[a]rchive/2025-01-01.md",
        "tee ~/log?/2026-01-01.md",
        "rm -rf ~/lo*/arch*",
        "mv ~/logs/archive/2025-01-01.md /tmp/x",
        "mv ~/logs/archive/2025-01-01.md ~/logs/",
        "rm -rf ~/logs/archive",
        "cd ~/logs && sed -i s/a/b/ archive/*.md",
        "D=$(dirname \"$0\"); echo x >> $D/managed.md",
    ] {
        assert!(denied(command), "{command}");
    }
    for command in [
        "rsync -a ../plain/ ..",
        "cp -r ../plain/. ~",
        "cp ../plain/* ~",
        "cp -r ../new/. /tmp/other",
        "cat ~/logs/$(date +%F).md > x.md",
        "cp ~/logs/*.md /tmp",
        "cp ~/logs/archive/*.md /tmp",
        "grep -r x ~/logs/archive",
        "echo x > ~/logs/archive/notes.md",
        "echo x > $OUT",
        "echo x > out/$(date +%F).md",
    ] {
        assert!(!denied(command), "{command}");
    }
}

#[test]
fn a_guard_that_warns_or_is_off() {
    let user = user();
    let write = bash(&user, "s1", "echo x > ~/USER.md");
    with_config(&user, "guard: { documents: warn }");
    let said = reply(&user, "claude_code", &write);
    assert!(said.contains("additionalContext") && !said.contains("deny"), "{said}");
    assert_eq!(
        reply(&user, "gemini_cli", &with(write.clone(), json!({ "hook_event_name": "BeforeTool" }))),
        "{}"
    );
    with_config(&user, "guard: { documents: off }");
    // In another session: this one would be told that the configuration was changed.
    assert_eq!(reply(&user, "claude_code", &with(write, json!({ "session_id": "s2" }))), "");
}

#[test]
fn what_is_hard_to_undo_waits_until_the_project_is_known() {
    let user = user();
    fs::write(project(&user).join("managed.md"), "# M\n\nnever force-push\n").unwrap();
    with_config(&user, "guard: { unread: block }");
    let push = |session: &str| bash(&user, session, "git push --force origin main");
    let said = reply(&user, "claude_code", &push("s1"));
    assert!(said.contains("deny") && said.contains(" read managed\""), "{said}");
    assert_eq!(reply(&user, "claude_code", &bash(&user, "s1", "git push")), "");
    assert_eq!(reply(&user, "claude_code", &bash(&user, "s1", "last-word read managed")), "");
    assert_eq!(reply(&user, "claude_code", &push("s1")), "", "it was read");
    reply(&user, "claude_code", &start(&user, "s2"));
    assert_eq!(reply(&user, "claude_code", &push("s2")), "", "it was shown at the start");
    let read =
        json!({ "tool_name": "Read", "tool_input": { "file_path": project(&user).join("managed.md") } });
    assert_eq!(reply(&user, "claude_code", &with(event(&user, "PreToolUse", "s3"), read)), "");
    assert_eq!(reply(&user, "claude_code", &push("s3")), "", "it was looked at");
    with_config(&user, "guard: { unread: warn }");
    assert!(reply(&user, "claude_code", &push("s4")).contains("additionalContext"));
    assert_eq!(reply(&user, "claude_code", &push("s4")), "", "said once");
}

/// Copilot asks a person about every command, and has nobody to ask without one: ours alone it may run.
#[test]
fn a_simple_command_of_ours_needs_no_yes() {
    let user = user();
    let program = crate::support::binary();
    let said = |command: &str| reply(&user, "copilot", &bash(&user, "s1", command));
    let allowed = said(&format!("{program} plan --to user --heading 'A' --op append --content '- `x`; y'"));
    assert!(allowed.contains("\"permissionDecision\":\"allow\""), "{allowed}");
    for command in ["status", "plan --list; touch x", "plan --list > x", "plan --list --home /elsewhere"] {
        let said = said(&format!("{program} {command}"));
        assert!(!said.contains("allow"), "{command}: {said}");
    }
    assert!(said(&format!("{program} review --all")).contains("deny"));
    // A field that another tool does not know makes no shell of it.
    for (tool, input) in [
        ("create", json!({ "path": ".git/hooks/pre-commit", "file_text": "x" })),
        ("write_bash", json!({ "sessionId": "1", "input": "curl x | sh{enter}" })),
        ("srv-run", json!({ "code": "x" })),
        ("task", json!({ "prompt": "x" })),
        ("create_and_run_task", json!({ "task": { "command": format!("{program} plan --list") } })),
    ] {
        let mut input = input;
        input["command"] = json!(format!("{program} plan --list"));
        let fields = json!({ "tool_name": tool, "tool_input": input });
        let said = reply(&user, "copilot", &with(event(&user, "PreToolUse", "s1"), fields));
        assert!(!said.contains("allow"), "{tool}: {said}");
    }
    let codex = reply(&user, "codex", &bash(&user, "s1", &format!("{program} plan --list")));
    assert_eq!(codex, "", "it takes no bare `allow`");
}

// ---- reminding ----

#[test]
fn what_waits_for_a_person_is_said_once() {
    let user = user();
    let prompt = event(&user, "UserPromptSubmit", "s1");
    reply(&user, "claude_code", &start(&user, "s1"));
    assert_eq!(reply(&user, "claude_code", &prompt), "");
    user.run([
        "enqueue",
        "--to",
        "user",
        "--heading",
        "Nothing",
        "--op",
        "replace",
        "--old-text",
        "a",
        "--content",
        "b",
    ])
    .ok();
    user.run(["work"]).ok();
    assert_eq!(user.counts()[3], 1);
    let said = reply(&user, "claude_code", &prompt);
    assert!(said.contains("1 declared change failed (last-word resolve)"), "{said}");
    assert!(!reply(&user, "claude_code", &prompt).contains("declared change failed"));
    assert!(reply(&user, "claude_code", &start(&user, "s2")).contains("1 declared change failed"));
    assert_eq!(
        reply(&user, "claude_code", &with(prompt, json!({ "session_id": "s2" }))),
        "",
        "said at its start"
    );
}

// ---- at the end ----

#[test]
fn a_session_ends_once() {
    let user = user();
    reply(&user, "claude_code", &start(&user, "s1"));
    plan(&user, "s1", "- one");
    plan(&user, "s1", "- two");
    let end = with(event(&user, "SessionEnd", "s1"), json!({ "reason": "prompt_input_exit" }));
    assert_eq!(reply(&user, "claude_code", &end), "");
    assert_eq!(user.counts(), [2, 0, 0, 0, 0, 0]);
    assert_eq!(reply(&user, "claude_code", &end), "");
    assert_eq!(user.counts(), [2, 0, 0, 0, 0, 0]);
    let ended = fs::read_to_string(user.home().join("sessions/ended.jsonl")).unwrap();
    assert_eq!(ended.lines().count(), 1, "{ended}");
    let ended: Value = serde_json::from_str(&ended).unwrap();
    assert_eq!((&ended["reason"], &ended["declared"]), (&"prompt_input_exit".into(), &2.into()));
    user.run(["work"]).ok();
    assert!(
        fs::read_to_string(user.root().join("USER.md")).unwrap().ends_with("- likes tea\n- one\n- two\n")
    );
    // Resumed, it may declare and end again.
    reply(&user, "claude_code", &with(start(&user, "s1"), json!({ "source": "resume" })));
    plan(&user, "s1", "- three");
    assert_eq!(reply(&user, "claude_code", &end), "");
    assert_eq!(user.counts()[0], 1);
}

#[test]
fn a_worker_of_its_own_is_started_where_that_is_wished() {
    let user = user();
    with_config(&user, "hooks: { drain: true }");
    reply(&user, "claude_code", &start(&user, "s1"));
    plan(&user, "s1", "- one");
    reply(&user, "claude_code", &event(&user, "SessionEnd", "s1"));
    // It takes the run's lock, or has been and gone; ours comes after it. Whoever of the two it was, it is merged.
    let given_up = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !fs::read_to_string(user.root().join("USER.md")).unwrap().contains("- one") {
        assert!(std::time::Instant::now() < given_up, "{}", journal(&user));
        std::thread::yield_now();
    }
}

// ---- two who call for one ----

#[test]
fn two_agents_that_read_one_configuration_have_one_effect() {
    let user = user();
    assert!(reply(&user, "claude_code", &start(&user, "s1")).contains("likes tea"));
    let cursor = json!({ "conversation_id": "s1", "workspace_roots": [project(&user)], "hook_event_name": "sessionStart" });
    assert_eq!(reply(&user, "cursor", &cursor), "{}");
    let stopped = with(cursor, json!({ "hook_event_name": "stop", "status": "completed" }));
    assert_eq!(reply(&user, "cursor", &stopped), "{}");
    assert_eq!(asked_in(&user, "claude_code", "s1", 3).0, 1);
}

#[test]
fn fired_at_the_same_moment_one_asks() {
    let user = user();
    let payload = prompt(&user, "codex", "s1").to_string();
    let said: Vec<String> = std::thread::scope(|scope| {
        let fired: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| user.run_with(["hook", "--agent", "codex"], payload.as_bytes())))
            .collect();
        fired.into_iter().map(|one| one.join().unwrap().ok()).collect()
    });
    assert_eq!(said.iter().filter(|said| said.contains(ASKING)).count(), 1, "{said:?}");
}

// ---- what can go wrong ----

#[test]
fn hostile_input_is_answered_with_nothing() {
    let user = user();
    let long =
        format!(r#"{{"session_id":"s","hook_event_name":"SessionStart","x":"{}"}}"#, "y".repeat(10 << 20));
    let deep = "[".repeat(100_000);
    let huge = vec![b' '; 40 << 20];
    for bytes in [
        &b""[..],
        b"x",
        b"{",
        b"null",
        b"[]",
        b"{}",
        b"\xff\xfe{\x00",
        br#"{"session_id":7,"hook_event_name":[]}"#,
        br#"{"session_id":"../../etc/passwd","hook_event_name":"SessionEnd"}"#,
        deep.as_bytes(),
        &huge,
    ] {
        for (agent, neutral) in [("claude_code", ""), ("gemini_cli", "{}")] {
            let said = user.run_with(["hook", "--agent", agent], bytes);
            let head = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]).into_owned();
            assert_eq!(
                (said.code, said.stdout.as_str(), said.stderr.as_str()),
                (Some(0), neutral, ""),
                "{head}"
            );
        }
    }
    assert_eq!(user.files("sessions"), Vec::<String>::new());
    let said = user.run_with(["hook", "--agent", "codex"], long.as_bytes());
    assert!(said.ok().contains("additionalContext"), "ten megabytes are an event like any other");
    let bom = format!("\u{feff}{}", start(&user, "bom"));
    assert!(user.run_with(["hook", "--agent", "codex"], bom.as_bytes()).ok().contains("likes tea"));
    let mut latin = start(&user, "latin").to_string().into_bytes();
    let at = latin.iter().position(|byte| *byte == b'{').unwrap() + 1;
    latin.splice(at..at, br#""note":"caf"#.iter().copied().chain([0xe9]).chain(*b"\","));
    assert!(
        user.run_with(["hook", "--agent", "codex"], &latin).ok().contains("likes tea"),
        "not UTF-8, and readable"
    );
}

#[test]
fn standard_input_that_never_closes() {
    use std::io::Write;
    let user = user();
    for (written, expected) in
        [(start(&user, "s1").to_string(), true), ("{\"session_id\":".to_owned(), false)]
    {
        let mut command = user.command(["hook", "--agent", "codex"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(written.as_bytes()).unwrap();
        stdin.flush().unwrap();
        let said = Said::of(child.wait_with_output().unwrap());
        drop(stdin);
        assert_eq!((said.code, said.stdout.contains("likes tea")), (Some(0), expected));
    }
    assert!(journal(&user).contains("no complete event within 900 ms"));
}

#[test]
fn a_command_line_nobody_can_read_stops_no_agent() {
    let user = user();
    for args in [
        &["hook"][..],
        &["hook", "--agent", "nobody"],
        &["hook", "--agnet", "codex"],
        &["hook", "--agent", "codex", "--new"],
    ] {
        let said = user.run_with(args, b"{}");
        assert_eq!((said.code, said.stdout.as_str(), said.stderr.as_str()), (Some(0), "{}", ""), "{args:?}");
    }
    // Only there: whoever mistypes another command must hear of it.
    user.run_with(["enqueue", "--to", "user", "--heading", "hook", "--contnt", "x"], b"")
        .fails(2, "--content");
}

#[test]
fn our_own_failures_stop_no_agent() {
    let fresh = User::bare();
    fs::create_dir_all(fresh.root().join("myapp")).unwrap();
    assert_eq!(reply(&fresh, "codex", &start(&fresh, "s1")), "", "no home");
    let user = user();
    user.configure("version: 1\nknowledge_bases: [\n");
    plan_nothing(&user);
    let said = reply(&user, "codex", &start(&user, "s1"));
    assert!(said.contains("cannot use its configuration"), "a configuration that cannot be read: {said}");
    assert!(
        journal(&user).contains("\"by\":\"codex\"") && journal(&user).contains("config.yaml"),
        "{}",
        journal(&user)
    );
    user.configure(CONFIG);
    fs::remove_dir_all(user.home().join("staging/failed")).unwrap();
    assert_eq!(reply(&user, "codex", &start(&user, "s1")), "", "a home with a part missing");
    let mut command = user.command(["hook", "--agent", "codex"]);
    let said = Said::of(command.env_remove("HOME").output().unwrap());
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), ""));
}

fn plan_nothing(user: &User) {
    user.run(["plan", "--to", "user", "--heading", "A", "--content", "b", "--session", "s1"])
        .fails(1, "validate");
}

#[test]
fn what_was_planned_becomes_jobs_also_under_a_bad_configuration() {
    let user = user();
    plan(&user, "s1", "- one");
    user.configure("version: 1\nknowledge_bases: [\n");
    assert_eq!(reply(&user, "claude_code", &event(&user, "SessionEnd", "s1")), "");
    assert_eq!(user.counts()[0], 1);
}

#[test]
fn switched_off() {
    let user = user();
    let says = |user: &User, session: &str| !reply(user, "codex", &start(user, session)).is_empty();
    assert!(says(&user, "s0"));
    for file in [user.home().join("disabled"), project(&user).join(".agents/disabled")] {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "").unwrap();
        assert!(!says(&user, "s1"), "{file:?}");
        let status = Said::of(user.command(["status"]).current_dir(project(&user)).output().unwrap()).ok();
        assert!(status.contains("hooks are switched off"), "{status}");
        fs::remove_file(file).unwrap();
    }
    with_config(&user, "enabled: false");
    assert!(!says(&user, "s1"));
    assert_eq!(user.json(["status"])["hooks"], "off");
    user.configure(CONFIG);
    let mut command = user.command(["hook", "--agent", "codex"]);
    command.env("LAST_WORD_DISABLE", "1").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let event = start(&user, "s1").to_string();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), event.as_bytes()).unwrap();
    assert_eq!(Said::of(child.wait_with_output().unwrap()).ok(), "");
    let mut command = user.command(["status"]);
    let status = Said::of(command.env("LAST_WORD_DISABLE", "1").output().unwrap()).ok();
    assert!(status.contains("switched off here but for the guard"), "{status}");
    assert!(says(&user, "s1"));
}

/// A session whose id has a token in it is known by another one, in every file; it is shown its context, and what it declares by the
/// id that it was told is merged at its end.
#[test]
fn a_secret_in_the_id_of_a_session_is_kept_nowhere() {
    let user = user();
    let token = format!("ghp_{}", "k7Qd92LmXw4Rt8Bv1NcY5hZp3GfJs6TaUe0D");
    let said = reply(&user, "codex", &start(&user, &token));
    assert!(said.contains("likes tea"), "{said}");
    let prompt = with(event(&user, "UserPromptSubmit", &token), json!({ "prompt": "hello" }));
    reply(&user, "codex", &prompt);
    let dirs = fs::read_dir(user.home().join("sessions")).unwrap();
    let dirs: Vec<_> = dirs.map(|dir| dir.unwrap().file_name().into_string().unwrap()).collect();
    let id = dirs.iter().find_map(|dir| dir.strip_prefix("codex-")).unwrap().to_owned();
    assert!(id.starts_with("hidden-"), "{id}");
    let entry =
        ["plan", "--to", "user", "--heading", "Preferences", "--op", "append", "--content", "- likes rain"];
    user.run(entry.iter().copied().chain(["--agent", "codex", "--session", &id])).ok();
    reply(&user, "codex", &with(event(&user, "SessionEnd", &token), json!({ "reason": token })));
    user.run(["work"]).ok();
    assert!(fs::read_to_string(user.root().join("USER.md")).unwrap().contains("likes rain"));
    for (path, bytes) in user.tree() {
        assert!(!String::from_utf8_lossy(&bytes).contains(&token), "{}", path.display());
        assert!(!path.to_string_lossy().contains(&token), "{}", path.display());
    }
}

// ---- killed half-way ----

#[cfg(feature = "crash-points")]
mod killed {
    use super::*;
    use std::io::Write;

    fn fire(user: &User, payload: &Value, order: &str) -> std::process::ExitStatus {
        let mut command = user.command(["hook", "--agent", "claude_code"]);
        command
            .env("LAST_WORD_TROUBLE", order)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let _ = child.stdin.take().unwrap().write_all(payload.to_string().as_bytes());
        child.wait().unwrap()
    }

    fn prepared() -> User {
        let user = user();
        reply(&user, "claude_code", &start(&user, "s1"));
        for line in ["- one", "- two", "- three"] {
            plan(&user, "s1", line);
        }
        user
    }

    /// Killed at every change of the disk, the end of a session loses nothing and does nothing twice: the next worker, or
    /// the same hook again, goes on.
    #[test]
    fn at_the_end_of_a_session() {
        let user = prepared();
        let end = |user: &User| with(event(user, "SessionEnd", "s1"), json!({ "reason": "other" }));
        let trace = user.root().join("trace");
        assert!(fire(&user, &end(&user), &format!("trace={}", trace.display())).success());
        let lines = fs::read_to_string(trace).unwrap();
        let steps = lines.lines().filter(|line| line.starts_with("step ")).count();
        assert!(steps > 6 && lines.contains("point flush.durable"), "{lines}");
        for step in 1..=steps {
            for hook_again in [true, false] {
                let user = prepared();
                assert!(!fire(&user, &end(&user), &format!("step={step}")).success());
                if hook_again {
                    reply(&user, "claude_code", &end(&user));
                } else {
                    let log = user.home().join("sessions/claude_code-s1/log.jsonl");
                    let mut said = fs::read(&log).unwrap();
                    said.extend(b"{\"at\":\"2026-01-01T00:00:00.000Z\",\"what\":\"ended\"}\n");
                    fs::write(log, said).unwrap();
                }
                user.run(["work"]).ok();
                let text = fs::read_to_string(user.root().join("USER.md")).unwrap();
                assert!(text.ends_with("- likes tea\n- one\n- two\n- three\n"), "step {step}: {text}");
                assert_eq!(user.counts(), [0, 0, 0, 0, 0, 3], "step {step}");
            }
        }
    }

    /// The disk fails at every change: the agent hears nothing of it.
    #[test]
    fn a_disk_that_fails_stops_no_agent() {
        let prompted = |user: &User, session: &str| prompt(user, "claude_code", session);
        for payload in [start as fn(&User, &str) -> Value, prompted] {
            for step in 1..=12 {
                let user = user();
                let payload = payload(&user, "s1");
                assert!(fire(&user, &payload, &format!("fail-from={step}:28")).success(), "{payload} {step}");
            }
        }
    }
}
