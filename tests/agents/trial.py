"""One agent in one home: asking it without a person, what its model was shown, and what was found in which cell of the table."""

import json
import os
import pathlib
import re
import signal
import subprocess
import time

import model

ROOT = pathlib.Path(__file__).resolve().parents[2]
MARKER = "prefers-the-blue-kettle"
LIMIT_S = 240
# A session of which nobody heard for so long is gone.
SILENT_MS = 31 * 60 * 1000


# What the fixtures of payloads call the events.
TAGS = {"SessionStart": "start", "UserPromptSubmit": "prompt", "BeforeAgent": "prompt", "PreToolUse": "pretool", "BeforeTool": "pretool",
        "PreCompact": "precompact", "PreCompress": "precompact", "Stop": "stop", "AfterAgent": "stop", "Interrupt": "interrupt",
        "SessionEnd": "end"}
# Events that we do not ask for, and that payloads are written down of all the same.
MORE = {"claude_code": ["Stop", "PreCompact"], "codex": ["Stop", "PreCompact", "Interrupt"], "gemini_cli": ["AfterAgent"],
        "qwen_code": ["PreCompact"]}
# What a model is told whose call the guard refused.
REFUSED = "is not written by hand"


class Trial:
    def __init__(self, agent, binary, path, port, log, home, project_scope=False, cells=(), payloads="", wait=False):
        self.agent, self.log, self.home, self.port = agent, log, home, port
        self.binary, self.project_scope = binary, project_scope
        # Whether half an hour is waited for; else the build is told that it is over.
        self.wait = wait
        self.project = home / "project"
        (self.project / ".git").mkdir(parents=True, exist_ok=True)
        # How an agent is told to type it: the full path, or the bare name where a project shares the file.
        self.typed = "last-word" if project_scope else binary
        own = home / ".local/bin"
        if project_scope:
            own.mkdir(parents=True)
            (own / "last-word").symlink_to(binary)
            # A login shell begins with a PATH of its own.
            (home / ".profile").write_text('PATH="$HOME/.local/bin:$PATH"\n')
            path = f"{own}{os.pathsep}{path}"
        env = {key: value.replace("PORT", str(port)) for key, value in agent.env.items()}
        self.env = {"HOME": str(home), "PATH": path, "TERM": "dumb", "LANG": "C.UTF-8", "SHELL": "/bin/bash",
                    "LAST_WORD_PROGRAM": binary, **env}
        self.mode, self.found, self.cells = "headless", [], set(cells)
        # Where to write down what the agent's hooks are told.
        self.payloads = payloads

    # ---- what was found ----

    def check(self, cell, what, good, detail=""):
        if not self.wants(cell):
            return good
        self.found.append((self.mode, cell, "yes" if good else "no"))
        print(f"  {'ok  ' if good else 'FAIL'} {self.mode}, {cell}: {what}{'' if good else ': ' + str(detail)[:1500]}", flush=True)
        return good

    def skip(self, cell, why):
        if not self.wants(cell):
            return
        self.found.append((self.mode, cell, "–"))
        print(f"  skipped {self.mode}, {cell}: {why}", flush=True)

    def wants(self, *cells):
        """Whether one of these cells is to be run."""
        return not self.cells or not self.cells.isdisjoint(cells)

    def trying(self, cell, what):
        """Runs one cell, if it is to be run; its trouble is not the next one's."""
        if not self.wants(cell):
            return
        try:
            what(self)
        except Exception as error:
            self.check(cell, "the trial itself", False, repr(error))

    # ---- last-word ----

    def last_word(self, *args, check=True, later_ms=0):
        env = {"HOME": str(self.home), "PATH": "/usr/bin:/bin"}
        if later_ms and self.wait:
            time.sleep(later_ms / 1000)
            self.wait = False
        elif later_ms:
            env["LAST_WORD_CLOCK"] = f"{int(time.time() * 1000) + later_ms}x1"
        done = subprocess.run([self.binary, *args], env=env, cwd=self.project, capture_output=True, text=True)
        if check and done.returncode:
            raise RuntimeError(f"last-word {' '.join(args)}: {done.stderr}")
        return done.stdout

    def no_trouble(self):
        trouble = self.last_word("log", "--event", "hook_failed", "--json").strip()
        self.check("answer", "the journal is free of trouble", trouble == "[]", trouble)

    def plan(self, text, whose=""):
        """The order to a model to declare one line, as it is taught to."""
        return f"RUN<<{self.typed} plan --to user --heading Notes --op append --content '- {text}'{whose}>>"

    def user_md(self):
        return self.home / ".config/agents/USER.md"

    def state(self):
        return self.home / ".config/agents/last-word"

    def sessions(self):
        """The entries that wait in sessions: text and session."""
        found = {}
        for path in self.state().glob("sessions/*/*.json"):
            try:
                job = json.loads(path.read_text())
            except (OSError, ValueError):
                continue
            for entry in job.get("entries", []):
                found[entry.get("content")] = path.parent.name
        return found

    def session_of(self, text):
        """The session that a line which is merged was declared in."""
        for path in (self.state() / "done").rglob("*"):
            if path.is_file() and text in (body := path.read_text(errors="replace")):
                return json.loads(body)["job"]["producer"].get("session")
        return None

    def ended(self):
        path = self.state() / "sessions/ended.jsonl"
        return path.read_text().splitlines() if path.exists() else []

    def count(self, line):
        return self.user_md().read_text().count(f"- {line}\n")

    # ---- the agent ----

    def prepare(self):
        if self.agent.settings:
            self.agent.settings(self.home, self.port)

    def install(self):
        self.user_md().write_text(f"# User\n\n- {MARKER}\n")
        self.last_word("install", self.agent.name, *(["--project"] if self.project_scope else []), "--yes")
        self.prepare()
        if self.payloads:
            self.listen()

    def listen(self):
        """Puts a script before our hook that writes down each event, and has it hear of those, too, that we do not ask for."""
        script = self.home / "listening-to-last-word"
        kept = pathlib.Path(self.payloads, f"{self.agent.name}.said").resolve()
        script.write_text(f"#!/bin/sh\nevent=$(cat)\nprintf '%s\\n' \"$event\" >> '{kept}'\n[ \"$1\" = heard ] && exit\n"
                          f"printf '%s' \"$event\" | '{self.binary}' \"$@\"\n")
        script.chmod(0o755)
        for path in self.home.rglob("*.json"):
            text = path.read_text(errors="replace")
            heard = re.sub(rf'{re.escape(self.binary)}([^"]* hook --agent)', lambda found: f"{script}{found.group(1)}", text)
            if heard == text:
                continue
            settings = json.loads(heard)
            handler = {**settings["hooks"]["SessionStart"][0]["hooks"][0]} if self.agent.name in MORE else {}
            handler["command"] = f"{script} heard"
            for event in MORE.get(self.agent.name, []):
                settings["hooks"].setdefault(event, []).append({"hooks": [handler]})
            path.write_text(json.dumps(settings, indent=2))

    def write_payloads(self, version):
        """As a fixture has them: one line an event, the first of each form, with the paths of somebody else."""
        kept = pathlib.Path(self.payloads, f"{self.agent.name}.said")
        said = kept.read_text() if self.payloads and kept.exists() else ""
        for here, there in [(self.project, "/home/dev/myapp"), (self.home, "/home/dev")]:
            said = said.replace(str(here), there).replace(re.sub(r"[^A-Za-z0-9]", "-", str(here)), there.replace("/", "-"))
        said = said.replace(self.binary, "/home/dev/.local/bin/last-word")
        seen = {"version": version, "day": time.strftime("%Y-%m-%d", time.gmtime())}
        rows, forms = [], set()
        for event in map(json.loads, said.splitlines()):
            why = [event.get(name) for name in ("hook_event_name", "source", "trigger", "reason", "tool_name", "stop_hook_active")]
            form = json.dumps([why, sorted(event), event.get("prompt") == ""])
            if event.get("hook_event_name") in TAGS and form not in forms:
                forms.add(form)
                rows.append({"tag": TAGS[event["hook_event_name"]], **seen, "payload": event})
        if rows:
            kept.with_suffix(".jsonl").write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))

    def spawn(self, words, prompt):
        """In a process group of its own, so that nothing of it outlives the trial."""
        return subprocess.Popen([*words, prompt], env=self.env, cwd=self.project, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)

    def ask(self, prompt, resume=False, words=None):
        """What it says on stdout, and the requests that its model got."""
        seen = len(self.requests())
        child = self.spawn(words or (self.agent.resume if resume else self.agent.start), prompt)
        try:
            out, err = child.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            kill(child)
            out, err = child.communicate()
            err += "\n(ended: it took too long)"
        self.said = (child.returncode, out, err)
        return out, self.requests()[seen:]

    def requests(self):
        try:
            lines = self.log.read_text().splitlines()
        except FileNotFoundError:
            return []
        # A line that is being written comes with the next look.
        return [json.loads(line) for line in lines if line.endswith("}")]


def kill(child):
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def until(what, limit_s=60):
    """Waits for an effect; whether it came."""
    end = time.time() + limit_s
    while time.time() < end:
        if what():
            return True
        time.sleep(0.1)
    return False


def blocks(request):
    """How often the model is shown what the session was told."""
    return json.dumps(request["request"], ensure_ascii=False).count(MARKER)


def refused(requests):
    """Whether the model was told of our refusal."""
    return REFUSED in json.dumps(requests)


def main_requests(requests):
    """Those of the conversation: the ones with tools. Some agents ask for a title or a memory besides."""
    with_tools = [request for request in requests if request["request"].get("tools")]
    return with_tools or requests


def shown(requests):
    """How often the block is in the first request of a conversation, and at most in a later one."""
    counts = [blocks(request) for request in main_requests(requests)]
    return (counts[0], max(counts)) if counts else (None, None)
