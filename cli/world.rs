//! The process as it was started: environment, directories, terminal, who types. The only place that reads them.

use crate::args::{Colour, Global};
use crate::asking;
use crate::failure::Failure;
use crate::homes::{self, StartedBy};
use crate::install::agent;
use crate::render::{self, Page};
use declaration::reading::input::SPLIT_HINT;
use declaration::{Trust, secrets};
use durable::{Disk, FileKind, RealDisk};
use engine::person::Proof;
use engine::{Caller, Home, Host, OtherHome, Speaker, Worker};
use operator::Actor;
use queue_layout::Layout;
use std::io::{IsTerminal, Read};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Largest standard input that is read, in bytes.
const STDIN_BYTES_MAX: u64 = 16 << 20;

/// Directories for temporary files, wherever `TMPDIR` says.
const TEMPORARY: [&str; 3] = ["/tmp", "/var/tmp", "/var/folders"];

/// The fields of a line in `/etc/passwd` with the user's name and their home directory.
const LOGIN_NAME: usize = 0;
const LOGIN_HOME: usize = 5;

/// What a command works with: a home, and where and how it was called. What can be done are verbs of the home.
#[derive(Debug)]
pub struct World {
    /// The home.
    pub home: Home,
    /// Where the home keeps what can be made again.
    pub cache: PathBuf,
    /// The disk.
    pub disk: Arc<RealDisk>,
    /// The working directory.
    pub cwd: PathBuf,
    /// The home as `--home` named it: commands that we suggest name it too.
    pub named_home: Option<PathBuf>,
    /// What we print on.
    pub page: Page,
    /// Machine-readable output.
    pub json: bool,
    /// How much to say on stderr.
    pub verbose: u8,
    /// The decider that the caller claims to be (`--as`).
    pub decider: Option<String>,
}

impl Deref for World {
    type Target = Home;

    fn deref(&self) -> &Home {
        &self.home
    }
}

impl World {
    /// Reads environment and arguments.
    pub fn new(global: &Global) -> Result<World, Failure> {
        World::started_by(StartedBy::Anybody, global)
    }

    /// The same for what an agent starts itself.
    pub fn started_by(by: StartedBy, global: &Global) -> Result<World, Failure> {
        let disk = Arc::new(disk()?);
        let homes = homes::find(global.home.as_deref(), &*disk, by)?;
        let cwd = match std::env::current_dir() {
            Ok(cwd) => cwd,
            // An agent's event says where its session is, and what it runs is guarded also where that directory was removed.
            Err(_) if by == StartedBy::AgentForHook && homes.home.is_absolute() => PathBuf::from("/"),
            Err(e) => {
                return Err(Failure::new(format!("cannot find the working directory: {e}"))
                    .hint("cd somewhere that exists"));
            }
        };
        if let Some(home) = &global.home {
            // A hook or a server of the usual home says commands as they are typed everywhere.
            if by == StartedBy::Anybody || *home != homes::usual(&homes.user) {
                crate::own_name::name_home(home, &homes.user);
            }
        }
        let layout = Layout::new(cwd.join(&homes.home));
        let page = page(global.color);
        let host = Host::system()
            .with_command(|| crate::own_name::as_called().to_owned())
            .with_home_without_option(without_option(Arc::clone(&disk), cwd.clone()))
            .with_program_files(crate::own_name::files)
            .with_wording(crate::advice::sentence)
            .with_notices(crate::notices::teller(global.verbose));
        let home = Home::on(Arc::clone(&disk) as Arc<dyn Disk>, layout, homes.user.clone(), host);
        let brought_by = |path: &Path| {
            let real = |path: &Path| home.canonicalise(path).unwrap_or_else(|_| path.to_owned());
            if by == StartedBy::Anybody && agents::mark(std::env::vars_os()).is_none() {
                return None;
            }
            let (path, cwd, user) = (real(path), real(&cwd), real(&homes.user));
            homes::brought_by(&path, &cwd, &user, &*disk).map(Path::to_owned)
        };
        if let Some(variable) = homes.variable
            && let Some(dir) = brought_by(home.layout().home())
        {
            return Err(of_a_repository(variable, home.layout().home(), &dir));
        }
        let cache = homes::cache(&homes.user, |dir| brought_by(dir).is_none());
        let home = home.clone().with_cache(&cache);
        Ok(World {
            home,
            cache,
            disk,
            cwd,
            named_home: global.home.clone(),
            page,
            json: global.json,
            verbose: global.verbose,
            decider: global.decider.clone(),
        })
    }

