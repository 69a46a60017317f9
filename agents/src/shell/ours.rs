//! Our own commands in a shell line: whether it runs one with which a person decides. A line that does not show which command it
//! runs counts as one that does. Arguments that are only text (of `echo`, of a commit's message: `said`) are not looked at.

use super::code;
use super::git::GitReach;
use super::options::Options;
use super::run::{COPY, REMOVE, SHELLS, WRITE, base_name, is_interpreter, positional};
use super::{NOT_LOOKED_AT, SimpleCommand, fits, said};
use crate::tool::ToolIntent;

/// One of our commands that a shell line runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OurCall {
    /// One with which a person decides: `review`.
    Decides(String),
    /// The line does not show which one.
    Unknown,
    /// Any other one.
    Other {
        /// The command: `enqueue`.
        verb: String,
        /// The home that it is for, where `--home` or a variable before the command names one.
        home: Option<String>,
    },
}

/// Our commands with which a person decides, each as it is typed: one word, or a command and its verb.
const DECIDING: [&str; 13] = [
    "review",
    "resolve",
    "rollback",
    "hold",
    "release",
    "deciders",
    "prune",
    "uninstall",
    "config",
    "item purge",
    "adopt",
    "init --project",
    "page",
];
/// The forms of `resolve` that decide: `resolve --retry ID` of a session's own job is allowed.
const RESOLVING: [&str; 12] = [
    "resolve --all",
    "resolve --discard",
    "resolve --edit",
    "resolve --ours",
    "resolve --theirs",
    "resolve --document",
    "resolve --agent",
    "resolve --session",
    "resolve --error",
    "resolve --older",
    "resolve --newer",
    "resolve --text",
];
/// With one of these flags a command changes nothing, whatever its other arguments are.
const ASKING: [&str; 4] = ["--help", "-h", "--dry-run", "--look"];
/// Programs that only read their arguments: files and text, of which nothing is run.
const HARMLESS: [&str; 78] = [
    "notify-send",
    "logger",
    "echo",
    "printf",
    "cat",
    "bat",
    "less",
    "more",
    "head",
    "tail",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "ag",
    "ls",
    "wc",
    "stat",
    "file",
    "du",
    "df",
    "diff",
    "cmp",
    "tree",
    "jq",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "shasum",
    "cksum",
    "b2sum",
    "test",
    "[",
    "[[",
    "sort",
    "uniq",
    "cut",
    "tr",
    "comm",
    "nl",
    "tac",
    "rev",
    "column",
    "realpath",
    "readlink",
    "basename",
    "dirname",
    "od",
    "xxd",
    "hexdump",
    "strings",
    "lsof",
    "pwd",
    "true",
    "false",
    ":",
    "date",
    "which",
    "type",
    "whereis",
    "man",
    "sleep",
    "wait",
    "cd",
    "pushd",
    "popd",
    "export",
    "declare",
    "local",
    "readonly",
    "read",
    "return",
    "exit",
    "set",
    "unset",
    "for",
    "case",
    "sed",
];
/// Commands of git that run nothing of their arguments.
const HARMLESS_OF_GIT: [&str; 13] = [
    "commit", "log", "grep", "show", "diff", "add", "tag", "status", "notes", "blame", "branch", "checkout",
    "push",
];
/// Commands of cargo that do not run the package they name.
const HARMLESS_OF_CARGO: [&str; 9] = ["test", "t", "check", "c", "clippy", "build", "b", "doc", "nextest"];
/// Commands of `gh`, `glab` and `hub` that run nothing of their arguments.
const HARMLESS_OF_HUBS: [&str; 8] = ["pr", "issue", "release", "search", "label", "mr", "gist", "api"];
/// Programs that run text they read or are given: now, later or on another machine.
const FED: [&str; 10] =
    ["at", "batch", "parallel", "ssh", "tmux", "screen", "script", "expect", "crontab", "source"];

/// Our commands that a tool call runs. `program`: how our program is typed here, if not `last-word`.
#[must_use]
pub fn our_calls(intent: &ToolIntent, program: &str) -> Vec<OurCall> {
    let mut found: Vec<OurCall> =
        intent.simple.iter().flat_map(|command| of_command(command, program)).collect();
    if intent.fed || intent.simple.iter().any(reads_commands) {
        found.extend(in_text(&intent.line, program));
    }
    found
}

