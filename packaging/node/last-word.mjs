// Declare what an agent learned, from Node 18 on: `enqueue`, `wait`, `verify`. One file, no dependencies; copy it or install the package.
// The types are in the comments (and in `last-word.d.ts`).
//
// It calls the program `last-word`. Where that is missing, `enqueue` leaves the declaration in the queue by itself, as durably:
// written to `tmp/`, fsync, renamed into `pending/`, fsync of both directories. A program that is there and refuses is believed.
// @ts-check

import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const VERSION = "1.0.0";
const DECLARATION_BYTES_MAX = 1 << 20;
const OUTPUT_BYTES_MAX = 64 << 20;
const KINDS = { 2: "usage", 3: "refused", 75: "busy" };
let drops = 0;

/**
 * What went wrong. `kind`: `refused` (the declaration is bad; nothing was enqueued), `busy` (try again), `missing` (this needs
 * the program), `unsure` (it may or may not be queued), `usage` or `failed`. `hint`: what to do.
 */
export class LastWordError extends Error {
  /** @param {string} kind @param {string} reason @param {string} [hint] */
  constructor(kind, reason, hint) {
    super(hint === undefined ? reason : `${reason}\nhint: ${hint}`);
    this.name = "LastWordError";
    this.kind = kind;
    this.reason = reason;
    this.hint = hint;
  }
}

/** @typedef {{ home?: string, program?: string }} Where */

/**
 * Enqueues an entry (an object with `key`), an array of entries, or a declaration (an object with `entries`). What it returns is
 * on stable storage. `ids`: the jobs, one for each document. `dropped`: the path of the file that was left in `pending/`
 * instead, which a worker takes in as jobs with ids of its own; null where the program was there.
 *
 * With `key` repeating is safe: the same key is the same job. That needs the program.
 * @param {object | object[]} what
 * @param {Where & { key?: string }} [options]
 * @returns {{ ids: string[], dropped: string | null }}
 */
export function enqueue(what, options = {}) {
  const text = Buffer.from(JSON.stringify(declaration(what)));
  const program = found(options.program);
  if (program !== null) {
    const key = options.key === undefined ? [] : ["--key", options.key];
    const { code, out, err } = run(program, options, ["enqueue", "-", "--json", ...key], text);
    if (code !== 0) throw failure(code, err);
    return { ids: JSON.parse(out).map((/** @type {{ id: string }} */ job) => job.id), dropped: null };
  }
  if (options.key !== undefined) {
    throw new LastWordError("missing", "a key needs the program last-word, which is not on PATH", "install it, or leave the key out");
  }
  return { ids: [], dropped: drop(text, options.home) };
}

/**
 * What became of a job: the object that `last-word verify ID --json` prints. Its `fate` is `waiting` while it is on its way.
 * @param {string} id
 * @param {Where} [options]
 * @returns {Record<string, any>}
 */
export function verify(id, options = {}) {
  const program = found(options.program);
  if (program === null) throw new LastWordError("missing", "verify needs the program last-word, which is not on PATH");
  const { code, out, err } = run(program, options, ["verify", id, "--json"], Buffer.alloc(0));
  if (out.trim() === "") throw failure(code, err);
  return JSON.parse(out);
}

/**
 * Waits for the end of a job and resolves to what `verify` says; after `timeoutS` seconds (60 unless said) that its `fate` is
 * `waiting`. Nothing is merged by waiting: that is the worker's (`last-word install cron`).
 * @param {string} id
 * @param {Where & { timeoutS?: number }} [options]
 * @returns {Promise<Record<string, any>>}
 */
export async function wait(id, options = {}) {
  const until = performance.now() + 1000 * (options.timeoutS ?? 60);
  for (let pauseMs = 20; ; pauseMs = Math.min(pauseMs * 2, 1000)) {
    const said = verify(id, options);
    const leftMs = until - performance.now();
    if (said.fate !== "waiting" || leftMs <= 0) return said;
    await pause(Math.min(pauseMs, leftMs));
  }
}

/** @param {any} what */
function declaration(what) {
  if (!Array.isArray(what) && what !== null && typeof what === "object" && "entries" in what) return { version: VERSION, ...what };
  return { version: VERSION, entries: Array.isArray(what) ? what : [what] };
}

