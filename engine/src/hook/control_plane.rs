//! Keeps agents from changing what decides over documents: the home with its configuration and queue, the hooks in the agents'
//! own settings, and the commands with which a person decides. Where the text of a shell line names one of them and does not
//! show what the line does with it, that counts as a change.

use super::{Here, agent_settings, guard, links, out_of_the_way, words};
use agents::{ByGit, CopiedTree, GitReach, How, OurCall, SimpleCommand, ToolIntent, WrittenPath, plain};
use durable::FileKind;
use policy::settings::Settings;
use queue_layout::Layout;
use std::path::{Path, PathBuf};

/// Our commands that write into a home, or from a home into documents.
const WRITING: [&str; 9] =
    ["enqueue", "plan", "flush", "remember", "item", "session", "work", "apply", "init"];
/// The most commands, and paths that are written, of one line. Each path is resolved, which takes time, and an agent that waits too
/// long for its hook goes on without the answer.
const COMMANDS_MAX: usize = 500;
/// The most commands including those whose arguments are only text, such as `echo`.
const COMMANDS_IN_ALL_MAX: usize = 5_000;
const PATHS_MAX: usize = 1_000;

/// Why a tool call must not run; `None` when it changes nothing that decides. `settings` say which documents are managed; `None`
/// when the configuration cannot be read.
pub(super) fn objection(here: Here<'_>, settings: Option<&Settings>, intent: &ToolIntent) -> Option<String> {
    let (program, command) = (here.program(), here.command());
    let calls = agents::our_calls(intent, &program);
    for call in &calls {
        match call {
            OurCall::Decides(verb) => return Some(words::decides(&command, verb)),
            OurCall::Unknown => return Some(words::cannot_tell(&program, &command)),
            OurCall::Other { .. } => {}
        }
    }
    if let Some(home) = calls.iter().find_map(|call| elsewhere(here, settings, call)) {
        return Some(words::elsewhere(&command, here.named().is_some(), &here.home.short(&home)));
    }
    let costly = |command: &&SimpleCommand| !command.is_harmless();
    if intent.simple.len() > COMMANDS_IN_ALL_MAX
        || intent.simple.iter().filter(costly).count() > COMMANDS_MAX
        || intent.written.len() > PATHS_MAX
    {
        return Some(words::too_long(&program));
    }
    let fence = Fence::of(here, &intent.links);
    let changed = fence.changed(intent);
    if let Some(text) = fence.objection(intent, &changed) {
        return Some(text);
    }
    let hooks = agent_settings::hooks_in(here, &changed);
    let from_above =
        |files: &[&Path]| intent.simple.iter().any(|command| fence.changes_all_above(command, files));
    let hooks = hooks.or_else(|| agent_settings::replaced(here, intent, from_above));
    let hooks = hooks.or_else(|| agent_settings::named_by_a_program(here, intent));
    let hooks = hooks.or_else(|| agent_settings::switched_off(here, &changed, intent.switches_hooks_off));
    let hooks = hooks.map(|path| words::hooks(&here.home.short(&path)));
    hooks.or_else(|| out_of_the_way::objection(here, intent, &changed))
}

/// Why a tool call must not run that changes a home.
pub(super) fn fenced_in(here: Here<'_>, intent: &ToolIntent) -> Option<String> {
    let fence = Fence::of(here, &intent.links);
    fence.objection(intent, &fence.changed(intent))
}

