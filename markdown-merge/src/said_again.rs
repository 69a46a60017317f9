//! Whether an item that is there makes a new one needless. Same words are not enough: what was said of another project, as a guess, or
//! until a day that is over, does not say it here and now.

use super::item::Item;
use super::item_line::fold;
use super::item_text::ItemText;
use super::request::Stamp;

/// Below this confidence an item is a guess.
pub const GUESS_BELOW: f64 = 0.5;

/// Whether a live item that says the same in its line says all that a new one would.
pub(super) fn says_all_of(item: &Item<'_>, new: &ItemText, stamp: Option<&Stamp<'_>>) -> bool {
    let lines = item.below().lines().map(str::trim).filter(|line| !line.is_empty());
    let below = new.below.is_empty() || new.below.iter().map(|line| fold(line.trim())).eq(lines.map(fold));
    below && stamp.is_none_or(|stamp| stands_for(item, stamp))
}

fn stands_for(item: &Item<'_>, stamp: &Stamp<'_>) -> bool {
    let new = |key: &str| stamp.fields.iter().find(|(name, _)| *name == key).map(|(_, value)| value.as_str());
    let is_guess = |confidence: Option<&str>| {
        confidence.and_then(|c| c.parse().ok()).is_some_and(|c: f64| c < GUESS_BELOW)
    };
    let is_foreign = |by: Option<&str>| matches!(by, Some("web" | "tool"));
    let here = item.field("in").is_none_or(|project| new("in") == Some(project));
    let as_sure = is_guess(new("c")) || !is_guess(item.field("c"));
    let as_trusted = is_foreign(new("by")) || !is_foreign(item.field("by"));
    let still = item.field("until").is_none_or(|until| until >= stamp.day());
    here && as_sure && as_trusted && still
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_something_else_is_not_said() {
        // The comment of an item that is there, the fields of a new one, and whether it is needless.
        for (there, new, said) in [
            ("", &[][..], true),
            ("", &[("in", "~/app"), ("c", "1"), ("by", "user")], true),
            ("in=~/app", &[("in", "~/app")], true),
            ("in=~/app", &[("in", "~/other")], false),
            ("in=~/app", &[], false),
            ("c=0.2", &[], false),
            ("c=0.2", &[("c", "0.5")], false),
            ("c=0.2", &[("c", "0.4")], true),
            ("c=0.8", &[("c", "1")], true),
            ("by=agent", &[("by", "user")], true),
            ("by=web", &[("by", "agent")], false),
            ("by=tool", &[("by", "user")], false),
            ("by=web", &[("by", "tool")], true),
            ("until=2026-02-28", &[], false),
            ("until=2026-03-01", &[("until", "2026-04-01")], true),
        ] {
            let line = format!("- tea <!-- lw 10:00 {there} --> ^k7m2q9xa");
            let fields = new.iter().map(|(key, value)| (*key, (*value).to_owned())).collect();
            let stamp = Stamp { id: "a".into(), at: "2026-03-01T14:30+08:00".into(), fields, occurs: false };
            let (item, text) = (Item::read(&line).unwrap(), ItemText::read("tea").unwrap());
            assert_eq!(says_all_of(&item, &text, Some(&stamp)), said, "{there}: {new:?}");
        }
    }
}
