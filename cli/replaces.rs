//! A declaration that names no operation and would replace a text is refused. A person at a terminal is asked what they
//! mean; whoever gave the entry by flags is shown both commands.

use crate::failure::Failure;
use crate::language::said;
use crate::world::World;
use declaration::{Code, Operation};
use engine::quoted;

/// The operation that was meant, where the refusal has no other reason and a person can be asked.
///
/// # Errors
/// The refusal itself, where nobody confirms.
pub fn meant(refused: Failure, given: Given, world: &World) -> Result<Operation, Failure> {
    let of_it = |code: &Code| *code == Code::OperationMissing;
    if refused.problems.is_empty() || !refused.problems.iter().all(|problem| of_it(&problem.code)) {
        return Err(refused);
    }
    if world.interactive() && !given.on_standard_input {
        let messages: Vec<&str> = refused.problems.iter().map(|problem| problem.message.as_str()).collect();
        return ask(&messages.join("\n"));
    }
    if !given.by_flags {
        return Err(refused);
    }
    let replace = if given.empty { "clear" } else { "update" };
    let (add, replace) = (typed("append"), typed(replace));
    let hint = format!("say which with --op\n  to add to it:   {add}\n  to replace it:  {replace}");
    let message = |problem: &declaration::Problem| format!("nothing was enqueued: {}", problem.message);
    let messages = refused.problems.iter().map(message).collect();
    Err(Failure { messages, ..refused }.hint(hint))
}

/// How the declaration was given.
#[derive(Debug, Clone, Copy, Default)]
pub struct Given {
    /// As one entry, by flags.
    pub by_flags: bool,
    /// A text of it came from standard input, so no answer can come from there.
    pub on_standard_input: bool,
    /// Its content is empty.
    pub empty: bool,
}

/// The same command with an operation.
fn typed(operation: &str) -> String {
    let mut words: Vec<String> =
        std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy())).collect();
    words.insert(0, crate::own_name::program().to_owned());
    format!("{} --op {operation}", words.join(" "))
}

fn ask(message: &str) -> Result<Operation, Failure> {
    crate::render::tell_line(crate::visible::visible(&said(message)));
    let question = said("[a]dd to it, [r]eplace it, [n]othing?");
    loop {
        match crate::question::answer(&format!("{question} "))?.as_deref() {
            Some("a" | "add") => return Ok(Operation::Append),
            Some("r" | "replace") => return Ok(Operation::Update),
            Some("n" | "nothing" | "q") => return Err(Failure::new("nothing was enqueued")),
            Some(_) => {}
            None => return Err(Failure::new("nothing was enqueued: there was no answer")),
        }
    }
}
