//! An English text as words, and what a rule can ask of the words around one.

use super::super::Relative;

/// A word and where it stands.
#[derive(Clone, Copy)]
pub(super) struct Word<'t> {
    pub text: &'t str,
    pub at: usize,
}

impl Word<'_> {
    pub(super) fn end(&self) -> usize {
        self.at + self.text.len()
    }

    pub(super) fn is(&self, word: &str) -> bool {
        self.text.eq_ignore_ascii_case(word)
    }

    pub(super) fn is_one_of(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }

    pub(super) fn is_capital(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_uppercase())
    }

    fn is_shouted(&self) -> bool {
        self.text.len() > 1 && self.text.bytes().all(|b| b.is_ascii_uppercase())
    }
}

/// What a rule found: how many words, what they are relative to, and whether the sentence states a fact with them.
pub(super) struct Found {
    pub words: usize,
    pub relative: Relative,
    pub stated: bool,
}

impl Found {
    pub(super) fn stated(words: usize, relative: Relative) -> Found {
        Found { words, relative, stated: true }
    }
}

/// Words of the longest sentence that is read as one statement.
const STATEMENT_WORDS_MAX: usize = 12;
/// Words of the longest sentence that is read as a note because no full stop ends it.
const OPEN_WORDS_MAX: usize = 9;
/// How far a rule looks. The bound keeps a text without punctuation linear.
const NEAR: usize = 40;

/// A text as its words.
pub(super) struct Reading<'t> {
    pub text: &'t str,
    pub words: Vec<Word<'t>>,
    /// The number of the first word after which a person has been named.
    person: usize,
    /// The number of the first word after which several have been named.
    several: usize,
    /// The number of the first word after which a place may have been named.
    place: usize,
}

impl<'t> Reading<'t> {
    /// Runs of ASCII letters, digits and underscores that no other letter touches.
    pub(super) fn of(text: &'t str) -> Reading<'t> {
        let mut words: Vec<Word<'t>> = Vec::new();
        let mut start = None;
        for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
            let belongs = c.is_ascii_alphanumeric() || c == '_';
            match (start, belongs) {
                (None, true) => start = Some(at),
                (Some(from), false) => {
                    words.push(Word { text: &text[from..at], at: from });
                    start = None;
                }
                _ => {}
            }
        }
        let first = |is: fn(&str, &Word<'_>) -> bool| {
            words.iter().position(|word| is(text, word)).map_or(usize::MAX, |n| n + 1)
        };
        let (person, several, place) = (first(names_somebody), first(names_several), first(names_a_place));
        Reading { text, words, person, several, place }
    }

