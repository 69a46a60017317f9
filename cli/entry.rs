//! One entry by flags, for `enqueue` and `plan`.

use crate::args::one_of;
use crate::failure::{Exit, Failure};
use crate::replaces::Given;
use crate::world::World;
use declaration::{Code, Create, Declaration, Operation, Problem, Trust};
use engine::EntryFields;

/// What `--create` may say.
const CREATES: [Create; 3] = [Create::Section, Create::Never, Create::Ancestors];

/// One entry by flags.
#[derive(Debug, Default, clap::Args)]
pub struct EntryFlags {
    /// One entry by flags: the knowledge base, or the document's path
    #[arg(long, value_name = "KB|PATH", requires = "place")]
    pub to: Option<String>,
    /// Its heading; given several times: ancestors first
    #[arg(long, value_name = "TEXT", requires = "to", group = "place")]
    pub heading: Vec<String>,
    /// In place of a heading: the item with this id
    #[arg(long, value_name = "ID", group = "place")]
    pub item: Option<String>,
    /// Its level, 1 to 6
    #[arg(long, default_value_t = 2, requires = "to", value_name = "N")]
    pub level: i64,
    /// append adds to the section, prepend at its beginning, update replaces it; also rename (its heading), replace (with
    /// --old-text), upsert_row (of a table, by its first cell), upsert_item (of a list, by the words before its colon), insert_before
    /// and insert_after (a section with its heading beside this one), move (to first, last, before: or after: a heading beside
    /// it), add_value and remove_value (of a list in the front matter), clear, delete, no-op; add, and with --item revise, supersede, retire, restore, check, uncheck [default: update, where that replaces nothing]
    #[arg(long, value_name = "OP", requires = "place", value_parser = Operation::WORDS, hide_possible_values = true)]
    pub op: Option<String>,
    /// Its text; `-` is standard input
    #[arg(long, value_name = "TEXT|-", requires = "place", allow_hyphen_values = true)]
    pub content: Option<String>,
    /// Its text, from a file: no shell looks into it
    #[arg(long, value_name = "FILE", requires = "place", conflicts_with = "content")]
    pub content_file: Option<String>,
    /// For replace: the text to be replaced. For an item: what it says now, else the change is a conflict
    #[arg(long, value_name = "TEXT", requires = "place", allow_hyphen_values = true)]
    pub old_text: Option<String>,
    /// For replace: how many times that text must occur; all are replaced [default: once]
    #[arg(long, value_name = "N", requires = "old_text")]
    pub expect: Option<i64>,
    /// Whether a missing section is made: true, false, or ancestors, which makes the missing ones above it too
    #[arg(long, value_name = "WHETHER", requires = "to", value_parser = one_of(&CREATES, Create::as_str), hide_possible_values = true)]
    pub create: Option<Create>,
    /// Why it is said
    #[arg(long, requires = "place")]
    pub reason: Option<String>,
    /// How sure its author is, 0 to 1
    #[arg(long, requires = "place", value_name = "0..1")]
    pub confidence: Option<f64>,
    /// Source; cannot raise the trust of who declares it
    #[arg(long, requires = "place", value_name = "CLASS", value_parser = one_of(&Trust::ALL, Trust::as_str))]
    pub trust: Option<Trust>,
    /// From that day on `status` asks whether it still holds
    #[arg(long, requires = "place", value_name = "YYYY-MM-DD")]
    pub review_by: Option<String>,
}

impl EntryFlags {
    /// Whether an entry is given by them.
    pub fn is_given(&self) -> bool {
        self.to.is_some() || self.item.is_some()
    }

    /// How it was given: needed to ask a question about it.
    pub fn given(&self) -> Given {
        Given {
            by_flags: true,
            on_standard_input: [&self.content, &self.content_file].contains(&&Some("-".to_owned())),
            empty: self.content.as_deref() == Some(""),
        }
    }
}

/// One entry from flags, checked by the same rules as one from a file.
pub fn by_flags(args: &EntryFlags, world: &World) -> Result<Result<Declaration, Vec<Problem>>, Failure> {
    let content = content(args, world)?;
    if args.op.is_none() && content.is_none() {
        let problem = Problem::new(Code::ContentMissing, "there is no --content")
            .hint("give --content TEXT, --content-file FILE, or `--content -` for standard input; to empty a section say --op clear, to remove it --op delete");
        return Ok(Err(vec![problem]));
    }
    let operation = Operation::ALL.iter().find(|known| args.op.as_deref() == Some(known.as_str()));
    if content.is_none() && operation.is_some_and(|operation| operation.writes_text()) {
        let problem = Problem::new(Code::ContentMissing, "--content is missing")
            .hint("say the text with --content, or with --content-file; to empty a section: --op clear");
        return Ok(Err(vec![problem]));
    }
    let fields = EntryFields {
        to: args.to.clone().unwrap_or_default(),
        item: args.item.clone(),
        heading: args.heading.clone(),
        level: Some(args.level),
        op: args.op.clone(),
        content,
        old_text: args.old_text.clone(),
        base: None,
        expect: args.expect,
        create: args.create,
        confidence: args.confidence,
        reason: args.reason.clone(),
        trust: args.trust,
        review_by: args.review_by.clone(),
    };
    fields.declaration()
}

/// The text, read from where the flag says.
fn content(args: &EntryFlags, world: &World) -> Result<Option<String>, Failure> {
    let (name, what) = match (&args.content_file, args.content.as_deref()) {
        (Some(file), _) => (file.as_str(), file.as_str()),
        (None, Some("-")) => ("-", "standard input"),
        (None, text) => return Ok(text.map(str::to_owned)),
    };
    let refuse = |_| Failure::new(format!("{what} is not UTF-8 text")).exit(Exit::Refused);
    String::from_utf8(world.read_given(name)?).map(Some).map_err(refuse)
}
