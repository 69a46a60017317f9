//! Programs that run another command, which follows their options (`sudo -u X cp …`): where that command begins, and in which
//! directory it runs.

use super::options::Options;
use super::run::base_name;
use super::said;

/// A program that runs the command that follows its options.
struct Wrapper {
    name: &'static str,
    /// A word between its name and its options: `run` of `uv run`.
    verb: Option<&'static str>,
    options: Options,
    /// Arguments of its own before the command.
    arguments: usize,
}

const fn wrapper(name: &'static str, letters: &'static str, long: &'static [&'static str]) -> Wrapper {
    Wrapper { name, verb: None, options: Options { letters, long }, arguments: 0 }
}

/// A program that takes one argument before the command: `timeout 5 cp`.
const fn after_one(name: &'static str, letters: &'static str, long: &'static [&'static str]) -> Wrapper {
    Wrapper { name, verb: None, options: Options { letters, long }, arguments: 1 }
}

/// Long options of programs that run another one by a verb, which take a value.
const RUNNING: [&str; 31] = [
    "with",
    "with-requirements",
    "with-editable",
    "python",
    "project",
    "directory",
    "extra",
    "group",
    "env-file",
    "package",
    "index",
    "index-url",
    "extra-index-url",
    "default-index",
    "from",
    "name",
    "prefix",
    "cwd",
    "call",
    "spec",
    "pip-args",
    "dir",
    "filter",
    "workspace",
    "config-file",
    "cache-dir",
    "refresh-package",
    "only-group",
    "no-group",
    "profile",
    "env",
];

const fn runner(name: &'static str, verb: &'static str, letters: &'static str) -> Wrapper {
    Wrapper { name, verb: Some(verb), options: Options { letters, long: &RUNNING }, arguments: 0 }
}

const SUDO: [&str; 10] =
    ["user", "group", "prompt", "host", "close-from", "chdir", "chroot", "role", "type", "command-timeout"];
const XARGS: [&str; 7] =
    ["max-args", "max-procs", "delimiter", "max-chars", "max-lines", "arg-file", "process-slot-var"];
