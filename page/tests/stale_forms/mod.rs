//! Forms that somebody sends who looked before something changed: another tab, the Back button, an editor that saved meanwhile. A form
//! decides only about what it showed; where that is another text by now, nothing is done and the new one is shown.

use super::{PageAnswer, Served, assert_in_order, clash};
use engine::{Action, Actor, ApprovedWords, Caller, Decisions, EntryFields, HeldThing, State};

/// The hidden fields of the form on a screen that goes to this address, as a browser sends them, but for the token.
fn hidden(screen: &str, action: &str) -> String {
    let forms = screen.split("<form ").skip(1).filter_map(|form| form.split("</form>").next());
    let to = format!("{action}\"");
    let form = forms.into_iter().find(|form| form.split('>').next().is_some_and(|tag| tag.contains(&to)));
    let form = form.unwrap_or_else(|| panic!("no form goes to {action}: {screen}"));
    let fields = form.split("type=\"hidden\" name=\"").skip(1).map(|field| {
        let (name, rest) = field.split_once("\" value=\"").unwrap();
        (name, rest.split('"').next().unwrap())
    });
    fields.filter(|(name, _)| *name != "token").map(|(name, value)| format!("{name}={value}&")).collect()
}

/// A form of a screen that was shown some time ago.
fn post_shown(served: &Served, path: &str, screen: &str, more: &str) -> PageAnswer {
    // What has no stamp of its own must not get one here.
    let fields = hidden(screen, path);
    served.post_as_it_is(path, &format!("{fields}{more}"))
}

fn open(served: &Served) -> String {
    std::fs::read_to_string(served.user().join("OPEN.md")).unwrap()
}

/// A person saves the document with other words in it.
fn saves(served: &Served, was: &str, is: &str) {
    let text = open(served);
    assert!(text.contains(was), "{text}");
    std::fs::write(served.user().join("OPEN.md"), text.replace(was, is)).unwrap();
}

fn appends(served: &Served, content: &str) {
    let heading = vec!["Log".to_owned()];
    served.declares(
        "open",
        EntryFields { heading, content: Some(content.to_owned()), ..EntryFields::default() },
    );
    served.work();
}

fn count(served: &Served, state: State) -> usize {
    served.home.jobs_in(state).unwrap().len()
}

/// The person decides at a terminal.
fn decisions(served: &Served) -> Decisions {
    let who = Actor { name: "ada".to_owned(), channel: "terminal".to_owned(), reason: None };
    served.home.decisions(Caller::program(served.user()), who)
}

fn edits(served: &Served, id: &str, was: &str, is: &str) {
    let decisions = decisions(served);
    let listed = served.home.find(id).unwrap();
    let changed = decisions.with_texts_changed(&listed, &|text| text.replace(was, is)).unwrap().unwrap();
    assert!(matches!(changed.action, Action::Edit(_)));
    decisions.one(&listed, changed.action).unwrap();
}

/// An answer that did nothing: it says so, and shows what there is now.
fn assert_shown_anew(answer: &PageAnswer, now: &str) {
    assert_eq!(answer.status, 200, "{} {}", answer.head, answer.body);
    assert_in_order(&answer.body, &["role=\"status\"", "since you looked", now]);
}

#[test]
fn an_item_that_a_person_changed_since_is_not_written_over() {
    for action in ["revise", "retire"] {
        let served = Served::deciding().open();
        let (heading, content) = (vec!["Facts".to_owned()], Some("Port is 5433".to_owned()));
        let op = Some("add".to_owned());
        served.declares("open", EntryFields { heading, content, op, ..EntryFields::default() });
        served.work();
        let items = served.get("/items?kb=open").body;
        let at = items.split("/item?").nth(1).unwrap().split('"').next().unwrap().replace("&amp;", "&");
        let shown = served.get(&format!("/item?{at}")).body;
        saves(&served, "5433", "5433, and 5434 since Monday");
        let form = format!("text=Port+is+9999&action={action}");
        let stale = post_shown(&served, "/item", &shown, &form);
        assert_shown_anew(&stale, "5434 since Monday");
        assert_eq!(count(&served, State::Pending), 0, "{action}: nothing was queued");
        served.work();
        assert!(open(&served).contains("- Port is 5433, and 5434 since Monday"), "{}", open(&served));
        assert_eq!(post_shown(&served, "/item", &stale.body, &form).status, 303, "who has seen it may");
        served.work();
        assert!(!open(&served).contains("- Port is 5433, and 5434 since Monday"), "{}", open(&served));
    }
}

