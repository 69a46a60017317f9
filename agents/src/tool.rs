//! A tool call of any agent: which files it reads and which it would write. Decided from words in the tool's name and fields of
//! its input, because there are more tools than could be listed: MCP servers bring their own.

mod meant;
mod names;
mod within;

use crate::shell::{self, Analysis, Chosen, CommandDirs, CopiedTree, How, SimpleCommand, WrittenPath};
use crate::{fields, patch};
use names::{Taken, Whose, names_a_look, words_of};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// A tool and its input.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolCall {
    /// Its name.
    pub name: String,
    /// Paths of its input, as written.
    pub paths: Vec<String>,
    /// The patch it applies.
    pub patch: Option<String>,
    /// The shell command it runs.
    pub command: Option<String>,
    /// The directory it runs in, when it is not the session's.
    pub workdir: Option<String>,
    /// Whether its name says that it changes files.
    pub writes: bool,
    /// Where one that only looks puts what it found.
    pub outputs: Vec<String>,
    /// The directories that it removes or moves with all that is in them.
    pub gone: Vec<String>,
    /// Patterns of files that it changes, each anywhere below its directory.
    pub below: Vec<String>,
    /// A text that each of those has in it.
    pub below_with: Option<String>,
    /// Whether its name says that it reads files.
    pub reads: bool,
    /// Whether a text in its input names a setting that switches an agent's hooks off.
    pub switches_hooks_off: bool,
    /// Whether it is an agent's own shell, which is given a line and nothing else that it does.
    pub is_a_line: bool,
    /// Whether what it starts goes on while the agent does.
    pub is_left_behind: bool,
}

const WRITING: [&str; 24] = [
    "write",
    "edit",
    "replace",
    "create",
    "patch",
    "delete",
    "remove",
    "move",
    "rename",
    "append",
    "insert",
    "save",
    "update",
    "copy",
    "truncate",
    "apply",
    "set_file",
    "put_file",
    "modify",
    "change_file",
    "upsert",
    "format_file",
    "writing",
    "overwrit",
];
const READING: [&str; 4] = ["read", "view", "cat_file", "open_file"];
/// Parts of the names of tools of which `view` is one of several commands.
const VIEWING: [&str; 3] = ["str_replace", "editor", "memory"];
/// Fields with a line for a shell, or its words; and with the directory that it runs in.
const COMMANDS: [&str; 6] = ["command", "cmd", "script", "command_line", "shell_command", "argv"];
/// Fields that say that a command goes on while the agent does.
const LEFT_BEHIND: [&str; 5] =
    ["run_in_background", "runInBackground", "is_background", "isBackground", "background"];
