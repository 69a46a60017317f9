//! The inboxes: where declarations may be left as `*.md.yaml`. The home, the configured projects, and the project we were
//! started in.

use crate::world::World;
use declaration::Timestamp;
use operator::STALLED_MS;
use policy::settings::Settings;
use queue_layout::{Queue, QueueError};
use std::path::PathBuf;

/// A directory that is looked into, and its project.
pub struct Inbox {
    pub dir: PathBuf,
    pub project: Option<PathBuf>,
}

pub fn all(world: &World, settings: &Settings) -> Vec<Inbox> {
    let configured = settings.projects.iter().map(|project| match project.strip_prefix("~/") {
        Some(rest) => world.user_home.join(rest),
        None => PathBuf::from(project),
    });
    let mut projects: Vec<PathBuf> = configured.chain(world.project()).collect();
    projects.sort();
    projects.dedup();
    let of_project = |project: PathBuf| Inbox { dir: project.join(".agents"), project: Some(project) };
    let home = Inbox { dir: world.layout.home().to_owned(), project: None };
    std::iter::once(home).chain(projects.into_iter().map(of_project)).collect()
}

/// What nobody takes out of them: files that lie there for long, and directories that cannot be looked into.
pub fn left(
    world: &World,
    queue: &Queue,
    settings: &Settings,
    now: Timestamp,
) -> Result<Vec<PathBuf>, QueueError> {
    let mut left = Vec::new();
    for Inbox { dir, .. } in all(world, settings) {
        match queue.left_in_inbox(&dir, now, STALLED_MS) {
            Err(e) if !e.is_machine_trouble() => left.push(dir),
            other => left.extend(other?),
        }
    }
    Ok(left)
}
