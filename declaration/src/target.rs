//! How a declaration names its document, before anybody knows which document that is.

/// How a declaration names its document.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// The file, as written by the author (`~` and relative paths not yet resolved).
    Path(String),
    /// The name of a knowledge base of the configuration.
    Kb(String),
    /// A `file:` URL.
    Url(String),
    /// The document that holds the item with this id. Who enqueues puts its knowledge base in this place.
    Item(String),
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Target::Path(text) | Target::Kb(text) | Target::Url(text) => f.write_str(text),
            Target::Item(_) => f.write_str("its document"),
        }
    }
}

/// The path a `file:` URL means; `None` when it is not one, is of another host, or is relative.
#[must_use]
pub fn file_url(url: &str) -> Option<String> {
    let rest =
        url.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("file://")).and_then(|_| url.get(7..))?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let decoded = percent_decoded(path)?;
    (path.starts_with('/') && !path.contains(['?', '#']) && !decoded.contains('\0')).then_some(decoded)
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [char::from(rest.next()?).to_digit(16)?, char::from(rest.next()?).to_digit(16)?];
        bytes.push(u8::try_from(digits[0] * 16 + digits[1]).ok()?);
    }
    String::from_utf8(bytes).ok()
}
