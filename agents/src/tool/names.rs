//! Whose tool a name means: the agent's own, one of our server, or one of another server, of which nothing is known but its name.

/// Whose tool it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    /// The agent's own.
    Agents,
    /// Of our server: it declares, and names documents for that.
    Ours,
    /// Of any other server.
    Servers,
}

/// The tools of our server.
const OURS: [&str; 9] = [
    "recall",
    "read",
    "remember",
    "revise",
    "outcome",
    "end",
    "search_events",
    "get_profile",
    "search_profiles",
];
/// The agents' own tools that write no file, in small letters, where their names do not tell that they look. All others that are
/// not known to look count as a server's.
const OWN: [&str; 65] = [
    "activate_skill",
    "agent",
    "ask_questions",
    "ask_user",
    "ask_user_question",
    "askquestion",
    "askuserquestion",
    "await",
    "batch",
    "brief",
    "cli_help",
    "close_agent",
    "codebase_investigator",
    "codesearch",
    "complete_task",
    "delegate_to_agent",
    "enter_plan_mode",
    "enterplanmode",
    "enterworktree",
    "exit_plan_mode",
    "exitplanmode",
    "exitworktree",
    "generalist",
    "github_repo",
    "glob",
    "grep",
    "invalid",
    "killshell",
    "ls",
    "lsp",
    "plan_enter",
    "plan_exit",
    "question",
    "report_intent",
    "report_progress",
    "request_user_input",
    "resume_agent",
    "rg",
    "runsubagent",
    "runtests",
    "send_input",
    "send_message",
    "sendmessage",
    "session_store_sql",
    "settodolist",
    "skill",
    "slashcommand",
    "sleep",
    "spawn_agent",
    "sql",
    "structuredoutput",
    "switchmode",
    "task",
    "task_complete",
    "task_stop",
    "taskoutput",
    "taskstop",
    "test_failure",
    "think",
    "todo",
    "todoread",
    "wait",
    "wait_agent",
    "webfetch",
    "websearch",
];
/// The agents' own shells, in small letters: those that take a line, and those that are given what is typed.
const LINES: [&str; 7] =
    ["bash", "shell", "powershell", "run_in_terminal", "run_shell_command", "exec_command", "monitor"];
const TYPED: [&str; 14] = [
    "exec",
    "execute_command",
    "local_shell",
    "read_bash",
    "read_powershell",
    "run_command",
    "run_terminal_cmd",
    "run_terminal_command",
    "send_to_terminal",
    "shell_command",
    "stop_bash",
    "write_bash",
    "write_powershell",
    "write_stdin",
];
/// The agents' own tools that write files on this machine.
const WRITERS: [&str; 18] = [
    "apply_patch",
    "create",
    "create_file",
    "delete",
    "edit",
    "edit_file",
    "editnotebook",
    "fs_write",
    "insert_edit_into_file",
    "multiedit",
    "notebookedit",
    "replace",
    "replace_string_in_file",
    "strreplace",
    "strreplacefile",
    "write",
    "write_file",
    "writefile",
];
/// Words in the names of tools that only look.
const LOOKING: [&str; 14] = [
    "read", "get", "view", "list", "search", "find", "open", "show", "query", "fetch", "status", "diff",
    "log", "cat",
];
/// Words that stand behind an `and` in the names of such tools.
const TELLING: [&str; 12] = [
    "summarize",
    "summarise",
    "parse",
    "extract",
    "count",
    "analyze",
    "analyse",
    "print",
    "explain",
    "describe",
    "return",
    "wait",
];

/// Words in the names of tools that remove a file or a directory, and that move one; and what may stand beside them.
const REMOVING: [&str; 9] = ["delete", "remove", "rm", "rmdir", "unlink", "trash", "erase", "wipe", "rmtree"];
const MOVING: [&str; 3] = ["move", "mv", "rename"];
const THINGS: [&str; 20] = [
    "file",
    "files",
    "directory",
    "directories",
    "dir",
    "dirs",
    "folder",
    "folders",
    "path",
    "paths",
    "tree",
    "item",
    "items",
    "entry",
    "entries",
    "recursive",
    "recursively",
    "or",
    "and",
    "multiple",
];
/// Words in the names of tools that run what they are given.
const RUNNING: [&str; 18] = [
    "run",
    "exec",
    "execute",
    "eval",
    "shell",
    "bash",
    "sh",
    "zsh",
    "terminal",
    "command",
    "commands",
    "cmd",
    "console",
    "powershell",
    "script",
    "process",
    "spawn",
    "repl",
];

