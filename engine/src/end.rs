//! `end`: a chat bot ends a turn of a conversation. What was done and learned in it become events in the scope of its group, or of
//! its user: one job for each request and turn number, however often the turn is ended. No model is asked.

mod event_line;
mod said;

pub use said::TurnEnd;

use crate::output::TurnEnded;
use crate::{Begun, Caller, EntryFields, Exit, Failure, Home};
use declaration::{Advice, Meta, Occasion, Operation};
use policy::family;
use policy::judge::{Verdict, judge};
use policy::knowledge_base::KnowledgeBase;
use policy::settings::Settings;
use policy::time_words::Moment;
use producer::Submission;
use queue_layout::{Draft, Enqueued};
use sha2::{Digest, Sha256};

/// The knowledge base of events.
const EVENTS: &str = "events";
/// How far a caller's time may be ahead of our clock, in milliseconds: a day.
const AHEAD_MS_MAX: u64 = 24 * 60 * 60 * 1000;
/// The longest id that is used in a path as it is, in bytes.
const PLAIN_BYTES_MAX: usize = 40;
/// The beginning of the name of every other id.
const HASHED: &str = "h.";
/// How many bytes of a hash such a name contains.
const HASH_BYTES: usize = 8;

/// The scope of events: the group they happened in, else the user they happened with. A question in one scope is never answered
/// from another.
#[must_use]
pub fn scope_of(group: Option<&str>, user: Option<&str>) -> String {
    match (group, user) {
        (Some(group), _) => format!("group-{}", path_name(group)),
        (None, Some(user)) => format!("user-{}", path_name(user)),
        (None, None) => "own".to_owned(),
    }
}

/// A scope as somebody says it (`group-C024BE91L`), as the documents of events are named: the id in it may be any.
/// `documents`: those that are asked for; other families than that of events name theirs as they like.
#[must_use]
pub fn scope_said(name: &str, value: &str, documents: &[String]) -> String {
    let is_events = |named: &String| named.split(':').next() == Some(EVENTS);
    let of_events = name == "scope" && (documents.is_empty() || documents.iter().any(is_events));
    match value.split_once('-').filter(|_| of_events) {
        Some(("group", id)) => scope_of(Some(id), None),
        Some(("user", id)) => scope_of(None, Some(id)),
        _ => value.to_owned(),
    }
}

/// The name of an id in a path: the id itself if it has plain characters only, else those of its characters that are plain, and a
/// hash. Two ids never have the same name, even on a disk that ignores case.
#[must_use]
pub fn path_name(id: &str) -> String {
    let is_plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-');
    if !id.is_empty() && id.len() <= PLAIN_BYTES_MAX && id.bytes().all(is_plain) {
        return id.to_owned();
    }
    let shown: String = id
        .bytes()
        .map(|b| b.to_ascii_lowercase())
        .filter(|b| is_plain(*b))
        .take(20)
        .map(char::from)
        .collect();
    let digest = Sha256::digest(id.as_bytes());
    let hash = declaration::hex(&digest[..HASH_BYTES]);
    format!("{HASHED}{shown}-{hash}")
}

impl Home {
    /// Ends a turn of a conversation. Its events are durable when this returns. A turn that is ended again (same request and number)
    /// has its events once.
    ///
    /// # Errors
    /// `Exit::Refused`: something is wrong with it, and nothing was enqueued. Otherwise as for `enqueue`.
    pub fn end(&self, caller: &Caller, turn: &TurnEnd) -> Result<TurnEnded, Failure> {
        self.begin_end(caller, turn)?.finish()
    }

