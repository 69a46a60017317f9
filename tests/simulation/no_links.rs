//! A file system that can neither exchange two files nor give one a second name: the change is refused with its name, and the
//! document is as it was.

use super::world::{DOCUMENT, START, document, enqueue, layout, machine, note, work};
use queue_layout::{Queue, State};

#[test]
fn where_nothing_replaces_safely_a_change_is_refused_and_new_documents_are_made() {
    let machine = machine();
    machine.without_links();
    let disk = machine.process().shared();
    let text = machine.bytes(document()).unwrap();
    enqueue(&disk, vec![note("- one"), note("- two")], START, &mut |_| {}).unwrap();
    assert_eq!(work(&disk, START, false).unwrap().failed, 2);
    assert_eq!(machine.bytes(document()).unwrap(), text);
    let queue = Queue::new(disk.clone(), layout());
    for listed in queue.list(State::Failed).unwrap().jobs {
        let fault = queue.load(&listed).unwrap().job.unwrap().error.unwrap();
        assert_eq!(fault.code.as_str(), "no_safe_replace");
        assert!(
            fault.message.contains("(simulated)") && fault.message.contains(DOCUMENT),
            "{}",
            fault.message
        );
    }
    let beside: Vec<_> =
        machine.files().into_keys().filter(|path| path.to_string_lossy().contains(".last-word-")).collect();
    assert!(beside.is_empty(), "{beside:?}");
    assert!(disk.remove(document()).unwrap());
    enqueue(&disk, vec![note("- new")], START, &mut |_| {}).unwrap();
    assert_eq!(work(&disk, START, false).unwrap().applied, 1);
}
