//! Which home is meant, and whose directory `~` is. What an agent starts has the agent's environment, and agents take variables out of
//! the repository they work in (`env` in its settings, a `.env`): there a variable leads to no home that such a repository could
//! have brought along.

use crate::failure::Failure;
use durable::Disk;
use std::path::{Path, PathBuf};

/// A home in its usual place, below the user's home directory.
const USUAL: &str = ".config/agents/last-word";

/// What is above a home in its usual place.
const USUAL_DEPTH: usize = 3;

/// Who starts this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartedBy {
    /// A person, a script, a schedule, an agent's shell.
    Anybody,
    /// An agent, as its server of tools.
    AgentForTools,
    /// An agent, as its hook.
    AgentForHook,
}

/// Where things are.
#[derive(Debug, Clone)]
pub struct Homes {
    /// The user's home directory.
    pub user: PathBuf,
    /// The home.
    pub home: PathBuf,
    /// The variable that named the home, where one did.
    pub variable: Option<&'static str>,
}

/// The usual home of a user.
pub fn usual(user: &Path) -> PathBuf {
    user.join(USUAL)
}

/// Finds the home by the command line, else by the environment.
pub fn find(flag: Option<&Path>, disk: &dyn Disk, by: StartedBy) -> Result<Homes, Failure> {
    let by_hook = by == StartedBy::AgentForHook;
    // What `install` writes says whose directory it is in, whatever `HOME` says by now.
    let owner = flag.filter(|home| by_hook && home.is_absolute() && home.ends_with(USUAL));
    let owner = owner.and_then(|home| home.ancestors().nth(USUAL_DEPTH)).map(Path::to_owned);
    let user = owner.or_else(|| set("HOME").filter(|home| home.is_absolute())).ok_or_else(|| {
        Failure::new("HOME is not set to an absolute path")
            .hint("set HOME; under cron, write it into the crontab")
    })?;
    if let Some(home) = flag {
        return Ok(Homes { user, home: home.to_owned(), variable: None });
    }
    let usual = usual(&user);
    // `install` names any other home in the hooks that it writes.
    if by_hook && disk.stat(&usual)?.is_some() {
        return Ok(Homes { user, home: usual, variable: None });
    }
    let config = || set("XDG_CONFIG_HOME").filter(|dir| dir.is_absolute());
    let named = set("LAST_WORD_HOME").map(|home| (home, "LAST_WORD_HOME"));
    let named = named.or_else(|| Some((config()?.join("agents/last-word"), "XDG_CONFIG_HOME")));
    let (home, variable) = named.map_or((usual, None), |(home, variable)| (home, Some(variable)));
    Ok(Homes { user, home, variable })
}

/// The directory of what can be made again, in the one that caches are in.
pub fn cache(user: &Path, is_believed: impl Fn(&Path) -> bool) -> PathBuf {
    let named = set("XDG_CACHE_HOME").filter(|dir| dir.is_absolute() && is_believed(dir));
    named.unwrap_or_else(|| user.join(".cache")).join("last-word")
}

/// The directory that a repository may have brought a path along in: the working directory, or one above it that is under version
/// control. Paths with links resolved. The user's home directory, and what is above it, is no such place.
pub fn brought_by<'a>(path: &Path, cwd: &'a Path, user: &Path, disk: &dyn Disk) -> Option<&'a Path> {
    let is_own = |dir: &Path| user.starts_with(dir);
    let mut above = cwd.ancestors().take_while(|dir| !is_own(dir));
    above.find(|dir| path.starts_with(dir) && (*dir == cwd || is_repository(dir, disk)))
}

/// Whether a directory is the root of one under version control.
pub fn is_repository(dir: &Path, disk: &dyn Disk) -> bool {
    disk.stat_link(&dir.join(".git")).is_ok_and(|stat| stat.is_some())
}

/// A variable that is not empty.
pub fn set(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}
