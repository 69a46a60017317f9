//! Reads an event from standard input, which the agent may never close: reading ends when the JSON is complete, or after a
//! time.

use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, poll};
use std::time::{Duration, Instant};

/// How long an event is waited for: shorter than the shortest limit that an agent sets for the hooks at the end of a session.
const DEADLINE: Duration = Duration::from_millis(900);
/// The same for a tool that is wanted, once so much arrived that it shows: an agent that gets no answer lets the tool run. It is
/// shorter than the limit that `install` writes for these.
const TOOL_DEADLINE: Duration = Duration::from_secs(8);
/// What stands in the events of tools, and in no others.
const OF_TOOLS: [&[u8]; 6] = [
    b"PreToolUse",
    b"preToolUse",
    b"BeforeTool",
    b"beforeShellExecution",
    b"beforeMCPExecution",
    b"tool.execute.before",
];
/// Of a larger event long texts are cut, and so many bytes are kept. A tool call may contain a whole file.
const EVENT_BYTES_MAX: usize = 32 << 20;
const KEPT_BYTES_MAX: usize = 40 << 20;
/// So many bytes of each text are kept behind the limit.
const TEXT_BYTES_MAX: usize = 4096;
/// By how much the buffer grows at a time, in bytes: nearly every event fits into the first.
const ROOM: usize = 64 << 10;

/// The bytes of the event, or a sentence that says why there are none.
pub fn read() -> Result<Vec<u8>, String> {
    let stdin = std::io::stdin();
    let began = Instant::now();
    let mut patience = DEADLINE;
    let mut bytes = Vec::with_capacity(ROOM);
    let mut scan = BraceScan::default();
    let mut cut = TextCutter { length: TEXT_BYTES_MAX, keeps: true };
    loop {
        let left = patience.saturating_sub(began.elapsed());
        let seconds = i64::try_from(left.as_secs()).unwrap_or_default();
        let timeout = rustix::event::Timespec { tv_sec: seconds, tv_nsec: i64::from(left.subsec_nanos()) };
        match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&timeout)) {
            Ok(0) if patience < TOOL_DEADLINE && is_of_a_tool(&bytes) => patience = TOOL_DEADLINE,
            // What is there of it is judged.
            Ok(0) if patience == TOOL_DEADLINE => return Ok(bytes),
            Ok(0) => return Err(format!("no complete event within {} ms", DEADLINE.as_millis())),
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(e) => return Err(format!("cannot read standard input: {e}")),
        }
        if bytes.len() == bytes.capacity() {
            bytes.reserve(ROOM);
        }
        let (before, mut state) = (bytes.len(), scan);
        // Into spare capacity: filling the buffer with zeros first would cost a page fault for every page of it.
        match rustix::io::read(&stdin, spare_capacity(&mut bytes)) {
            Ok(0) => return Ok(bytes),
            Ok(_) => {
                if scan.is_complete(&bytes[before..]) {
                    return Ok(bytes);
                }
            }
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => {}
            Err(e) => return Err(format!("cannot read standard input: {e}")),
        }
        // What a call is about may stand behind a file's text: of a larger event only the long texts are cut.
        if bytes.len() > EVENT_BYTES_MAX {
            let piece = bytes.split_off(before);
            bytes.extend(cut.kept(&mut state, &piece));
        }
        if bytes.len() > KEPT_BYTES_MAX {
            return Ok(bytes);
        }
    }
}

/// Whether an event, as far as it was read, is of a tool.
fn is_of_a_tool(bytes: &[u8]) -> bool {
    OF_TOOLS.iter().any(|name| bytes.windows(name.len()).any(|part| part == *name))
}

/// Cuts the texts of an event.
struct TextCutter {
    /// How long the text is that is open. The first may have begun before the limit.
    length: usize,
    /// Whether the last byte was kept.
    keeps: bool,
}

impl TextCutter {
    /// What is kept of a piece; `state` is that in front of it.
    fn kept(&mut self, state: &mut BraceScan, piece: &[u8]) -> Vec<u8> {
        let mut kept = Vec::new();
        for byte in piece {
            let (was_in_text, was_escaped) = (state.in_text, state.escaped);
            state.is_complete(&[*byte]);
            let is_inside = was_in_text && state.in_text;
            self.length = if is_inside { self.length + 1 } else { 0 };
            // A backslash at the end would escape the quote.
            self.keeps = !is_inside || self.length < TEXT_BYTES_MAX || was_escaped && self.keeps;
            if self.keeps {
                kept.push(*byte);
            }
        }
        kept
    }
}

/// Follows the braces of a JSON text, to know when its last one was read.
#[derive(Clone, Copy, Default)]
struct BraceScan {
    depth: usize,
    in_text: bool,
    escaped: bool,
}

impl BraceScan {
    fn is_complete(&mut self, bytes: &[u8]) -> bool {
        for byte in bytes {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.in_text => self.escaped = true,
                b'"' => self.in_text = !self.in_text,
                _ if self.in_text => {}
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return true;
                    }
                }
                _ => {}
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_event_of_a_tool_shows_before_it_is_whole() {
        assert!(is_of_a_tool(
            br#"{"session_id":"s","hook_event_name":"PreToolUse","tool_input":{"content":"cut"#
        ));
        assert!(!is_of_a_tool(br#"{"session_id":"s","hook_event_name":"SessionEnd","#) && !is_of_a_tool(b""));
    }

    #[test]
    fn of_long_texts_the_beginning_is_kept() {
        let long = "x\\\"".repeat(TEXT_BYTES_MAX);
        let text = format!(r#"y","b":"{long}","c":["{long}"],"path":"AGENTS.md"}}"#);
        let mut state = BraceScan { in_text: true, depth: 1, escaped: false };
        let mut cut = TextCutter { length: TEXT_BYTES_MAX, keeps: true };
        let kept =
            text.as_bytes().chunks(1000).flat_map(|piece| cut.kept(&mut state, piece)).collect::<Vec<u8>>();
        let kept = String::from_utf8(kept).unwrap();
        assert!(kept.starts_with(r#"","b":"x\"x"#) && kept.ends_with(r#""],"path":"AGENTS.md"}"#), "{kept}");
        assert!(kept.len() < 3 * TEXT_BYTES_MAX);
        assert!(engine::nearly_json::parse(format!("{{\"a\":\"{kept}").as_bytes()).is_ok());
    }

    #[test]
    fn complete_at_the_last_brace() {
        for whole in [r#"{"a":"}{\"]","b":[{}]}"#, "[]", "\u{feff}{}", r#"{"a":"\\"}"#] {
            let bytes = whole.as_bytes();
            let mut scan = BraceScan::default();
            for (n, byte) in bytes.iter().enumerate() {
                assert_eq!(scan.is_complete(&[*byte]), n + 1 == bytes.len(), "{whole} at {n}");
            }
        }
    }
}
