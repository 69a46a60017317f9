#!/usr/bin/env python3
"""`last-word mcp` behind the protocol's other transport, for tests that speak HTTP alone: each message is handed on unchanged but
for its id, which has to be unique where several connections share a server, and gets it back.

    mcp-bridge.py BINARY    (says its address on standard output once it listens)

A client of a revision with a handshake gets a server of its own (`Mcp-Session-Id`); those without share one."""

import itertools
import json
import queue
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BINARY = sys.argv[1]
LIMIT_S = 30
numbers = itertools.count(1)


class Server:
    """One `last-word mcp`. Answers and notifications that belong to a request go to whoever sent it."""

    def __init__(self):
        self.child = subprocess.Popen([BINARY, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.lock, self.waiting = threading.Lock(), {}
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.child.stdout:
            message = json.loads(line)
            number = message.get("id")
            # What has no id, progress for example, is for who waits longest: the suite asks one thing at a time.
            with self.lock:
                wanted = self.waiting.get(number) or next(iter(self.waiting.values()), None)
            if wanted:
                wanted.put(message)

    def send(self, message):
        self.child.stdin.write(json.dumps(message).encode() + b"\n")
        self.child.stdin.flush()

    def ask(self, message):
        """The messages up to the answer."""
        number, own = next(numbers), message["id"]
        heard = queue.Queue()
        with self.lock:
            self.waiting[number] = heard
        try:
            self.send({**message, "id": number})
            while True:
                said = heard.get(timeout=LIMIT_S)
                if said.get("id") == number and "method" not in said:
                    yield {**said, "id": own}
                    return
                yield said
        finally:
            with self.lock:
                self.waiting.pop(number, None)


def is_without_handshake(message):
    """Whether the message says itself which revision it is of."""
    return "io.modelcontextprotocol/protocolVersion" in (message.get("params", {}).get("_meta") or {})


sessions, shared = {}, []
making = threading.Lock()


class Door(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        # There is no stream of the server's own.
        self.answer(405)

    def do_DELETE(self):
        server = sessions.pop(self.headers.get("Mcp-Session-Id"), None)
        if server:
            server.child.stdin.close()
        self.answer(200 if server else 404)

    def do_POST(self):
        try:
            message = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        except ValueError:
            said = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "this is not JSON"}}
            return self.answer(400, json.dumps(said).encode(), Content_Type="application/json")
        headers = {}
        with making:
            name = self.headers.get("Mcp-Session-Id")
            if message.get("method") == "initialize" and not is_without_handshake(message):
                name = f"session-{next(numbers)}"
                sessions[name] = Server()
                headers["Mcp_Session_Id"] = name
            if name is None and not shared:
                shared.append(Server())
            server = sessions.get(name) if name else shared[0]
        if server is None:
            return self.answer(404)
        if "id" not in message or "method" not in message:
            server.send(message)
            return self.answer(202)
        heard = list(server.ask(message))
        if len(heard) == 1:
            body = json.dumps(heard[0]).encode()
            # Without a handshake the transport gives an error its own status.
            code = heard[0].get("error", {}).get("code")
            status = 200 if name or code is None else 404 if code == -32601 else 400
            return self.answer(status, body, Content_Type="application/json", **headers)
        body = "".join(f"event: message\ndata: {json.dumps(one)}\n\n" for one in heard).encode()
        self.answer(200, body, Content_Type="text/event-stream", **headers)


door = ThreadingHTTPServer(("127.0.0.1", 0), Door)
print(f"http://127.0.0.1:{door.server_address[1]}/mcp", flush=True)
door.serve_forever()
