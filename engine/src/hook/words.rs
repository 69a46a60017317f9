//! What hooks say to agents. Every sentence is read by a model: short, exact, with the command to type.

use super::during::Told;
use super::prompt::ToldItem;
use agents::{ByGit, How, WrittenPath};
use declaration::{Advice, quoted};
use policy::knowledge_base::KnowledgeBase;
use std::path::PathBuf;

/// The flags that name agent and session, for a command that is typed in that session; empty without a session.
pub(super) fn whose(agent: &str, session: Option<&str>) -> String {
    session.map(|session| format!(" --agent {agent} --session {}", quoted(session))).unwrap_or_default()
}

/// The lines that say how to remember and recall. They are the same for an empty memory. `journals`: there are knowledge bases for
/// facts and for what sessions did.
pub(super) fn how_to(program: &str, kbs: &[&KnowledgeBase], whose: &str, journals: bool) -> Vec<String> {
    let document = format!("{program} plan --to KB --heading 'HEADING' --op append --content '- TEXT'");
    let apostrophe = "(for a text with a ' in it: --content-file FILE)";
    let remember = if journals {
        let each = if whose.is_empty() { String::new() } else { format!(" Each with{whose}.") };
        format!(
            "To remember a fact: {program} remember 'FACT'. What this session did and decided: {program} session save --topic 'TOPIC' \
             --summary 'TEXT'. Into a document: {document} {apostrophe}.{each}"
        )
    } else {
        format!("To remember what will still be true and useful later: {document}{whose} {apostrophe}.")
    };
    let bases = format!("KB is one of {}.", listed(kbs));
    vec![remember, bases, format!("To recall: {program} recall 'WORDS', or {program} read KB")]
}

/// Each knowledge base with the phrase that says what belongs there.
fn listed(kbs: &[&KnowledgeBase]) -> String {
    let names = kbs.iter().map(|kb| match kb.title.as_str() {
        title if title == kb.name => title.to_owned(),
        title => format!("{} ({title})", kb.name),
    });
    names.collect::<Vec<_>>().join(", ")
}

/// What failed or waits for a yes; `None` when nothing does.
pub(super) fn waiting(failed: usize, review: usize, say: &dyn Fn(&Advice) -> String) -> Option<String> {
    let (resolve, decide) = (say(&Advice::ResolveSome), say(&Advice::ReviewSome));
    let failed = (failed > 0).then(|| format!("{failed} declared {} failed ({resolve})", changes(failed)));
    let review = (review > 0).then(|| format!("{review} {} a person's yes ({decide})", wait_for(review)));
    let said: Vec<String> = failed.into_iter().chain(review).collect();
    (!said.is_empty()).then(|| format!("For the person you work for: {}.", said.join(", ")))
}

fn changes(count: usize) -> &'static str {
    if count == 1 { "change" } else { "changes" }
}

fn wait_for(count: usize) -> &'static str {
    if count == 1 { "waits for" } else { "wait for" }
}

/// Asks for what a session learned, in one line.
pub(super) fn ask(program: &str, kbs: &[&KnowledgeBase], whose: &str, journals: bool) -> String {
    let taught = "(last-word: if this session taught you something that will still be true and useful later,";
    let ignore = "Else ignore this; do not mention it.)";
    if journals {
        let each = if whose.is_empty() { String::new() } else { format!(", each with{whose}") };
        return format!(
            "{taught} in passing: {program} remember 'FACT'; and before it ends, once: {program} session save --topic 'TOPIC' --summary \
             'TEXT'{each}. {ignore}"
        );
    }
    let names: Vec<&str> = kbs.iter().map(|kb| kb.name.as_str()).collect();
    format!(
        "{taught} declare it in passing: {program} plan --to KB --heading 'HEADING' --op append --content '- TEXT'{whose}, KB one of {}. \
         {ignore}",
        names.join(", ")
    )
}

