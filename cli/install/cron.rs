//! cron: one line in the user's crontab. cron sets HOME and a bare PATH only, and mails what a job prints: the line is
//! silent when all is well. Our own lock keeps two runs apart.

use super::{Plan, schedule, tool};
use crate::failure::Failure;
use crate::world::World;
use std::ops::Range;

pub const BEGIN: &str = "# last-word begin (last-word uninstall cron takes this out again)";
const END: &str = "# last-word end";

pub fn plan(world: &World, install: bool) -> Result<Plan, Failure> {
    let before = tool::crontab()?;
    let text = before.as_deref().unwrap_or_default();
    let home = home(world);
    let unclear = |why| {
        Failure::new(format!("your crontab cannot be edited: {why}")).hint("crontab -e; nothing was written")
    };
    let ours = block_of(text, home.as_deref()).map_err(unclear)?;
    let after = if install {
        let words = schedule::call(world, &["work"])?;
        let words: Vec<String> = words.iter().map(|word| engine::quoted(word)).collect();
        with(text, ours, &line(&words))
    } else {
        without(text, ours)
    };
    let mut afterwards = Vec::new();
    if install {
        afterwards.push("cron merges what waits once a minute, and mails you what goes wrong".to_owned());
        if calls_us(&by_hand(text).map_err(unclear)?) {
            afterwards
                .push("another line of your crontab calls last-word work as well: one is enough".to_owned());
        }
    }
    Ok(Plan { crontab: Some((before, after)), afterwards, ..Plan::default() })
}

/// Whether the crontab that a plan read has the lines of this home.
pub fn is_begun(world: &World, plan: &Plan) -> bool {
    let text = plan.crontab.as_ref().and_then(|(before, _)| before.as_deref()).unwrap_or_default();
    block_of(text, home(world).as_deref()).map_or(text.contains(BEGIN), |ours| ours.is_some())
}

/// How a line names this home; `None` where it is in its usual place, which no line names.
fn home(world: &World) -> Option<String> {
    let home = (!schedule::is_usual_home(world)).then(|| world.layout().home().display().to_string());
    home.map(|home| escaped(&engine::quoted(&home)))
}

/// Where the program is gone, nothing is said once a minute.
fn line(words: &[String]) -> String {
    let program = words.first().map(String::as_str).unwrap_or_default();
    escaped(&format!("* * * * * test -x {program} && {}", words.join(" ")))
}

/// cron reads `%` as a line end unless it is escaped.
fn escaped(text: &str) -> String {
    text.replace('%', "\\%")
}

/// The crontab with our line, in its old place or at the end.
fn with(before: &str, ours: Option<Range<usize>>, line: &str) -> String {
    let block = format!("{BEGIN}\n{line}\n{END}\n");
    match ours {
        Some(ours) => format!("{}{block}{}", &before[..ours.start], &before[ours.end..]),
        None => {
            let gap = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
            format!("{before}{gap}{block}")
        }
    }
}

/// The crontab without our lines.
fn without(text: &str, ours: Option<Range<usize>>) -> String {
    ours.map_or_else(|| text.to_owned(), |ours| format!("{}{}", &text[..ours.start], &text[ours.end..]))
}

/// The lines of this home. Each home has lines of its own.
fn block_of(text: &str, home: Option<&str>) -> Result<Option<Range<usize>>, String> {
    let named = home.map(|home| format!(" --home {home} "));
    let is_ours = |block: &Range<usize>| match &named {
        Some(named) => text[block.clone()].contains(named),
        None => !text[block.clone()].contains(" --home "),
    };
    let mut ours = blocks(text)?.into_iter().filter(is_ours);
    match (ours.next(), ours.next()) {
        (_, Some(_)) => Err(format!("`{BEGIN}` is there twice")),
        (block, None) => Ok(block),
    }
}

/// What `install` wrote, of every home.
fn blocks(text: &str) -> Result<Vec<Range<usize>>, String> {
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some(begin) = text[from..].find(BEGIN).map(|at| from + at) {
        let inner = begin + BEGIN.len();
        let next = text[inner..].find(BEGIN).map_or(text.len(), |at| inner + at);
        let Some(end) = text[inner..next].find(END).map(|at| inner + at + END.len()) else {
            return Err(format!("`{BEGIN}` is there, and no `{END}`"));
        };
        from = if text[end..].starts_with('\n') { end + 1 } else { end };
        found.push(begin..from);
    }
    Ok(found)
}

/// What a person wrote.
fn by_hand(text: &str) -> Result<String, String> {
    let blocks = blocks(text)?.into_iter().rev();
    Ok(blocks.fold(text.to_owned(), |text, block| without(&text, Some(block))))
}

fn calls_us(text: &str) -> bool {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    lines.into_iter().any(|line| line.contains("last-word") && line.contains(" work"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn installed(text: &str, home: Option<&str>, line: &str) -> String {
        with(text, block_of(text, home).unwrap(), line)
    }

    fn uninstalled(text: &str, home: Option<&str>) -> String {
        without(text, block_of(text, home).unwrap())
    }

    #[test]
    fn in_and_out_leaves_the_rest_as_it_was() {
        let ours = line(&["/bin/last-word".to_owned(), "work".to_owned()]);
        for before in ["", "MAILTO=me\n0 5 * * * backup\n", "no line end"] {
            let once = installed(before, None, &ours);
            assert_eq!(uninstalled(&once, None).trim_end(), before.trim_end(), "{before:?}");
            assert_eq!(installed(&once, None, &ours), once, "again changes nothing");
        }
        let among = format!("a\n{BEGIN}\nold\n{END}\nb\n");
        assert_eq!(uninstalled(&among, None), "a\nb\n");
        assert_eq!(
            installed(&among, None, "new"),
            format!("a\n{BEGIN}\nnew\n{END}\nb\n"),
            "it stays where it was"
        );
    }

    #[test]
    fn each_home_has_a_line_of_its_own() {
        let words = |home: &str| ["/bin/last-word", "--home", home, "work"].map(str::to_owned);
        let usual = line(&["/bin/last-word".to_owned(), "work".to_owned()]);
        let one = installed("mine\n", None, &usual);
        let both = installed(&one, Some("/srv/a"), &line(&words("/srv/a")));
        assert!(both.starts_with(&one) && both.matches(BEGIN).count() == 2, "{both}");
        assert_eq!(installed(&both, None, &usual), both);
        assert_eq!(installed(&both, Some("/srv/a"), &line(&words("/srv/a"))), both);
        assert_eq!(uninstalled(&both, Some("/srv/a")), one);
        assert_eq!(uninstalled(&both, Some("/srv/b")), both);
        assert_eq!(uninstalled(&uninstalled(&both, None), Some("/srv/a")), "mine\n");
        assert_eq!(by_hand(&both).unwrap(), "mine\n");
    }

    #[test]
    fn what_is_not_understood_is_not_touched() {
        assert!(block_of(&format!("{BEGIN}\nwork\n"), None).is_err());
        assert!(block_of(&format!("{BEGIN}\nx\n{BEGIN}\nx\n{END}\n"), None).is_err());
        assert!(block_of(&format!("{BEGIN}\nx\n{END}\n{BEGIN}\nx\n{END}\n"), None).is_err());
    }

    #[test]
    fn a_percent_sign_is_no_line_end() {
        let line = line(&["/a%b/last-word".to_owned()]);
        assert_eq!(line, "* * * * * test -x /a\\%b/last-word && /a\\%b/last-word");
    }
}
