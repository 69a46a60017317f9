//! Keeps agents from what decides over documents: the home with its configuration and queue, the hooks in the agents' own
//! settings, and the commands with which a person decides. What a shell line does with them and cannot be told from its text
//! is taken for a change.

use super::{Here, guard, words};
use agents::{How, OurCall, SimpleCommand, ToolIntent, WrittenPath};
use policy::settings::Settings;
use queue_layout::Layout;
use std::path::{Component, Path, PathBuf};

/// Commands of ours that bring something into a home or from there into documents.
const WRITING: [&str; 9] =
    ["enqueue", "plan", "flush", "remember", "item", "session", "work", "apply", "init"];
/// Commands and written paths of one line that are looked at. Each path is resolved, and an agent that waits too long for its hook goes on.
const COMMANDS_MAX: usize = 500;
const PATHS_MAX: usize = 1_000;
/// Largest settings file of an agent that is looked into, in bytes.
const SETTINGS_BYTES_MAX: u64 = 4 << 20;
/// A text that every call of our hook has in it.
const HOOK_CALL: &str = "hook --agent ";

/// Why a tool call is not to happen; `None` when nothing of ours is touched. `settings`: what says which documents are managed,
/// where the configuration can be read.
pub(super) fn objection(here: Here<'_>, settings: Option<&Settings>, intent: &ToolIntent) -> Option<String> {
    let program = here.command();
    let calls = agents::our_calls(intent, &program);
    for call in &calls {
        match call {
            OurCall::Decides(verb) => return Some(words::decides(&program, verb)),
            OurCall::Unknown => return Some(words::cannot_tell(&program)),
            OurCall::Other { .. } => {}
        }
    }
    if let Some(home) = calls.iter().find_map(|call| elsewhere(here, settings, call)) {
        return Some(words::elsewhere(&program, &here.home.short(&home)));
    }
    if intent.simple.len() > COMMANDS_MAX || intent.written.len() > PATHS_MAX {
        return Some(words::too_long(&program));
    }
    let fence = Fence::of(here);
    let exempt = |command: &&SimpleCommand| !fence.moves_a_drop(command);
    let by_commands = intent.simple.iter().filter(exempt).flat_map(|command| &command.written);
    let changed = intent.direct.iter().chain(by_commands);
    if let Some(path) = changed.clone().find_map(|written| fence.reached(written)) {
        return Some(words::fenced(&program, &here.home.short(&path)));
    }
    let opaque = |command: &&SimpleCommand| !command.is_understood() && !command.is_ours(&program);
    if let Some(path) = intent.simple.iter().filter(opaque).find_map(|command| fence.mentioned(command)) {
        return Some(words::fenced(&program, &here.home.short(&path)));
    }
    // A path that cannot be told may be any that the line names.
    let untold = |written: &&WrittenPath| {
        written.path.to_string_lossy().contains(['$', '`']) && !fence.is_in_tmp(&written.path)
    };
    if let Some(written) = changed.clone().find(untold)
        && let Some(path) =
            intent.simple.iter().filter(exempt).find_map(|command| fence.mentioned(command)).or_else(|| {
                fence.is_named_in(&written.path.to_string_lossy()).then(|| fence.homes[0].home().to_owned())
            })
    {
        return Some(words::fenced(&program, &here.home.short(&path)));
    }
    // What a pipe hands to a command (`xargs rm`) may be what any other command of the line names.
    let changes = |command: &SimpleCommand| !command.is_harmless() || command.edits_in_place();
    let feeds = |command: &SimpleCommand| command.fed && changes(command) && !command.is_ours(&program);
    if intent.simple.iter().any(feeds)
        && let Some(path) = intent.simple.iter().find_map(|command| fence.mentioned(command))
    {
        return Some(words::fenced(&program, &here.home.short(&path)));
    }
    changed
        .clone()
        .find_map(|written| hooks_in(here, written))
        .map(|path| words::hooks(&here.home.short(&path)))
}

/// The home, under the names it has.
struct Fence<'a> {
    here: Here<'a>,
    homes: Vec<Layout>,
}

