//! How files come to where they are seen, and how that is made durable. The only place in this crate that writes files,
//! renames them and syncs. LAYOUT.md has the table of moves.
//!
//! Each move is one typed sequence, and no step can be left out without a word about it:
//!
//! - `Written`: whole files in `tmp/`, their bytes durable. A crash leaves names that mean nothing.
//! - `Renamed`: files under the names they are found by. A power cut may undo any of the renames.
//! - `Durable`: the names are durable: those that were added first, then those that went. Only now may a file go that
//!   these ones take the place of.
//!
//! What arrives is synced before what left, so that a power cut may leave a file in two directories, never in none.

pub(crate) mod order;
pub(crate) mod seq;

use crate::Queue;
use crate::error::Result;
use durable::{Attributes, Disk, Moved};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A file to be written: the name it has in `tmp/` until it is whole, its bytes, and the name it will be found by.
#[derive(Debug)]
pub(crate) struct NewFile {
    pub tmp: PathBuf,
    pub bytes: Vec<u8>,
    pub target: PathBuf,
}

/// The beginning of every move.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moves<'d> {
    disk: &'d dyn Disk,
}

impl Queue {
    pub(crate) fn moves(&self) -> Moves<'_> {
        Moves::on(&*self.disk)
    }
}

impl<'d> Moves<'d> {
    pub(crate) fn on(disk: &'d dyn Disk) -> Self {
        Moves { disk }
    }

    /// Writes files under names that nobody has used before. They share their syncs.
    pub(crate) fn write(self, files: Vec<NewFile>) -> Result<Written<'d>> {
        let (names, contents): (Vec<_>, Vec<_>) =
            files.into_iter().map(|file| ((file.tmp.clone(), file.target), (file.tmp, file.bytes))).unzip();
        let written = Written { disk: self.disk, names };
        match self.disk.write_many_new(&contents) {
            Ok(()) => Ok(written),
            Err(e) => {
                written.forget();
                Err(e.into())
            }
        }
    }

    /// The same under names that an earlier try, which died, may have left in `tmp/`.
    pub(crate) fn write_again(self, files: Vec<NewFile>) -> Result<Written<'d>> {
        for file in &files {
            self.disk.remove(&file.tmp)?;
        }
        self.write(files)
    }

    /// The same of one file with this mode and owner, and what its target has beside them.
    pub(crate) fn write_like(self, file: NewFile, attributes: Attributes) -> Result<Written<'d>> {
        self.disk.remove(&file.tmp)?;
        self.disk.write_in_place_of(&file.target, &file.tmp, &file.bytes, attributes)?;
        Ok(Written { disk: self.disk, names: vec![(file.tmp, file.target)] })
    }

    /// Writes one file without a sync: one that may be lost in a power cut, because it can be made again.
    pub(crate) fn write_unsynced(self, file: NewFile) -> Result<Written<'d>> {
        self.disk.remove(&file.tmp)?;
        self.disk.append(&file.tmp, &file.bytes)?;
        Ok(Written { disk: self.disk, names: vec![(file.tmp, file.target)] })
    }

    /// Copies bytes from another file system, which no rename can cross. The directory is ours alone, and nobody reads the
    /// copy before its name is durable.
    pub(crate) fn copy(self, bytes: &[u8], target: &Path) -> Result<()> {
        Ok(self.disk.write_new(target, bytes, Attributes::PRIVATE)?)
    }

    /// For a move of files that are whole already.
    pub(crate) fn begin(self) -> Renamed<'d> {
        Renamed { disk: self.disk, into: Vec::new(), out_of: Vec::new(), taken: 0 }
    }

    /// Makes a directory and its name durable. Also the name of one that is there: whoever made it may have died before it
    /// was durable.
    pub(crate) fn make_dir(self, dir: &Path) -> Result<()> {
        self.disk.make_dir(dir)?;
        self.confirm(dir.parent())
    }

    /// Syncs these directories in this order: somebody else moved files there, and may have died before they synced
    /// them.
    pub(crate) fn confirm<P: AsRef<Path>>(self, dirs: impl IntoIterator<Item = P>) -> Result<()> {
        dirs.into_iter().try_for_each(|dir| Ok(self.disk.sync_dir(dir.as_ref())?))
    }
}

