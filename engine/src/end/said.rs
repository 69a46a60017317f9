//! The data of a turn: from flags, or from the JSON that chat bots have for it already. Older names of fields are read as well;
//! unknown fields are refused.

use crate::{Exit, Failure, Timestamp};
use chrono::{DateTime, FixedOffset, Offset, TimeZone};
use chrono_tz::Tz;
use declaration::reading::input;
use declaration::reading::limits::JSON_BYTES_MAX;
use declaration::terminal::{first_hidden, not_shown};
use declaration::{Code, Occasion, Problem, secrets};
use policy::time_words::Moment;
use serde::{Deserialize, Deserializer};

/// The most texts of one turn.
const TEXTS_MAX: usize = 100;
/// Seconds since 1970 from which a number is no time, but milliseconds or none at all: the year 5138.
const EPOCH_MAX: f64 = 1e11;
/// The most characters of a name that are kept: what a fact in `meta` may have.
const NAME_CHARS_MAX: usize = 200;

/// The end of a turn: what was done, what was learned, and where.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TurnEnd {
    /// What was done in this turn.
    #[serde(deserialize_with = "or_null")]
    pub action_summary: String,
    /// The older name of that field.
    #[serde(deserialize_with = "or_null")]
    pub summary: String,
    /// What was learned in it, one text each.
    #[serde(alias = "observations", deserialize_with = "one_or_many")]
    pub new_info: Vec<String>,
    /// End the turn even if something was done and no message was sent.
    #[serde(deserialize_with = "or_null")]
    pub force: bool,
    /// Whether a message was sent in this turn, if the caller knows.
    pub message_sent: Option<bool>,
    /// The request that the turn answers. Together with `seq` it identifies the turn: ended again, its events are there once.
    #[serde(alias = "request", deserialize_with = "word")]
    pub request_id: Option<String>,
    /// The number of the turn within that request.
    #[serde(alias = "seq", deserialize_with = "or_null")]
    pub end_seq: u64,
    /// The user of the conversation.
    #[serde(alias = "user", deserialize_with = "word")]
    pub user_id: Option<String>,
    /// The user's name, as chats have it; what nobody sees of it is left out.
    #[serde(deserialize_with = "name")]
    pub user_name: Option<String>,
    /// The group of the conversation.
    #[serde(alias = "group", deserialize_with = "group")]
    pub group_id: Option<String>,
    /// The sender of the message that began it.
    #[serde(alias = "sender", deserialize_with = "word")]
    pub sender_id: Option<String>,
    /// `private` or `group`.
    #[serde(rename = "request_type", alias = "type", deserialize_with = "word")]
    pub of_type: Option<String>,
    /// The place, in words.
    #[serde(alias = "location_abs", deserialize_with = "name")]
    pub place: Option<String>,
    /// The messages it is about.
    #[serde(deserialize_with = "one_or_many")]
    pub message_ids: Vec<String>,
    /// When, in UTC.
    #[serde(deserialize_with = "word")]
    pub timestamp_utc: Option<String>,
    /// When, with the offset of where it was.
    #[serde(deserialize_with = "word")]
    pub timestamp_local: Option<String>,
    /// When, in seconds since 1970.
    pub timestamp_epoch: Option<f64>,
    /// The name of the time zone.
    #[serde(alias = "zone", deserialize_with = "word")]
    pub timezone: Option<String>,
    /// Read and left out: a caller's own note on how the event is told.
    #[serde(deserialize_with = "word")]
    pub perspective: Option<String>,
    /// Read and left out: the version of the caller's own form.
    #[serde(deserialize_with = "word")]
    pub schema_version: Option<String>,
}

impl TurnEnd {
    /// Reads the JSON of one turn.
    ///
    /// # Errors
    /// It is too large, not JSON, or has an unknown field.
    pub fn read(json: &[u8]) -> Result<TurnEnd, Failure> {
        held_to_size(json.len())?;
        // A JSON list would be accepted, with its values in the order of the fields.
        let fields: serde_json::Result<serde_json::Map<String, serde_json::Value>> =
            serde_json::from_slice(json);
        let turn = fields.and_then(|fields| serde_json::from_value(fields.into()));
        turn.map_err(|e| {
            Failure::new(format!("the end of a turn cannot be read: {e}"))
                .hint("for example {\"request_id\": \"r101\", \"group_id\": \"7\", \"action_summary\": \"…\", \"new_info\": [\"…\"]}")
                .exit(Exit::Refused)
        })
    }