impl<'a> Fence<'a> {
    fn of(here: Here<'a>) -> Fence<'a> {
        let home = here.home.layout().clone();
        let canonical = here.home.canonicalise(home.home()).ok().filter(|path| path != home.home());
        let homes = [Some(home), canonical.map(Layout::new)].into_iter().flatten().collect();
        Fence { here, homes }
    }

    /// The path, when a change reaches into the home, links resolved; files in its `tmp/` are everybody's.
    fn reached(&self, written: &WrittenPath) -> Option<PathBuf> {
        let names = [Some(written.path.clone()), self.resolved(&written.path)];
        let reaches = |path: PathBuf| {
            let written = WrittenPath { path, how: written.how };
            let enters = self.homes.iter().any(|home| written.enters(home.home()));
            let takes = written.how != How::Here
                && self.homes.iter().any(|home| home.samples().iter().any(|file| written.reaches(file)));
            (takes || (enters && !self.is_in_tmp(&written.path))).then_some(written.path)
        };
        names.into_iter().flatten().find_map(reaches)
    }

    /// Its links resolved; where its last name is not there or is no link, those of its directory.
    fn resolved(&self, path: &Path) -> Option<PathBuf> {
        let path = plain(path);
        self.here.home.canonicalise(&path).ok().or_else(|| {
            let dir = self.here.home.canonicalise(path.parent()?).ok()?;
            Some(dir.join(path.file_name()?))
        })
    }

    fn is_in_tmp(&self, path: &Path) -> bool {
        self.is_in(path, Layout::drop_from)
    }

    /// Whether a path is strictly in a directory of the home, by its text.
    fn is_in(&self, path: &Path, dir: fn(&Layout) -> PathBuf) -> bool {
        let path = plain(path);
        self.homes.iter().any(|home| path.strip_prefix(dir(home)).is_ok_and(|rest| rest != Path::new("")))
    }

    /// Whether a command moves files from `tmp/` into `pending/` and does nothing else: so does a hook without our program.
    /// A name like those of jobs is not one of a declaration.
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
            // A link in the way leads elsewhere.
            && self.resolved(target).is_some_and(|path| is_pending(&path))
    }

    fn absolute(&self, command: &SimpleCommand, word: &str) -> PathBuf {
        agents::absolute(word, &self.here.home.user_home, &command.cwd)
    }

    /// The path in the home that a command is given and may change.
    fn mentioned(&self, command: &SimpleCommand) -> Option<PathBuf> {
        let args = command.words.iter().skip(1);
        let values = args.clone().filter_map(|word| word.split_once('=').map(|(_, value)| value));
        let words = args.map(String::as_str).chain(values).filter(|word| !word.starts_with('-'));
        let by_path = words
            .map(|word| WrittenPath { path: self.absolute(command, word), how: How::Here })
            .find_map(|written| self.reached(&written));
        let texts = command.words.iter().chain(&command.bodies);
        by_path.or_else(|| {
            texts.into_iter().find(|text| self.is_named_in(text)).map(|_| self.homes[0].home().to_owned())
        })
    }

    /// Whether a text has a path in the home, in one of the ways it can be written.
    fn is_named_in(&self, text: &str) -> bool {
        let user_home = &self.here.home.user_home;
        let below = self.homes[0].home().strip_prefix(user_home).ok();
        let short = below.into_iter().flat_map(|rest| {
            let rest = rest.display();
            [format!("~/{rest}"), format!("$HOME/{rest}"), format!("${{HOME}}/{rest}"), rest.to_string()]
        });
        let whole = self.homes.iter().map(|home| home.home().display().to_string());
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

/// A path with `.` and `..` taken out by their text.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain
}

/// The settings file of an agent, when a change reaches one that calls us.
fn hooks_in(here: Here<'_>, written: &WrittenPath) -> Option<PathBuf> {
    let wirings = || agents::ALL.iter().filter_map(|agent| agent.wiring());
    let is_named_so = |path: &Path| {
        wirings().any(|wiring| {
            let files = [Path::new(wiring.user), Path::new(wiring.project)];
            let rules = wiring.rules.as_ref().map(|rules| rules.file);
            files.iter().any(|file| file.file_name() == path.file_name())
                || rules.is_some_and(|rules| Path::new(rules).file_name() == path.file_name())
        })
    };
    let path = here.home.canonicalise(&plain(&written.path)).unwrap_or_else(|_| plain(&written.path));
    if written.how == How::Here && is_named_so(&path) && calls_us(here, &path) {
        return Some(path);
    }
    let project = here.project();
    let known = wirings().flat_map(|wiring| {
        let in_project = project.as_ref().map(|root| root.join(wiring.project));
        [Some(here.home.user_home.join(wiring.user)), in_project].into_iter().flatten().collect::<Vec<_>>()
    });
    known.into_iter().find(|file| written.reaches(file) && calls_us(here, file))
}

fn calls_us(here: Here<'_>, path: &Path) -> bool {
    let text = here.home.disk.read(path, SETTINGS_BYTES_MAX).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    text.contains(HOOK_CALL) || (text.contains("last-word") && text.contains("prefix_rule"))
}

/// The other home that a command of ours would use, when that home manages a document that this one manages.
fn elsewhere(here: Here<'_>, settings: Option<&Settings>, call: &OurCall) -> Option<PathBuf> {
    let OurCall::Other { verb, home: Some(home) } = call else { return None };
    let dir = plain(&agents::absolute(home, &here.home.user_home, here.cwd));
    let is_ours = |path: &Path| {
        let same = |path: &Path| here.home.canonicalise(path).unwrap_or_else(|_| path.to_owned());
        same(path) == same(here.home.layout().home())
    };
    if !WRITING.contains(&verb.as_str()) || is_ours(&dir) {
        return None;
    }
    // A name that is not known may be any home.
    let known = !home.contains(['$', '`']) && settings.is_some();
    let shared = known.then(|| guard::shared(here, settings?, &dir)).flatten();
    (!known || shared.is_some()).then_some(dir)
}
