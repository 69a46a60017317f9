//! The client's lines, so that each that asks something is answered. The library drops a line that is no JSON or longer than it takes,
//! and a client waits for ever. What is nearly JSON is mended, as for hooks; what is too long becomes a request that is refused.

use serde_json::Value;
use std::io::Result;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncBufRead, AsyncRead, BufReader, ReadBuf};

/// What the library takes of one line, in bytes.
const LINE_BYTES_MAX: usize = rmcp::transport::async_rw::DEFAULT_MAX_LINE_LENGTH;
/// The id of a request stands before its parameters, in so many bytes.
const ID_WITHIN: usize = 200;

/// A reader whose lines the library can read.
pub(crate) struct Frames<R> {
    inner: BufReader<R>,
    /// The line that is being read, up to its limit.
    line: Vec<u8>,
    /// Whether bytes of it were left out.
    is_cut: bool,
    /// What is handed on, and how much of it was.
    out: Vec<u8>,
    given: usize,
}

impl<R: AsyncRead> Frames<R> {
    pub fn of(reader: R) -> Frames<R> {
        let inner = BufReader::new(reader);
        Frames { inner, line: Vec::new(), is_cut: false, out: Vec::new(), given: 0 }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Frames<R> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        let this = self.get_mut();
        while this.given == this.out.len() {
            let chunk = ready!(Pin::new(&mut this.inner).poll_fill_buf(cx))?;
            if chunk.is_empty() {
                return Poll::Ready(Ok(()));
            }
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let used = end.map_or(chunk.len(), |at| at + 1);
            let room = LINE_BYTES_MAX.saturating_sub(this.line.len());
            this.line.extend_from_slice(&chunk[..used.min(room)]);
            this.is_cut |= used > room;
            Pin::new(&mut this.inner).consume(used);
            if end.is_some() {
                this.out = frame(std::mem::take(&mut this.line), std::mem::take(&mut this.is_cut));
                this.given = 0;
            }
        }
        let given = buf.remaining().min(this.out.len() - this.given);
        buf.put_slice(&this.out[this.given..this.given + given]);
        this.given += given;
        Poll::Ready(Ok(()))
    }
}

/// A line as the library reads it.
fn frame(line: Vec<u8>, is_cut: bool) -> Vec<u8> {
    if is_cut {
        return too_long(&line);
    }
    // Whole: a text that is only passed over is not looked into.
    if serde_json::from_slice::<Value>(&line).is_ok() {
        return line;
    }
    match engine::nearly_json::parse(&line).map(|mended| serde_json::to_vec(&mended)) {
        Ok(Ok(mended)) => [&mended, b"\n".as_slice()].concat(),
        // No JSON at all: nobody asked anything.
        _ => line,
    }
}

/// In the place of a request that is too long: one with its id, whose method says so, and which no server has.
fn too_long(line: &[u8]) -> Vec<u8> {
    let head = String::from_utf8_lossy(&line[..line.len().min(ID_WITHIN)]);
    let id = head.split_once("\"id\":").and_then(|(_, rest)| {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        values.next()?.ok()
    });
    let method = format!("a message of more than {} MiB", LINE_BYTES_MAX >> 20);
    let request = serde_json::json!({ "jsonrpc": "2.0", "id": id, "method": method });
    format!("{request}\n").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(line: &str) -> String {
        String::from_utf8(frame(line.as_bytes().to_vec(), false)).unwrap()
    }

    #[test]
    fn half_a_pair_is_replaced_and_all_else_stays() {
        let good = "{\"id\": 1,  \"text\": \"a \\ud83d\\ude00\"}\n";
        assert_eq!(framed(good), good);
        assert_eq!(framed("{\"id\":1,\"text\":\"a \\ud83d b\"}\n"), "{\"id\":1,\"text\":\"a \u{fffd} b\"}\n");
        assert_eq!(framed("hello\n"), "hello\n");
    }

    #[test]
    fn what_is_too_long_is_refused_by_its_id() {
        let said = too_long(b"{\"jsonrpc\":\"2.0\",\"id\":\"x7\",\"method\":\"tools/call\",\"params\":{");
        let said: Value = serde_json::from_slice(&said).unwrap();
        assert_eq!(
            (said["id"].as_str(), said["method"].as_str()),
            (Some("x7"), Some("a message of more than 16 MiB"))
        );
    }
}
