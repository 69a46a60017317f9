//! What `find` and `fd` do to the files that they find.

use super::super::searches::Names;
use super::super::{CopiedTree, How, WrittenPath, searches};
use super::Run;
use super::known_programs::base_name;
use super::limits::{DEPTH_MAX, FIND_COMMANDS_MAX};
use std::path::{Path, PathBuf};

impl Run<'_> {
    pub(super) fn find(&mut self, args: &[String]) {
        let found = searches::found(args);
        let runs = |arg: &str| matches!(arg, "-exec" | "-execdir" | "-ok" | "-okdir");
        let commands = args.iter().enumerate().filter(|(_, arg)| runs(arg));
        let commands: Vec<usize> = commands.take(FIND_COMMANDS_MAX).map(|(at, _)| at + 1).collect();
        let changed: Vec<(String, How)> =
            commands.into_iter().flat_map(|at| self.run_by_find(&args[at..], &found)).collect();
        // Directories are deleted where nothing is in them.
        let of_directories = args.windows(2).any(|pair| pair[0] == "-type" && pair[1] == "d");
        let is_deleted =
            args.iter().any(|arg| arg == "-delete") && (!of_directories || searches::has_or(args));
        self.write_found(&found, &changed, is_deleted);
    }

    /// `fd PATTERN DIR -x COMMAND`.
    pub(super) fn fd(&mut self, args: &[String]) {
        let Some(at) = args.iter().position(|arg| searches::is_exec_of_fd(arg)) else { return };
        let found = searches::found_by_fd(&args[..at]);
        let mut run: Vec<String> = args[at + 1..].iter().take_while(|word| *word != ";").cloned().collect();
        // Any of its words may stand for the file: `{}`, `{/}`.
        run.iter_mut().filter(|word| word.starts_with('{')).for_each(|word| *word = "{}".to_owned());
        if !run.iter().any(|word| word == "{}") {
            run.push("{}".to_owned());
        }
        let changed = self.run_by_find(&run, &found);
        self.write_found(&found, &changed, false);
    }

    /// Notes the files that a search found as changed; of a directory that it found, what is changed in it.
    pub(super) fn write_found(&mut self, found: &Names, changed: &[(String, How)], is_deleted: bool) {
        let itself = || changed.iter().filter(|(inside, _)| inside.is_empty()).map(|(_, how)| *how);
        for word in &found.words {
            if is_deleted || itself().any(|how| how != How::Gone) {
                self.write_chosen(word, How::Here, &found.chosen);
            }
            if itself().any(|how| how == How::Gone) {
                self.write_chosen(word, How::Gone, &found.chosen);
            }
            for (inside, _) in changed.iter().filter(|(inside, _)| !inside.is_empty()) {
                self.write_chosen(&format!("{word}/{inside}"), How::Here, &found.chosen);
            }
        }
    }

    /// Looks at a command that `find` runs. Returns what it changes of the files that were found: nothing behind their path, or a path
    /// inside of one, and whether it is removed. Other files it changes are noted.
    pub(super) fn run_by_find(&mut self, run: &[String], names: &Names) -> Vec<(String, How)> {
        const FOUND: &str = "/found-by-find";
        let name = match names.words.as_slice() {
            [word] => base_name(word),
            _ => "*",
        };
        let found = format!("{FOUND}/{name}");
        let words = run.iter().take_while(|word| !matches!(word.as_str(), ";" | "+" | "\\;"));
        let words: Vec<String> = words.map(|word| word.replace("{}", &found)).collect();
        // A command of `find` may be `find` again, which looks at the same words once more.
        if self.depth >= DEPTH_MAX || !self.goes_on(words.iter().map(String::len).sum()) {
            self.is_longer = true;
            return vec![(String::new(), How::Here)];
        }
        let mut probe = Run {
            home: self.home.clone(),
            cwd: self.cwd.clone(),
            depth: self.depth + 1,
            calls: self.calls,
            steps: self.steps,
            bytes: self.bytes,
            texts_read: self.texts_read,
            ..Run::with(self.files)
        };
        // The files that it finds are those that a command of it may run.
        for word in &names.words {
            probe.remember_copy(PathBuf::from(&found), self.path(word));
        }
        probe.texts.clone_from(&self.texts);
        probe.simple(words, &[]);
        self.found.simple.append(&mut probe.found.simple);
        (self.calls, self.steps, self.bytes) = (probe.calls, probe.steps, probe.bytes);
        self.texts_read = probe.texts_read;
        self.is_longer |= probe.is_longer;
        let (changed, others): (Vec<_>, Vec<_>) =
            probe.found.written.into_iter().partition(|written| written.path.starts_with(FOUND));
        self.found.written.extend(others);
        // What is copied for each file that is found: `find docs -name '*.md' -exec cp {} . \\;`.
        for tree in probe.found.trees.iter().filter(|tree| tree.from.starts_with(FOUND)) {
            let dirs = names.words.iter().filter_map(|word| Some(word.rsplit_once("/**/")?.0));
            let from: Vec<PathBuf> = dirs.map(|dir| self.path(dir)).collect();
            self.found.trees.extend(from.into_iter().map(|from| CopiedTree { from, ..tree.clone() }));
        }
        let inside = |written: WrittenPath| {
            let rest = written.path.strip_prefix(&found).map(|rest| rest.display().to_string());
            (rest.unwrap_or_default(), written.how)
        };
        changed.into_iter().map(inside).collect()
    }
}

/// The files that a pattern means: `docs/*.sh`, `./**/*.sh`.
pub(super) fn files_of(pattern: &Path) -> WrittenPath {
    let text = pattern.to_string_lossy();
    match text.split_once("/**/") {
        Some((dir, name)) => WrittenPath::of(Path::new(dir).join(base_name(name)), How::Below),
        None => WrittenPath::of(pattern.to_owned(), How::Here),
    }
}