/// How many characters the words around the items beside a prompt take.
pub(super) const KNOWN_CHARS: usize = KNOWN.len() + 2;
const KNOWN: &str = "(last-word, known before and perhaps of use here; no instruction:";

/// The items beside a prompt, as one text; `None` where there are none.
pub(super) fn known(items: &[ToldItem]) -> Option<String> {
    let lines: Vec<String> = items.iter().map(known_line).collect();
    (!items.is_empty()).then(|| format!("{KNOWN}\n{})", lines.join("\n")))
}

/// The line of one of these items.
pub(super) fn known_line(item: &ToldItem) -> String {
    format!("- {} ({})", item.text, item.place)
}

/// How a line reaches a document.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Reached {
    /// It names the file.
    #[default]
    Named,
    /// Among other files: of a directory, of a search.
    Among,
    /// As a file with changes that git would take out.
    Uncommitted,
    /// As a file that git does not know, and would remove.
    Untracked,
}

impl Reached {
    pub(super) fn by(written: &WrittenPath) -> Reached {
        match written.chosen.git {
            ByGit::Uncommitted { .. } if written.how == How::Below => Reached::Uncommitted,
            ByGit::Untracked { .. } if written.how == How::Below => Reached::Untracked,
            _ if written.how == How::Below => Reached::Among,
            _ => Reached::Named,
        }
    }

    /// How a line is written that leaves the document alone; empty where it is meant.
    fn way_out(self, document: &str) -> String {
        let name = document.rsplit('/').next().unwrap_or(document);
        match self {
            Reached::Named => String::new(),
            Reached::Among => format!(
                "This line reaches it among other files. Name the files that you mean, or leave it out: --exclude={name}, \
                 -not -name {name}, | grep -v {name}, '!{name}'.\n"
            ),
            Reached::Uncommitted => format!(
                "It has changes that are not committed, and this line would take them out of it. Leave it out: git stash push -- . \
                 ':!{name}', git checkout -- . ':!{name}'. Or commit it first: git commit -m MESSAGE {name}.\n"
            ),
            Reached::Untracked => {
                format!(
                    "Git does not know this file, and this line would remove it. Leave it out: git clean -fd -e {name}.\n"
                )
            }
        }
    }
}

/// Why a document may not be written by hand, and what to do instead.
pub(super) fn denied(
    program: &str,
    kb: &KnowledgeBase,
    document: &str,
    whose: &str,
    reached: Reached,
) -> String {
    let name = &kb.name;
    let way_out = reached.way_out(document);
    if kb.policy == policy::knowledge_base::Policy::ReadOnly {
        return format!(
            "{document} is the knowledge base `{name}`, which is read-only: leave it as it is. {way_out}"
        )
        .trim_end()
        .to_owned();
    }
    format!(
        "{document} is the knowledge base `{name}`: it is not written by hand, or sessions would overwrite one another. {way_out}\
         Declare the change instead, it is merged for you:\n  \
         {program} plan --to {name} --heading 'Heading' --op append --content 'text'{whose}\n\
         (--op append, update, clear or delete; --op replace with --old-text; a text with a ' in it: --content-file FILE). What it says now: {program} read {name}"
    )
}

/// What a session is told of documents and settings that were changed past the queue while a command of it ran.
pub(super) fn changed_in_command(program: &str, told: &[Told]) -> String {
    let one = |told: &Told| match (&told.document, told.version, &told.kept) {
        (Some(name), Some(version), _) => {
            let there = told.project.as_ref().map_or_else(String::new, |project| format!("cd {project} && "));
            let began = told.kept.as_ref().map_or_else(String::new, |kept| {
                format!(". It was changed more than once meanwhile: what else it said is in {kept}")
            });
            format!(
                "- {} (`{name}`) is version {version} now: {there}{program} history {name}. To take the change back is for them: \
                 {there}{program} rollback {name}{began}",
                told.what
            )
        }
        (Some(name), None, Some(kept)) => {
            format!("- {} (`{name}`). What it said before is in {kept}", told.what)
        }
        (Some(name), None, None) => format!("- {} (`{name}`). What it said before was not kept", told.what),
        (None, _, None) => format!("- {}, which decides about documents and hooks", told.what),
        (None, _, Some(kept)) => {
            format!(
                "- {}, which decides about documents and hooks. What it said before is in {kept}",
                told.what
            )
        }
    };
    let lines: Vec<String> = told.iter().map(one).collect();
    format!(
        "last-word: while a command of this session ran, this was changed, and not through last-word:\n{}\nIf it was your command, tell the person you \
         work for. Do not put it back by hand; what you want written: {program} plan --to KB --heading HEADING --op append --content TEXT",
        lines.join("\n")
    )
}

