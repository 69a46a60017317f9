//! Programs of interpreters: which file a call names as its program, what is read before it, and which files a program loads.

use super::super::chosen::Chosen;
use super::super::options::Options;
use super::super::uses::certain;
use super::super::{How, code, interpreters, led, outputs};
use super::known_programs::{SHELLS, base_name, is_input, is_interpreter};
use super::limits::DEPTH_MAX;
use super::{Run, positional};
use interpreters::Told;
use std::path::{Path, PathBuf};

/// Programs, and modules of Python, that run the program in a file which they are given: profilers, debuggers, what starts it again when
/// it changes.
pub(super) const RUNNING_FILES: [&str; 24] = [
    "runpy",
    "pdb",
    "ipdb",
    "pudb",
    "cProfile",
    "profile",
    "trace",
    "doctest",
    "coverage",
    "kernprof",
    "memory_profiler",
    "mprof",
    "line_profiler",
    "debugpy",
    "viztracer",
    "pyinstrument",
    "scalene",
    "py-spy",
    "nodemon",
    "pm2",
    "forever",
    "supervisor",
    "ts-node-dev",
    "watchexec",
];
/// Among so many words of a call the program's file is looked for.
const WORDS_MAX: usize = 8;
/// The most files that programs of one line load.
const LOADED_MAX: usize = 24;
/// The most command lines of one loaded program.
const LINES_MAX: usize = 16;
/// What may stand behind the name of a file that a program loads.
const ENDINGS: [&str; 9] = ["", ".js", ".mjs", ".cjs", ".ts", "/index.js", ".rb", ".lua", ".pl"];
/// Files whose programs are asked for what they write for certain: modules name documents of all kinds.
const MODULES: [&str; 9] = [".py", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".go", ".rs"];
/// Options of `python3 -m json.tool` that take a value.
const JSON_TOOL: Options = Options { letters: "", long: &["indent"] };

