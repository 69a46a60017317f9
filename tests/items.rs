//! Items through every door: declared, merged, revised by their id alone, reviewed, in conflict, put back.

use crate::support::User;
use std::fs;

/// A home with a knowledge base of items at `facts.md`.
fn with_facts(user: &User, policy: &str) -> std::path::PathBuf {
    let path = user.root().join("facts.md");
    user.configure(&format!(
        "version: 1\nknowledge_bases:\n  facts: {{ path: {}, policy: {policy} }}\nsession_bootstrap: []\n",
        path.display()
    ));
    path
}

fn declared(user: &User, entries: &str) {
    let text = format!("version: \"1.0.0\"\nentries:\n{entries}");
    user.run_with(["enqueue", "-"], text.as_bytes()).ok();
}

fn work(user: &User) {
    user.run(["work"]).ok();
}

/// The id behind the one line that says this.
fn id_of(text: &str, says: &str) -> String {
    let mut lines = text.lines().filter(|line| line.contains(says));
    let line = lines.next().unwrap_or_else(|| panic!("nothing says {says}:\n{text}"));
    assert_eq!(lines.next(), None, "{says} twice:\n{text}");
    line.rsplit_once(" ^").unwrap_or_else(|| panic!("no id: {line}")).1.to_owned()
}

#[test]
fn an_item_is_added_revised_superseded_retired_and_restored() {
    let user = User::new();
    let path = with_facts(&user, "auto");
    let read = || fs::read_to_string(&path).unwrap();
    fs::write(&path, "# Facts\n\n## By hand\n\n- water the plants\n").unwrap();
    declared(
        &user,
        "  - { key: { kb: facts }, operation: add, content: '[O] Prefers tabs #editor', meta: { confidence: 0.9 } }\n\
         \x20 - { key: { kb: facts }, operation: add, content: '[W] Deploys on Fridays' }\n\
         \x20 - { key: { kb: facts, heading: By hand }, operation: add, content: Water the plants. }\n",
    );
    work(&user);
    let text = read();
    assert!(text.starts_with("# Facts\n\n## By hand\n\n- water the plants\n\n## 20"), "{text}");
    assert!(text.contains(" c=0.9 by=user --> ^"), "{text}");
    let (tabs, fridays) = (id_of(&text, "tabs"), id_of(&text, "Fridays"));

    // By the id alone, by flags, and with what its author saw.
    declared(
        &user,
        &format!(
            "  - {{ key: {{ item: {tabs} }}, operation: revise, content: Prefers spaces, old_text: Prefers tabs }}\n"
        ),
    );
    user.run(["enqueue", "--item", &fridays, "--op", "supersede", "--content", "Deploys on Mondays"]).ok();
    work(&user);
    let text = read();
    assert!(text.contains("- [O] Prefers spaces <!--") && !text.contains("tabs"), "{text}");
    assert_eq!(id_of(&text, "spaces"), tabs);
    let mondays = id_of(&text, "Mondays");
    assert!(
        text.contains("- ~~[W] Deploys on Fridays~~ <!--") && text.contains(&format!("sup=^{mondays}")),
        "{text}"
    );

    let before = read();
    user.run(["enqueue", "--item", &tabs, "--op", "retire"]).ok();
    work(&user);
    assert!(read().contains("- ~~[O] Prefers spaces~~ <!--"), "{}", read());
    user.run(["enqueue", "--item", &tabs, "--op", "restore"]).ok();
    work(&user);
    assert_eq!(read(), before);

    let log = user.json(["history", "facts", "--json"]).to_string();
    assert!(log.contains("supersede") || log.contains("revise"), "{log}");
    user.assert_clean();
}

#[test]
fn what_was_seen_and_is_not_there_any_more_is_a_conflict() {
    let user = User::new();
    let path = with_facts(&user, "auto");
    fs::write(&path, "- tea ^k7m2q9xa\n- milk ^aaaaaaaa\n").unwrap();
    declared(&user, "  - { key: { item: k7m2q9xa }, operation: revise, content: coffee, old_text: water }\n");
    work(&user);
    assert_eq!(fs::read_to_string(&path).unwrap(), "- tea ^k7m2q9xa\n- milk ^aaaaaaaa\n");
    let id = user.json(["list", "failed", "--json"])[0]["id"].as_str().unwrap().to_owned();
    user.run(["resolve", &id, "--theirs"]).ok();
    work(&user);
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        text.starts_with("- coffee <!-- lw 20") && text.ends_with("^k7m2q9xa\n- milk ^aaaaaaaa\n"),
        "{text}"
    );
}

#[test]
fn a_proposal_is_for_the_item_as_it_was() {
    let user = User::new();
    let path = with_facts(&user, "review");
    fs::write(&path, "- tea ^k7m2q9xa\n").unwrap();
    user.run(["enqueue", "--item", "k7m2q9xa", "--op", "revise", "--content", "coffee"]).ok();
    work(&user);
    let id = user.json(["list", "review", "--json"])[0]["id"].as_str().unwrap().to_owned();
    let shown = user.run(["show", &id]).ok();
    assert!(shown.contains("-- tea") || shown.contains("-- tea ^k7m2q9xa"), "{shown}");
    fs::write(&path, "- green tea ^k7m2q9xa\n").unwrap();
    user.run(["review", &id, "--approve"]);
    work(&user);
    assert_eq!(fs::read_to_string(&path).unwrap(), "- green tea ^k7m2q9xa\n", "it was not for this");
}

#[test]
fn what_is_no_item_is_refused_before_it_is_queued() {
    let user = User::new();
    with_facts(&user, "auto");
    for (entry, saying) in [
        ("{ key: { kb: facts }, operation: add }", "content_missing"),
        ("{ key: { kb: facts }, operation: retire }", "item_missing"),
        ("{ key: { item: k7m2q9xa }, operation: update, content: x }", "item_not_allowed"),
        ("{ key: { item: 'no id' }, operation: retire }", "bad_item"),
        ("{ key: { item: k7m2q9xa }, operation: retire, content: x }", "content_not_allowed"),
        ("{ key: { item: k7m2q9xa, heading: A }, operation: retire }", "heading_not_allowed"),
        ("{ key: { item: zzzzzzzz }, operation: retire }", "item_not_found"),
    ] {
        let text = format!("version: \"1.0.0\"\nentries:\n  - {entry}\n");
        user.run_with(["enqueue", "-"], text.as_bytes()).fails(3, saying);
    }
    assert_eq!(user.counts(), [0; 6]);
}

/// An item that waits has its id already, and can be spoken of.
#[test]
fn what_still_waits_is_found_by_its_id() {
    let user = User::new();
    let path = with_facts(&user, "auto");
    fs::write(&path, "").unwrap();
    declared(&user, "  - { key: { kb: facts, heading: A }, operation: add, content: tea }\n");
    let waiting = user.json(["apply", "--dry-run", "--json"]).to_string();
    let id: String = waiting.rsplit_once("--> ^").unwrap().1.chars().take(8).collect();
    user.run(["enqueue", "--item", &id, "--op", "retire"]).ok();
    work(&user);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("- ~~tea~~ <!-- lw 20") && text.contains(&format!("^{id}\n")), "{text}");
}
