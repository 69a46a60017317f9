//! A shell's text as words and operators: quotes, escapes, here-documents, substitutions.

use super::enclosed::{self, BEFORE_COMMANDS, Opened};

/// A piece of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A word: its parts stand together without a space.
    Word(Vec<Part>),
    /// A here-document's body.
    Body {
        /// Its text.
        text: String,
        /// The commands whose output is put into it.
        commands: Vec<String>,
    },
    /// The values of an array, `(a b)`; the word before it names the array (`A=`).
    List(String),
    /// `;`, `|`, `>>`, `(`, a line's end …
    Op(&'static str),
}

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// Text. Only outside quotes are `*` and braces patterns.
    Text {
        /// The text.
        text: String,
        /// Whether it stood in quotes.
        quoted: bool,
    },
    /// A variable's value. Outside of quotes its words are words of their own.
    Variable {
        /// The variable.
        name: String,
        /// Whether it stood in quotes.
        quoted: bool,
    },
    /// `${name:-text}`: a variable's value, or a text that is read as words.
    Default {
        /// The variable.
        name: String,
        /// The text.
        text: String,
    },
    /// `${name%text}`, `${name#text}`, `${name/text/other}`, `${name:1:2}`: a variable's value with something cut or replaced.
    Changed {
        /// The variable.
        name: String,
        /// The text behind its name.
        change: String,
    },
    /// `${!name}`: the value of the variable that this one names.
    Indirect(String),
    /// A command whose output is put here.
    Command {
        /// Its text.
        command: String,
        /// Whether the output is one word: it stands in quotes, or is read as a file (`<(…)`).
        quoted: bool,
    },
}

/// The first that fits is taken, so longer ones stand before those they begin with.
const OPERATORS: [&str; 22] = [
    "&>>", "<<<", "<<-", "&>", "&&", "||", "|&", ";;", ">>", ">|", ">&", "<<", "<>", "<&", ";", "&", "|",
    "(", ")", ">", "<", "\n",
];

pub(super) fn lex(text: &str) -> Vec<Token> {
    let mut lexer = Lexer { chars: text.chars().collect(), ..Lexer::default() };
    while lexer.at < lexer.chars.len() {
        lexer.step();
    }
    lexer.end_word();
    lexer.tokens
}

#[derive(Default)]
struct Lexer {
    chars: Vec<char>,
    at: usize,
    tokens: Vec<Token>,
    parts: Vec<Part>,
    /// Here-documents whose bodies begin at the next line: their end mark, whether that is quoted, and the place behind it.
    waiting: Vec<(String, bool, usize)>,
    /// The next word is a here-document's end mark.
    wants_mark: bool,
    /// How many `${…}` and here-documents there are around this text.
    depth: usize,
    /// How many characters were looked at for the ends of arithmetic expressions.
    looked_ahead: usize,
}

/// How deep texts within texts are read, so that a line of nothing but `${` comes to an end.
const DEPTH_MAX: usize = 8;
/// The most characters of one text that are looked at for the ends of arithmetic expressions.
const LOOKED_AHEAD_MAX: usize = 1 << 20;

impl Lexer {
    fn step(&mut self) {
        let c = self.chars[self.at];
        match c {
            '\\' if self.peek(1) == Some('\n') => self.at += 2,
            '\\' => {
                let escaped = self.peek(1).map(String::from).unwrap_or_default();
                self.push(escaped, true);
                self.at += 2;
            }
            '\'' => {
                let text = self.until('\'');
                self.push(text, true);
            }
            '"' => self.double_quoted(),
            '`' => {
                let command = self.until('`');
                self.parts.push(Part::Command { command, quoted: false });
            }
            '$' => self.dollar(false),
            '#' if self.parts.is_empty() => {
                while self.peek(0).is_some_and(|c| c != '\n') {
                    self.at += 1;
                }
            }
            '(' if self.peek(1) == Some('(') && self.parts.is_empty() => self.arithmetic(),
            // A list of an array stays with its name: `A=(a b)`.
            '(' if self.is_array() => {
                self.at += 1;
                let list = self.balanced();
                self.end_word();
                self.tokens.push(Token::List(list));
            }
            '<' | '>' if self.peek(1) == Some('(') => {
                self.at += 2;
                let command = self.balanced();
                self.parts.push(Part::Command { command, quoted: true });
            }
            // A pattern of bash, `@(AGENTS|USER).md`: read as braces where it is `@(`, else as `*`.
            '@' | '+' | '*' | '?' if self.peek(1) == Some('(') => {
                self.at += 2;
                let inside = self.balanced();
                let one_of =
                    if inside.contains('|') { format!("{{{}}}", inside.replace('|', ",")) } else { inside };
                self.push(if c == '@' { one_of } else { "*".to_owned() }, false);
            }
            // `!(README).md`: every other name. At the beginning of a command `!(…)` is a shell of its own.
            '!' if self.peek(1) == Some('(') && self.is_in_arguments() => {
                self.at += 2;
                let inside = self.balanced();
                self.push(format!("!({inside})"), false);
            }
            ' ' | '\t' | '\r' => {
                self.end_word();
                self.at += 1;
            }
            _ => self.operator_or_letter(c),
        }
    }

