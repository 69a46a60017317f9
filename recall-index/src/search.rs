//! Answers from the index: looks up in which units the question's tokens stand, takes the most promising of those with
//! their neighbours, and has `recall` rank them as if every document had been read.

use crate::long_value::LongValue;
use crate::place::{Places, UNIT_BITS, UnitPlace};
use crate::store::{self, spelt};
use crate::vectors::{self, Nearness};
use crate::{Index, Trouble};
use recall::{
    Hit, HitFilter, Meaning, Named, Query, SearchedDocument, Statistics, Token, Tokens, Unit, Weights,
};
use rusqlite::{OptionalExtension, Transaction, params};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};

/// How many of the question's rarest terms choose candidates. Further terms only add to the score of those.
const NAMING_TERMS: usize = 8;
/// How many candidates are ranked.
const CANDIDATES: usize = 100;
/// Of so many units the length is looked up before candidates are chosen.
const WEIGHED: usize = 4_000;
/// How many candidates are taken for their meaning.
const NEAREST: usize = 30;

/// A document that is asked.
#[derive(Debug, Clone, Copy)]
pub struct AskedDocument<'a> {
    /// Its path, as it was given to `put`.
    pub path: &'a str,
    /// Whether its items lose weight with time.
    pub ages: bool,
}

/// What is asked.
pub struct IndexQuestion<'a> {
    /// The words.
    pub query: &'a Query,
    /// How they are weighed.
    pub weights: &'a Weights,
    /// Which documents of the index may answer, in the order of their numbers.
    pub documents: &'a [AskedDocument<'a>],
    /// Documents that are not in the index and are searched beside it; their numbers follow.
    pub others: &'a [SearchedDocument<'a>],
    /// What may be answered. Documents have their number in `documents` and `others`.
    pub wanted: &'a HitFilter<'a>,
    /// Whether `wanted` leaves out more units than those that are not live.
    pub narrows: bool,
    /// The question's vector, of the model whose vectors the index keeps, where meaning counts.
    pub vector: Option<&'a [f32]>,
}

/// A unit that answers.
#[derive(Debug)]
pub struct IndexHit {
    /// The number of its document; of one in `others`, more than there are `documents`.
    pub document: usize,
    /// Where it stands according to the index: to be compared with the document. `None` for a unit of one of the others.
    pub place: Option<UnitPlace>,
    /// What it says.
    pub unit: Unit,
    /// How it was found. `document` and `unit` in it mean nothing here.
    pub hit: Hit,
}

/// What was found.
#[derive(Debug, Default)]
pub struct IndexAnswer {
    /// The best first.
    pub found: Vec<IndexHit>,
    /// How many units were looked through.
    pub units: usize,
}

impl Index {
    /// The answer to a question, as `recall::scan` and then `recall::letters` would give it. A document that is not in the
    /// index has no units.
    ///
    /// # Errors
    /// The index cannot be read, or contradicts itself.
    pub fn search(&mut self, question: &IndexQuestion<'_>) -> Result<IndexAnswer, Trouble> {
        // One transaction sees one state of the index, even if another process writes meanwhile.
        let on = self.db.transaction()?;
        let search = Search::new(on, question)?;
        let mut found = search.by_words()?;
        if found.is_empty() {
            found = search.by_letters()?;
        }
        Ok(IndexAnswer { found, units: search.units })
    }
}

/// Consecutive units of one document, as `recall` ranks them. Two units are neighbours only if no other stands between
/// them.
struct Run {
    document: usize,
    /// The number of that in the index.
    id: i64,
    places: Vec<UnitPlace>,
    units: Vec<Unit>,
}

/// The number of a run, and of a unit in it.
type InRun = (usize, usize);

