//! The screens, one file each, with a template of the same name. A screen calls verbs of the home and decides nothing itself.

pub(crate) mod budget;
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