const WORKDIRS: [&str; 5] = ["workdir", "cwd", "directory", "dir_path", "working_directory"];
const PATHS: [&str; 41] = [
    "pathInProject",
    "target_filepath",
    "absolutePath",
    "localPath",
    "outputPath",
    "output_path",
    "output_file",
    "save_path",
    "target_path",
    "target_notebook",
    "relative_path",
    "relativePath",
    "filepath",
    "file_name",
    "fileName",
    "oldPath",
    "newPath",
    "src",
    "dst",
    "source_path",
    "sourcePath",
    "destination_path",
    "destinationPath",
    "full_path",
    "file_path",
    "filePath",
    "path",
    "absolute_path",
    "notebook_path",
    "target_file",
    "file",
    "filename",
    "target",
    "destination",
    "dest",
    "source",
    "new_path",
    "old_path",
    "to",
    "from",
    "uri",
];
const LISTS: [&str; 7] = ["paths", "files", "edits", "file_paths", "replacements", "changes", "operations"];
/// Parts of the names of fields in which a server's tool is given a program.
const PROGRAMS: [&str; 8] = ["code", "source", "script", "program", "cmd", "python", "javascript", "snippet"];
/// Words in the names of fields in which it is given a directory, and the name of a file in it, which may lack its ending.
const FOLDERS: [&str; 11] = [
    "folder",
    "directory",
    "dir",
    "vault",
    "notebook",
    "parent",
    "base",
    "root",
    "workspace",
    "location",
    "cwd",
];
/// Words in the names of fields that say where something is moved to.
const TARGETS: [&str; 6] = ["to", "dst", "dest", "destination", "target", "new"];
/// Fields with what is run, of any tool; and those of a tool whose name says that it runs what it is given. A program may have its words in
/// a list beside it.
const RUN: [&str; 7] = ["run", "exec", "bash", "sh", "shell", "cmdline", "executable"];
const RUN_BY_NAME: [&str; 12] = [
    "text",
    "line",
    "lines",
    "input",
    "script",
    "program",
    "statement",
    "expression",
    "content",
    "body",
    "payload",
    "value",
];
const ARGS: [&str; 5] = ["args", "arguments", "argv", "parameters", "params"];
const TITLES: [&str; 6] = ["title", "name", "note", "document", "doc", "page"];
/// Those of them that mean a text alone.
const NOTES: [&str; 4] = ["note", "document", "doc", "page"];
/// Words in the names of fields in which also a tool that looks is told where to put what it found.
const OUTPUTS: [&str; 14] = [
    "out",
    "output",
    "outfile",
    "save",
    "dest",
    "destination",
    "download",
    "export",
    "write",
    "response",
    "request",
    "result",
    "screenshot",
    "recording",
];
/// Last words of the names of fields with a text that is written, said or searched, and names no file.
const TEXTS: [&str; 20] = [
    "content",
    "contents",
    "text",
    "string",
    "str",
    "body",
    "message",
    "query",
    "pattern",
    "regex",
    "description",
    "prompt",
    "comment",
    "summary",
    "reason",
    "instruction",
    "instructions",
    "explanation",
    "thought",
    "subject",
];
/// Words in the names of fields with the name of something that is no file: `libraryName`, `branch_name`.
const OTHERS: [&str; 18] = [
    "library",
    "package",
    "repository",
    "repo",
    "branch",
    "tag",
    "model",
    "user",
    "owner",
    "team",
    "domain",
    "topic",
    "tool",
    "server",
    "organization",
    "org",
    "channel",
    "host",
];
/// A longer text is not taken for a path; and the most texts of an input that are looked at.
const PATH_BYTES_MAX: usize = 4096;
const STRINGS_MAX: usize = 1_000;

impl ToolCall {
    /// Reads a call. `input` is an object, or a text of JSON that is one.
    #[must_use]
    pub fn read(name: &str, input: &Value) -> ToolCall {
        ToolCall::read_within(name, input, None, 0)
    }

    /// The same for an agent that writes a server's tool as the server's name, this character and the tool's.
    pub(crate) fn read_joined(name: &str, input: &Value, joined: char) -> ToolCall {
        ToolCall::read_within(name, input, Some(joined), 0)
    }

    /// A call that stands within so many others.
    fn read_within(name: &str, input: &Value, joined: Option<char>, depth: usize) -> ToolCall {
        let parsed = input.as_str().and_then(|text| serde_json::from_str(text).ok());
        let input = parsed.as_ref().unwrap_or(input);
        within::calls(name, input, joined, depth).unwrap_or_else(|| ToolCall::read_alone(name, input, joined))
    }

