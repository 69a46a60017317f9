//! Puts our hooks into an agent's configuration and takes them out again. The text is edited, so that foreign hooks,
//! comments and the order of keys stay. A file that cannot be parsed is refused; nothing is guessed.

use crate::wiring::{Hook, HookNesting, RulesList, Wiring};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};
use std::borrow::Cow;

/// What the configuration is to say.
#[derive(Debug, Clone)]
pub struct WantedHooks<'a> {
    /// Where and how.
    pub wiring: &'a Wiring,
    /// The command line of our hook.
    pub command: &'a str,
    /// The words that identify a command line of ours, whatever its path and flags: `hook --agent codex`.
    pub mark: &'a str,
    /// The commands the agent may run without asking, where it has a list of those: `last-word plan` ….
    pub allowed: &'a [String],
    /// The commands it may not run, where it has a list of those: `last-word review` ….
    pub denied: &'a [String],
    /// The files it may not write, as its rules name them.
    pub denied_files: &'a [String],
    /// Whether it is a project's file.
    pub project: bool,
}

/// The configuration with our hooks in it; the text itself when they are there already.
///
/// # Errors
/// Why it cannot be edited.
pub fn wire(text: &str, wanted: &WantedHooks<'_>) -> Result<String, String> {
    let (mark, text) = byte_order(text);
    Ok(mark.to_owned() + &wire_json(text, wanted)?)
}

fn wire_json(text: &str, wanted: &WantedHooks<'_>) -> Result<String, String> {
    let root = parse(text)?;
    let top = root.object_value_or_create().ok_or("it is no object")?;
    if is_wired(&top, wanted)? {
        return Ok(text.to_owned());
    }
    let said = comments(root.children());
    remove_ours(&top, wanted)?;
    for (key, number) in wanted.wiring.top {
        if top.get(key).is_none() {
            top.append(key, CstInputValue::Number(number.to_string()));
        }
    }
    let hooks = object_at(&top, "hooks").ok_or("`hooks` is no object")?;
    for hook in wanted.wiring.hooks {
        let list = list_in(&hooks, hook.event);
        let list = list.ok_or_else(|| format!("`hooks.{}` is no list", hook.event))?;
        list.ensure_multiline();
        list.append(entry(hook, wanted));
    }
    for (keys, rules) in rules(wanted) {
        let list = list_at(&top, keys)?;
        if list.elements().is_empty() {
            list.ensure_multiline();
        }
        let there = texts_at(&top, keys);
        for rule in rules.into_iter().filter(|rule| !there.contains(rule)) {
            list.append(CstInputValue::String(rule));
        }
    }
    Ok(with_comments(said, &root))
}

/// The configuration without our hooks; `None` when nothing would be left of it.
///
/// # Errors
/// Why it cannot be edited.
pub fn unwire(text: &str, wanted: &WantedHooks<'_>) -> Result<Option<String>, String> {
    let (mark, text) = byte_order(text);
    Ok(unwire_json(text, wanted)?.map(|left| mark.to_owned() + &left))
}

/// The mark of the byte order before a text, which is no part of it, and the text.
pub(crate) fn byte_order(text: &str) -> (&str, &str) {
    let rest = text.trim_start_matches('\u{feff}');
    text.split_at(text.len() - rest.len())
}

fn unwire_json(text: &str, wanted: &WantedHooks<'_>) -> Result<Option<String>, String> {
    let root = parse(text)?;
    let Some(top) = root.object_value() else { return Err("it is no object".to_owned()) };
    let said = comments(root.children());
    if !remove_ours(&top, wanted)? {
        return Ok(Some(text.to_owned()));
    }
    let ours_alone = |name: &str| wanted.wiring.top.iter().any(|(key, _)| *key == name);
    let left =
        top.properties().into_iter().any(|prop| !prop.decoded_name().is_some_and(|name| ours_alone(&name)));
    Ok((left || !said.is_empty()).then(|| with_comments(said, &root)))
}

pub(crate) fn parse(text: &str) -> Result<CstRootNode, String> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let root = CstRootNode::parse(text, &options).map_err(|e| e.to_string())?;
    if let Some(top) = root.object_value() {
        no_twins(&top, "")?;
        if let Some(hooks) = top.object_value("hooks") {
            no_twins(&hooks, "hooks.")?;
        }
    }
    Ok(root)
}