/// The path in the home that a line changes, or may change as far as its text shows.
fn fenced(
    fence: &Fence<'_>,
    program: &str,
    intent: &ToolIntent,
    changed: &[&WrittenPath],
) -> Option<PathBuf> {
    let home = || fence.homes[0].home().to_owned();
    let opaque = |command: &&SimpleCommand| !command.is_understood() && !command.is_ours(program);
    let named = || intent.simple.iter().filter(opaque).find_map(|command| fence.mentioned(command));
    let over = || intent.trees.iter().find_map(|tree| fence.copied_over(tree, intent));
    let above = || intent.simple.iter().find_map(|command| fence.changed_from_above(command));
    // A written path with a variable in it may be any path that the line names elsewhere.
    let untold = || {
        let is_untold = |written: &&&WrittenPath| {
            written.path.to_string_lossy().contains(['$', '`']) && !fence.is_in_tmp(&written.path)
        };
        let text = changed.iter().find(is_untold)?.path.to_string_lossy();
        let exempt = |command: &&SimpleCommand| !fence.moves_a_drop(command);
        let named = intent.simple.iter().filter(exempt).find_map(|command| fence.mentioned(command));
        let searches = || {
            let mut words = text.split([' ', '(', ')', '"', '\'']);
            words.any(|word| fence.is_above(fence.here.cwd, word))
        };
        named.or_else(|| (fence.is_named_in(&text) || searches()).then(home))
    };
    // A command that takes arguments from a pipe (`xargs rm`) may get any path that another command of the line names.
    let fed = || {
        let changes = |command: &SimpleCommand| !command.is_harmless() || command.edits_in_place();
        let feeds = |command: &SimpleCommand| command.fed && changes(command) && !command.is_ours(program);
        let is_fed = intent.simple.iter().any(feeds);
        let named =
            |command: &SimpleCommand| fence.mentioned(command).or_else(|| fence.searched_from_above(command));
        is_fed.then(|| intent.simple.iter().find_map(named)).flatten()
    };
    let reached = changed.iter().find_map(|written| fence.reached(written));
    reached.or_else(named).or_else(over).or_else(above).or_else(untold).or_else(fed)
}

/// The home, under each of its names: as configured, and with links resolved.
struct Fence<'a> {
    here: Here<'a>,
    homes: Vec<Layout>,
    /// What `config.yaml` leads to, where it is a link: each link on the way, and the file.
    led: Vec<PathBuf>,
    /// Links that the line itself makes: name, target.
    links: &'a [(PathBuf, PathBuf)],
}

/// Programs that unpack an archive into a directory.
const UNPACKING: [&str; 8] = ["tar", "bsdtar", "gtar", "unzip", "7z", "7za", "cpio", "pax"];
/// Programs that change permissions.
const PERMITTING: [&str; 5] = ["chmod", "chown", "chgrp", "setfacl", "chattr"];
/// Programs that print paths below a directory, which another program may then change.
const SEARCHING: [&str; 6] = ["find", "fd", "grep", "rg", "ag", "ls"];

