//! `adopt`: shows what other agents' memories on this machine know, takes it over, and takes an adoption back.

use crate::failure::Failure;
use crate::language::said;
use crate::progress;
use crate::question;
use crate::render::{self, Tone};
use crate::screen;
use crate::table::cut;
use crate::visible::visible;
use crate::world::World;
use engine::output::{AdoptedEntry, Adoption, AdoptionUndone, ManagedInPlace, NotAdopted};
use engine::{Adoptable, Stores};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How many entries of one group are shown: the first of these with which all fits into the window.
const SHOWN: [usize; 6] = [40, 20, 10, 5, 3, 1];
/// What shows all of them.
const SHOWS_ALL: &str = "last-word adopt --dry-run -v";
/// Rows below the list: the question, and what is typed.
const ROWS_BELOW: usize = 3;
/// What stands before an entry's text, in columns: its indent and `changed: `.
const INDENT: usize = 11;
/// The longest text that is shown, in columns.
const TEXT_WIDTH: usize = 100;

/// Take over what other agents' memories know: Claude Code, Codex, Gemini, Cursor and more
#[derive(Debug, clap::Args)]
#[command(
    after_help = "It shows what is new, with where it stands, and asks before it takes anything over. The memories are only read. What it
takes over are facts like those you `remember`, dated as their source says and trusted as an agent's word; the same thing in
several memories becomes one. Run again it takes over only what is new or has changed.

Examples:
  last-word adopt --dry-run             only look
  last-word adopt claude_code codex     only from these
  last-word adopt --from ~/old-laptop   from a copy of another home directory
  last-word adopt --in-place CLAUDE.md  manage it where it is
  last-word adopt --in-place CLAUDE.md GEMINI.md --copy-of AGENTS.md
                                        and keep a copy of AGENTS.md in both
  last-word adopt --undo                take the last adoption back"
)]
pub struct Args {
    /// The systems [default: all that are found]
    #[arg(value_name = "SYSTEM", conflicts_with = "undo")]
    pub system: Vec<String>,
    /// Another home directory, and project, than your own
    #[arg(long, value_name = "DIR", conflicts_with = "undo")]
    pub from: Option<PathBuf>,
    /// Manage these documents where they are: a knowledge base for each, and nothing is copied
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["undo", "system", "from", "dry_run"])]
    pub in_place: Vec<PathBuf>,
    /// With --in-place: each keeps a copy of this document, in a block of its own
    #[arg(long, value_name = "FILE", requires = "in_place")]
    pub copy_of: Option<PathBuf>,
    /// Show what there is, and take nothing over
    #[arg(long, conflicts_with = "undo")]
    pub dry_run: bool,
    /// Take it over without asking
    #[arg(long, short)]
    pub yes: bool,
    /// Take an adoption back: this one, or the last; what was edited since stays
    #[arg(long, value_name = "ADOPTION", num_args = 0..=1, default_missing_value = "")]
    pub undo: Option<String>,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    world.check()?;
    if let Some(adoption) = &args.undo {
        return undo(world, Some(adoption.as_str()).filter(|id| !id.is_empty()));
    }
    if !args.in_place.is_empty() {
        return in_place(world, &args.in_place, args.copy_of.as_deref());
    }
    let adoptable = look_for(world, &args.system, args.from.as_deref())?;
    if !world.json {
        show(world, &adoptable.found)?;
    }
    if args.dry_run || adoptable.found.entries.is_empty() {
        return if world.json { render::json(&adoptable.found).map(|()| 0) } else { Ok(0) };
    }
    let asks = !args.yes && !world.json && world.interactive();
    let chosen = if asks { chosen(world, adoptable, args.from.as_deref())? } else { Some(adoptable) };
    let Some(adoptable) = chosen else { return Ok(0) };
    world.who("enqueue", None)?;
    let take = || world.adopt(&world.person_calls(), adoptable);
    let taken = progress::waiting("declaring what was chosen", take)?;
    if world.json {
        render::json(&taken)?;
        return Ok(0);
    }
    say_taken(&taken)
}

/// Has documents managed where they are.
fn in_place(world: &World, paths: &[PathBuf], copy_of: Option<&Path>) -> Result<u8, Failure> {
    let manage = || world.manage_in_place(&world.caller(None, None), paths, copy_of);
    let managed = progress::waiting("reading the documents", manage)?;
    if world.json {
        return render::json(&managed).map(|()| 0);
    }
    for ManagedInPlace { kb, path, new } in &managed {
        let path = world.short(path);
        render::say(&match new {
            true => format!("{path} is managed where it is, as `{kb}`"),
            false => format!("{path} was managed already, as `{kb}`"),
        })?;
    }
    if let Some(of) = copy_of {
        return render::say(&format!(
            "`last-word work` copies {} into them, and again when it changes",
            of.display()
        ))
        .map(|()| 0);
    }
    render::say(
        "`last-word read KB` shows one with what waits for it; `last-word recall` finds what they say",
    )?;
    Ok(0)
}