/// Refuses a field that stands twice in one object: programs differ in which of the two counts, so its author must remove
/// one.
fn no_twins(object: &CstObject, at: &str) -> Result<(), String> {
    let names: Vec<String> = object.properties().iter().filter_map(|prop| prop.decoded_name()).collect();
    let twin = names.iter().enumerate().find(|(n, name)| names[..*n].contains(name));
    twin.map_or(Ok(()), |(_, name)| Err(format!("`{at}{name}` is there twice")))
}

fn entry(hook: &Hook, wanted: &WantedHooks<'_>) -> CstInputValue {
    let (timeout, number) = wanted.wiring.timeout.field(hook.timeout_s);
    let text = |text: &str| CstInputValue::String(text.to_owned());
    let mut handler = vec![("type".to_owned(), text("command"))];
    handler.extend(wanted.wiring.shown_as.map(|name| ("name".to_owned(), text(name))));
    handler.extend([
        ("command".to_owned(), text(wanted.command)),
        (timeout.to_owned(), CstInputValue::Number(number.to_string())),
    ]);
    let matcher = hook.matcher.map(|matcher| ("matcher".to_owned(), text(matcher)));
    match wanted.wiring.nesting {
        HookNesting::Grouped => {
            let list = ("hooks".to_owned(), CstInputValue::Array(vec![CstInputValue::Object(handler)]));
            CstInputValue::Object(matcher.into_iter().chain([list]).collect())
        }
        HookNesting::Flat => {
            handler.extend(matcher);
            CstInputValue::Object(handler)
        }
    }
}

/// The lists of rules, each by the keys that lead to it, with what is to stand in it.
fn rules(wanted: &WantedHooks<'_>) -> Vec<(&'static [&'static str], Vec<String>)> {
    let around = |(before, after): (&str, &str), words: &[String]| {
        words.iter().map(|words| format!("{before}{words}{after}")).collect::<Vec<_>>()
    };
    let allow = wanted.wiring.allow.map(|allow| (allow.keys, around(allow.around, wanted.allowed)));
    let deny = wanted.wiring.deny.map(|deny| {
        let files = deny.file.map(|file| around(file, wanted.denied_files)).unwrap_or_default();
        (deny.keys, [around(deny.command, wanted.denied), files].concat())
    });
    let listed = listed(wanted).map(|list| (list.keys, [list.usual, list.file].map(str::to_owned).to_vec()));
    allow.into_iter().chain(deny).chain(listed).collect()
}

/// The list of files of rules in which ours has to be.
fn listed(wanted: &WantedHooks<'_>) -> Option<RulesList> {
    wanted.wiring.rules?.listed.filter(|_| wanted.project)
}

/// Whether a rule is one of these, or says the same of another home: one home is wired at a time.
/// A rule that denies a command in all its forms (`resolve`) is one that an earlier version wrote, where we name the forms.
fn is_of(rules: &[String], rule: &str) -> bool {
    let rule = without_home(rule);
    let whole = [":*)", " *)"].iter().find_map(|end| rule.strip_suffix(end)).map(|head| format!("{head} --"));
    let is_earlier = |own: &str| whole.as_ref().is_some_and(|head| own.starts_with(head.as_str()));
    rules.iter().map(|own| without_home(own)).any(|own| own == rule || is_earlier(&own))
}

/// A rule without the home that its command names.
fn without_home(rule: &str) -> Cow<'_, str> {
    const OPTION: &str = " --home ";
    let Some((before, rest)) = rule.split_once(OPTION) else { return Cow::Borrowed(rule) };
    let mut quoted = false;
    let mut escaped = false;
    let ends = |c: char| {
        let ends = c == ' ' && !quoted && !escaped;
        quoted ^= c == '\'' && !escaped;
        escaped = c == '\\' && !quoted && !escaped;
        ends
    };
    rest.find(ends).map_or(Cow::Borrowed(rule), |end| Cow::Owned(format!("{before}{}", &rest[end..])))
}

