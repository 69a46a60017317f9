//! What `make` runs of a Makefile: the recipes of its goals, and of what these depend on. Variables are read as plain text; conditions
//! are taken as met, and functions (`$(shell …)`) are left as they stand.

use super::options::Options;

/// The most targets, and bytes of one line after its variables were put in.
const TARGETS_MAX: usize = 200;
const LINE_BYTES_MAX: usize = 16 << 10;
/// How deep variables within variables are looked into.
const DEPTH_MAX: usize = 4;
/// The names of a Makefile that is not named, in the order of GNU make.
pub(super) const NAMES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// Options of `make` that take a value.
const MAKE: Options = Options {
    letters: "CfIloW",
    long: &[
        "directory",
        "file",
        "makefile",
        "include-dir",
        "old-file",
        "assume-old",
        "what-if",
        "new-file",
        "eval",
    ],
};
/// Options with which nothing is run.
const LOOKING: [&str; 8] =
    ["-n", "--just-print", "--dry-run", "--recon", "-q", "--question", "--help", "--version"];

/// A call of `make`.
#[derive(Debug, Default)]
pub(super) struct Made {
    /// The directory it goes to.
    pub(super) dir: Option<String>,
    /// The Makefile it is told.
    pub(super) file: Option<String>,
    /// What it is told to read in front of it: `--eval=TEXT`.
    pub(super) evaluated: Vec<String>,
    goals: Vec<String>,
    variables: Vec<(String, String)>,
}

/// Reads the arguments of `make`; `None` where it runs nothing.
pub(super) fn made(args: &[String]) -> Option<Made> {
    let said = MAKE.all(args);
    if said.has(&LOOKING) {
        return None;
    }
    let (set, goals): (Vec<String>, Vec<String>) =
        said.files.iter().cloned().partition(|word| word.contains('='));
    let set = set.iter().filter_map(|word| word.split_once('='));
    Some(Made {
        dir: said.value(&["-C", "--directory"]).map(str::to_owned),
        file: said.value(&["-f", "--file", "--makefile"]).map(str::to_owned),
        evaluated: said.values(&["--eval"]),
        goals,
        variables: set
            .map(|(name, value)| (name.trim_end_matches(':').to_owned(), value.to_owned()))
            .collect(),
    })
}

impl Made {
    /// The value of a variable that the call sets.
    pub(super) fn value(&self, name: &str) -> Option<String> {
        let set = self.variables.iter().rev().find(|(known, _)| known == name);
        set.map(|(_, value)| value.clone())
    }
}

struct Rule {
    targets: Vec<String>,
    needs: Vec<String>,
    recipe: Vec<String>,
}

/// The lines that a call runs of a Makefile, each in a shell of its own.
pub(super) fn lines(text: &str, made: &Made) -> Vec<String> {
    let (rules, variables) = read(text, &made.variables);
    let first = rules.iter().flat_map(|rule| &rule.targets).find(|target| !target.starts_with('.'));
    let mut wanted: Vec<String> = match made.goals.as_slice() {
        [] => first.into_iter().cloned().collect(),
        goals => goals.to_vec(),
    };
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(target) = wanted.get(at).filter(|_| at < TARGETS_MAX).cloned() {
        at += 1;
        for rule in &rules {
            let Some(stem) = rule.targets.iter().find_map(|pattern| stem(pattern, &target)) else { continue };
            let needs: Vec<String> = rule.needs.iter().map(|need| need.replacen('%', stem, 1)).collect();
            let first = needs.first().map_or("", String::as_str);
            let named = [
                ("@", target.as_str()),
                ("<", first),
                ("^", &needs.join(" ")),
                ("+", &needs.join(" ")),
                ("*", stem),
            ]
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
            let all = [variables.as_slice(), &named].concat();
            let lines = rule.recipe.iter().map(|line| filled_in(line, &all, 0));
            found.extend(lines.map(|line| line.trim_start_matches(['@', '-', '+', ' ', '\t']).to_owned()));
            wanted.extend(needs.into_iter().filter(|need| !wanted.contains(need)).collect::<Vec<_>>());
        }
    }
    found
}

/// What stands for `%` in a target; nothing for one that is named as it is.
fn stem<'t>(pattern: &str, target: &'t str) -> Option<&'t str> {
    match pattern.split_once('%') {
        None => (pattern == target).then_some(""),
        Some((begin, end)) => target.strip_prefix(begin)?.strip_suffix(end),
    }
}

