"""What an agent does without a person in front of it: a script, a cron job, another program reads its answer."""

import json
import subprocess

import agents
import model
import unseen
from trial import LIMIT_S, SILENT_MS, kill, main_requests, refused, shown, until

# What the skill says that it is for.
SKILL = "Remember and recall what outlives this session"
NO_SHELL = "it has no shell without a person"


def run(trial):
    trial.mode = "project" if trial.project_scope else "headless"
    trial.prepare()
    trial.last_word("init")
    plain, _ = trial.ask("say hello")
    if trial.said[0] != 0 or model.ANSWER not in plain:
        trial.check("answer", "runs against the scripted model", False, trial.said)
        return False
    plain, before = trial.said[:2], trial.said[2]
    by_command = own_command(trial) if trial.wants("answer") else None
    trial.install()

    def answer(trial):
        _, requests = trial.ask("say hello")
        trial.check("answer", "stdout has the same bytes with our hooks", trial.said[:2] == plain, trial.said)
        trial.check("context", "the block is there once", shown(requests) == (1, 1), shown(requests))
        told = unseen.told(before.splitlines(), trial.said[2].splitlines())
        trial.check("unseen", "no line of stderr speaks of us", not told, told)
        if by_command:
            trial.check("answer", "a command of the person's own is one, with the same bytes on stdout",
                        by_command[1] and own_command(trial) == by_command, (by_command, trial.said))

    trial.trying("answer", answer)
    for cell, what in [("form", form), ("resume", resume), ("plan", plan), ("quotes", quotes), ("guard", guard), ("kill", killed),
                       ("compaction", compaction), ("two at once", two_at_once)]:
        trial.trying(cell, what)
    for cell, what in OWN.get(trial.agent.name, []):
        trial.trying(cell, what)
    trial.skip("clear", "each run is a session of its own")
    trial.no_trouble()
    return True


def own_command(trial):
    """What a command of the person's own is answered, and whether the model was told what it says; None where there are none."""
    if not trial.agent.own:
        return None
    path = trial.home / trial.agent.own
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'prompt = "{agents.KETTLE}"\n' if path.suffix == ".toml" else f"{agents.KETTLE}\n")
    _, requests = trial.ask("/kettle")
    return trial.said[:2], agents.KETTLE in json.dumps(requests)


def form(trial):
    """What `install` wrote in the form of the agent's own shop: its skill, and its command."""
    if trial.project_scope:
        return trial.skip("form", "it is the user's")
    _, requests = trial.ask("say hello")
    trial.check("form", "its model is told of the skill", SKILL in json.dumps(requests), trial.said)
    if trial.agent.command:
        _, requests = trial.ask(f"{trial.agent.command} the blue kettle")
        heard = json.dumps(requests)
        trial.check("form", f"{trial.agent.command} says what is to be done", "Remember this: the blue kettle" in heard, (trial.said, heard[-800:]))


def resume(trial):
    _, requests = trial.ask("go on", resume=True)
    trial.check("resume", "the block is there once", shown(requests) == (1, 1), shown(requests))
    for _ in range(3):
        out, requests = trial.ask("go on", resume=True)
    trial.check("answer", "nor is anything asked at a later prompt",
                model.ANSWER in out and "(last-word:" not in json.dumps(requests), trial.said)


def plan(trial):
    before = len(trial.ended())
    out, _ = trial.ask(trial.plan("costs `echo RAN` $5"))
    if "There is no such tool." in out:
        return [trial.skip(cell, NO_SHELL) for cell in ("plan", "end")]
    trial.last_word("work")
    trial.check("plan", "without an approval, backticks unharmed", trial.count("costs `echo RAN` $5") == 1,
                (trial.said, trial.user_md().read_text(), trial.last_word("status", check=False)))
    trial.check("end", "told, recorded, one `work` later merged once", len(trial.ended()) > before, trial.ended())


def quotes(trial):
    """A text with every quote in it, by a file that the agent writes with its own tool."""
    path = trial.project / "what-i-learned.txt"
    # The scripted model's writer writes this one line.
    order = f"WRITE<<{path}>> RUN<<{trial.typed} plan --to user --heading Notes --op append --content-file {path}>>"
    out, _ = trial.ask(order)
    if "There is no such tool." in out:
        return trial.skip("quotes", NO_SHELL)
    if not path.exists():
        return trial.skip("quotes", "it writes no file without a person")
    trial.last_word("work")
    trial.check("quotes", "a text with every quote comes from a file", trial.user_md().read_text().count(model.WRITTEN) == 1,
                (trial.said, trial.user_md().read_text()))


def guard(trial):
    before = trial.user_md().read_bytes()
    ways = [f"RUN<<echo gone > {trial.user_md()}>>", f"WRITE<<{trial.user_md()}>>",
            f"RUN<<printf gone | tee {trial.user_md()}>>", f"RUN<<sed -i s/kettle/pot/ {trial.user_md()}>>"]
    by_us = [refused(trial.ask(way)[1]) for way in ways]
    if not any(by_us) and trial.user_md().read_bytes() == before:
        return trial.skip("guard", "it let none of these be tried by itself")
    trial.check("guard", f"a document is not written by shell or tool ({sum(by_us)} of {len(ways)} reached us)",
                trial.user_md().read_bytes() == before, trial.user_md().read_text())


