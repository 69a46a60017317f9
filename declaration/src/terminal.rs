//! Which characters a terminal does not show: text of somebody else's could paint over the screen on which a person decides
//! about it, or look like another text.

/// What a terminal does with a character instead of showing it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotShown {
    /// It obeys: the cursor moves, the clipboard is set, the reading order of all that follows is turned round.
    Obeyed,
    /// A mark that only orders the letters beside it. Right-to-left text needs it, and nobody sees it.
    Mark,
}

/// What a terminal does with this character; `None` where it shows it. Newline and tab are harmless.
///
/// Obeyed are C0 and C1 controls and DEL (ECMA-48), and the embeddings, overrides and isolates of Unicode's
/// bidirectional algorithm (UAX #9); its three marks are only invisible.
#[must_use]
pub fn not_shown(c: char) -> Option<NotShown> {
    match c {
        '\n' | '\t' => None,
        '\u{61c}' | '\u{200e}' | '\u{200f}' => Some(NotShown::Mark),
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => Some(NotShown::Obeyed),
        c => c.is_control().then_some(NotShown::Obeyed),
    }
}
