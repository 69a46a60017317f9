"""Declare what an agent learned, from Python 3.8 on: `enqueue`, `wait`, `verify`. One file, no dependencies; copy it or install the wheel.

It calls the program `last-word`. Where that is missing, `enqueue` leaves the declaration in the queue by itself, as durably:
written to `tmp/`, fsync, renamed into `pending/`, fsync of both directories. A program that is there and refuses is believed.
"""

import errno
import itertools
import json
import os
import shutil
import subprocess
import sys
import time

__all__ = ["Enqueued", "LastWordError", "enqueue", "verify", "wait"]

VERSION = "1.0.0"
DECLARATION_BYTES_MAX = 1 << 20
_KINDS = {2: "usage", 3: "refused", 75: "busy"}
_drops = itertools.count()


class LastWordError(Exception):
    """What went wrong. `kind`: `refused` (the declaration is bad; nothing was enqueued), `busy` (try again), `missing` (this
    needs the program), `unsure` (it may or may not be queued), `usage` or `failed`. `hint`: what to do, or None."""

    def __init__(self, kind, message, hint=None):
        super().__init__(message if hint is None else "%s\nhint: %s" % (message, hint))
        self.kind, self.message, self.hint = kind, message, hint


class Enqueued:
    """What is on stable storage now. `ids`: the jobs, one for each document. `dropped`: the path of the file that was left in
    `pending/` instead, which a worker takes in as jobs with ids of its own; None where the program was there."""

    def __init__(self, ids, dropped=None):
        self.ids, self.dropped = ids, dropped

    def __repr__(self):
        return "Enqueued(ids=%r, dropped=%r)" % (self.ids, self.dropped)


def enqueue(what, key=None, home=None, program=None):
    """Enqueues an entry (a dict with `key`), a list of entries, or a declaration (a dict with `entries`).

    With `key` repeating is safe: the same key is the same job. That needs the program."""
    text = json.dumps(_declaration(what), allow_nan=False).encode("ascii")
    found = _program(program)
    if found is not None:
        words = ["enqueue", "-", "--json"] + (["--key", key] if key is not None else [])
        code, out, err = _run(found, home, words, text)
        if code != 0:
            raise _error(code, err)
        return Enqueued([job["id"] for job in json.loads(out)])
    if key is not None:
        raise LastWordError("missing", "a key needs the program last-word, which is not on PATH", "install it, or leave the key out")
    return Enqueued([], _drop(text, home))


def verify(id, home=None, program=None):
    """What became of a job: the dict that `last-word verify ID --json` prints. Its `fate` is `waiting` while it is on its way."""
    code, out, err = _run(_needed("verify", program), home, ["verify", id, "--json"], b"")
    if not out.strip():
        raise _error(code, err)
    return json.loads(out)


def wait(id, timeout_s=60.0, home=None, program=None):
    """Waits for the end of a job and returns what `verify` says; after `timeout_s` seconds that its `fate` is `waiting`.

    Nothing is merged by waiting: that is the worker's (`last-word install cron`)."""
    until, pause_s = time.monotonic() + timeout_s, 0.02
    while True:
        said = verify(id, home, program)
        left_s = until - time.monotonic()
        if said["fate"] != "waiting" or left_s <= 0:
            return said
        time.sleep(min(pause_s, left_s))
        pause_s = min(pause_s * 2, 1.0)


def _declaration(what):
    if isinstance(what, dict) and "entries" in what:
        return dict({"version": VERSION}, **what)
    return {"version": VERSION, "entries": list(what) if isinstance(what, (list, tuple)) else [what]}


def _program(named):
    """The program: the one named, `$LAST_WORD_PROGRAM`, one on PATH, or the one installed beside this Python."""
    named = named or os.environ.get("LAST_WORD_PROGRAM")
    if named:
        return shutil.which(named)
    beside = os.path.dirname(sys.executable or "")
    return shutil.which("last-word") or (shutil.which("last-word", path=beside) if beside else None)


def _needed(verb, named):
    found = _program(named)
    if found is None:
        raise LastWordError("missing", "%s needs the program last-word, which is not on PATH" % verb)
    return found


def _run(program, home, words, stdin):
    where = ["--home", os.fspath(home)] if home is not None else []
    # Its messages are read here: in one language, whatever the locale.
    done = subprocess.run([program] + where + words, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ, LC_ALL="C"))
    return done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8", "replace")


def _error(code, stderr):
    lines = stderr.strip().splitlines()
    hints = [line.split("hint: ", 1)[1] for line in lines if line.lstrip().startswith("hint: ")]
    message = "\n".join(line for line in lines if not line.lstrip().startswith("hint: "))
    kind = "unsure" if "may or may not" in message else _KINDS.get(code, "failed")
    return LastWordError(kind, message or "last-word ended with %s" % code, hints[0] if hints else None)


def _home(named):
    if named is not None:
        return os.fspath(named)
    if os.environ.get("LAST_WORD_HOME"):
        return os.environ["LAST_WORD_HOME"]
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(config, "agents", "last-word")


def _checked_home(named):
    home = _home(named)
    try:
        facts = os.stat(home)
        os.stat(os.path.join(home, "tmp"))
        os.stat(os.path.join(home, "pending"))
    except OSError as e:
        raise LastWordError("failed", "there is no home: %s" % e, "last-word init makes it")
    if facts.st_uid != os.geteuid() or facts.st_mode & 0o022:
        raise LastWordError("failed", "%s is not ours alone: others can write to it" % home, "chmod go-w, chown")
    return home


def _drop(text, named_home):
    if len(text) > DECLARATION_BYTES_MAX:
        raise LastWordError("refused", "the declaration has %d bytes, %d are the most" % (len(text), DECLARATION_BYTES_MAX))
    home = _checked_home(named_home)
    # Dropped files are taken in by the order of their names.
    name = "%015d-%06d-%s.json" % (time.time() * 1000, next(_drops) % 1000000, os.urandom(6).hex())
    written, dropped = os.path.join(home, "tmp", name), os.path.join(home, "pending", name)
    try:
        _write_new(written, text)
        os.rename(written, dropped)
    except OSError as e:
        _forget(written)
        raise LastWordError("failed", "cannot leave a declaration in %s: %s" % (home, e))
    try:
        for directory in ("pending", "tmp"):
            _sync_directory(os.path.join(home, directory))
    except OSError as e:
        raise LastWordError("unsure", "%s may or may not be durable: %s" % (dropped, e))
    return dropped


def _write_new(path, text):
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        rest = memoryview(text)
        while rest:
            rest = rest[os.write(file, rest):]
        _sync(file)
    finally:
        os.close(file)


def _sync(file):
    try:
        import fcntl
        full = fcntl.F_FULLFSYNC  # macOS: fsync alone leaves the bytes in the drive's cache
    except (ImportError, AttributeError):
        return os.fsync(file)
    try:
        fcntl.fcntl(file, full)
    except OSError as e:
        if e.errno not in (errno.ENOTSUP, errno.EINVAL):
            raise
        os.fsync(file)


def _sync_directory(path):
    directory = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        _sync(directory)
    finally:
        os.close(directory)


def _forget(path):
    try:
        os.unlink(path)
    except OSError:
        pass  # `work` sweeps `tmp/`
