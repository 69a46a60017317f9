//! Where what a bracket opens ends: `$(…)`, `${…}`, `((…))`, with the quotes, here-documents and brackets in it. It keeps a list of
//! what is open and never calls itself, so that a line of nothing but brackets comes to an end.

/// What is open at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opened {
    /// `(`: commands. So many `case` are open in it, whose patterns end with a `)`.
    Commands {
        /// How many.
        cases: usize,
    },
    /// `((`: no here-documents, no comments.
    Arithmetic,
    /// `${`.
    Variable {
        /// Whether it stands in double quotes, where a single quote is an ordinary character.
        quoted: bool,
    },
    /// `"`
    Double,
    /// `` ` ``
    Backticks,
}

/// Commands, just opened.
pub(super) const COMMANDS: Opened = Opened::Commands { cases: 0 };

/// The place behind what closes it; `None` where nothing does. `from`: the place behind what opens it.
pub(super) fn end(chars: &[char], from: usize, opened: Opened) -> Option<usize> {
    let mut reader =
        Reader { chars, at: from, open: vec![opened], marks: Vec::new(), word: String::new(), begins: true };
    while reader.at < chars.len() {
        reader.step();
        if reader.open.is_empty() {
            return Some(reader.at);
        }
    }
    None
}

/// The longest arithmetic expression.
pub(super) const ARITHMETIC_CHARS_MAX: usize = 4096;

/// The place behind `))` where an arithmetic expression began before `from`, behind `((`; `None` where it is none: two shells in
/// each other, or too long for an expression.
pub(super) fn end_of_arithmetic(chars: &[char], from: usize) -> Option<usize> {
    let chars = &chars[..chars.len().min(from + ARITHMETIC_CHARS_MAX)];
    let inner = end(chars, from, Opened::Arithmetic)?;
    (chars.get(inner) == Some(&')')).then_some(inner + 1)
}

struct Reader<'c> {
    chars: &'c [char],
    at: usize,
    open: Vec<Opened>,
    /// The end marks of here-documents that begin at the next line.
    marks: Vec<String>,
    /// The word that is read, in commands.
    word: String,
    /// Whether a command begins with it.
    begins: bool,
}

/// Words behind which a command begins.
pub(super) const BEFORE_COMMANDS: [&str; 10] =
    ["then", "do", "else", "elif", "if", "while", "until", "!", "{", "time"];

