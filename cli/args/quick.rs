//! The command lines of those commands that agents' hooks wait for, and of the worker that cron starts every minute, read
//! without the tables that clap builds for all of them. It knows only what is plain: everything else, and everything
//! wrong, is left to clap, whose word counts (`tests::what_is_read_here_clap_reads_the_same`).

use super::{
    Args, Colour, Command, Enqueue, EntryFlags, Flush, Global, Hook, Plan, SpeakerFlags, TrustName, Work,
};
use clap::ValueEnum;
use std::ffi::OsString;
use std::str::FromStr;

/// The arguments behind the program's name; `None` when they are for clap.
pub fn read(words: impl Iterator<Item = OsString>) -> Option<Args> {
    let mut words = words.map(|word| word.into_string().ok());
    let mut global = Said::default();
    let command = loop {
        match words.next()?? {
            word if word.starts_with('-') => global.flag(&word, &mut words, &[], &[])?,
            word => break word,
        }
    };
    let (flags, switches, files): (&[&[_]], &[_], _) = match command.as_str() {
        "enqueue" => (&ENQUEUE, &[], true),
        "plan" => (&PLAN, &["list"], false),
        "flush" => (&[&SPEAKER], &["all"], false),
        "hook" => (&[&["agent"]], &[], false),
        "work" => (&[&WORK], &["join", "watch", "own-session"], false),
        _ => return None,
    };
    let mut said = global;
    while let Some(word) = words.next() {
        match word? {
            word if word != "-" && word.starts_with('-') => said.flag(&word, &mut words, flags, switches)?,
            word if files => said.files.push(word),
            _ => return None,
        }
    }
    let global = said.global()?;
    let command = match command.as_str() {
        "enqueue" => Command::Enqueue(said.enqueue()?),
        "plan" => Command::Plan(said.plan()?),
        "flush" => Command::Flush(said.flush()?),
        "work" => Command::Work(said.work()?),
        _ => Command::Hook(Hook { agent: said.take("agent")? }),
    };
    said.given.is_empty().then_some(Args { global, command })
}

const ENTRY: [&str; 10] =
    ["to", "heading", "level", "op", "content", "old-text", "reason", "confidence", "trust", "review-by"];
const SPEAKER: [&str; 2] = ["agent", "session"];
const ENQUEUE: [&[&str]; 3] = [&ENTRY, &SPEAKER, &["key"]];
const PLAN: [&[&str]; 3] = [&ENTRY, &SPEAKER, &["drop"]];
const WORK: [&str; 4] = ["threads", "wait-retries", "stay", "stuck-after"];

/// Flags whose value may begin with a hyphen.
const HYPHENS: [&str; 3] = ["content", "key", "old-text"];

