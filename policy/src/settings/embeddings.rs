//! Where the meaning of texts is asked for: a server on this machine that makes vectors of texts. Off unless a person names one.

use super::overlay::Fields;
use declaration::Code;
use serde::{Deserialize, Serialize};
use std::net::{Ipv4Addr, Ipv6Addr};

/// How long a question waits for its vector where nothing else is said.
const DEADLINE_MS: u64 = 500;
/// A longer wait is a slip.
const DEADLINE_MS_MAX: u64 = 60_000;

/// A server that makes vectors of texts, in the dialect of OpenAI.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Embeddings {
    /// Its address, on this machine: what documents say does not leave it.
    pub url: String,
    /// The model it is asked for; vectors of another one are made again.
    pub model: String,
    /// What a model wants before a question.
    pub query_prefix: String,
    /// What it wants before what is searched.
    pub document_prefix: String,
    /// How long a question waits; after that words alone answer.
    pub deadline_ms: u64,
}

/// The file's server; `default` where it names none.
pub(super) fn embeddings(fields: &mut Fields<'_>, default: Option<Embeddings>) -> Option<Embeddings> {
    let Some(url) = fields.text("embeddings.url") else { return default };
    if !is_of_this_machine(&url) {
        let says = format!("is `{url}`: not an http:// address of this machine");
        let hint = "what your documents say is sent there, so only 127.0.0.1, [::1] or localhost is asked; \
                    another server can be reached through a tunnel or a proxy that you start";
        fields.note("embeddings.url", Code::BadUrl, says, hint);
    }
    let deadline_ms = fields.millis("embeddings.deadline").unwrap_or(DEADLINE_MS);
    if !(1..=DEADLINE_MS_MAX).contains(&deadline_ms) {
        let says = format!("is {deadline_ms} ms, not within 1 ms to 1 m");
        fields.note("embeddings.deadline", Code::OutOfRange, says, "500ms, say");
    }
    let text = |path: &str| fields.text(path).unwrap_or_default();
    Some(Embeddings {
        model: text("embeddings.model"),
        query_prefix: text("embeddings.query_prefix"),
        document_prefix: text("embeddings.document_prefix"),
        deadline_ms,
        url,
    })
}

/// Whether an address begins with `http://` and a host of this machine. One with a user or a password in it does not.
fn is_of_this_machine(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("http://") else { return false };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if url.chars().any(|c| c.is_whitespace() || c.is_control() || c == '\\') {
        return false;
    }
    let (name, port) = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((name, rest)) => (name, rest.strip_prefix(':').or(rest.is_empty().then_some("80"))),
        None => host.split_once(':').map_or((host, Some("80")), |(name, port)| (name, Some(port))),
    };
    let is_loopback = name == "localhost"
        || name.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
        || (host.starts_with('[') && name.parse::<Ipv6Addr>().is_ok_and(|address| address.is_loopback()));
    is_loopback && port.is_some_and(|port| port.parse::<u16>().is_ok_and(|port| port > 0))
}

#[cfg(test)]
mod tests {
    use super::is_of_this_machine;

    #[test]
    fn only_addresses_of_this_machine_are_asked() {
        for good in [
            "http://127.0.0.1:8080/v1/embeddings",
            "http://127.1.2.3/v1",
            "http://localhost:1",
            "http://[::1]:9/x",
            "http://[::1]/x",
        ] {
            assert!(is_of_this_machine(good), "{good}");
        }
        for bad in [
            "https://127.0.0.1/v1",
            "http://example.com/v1",
            "http://127.0.0.1.example.com/",
            "http://127.0.0.1@example.com/",
            "http://user:secret@127.0.0.1/",
            "http://localhost.example.com/",
            "http://10.0.0.1:80/",
            "http://[::ffff:10.0.0.1]/",
            "http://127.0.0.1:0/",
            "http://127.0.0.1:70000/",
            "http://127.0.0.1\\@example.com/",
            "http://2130706433/",
            "http://",
            "unix:/tmp/x",
            "",
        ] {
            assert!(!is_of_this_machine(bad), "{bad}");
        }
    }
}
