//! What the guard asks the disk about a line: whether git has changes of a document that are not committed, whether a search finds it,
//! whether a person's file leaves it alone, what stands in a script or a patch, whether a directory is there.

use crate::support::{Said, User};
use serde_json::json;
use sha1::{Digest, Sha1};
use std::fs;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Stdio;

const CONFIG: &str = "version: 1\nknowledge_bases:\n  notes: { path: AGENTS.md, root: project, title: Notes, policy: auto }\nsession_bootstrap: []\nguard: { unread: off }\n";

pub(crate) fn user() -> User {
    let user = User::new();
    user.configure(CONFIG);
    let repo = user.root().join("repo");
    for dir in [".git", "src", "docs"] {
        fs::create_dir_all(repo.join(dir)).unwrap();
    }
    fs::write(repo.join("AGENTS.md"), "# Notes\n\n- the server is called alpha\n").unwrap();
    user
}

/// Whether a line is denied in a directory of the repository.
pub(crate) fn is_denied(user: &User, dir: &str, line: &str) -> bool {
    !denied(user, dir, line).is_empty()
}

/// What is said of a line that is denied; empty where it is not.
fn denied(user: &User, dir: &str, line: &str) -> String {
    denied_call(user, dir, "Bash", &json!({ "command": line }))
}

