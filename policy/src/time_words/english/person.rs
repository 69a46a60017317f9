//! English words for persons and places: "he" if no person was named before, "I" and "you" if the sentence states a fact
//! about them, "here" if people are there. Where `meta` names the person or place, the other cases are replaced too.

use super::super::Relative;
use super::words::{Found, Reading, Word, says_one_of};
use Relative::{Here, Others, Speaker, SpeakersOwn, There, User, UsersOwn};
use declaration::Meta;

/// A pronoun.
pub(super) fn person(reading: &Reading<'_>, n: usize) -> Option<Found> {
    const PRONOUNS: [(&str, Relative); 22] = [
        ("he", User),
        ("him", User),
        ("she", User),
        ("his", UsersOwn),
        ("her", UsersOwn),
        ("hers", Others),
        ("i", Speaker),
        ("me", Speaker),
        ("my", SpeakersOwn),
        ("mine", Others),
        ("we", Others),
        ("us", Others),
        ("our", Others),
        ("ours", Others),
        ("they", Others),
        ("them", Others),
        ("their", Others),
        ("theirs", Others),
        ("you", Others),
        ("your", Others),
        ("yours", Others),
        ("yourself", Others),
    ];
    let word = reading.word(n)?;
    if let Some(found) = chatted(reading, n) {
        return Some(found);
    }
    let (said, relative) = PRONOUNS.into_iter().find(|(said, _)| word.is(said))?;
    if has_another_sense(reading, n) {
        return None;
    }
    let stated = match said {
        "he" | "him" | "she" | "his" | "her" | "hers" => {
            // A pronoun refers to a person named before it; whether that is the one in `meta`, nobody can tell.
            if reading.names_somebody(n) {
                return None;
            }
            let two = || {
                reading.opens(n)
                    && (reading.has_an_aside(n)
                        || reading.two_statements(n)
                            && (is_an_own_thing(reading, n) || has_settled(reading, n)))
            };
            (reading.one_statement(n) || two() || elided(reading, n))
                && !reading.points(n)
                && !reading.is_of_a_film(n)
                && (of_somebody_else(reading, n) || elided(reading, n))
        }
        "them" if is_both(reading, n) => {
            !reading.names_several(n) && reading.is_short(n) && !reading.is_of_a_film(n)
        }
        "they" | "them" | "their" | "theirs" => {
            !reading.names_several(n)
                && (reading.one_statement(n) || reading.opens(n) && reading.has_an_aside(n))
                && !reading.points(n)
                && !reading.is_of_a_film(n)
                && of_somebody_else(reading, n)
        }
        "i" | "me" | "my" | "mine" | "we" | "us" | "our" | "ours" => of_the_speaker(reading, n),
        _ => of_the_reader(reading, n),
    };
    Some(Found { words: 1, relative, stated })
}

/// His |editor is Helix, so skip the others.
fn is_an_own_thing(reading: &Reading<'_>, n: usize) -> bool {
    reading.opens(n)
        && reading.word(n + 1).is_some_and(|word| {
            word.is_one_of(&OWN) || says_one_of(OWN_THINGS, &word.text.to_ascii_lowercase())
        })
        && is_one_thing(reading, n)
}

/// He |has stopped eating meat, no idea why; she |owns the gateway, so don't touch it.
fn has_settled(reading: &Reading<'_>, n: usize) -> bool {
    const TASKS: [&str; 10] = [
        "owns",
        "leads",
        "manages",
        "handles",
        "maintains",
        "prefers",
        "uses",
        "approves",
        "reviews",
        "administers",
    ];
    if reading.opens(n) && reading.word(n + 1).is_some_and(|word| word.is_one_of(&TASKS)) {
        return true;
    }
    reading.opens(n)
        && reading.says(n + 1, &["has"])
        && reading.word(n + 2).is_some_and(|word| says_one_of(SETTLED, &word.text.to_ascii_lowercase()))
}

/// Waiting on |him; borrowed 300 from |her, no receipt: a note that leaves out whose it is.
fn elided(reading: &Reading<'_>, n: usize) -> bool {
    const TO: [&str; 6] = ["on", "from", "to", "for", "with", "by"];
    const FIRST: [&str; 14] = [
        "waiting", "borrowed", "lent", "sent", "met", "asked", "emailed", "called", "owe", "owes",
        "promised", "agreed", "got", "meeting",
    ];
    let him = reading.words[n].is_one_of(&["him", "her"])
        && !reading.word(n + 1).is_some_and(|word| {
            reading.words[n].is("her")
                && reading.are_together(n, 2)
                && !word.is_one_of(&["for", "about", "on", "at", "to", "and"])
        });
    let first = reading.of_sentence(n).first();
    him && reading.previous(n).is_some_and(|word| word.is_one_of(&TO))
        && first.is_some_and(|word| word.is_one_of(&FIRST))
        && reading.is_short(n)
}

/// Both of |them abstained.
fn is_both(reading: &Reading<'_>, n: usize) -> bool {
    n > 1
        && reading.opens(n - 2)
        && (reading.says(n - 2, &["both", "of"]) || reading.says(n - 2, &["neither", "of"]))
}

/// A pronoun and its verb as people chat, without an apostrophe or a capital: im on the train, shes gone home, i'll be late.
fn chatted(reading: &Reading<'_>, n: usize) -> Option<Found> {
    const SHORT: [(&str, Relative); 8] = [
        ("im", Others),
        ("ive", Others),
        ("hes", Others),
        ("shes", Others),
        ("theyre", Others),
        ("youre", Others),
        ("u", Others),
        ("i", Speaker),
    ];
    let word = reading.word(n)?;
    let (_, relative) = SHORT.into_iter().find(|(short, _)| word.text == *short)?;
    let next = reading.word(n + 1)?;
    let between = &reading.text[word.end()..next.at];
    let remark = next.is_one_of(&[
        "think", "guess", "know", "mean", "feel", "see", "love", "like", "sure", "sorry", "wish", "hope",
        "in", "e",
    ]);
    let is_one = matches!(between, " " | "'" | "’")
        && reading.is_marked(n)
        && reading.opens(n)
        && !remark
        && reading.of_sentence(n).len() > 2;
    is_one.then_some(Found { words: 1, relative, stated: true })
}

