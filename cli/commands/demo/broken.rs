//! `demo --broken`: a home in trouble, to practise on. Three hundred failures of five kinds, two documents into which
//! nothing is merged, one proposal; all of it is made by the ordinary commands.

use super::{Stage, cannot_start};
use crate::failure::{self, Failure};
use durable::Disk;
use markdown_merge::hash;
use operator::Actor;
use queue_layout::HeldThing;
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

/// Its documents: knowledge base, file, text.
const DOCUMENTS: [(&str, &str, &str); 6] = [
    (
        "team",
        "team.md",
        "# Team\n\n## Decisions\n\n- we write Rust\n\n## People\n\n- Ada leads\n\n## Decisions\n\n- we meet on Mondays\n",
    ),
    ("runbook", "runbook.md", "# Runbook\n\n## Restart\n\n1. stop the worker\n2. start the worker\n"),
    ("user", "USER.md", "# User\n\n## Interests\n\n- durable queues\n- 中文笔记\n"),
    ("project", "AGENTS.md", "# Project\n\n## Build\n\n- cargo build\n- cargo test\n"),
    ("rewrite", "rewrite.md", "# Being rewritten\n\n## Draft\n\nhalf a page\n"),
    ("voice", "VOICE.md", "# Voice\n\n## Tone\n\nplain and short\n"),
];

pub const CONFIG: &str = "# A home in trouble.
version: 1
knowledge_bases:
  team: { path: ~/documents/team.md }
  runbook: { path: ~/documents/runbook.md, create: false }
  user: { path: ~/documents/USER.md, budget_chars: 80 }
  project: { path: ~/documents/AGENTS.md }
  rewrite: { path: ~/documents/rewrite.md }
  voice: { path: ~/documents/VOICE.md, policy: review }
  shared: { path: ~/documents/shared/notes.md }
session_bootstrap: [user, project]
retry: { retries: 3, base: 30m, cap: 2h }
";

/// A little longer than a file in an inbox must be unchanged before it is taken in.
const INBOX_REST: Duration = Duration::from_millis(2200);

pub fn run(stage: &Stage<'_>) -> Result<(), Failure> {
    stage.say(
        &format!("breaking a home of its own: {} …", stage.shown),
        &format!("正在弄坏它自己的一个主目录：{} …", stage.shown),
    )?;
    for (_, file, text) in DOCUMENTS {
        stage.write(&format!("documents/{file}"), text)?;
    }
    // A file stands where a directory should be: the document below it cannot be reached.
    stage.write("documents/shared", "somebody's backup\n")?;
    conflicts(stage)?;
    let many =
        |kb: &str, heading: &str, op: &str, count: usize, line: &dyn Fn(usize) -> String| -> Vec<Value> {
            (0..count).map(|n| entry(kb, heading, op, &line(n))).collect()
        };
    enqueue(stage, "claude-code", many("team", "Decisions", "append", 120, &|n| format!("- decision {n}")))?;
    enqueue(stage, "codex", many("runbook", "Restrat", "append", 60, &|n| format!("{}. wait {n} s", n + 3)))?;
    let interest = |n| format!("- interest number {n}, told at length so that it does not fit");
    enqueue(stage, "gemini-cli", many("user", "Interests", "append", 60, &interest))?;
    hold(stage)?;
    enqueue(stage, "claude-code", many("rewrite", "Draft", "append", 5, &|n| format!("Sentence {n}.")))?;
    enqueue(stage, "codex", many("shared", "Notes", "append", 4, &|n| format!("- note {n}")))?;
    enqueue(stage, "claude-code", vec![entry("voice", "Tone", "update", "plain, short and kind")])?;
    for n in 0..20 {
        // A string without its closing quote, as a hook leaves it that was killed while it wrote.
        stage.write(
            &format!("home/torn-{n}.md.yaml"),
            &format!("version: \"1.0.0\"\nentries:\n  - key: {{ kb: user, heading: \"Torn {n}\n"),
        )?;
    }
    std::thread::sleep(INBOX_REST);
    stage.quietly(&["work", "--wait-retries", "0"])?;
    let program = engine::quoted(&engine::quoted(&stage.program.display().to_string()));
    let home = engine::quoted(&stage.home().display().to_string());
    let english = format!(
        "done. It is two in the morning, and somebody calls:\n\n  \
         alias last-word={program}\n  export LAST_WORD_HOME={home}\n  last-word status\n\n\
         Every declaration in it is to end in a document, or by your decision. `last-word --help` is all you need."
    );
    let chinese = format!(
        "好了。凌晨两点，有人打来电话：\n\n  \
         alias last-word={program}\n  export LAST_WORD_HOME={home}\n  last-word status\n\n\
         其中每条声明都要落到文档里，或由您决定结束。您需要的都在 `last-word --help` 里。"
    );
    stage.say(&english, &chinese)
}

/// Holds a document of the demo's own home. It does not use the command, which asks for a person at a terminal: the demo's
/// home belongs to nobody.
fn hold(stage: &Stage<'_>) -> Result<(), Failure> {
    let disk = &stage.world.disk;
    let path = disk.canonical(&stage.dir.join("documents/rewrite.md"))?;
    let reason = Some("I am rewriting it".to_owned());
    let who = Actor { name: stage.world.person(), channel: "demo".to_owned(), reason };
    stage.own().hold(HeldThing::Document(path), &who)?;
    Ok(())
}

/// Forty jobs whose author saw a section that was changed since then, in the same lines.
fn conflicts(stage: &Stage<'_>) -> Result<(), Failure> {
    let seen = hash("## Build\n\n- cargo build\n- cargo test");
    enqueue(
        stage,
        "codex",
        vec![entry("project", "Build", "update", "- cargo build --release\n- cargo test --workspace")],
    )?;
    stage.quietly(&["work"])?;
    let late = |n: usize| {
        let mut entry = entry("project", "Build", "update", &format!("- make -j{}\n- make test", n + 1));
        if let Some(fields) = entry.as_object_mut() {
            fields.insert("base".to_owned(), json!(seen));
        }
        entry
    };
    enqueue(stage, "claude-code", (0..40).map(late).collect())
}

fn entry(kb: &str, heading: &str, operation: &str, content: &str) -> Value {
    json!({ "key": { "kb": kb, "heading": heading }, "operation": operation, "content": content })
}

/// Each entry in a declaration of its own, all of them through one `enqueue`.
fn enqueue(stage: &Stage<'_>, agent: &str, entries: Vec<Value>) -> Result<(), Failure> {
    let session = format!("{agent}-0142");
    let mut command = stage.command(&["enqueue", "-", "--agent", agent, "--session", &session]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().map_err(cannot_start)?;
    let lines: Vec<String> = entries
        .into_iter()
        .map(|entry| json!({ "version": "1.0.0", "entries": [entry] }).to_string())
        .collect();
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(lines.join("\n").as_bytes()).map_err(failure::unwritable)?;
    }
    let status = child.wait().map_err(cannot_start)?;
    if status.success() { Ok(()) } else { Err(Failure::new(format!("an enqueue ended with {status}"))) }
}