/// Whole files in `tmp/`; their bytes are durable.
#[derive(Debug)]
#[must_use = "what is written is found by nobody until it is renamed"]
pub(crate) struct Written<'d> {
    disk: &'d dyn Disk,
    /// In `tmp/`, and the names they will be found by.
    names: Vec<(PathBuf, PathBuf)>,
}

impl<'d> Written<'d> {
    /// Gives all of them the names they are found by. One whose name is taken was written before a crash: it stays.
    pub(crate) fn place(self) -> Result<Renamed<'d>> {
        self.place_each(&mut |_| Ok(()))
    }

    /// The same; `before` is called before each of them. When it fails, those in `tmp/` are removed.
    pub(crate) fn place_each(self, before: &mut dyn FnMut(usize) -> Result<()>) -> Result<Renamed<'d>> {
        let mut renamed = Moves::on(self.disk).begin();
        for (n, (tmp, target)) in self.names.iter().enumerate() {
            before(n).and_then(|()| renamed.place_new(tmp, target)).inspect_err(|_| self.forget())?;
        }
        Ok(renamed)
    }

    /// The same in step with renames that came before it.
    pub(crate) fn place_with(self, renamed: &mut Renamed<'d>) -> Result<()> {
        self.names.iter().try_for_each(|(tmp, target)| renamed.place_new(tmp, target))
    }

    /// The same over what is there.
    pub(crate) fn replace(self) -> Result<Renamed<'d>> {
        let mut renamed = Moves::on(self.disk).begin();
        for (tmp, target) in &self.names {
            self.disk.replace(tmp, target)?;
            renamed.comes(target);
        }
        Ok(renamed)
    }

    /// Gives one file the first of these names that nobody has.
    pub(crate) fn place_free(self, name: impl Fn(u32) -> PathBuf) -> Result<Renamed<'d>> {
        let mut renamed = Moves::on(self.disk).begin();
        for (tmp, _) in &self.names {
            let mut n = 0;
            while self.disk.move_new(tmp, &name(n))? == Moved::Taken {
                n += 1;
            }
            renamed.comes(&name(n));
        }
        Ok(renamed)
    }

    /// The same into a directory that others may remove while it is empty: it is made again, so many times at most.
    pub(crate) fn place_in(self, dir: &Path, tries_max: usize) -> Result<Renamed<'d>> {
        let mut renamed = Moves::on(self.disk).begin();
        for (tmp, target) in &self.names {
            let mut tries = 1;
            while let Err(e) = renamed.place_new(tmp, target) {
                if tries == tries_max || !is_gone(&e) {
                    return Err(e);
                }
                self.disk.make_dir(dir)?;
                tries += 1;
            }
        }
        Ok(renamed)
    }

    /// Gives each that has one here a second name; those in `tmp/` stay.
    pub(crate) fn link_each(&self, targets: &[Option<PathBuf>]) -> Result<Renamed<'d>> {
        let mut renamed = Moves::on(self.disk).begin();
        for ((tmp, _), target) in self.names.iter().zip(targets) {
            target.iter().try_for_each(|target| renamed.link(tmp, target))?;
        }
        Ok(renamed)
    }

    /// Leaves them in `tmp/`, for a program that is to read them there.
    pub(crate) fn stay(self) {}

    /// Removes them: they are not needed after all.
    pub(crate) fn abandon(self) {
        self.forget();
    }

    /// Removes what will not be renamed; what cannot be removed is swept later.
    fn forget(&self) {
        for (tmp, _) in &self.names {
            let _ = self.disk.remove(tmp);
        }
    }
}

fn is_gone(e: &crate::QueueError) -> bool {
    matches!(e, crate::QueueError::Disk(e) if e.kind() == ErrorKind::NotFound)
}

/// Files under the names they are found by; a power cut may undo any of the renames.
#[derive(Debug)]
#[must_use = "a rename is undone by a power cut until its directories are synced"]
pub(crate) struct Renamed<'d> {
    disk: &'d dyn Disk,
    /// The directories that names were added to, each once, in the order of the renames.
    into: Vec<PathBuf>,
    /// Those that names were taken out of.
    out_of: Vec<PathBuf>,
    /// Files whose names were taken.
    taken: usize,
}

