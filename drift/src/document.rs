//! A document as the checks need it: its texts in backticks, links, code blocks and anchors, each with its line.

use crate::CheckedDocument;
use crate::tree::{dirs_above, name_of};
use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// A text that a document mentions, with its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mention {
    pub(crate) line: usize,
    pub(crate) text: String,
}

/// A directory that is entered in a code block, from behind a line to another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entered {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) dir: String,
    /// Nothing else is done in that line. Behind `cd web && make` the next line may be one for itself.
    pub(crate) is_alone: bool,
}

/// A document after parsing.
#[derive(Default)]
pub(crate) struct Reading<'a> {
    pub(crate) path: &'a str,
    pub(crate) text: &'a str,
    lines: Vec<&'a str>,
    /// Texts in backticks.
    pub(crate) spans: Vec<Mention>,
    /// Where links and images lead.
    pub(crate) links: Vec<Mention>,
    /// The same of tags: `<img src="docs/a.png">`. A site's tool may fill them in.
    pub(crate) tag_links: Vec<Mention>,
    /// Those links that show the directory to which they lead: [`docs/`](../docs).
    pub(crate) directories: Vec<Mention>,
    /// Lines of shell in code blocks, without their prompts.
    pub(crate) shell: Vec<Mention>,
    /// Lines of code blocks that say no language: they may be shell.
    pub(crate) bare: Vec<Mention>,
    /// Lines of other code blocks, and those.
    pub(crate) code: Vec<Mention>,
    /// Directories that are entered in a code block.
    pub(crate) entered: Vec<Entered>,
    /// Whether the command of the last line of shell goes on in the next one.
    goes_on: bool,
    /// The line and the level of each heading, in their order.
    headings: Vec<(usize, usize)>,
    /// The anchors that links can lead to.
    pub(crate) anchors: BTreeSet<String>,
    /// Whether templates or plugins may add anchors that its text does not show.
    pub(crate) has_hidden_anchors: bool,
    /// Files that its text includes, as it writes them: their headings are its own.
    pub(crate) included: Vec<String>,
    /// Titles of blocks (`title="src/a.py"`).
    pub(crate) titles: Vec<String>,
    /// Components of the site's tool (`<Settings />`, `{{< settings >}}`), by their names: they may make headings.
    pub(crate) components: BTreeSet<String>,
    /// Texts in backticks that are shown by a link, with where that leads.
    pub(crate) linked: Vec<(Mention, String)>,
}

/// So many lines or headings above a line are looked at.
const ABOVE_MAX: usize = 500;
/// And so many bytes of each of them.
const ABOVE_BYTES_MAX: usize = 2 << 10;
/// What is mentioned is judged by its line. Where many things stand in one long line, so many bytes are looked at for all of them,
/// counted once for each; what is left then is not decided. A thousand of them in lines of 1 KiB need a thirty-second part of that.
const LINES_BYTES_MAX: usize = 32 << 20;
const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_GFM)
    .union(Options::ENABLE_YAML_STYLE_METADATA_BLOCKS);
/// Stands before what goes on from the line above: it is no program.
const CONTINUED: &str = "\\";
/// The language of a block that shows a script.
const FILE: &str = "file";
const SHELLS: [&str; 12] = [
    "sh",
    "fish",
    "sh-session",
    "bash",
    "shell",
    "console",
    "zsh",
    "shell-session",
    "shellsession",
    "terminal",
    "bash session",
    "cmd",
];