    /// The texts to keep, in order.
    pub(super) fn texts(&self) -> Vec<&str> {
        let done = if self.action_summary.trim().is_empty() { &self.summary } else { &self.action_summary };
        let texts = [done].into_iter().chain(&self.new_info).map(|text| text.trim());
        texts.filter(|text| !text.is_empty()).collect()
    }

    /// Whether it is as large as one declaration may be, before anything is built of it or searched in it.
    pub(super) fn check_size(&self) -> Result<(), Failure> {
        let texts = self.texts().into_iter().chain(self.words().map(|(_, word)| word));
        held_to_size(texts.map(str::len).sum())
    }

    /// Whether the turn seems to end too early: something was done, and no message was sent.
    pub(super) fn check_sent(&self) -> Result<(), Failure> {
        let refused = |message: String, hint: &str| Err(Failure::new(message).hint(hint).exit(Exit::Refused));
        if self.texts().len() > TEXTS_MAX {
            return refused(
                format!("{} texts were given, and {TEXTS_MAX} can be", self.texts().len()),
                "say it in fewer",
            );
        }
        let did = !self.action_summary.trim().is_empty() || !self.summary.trim().is_empty();
        if did && self.message_sent == Some(false) && !self.force {
            return refused(
                "something was done, and no message was sent in this turn: nothing was kept".to_owned(),
                "send the message first, or end it with --force (`\"force\": true`)",
            );
        }
        Ok(())
    }

    /// The ids and other words of it that are written down, with the names of their fields.
    fn words(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let one = [
            ("request_id", &self.request_id),
            ("request_type", &self.of_type),
            ("user_id", &self.user_id),
            ("group_id", &self.group_id),
            ("sender_id", &self.sender_id),
            ("timezone", &self.timezone),
        ];
        let one = one.into_iter().filter_map(|(field, word)| Some((field, word.as_deref()?)));
        one.chain(self.message_ids.iter().map(|id| ("message_ids", id.as_str())))
    }

    /// Whether its ids can be written down: nothing that a terminal obeys, and no secret unless its document may have them.
    pub(super) fn check_words(&self, allows_secrets: bool) -> Result<(), Failure> {
        let texts =
            self.user_name.iter().chain(&self.place).map(|name| ("user_name or place", name.as_str()));
        for (field, word) in self.words().chain(texts) {
            let problem =
                match first_hidden(word).or_else(|| word.char_indices().find(|(_, c)| c.is_control())) {
                    Some((_, c)) => {
                        Problem::new(Code::ControlCharacter, format!("{field} has {}", c.escape_unicode()))
                    }
                    None => match secrets::problem(field, word).filter(|_| !allows_secrets) {
                        Some(problem) => problem,
                        None => continue,
                    },
                };
            return Err(Failure::refused("the event", &[problem]));
        }
        Ok(())
    }

    /// `request:seq`, if there is a request.
    pub(super) fn event(&self) -> Option<String> {
        Some(format!("{}:{}", one_word(self.request()?), self.end_seq))
    }

    /// The request, if there is one.
    pub(super) fn request(&self) -> Option<&str> {
        id(self.request_id.as_ref())
    }

    /// Whether it was in a group or with somebody.
    pub(super) fn in_some_scope(&self) -> bool {
        id(self.group_id.as_ref()).is_some() || id(self.user_id.as_ref()).is_some()
    }

    /// Who may be asked about it.
    pub(super) fn scope(&self) -> String {
        super::scope_of(id(self.group_id.as_ref()), id(self.user_id.as_ref()))
    }

    /// Whom "he" and "she" mean in the texts.
    pub(super) fn about(&self) -> Option<String> {
        [&self.user_name, &self.sender_id, &self.user_id]
            .into_iter()
            .find_map(|who| some(who.as_ref()))
            .map(str::to_owned)
    }