const WRAPPERS: [Wrapper; 85] = [
    wrapper("sudo", "ugphCDRTrUt", &SUDO),
    wrapper("doas", "uC", &[]),
    wrapper("env", "uCSP", &["unset", "chdir", "split-string"]),
    wrapper("command", "", &[]),
    wrapper("builtin", "", &[]),
    wrapper("exec", "a", &[]),
    wrapper("nohup", "", &[]),
    wrapper("time", "fo", &["format", "output"]),
    wrapper("nice", "n", &["adjustment"]),
    wrapper("ionice", "cnpPu", &["class", "classdata", "pid", "pgid", "uid"]),
    after_one("chrt", "TPDp", &["sched-runtime", "sched-period", "sched-deadline", "pid"]),
    after_one("taskset", "", &[]),
    wrapper("prlimit", "po", &["pid", "output"]),
    wrapper("stdbuf", "ioe", &["input", "output", "error"]),
    after_one("timeout", "ks", &["kill-after", "signal"]),
    after_one("gtimeout", "ks", &["kill-after", "signal"]),
    wrapper("xargs", "IJnPdsLEaR", &XARGS),
    wrapper("setsid", "", &[]),
    wrapper("caffeinate", "tw", &[]),
    wrapper("busybox", "", &[]),
    wrapper("toybox", "", &[]),
    wrapper("unbuffer", "", &[]),
    wrapper("chronic", "", &[]),
    after_one("flock", "wEc", &["timeout", "wait", "conflict-exit-code", "command"]),
    after_one("chroot", "", &[]),
    after_one("gosu", "", &[]),
    after_one("su-exec", "", &[]),
    wrapper("runuser", "ugGsc", &["user", "group", "supp-group", "shell", "command"]),
    wrapper("pkexec", "", &["user"]),
    wrapper("run0", "uD", &["user", "chdir", "unit", "property", "description", "slice", "nice"]),
    wrapper("systemd-run", "upEMH", &["unit", "property", "setenv", "uid", "gid", "working-directory"]),
    wrapper("systemd-inhibit", "", &["what", "who", "why", "mode"]),
    wrapper("unshare", "SGR", &["setuid", "setgid", "root", "wd"]),
    wrapper("nsenter", "tSG", &["target", "setuid", "setgid"]),
    wrapper("setpriv", "", &["reuid", "regid", "groups", "inh-caps", "ambient-caps", "bounding-set"]),
    wrapper("strace", "aeEIoOpPsSuUX", &[]),
    wrapper("ltrace", "aeluonpsSADF", &[]),
    wrapper("valgrind", "", &[]),
    wrapper("fakeroot", "lsifb", &["lib", "faked"]),
    wrapper("firejail", "", &[]),
    wrapper("proot", "rbqw", &["rootfs", "bind", "qemu", "cwd"]),
    after_one("faketime", "f", &[]),
    wrapper("torsocks", "", &[]),
    wrapper("proxychains", "f", &[]),
    wrapper("proxychains4", "f", &[]),
    wrapper("dbus-run-session", "", &["config-file", "dbus-daemon"]),
    wrapper("xvfb-run", "efnpsw", &["server-num", "server-args", "error-file", "auth-file"]),
    wrapper("npx", "pc", &["package"]),
    wrapper("bunx", "", &[]),
    wrapper("setarch", "", &[]),
    wrapper("linux64", "", &[]),
    wrapper("linux32", "", &[]),
    wrapper("x86_64", "", &[]),
    wrapper("i386", "", &[]),
    wrapper("parallel", "jIaLnNS", &["jobs", "arg-file"]),
    runner("uv", "run", "p"),
    runner("poetry", "run", "C"),
    runner("pipenv", "run", ""),
    runner("pdm", "run", "p"),
    runner("hatch", "run", "e"),
    runner("bundle", "exec", ""),
    runner("mise", "exec", "C"),
    runner("conda", "run", "np"),
    runner("npm", "exec", "cw"),
    runner("pnpm", "exec", "C"),
    runner("mise", "x", "C"),
    Wrapper { arguments: 1, ..runner("direnv", "exec", "") },
    runner("dotenvx", "run", "f"),
    wrapper("dotenv", "efp", &[]),
    wrapper("rtk", "", &[]),
    wrapper("entr", "", &[]),
    wrapper("cross-env", "", &[]),
    wrapper("cross-env-shell", "", &[]),
    wrapper("corepack", "", &[]),
    runner("perf", "stat", "eorC"),
    runner("nix", "develop", ""),
    runner("nix", "shell", ""),
    runner("rye", "run", ""),
    runner("pipx", "run", ""),
    runner("pnpm", "dlx", ""),
    runner("yarn", "dlx", "p"),
    runner("bun", "x", ""),
    runner("yarn", "exec", ""),
    wrapper("uvx", "p", &RUNNING),
    wrapper("nix-shell", "pAIj", &["run", "command", "packages", "argstr", "arg"]),
];
/// Options that name the directory the command runs in.
const DIRECTORY: [(&str, &[&str]); 5] = [
    ("env", &["-C", "--chdir"]),
    ("sudo", &["-D", "--chdir"]),
    ("run0", &["-D", "--chdir"]),
    ("systemd-run", &["--working-directory"]),
    ("unshare", &["--wd"]),
];
/// Options whose value is a command line.
const TEXT: [(&str, &[&str]); 6] = [
    ("nix-shell", &["--run", "--command"]),
    ("npx", &["-c", "--call"]),
    ("env", &["-S", "--split-string"]),
    ("flock", &["-c", "--command"]),
    ("runuser", &["-c", "--command"]),
    ("npm", &["-c"]),
];

/// Options that name a file which the program itself writes.
const WRITTEN: [(&str, &[&str]); 6] = [
    ("valgrind", &["--log-file"]),
    ("time", &["-o", "--output"]),
    ("strace", &["-o"]),
    ("ltrace", &["-o"]),
    ("perf", &["-o"]),
    ("xvfb-run", &["-e", "--error-file"]),
];

