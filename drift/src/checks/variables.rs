//! Environment variables: `MYAPP_LOG_LEVEL`. Reported only if the code has others that begin alike (`MYAPP_`), a *family*.

use super::has_one_of;
use crate::document::Mention;
use crate::evidence::{ending, is_misspelt};
use crate::tree::name_of;
use crate::{DriftCheck, DriftFinding, Look};
use std::collections::{BTreeMap, BTreeSet};

/// The most code that is searched, in bytes; in a larger tree nothing is reported.
const BYTES_MAX: usize = 24 << 20;
/// Endings of files that are not code.
const TEXTS: [&str; 18] = [
    "md", "rst", "txt", "lock", "svg", "png", "jpg", "gif", "pdf", "ico", "woff", "woff2", "map", "html",
    "1", "adoc", "po", "pot",
];

/// Families that belong to other programs. That the code reads one variable of such a family says nothing about the others.
const FOREIGN: [&str; 30] = [
    "CMAKE_", "RUSTC_", "RUSTDOC_", "NODE_", "NPM_", "PYTHON_", "PIP_", "RUST_", "CARGO_", "GIT_", "GITHUB_",
    "GITLAB_", "CI_", "AWS_", "AZURE_", "GOOGLE_", "DOCKER_", "HTTP_", "HTTPS_", "NO_", "LC_", "XDG_",
    "SSH_", "SSL_", "JAVA_", "PG_", "UV_", "OTEL_", "ASDF_", "RELEASE_",
];

/// How code reads a variable: what stands before its name, but for quotes, brackets and blanks.
const READING: [&str; 19] = [
    "environ",
    "environ.get",
    "environ.pop",
    "getenv",
    "getEnv",
    "Getenv",
    "GetEnv",
    "LookupEnv",
    "var",
    "var_os",
    "env",
    "ENV",
    "ENV.fetch",
    "env.get",
    "envvar",
    "env_var",
    "get_env",
    "fetch_env",
    "GetEnvironmentVariable",
];
/// What stands before the text that names are compared with.
const COMPARING: [&str; 14] = [
    "starts_with",
    "startswith",
    "startsWith",
    "start_with",
    "start_with?",
    "HasPrefix",
    "hasPrefix",
    "has_prefix",
    "strip_prefix",
    "removeprefix",
    "TrimPrefix",
    "CutPrefix",
    "indexOf",
    "grep",
];
/// Endings of files of shells, which read a variable by its name alone.
const SHELL: [&str; 5] = ["sh", "bash", "zsh", "fish", "ps1"];
/// How a library is told what stands before the name of every option.
const PREFIXING: [&str; 5] = ["SetEnvPrefix", "env_prefix", "envPrefix", "EnvPrefix", "auto_envvar_prefix"];
/// Directories of other projects' code.
const OTHERS: [&str; 2] = ["vendor", "third_party"];
/// Directories of tests: a name that a test puts together is no variable of the program.
const TESTS: [&str; 5] = ["test", "tests", "spec", "__tests__", "e2e"];
/// Where nothing else says that a name is a variable, the code must read at least this many of its family.
const FAMILY_MIN: usize = 2;

/// A document that names at least this many which are written whole, and one that is not, does not speak of what is put together.
const KNOWN_MIN: usize = 3;

/// What the code says of names in capitals.
#[derive(Debug, Clone, Default)]
pub(crate) struct CodeVariables {
    /// Every one that is written somewhere.
    known: BTreeSet<String>,
    /// Those that are read as variables of the environment.
    read: BTreeSet<String>,
    /// Those that are read by the name of a constant, and those that are written as a text.
    read_by_name: BTreeSet<String>,
    quoted: BTreeSet<String>,
    /// Families that may be those of packages that this repository uses.
    of_others: BTreeSet<String>,
    /// Families that are called like this repository or a directory of its code.
    own: BTreeSet<String>,
    /// Its own families of which parts that are not here may have some.
    of_parts: BTreeSet<String>,
    /// Names with dashes, as variables are spelt.
    options: BTreeSet<String>,
    /// A library puts a prefix before the names of options.
    makes_names_of_options: bool,
}