#[test]
fn what_was_saved_after_the_look_does_not_go_with_a_rollback() {
    let served = Served::deciding().open();
    ["- one", "- two", "- three"].into_iter().for_each(|line| appends(&served, line));
    let shown = served.get("/rollback?of=open&to=1").body;
    saves(&served, "- two", "- two, says the person");
    let stale = post_shown(&served, "/rollback", &shown, "");
    assert_shown_anew(&stale, "- two, says the person");
    assert_eq!(count(&served, State::Pending), 0, "nothing was queued");
    served.work();
    assert!(open(&served).contains("says the person"), "{}", open(&served));
    assert_eq!(post_shown(&served, "/rollback", &stale.body, "").status, 303);
    served.work();
    assert!(!open(&served).contains("two"), "{}", open(&served));
}

#[test]
fn a_side_that_was_not_shown_is_not_written_over() {
    for (path, at) in [("/job/", true), ("/failed/conflict/theirs", false)] {
        let served = Served::deciding().open();
        let id = clash(&served);
        let path = if at { format!("{path}{id}") } else { path.to_owned() };
        let shown = served.get(&path).body;
        saves(&served, "ours", "ours, and what came later");
        assert_eq!(post_shown(&served, &path, &shown, "action=theirs").status, 303);
        served.work();
        assert_eq!(count(&served, State::Failed), 1, "it conflicts again: {}", open(&served));
        let stale = post_shown(&served, &path, &shown, "action=theirs");
        assert_eq!(stale.status, 200, "{}", stale.body);
        assert_eq!(count(&served, State::Failed), 1, "nothing was decided");
        served.work();
        assert!(open(&served).contains("ours, and what came later"), "{}", open(&served));
        if at {
            assert_shown_anew(&stale, "ours, and what came later");
        }
        assert_eq!(post_shown(&served, &path, &stale.body, "action=theirs").status, 303);
        served.work();
        assert!(open(&served).contains("theirs"), "{}", open(&served));
    }
}

/// A job that failed: its old text is nowhere.
fn fails(served: &Served) -> String {
    std::fs::write(served.user().join("OPEN.md"), "# Open\n\n## Log\n\nold\n").unwrap();
    let fields = EntryFields {
        heading: vec!["Log".to_owned()],
        old_text: Some("odl".to_owned()),
        content: Some("new".to_owned()),
        op: Some("replace".to_owned()),
        ..EntryFields::default()
    };
    let id = served.declares("open", fields);
    served.work();
    id
}

#[test]
fn words_that_somebody_put_into_a_job_since_are_not_discarded() {
    let served = Served::deciding().open();
    let id = fails(&served);
    let path = format!("/job/{id}");
    let shown = served.get(&path).body;
    edits(&served, &id, "new", "what a person wrote");
    let waits = post_shown(&served, &path, &shown, "action=discard");
    assert_eq!((waits.status, count(&served, State::Pending)), (303, 1), "{}", waits.body);
    assert!(served.get(&path).body.contains("decided already"));
    served.work();
    for action in ["discard", "retry", "edit&content0=words+over+words"] {
        let stale = post_shown(&served, &path, &shown, &format!("action={action}"));
        assert_shown_anew(&stale, "what a person wrote");
        assert_eq!(count(&served, State::Failed), 1, "{action}: nothing was decided");
    }
    let shown = served.get(&path).body;
    assert_eq!(post_shown(&served, &path, &shown, "action=discard").status, 303);
    assert_eq!(count(&served, State::Failed), 0);
}