/// Whether a fact about the person is stated: "he lives", "her sister", "ask him"; a story ("he had turned away") states
/// none.
fn of_somebody_else(reading: &Reading<'_>, n: usize) -> bool {
    const TO: [&str; 22] = [
        "wake",
        "disturb",
        "bother",
        "interrupt",
        "text",
        "send",
        "give",
        "forward",
        "ask",
        "tell",
        "remind",
        "call",
        "email",
        "notify",
        "ping",
        "pay",
        "invite",
        "to",
        "for",
        "with",
        "cc",
        "contact",
    ];
    let next = reading.word(n + 1);
    match reading.words[n].text.to_ascii_lowercase().as_str() {
        "he" | "she" | "they" => reading.opens_clause(n) && is_noted(reading, n + 1),
        "his" | "her" if reading.opens(n) => next.is_some_and(|word| {
            let long = reading.of_sentence(n).len() > 3 && !reading.points(n);
            let noted = reading.is_marked(n) || reading.is_note(n) && (long || is_one_thing(reading, n));
            word.is_one_of(&OWN) || is_an_own_thing(reading, n) || noted && !word.is_one_of(&NOTHING_OWN)
        }),
        "their" => reading.opens(n),
        "hers" | "theirs" => reading.opens(n),
        _ => reading.previous(n).is_some_and(|word| word.is_one_of(&TO)) && imperative(reading, n),
    }
}

/// What somebody has or works with, of which manuals say "your" as well.
const OWN_THINGS: &str = "allergy allergies knee knees back hip tooth teeth shoulder ankle wallet bag tablet printer mouse headset camera     scooter bicycle van boat garden kitchen cellar contract licence license permit ticket booking subscription membership password login     pin shift inbox branch repo mentor supervisor assistant deputy badge locker shell terminal browser font theme layout setup workflow     roommate flatmate neighbour neighbor hearing eyesight sleep appetite order parcel package account calendar keys key mug desk chair";

/// Whether something is said of a thing right behind its owner: My password manager is Bitwarden.
fn is_one_thing(reading: &Reading<'_>, n: usize) -> bool {
    (n + 2..n + 5).any(|at| {
        reading
            .word(at)
            .is_some_and(|word| word.is_one_of(&["is", "are", "was", "were", "has", "lives", "works"]))
    })
}

/// What is told of somebody behind "he", in a film or a tale.
const TOLD: &str = "had thought asked answers answered replied laughed turned looked smiled cried went came saw heard felt \
    began stood sat knew took spoke claims could would might may just got seem seems even then must should \
    also really looks look gets get did didn made tries try goes deserves appears only still all both \
    usually put fall ends who of that wasn weren becomes walks talks definitely truly obviously most in part \
    one clearly simply say kept";

/// What is done once, and holds from then on.
const SETTLED: &str = "moved switched joined retired started stopped promised agreed decided mentioned cancelled canceled \
    booked married divorced graduated resigned accepted approved rejected confirmed signed hired migrated \
    adopted renamed changed passed finished planned asked refused declined postponed ordered deployed voted elected \
    released shared used need";

/// What notes say that somebody is.
const OF_A_STATE: &str = "deaf blind asthmatic epileptic coeliac celiac anaemic allergic vegetarian vegan responsible based from married single divorced pregnant retired intolerant \
    lactose diabetic colour color colorblind years on born free available away due out in at fluent \
    certified licensed subscribed registered engaged left right dyslexic";

/// What somebody does at the moment they say so.
const REMARKS_OF_DOING: &str = "going doing trying sitting watching talking saying having getting waiting hoping wondering thinking \
    standing kidding leaning struggling making being understanding putting quitting giving drowning riding";

/// What somebody has done, and nobody notes.
const REMARKS_OF_WHAT_WAS: &str = "got had heard noticed never always done made read watched missed found met no only just already spent \
    given died virtually flushed wanted told left a so the that about using not even felt";

/// What somebody never does.
const HABITS: &str = "pay take accept drinks eats works drink eat smoke use work deploy fly drive answer read write sleep commit push merge wake buy play wear \
    travel check ship release share";

/// What somebody gets again and again.
const ILLNESSES: [&str; 8] =
    ["seasick", "carsick", "migraines", "headaches", "hay", "sick", "dizzy", "nosebleeds"];

/// Whether what follows "he" is what notes say of somebody: a state, a habit, something settled. What somebody did in a film or
/// a tale is not.
fn is_noted(reading: &Reading<'_>, verb: usize) -> bool {
    let Some(word) = reading.word(verb) else { return false };
    let behind = |words: &[&str]| reading.word(verb + 1).is_some_and(|word| word.is_one_of(words));
    match word.text.to_ascii_lowercase().as_str() {
        "is" | "s"
            if verb > 0 && reading.is_note(verb - 1) && reading.says(verb + 1, &["the", "one", "who"]) =>
        {
            true
        }
        // She is still in touch.
        "is" | "are" | "s" | "re" if behind(&["still"]) => reading.word(verb + 2).is_some_and(|word| {
            word.is_one_of(&["in", "on", "at", "with", "off", "out", "ill", "sick", "away", "abroad"])
        }),
        "is" | "are" | "s" | "re" => !behind(&[
            "the", "one", "all", "just", "so", "really", "truly", "also", "only", "like", "too", "very",
            "more", "who", "what", "as", "pretty", "both", "clearly", "actually", "probably", "still",
            "never", "nowhere",
        ]),
        "was" | "were" => behind(&[
            "made",
            "elected",
            "appointed",
            "transferred",
            "born",
            "promoted",
            "promised",
            "hired",
            "diagnosed",
            "raised",
            "fired",
            "a",
            "an",
        ]),
        "has" | "have" => !behind(&["yet", "made", "to", "no", "done", "gone", "become"]),
        "can" | "will" | "won" => !behind(&["never", "only", "also", "be", "even"]),
        "used" => behind(&["to"]),
        // He still owes two months.
        "still" if behind(&["owes", "owe", "lives", "works", "smokes", "rents", "live", "work"]) => true,
        // They only pay in euros.
        "only" => {
            reading.word(verb + 1).is_some_and(|word| says_one_of(HABITS, &word.text.to_ascii_lowercase()))
        }
        // He gets seasick.
        "gets" | "get" if behind(&ILLNESSES) => true,
        // She asked for shorter replies.
        "asked" if behind(&["for", "to", "not", "us", "me"]) => true,
        "had" if verb > 0 && reading.is_note(verb - 1) => {
            behind(&["a", "an", "his", "her", "their", "two", "surgery"])
        }
        "got" if verb > 0 && reading.is_note(verb - 1) => reading.word(verb + 1).is_some_and(|word| {
            word.text.starts_with(|c: char| c.is_ascii_digit())
                || word.is_one_of(&["a", "an", "married", "divorced", "promoted", "into"])
        }),
        told if says_one_of(TOLD, told) => false,
        // He chased the invoice; she had a bypass; she got 98 in maths.
        past if past.len() > 4 && past.ends_with("ed") => {
            says_one_of(SETTLED, past) || verb > 0 && reading.is_note(verb - 1)
        }
        _ => true,
    }
}

