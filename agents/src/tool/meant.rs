//! What a server's tool does by its name, as the line of a shell that does the same: git's commands, a directory that is copied, a
//! command in a container; and the files that a replacement in many files reaches.

use super::names::{own_words, words_of};
use super::{ARGS, FOLDERS, PATHS, fields_with, is_relative, quoted, texts_in};
use crate::fields;
use serde_json::Value;

/// Fields in which the directory of a repository stands.
const REPOSITORIES: [&str; 12] = [
    "repo_path",
    "repoPath",
    "repository_path",
    "repository",
    "repo",
    "workdir",
    "working_dir",
    "working_directory",
    "directory",
    "cwd",
    "path",
    "dir",
];
/// Git's commands that change files.
const VERBS: [&str; 9] =
    ["reset", "restore", "checkout", "stash", "clean", "switch", "rm", "apply", "discard"];
const WORDS_MAX: usize = 64;

/// The lines that say the same; none for most tools.
pub(super) fn lines(
    name: &str,
    input: &Value,
    joined: Option<char>,
    command: Option<&str>,
) -> Option<String> {
    let found = [by_git(name, input, joined, command), copied(name, input, joined), in_container(input)];
    found.into_iter().flatten().reduce(|all, one| format!("{all}\n{one}"))
}

/// Whether a tool only tells git of files: `git_add`, `git_commit`.
pub(super) fn only_adds(name: &str, joined: Option<char>) -> bool {
    let own = own_words(name, joined);
    is_of_git(name)
        && own
            .iter()
            .all(|word| matches!(word.as_str(), "" | "git" | "add" | "stage" | "files" | "commit" | "and"))
        && own.iter().any(|word| matches!(word.as_str(), "add" | "stage" | "commit"))
}

fn is_of_git(name: &str) -> bool {
    words_of(name).iter().any(|word| word == "git")
}

/// `git_reset {repo_path, mode: "hard"}`, `run_git {command: "reset --hard"}`
fn by_git(name: &str, input: &Value, joined: Option<char>, command: Option<&str>) -> Option<String> {
    if !is_of_git(name) {
        return None;
    }
    let dir =
        fields::text(input, &REPOSITORIES).map(|dir| format!("-C {} ", quoted(&dir))).unwrap_or_default();
    let told = command.into_iter().flat_map(str::lines).filter(|line| !line.trim_start().starts_with("git "));
    let told = told.take(WORDS_MAX).map(|line| format!("git {dir}{line}"));
    let own = own_words(name, joined);
    let verb = VERBS.into_iter().find(|verb| own.iter().any(|word| word == verb));
    let by_name = verb.map(|verb| {
        let verb = if verb == "discard" { "restore" } else { verb };
        let mut words = words_for(verb, input);
        if verb == "restore" && words.iter().all(|word| word.starts_with('-')) {
            words.push(".".to_owned());
        }
        words.iter().fold(format!("git {dir}{verb}"), |line, word| format!("{line} {}", quoted(word)))
    });
    // `{args: ["reset", "--hard"]}`
    let lists = ARGS.iter().filter_map(|name| input.get(name)?.as_array()).filter(|_| command.is_none());
    let listed = lists.map(|list| {
        let words = list.iter().filter_map(Value::as_str).map(|word| format!(" {}", quoted(word)));
        format!("git {dir}{}", words.collect::<String>())
    });
    told.chain(by_name).chain(listed).reduce(|all, one| format!("{all}\n{one}"))
}

