//! The environment variables by which an agent shows in the commands that it runs, and the names of its programs. The
//! agents with hooks name theirs in their own files (`Agent::marks`); those without are in the table here. Whoever asks "is
//! this a person?" asks here and keeps no list of its own.

use std::ffi::OsString;

/// What an agent leaves in the environment of its commands, and the programs it is.
#[derive(Debug, Clone, Copy)]
pub struct Marks {
    /// Variables that it sets.
    pub names: &'static [&'static str],
    /// How its variables begin, where it sets more than can be listed.
    pub prefix: Option<&'static str>,
    /// Endings of variables with that prefix that do not count: a person sets them, or has them set, in a terminal of their
    /// own.
    pub of_people: &'static [&'static str],
    /// The variable that holds the session's id.
    pub session: Option<&'static str>,
    /// What its programs are called, and the package that an interpreter runs.
    pub programs: &'static [&'static str],
}

impl Marks {
    /// An agent that sets these variables and no others.
    #[must_use]
    pub const fn named(names: &'static [&'static str]) -> Self {
        Marks { names, prefix: None, of_people: &[], session: None, programs: &[] }
    }

    /// The same, with the names of the agent's programs.
    #[must_use]
    pub const fn programs(self, programs: &'static [&'static str]) -> Self {
        Marks { programs, ..self }
    }

    fn fit(&self, name: &str) -> bool {
        let prefixed = self.prefix.is_some_and(|prefix| name.starts_with(prefix));
        self.names.contains(&name)
            || self.session == Some(name)
            || prefixed && !self.of_people.iter().any(|end| name.ends_with(end))
    }
}

/// Agents that are known by their marks and programs alone: name, marks.
static WITHOUT_HOOKS: [(&str, Marks); 25] = [
    ("aider", Marks::named(&[]).programs(&["aider", "aider-chat"])),
    ("amazon_q", Marks::named(&[]).programs(&["qchat", "kiro-cli", "kiro-cli-chat"])),
    ("amp", Marks::named(&["AMP_CURRENT_THREAD_ID", "AGENT_THREAD_ID"]).programs(&["amp"])),
    ("antigravity", Marks::named(&["ANTIGRAVITY_AGENT"])),
    ("augment", Marks::named(&["AUGMENT_AGENT"]).programs(&["auggie"])),
    ("cline", Marks::named(&["CLINE_ACTIVE"]).programs(&["cline", "cline-core"])),
    ("codebuff", Marks::named(&[]).programs(&["codebuff"])),
    ("continue", Marks::named(&[]).programs(&["continue-cli", "cn"])),
    ("crush", Marks::named(&["CRUSH"]).programs(&["crush"])),
    ("droid", Marks::named(&[]).programs(&["droid"])),
    ("goose", Marks::named(&["GOOSE_TERMINAL"]).programs(&["goose", "goosed"])),
    ("gptme", Marks::named(&[]).programs(&["gptme"])),
    ("iflow", Marks::named(&[]).programs(&["iflow", "iflow-cli"])),
    ("kilo_code", Marks::named(&[]).programs(&["kilo", "kilocode"])),
    ("kimi", Marks::named(&[]).programs(&["kimi", "kimi-cli"])),
    ("letta", Marks::named(&[]).programs(&["letta", "letta-code"])),
    ("mini_swe_agent", Marks::named(&[]).programs(&["mini-swe-agent", "minisweagent", "sweagent"])),
    ("open_interpreter", Marks::named(&[]).programs(&["interpreter", "open-interpreter"])),
    ("openclaw", Marks::named(&["OPENCLAW_SHELL"]).programs(&["openclaw"])),
    ("openhands", Marks::named(&[]).programs(&["openhands"])),
    ("pi", Marks::named(&["PI_CODING_AGENT"]).programs(&["pi", "pi-coding-agent"])),
    ("plandex", Marks::named(&[]).programs(&["plandex"])),
    ("roo_code", Marks::named(&["ROO_ACTIVE"]).programs(&["roo"])),
    ("trae", Marks::named(&["TRAE_AI_SHELL_ID"]).programs(&["trae-agent", "trae-cli"])),
    ("vibe", Marks::named(&[]).programs(&["vibe", "mistral-vibe"])),
];

/// Every agent that can be recognised: its name, and its marks.
pub fn known() -> impl Iterator<Item = (&'static str, Marks)> {
    crate::ALL.iter().map(|agent| (agent.name(), agent.marks())).chain(WITHOUT_HOOKS.iter().copied())
}