/// Whether the sentence is a request: Ask her, Send it to her, Never call him.
fn imperative(reading: &Reading<'_>, n: usize) -> bool {
    const ASKS: [&str; 22] = [
        "better", "don", "wake", "text", "ask", "tell", "remind", "call", "email", "notify", "ping", "pay",
        "invite", "send", "forward", "never", "please", "always", "do", "cc", "contact", "give",
    ];
    let first = (0..=n.min(10)).map(|back| n - back).find(|at| reading.opens(*at));
    first.and_then(|first| reading.word(first)).is_some_and(|word| word.is_one_of(&ASKS))
}

/// The same words with another meaning.
fn has_another_sense(reading: &Reading<'_>, n: usize) -> bool {
    let after = |words: &[&str]| reading.previous(n).is_some_and(|word| word.is_one_of(words));
    let before = |words: &[&str]| reading.word(n + 1).is_some_and(|word| word.is_one_of(words));
    let word = reading.words[n];
    match word.text.to_ascii_lowercase().as_str() {
        "i" => word.text != "I" || is_numeral(reading, n),
        "me" => {
            after(&["about", "read", "contact", "remember"])
                && reading.previous(n).is_some_and(|word| word.is_capital())
        }
        "my" => after(&["find", "oh"]) || before(&["god", "goodness"]),
        "mine" => {
            after(&["a", "the", "data", "gold", "coal", "iron", "to", "can", "crypto"])
                || before(&["the", "for"])
        }
        "us" => after(&["the", "in", "let"]) && (word.text != "us" || after(&["let"])),
        "you" => after(&["thank", "see"]),
        _ => false,
    }
}

/// Phase I, Type I, I. and I/O.
fn is_numeral(reading: &Reading<'_>, n: usize) -> bool {
    const COUNTED: [&str; 16] = [
        "phase", "type", "part", "section", "chapter", "war", "class", "level", "stage", "volume", "grade",
        "act", "appendix", "book", "tier", "category",
    ];
    let counted = reading.previous(n).is_some_and(|word| word.is_one_of(&COUNTED));
    let title = reading.text[reading.words[n].end()..].starts_with(", ")
        && reading.word(n + 1).is_some_and(Word::is_capital);
    counted || title || reading.text[reading.words[n].end()..].starts_with(['/', '.', ')', ':', '-', '&'])
}

/// Words with which notes say what a person is or does.
const STATED: [&str; 75] = [
    "answer",
    "commute",
    "cook",
    "am",
    "m",
    "work",
    "live",
    "prefer",
    "own",
    "plan",
    "like",
    "hate",
    "use",
    "write",
    "moved",
    "decided",
    "agreed",
    "deploy",
    "review",
    "meet",
    "switched",
    "chose",
    "told",
    "asked",
    "are",
    "were",
    "said",
    "bought",
    "sold",
    "rent",
    "drink",
    "eat",
    "smoke",
    "speak",
    "study",
    "play",
    "drive",
    "run",
    "keep",
    "ship",
    "release",
    "track",
    "host",
    "store",
    "hired",
    "dropped",
    "migrated",
    "renamed",
    "joined",
    "left",
    "manage",
    "lead",
    "maintain",
    "mentioned",
    "promised",
    "booked",
    "cancelled",
    "wake",
    "sleep",
    "work",
    "share",
    "host",
    "bill",
    "ve",
    "never",
    "take",
    "postpone",
    "postponed",
    "vote",
    "voted",
    "approve",
    "approved",
    "wear",
    "swim",
    "teach",
];

/// What somebody prefers, whatever is said behind it.
const PREFERRED: [&str; 6] = ["prefer", "hate", "live", "work", "deploy", "use"];

/// Things that belong to a person, so that a note about them is a note about the person.
const OWN: [&str; 68] = [
    "insulin",
    "inhaler",
    "medication",
    "pills",
    "glasses",
    "bike",
    "keyboard",
    "screen",
    "monitor",
    "prescription",
    "luggage",
    "suitcase",
    "charger",
    "calendar",
    "commute",
    "handwriting",
    "birthday",
    "flight",
    "wife",
    "husband",
    "partner",
    "sister",
    "brother",
    "mother",
    "father",
    "son",
    "daughter",
    "child",
    "kids",
    "cat",
    "dog",
    "car",
    "boss",
    "manager",
    "team",
    "company",
    "office",
    "standup",
    "flat",
    "house",
    "landlord",
    "doctor",
    "dentist",
    "phone",
    "email",
    "address",
    "name",
    "job",
    "salary",
    "passport",
    "editor",
    "laptop",
    "weight",
    "birth",
    "employer",
    "colleague",
    "meeting",
    "sprint",
    "lease",
    "desk",
    "convention",
    "blood",
    "visa",
    "insurance",
    "diet",
    "timezone",
    "surgery",
    "appointment",
];

