//! Recall by meaning, with a small server of vectors: what it finds beside words, what is sent to it, and that nothing it does or
//! fails to do keeps words from answering.

use crate::support::User;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// How the server behaves.
#[derive(Clone, Copy, PartialEq)]
enum Manner {
    Good,
    /// It takes the question and never answers.
    Silent,
    /// It closes at once.
    Closing,
    /// HTTP 500.
    Failing,
    /// One vector too few.
    Short,
    /// Each vector has another length.
    Uneven,
    /// It answers with what is no JSON.
    Garbled,
    /// It never stops answering.
    Endless,
    /// It sends us elsewhere.
    Redirecting,
}

/// A server on a port of its own; it ends with the process.
struct Server {
    url: String,
    /// Every text it was given.
    texts: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn new(manner: Manner) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1/embeddings", listener.local_addr().unwrap());
        let texts = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&texts);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let kept = Arc::clone(&kept);
                std::thread::spawn(move || serve(stream, manner, &kept));
            }
        });
        Server { url, texts }
    }

    /// What it was given since it was last asked.
    fn taken(&self) -> Vec<String> {
        std::mem::take(&mut self.texts.lock().unwrap())
    }
}

fn serve(stream: TcpStream, manner: Manner, texts: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut line, mut length) = (String::new(), 0);
    while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        line.clear();
    }
    let mut body = vec![0; length];
    if reader.read_exact(&mut body).is_err() {
        return;
    }
    let asked: Value = serde_json::from_slice(&body).unwrap();
    let input: Vec<String> = serde_json::from_value(asked["input"].clone()).unwrap();
    texts.lock().unwrap().extend(input.iter().cloned());
    answer(stream, manner, &input);
}

fn answer(mut stream: TcpStream, manner: Manner, input: &[String]) {
    let mut vectors: Vec<Value> = input
        .iter()
        .enumerate()
        .map(|(at, text)| json!({ "index": at, "embedding": vector(text) }))
        .collect();
    match manner {
        // It stays open until whoever asked goes.
        Manner::Silent => {
            let _ = stream.read(&mut [0]);
            return;
        }
        Manner::Closing => return,
        Manner::Short => drop(vectors.pop()),
        Manner::Uneven => {
            for (at, vector) in vectors.iter_mut().enumerate() {
                vector["embedding"] = json!(vec![1.0; 3 + at]);
            }
            vectors.push(json!({ "embedding": [1.0] }));
        }
        Manner::Endless => {
            let _ =
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{\"data\": [");
            while stream.write_all(&[b' '; 4096]).is_ok() {}
            return;
        }
        _ => {}
    }
    let (status, body) = match manner {
        Manner::Failing => ("500 Internal Server Error", "no model".to_owned()),
        Manner::Garbled => ("200 OK", "<html>hello".to_owned()),
        Manner::Redirecting => ("307 Temporary Redirect\r\nlocation: http://127.0.0.1:9/", String::new()),
        _ => ("200 OK", json!({ "object": "list", "data": vectors }).to_string()),
    };
    let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
    let _ = stream.write_all(format!("{head}{body}").as_bytes());
}

/// Words of one meaning share a dimension; every other text has a direction of its own.
fn vector(text: &str) -> Vec<f64> {
    let mut vector = vec![0.0; 64];
    let meanings: [&[&str]; 2] =
        [&["early riser", "up at five", "half past four"], &["vehicle", "van", "lorry"]];
    let text = text.to_lowercase();
    for (at, words) in meanings.iter().enumerate() {
        if words.iter().any(|word| text.contains(word)) {
            vector[at] = 8.0;
        }
    }
    for (at, byte) in text.bytes().enumerate() {
        vector[2 + (at * 7 + usize::from(byte)) % 62] += 1.0;
    }
    let length = |vector: &[f64]| vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    let noise = length(&vector[2..]).max(1.0);
    vector[2..].iter_mut().for_each(|x| *x /= noise);
    vector
}

