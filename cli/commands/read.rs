//! `read`: a document or one section as it is now, then what was declared for it and still waits.

use crate::failure::{self, Failure};
use crate::render;
use crate::world::World;
use engine::{SectionNamed, output};

/// A document or one section of it, and what still waits for it
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The knowledge base, or the document's path
    #[arg(value_name = "KB|PATH")]
    pub what: String,
    /// Only this section; given several times: ancestors first
    #[arg(long, value_name = "TEXT")]
    pub heading: Vec<String>,
    /// The section's level [default: that of the only section with this heading]
    #[arg(long, value_name = "N", requires = "heading")]
    pub level: Option<u8>,
    /// With the sections below it
    #[arg(long, requires = "heading")]
    pub subtree: bool,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    world.check()?;
    let section = SectionNamed { heading: args.heading.clone(), level: args.level, subtree: args.subtree };
    let read = world.read(&args.what, &section, &world.cwd)?;
    if world.json {
        render::json_sorted(&read)?;
        let nothing = read.text.is_none() && read.waiting.is_empty();
        return Ok(if nothing { failure::COULD_NOT } else { 0 });
    }
    print(world, args, &read)
}

fn print(world: &World, args: &Args, read: &output::ReadText) -> Result<u8, Failure> {
    let output::ReadText { text, waiting, archived, .. } = read;
    if text.is_none() && waiting.is_empty() && archived.is_none() {
        return Err(Failure::new(format!("{} has no section `{}`", args.what, args.heading.join(" > ")))
            .hint(format!("last-word read {}", args.what)));
    }
    if let Some(text) = text.as_ref().filter(|text| !text.is_empty()) {
        render::read(text.trim_end_matches('\n'))?;
    }
    if let Some(archived) = archived {
        let file = world.short(&archived.document);
        render::say(&format!("\n<!-- {file} has this day, too; put both into one file: -->"))?;
        render::read(archived.text.trim_end_matches('\n'))?;
    }
    if waiting.is_empty() {
        if text.as_ref().is_some_and(|text| text.trim().is_empty()) {
            render::tell("nothing stands there yet, and nothing waits for it");
        }
        return Ok(0);
    }
    render::say("\n<!-- declared, not merged yet: -->")?;
    for waiting in waiting {
        for entry in &waiting.entries {
            let about = format!("{} `{}`", entry.operation.as_str(), entry.key.heading.join(" > "));
            render::line(&format!(
                "<!-- {}: {about} ({}) -->",
                waiting.id,
                waiting.place.describe(&crate::advice::sentence)
            ))?;
            if let Some(content) = &entry.content {
                render::read(content.trim_end_matches('\n'))?;
            }
        }
    }
    Ok(0)
}
