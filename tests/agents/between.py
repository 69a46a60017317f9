#!/usr/bin/env python3
"""Stands between a client and `last-word mcp`, and writes down what both say: one line of JSON a frame.

    between.py BINARY FILE"""

import json
import subprocess
import sys
import threading

binary, path = sys.argv[1:3]
server = subprocess.Popen([binary, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
lock = threading.Lock()


def note(who, line):
    with lock, open(path, "a") as file:
        try:
            file.write(json.dumps({who: json.loads(line)}, ensure_ascii=False) + "\n")
        except ValueError:
            file.write(json.dumps({who: line.decode("utf-8", "replace")}) + "\n")


def answers():
    for line in server.stdout:
        note("server", line)
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()


reader = threading.Thread(target=answers)
reader.start()
for line in sys.stdin.buffer:
    note("client", line)
    server.stdin.write(line)
    server.stdin.flush()
server.stdin.close()
reader.join()
sys.exit(server.wait())