/// What remarks speak of as one's own.
const NOTHING_OWN: [&str; 21] = [
    "two",
    "rating",
    "vote",
    "advice",
    "problem",
    "only",
    "god",
    "first",
    "review",
    "opinion",
    "view",
    "guess",
    "favourite",
    "favorite",
    "bad",
    "point",
    "question",
    "life",
    "own",
    "heart",
    "take",
];

fn of_the_speaker(reading: &Reading<'_>, n: usize) -> bool {
    let word = reading.words[n];
    let next = reading.word(n + 1);
    // I work as a nurse in Dundee and moved to nights: what somebody is, in a longer sentence.
    let trade = reading.opens(n)
        && (reading.says(n + 1, &["work", "as"]) || reading.says(n + 1, &["live", "in"]))
        && reading.is_plain(n)
        && reading.of_sentence(n).len() <= 18
        && reading.is_note_line(n);
    // I hate phone calls, text instead.
    let two = reading.opens(n) && next.is_some_and(|word| word.is_one_of(&PREFERRED)) && reading.is_note(n);
    if trade {
        return true;
    }
    let aside = reading.opens(n) && reading.has_an_aside(n);
    let two = two || aside;
    if !reading.one_statement(n) && !two || reading.is_of_a_film(n) {
        return false;
    }
    if word.is_one_of(&["my", "our"]) {
        return of_our_own(reading, n);
    }
    if word.is_one_of(&["mine", "ours"]) {
        let at_end = reading.previous(n).is_some_and(|word| word.is_one_of(&["is", "was", "are", "were"]));
        return reading.opens(n) || at_end && word.is("ours");
    }
    if word.is_one_of(&["me", "us"]) {
        return is_given_to_us(reading, n);
    }
    // "He and I": the fact is stated of two.
    if reading.previous(n).is_some_and(|word| word.is("and"))
        && n > 1
        && reading.words[n - 2].is_one_of(&["he", "she"])
    {
        return true;
    }
    let noted = reading.is_note(n)
        && reading.opens(n)
        && next.is_some_and(|word| {
            !says_one_of(REMARKS, &word.text.to_ascii_lowercase())
                || reading.says(n + 1, &["was", "born"])
                || owns(reading, n + 1)
                || needs(reading, n + 1)
                || tells_in_a_note(reading, n + 1)
                || cannot(reading, n + 1)
        });
    let born = reading.opens(n) && reading.says(n + 1, &["was", "born"]);
    if born
        || reading.opens(n) && is_ill(reading, n)
        || reading.is_note(n) && reading.opens(n) && tells_in_a_note(reading, n + 1)
    {
        return true;
    }
    // We don't ship to boxes.
    const NOT: [&str; 12] =
        ["eat", "drink", "smoke", "drive", "speak", "own", "ship", "deploy", "work", "fly", "accept", "rent"];
    let not = reading.opens(n)
        && reading.says(n + 1, &["don"])
        && reading.word(n + 3).is_some_and(|word| word.is_one_of(&NOT))
        && reading.of_sentence(n).len() > 4;
    let does = aside && next.is_some_and(|word| !says_one_of(REMARKS, &word.text.to_ascii_lowercase()));
    let stated = not || does || next.is_some_and(|word| word.is_one_of(&STATED));
    reading.opens_clause(n) && (stated || noted) && !is_remark(reading, n)
}

/// Whether a fact is stated of what is the speaker's: my |supervisor left; our |router is in the closet.
fn of_our_own(reading: &Reading<'_>, n: usize) -> bool {
    let next = reading.word(n + 1);
    reading.opens_clause(n)
        && next.is_some_and(|word| {
            let sentence = reading.of_sentence(n);
            // My supervisor left; not "my two cents".
            let ended = sentence.last().is_some_and(|word| {
                word.text.len() > 4 && word.text.ends_with("ed")
                    || word.is_one_of(&["died", "left", "broke", "quit", "won", "lost", "froze", "works"])
            });
            let long = (sentence.len() > 3 || sentence.len() == 3 && ended) && !reading.points(n);
            let noted = reading.is_marked(n)
                || reading.opens(n) && reading.is_note(n) && (long || is_one_thing(reading, n));
            // Our router is in the hall closet.
            const AT: [&str; 7] = ["in", "on", "at", "under", "behind", "next", "above"];
            let lies = reading.opens(n)
                && (reading.says(n + 2, &["is"]) || reading.says(n + 2, &["are"]))
                && reading.word(n + 3).is_some_and(|word| word.is_one_of(&AT));
            word.is_one_of(&OWN)
                || is_an_own_thing(reading, n)
                || (noted || lies) && !word.is_one_of(&NOTHING_OWN)
        })
}

/// Whether something is given or told to the speaker, or some of several are meant.
fn is_given_to_us(reading: &Reading<'_>, n: usize) -> bool {
    let word = reading.words[n];
    const GIVEN: [&str; 12] = [
        "remind", "tell", "told", "ask", "asked", "sent", "send", "call", "called", "paid", "pays", "invited",
    ];
    let by_us = reading.previous(n).is_some_and(|word| word.is("by")) && reading.word(n + 1).is_none();
    if by_us {
        return true;
    }
    // Three of |us share a printer.
    const COUNTED: [&str; 7] = ["two", "three", "four", "both", "half", "none", "neither"];
    let counted = n > 1
        && reading.words[n - 1].is("of")
        && reading.words[n - 2].is_one_of(&COUNTED)
        && reading.opens(n - 2)
        && word.is("us");
    if counted {
        return true;
    }
    let remark = reading
        .word(n + 1)
        .is_some_and(|word| word.is_one_of(&["of", "why", "not", "your", "something", "again", "that"]));
    !remark && reading.previous(n).is_some_and(|word| word.is_one_of(&GIVEN))
}

/// I have asthma and can't be around paint.
fn is_ill(reading: &Reading<'_>, n: usize) -> bool {
    const ILL: &str =
        "asthma diabetes epilepsy migraines hay arthritis anaemia eczema insomnia coeliac celiac";
    reading.says(n + 1, &["have"])
        && reading.word(n + 2).is_some_and(|word| says_one_of(ILL, &word.text.to_ascii_lowercase()))
}

