//! What a file has beside its bytes, mode and owner, carried to the file that takes its place: its access control list, the
//! `user.*` attributes, the SELinux label. Where the list cannot be carried, the new file is less open than the old one, never more.

use rustix::buffer::spare_capacity;
use rustix::fs::{self, XattrFlags};
use rustix::io::Errno;
use std::ffi::CStr;
use std::fs::File;
use std::path::Path;

/// The list that says which further users and groups may do what (acl(5)).
const ACL: &CStr = c"system.posix_acl_access";
const LABEL: &CStr = c"security.selinux";
const OF_USER: &[u8] = b"user.";

/// The version of the list's binary form, and the tag of the entry for the owner (linux/posix_acl_xattr.h).
const ACL_VERSION: [u8; 4] = [2, 0, 0, 0];
const ACL_OWNER: u16 = 0x01;

/// Gives a new file, made private, what `old` has, and answers the mode it may get where `mode` is what the old one has.
pub(crate) fn carry(old: &Path, new: &File, mode: u32) -> rustix::io::Result<u32> {
    let names = names_of(old)?;
    for name in names.split_inclusive(|byte| *byte == 0) {
        let Ok(name) = CStr::from_bytes_with_nul(name) else { continue };
        if name == LABEL || name.to_bytes().starts_with(OF_USER) {
            carry_one(old, new, name)?;
        }
    }
    match value_of(old, ACL)? {
        // The directory may have given the new file a list of its own, which the old one does not have.
        None => unless_unsupported(fs::fremovexattr(new, ACL)).map(|_| mode),
        Some(list) => {
            let carried = unless_unsupported(fs::fsetxattr(new, ACL, &list, XattrFlags::empty()))?;
            Ok(if carried { mode } else { without_list(mode, &list) })
        }
    }
}

/// Whether it was done; not so where it was not there, or the file system or our user cannot.
fn unless_unsupported(done: rustix::io::Result<()>) -> rustix::io::Result<bool> {
    match done {
        Ok(()) => Ok(true),
        Err(Errno::NODATA | Errno::OPNOTSUPP | Errno::NOSYS | Errno::PERM | Errno::ACCESS | Errno::INVAL) => {
            Ok(false)
        }
        Err(e) => Err(e),
    }
}

fn carry_one(old: &Path, new: &File, name: &CStr) -> rustix::io::Result<()> {
    let Some(value) = value_of(old, name)? else { return Ok(()) };
    unless_unsupported(fs::fsetxattr(new, name, &value, XattrFlags::empty())).map(|_| ())
}

/// The mode for a file that loses its list. The group's bits of a file with a list are the list's mask, and "other" is
/// everybody whom the list does not name: without it each of the two gets only what every entry but the owner's allows.
fn without_list(mode: u32, list: &[u8]) -> u32 {
    let bits = |entries: &[u8]| {
        entries.chunks(8).try_fold(0o7_u16, |all, entry| match entry {
            [tag, tag_high, allowed, allowed_high, ..] if entry.len() == 8 => {
                let is_owner = u16::from_le_bytes([*tag, *tag_high]) == ACL_OWNER;
                Some(if is_owner { all } else { all & u16::from_le_bytes([*allowed, *allowed_high]) })
            }
            _ => None,
        })
    };
    let of_all = list.strip_prefix(&ACL_VERSION).and_then(bits).map_or(0, u32::from);
    mode & (0o7700 | of_all << 3 | of_all)
}

/// The names of a file's attributes, each with its zero.
fn names_of(path: &Path) -> rustix::io::Result<Vec<u8>> {
    loop {
        let mut names = match fs::listxattr_query(path) {
            Ok(0) | Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::NOENT) => return Ok(Vec::new()),
            Ok(len) => Vec::with_capacity(len),
            Err(e) => return Err(e),
        };
        match fs::listxattr(path, spare_capacity(&mut names)) {
            Ok(_) => return Ok(names),
            Err(Errno::RANGE) => {} // longer than a moment ago
            Err(e) => return Err(e),
        }
    }
}

/// The value of an attribute; `None` where there is none, or it is not told to us.
fn value_of(path: &Path, name: &CStr) -> rustix::io::Result<Option<Vec<u8>>> {
    loop {
        let found = fs::getxattr_query(path, name).and_then(|len| {
            let mut value = Vec::with_capacity(len.max(1));
            fs::getxattr(path, name, spare_capacity(&mut value)).map(|_| value)
        });
        match found {
            Ok(value) => return Ok(Some(value)),
            Err(Errno::RANGE) => {}
            Err(
                Errno::NODATA | Errno::OPNOTSUPP | Errno::NOSYS | Errno::NOENT | Errno::PERM | Errno::ACCESS,
            ) => return Ok(None),
            Err(e) => return Err(e),
        }
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used)] // as somebody else would set them
mod tests {
    use super::*;
    use crate::{Attributes, Disk, RealDisk};
    use std::os::unix::fs::MetadataExt;
    use std::path::PathBuf;

