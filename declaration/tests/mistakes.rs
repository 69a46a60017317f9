//! The commonest mistakes, as data: `fixtures/declarations/mistakes/<file>` and beside it `<file>.expect`, what a person
//! reads of it. With `UPDATE_EXPECTED=1` the expected texts are written anew, to be looked at before they are committed.
// Clippy knows only functions marked `#[test]` as tests, not their helpers.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used)]

use declaration::Problem;
use declaration::reading::{self, Format};
use std::fmt::Write as _;
use std::fs;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/declarations/mistakes");

fn shown(problems: &[Problem]) -> String {
    let mut text = String::new();
    for problem in problems {
        writeln!(text, "{problem} [{}]", problem.code.as_str()).unwrap();
        if let Some(hint) = &problem.hint {
            writeln!(text, "  hint: {hint}").unwrap();
        }
    }
    text
}

#[test]
fn each_common_mistake_is_named_at_its_place_with_what_to_write_instead() {
    let mut files: Vec<_> = fs::read_dir(FOLDER).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end != "expect"));
    files.sort();
    assert!(files.len() > 50, "the fixtures are there: {}", files.len());
    let mut wrong = String::new();
    for file in files {
        let name = file.file_name().unwrap().to_str().unwrap();
        let bytes = fs::read(&file).unwrap();
        let problems = reading::read(&bytes, Some(Format::guess(Some(name), &bytes))).unwrap_err();
        assert!(problems.iter().all(|problem| problem.hint.is_some()), "{name}: {}", shown(&problems));
        let expected = file.with_file_name(format!("{name}.expect"));
        if std::env::var_os("UPDATE_EXPECTED").is_some() {
            fs::write(&expected, shown(&problems)).unwrap();
        }
        if fs::read_to_string(&expected).unwrap_or_default() != shown(&problems) {
            write!(wrong, "== {name}\n{}", shown(&problems)).unwrap();
        }
    }
    assert_eq!(wrong, "");
}
