//! What drifted in a directory, by this crate alone: `cargo run -p last-word-drift --example findings DIR`. It lists every file below the
//! directory, hidden ones too.
// An example looks at the disk itself.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used)]

use drift::{CheckedDocument, Ignored, Tree, drift, is_about_now};
use std::fs;
use std::path::Path;

fn main() {
    for root in std::env::args().skip(1) {
        let root = Path::new(&root);
        let mut files = Vec::new();
        list(root, root, &mut files);
        let ignored = fs::read_to_string(root.join(".gitignore")).unwrap_or_default();
        let tree = Tree::new(files.clone(), true).ignoring(Ignored::of(&ignored));
        let read = |path: &str| fs::read_to_string(root.join(path)).ok();
        for path in files.iter().filter(|path| path.ends_with(".md") && is_about_now(path)) {
            let Some(text) = read(path) else { continue };
            for found in drift(&CheckedDocument { path, text: &text }, &tree, &read, None, "2026-11-23") {
                let now = found.now.map_or_else(String::new, |now| format!(" -> {now}"));
                println!("{path}:{} {}: {}{now}", found.line, found.check, found.says);
            }
        }
    }
}

fn list(root: &Path, dir: &Path, files: &mut Vec<String>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            if path.file_name().is_none_or(|name| name != ".git") {
                list(root, &path, files);
            }
        } else {
            files.push(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
        }
    }
}
