//! The plugin, extension, skill or commands that an agent loads besides hooks and servers.
//! They are files of ours alone below one directory, which the agent looks into by itself: nothing has to be registered, and a
//! version that does not know the directory leaves it alone. `packaging/plugins` reads the same texts.

use serde_json::json;

const SKILL: &str = include_str!("form/skill.md");
const COMMANDS: [(&str, &str); 3] = [
    ("remember", include_str!("form/remember.md")),
    ("recall", include_str!("form/recall.md")),
    ("review", include_str!("form/review.md")),
];
const OPENCODE: &str = include_str!("form/opencode.js");
/// What extensions say of themselves. It stays the same from version to version of ours, so that an upgrade changes no file.
const VERSION: &str = "1.0.0";
const ABOUT: &str =
    "Memory in the person's own Markdown documents: durable, merged once, approved by the person";

/// Files of ours in the agent's directory.
#[derive(Debug, Clone, Copy)]
pub struct OwnForm {
    /// Their directory, below the home directory.
    pub dir: &'static str,
    /// A variable that names another directory for the agent, and what comes below it.
    pub variable: Option<(&'static str, &'static str)>,
    /// Which of them calls our hook, where one does.
    pub hooks: Option<&'static str>,
    /// Each file below it with its text.
    pub files: fn(Called<'_>) -> Vec<FormFile>,
}

/// How an agent calls us.
#[derive(Debug, Clone, Copy)]
pub struct Called<'a> {
    /// By this name or path.
    pub program: &'a str,
    /// A command begins with this in a shell: the program, and the home where it has to be named.
    pub command: &'a str,
    /// With this home.
    pub home: &'a str,
}

/// One file of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormFile {
    /// Its path below the directory of the form.
    pub path: String,
    /// Its text.
    pub text: String,
}

fn file(path: &str, text: impl Into<String>) -> FormFile {
    FormFile { path: path.to_owned(), text: text.into() }
}

fn skill(path: &str, called: Called<'_>) -> FormFile {
    file(path, SKILL.replace("PROGRAM", called.command))
}

/// A command as Markdown, with the agent's own placeholder for the command's arguments.
fn commands(dir: &str, arguments: &str, called: Called<'_>) -> Vec<FormFile> {
    let of = |(name, text): &(&str, &str)| {
        file(&format!("{dir}/{name}.md"), typed(text, called).replace("ARGUMENTS", arguments))
    };
    COMMANDS.iter().map(of).collect()
}

/// The text with the command that a person types, who knows the program by its name.
fn typed(text: &str, called: Called<'_>) -> String {
    let named = called.command.strip_prefix(called.program).unwrap_or_default();
    text.replace("`last-word review`", &format!("`last-word{named} review`"))
}

/// A plugin among the skills: Claude Code loads it from there by itself.
pub(crate) fn claude_code(called: Called<'_>) -> Vec<FormFile> {
    let manifest = json!({
        "name": "last-word", "version": VERSION, "description": ABOUT, "license": "MIT OR Apache-2.0",
        "author": { "name": "the last-word maintainers" },
    });
    let mut files = commands("commands", "$ARGUMENTS", called);
    files.push(file(".claude-plugin/plugin.json", format!("{manifest:#}\n")));
    files.push(skill("skills/last-word/SKILL.md", called));
    files
}

/// A skill by itself.
pub(crate) fn skill_alone(called: Called<'_>) -> Vec<FormFile> {
    vec![skill("SKILL.md", called)]
}

/// An extension, with commands as TOML.
pub(crate) fn gemini_cli(called: Called<'_>) -> Vec<FormFile> {
    let as_toml = |(name, text): &(&str, &str)| {
        let (about, prompt) = parts(&typed(text, called).replace("ARGUMENTS", "{{args}}"));
        // A text in JSON is one in TOML, too.
        let text = format!("description = {}\nprompt = {}\n", json!(about), json!(prompt));
        file(&format!("commands/{name}.toml"), text)
    };
    extension("gemini-extension.json", COMMANDS.iter().map(as_toml).collect(), called)
}

/// An extension, with commands as Markdown.
pub(crate) fn qwen_code(called: Called<'_>) -> Vec<FormFile> {
    extension("qwen-extension.json", commands("commands", "{{args}}", called), called)
}

/// Commands, with the manifest and the skill of an extension.
fn extension(manifest: &str, mut files: Vec<FormFile>, called: Called<'_>) -> Vec<FormFile> {
    let text = json!({ "name": "last-word", "version": VERSION, "description": ABOUT });
    files.push(file(manifest, format!("{text:#}\n")));
    files.push(skill("skills/last-word/SKILL.md", called));
    files
}

/// The plugin that calls our hooks, with commands and a skill.
pub(crate) fn opencode(called: Called<'_>) -> Vec<FormFile> {
    let mut files = commands("commands", "$ARGUMENTS", called);
    let text = OPENCODE
        .replace("const program = \"last-word\"", &format!("const program = {}", json!(called.program)))
        .replace("const home = []", &format!("const home = {}", json!(["--home", called.home])));
    files.push(file("plugins/last-word.js", text));
    files.push(skill("skills/last-word/SKILL.md", called));
    files
}

/// A command's description, and its prompt.
fn parts(text: &str) -> (String, String) {
    let about = text.lines().find_map(|line| line.strip_prefix("description: ")).unwrap_or_default();
    let prompt = text.splitn(3, "---\n").nth(2).unwrap_or_default();
    (about.to_owned(), prompt.trim().to_owned())
}
