//! Operations on items: every case of `fixtures/items/operations.json`, and the laws over generated lists.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on stops"
)]

mod support;

use markdown_merge::item::derived_id;
use markdown_merge::{Change, Edit, Headings, ITEM, Merger, Operation, Refusal, Rules, Stamp};
use proptest::prelude::*;
use serde::Deserialize;
use std::path::Path;
use support::{comrak_headings, read_alike};

const AT: &str = "2026-03-01T14:30+08:00";

/// `fixtures/items/README.md` says what each field means.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Case {
    name: String,
    why: String,
    doc: String,
    entries: Vec<Step>,
    machine_block: bool,
    deny: Vec<String>,
    expect: Option<String>,
    error: Option<String>,
    lines: Option<Vec<usize>>,
    ids: Option<Vec<String>>,
    was: Option<String>,
    same_as: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    op: Operation,
    item: Option<String>,
    item_of: Option<String>,
    heading: Option<String>,
    content: Option<String>,
    old_text: Option<String>,
    base_of: Option<String>,
}

impl Step {
    fn id(&self) -> Option<String> {
        self.item.clone().or_else(|| self.item_of.as_deref().map(derived_id))
    }

    fn edit(&self, n: usize) -> Edit<'static> {
        let (heading, level) = match (self.id(), &self.heading) {
            (Some(id), _) => (vec![ITEM.to_owned(), id], 0),
            (None, Some(heading)) => (vec![heading.clone()], 2),
            (None, None) => (Vec::new(), 2),
        };
        Edit {
            content: self.content.clone().map(Into::into),
            old_text: self.old_text.clone().map(Into::into),
            base: self.base_of.as_deref().map(|text| markdown_merge::hash(text).into()),
            stamp: Some(stamp(n)),
            ..Edit::new(heading, level, self.op)
        }
    }
}

fn stamp(n: usize) -> Stamp<'static> {
    let fields = vec![("by", "user".to_owned())];
    Stamp { id: format!("newitem{n}").into(), at: AT.into(), fields, occurs: false }
}

fn check(case: &Case) -> Result<(), String> {
    let edits: Vec<Edit<'_>> = case.entries.iter().enumerate().map(|(n, step)| step.edit(n)).collect();
    let headings = Headings { deny: case.deny.clone(), ..Headings::default() };
    let rules = Rules { machine_block: case.machine_block, headings, ..Rules::default() };
    let mut merger = Merger::open(case.doc.as_bytes()).map_err(|r| r.message)?;
    let changes = match (merger.apply(&edits, &rules, &|_| None), &case.error) {
        (Err(refusal), Some(code)) if refusal.code.as_str() == code => {
            return refused(case, &refusal, &merger);
        }
        (Err(refusal), _) => return Err(format!("refused: {} {}", refusal.code, refusal.message)),
        (Ok(_), Some(code)) => return Err(format!("expected {code}, got {:?}", merger.text())),
        (Ok(changes), None) => changes,
    };
    let id = case.entries.iter().find_map(|step| step.item_of.as_deref().map(derived_id));
    let expect = case.expect.clone().ok_or("a case needs `expect` or `error`")?;
    let expect = expect.replace("{id}", &id.unwrap_or_default());
    if merger.text() != expect {
        return Err(format!("expected {expect:?}\n     got {:?}", merger.text()));
    }
    merger.verify().map_err(|r| r.message)?;
    told(case, &changes)?;
    let again = merger.apply(&edits, &rules, &|_| None);
    let changed = again.iter().flatten().any(|change| change.kind != markdown_merge::ChangeKind::Unchanged);
    if merger.text() == expect && !changed {
        Ok(())
    } else {
        Err(format!("a second run made {:?}", merger.text()))
    }
}

fn told(case: &Case, changes: &[Change]) -> Result<(), String> {
    let items: Vec<_> =
        changes.iter().map(|change| change.item.as_deref().expect("an item is told of")).collect();
    let ids: Vec<String> = items.iter().map(|item| item.id.clone()).collect();
    let same = items.iter().any(|item| item.same_as);
    let was = items.iter().find_map(|item| item.was.clone());
    let fits = case.ids.as_ref().is_none_or(|wanted| *wanted == ids)
        && same == case.same_as
        && case.was.as_ref().is_none_or(|wanted| Some(wanted) == was.as_ref());
    if fits { Ok(()) } else { Err(format!("it tells of {items:?}")) }
}

