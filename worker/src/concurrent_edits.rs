//! Edits that people save while a commit is under way. When a later save was loaded before an earlier one, it lacks the
//! earlier change; that change is rebased onto it. And how many of them a commit takes in. Pure; what becomes of the document
//! after that is `endless_saves`.

use markdown_merge::{Rebased, nearest, rebase_edit};
use std::collections::BTreeMap;

/// Saves of people that one commit takes in. The next one stays as it was saved, and the jobs wait for a quieter moment: each
/// save is compared with each other one, and no save of a commit is ever forgotten.
pub const SAVES_MAX: usize = 8;

/// People's saves during a commit, oldest first. All are remembered: the lines of a forgotten one would count as added by a
/// person, or as missing.
#[derive(Debug, Default)]
pub(crate) struct Saves {
    /// Texts that were in the document's place, so that somebody may have loaded them.
    loadable: Vec<Vec<u8>>,
    edits: Vec<Save>,
    /// Texts that were saved without what somebody had saved before.
    lacking: Vec<Vec<u8>>,
    /// How many saves there were, also those that were left out since.
    count: usize,
    /// Whether the author of the next save had loaded a text that we do not know.
    next_loaded_unknown: bool,
}

#[derive(Debug)]
struct Save {
    /// The text that its author had loaded; `None` where that is not known.
    loaded: Option<Vec<u8>>,
    text: Vec<u8>,
}

/// What to merge onto after a save.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Onto {
    /// The text saved last, with what was saved before it and its author had not seen.
    pub text: Vec<u8>,
    /// Texts whose change does not go into it.
    pub left_out: Vec<Vec<u8>>,
}

impl Saves {
    /// This text is in the document's place from now on.
    pub fn placed(&mut self, text: Vec<u8>) {
        self.loadable.push(text);
    }

    /// A save that is found again after a crash; which text its author had loaded is not known.
    pub fn found(&mut self, text: Vec<u8>) {
        self.push(None, text);
    }

    /// It is not known which texts were in the document's place meanwhile, so neither is the one that the author of the next save
    /// had loaded. No known text may be taken for it: its lines would count as removed by a person who never saw them.
    pub fn placed_unknown(&mut self) {
        self.next_loaded_unknown = true;
    }

    /// Somebody saved.
    pub fn saved(&mut self, text: Vec<u8>) -> Onto {
        let mut onto = Onto { text: text.clone(), left_out: Vec::new() };
        self.edits.retain(|edit| match carried(edit, &onto.text) {
            Rebased::Contained => true,
            Rebased::Merged(merged) => {
                onto.text = merged.into_bytes();
                true
            }
            Rebased::LeftOut => {
                onto.left_out.push(edit.text.clone());
                false
            }
        });
        // One save may have removed lines that another one added. Its author had probably not seen them: they are reported.
        onto.left_out.extend(self.take_missing(&onto.text));
        if onto.text != text {
            self.lacking.push(text.clone());
        }
        let loaded =
            if std::mem::take(&mut self.next_loaded_unknown) { None } else { self.likely_loaded(&text) };
        self.push(loaded, text);
        onto
    }

    /// Forgets the saves whose change is not in this text, and answers what they said.
    pub fn take_missing(&mut self, text: &[u8]) -> Vec<Vec<u8>> {
        let lines = std::str::from_utf8(text).map(LinesOf::new);
        let is_there = |edit: &Save| {
            lines.as_ref().is_ok_and(|lines| lines.have(edit)) || carried(edit, text) == Rebased::Contained
        };
        let (there, missing): (Vec<Save>, Vec<Save>) =
            std::mem::take(&mut self.edits).into_iter().partition(is_there);
        self.edits = there;
        missing.into_iter().map(|edit| edit.text).collect()
    }

    /// Whether people save without end, as far as one commit can tell: it takes in no further save. Those that were found of a
    /// dead worker count too.
    pub fn are_endless(&self) -> bool {
        self.count >= SAVES_MAX
    }

    fn push(&mut self, loaded: Option<Vec<u8>>, text: Vec<u8>) {
        self.count += 1;
        self.edits.push(Save { loaded, text });
    }

    /// The text saved last, as it was saved.
    pub fn last(&self) -> Option<&[u8]> {
        self.edits.last().map(|edit| edit.text.as_slice())
    }

    /// Texts that were in the document's place and lacked what somebody had saved before.
    pub fn lacking(&self) -> Vec<Vec<u8>> {
        self.lacking.clone()
    }

    /// The text that the author of this one had probably loaded: the one it differs least from.
    fn likely_loaded(&self, text: &[u8]) -> Option<Vec<u8>> {
        let known = self.loadable.iter().chain(self.edits.iter().map(|edit| &edit.text));
        let known: Vec<&str> = known.filter_map(|known| std::str::from_utf8(known).ok()).collect();
        let at = nearest(&known, std::str::from_utf8(text).ok()?)?;
        known.get(at).map(|text| text.as_bytes().to_vec())
    }
}