/// What was said, in its order.
#[derive(Default)]
struct Said {
    given: Vec<(&'static str, String)>,
    files: Vec<String>,
}

impl Said {
    /// Takes in one flag and its value, if it is one of these and stands here for the first time.
    fn flag(
        &mut self,
        word: &str,
        words: &mut dyn Iterator<Item = Option<String>>,
        flags: &[&[&'static str]],
        switches: &[&'static str],
    ) -> Option<()> {
        let word = word.strip_prefix("--")?;
        let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        let known =
            |names: &[&[&'static str]]| names.iter().copied().flatten().copied().find(|known| *known == name);
        let (name, value) = if let Some(name) = known(&[switches, &["json"]]) {
            (value.is_none().then_some(name)?, String::new())
        } else {
            let name = known(flags).or_else(|| known(&[&["home", "color"]]))?;
            let value = value.map_or_else(|| words.next().flatten(), |value| Some(value.to_owned()))?;
            let plain = !value.is_empty() && (value == "-" || !value.starts_with('-'));
            (plain || HYPHENS.contains(&name)).then_some((name, value))?
        };
        let first = name == "heading" || self.given.iter().all(|(known, _)| *known != name);
        first.then(|| self.given.push((name, value)))
    }

    fn take(&mut self, name: &str) -> Option<String> {
        let at = self.given.iter().position(|(known, _)| *known == name)?;
        Some(self.given.remove(at).1)
    }

    /// A value as clap would read it; `None` inside where the flag is not there, outside where it makes no sense.
    fn parsed<T: FromStr>(&mut self, name: &str) -> Option<Option<T>> {
        self.take(name).map(|text| text.parse().ok()).map_or(Some(None), |value| value.map(Some))
    }

    fn trust(&mut self) -> Option<Option<TrustName>> {
        match self.take("trust") {
            None => Some(None),
            Some(name) => TrustName::from_str(&name, false).ok().map(Some),
        }
    }

    fn global(&mut self) -> Option<Global> {
        let color = match self.take("color").as_deref() {
            None | Some("auto") => Colour::Auto,
            Some("always") => Colour::Always,
            Some("never") => Colour::Never,
            Some(_) => return None,
        };
        let json = self.take("json").is_some();
        Some(Global { home: self.take("home").map(Into::into), json, color, verbose: 0 })
    }

    /// One entry by flags, or none of its flags.
    fn entry(&mut self) -> Option<EntryFlags> {
        let any = self.given.iter().any(|(name, _)| ENTRY.contains(name));
        let to = self.take("to");
        let mut heading = Vec::new();
        while let Some(text) = self.take("heading") {
            heading.push(text);
        }
        let whole = to.is_some() && !heading.is_empty();
        (whole || !any).then_some(())?;
        Some(EntryFlags {
            to,
            heading,
            level: self.parsed("level")?.unwrap_or(2),
            op: self.take("op"),
            content: self.take("content"),
            old_text: self.take("old-text"),
            reason: self.take("reason"),
            confidence: self.parsed("confidence")?,
            trust: self.trust()?,
            review_by: self.take("review-by"),
        })
    }

    fn enqueue(&mut self) -> Option<Enqueue> {
        let (entry, files) = (self.entry()?, std::mem::take(&mut self.files));
        (entry.to.is_none() || files.is_empty()).then_some(())?;
        let (key, agent, session) = (self.take("key"), self.take("agent"), self.take("session"));
        Some(Enqueue { files, entry, key, wait: None, agent, session })
    }

    fn plan(&mut self) -> Option<Plan> {
        let (entry, list, drop) = (self.entry()?, self.take("list").is_some(), self.take("drop"));
        let said = [entry.to.is_some(), list, drop.is_some()];
        (said.iter().filter(|said| **said).count() <= 1).then_some(())?;
        Some(Plan { entry, list, drop, speaker: self.speaker() })
    }

    fn flush(&mut self) -> Option<Flush> {
        let (all, speaker) = (self.take("all").is_some(), self.speaker());
        (!all || (speaker.agent.is_none() && speaker.session.is_none())).then_some(())?;
        Some(Flush { speaker, all })
    }

    fn work(&mut self) -> Option<Work> {
        let (join, watch) = (self.take("join").is_some(), self.take("watch").is_some());
        let stay = self.parsed("stay")?;
        let said = [join, watch, stay.is_some()];
        (said.iter().filter(|said| **said).count() <= 1).then_some(())?;
        Some(Work {
            threads: self.parsed("threads")?,
            wait_retries: self.parsed("wait-retries")?.unwrap_or(Work::WAIT_RETRIES),
            join,
            watch,
            stay,
            stuck_after: self.parsed("stuck-after")?.or(Some(Work::STUCK_AFTER)).filter(|secs| *secs >= 1)?,
            own_session: self.take("own-session").is_some(),
        })
    }

    fn speaker(&mut self) -> SpeakerFlags {
        SpeakerFlags { agent: self.take("agent"), session: self.take("session") }
    }
}

#[cfg(test)]
mod tests {
    use super::{ENQUEUE, PLAN, SPEAKER, WORK, read};
    use crate::args::Args;
    use clap::{CommandFactory, Parser};
    use proptest::prelude::*;

    fn both(words: &[String]) -> (Option<String>, Result<String, clap::Error>) {
        let quick = read(words.iter().map(Into::into)).map(|args| format!("{args:?}"));
        let program = std::iter::once("last-word".to_owned());
        let clap = Args::try_parse_from(program.chain(words.iter().cloned()));
        (quick, clap.map(|args| format!("{args:?}")))
    }

    /// Every word that clap knows for these commands, some that it does not, and values of all kinds.
    fn word() -> impl Strategy<Value = String> {
        let mut words: Vec<String> = [
            "enqueue",
            "plan",
            "flush",
            "hook",
            "-",
            "0",
            "--",
            "x.yaml",
            "- a line",
            "--content=- b",
            "a=b",
            "",
            "--level=3",
            "3",
            "0.5",
            "-1",
            "--confidence=x",
            "--key=",
            "--json=1",
            "auto",
            "--color=never",
            "web",
            "--trust=tool",
            "-v",
            "-vv",
            "--wait",
            "--wait=5",
            "--help",
            "-h",
            "--version",
            "--home=/h",
            "--unknown",
            "--head",
            "é",
        ]
        .map(str::to_owned)
        .to_vec();
        for command in Args::command().get_subcommands().filter(|c| names().contains(&c.get_name())) {
            words.extend(command.get_arguments().filter_map(|arg| Some(format!("--{}", arg.get_long()?))));
        }
        words.extend(["--home", "--json", "--color", "--verbose"].map(str::to_owned));
        prop::sample::select(words)
    }

    fn names() -> [&'static str; 5] {
        ["enqueue", "plan", "flush", "hook", "work"]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn what_is_read_here_clap_reads_the_same(
            command in prop::sample::select(names().to_vec()),
            before in prop::collection::vec(word(), 0..2),
            after in prop::collection::vec(word(), 0..7),
        ) {
            let words: Vec<String> = before.into_iter().chain([command.to_owned()]).chain(after).collect();
            let (quick, clap) = both(&words);
            if let Some(quick) = quick {
                prop_assert_eq!(Some(quick), clap.ok(), "{:?}", words);
            }
        }
    }

    #[test]
    fn what_hooks_type_is_read_here() {
        let plain = [
            "enqueue",
            "enqueue -",
            "enqueue a.yaml b.yaml --key k --agent codex --session s",
            "enqueue - --key -end",
            "--home /h enqueue - --json",
            "enqueue --to user --heading A --heading B --level 3 --op append --content - --reason r --confidence 0.9 --trust web --review-by 2026-01-01",
            "plan --to user --heading A --content - --agent codex --session s --home /h",
            "plan --to user --heading A --content=-x --old-text -y --op replace",
            "plan --list",
            "plan --drop 01a2",
            "flush",
            "flush --all --color never",
            "flush --agent codex --session s",
            "hook --agent codex",
            "--home=/h hook --agent=codex",
            "work",
            "--home /h work --own-session",
            "work --stay 55 --stuck-after 60",
            "work --threads 1 --wait-retries=0 --join",
            "work --watch --json",
        ];
        for line in plain {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let (quick, clap) = both(&words);
            assert_eq!(quick, Some(clap.unwrap()), "{line}");
        }
    }

    const SWITCHES: [&str; 5] = ["list", "all", "join", "watch", "own-session"];

    #[test]
    fn no_flag_is_forgotten_here() {
        let command = Args::command();
        for (name, known) in [
            ("enqueue", &ENQUEUE[..]),
            ("plan", &PLAN),
            ("flush", &[&SPEAKER]),
            ("hook", &[&["agent"]]),
            ("work", &[&WORK]),
        ] {
            let of = command.find_subcommand(name).unwrap();
            let valued = of.get_arguments().filter(|arg| arg.get_num_args().is_none_or(|n| n.takes_values()));
            let valued = valued.filter_map(|arg| arg.get_long()).filter(|long| *long != "wait");
            let mut valued: Vec<_> = valued.filter(|long| !SWITCHES.contains(long)).collect();
            let mut known = known.concat();
            valued.sort_unstable();
            known.sort_unstable();
            assert_eq!(
                known, valued,
                "{name}: a flag that is not known here costs every caller clap's tables"
            );
        }
    }
}
