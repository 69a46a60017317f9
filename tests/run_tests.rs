//! `./run-tests` itself: what it says first and last, and what it says where something is missing. Its `cargo` is a script
//! here that says what cargo would.

use crate::support::{Said, User, write_program};
use std::os::unix::fs::symlink;
use std::process::Command;

const TOOLS: [&str; 14] = [
    "awk", "bash", "cat", "cut", "dirname", "env", "head", "mktemp", "printf", "rm", "sed", "sh", "sort",
    "tee",
];

/// Runs it where there are only these programs, and a cargo that says this and ends so.
fn run(with_cc: bool, cargo: &str, args: &[&str]) -> Said {
    let user = User::bare();
    let tools = user.root().join("tools");
    std::fs::create_dir(&tools).unwrap();
    let paths = std::env::var_os("PATH").unwrap();
    for tool in TOOLS.into_iter().chain(with_cc.then_some("cc")) {
        let found = std::env::split_paths(&paths).map(|dir| dir.join(tool)).find(|path| path.exists());
        symlink(found.unwrap_or_else(|| panic!("no {tool}")), tools.join(tool)).unwrap();
    }
    write_program(&tools.join("rustc"), "#!/bin/sh\necho 'rustc 1.999.0 (of no day)'\n");
    write_program(&tools.join("cargo"), &format!("#!/bin/sh\necho \"cargo $*\"\n{cargo}\n"));
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/run-tests");
    let mut command = Command::new(script);
    Said::of(command.args(args).env_clear().env("PATH", &tools).env("HOME", user.root()).output().unwrap())
}

const TWO_PROGRAMS: &str = "echo 'test a::b ... ok'
echo 'test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s'
echo 'skipped: there is no tmux here' >&2
echo 'skipped: there is no tmux here' >&2
echo 'test c::d ... FAILED'
echo 'test result: FAILED. 30 passed; 1 failed; 0 ignored; 0 measured; 7 filtered out; finished in 1.50s'";

#[test]
fn says_first_how_long_and_last_how_many() {
    let said = run(true, TWO_PROGRAMS, &[]).ok();
    assert!(said.starts_with("run-tests: ") && said.lines().next().unwrap().contains("minutes"), "{said}");
    let closing: Vec<&str> = said.lines().rev().take(4).collect();
    assert!(closing[0].starts_with("run-tests: 42 passed, 1 failed, 1 ignored in 0 min "), "{said}");
    assert_eq!(closing[1..], ["  failed: c::d", "  skipped: there is no tmux here", ""], "once each");
}

#[test]
fn ends_as_cargo_ends() {
    let failed = run(true, &format!("{TWO_PROGRAMS}\nexit 101"), &[]);
    assert_eq!(failed.code, Some(101), "{}", failed.stdout);
    let broken = run(true, "echo 'error: could not compile' >&2; exit 101", &[]);
    assert_eq!(broken.code, Some(101));
    assert!(
        broken.stdout.contains("0 passed, 0 failed") && broken.stdout.contains("before all tests were run")
    );
}

#[test]
fn the_quick_part_leaves_out_modules_that_there_are() {
    let said = run(true, TWO_PROGRAMS, &["--quick"]).ok();
    let cargo = said.lines().find(|line| line.starts_with("cargo test")).unwrap();
    let main = include_str!("main.rs");
    let skipped: Vec<&str> = cargo.split("--skip ").skip(1).collect();
    assert!(skipped.len() > 3, "{cargo}");
    for module in skipped {
        let module = module.trim().trim_end_matches("::");
        assert!(main.contains(&format!("\nmod {module};\n")), "there are no tests `{module}`");
    }
    assert!(said.contains("./run-tests runs all\n"), "{said}");
    let named = run(true, TWO_PROGRAMS, &["day::", "--quiet"]).ok();
    assert!(named.contains("--no-fail-fast day:: --quiet\n"), "{named}");
}

#[test]
fn says_what_a_machine_lacks() {
    run(false, TWO_PROGRAMS, &[]).fails(1, "there is no C linker (`cc`)");
}
