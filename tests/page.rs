//! `last-word page` and `report` as a user runs them: the link comes on a terminal, a browser decides, nothing else does.

use crate::support::{User, binary, number_asked, read_until_asked, skipped};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// A user with proposals that wait for a yes.
fn with_proposals(contents: &[&str]) -> User {
    let user = User::new();
    user.configure(&format!(
        "version: 1\nknowledge_bases:\n  notes: {{ path: {}, policy: review }}\nsession_bootstrap: []\n",
        user.root().join("notes.md").display()
    ));
    for content in contents {
        user.note("Plans", "append", content);
    }
    user.run(["work"]).ok();
    assert_eq!(user.files("staging/review").len(), contents.len());
    user
}

/// A page that a person started on a terminal, and the browser's side of it.
struct Started {
    child: Child,
    host: String,
    base: String,
    cookie: String,
}

impl Started {
    /// `None`, said, where no terminal can be made. The terminal is a program's, so that the person is asked for a number.
    fn on_terminal(user: &User, args: &str) -> Option<Started> {
        if !Command::new("script").arg("--version").output().is_ok_and(|output| output.status.success()) {
            skipped("no `script` (util-linux) to make a terminal with");
            return None;
        }
        let mut command = Command::new("script");
        command.args(["-qec", &format!("exec {} page {args}", binary()), "/dev/null"]).env_clear();
        command.env("PATH", "/usr/bin:/bin").env("SHELL", "/bin/sh").env("USER", "tester");
        command.env("HOME", user.root()).current_dir(user.root());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let asked = read_until_asked(&mut stdout);
        let number = number_asked(&asked).unwrap_or_else(|| panic!("asked for no number: {asked}"));
        child.stdin.as_mut().unwrap().write_all(format!("{number}\n").as_bytes()).unwrap();
        let mut lines = stdout.by_ref().lines().map_while(Result::ok);
        let link = lines.find_map(|line| line.trim().strip_prefix("http://").map(str::to_owned));
        let link = link.expect("the link is on the terminal");
        // What it says later is read by nobody; it must not block for that.
        std::thread::spawn(move || drop(std::io::copy(&mut stdout, &mut std::io::sink())));
        let (host, path) = link.split_once('/').unwrap();
        let answer =
            send(host, &format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"));
        let header = |name: &str| {
            let line =
                answer.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_else(|| panic!("{answer}"));
            line.to_owned()
        };
        let cookie = header("set-cookie: ").split(';').next().unwrap().to_owned();
        let base = header("location: ").trim_end_matches('/').to_owned();
        Some(Started { child, host: host.to_owned(), base, cookie })
    }

    fn get(&self, path: &str) -> String {
        let Started { host, base, cookie, .. } = self;
        send(
            host,
            &format!(
                "GET {base}{path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
            ),
        )
    }

    /// Sends the form of a page, with the fields that it holds and these.
    fn post(&self, path: &str, of: &str, more: &str) -> String {
        let Started { host, base, cookie, .. } = self;
        let hidden = |name: &str| {
            let after = of.split(&format!("name=\"{name}\" value=\"")).nth(1);
            after.map_or_else(String::new, |rest| format!("{name}={}&", rest.split('"').next().unwrap()))
        };
        let form = format!("{}{}{}{more}", hidden("token"), hidden("words"), hidden("seen"));
        send(
            host,
            &format!(
                "POST {base}{path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nCookie: {cookie}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{form}",
                form.len()
            ),
        )
    }

    /// The person presses Ctrl-C.
    fn end(mut self) {
        self.child.stdin.as_mut().unwrap().write_all(&[3]).unwrap();
        assert!(self.child.wait().unwrap().success());
    }
}

fn send(host: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(host).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut all = String::new();
    stream.read_to_string(&mut all).unwrap();
    all
}

#[test]
fn ten_proposals_are_approved_in_a_browser_and_merged_there() {
    let contents: Vec<String> = (0..10).map(|n| format!("- plan {n}")).collect();
    let user = with_proposals(&contents.iter().map(String::as_str).collect::<Vec<_>>());
    let Some(page) = Started::on_terminal(&user, "") else { return };
    for left in (1..=10).rev() {
        let review = page.get("/review");
        assert!(review.contains(&format!("of {left}")), "{review}");
        let id = review.split("/review/").nth(1).unwrap().split('"').next().unwrap().to_owned();
        let answer = page.post(&format!("/review/{id}"), &review, "action=approve");
        assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
    }
    let review = page.get("/review");
    assert!(review.contains("Nothing waits for your yes"), "{review}");
    let overview = page.get("/");
    let answer = page.post("/work", &overview, "");
    assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
    let text = fs::read_to_string(user.root().join("notes.md")).unwrap();
    assert!(contents.iter().all(|content| text.contains(content)), "{text}");
    page.end();
    user.assert_clean();
}

#[test]
fn a_terminal_can_be_required() {
    let user = with_proposals(&["- a plan"]);
    let config = user.home().join("config.yaml");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, format!("{text}review: {{ channels: [terminal] }}\n")).unwrap();
    let Some(page) = Started::on_terminal(&user, "") else { return };
    let review = page.get("/review");
    let id = review.split("/review/").nth(1).unwrap().split('"').next().unwrap().to_owned();
    for action in ["approve", "reject"] {
        let answer = page.post(&format!("/review/{id}"), &review, &format!("action={action}"));
        assert!(answer.contains("takes a yes or a no by terminal alone"), "{answer}");
    }
    assert_eq!(user.files("staging/review").len(), 1);
    page.end();
    user.run(["review", "--all", "--approve"]).fails(1, "by terminal alone");
}

