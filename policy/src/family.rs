//! Families of documents: a knowledge base whose path has variables, `profiles/users/{user_id}.md`, `logs/{date}.md`. A
//! declaration names a member as `profile:42`, or by its path. The value of a variable is always a plain name.

use declaration::Code;
use declaration::problem::Problem;
use declaration::time::is_day;
use std::ops::Range;

/// The variable whose value is the day of the declaration.
pub const DATE: &str = "date";
/// The variable whose value is the month of the declaration.
pub const MONTH: &str = "month";
/// The separator between a family's name and the values of its variables.
const SEPARATOR: char = ':';
const VALUE_BYTES_MAX: usize = 64;

/// Whether a configured path is that of a family.
#[must_use]
pub fn is_family(path: &str) -> bool {
    path.contains('{')
}

/// The variables of a path in their order, or why the path is wrong.
///
/// # Errors
/// What is wrong, in words.
pub fn variables(path: &str) -> Result<Vec<&str>, &'static str> {
    let mut found: Vec<&str> = Vec::new();
    for part in path.split('/') {
        let Some(range) = variable(part)? else { continue };
        let name = &part[range];
        if found.contains(&name) {
            return Err("a variable stands in it twice");
        }
        found.push(name);
    }
    Ok(found)
}

/// Where the one variable in a part of a path stands, without its braces.
fn variable(part: &str) -> Result<Option<Range<usize>>, &'static str> {
    let braces: Vec<(usize, char)> = part.char_indices().filter(|(_, c)| matches!(c, '{' | '}')).collect();
    match braces.as_slice() {
        [] => Ok(None),
        [(open, '{'), (close, '}')] => {
            let name = &part[open + 1..*close];
            let good = !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
            if good { Ok(Some(open + 1..*close)) } else { Err("a variable is lower case letters and `_`") }
        }
        _ => Err("each directory, and the file, has at most one {variable}"),
    }
}

/// A family's name and the values of its variables, from a text such as `profile:42`.
#[must_use]
pub fn split(name: &str) -> (&str, Vec<&str>) {
    match name.split_once(SEPARATOR) {
        Some((kb, values)) => (kb, values.split(SEPARATOR).collect()),
        None => (name, Vec::new()),
    }
}

/// The name of a member, made of its family's name and the values.
#[must_use]
pub fn join(kb: &str, values: &[String]) -> String {
    values.iter().fold(kb.to_owned(), |name, value| format!("{name}{SEPARATOR}{value}"))
}

/// Whether it depends on the day which document of a family is meant.
#[must_use]
pub fn is_dated(path: &str) -> bool {
    path.contains("{date}") || path.contains("{month}")
}

/// What the path of a document says as titles above its text: the day or the month of a member, another value that is a day, and the
/// name of a file that has no variables and holds a month.
#[must_use]
pub fn titles<'t>(path: &'t str, values: &'t [String]) -> Vec<&'t str> {
    let names = variables(path).unwrap_or_default();
    if names.is_empty() {
        let file = path.rsplit('/').next().unwrap_or_default();
        let is_month = |part: &[u8]| {
            part.iter()
                .enumerate()
                .all(|(at, byte)| if at == 4 { *byte == b'-' } else { byte.is_ascii_digit() })
        };
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        return if stem.as_bytes().windows(7).any(is_month) { vec![stem] } else { Vec::new() };
    }
    let of_time = names.into_iter().zip(values);
    of_time
        .filter(|(name, value)| [DATE, MONTH].contains(name) || is_day(value))
        .map(|(_, value)| value.as_str())
        .collect()
}

/// The path of a member: every variable with its value. A `{date}` or `{month}` without a value is today's, where today is
/// known.
///
/// # Errors
/// `needs_variables` when there are more or fewer values than variables; `bad_variable` for a value that is no plain name.
pub fn filled(
    kb: &str,
    path: &str,
    values: &[&str],
    today: Option<&str>,
) -> Result<(String, Vec<String>), Problem> {
    let names = variables(path).map_err(|why| Problem::new(Code::BadPath, format!("`{path}`: {why}")))?;
    let by_day = [DATE, MONTH].into_iter().find(|name| names.contains(name));
    let dated = today.zip(by_day).filter(|_| values.len() + 1 == names.len());
    if values.len() != names.len() && dated.is_none() {
        return Err(miscounted(kb, &names, values));
    }
    let mut given = values.iter().copied();
    let mut used = Vec::with_capacity(names.len());
    for name in &names {
        let value = match dated {
            Some((today, by_day)) if *name == by_day => part_of_day(today, name),
            _ => given.next().unwrap_or_default(),
        };
        check(name, value)?;
        used.push(value.to_owned());
    }
    let path = names
        .iter()
        .zip(&used)
        .fold(path.to_owned(), |path, (name, value)| path.replace(&format!("{{{name}}}"), value));
    Ok((path, used))
}