/// I'd like diffs, I'll be late, I was called for jury duty, I got into Leeds.
fn tells_in_a_note(reading: &Reading<'_>, verb: usize) -> bool {
    let (Some(word), Some(next)) = (reading.word(verb), reading.word(verb + 1)) else { return false };
    match word.text.to_ascii_lowercase().as_str() {
        "do" => next.is_one_of(&["pilates", "yoga", "karate", "judo", "crossfit", "shifts", "night"]),
        "d" => {
            next.is_one_of(&["like", "rather", "prefer"])
                && !reading.word(verb + 2).is_some_and(|word| word.is("to"))
        }
        "ll" => next.is_one_of(&[
            "be", "bring", "call", "pick", "send", "come", "take", "pay", "cook", "drive", "join", "miss",
        ]),
        "was" => next.is_one_of(&[
            "called",
            "diagnosed",
            "promoted",
            "hired",
            "fired",
            "charged",
            "raised",
            "assigned",
            "invited",
            "vaccinated",
            "moved",
        ]),
        "ve" => {
            let owned = ["a", "an", "no", "two", "three", "four", "asthma", "kids"];
            next.is("got") && reading.word(verb + 2).is_some_and(|word| word.is_one_of(&owned))
        }
        "got" => {
            next.is_one_of(&["into", "the", "a", "an", "married", "engaged", "divorced", "promoted", "fired"])
        }
        _ => false,
    }
}

/// I need an aisle seat, we had a power cut; not "I need to say".
fn needs(reading: &Reading<'_>, verb: usize) -> bool {
    const THINGS: [&str; 7] = ["a", "an", "the", "two", "three", "no", "my"];
    const REMARKED: [&str; 12] = [
        "feeling", "question", "problem", "doubt", "bad", "hard", "lot", "idea", "dream", "bit", "few",
        "movie",
    ];
    reading.word(verb).is_some_and(|word| word.is_one_of(&["need", "had"]))
        && reading.word(verb + 1).is_some_and(|word| word.is_one_of(&THINGS))
        && !reading.word(verb + 2).is_some_and(|word| word.is_one_of(&REMARKED))
}

/// I have two children, I have a cat; not "I have no idea".
fn owns(reading: &Reading<'_>, verb: usize) -> bool {
    const THINGS: &str = "a an one two three four five twin twins asthma diabetes epilepsy migraines hay arthritis anaemia coeliac celiac eczema insomnia";
    const REMARKED: &str =
        "feeling question problem doubt bad hard lot point idea hunch dream bit few couple";
    let says = |at: usize, words: &str| {
        reading.word(verb + at).is_some_and(|word| says_one_of(words, &word.text.to_ascii_lowercase()))
    };
    reading.word(verb).is_some_and(|word| word.is("have")) && says(1, THINGS) && !says(2, REMARKED)
}

/// I can't swim; not "I can't wait".
fn cannot(reading: &Reading<'_>, verb: usize) -> bool {
    const REMARKED: &str = "wait believe say recommend imagine understand see help stop tell think remember find get seem stand decide even be";
    let not = match reading.word(verb) {
        Some(word) if word.is("cannot") => 1,
        Some(word) if word.is("can") && reading.word(verb + 1).is_some_and(|word| word.is("t")) => 2,
        _ => return false,
    };
    reading.word(verb + not).is_some_and(|word| !says_one_of(REMARKED, &word.text.to_ascii_lowercase()))
}

/// What opens a remark behind "I" in a note as well.
const REMARKS: &str = "think guess suppose believe hope know feel mean see wish wonder agree could would should may might must     did do doubt understand just also really ll d really was had have want love need saw got felt thought recommend suggest propose advise expect \
    assume consider encourage support provide offer can will ask apologize";

/// `I am sure`, `I've seen better`, `I like it`: a remark, and no fact that somebody notes.
fn is_remark(reading: &Reading<'_>, n: usize) -> bool {
    let says = |at: usize, words: &[&str]| reading.word(n + at).is_some_and(|word| word.is_one_of(words));
    let is_in = |at: usize, words: &str| {
        reading.word(n + at).is_some_and(|word| says_one_of(words, &word.text.to_ascii_lowercase()))
    };
    let Some(verb) = reading.word(n + 1) else { return true };
    match verb.text.to_ascii_lowercase().as_str() {
        "am" | "m" | "are" | "re" => {
            let Some(state) = reading.word(n + 2) else { return true };
            let doing = state.text.ends_with("ing")
                && !says_one_of(REMARKS_OF_DOING, &state.text.to_ascii_lowercase());
            let married = state.is("getting") && says(3, &["married", "divorced"]);
            let counted = married
                || state.text.bytes().all(|b| b.is_ascii_digit())
                || state.is("a")
                    && (reading.is_note(n) || reading.word(n + 3).is_some_and(|word| word.is("team")));
            !(doing || counted || says_one_of(OF_A_STATE, &state.text.to_ascii_lowercase()))
        }
        "ve" => {
            is_in(2, REMARKS_OF_WHAT_WAS)
                || says(2, &["seen"]) && !says(3, &["the"])
                || says(2, &["been"])
                    && says(3, &["there", "in", "on", "waiting", "watching", "told", "having", "trying"])
        }
        "were" => true,
        "never" => !is_in(2, HABITS),
        _ => says(2, &["it", "this", "that", "so", "how", "what", "i", "they", "being"]),
    }
}

/// Words that `of_the_reader` looks for.
const OF_PEOPLE: [&str; 36] = [
    "take",
    "owe",
    "wear",
    "drive",
    "sleep",
    "rent",
    "teach",
    "cook",
    "grew",
    "quit",
    "like",
    "live",
    "prefer",
    "told",
    "asked",
    "said",
    "work",
    "hate",
    "love",
    "mentioned",
    "moved",
    "decided",
    "promised",
    "booked",
    "own",
    "bought",
    "sold",
    "drink",
    "eat",
    "smoke",
    "speak",
    "study",
    "never",
    "always",
    "married",
    "were",
];

