//! Mends in a home what can be mended without deciding anything for anybody.

use crate::{Caller, Failure, Home};
use declaration::counted;
use durable::FileKind;
use operator::{SPACE_LOW, is_below};
use queue_layout::{HOME_DIRS, LATER_DIRS};

/// Old files between two looks at the space that is left.
const STEP_FILES: usize = 2_000;

type Tell<'t> = &'t mut dyn FnMut(&str) -> Result<(), Failure>;

impl Home {
    /// Mends what can be mended: permissions, missing directories, space, what the dead left. Each is told of when it is
    /// done, as a sentence. `by` is who asked for it: the journal has it.
    ///
    /// # Errors
    /// The home cannot be used, or a disk error; what was told of before is mended.
    pub fn mend(&self, caller: &Caller, by: &str, tell: Tell<'_>) -> Result<(), Failure> {
        self.mend_permissions(tell)?;
        self.mend_layout(tell)?;
        self.check()?;
        self.mend_space(by, tell)?;
        self.mend_claims(caller, by, tell)
    }

    /// First of all: a home that others can write to is refused by everything else. Only what is a directory of ours.
    fn mend_permissions(&self, tell: Tell<'_>) -> Result<(), Failure> {
        let home = self.layout.home();
        let ours = self.disk.uid();
        let names = HOME_DIRS.iter().chain(&LATER_DIRS);
        for dir in std::iter::once(home.to_owned()).chain(names.map(|name| home.join(name))) {
            let Some(stat) = self.disk.stat_link(&dir)? else { continue };
            if stat.kind == FileKind::Directory && stat.uid == ours && stat.mode & 0o077 != 0 {
                self.disk.set_mode(&dir, 0o700)?;
                tell(&format!("{} is yours alone", self.short(&dir)))?;
            }
        }
        Ok(())
    }

    /// The directories that are missing in a home that is there. One that is not there is made by `init`.
    fn mend_layout(&self, tell: Tell<'_>) -> Result<(), Failure> {
        if self.disk.stat(self.layout.home())?.is_none() {
            return Ok(());
        }
        for dir in self.layout.create(&*self.disk)? {
            tell(&format!("made {}", self.short(&dir)))?;
        }
        Ok(())
    }

    /// Removes what is older than `retention` keeps it, when little space is left.
    fn mend_space(&self, by: &str, tell: Tell<'_>) -> Result<(), Failure> {
        let Ok(settings) = self.settings() else { return Ok(()) };
        let queue = self.queue();
        while is_below(self.disk.space(queue.home())?, SPACE_LOW) {
            let (pruned, more) = operator::prune_some(queue, self.now(), &settings.retention, STEP_FILES)?;
            if pruned.is_nothing() {
                return Ok(());
            }
            operator::tell_pruned(queue, &pruned, by, self.now());
            tell(&format!("cleared away {}", operator::pruned_sentence(&pruned)))?;
            if !more {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Gives back the claims of dead workers, and removes the temp files that they left. A worker that drains does it itself.
    fn mend_claims(&self, caller: &Caller, by: &str, tell: Tell<'_>) -> Result<(), Failure> {
        let Ok(settings) = self.settings() else { return Ok(()) };
        let Some(_alone) = self.disk.try_lock(&self.layout.run_lock())? else { return Ok(()) };
        let left = self.queue().operator().abandoned(self.now())?.len() + self.dead_workers()?.len();
        if left == 0 {
            return Ok(());
        }
        self.worker(caller.clone(), by).recover(&settings)?;
        tell(&format!(
            "{} of workers that died cleared away; their jobs are back in the queue",
            counted(left, "leftover")
        ))
    }
}