/// The words that fields of an input stand for behind a command of git: options, modes, paths. What is said is none.
fn words_for(verb: &str, input: &Value) -> Vec<String> {
    const SAID: [&str; 6] = ["message", "description", "reason", "author", "title", "source"];
    let mut words = Vec::new();
    for (field, value) in input.as_object().into_iter().flatten().take(WORDS_MAX) {
        let is_mode = words_of(field).last().is_some_and(|word| word == "mode");
        if REPOSITORIES.contains(&field.as_str()) || SAID.contains(&field.as_str()) {
            continue;
        }
        match value {
            Value::Bool(true) => {
                let name: Vec<String> = words_of(field).into_iter().filter(|word| !word.is_empty()).collect();
                words.push(format!("--{}", name.join("-")));
            }
            Value::String(mode) if is_mode && verb == "reset" => {
                words.push(format!("--{}", mode.trim_start_matches('-')));
            }
            value => {
                words.extend(texts_in(value, 0).into_iter().filter(|text| !text.is_empty()).take(WORDS_MAX))
            }
        }
    }
    // What is done stands first: `stash push PATH`.
    words.sort_by_key(|word| {
        !matches!(word.as_str(), "push" | "save" | "pop" | "apply" | "list" | "drop" | "show")
    });
    words
}

/// `run_container {image, command, volumes}`: a line of `docker run`.
fn in_container(input: &Value) -> Option<String> {
    const WITHIN: [&str; 3] = ["host_config", "hostConfig", "HostConfig"];
    const DIRS: [&str; 7] = [
        "working_dir",
        "workdir",
        "workingDir",
        "WorkingDir",
        "working_directory",
        "workingDirectory",
        "cwd",
    ];
    let within = WITHIN.iter().filter_map(|name| input.get(name));
    let mounts: Vec<String> = std::iter::once(input).chain(within).flat_map(mounts).take(WORDS_MAX).collect();
    if mounts.is_empty() {
        return None;
    }
    let words = ["entrypoint", "Entrypoint", "command", "cmd", "Cmd", "args", "script"].iter();
    let words = words.filter_map(|name| match input.get(name)? {
        Value::String(line) => Some(format!(" sh -c {}", quoted(line))),
        Value::Array(list) => {
            Some(list.iter().filter_map(Value::as_str).map(|word| format!(" {}", quoted(word))).collect())
        }
        _ => None,
    });
    let words: String = words.collect();
    let dir = fields::text(input, &DIRS).map(|dir| format!(" -w {}", quoted(&dir))).unwrap_or_default();
    let mounts: String = mounts.iter().map(|mount| format!(" -v {}", quoted(mount))).collect();
    Some(format!("docker run{mounts}{dir} image{words}"))
}

/// The directories of this machine that a container is given, as `docker run -v` writes them.
fn mounts(input: &Value) -> Vec<String> {
    const FIELDS: [&str; 9] = [
        "volumes",
        "volume",
        "binds",
        "Binds",
        "mounts",
        "Mounts",
        "bind_mounts",
        "bindMounts",
        "volume_mounts",
    ];
    let text = |value: &Value, names: &[&str]| {
        names.iter().find_map(|name| value.get(name)?.as_str()).map(str::to_owned)
    };
    let is_read_only = |value: &Value| {
        let says = |name: &&str| value.get(name).and_then(Value::as_bool) == Some(true);
        ["readonly", "read_only", "readOnly", "ReadOnly"].iter().any(says)
    };
    let of_object = |value: &Value| {
        let host = text(value, &["source", "Source", "src", "host", "hostPath", "host_path", "from"])?;
        let inside = ["target", "Target", "dst", "destination", "container", "containerPath"];
        let inside = text(value, &[&inside[..], &["container_path", "bind", "to"]].concat())?;
        Some(format!("{host}:{inside}{}", if is_read_only(value) { ":ro" } else { "" }))
    };
    let of_field = |(host, value): (&String, &Value)| {
        let mode = text(value, &["mode"]).map(|mode| format!(":{mode}")).unwrap_or_default();
        let inside = value.as_str().map(str::to_owned).or_else(|| text(value, &["bind", "target"]))?;
        Some(format!("{host}:{inside}{mode}"))
    };
    let one = |value: &Value| value.as_str().map(str::to_owned).or_else(|| of_object(value));
    let fields = FIELDS.iter().filter_map(|name| input.get(name));
    let found = fields.flat_map(|value| match value {
        Value::Array(list) => list.iter().filter_map(one).collect::<Vec<_>>(),
        Value::Object(fields) if of_object(value).is_none() => fields.iter().filter_map(of_field).collect(),
        Value::String(list) => list.split(',').map(|one| one.trim().to_owned()).collect(),
        value => one(value).into_iter().collect(),
    });
    found.filter(|mount| mount.contains(':')).collect()
}

