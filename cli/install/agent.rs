//! An agent's hooks and standing instructions: which files, and their new text.

use super::{FileChange, Originals, Plan, originals, read, refused};
use crate::failure::{self, Failure};
use crate::homes;
use crate::own_name;
use crate::world::World;
use agents::{Agent, Called, NamedHome, OwnForm, RulesFile, RulesText, WantedHooks, Wiring};
use declaration::reading::near::{begun, nearest, suggestion};
use durable::{Disk, FileKind};
use queue_layout::Layout;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What an agent is told in its standing instructions.
const INSTRUCTIONS: &str = "\
## What is worth keeping

When you learn something that will still be true and useful next time (about the person, a decision, how this project
works), declare it, one command for each; it is merged into the right document, which you never edit by hand:

```sh
PROGRAM plan --to KB --heading 'Heading' --op append --content '- what you learned'
```

In single quotes, or your shell runs what stands in backticks. For a text with a `'` in it, write a file outside the
documents and give `--content-file FILE` instead.

`PROGRAM context` shows what is known, `PROGRAM read KB` one document, `PROGRAM plan --list` what you declared.";

/// The agent of that name.
pub fn find(name: &str) -> Result<&'static dyn Agent, Failure> {
    agents::find(name).filter(|agent| agent.can_be_installed()).ok_or_else(|| {
        let names = agents::ALL.iter().filter(|agent| agent.can_be_installed()).map(|agent| agent.name());
        let near = suggestion(near(name, names.clone()));
        let names = names.collect::<Vec<_>>().join(", ");
        Failure::new(format!("unknown agent or schedule `{name}`"))
            .hint(format!(
                "{near}agents are {names}; schedules are cron, systemd, launchd; with --mcp also vscode"
            ))
            .exit(failure::Exit::Usage)
    })
}

/// The agent whose name begins like this one, or whose first word is nearly this one.
fn near<'a>(name: &str, names: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let first = |name: &'a str| name.split_once('_').map_or(name, |(first, _)| first);
    begun(name, names.clone()).or_else(|| {
        let word = nearest(name, names.clone().chain(names.clone().map(first)))?;
        begun(word, names)
    })
}

/// The agents that were in use here and do not call us yet: how people call them, and their names.
pub fn unwired(world: &World) -> Vec<(&'static str, &'static str)> {
    let found = agents::ALL.iter().filter(|agent| {
        let settings = agent.wiring().map(|wiring| config(world, &wiring, None));
        let dir = settings.as_deref().and_then(Path::parent).map(Path::to_owned);
        let dir = dir.or_else(|| agent.form().map(|form| form_dir(world, &form)));
        let is_used = dir.is_some_and(|dir| dir != world.user_home() && is_there(world, &dir));
        is_used && plan(world, agent.name(), false, true).is_ok_and(|plan| !plan.is_done())
    });
    found.map(|agent| (agent.title(), agent.name())).collect()
}

fn is_there(world: &World, path: &Path) -> bool {
    world.disk.stat(path).is_ok_and(|stat| stat.is_some())
}

/// Whether a person told the agent to run our hooks, of the user or of the project, where it asks for that.
pub fn is_trusted(world: &World, name: &str) -> bool {
    let Some(wiring) = agents::find(name).and_then(Agent::wiring) else { return true };
    let Some(file) = wiring.trusted_in else { return true };
    let user = config(world, &wiring, None);
    let told = read(world, &user.with_file_name(file)).ok().flatten().unwrap_or_default();
    let in_project = world.project().map(|root| config(world, &wiring, Some(&root)));
    let names = in_project.into_iter().chain([user]).flat_map(|path| {
        let canonical = world.canonicalise(&path).ok();
        canonical.into_iter().chain([path]).collect::<Vec<_>>()
    });
    let mut keys = names.map(|path| format!("{}:", path.display()));
    keys.any(|key| told.lines().any(|line| line.contains("hooks.state") && line.contains(&key)))
}

