//! Which documents are pages of a site for those who use what the repository makes: a file or a script that such a page names is the
//! reader's own as often as the repository's.

use crate::Look;
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
/// Where a repository whose root has such a file has the pages.
const OF_PAGES: [&str; 9] =
    ["docs", "doc", "documentation", "site", "website", "content", "guides", "pages", "book"];
/// Parts of a site that are for those who work on the project begin so.
const FOR_DEVELOPERS: [&str; 8] =
    ["contribut", "develop", "internal", "_internal", "maintain", "hacking", "architecture", "design"];

/// Whether a line is one of a page for those who use what the repository makes.
pub(crate) fn is_for_users(look: &Look<'_>, line: usize) -> bool {
    *look.asides.is_page.get_or_init(|| is_page(look)) && !is_said_to_developers(look.document, line, true)
}

fn is_page(look: &Look<'_>) -> bool {
    let path = look.document.path.to_lowercase();
    let is_for_others = path.split('/').any(|part| FOR_DEVELOPERS.iter().any(|word| part.starts_with(word)));
    let is_of = |dir: &str| {
        let is_below = match dir {
            "" => OF_PAGES.iter().any(|pages| path.split_once('/').is_some_and(|(first, _)| first == *pages)),
            // What lies beside the settings for people who open the directory is no page.
            dir => dir != look.document.dir() || !look.document.is_readme(),
        };
        let has = |name: &&str| joined(dir, name).is_some_and(|path| look.tree.is_file(&path));
        let has_dir = |name: &&str| joined(dir, name).is_some_and(|path| look.tree.is_directory(&path));
        is_below && (SETTINGS.iter().any(has) || DIRECTORIES.iter().any(has_dir))
    };
    !is_for_others && look.document.dirs().any(is_of)
}
