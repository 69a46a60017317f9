//! One key of YAML front matter: a top-level key with a value on one line. The value's bytes are replaced and nothing
//! else; every other key must read as before. What is more than that is refused: front matter is never written anew.
//!
//! An entry means one with `heading: ["front matter", <key>]` and `level: 0`, where the KB allows it
//! (`Rules::front_matter`). `update` sets the value, or adds the key as the last line; `delete` takes the line away.
//! The content is one line. What reads as a YAML scalar is written as it is (`true`, `3`, `"x: y"`); other text is
//! written in double quotes.

use super::apply::Applied;
use super::document::{Document, body_start};
use super::front_matter_list;
use super::refusal::refuse;
use super::request::Edit;
use super::splice::{self, Undo};
use super::text::{content_end, line_end, line_start, part};
use super::{ChangeKind, Create, FRONT_MATTER, Operation, Refusal, RefusalCode, Rules, base};
use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use std::ops::Range;

/// More front matter than this is not metadata; the YAML reader is quadratic on some of it.
const BYTES_MAX: usize = 64 * 1024;
const FLOW_DEPTH_MAX: usize = 64;

/// The key an entry means, when it means one.
pub(super) fn key_of<'e>(entry: &'e Edit<'_>, rules: &Rules) -> Option<&'e str> {
    match &*entry.heading {
        [first, key] if rules.front_matter && entry.level == 0 && first == FRONT_MATTER => Some(key),
        _ => None,
    }
}

/// Where front matter stands: all of it, and the YAML between its fences.
struct FrontMatter {
    start: usize,
    yaml: Range<usize>,
}

/// A key's line, and the value in it.
struct Line {
    whole: Range<usize>,
    value: Range<usize>,
}

/// The hash of a key's value; `None` where it has none, or the front matter cannot be read.
pub(super) fn hash_of(document: &Document, key: &str) -> Option<String> {
    let front = find(document).ok()?;
    let yaml = document.slice(front.yaml.clone());
    let keys = read(yaml).ok()?;
    if keys.get(key).is_some_and(serde_yaml::Value::is_sequence) {
        return hash_of_list(&keys, key);
    }
    let line = line_of(yaml, key).ok()??;
    Some(base::hash(part(yaml, line.value)))
}

/// A key's value as it is written on its line; `None` where it has none there, or the front matter cannot be read.
pub(super) fn value_of<'d>(document: &'d Document, key: &str) -> Option<&'d str> {
    let yaml = document.slice(find(document).ok()?.yaml);
    let line = line_of(yaml, key).ok()??;
    Some(part(yaml, line.value))
}

/// The hash of a list, however it is written.
fn hash_of_list(keys: &serde_yaml::Mapping, key: &str) -> Option<String> {
    serde_json::to_string(keys.get(key)?).ok().map(|text| base::hash(&text))
}

/// Applies one entry to front matter. A refusal leaves the document as it was.
pub(super) fn entry(
    document: &mut Document,
    entry: &Edit<'_>,
    key: &str,
    rules: &Rules,
) -> Result<Applied, Refusal> {
    plain_key(key)?;
    let front = find(document)?;
    let yaml = document.slice(front.yaml.clone()).to_owned();
    let keys = read(&yaml).map_err(|why| not_editable(document, &front, &why))?;
    if entry.operation.is_of_value() {
        return one_value(document, entry, key, rules, (&front, &yaml, &keys));
    }
    let line = line_of(&yaml, key).map_err(|why| not_editable(document, &front, &why))?;
    let before = line.as_ref().map(|line| base::hash(part(&yaml, line.value.clone())));
    if let (Some(base), Some(line)) = (&entry.base, &line) {
        stale(base, part(&yaml, line.value.clone()), entry)?;
    }
    if entry.base.is_some() && line.is_none() && entry.operation == Operation::Update {
        let wanted = entry.content.as_deref().unwrap_or_default().to_owned();
        return Err(base::conflict(super::Conflict { base: None, current: None, wanted }));
    }
    let (kind, range, with) = match (entry.operation, line) {
        (Operation::NoOp, _) | (Operation::Delete, None) => return Ok(unchanged(before)),
        // A comment behind the value is somebody's: it stays, as a line of its own.
        (Operation::Delete, Some(line)) => {
            let behind = part(&yaml, line.value.end..line.whole.end).trim_start();
            let comment = if behind.starts_with('#') { behind.to_owned() } else { String::new() };
            (ChangeKind::Deleted, line.whole, comment)
        }
        (Operation::Update, Some(line)) => {
            let value = scalar(entry.content.as_deref().unwrap_or(""))?;
            if part(&yaml, line.value.clone()) == value {
                return Ok(unchanged(before));
            }
            // `key:` without a value has no blank to put one behind.
            let gap = if part(&yaml, 0..line.value.start).ends_with(':') { " " } else { "" };
            (ChangeKind::Changed, line.value, format!("{gap}{value}"))
        }
        (Operation::Update, None) if entry.create != Create::Never && rules.create => {
            let value = scalar(entry.content.as_deref().unwrap_or(""))?;
            (ChangeKind::Created, yaml.len()..yaml.len(), format!("{key}: {value}{}", document.line_end()))
        }
        (Operation::Update, None) => {
            return Err(refuse(
                RefusalCode::SectionMissing,
                format!("front matter has no `{key}`, and it may not be created"),
            )
            .hint("use a key the document has, or allow `create`"));
        }
        (operation, _) => {
            let message = format!("front matter takes no `{}`", operation.as_str());
            return Err(refuse(RefusalCode::FrontMatterOperation, message).hint("use `update` or `delete`"));
        }
    };
    let range = front.yaml.start + range.start..front.yaml.start + range.end;
    let undo = splice(document, range, &with);
    let after = checked(document, &keys, key).and_then(|()| value_hash(document, key));
    match after {
        Ok(after) => Ok(Applied { kind, before, after, undo: Some(undo), piece: None }),
        Err(refusal) => {
            splice::take_back(document, undo);
            Err(refusal)
        }
    }
}

