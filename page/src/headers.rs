//! The headers of every answer. They forbid the browser to run scripts of others, to load anything from elsewhere, to show the
//! page in a frame, and to keep it.

use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, HeaderValue, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use axum::response::Response;

/// `script-src 'self'` allows our one script, which presses buttons by key; no inline script runs.
/// The hash is of the style in `closed.html`, which is shown when the style sheet cannot be fetched any more.
const POLICY: &str = "default-src 'none'; style-src 'self' 'sha256-V/jb9e/4+ebnNKir0osYsP63peiRMBFoEqgw4HslQWs='; script-src 'self'; img-src 'self'; form-action 'self'; \
    frame-ancestors 'none'; base-uri 'none'";

/// `same-origin` and not `no-referrer`, with which a browser would send `Origin: null` for our own forms.
const HEADERS: [(HeaderName, &str); 8] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_FRAME_OPTIONS, "DENY"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "same-origin"),
    (CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
];

/// Adds all of them to an answer.
pub(crate) fn with_headers(mut response: Response) -> Response {
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