pub(crate) fn find(look: &Look<'_>) -> Vec<DriftFinding> {
    let (document, named) = (look.document, named(look));
    if named.is_empty() || !look.tree.is_complete() {
        return Vec::new();
    }
    let code = look.tree.variables.get_or_init(|| CodeVariables::of(look));
    let Some(code) = code else { return Vec::new() };
    let said_names: BTreeSet<String> = named.iter().map(|(mention, _)| mention.text.clone()).collect();
    let is_said = |(mention, is_set): &&(Mention, bool)| *is_set || speaks_of_environment(look, mention.line);
    // A document that says once that a name is a variable means that everywhere.
    let said: BTreeSet<String> =
        named.iter().filter(is_said).map(|(mention, _)| mention.text.clone()).collect();
    // Several names that are not here are those of a part which is not.
    let names = |family: &str, is_known: bool| {
        let of = said_names.iter().filter(|name| name.starts_with(family));
        of.filter(|name| code.known.contains(*name) == is_known).count()
    };
    // Names that the document has and that are written whole, but for this one.
    let is_one_of_known = |name: &str| {
        let family = name.split_once('_').map_or(name.to_owned(), |(family, _)| format!("{family}_"));
        names(&family, true) >= KNOWN_MIN && names(&family, false) == 1
    };
    let is_of_a_part = |mention: &Mention| {
        let families = code.of_parts.iter().filter(|family| mention.text.starts_with(family.as_str()));
        let is_renamed = || code.read.iter().any(|known| is_misspelt(known, &mention.text));
        let mut few = families.map(|family| names(family, false) > 1 || names(family, true) < FAMILY_MIN);
        few.any(|is_few| is_few) && !is_renamed()
    };
    let gone = named.into_iter().map(|(mention, _)| mention).filter(|mention| {
        !code.known.contains(&mention.text) && !says_that_it_is_gone(document.line(mention.line))
    });
    let found = gone.filter_map(|mention| {
        let (name, is_said) = (mention.text.as_str(), said.contains(&mention.text));
        // Tests are often not packed.
        let is_of_tests = || name.split('_').any(|word| word == "TEST" || word == "TESTS");
        if is_of_tests() && look.is_packed() && !look.tree.files().any(is_of_test) {
            return None;
        }
        let relatives =
            code.relatives(name, is_said, is_one_of_known(name)).filter(|_| !is_of_a_part(&mention));
        let relatives = relatives.or_else(|| code.was_read(look, name).then(Vec::new))?;
        let is_near =
            |known: &&&String| !known.ends_with('_') && crate::evidence::is_near(known, &mention.text);
        let mut near = relatives.iter().filter(is_near);
        let now = near.next().filter(|_| near.next().is_none()).map(|known| (**known).clone());
        let why = "no file of the code has that variable, and others of its family it has";
        let why = if relatives.is_empty() { "no file of the code has that variable any more" } else { why }
            .to_owned();
        Some(DriftFinding { line: mention.line, check: DriftCheck::Variable, says: mention.text, why, now })
    });
    found.collect()
}

/// The names of variables in a document, each with whether it is set there.
fn named(look: &Look<'_>) -> Vec<(Mention, bool)> {
    let of_span =
        |span: &Mention| Some((Mention { text: variable(&span.text)?.to_owned(), line: span.line }, false));
    // What a document sets for its own commands (`V=1`, then `$V`) and never names by itself is no variable of the code.
    let by_itself: BTreeSet<&str> =
        look.document.spans.iter().filter_map(|span| variable(&span.text)).collect();
    let in_commands: BTreeSet<&str> =
        look.document.shell.iter().flat_map(|line| after_dollars(&line.text)).collect();
    let is_local = |name: &String| in_commands.contains(name.as_str()) && !by_itself.contains(name.as_str());
    // `$KIT_LOG` in a command is not set there.
    let used = |line: &Mention| {
        let names = after_dollars(&line.text).filter_map(variable);
        let names = names.filter(|name| !is_local(&(*name).to_owned()));
        names.map(|name| (Mention { text: name.to_owned(), line: line.line }, false)).collect::<Vec<_>>()
    };
    let set = |line: &Mention| {
        let names = assigned(&line.text).into_iter().filter(|name| !is_local(name));
        names.map(|text| (Mention { text, line: line.line }, true)).collect::<Vec<_>>()
    };
    let told = |line: &Mention| {
        let names = told(&line.text).into_iter().filter(|name| !is_local(name));
        names.map(|text| (Mention { text, line: line.line }, false)).collect::<Vec<_>>()
    };
    let document = look.document;
    let exports = document.bare.iter().filter(|line| line.text.starts_with("export "));
    document
        .spans
        .iter()
        .filter_map(of_span)
        .chain(document.shell.iter().chain(exports).chain(&document.spans).flat_map(set))
        .chain(document.shell.iter().chain(&document.spans).flat_map(used))
        .chain(document.shell.iter().flat_map(told))
        .collect()
}

