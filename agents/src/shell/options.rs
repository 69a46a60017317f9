//! Options of programs on a command line: which of them take a value, so that the value is not taken for a file or a command.

/// Which options of a program take a value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Options {
    /// Letters: `u` of `-u USER`.
    pub(super) letters: &'static str,
    /// Long names, without `--`.
    pub(super) long: &'static [&'static str],
}

/// A program's arguments, read.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    /// Options as `-x` or `--name`, with the value they have.
    pub(super) options: Vec<(String, Option<String>)>,
    /// The arguments that are neither options nor their values.
    pub(super) files: Vec<String>,
}

impl Options {
    /// Reads all arguments; options may stand between files.
    pub(super) fn all(&self, args: &[String]) -> Arguments {
        let mut found = Arguments::default();
        let mut rest = args;
        loop {
            let (read, used) = self.leading(rest);
            found.options.extend(read);
            let ended = used > 0 && rest[used - 1] == "--";
            rest = &rest[used..];
            if ended {
                found.files.extend_from_slice(rest);
                return found;
            }
            let [file, tail @ ..] = rest else { return found };
            found.files.push(file.clone());
            rest = tail;
        }
    }

    /// Reads the options at the beginning of the arguments; also how many words these and their values are.
    pub(super) fn leading(&self, args: &[String]) -> (Vec<(String, Option<String>)>, usize) {
        let mut found: Vec<(String, Option<String>)> = Vec::new();
        let mut used = 0;
        while let Some(word) = args.get(used).filter(|word| word.starts_with('-')) {
            used += 1;
            if word == "--" {
                break;
            }
            found.extend(self.of(word));
            let last = found.last_mut().filter(|(name, value)| value.is_none() && self.has_value(name));
            if let Some((_, value)) = last {
                *value = args.get(used).cloned();
                used += usize::from(value.is_some());
            }
        }
        (found, used)
    }

    /// The options in one word. A long one may be abbreviated; letters may stand together, the last with its value behind it.
    fn of(&self, word: &str) -> Vec<(String, Option<String>)> {
        if let Some(long) = word.strip_prefix("--") {
            let (long, value) =
                long.split_once('=').map_or((long, None), |(long, value)| (long, Some(value)));
            let whole = self.long.iter().find(|known| long.len() > 2 && known.starts_with(long));
            return vec![(format!("--{}", whole.unwrap_or(&long)), value.map(str::to_owned))];
        }
        let mut found = Vec::new();
        for (at, letter) in word.char_indices().skip(1) {
            let rest = &word[at + letter.len_utf8()..];
            let has_value = self.letters.contains(letter);
            let value = (has_value && !rest.is_empty()).then(|| rest.to_owned());
            found.push((format!("-{letter}"), value));
            if has_value {
                break;
            }
        }
        found
    }

    fn has_value(&self, name: &str) -> bool {
        match name.strip_prefix("--") {
            Some(long) => self.long.contains(&long),
            None => name.len() > 1 && self.letters.contains(&name[1..]),
        }
    }
}

impl Arguments {
    /// Whether one of these options is there.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|(name, _)| names.contains(&name.as_str()))
    }

    /// The values of these options.
    pub(super) fn values(&self, names: &[&str]) -> Vec<String> {
        let named = self.options.iter().filter(|(name, _)| names.contains(&name.as_str()));
        named.filter_map(|(_, value)| value.clone()).collect()
    }

    /// The value of the last of these options.
    pub(super) fn value(&self, names: &[&str]) -> Option<&str> {
        let named = self.options.iter().rev().find(|(name, _)| names.contains(&name.as_str()));
        named.and_then(|(_, value)| value.as_deref())
    }
}