/// Merges two lists of units that are sorted by their numbers: what both have is combined. A unit that only the second list
/// has is left out unless `adds`.
fn merged(
    one: &[(i64, f32)],
    other: impl Iterator<Item = (i64, f32)>,
    adds: bool,
    join: impl Fn(f32, f32) -> f32,
) -> Vec<(i64, f32)> {
    let mut all = Vec::with_capacity(one.len());
    let mut one = one.iter().copied().peekable();
    for (unit, worth) in other {
        while let Some(before) = one.next_if(|before| before.0 < unit) {
            all.push(before);
        }
        match one.next_if(|same| same.0 == unit) {
            Some((_, known)) => all.push((unit, join(known, worth))),
            None if adds => all.push((unit, worth)),
            None => {}
        }
    }
    all.extend(one);
    all
}

/// How near the candidates are, by their places in the runs.
fn meaning_of(runs: &[Run], at: &[InRun], nearness: &Nearness) -> Meaning {
    let cosine = |(run, unit): &InRun| {
        let place = runs.get(*run)?.places.get(*unit)?;
        Some(((*run, *unit), nearness.of(runs[*run].id << UNIT_BITS | i64::from(place.serial))?))
    };
    Meaning {
        near: at.iter().filter_map(cosine).collect(),
        mean: nearness.mean,
        deviation: nearness.deviation,
        units: nearness.units(),
    }
}

/// The units with these serial numbers, which are sorted, and those directly beside them, in the order of the document: which
/// one of its units each is, and its place.
fn with_neighbours(places: &Places<'_>, serials: &[u32]) -> Vec<(usize, UnitPlace)> {
    let mut found: Vec<(usize, UnitPlace)> = Vec::new();
    // The one before, unless it is in `found`; and whether it was asked for.
    let (mut left_out, mut was_asked) = (None, false);
    for (here, place) in places.iter().enumerate() {
        let is_asked = serials.binary_search(&place.serial).is_ok();
        if is_asked {
            found.extend(left_out.take());
        }
        if is_asked || was_asked {
            found.push((here, place));
            left_out = None;
        } else {
            left_out = Some((here, place));
        }
        was_asked = is_asked;
    }
    found
}

struct Search<'a> {
    on: Transaction<'a>,
    question: &'a IndexQuestion<'a>,
    /// The number of an asked document, by its number in the index.
    numbers: HashMap<i64, usize>,
    statistics: Statistics,
    units: usize,
    /// Where a list of places is read to.
    room: RefCell<Vec<u8>>,
}

