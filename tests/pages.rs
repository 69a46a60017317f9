//! The pages: README.zh.md says what README.md says, every page is in the book, and no link between them leads nowhere.

use std::fs;
use std::path::{Path, PathBuf};

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn page(path: &str) -> String {
    fs::read_to_string(project(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The code of a page, line by line without its remarks; drawings, which have no language, are left out.
fn code(page: &str) -> Vec<String> {
    let blocks = page.split("```").skip(1).step_by(2).filter(|block| !block.starts_with('\n'));
    let lines =
        blocks.flat_map(|block| block.lines().map(|line| line.split(" # ").next().unwrap().trim_end()));
    lines.map(str::to_owned).collect()
}

fn headings(page: &str) -> usize {
    let outside: String = page.split("```").step_by(2).collect();
    outside.lines().filter(|line| line.starts_with("## ")).count()
}

#[test]
fn the_chinese_readme_keeps_step() {
    let (english, chinese) = (page("README.md"), page("README.zh.md"));
    assert!(chinese.lines().count() <= 150, "README.zh.md has {} lines", chinese.lines().count());
    assert_eq!(code(&chinese), code(&english), "README.zh.md shows other commands than README.md");
    assert_eq!(headings(&chinese), headings(&english), "README.zh.md has other parts than README.md");
}

#[test]
fn every_page_is_in_the_book() {
    let contents = page("docs/SUMMARY.md");
    let names =
        fs::read_dir(project("docs")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let pages = names.filter(|name| {
        Path::new(name).extension().is_some_and(|ending| ending == "md") && name != "SUMMARY.md"
    });
    let missing: Vec<String> = pages.filter(|name| !contents.contains(&format!("({name})"))).collect();
    assert!(missing.is_empty(), "docs/SUMMARY.md does not have {missing:?}");
}

#[test]
fn every_exit_code_is_on_the_page_for_scripts() {
    let help = page("fixtures/help/last-word.txt");
    let (_, exits) = help.split_once("Exit codes: ").unwrap();
    let table = page("docs/COOKBOOK.md");
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| ")).collect();
    for exit in exits.trim_end().trim_end_matches('.').split(", ") {
        let (code, is) = exit.split_once(' ').unwrap();
        let is = is.split(" (").next().unwrap();
        assert!(rows.iter().any(|row| row.starts_with(&format!("| {code} | {is} |"))), "{exit}");
    }
}

/// The targets of a page's links that are files, without what comes after `#`.
fn links(text: &str) -> Vec<String> {
    let outside: String = text.split("```").step_by(2).collect();
    let without_code: String = outside.split('`').step_by(2).collect();
    let targets = without_code.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    let files =
        targets.filter(|target| !target.is_empty() && !target.contains("://") && !target.contains(' '));
    files.map(str::to_owned).collect()
}

#[test]
fn no_link_leads_nowhere() {
    let mut pages: Vec<PathBuf> =
        fs::read_dir(project("docs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.extend(fs::read_dir(project("")).unwrap().map(|entry| entry.unwrap().path()));
    pages.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    let mut nowhere = Vec::new();
    for path in pages {
        for link in links(&fs::read_to_string(&path).unwrap()) {
            if !path.parent().unwrap().join(&link).exists() {
                nowhere.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(nowhere.is_empty(), "links that lead nowhere:\n  {}", nowhere.join("\n  "));
}

/// What is done otherwise on one system is on the page that says what was reviewed.
#[test]
fn what_differs_on_a_mac_is_listed() {
    let listed = page("docs/MACOS.md");
    let mut left = vec![project("")];
    let mut found = 0;
    while let Some(directory) = left.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if path.is_dir()
                && !["target", "tests", "fixtures"].contains(&name.as_str())
                && !name.starts_with('.')
            {
                left.push(path);
            } else if name.ends_with(".rs") && fs::read_to_string(&path).unwrap().contains("target_os") {
                let below = path.strip_prefix(project("")).unwrap().display().to_string();
                assert!(listed.contains(&below), "docs/MACOS.md does not tell of {below}");
                found += 1;
            }
        }
    }
    assert!(found > 0, "no file differs: this test looks in the wrong place");
}

/// What the pages say was run is what the runner installs, and what it recorded.
#[test]
fn the_agents_that_were_run_are_named_with_their_versions() {
    let (hooks, tools, pins) =
        (page("docs/HOOKS.md"), page("docs/AGENTS.md"), page("tests/agents/agents.py"));
    let seen: serde_json::Value = serde_json::from_str(&page("tests/agents/seen.json")).unwrap();
    for (agent, of) in seen.as_object().unwrap() {
        let version = of["version"].as_str().unwrap();
        assert!(pins.contains(&format!("@{version}\"")), "{agent} {version} is not what agents.py installs");
        let heading = hooks.lines().find(|line| line.starts_with("|  | ")).unwrap();
        assert!(
            heading.contains(&format!(" {version} ")),
            "{agent} {version} is not in the table of HOOKS.md"
        );
    }
    for entry in fs::read_dir(project("fixtures/mcp/clients")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let (_, version) = name.trim_end_matches(".jsonl").rsplit_once('-').unwrap();
        assert!(tools.contains(&format!("{version} | `")), "{name} is not in the table of AGENTS.md");
    }
    // What was seen of the tools, cell for cell.
    let of_tools: Vec<&serde_json::Value> = ["claude_code", "codex", "gemini_cli", "qwen_code"]
        .iter()
        .filter_map(|name| seen[name].get("tools"))
        .collect();
    let row = |cell: &str| {
        of_tools.iter().map(|of| format!("{} |", of[cell].as_str().unwrap_or("not seen"))).collect::<Vec<_>>()
    };
    for (cell, begins) in [
        ("remember", "| told "),
        ("document", "| after "),
        ("found", "| `recall` finds"),
        ("asked", "| where "),
    ] {
        let line =
            tools.lines().find(|line| line.starts_with(begins)).unwrap_or_else(|| panic!("no row of {cell}"));
        assert!(line.ends_with(&format!("| {}", row(cell).join(" "))), "{cell}: {line}");
    }
}
