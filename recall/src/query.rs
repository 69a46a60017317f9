//! A question as terms to look for, each with the tokens that match it, and the text that a phrase must match.

use crate::fold::{fold, is_cjk};
use crate::function_words::{chinese_len, is_function_word, is_generic};
use crate::irregular::irregular;
use crate::rank::Weights;
use crate::words::{Piece, Token, TokenKind, pieces, stem_of};

/// Most characters of a question that are looked at.
const CHARS_MAX: usize = 2_000;
/// Most terms that are looked for.
const TERMS_MAX: usize = 64;

/// Something a question asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// As it is spelt in the question, for people.
    pub text: String,
    /// The tokens that match it, and how well each does, up to 1.
    pub forms: Vec<(Token, f32)>,
    /// How much it counts beside others of the same rarity.
    pub weight: f32,
    /// What it is.
    pub sort: TokenKind,
    /// Where it stands in the question: a run of terms that stand side by side.
    pub place: u32,
}

/// A question, cut.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// What is looked for, in the order of the question.
    pub terms: Vec<Term>,
    /// The question in folded spelling, with single blanks.
    pub phrase: String,
    /// Whether it is one identifier and nothing else.
    pub is_identifier: bool,
}

impl Query {
    /// Cuts a question.
    #[must_use]
    pub fn new(text: &str, weights: &Weights) -> Query {
        let text: String = text.chars().take(CHARS_MAX).collect();
        let phrase = fold(&text).split_whitespace().collect::<Vec<_>>().join(" ");
        let pieces = pieces(&text);
        let mut terms = terms(&pieces, weights, true);
        if terms.is_empty() {
            terms = self::terms(&pieces, weights, false);
        }
        terms.truncate(TERMS_MAX);
        let is_identifier = !phrase.contains(' ')
            && terms.iter().any(|term| term.sort == TokenKind::Whole)
            && !phrase.chars().any(is_cjk);
        Query { terms, phrase, is_identifier }
    }

    /// Whether its letters are worth looking for inside of other words.
    #[must_use]
    pub fn has_enough_letters(&self) -> bool {
        let asked = self.phrase.chars().filter(|c| !c.is_whitespace()).count();
        asked >= 3 || (asked >= 1 && self.phrase.chars().all(is_cjk))
    }
}

/// The terms of a question; with `drop` without the words that only say how it is put.
fn terms(pieces: &[Piece], weights: &Weights, drop: bool) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    let mut at = 0;
    while let Some(first) = pieces.get(at) {
        let end = pieces[at..].iter().position(|p| p.chunk != first.chunk).map_or(pieces.len(), |n| at + n);
        let chunk = &pieces[at..end];
        if matches!(first.sort, TokenKind::Pair | TokenKind::Single) {
            of_run(chunk, weights, drop, &mut terms);
        } else {
            of_chunk(chunk, weights, drop, &mut terms);
        }
        at = end;
    }
    let mut seen = std::collections::HashSet::new();
    terms.retain(|term| seen.insert(term.forms.first().map(|form| form.0)));
    terms
}

/// The terms of one chunk between blanks: its words, and the whole chunk where it is an identifier.
fn of_chunk(chunk: &[Piece], weights: &Weights, drop: bool, terms: &mut Vec<Term>) {
    let whole = chunk.iter().rev().find(|piece| piece.sort == TokenKind::Whole);
    // Parts joined by a hyphen are words; parts joined by any other sign make a name.
    let is_name = whole.is_some_and(|whole| {
        whole.text.chars().any(|c| !c.is_alphabetic() && c != '-') || whole.text.starts_with('-')
    });
    let words = chunk.iter().filter(|piece| piece.sort == TokenKind::Word);
    for word in words.filter(|word| !drop || is_name || !is_function_word(&word.text)) {
        let mut forms = vec![(Token::of(&word.text), 1.0)];
        if let Some(stem) = stem_of(&word.text) {
            forms.push((Token::of(&stem), weights.stem));
        }
        let generic = is_generic(&word.text) || irregular(&word.text).is_some_and(is_generic);
        let weight = if is_name {
            weights.part
        } else if generic {
            weights.generic
        } else {
            1.0
        };
        terms.push(Term { text: word.text.clone(), forms, weight, sort: TokenKind::Word, place: word.place });
    }
    if let Some(whole) = whole {
        let weight = if is_name { weights.whole } else { weights.joined };
        let forms = vec![(Token::of(&whole.text), 1.0)];
        terms.push(Term {
            text: whole.text.clone(),
            forms,
            weight,
            sort: TokenKind::Whole,
            place: whole.place,
        });
    }
}

/// The terms of a run without blanks: what is left between its function words, in pairs and single characters.
fn of_run(chunk: &[Piece], weights: &Weights, drop: bool, terms: &mut Vec<Term>) {
    let singles: Vec<&Piece> = chunk.iter().filter(|piece| piece.sort == TokenKind::Single).collect();
    let chars: Vec<char> = singles.iter().filter_map(|piece| piece.text.chars().next()).collect();
    let mut left = vec![true; chars.len()];
    let mut at = 0;
    while drop && at < chars.len() {
        let len = chinese_len(&chars[at..]);
        left[at..at + len].fill(false);
        at += len.max(1);
    }
    // A run that consists of function words alone is looked for as it is.
    if !left.contains(&true) && chars.len() < 3 && terms.is_empty() {
        left.fill(true);
    }
    let stays = |at: usize| left.get(at).copied().unwrap_or(false);
    for (at, single) in singles.iter().enumerate().filter(|(at, _)| stays(*at)) {
        let alone = !stays(at + 1) && (at == 0 || !stays(at - 1));
        if stays(at + 1)
            && let Some(next) = singles.get(at + 1)
        {
            let text = format!("{}{}", single.text, next.text);
            let forms = vec![(Token::of(&text), 1.0)];
            terms.push(Term { text, forms, weight: 1.0, sort: TokenKind::Pair, place: single.place });
        }
        let weight = if alone { weights.alone } else { weights.single };
        let forms = vec![(Token::of(&single.text), 1.0)];
        terms.push(Term {
            text: single.text.clone(),
            forms,
            weight,
            sort: TokenKind::Single,
            place: single.place,
        });
    }
}
