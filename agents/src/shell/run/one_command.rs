//! One command: without the words before it, by what starts it, and what the programs that are known write.

use super::super::options::Options;
use super::super::{
    How, SimpleCommand, copies, fixers, interpreters, ours, outputs, substitution, unpacking, wrappers,
};
use super::expansion::{appended, assignment};
use super::known_programs::{
    CMDLETS, COMMANDS_OF_VARIABLES, COMPILERS, COPY, KEYWORDS, PACK, PUT_BACK, REMOVE, SHELLS, VERSIONED,
    WRITE, is_code, is_input, is_interpreter, is_viewer, meant_by_pattern, program_name,
};
use super::limits::{BYTES_OF_A_TOKEN, CALLS_MAX, DEPTH_MAX, LOOKED_AT_BYTES_MAX, WORDS_MAX};
use super::{Run, positional, words_in};

/// Options of `watch` that take a value.
const WATCH: Options = Options { letters: "nq", long: &["interval", "equexit"] };

const AT: Options = Options { letters: "fqt", long: &[] };

/// A command without the words that stand before it.
#[derive(Default)]
pub(super) struct Bare {
    words: Vec<String>,
    assigned: Vec<(String, String)>,
    /// Whether another program starts it.
    is_started: bool,
    /// Whether arguments come from a pipe.
    fed: bool,
    /// The word that each of them is put in place of.
    place: Option<String>,
    /// How many files the line had written before it, and before what starts it wrote one (`valgrind --log-file FILE`).
    before: usize,
    /// Whether it runs in another directory than the line (`env -C`).
    is_elsewhere: bool,
}