/// What the systems know that this home does not.
fn look_for(world: &World, systems: &[String], from: Option<&Path>) -> Result<Adoptable, Failure> {
    let from = from.map(|dir| world.cwd.join(dir));
    let project = from.clone().or_else(|| world.project());
    let own = from.is_none();
    let variable =
        |name: &str| std::env::var_os(name).filter(|value| own && !value.is_empty()).map(PathBuf::from);
    let stores = Stores { systems, from: from.as_deref(), project: project.as_deref(), variable: &variable };
    progress::waiting("reading what other agents know", || world.adoptable(&stores, &world.cwd))
}

/// What somebody wants of it: all, what some systems know, or nothing.
fn chosen(world: &World, adoptable: Adoptable, from: Option<&Path>) -> Result<Option<Adoptable>, Failure> {
    let systems = adoptable.found.systems.iter().filter(|system| system.entries > 0);
    let names: Vec<&str> = systems.map(|system| system.system).collect();
    let entries = entries(adoptable.found.entries.len());
    let question = format!("take {entries} over? `y` all, or the systems to take ({})", names.join(" "));
    match question::answer(&format!("{} [y/N] ", said(&question)))?.as_deref() {
        Some("y" | "Y" | "yes") => Ok(Some(adoptable)),
        None | Some("" | "n" | "N" | "no") => Ok(None),
        Some(some) => {
            let some: Vec<String> =
                some.split([' ', ',']).filter(|name| !name.is_empty()).map(str::to_owned).collect();
            let adoptable = look_for(world, &some, from)?;
            Ok(Some(adoptable).filter(|adoptable| !adoptable.found.entries.is_empty()))
        }
    }
}

/// Offers what is found, where there is anything new: `init` does so.
pub fn offer(world: &World, yes: bool) -> Result<(), Failure> {
    let adoptable = look_for(world, &[], None)?;
    if adoptable.found.entries.is_empty() {
        return Ok(());
    }
    render::say("\nwhat other agents know on this machine:")?;
    show(world, &adoptable.found)?;
    let chosen = if yes { Some(adoptable) } else { chosen(world, adoptable, None)? };
    let Some(adoptable) = chosen else { return render::say("later: last-word adopt") };
    world.who("enqueue", None)?;
    let take = || world.adopt(&world.person_calls(), adoptable);
    say_taken(&progress::waiting("declaring what was chosen", take)?).map(drop)
}

/// What was found, as much of it as the window holds: fewer entries of each group, so that every group is seen.
fn show(world: &World, found: &Adoption) -> Result<(), Failure> {
    let rows = world.page.height.filter(|_| world.verbose == 0).map(|rows| rows.saturating_sub(ROWS_BELOW));
    let lines = |most| lines(world, found, most);
    let fits = |lines: &Vec<String>| rows.is_none_or(|rows| screen::all_rows(world.page, lines) <= rows);
    let lines = match world.verbose {
        0 => SHOWN.into_iter().map(lines).find(fits).unwrap_or_else(|| lines(1)),
        _ => lines(usize::MAX),
    };
    let shown = screen::fitting(world.page, lines, rows, SHOWS_ALL);
    shown.iter().try_for_each(|line| render::line(&said(line)))
}

/// The lines for what was found, with so many entries of each group.
fn lines(world: &World, found: &Adoption, most: usize) -> Vec<String> {
    if found.systems.is_empty() {
        let named = "another home directory is named with --from";
        return vec!["no other agent's memory is found here".to_owned(), named.to_owned()];
    }
    let mut lines = Vec::new();
    for system in &found.systems {
        let days = match (&system.from, &system.to) {
            (Some(from), Some(to)) if from != to => format!(", {from} to {to}"),
            (Some(from), _) => format!(", {from}"),
            _ => String::new(),
        };
        let beyond = match system.beyond {
            0 => String::new(),
            more => format!(" ({more} of them beyond what is taken over at a time)"),
        };
        lines.push(format!("{:<34} {}{days}{beyond}", system.title, entries(system.entries)));
    }
    let mut groups: BTreeMap<(bool, String), Vec<&AdoptedEntry>> = BTreeMap::new();
    for entry in &found.entries {
        groups.entry((entry.waits.is_some(), target(entry))).or_default().push(entry);
    }
    for ((waits, target), entries) in &groups {
        let what = if *waits { "will wait for your yes" } else { "to take over" };
        lines.extend(group(world, &format!("{what}, {target}"), entries, most));
    }
    lines.extend(left_out(world, &found.left_out, most));
    if found.known > 0 {
        lines.extend([String::new(), format!("known already: {}", found.known)]);
    }
    if found.entries.is_empty() {
        lines.extend([String::new(), "nothing new to take over".to_owned()]);
    }
    lines
}

/// Where an entry goes: a family of documents counts as one.
fn target(entry: &AdoptedEntry) -> String {
    match entry.kb.split(':').next().filter(|kb| !kb.is_empty()) {
        Some(kb) => format!("into {kb}"),
        None => "in place of what an item says now".to_owned(),
    }
}

