//! Mistakes of YAML: most are a text that needed quotes.

use super::{Mistake, SENTENCE_HINT, Stop, conflict, fence, lookalike, offset_of, place_in, place_of};
use crate::Code;
use crate::problem::{Position, Problem};
use crate::reading::node::shortened;

/// The fields of declarations and jobs. Only these are taken for the name of a field: `Note: x` is a text.
const FIELDS: [&str; 24] = [
    "version",
    "source",
    "entries",
    "key",
    "kb",
    "path",
    "url",
    "heading",
    "level",
    "operation",
    "content",
    "old_text",
    "scope",
    "create",
    "base",
    "meta",
    "confidence",
    "reason",
    "trust",
    "review_by",
    "speaker",
    "user",
    "place",
    "job",
];
/// Those whose text may have several lines.
const LONG: [&str; 3] = ["content", "old_text", "reason"];

/// Those whose text is anybody's words, which may have a `#` in them.
const CUT: [&str; 4] = ["content", "old_text", "reason", "heading"];

/// The problem of a YAML text that a parser could not read, where the mistake is one of the common ones.
pub(in crate::reading) fn yaml(stop: &Stop<'_>) -> Option<Problem> {
    let causes: [fn(&Stop<'_>) -> Option<Mistake>; 12] = [
        fence,
        conflict,
        sentence,
        odd_colon,
        odd_indentation,
        escape,
        open_quote,
        wide_comma,
        unquoted,
        open_bracket,
        block_not_indented,
        other_column,
    ];
    let mistake = causes.iter().find_map(|cause| cause(stop))?;
    Some(mistake.problem(Code::YamlSyntax))
}

/// What a language model says above or below its declaration. Inside of a text its lines would be indented.
fn sentence(stop: &Stop<'_>) -> Option<Mistake> {
    let lines = || stop.text.lines().enumerate();
    let is_there = lines().any(|(_, line)| line.starts_with("version:") || line.starts_with("entries:"));
    let (n, line) = lines().find(|(_, line)| {
        line.starts_with(char::is_alphabetic) && line.contains(' ') && first_field(line).is_none()
    })?;
    let message = format!("a sentence stands beside the YAML: `{}`", shortened(line));
    is_there.then(|| Mistake::new(place_in(n + 1, "", 0), message, SENTENCE_HINT))
}

/// A field of the text: its name, and where its colon and its value begin, in bytes of its line.
#[derive(Clone, Copy)]
struct FieldAt<'a> {
    name: &'a str,
    name_at: usize,
    colon_at: usize,
    value: &'a str,
    /// Whether it stands between braces.
    flow: bool,
}

/// The field a line begins with.
fn first_field(line: &str) -> Option<FieldAt<'_>> {
    let name_at = line.len() - line.trim_start_matches([' ', '\t', '-', '\u{a0}', '\u{3000}']).len();
    field_at(line, name_at, false)
}

/// The field whose name begins there.
fn field_at(line: &str, name_at: usize, flow: bool) -> Option<FieldAt<'_>> {
    let rest = line.get(name_at..)?;
    let length = rest.find(|c: char| !c.is_ascii_alphabetic() && c != '_')?;
    let (name, behind) = rest.split_at(length);
    let colon = behind.chars().next().filter(|c| matches!(c, ':' | '：'))?;
    let value = behind[colon.len_utf8()..].trim();
    FIELDS.contains(&name).then_some(FieldAt { name, name_at, colon_at: name_at + length, value, flow })
}

/// The last field of a line whose colon stands before a byte, so that the byte belongs to its value.
fn field_before(line: &str, byte: usize) -> Option<FieldAt<'_>> {
    let mut found = first_field(line).filter(|field| field.colon_at < byte);
    let mut flow = false;
    for (at, c) in line.char_indices().take_while(|(at, _)| *at < byte) {
        flow |= c == '{';
        let begins = flow && matches!(c, '{' | ',' | ' ');
        let field = begins.then(|| field_at(line, at + 1, true)).flatten();
        found = field.filter(|field| field.colon_at < byte).or(found);
    }
    found
}

/// `version：1` and `version:"1"`: both are one word to YAML.
fn odd_colon(stop: &Stop<'_>) -> Option<Mistake> {
    let odd = |(number, line)| {
        let field = first_field(line)?;
        let behind = &line[field.colon_at..];
        let place = place_in(number, line, field.colon_at);
        if behind.starts_with('：') {
            let message = format!("behind `{}` stands a full-width colon (：)", field.name);
            let hint = format!("write `{}: …`{}", field.name, elsewhere(stop.text));
            return Some(Mistake::new(place, message, hint));
        }
        let joined = behind.len() > 1 && !behind[1..].starts_with([' ', '\t', '\r']);
        let message = format!("a space is missing behind `{}:`", field.name);
        joined.then(|| {
            Mistake::new(place, message, format!("write `{}: {}`", field.name, shortened(field.value)))
        })
    };
    // The first of them: a parser notices only lines later.
    structure(stop).into_iter().find_map(odd)
}

