"""What an agent does in front of a person, on a terminal: nothing of ours is seen, nothing is asked of the person, and what the
model was shown is still there after a summary, a clear and a resume."""

import json
import re

import model
import unseen
from terminal import Terminal
from trial import MARKER, SILENT_MS, blocks, refused, until

# What a person would see of us before there is something to say.
OURS = ("(last-word:", "To remember what", "To remember a fact", MARKER, "Stop hook", "hook error", "Hook failed")


def run(trial):
    trial.mode = "terminal"
    before = len(trial.ended())
    if trial.wants("answer", "context", "plan", "quotes", "compaction", "clear", "guard", "end"):
        screen = open_screen(trial, trial.agent.attended.start)
        try:
            trial.trying("answer", lambda trial: conversation(trial, screen))
            trial.trying("quotes", lambda trial: quotes(trial, screen))
            trial.trying("guard", lambda trial: guard(trial, screen))
            trial.trying("end", lambda trial: ended(trial, screen, before))
        finally:
            screen.kill()
    for cell, what in [("resume", resumed), ("kill", killed), ("two at once", two_at_once), ("unseen", unseen.run)]:
        trial.trying(cell, what)
    trial.no_trouble()


def open_screen(trial, words):
    return Terminal(words, trial.env, trial.project, trial.requests, trial.agent.attended.ready)


def most(requests):
    return max(map(blocks, requests), default=None)


def asked(requests):
    return "(last-word:" in json.dumps(requests)


def conversation(trial, screen):
    agent = trial.agent.attended
    begun = len(trial.requests())
    counts = [most(screen.say(prompt)) for prompt in ("say hello", "go on")]
    trial.check("context", "the block is there once", counts == [1, 1], (counts, screen.text()[-800:]))
    early = asked(trial.requests()[begun:])
    third = screen.say("go on more")
    if trial.agent.hooks:
        trial.check("answer", "the model is asked at the third prompt, not before", not early and asked(third), (early, len(third)))
    else:
        trial.check("answer", "the model is not asked: a plugin hears of no prompt", not early and not asked(third))
    screen.say(trial.plan("on a `terminal`"), requests=2)
    trial.check("plan", "without an approval, in a session of it", "- on a `terminal`" in trial.sessions(), screen.text()[-800:])
    screen.say(agent.compact)
    count = most(screen.say("and now"))
    trial.check("compaction", "the block is there after a summary", count in (1, 2), (count, screen.text()[-800:]))
    screen.say(agent.clear, requests=0)
    screen.settle(quiet_s=4, limit_s=30)
    count = most(screen.say("hello again"))
    trial.check("clear", "the block is there once", count == 1, (count, screen.text()[-800:]))
    seen = [text for text in OURS if re.sub(r"\s", "", text) in screen.words()]
    trial.check("answer", "the answer is seen, and nothing of ours", not seen and "Hellothere." in screen.words(), seen)


def quotes(trial, screen):
    """A text with every quote in it, by a file that the agent writes with its own tool and the person allows."""
    path = trial.project / "what-i-learned.txt"
    # The scripted model's writer writes this one line.
    screen.say(f"WRITE<<{path}>> RUN<<{trial.typed} plan --to user --heading Notes --op append --content-file {path}>>", requests=3, approve=True)
    said = [str(text).strip() for text in trial.sessions()]
    trial.check("quotes", "a text with every quote comes from a file", model.WRITTEN.strip() in said,
                (path.exists(), trial.sessions(), screen.text()[-800:]))


def guard(trial, screen):
    """Also where the person says yes to it."""
    before = trial.user_md().read_bytes()
    ways = (f"RUN<<echo gone > {trial.user_md()}>>", f"WRITE<<{trial.user_md()}>>")
    by_us = [comes_to_us(trial, screen, way) for way in ways]
    trial.check("guard", f"a document is not written by shell or tool, though the person allows it ({sum(by_us)} of {len(ways)} reached us)",
                any(by_us) and trial.user_md().read_bytes() == before, (trial.user_md().read_text(), screen.text()[-800:]))
    count = most(screen.say("go on after that"))
    trial.check("guard", "the conversation goes on", count in (1, 2), screen.text()[-800:])


def comes_to_us(trial, screen, way):
    """Whether our refusal is what the model heard. Some agents ask it other things meanwhile."""
    seen = len(trial.requests())
    screen.say(way, requests=2, approve=True)
    return until(lambda: refused(trial.requests()[seen:]), 20)


def ended(trial, screen, before):
    left = screen.quit(trial.agent.attended.quit)
    trial.check("end", "it ends when it is told to", left, screen.text()[-800:])
    told = until(lambda: len(trial.ended()) > before, 10)
    trial.last_word("work")
    trial.check("end", "told, recorded, one `work` later merged once", told and trial.count("on a `terminal`") == 1,
                (told, trial.sessions(), trial.user_md().read_text()))


def resumed(trial):
    screen = open_screen(trial, trial.agent.attended.resume)
    counts = [most(screen.say(prompt)) for prompt in ("hello resumed", "go on")]
    trial.check("resume", "the block is there once", counts == [1, 1], (counts, screen.text()[-800:]))
    screen.kill()


def killed(trial):
    screen = open_screen(trial, trial.agent.attended.start)
    screen.say("say hello")
    screen.say(trial.plan("said on a terminal before the end"), requests=2)
    kept = "- said on a terminal before the end" in trial.sessions()
    screen.kill()
    trial.last_word("work")
    early = trial.count("said on a terminal before the end")
    trial.last_word("work", later_ms=SILENT_MS)
    late = trial.count("said on a terminal before the end")
    trial.check("kill", "SIGKILL: merged once, when it was silent for half an hour", kept and (early, late) == (0, 1),
                (kept, early, late, screen.text()[-400:]))


def two_at_once(trial):
    names = ["left", "right"]
    screens = [open_screen(trial, trial.agent.attended.start) for _ in names]
    try:
        for screen in screens:
            screen.say("say hello")
        for name, screen in zip(names, screens):
            screen.say(trial.plan(f"said on the {name}", " %WHOSE%"), requests=2)
        of = [trial.sessions().get(f"- said on the {name}") for name in names]
        trial.check("two at once", "each in its own session", None not in of and len(set(of)) == 2, of)
    finally:
        for screen in screens:
            screen.kill()
    trial.last_word("work", later_ms=SILENT_MS)
    trial.check("two at once", "each merged once", all(trial.count(f"said on the {name}") == 1 for name in names),
                trial.user_md().read_text())
