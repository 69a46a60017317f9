//! Reads an event from standard input, which the agent may never close: reading ends when the JSON is complete, or after a
//! time.

use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, poll};
use std::time::{Duration, Instant};

/// How long an event is waited for: longer than any agent takes to write one, and shorter than the shortest limit that an agent
/// sets for the hooks at the end of a session.
const DEADLINE: Duration = Duration::from_millis(900);
/// The largest event that is read, in bytes. A tool call may contain a whole file.
const EVENT_BYTES_MAX: usize = 32 << 20;
/// By how much the buffer grows at a time, in bytes: nearly every event fits into the first.
const ROOM: usize = 64 << 10;

/// The bytes of the event, or a sentence that says why there are none.
pub fn read() -> Result<Vec<u8>, String> {
    let stdin = std::io::stdin();
    let deadline = Instant::now() + DEADLINE;
    let mut bytes = Vec::with_capacity(ROOM);
    let mut scan = BraceScan::default();
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = rustix::event::Timespec { tv_sec: 0, tv_nsec: i64::from(left.subsec_nanos()) };
        match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&timeout)) {
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
        if bytes.len() > EVENT_BYTES_MAX {
            return Err(format!("the event is larger than {EVENT_BYTES_MAX} bytes"));
        }
    }
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