    /// A call without those that are within it.
    fn read_alone(name: &str, input: &Value, joined: Option<char>) -> ToolCall {
        let lower = name.to_ascii_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        let is_own_writer = names::is_own_writer(&lower);
        let without_owner = is_own_writer.then(|| without_a_hub(input)).flatten();
        let input = without_owner.as_ref().unwrap_or(input);
        let with_lists = with_lists(input);
        let input = with_lists.as_ref().unwrap_or(input);
        // A tool may be given a field that it does not know: each of them counts.
        let lines = [command(input).or_else(|| input.as_str().map(str::to_owned)), typed(&lower, input)];
        let command = lines.into_iter().flatten().reduce(|line, typed| format!("{line}\n{typed}"));
        let is_patch = command.as_deref().is_some_and(patch::is_patch);
        let patch = if is_patch { command.clone() } else { patches(&lower, input) };
        let mut paths = paths(input);
        // A server's tool may name the file it writes in any field: every text that can be a path counts as one.
        let looks = names_a_look(name, joined) && !says(&WRITING) && !is_given_another_text(input);
        let is_servers = names::whose(name) == Whose::Servers && !looks && !is_of_a_hub(input);
        let program = code_of_a_server(input, command.is_some()).filter(|_| is_servers);
        let runs_a_program = program.is_some();
        let run = [runs(input), run_by_name(name, input)]
            .into_iter()
            .flatten()
            .filter(|_| is_servers || name == "shell");
        let meant = meant::lines(name, input, joined, command.as_deref()).filter(|_| is_servers);
        let command = [command, program.map(|text| cell(&text)), meant].into_iter().flatten().chain(run);
        let command = command.reduce(|line, program| format!("{line}\n{program}"));
        // The field `command` of an editing tool is no shell line, but `view`, `create`, `str_replace`.
        let is_editor = !paths.is_empty() && says(&["edit"]);
        let is_shell = !is_editor && command.is_some() && !says(&["patch"]);
        let views = !paths.is_empty() && command.as_deref() == Some("view") && says(&VIEWING);
        // What runs a line writes what that says; another tool may have the field for something else, or not know it.
        let is_own_shell = names::is_own_shell(&lower);
        let writes = (says(&WRITING) || is_servers && !meant::only_adds(name, joined))
            && (!is_own_shell || runs_a_program)
            && !views;
        if writes && !is_of_a_hub(input) {
            let without_lines = is_shell.then(|| without_lines(input)).flatten();
            name_others(&mut paths, without_lines.as_ref().unwrap_or(input));
        }
        let workdir = fields::text(input, &WORKDIRS);
        if let Some(dir) = workdir.as_ref().filter(|_| is_own_writer) {
            // Those that we know take none: then the path is from where the session is.
            let there: Vec<String> = paths.iter().filter(|path| is_relative(path)).cloned().collect();
            paths.extend(there.iter().map(|path| format!("{dir}/{path}")));
        }
        ToolCall {
            name: name.to_owned(),
            paths,
            patch,
            command: command.filter(|_| is_shell),
            workdir: workdir.filter(|_| !is_own_writer),
            writes,
            outputs: if looks { outputs(input) } else { Vec::new() },
            gone: if writes { gone(name, input, joined) } else { Vec::new() },
            below: if writes && is_servers { meant::replaced_below(name, input, joined) } else { Vec::new() },
            below_with: meant::replaced_text(input),
            reads: views || (says(&READING) && !says(&WRITING)),
            switches_hooks_off: is_switched_off_by(input),
            is_a_line: names::takes_a_line(&lower),
            is_left_behind: lower == "monitor" || LEFT_BEHIND.iter().any(|name| fields::is_true(input, name)),
        }
    }
}

/// The patches that a tool is given, as one. Agents name the field otherwise: `input`, `patch_text`, `patchText`.
fn patches(tool: &str, input: &Value) -> Option<String> {
    let is_for_patches = tool.contains("patch") || tool.contains("edit");
    let fields = input.as_object().into_iter().flatten();
    let texts = fields.filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)));
    let found = texts.filter(|(name, text)| {
        let is_named = matches!(*name, "patch" | "diff" | "patch_text");
        is_named || patch::is_patch(text) && (is_for_patches || *name == "input")
    });
    found.map(|(_, text)| text.to_owned()).reduce(|all, one| format!("{all}\n{one}"))
}

/// What a tool is given to run, in fields that are for nothing else: each with the words in a list beside it.
fn runs(input: &Value) -> Option<String> {
    let found = RUN.iter().filter_map(|name| input.get(name)?.as_str());
    found.map(|text| run_with(text, input)).reduce(|all, one| format!("{all}\n{one}"))
}

/// What a tool is given in a field for any text, when its name says that it runs that.
fn run_by_name(name: &str, input: &Value) -> Option<String> {
    let fields = RUN_BY_NAME.iter().filter(|_| names::says_it_runs(name));
    let texts = fields.filter_map(|name| input.get(name)?.as_str());
    texts.map(|text| run_with(text, input)).reduce(|all, one| format!("{all}\n{one}"))
}

