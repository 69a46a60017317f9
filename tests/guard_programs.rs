//! Which programs the guard looks into: those in files that a call of an interpreter, another program or a runner of tests leads to,
//! where git does not have them as they are.

use crate::guard_disk::{committed, is_denied, user};
use crate::support::User;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// With a document below the user's home besides.
fn soul() -> User {
    let user = user();
    user.configure(
        "version: 1\nknowledge_bases:\n  notes: { path: AGENTS.md, root: project, title: Notes, policy: auto }\n  soul: { path: \
         ~/.config/agents/SOUL.md, title: Soul, policy: review }\nsession_bootstrap: []\nguard: { unread: off }\n",
    );
    fs::create_dir_all(user.root().join(".config/agents")).unwrap();
    fs::write(user.root().join(".config/agents/SOUL.md"), "# Soul\n").unwrap();
    user
}

fn write(repo: &Path, name: &str, text: &str) {
    fs::create_dir_all(repo.join(name).parent().unwrap()).unwrap();
    fs::write(repo.join(name), text).unwrap();
}

/// Files that write the document, and such as only name or read it.
const FILES: [(&str, &str); 23] = [
    ("g.py", "open('AGENTS.md', 'a').write('x')\n"),
    ("look.py", "print(open('AGENTS.md').read())\n"),
    ("usesg.py", "import g\n"),
    ("pkg/__init__.py", "open('AGENTS.md', 'a').write('x')\n"),
    ("mod/sub.py", "from pathlib import Path\nP = Path('AGENTS.md')\nP.write_text('x')\n"),
    ("g.js", "require('fs').appendFileSync('AGENTS.md', 'x')\n"),
    ("usesg.js", "require('./g')\n"),
    ("look.js", "console.log(require('fs').readFileSync('AGENTS.md', 'utf8'))\n"),
    ("g.sh", "echo x >> AGENTS.md\n"),
    ("look.sh", "cat AGENTS.md\n"),
    ("g.pl", "open(F, '>>AGENTS.md'); print F 'x';\n"),
    ("g.rb", "File.write('AGENTS.md', 'x')\n"),
    ("look.rb", "puts File.read('AGENTS.md')\n"),
    ("g.sed", "s/a/b/w AGENTS.md\n"),
    ("look.sed", "s/a/b/w out.md\n"),
    ("q.sql", ".output AGENTS.md\nselect 1;\n"),
    ("look.sql", ".output out.md\nselect 1;\n"),
    ("g.awk", "{print > \"AGENTS.md\"}\n"),
    ("ok.py", "import json, sys\nfrom tmpl import NAME\nprint(NAME)\n"),
    ("tmpl.py", "NAME = 'AGENTS.md'\ndef put(d):\n    (d / NAME).write_text('x')\n"),
    (
        "ok2.py",
        "from gen import write\nimport tempfile\nwith tempfile.TemporaryDirectory() as d:\n    write(d)\n",
    ),
    (
        "gen.py",
        "import os\ndef write(d):\n    with open(os.path.join(d, 'AGENTS.md'), 'w') as f:\n        f.write('x')\n",
    ),
    ("x.js", "console.log(1)\n"),
];

const STARTED: [&str; 63] = [
    "python3 -W ignore g.py",
    "python3 -X dev g.py",
    "python3 -u g.py",
    "node --max-old-space-size=100 g.js",
    "perl -I lib g.pl",
    "ruby -I lib g.rb",
    "node ./g",
    "node g",
    "node -e \"require('./g.js')\"",
    "node --require ./g.js -e 0",
    "node --import ./g.js -e 0",
    "node -r ./g -e 0",
    "python3 -m runpy g",
    "python3 -m pdb g.py",
    "python3 -m cProfile g.py",
    "python3 -m cProfile -o out.prof -s time g.py",
    "python3 -m trace --trace g.py",
    "python3 -m doctest g.py",
    "coverage run g.py",
    "python3 -m coverage run g.py",
    "coverage run -m g",
    "python3 -m coverage run -m g",
    "python3 -c 'import runpy; runpy.run_path(\"g.py\")'",
    "python3 -c 'import g'",
    "python3 -c 'import sys, g'",
    "python3 -c 'from g import x'",
    "python3 -c 'import pkg'",
    "python3 -c 'from mod import sub'",
    "python3 -c 'import mod.sub as s'",
    "python3 usesg.py",
    "node usesg.js",
    "python3 -c 'exec(open(\"g.py\").read())'",
    "python3 -c '__import__(\"g\")'",
    "perl -e 'system \"./g.sh\"'",
    "perl -e 'do \"./g.pl\"'",
    "ruby -e 'load \"./g.rb\"'",
    "ruby -e 'system \"./g.sh\"'",
    "ruby -r ./g -e 0",
    "make SHELL=./g.sh",
    "make -e SHELL=./g.sh all",
    "NODE_OPTIONS='-r ./g.js' node -e 0",
    "NODE_OPTIONS=--require=./g.js npm -v",
    "export NODE_OPTIONS='--import ./g.js'; node x.js",
    "RUBYOPT=-r./g ruby -e 0",
    "sed -n -f g.sed README.md",
    "sed --file=g.sed README.md",
    "sqlite3 x.db < q.sql",
    "sqlite3 x.db '.read q.sql'",
    "cat q.sql | sqlite3 x.db",
    "awk -f g.awk README.md",
    "gdb -ex 'shell ./g.sh'",
    "nodemon g.js",
    "npx nodemon -x ./g.sh",
    "pm2 start g.js",
    "ts-node --project x.json g",
    "tsx g.js",
    "tsx watch g.js",
    "bun run g.js",
    "deno run -A g.js",
    "kernprof -l g.py",
    "python3 -m pdb -c continue g.py",
    "python3 ./../repo/usesg.py",
    "PYTHONWARNINGS=ignore python3 -W error -I g.py",
];