fn refused(case: &Case, refusal: &Refusal, merger: &Merger) -> Result<(), String> {
    let lines = case.lines.as_ref().is_none_or(|lines| *lines == refusal.lines);
    let well_put =
        !refusal.message.ends_with('.') && refusal.hint.as_ref().is_some_and(|hint| !hint.ends_with('.'));
    let whole = merger.text() == case.doc;
    if lines && well_put && whole { Ok(()) } else { Err(format!("the refusal is {refusal:?}")) }
}

#[test]
fn every_case() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/items/operations.json");
    let cases: Vec<Case> = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let failed: Vec<String> = cases
        .iter()
        .filter_map(|case| check(case).err().map(|why| format!("{} ({})\n     {why}", case.name, case.why)))
        .collect();
    println!("{} cases of fixtures/items/operations.json, {} failed", cases.len(), failed.len());
    assert!(failed.is_empty(), "{} of {} cases failed\n{}", failed.len(), cases.len(), failed.join("\n"));
}

/// Lines of documents with items, as people and programs leave them.
const LINES: &[&str] = &[
    "- [O] Prefers tabs #editor <!-- lw 14:30+08:00 c=0.9 --> ^k7m2q9xa\n",
    "- [W] 每月三号发薪 ^pay00001\n",
    "- water the plants\n",
    "- [ ] a task ^task0001\n",
    "- [x] done\n",
    "* a star ^star0001\n",
    "+ plus\n",
    "1. first ^one00001\n",
    "2) second\n",
    "- ~~gone~~ <!-- lw del=2026-01-01 --> ^gone0001\n",
    "- ~~struck by hand~~\n",
    "- uses ~~ed~~ vi ^ed000001\n",
    "- broken <!-- lw 14:30 ^brok0001\n",
    "- <!-- lw -->\n",
    "- empty comment <!-- lw --> ^void0001\n",
    "- two blanks   <!--lw  x=1-->   ^two00001   \n",
    "- [a link](x) and `code <!-- x` #t ^link0001\n",
    "- [ref] use ^ref00001\n",
    "  - nested ^nest0001\n",
    "  lazy\n",
    "lazy line\n",
    "\n",
    "\n",
    "## 2026-03-01\n",
    "## Other\n",
    "# Title\n",
    "A paragraph.\n",
    "[ref]: http://x\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "> - quoted ^quot0001\n",
    "```\n- code ^code0001\n```\n",
    "    indented\n",
    "<!-- BEGIN TOC -->\n- toc ^toc00001\n<!-- END TOC -->\n",
    "---\n",
    "שלום - \u{202b}עברית\n",
    "- crlf ^crlf0001\r\n",
    "no line end",
];

const CONTENTS: &[&str] = &[
    "Prefers spaces",
    "[W] 喝茶 #tea",
    "[ ] do it",
    "- with a bullet\n  - and more",
    "tea\nmore tea",
    "tea\n- green\n- black",
    "water the plants",
    "# heading",
    "tea <!-- open",
    "`tick",
    "ends with a stroke ~",
    "~~x~~ y",
    "[ref]",
    "a | b\n--|--",
    "x\n```\ncode\n```",
    "1. numbered",
    "*emphasis",
    "<b>html",
    "<div>",
    "text ^id",
    "tab\tin it",
    "---",
    "\\",
    "a\\",
    "$$",
    "![",
];

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(LINES), 0..14).prop_map(|lines| lines.concat())
}

fn applied(merger: &mut Merger, edit: &Edit<'_>) -> Result<Vec<Change>, Refusal> {
    merger.apply(std::slice::from_ref(edit), &Rules::default(), &|_| None)
}

