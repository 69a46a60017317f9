//! Functions that a command line defines: their names and bodies, so that a call can be looked into with its arguments.

use super::lex::{Part, Token};

/// The most functions of one line that are remembered.
const FUNCTIONS_MAX: usize = 64;

/// The functions of a line: `f() { …; }`, `f() ( … )`, `function f { …; }`.
pub(super) fn defined(tokens: &[Token]) -> Vec<(String, Vec<Token>)> {
    (0..tokens.len()).filter_map(|at| definition(&tokens[at..])).take(FUNCTIONS_MAX).collect()
}

fn definition(tokens: &[Token]) -> Option<(String, Vec<Token>)> {
    let (name, rest) = match tokens {
        [Token::Word(keyword), Token::Word(name), Token::Op("("), Token::Op(")"), rest @ ..]
            if plain(keyword) == Some("function") =>
        {
            (name, rest)
        }
        [Token::Word(keyword), Token::Word(name), rest @ ..] if plain(keyword) == Some("function") => {
            (name, rest)
        }
        [Token::Word(name), Token::Op("("), Token::Op(")"), rest @ ..] => (name, rest),
        _ => return None,
    };
    let begin = rest.iter().position(|token| *token != Token::Op("\n"))?;
    let rest = &rest[begin..];
    let (open, close) = match rest.first()? {
        Token::Word(word) if plain(word) == Some("{") => ("{", "}"),
        Token::Op("(") => ("(", ")"),
        _ => return None,
    };
    let mut depth = 0;
    let end = rest.iter().position(|token| {
        let text = match token {
            Token::Word(word) => plain(word),
            Token::Op(op) => Some(*op),
            Token::Body { .. } | Token::List(_) => None,
        };
        depth += usize::from(text == Some(open));
        let closes = text == Some(close);
        depth -= usize::from(closes);
        closes && depth == 0
    });
    let end = end.unwrap_or(rest.len());
    Some((plain(name)?.to_owned(), rest.get(1..end)?.to_vec()))
}

/// The text of a word that has neither quotes nor variables.
fn plain(parts: &[Part]) -> Option<&str> {
    match parts {
        [Part::Text { text, quoted: false }] => Some(text),
        _ => None,
    }
}
