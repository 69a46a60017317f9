//! What commands of git and `patch` change and run.

use super::super::{How, copies, git};
use super::Run;
use super::known_programs::{SHOWING, base_name, is_input};
use super::limits::{DEPTH_MAX, PATCHED_MAX, SEARCHES_MAX, TEXTS_MAX};

impl Run<'_> {
    pub(super) fn git(&mut self, args: &[String], bodies: &[String]) {
        let command = git::command(args);
        let outside = self.git_settings.len();
        self.git_settings.extend(command.settings.iter().cloned());
        self.git_settings.truncate(SEARCHES_MAX);
        self.commands_of_settings(&command.settings);
        if !self.git_alias(&command, bodies) {
            self.git_command(command, bodies);
        }
        self.git_settings.truncate(outside);
        let kept = git::configured(&git::command(args)).filter(|_| outside < SEARCHES_MAX);
        self.commands_of_settings(kept.as_slice());
        self.git_settings.extend(kept);
    }

    /// The editors, pagers and the like that settings name.
    fn commands_of_settings(&mut self, settings: &[(String, String)]) {
        for (name, value) in settings {
            if name == "core.hookspath" {
                let hooks = self.scripts(&format!("{value}/*"));
                hooks.iter().for_each(|text| drop(self.apart(text)));
            } else if git::is_command(name) {
                drop(self.apart(value));
            }
        }
    }

    /// A verb that a setting of the line says the meaning of: `git -c alias.u='reset --hard' u`.
    fn git_alias(&mut self, command: &git::GitCommand<'_>, bodies: &[String]) -> bool {
        let name = format!("alias.{}", command.verb.to_ascii_lowercase());
        let meant = self.git_settings.iter().rev().find(|(known, _)| *known == name);
        let Some(meant) = meant.map(|(_, value)| value.clone()).filter(|_| self.depth < DEPTH_MAX) else {
            return false;
        };
        self.depth += 1;
        if let Some(text) = meant.strip_prefix('!') {
            drop(self.apart(&format!("{text} {}", command.args.join(" "))));
        } else {
            let words = meant.split_whitespace().map(str::to_owned);
            let words: Vec<String> = words.chain(command.args.iter().cloned()).collect();
            self.git(&words, bodies);
        }
        self.depth -= 1;
        true
    }

    fn git_command(&mut self, command: git::GitCommand<'_>, bodies: &[String]) {
        let before = self.cwd.clone();
        if let Some(dir) = command.dir {
            self.cwd = self.path(dir);
        }
        let paths = git::list_of_paths(&command).map(|file| self.paths_listed(file, bodies));
        let args = paths.map_or_else(|| command.args.to_vec(), |paths| git::with_paths(command.args, paths));
        let command = git::GitCommand { args: &args, ..command };
        for change in git::changes(&command) {
            self.write_chosen(&change.word, change.how, &change.chosen);
        }
        self.clean_unindexed(&command);
        self.write_all(&git::outputs(&command), How::Here);
        for file in git::patches(&command).into_iter().flatten() {
            self.apply_patch_file(&file, 1);
        }
        if git::patches(&command).is_some() {
            bodies.iter().for_each(|body| self.apply_patch(body, 1));
            self.apply_printed_patch();
        }
        for words in git::runs(&command) {
            match words.as_slice() {
                [text] => self.text(text),
                words => self.simple(words.to_vec(), bodies),
            }
        }
        self.cwd = before;
    }

    /// `git rm --cached FILE && git clean -f`: git is asked what it knows before the line runs.
    fn clean_unindexed(&mut self, command: &git::GitCommand<'_>) {
        let room = SEARCHES_MAX.saturating_sub(self.unindexed.len());
        let out = git::unindexed(command).into_iter().take(room).map(|change| (self.cwd.clone(), change));
        self.unindexed.extend(out.collect::<Vec<_>>());
        let unindexed: Vec<git::GitChange> = self
            .unindexed
            .iter()
            .map(|(dir, change)| {
                let word = dir.join(&change.word).to_string_lossy().into_owned();
                git::GitChange { word, ..change.clone() }
            })
            .collect();
        for change in git::cleaned_too(command, &unindexed) {
            self.write_chosen(&change.word, change.how, &change.chosen);
        }
    }

    /// The paths that stand in a file, or in what a command reads; any where that is not known.
    fn paths_listed(&mut self, file: &str, bodies: &[String]) -> Vec<String> {
        let texts: Vec<String> = match is_input(file) {
            // Of a file that it reads by `<` a body is the name.
            true => {
                let of_files: Vec<String> = bodies.iter().filter_map(|body| self.patch_text(body)).collect();
                bodies.iter().cloned().chain(of_files).collect()
            }
            false => self.patch_text(file).into_iter().collect(),
        };
        let lines = texts.iter().flat_map(|text| text.split(['\n', '\0'])).map(|line| line.trim_matches('"'));
        let lines: Vec<String> =
            lines.filter(|line| !line.is_empty()).take(PATCHED_MAX).map(str::to_owned).collect();
        if lines.is_empty() { vec![".".to_owned()] } else { lines }
    }

    /// `git diff REVISION -- FILE | git apply -R`, `diff -u FILE - | patch`, also with a filter between.
    fn apply_printed_patch(&mut self) {
        let passes = |words: &&Vec<String>| SHOWING.contains(&base_name(&words[0]));
        let mut before = self.found.commands.iter().rev().skip(1).skip_while(passes).filter(|_| self.piped);
        let changes = before.next().map(|words| git::patched(words)).unwrap_or_default();
        for change in changes {
            self.write_chosen(&change.word, change.how, &change.chosen);
        }
    }

    /// `patch -d DIR -pN -i FILE`, `patch < FILE`.
    pub(super) fn patch(&mut self, args: &[String], bodies: &[String]) {
        let said = copies::PATCH.all(args);
        if said.has(&["--dry-run", "-C"]) {
            return;
        }
        if said.files.is_empty() {
            self.apply_printed_patch();
        }
        let before = self.cwd.clone();
        if let Some(dir) = said.value(&["-d", "--directory"]) {
            self.cwd = self.path(dir);
        }
        self.write_all(&said.files, How::Here);
        self.write_all(&said.values(&["-o", "--output"]), How::Here);
        let stripped = said.value(&["-p", "--strip"]).and_then(|count| count.parse().ok()).unwrap_or(1);
        let (texts, files): (Vec<&String>, Vec<&String>) =
            bodies.iter().partition(|body| body.contains('\n'));
        for text in texts {
            self.apply_patch(text, stripped);
        }
        let inputs = said.values(&["-i", "--input"]);
        // The patch is read in the directory the command is started in.
        let dir = std::mem::replace(&mut self.cwd, before);
        let files = files.into_iter().chain(&inputs).chain(said.files.get(1)).cloned().collect::<Vec<_>>();
        let texts: Vec<String> = files.iter().filter_map(|file| self.patch_text(file)).collect();
        let before = std::mem::replace(&mut self.cwd, dir);
        texts.iter().for_each(|text| self.apply_patch(text, stripped));
        self.cwd = before;
    }

    fn apply_patch_file(&mut self, file: &str, stripped: usize) {
        if let Some(text) = self.patch_text(file) {
            self.apply_patch(&text, stripped);
        }
    }

    fn patch_text(&mut self, file: &str) -> Option<String> {
        let path = self.path(file);
        let printed = self.printed.iter().rev().find(|(written, _)| *written == path);
        for change in printed.map(|(_, words)| git::patched(words)).unwrap_or_default() {
            self.write_chosen(&change.word, change.how, &change.chosen);
        }
        self.written_text(&path).or_else(|| {
            self.texts_read += 1;
            (self.texts_read <= TEXTS_MAX).then(|| self.files.patch(&path)).flatten()
        })
    }

    /// Notes the files that a patch changes; `stripped` directories are taken off the beginning of their paths.
    fn apply_patch(&mut self, text: &str, stripped: usize) {
        if !self.goes_on(text.len()) {
            return;
        }
        for path in crate::patch::paths(text).iter().take(PATCHED_MAX) {
            self.write(path, How::Here);
            let rest = path.splitn(stripped + 1, '/').nth(stripped);
            rest.into_iter().for_each(|rest| self.write(rest, How::Here));
        }
    }
}
