//! Decides which requests are let in, from method, path and headers alone, before the body is read. Pure.

use crate::keys::{Keys, Opened};

/// The parts of a request that decide about it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Asked<'r> {
    pub(crate) method: &'r str,
    pub(crate) path: &'r str,
    /// `Host`, where there is exactly one.
    pub(crate) host: Option<&'r str>,
    pub(crate) origin: Option<&'r str>,
    /// `Sec-Fetch-Site`: from which site the request comes, according to the browser.
    pub(crate) fetch_site: Option<&'r str>,
    pub(crate) cookies: Option<&'r str>,
    /// Whether a browser says that nobody asked for it yet (`Sec-Purpose`, `Purpose`).
    pub(crate) is_prefetch: bool,
}

/// What is done with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admission {
    /// The link was opened for the first time: the answer sets the cookie.
    Welcome,
    /// It may read.
    Look,
    /// It may change something, if its form has the token.
    Do,
    /// It is refused, for this reason.
    Refused(Refused),
}

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refused {
    /// Its `Host` is not the loopback address with our port: the name of another site may resolve to this address.
    Host,
    /// Its method is not GET, HEAD or POST.
    Method,
    /// The link was opened before.
    LinkUsed,
    /// A browser fetches the link ahead of anybody who opens it.
    Prefetch,
    /// It has no cookie of this page, or its path is not one of ours.
    Unknown,
    /// Another site's page sent it.
    OtherSite,
    /// It would change something, and its `Origin` is not this page.
    Origin,
    /// Its form lacks the token of this page.
    Form,
}

impl Refused {
    /// The HTTP status of the answer.
    pub(crate) fn status(self) -> u16 {
        match self {
            Refused::Host => 421,
            Refused::Method => 405,
            Refused::LinkUsed => 410,
            Refused::Prefetch => 503,
            _ => 403,
        }
    }

    /// The text of the answer. It contains nothing that somebody else could use.
    pub(crate) fn sentence(self) -> &'static str {
        match self {
            Refused::Host => "this address is not served here",
            Refused::Method => "only looking and sending forms",
            Refused::LinkUsed => {
                "This link was opened before, and works once. If it was not you who opened it, stop the page in its \
                 terminal (Ctrl-C): somebody else on this machine may have. Then start it again for a new link."
            }
            Refused::Prefetch => "open the link; it is not given out before that",
            Refused::Unknown => {
                "Only the browser that opened the page's link sees this. Start the page again in your terminal for a new one."
            }
            Refused::OtherSite | Refused::Origin => "this was sent by another site's page",
            Refused::Form => {
                "this form is of no page of ours; go back, load the page again, and send it again"
            }
        }
    }
}

/// Decides about a request. Only opening the one-time link changes `keys`.
pub(crate) fn judge(asked: &Asked<'_>, keys: &Keys, port: u16) -> Admission {
    let Some(host) = asked.host.filter(|host| is_ours(host, port)) else {
        return Admission::Refused(Refused::Host);
    };
    let sends = match asked.method {
        "GET" | "HEAD" => false,
        "POST" => true,
        _ => return Admission::Refused(Refused::Method),
    };
    if !sends && asked.path.starts_with("/open/") {
        // A HEAD request is a browser's preview: it does not use the link up, and no more does what is fetched ahead.
        return match asked.method {
            "GET" if asked.is_prefetch => Admission::Refused(Refused::Prefetch),
            "GET" => match keys.open(asked.path) {
                Opened::Now => Admission::Welcome,
                Opened::Before => Admission::Refused(Refused::LinkUsed),
                Opened::No => Admission::Refused(Refused::Unknown),
            },
            _ => Admission::Refused(Refused::Method),
        };
    }
    let is_within = asked.path.strip_prefix(keys.base()).is_some_and(|rest| rest.starts_with('/'));
    if !is_within || !asked.cookies.is_some_and(|cookies| keys.has_cookie(cookies)) {
        return Admission::Refused(Refused::Unknown);
    }
    if !asked.fetch_site.is_none_or(|site| matches!(site, "same-origin" | "none")) {
        return Admission::Refused(Refused::OtherSite);
    }
    match sends {
        false => Admission::Look,
        true if asked.origin == Some(&format!("http://{host}")) => Admission::Do,
        true => Admission::Refused(Refused::Origin),
    }
}