/// The rules and the variables of a Makefile; those in `set` stay as they are.
fn read(text: &str, set: &[(String, String)]) -> (Vec<Rule>, Vec<(String, String)>) {
    let mut rules: Vec<Rule> = Vec::new();
    let mut variables = vec![("MAKE".to_owned(), "make".to_owned())];
    variables.extend_from_slice(set);
    let text = text.replace("\\\n", " ");
    for line in text.lines() {
        if let Some(line) = line.strip_prefix('\t') {
            rules.last_mut().into_iter().for_each(|rule| rule.recipe.push(line.to_owned()));
            continue;
        }
        let line = line.split(" #").next().unwrap_or(line).trim();
        if line.starts_with('#') {
            continue;
        }
        if let Some((name, sign, value)) = assigned(line) {
            let before = variables.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value);
            let value = match before.filter(|_| sign == Some('+')) {
                Some(before) => format!("{before} {value}"),
                None => value.to_owned(),
            };
            let is_kept = set.iter().any(|(known, _)| known == name) || sign == Some('?') && before.is_some();
            if !is_kept && value.len() < LINE_BYTES_MAX {
                variables.push((name.to_owned(), value));
            }
            continue;
        }
        let Some((targets, rest)) = line.split_once(':') else { continue };
        let (needs, recipe) = rest
            .trim_start_matches(':')
            .split_once(';')
            .map_or((rest, None), |(needs, line)| (needs, Some(line.to_owned())));
        let words = |text: &str| {
            let text = filled_in(text.trim_start_matches(':'), &variables, 0);
            text.split_whitespace().filter(|word| *word != "|").map(str::to_owned).collect::<Vec<_>>()
        };
        rules.push(Rule {
            targets: words(targets),
            needs: words(needs),
            recipe: recipe.into_iter().collect(),
        });
    }
    (rules, variables)
}

/// `NAME = value`, `NAME += value`: the name, the sign in front of `=`, the value.
fn assigned(line: &str) -> Option<(&str, Option<char>, &str)> {
    let line = line.strip_prefix("export ").or_else(|| line.strip_prefix("override ")).unwrap_or(line);
    let (name, value) = line.split_once('=')?;
    let sign = name.chars().last();
    let name = name.trim_end_matches([':', '?', '+', '!']).trim();
    let is_name = !name.is_empty() && !name.contains([' ', '\t', ':', '#', '$']);
    is_name.then_some((name, sign, value.trim()))
}

/// A text with the values of the variables that it names: `$(NAME)`, `${NAME}`, `$@`. `$$` is what a shell reads as `$`.
fn filled_in(text: &str, variables: &[(String, String)], depth: usize) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$').filter(|_| filled.len() < LINE_BYTES_MAX) {
        filled.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        let (name, len) = match behind.chars().next() {
            Some('$') => {
                filled.push('$');
                rest = &behind[1..];
                continue;
            }
            Some(open @ ('(' | '{')) => {
                let close = if open == '(' { ')' } else { '}' };
                let end = behind.find(close).unwrap_or(behind.len() - 1);
                (&behind[1..end.max(1)], end + 1)
            }
            Some(c) => (&behind[..c.len_utf8()], c.len_utf8()),
            None => ("", 0),
        };
        match variables.iter().rev().find(|(known, _)| known == name) {
            Some((_, value)) if depth < DEPTH_MAX => filled.push_str(&filled_in(value, variables, depth + 1)),
            _ => filled.push_str(&rest[at..at + 1 + len.min(behind.len())]),
        }
        rest = &behind[len.min(behind.len())..];
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recipes_of_the_goals_are_found() {
        let text = "# a\nA := x\nB = $(A).md\nA += y\nC ?= c\n.PHONY: all\nall: b $(C) ## help\n\t@echo $$HOME $@\nb:: ; -rm $(B) \\\nz\n\
                    %.o: src/%.c | dir\n\tcc $< -o $@\nc:\n\t$(unknown x) ${C}\nother:\n\tno\n";
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        for (call, expected) in [
            ("-j4", vec!["echo $HOME all", "rm x y.md  z", "$(unknown x) c"]),
            ("C=other all", vec!["echo $HOME all", "rm x y.md  z", "no"]),
            ("-C dir a.o", vec!["cc src/a.c -o a.o"]),
            ("missing", vec![]),
        ] {
            assert_eq!(lines(text, &made(&words(call)).unwrap()), expected, "{call}");
        }
        assert!(made(&words("-n all")).is_none());
        for odd in
            ["$", "a: $", "a:\n\t$(", "a: a\n\t${", "=", ":", "\t", "a = $(a)\nb: $(a)\n\t$(a)", "é: ü\n\t$é"]
        {
            lines(odd, &Made::default());
        }
    }
}
