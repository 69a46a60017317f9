//! Links and images that lead to a file of the repository: `[guide](docs/guide.md)`.

use super::paths::is_ending;
use crate::evidence::{Fate, fate, is_planned};
use crate::package::LeftOut;
use crate::repository::own_path;
use crate::site::{self, is_page, links};
use crate::tree::{Tree, joined, link_to, name_of};
use crate::{DriftCheck, DriftFinding, Look};

/// Endings of files that a documentation tool makes of Markdown.
const MADE: [&str; 4] = ["html", "htm", "php", "epub"];

/// So many documents of one name are looked at as what a translation may be of.
const TWINS_MAX: usize = 40;
/// So many directories behind that of a language are taken for those of a tool.
const TAILS_MAX: usize = 3;

pub(crate) fn find(look: &Look<'_>) -> Vec<DriftFinding> {
    if !look.tree.is_complete() || look.document.is_part() {
        return Vec::new();
    }
    let document = look.document;
    let is_copy_of_the_root = || {
        let is_copy = || (look.read)("README.md").is_none_or(|root| root.trim() == document.text.trim());
        // The file is read once, and not for each link.
        *look.asides.is_copy_of_the_root.get_or_init(is_copy)
    };
    let file = |link: &str| file_of(link).or_else(|| once_a_page(look, link));
    let files = links(look).filter_map(|link| Some((link, file(&link.text)?)));
    let directory = |link: &str| (!is_elsewhere(link)).then(|| decoded(link.trim_end_matches('/')));
    let directories = document.directories.iter().filter_map(|link| Some((link, directory(&link.text)?)));
    let found = files.chain(directories).filter_map(|(link, target)| {
        let path = joined(look.document.dir(), &target);
        // Tools that make pages of documents look from the root, too, where a link does not say from where. A README is read where it is,
        // unless it is a copy of the one at the root.
        let is_meant = || !target.starts_with('.') && (!document.is_readme() || is_copy_of_the_root());
        let from_root = joined("", &target).filter(|_| is_meant());
        // Docusaurus looks from the directory of all pages as well.
        let from_above = || {
            let above = document.dirs().skip(1).filter_map(|dir| joined(dir, &target));
            !target.starts_with('.') && is_page(look) && above.into_iter().any(|path| look.tree.has(&path))
        };
        let from_includer = || {
            let includers = look.tree.includers(look.read, document.path).iter();
            let dirs = includers.map(|path| path.rsplit_once('/').map_or("", |(dir, _)| dir));
            dirs.filter_map(|dir| joined(dir, &target)).any(|path| look.tree.has(&path))
        };
        // ExDoc puts all pages into one directory.
        let is_flat = || look.tree.is_file("mix.exs") && look.tree.ends(name_of(&target)).next().is_some();
        // A site's tool names a page without its ending: `entry.tsx` for `entry.tsx.md`.
        let has = |path: &String| look.tree.has(path) || look.tree.is_file(&format!("{path}.md"));
        let is_there = [&path, &from_root].into_iter().flatten().any(has) || is_flat() || from_above();
        let made = path.as_deref().is_none_or(|path| look.tree.is_made(path));
        // Nothing is known of a place outside the repository. All documents are read to know who includes this one.
        let is_of_twin = || path.as_deref().is_some_and(|path| is_of_twin(look, path, &target));
        if is_there
            || made
            || path.is_none()
            || is_planned(document, link.line)
            || from_includer()
            || is_of_twin()
        {
            return None;
        }
        let fate = match fate(look.tree, look.document.dir(), &target) {
            Fate::There => {
                path.as_deref().and_then(|path| only_end(look.tree, path)).map_or(Fate::Gone, Fate::Moved)
            }
            fate => fate,
        };
        if may_be_left_out(look.left_out(path.as_deref()?), &fate) && !look.was_whole(&target) {
            return None;
        }
        let now = match fate {
            // As a link from here, with what it had behind the path.
            Fate::Moved(now) => {
                let behind = link.text.find(['#', '?']).map_or("", |at| &link.text[at..]);
                Some(format!("{}{behind}", link_to(look.document.dir(), &now)))
            }
            _ => None,
        };
        let why = "the link leads to no file".to_owned();
        Some(DriftFinding { line: link.line, check: DriftCheck::Link, says: link.text.clone(), why, now })
    });
    found.chain(addresses(look)).collect()
}

