//! The programs in `examples/` do what they say: each is run here as it stands, and its answer is looked at.

#[path = "../examples/enqueue.rs"]
mod enqueue;
#[path = "../examples/history.rs"]
mod history;
#[path = "../examples/validator.rs"]
mod validator;
#[path = "../examples/worker.rs"]
mod worker;

#[test]
fn each_runs() {
    for main in [enqueue::main, history::main, validator::main, worker::main] {
        main().unwrap();
    }
}

#[test]
fn an_embedded_enqueue_prints_an_id_for_each_job() {
    let user = tempfile::tempdir().unwrap();
    let ids = enqueue::declare(user.path()).unwrap();
    assert_eq!(ids.lines().count(), 2, "{ids}");
}

#[test]
fn an_embedded_worker_merges() {
    let user = tempfile::tempdir().unwrap();
    assert_eq!(worker::merge(user.path()).unwrap(), 1);
    let text = std::fs::read_to_string(user.path().join("NOTES.md")).unwrap();
    assert_eq!(text, "## Build\n\n- cargo test\n");
}

#[test]
fn a_validator_that_is_a_function_judges() {
    let user = tempfile::tempdir().unwrap();
    let why = validator::judged(user.path()).unwrap();
    assert!(why.contains("please do not shout: - LISTEN TO ME"), "{why}");
    let text = std::fs::read_to_string(user.path().join("NOTES.md")).unwrap();
    assert!(text.contains("a plain sentence") && !text.contains("LISTEN"), "{text}");
}

#[test]
fn history_is_read_and_put_back() {
    let user = tempfile::tempdir().unwrap();
    let lines = history::told(user.path()).unwrap();
    assert!(lines.contains(&"Release: my_agent in session-1: the meeting said so".to_owned()), "{lines:?}");
    assert_eq!(lines.last().map(String::as_str), Some("## Release\n\n- in March\n"));
}