/// The lines of a text, to ask whether it has every line that a save added. Almost always it has, and no texts need to be compared.
struct LinesOf<'t>(BTreeMap<&'t str, usize>);

impl<'t> LinesOf<'t> {
    fn new(text: &'t str) -> LinesOf<'t> {
        let mut lines = BTreeMap::new();
        text.lines().for_each(|line| *lines.entry(line).or_default() += 1);
        LinesOf(lines)
    }

    fn times(&self, line: &str) -> usize {
        self.0.get(line).copied().unwrap_or(0)
    }

    /// Whether every line is there, and as often, that the save has more of than the text its author had loaded.
    fn have(&self, save: &Save) -> bool {
        let Ok(text) = std::str::from_utf8(&save.text) else { return false };
        let over = save.loaded.as_deref().map_or(Ok(""), std::str::from_utf8).map(LinesOf::new);
        let there = |over: LinesOf<'_>| {
            let mut lines = LinesOf::new(text).0.into_iter();
            lines.all(|(line, times)| times <= over.times(line) || times <= self.times(line))
        };
        over.is_ok_and(there)
    }
}

fn carried(edit: &Save, second: &[u8]) -> Rebased {
    let over = edit.loaded.as_deref().map(std::str::from_utf8).transpose();
    match (over, std::str::from_utf8(&edit.text), std::str::from_utf8(second)) {
        (Ok(over), Ok(text), Ok(second)) => rebase_edit(over, text, second),
        _ if edit.text == second => Rebased::Contained,
        _ => Rebased::LeftOut,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(lines: &[&str]) -> Vec<u8> {
        format!(
            "# T\n\nMine.\n{}\n## Log\n\n- one\n",
            lines.iter().map(|l| format!("{l}\n")).collect::<String>()
        )
        .into_bytes()
    }

    #[test]
    fn every_save_is_in_the_last_one_whatever_its_author_had_loaded() {
        let mut saves = Saves::default();
        saves.placed(text(&[]));
        assert_eq!(saves.saved(text(&["1"])).text, text(&["1"]));
        // Our text, without the first save; then one that has it, and somebody who loads the one before.
        saves.placed(text(&[]));
        assert_eq!(saves.saved(text(&["2"])).text, text(&["1", "2"]));
        saves.placed(text(&["1"]));
        assert_eq!(saves.saved(text(&["3"])), Onto { text: text(&["2", "1", "3"]), left_out: vec![] });
        saves.placed(text(&["1", "2"]));
        let onto = saves.saved(text(&["4", "1", "2"]));
        assert_eq!(onto, Onto { text: text(&["3", "4", "1", "2"]), left_out: vec![] });
        assert_eq!(saves.lacking(), [text(&["2"]), text(&["3"]), text(&["4", "1", "2"])]);
    }

    /// A commit died while it held a save; then somebody saves over the text that was in place meanwhile, and somebody over the
    /// held text.
    #[test]
    fn what_nobody_has_seen_is_not_taken_out_by_them() {
        for known in [true, false] {
            let mut saves = Saves::default();
            saves.found(text(&["1"]));
            assert_eq!(saves.saved(text(&["2", "1"])).text, text(&["2", "1"]), "held");
            if !known {
                saves.placed_unknown();
            }
            let onto = saves.saved(text(&["3", "0"]));
            saves.placed(text(&["2", "1"]));
            let last = saves.saved(text(&["4", "2", "1"]));
            let left_out = [onto.left_out.clone(), last.left_out.clone()].concat();
            for line in ["1", "2", "3", "4"] {
                let has = |of: &[u8]| String::from_utf8_lossy(of).lines().any(|of| of == line);
                assert!(
                    has(&last.text) || left_out.iter().any(|left| has(left)),
                    "{line}, {known}: {last:?}"
                );
            }
            assert!(known || String::from_utf8_lossy(&last.text).contains("\n2\n"), "{last:?}");
        }
    }

    #[test]
    fn what_does_not_fit_is_named_once() {
        let mut saves = Saves::default();
        saves.placed(text(&["a"]));
        saves.saved(text(&["b"]));
        saves.placed(text(&["a"]));
        assert_eq!(saves.saved(text(&["c"])), Onto { text: text(&["c"]), left_out: vec![text(&["b"])] });
        assert_eq!(saves.saved(text(&["c", "d"])), Onto { text: text(&["c", "d"]), left_out: vec![] });
    }

    #[test]
    fn a_commit_takes_in_so_many_saves_and_no_more() {
        let mut saves = Saves::default();
        saves.found(text(&["0"]));
        for n in 1..SAVES_MAX {
            assert!(!saves.are_endless(), "{n}");
            saves.saved(text(&["other"; 3][..n % 3]));
        }
        assert!(saves.are_endless());
    }

    #[test]
    fn bytes_that_are_no_text_are_never_mixed() {
        let mut saves = Saves::default();
        saves.found(vec![0xff]);
        assert_eq!(saves.saved(vec![0xff]), Onto { text: vec![0xff], left_out: vec![] });
        assert_eq!(saves.saved(text(&[])).left_out, [vec![0xff], vec![0xff]]);
    }
}