def killed(trial):
    child = trial.spawn(trial.agent.start, f"{trial.plan('said before the end')} RUN<<sleep 50>>")
    waits = until(lambda: child.poll() is not None or "- said before the end" in trial.sessions())
    if not waits or "- said before the end" not in trial.sessions():
        kill(child)
        out = child.communicate()
        if "There is no such tool." in out[0]:
            return trial.skip("kill", NO_SHELL)
        return trial.check("kill", "a plan is kept before it is killed", False, out)
    kill(child)
    child.communicate()
    trial.last_word("work")
    early = trial.count("said before the end")
    trial.last_word("work", later_ms=SILENT_MS)
    late = trial.count("said before the end")
    trial.last_word("work", later_ms=SILENT_MS)
    trial.check("kill", "SIGKILL: merged once, when it was silent for half an hour",
                (early, late, trial.count("said before the end")) == (0, 1, 1), (early, late, trial.user_md().read_text()))


def compaction(trial):
    if not trial.agent.compact:
        return trial.skip("compaction", "nothing can be told to summarise there")
    trial.ask("say hello")
    words, prompt = trial.agent.compact
    out, _ = trial.ask(prompt, words=words)
    summarised = trial.said
    _, requests = trial.ask("and now", resume=True)
    first = shown(requests)[0]
    trial.check("compaction", "the block is there after a summary", first in (1, 2), (first, summarised))


def two_at_once(trial):
    names = ["one", "two"]
    children = [trial.spawn(trial.agent.start, f"{trial.plan(f'said by {name}', ' %WHOSE%')} RUN<<sleep 2>>") for name in names]
    outs = []
    for child in children:
        try:
            outs.append(child.communicate(timeout=LIMIT_S)[0])
        except subprocess.TimeoutExpired:
            kill(child)
            outs.append(child.communicate()[0])
    if any("There is no such tool." in out for out in outs):
        return trial.skip("two at once", NO_SHELL)
    trial.last_word("work")
    trial.check("two at once", "each merged once", all(trial.count(f"said by {name}") == 1 for name in names),
                (outs, trial.user_md().read_text()))
    of = [trial.session_of(f"said by {name}") for name in names]
    trial.check("two at once", "each in its own session", None not in of and len(set(of)) == 2, of)


# ---- what only one agent has ----

def typed_into_a_shell(trial):
    """Codex tells hooks of the command that opens a shell, not of what is typed into it later."""
    before = trial.user_md().read_bytes()
    for shell in ("bash", "env -i sh", "exec bash -i"):
        opened = json.dumps({"cmd": shell, "tty": True, "yield_time_ms": 500})
        typed = json.dumps({"session_id": 0, "chars": f"echo gone > {trial.user_md()}\n", "yield_time_ms": 1000})
        _, requests = trial.ask(f"TOOL<<exec_command {opened}>> TOOL<<write_stdin {typed.replace(': 0,', ': $RESULT,')}>>",
                                words=["codex", "exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check", "-s", "danger-full-access"])
        trial.check("guard", f"nor by a shell that it opens and types into ({shell})",
                    "typed into it" in json.dumps(requests) and trial.user_md().read_bytes() == before, trial.user_md().read_text())


def nested_calls(trial):
    """Codex lets newer models call its tools from JavaScript."""
    before = trial.user_md().read_bytes()
    words = ["codex", "exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check", "-s", "danger-full-access",
             "--enable", "code_mode", "--enable", "apply_patch_freeform"]
    target = trial.user_md()
    patch = json.dumps(f"*** Begin Patch\n*** Delete File: {target}\n*** End Patch\n")
    typed = json.dumps(f"echo gone > {target}\n")
    ways = {
        "a shell": f'await tools.exec_command({{cmd: "echo gone > {target}"}})',
        "a patch": f"await tools.apply_patch({patch})",
        "a shell left open": 'const s = await tools.exec_command({cmd: "bash", tty: true, yield_time_ms: 500}); '
                             f"await tools.write_stdin({{session_id: s.session_id, chars: {typed}}})",
    }
    for way, code in ways.items():
        _, requests = trial.ask(f"CODE<<{code}>>", words=words)
        heard = json.dumps(main_requests(requests)[-1]["request"]) if requests else ""
        if "is not a function" in heard:
            print(f"  skipped {way} from JavaScript: not offered to this model", flush=True)
            continue
        trial.check("guard", f"nor by {way} from its JavaScript", "blocked by PreToolUse hook" in heard
                    and trial.user_md().read_bytes() == before, (heard[-1500:], trial.user_md().read_text()))


def watched(trial):
    """Qwen Code has a second shell, whose output it watches."""
    before = trial.user_md().read_bytes()
    call = json.dumps({"command": f"echo gone > {trial.user_md()}", "description": "watch"})
    _, requests = trial.ask(f"TOOL<<monitor {call}>>")
    trial.check("guard", "nor by the shell that it watches", refused(requests) and trial.user_md().read_bytes() == before, trial.said)


def subagent(trial):
    """Copilot tells no end of a subagent's session, but its stop."""
    task = {"description": "a small task", "agent_type": "task", "name": "helper", "prompt": trial.plan("said by a subagent").replace("<<", "[[").replace(">>", "]]")}
    out, _ = trial.ask(f"TOOL<<task {json.dumps(task)}>>")
    trial.last_word("work")
    trial.check("end", "what a subagent declared is merged once", trial.count("said by a subagent") == 1,
                (trial.said, trial.sessions()))


OWN = {
    "codex": [("guard", typed_into_a_shell), ("guard", nested_calls)],
    "qwen_code": [("guard", watched)],
    "copilot": [("end", subagent)],
}
