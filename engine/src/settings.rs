//! The configuration of a home: read from `config.yaml`, or from `config.cache` while that was made of the same text.

use crate::{Exit, Failure, Home};
use declaration::{Advice, Problem};
use policy::settings::Settings;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The defaults of every setting, and what `init` writes.
pub const DEFAULT_CONFIG: &str = include_str!("default-config.yaml");

/// What `SOUL.md` says until a person writes it.
pub const DEFAULT_SOUL: &str = include_str!("default-soul.md");

/// Identifies the build that wrote `config.cache`: its version, and the defaults it was built with.
const BUILD: u64 = mark(env!("CARGO_PKG_VERSION"), mark(DEFAULT_CONFIG, 0xcbf2_9ce4_8422_2325));

/// The FNV-1a hash of a text, going on from another one's.
const fn mark(text: &str, seed: u64) -> u64 {
    let (bytes, mut at, mut hash) = (text.as_bytes(), 0, seed);
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
        at += 1;
    }
    hash
}

/// The largest `config.yaml`, in bytes.
pub(crate) const CONFIG_BYTES_MAX: u64 = 1 << 20;
/// The largest `config.cache`, in bytes: the text is in it.
const CACHE_BYTES_MAX: u64 = 1 << 20;

/// So often is looked again for a `config.yaml` that is away, and so long is waited each time.
const AWAY_LOOKS: u32 = 4;
const AWAY_NAP: Duration = Duration::from_millis(25);
/// The last line of a configuration that is meant to be shorter.
const ALL_OF_IT: &str = "# all of it";
/// So much of what a save that was cut off has left stood there before: seven lines of ten.
const KEPT: (usize, usize) = (7, 10);

impl Home {
    /// The configuration; the defaults where the home has none.
    ///
    /// # Errors
    /// It cannot be read, or it is wrong; every problem is named with its place. Somebody else owns it or the home, or can
    /// write to them: it may name programs to run.
    pub fn settings(&self) -> Result<Settings, Failure> {
        Ok(self.read_settings()?.0)
    }

    /// The same for what declares or merges, and kept as read: for hooks, which have no time to read it, and for when it is gone. That it
    /// cannot be kept is no failure.
    ///
    /// # Errors
    /// As for `settings`.
    pub fn settings_to_keep(&self) -> Result<Settings, Failure> {
        let (settings, fresh) = self.read_settings()?;
        if let Some(bytes) = fresh.and_then(|text| settings.to_cache(&text, BUILD)) {
            let _ = self.layout.keep_config(&*self.disk, &bytes);
        }
        Ok(settings)
    }

    /// The last settings that could be read, else the defaults: documents stay guarded while a line of the configuration is wrong.
    ///
    /// # Errors
    /// As for `defaults`.
    pub(crate) fn last_settings(&self) -> Result<Settings, Failure> {
        self.kept_config().and_then(|bytes| Settings::last_in_cache(&bytes)).map_or_else(defaults, Ok)
    }

    /// What `config.cache` says, where nobody else can have written it.
    fn kept_config(&self) -> Option<Vec<u8>> {
        let cache = self.layout.config_cache();
        self.disk.read(&cache, CACHE_BYTES_MAX).ok().filter(|_| self.layout.is_ours(&*self.disk, &cache))
    }

    /// What `config.yaml` said when it was read last.
    pub(crate) fn last_text(&self) -> Option<String> {
        self.kept_config().and_then(|bytes| Settings::text_in_cache(&bytes).map(str::to_owned))
    }

    /// The text of `config.yaml`; `None` in a home that has none and never had one, or one with the defaults. An editor that saves may
    /// have it away for a moment, and that is waited for: to go on with the defaults would write without a yes what a person wants asked.
    fn config_there(&self) -> Result<Option<Vec<u8>>, Failure> {
        let path = self.layout.config();
        let mut looks = 0;
        loop {
            match self.disk.read(&path, CONFIG_BYTES_MAX) {
                Ok(bytes) => return Ok(Some(bytes)),
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(e.into()),
                Err(_) => {}
            }
            let is_link = self.disk.stat_link(&path)?.is_some();
            if !is_link && self.last_text().is_none_or(|last| last == DEFAULT_CONFIG) {
                return Ok(None);
            }
            if looks == AWAY_LOOKS {
                return Err(self.config_is_away(is_link));
            }
            self.wait_for_config();
            looks += 1;
        }
    }

    /// Waits for whoever may be saving the configuration: all looks of a process together only so long, as an agent waits for its hook.
    fn wait_for_config(&self) {
        if self.config_naps.fetch_add(1, Ordering::Relaxed) < AWAY_LOOKS {
            (self.host.sleep)(AWAY_NAP);
        }
    }

