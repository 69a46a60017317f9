//! An flock that ends when it is dropped, whoever else has the descriptor by then.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)] // a file of the real disk

use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};

/// An open file with an flock on it.
///
/// Closing is not enough: an flock belongs to the open file description (flock(2)), and a child that another thread of
/// this process has just forked has the same one until it execs. The lock would be held that long after it was let go,
/// and a second `work` of the same program find somebody else at work.
#[derive(Debug)]
pub(crate) struct Flock(File);

impl Flock {
    /// Takes the lock, or gives the file back where somebody else has it.
    pub(crate) fn attempted(file: File) -> io::Result<Result<Self, File>> {
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Ok(Self(file))),
                Err(TryLockError::WouldBlock) => return Ok(Err(file)),
                Err(TryLockError::Error(e)) if e.kind() == ErrorKind::Interrupted => {}
                Err(TryLockError::Error(e)) => return Err(e),
            }
        }
    }

    /// Takes the lock as soon as it is free.
    pub(crate) fn waited_for(file: File) -> io::Result<Self> {
        wait_for(&file)?;
        Ok(Self(file))
    }
}

/// Takes the lock of a file that closes at once, and which nobody looks at who would not wait: it is let go with that.
pub(crate) fn wait_for(file: &File) -> io::Result<()> {
    loop {
        match file.lock() {
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

impl Drop for Flock {
    fn drop(&mut self) {
        // A file system that cannot unlock lets go at the close, which follows.
        let _ = self.0.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(path: &std::path::Path) -> File {
        File::options().create(true).truncate(false).read(true).write(true).open(path).unwrap()
    }

    #[test]
    fn a_child_that_still_has_the_descriptor_holds_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let lock = Flock::attempted(opened(&path)).unwrap().unwrap();
        assert!(Flock::attempted(opened(&path)).unwrap().is_err());
        let of_a_child = lock.0.try_clone().unwrap();
        drop(lock);
        assert!(Flock::attempted(opened(&path)).unwrap().is_ok());
        drop(of_a_child);
    }
}
