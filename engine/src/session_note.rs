//! What a session leaves behind: its summary, what was decided, what is to be done, as a section of its day.

use crate::output::Remembered;
use crate::{Caller, EntryFields, Failure, Home};
use declaration::{Advice, Operation, Timestamp};
use markdown_merge::{hash, item};
use policy::scope;
use queue_layout::What;

/// The knowledge base of sessions.
const SESSIONS: &str = "sessions";
/// The level of their headings.
const LEVEL: u8 = 2;
/// Characters of a session's name in a heading: the last ones, as names begin with a date or a clock more often than they end with
/// one, and two sessions of one heading would take each other's place.
const SESSION_CHARS: usize = 8;
/// Characters of the hash that tells a project from another one whose directory has the same name.
const PROJECT_CHARS: usize = 4;

/// What a session leaves behind.
#[derive(Debug, Clone, Default)]
pub struct SessionNote {
    /// What it was about.
    pub topic: String,
    /// What was done.
    pub summary: String,
    /// What was decided.
    pub decisions: Vec<String>,
    /// What is to be done.
    pub todos: Vec<String>,
}

impl Home {
    /// Saves what a session leaves behind, as a section of its day: saved twice it is there once. What a person wrote in it in between is a
    /// conflict, as for whoever says what they saw: a session does not look at what it saved.
    ///
    /// # Errors
    /// As for `remember`; there is no knowledge base `sessions`.
    pub fn save_session(&self, caller: &Caller, note: &SessionNote) -> Result<Remembered, Failure> {
        if self.settings()?.knowledge_base(SESSIONS).is_none() {
            return Err(
                Failure::new(format!("there is no knowledge base `{SESSIONS}`")).hint(Advice::MakeMemory)
            );
        }
        let project = self.project(&caller.cwd).map(|project| scope::name(&project, &self.user_home));
        let heading = note.heading(&session_tag(&caller.session, project.as_deref()));
        let fields = EntryFields {
            to: SESSIONS.to_owned(),
            base: self.left_before(caller, &heading)?,
            heading: vec![heading],
            op: Some(Operation::Update.as_str().to_owned()),
            content: Some(note.content()),
            ..EntryFields::default()
        };
        let saved = self.say(caller, &fields)?;
        self.note_said(caller, What::Saved, saved.job);
        Ok(saved)
    }

    /// The hash of the text that the same session saved last, where something else stands there now.
    fn left_before(&self, caller: &Caller, heading: &str) -> Result<Option<String>, Failure> {
        let document = self.known_document(SESSIONS, &caller.cwd)?;
        let mut left = None;
        self.documents().each_change_since(&document, Timestamp(0), &mut |by| {
            let here =
                by.changes.into_iter().filter(|change| change.heading.last().is_some_and(|at| at == heading));
            here.for_each(|change| left = change.after);
        })?;
        let Some(left) = left else { return Ok(None) };
        let bytes = self.text_now(&document)?.bytes;
        // What cannot be read now is for the worker to tell.
        let text = String::from_utf8(bytes).unwrap_or_default();
        let now = markdown_merge::section_text(&text, &[heading.to_owned()], LEVEL).ok().flatten();
        Ok(Some(left).filter(|left| now.is_none_or(|now| hash(&now) != *left)))
    }
}

/// What tells the sessions of a day apart in their headings: the end of the name. One without a name, or with one too short to be
/// no other's, is told by its project as well: the directory, and what tells it from another of that name.
fn session_tag(session: &str, project: Option<&str>) -> String {
    let chars = session.chars().count();
    let short: String = session.chars().skip(chars.saturating_sub(SESSION_CHARS)).collect();
    let Some(project) = project.filter(|_| chars < SESSION_CHARS) else { return short };
    let dir = project.rsplit('/').next().unwrap_or_default();
    // What could be a mark of emphasis in a heading is left out.
    let plain: String = dir.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.')).collect();
    let hash: String = item::derived_id(project).chars().take(PROJECT_CHARS).collect();
    [short, format!("{plain}-{hash}")]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

impl SessionNote {
    fn heading(&self, tag: &str) -> String {
        let topic: Vec<&str> = self.topic.split_whitespace().collect();
        if tag.is_empty() { topic.join(" ") } else { format!("{tag} · {}", topic.join(" ")) }
    }

    fn content(&self) -> String {
        let list = |title: &str, mark: &str, items: &[String]| {
            let lines: String = items.iter().map(|item| format!("\n- {mark}{}", item.trim())).collect();
            (!items.is_empty()).then(|| format!("{title}:\n{lines}"))
        };
        let parts = [
            Some(self.summary.trim().to_owned()).filter(|summary| !summary.is_empty()),
            list("Decisions", "[decision] ", &self.decisions),
            list("To do", "[ ] ", &self.todos),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
    }
}
