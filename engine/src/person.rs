//! Whether a person asks, an agent, or something that is not proven to be either: from facts about processes alone. What each of
//! them may do is `may.rs`. Nobody is taken for a person because
//! nothing speaks against it: there must be a terminal, and between that and us nothing that decides by itself.

use agents::{Opens, Process};

/// What is known of the process that asks, and of those that started it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// The mark of an agent in our own environment.
    pub mark: Option<String>,
    /// Whether standard input, output or error is the terminal that our session belongs to.
    pub terminal: bool,
    /// Whoever started us, the nearest first; `None` where the system does not say.
    pub ancestors: Option<Vec<Ancestor>>,
    /// Whether the ancestors are all that there are as far as our process namespace reaches.
    pub is_complete: bool,
    /// Whether the process that the terminal's session began with is one of them, or ourselves.
    pub leader_is_ancestor: bool,
    /// Where a multiplexer or an editor opened the terminal: whether somebody may look at it, because a client is attached to it.
    pub is_watched: bool,
    /// Whether the program that opened the terminal was there before: nobody put it there just now under a known name.
    pub is_opener_installed: bool,
    /// Whether somebody logged in over the network from this very machine.
    pub from_here: bool,
}

/// A process that started us, or started who did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ancestor {
    /// What it is.
    pub process: Process,
    /// Whether it has a controlling terminal itself: what has none and is above one that has, opened that terminal.
    pub has_terminal: bool,
}

/// What the facts prove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    /// A person.
    Person,
    /// A person, if whoever is at the terminal can read and answer: the reason to ask.
    Ask(String),
    /// An agent: how it shows.
    Agent(String),
    /// Neither: why not.
    Unproven(String),
}

/// Which of the processes above us opened the terminal: the nearest that does not have it.
#[must_use]
pub fn opener(ancestors: &[Ancestor]) -> Option<usize> {
    ancestors.iter().position(|ancestor| !ancestor.has_terminal)
}

/// Decides whether a person asks.
#[must_use]
pub fn prove(facts: &Facts) -> Proof {
    prove_where(facts, false)
}

/// Whether a person may look at a terminal on which a client of a multiplexer shows things. As above, but a window may have been told to
/// start that client: many a terminal is set up so.
#[must_use]
pub fn may_look(facts: &Facts) -> bool {
    prove_where(facts, true) == Proof::Person
}

fn prove_where(facts: &Facts, windows_are_told: bool) -> Proof {
    if let Some(mark) = &facts.mark {
        return Proof::Agent(format!("{mark} is set"));
    }
    let ancestors = facts.ancestors.as_deref().unwrap_or_default();
    if let Some(which) = ancestors.iter().find_map(|ancestor| ancestor.process.agent()) {
        return Proof::Agent(which);
    }
    if !facts.terminal {
        return Proof::Unproven("neither standard input nor output nor error is its terminal".to_owned());
    }
    if facts.ancestors.is_none() {
        return Proof::Person;
    }
    // From us up to whatever opened the terminal; above that only agents count.
    let opened = opener(ancestors);
    let between = opened.map_or(ancestors, |opened| &ancestors[..=opened]);
    if let Some(unknown) = between.iter().find(|ancestor| !ancestor.process.is_plain()) {
        let (title, pid) = (unknown.process.title(), unknown.process.pid);
        return Proof::Ask(format!("`{title}` (process {pid}) stands between the terminal and this command"));
    }
    // All have the terminal: it was opened outside of our process namespace, by a person's shell or by an agent.
    if facts.is_complete && opened.is_none() && !ancestors.is_empty() {
        return Proof::Ask("what opened this terminal is outside of this container".to_owned());
    }
    if let Some(opener) = opened.and_then(|at| ancestors.get(at))
        && let Some(doubt) = doubt(facts, &opener.process, between, windows_are_told)
    {
        return Proof::Ask(doubt);
    }
    if !facts.leader_is_ancestor {
        return Proof::Ask("what started this command on the terminal has ended".to_owned());
    }
    Proof::Person
}

