// Drives the browser for tests/page-browser: see there.
"use strict";
const { execFileSync, spawn } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { chromium } = require("playwright-core");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const [binary, browserPath, shots, pictures, docs] = process.argv.slice(2);
const home = process.env.HOME;
const run = (...args) => execFileSync(binary, args, { cwd: home, encoding: "utf8" });
let failed = 0;
const ok = (what, is, more = "") => {
  console.log(`${is ? "ok  " : "FAIL"} ${what}${is ? "" : `: ${more}`}`);
  if (!is) failed += 1;
};

/** A home with proposals, failures, a document that is stuck, one with a past, items, and Chinese. */
function makeHome() {
  run("init");
  const config = path.join(home, ".config/agents/last-word/config.yaml");
  fs.writeFileSync(
    config,
    `version: 1
knowledge_bases:
  soul: { path: ~/SOUL.md, policy: review, title: how the agent is and speaks }
  project: { path: ~/AGENTS.md, title: 'how this project is built and run, its decisions' }
  runbook: { path: ~/runbook.md, create: false, title: what to do at night }
  notes: { path: ~/笔记.md, title: 中文笔记 }
  facts: { path: ~/facts.md, title: what is worth remembering }
  small: { path: ~/small.md, budget_chars: 60, title: as short as a card }
  deep: { path: ~/shared/deep.md, title: on a disk that is not always there }
retry: { retries: 20, base: 20m, cap: 40m }
session_bootstrap: []
`,
  );
  fs.writeFileSync(path.join(home, "SOUL.md"), "# Soul\n\n## Tone\n\nPlain and short. No flattery.\n\n## Never\n\n- Guess a number\n");
  fs.writeFileSync(path.join(home, "AGENTS.md"), "# Project\n\nA queue that merges into Markdown.\n\n## Build\n\n```sh\ncargo build --release\n```\n");
  fs.writeFileSync(path.join(home, "runbook.md"), "# Runbook\n\n## Restart\n\n1. stop the worker\n2. start the worker\n" + [0, 1, 2].map((n) => `\n## Disk ${n}\n\nmount it\n`).join(""));
  const say = (agent, to, heading, op, content, ...more) =>
    run("enqueue", "--agent", agent, "--session", "s-2026-11-23", "--to", to, "--heading", heading, "--op", op, "--content", content, ...more);
  say("claude_code", "project", "Decisions", "append", "- SQLite only as a cache; the queue stays files", "--reason", "decided with Ada", "--confidence", "0.9");
  run("work");
  say("codex", "project", "Decisions", "append", "- Errors name their file and what to type next", "--reason", "asked for in review");
  say("claude_code", "notes", "习惯", "append", "- 早上写代码，下午开会；回答要简短，先说结论。\n- 提交信息用英文，讨论用中文（全角标点）。", "--reason", "用户亲口说的");
  run("work");
  for (const [kind, text, tag] of [["O", "Prefers tabs over spaces", "editor"], ["W", "API response target is 200 ms", "performance"], ["B", "Moved the cache to SQLite", "recall"]])
    run("remember", text, "--kind", kind, "--entity", tag);
  run("work");
  const proposals = [
    ["Tone", "append", "Answer in the language of the question; in Chinese, use full-width punctuation（像这样）."],
    ["Never", "append", "- Promise a date that nobody has confirmed"],
    ["Tone", "update", "Plain and short. **No flattery**, no filler; the result first, then why."],
    ["When unsure", "update", "Say so, and say what would settle it."],
    ["Never", "append", "- Delete a file that is not in version control"],
    ["Humour", "update", "Dry, and seldom.\n\n| when | how |\n|---|---|\n| in a review | never |"],
    ["Tone", "append", "Numbers with their units."],
    ["Meetings", "update", "Summaries of five lines at most."],
    ["Never", "append", "- Push to `main` <script>alert(1)</script>"],
    ["Links", "update", "See [the guide](https://example.org/guide) first."],
  ];
  for (const [heading, op, text] of proposals) say("claude_code", "soul", heading, op, text, "--reason", "learned while working with you");
  fs.writeFileSync(path.join(home, "shared"), "in the way\n");
  say("codex", "deep", "Log", "append", "- from the disk");
  for (let n = 0; n < 2; n += 1) say("codex", "small", "Card", "append", `- one of two lines that do not both fit, ${n}`);
  for (let n = 0; n < 3; n += 1) say("codex", "runbook", `Disk ${n}`, "replace", "mount it and look", "--old-text", "muont it");
  for (let n = 0; n < 12; n += 1) say("codex", "runbook", "Restrat", "append", `${n + 3}. wait ${n} s`);
  run("work");
}