    /// The same, for a caller with others behind it: the next one may begin when this returns.
    ///
    /// # Errors
    /// As for `end`.
    pub fn begin_end(&self, caller: &Caller, turn: &TurnEnd) -> Result<Begun<'_, TurnEnded>, Failure> {
        let texts = turn.texts();
        if texts.is_empty() {
            return Ok(Begun::new(|| Ok(TurnEnded::default())));
        }
        turn.check_size()?;
        turn.check_sent()?;
        let settings = self.settings_to_keep()?;
        let Some(kb) = settings.knowledge_base(EVENTS) else {
            return Err(
                Failure::new(format!("there is no knowledge base `{EVENTS}`")).hint(Advice::MakeMemory)
            );
        };
        turn.check_words(!kb.redact)?;
        let moment = self.moment_of(turn)?;
        let to = target(kb, turn, &moment)?;
        let draft = self.event_draft(caller, turn, &to, &texts, moment, &settings)?;
        let kept = draft.entries.len();
        let asks = match judge(kb, &draft.asked()) {
            Verdict::Review(problem) => Some(problem.message),
            Verdict::Write | Verdict::Refuse(_) => None,
        };
        let brought = self.bring(vec![draft])?;
        Ok(Begun::new(move || {
            let mut enqueued: Option<Enqueued> = None;
            self.make_durable(brought, &mut |one| enqueued = Some(one.clone()))?;
            let enqueued = enqueued.ok_or_else(|| Failure::new("nothing was enqueued"))?;
            Ok(TurnEnded {
                items: (0..kept).map(|n| queue_layout::item_id(enqueued.id, n)).collect(),
                job: Some(enqueued.id),
                kb: to,
                document: Some(enqueued.document.path),
                new: enqueued.new,
                asks: asks.filter(|_| enqueued.new),
            })
        }))
    }

    /// When the turn was, in the time zone of its place; now, if the caller does not say.
    fn moment_of(&self, turn: &TurnEnd) -> Result<Moment, Failure> {
        let moment = match turn.said_at()? {
            Some((at, true)) => at,
            said => {
                let at = said.map_or_else(|| self.now(), |(at, _)| at.timestamp());
                match turn.east_min(at)? {
                    Some(east_min) => Moment::new(at, east_min),
                    None => self.moment_at(Some(at)),
                }
            }
        };
        if moment.timestamp() > self.now().plus_ms(AHEAD_MS_MAX) {
            let message = format!("{} lies more than a day ahead", moment.minute());
            return Err(Failure::new(message).hint("look at the caller's clock").exit(Exit::Refused));
        }
        Ok(moment)
    }

    /// One job with an event for each text.
    fn event_draft(
        &self,
        caller: &Caller,
        turn: &TurnEnd,
        to: &str,
        texts: &[&str],
        moment: Moment,
        settings: &Settings,
    ) -> Result<Draft, Failure> {
        let refused = |problems: &[declaration::Problem]| Failure::refused("the event", problems);
        let mut declaration = None;
        for text in texts {
            let fields = EntryFields {
                to: to.to_owned(),
                heading: vec![moment.day()],
                op: Some(Operation::Add.as_str().to_owned()),
                content: Some(event_line::of(text)),
                ..EntryFields::default()
            };
            let one = fields.declaration()?.map_err(|problems| refused(&problems))?;
            match &mut declaration {
                None => declaration = Some(one),
                Some(all) => all.entries.extend(one.entries),
            }
        }
        let mut declaration = declaration.ok_or_else(|| Failure::new("nothing was said"))?;
        let of = turn.event();
        for entry in &mut declaration.entries {
            entry.meta = Meta { user: turn.about(), place: turn.place.clone(), ..entry.meta.clone() };
        }
        let key = turn.request().map(|request| format!("end {} {request}:{}", turn.scope(), turn.end_seq));
        let producer = caller.producer("end");
        let drafts = self.saying(settings, &caller.cwd, &producer, None, |said| {
            let said = Submission { moment: &|_| moment, key: key.as_deref(), ..said };
            producer::drafts(vec![declaration], &said)
        });
        let drafts = drafts.map_err(|found| {
            let problems: Vec<_> = found.into_iter().map(|found| found.problem).collect();
            refused(&problems)
        })?;
        let mut draft = drafts.into_iter().next().ok_or_else(|| Failure::new("nothing was enqueued"))?;
        let occasion = Occasion { utc: Some(utc(&moment)), ..turn.occasion() };
        for entry in &mut draft.entries {
            entry.meta.of.clone_from(&of);
            entry.meta.occasion = Some(occasion.clone());
        }
        Ok(draft)
    }
}

/// To the second, as `2026-11-19T07:00:00Z`.
fn utc(moment: &Moment) -> String {
    let text = moment.timestamp().to_string();
    format!("{}Z", text.get(..19).unwrap_or(&text))
}

/// The document of the family of events that the turn belongs to.
fn target(kb: &KnowledgeBase, turn: &TurnEnd, moment: &Moment) -> Result<String, Failure> {
    let day = moment.day();
    let value = |name: &str| match name {
        family::DATE => Some(day.clone()),
        family::MONTH => day.get(..7).map(str::to_owned),
        "scope" => Some(turn.scope()),
        _ => None,
    };
    let names = family::variables(&kb.path).unwrap_or_default();
    let mut values = Vec::new();
    for name in &names {
        values.push(value(name).ok_or_else(|| {
            Failure::new(format!("the path of `{EVENTS}` has {{{name}}}, which no event fills"))
                .hint("its variables can be {scope}, {date} and {month}")
                .exit(Exit::Refused)
        })?);
    }
    if turn.in_some_scope() && !names.contains(&"scope") {
        return Err(Failure::new(format!(
            "the path of `{EVENTS}` has no {{scope}}: groups would not be kept apart"
        ))
        .hint("for example path: ~/.config/agents/events/{scope}/{date}.md")
        .exit(Exit::Refused));
    }
    Ok(family::join(&kb.name, &values))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_ids_have_one_name() {
        assert_eq!(path_name("20260001"), "20260001");
        assert_eq!(scope_of(Some("7"), Some("42")), "group-7");
        assert_eq!(scope_of(None, Some("42")), "user-42");
        let ids =
            ["Ab", "ab", "a b", "a@b", "a:b", "../x", "", "群", "群聊", "h.ab-1", ".x", &"x".repeat(41)];
        let names: std::collections::HashSet<String> = ids.iter().map(|id| path_name(id)).collect();
        assert_eq!(names.len(), ids.len());
        for name in names {
            assert!(name.len() <= PLAIN_BYTES_MAX && !name.starts_with('.'), "{name}");
            assert!(
                family::filled("events", "e/{scope}/x.md", &[&format!("group-{name}")], None).is_ok(),
                "{name}"
            );
            // The name of one id is never another id that is used as it is.
            assert!(path_name(&name) == name || name.starts_with(HASHED), "{name}");
        }
        let hashed = path_name("Ab");
        assert_ne!(path_name(&hashed), hashed, "who takes a name for their id gets another one");
    }
}
