//! The end of a commit among saves that do not stop: what people saved stands as they saved it, and the jobs wait for a
//! quieter moment.
//!
//! A merge onto a save takes two syncs, and somebody who saves sooner than that would keep the commit, and every other home that
//! waits for its directory, for as long as they go on. The file that came out of an exchange goes straight back instead:
//! between two of these exchanges nothing is merged or written.

use crate::commit::{Commit, CommitState, Committed, Left, busy, revision};
use crate::concurrent_edits::SAVES_MAX;
use crate::error::RunError;
use documents::{DocumentError, Exchanged, Staged, hash};
use queue_layout::{Event, Intent, JournalEntry, Outcome};
use std::path::Path;

/// Exchanges after which it is a text that is told instead of one that stands.
const BACK_MAX: usize = 64;

/// How the last exchanges ended.
struct Back {
    /// What came out of them, in the order in which it was saved.
    saved: Vec<Vec<u8>>,
    /// What the document says.
    stands: Vec<u8>,
    /// Hash of what the temp file holds, where there is one.
    held: Option<String>,
}

impl Commit<'_> {
    /// `out`, which somebody saved, is in the file of `staged`, whose text `ours` stands in the document's place. A crash before
    /// the new intent finds the one before it: the saves are merged again, and the jobs with them.
    pub(crate) fn let_saves_stand(
        &self,
        mut standing: CommitState,
        out: Vec<u8>,
        staged: Staged,
        ours: Vec<u8>,
    ) -> Result<Committed, RunError> {
        let documents = self.context.documents;
        let Back { saved, stands, held } = self.exchange_back(&staged, out)?;
        let earlier = standing.saves.last().map(hash);
        let mut left_out = Vec::new();
        let mut ours = Some(ours);
        for text in saved {
            self.stale_saves().saved_meanwhile(&text)?;
            left_out.extend(standing.saves.saved(text).left_out);
            ours.take().into_iter().for_each(|ours| standing.saves.placed(ours));
        }
        left_out.extend(standing.saves.take_missing(&stands));
        self.left_out(standing.batch, &left_out)?;
        let now = (self.context.now)();
        let intent = Intent {
            format: Intent::FORMAT_OF_GIVEN_BACK,
            batch: standing.batch,
            document: self.document_ref(),
            canonical: self.document.canonical.clone(),
            temp: staged.temp,
            before: held,
            after: hash(&stands),
            kept: standing.kept.clone(),
            earlier,
            version: standing.version,
            jobs: Vec::new(),
        };
        self.claimant.commits().write_intent(&intent)?;
        self.context.disk.point("commit.given-back");
        let revision = revision(&intent, &[], self.claimant.name(), now);
        documents.archive(self.document, intent.kept.as_deref(), &revision)?;
        documents.keep_lacking(self.document, intent.version, &standing.saves.lacking())?;
        let read = intent.before.as_deref();
        documents.keep_interim(self.document, intent.version, &intent.temp, read, Some(&stands))?;
        self.claimant.commits().withdraw_intent(intent.batch)?;
        let why = busy(self.document, SAVES_MAX);
        let event = JournalEntry::new(now, Event::PersonSaved)
            .job(standing.batch, &self.document.path)
            .by(self.claimant.name())
            .saying(None, "saved again and again while we merged; the last save stands, and the jobs wait");
        self.context.happened(&[event]);
        let left = Left { version: intent.version, hash: Some(intent.after) };
        Ok(Committed { left: Some(left), ..self.stopped(Outcome::Retry(why)) })
    }

    /// Exchanges until what comes out is what we put there.
    fn exchange_back(&self, staged: &Staged, out: Vec<u8>) -> Result<Back, DocumentError> {
        let temp: &Path = &staged.temp;
        let mut expected = staged.hash.clone();
        let mut is_there = true;
        let (mut saved, mut last) = (Vec::new(), out);
        for _ in 0..BACK_MAX {
            let put = hash(&last);
            match self.context.documents.exchange(self.document, temp, is_there, None)? {
                // Removed meanwhile, or made again.
                Exchanged::Moved => is_there = !is_there,
                Exchanged::Created => {
                    saved.push(last.clone());
                    return Ok(Back { saved, stands: last, held: None });
                }
                // Nothing was expected of it.
                Exchanged::AsExpected => {}
                Exchanged::Displaced(came) => {
                    let hash = hash(&came);
                    saved.push(std::mem::replace(&mut last, came));
                    if hash == expected || hash == put {
                        let stands = saved.last().cloned().unwrap_or_default();
                        return Ok(Back { saved, stands, held: Some(hash) });
                    }
                    expected = put;
                }
            }
        }
        // Faster than we can exchange: what we hold is told.
        let (stands, held) = (saved.last().cloned().unwrap_or_default(), hash(&last));
        saved.push(last);
        Ok(Back { saved, stands, held: Some(held) })
    }
}
