//! What an event happened in, as the chat that tells of it knows it: which people, which group, when by which clock. It is
//! written beside the event's item, and is a record of ours: no declaration can set it.

use serde::{Deserialize, Serialize};

/// Where, when and among whom an event happened. What is not known is `None`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Occasion {
    /// When, in UTC: `2026-11-19T07:00:00Z`. The item's own time is that of the place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub utc: Option<String>,
    /// The name of the time zone: `Europe/Stockholm`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// What kind of conversation: `private` or `group`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub of_type: Option<String>,
    /// The user it was with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The group it was in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Who sent the message that began it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sender: Option<String>,
    /// The messages it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<String>,
    /// Where, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

impl Occasion {
    /// The fields of an item's comment, in the order they are written. A field is one word: a blank becomes `_`.
    #[must_use]
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        let messages = (!self.messages.is_empty()).then(|| self.messages.join(","));
        let fields = [
            ("utc", self.utc.as_ref()),
            ("zone", self.zone.as_ref()),
            ("type", self.of_type.as_ref()),
            ("user", self.user.as_ref()),
            ("group", self.group.as_ref()),
            ("sender", self.sender.as_ref()),
            ("msg", messages.as_ref()),
            ("place", self.place.as_ref()),
        ];
        let word = |text: &String| text.split_whitespace().collect::<Vec<_>>().join("_");
        fields.into_iter().filter_map(|(key, value)| Some((key, word(value?)))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_is_one_word() {
        let occasion = Occasion {
            utc: Some("2026-11-19T07:00:00Z".into()),
            group: Some("7".into()),
            messages: vec!["91".into(), "92".into()],
            place: Some(" the  office ".into()),
            ..Occasion::default()
        };
        let fields: Vec<String> =
            occasion.fields().into_iter().map(|(key, value)| format!("{key}={value}")).collect();
        assert_eq!(fields, ["utc=2026-11-19T07:00:00Z", "group=7", "msg=91,92", "place=the_office"]);
    }
}