/// The day itself, or its month.
fn part_of_day<'d>(today: &'d str, name: &str) -> &'d str {
    if name == MONTH { today.get(..7).unwrap_or_default() } else { today }
}

fn miscounted(kb: &str, names: &[&str], values: &[&str]) -> Problem {
    let shown =
        names.iter().fold(kb.to_owned(), |all, name| format!("{all}{SEPARATOR}{}", name.to_uppercase()));
    if names.is_empty() {
        return Problem::new(Code::NeedsVariables, format!("knowledge base `{kb}` is one document"))
            .hint(format!("name it `{kb}`"));
    }
    let message = format!(
        "knowledge base `{kb}` is a family of documents, and {} of {} names are given",
        values.len(),
        names.len()
    );
    Problem::new(Code::NeedsVariables, message).hint(format!("name one of its documents: {shown}"))
}

/// Whether a text may be the value of a variable: a plain name, and for a date a day.
fn check(name: &str, value: &str) -> Result<(), Problem> {
    let plain = !value.is_empty()
        && value.len() <= VALUE_BYTES_MAX
        && !value.starts_with('.')
        && value.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'));
    let good = match name {
        DATE => is_day(value),
        MONTH => value.len() == 7 && is_day(&format!("{value}-01")),
        _ => plain,
    };
    if good {
        return Ok(());
    }
    let shown: String = value.chars().filter(|c| !c.is_control()).take(40).collect();
    let hint = match name {
        DATE => "a day is written YYYY-MM-DD".to_owned(),
        MONTH => "a month is written YYYY-MM".to_owned(),
        _ => format!("letters, digits, `.`, `_` and `-`, no dot at the beginning, at most {VALUE_BYTES_MAX}"),
    };
    Err(Problem::new(Code::BadVariable, format!("`{shown}` cannot fill {{{name}}}")).hint(hint))
}

/// The values with which the pattern is this path; `None` when it never is. Both are absolute.
#[must_use]
pub fn matched(pattern: &str, path: &str) -> Option<Vec<String>> {
    let (mut patterns, mut parts) = (pattern.split('/'), path.split('/'));
    let mut values = Vec::new();
    loop {
        match (patterns.next(), parts.next()) {
            (None, None) => return Some(values),
            (Some(pattern), Some(part)) => match variable(pattern).ok()? {
                None if pattern == part => {}
                None => return None,
                Some(name) => {
                    let (head, tail) = (&pattern[..name.start - 1], &pattern[name.end + 1..]);
                    let value = part.strip_prefix(head)?.strip_suffix(tail)?;
                    check(&pattern[name], value).ok()?;
                    values.push(value.to_owned());
                }
            },
            _ => return None,
        }
    }
}

/// The part of a pattern above its first variable: every member lies below it.
#[must_use]
pub fn root(pattern: &str) -> &str {
    let fixed = pattern.find('{').map_or(pattern, |at| &pattern[..at]);
    let end = fixed.rfind('/').unwrap_or(0);
    if end == 0 { "/" } else { &fixed[..end] }
}