/// A text that is run as a shell line, with the words beside it, and as a program where it calls something.
fn run_with(text: &str, input: &Value) -> String {
    let lists = ARGS.iter().filter_map(|name| input.get(name)?.as_array());
    let args: String =
        lists.flatten().filter_map(Value::as_str).map(|arg| format!(" {}", quoted(arg))).collect();
    let calls = text
        .match_indices('(')
        .any(|(at, _)| text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'));
    if calls { cell(text) } else { format!("{text}{args}") }
}

/// The directories, or files, that a tool takes away, by its name.
fn gone(name: &str, input: &Value, joined: Option<char>) -> Vec<String> {
    let taken = names::takes(name, joined);
    if taken == Taken::Stay || is_of_a_hub(input) {
        return Vec::new();
    }
    let is_target = |name: &str| words_of(name).iter().any(|word| TARGETS.contains(&word.as_str()));
    let fields = input.as_object().into_iter().flatten();
    let fields = fields.filter(|(name, _)| taken == Taken::Removed || !is_target(name));
    fields
        .flat_map(|(_, value)| texts_in(value, 0))
        .map(|path| without_scheme(&path).to_owned())
        .take(STRINGS_MAX)
        .collect()
}

/// The texts in a value that may be paths, also of one name.
fn texts_in(value: &Value, depth: usize) -> Vec<String> {
    match value {
        Value::String(text) if text.len() < PATH_BYTES_MAX && !text.contains('\n') => vec![text.clone()],
        Value::Array(list) if depth < DEPTH_MAX => {
            list.iter().flat_map(|one| texts_in(one, depth + 1)).collect()
        }
        Value::Object(fields) if depth < DEPTH_MAX => {
            fields.values().flat_map(|one| texts_in(one, depth + 1)).collect()
        }
        _ => Vec::new(),
    }
}

/// Text typed into a process, or the cell of a notebook.
fn typed(name: &str, input: &Value) -> Option<String> {
    let says = |words: &[&str]| words.iter().any(|word| name.contains(word));
    let types = says(&["tmux", "terminal", "send_keys", "send-keys", "pty"]);
    let text = fields::text(input, &["input", "code"])
        .or_else(|| fields::text(input, &["keys", "text", "data"]).filter(|_| types))?;
    let typed = says(&["process", "terminal", "execute", "run_code", "repl", "python", "jupyter", "bash"]);
    (typed || types).then(|| cell(&without_keys(&text)))
}

/// Whether a path is one from a directory that is not in it.
fn is_relative(path: &str) -> bool {
    !path.starts_with(['/', '~', '$'])
}

/// The input of a tool that writes on this machine, without the owner of a repository on a server.
fn without_a_hub(input: &Value) -> Option<Value> {
    let mut fields = input.as_object().filter(|_| is_of_a_hub(input))?.clone();
    fields.remove("owner");
    Some(Value::Object(fields))
}

/// An input with the lists of files in it that are given as a text of JSON.
fn with_lists(input: &Value) -> Option<Value> {
    let fields = input.as_object()?;
    // What a file is to have in it may be such a text, too: where it is named elsewhere, only those fields count that have files.
    const CALLS: [&str; 5] = ["data", "payload", "request", "json", "params"];
    let is_named = !paths(input).is_empty();
    let may_have = |name: &str| LISTS.contains(&name) || !is_named && CALLS.contains(&name);
    let lists = fields.iter().filter(|(name, _)| may_have(name));
    let lists = lists.filter_map(|(name, value)| {
        let text = value.as_str().filter(|text| text.trim_start().starts_with(['[', '{']))?;
        Some((name.clone(), serde_json::from_str::<Value>(text).ok()?))
    });
    let lists: Vec<(String, Value)> = lists.collect();
    if lists.is_empty() {
        return None;
    }
    Some(Value::Object(fields.clone().into_iter().chain(lists).collect()))
}

/// Whether a tool that looks by its name is given what it would put in place: `search {path, query, replace}`.
fn is_given_another_text(input: &Value) -> bool {
    const OTHERS: [&str; 6] = ["replace", "replacement", "replace_with", "new_string", "new_str", "new_text"];
    OTHERS.iter().any(|name| input.get(name).is_some_and(Value::is_string))
}

/// The fields of an input that are no line for a shell, no words of one and not where it runs.
fn without_lines(input: &Value) -> Option<Value> {
    const WORDS: [&str; 4] = ["commands", "input", "keys", "data"];
    let is_other = |name: &str| ![&COMMANDS[..], &WORDS, &ARGS, &RUN, &WORKDIRS].concat().contains(&name);
    let fields = input.as_object()?.iter().filter(|(name, _)| is_other(name));
    Some(Value::Object(fields.map(|(name, value)| (name.clone(), value.clone())).collect()))
}

/// Adds what may name a file besides the fields that are known for it.
fn name_others(paths: &mut Vec<String>, input: &Value) {
    let dirs: Vec<String> = fields_with(input, &FOLDERS).map(|(_, dir)| dir.to_owned()).collect();
    let relative =
        paths.iter().filter(|path| is_relative(path) && !dirs.contains(path)).take(STRINGS_MAX / 10);
    let inside: Vec<String> = relative
        .flat_map(|path| dirs.iter().map(move |dir| format!("{dir}/{path}")))
        .take(STRINGS_MAX)
        .collect();
    let found =
        named_in_a_folder(input).into_iter().chain(inside).chain(outputs(input)).chain(strings(input, "", 0));
    let known: BTreeSet<String> = paths.iter().cloned().collect();
    paths.extend(found.filter(|path| !known.contains(path)));
}

/// The values of the fields at the top of an input in whose name one of these words stands.
fn fields_with<'i>(
    input: &'i Value,
    words: &'static [&'static str],
) -> impl Iterator<Item = (&'i str, &'i str)> {
    let fields = input.as_object().into_iter().flatten();
    let texts = fields.filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)));
    texts
        .filter(|(_, text)| !text.is_empty() && text.len() < PATH_BYTES_MAX)
        .filter(|(name, _)| words_of(name).iter().any(|word| words.contains(&word.as_str())))
}