/// Marks of a Chinese keyboard that stand in a text, each with what is meant.
fn elsewhere(text: &str) -> String {
    let marks: Vec<String> = ['：', '，', '“', '”', '｛', '｝', '【', '】']
        .into_iter()
        .filter(|mark| text.contains(*mark))
        .filter_map(|mark| Some(format!("`{mark}` → `{}`", lookalike(mark)?.1)))
        .collect();
    format!(", and so everywhere outside of a text: {}", marks.join(", "))
}

/// `{ kb: user， heading: A }`: the comma between two fields is a letter of the first to YAML.
fn wide_comma(stop: &Stop<'_>) -> Option<Mistake> {
    let line = stop.line();
    let (at, mark) = line.char_indices().find(|(at, c)| {
        let behind = line[at + c.len_utf8()..].trim_start();
        matches!(c, '，' | '、') && line[..*at].contains('{') && field_at(behind, 0, true).is_some()
    })?;
    let place = place_in(stop.place.line as usize, line, at);
    let hint = format!("write `, ` between two fields{}", elsewhere(stop.text));
    Some(Mistake::new(place, format!("`{mark}` is a full-width comma"), hint))
}

/// The lines up to the place that are not the text of a block (`content: |`).
fn structure<'a>(stop: &Stop<'a>) -> Vec<(usize, &'a str)> {
    let mut block: Option<usize> = None;
    let mut lines: Vec<(usize, &str)> = stop.lines_above().collect();
    lines.reverse();
    lines.retain(|(_, line)| {
        let depth = line.len() - line.trim_start_matches(' ').len();
        if block.is_some_and(|field| depth > field || line.trim().is_empty()) {
            return false;
        }
        let field = first_field(line).filter(|field| field.value.starts_with(['|', '>']));
        block = field.map(|field| field.name_at);
        true
    });
    lines
}

/// A tab, or a blank that only looks like one, where a line begins.
fn odd_indentation(stop: &Stop<'_>) -> Option<Mistake> {
    let odd = |(number, line): (usize, &str)| {
        let blank = |c: &char| c.is_whitespace();
        let (at, found) = line.char_indices().take_while(|(_, c)| blank(c)).find(|(_, c)| *c != ' ')?;
        if line.trim().is_empty() {
            return None;
        }
        let name = match found {
            '\t' => "a tab",
            '\u{a0}' => "a no-break space (U+00A0)",
            '\u{3000}' => "an ideographic space (U+3000)",
            _ => "a blank that is not a space",
        };
        let message = format!("{name} stands in the indentation");
        Some(Mistake::new(place_in(number, line, at), message, "YAML is indented with spaces only"))
    };
    structure(stop).into_iter().find_map(odd)
}

/// `"C:\path"`: a backslash that begins no escape.
fn escape(stop: &Stop<'_>) -> Option<Mistake> {
    if !stop.says.contains("escape")
        && !stop.says.contains("hexdecimal")
        && !stop.says.contains("hexadecimal")
    {
        return None;
    }
    let from = stop.offset();
    let mut rest = stop.text[from..].char_indices();
    let at = loop {
        let (at, c) = rest.next()?;
        let behind = &stop.text[from + at + c.len_utf8()..];
        if c == '\\' && rest.next().is_none_or(|(_, next)| !is_escape(next, &behind[next.len_utf8()..])) {
            break from + at;
        }
    };
    let shown: String = stop.text[at..].chars().take(2).collect();
    Some(Mistake::new(
        place_of(stop.text, at),
        format!("`{shown}` in a text in double quotes begins an escape, and this is none"),
        "write `\\\\` for a backslash, or put the text into single quotes",
    ))
}

/// Whether a backslash and this letter, before that text, are an escape of YAML.
fn is_escape(letter: char, behind: &str) -> bool {
    let digits = match letter {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        other => return "0abtnvfre \"/\\N_LP\t\n".contains(other),
    };
    behind.chars().take(digits).filter(char::is_ascii_hexdigit).count() == digits
}

