//! What `docker run` runs, and which directories of this machine that is given.

use super::How;
use super::fixers;
use super::options::Options;
use super::run::{base_name, positional};
use std::path::PathBuf;

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

/// Options of `run` and `create`, also of `compose run`, that take a value.
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
        "label-file",
        "memory",
        "memory-swap",
        "cpus",
        "cpu-shares",
        "cpuset-cpus",
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
        "volumes-from",
        "volume-driver",
        "group-add",
        "ipc",
        "uts",
        "link",
        "expose",
        "log-driver",
        "log-opt",
        "mac-address",
        "runtime",
        "stop-signal",
        "stop-timeout",
        "sysctl",
        "annotation",
        "cgroupns",
        "attach",
        "domainname",
        "network-alias",
        "pids-limit",
        "storage-opt",
    ],
};
/// Options in front of such a verb that take a value.
const GLOBAL: Options = Options {
    letters: "HclfpR",
    long: &[
        "context",
        "host",
        "config",
        "log-level",
        "file",
        "project-name",
        "project-directory",
        "profile",
        "env-file",
        "parallel",
        "progress",
        "ansi",
        "url",
        "connection",
        "identity",
        "root",
        "runroot",
        "namespace",
        "address",
        "storage-driver",
        "tlscacert",
        "tlscert",
        "tlskey",
    ],
};
/// Words in front of the verb.
const GROUPS: [&str; 2] = ["container", "compose"];

/// Reads `run OPTIONS IMAGE COMMAND`; `None` for another command.
pub(super) fn run(args: &[String]) -> Option<ContainerRun> {
    let mut args = args;
    loop {
        let (_, used) = GLOBAL.leading(args);
        args = args.get(used..)?;
        if !GROUPS.contains(&args.first()?.as_str()) {
            break;
        }
        args = &args[1..];
    }
    if !matches!(args.first()?.as_str(), "run" | "create") {
        return None;
    }
    let (options, used) = RUN.leading(&args[1..]);
    let rest = args.get(1 + used..)?;
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

/// A text of the container in which each path below a mounted directory is the one outside. `mounts`: directories in the container,
/// each with the one outside.
pub(super) fn as_outside(text: &str, mounts: &[(PathBuf, PathBuf)]) -> String {
    let names: Vec<(String, String)> = mounts
        .iter()
        .map(|(inside, host)| (inside.display().to_string(), host.display().to_string()))
        .map(|(inside, host)| {
            (inside.trim_end_matches('/').to_owned(), host.trim_end_matches('/').to_owned())
        })
        // In a text of several words a blank would make two of the path.
        .filter(|(inside, host)| {
            let is_split = host.contains(' ') && text.contains(char::is_whitespace);
            !inside.is_empty() && !is_split
        })
        .collect();
    let of_a_name = |c: char| c.is_alphanumeric() || "._-~$}/".contains(c);
    let (mut outside, mut from) = (String::with_capacity(text.len()), 0);
    for (at, _) in text.match_indices('/') {
        if at < from || text[..at].ends_with(of_a_name) {
            continue;
        }
        let rest = &text[at..];
        let is_named = |(inside, _): &&(String, String)| {
            rest.strip_prefix(inside.as_str())
                .is_some_and(|behind| !behind.starts_with(|c: char| c != '/' && of_a_name(c)))
        };
        // A directory may be mounted below another one.
        let Some((inside, host)) = names.iter().filter(is_named).max_by_key(|(inside, _)| inside.len())
        else {
            continue;
        };
        outside.push_str(&text[from..at]);
        outside.push_str(host);
        from = at + inside.len();
        if host.is_empty() && !text[from..].starts_with('/') {
            outside.push('/');
        }
    }
    outside + &text[from..]
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
    (is_directory(host) && !read_only).then(|| (host.to_owned(), inside.to_owned()))
}

/// `type=bind,source=DIR,target=/work`
fn bind(value: &str) -> Option<(String, String)> {
    let field = |names: &[&str]| {
        value.split(',').find_map(|field| field.split_once('=').filter(|(name, _)| names.contains(name)))
    };
    let read_only =
        value.split(',').any(|field| matches!(field, "readonly" | "ro" | "readonly=true" | "ro=true"));
    let (host, inside) = (field(&["source", "src"])?.1, field(&["target", "dst", "destination"])?.1);
    (is_directory(host) && !read_only).then(|| (host.to_owned(), inside.to_owned()))
}

fn is_directory(host: &str) -> bool {
    host.starts_with(['/', '.', '~', '$'])
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
            ("--context x run -v /r:/w i sh -c x", Some(("/r /w", "/w", "sh -c x"))),
            ("compose -f y.yml run --rm -v /r:/w app x", Some(("/r /w", "/w", "x"))),
            ("run --mount type=volume,source=cache,target=/w i x", None),
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

    #[test]
    fn paths_in_a_container_are_those_outside() {
        let mounts = [("/w", "/home/r"), ("/w/deep", "/d"), ("/host", "/"), ("/s", "/a b")];
        let mounts = mounts.map(|(inside, host)| (PathBuf::from(inside), PathBuf::from(host)));
        for (text, expected) in [
            ("/w/x.md", "/home/r/x.md"),
            ("/w", "/home/r"),
            ("--out=/w/x", "--out=/home/r/x"),
            ("/w/deep/x /w/deeper", "/d/x /home/r/deeper"),
            ("sed -i s/w/x/ /wide /w/f; cat '/w/g'", "sed -i s/w/x/ /wide /home/r/f; cat '/home/r/g'"),
            ("/host/etc/x /host $D/w/x a/w http://w/w", "/etc/x / $D/w/x a/w http://w/w"),
            ("/s/x", "/a b/x"),
            ("cat /s/x", "cat /s/x"),
        ] {
            assert_eq!(as_outside(text, &mounts), expected);
        }
    }
}
