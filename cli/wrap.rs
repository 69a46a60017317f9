//! Prose on a terminal: lines are broken between words, never within a command that is to be typed, and go on below where
//! their text began. In a pipe nothing is broken.

use crate::commands::ALL;
use crate::own_name;
use crate::render::{Page, escape};
use crate::visible::visible;
use std::io::IsTerminal;
use std::os::fd::AsFd;
use textwrap::core::Word;
use textwrap::{Options, WordSeparator, WordSplitter};

/// A terminal with fewer columns is left to break lines itself.
const LEAST: usize = 30;
/// What a line that goes on is indented by, where it has no columns.
const HANG: usize = 2;

/// The text, each of its lines broken to the page. Colours end with a line and begin again on the next.
pub fn wrapped(page: Page, text: &str) -> String {
    wrapped_lines(page, text).join("\n")
}

/// The same as lines.
pub fn wrapped_lines(page: Page, text: &str) -> Vec<String> {
    match page.width.filter(|width| *width >= LEAST) {
        Some(width) => lines(text, width, HANG),
        None => text.split('\n').map(str::to_owned).collect(),
    }
}

/// The same for what goes to standard output.
pub fn for_stdout(text: &str) -> String {
    broken_for(std::io::stdout(), text)
}

/// The same for what goes to standard error.
pub fn for_stderr(text: &str) -> String {
    broken_for(std::io::stderr(), text)
}

/// The same for what goes to this stream.
pub fn broken_for(stream: impl AsFd + IsTerminal, text: &str) -> String {
    let size = rustix::termios::tcgetwinsize(&stream).ok().filter(|_| stream.is_terminal());
    let width = size.map(|size| usize::from(size.ws_col)).filter(|width| *width >= LEAST);
    width.map_or_else(|| text.to_owned(), |width| lines(text, width, HANG).join("\n"))
}

/// The help of a command. Its paragraphs stand in the source in lines of up to 128 columns: where the terminal is narrower,
/// they are filled again.
pub fn help(text: &str, width: usize) -> String {
    let mut filled: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in text.split('\n') {
        let is_prose = line.starts_with(|c: char| !c.is_whitespace());
        match filled.last_mut().filter(|_| goes_on && is_prose) {
            Some(last) => *last = format!("{last} {line}"),
            None => filled.push(line.to_owned()),
        }
        // A short line ends its paragraph.
        goes_on = is_prose && textwrap::core::display_width(&seen(line)) > FULL && !line.ends_with(':');
    }
    lines(&filled.join("\n"), width, 0).join("\n")
}

/// A line of a paragraph in the source is longer than that, unless it is the last.
const FULL: usize = 90;

fn lines(text: &str, width: usize, hang: usize) -> Vec<String> {
    let mut broken = Vec::new();
    for line in text.split('\n') {
        let shown_as = seen(line);
        if textwrap::core::display_width(&shown_as) <= width {
            broken.push(line.to_owned());
            continue;
        }
        // What is not ours is made visible first, so that every escape sequence in there is one of our colours.
        let shown = visible(line).replace(&escape(""), "\u{1b}[");
        let indent = " ".repeat(hanging(&shown_as, width, hang));
        let options = Options::new(width)
            .subsequent_indent(&indent)
            .break_words(false)
            .word_splitter(WordSplitter::NoHyphenation)
            .word_separator(WordSeparator::Custom(words));
        let mut colour = String::new();
        for part in textwrap::wrap(&shown, options) {
            let text = part.trim_start_matches(' ');
            let (blanks, _) = part.split_at(part.len() - text.len());
            let begun = format!("{blanks}{colour}{text}");
            colour = open_colour(&begun);
            let end = if colour.is_empty() { "" } else { "\u{1b}[0m" };
            broken.push(format!("{begun}{end}").replace("\u{1b}[", &escape("")));
        }
        // An answer is typed behind it.
        if line.ends_with(' ')
            && let Some(last) = broken.last_mut()
        {
            last.push(' ');
        }
    }
    broken
}

