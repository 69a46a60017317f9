//! opencode. It has no command hooks: the plugin that `install` writes (`form/opencode.js`) calls us with the events of agenthooks, and
//! names the session in the environment of each command.

use crate::event::{HookEvent, Reply};
use crate::form::{self, OwnForm};
use crate::marks::Marks;
use crate::server::{ListForm, ServerList};
use crate::tool::ToolCall;
use crate::wiring::Wiring;
use crate::{Agent, OwnFile, generic};
use serde_json::Value;

#[derive(Debug)]
pub(crate) struct Opencode;
pub(crate) static AGENT: Opencode = Opencode;

impl Agent for Opencode {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn title(&self) -> &'static str {
        "opencode"
    }

    fn read(&self, payload: &Value) -> HookEvent {
        // A server's tool is `server_tool`.
        generic::read_with(payload, |name, input| ToolCall::read_joined(name, input, '_'))
    }

    fn reply(&self, event: &HookEvent, reply: &Reply) -> Option<String> {
        generic::AGENT.reply(event, reply)
    }

    fn headless(&self) -> &'static [&'static str] {
        &["run"]
    }

    fn reads(&self) -> &'static [OwnFile] {
        const FILES: [OwnFile; 1] = [OwnFile::always("AGENTS.md")];
        &FILES
    }

    fn marks(&self) -> Marks {
        Marks::named(&["OPENCODE", "OPENCODE_CLIENT"]).programs(&["opencode", "opencode-ai"])
    }

    fn servers(&self) -> Option<ServerList> {
        Some(ServerList {
            user: ".config/opencode/opencode.json",
            variable: Some(("XDG_CONFIG_HOME", "opencode/opencode.json")),
            project: "opencode.json",
            form: ListForm::CommandJson("mcp"),
        })
    }

    fn wiring(&self) -> Option<Wiring> {
        None
    }

    fn form(&self) -> Option<OwnForm> {
        Some(OwnForm {
            dir: ".config/opencode",
            variable: Some(("XDG_CONFIG_HOME", "opencode")),
            hooks: Some("plugins/last-word.js"),
            files: form::opencode,
        })
    }
}
