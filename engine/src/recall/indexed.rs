//! Answering from the index in the cache directory. It saves reading every document; it decides nothing: what it answers is
//! held against the documents first, and where it cannot be used they are all read instead.

use super::{Question, Source};
use crate::Home;
use crate::output::{RecallHit, Recalled, SearchedBy};
use crate::recall::managed::Managed;
use crate::recall::meaning::ByMeaning;
use durable::Attributes;
use policy::settings::Embeddings;
use recall_index::{AskedDocument, FileStamp, Index, IndexHit, IndexQuestion, Trouble};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Documents of fewer bytes together are read faster than an index is opened.
const INDEXED_BYTES_MIN: u64 = 64 * 1024;
/// The most that is read into the index at a prompt, in bytes; more is left to the next `recall` or the next merge.
const UNREAD_BYTES_MAX: u64 = 256 * 1024;
/// How often a question is asked again because a document changed while it was answered.
const ROUNDS_MAX: usize = 4;
/// The files SQLite keeps beside its own.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Why the documents themselves have to be read.
pub(super) enum NotIndexed {
    /// Reading them is quicker, or nobody said where an index may be.
    Needless,
    /// The index cannot be used: what a person should know of it.
    Trouble(String),
}

impl From<Trouble> for NotIndexed {
    fn from(trouble: Trouble) -> NotIndexed {
        NotIndexed::Trouble(trouble.to_string())
    }
}

/// A document with what the file system says of it.
struct Stamped<'m> {
    managed: &'m Managed,
    /// As the index knows it.
    path: String,
    stamp: FileStamp,
}

impl Home {
    /// Where this home's index is: in a file of its own, named by a hash of where the home is.
    #[must_use]
    pub fn recall_index(&self) -> Option<PathBuf> {
        let home = self.canonicalise(self.layout.home()).ok()?;
        let name = ::recall::Token::of(&home.to_string_lossy()).0;
        Some(self.cache.as_ref()?.join(format!("recall-{name:015x}.sqlite")))
    }

    /// Deletes the index; the next question makes it again. True when there was one.
    ///
    /// # Errors
    /// A file of it cannot be deleted.
    pub fn forget_recall_index(&self) -> Result<bool, durable::DiskError> {
        let Some(path) = self.recall_index() else { return Ok(false) };
        for beside in BESIDE {
            let mut name = path.clone().into_os_string();
            name.push(beside);
            self.disk.remove(Path::new(&name))?;
        }
        self.disk.remove(&path)
    }

    /// Asks the index, after what changed was read again.
    pub(super) fn recall_by_index(
        &self,
        question: &Question,
        managed: &[Managed],
        waiting: &[Source],
        mut by_meaning: Option<&mut ByMeaning<'_>>,
    ) -> Result<Recalled, NotIndexed> {
        // Vectors are kept in the index, however little there is.
        let is_by_meaning = by_meaning.as_ref().is_some_and(|by_meaning| by_meaning.vector.is_some());
        let (documents, path) = self.indexed(managed, is_by_meaning)?;
        let mut index = self.open_index(&path)?;
        let mut again = BTreeSet::new();
        for _ in 0..ROUNDS_MAX {
            again.extend(outdated(&index, &documents)?);
            let unread = self.read_again(&mut index, &documents, again)?;
            if let Some(by_meaning) = &mut by_meaning {
                self.complete(by_meaning, &mut index, &asked_documents(&documents))?;
            }
            let vector = by_meaning.as_ref().and_then(|by_meaning| by_meaning.vector.as_deref());
            let (found, units) = self.ask(&mut index, question, &documents, waiting, vector)?;
            again = self.changed(&documents, &found);
            if again.is_empty() {
                let mut recalled = Recalled { query: question.text.clone(), ..Recalled::default() };
                recalled.searched.documents = documents.len() - unread.len();
                recalled.searched.units = units;
                recalled.searched.unread = unread;
                recalled.searched.by = SearchedBy::Index;
                recalled.searched.meaning = by_meaning.map(|by_meaning| by_meaning.told.clone());
                let shown = found.into_iter().filter_map(|found| match found.place {
                    Some(_) => {
                        Some(self.found(documents.get(found.document)?.managed, None, &found.unit, found.hit))
                    }
                    None => {
                        let source = waiting.get(found.document.checked_sub(documents.len())?)?;
                        Some(self.found(&source.managed, source.waits.clone(), &found.unit, found.hit))
                    }
                });
                recalled.hits = shown.collect();
                return Ok(recalled);
            }
        }
        Err(NotIndexed::Trouble("the documents change faster than the index is made".to_owned()))
    }