    /// The project the working directory is in.
    pub fn project(&self) -> Option<PathBuf> {
        self.home.project(&self.cwd)
    }

    /// Who calls us, as we see it ourselves: by flags, else by the environment. A person only where that is proven; anybody
    /// else is trusted as an agent is.
    pub fn caller(&self, agent: Option<&str>, session: Option<&str>) -> Caller {
        let said = |flag: Option<&str>, variable: &str| {
            flag.map(str::to_owned).or_else(|| std::env::var(variable).ok()).unwrap_or_default()
        };
        let (mut agent, mut session) = (said(agent, "LAST_WORD_AGENT"), said(session, "LAST_WORD_SESSION"));
        if session.is_empty()
            && let Some((of, found)) =
                agents::session(Some(agent.as_str()).filter(|agent| !agent.is_empty()), variable)
        {
            (agent, session) = (of.to_owned(), found);
        }
        // No agent is called so, and a history that names one would be read as a person's.
        if agent == Speaker::PERSON && !self.may_be_a_person() {
            Speaker::UNNAMED.clone_into(&mut agent);
        }
        let trust = if agent.is_empty() && self.speaks_for_a_person() { Trust::User } else { Trust::Agent };
        Caller { trust, agent, session, ..Caller::program(&self.cwd) }
    }

    /// Whether somebody sits at the terminal, as far as can be seen; whoever decides is asked more.
    pub fn may_be_a_person(&self) -> bool {
        matches!(asking::proof(&self.disk, true), Proof::Person | Proof::Ask(_))
    }

    fn speaks_for_a_person(&self) -> bool {
        let allowed = |name: &str| {
            self.settings().is_ok_and(|settings| settings.decides(name, "enqueue") == Some(true))
        };
        match (&self.decider, asking::proof(&self.disk, self.decider.is_some())) {
            (_, Proof::Person) => true,
            (Some(name), Proof::Ask(_) | Proof::Unproven(_)) => allowed(name),
            _ => false,
        }
    }

    /// Who decides by this command, how they are known, and why in their words. Journal and receipts keep all of it, so it
    /// may hold no secret. An agent is refused; a caller that may be a program is asked on the terminal.
    pub fn who(&self, command: &'static str, reason: Option<&str>) -> Result<Actor, Failure> {
        World::check_reason(reason)?;
        let channel = self.channel(command)?;
        Ok(Actor { name: self.person(), channel, reason: reason.map(str::to_owned) })
    }

    /// A reason may hold no secret.
    pub fn check_reason(reason: Option<&str>) -> Result<(), Failure> {
        match reason.and_then(|reason| secrets::problem("--reason", reason)) {
            Some(problem) => Err(Failure::refused("the decision", &[problem])),
            None => Ok(()),
        }
    }

    /// The caller of a command whose `who` was proven.
    pub fn person_calls(&self) -> Caller {
        Caller { trust: Trust::User, ..self.caller(None, None) }
    }

    /// Refuses agents, and nobody else: for commands that need no proof of a person.
    pub fn refuse_agents(&self, to_do: &str) -> Result<(), Failure> {
        match asking::proof(&self.disk, true) {
            Proof::Agent(which) => Err(of_an_agent(to_do, &which)),
            _ => Ok(()),
        }
    }

