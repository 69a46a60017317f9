//! Which names are in an archive that a line unpacks: of `tar`, perhaps packed by gzip, and of `zip`.

use agents::plain;
use durable::Disk;
use std::path::Path;

/// A longer archive is not looked into.
const ARCHIVE_BYTES_MAX: u64 = 16 << 20;
const UNPACKED_BYTES_MAX: usize = 64 << 20;
const BLOCK: usize = 512;

/// The names of the files in an archive, each without its directories; `None` where that is not known.
pub(super) fn names(disk: &dyn Disk, file: &Path) -> Option<Vec<String>> {
    let bytes = disk.read(&plain(file), ARCHIVE_BYTES_MAX).ok()?;
    match bytes.as_slice() {
        [0x1f, 0x8b, ..] => in_tar(&unpacked(&bytes)?),
        [b'P', b'K', ..] => in_zip(&bytes),
        _ => in_tar(&bytes),
    }
}

/// What gzip packed (RFC 1952): behind the head stand a name and a comment, where its flags say so.
fn unpacked(bytes: &[u8]) -> Option<Vec<u8>> {
    const EXTRA: u8 = 4;
    const NAME: u8 = 8;
    const COMMENT: u8 = 16;
    const HEAD_SUM: u8 = 2;
    let flags = *bytes.get(3)?;
    let mut rest = bytes.get(10..)?;
    if flags & EXTRA != 0 {
        let len = usize::from(u16::from_le_bytes([*rest.first()?, *rest.get(1)?]));
        rest = rest.get(2 + len..)?;
    }
    for text in [NAME, COMMENT] {
        if flags & text != 0 {
            rest = rest.get(rest.iter().position(|byte| *byte == 0)? + 1..)?;
        }
    }
    let rest = if flags & HEAD_SUM != 0 { rest.get(2..)? } else { rest };
    miniz_oxide::inflate::decompress_to_vec_with_limit(rest, UNPACKED_BYTES_MAX).ok()
}

/// The names in a tar. Longer ones stand in a record of their own, in front: all of its words count.
fn in_tar(mut bytes: &[u8]) -> Option<Vec<String>> {
    let last = |path: &[u8]| {
        let path = String::from_utf8_lossy(path).into_owned();
        path.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned()
    };
    let mut found = Vec::new();
    while let Some(head) = bytes.get(..BLOCK).filter(|head| head[0] != 0) {
        if head.get(257..262)? != b"ustar" {
            return None;
        }
        found.push(last(head[..100].split(|byte| *byte == 0).next()?));
        let size = String::from_utf8_lossy(&head[124..136]);
        let size = usize::from_str_radix(size.trim_matches(['\0', ' ']), 8).ok()?;
        let content = bytes.get(BLOCK..BLOCK.checked_add(size)?)?;
        if matches!(head[156], b'L' | b'x') {
            found.extend(content.split(|byte| matches!(byte, 0 | b'\n' | b'=')).map(last));
        }
        bytes = bytes.get(BLOCK + size.div_ceil(BLOCK) * BLOCK..).unwrap_or_default();
    }
    (bytes.len().is_multiple_of(BLOCK) && !found.is_empty()).then_some(found)
}

/// The names in a zip: in the list at its end, which is what `unzip` goes by. `None` where an entry has a second name.
fn in_zip(bytes: &[u8]) -> Option<Vec<String>> {
    const HEAD: usize = 46;
    const UNICODE_NAME: [u8; 2] = [0x75, 0x70];
    let end = bytes.windows(4).rposition(|four| four == b"PK\x05\x06")?;
    let short = |bytes: &[u8], at: usize| {
        Some(usize::from(u16::from_le_bytes([*bytes.get(at)?, *bytes.get(at + 1)?])))
    };
    let tail = &bytes[end..];
    if tail.len() != 22 + short(tail, 20)? {
        return None;
    }
    let size = usize::try_from(u32::from_le_bytes(tail[12..16].try_into().ok()?)).ok()?;
    let mut list = &bytes[end.checked_sub(size)?..end];
    let mut found = Vec::new();
    while !list.is_empty() {
        let (name, extra) = (short(list, 28)?, short(list, 30)?);
        let whole = HEAD + name + extra + short(list, 32)?;
        let more = list.get(HEAD + name..HEAD + name + extra)?;
        if !list.starts_with(b"PK\x01\x02") || more.windows(2).any(|two| two == UNICODE_NAME) {
            return None;
        }
        let path = String::from_utf8_lossy(&list[HEAD..HEAD + name]).into_owned();
        let path = path.trim_end_matches(['/', '\\']);
        found.push(path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned());
        list = list.get(whole..)?;
    }
    (found.len() == short(tail, 10)? && !found.is_empty()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, kind: u8, content: &[u8]) -> Vec<u8> {
        let mut head = vec![0; BLOCK];
        head[..name.len()].copy_from_slice(name.as_bytes());
        let size = format!("{:011o}", content.len());
        head[124..135].copy_from_slice(size.as_bytes());
        head[156] = kind;
        head[257..262].copy_from_slice(b"ustar");
        head.extend_from_slice(content);
        head.resize(BLOCK + content.len().div_ceil(BLOCK) * BLOCK, 0);
        head
    }

    #[test]
    fn the_names_in_a_tar() {
        let long = b"30 path=very/long/AGENTS.md\n";
        let parts = [entry("a/", b'5', b""), entry("a/b.md", b'0', &[1; 700]), entry("x", b'x', long)];
        let tar = [parts.concat(), entry("y", b'0', b""), vec![0; 2 * BLOCK]].concat();
        let names = in_tar(&tar).unwrap();
        assert_eq!(names, ["a", "b.md", "x", "30 path", "AGENTS.md", "", "y"]);
        let packed = miniz_oxide::deflate::compress_to_vec(&tar, 6);
        let gzip = [&[0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3][..], b"n.tar\0", &packed].concat();
        assert_eq!(in_tar(&unpacked(&gzip).unwrap()).unwrap(), names);
        for cut in [0, 1, 300, 600, 1300] {
            assert_eq!(in_tar(&tar[..cut]).map(|names| names.len()), None, "{cut}");
        }
        assert_eq!(unpacked(&gzip[..12]), None);
    }
}