impl<'a> Reading<'a> {
    pub(crate) fn of(document: &CheckedDocument<'a>) -> Reading<'a> {
        let plain = without_admonitions(document.text);
        let (text, lines) = (plain.as_str(), Lines::of(&plain));
        let mut reading =
            Reading::new(document, [attributes(text), keys_before(text), labels(text)].concat());
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let mut inline = Inline::default();
        let mut templates = Templates::default();
        let mut block: Option<String> = None;
        for (event, at) in Parser::new_ext(text, OPTIONS).into_offset_iter() {
            let mention = |text: &str| Mention { line: lines.at(at.start), text: text.to_owned() };
            match event {
                Event::Code(code) => {
                    inline.add(&code, "`");
                    let target = inline.link.as_ref().map(|(_, target)| target.clone());
                    reading.linked.extend(target.map(|target| (mention(&code), target)));
                    reading.spans.push(mention(&code));
                }
                Event::Text(said) => match &mut block {
                    Some(language) => {
                        // What begins so is a file that is shown, and nothing to type.
                        if said.starts_with("#!") {
                            FILE.clone_into(language);
                        }
                        reading.add_code(language, &said, lines.at(at.start));
                    }
                    None => {
                        templates.add(text, at.start);
                        inline.add(&said, "");
                    }
                },
                Event::Html(html) | Event::InlineHtml(html) => {
                    inline.tag(&html);
                    reading.components.extend(component(text, at.start, &html));
                    reading.add_tags(&html, lines.at(at.start));
                    templates.included.extend(included_by_comment(&html));
                }
                Event::Start(Tag::Heading { id, level, .. }) => {
                    inline.begin_heading();
                    reading.headings.push((lines.at(at.start), level as usize));
                    reading.anchors.extend(id.map(|id| id.to_string()));
                }
                Event::End(TagEnd::Heading(_)) => reading.end_heading(&mut inline, &mut seen),
                Event::Start(Tag::CodeBlock(kind)) => {
                    templates.included.extend(included_by_fence(&kind));
                    reading.titles.extend(title(&kind));
                    block = Some(language(&kind));
                }
                Event::End(TagEnd::CodeBlock) => {
                    block = None;
                    reading.leave(lines.at(at.end.saturating_sub(1)));
                }
                // `<ann@example.org>` leads to no file.
                Event::Start(Tag::Link { dest_url, link_type, .. }) if link_type != LinkType::Email => {
                    inline.link = Some((String::new(), dest_url.to_string()));
                    reading.add_link(&dest_url, lines.at(at.end.saturating_sub(1)));
                }
                Event::Start(Tag::Image { dest_url, .. }) => {
                    inline.images += 1;
                    reading.add_link(&dest_url, lines.at(at.end.saturating_sub(1)));
                }
                Event::End(TagEnd::Image) => inline.images = inline.images.saturating_sub(1),
                Event::End(TagEnd::Link) => reading.end_link(inline.link.take()),
                _ => {}
            }
        }
        reading.take(templates);
        reading.leave_long_lines();
        reading
    }

    /// The anchors that Hugo and mdBook give to what a list explains. They count a term and a heading of one name together.
    fn add_terms(&mut self, text: &str) {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for term in terms(text) {
            let slug = slug(term);
            let count = seen.entry(slug.clone()).or_default();
            let is_new = *count > 0 || !self.anchors.contains(&slug);
            *count += usize::from(!is_new);
            self.anchors.insert(if *count == 0 { slug } else { format!("{slug}-{count}") });
            *count += 1;
        }
    }

    /// Leaves out what stands in lines that are too long to be looked at for each of the many things in them.
    fn leave_long_lines(&mut self) {
        let lines = &self.lines;
        let fits = |left: &mut usize, mention: &Mention| {
            let line = lines.get(mention.line.saturating_sub(1)).map_or(0, |line| line.len());
            *left = left.saturating_sub(line);
            *left > 0
        };
        let kinds = [
            &mut self.spans,
            &mut self.links,
            &mut self.tag_links,
            &mut self.directories,
            &mut self.shell,
            &mut self.bare,
            &mut self.code,
        ];
        for mentions in kinds {
            let mut left = LINES_BYTES_MAX;
            mentions.retain(|mention| fits(&mut left, mention));
        }
        let mut left = LINES_BYTES_MAX;
        self.linked.retain(|(mention, _)| fits(&mut left, mention));
    }

    fn take(&mut self, templates: Templates) {
        self.has_hidden_anchors = templates.fill_in;
        self.components.extend(templates.left_open());
        self.included = templates.included;
        self.add_terms(self.text);
    }

    /// One of which nothing is known but its text and these anchors.
    fn new(document: &CheckedDocument<'a>, anchors: Vec<String>) -> Reading<'a> {
        let (lines, anchors) = (document.text.lines().collect(), anchors.into_iter().collect());
        Reading { path: document.path, text: document.text, lines, anchors, ..Reading::default() }
    }

    /// Its directory.
    pub(crate) fn dir(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(dir, _)| dir)
    }

    /// Its directory and those above it, the root last.
    pub(crate) fn dirs(&self) -> impl Iterator<Item = &str> {
        dirs_above(self.dir())
    }

    /// Whether it is what one reads first in its directory, so that it speaks of what is there.
    pub(crate) fn is_readme(&self) -> bool {
        name_of(self.path).to_lowercase().starts_with("readme")
    }

    /// Whether other documents include it: where its links lead is to be seen from those.
    pub(crate) fn is_part(&self) -> bool {
        let is_of_parts =
            |dir: &str| ["snippets", "includes", "partials"].contains(&dir.trim_start_matches('_'));
        self.dir().split('/').any(is_of_parts)
    }

    /// The text of a line.
    pub(crate) fn line(&self, number: usize) -> &str {
        self.lines.get(number.saturating_sub(1)).copied().unwrap_or_default()
    }

    /// The beginning of a line, for what stands near it.
    pub(crate) fn line_nearby(&self, number: usize) -> &str {
        beginning(self.line(number))
    }

    /// The line before the list or table in which a line stands: what is said of all of it.
    pub(crate) fn introduction(&self, number: usize) -> Option<&str> {
        let is_of_list = |line: &&str| {
            let bare = line.trim_start();
            bare.is_empty() || bare.len() < line.len() || bare.starts_with(['-', '*', '+', '|'])
        };
        let above = self.lines.get(..number)?;
        let in_list = above.last().is_some_and(|line| !line.trim().is_empty() && is_of_list(line));
        let first = above.iter().rev().take(ABOVE_MAX).find(|line| !is_of_list(line));
        first.copied().filter(|line| in_list && !line.starts_with('#')).map(beginning)
    }

    /// The headings under which a line stands, the nearest first.
    pub(crate) fn headings_above(&self, number: usize) -> Vec<&str> {
        let mut level = usize::MAX;
        let before = self.headings.partition_point(|(line, _)| *line <= number);
        let above = self.headings[..before].iter().rev().take(ABOVE_MAX);
        let higher = above.filter(|(_, own)| {
            let is_higher = *own < level;
            level = level.min(*own);
            is_higher
        });
        higher.map(|(line, _)| self.line_nearby(*line).trim_start_matches('#').trim()).collect()
    }

    /// A link or an image. `line`: that of its end, where its target is, which may be a later one than that of its text. A target that
    /// is defined elsewhere (`[text][name]`) is reported where it is used.
    fn add_link(&mut self, target: &str, line: usize) {
        self.links.push(Mention { line, text: target.to_owned() });
    }

    /// The anchors and links of tags.
    fn add_tags(&mut self, html: &str, first: usize) {
        self.anchors.extend(html_anchors(html));
        for (n, line) in html.lines().enumerate().filter(|(_, line)| !line.contains("<script")) {
            let values = ["href=\"", "src=\""].into_iter().flat_map(|name| {
                let found = line.match_indices(name).filter(|(at, _)| {
                    let before = line[..*at].chars().next_back();
                    before.is_none_or(char::is_whitespace)
                });
                found.filter_map(|(at, name)| line[at + name.len()..].split('"').next()).collect::<Vec<_>>()
            });
            self.tag_links.extend(values.map(|text| Mention { line: first + n, text: text.to_owned() }));
        }
    }

    /// `ended`: what the link shows that was added last, and where it leads.
    fn end_link(&mut self, ended: Option<(String, String)>) {
        let shown = ended.unwrap_or_default().0;
        let directory = shown.strip_prefix('`').and_then(|shown| shown.strip_suffix("/`"));
        if let (Some(directory), Some(link)) = (directory, self.links.last()) {
            let target = link.text.trim_end_matches('/');
            let leads_there = target.ends_with(directory) && !target.starts_with('#');
            self.directories.extend(leads_there.then(|| link.clone()));
        }
    }

    fn end_heading(&mut self, inline: &mut Inline, seen: &mut BTreeMap<String, usize>) {
        // Some sites leave what stands in a tag out of the anchor.
        self.anchors.insert(slug(&inline.outside));
        let title = inline.heading.take().unwrap_or_default();
        // And some put the heading above before it: `#options-prefix`.
        let level = self.headings.last().map_or(1, |(_, level)| *level);
        inline.above.retain(|(above, _)| *above < level);
        let own = slug(&title);
        self.anchors.extend(inline.above.last().map(|(_, above)| format!("{above}-{own}")));
        inline.above.push((level, own));
        self.add_heading(&title, seen);
    }

    fn add_heading(&mut self, title: &str, seen: &mut BTreeMap<String, usize>) {
        let (title, attributes) =
            match title.trim().strip_suffix('}').and_then(|title| title.rsplit_once('{')) {
                Some((title, attributes)) if attributes.contains('#') || attributes.starts_with(':') => {
                    (title, attributes)
                }
                _ => (title, ""),
            };
        let ids = attributes.split([' ', ':']).filter_map(|word| word.strip_prefix('#'));
        self.anchors.extend(ids.map(str::to_owned));
        let slug = slug(title.trim().trim_end_matches('#'));
        // Some tools shorten several dashes to one.
        let mut single = slug.clone();
        while single.contains("--") {
            single = single.replace("--", "-");
        }
        self.anchors.insert(single);
        self.anchors.insert(slug_of_vitepress(title));
        // mdBook lets no anchor begin with a digit.
        self.anchors.extend(slug.starts_with(|c: char| c.is_ascii_digit()).then(|| format!("a{slug}")));
        let count = seen.entry(slug.clone()).or_default();
        // The second of its name, for GitHub and for Python's Markdown.
        self.anchors.extend((*count > 0).then(|| format!("{slug}_{count}")));
        self.anchors.insert(if *count == 0 { slug } else { format!("{slug}-{count}") });
        *count += 1;
    }

    fn add_code(&mut self, language: &str, said: &str, first: usize) {
        for (n, line) in said.lines().enumerate() {
            let mention = Mention { line: first + n, text: line.to_owned() };
            let of_shell = SHELLS.contains(&language);
            let prompted = line.trim_start().strip_prefix("$ ");
            let prompted = prompted.or_else(|| line.strip_prefix("> ").filter(|_| of_shell));
            let is_shell = of_shell || (language.is_empty() && prompted.is_some());
            if !is_shell {
                self.code.push(mention.clone());
            }
            if is_shell || language.is_empty() {
                let text = prompted.unwrap_or(line).split(" #").next().unwrap_or_default().trim().to_owned();
                let goes_on = std::mem::replace(&mut self.goes_on, goes_on_below(&text));
                let text = if goes_on { format!("{CONTINUED} {text}") } else { text };
                if let Some(dir) =
                    text.strip_prefix("cd ").and_then(|rest| rest.split([' ', '&', ';']).next())
                {
                    match dir.trim_matches(['"', '\'']) {
                        "-" => self.leave(mention.line),
                        dir => self.entered.push(Entered {
                            from: mention.line,
                            to: usize::MAX,
                            dir: dir.to_owned(),
                            is_alone: !text.contains(['&', ';']),
                        }),
                    }
                }
                let lines = if is_shell { &mut self.shell } else { &mut self.bare };
                lines.push(Mention { text, line: mention.line });
            }
        }
    }

    /// From this line on nothing that was entered is where commands run.
    fn leave(&mut self, line: usize) {
        self.goes_on = false;
        for entered in &mut self.entered {
            entered.to = line.min(entered.to);
        }
    }
}

fn beginning(line: &str) -> &str {
    let end = (0..=line.len().min(ABOVE_BYTES_MAX)).rev().find(|end| line.is_char_boundary(*end));
    &line[..end.unwrap_or(0)]
}

/// Whether the command of a line goes on in the next one, so that none begins there: it ends with `\`, but not behind `&&`, and not after
/// variables alone, which a command follows.
fn goes_on_below(line: &str) -> bool {
    let said = line.strip_suffix('\\').map(str::trim_end);
    said.is_some_and(|said| {
        !said.ends_with(['&', '|', ';']) && !said.split_whitespace().all(|word| word.contains('='))
    })
}

/// What is shown by what is read at the moment, so far.
#[derive(Default)]
struct Inline {
    heading: Option<String>,
    /// The heading without what stands in a tag of HTML, and how deep in tags.
    outside: String,
    tags: usize,
    /// The headings above it, with their levels.
    above: Vec<(usize, String)>,
    /// What a link shows, and where it leads.
    link: Option<(String, String)>,
    /// How deep in images, whose text is in no anchor.
    images: usize,
}

impl Inline {
    fn begin_heading(&mut self) {
        (self.heading, self.outside, self.tags) = (Some(String::new()), String::new(), 0);
    }