    /// `((n <<= 1))`, `for ((…; …; …))`: a word whose commands alone count; two shells in each other are none.
    fn arithmetic(&mut self) {
        let start = self.at + 2;
        let found = match self.looked_ahead < LOOKED_AHEAD_MAX {
            true => enclosed::end_of_arithmetic(&self.chars, start),
            false => None,
        };
        self.looked_ahead += found.map_or(enclosed::ARITHMETIC_CHARS_MAX, |end| end - start);
        let Some(end) = found else { return self.operator_or_letter('(') };
        let inside: String = self.chars[start..end - 2].iter().collect();
        self.push(format!("(({inside}))"), true);
        self.parts.extend(commands_in(&inside, self.depth + 1).into_iter().map(quoted_command));
        self.end_word();
        self.at = end;
    }

    fn operator_or_letter(&mut self, c: char) {
        let fits = |op: &&&str| op.chars().enumerate().all(|(n, c)| self.peek(n) == Some(c));
        let found =
            OPERATORS.iter().find(fits).copied().filter(|op| !(op.starts_with('<') && self.is_subscript()));
        let Some(op) = found else {
            self.push(c.to_string(), false);
            self.at += 1;
            return;
        };
        self.at += op.len();
        // `2>`: the number is the redirect's.
        if op.starts_with(['<', '>']) && self.is_number() {
            self.parts.clear();
        }
        self.end_word();
        self.wants_mark = matches!(op, "<<" | "<<-");
        self.tokens.push(Token::Op(op));
        if op == "\n" {
            self.bodies();
        }
    }

    /// Whether a word or a part of one stands in front, with which a command has begun.
    fn is_in_arguments(&self) -> bool {
        let begins = |parts: &[Part]| matches!(parts, [Part::Text { text, quoted: false }] if BEFORE_COMMANDS.contains(&text.as_str()));
        !self.parts.is_empty() || matches!(self.tokens.last(), Some(Token::Word(parts)) if !begins(parts))
    }

    /// Whether the word so far is a variable that gets an array: `A=`, `A+=`.
    fn is_array(&self) -> bool {
        match self.parts.as_slice() {
            [Part::Text { text, quoted: false }] => text.strip_suffix('=').is_some_and(|name| {
                let name = name.strip_suffix('+').unwrap_or(name);
                !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
            }),
            _ => false,
        }
    }

    /// Whether the word so far opens the place of a value: `a[1` of `a[1<<2]=3`.
    fn is_subscript(&self) -> bool {
        let text = match self.parts.as_slice() {
            [Part::Text { text, quoted: false }] => text,
            _ => return false,
        };
        let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        text.split_once('[').is_some_and(|(name, rest)| is_name(name) && !rest.contains(']'))
    }

