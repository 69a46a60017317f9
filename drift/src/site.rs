//! Which documents are pages of a site for those who use what the repository makes: a file or a script that such a page names is the
//! reader's own as often as the repository's.

use crate::Look;
use crate::document::Mention;
use crate::evidence::is_said_to_developers;
use crate::tree::joined;

/// Files that make a site of the documents beside and below them.
const SETTINGS: [&str; 30] = [
    "hugo.toml",
    "hugo.yaml",
    "hugo.yml",
    "hugo.json",
    "docusaurus.config.js",
    "docusaurus.config.ts",
    "docusaurus.config.mjs",
    "mkdocs.yml",
    "mkdocs.yaml",
    "zensical.toml",
    "book.toml",
    "astro.config.mjs",
    "astro.config.ts",
    "astro.config.js",
    "gatsby-config.js",
    "gatsby-config.ts",
    "rspress.config.ts",
    "antora.yml",
    "mint.json",
    "docs.json",
    "conf.py",
    "_config.yml",
    "_sidebar.md",
    "sidebars.js",
    "sidebars.ts",
    "sidebars.json",
    "mix.exs",
    ".eleventy.js",
    "eleventy.config.js",
    "theme.config.tsx",
];
/// The same, as directories.
const DIRECTORIES: [&str; 2] = [".vitepress", ".vuepress"];
/// Directories beside the pages in which their settings may be.
const BESIDE: [&str; 5] = ["website", "site", "www", "docs-site", "doc-site"];
/// Where a repository whose root has such a file has the pages.
const OF_PAGES: [&str; 9] =
    ["docs", "doc", "documentation", "site", "website", "content", "guides", "pages", "book"];
/// Parts of a site that are for those who work on the project begin so.
const FOR_DEVELOPERS: [&str; 8] =
    ["contribut", "develop", "internal", "_internal", "maintain", "hacking", "architecture", "design"];

/// Whether a line is one of a page for those who use what the repository makes.
pub(crate) fn is_for_users(look: &Look<'_>, line: usize) -> bool {
    is_page(look) && !is_said_to_developers(look.document, line, true)
}

/// Whether a document is a page of a site for those who use what the repository makes.
pub(crate) fn is_page(look: &Look<'_>) -> bool {
    *look.asides.is_page.get_or_init(|| {
        let path = look.document.path.to_lowercase();
        let is_for_others =
            path.split('/').any(|part| FOR_DEVELOPERS.iter().any(|word| part.starts_with(word)));
        // What lies beside the settings for people who open the directory is no page.
        let dir = look.document.dir();
        let is_of_settings = look.document.is_readme() && !dir.is_empty() && has_settings(look, dir);
        !is_for_others && !is_of_settings && look.document.dirs().any(|dir| makes_pages(look, dir))
    })
}

/// The links of a document, with those of tags where those stand for themselves.
pub(crate) fn links<'l>(look: &'l Look<'_>) -> impl Iterator<Item = &'l Mention> {
    // A table of contributors has anchors of no heading: `<a href="#ideas-ann">`.
    let is_of_contributors =
        |link: &Mention| link.text.starts_with('#') && look.document.text.contains("ALL-CONTRIBUTORS-LIST");
    let of_tags =
        look.document.tag_links.iter().filter(move |link| !is_page(look) && !is_of_contributors(link));
    look.document.links.iter().chain(of_tags)
}

/// Whether a directory has the settings of a site.
fn has_settings(look: &Look<'_>, dir: &str) -> bool {
    let has = |name: &&str| joined(dir, name).is_some_and(|path| look.tree.is_file(&path));
    let has_dir = |name: &&str| joined(dir, name).is_some_and(|path| look.tree.is_directory(&path));
    SETTINGS.iter().any(has) || DIRECTORIES.iter().any(has_dir)
}

/// Whether there are settings in a directory that make a page of the document, which is in it or below it.
fn makes_pages(look: &Look<'_>, dir: &str) -> bool {
    let below = look.document.path.strip_prefix(dir).unwrap_or_default().trim_start_matches('/');
    let is_of_pages = below.split_once('/').is_some_and(|(first, _)| OF_PAGES.contains(&first));
    let beside = || BESIDE.iter().filter_map(|name| joined(dir, name)).any(|dir| has_settings(look, &dir));
    match dir {
        "" => is_of_pages && (has_settings(look, "") || beside()),
        dir => has_settings(look, dir) || is_of_pages && beside(),
    }
}