/// What the settings of all agents say now: of the user, and of a project.
pub fn settings_texts(world: &World, project: Option<&Path>) -> Vec<String> {
    let wirings = agents::ALL.iter().filter_map(|agent| agent.wiring());
    let files = wirings.flat_map(|wiring| {
        let in_project = project.map(|root| config(world, &wiring, Some(root)));
        // A variable names another place for who reads it now, and the usual one is there all the same.
        let named = config(world, &wiring, None);
        let usual = believed(world, world.user_home().join(wiring.user), named);
        usual.into_iter().chain(in_project)
    });
    let plugins = agents::ALL.iter().filter_map(|agent| agent.form()).flat_map(|form| {
        let usual = believed(world, world.user_home().join(form.dir), form_dir(world, &form));
        usual.into_iter().filter_map(move |dir| Some(dir.join(form.hooks?)))
    });
    files.chain(plugins).filter_map(|file| read(world, &file).ok().flatten()).collect()
}

/// A usual place, and the one that a variable names instead; a repository may have set that one, to a place of its own.
fn believed(world: &World, usual: PathBuf, named: PathBuf) -> BTreeSet<PathBuf> {
    let is_believed = named == usual || !world.is_of_a_repository(&named);
    [Some(usual), is_believed.then_some(named)].into_iter().flatten().collect()
}

/// The homes that the hooks of the user's agents name, each once. What a project's settings name is not the user's word.
pub fn homes_named(world: &World) -> BTreeSet<PathBuf> {
    settings_texts(world, None).iter().flat_map(|text| named_homes(text, world.user_home())).collect()
}

/// The homes that calls of ours in a text name, with `--home` or in the environment. Where it cannot be told how a name is quoted, each
/// way of reading it counts: one that is no home has no rules.
pub fn named_homes(text: &str, user_home: &Path) -> BTreeSet<PathBuf> {
    // A plugin of ours is ours in each line.
    let is_ours = text.starts_with("// last-word");
    let calls = text.lines().filter(|line| is_ours || line.contains("last-word"));
    let mut named = BTreeSet::new();
    for line in calls {
        let plain = line.replace("\\\"", "\"").replace("\\/", "/").replace("\\\\", "\\");
        for line in [line, &plain] {
            let behind = ["--home", "LAST_WORD_HOME"].map(|option| line.split(option).skip(1));
            let words = behind.into_iter().flatten().flat_map(ways_to_read);
            named.extend(words.map(|word| at_home(&word, user_home)));
        }
    }
    named.retain(|path| path.is_absolute());
    named
}

/// A path that a shell would take from the user's home directory.
fn at_home(word: &str, user_home: &Path) -> PathBuf {
    let below = ["~/", "$HOME/", "${HOME}/"].iter().find_map(|home| word.strip_prefix(home));
    below.map_or_else(|| PathBuf::from(word), |below| user_home.join(below))
}

/// What a word behind an option may be: one of a shell, one without quotes, one in quotes of its own.
fn ways_to_read(behind: &str) -> [String; 3] {
    let of_shell = shell_word(behind.trim_start_matches(['=', ' ']));
    let word = behind.trim_start_matches(['=', ' ', '\\', '"', '\'', ',', ':']);
    let until = |ends: &[char]| word.split(ends).next().unwrap_or_default().to_owned();
    let quote = behind[..behind.len() - word.len()].chars().next_back().filter(|c| "\"'".contains(*c));
    [of_shell, until(&[' ', '"', '\'', '\\', '<']), until(&[quote.unwrap_or('<')])]
}

/// The first word of a command, as a shell reads it.
fn shell_word(text: &str) -> String {
    let (mut word, mut quote, mut chars) = (String::new(), None, text.chars());
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\'' | '"', None) => quote = Some(c),
            (_, Some(open)) if c == open => quote = None,
            ('\\', None | Some('"')) => word.extend(chars.next()),
            (' ', None) => break,
            _ => word.push(c),
        }
    }
    word
}