/// What of a text without quotes YAML took for a comment. `number` and `line`: where the text ends; `byte`: its end there;
/// `kept`: what is left of it.
pub(in crate::reading) fn cut(
    name: &str,
    kept: &str,
    (number, line, byte): (usize, &str, usize),
) -> Option<Problem> {
    let behind = line.get(byte..)?;
    let at = byte + behind.len() - behind.trim_start().len();
    if !line[at..].starts_with('#') || !CUT.contains(&name) {
        return None;
    }
    let whole = first_field(line).filter(|field| field.name == name).map(|field| field.value);
    let write = whole.map_or_else(|| format!("`{name}: \"…\"`"), |whole| quoted(name, whole));
    let rest = if matches!(kept, "" | "~") { "empty".to_owned() } else { format!("`{}`", shortened(kept)) };
    let message = format!("behind ` #` YAML reads a comment, so that `{name}` would be {rest}");
    let hint = format!("write {write}; what is meant as a comment goes on a line of its own");
    Some(Mistake::new(place_in(number, line, at), message, hint).problem(Code::CutByComment))
}

/// A quote that is not closed, noticed at the end of the text or at the next quote.
fn open_quote(stop: &Stop<'_>) -> Option<Mistake> {
    if !stop.says.contains("quoted scalar") {
        return None;
    }
    let at = stop.offset();
    let opened = if stop.says.contains("trailing content") {
        opened_before(stop.text, at).filter(|opened| stop.text[*opened..at].contains('\n'))?
    } else {
        at
    };
    let quote = stop.text[opened..].chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let place = place_of(stop.text, opened);
    if stop.says.contains("indentation") && closes_its_line(&stop.text[opened + 1..], quote) {
        let message = "the lines of a quoted text are not indented deeper than its field";
        let hint = "indent them by two spaces more; or write `content: |-` and the text on the lines below";
        return Some(Mistake::new(place, message, hint));
    }
    let inside = if quote == '"' { "`\\\"`" } else { "`''`" };
    Some(Mistake::new(
        place,
        "the quote opened here is not closed",
        format!("put a `{quote}` at the end of the text; inside of the text it is written {inside}"),
    ))
}

/// Whether the next quote ends a text: nothing of the text stands behind it in its line.
fn closes_its_line(text: &str, quote: char) -> bool {
    let behind = text.split_once(quote).map(|(_, behind)| behind.lines().next().unwrap_or_default().trim());
    behind.is_some_and(|behind| behind.is_empty() || behind.starts_with([',', '}', '#']))
}

/// Where the quoted text begins that ends before that byte: at the quote before its closing one.
fn opened_before(text: &str, end: usize) -> Option<usize> {
    let closed = text[..end].trim_end().len().checked_sub(1)?;
    let quote = text[closed..].chars().next().filter(|c| matches!(c, '"' | '\''))?;
    text[..closed].rfind(quote)
}

/// A text without quotes that needs some, or with something behind them.
fn unquoted(stop: &Stop<'_>) -> Option<Mistake> {
    let line = stop.line();
    let byte = offset_of(line, Position { line: 1, ..stop.place });
    let field = field_before(line, byte)?;
    let value = if field.flow { until_comma(field.value) } else { field.value };
    let reason = reason(value)?;
    let place = place_in(stop.place.line as usize, line, byte);
    if let Some(mark) = value.chars().next().filter(|c| matches!(c, '|' | '>')) {
        let message = format!("the text of `{}` begins on the same line as its `{mark}`", field.name);
        let hint =
            format!("put the text on the lines below, indented; or in quotes: {}", quoted(field.name, value));
        return Some(Mistake::new(place, message, hint));
    }
    let message = format!("the text of `{}` needs quotes: {reason}", field.name);
    let below = LONG
        .contains(&field.name)
        .then(|| format!("; or write `{}: |-` and the text on the lines below, indented deeper", field.name));
    let hint = format!("write {}{}", quoted(field.name, value), below.unwrap_or_default());
    Some(Mistake::new(place, message, hint))
}

/// A value between braces ends at a comma or a brace.
fn until_comma(value: &str) -> &str {
    value.find([',', '}']).map_or(value, |end| &value[..end]).trim_end()
}

/// Why a value must be quoted.
fn reason(value: &str) -> Option<String> {
    let first = value.chars().next()?;
    let mean = |what: &str| Some(format!("it begins with `{first}`, {what}"));
    match first {
        '-' | '?' if value[1..].starts_with(' ') || value.len() == 1 => {
            Some(format!("it begins with `{first} `, which is a list's or a key's sign in YAML"))
        }
        '`' => Some("it begins with a backtick, which YAML keeps for itself".to_owned()),
        '@' | '%' => mean("which YAML keeps for itself"),
        '*' => mean("which is an alias in YAML"),
        '&' => mean("which is an anchor in YAML"),
        '!' => mean("which is a tag in YAML"),
        '|' | '>' => mean("which is a block in YAML"),
        '[' | '{' => {
            let close = value.rfind(if first == '[' { ']' } else { '}' });
            let behind = close.map_or("", |at| value[at + 1..].trim());
            let inner = first == '[' && value.find(']') != close;
            (!behind.is_empty() || inner || value.contains("]("))
                .then(|| format!("it begins with `{first}`, and there is text behind the bracket"))
        }
        '"' | '\'' => {
            let close = value[1..].find(first)? + 1;
            let behind = value[close + 1..].trim();
            (!behind.is_empty() && !behind.starts_with([',', '}', ']', '#']))
                .then(|| "there is text behind the closing quote".to_owned())
        }
        _ if lookalike(first).is_some_and(|(name, _)| name.ends_with("quote")) && value.contains(": ") => {
            Some(format!("`{first}` is a typographic quote, which YAML does not know"))
        }
        _ => (value.contains(": ") || value.ends_with(':')).then(|| "there is a `: ` in it".to_owned()),
    }
}