#[test]
fn a_yes_that_was_given_is_not_taken_back_by_an_old_form() {
    let served = Served::deciding().open();
    let ids = ["- buy tea", "- buy milk"].map(|content| {
        let (heading, content) = (vec!["Plans".to_owned()], Some(content.to_owned()));
        served.declares("notes", EntryFields { heading, content, ..EntryFields::default() })
    });
    served.work();
    let path = format!("/review/{}", ids[0]);
    let shown = served.get(&path).body;
    let words = "action=edit&content0=-+buy+coffee";
    assert_eq!(post_shown(&served, &path, &shown, words).status, 303);
    for action in ["approve", "reject", "edit&content0=-+buy+nothing"] {
        let stale = post_shown(&served, &path, &shown, &format!("action={action}"));
        assert_eq!(stale.header("location").map(|to| to.ends_with(&format!("/job/{}", ids[0]))), Some(true));
        assert!(served.get(&format!("/job/{}", ids[0])).body.contains("decided already"), "{action}");
        assert_eq!((served.waiting(), count(&served, State::Pending)), (1, 1), "{action}: its yes stands");
    }
    // Nor by anybody else who decides about a job that waits for nobody.
    let approved = served.home.find(&ids[0]).unwrap();
    let as_proposed = Action::Approve(ApprovedWords::AsProposed);
    let refused = decisions(&served).one(&approved, as_proposed).unwrap_err();
    assert!(refused.failure.sentence().contains("is pending, not in staging"), "{refused:?}");
    served.work();
    let text = std::fs::read_to_string(served.user().join("NOTES.md")).unwrap();
    assert!(text.contains("coffee") && !text.contains("tea"), "{text}");
}

/// Of a proposal whose words somebody changed, what was shown is not what a no, or a third text, would be for.
#[test]
fn a_proposal_with_other_words_is_shown_anew() {
    let served = Served::deciding().open();
    let id = served.proposal("- buy tea");
    let path = format!("/review/{id}");
    let shown = served.get(&path).body;
    let dir = served.user().join("last-word/staging/review");
    let file = std::fs::read_dir(dir).unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("buy tea", "buy a house")).unwrap();
    for action in ["approve", "reject", "edit&content0=-+buy+coffee"] {
        let stale = post_shown(&served, &path, &shown, &format!("action={action}"));
        assert_shown_anew(&stale, "buy a house");
        assert_eq!(served.waiting(), 1, "{action}: nothing was decided");
    }
}

const NOTES: &str = "# Notes\n\n## Other\n\n- another line\n\n## Plans\n\n- a line\n";

/// A screen with a proposal for a document that a person wrote; and its address.
fn proposed(served: &Served) -> (String, String) {
    std::fs::write(served.user().join("NOTES.md"), NOTES).unwrap();
    let path = format!("/review/{}", served.proposal("- buy tea"));
    let shown = served.get(&path).body;
    assert!(shown.contains("a line"), "{shown}");
    (path, shown)
}

fn notes(served: &Served) -> String {
    std::fs::read_to_string(served.user().join("NOTES.md")).unwrap()
}

/// What a yes would change is as much of the screen as the words: an editor that saved makes the form an old one.
#[test]
fn a_proposal_for_a_section_that_was_changed_since_is_shown_anew() {
    for (was, is, now) in [
        ("- a line", "- a line, and more", "a line, and more"),
        ("## Plans", "## Ideas", "there is no such section yet"),
        ("## Plans\n\n- a line\n", "", "there is no such section yet"),
    ] {
        let served = Served::deciding().open();
        let (path, shown) = proposed(&served);
        std::fs::write(served.user().join("NOTES.md"), NOTES.replace(was, is)).unwrap();
        for action in ["approve", "reject", "edit&content0=-+buy+coffee"] {
            let stale = post_shown(&served, &path, &shown, &format!("action={action}"));
            assert_shown_anew(&stale, now);
            assert_eq!((served.waiting(), count(&served, State::Pending)), (1, 0), "{action} after {is}");
        }
        let seen = served.get(&path).body;
        assert_eq!(post_shown(&served, &path, &seen, "action=approve").status, 303, "who has seen it may");
        served.work();
        assert!(notes(&served).contains("- buy tea"), "{}", notes(&served));
    }
}

