//! The command line: what every command takes, and how a line is read. The commands' own arguments are in their files
//! (`commands::ALL` lists them). Only the commands that a line names are built, so that a hook pays for its own command
//! alone.

use crate::commands::{ALL, ListedCommand};
use clap::builder::{PossibleValuesParser, StyledStr, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Args, Command, FromArgMatches, ValueEnum};
use std::ffi::OsString;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// The heading of the flags every command takes.
const EVERYWHERE: &str = "Everywhere";

/// What `--version` says: the version, and the commit where the build knew it (`build.rs`).
const VERSION: &str = env!("LAST_WORD_VERSION");

/// What every command takes.
#[derive(Debug, Args)]
pub struct Global {
    /// The home [default: $LAST_WORD_HOME, else ~/.config/agents/last-word]
    // Of several the last one: a command that is pasted behind an alias names it again.
    #[arg(long, global = true, overrides_with = "home", value_name = "DIR", help_heading = EVERYWHERE)]
    pub home: Option<PathBuf>,
    /// Print JSON with stable field names
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub json: bool,
    /// auto, always or never [default: auto, on a terminal and without NO_COLOR]
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_default_value = true, hide_possible_values = true, help_heading = EVERYWHERE)]
    pub color: Colour,
    /// Decide as this entry of `deciders` in config.yaml: for scripts
    #[arg(long = "as", global = true, value_name = "NAME", help_heading = EVERYWHERE)]
    pub decider: Option<String>,
    /// Say on stderr what is done; twice: every job
    #[arg(short, long, global = true, action = clap::ArgAction::Count, help_heading = EVERYWHERE)]
    pub verbose: u8,
}

/// When colour is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Colour {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Reads a colour mode by its word, and lists the words in the help.
pub fn one_of<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    word: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(all.iter().map(move |one| word(*one)))
        .try_map(move |said| all.iter().copied().find(|one| word(*one) == said).ok_or("not one of them"))
}

/// A command line that was read: the flags of all commands, and one command with its own arguments.
#[derive(Debug)]
pub struct CommandLine {
    global: Global,
    command: &'static ListedCommand,
    matches: ArgMatches,
}

impl CommandLine {
    /// Reads a command line; the first word is the program's name.
    ///
    /// Only a command whose name is one of the words can be meant, so only those are built. Help and error messages may
    /// mention the others: for them all commands are built.
    pub fn read(words: &[OsString]) -> Result<CommandLine, clap::Error> {
        if let Some(line) = read_alone(words) {
            return Ok(line);
        }
        let mut part = part(words);
        let Ok(line) = read_by(&mut part, words) else {
            return read_by(&mut whole(), words).map_err(in_our_words);
        };
        // An agent waits for the end of this process, which frees its memory at once.
        std::mem::forget(part);
        Ok(line)
    }

    /// Runs the command.
    pub fn run(self) -> ExitCode {
        (self.command.run)(self.matches, &self.global)
    }
}

/// The first command that the words name, even where the line as a whole cannot be read.
pub fn first_named(words: &[OsString]) -> Option<&'static str> {
    words.iter().skip(1).find_map(|word| ALL.iter().map(|listed| listed.name).find(|name| word == name))
}

/// The command line with all commands: for help, manual pages and completions.
pub fn whole() -> Command {
    let root = root(ALL.iter());
    let help = help_template(&root);
    root.help_template(help)
}

/// Reads a line that begins with a command, as that command alone would read it: nothing is built around it, which halves what
/// clap costs a hook. `None` for every other line, and for one with a mistake or a call for help.
fn read_alone(words: &[OsString]) -> Option<CommandLine> {
    let (command, own) = (words.get(1)?, words.get(1..)?);
    let command = ALL.iter().find(|listed| command == listed.name)?;
    let mut alone = without_help(Global::augment_args((command.define)(Command::new(command.name))));
    let mut matches = alone.try_get_matches_from_mut(own).ok()?;
    let global = Global::from_arg_matches_mut(&mut matches).ok()?;
    std::mem::forget(alone);
    Some(CommandLine { global, command, matches })
}

/// A command line with only the commands that the words name, and without the flags of help and version: a line that has
/// those needs all commands.
fn part(words: &[OsString]) -> Command {
    without_help(root(named(words)))
}

