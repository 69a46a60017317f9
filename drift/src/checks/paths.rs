//! Paths in backticks: `src/login/session.rs`, `docs/`.

use crate::evidence::is_near;
use crate::tree::Tree;
use crate::{DriftCheck, DriftFinding, Look, document::Mention, evidence, repository};

/// The longest ending of a file's name: `libsonnet`.
const ENDING_CHARS_MAX: usize = 9;
/// A word like "e.g." is about a path if it stands at most this many characters before it.
const EXAMPLE_CHARS: usize = 60;

pub(crate) fn find(look: &Look<'_>) -> Vec<DriftFinding> {
    let is_for_developers = |line: usize| evidence::is_for_developers(look.document, line);
    let mentions: Vec<Mention> = look
        .document
        .spans
        .iter()
        .filter_map(|span| {
            let hidden = || hidden_path(&span.text).filter(|_| is_for_developers(span.line));
            let known = || known_names(look.tree, &span.text);
            let text = path(&span.text)
                .or_else(|| two_words(look.tree, &span.text))
                .or_else(|| said_to_be_a_directory(look, span))
                .or_else(hidden)
                .or_else(known)
                .or_else(|| once_there(look, span))?;
            let mention = Mention { text, line: span.line };
            let is_none = is_contrasted(look, &mention)
                || is_repository(look, &mention)
                || is_called_by_name(look, &mention.text)
                || is_to_be_made(look, &mention) && !look.was_whole(&mention.text);
            (!is_none).then_some(mention)
        })
        .collect();
    // A word behind the path, or long before it, is about something else.
    let has_words = |mention: &Mention, words: &[&str]| {
        let (above, before) = said_before(look, mention);
        gives_an_example(before, words)
            || gives_an_example(&format!("{above} {before}"), &evidence::PLAIN_EXAMPLES)
    };
    // A link that shows the path leads to the page of this repository for it.
    let is_ours = |mention: &Mention| {
        let own = repository::own(look);
        let linked = &look.document.linked;
        let from = linked.partition_point(|(shown, _)| shown.line < mention.line);
        let mut shown = linked[from..].iter().take_while(|(shown, _)| shown.line == mention.line);
        shown.any(|(shown, target)| {
            let path = mention.text.trim_end_matches('/');
            shown.text.contains(path)
                && target.trim_end_matches('/').ends_with(path)
                && own.is_some()
                && repository::named(target).as_deref() == own
        })
    };
    let (check, why) = (DriftCheck::Path, "there is no such file or directory");
    let asked = evidence::Asked { check, why, has_words: &has_words, is_ours: &is_ours };
    evidence::findings(look, &mentions, &asked)
}

/// The line above the one of a path, where that is of the same sentence, and what stands before the path.
fn said_before<'l>(look: &'l Look<'_>, mention: &Mention) -> (&'l str, &'l str) {
    let line = look.document.line(mention.line);
    let before = line.split_once(&format!("`{}", mention.text)).map_or(line, |(before, _)| before);
    let begins = mention.line < 2
        || line.trim_start().starts_with(['-', '*', '+', '|', '#', '>'])
        || line.trim_start().starts_with(|c: char| c.is_ascii_digit());
    // Behind the end of a sentence another one begins.
    let above =
        if begins || before.contains(". ") { "" } else { look.document.line_nearby(mention.line - 1) };
    (above, before)
}

/// Whether a line says that another one is meant: "`a.rs`, not `b.rs`", "`a.rs` instead of `b.rs`".
fn is_contrasted(look: &Look<'_>, mention: &Mention) -> bool {
    let (_, before) = said_before(look, mention);
    let said = before.trim_end().trim_end_matches(['`', '*', '[']).trim_end().to_lowercase();
    [" not", "instead of", "rather than"].iter().any(|words| said.ends_with(words))
}