impl<'d> Renamed<'d> {
    /// Renames without replacing.
    pub(crate) fn rename(&mut self, from: &Path, to: &Path) -> Result<Moved> {
        let moved = self.disk.move_new(from, to)?;
        if moved == Moved::Done {
            self.comes(to);
            self.goes(from);
        }
        Ok(moved)
    }

    /// Gives a file of ours in `tmp/` its name. `tmp/` is not synced for it: a name that a power cut leaves there means nothing.
    fn place_new(&mut self, tmp: &Path, to: &Path) -> Result<()> {
        if self.disk.move_new(tmp, to)? == Moved::Taken {
            self.disk.remove(tmp)?;
            self.taken += 1;
        }
        self.comes(to);
        Ok(())
    }

    /// The same of a finished file; one that is there already is the same one, renamed before a crash.
    pub(crate) fn place(&mut self, from: &Path, to: &Path) -> Result<()> {
        if self.rename(from, to)? == Moved::Taken {
            self.disk.remove(from)?;
            // Its writer may have died before the name was durable, so the directory is synced again.
            self.comes(to);
            self.goes(from);
        }
        Ok(())
    }

    /// Renames over what is there.
    pub(crate) fn rename_over(&mut self, from: &Path, to: &Path) -> Result<()> {
        self.disk.replace(from, to)?;
        self.comes(to);
        self.goes(from);
        Ok(())
    }

    /// A second name for a file, without replacing.
    pub(crate) fn link(&mut self, from: &Path, to: &Path) -> Result<()> {
        self.disk.link_new(from, to)?;
        self.comes(to);
        Ok(())
    }

    /// Removes a name in the same step; false when it was not there.
    pub(crate) fn remove(&mut self, path: &Path) -> Result<bool> {
        let removed = self.disk.remove(path)?;
        self.goes(path);
        Ok(removed)
    }

    /// Syncs this directory too: an earlier try may have moved files there and died.
    pub(crate) fn and(mut self, dir: PathBuf) -> Self {
        add(&mut self.into, dir);
        self
    }

    /// How many of the files were there already.
    pub(crate) fn taken(&self) -> usize {
        self.taken
    }

    /// Makes durable what arrived; what left follows with `durable`.
    pub(crate) fn arrived(&mut self) -> Result<()> {
        for dir in std::mem::take(&mut self.into) {
            self.disk.sync_dir(&dir)?;
            self.out_of.retain(|left| *left != dir);
        }
        Ok(())
    }

    /// Makes the renames durable: what arrived, then what left.
    pub(crate) fn durable(mut self) -> Result<Durable<'d>> {
        self.arrived()?;
        Moves::on(self.disk).confirm(&self.out_of)?;
        Ok(Durable { disk: self.disk })
    }

    /// The same; a directory that is gone was emptied by somebody who made durable where its files went.
    pub(crate) fn durable_unless_gone(mut self) -> Result<()> {
        self.out_of.clear();
        match self.arrived() {
            Err(e) if is_gone(&e) => Ok(()),
            other => other,
        }
    }

    /// Does not sync the renames, so a power cut may undo them. Only where both states are right: a claim that is
    /// undone is a job that still waits, and a text that is lost is made again.
    pub(crate) fn not_durable(self) {}

    fn comes(&mut self, path: &Path) {
        path.parent().into_iter().for_each(|dir| add(&mut self.into, dir.to_owned()));
    }

    fn goes(&mut self, path: &Path) {
        path.parent().into_iter().for_each(|dir| add(&mut self.out_of, dir.to_owned()));
    }
}

fn add(dirs: &mut Vec<PathBuf>, dir: PathBuf) {
    if !dirs.contains(&dir) {
        dirs.push(dir);
    }
}

/// The names are durable.
#[derive(Debug)]
pub(crate) struct Durable<'d> {
    disk: &'d dyn Disk,
}

impl<'d> Durable<'d> {
    /// Takes away files that the durable ones take the place of.
    pub(crate) fn then_remove(self, superseded: impl IntoIterator<Item = PathBuf>) -> Result<Renamed<'d>> {
        let mut renamed = Moves::on(self.disk).begin();
        for path in superseded {
            renamed.remove(&path)?;
        }
        Ok(renamed)
    }
}
