//! The agents' own settings: an agent may not change a file that calls our hook, because without the hook there is no guard, nor a
//! file of an agent's rules that are ours.

use super::{Here, guard};
use agents::{Agent, SimpleCommand, ToolIntent, WrittenPath, plain};
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Largest settings file of an agent that is looked into, in bytes.
const SETTINGS_BYTES_MAX: u64 = 4 << 20;
/// Every command line that calls our hook has this text in it.
const HOOK_CALL: &str = "hook --agent ";
/// What stands in a file of rules: of Codex, of Gemini CLI.
const RULES: [&str; 2] = ["prefix_rule", "commandPrefix"];

/// The agent's settings file that a change reaches, when that file calls our hook.
pub(super) fn hooks_in(here: Here<'_>, changed: &[&WrittenPath]) -> Option<PathBuf> {
    if changed.is_empty() {
        return None;
    }
    let names = names();
    let by_name = changed.iter().filter(|written| !written.how.is_below()).find_map(|written| {
        let path = plain(&written.path);
        let path = here.canonical(&path).unwrap_or(path);
        let is_named_so = path.file_name().is_some_and(|name| names.iter().any(|known| known == name));
        (is_named_so && calls_us(here, &path)).then_some(path)
    });
    let project = here.project();
    let of_project = wirings().flat_map(|wiring| {
        let rules =
            wiring.rules.filter(|rules| rules.in_project).map(|rules| beside(wiring.project, rules.file));
        [Some(PathBuf::from(wiring.project)), rules].into_iter().flatten()
    });
    let of_project = of_project.filter_map(|file| Some(project.as_ref()?.join(file)));
    let mut known = users(here).chain(of_project);
    by_name.or_else(|| {
        known.find(|file| changed.iter().any(|written| written.reaches(file)) && calls_us(here, file))
    })
}

/// The user's settings file that calls our hook, when a directory that is copied over one above it brings another file in its place, or
/// when `changes_all` says that all below a directory of one of these files is changed.
pub(super) fn replaced(
    here: Here<'_>,
    intent: &ToolIntent,
    changes_all: impl Fn(&[&Path]) -> bool,
) -> Option<PathBuf> {
    let files: Vec<PathBuf> = users(here).collect();
    // One look at the line tells of nearly every line that it changes none of them.
    let is_any = changes_all(&files.iter().map(PathBuf::as_path).collect::<Vec<_>>());
    let by_copy = |file: &Path| intent.trees.iter().any(|tree| guard::brings(here, tree, intent, file));
    let is_replaced = |file: &Path| by_copy(file) || is_any && changes_all(&[file]);
    files.iter().find(|file| is_replaced(file) && calls_us(here, file)).cloned()
}

/// The user's settings file that calls our hook, when a program that changes or starts something has all names of its path below the
/// user's home among its string literals.
pub(super) fn named_by_a_program(here: Here<'_>, intent: &ToolIntent) -> Option<PathBuf> {
    let home = &here.home.user_home;
    let interpreted = |command: &&SimpleCommand| command.is_interpreter();
    let in_line =
        intent.simple.iter().filter(interpreted).flat_map(|one| one.words.iter().chain(&one.bodies));
    let in_files = intent.simple.iter().flat_map(|command| &command.programs);
    let mut programs = in_line.chain(in_files).filter(|text| {
        let of_home = ["home", "HOME", "~"].iter().any(|word| text.contains(word));
        of_home && agents::changes_or_starts(text)
    });
    let files: Vec<PathBuf> = users(here).collect();
    programs.find_map(|program| {
        let names = agents::names_in(&agents::without_reads(program));
        let is_named = |file: &&PathBuf| {
            let below = file.strip_prefix(home).unwrap_or(file);
            below.components().all(|part| names.iter().any(|name| part.as_os_str() == name.as_str()))
        };
        files.iter().filter(is_named).find(|file| calls_us(here, file)).cloned()
    })
}