impl SimpleCommand {
    /// The text, where this stands for a part of the line that is too long or too deeply nested to be looked into.
    #[must_use]
    pub fn not_looked_at(&self) -> Option<&str> {
        match self.words.as_slice() {
            [program, text] if program == NOT_LOOKED_AT => Some(text),
            _ => None,
        }
    }

    /// The program's name, without its directory.
    #[must_use]
    pub fn program(&self) -> &str {
        self.words.first().map_or("", |word| base_name(word))
    }

    /// Which files it gives other contents, where it is one of git's that does.
    #[must_use]
    pub fn git_reach(&self) -> Option<GitReach> {
        let args = self.words.get(1..).filter(|_| self.program() == "git")?;
        super::git::reach(args)
    }

    /// Whether it is one of our commands.
    #[must_use]
    pub fn is_ours(&self, program: &str) -> bool {
        self.words.first().is_some_and(|word| is_ours(word, program))
    }

    /// Whether it is an interpreter, which runs a program that is given to it as text: `python3 -c`.
    #[must_use]
    pub fn is_interpreter(&self) -> bool {
        is_interpreter(self.program())
    }

    /// Whether it only reads its arguments, and runs nothing of them.
    #[must_use]
    pub fn is_harmless(&self) -> bool {
        if self.has_an_option_that_runs_or_writes() {
            return false;
        }
        match self.program() {
            "git" => self.words.get(1).is_some_and(|word| HARMLESS_OF_GIT.contains(&word.as_str())),
            // `-p last-word` names a package; only `cargo run` would start it.
            "cargo" => self.words.get(1).is_some_and(|word| HARMLESS_OF_CARGO.contains(&word.as_str())),
            "gh" | "glab" | "hub" => {
                self.words.get(1).is_some_and(|word| HARMLESS_OF_HUBS.contains(&word.as_str()))
            }
            "awk" | "gawk" | "mawk" => {
                !self.words.iter().any(|word| word.contains("system") || word.contains(['>', '|']))
            }
            "find" => !self.words.iter().any(|word| word.starts_with("-exec") || word.starts_with("-ok")),
            name => HARMLESS.contains(&name),
        }
    }

    /// Whether it is a shell that waits for what is typed into it: it is given no script, no text (`-c`) and no input.
    #[must_use]
    pub fn is_open_shell(&self) -> bool {
        if !SHELLS.contains(&self.program()) || self.piped || self.fed || !self.bodies.is_empty() {
            return false;
        }
        let mut args = self.words.iter().skip(1);
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "-o" | "-O" | "+o" | "+O" | "--rcfile" | "--init-file" => drop(args.next()),
                "--version" | "--help" => return false,
                arg if arg.starts_with("--") => {}
                arg if arg.starts_with(['-', '+']) && !arg.ends_with('c') => {}
                _ => return false,
            }
        }
        true
    }

    /// Whether it writes into the files it reads: `sed -i`.
    #[must_use]
    pub fn edits_in_place(&self) -> bool {
        let in_place = |arg: &String| arg.starts_with("-i") || arg.starts_with("--in-place");
        self.program() == "sed" && self.words.iter().skip(1).any(in_place)
    }

    /// Whether an option or a script makes a command write a file, or start a program, that otherwise only reads.
    fn has_an_option_that_runs_or_writes(&self) -> bool {
        let args = self.words.get(1..).unwrap_or_default();
        let any = |beginnings: &[&str]| args.iter().any(|arg| beginnings.iter().any(|b| arg.starts_with(b)));
        match self.program() {
            "git" => any(&["--output", "-O", "--open-files-in-pager"]),
            "sed" => args.iter().any(|arg| script_of_sed_runs_or_writes(arg)),
            "awk" | "gawk" | "mawk" => any(&["-i", "--in"]),
            "sort" => any(&["--compress-program"]),
            "rg" | "ag" => any(&["--pre", "--pager"]),
            "man" => any(&["-P", "--pager", "-H", "--html"]),
            "less" | "more" => any(&["+", "-o", "-O", "--log-file", "--LOG-FILE"]),
            "bat" => any(&["--pager"]),
            "find" => any(&["-fprint", "-fls"]),
            "file" => any(&["-C", "--compile"]),
            "uniq" | "xxd" => positional(args).len() > 1,
            "vi" | "vim" | "nvim" | "ex" | "ed" | "emacs" => {
                any(&["-c", "+", "-S", "-s", "--cmd", "--eval", "-f", "-l"])
            }
            _ => false,
        }
    }

    /// Whether its arguments show every file that it changes, and it runs nothing of them.
    #[must_use]
    pub fn is_understood(&self) -> bool {
        if self.has_an_option_that_runs_or_writes() {
            return false;
        }
        let name = self.program();
        let known = REMOVE.contains(&name) || WRITE.contains(&name) || COPY.contains(&name);
        known || self.is_harmless() || matches!(name, "dd" | "patch" | "apply_patch" | "applypatch" | "alias")
    }
}