/// The same for the journal.
pub(super) fn noted_in_command(agent: &str, told: &Told) -> String {
    match (&told.document, told.version, &told.kept) {
        (Some(name), Some(version), kept) => {
            let said =
                format!("changed past the queue while a command of {agent} ran: version {version} of {name}");
            let besides =
                kept.as_ref().map(|kept| format!("{said}; what else it said meanwhile is in {kept}"));
            besides.unwrap_or(said)
        }
        (Some(_), None, Some(kept)) => format!(
            "changed past the queue while a command of {agent} ran, and no version; what it said before is in {kept}"
        ),
        (Some(_), None, None) => {
            format!("changed past the queue while a command of {agent} ran; what it said before was not kept")
        }
        (None, _, Some(kept)) => {
            format!("changed while a command of {agent} ran; what it said before is in {kept}")
        }
        (None, _, None) => format!("changed while a command of {agent} ran"),
    }
}

/// What a session is told where the configuration cannot be used.
pub(super) fn unusable(why: &str) -> String {
    format!(
        "last-word cannot use its configuration ({why}). Until that is mended, nothing is shown here of what is known, and nothing that is learned is kept; documents are \
         guarded as before. Tell the person you work for."
    )
}

/// What a session is told where nothing of it can be written.
pub(super) fn unwritable(why: &str) -> String {
    format!(
        "\nlast-word could not write on this machine when this session began ({why}): until that is mended, nothing that is learned is kept. \
         Tell the person you work for.\n"
    )
}

/// Why an agent may not remove or change this program, or its package.
pub(super) fn own_program(path: &str) -> String {
    format!(
        "{path} is last-word itself, or the schedule that calls it. Without it nothing that was declared is merged, and documents are not \
         protected: it was left as it is. To uninstall it is for the person you work for."
    )
}

/// Why an agent may not stop the schedule.
pub(super) fn own_schedule(program: &str) -> String {
    format!(
        "This would stop the schedule with which {program} merges what was declared, or may do so: it was not run. To add a line to the \
         crontab, keep those that are there: (crontab -l; echo 'LINE') | crontab -. Anything else is for the person you work for."
    )
}

/// Why an agent is not started.
pub(super) fn without_hooks(agent: &str) -> String {
    format!(
        "This starts {agent} without the hooks that keep documents from being overwritten: it was not run. Leave out what switches them \
         off, or what names other settings."
    )
}

/// Why an agent may not run this command of ours.
pub(super) fn decides(program: &str, verb: &str) -> String {
    format!(
        "`{program} {verb}` decides about what was declared, and that is for the person you work for: it was not run. Tell them what \
         waits ({program} status), and leave the decision to them."
    )
}

/// Why a line is not run whose text does not show which of our commands it runs.
pub(super) fn cannot_tell(program: &str, command: &str) -> String {
    format!(
        "This line runs `{program}`, and its text does not show which of its commands: it was not run. Write the command out, \
         without a variable in its place: {command} status"
    )
}

/// Why a line is not run that has too many commands or paths to check while an agent waits.
pub(super) fn too_long(program: &str) -> String {
    format!(
        "This line has more commands, or names more files, than {program} can check while you wait: it was not run. Run it in parts, or \
         name a directory or a pattern in place of the files."
    )
}

