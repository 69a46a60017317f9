//! What a process is, by its names and its environment: an agent, something between a person and us that never decides on
//! its own (a shell, a terminal, an editor), or a program that we do not know.

use crate::marks::{known, mark};
use std::ffi::OsString;

/// A process as the system shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Process {
    /// Its id.
    pub pid: u32,
    /// What it calls itself.
    pub name: String,
    /// The program it runs, where the system says it.
    pub program: Option<String>,
    /// Its command line, the program's name first.
    pub arguments: Vec<String>,
    /// Its environment, where it is ours to read.
    pub environment: Vec<(OsString, OsString)>,
    /// Whether it is one of our own user's that keeps the system from showing its program. What it calls itself proves nothing then.
    pub hides: bool,
}

/// What a process has to do with a terminal that it opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opens {
    /// A terminal with a window, or an editor with one: what runs in it is seen.
    Window,
    /// It lets people in from other machines.
    Remote,
    /// A login on this machine, or what starts one: a console, a container, the manager of services.
    Login,
    /// It keeps terminals that live on without anybody looking at them.
    Multiplexer,
    /// An editor that is used on a terminal itself, and opens others for what it runs.
    Editor,
    /// None: a shell or a tool, which starts on the terminal it finds.
    Nothing,
}

impl Process {
    /// The agent that it is, or whose mark it carries; in words, for a refusal.
    #[must_use]
    pub fn agent(&self) -> Option<String> {
        let names = self.names();
        let is_named = |programs: &[&str]| names.iter().any(|name| programs.contains(&name.as_str()));
        if let Some((agent, _)) = known().find(|(_, marks)| is_named(marks.programs)) {
            return Some(format!("process {} is {agent}", self.pid));
        }
        let mark = mark(self.environment.iter().cloned())?;
        Some(format!("{mark} is set in process {}, {}", self.pid, self.title()))
    }

    /// Whether it is this agent, started with an argument that says that nobody sits in front of it.
    #[must_use]
    pub fn is_headless(&self, agent: &dyn crate::Agent) -> bool {
        let programs = agent.marks().programs;
        let says = |argument: &str| {
            let named = agent.headless().iter().find(|flag| argument.starts_with(**flag));
            named.is_some_and(|flag| argument.len() == flag.len() || argument[flag.len()..].starts_with('='))
        };
        self.names().iter().any(|name| programs.contains(&name.as_str()))
            && self.arguments.iter().skip(1).any(|argument| says(argument))
    }