/// Whether a fact about the person spoken to is stated; an instruction in a manual is none.
fn of_the_reader(reading: &Reading<'_>, n: usize) -> bool {
    // You |two owe ten each.
    let several =
        usize::from(reading.word(n + 1).is_some_and(|word| word.is_one_of(&["two", "both", "three", "all"])));
    let next = reading.word(n + 1 + several);
    if !reading.opens(n) || !(reading.one_statement(n) || reading.has_an_aside(n)) {
        return false;
    }
    if reading.words[n].is("your") {
        let happened = (n + 2..n + 5).any(|at| {
            let past = |word: &Word<'_>| {
                word.is_one_of(&["was", "were", "came"]) || word.text.len() > 4 && word.text.ends_with("ed")
            };
            reading.word(at).is_some_and(past)
        });
        return next.is_some_and(|word| word.is_one_of(&OWN))
            || reading.says(n + 1, &["time", "zone"])
            || reading.is_note(n) && (happened || is_one_thing(reading, n));
    }
    let allergic = reading.says(n + 1, &["are", "allergic"]) || reading.says(n + 1, &["are", "vegetarian"]);
    let never = next.is_some_and(|word| word.is_one_of(&["never", "always"]))
        && !reading.word(n + 2).is_some_and(|word| {
            word.is_one_of(&[
                "drink", "eat", "smoke", "use", "work", "drive", "fly", "write", "want", "take", "deploy",
            ])
        });
    let has = reading.is_note(n)
        && next.is_some_and(|word| word.is("have"))
        && reading.word(n + 2).is_some_and(|word| word.is_one_of(&["a", "an", "two", "three", "no", "one"]));
    let past = reading.is_note(n)
        && next.is_some_and(|word| {
            word.text.len() > 4 && word.text.ends_with("ed") && !word.is("need")
                || word.is_one_of(&[
                    "drove", "slept", "ate", "paid", "left", "broke", "lost", "won", "flew", "ran", "swam",
                    "chose",
                ])
        });
    // You don't eat coriander.
    const NOT: [&str; 9] = ["eat", "drink", "smoke", "drive", "speak", "own", "wear", "cook", "swim"];
    let not = reading.says(n + 1, &["don"])
        && reading.word(n + 3).is_some_and(|word| word.is_one_of(&NOT))
        && reading.opens_line_of(n);
    not || has || past || next.is_some_and(|word| word.is_one_of(&OF_PEOPLE)) && !never || allergic
}

/// Words that `place` looks for.
const PHRASES: [(&[&str], Relative); 12] = [
    (&["out", "here"], Here),
    (&["in", "here"], Here),
    (&["down", "there"], There),
    (&["over", "there"], There),
    (&["over", "here"], Here),
    (&["around", "here"], Here),
    (&["round", "here"], Here),
    (&["down", "here"], Here),
    (&["up", "here"], Here),
    (&["nearby"], Here),
    (&["here"], Here),
    (&["there"], There),
];
/// Words that `place` looks for.
const MOVES: [&str; 22] = [
    "live",
    "lives",
    "lived",
    "living",
    "moved",
    "move",
    "moves",
    "stay",
    "stays",
    "stayed",
    "works",
    "worked",
    "born",
    "settled",
    "came",
    "arrived",
    "grew",
    "been",
    "flew",
    "travelled",
    "it",
    "rain",
];
/// The law |here is different, in a note; not the code here.
const IN_TEXTS: &str = "code function section example method value list text table page class figure link file script idea point story \
    problem message question answer issue bug test rule step option key word line case thing trick lesson focus music";

/// `here` and `there` where people are, and not a place in a text.
pub(super) fn place(reading: &Reading<'_>, n: usize) -> Option<Found> {
    let (words, relative) = PHRASES.into_iter().find(|(words, _)| reading.says(n, words))?;
    let count = words.len();
    if relative == There && reading.names_a_place(n) {
        return None;
    }
    let next = reading.word(n + count);
    let of_place =
        |at: Option<usize>| at.and_then(|at| reading.word(at)).is_some_and(|word| word.is_one_of(&OF_PLACES));
    let before = of_place(n.checked_sub(1));
    let lives = (reading.previous(n).is_some_and(|word| word.is_one_of(&MOVES))
        || n > 1 && reading.says(n - 2, &["grew", "up"]))
        && !(next.is_some_and(|word| word.is_one_of(&["to", "and", "is"])));
    let opens =
        reading.opens(n) && count == 1 && words[0] == "here" && (1..4).any(|more| of_place(Some(n + more)))
            || reading.opens(n) && (count == 2 || words[0] == "nearby");
    // Nobody |there speaks English.
    let whoever = count == 1
        && reading
            .previous(n)
            .is_some_and(|word| word.is_one_of(&["nobody", "everybody", "everyone", "noone"]))
        && next.is_some_and(|word| word.text.ends_with('s') && !word.is_one_of(&["is", "was", "has"]))
        || count == 1
            && next.is_none()
            && reading.of_sentence(n).first().is_some_and(|first| {
                first.is_one_of(&["nobody", "everybody", "everyone"]) && reading.of_sentence(n).len() > 2
            });
    // The archive is |over here, or over there on the hook.
    let lies = count == 2
        && next.is_none_or(|word| word.is_one_of(&["on", "in", "behind", "under", "next"]))
        && reading.previous(n).is_some_and(|word| word.is_one_of(&["is", "are"]))
        && reading
            .of_sentence(n)
            .first()
            .is_some_and(|word| !word.is_one_of(&["it", "that", "this", "what", "which"]));
    let phrase = count == 2
        && (before || lies || reading.previous(n).is_some_and(|word| word.text.len() > 2))
        && !next.is_some_and(|word| word.is("is"));
    // The hostel |there has no lockers; the night market |here shuts at eleven; hotels |there are full.
    let of_a_thing = count == 1
        && n > 0
        && reading.previous(n).is_some_and(|word| says_one_of(AT_PLACES, &word.text.to_ascii_lowercase()))
        && (n.saturating_sub(3)..n).any(|at| reading.opens(at))
        && next.is_some();
    let of_a_thing = of_a_thing
        || count == 1
            && n > 0
            && reading.is_note(n)
            && reading
                .previous(n)
                .is_some_and(|word| !says_one_of(IN_TEXTS, &word.text.to_ascii_lowercase()))
            && (reading.opens(n - 1) || n > 1 && reading.opens(n - 2) && reading.words[n - 2].is("the"))
            && next.is_some_and(|word| {
                word.is_one_of(&[
                    "is", "are", "has", "have", "was", "were", "can", "costs", "only", "never", "always",
                ]) || word.text.len() > 3 && word.text.ends_with('s')
            });
    let of_a_thing = of_a_thing || count == 1 && happens_at_it(reading, n);
    let whoever = whoever || of_a_thing;
    let near = words[0] == "nearby" && (next.is_none() || lives);
    let near = near || count == 1 && (is_about_a_place(reading, n) || is_located(reading, n));
    let stated = reading.one_statement(n) && (before || lives || opens || phrase || near || whoever)
        || of_a_thing && reading.two_statements(n)
        || count == 2
            && reading.words[n].is_one_of(&["down", "over"])
            && reading.two_statements(n)
            && cuts_off(reading, n + 1);
    Some(Found { words: count, relative, stated })
}

