//! The world as the process finds it: environment, clock, chance, directories, configuration. The only place that reads
//! them.

use crate::args::{Colour, Global};
use crate::failure::Failure;
use crate::render::Page;
use declaration::{Declaration, Problem, Target, Timestamp, Trust};
use documents::Documents;
use durable::{Disk, Kind, RealDisk};
use policy::knowledge_base::{Root, Surroundings};
use policy::settings::Settings;
use policy::time_words::Moment;
use producer::Said;
use queue_layout::{Layout, Producer, Queue};
use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// The defaults of every setting, and what `init` writes.
pub const DEFAULT_CONFIG: &str = include_str!("default-config.yaml");

/// Which build this is, for what it keeps of the configuration: its version, and the defaults it was built with.
const BUILD: u64 = mark(env!("CARGO_PKG_VERSION"), mark(DEFAULT_CONFIG, 0xcbf2_9ce4_8422_2325));

/// The FNV-1a hash of a text, going on from another one's.
const fn mark(text: &str, seed: u64) -> u64 {
    let (bytes, mut at, mut hash) = (text.as_bytes(), 0, seed);
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
        at += 1;
    }
    hash
}

/// The largest configuration, twice over: what is kept of one holds its text.
const CACHE_BYTES_MAX: u64 = 1 << 20;

/// Largest standard input that is read, in bytes.
const STDIN_BYTES_MAX: u64 = 16 << 20;

/// What a command works with.
#[derive(Debug)]
pub struct World {
    /// The disk.
    pub disk: Arc<RealDisk>,
    /// The home's layout.
    pub layout: Layout,
    /// The user's home directory.
    pub user_home: PathBuf,
    /// The working directory.
    pub cwd: PathBuf,
    /// What we print on.
    pub page: Page,
    /// Machine-readable output.
    pub json: bool,
    /// How much to say on stderr.
    pub verbose: u8,
}

impl World {
    /// Reads environment and arguments.
    pub fn new(global: &Global) -> Result<World, Failure> {
        let cwd = std::env::current_dir().map_err(|e| {
            Failure::new(format!("cannot find the working directory: {e}")).hint("cd somewhere that exists")
        })?;
        let user_home = std::env::var_os("HOME")
            .map(PathBuf::from)
            .filter(|home| home.is_absolute())
            .ok_or_else(|| {
                Failure::new("HOME is not set to an absolute path")
                    .hint("set HOME; under cron, write it into the crontab")
            })?;
        let home = global.home.clone().or_else(|| env_path("LAST_WORD_HOME")).unwrap_or_else(|| {
            let config = env_path("XDG_CONFIG_HOME").filter(|dir| dir.is_absolute());
            config.unwrap_or_else(|| user_home.join(".config")).join("agents/last-word")
        });
        let layout = Layout::new(cwd.join(home));
        let page = page(global.color);
        Ok(World {
            disk: Arc::new(disk()?.timed(ticks_us)),
            layout,
            user_home,
            cwd,
            page,
            json: global.json,
            verbose: global.verbose,
        })
    }

    /// The time now.
    pub fn now(&self) -> Timestamp {
        now()
    }

    /// The day it is for whoever speaks here.
    pub fn moment(&self) -> Moment {
        let east = chrono::Local::now().offset().local_minus_utc() / 60;
        Moment::new(self.now(), east)
    }

    /// The queue, once its home was found complete.
    pub fn queue(&self) -> Result<Queue, Failure> {
        self.layout.check(&*self.disk)?;
        Ok(Queue::new(self.disk.clone(), self.layout.clone()))
    }

    /// The documents' history and locks.
    pub fn documents(&self) -> Documents {
        Documents::new(self.disk.clone(), self.layout.history(), self.layout.locks())
    }

    /// The configuration; the defaults where the home has none.
    pub fn settings(&self) -> Result<Settings, Failure> {
        Ok(self.read_settings()?.0)
    }

    /// The same, and kept as read for hooks, which have no time to read it. That it cannot be kept is no failure.
    pub fn settings_to_keep(&self) -> Result<Settings, Failure> {
        let (settings, fresh) = self.read_settings()?;
        if let Some(bytes) = fresh.and_then(|text| settings.to_kept(&text, BUILD)) {
            let _ = self.layout.keep_config(&*self.disk, &bytes);
        }
        Ok(settings)
    }