/// The settings files of the user, the files of rules beside them, those in which an agent notes whose hooks it runs, and our own files of the user that call the hook.
pub(super) fn users(here: Here<'_>) -> impl Iterator<Item = PathBuf> {
    let home = here.home.user_home.clone();
    let of_forms = forms().filter_map(|form| Some(Path::new(form.dir).join(form.hooks?)));
    let rules = wirings().filter_map(|wiring| Some(beside(wiring.user, wiring.rules?.file)));
    let trusted = wirings().filter_map(|wiring| Some(beside(wiring.user, wiring.trusted_in?)));
    let settings = wirings().map(|wiring| PathBuf::from(wiring.user));
    of_forms.chain(settings).chain(rules).chain(trusted).map(move |file| home.join(file))
}

/// A file of the directory that an agent's settings are in.
fn beside(settings: &str, file: &str) -> PathBuf {
    Path::new(settings).parent().unwrap_or(Path::new("")).join(file)
}

/// Further settings files of agents that can switch hooks off, and a directory of the machine's in which one may be.
const OTHER_SETTINGS: [&str; 4] =
    ["settings.local.json", "config.toml", "managed-settings.json", "requirements.toml"];
const OTHER_DIRS: [&str; 3] = ["claude-code", "ClaudeCode", "codex"];

/// The agent's settings file that a change reaches, when the text that is written switches hooks off (`says_so`), whether or not
/// that file calls our hook; or when it has that switch already, so that one other word beside it is enough.
pub(super) fn switched_off(here: Here<'_>, changed: &[&WrittenPath], says_so: bool) -> Option<PathBuf> {
    let has_switch = |path: &Path| {
        let text = here.home.disk.read(path, SETTINGS_BYTES_MAX).unwrap_or_default();
        agents::switches_hooks_off(&String::from_utf8_lossy(&text))
    };
    let names = names();
    let dirs: Vec<OsString> = wirings()
        .flat_map(|wiring| [wiring.user, wiring.project])
        .filter_map(|path| Path::new(path).parent()?.file_name().map(OsString::from))
        .chain(OTHER_DIRS.map(OsString::from))
        .collect();
    changed.iter().map(|written| plain(&written.path)).find_map(|path| {
        let path = here.canonical(&path).unwrap_or(path);
        let name = path.file_name()?;
        let is_settings =
            OTHER_SETTINGS.iter().any(|known| name == *known) || names.iter().any(|known| known == name);
        let dir = path.parent()?.file_name()?;
        let is_one = is_settings && dirs.iter().any(|known| known == dir);
        (is_one && (says_so || has_switch(&path))).then_some(path)
    })
}

fn wirings() -> impl Iterator<Item = agents::Wiring> {
    agents::ALL.iter().filter_map(|agent| agent.wiring())
}

fn forms() -> impl Iterator<Item = agents::OwnForm> {
    agents::ALL.iter().filter_map(|agent| agent.form())
}

/// What a settings file says of us: each entry of its lists that names us, with where it stands; of a file in another form than JSON, each
/// line. So a file that an agent writes anew, or adds to, says the same.
pub(super) fn our_part(here: Here<'_>, file: &Path) -> Option<String> {
    let bytes = here.home.disk.read(file, SETTINGS_BYTES_MAX).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut ours = Vec::new();
    match serde_json::from_slice(&bytes) {
        Ok(settings) => collect_ours(&settings, "", &mut ours),
        Err(_) => {
            ours.push("in another form".to_owned());
            ours.extend(text.lines().filter(|line| names_us(line)).map(str::to_owned));
            ours.extend(trust_of_hooks(&text).map(str::to_owned));
        }
    }
    Some(ours.join("\n"))
}

/// How Codex CLI heads what it notes of each hook: whether a person trusts it, and whether it runs.
const TRUST_OF_A_HOOK: &str = "hooks.state";

