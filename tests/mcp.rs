//! `last-word mcp` as a client meets it: what is said is durable, found again and in the document with who said it; bad
//! frames, clients that vanish and servers that are killed lose nothing that was answered.

use crate::support::User;
use crate::support::mcp::{Client, WITH_HANDSHAKE};
use serde_json::{Value, json};
use std::fs;

/// A home with the knowledge base `facts` under this policy; its document.
fn with_facts(user: &User, policy: &str) -> std::path::PathBuf {
    let path = user.root().join("facts.md");
    user.configure(&format!(
        "version: 1\nknowledge_bases:\n  facts: {{ path: {}, policy: {policy} }}\nsession_bootstrap: []\n",
        path.display()
    ));
    path
}

fn remember(text: &str) -> Value {
    json!({ "entries": [{ "text": text }] })
}

fn id(said: &Value) -> String {
    said["id"].as_str().unwrap_or_else(|| panic!("no id: {said}")).to_owned()
}

#[test]
fn what_is_remembered_is_in_the_document_and_found_in_another_session() {
    let user = User::new();
    let facts = with_facts(&user, "auto");
    let mut client = Client::named(&user, "claude-code", "2.1.330");
    let said = client.done(
        "remember",
        json!({ "entries": [
            { "text": "Prefers tabs over spaces", "kind": "O", "tags": ["editor"], "confidence": 0.9, "reason": "said so" },
            { "text": "Deploys on Fridays", "kind": "W" },
        ] }),
    );
    let (tabs, fridays) = (&said["entries"][0], &said["entries"][1]);
    assert_eq!((&tabs["state"], &fridays["state"]), (&json!("durable"), &json!("durable")), "{said}");
    assert_eq!(user.counts()[0], 2, "both are in the queue");

    let outcomes = client.done("outcome", json!({}));
    let state = |outcomes: &Value, n: usize| outcomes["outcomes"][n]["state"].as_str().unwrap().to_owned();
    assert_eq!((state(&outcomes, 0), state(&outcomes, 1)), ("queued".into(), "queued".into()), "{outcomes}");
    let hits = client.done("recall", json!({ "query": "tabs or spaces" }));
    assert!(hits["hits"][0]["note"].as_str().unwrap().starts_with("not in the document yet"), "{hits}");

    user.run(["work"]).ok();
    let outcomes = client.done("outcome", json!({ "ids": [id(tabs)] }));
    assert_eq!(state(&outcomes, 0), "applied", "{outcomes}");
    let text = fs::read_to_string(&facts).unwrap();
    let line = text.lines().find(|line| line.contains("Prefers tabs")).unwrap();
    assert!(line.starts_with("- [O] Prefers tabs over spaces #editor <!-- lw "), "{line}");
    assert!(line.contains(" c=0.9 by=agent s=claude-code@2.1.330/"), "{line}");
    assert!(line.ends_with(&format!("^{}", tabs["item"].as_str().unwrap())), "{line}");
    let blame = user.json(["blame", "facts"]).to_string();
    assert!(blame.contains("claude-code@2.1.330"), "{blame}");
    assert!(client.goes().success());

    let mut other = Client::named(&user, "codex-mcp-client", "0.169.0");
    let hits = other.done("recall", json!({ "query": "tabs or spaces", "kind": "O" }));
    let hit = &hits["hits"][0];
    assert_eq!(hit["text"], json!("Prefers tabs over spaces #editor"), "{hits}");
    assert_eq!((&hit["by"], &hit["id"]), (&json!("agent"), &tabs["item"]), "{hits}");
    assert_eq!(other.done("outcome", json!({})), json!({ "outcomes": [] }), "it has said nothing itself");
    user.assert_clean();
}

#[test]
fn what_nobody_sees_in_a_document_is_written_out_for_a_model() {
    let user = User::new();
    let facts = with_facts(&user, "auto");
    fs::write(&facts, "# Facts\n\n- The quokka build needs tabs\u{e0072}\u{e0075}\u{202e}\u{1b}]0;x\u{7}\n")
        .unwrap();
    let mut client = Client::named(&user, "claude-code", "2.1.330");
    for (tool, takes) in [("recall", json!({ "query": "quokka" })), ("read", json!({ "document": "facts" }))]
    {
        let said = client.done(tool, takes);
        let told = said.to_string();
        assert!(told.contains("quokka build needs tabs\\\\u{e0072}"), "{tool}: {told}");
        assert!(
            !told.contains(|c: char| c == '\u{202e}' || c >= '\u{e0000}') && !told.contains("\\u001b"),
            "{told}"
        );
    }
}