    /// Whether it stands between a person and us without deciding anything.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        if self.hides {
            return false;
        }
        let name = self.own();
        let script = self.script_file().map(own_name);
        let is_listed = |name: &str| PLAIN.iter().any(|list| list.contains(&name));
        is_listed(&name)
            || script.is_some_and(|script| is_listed(&script))
            || is_interpreter(&name) && self.is_editor_host()
            || self.program.is_none() && OF_WINDOWS.iter().any(|begin| self.name.starts_with(begin))
    }

    /// What terminals it opens, as far as it `is_plain`.
    #[must_use]
    pub fn opens(&self) -> Opens {
        let name = self.tool();
        let is_in = |list: &[&str]| list.contains(&name.as_str());
        if is_in(MULTIPLEXERS) {
            Opens::Multiplexer
        } else if is_in(REMOTE_LOGINS) {
            Opens::Remote
        } else if is_in(ON_A_TERMINAL) {
            Opens::Nothing
        } else if is_in(LOGINS) {
            Opens::Login
        } else if is_in(CONSOLE_EDITORS) {
            Opens::Editor
        } else if is_in(SHELLS) || is_in(WRAPPERS) {
            Opens::Nothing
        } else {
            Opens::Window
        }
    }

    /// Whether it manages services, and opens a terminal for one that it is told to run.
    #[must_use]
    pub fn manages_services(&self) -> bool {
        ["systemd", "systemd-executor"].contains(&self.tool().as_str())
    }

    /// Whether it is the part of an editor or an IDE that keeps its terminals, where an interpreter runs it. An extension of one is a
    /// program like any other.
    fn is_editor_host(&self) -> bool {
        const SERVERS: [&str; 3] = ["/.vscode-server/", "/.cursor-server/", "/.windsurf-server/"];
        let says = |word: &str| self.arguments.iter().any(|argument| argument == word);
        if self.own() == "java" {
            // An IDE brings its own; any other one runs a class of that name for whoever wrote it.
            let brought = self.program.as_deref().is_some_and(|program| program.ends_with("/jbr/bin/java"));
            return brought && says("com.intellij.idea.Main");
        }
        self.script_file().is_some_and(|script| {
            let of_server = SERVERS.iter().any(|server| script.contains(server));
            script.ends_with("/out/bootstrap-fork")
                && (of_server || says("--type=ptyHost"))
                && !script.contains("/extensions/")
        })
    }

    /// Whether it is a shell.
    #[must_use]
    pub fn is_shell(&self) -> bool {
        SHELLS.contains(&self.tool().as_str())
    }

    /// Whether it is a shell that takes its commands from a terminal: neither `-c` nor a script.
    #[must_use]
    pub fn is_shell_to_type_in(&self) -> bool {
        if !self.is_shell() {
            return false;
        }
        let name = self.tool();
        // PowerShell says so itself where it goes on with a person after a command.
        if name == "pwsh" && self.arguments.iter().any(|word| word.eq_ignore_ascii_case("-noexit")) {
            return true;
        }
        // Of a shell that an interpreter runs, the first argument is the shell.
        let own = usize::from(self.script_file().is_some());
        let mut rest = self.arguments.iter().skip(1 + own).map(String::as_str);
        while let Some(argument) = rest.next() {
            let is_short = argument.starts_with('-') && !argument.starts_with("--");
            let has_value = |(of, options): &(&str, &[&str])| {
                (of.is_empty() || *of == name) && options.contains(&argument)
            };
            if SHELL_OPTIONS_WITH_VALUE.iter().any(has_value) {
                rest.next();
            } else if is_short && argument.contains('c') {
                // tmux starts a shell that somebody names by another: `sh -c /bin/zsh`.
                return rest.next().is_some_and(is_only_a_shell) && rest.next().is_none();
            } else if !argument.starts_with(['-', '+']) {
                return false;
            }
        }
        true
    }

    /// The script that an interpreter runs, by which it goes: its first argument, or the first one behind options that have no
    /// value and run nothing themselves. Behind any other option it could be the option's value (`python3 -X kitty x.py`).
    #[must_use]
    pub fn script_file(&self) -> Option<&str> {
        let own = self.own();
        let is_idle = |option: &str| runs_nothing(&own, option);
        let mut arguments = self.arguments.iter().skip(1).map(String::as_str);
        let first = arguments.find(|argument| !is_idle(argument))?;
        (is_interpreter(&own) && !first.starts_with('-')).then_some(first)
    }

    /// What it is: of an interpreter its script.
    fn tool(&self) -> String {
        self.script_file().map_or_else(|| self.own(), own_name)
    }

    /// Its program's name. Of another user's, what it calls itself is all there is.
    fn own(&self) -> String {
        own_name(self.program.as_deref().unwrap_or(&self.name))
    }

    /// The name that a person knows it by.
    #[must_use]
    pub fn title(&self) -> &str {
        let program = self.program.as_deref().map(file_name);
        self.script().filter(|_| program.is_some_and(is_interpreter)).or(program).unwrap_or(&self.name)
    }

    /// Every name by which it may be known: the program, what it calls itself, the script of an interpreter and the package
    /// that the script belongs to.
    fn names(&self) -> Vec<String> {
        let program = self.program.as_deref().map(own_name);
        let mut names: Vec<String> = program.into_iter().chain([own_name(&self.name)]).collect();
        names.extend(self.arguments.first().map(|first| own_name(first)));
        if names.iter().any(|name| is_interpreter(name)) {
            for script in self.scripts() {
                names.push(own_name(script));
                names.extend(package(script));
            }
        }
        names
    }

    /// The first argument that is no option: of an interpreter its script, its module after `-m`, or the value of an option.
    fn script(&self) -> Option<&str> {
        self.scripts().next()
    }

    /// What may be the script of an interpreter: the first argument that is no option, and the next one where that may be an
    /// option's value.
    fn scripts(&self) -> impl Iterator<Item = &str> {
        let own = self.own();
        let mut found = Vec::new();
        let mut may_have_value = false;
        for argument in self.arguments.iter().skip(1).map(String::as_str) {
            // Behind these stands code, not the name of a file.
            if ["-", "-c", "-e", "-p", "--eval"].contains(&argument) {
                break;
            }
            if argument.starts_with('-') {
                may_have_value = !argument.contains('=') && !runs_nothing(&own, argument);
                continue;
            }
            found.push(argument);
            if !std::mem::take(&mut may_have_value) {
                break;
            }
        }
        found.into_iter()
    }
}

