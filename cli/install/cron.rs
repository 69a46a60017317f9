//! cron: one line in the user's crontab. cron sets HOME and a bare PATH only, and mails what a job prints: the line is
//! silent when all is well. Our own lock keeps two runs apart.

use super::{Plan, schedule, tool};
use crate::failure::Failure;
use crate::world::World;

pub const BEGIN: &str = "# last-word begin (last-word uninstall cron takes this out again)";
const END: &str = "# last-word end";

pub fn plan(world: &World, install: bool) -> Result<Plan, Failure> {
    let before = tool::crontab()?;
    let text = before.as_deref().unwrap_or_default();
    let rest = without(text).map_err(|why| {
        Failure::new(format!("your crontab cannot be edited: {why}")).hint("crontab -e; nothing was written")
    })?;
    let words: Vec<String> =
        schedule::call(world, &["work"]).iter().map(|word| engine::quoted(word)).collect();
    let after = if install { with(text, &rest, &line(&words)) } else { rest.clone() };
    let mut afterwards = Vec::new();
    if install {
        afterwards.push("cron merges what waits once a minute, and mails you what goes wrong".to_owned());
        if calls_us(&rest) {
            afterwards
                .push("another line of your crontab calls last-word work as well: one is enough".to_owned());
        }
    }
    Ok(Plan { crontab: Some((before, after)), afterwards, ..Plan::default() })
}

/// cron reads `%` as a line end unless it is escaped.
fn line(words: &[String]) -> String {
    format!("* * * * * {}", words.join(" ").replace('%', "\\%"))
}

/// The crontab with our line, in its old place or at the end.
fn with(before: &str, rest: &str, line: &str) -> String {
    let block = format!("{BEGIN}\n{line}\n{END}\n");
    let Some(at) = before.find(BEGIN) else {
        let gap = if rest.is_empty() || rest.ends_with('\n') { "" } else { "\n" };
        return format!("{rest}{gap}{block}");
    };
    format!("{}{block}{}", &rest[..at], &rest[at..])
}

/// The crontab without our lines.
fn without(text: &str) -> Result<String, String> {
    let Some(begin) = text.find(BEGIN) else { return Ok(text.to_owned()) };
    let from = &text[begin..];
    let end = from.find(END).ok_or_else(|| format!("`{BEGIN}` is there, and no `{END}`"))?;
    let after = &from[end + END.len()..];
    let rest = format!("{}{}", &text[..begin], after.strip_prefix('\n').unwrap_or(after));
    if rest.contains(BEGIN) { Err(format!("`{BEGIN}` is there twice")) } else { Ok(rest) }
}

fn calls_us(text: &str) -> bool {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    lines.into_iter().any(|line| line.contains("last-word") && line.contains(" work"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_and_out_leaves_the_rest_as_it_was() {
        let ours = line(&["/bin/last-word".to_owned(), "work".to_owned()]);
        for before in ["", "MAILTO=me\n0 5 * * * backup\n", "no line end"] {
            let once = with(before, before, &ours);
            let rest = without(&once).unwrap();
            assert_eq!(rest.trim_end(), before.trim_end(), "{before:?}");
            assert_eq!(with(&once, &rest, &ours), once, "again changes nothing");
        }
        let among = format!("a\n{BEGIN}\nold\n{END}\nb\n");
        let rest = without(&among).unwrap();
        assert_eq!(rest, "a\nb\n");
        assert_eq!(
            with(&among, &rest, "new"),
            format!("a\n{BEGIN}\nnew\n{END}\nb\n"),
            "it stays where it was"
        );
    }

    #[test]
    fn what_is_not_understood_is_not_touched() {
        assert!(without(&format!("{BEGIN}\nwork\n")).is_err());
        assert!(without(&format!("{BEGIN}\nx\n{END}\n{BEGIN}\nx\n{END}\n")).is_err());
    }

    #[test]
    fn a_percent_sign_is_no_line_end() {
        assert_eq!(line(&["/a%b/last-word".to_owned()]), "* * * * * /a\\%b/last-word");
    }
}