    /// Minutes east of UTC at this moment in the time zone that is named: by the name of the zone database (`Asia/Shanghai`), or
    /// as an offset (`+08:00`). `None` where none is named.
    pub(super) fn east_min(&self, at: Timestamp) -> Result<Option<i32>, Failure> {
        let Some(zone) = some(self.timezone.as_ref()) else { return Ok(None) };
        let utc = DateTime::from_timestamp_millis(i64::try_from(at.millis()).unwrap_or(i64::MAX));
        let utc = utc.unwrap_or_default().naive_utc();
        let east = match zone.parse::<Tz>() {
            Ok(zone) => Ok(zone.offset_from_utc_datetime(&utc).fix()),
            Err(_) => zone.strip_prefix("UTC").unwrap_or(zone).parse::<FixedOffset>(),
        };
        match east {
            Ok(east) => Ok(Some(east.local_minus_utc() / 60)),
            Err(_) => Err(Failure::new(format!("`{}` is no time zone", shown_name(zone)))
                .hint("write it as Asia/Shanghai or +08:00, or say the time as timestamp_local, with its offset")
                .exit(Exit::Refused)),
        }
    }

    /// When it was, and whether that time has the zone of the place.
    pub(super) fn said_at(&self) -> Result<Option<(Moment, bool)>, Failure> {
        let read = |text: &str| {
            Moment::read(text).ok_or_else(|| {
                Failure::new(format!("`{text}` is no time"))
                    .hint("a time is written 2026-11-19T08:00:00+01:00")
                    .exit(Exit::Refused)
            })
        };
        if let Some(local) = some(self.timestamp_local.as_ref()) {
            return read(local).map(|moment| Some((moment, true)));
        }
        if let Some(utc) = some(self.timestamp_utc.as_ref()) {
            return read(utc).map(|moment| Some((moment, false)));
        }
        let Some(seconds) = self.timestamp_epoch else { return Ok(None) };
        if !(0.0..EPOCH_MAX).contains(&seconds) {
            return Err(Failure::new(format!("timestamp_epoch {seconds} is no time"))
                .hint("it is seconds since 1970, not milliseconds")
                .exit(Exit::Refused));
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let at = Timestamp((seconds * 1000.0) as u64);
        Ok(Some((Moment::new(at, 0), false)))
    }

    /// What is recorded beside its events. The caller adds the time.
    pub(super) fn occasion(&self) -> Occasion {
        let owned = |text: &Option<String>| some(text.as_ref()).map(str::to_owned);
        let known_by = |text: &Option<String>| id(text.as_ref()).map(one_word);
        Occasion {
            utc: None,
            zone: owned(&self.timezone),
            of_type: owned(&self.of_type),
            user: known_by(&self.user_id),
            group: known_by(&self.group_id),
            sender: known_by(&self.sender_id),
            messages: self.message_ids.iter().filter_map(|of| id(Some(of)).map(one_word)).collect(),
            place: owned(&self.place),
        }
    }
}

/// A turn is one declaration, and as large as one may be.
fn held_to_size(bytes: usize) -> Result<(), Failure> {
    if bytes <= JSON_BYTES_MAX {
        return Ok(());
    }
    let problem = input::too_large("the turn", bytes, JSON_BYTES_MAX).hint("say less");
    Err(Failure::refused("the event", &[problem]))
}

/// The text, if it is not blank.
fn some(text: Option<&String>) -> Option<&str> {
    text.map(|text| text.trim()).filter(|text| !text.is_empty())
}

/// An id as it was given, if it is not blank: one that differs in a blank is another one.
fn id(text: Option<&String>) -> Option<&str> {
    text.map(String::as_str).filter(|text| !text.trim().is_empty())
}

/// An id as one word of an item's comment: what that would read in another way is written as in a URL, so that no two are one.
fn one_word(id: &str) -> String {
    let is_read = |c: char| c.is_whitespace() || matches!(c, '%' | ',' | '<' | '>' | '&');
    let mut word = String::with_capacity(id.len());
    let mut before = ' ';
    for c in id.chars() {
        if is_read(c) || c == '-' && before == '-' {
            let mut bytes = [0; 4];
            word.extend(c.encode_utf8(&mut bytes).bytes().map(|byte| format!("%{byte:02X}")));
        } else {
            word.push(c);
        }
        before = c;
    }
    word
}

/// The value, or the default of its type for null.
fn or_null<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(deserializer: D) -> Result<T, D::Error> {
    Option::<T>::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// An id, which is a text here; some callers write it as a number.
#[derive(Deserialize)]
#[serde(untagged)]
enum Word {
    Text(String),
    Number(u64),
    /// The groups of some services have numbers below zero.
    Below(i64),
}

impl From<Word> for String {
    fn from(word: Word) -> String {
        match word {
            Word::Text(text) => text,
            Word::Number(number) => number.to_string(),
            Word::Below(number) => number.to_string(),
        }
    }
}

fn word<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<Word>::deserialize(deserializer)?.map(String::from))
}

