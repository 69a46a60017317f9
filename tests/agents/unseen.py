"""Whether a person who does not know of us sees anything of us before something was worth remembering: the same small conversation in
the same home without our hooks and with them, and what the two screens showed. Needs `pyte`, a terminal in memory; without it the cell
is skipped, and that is said."""

import re
import shutil
import time

try:
    import pyte
except ImportError:
    pyte = None

from terminal import Terminal
from trial import Trial

LINES, COLUMNS = 50, 160
# What we, and what an agent says of hooks, would go by.
TELLING = re.compile(r"hook|last-word|remember|GEMINI\.md|QWEN\.md|AGENTS\.md|skill|extension", re.IGNORECASE)
# An agent's own advice, which it takes at random, and may draw letter by letter.
ADVICE = re.compile(r"^\W*Tips?: ")
PIECE = 1000


def run(trial):
    if pyte is None:
        return trial.skip("unseen", "pyte is not there to read a screen (pip install pyte)")
    without, with_us = conversation(trial, False), conversation(trial, True)
    for name, before, after in zip(("the first screen", "after a prompt", "after two"), without[0], with_us[0]):
        trial.check("unseen", f"{name} is as it is without us", before == after, difference(before, after))
    speaking = told(without[1], with_us[1])
    trial.check("unseen", "no line speaks of us meanwhile", not speaking, speaking)


def told(before, after):
    """The lines that speak of us, and are not there without us."""
    without = set(map(plain, before))
    return sorted({line for line in map(plain, after) if line not in without and TELLING.search(line) and not ADVICE.match(line)})


class Seen:
    """A screen that is sent something: every line that ever stood on it, with numbers made equal."""

    def __init__(self):
        self.screen, self.ever, self.fed = pyte.Screen(COLUMNS, LINES), set(), 0
        self.stream = pyte.Stream(self.screen)

    def feed(self, sent):
        """Takes what was sent since the last time; the lines that stand there now."""
        text, self.fed = sent[self.fed:].decode("utf-8", "replace"), len(sent)
        # What the terminal in memory does not know: private colours and keys, strings for the terminal itself.
        text = re.sub(r"\x1b\[[<>=?][0-9;:?]*[a-gi-km-z]|\x1b[P_^X].*?\x1b\\|\x1b\][^\x07\x1b]*(\x07|\x1b\\)", "", text, flags=re.DOTALL)
        for at in range(0, len(text), PIECE):
            self.screen.dirty.clear()
            self.stream.feed(text[at:at + PIECE])
            changed = [row for row in self.screen.dirty if row < LINES]
            self.ever |= {plain("".join(self.screen.buffer[row][column].data for column in range(COLUMNS))) for row in changed}
        return [line for line in map(plain, self.screen.display) if line]


def plain(line):
    """A line without what differs from turn to turn: numbers, how an agent says how long it worked, and what it proposes to ask."""
    line = re.sub(r"\s+", " ", re.sub(r"<?\d+", "0", line)).strip()
    line = re.sub(r'(Ask anything…) ".*', r"\1", line)
    line = re.sub(r"\b0(\.0)?m?s\b", "0s", line)
    return re.sub(r"^\S* ?\w+ for 0s\b.*|Worked for 0s.*", "worked", line)


def difference(before, after):
    return {"without": [line for line in before if line not in after], "with": [line for line in after if line not in before]}


def conversation(trial, ours):
    """The screens of a conversation in a home that nobody has used, and every line that ever stood on one."""
    home = trial.home / "unseen"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    of = Trial(trial.agent, trial.binary, trial.env["PATH"], trial.port, trial.log, home)
    of.prepare()
    if ours:
        of.last_word("init")
        of.install()
    terminal, seen = Terminal(trial.agent.attended.start, of.env, of.project, of.requests, trial.agent.attended.ready), Seen()
    try:
        screens = [seen.feed(terminal.sent)]
        for prompt in ("say hello", "go on"):
            terminal.say(prompt)
            # What is shown for some seconds goes.
            time.sleep(4)
            terminal.settle(quiet_s=3, limit_s=60)
            screens.append(seen.feed(terminal.sent))
    finally:
        terminal.kill()
    return screens, seen.ever