    /// A tag opens or closes.
    fn tag(&mut self, html: &str) {
        if html.starts_with("</") {
            self.tags = self.tags.saturating_sub(1);
        } else if !html.ends_with("/>") && !html.starts_with("<!") && !html.starts_with("<br") {
            self.tags += 1;
        }
    }

    /// Adds what is shown; `mark` stands before and behind it.
    fn add(&mut self, said: &str, mark: &str) {
        if let (Some(heading), 0) = (&mut self.heading, self.images) {
            heading.push_str(said);
            self.outside.push_str(if self.tags == 0 { said } else { "" });
        }
        if let Some((shown, _)) = &mut self.link {
            shown.extend([mark, said, mark]);
        }
    }
}

/// Whether nothing stands before a place in its line.
fn begins_line(text: &str, at: usize) -> bool {
    // Only the blanks before it: a line may be a megabyte of tags, each of which is asked about.
    let before = text[..at].trim_end_matches(|c: char| c.is_whitespace() && c != '\n');
    before.is_empty() || before.ends_with('\n')
}

/// The name of a component of the site's tool that is a line alone (`<Settings />`), which may make headings.
fn component(text: &str, at: usize, html: &str) -> Option<String> {
    let name = html.trim_start().strip_prefix('<').unwrap_or_default();
    let is_component = begins_line(text, at)
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && html.trim_end().ends_with("/>");
    let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
    is_component.then(|| name[..end].to_owned())
}

/// What templates and plugins make of lines that begin with one of their marks. In the middle of a line they make no heading.
#[derive(Default)]
struct Templates {
    /// Boxes that are opened and not closed yet, by their marks; what stands in a box is in the text.
    open: BTreeMap<String, i64>,
    included: Vec<String>,
    /// Something else is filled in.
    fill_in: bool,
}

impl Templates {
    /// Adds the line that begins at this place of a text, if one does.
    fn add(&mut self, text: &str, at: usize) {
        if !begins_line(text, at) {
            return;
        }
        let line = text[at..].lines().next().unwrap_or_default().trim();
        if let Some(rest) = line.strip_prefix(":::") {
            // `::: tip` is a box that `:::` closes; `::: kit.core` is filled in by a plugin.
            let closes = rest.trim_start_matches(':').trim().is_empty();
            *self.open.entry(":::".to_owned()).or_default() += if closes { -1 } else { 1 };
        } else if let Some(rest) = line.strip_prefix("{%") {
            self.add_tag(rest.split("%}").next().unwrap_or_default());
        } else if let Some(rest) = line.strip_prefix("{{") {
            let (inside, behind) = rest.split_once("}}").unwrap_or((rest, ""));
            // What text follows makes no heading of its own.
            if behind.trim().is_empty() {
                let inside = inside.trim_matches(['<', '%', '#', '>', ' ']);
                self.add_tag(inside.strip_suffix('/').unwrap_or(inside));
            }
        } else if let Some(file) = line.strip_prefix("--8<--").or_else(|| line.strip_prefix("{!")) {
            self.included.push(file.trim_matches(['"', '\'', ' ', '!', '}']).to_owned());
        } else if line.starts_with("<%") {
            self.fill_in = true;
        }
    }

