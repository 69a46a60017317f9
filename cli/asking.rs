//! Who asks: what the system says about our process and the processes that started it; and, where only an answer can tell,
//! a question on the terminal.

use crate::failure::Failure;
use crate::language::said;
use crate::opening;
use crate::wrap::broken_for;
use agents::{Opens, Process};
use durable::{Disk, RealDisk};
use engine::person::{Ancestor, Facts, Proof, may_look, opener, prove};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::termios::{QueueSelector, tcflush};
use std::ffi::OsString;
use std::io::IsTerminal;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

/// The most of a process's command line or environment that is read, in bytes.
const PROCESS_BYTES_MAX: u64 = 4 << 20;
/// How many processes above us are looked at; with more above us no person is assumed.
const ANCESTORS_MAX: usize = 100;
/// How many multiplexers in each other are looked through.
const NESTED_MAX: u32 = 4;
/// How long we wait for an answer, in seconds.
const ANSWER_S: i64 = 120;

/// What the facts prove. `thorough`: where no terminal is in use, look at who started us too, so that an agent can be
/// named.
pub fn proof(disk: &RealDisk, thorough: bool) -> Proof {
    let mut facts = Facts { mark: agents::mark(std::env::vars_os()), ..Facts::default() };
    let streams = terminals();
    if facts.mark.is_some() || streams.is_empty() && !thorough {
        return prove(&facts);
    }
    match own(disk) {
        Some(own) => {
            facts.terminal = own.session == 0 || streams.iter().any(|fd| leads(*fd, own.session));
            let (ancestors, is_complete) = ancestors(disk, own.parent);
            facts.is_complete = is_complete;
            facts.leader_is_ancestor = own.session == std::process::id()
                || ancestors.iter().any(|ancestor| ancestor.process.pid == own.session);
            // Below an agent none of this counts, and tmux need not be asked.
            let is_agents = ancestors.iter().any(|ancestor| ancestor.process.agent().is_some());
            if let Some(at) = opener(&ancestors).filter(|_| facts.terminal && !is_agents) {
                let connection = std::env::var_os(CONNECTION);
                look_at_opener(
                    disk,
                    &ancestors,
                    at,
                    Ours { terminal: own.terminal, connection, nested: 0 },
                    &mut facts,
                );
            }
            facts.ancestors = Some(ancestors);
        }
        // Linux without /proc does not say who started us; other systems never do.
        None => {
            facts.ancestors = cfg!(target_os = "linux").then(Vec::new);
            let session =
                rustix::process::getsid(None).map_or(0, |id| id.as_raw_nonzero().get().unsigned_abs());
            facts.terminal = streams.iter().any(|fd| leads(*fd, session));
        }
    }
    facts.terminal &= !streams.is_empty();
    prove(&facts)
}

/// Whether a person may sit at the terminal of another process, a client of what opened ours.
fn is_a_persons(disk: &RealDisk, pid: u32, nested: u32) -> bool {
    let Some(client) = stat(disk, &pid.to_string()).filter(|client| client.terminal != 0) else {
        return false;
    };
    let (ancestors, is_complete) = ancestors(disk, pid);
    if nested > NESTED_MAX || ancestors.iter().any(|ancestor| ancestor.process.agent().is_some()) {
        return false;
    }
    let leader_is_ancestor = ancestors.iter().any(|ancestor| ancestor.process.pid == client.session);
    let mut facts = Facts { terminal: true, is_complete, leader_is_ancestor, ..Facts::default() };
    if let Some(at) = opener(&ancestors) {
        let its = Ours { terminal: client.terminal, connection: None, nested };
        look_at_opener(disk, &ancestors, at, its, &mut facts);
    }
    facts.ancestors = Some(ancestors);
    may_look(&facts)
}

/// The processes above us, the nearest first, as far as the system shows them.
pub fn above_us(disk: &RealDisk) -> Vec<Ancestor> {
    own(disk).map(|own| ancestors(disk, own.parent).0).unwrap_or_default()
}

/// Those of our standard streams that are terminals.
fn terminals() -> Vec<BorrowedFd<'static>> {
    let streams = [rustix::stdio::stdin(), rustix::stdio::stdout(), rustix::stdio::stderr()];
    streams.into_iter().filter(IsTerminal::is_terminal).collect()
}

/// Whether a terminal is the controlling terminal of this session.
fn leads(terminal: BorrowedFd<'_>, session: u32) -> bool {
    rustix::termios::tcgetsid(terminal)
        .is_ok_and(|leader| leader.as_raw_nonzero().get().unsigned_abs() == session)
}

