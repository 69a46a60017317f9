//! What a yes is for: the hash of a job's words. Words that are changed after the yes have another hash and are asked about again.

use super::approval::Approval;
use super::hex;
use super::job::{Again, DocumentRef, Job, Producer, Restore};
use declaration::{Entry, Key, Meta, Timestamp};
use sha2::{Digest, Sha256};

impl Approval {
    /// A yes to a job as it is.
    #[must_use]
    pub fn of(job: &Job, by: &str, channel: &str, at: Timestamp) -> Approval {
        let (by, channel) = (by.to_owned(), channel.to_owned());
        Approval { id: job.id, hash: job.words_hash(), by, channel, at }
    }

    /// Whether it is for this job, and for these words of it.
    #[must_use]
    pub fn fits(&self, job: &Job) -> bool {
        self.id == job.id && job.has_words(&self.hash)
    }
}

impl Job {
    /// `sha256:<hex>-author` of all that a yes is for: which job, whose, which document and file, and every field of every entry that the merge
    /// or the policy looks at. Every field of these types is named here, so that one more is not forgotten.
    #[must_use]
    pub fn words_hash(&self) -> String {
        self.hashed_words(true)
    }

    /// Whether this is the hash of its words: `words_hash`, or, of a record that an older build wrote, that without whose words they are.
    #[must_use]
    pub fn has_words(&self, hash: &str) -> bool {
        match hash.ends_with(WITH_AUTHOR) {
            true => hash == self.words_hash(),
            false => hash == self.hashed_words(false),
        }
    }

    fn hashed_words(&self, with_author: bool) -> String {
        let mut digest = Sha256::new();
        let mut add = |text: &str| {
            digest.update(text.len().to_le_bytes());
            digest.update(text.as_bytes());
        };
        add(&self.id.to_string());
        let DocumentRef { kb, path, project, doc: _ } = &self.document;
        add(kb);
        add(&path.to_string_lossy());
        add(&project.as_ref().map_or_else(String::new, |project| project.to_string_lossy().into_owned()));
        for entry in &self.entries {
            entry_words(entry, &mut add);
        }
        // Where there is none the hash is that of older builds, whose records of a yes still count.
        if let Some(file) = &self.proposed_for {
            add(&format!("for {}", file.to_string_lossy()));
        }
        if let Some(template) = &self.begins_with {
            add(&format!("begins with {template}"));
        }
        if let Some(Again { job, version }) = &self.again {
            add(&format!("again {job} {version}"));
        }
        let Producer { agent, session, event: _, host: _, pid: _, cwd: _, trust: _, claimed: _ } =
            &self.producer;
        // They come into the document: in its front matter, and in what is written beside an item.
        let author = [("source", &self.source), ("agent", agent), ("session", session)];
        for (name, said) in author.iter().filter(|_| with_author) {
            add(&format!("{name} {said}"));
        }
        if let Some(restore) = &self.restore {
            let Restore { version, base, text } = &**restore;
            [version.to_string().as_str(), base, text].into_iter().for_each(&mut add);
        }
        format!("sha256:{}{}", hex(&digest.finalize()), if with_author { WITH_AUTHOR } else { "" })
    }
}

/// How a hash ends that is of whose words they are as well.
const WITH_AUTHOR: &str = "-author";

fn entry_words(entry: &Entry, add: &mut impl FnMut(&str)) {
    let Entry { key, operation, content, old_text, expect, scope, create, base, meta } = entry;
    let Key { target, heading, level } = key;
    let Meta {
        confidence,
        reason,
        trust,
        review_by,
        speaker,
        user,
        place,
        said,
        said_at,
        of,
        project,
        seen,
        edited_by,
        item,
        occasion,
    } = meta;
    add(&format!("{target:?}"));
    add(&heading.len().to_string());
    heading.iter().for_each(|part| add(part));
    add(&level.to_string());
    add(operation.as_str());
    add(&format!("{scope:?}"));
    add(create.as_str());
    // Only where it is said: a yes that an older build wrote down is for the same words.
    if let Some(times) = expect {
        add(&format!("expect {times}"));
    }
    // Rounded: a number that is written and read again may differ in its last bit.
    add(&confidence.map_or_else(String::new, |confidence| format!("{confidence:.6}")));
    add(trust.map_or("", |trust| trust.as_str()));
    for optional in [content, old_text, base, reason, review_by, speaker, user, place, said] {
        add(if optional.is_some() { "1" } else { "0" });
        add(optional.as_deref().unwrap_or_default());
    }
    // Where there is none the hash is that of older builds, whose records of a yes still count.
    if let Some(said_at) = said_at {
        add(said_at);
    }
    if let Some(of) = of {
        add(of);
    }
    if let Some(project) = project {
        add(&format!("in {project}"));
    }
    if let Some(seen) = seen {
        add(&format!("seen {seen}"));
    }
    if let Some(edited_by) = edited_by {
        add(&format!("edited by {edited_by}"));
    }
    if let Some(item) = item {
        add(&format!("item {item}"));
    }
    for (key, value) in occasion.iter().flat_map(declaration::Occasion::fields) {
        add(&format!("{key}={value}"));
    }
}