    pub(super) fn word(&self, n: usize) -> Option<&Word<'t>> {
        self.words.get(n)
    }

    pub(super) fn previous(&self, n: usize) -> Option<&Word<'t>> {
        self.words.get(n.checked_sub(1)?)
    }

    /// Whether a person is named before a word, so that "he" can refer to them.
    pub(super) fn names_somebody(&self, n: usize) -> bool {
        self.person <= n
    }

    /// The same for "they".
    pub(super) fn names_several(&self, n: usize) -> bool {
        self.several.min(self.person) <= n
    }

    /// The same for "there".
    pub(super) fn names_a_place(&self, n: usize) -> bool {
        self.place <= n
    }

    /// Whether these words stand at a place, one blank between each two.
    pub(super) fn says(&self, at: usize, wanted: &[&str]) -> bool {
        self.words.get(at..at + wanted.len()).is_some_and(|words| {
            words.iter().zip(wanted).all(|(word, wanted)| word.is(wanted))
                && self.are_together(at, wanted.len())
        })
    }

    /// Whether nothing but one blank stands between each two of these words.
    pub(super) fn are_together(&self, at: usize, count: usize) -> bool {
        self.words.get(at..at + count).is_some_and(|words| {
            words.windows(2).all(|pair| matches!(&self.text[pair[0].end()..pair[1].at], " " | "\n"))
        })
    }

    /// The numbers of the first and the last word of the sentence a word stands in.
    fn sentence(&self, n: usize) -> (usize, usize) {
        let ends = |between: &str| between.contains(['.', '!', '?', '\n', ';', ':', '…']);
        let mut first = n;
        while first > 0
            && n - first < NEAR
            && !ends(&self.text[self.words[first - 1].end()..self.words[first].at])
        {
            first -= 1;
        }
        let mut last = n;
        while last + 1 < self.words.len()
            && last - n < NEAR
            && !ends(&self.text[self.words[last].end()..self.words[last + 1].at])
        {
            last += 1;
        }
        (first, last)
    }

    /// The words of the sentence of a word.
    pub(super) fn of_sentence(&self, n: usize) -> &[Word<'t>] {
        let (first, last) = self.sentence(n);
        &self.words[first..=last]
    }

    /// Whether a sentence begins with this word.
    pub(super) fn opens(&self, n: usize) -> bool {
        begins_sentence(&self.text[..self.words[n].at])
    }

    /// Whether a clause begins with this word: the sentence, or behind a comma or `and`.
    pub(super) fn opens_clause(&self, n: usize) -> bool {
        self.opens(n)
            || self.text[..self.words[n].at].trim_end().ends_with(',')
            || self.previous(n).is_some_and(|word| word.is_one_of(&["and", "but", "because", "so"]))
    }

    /// Whether the sentence is a short plain statement, as in a note: no story, question or exclamation.
    pub(super) fn one_statement(&self, n: usize) -> bool {
        self.is_short_statement(n, usize::from(self.is_note(n)))
    }

    /// The same of a sentence of two clauses.
    pub(super) fn two_statements(&self, n: usize) -> bool {
        self.is_short_statement(n, 1)
    }

    /// Whether the sentence is short, whatever stands in it.
    pub(super) fn is_short(&self, n: usize) -> bool {
        self.is_short_statement(n, 2)
    }

    /// Whether it is a short statement with what follows from it, or what is not so, behind a comma: …, so skip it; …, not the other.
    pub(super) fn has_an_aside(&self, n: usize) -> bool {
        const ASIDES: [&str; 15] = [
            "so", "no", "not", "don", "never", "skip", "ask", "use", "please", "only", "send", "keep",
            "avoid", "nothing", "always",
        ];
        let (first, last) = self.sentence(n);
        let behind_comma =
            (first..last).find(|at| self.text[self.words[*at].end()..self.words[at + 1].at].contains(','));
        behind_comma.is_some_and(|at| at > n && self.words[at + 1].is_one_of(&ASIDES))
            && self.two_statements(n)
    }

    /// Whether the sentence has no clause beside its own and is stated.
    pub(super) fn is_plain(&self, n: usize) -> bool {
        let (first, last) = self.sentence(n);
        let inside = &self.text[self.words[first].at..self.words[last].end()];
        let behind = &self.text[self.words[last].end()..];
        !inside.contains([',', '(', '"', '“', '—']) && !behind.starts_with(['!', '?', '…', ':'])
    }

    /// Whether no full stop ends the line of the sentence.
    pub(super) fn is_note_line(&self, n: usize) -> bool {
        let (_, last) = self.sentence(n);
        let behind = self.text[self.words[last].end()..].trim_start_matches(' ');
        self.opens_line_of(n) && (behind.is_empty() || behind.starts_with('\n'))
    }

    /// Whether the sentence is the short head of a line, before its colon.
    pub(super) fn is_a_label(&self, n: usize) -> bool {
        let (first, last) = self.sentence(n);
        last - first < 5 && self.text[self.words[last].end()..].starts_with(": ") && self.opens_line_of(n)
    }

    /// Whether the sentence leaves out what prose would say: it begins its text, and neither with an article nor with a pronoun.
    pub(super) fn is_note_like(&self, n: usize) -> bool {
        let (first, _) = self.sentence(n);
        self.opens_line_of(n)
            && (self.is_note(n)
                || !self.words[first].is_one_of(&[
                    "the", "a", "an", "this", "that", "i", "it", "we", "he", "she", "they", "my",
                ]))
    }

    /// Whether the line is an item of a list, or written as people chat, in small letters or short and without a full stop: a note,
    /// whatever it says.
    pub(super) fn is_note(&self, n: usize) -> bool {
        let line = self.line_from(n).trim_start();
        let beginning = &line[..line.char_indices().nth(40).map_or(line.len(), |(at, _)| at)];
        if !beginning.is_ascii() {
            return false;
        }
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        ["- ", "* ", "+ ", "["].iter().any(|mark| line.starts_with(mark))
            || (1..=2).contains(&digits) && [". ", ") "].iter().any(|mark| line[digits..].starts_with(mark))
            || (line.starts_with(|c: char| c.is_ascii_lowercase()) || self.is_open(n))
                && self.opens_line_of(n)
    }

    /// Whether the sentence points at something that its text does not name: "he wrote this in a week" is a remark on it, and no note.
    pub(super) fn points(&self, n: usize) -> bool {
        const TIMES: [&str; 12] = [
            "week",
            "month",
            "year",
            "quarter",
            "morning",
            "afternoon",
            "evening",
            "weekend",
            "time",
            "spring",
            "summer",
            "days",
        ];
        let (first, last) = self.sentence(n);
        (first..=last).any(|at| {
            let time = self
                .word(at + 1)
                .is_some_and(|word| word.is_one_of(&TIMES) || is_time(&word.text.to_ascii_lowercase()));
            self.words[at].is_one_of(&["this", "that", "these", "those"]) && !time
        })
    }

    /// Whether the line is an item of a list or written in small letters.
    pub(super) fn is_marked(&self, n: usize) -> bool {
        self.is_note(n)
            && !(self.is_open(n)
                && self.line_from(n).trim_start().starts_with(|c: char| c.is_ascii_uppercase()))
    }

    /// Whether the sentence is short and nothing ends it but its line.
    fn is_open(&self, n: usize) -> bool {
        let (first, last) = self.sentence(n);
        let behind = self.text[self.words[last].end()..].trim_start_matches(' ');
        last - first < OPEN_WORDS_MAX && (behind.is_empty() || behind.starts_with('\n'))
    }

    /// The text from the beginning of the line of a word, as far as that is near.
    fn line_from(&self, n: usize) -> &'t str {
        let near = self.words[n.saturating_sub(NEAR)].at;
        let before = &self.text[near..self.words[n].at];
        let from = match before.rfind('\n') {
            Some(at) => near + at + 1,
            None if n < NEAR => 0,
            None => self.words[n].at,
        };
        &self.text[from..]
    }

    /// Whether the sentence of a word is the first one of its text: what goes on behind another one is no chat.
    pub(super) fn opens_line_of(&self, n: usize) -> bool {
        let (first, _) = self.sentence(n);
        first == 0 || self.text[self.words[first - 1].end()..self.words[first].at].contains('\n')
    }

    fn is_short_statement(&self, n: usize, commas: usize) -> bool {
        let (mut first, last) = self.sentence(n);
        // Yes, I moved: the word before the comma only greets or agrees.
        while first < n && self.words[first].is_one_of(&GREETINGS) {
            first += 1;
        }
        let behind = self.text[self.words[last].end()..].trim_start_matches(['*', '_', ')', '"', '\'']);
        let inside = &self.text[self.words[first].at..self.words[last].end()];
        last - first < STATEMENT_WORDS_MAX
            && !behind.starts_with(['!', '?', '…', ':'])
            && !behind.starts_with("..")
            && inside.matches(',').count() <= commas
            && !inside.contains(['(', '"', '“', '—'])
            && !inside.contains(" - ")
            && !inside.contains("--")
    }

    /// Whether a mark before the sentence says that it is to be done: `- [ ] `, `- [todo] `, `Action: `, `Action (Ben): `.
    pub(super) fn is_to_do(&self, n: usize) -> bool {
        const KINDS: [&str; 6] = ["todo", "task", "action", "reminder", "deadline", "plan"];
        let line = self.line_from(n).trim_start_matches([' ', '-', '*', '+', '>']);
        let kind = line.trim_start_matches('[');
        let kind = &kind[..kind.bytes().take_while(u8::is_ascii_alphabetic).count()];
        let marked = line.starts_with('[') || line[kind.len()..].starts_with([':', ' ']);
        line.starts_with("[ ]") || marked && KINDS.iter().any(|one| kind.eq_ignore_ascii_case(one))
    }

    /// Whether the sentence speaks of everybody or supposes something: of no day. Nobody would do it today.
    pub(super) fn is_saying(&self, n: usize) -> bool {
        const SUPPOSED: [&str; 8] =
            ["would", "ever", "nobody", "everybody", "anybody", "anyone", "whoever", "nowadays"];
        let (first, last) = self.sentence(n);
        let says = |words: &[&str]| self.words[first..=last].iter().any(|word| word.is_one_of(words));
        // Never put off until tomorrow what you can do today.
        says(&SUPPOSED) || says(&["today"]) && says(&["tomorrow"]) && says(&["never", "always", "what"])
    }

    /// Whether the sentence speaks of a film or a book: what happens in one is of no day, and who does it nobody.
    pub(super) fn is_of_a_film(&self, n: usize) -> bool {
        const FILMS: [&str; 24] = [
            "movie",
            "movies",
            "film",
            "scene",
            "scenes",
            "plot",
            "acting",
            "actor",
            "actors",
            "actress",
            "character",
            "characters",
            "sequel",
            "remake",
            "spoilers",
            "ending",
            "episode",
            "episodes",
            "novel",
            "villain",
            "hero",
            "zombies",
            "dvd",
            "vhs",
        ];
        let (first, last) = self.sentence(n);
        self.words[first..=last].iter().any(|word| word.is_one_of(&FILMS))
    }

    /// A file name, a call, a host name, a name in capitals.
    pub(super) fn is_in_a_name(&self, n: usize, count: usize) -> bool {
        let Some(parts) = self.words.get(n..n + count).filter(|parts| !parts.is_empty()) else { return true };
        let (first, last) = (parts[0], parts[parts.len() - 1]);
        let (before, behind) = (&self.text[..first.at], &self.text[last.end()..]);
        let dotted = |c: char| matches!(c, '.' | '/' | '@' | ':' | '-' | '=' | '\\' | '#');
        let goes_on = behind.starts_with('(')
            || behind
                .strip_prefix(dotted)
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric()));
        let comes_from = before.ends_with(['.', '/', '@', '$', '\\', '-', '=', '#', '%', '&'])
            || before.ends_with(|c: char| c.is_alphabetic());
        let shouted = parts.iter().any(|word| word.is_shouted() && !ENDS.contains(&word.text));
        // In the middle of a sentence capitals make a name: USA Today; at its beginning a second one does: This Week in Rust.
        let named = match parts {
            [one] => {
                one.is_capital() && one.text != "I" && !ENDS.contains(&one.text) && !begins_sentence(before)
            }
            several => several
                .iter()
                .skip(1)
                .any(|word| word.is_capital() && !is_time(&word.text.to_ascii_lowercase())),
        };
        goes_on || comes_from || shouted || named
    }
}

