//! The text of a program in another language: which paths its literals make, and what it writes.

use super::super::chosen::Chosen;
use super::super::{How, WrittenPath, code, wrappers};
use super::Run;
use super::expansion::assignment;
use super::known_programs::{base_name, is_interpreter};
use super::limits::{DEPTH_MAX, DIRS_MAX, HOME_MAX, PARTS_MAX, TIMES_OF_A_WORD};
use std::path::PathBuf;

impl Run<'_> {
    /// `awk -v f=FILE '{print > f}'`, `awk '{print > FILENAME}' FILE`
    pub(super) fn awk(&mut self, args: &[String], files: &[String]) {
        if args.iter().any(|program| program.contains("> FILENAME")) {
            self.write_all(files, How::Here);
        }
        if args.iter().any(|program| program.contains('>')) {
            let values =
                args.windows(2).filter(|pair| pair[0] == "-v").filter_map(|pair| assignment(&pair[1]));
            let values: Vec<String> = values.map(|(_, value)| value.to_owned()).collect();
            self.write_all(&values, How::Here);
        }
    }

    /// Looks at the commands that may follow in the arguments of an unknown program.
    pub(super) fn carried(&mut self, name: &str, args: &[String], bodies: &[String]) {
        let runs_none = is_interpreter(name) && !matches!(name, "deno" | "bun");
        let carried = if runs_none { Vec::new() } else { wrappers::carried(name, args) };
        if self.depth >= DEPTH_MAX && !carried.is_empty() {
            return self.not_looked_at(&args.join(" "));
        }
        self.depth += 1;
        for words in carried {
            // Its words are looked at once more, also by those who ask what each of them names.
            if !self.goes_on(words.iter().map(|word| word.len() * TIMES_OF_A_WORD).sum()) {
                break;
            }
            match words.as_slice() {
                [text, ..] if text.contains(' ') => self.text(text),
                _ => self.simple(words, bodies),
            }
        }
        self.depth -= 1;
    }

    /// A program for an interpreter: the paths in it that it may write, and the command lines that it may run.
    pub(super) fn program(&mut self, program: &str) {
        let code::Program { paths: literals, trees, copied, endings, writes_found, lines } =
            code::read(program);
        if code::changes_trees(program) {
            self.trees(&trees);
        }
        for dir in code::unpacked(program) {
            self.write_chosen(&format!("{dir}/*"), How::Below, &Chosen::but(vec![".*".to_owned()]));
        }
        for dir in code::entered(program) {
            for name in literals.iter().filter(|name| !name.starts_with(['/', '~'])).take(PARTS_MAX) {
                self.write(&format!("{dir}/{name}"), How::Here);
            }
        }
        let of_home = code::speaks_of_home(program);
        let begun = self.joined(&literals, of_home);
        self.pairs(&[copied, literals.clone()].concat());
        let names = [literals, endings].concat();
        self.filled_in(&names, program, &begun, writes_found);
        lines.iter().for_each(|line| self.text(line));
    }

    /// The literals of a program as paths, and joined to one: those below the user's home, where the program speaks of that, and those
    /// below the last path that begins at the root. Gives those below the home, as they grow.
    pub(super) fn joined(&mut self, literals: &[String], of_home: bool) -> Vec<PathBuf> {
        let mut joined = [self.home.clone(), self.home.clone()];
        let mut begun: Vec<PathBuf> = Vec::new();
        let mut begins_at_root = false;
        for (at, literal) in literals.iter().enumerate() {
            self.write(literal, How::Here);
            // `f"{home}/.config/…"`, `${home}/.config/…`: the variable may be any directory, also the user's home.
            let gap = literal.split_once('}').filter(|(head, _)| head.contains('{'));
            if let Some((_, rest)) = gap.filter(|(_, rest)| rest.contains(char::is_alphanumeric)) {
                self.write(&format!("$unknown/{}", rest.trim_start_matches('/')), How::Here);
                self.write(&format!("~/{}", rest.trim_start_matches('/')), How::Here);
            }
            let plain = literal.trim_start_matches('/');
            // `Path.home() / ".config/…"`, `process.env.HOME + "/…"`.
            if of_home && (at < HOME_MAX || plain.contains('/')) {
                self.found.written.push(WrittenPath::of(self.home.join(plain), How::Here));
            }
            // `Path.home() / ".config" / "agents" / …`.
            if ["~", "HOME", "$HOME"].contains(&literal.as_str()) {
                joined = [self.home.clone(), self.home.clone()];
            } else if at < PARTS_MAX {
                begins_at_root |= literal.starts_with(['/', '~']);
                joined[0].push(plain);
                joined[1] =
                    if literal.starts_with(['/', '~']) { self.path(literal) } else { joined[1].join(plain) };
                let known = joined.iter().zip([of_home, of_home || begins_at_root]);
                let known = known.filter(|(_, is_meant)| *is_meant).map(|(path, _)| path.clone());
                self.found.written.extend(known.map(|path| WrittenPath::of(path, How::Here)));
                begun.extend((of_home && begun.len() < DIRS_MAX).then(|| joined[0].clone()));
            }
        }
        begun
    }

    /// Names that a program fills in, alone and in each directory that it names; `begun` are those that it puts together.
    pub(super) fn filled_in(
        &mut self,
        literals: &[String],
        program: &str,
        begun: &[PathBuf],
        writes_found: bool,
    ) {
        let named = literals.iter().filter(|literal| code::is_directory(literal)).take(DIRS_MAX);
        let below_home = |path: &str| self.home.join(path.trim_start_matches(['~', '/']));
        let dirs: Vec<PathBuf> =
            named.flat_map(|dir| [self.path(dir), below_home(dir)]).chain(begun.iter().cloned()).collect();
        for (at, name) in code::names_with_a_gap(literals, program, writes_found).iter().enumerate() {
            self.write(name, How::Here);
            let inside =
                dirs.iter().filter(|_| at < PARTS_MAX && !name.contains('/')).map(|dir| dir.join(name));
            let paths: Vec<PathBuf> =
                inside.chain([self.home.join(name.trim_start_matches(['~', '/']))]).collect();
            self.found.written.extend(paths.into_iter().map(|path| WrittenPath::of(path, How::Here)));
        }
        let dated = code::dated_endings(literals, program);
        let paths = dated.iter().flat_map(|name| dirs.iter().map(move |dir| dir.join(name)));
        let paths: Vec<WrittenPath> = paths.map(|path| WrittenPath::of(path, How::Here)).collect();
        self.found.written.extend(paths);
    }

    /// Paths that two literals of a program may be together: `os.chdir(dir); open(name, "w")`, `shutil.copy(file, dir)`,
    /// `dir + "/name"`, `Path("AGENTS").with_suffix(".md")`.
    pub(super) fn pairs(&mut self, literals: &[String]) {
        for (at, first) in literals.iter().enumerate().take(PARTS_MAX) {
            for second in literals.iter().skip(at + 1).take(PARTS_MAX) {
                if first.starts_with(['/', '~']) && !second.starts_with(['/', '~']) {
                    self.write(&format!("{first}/{second}"), How::Here);
                }
                // `"%s/USER.md" % dir`
                let behind = second.strip_prefix("%s").unwrap_or(second);
                if behind.starts_with(['/', '.']) && !matches!(behind, "." | "/") && !first.contains(' ') {
                    let below_home = first.strip_prefix('/').filter(|rest| rest.starts_with('.'));
                    self.write(&format!("{first}{behind}"), How::Here);
                    // `ENVIRON["HOME"] "/.config/agents"`
                    below_home
                        .into_iter()
                        .for_each(|rest| self.write(&format!("~/{rest}{behind}"), How::Here));
                }
                if second == "." || second.ends_with('/') || second.starts_with(['/', '~']) {
                    self.write(&format!("{second}/{}", base_name(first)), How::Here);
                }
            }
        }
    }

    /// The directories that a program may remove, move or copy over, with all that is in them: each literal that is a path, and the
    /// pieces that are joined to one.
    pub(super) fn trees(&mut self, literals: &[String]) {
        let mut joined: Option<PathBuf> = None;
        for literal in literals.iter().take(PARTS_MAX) {
            let rest = literal.split_once('}').filter(|(head, _)| head.contains('{')).map(|(_, rest)| rest);
            let rest = rest.filter(|rest| rest.contains(char::is_alphanumeric));
            let below_home = rest.unwrap_or(literal).trim_start_matches('/');
            let is_path = !literal.trim_matches(['.', '/', '~']).is_empty() && literal != "HOME";
            if is_path {
                self.write(literal, How::Gone);
            }
            if is_path && (literal.contains('/') || rest.is_some()) {
                self.found.written.push(WrittenPath::of(self.home.join(below_home), How::Gone));
            }
            // `Path.home() / ".config" / "agents"`: nearly all that is hidden is directly below the home.
            let begins = literal.starts_with('.') && is_path && !literal.contains('/');
            if begins || !is_path || literal.contains('/') {
                self.gone(joined.take());
            }
            if begins {
                joined = Some(self.home.join(literal));
            } else if let Some(dir) = joined.as_mut().filter(|_| is_path) {
                dir.push(literal);
            }
        }
        self.gone(joined);
    }

    pub(super) fn gone(&mut self, path: Option<PathBuf>) {
        self.found.written.extend(path.map(|path| WrittenPath::of(path, How::Gone)));
    }
}