/// The project that is meant by `--project`.
///
/// # Errors
/// There is none here.
pub(super) fn root_of(world: &World) -> Result<PathBuf, Failure> {
    world
        .project()
        .ok_or_else(|| Failure::new("this is no project").hint("make it one: last-word init --project"))
}

/// Puts in what makes it call us and what its own shop has a form for, or takes that out.
pub fn plan(world: &World, name: &str, project: bool, install: bool) -> Result<Plan, Failure> {
    let agent = find(name)?;
    let mut plan = match agent.wiring() {
        Some(wiring) => wired(world, agent, wiring, project, install)?,
        None if project => {
            return Err(Failure::new(format!("{} has no hooks in a project", agent.title()))
                .hint("leave --project out: it is wired for all your projects")
                .exit(failure::Exit::Usage));
        }
        None => Plan::default(),
    };
    let mark = format!("hook --agent {}", agent.name());
    plan.originals = if install { Originals::Keep(mark) } else { Originals::Forget };
    if install {
        let calls = match switched_off(&plan) {
            None => format!("{} calls last-word from its next session on", agent.title()),
            Some(path) => {
                let path = world.short(path);
                format!(
                    "{} calls no hook while `disableAllHooks` is true in {path}: take that out",
                    agent.title()
                )
            }
        };
        plan.afterwards.insert(0, calls);
    }
    if let Some(form) = agent.form().filter(|_| !project) {
        add_form(world, &form, install, &mut plan)?;
    }
    if install && !project {
        plan.leaves = homes_left(world, &plan);
        let told = plan.leaves.iter().map(|home| format!("{} calls {home} no more", agent.title()));
        plan.afterwards.extend(told.collect::<Vec<_>>());
    }
    Ok(plan)
}

/// The other homes that the files called, and that are there.
fn homes_left(world: &World, plan: &Plan) -> Vec<String> {
    let real = |path: &Path| world.canonicalise(path).unwrap_or_else(|_| path.to_owned());
    let ours = real(world.layout().home());
    let mut called = BTreeSet::new();
    for text in plan.changes.iter().filter_map(|change| change.before.as_deref()) {
        called.extend(named_homes(text, world.user_home()));
        // Settings may be one line.
        let mut before_each = text.split("hook --agent").collect::<Vec<_>>();
        before_each.pop();
        let is_bare =
            |before: &&str| before.rsplit_once("last-word").is_some_and(|(_, home)| !home.contains("--home"));
        called.extend(before_each.iter().any(is_bare).then(|| homes::usual(world.user_home())));
    }
    let is_other = |home: &PathBuf| real(home) != ours && is_there(world, &Layout::new(home).config());
    called.into_iter().filter(is_other).map(|home| world.short(&home)).collect()
}

/// The file that switches off all hooks of an agent, where one does.
pub fn switched_off(plan: &Plan) -> Option<&Path> {
    let says_so = |change: &&FileChange| {
        let text = change.before.as_deref().unwrap_or_default();
        let bare: String = text.chars().filter(|c| !c.is_whitespace() && *c != '"').collect();
        bare.contains("disableAllHooks:true")
    };
    plan.changes.iter().find(says_so).map(|change| change.path.as_path())
}

/// The files of its form. One of that name that is not ours, or that a person changed, stays as it is.
fn add_form(world: &World, form: &OwnForm, install: bool, plan: &mut Plan) -> Result<(), Failure> {
    let dir = form_dir(world, form);
    let home = world.layout().home().display().to_string();
    let program = own_name::program();
    let command = typed(program, world.to_be_named().as_deref());
    for file in (form.files)(Called { program, command: &command, home: &home }) {
        let path = dir.join(&file.path);
        let before = read(world, &path)?;
        let said = before.as_deref();
        let is_ours = said == Some(file.text.as_str()) || originals::original(world, &path, said).is_some();
        let after = match (install, &before) {
            (_, Some(_)) if !is_ours => {
                plan.afterwards.push(format!("{} is not ours, and stays as it is", world.short(&path)));
                continue;
            }
            (true, _) => Some(file.text),
            (false, _) => or_emptied(world, &path, None, "")?.filter(|_| before.is_some()),
        };
        let mut change = FileChange { path, before, after, mode: 0o644 };
        restore(world, &mut change, install)?;
        plan.changes.push(change);
    }
    Ok(())
}

