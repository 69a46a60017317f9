//! The list of codes: its page in the docs is current, names are stable, and a name of another build survives.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used)]

use declaration::code::{CodeKind, table};
use declaration::{Code, Remedy};
use std::path::Path;

#[test]
fn the_page_of_codes_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/CODES.md");
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        std::fs::write(&path, table()).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), table(), "UPDATE_FIXTURES=1 writes it anew");
}

#[test]
fn a_name_is_read_as_it_was_written() {
    for code in Code::ALL {
        let json = serde_json::to_string(code).unwrap();
        assert_eq!(json, format!("\"{}\"", code.as_str()));
        assert_eq!(serde_json::from_str::<Code>(&json).unwrap(), *code);
    }
    let of_another_build: Code = serde_json::from_str("\"not_yet_known\"").unwrap();
    assert_eq!(of_another_build.kind(), CodeKind::Unknown);
    assert_eq!(serde_json::to_string(&of_another_build).unwrap(), "\"not_yet_known\"");
}

/// Whatever waits can be ended; only a conflict has sides.
#[test]
fn every_code_has_a_way_out() {
    for code in Code::ALL.iter().chain([&Code::named("not_yet_known")]) {
        assert!(code.allows(Remedy::Discard), "{code}");
        let sides = code.allows(Remedy::Ours) || code.allows(Remedy::Theirs);
        assert_eq!(sides, *code == Code::Conflict, "{code}");
    }
}
