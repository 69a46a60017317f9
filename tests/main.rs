//! All tests of the binary and of the simulated disk, as one program: it is linked once, and its tests run side by side.
//! Each test has a home of its own (`support::User`) and changes nothing of the process: no variable of the environment, no
//! working directory. A file here that is not named below is not compiled; `architecture.rs` finds it.
// A test may panic, and looks at the disk itself.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used)]

mod adopt;
mod agent_words;
mod architecture;
mod bad_input;
mod book;
mod bundles;
mod completing;
mod consent;
mod control_plane;
#[cfg(feature = "crash-points")]
mod crash;
#[cfg(feature = "crash-points")]
mod day;
mod deciding;
mod demo;
mod doctor;
mod drift;
mod during;
mod end;
mod events;
mod examples;
mod file_systems;
mod first_words;
mod guard_disk;
mod guard_git;
mod guard_programs;
mod help;
mod hook;
mod install;
mod install_form;
mod install_server;
mod item_storm;
mod items;
mod languages;
mod look_around;
mod main_job;
mod many;
mod mcp;
mod memory_bank;
mod metrics;
mod named_home;
mod odd_files;
mod odd_homes;
mod operate;
mod operations;
#[cfg(feature = "crash-points")]
mod order;
mod page;
mod pages;
#[cfg(feature = "crash-points")]
mod person;
mod places;
mod policy;
mod producers;
mod purge;
mod random_runs;
mod recall;
mod recall_meaning;
mod recording;
mod resolve;
#[cfg(feature = "crash-points")]
mod retention;
mod run_tests;
mod schedule;
mod screen;
mod session_buffer;
mod session_start;
#[cfg(feature = "simulated")]
mod simulation;
mod since_declared;
mod sizes;
mod storm;
#[cfg_attr(not(feature = "crash-points"), allow(dead_code))] // some of it serves only those tests
mod support;
mod syscalls;
mod terminal;
mod tidy;
mod trial;
mod two_homes;
mod upgrades;
mod watch;