fn form_dir(world: &World, form: &OwnForm) -> PathBuf {
    file_of(world, (form.dir, ""), form.variable, None)
}

/// How its hooks call us. A hook that is taken out again needs no path.
fn program_of(project: bool, install: bool) -> Result<String, Failure> {
    let path = match (project, install) {
        (true, _) => PathBuf::from("last-word"),
        (false, true) => own_name::known_path()?,
        (false, false) => own_name::stable_path(),
    };
    Ok(engine::quoted(&path.display().to_string()))
}

/// Its hooks, rules and standing instructions.
fn wired(
    world: &World,
    agent: &dyn Agent,
    wiring: Wiring,
    project: bool,
    install: bool,
) -> Result<Plan, Failure> {
    let root = if project { Some(root_of(world)?) } else { None };
    let mark = format!("hook --agent {}", agent.name());
    // A project's files are shared by everybody: no path of this machine stands in them, and a hook without a home is the usual home's.
    let home = if project { String::new() } else { home_flag(world) };
    let command = format!("{}{home} {mark}", program_of(project, install)?);
    let shell = if project { "last-word" } else { own_name::program() };
    let named = if project { None } else { world.to_be_named() };
    let typed_here = typed(shell, named.as_deref());
    let allowed: Vec<String> = agents::ALLOWED.iter().map(|verb| format!("{typed_here} {verb}")).collect();
    let denied = denied(shell, named.as_deref());
    let denied_files = if project { Vec::new() } else { denied_files(world) };
    let wanted = WantedHooks {
        wiring: &wiring,
        command: &command,
        mark: &mark,
        allowed: &allowed,
        denied: &denied,
        denied_files: &denied_files,
        project,
    };
    let mode = if project { 0o644 } else { 0o600 };
    let mut changes = vec![hooks(world, &config(world, &wiring, root.as_deref()), &wanted, install, mode)?];
    if let Some(rules) = wiring.rules.filter(|rules| root.is_none() || rules.in_project) {
        let path = config(world, &wiring, root.as_deref()).with_file_name(rules.file);
        let text = rules_text(world, rules, project, named.as_deref());
        let before = read(world, &path)?;
        let after = match (install, &before) {
            (true, _) => Some(text),
            (false, None) => None,
            (false, Some(_)) => or_emptied(world, &path, None, "")?,
        };
        changes.push(FileChange { before, after, path, mode });
    }
    let mut afterwards = Vec::new();
    if let Some(path) = instructions(world, &wiring, root.as_deref()) {
        let is_announced = root.is_none() && wiring.instructions.is_announced;
        match block(world, &path, &typed_here, install && !is_announced, mode)? {
            Some(change) => changes.push(change),
            None => afterwards
                .push(format!("{} is a knowledge base: no instructions were put there", world.short(&path))),
        }
    }
    if install {
        afterwards.extend(Some(wiring.afterwards.to_owned()).filter(|line| !line.is_empty()));
    }
    for change in &mut changes {
        if let Some(root) = &root {
            stays_in_project(world, root, &change.path)?;
        }
        // The text before `install` had no server of ours, which the person may want to keep.
        let has_server =
            |text: &String| agent.servers().is_some_and(|list| agents::has_server(text, list.form));
        if !change.before.as_ref().is_some_and(has_server) {
            restore(world, change, install)?;
        }
    }
    Ok(Plan { changes, afterwards, ..Plan::default() })
}

/// `uninstall` restores the text from before `install`, where the file still says what `install` wrote. A link stays, and
/// its target is not removed.
pub(super) fn restore(world: &World, change: &mut FileChange, install: bool) -> Result<(), Failure> {
    let is_link = world.disk.stat_link(&change.path)?.is_some_and(|stat| stat.kind == FileKind::Link);
    match originals::original(world, &change.path, change.before.as_deref()).filter(|_| !install) {
        Some(before) if before.is_some() || !is_link => change.after = before,
        _ => {}
    }
    Ok(())
}