/// What the system says of a process in `/proc/<pid>/stat`.
pub struct ProcessStat {
    /// What it calls itself.
    pub name: String,
    parent: u32,
    session: u32,
    /// The number of its controlling terminal, 0 for none.
    pub terminal: u32,
}

fn own(disk: &RealDisk) -> Option<ProcessStat> {
    stat(disk, "self")
}

/// What the system says of a process, by its id or `self`.
pub fn stat(disk: &RealDisk, pid: &str) -> Option<ProcessStat> {
    let bytes = disk.read(&Path::new("/proc").join(pid).join("stat"), PROCESS_BYTES_MAX).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    // A program's name may contain blanks and brackets: the fields begin after the last bracket.
    let (before, after) = text.rsplit_once(')')?;
    let name = before.split_once('(')?.1.to_owned();
    let mut fields = after.split_whitespace().skip(1);
    let parent = fields.next()?.parse().ok()?;
    let session = fields.nth(1)?.parse().ok()?;
    // Signed, as the kernel prints it.
    let terminal = fields.next()?.parse::<i32>().ok()?.cast_unsigned();
    Some(ProcessStat { name, parent, session, terminal })
}

/// The processes above us, the nearest first, as far as they can be seen; whether these are all in our namespace.
fn ancestors(disk: &RealDisk, parent: u32) -> (Vec<Ancestor>, bool) {
    let mut ancestors = Vec::new();
    let mut pid = parent;
    while pid != 0 && ancestors.len() < ANCESTORS_MAX {
        let Some(stat) = stat(disk, &pid.to_string()) else { break };
        let mut process = process(disk, pid, stat.name);
        process.hides = process.program.is_none() && hides(disk, pid, stat.parent);
        ancestors.push(Ancestor { process, has_terminal: stat.terminal != 0 });
        pid = stat.parent;
    }
    (ancestors, pid == 0)
}

/// What the system says of a process, as far as we may see it.
fn process(disk: &RealDisk, pid: u32, name: String) -> Process {
    let dir = Path::new("/proc").join(pid.to_string());
    let read = |name: &str| disk.read(&dir.join(name), PROCESS_BYTES_MAX).unwrap_or_default();
    let words = |bytes: Vec<u8>| -> Vec<Vec<u8>> {
        bytes.split(|byte| *byte == 0).filter(|word| !word.is_empty()).map(<[u8]>::to_vec).collect()
    };
    let program = disk.read_link(&dir.join("exe")).ok();
    Process {
        pid,
        name,
        program: program.map(|path| path.to_string_lossy().into_owned()),
        arguments: words(read("cmdline")).into_iter().map(text).collect(),
        environment: words(read("environ")).into_iter().filter_map(variable).collect(),
        hides: false,
    }
}

/// Whether a process whose program the system does not show is our own user's and chose that (`PR_SET_DUMPABLE`): nothing had
/// raised its rights, and it is not what a login of root's became for us, as each `sshd` does.
fn hides(disk: &RealDisk, pid: u32, parent: u32) -> bool {
    let own = rustix::process::getuid().as_raw().to_string();
    let Some((users, groups)) = identities(disk, pid) else { return false };
    let is_ours = users.iter().all(|user| *user == own);
    let is_raised = groups.iter().any(|group| *group != groups[0]);
    let of_login = || {
        let name = stat(disk, &parent.to_string()).map(|stat| stat.name).unwrap_or_default();
        let is_of_root =
            identities(disk, parent).is_some_and(|(users, _)| users.iter().all(|user| user == "0"));
        is_of_root && Process { name, ..Process::default() }.opens() == Opens::Remote
    };
    is_ours && !is_raised && !of_login()
}

/// The ids of users and groups by which a process acts: the real, the effective, the saved one and that for files.
fn identities(disk: &RealDisk, pid: u32) -> Option<(Vec<String>, Vec<String>)> {
    let path = Path::new("/proc").join(pid.to_string()).join("status");
    let text = text(disk.read(&path, PROCESS_BYTES_MAX).ok()?);
    let of = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        let ids: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        (!ids.is_empty()).then_some(ids)
    };
    Some((of("Uid:")?, of("Gid:")?))
}

/// Says from where somebody logged in.
const CONNECTION: &str = "SSH_CONNECTION";

