//! What `just`, `task` and `tox` run of their own files: the recipes that a call names, and of those what they depend on. Each file is
//! read by how its lines are indented.

/// The most recipes of one call, and bytes of one recipe after its variables were put in.
const RECIPES_MAX: usize = 64;
const RECIPE_BYTES_MAX: usize = 64 << 10;

/// A recipe: its name, what it is given by name, its text.
struct Recipe {
    name: String,
    parameters: Vec<(String, String)>,
    /// The line that names it.
    head: String,
    lines: Vec<String>,
}

/// The texts that `just` runs, each in a shell or as a script with its own first line.
pub(super) fn of_just(text: &str, goals: &[String]) -> Vec<String> {
    let mut recipes: Vec<Recipe> = Vec::new();
    let mut variables: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        if line.starts_with([' ', '\t']) {
            recipes.last_mut().into_iter().for_each(|recipe| recipe.lines.push(line.trim().to_owned()));
        } else if let Some((name, value)) = line.split_once(":=") {
            let name = name.trim().trim_start_matches("export ").to_owned();
            variables.push((name, value.trim().trim_matches(['"', '\'']).to_owned()));
        } else if let Some((head, needs)) = line.split_once(':').filter(|_| !line.starts_with(['#', '['])) {
            let mut words = head.split_whitespace();
            let Some(name) = words.next() else { continue };
            let parameter = |word: &str| {
                let word = word.trim_start_matches(['*', '+', '$']);
                let (name, value) = word.split_once('=').unwrap_or((word, ""));
                (name.to_owned(), value.trim_matches(['"', '\'']).to_owned())
            };
            recipes.push(Recipe {
                name: name.trim_start_matches('@').to_owned(),
                parameters: words.map(parameter).collect(),
                head: needs.to_owned(),
                lines: Vec::new(),
            });
        }
    }
    let first = recipes.first().map(|recipe| recipe.name.clone());
    // Behind a recipe with parameters stand their values.
    let mut wanted: Vec<String> = Vec::new();
    let mut rest = goals.iter();
    while let Some(goal) = rest.next() {
        let Some(recipe) = recipes.iter_mut().find(|recipe| recipe.name == *goal) else { continue };
        wanted.push(goal.clone());
        let count = recipe.parameters.len();
        for (at, (_, value)) in recipe.parameters.iter_mut().enumerate() {
            let given: Vec<String> = if at + 1 == count {
                rest.by_ref().cloned().collect()
            } else {
                rest.next().cloned().into_iter().collect()
            };
            if !given.is_empty() {
                *value = given.join(" ");
            }
        }
    }
    if goals.is_empty() {
        wanted.extend(first);
    }
    let filled = |recipe: &Recipe| {
        let values = recipe.parameters.iter().chain(&variables);
        values.fold(recipe.lines.join("\n"), |text, (name, value)| {
            let text =
                text.replace(&format!("{{{{{name}}}}}"), value).replace(&format!("{{{{ {name} }}}}"), value);
            if text.len() > RECIPE_BYTES_MAX { String::new() } else { text }
        })
    };
    named(&recipes, wanted, filled)
}

/// The texts that `task` runs of a Taskfile; `given` is what stands behind `--`.
pub(super) fn of_task(text: &str, goals: &[String], given: &str) -> Vec<String> {
    let mut recipes: Vec<Recipe> = Vec::new();
    let mut variables: Vec<(String, String)> = vec![("CLI_ARGS".to_owned(), given.to_owned())];
    let mut section = "";
    let mut depth = None;
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#')) {
        let indent = line.len() - line.trim_start().len();
        let line = line.trim();
        if indent == 0 {
            section = line.split(':').next().unwrap_or_default();
            depth = None;
            continue;
        }
        if section == "vars" {
            let pair =
                line.split_once(':').map(|(name, value)| (name.to_owned(), unquoted(value).to_owned()));
            variables.extend(pair);
        }
        if section != "tasks" {
            continue;
        }
        if indent == *depth.get_or_insert(indent) {
            let (name, rest) = line.split_once(':').unwrap_or((line, ""));
            let name = name.trim_matches(['"', '\'']).to_owned();
            let inline = unquoted(rest).trim_matches(['[', ']']).to_owned();
            recipes.push(Recipe { name, parameters: Vec::new(), head: String::new(), lines: vec![inline] });
        } else if let Some(recipe) = recipes.last_mut() {
            let item = line.strip_prefix("- ").unwrap_or(line);
            let run = ["cmd:", "sh:", "defer:"].iter().find_map(|key| item.strip_prefix(key));
            let is_key = |text: &str| {
                text.split_once(':').is_some_and(|(key, rest)| {
                    key.chars().all(|c| c.is_alphanumeric() || c == '_')
                        && (rest.is_empty() || rest.starts_with(' '))
                })
            };
            match run {
                Some(text) => recipe.lines.push(unquoted(text).to_owned()),
                None if is_key(item) => {
                    recipe.head.push_str(item);
                    recipe.head.push(' ');
                }
                None => recipe.lines.push(unquoted(item).to_owned()),
            }
        }
    }
    let wanted = if goals.is_empty() { vec!["default".to_owned()] } else { goals.to_vec() };
    let filled = |recipe: &Recipe| {
        variables.iter().fold(recipe.lines.join("\n"), |text, (name, value)| {
            let text = text
                .replace(&format!("{{{{.{name}}}}}"), value)
                .replace(&format!("{{{{ .{name} }}}}"), value);
            if text.len() > RECIPE_BYTES_MAX { String::new() } else { text }
        })
    };
    named(&recipes, wanted, filled)
}