/// Where a tool puts what it found: a file, or a directory in which the file is called as in its address.
fn outputs(input: &Value) -> Vec<String> {
    if is_of_a_hub(input) {
        return Vec::new();
    }
    let address = fields::text(input, &["url", "uri"]).unwrap_or_default();
    let name =
        address.split(['?', '#']).next().and_then(|address| address.rsplit('/').next()).unwrap_or_default();
    let found = fields_with(input, &OUTPUTS).filter(|(_, value)| value.contains(['/', '.', '~']));
    let put = found.flat_map(|(_, value)| {
        let value = without_scheme(value).to_owned();
        let inside = (!name.is_empty()).then(|| format!("{value}/{name}"));
        [Some(value), inside].into_iter().flatten()
    });
    put.take(STRINGS_MAX).collect()
}

/// The programs that a server's tool is given; beside a line those in fields for nothing else.
fn code_of_a_server(input: &Value, has_line: bool) -> Option<String> {
    const ALONE: [&str; 5] = ["code", "program", "python", "javascript", "snippet"];
    let fields = input.as_object()?;
    let is_program = |name: &str| match has_line {
        true => words_of(name).iter().any(|word| ALONE.contains(&word.as_str())),
        false => {
            let is_description = words_of(name).last().is_some_and(|word| word == "description");
            !is_description && PROGRAMS.iter().any(|part| name.to_ascii_lowercase().contains(part))
        }
    };
    let texts = fields.iter().filter(|(name, _)| is_program(name)).filter_map(|(_, value)| value.as_str());
    let texts: Vec<&str> = texts.collect();
    let text = texts.join("\n");
    // The field may name a file as well.
    text.contains([' ', '(', '\n']).then_some(text)
}