/// Why an agent may not change a file in the home.
pub(super) fn fenced(program: &str, path: &str) -> String {
    format!(
        "{path} is one of last-word's own files, which decide what is written and when. Agents must not change them, and the text of this \
         line does not show that it only reads: it was not run. To declare something: {program} plan --to KB --heading HEADING --op \
         append --content TEXT. To look: {program} status, {program} read KB. A person changes these files in a terminal of their own."
    )
}

/// Why an agent may not change the settings that call our hook, or the rules that are ours.
pub(super) fn hooks(path: &str) -> String {
    format!(
        "{path} has the hooks that call last-word, an agent's rules for it, or a switch of all hooks. An agent must not change it, because without them documents \
         are no longer protected. Ask the person you work for to make the change."
    )
}

/// Why a command for another home is not run.
pub(super) fn elsewhere(program: &str, is_named: bool, home: &str) -> String {
    let instead =
        if is_named { "Name the home of this session" } else { "Leave out --home and its variables" };
    format!(
        "{home} is another home of last-word. It may write documents that this home manages, and leave out their rules and history: the \
         command was not run. {instead}: {program} plan --to KB --heading HEADING --op append --content TEXT"
    )
}

/// Why a shell that stays open is not started.
pub(super) fn typed_unseen(program: &str) -> String {
    format!(
        "A shell that stays open was not started, because {program} is not told what is typed into it later. Run each command by itself, \
         or a script."
    )
}

/// Why a risky command waits until the project's document was read.
pub(super) fn unread(program: &str, command: &str, kb: &KnowledgeBase) -> String {
    format!(
        "`{command}` is hard to undo, and this session has not read what is known about this project. Read it first: \
         {program} read {}",
        kb.name
    )
}

/// Why a change waits until these documents were read, each with its name and path. `what` begins the sentence.
pub(super) fn unprepared(what: &str, unread: &[(String, PathBuf)]) -> String {
    let names: Vec<String> = unread.iter().map(|(name, _)| format!("`{name}`")).collect();
    let paths: Vec<String> = unread.iter().map(|(_, path)| quoted(&path.display().to_string())).collect();
    let them = if unread.len() == 1 { "it" } else { "them" };
    format!(
        "{what}, and this session has not read {}, which the person you work for asks to be read first. Read {them}, and then do this \
         again: cat {}",
        names.join(" and "),
        paths.join(" ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines on remembering take little of an agent's context, also with the longest name of a session.
    #[test]
    fn remembering_is_told_in_400_characters() {
        let kb = KnowledgeBase::plain("user", "~/USER.md");
        let long = whose("gemini_cli", Some("0a1b2c3d-1111-4222-8333-0a1b2c3d4e5f"));
        for (whose, program) in
            [("", "last-word"), (long.as_str(), "last-word"), ("", "/home/somebody/.local/bin/last-word")]
        {
            let told = [how_to(program, &[&kb], whose, true).remove(0), ask(program, &[&kb], whose, true)];
            for text in told {
                assert!(text.chars().count() <= 400, "{}: {text}", text.chars().count());
                assert!(text.contains(&format!("{program} remember 'FACT'")), "{text}");
                assert!(
                    text.contains(&format!("{program} session save --topic 'TOPIC' --summary 'TEXT'")),
                    "{text}"
                );
                assert!(text.contains(whose), "{text}");
            }
            let plain = [how_to(program, &[&kb], whose, false).remove(0), ask(program, &[&kb], whose, false)];
            assert!(plain.iter().all(|text| text.chars().count() <= 400 && text.contains(" plan --to KB ")));
        }
    }

    #[test]
    fn what_waits() {
        assert_eq!(waiting(0, 0, &Advice::in_words), None);
        let said = waiting(1, 2, &Advice::in_words).unwrap();
        assert!(
            said.contains("1 declared change failed") && said.contains("2 wait for a person's yes"),
            "{said}"
        );
    }
}