/// The lines of TOML that say which hooks run: those of each hook, and whether there are any.
fn trust_of_hooks(text: &str) -> impl Iterator<Item = &str> {
    let mut is_of_hooks = false;
    text.lines().map(str::trim).filter(move |line| {
        if line.starts_with('[') {
            is_of_hooks = line.contains(TRUST_OF_A_HOOK);
        }
        !line.is_empty() && (is_of_hooks || line.starts_with("hooks"))
    })
}

fn names_us(text: &str) -> bool {
    text.contains(HOOK_CALL) || text.contains("last-word")
}

fn collect_ours(value: &Value, path: &str, ours: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| collect_ours(value, &format!("{path}/{name}"), ours));
        }
        Value::Array(entries) => {
            let named = entries.iter().map(Value::to_string).filter(|entry| names_us(entry));
            ours.extend(named.map(|entry| format!("{path} {entry}")));
        }
        Value::String(text) if names_us(text) => ours.push(format!("{path} {text}")),
        _ => {}
    }
}

/// The names of the agents' settings files.
fn names() -> Vec<OsString> {
    let files = wirings()
        .flat_map(|wiring| [Some(wiring.user), Some(wiring.project), wiring.rules.map(|rules| rules.file)])
        .flatten()
        .chain(forms().filter_map(|form| form.hooks));
    files.filter_map(|path| Path::new(path).file_name().map(OsString::from)).collect()
}

/// Options with which an agent reads none of the user's hooks: `claude --bare`, `opencode --pure`.
const WITHOUT_HOOKS: [&str; 5] = ["--bare", "--safe-mode", "--no-hooks", "--disable-hooks", "--pure"];
/// Variables that mean the same.
const WITHOUT_HOOKS_BY: [&str; 1] = ["OPENCODE_PURE"];
/// Further variables that name another directory of settings.
const OTHER_DIRECTORIES: [(&str, &str); 1] = [("opencode", "OPENCODE_CONFIG_DIR")];

