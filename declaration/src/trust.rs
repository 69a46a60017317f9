//! How far a source is trusted. Who declares is stamped by us; an entry may say that it comes from further away, never
//! from nearer: the least of all wins.

use crate::Entry;
use serde::{Deserialize, Serialize};

/// Where something comes from, the least trusted first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// A page somebody put on the web.
    Web,
    /// What a program answered.
    Tool,
    /// What an agent concluded.
    Agent,
    /// What a person said with their own hands.
    User,
}

impl Trust {
    /// Every class, the least trusted first.
    pub const ALL: [Trust; 4] = [Trust::Web, Trust::Tool, Trust::Agent, Trust::User];

    /// The word for it in declarations and settings.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Trust::Web => "web",
            Trust::Tool => "tool",
            Trust::Agent => "agent",
            Trust::User => "user",
        }
    }

    /// The class of that word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Trust> {
        Trust::ALL.into_iter().find(|trust| trust.as_str() == word)
    }

    /// As it is said of a text.
    #[must_use]
    pub fn origin(self) -> &'static str {
        match self {
            Trust::Web => "from the web",
            Trust::Tool => "from a tool",
            Trust::Agent => "from an agent",
            Trust::User => "from a person",
        }
    }
}

/// How far an entry is trusted that `who` declares.
#[must_use]
pub fn of_entry(who: Trust, entry: &Entry) -> Trust {
    entry.meta.trust.map_or(who, |said| said.min(who))
}

/// How far a job is trusted: its least trusted entry decides, because it is written whole or not at all.
#[must_use]
pub fn of_job(who: Trust, entries: &[Entry]) -> Trust {
    entries.iter().map(|entry| of_entry(who, entry)).min().unwrap_or(who)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_wins_and_nobody_can_raise_themselves() {
        let entry = |trust| {
            let key =
                crate::Key { target: crate::Target::Kb("user".into()), heading: vec!["A".into()], level: 2 };
            Entry { meta: crate::Meta { trust, ..crate::Meta::default() }, ..Entry::no_op(key) }
        };
        assert_eq!(of_entry(Trust::Agent, &entry(Some(Trust::User))), Trust::Agent);
        assert_eq!(of_entry(Trust::User, &entry(Some(Trust::Web))), Trust::Web);
        assert_eq!(of_entry(Trust::Agent, &entry(None)), Trust::Agent);
        assert_eq!(of_job(Trust::User, &[entry(None), entry(Some(Trust::Tool)), entry(None)]), Trust::Tool);
        assert_eq!(of_job(Trust::Agent, &[]), Trust::Agent);
    }

    #[test]
    fn words_are_read_back() {
        for trust in Trust::ALL {
            assert_eq!(Trust::parse(trust.as_str()), Some(trust));
        }
        assert_eq!(Trust::parse("User"), None);
    }
}
