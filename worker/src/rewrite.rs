//! The rewriter of a knowledge base: a program that is given a text with the time words in it, and answers with one without
//! them. It is asked twice at most. Its answer is used only if every id of the text is still in it.

use crate::batch::Ready;
use crate::program::{OUTPUT_BYTES_MAX, Program, Ran, Runner};
use declaration::reading::limits::CONTENT_BYTES_MAX;
use declaration::terminal::first_hidden;
use declaration::{Entry, Operation};
use policy::knowledge_base::KnowledgeBase;
use policy::time_words::{hits, ids, left};
use serde_json::json;

/// How often it is asked about one text.
const ROUNDS_MAX: u32 = 2;

/// The jobs with their texts rewritten. A rewriter that fails, hangs or loses an id changes nothing: what is left is then
/// judged as it is.
pub(crate) fn rewritten(kb: &KnowledgeBase, jobs: &[Ready], run: Runner<'_>) -> Vec<Ready> {
    jobs.iter().map(|ready| one(kb, ready, run)).collect()
}

fn one(kb: &KnowledgeBase, ready: &Ready, run: Runner<'_>) -> Ready {
    let mut ready = ready.clone();
    // What a person said yes to is written as they saw it.
    if ready.job.approved_by.is_none() {
        for entry in &mut ready.job.entries {
            entry_of(kb, entry, run);
        }
    }
    ready
}

fn entry_of(kb: &KnowledgeBase, entry: &mut Entry, run: Runner<'_>) {
    let writes = matches!(
        entry.operation,
        Operation::Update | Operation::Append | Operation::Prepend | Operation::Replace
    ) || entry.operation.writes_item();
    for _ in 0..ROUNDS_MAX {
        let words = left(kb, entry);
        let Some(content) = entry.content.as_ref().filter(|_| writes && !words.is_empty()) else { return };
        let asked = json!({ "text": content, "hits": words }).to_string();
        let program =
            Program { argv: &kb.rewriter, stdin: asked.as_bytes(), directory: None, time_ms: kb.validate_ms };
        let Ran::Ended { code: Some(0), stdout, .. } = run(&program) else { return };
        let Some(better) = accepted(content, &stdout) else { return };
        entry.content = Some(better);
    }
}

/// The rewriter's text, if it is one that might be declared, keeps every id, and says fewer such words.
fn accepted(content: &str, stdout: &[u8]) -> Option<String> {
    // No more is kept of what it says, and the rest of the text would be lost.
    let text = std::str::from_utf8(stdout).ok().filter(|text| text.len() < OUTPUT_BYTES_MAX)?;
    // A program ends its output with a line end; a text keeps the one it had, or has none.
    let text = if content.ends_with('\n') { text } else { text.trim_end_matches(['\n', '\r']) };
    let whole = !text.trim().is_empty() && text.len() <= CONTENT_BYTES_MAX;
    let is_plain = !text.contains('\0') && first_hidden(text).is_none();
    let kept = ids(text);
    let keeps = ids(content).iter().all(|id| kept.contains(id));
    (whole && is_plain && keeps && hits(text).len() < hits(content).len()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_may_be_cut_off_is_none() {
        let said = |len: usize| {
            let begin = "李雷的工号是 123456 ";
            format!("{begin}{}", "x".repeat(len - begin.len()))
        };
        let accept = |text: &str| accepted("他的工号是 123456", text.as_bytes()).is_some();
        assert!(accept(&said(OUTPUT_BYTES_MAX - 1)));
        assert!(!accept(&said(OUTPUT_BYTES_MAX)));
    }

    #[test]
    fn a_text_without_its_ids_is_none() {
        let accept = |text: &str| accepted("他的工号是 123456", text.as_bytes());
        assert_eq!(accept("李雷的工号是 123456\n").as_deref(), Some("李雷的工号是 123456"));
        assert_eq!(accept("李雷的工号是 12345\n"), None, "an id was lost");
        assert_eq!(accept("他的工号是 123456"), None, "nothing is better");
        assert_eq!(accept(""), None);
        for hidden in
            ["李雷\0 123456", "李雷\u{1b}[31m 123456", "李雷\u{202e} 123456", "李雷\u{e0069} 123456"]
        {
            assert_eq!(accept(hidden), None, "{hidden:?}");
        }
        assert_eq!(accepted("他", b"\xff"), None);
    }
}
