//! The client's lines, so that each that asks something is answered. The library drops a line that is no JSON or longer than it takes,
//! and a client waits for ever. What is nearly JSON is mended, as for hooks; what is too much, by its length or by how many values
//! it has, becomes a request that is refused before anything is built of it.

use serde_json::Value;
use std::io::Result;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncBufRead, AsyncRead, BufReader, ReadBuf};

/// What the library takes of one line, in bytes.
const LINE_BYTES_MAX: usize = rmcp::transport::async_rw::DEFAULT_MAX_LINE_LENGTH;
/// Values that one line may have: each takes many times the bytes that it has in the line. The most that a call needs, a hundred
/// entries with all their fields and tags, are fewer than a tenth of it.
const VALUES_MAX: usize = 1 << 16;
/// How far before the end of a line that is too long its id is looked for, in bytes.
const ID_WITHIN: usize = 200;

/// A reader whose lines the library can read.
pub(crate) struct Frames<R> {
    inner: BufReader<R>,
    /// The line that is being read, up to its limit.
    line: Vec<u8>,
    /// Whether bytes of it were left out, and the last of those.
    is_cut: bool,
    tail: Vec<u8>,
    /// What is handed on, and how much of it was.
    out: Vec<u8>,
    given: usize,
}

impl<R: AsyncRead> Frames<R> {
    pub fn of(reader: R) -> Frames<R> {
        let inner = BufReader::new(reader);
        Frames { inner, line: Vec::new(), is_cut: false, tail: Vec::new(), out: Vec::new(), given: 0 }
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
            if used > room {
                this.is_cut = true;
                this.tail.extend_from_slice(&chunk[room..used]);
                this.tail.drain(..this.tail.len().saturating_sub(ID_WITHIN));
            }
            Pin::new(&mut this.inner).consume(used);
            if end.is_some() {
                let (line, tail) = (std::mem::take(&mut this.line), std::mem::take(&mut this.tail));
                this.out = frame(line, std::mem::take(&mut this.is_cut).then_some(&tail));
                this.given = 0;
            }
        }
        let given = buf.remaining().min(this.out.len() - this.given);
        buf.put_slice(&this.out[this.given..this.given + given]);
        this.given += given;
        Poll::Ready(Ok(()))
    }
}

