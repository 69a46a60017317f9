//! Jobs in any order: a conflict is what a person wrote. Where nobody but jobs wrote, there is none; and what a person wrote stays.

use crate::support::User;
use proptest::prelude::*;
use proptest::sample::select;
use std::fs;
use std::path::PathBuf;

const START: &str = "# N\n\nbegin\n\n## A\n\na\n\n### Sub\n\nsub\n\n- Port: 1\n\n## B\n\nb\n\n| k | v |\n|---|---|\n| port | 1 |\n\n- q ^k7m2q9xa\n\n### Deep\n\ndeep\n";

/// One job: what it does, to which heading, with which text.
#[derive(Debug, Clone)]
struct Declared {
    heading: &'static str,
    operation: &'static str,
    content: Option<&'static str>,
    subtree: bool,
}

impl Declared {
    fn yaml(&self) -> String {
        let level = match self.heading {
            "N" => 1,
            "A" | "AA" | "B" | "C" | "New" => 2,
            _ => 3,
        };
        let key = match self.heading {
            "k7m2q9xa" => "{ kb: notes, item: k7m2q9xa }".to_owned(),
            heading => format!("{{ kb: notes, heading: {heading}, level: {level} }}"),
        };
        let content = self.content.map_or_else(String::new, |text| format!(", content: {text:?}"));
        let scope = if self.subtree { ", scope: subtree" } else { "" };
        format!(
            "version: \"1.0.0\"\nentries:\n  - {{ key: {key}, operation: {}{content}{scope} }}\n",
            self.operation
        )
    }
}

fn declared() -> impl Strategy<Value = Declared> {
    let heading = || select(vec!["N", "A", "AA", "B", "C", "New", "Sub", "Sub2", "Sub3", "Deep"]);
    let of = |operation: &'static str, contents: &'static [&'static str]| {
        (heading(), select(contents), any::<bool>()).prop_map(move |(heading, content, subtree)| Declared {
            heading,
            operation,
            content: Some(content),
            subtree: subtree && matches!(operation, "update"),
        })
    };
    let takes = |operation: &'static str| {
        (heading(), any::<bool>()).prop_map(move |(heading, subtree)| Declared {
            heading,
            operation,
            content: None,
            subtree,
        })
    };
    let upserts = |operation: &'static str, content: &'static [&'static str]| {
        (select(vec!["B", "Sub", "A"]), select(content)).prop_map(move |(heading, content)| Declared {
            heading,
            operation,
            content: Some(content),
            subtree: false,
        })
    };
    let of_item = (
        select(vec!["revise", "retire", "supersede", "restore"]),
        select(vec!["said anew", "said otherwise"]),
    );
    let of_item = of_item.prop_map(|(operation, text)| Declared {
        heading: "k7m2q9xa",
        operation,
        content: matches!(operation, "revise" | "supersede").then_some(text),
        subtree: false,
    });
    let below = prop_oneof![select(vec!["A", "AA", "B", "C", "New"]).prop_map(|heading| Declared {
        heading,
        operation: "update",
        content: Some("made\n\n### Sub3\n\nbelow"),
        subtree: true,
    })];
    prop_oneof![
        4 => of("rename", &["AA", "A", "C", "Sub2", "Sub3"]),
        3 => of("update", &["one", "other"]),
        2 => below,
        1 => of("append", &["- more", "- yet more"]),
        2 => takes("clear"),
        2 => takes("delete"),
        1 => of("move", &["first", "last"]),
        1 => of("insert_before", &["## New\n\nnew", "### Sub3\n\nnew"]),
        1 => of("insert_after", &["## New\n\nnew", "## AA\n\nnew", "### Sub3\n\nnew"]),
        1 => upserts("upsert_item", &["- Port: 2", "- Port: 3"]),
        1 => upserts("upsert_row", &["| port | 2 |", "| port | 3 |"]),
        1 => of_item,
    ]
}

/// What a person writes: these words, in the place of those.
fn edit() -> impl Strategy<Value = (&'static str, &'static str)> {
    select(vec![
        ("begin", "PERSON"),
        ("\na\n", "\na PERSON\n"),
        ("## A\n", "## A PERSON\n"),
        ("## A\n", "## AA\n\nPERSON\n\n## A\n"),
        ("## B\n", "## New\n\nPERSON\n\n## B\n"),
        ("### Sub\n", "### Sub3\n\nPERSON\n\n### Sub\n"),
        ("sub\n", "sub\n\nPERSON\n"),
        ("- Port: 1", "- Port: PERSON"),
        ("| port | 1 |", "| port | PERSON |"),
        ("- q ", "- q PERSON "),
        ("deep\n", "deep\n\n### Sub2\n\nPERSON\n"),
        ("deep\n", "deep PERSON\n"),
    ])
}

struct Written {
    user: User,
    notes: PathBuf,
}

impl Written {
    fn new() -> Written {
        let user = User::new();
        let notes = user.with_notes();
        fs::write(&notes, START).unwrap();
        Written { user, notes }
    }

    /// Whether it was taken: what can never be done is refused at once.
    fn declare(&self, job: &Declared) {
        self.user.run_with(["enqueue", "-"], job.yaml().as_bytes());
    }