    fn is_number(&self) -> bool {
        !self.parts.is_empty()
            && self.parts.iter().all(
                |part| matches!(part, Part::Text { text, quoted: false } if text.bytes().all(|b| b.is_ascii_digit())),
            )
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn push(&mut self, text: String, quoted: bool) {
        match self.parts.last_mut() {
            Some(Part::Text { text: last, quoted: same }) if *same == quoted => last.push_str(&text),
            _ => self.parts.push(Part::Text { text, quoted }),
        }
    }

    fn end_word(&mut self) {
        if self.parts.is_empty() {
            return;
        }
        let parts = std::mem::take(&mut self.parts);
        if std::mem::take(&mut self.wants_mark) {
            let text = |part: &Part| match part {
                Part::Text { text, .. } => text.clone(),
                Part::Variable { name, .. }
                | Part::Default { name, .. }
                | Part::Changed { name, .. }
                | Part::Indirect(name)
                | Part::Command { command: name, .. } => name.clone(),
            };
            let quoted = parts.iter().any(|part| matches!(part, Part::Text { quoted: true, .. }));
            self.waiting.push((parts.iter().map(text).collect(), quoted, self.tokens.len()));
        } else {
            self.tokens.push(Token::Word(parts));
        }
    }

    /// The text from behind the quote at this place up to the next one.
    fn until(&mut self, close: char) -> String {
        let start = self.at + 1;
        let end =
            self.chars[start..].iter().position(|c| *c == close).map_or(self.chars.len(), |n| start + n);
        self.at = end + 1;
        self.chars[start..end].iter().collect()
    }

    fn double_quoted(&mut self) {
        self.at += 1;
        self.push(String::new(), true);
        self.inside_double_quotes();
    }

    fn inside_double_quotes(&mut self) {
        while let Some(c) = self.peek(0) {
            match c {
                '"' => break,
                '\\' if matches!(self.peek(1), Some('"' | '\\' | '$' | '`' | '\n')) => {
                    self.push(self.peek(1).map(String::from).unwrap_or_default(), true);
                    self.at += 2;
                }
                '$' => self.dollar(true),
                '`' => {
                    let command = self.until('`');
                    self.parts.push(Part::Command { command, quoted: true });
                }
                c => {
                    self.push(c.to_string(), true);
                    self.at += 1;
                }
            }
        }
        self.at += 1;
    }

    fn dollar(&mut self, quoted: bool) {
        match self.peek(1) {
            Some('(') => {
                self.at += 2;
                let command = self.balanced();
                self.parts.push(Part::Command { command, quoted });
            }
            Some('{') => {
                self.at += 2;
                let inside = self.enclosed(Opened::Variable { quoted });
                let is_letter = |c: &char| c.is_alphanumeric() || *c == '_';
                if let Some(named) =
                    inside.strip_prefix('!').filter(|name| name.chars().all(|c| is_letter(&c)))
                {
                    self.parts.push(Part::Indirect(named.to_owned()));
                    return;
                }
                let name: String = inside.chars().take_while(is_letter).collect();
                let rest = &inside[name.len()..];
                // `${name[0]}`: any of an array's values.
                let index = rest.strip_prefix('[').and_then(|index| index.split_once(']'));
                let rest = index.map_or(rest, |(_, behind)| behind);
                let commands = commands_in(rest, self.depth + 1);
                let text = [":-", ":=", "-", "="].iter().find_map(|op| rest.strip_prefix(op));
                self.parts.push(match text {
                    Some(text) if commands.is_empty() => Part::Default { name, text: text.to_owned() },
                    None if is_change(rest) && commands.is_empty() => {
                        Part::Changed { name, change: rest.to_owned() }
                    }
                    _ => Part::Variable { name, quoted },
                });
                self.parts.extend(commands.into_iter().map(quoted_command));
            }
            // `$"…"` is translated, as a rule into itself.
            Some('"') if !quoted => {
                self.at += 1;
                self.double_quoted();
            }
            Some('\'') if !quoted => {
                self.at += 2;
                let text = self.ansi_quoted();
                self.push(text, true);
            }
            Some(c) if c.is_ascii_digit() || c == '@' || c == '*' => {
                self.at += 2;
                self.parts.push(Part::Variable { name: c.to_string(), quoted });
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let name: String = self.chars[self.at + 1..]
                    .iter()
                    .take_while(|c| c.is_ascii_alphanumeric() || **c == '_')
                    .collect();
                self.at += 1 + name.len();
                self.parts.push(Part::Variable { name, quoted });
            }
            _ => {
                self.push("$".to_owned(), quoted);
                self.at += 1;
            }
        }
    }

    /// The text of `$'…'`, from behind its quote: escapes are replaced, so that `\x72` is an r, and `\303\274` an ü.
    fn ansi_quoted(&mut self) -> String {
        let mut bytes = Vec::new();
        while let Some(c) = self.peek(0) {
            self.at += 1;
            match c {
                '\'' => break,
                '\\' => self.ansi_escape(&mut bytes),
                c => push(&mut bytes, c),
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Reads what an escape in `$'…'` means, from behind its backslash: a character, or one byte of it.
    fn ansi_escape(&mut self, bytes: &mut Vec<u8>) {
        let c = self.peek(0).unwrap_or('\\');
        let (radix, digits_max, skipped) = match c {
            'x' => (16, 2, 1),
            'u' => (16, 4, 1),
            'U' => (16, 8, 1),
            '0'..='7' => (8, 3, 0),
            _ => {
                self.at += 1;
                let meant = match c {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    other => other,
                };
                return push(bytes, meant);
            }
        };
        self.at += skipped;
        let digits: String = self.chars[self.at.min(self.chars.len())..]
            .iter()
            .take(digits_max)
            .take_while(|c| c.is_digit(radix))
            .collect();
        self.at += digits.len();
        match (u32::from_str_radix(&digits, radix), c) {
            (Ok(number), 'u' | 'U') => push(bytes, char::from_u32(number).unwrap_or(c)),
            // The shell keeps the last eight bits.
            (Ok(number), _) => bytes.extend(number.to_le_bytes().first()),
            (Err(_), _) => push(bytes, c),
        }
    }

    /// The text up to the parenthesis that closes the one just read.
    fn balanced(&mut self) -> String {
        self.enclosed(enclosed::COMMANDS)
    }

    /// The text up to what closes that which was just read.
    fn enclosed(&mut self, opened: Opened) -> String {
        let start = self.at.min(self.chars.len());
        let end = enclosed::end(&self.chars, start, opened);
        self.at = end.unwrap_or(self.chars.len());
        self.chars[start..end.map_or(self.chars.len(), |end| end - 1)].iter().collect()
    }

    /// Reads the here-documents that begin at this line. One belongs to the command that names it, also where others follow
    /// (`bash <<E && ls`); of a pipe it is left to the last, which takes it from there.
    fn bodies(&mut self) {
        let ends = |token: &Token| matches!(token, Token::Op("\n" | ";" | "&&" | "||" | "&" | ")" | ";;"));
        let mut bodies = Vec::new();
        let mut end = 0;
        for (mark, quoted, at) in std::mem::take(&mut self.waiting) {
            // The line's end was read before: behind that it is what stands there.
            if end <= at {
                end = self.tokens[at..].iter().position(ends).map_or(self.tokens.len(), |length| at + length);
            }
            let place = if self.tokens.get(end) == Some(&Token::Op("\n")) { self.tokens.len() } else { end };
            bodies.push((place, self.body(&mark, quoted)));
        }
        let Some((first, _)) = bodies.first() else { return };
        let mut behind = self.tokens.split_off(*first).into_iter();
        let mut at = *first;
        for (place, body) in bodies {
            self.tokens.extend(behind.by_ref().take(place - at));
            at = place;
            self.tokens.push(body);
        }
        self.tokens.extend(behind);
    }

    /// Reads the lines of a here-document, up to its end mark.
    fn body(&mut self, mark: &str, quoted: bool) -> Token {
        let mut body = String::new();
        while self.at < self.chars.len() {
            let line: String = self.chars[self.at..].iter().take_while(|c| **c != '\n').collect();
            self.at += line.chars().count() + 1;
            if line.trim_start_matches('\t') == mark {
                break;
            }
            body.push_str(&line);
            body.push('\n');
        }
        // Where the end mark was quoted, variables and commands in the text are not replaced.
        let commands = if quoted { Vec::new() } else { commands_in(&body, self.depth + 1) };
        Token::Body { text: body, commands }
    }
}

/// A character, as the shell has it in its bytes.
fn push(bytes: &mut Vec<u8>, c: char) {
    bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

/// Whether what stands behind a variable's name changes its value. `${name:+text}` and `${name:?text}` are others.
fn is_change(text: &str) -> bool {
    let is_place = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit() || " :(".contains(c));
    text.starts_with(['%', '#', '/', '^', ',']) || text.strip_prefix(':').is_some_and(is_place)
}

fn quoted_command(command: String) -> Part {
    Part::Command { command, quoted: true }
}

/// The commands whose output would be put into a text, which is read as if in double quotes.
fn commands_in(text: &str, depth: usize) -> Vec<String> {
    if depth > DEPTH_MAX || !text.contains(['$', '`']) {
        return Vec::new();
    }
    let chars = text.chars().map(|c| if c == '"' { ' ' } else { c }).chain(['"']).collect();
    let mut lexer = Lexer { chars, depth, ..Lexer::default() };
    lexer.inside_double_quotes();
    let commands = lexer.parts.into_iter().filter_map(|part| match part {
        Part::Command { command, .. } => Some(command),
        _ => None,
    });
    commands.collect()
}
