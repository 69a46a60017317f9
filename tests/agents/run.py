#!/usr/bin/env python3
"""Real agents with the hooks that `install` writes, against a scripted model on the loopback (model.py): in five minutes a new
version of an agent is checked. Each agent gets a home of its own; what is not installed is skipped, and that is said.

    tests/agents/run.py [--binary target/debug/last-word] [--agents DIR] [--keep DIR] [--terminal] [--mcp] [AGENT ...]

With --terminal also what only happens in front of a person: on a terminal of its own. With --mcp not the hooks but the server of
tools that `install --mcp` lists: remember, outcome, recall, and the document.

DIR has the agents' programs, beside those on PATH: `npm install --prefix X @openai/codex` puts them into X/node_modules/.bin.
Ends with exit 1 when something failed."""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import model
import terminal

ROOT = pathlib.Path(__file__).resolve().parents[2]
MARKER = "prefers-the-blue-kettle"
LIMIT_S = 90


class Agent:
    """How one agent is run without a person. `start` are its words; `write_settings` prepares its home."""

    def __init__(self, name, program, start, resume, env, write_settings=None, install=True, attended=None):
        self.name, self.program, self.start, self.resume = name, program, start, resume
        self.env, self.write_settings, self.install = env, write_settings, install
        # On a terminal: its words, what summarises, what clears.
        self.attended = attended


def codex_settings(home, port):
    (home / ".codex").mkdir(exist_ok=True)
    (home / ".codex/config.toml").write_text(
        'model = "mock"\nmodel_provider = "mock"\n[model_providers.mock]\nname = "mock"\n'
        f'base_url = "http://127.0.0.1:{port}/v1"\nwire_api = "responses"\n'
        f'[projects."{home / "project"}"]\ntrust_level = "trusted"\n'
    )


def gemini_settings(home, _port):
    (home / ".gemini").mkdir(exist_ok=True)
    path = home / ".gemini/settings.json"
    settings = json.loads(path.read_text()) if path.exists() else {}
    settings["security"] = {"auth": {"selectedType": "gemini-api-key"}}
    path.write_text(json.dumps(settings, indent=2))


def claude_settings(home, _port):
    project = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
    (home / ".claude.json").write_text(json.dumps({
        "hasCompletedOnboarding": True, "theme": "dark", "projects": {str(home / "project"): project},
        "customApiKeyResponses": {"approved": ["none"], "rejected": []},
    }))


def copilot_settings(home, _port):
    (home / ".copilot").mkdir(exist_ok=True)
    folders = [str(home / "project")]
    (home / ".copilot/config.json").write_text(json.dumps({"trusted_folders": folders, "trustedFolders": folders}))


def opencode_settings(home, port):
    (home / ".config/opencode").mkdir(parents=True, exist_ok=True)
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"http://127.0.0.1:{port}/v1", "apiKey": "none"},
        "models": {"mock": {"name": "mock"}},
    }
    (home / ".config/opencode/opencode.json").write_text(
        json.dumps({"provider": {"mock": provider}, "model": "mock/mock", "autoupdate": False, "share": "disabled"})
    )