/// Whether exactly our hooks are there, and our rules.
fn is_wired(top: &CstObject, wanted: &WantedHooks<'_>) -> Result<bool, String> {
    let mut found = 0;
    for (event, handler, matcher) in ours(top, wanted)? {
        let Some(hook) = wanted.wiring.hooks.iter().find(|hook| hook.event == event) else {
            return Ok(false);
        };
        let (timeout, number) = wanted.wiring.timeout.field(hook.timeout_s);
        let same_timeout = handler
            .get(timeout)
            .and_then(|prop| prop.value())
            .is_some_and(|value| value.to_string() == number.to_string());
        let named =
            wanted.wiring.shown_as.is_none_or(|name| text_of(&handler, "name").as_deref() == Some(name));
        let same = named && text_of(&handler, "command").as_deref() == Some(wanted.command);
        if !same || !same_timeout || matcher.as_deref() != hook.matcher {
            return Ok(false);
        }
        found += 1;
    }
    let has = |(keys, rules): &(&[&str], Vec<String>)| {
        let list = texts_at(top, keys);
        rules.iter().all(|rule| list.contains(rule))
    };
    let rules = rules(wanted);
    let of_another_home = |(keys, rules): &(&[&str], Vec<String>)| {
        texts_at(top, keys).iter().any(|text| !rules.contains(text) && is_of(rules, text))
    };
    let allowed = rules.iter().all(has) && !rules.iter().any(of_another_home);
    Ok(found == wanted.wiring.hooks.len() && allowed)
}

/// Our handlers with their event and matcher.
fn ours(
    top: &CstObject,
    wanted: &WantedHooks<'_>,
) -> Result<Vec<(String, CstObject, Option<String>)>, String> {
    let mut found = Vec::new();
    for (event, list) in events(top)? {
        for group in list.elements().iter().filter_map(CstNode::as_object) {
            let matcher = text_of(&group, "matcher");
            for handler in handlers(&group) {
                if is_ours(&handler, wanted) {
                    found.push((event.clone(), handler, matcher.clone()));
                }
            }
        }
    }
    Ok(found)
}

fn events(top: &CstObject) -> Result<Vec<(String, CstArray)>, String> {
    let Some(prop) = top.get("hooks").filter(|prop| !is_null(prop)) else { return Ok(Vec::new()) };
    let hooks = prop.object_value().ok_or("`hooks` is no object")?;
    let list = |prop: CstObjectProp| {
        let name = prop.decoded_name()?;
        Some((name, prop.array_value()?))
    };
    Ok(hooks.properties().into_iter().filter_map(list).collect())
}

/// The handlers of a group. In a flat list each entry is a handler itself.
fn handlers(group: &CstObject) -> Vec<CstObject> {
    match group.array_value("hooks") {
        Some(list) => list.elements().iter().filter_map(CstNode::as_object).collect(),
        None => vec![group.clone()],
    }
}

/// Whether a handler is ours: it names our program and has the mark, whatever its path and flags. Under another program
/// name only exactly the line that we would write now counts, because another program may have a verb like ours.
fn is_ours(handler: &CstObject, wanted: &WantedHooks<'_>) -> bool {
    let command = ["command", "bash"].iter().find_map(|name| text_of(handler, name));
    command.is_some_and(|command| {
        let named = command.contains("last-word") && command.trim_end().ends_with(wanted.mark);
        named || command == wanted.command
    })
}

/// Removes our handlers, then the groups and events that are empty without them. Says whether there were any.
fn remove_ours(top: &CstObject, wanted: &WantedHooks<'_>) -> Result<bool, String> {
    let mut removed = false;
    for (event, list) in events(top)? {
        let mut from_here = false;
        for group in list.elements().iter().filter_map(CstNode::as_object) {
            let all = handlers(&group);
            let ours: Vec<CstObject> =
                all.iter().filter(|handler| is_ours(handler, wanted)).cloned().collect();
            from_here |= !ours.is_empty();
            if !ours.is_empty() && ours.len() == all.len() && comments(group.children()).is_empty() {
                group.remove();
            } else {
                ours.into_iter().for_each(CstObject::remove);
            }
        }
        removed |= from_here;
        if from_here {
            remove_if_empty(top, &["hooks", &event]);
        }
    }
    if removed {
        remove_if_empty(top, &["hooks"]);
    }
    for (keys, texts) in rules(wanted) {
        let list = array_at(top, keys);
        let is_rule = |node: &CstNode| {
            let text = node.as_string_lit().and_then(|lit| lit.decoded_value().ok());
            text.is_some_and(|text| is_of(&texts, &text))
        };
        let all = list.iter().flat_map(|list| list.elements());
        let (mut ours, others): (Vec<CstNode>, Vec<CstNode>) = all.partition(is_rule);
        if let Some(list) = listed(wanted).filter(|list| list.keys == keys && !others.is_empty()) {
            // Without it, a person's other files of rules would stand in for the usual ones.
            let is_usual = |node: &CstNode| {
                node.as_string_lit().and_then(|lit| lit.decoded_value().ok()).as_deref() == Some(list.usual)
            };
            ours.retain(|node| !is_usual(node));
        }
        removed |= !ours.is_empty();
        if !ours.is_empty() {
            ours.into_iter().for_each(CstNode::remove);
            remove_if_empty(top, keys);
        }
    }
    Ok(removed)
}

