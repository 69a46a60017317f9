//! Which repository this is, by what its manifests say, and which parts of a document speak of another one.

use crate::Look;
use std::collections::BTreeMap;

/// Shorter names of repositories (`api`) are words as well.
const NAME_CHARS_MIN: usize = 4;

/// `owner/name` of this repository, in small letters; `None` where no manifest at the root says it, or where the root is a directory of a
/// larger repository.
pub(crate) fn own<'l>(look: &Look<'l>) -> Option<&'l str> {
    place(look).filter(|(_, dir)| dir.is_empty()).map(|(own, _)| own)
}

/// The same with the directory of that repository in which the root is.
pub(crate) fn place<'l>(look: &Look<'l>) -> Option<(&'l str, &'l str)> {
    let place = look.tree.repository.get_or_init(|| {
        let package = (look.read)("package.json");
        let package: Option<serde_json::Value> = package.and_then(|text| serde_json::from_str(&text).ok());
        let repository = package.as_ref().and_then(|package| package.get("repository"));
        let of_npm = repository.and_then(|repository| repository.get("directory")?.as_str());
        let of_npm = of_npm.map(|dir| dir.trim_matches(['.', '/']).to_owned());
        let dir = of_npm.or_else(|| place_of_cargo(look)).unwrap_or_default();
        let of_package = repository.and_then(|of| of.get("url").unwrap_or(of).as_str()).and_then(named);
        let line = |file: &str, keys: &[&str]| {
            let text = (look.read)(file)?;
            let is_said = |line: &&str| keys.iter().any(|key| line.to_lowercase().starts_with(key));
            text.lines().filter(is_said).find_map(named)
        };
        let of_python =
            || line("pyproject.toml", &["repository", "source", "\"source", "github", "homepage", "code"]);
        line("go.mod", &["module "])
            .or_else(|| line("Cargo.toml", &["repository"]))
            .or(of_package)
            .or_else(of_python)
            .or_else(|| most_named(&(look.read)("README.md")?))
            .map(|own| (own, dir))
    });
    place.as_ref().map(|(own, dir)| (own.as_str(), dir.as_str()))
}

/// The directory of a repository in which its package was that cargo packed.
pub(crate) fn place_of_cargo(look: &Look<'_>) -> Option<String> {
    let said: serde_json::Value = serde_json::from_str(&(look.read)(".cargo_vcs_info.json")?).ok()?;
    Some(said.get("path_in_vcs")?.as_str()?.trim_matches(['.', '/']).to_owned())
}

/// The path from the root that an address of this repository names (`https://host/owner/name/blob/main/docs/a.md`), of what is newest
/// there.
pub(crate) fn own_path(look: &Look<'_>, address: &str) -> Option<String> {
    /// Branches that are what a checkout mostly is of.
    const NEWEST: [&str; 5] = ["main", "master", "HEAD", "trunk", "develop"];
    let (own, dir) = place(look)?;
    let address = address.split(['#', '?']).next().unwrap_or(address);
    let mut parts = address.split_once("://")?.1.trim_end_matches('/').split('/');
    let host = parts.next()?;
    let (owner, name) = (parts.next()?, parts.next()?);
    let is_raw = host.starts_with("raw.");
    if format!("{owner}/{name}").to_lowercase() != own || named(address).is_none() && !is_raw {
        return None;
    }
    let mut parts = parts.skip_while(|part| *part == "-" || *part == "refs" || *part == "heads").peekable();
    if !is_raw {
        parts.next().filter(|kind| ["blob", "tree", "raw", "edit"].contains(kind))?;
    }
    parts.next().filter(|branch| NEWEST.contains(branch))?;
    let path = parts.collect::<Vec<_>>().join("/");
    let below = path.strip_prefix(dir)?;
    let is_below = dir.is_empty() || below.starts_with('/');
    (is_below && below.len() > 1).then(|| below.trim_start_matches('/').to_owned())
}

/// The repository to which a README leads most often, as its badges do.
fn most_named(readme: &str) -> Option<String> {
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for name in readme.split("://").skip(1).filter_map(named) {
        *count.entry(name).or_default() += 1;
    }
    let most = *count.values().max().filter(|times| **times > 1)?;
    let mut first = count.into_iter().filter(|(_, times)| *times == most);
    first.next().filter(|_| first.next().is_none()).map(|(name, _)| name)
}

/// The repository that an address names: `https://github.com/owner/name.git` has `owner/name`.
pub(crate) fn named(address: &str) -> Option<String> {
    const HOSTS: [&str; 3] = ["github.com", "gitlab.com", "codeberg.org"];
    let behind = HOSTS.iter().find_map(|host| address.split_once(host)).map(|(_, behind)| behind)?;
    let mut parts = behind.strip_prefix(['/', ':'])?.split('/');
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let part = |text: &str| text.split(|c| !is_of_name(c)).next().unwrap_or_default().to_lowercase();
    let (owner, name) = (part(parts.next()?), part(parts.next()?));
    // Pages of the host about an owner.
    if ["orgs", "sponsors", "users", "apps", "marketplace"].contains(&owner.as_str()) {
        return None;
    }
    let name = name.strip_suffix(".git").unwrap_or(&name);
    (!owner.is_empty() && !name.is_empty()).then(|| format!("{owner}/{name}"))
}

/// Whether a line says that it is about another repository of the same owner: "in the `kit/site` repository".
pub(crate) fn is_said_to_be_of_another(look: &Look<'_>, line: usize) -> bool {
    let text = look.document.line(line);
    let Some((owner, own)) = own(look).and_then(|own| own.split_once('/')) else { return false };
    let parts: Vec<&str> = text.split('`').collect();
    let mut spans = parts.iter().skip(1).step_by(2).zip(parts.iter().skip(2).step_by(2));
    spans.any(|(span, behind)| {
        let named = span.to_lowercase();
        let other = named.split_once('/').filter(|(of, name)| *of == owner && *name != own);
        other.is_some() && behind.trim_start().starts_with("repo")
    })
}

/// Whether a line stands below a heading that names another repository, to which the document has a link.
pub(crate) fn is_of_another(look: &Look<'_>, line: usize) -> bool {
    let Some(own) = own(look) else { return false };
    let names = look.asides.others.get_or_init(|| {
        let others = look.document.links.iter().filter_map(|link| named(&link.text));
        let others = others.filter(|other| other != own);
        let names = others.filter_map(|other| other.split_once('/').map(|(_, name)| name.to_owned()));
        let is_other = |name: &String| own.split('/').all(|own| own != name);
        // A repository that was taken into this one has a directory of its name here.
        let is_here = |name: &str| look.tree.ends(name).any(|path| look.tree.is_directory(path));
        names.filter(|name| name.len() >= NAME_CHARS_MIN && is_other(name) && !is_here(name)).collect()
    });
    let is_named = |heading: &str| {
        let heading = heading.to_lowercase();
        let words = heading.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.')));
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        // "Running the site using Hugo" is about this site.
        let is_used =
            |before: Option<&&str>| before.is_some_and(|word| ["using", "with", "via"].contains(word));
        let named = words.iter().enumerate().filter(|(_, word)| names.contains(**word));
        named.into_iter().any(|(at, _)| !is_used(words[..at].last()))
    };
    !names.is_empty() && look.document.headings_above(line).into_iter().any(is_named)
}