/// Whether an option of an interpreter has no value behind it, and names nothing that is run before the script.
fn runs_nothing(interpreter: &str, option: &str) -> bool {
    let letters = |known: &str| {
        option
            .strip_prefix('-')
            .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| known.contains(c)))
    };
    match interpreter.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
        "python" => letters("bBdEIOPqRsSuv"),
        "node" | "nodejs" | "electron" => {
            ["--dns-result-order=", "--max-old-space-size=", "--no-warnings", "--enable-source-maps"]
                .iter()
                .any(|known| option.starts_with(known))
        }
        _ => letters("wT"),
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A name without its directory, its ending and its version; `-bash` is a login shell's, `.kitty-wrapped` NixOS's.
fn own_name(path: &str) -> String {
    let name = file_name(path.trim_end_matches(" (deleted)")).trim_start_matches(['-', '.']);
    let name = name.split(':').next().unwrap_or(name);
    let mut name = name.strip_suffix("-wrapped").unwrap_or(name);
    // Debian's vim is one of these.
    if name.starts_with("vim.") {
        return "vim".to_owned();
    }
    for ending in [".AppImage", ".appimage", ".js", ".mjs", ".cjs", ".ts", ".py", ".rb", ".pl", ".sh", ".exe"]
    {
        name = name.strip_suffix(ending).unwrap_or(name);
    }
    let versioned = name.rsplit_once('-').filter(|(_, version)| {
        version.starts_with(|c: char| c.is_ascii_digit())
            && version.chars().all(|c| c.is_ascii_digit() || c == '.')
    });
    versioned.map_or(name, |(name, _)| name).to_owned()
}

/// The package whose file a script is: what stands below `node_modules/` (below the scope, where there is one) or
/// `site-packages/`.
fn package(script: &str) -> Option<String> {
    let parts: Vec<&str> = script.split('/').collect();
    let at = parts.iter().rposition(|part| matches!(*part, "node_modules" | "site-packages"))?;
    let first = parts.get(at + 1)?;
    let name = if first.starts_with('@') { parts.get(at + 2)? } else { first };
    Some((*name).to_owned())
}

fn is_interpreter(name: &str) -> bool {
    const NAMES: [&str; 9] = ["node", "nodejs", "bun", "deno", "python", "ruby", "perl", "java", "electron"];
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    NAMES.contains(&stem)
}

/// How WSL's own processes begin that keep a terminal.
const OF_WINDOWS: [&str; 2] = ["Relay(", "SessionLeader"];

/// Programs between a terminal and us that decide nothing themselves: the person who types at that terminal decides.
const PLAIN: [&[&str]; 8] =
    [SHELLS, LOGINS, REMOTE_LOGINS, MULTIPLEXERS, TERMINALS, CONSOLE_EDITORS, EDITORS, WRAPPERS];

const SHELLS: &[&str] = &[
    "ash", "bash", "busybox", "csh", "dash", "elvish", "es", "fish", "ksh", "ksh93", "mksh", "nu", "oksh",
    "osh", "pwsh", "rbash", "rc", "sh", "tcsh", "xonsh", "yash", "ysh", "zsh",
];

/// Options whose value stands behind them, of a shell that a person types in: of this one, or of all (no name).
const SHELL_OPTIONS_WITH_VALUE: &[(&str, &[&str])] = &[
    ("", &["--init-file", "--rcfile", "-O", "-o", "+O", "+o"]),
    ("fish", &["--init-command", "-C"]),
    ("nu", &["--config", "--env-config", "--execute", "--login-config", "-e"]),
];

/// Those that let people in from other machines.
const REMOTE_LOGINS: &[&str] =
    &["dropbear", "in.telnetd", "mosh-server", "sshd", "sshd-auth", "sshd-session", "telnetd"];

