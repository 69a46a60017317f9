//! A terminal of a certain size with the binary on it, and what can be seen there: what a program sends is read as a terminal
//! reads it, as far as we send it.

use super::{User, binary, number_asked, skipped};
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use unicode_width::UnicodeWidthChar;

/// One place on the screen: what stands there (empty right of a wide character) and in which colour.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cell {
    pub text: String,
    pub tone: u8,
}

/// What can be seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screen {
    pub columns: usize,
    pub rows: Vec<Vec<Cell>>,
    row: usize,
    column: usize,
    tone: u8,
    unread: Vec<u8>,
}

impl Screen {
    pub fn new(columns: usize, rows: usize) -> Screen {
        let rows = vec![vec![Cell::default(); columns]; rows];
        Screen { columns, rows, row: 0, column: 0, tone: 0, unread: Vec::new() }
    }

    /// Takes in what a program sends.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.unread.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.unread) {
            Ok(text) => text.len(),
            Err(e) => e.valid_up_to(),
        };
        // A control sequence may come in two pieces.
        let whole = match self.unread[..whole].iter().rposition(|byte| *byte == 0x1b) {
            Some(at) if !self.unread[at + 1..whole].iter().any(u8::is_ascii_alphabetic) => at,
            _ => whole,
        };
        let rest = self.unread.split_off(whole);
        let text = String::from_utf8(std::mem::replace(&mut self.unread, rest)).unwrap();
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            match c {
                '\r' => self.column = 0,
                '\n' => self.line_feed(),
                '\t' => self.column = (self.column / 8 * 8 + 8).min(self.columns - 1),
                '\u{8}' => self.column = self.column.saturating_sub(1),
                '\u{1b}' => self.control(&mut chars),
                c if c.is_control() => {}
                c => self.put(c),
            }
        }
    }

    fn line_feed(&mut self) {
        self.row += 1;
        if self.row == self.rows.len() {
            self.rows.remove(0);
            self.rows.push(vec![Cell::default(); self.columns]);
            self.row -= 1;
        }
    }

    fn control(&mut self, chars: &mut std::str::Chars<'_>) {
        assert_eq!(chars.next(), Some('['), "a control sequence that we never send");
        let mut numbers = String::new();
        let last = chars.by_ref().find(|c| {
            numbers.extend(Some(*c).filter(|c| !c.is_ascii_alphabetic()));
            c.is_ascii_alphabetic()
        });
        match (last, numbers.as_str()) {
            (Some('m'), tone) => self.tone = tone.parse().unwrap_or(0),
            (Some('H'), "") => (self.row, self.column) = (0, 0),
            (Some('K'), "") => self.rows[self.row][self.column..].fill(Cell::default()),
            (Some('J'), "") => {
                self.rows[self.row][self.column..].fill(Cell::default());
                self.rows.iter_mut().skip(self.row + 1).for_each(|row| row.fill(Cell::default()));
            }
            // Bracketed paste and the like, of the shell.
            (Some('h' | 'l'), _) => {}
            other => panic!("a control sequence that we never send: {other:?}"),
        }
    }

    fn put(&mut self, c: char) {
        let wide = c.width().unwrap_or(0);
        if wide == 0 {
            let before = self.column.saturating_sub(1);
            self.rows[self.row][before].text.push(c);
            return;
        }
        if self.column + wide > self.columns {
            self.column = 0;
            self.line_feed();
        }
        self.rows[self.row][self.column] = Cell { text: c.to_string(), tone: self.tone };
        for right in self.column + 1..self.column + wide {
            self.rows[self.row][right] = Cell { text: String::new(), tone: self.tone };
        }
        // In the last column the cursor waits there until the next character.
        self.column += wide;
    }

    /// The rows as text.
    pub fn lines(&self) -> Vec<String> {
        let line = |row: &Vec<Cell>| {
            let mut text = String::new();
            let mut hidden = 0;
            for cell in row {
                match (cell.text.as_str(), hidden) {
                    ("", 0) => text.push(' '),
                    ("", _) => hidden -= 1,
                    (seen, _) => {
                        text.push_str(seen);
                        hidden = seen.chars().next().and_then(UnicodeWidthChar::width).unwrap_or(1) - 1;
                    }
                }
            }
            text.trim_end().to_owned()
        };
        self.rows.iter().map(line).collect()
    }

    /// All that can be seen, as one text.
    pub fn text(&self) -> String {
        self.lines().join("\n")
    }
}

/// A program on a terminal.
pub struct Terminal {
    child: Child,
    stdin: Option<ChildStdin>,
    pub screen: Screen,
    sent: Vec<u8>,
}

impl Terminal {
    /// Starts the binary with these words on a terminal of this size, in this user's world; `None`, said, where no terminal
    /// can be made.
    pub fn open(user: &User, (columns, rows): (usize, usize), words: &str) -> Option<Terminal> {
        if !Command::new("script").arg("--version").output().is_ok_and(|output| output.status.success()) {
            skipped("no `script` (util-linux) to make a terminal with");
            return None;
        }
        let mut command = Command::new("script");
        let typed = format!("stty rows {rows} cols {columns}; exec {} {words}", binary());
        command.args(["-qec", &typed, "/dev/null"]).env_clear().current_dir(user.root());
        for (name, value) in
            [("PATH", "/usr/bin:/bin"), ("SHELL", "/bin/sh"), ("USER", "tester"), ("TERM", "xterm")]
        {
            command.env(name, value);
        }
        command.env("HOME", user.root()).env("EDITOR", "/bin/true");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take();
        Some(Terminal { child, stdin, screen: Screen::new(columns, rows), sent: Vec::new() })
    }

    /// Reads until the program has sent these words, or ended. The number that shows that a person decides is typed.
    pub fn until(&mut self, words: &str) -> &Screen {
        let begin = self.sent.len();
        let mut byte = [0];
        let stdout = self.child.stdout.as_mut().unwrap();
        while stdout.read(&mut byte).is_ok_and(|read| read == 1) {
            self.sent.push(byte[0]);
            self.screen.feed(&byte);
            if self.sent.ends_with(b"\n> ")
                && let Some(number) = number_asked(&String::from_utf8_lossy(&self.sent))
            {
                writeln!(self.stdin.as_mut().unwrap(), "{number}").unwrap();
            }
            if self.sent[begin..].ends_with(words.as_bytes()) && !words.is_empty() {
                break;
            }
        }
        &self.screen
    }

    /// Everything that was sent so far.
    pub fn sent(&self) -> String {
        String::from_utf8_lossy(&self.sent).into_owned()
    }

    /// Leaves a mark in what was sent.
    pub fn marks(&mut self, mark: char) {
        self.sent.extend_from_slice(mark.to_string().as_bytes());
    }

    /// Types something.
    pub fn types(&mut self, keys: &str) {
        self.stdin.as_mut().unwrap().write_all(keys.as_bytes()).unwrap();
    }

    /// Reads to the end.
    pub fn end(mut self) -> Screen {
        self.until("");
        drop(self.stdin.take());
        self.child.wait().unwrap();
        self.screen
    }
}
