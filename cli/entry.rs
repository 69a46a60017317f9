//! One entry by flags, for `enqueue` and `plan`.

use crate::failure::{self, Failure};
use crate::world::World;
use declaration::reading::{self, wire};
use declaration::secrets;
use declaration::{Declaration, Meta, Operation, Problem};

/// One entry by flags.
#[derive(Debug, Default, clap::Args)]
pub struct EntryFlags {
    /// One entry by flags: the knowledge base, or the document's path
    #[arg(long, value_name = "KB|PATH", requires = "heading")]
    pub to: Option<String>,
    /// Its heading; given several times: ancestors first
    #[arg(long, value_name = "TEXT", requires = "to")]
    pub heading: Vec<String>,
    /// Its level, 1 to 6
    #[arg(long, default_value_t = 2, requires = "to", value_name = "N")]
    pub level: i64,
    /// no-op, update, append, replace, clear or delete [default: by the content]
    #[arg(long, value_name = "OP", requires = "to")]
    pub op: Option<String>,
    /// Its text; `-` is standard input
    #[arg(long, value_name = "TEXT|-", requires = "to", allow_hyphen_values = true)]
    pub content: Option<String>,
    /// For replace: the text to be replaced
    #[arg(long, value_name = "TEXT", requires = "to", allow_hyphen_values = true)]
    pub old_text: Option<String>,
    /// Why it is said
    #[arg(long, requires = "to")]
    pub reason: Option<String>,
    /// How sure its author is, 0 to 1
    #[arg(long, requires = "to", value_name = "0..1")]
    pub confidence: Option<f64>,
    /// Where its author has it from; never more trusted than the author itself
    #[arg(long, requires = "to", value_name = "CLASS")]
    pub trust: Option<TrustName>,
    /// From that day on `status` asks whether it still holds
    #[arg(long, requires = "to", value_name = "YYYY-MM-DD")]
    pub review_by: Option<String>,
}

/// A class of trust.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum TrustName {
    User,
    Agent,
    Tool,
    Web,
}

impl TrustName {
    pub fn trust(self) -> declaration::Trust {
        match self {
            TrustName::User => declaration::Trust::User,
            TrustName::Agent => declaration::Trust::Agent,
            TrustName::Tool => declaration::Trust::Tool,
            TrustName::Web => declaration::Trust::Web,
        }
    }
}

/// One entry from flags, held to the same rules as one from a file.
pub fn by_flags(args: &EntryFlags, world: &World) -> Result<Result<Declaration, Vec<Problem>>, Failure> {
    let to = args.to.clone().unwrap_or_default();
    let is_path = to.contains('/') || to.starts_with('~') || to.ends_with(".md");
    let (path, kb) = if is_path { (Some(to), None) } else { (None, Some(to)) };
    let content = match args.content.as_deref() {
        Some("-") => {
            let bytes = world.read_input("-")?;
            let refuse = |_| Failure::new("standard input is not UTF-8 text").code(failure::REFUSED);
            Some(String::from_utf8(bytes).map_err(refuse)?)
        }
        text => text.map(str::to_owned),
    };
    let entry = wire::Entry {
        key: wire::Key {
            path,
            kb,
            url: None,
            heading: Some(wire::Heading(args.heading.clone())),
            level: Some(args.level),
        },
        operation: args.op.as_deref().map(operation).transpose()?,
        content,
        old_text: args.old_text.clone(),
        scope: None,
        create: None,
        base: None,
        meta: Some(Meta {
            confidence: args.confidence,
            reason: args.reason.clone(),
            trust: args.trust.map(TrustName::trust),
            review_by: args.review_by.clone(),
            ..Meta::default()
        }),
    };
    let version = declaration::VERSION.to_owned();
    let checked = reading::check(wire::Declaration { version, source: None, entries: vec![entry] });
    // A message quotes what it is about.
    Ok(checked.map_err(|problems| secret(args).map_or(problems, |secret| vec![secret])))
}

fn secret(args: &EntryFlags) -> Option<Problem> {
    let texts = [
        ("--to", &args.to),
        ("--content", &args.content),
        ("--old-text", &args.old_text),
        ("--reason", &args.reason),
    ];
    let texts = texts.into_iter().filter_map(|(flag, text)| Some((flag, text.as_deref()?)));
    let headings = args.heading.iter().map(|heading| ("--heading", heading.as_str()));
    texts.chain(headings).find_map(|(flag, text)| secrets::problem(flag, text))
}

fn operation(name: &str) -> Result<Operation, Failure> {
    use Operation::{Append, Clear, Delete, NoOp, Replace, Update};
    let known = [NoOp, Update, Append, Replace, Clear, Delete];
    known.into_iter().find(|operation| operation.as_str() == name).ok_or_else(|| {
        Failure::new(format!("there is no operation `{name}`"))
            .hint("no-op, update, append, replace, clear, delete")
            .code(failure::USAGE)
    })
}
