#!/usr/bin/env python3
"""Real agents with what `install` writes, against a scripted model on the loopback (model.py): a new version of an agent is checked in
some minutes. Each agent gets a home of its own; what is not installed is skipped, and that is said.

    tests/agents/run.py --install DIR
    tests/agents/run.py [--agents DIR] [--binary target/debug/last-word [--wait]] [--keep DIR] [--terminal | --only-terminal] [--project] [--mcp [--frames DIR]] [--cells CELL,...] [--payloads DIR] [--record] [AGENT ...]

--install takes the versions of agents.py from npm into DIR. Without a flag each agent is run without a person; --terminal also on a
terminal of its own, as a person would; --project without a person, with the hooks in the project's files. --mcp runs not the hooks but
the server of tools that `install --mcp` lists. --record writes what was seen into seen.json and the tables of docs/HOOKS.md
and docs/AGENTS.md.

What a killed session had declared is merged after half an hour of silence: a build with the feature `crash-points`, as the tests make
it, can be told that it is over; with --wait it is waited for.
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
import agents
import attended
import headless
import model
import tools
from trial import ROOT, Trial

SEEN = pathlib.Path(__file__).with_name("seen.json")
PAGE, TOOLS_PAGE = ROOT / "docs/HOOKS.md", ROOT / "docs/AGENTS.md"
TITLE = {"headless": "without a person", "terminal": "on a terminal", "project": "hooks of a project, without a person"}
# The cells of the table, and what each of them says.
CELLS = {
    "answer": "the answer is its own: the same bytes on stdout as without us, also to a command of the person's own; on a terminal nothing of ours is seen, and the model is asked at the third prompt",
    "context": "the block is there once",
    "form": "the skill of `install` is in what its model is shown, its command (`/remember`), where there is one, reaches the model",
    "plan": "`plan` without an approval, backticks unharmed",
    "quotes": "a text with every quote in it, by a file",
    "guard": "a document is written by no tool, shell, or shell in a tool",
    "kill": "SIGKILL: what was planned is merged once, after half an hour",
    "end": "the end is recorded, one `work` later merged once",
    "compaction": "the block is there after a summary",
    "clear": "the block is there once after a clear or a new session",
    "resume": "the block is there once in a session that goes on",
    "two at once": "each in its own session, merged once",
    "unseen": "the screens of a first conversation, and what stands on stderr without a person, are those without us",
}


# The same of --mcp.
TOOLS = {
    "remember": "told \"remember that ...\", its model hears `durable`, and `queued` by `outcome`",
    "document": "after `work` one line of a document says who said it and when, and `item show` why",
    "found": "`recall` finds it in a session of another of these agents",
    "asked": "where the policy is `review` its model hears `waits` with the command; the person says yes on a terminal; `outcome` says `applied`",
}


def install(to):
    def of(where, *packages):
        return subprocess.run(["npm", "install", "--prefix", where, "--no-audit", "--no-fund", "--save-exact", *packages]).returncode

    own = pathlib.Path(to, "opencode")
    own.mkdir(parents=True, exist_ok=True)
    return of(to, agents.NODE, *agents.PACKAGES.values()) or of(str(own), agents.OF_OPENCODE)


def version_of(program, home, path):
    said = subprocess.run([program, "--version"], env={"HOME": str(home), "PATH": path}, capture_output=True, text=True)
    found = re.search(r"\d+(\.\d+)+", said.stdout + said.stderr)
    return found.group(0) if found else "?"


def record(trials):
    """Each cell that was run replaces what was seen before."""
    seen = json.loads(SEEN.read_text()) if SEEN.exists() else {}
    found = {}
    for trial, version in trials:
        found.setdefault((trial.agent.name, version), []).extend(trial.found)
    for (name, version), results in found.items():
        of = seen.setdefault(name, {})
        if of.get("version") != version:
            of.clear()
        of.update(version=version, day=time.strftime("%Y-%m-%d", time.gmtime()))
        for mode in {mode for mode, _, _ in results}:
            cells = {}
            for _, cell, result in [one for one in results if one[0] == mode]:
                # A cell is what the worst of its checks was; one that was skipped says nothing beside another.
                cells[cell] = max(cells.get(cell, "–"), result, key=["–", "yes", "no"].index)
            of.setdefault(mode, {}).update(cells)
    SEEN.write_text(json.dumps(seen, indent=1, ensure_ascii=False) + "\n")
    put(PAGE, table(seen))
    put(TOOLS_PAGE, tools_table(seen))


def put(page, text):
    """Replaces a page's table, where it has one."""
    before, begin, rest = page.read_text().partition("<!-- seen: tests/agents/run.py --record writes this table -->\n")
    if not begin:
        return
    _, end, after = rest.partition("<!-- end of seen -->")
    page.write_text(before + begin + text + end + after)


def row(cells):
    return "| " + " | ".join(cells) + " |\n"


def tools_table(seen):
    names = [name for name in agents.TITLES if "tools" in seen.get(name, {})]
    text = row(["", *(f"{agents.TITLES[name]} {seen[name]['version']}" for name in names)]) + row(["---"] * (len(names) + 1))
    return text + "".join(row([says, *(seen[name]["tools"].get(cell, "not seen") for name in names)]) for cell, says in TOOLS.items())