/// What stands before the command.
#[derive(Debug, Default)]
pub(super) struct BehindOptions {
    /// How many words it is.
    pub(super) words: usize,
    /// The directory the command runs in, as written.
    pub(super) dir: Option<String>,
    /// A command line that is the value of an option.
    pub(super) text: Option<String>,
    /// The file that is written besides, as written.
    pub(super) written: Option<String>,
    /// Whether arguments of the command come from a pipe.
    pub(super) fed: bool,
    /// The word of the command that each of these arguments is put in place of.
    pub(super) place: Option<String>,
}

/// Reads the words before the command; `None` when these words begin with no such program.
pub(super) fn unwrapped(words: &[String]) -> Option<BehindOptions> {
    let name = base_name(words.first()?);
    // `uv tool run` is `uvx`.
    let is_uvx = name == "uv" && matches!(words, [_, tool, run, ..] if tool == "tool" && run == "run");
    let (name, verbs) = if is_uvx { ("uvx", 2) } else { (name, 0) };
    let fits = |wrapper: &&Wrapper| {
        wrapper.name == name && wrapper.verb.is_none_or(|verb| words.get(1).is_some_and(|word| word == verb))
    };
    let wrapper = WRAPPERS.iter().find(fits)?;
    let before = 1 + verbs + usize::from(wrapper.verb.is_some());
    let (options, used) = wrapper.options.leading(&words[before..]);
    let value = |table: &[(&str, &[&str])]| {
        let (_, names) = table.iter().find(|(program, _)| *program == name)?;
        options.iter().rev().find(|(option, _)| names.contains(&option.as_str()))?.1.clone()
    };
    // `uv run -`: the program is read from a pipe.
    let alone = words[before..before + used].iter().position(|word| word == "-");
    let used = alone.filter(|_| wrapper.verb.is_some()).unwrap_or(used);
    let begin = (before + used + wrapper.arguments).min(words.len());
    // `flock FILE -c TEXT`
    let behind = match &words[begin..] {
        [flag, text, ..] if name == "flock" && flag == "-c" => Some(text.clone()),
        _ => None,
    };
    // `flock FILE`: the file is made and locked, and whoever waits for that lock stands still.
    let locked = words.get(begin - 1).filter(|_| name == "flock" && begin > 1).cloned();
    Some(BehindOptions {
        words: begin + if behind.is_some() { 2 } else { 0 },
        dir: value(&DIRECTORY),
        text: value(&TEXT).or(behind),
        written: value(&WRITTEN).or(locked),
        fed: matches!(name, "xargs" | "parallel"),
        place: place(name, &options),
    })
}