/** Starts the page on a terminal of `script`'s, answers its question, and finds the link. */
function startPage() {
  const child = spawn("script", ["-qec", `${binary} page`, "/dev/null"], { cwd: home, env: { ...process.env, SHELL: "/bin/sh", TERM: "dumb" } });
  const words = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
  return new Promise((resolve, reject) => {
    let said = "";
    let answered = false;
    child.stdout.on("data", (bytes) => {
      said += bytes;
      const asked = said.match(/and Enter:\s+([a-z ]+)/);
      if (asked && !answered && said.includes("\n> ")) {
        answered = true;
        child.stdin.write(`${asked[1].trim().split(" ").map((word) => words.indexOf(word)).join("")}\n`);
      }
      const link = said.match(/http:\/\/\S+/);
      if (link) resolve({ child, link: link[0] });
    });
    child.on("exit", () => reject(new Error(`the page ended: ${said}`)));
  });
}

async function holdToAxe(page, name) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  const told = found.violations.map((v) => `${v.id} (${v.nodes.map((n) => n.target.join(" ")).slice(0, 3).join(", ")})`);
  ok(`axe: ${name}`, told.length === 0, told.join("; "));
}

async function fits(page, name) {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  ok(`no sideways scrolling: ${name}`, over <= 0, `${over} px too wide`);
}

const shot = (page, name) => page.screenshot({ path: path.join(shots, `${name}.png`) });

