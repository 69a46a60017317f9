//! Where an agent's hooks are configured and how they are nested: what `install` needs to know.

/// How an agent is told to call us.
#[derive(Debug, Clone, Copy)]
pub struct Wiring {
    /// The user's file, below the home directory.
    pub user: &'static str,
    /// A variable that names another directory for it, and the file in that directory.
    pub variable: Option<(&'static str, &'static str)>,
    /// A project's file, below its root.
    pub project: &'static str,
    /// Whether its hooks stand in groups or one by one.
    pub nesting: HookNesting,
    /// Which events we want.
    pub hooks: &'static [Hook],
    /// What the agent shows of a hook while it runs, where it shows its name: else that would be the whole command line.
    pub shown_as: Option<&'static str>,
    /// How it writes a timeout.
    pub timeout: Timeout,
    /// Keys the file must have at the top, with their numbers.
    pub top: &'static [(&'static str, u32)],
    /// Commands it may run without asking.
    pub allow: Option<Allow>,
    /// What it may not do, whatever its model says.
    pub deny: Option<Deny>,
    /// A file of rules of its own, for what it may and may not run.
    pub rules: Option<RulesFile>,
    /// Where its standing instructions are.
    pub instructions: Instructions,
    /// A file beside it in which the agent notes which hooks a person trusted, each by the path of their file; it runs no others.
    pub trusted_in: Option<&'static str>,
    /// What a person must still do, in words.
    pub afterwards: &'static str,
}

/// How the hooks of an event stand in the file, below `hooks.<event>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookNesting {
    /// `[{matcher?, hooks: [{type, command, timeout}]}]`.
    Grouped,
    /// `[{command, timeout, matcher?}]`.
    Flat,
}

/// One event we want to hear of.
#[derive(Debug, Clone, Copy)]
pub struct Hook {
    /// Its name there.
    pub event: &'static str,
    /// Only for these tools.
    pub matcher: Option<&'static str>,
    /// Seconds we may take.
    pub timeout_s: u32,
}

/// How a timeout is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timeout {
    /// A field, in seconds.
    Seconds(&'static str),
    /// A field, in milliseconds.
    Millis(&'static str),
}

impl Timeout {
    /// The field's name and its number.
    #[must_use]
    pub fn field(self, seconds: u32) -> (&'static str, u32) {
        match self {
            Timeout::Seconds(name) => (name, seconds),
            Timeout::Millis(name) => (name, seconds.saturating_mul(1000)),
        }
    }
}

/// A list of allowed commands in the same file.
#[derive(Debug, Clone, Copy)]
pub struct Allow {
    /// The keys that lead to it.
    pub keys: &'static [&'static str],
    /// What is before the command's words in a rule, and what after.
    pub around: (&'static str, &'static str),
}

/// A list of what is denied in the same file.
#[derive(Debug, Clone, Copy)]
pub struct Deny {
    /// The keys that lead to it.
    pub keys: &'static [&'static str],
    /// What is before a command's words in a rule, and what after.
    pub command: (&'static str, &'static str),
    /// The same for the path of a file that may not be written, where there are such rules.
    pub file: Option<(&'static str, &'static str)>,
}

/// A file that is ours alone and says which commands of ours may leave the agent's sandbox, and which it may not run.
#[derive(Debug, Clone, Copy)]
pub struct RulesFile {
    /// Below the directory of the agent's configuration.
    pub file: &'static str,
    /// Whether a project's file of this name counts as well.
    pub in_project: bool,
    /// The list in the project's settings without which it does not count.
    pub listed: Option<RulesList>,
    /// Its text.
    pub text: fn(&RulesText<'_>) -> String,
}

/// A home that commands have to name.
#[derive(Debug, Clone, Copy)]
pub struct NamedHome<'a> {
    /// Its path.
    pub path: &'a str,
    /// The same, quoted for a shell.
    pub quoted: &'a str,
}

/// What a file of rules is made from.
#[derive(Debug, Clone, Copy)]
pub struct RulesText<'a> {
    /// The ways in which our program may be called.
    pub programs: &'a [&'a str],
    /// The home, where commands have to name it: then those that name none reach another one, which no rule allows.
    pub home: Option<NamedHome<'a>>,
    /// The verbs that the agent may run.
    pub allowed: &'a [&'a str],
    /// Those that it may not run, whatever the home.
    pub denied: &'a [&'a str],
}

/// A list of files of rules in an agent's settings, which stands in for the usual directory of them.
#[derive(Debug, Clone, Copy)]
pub struct RulesList {
    /// The keys that lead to it.
    pub keys: &'static [&'static str],
    /// What counts where there is no such list, and must be in it for that.
    pub usual: &'static str,
    /// Ours.
    pub file: &'static str,
}

/// Files an agent reads at every start.
#[derive(Debug, Clone, Copy)]
pub struct Instructions {
    /// The user's, below the home directory.
    pub user: Option<&'static str>,
    /// Whether the agent shows on its screen that it read the user's: then nothing of ours is put there, and what earlier versions
    /// put there is taken out. Each session is told the same by our hook.
    pub is_announced: bool,
    /// A project's, below its root.
    pub project: &'static str,
}