impl Run<'_> {
    /// One command with its arguments, redirects taken out. `bodies` is what it reads from here-documents.
    pub(super) fn simple(&mut self, words: Vec<String>, bodies: &[String]) {
        if !self.goes_on(0) {
            return;
        }
        let outside = self.cwd.clone();
        let mut bare = self.bare(words);
        if bare.fed {
            feed(&mut bare, words_in(bodies));
        }
        // `parallel 'sed -i … {}' ::: FILE`, `yarn exec 'sed -i …'`: a shell runs the text.
        if bare.is_started && bare.words.len() == 1 && bare.words[0].contains(' ') {
            bare.words.insert(0, "eval".to_owned());
        }
        if !bare.words.is_empty() {
            let is_elsewhere = bare.is_elsewhere;
            self.bare_command(bare, bodies);
            if is_elsewhere {
                self.cwd = outside;
            }
        } else {
            self.cwd = outside;
        }
    }

    /// Removes assignments, keywords and programs that only start the command; resolves aliases.
    pub(super) fn bare(&mut self, mut words: Vec<String>) -> Bare {
        let mut bare = Bare { before: self.found.written.len(), ..Bare::default() };
        // As in a shell, an alias means itself where it stands in what it stands for.
        let mut resolved: Vec<String> = Vec::new();
        // What was removed so far: a line may have nothing but such words.
        let mut at = 0;
        while let Some(first) = words.get(at) {
            if let Some((name, value)) = assignment(first) {
                let assigned = (name.to_owned(), value.to_owned());
                self.assign(&assigned, bare.assigned.last());
                bare.assigned.push(assigned);
                at += 1;
            } else if let Some((name, value)) = appended(first) {
                let (name, value) = (name.to_owned(), value.to_owned());
                self.append_to(&name, &value);
                at += 1;
            } else if KEYWORDS.contains(&first.as_str()) {
                self.blocks += usize::from(matches!(first.as_str(), "then" | "do" | "{"));
                self.blocks -= usize::from(first == "}").min(self.blocks);
                at += 1;
            } else if let Some((name, meant)) =
                self.aliases.iter().rev().find(|(name, _)| name == first && !resolved.contains(name))
            {
                resolved.push(name.clone());
                let meant: Vec<String> = meant.split_whitespace().map(str::to_owned).collect();
                words.splice(at..=at, meant);
            } else if let Some(wrapper) = wrappers::unwrapped(&words[at..]) {
                at += wrapper.words;
                bare.is_started = true;
                wrapper.written.iter().for_each(|file| self.write(file, How::Here));
                bare.fed |= wrapper.fed;
                bare.place = wrapper.place.or(bare.place);
                if let Some(dir) = wrapper.dir {
                    self.cwd = self.path(&dir);
                    bare.is_elsewhere = true;
                }
                if let Some(text) = wrapper.text {
                    words.splice(..at, ["eval".to_owned(), text]);
                    at = 0;
                }
            } else {
                break;
            }
        }
        self.found.fed |= bare.fed;
        words.drain(..at.min(words.len()));
        bare.words = words;
        bare
    }

    pub(super) fn bare_command(&mut self, bare: Bare, bodies: &[String]) {
        let Bare { words, assigned, fed, before: outside, .. } = bare;
        self.found.commands.push(words.clone());
        let at = self.found.simple.len();
        let before = self.found.written.len();
        let own = assigned.clone();
        self.found.simple.push(SimpleCommand {
            words: words.clone(),
            assigned: self.exported.iter().cloned().chain(assigned).collect(),
            bodies: bodies.to_vec(),
            cwd: self.cwd.clone(),
            fed,
            piped: self.piped,
            programs: Vec::new(),
            written: Vec::new(),
        });
        let name = meant_by_pattern(program_name(&words[0]));
        let exported = self.exported.len();
        if SHELLS.contains(&name) {
            self.exported
                .extend(self.found.simple[at].assigned.iter().skip(exported).cloned().collect::<Vec<_>>());
        }
        self.run_by_variables(&own);
        if self.called(&words) {
        } else if words[0].starts_with("$(") {
            // `eval "$(cat FILE)"`, `bash <(cat FILE)`
            let texts = self.scripts_shown(&words[0]);
            texts.iter().for_each(|text| self.run_script(text, &words[1..]));
        } else if name == "-" {
            // `uv run - <<EOF`
            bodies.iter().for_each(|program| self.program(program));
        } else if name.ends_with(".py") {
            // `uv run fix.py FILE`, `./manage.py shell -c TEXT`
            self.command("python3", &words, bodies);
        } else if !self.is_script(&words) {
            self.command(name, &words[1..], bodies);
        }
        if SHELLS.contains(&name) {
            self.exported.truncate(exported);
        }
        self.keep_input(&words, bodies, before);
        // What an inner shell writes is noted with the commands in it.
        let is_inner = SHELLS.contains(&name) || name == "eval";
        let end = if is_inner { before } else { self.found.written.len() };
        self.found.simple[at].written = self.found.written[outside..end].to_vec();
    }

    /// Looks at what variables of a command make it run: an editor, a pager; the script that a shell begins with.
    pub(super) fn run_by_variables(&mut self, variables: &[(String, String)]) {
        let names_command = |name: &str| COMMANDS_OF_VARIABLES.iter().any(|end| name.ends_with(end));
        for (name, value) in variables {
            match name.as_str() {
                "BASH_ENV" | "ENV" => self.scripts(value).iter().for_each(|text| drop(self.apart(text))),
                "NODE_OPTIONS" | "RUBYOPT" => {
                    let name = if name == "RUBYOPT" { "ruby" } else { "node" };
                    let words: Vec<String> = value.split_whitespace().map(str::to_owned).collect();
                    self.preloaded(&interpreters::told(name, &words));
                }
                name if names_command(name) => drop(self.apart(value)),
                _ => {}
            }
        }
    }

    /// Walks through the body of a function that the line defines, where these words call one.
    pub(super) fn called(&mut self, words: &[String]) -> bool {
        let Some((_, body)) = self.functions.iter().rev().find(|(name, _)| *name == words[0]) else {
            return false;
        };
        // A call walks through a copy of the body: a line of definitions within each other would be walked through again
        // from each of them.
        let looked_at = body.len().saturating_mul(BYTES_OF_A_TOKEN);
        self.calls += 1;
        if self.calls > CALLS_MAX || self.depth >= DEPTH_MAX || self.bytes + looked_at > LOOKED_AT_BYTES_MAX {
            self.not_looked_at(&words.join(" "));
            return true;
        }
        let body = body.clone();
        self.bytes += looked_at;
        let outside = self.arguments.replace(words[1..].to_vec());
        self.tokens(body);
        self.arguments = outside;
        true
    }

    /// Follows a command that sets variables, arguments or aliases for the commands after it. False for any other command.
    pub(super) fn kept(&mut self, name: &str, args: &[String], bodies: &[String]) -> bool {
        let files = positional(args);
        match name {
            "export" | "declare" | "local" | "readonly" | "typeset" => {
                let is_reference = args.iter().any(|arg| arg.starts_with('-') && arg.contains('n'));
                for (variable, value) in files.iter().filter_map(|word| assignment(word)) {
                    let values = if is_reference { self.value(value) } else { vec![value.to_owned()] };
                    self.variables.push((variable.to_owned(), values));
                    if name == "export" {
                        let exported = (variable.to_owned(), value.to_owned());
                        self.run_by_variables(std::slice::from_ref(&exported));
                        self.exported.push(exported);
                    }
                }
            }
            "for" | "select" => {
                // `for f; do` goes through the arguments.
                if let [variable] = args {
                    self.variables.push((variable.clone(), self.arguments.clone().unwrap_or_default()));
                }
                if let [variable, _, values @ ..] = args {
                    self.variables.push((variable.clone(), values.iter().take(WORDS_MAX).cloned().collect()));
                }
            }
            "alias" => {
                let defined = args.iter().filter_map(|word| word.split_once('='));
                self.aliases.extend(defined.map(|(name, meant)| (name.to_owned(), meant.to_owned())));
            }
            "set" => {
                let stops =
                    |arg: &String| arg.starts_with('-') && !arg.starts_with("--") && arg.contains('e');
                self.stops |= args.iter().any(stops);
                if let Some(at) = args.iter().position(|arg| arg == "--") {
                    self.arguments = Some(args[at + 1..].to_vec());
                }
            }
            "printf" if args.first().is_some_and(|arg| arg == "-v") => {
                if let [_, variable, text @ ..] = args {
                    let words = [&["printf".to_owned()], text].concat();
                    let printed = substitution::printed(&words, &self.cwd).unwrap_or_default();
                    self.variables.push((variable.clone(), printed));
                }
            }
            "read" | "mapfile" | "readarray" => {
                // One variable gets all of a line.
                let lines = bodies.iter().flat_map(|body| body.lines()).map(|line| line.trim().to_owned());
                let words = match files.as_slice() {
                    [_] => lines.filter(|line| !line.is_empty()).take(WORDS_MAX).collect(),
                    _ => words_in(bodies),
                };
                for name in files.iter().filter(|_| !words.is_empty()) {
                    self.variables.push((name.clone(), words.clone()));
                }
            }
            _ => return false,
        }
        true
    }

    pub(super) fn command(&mut self, name: &str, args: &[String], bodies: &[String]) {
        if self.kept(name, args, bodies) {
            return;
        }
        let files = positional(args);
        if self.runs_another(name, args, &files, bodies) {
            return;
        }
        self.besides(name, args, &files);
        match name {
            "cd" | "pushd" | "popd" => self.change_directory(name, files.first()),
            "fi" | "done" => self.blocks = self.blocks.saturating_sub(1),
            "dd" => args
                .iter()
                .filter_map(|arg| arg.strip_prefix("of="))
                .for_each(|file| self.write(file, How::Here)),
            "git" => self.git(args, bodies),
            "gh" if matches!(args, [pr, checkout, ..] if pr == "pr" && checkout == "checkout") => {
                self.git(&args[1..], bodies);
            }
            _ if VERSIONED.contains(&name) => self.write_all(&put_back(args), How::Here),
            "patch" => self.patch(args, bodies),
            "split" => {
                let files = copies::SPLIT.all(args).files;
                files.get(1).into_iter().for_each(|prefix| self.write(&format!("{prefix}*"), How::Here));
            }
            "xxd" if args.iter().any(|arg| arg == "-r") => {
                self.write_all(files.get(1..).unwrap_or_default(), How::Here)
            }
            "sqlite3" => self.sqlite(args, bodies),
            "apply_patch" | "applypatch" => {
                let named: Vec<String> =
                    files.iter().chain(bodies).flat_map(|text| crate::patch::paths(text)).collect();
                self.write_all(&named, How::Here);
            }
            _ if CMDLETS.iter().any(|cmdlet| name.eq_ignore_ascii_case(cmdlet)) => {
                self.write_all(&files, How::Here);
            }
            _ if PACK.contains(&name) => self.pack(args, &files),
            _ if REMOVE.contains(&name) => self.write_all(&files, How::Gone),
            _ if WRITE.contains(&name) && is_viewer(name, args) => {}
            _ if WRITE.contains(&name) => {
                if name == "emacs" {
                    args.iter().for_each(|program| self.program(program));
                }
                self.write_all(&files, How::Here);
            }
            _ if fixers::writes(name, args) && fixers::reads_names(name) => {
                self.write_all(&[files, words_in(bodies)].concat(), How::Here);
            }
            _ if fixers::writes(name, args) => self.fix(name, args, &files),
            _ if COPY.contains(&name) => self.copy(name, args),
            _ if SHELLS.contains(&name) || matches!(name, "su" | "sg" | "script") => {
                if name == "script" {
                    self.write_all(&files, How::Here);
                }
                // `su root -c TEXT`
                let at = args.iter().position(|arg| arg == "-c").filter(|_| matches!(name, "su" | "sg"));
                self.shell(&args[at.unwrap_or(0)..], bodies);
            }
            _ => {
                if let Some(unpacked) = unpacking::unpacked(name, args, self.piped) {
                    self.unpack(&unpacked);
                }
                self.other(name, args, &files, bodies);
            }
        }
    }

    /// What a command takes away, and what scripts and actions in its arguments write and run.
    pub(super) fn besides(&mut self, name: &str, args: &[String], files: &[String]) {
        let is_taken = |arg: &String| matches!(arg.as_str(), "--remove-files" | "--remove-source-files");
        let moves = |arg: &String| {
            name == "zip" && arg.starts_with('-') && !arg.starts_with("--") && arg.contains('m')
        };
        let takes = matches!(name, "tar" | "bsdtar" | "gtar" | "rsync") && args.iter().any(is_taken);
        if takes || args.iter().any(moves) {
            self.write_all(files, How::Gone);
        }
        let mut said = vec![outputs::said(name, args)];
        // `sed -f FILE`
        let scripts = outputs::scripts_of_sed(name, args);
        let texts: Vec<String> = scripts.iter().flat_map(|file| self.scripts(file)).collect();
        said.extend(texts.iter().map(|text| outputs::script_of_sed(text)));
        for outputs::Carried { files: written, lines } in said {
            self.write_all(&written, How::Here);
            lines.iter().for_each(|line| drop(self.apart(line)));
        }
    }

    /// Looks into the texts and commands that a command runs. False for a command that runs none.
    pub(super) fn runs_another(
        &mut self,
        name: &str,
        args: &[String],
        files: &[String],
        bodies: &[String],
    ) -> bool {
        let reads_its_file = || {
            let mut pairs = args.windows(2);
            pairs.any(|pair| pair[0] == "-f" && matches!(pair[1].as_str(), "-" | "/dev/stdin"))
        };
        match name {
            "eval" => self.text(&args.strip_prefix(&["--".to_owned()]).unwrap_or(args).join(" ")),
            "watch" => {
                let (_, used) = WATCH.leading(args);
                self.text(&args[used..].join(" "));
            }
            "hyperfine" | "concurrently" => files.iter().for_each(|text| self.text(text)),
            "trap" => files.first().into_iter().for_each(|text| self.text(text)),
            "find" => self.find(args),
            "fd" | "fdfind" => self.fd(args),
            "source" | "." => match files.first() {
                Some(file) if is_input(file) => {
                    bodies.iter().for_each(|body| self.text(body));
                    self.scripts_read(bodies).iter().for_each(|text| self.text(text));
                }
                // `source <(cat FILE)`
                Some(file) if file.contains(char::is_whitespace) => self.text(file),
                Some(file) => self.scripts(file).iter().for_each(|text| self.text(text)),
                None => {}
            },
            "tmux" | "screen" => self.text(&multiplexed(args)),
            "ssh" => self.text(&on_this_machine(files)),
            "at" | "batch" => {
                let named = AT.all(args).values(&["-f"]);
                named
                    .iter()
                    .flat_map(|file| self.scripts(file))
                    .collect::<Vec<_>>()
                    .iter()
                    .for_each(|text| self.text(text));
                bodies.iter().for_each(|body| self.text(body));
                self.scripts_read(bodies).iter().for_each(|text| self.text(text));
            }
            "make" | "gmake" if reads_its_file() => {
                let lines = bodies.iter().flat_map(|body| body.lines());
                lines.for_each(|line| self.text(line.trim_start_matches(['\t', '@', '-'])));
            }
            "make" | "gmake" => {
                self.make(args);
                return false;
            }
            "docker" | "podman" | "nerdctl" => self.container(name, args, bodies),
            _ if super::package_json::RUNNERS.contains(&name) => {
                self.package_scripts(name, args);
                return false;
            }
            _ => match outputs::same_as(name, args) {
                Some(words) if self.depth < DEPTH_MAX => self.command(&words[0], &words[1..], bodies),
                _ => return false,
            },
        }
        true
    }

    /// Any other command: may edit in place, write a file named in an option, or run a program given as text.
    pub(super) fn other(&mut self, name: &str, args: &[String], files: &[String], bodies: &[String]) {
        let short_i = |arg: &String| {
            arg.starts_with('-')
                && !arg.starts_with("--")
                && arg.split(['e', '=', '\'']).next().is_some_and(|head| head.contains('i'))
        };
        let edits = match name {
            "sed" | "gsed" | "perl" | "ruby" | "awk" | "gawk" | "yq" | "markdown-toc" => {
                args.iter().any(short_i)
            }
            _ => false,
        };
        if edits || fixers::rewrites(name, args) {
            let is_meant = |word: &&String| !(word.contains('*') && fixers::is_for_code_only(name));
            let files: Vec<String> = files.iter().filter(is_meant).cloned().collect();
            self.write_all(&files, How::Here);
        }
        if matches!(name, "jq" | "jaq" | "gojq" | "yq" | "dasel") {
            self.scripts_of_a_filter(args);
        }
        self.carried(name, args, bodies);
        self.started_by_a_runner(name, args);
        self.write_all(&outputs::outputs(name, args), How::Here);
        if let Some((files, is_deep)) = outputs::locked_out(args).filter(|_| name == "chmod") {
            self.write_all(files, How::Here);
            let below =
                files.iter().filter(|_| is_deep).map(|dir| format!("{}/*", dir.trim_end_matches('/')));
            self.write_all(&below.collect::<Vec<_>>(), How::Below);
        }
        if matches!(name, "pwsh" | "powershell") {
            args.iter().for_each(|text| self.text(text));
        }
        if name == "last-word" {
            self.write_all(&ours::written_by_us(args), How::Here);
        }
        if super::programs::RUNNING_FILES.contains(&name) {
            self.file_that_is_run(args, bodies);
        }
        if matches!(name, "awk" | "gawk" | "mawk") {
            self.awk(args, files);
        }
        if COMPILERS.contains(&name) {
            let code = files.iter().filter(|file| is_code(file));
            let texts: Vec<String> = code.flat_map(|file| self.scripts(file)).collect();
            texts.iter().for_each(|text| self.program_file(text, &[]));
        }
        if is_interpreter(name) {
            // `python3 - AGENTS.md`, with a program that opens its arguments.
            args.iter().chain(bodies).for_each(|program| self.program_with(program, files));
            self.program_in_files(name, args, bodies);
        }
    }
}