/// Whether a script of sed has the commands `e` or `w`, alone or behind an address, or the flags of that name of `s`.
fn script_of_sed_runs_or_writes(script: &str) -> bool {
    let is_path = |rest: &str| rest.trim_start().starts_with(['/', '~', '$', '.']);
    script.char_indices().any(|(at, c)| {
        let (before, rest) = (script[..at].trim_end(), &script[at + c.len_utf8()..]);
        let begins =
            before.is_empty() || before.ends_with(|c: char| c.is_ascii_digit() || "/;${|#,gpI".contains(c));
        match c {
            'w' => begins && rest.starts_with(' ') && is_path(rest),
            'e' => begins && (rest.is_empty() || rest.starts_with([' ', ';', '\n'])),
            _ => false,
        }
    })
}

fn of_command(command: &SimpleCommand, program: &str) -> Vec<OurCall> {
    if command.is_ours(program) {
        return vec![direct(command)];
    }
    if command.fed && command.words.iter().any(|word| is_ours(word, program)) {
        return vec![OurCall::Unknown];
    }
    // A variable before the command can name a program that it starts: a pager, an editor.
    let by_environment: Vec<OurCall> =
        command.assigned.iter().flat_map(|(_, value)| in_text(value, program)).collect();
    if !by_environment.is_empty() {
        return by_environment;
    }
    let name = command.program();
    let is_script = SHELLS.contains(&name) || name == "eval";
    // The walk records the lines of a script as commands of their own.
    if is_script || command.is_understood() {
        return Vec::new();
    }
    let texts = texts_of(command);
    if command.is_interpreter() && texts.iter().any(|text| is_told_by_a_name(text, program)) {
        return vec![OurCall::Unknown];
    }
    texts.iter().flat_map(|text| in_text(text, program)).collect()
}

/// What a command may run of its words and its input; of a program what it does not only say.
fn texts_of(command: &SimpleCommand) -> Vec<String> {
    let is_program = |text: &String| command.is_interpreter() && text.contains(['(', ' ', '\n']);
    let run = |text: &String| if is_program(text) { code::without_said(text) } else { text.clone() };
    let words: Vec<String> = said::without(&command.words).iter().map(run).collect();
    let bodies = command.bodies.iter().filter(|_| !said::is_input(&command.words));
    std::iter::once(words.join(" ")).chain(bodies.map(run)).collect()
}

/// Whether a program has a list of words that begins with our name and goes on with no literal: `["last-word", verb]`.
fn is_told_by_a_name(text: &str, program: &str) -> bool {
    let name = base_name(program);
    ["last-word", name].into_iter().any(|name| {
        text.match_indices(name).any(|(at, _)| {
            let behind = text[at + name.len()..].strip_prefix(['\'', '"', '`']).map(str::trim_start);
            let next = behind.and_then(|behind| behind.strip_prefix(',')).map(str::trim_start);
            next.is_some_and(|next| next.starts_with(|c: char| c.is_alphabetic() || "_*{$(".contains(c)))
        })
    })
}

/// Whether it is a shell or an interpreter that reads its program from a pipe, or a program that runs text in another way.
fn reads_commands(command: &SimpleCommand) -> bool {
    let name = command.program();
    let args = command.words.get(1..).unwrap_or_default();
    let has_program = args.iter().any(|arg| arg.starts_with('-') && arg.ends_with(['c', 'e']));
    let files = positional(args);
    // Of a file from which the pipe comes only the name is known here.
    let is_named = |body: &String| command.piped && !body.contains(char::is_whitespace);
    let from_pipe =
        !has_program && (files.is_empty() || files == ["-"]) && command.bodies.iter().all(is_named);
    FED.contains(&name) || (from_pipe && (SHELLS.contains(&name) || is_interpreter(name)))
}

