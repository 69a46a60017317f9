//! A client of `last-word mcp`, as small as the protocol allows: a line of JSON each way over the pipes of a real process.

use super::User;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// The revisions with and without a handshake.
pub const WITH_HANDSHAKE: &str = "2025-11-25";
pub const WITHOUT_HANDSHAKE: &str = "2026-07-28";
/// A server that says nothing for so long is stuck; no test waits for it otherwise.
const STUCK: Duration = Duration::from_secs(120);

pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Value>,
    next: u64,
    /// What every request says of itself, where there was no handshake.
    meta: Option<Value>,
    /// Notifications that came between answers.
    pub told: Vec<Value>,
}

impl Client {
    /// A server of this user's, to which nothing was said.
    pub fn start(user: &User, args: &[&str]) -> Client {
        let mut command = user.command([&["mcp"], args].concat());
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (tell, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let message = serde_json::from_str(&line)
                    .unwrap_or_else(|e| json!({ "no JSON": line, "why": e.to_string() }));
                if tell.send(message).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        Client { child, stdin, lines, next: 0, meta: None, told: Vec::new() }
    }

    /// A server that shook hands with this client.
    pub fn named(user: &User, name: &str, version: &str) -> Client {
        let mut client = Client::start(user, &[]);
        client.shake_hands(WITH_HANDSHAKE, name, version);
        client
    }

    pub fn shake_hands(&mut self, protocol: &str, name: &str, version: &str) -> Value {
        let who = json!({ "name": name, "version": version });
        let said = self
            .ask("initialize", json!({ "protocolVersion": protocol, "capabilities": {}, "clientInfo": who }));
        self.notify("notifications/initialized", json!({}));
        said
    }

    /// From here on every request says by itself who asks, as the revision without a handshake has it.
    pub fn without_handshake(&mut self, name: &str, version: &str) {
        self.meta = Some(json!({
            "io.modelcontextprotocol/protocolVersion": WITHOUT_HANDSHAKE,
            "io.modelcontextprotocol/clientInfo": { "name": name, "version": version },
            "io.modelcontextprotocol/clientCapabilities": {},
        }));
    }

    /// Bytes as they are. That the server has gone is no failure here.
    pub fn raw(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        let _ = stdin.write_all(bytes).and_then(|()| stdin.flush());
    }

    fn send(&mut self, message: &Value) {
        self.raw(format!("{message}\n").as_bytes());
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and does not wait; its id.
    pub fn begin(&mut self, method: &str, mut params: Value) -> u64 {
        self.next += 1;
        if let Some(meta) = self.meta.clone() {
            let mut meta = meta;
            for (name, value) in params["_meta"].as_object().into_iter().flatten() {
                meta[name] = value.clone();
            }
            params["_meta"] = meta;
        }
        self.send(&json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params }));
        self.next
    }

    pub fn begin_tool(&mut self, name: &str, arguments: Value) -> u64 {
        self.begin("tools/call", json!({ "name": name, "arguments": arguments }))
    }

    /// The next message, whatever it is; none once the server has gone.
    pub fn message(&mut self) -> Option<Value> {
        match self.lines.recv_timeout(STUCK) {
            Ok(message) => {
                assert!(
                    message.get("no JSON").is_none(),
                    "standard output carries something else: {message}"
                );
                Some(message)
            }
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => None,
            Err(timeout) => panic!("{timeout}"),
        }
    }

    /// The answer to a request, whole; notifications before it are kept.
    pub fn answer(&mut self, id: u64) -> Value {
        loop {
            let message =
                self.message().unwrap_or_else(|| panic!("the server has gone before it answered {id}"));
            if message["id"] == json!(id) {
                return message;
            }
            assert!(message.get("id").is_none(), "an answer nobody waits for: {message}");
            self.told.push(message);
        }
    }

    /// The result of a request.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        let answer = self.answer(id);
        answer.get("result").unwrap_or_else(|| panic!("{method}: {answer}")).clone()
    }

    /// What a tool answers; text and value are held to be there.
    pub fn tool(&mut self, name: &str, arguments: Value) -> Value {
        let said = self.ask("tools/call", json!({ "name": name, "arguments": arguments }));
        assert!(said["content"][0]["text"].as_str().is_some_and(|text| !text.is_empty()), "{said}");
        said
    }

    /// The structured part of what a tool answers that did what it was asked for.
    pub fn done(&mut self, name: &str, arguments: Value) -> Value {
        let said = self.tool(name, arguments);
        assert_eq!(said["isError"], json!(false), "{said}");
        said["structuredContent"].clone()
    }

    /// Goes, as a client does; how the server ended.
    pub fn goes(mut self) -> ExitStatus {
        drop(self.stdin.take());
        while self.message().is_some() {}
        self.child.wait().unwrap()
    }

    /// The server is killed where it is.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