/// Whether a path begins with the name of the repository or of its owner, as one that looks from outside writes it: `kit/docs/a.md`.
fn is_called_by_name(look: &Look<'_>, path: &str) -> bool {
    let Some((first, rest)) = path.trim_end_matches('/').split_once('/') else { return false };
    let first = first.to_lowercase();
    let is_name = repository::own(look).is_some_and(|own| own.split('/').any(|name| name == first));
    is_name && look.tree.has(rest)
}

/// Whether `owner/name.js` is a repository: an address in the document has that owner, and no directory is called so.
fn is_repository(look: &Look<'_>, mention: &Mention) -> bool {
    let Some((owner, name)) = mention.text.split_once('/') else { return false };
    let was_file = || name.contains('.') && look.was_whole(&mention.text);
    if name.is_empty() || name.contains('/') || look.tree.is_directory(owner) || was_file() {
        return false;
    }
    let owners = look.asides.owners.get_or_init(|| {
        let addresses = look.document.text.split("://").skip(1);
        let owner = |address: &str| {
            let (host, behind) = address.split_once('/')?;
            let (owner, _) = behind.split_once('/')?;
            (!host.contains(char::is_whitespace)).then(|| owner.to_owned())
        };
        addresses.filter_map(owner).collect()
    });
    owners.contains(owner)
}

/// Whether the words at the end of a text, not its spans, have one of these: those of an example.
fn gives_an_example(text: &str, words: &[&str]) -> bool {
    let said: String = text.split('`').step_by(2).collect::<String>().to_lowercase();
    let begin = said.char_indices().rev().nth(EXAMPLE_CHARS).map_or(0, |(at, _)| at);
    words.iter().any(|word| said[begin..].contains(word))
}

/// Whether a reader is told to make what is named: "create the following directory: `pkg/boom/`".
fn is_to_be_made(look: &Look<'_>, mention: &Mention) -> bool {
    /// What stands behind one of these is where something is made, and there already.
    const BEFORE_PLACES: [&str; 10] =
        ["in", "into", "to", "from", "under", "with", "of", "using", "by", "at"];
    let (above, before) = said_before(look, mention);
    let said = format!("{above} {before}");
    let said: String = said.split('`').step_by(2).collect::<Vec<_>>().join(" x ").to_lowercase();
    let sentence = said.rsplit(". ").next().unwrap_or_default();
    let words: Vec<&str> = sentence.split_whitespace().collect();
    if let [.., "add", "a" | "an"] | ["add"] | ["-", "add"] = words.as_slice() {
        return true;
    }
    // "Create a file at", and what is there then.
    let words = words.strip_suffix(&["at"]).unwrap_or(&words);
    let behind = words.iter().rposition(|word| *word == "create").map(|at| &words[at + 1..]);
    behind.is_some_and(|words| words.iter().all(|word| *word != "x" && !BEFORE_PLACES.contains(word)))
}

/// `web/CDN/server.ts`: a name that could stand for another one (`CDN`, `example`) is none where the repository has it.
fn known_names(tree: &Tree, span: &str) -> Option<String> {
    let bare = span.trim().trim_start_matches("./");
    // Of these nobody means the one that is there.
    let is_any = |part: &str| ["foo", "bar", "baz"].iter().any(|any| part.split('.').next() == Some(*any));
    if bare.split('/').any(is_any) {
        return None;
    }
    let (open, plain): (Vec<&str>, Vec<&str>) = bare.split('/').partition(|part| is_placeholder(part));
    let is_known = |part: &&str| tree.ends(part).next().is_some();
    let written = bare.split('/').map(|part| if is_placeholder(part) { "x" } else { part });
    let is_path = path(&written.collect::<Vec<_>>().join("/")).is_some();
    let good = !open.is_empty() && plain.len() > open.len() && open.iter().all(is_known);
    (good && is_path).then(|| bare.to_owned())
}

/// A text that does not look like a path, but was one.
fn once_there(look: &Look<'_>, span: &Mention) -> Option<String> {
    let bare = span.text.trim().trim_start_matches("./");
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+');
    (bare.contains('/')
        && !bare.starts_with('/')
        && bare.chars().all(plain)
        && look.was_there(bare, span.line))
    .then(|| bare.to_owned())
}