#[test]
fn an_agent_and_a_script_open_no_page_that_decides() {
    let user = with_proposals(&[]);
    user.run(["page"]).fails(1, "only a person can open the page");
    user.run(["page", "--as", "tests"]).fails(1, "may not open the page");
    let mut command = user.command(["page"]);
    let said = crate::support::Said::of(command.env("CLAUDECODE", "1").output().unwrap());
    said.fails(1, "an agent's session cannot open the page");
}

#[test]
fn a_page_that_only_shows_is_for_everybody() {
    let user = with_proposals(&["- a plan"]);
    let mut child = user.command(["page", "--look"]).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let link =
        lines.into_iter().find_map(|line| line.trim().strip_prefix("http://").map(str::to_owned)).unwrap();
    let (host, path) = link.split_once('/').unwrap();
    let answer = send(host, &format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"));
    assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT)
        .unwrap();
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_report_is_one_file_that_loads_nothing() {
    let user = with_proposals(&["- a <script>alert(1)</script> plan"]);
    user.run(["report", "--html", "report.html"]).ok();
    let html = fs::read_to_string(user.root().join("report.html")).unwrap();
    assert!(html.starts_with("<!doctype html>") && html.contains("For your yes"), "{html}");
    for loads in ["<script", "<link", "<img", "href=", "src=", "url("] {
        assert!(!html.contains(loads), "{loads}");
    }
    user.run(["report", "--html", "report.html"]).ok();
    assert!(user.run(["report", "--html", "-"]).ok().contains("<svg"));
    user.run(["report"]).fails(2, "--html");
    // An agent may call it: it writes over nothing but its own reports, and nothing into the home.
    for (name, text) in [("mine.md", "# Mine\n"), ("empty.html", "")] {
        fs::write(user.root().join(name), text).unwrap();
        user.run(["report", "--html", name]).fails(2, "is no report of last-word");
        assert_eq!(fs::read_to_string(user.root().join(name)).unwrap(), text);
    }
    let disabled = user.home().join("disabled");
    user.run(["report".as_ref(), "--html".as_ref(), disabled.as_os_str()]).fails(2, "in the home");
    assert!(!disabled.exists());
}