fn is_of_test(path: &str) -> bool {
    path.split('/').any(|part| TESTS.contains(&part))
}

impl CodeVariables {
    /// `None` where there is too much code.
    fn of(look: &Look<'_>) -> Option<CodeVariables> {
        let mut code = CodeVariables::default();
        let mut bytes = 0;
        // Other projects' code is none of this one's, and much.
        let is_other = |path: &str| path.split('/').any(|dir| OTHERS.contains(&dir));
        let is_code =
            |path: &&str| !TEXTS.contains(&ending(path)) && !look.tree.is_made(path) && !is_other(path);
        // What version control ignores may be packed all the same, as far as it can be read.
        let (other, own): (Vec<&str>, Vec<&str>) =
            look.tree.files().filter(is_code).partition(|path| look.tree.is_ignored(path));
        for path in own.into_iter().chain(other) {
            let Some(text) = (look.read)(path) else { continue };
            bytes += text.len();
            if bytes > BYTES_MAX && look.tree.is_ignored(path) {
                break;
            }
            if bytes > BYTES_MAX {
                return None;
            }
            code.add(&text, is_of_test(path), SHELL.contains(&ending(path)));
        }
        let constants = code.read_by_name.intersection(&code.quoted).cloned();
        code.read.extend(constants);
        (code.of_others, code.of_parts) = families_of_dependencies(look);
        code.own = own_families(look);
        // Few repositories have such a library: for the others nothing is read twice.
        if code.makes_names_of_options {
            let texts = look.tree.files().filter(is_code).filter_map(|path| (look.read)(path));
            texts.for_each(|text| code.add_options(&text));
        }
        Some(code)
    }