/// Words that say a command follows.
const VERBS: [&str; 5] = ["run", "exec", "x", "exec-env", "shell"];
/// How far at the beginning such a word is looked for, behind options of the program.
const VERB_WITHIN: usize = 4;
/// Long options whose value is a command line, or that a command follows.
const COMMANDS: [&str; 4] = ["--exec", "--command", "--cmd", "--shell-command"];
/// Programs whose command runs on another machine, or in a container whose directories are not known.
const ELSEWHERE: [&str; 14] = [
    "kubectl",
    "oc",
    "docker",
    "podman",
    "nerdctl",
    "lxc",
    "incus",
    "vagrant",
    "multipass",
    "fly",
    "flyctl",
    "heroku",
    "gcloud",
    "aws",
];
/// Programs behind whose `--` stand patterns and files.
const SEARCHING: [&str; 12] =
    ["grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "ugrep", "git", "cat", "ls", "wc"];

/// The commands that may follow in the arguments of a program that is none of those known here: `op run -- CMD`, `pixi run CMD`,
/// `nvm exec 20 CMD`, `nodemon --exec TEXT`. A single word with blanks is a command line.
pub(super) fn carried(name: &str, args: &[String]) -> Vec<Vec<String>> {
    // `gh pr create --title x`, `codex exec 'explain this'`: words, and no command.
    let says =
        matches!(name, "gh" | "glab" | "hub") || said::is_task(name, args) || said::starts_nothing(name);
    if ELSEWHERE.contains(&name) || SEARCHING.contains(&name) || says {
        return Vec::new();
    }
    let mut found: Vec<&[String]> = Vec::new();
    // `yarn prettier`, `pnpm prettier`: a program of the package.
    if matches!(name, "yarn" | "pnpm") {
        found.extend(args.iter().position(|word| !word.starts_with('-')).map(|at| &args[at..]));
    }
    // `nix shell nixpkgs#x -c CMD`
    let of_nix = args.iter().position(|arg| arg == "-c").filter(|_| name.contains('#'));
    found.extend(of_nix.map(|at| &args[at + 1..]));
    let ends = args.iter().position(|arg| arg == "--");
    found.extend(ends.map(|at| &args[at + 1..]));
    let is_option = |word: &&String| word.starts_with('-');
    if let Some(at) = args.iter().take(VERB_WITHIN).position(|arg| VERBS.contains(&arg.as_str())) {
        let rest = &args[at + 1..];
        let bare = &rest[rest.iter().take_while(is_option).count()..];
        // What stands first may be the value of an option, or what the command is run with.
        found.extend([Some(bare), bare.get(1..)].into_iter().flatten());
    }
    let by_option = args.iter().position(|arg| COMMANDS.contains(&arg.as_str()));
    found.extend(by_option.map(|at| &args[at + 1..]));
    found.retain(|words| words.first().is_some_and(|first| !first.starts_with('-')));
    let mut commands: Vec<Vec<String>> = found.into_iter().map(<[String]>::to_vec).collect();
    // `nix run nixpkgs#sd -- ARGUMENTS`
    if let (Some(package), Some(at)) = (args.iter().find(|arg| arg.contains('#')), ends) {
        let program = package.rsplit(['#', '.']).next().unwrap_or(package).to_owned();
        commands.push([&[program], &args[at + 1..]].concat());
    }
    commands
}

/// What stands for an argument that comes from a pipe: `{}` of `xargs -I{}` and of `parallel`.
fn place(name: &str, options: &[(String, Option<String>)]) -> Option<String> {
    const DEFAULT: &str = "{}";
    match name {
        "xargs" => {
            let names = ["-I", "-i", "-J", "--replace"];
            let said = options.iter().rev().find(|(option, _)| names.contains(&option.as_str()))?;
            Some(said.1.clone().filter(|word| !word.is_empty()).unwrap_or(DEFAULT.to_owned()))
        }
        "parallel" => Some(DEFAULT.to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_begins_behind_options_and_their_values() {
        for (line, rest, dir) in [
            ("sudo -nu root cp a b", "cp a b", None),
            ("sudo --user root --chdir=/x cp a b", "cp a b", Some("/x")),
            ("sudo -uroot -- cp a b", "cp a b", None),
            ("env -i -C /x A=1 cp", "A=1 cp", Some("/x")),
            ("env --chdi /x cp", "cp", Some("/x")),
            ("env - cp", "cp", None),
            ("timeout -s KILL 5 cp", "cp", None),
            ("/usr/bin/time -f %e cp", "cp", None),
            ("flock /tmp/l cp", "cp", None),
            ("uv run -p 3.12 cp", "cp", None),
            ("nice", "", None),
            ("xargs -I{} cp {} b", "cp {} b", None),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let found = unwrapped(&words).unwrap();
            assert_eq!(
                (words[found.words..].join(" ").as_str(), found.dir.as_deref()),
                (rest, dir),
                "{line}"
            );
        }
        assert!(unwrapped(&["uv".to_owned(), "pip".to_owned()]).is_none());
        let text = unwrapped(&["env".to_owned(), "-S".to_owned(), "cp a b".to_owned()]).unwrap().text;
        assert_eq!(text.as_deref(), Some("cp a b"));
    }
}
