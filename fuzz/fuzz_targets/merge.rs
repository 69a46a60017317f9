//! Any bytes as a document and an entry: no panic, and no broken law.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| last_word_fuzz::check(bytes));