    fn channel(&self, command: &'static str) -> Result<String, Failure> {
        let proof = asking::proof(&self.disk, true);
        if let Proof::Agent(which) = proof {
            return Err(of_an_agent(to_do(command), &which));
        }
        if let Some(name) = &self.decider {
            return match self.settings()?.decides(name, command) {
                Some(true) => Ok(format!("decider {name}")),
                Some(false) => Err(Failure::new(format!("decider `{name}` may not {}", to_do(command)))
                    .hint("`last-word deciders` lists which commands it may use")),
                None => Err(Failure::new(format!("there is no decider `{name}`"))
                    .hint("a person adds it: last-word deciders NAME COMMAND...")),
            };
        }
        match proof {
            Proof::Ask(why) => asking::ask(&why).map(|()| "terminal, asked".to_owned()),
            Proof::Unproven(why) => {
                let script = match command {
                    "deciders" => ": `last-word deciders` names who may decide, so no script may say it",
                    "page" => "; a script decides without a page: name it with `last-word deciders`",
                    _ => "; or let a script do it: name it with `last-word deciders`, and say --as NAME",
                };
                Err(Failure::new(format!("only a person can {}: {why}", to_do(command)))
                    .hint(format!("type it in a terminal{script}")))
            }
            _ => Ok("terminal".to_owned()),
        }
    }

    /// The person at the keyboard.
    pub fn person(&self) -> String {
        ["USER", "LOGNAME"]
            .iter()
            .find_map(|name| variable(name))
            .or_else(|| self.login_name())
            .unwrap_or_else(|| format!("uid {}", rustix::process::getuid().as_raw()))
    }

    /// The name of our user id, where the environment has none.
    fn login_name(&self) -> Option<String> {
        self.login(LOGIN_NAME)
    }

    /// Where else documents of this user may be managed: the home that the environment names, and the usual one, also below
    /// the user's real home directory, whatever `HOME` says.
    pub fn usual_homes(&self) -> Vec<OtherHome> {
        let here = self.user_home().to_owned();
        let of_login = self.login(LOGIN_HOME).map(PathBuf::from);
        let config = homes::set("XDG_CONFIG_HOME").filter(|dir| dir.is_absolute());
        let named = [homes::set("LAST_WORD_HOME"), config.map(|dir| dir.join("agents/last-word"))];
        let named = named.into_iter().flatten().map(|dir| (self.cwd.join(dir), here.clone()));
        let named = named.filter(|(dir, _)| !self.is_of_a_repository(dir));
        // A repository that says it is the user's home directory is none.
        let is_believed =
            of_login.as_ref().is_none_or(|login| *login == here) || !homes::is_repository(&here, &*self.disk);
        let usual = [is_believed.then(|| here.clone()), of_login].into_iter().flatten();
        let usual = usual.map(|home| (homes::usual(&home), home));
        named.chain(usual).map(|(dir, user_home)| OtherHome { dir, user_home }).collect()
    }

    /// The homes whose rules hold beside ours: the usual ones, and those that agents' hooks name.
    pub fn homes_beside(&self) -> Vec<OtherHome> {
        let here = self.user_home();
        let named = agent::homes_named(self).into_iter();
        let named = named.map(|dir| OtherHome { dir, user_home: here.to_owned() });
        self.usual_homes().into_iter().chain(named).collect()
    }

    /// Whether a repository may have brought along a path that a variable names: then it says nothing of the user's homes.
    pub fn is_of_a_repository(&self, path: &Path) -> bool {
        let real = |path: &Path| self.home.canonicalise(path).unwrap_or_else(|_| path.to_owned());
        let (path, user) = (real(path), real(self.user_home()));
        path.ancestors()
            .take_while(|dir| !user.starts_with(dir))
            .any(|dir| homes::is_repository(dir, &*self.disk))
            || homes::brought_by(&path, &real(&self.cwd), &user, &*self.disk).is_some()
    }

