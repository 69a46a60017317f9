//! What is due in a session, decided from its log alone: whether it is asked for what it learned (a few times at most, not before
//! it did some work, and not soon after it declared something), and whether its context is shown again. What the log notes is
//! `queue_layout::What`.

use queue_layout::{Noted, What};

/// A session is asked for the first time at this prompt; an agent that reports no prompts, after so many minutes with work.
const FIRST: usize = 3;
/// After it was asked or declared something, it is asked again at this prompt.
const AGAIN: usize = 12;
/// A session is asked at most so many times.
const ASKED_MAX: usize = 3;

/// At which moment it would be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AskPoint {
    /// At a prompt, which is not in the log yet.
    Prompt,
    /// At the start after the conversation was summarised, when its details are lost to the agent soon.
    Compacted,
    /// At the end of a turn.
    Stop,
}

/// Whether a session with this log is asked now.
pub(super) fn is_time(log: &[Noted], moment: AskPoint) -> bool {
    let asked = log.iter().filter(|noted| noted.what == What::Asked).count();
    // Once it saved what it did, which is done at its end as a rule, there is nothing left to ask for.
    if asked >= ASKED_MAX || log.iter().any(|noted| noted.what == What::Saved) {
        return false;
    }
    let last =
        log.iter().rposition(|noted| matches!(noted.what, What::Asked | What::Planned | What::Flushed));
    let since = &log[last.map_or(0, |at| at + 1)..];
    let count = |what: What| since.iter().filter(|noted| noted.what == what).count();
    let wait = if last.is_some() { AGAIN } else { FIRST };
    match moment {
        AskPoint::Prompt => count(What::Prompted) + 1 >= wait,
        AskPoint::Compacted => count(What::Prompted) >= 1,
        // An agent that is asked here reports no prompts; its signs of life are noted at most once a minute.
        AskPoint::Stop => count(What::Heard) >= wait,
    }
}

/// Whether the context was lost and is to be given again.
pub(super) fn is_context_due(log: &[Noted]) -> bool {
    last_of_context(log) == Some(What::ContextLost)
}

/// Whether the context was given beside a prompt, and was not lost since.
pub(super) fn is_context_given(log: &[Noted]) -> bool {
    last_of_context(log) == Some(What::ContextGiven)
}

fn last_of_context(log: &[Noted]) -> Option<What> {
    let of_context = |what: &What| matches!(what, What::ContextLost | What::ContextGiven);
    log.iter().rev().map(|noted| noted.what).find(of_context)
}

#[cfg(test)]
mod tests {
    use super::*;
    use declaration::Timestamp;

    /// `p` a prompt, `h` heard, `d` declared, `a` asked, `l` context lost, `g` given, `e` its summary saved, `s` started.
    fn log(text: &str) -> Vec<Noted> {
        let what = |letter| match letter {
            'p' => What::Prompted,
            'h' => What::Heard,
            'd' => What::Planned,
            'a' => What::Asked,
            'l' => What::ContextLost,
            'g' => What::ContextGiven,
            'e' => What::Saved,
            _ => What::Started,
        };
        let noted = |letter| Noted::new(Timestamp(0), what(letter));
        text.chars().map(noted).collect()
    }

    #[test]
    fn seldom_and_not_before_there_is_something_to_say() {
        for (said, moment, expected) in [
            ("", AskPoint::Prompt, false),
            ("sp", AskPoint::Prompt, false),
            ("spp", AskPoint::Prompt, true),
            ("sphp", AskPoint::Prompt, true),
            ("spphhhh", AskPoint::Stop, true),
            ("sh", AskPoint::Stop, false),
            ("shhha", AskPoint::Stop, false),
            ("sppap", AskPoint::Prompt, false),
            ("sppappppppppppp", AskPoint::Prompt, true),
            ("sppdpppp", AskPoint::Prompt, false),
            ("sppdppppppppppp", AskPoint::Prompt, true),
            ("appppppppppppappppppppppppappppppppppppp", AskPoint::Prompt, false),
            ("sppepppppppppppppp", AskPoint::Prompt, false),
            ("spephhhhhhhhhhhhhh", AskPoint::Stop, false),
            ("s", AskPoint::Compacted, false),
            ("sp", AskPoint::Compacted, true),
            ("sppa", AskPoint::Compacted, false),
            ("sppdp", AskPoint::Compacted, true),
        ] {
            assert_eq!(is_time(&log(said), moment), expected, "{said} {moment:?}");
        }
    }

    #[test]
    fn what_was_lost_is_shown_once() {
        for (said, expected) in
            [("sp", false), ("spl", true), ("splll", true), ("splg", false), ("splgl", true)]
        {
            assert_eq!(is_context_due(&log(said)), expected, "{said}");
        }
    }
}
