//! Programs that run another command, which follows their options (`sudo -u X cp …`): where that command begins, and in which
//! directory it runs.

use super::options::Options;
use super::run::base_name;

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

const fn runner(name: &'static str, verb: &'static str, letters: &'static str) -> Wrapper {
    Wrapper { name, verb: Some(verb), options: Options { letters, long: &[] }, arguments: 0 }
}

const SUDO: [&str; 10] =
    ["user", "group", "prompt", "host", "close-from", "chdir", "chroot", "role", "type", "command-timeout"];
const XARGS: [&str; 7] =
    ["max-args", "max-procs", "delimiter", "max-chars", "max-lines", "arg-file", "process-slot-var"];
const WRAPPERS: [Wrapper; 70] = [
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
    wrapper("xargs", "InPdsLEa", &XARGS),
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
    runner("perf", "stat", "eorC"),
    runner("nix", "develop", ""),
    runner("nix", "shell", ""),
    runner("rye", "run", ""),
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
const TEXT: [(&str, &[&str]); 5] = [
    ("npx", &["-c", "--call"]),
    ("env", &["-S", "--split-string"]),
    ("flock", &["-c", "--command"]),
    ("runuser", &["-c", "--command"]),
    ("npm", &["-c"]),
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
    /// Whether arguments of the command come from a pipe.
    pub(super) fed: bool,
}

/// Reads the words before the command; `None` when these words begin with no such program.
pub(super) fn unwrapped(words: &[String]) -> Option<BehindOptions> {
    let name = base_name(words.first()?);
    let fits = |wrapper: &&Wrapper| {
        wrapper.name == name && wrapper.verb.is_none_or(|verb| words.get(1).is_some_and(|word| word == verb))
    };
    let wrapper = WRAPPERS.iter().find(fits)?;
    let before = 1 + usize::from(wrapper.verb.is_some());
    let (options, used) = wrapper.options.leading(&words[before..]);
    let value = |table: &[(&str, &[&str])]| {
        let (_, names) = table.iter().find(|(program, _)| *program == name)?;
        options.iter().rev().find(|(option, _)| names.contains(&option.as_str()))?.1.clone()
    };
    Some(BehindOptions {
        words: (before + used + wrapper.arguments).min(words.len()),
        dir: value(&DIRECTORY),
        text: value(&TEXT),
        fed: matches!(name, "xargs" | "parallel"),
    })
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
