//! What a screen asks piece by piece is what a whole look says: items a page at a time, the newest events, the last day.

use engine::output::Timeline;
use engine::{
    Caller, Declared, EntryFields, Event, Home, Host, ItemFilter, ItemPlace, JournalEntry, JournalFollower,
    LogFilter, LogPosition,
};
use std::fs;

const CONFIG: &str = "version: 1\nknowledge_bases:\n  facts: { path: '~/facts/{month}.md' }\n  notes: { path: ~/NOTES.md }\nsession_bootstrap: []\n";

fn home() -> (tempfile::TempDir, Home) {
    let user = tempfile::tempdir().unwrap();
    let home = Home::create(user.path().join("last-word"), user.path(), Host::system(), CONFIG).unwrap();
    (user, home)
}

fn declare(user: &tempfile::TempDir, home: &Home, heading: &str, content: &str) {
    let fields = EntryFields {
        to: "notes".to_owned(),
        heading: vec![heading.to_owned()],
        op: Some("append".to_owned()),
        content: Some(content.to_owned()),
        ..EntryFields::default()
    };
    let declared = Declared::new().declaration("the entry", fields.declaration().unwrap());
    home.enqueue(&Caller::program(user.path()), declared).unwrap();
}

/// Merges all that waits. A process that another test starts has our locks until it is the program it runs: meanwhile somebody is at work.
fn work(user: &tempfile::TempDir, home: &Home) {
    let waits = || timeline(user, home, &mut JournalFollower::default()).steps.last().unwrap().queued;
    loop {
        home.worker(Caller::program(user.path()), "ada").work().unwrap();
        if waits() == 0 {
            break;
        }
    }
}

/// The last day, as somebody sees it who has followed it so far.
fn timeline(user: &tempfile::TempDir, home: &Home, followed: &mut JournalFollower) -> Timeline {
    home.timeline(&home.status(user.path()).unwrap(), followed).unwrap()
}

#[test]
fn pages_of_items_are_all_of_them_once_and_in_order() {
    let (user, home) = home();
    fs::create_dir(user.path().join("facts")).unwrap();
    for month in ["2026-01", "2026-02", "2026-03"] {
        let items: String = (0..7).map(|n| format!("- [W] fact {n} of {month} #tag{}\n", n % 2)).collect();
        fs::write(
            user.path().join(format!("facts/{month}.md")),
            format!("# Facts\n\n## {month}-03\n\n{items}"),
        )
        .unwrap();
    }
    for filter in [
        ItemFilter::default(),
        ItemFilter { entities: vec!["tag1".to_owned()], ..ItemFilter::default() },
        ItemFilter { documents: vec!["facts:2026-02".to_owned()], ..ItemFilter::default() },
        ItemFilter { entities: vec!["none".to_owned()], ..ItemFilter::default() },
    ] {
        let whole = home.items(&filter, user.path()).unwrap();
        for limit in [1, 2, 3, 7, 50] {
            let (mut found, mut after) = (Vec::new(), None);
            loop {
                let (page, next) = home.items_page(&filter, after.as_ref(), limit, user.path()).unwrap();
                assert!(page.len() <= limit);
                found.extend(page);
                let Some(next) = next else { break };
                after = ItemPlace::read(&next.to_string());
                assert!(after.is_some(), "{next}");
            }
            assert_eq!(found, whole, "{limit} at a time");
        }
    }
}

#[test]
fn the_newest_events_are_the_end_of_the_log_backwards() {
    let (user, home) = home();
    // More than is read at once.
    for n in 0..600 {
        declare(&user, &home, &format!("Heading {n} {}", "x".repeat(300)), "- a line");
    }
    work(&user, &home);
    let filters = [
        LogFilter::default(),
        LogFilter { events: vec![Event::RunEnded], ..LogFilter::default() },
        LogFilter { document: Some("NOTES".to_owned()), ..LogFilter::default() },
    ];
    let lines = journal(&home);
    for filter in filters {
        let whole: Vec<_> = lines.iter().filter(|event| filter.wants(event)).cloned().collect();
        assert_eq!(home.log(&filter, usize::MAX).unwrap().events, whole);
        for limit in [1, 10, 599, 10_000] {
            let mut found = home.newest_events(&filter, limit).unwrap();
            found.reverse();
            assert_eq!(found, whole[whole.len().saturating_sub(limit)..], "{limit}");
        }
    }
    let id = lines.iter().find_map(|event| event.id);
    let of_job = LogFilter { id, ..LogFilter::default() };
    let mut found = home.newest_events(&of_job, 10).unwrap();
    found.reverse();
    assert!(!found.is_empty());
    assert_eq!(found, lines.iter().filter(|event| event.id == id).cloned().collect::<Vec<_>>());
}

/// What the journal says, read by nothing of ours.
fn journal(home: &Home) -> Vec<JournalEntry> {
    let days = fs::read_dir(home.layout().home().join("journal")).unwrap();
    let mut days: Vec<_> = days.map(|day| day.unwrap().path()).collect();
    days.sort();
    let texts = days.iter().map(|day| String::from_utf8_lossy(&fs::read(day).unwrap()).into_owned());
    let lines: Vec<String> =
        texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

#[test]
fn who_follows_the_log_is_told_each_event_once() {
    let (user, home) = home();
    let all = LogFilter::default();
    declare(&user, &home, "H", "- before");
    work(&user, &home);
    // A line that is not yet whole, and bytes that are no text: neither hides another line.
    let day = fs::read_dir(home.layout().home().join("journal")).unwrap().next().unwrap().unwrap().path();
    let append = |bytes: &[u8]| {
        let mut file = fs::File::options().append(true).open(&day).unwrap();
        std::io::Write::write_all(&mut file, bytes).unwrap();
    };
    append(b"\xff\xfe\n");
    let first = journal(&home);
    let last = serde_json::to_string(first.last().unwrap()).unwrap();
    let (begin, rest) = last.split_at(20);
    append(begin.as_bytes());
    let logged = home.log(&all, 1).unwrap();
    assert_eq!(logged.events, first[first.len() - 1..]);
    let mut position = LogPosition::after(&logged, home.now());
    assert!(home.log_since(&all, &mut position).unwrap().is_empty());
    append(format!("{rest}\n").as_bytes());
    assert_eq!(home.log_since(&all, &mut position).unwrap(), first[first.len() - 1..]);
    declare(&user, &home, "H", "- after");
    work(&user, &home);
    let new = home.log_since(&all, &mut position).unwrap();
    assert_eq!(new, journal(&home)[first.len() + 1..]);
    assert!(home.log_since(&all, &mut position).unwrap().is_empty());
}

#[test]
fn a_day_that_is_followed_says_the_same_as_one_that_is_read_anew() {
    let (user, home) = home();
    let mut followed = JournalFollower::default();
    for round in 1..=3 {
        declare(&user, &home, "H", &format!("- line {round}"));
        work(&user, &home);
        declare(&user, &home, "H", &format!("- line {round}, later"));
        let followed = timeline(&user, &home, &mut followed);
        let anew = timeline(&user, &home, &mut JournalFollower::default());
        assert_eq!(followed, anew);
        let merged: usize = anew.steps.iter().map(|step| step.merged).sum();
        let waits = anew.steps.last().unwrap().queued;
        assert_eq!((merged, waits), (2 * round - 1, 1), "{round}");
    }
}
