//! The real queue, documents and worker on a simulated disk: cut at every step, failing at every operation, two workers in
//! every order, and the same with bugs planted, which must be found. Needs the feature `simulated`.

mod clocks;
mod cuts;
mod faults;
mod no_links;
mod persons;
mod planted;
mod promises;
mod purge;
mod scenes;
mod schedules;
mod sequences;
mod stale_saves;
mod states;
mod world;