    /// Adds what stands in a tag: `raw`, `endraw`, `/tabs`, `include "parts/a.md"`.
    fn add_tag(&mut self, inside: &str) {
        /// They choose or set something, or show a picture.
        const SILENT: [&str; 12] = [
            "else", "elif", "elsif", "when", "set", "assign", "import", "from", "title", "figure", "image",
            "youtube",
        ];
        let inside = inside.trim_matches(['-', ' ']);
        let (name, rest) = inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
        let closed = name.strip_prefix("end").or_else(|| name.strip_prefix('/')).map(str::trim);
        if name.starts_with("include") {
            let file = rest.split_whitespace().next().unwrap_or_default();
            self.included.push(file.trim_matches(['"', '\'']).to_owned());
        } else if let Some(closed) = closed {
            let closed = if closed.is_empty() { rest.trim() } else { closed };
            *self.open.entry(closed.to_owned()).or_default() -= 1;
        } else if !SILENT.contains(&name) {
            *self.open.entry(name.to_owned()).or_default() += 1;
        }
    }

    /// What is opened and never closed is no box: something is filled in that the text does not show.
    fn left_open(&self) -> impl Iterator<Item = String> {
        self.open.iter().filter(|(_, open)| **open > 0).map(|(name, _)| name.clone())
    }
}

/// The files that a text includes, as it writes them, without reading all of it.
pub(crate) fn inclusions(text: &str) -> Vec<String> {
    let mut templates = Templates::default();
    let begins = |line: &&str| ["{%", "{{", "--8<--", "{!", "<!--"].iter().any(|mark| line.starts_with(mark));
    for line in text.lines().map(str::trim).filter(begins) {
        templates.add(line, 0);
        templates.included.extend(included_by_comment(line));
    }
    templates.included
}

/// The file of `<!-- @include: parts/a.md -->`.
fn included_by_comment(html: &str) -> Option<String> {
    let inside = html.trim().strip_prefix("<!--")?.trim_start().trim_start_matches('@');
    let inside = inside.strip_prefix("include:")?;
    let file = inside.split("-->").next()?.trim();
    Some(file.split(['{', '#']).next().unwrap_or(file).to_owned())
}

/// The file of a block that MyST fills in: "```{include} parts/a.md".
fn included_by_fence(kind: &CodeBlockKind<'_>) -> Option<String> {
    match kind {
        CodeBlockKind::Fenced(info) => Some(info.strip_prefix("{include}")?.trim().to_owned()),
        CodeBlockKind::Indented => None,
    }
}

/// The title of a block: "```python title="src/a.py"".
fn title(kind: &CodeBlockKind<'_>) -> Option<String> {
    let CodeBlockKind::Fenced(info) = kind else { return None };
    Some(info.split_once("title=\"")?.1.split('"').next()?.to_owned())
}

fn language(kind: &CodeBlockKind<'_>) -> String {
    match kind {
        CodeBlockKind::Fenced(info) => info.split([' ', ',', '{']).next().unwrap_or_default().to_lowercase(),
        CodeBlockKind::Indented => String::new(),
    }
}

/// A line without a comment that stands before its text (`- <!-- since 2.0 --> See [x](x.md)`) and without a tag that lets Markdown stand
/// in it (`<figure markdown>`): what follows either is read by documentation tools as any text.
fn without_tag(line: &str) -> Cow<'_, str> {
    let bare = line.trim_start();
    let bare = ["- ", "* ", ": "].iter().find_map(|mark| bare.strip_prefix(mark)).unwrap_or(bare);
    let before = &line[..line.len() - bare.len()];
    let comment = bare.strip_prefix("<!--").and_then(|rest| rest.split_once("-->"));
    let of_comment = comment.filter(|(said, behind)| {
        !said.contains("include") && !behind.trim().is_empty() && !behind.trim_start().starts_with('<')
    });
    let tag = bare.strip_prefix('<').and_then(|rest| rest.split_once('>'));
    let of_tag = tag.filter(|(tag, _)| {
        let mut words = tag.split_whitespace().skip(1);
        words.any(|word| word == "markdown" || word.starts_with("markdown="))
    });
    match of_comment.or(of_tag) {
        Some((_, behind)) => Cow::Owned(format!("{before}{}", behind.trim_start_matches(' '))),
        None => Cow::Borrowed(line),
    }
}