/// U+0000 is refused where it is declared, for a reason of its own; in a document it is written out like any other.
#[test]
fn a_zero_byte_in_a_document_is_written_out() {
    let user = User::new();
    let facts = with_facts(&user, "auto");
    fs::write(&facts, "# Facts\n\n- The quokka likes\0tea\u{1}\n").unwrap();
    let mut client = Client::named(&user, "claude-code", "2.1.330");
    for (tool, takes) in [("recall", json!({ "query": "quokka" })), ("read", json!({ "document": "facts" }))]
    {
        let told = client.done(tool, takes).to_string();
        assert!(told.contains(r"likes\\u{0}tea\\u{1}") && !told.contains("\\u0000"), "{tool}: {told}");
    }
}

/// What is wrong with a call is said in its own words, but for a secret among them.
#[test]
fn no_error_repeats_a_secret() {
    let user = User::new();
    with_facts(&user, "auto");
    let mut client = Client::named(&user, "tests", "1");
    let secret = "AKIA2OGYBAH6QLPVXRNK";
    for (tool, takes) in [
        ("remember", json!({ "entries": [{ "text": "x", "kind": secret }] })),
        ("remember", json!({ "entries": [{ "text": "x", "kind": "W", "document": secret }] })),
        ("remember", json!({ "entries": [{ "text": "x", secret: "W" }] })),
        ("read", json!({ "document": secret })),
        ("read", json!({ "document": "facts", "heading": [secret] })),
        ("recall", json!({ "query": "x", "scope": [secret] })),
        ("revise", json!({ "operation": secret, "item": "k7m2q9xa", "text": "x" })),
        ("revise", json!({ "operation": "retire", "item": secret })),
        ("outcome", json!({ "ids": [secret] })),
    ] {
        let said = client.tool(tool, takes.clone()).to_string();
        assert!(!said.contains(secret), "{tool} {takes}: {said}");
    }
}

#[test]
fn an_item_is_revised_by_its_id_and_a_section_by_its_heading() {
    let user = User::new();
    let facts = with_facts(&user, "auto");
    fs::write(&facts, "# Facts\n\n## Team\n\nAnna leads.\n").unwrap();
    let mut client = Client::named(&user, "tests", "1");
    let said = client.done("remember", remember("Deploys on Fridays"));
    user.run(["work"]).ok();
    let item = said["entries"][0]["item"].as_str().unwrap().to_owned();
    let revised = json!({ "operation": "supersede", "item": item, "text": "Deploys on Mondays", "old_text": "Deploys on Fridays" });
    assert_eq!(client.done("revise", revised)["state"], json!("durable"));
    let section =
        json!({ "operation": "update", "document": "facts", "heading": ["Team"], "text": "Bea leads." });
    assert_eq!(client.done("revise", section)["state"], json!("durable"));
    user.run(["work"]).ok();
    let text = fs::read_to_string(&facts).unwrap();
    assert!(
        text.contains("- ~~Deploys on Fridays~~ <!--") && text.contains("- Deploys on Mondays <!--"),
        "{text}"
    );
    assert!(text.contains("## Team\n\nBea leads.\n"), "{text}");

    // What an agent reads has neither our comments nor what no longer holds.
    let read = client.done("read", json!({ "document": "facts" }));
    let shown = read["text"].as_str().unwrap();
    assert!(
        shown.contains("- Deploys on Mondays ^") && !shown.contains("<!--") && !shown.contains("Fridays"),
        "{shown}"
    );
    let section = client.done("read", json!({ "document": "facts", "heading": ["Team"] }));
    assert_eq!(section["text"], json!("## Team\n\nBea leads."));
    let documents = client.done("read", json!({}));
    assert_eq!(documents["documents"], json!([{ "name": "facts", "about": "facts", "policy": "auto" }]));

    for (what, says) in [
        (json!({ "operation": "delete", "document": "facts" }), "no heading is given"),
        (
            json!({ "operation": "update", "document": "facts", "heading": [""], "text": "" }),
            "no heading is given",
        ),
        (json!({ "operation": "retire" }), "none is named"),
        (json!({ "operation": "purge", "item": "k7m2q9xa" }), "there is no operation `purge`"),
        (json!({ "operation": "approve" }), "there is no operation `approve`"),
        (json!({ "operation": "retire", "item": "zzzzzzzz" }), "zzzzzzzz"),
        (json!({ "document": "nowhere", "operation": "append", "heading": ["A"], "text": "x" }), "nowhere"),
    ] {
        let said = client.tool("revise", what);
        assert_eq!(said["isError"], json!(true), "{said}");
        assert!(said["content"][0]["text"].as_str().unwrap().contains(says), "{said}");
    }
    assert_eq!(user.counts()[..5], [0, 0, 0, 0, 0], "nothing of that was kept");
    user.assert_clean();
}