    /// Asks the index as it is for what is worth saying unasked: little that changed is read into it first, where nobody else writes
    /// it; of a document of which much changed nothing is said. Every hit is held against its document.
    pub(super) fn ask_index_at_once(
        &self,
        query: &::recall::Query,
        weights: &::recall::Weights,
        wanted: &::recall::HitFilter<'_>,
        managed: &[Managed],
    ) -> Result<Vec<RecallHit>, NotIndexed> {
        let (documents, path) = self.indexed(managed, false)?;
        if documents.len() < managed.len() {
            return Err(NotIndexed::Trouble("a document went meanwhile".to_owned()));
        }
        if !self.disk.stat(&path).is_ok_and(|stat| stat.is_some()) {
            return Err(NotIndexed::Trouble("there is none yet".to_owned()));
        }
        let mut index = Index::open_at_once(&path)?;
        let outdated = outdated(&index, &documents)?;
        let unread: u64 = outdated.iter().filter_map(|at| Some(documents.get(*at)?.stamp.len)).sum();
        if unread <= UNREAD_BYTES_MAX {
            // Another process may be writing at this moment: then the index is asked as it is.
            let _ = self.read_again(&mut index, &documents, outdated);
        }
        let documents_asked = &asked_documents(&documents);
        let (others, narrows, vector) = (&[], true, None);
        let question =
            IndexQuestion { query, weights, documents: documents_asked, others, wanted, narrows, vector };
        let found = index.search(&question)?.found;
        let gone = self.changed(&documents, &found);
        // Which of them is told by their numbers: documents and units mean nothing to the ranking here.
        let mut standing: Vec<IndexHit> =
            found.into_iter().filter(|hit| !gone.contains(&hit.document)).collect();
        let numbered = standing.iter().enumerate();
        let hits = numbered.map(|(unit, found)| ::recall::Hit { unit, ..found.hit.clone() }).collect();
        let told: BTreeSet<usize> =
            ::recall::worth_saying(hits, usize::MAX).iter().map(|hit| hit.unit).collect();
        let mut number = 0;
        standing.retain(|_| {
            number += 1;
            told.contains(&(number - 1))
        });
        let said = standing.into_iter().filter_map(|found| {
            Some(self.found(documents.get(found.document)?.managed, None, &found.unit, found.hit))
        });
        Ok(said.collect())
    }

    /// Reads into the index what changed, and has vectors made where a server is given.
    pub(super) fn refresh_index(
        &self,
        managed: &[Managed],
        embeddings: Option<&Embeddings>,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<(), NotIndexed> {
        let (documents, path) = self.indexed(managed, embeddings.is_some())?;
        let mut index = self.open_index(&path)?;
        let outdated = outdated(&index, &documents)?;
        self.read_again(&mut index, &documents, outdated)?;
        if let Some(server) = embeddings {
            self.complete_in_background(server, &mut index, &asked_documents(&documents), is_stopped);
        }
        Ok(())
    }

    /// The documents as they are now and where the index of them is; `Needless` where they are read faster, unless it is needed all
    /// the same.
    fn indexed<'m>(
        &self,
        managed: &'m [Managed],
        needed: bool,
    ) -> Result<(Vec<Stamped<'m>>, PathBuf), NotIndexed> {
        let documents: Vec<Stamped<'m>> =
            managed.iter().filter_map(|managed| self.stamped(managed)).collect();
        let bytes: u64 = documents.iter().map(|document| document.stamp.len).sum();
        if !needed && bytes < INDEXED_BYTES_MIN {
            return Err(NotIndexed::Needless);
        }
        let path = self.recall_index().ok_or(NotIndexed::Needless)?;
        Ok((documents, path))
    }