/// Where an agent's call of our hook stands: below the user's home, and in the directories that variables name.
struct HookFile {
    user: PathBuf,
    elsewhere: Vec<(&'static str, PathBuf)>,
}

impl HookFile {
    /// In its settings, or in a plugin of ours.
    fn of(agent: &dyn Agent) -> Option<HookFile> {
        if let Some(wiring) = agent.wiring() {
            let elsewhere = wiring.variable.map(|(variable, file)| (variable, PathBuf::from(file)));
            return Some(HookFile { user: wiring.user.into(), elsewhere: elsewhere.into_iter().collect() });
        }
        let form = agent.form()?;
        let file = form.hooks?;
        let named = form.variable.map(|(variable, dir)| (variable, Path::new(dir).join(file)));
        let further = OTHER_DIRECTORIES.iter().filter(|(of, _)| *of == agent.name());
        let further = further.map(|(_, variable)| (*variable, PathBuf::from(file)));
        let elsewhere = named.into_iter().chain(further).collect();
        Some(HookFile { user: Path::new(form.dir).join(file), elsewhere })
    }
}

/// Whether a command starts an agent that the user's hooks would guard, and it would not read them: by an option, by a setting on its
/// command line, or because a variable names another directory of settings, where there are no hooks of ours.
pub(super) fn starts_without_hooks(here: Here<'_>, command: &SimpleCommand) -> bool {
    let is_it = |agent: &&&dyn Agent| agent.marks().programs.contains(&command.program());
    let Some(file) = agents::ALL.iter().find(is_it).and_then(|agent| HookFile::of(*agent)) else {
        return false;
    };
    let user = &here.home.user_home;
    if !calls_us(here, &user.join(&file.user)) {
        return false;
    }
    let args = command.words.get(1..).unwrap_or_default();
    let by_option =
        args.iter().any(|arg| WITHOUT_HOOKS.contains(&arg.as_str()) || agents::switches_hooks_off(arg));
    let by_pair = args.windows(2).any(|pair| match pair[0].as_str() {
        // `codex features disable hooks` is for all later ones.
        "--disable" | "disable" => pair[1].contains("hooks"),
        "--setting-sources" => !pair[1].contains("user"),
        "-c" | "--config" => pair[1].starts_with("hooks") || pair[1].contains("hooks="),
        _ => false,
    });
    let elsewhere = command.assigned.iter().any(|(name, value)| {
        let named = file.elsewhere.iter().find(|(variable, _)| name == variable).map(|(_, file)| file);
        let Some(file) = named.or((name == "HOME").then_some(&file.user)) else { return false };
        let dir = agents::absolute(value, user, &command.cwd);
        !calls_us(here, &dir.join(file))
    });
    let by_variable = command.assigned.iter().any(|(name, value)| {
        WITHOUT_HOOKS_BY.contains(&name.as_str()) && !matches!(value.as_str(), "" | "0" | "false")
    });
    by_option || by_pair || elsewhere || by_variable
}

/// The paths by which the user's settings files call this program.
pub(super) fn programs_named(here: Here<'_>) -> Vec<PathBuf> {
    let user = &here.home.user_home;
    let of_file = |file: PathBuf| {
        let text = here.home.disk.read(&file, SETTINGS_BYTES_MAX).unwrap_or_default();
        paths_of_ours(&String::from_utf8_lossy(&text))
    };
    users(here).flat_map(of_file).map(|path| agents::absolute(&path, user, user)).collect()
}

/// The absolute paths in a text that end in the name of this program.
fn paths_of_ours(text: &str) -> Vec<String> {
    const NAME: &str = "/last-word";
    let ends =
        |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '\\' | '=' | '(' | ',' | ':' | ';');
    let paths = text.match_indices(NAME).filter_map(|(at, _)| {
        let (before, behind) = (&text[..at], &text[at + NAME.len()..]);
        // A path with a blank in it is quoted: `'/my tools/last-word'`.
        let start = match behind.chars().next() {
            Some('\'') => before.rfind('\'')? + 1,
            Some(c) if !ends(c) => return None,
            _ => {
                before.rfind(ends).map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8))
            }
        };
        Some(&text[start..at + NAME.len()])
    });
    paths.filter(|path| path.starts_with(['/', '~'])).map(str::to_owned).collect()
}

pub(super) fn calls_us(here: Here<'_>, path: &Path) -> bool {
    let text = here.home.disk.read(path, SETTINGS_BYTES_MAX).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let has_rules = RULES.iter().any(|word| text.contains(word));
    // Where it notes of no hook that a person trusts it, it runs none.
    let notes_ours = || {
        let name = path.file_name();
        let mut agents = wirings().filter(|wiring| wiring.trusted_in.map(OsString::from).as_deref() == name);
        text.contains(TRUST_OF_A_HOOK)
            && agents.any(|wiring| {
                let hooks = Path::new(wiring.user).file_name().map(|name| path.with_file_name(name));
                hooks.is_some_and(|hooks| calls_us(here, &hooks))
            })
    };
    text.contains(HOOK_CALL) || has_rules && text.contains("last-word") || notes_ours()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paths_of_our_program_are_read_from_settings() {
        for (text, paths) in [
            (r#"{"command": "/opt/a/bin/last-word hook --agent claude_code"}"#, vec!["/opt/a/bin/last-word"]),
            (r#"{"command": "'/opt/my tools/last-word' hook --agent x"}"#, vec!["/opt/my tools/last-word"]),
            (r#"{"command": "HOME=/x ~/b/last-word hook --agent x"}"#, vec!["~/b/last-word"]),
            (
                r#"{"command": "last-word hook --agent x", "file": "/opt/last-word.js", "dir": "/etc/last-word/x"}"#,
                vec![],
            ),
            ("/last-word", vec!["/last-word"]),
        ] {
            assert_eq!(paths_of_ours(text), paths, "{text}");
        }
    }
}
