"""The server of tools that `install --mcp` lists, called by real clients: remember, outcome, recall, and the document. Then one home
for all of them: each is told "remember that ...", which another finds; and where the policy says so a person is asked."""

import json
import os
import pathlib
import pty
import re
import select
import signal
import time

import model
from trial import main_requests

# How each calls a server's tool, and what it is told so that it calls one without a person.
CALLS = {
    "claude_code": ("mcp__last-word__", ["claude", "-p", "--allowedTools", "mcp__last-word", "--"]),
    "codex": ("mcp__last_word::", ["codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]),
    "gemini_cli": ("mcp_last-word_", ["gemini", "--skip-trust", "--yolo", "-m", "gemini-2.5-flash", "-p"]),
    "qwen_code": ("mcp__last-word__", ["qwen", "--auth-type", "openai", "--approval-mode", "yolo", "-p"]),
}
SETTINGS = {"claude_code": ".claude.json", "codex": ".codex/config.toml", "gemini_cli": ".gemini/settings.json",
            "qwen_code": ".qwen/settings.json"}
FACT = "Prefers the blue kettle"
# What each is told in the home that they share: a fact, and how the agent is to be, which waits for the person by the usual policy.
SAID = {
    "claude_code": ("Kim deploys on Fridays", "Answers Kim in haiku"),
    "codex": ("Kim backs up to the grey box", "Answers Kim in proverbs"),
    "gemini_cli": ("Kim reads the news on paper", "Answers Kim in limericks"),
    "qwen_code": ("Kim waters the fern on Mondays", "Answers Kim in riddles"),
}
REASON = "the person said: remember that"


def run(trial, recordings):
    """One sentence is said by tool, is in the document with who said it, and comes out again as it was."""
    trial.mode = "tools"
    wire(trial, recordings)
    prefix, start = CALLS[trial.agent.name]
    said = {"entries": [{"text": FACT, "kind": "O", "reason": "the person said so"}]}
    prompt = [order(prefix, "remember", said), order(prefix, "outcome", {}), order(prefix, "recall", {"query": "blue kettle"})]
    out, heard = ask(trial, start, " ".join(prompt))
    trial.check("remember", "its model was told `durable`, `queued` and the hit", model.DONE in out and all(
        word in heard for word in ("durable", "queued", "not in the document yet")), (trial.said, heard[-1500:]))
    trial.last_word("work")
    memory = trial.home / ".config/agents/MEMORY.md"
    text = memory.read_text() if memory.exists() else ""
    trial.check("document", "it is in the document with who said it", re.search(rf"- \[O\] {FACT} <!-- lw .* by=agent s=[\w.-]+@[\w.-]+/", text), text)
    _, heard = ask(trial, start, order(prefix, "recall", {"query": "blue kettle"}))
    trial.check("found", "another session finds it in the document", "MEMORY.md" in heard and "not in the document yet" not in heard, heard[-1500:])
    if recordings:
        pathlib.Path(recordings).mkdir(exist_ok=True)
        frames = (trial.home / "frames").read_text().replace(str(trial.home), "/home/dev")
        pathlib.Path(recordings, f"{trial.agent.name}.jsonl").write_text(frames)


def wire(trial, recordings="", init=("init",)):
    trial.prepare()
    if not trial.state().exists():
        trial.last_word(*init)
    trial.last_word("install", trial.agent.name, "--mcp", "--yes")
    trial.prepare()
    if recordings:
        # The client starts a program between, which writes down every frame.
        path = trial.home / SETTINGS[trial.agent.name]
        between = trial.home / "between"
        between.write_text(f"#!/bin/sh\nexec python3 '{pathlib.Path(__file__).with_name('between.py')}' '{trial.binary}' '{trial.home / 'frames'}'\n")
        between.chmod(0o755)
        path.write_text(path.read_text().replace(trial.binary, str(between)))


def order(prefix, name, arguments):
    return f"TOOL<<{prefix}{name} {json.dumps(arguments)}>>"


def ask(trial, start, prompt):
    out, requests = trial.ask(prompt, words=start)
    return out, json.dumps(main_requests(requests)[-1]["request"]) if requests else ""


def together(trials):
    """`trials` share one home. Each is told two things; the next one is asked for them."""
    for trial in trials:
        trial.mode = "tools"
        wire(trial, init=("init", "--memory"))
    for trial, other in zip(trials, [*trials[1:], trials[0]]):
        trial.trying("remember", lambda trial: told(trial, other))


def told(trial, other):
    prefix, start = CALLS[trial.agent.name]
    fact, manner = SAID[trial.agent.name]
    orders = [order(prefix, "remember", {"entries": [{"text": fact, "kind": "W", "reason": REASON}]}),
              order(prefix, "remember", {"entries": [{"text": manner, "to": "soul", "reason": REASON}]}),
              order(prefix, "outcome", {})]
    _, heard = ask(trial, start, f"Remember that {fact}, and that you are one who {manner}. {' '.join(orders)}")
    trial.check("remember", "its model was told `durable`, and `queued` by `outcome`", "durable" in heard and "queued" in heard,
                (trial.said, heard[-1500:]))
    trial.check("asked", "where the policy is `review` it was told `waits`, with the command for the person",
                "waits" in heard and "last-word review" in heard, heard[-1500:])
    ids = [job["id"] for job in json.loads(trial.last_word("list", "--json"))]
    trial.last_word("work")
    screen = answer(trial, [trial.binary, "review"], ["y"])
    trial.last_word("work")
    trial.check("asked", "the person is shown it on a terminal and says yes", manner in screen and "approved" in screen, screen[-1500:])
    documented(trial, fact)
    # By one word of each: the whole sentence can only come from the answer.
    prefix, start = CALLS[other.agent.name]
    orders = [order(prefix, "recall", {"query": fact.split()[-1]}), order(prefix, "recall", {"query": manner.split()[-1]}),
              order(prefix, "outcome", {"ids": ids})]
    _, heard = ask(other, start, f"What do you know of it? {' '.join(orders)}")
    trial.check("found", f"a session of {other.agent.name} finds it in the document", fact in heard and "not in the document yet" not in heard,
                (other.said, heard[-1500:]))
    trial.check("asked", f"it is in the document then, and `outcome` says `applied` to a session of {other.agent.name}",
                manner in heard and len(ids) == 2 and heard.count("applied") >= 2, (ids, heard[-2500:]))


def documented(trial, fact):
    """The line itself says who and when, and `item show` why."""
    documents = (trial.home / ".config/agents").glob("**/*.md")
    lines = [line for path in documents for line in path.read_text().splitlines() if fact in line]
    found = re.search(r"<!-- lw (\S+) .*by=agent s=([\w.-]+@[\w.-]+)/[^>]* --> \^(\w+)", lines[0]) if len(lines) == 1 else None
    why = trial.last_word("item", "show", found.group(3), check=False) if found else ""
    trial.check("document", "one line of a document says who and when, and `item show` why", REASON in why, (lines, why))


DIGITS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


def answer(trial, words, answers, limit_s=40):
    """Runs a command on a terminal as a person: what it wrote. Answers in turn, where it stops to ask; a number that is asked for in
    words is given in digits."""
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(trial.project)
        os.execvpe(words[0], words, {"HOME": str(trial.home), "PATH": "/usr/bin:/bin", "TERM": "dumb", "LANG": "C.UTF-8"})
    said, end, answered = "", time.time() + limit_s, 0
    while time.time() < end:
        ready, _, _ = select.select([fd], [], [], 2)
        if ready:
            try:
                data = os.read(fd, 65536)
            except OSError:
                break
            if not data:
                break
            said += data.decode("utf-8", "replace")
        elif len(said) > answered:
            number = re.search(r"and Enter:\s+([a-z ]+)", said[answered:])
            answered = len(said)
            digits = number and "".join(str(DIGITS.index(word)) for word in number.group(1).split() if word in DIGITS)
            os.write(fd, f"{digits or (answers.pop(0) if answers else 'q')}\n".encode())
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    os.waitpid(pid, 0)
    return said