#[test]
fn a_change_elsewhere_in_the_document_asks_for_no_second_look() {
    for with in ["", "---\nupdated_at: 2026-01-01\nsource: s\n---\n\n"] {
        let served = Served::deciding().open();
        let config = super::CONFIG.replace("policy: review", "policy: review, frontmatter: true");
        std::fs::write(served.user().join("last-word/config.yaml"), config).unwrap();
        let (path, _) = proposed(&served);
        let text = format!("{with}{NOTES}");
        std::fs::write(served.user().join("NOTES.md"), &text).unwrap();
        let shown = served.get(&path).body;
        let elsewhere = text.replace("- another line", "- another line\n- and one\n- more");
        let elsewhere =
            elsewhere.replace("2026-01-01", "2026-01-02").replace("# Notes", "# Notes\n\nOn top.");
        std::fs::write(served.user().join("NOTES.md"), elsewhere).unwrap();
        assert_eq!(post_shown(&served, &path, &shown, "action=approve").status, 303);
        served.work();
        assert!(notes(&served).contains("- a line\n- buy tea"), "{}", notes(&served));
        assert!(notes(&served).contains("On top."), "{}", notes(&served));
    }
}

/// Who says yes to one after the other, while a worker writes each at once, has seen all that comes of it.
#[test]
fn what_a_person_approved_before_is_no_news_when_it_is_written() {
    let served = Served::deciding().open();
    std::fs::write(served.user().join("NOTES.md"), NOTES).unwrap();
    let ids = ["- buy tea", "- buy milk", "- buy jam"].map(|content| {
        let (heading, content) = (vec!["Plans".to_owned()], Some(content.to_owned()));
        served.declares("notes", EntryFields { heading, content, ..EntryFields::default() })
    });
    served.work();
    let mut shown = served.get(&format!("/review/{}", ids[0])).body;
    for (n, id) in ids.iter().enumerate() {
        let path = format!("/review/{id}");
        assert_eq!(post_shown(&served, &path, &shown, "action=approve").status, 303, "{n}");
        shown = ids.get(n + 1).map_or_else(String::new, |next| served.get(&format!("/review/{next}")).body);
        served.work();
    }
    assert!(notes(&served).contains("- a line\n- buy tea\n- buy milk\n- buy jam"), "{}", notes(&served));
}

/// A form that does not say what it showed decides nothing: a new one cannot be forgotten.
#[test]
fn a_form_without_a_stamp_decides_nothing() {
    let served = Served::deciding().open();
    let id = served.proposal("- buy tea");
    for action in ["approve", "reject", "edit&content0=-+buy+coffee"] {
        let form = format!("action={action}");
        assert_eq!(served.post_as_it_is(&format!("/review/{id}"), &form).status, 200, "{action}");
        assert_eq!(served.waiting(), 1, "{action}");
    }
    let id = clash(&served);
    for action in ["ours", "theirs", "discard", "retry", "edit&content0=x"] {
        let form = format!("action={action}");
        assert_eq!(served.post_as_it_is(&format!("/job/{id}"), &form).status, 200, "{action}");
        assert_eq!(count(&served, State::Failed), 1, "{action}");
    }
}