const LOGINS: &[&str] = &[
    "agetty",
    "catatonit",
    "conmon",
    "containerd-shim",
    "containerd-shim-runc-v2",
    "containerd-shi",
    "crun",
    "doas",
    "docker-init",
    "dumb-init",
    "getty",
    "incusd",
    "init",
    "launchd",
    "login",
    "lxc-start",
    "lxd",
    "machinectl",
    "nsenter",
    "pkexec",
    "run0",
    "runc",
    "runuser",
    "setpriv",
    "su",
    "sudo",
    "sudo-rs",
    "systemd",
    "systemd-executor",
    "systemd-nspawn",
    "systemd-run",
    "tini",
    "chroot",
    "flatpak-session-helper",
];

/// Of these, those that work on the terminal they find: one that has none opened it for a pipe (`su --pty`).
const ON_A_TERMINAL: &[&str] = &[
    "catatonit",
    "chroot",
    "doas",
    "docker-init",
    "dumb-init",
    "nsenter",
    "pkexec",
    "run0",
    "runuser",
    "setpriv",
    "su",
    "sudo",
    "sudo-rs",
    "systemd-run",
    "tini",
];

const MULTIPLEXERS: &[&str] = &["abduco", "byobu", "dtach", "dvtm", "screen", "SCREEN", "tmux", "zellij"];

const TERMINALS: &[&str] = &[
    "Eterm",
    "Hyper",
    "Terminal",
    "alacritty",
    "blackbox",
    "blackbox-terminal",
    "cockpit-bridge",
    "contour",
    "cosmic-term",
    "deepin-terminal",
    "extraterm",
    "fbterm",
    "foot",
    "footclient",
    "ghostty",
    "gnome-console",
    "gnome-terminal",
    "gnome-terminal-server",
    "gotty",
    "guake",
    "hyper",
    "iTerm2",
    "iTermServer",
    "kgx",
    "kitten",
    "kitty",
    "kmscon",
    "konsole",
    "lxterminal",
    "mate-terminal",
    "mintty",
    "mlterm",
    "ptyxis",
    "ptyxis-agent",
    "qterminal",
    "rio",
    "rxvt",
    "st",
    "sakura",
    "tabby",
    "terminator",
    "terminology",
    "termite",
    "tilda",
    "tilix",
    "ttyd",
    "urxvt",
    "urxvtd",
    "uxterm",
    "warp",
    "warp-terminal",
    "wezterm",
    "wezterm-gui",
    "wezterm-mux-server",
    "xfce4-terminal",
    "xterm",
    "yakuake",
];

/// Editors that are used on a terminal.
const CONSOLE_EDITORS: &[&str] = &[
    "emacs",
    "emacs-gtk",
    "emacs-lucid",
    "emacs-nox",
    "emacs-pgtk",
    "emacsclient",
    "helix",
    "hx",
    "jed",
    "joe",
    "kak",
    "micro",
    "nano",
    "nvim",
    "vi",
    "vim",
];

/// The other editors: in a window of their own.
const EDITORS: &[&str] = &[
    "clion",
    "code",
    "code-insiders",
    "code-server",
    "code-tunnel",
    "codium",
    "cursor",
    "goland",
    "gvim",
    "idea",
    "kate",
    "lapce",
    "neovide",
    "phpstorm",
    "pycharm",
    "rider",
    "rubymine",
    "rustrover",
    "sublime_text",
    "vscodium",
    "webstorm",
    "windsurf",
    "zed",
    "zed-editor",
    "zeditor",
];

const WRAPPERS: &[&str] = &[
    "cargo",
    "chrt",
    "direnv",
    "entr",
    "env",
    "find",
    "flock",
    "fzf",
    "gdb",
    "git",
    "gitui",
    "gmake",
    "ionice",
    "just",
    "last-word",
    "lazygit",
    "less",
    "lf",
    "ltrace",
    "make",
    "man",
    "mc",
    "more",
    "nice",
    "nnn",
    "nohup",
    "parallel",
    "perf",
    "ranger",
    "rlwrap",
    "stdbuf",
    "strace",
    "systemd-inhibit",
    "taskset",
    "tig",
    "time",
    "timeout",
    "valgrind",
    "vifm",
    "watch",
    "xargs",
    "yazi",
];