/// Why nobody need be at a terminal that a known program opened: it runs what it is told also where nobody looks.
fn doubt(facts: &Facts, opener: &Process, between: &[Ancestor], windows_are_told: bool) -> Option<String> {
    let program = format!("`{}` (process {})", opener.title(), opener.pid);
    let opens = opener.opens();
    if opens == Opens::Nothing {
        return Some(format!("{program} started this without a terminal of its own"));
    }
    if !facts.is_opener_installed {
        return Some(format!("the program of {program}, which opened this terminal, is not an hour old"));
    }
    if matches!(opens, Opens::Multiplexer | Opens::Editor) && !facts.is_watched {
        return Some(format!(
            "nobody known to be a person is attached to {program}, which opened this terminal"
        ));
    }
    let told = || Some(format!("{program} was told to run this command"));
    // On a console somebody logs in first.
    let mut with_terminal = between.iter().rev().filter(|ancestor| ancestor.has_terminal);
    if opener.manages_services()
        && !with_terminal.next().is_some_and(|first| first.process.opens() == Opens::Login)
    {
        return told();
    }
    // The first shell on the terminal: below one that runs a text stand others that only look as if somebody typed.
    let shells = between.iter().rev().filter(|ancestor| ancestor.has_terminal && ancestor.process.is_shell());
    if shells.map(|shell| &shell.process).next().is_some_and(Process::is_shell_to_type_in) {
        return None;
    }
    match opens {
        // `ssh -t host last-word review` is a person's, unless the host is where they are.
        Opens::Remote if !facts.from_here => None,
        Opens::Window if windows_are_told => None,
        _ => told(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ancestor(program: &str, has_terminal: bool) -> Ancestor {
        let process = Process { pid: 5, program: Some(format!("/usr/bin/{program}")), ..Process::default() };
        Ancestor { process, has_terminal }
    }

    /// A command on a terminal below these, the nearest first; those before `|` have the terminal.
    fn below(ancestors: &str) -> Facts {
        let (with, without) = ancestors.split_once('|').unwrap_or((ancestors, ""));
        let with = with.split_whitespace().map(|program| ancestor(program, true));
        let without = without.split_whitespace().map(|program| ancestor(program, false));
        Facts {
            terminal: true,
            ancestors: Some(with.chain(without).collect()),
            leader_is_ancestor: true,
            is_watched: true,
            is_opener_installed: true,
            ..Facts::default()
        }
    }

    #[test]
    fn what_a_multiplexer_was_told_to_run_is_asked() {
        let typed = below("bash | tmux systemd");
        assert_eq!(prove(&typed), Proof::Person);
        let detached = Facts { is_watched: false, ..typed.clone() };
        assert!(matches!(prove(&detached), Proof::Ask(why) if why.contains("a person is attached")));
        let told = below("| tmux systemd");
        assert!(matches!(prove(&told), Proof::Ask(why) if why.contains("was told to run")));
        for arguments in [["sh", "-c", "last-word review"], ["bash", "-lc", "x"], ["sh", "./script.sh", "x"]]
        {
            let mut by_text = typed.clone();
            let shell = &mut by_text.ancestors.as_mut().unwrap()[0].process;
            shell.arguments = arguments.map(str::to_owned).to_vec();
            assert!(matches!(prove(&by_text), Proof::Ask(_)), "{arguments:?}");
        }
    }

    #[test]
    fn what_an_opener_was_told_to_run_is_asked() {
        for ancestors in
            ["| xterm systemd", "| systemd", "bash | bash systemd", "| vim systemd", "bash | env"]
        {
            assert!(matches!(prove(&below(ancestors)), Proof::Ask(_)), "{ancestors}");
        }
        for opener in ["tmux", "vim", "emacs", "screen", "zellij"] {
            let unseen = Facts { is_watched: false, ..below(&format!("bash | {opener} systemd")) };
            assert!(
                matches!(prove(&unseen), Proof::Ask(why) if why.contains("a person is attached")),
                "{opener}"
            );
        }
        let mut piped = below("sh sh | xterm");
        piped.ancestors.as_mut().unwrap()[1].process.arguments =
            ["sh", "-c", "x | sh"].map(str::to_owned).to_vec();
        assert!(matches!(prove(&piped), Proof::Ask(why) if why.contains("was told to run")));
        let copied = Facts { is_opener_installed: false, ..below("bash | kitty systemd") };
        assert!(matches!(prove(&copied), Proof::Ask(why) if why.contains("not an hour old")));
        // Over the network a command may be told, but not from the same machine.
        let remote = below("| sshd-session sshd");
        assert_eq!(prove(&remote), Proof::Person);
        assert!(matches!(prove(&Facts { from_here: true, ..remote }), Proof::Ask(_)));
        let tunnel = Facts { from_here: true, ..below("bash | sshd-session sshd") };
        assert_eq!(prove(&tunnel), Proof::Person);
    }

    /// The attack: what lets nobody in and has no terminal itself opened one for a pipe.
    #[test]
    fn what_works_on_a_terminal_is_no_login_without_one() {
        for ancestors in [
            "bash | su sh systemd",
            "bash | runuser systemd",
            "bash su | sudo systemd",
            "bash | tini",
            "bash | nsenter systemd",
            "bash | systemd",
            "sudo bash | systemd",
        ] {
            assert!(matches!(prove(&below(ancestors)), Proof::Ask(_)), "{ancestors}");
        }
        for ancestors in
            ["bash su sudo bash | kitty", "bash su login | systemd", "bash tini agetty | systemd"]
        {
            assert_eq!(prove(&below(ancestors)), Proof::Person, "{ancestors}");
        }
    }

    /// The attack: an agent attaches a client to the multiplexer itself.
    #[test]
    fn who_attached_a_client_may_look() {
        for ancestors in
            ["tmux bash | kitty", "tmux | kitty", "tmux | sshd-session sshd", "tmux zsh | tmux systemd"]
        {
            assert!(may_look(&below(ancestors)), "{ancestors}");
        }
        for ancestors in [
            "tmux sh | script",
            "tmux bash | python3",
            "tmux claude bash | kitty",
            "tmux | systemd",
            "tmux bash | su",
        ] {
            assert!(!may_look(&below(ancestors)), "{ancestors}");
        }
        assert!(!may_look(&Facts { is_watched: false, ..below("tmux zsh | tmux systemd") }));
    }

    #[test]
    fn a_person_at_a_terminal_is_one() {
        for ancestors in [
            "bash | gnome-terminal-server gnome-session",
            "zsh | tmux systemd",
            "bash | sshd-session sshd",
            "bash login | systemd",
            "sudo bash | konsole unknown-desktop",
            "xargs sh bash | sshd",
            "fish nvim bash | kitty",
            "bash",
        ] {
            assert_eq!(prove(&below(ancestors)), Proof::Person, "{ancestors}");
        }
        assert_eq!(prove(&Facts { ancestors: None, ..below("") }), Proof::Person, "another system");
    }

    #[test]
    fn an_agent_is_none_wherever_it_is() {
        for ancestors in ["bash claude zsh | kitty", "sh python3 goose | systemd", "bash | tmux codex"] {
            assert!(matches!(prove(&below(ancestors)), Proof::Agent(_)), "{ancestors}");
        }
        let marked = Facts { mark: Some("AI_AGENT".to_owned()), ..below("bash | kitty") };
        assert_eq!(prove(&marked), Proof::Agent("AI_AGENT is set".to_owned()));
        let gone = Facts { terminal: false, ..below("sh goose") };
        assert!(matches!(prove(&gone), Proof::Agent(_)), "an agent is named before the terminal is");
    }

    #[test]
    fn what_may_be_a_program_is_asked() {
        for ancestors in
            ["bash script bash | kitty", "sh | python3", "sh python3 bash | xterm", "bash | new-agent"]
        {
            assert!(matches!(prove(&below(ancestors)), Proof::Ask(_)), "{ancestors}");
        }
        let orphan = Facts { leader_is_ancestor: false, ..below("| systemd") };
        assert!(matches!(prove(&orphan), Proof::Ask(_)));
    }

    #[test]
    fn in_a_namespace_of_its_own_a_terminal_proves_nothing() {
        for ancestors in ["bash", "sh script", "fish bash"] {
            let facts = Facts { is_complete: true, ..below(ancestors) };
            assert!(matches!(prove(&facts), Proof::Ask(_)), "{ancestors}");
        }
        // Also the first process of it is what its program is.
        let mut facts = below("sh | script");
        for ancestor in facts.ancestors.iter_mut().flatten() {
            ancestor.process.pid = 1;
        }
        assert!(matches!(prove(&facts), Proof::Ask(_)));
        let plain = Facts { is_complete: true, ..below("bash | sshd systemd") };
        assert_eq!(prove(&plain), Proof::Person);
    }

    #[test]
    fn without_a_terminal_nobody_is_proven() {
        let facts = Facts { terminal: false, ..below("bash | kitty") };
        assert!(matches!(prove(&facts), Proof::Unproven(_)));
    }
}