    /// A worker, which keeps to the rules of the user's other homes too.
    pub fn worker(&self, caller: Caller, person: impl Into<String>) -> Worker {
        self.home.clone().beside(self.homes_beside()).worker(caller, person)
    }

    /// A field of our user id's line in `/etc/passwd`.
    fn login(&self, field: usize) -> Option<String> {
        let bytes = self.disk.read(Path::new("/etc/passwd"), 1 << 20).ok()?;
        let uid = rustix::process::getuid().as_raw().to_string();
        let text = String::from_utf8_lossy(&bytes);
        let line = text.lines().find(|line| line.split(':').nth(2) == Some(uid.as_str()))?;
        line.split(':').nth(field).filter(|text| !text.is_empty()).map(str::to_owned)
    }

    /// The editor to use.
    pub fn editor(&self) -> String {
        ["VISUAL", "EDITOR"]
            .iter()
            .find_map(|name| std::env::var(name).ok())
            .unwrap_or_else(|| "vi".to_owned())
    }

    /// A file given on the command line, or standard input for `-`.
    pub fn read_input(&self, name: &str) -> Result<Vec<u8>, Failure> {
        if name != "-" {
            let path = self.cwd.join(name);
            let read = match self.disk.stat(&path)?.map(|stat| stat.kind) {
                Some(FileKind::Directory) => {
                    return Err(
                        Failure::new(format!("{name} is a directory")).hint("name the declarations in it")
                    );
                }
                // `<(command)`, `/dev/stdin`, a named pipe: its writer may not have opened it yet.
                Some(FileKind::Other) => self.disk.read_stream(&path, STDIN_BYTES_MAX),
                _ => self.disk.read(&path, STDIN_BYTES_MAX),
            };
            return read.map_err(|e| match e.kind() {
                std::io::ErrorKind::NotFound => {
                    Failure::new(format!("{name} does not exist")).hint("check the path")
                }
                std::io::ErrorKind::FileTooLarge => {
                    Failure::new(format!("{name} is larger than {STDIN_BYTES_MAX} bytes"))
                        .exit(crate::failure::Exit::Refused)
                        .hint(SPLIT_HINT)
                }
                _ => e.into(),
            });
        }
        if std::io::stdin().is_terminal() {
            render::tell("reads what you type; Ctrl-D on a line of its own ends it, Ctrl-C leaves");
        }
        let mut bytes = Vec::new();
        std::io::stdin()
            .lock()
            .take(STDIN_BYTES_MAX + 1)
            .read_to_end(&mut bytes)
            .map_err(|e| Failure::new(format!("cannot read standard input: {e}")))?;
        if bytes.len() as u64 > STDIN_BYTES_MAX {
            let message = format!("standard input is larger than {STDIN_BYTES_MAX} bytes");
            return Err(Failure::new(message).exit(crate::failure::Exit::Refused).hint(SPLIT_HINT));
        }
        Ok(bytes)
    }

    /// The same for a command that agents run without asking: what it reads is kept, and shown by `read`. An agent may give it what lies in
    /// its working directory, in the project and in a directory for temporary files; another file of the user's is none of its own. Of the
    /// home directory only what lies directly in it, and is not hidden, is a session's that works there.
    pub fn read_given(&self, name: &str) -> Result<Vec<u8>, Failure> {
        if name == "-" || agents::mark(std::env::vars_os()).is_none() {
            return self.read_input(name);
        }
        let real = |path: &Path| self.canonicalise(path).unwrap_or_else(|_| path.to_owned());
        let (path, user) = (self.cwd.join(name), real(self.user_home()));
        let is_stream = self.disk.stat(&path)?.is_some_and(|stat| stat.kind == FileKind::Other);
        let (path, cwd) = (real(&path), real(&self.cwd));
        // A session in the home directory, or above it, has not all of it as its own.
        let own = [Some(cwd.clone()), self.project().map(|dir| real(&dir))].into_iter().flatten();
        let own = own.filter(|dir| !user.starts_with(dir));
        let is_hidden = path.file_name().is_none_or(|name| name.as_encoded_bytes().starts_with(b"."));
        let lies_in_home = cwd == user && path.parent() == Some(&cwd) && !is_hidden;
        // The variable may be a repository's.
        let named =
            Some(real(&std::env::temp_dir())).filter(|dir| !user.starts_with(dir) && !dir.starts_with(&user));
        let temporary = TEMPORARY.iter().map(|dir| real(Path::new(dir))).chain(named);
        if is_stream || lies_in_home || own.chain(temporary).any(|dir| path.starts_with(dir)) {
            return self.read_input(name);
        }
        Err(Failure::new(match cwd == user && path.starts_with(&user) {
            true => format!(
                "{name} lies deeper in the home directory, or is hidden: an agent cannot give its text"
            ),
            false => format!(
                "{name} is outside of the working directory, the project and /tmp: an agent cannot give its text"
            ),
        })
        .hint("write the text that you mean into a file of the project or of /tmp, or say it with --content")
        .exit(crate::failure::Exit::Refused))
    }