/// `.github/workflows/ci.yml`: only a document for people who work on the project surely means its own.
fn hidden_path(span: &str) -> Option<String> {
    let bare = span.trim().trim_start_matches("./");
    bare.strip_prefix('.').and_then(path).map(|_| bare.to_owned())
}

/// "The `extra/shell` folder"; of one word, in a document for people who work on the project.
fn said_to_be_a_directory(look: &Look<'_>, span: &Mention) -> Option<String> {
    const WORDS: [&str; 4] = ["folder", "directory", "dir", "subdirectory"];
    let bare = span.text.trim().trim_end_matches('/');
    let is_plain = bare.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '/'));
    let (_, behind) = look.document.line(span.line).split_once(&format!("`{}`", span.text))?;
    let word = behind.trim_start().split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    let is_said =
        WORDS.contains(&word) && is_plain && !bare.is_empty() && !bare.split('/').any(is_placeholder);
    let is_ours = || bare.contains('/') || evidence::is_for_developers(look.document, span.line);
    (is_said && is_ours()).then(|| format!("{bare}/"))
}

/// `scripts/test`: two words are a path only if the first is a directory whose files have such names.
pub(super) fn two_words(tree: &Tree, span: &str) -> Option<String> {
    /// The first words of media types.
    const MEDIA: [&str; 9] =
        ["text", "application", "image", "audio", "video", "font", "model", "multipart", "message"];
    let bare = span.trim().trim_start_matches("./");
    let (dir, name) = bare.split_once('/')?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let good = !name.is_empty()
        && !dir.is_empty()
        && bare.chars().all(|c| plain(c) || c == '/')
        && !name.contains('/')
        && !bare.split('/').any(is_placeholder)
        && !MEDIA.contains(&dir);
    let has_such = || tree.children(dir).iter().any(|child| !child.contains('.'));
    // Its directory may have been renamed: to nearly the same name, or to the only other one that has a file of that name.
    let went = || {
        let others = tree.children("").into_iter().filter(|other| !other.starts_with('.'));
        let others = others.filter(|other| tree.has(&format!("{other}/{name}")));
        let others: Vec<&str> = others.collect();
        others.iter().any(|other| is_near(other, dir) && tree.is_directory(&format!("{other}/{name}")))
            || matches!(others.as_slice(), [one] if tree.is_file(&format!("{one}/{name}")))
    };
    (good && if tree.is_directory(dir) { has_such() } else { went() }).then(|| bare.to_owned())
}

/// The path in a text between backticks: several plain parts, or one with a slash at its end. A line number at its end (`a/b.rs:12`)
/// is left out.
pub(crate) fn path(span: &str) -> Option<String> {
    let bare = span.trim();
    let bare = bare
        .rsplit_once(':')
        .filter(|(_, line)| !line.is_empty() && line.chars().all(|c| c.is_ascii_digit() || c == '-'))
        .map_or(bare, |(path, _)| path);
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+');
    let inner = bare.trim_start_matches("./");
    let good = inner.contains('/')
        && inner.chars().all(plain)
        && !bare.starts_with(['/', '~', '-'])
        // Hidden directories belong to other programs; a document may mean those of any project.
        && !inner.starts_with('.')
        && !inner.contains("//")
        && !inner.contains("..")
        && !inner.split('/').any(is_placeholder);
    // `and/or`, `owner/name`, `text/html`: two words are a path only with a file ending or a slash at the end.
    let parts: Vec<&str> = inner.trim_end_matches('/').split('/').collect();
    let is_file = parts.last().is_some_and(|name| {
        SHOUTED.contains(name)
            || name.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && is_ending(end))
    });
    let is_code = || {
        let name = parts.last().and_then(|name| name.rsplit_once('.'));
        name.is_some_and(|(_, end)| is_of_code(end))
    };
    (good && !is_code() && (is_file || inner.ends_with('/') || parts.len() > 2) && !is_domain(parts[0]))
        .then(|| inner.to_owned())
}