/// The id of a group. Clients whose ids are numbers write 0 where it is no group.
fn group<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let group = Option::<Word>::deserialize(deserializer)?;
    Ok(group.filter(|group| !matches!(group, Word::Number(0))).map(String::from))
}

/// A name that people gave themselves: what a terminal obeys or nobody sees is left out, and it stays on one line. What was said
/// is not lost because of it.
fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(word(deserializer)?.map(|name| shown_name(&name)))
}

fn shown_name(name: &str) -> String {
    let seen: String = name
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .filter(|c| not_shown(*c).is_none())
        .collect();
    let words: Vec<&str> = seen.split_whitespace().collect();
    words.join(" ").chars().take(NAME_CHARS_MAX).collect()
}

fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        One(Word),
        Many(Vec<Word>),
    }
    Ok(match Option::<Given>::deserialize(deserializer)? {
        None => Vec::new(),
        Some(Given::One(one)) => vec![one.into()],
        Some(Given::Many(many)) => many.into_iter().map(String::from).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_that_bots_keep_is_read() {
        let turn = TurnEnd::read(
            br#"{"request_id": "r101", "end_seq": 0, "user_id": 10086001, "group_id": "", "sender_id": "10086001",
            "request_type": "private", "timestamp_utc": "2026-11-19T07:00:00+00:00",
            "timestamp_local": "2026-11-19T08:00:00+01:00", "timestamp_epoch": 1795071600,
            "timezone": "Europe/Stockholm", "location_abs": "a private chat", "message_ids": ["91", 92],
            "perspective": "", "action_summary": "confirmed the time", "observations": ["Mei moved it to 04:00"],
            "schema_version": "final_v1"}"#,
        )
        .unwrap();
        assert_eq!(turn.texts(), ["confirmed the time", "Mei moved it to 04:00"]);
        assert_eq!((turn.event().as_deref(), turn.scope().as_str()), (Some("r101:0"), "user-10086001"));
        let (at, is_local) = turn.said_at().unwrap().unwrap();
        assert_eq!((at.minute().as_str(), is_local), ("2026-11-19T08:00+01:00", true));
        let written: Vec<String> = turn.occasion().fields().iter().map(|(k, v)| format!("{k}={v}")).collect();
        assert_eq!(
            written.join(" "),
            "zone=Europe/Stockholm type=private user=10086001 sender=10086001 msg=91,92 place=a_private_chat"
        );
    }

    #[test]
    fn what_is_not_known_is_refused_and_nothing_is_nothing() {
        assert!(TurnEnd::read(br#"{"action_sumary": "x"}"#).is_err());
        assert!(TurnEnd::read(b"[]").is_err() && TurnEnd::read(b"").is_err());
        for json in
            ["{}", r#"{"action_summary": " ", "new_info": [""]}"#, r#"{"new_info": null, "summary": ""}"#]
        {
            assert_eq!(TurnEnd::read(json.as_bytes()).unwrap().texts(), Vec::<&str>::new(), "{json}");
        }
        let old = TurnEnd::read(br#"{"summary": "the old word", "new_info": "one"}"#).unwrap();
        assert_eq!(old.texts(), ["the old word", "one"]);
    }

    #[test]
    fn a_turn_is_as_large_as_a_declaration_at_most() {
        let said = |field: &str, bytes: usize| format!("{{\"{field}\": \"{}\"}}", "a".repeat(bytes));
        assert!(TurnEnd::read(said("action_summary", JSON_BYTES_MAX - 100).as_bytes()).is_ok());
        let refused = TurnEnd::read(said("action_summary", JSON_BYTES_MAX).as_bytes()).err().unwrap();
        assert!(refused.messages.join(" ").contains("the turn has"), "{refused:?}");
        // As a server reads it: there the texts stand in a larger message.
        for turn in [
            TurnEnd { action_summary: "a".repeat(JSON_BYTES_MAX + 1), ..TurnEnd::default() },
            TurnEnd { request_id: Some("a".repeat(JSON_BYTES_MAX + 1)), ..TurnEnd::default() },
        ] {
            assert!(turn.check_size().is_err());
        }
        assert!(TurnEnd { action_summary: "a".repeat(9), ..TurnEnd::default() }.check_size().is_ok());
    }

    #[test]
    fn no_two_ids_are_one_word_nor_one_scope() {
        let ids = [
            "a b",
            "a_b",
            "ab",
            "ab ",
            " ab",
            "a%20b",
            "a,b",
            "7",
            "7 ",
            "a--b",
            "a-b",
            "a\u{3000}b",
            "<ab>",
        ];
        let turn = |id: &str| TurnEnd {
            request_id: Some(id.to_owned()),
            group_id: Some(id.to_owned()),
            ..TurnEnd::default()
        };
        let of = |what: &dyn Fn(TurnEnd) -> String| {
            ids.iter().map(|id| what(turn(id))).collect::<std::collections::BTreeSet<String>>()
        };
        assert_eq!(of(&|turn| turn.scope()).len(), ids.len());
        assert_eq!(of(&|turn| turn.event().unwrap()).len(), ids.len());
        let groups = of(&|turn| turn.occasion().fields()[0].1.clone());
        assert_eq!(groups.len(), ids.len(), "{groups:?}");
        assert!(groups.iter().all(|word| !word.contains(char::is_whitespace)), "{groups:?}");
        assert!(!turn(" ").in_some_scope());
    }

    #[test]
    fn a_name_is_kept_as_it_is_seen() {
        for (given, kept) in [
            ("\u{202e}Mei", "Mei"),
            ("Mei\u{200f}", "Mei"),
            ("Mei\u{7}\tL\nX", "Mei L X"),
            ("Mei \u{1f469}\u{200d}\u{1f4bb}", "Mei \u{1f469}\u{200d}\u{1f4bb}"),
            (" \u{1b}", ""),
        ] {
            assert_eq!(shown_name(given), kept, "{given:?}");
        }
        assert_eq!(shown_name(&"x".repeat(300)).len(), NAME_CHARS_MAX);
    }

    #[test]
    fn an_id_has_nothing_hidden_and_no_secret() {
        let token = format!("ghp_{}", "Ab12Cd34Ef56Gh78Ij90Kl12Mn34Op56Qr78");
        let turn = |json: String| TurnEnd::read(json.as_bytes()).unwrap();
        for field in ["request_id", "group_id", "user_id", "sender_id", "request_type", "message_ids"] {
            let secret = turn(format!("{{\"{field}\": \"{token}\"}}"));
            assert!(secret.check_words(false).is_err(), "{field}");
            assert!(secret.check_words(true).is_ok(), "{field}");
            assert!(turn(format!("{{\"{field}\": \"a\\u202eb\"}}")).check_words(true).is_err(), "{field}");
            assert!(turn(format!("{{\"{field}\": \"r101\"}}")).check_words(false).is_ok(), "{field}");
        }
    }

    #[test]
    fn done_without_a_message_needs_force() {
        let turn = TurnEnd { action_summary: "x".into(), message_sent: Some(false), ..TurnEnd::default() };
        assert!(turn.check_sent().is_err());
        assert!(TurnEnd { force: true, ..turn.clone() }.check_sent().is_ok());
        assert!(TurnEnd { message_sent: None, ..turn.clone() }.check_sent().is_ok());
        let learned = TurnEnd { action_summary: String::new(), new_info: vec!["y".into()], ..turn };
        assert!(learned.check_sent().is_ok());
    }
}
