//! Puts our server of the Model Context Protocol into an agent's settings and takes it out again. The text is edited, so
//! that foreign servers, comments and the order of keys stay. What cannot be understood is refused.

use crate::configure::{byte_order, comments, object_at, parse, remove_if_empty, with_comments};
use jsonc_parser::cst::{CstInputValue, CstObject};

/// The name under which an agent lists us.
const NAME: &str = "last-word";
const BEGIN: &str = "# last-word:begin\n";
const END: &str = "# last-word:end\n";

/// Where an agent lists the servers it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerList {
    /// The user's file, below the home directory.
    pub user: &'static str,
    /// A variable that names another directory for it, and the file in that directory.
    pub variable: Option<(&'static str, &'static str)>,
    /// A project's file, below its root.
    pub project: &'static str,
    /// How servers are listed in it.
    pub form: ListForm,
}

/// An editor that is no agent of ours and only lists servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EditorServers {
    /// Its name on our command line.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Where it lists them.
    pub servers: ServerList,
}

/// Below the home directory, where VS Code keeps what a user set.
const VSCODE: &str = if cfg!(target_os = "macos") {
    "Library/Application Support/Code/User/mcp.json"
} else {
    ".config/Code/User/mcp.json"
};
/// The editors that take a server.
pub static EDITORS: [EditorServers; 1] = [EditorServers {
    name: "vscode",
    title: "VS Code",
    servers: ServerList {
        user: VSCODE,
        variable: Some(("XDG_CONFIG_HOME", "Code/User/mcp.json")),
        project: ".vscode/mcp.json",
        form: ListForm::TypedJson("servers"),
    },
}];

