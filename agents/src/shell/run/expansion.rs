//! How words are expanded: variables, their changed forms, braces, and what commands within a word print.

use super::super::fits;
use super::super::lex::{Part, Token, lex};
use super::Run;
use super::limits::{CHANGE_BYTES_OF_A_STEP, CHANGED_BYTES_MAX, DEPTH_MAX, WORD_BYTES_MAX, WORDS_MAX};
use super::pipes::Output;

impl Run<'_> {
    /// `NAME=(LIST)`; of `m=([key]=value)` the values count.
    pub(super) fn array(&mut self, name: &str, list: &str) {
        let value = |word: String| match word.strip_prefix('[').and_then(|rest| rest.split_once("]=")) {
            Some((_, value)) => value.to_owned(),
            None => word,
        };
        let values = self.words_of(list).into_iter().map(value).collect();
        if let Some(name) = name.strip_suffix('=') {
            self.variables.push((name.strip_suffix('+').unwrap_or(name).to_owned(), values));
        }
    }

    /// The words that a word expands to. Commands in it are looked at; their output is known for some of them.
    pub(super) fn expand(&mut self, parts: &[Part]) -> Vec<String> {
        let mut words = vec![String::new()];
        // `NAME=$value` takes the value as it is.
        let assigns =
            matches!(parts.first(), Some(Part::Text { text, quoted: false }) if assignment(text).is_some());
        for part in parts {
            let values = match part {
                Part::Text { text, quoted: true } => vec![text.clone()],
                Part::Text { text, quoted: false } => braces(text),
                Part::Variable { name, quoted } if *quoted || assigns => self.value(name),
                Part::Variable { name, .. } => split(self.value(name)),
                Part::Default { name, text } => self.value_or(name, text),
                Part::Changed { name, change } => {
                    let values = self.value(name);
                    // Each end of a value is held against the pattern.
                    let cost =
                        |value: &String| value.len() * value.len() / CHANGE_BYTES_OF_A_STEP + change.len();
                    if values.iter().any(|value| value.len() > CHANGED_BYTES_MAX)
                        || !self.goes_on(values.iter().map(cost).sum())
                    {
                        vec![format!("${name}")]
                    } else {
                        let changed = |value: String| changed(&value, change).unwrap_or(value);
                        values.into_iter().map(changed).collect()
                    }
                }
                Part::Indirect(name) => {
                    let named = self.value(name);
                    named.iter().take(WORDS_MAX).flat_map(|name| self.value(name)).collect()
                }
                Part::Command { command, quoted } => self.printed_by(command, *quoted || assigns),
            };
            let glue =
                |head: &String| values.iter().map(move |tail| format!("{head}{tail}")).collect::<Vec<_>>();
            words = words.iter().flat_map(glue).take(WORDS_MAX).collect();
            if matches!(part, Part::Text { .. }) {
                continue;
            }
            let bytes: usize = words.iter().map(String::len).sum();
            if bytes > WORD_BYTES_MAX || !self.goes_on(bytes) {
                self.is_longer = true;
                return vec!["$…".to_owned()];
            }
        }
        words
    }

    /// What stands in place of a command in a word: its output as it is, or the words of it.
    pub(super) fn printed_by(&mut self, command: &str, is_one_word: bool) -> Vec<String> {
        match self.apart(command) {
            Some(Output { text: Some(text), .. }) if is_one_word => {
                vec![text.trim_end_matches('\n').to_owned()]
            }
            Some(Output { names: Some(names), .. }) => {
                self.remember(&names);
                // What else it prints is not known: the word is that, too.
                let untold = || names.in_text.then(|| format!("$({command})")).into_iter();
                untold().chain(names.words.iter().cloned()).chain(untold()).collect()
            }
            // Where the output is not known, the word keeps `$(…)`.
            _ => vec![format!("$({command})")],
        }
    }

    pub(super) fn value(&self, name: &str) -> Vec<String> {
        if let Some(values) = self.argument(name) {
            return values;
        }
        let known = self.variables.iter().rev().find(|(known, _)| known == name);
        match (known, name) {
            (Some((_, values)), _) => values.clone(),
            (None, "HOME") => vec![self.home.display().to_string()],
            (None, "PWD") => vec![self.cwd.display().to_string()],
            // Where the value is not known, the word keeps `$name`.
            _ => vec![format!("${name}")],
        }
    }

    /// `${name:-text}`: the value where it is known, else `$name` or the text.
    pub(super) fn value_or(&mut self, name: &str, text: &str) -> Vec<String> {
        let known = self.value(name);
        if known != [format!("${name}")] || self.depth >= DEPTH_MAX {
            return known;
        }
        let words = self.words_of(text);
        known.into_iter().chain(words).collect()
    }

    /// The words of a text that is not a command.
    pub(super) fn words_of(&mut self, text: &str) -> Vec<String> {
        if self.depth >= DEPTH_MAX {
            return Vec::new();
        }
        self.depth += 1;
        let words = lex(text).into_iter().filter_map(|token| match token {
            Token::Word(parts) => Some(self.expand(&parts)),
            Token::Body { .. } | Token::List(_) | Token::Op(_) => None,
        });
        let words: Vec<String> = words.flatten().take(WORDS_MAX).collect();
        self.depth -= 1;
        words
    }

    /// The value of `$1`, `$@` and so on, in a function or a script with known arguments.
    pub(super) fn argument(&self, name: &str) -> Option<Vec<String>> {
        let arguments = self.arguments.as_ref()?;
        match name {
            "0" => None,
            "@" | "*" => Some(arguments.iter().take(WORDS_MAX).cloned().collect()),
            _ => {
                let place: usize = name.parse().ok()?;
                Some(place.checked_sub(1).and_then(|at| arguments.get(at)).into_iter().cloned().collect())
            }
        }
    }

    /// `name=value`; `name=$(…)` is several such words where more than one is known that it may be.
    pub(super) fn assign(&mut self, (name, value): &(String, String), before: Option<&(String, String)>) {
        match self.variables.last_mut().filter(|_| before.is_some_and(|(before, _)| before == name)) {
            Some((_, values)) => values.push(value.clone()),
            None => self.variables.push((name.clone(), vec![value.clone()])),
        }
    }

    /// `name+=value`
    pub(super) fn append_to(&mut self, name: &str, value: &str) {
        let values: Vec<String> = self.value(name).iter().map(|head| format!("{head}{value}")).collect();
        let bytes = values.iter().map(String::len).sum();
        let is_known = bytes <= WORD_BYTES_MAX && self.goes_on(bytes);
        self.is_longer |= !is_known;
        self.variables.push((name.to_owned(), if is_known { values } else { vec!["$…".to_owned()] }));
    }
}

