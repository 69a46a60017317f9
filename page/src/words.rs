//! Says what a person can do next. It names screens and buttons of the page, and never a command or a flag.

use engine::{Advice, Code, Home, HomeAdvice, Remedy, Speaker, State, Trust};

/// Who declared something, by the name of their agent. Where it has none, only who is trusted as the person is one: of some agents no
/// more is known than a mark in their environment.
pub(crate) fn who(agent: &str, trust: Trust) -> String {
    match agent {
        "" if trust >= Trust::User => "a person's shell".to_owned(),
        "" | Speaker::UNNAMED => "an agent whose name is not known".to_owned(),
        agent => agent.to_owned(),
    }
}

/// The same of a job that a history tells of. That does not keep how far it was trusted; the job does, while it is there.
pub(crate) fn who_declared(home: &Home, agent: &str, job: &str) -> String {
    if !agent.is_empty() {
        return who(agent, Trust::Agent);
    }
    let found = home.find(job).ok().and_then(|listed| home.load_listed(&listed).ok()?.job);
    match found {
        Some(job) => who(agent, job.producer.trust()),
        None => "a person's shell, or an agent whose name is not known".to_owned(),
    }
}

/// The sentence for an advice. An advice without a sentence here names no command, and its general words are used.
pub(crate) fn sentence(advice: &Advice) -> String {
    use Advice as A;
    let words = match advice {
        A::Home(home) => return of_the_home(home),
        A::ListJobs => "Overview and Failed lead to the jobs that there are",
        A::ListItems => "Items shows all of them; tick “retired ones, too” for those as well",
        A::DeclareAgain(_) => "its own screen says how it ended",
        A::SeeWhatItWaitsFor(_) => "its own screen says what it waits for",
        A::ResolveWithoutSides(_) | A::Resolve(_) => "try it again, edit it, or discard it",
        A::EditOrDiscard(_) => "edit it or discard it",
        A::RetryOrDiscard(_) => "try it again or discard it",
        A::Edit(_) => "open it, and “Edit all of it”",
        A::Discard(_) | A::DiscardAndKeep(_) => "discard it; its file is kept beside its receipt",
        A::SeeOutcome(_) | A::SeeJob(_) => "its own screen says what became of it",
        A::SeeVersions(_) => "the document's own screen lists the versions that are kept",
        A::Release(_) => "the overview lets it go on, under Held",
        A::LookAgain(_) => "read it again, then approve or reject it",
        A::Review(_) | A::ReviewSome => "approve or reject it under Review",
        A::ResolveSome => "decide about it under Failed",
        A::RunWorker => "“Write what waits now” on the overview writes it",
        A::PutTextByHand(_) | A::PutThisTextByHand(_) => {
            "put into the document, with an editor, what should be there; then discard this"
        }
        A::CheckDocument(_) => {
            "nobody can tell whether it took effect: look at the document, then try this again, or discard it if its \
             change is there"
        }
        A::WriteAgain(_) => {
            "an editor may have saved what it had loaded before: approve this to write it again, or reject it if it was \
             meant to go"
        }
        other => return other.in_words(),
    };
    words.to_owned()
}

fn of_the_home(advice: &HomeAdvice) -> String {
    use HomeAdvice as A;
    match advice {
        A::RunWorkerToSeeWhy => {
            "“Write what waits now” on the overview tries again, and says what is wrong".to_owned()
        }
        A::RunWorkerToClean | A::RecoverClaims => "“Write what waits now” on the overview does it".to_owned(),
        other => other.to_string(),
    }
}

/// Where a change is, in a word or two.
pub(crate) fn state_word(state: State) -> &'static str {
    match state {
        State::Pending => "waits to be written",
        State::Deferred => "is tried again later",
        State::Processing => "is being written",
        State::Failed => "failed",
        State::Review => "waits for a yes",
        State::Done => "done",
    }
}

/// Why something failed, as a person says it who has only this page.
pub(crate) fn reason(code: &Code) -> &'static str {
    match code {
        Code::Ambiguous => "two sections have the same heading",
        Code::OverBudget => "the document is full",
        Code::SectionMissing | Code::HeadingNotFound | Code::ParentNotFound | Code::NearMatch => {
            "the section it is for is not there"
        }
        Code::Conflict => "somebody changed the same lines",
        Code::TextNotFound => "the text it replaces is not there",
        Code::YamlSyntax | Code::JsonSyntax => "it was not written to its end, or not as it should be",
        other => other.meaning(),
    }
}

/// A message for people, in which names stand in quotation marks, not as in a program.
pub(crate) fn plain(message: &str) -> String {
    let mut opens = false;
    let whole = message.matches('`').count().is_multiple_of(2);
    let quote = |c: char| {
        if c != '`' || !whole {
            return c;
        }
        opens = !opens;
        if opens { '“' } else { '”' }
    };
    message.chars().map(quote).collect()
}

