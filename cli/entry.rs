//! One entry by flags, for `enqueue` and `plan`.

use crate::args::EntryFlags;
use crate::failure::{Exit, Failure};
use crate::world::World;
use declaration::{Declaration, Problem};
use engine::EntryFields;

/// One entry from flags, held to the same rules as one from a file.
pub fn by_flags(args: &EntryFlags, world: &World) -> Result<Result<Declaration, Vec<Problem>>, Failure> {
    let content = match args.content.as_deref() {
        Some("-") => {
            let bytes = world.read_input("-")?;
            let refuse = |_| Failure::new("standard input is not UTF-8 text").exit(Exit::Refused);
            Some(String::from_utf8(bytes).map_err(refuse)?)
        }
        text => text.map(str::to_owned),
    };
    let fields = EntryFields {
        to: args.to.clone().unwrap_or_default(),
        heading: args.heading.clone(),
        level: Some(args.level),
        op: args.op.clone(),
        content,
        old_text: args.old_text.clone(),
        confidence: args.confidence,
        reason: args.reason.clone(),
        trust: args.trust.map(crate::args::TrustName::trust),
        review_by: args.review_by.clone(),
    };
    fields.declaration()
}