/// Whether a text runs a shell that somebody types into, and nothing else.
fn is_only_a_shell(text: &str) -> bool {
    let is_plain =
        text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '.' | '-' | ' '));
    let arguments: Vec<String> = text.trim_start_matches("exec ").split(' ').map(str::to_owned).collect();
    let program = arguments.first().cloned();
    is_plain && Process { program, arguments, ..Process::default() }.is_shell_to_type_in()
}

#[cfg(test)]
mod tests {
    use super::{Opens, Process};

    fn process(program: &str, arguments: &str) -> Process {
        let arguments: Vec<String> = arguments.split_whitespace().map(str::to_owned).collect();
        let name = program.rsplit('/').next().unwrap_or_default().chars().take(15).collect();
        Process { pid: 7, name, program: Some(program.to_owned()), arguments, ..Process::default() }
    }

    #[test]
    fn agents_by_program_script_and_package() {
        for (program, arguments) in [
            ("/usr/local/bin/goose", "goose session"),
            ("/usr/bin/node", "claude"),
            ("/usr/bin/node", "node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"),
            ("/usr/bin/node", "node --no-warnings /opt/node_modules/@openai/codex/bin/codex.js exec"),
            ("/usr/bin/node", "node /usr/bin/gemini -p hi"),
            ("/usr/bin/node", "node /x/node_modules/@sourcegraph/amp/dist/main.js"),
            ("/usr/bin/python3.12", "python3 -m aider"),
            ("/usr/bin/python3.12", "python3 -X utf8 aider"),
            ("/usr/bin/node", "node -r ./x.js /usr/bin/gemini"),
            ("/home/me/.local/bin/cursor-agent", "cursor-agent"),
            ("/home/me/.local/share/claude/versions/2.1.3", "claude --resume"),
        ] {
            let found = process(program, arguments).agent();
            assert!(found.is_some_and(|which| which.starts_with("process 7 is ")), "{program} {arguments}");
        }
    }

    #[test]
    fn an_agents_mark_in_a_process_shows_it() {
        let environment = vec![("GOOSE_TERMINAL".into(), "1".into())];
        let shell = Process { environment, ..process("/bin/bash", "bash") };
        assert_eq!(shell.agent().as_deref(), Some("GOOSE_TERMINAL is set in process 7, bash"));
    }

    #[test]
    fn what_a_person_sits_at_is_plain_and_no_agent() {
        for (program, arguments) in [
            ("/usr/bin/bash", "-bash"),
            ("/usr/bin/zsh", "zsh"),
            ("/usr/bin/tmux", "tmux new -s work"),
            ("/usr/bin/screen-4.9.1", "SCREEN"),
            ("/usr/libexec/gnome-terminal-server", "gnome-terminal-server"),
            ("/usr/sbin/sshd-session", "sshd-session: me@pts/0"),
            ("/usr/bin/python3.12", "/usr/bin/python3 /usr/bin/terminator"),
            ("/nix/store/x/bin/.kitty-wrapped", "kitty"),
            ("/usr/share/code/code", "code --type=utility"),
            (
                "/home/me/.vscode-server/bin/1/node",
                "node /home/me/.vscode-server/bin/1/out/bootstrap-fork --type=ptyHost",
            ),
            ("/opt/jbr/bin/java", "java -cp x com.intellij.idea.Main"),
            ("/usr/bin/python3.12", "/usr/bin/python3 -sP /usr/bin/guake"),
            (
                "/home/me/.vscode-server/bin/1/node",
                "node --dns-result-order=ipv4first /home/me/.vscode-server/bin/1/out/bootstrap-fork --type=ptyHost",
            ),
            ("/usr/bin/vim", "vim notes.md"),
            ("/usr/bin/vim.basic", "vim notes.md"),
            ("/usr/bin/bash (deleted)", "bash /home/me/src/codex/claude.sh"),
        ] {
            let process = process(program, arguments);
            assert!(process.is_plain(), "{program} {arguments}");
            assert_eq!(process.agent(), None, "{program} {arguments}");
        }
        let of_root = Process { pid: 9, name: "sshd".to_owned(), ..Process::default() };
        assert!(of_root.is_plain());
        let hidden = Process { hides: true, ..of_root };
        assert!(!hidden.is_plain(), "anybody calls itself so");
    }

