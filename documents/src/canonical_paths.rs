//! Paths with every link resolved, where many lie below the same directories: each directory is looked at once, not once for
//! each path below it. For one call, during which the disk is taken to stay as it is.

use crate::Documents;
use durable::{DiskError, FileKind};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

/// The longest path that is walked through name by name, in bytes: no system opens a longer one.
const WALKED_BYTES_MAX: usize = 4096;

/// The longest path of which it is remembered that it is not there, in bytes.
const MISSING_BYTES_MAX: usize = 256;

/// The paths that were resolved so far.
#[derive(Debug)]
pub struct CanonicalPaths<'d> {
    documents: &'d Documents,
    /// By their text: that is hashed faster than a path, which is hashed name by name.
    known: RefCell<HashMap<OsString, Rc<CanonicalPath>>>,
}

#[derive(Debug)]
struct CanonicalPath {
    path: PathBuf,
    /// Below what is not there nothing is looked for.
    is_there: bool,
}

impl<'d> CanonicalPaths<'d> {
    /// None so far.
    #[must_use]
    pub fn new(documents: &'d Documents) -> CanonicalPaths<'d> {
        CanonicalPaths { documents, known: RefCell::default() }
    }

    /// The same answer as `Documents::canonical`; below a file, where that says that it is no directory, the path as it would be.
    ///
    /// # Errors
    /// A disk error.
    pub fn of(&self, path: &Path) -> std::result::Result<PathBuf, DiskError> {
        // Each beginning that ends in `..` would be resolved from the root again.
        if path.components().any(|part| part == Component::ParentDir) {
            return self.documents.canonical(path);
        }
        Ok(self.resolved(path)?.path.clone())
    }

    fn resolved(&self, path: &Path) -> std::result::Result<Rc<CanonicalPath>, DiskError> {
        if let Some(known) = self.known.borrow().get(path.as_os_str()) {
            return Ok(Rc::clone(known));
        }
        let found = match self.walked(path)? {
            Some(found) => found,
            // A link, a relative path, or one that cannot be looked at.
            None => CanonicalPath { path: self.documents.canonical(path)?, is_there: true },
        };
        let found = Rc::new(found);
        // Below what is not there any number of long names may be asked for.
        if found.is_there || path.as_os_str().len() <= MISSING_BYTES_MAX {
            self.known.borrow_mut().insert(path.as_os_str().to_owned(), Rc::clone(&found));
        }
        Ok(found)
    }

    /// A path by what is known of the directory it is in; `None` where that does not tell.
    fn walked(&self, path: &Path) -> std::result::Result<Option<CanonicalPath>, DiskError> {
        if !path.is_absolute() || path.as_os_str().len() > WALKED_BYTES_MAX {
            return Ok(None);
        }
        let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else {
            let is_root = path.parent().is_none();
            return Ok(is_root.then(|| CanonicalPath { path: path.to_owned(), is_there: true }));
        };
        let dir = self.resolved(dir)?;
        let path = dir.path.join(name);
        Ok(match dir.is_there.then(|| self.documents.disk.stat_link(&path)) {
            Some(Ok(Some(stat))) if stat.kind != FileKind::Link => {
                Some(CanonicalPath { path, is_there: true })
            }
            None | Some(Ok(None)) => Some(CanonicalPath { path, is_there: false }),
            Some(_) => None,
        })
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)] // links and files as people make them
mod tests {
    use super::*;
    use durable::RealDisk;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::sync::Arc;

    #[test]
    fn as_one_by_one() {
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        fs::create_dir_all(at("real/below")).unwrap();
        fs::write(at("real/below/file.md"), "x").unwrap();
        symlink(at("real"), at("link")).unwrap();
        symlink("below/file.md", at("real/to-file")).unwrap();
        symlink("nowhere/at-all.md", at("real/dangling")).unwrap();
        symlink("../link/below", at("real/up")).unwrap();
        symlink("round", at("round")).unwrap();
        let documents = Documents::new(Arc::new(RealDisk::new()), at("history"), at("locks"));
        let paths = CanonicalPaths::new(&documents);
        let long = format!("real/{}/x", "d/".repeat(3_000));
        for path in [
            "real/below/file.md",
            "link/below/file.md",
            "link/below/none.md",
            "link/none/of/it.md",
            "real/to-file",
            "link/to-file",
            "real/dangling",
            "link/dangling",
            "link/dangling/below",
            "real/up/file.md",
            "link/up/none.md",
            "link/../link/./below/file.md",
            "link/below/..",
            "real/none/../below/file.md",
            "round",
            "round/x",
            long.as_str(),
            "",
        ] {
            let path = at(path);
            // Twice: the second answer is the kept one.
            for _ in 0..2 {
                assert_eq!(paths.of(&path).ok(), documents.canonical(&path).ok(), "{}", path.display());
            }
        }
        assert_eq!(paths.of(Path::new(".")).ok(), documents.canonical(Path::new(".")).ok());
        assert_eq!(
            paths.of(&at("link/below/file.md/x")).unwrap(),
            paths.of(&at("real/below/file.md")).unwrap().join("x")
        );
    }
}
