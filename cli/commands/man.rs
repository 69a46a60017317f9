//! `man`: the manual pages, generated from the command line itself.

use crate::args;
use crate::failure::{self, Failure};
use crate::render;
use crate::world::World;
use clap::Command;
use clap_mangen::Man as Page;
use durable::{Attributes, Disk};
use std::path::PathBuf;

/// Print the manual pages
#[derive(Debug, clap::Args)]
#[command(
    after_help = "`man` finds pages below ~/.local/share/man where `manpath` lists it; else: man -M ~/.local/share/man last-word

Examples:
  last-word man resolve | man -l -
  last-word man --dir ~/.local/share/man/man1"
)]
pub struct Args {
    /// The command [default: the page on all of it]
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
    /// Write the pages of all commands into this directory
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub dir: Option<PathBuf>,
}

pub fn run(own: &Args, world: &World) -> Result<u8, Failure> {
    // Without the commit: the pages of one version are the same bytes wherever they are made.
    let root = args::whole().version(env!("CARGO_PKG_VERSION")).flatten_help(false);
    if let Some(dir) = &own.dir {
        return write_all(world, &world.cwd.join(dir), &root).map(|()| 0);
    }
    let page = match &own.command {
        None => page(root)?,
        Some(name) => page(subcommand(&root, name).ok_or_else(|| {
            Failure::new(format!("there is no command `{name}`"))
                .hint("last-word --help")
                .exit(failure::Exit::Usage)
        })?)?,
    };
    render::line(String::from_utf8_lossy(&page).trim_end())?;
    Ok(0)
}

/// `last-word.1`, and `last-word-<command>.1` for each.
fn write_all(world: &World, dir: &std::path::Path, root: &Command) -> Result<(), Failure> {
    let names = root.get_subcommands().filter(|command| !command.is_hide_set());
    let mut pages = vec![("last-word.1".to_owned(), page(root.clone())?)];
    for name in names.map(|command| command.get_name().to_owned()) {
        if let Some(command) = subcommand(root, &name) {
            pages.push((format!("last-word-{name}.1"), page(command)?));
        }
    }
    crate::install::make_dirs(world, dir)?;
    let count = pages.len();
    for (name, page) in pages {
        let path = dir.join(name);
        world.disk.remove(&path)?;
        world.disk.write_new(&path, &page, Attributes { mode: 0o644, owner: None })?;
    }
    render::line(&format!("{count} pages in {}", world.short(dir)))?;
    match dir.parent().filter(|_| dir.ends_with("man1")) {
        Some(pages) => render::line(&format!("to read them: man -M {} last-word", world.short(pages))),
        None => Ok(()),
    }
}

/// A command under the name its page has.
fn subcommand(root: &Command, name: &str) -> Option<Command> {
    let found = root.get_subcommands().find(|command| command.get_name() == name)?;
    Some(
        found
            .clone()
            .display_name(format!("last-word-{name}"))
            .bin_name(format!("last-word {name}"))
            .version(env!("CARGO_PKG_VERSION")),
    )
}

fn page(command: Command) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    Page::new(command).render(&mut bytes).map_err(failure::unwritable)?;
    Ok(bytes)
}
