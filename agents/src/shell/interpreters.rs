//! How an interpreter is told its program: which of its options take a value, are followed by a text or a module, or name what is read
//! before the program.

use super::options::Options;

/// An interpreter, or several that are told their program in the same way.
struct Interpreter {
    names: &'static [&'static str],
    options: Options,
    /// Options with the program as text.
    texts: &'static [&'static str],
    /// Options with a file that is read before the program.
    before: &'static [&'static str],
    /// Words in front of the options of the program: `run` of `deno run FILE`.
    verbs: &'static [&'static str],
    /// What may stand behind the name of a file that is named without it.
    endings: &'static [&'static str],
    /// Options with which the program is only looked at.
    checks: &'static [&'static str],
}

const OF_NODE: [&str; 8] = ["", ".js", ".cjs", ".mjs", ".ts", ".json", "/index.js", "/index.ts"];
const LONG_OF_NODE: [&str; 24] = [
    "require",
    "import",
    "loader",
    "experimental-loader",
    "preload",
    "env-file",
    "conditions",
    "eval",
    "print",
    "input-type",
    "title",
    "test-name-pattern",
    "test-reporter",
    "test-reporter-destination",
    "watch-path",
    "cpu-prof-dir",
    "redirect-warnings",
    "icu-data-dir",
    "openssl-config",
    "diagnostic-dir",
    "tsconfig",
    "project",
    "compiler-options",
    "config",
];
const BEFORE_NODE: [&str; 6] =
    ["-r", "--require", "--import", "--loader", "--experimental-loader", "--preload"];
const INTERPRETERS: [Interpreter; 7] = [
    Interpreter {
        names: &["python", "pypy", "ipython"],
        options: Options { letters: "cmWXQ", long: &["check-hash-based-pycs"] },
        texts: &["-c"],
        before: &[],
        verbs: &[],
        endings: &["", "/__main__.py"],
        checks: &[],
    },
    Interpreter {
        names: &["node", "nodejs", "tsx", "ts-node", "deno", "bun", "nodemon"],
        options: Options { letters: "erpCOPc", long: &LONG_OF_NODE },
        texts: &["-e", "-p", "--eval", "--print"],
        before: &BEFORE_NODE,
        verbs: &["run", "watch", "serve"],
        endings: &OF_NODE,
        checks: &["--check"],
    },
    Interpreter {
        names: &["perl"],
        options: Options { letters: "IeEMmF", long: &[] },
        texts: &["-e", "-E"],
        before: &[],
        verbs: &[],
        endings: &[""],
        checks: &["-c"],
    },
    Interpreter {
        names: &["ruby"],
        options: Options { letters: "IreECF", long: &["encoding", "external-encoding"] },
        texts: &["-e"],
        before: &["-r"],
        verbs: &[],
        endings: &["", ".rb"],
        checks: &["-c"],
    },
    Interpreter {
        names: &["php"],
        options: Options { letters: "cdfrBRFEzSt", long: &["define", "run", "file"] },
        texts: &["-r", "-B", "-R", "-E", "--run"],
        before: &["-f", "--file"],
        verbs: &[],
        endings: &[""],
        checks: &["-l"],
    },
    Interpreter {
        names: &["lua", "luajit"],
        options: Options { letters: "el", long: &[] },
        texts: &["-e"],
        before: &["-l"],
        verbs: &[],
        endings: &["", ".lua"],
        checks: &[],
    },
    Interpreter {
        names: &[],
        options: Options { letters: "cerm", long: &[] },
        texts: &["-c", "-e", "-r", "-p"],
        before: &[],
        verbs: &[],
        endings: &[""],
        checks: &[],
    },
];

/// What an interpreter is told to run.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Told {
    /// Whether its program is a text among its arguments.
    pub(super) is_text: bool,
    /// Whether it looks at its program and does not run it.
    pub(super) checks: bool,
    /// A module, with the arguments behind it.
    pub(super) module: Option<(String, Vec<String>)>,
    /// Files that it reads before the program.
    pub(super) before: Vec<String>,
    /// What stands behind the options: the program's file and its arguments.
    pub(super) files: Vec<String>,
    /// What may stand behind the name of a file.
    pub(super) endings: &'static [&'static str],
}

/// Reads the arguments of an interpreter.
pub(super) fn told(name: &str, args: &[String]) -> Told {
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_it = |one: &&Interpreter| one.names.is_empty() || one.names.contains(&name);
    let interpreter = INTERPRETERS.iter().find(is_it).unwrap_or(&INTERPRETERS[INTERPRETERS.len() - 1]);
    let module = args.iter().position(|arg| arg == "-m").filter(|_| !interpreter.verbs.contains(&"run"));
    let (mut options, used) = interpreter.options.leading(&args[..module.unwrap_or(args.len())]);
    let mut files = args.get(used..).unwrap_or_default();
    if files.first().is_some_and(|verb| interpreter.verbs.contains(&verb.as_str())) {
        let (more, used) = interpreter.options.leading(&files[1..]);
        options.extend(more);
        files = &files[1 + used..];
    }
    let checks = options.iter().any(|(option, _)| interpreter.checks.contains(&option.as_str()));
    let is_text = options.iter().any(|(option, _)| interpreter.texts.contains(&option.as_str()));
    let before = options.iter().filter(|(option, _)| interpreter.before.contains(&option.as_str()));
    let before = before.filter_map(|(_, file)| file.clone()).collect();
    // What stands before `-m` is no file: else that is the program, and `-m` one of its arguments.
    let module = module.filter(|at| *at <= used && !is_text).and_then(|at| args[at + 1..].split_first());
    let module = module.map(|(module, rest)| (module.clone(), rest.to_vec()));
    let files = if module.is_some() { Vec::new() } else { files.to_vec() };
    Told { is_text, checks, module, before, files, endings: interpreter.endings }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_stands_behind_options_and_their_values() {
        for (name, line, program) in [
            ("python3.12", "-W ignore -u g.py a", "g.py a"),
            ("python3", "-X dev g.py -m x", "g.py -m x"),
            ("python3", "-Wignore -c text g.py", "text: g.py"),
            ("python3", "-I -m pdb g.py", "module pdb g.py"),
            ("node", "--max-old-space-size=100 -C x ./g", "./g"),
            ("node", "-r ./a --import=./b.js -e 0", "text, before ./a ./b.js: "),
            ("deno", "run -A --config x g.ts", "g.ts"),
            ("bun", "--watch run g.ts", "g.ts"),
            ("perl", "-I lib -w g.pl x", "g.pl x"),
            ("perl", "-pi -e s/a/b/ f", "text: f"),
            ("ruby", "-I lib -r ./a g.rb", "before ./a: g.rb"),
            ("php", "-d x=1 g.php", "g.php"),
            ("ruby", "-wc g.rb", "check: g.rb"),
            ("julia", "--project g.jl", "g.jl"),
        ] {
            let args: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let told = told(name, &args);
            let kind = [
                told.is_text.then(|| "text".to_owned()),
                told.checks.then(|| "check".to_owned()),
                (!told.before.is_empty()).then(|| format!("before {}", told.before.join(" "))),
            ];
            let kind: Vec<String> = kind.into_iter().flatten().collect();
            let head = if kind.is_empty() { String::new() } else { format!("{}: ", kind.join(", ")) };
            let rest = match &told.module {
                Some((module, rest)) => format!("module {module} {}", rest.join(" ")),
                None => told.files.join(" "),
            };
            assert_eq!(format!("{head}{rest}"), program, "{name} {line}");
        }
    }
}