/// The lines that `tox` runs, of all environments.
pub(super) fn of_tox(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        let key = line
            .split_once('=')
            .filter(|_| !line.starts_with([' ', '\t']))
            .map(|(key, value)| (key.trim(), value));
        match key {
            Some((key, value)) => {
                is_open = key.starts_with("commands");
                found.extend((is_open && !value.trim().is_empty()).then(|| value.trim().to_owned()));
            }
            None if line.starts_with('[') => is_open = false,
            None if is_open && !line.trim().is_empty() => {
                found.push(line.trim().trim_start_matches("- ").to_owned())
            }
            None => {}
        }
    }
    found.truncate(RECIPES_MAX);
    found
}

/// The texts of the recipes with these names, and of those that these name.
fn named(recipes: &[Recipe], mut wanted: Vec<String>, filled: impl Fn(&Recipe) -> String) -> Vec<String> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(goal) = wanted.get(at).filter(|_| at < RECIPES_MAX).cloned() {
        at += 1;
        for recipe in recipes.iter().filter(|recipe| recipe.name == goal) {
            let named = format!(
                "{} {}",
                recipe.head,
                recipe.lines.first().filter(|line| line.starts_with("task:")).map_or("", String::as_str)
            );
            let words = named
                .split(|c: char| !c.is_alphanumeric() && !"_-:".contains(c))
                .map(|word| word.trim_matches(':'));
            let needs =
                words.filter(|word| recipes.iter().any(|recipe| recipe.name == *word)).map(str::to_owned);
            let needs: Vec<String> = needs.filter(|need| !wanted.contains(need)).collect();
            wanted.extend(needs);
            let text = filled(recipe);
            // Each line may say that it is not shown, or that it may fail.
            let is_script = text.trim_start().starts_with("#!");
            let line = |line: &str| {
                if is_script { line.to_owned() } else { line.trim_start_matches(['@', '-']).to_owned() }
            };
            found.push(text.trim_start().lines().map(line).collect::<Vec<_>>().join("\n"));
        }
    }
    found
}

fn unquoted(text: &str) -> &str {
    let text = text.trim().trim_start_matches(['|', '>']).trim();
    let inner = ['"', '\''].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote));
    inner.unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn recipes_of_just() {
        let text = "doc := 'A.md'\n\n# Builds.\nbuild: gen\n    @cc {{doc}}\n    -rm x\ngen:\n    y\n[private]\nput file mode='a':\n    echo {{ file }} {{mode}}\npy:\n    #!/usr/bin/env python3\n    open('x')\n";
        for (goals, expected) in [
            ("", "cc A.md\nrm x;y"),
            ("gen", "y"),
            ("put B.md", "echo B.md a"),
            ("py", "#!/usr/bin/env python3\nopen('x')"),
            ("missing", ""),
        ] {
            assert_eq!(of_just(text, &words(goals)).join(";"), expected, "{goals}");
        }
    }

    #[test]
    fn recipes_of_task() {
        let text = "version: '3'\nvars:\n  DOC: A.md\ntasks:\n  default:\n    deps: [gen]\n    cmds:\n      - \"echo {{.DOC}}\"\n      - cmd: rm x\n      - task: other\n  gen:\n    desc: it says rm\n    cmds:\n      - |\n        y\n        z {{.CLI_ARGS}}\n  other: cmd w\n";
        assert_eq!(of_task(text, &[], "").join(";"), "echo A.md\nrm x;y\nz ;cmd w");
        assert_eq!(of_task(text, &words("gen"), "q").join(";"), "y\nz q");
    }

    #[test]
    fn lines_of_tox() {
        let text = "[tox]\nenvlist = py\n[testenv]\ndeps = x\ncommands =\n    pytest {posargs}\n    - rm x\n[testenv:docs]\ncommands = make\n";
        assert_eq!(of_tox(text).join(";"), "pytest {posargs};rm x;make");
    }
}
