#!/usr/bin/env python3
"""A model on the loopback that does what the prompt says, in the dialect of each agent: Anthropic Messages, OpenAI
Responses and Chat Completions, Gemini generateContent. It needs no key and knows nothing.

A prompt that has RUN<<command>> makes it call the agent's shell tool with that command, WRITE<<path>> the tool that writes a
file, TOOL<<name {...}>> any tool, CODE<<program>> the tool that runs JavaScript; several are called one after another, and $RESULT in
one stands for the last number in the result before, %WHOSE% for the flags that name the session in what the agent was shown (a `$` opens a
list on the terminal of Codex). Any other
prompt, and the last result, is answered with a sentence. Each request is written as one line of JSON to the log, so that a runner can
see what the model was shown."""

import json
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ANSWER = "Hello there."
DONE = "All done."
# What it writes into a file.
WRITTEN = "- it's \"said\" with `ticks` for $5\n"
SHELLS = ["run_shell_command", "exec_command", "shell_command", "Bash", "bash", "shell", "local_shell"]
WRITERS = ["write_file", "Write", "create", "write"]


def orders(text):
    """What a prompt asks for, in its order: ('run', command), ('write', path), ('tool', name and input). What stands in [[…]] is
    for a model that is asked by this one."""
    found = re.findall(r"(RUN|WRITE|TOOL|CODE)<<(.*?)>>", text, re.S) or re.findall(r"(RUN)\[\[(.*?)\]\]", text, re.S)
    return [(kind.lower(), what) for kind, what in found]


def call_of(wanted, tools):
    """The tool call for an order: name, input. `tools` are the names that the agent offers."""
    kind, what = wanted
    if kind == "tool":
        name, _, arguments = what.partition(" ")
        return name, json.loads(arguments or "{}")
    if kind == "code":
        return "exec", what
    names = SHELLS if kind == "run" else WRITERS
    name = next((name for name in names if name in tools), None)
    if name is None and kind == "write":
        # Who has no tool for it writes by its shell.
        return call_of(("run", f"cat > {what} <<'END'\n{WRITTEN}END"), tools)
    if name is None:
        return None
    if kind == "run":
        keys = {"exec_command": "cmd"}
        arguments = {keys.get(name, "command"): what}
        if name in ("shell", "local_shell"):
            arguments = {"command": ["bash", "-c", what]}
        if name in ("bash", "Bash", "run_shell_command"):
            arguments["description"] = "what was asked for"
        if name == "run_shell_command":
            arguments["is_background"] = False
        return name, arguments
    keys = {"create": "path", "write": "filePath"}
    text = {"create": "file_text"}
    return name, {keys.get(name, "file_path"): what, text.get(name, "content"): WRITTEN}


def text_of(content):
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(text_of(part) for part in content)
    if isinstance(content, dict):
        for key in ("text", "content", "input_text"):
            if key in content:
                return text_of(content[key])
    return ""


class Turn:
    """What a request says, whatever its dialect: the last prompt, the results of tools since, the tools on offer."""

    def __init__(self, tools, request):
        self.prompt, self.results, self.tools = "", [], tools
        self.whose = re.search(r" --agent [a-z_]+ --session [\w-]+", json.dumps(request))

    def said(self, text):
        self.prompt, self.results = text, []

    def reply(self):
        """(text, call): one of them."""
        wanted = orders(self.prompt)
        if len(self.results) >= len(wanted):
            return (DONE if self.results else ANSWER), None
        kind, what = wanted[len(self.results)]
        if self.results and "$RESULT" in what:
            numbers = re.findall(r"session ID (\d+)", self.results[-1]) or re.findall(r"\d+", self.results[-1])
            what = what.replace("$RESULT", numbers[-1] if numbers else "0")
        what = what.replace(" %WHOSE%", self.whose.group(0) if self.whose else "")
        call = call_of((kind, what), self.tools)
        return (None, call) if call else ("There is no such tool.", None)


