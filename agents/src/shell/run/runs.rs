//! What a runner of tests, tasks or packages starts: the files of its kind below, where the agent may have written them, read for what
//! they write for certain; and the recipes in its own file.

use super::super::recipes;
use super::super::runners::{self, Runner};
use super::known_programs::is_input;
use super::{Run, positional};
use std::path::{Path, PathBuf};

/// The most files of one line that are read for runners, and bytes of them.
const FOUND_MAX: usize = 24;
const FOUND_BYTES_MAX: usize = 256 << 10;
/// How many directories above the one it runs in have the file of a runner.
const ABOVE_MAX: usize = 8;
const PLACES_MAX: usize = 8;

impl Run<'_> {
    /// Looks at what a runner would start.
    pub(super) fn started_by_a_runner(&mut self, name: &str, args: &[String]) {
        let files = positional(args);
        match name {
            "just" => {
                self.recipes(&["justfile", "Justfile", ".justfile"], |text| recipes::of_just(text, &files))
            }
            "task" | "go-task" => {
                let given = args.iter().position(|arg| arg == "--").map_or(&[][..], |at| &args[at + 1..]);
                let goals = files[..files.len() - given.len()].to_vec();
                let names = ["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "Taskfile.dist.yml"];
                self.recipes(&names, |text| recipes::of_task(text, &goals, &given.join(" ")));
            }
            "tox" => self.recipes(&["tox.ini"], recipes::of_tox),
            "deno" if files.first().is_some_and(|verb| verb == "task") => {
                let names = files.get(1..2).unwrap_or_default().to_vec();
                self.recipes(&["deno.json", "deno.jsonc"], |text| tasks_of_deno(text, &names));
            }
            "go" if files.first().is_some_and(|verb| verb == "generate") => {
                let paths = self.found_below(std::slice::from_ref(&self.cwd), |_, file| {
                    file.extension().is_some_and(|one| one == "go")
                });
                for text in paths.iter().filter_map(|path| self.text_found(path)).collect::<Vec<_>>() {
                    let lines = text.lines().filter_map(|line| line.strip_prefix("//go:generate "));
                    lines.for_each(|line| drop(self.apart(line)));
                }
            }
            _ => {
                if let Some(runner) = runners::of(name, args) {
                    self.files_of(runner, name, &files);
                }
            }
        }
    }

    /// The recipes in the nearest file of one of these names.
    fn recipes(&mut self, names: &[&str], read: impl Fn(&str) -> Vec<String>) {
        let dirs: Vec<PathBuf> = self.cwd.ancestors().take(ABOVE_MAX).map(Path::to_owned).collect();
        let mut paths = dirs.iter().flat_map(|dir| names.iter().map(move |name| dir.join(name)));
        let Some(path) = paths.find(|path| self.is_there(&path.to_string_lossy(), &[""])) else { return };
        let texts = self.scripts(&path.to_string_lossy());
        let before = self.cwd.clone();
        self.cwd = path.parent().unwrap_or(&before).to_owned();
        let found: Vec<String> = texts.iter().flat_map(|text| read(text)).collect();
        for text in found {
            if self.goes_on(text.len()) {
                self.run_script(&text, &[]);
            }
        }
        self.cwd = before;
    }

    /// The files that a runner starts.
    fn files_of(&mut self, runner: &Runner, name: &str, files: &[String]) {
        let given: Vec<PathBuf> =
            runner.given(files).iter().filter_map(|word| self.place(word)).take(PLACES_MAX).collect();
        let (named, mut dirs): (Vec<PathBuf>, Vec<PathBuf>) =
            given.into_iter().partition(|path| runners::is_program(path));
        if dirs.is_empty() && named.is_empty() && !runner.only_given {
            dirs.push(self.cwd.clone());
        }
        let mut found: Vec<PathBuf> = named.clone();
        let above =
            dirs.iter().cloned().chain(named.iter().filter_map(|path| Some(path.parent()?.to_owned())));
        let above: Vec<PathBuf> =
            above.chain([self.cwd.clone()].into_iter().filter(|_| !runner.only_given)).collect();
        for here in runner.here {
            for path in above.iter().map(|dir| dir.join(here)) {
                match here.contains('*') {
                    true => found.extend(self.files.scripts(&super::finding::files_of(&path))),
                    false => found.push(path),
                }
            }
        }
        found.extend(self.found_below(&dirs, |dir, file| runner.starts(dir, file)));
        let mut seen: Vec<PathBuf> = Vec::new();
        found.retain(|path| {
            !seen.contains(path) && {
                seen.push(path.clone());
                true
            }
        });
        for path in found.into_iter().take(FOUND_MAX) {
            let Some(text) = self.text_found(&path) else { continue };
            let goals = files.iter().filter(|word| !word.contains('=')).cloned().collect::<Vec<_>>();
            let goals = if goals.is_empty() && name == "rake" { vec!["default".to_owned()] } else { goals };
            // `nox` alone runs all of them.
            let text = match runner.has_tasks && !(goals.is_empty() && name == "nox") {
                true => runners::without_other_tasks(&text, &goals),
                false => text,
            };
            self.found_program(&text, &path);
        }
    }

    /// The directory or file that a word of a call means; `None` where there is none.
    fn place(&self, word: &str) -> Option<PathBuf> {
        // `DIR[EXTRA]` of `pip`, `FILE::TEST` of `pytest`
        let word = if word.ends_with(']') { word.split('[').next().unwrap_or(word) } else { word };
        let word = word.split("::").next().unwrap_or(word).trim_end_matches("/...");
        // `tests.test_a` of `unittest`
        let as_module = format!("{}.py", word.replace('.', "/"));
        let names = [word.to_owned(), as_module];
        names.iter().map(|name| self.path(name)).find(|path| {
            !is_input(word)
                && !word.is_empty()
                && (self.written_text(path).is_some() || !self.files.is_missing(path))
        })
    }

    /// The files below directories that fit, those of the line first, then the newest.
    fn found_below(&self, dirs: &[PathBuf], fits: impl Fn(&Path, &Path) -> bool) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for dir in dirs {
            let dir = super::super::plain(dir);
            let of_the_line = self.texts.iter().map(|(path, _)| super::super::plain(path));
            found.extend(of_the_line.filter(|path| path.starts_with(&dir) && fits(&dir, path)));
            found.extend(self.files.below(&dir, &|path| fits(&dir, path)));
        }
        found
    }

    /// The text of a file that a runner finds, as long as there is room for more of them.
    fn text_found(&mut self, path: &Path) -> Option<String> {
        let text = self.scripts(&path.to_string_lossy()).into_iter().next()?;
        let bytes = self.found_bytes + text.len();
        if bytes > FOUND_BYTES_MAX {
            return None;
        }
        self.found_bytes = bytes;
        Some(text)
    }
}

/// The commands of tasks in a `deno.json`.
fn tasks_of_deno(text: &str, names: &[String]) -> Vec<String> {
    let Ok(config) = serde_json::from_str::<serde_json::Value>(text) else { return Vec::new() };
    let of = |name: &String| {
        let task = config.get("tasks")?.get(name)?;
        task.as_str().or_else(|| task.get("command")?.as_str()).map(str::to_owned)
    };
    names.iter().filter_map(of).collect()
}
