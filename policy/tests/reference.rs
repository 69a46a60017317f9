//! `docs/CONFIG.md`, made of the schema of `config.yaml` and of the commented defaults: every setting, what it takes, what it is where
//! nobody sets it, and what it does.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used)]

use policy::settings::{SettingField, fields};
use std::collections::HashMap;
use std::path::Path;

const DEFAULTS: &str = include_str!("../../engine/src/default-config.yaml");

/// What the comments of the defaults say of each setting, by where it stands; and each default as it is written there.
#[derive(Default)]
struct Told {
    meaning: HashMap<String, String>,
    default: HashMap<String, String>,
}

impl Told {
    fn of(defaults: &str) -> Told {
        let mut told = Told::default();
        // The mappings that a line stands in, and the comment above it.
        let (mut above, mut comment, mut field): (Vec<String>, Vec<&str>, Option<String>) =
            Default::default();
        for line in defaults.lines() {
            let text = line.trim_start();
            let depth = (line.len() - text.len()) / 2;
            if let Some(said) = text.strip_prefix('#') {
                // In the list of a knowledge base's settings: the name, blanks, what it does.
                let begin = said.strip_prefix("   ").filter(|rest| !rest.starts_with(' '));
                match begin.and_then(|rest| rest.split_once("  ")) {
                    Some((name, does)) if !name.contains(' ') => {
                        field = Some(format!("knowledge_bases.NAME.{name}"));
                        told.meaning.insert(field.clone().unwrap(), does.trim().to_owned());
                    }
                    _ => match field.as_ref().filter(|_| said.starts_with("     ")) {
                        Some(field) => {
                            let meaning = told.meaning.get_mut(field).unwrap();
                            *meaning = format!("{meaning} {}", said.trim());
                        }
                        None if depth == 0 => {
                            told.commented_out(said, &comment);
                            comment.push(said.trim());
                        }
                        // What is said beside a setting goes on below it.
                        None => {
                            if let Some(meaning) = told.meaning.get_mut(&above.join(".")) {
                                *meaning = format!("{meaning} {}", said.trim());
                            }
                        }
                    },
                }
                continue;
            }
            field = None;
            let Some((name, rest)) = text.split_once(':') else {
                comment.clear();
                continue;
            };
            above.truncate(depth);
            above.push(name.to_owned());
            let (value, beside) = rest.split_once(" #").unwrap_or((rest, ""));
            told.set(&above.join("."), value.trim(), beside.trim());
            if depth == 0 && !comment.is_empty() {
                told.meaning.entry(name.to_owned()).or_insert(comment.join(" "));
            }
            comment.clear();
        }
        told
    }

    fn set(&mut self, path: &str, value: &str, meaning: &str) {
        if !value.is_empty() {
            self.default.insert(path.to_owned(), value.to_owned());
        }
        if !meaning.is_empty() {
            self.meaning.insert(path.to_owned(), meaning.to_owned());
        }
    }

    /// An example in a comment (`# metrics: { textfile: … }`) is explained by what stands above it.
    fn commented_out(&mut self, said: &str, above: &[&str]) {
        if let Some((name, _)) = said.trim().split_once(": {").filter(|(name, _)| !name.contains(' ')) {
            self.meaning.entry(name.to_owned()).or_insert(above.join(" "));
        }
    }

    fn row(&self, field: &SettingField) -> String {
        let SettingField { path, takes, required } = field;
        // What belongs to another setting is explained with it.
        let with = path.rsplit_once('.').map(|(with, _)| with);
        let own = self.meaning.get(path).or_else(|| self.meaning.get(with?));
        let default = match self.default.get(path) {
            Some(value) => format!("`{}`", value.replace('|', "\\|")),
            None if *required => "must be there".to_owned(),
            None => "–".to_owned(),
        };
        let meaning = own.map_or_else(String::new, |text| {
            text.trim_end_matches(':').replace('|', "\\|").replace('<', "&lt;")
        });
        format!("| `{path}` | {takes} | {default} | {meaning} |\n")
    }
}

fn page() -> String {
    let told = Told::of(DEFAULTS);
    let mut text = String::from(concat!(
        "# Every setting\n\n",
        "What `config.yaml` in the home may say. What is left out has the value below; what is not known, or does not fit, is refused with\n",
        "its line (`last-word validate`). Made from `policy/src/settings/schema.rs` and `engine/src/default-config.yaml`;\n",
        "`UPDATE_FIXTURES=1 cargo test -p last-word-policy --test reference` writes it anew.\n\n",
        "| setting | takes | unless set | what it does |\n|---|---|---|---|\n",
    ));
    fields().iter().for_each(|field| text.push_str(&told.row(field)));
    text.push_str("\n## As `init` writes it\n\n```yaml\n");
    text.push_str(DEFAULTS.trim_end());
    text.push_str("\n```\n");
    text
}

#[test]
fn the_page_of_settings_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/CONFIG.md");
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        std::fs::write(&path, page()).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap_or_default(), page(), "UPDATE_FIXTURES=1 writes it anew");
}

/// A setting of a knowledge base that the defaults do not explain would have an empty row.
#[test]
fn every_setting_of_a_knowledge_base_is_explained() {
    let told = Told::of(DEFAULTS);
    let own = |field: &SettingField| {
        field
            .path
            .strip_prefix("knowledge_bases.NAME.")
            .map(|rest| rest.split('.').next().unwrap().to_owned())
    };
    let silent: Vec<String> = fields()
        .iter()
        .filter_map(own)
        .filter(|name| !told.meaning.contains_key(&format!("knowledge_bases.NAME.{name}")))
        .collect();
    assert!(silent.is_empty(), "not explained in engine/src/default-config.yaml: {silent:?}");
    assert!(fields().len() > 50, "there are more settings than {}", fields().len());
}