    #[test]
    fn shells_that_a_person_types_in() {
        for arguments in [
            "-bash",
            "bash --init-file /usr/share/code/shellIntegration-bash.sh",
            "bash --rcfile /tmp/nix-shell-1/rc -i",
            "zsh -il",
            "bash -O checkwinsize -o vi",
            "nu -e x",
            "/usr/bin/fish --init-command x -l",
            "bash --norc",
            "sh -c /bin/zsh",
        ] {
            let program = arguments.split_whitespace().next().unwrap().trim_start_matches('-');
            assert!(process(program, arguments).is_shell_to_type_in(), "{arguments}");
        }
        assert!(process("/usr/bin/python3.12", "python3 /usr/bin/xonsh").is_shell_to_type_in());
        assert!(process("/usr/bin/pwsh", "pwsh -noexit -command x").is_shell_to_type_in());
        for arguments in [
            "bash -c x",
            "sh -c bash -x",
            "bash -lc x",
            "sh ./x.sh",
            "bash -o vi x.sh",
            "bash -e x.sh",
            "zsh -ic x",
            "vim x",
        ] {
            let program = arguments.split_whitespace().next().unwrap();
            assert!(!process(program, arguments).is_shell_to_type_in(), "{arguments}");
        }
        assert!(!process("/usr/bin/pwsh", "pwsh -command x").is_shell_to_type_in());
    }

    #[test]
    fn what_opens_a_terminal_and_how() {
        for (program, arguments, opens) in [
            ("/usr/bin/tmux", "tmux new", Opens::Multiplexer),
            ("/usr/sbin/sshd-session", "sshd-session: me@pts/0", Opens::Remote),
            ("/usr/lib/systemd/systemd", "systemd --user", Opens::Login),
            ("/usr/bin/vim.basic", "vim -es", Opens::Editor),
            ("/usr/bin/bash", "bash", Opens::Nothing),
            ("/usr/bin/su", "su --pty root", Opens::Nothing),
            ("/usr/bin/tini", "tini -- bash", Opens::Nothing),
            ("/usr/bin/login", "login", Opens::Login),
            ("/usr/bin/python3.12", "python3 /usr/bin/terminator", Opens::Window),
            ("/usr/bin/xterm", "xterm", Opens::Window),
            ("/usr/share/code/code", "code --type=utility", Opens::Window),
        ] {
            assert_eq!(process(program, arguments).opens(), opens, "{program}");
        }
    }

    #[test]
    fn programs_that_open_terminals_for_others_are_not() {
        for (program, arguments) in [
            ("/usr/bin/script", "script -qc x"),
            ("/usr/bin/python3.12", "python3 -c 'import pty'"),
            ("/usr/bin/expect", "expect x.exp"),
            ("/usr/bin/node", "node server.js"),
            ("/usr/bin/perl", "perl -MIO::Pty x.pl"),
            ("/usr/bin/socat", "socat exec:x,pty -"),
            ("/usr/bin/python3.12", "python3 - xterm"),
            ("/tmp/python3", "bash"),
            ("/usr/bin/python3.12", "python3 -c x --type=ptyHost"),
            ("/usr/bin/python3.12", "python3 -c x /root/.vscode-server/x"),
            ("/usr/bin/python3.12", "python3 x.py --type=ptyHost com.intellij.idea.Main"),
            ("/usr/bin/node", "node /home/me/.vscode-server/extensions/v.agent/dist/cli.js"),
            (
                "/usr/bin/node",
                "node /home/me/.vscode-server/extensions/v.agent/out/bootstrap-fork --type=ptyHost",
            ),
            ("/opt/new-agent/agent-of-tomorrow", "sh"),
            ("/usr/bin/python3.12", "python3 -X kitty x.py"),
            ("/usr/bin/python3.12", "python3 -W kitty x.py"),
            ("/usr/bin/python3.12", "python3 -m kitty"),
            ("/usr/bin/python3.12", "python3 -IX sshd x.py"),
            ("/usr/bin/python3.12", "python3 -X /usr/bin/gnome-terminal-server x.py"),
            ("/usr/bin/node", "node -r kitty x.js"),
            ("/usr/bin/node", "node --require=x.js kitty"),
            ("/usr/bin/perl", "perl -E kitty"),
            ("/usr/bin/ruby", "ruby -r ./x kitty"),
            ("/usr/bin/java", "java -cp x com.intellij.idea.Main"),
        ] {
            assert!(!process(program, arguments).is_plain(), "{program} {arguments}");
        }
    }
}