/// One value more or less in the list of a key.
fn one_value(
    document: &mut Document,
    entry: &Edit<'_>,
    key: &str,
    rules: &Rules,
    (front, yaml, keys): (&FrontMatter, &str, &serde_yaml::Mapping),
) -> Result<Applied, Refusal> {
    let adds = entry.operation == Operation::AddValue;
    let written = scalar(entry.content.as_deref().unwrap_or(""))?;
    let value = match serde_yaml::from_str::<serde_yaml::Value>(&written) {
        Ok(serde_yaml::Value::String(text)) => text,
        _ => written.clone(),
    };
    let before = hash_of_list(keys, key);
    let change = match adds {
        true => front_matter_list::add(yaml, key, &value, &written),
        false => front_matter_list::remove(yaml, key, &value),
    };
    let (kind, range, with) = match change.map_err(|why| not_editable(document, front, &why))? {
        front_matter_list::ListEdit::Same => return Ok(unchanged(before)),
        front_matter_list::ListEdit::At(range, with) => (ChangeKind::Changed, range, with),
        front_matter_list::ListEdit::NoKey if entry.create != Create::Never && rules.create => {
            let line = front_matter_list::new_key(key, &written, document.line_end());
            (ChangeKind::Created, yaml.len()..yaml.len(), line)
        }
        front_matter_list::ListEdit::NoKey => {
            return Err(refuse(
                RefusalCode::SectionMissing,
                format!("front matter has no `{key}`, and it may not be created"),
            )
            .hint("use a key the document has, or allow `create`"));
        }
    };
    let values = |keys: &serde_yaml::Mapping| match keys.get(key) {
        Some(serde_yaml::Value::Sequence(values)) => values.len(),
        _ => 0,
    };
    let range = front.yaml.start + range.start..front.yaml.start + range.end;
    let undo = splice(document, range, &with);
    let after = checked(document, keys, key).and_then(|()| {
        let now = find(document)?;
        read(document.slice(now.yaml.clone())).map_err(|why| not_editable(document, &now, &why))
    });
    match after {
        Ok(after)
            if values(&after) == if adds { values(keys) + 1 } else { values(keys).saturating_sub(1) } =>
        {
            Ok(Applied { kind, before, after: hash_of_list(&after, key), undo: Some(undo), piece: None })
        }
        refused => {
            splice::take_back(document, undo);
            let odd = || {
                not_editable(
                    document,
                    front,
                    &format!("`{key}` would not read as a list with one value more or less"),
                )
            };
            Err(refused.err().unwrap_or_else(odd))
        }
    }
}

fn unchanged(hash: Option<String>) -> Applied {
    Applied { kind: ChangeKind::Unchanged, before: hash.clone(), after: hash, undo: None, piece: None }
}

fn stale(hash: &str, current: &str, entry: &Edit<'_>) -> Result<(), Refusal> {
    let wanted = entry.content.as_deref().unwrap_or_default().to_owned();
    if base::is_hash_of(hash, current) || current == wanted {
        return Ok(());
    }
    let current = Some(current.to_owned());
    Err(base::conflict(super::Conflict { base: None, current, wanted }))
}