/// What is known of the process whose terminal it is, without looking above it.
struct Ours {
    /// The number of its terminal.
    terminal: u32,
    /// Its `CONNECTION`, where it is ourselves.
    connection: Option<OsString>,
    /// Below how many multiplexers it is.
    nested: u32,
}

/// Finds out about the process that opened our terminal, which is at this place above us: whether its program was there
/// before, whether somebody may look at the terminal, whether they came from this machine.
fn look_at_opener(disk: &RealDisk, ancestors: &[Ancestor], at: usize, ours: Ours, facts: &mut Facts) {
    let (between, above) = ancestors.split_at(at);
    let Some(opener) = above.first().map(|ancestor| &ancestor.process) else { return };
    facts.is_opener_installed = opening::is_installed(disk, opener);
    if facts.is_opener_installed {
        // The terminal of the first process on it: `sudo` gives those below it another one.
        let first = between.last().and_then(|first| stat(disk, &first.process.pid.to_string()));
        let terminal = first.map_or(ours.terminal, |first| first.terminal);
        let by_person = |pid: u32| is_a_persons(disk, pid, ours.nested + 1);
        let above = above.get(1).map(|next| &next.process);
        facts.is_watched = opening::is_watched(disk, opener, above, terminal, &by_person);
    }
    let mut named = between.iter().flat_map(|ancestor| &ancestor.process.environment);
    let of_others = || named.find(|(name, _)| name == CONNECTION).map(|(_, value)| value.clone());
    facts.from_here = ours.connection.or_else(of_others).is_some_and(|told| opening::is_from_here(&told));
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

fn variable(bytes: Vec<u8>) -> Option<(OsString, OsString)> {
    let at = bytes.iter().position(|byte| *byte == b'=')?;
    let value = bytes.get(at + 1..)?.to_vec();
    Some((OsString::from_vec(bytes.get(..at)?.to_vec()), OsString::from_vec(value)))
}

/// Asks whoever is at the terminal to type back something that cannot be known before it is shown.
pub fn ask(why: &str) -> Result<(), Failure> {
    const WORDS: [&str; 10] =
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    let mut rest = engine::system::random();
    let mut digits = String::new();
    let mut spelled = Vec::new();
    for _ in 0..5 {
        let digit = usize::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
        digits.push_str(&digit.to_string());
        spelled.push(said(WORDS.get(digit).copied().unwrap_or_default()));
    }
    let question = format!(
        "last-word: {}{}\n{}\n  {}\n> ",
        crate::visible::visible(&said(why)),
        said("."),
        said("To show that a person decides, type these digits as a number, and Enter:"),
        spelled.join(" ")
    );
    let refused = |why: &str| {
        Failure::new(format!("nobody is known to decide here: {why}")).hint(
            "type it in a terminal of your own; a person lets a script decide with `last-word deciders`",
        )
    };
    let terminals = terminals();
    for terminal in &terminals {
        // Input that was typed before the question is not an answer to it.
        let _ = tcflush(terminal, QueueSelector::IFlush);
    }
    let ask = |terminal: &BorrowedFd<'_>| {
        rustix::io::write(terminal, broken_for(*terminal, &question).as_bytes()).is_ok()
    };
    if !terminals.iter().any(ask) {
        return Err(refused("the terminal cannot be written to"));
    }
    match answer(&terminals) {
        Some(line) if line.trim() == digits => Ok(()),
        Some(_) => Err(refused("wrong number; nothing was done")),
        None => Err(refused("there was no answer")),
    }
}

/// A line from the first of these that can be read; `None` when none comes in time.
fn answer(terminals: &[BorrowedFd<'_>]) -> Option<String> {
    let mut line = Vec::new();
    let mut buffer = [0_u8; 256];
    for terminal in terminals {
        while !line.contains(&b'\n') && line.len() < 4096 {
            let wait = Timespec { tv_sec: ANSWER_S, tv_nsec: 0 };
            match poll(&mut [PollFd::new(&terminal.as_fd(), PollFlags::IN)], Some(&wait)) {
                Ok(0) => return None,
                Err(Errno::INTR) => continue,
                _ => {}
            }
            match rustix::io::read(terminal, &mut buffer) {
                Ok(0) => return None,
                Ok(read) => line.extend_from_slice(buffer.get(..read).unwrap_or_default()),
                Err(Errno::INTR | Errno::AGAIN) => {}
                // This one is open for writing only.
                Err(_) => break,
            }
        }
    }
    (!line.is_empty()).then(|| text(line))
}