#[test]
fn what_waits_for_a_person_says_the_command_and_no_tool_decides() {
    let user = User::new();
    let facts = with_facts(&user, "review");
    let mut client = Client::named(&user, "tests", "1");
    let said = client.done("remember", remember("The office moved to Berlin"));
    let entry = &said["entries"][0];
    assert_eq!((&entry["state"], &entry["next"]), (&json!("waits"), &json!("last-word review")), "{said}");
    user.run(["work"]).ok();
    let waits = client.done("outcome", json!({}));
    assert_eq!(waits["outcomes"][0]["state"], json!("waits"), "{waits}");
    assert_eq!(waits["outcomes"][0]["next"], json!("last-word review"), "{waits}");
    assert!(!facts.exists());

    let review = client.ask("prompts/get", json!({ "name": "review" }));
    let prompt = review["messages"][0]["content"]["text"].as_str().unwrap().to_owned();
    assert!(prompt.contains(&id(entry)) && prompt.contains("`last-word review`"), "{prompt}");
    let tools = client.ask("tools/list", json!({}));
    let names: Vec<&str> =
        tools["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["recall", "read", "remember", "revise", "outcome"]);

    user.run(["review", "--all", "--reject"]).ok();
    let dropped = client.done("outcome", json!({}));
    assert_eq!(dropped["outcomes"][0]["state"], json!("dropped"), "{dropped}");
    let review = client.ask("prompts/get", json!({ "name": "review" }));
    assert!(review["messages"][0]["content"]["text"].as_str().unwrap().contains("nothing waits"), "{review}");
    let asked =
        client.ask("prompts/get", json!({ "name": "remember", "arguments": { "what": "tea at four" } }));
    assert!(asked["messages"][0]["content"]["text"].as_str().unwrap().contains("tea at four"), "{asked}");
    user.assert_clean();
}

#[test]
fn each_entry_is_answered_for_itself() {
    let user = User::new();
    with_facts(&user, "auto");
    let mut client = Client::named(&user, "tests", "1");
    let secret = "AKIA2OGYBAH6QLPVXRNK";
    let said = client.done(
        "remember",
        json!({ "entries": [
            { "text": "Water the plants" },
            { "text": format!("The key is {secret}") },
            { "text": "x", "kind": "NOT A KIND" },
            { "text": "  " },
            { "text": "y", "to": "nowhere" },
            { "text": "Water the plants." },
        ] }),
    );
    let states: Vec<&str> =
        said["entries"].as_array().unwrap().iter().map(|entry| entry["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["durable", "refused", "refused", "refused", "refused", "durable"], "{said}");
    assert!(!said.to_string().contains(secret), "no message repeats a secret");
    assert_eq!(said["entries"][5]["why"], json!("the document says it already"), "{said}");
    assert_eq!(said["entries"][5]["item"], said["entries"][0]["item"], "{said}");
    let refused = client.tool("remember", json!({ "entries": [{ "text": "" }] }));
    assert_eq!(refused["isError"], json!(true), "nothing of it was done");
    user.run(["work"]).ok();
    let known = client.done("remember", remember("water the plants"));
    assert_eq!(known["entries"][0]["why"], json!("the document says it already"), "{known}");
    let outcomes = client.done("outcome", json!({ "wait_seconds": 0 }));
    assert_eq!(outcomes["outcomes"].as_array().unwrap().len(), 3, "{outcomes}");
}

/// Strict clients send every property, and null for what they leave out.
#[test]
fn what_may_be_left_out_may_be_null_or_empty() {
    let user = User::new();
    with_facts(&user, "auto");
    let mut client = Client::named(&user, "tests", "1");
    let entry = json!({ "text": "Prefers tea", "kind": null, "tags": [], "to": "", "heading": null, "confidence": null, "reason": "", "review_by": null });
    assert_eq!(
        client.done("remember", json!({ "entries": [entry] }))["entries"][0]["state"],
        json!("durable")
    );
    user.run(["work"]).ok();
    let asked = json!({ "query": "tea", "kind": "", "tag": null, "document": "", "from": null, "to": "", "scope": [], "limit": 0, "all": null });
    assert_eq!(client.done("recall", asked)["hits"].as_array().unwrap().len(), 1);
    let read = client.done("read", json!({ "document": null, "heading": [], "from_line": 0 }));
    assert!(read["documents"].is_array(), "{read}");
    let outcomes = client.done("outcome", json!({ "ids": null, "wait_seconds": null }));
    assert_eq!(outcomes["outcomes"][0]["state"], json!("applied"), "{outcomes}");
}

/// The guard lets every tool of ours name a document, in each agent's form of its name.
#[test]
fn the_guard_knows_our_tools() {
    let user = User::new();
    let mut client = Client::start(&user, &["--tools", "s4"]);
    client.shake_hands(WITH_HANDSHAKE, "tests", "1");
    let tools = client.ask("tools/list", json!({}));
    for tool in tools["tools"].as_array().unwrap() {
        let tool = tool["name"].as_str().unwrap();
        for server in
            ["mcp__last-word__", "mcp__last_word__", "mcp_last-word_", "last-word_", "last-word-", "MCP:"]
        {
            let call = agents::ToolCall::read(&format!("{server}{tool}"), &json!({ "document": "USER.md" }));
            assert!(!call.writes && call.outputs.is_empty(), "{server}{tool}");
        }
    }
    assert!(agents::ToolCall::read("mcp__notes__remember", &json!({ "document": "USER.md" })).writes);
}

/// A client validates what it gets; the official ones refuse an answer that does not fit.
#[test]
fn answers_fit_their_schemas() {
    let user = User::new();
    with_facts(&user, "auto");
    let mut client = Client::start(&user, &["--tools", "s4"]);
    client.shake_hands(WITH_HANDSHAKE, "tests", "1");
    let tools = client.ask("tools/list", json!({}));
    let schema = |name: &str, which: &str| {
        let tool =
            tools["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == json!(name)).unwrap();
        jsonschema::validator_for(&tool[which]).unwrap()
    };
    let mut seen = Vec::new();
    let mut answers = |client: &mut Client, name: &'static str, arguments: Value| {
        assert!(schema(name, "inputSchema").is_valid(&arguments), "{name}: {arguments}");
        let said = client.done(name, arguments);
        let fits = schema(name, "outputSchema").validate(&said).map_err(|e| e.to_string());
        assert_eq!(fits, Ok(()), "{name}: {said}");
        seen.push(name);
        said
    };
    let said = answers(
        &mut client,
        "remember",
        json!({ "entries": [{ "text": "Moved to Berlin", "kind": "E", "tags": ["home"] }, { "text": "" }] }),
    );
    answers(&mut client, "recall", json!({ "query": "Berlin" }));
    answers(&mut client, "read", json!({ "document": "facts" }));
    answers(&mut client, "outcome", json!({ "ids": [id(&said["entries"][0]), "0000"] }));
    user.run(["work"]).ok();
    answers(&mut client, "recall", json!({ "query": "Berlin", "limit": 3 }));
    answers(&mut client, "search_events", json!({ "query": "Berlin", "group_id": "7" }));
    answers(&mut client, "search_profiles", json!({ "query": "Berlin" }));
    answers(&mut client, "end", json!({ "action_summary": "", "new_info": [] }));
    answers(&mut client, "read", json!({}));
    answers(&mut client, "outcome", json!({}));
    answers(&mut client, "revise", json!({ "operation": "retire", "item": said["entries"][0]["item"] }));
    assert_eq!(seen.len(), 11);
    let profile = client.tool("get_profile", json!({ "type": "user", "id": "42" }));
    assert_eq!(profile["isError"], json!(true), "there is no such knowledge base here: {profile}");
}

/// With the tools of S4 a client speaks with many groups: what is not asked for one of them is not answered from one.
#[test]
fn what_is_of_a_group_is_not_recalled_without_it() {
    let user = User::new();
    user.configure(
        "version: 1\nknowledge_bases:\n  events: { path: \"events/{scope}/{date}.md\", root: home, policy: auto }\n  \
         profile: { path: \"profiles/{type}/{id}.md\", root: home, policy: auto }\nsession_bootstrap: []\n",
    );
    let mut client = Client::start(&user, &["--tools", "s4"]);
    client.shake_hands(WITH_HANDSHAKE, "tests", "1");
    for group in ["7", "70"] {
        client.done("end", json!({ "action_summary": format!("zebra of {group}"), "group_id": group }));
    }
    for of in ["group:7", "group:70", "user:42"] {
        let (to, content) = (format!("profile:{of}"), format!("- okapi of {of}"));
        user.run(["enqueue", "--to", &to, "--heading", "About", "--op", "append", "--content", &content])
            .ok();
    }
    let texts = |client: &mut Client, arguments: Value| {
        let said = client.done("recall", arguments);
        let hits = said["hits"].as_array().unwrap();
        hits.iter().map(|hit| hit["text"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for run in ["waiting", "merged"] {
        assert_eq!(texts(&mut client, json!({ "query": "zebra" })), Vec::<String>::new(), "{run}");
        let of_seven = texts(&mut client, json!({ "query": "zebra", "scope": ["scope=group-7"] }));
        assert!(of_seven.len() == 1 && of_seven[0].contains("zebra of 7"), "{run}: {of_seven:?}");
        // A day, and the kind of a profile, are of all of them.
        let day = user.json(["recall", "zebra", "--document", "events"])["hits"][0]["day"].clone();
        for scope in [format!("date={}", day.as_str().unwrap()), "type=group".to_owned()] {
            let query = if scope == "type=group" { "okapi" } else { "zebra" };
            let all = texts(&mut client, json!({ "query": query, "scope": [scope] }));
            assert_eq!(all, Vec::<String>::new(), "{run}: {scope}");
        }
        // The family is of all of them; a member is of one.
        for document in ["events", "events:"] {
            let all = texts(&mut client, json!({ "query": "zebra", "document": document }));
            assert_eq!(all, Vec::<String>::new(), "{run}: {document}");
        }
        let of_one = texts(&mut client, json!({ "query": "zebra", "document": "events:group-7" }));
        assert!(of_one.len() == 1 && of_one[0].contains("zebra of 7"), "{run}: {of_one:?}");
        // A group's own profile is that group's; a person's is not.
        let of_people = texts(&mut client, json!({ "query": "okapi" }));
        assert!(of_people.len() == 1 && of_people[0].contains("user:42"), "{run}: {of_people:?}");
        let of_group = texts(&mut client, json!({ "query": "okapi", "document": "profile:group:7" }));
        assert!(of_group.len() == 1 && of_group[0].contains("group:7"), "{run}: {of_group:?}");
        let of_groups = texts(&mut client, json!({ "query": "okapi", "document": "profile:group" }));
        assert_eq!(of_groups, Vec::<String>::new(), "{run}");
        user.run(["work"]).ok();
    }
}

#[test]
fn every_revision_of_the_protocol_is_spoken() {
    let user = User::new();
    with_facts(&user, "auto");
    for protocol in ["2024-11-05", "2025-03-26", "2025-06-18", WITH_HANDSHAKE] {
        let mut client = Client::start(&user, &[]);
        let said = client.shake_hands(protocol, "tests", "1");
        assert_eq!(said["protocolVersion"], json!(protocol), "{said}");
        assert_eq!(said["serverInfo"]["name"], json!("last-word"), "{said}");
        assert!(said["instructions"].as_str().unwrap().contains("outcome"), "{said}");
        assert_eq!(client.ask("ping", json!({})), json!({}));
        assert!(client.goes().success());
    }
    // A client newer than we are gets the newest with a handshake.
    let mut client = Client::start(&user, &[]);
    assert_eq!(client.shake_hands("2099-01-01", "tests", "1")["protocolVersion"], json!(WITH_HANDSHAKE));

    let mut client = Client::start(&user, &[]);
    client.without_handshake("newer", "9.1");
    let known = client.ask("server/discover", json!({}));
    assert!(known["supportedVersions"].to_string().contains("2026-07-28"), "{known}");
    let said = client.done("remember", remember("Nobody shook hands"));
    assert_eq!(said["entries"][0]["state"], json!("durable"), "{said}");
    user.run(["work"]).ok();
    let text = fs::read_to_string(user.root().join("facts.md")).unwrap();
    assert!(text.contains(" s=newer@9.1/"), "each request says who asks: {text}");
    assert!(client.goes().success());
}

#[test]
fn bad_frames_and_unknown_names_end_nothing() {
    let user = User::new();
    with_facts(&user, "auto");
    let mut client = Client::named(&user, "tests", "1");
    for frame in [
        &b"\n\n\r\n"[..],
        b"this is no JSON\n",
        b"{\"jsonrpc\": \"2.0\", \"id\": 1\n",
        b"\xff\xfe\x00{\n",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/\xc3\x28\"}\n",
        b"null\n",
        b"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\n",
    ] {
        client.raw(frame);
    }
    client.notify("notifications/nobody-knows", json!({}));
    let begun = client.begin("tools/list", json!({}));
    let answer = loop {
        // To what is JSON and no request the answer has no id.
        let message = client.message().unwrap();
        if message["id"] == json!(begun) {
            break message;
        }
        assert!(
            message.get("id").is_none_or(Value::is_null) && message["error"]["code"].is_i64(),
            "{message}"
        );
    };
    assert!(answer["result"]["tools"].is_array(), "{answer}");

    for (method, params, code) in [
        ("nobody/knows", json!({}), -32601),
        ("tools/call", json!({ "name": "approve", "arguments": {} }), -32602),
        ("tools/call", json!({ "name": "end", "arguments": {} }), -32602),
        ("prompts/get", json!({ "name": "nothing" }), -32602),
        ("resources/list", json!({}), -32601),
    ] {
        let begun = client.begin(method, params);
        let answer = client.answer(begun);
        assert_eq!(answer["error"]["code"], json!(code), "{answer}");
    }
    for (tool, arguments, says) in [
        ("recall", json!({}), "there is no question"),
        ("recall", json!({ "query": "x", "quantity": 3 }), "unknown field `quantity`"),
        ("recall", json!({ "query": 7 }), "invalid type"),
        ("recall", json!({ "query": "x", "from": "yesterday" }), "is not a day"),
        ("recall", json!({ "query": "x", "scope": ["42"] }), "is no scope"),
        ("remember", json!({ "text": "x" }), "unknown field `text`"),
        ("remember", json!({ "entries": [] }), "0 entries"),
        ("read", json!({ "document": "facts", "heading": ["Nowhere"] }), "no section"),
        ("outcome", json!({ "ids": ["zz"] }), "zz"),
    ] {
        let said = client.tool(tool, arguments);
        assert_eq!(said["isError"], json!(true), "{said}");
        assert!(said["content"][0]["text"].as_str().unwrap().contains(says), "{said}");
    }
    assert_eq!(user.counts(), [0; 6]);
    assert!(client.goes().success());
}

/// Half an emoji, as a program of Node writes a text that was cut, and brackets deeper than a parser goes: each is answered.
#[test]
fn what_is_nearly_json_is_answered_and_kept() {
    let user = User::new();
    with_facts(&user, "auto");
    let mut client = Client::named(&user, "tests", "1");
    let call = |id: u64, entry: &str| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"remember\",\"arguments\":{{\"entries\":[{entry}]}}}}}}\n"
        )
    };
    client.raw(call(71, "{\"text\":\"half \\ud83d an emoji\"}").as_bytes());
    let said = client.answer(71);
    assert_eq!(said["result"]["isError"], json!(false), "{said}");
    client.raw(call(72, &["[".repeat(200), "]".repeat(200)].concat()).as_bytes());
    let said = client.answer(72);
    assert!(said["error"]["code"].is_i64() || said["result"]["isError"] == json!(true), "{said}");
    // Larger than any frame may be: refused, and not kept in memory.
    let huge = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":99,\"method\":\"tools/call\",\"params\":{{\"name\":\"{}\"}}}}\n",
        "x".repeat(17 << 20)
    );
    client.raw(huge.as_bytes());
    let said = client.answer(99);
    assert_eq!(said["error"]["code"], json!(-32601), "{said}");
    assert!(client.goes().success());
    user.run(["work"]).ok();
    assert!(fs::read_to_string(user.root().join("facts.md")).unwrap().contains("half \u{fffd} an emoji"));
}

#[test]
fn a_call_that_takes_long_tells_of_it_and_can_be_taken_back() {
    let user = User::new();
    with_facts(&user, "auto");
    let mut client = Client::named(&user, "tests", "1");
    client.done("remember", remember("Prefers tea"));
    let params = json!({ "name": "outcome", "arguments": { "wait_seconds": 600 }, "_meta": { "progressToken": "t-1" } });
    let waits = client.begin("tools/call", params);
    let told = client.message().unwrap();
    assert_eq!(told["method"], json!("notifications/progress"), "{told}");
    assert_eq!(told["params"]["progressToken"], json!("t-1"), "{told}");
    assert_eq!(told["params"]["message"], json!("0 of 1 have an outcome"), "{told}");
    // Meanwhile others are answered.
    assert_eq!(client.done("recall", json!({ "query": "tea" }))["hits"].as_array().unwrap().len(), 1);
    client.notify(
        "notifications/cancelled",
        json!({ "requestId": waits, "reason": "the person pressed a key" }),
    );
    // An answer to what was taken back would be one that nobody waits for.
    client.done("recall", json!({ "query": "tea" }));

    // One that is not taken back ends with the worker.
    let params = json!({ "name": "outcome", "arguments": { "wait_seconds": 600 } });
    let waits = client.begin("tools/call", params);
    user.run(["work"]).ok();
    let answer = client.answer(waits);
    assert_eq!(answer["result"]["structuredContent"]["outcomes"][0]["state"], json!("applied"), "{answer}");
    assert!(client.goes().success());
}

#[test]
fn two_clients_at_once_keep_what_they_say_apart() {
    let user = User::new();
    let facts = with_facts(&user, "auto");
    let mut clients = [Client::named(&user, "one", "1"), Client::named(&user, "two", "2")];
    let mut begun = Vec::new();
    for n in 0..20 {
        for (who, client) in clients.iter_mut().enumerate() {
            begun.push((
                who,
                client.begin_tool("remember", remember(&format!("Client {who} says number {n}."))),
            ));
        }
    }
    let mut answered = [0; 2];
    for (who, _) in &begun {
        let message = clients[*who].message().unwrap();
        assert_eq!(
            message["result"]["structuredContent"]["entries"][0]["state"],
            json!("durable"),
            "{message}"
        );
        answered[*who] += 1;
    }
    assert_eq!(answered, [20, 20]);
    user.run(["work"]).ok();
    let text = fs::read_to_string(facts).unwrap();
    for (who, name) in ["one@1", "two@2"].iter().enumerate() {
        let mine: Vec<&str> = text.lines().filter(|line| line.contains(&format!(" s={name}/"))).collect();
        assert_eq!(mine.len(), 20, "{text}");
        // In the order they were said.
        let numbers: Vec<String> =
            mine.iter().map(|line| line.split(" <!--").next().unwrap().to_owned()).collect();
        let said: Vec<String> = (0..20).map(|n| format!("- Client {who} says number {n}.")).collect();
        assert_eq!(numbers, said);
        let outcomes = clients[who].done("outcome", json!({}));
        assert_eq!(outcomes["outcomes"].as_array().unwrap().len(), 20, "its own alone");
    }
    user.assert_clean();
}

#[test]
fn what_is_said_without_waiting_for_answers_comes_in_the_order_said() {
    let user = User::new();
    let facts = with_facts(&user, "auto");
    let mut client = Client::named(&user, "tests", "1");
    let revise = |operation: &str, heading: &str, text: &str| json!({ "operation": operation, "document": "facts", "heading": [heading], "text": text });
    let mut asked = Vec::new();
    for n in 0..10 {
        // The second can only be merged behind the first, which nobody has acknowledged yet.
        asked.push(client.begin_tool("revise", revise("update", &format!("Plan {n}"), "first")));
        asked.push(client.begin_tool("revise", revise("rename", &format!("Plan {n}"), &format!("Aim {n}"))));
        asked.push(client.begin_tool("revise", revise("append", &format!("Aim {n}"), "second")));
        asked.push(client.begin_tool("revise", revise("rename", "Nowhere", "refused")));
    }
    let mut refused = 0;
    for _ in &asked {
        let message = client.message().unwrap();
        refused += usize::from(message["result"]["structuredContent"]["state"] == json!("refused"));
    }
    assert_eq!(refused, 10, "and nothing else with them");
    user.run(["work"]).ok();
    let text = fs::read_to_string(facts).unwrap();
    for n in 0..10 {
        assert!(text.contains(&format!("## Aim {n}\n\nfirst\n\nsecond\n")), "{text}");
    }
    user.assert_clean();
}

#[test]
fn what_was_answered_outlives_a_server_that_is_killed() {
    let user = User::new();
    let facts = with_facts(&user, "auto");
    let mut client = Client::named(&user, "tests", "1");
    for n in 0..100 {
        client.begin_tool("remember", remember(&format!("Number {n} was said.")));
    }
    let durable: Vec<String> = (0..10)
        .map(|_| {
            let message = client.message().unwrap();
            id(&message["result"]["structuredContent"]["entries"][0])
        })
        .collect();
    client.kill();
    for id in &durable {
        assert_eq!(user.json(["show", id])["id"], json!(id));
    }
    user.run(["work"]).ok();
    let text = fs::read_to_string(facts).unwrap();
    for n in 0..10 {
        assert_eq!(text.matches(&format!("- Number {n} was said.")).count(), 1, "{text}");
    }
    // What was not answered yet may have been in the middle of being written, together: files of `tmp/`, which are no jobs.
    assert!(user.files("tmp").len() <= 64, "{:?}", user.files("tmp"));
    assert_eq!(user.files("processing"), Vec::<String>::new());
}

#[test]
fn a_client_that_goes_at_once_is_served_to_the_end() {
    let user = User::new();
    let facts = with_facts(&user, "auto");
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": WITH_HANDSHAKE, "capabilities": {}, "clientInfo": { "name": "script", "version": "1" } } });
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "remember", "arguments": remember("A script can say it, too") } });
    let said = user.run_with(["mcp"], format!("{hello}\n{call}\n").as_bytes()).ok();
    let last: Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
    assert_eq!(last["result"]["structuredContent"]["entries"][0]["state"], json!("durable"), "{said}");
    user.run(["work"]).ok();
    assert!(fs::read_to_string(facts).unwrap().contains("A script can say it, too"));

    // Nobody there, and nobody who speaks the protocol.
    user.run_with(["mcp"], b"").ok();
    user.run_with(["mcp"], b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")
        .fails(1, "does not speak the protocol");
    user.assert_clean();
}

#[test]
fn nobody_reads_the_answers() {
    let user = User::new();
    with_facts(&user, "auto");
    let mut command = user.command(["mcp"]);
    let mut child =
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": WITH_HANDSHAKE, "capabilities": {}, "clientInfo": { "name": "script", "version": "1" } } });
    let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), format!("{hello}\n").as_bytes());
    let status = child.wait().unwrap();
    assert!(status.code().is_some(), "no signal ends it: {status}");
    user.assert_clean();
}