/// The words of values that stand in no quotes. What a command would print is not known, and stays one.
pub(super) fn split(values: Vec<String>) -> Vec<String> {
    let is_known = |value: &String| value.contains([' ', '\t', '\n']) && !value.contains(['$', '`']);
    let words = |value: String| match is_known(&value) {
        true => value.split_whitespace().map(str::to_owned).collect(),
        false => vec![value],
    };
    values.into_iter().flat_map(words).take(WORDS_MAX).collect()
}

/// `name+=value`
pub(super) fn appended(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once("+=")?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then_some((name, value))
}

pub(super) fn assignment(word: &str) -> Option<(&str, &str)> {
    // `mdformat==0.7` is a package with its version.
    let (name, value) = word.split_once('=').filter(|(_, value)| !value.starts_with('='))?;
    let letters = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (!name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(letters))
        .then_some((name, value))
}

/// `a{b,c}d` is `abd` and `acd`.
pub(super) fn braces(text: &str) -> Vec<String> {
    let open = text.find('{');
    let close = open.and_then(|open| text[open..].find('}').map(|close| open + close));
    let (Some(open), Some(close)) = (open, close) else { return vec![text.to_owned()] };
    let inside = &text[open + 1..close];
    if !inside.contains(',') {
        return vec![text.to_owned()];
    }
    // Too many to look at each: a pattern that any of them fits.
    if inside.split(',').count() > WORDS_MAX {
        return vec![format!("{}*{}", &text[..open], &text[close + 1..])];
    }
    inside
        .split(',')
        .take(WORDS_MAX)
        .map(|one| format!("{}{one}{}", &text[..open], &text[close + 1..]))
        .collect()
}

/// The same for every brace in a text: tools read those in patterns that a shell left alone.
pub(super) fn all_braces(text: &str) -> Vec<String> {
    let mut found = vec![text.to_owned()];
    for _ in 0..DEPTH_MAX {
        let next: Vec<String> = found.iter().flat_map(|one| braces(one)).take(WORDS_MAX).collect();
        if next == found {
            break;
        }
        found = next;
    }
    found
}

/// A part of a value: `${name:1}`, `${name:0:3}`, `${name: -3}`. What cannot be read as numbers leaves it as it is.
pub(super) fn part(value: &str, places: &str) -> Option<String> {
    let (from, len) = places.split_once(':').map_or((places, None), |(from, len)| (from, Some(len)));
    let chars: Vec<char> = value.chars().collect();
    let end = chars.len();
    let place = |text: &str, start: usize| {
        let text = text.trim().trim_matches(['(', ')']);
        let number: isize = if text.is_empty() { 0 } else { text.parse().ok()? };
        let back = number.unsigned_abs();
        Some(if number < 0 { end.saturating_sub(back) } else { start.saturating_add(back) }.min(end))
    };
    let from = place(from, 0)?;
    let to = len.map_or(Some(end), |len| place(len, from))?;
    Some(chars.get(from..to)?.iter().collect())
}

/// A value as `${name%text}`, `${name#text}` or `${name/text/other}` changes it; `None` without a change.
pub(super) fn changed(value: &str, change: &str) -> Option<String> {
    let first = change.chars().next()?;
    if first == ':' {
        return part(value, &change[1..]);
    }
    let (text, all) = match change[1..].strip_prefix(first) {
        Some(text) => (text, true),
        None => (&change[1..], false),
    };
    let fits = |part: &str| fits(text, part);
    let mut ends: Vec<usize> = value.char_indices().map(|(at, _)| at).chain([value.len()]).collect();
    match first {
        '^' if all => Some(value.to_uppercase()),
        ',' if all => Some(value.to_lowercase()),
        '^' | ',' => {
            let head = value.chars().next()?;
            let rest = &value[head.len_utf8()..];
            let head = head.to_string();
            Some(format!("{}{rest}", if first == '^' { head.to_uppercase() } else { head.to_lowercase() }))
        }
        '/' => {
            let (text, other) = text.split_once('/').unwrap_or((text, ""));
            Some(if all { value.replace(text, other) } else { value.replacen(text, other, 1) })
        }
        '%' => {
            if !all {
                ends.reverse();
            }
            let end = ends.into_iter().find(|end| fits(&value[*end..]));
            Some(end.map_or(value, |end| &value[..end]).to_owned())
        }
        _ => {
            if all {
                ends.reverse();
            }
            let end = ends.into_iter().find(|end| fits(&value[..*end]));
            Some(end.map_or(value, |end| &value[end..]).to_owned())
        }
    }
}