/// What is typed into a terminal of `tmux` or `screen`, or run in a new one.
pub(super) fn multiplexed(args: &[String]) -> String {
    const WITH_VALUE: [&str; 12] = ["-t", "-s", "-n", "-c", "-S", "-L", "-f", "-p", "-x", "-y", "-F", "-X"];
    const KEYS: [&str; 5] = ["Enter", "C-m", "KPEnter", "Space", "stuff"];
    let is_verb_alone = |words: &[String]| match words {
        [] => true,
        [verb] => verb.contains(['-', 'w']) || matches!(verb.as_str(), "send" | "run"),
        _ => false,
    };
    let mut words = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "-X" | "-dmS" if words.is_empty() => drop(args.next()),
            option if is_verb_alone(&words) && WITH_VALUE.contains(&option) => drop(args.next()),
            option if option.starts_with('-') && words.len() < 2 => {}
            key if KEYS.contains(&key) => {}
            word => words.push(word.replace("\\n", "\n")),
        }
    }
    let is_verb = |word: &String| !word.contains([' ', '/', '.']);
    let text = if words.len() > 1 && is_verb(&words[0]) { &words[1..] } else { &words[..] };
    text.join(" ")
}

/// The command of `ssh`, where that is for this machine.
pub(super) fn on_this_machine(files: &[String]) -> String {
    let Some((host, command)) = files.split_first() else { return String::new() };
    let host = host.rsplit('@').next().unwrap_or(host);
    let is_here = matches!(host, "localhost" | "127.0.0.1" | "::1" | "ip6-localhost");
    if is_here { command.join(" ") } else { String::new() }
}

