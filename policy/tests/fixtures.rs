//! The fixtures as data: everything in `good/` is accepted, everything in `bad/` has exactly the problems that stand
//! beside it, as `line:column code` a line. `UPDATE_EXPECT=1` writes what is found; read the diff before you commit it.
// Clippy knows only functions marked `#[test]` as tests, not their helpers.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used)]

use declaration::reading::{self, Format};
use declaration::{Declaration, Problem};
use policy::settings::Settings;
use std::path::{Path, PathBuf};

#[test]
fn good_declarations_are_accepted_and_survive_being_written() {
    for file in files("declarations/good") {
        let declarations = read(&file).unwrap_or_else(|problems| panic!("{}: {problems:#?}", file.display()));
        for declaration in &declarations {
            // What is written names every operation.
            let declaration = &Declaration { unnamed: Vec::new(), ..declaration.clone() };
            let json = serde_json::to_vec(declaration).unwrap();
            assert_eq!(
                reading::read(&json, Some(Format::Json)).unwrap(),
                std::slice::from_ref(declaration),
                "{}",
                file.display()
            );
            let yaml = serde_yaml::to_string(declaration).unwrap();
            assert_eq!(
                reading::read(yaml.as_bytes(), None).unwrap(),
                std::slice::from_ref(declaration),
                "{yaml}"
            );
        }
    }
}

#[test]
fn good_declarations_are_as_many_as_written() {
    for (file, count) in
        [("several-documents.yaml", 2), ("lines.jsonl", 3), ("in-a-row.json", 2), ("bom-crlf.yaml", 1)]
    {
        assert_eq!(read(&fixtures("declarations/good").join(file)).unwrap().len(), count, "{file}");
    }
}

#[test]
fn bad_declarations_have_the_problems_expected() {
    check("declarations/bad", |file| read(file).err());
}

#[test]
fn bad_configurations_have_the_problems_expected() {
    let defaults = defaults();
    check("config/bad", |file| {
        Settings::parse(&std::fs::read_to_string(file).unwrap(), Some(&defaults)).err()
    });
}

#[test]
fn good_configurations_are_accepted() {
    let defaults = defaults();
    for file in files("config/good") {
        let text = std::fs::read_to_string(&file).unwrap();
        Settings::parse(&text, Some(&defaults))
            .unwrap_or_else(|problems| panic!("{}: {problems:#?}", file.display()));
    }
}

#[test]
fn the_schema_accepts_every_good_declaration() {
    let validator = jsonschema::draft202012::new(&declaration::schema::declaration().unwrap()).unwrap();
    for file in files("declarations/good") {
        for document in values(&file) {
            let errors: Vec<_> = validator.iter_errors(&document).map(|e| e.to_string()).collect();
            assert!(errors.is_empty(), "{}: {errors:?}", file.display());
        }
    }
}

#[test]
fn the_schema_refuses_what_the_rules_refuse() {
    let validator = jsonschema::draft202012::new(&declaration::schema::declaration().unwrap()).unwrap();
    for entry in values(&fixtures("declarations/bad/many-problems.yaml"))[0]["entries"].as_array().unwrap() {
        let one = serde_json::json!({"version": "1.0.0", "entries": [entry]});
        let ours = reading::read(one.to_string().as_bytes(), Some(Format::Json)).is_ok();
        // What a schema cannot say: NUL, and the finer points of URLs.
        let beyond = entry.to_string().contains("\\u0000") || entry["meta"]["confidence"].is_null() && ours;
        assert!(ours == validator.is_valid(&one) || beyond, "{entry} ours: {ours}");
    }
}

#[test]
fn the_schema_refuses_what_has_not_its_shape() {
    let validator = jsonschema::draft202012::new(&declaration::schema::declaration().unwrap()).unwrap();
    for file in
        ["unknown-field.yaml", "unknown-version.yaml", "missing.yaml", "not-a-declaration.yaml", "list.json"]
    {
        for document in values(&fixtures("declarations/bad").join(file)) {
            assert!(!validator.is_valid(&document), "{file}: {document}");
        }
    }
}

fn check(folder: &str, problems_of: impl Fn(&Path) -> Option<Vec<Problem>>) {
    let mut wrong = Vec::new();
    for file in files(folder) {
        let problems = problems_of(&file).unwrap_or_default();
        let found: String = problems.iter().map(line).collect();
        let beside = PathBuf::from(format!("{}.expect", file.display()));
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&beside, &found).unwrap();
        }
        let expected = std::fs::read_to_string(&beside).unwrap_or_default();
        if found != expected || found.is_empty() {
            wrong.push(format!("{}\nexpected:\n{expected}found:\n{found}", file.display()));
        }
        for problem in &problems {
            assert_worded_well(problem, &file);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn line(problem: &Problem) -> String {
    if std::env::var_os("SHOW").is_some() {
        println!("  {problem}  [{}] hint: {}", problem.code, problem.hint.as_deref().unwrap_or("-"));
    }
    match problem.place {
        Some(place) => format!("{}:{} {}\n", place.line, place.column, problem.code),
        None => format!("- {}\n", problem.code),
    }
}

/// STYLE.md 15: lower case, no full stop, one line.
fn assert_worded_well(problem: &Problem, file: &Path) {
    let message = &problem.message;
    let good = !message.is_empty()
        && !message.ends_with('.')
        && !message.contains('\n')
        && !message.starts_with(char::is_uppercase)
        && problem.hint.as_ref().is_none_or(|hint| !hint.is_empty());
    // `"User" is named …` begins with what its author wrote.
    assert!(good, "{}: {problem:?}", file.display());
}

fn read(file: &Path) -> Result<Vec<declaration::Declaration>, Vec<Problem>> {
    let bytes = std::fs::read(file).unwrap();
    let format = Format::guess(file.to_str(), &bytes);
    reading::read(&bytes, Some(format))
}

fn values(file: &Path) -> Vec<serde_json::Value> {
    let bytes = std::fs::read(file).unwrap();
    let text = std::str::from_utf8(&bytes).unwrap().trim_start_matches('\u{feff}');
    if Format::guess(file.to_str(), &bytes) == Format::Json {
        return serde_json::Deserializer::from_str(text).into_iter().map(Result::unwrap).collect();
    }
    let documents = serde_yaml::Deserializer::from_str(text);
    let values = documents.map(|document| serde::Deserialize::deserialize(document).unwrap());
    // The schema sees what YAML makes of `version: 1.0`; we read the text.
    values.filter(|value: &serde_json::Value| !value.is_null()).map(text_version).collect()
}

fn text_version(mut value: serde_json::Value) -> serde_json::Value {
    if value["version"].is_number() {
        value["version"] = format!("{:.1}", value["version"].as_f64().unwrap()).into();
    }
    value
}

fn defaults() -> Settings {
    let text = std::fs::read_to_string(fixtures("../engine/src/default-config.yaml")).unwrap();
    Settings::parse(&text, None).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

fn files(folder: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(fixtures(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_none_or(|extension| extension != "expect"))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

fn fixtures(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures").join(folder)
}