CODEX = ["codex", "exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check", "-s", "workspace-write"]
AGENTS = [
    Agent("claude_code", "claude", ["claude", "-p"], ["claude", "-p", "--continue"],
          {"ANTHROPIC_BASE_URL": "http://127.0.0.1:PORT", "ANTHROPIC_API_KEY": "none",
           "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"},
          write_settings=claude_settings, attended=(["claude"], "/compact", "/clear")),
    Agent("codex", "codex", CODEX, [*CODEX, "resume", "--last"], {}, write_settings=codex_settings,
          attended=(["codex", "--dangerously-bypass-hook-trust"], "/compact", "/new")),
    Agent("gemini_cli", "gemini", ["gemini", "--skip-trust", "-m", "gemini-2.5-flash", "-p"],
          ["gemini", "--skip-trust", "-m", "gemini-2.5-flash", "--resume", "latest", "-p"],
          {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:PORT"}, write_settings=gemini_settings,
          attended=(["gemini", "--skip-trust", "-m", "gemini-2.5-flash"], "/compress", "/clear")),
    Agent("qwen_code", "qwen", ["qwen", "--auth-type", "openai", "--approval-mode", "yolo", "-p"],
          ["qwen", "--auth-type", "openai", "--approval-mode", "yolo", "--continue", "-p"],
          {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": "http://127.0.0.1:PORT/v1", "OPENAI_MODEL": "mock"},
          attended=(["qwen", "--auth-type", "openai"], "/compress", "/clear")),
    Agent("copilot", "copilot", ["copilot", "-p"], ["copilot", "--continue", "-p"],
          {"COPILOT_PROVIDER_TYPE": "openai", "COPILOT_PROVIDER_BASE_URL": "http://127.0.0.1:PORT/v1",
           "COPILOT_PROVIDER_API_KEY": "none", "COPILOT_MODEL": "mock", "COPILOT_OFFLINE": "true"},
          write_settings=copilot_settings, attended=(["copilot"], "/compact", "/clear")),
    Agent("opencode", "opencode", ["opencode", "run"], ["opencode", "run", "--continue"], {},
          write_settings=opencode_settings, install=False),
]


class Trial:
    """One agent in one home."""

    def __init__(self, agent, binary, path, port, log, home):
        self.agent, self.binary, self.log, self.home = agent, binary, log, home
        self.project = home / "project"
        (self.project / ".git").mkdir(parents=True)
        env = {key: value.replace("PORT", str(port)) for key, value in agent.env.items()}
        self.env = {"HOME": str(home), "PATH": path, "TERM": "dumb", "LANG": "C.UTF-8", "SHELL": "/bin/bash",
                    "LAST_WORD_PROGRAM": binary, **env}
        self.port = port
        self.found = []

    def last_word(self, *args, check=True):
        env = {"HOME": str(self.home), "PATH": "/usr/bin:/bin"}
        done = subprocess.run([self.binary, *args], env=env, cwd=self.project, capture_output=True, text=True)
        if check and done.returncode:
            raise RuntimeError(f"last-word {' '.join(args)}: {done.stderr}")
        return done.stdout

    def spawn(self, prompt, resume=False):
        words = self.agent.resume if resume else self.agent.start
        return subprocess.Popen([*words, prompt], env=self.env, cwd=self.project, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def ask(self, prompt, resume=False):
        """What it says on stdout, and the requests that its model got."""
        seen = len(self.requests())
        child = self.spawn(prompt, resume)
        try:
            out, err = child.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            child.kill()
            out, err = child.communicate()
            err += "\n(ended: it took too long)"
        self.said = (child.returncode, out, err)
        return out, self.requests()[seen:]

    def requests(self):
        try:
            return [json.loads(line) for line in self.log.read_text().splitlines()]
        except FileNotFoundError:
            return []

    def check(self, what, good, detail=""):
        self.found.append((what, bool(good), detail))
        print(f"  {'ok  ' if good else 'FAIL'} {what}{'' if good else ': ' + str(detail)[:600]}", flush=True)

    def user_md(self):
        return self.home / ".config/agents/USER.md"

    def sessions(self):
        """The entries that wait in sessions: text and session."""
        found = {}
        for path in (self.home / ".config/agents/last-word").glob("sessions/*/*.json"):
            job = json.loads(path.read_text())
            for entry in job.get("entries", []):
                found[entry.get("content")] = path.parent.name
        return found


def blocks(request):
    return json.dumps(request["request"], ensure_ascii=False).count(MARKER)


def main_requests(requests):
    """Those of the conversation: the first one, and others with tools. Some agents ask for a title or a memory besides."""
    with_tools = [request for request in requests if request["request"].get("tools")]
    return with_tools or requests


def run(trial):
    agent = trial.agent
    plan = f"{trial.binary} plan --to user --heading Notes --op append --content"
    if agent.write_settings:
        agent.write_settings(trial.home, trial.port)
    trial.last_word("init")
    plain, _ = trial.ask("say hello")
    plain_code = trial.said[0]
    if plain_code != 0 or model.ANSWER not in plain:
        trial.check("runs against the scripted model", False, trial.said)
        return
    trial.user_md().write_text(f"# User\n\n- {MARKER}\n")
    if agent.install:
        trial.last_word("install", agent.name, "--yes")
    else:
        plugins = trial.home / ".config/opencode/plugins"
        plugins.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "packaging/opencode/last-word.js", plugins)
    if agent.write_settings:
        agent.write_settings(trial.home, trial.port)

    out, requests = trial.ask("say hello")
    trial.check("a: the answer on stdout is the same with our hooks", (out, trial.said[0]) == (plain, plain_code), trial.said)
    count = [blocks(request) for request in main_requests(requests)]
    trial.check("b: the block is there once", count and count[0] == max(count) == 1, count)

    out, requests = trial.ask("go on", resume=True)
    count = [blocks(request) for request in main_requests(requests)]
    trial.check("g: resumed, the block is there once", count and count[0] == max(count) == 1, count)
    for _ in range(3):
        out, requests = trial.ask("go on", resume=True)
    trial.check("a: nor is anything asked at a later prompt", model.ANSWER in out and "(last-word:" not in json.dumps(requests),
                trial.said)

    out, requests = trial.ask(f"RUN<<{plan} '- costs `echo RAN` $5'>>")
    text = trial.user_md().read_text()
    if "There is no such tool." in out:
        print("  skipped c: it has no shell without a person", flush=True)
    else:
        flushed = trial.last_word("work")
        text = trial.user_md().read_text()
        trial.check("c: plan without an approval, backticks unharmed", "- costs `echo RAN` $5\n" in text,
                    (trial.said, text, trial.last_word("status"), flushed))
        ended = (trial.home / ".config/agents/last-word/sessions/ended.jsonl")
        trial.check("e: the end was told and recorded", ended.exists() and ended.read_text(), ended)

    before = trial.user_md().read_bytes()
    trial.ask(f"RUN<<echo gone > {trial.user_md()}>>")
    trial.ask(f"WRITE<<{trial.user_md()}>>")
    trial.check("d: a document is not written by hand", trial.user_md().read_bytes() == before, trial.user_md().read_text())

    two_at_once(trial, plan)
    trouble = trial.last_word("log", "--event", "hook_failed", check=False)
    trial.check("the journal is free of trouble", "hook_failed" not in trouble, trouble)


def two_at_once(trial, plan):
    names = ["one", "two"]
    children = [trial.spawn(f"RUN<<{plan} '- said by {name}' $WHOSE>> RUN<<sleep 2>>") for name in names]
    outs = [child.communicate(timeout=LIMIT_S)[0] for child in children]
    if any("There is no such tool." in out for out in outs):
        return print("  skipped h: it has no shell without a person", flush=True)
    trial.last_word("work")
    text = trial.user_md().read_text()
    of = {}
    for path in (trial.home / ".config/agents/last-word/done").rglob("*"):
        if path.is_file():
            for name in names:
                body = path.read_text(errors="replace")
                found = re.search(r'"session": ?"([^"]+)"', body)
                if f"said by {name}" in body and found:
                    of[name] = found.group(1)
    trial.check("h: two at once, each merged once", all(text.count(f"- said by {name}\n") == 1 for name in names), text)
    trial.check("h: two at once, each in its own session", len(set(of.values())) == 2, of)


# How each calls a server's tool, and what it is told so that it calls one without a person.
TOOLS = {
    "claude_code": ("mcp__last-word__", ["claude", "-p", "--allowedTools", "mcp__last-word", "--"]),
    "codex": ("mcp__last_word::", ["codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]),
    "gemini_cli": ("mcp_last-word_", ["gemini", "--skip-trust", "--yolo", "-m", "gemini-2.5-flash", "-p"]),
}
FACT = "Prefers the blue kettle"


def tools(trial):
    """One sentence is said by tool, is in the document with who said it, and comes out again as it was."""
    agent = trial.agent
    if agent.write_settings:
        agent.write_settings(trial.home, trial.port)
    trial.last_word("init")
    trial.last_word("install", agent.name, "--mcp", "--yes")
    prefix, agent.start = TOOLS[agent.name]
    said = json.dumps({"entries": [{"text": FACT, "kind": "O", "reason": "the person said so"}]})
    out, requests = trial.ask(f"TOOL<<{prefix}remember {said}>> TOOL<<{prefix}outcome {{}}>> TOOL<<{prefix}recall {{\"query\": \"blue kettle\"}}>>")
    heard = json.dumps(main_requests(requests)[-1]["request"]) if requests else ""
    trial.check("m: its model was told `durable`, `queued` and the hit", model.DONE in out and all(
        word in heard for word in ("durable", "queued", "not in the document yet")), (trial.said, heard[-1500:]))
    trial.last_word("work")
    memory = trial.home / ".config/agents/MEMORY.md"
    text = memory.read_text() if memory.exists() else ""
    trial.check("m: it is in the document with who said it", re.search(rf"- \[O\] {FACT} <!-- lw .* by=agent s=[\w.-]+@[\w.-]+/", text), text)
    print(f"       {text.strip().splitlines()[-1:]}", flush=True)
    _, requests = trial.ask(f"TOOL<<{prefix}recall {{\"query\": \"blue kettle\"}}>>")
    heard = json.dumps(main_requests(requests)[-1]["request"]) if requests else ""
    trial.check("m: another session finds it in the document", "MEMORY.md" in heard and "not in the document yet" not in heard, heard[-1500:])


def on_a_terminal(trial):
    """In front of a person: nothing of ours is seen, the model is asked at the third prompt, and the context stays."""
    words, summarise, clear = trial.agent.attended
    screen = terminal.Terminal(words, trial.env, trial.project, trial.requests)
    shown = [max(map(blocks, screen.say(prompt)), default=None) for prompt in ("say hello", "go on")]
    trial.check("terminal: the block is there once", shown == [1, 1], (shown, screen.text()[-800:]))
    asked = lambda requests: "(last-word:" in json.dumps(requests)
    early = asked(trial.requests()[-4:])
    trial.check("terminal: asked at the third prompt, not before", not early and asked(screen.say("go on more")), early)
    plan = f"{trial.binary} plan --to user --heading Notes --op append --content '- on a `terminal`'"
    screen.say(f"RUN<<{plan}>>")
    trial.check("terminal: plan without an approval, in a session of it", "- on a `terminal`" in trial.sessions(),
                screen.text()[-800:])
    screen.say(summarise)
    shown = max(map(blocks, screen.say("and now")), default=None)
    trial.check("terminal: the block is there after a summary", shown in (1, 2), shown)
    screen.say(clear, brings_request=False)
    shown = max(map(blocks, screen.say("hello again")), default=None)
    trial.check("terminal: the block is there once after a clear", shown == 1, (shown, screen.text()[-800:]))
    said = re.sub(r"\s", "", screen.text())
    seen = [text for text in ("(last-word:", "To remember what", MARKER, "Stop hook") if re.sub(r"\s", "", text) in said]
    trial.check("terminal: nothing of ours is seen", not seen, seen)
    screen.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=str(ROOT / "target/debug/last-word"))
    parser.add_argument("--agents", default="", help="a directory with the agents' programs")
    parser.add_argument("--terminal", action="store_true", help="also on a terminal, as a person would use it")
    parser.add_argument("--mcp", action="store_true", help="the server of tools instead of the hooks")
    parser.add_argument("--keep", default="", help="keep the homes here")
    parser.add_argument("names", nargs="*", metavar="AGENT")
    args = parser.parse_args()
    path = os.pathsep.join(filter(None, [args.agents, os.environ.get("PATH", "")]))
    failed = False
    for agent in AGENTS:
        if args.names and agent.name not in args.names:
            continue
        if args.mcp and agent.name not in TOOLS:
            print(f"skipped: {agent.name} (how it calls a server's tool is not known here)")
            continue
        program = shutil.which(agent.program, path=path)
        if not program:
            print(f"skipped: {agent.name} ({agent.program} is not installed)")
            continue
        base = pathlib.Path(args.keep or tempfile.mkdtemp(prefix="last-word-agents-"))
        home = base / agent.name
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        version = subprocess.run([program, "--version"], env={"HOME": str(home), "PATH": path}, capture_output=True, text=True)
        print(f"{agent.name}: {(version.stdout.strip() or version.stderr.strip()).splitlines()[:1]}", flush=True)
        log = home / "model.log"
        server = model.serve(str(log))
        trial = Trial(agent, str(pathlib.Path(args.binary).resolve()), path, server.server_address[1], log, home)
        begun = time.time()
        try:
            (tools if args.mcp else run)(trial)
            if args.terminal and agent.attended and not args.mcp:
                on_a_terminal(trial)
        except Exception as error:  # one agent's trouble is not the next one's
            trial.check("the trial itself", False, repr(error))
        server.shutdown()
        failed |= not all(good for _, good, _ in trial.found)
        print(f"  ({time.time() - begun:.0f} s)", flush=True)
        if not args.keep:
            shutil.rmtree(base, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