fn of_item(id: &str, operation: Operation, content: Option<&str>) -> Edit<'static> {
    Edit {
        content: content.map(|text| text.to_owned().into()),
        stamp: Some(stamp(0)),
        ..Edit::new(vec![ITEM.to_owned(), id.to_owned()], 0, operation)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) })]

    /// Only the item changes; a second run changes nothing; the index is right; another parser sees the same headings.
    #[test]
    fn an_operation_is_about_its_item_alone(text in text(), at in any::<prop::sample::Index>(), content in prop::sample::select(CONTENTS), which in 0..7_usize) {
        let Ok(mut merger) = Merger::open(text.as_bytes()) else { return Ok(()) };
        let items: Vec<_> = merger.items().into_iter().map(|found| (found.item.known_as(), found.bytes)).collect();
        if items.is_empty() { return Ok(()) }
        let (id, bytes) = at.get(&items).clone();
        let operation = [Operation::Revise, Operation::Supersede, Operation::Retire, Operation::Restore, Operation::Check, Operation::Uncheck, Operation::Purge][which];
        let edit = of_item(&id, operation, Some(content).filter(|_| operation.writes_item()));
        let result = applied(&mut merger, &edit);
        prop_assert!(merger.verify().is_ok());
        let once = merger.text().to_owned();
        if result.is_err() {
            prop_assert_eq!(&once, &text);
            return Ok(());
        }
        prop_assert!(once.starts_with(&text[..bytes.start]), "{:?}", once);
        prop_assert!(once.ends_with(&text[bytes.end..]), "{:?}", once);
        if operation == Operation::Purge {
            let left = once[bytes.start..once.len() - (text.len() - bytes.end)].trim_end();
            // A list stays a loose one by a paragraph that says no more.
            let left = left.strip_suffix("(purged)").map_or(left, str::trim_end);
            prop_assert!(left.trim_start().len() <= "1000. ~~(purged)~~ <!-- lw del=2026-03-01 by=user --> ^k7m2q9xa\n".len(), "{:?}", left);
        }
        let again = applied(&mut merger, &edit);
        prop_assert_eq!(merger.text(), &once, "again: {:?}", again);
        if read_alike(&text) {
            prop_assert_eq!(comrak_headings(&text), comrak_headings(&once), "{:?}", once);
        }
        let ids: Vec<String> = merger.items().iter().map(|found| found.item.known_as()).collect();
        let told = result.unwrap()[0].item.clone().unwrap().id;
        prop_assert_eq!(ids.iter().filter(|id| **id == told).count(), 1, "{:?} {:?}", told, once);
    }

    #[test]
    fn retired_and_restored_is_as_before(text in text(), at in any::<prop::sample::Index>()) {
        let Ok(mut merger) = Merger::open(text.as_bytes()) else { return Ok(()) };
        let live: Vec<String> = merger.items().iter().filter(|found| found.item.is_live()).map(|found| found.item.known_as()).collect();
        if live.is_empty() { return Ok(()) }
        let id = at.get(&live).clone();
        if applied(&mut merger, &of_item(&id, Operation::Retire, None)).is_err() { return Ok(()) }
        prop_assert!(merger.items().iter().any(|found| found.item.known_as() == id && !found.item.is_live()));
        let back = applied(&mut merger, &of_item(&id, Operation::Restore, None));
        prop_assert!(back.is_ok(), "{:?} {:?}", back, merger.text());
        prop_assert_eq!(merger.text(), &text);
    }

    #[test]
    fn an_item_more_is_found_again(text in text(), content in prop::sample::select(CONTENTS), heading in prop::sample::select(&["", "Other", "New"][..])) {
        let Ok(mut merger) = Merger::open(text.as_bytes()) else { return Ok(()) };
        let before: Vec<String> = merger.items().iter().map(|found| found.item.to_string()).collect();
        let heading: Vec<String> = Some(heading.to_owned()).filter(|heading| !heading.is_empty()).into_iter().collect();
        let add = Edit { content: Some(content.into()), stamp: Some(stamp(0)), ..Edit::new(heading, 2, Operation::Add) };
        let result = applied(&mut merger, &add);
        prop_assert!(merger.verify().is_ok());
        let once = merger.text().to_owned();
        let Ok(changes) = result else {
            prop_assert_eq!(&once, &text);
            return Ok(());
        };
        let told = changes[0].item.clone().unwrap();
        let after: Vec<_> = merger.items().iter().map(|found| (found.item.known_as(), found.item.to_string())).collect();
        prop_assert!(after.iter().any(|(id, _)| *id == told.id), "{:?} {:?}", told, once);
        let others: Vec<&String> = after.iter().filter(|(id, _)| id != "newitem0").map(|(_, text)| text).collect();
        prop_assert_eq!(others, before.iter().collect::<Vec<_>>(), "{:?}", once);
        if read_alike(&text) {
            let new = comrak_headings(&once).len() - comrak_headings(&text).len();
            prop_assert!(new <= 1, "{:?}", once);
        }
        applied(&mut merger, &add).unwrap();
        prop_assert_eq!(merger.text(), &once);
    }
}