/// The first variable, by name, that says that an agent runs us. A variable that is set to nothing says nothing; a value
/// that is not UTF-8 counts.
pub fn mark(environment: impl Iterator<Item = (OsString, OsString)>) -> Option<String> {
    let set = environment.filter(|(_, value)| !value.is_empty());
    let set: Vec<String> = set.filter_map(|(name, _)| name.into_string().ok()).collect();
    // Each agent is asked for its marks once, not once for each variable: every enqueue waits for this.
    let shown = known().filter_map(|(_, marks)| set.iter().filter(|name| marks.fit(name)).min());
    shown.min().cloned()
}

/// The session that an agent names in the environment of its commands: agent, session. `variable` reads one variable;
/// `agent`: only that one's.
pub fn session(
    agent: Option<&str>,
    variable: impl Fn(&str) -> Option<String>,
) -> Option<(&'static str, String)> {
    let wanted = |name: &str| agent.is_none_or(|agent| agent.replace('-', "_") == name);
    known()
        .filter(|(name, _)| wanted(name))
        .find_map(|(name, marks)| Some((name, variable(marks.session?).filter(|id| !id.is_empty())?)))
}

#[cfg(test)]
mod tests {
    use super::{known, mark, session};
    use std::collections::BTreeMap;

    fn marked(name: &str, value: &str) -> Option<String> {
        mark([(name.into(), value.into())].into_iter())
    }

    #[test]
    fn every_agent_has_marks_and_each_of_them_shows() {
        for agent in crate::ALL {
            assert!(!agent.marks().names.is_empty(), "{} would pass for a person", agent.name());
        }
        let mut owner = BTreeMap::new();
        for (agent, marks) in known() {
            for name in marks.names.iter().copied().chain(marks.session) {
                assert_eq!(marked(name, "1").as_deref(), Some(name), "{agent}");
                assert_eq!(marked(name, ""), None, "{name} is set to nothing");
                let other = owner.insert(name, agent);
                assert_eq!(other, None, "{name} is claimed by two agents");
            }
            if let Some(prefix) = marks.prefix {
                let name = format!("{prefix}SOMETHING_NEW");
                assert_eq!(marked(&name, "1"), Some(name.clone()), "{agent}");
                for end in marks.of_people {
                    assert_eq!(marked(&format!("{prefix}{end}"), "1"), None, "{agent}: {end}");
                }
            }
        }
    }

    #[test]
    fn agents_seen_in_the_wild_show() {
        for name in [
            "LAST_WORD_SESSION",
            "AI_AGENT",
            "AGENT",
            "AMP_CURRENT_THREAD_ID",
            "AUGMENT_AGENT",
            "CLAUDECODE",
            "CLINE_ACTIVE",
            "CODEX_SANDBOX_NETWORK_DISABLED",
            "COPILOT_CLI",
            "CURSOR_AGENT",
            "GEMINI_CLI",
            "GOOSE_TERMINAL",
            "OPENCODE",
            "QWEN_CODE",
        ] {
            assert_eq!(marked(name, "1").as_deref(), Some(name));
        }
    }

    #[test]
    fn a_person_has_no_mark() {
        for name in [
            "CODEX_HOME",
            "CODEX_API_KEY",
            "CURSOR_TRACE_ID",
            "GEMINI_CLI_HOME",
            "GEMINI_API_KEY",
            "CLAUDE_CONFIG_DIR",
            "GOOSE_PROVIDER",
            "EDITOR",
            "SSH_AGENT_PID",
        ] {
            assert_eq!(marked(name, "1"), None, "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_value_that_is_no_text_counts() {
        use std::os::unix::ffi::OsStringExt;
        let value = std::ffi::OsString::from_vec(vec![0xff]);
        assert_eq!(mark([("CLAUDECODE".into(), value)].into_iter()).as_deref(), Some("CLAUDECODE"));
    }

    #[test]
    fn a_session_is_read_from_its_own_agents_variable() {
        let set = |name: &str| (name == "CODEX_THREAD_ID").then(|| "s".to_owned());
        assert_eq!(session(None, set), Some(("codex", "s".to_owned())));
        assert_eq!(session(Some("codex"), set), Some(("codex", "s".to_owned())));
        assert_eq!(session(Some("claude-code"), set), None);
        assert_eq!(session(None, |_| Some(String::new())), None);
    }
}