    fn add_options(&mut self, text: &str) {
        let words = text.split(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'));
        let options = words.filter(|word| word.contains('-') && word.len() > 2);
        self.options.extend(options.map(|word| word.trim_matches('-').to_uppercase().replace('-', "_")));
    }

    fn add(&mut self, text: &str, is_test: bool, is_shell: bool) {
        if PREFIXING.iter().any(|prefixing| text.contains(prefixing)) {
            self.makes_names_of_options = true;
        }
        if !is_test {
            self.known.extend(prefixes(text));
        }
        // What a script sets for itself is none of the environment.
        let own: BTreeSet<&str> =
            if is_shell { text.lines().filter_map(set_by_script).collect() } else { BTreeSet::new() };
        let is_of_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let mut begin = 0;
        for separated in text.split_inclusive(|c: char| !is_of_name(c)) {
            let at = begin;
            begin += separated.len();
            let word = separated.trim_end_matches(|c: char| !is_of_name(c));
            if word.len() <= 2 || !word.contains('_') {
                continue;
            }
            let behind = text[at + word.len()..].chars().next();
            let before = text[..at].trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
            let is_used = || {
                is_shell && (text[..at].ends_with('$') || text[..at].ends_with("${")) && !own.contains(word)
            };
            if READING.iter().any(|reading| before.ends_with(reading)) || is_used() {
                // `var_os(KIT_ENV)`: the name of a constant, which may be what the variable is called as well.
                let read = if text[..at].ends_with('(') { &mut self.read_by_name } else { &mut self.read };
                read.insert(word.to_owned());
            }
            if text[..at].ends_with(['"', '\'', '`']) {
                self.quoted.insert(word.to_owned());
            }
            // `KIT_{name}` makes names; `KIT_*` in a comment, or a look at how a name begins, makes none.
            let makes_names = !is_test
                && behind.is_some_and(|c| matches!(c, '{' | '$' | '%' | '"' | '\'' | '`' | '#'))
                && !COMPARING.iter().any(|comparing| before.ends_with(comparing))
                && !compares(&text[..at]);
            if !word.ends_with('_') || makes_names {
                self.known.insert(word.to_owned());
            }
        }
    }

    fn family(&self, family: &str) -> Vec<&String> {
        self.known.range(family.to_owned()..).take_while(|known| known.starts_with(family)).collect()
    }

    /// Whether the code puts the name together from parts (`MYAPP_` and a word), so that a search for the whole name proves nothing.
    fn is_composed(&self, name: &str) -> bool {
        let family = name.split_once('_').map_or(name, |(family, _)| family);
        self.family(family).iter().any(|known| known.ends_with('_') && name.starts_with(known.as_str()))
    }

    /// Whether a library makes the name of an option.
    fn is_option(&self, name: &str) -> bool {
        self.makes_names_of_options
            && name.split_once('_').is_some_and(|(_, option)| self.options.contains(option))
    }

    /// Whether the code once read a variable by its whole name, when the document named it already. That it puts other names together from
    /// parts says nothing then: it did not read this one so.
    fn was_read(&self, look: &Look<'_>, name: &str) -> bool {
        let family = name.split_once('_').map_or(name, |(family, _)| family);
        let is_foreign = FOREIGN.iter().any(|foreign| foreign.strip_suffix('_') == Some(family));
        if look.past.is_none() || is_foreign || self.is_option(name) {
            return false;
        }
        let earlier = look.tree.earlier_variables.get_or_init(|| earlier_variables(look, self));
        earlier.get(name).is_some_and(|ages| ages.iter().any(|age| look.said(name, *age)))
    }

    /// What is of the family of a name that the code does not have; `None` where nothing can be said of it. `is_said`: whether the
    /// document says that it is a variable of the environment; `is_one`: whether it is the only one that the code does not have whole.
    fn relatives(&self, name: &str, is_said: bool, is_one: bool) -> Option<Vec<&String>> {
        let family = name.split_once('_').map(|(family, _)| format!("{family}_"))?;
        if FOREIGN.contains(&family.as_str()) {
            return None;
        }
        let of = |names: &'_ BTreeSet<String>| {
            names.range(family.clone()..).take_while(|n| n.starts_with(&family)).count()
        };
        let read = of(&self.read);
        let relatives: Vec<&String> = self.family(&family);
        let is_composed = self.is_composed(name);
        // The code has a name that differs from it in one letter.
        let is_spelt_wrong = || {
            let letters = |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
            let is_one =
                |known: &&&String| strsim::levenshtein(known, name) == 1 && letters(known) != letters(name);
            self.read.iter().any(|known| is_one(&&known))
        };
        // Of a family that may be another program's only a name much like one that is read can be told.
        let is_told = || {
            let mut near = relatives.iter().filter(|known| crate::evidence::is_near(known, name));
            !self.of_others.contains(&family) || near.any(|known| self.read.contains(*known))
        };
        // One alone that is read and has nearly its name is what it is called now.
        let is_renamed = || {
            let mut near =
                relatives.iter().filter(|known| self.read.contains(**known) && is_misspelt(known, name));
            near.next().is_some() && near.next().is_none()
        };
        let is_near_read = || {
            let mut near = relatives.iter().filter(|known| crate::evidence::is_near(known, name));
            near.any(|known| self.read.contains(*known))
        };
        let is_family = read >= FAMILY_MIN
            || read > 0 && (is_said && (self.own.contains(&family) || is_near_read()) || is_renamed());
        let is_ours = is_family && !self.is_option(name) && is_told();
        (is_ours && (!is_composed || is_one || is_spelt_wrong())).then_some(relatives)
    }
}

/// The variables that earlier code read and that this one has nowhere, with the ages of that code.
fn earlier_variables(look: &Look<'_>, now: &CodeVariables) -> BTreeMap<String, BTreeSet<usize>> {
    let mut found: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    let Some(past) = look.past else { return found };
    let is_code = |path: &str| {
        !TEXTS.contains(&ending(path))
            && !look.tree.is_made(path)
            && !path.split('/').any(|dir| OTHERS.contains(&dir) || TESTS.contains(&dir))
    };
    for earlier in past.earlier(&is_code) {
        let mut code = CodeVariables::default();
        code.add(&earlier.text.unwrap_or_default(), false, SHELL.contains(&ending(&earlier.path)));
        let constants = code.read_by_name.intersection(&code.quoted);
        for name in code.read.iter().chain(constants).filter(|name| !now.known.contains(*name)) {
            found.entry(name.clone()).or_default().insert(earlier.age);
        }
    }
    found
}