class Model(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    log = None
    lock = threading.Lock()
    count = 0

    def log_message(self, *_):
        pass

    def send_text(self, text, kind="application/json", status=200):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def send_json(self, value, status=200):
        self.send_text(json.dumps(value), status=status)

    def stream(self, events):
        lines = []
        for name, data in events:
            if name:
                lines.append(f"event: {name}\n")
            lines.append(f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n")
        self.send_text("".join(lines), "text/event-stream")

    def do_GET(self):
        if self.path.rstrip("/").endswith("/models"):
            return self.send_json({"object": "list", "data": [{"id": "mock", "object": "model"}]})
        return self.send_json({})

    def do_HEAD(self):
        self.send_text("")

    def do_POST(self):
        length = int(self.headers.get("Content-Length") or 0)
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            body = b""
            while True:
                size = int(self.rfile.readline().split(b";")[0], 16)
                chunk = self.rfile.read(size)
                self.rfile.readline()
                if size == 0:
                    break
                body += chunk
        else:
            body = self.rfile.read(length)
        try:
            request = json.loads(body or b"{}")
        except ValueError:
            request = {}
        with Model.lock:
            Model.count += 1
            if Model.log:
                with open(Model.log, "a") as log:
                    log.write(json.dumps({"at": time.time(), "path": self.path, "request": request}) + "\n")
        path = self.path.split("?")[0]
        if path.endswith("/messages/count_tokens"):
            return self.send_json({"input_tokens": 10})
        if path.endswith("/messages"):
            return self.anthropic(request)
        if path.endswith("/responses"):
            return self.openai_responses(request)
        if path.endswith("/chat/completions"):
            return self.chat(request)
        if "GenerateContent" in path or path.endswith(":generateContent"):
            return self.gemini(request, "stream" in path)
        if path.endswith(":countTokens"):
            return self.send_json({"totalTokens": 10})
        return self.send_json({})

    # ---- Anthropic Messages ----

    def anthropic(self, request):
        turn = Turn([tool.get("name") for tool in request.get("tools") or []], request)
        for message in request.get("messages", []):
            if message.get("role") != "user":
                continue
            content = message.get("content")
            parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
            results = [part for part in parts if part.get("type") == "tool_result"]
            texts = [part.get("text", "") for part in parts if part.get("type") == "text"]
            own = [text for text in texts if text and not text.lstrip().startswith("<system-reminder>")]
            if own and not results:
                turn.said("\n".join(own))
            turn.results += [text_of(result) for result in results]
        text, call = turn.reply()
        if call:
            block = {"type": "tool_use", "id": f"toolu_{Model.count}", "name": call[0], "input": call[1]}
        else:
            block = {"type": "text", "text": text}
        stop = "tool_use" if call else "end_turn"
        usage = {"input_tokens": 10, "output_tokens": 5}
        base = {"id": f"msg_{Model.count}", "type": "message", "role": "assistant", "model": "mock"}
        if not request.get("stream"):
            return self.send_json({**base, "content": [block], "stop_reason": stop, "stop_sequence": None, "usage": usage})
        if call:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(call[1])}
        else:
            start = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": text}
        ended = {"stop_reason": stop, "stop_sequence": None}
        message = {**base, "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
        return self.stream([
            ("message_start", {"type": "message_start", "message": message}),
            ("content_block_start", {"type": "content_block_start", "index": 0, "content_block": start}),
            ("content_block_delta", {"type": "content_block_delta", "index": 0, "delta": delta}),
            ("content_block_stop", {"type": "content_block_stop", "index": 0}),
            ("message_delta", {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 5}}),
            ("message_stop", {"type": "message_stop"}),
        ])

    # ---- OpenAI Responses ----

    def openai_responses(self, request):
        turn = Turn([tool.get("name") or tool.get("type") for tool in request.get("tools") or []], request)
        for item in request.get("input", []):
            if item.get("type", "message") == "message" and item.get("role") == "user":
                text = text_of(item.get("content"))
                if text and not text.lstrip().startswith(("<environment_context", "# AGENTS.md", "<user_instructions")):
                    turn.said(text)
            elif item.get("type", "").endswith("_output"):
                turn.results.append(text_of(item.get("output")))
        text, call = turn.reply()
        number = Model.count
        if call:
            # Codex lists the tools of a server in a namespace: NAMESPACE::NAME.
            namespace, _, name = call[0].rpartition("::")
            item = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": name,
                    "arguments": json.dumps(call[1]), "status": "completed"}
            if namespace:
                item["namespace"] = namespace
            if isinstance(call[1], str):
                item = {"type": "custom_tool_call", "id": f"ctc_{number}", "call_id": f"call_{number}", "name": name,
                        "input": call[1], "status": "completed"}
        else:
            content = [{"type": "output_text", "text": text, "annotations": []}]
            item = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": content}
        usage = {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5,
                 "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 15}
        done = {"id": f"resp_{number}", "object": "response", "status": "completed", "model": "mock", "output": [item],
                "usage": usage}
        if not request.get("stream"):
            return self.send_json(done)
        begun = {**done, "status": "in_progress", "output": [], "usage": None}
        events = [("response.created", {"type": "response.created", "response": begun})]
        events.append(("response.output_item.added",
                       {"type": "response.output_item.added", "output_index": 0, "item": {**item, "status": "in_progress"}}))
        if not call:
            events.append(("response.output_text.delta", {"type": "response.output_text.delta", "item_id": item["id"],
                           "output_index": 0, "content_index": 0, "delta": text}))
        events.append(("response.output_item.done", {"type": "response.output_item.done", "output_index": 0, "item": item}))
        events.append(("response.completed", {"type": "response.completed", "response": done}))
        return self.stream(events)

    # ---- OpenAI Chat Completions ----

    def chat(self, request):
        turn = Turn([tool.get("function", {}).get("name") for tool in request.get("tools") or []], request)
        for message in request.get("messages", []):
            if message.get("role") == "user":
                text = text_of(message.get("content"))
                if text:
                    turn.said(text)
            elif message.get("role") == "tool":
                turn.results.append(text_of(message.get("content")))
        text, call = turn.reply()
        if "respond_in_schema" in turn.tools:
            # Qwen Code asks whether a tool may run. What is refused is to be refused by us.
            text, call = None, ("respond_in_schema", {"shouldBlock": False})
        message = {"role": "assistant", "content": text}
        if call:
            function = {"name": call[0], "arguments": json.dumps(call[1])}
            message["tool_calls"] = [{"index": 0, "id": f"call_{Model.count}", "type": "function", "function": function}]
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        base = {"id": f"chat_{Model.count}", "created": 1, "model": "mock"}
        finish = "tool_calls" if call else "stop"
        if not request.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": finish}
            return self.send_json({**base, "object": "chat.completion", "choices": [choice], "usage": usage})
        chunk = {**base, "object": "chat.completion.chunk"}
        return self.stream([
            (None, {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}),
            (None, {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}], "usage": usage}),
            (None, "[DONE]"),
        ])

    # ---- Gemini ----

    def gemini(self, request, streamed):
        tools = []
        for tool in request.get("tools") or []:
            tools += [declared.get("name") for declared in tool.get("functionDeclarations") or []]
        turn = Turn(tools, request)
        for content in request.get("contents", []):
            if content.get("role") != "user":
                continue
            parts = content.get("parts", [])
            texts = [part["text"] for part in parts if part.get("text")]
            results = [json.dumps(part["functionResponse"]) for part in parts if "functionResponse" in part]
            turn.results += results
            if texts and not results:
                turn.said("\n".join(texts))
        config = request.get("generationConfig") or {}
        if config.get("responseMimeType") == "application/json" or config.get("responseJsonSchema"):
            parts = [{"text": json.dumps({"reasoning": "none", "next_speaker": "user", "model_choice": "flash",
                                          "complexity_reasoning": "none", "complexity_score": 1})}]
        else:
            text, call = turn.reply()
            parts = [{"functionCall": {"name": call[0], "args": call[1]}}] if call else [{"text": text}]
        reply = {
            "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
            "modelVersion": "mock",
        }
        if streamed:
            return self.stream([(None, reply)])
        return self.send_json(reply)


class Server(ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        """An agent that ends in the middle of a request is no news."""


def serve(log, port=0):
    """Starts it in a thread; the server, whose `server_address` has the port."""
    Model.log = log
    server = Server(("127.0.0.1", port), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


if __name__ == "__main__":
    server = serve(sys.argv[1] if len(sys.argv) > 1 else None, int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    print(server.server_address[1], flush=True)
    threading.Event().wait()
