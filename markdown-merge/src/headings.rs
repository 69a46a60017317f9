//! Which sections may change, held against the document itself: however an entry was addressed and whatever it reached,
//! a section that is denied reads as before.

use super::document::Document;
use super::listing::{self, Section};
use super::refusal::refuse;
use super::{Refusal, RefusalCode, Rules, is_same_heading};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Which headings may be written. Empty `allow`: all that are not denied.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Headings {
    /// Only these.
    pub allow: Vec<String>,
    /// Never these.
    pub deny: Vec<String>,
    /// These only after a person's yes.
    pub review: Vec<String>,
}

/// The sections as they were, where some are denied.
pub(super) struct Guard<'r> {
    headings: &'r Headings,
    before: Vec<Section>,
}

impl<'r> Guard<'r> {
    /// Looks at the sections; `None` where every one may change.
    pub(super) fn before(document: &Document, rules: &'r Rules) -> Option<Guard<'r>> {
        let headings = &rules.headings;
        let free = headings.allow.is_empty() && headings.deny.is_empty() && headings.review.is_empty();
        (!free).then(|| Guard { headings, before: listing::sections(document) })
    }

    /// The refusal for the first section that changed and may not, or not without a yes.
    pub(super) fn changed(&self, document: &Document) -> Option<Refusal> {
        let after = listing::sections(document);
        let mut counts: HashMap<(&[String], &str), i64> = HashMap::new();
        for section in &self.before {
            *counts.entry((&section.heading, &section.hash)).or_default() -= 1;
        }
        for section in &after {
            *counts.entry((&section.heading, &section.hash)).or_default() += 1;
        }
        let mut changed: Vec<&[String]> =
            counts.into_iter().filter(|(_, count)| *count != 0).map(|((heading, _), _)| heading).collect();
        changed.sort_unstable();
        let refused = changed.iter().find_map(|heading| self.refused(heading));
        refused.or_else(|| changed.iter().find_map(|heading| self.asks(heading)))
    }

    fn refused(&self, heading: &[String]) -> Option<Refusal> {
        let denied = is_listed(heading, &self.headings.deny);
        let allowed = self.headings.allow.is_empty()
            || is_listed(heading, &self.headings.allow)
            || is_listed(heading, &self.headings.review);
        (denied || !allowed).then(|| {
            refuse(RefusalCode::HeadingDenied, format!("{} may not be written", shown(heading)))
                .hint("see `headings` of that knowledge base in config.yaml")
        })
    }

    fn asks(&self, heading: &[String]) -> Option<Refusal> {
        is_listed(heading, &self.headings.review).then(|| {
            refuse(RefusalCode::NeedsReview, format!("changes to {} need your approval", shown(heading)))
                .hint("a person must say yes to it first")
        })
    }
}

fn is_listed(heading: &[String], list: &[String]) -> bool {
    heading.iter().any(|part| list.iter().any(|listed| is_same_heading(part, listed)))
}

fn shown(heading: &[String]) -> String {
    match heading {
        [] => "the text before the first heading".to_owned(),
        parts => format!("heading `{}`", parts.join(" > ")),
    }
}
