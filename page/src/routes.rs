//! Every address of the page, and the check before all of them (`door`).

use crate::Page;
use crate::connections::Proven;
use crate::door::{Admission, Asked, Refused, judge};
use crate::headers::with_headers;
use crate::render::{closed, plain};
use crate::views;
use axum::extract::{DefaultBodyLimit, Form, FromRequest, Request, State};
use axum::http::header::{CONNECTION, CONTENT_TYPE, COOKIE, HOST, HeaderName, LOCATION, ORIGIN, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The largest form, in bytes. The largest one has an edited section.
const FORM_BYTES_MAX: usize = 4 << 20;
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// Where the page is closed: the one thing that can be done on a page that only shows, too.
const CLOSE: &str = "/close";
/// What the script asks for by itself says so: it does not keep an unused page alive.
const BY_ITSELF: &str = "live=1";

/// The fields of a form that has our token.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fields(BTreeMap<String, String>);

impl Fields {
    /// A field as it was sent; empty if it is missing.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// A field that is not empty.
    pub(crate) fn said(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|text| text.trim()).filter(|text| !text.is_empty())
    }
}

/// All addresses. Without the cookie, an unknown address gets the same refusal as a known one.
pub(crate) fn router(page: Arc<Page>) -> Router {
    let at = |path: &str| format!("{}{path}", page.base());
    Router::new()
        .route(&at("/"), get(views::overview::show))
        .route(&at("/review"), get(views::review::first))
        .route(&at("/review/{id}"), get(views::review::one).post(views::review::decide))
        .route(&at("/job/{id}"), get(views::job::show).post(views::job::decide))
        .route(&at("/work"), post(views::overview::work))
        .route(&at("/release"), post(views::overview::release))
        .route(&at("/jobs"), get(views::jobs::show))
        .route(&at("/failed"), get(views::failed::show))
        .route(&at("/failed/{code}"), get(views::failed::one))
        .route(&at("/failed/{code}/{action}"), get(views::failed::preview).post(views::failed::decide))
        .route(&at("/budget"), get(views::budget::show).post(views::budget::change))
        .route(&at("/documents"), get(views::documents::show))
        .route(&at("/document"), get(views::document::show))
        .route(&at("/rollback"), get(views::document::preview).post(views::document::back))
        .route(&at("/items"), get(views::items::list))
        .route(&at("/item"), get(views::items::one).post(views::items::change))
        .route(&at("/recall"), get(views::recall::show))
        .route(&at("/log"), get(views::log::show))
        .route(&at("/settings"), get(views::settings::show))
        .route(&at("/doctor"), get(views::doctor::show))
        .route(&at(CLOSE), post(close))
        .route(&at("/page.css"), get(style))
        .route(&at("/page.js"), get(script))
        .route(&at("/icon.svg"), get(icon))
        .fallback(nowhere)
        .layer(from_fn_with_state(Arc::clone(&page), door))
        .layer(DefaultBodyLimit::max(FORM_BYTES_MAX))
        .with_state(page)
}

/// Refuses a request, or passes it on with the fields of its form.
async fn door(
    State(page): State<Arc<Page>>,
    Extension(proven): Extension<Proven>,
    mut request: Request,
    next: Next,
) -> Response {
    let response = match judge(&asked(&request), &page.keys, page.port) {
        Admission::Refused(why) => refuse(why),
        Admission::Welcome => {
            page.used.notify_one();
            welcome(&page)
        }
        Admission::Look => {
            proven.prove();
            if request.uri().query() != Some(BY_ITSELF) {
                page.used.notify_one();
            }
            next.run(request).await
        }
        // A page that only shows refuses every change here, before a handler is asked.
        Admission::Do if page.person.is_none() && !closes(&page, &request) => refuse(Refused::Form),
        Admission::Do => {
            proven.prove();
            page.used.notify_one();
            let (parts, body) = request.into_parts();
            let rest = Request::from_parts(parts.clone(), body);
            match fields(rest, page.form_within)
                .await
                .filter(|fields| page.keys.is_form_token(fields.get("token")))
            {
                None => refuse(Refused::Form),
                Some(fields) => {
                    request = Request::from_parts(parts, axum::body::Body::empty());
                    request.extensions_mut().insert(fields);
                    next.run(request).await
                }
            }
        }
    };
    with_headers(response)
}

fn asked(request: &Request) -> Asked<'_> {
    let headers = request.headers();
    // A browser names the host in the header only; a request that has it in its first line comes from another program.
    let host = only(headers, &HOST).filter(|_| request.uri().authority().is_none());
    Asked {
        method: request.method().as_str(),
        path: request.uri().path(),
        host,
        origin: only(headers, &ORIGIN),
        fetch_site: only(headers, &FETCH_SITE).or(headers.get(&FETCH_SITE).map(|_| "")),
        cookies: only(headers, &COOKIE),
        is_prefetch: is_prefetch(headers),
    }
}

/// Headers in which browsers say why they fetch something, the standard one first.
const PURPOSES: [&str; 4] = ["sec-purpose", "purpose", "x-purpose", "x-moz"];

fn is_prefetch(headers: &HeaderMap) -> bool {
    let says = |value: &HeaderValue| {
        let value = String::from_utf8_lossy(value.as_bytes()).to_ascii_lowercase();
        ["prefetch", "prerender", "preview"].iter().any(|why| value.contains(why))
    };
    PURPOSES.iter().any(|name| headers.get_all(*name).iter().any(says))
}

/// The value of a header, if it occurs exactly once.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut all = headers.get_all(name).iter();
    let first = all.next()?;
    if all.next().is_some() { None } else { first.to_str().ok() }
}

async fn fields(request: Request, within: Duration) -> Option<Fields> {
    let form = Form::<Vec<(String, String)>>::from_request(request, &());
    let Form(pairs) = tokio::time::timeout(within, form).await.ok()?.ok()?;
    Some(Fields(pairs.into_iter().collect()))
}

fn refuse(why: Refused) -> Response {
    let status = StatusCode::from_u16(why.status()).unwrap_or(StatusCode::FORBIDDEN);
    plain(status, why.sentence())
}

fn welcome(page: &Page) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    let headers = response.headers_mut();
    for (name, value) in [(SET_COOKIE, page.keys.set_cookie()), (LOCATION, format!("{}/", page.base()))] {
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.insert(name, value);
        }
    }
    response
}

fn closes(page: &Page, request: &Request) -> bool {
    request.uri().path().strip_prefix(page.base()) == Some(CLOSE)
}

/// Ends the page: its cookie counts for nothing from here on, and the program ends when this is answered.
async fn close(State(page): State<Arc<Page>>, Extension(proven): Extension<Proven>) -> Response {
    page.keys.close();
    proven.is_last();
    let mut response = closed(&page);
    let headers = response.headers_mut();
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    if let Ok(cookie) = HeaderValue::try_from(page.keys.end_cookie()) {
        headers.insert(SET_COOKIE, cookie);
    }
    page.closed.notify_one();
    response
}

async fn nowhere() -> Response {
    plain(StatusCode::NOT_FOUND, "there is no such address on this page")
}

async fn style() -> Response {
    file("text/css; charset=utf-8", include_str!("../templates/page.css"))
}

async fn script() -> Response {
    file("text/javascript; charset=utf-8", include_str!("../templates/page.js"))
}

async fn icon() -> Response {
    file("image/svg+xml", include_str!("../templates/icon.svg"))
}

fn file(kind: &'static str, text: &'static str) -> Response {
    let mut response = text.into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
