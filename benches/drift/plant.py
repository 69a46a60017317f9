#!/usr/bin/env python3
"""How much `drift` finds: renames one thing at a time in a copy of each directory given, and asks whether every line that names it is
found, and nothing else. Reads what documents say by rules of its own, not by those of `drift`.

    plant.py BINARY DIR...            a table of kinds; -v also each line missed and each line too many; --seed N other choices;
                                      --most N plants of one kind in one directory
    --history                         the copy keeps its .git, and each plant is a commit of its own, as when somebody renames a thing and
                                      forgets the documents; without it there is no history, as in a checkout of one commit
Needs no network: the directories are repositories, or packages unpacked. What is reported before anything was planted is shown apart.
"""
import hashlib, json, os, re, shutil, subprocess, sys, tempfile
from pathlib import Path

MOST = 12                       # plants of one kind in one directory, unless --most says otherwise
THEN = ("changelog changes histor news release upgrad downgrad migrat roadmap authors license whatsnew todo breaking rfc proposal").split()
# Directories of texts that tell of one day, or of what may come.
THEN_DIRS = "blog posts adr adrs decisions design designs".split()
DATA = "fixtures testdata test-data __fixtures__ snapshots __snapshots__ vendor third_party tests test".split()
SKIPPED = ".git node_modules target .venv venv __pycache__ .tox .hg".split()
SHELLS = {"", "sh", "bash", "shell", "console", "zsh", "shell-session", "shellsession", "terminal", "cmd", "text", "powershell", "pwsh"}
READS = r"""(?:environ(?:\.get|\.pop)?[\[(]\s*|getenv\(\s*|env::var(?:_os)?\(\s*|var(?:_os)?\(\s*|process\.env(?:\.|\[)|\benv\s*=\s*|env\(\s*|envvar\s*=\s*|env_var\(\s*|env!\(\s*)["']?"""
# Variables of other programs: no repository renames them.
OTHERS = ("NODE NPM PYTHON PIP RUST CARGO GIT GITHUB GITLAB CI AWS AZURE GOOGLE DOCKER HTTP HTTPS NO ALL LC XDG SSH SSL JAVA PG UV MACOSX "
          "VIRTUAL PRE FORCE SOURCE CMAKE PKG LD TERM OTEL SUDO CONDA DEBIAN CLICOLOR ASDF OUT MY YOUR").split()


def is_document(path):
    parts = path.lower().split("/")
    return (parts[-1].endswith((".md", ".markdown")) and not any(part.lstrip(".").startswith(word) for part in parts for word in THEN)
            and not re.search(r"\d+\.\d+\.\d+", parts[-1])
            and not any(part in DATA or part in THEN_DIRS for part in path.split("/")))


def files_of(root):
    found = []
    for dir, dirs, names in os.walk(root):
        dirs[:] = [d for d in dirs if d not in SKIPPED]
        found += [os.path.relpath(os.path.join(dir, name), root) for name in names]
    return sorted(found)


def slug(title):
    title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "").replace("*", "")
    kept = "".join(c for c in title.strip().lower() if c.isalnum() or c in " -_")
    return kept.replace(" ", "-")