async function main() {
  makeHome();
  const { child, link } = await startPage();
  const userData = fs.mkdtempSync(path.join(home, "chromium-"));
  const browser = await chromium.launchPersistentContext(userData, {
    executablePath: browserPath,
    headless: true,
    viewport: { width: 1280, height: 860 },
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  const page = await browser.newPage();
  const troubles = [];
  page.on("console", (message) => message.type() === "error" && troubles.push(message.text()));
  page.on("request", (request) => new URL(request.url()).hostname === "127.0.0.1" || troubles.push(`asks ${request.url()}`));
  // The overview reloads itself after 15 s. Where axe takes longer, nothing comes instead, and the screen stays.
  await page.route("**/*live=1", (route) => route.fulfill({ status: 204 }));
  await page.goto(link);
  const base = page.url().replace(/\/$/, "");
  ok("the link leads to the overview", (await page.title()).startsWith("Overview"), await page.title());

  const views = ["/", "/review", "/failed", "/failed/section_missing", "/failed/section_missing/meant", "/failed/over_budget", "/budget?kb=small", "/documents", "/document?of=project", "/document?of=notes", "/document?of=project&from=1", "/rollback?of=project&to=1", "/items", "/recall?q=tabs", "/log", "/settings", "/doctor", "/jobs?state=review"];
  const widths = [["360", 360, 740], ["1280", 1280, 860], ["4k", 3840, 2160]];
  for (const scheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: scheme });
    for (const view of views) {
      await page.goto(base + view);
      await holdToAxe(page, `${scheme} ${view}`);
      for (const [name, width, height] of scheme === "light" ? widths : widths.slice(0, 1)) {
        await page.setViewportSize({ width, height });
        await fits(page, `${view} at ${width}`);
        await shot(page, `${view.replace(/[^a-z0-9]+/gi, "_")}-${scheme}-${name}`);
      }
      await page.setViewportSize({ width: 1280, height: 860 });
      if (scheme === "dark") await shot(page, `${view.replace(/[^a-z0-9]+/gi, "_")}-dark-1280`);
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${base}/jobs?state=review`);
  await page.click("tr:has-text('Humour') a");
  const head = await page.locator(".text th").first().boundingBox();
  ok("the head of a table in a proposal is in sight at 360", head !== null && head.x >= 0 && head.width > 0, JSON.stringify(head));
  await page.setViewportSize({ width: 1280, height: 860 });
  if (pictures === "--pictures") {
    for (const [name, view, height] of [["overview", "/", 760], ["review", "/review", 760], ["document", "/document?of=project", 640]]) {
      await page.setViewportSize({ width: 1100, height });
      await page.goto(base + view);
      await page.screenshot({ path: path.join(docs, `page-${name}.png`) });
    }
    await page.setViewportSize({ width: 1280, height: 860 });
  }

  // One key each, with the script.
  await page.goto(`${base}/`);
  await page.keyboard.press("g");
  await page.waitForURL("**/review*");
  for (let n = 10; n > 7; n -= 1) {
    await page.waitForSelector(`text=of ${n}`);
    await page.keyboard.press("a");
    await page.waitForSelector("[role=status]");
  }
  ok("three are approved with one key each", (await page.textContent("main")).includes("of 7"));

  // By keyboard alone, and by clicks, where no script runs.
  const cookies = await browser.cookies();
  const plain = await (await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu"] })).newContext({ javaScriptEnabled: false });
  await plain.addCookies(cookies);
  const bare = await plain.newPage();
  await bare.goto(`${base}/review`);
  for (let n = 0; n < 3; n += 1) {
    // The first button that Tab comes to behind the navigation is the yes.
    let text = "";
    for (let tab = 0; tab < 40 && !text.startsWith("Approve"); tab += 1) {
      await bare.keyboard.press("Tab");
      text = await bare.locator(":focus").first().textContent().catch(() => "");
    }
    ok("Tab comes to the yes", text.startsWith("Approve"), text);
    await Promise.all([bare.waitForNavigation(), bare.keyboard.press("Enter")]);
  }
  ok("three are approved by Tab and Enter, without JavaScript", (await bare.textContent("main")).includes("of 4"));
  await bare.click("text=Edit what it says");
  await bare.fill("textarea", "My own words.");
  await bare.click("button:has-text('Approve my words')");
  await bare.click("button:has-text('Reject')");
  ok("the foreign script stands there as text", (await bare.content()).includes("&#60;script&#62;") || (await bare.content()).includes("&lt;script&gt;"));
  await bare.click("button:has-text('Approve')");
  await bare.click("button:has-text('Approve')");
  ok("nothing waits for a yes", (await bare.textContent("main")).includes("Nothing waits"), await bare.textContent("main"));

  await bare.click("nav >> text=Failed");
  ok("what failed is named in words", (await bare.textContent("h2")).includes("the section it is for is not there"), await bare.textContent("h2"));
  await bare.click("text=Take the headings that were meant");
  ok("which heading becomes which is shown first", (await bare.textContent("main")).includes("“Restrat” becomes “Restart” in 12 of them"), await bare.textContent("main"));
  await bare.click("text=Cancel");
  await bare.click("text=One by one");
  await bare.click("main table a");
  await bare.click("button:has-text('Discard')");
  ok("after one comes the next of its reason", (await bare.textContent("h1")).includes("A change to runbook: Restrat"), await bare.textContent("h1"));
  await bare.click("nav >> text=Failed");
  await bare.click("text=discard all 11");
  ok("what would be done is shown first", (await bare.textContent("main")).includes("these 11 changes"));
  await bare.click("button:has-text('Discard 11')");
  ok("all of one reason are discarded", (await bare.textContent("main")).includes("11 discarded"), await bare.textContent("main"));
  await bare.click("nav >> text=last-word");
  ok("what was approved is written at once", fs.readFileSync(path.join(home, "SOUL.md"), "utf8").includes("My own words."));

  await bare.goto(`${base}/failed/text_not_found`);
  await bare.fill("input[name=find]", "muont");
  await bare.fill("input[name=with]", "mount");
  await bare.click("text=in all of them");
  ok("which line becomes which is shown first", (await bare.textContent("main")).includes("in 3 of them"), await bare.textContent("main"));
  await bare.click("button:has-text('Replace it in 3')");
  await bare.click("text=Write what waits now");
  ok("a text is replaced in all jobs of a reason", fs.readFileSync(path.join(home, "runbook.md"), "utf8").split("mount it and look").length === 4);

  await bare.goto(`${base}/document?of=small`);
  ok("the document says what failed for it", (await bare.textContent("main")).includes("do not both fit, 1"), await bare.textContent("main"));
  await bare.click("text=Look at what failed");
  await bare.click("text=get longer…");
  ok("how long it would be is said", (await bare.textContent("main")).includes("and may have 60"), await bare.textContent("main"));
  await bare.click("button:has-text('Allow it')");
  await bare.click("text=Write what waits now");
  ok("a full document gets longer by three presses", fs.readFileSync(path.join(home, "small.md"), "utf8").includes("do not both fit, 1"));

  await bare.goto(`${base}/`);
  ok("what helps against a stuck document is said", (await bare.textContent("main")).includes("a file manager"));
  await bare.click("button:has-text('Try it now')");
  ok("what still stands in its way is said", (await bare.textContent("main")).includes("Still not"), await bare.textContent("main"));
  fs.rmSync(path.join(home, "shared"));
  await bare.click("button:has-text('Try it now')");
  ok("a stuck document is merged at once", fs.readFileSync(path.join(home, "shared/deep.md"), "utf8").includes("from the disk"));

  await bare.goto(`${base}/rollback?of=soul&to=0`);
  await bare.click("button:has-text('Put it back')");
  run("work");
  ok("a document is put back", !fs.readFileSync(path.join(home, "SOUL.md"), "utf8").includes("My own words."));
  await bare.goto(`${base}/items`);
  await bare.click("text=Prefers tabs");
  await bare.click("button:has-text('Retire')");
  run("work");
  ok("an item is retired", fs.readFileSync(path.join(home, "facts.md"), "utf8").includes("~~[O] Prefers tabs"));

  await bare.goto(`${base}/document?of=notes`);
  ok("Chinese says that it is Chinese", (await bare.locator('.what [lang="zh"]').first().textContent()).length > 1);
  const ended = new Promise((resolve) => child.on("exit", resolve));
  await bare.click("summary:has-text('Close the page')");
  await bare.click("button:has-text('Close the page')");
  ok("the page is closed in the browser", (await bare.textContent("h1")).includes("closed"), await bare.textContent("body"));
  await ended;
  ok("nobody can come in any more", await page.goto(base).then(() => false, () => true));
  ok("nothing is loaded from elsewhere, and no policy was hit", troubles.length === 0, troubles.join("; "));
  await plain.browser().close();
  await browser.close();
  if (failed > 0) process.exitCode = 1;
  process.exit();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
