//! Recall by meaning: a question's vector, and those of units that have none yet. What cannot be had in time is done without, and
//! that is said; what looks like a secret is not sent.

use super::Question;
use super::indexed::NotIndexed;
use crate::Home;
use crate::host::{EmbeddingsRequest, NotEmbedded};
use crate::output::SearchedMeaning;
use declaration::secrets;
use policy::settings::{Embeddings, Settings};
use recall_index::{AskedDocument, Index, UnitId};
use std::time::Duration;

/// How many texts are sent at once.
const BATCH: usize = 16;
/// How long a worker waits for each batch.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a worker makes vectors in one run; the next run goes on.
const RUN_MAX: Duration = Duration::from_secs(20);
/// What is sent to learn whether a server answers, and with how many dimensions.
const PROBE: &str = "last-word";

/// A question that is asked by its meaning as well.
pub(super) struct ByMeaning<'s> {
    server: &'s Embeddings,
    /// When the time is over that may be waited, by the clock that is never set.
    until: Duration,
    /// The question's vector; without it words alone answer.
    pub(super) vector: Option<Vec<f32>>,
    /// What is told of it.
    pub(super) told: SearchedMeaning,
}

/// A unit with its vector, where it has one.
type UnitVector = (UnitId, Option<Vec<f32>>);