/// The families that packages would have on which this repository depends, but for its own: `LEGO_` of `github.com/go-acme/lego/v4`;
/// and those of its own that they may have as well.
fn families_of_dependencies(look: &Look<'_>) -> (BTreeSet<String>, BTreeSet<String>) {
    let family = |name: &str| {
        let mut parts = name.split('/').filter(|part| !is_major_version(part));
        format!("{}_", parts.next_back().unwrap_or_default().to_uppercase().replace(['-', '.'], "_"))
    };
    let (mut used, mut own) = (BTreeSet::new(), BTreeSet::new());
    let is_near_the_root = |path: &&str| path.matches('/').count() <= 2 && !look.tree.is_ignored(path);
    for path in look.tree.files().filter(is_near_the_root) {
        let name = name_of(path);
        if !["go.mod", "Cargo.toml", "package.json"].contains(&name) {
            continue;
        }
        let Some(text) = (look.read)(path) else { continue };
        if name == "package.json" {
            let Ok(package) = serde_json::from_str::<serde_json::Value>(&text) else { continue };
            own.extend(package.get("name").and_then(|name| name.as_str()).map(family));
            let of = ["dependencies", "devDependencies", "peerDependencies"];
            let of = of.into_iter().filter_map(|key| package.get(key)?.as_object());
            used.extend(of.flat_map(|of| of.keys()).map(|name| family(name)));
            continue;
        }
        let mut table = "";
        for line in text.lines().map(str::trim) {
            let mut words = line.split_whitespace();
            let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            match (name, first) {
                ("go.mod", "module") => drop(own.insert(family(second))),
                ("go.mod", "require") => drop(used.insert(family(second))),
                ("go.mod", _) if second.starts_with('v') => drop(used.insert(family(first))),
                ("Cargo.toml", _) if line.starts_with('[') => {
                    table = line;
                    // `[build-dependencies.kit-build]`
                    let one = line.trim_matches(['[', ']']).split_once("dependencies.");
                    used.extend(one.map(|(_, name)| family(name)));
                }
                ("Cargo.toml", "name") => {
                    let name = line.split('"').nth(1).filter(|_| table == "[package]");
                    own.extend(name.map(family));
                }
                ("Cargo.toml", key) if table.ends_with("dependencies]") && !key.starts_with('#') => {
                    used.insert(family(key.split('.').next().unwrap_or(key)));
                }
                _ => {}
            }
        }
    }
    let of_python = ["pyproject.toml", "requirements.txt"].into_iter().filter_map(|file| (look.read)(file));
    for line in of_python.flat_map(|text| text.lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>())
    {
        // `jupyter_events>=1`: other parts of that have variables of `JUPYTER_`.
        let name = line.trim_start_matches(['"', '\'']);
        let end =
            name.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))).unwrap_or(name.len());
        if name[end..].starts_with(['>', '=', '<', '~', '"', '[', ';']) && end > 2 {
            used.insert(family(name[..end].split(['-', '_']).next().unwrap_or_default()));
        }
    }
    own.extend(own_families(look));
    let is_own = |family: &String| own.iter().any(|own| own.starts_with(family.as_str()));
    // `kit-build`, which `kit` uses and which is not here, has variables of `KIT_` as well.
    let short = |family: &String| format!("{}_", family.split('_').next().unwrap_or_default());
    let is_part = |used: &&String| own.contains(&short(used)) && !own.contains(*used);
    let parts =
        if look.is_packed() { used.iter().filter(is_part).map(short).collect() } else { BTreeSet::new() };
    (used.into_iter().filter(|family| family.len() > 1 && !is_own(family)).collect(), parts)
}

/// The families that are called like this repository or a directory of its code: `KIT_` where there is `src/kit/`.
fn own_families(look: &Look<'_>) -> BTreeSet<String> {
    let of_repository = crate::repository::place(look).into_iter().flat_map(|(own, _)| own.split('/'));
    let dirs =
        ["", "src", "cmd", "crates", "packages", "lib"].into_iter().flat_map(|dir| look.tree.children(dir));
    let names = of_repository.chain(dirs).map(|name| name.split('.').next().unwrap_or(name).to_uppercase());
    let first = |name: String| name.split(['-', '_']).next().unwrap_or_default().to_owned();
    names.map(|name| format!("{}_", first(name))).collect()
}

/// `v4` at the end of a module's path.
fn is_major_version(part: &str) -> bool {
    part.strip_prefix('v').is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit()))
}

/// What libraries and helpers of the code put before the names of all settings: `with_prefix("kit")`, `SetFlagsFromEnv(flags, "KIT")`.
fn prefixes(text: &str) -> BTreeSet<String> {
    const CALLS: [&str; 5] = ["with_prefix(", "Env::prefixed(", "envconfig.Process(", "FromEnv(", "ToEnv("];
    let of_call = |call: &str| {
        // That of directories is none of variables.
        let is_of_directories = |at: usize| text[..at].ends_with("BaseDirectories::");
        let calls = text.match_indices(call).filter(|(at, _)| !is_of_directories(*at));
        let behind = calls.map(|(at, call)| &text[at + call.len()..]);
        let quoted = behind.filter_map(|behind| behind.split(['\n', ')']).next()?.split('"').nth(1));
        quoted
            .filter(|name| is_word(name))
            .map(|name| format!("{}_", name.trim_end_matches('_').to_uppercase()))
            .collect::<Vec<_>>()
    };
    CALLS.into_iter().flat_map(of_call).collect()
}

