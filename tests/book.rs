//! The book: what a page shows below a command is what the program says. A page's `console` blocks are typed one after another by a
//! user of its own, from an empty home directory; `UPDATE_FIXTURES=1` writes what differs anew. A page in another language shows the
//! same commands as the English one.

use crate::support::{User, binary};
use regex::Regex;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

/// The pages that show commands with their output, and their texts.
fn pages() -> Vec<(String, String)> {
    let files = fs::read_dir(docs()).unwrap().map(|entry| entry.unwrap().path());
    let named = files.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    let read = |path: PathBuf| {
        (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(path).unwrap())
    };
    let mut pages: Vec<_> = named.map(read).filter(|(_, text)| text.contains("\n```console\n")).collect();
    pages.sort();
    pages
}

/// What a user types, and what is said to it, as the page has it.
struct Step {
    typed: String,
    said: String,
}

/// The steps of each block, and the text around the blocks.
fn blocks(page: &str) -> (Vec<Vec<Step>>, Vec<&str>) {
    let mut around = Vec::new();
    let mut blocks = Vec::new();
    let mut rest = page;
    while let Some((before, from)) = rest.split_once("\n```console\n") {
        let (block, after) = from.split_once("\n```\n").unwrap();
        let mut steps: Vec<Step> = Vec::new();
        for line in block.lines() {
            match line.strip_prefix("$ ") {
                Some(typed) => steps.push(Step { typed: typed.to_owned(), said: String::new() }),
                None => {
                    let step = steps.last_mut().unwrap_or_else(|| panic!("`{line}` stands below no command"));
                    step.said.push_str(line);
                    step.said.push('\n');
                }
            }
        }
        around.push(before);
        blocks.push(steps);
        rest = after;
    }
    around.push(rest);
    (blocks, around)
}

/// What differs from run to run, and how wide a column is for it.
fn without_chance(said: &str) -> String {
    let mut said = said.to_owned();
    for (what, plain) in [
        (r"01[0-9a-f]{6}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "ID"),
        (r"(?m)^[a-z0-9]{8}  ", "ITEM  "),
        (r"\^[a-z0-9]{8}", "ITEM"),
        (r"\d+ (ms|s) ago|just now", "AGO"),
        (r" ?(\d+ (毫秒|秒)前|刚才)", "AGO"),
        (r"pid \d+", "pid"),
        (r"进程 \d+", "进程"),
        (r"20\d\d-\d\d(-\d\d)?", "DAY"),
        (r"[ -]{2,}", "  "),
    ] {
        said = Regex::new(what).unwrap().replace_all(&said, plain).into_owned();
    }
    said
}

/// What is said to a line that is typed into a shell where the program is installed.
fn shell(user: &User, page: &str, typed: &str) -> String {
    let mut command = Command::new("/bin/sh");
    let path = format!("{}:/usr/bin:/bin", user.root().join("bin").display());
    command.args(["-c", &format!("{{ {typed}\n}} 2>&1")]).current_dir(user.root()).env_clear();
    command.env("HOME", user.root()).env("PATH", path).env("USER", "ann").stdin(std::process::Stdio::null());
    if page.ends_with(".zh.md") {
        command.env("LANG", "zh_CN.UTF-8");
    }
    let said = String::from_utf8(command.output().unwrap().stdout).unwrap();
    said.replace(binary(), "last-word").replace(&user.root().display().to_string(), "/home/ann")
}

#[test]
fn what_the_book_shows_is_what_the_program_says() {
    let mut differ = Vec::new();
    for (name, page) in pages() {
        let user = User::bare();
        fs::create_dir(user.root().join("bin")).unwrap();
        symlink(binary(), user.root().join("bin/last-word")).unwrap();
        let (blocks, around) = blocks(&page);
        // The first page makes the home itself, before its reader's eyes.
        if !blocks[0][0].typed.starts_with("last-word init") {
            user.run(["init"]).ok();
        }
        let mut anew = around[0].to_owned();
        for (steps, after) in blocks.iter().zip(&around[1..]) {
            anew.push_str("\n```console\n");
            for step in steps {
                let said = shell(&user, &name, &step.typed);
                let same = without_chance(&said) == without_chance(&step.said);
                if !same {
                    differ.push(format!("{name}: $ {}\nshown:\n{}said:\n{said}", step.typed, step.said));
                }
                anew.push_str(&format!("$ {}\n{}", step.typed, if same { &step.said } else { &said }));
            }
            anew.push_str("```\n");
            anew.push_str(after);
        }
        if std::env::var_os("UPDATE_FIXTURES").is_some() {
            fs::write(docs().join(&name), anew).unwrap();
        }
    }
    assert!(differ.is_empty(), "UPDATE_FIXTURES=1 writes them anew:\n{}", differ.join("\n"));
}

#[test]
fn a_page_in_another_language_shows_the_same_commands() {
    let typed = |page: &str| -> Vec<String> {
        let (blocks, _) = blocks(page);
        blocks.into_iter().flatten().map(|step| step.typed).collect()
    };
    let pages = pages();
    let mut others = 0;
    for (name, page) in pages.iter().filter(|(name, _)| name.ends_with(".zh.md")) {
        let english = name.replace(".zh.md", ".md");
        let (_, of) = pages.iter().find(|(name, _)| *name == english).unwrap();
        assert_eq!(typed(page), typed(of), "{name} and {english}");
        others += 1;
    }
    assert!(others > 0, "there is no page in another language: this test looks in the wrong place");
}