fn plain_key(key: &str) -> Result<(), Refusal> {
    let plain = key.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    if plain {
        return Ok(());
    }
    Err(refuse(RefusalCode::BadHeading, format!("`{key}` is not a plain front matter key"))
        .hint("use letters, digits, `_`, `-` and `.`"))
}

fn find(document: &Document) -> Result<FrontMatter, Refusal> {
    let text = document.text();
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    if !document.has_front_matter() {
        return Err(refuse(RefusalCode::FrontMatterMissing, "the document has no front matter")
            .hint("begin the document with a line `---`, keys, and another line `---`"));
    }
    if part(text, start..text.len()).starts_with('+') {
        return Err(refuse(
            RefusalCode::FrontMatterToml,
            "the front matter is TOML (`+++`), which is not edited",
        )
        .hint("edit it by hand")
        .lines([1]));
    }
    let yaml = line_end(text, start)..line_start(text, document.body_start);
    if yaml.len() > BYTES_MAX {
        return Err(refuse(
            RefusalCode::FrontMatterTooLarge,
            format!("the front matter has {} bytes", yaml.len()),
        )
        .hint(format!("it can be edited up to {BYTES_MAX} bytes"))
        .lines([1]));
    }
    Ok(FrontMatter { start, yaml })
}

fn not_editable(document: &Document, front: &FrontMatter, why: &str) -> Refusal {
    let line = document.line(front.start);
    refuse(
        RefusalCode::FrontMatterNotEditable,
        format!("the front matter at line {line} cannot be edited: {why}"),
    )
    .hint("only a top-level key with a value on one line can be set; edit the rest by hand")
    .lines([line])
}

/// All keys and values, to see that the others stay as they are.
fn read(yaml: &str) -> Result<serde_yaml::Mapping, String> {
    let opened = yaml.bytes().filter(|b| matches!(b, b'[' | b'{')).count();
    if opened > FLOW_DEPTH_MAX {
        return Err(format!("it has {opened} brackets"));
    }
    match serde_yaml::from_str::<serde_yaml::Value>(yaml) {
        Ok(serde_yaml::Value::Mapping(keys)) => Ok(keys),
        Ok(serde_yaml::Value::Null) => Ok(serde_yaml::Mapping::new()),
        Ok(_) => Err("it is not a list of keys".into()),
        Err(error) => Err(error.to_string()),
    }
}

/// The line of a top-level key, when it has a plain or quoted value on that line.
fn line_of(yaml: &str, key: &str) -> Result<Option<Line>, String> {
    let mut depth = 0_usize;
    let mut expects_key = true;
    let mut found: Option<Span> = None;
    let mut line = None;
    for event in Parser::new_from_str(yaml) {
        let (event, span) = event.map_err(|e| e.to_string())?;
        match event {
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                if found.take().is_some() {
                    return Err(format!("`{key}` is not one value"));
                }
                depth += 1;
            }
            Event::MappingEnd | Event::SequenceEnd => {
                depth = depth.saturating_sub(1);
                if depth == 1 {
                    expects_key = true;
                }
            }
            Event::Scalar(text, style, anchor, tag) if depth == 1 && !expects_key => {
                if let Some(key_span) = found.take() {
                    let special = anchor != 0 || tag.is_some();
                    let block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
                    if special || block || (line.is_some()) {
                        return Err(format!("`{key}` is not a plain value on one line"));
                    }
                    line = Some(value_line(yaml, key_span, span, text.is_empty(), style)?);
                }
                expects_key = true;
            }
            Event::Scalar(text, ..) if depth == 1 => {
                found = (text == key).then_some(span);
                expects_key = false;
            }
            Event::Alias(_) if depth == 1 => {
                if found.take().is_some() {
                    return Err(format!("`{key}` is an alias"));
                }
                expects_key = !expects_key;
            }
            _ => {}
        }
        if depth > 1 {
            expects_key = false;
        }
    }
    Ok(line)
}

