//! What the links lead to that a pattern means: `docs/*` means `docs/agents.md`, which may be a link to a document elsewhere.

use super::Here;
use agents::{How, WrittenPath, plain};
use durable::FileKind;
use std::path::PathBuf;

/// So deep is looked below the directory in front of a pattern, at so many names for one call, for so many links.
const DEPTH_MAX: usize = 4;
const NAMES_MAX: usize = 4_000;
const LINKS_MAX: usize = 64;

/// Where the links lead that a pattern means, links resolved; nothing for a path that is none. A link that is removed leads nowhere.
pub(super) fn led_to(here: Here<'_>, written: &WrittenPath) -> Vec<PathBuf> {
    let text = plain(&written.path).to_string_lossy().into_owned();
    if written.how == How::Gone || !text.contains(['*', '?', '[']) {
        return Vec::new();
    }
    let fixed = text.split(['*', '?', '[']).next().unwrap_or_default();
    let (dir, _) = fixed.rsplit_once('/').unwrap_or_default();
    let levels = match written.how {
        How::Below => DEPTH_MAX,
        _ => text[dir.len()..].matches('/').count().min(DEPTH_MAX),
    };
    let disk = &*here.home.disk;
    let mut found = Vec::new();
    // Each with whether a link leads to it.
    let mut dirs = vec![(PathBuf::from(dir), false)];
    for _ in 0..levels {
        for (dir, is_led) in std::mem::take(&mut dirs) {
            for name in disk.list(&dir).unwrap_or_default() {
                let seen = here.seen.link_names.get() + 1;
                here.seen.link_names.set(seen);
                if seen > NAMES_MAX || found.len() >= LINKS_MAX {
                    return found;
                }
                let path = dir.join(&name);
                let Some(stat) = disk.stat_link(&path).ok().flatten() else { continue };
                let is_link = stat.kind == FileKind::Link;
                if (is_link || is_led) && written.reaches(&path) {
                    found.extend(here.canonical(&path).ok());
                }
                if stat.kind == FileKind::Directory && name != *".git" || is_link && written.how == How::Here
                {
                    dirs.push((path, is_led || is_link));
                }
            }
        }
    }
    found
}
