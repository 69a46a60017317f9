//! A short block between markers in the file of standing instructions that an agent reads (AGENTS.md, CLAUDE.md …): it is
//! put in, brought up to date or taken out, and nothing else in the file changes.

const BEGIN: &str = "<!-- last-word:begin -->";
const END: &str = "<!-- last-word:end -->";

/// The text with the block in it, at its end where it had none.
///
/// # Errors
/// Markers that do not pair.
pub fn with_block(text: &str, block: &str) -> Result<String, String> {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let block = format!("{BEGIN}\n{}\n{END}", block.trim()).replace('\n', newline);
    if let Some((before, after)) = around(text)? {
        return Ok(format!("{before}{block}{after}"));
    }
    let text = text.to_owned();
    let gap = match text.as_str() {
        "" => String::new(),
        text if text.ends_with(&newline.repeat(2)) => String::new(),
        text if text.ends_with('\n') => newline.to_owned(),
        _ => newline.repeat(2),
    };
    Ok(format!("{text}{gap}{block}{newline}"))
}

/// The text without the block; `None` when nothing would be left of it.
///
/// # Errors
/// Markers that do not pair.
pub fn without_block(text: &str) -> Result<Option<String>, String> {
    let Some((before, after)) = around(text)? else { return Ok(Some(text.to_owned())) };
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let after = after.strip_prefix(newline).unwrap_or(after);
    // We wrote the blank line before the block too, if the block is still the end of the file.
    let before = match before.strip_suffix(&newline.repeat(2)) {
        Some(head) if after.is_empty() => format!("{head}{newline}"),
        _ => before.to_owned(),
    };
    let left = before + after;
    Ok((!left.trim().is_empty()).then_some(left))
}

/// The text before the block and the text after it; `None` if there is no block.
fn around(text: &str) -> Result<Option<(&str, &str)>, String> {
    let count = |mark: &str| text.matches(mark).count();
    match (count(BEGIN), count(END)) {
        (0, 0) => Ok(None),
        (1, 1) => {
            let pair =
                text.split_once(BEGIN).and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
            pair.map(Some).ok_or_else(|| format!("`{END}` comes before `{BEGIN}`"))
        }
        _ => Err(format!("`{BEGIN}` and `{END}` do not pair")),
    }
}