impl Reader<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn step(&mut self) {
        let (Some(c), Some(top)) = (self.peek(0), self.open.last().copied()) else { return };
        let in_quotes = matches!(top, Opened::Double | Opened::Variable { quoted: true });
        match (top, c) {
            (_, '\\') => {
                self.at += 2;
                self.word.push('\\');
            }
            (Opened::Double, '"') | (Opened::Backticks, '`') | (Opened::Variable { .. }, '}') => self.close(),
            (Opened::Backticks, _) => self.at += 1,
            (_, '$') if self.peek(1) == Some('(') && self.peek(2) == Some('(') => {
                self.open(&[Opened::Arithmetic, Opened::Arithmetic], 3);
            }
            (_, '$') if self.peek(1) == Some('(') => self.open(&[COMMANDS], 2),
            (_, '$') if self.peek(1) == Some('{') => {
                self.open(&[Opened::Variable { quoted: in_quotes }], 2);
            }
            (_, '$') if self.peek(1) == Some('\'') && !in_quotes => self.skip_ansi(),
            (_, '`') => self.open(&[Opened::Backticks], 1),
            (Opened::Double, _) => self.at += 1,
            (_, '"') => self.open(&[Opened::Double], 1),
            (_, '\'') if !in_quotes => {
                let rest = &self.chars[self.at + 1..];
                self.at += rest.iter().position(|c| *c == '\'').map_or(rest.len() + 1, |length| length + 2);
                self.word.push('\'');
            }
            (Opened::Variable { .. }, _) => self.at += 1,
            (Opened::Commands { .. }, _) => self.step_in_commands(c),
            (_, '(') => self.open(&[Opened::Arithmetic], 1),
            (_, ')') => self.close(),
            _ => self.at += 1,
        }
    }

    fn step_in_commands(&mut self, c: char) {
        let ends_word = c.is_whitespace() || ";&|<>()".contains(c) || c == '#' && self.word.is_empty();
        if !ends_word {
            self.word.push(c);
            self.at += 1;
            return;
        }
        self.end_word();
        match c {
            '(' if self.begins && self.peek(1) == Some('(') => {
                self.open(&[Opened::Arithmetic, Opened::Arithmetic], 2);
            }
            '(' => self.open(&[COMMANDS], 1),
            // The end of a pattern of `case`.
            ')' if matches!(self.open.last(), Some(Opened::Commands { cases: 1.. })) => {
                self.at += 1;
                self.begins = true;
            }
            ')' => self.close(),
            '#' => {
                let rest = &self.chars[self.at..];
                self.at += rest.iter().position(|c| *c == '\n').unwrap_or(rest.len());
            }
            '<' if self.peek(1) == Some('<') && self.peek(2) == Some('<') => self.at += 3,
            '<' if self.peek(1) == Some('<') => self.read_mark(),
            '\n' => {
                self.at += 1;
                self.begins = true;
                self.skip_bodies();
            }
            _ => {
                self.at += 1;
                self.begins |= matches!(c, ';' | '&' | '|');
            }
        }
    }

    /// A word of a command ends here.
    fn end_word(&mut self) {
        let word = std::mem::take(&mut self.word);
        if word.is_empty() {
            return;
        }
        if let Some(Opened::Commands { cases }) = self.open.last_mut().filter(|_| self.begins) {
            match word.as_str() {
                "case" => *cases += 1,
                "esac" => *cases = cases.saturating_sub(1),
                _ => {}
            }
        }
        self.begins &= BEFORE_COMMANDS.contains(&word.as_str());
    }

    fn open(&mut self, opened: &[Opened], width: usize) {
        self.open.extend_from_slice(opened);
        self.at += width;
        self.word.clear();
        self.begins = true;
    }

    fn close(&mut self) {
        self.open.pop();
        self.at += 1;
        // What stands behind it is of the same word.
        self.word = "\"".to_owned();
        self.begins = false;
    }

    /// `$'…'`
    fn skip_ansi(&mut self) {
        self.at += 2;
        while let Some(c) = self.peek(0) {
            self.at += if c == '\\' { 2 } else { 1 };
            if c == '\'' {
                break;
            }
        }
        self.word.push('\'');
    }

    /// `<<EOF`, `<<-'EOF'`
    fn read_mark(&mut self) {
        self.at += 2;
        if self.peek(0) == Some('-') {
            self.at += 1;
        }
        while matches!(self.peek(0), Some(' ' | '\t')) {
            self.at += 1;
        }
        let mut mark = String::new();
        while let Some(c) = self.peek(0).filter(|c| !c.is_whitespace() && !";&|<>()".contains(*c)) {
            if !matches!(c, '\'' | '"' | '\\') {
                mark.push(c);
            }
            self.at += 1;
        }
        self.marks.extend((!mark.is_empty()).then_some(mark));
    }

    fn skip_bodies(&mut self) {
        for mark in std::mem::take(&mut self.marks) {
            while self.at < self.chars.len() {
                let rest = &self.chars[self.at..];
                let length = rest.iter().position(|c| *c == '\n').unwrap_or(rest.len());
                let begin = rest[..length].iter().position(|c| *c != '\t').unwrap_or(length);
                let marked = begin + mark.chars().count();
                let is_mark =
                    rest.get(begin..marked).is_some_and(|line| line.iter().copied().eq(mark.chars()));
                // `EOF)`: an older bash ends both there.
                if is_mark && rest.get(marked) == Some(&')') {
                    self.at += marked;
                    break;
                }
                self.at = (self.at + length + 1).min(self.chars.len());
                if is_mark && marked == length {
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_opened_ends_where_a_shell_ends_it() {
        for (text, inside) in [
            ("pwd) x", "pwd"),
            ("cat <<'EOF'\nfix: don't (crash\nEOF\n) && x", "cat <<'EOF'\nfix: don't (crash\nEOF\n"),
            ("cat <<-E\n\t) `\n\tE\n) x", "cat <<-E\n\t) `\n\tE\n"),
            ("cat <<EOF\nit's\nEOF) x", "cat <<EOF\nit's\nEOF"),
            ("grep \")\" f) x", "grep \")\" f"),
            ("echo ')' $')\\'') x", "echo ')' $')\\''"),
            ("echo \"it's $(echo \"it's)\")\") x", "echo \"it's $(echo \"it's)\")\""),
            ("case $x in a) echo 1;; (b) echo 2;; esac) x", "case $x in a) echo 1;; (b) echo 2;; esac"),
            ("grep case f) x", "grep case f"),
            ("ls # it's )\n) x", "ls # it's )\n"),
            ("echo a#b) x", "echo a#b"),
            ("echo ${x:-')'} \"${y:-it's}\") x", "echo ${x:-')'} \"${y:-it's}\""),
            ("echo `a)`) x", "echo `a)`"),
            ("echo $((1 << 3)); ((n <<= 1)); (a)\nb) x", "echo $((1 << 3)); ((n <<= 1)); (a)\nb"),
            ("cat <<< \")\") x", "cat <<< \")\""),
            (
                "a; for i in 1; do case $i in 1) b;; esac; done) x",
                "a; for i in 1; do case $i in 1) b;; esac; done",
            ),
        ] {
            let chars: Vec<char> = text.chars().collect();
            let end = end(&chars, 0, COMMANDS).map(|end| chars[..end - 1].iter().collect::<String>());
            assert_eq!(end.as_deref(), Some(inside), "{text:?}");
        }
        let open: Vec<char> = "cat <<E\n)\n".chars().collect();
        assert_eq!(end(&open, 0, COMMANDS), None);
        let brace: Vec<char> = "x:-'}'} y".chars().collect();
        assert_eq!(end(&brace, 0, Opened::Variable { quoted: false }), Some(7));
        assert_eq!(end(&brace, 0, Opened::Variable { quoted: true }), Some(5));
    }

    #[test]
    fn arithmetic_ends_with_two_brackets() {
        let end = |text: &str| end_of_arithmetic(&text.chars().collect::<Vec<_>>(), 0);
        assert_eq!(end(" n = 1 << (3) )) x"), Some(16));
        assert_eq!(end("cd a; ls) | wc) x"), None);
    }
}
