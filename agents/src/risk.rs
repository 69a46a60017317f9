//! Commands whose harm to a project is hard to undo. A short list, on purpose: what is on it is worth reading a page first.

/// Why one of these commands is of high risk, in words.
#[must_use]
pub fn risk(commands: &[Vec<String>]) -> Option<String> {
    commands.iter().find_map(|words| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        risky(&words).then(|| words.iter().take(6).copied().collect::<Vec<_>>().join(" "))
    })
}

fn risky(words: &[&str]) -> bool {
    let [name, args @ ..] = words else { return false };
    let has = |names: &[&str]| args.iter().any(|arg| names.contains(arg));
    let short = |letter: char| {
        args.iter().any(|arg| arg.starts_with('-') && !arg.starts_with("--") && arg.contains(letter))
    };
    match name.rsplit('/').next().unwrap_or(name) {
        "rm" => short('r') || short('R') || has(&["--recursive"]),
        "git" if has(&["push"]) => {
            short('f') || has(&["--force", "--force-with-lease", "--mirror", "--delete"])
        }
        "git" if has(&["reset"]) => has(&["--hard"]),
        "git" if has(&["clean"]) => short('f') || has(&["--force"]),
        "git" => has(&["filter-branch", "filter-repo"]),
        "terraform" | "tofu" | "pulumi" => has(&["apply", "destroy", "up"]),
        "kubectl" | "helm" => has(&["delete", "uninstall"]),
        "npm" | "cargo" | "twine" | "pnpm" | "yarn" => has(&["publish", "upload", "yank"]),
        "dropdb" | "mkfs" => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_of_high_risk() {
        let risky = |command: &str| risk(&[command.split(' ').map(str::to_owned).collect()]).is_some();
        for command in [
            "rm -rf src",
            "rm -f -R x",
            "git push -f",
            "git push origin --force",
            "git reset --hard HEAD~1",
            "git clean -fdx",
            "cargo publish",
        ] {
            assert!(risky(command), "{command}");
        }
        for command in ["rm a.txt", "git push", "git reset", "git status", "cargo test", "ls -r", ""] {
            assert!(!risky(command), "{command}");
        }
    }
}