/// Whether a word names our program, or is a pattern that fits its name.
fn is_ours(word: &str, program: &str) -> bool {
    let name = base_name(word);
    let is_pattern =
        name.contains(['*', '?', '[']) && name.chars().filter(char::is_ascii_alphabetic).count() > 3;
    name == "last-word" || name == base_name(program) || (is_pattern && fits(name, "last-word"))
}

/// Commands of ours without a name behind them: what stands there is another one, out of a loop.
const WITHOUT_ARGUMENTS: [&str; 6] = ["context", "doctor", "log", "metrics", "report", "status"];

/// Reads the arguments of one of our commands.
fn direct(command: &SimpleCommand) -> OurCall {
    let assigned = |wanted: &str| {
        command.assigned.iter().rev().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
    };
    let mut home = assigned("LAST_WORD_HOME")
        .map(str::to_owned)
        .or_else(|| assigned("XDG_CONFIG_HOME").map(|dir| format!("{dir}/agents/last-word")))
        .or_else(|| assigned("HOME").map(|dir| format!("{dir}/.config/agents/last-word")));
    let mut verb = None;
    let mut rest: Vec<&str> = Vec::new();
    let mut args = command.words.iter().skip(1).map(String::as_str);
    while let Some(arg) = args.next() {
        match arg {
            "--" => break,
            "--home" => home = args.next().map(str::to_owned),
            "--color" | "--as" => drop(args.next()),
            _ if arg.starts_with("--home=") => home = arg.strip_prefix("--home=").map(str::to_owned),
            _ if verb.is_none() && !arg.starts_with('-') => verb = Some(arg),
            _ => rest.push(arg),
        }
    }
    let asks = rest.iter().any(|arg| ASKING.contains(arg));
    // What it shows is what all agents know of all projects: it is not for one of them.
    let shows = verb == Some("adopt") && !rest.iter().any(|arg| matches!(*arg, "--help" | "-h"));
    let is_free =
        !command.fed && verb.is_some_and(|verb| only_lists(verb, &rest) || retries(command, verb, &rest));
    match verb {
        Some(verb) if is_free => {
            OurCall::Other { verb: verb.to_owned(), home: home.map(|home| from_here(command, home)) }
        }
        Some(verb) if verb.contains(['$', '`', '*', '?', '[', '{']) => OurCall::Unknown,
        None if command.fed => OurCall::Unknown,
        Some(verb) if DECIDING.contains(&verb) && (!asks || shows) => OurCall::Decides(verb.to_owned()),
        Some("item") if positional_of(&rest) == Some("purge") && !asks => {
            OurCall::Decides("item purge".to_owned())
        }
        // `for v in status review; do last-word $v; done`
        Some(verb) if WITHOUT_ARGUMENTS.contains(&verb) && !asks => match positional_of(&rest) {
            Some(next) if DECIDING.contains(&next) => OurCall::Decides(next.to_owned()),
            _ => OurCall::Other { verb: verb.to_owned(), home: home.map(|home| from_here(command, home)) },
        },
        Some("init") if rest.contains(&"--project") => OurCall::Decides("init --project".to_owned()),
        // Nothing is done for any home. Further behind it may be the value of an option.
        Some(_) if rest.first().is_some_and(|arg| matches!(*arg, "--help" | "-h")) => {
            OurCall::Other { verb: "help".to_owned(), home: None }
        }
        verb => {
            let home = home.map(|home| from_here(command, home));
            OurCall::Other { verb: verb.unwrap_or_default().to_owned(), home }
        }
    }
}

/// Whether one of the commands with which a person decides only lists: `hold`, `release` and `deciders` alone, and `review --json` where no
/// answer is said.
fn only_lists(verb: &str, args: &[&str]) -> bool {
    match verb {
        "hold" | "release" | "deciders" => args.iter().all(|arg| *arg == "--json"),
        "review" => args.contains(&"--json") && args.iter().all(|arg| *arg == "--json" || is_id(arg)),
        _ => false,
    }
}