/// An item with the lines below it, as a list shows it.
fn on_one_line(text: &str) -> String {
    visible(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}

fn entries(number: usize) -> String {
    if number == 1 { "1 entry".to_owned() } else { format!("{number} entries") }
}

fn group(world: &World, title: &str, entries: &[&AdoptedEntry], most: usize) -> Vec<String> {
    let mut lines = vec![String::new(), format!("{title} ({}):", entries.len())];
    for entry in entries.iter().take(most) {
        let changed = if entry.item.is_some() { "changed: " } else { "" };
        lines.push(format!("  {changed}{}", cut(&on_one_line(&entry.text), width(world), false)));
        let mut origins: Vec<String> = Vec::new();
        for origin in entry.origins.iter().map(|origin| place(world, &origin.path, origin.line)) {
            // Two systems may read the same file.
            if !origins.contains(&origin) {
                origins.push(origin);
            }
        }
        let day = entry.said_at.get(..10).map_or_else(String::new, |day| format!("{day}  "));
        lines.push(world.page.paint(Tone::Dim, &format!("      {day}{}", visible(&origins.join(", ")))));
        if let Some(why) = entry.waits {
            let other = entry.contradicts.as_ref().map_or_else(String::new, |other| format!(": {other}"));
            lines.push(format!("      {why}{}", cut(&visible(&other), width(world), false)));
        }
    }
    lines.extend(more(entries.len(), most));
    lines
}

fn left_out(world: &World, left: &[NotAdopted], most: usize) -> Vec<String> {
    if left.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![String::new(), format!("left out ({}):", left.len())];
    for left in left.iter().take(most) {
        let what = if left.what.is_empty() { String::new() } else { format!(": {}", left.what) };
        let line = format!("{}: {}{what}", place(world, &left.path, left.line), left.why);
        lines.push(format!("  {}", cut(&on_one_line(&line), TEXT_WIDTH + TEXT_WIDTH / 2, false)));
    }
    lines.extend(more(left.len(), most));
    lines
}

/// The line that counts what is not shown of a group.
fn more(number: usize, most: usize) -> Option<String> {
    let more = number.checked_sub(most).filter(|more| *more > 0)?;
    Some(format!("  and {more} more ({SHOWS_ALL})"))
}

/// How wide an entry's text gets, in columns: it stays on one row.
fn width(world: &World) -> usize {
    world.page.width.map_or(TEXT_WIDTH, |columns| TEXT_WIDTH.min(columns.saturating_sub(INDENT)))
}

fn place(world: &World, path: &Path, line: usize) -> String {
    match line {
        0 => world.short(path),
        line => format!("{}:{line}", world.short(path)),
    }
}

fn say_taken(taken: &Adoption) -> Result<u8, Failure> {
    let waits = taken.entries.iter().filter(|entry| entry.waits.is_some()).count();
    if !taken.added.is_empty() {
        render::say(&format!("\nadded to config.yaml: {}", taken.added.join(", ")))?;
    }
    let adoption = taken.adoption.as_deref().unwrap_or_default();
    render::say(&format!(
        "\ntaken over: {} (adoption {adoption}), safe in the queue",
        entries(taken.jobs.len())
    ))?;
    render::say(
        "  `last-word work` merges them; then `last-word recall WORDS` finds them. Those without a day are not shown at a session's start",
    )?;
    if waits > 0 {
        let wait = if waits == 1 { "waits" } else { "wait" };
        render::say(&format!("  {waits} of them {wait} for your yes then: `last-word review`"))?;
    }
    render::say(&format!("  `last-word adopt --undo {adoption}` takes all of it back"))?;
    Ok(0)
}

fn undo(world: &World, adoption: Option<&str>) -> Result<u8, Failure> {
    let who = world.who("rollback", None)?;
    let take_back = || world.undo_adoption(&world.person_calls(), &who, adoption);
    let undone = progress::waiting("taking it back", take_back)?;
    if world.json {
        render::json(&undone)?;
        return Ok(0);
    }
    let AdoptionUndone { adoption, put_back, created, lines, retired, kept, ended, jobs } = &undone;
    render::say(&format!("adoption {adoption} is taken back:"))?;
    for document in put_back {
        let what = match created.contains(document) {
            true => "was not there before, and goes if nobody else wrote into it",
            false => "goes back to its text of before",
        };
        render::say(&format!("  {} {what}", world.short(document)))?;
    }
    if !lines.is_empty() {
        let lines = lines.join(", ");
        render::say(&format!("  {lines}: added to config.yaml, and taken out if nobody else uses them"))?;
    }
    if !retired.is_empty() {
        let items = render::count(retired.len(), "item");
        render::say(&format!("  {items} retired, because their document was changed otherwise, too"))?;
    }
    for item in kept {
        render::say(&format!("  {} stays, somebody edited it: {}", item.item, on_one_line(&item.text)))?;
    }
    if !ended.is_empty() {
        render::say(&format!("  {} that waited for a yes ended", render::count(ended.len(), "job")))?;
    }
    if !jobs.is_empty() {
        render::say("`last-word work` does it")?;
    }
    Ok(0)
}
