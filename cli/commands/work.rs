//! `work`: merges what waits and ends. Silent when all is well; a job that fails does not make the run fail.

use crate::failure::{self, Exit, Failure};
use crate::language::said;
use crate::world::World;
use crate::{logs, notices, render};
use engine::{Control, Stay, Turn, Watchdog, Watched, Worker, output, sentence};
use sd_notify::NotifyState;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::io::IsTerminal;
use std::time::Duration;

/// Merge what waits, and end
#[derive(Debug, clap::Args)]
#[command(after_help = "From cron, every minute:
  * * * * * $HOME/.cargo/bin/last-word work
Silent when all is well. A second `work` meanwhile ends at once with exit 0.")]
pub struct Args {
    /// Documents merged at the same time [default: one per core]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Wait for retries that are due within so many seconds
    #[arg(long, value_name = "SECS", default_value_t = Args::WAIT_RETRIES)]
    pub wait_retries: u64,
    /// Work beside a worker that runs already, instead of ending at once
    #[arg(long)]
    pub join: bool,
    /// Stay, and merge what comes; SIGTERM ends it, SIGHUP reads the settings anew
    #[arg(long, conflicts_with = "join")]
    pub watch: bool,
    /// Stay on, at most so many seconds, while something in pending/ has to wait (for systemd, which would start us again)
    #[arg(long, value_name = "SECS", conflicts_with_all = ["watch", "join"])]
    pub stay: Option<u64>,
    /// End with exit 1 when nothing moved for so many seconds; the next run recovers what was in hand
    #[arg(long, value_name = "SECS", default_value_t = Args::STUCK_AFTER, value_parser = clap::value_parser!(u64).range(1..))]
    pub stuck_after: u64,
    /// Leave the process session of whoever started it, so as to outlive it
    #[arg(long, hide = true)]
    pub own_session: bool,
}

impl Args {
    /// Seconds it waits for retries.
    pub const WAIT_RETRIES: u64 = 30;
    /// Seconds without anything that moves after which it ends.
    pub const STUCK_AFTER: u64 = 300;
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    if args.own_session {
        // It fails only where this process leads a process group already; such a group outlives its session anyway.
        let _ = rustix::process::setsid();
    }
    let control = stop_on_signals()?;
    match (begin(args, world, &control), args.stay) {
        (Err(failure), Some(stay)) => {
            // A service manager would start us again at once, in a loop.
            failure::print(&failure);
            wait(Duration::from_secs(stay), &control);
            Ok(failure.exit.code())
        }
        (other, _) => other,
    }
}

fn begin(args: &Args, world: &World, control: &Control) -> Result<u8, Failure> {
    world.check()?;
    let wait_retries = Duration::from_secs(args.wait_retries);
    let stays = args.watch || args.stay.is_some();
    let stuck_after = Duration::from_secs(args.stuck_after);
    let worker = world
        .worker(world.caller(None, None), world.person())
        .threads(args.threads)
        // A worker that stays has a timer for due retries.
        .wait_for_retries(if stays { Duration::ZERO } else { wait_retries })
        .join(args.join)
        .control(control.clone())
        .watchdog(Watchdog::new(world.host(), stuck_after, move || give_up(stuck_after)));
    if stays {
        let stay = |secs| Stay { at_most: Duration::from_secs(secs), wait_retries };
        return watch(&worker, args.stay.map(stay), control);
    }
    match worker.work()? {
        Turn::Busy => logs::said("busy", "another worker is running; it takes what waits"),
        Turn::Done(report) if world.json => render::json(&output::Run::from(&report))?,
        // Cron and systemd are told nothing of failed jobs; a person at a terminal is.
        Turn::Done(report) if world.verbose == 0 && std::io::stderr().is_terminal() => {
            let next = if report.failed + report.deferred > 0 {
                "; last-word status"
            } else if report.review > 0 {
                "; last-word review"
            } else {
                ""
            };
            render::tell(&format!("{}{next}", sentence(&report)));
        }
        Turn::Done(_) => {}
    }
    Ok(0)
}

/// Stays until it is told to end, or as long as `stay` says.
fn watch(worker: &Worker, stay: Option<Stay>, control: &Control) -> Result<u8, Failure> {
    wake_on_signals(control)?;
    // A third of systemd's watchdog interval, where there is one.
    let nap_max = sd_notify::watchdog_enabled().map(|dog| dog / 3);
    let watched = worker.watch(stay, nap_max)?;
    if watched == Watched::Already && stay.is_none() {
        return Err(Failure::new("another `work --watch` watches this home already")
            .hint("last-word status says who; one is enough")
            .exit(Exit::TryAgain));
    }
    notices::say(&[NotifyState::Stopping]);
    // A worker that stays for good has reported each run; of the other one the exit code is read.
    let in_trouble = stay.is_some() && watched == Watched::InTrouble;
    Ok(if in_trouble { failure::COULD_NOT } else { 0 })
}

/// Sleeps in short steps, so that a signal is noticed within a tenth of a second.
fn wait(time: Duration, control: &Control) {
    let naps = time.as_millis() / 100;
    for _ in 0..naps {
        if control.is_stopped() {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// SIGTERM and SIGINT end the run after the current batch; the other claims go back to the queue.
pub fn stop_on_signals() -> Result<Control, Failure> {
    let control = Control::new();
    for signal in [SIGTERM, SIGINT] {
        // A second signal ends the process at once: the next run recovers its claims.
        signal_hook::flag::register_conditional_default(signal, control.stop_flag())
            .and_then(|_| signal_hook::flag::register(signal, control.stop_flag()))
            .map_err(cannot_listen)?;
    }
    Ok(control)
}

/// Signals wake a worker that watches; flags say which signal it was. SIGHUP makes it read the settings again.
fn wake_on_signals(control: &Control) -> Result<(), Failure> {
    signal_hook::flag::register(SIGHUP, control.settings_flag()).map_err(cannot_listen)?;
    let mut signals =
        signal_hook::iterator::Signals::new([SIGTERM, SIGINT, SIGHUP]).map_err(cannot_listen)?;
    let control = control.clone();
    std::thread::spawn(move || {
        for _ in signals.forever() {
            control.wake();
        }
    });
    Ok(())
}

fn cannot_listen(e: std::io::Error) -> Failure {
    Failure::new(format!("cannot listen for signals: {e}"))
}

fn give_up(after: Duration) {
    render::tell(&format!(
        "nothing moved for {} s, so this run ends; what it had in hand is recovered by the next one",
        after.as_secs()
    ));
    let hint = "hint: last-word status; a lock that is never given back shows in: lsof +D ~/.config/agents/last-word/locks";
    crate::render::tell_line(said(hint));
    std::process::exit(i32::from(failure::COULD_NOT));
}
