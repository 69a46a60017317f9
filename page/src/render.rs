//! Turns a view into an answer: a screen or a redirect. Texts of others are escaped, and their invisible characters written out.

use crate::Page;
use crate::language;
use crate::shell::Shell;
use askama::Template;
use axum::http::header::{CONTENT_TYPE, LOCATION};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use engine::{Exit, Failure, not_shown};
use std::sync::Arc;

/// The answer to a request.
pub(crate) enum PageAnswer {
    /// A screen.
    Screen(String),
    /// A redirect to another address of ours, relative to the base, which shows what a form did.
    Go(String),
}

/// Why a request could not be done.
#[derive(Template)]
#[template(path = "failed_request.html")]
struct Failing {
    shell: Shell,
    messages: Vec<String>,
    next: Option<String>,
}

/// The last screen, after which there is no page.
#[derive(Template)]
#[template(path = "closed.html")]
struct Closed<'a> {
    home: &'a str,
}

/// Says that the page is closed.
pub(crate) fn closed(page: &Page) -> Response {
    let home = page.home.short(page.home.layout().home());
    match (Closed { home: &home }).render() {
        Ok(html) => screen(StatusCode::OK, &html),
        Err(_) => StatusCode::OK.into_response(),
    }
}

/// Does what a request asks on a thread of its own, because it waits for a disk.
pub(crate) async fn answer(
    page: Arc<Page>,
    work: impl FnOnce(&Page) -> Result<PageAnswer, Failure> + Send + 'static,
) -> Response {
    let done = tokio::task::spawn_blocking(move || match work(&page) {
        Ok(PageAnswer::Screen(html)) => screen(StatusCode::OK, &html),
        Ok(PageAnswer::Go(to)) => go(page.base(), &to),
        Err(failure) => failing(&page, failure),
    });
    done.await.unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}

/// A view as a screen.
///
/// # Errors
/// A template cannot be rendered. That is a bug: it writes into memory only.
pub(crate) fn show(view: &impl Template) -> Result<PageAnswer, Failure> {
    let html = view.render().map_err(|e| Failure::new(format!("cannot write the page: {e}")))?;
    Ok(PageAnswer::Screen(html))
}

/// An answer of one line, for a request that is refused.
pub(crate) fn plain(status: StatusCode, sentence: &str) -> Response {
    (status, format!("{sentence}\n")).into_response()
}

fn failing(page: &Page, failure: Failure) -> Response {
    let status = match failure.exit {
        Exit::Usage => StatusCode::BAD_REQUEST,
        Exit::TryAgain => StatusCode::CONFLICT,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    };
    let next = failure.hint.as_ref().map(|hint| page.home.host().say(hint));
    let view = Failing { shell: Shell::new(page, "That did not work"), messages: failure.messages, next };
    match view.render() {
        Ok(html) => screen(status, &html),
        Err(_) => status.into_response(),
    }
}

fn screen(status: StatusCode, html: &str) -> Response {
    let mut response = (status, readable(html)).into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    response
}

fn go(base: &str, to: &str) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    match HeaderValue::try_from(format!("{base}{to}")) {
        Ok(to) => drop(response.headers_mut().insert(LOCATION, to)),
        Err(_) => *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR,
    }
    response
}

/// The page as it is sent: what a screen would obey is written out, and what is in another language says so.
pub(crate) fn readable(html: &str) -> String {
    language::marked(visible(html))
}

/// The text with every character written out that a screen obeys instead of showing it: controls, and those that turn the
/// reading order round. Ours holds none, so that whatever is found is somebody else's, in whichever field.
fn visible(html: &str) -> String {
    let mut shown = String::with_capacity(html.len());
    for c in html.chars() {
        if c == '\r' || not_shown(c).is_none() { shown.push(c) } else { shown.extend(c.escape_unicode()) }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_screen_would_obey_is_written_out() {
        assert_eq!(visible("if \u{202e}nimda\u{2066}"), r"if \u{202e}nimda\u{2066}");
        assert_eq!(visible("a\u{1b}[2J\u{e0041}"), r"a\u{1b}[2J\u{e0041}");
        assert_eq!(visible("中文\n\tעברית"), "中文\n\tעברית");
    }
}