/// What becomes of the directories that a tool is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    /// Nothing.
    Stay,
    /// All of them are removed.
    Removed,
    /// The one that is no target is moved.
    Moved,
}

/// Whether a tool's name says that it removes or moves files, or whole directories: `delete_directory`, `move`; not `remove_project`.
pub(super) fn takes(name: &str, joined: Option<char>) -> Taken {
    let words = words_of(without_server(name, joined));
    let among = |known: &[&str], word: &String| known.contains(&word.as_str());
    let is_plain = words.iter().all(|word| {
        word.is_empty() || [&REMOVING[..], &MOVING, &THINGS].iter().any(|known| among(known, word))
    });
    match is_plain {
        true if words.iter().any(|word| among(&REMOVING, word)) => Taken::Removed,
        true if words.iter().any(|word| among(&MOVING, word)) => Taken::Moved,
        _ => Taken::Stay,
    }
}

/// Whether a name, with that of its server, says that it runs what it is given.
pub(super) fn says_it_runs(name: &str) -> bool {
    words_of(name).iter().any(|word| RUNNING.contains(&word.as_str()))
}

/// Whether a name in small letters is that of a shell which takes a line and does nothing else.
pub(super) fn takes_a_line(name: &str) -> bool {
    LINES.contains(&name)
}

/// Whether it is that of a shell.
pub(super) fn is_own_shell(name: &str) -> bool {
    takes_a_line(name) || TYPED.contains(&name)
}

/// Whether it is that of a tool which writes files on this machine.
pub(super) fn is_own_writer(name: &str) -> bool {
    WRITERS.contains(&name)
}

/// Whose tool a name means.
pub(super) fn whose(name: &str) -> Whose {
    let lower = name.to_ascii_lowercase();
    if is_ours(&lower) {
        Whose::Ours
    } else if OWN.contains(&lower.as_str()) || is_own_shell(&lower) {
        Whose::Agents
    } else {
        Whose::Servers
    }
}

/// The name of a server's tool without the server's: of `mcp__server__tool`, `mcp_server_tool`, `MCP:tool`, and of `server-tool`,
/// where the agent writes it so and nothing before (`joined`).
fn without_server(name: &str, joined: Option<char>) -> &str {
    let behind = |mark: &str| {
        let head = name.get(..mark.len()).filter(|head| head.eq_ignore_ascii_case(mark))?;
        Some(&name[head.len()..])
    };
    let found = match (behind("mcp__"), behind("mcp_"), behind("MCP:")) {
        (Some(rest), _, _) => rest.split_once("__").map(|(_, tool)| tool),
        (_, Some(rest), _) => rest.split_once('_').map(|(_, tool)| tool),
        (_, _, Some(tool)) => Some(tool),
        _ => joined.and_then(|joined| name.split_once(joined)).map(|(_, tool)| tool),
    };
    found.unwrap_or(name)
}

/// Whether a tool is one of our own server: `mcp__last-word__remember`, `last-word_remember`. Of `MCP:remember` the server is not told.
fn is_ours(name: &str) -> bool {
    if let Some(tool) = name.strip_prefix("mcp:") {
        return OURS.contains(&tool);
    }
    let name = name.replace('-', "_");
    let of_us = |server: &str| {
        let bare = server.trim_end_matches('_');
        bare.len() < server.len() && (bare == "last_word" || bare.ends_with("_last_word"))
    };
    OURS.iter().any(|tool| name.strip_suffix(tool).is_some_and(of_us))
}

/// The words of a tool's own name, without that of its server.
pub(super) fn own_words(name: &str, joined: Option<char>) -> Vec<String> {
    words_of(without_server(name, joined))
}

/// Whether a word in a tool's name says that it looks, and none behind an `and` something else: `get_file`, `readFile`; not `catalog`,
/// `get_and_set`. Of a server's tool its own name counts, not that of the server.
pub(super) fn names_a_look(name: &str, joined: Option<char>) -> bool {
    let looks = |word: &String| {
        [&LOOKING[..], &TELLING]
            .iter()
            .any(|known| known.iter().any(|look| word == look || *word == format!("{look}s")))
    };
    let words = own_words(name, joined);
    let goes_on = words.windows(2).any(|pair| matches!(pair[0].as_str(), "and" | "then") && !looks(&pair[1]));
    let is_look = |word: &String| looks(word) && !TELLING.contains(&word.as_str());
    words.iter().any(is_look) && !goes_on
}

/// The words of a name: `save`, `to` of `saveTo` and of `save_to`.
pub(super) fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() && before.is_lowercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words
}