/// The file of a note that is named by its title, in a folder or alone.
fn named_in_a_folder(input: &Value) -> Vec<String> {
    let both = |path: String| [format!("{path}.md"), path];
    let dirs: Vec<&str> = fields_with(input, &FOLDERS).map(|(_, dir)| dir).collect();
    let inside =
        fields_with(input, &TITLES).flat_map(|(_, name)| dirs.iter().map(move |dir| format!("{dir}/{name}")));
    let alone = fields_with(input, &NOTES).map(|(_, name)| name.to_owned());
    inside.chain(alone).take(STRINGS_MAX).flat_map(both).collect()
}

/// Settings that switch hooks off, as `plainly` writes a text: of Claude Code and Copilot, of Gemini CLI and Qwen Code, of Codex; and our
/// own variable.
const SWITCHES: [&str; 16] = [
    "disableallhooks",
    "allowmanagedhooksonly",
    "hooksconfig",
    "disabledhooks",
    "enablehooks:false",
    "hooks=false",
    "hooks:false",
    "hooks=off",
    "hooks:null",
    "hooks={}",
    "hooks=[]",
    "hooks.enabled=false",
    "hooks.enabled:false",
    "hooks:{enabled:false",
    "hooks:{disabled:",
    "last_word_disable",
];
/// How deep objects within a tool's input are looked into.
const DEPTH_MAX: usize = 8;

/// Whether any text of a tool's input names a setting that switches hooks off.
fn is_switched_off_by(input: &Value) -> bool {
    fn any(value: &Value, depth: usize) -> bool {
        match value {
            Value::String(text) => switches_hooks_off(text),
            Value::Array(list) if depth < DEPTH_MAX => list.iter().any(|one| any(one, depth + 1)),
            Value::Object(fields) if depth < DEPTH_MAX => fields.values().any(|one| any(one, depth + 1)),
            _ => false,
        }
    }
    any(input, 0)
}

/// Whether a text names a setting that switches an agent's hooks off, also with JSON's escapes.
#[must_use]
pub fn switches_hooks_off(text: &str) -> bool {
    // Each of the switches has one of these in it.
    let may_be = |text: &str| {
        let text = text.to_ascii_lowercase();
        text.contains("hook") || text.contains("last_word_disable")
    };
    (may_be(text) || text.contains("\\u00")) && {
        let plain = plainly(text);
        SWITCHES.iter().any(|word| plain.contains(word))
    }
}

/// A text without escapes, quotes and blanks, in small letters: `"disableAll\u0048ooks": true` is `disableallhooks:true`.
fn plainly(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("\\u") {
        plain.push_str(&rest[..at]);
        let code = rest.get(at + 2..at + 6).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        match code.and_then(char::from_u32) {
            Some(c) => {
                plain.push(c);
                rest = &rest[at + 6..];
            }
            None => rest = &rest[at + 2..],
        }
    }
    plain.push_str(rest);
    plain.retain(|c| !c.is_whitespace() && !matches!(c, '"' | '\'' | '\\'));
    plain.make_ascii_lowercase();
    plain
}

/// The commands of a shell tool, each given as one text or as arguments.
fn command(input: &Value) -> Option<String> {
    let list = input.get("commands").and_then(Value::as_array).into_iter().flatten();
    let list = list.filter_map(Value::as_str).map(str::to_owned);
    let found = COMMANDS.iter().filter_map(|name| line(input, input.get(name)?)).chain(list);
    found.reduce(|lines, line| format!("{lines}\n{line}"))
}

