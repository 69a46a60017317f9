"""An agent on a terminal of its own: keys in, what the screen was sent out. Waits for requests to the model, not for time, wherever
a request is what a key brings about."""

import fcntl
import os
import pty
import re
import signal
import struct
import termios
import threading
import time

# What programs ask a terminal, and what one answers.
ANSWERS = [
    (b"\x1b[6n", b"\x1b[1;1R"),
    (b"\x1b[c", b"\x1b[?62;c"),
    (b"\x1b]11;?", b"\x1b]11;rgb:0000/0000/0000\x1b\\"),
    (b"\x1b[?u", b"\x1b[?0u"),
]


# So much has been drawn at least, in letters, when a program takes input.
DRAWN_MIN = 150


class Terminal:
    def __init__(self, words, env, cwd, requests, ready=""):
        self.requests, self.sent = requests, b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            os.execvpe(words[0], words, {**env, "TERM": "xterm-256color", "COLORTERM": "truecolor"})
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
        threading.Thread(target=self.read, daemon=True).start()
        end = time.time() + 120
        while time.time() < end and (len(self.words()) < DRAWN_MIN or ready not in self.text()):
            time.sleep(0.2)
        self.settle(quiet_s=6, limit_s=60)

    def read(self):
        while True:
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                return
            if not data:
                return
            self.sent += data
            for asked, answer in ANSWERS:
                if asked in data:
                    os.write(self.fd, answer)

    def settle(self, quiet_s=3, limit_s=40):
        """Until nothing was drawn for a while."""
        end, last, since = time.time() + limit_s, -1, time.time()
        while time.time() < end and time.time() - since < quiet_s:
            if len(self.sent) != last:
                last, since = len(self.sent), time.time()
            time.sleep(0.1)

    def text(self):
        text = re.sub(r"\x1b\][^\x07\x1b]*(\x07|\x1b\\)", "", self.sent.decode("utf-8", "replace"))
        return re.sub(r"\x1b\[[0-9;?<>=]*[a-zA-Z]", "", text)

    def words(self):
        """All that it ever drew, without the white space that a screen puts between words."""
        return re.sub(r"\s", "", self.text())

    def keys(self, text):
        os.write(self.fd, text.encode())

    def say(self, text, requests=1, approve=False):
        """Types a line; the requests that its model got from then on. Waits for so many of them; `approve`: presses Enter meanwhile, which
        takes the first answer to whatever it asks."""
        seen = len(self.requests())
        self.type(text)
        end, pressed = time.time() + 240, time.time()
        # A line without an order brings up no question, so that Enter does nothing but send it, where the first one was too early.
        again = approve or ("<<" not in text and not text.startswith("/"))
        while time.time() < end and len(self.requests()) < seen + requests:
            if again and time.time() - pressed > 8:
                self.keys("\r")
                pressed = time.time()
            time.sleep(0.1)
        self.settle(quiet_s=2, limit_s=15)
        return self.requests()[seen:]

    def type(self, text):
        """A line with Enter, once the screen has it."""
        drawn = len(self.words())
        self.keys(text)
        end = time.time() + 20
        while time.time() < end and re.sub(r"\s", "", text)[-12:] not in self.words()[drawn:]:
            time.sleep(0.1)
        self.settle(quiet_s=1, limit_s=10)
        self.keys("\r")

    def quit(self, text):
        """Types what ends it; whether it ended."""
        self.type(text)
        end = time.time() + 30
        while time.time() < end:
            if os.waitpid(self.pid, os.WNOHANG)[0]:
                self.pid = 0
                return True
            time.sleep(0.1)
        return False

    def kill(self):
        """Ends it with all that it started: it leads the session of its terminal."""
        if not self.pid:
            return
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.waitpid(self.pid, 0)
        self.pid = 0
