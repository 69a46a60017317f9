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


class Terminal:
    def __init__(self, words, env, cwd, requests):
        self.requests, self.sent = requests, b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            os.execvpe(words[0], words, {**env, "TERM": "xterm-256color", "COLORTERM": "truecolor"})
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
        threading.Thread(target=self.read, daemon=True).start()
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

    def say(self, text, brings_request=True):
        """Types a line; the requests that its model got from then on."""
        seen = len(self.requests())
        os.write(self.fd, text.encode())
        time.sleep(0.6)
        os.write(self.fd, b"\r")
        end = time.time() + 30
        while brings_request and time.time() < end and len(self.requests()) == seen:
            time.sleep(0.1)
        self.settle(quiet_s=2, limit_s=15)
        return self.requests()[seen:]

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