    /// The text of `config.yaml` once nobody is in the middle of writing it: many programs empty a file first, and what they have written so
    /// far can be a good configuration with laxer rules. `last`: what it said when it was read last.
    fn saved_whole(&self, mut text: Vec<u8>, last: Option<&str>) -> Result<Vec<u8>, Failure> {
        let Some(last) = last else { return Ok(text) };
        let mut looks = 0;
        while text.len() < last.len() && looks < AWAY_LOOKS {
            self.wait_for_config();
            let again = self.config_there()?.unwrap_or_default();
            if again == text {
                break;
            }
            (text, looks) = (again, looks + 1);
        }
        // A last line whose end alone is gone lacks nothing.
        let is_less = text.trim_ascii_end().len() < last.trim_end().len() && !text.trim_ascii().is_empty();
        let is_beginning = last.as_bytes().starts_with(&text);
        let is_cut = is_less && !text.ends_with(b"\n") && (last.ends_with('\n') || is_beginning);
        if is_cut {
            let name = self.short(&self.layout.config());
            let message = format!(
                "{name} is shorter than it was, and its last line has no end: a save may have been cut off"
            );
            return Err(Failure::new(message)
                .hint("save it again; where all of it is there, with an end of its last line"));
        }
        Ok(text)
    }

    fn config_is_away(&self, is_link: bool) -> Failure {
        let (name, cache) = (self.short(&self.layout.config()), self.short(&self.layout.config_cache()));
        match is_link {
            true => Failure::new(format!("{name} is a link, and nothing is where it leads"))
                .hint("put back what it leads to"),
            false => Failure::new(format!("{name} is gone, and it did not say the defaults"))
                .hint(Advice::PutConfigurationBack(cache)),
        }
    }

    /// The configuration, and its text where it had to be read because it is not kept.
    fn read_settings(&self) -> Result<(Settings, Option<String>), Failure> {
        let mut looks = 0;
        loop {
            let (settings, fresh) = self.read_settings_once()?;
            let Some(end) = fresh.as_deref().and_then(|text| self.lacks(text, &settings)) else {
                self.config_naps.store(0, Ordering::Relaxed);
                return Ok((settings, fresh));
            };
            if looks == AWAY_LOOKS {
                let name = self.short(&self.layout.config());
                let message = format!(
                    "{name} ends before `{end}`, which was its last line, and allows more than it did: a save may have been cut off"
                );
                return Err(Failure::new(message)
                    .hint("save it again; where all of it is there, with `# all of it` as its last line"));
            }
            self.wait_for_config();
            looks += 1;
        }
    }

    /// The last line that the configuration had, where it ends before that as it went on before, and allows more than it did: it may be what a
    /// save that was cut off at the end of a line has left.
    fn lacks(&self, text: &str, settings: &Settings) -> Option<String> {
        let kept = self.kept_config()?;
        let last = Settings::text_in_cache(&kept)?;
        if text.trim_end().ends_with(ALL_OF_IT) {
            return None;
        }
        let says = |line: &&str| !line.is_empty() && !line.trim_start().starts_with('#');
        let lines = |text: &str| text.lines().map(str::trim_end).filter(says).map(str::to_owned).collect();
        let [is, was]: [Vec<String>; 2] = [text, last].map(lines);
        // As it went on before, but for what the save changed; one that is written anew has other lines.
        let again = is.iter().filter(|line| was.contains(line)).count();
        let is_cut = text.len() < last.len()
            && is.last() != was.last()
            && is.last().is_some_and(|end| was.contains(end))
            && again * KEPT.1 >= is.len() * KEPT.0;
        let is_laxer = || {
            let before = Settings::last_in_cache(&kept);
            before.is_some_and(|before| policy::reached::are_laxer(settings, &before))
        };
        was.last().filter(|_| is_cut && is_laxer()).map(|line| line.trim().to_owned())
    }

    fn read_settings_once(&self) -> Result<(Settings, Option<String>), Failure> {
        self.layout.check_config(&*self.disk)?;
        let Some(text) = self.config_there()? else { return Ok((defaults()?, None)) };
        let name = self.short(&self.layout.config());
        let kept = self.kept_config();
        let known = |text: &[u8]| {
            let text = std::str::from_utf8(text).ok()?;
            Settings::from_cache(kept.as_ref()?, text, BUILD)
        };
        if let Some(settings) = known(&text) {
            return Ok((settings, None));
        }
        let text = self.saved_whole(text, kept.as_deref().and_then(Settings::text_in_cache))?;
        if let Some(settings) = known(&text) {
            return Ok((settings, None));
        }
        let text = String::from_utf8(text).map_err(|e| {
            Failure::new(format!("{name} is not UTF-8 text at byte {}", e.utf8_error().valid_up_to()))
        })?;
        let defaults = defaults()?;
        let read =
            if text == DEFAULT_CONFIG { Ok(defaults) } else { Settings::parse(&text, Some(&defaults)) };
        let settings = read.map_err(|problems| {
            Failure::refused(&name, &problems).hint(Advice::CheckConfiguration).exit(Exit::CouldNot)
        })?;
        Ok((settings, Some(text)))
    }
}

/// The settings of a home without a configuration.
///
/// # Errors
/// Never, in a build whose tests have passed.
pub fn defaults() -> Result<Settings, Failure> {
    Settings::parse(DEFAULT_CONFIG, None)
        .map_err(|problems: Vec<Problem>| Failure::refused("the default configuration", &problems))
}
