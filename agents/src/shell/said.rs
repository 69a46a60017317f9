//! Arguments that are only a text: what somebody says (`--body TEXT`, `commit -m TEXT`), which tests are meant (`vitest -t TEXT`), the task
//! of another agent. The program gives them to no shell. Of all other arguments that is not known, and each may be a command.

use super::options::Options;
use super::run::{base_name, is_interpreter};

/// Long options whose value is a text, whatever the program: no program starts one that is named so.
const TEXTS: [&str; 14] = [
    "--message",
    "--body",
    "--title",
    "--description",
    "--subject",
    "--notes",
    "--note",
    "--comment",
    "--summary",
    "--reason",
    "--caption",
    "--grep",
    "--testNamePattern",
    "--test-name-pattern",
];
/// Programs that send or show what they are given, and start nothing.
const ONLY_SAYING: [&str; 10] =
    ["curl", "http", "https", "httpie", "xh", "figlet", "cowsay", "say", "espeak", "toilet"];

/// Options of some programs whose value is a text.
struct TextOptions {
    programs: &'static [&'static str],
    /// The first word behind the options; any one where there is none.
    verbs: &'static [&'static str],
    options: &'static [&'static str],
}

const COMMITS: [&str; 10] =
    ["commit", "ci", "merge", "tag", "notes", "stash", "describe", "desc", "create", "modify"];
const SAID: [TextOptions; 11] = [
    TextOptions {
        programs: &["git", "hg", "sl", "svn", "jj", "bzr", "brz", "gt"],
        verbs: &COMMITS,
        options: &["-m"],
    },
    TextOptions { programs: &["git"], verbs: &["log", "show", "shortlog"], options: &["-S", "-G"] },
    TextOptions { programs: &["npm", "pnpm", "yarn"], verbs: &["version"], options: &["-m"] },
    TextOptions { programs: &["npm", "pnpm", "yarn"], verbs: &["test", "t"], options: &["-t", "-g", "-k"] },
    TextOptions {
        programs: &["yarn", "pnpm"],
        verbs: &["vitest", "jest", "mocha", "playwright"],
        options: &["-t", "-g"],
    },
    TextOptions { programs: &["go"], verbs: &["test"], options: &["-run", "-bench", "-skip", "-list"] },
    TextOptions {
        programs: &["vitest", "jest", "mocha", "playwright", "ava"],
        verbs: &[],
        options: &["-t", "-g", "-f"],
    },
    TextOptions { programs: &["pytest", "py.test"], verbs: &[], options: &["-k", "-m"] },
    TextOptions { programs: &["rspec"], verbs: &[], options: &["-e", "--example"] },
    TextOptions { programs: &["mail", "mailx", "mutt"], verbs: &[], options: &["-s"] },
    TextOptions { programs: &["wget"], verbs: &[], options: &["--post-data", "--body-data", "--header"] },
];
/// Options that stand before a verb and take a value.
const BEFORE_A_VERB: Options = Options {
    letters: "Cc",
    long: &["git-dir", "work-tree", "namespace", "prefix", "dir", "cwd", "filter", "repository", "config"],
};
/// Verbs of agents behind which a task stands.
const TASKS: [&str; 4] = ["exec", "e", "run", "chat"];
/// Options of agents behind which it stands, as their value or on its own.
const BEFORE_A_TASK: [&str; 14] = [
    "-p",
    "--print",
    "--prompt",
    "-i",
    "--prompt-interactive",
    "-x",
    "--execute",
    "--full-auto",
    "--yolo",
    "-y",
    "--json",
    "--verbose",
    "--dangerously-skip-permissions",
    "--force",
];

/// What stands in place of a text: a word that is no command.
const LEFT_OUT: &str = "_";

/// The name by which a program is known here. `./curl` may be any script; what lies in a directory of programs is what it is called.
fn known_name(program: &str) -> &str {
    if program.contains('/') && !program.contains("bin/") { "" } else { base_name(program) }
}

/// The words of a command with each that is only a text left out.
pub(super) fn without(words: &[String]) -> Vec<String> {
    let Some((program, args)) = words.split_first() else { return Vec::new() };
    let name = known_name(program);
    let is_task = is_task(name, args);
    let only = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| args.get(before)).map_or("", String::as_str);
        says_only(name) || is_value(name, args, before, &args[at]) || is_task && is_told(before, &args[at])
    };
    let rest = (0..args.len()).map(|at| if only(at) { LEFT_OUT.to_owned() } else { args[at].clone() });
    std::iter::once(program.clone()).chain(rest).collect()
}