    /// Whether an argument names something that can be read to its end: a file, or a pipe such as `<(command)`.
    pub fn is_input(&self, name: &str) -> bool {
        let kind = self.disk.stat(&self.cwd.join(name)).ok().flatten().map(|stat| stat.kind);
        matches!(kind, Some(FileKind::File | FileKind::Other))
    }

    /// Whether a person is at the other end.
    pub fn interactive(&self) -> bool {
        std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
    }
}

/// The home that a command uses which is typed here without `--home`.
fn without_option(disk: Arc<RealDisk>, cwd: PathBuf) -> impl Fn() -> Option<PathBuf> {
    move || {
        let homes = homes::find(None, &*disk, StartedBy::Anybody).ok()?;
        Some(cwd.join(homes.home))
    }
}

/// An agent's variables may be a repository's, which would lead what is said there into a home of its own.
fn of_a_repository(variable: &str, home: &Path, dir: &Path) -> Failure {
    Failure::new(format!(
        "{variable} names a home in {}, where a repository may have brought it along: {}",
        dir.display(),
        home.display()
    ))
    .hint(format!("if you mean that home, name it: --home {}", engine::quoted(&home.display().to_string())))
}

fn of_an_agent(to_do: &str, which: &str) -> Failure {
    Failure::new(format!("an agent's session cannot {to_do} ({which})"))
        .hint("a person does it, in a terminal of their own")
}

/// What an environment variable says; nothing where it is empty.
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// What a command does, in a sentence.
fn to_do(command: &str) -> &str {
    match command {
        "review" => "approve or reject proposals",
        "resolve" => "decide what failed",
        "rollback" => "roll back",
        "enqueue" => "take over what other agents know",
        "hold" => "hold jobs",
        "init" => "list a project whose inbox is taken in",
        "release" => "release what is held",
        "deciders" => "say who may decide",
        "page" => "open the page to decide on it",
        "prune" => "clear away receipts",
        "purge" => "purge an item",
        other => other,
    }
}

/// What we print on.
pub fn page(wanted: Colour) -> Page {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = set("NO_COLOR") || std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    let wanted = match wanted {
        Colour::Auto => None,
        Colour::Always => Some(true),
        Colour::Never => Some(false),
    };
    Page::stdout(wanted, dumb)
}

#[cfg(not(feature = "crash-points"))]
fn disk() -> Result<RealDisk, Failure> {
    Ok(engine::system::disk())
}

/// In test builds `LAST_WORD_TROUBLE` orders crashes and errors.
#[cfg(feature = "crash-points")]
fn disk() -> Result<RealDisk, Failure> {
    let Ok(order) = std::env::var("LAST_WORD_TROUBLE") else { return Ok(engine::system::disk()) };
    engine::system::disk_with_injected_fault(&order)
        .ok_or_else(|| Failure::new(format!("LAST_WORD_TROUBLE=`{order}` cannot be read")))
}
