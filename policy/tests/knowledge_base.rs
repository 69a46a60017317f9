//! Which targets are the document of a knowledge base, and which are refused, on a file system made of two lists:
//! what exists, and which paths are links.
// Clippy knows only functions marked `#[test]` as tests, not their helpers.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used)]

use declaration::Target;
use policy::knowledge_base::{KnowledgeBase, Resolved, Surroundings, resolve};
use policy::settings::Settings;
use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};

const CONFIG: &str = r#"
version: 1
knowledge_bases:
  user: { path: ~/.config/agents/USER.md }
  soul: { path: ~/linked/SOUL.md }
  project: { path: AGENTS.md, root: project }
  docs: { path: docs/NOTES.md, root: project }
  absolute: { path: /srv/kb/../kb2/KB.md }
  logs: { path: "docs/{date}.md", root: project }
  people: { path: "outside/{id}.md", root: home }
  inside: { path: "src/{id}.md", root: project }
"#;

fn kbs() -> Vec<KnowledgeBase> {
    let defaults =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/src/default-config.yaml"))
            .unwrap();
    let defaults = Settings::parse(&defaults, None).unwrap();
    Settings::parse(&CONFIG.replace("/kb/../kb2", "/kb2"), Some(&defaults)).unwrap().knowledge_bases
}

/// `canonicalize` over links; of what is not a link, only `dirs` and their ancestors and `.md` files named exist.
fn canonicalise(path: &Path) -> io::Result<PathBuf> {
    let links: BTreeMap<&str, &str> = BTreeMap::from([
        ("/home/me/linked", "/data/dotfiles"),
        ("/data/dotfiles/SOUL.md", "/data/real/soul.md"),
        ("/home/me/alias.md", "/home/me/.config/agents/USER.md"),
        ("/work/site/docs", "/etc"),
        ("/private", "/work"),
        ("/home/me/outside", "/data/dotfiles"),
        ("/work/site/src/x.md", "/work/site/AGENTS.md"),
        ("/home/me/loop", "/home/me/loop"),
    ]);
    let exists = [
        "/data/real/soul.md",
        "/data/dotfiles/x",
        "/home/me/.config/agents/USER.md",
        "/work/site/src",
        "/work/site/AGENTS.md",
        "/etc",
        "/srv/kb2",
    ];
    let mut done = PathBuf::new();
    for component in path.components() {
        if component == Component::ParentDir {
            done.pop();
            continue;
        }
        done.push(component);
        let mut hops = 0;
        while let Some(to) = done.to_str().and_then(|done| links.get(done)) {
            done = PathBuf::from(to);
            hops += 1;
            if hops > 40 {
                return Err(io::Error::other("too many links"));
            }
        }
        if !exists.iter().any(|there| Path::new(there).starts_with(&done)) {
            return Err(io::ErrorKind::NotFound.into());
        }
    }
    Ok(done)
}

fn look(target: &Target, project: Option<&str>, cwd: &str) -> Result<Resolved, declaration::Problem> {
    let around = Surroundings {
        home: Path::new("/home/me"),
        project: project.map(Path::new),
        cwd: Path::new(cwd),
        today: None,
    };
    resolve(target, &kbs(), &around, &canonicalise)
}

fn path(text: &str) -> Target {
    Target::Path(text.to_owned())
}

#[test]
fn targets_that_mean_a_knowledge_base() {
    let user = ("user", "/home/me/.config/agents/USER.md", "/home/me/.config/agents/USER.md");
    let soul = ("soul", "/home/me/linked/SOUL.md", "/data/real/soul.md");
    let project = ("project", "/work/site/AGENTS.md", "/work/site/AGENTS.md");
    for (target, expected) in [
        (Target::Kb("user".into()), user),
        (path("~/.config/agents/USER.md"), user),
        (path("~//.config/./agents/x/../USER.md"), user),
        (path("/home/me/.config/agents/USER.md"), user),
        (path("/home/me/alias.md"), user),
        (Target::Url("file:///home/me/.config/agents/USER%2Emd".into()), user),
        (Target::Url("FILE://localhost/home/me/alias.md".into()), user),
        (Target::Kb("soul".into()), soul),
        (path("/data/real/soul.md"), soul),
        (path("/data/dotfiles/SOUL.md"), soul),
        (path("AGENTS.md"), project),
        (path("./src/../AGENTS.md"), project),
        (path("/private/site/AGENTS.md"), project),
        (Target::Kb("absolute".into()), ("absolute", "/srv/kb2/KB.md", "/srv/kb2/KB.md")),
    ] {
        let found = look(&target, Some("/work/site"), "/work/site/src")
            .unwrap_or_else(|p| panic!("{target:?}: {p:?}"));
        let (name, path, canonical) = expected;
        assert_eq!(
            (found.name.as_str(), found.path, found.canonical),
            (name, path.into(), canonical.into()),
            "{target:?}"
        );
    }
}