impl<'a> Fence<'a> {
    fn of(here: Here<'a>, links: &'a [(PathBuf, PathBuf)]) -> Fence<'a> {
        let home = here.home.layout().clone();
        let canonical = here.canonical(home.home()).ok().filter(|path| path != home.home());
        let led = configured_by(here, &home.config());
        let homes = [Some(home), canonical.map(Layout::new)].into_iter().flatten().collect();
        Fence { here, homes, led, links }
    }

    /// Why a tool call must not run that changes the home.
    fn objection(&self, intent: &ToolIntent, changed: &[&WrittenPath]) -> Option<String> {
        let path = fenced(self, &self.here.program(), intent, changed)?;
        Some(words::fenced(&self.here.command(), &self.here.home.short(&path)))
    }

    /// What a tool call changes, but for a declaration that a script puts into the queue.
    fn changed<'i>(&self, intent: &'i ToolIntent) -> Vec<&'i WrittenPath> {
        let exempt = |command: &&SimpleCommand| !self.moves_a_drop(command);
        let by_commands = intent.simple.iter().filter(exempt).flat_map(|command| &command.written);
        let mut changed: Vec<&WrittenPath> = intent.direct.iter().collect();
        // A redirect's path is among those of its command, too.
        changed.extend(by_commands.filter(|written| !intent.direct.contains(written)));
        changed
    }

    /// The home, when a directory is copied over one above it and has files for it.
    fn copied_over(&self, tree: &CopiedTree, intent: &ToolIntent) -> Option<PathBuf> {
        let mut places = self.homes.iter().map(Layout::home).chain(self.led.iter().map(PathBuf::as_path));
        places.find(|place| guard::brings(self.here, tree, intent, place)).map(Path::to_owned)
    }

    /// Whether a word names a directory that has the home in it, below the user's own: a change to everything in that directory
    /// changes the home.
    fn is_above(&self, cwd: &Path, word: &str) -> bool {
        self.is_above_any(cwd, word, self.homes.iter().map(Layout::home))
    }

    fn is_above_any<'p>(&self, cwd: &Path, word: &str, mut places: impl Iterator<Item = &'p Path>) -> bool {
        let user = &self.here.home.user_home;
        let path = plain(&agents::absolute(word, user, cwd));
        let is_below_user = path.starts_with(user) && path != *user;
        is_below_user && places.any(|place| place != path && place.starts_with(&path))
    }

    /// The home, when a command changes everything in a directory above it.
    fn changed_from_above(&self, command: &SimpleCommand) -> Option<PathBuf> {
        let homes: Vec<&Path> = self.homes.iter().map(Layout::home).collect();
        let led: Vec<&Path> = self.led.iter().map(PathBuf::as_path).collect();
        let home = self.changes_all_above(command, &homes).then(|| self.homes[0].home().to_owned());
        home.or_else(|| self.changes_all_above(command, &led).then(|| self.led[0].clone()))
    }

    /// Whether a command changes everything in a directory above one of these places: unpacks an archive there, changes permissions,
    /// or resets a repository.
    fn changes_all_above(&self, command: &SimpleCommand, places: &[&Path]) -> bool {
        let args = command.words.get(1..).unwrap_or_default();
        let is_above = |word: &str| self.is_above_any(&command.cwd, word, places.iter().copied());
        let names_it = || args.iter().any(|word| is_above(word.trim_start_matches("-C")));
        let is_in_it = || is_above(".");
        let is_in_root = || {
            let root = self.here.home.project(&command.cwd);
            root.is_some_and(|root| root.to_str().is_some_and(is_above))
        };
        match command.program() {
            name if UNPACKING.contains(&name) => {
                let lists = args.first().is_some_and(|word| word.contains('t') && !word.contains('x'));
                let makes = args.first().is_some_and(|word| word.contains('c') && !word.contains('x'));
                let extracts = !lists && !makes || name == "unzip";
                extracts && (names_it() || is_in_it())
            }
            name if PERMITTING.contains(&name) => {
                let all = args
                    .iter()
                    .any(|word| word == "--recursive" || word.starts_with('-') && word.contains('R'));
                let user = &self.here.home.user_home;
                let of_user = args.iter().any(|word| plain(&self.absolute(command, word)) == *user);
                all && (names_it() || of_user || args.iter().any(|word| word == ".") && is_in_it())
            }
            "git" => match command.git_reach() {
                // All of its repository, from wherever in it.
                Some(GitReach::All) => names_it() || is_in_it() || is_in_root(),
                Some(GitReach::Named) => {
                    names_it() || args.iter().any(|word| word.starts_with(":/")) && is_in_root()
                }
                None => false,
            },
            _ => false,
        }
    }

    /// The home, when a command prints the paths below a directory above it.
    fn searched_from_above(&self, command: &SimpleCommand) -> Option<PathBuf> {
        let searches = SEARCHING.contains(&command.program())
            && command.words.iter().skip(1).any(|word| self.is_above(&command.cwd, word));
        searches.then(|| self.homes[0].home().to_owned())
    }

    /// The path, when the change is inside the home, links resolved. Files in its `tmp/` may be written by anybody,
    /// but for drafts.
    fn reached(&self, written: &WrittenPath) -> Option<PathBuf> {
        let linked = agents::led(self.links, &written.path);
        let led = links::led_to(self.here, written);
        let names = linked.into_iter().chain(self.resolved(&written.path)).chain([written.path.clone()]);
        let names = names.chain(led);
        // What git does to the files it knows is held against the home by `changes_all_above`.
        let is_of_git = matches!(written.chosen.git, ByGit::Uncommitted { .. });
        let reaches = |path: PathBuf| {
            let written = WrittenPath { path, ..written.clone() };
            let enters = self.homes.iter().any(|home| written.enters(home.home()));
            let takes = written.how != How::Here
                && self.homes.iter().any(|home| home.samples().iter().any(|file| written.reaches(file)));
            let configures = self.led.iter().any(|file| written.reaches(file));
            let is_in_home = !is_of_git && (takes || enters && !self.is_in_tmp(&written.path));
            (configures || is_in_home).then_some(written.path)
        };
        names.into_iter().find_map(reaches)
    }

    /// The path with its links resolved; where that fails, the resolved directory with the name behind it.
    fn resolved(&self, path: &Path) -> Option<PathBuf> {
        let path = plain(path);
        self.here.canonical(&path).ok().or_else(|| {
            let dir = self.here.canonical(path.parent()?).ok()?;
            Some(dir.join(path.file_name()?))
        })
    }

    /// But for the draft of a person's edit, which a pattern may mean, too: what it says gets their yes.
    fn is_in_tmp(&self, path: &Path) -> bool {
        let is_open = path.file_name().is_some_and(|name| {
            let name = name.to_string_lossy();
            name.contains(['*', '?', '[', '{']) || name.starts_with('$') && !name.contains('.')
        });
        self.is_in(path, Layout::drop_from) && !is_open && !Layout::is_edit_draft(path)
    }

    /// Whether a path is inside a directory of the home, and not that directory itself, by its text.
    fn is_in(&self, path: &Path, dir: fn(&Layout) -> PathBuf) -> bool {
        let path = plain(path);
        self.homes.iter().any(|home| path.strip_prefix(dir(home)).is_ok_and(|rest| rest != Path::new("")))
    }

    /// Whether a command moves files from `tmp/` into `pending/` and does nothing else: that is how a script without our program
    /// declares something. A file whose name has the form of a job's is none of a script.
    fn moves_a_drop(&self, command: &SimpleCommand) -> bool {
        if command.program() != "mv" {
            return false;
        }
        let files = command.words.iter().skip(1).filter(|word| !word.starts_with('-'));
        let files: Vec<PathBuf> = files.map(|word| self.absolute(command, word)).collect();
        let [sources @ .., target] = files.as_slice() else { return false };
        let is_pending = |path: &Path| self.is_in(&path.join("x"), Layout::drop_into);
        let is_plain = |path: &PathBuf| {
            path.file_name().is_some_and(|name| !name.to_string_lossy().contains(['~', '*', '?', '[']))
        };
        !sources.is_empty()
            && sources.iter().all(|source| self.is_in_tmp(source))
            && is_pending(target)
            && files.iter().all(is_plain)
            // `pending/` may be a link that leads elsewhere.
            && self.resolved(target).is_some_and(|path| is_pending(&path))
    }

    fn absolute(&self, command: &SimpleCommand, word: &str) -> PathBuf {
        agents::absolute(word, &self.here.home.user_home, &command.cwd)
    }

    /// The path in the home that a command has among its arguments or in its input, and may change.
    fn mentioned(&self, command: &SimpleCommand) -> Option<PathBuf> {
        let args = command.words.iter().skip(1);
        let values = args.clone().filter_map(|word| word.split_once('=').map(|(_, value)| value));
        let words = args.map(String::as_str).chain(values).filter(|word| !word.starts_with('-'));
        let by_path = words
            .map(|word| WrittenPath::of(self.absolute(command, word), How::Here))
            .find_map(|written| self.reached(&written));
        let mut texts = command.words.iter().chain(&command.bodies);
        let is_named = |text: &String| {
            if !command.is_interpreter() {
                return self.is_named_in(text);
            }
            self.is_named_by(text)
        };
        let mut is_named =
            || texts.any(is_named) || command.programs.iter().any(|text| self.is_named_by(text));
        by_path.or_else(|| is_named().then(|| self.homes[0].home().to_owned()))
    }

    /// Whether a program names the home, however it puts the name together, and does more than read and say something.
    fn is_named_by(&self, program: &str) -> bool {
        agents::changes_or_starts(program)
            && (self.is_named_in(&agents::without_reads(program)) || self.is_put_together(program))
    }

    /// Whether a program builds the home's path from pieces: all names of that path below the user's own home are among the names in
    /// its string literals, or the last two stand side by side; and it does not go on into `tmp/`.
    fn is_put_together(&self, program: &str) -> bool {
        let names = agents::names_in(program);
        let goes_on = |at: usize| names.get(at + 1).is_none_or(|next| next != "tmp");
        self.homes.iter().any(|home| {
            let parts = |path: &Path| -> Vec<String> {
                path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect()
            };
            let below = home.home().strip_prefix(&self.here.home.user_home).map(parts).unwrap_or_default();
            let whole = parts(home.home());
            let Some(pair) = whole.get(whole.len().saturating_sub(2)..) else { return false };
            let beside = names.windows(2).enumerate().any(|(at, two)| two == pair && goes_on(at + 1));
            let last = below.last().filter(|_| below.len() > 1);
            let apart = last.is_some_and(|last| {
                let stands = names.iter().enumerate().any(|(at, name)| name == last && goes_on(at));
                stands && below.iter().all(|part| names.contains(part))
            });
            beside || apart
        })
    }

    /// Whether a text names a path in the home, in any of the ways it can be written.
    fn is_named_in(&self, text: &str) -> bool {
        let user_home = &self.here.home.user_home;
        // The name of a file alone may be any file's.
        let led = self.led.iter().filter(|file| file.parent() != Some(user_home));
        let places = [self.homes[0].home()].into_iter().chain(led.map(PathBuf::as_path));
        let short = places.filter_map(|place| place.strip_prefix(user_home).ok()).flat_map(|rest| {
            let rest = rest.display();
            [format!("~/{rest}"), format!("$HOME/{rest}"), format!("${{HOME}}/{rest}"), rest.to_string()]
        });
        let whole = self.homes.iter().map(|home| home.home().display().to_string());
        let whole = whole.chain(self.led.iter().map(|file| file.display().to_string()));
        let by_name = ["$LAST_WORD_HOME", "${LAST_WORD_HOME}", "LAST_WORD_HOME\""].map(str::to_owned);
        whole.chain(short).chain(by_name).any(|name| {
            text.match_indices(&name).any(|(at, _)| {
                let rest = &text[at + name.len()..];
                let ends = !rest.starts_with(|c: char| c.is_alphanumeric() || "-_.".contains(c));
                ends && (!rest.starts_with("/tmp/") || rest.starts_with("/tmp/.."))
            })
        })
    }
}

