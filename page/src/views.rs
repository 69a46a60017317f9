//! The screens: one file each, with its template of the same name. A screen asks verbs of the home, and decides nothing.

pub(crate) mod doctor;
pub(crate) mod document;
pub(crate) mod documents;
pub(crate) mod failed;
pub(crate) mod items;
pub(crate) mod job;
pub(crate) mod jobs;
pub(crate) mod log;
pub(crate) mod overview;
pub(crate) mod recall;
pub(crate) mod report;
pub(crate) mod review;
pub(crate) mod settings;
