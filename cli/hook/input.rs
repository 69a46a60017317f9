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
/// Of a larger event only so many bytes are read. A tool call may contain a whole file.
const EVENT_BYTES_MAX: usize = 32 << 20;
/// By how much the buffer grows at a time, in bytes: nearly every event fits into the first.
const ROOM: usize = 64 << 10;

/// The bytes of the event, or a sentence that says why there are none.
pub fn read() -> Result<Vec<u8>, String> {
    let stdin = std::io::stdin();
    let began = Instant::now();
    let mut patience = DEADLINE;
    let mut bytes = Vec::with_capacity(ROOM);
    let mut scan = BraceScan::default();
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
        let before = bytes.len();
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
        // What it is about stands at its beginning, before a file's text.
        if bytes.len() > EVENT_BYTES_MAX {
            return Ok(bytes);
        }
    }
}

/// Whether an event, as far as it was read, is of a tool.
fn is_of_a_tool(bytes: &[u8]) -> bool {
    OF_TOOLS.iter().any(|name| bytes.windows(name.len()).any(|part| part == *name))
}

/// Follows the braces of a JSON text, to know when its last one was read.
#[derive(Default)]
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
