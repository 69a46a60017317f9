//! Links to a heading: `#usage`, `docs/guide.md#usage`.

use super::NEAR_MAX;
use super::links::file_of;
use crate::document::{Reading, slug};
use crate::evidence::is_near;
use crate::site::links;
use crate::tree::joined;
use crate::{CheckedDocument, DriftCheck, DriftFinding, Look};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// How deep one document includes another.
const DEPTH_MAX: usize = 3;
/// So many earlier texts of a document are looked at for its headings.
const EARLIER_MAX: usize = 60;

pub(crate) fn find(look: &Look<'_>) -> Vec<DriftFinding> {
    if look.document.is_part() {
        return Vec::new();
    }
    // Several links may lead into the same document: it is read once.
    let mut others: BTreeMap<String, Option<Anchors>> = BTreeMap::new();
    let own: OnceCell<Anchors> = OnceCell::new();
    let mut before: BTreeMap<String, Vec<Before>> = BTreeMap::new();
    // Looked up, so that a document of many links and headings is read once.
    let mut forms: BTreeMap<String, HashSet<(bool, String)>> = BTreeMap::new();
    let labels: OnceCell<HashSet<String>> = OnceCell::new();
    let mut missing = 0;
    let found = links(look).filter_map(|link| {
        let (target, anchor) = link.text.split_once('#')?;
        if is_other(look, anchor) {
            return None;
        }
        let path = match target {
            "" => look.document.path.to_owned(),
            target => joined(look.document.dir(), &file_of(target)?)?,
        };
        let other = match target {
            "" => None,
            _ => {
                let read = others.entry(path.clone()).or_insert_with_key(|path| anchors_of(look, path));
                Some(read.as_ref()?)
            }
        };
        let (anchors, hidden) =
            other.unwrap_or_else(|| own.get_or_init(|| all_of(look, look.document, DEPTH_MAX)));
        let wanted = anchor.to_lowercase();
        // Some tools leave signs and dashes in anchors that others leave out.
        let bare = |anchor: &str| slug(anchor).trim_matches('-').to_owned();
        let plain = bare(&wanted);
        let is_one = |known: &String| known.to_lowercase() == wanted || bare(known) == plain;
        let forms = forms.entry(path.clone()).or_insert_with(|| {
            anchors.iter().flat_map(|known| [(false, known.to_lowercase()), (true, bare(known))]).collect()
        });
        let is_there = forms.contains(&(false, wanted.clone())) || forms.contains(&(true, plain.clone()));
        // The anchors of a file without any heading are made by something we do not know.
        if is_there || anchors.is_empty() {
            return None;
        }
        // What is made by something that we do not see was no heading of the text before.
        if *hidden {
            let before = before.entry(path).or_insert_with_key(|path| anchors_before(look, path));
            let had = |then: &&Before| then.anchors.iter().any(is_one);
            before.iter().find(|then| had(then) && look.said(&link.text, then.age))?;
        }
        // Who includes it may have the anchors to which it leads. All documents are read to know that.
        let has_it = |(anchors, hidden): Anchors| hidden || anchors.iter().any(is_one);
        let mut includers = look.tree.includers(look.read, look.document.path).iter();
        if other.is_none() && includers.any(|path| anchors_of(look, path).is_none_or(has_it)) {
            return None;
        }
        if other.is_none() && labels.get_or_init(|| labels_of_all(look)).contains(anchor) {
            return None;
        }
        missing += 1;
        let near = anchors.iter().take_while(|_| missing <= NEAR_MAX);
        let mut near = near.filter(|known| is_near(known, &wanted));
        let now = near.next().filter(|_| near.next().is_none()).map(|anchor| format!("{target}#{anchor}"));
        let why = "no heading has that anchor".to_owned();
        Some(DriftFinding { line: link.line, check: DriftCheck::Anchor, says: link.text.clone(), why, now })
    });
    found.collect()
}

/// Whether what stands behind the `#` leads to no heading: `#L12` is a line of code, an anchor with one of these characters is made by a
/// program, and `##` marks a word.
fn is_other(look: &Look<'_>, anchor: &str) -> bool {
    let is_line = anchor.strip_prefix('L').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    is_line
        || !anchor.contains(char::is_alphanumeric)
        || matches!(anchor, "top" | "readme")
        || anchor.contains(['/', '=', ':', '{', '%'])
        || is_of_code(look, anchor)
}

/// Whether an anchor is a name of code that Sphinx gives to what it finds there: `#Spawner.start`.
fn is_of_code(look: &Look<'_>, anchor: &str) -> bool {
    let is_name = anchor.starts_with(|c: char| c.is_ascii_uppercase()) || anchor.contains('.');
    is_name
        && look.document.dirs().any(|dir| joined(dir, "conf.py").is_some_and(|path| look.tree.is_file(&path)))
}