fn without_help(command: Command) -> Command {
    command.disable_help_flag(true).disable_help_subcommand(true).disable_version_flag(true)
}

fn named(words: &[OsString]) -> impl Iterator<Item = &'static ListedCommand> {
    ALL.iter().filter(|listed| words.iter().any(|word| word == listed.name))
}

fn read_by(command: &mut Command, words: &[OsString]) -> Result<CommandLine, clap::Error> {
    let mut matches = command.try_get_matches_from_mut(words)?;
    let global = Global::from_arg_matches_mut(&mut matches).map_err(|e| e.format(command))?;
    let named = matches.remove_subcommand().and_then(|(name, own)| Some((listed(&name)?, own)));
    let missing = || command.error(ErrorKind::MissingSubcommand, "there is no command");
    let (command, matches) = named.ok_or_else(missing)?;
    Ok(CommandLine { global, command, matches })
}

/// Words for a command that other programs use, and what does it here.
const OTHER_WORDS: [(&[&str], &str); 10] = [
    (&["search", "find", "grep", "query"], "recall"),
    (&["version"], "--version"),
    (&["cat", "view"], "read"),
    (&["ls"], "list"),
    (&["add", "save", "note"], "remember"),
    (&["undo", "revert"], "rollback"),
    (&["retry", "failed"], "resolve"),
    (&["approve", "reject"], "review"),
    (&["run", "merge", "process"], "work"),
    (&["clean", "gc"], "prune"),
];

/// The same for what comes behind `item`.
const OTHER_ITEM_WORDS: [(&[&str], &str); 3] = [
    (&["remove", "delete", "rm"], "retire` (it can come back with `item restore`), or for good `item purge"),
    (&["edit", "update", "change"], "revise"),
    (&["ls"], "list"),
];

/// What is typed behind a command that needs something, for example.
const EXAMPLES: [(&str, &str); 13] = [
    ("recall", "tabs or spaces`"),
    ("remember", "'likes short answers'`"),
    ("report", "--html report.html`"),
    ("install", "claude_code` (an agent), or `last-word install cron`"),
    ("uninstall", "claude_code`"),
    ("read", "user`"),
    ("diff", "user`"),
    ("blame", "user`"),
    ("rollback", "user`"),
    ("show", "01a200aa` (`last-word list` has the ids, `last-word log` those of jobs that ended)"),
    ("why", "01a200aa` (`last-word list` has the ids)"),
    ("verify", "01a200aa` (the id that `enqueue` printed)"),
    ("item show", "k7m2q9xa` (`last-word item list` has the ids)"),
];

/// The mistake, with a line that could be typed.
fn with_example(mut mistake: clap::Error) -> clap::Error {
    let text = mistake.to_string();
    let (_, usage) = text.split_once("Usage: last-word ").unwrap_or_default();
    let of = |name: &str| usage.strip_prefix(name).is_some_and(|rest| rest.starts_with(' '));
    if let Some((name, rest)) = EXAMPLES.iter().find(|(name, _)| of(name)) {
        let tip = StyledStr::from(format!("for example `last-word {name} {rest}"));
        mistake.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    mistake
}

/// The mistake, with the command that does what an unknown word means elsewhere: the nearest spelling would mislead.
fn in_our_words(mut mistake: clap::Error) -> clap::Error {
    if mistake.kind() == ErrorKind::MissingRequiredArgument {
        return with_example(mistake);
    }
    let Some(ContextValue::String(word)) = mistake.get(ContextKind::InvalidSubcommand) else {
        return mistake;
    };
    let below_item = mistake.to_string().contains("last-word item");
    let (words, before) = match below_item {
        true => (&OTHER_ITEM_WORDS[..], "item "),
        false => (&OTHER_WORDS[..], ""),
    };
    let Some((_, ours)) = words.iter().find(|(theirs, _)| theirs.contains(&word.as_str())) else {
        return mistake;
    };
    let tip = StyledStr::from(format!("here it is `last-word {before}{ours}`"));
    mistake.remove(ContextKind::SuggestedSubcommand);
    mistake.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    mistake
}

fn listed(name: &str) -> Option<&'static ListedCommand> {
    ALL.iter().find(|listed| listed.name == name)
}

