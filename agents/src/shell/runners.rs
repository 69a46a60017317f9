//! Runners of tests, tasks and packages: which files each of them starts without being given their names.

use super::fits;
use std::path::Path;

/// A runner, and the files that it starts.
pub(super) struct Runner {
    names: &'static [&'static str],
    /// The first word of such a call: `test` of `go test`; any where there is none.
    verbs: &'static [&'static str],
    /// An option that such a call has.
    option: Option<&'static str>,
    /// Files anywhere below the directories that it is given, or the one that it runs in.
    below: &'static [&'static str],
    /// Directories there of which every program counts.
    dirs: &'static [&'static str],
    /// Files in those directories themselves.
    pub(super) here: &'static [&'static str],
    /// Whether it starts only what is in a directory that it is given: `pip install DIR`.
    pub(super) only_given: bool,
    /// Whether its files have tasks, of which the call names some.
    pub(super) has_tasks: bool,
}

const NONE: Runner = Runner {
    names: &[],
    verbs: &[],
    option: None,
    below: &[],
    dirs: &[],
    here: &[],
    only_given: false,
    has_tasks: false,
};
const OF_JAVASCRIPT: [&str; 8] =
    ["*.test.*", "*.spec.*", "*.cy.*", "*_test.*", "test-*.js", "test-*.mjs", "*.setup.*", "setupTests.*"];
const CONFIGS: [&str; 8] = [
    "jest.config.*",
    "vitest.config.*",
    "vitest.workspace.*",
    "vite.config.*",
    ".mocharc.*",
    "playwright.config.*",
    "cypress.config.*",
    "karma.conf.*",
];
const RUNNERS: [Runner; 20] = [
    Runner {
        names: &["pytest", "py.test", "ptw", "pytest-watch", "green"],
        below: &["test_*.py", "*_test.py", "conftest.py"],
        here: &["conftest.py"],
        ..NONE
    },
    Runner { names: &["unittest", "nose2", "trial", "stestr"], below: &["test*.py", "__init__.py"], ..NONE },
    Runner {
        names: &["jest", "vitest", "mocha", "ava", "tap", "jasmine", "playwright", "cypress", "karma", "wtr"],
        below: &OF_JAVASCRIPT,
        dirs: &["__tests__", "test", "tests", "spec"],
        here: &CONFIGS,
        ..NONE
    },
    Runner {
        names: &["node"],
        option: Some("--test"),
        below: &OF_JAVASCRIPT,
        dirs: &["test", "tests"],
        ..NONE
    },
    Runner { names: &["bun", "deno"], verbs: &["test"], below: &OF_JAVASCRIPT, dirs: &["__tests__"], ..NONE },
    Runner { names: &["rspec"], below: &["*_spec.rb", "spec_helper.rb", "rails_helper.rb"], ..NONE },
    Runner { names: &["rails"], verbs: &["test"], below: &["*_test.rb", "test_helper.rb"], ..NONE },
    Runner { names: &["phpunit", "pest"], below: &["*Test.php"], ..NONE },
    Runner { names: &["go"], verbs: &["test"], below: &["*_test.go"], ..NONE },
    Runner { names: &["go"], verbs: &["run"], here: &["*.go"], only_given: true, ..NONE },
    Runner {
        names: &["cargo"],
        verbs: &["run", "r"],
        here: &["build.rs", "src/main.rs", "src/bin/*.rs"],
        ..NONE
    },
    Runner {
        names: &["cargo"],
        verbs: &["build", "b", "test", "t", "check", "c", "bench", "clippy", "install", "doc"],
        here: &["build.rs"],
        ..NONE
    },
    Runner { names: &["pip", "pipx"], verbs: &["install"], here: &["setup.py"], only_given: true, ..NONE },
    Runner { names: &["uv"], verbs: &["pip"], here: &["setup.py"], only_given: true, ..NONE },
    Runner {
        names: &["uv", "poetry", "pdm"],
        verbs: &["sync", "build", "install"],
        here: &["setup.py"],
        ..NONE
    },
    Runner { names: &["build"], here: &["setup.py"], ..NONE },
    Runner {
        names: &["rake"],
        here: &["Rakefile", "rakefile", "Rakefile.rb", "lib/tasks/*.rake"],
        has_tasks: true,
        ..NONE
    },
    Runner { names: &["invoke", "inv", "fab"], here: &["tasks.py", "fabfile.py"], has_tasks: true, ..NONE },
    Runner { names: &["nox"], here: &["noxfile.py"], has_tasks: true, ..NONE },
    Runner {
        names: &["gulp", "grunt", "mage"],
        here: &["gulpfile.*", "Gruntfile.*", "magefile.go", "magefiles/*.go"],
        ..NONE
    },
];
/// Endings of programs.
const PROGRAMS: [&str; 16] = [
    ".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx", ".rb", ".rake", ".php", ".go",
    ".rs", ".exs", "Rakefile",
];

