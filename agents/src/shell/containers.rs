//! What `docker run` runs, and which directories of this machine that is given.

use super::How;
use super::fixers;
use super::options::Options;
use super::run::{base_name, positional};

/// A command in a container.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ContainerRun {
    /// Directories of this machine, each with its name in the container, that the command can write.
    pub(super) mounts: Vec<(String, String)>,
    /// The directory it runs in: as said, else the first of those it is given.
    pub(super) dir: Option<String>,
    /// The command. Where the image has a program of its own, these are that program's arguments.
    pub(super) words: Vec<String>,
}

const RUN: Options = Options {
    letters: "vweuphlamc",
    long: &[
        "volume",
        "workdir",
        "env",
        "user",
        "publish",
        "name",
        "network",
        "net",
        "mount",
        "entrypoint",
        "env-file",
        "label",
        "memory",
        "cpus",
        "platform",
        "hostname",
        "add-host",
        "ulimit",
        "cap-add",
        "cap-drop",
        "security-opt",
        "device",
        "gpus",
        "shm-size",
        "tmpfs",
        "pull",
        "restart",
        "dns",
        "ip",
        "cidfile",
        "pid",
        "userns",
    ],
};

/// Reads `run OPTIONS IMAGE COMMAND`; `None` for another command.
pub(super) fn run(args: &[String]) -> Option<ContainerRun> {
    let at = usize::from(args.first().is_some_and(|word| word == "container"));
    if args.get(at)? != "run" {
        return None;
    }
    let (options, used) = RUN.leading(&args[at + 1..]);
    let rest = args.get(at + 1 + used..)?;
    let value = |names: &[&str]| {
        let named = options.iter().rev().find(|(name, _)| names.contains(&name.as_str()));
        named.and_then(|(_, value)| value.clone())
    };
    let volumes = options.iter().filter(|(name, _)| name == "-v" || name == "--volume");
    let binds = options.iter().filter(|(name, _)| name == "--mount");
    let mounts: Vec<(String, String)> = volumes
        .filter_map(|(_, value)| volume(value.as_ref()?))
        .chain(binds.filter_map(|(_, value)| bind(value.as_ref()?)))
        .collect();
    let entry = value(&["--entrypoint"]);
    let dir = value(&["-w", "--workdir"]).or_else(|| mounts.first().map(|(_, inside)| inside.clone()));
    // The image of a formatter is called like it, and runs it: `davidanson/markdownlint-cli2 --fix`.
    let image = rest.first().map(|image| base_name(image).split(':').next().unwrap_or(image).to_owned());
    let program = entry.or_else(|| image.filter(|name| fixers::is_known(name)));
    let words: Vec<String> = program.into_iter().chain(rest.iter().skip(1).cloned()).collect();
    (!mounts.is_empty() && !words.is_empty()).then_some(ContainerRun { mounts, dir, words })
}

/// The files that `cp CONTAINER:PATH TARGET` writes.
pub(super) fn copied(args: &[String]) -> Vec<(String, How)> {
    let files = positional(args);
    let [verb, source, target] = files.as_slice() else { return Vec::new() };
    if verb != "cp" || !source.contains(':') || target.contains(':') {
        return Vec::new();
    }
    let source = source.rsplit(':').next().unwrap_or(source);
    if source.ends_with("/.") || source.ends_with('/') {
        return vec![(format!("{target}/*"), How::Below)];
    }
    let name = base_name(source);
    vec![
        (target.clone(), How::Here),
        (format!("{target}/{name}"), How::Here),
        (format!("{target}/{name}/*"), How::Below),
    ]
}

/// `DIR:/work`, `DIR:/work:ro`. A name without a slash is a volume of its own.
fn volume(value: &str) -> Option<(String, String)> {
    let mut parts = value.split(':');
    let (host, inside) = (parts.next()?, parts.next()?);
    let read_only = parts.next().is_some_and(|options| options.split(',').any(|option| option == "ro"));
    let is_directory = host.starts_with(['/', '.', '~', '$']);
    (is_directory && !read_only).then(|| (host.to_owned(), inside.to_owned()))
}

/// `type=bind,source=DIR,target=/work`
fn bind(value: &str) -> Option<(String, String)> {
    let field = |names: &[&str]| {
        value.split(',').find_map(|field| field.split_once('=').filter(|(name, _)| names.contains(name)))
    };
    let read_only =
        value.split(',').any(|field| matches!(field, "readonly" | "ro" | "readonly=true" | "ro=true"));
    let (host, inside) = (field(&["source", "src"])?.1, field(&["target", "dst", "destination"])?.1);
    (!read_only).then(|| (host.to_owned(), inside.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_container_is_given() {
        for (line, expected) in [
            ("run --rm -v /r:/w -w /w node npx x", Some(("/r /w", "/w", "npx x"))),
            ("run -v /r:/w:ro node npx x", None),
            ("run -v cache:/w node npx x", None),
            ("run --mount type=bind,source=/r,target=/w i sh -c x", Some(("/r /w", "/w", "sh -c x"))),
            ("run -v /r:/w --entrypoint sh i -c x", Some(("/r /w", "/w", "sh -c x"))),
            ("build -v /r:/w i x", None),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let found = run(&words).map(|run| {
                let mounts: Vec<String> =
                    run.mounts.iter().map(|(host, inside)| format!("{host} {inside}")).collect();
                (mounts.join(";"), run.dir.unwrap_or_default(), run.words.join(" "))
            });
            let expected = expected.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned()));
            assert_eq!(found, expected, "{line}");
        }
    }
}
