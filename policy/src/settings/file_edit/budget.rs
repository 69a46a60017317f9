//! Changes how long the document of a knowledge base may get, in the text of a configuration. Every other byte stays as it is.

use crate::knowledge_base::Budget;
use crate::settings::Settings;

/// How often the key may stand in the file: each place is tried.
const PLACES_MAX: usize = 200;

/// The text in which this budget of a knowledge base says so much. `None` where a person has to edit the file: the budget is not
/// written there as a number, or not within its bounds. The result has been parsed again: nothing but this budget has changed.
#[must_use]
pub fn with_budget(text: &str, kb: &str, budget: Budget, most: usize, defaults: &Settings) -> Option<String> {
    let before = Settings::parse(text, Some(defaults)).ok()?;
    let mut wanted = before.clone();
    let kb = wanted.knowledge_bases.iter_mut().find(|known| known.name == kb)?;
    *budget.of_mut(kb) = Some(most);
    if wanted == before {
        return Some(text.to_owned());
    }
    // Which of the places is meant is what the parser makes of each.
    let changed = |(from, to)| Some([text.get(..from)?, &most.to_string(), text.get(to..)?].concat());
    let is_wanted =
        |edited: &String| Settings::parse(edited, Some(defaults)).is_ok_and(|after| after == wanted);
    places(text, budget.key()).take(PLACES_MAX).filter_map(changed).find(is_wanted)
}

/// Where the numbers begin and end that stand behind this key.
fn places<'t>(text: &'t str, key: &'t str) -> impl Iterator<Item = (usize, usize)> {
    text.match_indices(key).filter_map(move |(at, _)| {
        let behind = text.get(at + key.len()..)?;
        let value = behind.trim_start_matches(['"', '\'']).trim_start_matches(' ').strip_prefix(':')?;
        let value = value.trim_start_matches(' ');
        let digits = value.bytes().take_while(u8::is_ascii_digit).count();
        let from = text.len() - value.len();
        (digits > 0).then_some((from, from + digits))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defaults() -> Settings {
        Settings::parse(include_str!("../../../../engine/src/default-config.yaml"), None).unwrap()
    }

    #[test]
    fn only_that_budget_changes() {
        let text = "version: 1\r\n# budget_chars: 80\r\nknowledge_bases:\r\n  a: { path: ~/a.md, budget_chars: 80 } # budget_chars: 80\r\n  b:\r\n    path: ~/b.md\r\n    section_budget_chars: 80\r\n    budget_chars: 80 # mine\r\n  c: { path: ~/c.md }\r\n";
        let with = |kb, budget| with_budget(text, kb, budget, 4000, &defaults());
        assert_eq!(
            with("a", Budget::Chars).unwrap(),
            text.replace("a.md, budget_chars: 80 }", "a.md, budget_chars: 4000 }")
        );
        assert_eq!(
            with("b", Budget::Chars).unwrap(),
            text.replace("    budget_chars: 80 # mine", "    budget_chars: 4000 # mine")
        );
        assert_eq!(
            with("b", Budget::SectionChars).unwrap(),
            text.replace("section_budget_chars: 80", "section_budget_chars: 4000")
        );
        // None is written there: a person adds it, if one is to be.
        assert_eq!(with("c", Budget::Chars), None);
        assert_eq!(with("a", Budget::Tokens), None);
        assert_eq!(with("none", Budget::Chars), None);
        let same = with_budget(text, "a", Budget::Chars, 80, &defaults());
        assert_eq!(same.as_deref(), Some(text));
    }

    #[test]
    fn a_number_that_cannot_be_is_not_written() {
        let text = "version: 1\nknowledge_bases:\n  a: { path: ~/a.md, budget_chars: 80 }\n";
        assert_eq!(with_budget(text, "a", Budget::Chars, 20_000_000, &defaults()), None);
    }
}
