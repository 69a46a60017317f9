//! What `npm run` and its like start of a `package.json` that git does not have as it is: the scripts that a call names, and those that
//! run before and behind them.

use super::super::chosen::ByGit;
use super::super::options::Options;
use super::super::{WrittenPath, code};
use super::Run;
use super::limits::WORDS_MAX;
use std::path::{Path, PathBuf};

/// Programs that start such scripts.
pub(super) const RUNNERS: [&str; 7] = ["npm", "pnpm", "yarn", "bun", "run-s", "run-p", "npm-run-all"];
/// How many directories above the one it runs in have the file.
const ABOVE_MAX: usize = 8;
/// In place of the name of a script: a filter does not say it plainly.
const ANY: &str = "*";
const OPTIONS: Options = Options {
    letters: "CwF",
    long: &["prefix", "dir", "cwd", "workspace", "filter", "loglevel", "script-shell"],
};

impl Run<'_> {
    /// Looks into the scripts that a call starts.
    pub(super) fn package_scripts(&mut self, name: &str, args: &[String]) {
        let said = OPTIONS.all(args);
        self.remember_scripts(&said.files);
        let (started, given) = started(name, &said.files);
        if started.is_empty() {
            return;
        }
        let before = self.cwd.clone();
        if let Some(dir) = said.value(&["-C", "--prefix", "--dir", "--cwd", "-w", "--workspace"]) {
            self.cwd = self.path(dir);
        }
        let is_there = |path: &PathBuf| self.written_text(path).is_some() || !self.files.is_missing(path);
        let above = self.cwd.ancestors().take(ABOVE_MAX).map(|dir| dir.join("package.json"));
        let file = above.into_iter().find(is_there);
        let texts = file.as_ref().map(|file| self.scripts(&file.to_string_lossy())).unwrap_or_default();
        let is_of_the_line = file.as_ref().is_some_and(|file| self.written_text(file).is_some());
        if let Some(dir) = file.as_deref().and_then(Path::parent) {
            self.cwd = dir.to_owned();
        }
        for script in started.iter().take(WORDS_MAX) {
            for name in [format!("pre{script}"), script.clone(), format!("post{script}")] {
                let is_set =
                    |(known, _): &&(String, String)| *known == name || known == ANY && name == *script;
                let set = self.scripts_set.iter().rev().filter(is_set).map(|(_, text)| (text.clone(), true));
                let mut found: Vec<(String, bool)> = set.collect();
                if found.is_empty() {
                    found.extend(script_of(&texts, &name).map(|text| (text, is_of_the_line)));
                }
                for (text, counts_whole) in found {
                    let text = if name == *script { format!("{text} {given}") } else { text };
                    self.package_script(&text, counts_whole);
                }
            }
        }
        self.cwd = before;
    }

    /// One script. Of a file that was there before the line a person may have written this one: what reaches all files of the project,
    /// as a formatter does, is theirs.
    fn package_script(&mut self, text: &str, counts_whole: bool) {
        if !self.goes_on(text.len()) {
            return;
        }
        let (written, simple) = (self.found.written.len(), self.found.simple.len());
        self.apart(text);
        if counts_whole {
            return;
        }
        let dir = self.cwd.clone();
        let is_named = |one: &WrittenPath| {
            let is_many = one.how.is_below() || one.path.to_string_lossy().contains(['*', '?', '[']);
            !(is_many && one.chosen.git == ByGit::Any && one.path.starts_with(&dir))
        };
        let kept: Vec<WrittenPath> = self.found.written.drain(written..).filter(&is_named).collect();
        self.found.written.extend(kept);
        self.found.simple[simple..].iter_mut().for_each(|one| one.written.retain(&is_named));
    }

    /// `jq '.scripts.NAME = "TEXT"' package.json`: any script may get the texts of such a filter.
    pub(super) fn scripts_of_a_filter(&mut self, args: &[String]) {
        let filters =
            args.iter().filter(|arg| arg.contains("scripts")).flat_map(|filter| code::texts(filter));
        // `--arg NAME TEXT`
        let sets = args.iter().any(|arg| arg.contains("scripts"));
        let given = args.windows(3).filter(|words| sets && words[0] == "--arg").map(|words| words[2].clone());
        let filters = filters.chain(given);
        let room = WORDS_MAX.saturating_sub(self.scripts_set.len());
        let set = filters.filter(|text| text.contains(' ')).map(|text| (ANY.to_owned(), text));
        self.scripts_set.extend(set.take(room).collect::<Vec<_>>());
    }

    /// `npm pkg set scripts.NAME=TEXT`, `npm set-script NAME TEXT`
    fn remember_scripts(&mut self, files: &[String]) {
        let words: Vec<&str> = files.iter().map(String::as_str).take(WORDS_MAX).collect();
        let set: Vec<(String, String)> = match words.as_slice() {
            ["set-script", name, text, ..] => vec![((*name).to_owned(), (*text).to_owned())],
            ["pkg", "set", rest @ ..] | ["pm", "pkg", "set", rest @ ..] => {
                let named = rest.iter().filter_map(|word| word.strip_prefix("scripts.")?.split_once('='));
                named.map(|(name, text)| (name.to_owned(), text.trim_matches('"').to_owned())).collect()
            }
            _ => Vec::new(),
        };
        let room = WORDS_MAX.saturating_sub(self.scripts_set.len());
        self.scripts_set.extend(set.into_iter().take(room));
    }
}

fn script_of(texts: &[String], name: &str) -> Option<String> {
    texts.iter().find_map(|text| {
        let package: serde_json::Value = serde_json::from_str(text).ok()?;
        Some(package.get("scripts")?.get(name)?.as_str()?.to_owned())
    })
}

/// The scripts that a call starts, and the words that it gives them.
fn started(name: &str, files: &[String]) -> (Vec<String>, String) {
    let named = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let installed = || named(&["install", "prepublish", "prepare"]);
    if name.contains("run-") {
        return (files.to_vec(), String::new());
    }
    let Some((verb, rest)) = files.split_first() else {
        return (if name == "yarn" { installed() } else { Vec::new() }, String::new());
    };
    let found = match verb.as_str() {
        "run" | "run-script" | "rum" | "urn" => {
            let given = rest.get(1..).unwrap_or_default().join(" ");
            return (rest.first().cloned().into_iter().collect(), given);
        }
        "test" | "t" | "tst" if name != "bun" => named(&["test"]),
        "restart" => named(&["stop", "restart", "start"]),
        "start" | "stop" | "version" => named(&[verb]),
        "install" | "i" | "ci" | "clean-install" if rest.is_empty() => installed(),
        "install-test" | "it" | "install-ci-test" | "cit" => [installed(), named(&["test"])].concat(),
        "pack" | "publish" => named(&["pack", "prepare", "prepublishOnly", "publish"]),
        _ if name != "npm" && verb != "test" => vec![verb.clone()],
        _ => return (Vec::new(), String::new()),
    };
    (found, rest.join(" "))
}
