//! How much of a line is looked at, so that a hook answers in time whatever a line says.

/// How deep commands within commands are looked into.
pub(super) const DEPTH_MAX: usize = 8;
/// The most words that one word may expand to.
pub(super) const WORDS_MAX: usize = 64;
/// Of a longer command only so many bytes are looked at.
pub(super) const COMMAND_BYTES_MAX: usize = 256 << 10;
/// The most calls of functions that the line itself defines.
pub(super) const CALLS_MAX: usize = 64;
/// The most string literals of a program that are joined to a path.
pub(super) const PARTS_MAX: usize = 16;
/// Of so many literals also those without a directory are looked for in the user's home.
pub(super) const HOME_MAX: usize = 64;
/// The most commands of one `find` that are looked at.
pub(super) const FIND_COMMANDS_MAX: usize = 8;
/// The most texts and commands in one line that are looked at.
pub(super) const STEPS_MAX: usize = 2_000;
/// The most bytes of a line that are looked at, counted after variables were replaced: a line may double a variable again and again
/// (`a=$a$a`).
pub(super) const LOOKED_AT_BYTES_MAX: usize = 1 << 20;
/// What a byte counts for that is looked at again as a part of another command.
pub(super) const TIMES_OF_A_WORD: usize = 16;
/// What a token counts for in that.
pub(super) const BYTES_OF_A_TOKEN: usize = 8;
/// A word that is longer after its variables were replaced counts as unknown.
pub(super) const WORD_BYTES_MAX: usize = 16 << 10;
/// The most directories that a line may be in, or go back to.
pub(super) const ELSEWHERE_MAX: usize = 8;
/// A longer value that is changed (`${name%.md}`) counts as unknown.
pub(super) const CHANGED_BYTES_MAX: usize = 512;
/// How many comparisons of a changed value count as one byte of a line.
pub(super) const CHANGE_BYTES_OF_A_STEP: usize = 16;
/// The most searches of one line that are remembered.
pub(super) const SEARCHES_MAX: usize = 64;
/// The most directories of a program that are joined with a name which it fills in.
pub(super) const DIRS_MAX: usize = 4;
/// The most paths of one patch that are looked at.
pub(super) const PATCHED_MAX: usize = 200;
/// The most scripts and patches of one line that are read from the disk.
pub(super) const TEXTS_MAX: usize = 64;
/// The most expressions of loaded and found programs of one line whose value is asked for.
pub(super) const CERTAIN_STEPS_MAX: usize = 10_000;
/// Behind so many words a command has begun: `sudo -u dev xargs`.
pub(super) const WORDS_BEFORE_MAX: usize = 4;
/// The most links of one line that are remembered: each path that the line writes is compared with them.
pub(super) const LINKS_MAX: usize = 64;
