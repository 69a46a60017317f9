//! Programs by what they do, and how a program is known by its name.

pub(in crate::shell) const KEYWORDS: [&str; 11] =
    ["if", "then", "elif", "else", "do", "while", "until", "!", "{", "}", "coproc"];
pub(in crate::shell) const SHELLS: [&str; 15] = [
    "sh", "bash", "zsh", "dash", "ksh", "fish", "ash", "csh", "tcsh", "mksh", "nu", "xonsh", "elvish",
    "yash", "rbash",
];
pub(in crate::shell) const INTERPRETERS: [&str; 60] = [
    "python",
    "perl",
    "ruby",
    "node",
    "deno",
    "bun",
    "php",
    "awk",
    "gawk",
    "mawk",
    "lua",
    "osascript",
    "pypy",
    "ipython",
    "nodejs",
    "tsx",
    "ts-node",
    "julia",
    "rscript",
    "Rscript",
    "pwsh",
    "powershell",
    "elixir",
    "groovy",
    "tclsh",
    "guile",
    "swift",
    "expect",
    "raku",
    "crystal",
    "luajit",
    "gjs",
    "qjs",
    "bb",
    "clojure",
    "clj",
    "racket",
    "sbcl",
    "clisp",
    "scheme",
    "gosh",
    "janet",
    "fennel",
    "ghc",
    "ghci",
    "runghc",
    "ocaml",
    "utop",
    "erl",
    "iex",
    "mix",
    "scala",
    "amm",
    "kotlin",
    "jshell",
    "octave",
    "sage",
    "rails",
    "flask",
    "R",
];
/// Programs that run or compile a program in a file.
pub(in crate::shell) const COMPILERS: [&str; 14] = [
    "go", "java", "javac", "rustc", "gcc", "cc", "g++", "clang", "clang++", "zig", "swiftc", "kotlinc",
    "tcc", "dotnet",
];
pub(in crate::shell) const CODE: [&str; 13] =
    [".go", ".java", ".rs", ".c", ".cc", ".cpp", ".zig", ".swift", ".kt", ".kts", ".cs", ".scala", ".hs"];
pub(in crate::shell) const REMOVE: [&str; 9] =
    ["rm", "unlink", "shred", "rmdir", "srm", "trash", "trash-put", "rename", "mmv"];
/// Programs that replace each file by a packed or unpacked one of another name, unless an option keeps it.
pub(in crate::shell) const PACK: [&str; 11] =
    ["gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "lzma", "compress", "uncompress", "zstd", "unzstd"];
pub(in crate::shell) const WRITE: [&str; 18] = [
    "logsave", "hx", "kak", "joe", "pico", "tee", "sponge", "truncate", "ed", "ex", "vi", "vim", "nvim",
    "emacs", "nano", "micro", "dos2unix", "sd",
];
/// Ends of the names of variables whose value a program runs: `GIT_EDITOR`, `MANPAGER`, `GIT_SSH_COMMAND`.
pub(in crate::shell) const COMMANDS_OF_VARIABLES: [&str; 7] =
    ["EDITOR", "PAGER", "VISUAL", "_COMMAND", "BROWSER", "ASKPASS", "EXTERNAL_DIFF"];
/// What changes a file in PowerShell, and in nushell.
pub(in crate::shell) const CMDLETS: [&str; 9] = [
    "Add-Content",
    "Set-Content",
    "Clear-Content",
    "Out-File",
    "Remove-Item",
    "Move-Item",
    "Rename-Item",
    "Copy-Item",
    "save",
];
/// Other systems than git that keep versions, and the verbs with which they put files back.
pub(in crate::shell) const VERSIONED: [&str; 8] = ["hg", "sl", "jj", "svn", "fossil", "bzr", "brz", "got"];
pub(in crate::shell) const PUT_BACK: [&str; 3] = ["revert", "restore", "shelve"];
/// Programs that print the text of files, or what they read from a pipe, as it is or changed a little.
pub(in crate::shell) const SHOWING: [&str; 14] = [
    "cat", "head", "tail", "tac", "sed", "gsed", "grep", "egrep", "tr", "tee", "sort", "bat", "envsubst",
    "dos2unix",
];
pub(in crate::shell) const COPY: [&str; 8] = ["cp", "mv", "install", "ln", "link", "rsync", "scp", "ditto"];
/// Programs that make no archive, and do not wait for one.
pub(in crate::shell) const MAKING_NO_ARCHIVE: [&str; 8] =
    ["tar", "bsdtar", "unzip", "cd", "mkdir", "ls", "echo", "pwd"];

/// Whether a program of this name, perhaps with a version behind it, runs programs that are given to it as text.
pub(in crate::shell) fn is_interpreter(name: &str) -> bool {
    INTERPRETERS.contains(&name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

pub(in crate::shell) fn is_code(file: &str) -> bool {
    CODE.iter().any(|ending| file.ends_with(ending))
}

/// Whether an editor is started read-only.
pub(in crate::shell) fn is_viewer(name: &str, args: &[String]) -> bool {
    matches!(name, "vi" | "vim" | "nvim") && args.iter().any(|arg| matches!(arg.as_str(), "-R" | "-M"))
}

/// Whether a file's name means the standard input.
pub(in crate::shell) fn is_input(file: &str) -> bool {
    matches!(file, "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
}

/// The name of a program, without the version with which a package manager is asked for it: `prettier@3`, `mdformat==0.7`.
pub(in crate::shell) fn program_name(word: &str) -> &str {
    let name = base_name(word.strip_prefix("npm:").unwrap_or(word));
    let end = name.char_indices().skip(1).find(|(at, c)| *c == '@' || name[*at..].starts_with("=="));
    end.map_or(name, |(at, _)| &name[..at])
}

pub(in crate::shell) fn base_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// The program that a pattern means: `/usr/bin/t?e`.
pub(in crate::shell) fn meant_by_pattern(name: &str) -> &str {
    let known = || REMOVE.iter().chain(&WRITE).chain(&COPY).chain(&SHELLS);
    let meant = known().find(|known| super::super::fits(name, known));
    meant.filter(|_| name.contains(['*', '?', '['])).copied().unwrap_or(name)
}