/// Takes away the indentation below the boxes of documentation tools (`!!! note`, `??? tip`, `=== "Tab"`), which would make their
/// text a code block. The number of lines stays the same.
fn without_admonitions(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut boxes: Vec<usize> = Vec::new();
    for line in text.split_inclusive('\n') {
        let bare = line.trim_start_matches(' ');
        let indent = line.len() - bare.len();
        if !bare.trim().is_empty() {
            boxes.retain(|opened| indent >= opened + 4);
        }
        let taken = (boxes.len() * 4).min(indent);
        plain.push_str(&without_tag(&line[taken..]));
        // `: text` below a term explains it.
        if ["!!! ", "??? ", "???+ ", "=== \"", ": "].iter().any(|mark| bare.starts_with(mark)) {
            boxes.push(indent);
        }
    }
    plain
}

/// The keys of what stands before the text (`further_reading:`), as anchors: a site's templates make headings of lists there.
fn keys_before(text: &str) -> Vec<String> {
    let before = text.strip_prefix("---\n").and_then(|text| text.split_once("\n---"));
    let lists = before.map_or("", |(before, _)| before).lines().filter_map(|line| line.strip_suffix(':'));
    lists.filter(|key| !key.starts_with(' ')).map(|key| key.replace('_', "-")).collect()
}

