//! `last-word mcp` among the servers that an agent starts: one file, and its new text.

use super::agent::{file_of, or_emptied, restore, root_of, stays_in_project};
use super::{FileChange, Originals, Plan, read, refused};
use crate::failure::{self, Failure};
use crate::own_name;
use crate::world::World;
use agents::ServerList;

/// How our server is recognised in JSON: by its name. A TOML block has markers of its own.
const MARK: &str = "\"last-word\"";

/// Puts our server in, or takes it out.
pub fn plan(world: &World, name: &str, project: bool, install: bool) -> Result<Plan, Failure> {
    let (name, title, list) = find(name)?;
    let root = if project { Some(root_of(world)?) } else { None };
    let path = file_of(world, (list.user, list.project), list.variable, root.as_deref());
    let before = read(world, &path)?;
    let text = before.as_deref().unwrap_or_default();
    let wrong = |why: String| refused(world, &path, &why);
    let after = match (install, text.trim().is_empty()) {
        (true, _) => Some(agents::with_server(text, list.form, &words(world, project)).map_err(wrong)?),
        (false, true) => before.clone(),
        (false, false) => {
            let left = agents::without_server(text, list.form).map_err(wrong)?;
            or_emptied(
                world,
                &path,
                left,
                if path.extension().is_some_and(|of| of == "json") { "{}\n" } else { "" },
            )?
        }
    };
    let has_hooks = text.contains(&format!("hook --agent {name}"));
    let mode = if project { 0o644 } else { 0o600 };
    let mut change = FileChange { path, before, after, mode };
    if let Some(root) = &root {
        stays_in_project(world, root, &change.path)?;
    }
    // The text before `install` had no hooks of ours, which the person may want to keep.
    if !has_hooks {
        restore(world, &mut change, install)?;
    }
    let afterwards = if install {
        vec![format!("{title} starts `last-word mcp` from its next session on")]
    } else {
        Vec::new()
    };
    let originals = if install { Originals::Keep(MARK.to_owned()) } else { Originals::Forget };
    Ok(Plan { changes: vec![change], afterwards, originals, ..Plan::default() })
}

/// Whoever starts servers by that name: its name, its name for people, and where it lists them.
fn find(name: &str) -> Result<(&'static str, &'static str, ServerList), Failure> {
    let agents = agents::ALL.iter().filter_map(|agent| Some((agent.name(), agent.title(), agent.servers()?)));
    let editors = agents::EDITORS.iter().map(|editor| (editor.name, editor.title, editor.servers));
    let all: Vec<_> = agents.chain(editors).collect();
    let wanted = name.replace('-', "_");
    all.iter().find(|(name, ..)| *name == wanted).copied().ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|(name, ..)| *name).collect();
        Failure::new(format!("`{name}` is no agent whose servers we can list"))
            .hint(format!("{}; docs/AGENTS.md says how others are told", names.join(", ")))
            .exit(failure::Exit::Usage)
    })
}

/// The command that the agent starts, which names the home: its environment may be a repository's. A project's files are shared by everybody: no path of this machine stands in them.
fn words(world: &World, project: bool) -> Vec<String> {
    if project {
        return vec!["last-word".to_owned(), "mcp".to_owned()];
    }
    let program = own_name::stable_path().display().to_string();
    let home = world.layout().home().display().to_string();
    vec![program, "mcp".to_owned(), "--home".to_owned(), home]
}