impl Home {
    /// Asks for the question's vector, where a server is configured.
    pub(super) fn by_meaning<'s>(
        &self,
        question: &Question,
        settings: &'s Settings,
    ) -> Option<ByMeaning<'s>> {
        let server = settings.embeddings.as_ref()?;
        let patience = Duration::from_millis(server.deadline_ms);
        let until = (self.host.elapsed)() + patience;
        let mut by_meaning = ByMeaning { server, until, vector: None, told: SearchedMeaning::default() };
        if secrets::find(&question.text).is_some() {
            by_meaning.told.trouble = Some("the question looks like a secret, and was not sent".to_owned());
            return Some(by_meaning);
        }
        let text = format!("{}{}", server.query_prefix, question.text);
        match self.embedded(server, &[text], patience) {
            Ok(mut vectors) => by_meaning.vector = vectors.pop(),
            Err(NotEmbedded::Refused(why) | NotEmbedded::Trouble(why)) => by_meaning.told.trouble = Some(why),
        }
        Some(by_meaning)
    }

    /// Makes vectors that are missing, in what is left of the question's time, and counts them.
    pub(super) fn complete(
        &self,
        by_meaning: &mut ByMeaning<'_>,
        index: &mut Index,
        documents: &[AskedDocument<'_>],
    ) -> Result<(), NotIndexed> {
        let Some(dimensions) = by_meaning.vector.as_ref().map(Vec::len) else { return Ok(()) };
        let model = name(by_meaning.server, dimensions);
        let (units, with) = index.vectors(documents, &model)?;
        (by_meaning.told.units, by_meaning.told.with_vector) = (units, with);
        if with < units {
            let making =
                Making { server: by_meaning.server, model: &model, dimensions, until: by_meaning.until };
            // Too slow is no trouble here: the next question goes on, or the next run of the worker.
            let _ = self.make_vectors(index, documents, &making, &|| false);
            by_meaning.told.with_vector = index.vectors(documents, &model)?.1;
        }
        Ok(())
    }

    /// Makes vectors that are missing, as long as a worker does in one run. What is in the way is said to nobody: who asks is told.
    pub(super) fn complete_in_background(
        &self,
        server: &Embeddings,
        index: &mut Index,
        documents: &[AskedDocument<'_>],
        is_stopped: &dyn Fn() -> bool,
    ) {
        // Without asking the server, which most runs need not: nothing is new, and nothing is missing.
        let kept = index.model().ok().flatten().filter(|kept| is_named(server, kept)).unwrap_or_default();
        if index.without_vector(documents, &kept).is_ok_and(|missing| missing.is_empty()) {
            return;
        }
        let until = (self.host.elapsed)() + RUN_MAX;
        let probe = format!("{}{PROBE}", server.document_prefix);
        let Ok(vectors) = self.embedded(server, &[probe], PATIENCE) else { return };
        let dimensions = vectors.first().map_or(0, Vec::len);
        let model = name(server, dimensions);
        let making = Making { server, model: &model, dimensions, until };
        let _ = self.make_vectors(index, documents, &making, is_stopped);
    }

    fn make_vectors(
        &self,
        index: &mut Index,
        documents: &[AskedDocument<'_>],
        making: &Making<'_>,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<(), NotIndexed> {
        let missing = index.without_vector(documents, making.model)?;
        let (mut missing, mut accepted, mut most) = (missing.as_slice(), false, BATCH);
        while !missing.is_empty() && !is_stopped() {
            let left = making.until.saturating_sub((self.host.elapsed)()).min(PATIENCE);
            if left.is_zero() {
                break;
            }
            let (next, rest) = missing.split_at(most.min(missing.len()));
            let units = index.described(next)?;
            let made = match self.vectors_of(units, making, left, &mut accepted) {
                Ok(made) => made,
                // A server that is slow may do one at a time.
                Err(_) if most > 1 => {
                    most = 1;
                    continue;
                }
                Err(why) => return Err(why),
            };
            let mut writing = index.write()?;
            writing.keep_vectors(making.model, &made)?;
            writing.commit()?;
            missing = rest;
        }
        Ok(())
    }

    /// The vectors of these units; none for one that looks like a secret, or that a server which took others does not take.
    fn vectors_of(
        &self,
        units: Vec<(UnitId, String)>,
        making: &Making<'_>,
        patience: Duration,
        accepted: &mut bool,
    ) -> Result<Vec<UnitVector>, NotIndexed> {
        let trouble = |why: NotEmbedded| match why {
            NotEmbedded::Refused(why) | NotEmbedded::Trouble(why) => NotIndexed::Trouble(why),
        };
        let is_sent = |(_, text): &(UnitId, String)| secrets::find(text).is_none();
        let (sent, secret): (Vec<_>, Vec<_>) = units.into_iter().partition(is_sent);
        let mut made: Vec<UnitVector> = secret.into_iter().map(|(unit, _)| (unit, None)).collect();
        let texts: Vec<String> =
            sent.iter().map(|(_, text)| format!("{}{text}", making.server.document_prefix)).collect();
        match self.embedded_as(making, &texts, patience) {
            Ok(vectors) => {
                *accepted |= !texts.is_empty();
                made.extend(sent.into_iter().map(|(unit, _)| unit).zip(vectors.into_iter().map(Some)));
            }
            Err(NotEmbedded::Refused(_)) => {
                for ((unit, _), text) in sent.into_iter().zip(texts) {
                    let one = self.embedded_as(making, &[text], patience);
                    let vector = match one {
                        Ok(mut one) => one.pop(),
                        Err(NotEmbedded::Refused(_)) if *accepted => None,
                        Err(NotEmbedded::Refused(_)) => continue,
                        Err(why) => return Err(trouble(why)),
                    };
                    *accepted |= vector.is_some();
                    made.push((unit, vector));
                }
                if made.is_empty() {
                    return Err(NotIndexed::Trouble("none of the texts is taken".to_owned()));
                }
            }
            Err(why) => return Err(trouble(why)),
        }
        Ok(made)
    }

    fn embedded_as(
        &self,
        making: &Making<'_>,
        texts: &[String],
        patience: Duration,
    ) -> Result<Vec<Vec<f32>>, NotEmbedded> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let vectors = self.embedded(making.server, texts, patience)?;
        match vectors.iter().all(|vector| vector.len() == making.dimensions) {
            true => Ok(vectors),
            false => Err(NotEmbedded::Trouble("vectors of another length than before".to_owned())),
        }
    }

    fn embedded(
        &self,
        server: &Embeddings,
        texts: &[String],
        patience: Duration,
    ) -> Result<Vec<Vec<f32>>, NotEmbedded> {
        (self.host.embed)(&EmbeddingsRequest { url: &server.url, model: &server.model, texts, patience })
    }
}

/// Vectors that are being made.
struct Making<'a> {
    server: &'a Embeddings,
    /// As the index names it.
    model: &'a str,
    dimensions: usize,
    until: Duration,
}

/// What the index knows vectors by: those of another model, prefix or length do not fit these.
fn name(server: &Embeddings, dimensions: usize) -> String {
    format!("{} {dimensions} {}", server.model, server.document_prefix)
}

/// Whether vectors of that name are this server's, however long they are.
fn is_named(server: &Embeddings, kept: &str) -> bool {
    let dimensions =
        kept.strip_prefix(&server.model).and_then(|rest| rest.strip_suffix(&server.document_prefix));
    dimensions.is_some_and(|dimensions| {
        dimensions.trim().parse().is_ok_and(|many: usize| name(server, many) == kept)
    })
}