#[test]
fn a_relative_path_is_looked_for_in_the_project_then_here() {
    let target = path(".config/agents/USER.md");
    assert_eq!(look(&target, Some("/work/site"), "/home/me").unwrap().name, "user");
    assert_eq!(look(&target, None, "/home/me").unwrap().name, "user");
    assert_eq!(look(&target, Some("/work/site"), "/work").unwrap_err().code.as_str(), "unknown_target");
}

#[test]
fn targets_that_are_refused() {
    for (target, code) in [
        (Target::Kb("usr".into()), "unknown_target"),
        (Target::Kb("USER".into()), "unknown_target"),
        (path("/etc/passwd"), "unknown_target"),
        (path("/work/site/AGENTS.md.bak"), "unknown_target"),
        (path("/work/site/AGENTS.md/"), "project"),
        (path("/work/sitemap/AGENTS.md"), "unknown_target"),
        (path("../site/AGENTS.md"), "path_escape"),
        (path("a/../../AGENTS.md"), "path_escape"),
        (path("~/../me/.config/agents/USER.md"), "path_escape"),
        (path("/../home/me/.config/agents/USER.md"), "path_escape"),
        (path("~other/USER.md"), "unknown_target"),
        (path("."), "unknown_target"),
        (path("~"), "unknown_target"),
        (path("/home/me/loop"), "target_unreadable"),
        (Target::Kb("docs".into()), "symlink_escape"),
        (path("docs/NOTES.md"), "symlink_escape"),
        (path("/etc/NOTES.md"), "unknown_target"),
        (Target::Kb("logs:2026-01-01".into()), "symlink_escape"),
        (path("docs/2026-01-01.md"), "symlink_escape"),
        (Target::Kb("people:42".into()), "symlink_escape"),
        (path("~/outside/42.md"), "symlink_escape"),
        (Target::Kb("inside:x".into()), "symlink_escape"),
        (Target::Kb("inside:y".into()), "inside"),
        (Target::Url("file://elsewhere/home/me/alias.md".into()), "bad_url"),
        (Target::Url("file:///etc/%00".into()), "bad_url"),
    ] {
        match look(&target, Some("/work/site"), "/work/site") {
            Ok(found) => assert_eq!(found.name, code, "{target:?}"),
            Err(problem) => {
                assert_eq!(problem.code.as_str(), code, "{target:?}: {problem}");
                let listed = problem
                    .hint
                    .as_ref()
                    .is_some_and(|hint| hint.contains("knowledge bases are: user, soul, "));
                assert!(listed || code != "unknown_target", "{problem:?}");
            }
        }
    }
}

#[test]
fn without_a_project_its_knowledge_bases_are_not_there() {
    assert_eq!(
        look(&Target::Kb("project".into()), None, "/work/site").unwrap_err().code.as_str(),
        "no_project"
    );
    assert_eq!(look(&path("AGENTS.md"), None, "/work/site").unwrap_err().code.as_str(), "unknown_target");
    assert_eq!(look(&Target::Kb("user".into()), None, "/").unwrap().name, "user");
}

#[test]
fn a_misspelt_name_is_recognised() {
    let hint = look(&Target::Kb("usr".into()), None, "/").unwrap_err().hint.unwrap();
    assert!(hint.starts_with("did you mean `user`?"), "{hint}");
}