/// A user with forty facts, of which one means what no word of the question says.
fn with_facts(embeddings: &str) -> User {
    let user = User::new();
    let root = user.root().display();
    user.configure(&format!(
        "version: 1\nknowledge_bases:\n  facts: {{ path: \"{root}/facts/{{month}}.md\" }}\n  notes: {{ path: \"{root}/notes.md\" }}\nsession_bootstrap: [notes]\n{embeddings}"
    ));
    fs::create_dir_all(user.root().join("facts")).unwrap();
    let words = ["harbour", "violin", "lantern", "saddle", "pepper", "almond", "quarry", "glacier"];
    let mut text = "# Facts\n\n## 2026-02-16\n\n- [W] Gets up at five on every day of the week\n".to_owned();
    for at in 0..40 {
        text.push_str(&format!("- [W] The {} is {} number {at}\n", words[at % 8], words[(at / 8 + at) % 8]));
    }
    fs::write(user.root().join("facts/2026-02.md"), text).unwrap();
    fs::write(user.root().join("notes.md"), "# Notes\n\nDrives a white van to the depot.\n").unwrap();
    user
}

fn by(server: &Server) -> String {
    format!(
        "embeddings: {{ url: \"{}\", model: toy, query_prefix: \"q: \", document_prefix: \"d: \", deadline: 20s }}\n",
        server.url
    )
}

fn recalled(user: &User, args: &[&str]) -> Value {
    let said = user.run(["recall", "--json"].into_iter().chain(args.iter().copied()));
    serde_json::from_str(&said.stdout).unwrap_or_else(|e| panic!("{e}: {}", said.stderr))
}

fn texts(recalled: &Value) -> Vec<&str> {
    recalled["hits"].as_array().unwrap().iter().map(|hit| hit["text"].as_str().unwrap()).collect()
}

const RISER: &str = "Gets up at five on every day of the week";

#[test]
fn what_means_the_same_is_found() {
    let user = with_facts("");
    assert_eq!(texts(&recalled(&user, &["is he an early riser"])), Vec::<&str>::new());
    assert_eq!(recalled(&user, &["early riser"])["searched"].get("meaning"), None);

    let server = Server::new(Manner::Good);
    let user = with_facts(&by(&server));
    let found = recalled(&user, &["is he an early riser"]);
    assert_eq!(texts(&found), [RISER], "{found}");
    let hit = &found["hits"][0];
    assert_eq!((&hit["tier"], &hit["line"]), (&json!("meaning"), &json!(5)));
    assert!(hit["why"]["near"].as_f64().unwrap() > 0.8 && hit["why"]["stands_out"].as_f64().unwrap() > 0.5);
    let meaning = &found["searched"]["meaning"];
    assert!(meaning["units"].as_u64().unwrap() > 40, "{meaning}");
    assert_eq!((&meaning["units"], &meaning["trouble"]), (&meaning["with_vector"], &Value::Null));
    let why = user.run(["recall", "--why", "is he an early riser"]);
    assert!(why.stdout.contains("by meaning") && why.stdout.contains("above chance by"), "{}", why.stdout);

    // What no document means is not answered, and a document that was not asked does not answer.
    assert_eq!(texts(&recalled(&user, &["the price of copper"])), Vec::<&str>::new());
    assert_eq!(texts(&recalled(&user, &["--document", "notes", "is he an early riser"])), Vec::<&str>::new());
}

#[test]
fn vectors_are_kept_until_their_text_changes() {
    let server = Server::new(Manner::Good);
    let user = with_facts(&by(&server));
    recalled(&user, &["is he an early riser"]);
    let sent = server.taken();
    assert!(sent.len() > 41 && sent.contains(&"q: is he an early riser".to_owned()), "{sent:?}");
    assert!(sent.contains(&format!("d: Facts: {RISER}")), "{sent:?}");
    recalled(&user, &["is he an early riser"]);
    assert_eq!(server.taken(), ["q: is he an early riser"]);

    let path = user.root().join("facts/2026-02.md");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace(RISER, "Starts at half past four")).unwrap();
    let found = recalled(&user, &["is he an early riser"]);
    assert_eq!(texts(&found), ["Starts at half past four"], "a line that is gone is no hit");
    assert_eq!(server.taken(), ["q: is he an early riser", "d: Facts: Starts at half past four"]);

    // Another model: all of them again.
    let config = user.home().join("config.yaml");
    fs::write(&config, fs::read_to_string(&config).unwrap().replace("model: toy", "model: other")).unwrap();
    recalled(&user, &["is he an early riser"]);
    assert!(server.taken().len() > 41);
}