    const USER: u16 = 0x02;
    const GROUP: u16 = 0x04;
    const MASK: u16 = 0x10;
    const OTHER: u16 = 0x20;
    const NOBODY: u32 = 65_534;

    fn list(entries: &[(u16, u16, u32)]) -> Vec<u8> {
        let mut bytes = ACL_VERSION.to_vec();
        for (tag, allowed, id) in entries {
            bytes.extend([tag.to_le_bytes(), allowed.to_le_bytes()].concat());
            bytes.extend(id.to_le_bytes());
        }
        bytes
    }

    /// One that shows the mask 7 where the group itself gets nothing.
    fn closed_to_its_group() -> Vec<u8> {
        let none = u32::MAX;
        list(&[(ACL_OWNER, 6, none), (USER, 7, NOBODY), (GROUP, 0, none), (MASK, 7, none), (OTHER, 0, none)])
    }

    fn set(path: &Path, name: &str, value: &[u8]) -> bool {
        let said = fs::setxattr(path, name, value, XattrFlags::empty());
        if said.is_err() {
            eprintln!("left out: {} takes no {name} ({said:?})", path.display());
        }
        said.is_ok()
    }

    /// Replaces `old`, in a directory where the new file may be given a list, and answers the new file's path.
    fn replace(old: &Path) -> PathBuf {
        let disk = RealDisk::new();
        let stat = disk.stat(old).unwrap().unwrap();
        let new = old.with_extension("new");
        let attributes = Attributes { mode: stat.mode, owner: Some((stat.uid, stat.gid)) };
        disk.write_in_place_of(old, &new, b"new", attributes).unwrap();
        assert_eq!(std::fs::metadata(&new).unwrap().mode() & 0o7777, stat.mode, "{}", old.display());
        new
    }

    /// In a directory of tests, and beside the program, which may be on another kind of file system.
    fn directories() -> Vec<tempfile::TempDir> {
        let beside = std::env::current_exe().unwrap().parent().unwrap().to_owned();
        vec![tempfile::tempdir().unwrap(), tempfile::tempdir_in(beside).unwrap()]
    }

    #[test]
    fn a_new_file_has_the_list_and_the_attributes_of_the_one_it_replaces() {
        for dir in directories() {
            let old = dir.path().join("a.md");
            std::fs::write(&old, "old").unwrap();
            let long = vec![b'x'; 900];
            let set = [("user.tag", &b"mine"[..]), ("user.empty", b""), ("user.long", &long)]
                .into_iter()
                .filter(|(name, value)| set(&old, name, value));
            let set: Vec<_> = set.collect();
            let has_list = self::set(&old, "system.posix_acl_access", &closed_to_its_group());
            let new = replace(&old);
            for (name, value) in set {
                let name = std::ffi::CString::new(name).unwrap();
                assert_eq!(value_of(&new, &name).unwrap().as_deref(), Some(value), "{name:?}");
            }
            assert_eq!(value_of(&new, ACL).unwrap(), has_list.then(closed_to_its_group));
        }
    }

    #[test]
    fn a_list_that_the_directory_gives_new_files_is_not_given_to_a_file_without_one() {
        for dir in directories() {
            let old = dir.path().join("a.md");
            std::fs::write(&old, "old").unwrap();
            rustix::fs::chmod(&old, rustix::fs::Mode::from_raw_mode(0o640)).unwrap();
            if set(dir.path(), "system.posix_acl_default", &closed_to_its_group()) {
                assert_eq!(value_of(&replace(&old), ACL).unwrap(), None);
            }
        }
    }

    #[test]
    fn without_its_list_a_file_is_no_more_open_than_with_it() {
        let none = u32::MAX;
        let denied = list(&[
            (ACL_OWNER, 6, none),
            (USER, 0, NOBODY),
            (GROUP, 4, none),
            (MASK, 4, none),
            (OTHER, 4, none),
        ]);
        let as_mode = list(&[(ACL_OWNER, 6, none), (GROUP, 4, none), (OTHER, 4, none)]);
        let cases: [(&str, u32, Vec<u8>, u32); 5] = [
            ("the group has nothing", 0o670, closed_to_its_group(), 0o600),
            ("somebody is kept out", 0o644, denied, 0o600),
            ("it says what the mode says", 0o644, as_mode, 0o644),
            ("it cannot be read", 0o664, b"\x02\0\0\0\x01".to_vec(), 0o600),
            ("it is of another version", 0o664, b"\x03\0\0\0".to_vec(), 0o600),
        ];
        for (case, mode, list, expected) in cases {
            assert_eq!(without_list(mode, &list), expected, "{case}");
        }
    }
}