fn root(commands: impl Iterator<Item = &'static ListedCommand>) -> Command {
    Global::augment_args(Command::new("last-word"))
        .about("The durable write path for what AI agents learn: declared once, durable at once, merged exactly once")
        .version(VERSION)
        .propagate_version(true)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .after_help(
            "Exit codes: 0 done, 1 could not, 2 usage, 3 refused (nothing was enqueued), 4 somebody is needed, 75 try again.",
        )
        .subcommands(commands.map(|listed| (listed.define)(Command::new(listed.name))))
}

/// The help of the program: the commands, grouped by purpose.
fn help_template(root: &Command) -> String {
    let mut text = "{before-help}{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    let styles = root.get_styles();
    let (heading, name) = (styles.get_header(), styles.get_literal());
    let mut group = "";
    for listed in ALL {
        if group != listed.group {
            group = listed.group;
            let _ = write!(text, "\n{heading}{group}:{heading:#}\n");
        }
        let about = root.find_subcommand(listed.name).and_then(Command::get_about);
        let about = about.map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(text, "  {name}{:<11}{name:#}  {about}", listed.name);
    }
    let _ = write!(text, "\n{heading}Everywhere:{heading:#}\n{{options}}{{after-help}}");
    text
}

#[cfg(test)]
mod tests {
    use super::{CommandLine, part, read_alone, read_by, whole};
    use crate::commands::ALL;
    use clap::ArgMatches;
    use proptest::prelude::*;
    use std::ffi::OsString;

    /// Words of all kinds: commands, every flag of theirs, values, and what is wrong.
    fn word() -> impl Strategy<Value = String> {
        let whole = whole();
        let mut words: Vec<String> =
            ["-", "0", "--", "x.yaml", "--content=- b", "", "3", "-v", "-h", "help", "--home=/h", "é"]
                .map(str::to_owned)
                .to_vec();
        for command in whole.get_subcommands() {
            words.push(command.get_name().to_owned());
            words.extend(command.get_arguments().filter_map(|arg| Some(format!("--{}", arg.get_long()?))));
        }
        words.extend(["--home", "--json", "--color", "--verbose", "--version"].map(str::to_owned));
        prop::sample::select(words)
    }

    fn answer_to(line: Result<CommandLine, clap::Error>) -> Option<String> {
        let line = line.ok()?;
        Some(format!("{:?} {} {:?}", line.global, line.command.name, given(&line.matches)))
    }

    /// The command's own arguments with their values, and those of a command below it. Which flags of all commands stand among
    /// them, and the names of clap's groups, depend on what else was built.
    fn given(matches: &ArgMatches) -> Vec<String> {
        let of_all = ["home", "json", "color", "decider", "verbose"];
        let ids = matches.ids().map(clap::Id::as_str);
        let own = ids.filter(|id| !of_all.contains(id) && !id.starts_with(char::is_uppercase));
        let mut given: Vec<String> = own
            .map(|id| {
                let values = matches.get_raw_occurrences(id).into_iter().flatten().map(Vec::from_iter);
                format!("{id}: {:?} {:?}", matches.value_source(id), Vec::from_iter(values))
            })
            .collect();
        given.sort();
        if let Some((name, below)) = matches.subcommand() {
            given.push(name.to_owned());
            given.extend(self::given(below));
        }
        given
    }

    proptest! {
        #[test]
        fn the_named_part_reads_what_the_whole_reads(
            before in prop::collection::vec(word(), 0..2),
            command in prop::sample::select(ALL.iter().map(|listed| listed.name).collect::<Vec<_>>()),
            after in prop::collection::vec(word(), 0..5),
        ) {
            let begins = before.is_empty();
            let words = ["last-word".to_owned()].into_iter().chain(before).chain([command.to_owned()]).chain(after);
            let words: Vec<OsString> = words.map(OsString::from).collect();
            let part = answer_to(read_by(&mut part(&words), &words));
            let alone = read_alone(&words).map(Ok).and_then(answer_to);
            let all = answer_to(read_by(&mut whole(), &words));
            prop_assert_eq!(&part, &all, "{:?}", words);
            prop_assert!(alone.is_none() || alone == all, "{:?}: {:?}, not {:?}", words, alone, all);
            prop_assert!(!begins || alone == all, "{:?}: {:?}, not {:?}", words, alone, all);
        }
    }

    #[test]
    fn every_part_is_sound() {
        whole().debug_assert();
    }
}
