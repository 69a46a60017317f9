"""The server of tools that `install --mcp` lists, called by real clients: remember, outcome, recall, and the document. Then one home
for all of them: what one was told, another finds, and where the policy says so a person is asked."""

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
# What each is told in the home that they share.
SAID = {"claude_code": "Deploys on Fridays", "codex": "Backs up to the grey box", "gemini_cli": "Reads the news on paper",
        "qwen_code": "Waters the fern on Mondays"}


def run(trial, recordings):
    """One sentence is said by tool, is in the document with who said it, and comes out again as it was."""
    trial.mode = "tools"
    wire(trial, recordings)
    prefix, start = CALLS[trial.agent.name]
    said = {"entries": [{"text": FACT, "kind": "O", "reason": "the person said so"}]}
    prompt = [order(prefix, "remember", said), order(prefix, "outcome", {}), order(prefix, "recall", {"query": "blue kettle"})]
    out, heard = ask(trial, start, " ".join(prompt))
    trial.check("m", "its model was told `durable`, `queued` and the hit", model.DONE in out and all(
        word in heard for word in ("durable", "queued", "not in the document yet")), (trial.said, heard[-1500:]))
    trial.last_word("work")
    memory = trial.home / ".config/agents/MEMORY.md"
    text = memory.read_text() if memory.exists() else ""
    trial.check("m", "it is in the document with who said it", re.search(rf"- \[O\] {FACT} <!-- lw .* by=agent s=[\w.-]+@[\w.-]+/", text), text)
    _, heard = ask(trial, start, order(prefix, "recall", {"query": "blue kettle"}))
    trial.check("m", "another session finds it in the document", "MEMORY.md" in heard and "not in the document yet" not in heard, heard[-1500:])
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
    """`trials` share one home."""
    for trial in trials:
        trial.mode = "together"
        wire(trial, init=("init", "--memory"))
        prefix, start = CALLS[trial.agent.name]
        said = {"entries": [{"text": SAID[trial.agent.name], "kind": "W", "reason": "the person said: remember that"}]}
        _, heard = ask(trial, start, order(prefix, "remember", said))
        trial.check("w", "what it was told is durable", "durable" in heard, (trial.said, heard[-800:]))
    home = trials[0]
    home.last_word("work")
    text = "".join(path.read_text() for path in (home.home / ".config/agents").glob("*.md"))
    text += "".join(path.read_text() for path in (home.home / ".config/agents").glob("*/*.md"))
    for trial, after in zip(trials, [*trials[1:], trials[0]]):
        said = SAID[trial.agent.name]
        line = next((line for line in text.splitlines() if said in line), "")
        trial.check("w", "it is in a document with who, when and why", re.search(r"<!-- lw \S+ .*by=agent s=[\w.-]+@", line), line or text)
        prefix, start = CALLS[after.agent.name]
        # By one word of it: the whole sentence can only come from the answer.
        _, heard = ask(after, start, order(prefix, "recall", {"query": said.split()[-1]}))
        after.check("w", f"it finds what {trial.agent.name} was told", said in heard, heard[-800:])
    asked_first(home)


def asked_first(trial):
    """Where the policy is `review`, the model is told that it waits, and a person on a terminal decides."""
    config = trial.state() / "config.yaml"
    text = config.read_text() if config.exists() else "version: 1\n"
    config.write_text(re.sub(r"(?m)^explicit_only:.*\n", "", text) + "explicit_only: true\n")
    prefix, start = CALLS[trial.agent.name]
    said = {"entries": [{"text": "Moves house in May", "kind": "W", "reason": "the person said so"}]}
    _, heard = ask(trial, start, order(prefix, "remember", said))
    trial.check("w", "where a person is to be asked it is told `waits` with the command", "waits" in heard and "review" in heard,
                (trial.said, heard[-800:]))
    trial.last_word("work")
    screen = answer(trial, [trial.binary, "review"], ["y"])
    trial.last_word("work")
    found = trial.last_word("recall", "Moves house in May", check=False)
    trial.check("w", "the person is shown it, says yes, and it is in the document", "Moves house in May" in screen and "May" in found
                and "not in" not in found, (screen[-1500:], found))


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
            number = re.search(r"and Enter: ([a-z ]+)", said[answered:])
            answered = len(said)
            digits = number and "".join(str(DIGITS.index(word)) for word in number.group(1).split() if word in DIGITS)
            os.write(fd, f"{digits or (answers.pop(0) if answers else 'q')}\n".encode())
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    os.waitpid(pid, 0)
    return said