/** The program: the one named, `$LAST_WORD_PROGRAM`, the one of this package, or one on PATH. @param {string} [named] */
function found(named) {
  const wanted = named || process.env.LAST_WORD_PROGRAM;
  const packaged = fileURLToPath(new URL("./bin/last-word", import.meta.url));
  if (!wanted && runs(packaged)) return packaged;
  const name = wanted || "last-word";
  if (name.includes("/")) return runs(name) ? name : null;
  const directories = (process.env.PATH || "").split(path.delimiter).filter((directory) => directory !== "");
  return directories.map((directory) => path.join(directory, name)).find(runs) ?? null;
}

/** @param {string} file */
function runs(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/** @param {string} program @param {Where} where @param {string[]} words @param {Buffer} input */
function run(program, where, words, input) {
  const home = where.home === undefined ? [] : ["--home", where.home];
  // Its messages are read here: in one language, whatever the locale.
  const env = { ...process.env, LC_ALL: "C" };
  const done = spawnSync(program, [...home, ...words], { input, encoding: "utf8", maxBuffer: OUTPUT_BYTES_MAX, env });
  // A program that refuses early closes its end first: EPIPE with a status is no failure to start.
  if (done.error && done.status === null) throw new LastWordError("failed", `${program}: ${done.error.message}`);
  return { code: done.status ?? -1, out: done.stdout, err: done.stderr };
}

/** @param {number} code @param {string} stderr */
function failure(code, stderr) {
  const lines = stderr.trim().split("\n");
  const isHint = (/** @type {string} */ line) => line.trimStart().startsWith("hint: ");
  const hint = lines.find(isHint)?.trimStart().slice("hint: ".length);
  const message = lines.filter((line) => !isHint(line)).join("\n");
  const kind = message.includes("may or may not") ? "unsure" : KINDS[/** @type {2 | 3 | 75} */ (code)] ?? "failed";
  return new LastWordError(kind, message || `last-word ended with ${code}`, hint);
}

/** @param {string} [named] */
function homeOf(named) {
  if (named !== undefined) return named;
  if (process.env.LAST_WORD_HOME) return process.env.LAST_WORD_HOME;
  const config = process.env.XDG_CONFIG_HOME || path.join(os.homedir(), ".config");
  return path.join(config, "agents", "last-word");
}

/** @param {string} [named] */
function checkedHome(named) {
  const home = homeOf(named);
  let facts;
  try {
    facts = fs.statSync(home);
    fs.statSync(path.join(home, "tmp"));
    fs.statSync(path.join(home, "pending"));
  } catch (e) {
    throw new LastWordError("failed", `there is no home: ${message(e)}`, "last-word init makes it");
  }
  if (facts.uid !== process.geteuid?.() || (facts.mode & 0o022) !== 0) {
    throw new LastWordError("failed", `${home} is not ours alone: others can write to it`, "chmod go-w, chown");
  }
  return home;
}

/** @param {Buffer} text @param {string} [namedHome] */
function drop(text, namedHome) {
  if (text.length > DECLARATION_BYTES_MAX) {
    throw new LastWordError("refused", `the declaration has ${text.length} bytes, ${DECLARATION_BYTES_MAX} are the most`);
  }
  const home = checkedHome(namedHome);
  // Dropped files are taken in by the order of their names.
  const count = String(drops++ % 1000000).padStart(6, "0");
  const name = `${String(Date.now()).padStart(15, "0")}-${count}-${randomBytes(6).toString("hex")}.json`;
  const written = path.join(home, "tmp", name);
  const dropped = path.join(home, "pending", name);
  try {
    writeNew(written, text);
    fs.renameSync(written, dropped);
  } catch (e) {
    fs.rmSync(written, { force: true });
    throw new LastWordError("failed", `cannot leave a declaration in ${home}: ${message(e)}`);
  }
  try {
    for (const directory of ["pending", "tmp"]) syncDirectory(path.join(home, directory));
  } catch (e) {
    throw new LastWordError("unsure", `${dropped} may or may not be durable: ${message(e)}`);
  }
  return dropped;
}

/** @param {string} file @param {Buffer} text */
function writeNew(file, text) {
  const open = fs.openSync(file, "wx", 0o600);
  try {
    for (let at = 0; at < text.length; ) at += fs.writeSync(open, text, at);
    fs.fsyncSync(open); // on macOS Node asks for F_FULLFSYNC
  } finally {
    fs.closeSync(open);
  }
}

/** @param {string} directory */
function syncDirectory(directory) {
  const open = fs.openSync(directory, "r");
  try {
    fs.fsyncSync(open);
  } finally {
    fs.closeSync(open);
  }
}

/** @param {unknown} e */
function message(e) {
  return e instanceof Error ? e.message : String(e);
}