#[test]
fn a_server_that_fails_is_done_without() {
    let plain = with_facts("");
    let wanted = recalled(&plain, &["lantern number"]);
    let wanted: Vec<&str> = texts(&wanted);
    assert!(wanted.len() > 3);
    for manner in [
        Manner::Silent,
        Manner::Closing,
        Manner::Failing,
        Manner::Short,
        Manner::Uneven,
        Manner::Garbled,
        Manner::Endless,
        Manner::Redirecting,
    ] {
        let server = Server::new(manner);
        let deadline = if manner == Manner::Silent { "200ms" } else { "20s" };
        let user = with_facts(&by(&server).replace("20s", deadline));
        let found = recalled(&user, &["lantern number"]);
        assert_eq!(texts(&found), wanted);
        let trouble = found["searched"]["meaning"]["trouble"].as_str().unwrap_or_default();
        assert!(trouble.contains(&server.url), "{found}");
        let told = user.run(["recall", "lantern number"]);
        assert!(told.stderr.contains("words alone answered, not meaning"), "{}", told.stderr);
        assert_eq!(told.code, Some(0));
    }
    let nobody = with_facts("embeddings: { url: \"http://127.0.0.1:1/v1/embeddings\" }\n");
    assert_eq!(texts(&recalled(&nobody, &["lantern number"])), wanted);
}

#[test]
fn secrets_are_not_sent() {
    let server = Server::new(Manner::Good);
    let user = with_facts(&by(&server));
    let token = ["ghp_", "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gH6"].concat();
    let path = user.root().join("notes.md");
    fs::write(&path, format!("# Notes\n\n- The token is {token}\n- Drives a white van\n")).unwrap();
    let found = recalled(&user, &["what vehicle"]);
    assert_eq!(texts(&found), ["Drives a white van"]);
    let meaning = &found["searched"]["meaning"];
    assert_eq!(meaning["units"], meaning["with_vector"], "it is not asked for again and again");
    let found = recalled(&user, &[&token]);
    assert_eq!(found["hits"][0]["line"], 3, "words find it all the same");
    assert!(found["searched"]["meaning"]["trouble"].as_str().unwrap().contains("not sent"));
    assert!(server.taken().iter().all(|text| !text.contains(&token)));
}

#[test]
fn a_worker_makes_the_vectors_and_a_prompt_asks_nobody() {
    let server = Server::new(Manner::Good);
    let user = with_facts(&by(&server));
    user.run(["work"]).ok();
    assert!(server.taken().len() > 41);
    user.run(["work"]).ok();
    assert_eq!(server.taken(), Vec::<String>::new(), "where no vector is missing nobody is asked");
    recalled(&user, &["is he an early riser"]);
    assert_eq!(server.taken(), ["q: is he an early riser"]);

    let event = json!({ "hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": user.root(),
        "prompt": "look at the lantern and the saddle number 3" });
    let said = user.run_with(["hook", "--agent", "claude_code"], event.to_string().as_bytes());
    assert_eq!(said.code, Some(0));
    assert_eq!(server.taken(), Vec::<String>::new());
}

#[test]
fn no_other_machine_is_asked() {
    for url in
        ["https://api.example.com/v1/embeddings", "http://10.1.2.3/v1", "http://127.0.0.1@example.com/"]
    {
        let user = with_facts(&format!("embeddings: {{ url: \"{url}\" }}\n"));
        let said = user.run(["recall", "lantern"]);
        assert_ne!(said.code, Some(0));
        assert!(said.stderr.contains("not an http:// address of this machine"), "{}", said.stderr);
    }
}
