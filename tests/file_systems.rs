//! Documents on other file systems than the usual ones: what is promised holds there, or the change is refused by name. What
//! this machine cannot mount is skipped, and said. Network file systems, which know no exchange, are done on a simulated
//! disk (`simulation/scenes.rs`, `simulation/no_links.rs`).

use crate::support::{Said, User, binary, has_crash_points, skipped};
use std::process::Command;

/// A job is merged, while a person saves and while an editor holds the file open; then a document is made.
const SCRIPT: &str = r##"
set -e
cd "$HOME"
# The home is on it too: what is written into a displaced text is seen only where the history is on the same file system.
export LAST_WORD_HOME="$HOME/docs/home"
"$BIN" init >/dev/null
cp .config/agents/last-word/config.yaml docs/home/config.yaml
add() { "$BIN" enqueue --to "$1" --heading Log --op append --content "- $2" >/dev/null; }
# A worker that stops before each exchange; at the first stop a person saves.
merge() {
  saves=1
  LAST_WORD_TROUBLE=stop=commit.intended "$BIN" work & worker=$!
  while read -r _ _ state _ 2>/dev/null < /proc/$worker/stat; do
    case $state in
      T) if [ $saves = 1 ]; then saves=0; sed "s/^Mine.*/& $1/" docs/notes.md > docs/.swp; mv docs/.swp docs/notes.md; fi
         kill -CONT $worker;;
      Z) break;;
    esac
  done
  wait $worker
}
add notes one; merge first
add notes two; merge second
"$BIN" work
# An editor that holds the file open writes into what a commit displaced.
exec 5>>docs/notes.md
add notes three; "$BIN" work
echo late >&5; exec 5>&-
"$BIN" work
add other new; "$BIN" work
echo ---; cat docs/notes.md; echo ---; cat docs/other.md; echo ---; ls -A docs
echo ---; "$BIN" list failed --json
echo ---; "$BIN" doctor --json || true
"##;

/// Runs the script with something mounted on `docs`; `None`, said, where that is not possible.
fn on(user: &User, mounts: &str) -> Option<Said> {
    let path = |name: &str| user.root().join("docs").join(name).display().to_string();
    user.configure(&format!(
        "version: 1\nknowledge_bases:\n  notes: {{ path: {} }}\n  other: {{ path: {} }}\n",
        path("notes.md"),
        path("other.md")
    ));
    std::fs::create_dir(user.root().join("docs")).unwrap();
    let begin = "printf '# Notes\\n\\nMine.\\n\\n## Log\\n\\n- old\\n'";
    let script = format!("NOTES=\"{begin}\"; {{ {mounts}\n}} || exit; echo begun\n{SCRIPT}");
    let mut unshare = Command::new("unshare");
    unshare.args(["--mount", "--", "sh", "-c", &script]).env_clear().current_dir(user.root());
    unshare.env("HOME", user.root()).env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").env("BIN", binary());
    match unshare.output().map(Said::of) {
        Ok(said) if said.stdout.starts_with("begun") => Some(said),
        Ok(said) => {
            skipped(format!("cannot be mounted here: {}{}", said.stdout, said.stderr.trim()));
            None
        }
        Err(e) => {
            skipped(format!("no unshare here: {e}"));
            None
        }
    }
}

#[track_caller]
fn assert_kept(user: &User, mounts: &str, called: &str) {
    if !has_crash_points() {
        return;
    }
    let Some(said) = on(user, mounts) else { return };
    assert_eq!(said.code, Some(0), "{}{}", said.stdout, said.stderr);
    let parts: Vec<&str> = said.stdout.split("---\n").collect();
    let [_, notes, other, names, failed, doctor] = parts.as_slice() else { panic!("{}", said.stdout) };
    assert_eq!(*notes, "# Notes\n\nMine. first second\n\n## Log\n\n- old\n- one\n- two\n- three\n");
    assert_eq!(*other, "## Log\n\n- new\n");
    let beside = names.lines().filter(|name| !["home", "lost+found"].contains(name));
    assert_eq!(beside.collect::<Vec<_>>(), ["notes.md", "other.md"]);
    assert!(failed.contains("late_write"), "{failed}");
    assert!(doctor.contains(called), "{called} is not in: {doctor}");
}

#[test]
fn in_memory() {
    let mounts = "mount -t tmpfs tmpfs \"$HOME/docs\" && eval \"$NOTES\" > docs/notes.md";
    assert_kept(&User::new(), mounts, "notes, other on tmpfs: they are gone after a restart");
}

#[test]
fn in_a_container_whose_image_has_the_document() {
    let mounts = "mkdir layers && mount -t tmpfs tmpfs layers && mkdir layers/l layers/u layers/w && \
        eval \"$NOTES\" > layers/l/notes.md && \
        mount -t overlay overlay -o lowerdir=layers/l,upperdir=layers/u,workdir=layers/w \"$HOME/docs\"";
    assert_kept(&User::new(), mounts, "on overlay: they go with the container");
}

#[test]
fn without_a_journal() {
    let mounts = "truncate -s 8M image && mkfs.ext4 -q -O ^has_journal image && mount -o loop image \"$HOME/docs\" && \
        eval \"$NOTES\" > docs/notes.md";
    assert_kept(&User::new(), mounts, "on local file systems (ext2/3/4)");
}

/// One that knows the exchange of two files, or refuses it: then the document is linked and renamed.
#[test]
fn behind_a_program() {
    let mounts = "mkdir real && eval \"$NOTES\" > real/notes.md && bindfs real \"$HOME/docs\" && \
        trap 'umount \"$HOME/docs\"' EXIT";
    assert_kept(
        &User::new(),
        mounts,
        "notes, other on FUSE: what is promised holds as far as the program behind it keeps it",
    );
}

#[test]
fn on_xfs() {
    let mounts = "truncate -s 320M image && mkfs.xfs -q image && mount -o loop image \"$HOME/docs\" && \
        eval \"$NOTES\" > docs/notes.md";
    assert_kept(&User::new(), mounts, "on local file systems (XFS)");
}

#[test]
fn on_btrfs() {
    let mounts = "truncate -s 128M image && mkfs.btrfs -q image && mount -o loop image \"$HOME/docs\" && \
        eval \"$NOTES\" > docs/notes.md";
    assert_kept(&User::new(), mounts, "on local file systems (Btrfs)");
}