/// Whether a text is one word of letters.
fn is_word(text: &str) -> bool {
    text.len() > 1 && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether the text asks what stands behind it how a name begins: `starts_with("`, `HasPrefix(name, "`.
fn compares(text: &str) -> bool {
    let line = text.rsplit('\n').next().unwrap_or_default();
    let (before, first) = line.rsplit_once('(').unwrap_or(("", line));
    let is_text = first.trim_end().ends_with(['"', '\'', '`']) && !first.contains([')', '+', '=']);
    is_text && COMPARING.iter().any(|comparing| before.ends_with(comparing))
}

/// The names that stand behind a `$` or `${`.
fn after_dollars(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split('$').skip(1).map(|behind| behind.trim_start_matches('{'));
    words.map(|word| {
        let end = word.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(word.len());
        &word[..end]
    })
}

/// The variable that a line of a script sets to what is not its own value: `KIT_DIR=/x`, unlike `KIT_DIR=${KIT_DIR:-/x}`.
fn set_by_script(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let bare = ["local ", "readonly "].iter().find_map(|word| line.strip_prefix(word)).unwrap_or(line);
    let (name, value) = bare.split_once('=')?;
    let is_name = name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    (is_name && !value.contains(name)).then_some(name)
}

/// What a line of shell sets: `export KIT_LOG=1`, `KIT_LOG=1 kit run`, `set -gx KIT_LOG 1` of fish.
fn assigned(line: &str) -> Vec<String> {
    let mut names: Vec<&str> = Vec::new();
    for command in line.split(['|', ';', '&', '(']) {
        let mut words = command.split_whitespace();
        // `docker run -e KIT_LOG`.
        let given = command.split(" -e ").chain(command.split(" --env ")).filter(|given| *given != command);
        names.extend(given.skip(1).filter_map(|given| given.split([' ', '=']).next()));
        if ["set -", "setx "].iter().any(|set| command.trim_start().starts_with(set)) {
            names.extend(words.find(|word| variable(word).is_some()));
            continue;
        }
        let words = words.skip_while(|word| matches!(*word, "export" | "set" | "env" | "sudo"));
        names.extend(words.map_while(|word| word.split_once('=').map(|(name, _)| name)));
    }
    names.into_iter().filter_map(|name| variable(name).map(str::to_owned)).collect()
}

/// What a command of another program is told to set: `host config:set KIT_LOG=1`, `host run "KIT_LOG=1 kit"`, `echo "KIT_LOG=1" > .env`. It may
/// be a variable of that program as well.
fn told(line: &str) -> Vec<String> {
    let words = line.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\''));
    let names = words.filter_map(|word| word.split_once('=')).map(|(name, _)| name);
    names.filter(|name| !name.starts_with('$')).filter_map(variable).map(str::to_owned).collect()
}

/// The variable's name in a text like `MYAPP_LOG`, `$MYAPP_LOG` or `MYAPP_LOG=debug`.
fn variable(span: &str) -> Option<&str> {
    let span = span.trim().trim_start_matches("process.env.");
    let name = span.trim_start_matches('$').trim_matches(['{', '}']).split('=').next()?;
    let letters = name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    (letters && name.contains('_') && name.len() > 4 && !name.ends_with('_') && !name.starts_with('_'))
        .then_some(name)
}

/// Whether the line itself says that what it names was removed.
fn says_that_it_is_gone(line: &str) -> bool {
    const WORDS: [&str; 9] = [
        "no longer",
        "removed",
        "remove ",
        "deprecat",
        "obsolete",
        "replaced",
        "renamed",
        "formerly",
        "used to be",
    ];
    has_one_of(line, &WORDS)
}

/// Whether the line, or the heading above it, says that it is about the environment.
fn speaks_of_environment(look: &Look<'_>, line: usize) -> bool {
    let says = |text: &str| has_one_of(text, &["environment", "env var", "export "]);
    let headings = look.document.headings_above(line);
    says(look.document.line(line))
        || headings.first().is_some_and(|heading| says(heading))
        || look.document.introduction(line).is_some_and(says)
}