/// Puts words that come from a pipe behind a command, or where its own words say.
pub(super) fn feed(bare: &mut Bare, mut fed: Vec<String>) {
    // `parallel COMMAND ::: ARGUMENTS`
    if let Some(at) = bare.words.iter().position(|word| word == ":::") {
        fed.extend(bare.words.split_off(at).into_iter().skip(1));
    }
    let place =
        bare.place.as_ref().filter(|place| bare.words.iter().any(|word| word.contains(place.as_str())));
    let Some(place) = place else { return bare.words.extend(fed) };
    if fed.is_empty() {
        return;
    }
    let put = |word: &String| {
        if !word.contains(place.as_str()) {
            return vec![word.clone()];
        }
        let put: Vec<String> = fed.iter().map(|one| word.replace(place.as_str(), one)).collect();
        // A text of several words is a script: it is run with each.
        if word.contains(' ') { vec![put.join("\n")] } else { put }
    };
    bare.words = bare.words.iter().flat_map(put).take(WORDS_MAX).collect();
}

/// The files that a system of versions puts back; all of a directory where none is named.
fn put_back(args: &[String]) -> Vec<String> {
    let files = positional(args);
    let Some((_, files)) = files.split_first().filter(|(verb, _)| PUT_BACK.contains(&verb.as_str())) else {
        return Vec::new();
    };
    let of =
        |file: &String| if matches!(file.as_str(), "." | "./") { "**/*".to_owned() } else { file.clone() };
    if files.is_empty() { vec!["**/*".to_owned()] } else { files.iter().map(of).collect() }
}