/// Refuses a project's file that a link leads out of the project: else a repository could choose which of the user's files
/// is written.
pub(super) fn stays_in_project(world: &World, root: &Path, path: &Path) -> Result<(), Failure> {
    let canonical = |path: &Path| world.canonicalise(path).unwrap_or_else(|_| path.to_owned());
    if canonical(path).starts_with(canonical(root)) {
        return Ok(());
    }
    Err(Failure::new(format!(
        "{} leads out of the project, to {}: nothing was written",
        world.short(path),
        world.short(&canonical(path))
    ))
    .hint("put a file or directory of the project in the place of the link, or leave --project out"))
}

/// The files of the home that no agent may write, as its rules name them: `~/…`, or `//…` for a path outside the home
/// directory. Files that an agent's own `last-word` commands write are not listed, because such rules also apply to a
/// sandboxed command.
fn denied_files(world: &World) -> Vec<String> {
    let name = |path: PathBuf| match world.short(&path) {
        short if short.starts_with('/') => format!("/{short}"),
        short => short,
    };
    world.layout().closed_to_agents().into_iter().map(name).collect()
}

fn hooks(
    world: &World,
    path: &Path,
    wanted: &WantedHooks<'_>,
    install: bool,
    mode: u32,
) -> Result<FileChange, Failure> {
    let before = read(world, path)?;
    let text = before.clone().unwrap_or_default();
    let wrong = |why: String| refused(world, path, &why);
    let after = match (&before, install) {
        (_, true) => Some(agents::wire(&text, wanted).map_err(wrong)?),
        (None, false) => None,
        (Some(text), false) if text.trim().is_empty() => before.clone(),
        (Some(text), false) => {
            let left = agents::unwire(text, wanted).map_err(wrong)?;
            or_emptied(world, path, left, "{}\n")?
        }
    };
    Ok(FileChange { path: path.to_owned(), before, after, mode })
}

/// The change of the instructions. A document that is written through the queue is not written here.
fn block(
    world: &World,
    path: &Path,
    command: &str,
    install: bool,
    mode: u32,
) -> Result<Option<FileChange>, Failure> {
    let settings = world.settings()?;
    let canonical = world.canonicalise(path).unwrap_or_else(|_| path.to_owned());
    let managed = world.managed_documents(&settings, &world.cwd);
    if managed.contains(&canonical) {
        return Ok(None);
    }
    let before = read(world, path)?;
    let text = before.as_deref().unwrap_or_default();
    let wrong = |why: String| refused(world, path, &why);
    let after = match (install, &before) {
        (true, _) => {
            Some(agents::with_block(text, &INSTRUCTIONS.replace("PROGRAM", command)).map_err(wrong)?)
        }
        (false, None) => None,
        (false, Some(text)) => {
            let left = agents::without_block(text).map_err(wrong)?;
            or_emptied(world, path, left, "")?
        }
    };
    Ok(Some(FileChange { path: path.to_owned(), before, after, mode }))
}

/// What is left of a file after `uninstall`. Where that is nothing and the name is a link, an empty text: the target is
/// where a person keeps the file, and is not ours to remove.
pub(super) fn or_emptied(
    world: &World,
    path: &Path,
    left: Option<String>,
    empty: &str,
) -> Result<Option<String>, Failure> {
    let is_link = world.disk.stat_link(path)?.is_some_and(|stat| stat.kind == FileKind::Link);
    Ok(left.or_else(|| is_link.then(|| empty.to_owned())))
}

fn config(world: &World, wiring: &Wiring, project: Option<&Path>) -> PathBuf {
    file_of(world, (wiring.user, wiring.project), wiring.variable, project)
}