/// A line as it is seen.
fn seen(line: &str) -> String {
    visible(&crate::render::plain(line)).into_owned()
}

/// The colour that is still on at the end of a text.
fn open_colour(text: &str) -> String {
    let last = text.rfind("\u{1b}[").and_then(|at| text.get(at..)).unwrap_or_default();
    let end = last.find('m').map_or(0, |at| at + 1);
    last.get(..end).filter(|sequence| *sequence != "\u{1b}[0m").unwrap_or_default().to_owned()
}

/// The column where a line that goes on begins: that of its text, where names or marks stand before it in columns of their own.
fn hanging(line: &str, width: usize, hang: usize) -> usize {
    let own = line.len() - line.trim_start().len();
    let (mut blanks, mut column, mut found) = (0, 0, None);
    for c in line.chars() {
        if c == ' ' {
            blanks += 1;
        } else {
            if blanks >= 2 && column > own && column <= width / 2 {
                found = Some(column);
            }
            blanks = 0;
        }
        column += textwrap::core::display_width(c.encode_utf8(&mut [0; 4]));
    }
    found.unwrap_or(own + hang)
}

/// The words of a line. A text between backticks is one word, and so is a command from our name to where it ends: at two
/// blanks, at a bracket, or at a comma, a semicolon or a full stop behind a word.
fn words(line: &str) -> Box<dyn Iterator<Item = Word<'_>> + '_> {
    let names = [own_name::as_called(), "last-word"];
    let mut found = Vec::new();
    let (mut start, mut quoted, mut command) = (0, false, false);
    // A backtick that is never closed quotes nothing.
    let quotes = line.matches('`').count().is_multiple_of(2);
    let mut rest = WordSeparator::AsciiSpace.find_words(line).peekable();
    let mut end = 0;
    while let Some(word) = rest.next() {
        let text = word.word;
        let (ticks, blanks) = (text.matches('`').count(), word.whitespace.len());
        // The blanks that a line begins with go with its first word, so that no empty line comes of them.
        if !quoted && !command && !line.get(..end).unwrap_or_default().trim().is_empty() {
            start = end;
        }
        if !quoted && !command {
            let named = names.contains(&text) && rest.peek().is_some_and(|next| begins(next.word));
            // What is shown behind a `$` is a command, too.
            command = ticks == 0 && (named || text == "$");
        }
        quoted ^= quotes && ticks % 2 == 1;
        let was_command = command;
        command &= blanks < 2 && !text.ends_with([';', ',', '.', ')', ':']);
        end += text.len() + blanks;
        let whole = line.get(start..end).unwrap_or_default();
        if (!quoted && !command && !whole.trim().is_empty()) || rest.peek().is_none() {
            found.extend(if was_command { vec![Word::from(whole)] } else { parts(whole, quotes) });
        }
    }
    Box::new(found.into_iter())
}

/// What stands between two blanks, in the pieces between which Unicode has a line broken beside a wide character (UAX 14): Chinese has
/// no blanks. What stands between backticks stays whole.
fn parts(whole: &str, quotes: bool) -> Vec<Word<'_>> {
    let mut found = Vec::new();
    let (mut start, mut end) = (0, 0);
    for part in WordSeparator::UnicodeBreakProperties.find_words(whole) {
        end += part.word.len() + part.whitespace.len();
        let (before, after) = whole.split_at(end);
        let beside = [before.chars().next_back(), after.chars().next()];
        let is_wide = |c: &char| textwrap::core::display_width(c.encode_utf8(&mut [0; 4])) == 2;
        let is_quoted = quotes && before.matches('`').count() % 2 == 1;
        let between_blanks = beside.iter().flatten().any(|c| *c == ' ');
        if after.is_empty() || beside.iter().flatten().any(is_wide) && !is_quoted && !between_blanks {
            found.extend(whole.get(start..end).map(Word::from));
            start = end;
        }
    }
    found
}

