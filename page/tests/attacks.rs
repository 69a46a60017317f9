//! Attacks on the page by other users of this machine and by other sites in the same browser, over a real socket, on a real home.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used)]

mod stale_forms;

use engine::{Caller, Control, Declared, EntryFields, Format, Home, Host, SectionNamed, State};
use page::{ConnectionBounds, Listening, PageEnd, Serving};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::Path;
use std::thread::JoinHandle;
use std::time::Duration;

const CONFIG: &str = "version: 1\nknowledge_bases:\n  notes: { path: ~/NOTES.md, policy: review }\n  open: { path: ~/OPEN.md }\n  deep: { path: ~/deep/DEEP.md }\n";

/// A page that is served, and a browser's side of it.
struct Served {
    user: tempfile::TempDir,
    home: Home,
    control: Control,
    thread: Option<JoinHandle<PageEnd>>,
    /// `127.0.0.1:4321`
    host: String,
    link: String,
    base: String,
    cookie: String,
}

/// An answer.
struct PageAnswer {
    status: u16,
    head: String,
    body: String,
}

impl PageAnswer {
    fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }
}

impl Served {
    fn deciding() -> Served {
        Served::with(Some("ada"), Duration::from_secs(600))
    }

    fn with(person: Option<&str>, idle: Duration) -> Served {
        Served::bounded(person, idle, ConnectionBounds::default())
    }

    /// A page that waits for nobody longer than this.
    fn hasty(head: Duration, form: Duration, life: Duration) -> Served {
        let bounds =
            ConnectionBounds { head_within: head, form_within: form, life, ..ConnectionBounds::default() };
        Served::bounded(Some("ada"), Duration::from_secs(600), bounds)
    }

    fn bounded(person: Option<&str>, idle: Duration, bounds: ConnectionBounds) -> Served {
        let user = tempfile::tempdir().unwrap();
        let home = Home::create(user.path().join("last-word"), user.path(), Host::system(), CONFIG).unwrap();
        let control = Control::new();
        let serving = Serving {
            cwd: user.path().to_owned(),
            person: person.map(str::to_owned),
            port: None,
            idle,
            bounds,
        };
        let listening = Listening::new(home.clone(), serving, control.clone()).unwrap();
        let link = listening.link();
        let host = link["http://".len()..].split('/').next().unwrap().to_owned();
        let thread = std::thread::spawn(move || listening.serve());
        let (base, cookie) = (String::new(), String::new());
        Served { user, home, control, thread: Some(thread), host, link, base, cookie }
    }

    /// Opens the link as the person's browser does.
    fn open(mut self) -> Served {
        let answer = self.get_bare(&self.link_path());
        assert_eq!(answer.status, 303, "{}", answer.body);
        self.cookie = answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        self.base = answer.header("location").unwrap().trim_end_matches('/').to_owned();
        self
    }

    fn link_path(&self) -> String {
        self.link["http://".len() + self.host.len()..].to_owned()
    }

    fn user(&self) -> &Path {
        self.user.path()
    }

    /// Sends bytes and reads until the server closes the connection.
    fn send(&self, request: &str) -> PageAnswer {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut all = Vec::new();
        stream.read_to_end(&mut all).unwrap();
        let text = String::from_utf8(all).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        PageAnswer { status, head: head.to_owned(), body: body.to_owned() }
    }