/// Ends of periods that are written in capitals.
pub(super) const ENDS: [&str; 6] = ["EOD", "EOW", "EOM", "EOQ", "EOY", "COB"];

/// Words that greet, agree or hesitate before a sentence.
const GREETINGS: [&str; 30] = [
    "mum", "mom", "dad", "babe", "mate", "bro", "hey", "hi", "hello", "ok", "okay", "yes", "yeah", "yep",
    "no", "nope", "nah", "well", "oh", "ah", "ugh", "lol", "btw", "fyi", "anyway", "sure", "thanks", "yo",
    "hm", "haha",
];

fn begins_sentence(before: &str) -> bool {
    let mut before = before.trim_end_matches([' ', '*', '_', '-', '(', '[', '#', '>', '\t']);
    // Hey |I moved, nah, |she drinks decaf.
    let bare = before.trim_end_matches([',', ' ']);
    let near = bare.char_indices().rev().nth(12).map_or(0, |(at, _)| at);
    let line = bare[near..]
        .rsplit(['\n', '.', '!', '?', ':'])
        .next()
        .unwrap_or_default()
        .trim_matches([' ', '-', '*', '>']);
    if GREETINGS.iter().any(|word| line.eq_ignore_ascii_case(word)) {
        before = &bare[..bare.len() - line.len()];
        before = before.trim_end_matches([' ', '*', '-', '>', '\t']);
    }
    // The box of a task and the kind of an item: `- [ ] `, `- [E] `.
    if let Some((list, _)) = before.strip_suffix(']').and_then(|text| text.rsplit_once('[')) {
        let line = list.rsplit('\n').next().unwrap_or_default();
        if matches!(line.trim(), "-" | "*" | "+") {
            before = list.trim_end_matches([' ', '*', '-', '+', '\t']);
        }
    }
    before.is_empty() || before.ends_with(['.', '!', '?', ':', ';', '\n', '。', '…', '|'])
}