    /// The configuration, and its text where it had to be read because it is not kept.
    fn read_settings(&self) -> Result<(Settings, Option<String>), Failure> {
        let path = self.layout.config();
        let text = match self.disk.read(&path, 1 << 20) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok((defaults()?, None)),
            Err(e) => return Err(e.into()),
        };
        let name = self.short(&path);
        let text = String::from_utf8(text).map_err(|e| {
            Failure::new(format!("{name} is not UTF-8 text at byte {}", e.utf8_error().valid_up_to()))
        })?;
        let kept = self.disk.read(&self.layout.config_cache(), CACHE_BYTES_MAX).ok();
        if let Some(settings) = kept.and_then(|bytes| Settings::from_kept(&bytes, &text, BUILD)) {
            return Ok((settings, None));
        }
        let defaults = defaults()?;
        let read =
            if text == DEFAULT_CONFIG { Ok(defaults) } else { Settings::parse(&text, Some(&defaults)) };
        let settings = read.map_err(|problems| {
            let mut failure = Failure::refused(&name, &problems).hint("last-word validate");
            failure.code = crate::failure::COULD_NOT;
            failure
        })?;
        Ok((settings, Some(text)))
    }

    /// The project the working directory is in: the nearest directory above it with `.agents/` or `.git`.
    pub fn project(&self) -> Option<PathBuf> {
        let marked = |dir: &&Path| {
            [".agents", ".git"]
                .iter()
                .any(|mark| self.disk.stat(&dir.join(mark)).is_ok_and(|stat| stat.is_some()))
        };
        // The user's home directory is nobody's project, even when it is under version control.
        self.cwd.ancestors().take_while(|dir| *dir != self.user_home).find(marked).map(Path::to_owned)
    }

    /// The same, where one of these declarations may be about it: it costs a look into every directory above us.
    pub fn project_of(&self, declarations: &[Declaration], settings: &Settings) -> Option<PathBuf> {
        let may_be = |target: &Target| match target {
            Target::Kb(name) => settings.knowledge_base(name).is_some_and(|base| base.root == Root::Project),
            Target::Path(_) | Target::Url(_) => true,
        };
        let mut entries = declarations.iter().flat_map(|declaration| &declaration.entries);
        entries.any(|entry| may_be(&entry.key.target)).then(|| self.project()).flatten()
    }

    /// Where declarations of this process come from.
    pub fn around<'a>(&'a self, project: Option<&'a Path>) -> Surroundings<'a> {
        Surroundings { home: &self.user_home, project, cwd: &self.cwd, today: None }
    }

    /// The same on a day: `{date}` is that one.
    pub fn around_on<'a>(&'a self, project: Option<&'a Path>, today: &'a str) -> Surroundings<'a> {
        Surroundings { today: Some(today), ..self.around(project) }
    }

    /// Resolves links, for targets.
    pub fn canonicalise(&self, path: &Path) -> std::io::Result<PathBuf> {
        self.documents().canonical(path).map_err(|e| e.source)
    }

    /// Who says something here, and where, for whoever makes drafts of it.
    pub fn saying<T>(
        &self,
        settings: &Settings,
        producer: &Producer,
        project: Option<&Path>,
        run: impl FnOnce(Said<'_>) -> T,
    ) -> T {
        run(Said {
            bases: &settings.knowledge_bases,
            around: self.around(project),
            canonicalise: &|path| self.canonicalise(path),
            producer,
            moment: &|| self.moment(),
            key: None,
        })
    }

    /// Who we are, as we see it ourselves.
    pub fn producer(&self, agent: Option<&str>, session: Option<&str>, event: &str) -> Producer {
        let said = |flag: Option<&str>, variable: &str| {
            flag.map(str::to_owned).or_else(|| std::env::var(variable).ok()).unwrap_or_default()
        };
        let agent = said(agent, "LAST_WORD_AGENT");
        let is_agent = !agent.is_empty() || agents::mark(std::env::vars_os()).is_some();
        Producer {
            trust: Some(if is_agent { Trust::Agent } else { Trust::User }),
            agent,
            session: said(session, "LAST_WORD_SESSION"),
            event: event.to_owned(),
            host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
            pid: Some(std::process::id()),
            cwd: Some(self.cwd.clone()),
        }
    }

    /// The person at the keyboard.
    pub fn person(&self) -> String {
        ["USER", "LOGNAME"]
            .iter()
            .find_map(|name| std::env::var(name).ok().filter(|name| !name.is_empty()))
            .or_else(|| self.login_name())
            .unwrap_or_else(|| format!("uid {}", rustix::process::getuid().as_raw()))
    }

    /// The name of our user id, where neither cron nor a shell has said it.
    fn login_name(&self) -> Option<String> {
        let bytes = self.disk.read(Path::new("/etc/passwd"), 1 << 20).ok()?;
        let uid = rustix::process::getuid().as_raw().to_string();
        let text = String::from_utf8_lossy(&bytes);
        let line = text.lines().find(|line| line.split(':').nth(2) == Some(uid.as_str()))?;
        line.split(':').next().filter(|name| !name.is_empty()).map(str::to_owned)
    }

    /// What only a person may do: what an agent proposes, it does not approve. An agent's shell is known by the marks the
    /// agents leave in the environment of their commands. This keeps the honest from deciding by mistake; who takes the
    /// marks away could write the document as well.
    pub fn refuse_agents(&self, to_do: &str) -> Result<(), Failure> {
        let Some(mark) = agents::mark(std::env::vars_os()) else { return Ok(()) };
        Err(Failure::new(format!("an agent's session cannot {to_do} ({mark} is set)"))
            .hint("do it from a shell of your own"))
    }

    /// The workers and operators at work now.
    pub fn working(&self, queue: &Queue) -> Result<Vec<String>, Failure> {
        let mut working = Vec::new();
        for worker in queue.claimants()? {
            if queue.is_alive(&worker)? {
                working.push(worker);
            }
        }
        Ok(working)
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
            if self.disk.stat(&path)?.is_some_and(|stat| stat.kind == Kind::Directory) {
                return Err(
                    Failure::new(format!("{name} is a directory")).hint("name the declarations in it")
                );
            }
            return self.disk.read(&path, STDIN_BYTES_MAX).map_err(|e| match e.kind() {
                std::io::ErrorKind::NotFound => {
                    Failure::new(format!("{name} does not exist")).hint("check the path")
                }
                std::io::ErrorKind::FileTooLarge => {
                    Failure::new(format!("{name} is larger than {STDIN_BYTES_MAX} bytes"))
                        .code(crate::failure::REFUSED)
                }
                _ => e.into(),
            });
        }
        let mut bytes = Vec::new();
        std::io::stdin()
            .lock()
            .take(STDIN_BYTES_MAX + 1)
            .read_to_end(&mut bytes)
            .map_err(|e| Failure::new(format!("cannot read standard input: {e}")))?;
        if bytes.len() as u64 > STDIN_BYTES_MAX {
            let message = format!("standard input is larger than {STDIN_BYTES_MAX} bytes");
            return Err(Failure::new(message).code(crate::failure::REFUSED));
        }
        Ok(bytes)
    }

    /// Whether an argument names a file that is there.
    pub fn is_file(&self, name: &str) -> bool {
        self.disk
            .stat(&self.cwd.join(name))
            .is_ok_and(|stat| stat.is_some_and(|stat| stat.kind == Kind::File))
    }

    /// Whether a person sits at the other end.
    pub fn interactive(&self) -> bool {
        std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
    }

    /// A path as a person writes it: with `~`.
    pub fn short(&self, path: &Path) -> String {
        match path.strip_prefix(&self.user_home) {
            Ok(rest) => Path::new("~").join(rest).display().to_string(),
            Err(_) => path.display().to_string(),
        }
    }
}