    fn get_bare(&self, path: &str) -> PageAnswer {
        self.send(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.host))
    }

    fn get(&self, path: &str) -> PageAnswer {
        self.send(&format!(
            "GET {}{path} HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\nSec-Fetch-Site: same-origin\r\nConnection: close\r\n\r\n",
            self.base, self.host, self.cookie
        ))
    }

    /// A form with these headers beside what a form always has.
    fn post_with(&self, path: &str, headers: &str, form: &str) -> PageAnswer {
        self.send(&format!(
            "POST {}{path} HTTP/1.1\r\nHost: {}\r\n{headers}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{form}",
            self.base,
            self.host,
            form.len()
        ))
    }

    /// A form as the person's browser sends it: of a job with the stamp of what its screen shows.
    fn post(&self, path: &str, form: &str) -> PageAnswer {
        let of_job = path.starts_with("/review/") || path.starts_with("/job/");
        let screen = if of_job { self.get(path).body } else { String::new() };
        let stamp = screen.split("name=\"seen\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
        let stamp = stamp.map_or_else(String::new, |stamp| format!("seen={stamp}&"));
        self.post_as_it_is(path, &format!("{stamp}{form}"))
    }

    /// A form with these fields and the token, and no other.
    fn post_as_it_is(&self, path: &str, form: &str) -> PageAnswer {
        let (host, cookie) = (&self.host, &self.cookie);
        let headers = format!("Cookie: {cookie}\r\nOrigin: http://{host}\r\nSec-Fetch-Site: same-origin\r\n");
        self.post_with(path, &headers, &format!("token={}&{form}", self.token()))
    }

    /// The token of the forms.
    fn token(&self) -> String {
        let page = self.get("/review").body;
        let at = page.find("name=\"token\" value=\"").expect("a form") + "name=\"token\" value=\"".len();
        page[at..].split('"').next().unwrap().to_owned()
    }

    /// An agent declares something; the job's id.
    fn declares(&self, to: &str, fields: EntryFields) -> String {
        let caller = Caller::agent(self.user(), "some_agent", "session-1");
        let op = fields.op.clone().or_else(|| Some("append".to_owned()));
        let entry = EntryFields { to: to.to_owned(), op, ..fields };
        let declared = Declared::new().declaration("the entry", entry.declaration().unwrap());
        self.home.enqueue(&caller, declared).unwrap()[0].id.to_string()
    }

    fn work(&self) {
        self.home.worker(Caller::program(self.user()), "ada").work().unwrap();
    }

    /// A proposal that waits for a yes.
    fn proposal(&self, content: &str) -> String {
        let heading = vec!["Plans".to_owned()];
        let fields = EntryFields { heading, content: Some(content.to_owned()), ..EntryFields::default() };
        let id = self.declares("notes", fields);
        self.work();
        assert_eq!(self.waiting(), 1, "it waits for a yes");
        id
    }

    fn waiting(&self) -> usize {
        self.home.jobs_in(State::Review).unwrap().len()
    }

    fn end(self) -> PageEnd {
        self.control.stop();
        self.ended()
    }

    /// Waits until it ends by itself.
    fn ended(mut self) -> PageEnd {
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.control.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[test]
fn a_person_opens_the_link_and_looks() {
    let served = Served::deciding().open();
    let page = served.get("/");
    assert_eq!(page.status, 200, "{}", page.body);
    assert!(page.body.contains("All is well"), "{}", page.body);
    assert_eq!(served.get("/page.css").header("content-type"), Some("text/css; charset=utf-8"));
    assert_eq!(served.end(), PageEnd::Stopped);
}

#[test]
fn the_link_works_once() {
    let served = Served::deciding().open();
    let again = served.get_bare(&served.link_path());
    assert_eq!(again.status, 410);
    assert!(again.header("set-cookie").is_none() && again.body.contains("opened before"), "{}", again.body);
    assert_eq!(served.get_bare("/open/0000").status, 403);
}

/// A browser may fetch a link that nobody opened, to have it ready; what it got it may throw away.
#[test]
fn a_prefetch_does_not_use_the_link_up() {
    let served = Served::deciding();
    let (path, host) = (served.link_path(), &served.host);
    for header in [
        "Sec-Purpose: prefetch",
        "sec-purpose: prefetch;prerender",
        "Sec-Purpose: prefetch;anonymous-client-ip",
        "Purpose: prefetch",
        "Purpose: Preview",
        "X-Moz: prefetch",
        "X-Purpose: preview",
        "Sec-Purpose: x\r\nSec-Purpose: prefetch",
    ] {
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{header}\r\nConnection: close\r\n\r\n");
        let answer = served.send(&request);
        assert!(answer.status == 503 && answer.header("set-cookie").is_none(), "{header}: {}", answer.body);
    }
    assert_eq!(served.open().get("/").status, 200);
}

#[test]
fn an_agents_process_without_the_cookie_sees_nothing() {
    let served = Served::deciding().open();
    served.proposal("- buy tea");
    for path in
        ["/", "/open/", "/favicon.ico", &format!("{}/", served.base), &format!("{}/review", served.base)]
    {
        let answer = served.get_bare(path);
        assert_eq!(answer.status, 403, "{path}");
        assert!(
            !answer.body.contains("tea") && answer.header("set-cookie").is_none(),
            "{path}: {}",
            answer.body
        );
    }
}

#[test]
fn a_foreign_host_is_refused_with_the_cookie_too() {
    let served = Served::deciding().open();
    let port = served.host.split(':').nth(1).unwrap();
    for host in ["evil.example", &format!("evil.example:{port}"), "127.0.0.1", "127.0.0.1:1", "[::1]", ""] {
        let answer = served.send(&format!(
            "GET {}/ HTTP/1.1\r\nHost: {host}\r\nCookie: {}\r\nConnection: close\r\n\r\n",
            served.base, served.cookie
        ));
        assert_eq!(answer.status, 421, "{host}");
    }
    let (base, cookie, host) = (&served.base, &served.cookie, &served.host);
    for request in [
        format!(
            "GET {base}/ HTTP/1.1\r\nHost: {host}\r\nHost: evil\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
        ),
        format!(
            "GET http://evil{base}/ HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
        ),
        format!("GET {base}/ HTTP/1.0\r\nCookie: {cookie}\r\n\r\n"),
    ] {
        assert_eq!(served.send(&request).status, 421, "{request}");
    }
}

#[test]
fn a_form_of_another_sites_page_decides_nothing() {
    let served = Served::deciding().open();
    let id = served.proposal("- buy tea");
    let (host, cookie, token) = (served.host.clone(), served.cookie.clone(), served.token());
    let path = format!("/review/{id}");
    let form = |token: &str| format!("token={token}&action=reject&words=");
    for (name, headers, form) in [
        ("no origin", format!("Cookie: {cookie}\r\n"), form(&token)),
        ("null origin", format!("Cookie: {cookie}\r\nOrigin: null\r\n"), form(&token)),
        ("a foreign origin", format!("Cookie: {cookie}\r\nOrigin: http://evil.example\r\n"), form(&token)),
        ("another port", format!("Cookie: {cookie}\r\nOrigin: http://127.0.0.1:1\r\n"), form(&token)),
        (
            "cross-site",
            format!("Cookie: {cookie}\r\nOrigin: http://{host}\r\nSec-Fetch-Site: cross-site\r\n"),
            form(&token),
        ),
        ("no token", format!("Cookie: {cookie}\r\nOrigin: http://{host}\r\n"), "action=reject".to_owned()),
        ("another token", format!("Cookie: {cookie}\r\nOrigin: http://{host}\r\n"), form("0")),
        ("no cookie", format!("Origin: http://{host}\r\n"), form(&token)),
    ] {
        assert_eq!(served.post_with(&path, &headers, &form).status, 403, "{name}");
        assert_eq!(served.waiting(), 1, "{name}: nothing was decided");
    }
    let looked = served.get(&format!("{path}?token={token}&action=reject"));
    assert_eq!((looked.status, served.waiting()), (200, 1), "a look decides nothing");
    assert_eq!(served.post(&path, "action=reject&words=").status, 303);
    assert_eq!(served.waiting(), 0, "the person's own form does");
}

#[test]
fn a_receipt_says_that_it_was_decided_on_the_page() {
    let served = Served::deciding().open();
    let id = served.proposal("- buy tea");
    assert_eq!(served.post(&format!("/review/{id}"), "action=reject&words=&reason=no+tea").status, 303);
    let receipt = served.home.load(&id).unwrap().receipt.unwrap();
    assert_eq!(
        (receipt.by.as_str(), receipt.channel.as_deref(), receipt.reason.as_deref()),
        ("ada", Some("page"), Some("no tea"))
    );
    let id = served.proposal("- buy coffee");
    let page = served.get(&format!("/review/{id}")).body;
    let at = page.find("name=\"words\" value=\"").unwrap() + "name=\"words\" value=\"".len();
    let words = page[at..].split('"').next().unwrap().to_owned();
    assert_eq!(served.post(&format!("/review/{id}"), &format!("action=approve&words={words}")).status, 303);
    served.work();
    let receipt = served.home.load(&id).unwrap().receipt.unwrap();
    assert_eq!(
        receipt.approval.map(|yes| (yes.by, yes.channel)),
        Some(("ada".to_owned(), "page".to_owned()))
    );
    assert!(std::fs::read_to_string(served.user().join("NOTES.md")).unwrap().contains("coffee"));
}

#[test]
fn a_reason_with_a_secret_in_it_is_written_nowhere() {
    let served = Served::deciding().open();
    let id = served.proposal("- buy tea");
    let secret = ["AKIA", "IOSFODNN7REALKEY"].concat();
    let form = format!("action=reject&words=&reason=the+key+is+{secret}");
    let answer = served.post(&format!("/review/{id}"), &form);
    assert!(answer.status == 422 && !answer.body.contains(&secret), "{}: {}", answer.status, answer.body);
    assert_eq!(served.waiting(), 1, "nothing was decided");
}

#[test]
fn words_that_were_not_on_the_screen_are_not_approved() {
    let served = Served::deciding().open();
    let id = served.proposal("- buy tea");
    let answer = served.post(&format!("/review/{id}"), "action=approve&words=sha256:0000");
    assert_ne!(answer.status, 303, "{}", answer.body);
    assert_eq!(served.waiting(), 1);
}

/// What stands in the way of a document is mended with a file manager; nobody wants to wait for half an hour then.
#[test]
fn what_was_put_off_is_tried_at_once() {
    let served = Served::deciding().open();
    std::fs::write(served.user().join("deep"), "in the way\n").unwrap();
    let heading = vec!["Plans".to_owned()];
    let content = Some("- buy tea".to_owned());
    let id = served.declares("deep", EntryFields { heading, content, ..EntryFields::default() });
    served.work();
    assert_eq!(served.home.jobs_in(State::Deferred).unwrap().len(), 1, "it is put off");
    let form = format!("job={id}");
    for path in ["/".to_owned(), format!("/job/{id}")] {
        assert!(served.get(&path).body.contains("Try it now"), "{path}");
    }
    assert_eq!(served.post("/work", &form).status, 303);
    assert!(served.get("/").body.contains("Still not: "), "what stands in its way is said");
    std::fs::remove_file(served.user().join("deep")).unwrap();
    assert_eq!(served.post("/work", "").status, 303);
    assert!(served.get("/").body.contains("Nothing could be written now."), "it waits until it is due");
    assert_eq!(served.post("/work", "put_off=1").status, 303);
    let written = std::fs::read_to_string(served.user().join("deep/DEEP.md")).unwrap();
    assert!(written.contains("- buy tea"), "{written}");
}

/// Where these stand on a screen, in this order.
fn assert_in_order(screen: &str, parts: &[&str]) {
    let mut from = 0;
    for part in parts {
        let at = screen[from..].find(part);
        from += at.unwrap_or_else(|| panic!("{part:?} is not there, or too early: {screen}"));
    }
}

/// A person must not have to look for what they say yes to, and the button must stay where it was.
#[test]
fn a_proposal_stands_above_what_is_known_of_it() {
    let served = Served::deciding().open();
    for content in ["- buy tea", "- buy milk"] {
        let heading = vec!["Plans".to_owned()];
        let (content, reason) = (Some(content.to_owned()), Some("the shop is near".to_owned()));
        served.declares("notes", EntryFields { heading, content, reason, ..EntryFields::default() });
    }
    served.work();
    let first = served.get("/review").body;
    let parts = ["Approve", "some_agent", "Why: the shop is near", "What it would change", "<dt>Job</dt>"];
    assert_in_order(&first, &parts);
    let words = first.split("name=\"words\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let id = first.split("/review/").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(served.post(&format!("/review/{id}"), &format!("action=approve&words={words}")).status, 303);
    let second = served.get("/review").body;
    let parts = ["Approve", "role=\"status\"", "when the last proposal is decided", "What it would change"];
    assert_in_order(&second, &parts);
    assert!(second.contains("1 other change to this document"), "“now” is without it: {second}");
    assert!(!second.contains("Write what waits now"), "there is more to decide first: {second}");
    let words = second.split("name=\"words\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let id = second.split("/review/").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(served.post(&format!("/review/{id}"), &format!("action=approve&words={words}")).status, 303);
    let last = served.get("/review").body;
    assert!(last.contains("Done: 2 written.") && !last.contains("Write what waits now"), "{last}");
}

/// Where nothing is left to be decided, what is left to be done is said; and the page is not closed by a slip.
#[test]
fn an_empty_screen_says_what_is_next() {
    let served = Served::deciding().open();
    let heading = vec!["No such".to_owned()];
    let fields = |n: usize| EntryFields {
        heading: heading.clone(),
        old_text: Some("odl".to_owned()),
        content: Some(format!("new {n}")),
        op: Some("replace".to_owned()),
        ..EntryFields::default()
    };
    let ids = [0, 1].map(|n| served.declares("open", fields(n)));
    served.work();
    assert_eq!(served.post(&format!("/job/{}", ids[0]), "action=discard").status, 303);
    let next = served.get(&format!("/job/{}", ids[1])).body;
    assert!(next.contains("Discarded: ") && next.contains("Below is the last one"), "{next}");
    assert_eq!(served.post(&format!("/job/{}", ids[1]), "action=retry").status, 303);
    let _ = served.get("/");
    let empty = served.get("/failed").body;
    assert!(empty.contains("Nothing failed. 1 wait to be written."), "{empty}");
    assert_in_order(&empty, &["Write what waits now", "<summary>Close the page…", "action=\"", "/close\""]);
    assert!(empty.contains("aria-current=\"page\">Failed"), "which view it is: {empty}");
}

/// What many agents got wrong in the same way is put right in all of their jobs, after a look at what becomes of each line.
#[test]
fn a_text_is_replaced_in_all_jobs_of_a_reason_after_a_look() {
    let served = Served::deciding().open();
    let sections: String = (0..3).map(|n| format!("\n## Log {n}\n\nold words\n")).collect();
    std::fs::write(served.user().join("OPEN.md"), format!("# Open\n{sections}")).unwrap();
    for n in 0..3 {
        let fields = EntryFields {
            heading: vec![format!("Log {n}")],
            old_text: Some("odl words".to_owned()),
            content: Some("new words".to_owned()),
            op: Some("replace".to_owned()),
            ..EntryFields::default()
        };
        served.declares("open", fields);
    }
    served.work();
    assert_eq!(served.home.jobs_in(State::Failed).unwrap().len(), 3);
    let all = served.get("/failed").body;
    assert!(all.contains("For example, for ") && all.contains("OPEN.md:"), "which document to open: {all}");
    let one = served.get("/failed/text_not_found").body;
    assert!(one.contains("name=\"find\"") && one.contains("name=\"with\""), "{one}");
    let none = served.get("/failed/text_not_found/replace?find=&with=x");
    assert_eq!(none.status, 400, "{}", none.body);
    let look = served.get("/failed/text_not_found/replace?find=odl&with=old").body;
    assert!(look.contains("these 3 changes") && look.contains("in 3 of them"), "{look}");
    assert_eq!(served.home.jobs_in(State::Failed).unwrap().len(), 3, "a look changes nothing");
    let seen = look.split("name=\"seen\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let form = format!("find=odl&with=old&seen={seen}");
    assert_eq!(served.post("/failed/text_not_found/replace", &form).status, 303);
    assert_eq!(served.home.jobs_in(State::Pending).unwrap().len(), 3);
    served.work();
    let text = std::fs::read_to_string(served.user().join("OPEN.md")).unwrap();
    assert_eq!(text.matches("new words").count(), 3, "{text}");
}

/// Two sections of one heading: a person without an editor gives the changes another heading. A second try alone is said to fail.
#[test]
fn what_fits_two_sections_is_put_under_another_heading() {
    let served = Served::deciding().open();
    let open = served.user().join("OPEN.md");
    std::fs::write(&open, "# Open\n\n## Log\n\nold\n\n## People\n\nAda\n\n## Log\n\nmore\n").unwrap();
    for n in 0..3 {
        let (heading, content) = (vec!["Log".to_owned()], Some(format!("- line {n}")));
        served.declares("open", EntryFields { heading, content, ..EntryFields::default() });
    }
    served.work();
    let all = served.get("/failed").body;
    assert!(all.contains("/failed/ambiguous/under"), "{all}");
    let again = served.get("/failed/ambiguous/retry").body;
    assert!(again.contains("the first of them fails again: ") && again.contains("line 2"), "{again}");
    assert_eq!(served.get("/failed/ambiguous/under?with=+").status, 400);
    let look = served.get("/failed/ambiguous/under?with=Night+log").body;
    assert!(
        look.contains("these 3 changes") && look.contains("in 3 of them") && look.contains("Night log"),
        "{look}"
    );
    let seen = look.split("name=\"seen\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(served.post("/failed/ambiguous/under", &format!("with=Night+log&seen={seen}")).status, 303);
    served.work();
    let text = std::fs::read_to_string(&open).unwrap();
    assert!(text.ends_with("more\n\n## Night log\n\n- line 0\n- line 1\n- line 2\n"), "{text}");
}

/// A full document is no dead end: a person lets it get longer, and what did not fit is merged.
#[test]
fn a_full_document_may_get_longer() {
    let served = Served::deciding().open();
    let config = served.user().join("last-word/config.yaml");
    let with = |more: &str| CONFIG.replace("~/OPEN.md", &format!("~/OPEN.md, budget_chars: 30{more}"));
    std::fs::write(&config, with("")).unwrap();
    std::fs::write(served.user().join("OPEN.md"), "# Open\n\n## Log\n\nold\n").unwrap();
    for n in 0..3 {
        let (heading, content) = (vec!["Log".to_owned()], Some(format!("- a line that does not fit, {n}")));
        served.declares("open", EntryFields { heading, content, ..EntryFields::default() });
    }
    served.work();
    assert_eq!(served.home.jobs_in(State::Failed).unwrap().len(), 3);
    for view in ["/failed", "/failed/over_budget"] {
        assert!(served.get(view).body.contains("/budget?kb=open\">Let “open” get longer"), "{view}");
    }
    let document = served.get("/document?of=open").body;
    assert!(
        document.contains("Look at what failed (3)") && document.contains("does not fit, 0"),
        "{document}"
    );
    let asked = served.get("/budget?kb=open").body;
    // 20 of the document, a blank line, and three of 30 with their line ends.
    assert!(
        asked.contains("may have 30") && asked.contains("3 changes that did not fit it would have 111"),
        "{asked}"
    );
    let seen = asked.split("name=\"seen\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(
        served.post("/budget", "kb=open&seen=x&budget_chars=200").status,
        200,
        "what waits is another"
    );
    assert_eq!(served.post("/budget", &format!("kb=open&seen={seen}&budget_chars=many")).status, 400);
    assert_eq!(std::fs::read_to_string(&config).unwrap(), with(""), "nothing was changed");
    assert_eq!(served.post("/budget", &format!("kb=open&seen={seen}&budget_chars=200")).status, 303);
    assert_eq!(std::fs::read_to_string(&config).unwrap(), with("").replace("chars: 30", "chars: 200"));
    let said = served.get("/failed").body;
    assert!(
        said.contains("the limit is 200 now, and was 30") && said.contains("Write what waits now"),
        "{said}"
    );
    served.work();
    let text = std::fs::read_to_string(served.user().join("OPEN.md")).unwrap();
    assert_eq!(text.matches("does not fit").count(), 3, "{text}");
    let log = served.get("/log?event=budget").body;
    assert!(log.contains("open: budget_chars is 200 (page)"), "{log}");
}

/// Where a yes is taken on a terminal alone, the page does not let a document grow either; nor without the form's token.
#[test]
fn a_limit_is_changed_by_who_may_decide() {
    let served = Served::deciding().open();
    let config = served.user().join("last-word/config.yaml");
    let limited = CONFIG.replace("~/OPEN.md", "~/OPEN.md, budget_chars: 30");
    let text = format!("{limited}review: {{ channels: [terminal] }}\n");
    std::fs::write(&config, &text).unwrap();
    let asked = served.get("/budget?kb=open").body;
    let seen = asked.split("name=\"seen\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let form = format!("kb=open&seen={seen}&budget_chars=200");
    let refused = served.post("/budget", &form);
    assert_eq!(refused.status, 422, "{}", refused.body);
    std::fs::write(&config, &limited).unwrap();
    let (host, cookie) = (&served.host, &served.cookie);
    let headers = format!("Cookie: {cookie}\r\nOrigin: http://{host}\r\nSec-Fetch-Site: same-origin\r\n");
    assert_eq!(served.post_with("/budget", &headers, &form).status, 403);
    assert_eq!(std::fs::read_to_string(&config).unwrap(), limited, "nothing was changed");
    assert_eq!(served.post("/budget", &form).status, 303);
    assert_ne!(std::fs::read_to_string(&config).unwrap(), limited);
}

/// Whoever saw both sides of a conflict and writes a third text means it to stand in the place of both.
/// A change whose lines somebody changed meanwhile: its id.
fn clash(served: &Served) -> String {
    let open = served.user().join("OPEN.md");
    std::fs::write(&open, "# Open\n\n## Log\n\nold\n").unwrap();
    let section = SectionNamed { heading: vec!["Log".to_owned()], ..SectionNamed::default() };
    let base = served.home.read("open", &section, served.user()).unwrap().base.unwrap();
    let declared = format!(
        r#"{{"version":"1.0.0","entries":[{{"key":{{"kb":"open","heading":"Log"}},"operation":"update","base":"{base}","content":"theirs"}}]}}"#
    );
    let declared = Declared::new().text("d.json", declared.into_bytes(), Some(Format::Json));
    let caller = Caller::agent(served.user(), "some_agent", "session-1");
    let id = served.home.enqueue(&caller, declared).unwrap()[0].id.to_string();
    std::fs::write(&open, "# Open\n\n## Log\n\nours\n").unwrap();
    served.work();
    id
}

/// What changes nothing is the first button, each choice is said, and what was not taken can still be read.
#[test]
fn of_a_conflict_the_safe_choice_is_first() {
    let served = Served::deciding().open();
    let id = clash(&served);
    let all = served.get("/failed").body;
    assert_in_order(
        &all,
        &["class=\"actions\"", "class=\"button main\"", "/failed/conflict/ours", "/failed/conflict/theirs"],
    );
    assert!(all.contains("is the safe one: ") && all.contains("writes nothing of the change"), "{all}");
    let asked = served.get("/failed/conflict/ours").body;
    assert!(asked.contains("What it says") && asked.contains("<pre tabindex=\"0\">theirs</pre>"), "{asked}");
    assert_eq!(served.post(&format!("/job/{id}"), "action=ours").status, 303);
    let kept = served.get(&format!("/job/{id}")).body;
    assert!(kept.contains("theirs"), "what it said stays readable: {kept}");
    let done = served.get("/").body;
    assert!(done.contains("Nothing waits and nothing failed: you are done."), "{done}");
    assert!(!served.get("/").body.contains("Look at what failed"));
}

#[test]
fn a_third_text_ends_a_conflict() {
    let served = Served::deciding().open();
    let open = served.user().join("OPEN.md");
    let id = clash(&served);
    let page = served.get(&format!("/job/{id}")).body;
    assert_in_order(&page, &["The document now", "<p>ours</p>", "The change", "<p>theirs</p>"]);
    let form = "action=edit&content0=a+third+text";
    assert_eq!(served.post(&format!("/job/{id}"), form).status, 303);
    served.work();
    let text = std::fs::read_to_string(&open).unwrap();
    assert!(text.contains("a third text") && !text.contains("ours"), "{text}");
}

#[test]
fn a_page_that_only_shows_decides_nothing() {
    let served = Served::with(None, Duration::from_secs(600)).open();
    let id = served.proposal("- buy tea");
    let page = served.get(&format!("/review/{id}")).body;
    assert!(page.contains("only shows") && !page.contains("value=\"approve\""), "{page}");
    let headers = format!("Cookie: {}\r\nOrigin: http://{}\r\n", served.cookie, served.host);
    let shown = served.get("/recall").body;
    assert_eq!(shown.matches("name=\"token\"").count(), 1, "one form does something: it closes the page");
    let form = format!("token={}&action=reject&words=", served.token());
    for path in [format!("/review/{id}"), format!("/job/{id}"), "/work".to_owned(), "/close/".to_owned()] {
        assert_eq!(served.post_with(&path, &headers, &form).status, 403, "{path}");
    }
    assert_eq!(served.waiting(), 1);
    assert_eq!(served.post("/close", "").status, 200);
    assert_eq!(served.ended(), PageEnd::Closed);
}

#[test]
fn no_address_leads_out_of_the_page() {
    let served = Served::deciding().open();
    std::fs::write(served.user().join("secret.md"), "# Secret\n\nswordfish\n").unwrap();
    for path in [
        "/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2fsecret.md",
        "/document?of=/etc/passwd",
        "/document?of=../secret.md",
        "/document?of=~/secret.md",
        "/document?of=notes/../../secret.md",
        "/document?of=%00",
        "/job/../../../secret.md",
        "/job/..%2f..%2fsecret.md",
        "/job/%00",
        "/failed/..%2f..",
        "/page.css/../../secret.md",
        "//evil.example/",
        "/rollback?of=~/secret.md&to=0",
        "/item?id=..%2f..&kb=..",
        "/log?document=%2e%2e%2fsecret",
    ] {
        let answer = served.get(path);
        assert!(
            !answer.body.contains("swordfish") && !answer.body.contains("root:"),
            "{path}: {}",
            answer.body
        );
        assert!(answer.header("location").is_none_or(|to| to.starts_with(&served.base)), "{path}");
        assert!(matches!(answer.status, 200 | 303 | 400 | 403 | 404 | 422), "{path}: {}", answer.status);
    }
}

/// Every field that an agent can fill, filled with text that a browser would run as HTML.
#[test]
fn nothing_an_agent_says_runs() {
    let evil = "\"'><script>alert(1)</script><img src=x onerror=alert(1)><svg/onload=alert(1)>";
    let served = Served::deciding().open();
    let fields = || EntryFields {
        heading: vec![format!("H {evil}")],
        content: Some(format!(
            "- a {evil}\n- [b](javascript:alert(1)) ![c](http://evil.example/x.png)\n\n<svg onload=alert(1)>\n"
        )),
        reason: Some(format!("R {evil}")),
        ..EntryFields::default()
    };
    let caller = Caller::agent(served.user(), format!("agent{evil}"), format!("session{evil}"));
    let mut ids = Vec::new();
    for to in ["notes", "open"] {
        let entry = EntryFields { to: to.to_owned(), op: Some("append".to_owned()), ..fields() };
        let declared = Declared::new().declaration("the entry", entry.declaration().unwrap());
        ids.push(served.home.enqueue(&caller, declared).unwrap()[0].id.to_string());
    }
    let bad =
        EntryFields { op: Some("replace".to_owned()), old_text: Some(format!("gone {evil}")), ..fields() };
    let entry = EntryFields { to: "open".to_owned(), ..bad };
    let declared = Declared::new().declaration("the entry", entry.declaration().unwrap());
    ids.push(served.home.enqueue(&caller, declared).unwrap()[0].id.to_string());
    served.work();
    let mut paths: Vec<String> = [
        "/",
        "/review",
        "/failed",
        "/documents",
        "/document?of=open",
        "/document?of=notes",
        "/items",
        "/log",
        "/settings",
        "/doctor",
        "/recall?q=alert",
        "/jobs?state=review",
        "/document?of=open&from=0",
    ]
    .map(str::to_owned)
    .to_vec();
    for id in &ids {
        paths.extend([format!("/job/{id}"), format!("/review/{id}"), format!("/job/{id}?edit=1")]);
    }
    paths.push(format!("/recall?q={}", "%22%3E%3Cscript%3Ealert(1)%3C/script%3E"));
    let script = "%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E";
    paths.push(format!("/failed/{script}"));
    paths.push(format!("/failed/text_not_found/replace?find=H&with={script}"));
    let mut seen = 0;
    for path in paths {
        let answer = served.get(&path);
        assert!(matches!(answer.status, 200 | 303 | 404 | 422), "{path}: {}", answer.status);
        seen += usize::from(answer.body.contains("alert(1)"));
        for tag in
            ["<script>", "<img", "<svg/", "<svg onload", "javascript:alert(1)\"", "onerror=alert(1)>", "'><"]
        {
            assert!(!answer.body.contains(tag), "{path} has {tag}: {}", answer.body);
        }
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none';") && !policy.contains("unsafe"), "{policy}");
    }
    assert!(seen >= 8, "the words themselves are shown: {seen}");
}

#[test]
fn what_turns_the_reading_order_round_is_shown() {
    let served = Served::deciding().open();
    // A declaration with it is refused; a document that a person wrote may have it.
    std::fs::write(served.user().join("OPEN.md"), "# Open\n\nif \u{202e}nimda\u{2066} \u{1b}[2J\n").unwrap();
    let page = served.get("/document?of=open").body;
    assert!(page.contains(r"\u{202e}nimda\u{2066}"), "{page}");
    assert!(!page.contains('\u{202e}') && !page.contains('\u{1b}'));
}

#[test]
fn every_answer_forbids_frames_scripts_and_keeping() {
    let served = Served::deciding().open();
    let nowhere = served.get("/nowhere");
    assert_eq!(nowhere.status, 404);
    for answer in
        [served.get("/"), served.get_bare("/"), nowhere, served.get("/page.js"), served.get_bare("/open/1")]
    {
        assert_eq!(answer.header("x-frame-options"), Some("DENY"));
        assert!(answer.header("content-security-policy").unwrap().contains("frame-ancestors 'none'"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(answer.header("referrer-policy"), Some("same-origin"));
        assert_eq!(answer.header("cross-origin-opener-policy"), Some("same-origin"));
        assert_eq!(answer.header("cross-origin-resource-policy"), Some("same-origin"));
        assert!(answer.header("permissions-policy").unwrap().contains("camera=()"));
        assert!(answer.header("access-control-allow-origin").is_none());
    }
    let page = served.get("/").body;
    assert!(!page.contains("<style") && !page.contains(" style=") && !page.contains("<script>"), "{page}");
}

#[test]
fn odd_requests_are_refused_and_nothing_breaks() {
    let served = Served::deciding().open();
    let (host, base, cookie) = (&served.host, &served.base, &served.cookie);
    let close = "Connection: close\r\n\r\n";
    for method in ["PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"] {
        let request = format!("{method} {base}/ HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n{close}");
        assert_eq!(served.send(&request).status, 405, "{method}");
    }
    let long = "x".repeat(100_000);
    for request in [
        format!("GET {base}/{long} HTTP/1.1\r\nHost: {host}\r\n{close}"),
        format!("GET {base}/ HTTP/1.1\r\nHost: {host}\r\nX: {long}\r\n{close}"),
        "\0\0\0\0\r\n\r\n".to_owned(),
        format!(
            "GET {base}/ HTTP/1.1\r\nHost: {host}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n{close}"
        ),
    ] {
        let mut stream = TcpStream::connect(host).unwrap();
        // The server may close the connection before all is sent.
        let _ = stream.write_all(request.as_bytes());
        let _ = stream.shutdown(Shutdown::Write);
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        let said = String::from_utf8_lossy(&all).into_owned();
        assert!(!said.contains("200 OK"), "{said}");
        // What is too long is not read to its end, and never judged.
        let is_long = request.len() > 100_000;
        assert!(!is_long || !said.starts_with("HTTP/1.1 403"), "{said}");
    }
    // A form with our token, too: it is not even read to its end.
    let large = format!("token={}&action=reject&words=&text={}", served.token(), "x".repeat(5 << 20));
    let id = served.proposal("- buy tea");
    let headers = format!("Cookie: {cookie}\r\nOrigin: http://{host}\r\n");
    let mut stream = TcpStream::connect(host).unwrap();
    let _ = stream.write_all(
        format!("POST {base}/review/{id} HTTP/1.1\r\nHost: {host}\r\n{headers}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n{close}", large.len()).as_bytes(),
    );
    let _ = stream.write_all(large.as_bytes());
    let mut all = Vec::new();
    let _ = stream.read_to_end(&mut all);
    assert_eq!(served.waiting(), 1, "a form that is too large decides nothing");
    assert_eq!(served.get("/").status, 200, "it still serves");
}

/// Reads what comes until the other side hangs up, which it does: a test that waits for ever fails by its runner's limit.
fn until_hung_up(mut stream: &TcpStream) -> String {
    let mut all = Vec::new();
    let _ = stream.read_to_end(&mut all);
    String::from_utf8_lossy(&all).into_owned()
}

#[test]
fn who_sends_no_head_or_half_of_one_is_hung_up_on() {
    let served = Served::hasty(Duration::from_millis(300), Duration::from_secs(60), Duration::from_secs(600));
    for begins in ["", "G", "GET / HTTP/1.1\r\nHost: ", "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n"] {
        let mut stream = TcpStream::connect(&served.host).unwrap();
        stream.write_all(begins.as_bytes()).unwrap();
        let said = until_hung_up(&stream);
        assert!(said.is_empty() || said.starts_with("HTTP/1.1 408"), "{begins:?}: {said}");
    }
}

#[test]
fn a_form_that_comes_too_slowly_does_nothing() {
    let served = Served::hasty(Duration::from_secs(60), Duration::from_millis(300), Duration::from_secs(600));
    let served = served.open();
    let id = served.proposal("- buy tea");
    let (base, host, cookie, token) = (&served.base, &served.host, &served.cookie, served.token());
    let form = format!("token={token}&action=reject&words=");
    let mut stream = TcpStream::connect(host).unwrap();
    let head = format!(
        "POST {base}/review/{id} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nOrigin: http://{host}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        form.len() + 1
    );
    // One byte of it never comes.
    stream.write_all(format!("{head}{form}").as_bytes()).unwrap();
    let said = until_hung_up(&stream);
    assert!(said.starts_with("HTTP/1.1 403"), "{said}");
    assert_eq!(served.waiting(), 1, "nothing was decided");
}

/// Also one whose head may take for ever: nobody keeps a connection by sending a byte now and then.
#[test]
fn a_connection_has_an_end_whatever_it_does() {
    let served = Served::hasty(Duration::from_secs(60), Duration::from_secs(60), Duration::from_millis(300));
    let mut stream = TcpStream::connect(&served.host).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n").unwrap();
    assert_eq!(until_hung_up(&stream), "");
}

/// Ten thousand at once, as far as this process may hold both ends of so many.
#[test]
fn ten_thousand_silent_connections_do_not_keep_the_person_out() {
    let served = Served::deciding().open();
    let mut silent: Vec<TcpStream> = Vec::new();
    let mut refused = 0;
    for n in 0..10_000 {
        match TcpStream::connect(&served.host) {
            Ok(mut stream) => {
                let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: ");
                silent.push(stream);
            }
            // No file descriptor is left on this side: the oldest make room, and the rest stay.
            Err(_) => {
                refused += 1;
                silent.drain(..silent.len() / 4);
            }
        }
        if n % 2_500 == 0 {
            assert_eq!(served.get("/").status, 200, "after {n}");
        }
    }
    println!("held {} at once on this side", silent.len());
    assert_eq!(served.get("/").status, 200);
    assert!(refused < 100, "{refused}");
    // Whoever came first had to give way: only so many are held on the page's side.
    let oldest = silent.first().unwrap();
    assert_eq!(until_hung_up(oldest), "", "the oldest was hung up on");
}

#[test]
fn closing_the_page_ends_it_for_everybody() {
    let served = Served::deciding().open();
    let headers = format!("Cookie: {}\r\nOrigin: http://{}\r\n", served.cookie, served.host);
    assert_eq!(served.post_with("/close", &headers, "token=0").status, 403);
    assert_eq!(served.get("/close").status, 405, "a look closes nothing");
    assert_eq!(served.get("/").status, 200);
    let answer = served.post("/close", "");
    assert!(answer.status == 200 && answer.body.contains("The page is closed"), "{}", answer.body);
    let cookie = answer.header("set-cookie").unwrap();
    assert!(cookie.starts_with("last_word=;") && cookie.contains("Max-Age=0"), "{cookie}");
    assert_eq!(served.ended(), PageEnd::Closed);
}

#[test]
fn it_ends_when_nobody_uses_it() {
    let mut served = Served::with(Some("ada"), Duration::from_secs(2)).open();
    // Neither requests without the cookie nor those that the script makes by itself keep the page alive.
    let thread = served.thread.take().unwrap();
    while !thread.is_finished() {
        if let Ok(mut stream) = TcpStream::connect(&served.host) {
            let (base, host, cookie) = (&served.base, &served.host, &served.cookie);
            let by_itself = format!(
                "GET {base}/?live=1 HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
            );
            let stranger = format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
            let _ = stream.write_all(by_itself.as_bytes());
            let _ = stream.read_to_end(&mut Vec::new());
            if let Ok(mut stream) = TcpStream::connect(host) {
                let _ = stream.write_all(stranger.as_bytes());
                let _ = stream.read_to_end(&mut Vec::new());
            }
        }
    }
    assert_eq!(thread.join().unwrap(), PageEnd::Idle);
}