impl Run<'_> {
    /// A program, with its arguments and its environment.
    pub(super) fn program_with(&mut self, text: &str, args: &[String]) {
        self.program(text);
        if code::writes_arguments(text) {
            self.write_all(&positional(args), How::Here);
        }
        if code::writes_variables(text) {
            let values = self.found.simple.last().map(|command| command.assigned.clone());
            let values: Vec<String> = values.into_iter().flatten().map(|(_, value)| value).collect();
            self.write_all(&values, How::Here);
        }
        self.load(text);
    }

    /// The same for a program in a file of its own, which is kept for those who ask what it names.
    pub(super) fn program_file(&mut self, text: &str, args: &[String]) {
        if !self.goes_on(text.len()) {
            return;
        }
        if let Some(command) = self.found.simple.last_mut() {
            command.programs.push(text.to_owned());
        }
        self.program_with(text, args);
    }

    /// A program in a file that a word names, perhaps without its ending.
    fn program_named(&mut self, file: &str, endings: &[&str], args: &[String]) {
        for ending in endings {
            let named = format!("{file}{ending}");
            let texts = self.scripts(&named);
            if texts.is_empty() {
                continue;
            }
            let dir = self.path(&named).parent().map(Path::to_owned);
            let outside = std::mem::replace(&mut self.program_dir, dir);
            texts.iter().for_each(|text| self.program_file(text, args));
            self.program_dir = outside;
            return;
        }
    }

    /// The program of an interpreter that stands in a file: one that is named, that it reads as its input, or that is shown in a word.
    pub(super) fn program_in_files(&mut self, name: &str, args: &[String], bodies: &[String]) {
        let is_flag = |arg: &String| matches!(arg.as_str(), "-c" | "-e" | "-m" | "-r" | "-p");
        // `python3 -c "$(cat FILE)"`, `python3 <(cat FILE)`
        for (at, arg) in args.iter().enumerate().filter(|(_, arg)| arg.starts_with("$(")) {
            if at == 0 || is_flag(&args[at - 1]) {
                let texts = self.scripts_shown(arg);
                texts.iter().for_each(|text| self.program_file(text, &args[at + 1..]));
            }
        }
        let told = interpreters::told(name, args);
        self.preloaded(&told);
        if let Some((module, rest)) = &told.module {
            return self.module(module, rest, bodies);
        }
        if told.is_text || told.checks {
            return;
        }
        // A word that is no file may be the value of an option.
        let named = told.files.iter().take(WORDS_MAX).position(|word| self.is_there(word, told.endings));
        match told.files.get(named.unwrap_or(0)..).unwrap_or_default().split_first() {
            Some((file, rest)) if !is_input(file) => self.program_named(file, told.endings, rest),
            named => {
                let rest = named.map_or(&[][..], |(_, rest)| rest);
                self.scripts_read(bodies).iter().for_each(|text| self.program_file(text, rest));
            }
        }
    }

    pub(super) fn is_there(&self, word: &str, endings: &[&str]) -> bool {
        let is_one = |path: &PathBuf| {
            self.written_text(path).is_some()
                || !led(&self.copied, path).is_empty()
                || !led(&self.links, path).is_empty()
                || !self.files.is_missing(path)
        };
        is_input(word) || endings.iter().any(|ending| is_one(&self.path(&format!("{word}{ending}"))))
    }

    /// `node -r FILE`, `node --import FILE`, `ruby -r FILE`: what is run before the program.
    pub(super) fn preloaded(&mut self, told: &Told) {
        for file in &told.before {
            self.program_named(file, told.endings, &[]);
        }
    }

    /// `python3 -m mdformat FILE`, or a module in a file here, or a directory: `python3 -m fix`.
    fn module(&mut self, module: &str, args: &[String], bodies: &[String]) {
        let path = module.replace('.', "/");
        let places = [format!("{path}.py"), format!("{path}/__main__.py")];
        match places.iter().find_map(|file| self.scripts(file).into_iter().next()) {
            Some(text) => self.program_file(&text, args),
            None => self.command_of_a_module(module, args, bodies),
        }
    }

    /// A program that an interpreter finds among its modules.
    fn command_of_a_module(&mut self, module: &str, args: &[String], bodies: &[String]) {
        match (module, args) {
            ("zipfile" | "tarfile", [flag, _archive, rest @ ..])
                if matches!(flag.as_str(), "-e" | "--extract") =>
            {
                let dir = rest.first().map_or(".", String::as_str);
                self.write_chosen(&format!("{dir}/*"), How::Below, &Chosen::but(vec![".*".to_owned()]));
            }
            ("json.tool", args) => {
                let files = JSON_TOOL.all(args).files;
                files.get(1).into_iter().for_each(|file| self.write(file, How::Here));
            }
            _ if self.depth < DEPTH_MAX && !is_interpreter(module) => {
                self.depth += 1;
                self.command(module, args, bodies);
                self.depth -= 1;
            }
            _ => {}
        }
    }

    /// The program in a file, or the module, that a program is given to run: `coverage run FILE`, `pdb FILE`, `nodemon -x CMD`.
    pub(super) fn file_that_is_run(&mut self, args: &[String], bodies: &[String]) {
        let behind = |options: &[&str]| args.iter().position(|arg| options.contains(&arg.as_str()));
        if let Some(words) = behind(&["-m"]).map(|at| &args[at + 1..]).filter(|words| !words.is_empty()) {
            if self.depth < DEPTH_MAX {
                self.depth += 1;
                self.module(&words[0], &words[1..], bodies);
                self.depth -= 1;
            }
            return;
        }
        if let Some(text) = behind(&["-x", "--exec"]).and_then(|at| args.get(at + 1)) {
            drop(self.apart(text));
        }
        let words: Vec<String> = positional(args).into_iter().take(WORDS_MAX).collect();
        for (at, word) in words.iter().enumerate() {
            let is_code = base_name(word).contains('.') || self.is_there(word, &[".py"]);
            if is_code && self.is_there(word, &["", ".py"]) && !SHELLS.contains(&word.as_str()) {
                return self.program_named(word, &["", ".py"], &words[at + 1..]);
            }
        }
    }

    /// `sqlite3 FILE SQL`, also with what it reads.
    pub(super) fn sqlite(&mut self, args: &[String], bodies: &[String]) {
        let mut texts: Vec<String> = args.iter().chain(bodies).cloned().collect();
        texts.extend(self.scripts_read(bodies));
        let read = outputs::read_by_sqlite(&texts);
        texts.extend(read.iter().flat_map(|file| self.scripts(file)).collect::<Vec<_>>());
        let outputs::Carried { files, lines } = outputs::by_sqlite(texts.iter());
        self.write_all(&files, How::Here);
        lines.iter().for_each(|line| drop(self.apart(line)));
    }

    /// The files that a program loads, where the agent may have written them: modules beside it or in the working directory.
    fn load(&mut self, text: &str) {
        let code::Loaded { modules, files } = code::loaded(text);
        if modules.is_empty() && files.is_empty() || self.depth >= DEPTH_MAX {
            return;
        }
        let of_a_module = |name: String| {
            let path = name.replace('.', "/");
            [format!("{path}.py"), format!("{path}/__init__.py")]
        };
        let of_a_file = |file: String| ENDINGS.map(|ending| format!("{file}{ending}"));
        let named: Vec<String> =
            modules.into_iter().flat_map(of_a_module).chain(files.into_iter().flat_map(of_a_file)).collect();
        let dirs =
            self.program_dir.clone().filter(|dir| *dir != self.cwd).into_iter().chain([self.cwd.clone()]);
        let paths: Vec<PathBuf> = dirs.flat_map(|dir| named.iter().map(move |file| dir.join(file))).collect();
        self.depth += 1;
        for path in paths {
            let is_new = self.loaded.len() < LOADED_MAX && !self.loaded.contains(&path);
            if is_new && self.is_there(&path.to_string_lossy(), &[""]) {
                self.loaded.push(path.clone());
                let text = self.scripts(&path.to_string_lossy()).into_iter().next();
                text.into_iter().for_each(|text| self.loaded_program(&text, &path));
            }
        }
        self.depth -= 1;
    }

    /// A program in a file that another one loads.
    fn loaded_program(&mut self, text: &str, path: &Path) {
        if MODULES.iter().any(|ending| path.to_string_lossy().ends_with(ending)) {
            return self.found_program(text, path);
        }
        let outside = std::mem::replace(&mut self.program_dir, path.parent().map(Path::to_owned));
        self.program_file(text, &[]);
        self.program_dir = outside;
    }

    /// A program that a runner finds.
    pub(super) fn found_program(&mut self, text: &str, path: &Path) {
        let outside = std::mem::replace(&mut self.program_dir, path.parent().map(Path::to_owned));
        self.certain(text, path);
        self.load(text);
        self.program_dir = outside;
    }

    /// What a program writes and starts for certain.
    fn certain(&mut self, text: &str, path: &Path) {
        if !self.goes_on(text.len()) {
            return;
        }
        let found = certain::read(text, path, &mut self.certain_room);
        self.write_all(&found.written, How::Here);
        self.write_all(&found.gone, How::Gone);
        found.lines.iter().take(LINES_MAX).for_each(|line| drop(self.apart(line)));
    }
}