/// Names of files in capitals that many repositories have.
const SHOUTED: [&str; 28] = [
    "README",
    "LICENSE",
    "CHANGELOG",
    "CONTRIBUTING",
    "MEMORY",
    "AGENTS",
    "CLAUDE",
    "ARCHITECTURE",
    "SECURITY",
    "VERSION",
    "NOTICE",
    "AUTHORS",
    "COPYING",
    "TODO",
    "NEWS",
    "MANIFEST",
    "CODEOWNERS",
    "HISTORY",
    "CHANGES",
    "INSTALL",
    "DEVELOPMENT",
    "BUILD",
    "OWNERS",
    "MAINTAINERS",
    "GOVERNANCE",
    "SKILL",
    "RELEASING",
    "CODE_OF_CONDUCT",
];

/// Whether a name is a placeholder: `foo`, `NAME`, `your-app`, `path`.
pub(super) fn is_placeholder(part: &str) -> bool {
    const ANY: [&str; 16] = [
        "foo",
        "bar",
        "baz",
        "path",
        "to",
        "some",
        "example",
        "my",
        "your",
        "file",
        "dir",
        "directory",
        "xxx",
        "username",
        "user",
        "owner",
    ];
    let stem = part.split('.').next().unwrap_or(part);
    let shouted = stem.len() > 1
        && stem.chars().all(|c| c.is_ascii_uppercase() || c == '_')
        && !SHOUTED.contains(&stem);
    // `x.x.x`, a version.
    let is_of_x = part.contains('.') && part.chars().all(|c| matches!(c, 'x' | 'X' | '.'));
    // `pins-kitXYZ.txt`.
    let is_cut_out = part.contains("XYZ") || stem.split(['_', '-']).any(|word| matches!(word, "foo" | "baz"));
    ANY.contains(&stem)
        || is_of_x
        || is_cut_out
        || stem.starts_with("my-")
        || stem.starts_with("your-")
        || stem.starts_with("my_")
        || stem.contains("_my_")
        || shouted
}

/// Whether what stands behind a dot is a name of code: `graph.Host`.
fn is_of_code(end: &str) -> bool {
    end.starts_with(|c: char| c.is_ascii_uppercase()) && end.contains(|c: char| c.is_ascii_lowercase())
}

pub(super) fn is_ending(end: &str) -> bool {
    (1..=ENDING_CHARS_MAX).contains(&end.len())
        && !is_of_code(end)
        && end.chars().all(|c| c.is_ascii_alphanumeric())
        && end.chars().any(char::is_alphabetic)
}

/// Whether a path begins with a host name (`example.org/x`), so that it is an address and no path of a repository.
fn is_domain(first: &str) -> bool {
    const TOPS: [&str; 10] = ["com", "org", "net", "io", "dev", "rs", "co", "me", "app", "sh"];
    first.rsplit_once('.').is_some_and(|(name, top)| !name.is_empty() && TOPS.contains(&top))
}

#[cfg(test)]
mod tests {
    use super::path;

    #[test]
    fn what_is_a_path() {
        for (span, expected) in [
            ("src/a.rs", Some("src/a.rs")),
            ("./src/a.rs", Some("src/a.rs")),
            ("src/a.rs:12", Some("src/a.rs")),
            ("docs/", Some("docs/")),
            ("a/b/c", Some("a/b/c")),
            ("and/or", None),
            ("text/html", None),
            ("a.rs", None),
            ("/etc/passwd", None),
            ("~/x/y.md", None),
            ("../x/y.md", None),
            (".github/workflows/ci.yml", None),
            ("src/*.rs", None),
            ("src/<name>.rs", None),
            ("commands/NAME.rs", None),
            ("path/to/file.txt", None),
            ("your-app/src/x.js", None),
            ("example.com/a/b.html", None),
            ("cargo run src/a.rs", None),
            ("https://x.y/a.b", None),
        ] {
            assert_eq!(path(span).as_deref(), expected, "{span}");
        }
    }
}