/// Removes the value at these keys if it holds nothing but white space, and then each object around it that became empty. A
/// value with a comment in it or on its line stays: the comment is a person's.
pub(crate) fn remove_if_empty(top: &CstObject, keys: &[&str]) {
    for depth in (1..=keys.len()).rev() {
        let (last, before) = match keys[..depth].split_last() {
            Some(split) => split,
            None => return,
        };
        let parent = before.iter().try_fold(top.clone(), |object, key| object.object_value(key));
        let Some(prop) = parent.and_then(|parent| parent.get(last)) else { return };
        let empty = prop.object_value().is_some_and(|object| is_blank(&object.children()))
            || prop.array_value().is_some_and(|list| is_blank(&list.children()));
        if !empty || has_comment_beside(&prop) {
            return;
        }
        prop.remove();
    }
}

/// Whether nothing but white space is between the brackets.
fn is_blank(children: &[CstNode]) -> bool {
    children.iter().all(|node| node.is_token() || node.is_whitespace() || node.is_newline())
}

fn has_comment_beside(prop: &CstObjectProp) -> bool {
    let on_line = |node: &CstNode| !node.is_newline() && (node.is_trivia() || node.is_comma());
    let mut before = prop.previous_siblings().take_while(|node| on_line(node) && !node.is_comma());
    let mut after = prop.next_siblings().take_while(on_line);
    before.any(|node| node.is_comment()) || after.any(|node| node.is_comment())
}

/// The comments in there, in their order.
pub(crate) fn comments(nodes: Vec<CstNode>) -> Vec<String> {
    let of = |node: CstNode| match node.as_comment() {
        Some(comment) => vec![comment.raw_value().trim_end().to_owned()],
        None => comments(node.children()),
    };
    nodes.into_iter().flat_map(of).collect()
}

/// The text. A comment that was removed because it stood in something of ours, or on its line, is put at the end.
pub(crate) fn with_comments(mut said: Vec<String>, root: &CstRootNode) -> String {
    for kept in comments(root.children()) {
        if let Some(at) = said.iter().position(|comment| *comment == kept) {
            said.remove(at);
        }
    }
    said.into_iter().fold(ended(root.to_string()), |text, lost| text + &lost + "\n")
}

fn list_at(top: &CstObject, keys: &[&str]) -> Result<CstArray, String> {
    let wrong = || format!("`{}` is no list", keys.join("."));
    let (last, before) = keys.split_last().ok_or_else(wrong)?;
    let parent = before.iter().try_fold(top.clone(), |object, key| object_at(&object, key));
    parent.and_then(|parent| list_in(&parent, last)).ok_or_else(wrong)
}

/// The object at this key, made where it is missing or `null`.
pub(crate) fn object_at(parent: &CstObject, key: &str) -> Option<CstObject> {
    if let Some(prop) = parent.get(key).filter(is_null) {
        prop.set_value(CstInputValue::Object(Vec::new()));
    }
    parent.object_value_or_create(key)
}

fn list_in(parent: &CstObject, key: &str) -> Option<CstArray> {
    if let Some(prop) = parent.get(key).filter(is_null) {
        prop.set_value(CstInputValue::Array(Vec::new()));
    }
    parent.array_value_or_create(key)
}

fn is_null(prop: &CstObjectProp) -> bool {
    prop.value().is_some_and(|value| value.as_null_keyword().is_some())
}

fn array_at(top: &CstObject, keys: &[&str]) -> Option<CstArray> {
    let (last, before) = keys.split_last()?;
    let parent = before.iter().try_fold(top.clone(), |object, key| object.object_value(key))?;
    parent.array_value(last)
}

fn texts_at(top: &CstObject, keys: &[&str]) -> Vec<String> {
    let list = array_at(top, keys).map(|list| list.elements()).unwrap_or_default();
    list.iter().filter_map(|node| node.as_string_lit()?.decoded_value().ok()).collect()
}

fn text_of(object: &CstObject, name: &str) -> Option<String> {
    object.get(name)?.value()?.as_string_lit()?.decoded_value().ok()
}

/// The text with a line end at its end.
fn ended(text: String) -> String {
    if text.ends_with('\n') { text } else { text + "\n" }
}