/// The labels that anything in any document has: to MyST those of all documents are one.
fn labels_of_all(look: &Look<'_>) -> HashSet<String> {
    let documents = look.tree.files().filter(|path| path.ends_with(".md"));
    let mut labels = HashSet::new();
    for text in documents.filter_map(|path| (look.read)(path)) {
        for line in text.lines().map(str::trim) {
            let marked = line.strip_suffix(")=").and_then(|line| Some(line.rsplit_once('(')?.1));
            let named = ["label: ", ":name: "].iter().filter_map(|mark| Some(line.rsplit_once(mark)?.1));
            labels.extend(marked.into_iter().chain(named).map(str::to_owned));
        }
    }
    labels
}

/// Anchors, and whether there may be more that we cannot know.
type Anchors = (BTreeSet<String>, bool);

/// The anchors of another document; `None` if it is not Markdown.
fn anchors_of(look: &Look<'_>, path: &str) -> Option<Anchors> {
    let text = path.ends_with(".md").then(|| (look.read)(path)).flatten()?;
    Some(all_of(look, &Reading::of(&CheckedDocument { path, text: &text }), DEPTH_MAX))
}

/// The anchors of an earlier text.
struct Before {
    age: usize,
    anchors: BTreeSet<String>,
}

/// The anchors of the earlier texts of a document, but for those since which something came to it that may make headings.
fn anchors_before(look: &Look<'_>, path: &str) -> Vec<Before> {
    let own = (path == look.document.path).then(|| look.document.text.to_owned());
    let (Some(past), Some(now)) = (look.past, own.or_else(|| (look.read)(path))) else { return Vec::new() };
    let now = Reading::of(&CheckedDocument { path, text: &now });
    let mut earlier = past.earlier(&|known| known == path);
    earlier.truncate(EARLIER_MAX);
    let anchors = earlier.into_iter().filter_map(|earlier| {
        let text = earlier.text?;
        let then = Reading::of(&CheckedDocument { path, text: &text });
        let is_old = now.components.is_subset(&then.components)
            && now.included.iter().all(|file| then.included.contains(file))
            && (then.has_hidden_anchors || !now.has_hidden_anchors);
        is_old.then_some(Before { age: earlier.age, anchors: then.anchors })
    });
    anchors.collect()
}

/// The anchors of a document and of what it includes.
fn all_of(look: &Look<'_>, document: &Reading<'_>, depth: usize) -> Anchors {
    let mut all = Anchors::default();
    add_all(look, document, depth, &mut all, &mut BTreeSet::new());
    all
}

/// The same, for a document that others may include as well. `read`: what was read already, and how deep from there.
fn add_all(
    look: &Look<'_>,
    document: &Reading<'_>,
    depth: usize,
    all: &mut Anchors,
    read: &mut BTreeSet<(String, usize)>,
) {
    all.0.extend(document.anchors.iter().cloned());
    all.1 |= document.has_hidden_anchors || document.components.iter().any(|name| makes_headings(look, name));
    for file in &document.included {
        let Some(path) = look.tree.included(document.path, file).filter(|_| depth > 0) else {
            all.1 = true;
            continue;
        };
        if !read.insert((path.clone(), depth)) {
            continue;
        }
        match (look.read)(&path) {
            Some(text) => {
                let included = Reading::of(&CheckedDocument { path: &path, text: &text });
                add_all(look, &included, depth - 1, all, read);
            }
            None => all.1 = true,
        }
    }
}

/// Whether a component of the site's tool may make headings: it is not here, or its code has something of one.
fn makes_headings(look: &Look<'_>, name: &str) -> bool {
    const ENDINGS: [&str; 6] = ["vue", "tsx", "jsx", "svelte", "astro", "js"];
    /// Where Hugo and Zola have what `{{< name >}}` stands for.
    const SHORTCODES: [&str; 2] = ["shortcodes", "_shortcodes"];
    /// Headings, and what shows what is only known when the site is made.
    const SIGNS: [&str; 18] = [
        "<h1",
        "<h2",
        "<h3",
        "<h4",
        "<h5",
        "<h6",
        "<h$",
        "<h{",
        "'h1",
        "'h2",
        "'h3",
        "`h$",
        "eading",
        "<component",
        "html=",
        "Html",
        "arkdown",
        "readFile",
    ];
    let of_component = ENDINGS.iter().map(|ending| format!("{name}.{ending}"));
    let of_template = SHORTCODES.iter().map(|dir| format!("{dir}/{name}.html"));
    let files: Vec<String> = of_component.chain(of_template).collect();
    let texts: Vec<Option<String>> =
        files.iter().flat_map(|file| look.tree.ends(file)).map(|path| (look.read)(path)).collect();
    let has_sign =
        |text: &Option<String>| text.as_ref().is_none_or(|text| SIGNS.iter().any(|sign| text.contains(sign)));
    texts.is_empty() || texts.iter().any(has_sign)
}