/// A template with the variables of a family filled, for a document that is not there yet.
#[must_use]
pub fn from_template(template: &str, pattern: &str, values: &[String]) -> String {
    let names = variables(pattern).unwrap_or_default();
    names
        .iter()
        .zip(values)
        .fold(template.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
}

/// Which of these names are daily logs from before the last `keep_days` days: names that the last part of the path, with
/// its `{date}`, gives to earlier days. Days are compared as texts.
#[must_use]
pub fn old_days(file: &str, names: &[String], oldest_kept: &str) -> Vec<String> {
    let is_old = |name: &&String| {
        matched(file, name).is_some_and(|values| values.first().is_some_and(|day| day.as_str() < oldest_kept))
    };
    let mut old: Vec<String> = names.iter().filter(is_old).cloned().collect();
    old.sort();
    old
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(path: &str, values: &[&str], today: Option<&str>) -> Result<String, String> {
        filled("f", path, values, today).map(|(path, _)| path).map_err(|problem| problem.code.to_string())
    }

    #[test]
    fn what_a_path_says_of_the_day_of_its_text() {
        let titles = |path: &'static str, values: &[&str]| {
            let values: Vec<String> = values.iter().map(|&value| value.to_owned()).collect();
            titles(path, &values).into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(titles("events/{scope}/{date}.md", &["user-1120", "2026-11-20"]), ["2026-11-20"]);
        assert_eq!(titles("facts/{month}.md", &["2026-11"]), ["2026-11"]);
        assert_eq!(titles("meetings/{name}.md", &["2026-11-20"]), ["2026-11-20"]);
        assert!(titles("users/{user_id}.md", &["20261120"]).is_empty() && titles("~/n.md", &[]).is_empty());
        assert_eq!(titles("~/kick-off 2026-11-20.md", &[]), ["kick-off 2026-11-20"]);
    }

    #[test]
    fn members_have_plain_names() {
        assert_eq!(fill("p/{user_id}.md", &["42"], None), Ok("p/42.md".into()));
        assert_eq!(fill("p/{user_id}.md", &["a.b_c-D"], None), Ok("p/a.b_c-D.md".into()));
        assert_eq!(fill("{team}/{user_id}.md", &["x", "y"], None), Ok("x/y.md".into()));
        let long = "x".repeat(65);
        for bad in
            ["", ".", "..", ".hidden", "a/b", "../x", "a b", "a:b", "é", "a\0", "a\n", "{x}", long.as_str()]
        {
            assert_eq!(fill("p/{user_id}.md", &[bad], None), Err("bad_variable".into()), "{bad:?}");
        }
        assert_eq!(fill("p/{user_id}.md", &[], Some("2026-11-22")), Err("needs_variables".into()));
        assert_eq!(fill("p/{user_id}.md", &["a", "b"], None), Err("needs_variables".into()));
        assert_eq!(fill("p/one.md", &["a"], None), Err("needs_variables".into()));
    }

    #[test]
    fn a_date_is_todays_or_a_day() {
        let today = Some("2026-11-22");
        assert_eq!(fill("l/{date}.md", &[], today), Ok("l/2026-11-22.md".into()));
        assert_eq!(fill("l/{date}.md", &["2026-02-28"], today), Ok("l/2026-02-28.md".into()));
        assert_eq!(fill("{user}/{date}.md", &["me"], today), Ok("me/2026-11-22.md".into()));
        assert_eq!(fill("f/{month}.md", &[], today), Ok("f/2026-11.md".into()));
        assert_eq!(fill("f/{month}.md", &["2026-02"], today), Ok("f/2026-02.md".into()));
        for bad in ["2026", "2026-13", "2026-02-01", "26-02"] {
            assert_eq!(fill("f/{month}.md", &[bad], today), Err("bad_variable".into()), "{bad}");
        }
        assert_eq!(fill("l/{date}.md", &[], None), Err("needs_variables".into()));
        for bad in ["2026-02-30", "today", "2026-2-3", "../../etc"] {
            assert_eq!(fill("l/{date}.md", &[bad], today), Err("bad_variable".into()), "{bad}");
        }
    }

    #[test]
    fn a_path_is_a_members_or_not() {
        let values = |path| matched("/k/u-{user_id}/{date}.md", path);
        assert_eq!(values("/k/u-42/2026-11-22.md"), Some(vec!["42".into(), "2026-11-22".into()]));
        for other in [
            "/k/u-42/x.md",
            "/k/42/2026-11-22.md",
            "/k/u-/2026-11-22.md",
            "/k/u-a/b/2026-11-22.md",
            "/k/u-../2026-11-22.md",
        ] {
            assert_eq!(values(other), None, "{other}");
        }
        assert_eq!((root("/k/u-{x}/a.md"), root("/{x}.md"), root("/k/l/{date}.md")), ("/k", "/", "/k/l"));
    }

    #[test]
    fn variables_are_told_or_refused() {
        assert_eq!(variables("a/{user_id}/{date}.md"), Ok(vec!["user_id", "date"]));
        for bad in ["{a}{b}.md", "{A}.md", "{}.md", "{a.md", "a}.md", "{a}/{a}.md", "{{a}}.md"] {
            assert!(variables(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn only_old_days_are_old() {
        let names =
            ["2026-11-19.md", "2026-11-20.md", "2026-11-22.md", "notes.md", "2026-11-1.md", "archive"];
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        assert_eq!(old_days("{date}.md", &names, "2026-11-20"), ["2026-11-19.md"]);
    }

    #[test]
    fn templates_are_filled() {
        let values = ["42".to_owned(), "2026-11-22".to_owned()];
        assert_eq!(
            from_template("# {date} of {user_id} {x}\n", "{user_id}/{date}.md", &values),
            "# 2026-11-22 of 42 {x}\n"
        );
    }
}