/// What is explained by a line that begins with `: ` directly below it, or below an empty line.
fn terms(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let explains = |at: usize| lines.get(at).is_some_and(|line| line.starts_with(": "));
    let is_term = |at: &usize| {
        let below = at + 1 + usize::from(lines.get(at + 1).is_some_and(|line| line.is_empty()));
        !lines[*at].is_empty() && !lines[*at].starts_with(':') && explains(below)
    };
    (0..lines.len()).filter(is_term).map(|at| lines[at]).collect()
}

/// The anchors that a line of MyST gives to what stands below it: `(name)=`.
fn labels(text: &str) -> Vec<String> {
    let label = |line: &str| Some(line.trim().strip_prefix('(')?.strip_suffix(")=")?.to_owned());
    text.lines().filter_map(label).collect()
}

/// The anchors that attributes of Markdown give to what stands before them: `[](){#name}`, `{: #name .note }`.
fn attributes(text: &str) -> Vec<String> {
    let of = |behind: &str| {
        let (inside, _) = behind.lines().next()?.split_once('}')?;
        let inside = inside.trim_start_matches(':').trim_start();
        let id = inside.split_whitespace().find_map(|word| word.strip_prefix('#'))?;
        (!id.is_empty()).then(|| id.to_owned())
    };
    text.split('{')
        .skip(1)
        .filter(|behind| behind.trim_start_matches([':', ' ']).starts_with(['#', '.']))
        .filter_map(of)
        .collect()
}