impl<'a> Search<'a> {
    fn new(on: Transaction<'a>, question: &'a IndexQuestion<'a>) -> Result<Search<'a>, Trouble> {
        let (numbers, statistics) = (HashMap::new(), Statistics::default());
        let mut search = Search { on, question, numbers, statistics, units: 0, room: RefCell::default() };
        search.count_documents()?;
        Ok(search)
    }

    fn count_documents(&mut self) -> Result<(), Trouble> {
        let mut of = self
            .on
            .prepare_cached("SELECT id, units, live_units, live_words FROM document WHERE path = ?1")?;
        for (number, document) in self.question.documents.iter().enumerate() {
            let row = of.query_row([document.path], |row| {
                Ok((
                    row.get::<_, i64>(0)?,
                    row.get::<_, i64>(1)?,
                    row.get::<_, i64>(2)?,
                    row.get::<_, i64>(3)?,
                ))
            });
            if let Some((id, units, live_units, live_words)) = row.optional()? {
                self.numbers.insert(id, number);
                self.units += units as usize;
                self.statistics.units += live_units.cast_unsigned();
                self.statistics.words += live_words.cast_unsigned();
            }
        }
        for unit in self.question.others.iter().flat_map(|document| document.units) {
            self.units += 1;
            if !unit.item.retired {
                self.statistics.units += 1;
                self.statistics.words += u64::from(Tokens::of(&unit.text).words);
            }
        }
        Ok(())
    }

    fn by_words(&self) -> Result<Vec<IndexHit>, Trouble> {
        let mut statistics = self.statistics.clone();
        let postings = self.postings(&mut statistics)?;
        let mut candidates = self.candidates(&postings, &statistics)?;
        let nearness = match self.question.vector {
            Some(vector) => {
                let is_asked = |document| self.numbers.contains_key(&document);
                Some(vectors::nearness(&self.on, vector, is_asked)?)
            }
            None => None,
        };
        if let Some(nearness) = &nearness {
            let known: HashSet<i64> = candidates.iter().copied().collect();
            let more = nearness.nearest().into_iter().filter(|unit| !known.contains(unit));
            candidates.extend(self.wanted(more, NEAREST)?);
        }
        let (runs, at) = self.runs(&candidates)?;
        let meaning = nearness.map(|nearness| meaning_of(&runs, &at, &nearness));
        Ok(self.ranked(&runs, &at, &statistics, meaning.as_ref()))
    }

    /// In which units each token of the question stands.
    fn postings(&self, statistics: &mut Statistics) -> Result<HashMap<Token, Vec<i64>>, Trouble> {
        let asked: HashSet<Token> =
            self.question.query.terms.iter().flat_map(|term| term.forms.iter().map(|form| form.0)).collect();
        let mut live = self.on.prepare_cached("SELECT rowid FROM live WHERE live MATCH ?1")?;
        let mut retired = self.on.prepare_cached("SELECT rowid FROM retired WHERE retired MATCH ?1")?;
        let mut postings = HashMap::new();
        for token in &asked {
            let text = spelt(*token);
            let mut rows = self.rows(&mut live, &text)?;
            statistics.with.insert(*token, rows.len() as u64);
            if self.question.wanted.all {
                rows.extend(self.rows(&mut retired, &text)?);
                rows.sort_unstable();
            }
            postings.insert(*token, rows);
        }
        let live_units =
            self.question.others.iter().flat_map(|of| of.units).filter(|unit| !unit.item.retired);
        for unit in live_units {
            let tokens: HashSet<Token> = Tokens::of(&unit.text).at.into_iter().map(|at| at.0).collect();
            for token in tokens.intersection(&asked) {
                *statistics.with.entry(*token).or_default() += 1;
            }
        }
        Ok(postings)
    }

    /// The units of documents that are asked in which a token stands, by their numbers.
    fn rows(&self, of: &mut rusqlite::CachedStatement<'_>, token: &str) -> Result<Vec<i64>, Trouble> {
        let mut rows = of.query([token])?;
        let mut found = Vec::new();
        // Units of one document follow each other: the document is looked up once.
        let mut last = (i64::MIN, false);
        while let Some(row) = rows.next()? {
            let row: i64 = row.get(0)?;
            let document = row >> UNIT_BITS;
            if document != last.0 {
                last = (document, self.numbers.contains_key(&document));
            }
            if last.1 {
                found.push(row);
            }
        }
        Ok(found)
    }

    /// The units that have the most of the question in their own text.
    fn candidates(
        &self,
        postings: &HashMap<Token, Vec<i64>>,
        statistics: &Statistics,
    ) -> Result<Vec<i64>, Trouble> {
        let weights = self.question.weights;
        let mut terms: Vec<_> = self
            .question
            .query
            .terms
            .iter()
            .map(|term| (statistics.information(term, weights), term))
            .collect();
        terms.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut said: Vec<(i64, f32)> = Vec::new();
        for (number, (information, term)) in terms.into_iter().enumerate() {
            let mut strongest: Vec<(i64, f32)> = Vec::new();
            for (token, strength) in &term.forms {
                let units = postings.get(token).into_iter().flatten().map(|unit| (*unit, *strength));
                strongest = merged(&strongest, units, true, f32::max);
            }
            let worth = strongest.into_iter().map(|(unit, strength)| (unit, strength * information));
            said = merged(&said, worth, number < NAMING_TERMS, |said, more| said + more);
        }
        let most_first = |a: &(i64, f32), b: &(i64, f32)| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0));
        if said.len() > WEIGHED {
            said.select_nth_unstable_by(WEIGHED, most_first);
            said.truncate(WEIGHED);
        }
        if said.len() > CANDIDATES {
            self.weigh_length(&mut said, statistics)?;
        }
        said.sort_unstable_by(most_first);
        self.wanted(said.into_iter().map(|(id, _)| id), CANDIDATES)
    }

    /// Prefers the shorter of units that have the same terms, as the ranking will.
    fn weigh_length(&self, said: &mut [(i64, f32)], statistics: &Statistics) -> Result<(), Trouble> {
        let weights = self.question.weights;
        let mean = (statistics.words as f32 / statistics.units.max(1) as f32).max(1.0);
        said.sort_unstable_by_key(|(unit, _)| *unit);
        for of_document in said.chunk_by_mut(|one, next| one.0 >> UNIT_BITS == next.0 >> UNIT_BITS) {
            let weighed = self.with_places(of_document[0].0 >> UNIT_BITS, |places| {
                let mut weighed = 0;
                for place in places.iter() {
                    let found = of_document.binary_search_by_key(&place.serial, |said| store::serial(said.0));
                    if let Ok(at) = found {
                        let length = 1.0 - weights.b + weights.b * place.words as f32 / mean;
                        of_document[at].1 *= weights.covered
                            + weights.window
                            + weights.frequency / (1.0 + weights.k1 * length);
                        weighed += 1;
                    }
                }
                Ok(weighed)
            })?;
            if weighed != of_document.len() {
                return Err(Trouble::Unusable("a unit has no place".to_owned()));
            }
        }
        Ok(())
    }

    /// The first of them that may be answered, at most so many.
    fn wanted(&self, ids: impl Iterator<Item = i64>, most: usize) -> Result<Vec<i64>, Trouble> {
        if !self.question.narrows {
            return Ok(ids.take(most).collect());
        }
        let mut chosen = Vec::new();
        for id in ids {
            let unit = self.unit(id, &UnitPlace::default())?;
            if (self.question.wanted.may)(self.number(id), &unit) {
                chosen.push(id);
            }
            if chosen.len() == most {
                break;
            }
        }
        Ok(chosen)
    }

    fn number(&self, unit: i64) -> usize {
        self.numbers.get(&(unit >> UNIT_BITS)).copied().unwrap_or(usize::MAX)
    }

    fn unit(&self, id: i64, place: &UnitPlace) -> Result<Unit, Trouble> {
        let mut unit =
            self.on.prepare_cached("SELECT kind, text, heading, day, item FROM unit WHERE id = ?1")?;
        let mut rows = unit.query([id])?;
        let row = rows.next()?.ok_or_else(|| Trouble::Unusable("a unit is missing".to_owned()))?;
        store::unit(row, place)
    }

    /// Hands over where the units of a document stand. Nothing of it is kept but the room it takes: at most two lists are read of a
    /// document, and memory that is touched for the first time costs a question more than to read a list again.
    fn with_places<T>(
        &self,
        document: i64,
        read: impl FnOnce(Places<'_>) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        let mut room = self.room.take();
        LongValue::Places.read_into(&mut room, &self.on, document)?;
        if room.is_empty() {
            return Err(Trouble::Unusable("where the units of a document stand is missing".to_owned()));
        }
        let done = read(Places::of(&room)?);
        self.room.replace(room);
        done
    }

    /// The candidates with the units beside them, as runs without a gap; and the place of each candidate in those runs.
    fn runs(&self, candidates: &[i64]) -> Result<(Vec<Run>, Vec<InRun>), Trouble> {
        let mut of_document: BTreeMap<(usize, i64), Vec<u32>> = BTreeMap::new();
        for id in candidates {
            let document = (self.number(*id), id >> UNIT_BITS);
            of_document.entry(document).or_default().push(store::serial(*id));
        }
        let mut runs: Vec<Run> = Vec::new();
        let mut at = Vec::new();
        for ((number, document), mut serials) in of_document {
            serials.sort_unstable();
            let beside = self.with_places(document, |places| Ok(with_neighbours(&places, &serials)))?;
            let mut goes_on_at = None;
            for (here, place) in beside {
                if goes_on_at != Some(here) {
                    runs.push(Run { document: number, id: document, places: Vec::new(), units: Vec::new() });
                }
                goes_on_at = Some(here + 1);
                let last = runs.len() - 1;
                if serials.binary_search(&place.serial).is_ok() {
                    at.push((last, runs[last].units.len()));
                }
                self.add(&mut runs[last], document, &place)?;
            }
        }
        Ok((runs, at))
    }

    /// Ranks the candidates of the index and everything in the other documents.
    fn ranked(
        &self,
        runs: &[Run],
        at: &[InRun],
        statistics: &Statistics,
        meaning: Option<&Meaning>,
    ) -> Vec<IndexHit> {
        let IndexQuestion { query, weights, others, .. } = *self.question;
        let all_of = |(number, of): (usize, &SearchedDocument<'_>)| {
            (0..of.units.len()).map(move |unit| (runs.len() + number, unit))
        };
        let candidates: Vec<InRun> =
            at.iter().copied().chain(others.iter().enumerate().flat_map(all_of)).collect();
        self.answered(runs, |documents, wanted| {
            let named = Named { candidates: &candidates, query, statistics, weights, meaning };
            recall::rank(documents, &named, wanted)
        })
    }

    /// The units in which the letters of the question stand.
    fn by_letters(&self) -> Result<Vec<IndexHit>, Trouble> {
        let query = self.question.query;
        if !query.has_enough_letters() {
            return Ok(Vec::new());
        }
        let mut units = self.on.prepare_cached(
            "SELECT id FROM unit WHERE id >= ?1 AND id < ?2 AND instr(coalesce(folded, text), ?3)",
        )?;
        let mut runs = Vec::new();
        let ids: BTreeMap<usize, i64> = self.numbers.iter().map(|(id, number)| (*number, *id)).collect();
        for (number, document) in ids {
            let (from, to) = (document << UNIT_BITS, (document + 1) << UNIT_BITS);
            let rows = units.query_map(params![from, to, query.phrase], |row| row.get::<_, i64>(0))?;
            let serials = rows.map(|id| id.map(store::serial)).collect::<Result<HashSet<u32>, _>>()?;
            if serials.is_empty() {
                continue;
            }
            let mut run = Run { document: number, id: document, places: Vec::new(), units: Vec::new() };
            let places = self.with_places(document, |places| {
                Ok(places.iter().filter(|place| serials.contains(&place.serial)).collect::<Vec<_>>())
            })?;
            for place in &places {
                self.add(&mut run, document, place)?;
            }
            runs.push(run);
        }
        Ok(self.answered(&runs, |documents, wanted| recall::letters(documents, query, wanted)))
    }

    fn add(&self, run: &mut Run, document: i64, place: &UnitPlace) -> Result<(), Trouble> {
        run.units.push(self.unit(document << UNIT_BITS | i64::from(place.serial), place)?);
        run.places.push(*place);
        Ok(())
    }

    /// Lets `ask` search these runs and the other documents, and gives the hits the numbers of the question's documents.
    fn answered(
        &self,
        runs: &[Run],
        ask: impl FnOnce(&[SearchedDocument<'_>], &HitFilter<'_>) -> Vec<Hit>,
    ) -> Vec<IndexHit> {
        let asked = self.question.documents;
        let ages = |run: &Run| asked.get(run.document).is_some_and(|document| document.ages);
        let mut documents: Vec<SearchedDocument<'_>> =
            runs.iter().map(|run| SearchedDocument { units: &run.units, ages: ages(run) }).collect();
        documents.extend(self.question.others);
        let number =
            |at: usize| runs.get(at).map_or_else(|| at - runs.len() + asked.len(), |run| run.document);
        let wanted = self.question.wanted;
        let may = |document: usize, unit: &Unit| (wanted.may)(number(document), unit);
        let hits = ask(&documents, &HitFilter { may: &may, ..*wanted });
        let found = hits.into_iter().map(|hit| {
            let place = runs.get(hit.document).map(|run| run.places[hit.unit]);
            let unit = documents[hit.document].units[hit.unit].clone();
            IndexHit { document: number(hit.document), place, unit, hit }
        });
        found.collect()
    }
}