/// The stream |here floods every spring: something happens at the place; not what is in a text or a film.
fn happens_at_it(reading: &Reading<'_>, n: usize) -> bool {
    const OF_FILMS: &str = "acting humor humour cast direction director writing effects performances performance action chemistry dialogue \
        script editing photography cinematography theme themes message tone scene suspense comedy horror only real main biggest";
    const SEEM: &str = "is was has does works seems looks makes feels comes gets takes gives shows goes needs means appears lies consists says \
        contains uses runs helps sounds becomes describes";
    let the = n > 1 && reading.opens(n - 2) && reading.words[n - 2].is_one_of(&["the", "our", "my"]);
    let thing = reading.previous(n).map(|word| word.text.to_ascii_lowercase()).unwrap_or_default();
    let verb = reading.word(n + 1).map(|word| word.text.to_ascii_lowercase()).unwrap_or_default();
    the && verb.len() > 4
        && verb.ends_with('s')
        && !says_one_of(SEEM, &verb)
        && !says_one_of(IN_TEXTS, &thing)
        && !says_one_of(OF_FILMS, &thing)
        && !thing.ends_with('s')
        && !reading.is_of_a_film(n)
}

/// No cards accepted down |there, bring cash: a clause ends behind it.
fn cuts_off(reading: &Reading<'_>, n: usize) -> bool {
    let behind = reading.text[reading.words[n].end()..].trim_start_matches(' ');
    behind.is_empty() || behind.starts_with([',', '.', ';', '\n'])
}

/// In this building: where who says it is.
pub(super) fn place_of_now(reading: &Reading<'_>, n: usize) -> Option<Found> {
    const PLACES: [&str; 12] = [
        "building",
        "office",
        "village",
        "neighbourhood",
        "neighborhood",
        "ward",
        "department",
        "flat",
        "street",
        "valley",
        "factory",
        "warehouse",
    ];
    // This building has no lift.
    let subject = reading.word(n)?.is("this")
        && reading.opens(n)
        && reading.word(n + 1)?.is_one_of(&PLACES)
        && reading.are_together(n, 2)
        && (reading.word(n + 2)?.is("has") || reading.word(n + 2)?.text.ends_with('s'));
    if subject && reading.one_statement(n) && !reading.is_of_a_film(n) {
        return Some(Found::stated(2, Here));
    }
    let leads = reading.word(n)?.is_one_of(&["in", "at", "on"]) && reading.word(n + 1)?.is("this");
    let place = reading.word(n + 2)?.is_one_of(&PLACES) && reading.are_together(n, 3);
    let own =
        leads && place && reading.one_statement(n) && !reading.is_of_a_film(n) && !reading.names_a_place(n);
    own.then(|| Found::stated(3, Here))
}

/// What a place has, and no text.
const AT_PLACES: &str = "proxy network firewall router printer vpn plumbing heating electricity internet people locals shop shops market markets hotel hotels hostel hostels bar bars cafe restaurant restaurants bank banks \
    clinic pharmacy pharmacies school schools rent rents bus buses trains tram trams taxis beach beaches weather winters summers streets \
    roads air water food beer coffee wine lift landlord neighbours neighbors traffic parking gym pool park parks wifi signal doctors \
    trains everyone everybody nobody petrol groceries houses flats supermarket supermarkets";