/// The anchor that VitePress makes from a heading: all that is no letter or digit is a dash, and it begins with no digit.
fn slug_of_vitepress(title: &str) -> String {
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let slug = words.collect::<Vec<_>>().join("-").to_lowercase();
    if slug.starts_with(|c: char| c.is_ascii_digit()) { format!("_{slug}") } else { slug }
}

/// The anchor that GitHub makes from a heading.
pub(crate) fn slug(title: &str) -> String {
    let kept = title.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn html_anchors(html: &str) -> Vec<String> {
    let mut found = Vec::new();
    for name in ["id=", "name="] {
        for (at, _) in html.match_indices(name) {
            let value = html[at + name.len()..].trim_start_matches(['"', '\'']);
            found.push(value.split(['"', '\'', '>', ' ']).next().unwrap_or_default().to_owned());
        }
    }
    // A heading that is written as HTML has the anchor of one.
    for (at, _) in html.match_indices("<h") {
        let Some((tag, inner)) = html[at..].split_once('>') else { continue };
        if tag.as_bytes().get(2).is_some_and(|level| (b'1'..=b'6').contains(level)) {
            let title: String = inner
                .split("</h")
                .next()
                .unwrap_or_default()
                .split('<')
                .fold(String::new(), |title, part| {
                    title + part.split_once('>').map_or(part, |(_, text)| text)
                });
            found.push(slug(&title));
        }
    }
    found
}

/// The offset at which each line begins.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Lines {
        let begins = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Lines([0].into_iter().chain(begins).collect())
    }

    fn at(&self, byte: usize) -> usize {
        self.0.partition_point(|begin| *begin <= byte)
    }
}