/// Whether a command goes on like that behind our name: elsewhere the name is a word like others.
fn begins(word: &str) -> bool {
    word.starts_with("--")
        || ALL.iter().any(|command| command.name == word.trim_end_matches([';', ',', '.', ')', ':']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::{Tone, plain};

    const PAGE: Page = Page { width: Some(40), height: None, colour: true };

    #[test]
    fn lines_are_broken_between_words() {
        for (line, expected) in [
            ("short", "short"),
            (
                "1 for review, 3 failed, 12 pending and 4 deferred",
                "1 for review, 3 failed, 12 pending and 4\n  deferred",
            ),
            (
                "place   ok    in memory: what waits is gone after a restart",
                "place   ok    in memory: what waits is\n              gone after a restart",
            ),
            (
                "it waits until then; `last-word resolve --error ambiguous`",
                "it waits until then;\n  `last-word resolve --error ambiguous`",
            ),
            (
                "1 is held and was left alone; last-word release 01a2",
                "1 is held and was left alone;\n  last-word release 01a2",
            ),
            (
                "have it call last-word when a session starts and ends?",
                "have it call last-word when a session\n  starts and ends?",
            ),
            (
                "last-word resolve --error ambiguous --document user",
                "last-word resolve --error ambiguous --document user",
            ),
            (
                "  last-word resolve --error ambiguous --document user",
                "  last-word resolve --error ambiguous --document user",
            ),
            (
                "笔记笔记笔记笔记笔记，笔记笔记笔记笔，笔记。笔记",
                "笔记笔记笔记笔记笔记，笔记笔记笔记笔，笔\n  记。笔记",
            ),
            (
                "笔记笔记笔记笔记笔记笔记笔记笔记笔记笔记（笔记），见此",
                "笔记笔记笔记笔记笔记笔记笔记笔记笔记笔记\n  （笔记），见此",
            ),
            (
                "笔记笔记笔记笔记笔记笔记笔记笔记笔记笔记，笔记",
                "笔记笔记笔记笔记笔记笔记笔记笔记笔记笔\n  记，笔记",
            ),
            (
                "== 笔记笔记笔记笔记笔记笔记笔记笔记笔记笔记笔记",
                "== 笔记笔记笔记笔记笔记笔记笔记笔记笔记\n  笔记笔记",
            ),
            (
                "笔记笔记笔记笔记笔记笔记笔记，请写 `content: 笔记笔记`；再试",
                "笔记笔记笔记笔记笔记笔记笔记，请写\n  `content: 笔记笔记`；再试",
            ),
            (
                "笔记笔记笔记笔记笔记在笔记 a/long-name.md:3 笔记",
                "笔记笔记笔记笔记笔记在笔记\n  a/long-name.md:3 笔记",
            ),
            (
                "a backtick ` that is never closed stands in this line",
                "a backtick ` that is never closed stands\n  in this line",
            ),
        ] {
            assert_eq!(wrapped(PAGE, line), expected);
            assert_eq!(wrapped(Page { width: None, ..PAGE }, line), line);
        }
    }

    #[test]
    fn a_colour_ends_with_the_line() {
        let text = PAGE.paint(Tone::Bad, "nothing is merged until this is mended: the file");
        let broken = wrapped(PAGE, &text);
        let expected = ["nothing is merged until this is mended:", "the file"];
        for (line, seen) in broken.lines().zip(expected) {
            let line = line.trim_start();
            assert_eq!(line, PAGE.paint(Tone::Bad, seen));
            assert_eq!(plain(line), seen);
        }
    }

    #[test]
    fn what_is_not_ours_stays_visible() {
        let broken = wrapped(PAGE, "forty columns are not enough for \u{1b}[2J and more of it");
        assert!(!broken.contains('\u{1b}') && broken.contains("\\u{1b}[2J"), "{broken:?}");
    }

    #[test]
    fn help_is_filled_again() {
        let source =
            format!("{} ends\nhere. Then more.\n\nExamples:\n  last-word work   merges", "word ".repeat(18));
        let filled = help(&source, 60);
        assert!(filled.lines().all(|line| line.len() <= 60), "{filled}");
        assert!(filled.contains("ends here. Then more.\n\nExamples:\n  last-word work   merges"), "{filled}");
    }
}