fn line(input: &Value, value: &Value) -> Option<String> {
    if let Some(text) = value.as_str() {
        // The program and its arguments may be in two fields. A shell reads those of a task of that type.
        let is_of_a_shell = input.get("type").is_some_and(|kind| kind == "shell");
        let word = |arg: &str| if is_of_a_shell && !arg.contains(' ') { arg.to_owned() } else { quoted(arg) };
        let args = input.get("args").and_then(Value::as_array).into_iter().flatten();
        let args: String = args.filter_map(Value::as_str).map(|arg| format!(" {}", word(arg))).collect();
        return Some(format!("{text}{args}"));
    }
    let words: Vec<&str> = value.as_array()?.iter().filter_map(Value::as_str).collect();
    match words.as_slice() {
        [_, flags, script] if flags.starts_with('-') && flags.ends_with('c') => Some((*script).to_owned()),
        ["apply_patch", patch] => Some((*patch).to_owned()),
        words => Some(words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")),
    }
}

/// Text typed into a process, without the keys that Copilot writes in braces: `ls{enter}`.
fn without_keys(text: &str) -> String {
    const KEYS: [&str; 8] = ["up", "down", "left", "right", "backspace", "tab", "esc", "escape"];
    let text = text.replace("{enter}", "\n").replace("{Enter}", "\n").replace("{return}", "\n");
    KEYS.iter().fold(text, |text, key| text.replace(&format!("{{{key}}}"), ""))
}

/// A cell of a notebook, or text typed into a process, as a shell line: the shell lines in it, the whole as a Python program, and
/// the whole as a shell line.
fn cell(text: &str) -> String {
    // `x = !LINE`, `x = %sx LINE`
    let value = |line: &'_ str| line.split_once('=').map_or("", |(_, value)| value).trim_start().to_owned();
    let begins = |line: &str| line.starts_with(['!', '%']);
    let line = |line: &str| match begins(line.trim_start()) {
        true => line.trim_start().to_owned(),
        false => value(line),
    };
    let lines = text.lines().map(line).filter(|line| begins(line));
    let lines: Vec<String> = lines.map(|line| magic(&line)).collect();
    format!("{}\npython3 -c {}\n{text}", lines.join("\n"), quoted(text))
}

/// A line of a cell that begins with `!` or `%`, as a shell line: `%%writefile FILE`, `%system LINE`.
fn magic(line: &str) -> String {
    let line = line.trim_start_matches(['!', '%']);
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    match word {
        "writefile" | "file" | "save" | "logstart" | "notebook" => format!("tee {rest}"),
        "system" | "sx" | "sc" => rest.to_owned(),
        "run" => format!("python3 {rest}"),
        _ => line.to_owned(),
    }
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Whether the input names a repository on a server: its paths are no files on this machine.
fn is_of_a_hub(input: &Value) -> bool {
    input.get("owner").is_some() && input.get("repo").is_some()
}

/// Every text of an input that could be a path, names of fields included. `field`: the name of the field it is in.
fn strings(input: &Value, field: &str, depth: usize) -> Vec<String> {
    let is_path =
        |text: &str| text.len() < PATH_BYTES_MAX && text.contains(['/', '.']) && !text.contains('\n');
    let own = |text: &str| is_path(text).then(|| without_scheme(text).to_owned());
    let found: Vec<String> = match input {
        Value::String(_) if names_no_file(field) => Vec::new(),
        Value::String(text) => own(text).into_iter().collect(),
        Value::Array(list) if depth < DEPTH_MAX => {
            list.iter().flat_map(|one| strings(one, field, depth + 1)).collect()
        }
        Value::Object(fields) if depth < DEPTH_MAX => fields
            .iter()
            .flat_map(|(name, one)| own(name).into_iter().chain(strings(one, name, depth + 1)))
            .collect(),
        _ => Vec::new(),
    };
    found.into_iter().take(STRINGS_MAX).collect()
}

/// Whether a field has a text, or the name of something that is no file.
fn names_no_file(field: &str) -> bool {
    let words = words_of(field);
    match words.as_slice() {
        [.., other, last] if matches!(last.as_str(), "name" | "id" | "names" | "ids") => {
            OTHERS.contains(&other.as_str())
        }
        [.., last] => TEXTS.contains(&last.as_str()),
        [] => false,
    }
}

/// `file:///x`, `file://localhost/x`, `file:/x` as a path.
fn without_scheme(path: &str) -> &str {
    let Some(rest) = path.strip_prefix("file:") else { return path };
    let rest = rest.strip_prefix("//localhost").unwrap_or(rest);
    rest.strip_prefix("//").unwrap_or(rest)
}

fn paths(input: &Value) -> Vec<String> {
    let one =
        |value: &Value| PATHS.iter().filter_map(|name| fields::text(value, &[name])).collect::<Vec<_>>();
    if is_of_a_hub(input) {
        return Vec::new();
    }
    let mut found = one(input);
    if let (Some(dir), Some(name)) = (fields::text(input, &["dir"]), fields::text(input, &["name"])) {
        found.push(format!("{dir}/{name}"));
    }
    for list in LISTS.iter().filter_map(|name| input.get(name)?.as_array()) {
        for item in list {
            found.extend(item.as_str().map(str::to_owned));
            found.extend(one(item));
        }
    }
    if let Some(path) = input.get("uri").and_then(|uri| fields::text(uri, &["path", "fsPath"])) {
        found.push(path);
    }
    found.iter().map(|path| without_scheme(path).to_owned()).collect()
}

/// Whether a call may write files that what it is given does not name: it runs a line, or is a server's and does more than look.
#[must_use]
pub fn may_write_unseen(call: &ToolCall) -> bool {
    let is_servers = || names::whose(&call.name) == Whose::Servers && !names_a_look(&call.name, None);
    call.command.is_some() || !names::is_own_writer(&call.name.to_ascii_lowercase()) && is_servers()
}

/// What a call would do: the files it would change, absolute with links and `..` not resolved, the commands it runs, and the files
/// it reads.
#[must_use]
pub fn intent(call: &ToolCall, place: &CommandDirs<'_>) -> ToolIntent {
    let home = place.home;
    let cwd = match &call.workdir {
        Some(dir) => shell::absolute(dir, home, place.cwd),
        None => place.cwd.to_owned(),
    };
    let dirs = CommandDirs { cwd: &cwd, ..*place };
    let analysis = call.command.as_ref().map(|command| shell::analyse(command, &dirs));
    let Analysis { written: mut found, commands, simple, redirected, trees, links, fed } =
        analysis.unwrap_or_default();
    let line = call.command.clone().unwrap_or_default();
    let named = call.patch.iter().flat_map(|patch| patch::paths(patch));
    let named =
        named.chain(call.paths.iter().filter(|_| call.writes).cloned()).chain(call.outputs.iter().cloned());
    let gone = call.gone.iter().map(|path| (path.clone(), How::Gone));
    let by_tool: Vec<WrittenPath> = named
        .map(|path| (path, How::Here))
        .chain(gone)
        .map(|(path, how)| WrittenPath::of(shell::absolute(&path, home, &cwd), how))
        .chain(call.below.iter().map(|path| WrittenPath {
            path: shell::absolute(path, home, &cwd),
            how: How::Below,
            chosen: Chosen { with: call.below_with.clone(), ..Chosen::default() },
        }))
        .collect();
    found.extend_from_slice(&by_tool);
    let direct = by_tool.into_iter().chain(redirected).collect();
    let read = call.paths.iter().filter(|_| call.reads).map(|path| shell::absolute(path, home, &cwd));
    let (switches_hooks_off, is_a_line) = (call.switches_hooks_off, call.is_a_line);
    let read = read.collect();
    ToolIntent {
        written: found,
        commands,
        read,
        direct,
        simple,
        trees,
        links,
        line,
        fed,
        switches_hooks_off,
        is_a_line,
    }
}

/// What a tool call would do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolIntent {
    /// The files it would change.
    pub written: Vec<WrittenPath>,
    /// The simple commands it runs, each with its arguments.
    pub commands: Vec<Vec<String>>,
    /// The files it reads.
    pub read: Vec<PathBuf>,
    /// Those of the changed files that the tool itself changes, or a redirect of its command line.
    pub direct: Vec<WrittenPath>,
    /// The simple commands, with everything that is known of each.
    pub simple: Vec<SimpleCommand>,
    /// The directories that it would copy with their content.
    pub trees: Vec<CopiedTree>,
    /// Links it would make: name, target.
    pub links: Vec<(PathBuf, PathBuf)>,
    /// The command line as it was given.
    pub line: String,
    /// Whether a command gets arguments from a pipe (`xargs`).
    pub fed: bool,
    /// Whether a text in its input names a setting that switches an agent's hooks off.
    pub switches_hooks_off: bool,
    /// Whether the line is all that the call does.
    pub is_a_line: bool,
}