/// Words that begin a sentence and are no name.
const OPENERS: [&str; 70] = [
    "both", "neither", "invite", "ping", "cc", "email", "notify", "forward", "pay", "contact", "text",
    "message", "the", "a", "an", "this", "that", "these", "those", "he", "she", "they", "we", "you", "i",
    "it", "his", "her", "their", "our", "your", "my", "its", "if", "when", "while", "because", "since", "in",
    "on", "at", "for", "from", "with", "to", "of", "and", "but", "or", "so", "not", "never", "always",
    "please", "send", "ask", "tell", "remind", "check", "call", "give", "let", "then", "there", "here", "do",
    "don", "as", "after", "before",
];

/// Words for persons and groups.
const PEOPLE: &str = "user person people someone somebody anyone anybody everyone everybody nobody each every who \
    whoever man woman men women boy girl guy child children kid kids friend wife husband mother \
    father mom dad brother sister son daughter uncle aunt boss colleague client team company staff \
    student nurse chef king queen hero cop patient";

/// Words that end as names of trades do and are none.
const NO_TRADES: &str = "other another under over later either whether rather number ever moment different never server \
    after order paper summer winter dinner weather together further";

pub(super) fn says_one_of(words: &str, word: &str) -> bool {
    words.split(' ').any(|one| one == word)
}

