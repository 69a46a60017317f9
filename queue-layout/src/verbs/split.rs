//! Gives each job of a bundle a file of its own, before one of them goes its own way.
//!
//! A split is done where jobs are claimed, and is durable before any of them moves on. So a bundle is never found beside a
//! job of it that has gone further.

use super::claimant::{Claimant, Claimed};
use super::draft::encode;
use crate::JOB_BYTES_MAX;
use crate::error::{QueueError, Result};
use crate::format::bundle::{BYTES_MAX, pieces};
use crate::format::job::Job;
use crate::format::name::{Form, JobName};
use crate::moves::NewFile;
use std::collections::BTreeSet;

const _: () = assert!(BYTES_MAX as u64 <= JOB_BYTES_MAX);

impl Claimant {
    /// Gives each of these jobs that shares its file with others a file of its own, and those others too; also those that
    /// cannot be read. The claims are durable then.
    ///
    /// # Errors
    /// A disk error; `Unreadable` for a file too large to be one. Cut short, it is finished by whoever recovers.
    pub fn split(&self, claims: &[Claimed]) -> Result<Vec<Claimed>> {
        if !claims.iter().any(Claimed::is_bundled) {
            return Ok(claims.to_vec());
        }
        self.secure(claims)?;
        self.split_secured(claims)
    }

    /// The same with claims that are durable already: else a power cut would put the bundle back beside its jobs.
    pub(crate) fn split_secured(&self, claims: &[Claimed]) -> Result<Vec<Claimed>> {
        let bundles: BTreeSet<JobName> =
            claims.iter().filter(|claimed| claimed.is_bundled()).map(|claimed| claimed.name).collect();
        self.split_files(&bundles)?;
        Ok(claims.iter().map(Claimed::alone).collect())
    }

    /// Finishes what a dead worker began: a bundle beside jobs of its own was being split, and none of them has moved on.
    pub(crate) fn finish_splits(&self) -> Result<()> {
        let names = self.queue.list_or_gone(&self.dir())?;
        let names: Vec<JobName> = names.iter().filter_map(|name| JobName::parse(name)).collect();
        let begun = |bundle: &JobName| {
            let job = |name: &JobName| name.form == Form::Job && bundle.place_of(name.id).is_some();
            matches!(bundle.form, Form::Bundle(_)) && names.iter().any(job)
        };
        let begun: BTreeSet<JobName> = names.iter().copied().filter(begun).collect();
        match self.split_files(&begun) {
            // Damaged since: it is set aside like any file that nobody can read, beside the jobs that were written.
            Err(QueueError::Unreadable { .. }) => Ok(()),
            other => other,
        }
    }

    fn split_files(&self, bundles: &BTreeSet<JobName>) -> Result<()> {
        if bundles.is_empty() {
            return Ok(());
        }
        let mut files = Vec::new();
        for bundle in bundles {
            let claimed = Claimed { id: bundle.id, name: *bundle, from: None };
            for (id, piece) in pieces(bundle, &self.bytes(&claimed)?) {
                let name = bundle.alone(id);
                let bytes = match piece {
                    Ok(job) => encode(&Job { rev: name.rev, ..job })?,
                    Err(left) => left,
                };
                let tmp = self.layout().tmp().join(format!("{}.{id}.split", self.name()));
                files.push(NewFile { tmp, bytes, target: self.dir().join(name.to_string()) });
            }
        }
        let written = self.queue.moves().write_again(files)?;
        self.disk().point("split.written");
        let durable = written.place()?.durable()?;
        self.disk().point("split.durable");
        // For good, before any of them moves on: a bundle that came back would bring it back.
        durable.then_remove(bundles.iter().map(|bundle| self.dir().join(bundle.to_string())))?.durable()?;
        self.disk().point("split.removed");
        Ok(())
    }
}