/// A line as the library reads it; `left_out` is the end of one that is too long.
fn frame(line: Vec<u8>, left_out: Option<&Vec<u8>>) -> Vec<u8> {
    let outline = Outline::of(&line);
    if let Some(tail) = left_out {
        let id = outline.id(&line).or_else(|| last_id(tail));
        return refused(id, &format!("a message of more than {} MiB", LINE_BYTES_MAX >> 20));
    }
    if outline.values > VALUES_MAX {
        return refused(outline.id(&line), &format!("a message of more than {VALUES_MAX} values"));
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

/// In the place of a request that is too much: one with its id, whose method says so, and which no server has.
fn refused(id: Option<Value>, method: &str) -> Vec<u8> {
    let request = serde_json::json!({ "jsonrpc": "2.0", "id": id, "method": method });
    format!("{request}\n").into_bytes()
}

/// What is known of a line without building anything of it.
#[derive(Default)]
struct Outline {
    /// How many values it has, about.
    values: usize,
    /// Behind the colon of its `id`: a field of the request itself, not of its parameters.
    id_at: Option<usize>,
}

impl Outline {
    fn of(line: &[u8]) -> Outline {
        let mut found = Outline::default();
        let (mut depth, mut is_text, mut text_at, mut last_text) = (0_usize, false, 0, 0..0);
        let mut at = 0;
        while let Some(byte) = line.get(at) {
            match byte {
                b'\\' if is_text => at += 1,
                b'"' if is_text => (is_text, last_text) = (false, text_at..at),
                b'"' => (is_text, text_at) = (true, at + 1),
                _ if is_text => {}
                b'{' | b'[' => (depth, found.values) = (depth + 1, found.values + 1),
                b'}' | b']' => depth = depth.saturating_sub(1),
                b',' => found.values += 1,
                b':' if depth == 1 && &line[last_text.clone()] == b"id" => found.id_at = Some(at + 1),
                _ => {}
            }
            at += 1;
        }
        found
    }

    fn id(&self, line: &[u8]) -> Option<Value> {
        id_in(line.get(self.id_at?..)?)
    }
}

/// An id is a number or a text, and short.
fn id_in(rest: &[u8]) -> Option<Value> {
    let head = String::from_utf8_lossy(&rest[..rest.len().min(ID_WITHIN)]);
    let value = serde_json::Deserializer::from_str(&head).into_iter::<Value>().next()?.ok()?;
    (value.is_number() || value.is_string()).then_some(value)
}

/// The id at the end of a line whose beginning has none, as some clients write it.
fn last_id(tail: &[u8]) -> Option<Value> {
    const FIELD: &[u8] = b"\"id\":";
    let at = tail.windows(FIELD.len()).rposition(|part| part == FIELD)? + FIELD.len();
    let rest = &tail[at..];
    let is_last = |id: &Value| rest.trim_ascii() == format!("{id}}}").as_bytes();
    id_in(rest).filter(is_last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(line: &str) -> String {
        String::from_utf8(frame(line.as_bytes().to_vec(), None)).unwrap()
    }

    #[test]
    fn half_a_pair_is_replaced_and_all_else_stays() {
        let good = "{\"id\": 1,  \"text\": \"a \\ud83d\\ude00\"}\n";
        assert_eq!(framed(good), good);
        assert_eq!(framed("{\"id\":1,\"text\":\"a \\ud83d b\"}\n"), "{\"id\":1,\"text\":\"a \u{fffd} b\"}\n");
        assert_eq!(framed("hello\n"), "hello\n");
    }

    fn request(frame: &[u8]) -> (Value, String) {
        let said: Value = serde_json::from_slice(frame).unwrap();
        (said["id"].clone(), said["method"].as_str().unwrap().to_owned())
    }

    #[test]
    fn what_is_too_long_is_refused_by_its_id() {
        let too_long = |line: &str, tail: &str| {
            let (id, method) = request(&frame(line.as_bytes().to_vec(), Some(&tail.as_bytes().to_vec())));
            assert_eq!(method, "a message of more than 16 MiB");
            id
        };
        let first = "{\"jsonrpc\":\"2.0\",\"id\":\"x7\",\"method\":\"tools/call\",\"params\":{";
        assert_eq!(too_long(first, ""), "x7");
        // The parameters have an `id` of their own.
        let last = "{\"method\":\"tools/call\",\"params\":{\"arguments\":{\"id\":5,\"text\":\"";
        assert_eq!(too_long(last, "…\",\"id\":6}},\"jsonrpc\":\"2.0\",\"id\":9}\n"), 9);
        assert_eq!(too_long(last, "…\",\"id\":6}},\"jsonrpc\":\"2.0\"}\n"), Value::Null);
    }

    #[test]
    fn what_has_too_many_values_is_refused_by_its_id_and_texts_are_not_counted() {
        let line = |entries: &str| {
            format!(
                "{{\"method\":\"tools/call\",\"params\":{{\"id\":5,\"entries\":[{entries}]}},\"id\":9}}\n"
            )
            .into_bytes()
        };
        for entry in ["{}", "\"\"", "1", "[]"] {
            let many = line(&vec![entry; VALUES_MAX + 1].join(","));
            assert_eq!(
                request(&frame(many, None)),
                (9.into(), "a message of more than 65536 values".to_owned())
            );
            let few = line(&vec![entry; VALUES_MAX / 3].join(","));
            assert_eq!(frame(few.clone(), None), few);
        }
        let text = line(&format!("\"{}\"", ",[{\\\"".repeat(VALUES_MAX)));
        assert_eq!(frame(text.clone(), None), text);
    }
}