#[test]
fn a_stop_that_was_set_anew_is_not_taken_off_by_an_old_form() {
    let served = Served::deciding().open();
    let who = |reason: &str| Actor {
        name: "bo".to_owned(),
        channel: "terminal".to_owned(),
        reason: Some(reason.to_owned()),
    };
    served.home.hold(HeldThing::Queue, &who("a move")).unwrap();
    let shown = served.get("/").body;
    served.home.release(HeldThing::Queue, &who("moved")).unwrap();
    served.home.hold(HeldThing::Queue, &who("the disk is checked")).unwrap();
    assert_eq!(post_shown(&served, "/release", &shown, "held=queue").status, 303);
    let now = served.get("/").body;
    assert_in_order(&now, &["role=\"status\"", "since you looked", "the disk is checked"]);
    assert_eq!(served.home.holds().unwrap().len(), 1, "it is still held");
    assert_eq!(post_shown(&served, "/release", &now, "held=queue").status, 303);
    assert_eq!(served.home.holds().unwrap().len(), 0);
}

/// What may be in a document is said where a limit is shown: one that somebody changed since in `config.yaml` stays.
#[test]
fn a_limit_that_was_changed_since_is_not_changed_back() {
    let served = Served::deciding().open();
    let config = served.user().join("last-word/config.yaml");
    let with = |most: usize| super::CONFIG.replace("~/OPEN.md", &format!("~/OPEN.md, budget_chars: {most}"));
    std::fs::write(&config, with(30)).unwrap();
    let shown = served.get("/budget?kb=open").body;
    std::fs::write(&config, with(25)).unwrap();
    let stale = post_shown(&served, "/budget", &shown, "budget_chars=200");
    assert_eq!(stale.status, 200, "{}", stale.body);
    assert!(stale.body.contains("may have 25"), "{}", stale.body);
    assert_eq!(std::fs::read_to_string(&config).unwrap(), with(25));
}

/// What a program declared of which nothing but an agent's mark is known is not called a person's.
#[test]
fn a_nameless_agent_is_not_called_a_person() {
    let served = Served::deciding().open();
    let declared = |caller: &Caller, to: &str| {
        let fields = EntryFields {
            to: to.to_owned(),
            heading: vec!["Plans".to_owned()],
            content: Some(format!("- buy tea for {:?}", caller.trust)),
            op: Some("append".to_owned()),
            ..EntryFields::default()
        };
        let declared = engine::Declared::new().declaration("the entry", fields.declaration().unwrap());
        served.home.enqueue(caller, declared).unwrap()[0].id.to_string()
    };
    let person = Caller::program(served.user());
    let marked = Caller { trust: engine::Trust::Agent, ..person.clone() };
    let unnamed = Caller::agent(served.user(), engine::Speaker::UNNAMED, "s1");
    let nameless = "an agent whose name is not known";
    for caller in [&marked, &unnamed] {
        let id = declared(caller, "notes");
        served.work();
        let review = served.get(&format!("/review/{id}")).body;
        assert_in_order(
            &review,
            &[&format!("{nameless}, "), "<dt>From</dt><dd>", nameless, "trusted as agent"],
        );
        assert!(!review.contains("a person&#39;s shell"), "{review}");
    }
    let id = declared(&person, "notes");
    served.work();
    let own = served.get(&format!("/job/{id}")).body;
    assert!(own.contains("a person&#39;s shell") && !own.contains(nameless), "{own}");
    // The same of what is written: a document's sections say who wrote them.
    declared(&marked, "open");
    served.work();
    let document = served.get("/document?of=open").body;
    assert!(document.contains(nameless) && !document.contains("a person&#39;s shell"), "{document}");
    declared(&person, "open");
    served.work();
    let document = served.get("/document?of=open").body;
    assert!(!document.contains(nameless) && document.contains("a person&#39;s shell"), "{document}");
}

#[test]
fn who_changed_an_authors_words_is_said() {
    let served = Served::deciding().open();
    let id = fails(&served);
    let job = || served.get(&format!("/job/{id}")).body;
    assert!(!job().contains("edited by"), "{}", job());
    edits(&served, &id, "new", "newer");
    served.work();
    assert_in_order(&job(), &["some_agent, edited by ada, ", "<dt>Edited</dt><dd>by ada</dd>"]);
}