class Document:
    """Spans, words of commands, links and headings, each with its line."""

    def __init__(self, path, text):
        self.path, self.spans, self.commands, self.links, self.tags, self.headings = path, [], [], [], [], []
        # The directory that was entered in the same block, by the line of a command.
        self.within, entered = {}, None
        fence, language, definitions, uses = None, "", {}, {}
        # Nobody is shown a comment.
        text = re.sub(r"<!--.*?-->", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
        for number, line in enumerate(text.split("\n"), 1):
            bare = line.strip()
            mark = re.match(r"(?:>\s*)*(`{3,}|~{3,})\s*([\w-]*)", bare)
            if fence:
                if mark and bare.startswith(fence) and not bare.strip("`~"):
                    fence, entered = None, None
                elif language in SHELLS and not bare.startswith("#"):
                    prompt = re.match(r"[$%] ", bare)
                    cd = re.match(r"(?:[$%] )?cd ([\w./-]+)", bare)
                    entered = cd[1].rstrip("/") if cd and cd[1] not in ("..", "-") else None if cd else entered
                    self.within[number] = entered
                    if language not in ("", "text") or prompt or re.match(r"(npm|yarn|pnpm|make|just|cargo|python3?|\./|export )", bare):
                        self.commands.append((number, re.sub(r"\s#.*", "", bare[2:] if prompt else bare)))
                continue
            if mark and "`" not in bare[len(mark[0]):]:
                fence, language = mark[1], mark[2].lower()
                continue
            # The name of a definition is shown nowhere.
            for span in re.findall(r"(?<!`)`([^`]+)`(?!`)", "" if re.match(r"\s{0,3}\[[^\]]+\]:\s", line) else line):
                self.spans.append((number, span.strip()))
                self.commands.append((number, span.strip()))
            plain = re.sub(r"(?<!`)`[^`]+`(?!`)", lambda m: "x" * len(m[0]), line)
            for target in re.findall(r"\]\(\s*<?([^)\s>]+)", plain):
                self.links.append((frozenset([number]), target))
            for target in re.findall(r"""<(?:a|img)\b[^>]*\s(?:href|src)="([^"]+)\"""", plain):
                self.tags.append((frozenset([number]), target))
            definition = re.match(r"\s{0,3}\[([^\]]+)\]:\s+<?(\S+?)>?(\s|$)", line)
            if definition:
                definitions[definition[1].lower()] = (number, definition[2])
            for words, name in re.findall(r"\[([^\]]+)\](?:\[([^\]]*)\])?(?![(:])", line):
                uses.setdefault((name or words).lower(), set()).add(number)
            heading = re.match(r"#{1,6}\s+(.*?)\s*#*\s*$", line)
            if heading and not heading[1].endswith("}"):
                self.headings.append((number, heading[1]))
        for name, (number, target) in definitions.items():
            if name in uses:
                self.links.append((frozenset(uses[name] | {number}), target))


def repo_line(repo, document, number):
    return repo.text(document.path).split("\n")[number - 1]


class Repository:
    def __init__(self, root, binary):
        self.root, self.binary = root, binary
        self.files = files_of(root)
        self.there = set(self.files) | {str(p) for f in self.files for p in Path(f).parents if str(p) != "."}
        self.texts = {}
        self.name, self.dir = self.own_name()
        self.is_site = any(re.search(r"(^|/)(mkdocs\.ya?ml|zensical\.toml|book\.toml|docusaurus\.config\.\w+|conf\.py|\.vitepress/)", f) for f in self.files)
        # A link to a document says what that one says.
        own = [p for p in self.files if is_document(p) and not (Path(root) / p).is_symlink()]
        self.documents = [Document(p, self.text(p)) for p in own]
        self.base = self.drift()

    def text(self, path):
        if path not in self.texts:
            try:
                self.texts[path] = (Path(self.root) / path).read_bytes().decode("utf-8")
            except (UnicodeDecodeError, OSError):
                self.texts[path] = ""
        return self.texts[path]

    def own_name(self):
        """`owner/name` of the repository, and the directory of this package in it."""
        package = self.text("package.json")
        said = [re.search(r'"(?:url|repository)":\s*"[^"]*?(?:\w+\.com[:/]|github:|")([\w.-]+/[\w.-]+?)(?:\.git)?"', package)]
        said += [re.search(r'^"?(?:repository|source|github|homepage)[^=]*= "https?://(?:github|gitlab)\.com/([\w.-]+/[\w.-]+?)/?"', self.text(f), re.M | re.I)
                 for f in ("Cargo.toml", "pyproject.toml")]
        dir = re.search(r'"directory":\s*"([^"]+)"', package) or re.search(r'"path_in_vcs":\s*"([^"]+)"', self.text(".cargo_vcs_info.json"))
        return next((m[1] for m in said if m), ""), dir[1] if dir else ""

    def drift(self):
        env = {"HOME": "/nonexistent", "PATH": "/usr/bin:/bin"}
        run = subprocess.run([self.binary, "--json", "drift"], cwd=self.root, env=env, capture_output=True, text=True)
        if run.returncode not in (0, 4):
            sys.exit(f"{self.root}: {run.stderr}")
        return {(l["path"], l["line"], l["check"], l["says"]) for l in json.loads(run.stdout)["lines"]}

    def resolved(self, document, written):
        """The path that a written one means, and whether it is written whole."""
        bare = re.sub(r":\d+(-\d+)?$", "", written)
        bare = bare[2:] if bare.startswith("./") else bare
        dir = os.path.dirname(document.path)
        while True:
            path = os.path.normpath(os.path.join(dir, bare))
            if path in self.there and not path.startswith(".."):
                return path
            if not dir:
                break
            dir = os.path.dirname(dir)
        # Two words alone are as likely the name of a package.
        is_telling = "." in os.path.basename(bare) or bare.count("/") > 1
        ends = [f for f in self.files if f.endswith("/" + bare)] if "/" in bare and is_telling else []
        return ends[0] if len(ends) == 1 else None

    def named_paths(self):
        """(document, lines, path, kind) of every path that a document names and that is there."""
        for document in self.documents:
            for number, span in document.spans:
                if re.fullmatch(r"[\w./+-]+(:\d+)?", span) and "/" in span and not span.startswith(("/", "..")):
                    path = self.resolved(document, span.rstrip("/"))
                    # In a list below another item it is what stands below that one's directory.
                    if "/" not in span.rstrip("/") and re.match(r"\s{2,}[-*]", repo_line(self, document, number)):
                        continue
                    # Settings of tools at the root are those of any project.
                    if path and path.startswith(".") and "/" not in path:
                        continue
                    # What a reader is told to make in their own project is not this repository's.
                    said = repo_line(self, document, number)
                    made = re.search(r"\bcreate\b[^.`]*$", said.split(span)[0].rstrip("`"), re.I)
                    if path and not made and not (path.startswith(".") and re.search(r"\byour?\b|create a", said, re.I)):
                        yield document, frozenset([number]), path, "path"
            for number, line in document.commands:
                words = re.split(r"\s+", line)
                if len(words) > 0 and words[0].startswith("./") and "/" in words[0]:
                    path = self.resolved(document, words[0])
                elif len(words) > 1 and words[0] in ("python", "python3", "node", "bash", "sh", "ruby") and "/" in words[1]:
                    path = self.resolved(document, words[1])
                else:
                    continue
                # A directory of that name is not what is run: that is built.
                if path in self.files:
                    yield document, frozenset([number]), path, "command"
            of_tags = [] if self.is_site else document.tags
            for lines, target, kind in [(*l, "link") for l in document.links] + [(*l, "tag") for l in of_tags]:
                file = target.split("#")[0].split("?")[0].replace("%20", " ")
                own = re.match(rf"https?://[\w.]*(?:github|gitlab)\w*\.com/{self.name}/(?:-/)?(?:(?:blob|tree|raw)/)?(?:main|master|HEAD)/(.+)", file, re.I) if self.name else None
                if own:
                    # The package may be a directory of that repository.
                    path = os.path.normpath(own[1])
                    path = path[len(self.dir):].lstrip("/") if path.startswith(self.dir) else ""
                    if path in self.there and path not in (d.path for d in self.documents):
                        yield document, lines, path, "address"
                    continue
                if "://" in target or not file or file.startswith(("/", "mailto:")):
                    continue
                path = os.path.normpath(os.path.join(os.path.dirname(document.path), file))
                if path in self.there and "." in os.path.basename(path):
                    yield document, lines, path, kind


def chosen(things, seed):
    key = lambda thing: hashlib.sha256(f"{seed}{thing}".encode()).digest()
    return sorted(things, key=key)[:MOST]


def new_name(name, seed, taken):
    """Another name: much like it, or unlike it."""
    stem, dot, end = name.partition(".") if not name.startswith(".") else (name, "", "")
    turn = hashlib.sha256(f"{seed}{name}".encode()).digest()[0] % 3
    new = [f"{stem}_all", f"quux{stem[:1]}zeta", f"{stem[:-1]}x" if len(stem) > 4 else f"{stem}2"][turn]
    return new + dot + end if new + dot + end not in taken and new != stem else f"zz{stem}{dot}{end}"


# Each kind gives plants: (what is renamed, {path: new text or None}, [(old, new) of files that are moved], truth as {(path, lines)})

def paths(repo, seed):
    by_path = {}
    for document, lines, path, kind in repo.named_paths():
        if path not in (d.path for d in repo.documents):
            by_path.setdefault(path, []).append((document, lines, kind))
        elif kind in ("link", "tag", "address"):
            by_path.setdefault(path, []).append((document, lines, kind))
    for path in chosen([p for p in by_path if p in repo.files], seed):
        named = [(d, l) for d, l, _ in by_path[path] if d.path != path]
        if not named:
            continue
        kind = by_path[path][0][2]
        turn = hashlib.sha256(f"{seed}{path}".encode()).digest()[1] % 4
        dir, name = os.path.split(path)
        if turn == 0:
            moves = [(path, None)]
        elif turn == 1:
            moves = [(path, os.path.join("elsewhere/deep", name))]
        else:
            moves = [(path, os.path.join(dir, new_name(name, seed, repo.there)))]
        # A document that is moved has its own relative links wrong: it is taken away instead.
        if path.lower().endswith((".md", ".markdown")):
            moves = [(path, None)] if turn < 2 else moves
        yield kind, path, {}, moves, {(d.path, l) for d, l in named}


def directories(repo, seed):
    below = {}
    for document, lines, path, kind in repo.named_paths():
        parts = path.split("/")
        said = " ".join(repo_line(repo, document, number) for number in lines)
        for n in range(1, len(parts) + 1):
            dir = "/".join(parts[:n])
            # The end of a path (`catch2/a.hpp`) is as true as before when `src/` above it is renamed.
            if dir in repo.there and dir not in repo.files and (kind in ("link", "tag", "address") or parts[n - 1] in said):
                below.setdefault(dir, []).append((document, lines, path))
    for dir in chosen(below, seed):
        # Documents below it would have other paths, and their links lead elsewhere.
        if any(f.startswith(dir + "/") and f.endswith((".md", ".markdown")) for f in repo.files):
            continue
        above, name = os.path.split(dir)
        to = os.path.join(above, new_name(name, seed, repo.there))
        yield "directory", dir, {}, [(dir, to)], {(d.path, l) for d, l, _ in below[dir]}


def anchors(repo, seed):
    by_heading = {}
    of = {d.path: d for d in repo.documents}
    for document in repo.documents:
        for lines, target in document.links:
            file, hash, anchor = target.partition("#")
            if not anchor or "://" in target:
                continue
            path = os.path.normpath(os.path.join(os.path.dirname(document.path), file)) if file else document.path
            named = [(n, h) for n, h in of[path].headings if slug(h) == anchor.lower()] if path in of else []
            # An anchor of its own stays when the heading is changed.
            own = path in of and f"({anchor})=" in repo.text(path) or path in of and re.search(rf"""(?:id|name)=["']?{re.escape(anchor)}["'>\s]""", repo.text(path), re.I)
            if len(named) == 1 and not own:
                by_heading.setdefault((path, *named[0]), set()).add((document.path, lines))
    for (path, number, heading) in chosen(by_heading, seed):
        rows = repo.text(path).split("\n")
        turn = hashlib.sha256(f"{seed}{path}{heading}".encode()).digest()[0] % 2
        rows[number - 1] = rows[number - 1].replace(heading, f"{heading} and more" if turn else "Zeta quux")
        yield "anchor", f"{path}#{heading}", {path: "\n".join(rows)}, [], by_heading[(path, number, heading)]


def commands_with(repo, pattern):
    for document in repo.documents:
        # Beside a justfile or Makefile of its own a document names the targets of that.
        if re.search(r"^ *(```|~~~) *(just|make|makefile)\b", repo.text(document.path), re.M | re.I):
            continue
        for number, line in document.commands:
            # What is typed in another directory is of that one's files.
            if any(f"{document.within.get(number)}/{name}" in repo.there for name in ("Makefile", "justfile", "package.json")):
                continue
            for found in re.finditer(pattern, line if "cd " not in line else ""):
                yield document, number, found


def targets(repo, seed):
    for kind, names, program in (("make", ["GNUmakefile", "Makefile", "makefile"], "make"), ("just", ["justfile", "Justfile", ".justfile"], "just")):
        by_file = {}
        for document, number, found in commands_with(repo, rf"(?:^|[;&|] *){program} ([a-z][\w.-]*)(?![\w.*{{<-])"):
            file = nearest(repo, document, names)
            text = repo.text(file) if file else ""
            # What a file of targets further up has as well is still there.
            above = [f for f in all_above(repo, file, names) if is_target(repo.text(f), found[1])] if file else []
            if is_target(text, found[1]) and not above:
                by_file.setdefault(file, {}).setdefault(found[1], set()).add((document.path, frozenset([number])))
        for file, by_target in by_file.items():
            text = repo.text(file)
            dir = os.path.dirname(file)
            included = "".join(repo.text(os.path.join(dir, f)) for f in re.findall(r"^-?include\s+(\S+)", text, re.M))
            # What is asked for another name is made all the same.
            other = re.search(r"^%:+\s*([\w-]*)%", text + included, re.M)
            if kind == "make" and re.search(r"^\.DEFAULT:", text + included, re.M):
                continue
            for target in chosen(by_target, seed):
                if kind == "make" and other and is_target(text + included, other[1] + target):
                    continue
                new = new_name(target, seed, set())
                rows = [re.sub(rf"(?<![\w.-]){re.escape(target)}(?![\w.-])", new, row) if not row.startswith(("\t", " ")) else row
                        for row in text.split("\n")]
                yield kind, target, {file: "\n".join(rows)}, [], by_target[target]


def nearest_of(repo, path, name):
    """The file of this name in the directory of a path or the nearest above."""
    dir = os.path.dirname(path)
    while dir and f"{dir}/{name}" not in repo.there:
        dir = os.path.dirname(dir)
    return os.path.join(dir, name)


def nearest(repo, document, names):
    dir = os.path.dirname(document.path)
    while True:
        file = next((p for p in (os.path.join(dir, name) for name in names) if p in repo.files), None)
        if file or not dir:
            return file
        dir = os.path.dirname(dir)


def all_above(repo, file, names):
    """The files of these names in the directories above the one of a file."""
    dir, found = os.path.dirname(file), []
    while dir:
        dir = os.path.dirname(dir)
        found += [p for p in (os.path.join(dir, name) for name in names) if p in repo.there]
    return found


def is_target(text, name):
    return re.search(rf"^@?{re.escape(name)}\b[^=\n]*:(?!=)", text, re.M)


def scripts(repo, seed):
    for file in [f for f in repo.files if os.path.basename(f) == "package.json"]:
        try:
            package = json.loads(repo.text(file))
        except ValueError:
            continue
        known, dir, by_script = package.get("scripts") or {}, os.path.dirname(file), {}
        own = {"install", "ci", "add", "remove", "init", "publish", "exec", "link", "create", "version", "pack", "run"}
        for document, number, found in commands_with(repo, r"(?:^|[;&|] *)(npm|yarn|pnpm|bun) (run |run-script )?([a-z][\w:.-]*)(?![\w/@])"):
            near = os.path.dirname(document.path)
            while near and f"{near}/package.json" not in repo.files:
                near = os.path.dirname(near)
            script = found[3]
            runs = found[2] or found[1] in ("yarn", "pnpm") and script not in own or script in ("test", "start") and found[1] != "bun"
            # What another package.json further up has as well is still there; a README means its own.
            above, also = os.path.dirname(dir) if dir else None, False
            while above is not None and not os.path.basename(document.path).lower().startswith("readme"):
                also = also or f'"{script}":' in repo.text(os.path.join(above, "package.json"))
                above = os.path.dirname(above) if above else None
            # "inside `packages/kit`": that package's.
            spoken = [span.strip("./") for line, span in document.spans if line == number]
            of_another = any(f"{span}/package.json" in repo.there and span != dir for span in spoken)
            if near == dir and runs and script in known and not also and not of_another:
                by_script.setdefault(script, set()).add((document.path, frozenset([number])))
        for script in chosen(by_script, seed):
            renamed = dict(package, scripts={(new_name(k, seed, known) if k == script else k): v for k, v in known.items()})
            yield "npm", f"{file} {script}", {file: json.dumps(renamed, indent=2)}, [], by_script[script]


def cargo(repo, seed):
    if "Cargo.toml" not in repo.files:
        return
    text, by_name = repo.text("Cargo.toml"), {}
    for document, number, found in commands_with(repo, r"cargo (?:run|test|build|bench|check|doc)\b[^|;&]*"):
        line = found[0].split(" -- ")[0]
        for flag, names in re.findall(r"(--bin|--example|--test|--bench|-p|--package|--features|-F)[ =]([\w,-]+)", line):
            for name in names.split(","):
                by_name.setdefault((flag.replace("--package", "-p").replace("-F", "--features"), name), set()).add((document.path, frozenset([number])))
    for flag, name in chosen(by_name, seed):
        new = new_name(name, seed, set())
        texts, moves = {}, []
        if flag == "--features" and re.search(rf"^{re.escape(name)}\s*=\s*\[", text, re.M):
            texts = {"Cargo.toml": re.sub(rf"^{re.escape(name)}(\s*=\s*\[)", rf"{new}\1", text, flags=re.M)}
        elif flag in ("--example", "--test", "--bench"):
            dir = {"--example": "examples", "--test": "tests", "--bench": "benches"}[flag]
            # Another package may declare it, with a path to this place: then its name is what it was.
            if any(f != "Cargo.toml" and os.path.basename(f) == "Cargo.toml" and f'name = "{name}"' in repo.text(f) for f in repo.files):
                continue
            moves = [(p, f"{dir}/{new}{p[len(dir) + 1 + len(name):]}") for p in (f"{dir}/{name}.rs", f"{dir}/{name}") if p in repo.there]
            texts = {"Cargo.toml": text.replace(f'name = "{name}"', f'name = "{new}"').replace(f"{dir}/{name}.rs", f"{dir}/{new}.rs")}
        else:
            for file in repo.files:
                if os.path.basename(file) == "Cargo.toml" and f'name = "{name}"' in repo.text(file):
                    texts[file] = repo.text(file).replace(f'name = "{name}"', f'name = "{new}"').replace(f"src/bin/{name}.rs", f"src/bin/{new}.rs")
                    bin = os.path.join(os.path.dirname(file), f"src/bin/{name}.rs")
                    if flag == "--bin" and bin in repo.there:
                        moves.append((bin, bin.replace(f"{name}.rs", f"{new}.rs")))
        # The README of a package with a program of that name under another file's name has it still.
        changed = {os.path.dirname(p) for p, t in texts.items() if repo.text(p) != t} | {""}
        truth = {(p, ls) for p, ls in by_name[(flag, name)] if os.path.dirname(nearest_of(repo, p, "Cargo.toml")) in changed}
        if moves or any(repo.text(p) != t for p, t in texts.items()):
            yield "cargo", f"{flag} {name}", texts, moves, truth


def versions(repo, seed):
    for file, pattern in (("Cargo.toml", r'^version = "([^"]+)"'), ("pyproject.toml", r'^version = "([^"]+)"'), ("package.json", r'"version":\s*"([^"]+)"')):
        text = repo.text(file) if file in repo.files else ""
        version = re.search(pattern, text, re.M)
        name = re.search(r'^name = "([^"]+)"' if file != "package.json" else r'"name":\s*"([^"]+)"', text, re.M)
        numbers = [int(n) for n in re.findall(r"\d+", version[1])[:3]] if version else []
        if not name or len(numbers) < 3:
            continue
        bumped = f"{numbers[0] + 1}.0.0" if numbers[0] else f"0.{numbers[1] + 1}.0"
        name, truth = re.escape(name[1]), set()
        for document in repo.documents:
            for number, line in enumerate(repo.text(document.path).split("\n"), 1):
                pinned = re.search(rf'(?<![\w/-]){name}(?:\[[^\]]*\])?(?: = "| = {{[^}}]*version = "|==|@)[\^~v]?(\d[\w.]*)', line)
                asked = [int(n) for n in re.findall(r"\d+", pinned[1])] if pinned else []
                # It says what is now, and would not say what comes.
                if len(asked) >= 1 and asked == numbers[:len(asked)] and (len(asked) > 1 or "." in pinned[1] or numbers[0]):
                    truth.add((document.path, frozenset([number])))
        if truth:
            start, end = version.span(1)
            yield "version", version[1], {file: text[:start] + bumped + text[end:]}, [], truth


def variables(repo, seed):
    by_name = {}
    for document in repo.documents:
        said = document.spans + document.commands
        for number, span in said:
            for name in re.findall(r"(?<![\w{<%])\$?\{?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\}?(?![\w])", span):
                by_name.setdefault(name, set()).add((document.path, frozenset([number])))
    code = [f for f in repo.files if not f.endswith((".md", ".rst", ".txt", ".lock", ".svg", ".html", ".map", ".1", "PKG-INFO"))]
    in_code = {}
    for file in code:
        for name in set(re.findall(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+", repo.text(file))) & by_name.keys():
            in_code.setdefault(name, []).append(file)
    composed = lambda name: any(re.search(rf"{name.split('_')[0]}_[{{$%]", repo.text(f)) for f in code)
    is_read = lambda name: name.split("_")[0] not in OTHERS and not composed(name) and any(
        re.search(rf"{READS}{name}(?![A-Z0-9_])", repo.text(f)) for f in in_code.get(name, []))
    for name in chosen([n for n in by_name if is_read(n)], seed):
        family = name.split("_")[0]
        turn = hashlib.sha256(f"{seed}{name}".encode()).digest()[0] % 3
        new = [f"{name}_ALL", f"{family}_QUUX_ZETA", f"{name[:-1]}X"][turn]
        texts = {f: re.sub(rf"(?<![A-Z0-9_]){name}(?![A-Z0-9_])", new, repo.text(f)) for f in in_code[name]}
        yield "variable", name, texts, [], by_name[name]


KINDS = [paths, directories, anchors, targets, scripts, cargo, versions, variables]


def git(root, *arguments):
    of = ["git", "-c", "core.hooksPath=/dev/null", "-c", "user.name=plant", "-c", "user.email=plant@localhost", "-c", "commit.gpgsign=false",
          "-c", "gc.auto=0", "-c", "safe.directory=*", "-c", "core.fsmonitor=false"]
    subprocess.run([*of, *arguments], cwd=root, check=True, stdout=subprocess.DEVNULL)


def planted(repo, texts, moves):
    """Changes the copy, gives what is found, and puts everything back."""
    root, back = Path(repo.root), []
    hidden = Path(tempfile.mkdtemp(dir=root.parent))
    for path, text in texts.items():
        back.append((path, (root / path).read_bytes()))
        (root / path).write_bytes(text.encode())
    made = []
    for n, (old, new) in enumerate(moves):
        to = root / new if new else hidden / str(n)
        to.parent.mkdir(parents=True, exist_ok=True)
        (root / old).rename(to)
        made.append((root / old, to))
    has_history = (root / ".git").exists()
    if has_history:
        git(root, "add", "-A")
        git(root, "commit", "-q", "--allow-empty", "--no-verify", "-m", "plant")
    found = repo.drift()
    if has_history:
        git(root, "reset", "-q", "HEAD~1")
    for old, to in reversed(made):
        to.rename(old)
    shutil.rmtree(hidden)
    shutil.rmtree(root / "elsewhere", ignore_errors=True)
    for path, data in back:
        (root / path).write_bytes(data)
    return found


def main():
    arguments = sys.argv[1:]
    verbose = "-v" in arguments
    global MOST
    MOST = int(arguments[arguments.index("--most") + 1]) if "--most" in arguments else MOST
    keeps_history = "--history" in arguments
    seed = arguments[arguments.index("--seed") + 1] if "--seed" in arguments else "1"
    named = [a for n, a in enumerate(arguments) if a not in ("-v", "--seed", "--history", "--most") and (n == 0 or arguments[n - 1] not in ("--seed", "--most"))]
    binary, dirs = os.path.abspath(named[0]), named[1:]
    totals, bases = {}, []
    for dir in dirs:
        with tempfile.TemporaryDirectory(prefix="plant-") as tmp:
            root = os.path.join(tmp, os.path.basename(os.path.normpath(dir)))
            added = shutil.ignore_patterns(*([] if keeps_history else [".git"]))
            shutil.copytree(dir, root, symlinks=True, ignore=added)
            repo = Repository(root, binary)
            bases.append((dir, len(repo.documents), sorted(repo.base)))
            known = {(p, n) for p, n, _, _ in repo.base}
            for plants in KINDS:
                for kind, what, texts, moves, truth in plants(repo, seed):
                    truth = {(p, ls) for p, ls in truth if not any((p, n) in known for n in ls)}
                    if not truth:
                        continue
                    renamed = {to: old for old, to in moves if to}
                    new = {f for f in planted(repo, texts, moves) if (renamed.get(f[0], f[0]), *f[1:]) not in repo.base}
                    lines = {(p, n) for p, n, _, _ in new}
                    hit = {(p, ls) for p, ls in truth if any((p, n) in lines for n in ls)}
                    true_lines = {(p, n) for p, ls in truth for n in ls}
                    # A line that the truth does not have and that names what is gone is one more, and no mistake.
                    stem = what.split("#")[-1].split(" ")[-1]
                    gone = {slug(what.split("#")[-1])} if kind == "anchor" else {os.path.basename(stem).lower(), stem.lower()}
                    wrong = {f for f in new if f[:2] not in true_lines and not any(g in f[3].lower() for g in gone)}
                    row = totals.setdefault(kind, [0, 0, 0, 0])
                    row[0] += 1; row[1] += len(truth); row[2] += len(hit); row[3] += len(wrong)
                    if verbose:
                        name = os.path.basename(root)
                        for p, ls in sorted(truth - hit, key=str):
                            said = repo.text(p).split("\n")[min(ls) - 1].strip()[:110]
                            print(f"missed  {kind:9} {name}: {what} -> {[n for _, n in moves][:1]} {p}:{min(ls)}  {said}")
                        for f in sorted(wrong):
                            print(f"wrong   {kind:9} {name}: {what}: {f[0]}:{f[1]} {f[2]} {f[3]}")
    print(f"{'kind':10} {'plants':>6} {'lines':>6} {'found':>6} {'wrong':>6} {'recall':>7} {'precision':>9}")
    every = [sum(column) for column in zip(*totals.values())] if totals else [0, 0, 0, 0]
    for kind, (plants, lines, hits, wrong) in [*sorted(totals.items()), ("all", every)]:
        print(f"{kind:10} {plants:6} {lines:6} {hits:6} {wrong:6} {hits / max(lines, 1):7.3f} {hits / max(hits + wrong, 1):9.3f}")
    print("\nbefore anything was planted:")
    for dir, documents, base in bases:
        print(f"  {os.path.basename(os.path.normpath(dir))}: {documents} documents, {len(base)} lines")
        for path, line, check, says in base if verbose else []:
            print(f"    {path}:{line} {check}: {says}")


main()