    fn work(&self) {
        self.user.run(["work"]).ok();
    }

    fn text(&self) -> String {
        fs::read_to_string(&self.notes).unwrap()
    }

    fn conflicts(&self) -> String {
        let failed = self.user.json(["list", "failed"]);
        let jobs = failed.as_array().unwrap().iter().filter(|job| job.to_string().contains("\"conflict\""));
        jobs.map(|job| format!("{job}\n")).collect()
    }
}

/// `PROPTEST_CASES` asks for more.
fn config(cases: u32) -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(cases);
    ProptestConfig { failure_persistence: None, max_shrink_iters: 60, ..ProptestConfig::with_cases(cases) }
}

proptest! {
    #![proptest_config(config(120))]

    #[test]
    fn where_nobody_else_wrote_there_is_no_conflict(
        jobs in prop::collection::vec((declared(), prop::bool::weighted(0.2)), 2..5),
    ) {
        let on = Written::new();
        for (job, is_merged_at_once) in &jobs {
            on.declare(job);
            if *is_merged_at_once {
                on.work();
            }
        }
        on.work();
        prop_assert_eq!(on.conflicts(), "", "{}", on.text());
    }

    #[test]
    fn what_a_person_wrote_meanwhile_stays(
        jobs in prop::collection::vec(declared(), 1..5), edit in edit(),
    ) {
        let on = Written::new();
        jobs.iter().for_each(|job| on.declare(job));
        fs::write(&on.notes, START.replacen(edit.0, edit.1, 1)).unwrap();
        on.work();
        prop_assert!(on.text().contains("PERSON"), "{}", on.text());
    }

    /// What they wrote before some of the jobs were declared is taken out by none that would not take it out if it were declared when
    /// all before it was merged.
    #[test]
    fn what_a_person_wrote_in_between_stays_for_the_jobs_before_it(
        jobs in prop::collection::vec(declared(), 2..5), edit in edit(), at in any::<prop::sample::Index>(),
    ) {
        let (before, behind) = jobs.split_at(at.index(jobs.len()));
        let all = |one_by_one: bool| {
            let on = Written::new();
            before.iter().for_each(|job| on.declare(job));
            fs::write(&on.notes, START.replacen(edit.0, edit.1, 1)).unwrap();
            for job in behind {
                if one_by_one {
                    on.work();
                }
                on.declare(job);
            }
            on.work();
            on.text()
        };
        let together = all(false);
        prop_assert!(together.contains("PERSON") || !all(true).contains("PERSON"), "{}", together);
    }
}

fn job(heading: &'static str, operation: &'static str, content: Option<&'static str>) -> Declared {
    Declared { heading, operation, content, subtree: false }
}

fn below(heading: &'static str, operation: &'static str, content: Option<&'static str>) -> Declared {
    Declared { subtree: true, ..job(heading, operation, content) }
}

/// Each of these was a conflict once.
#[test]
fn what_jobs_before_it_renamed_or_made_is_no_conflict() {
    let made = Some("made\n\n### Sub3\n\nbelow");
    for jobs in [
        vec![job("A", "rename", Some("AA")), job("AA", "update", Some("new"))],
        vec![job("A", "rename", Some("AA")), below("N", "update", Some("new"))],
        vec![job("Sub", "rename", Some("Sub2")), below("A", "clear", None)],
        vec![job("A", "rename", Some("AA")), below("AA", "delete", None)],
        vec![below("A", "update", made), job("Sub3", "update", Some("new"))],
        vec![below("A", "delete", None), below("A", "update", made), job("A", "clear", None)],
        vec![job("A", "rename", Some("AA")), job("AA", "rename", Some("C")), job("C", "update", Some("new"))],
    ] {
        let on = Written::new();
        jobs.iter().for_each(|job| on.declare(job));
        on.work();
        assert_eq!(on.user.counts()[3], 0, "{jobs:?}: {:?}", on.user.json(["list", "failed"]));
        // Where a person wrote beside it, their words stay.
        let on = Written::new();
        jobs.iter().for_each(|job| on.declare(job));
        fs::write(&on.notes, START.replacen("\na\n", "\na PERSON\n", 1).replacen("sub\n", "sub PERSON\n", 1))
            .unwrap();
        on.work();
        assert!(on.text().matches("PERSON").count() == 2, "{jobs:?}: {}", on.text());
    }
}

/// Nor is it where the jobs before it were merged by a run of their own.
#[test]
fn nor_what_they_did_in_a_run_before() {
    for (operation, ends) in [("update", 0), ("append", 1)] {
        let on = Written::new();
        on.declare(&job("A", "rename", Some("AA")));
        let words = ["--to", "notes", "--heading", "AA", "--op", "update", "--content", "new"];
        on.user.run(["plan", "--agent", "codex", "--session", "s1"].into_iter().chain(words)).ok();
        on.work();
        // What was declared later is not to be taken out.
        if operation == "append" {
            on.declare(&job("AA", "append", Some("- later")));
            on.work();
        }
        on.user.run(["flush", "--agent", "codex", "--session", "s1"]).ok();
        on.work();
        assert_eq!(on.user.counts()[3], ends, "{operation}: {}", on.text());
        assert_eq!(on.text().contains("- later"), ends == 1, "{}", on.text());
    }
}