/// What most often helps when jobs failed with this code, for a person who has only this page and an editor. `None` if the
/// message of the failure says it already.
pub(crate) fn what_helps(code: &Code, message: &str) -> Option<&'static str> {
    Some(match code {
        Code::Ambiguous => {
            "Two sections of the document have this heading, and nobody can tell which is meant. Put these changes under another \
             heading; or open the document with an editor, give one of the two another name, then try again."
        }
        Code::OverBudget => {
            "There is a limit on how long the document may get, and with this it would be longer. Let it get longer; or make it \
             shorter with an editor, then try again; or discard these: what they say is kept."
        }
        Code::SectionMissing | Code::HeadingNotFound | Code::ParentNotFound | Code::NearMatch => {
            "Take the heading that was meant, where one is offered; or write the heading into the document with an editor, then \
             try again."
        }
        Code::Conflict => {
            "Somebody changed the same lines after the author of the change had read them. “Keep what the document says” is the \
             safe one: those lines stay, and what else such a change says elsewhere is still written. “Take what the change says” \
             writes it over those lines. “Discard” writes nothing of the change, nowhere. Or go through them one by one, and \
             write a third text. What agents said stays readable each time: Log leads to it."
        }
        Code::TextNotFound | Code::TextAmbiguous => {
            "The text that is to be replaced is not there, or is there more than once. Edit which text that is, or discard \
             the change."
        }
        Code::DocumentUnreachable if message.contains(" is no directory") => {
            "A file stands where a folder is needed. With a file manager, give that file another name or move it away, then try \
             again: the folder is made."
        }
        Code::DocumentUnreachable => {
            "A folder on the way to the document cannot be used: a file has its name, it may not be read, or a disk is not \
             connected. Put that right with a file manager, then try again."
        }
        Code::YamlSyntax | Code::JsonSyntax => {
            "It broke off while it was written, or is not written as it should be: as it is, nobody can tell what it was to say. \
             Discard it: what there is of it is kept. Or open one, and write what is missing."
        }
        code if code.actions().first() == Some(&Remedy::Edit) => {
            "As it is it can only fail again: edit what it says, or discard it."
        }
        _ => return None,
    })
}

/// The hint that is stored with a job; `None` if it names a command or a flag. Such a hint is for a terminal, and the buttons
/// beside the job offer the same.
pub(crate) fn written_hint(hint: &str) -> Option<&str> {
    let is_flag = |word: &str| {
        let name = word.trim_start_matches(['`', '(', '"']).strip_prefix("--");
        name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_lowercase()))
    };
    let is_for_terminal = hint.contains("last-word ") || hint.split_whitespace().any(is_flag);
    (!is_for_terminal).then_some(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_advice_names_a_command_or_a_flag() {
        let id = || "01a20873".to_owned();
        let homes = [
            HomeAdvice::SeeWhatIsOld,
            HomeAdvice::ScheduleWorker,
            HomeAdvice::RunWorkerToSeeWhy,
            HomeAdvice::RunWorkerToClean,
            HomeAdvice::RecoverClaims,
            HomeAdvice::MoveHome,
            HomeAdvice::CloseDirectory("/d".to_owned()),
            HomeAdvice::SeeEveryProblem,
            HomeAdvice::SwitchHooksOn,
            HomeAdvice::ListProject,
            HomeAdvice::LookAtInbox("/d".to_owned()),
        ];
        let all = [
            Advice::MakeHome,
            Advice::MakeMemory,
            Advice::MakeMissing,
            Advice::ListJobs,
            Advice::DeclareAgain(id()),
            Advice::SeeWhatItWaitsFor(id()),
            Advice::ResolveWithoutSides(id()),
            Advice::TakeANewKey(id()),
            Advice::SeeOutcome(id()),
            Advice::SeeJob(id()),
            Advice::PutBackByHand,
            Advice::SeeVersions(id()),
            Advice::CheckDeclaration,
            Advice::CheckConfiguration,
            Advice::PutConfigurationBack(id()),
            Advice::FreeSpace,
            Advice::RunWorker,
            Advice::ListItems,
            Advice::ListPlanned,
            Advice::Release(id()),
            Advice::Edit(id()),
            Advice::DiscardAndKeep(id()),
            Advice::ResolveSome,
            Advice::ReviewSome,
            Advice::Resolve(id()),
            Advice::LookAgain(id()),
            Advice::Review(id()),
            Advice::EditOrDiscard(id()),
            Advice::RetryOrDiscard(id()),
            Advice::Discard(id()),
            Advice::PutTextByHand(id()),
            Advice::PutThisTextByHand(id()),
            Advice::TryWithoutWriting,
            Advice::CheckDocument(id()),
            Advice::WriteAgain(id()),
        ];
        for advice in all.into_iter().chain(homes.map(Advice::Home)) {
            let said = sentence(&advice);
            assert_eq!(written_hint(&said), Some(said.as_str()), "{advice:?}");
        }
    }

    #[test]
    fn who_has_no_name_is_a_person_only_where_that_is_known() {
        let names =
            [("", Trust::User), ("", Trust::Agent), (Speaker::UNNAMED, Trust::Agent), ("a", Trust::User)];
        let nameless = "an agent whose name is not known";
        assert_eq!(
            names.map(|(agent, trust)| who(agent, trust)),
            ["a person's shell", nameless, nameless, "a"]
        );
    }

    #[test]
    fn what_helps_names_no_command() {
        for code in [
            "ambiguous",
            "over_budget",
            "section_missing",
            "conflict",
            "yaml_syntax",
            "text_not_found",
            "document_unreachable",
        ] {
            for message in ["", "/d is no directory, so there can be no document below it"] {
                let helps = what_helps(&Code::named(code), message).unwrap_or_else(|| panic!("{code}"));
                assert_eq!(written_hint(helps), Some(helps), "{code}");
            }
        }
        assert_eq!(what_helps(&Code::named("document_busy"), ""), None);
    }

    #[test]
    fn a_hint_that_names_a_command_is_left_out() {
        for hint in [
            "last-word resolve 01a2 --retry   (or --discard)",
            "look at both texts, then resolve with `--ours`, `--theirs` or `--edit`",
            "run it with --force",
        ] {
            assert_eq!(written_hint(hint), None, "{hint}");
        }
        for hint in ["headings there: Tone; Never", "did you mean “Restart”?", "a - b -- c"] {
            assert_eq!(written_hint(hint), Some(hint));
        }
    }
}