#[test]
fn a_home_that_is_not_there_is_told_at_the_call() {
    let user = User::bare();
    let mut client = Client::named(&user, "tests", "1");
    let said = client.tool("remember", remember("x"));
    assert_eq!(said["isError"], json!(true), "{said}");
    assert!(said["content"][0]["text"].as_str().unwrap().contains("last-word init"), "{said}");
    user.run(["init"]).ok();
    assert_eq!(client.done("remember", remember("It is there now"))["entries"][0]["state"], json!("durable"));
    assert!(client.goes().success());
}

#[test]
fn standard_output_carries_the_protocol_alone() {
    let user = User::new();
    with_facts(&user, "auto");
    let mut client = Client::start(&user, &["-vvv"]);
    client.shake_hands(WITH_HANDSHAKE, "tests", "1");
    // `message` holds every line to be JSON.
    client.done("remember", remember("Prefers tea"));
    assert!(client.goes().success());
}

/// What real clients sent (`tests/agents/run.py --mcp --frames`), frame for frame, is answered as it was then: a session that
/// remembers, asks for the outcome and recalls; a worker; a session that recalls.
#[test]
fn recorded_clients_are_answered_as_they_were() {
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/mcp/clients");
    for name in ["claude_code-2.1.330", "codex-0.169.0", "gemini_cli-0.61.0"] {
        let user = User::new();
        let recorded = fs::read_to_string(dir.join(format!("{name}.jsonl"))).unwrap();
        let frames: Vec<Value> = recorded.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let begins = |frame: &Value| {
            ["initialize", "server/discover"].iter().any(|method| frame["client"]["method"] == json!(method))
        };
        let starts: Vec<usize> = (0..frames.len()).filter(|at| begins(&frames[*at])).collect();
        assert_eq!(starts.len(), 2, "{name}: two sessions");
        for (from, to) in [(starts[0], starts[1]), (starts[1], frames.len())] {
            let mut client = Client::start(&user, &[]);
            for sent in frames[from..to].iter().filter_map(|frame| frame.get("client")) {
                client.raw(format!("{sent}\n").as_bytes());
                let Some(id) = sent.get("id") else { continue };
                let of = |message: &Value| message["id"] == *id;
                let expected =
                    frames[from..to].iter().map(|frame| &frame["server"]).find(|said| of(said)).unwrap();
                let mut said = client.message().unwrap();
                while !of(&said) {
                    said = client.message().unwrap();
                }
                assert_eq!(told(&said), told(expected), "{name}: {sent}");
            }
            assert!(client.goes().success(), "{name}");
            user.run(["work"]).ok();
        }
    }
}

/// What an answer tells, without what is another one each time.
fn told(message: &Value) -> Value {
    let mut value = message["result"]["structuredContent"].clone();
    forget(&mut value);
    let names = |list: &str| -> Vec<Value> {
        let listed = message["result"][list].as_array().into_iter().flatten();
        // The recording has the names alone.
        listed.map(|one| one.get("name").unwrap_or(one).clone()).collect()
    };
    json!([message.get("error"), message["result"].get("isError"), value, names("tools"), names("prompts")])
}

fn forget(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                if ["id", "item", "day", "heading", "line"].contains(&name.as_str()) {
                    *field = json!("another");
                } else {
                    forget(field);
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(forget),
        _ => {}
    }
}
