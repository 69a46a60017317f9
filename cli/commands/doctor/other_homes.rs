//! Other homes that manage a document of ours: each ignores the other's rules and history.

use super::{Finding, Health};
use crate::install::{agent, schedule};
use crate::world::World;
use durable::Disk;
use policy::settings::Settings;
use std::path::{Path, PathBuf};

/// Looks at the usual homes, and at those that agents' hooks and the schedules name.
pub(super) fn finding(world: &World, settings: &Settings) -> Finding {
    let same = |path: &Path| world.canonicalise(path).unwrap_or_else(|_| path.to_owned());
    let ours = same(world.layout().home());
    let mut homes: Vec<PathBuf> = world.usual_homes().into_iter().map(|home| home.dir).collect();
    let texts =
        agent::settings_texts(world, world.project().as_deref()).into_iter().chain(schedule::texts(world));
    homes.extend(texts.flat_map(|text| agent::named_homes(&text, world.user_home())));
    homes.retain(|home| same(home) != ours && world.disk.stat(home).is_ok_and(|stat| stat.is_some()));
    homes.sort();
    homes.dedup();
    let shares = |home: &PathBuf| {
        let document = world.shared_document(settings, home, &world.cwd)?;
        Some(format!("{} manages {}, too", world.short(home), world.short(&document)))
    };
    let shared: Vec<String> = homes.iter().filter_map(shares).collect();
    if shared.is_empty() {
        return Finding::new("other homes", Health::Ok, "none manages a document of this one");
    }
    Finding::new("other homes", Health::Bad, shared.join("; ")).hint(
        "take the document out of one configuration, or remove that home: what one writes, the other's rules and history do not know",
    )
}