/// Whether what a command reads is only a text.
pub(super) fn is_input(words: &[String]) -> bool {
    words.split_first().is_some_and(|(program, args)| {
        let name = known_name(program);
        says_only(name) || is_task(name, args)
    })
}

/// Whether a program takes a text by an option and starts none of its arguments, whatever they are: `vitest run -t TEXT`.
pub(super) fn starts_nothing(name: &str) -> bool {
    says_only(name) || SAID.iter().any(|said| said.verbs.is_empty() && said.programs.contains(&name))
}

fn says_only(name: &str) -> bool {
    ONLY_SAYING.contains(&name)
}

/// Whether a word is the value of an option that takes a text. What begins with `!` or `/` may be a command to whoever reads it.
fn is_value(name: &str, args: &[String], before: &str, word: &str) -> bool {
    let (option, value) = match word.split_once('=') {
        Some((option, value)) if option.starts_with('-') => (option, value),
        _ => (before, word),
    };
    let is_text = || !is_interpreter(name) && TEXTS.contains(&option);
    value.contains(' ') && !value.starts_with(['!', '/']) && (is_text() || is_option(name, args, option))
}

/// Whether an option of this program takes a text. `-am` ends in `-m`.
fn is_option(name: &str, args: &[String], option: &str) -> bool {
    let verb = || {
        let (_, used) = BEFORE_A_VERB.leading(args);
        args.get(used).map_or("", String::as_str)
    };
    let of_this = |said: &&TextOptions| {
        said.programs.contains(&name) && (said.verbs.is_empty() || said.verbs.contains(&verb()))
    };
    let together = |known: &str| {
        let letters = option.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
        known == "-m" && letters.is_some_and(|letters| letters.ends_with('m'))
    };
    let is_known = |known: &&str| *known == option || together(known);
    SAID.iter().filter(of_this).any(|said| said.options.iter().any(is_known))
}

/// Whether it is an agent that is started with a task in words, and with nothing that it runs itself (`mcp add NAME -- COMMAND`).
pub(super) fn is_task(name: &str, args: &[String]) -> bool {
    let is_agent = || crate::marks::known().any(|(_, marks)| marks.programs.contains(&name));
    let is_plain = |word: &str| !word.starts_with('-') && !word.contains(' ');
    let is_behind_an_option = |at: usize| at > 0 && args[at - 1].starts_with('-');
    let bare = || (0..args.len()).filter(|at| is_plain(&args[*at]) && !is_behind_an_option(*at));
    is_agent()
        && !args.iter().any(|arg| arg == "--")
        && bare().enumerate().all(|(nth, at)| nth == 0 && TASKS.contains(&args[at].as_str()))
}

/// Whether a word is a task: words, and not the value of an option that is not known.
fn is_told(before: &str, word: &str) -> bool {
    word.contains(' ')
        && !word.starts_with(['-', '!', '/', '{', '['])
        && (!before.starts_with('-') || BEFORE_A_TASK.contains(&before))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_left_out_and_what_may_be_run_stays() {
        for (words, left) in [
            (&["x", "--title", "a b", "c d"][..], "x --title _ c d"),
            (&["x", "--title=a b"], "x _"),
            (&["x", "--title", "a"], "x --title a"),
            (&["x", "--message", "/run a"], "x --message /run a"),
            (&["python3", "--message", "a b"], "python3 --message a b"),
            (&["git", "-C", "d", "commit", "-am", "a b"], "git -C d commit -am _"),
            (&["git", "bisect", "run", "x", "-m", "a b"], "git bisect run x -m a b"),
            (&["go", "test", "-run", "a b", "-exec", "c d"], "go test -run _ -exec c d"),
            (&["curl", "-d", "a b"], "curl _ _"),
            (&["/usr/bin/curl", "a b"], "/usr/bin/curl _"),
            (&["./curl", "a b"], "./curl a b"),
            (&["claude", "-p", "a b"], "claude -p _"),
            (&["claude", "--model", "m", "a b"], "claude --model m _"),
            (&["claude", "--settings", "{a b}", "-p", "c d"], "claude --settings {a b} -p _"),
            (&["claude", "mcp", "add", "x", "a b"], "claude mcp add x a b"),
            (&["codex", "exec", "--full-auto", "a b"], "codex exec --full-auto _"),
            (&["codex", "sandbox", "--", "a b"], "codex sandbox -- a b"),
        ] {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(without(&words).join(" "), left);
        }
    }
}