    fn stamped<'m>(&self, managed: &'m Managed) -> Option<Stamped<'m>> {
        let stat = self.disk.stat(&managed.canonical).ok()??;
        let stamp = FileStamp {
            len: stat.len,
            modified_ms: stat.modified_ms,
            changed_ms: stat.changed_ms,
            inode: stat.inode,
            device: stat.device,
        };
        Some(Stamped { managed, path: managed.canonical.to_str()?.to_owned(), stamp })
    }

    /// Opens the index. One that is torn or of another version is deleted and begun again.
    fn open_index(&self, path: &Path) -> Result<Index, NotIndexed> {
        self.make_cache()?;
        self.make_private(path)?;
        match Index::open(path) {
            Err(Trouble::Unusable(_)) => {
                self.forget_recall_index().map_err(|e| NotIndexed::Trouble(e.to_string()))?;
                self.make_private(path)?;
                Ok(Index::open(path)?)
            }
            opened => Ok(opened?),
        }
    }

    /// Makes an empty file for the index, where there is none: those beside it get the rights of this one.
    fn make_private(&self, path: &Path) -> Result<(), NotIndexed> {
        let said = |e: durable::DiskError| NotIndexed::Trouble(e.to_string());
        if self.disk.stat_link(path).map_err(said)?.is_some() {
            return Ok(());
        }
        match self.disk.write_new(path, b"", Attributes::PRIVATE) {
            // Another process begins it at this moment.
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
            written => written.map_err(said),
        }
    }

    /// Makes the cache directory, and holds that nobody else can put an index there.
    fn make_cache(&self) -> Result<(), NotIndexed> {
        let Some(dir) = &self.cache else { return Err(NotIndexed::Needless) };
        let said = |e: durable::DiskError| NotIndexed::Trouble(e.to_string());
        let missing: Vec<&Path> = dir
            .ancestors()
            .take_while(|above| self.disk.stat(above).is_ok_and(|stat| stat.is_none()))
            .collect();
        for above in missing.into_iter().rev() {
            self.disk.make_dir(above).map_err(said)?;
        }
        let stat = self.disk.stat(dir).map_err(said)?;
        match stat {
            Some(stat) if stat.uid == self.disk.uid() && stat.mode & 0o022 == 0 => Ok(()),
            _ => Err(NotIndexed::Trouble(format!("others can write to {}", self.short(dir)))),
        }
    }

    /// Reads these documents into the index again. What cannot be read, with why.
    fn read_again(
        &self,
        index: &mut Index,
        documents: &[Stamped<'_>],
        outdated: BTreeSet<usize>,
    ) -> Result<Vec<String>, NotIndexed> {
        let mut unread = Vec::new();
        if outdated.is_empty() {
            return Ok(unread);
        }
        let mut writing = index.write()?;
        for document in outdated.into_iter().filter_map(|number| documents.get(number)) {
            // The stamp is from before the reading: a change in between shows the next time.
            let stamp = self.stamped(document.managed).map_or(document.stamp, |stamped| stamped.stamp);
            let now_ms = self.now().millis();
            // A worker that merged into it has its text.
            let text = self.documents().read_shared(&document.managed.document());
            let text = text.map_err(crate::Failure::from);
            match text.as_ref().map(|text| std::str::from_utf8(text)) {
                Ok(Ok(text)) => writing.put(&document.path, stamp, text, now_ms)?,
                Ok(Err(_)) => {
                    unread.push(self.is_no_text(document.managed).to_string());
                    writing.forget(&document.path)?;
                }
                Err(failure) => {
                    unread.push(failure.to_string());
                    writing.forget(&document.path)?;
                }
            }
        }
        for path in writing.paths()? {
            if self.disk.stat(Path::new(&path)).is_ok_and(|stat| stat.is_none()) {
                writing.forget(&path)?;
            }
        }
        writing.commit()?;
        Ok(unread)
    }

    fn ask(
        &self,
        index: &mut Index,
        question: &Question,
        documents: &[Stamped<'_>],
        waiting: &[Source],
        vector: Option<&[f32]>,
    ) -> Result<(Vec<IndexHit>, usize), NotIndexed> {
        let asked = asked_documents(documents);
        let others: Vec<::recall::SearchedDocument<'_>> = waiting.iter().map(Source::searched).collect();
        let answer = self.asking(question, |query, wanted, weights| {
            let (documents, others, narrows) = (&asked, &others, question.narrows());
            index.search(&IndexQuestion { query, weights, documents, others, wanted, narrows, vector })
        })?;
        Ok((answer.found, answer.units))
    }

    /// The documents in which something that was found does not stand any more.
    fn changed(&self, documents: &[Stamped<'_>], found: &[IndexHit]) -> BTreeSet<usize> {
        let numbers: BTreeSet<usize> =
            found.iter().filter(|found| found.place.is_some()).map(|found| found.document).collect();
        let is_gone = |number: &usize| {
            let Some(document) = documents.get(*number) else { return true };
            let Ok(text) = self.text_of(document.managed) else { return true };
            let of_document = found.iter().filter(|found| found.document == *number);
            !of_document.filter_map(|found| found.place).all(|place| place.holds(text.as_bytes()))
        };
        numbers.into_iter().filter(is_gone).collect()
    }

    /// The text of a document; why it cannot be read, with its name.
    pub(crate) fn text_of(&self, managed: &Managed) -> Result<String, crate::Failure> {
        let bytes = self.documents().read(&managed.document())?.bytes;
        String::from_utf8(bytes).map_err(|_| self.is_no_text(managed))
    }

    fn is_no_text(&self, managed: &Managed) -> crate::Failure {
        crate::Failure::new(format!("{} is not UTF-8 text", self.short(&managed.path)))
    }
}

fn asked_documents<'d>(documents: &'d [Stamped<'_>]) -> Vec<AskedDocument<'d>> {
    let asked =
        |document: &'d Stamped<'_>| AskedDocument { path: &document.path, ages: document.managed.ages() };
    documents.iter().map(asked).collect()
}

/// The numbers of those documents that the index does not have as they are.
fn outdated(index: &Index, documents: &[Stamped<'_>]) -> Result<BTreeSet<usize>, Trouble> {
    let known: Vec<(&str, FileStamp)> =
        documents.iter().map(|document| (document.path.as_str(), document.stamp)).collect();
    Ok(index.outdated(&known)?.into_iter().collect())
}