fn value_line(yaml: &str, key: Span, value: Span, empty: bool, style: ScalarStyle) -> Result<Line, String> {
    let start = line_start_of(yaml, key.start.line());
    let whole = start..line_end(yaml, start);
    if key.start.col() != 0 {
        return Err("the key is not at the beginning of its line".into());
    }
    let content = content_end(yaml, start);
    if empty && style == ScalarStyle::Plain {
        // `key:` with nothing behind it, or only a comment: the value goes right behind the colon.
        let key_end = offset(yaml, key.end.index());
        let colon = part(yaml, key_end..content).find(':').ok_or("the key has no colon")?;
        let at = key_end + colon + 1;
        return Ok(Line { whole, value: at..at });
    }
    let (from, reader_end) = (offset(yaml, value.start.index()), offset(yaml, value.end.index()));
    if from < start || from > content || line_start(yaml, reader_end.max(1) - 1) > start {
        return Err("the value is not on the line of its key".into());
    }
    // The reader's end of a value reaches over the blanks and the comment behind it.
    let rest = part(yaml, from..content);
    let len = match style {
        ScalarStyle::SingleQuoted => quoted_len(rest, '\''),
        ScalarStyle::DoubleQuoted => quoted_len(rest, '"'),
        _ => Some(rest.find(" #").or_else(|| rest.find("\t#")).unwrap_or(rest.len())),
    };
    let len = len.ok_or("the value is not on the line of its key")?;
    Ok(Line { whole, value: from..from + part(rest, 0..len).trim_end().len() })
}

/// Bytes of the quoted text `text` begins with, quotes included; `None` when it is not closed on the line.
pub(super) fn quoted_len(text: &str, quote: char) -> Option<usize> {
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if c == '\\' && quote == '"' {
            chars.next();
        } else if c == quote && (quote == '"' || chars.next_if(|(_, next)| *next == quote).is_none()) {
            return Some(at + 1);
        }
    }
    None
}

/// The byte offset of a character index.
pub(super) fn offset(text: &str, index: usize) -> usize {
    text.char_indices().nth(index).map_or(text.len(), |(at, _)| at)
}

/// The byte offset of a 1-based line.
fn line_start_of(text: &str, line: usize) -> usize {
    text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum()
}

/// How a value is written.
fn scalar(content: &str) -> Result<String, Refusal> {
    let text = content.trim();
    if text.is_empty() {
        return Err(
            refuse(RefusalCode::EmptyContent, "the value is empty").hint("use `delete` to remove the key")
        );
    }
    if text.contains(['\n', '\r']) || text.chars().any(char::is_control) {
        return Err(refuse(RefusalCode::FrontMatterNotOneLine, "the value is more than one line of text")
            .hint("a front matter value is one line"));
    }
    if text.starts_with(['[', '{', '|', '>', '&', '*', '!']) {
        return Err(refuse(RefusalCode::FrontMatterNotScalar, format!("`{text}` is not a single value"))
            .hint("lists, maps, anchors and blocks are edited by hand; put text in quotes"));
    }
    // What stands behind a `#` may be a comment, which says nothing.
    let reads_as_one = !text.contains('#')
        && matches!(
            serde_yaml::from_str::<serde_yaml::Value>(text),
            Ok(serde_yaml::Value::Bool(_) | serde_yaml::Value::Number(_) | serde_yaml::Value::Null)
        );
    let quoted = ['"', '\''].iter().any(|quote| text.starts_with(*quote) && text.ends_with(*quote))
        && matches!(serde_yaml::from_str::<serde_yaml::Value>(text), Ok(serde_yaml::Value::String(_)));
    let plain = matches!(serde_yaml::from_str::<serde_yaml::Value>(text), Ok(serde_yaml::Value::String(s)) if s == text);
    if reads_as_one || quoted || plain {
        return Ok(text.to_owned());
    }
    Ok(serde_json::Value::from(text).to_string())
}

fn splice(document: &mut Document, range: Range<usize>, with: &str) -> Undo {
    splice::shift_all(document, range, with)
}

/// Every other key reads as before, and front matter still ends where it should.
fn checked(document: &Document, before: &serde_yaml::Mapping, key: &str) -> Result<(), Refusal> {
    let broken = |why: &str| {
        refuse(RefusalCode::SideEffect, format!("the front matter would change otherwise: {why}"))
            .hint("write the value in quotes, or edit the front matter by hand")
    };
    if body_start(document.text()) != document.body_start {
        return Err(broken("it would end elsewhere"));
    }
    let front = find(document)?;
    let after = read(document.slice(front.yaml)).map_err(|why| broken(&why))?;
    let others = |keys: &serde_yaml::Mapping| -> Vec<_> {
        let own = serde_yaml::Value::from(key);
        keys.iter().filter(|(k, _)| **k != own).map(|(k, v)| (k.clone(), v.clone())).collect()
    };
    if others(before) == others(&after) { Ok(()) } else { Err(broken("other keys would read differently")) }
}

fn value_hash(document: &Document, key: &str) -> Result<Option<String>, Refusal> {
    let front = find(document)?;
    let yaml = document.slice(front.yaml.clone());
    let line = line_of(yaml, key).map_err(|why| not_editable(document, &front, &why))?;
    Ok(line.map(|line| base::hash(part(yaml, line.value))))
}