/// The same of any tool's call.
fn denied_call(user: &User, dir: &str, tool: &str, input: &serde_json::Value) -> String {
    let cwd = fs::canonicalize(user.root().join("repo").join(dir)).unwrap();
    let event = json!({ "hook_event_name": "PreToolUse", "session_id": "s", "cwd": cwd,
        "tool_name": tool, "tool_input": input });
    let mut command = user.command(["hook", "--agent", "claude_code"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
    let said = Said::of(child.wait_with_output().unwrap()).ok();
    if said.contains("\"deny\"") { said } else { String::new() }
}

/// Makes `.git/index` as git does after it looked at these files.
pub(crate) fn committed(repo: &Path, files: &[&str]) {
    let count = u32::try_from(files.len()).unwrap();
    let mut bytes = [b"DIRC".as_slice(), &2_u32.to_be_bytes(), &count.to_be_bytes()].concat();
    for name in files {
        let stat = fs::metadata(repo.join(name)).unwrap();
        let number = |value: i64| u32::try_from(value).unwrap();
        let len = u32::try_from(stat.len()).unwrap();
        let [changed, modified] = [[stat.ctime(), stat.ctime_nsec()], [stat.mtime(), stat.mtime_nsec()]]
            .map(|time| time.map(number));
        let words = [changed[0], changed[1], modified[0], modified[1], 0, 0, 0, 0, 0, len];
        let start = bytes.len();
        bytes.extend(words.iter().flat_map(|word: &u32| word.to_be_bytes()));
        let text = fs::read(repo.join(name)).unwrap();
        let hash = Sha1::new().chain_update(format!("blob {}\0", text.len())).chain_update(text);
        bytes.extend(hash.finalize());
        bytes.extend([0; 2]);
        bytes.extend(name.as_bytes());
        bytes.resize(start + (bytes.len() - start + 8) / 8 * 8, 0);
    }
    fs::write(repo.join(".git/index"), bytes).unwrap();
}

/// A search copies what it finds: that is another file of the document's name only where there is one.
#[test]
fn what_is_copied_for_each_file_that_is_found() {
    let user = user();
    let lines = ["find docs -name '*.md' -exec cp {} . \\;", "find docs -type f -exec cp {} . +"];
    for line in lines {
        assert!(!is_denied(&user, "", line), "{line}");
    }
    fs::write(user.root().join("repo/docs/AGENTS.md"), "x").unwrap();
    assert!(is_denied(&user, "", lines[0]), "{}", lines[0]);
    assert!(!is_denied(&user, "", "find docs -name '*.md' -exec cp {} /tmp/x \\;"));
}

const OF_GIT: [&str; 8] = [
    "git stash",
    "git stash && cargo test; git stash pop",
    "git checkout .",
    "git checkout -- .",
    "git restore .",
    "git reset --hard",
    "git --no-pager reset --hard origin/main",
    "git checkout -f main",
];

/// Other ways to take out what is not committed.
const OTHERS_OF_GIT: [&str; 15] = [
    "cd src && git checkout ..",
    "git -C src checkout ..",
    "git checkout HEAD -- ':!src'",
    "git diff > /tmp/p.diff; git apply -R /tmp/p.diff",
    "git diff AGENTS.md > x.diff && patch -R -p1 < x.diff",
    "tar -cf a.tar AGENTS.md --remove-files",
    "rsync -av --remove-source-files AGENTS.md src/",
    "git checkout --pathspec-from-file=list",
    "git restore --worktree --source=HEAD --pathspec-from-file=- <<< AGENTS.md",
    "git checkout --pathspec-from-file=- < list",
    "git ls-files | git checkout --pathspec-from-file=-",
    "git checkout -- ':(icase)agents.md'",
    "yes | git checkout -p",
    "git -c alias.u='reset --hard' u",
    "git config alias.u 'reset --hard'; git u",
];

/// A merge that nobody committed is lost by these; one that was committed is in git.
#[test]
fn git_may_take_back_what_is_committed() {
    let user = user();
    let repo = user.root().join("repo");
    committed(&repo, &["AGENTS.md"]);
    for line in OF_GIT {
        assert!(!is_denied(&user, "", line), "{line}");
        assert!(!is_denied(&user, "", "git clean -fdx"), "git knows it");
    }
    fs::write(repo.join("AGENTS.md"), "# Notes\n\n- the server is called alpha\n- and beta\n").unwrap();
    fs::write(repo.join("list"), "AGENTS.md\n").unwrap();
    fs::write(repo.join("other"), "src/main.rs\n").unwrap();
    for line in OF_GIT {
        assert!(is_denied(&user, "", line), "{line}");
    }
    for line in [
        "git checkout ..",
        "git checkout -- ..",
        "git restore ..",
        "git stash push -- ..",
        "git checkout HEAD^ ..",
        "git -C .. checkout src/..",
    ] {
        assert!(is_denied(&user, "src", line), "{line}");
    }
    for line in OTHERS_OF_GIT {
        assert!(is_denied(&user, "", line), "{line}");
    }
    for line in ["git checkout ../lib", "git diff > /tmp/p.diff", "git checkout HEAD -- ':!AGENTS.md'"] {
        assert!(!is_denied(&user, "src", line), "{line}");
    }
    let said = denied(&user, "src", "git stash");
    assert!(
        said.contains("not committed") && said.contains("':!AGENTS.md'"),
        "from below, with a way out: {said}"
    );
    for line in [
        "git stash push -- . ':!AGENTS.md'",
        "git checkout --pathspec-from-file=other",
        "git restore --staged --pathspec-from-file=list",
        "git config --global alias.u 'reset --hard'",
        "git stash push -- src",
        "git checkout -- src",
        "git restore . ':!AGENTS.md'",
        "git stash pop",
        "git commit -am x && git push",
        "git checkout main",
        "git reset HEAD~1",
        "git clean -fd",
    ] {
        assert!(!is_denied(&user, "", line), "{line}");
    }
    assert!(!is_denied(&user, "src", "git checkout ."), "that is the directory alone");
    fs::remove_file(repo.join(".git/index")).unwrap();
    assert!(is_denied(&user, "", "git clean -fd") && !is_denied(&user, "", "git clean -fd -e AGENTS.md"));
    assert!(!is_denied(&user, "", "git stash"), "what git does not know stays");
    assert!(is_denied(&user, "", "git stash -u"));
    fs::write(repo.join(".gitignore"), "AGENTS.md\n").unwrap();
    assert!(!is_denied(&user, "", "git clean -fd") && is_denied(&user, "", "git clean -fdx"));
}

/// What git lists as not known or as changed is asked of the disk, whoever is given the names.
#[test]
fn names_that_git_lists_are_known_by_git() {
    let user = user();
    let repo = user.root().join("repo");
    let clean = [
        "git status --porcelain | grep '^??' | cut -c4- | xargs rm -rf",
        "git status -s | awk '/^\\?\\?/{print $2}' | xargs rm -rf",
        "rm -rf $(git status --porcelain | grep '^??' | cut -c4-)",
        "for f in $(git status -s | grep '??' | cut -c4-); do rm -rf $f; done",
        "git clean -nd | awk '{print $3}' | xargs rm -rf",
        "git ls-files -o --exclude-standard | xargs rm -rf",
    ];
    let back = [
        "git status --porcelain | grep '^ M' | cut -c4- | xargs git checkout --",
        "git diff --numstat | awk '{print $3}' | xargs git checkout --",
        "git diff --stat | awk '{print $1}' | head -1 | xargs git checkout",
        "git status -s | grep -v '^??' | cut -c4- | xargs rm",
    ];
    let held = |lines: &[&str], expected: bool| {
        lines.iter().for_each(|line| assert_eq!(is_denied(&user, "", line), expected, "{line}"));
    };
    held(&clean, true);
    committed(&repo, &["AGENTS.md"]);
    held(&clean, false);
    held(&back, false);
    fs::write(repo.join("AGENTS.md"), "# Notes\n\n- the server is called alpha\n- and beta\n").unwrap();
    held(&clean, false);
    held(&back, true);
    held(&["git status -s src | cut -c4- | xargs rm", "git status -s | cut -c4- | xargs git add"], false);
    held(&["git ls-files -d | xargs git rm", "git ls-files --deleted -z | xargs -0 git rm"], false);
}

/// A search for a text that the document does not have finds other files.
#[test]
fn a_search_finds_the_document_by_its_text() {
    let user = user();
    for search in ["grep -rl WORD .", "rg -l WORD", "git grep -l WORD", "find . -type f | xargs grep -l WORD"]
    {
        for (word, expected) in
            [("alpha", true), ("gamma", false), ("al.*a", true), ("gam.a", false), ("g\\.mma", false)]
        {
            let search = search.replace("WORD", &format!("'{word}'"));
            for line in [
                format!("{search} | xargs sed -i s/a/b/"),
                format!("sed -i s/a/b/ $({search})"),
                format!("for f in $({search}); do sed -i s/a/b/ \"$f\"; done"),
                format!("{search} | while read f; do sed -i s/a/b/ \"$f\"; done"),
            ] {
                assert_eq!(is_denied(&user, "", &line), expected, "{line}");
            }
        }
    }
    let said = denied(&user, "", "grep -rl alpha . | xargs sed -i s/a/b/");
    assert!(said.contains("--exclude=AGENTS.md"), "{said}");
}

/// A document with something in it is none of the empty files, and no directory.
#[test]
fn what_is_empty_is_no_document() {
    let user = user();
    let empty =
        ["find . -empty -delete", "find . -type f -empty -delete", "find . -name '*.md' -empty | xargs rm"];
    for line in empty.into_iter().chain(["find . -type d -delete", "find . -type d -empty -delete"]) {
        assert!(!is_denied(&user, "", line), "{line}");
    }
    for line in [
        "find . -delete",
        "find . -type f -delete",
        "find . ! -empty -delete",
        "find . -empty -o -name '*.md' -delete",
        "find . -type d -o -type f -delete",
        "find . -type d -exec rm -r {} +",
    ] {
        assert!(is_denied(&user, "", line), "{line}");
    }
    fs::write(user.root().join("repo/AGENTS.md"), "").unwrap();
    for line in empty {
        assert!(is_denied(&user, "", line), "{line}");
    }
}

/// A tar of empty files.
fn tar(names: &[&str]) -> Vec<u8> {
    let head = |name: &&str| {
        let mut head = vec![0; 512];
        head[..name.len()].copy_from_slice(name.as_bytes());
        head[124..135].copy_from_slice(b"00000000000");
        head[257..262].copy_from_slice(b"ustar");
        head
    };
    names.iter().flat_map(head).chain([0; 1024]).collect()
}

/// The list of a zip's empty files, and its end.
fn zip(names: &[&str]) -> Vec<u8> {
    let entry = |name: &&str| {
        let mut entry = b"PK\x01\x02".to_vec();
        entry.resize(46, 0);
        entry[28] = u8::try_from(name.len()).unwrap();
        entry.extend_from_slice(name.as_bytes());
        entry
    };
    let list: Vec<u8> = names.iter().flat_map(entry).collect();
    let mut end = b"PK\x05\x06".to_vec();
    end.resize(22, 0);
    end[10] = u8::try_from(names.len()).unwrap();
    end[12..16].copy_from_slice(&u32::try_from(list.len()).unwrap().to_le_bytes());
    [list, end].concat()
}

/// An archive that is unpacked over a directory may have the document, unless its list says that it has none.
#[test]
fn an_archive_is_looked_into() {
    let user = user();
    let repo = user.root().join("repo");
    fs::write(repo.join("with.tar"), tar(&["p/README.md", "p/AGENTS.md"])).unwrap();
    fs::write(repo.join("without.tar"), tar(&["p/README.md", "p/agent.md"])).unwrap();
    fs::write(repo.join("odd.tar"), [1; 2000]).unwrap();
    fs::write(repo.join("with.zip"), zip(&["p/README.md", "p/AGENTS.md"])).unwrap();
    fs::write(repo.join("without.zip"), zip(&["p/README.md", "p/agent.md"])).unwrap();
    let cut = &zip(&["README.md"])[..40];
    fs::write(repo.join("odd.zip"), cut).unwrap();
    for (line, expected) in [
        ("tar -xf without.tar", false),
        ("tar xf without.tar --strip-components=1", false),
        ("cd src && tar -C .. -xf ../without.tar", false),
        ("tar -xf with.tar", true),
        ("tar -xf with.tar --strip-components=1", true),
        ("tar -xf odd.tar", true),
        ("tar -xzf not-there.tgz", false),
        ("mkdir -p out && cd out && tar -xzf ../not-there.tgz -C ..", false),
        ("make dist && tar -xzf not-there.tgz", true),
        ("until tar -xzf not-there.tgz; do fetch-it; done", true),
        ("sleep 9; tar -xzf not-there.tgz", true),
        ("tar -xzf $F", true),
        ("tar -xzf host:not-there.tgz", true),
        ("unzip -o not-there.zip", false),
        ("unzip -o without.zip", false),
        ("unzip -o with.zip", true),
        ("unzip -o '*.zip'", true),
        ("unzip -o without", true),
        ("unzip -o odd.zip", true),
        ("make && unzip -o not-there.zip", true),
        ("cp with.zip without.zip; unzip -o without.zip", true),
        ("tar -xf - < without.tar", true),
        ("tar -xf without.tar --transform s/agent/AGENTS/", true),
        ("cp with.tar without.tar; tar -xf without.tar", true),
        ("curl -o without.tar https://example.com; tar -xf without.tar", true),
    ] {
        assert_eq!(is_denied(&user, "", line), expected, "{line}");
    }
}

#[test]
fn a_person_says_what_a_formatter_leaves_alone() {
    let user = user();
    let repo = user.root().join("repo");
    for (line, file) in [
        ("npx prettier --write .", ".prettierignore"),
        ("npx prettier --write '**/*.md'", ".prettierignore"),
        ("markdownlint --fix .", ".markdownlintignore"),
        ("typos -w", "typos.toml"),
    ] {
        assert!(is_denied(&user, "", line), "{line}");
        fs::write(repo.join(file), "# ours\nAGENTS.md\n").unwrap();
        assert!(!is_denied(&user, "", line), "{line}");
        fs::remove_file(repo.join(file)).unwrap();
    }
    assert!(!is_denied(&user, "docs", "npx prettier --write ."), "that is another directory");
}

/// Where `cd` fails, what stands behind it runs where the agent is.
#[test]
fn a_directory_may_not_be_there() {
    let user = user();
    for line in
        ["cd build; echo x >> AGENTS.md", "cd build\necho x >> AGENTS.md", "cd build || true; rm AGENTS.md"]
    {
        assert!(is_denied(&user, "", line), "{line}");
    }
    for line in [
        "cd build && echo x >> AGENTS.md",
        "cd src; echo x >> AGENTS.md",
        "mkdir -p build; cd build; echo x >> AGENTS.md",
        "git clone https://example.com/build.git; cd build; echo x >> AGENTS.md",
        "set -e; cd build; echo x >> AGENTS.md",
        "cd $(mktemp -d); echo x >> AGENTS.md",
        "cd build; make",
    ] {
        assert!(!is_denied(&user, "", line), "{line}");
    }
}

/// What the agent wrote before it is run is looked into; what a person committed is theirs.
#[test]
fn a_script_of_the_agents_is_looked_into() {
    let user = user();
    let repo = user.root().join("repo");
    fs::write(repo.join("fix.sh"), "#!/bin/sh\necho x >> \"$1\"\n").unwrap();
    fs::write(repo.join("fix.py"), "from pathlib import Path\np = Path('AGENTS.md')\np.write_text('x')\n")
        .unwrap();
    fs::write(
        repo.join("look.py"),
        "from pathlib import Path\nprint(Path('AGENTS.md').read_text())\nPath('out').write_text('x')\n",
    )
    .unwrap();
    fs::write(repo.join("fix.patch"), "--- a/AGENTS.md\n+++ b/AGENTS.md\n@@ -1 +1 @@\n-a\n+b\n").unwrap();
    fs::write(repo.join("other.patch"), "--- a/src/x\n+++ b/src/x\n@@ -1 +1 @@\n-a\n+b\n").unwrap();
    let scripts = ["sh fix.sh AGENTS.md", "bash ./fix.sh AGENTS.md", "./fix.sh AGENTS.md", "python3 fix.py"];
    for line in scripts {
        assert!(is_denied(&user, "", line), "{line}");
    }
    for line in [
        "patch -p1 < fix.patch",
        "patch -p1 -i fix.patch",
        "git apply fix.patch",
        "cd src && patch -p1 -d .. -i ../fix.patch",
    ] {
        assert!(is_denied(&user, "", line), "{line}");
    }
    for line in [
        "python3 look.py",
        "sh fix.sh README.md",
        "patch -p1 < other.patch",
        "git apply other.patch",
        "git apply --check fix.patch",
    ] {
        assert!(!is_denied(&user, "", line), "{line}");
    }
    committed(&repo, &["fix.py", "fix.sh"]);
    for line in scripts {
        assert!(!is_denied(&user, "", line), "a person's: {line}");
    }
}

const RUN_AS_INPUT: [&str; 46] = [
    "(cat s.sh) | sh",
    "{ cat s.sh; } | sh",
    "cat s.sh | (sh)",
    "cp s.sh /tmp/z.sh; sh /tmp/z.sh",
    "cp s.sh src/ && sh src/s.sh",
    "mv s.sh z.sh; ./z.sh",
    "cat s.sh > z.sh; sh z.sh",
    "ln -s s.sh z.sh; sh z.sh",
    "install -m 755 s.sh z && ./z",
    "bash < s.sh",
    "sh < ./s.sh",
    "< s.sh bash",
    "sh -s < r.sh",
    "bash -s AGENTS.md < args.sh",
    "sh - < s.sh",
    "bash /dev/stdin < s.sh",
    "sudo bash < s.sh",
    "cat s.sh | sh",
    "cat s.sh | bash -s",
    "cat r.sh | sudo sh",
    "cat s.sh | env A=1 bash",
    "cat look.sh s.sh | sh",
    "tail -n +1 s.sh | sh",
    "cat s.sh | tr -d '\\r' | sh",
    "sed s/a/b/ s.sh | bash",
    "cat < s.sh | sh",
    "cat args.sh | bash -s AGENTS.md",
    "bash <(cat r.sh)",
    "bash <(cat s.sh)",
    "source <(cat s.sh)",
    ". <(cat s.sh)",
    "eval \"$(cat s.sh)\"",
    "eval \"$(< s.sh)\"",
    "bash -c \"$(cat s.sh)\"",
    "sh -c \"`cat s.sh`\"",
    "source /dev/stdin < s.sh",
    "cd src && bash < ../s.sh && cd ..; cat s.sh | sh",
    "python3 < s.py",
    "python3 - < s.py",
    "cat s.py | python3",
    "cat s.py | python3 -",
    "python3 <(cat s.py)",
    "python3 -c \"$(cat s.py)\"",
    "node < s.js",
    "cat s.js | node",
    "node -e \"$(cat s.js)\"",
];

/// A script of the agent's that an interpreter reads as its input is looked into as one that is given as an argument.
#[test]
fn a_script_as_input_is_looked_into() {
    let user = user();
    let repo = user.root().join("repo");
    let scripts = [
        ("s.sh", "echo x > AGENTS.md\n"),
        ("r.sh", "last-word review --all --approve\n"),
        ("args.sh", "echo x >> \"$1\"\n"),
        ("s.py", "p = 'AGENTS.md'\nopen(p, 'w').write('x')\n"),
        ("s.js", "require('fs').writeFileSync('AGENTS.md', 'x')\n"),
        ("look.sh", "cat AGENTS.md\necho AGENTS.md > out\n"),
        ("look.py", "print(open('AGENTS.md').read())\n"),
        ("data.txt", "echo x > AGENTS.md\n"),
    ];
    for (name, text) in scripts {
        fs::write(repo.join(name), text).unwrap();
    }
    for line in RUN_AS_INPUT {
        assert!(is_denied(&user, "", line), "{line}");
    }
    for line in [
        "bash < look.sh",
        "cat look.sh | sh",
        "bash <(cat look.sh)",
        "eval \"$(cat look.sh)\"",
        "python3 < look.py",
        "cat look.py | python3 -",
        "python3 -c \"$(cat look.py)\"",
        "bash look.sh < data.txt",
        "python3 look.py < data.txt",
        "cat data.txt | python3 look.py",
        "python3 -m json.tool < data.txt",
        "awk '{print $1}' < data.txt",
        "cat s.sh | wc -l",
        "(cat s.sh) | wc -l; cat look.sh | (sh)",
        "cp s.sh /tmp/z.sh; sh look.sh",
        "cat s.sh | tee copy.sh",
        "X=$(cat s.sh); echo \"$X\"",
        "diff <(cat s.sh) <(cat look.sh)",
        "bash -s README.md < args.sh",
        "while read l; do echo $l; done < s.sh",
    ] {
        assert!(!is_denied(&user, "", line), "{line}");
    }
    committed(&repo, &["args.sh", "data.txt", "look.py", "look.sh", "r.sh", "s.js", "s.py", "s.sh"]);
    for line in RUN_AS_INPUT {
        assert!(!is_denied(&user, "", line), "a person's: {line}");
    }
}

const STARTED_OTHERWISE: [&str; 29] = [
    "bash -o pipefail sc/z.sh",
    "bash -euo pipefail sc/z.sh",
    "bash +x sc/z.sh",
    "bash --rcfile sc/z.sh -i",
    "find sc -name z.sh -exec sh {} \\;",
    "find . -name 'z*.sh' -exec {} \\;",
    "find . -name z.sh | xargs -n1 bash",
    "ls sc/*.sh | xargs -n1 sh",
    "for s in sc/*; do sh $s; done",
    "for s in sc/*.sh; do . \"./$s\"; done",
    "bash sc/?.sh",
    "./sc/z*",
    "sh -c -- ./sc/z.sh",
    "PATH=sc:$PATH z.sh",
    "export PATH=$PWD/sc:$PATH; z.sh",
    "cat sc/z.sh | while read -r l; do eval \"$l\"; done",
    "while read -r l; do eval \"$l\"; done < sc/z.sh",
    "echo 'echo done' >> sc/z.sh; sh sc/z.sh",
    "tee sc/y.sh < sc/z.sh; sh sc/y.sh",
    "cat sc/z.sh | sed s/a/a/ > y.sh; sh y.sh",
    "GIT_EDITOR=sc/z.sh git commit",
    "GIT_EDITOR=./sc/z.sh git commit",
    "EDITOR='sh sc/z.sh' git commit",
    "export VISUAL='sh sc/z.sh'; git commit",
    "at -f sc/z.sh now",
    "at now -f sc/z.sh",
    "BASH_ENV=sc/z.sh bash -c :",
    "bash sc/a.sh; bash sc/b.sh; bash sc/c.sh; bash sc/d.sh; bash sc/z.sh",
    "timeout 9 bash sc/z.sh",
];

/// A script of the agent's is looked into however it is started: by a pattern, a search, a variable, a loop.
#[test]
fn a_script_is_looked_into_however_it_is_started() {
    let user = user();
    let repo = user.root().join("repo");
    fs::create_dir_all(repo.join("sc")).unwrap();
    fs::write(repo.join("sc/z.sh"), "ls\necho x > AGENTS.md\n").unwrap();
    let others = ["a", "b", "c", "d"].map(|name| format!("sc/{name}.sh"));
    for other in &others {
        fs::write(repo.join(other), "cat AGENTS.md\n").unwrap();
    }
    for line in STARTED_OTHERWISE {
        assert!(is_denied(&user, "", line), "{line}");
    }
    for line in [
        "bash -euo pipefail sc/a.sh",
        "find sc -name 'a*.sh' -exec sh {} \\;",
        "find . -name '*.sh' -exec chmod +x {} +",
        "find . -name '*.sh' | xargs shellcheck",
        "for s in sc/[ab].sh; do sh $s; done",
        "for s in sc/*.sh; do cat $s; done",
        "for s in sc/*.sh; do bash -n $s; done",
        "find . -name '*.sh' -exec bash -n {} \\;",
        "PATH=sc:$PATH a.sh",
        "PATH=sc:$PATH ls",
        "while read -r l; do echo \"$l\"; done < sc/z.sh",
        "echo 'echo done' >> sc/a.sh; sh sc/a.sh",
        "echo 'cat AGENTS.md' > sc/z.sh; sh sc/z.sh",
        "GIT_EDITOR=true git commit --amend",
        "EDITOR=sc/a.sh git commit",
        "at -f sc/a.sh now",
    ] {
        assert!(!is_denied(&user, "", line), "{line}");
    }
    let names: Vec<&str> = others.iter().map(String::as_str).chain(["sc/z.sh"]).collect();
    committed(&repo, &names);
    for line in STARTED_OTHERWISE {
        assert!(!is_denied(&user, "", line), "a person's: {line}");
    }
}

/// What `make` would run of a Makefile that git does not have as it is: the recipes of the goals and of what they depend on.
#[test]
fn a_makefile_of_the_agents_is_looked_into() {
    let user = user();
    let repo = user.root().join("repo");
    let text = "DOC := AGENTS.md\n.PHONY: all notes\nall: build\n\t@echo done\n\nbuild: src/a\n\tcc -o out src/a\n\n\
                notes: gen\ngen:\n\t@echo x > $(DOC)\n\nAGENTS.md: src/a\n\tcp $< $@\n\n\
                approve: ; -last-word review --all\n";
    fs::write(repo.join("Makefile"), text).unwrap();
    fs::write(repo.join("src/other.mk"), "x:\n\techo x > ../AGENTS.md\n").unwrap();
    let lines = [
        "make notes",
        "make gen",
        "make -j4 all notes",
        "make AGENTS.md",
        "make approve",
        "gmake notes",
        "make -f Makefile notes",
        "cd src && make -C .. notes",
        "make -C src -f other.mk",
        "make -Csrc --file=other.mk x",
        "sudo make notes",
    ];
    for line in lines {
        assert!(is_denied(&user, "", line), "{line}");
    }
    for line in
        ["make", "make all", "make -j8 build", "make -n notes", "make DOC=other.md notes", "make -C src"]
    {
        assert!(!is_denied(&user, "", line), "{line}");
    }
    committed(&repo, &["Makefile", "src/other.mk"]);
    for line in lines {
        assert!(!is_denied(&user, "", line), "a person's: {line}");
    }
}

/// What `npm run` would start of a `package.json` that git does not have as it is. What reaches all files may be a person's script that
/// was there before.
#[test]
fn a_script_of_a_package_is_looked_into() {
    let user = user();
    let repo = user.root().join("repo");
    let scripts = json!({ "scripts": {
        "docs": "sed -i s/kind/rude/ AGENTS.md", "fix": "node scripts/docs.js", "format": "prettier --write . && eslint --fix .",
        "test": "node --test", "pretest": "cp README.md AGENTS.md", "start": "npm run docs", "build": "tsc -p .",
        "clean": "rm -rf dist node_modules", "prepare": "echo x >> AGENTS.md", "look": "cat AGENTS.md", "yes": "last-word review --all --approve",
        "w": "cp README.md", "loop": "npm run loop" } });
    fs::write(repo.join("package.json"), scripts.to_string()).unwrap();
    fs::create_dir_all(repo.join("scripts")).unwrap();
    fs::write(repo.join("scripts/docs.js"), "require('fs').writeFileSync('AGENTS.md', 'x')\n").unwrap();
    let lines = [
        "npm run docs",
        "npm run --silent docs",
        "npm run-script docs",
        "npm run fix",
        "npm test",
        "npm t",
        "npm start",
        "npm i",
        "npm ci && npm run build",
        "npm run yes",
        "npm run w -- AGENTS.md",
        "cd src && npm run docs",
        "npm --prefix . run docs",
        "pnpm docs",
        "pnpm run docs",
        "yarn docs",
        "yarn",
        "bun run docs",
        "run-s build docs",
    ];
    for line in lines {
        assert!(is_denied(&user, "", line), "{line}");
    }
    for line in [
        "npm run format",
        "npm run build",
        "npm run clean",
        "npm run look",
        "npm run loop",
        "npm run",
        "npm i left-pad",
        "npm run w -- out.md",
        "yarn add left-pad",
        "bun test",
        "npm run missing",
    ] {
        assert!(!is_denied(&user, "", line), "{line}");
    }
    // A script that the line puts in, by a filter.
    fs::write(repo.join("package.json"), r#"{"scripts":{"docs":"echo hi"}}"#).unwrap();
    let put =
        |text: &str, end: &str| format!("jq '.scripts.docs = \"{text}\"' package.json {end} npm run docs");
    for end in ["> t && mv t package.json &&", "| sponge package.json;"] {
        assert!(is_denied(&user, "", &put("cp README.md AGENTS.md", end)), "{end}");
        assert!(!is_denied(&user, "", &put("cat AGENTS.md", end)), "{end}");
    }
    assert!(!is_denied(
        &user,
        "",
        "jq '.version = \"2 3\"' package.json > t && mv t package.json && npm run docs"
    ));
    fs::write(repo.join("package.json"), scripts.to_string()).unwrap();
    committed(&repo, &["package.json", "scripts/docs.js"]);
    for line in lines {
        assert!(!is_denied(&user, "", line), "a person's: {line}");
    }
}

/// A program in a directory that is started as one, and a file that is read before the program.
#[test]
fn a_program_in_a_directory_is_looked_into() {
    let user = user();
    let repo = user.root().join("repo");
    for dir in ["tools", "look", "sub/deep"] {
        fs::create_dir_all(repo.join(dir)).unwrap();
    }
    fs::write(repo.join("tools/__main__.py"), "open('AGENTS.md', 'a').write('x')\n").unwrap();
    fs::write(repo.join("sub/deep/__main__.py"), "open('AGENTS.md', 'a').write('x')\n").unwrap();
    fs::write(repo.join("look/__main__.py"), "print(open('AGENTS.md').read())\n").unwrap();
    fs::write(repo.join("src/pre.js"), "require('fs').writeFileSync('AGENTS.md', 'x')\n").unwrap();
    fs::write(repo.join("src/see.js"), "console.log(require('fs').readFileSync('AGENTS.md'))\n").unwrap();
    for line in [
        "python3 -m tools",
        "python3 tools",
        "python3 tools/",
        "python3 -m sub.deep",
        "node -r ./src/pre.js -e 0",
        "node --require=./src/pre -e 0",
        "node --import ./src/pre.js src/see.js",
    ] {
        assert!(is_denied(&user, "", line), "{line}");
    }
    for line in [
        "python3 -m look",
        "python3 look",
        "node -r ./src/see.js -e 0",
        "python3 -m pytest",
        "php -r 'echo 1;'",
    ] {
        assert!(!is_denied(&user, "", line), "{line}");
    }
}

/// `git clean` is held against what the line took out of the index before.
#[test]
fn what_a_line_takes_out_of_the_index_is_cleaned() {
    let user = user();
    committed(&user.root().join("repo"), &["AGENTS.md"]);
    for line in [
        "git rm -rq --cached . && git clean -fdq",
        "git rm -q --cached AGENTS.md && git clean -fd",
        "git update-index --force-remove AGENTS.md; git clean -f",
        "cd src && git rm -q --cached ../AGENTS.md; cd ..; git clean -fd .",
        "git reset AGENTS.md && git clean -fd",
    ] {
        assert!(is_denied(&user, "", line), "{line}");
    }
    for line in [
        "git rm -rq --cached dist && git clean -fdq",
        "git rm -q --cached AGENTS.md && git clean -nd",
        "git rm -q --cached AGENTS.md && git clean -fd src",
        "git rm -q --cached AGENTS.md && git clean -fd -e AGENTS.md",
        "git rm -q --cached AGENTS.md && git commit -m x",
        "git reset && git clean -fd",
        "git reset -q HEAD~1 && git clean -fd",
    ] {
        assert!(!is_denied(&user, "", line), "{line}");
    }
}

/// A server's tool that copies a directory over the project is asked whether that has the document.
#[test]
fn a_directory_that_a_tool_copies_is_looked_into() {
    let user = user();
    let repo = user.root().join("repo");
    for dir in ["with", "without"] {
        fs::create_dir_all(repo.join(dir)).unwrap();
    }
    fs::write(repo.join("with/AGENTS.md"), "x").unwrap();
    fs::write(repo.join("without/README.md"), "x").unwrap();
    for (tool, from, expected) in [
        ("mcp__fs__copy_directory", "with", true),
        ("mcp__fs__sync", "with", true),
        ("mcp__fs__copy_directory", "without", false),
        ("mcp__fs__sync_files", "without", false),
    ] {
        let input = json!({ "source": repo.join(from), "target": repo });
        assert_eq!(!denied_call(&user, "", tool, &input).is_empty(), expected, "{tool} {from}");
    }
}

/// A server's tool that replaces a text in many files is asked whether the document has it.
#[test]
fn a_text_that_a_tool_replaces_everywhere() {
    let user = user();
    for (text, expected) in [("alpha", true), ("gamma", false), ("al.ha", true)] {
        let input = json!({ "directory": user.root().join("repo"), "search": text, "replace": "x" });
        assert_eq!(
            !denied_call(&user, "", "mcp__fs__replace_in_files", &input).is_empty(),
            expected,
            "{text}"
        );
    }
}

/// An agent is started one directory up, or works in two repositories: the documents of the other one are not written by hand either.
#[test]
fn another_project_is_guarded_too() {
    let user = user();
    let of_work = user.root().join("all/work");
    for dir in ["app/.git", "app/src", "other/.git", "plain/sub"] {
        fs::create_dir_all(of_work.join(dir)).unwrap();
    }
    for project in ["app", "other"] {
        fs::write(of_work.join(project).join("AGENTS.md"), "# Notes\n\n- the server is called alpha\n")
            .unwrap();
    }
    std::os::unix::fs::symlink(of_work.join("app"), of_work.join("plain/link")).unwrap();
    for (dir, line) in [
        ("", "echo x >> app/AGENTS.md"),
        ("", "cd app && sed -i s/alpha/beta/ AGENTS.md"),
        ("", "sed -i s/alpha/beta/ */AGENTS.md"),
        ("", "for d in */; do (cd $d && sed -i s/alpha/beta/ AGENTS.md); done"),
        ("", "rm -rf app"),
        ("", "prettier --write app"),
        ("", "prettier --write ."),
        ("app/src", "echo x >> ../../other/AGENTS.md"),
        ("plain/sub", "cd ../../other; echo x > AGENTS.md"),
        ("plain", "sed -i s/alpha/beta/ link/AGENTS.md"),
    ] {
        let said = denied(&user, &format!("../all/work/{dir}"), line);
        assert!(said.contains("cd ") && said.contains("plan --to notes"), "{dir}: {line}: {said}");
    }
    for (dir, line) in [
        ("", "echo x >> AGENTS.md"),
        ("", "echo x >> plain/AGENTS.md"),
        ("", "echo x >> app/src/AGENTS.md"),
        ("", "echo x >> app/README.md"),
        ("", "rm -rf plain/sub"),
        ("", "cat app/AGENTS.md"),
        ("plain/sub", "prettier --write ."),
        // From further above only what a person listed is known.
        ("..", "prettier --write ."),
    ] {
        assert!(!is_denied(&user, &format!("../all/work/{dir}"), line), "{dir}: {line}");
    }
    user.configure(&format!("{CONFIG}projects: [{}]\n", of_work.join("app").display()));
    assert!(is_denied(&user, "../all", "prettier --write ."));
}

/// What a pattern or a search names is what its links lead to.
#[test]
fn a_link_that_a_pattern_means_leads_to_the_document() {
    let user = user();
    let repo = user.root().join("repo");
    let link = |target: &str, name: &str| std::os::unix::fs::symlink(target, repo.join(name)).unwrap();
    for dir in ["docs/sub", "other", "config"] {
        fs::create_dir_all(repo.join(dir)).unwrap();
    }
    link("../AGENTS.md", "docs/agents.md");
    link("../../AGENTS.md", "docs/sub/c.txt");
    link("a.md", "other/l.md");
    link("..", "other/up");
    fs::write(repo.join("other/a.md"), "a\n").unwrap();
    link(user.home().join("config.yaml").to_str().unwrap(), "config/c");
    for line in [
        "for f in docs/*; do echo x >> $f; done",
        "cat README.md > docs/*.md",
        "find docs -type l -exec sh -c 'echo x >> $1' _ {} \\;",
        "find docs -type l | xargs -I{} sh -c 'echo x >> {}'",
        "for f in docs/sub/*; do cp README.md $f; done",
        "for f in docs/*/*; do echo x >> $f; done",
        "tee docs/a* < README.md",
        "ls docs/* | xargs -n1 cp README.md",
        "find . -name '*.txt' -exec cp README.md {} \\;",
        "for f in other/*/AGENTS.md; do echo x >> $f; done",
        "for f in config/*; do echo x > $f; done",
    ] {
        assert!(is_denied(&user, "", line), "{line}");
    }
    for line in [
        "for f in other/*.md; do echo x >> $f; done",
        "for f in docs/*.txt; do echo x >> $f; done",
        "cat docs/*.md > out.md",
        "find docs -type f -exec cat {} \\;",
        "sed -i s/a/b/ docs/b*",
        "prettier --write 'other/*.md'",
    ] {
        assert!(!is_denied(&user, "", line), "{line}");
    }
}