const LOOKING: [&str; 32] = [
    "cd docs && node ../usesg.js",
    "python3 -W ignore look.py",
    "python3 -m pdb look.py",
    "python3 -m cProfile look.py g.txt",
    "node ./look",
    "node -e \"require('./look.js')\"",
    "python3 -c 'import look'",
    "python3 -c 'import json, os, sys; print(1)'",
    "perl -e 'system \"./look.sh\"'",
    "make SHELL=/bin/bash",
    "make SHELL=/bin/sh all",
    "NODE_OPTIONS=--max-old-space-size=4096 npm run build",
    "sed -n -f look.sed README.md",
    "sqlite3 x.db < look.sql",
    "sqlite3 x.db '.tables'",
    "python3 ok.py",
    "python3 ok2.py",
    "python3 -m py_compile g.py",
    "python3 -m json.tool package.json",
    "python3 -m venv .venv",
    "python3 -m http.server",
    "python3 -m pip install -r requirements.txt",
    "node --check g.js",
    "coverage report",
    "coverage run look.py",
    "nodemon look.js",
    "ruby -c look.rb",
    "perl -c g.pl",
    "python3 -m black g.py",
    "python3 -m mypy g.py",
    "npx tsc g.ts",
    "ruff check g.py",
];

/// A call names its program behind options with a value, without its ending, to a profiler or a debugger, or by a text that loads it.
#[test]
fn a_program_is_found_however_it_is_named() {
    let user = user();
    let repo = user.root().join("repo");
    FILES.iter().for_each(|(name, text)| write(&repo, name, text));
    for line in STARTED {
        assert!(is_denied(&user, "", line), "{line}");
    }
    for line in LOOKING {
        assert!(!is_denied(&user, "", line), "{line}");
    }
    // As it was before the agent came.
    let names: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
    let mut names = names;
    names.sort_unstable();
    committed(&repo, &names);
    for line in STARTED {
        assert!(!is_denied(&user, "", line), "a person's: {line}");
    }
}

/// What a runner of tests, tasks or packages finds is read for what it writes for certain. The cases are data.
#[test]
fn what_a_runner_starts() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/hooks/runners.json");
    let cases: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let user = soul();
    let repo = user.root().join("repo");
    for case in cases["cases"].as_array().unwrap() {
        let files = case["files"].as_object().unwrap();
        files.iter().for_each(|(name, text)| write(&repo, name, text.as_str().unwrap()));
        for line in case["lines"].as_array().unwrap() {
            let denied = is_denied(&user, "", line.as_str().unwrap());
            assert_eq!(denied, case["writes"].as_bool().unwrap(), "{line}: {files:?}");
        }
        files.keys().for_each(|name| fs::remove_file(repo.join(name)).unwrap());
    }
}

/// What a person committed may write what it likes, and so may what nobody touched for a day outside of a repository.
#[test]
fn what_a_person_committed_is_theirs() {
    let user = user();
    let repo = user.root().join("repo");
    write(&repo, "tests/test_a.py", "open('AGENTS.md', 'a').write('x')\n");
    assert!(is_denied(&user, "", "pytest"));
    committed(&repo, &["AGENTS.md", "tests/test_a.py"]);
    assert!(!is_denied(&user, "", "pytest"));
    write(&repo, "tests/test_a.py", "open('AGENTS.md', 'a').write('xy')\n");
    assert!(is_denied(&user, "", "pytest"));
}