/// How servers are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListForm {
    /// JSON, an object for each under this key.
    Json(&'static str),
    /// JSON, where each says what kind it is.
    TypedJson(&'static str),
    /// JSON, where each has a kind (`local`), its program and arguments in one list, and says that it is on.
    CommandJson(&'static str),
    /// TOML, a table `[mcp_servers.NAME]` for each.
    Toml,
}

/// The settings with our server, which is started by these words; the text itself when it is there already.
///
/// # Errors
/// Why they cannot be edited.
pub fn with_server(text: &str, form: ListForm, words: &[String]) -> Result<String, String> {
    let (mark, text) = byte_order(text);
    let wired = match form {
        ListForm::Json(key) | ListForm::TypedJson(key) | ListForm::CommandJson(key) => {
            with_object(text, key, form, words)
        }
        ListForm::Toml => with_table(text, words),
    };
    Ok(mark.to_owned() + &wired?)
}

/// The settings without our server; `None` when nothing would be left of them.
///
/// # Errors
/// Why they cannot be edited.
pub fn without_server(text: &str, form: ListForm) -> Result<Option<String>, String> {
    let (mark, text) = byte_order(text);
    let left = match form {
        ListForm::Json(key) | ListForm::TypedJson(key) | ListForm::CommandJson(key) => {
            without_object(text, key)?
        }
        ListForm::Toml => {
            let left = match table(text)? {
                None => text.to_owned(),
                Some((before, after)) => {
                    let before =
                        before.strip_suffix('\n').filter(|kept| kept.ends_with('\n')).unwrap_or(before);
                    format!("{before}{after}")
                }
            };
            Some(left).filter(|left| !left.is_empty())
        }
    };
    Ok(left.map(|left| mark.to_owned() + &left))
}

/// Whether settings list our server.
#[must_use]
pub fn has_server(text: &str, form: ListForm) -> bool {
    match form {
        ListForm::Json(key) | ListForm::TypedJson(key) | ListForm::CommandJson(key) => {
            parse(byte_order(text).1)
                .ok()
                .and_then(|root| root.object_value()?.object_value(key)?.object_value(NAME))
                .is_some()
        }
        ListForm::Toml => matches!(table(text), Ok(Some(_))),
    }
}

fn with_object(text: &str, key: &str, form: ListForm, words: &[String]) -> Result<String, String> {
    let root = parse(text)?;
    let top = root.object_value_or_create().ok_or("it is no object")?;
    let servers = object_at(&top, key).ok_or_else(|| format!("`{key}` is no object"))?;
    let fields = fields(form, words).ok_or("there is no command")?;
    // What somebody added to our server, such as variables, stays.
    if let Some(server) = servers.object_value(NAME) {
        if is_same(&server, form, words) {
            return Ok(text.to_owned());
        }
        for (name, value) in fields {
            match server.get(name) {
                Some(prop) => prop.set_value(value),
                None => drop(server.append(name, value)),
            }
        }
    } else if servers.get(NAME).is_some() {
        return Err(format!("`{key}.{NAME}` is no object"));
    } else {
        let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        servers.append(NAME, CstInputValue::Object(fields));
    }
    Ok(with_comments(Vec::new(), &root))
}

/// The fields of our server.
fn fields(form: ListForm, words: &[String]) -> Option<Vec<(&'static str, CstInputValue)>> {
    let text_value = |text: &str| CstInputValue::String(text.to_owned());
    let list = |words: &[String]| CstInputValue::Array(words.iter().map(|word| text_value(word)).collect());
    let (program, args) = words.split_first()?;
    let kind = kind(form).map(|kind| ("type", text_value(kind)));
    let rest = if matches!(form, ListForm::CommandJson(_)) {
        [("command", list(words)), ("enabled", CstInputValue::Bool(true))]
    } else {
        [("command", text_value(program)), ("args", list(args))]
    };
    Some(kind.into_iter().chain(rest).collect())
}

/// What a server of this kind is called, where that is said.
fn kind(form: ListForm) -> Option<&'static str> {
    match form {
        ListForm::TypedJson(_) => Some("stdio"),
        ListForm::CommandJson(_) => Some("local"),
        ListForm::Json(_) | ListForm::Toml => None,
    }
}

/// Whether it is started by these words already. Where a person switched it off, it stays off.
fn is_same(server: &CstObject, form: ListForm, words: &[String]) -> bool {
    let text = |name: &str| server.get(name)?.value()?.as_string_lit()?.decoded_value().ok();
    let list = |name: &str| {
        let nodes = server.array_value(name).map(|list| list.elements()).unwrap_or_default();
        nodes.iter().filter_map(|node| node.as_string_lit()?.decoded_value().ok()).collect::<Vec<String>>()
    };
    let said: Vec<String> = match form {
        ListForm::CommandJson(_) => list("command"),
        _ => text("command").into_iter().chain(list("args")).collect(),
    };
    said == words && kind(form).is_none_or(|kind| text("type").as_deref() == Some(kind))
}

fn without_object(text: &str, key: &str) -> Result<Option<String>, String> {
    let root = parse(text)?;
    let Some(top) = root.object_value() else { return Err("it is no object".to_owned()) };
    let Some(server) = top.object_value(key).and_then(|servers| servers.get(NAME)) else {
        return Ok(Some(text.to_owned()));
    };
    let said = comments(root.children());
    server.remove();
    remove_if_empty(&top, &[key]);
    let left = !top.properties().is_empty() || !said.is_empty();
    Ok(left.then(|| with_comments(said, &root)))
}

fn with_table(text: &str, words: &[String]) -> Result<String, String> {
    let (program, args) = words.split_first().ok_or("there is no command")?;
    let quoted: Vec<String> = args.iter().map(|word| toml_text(word)).collect();
    let block = format!(
        "{BEGIN}[mcp_servers.{NAME}]\ncommand = {}\nargs = [{}]\n{END}",
        toml_text(program),
        quoted.join(", ")
    );
    if let Some((before, after)) = table(text)? {
        return Ok(format!("{before}{block}{after}"));
    }
    // A table that somebody wrote by hand is theirs.
    let is_theirs = |line: &str| {
        let line: String = line.chars().filter(|c| !c.is_whitespace() && *c != '"' && *c != '\'').collect();
        line.starts_with(&format!("[mcp_servers.{NAME}]")) || line.starts_with("mcp_servers=")
    };
    if let Some(line) = text.lines().find(|line| is_theirs(line)) {
        return Err(format!("it has `{}`, which is not ours", line.trim()));
    }
    let apart = match text {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    Ok(format!("{text}{apart}{block}"))
}

/// The text before our table and the text after it.
fn table(text: &str) -> Result<Option<(&str, &str)>, String> {
    let Some(at) = text.find(BEGIN) else { return Ok(None) };
    let (before, rest) = text.split_at(at);
    match rest.find(END) {
        Some(end) => Ok(Some((before, &rest[end + END.len()..]))),
        None => Err(format!("`{}` has no `{}`", BEGIN.trim(), END.trim())),
    }
}

fn toml_text(text: &str) -> String {
    let escaped: String = text
        .chars()
        .map(|c| match c {
            '"' => "\\\"".to_owned(),
            '\\' => "\\\\".to_owned(),
            c if c.is_control() => format!("\\u{:04x}", u32::from(c)),
            c => c.to_string(),
        })
        .collect();
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn foreign_servers_and_comments_stay() {
        let text = "{\n  // mine\n  \"mcpServers\": {\n    \"other\": { \"command\": \"x\" }\n  },\n  \"model\": \"opus\"\n}\n";
        let wired =
            with_server(text, ListForm::Json("mcpServers"), &words(&["/opt/last-word", "mcp"])).unwrap();
        assert!(wired.contains("\"other\": { \"command\": \"x\" }") && wired.contains("// mine"), "{wired}");
        assert!(
            has_server(&wired, ListForm::Json("mcpServers"))
                && !has_server(text, ListForm::Json("mcpServers"))
        );
        let again =
            with_server(&wired, ListForm::Json("mcpServers"), &words(&["/opt/last-word", "mcp"])).unwrap();
        assert_eq!(again, wired, "twice is once");
        let moved = with_server(&wired, ListForm::Json("mcpServers"), &words(&["last-word", "mcp"])).unwrap();
        assert!(!moved.contains("/opt") && moved.matches("\"last-word\"").count() == 2, "{moved}");
        assert_eq!(without_server(&wired, ListForm::Json("mcpServers")).unwrap().as_deref(), Some(text));
    }

    #[test]
    fn what_somebody_added_to_our_server_stays() {
        let text =
            "{ \"servers\": { \"last-word\": { \"command\": \"old\", \"env\": { \"HOME\": \"/h\" } } } }\n";
        let wired = with_server(text, ListForm::TypedJson("servers"), &words(&["new", "mcp"])).unwrap();
        assert!(wired.contains("\"env\": { \"HOME\": \"/h\" }") && wired.contains("\"stdio\""), "{wired}");
        assert!(!wired.contains("old"), "{wired}");
    }

    #[test]
    fn a_command_may_be_one_list() {
        let form = ListForm::CommandJson("mcp");
        let text = "{\n  \"model\": \"m\"\n}\n";
        let wired = with_server(text, form, &words(&["/opt/last-word", "mcp"])).unwrap();
        let value: serde_json::Value = serde_json::from_str(&wired).unwrap();
        let server =
            serde_json::json!({ "type": "local", "command": ["/opt/last-word", "mcp"], "enabled": true });
        assert_eq!(value["mcp"]["last-word"], server);
        assert_eq!(
            with_server(&wired, form, &words(&["/opt/last-word", "mcp"])).unwrap(),
            wired,
            "twice is once"
        );
        let off = wired.replace("true", "false");
        assert_eq!(
            with_server(&off, form, &words(&["/opt/last-word", "mcp"])).unwrap(),
            off,
            "off stays off"
        );
        assert_eq!(without_server(&wired, form).unwrap().as_deref(), Some(text));
    }

    #[test]
    fn a_table_is_a_block_at_the_end() {
        let form = ListForm::Toml;
        for text in ["", "model = \"o\"\n", "model = \"o\"", "[mcp_servers.other]\ncommand = \"x\"\n\n"] {
            let wired = with_server(text, form, &words(&["/a \"b\"/last-word", "mcp"])).unwrap();
            assert!(
                wired.starts_with(text) && wired.contains("command = \"/a \\\"b\\\"/last-word\""),
                "{wired}"
            );
            assert_eq!(with_server(&wired, form, &words(&["/a \"b\"/last-word", "mcp"])).unwrap(), wired);
            let left = without_server(&wired, form).unwrap().unwrap_or_default();
            // A last line without a line end gets one.
            assert_eq!(left.trim_end_matches('\n'), text.trim_end_matches('\n'));
            let more = format!("{wired}[after]\n");
            assert!(without_server(&more, form).unwrap().unwrap().ends_with("[after]\n"));
        }
        for theirs in ["[mcp_servers.last-word]\n", "[ mcp_servers . \"last-word\" ]\n", "mcp_servers = {}\n"]
        {
            assert!(with_server(theirs, form, &words(&["last-word", "mcp"])).is_err(), "{theirs}");
        }
        assert!(without_server("# last-word:begin\n", form).is_err());
    }

    #[test]
    fn what_is_no_list_of_servers_is_refused() {
        for text in ["[]", "{ \"mcpServers\": [] }", "{ \"mcpServers\": { \"last-word\": 7 } }", "{"] {
            assert!(with_server(text, ListForm::Json("mcpServers"), &words(&["x"])).is_err(), "{text}");
        }
    }
}