/// Whether a document is a translation, and a missing file one that is not translated: a tool puts what it is one of into its place.
/// `docs/guide/b.md` for `i18n/de/pages/guide/b.md`.
fn is_of_twin(look: &Look<'_>, missing: &str, target: &str) -> bool {
    let path = look.document.path;
    let is_language = |part: &str| {
        let (language, region) = part.split_once(['-', '_']).unwrap_or((part, ""));
        language.len() == 2 && language.chars().all(|c| c.is_ascii_lowercase()) && region.len() <= 4
    };
    let mut dirs = path.match_indices('/').map(|(at, _)| at);
    let Some(end) = dirs.find(|at| is_language(path[..*at].rsplit('/').next().unwrap_or_default())) else {
        return false;
    };
    let (above, language) = path[..end].rsplit_once('/').unwrap_or(("", &path[..end]));
    // What most other languages have is missing in this one.
    let others =
        look.tree.children(above).into_iter().filter(|other| is_language(other) && *other != language);
    let in_other = |other: &str| {
        let behind = missing.strip_prefix(&path[..end])?;
        joined(above, &format!("{other}{behind}"))
    };
    let has = |other: &&str| in_other(other).is_some_and(|path| look.tree.has(&path));
    let (with, without): (Vec<&str>, Vec<&str>) = others.partition(has);
    let tails = path.match_indices('/').map(|(at, _)| at).filter(|at| *at >= end).take(TAILS_MAX);
    let twins = tails.flat_map(|at| look.tree.ends(&path[at + 1..]).take(TWINS_MAX));
    let mut places =
        twins.filter(|twin| *twin != path && !twin.starts_with(&path[..end])).filter_map(|twin| {
            let dir = twin.rsplit_once('/').map_or("", |(dir, _)| dir);
            joined(dir, target).filter(|place| !place.starts_with(&path[..end]))
        });
    with.len() <= without.len() && places.any(|place| look.tree.has(&place) || look.tree.is_made(&place))
}

/// Whether a package may be without a missing file of which this became.
fn may_be_left_out(left_out: LeftOut, fate: &Fate) -> bool {
    match left_out {
        LeftOut::No => false,
        LeftOut::Perhaps => !matches!(fate, Fate::Moved(_) | Fate::Near(_)),
        LeftOut::Surely => true,
    }
}

/// The addresses of this repository's own files that are not there.
fn addresses<'l>(look: &'l Look<'_>) -> impl Iterator<Item = DriftFinding> + 'l {
    links(look).filter_map(|link| {
        let path = own_path(look, &link.text).map(|path| decoded(&path))?;
        let is_meant = !path.contains(['{', '}', '$', '<', '*', ':', '@']) && !look.tree.is_made(&path);
        if !is_meant || look.tree.has(&path) || is_planned(look.document, link.line) {
            return None;
        }
        // An address is written whole: the end of another path is not what it means.
        let fate = match fate(look.tree, "", &path) {
            Fate::There => only_end(look.tree, &path).map_or(Fate::Gone, Fate::Moved),
            fate => fate,
        };
        if may_be_left_out(look.left_out(&path), &fate) && !look.was_whole(&path) {
            return None;
        }
        let now = match fate {
            Fate::Moved(now) => Some(link.text.replace(&path, &now)),
            _ => None,
        };
        let why = "this repository has no such file or directory".to_owned();
        Some(DriftFinding { line: link.line, check: DriftCheck::Link, says: link.text.clone(), why, now })
    })
}

/// The only path that ends with this one, which is of several parts.
fn only_end(tree: &Tree, path: &str) -> Option<String> {
    let mut ends = tree.ends(path).filter(|_| path.contains('/'));
    ends.next().filter(|_| ends.next().is_none()).map(str::to_owned)
}

/// The file that a link names; `None` for a link to another site or to a file that a tool makes.
pub(crate) fn file_of(link: &str) -> Option<String> {
    let target = link.split(['#', '?']).next().unwrap_or_default();
    let name = target.rsplit('/').next().unwrap_or(target);
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    // `words.sublime-syntax`.
    let is_of_words =
        |ending: &str| ending.split_once('-').is_some_and(|(one, two)| is_ending(one) && is_ending(two));
    let is_file = ending.is_some_and(|ending| {
        (is_ending(ending) || target.contains('/') && is_of_words(ending))
            && !MADE.contains(&&*ending.to_lowercase())
    });
    (!is_elsewhere(target) && is_file).then(|| decoded(target))
}

/// A page (`index.html`) that was a file of the repository: a tool does not make that one.
fn once_a_page(look: &Look<'_>, link: &str) -> Option<String> {
    let target = link.split(['#', '?']).next().unwrap_or_default();
    let is_page = target.rsplit_once('.').is_some_and(|(_, ending)| MADE.contains(&ending));
    let path = decoded(target);
    // Or one beside which another one has nearly its name.
    let is_near =
        || matches!(fate(look.tree, look.document.dir(), &path), Fate::Near(_)) && !site::is_page(look);
    (is_page && !is_elsewhere(target) && (look.was_whole(&path) || is_near())).then_some(path)
}

/// Whether a link leads to another site, or to what a tool fills in.
fn is_elsewhere(target: &str) -> bool {
    target.contains("://")
        // Tools that make sites write their root as `@/` or `~/`.
        || target.starts_with(['/', '<', '@'])
        || target.starts_with("~/")
        || ["mailto:", "data:", "tel:", "javascript:"].iter().any(|scheme| target.starts_with(scheme))
        || target.contains(['{', '}', '$', '<', '*', ':'])
}

/// Replaces `%20` and its like by the characters they stand for.
fn decoded(target: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = target.as_bytes();
    while let [first, more @ ..] = rest {
        let digits =
            more.get(..2).and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        match (first, digits) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &more[2..];
            }
            _ => {
                bytes.push(*first);
                rest = more;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