/// An agent's file: the project's (the second of `usual`), or the user's (the first), which a variable may have moved.
pub(super) fn file_of(
    world: &World,
    usual: (&str, &str),
    variable: Option<(&str, &str)>,
    project: Option<&Path>,
) -> PathBuf {
    let moved = || {
        let (variable, file) = variable?;
        let dir = std::env::var_os(variable).map(PathBuf::from).filter(|dir| dir.is_absolute())?;
        Some(dir.join(file))
    };
    match project {
        Some(root) => root.join(usual.1),
        None => moved().unwrap_or_else(|| world.user_home().join(usual.0)),
    }
}

/// Beside the configuration, where that is not in its usual place.
fn instructions(world: &World, wiring: &Wiring, project: Option<&Path>) -> Option<PathBuf> {
    if let Some(root) = project {
        return Some(root.join(wiring.instructions.project));
    }
    let user = wiring.instructions.user?;
    let usual = world.user_home().join(wiring.user);
    let path = config(world, wiring, None);
    match Path::new(user).file_name() {
        Some(name) if path != usual => path.parent().map(|dir| dir.join(name)),
        _ => Some(world.user_home().join(user)),
    }
}

/// How a command of ours begins in a shell: with the home, where commands have to name it.
fn typed(program: &str, named: Option<&str>) -> String {
    named.map_or_else(|| program.to_owned(), |home| format!("{program} --home {home}"))
}

/// What a file of rules says.
fn rules_text(world: &World, rules: RulesFile, project: bool, named: Option<&str>) -> String {
    let program = own_name::stable_path().display().to_string();
    let programs = [program.as_str(), "last-word"];
    let programs = if project { &programs[1..] } else { &programs };
    let path = world.layout().home().display().to_string();
    let home = named.map(|quoted| NamedHome { path: &path, quoted });
    let denied: Vec<&str> = agents::denied_by_rules().collect();
    (rules.text)(&RulesText { programs, home, allowed: &agents::ALLOWED, denied: &denied })
}

/// The commands with which a person decides, as they can be typed.
fn denied(shell: &str, named: Option<&str>) -> Vec<String> {
    let mut programs = vec![shell];
    programs.extend((shell != "last-word").then_some("last-word"));
    let homes = std::iter::once(None).chain(named.map(Some));
    let begun = homes.flat_map(|home| programs.iter().map(move |program| typed(program, home)));
    begun.flat_map(|begun| agents::denied_by_rules().map(move |verb| format!("{begun} {verb}"))).collect()
}

/// The home is named in the command, also the usual one: the agent's environment may be a repository's.
fn home_flag(world: &World) -> String {
    format!(" --home {}", engine::quoted(&world.layout().home().display().to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn homes_are_found_in_what_calls_us() {
        let text = "* * * * * /bin/last-word --home /srv/a work\n\"command\": \"last-word --home '/srv/b' hook --agent codex\"\n\
                    backup --home /srv/c\nExecStart=/bin/last-word --home=/srv/d work";
        let found = named_homes(text, Path::new("/u"));
        let named = ["/srv/a", "/srv/b", "/srv/c", "/srv/d"].map(|home| found.contains(Path::new(home)));
        assert_eq!(named, [true, true, false, true], "{found:?}");
        let quoted = [
            ("\"command\": \"last-word --home '/it'\\\\''s mine' hook --agent codex\"", "/it's mine"),
            ("\"command\": \"last-word --home \\\"/my own\\\" hook\"", "/my own"),
            ("command = \"LAST_WORD_HOME='/my own' last-word hook\"", "/my own"),
            ("\"command\": \"last-word --home $HOME/own hook\"", "/u/own"),
            ("\"command\": \"last-word --home=~/own hook\"", "/u/own"),
            ("// last-word for opencode\nconst home = [\"--home\",\"/my own\"]", "/my own"),
        ];
        for (text, home) in quoted {
            assert!(
                named_homes(text, Path::new("/u")).contains(Path::new(home)),
                "{text}: {:?}",
                named_homes(text, Path::new("/u"))
            );
        }
    }
}