/// The runner that a call starts.
pub(super) fn of(name: &str, args: &[String]) -> Option<&'static Runner> {
    let bare = name.strip_suffix(|c: char| c.is_ascii_digit()).unwrap_or(name);
    let verb = args.iter().find(|arg| !arg.starts_with('-'));
    let is_it = |one: &&Runner| {
        (one.names.contains(&name) || one.names.contains(&bare))
            && (one.verbs.is_empty() || verb.is_some_and(|verb| one.verbs.contains(&verb.as_str())))
            && one.option.is_none_or(|option| args.iter().any(|arg| arg == option))
    };
    RUNNERS.iter().find(is_it)
}

impl Runner {
    /// The words of a call behind its verb.
    pub(super) fn given<'w>(&self, files: &'w [String]) -> &'w [String] {
        if self.verbs.is_empty() { files } else { files.get(1..).unwrap_or_default() }
    }

    /// Whether a file below a directory is one that it starts.
    pub(super) fn starts(&self, dir: &Path, file: &Path) -> bool {
        let Ok(below) = file.strip_prefix(dir) else { return false };
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let is_below = self.below.iter().any(|pattern| fits(pattern, &name));
        let within = || {
            let mut names = dir.iter().chain(below.parent().into_iter().flat_map(Path::iter));
            names.any(|name| self.dirs.iter().any(|dir| name == *dir))
        };
        is_program(file) && (is_below || within())
    }
}

/// Whether a file is a program by its name.
pub(super) fn is_program(file: &Path) -> bool {
    let name = file.to_string_lossy();
    PROGRAMS.iter().any(|ending| name.ends_with(ending))
}

/// The text of a file of tasks without those of which a call names none, and which no named one names: each begins where a line
/// says so, and ends where the next line stands as far to the left.
pub(super) fn without_other_tasks(text: &str, goals: &[String]) -> String {
    let mut blocks: Vec<(Option<String>, String)> = vec![(None, String::new())];
    // Of a task that is open: how far to the left it stands, and whether its name was read.
    let mut open: Option<usize> = None;
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        let is_decorator =
            ["@task", "@nox", "@session", "@inv"].iter().any(|sign| line.trim_start().starts_with(sign));
        let of_rake = line
            .trim_start()
            .strip_prefix("task ")
            .map(|rest| name_in(rest.trim_start_matches([':', '"', '\'', '('])));
        if is_decorator || of_rake.is_some() {
            blocks.push((Some(of_rake.unwrap_or_default()), String::new()));
            open = Some(indent);
        } else if let Some(depth) = open.filter(|depth| indent <= *depth && !line.trim().is_empty()) {
            let function = line
                .trim_start()
                .strip_prefix("def ")
                .or_else(|| line.trim_start().strip_prefix("async def "));
            let unnamed = blocks.last_mut().filter(|(name, _)| name.as_deref() == Some(""));
            match (function, unnamed) {
                (Some(function), Some((name, _))) if indent == depth => *name = Some(name_in(function)),
                _ if line.trim() == "end" || line.trim().starts_with(')') => {}
                _ => {
                    blocks.push((None, String::new()));
                    open = None;
                }
            }
        }
        if let Some((_, block)) = blocks.last_mut() {
            block.push_str(line);
            block.push('\n');
        }
    }
    let same = |name: &str, goal: &str| name.replace('_', "-") == goal.replace('_', "-");
    let mut wanted: Vec<String> =
        goals.iter().map(|goal| goal.rsplit([':', '.']).next().unwrap_or(goal).to_owned()).collect();
    let mut at = 0;
    while let Some(goal) = wanted.get(at).cloned() {
        at += 1;
        let texts = blocks.iter().filter(|(name, _)| name.as_deref().is_some_and(|name| same(name, &goal)));
        let text: String = texts.map(|(_, text)| text.as_str()).collect();
        let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && !"_-".contains(c)).collect();
        for (name, _) in &blocks {
            let Some(name) = name.as_ref().filter(|name| words.contains(&name.as_str())) else { continue };
            if !wanted.contains(name) {
                wanted.push(name.clone());
            }
        }
    }
    let is_kept =
        |name: &Option<String>| name.as_ref().is_none_or(|name| wanted.iter().any(|goal| same(name, goal)));
    blocks.iter().filter(|(name, _)| is_kept(name)).map(|(_, text)| text.as_str()).collect()
}

fn name_in(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || "_-".contains(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tasks_that_are_named_are_left() {
        let rake = "A = 1\ntask default: [:test]\ntask :docs => :gen do\n  x\nend\ntask :gen do\n  y\nend\n\ndesc 'z'\ntask :test do\n  z\nend\n";
        let python = "import x\n\n@task\ndef docs(c):\n    c.run('x')\n    gen(c)\n\n@task(help={})\ndef gen(c):\n    y\n\ndef other():\n    z\n";
        for (text, goals, has, not) in [
            (rake, "docs", "  x\nend\n", "  z"),
            (rake, "docs", "  y", "  z"),
            (rake, "default", "  z", "  x"),
            (python, "docs", "  y", "!"),
            (python, "gen", "  z", "c.run"),
            (python, "", "import x", "  y"),
        ] {
            let goals: Vec<String> =
                goals.split(' ').filter(|goal| !goal.is_empty()).map(str::to_owned).collect();
            let left = without_other_tasks(text, &goals);
            assert!(left.contains(has) && !left.contains(not), "{goals:?}: {left}");
        }
    }
}
