//! Tells the binary its version, for `--version`: `0.1.0 (3862f19a4c)` where the commit is known, else `0.1.0`. The commit is
//! `$LAST_WORD_COMMIT` (for who packages an archive without its repository), else that of the repository we are in. A debug build
//! does not ask: each commit would build the tests anew.
#![allow(clippy::disallowed_methods)]

use std::env::var;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=LAST_WORD_COMMIT");
    println!("cargo::rerun-if-changed=build.rs");
    let version = var("CARGO_PKG_VERSION").unwrap_or_default();
    let named = var("LAST_WORD_COMMIT").ok().filter(|commit| !commit.is_empty());
    let is_release = var("PROFILE").is_ok_and(|profile| profile == "release");
    let commit = named.or_else(|| is_release.then(commit_here).flatten());
    let said = commit.map_or_else(|| version.clone(), |commit| format!("{version} ({commit})"));
    println!("cargo::rustc-env=LAST_WORD_VERSION={said}");
    // A hook is started for every prompt, and this program many thousand times by its tests. More than half of a start was the
    // loader filling in addresses: a program that is linked to fixed ones has nothing to fill in (docs/PERFORMANCE.md). A
    // release is linked so by `build-release`, statically, for which other rules hold.
    let is =
        |name: &str, wanted: &str| var(name).is_ok_and(|value| value.split(',').any(|part| part == wanted));
    let is_dynamic = !is("CARGO_CFG_TARGET_FEATURE", "crt-static");
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") && is_dynamic {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}

/// The commit that is checked out; `None` outside a repository of our own, and without git.
fn commit_here() -> Option<String> {
    let root = var("CARGO_MANIFEST_DIR").ok()?;
    // A source archive may lie in somebody else's repository.
    let git = Path::new(&root).join(".git");
    if !git.exists() {
        return None;
    }
    println!("cargo::rerun-if-changed={}", git.join("logs/HEAD").display());
    println!("cargo::rerun-if-changed={}", git.join("HEAD").display());
    let said = Command::new("git").args(["-C", &root, "rev-parse", "--short=10", "HEAD"]).output().ok()?;
    let commit = String::from_utf8(said.stdout).ok()?;
    Some(commit.trim().to_owned()).filter(|commit| said.status.success() && !commit.is_empty())
}