/// The defaults that are in the binary.
pub fn defaults() -> Result<Settings, Failure> {
    Settings::parse(DEFAULT_CONFIG, None).map_err(|problems: Vec<Problem>| {
        // A bug of this build, held by a test.
        Failure::refused("the default configuration", &problems)
    })
}

/// The time now. A clock before 1970 counts as 1970.
pub fn now() -> Timestamp {
    #[cfg(feature = "crash-points")]
    if let Some(simulated) = simulated_now() {
        return simulated;
    }
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// 64 random bits from the kernel.
pub fn random() -> u64 {
    let mut bytes = [0u8; 8];
    match rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty()) {
        Ok(8) => u64::from_ne_bytes(bytes),
        // No randomness is no reason to lose a declaration: process id and nanoseconds keep two apart.
        _ => {
            let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.subsec_nanos());
            (u64::from(std::process::id()) << 32) ^ u64::from(nanos)
        }
    }
}

fn page(wanted: Colour) -> Page {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = set("NO_COLOR") || std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    let wanted = match wanted {
        Colour::Auto => None,
        Colour::Always => Some(true),
        Colour::Never => Some(false),
    };
    Page::stdout(wanted, dumb)
}

fn env_path(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// In test builds `LAST_WORD_CLOCK=<ms>x<rate>` is the clock on the wall: what it said when we were started, and how much
/// faster than ours it runs.
#[cfg(feature = "crash-points")]
fn simulated_now() -> Option<Timestamp> {
    static CLOCK: OnceLock<Option<(u64, u64)>> = OnceLock::new();
    let read = || {
        let order = std::env::var("LAST_WORD_CLOCK").ok()?;
        let (at, rate) = order.split_once('x')?;
        Some((at.parse().ok()?, rate.parse().ok()?))
    };
    let (at, rate) = (*CLOCK.get_or_init(read))?;
    Some(Timestamp(at + ticks_us() / 1000 * rate))
}

/// Microseconds of a clock that is never set.
fn ticks_us() -> u64 {
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    u64::try_from(BEGAN.get_or_init(Instant::now).elapsed().as_micros()).unwrap_or(u64::MAX)
}

#[cfg(not(feature = "crash-points"))]
fn disk() -> Result<RealDisk, Failure> {
    Ok(RealDisk::new())
}

/// In test builds `LAST_WORD_TROUBLE` orders crashes and errors.
#[cfg(feature = "crash-points")]
fn disk() -> Result<RealDisk, Failure> {
    let Ok(order) = std::env::var("LAST_WORD_TROUBLE") else { return Ok(RealDisk::new()) };
    let trouble = durable::Trouble::parse(&order)
        .ok_or_else(|| Failure::new(format!("LAST_WORD_TROUBLE=`{order}` cannot be read")))?;
    Ok(RealDisk::with_trouble(trouble))
}