/// So many links lead from `config.yaml` to the file.
const CONFIG_LINKS_MAX: usize = 8;

/// What a link to the configuration leads to, one after the other; nothing where it is no link.
fn configured_by(here: Here<'_>, config: &Path) -> Vec<PathBuf> {
    let disk = &*here.home.disk;
    let mut led = Vec::new();
    let mut at = config.to_owned();
    for _ in 0..CONFIG_LINKS_MAX {
        let is_link =
            disk.stat_link(&at).is_ok_and(|stat| stat.is_some_and(|stat| stat.kind == FileKind::Link));
        let target = is_link.then(|| disk.read_link(&at).ok()).flatten();
        let Some(target) = target else { break };
        at = plain(&at.parent().unwrap_or(&at).join(target));
        led.push(at.clone());
    }
    let file = led.last().and_then(|_| here.canonical(config).ok()).filter(|file| !led.contains(file));
    led.extend(file);
    led
}

/// The other home that one of our commands would use, when both homes manage the same document.
fn elsewhere(here: Here<'_>, settings: Option<&Settings>, call: &OurCall) -> Option<PathBuf> {
    let OurCall::Other { verb, home } = call else { return None };
    let home = match home {
        Some(home) => home.clone(),
        // Without an option it is another home than this one where commands have to name this one.
        None if here.named().is_some() => (here.home.host.home_without_option)()?.display().to_string(),
        None => return None,
    };
    let dir = plain(&agents::absolute(&home, &here.home.user_home, here.cwd));
    let is_ours = |path: &Path| {
        let same = |path: &Path| here.canonical(path).unwrap_or_else(|_| path.to_owned());
        same(path) == same(here.home.layout().home())
    };
    if is_ours(&dir) {
        return None;
    }
    // The agents' hooks would name that one from then on.
    if verb == "install" {
        return Some(dir);
    }
    if !WRITING.contains(&verb.as_str()) {
        return None;
    }
    // A name with a variable in it may be any home.
    let known = !home.contains(['$', '`']) && settings.is_some();
    let shared = known.then(|| guard::shared(here, settings?, &dir)).flatten();
    (!known || shared.is_some()).then_some(dir)
}