/// A name, or a word for a person.
fn names_somebody(text: &str, word: &Word<'_>) -> bool {
    let lower = word.text.to_ascii_lowercase();
    let one = lower.strip_suffix('s').unwrap_or(&lower);
    // A worker, an editor, an artist, a musician; not "never", "after", "for".
    let trade = one.len() > 4
        && ["er", "or", "ist", "ian", "man", "woman", "ent"].iter().any(|ending| one.ends_with(ending))
        && !OPENERS.contains(&lower.as_str())
        && !says_one_of(NO_TRADES, one);
    // Capitals at the beginning of a sentence are a name's only if no common word begins so: "Tom", not "Ask".
    let capital = word.is_capital()
        && word.text != "I"
        && !OPENERS.contains(&lower.as_str())
        && !is_time(&lower)
        && !(begins_sentence(&text[..word.at])
            && ["ly", "ing", "ed"].iter().any(|end| lower.len() > 4 && lower.ends_with(end)));
    says_one_of(PEOPLE, one) || says_one_of(PEOPLE, &lower) || trade || capital
}

/// A word in the plural.
fn names_several(_text: &str, word: &Word<'_>) -> bool {
    let lower = word.text.to_ascii_lowercase();
    const NO_PLURALS: [&str; 18] = [
        "is", "was", "has", "does", "this", "its", "his", "as", "us", "always", "yes", "plus", "less",
        "across", "news", "hers", "ours", "theirs",
    ];
    lower.len() > 3 && lower.ends_with('s') && !lower.ends_with("ss") && !NO_PLURALS.contains(&lower.as_str())
}

fn names_a_place(text: &str, word: &Word<'_>) -> bool {
    const PLACES: [&str; 14] = [
        "city", "town", "country", "village", "office", "school", "house", "hotel", "home", "place", "room",
        "island", "page", "section",
    ];
    let lower = word.text.to_ascii_lowercase();
    const LANGUAGES: [&str; 14] = [
        "english",
        "german",
        "french",
        "spanish",
        "italian",
        "chinese",
        "japanese",
        "russian",
        "portuguese",
        "dutch",
        "polish",
        "arabic",
        "greek",
        "turkish",
    ];
    let name = !LANGUAGES.contains(&lower.as_str())
        && word.is_capital()
        && !begins_sentence(&text[..word.at])
        && word.text != "I"
        && !is_time(&lower);
    name || PLACES.contains(&lower.as_str())
}

fn is_time(lower: &str) -> bool {
    const SHORT: [&str; 11] =
        ["mon", "tue", "tues", "wed", "weds", "thu", "thur", "thurs", "fri", "sat", "sun"];
    SHORT.contains(&lower)
        || super::calendar::WEEKDAYS.contains(&lower.strip_suffix('s').unwrap_or(lower))
        || super::calendar::MONTHS.iter().any(|month| month.eq_ignore_ascii_case(lower))
        || [
            "yesterday",
            "today",
            "tomorrow",
            "last",
            "next",
            "recently",
            "lately",
            "currently",
            "now",
            "nowadays",
            "christmas",
            "easter",
            "thanksgiving",
        ]
        .contains(&lower)
}
