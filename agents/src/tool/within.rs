//! Calls within a call: a hub's tool is told which tool it calls, and with which arguments; a task has its command in an object.

use super::names::words_of;
use super::{ToolCall, command, is_relative, quoted, runs};
use crate::fields;
use serde_json::Value;

/// Fields with the arguments of another tool, as an object or as a text of JSON; and those that name that tool, and its server.
const ARGUMENTS: [&str; 9] = [
    "arguments",
    "args",
    "params",
    "parameters",
    "input",
    "tool_input",
    "toolInput",
    "tool_args",
    "toolArgs",
];
const TOOLS: [&str; 9] = [
    "tool",
    "tool_name",
    "toolName",
    "name",
    "function",
    "recipient_name",
    "recipientName",
    "method",
    "action",
];
const SERVERS: [&str; 3] = ["server", "server_name", "serverName"];
/// Fields with a list of calls.
const LISTS: [&str; 2] = ["tool_calls", "calls"];
/// Words in the name of a tool that calls another one, which its input names.
const CALLING: [&str; 7] = ["tool", "tools", "call", "invoke", "execute", "use", "batch"];
/// How deep calls within calls are looked into, and how many of one call.
const DEPTH_MAX: usize = 4;
const CALLS_MAX: usize = 64;

/// The call with all calls within it as one; `None` where there are none.
pub(super) fn calls(name: &str, input: &Value, joined: Option<char>, depth: usize) -> Option<ToolCall> {
    let fields = input.as_object().filter(|_| depth < DEPTH_MAX)?;
    let mut outer = fields.clone();
    let mut found: Vec<ToolCall> = Vec::new();
    if let Some((field, arguments)) = arguments(input) {
        outer.remove(field);
        let called =
            called(input).filter(|_| words_of(name).iter().any(|word| CALLING.contains(&word.as_str())));
        let called = called.unwrap_or_else(|| name.to_owned());
        found.push(ToolCall::read_within(&called, &arguments, joined, depth + 1));
    }
    for (list, value) in fields {
        let Some(calls) = calls_of(list, value) else { continue };
        outer.remove(list);
        for call in calls.iter().take(CALLS_MAX) {
            let tool = fields::text(call, &TOOLS).unwrap_or_else(|| name.to_owned());
            // `functions.exec_command`: a tool of a name space.
            let tool = tool.rsplit('.').next().unwrap_or(&tool).to_owned();
            let (_, arguments) = arguments(call).unwrap_or(("", call.clone()));
            found.push(ToolCall::read_within(&tool, &arguments, joined, depth + 1));
        }
    }
    // `{"task": {"command": …}}`, `{"tasks": [{"command": …}]}`
    let objects = outer.values().flat_map(|value| match value {
        Value::Array(list) => list.as_slice(),
        one => std::slice::from_ref(one),
    });
    let commands = objects
        .filter(|one| one.is_object() && (command(one).is_some() || runs(one).is_some()))
        .take(CALLS_MAX);
    found.extend(commands.map(|one| ToolCall::read_within("shell", one, joined, depth + 1)));
    if found.is_empty() {
        return None;
    }
    found.insert(0, ToolCall::read_alone(name, &Value::Object(outer), joined));
    Some(as_one(name, found))
}

/// A list of calls in a field, also as a text of JSON: by the field's name, or because each of it names a tool and has arguments.
fn calls_of(list: &str, value: &Value) -> Option<Vec<Value>> {
    let text = value.as_str().filter(|text| text.trim_start().starts_with('['));
    let parsed = text.and_then(|text| serde_json::from_str::<Value>(text).ok());
    let calls = parsed.as_ref().unwrap_or(value).as_array()?;
    let is_call = |one: &Value| fields::text(one, &TOOLS).is_some() && arguments(one).is_some();
    let is_list = LISTS.contains(&list) || !calls.is_empty() && calls.iter().all(is_call);
    is_list.then(|| calls.clone())
}

/// The arguments of another tool in an input, with the name of their field. Text that is typed is no such arguments.
fn arguments(input: &Value) -> Option<(&'static str, Value)> {
    let is_typed = |field: &str| field == "input" && called(input).is_none();
    ARGUMENTS.iter().find_map(|field| {
        let value = input.get(field)?;
        let parsed = value.as_str().filter(|text| text.trim_start().starts_with('{') && !is_typed(field));
        let value = parsed.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_else(|| value.clone());
        value.is_object().then_some((*field, value))
    })
}

/// The tool that an input names, in the form of a server's.
fn called(input: &Value) -> Option<String> {
    let tool = fields::text(input, &TOOLS)?;
    let server = fields::text(input, &SERVERS);
    let is_whole = server.is_none() && tool.get(..3).is_some_and(|head| head.eq_ignore_ascii_case("mcp"));
    Some(if is_whole { tool } else { format!("mcp__{}__{tool}", server.as_deref().unwrap_or("hub")) })
}

/// Several calls as one. What each of them writes stands among the outputs: others may read files.
fn as_one(name: &str, calls: Vec<ToolCall>) -> ToolCall {
    let mut all = ToolCall { name: name.to_owned(), ..ToolCall::default() };
    for call in calls {
        let dir = call.workdir.as_deref();
        let placed = |path: String| match dir {
            Some(dir) if is_relative(&path) => format!("{dir}/{path}"),
            _ => path,
        };
        if call.writes {
            all.outputs.extend(call.paths.into_iter().map(placed));
        } else if call.reads {
            all.paths.extend(call.paths.into_iter().map(placed));
        }
        all.outputs.extend(call.outputs.into_iter().map(placed));
        all.gone.extend(call.gone.into_iter().map(placed));
        all.below.extend(call.below.into_iter().map(placed));
        all.reads |= call.reads;
        all.switches_hooks_off |= call.switches_hooks_off;
        all.patch =
            [all.patch, call.patch].into_iter().flatten().reduce(|all, patch| format!("{all}\n{patch}"));
        if let Some(command) = call.command {
            let line =
                dir.map_or_else(|| command.clone(), |dir| format!("(cd {}\n{command}\n)", quoted(dir)));
            // It begins with a line's end, so that it is none of the lines that are allowed without a question.
            all.command = Some(format!("{}\n{line}", all.command.unwrap_or_default()));
        }
    }
    all
}