/// `copy_directory {source, destination}`, `sync {source, target}`
fn copied(name: &str, input: &Value, joined: Option<char>) -> Option<String> {
    const COPYING: [&str; 5] = ["copy", "sync", "mirror", "cp", "rsync"];
    let own = own_words(name, joined);
    own.iter().find(|word| COPYING.contains(&word.as_str()))?;
    let from = fields_with(input, &["source", "src", "from"]).next()?.1;
    let to = fields_with(input, &["destination", "dest", "dst", "target", "to"]).next()?.1;
    Some(format!(
        "rsync -a {} {}",
        quoted(&format!("{}/", from.trim_end_matches('/'))),
        quoted(&format!("{}/", to.trim_end_matches('/')))
    ))
}

/// The patterns of files, each anywhere below its directory, in which a tool replaces a text.
pub(super) fn replaced_below(name: &str, input: &Value, joined: Option<char>) -> Vec<String> {
    const PATTERNS: [&str; 5] = ["pattern", "glob", "include", "files", "paths"];
    let own = own_words(name, joined);
    if !own.iter().any(|word| matches!(word.as_str(), "replace" | "substitute" | "sed")) {
        return Vec::new();
    }
    let of_fields = |words| fields_with(input, words).map(|(_, text)| text.to_owned());
    let lists = ["files", "paths", "include"].iter().filter_map(|name| input.get(name)?.as_array());
    let listed = lists.flatten().filter_map(Value::as_str).map(str::to_owned);
    let patterns: Vec<String> =
        of_fields(&PATTERNS).chain(listed).filter(|text| text.contains('*') && !text.contains(' ')).collect();
    // `from` and `to` are texts here.
    const KINDS: [&str; 4] = ["path", "file", "filepath", "uri"];
    let is_path = |name: &&&str| words_of(name).iter().any(|word| KINDS.contains(&word.as_str()));
    let named = PATHS.iter().filter(is_path).filter_map(|name| fields::text(input, &[name]));
    let named = named.filter(|path| !path.contains('*'));
    let mut dirs: Vec<String> = named.collect();
    if dirs.is_empty() {
        dirs = of_fields(&FOLDERS).collect();
    }
    if dirs.is_empty() && !patterns.is_empty() {
        dirs.push(".".to_owned());
    }
    let patterns = if patterns.is_empty() { vec!["*".to_owned()] } else { patterns };
    let below = dirs.iter().flat_map(|dir| {
        patterns.iter().map(move |pattern| {
            let pattern = pattern.replace("**/", "");
            if is_relative(&pattern) { format!("{dir}/{pattern}") } else { pattern }
        })
    });
    below.take(WORDS_MAX).collect()
}

/// The text that each of those files has in it, where it is told as it is.
pub(super) fn replaced_text(input: &Value) -> Option<String> {
    const SEARCHED: [&str; 8] =
        ["search", "find", "old", "old_text", "old_string", "query", "search_text", "pattern"];
    let says_more = |name: &String| {
        words_of(name)
            .iter()
            .any(|word| matches!(word.as_str(), "case" | "insensitive" | "regex" | "regexp" | "fuzzy"))
    };
    if input.as_object()?.keys().any(says_more) {
        return None;
    }
    let text = fields::text(input, &SEARCHED).filter(|text| !text.contains('*'))?;
    text.chars()
        .all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '/' | ':' | ','))
        .then_some(text)
}