/// Whether something is kept, sold or done at the place, or is so far from it: Tap water is not safe to drink |here.
fn is_located(reading: &Reading<'_>, n: usize) -> bool {
    const LOCATED: &str = "kept stored saved parked sold served hosted written sits banned hidden locked installed available allowed legal illegal forbidden cheaper dearer drink \
        park smoke swim buried posted";
    const DISTANCES: [&str; 10] =
        ["minutes", "hours", "hour", "km", "kilometres", "kilometers", "miles", "metres", "meters", "blocks"];
    let behind = reading.text[reading.words[n].end()..].trim_start_matches(' ');
    let ends = behind.is_empty()
        || behind.starts_with(['.', '\n', ',', ';'])
        || ["than ", "in ", "at ", "after ", "on "].iter().any(|word| behind.starts_with(word));
    let last = reading.previous(n);
    // The tokens are rotated here; not "as described here".
    const SHOWN: &str = "listed shown described documented explained defined discussed mentioned outlined linked used included";
    let done = reading.is_note(n)
        && last.is_some_and(|word| {
            word.text.len() > 4
                && word.text.ends_with("ed")
                && !says_one_of(SHOWN, &word.text.to_ascii_lowercase())
        })
        && n.checked_sub(2).is_some_and(|at| reading.words[at].is_one_of(&["is", "are", "was", "were"]));
    // There's a leak here; I'm here.
    let first = reading.of_sentence(n).first();
    let there =
        reading.is_note(n) && first.is_some_and(|word| word.is("there")) && reading.of_sentence(n).len() > 3;
    let somebody = reading.is_note(n)
        && reading.of_sentence(n).len() <= 4
        && last.is_some_and(|word| word.is_one_of(&["m", "s", "re", "is", "are", "am"]))
        && first.is_some_and(|word| {
            word.is_one_of(&["i", "he", "she", "they", "we", "nobody", "everybody", "everyone"])
        });
    // Phone signal is two bars here.
    const POINTS: [&str; 12] =
        ["it", "this", "that", "what", "everything", "he", "she", "they", "we", "you", "there", "which"];
    let noted = reading.words[n].is("here")
        && reading.is_note(n)
        && reading.of_sentence(n).len() > 4
        && !first.is_some_and(|word| {
            word.is_one_of(&POINTS) || says_one_of(IN_TEXTS, &word.text.to_ascii_lowercase())
        })
        && reading
            .of_sentence(n)
            .iter()
            .any(|word| word.is_one_of(&["is", "are", "costs", "cost", "takes", "take"]))
        && !reading.of_sentence(n).iter().any(|word| says_one_of(IN_TEXTS, &word.text.to_ascii_lowercase()))
        && !last.is_some_and(|word| says_one_of(SHOWN, &word.text.to_ascii_lowercase()));
    // There are only two sockets here.
    let counted = first.is_some_and(|word| word.is("there"))
        && reading
            .of_sentence(n)
            .get(2)
            .is_some_and(|word| word.is_one_of(&["only", "no", "two", "three", "four"]))
        && reading.of_sentence(n).len() <= 9
        && !reading.is_of_a_film(n)
        && !reading.of_sentence(n).iter().any(|word| says_one_of(IN_TEXTS, &word.text.to_ascii_lowercase()));
    if ends && (done || there || somebody || noted || counted) {
        return true;
    }
    let far = last.is_some_and(|word| word.is("from"))
        && n.checked_sub(2).is_some_and(|at| reading.words[at].is_one_of(&DISTANCES));
    // Taxi apps don't work here; not "this does not work here".
    let works = last.is_some_and(|word| word.is("work"))
        && !first.is_some_and(|word| word.is_one_of(&POINTS) || word.is("i") || word.text.len() < 3);
    ends && (far || works || last.is_some_and(|word| says_one_of(LOCATED, &word.text.to_ascii_lowercase())))
}

/// Whether the sentence tells of the weather, or of what is at the place that ends it: It rains a lot |here; the rent is lower |there.
fn is_about_a_place(reading: &Reading<'_>, n: usize) -> bool {
    const WEATHER: &str = "rains snows raining snowing pouring degrees freezing cold hot dark humid windy sunny foggy dry wet warm";
    let last = reading.text[reading.words[n].end()..].trim_start_matches(' ');
    let when = ["in ", "at ", "after ", "on ", "all ", "every "].iter().any(|word| last.starts_with(word));
    if !(when || last.is_empty() || last.starts_with(['.', '\n', ','])) {
        return false;
    }
    let first = (0..=n.min(8)).map(|back| n - back).find(|at| reading.opens(*at));
    first.is_some_and(|first| {
        let says = |at: usize, words: &[&str]| reading.word(at).is_some_and(|word| word.is_one_of(words));
        let weather = (first..n).any(|at| says_one_of(WEATHER, &reading.words[at].text.to_ascii_lowercase()));
        says(first, &["it", "its"]) && weather || says(first, &["the"]) && says(first + 1, &OF_PLACES)
    })
}

/// Things that are at a place.
const OF_PLACES: [&str; 64] = [
    "dark",
    "cold",
    "hot",
    "warm",
    "wet",
    "dry",
    "humid",
    "windy",
    "snows",
    "rains",
    "snowed",
    "rained",
    "trams",
    "buses",
    "trains",
    "pharmacy",
    "pharmacies",
    "quiet",
    "noisy",
    "expensive",
    "cheap",
    "safe",
    "signal",
    "reception",
    "prices",
    "supermarkets",
    "parking",
    "internet",
    "weather",
    "winter",
    "winters",
    "summer",
    "summers",
    "climate",
    "air",
    "rent",
    "rents",
    "people",
    "schools",
    "school",
    "doctors",
    "hospital",
    "hospitals",
    "shops",
    "traffic",
    "food",
    "water",
    "colleagues",
    "neighbours",
    "neighbors",
    "office",
    "beer",
    "life",
    "streets",
    "houses",
    "flats",
    "jobs",
    "beach",
    "snow",
    "rain",
    "locals",
    "restaurants",
    "bread",
    "taxes",
];

/// The replacement of a person's pronoun; `ending` stands after its apostrophe, `behind` is the text after it.
pub(super) fn named(
    word: &str,
    ending: &str,
    behind: &str,
    relative: Relative,
    meta: &Meta,
) -> Option<String> {
    let name = match relative {
        Speaker | SpeakersOwn => meta.speaker.as_ref()?,
        _ => meta.user.as_ref()?,
    };
    let next = behind.trim_start().split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("");
    match word.to_ascii_lowercase().as_str() {
        "my" | "his" => Some(format!("{name}'s")),
        // Before one of these words "her" is the object; before any other it may be possessive, which nobody can tell.
        "her"
            if ["", "in", "at", "to", "about", "before", "after", "last", "on", "with", "and", "for"]
                .contains(&next) =>
        {
            Some(name.clone())
        }
        "her" => None,
        "i" => first_person(name, ending, next),
        _ => Some(match ending {
            "" | "'s" | "’s" => format!("{name}{ending}"),
            _ => return None,
        }),
    }
}

/// After "I" a verb has another form than after a name, except for these.
fn first_person(name: &str, ending: &str, next: &str) -> Option<String> {
    const SAME: [&str; 12] =
        ["was", "had", "did", "will", "can", "could", "would", "should", "might", "may", "must", "said"];
    match ending {
        "'m" | "’m" => Some(format!("{name} is")),
        "'ve" | "’ve" => Some(format!("{name} has")),
        "'d" | "’d" | "'ll" | "’ll" => Some(format!("{name}{ending}")),
        _ if SAME.contains(&next) || next.len() > 4 && next.ends_with("ed") => Some(name.to_owned()),
        _ => None,
    }
}
