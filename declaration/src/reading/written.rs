//! What a declaration looks like in YAML and JSON: only its shape. `check` is the way from here to a `Declaration`.

use crate::{self as declaration, Create, Meta, Operation, Scope, Target, VERSION};
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// A declaration as written.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Declaration {
    /// The version of the format.
    pub version: String,
    /// Who says it.
    #[serde(default)]
    pub source: Option<String>,
    /// The changes.
    pub entries: Vec<Entry>,
}

/// A declaration with the pipeline's own block beside it. `J` is the block's type.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "J: Deserialize<'de>"))]
pub struct Job<J> {
    /// The version of the format.
    pub version: String,
    /// Who says it.
    #[serde(default)]
    pub source: Option<String>,
    /// The changes.
    pub entries: Vec<Entry>,
    /// What the pipeline wrote; absent in a declaration that was moved into `pending/` by hand.
    #[serde(default = "Option::default")]
    pub job: Option<J>,
}

/// An entry as written.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Which section of which document.
    pub key: Key,
    /// What is done; derived from the content where absent.
    #[serde(default)]
    pub operation: Option<Operation>,
    /// The new text.
    #[serde(default)]
    pub content: Option<String>,
    /// For `replace`.
    #[serde(default)]
    pub old_text: Option<String>,
    /// For `replace`: how often the section holds it; once where absent.
    #[serde(default)]
    pub expect: Option<i64>,
    /// `own` where absent.
    #[serde(default)]
    pub scope: Option<Scope>,
    /// True where absent.
    #[serde(default)]
    pub create: Option<Create>,
    /// The hash of the section its author saw.
    #[serde(default)]
    pub base: Option<String>,
    /// Why, and how sure.
    #[serde(default)]
    pub meta: Option<Meta>,
}

/// An address as written.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// The document as a file.
    #[serde(default)]
    pub path: Option<String>,
    /// The document as a knowledge base's name.
    #[serde(default)]
    pub kb: Option<String>,
    /// The document as a `file:` URL.
    #[serde(default)]
    pub url: Option<String>,
    /// An item by its id, in place of a heading.
    #[serde(default)]
    pub item: Option<String>,
    /// The heading, alone or with its ancestors.
    #[serde(default)]
    pub heading: Option<Heading>,
    /// 2 where absent.
    #[serde(default)]
    pub level: Option<i64>,
}

/// One text or a list of texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading(pub Vec<String>);

impl<'de> Deserialize<'de> for Heading {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(HeadingVisitor)
    }
}

struct HeadingVisitor;

impl<'de> Visitor<'de> for HeadingVisitor {
    type Value = Heading;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a text or a list of texts")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Heading, E> {
        Ok(Heading(vec![text.to_owned()]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Heading, A::Error> {
        let mut parts = Vec::new();
        while let Some(part) = items.next_element()? {
            parts.push(part);
        }
        Ok(Heading(parts))
    }
}

impl Serialize for declaration::Declaration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let source = Some(self.source.as_str()).filter(|source| !source.is_empty());
        DeclarationOut { version: VERSION, source, entries: &self.entries }.serialize(serializer)
    }
}

impl Serialize for declaration::Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        EntryOut::of(self).serialize(serializer)
    }
}

#[derive(Serialize)]
struct DeclarationOut<'a> {
    version: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a str>,
    entries: &'a [declaration::Entry],
}

#[derive(Serialize)]
struct EntryOut<'a> {
    key: KeyOut<'a>,
    operation: Operation,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expect: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<Scope>,
    #[serde(skip_serializing_if = "Option::is_none")]
    create: Option<Create>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<&'a Meta>,
}

#[derive(Serialize)]
struct KeyOut<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kb: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    heading: Option<HeadingOut<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<u8>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum HeadingOut<'a> {
    One(&'a str),
    Path(&'a [String]),
}

impl<'a> EntryOut<'a> {
    fn of(entry: &'a declaration::Entry) -> Self {
        EntryOut {
            key: KeyOut::of(&entry.key),
            operation: entry.operation,
            old_text: entry.old_text.as_deref(),
            expect: entry.expect,
            content: entry.content.as_deref(),
            scope: Some(entry.scope).filter(|scope| *scope != Scope::default()),
            create: Some(entry.create).filter(|create| *create != Create::default()),
            base: entry.base.as_deref(),
            meta: Some(&entry.meta).filter(|meta| **meta != Meta::default()),
        }
    }
}

impl<'a> KeyOut<'a> {
    fn of(key: &'a declaration::Key) -> Self {
        let item = key.item();
        let heading = match key.heading.as_slice() {
            _ if item.is_some() => None,
            [] => None,
            [one] => Some(HeadingOut::One(one)),
            path => Some(HeadingOut::Path(path)),
        };
        let level = Some(key.level).filter(|level| item.is_none() && *level != super::rules::LEVEL_DEFAULT);
        let mut out = KeyOut { path: None, kb: None, url: None, item, heading, level };
        match &key.target {
            Target::Path(path) => out.path = Some(path),
            Target::Kb(name) => out.kb = Some(name),
            Target::Url(url) => out.url = Some(url),
            Target::Item(_) => {}
        }
        out
    }
}
