//! Commands that copy, link, pack and unpack files, or change them in place.

use super::super::chosen::Chosen;
use super::super::copies::Links;
use super::super::{
    CopiedTree, How, SimpleCommand, WrittenPath, absolute, copies, fixers, led, plain, substitution,
    unpacking,
};
use super::Run;
use super::expansion::all_braces;
use super::known_programs::{MAKING_NO_ARCHIVE, base_name};
use super::limits::LINKS_MAX;
use std::path::PathBuf;

impl Run<'_> {
    /// A program that packs or unpacks files: what is unpacked has the name without the ending.
    pub(super) fn pack(&mut self, args: &[String], files: &[String]) {
        let has = |letters: &[char], long: &[&str]| {
            args.iter().any(|arg| match arg.strip_prefix("--") {
                Some(name) => long.contains(&name),
                None => arg.starts_with('-') && arg.contains(letters),
            })
        };
        if has(&['c', 'l', 't'], &["stdout", "list", "test"]) {
            return;
        }
        if !has(&['k'], &["keep"]) {
            self.write_all(files, How::Here);
        }
        let unpacked = files.iter().filter_map(|file| Some(file.rsplit_once('.')?.0.to_owned()));
        self.write_all(&unpacked.collect::<Vec<_>>(), How::Here);
    }

    /// A program that corrects files, or all of a directory.
    pub(super) fn fix(&mut self, name: &str, args: &[String], files: &[String]) {
        let named = |word: &&String| !word.starts_with(['!', '#']);
        let directories = fixers::directories(name, args);
        let (found, chosen) = directories.unwrap_or_default();
        let files: Vec<String> = files.iter().filter(named).flat_map(|word| all_braces(word)).collect();
        for word in &files {
            let is_many = word.contains('*');
            if !(is_many && fixers::is_for_code_only(name)) {
                let chosen = if is_many { fixers::left_alone(name, args) } else { Chosen::default() };
                let known =
                    self.searched.iter().find(|(known, _)| known == word).map(|(_, chosen)| chosen.clone());
                self.write_chosen(word, How::Here, &known.unwrap_or(chosen));
            }
        }
        for word in found {
            self.write_chosen(&word, How::Below, &chosen);
        }
    }

    pub(super) fn unpack(&mut self, unpacked: &unpacking::Unpacked) {
        let dir = unpacked.dir.trim_end_matches('/');
        // What is unpacked into the user's home is seldom a copy of it.
        if unpacked.members.is_empty() && self.path(dir) != self.home {
            let archive = unpacked.archive.as_ref().map(|file| self.path(file));
            // What the line itself makes is not there yet.
            let archive =
                archive.filter(|file| !self.found.written.iter().any(|written| written.reaches(file)));
            let chosen = Chosen { archive, ..unpacked.chosen.clone() };
            self.write_chosen(&format!("{dir}/*"), How::Below, &chosen);
        }
        for member in &unpacked.members {
            let member = member.trim_end_matches('/');
            self.write_chosen(&format!("{dir}/{member}"), How::Here, &unpacked.chosen);
            self.write_chosen(&format!("{dir}/{member}/*"), How::Below, &unpacked.chosen);
        }
    }

    /// Nothing is unpacked from an archive that is not there, where no command of the line can make it.
    pub(super) fn leave_out_missing_archives(&mut self) {
        let makes_none = |command: &SimpleCommand| MAKING_NO_ARCHIVE.contains(&command.program());
        if !self.found.simple.iter().all(makes_none) {
            return;
        }
        let files = self.files;
        let is_missing = |file: &PathBuf| {
            let text = file.to_string_lossy();
            let is_known = !text.ends_with("/-")
                && !text.contains(['$', '`', '*', '?', '[', '{', ':'])
                && !text.contains(substitution::MADE);
            is_known && files.is_missing(file)
        };
        let stays = |written: &WrittenPath| !written.chosen.archive.as_ref().is_some_and(is_missing);
        self.found.written.retain(stays);
        self.found.simple.iter_mut().for_each(|command| command.written.retain(stays));
    }

    /// Notes the target as written, and each source's name in it; the sources of a move as removed.
    pub(super) fn copy(&mut self, name: &str, args: &[String]) {
        let Some(copies) = copies::copies(name, args) else { return };
        self.write(&copies.target, if copies.deletes { How::Gone } else { How::Here });
        for source in &copies.sources {
            let bare = source.trim_end_matches('/');
            let (dir, last) = bare.rsplit_once('/').unwrap_or((".", bare));
            // `host:file` of scp.
            let last = last.rsplit(':').next().unwrap_or(last);
            let to = self.path(&copies.target);
            if matches!(name, "cp" | "rsync") && last.contains(['*', '?', '[']) {
                let dir = if source.starts_with('/') && dir.is_empty() { "/" } else { dir };
                self.found.trees.push(CopiedTree { from: self.path(dir), to, names: Some(last.to_owned()) });
                continue;
            }
            self.write(&format!("{}/{last}", copies.target), How::Here);
            if copies.whole {
                let from = self.path(source);
                let below = to.join(last);
                if !copies.plain {
                    self.found.trees.push(CopiedTree { from: from.clone(), to: below, names: None });
                }
                self.found.trees.push(CopiedTree { from, to, names: None });
            }
            if name == "mv" {
                self.write(source, How::Gone);
            }
        }
        self.link(name, &copies);
    }

    /// Remembers the links and copies that a command makes, and where a link of the line is moved to.
    pub(super) fn link(&mut self, name: &str, copies: &copies::Copies) {
        for source in &copies.sources {
            let last = base_name(source.trim_end_matches('/'));
            let inside = (!copies.plain && !matches!(last, "" | "." | ".."))
                .then(|| format!("{}/{last}", copies.target.trim_end_matches('/')));
            let is_dir = copies.is_into || copies.target.ends_with('/') || copies.target == ".";
            let itself = (!is_dir).then(|| copies.target.clone());
            for place in inside.into_iter().chain(itself) {
                let place = plain(&self.path(&place));
                let from = match copies.links {
                    Some(Links::FromTheirPlace) => place.parent().unwrap_or(&place).to_owned(),
                    Some(Links::FromHere) => self.cwd.clone(),
                    None => {
                        let from = self.path(source);
                        let targets = led(&self.links, &from).into_iter().filter(|_| name == "mv");
                        targets.for_each(|target| self.remember_link(place.clone(), target));
                        self.remember_copy(place, from);
                        continue;
                    }
                };
                // `ln -s ../*.md DIR`: each of them has its name there.
                match source.rsplit_once('/').filter(|_| last.contains(['*', '?', '['])) {
                    Some((dir, _)) => {
                        let place = place.parent().unwrap_or(&place).to_owned();
                        self.remember_link(place, absolute(dir, &self.home, &from));
                    }
                    None => self.remember_link(place, absolute(source, &self.home, &from)),
                }
            }
        }
    }

    pub(super) fn remember_copy(&mut self, place: PathBuf, original: PathBuf) {
        if self.copied.len() < LINKS_MAX && place != original {
            self.copied.push((place, original));
        }
    }

    pub(super) fn remember_link(&mut self, place: PathBuf, target: PathBuf) {
        let link = (place, target);
        let is_new = !self.links.contains(&link) && link.0 != plain(&link.1);
        if self.links.len() < LINKS_MAX && is_new {
            self.links.push(link);
        }
    }
}