/// The field as it could be written.
fn quoted(name: &str, value: &str) -> String {
    // `'it's late'`: the quotes around it were meant well.
    let within = ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
    let bare =
        within.unwrap_or(value).trim_start_matches(['|', '>', '“', '‘']).trim_end_matches(['”', '’']).trim();
    if bare.chars().count() > 60 || (bare.contains(['"', '\\']) && bare.contains('\'')) {
        return format!("`{name}: \"…\"`");
    }
    let quote = if bare.contains(['"', '\\']) { '\'' } else { '"' };
    format!("`{name}: {quote}{bare}{quote}`")
}

/// A brace or bracket that is not closed on its line.
fn open_bracket(stop: &Stop<'_>) -> Option<Mistake> {
    if !stop.says.contains("flow") {
        return None;
    }
    structure(stop).into_iter().rev().find_map(|(number, line)| {
        let mut open: Vec<(usize, char)> = Vec::new();
        for (at, c) in line.char_indices() {
            match c {
                '{' | '[' => open.push((at, c)),
                '}' | ']' => drop(open.pop()),
                '#' if !open.is_empty() && line[..at].ends_with(' ') => return comment(number, line, at),
                _ => {}
            }
        }
        let (at, c) = *open.first()?;
        let close = if c == '{' { '}' } else { ']' };
        let place = place_in(number, line, at);
        let message = format!("the `{c}` opened here is not closed");
        Some(Mistake::new(place, message, format!("put a `{close}` at the end of line {number}")))
    })
}

fn comment(number: usize, line: &str, at: usize) -> Option<Mistake> {
    let message = "` #` begins a comment, which swallows the rest of the line";
    Some(Mistake::new(place_in(number, line, at), message, "put the text with the `#` into quotes"))
}

/// The lines of a block that do not stand deeper than its field, or a second line of a text without a block.
fn block_not_indented(stop: &Stop<'_>) -> Option<Mistake> {
    let (number, line) = stop.lines_above().find(|(_, line)| !line.trim().is_empty())?;
    if first_field(line).is_some() {
        return None;
    }
    let (_, above) =
        stop.lines_above().skip_while(|(n, _)| *n >= number).find(|(_, line)| first_field(line).is_some())?;
    let field = first_field(above)?;
    let depth = line.len() - line.trim_start().len();
    let deep = field.name_at + 2;
    let place = place_in(number, line, depth);
    if field.value.starts_with(['|', '>']) {
        if depth > field.name_at {
            return None;
        }
        let message =
            format!("the text below `{}: {}` is not indented deeper than it", field.name, field.value);
        return Some(Mistake::new(
            place,
            message,
            format!("begin each of its lines with at least {deep} spaces"),
        ));
    }
    if field.value.is_empty() || !LONG.contains(&field.name) || depth > field.name_at {
        return None;
    }
    let message =
        format!("this line belongs to no field: the text of `{}` ended on the line above", field.name);
    let hint =
        format!("write `{}: |-` and the whole text on the lines below, each after {deep} spaces", field.name);
    Some(Mistake::new(place, message, hint))
}

/// A field that does not begin in the column of its neighbours.
fn other_column(stop: &Stop<'_>) -> Option<Mistake> {
    let number = stop.place.line as usize;
    let line = stop.line();
    let field = first_field(line)?;
    let mut above = structure(stop).into_iter().rev().filter(|(n, _)| *n < number);
    let neighbour =
        above.find_map(|(_, above)| first_field(above).filter(|field| field.name != "entries"))?;
    if neighbour.name_at == field.name_at {
        return None;
    }
    let place = place_in(number, line, field.name_at);
    let message = format!(
        "`{}` begins in column {}, `{}` above it in column {}",
        field.name,
        place.column,
        neighbour.name,
        neighbour.name_at + 1
    );
    Some(Mistake::new(place, message, "the fields of one entry begin in the same column"))
}