/// Whether it is `resolve --retry ID…` and nothing else: whether these jobs are the session's own is judged by the command. No variable
/// in front of it may name another session.
fn retries(command: &SimpleCommand, verb: &str, args: &[&str]) -> bool {
    let ids = args.iter().filter(|arg| is_id(arg)).count();
    let is_said = |arg: &&str| is_id(arg) || matches!(*arg, "--retry" | "--json");
    let words = || command.words.iter().map(String::as_str);
    verb == "resolve"
        && ids > 0
        && args.contains(&"--retry")
        && args.iter().all(is_said)
        && command.assigned.is_empty()
        && !words().any(|word| matches!(word, "--" | "--as") || word.starts_with("--as="))
}

/// Whether a word can be the id of a job, or its beginning.
fn is_id(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphanumeric())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// A path among a command's arguments, from the directory in which that command runs.
fn from_here(command: &SimpleCommand, path: String) -> String {
    let is_relative = !path.starts_with(['/', '~', '$', '`']);
    if is_relative { command.cwd.join(path).display().to_string() } else { path }
}

/// The first argument that is no flag.
fn positional_of<'a>(args: &[&'a str]) -> Option<&'a str> {
    args.iter().find(|arg| !arg.starts_with('-')).copied()
}

/// The calls in a text that some program may run: our program's name, and behind its options a command with which a person decides.
fn in_text(text: &str, program: &str) -> Vec<OurCall> {
    // A line's end that is written as `\n` ends the command, too.
    let text = ["\\n", "\\r", "\\t"].iter().fold(text.to_owned(), |text, end| text.replace(end, " "));
    let text: String = text.chars().filter(|c| *c != '\\').collect();
    let part_of_word = |c: char| c.is_alphanumeric() || "_./~$*?-".contains(c);
    let words: Vec<&str> = text.split(|c: char| !part_of_word(c)).filter(|word| !word.is_empty()).collect();
    let ours = words.iter().enumerate().filter(|(_, word)| is_ours(word, program));
    ours.filter_map(|(at, _)| decides(&words[at + 1..])).collect()
}

fn decides(words: &[&str]) -> Option<OurCall> {
    let mut rest = words.iter().copied();
    while let Some(word) = rest.next() {
        match word {
            "--home" | "--color" | "--as" => drop(rest.next()),
            _ if word.starts_with('-') => {}
            _ if word.starts_with('$') => return Some(OurCall::Unknown),
            "init" => {
                return rest
                    .next()
                    .filter(|word| *word == "--project")
                    .map(|_| OurCall::Decides("init --project".to_owned()));
            }
            "item" => {
                let verb = rest.find(|word| !word.starts_with('-'));
                return verb
                    .filter(|verb| *verb == "purge")
                    .map(|_| OurCall::Decides("item purge".to_owned()));
            }
            _ => return DECIDING.contains(&word).then(|| OurCall::Decides(word.to_owned())),
        }
    }
    None
}

/// The files that our own commands write for other programs: `export --to DIR`, `report --html FILE`, `man --dir DIR`.
pub(super) fn written_by_us(args: &[String]) -> Vec<String> {
    let long = &["to", "format", "html", "dir", "home", "color", "as"];
    let said = Options { letters: "", long }.all(args);
    let named = |option: &str| said.value(&[option]).map(str::to_owned);
    let file = match said.files.first().map(String::as_str) {
        Some("export") => named("--to").map(|dir| match said.value(&["--format"]) {
            Some("claude") => format!("{dir}/CLAUDE.md"),
            Some("agents-md") => format!("{dir}/AGENTS.md"),
            _ => format!("{dir}/exported"),
        }),
        Some("report") => named("--html"),
        Some("man") => named("--dir").map(|dir| format!("{dir}/last-word.1")),
        _ => None,
    };
    file.into_iter().collect()
}

/// What the agents' own rules deny: they know a line by how it begins.
pub fn denied_by_rules() -> impl Iterator<Item = &'static str> {
    const EACH: &[&str] = &DECIDING;
    const OF_RESOLVE: &[&str] = &RESOLVING;
    EACH.iter()
        .flat_map(|verb| if *verb == "resolve" { OF_RESOLVE } else { std::slice::from_ref(verb) })
        .copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_deny_each_command_with_which_a_person_decides() {
        let rules: Vec<&str> = denied_by_rules().collect();
        for verb in DECIDING {
            let denied = rules.iter().any(|rule| rule.starts_with(verb));
            assert!(denied, "{verb}");
        }
        assert!(!rules.iter().any(|rule| "resolve --retry x".starts_with(rule)));
    }
}