def table(seen):
    names = [name for name in agents.TITLES if name in seen]
    text = row(["", *(f"{agents.TITLES[name]} {seen[name]['version']}" for name in names)])
    text += row(["---"] * (len(names) + 1))
    for mode, title in TITLE.items():
        if not any(mode in seen[name] for name in names):
            continue
        text += row([f"**{title}**"] + [""] * len(names))
        lacking = [agent.name for agent in agents.ALL if mode == "project" and not agent.hooks]
        for cell, says in CELLS.items():
            results = [seen[name][mode].get(cell, "not seen") if mode in seen[name] else "–" if name in lacking else "not run" for name in names]
            results = ["–" if (cell, mode) == ("form", "terminal") or cell == "clear" and mode != "terminal" else result for result in results]
            if set(results) != {"–"}:
                text += row([f"{cell}: {says}", *results])
    return text


def one_home(of, args, path):
    """All clients with one home: what one is told, the next one finds."""
    print("one home", flush=True)
    home = pathlib.Path(args.keep or tempfile.mkdtemp(prefix="last-word-agents-")) / "one-home"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    server = model.serve(str(home / "model.log"))
    binary = str(pathlib.Path(args.binary).resolve())
    trials = [Trial(agent, binary, path, server.server_address[1], home / "model.log", home) for agent in of]
    try:
        tools.together(trials)
    except Exception as error:  # what was found before it stays
        trials[0].check("remember", "the trial itself", False, repr(error))
    server.shutdown()
    if not args.keep:
        shutil.rmtree(home.parent, ignore_errors=True)
    return trials


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--install", default="", metavar="DIR")
    parser.add_argument("--binary", default=str(ROOT / "target/debug/last-word"))
    parser.add_argument("--wait", action="store_true", help="wait that half hour, once an agent: a release cannot be told that it is over")
    parser.add_argument("--agents", default="", metavar="DIR", help="where --install put them; else those on PATH")
    parser.add_argument("--terminal", action="store_true", help="also on a terminal, as a person would use it")
    parser.add_argument("--only-terminal", action="store_true", help="the rounds on a terminal alone")
    parser.add_argument("--project", action="store_true", help="with the hooks in the project's files")
    parser.add_argument("--mcp", action="store_true", help="the server of tools instead of the hooks")
    parser.add_argument("--frames", default="", metavar="DIR", help="with --mcp: write down what each client and the server said")
    parser.add_argument("--cells", default="", help="these cells alone, with commas between them")
    parser.add_argument("--payloads", default="", metavar="DIR", help="write down what the hooks were told, as fixtures/hooks/ has it")
    parser.add_argument("--record", action="store_true", help="write what was seen into the tables of docs/HOOKS.md and docs/AGENTS.md")
    parser.add_argument("--keep", default="", help="keep the homes here")
    parser.add_argument("names", nargs="*", metavar="AGENT")
    args = parser.parse_args()
    if args.install:
        return install(args.install)
    agents.installed = args.agents or None
    programs = [str(pathlib.Path(args.agents, sub)) for sub in ("node_modules/.bin", ".") if args.agents]
    path = os.pathsep.join(filter(None, [*programs, os.environ.get("PATH", "")]))
    trials = []
    for agent in agents.ALL:
        if args.names and agent.name not in args.names:
            continue
        if args.mcp and agent.name not in tools.CALLS:
            print(f"skipped: {agent.name} (how it calls a server's tool is not known here)")
            continue
        if args.project and not agent.hooks:
            print(f"skipped: {agent.name} (it has no hooks that `install` writes)")
            continue
        program = shutil.which(agent.program, path=path)
        if not program:
            print(f"skipped: {agent.name} ({agent.program} is not installed)")
            continue
        base = pathlib.Path(args.keep or tempfile.mkdtemp(prefix="last-word-agents-"))
        home = base / agent.name
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        version = version_of(program, home, path)
        print(f"{agent.name} {version}", flush=True)
        log = home / "model.log"
        server = model.serve(str(log))
        trial = Trial(agent, str(pathlib.Path(args.binary).resolve()), path, server.server_address[1], log, home, args.project, filter(None, args.cells.split(",")), args.payloads, args.wait)
        begun = time.time()
        try:
            if args.mcp:
                tools.run(trial, args.frames)
            elif args.only_terminal:
                trial.prepare()
                trial.last_word("init")
                trial.install()
                attended.run(trial)
            elif headless.run(trial) and args.terminal and agent.attended:
                attended.run(trial)
        except Exception as error:  # one agent's trouble is not the next one's
            trial.check("answer", "the trial itself", False, repr(error))
        server.shutdown()
        trial.write_payloads(version)
        trials.append((trial, version))
        print(f"  ({time.time() - begun:.0f} s)", flush=True)
        if not args.keep:
            shutil.rmtree(base, ignore_errors=True)
    if args.mcp and len(trials) > 1:
        of = one_home([trial.agent for trial, _ in trials], args, path)
        trials += [(trial, version) for trial, (_, version) in zip(of, trials)]
    if args.record:
        record(trials)
    return 1 if any(result == "no" for trial, _ in trials for _, _, result in trial.found) else 0


if __name__ == "__main__":
    sys.exit(main())