/// Whether a `Host` is the loopback address with our port. The name of another site that resolves to this address is not.
fn is_ours(host: &str, port: u16) -> bool {
    host.strip_suffix(&format!(":{port}")) == Some("127.0.0.1")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PORT: u16 = 4321;

    fn keys() -> Keys {
        let mut next = 7;
        Keys::new(&mut || {
            next += 1;
            next
        })
    }

    #[test]
    fn the_door() {
        let keys = keys();
        let base = keys.base().to_owned();
        let page = format!("{base}/review");
        let set = keys.set_cookie();
        let cookie = set.split(';').next();
        let good = Asked {
            method: "POST",
            path: &page,
            host: Some("127.0.0.1:4321"),
            origin: Some("http://127.0.0.1:4321"),
            fetch_site: Some("same-origin"),
            cookies: cookie,
            is_prefetch: false,
        };
        let get = Asked { method: "GET", origin: None, ..good };
        let refused = Admission::Refused;
        let beside = format!("{base}x/review");
        let cases = [
            ("a form", good, Admission::Do),
            ("an old browser", Asked { fetch_site: None, ..good }, Admission::Do),
            (
                "by name",
                Asked { host: Some("localhost:4321"), origin: Some("http://localhost:4321"), ..good },
                refused(Refused::Host),
            ),
            ("a look", get, Admission::Look),
            ("typed", Asked { fetch_site: Some("none"), ..get }, Admission::Look),
            ("no host", Asked { host: None, ..get }, refused(Refused::Host)),
            ("a foreign host", Asked { host: Some("evil.example"), ..get }, refused(Refused::Host)),
            ("rebound", Asked { host: Some("evil.example:4321"), ..get }, refused(Refused::Host)),
            ("another port", Asked { host: Some("127.0.0.1:80"), ..get }, refused(Refused::Host)),
            ("no port", Asked { host: Some("127.0.0.1"), ..get }, refused(Refused::Host)),
            ("a longer name", Asked { host: Some("localhost.evil:4321"), ..get }, refused(Refused::Host)),
            ("a user in it", Asked { host: Some("x@127.0.0.1:4321"), ..get }, refused(Refused::Host)),
            ("no cookie", Asked { cookies: None, ..get }, refused(Refused::Unknown)),
            ("another cookie", Asked { cookies: Some("last_word=1"), ..get }, refused(Refused::Unknown)),
            ("beside the base", Asked { path: &beside, ..get }, refused(Refused::Unknown)),
            ("the root", Asked { path: "/", ..get }, refused(Refused::Unknown)),
            ("no origin", Asked { origin: None, ..good }, refused(Refused::Origin)),
            ("null origin", Asked { origin: Some("null"), ..good }, refused(Refused::Origin)),
            ("https", Asked { origin: Some("https://127.0.0.1:4321"), ..good }, refused(Refused::Origin)),
            ("another", Asked { origin: Some("http://localhost:4321"), ..good }, refused(Refused::Origin)),
            ("cross-site", Asked { fetch_site: Some("cross-site"), ..good }, refused(Refused::OtherSite)),
            ("same-site", Asked { fetch_site: Some("same-site"), ..get }, refused(Refused::OtherSite)),
            ("delete", Asked { method: "DELETE", ..good }, refused(Refused::Method)),
            ("options", Asked { method: "OPTIONS", ..good }, refused(Refused::Method)),
        ];
        for (name, asked, verdict) in cases {
            assert_eq!(judge(&asked, &keys, PORT), verdict, "{name}");
        }
        let link = keys.link_path();
        let open = Asked { path: &link, cookies: None, ..get };
        assert_eq!(judge(&Asked { host: Some("evil:4321"), ..open }, &keys, PORT), refused(Refused::Host));
        assert_eq!(judge(&Asked { method: "HEAD", ..open }, &keys, PORT), refused(Refused::Method));
        assert_eq!(judge(&Asked { method: "POST", ..open }, &keys, PORT), refused(Refused::Unknown));
        assert_eq!(judge(&open, &keys, PORT), Admission::Welcome);
        assert_eq!(judge(&open, &keys, PORT), refused(Refused::LinkUsed));
    }
}
