/** A stranger opens folders of all kinds in the window: how many acts lead to a running task, and what is said where none can. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { drive, until } from "./driver.mjs";

/** Acts from the open folder to the running task: a press, or a line of text. */
const MOST_ACTS = 6;
const SCRIPT = "say I look around first.\nhang\n";

export async function strangers() {
  const home = mkdtempSync(join(tmpdir(), "ralph-stranger-"));
  try {
    for (const [kind, make, look] of FOLDERS) {
      const folder = make(join(home, kind.replaceAll(" ", "-")));
      await drive(folder, look);
      console.log(`    ${kind}`);
    }
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

const FOLDERS = [
  ["a repository without .ralph", withCommits, walk],
  [
    "a repository without commits",
    repository,
    (page) => asks(page, "The repository has no commit yet.", "Set up Ralph here"),
  ],
  ["no repository", plain, (page) => asks(page, "This folder is not a git repository.", "Set up Ralph without git")],
  ["a folder that can't be written", readOnly, refusesToSetUp],
  ["settings that can't be read", brokenSettings, showsTheFault],
];

function plain(folder) {
  mkdirSync(folder);
  return folder;
}

function git(folder, ...args) {
  const person = ["-c", "user.name=J", "-c", "user.email=j@example.org"];
  execFileSync("git", [...person, ...args], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
}

function repository(folder) {
  plain(folder);
  git(folder, "init", "--quiet", "--initial-branch=main");
  return folder;
}

function withCommits(folder) {
  repository(folder);
  writeFileSync(join(folder, "README.md"), "# A program of mine\n");
  writeFileSync(join(folder, "walk.script"), SCRIPT);
  git(folder, "add", "-A");
  git(folder, "commit", "--quiet", "-m", "First");
  return folder;
}

/** Root writes anywhere but into the kernel's own folders. */
function readOnly(folder) {
  if (process.getuid?.() === 0) return "/sys/kernel";
  plain(folder);
  chmodSync(folder, 0o555);
  return folder;
}

function brokenSettings(folder) {
  withCommits(folder);
  mkdirSync(join(folder, ".ralph"));
  writeFileSync(join(folder, ".ralph/config.toml"), "max_iterations = = 3\n");
  return folder;
}

/** Everything that a person does from the open folder to the running task, each act counted. */
async function walk(page) {
  await page.sees("Use Ralph in this folder?");
  const begin = Date.now();
  let acts = 0;
  const act = async (work) => {
    acts += 1;
    await work();
  };
  await act(() => page.button("Set up Ralph here"));
  await act(() => page.click('//a[normalize-space()="Write the first task"]'));
  await act(() => page.type("Title", "Say hello"));
  await act(() => page.button("Create task"));
  await page.find('//form//label[normalize-space()="Agent"]');
  // Stands in for the agent that the person has installed, which the form proposes: no act of theirs.
  await page.choose("Agent", "Scripted agent");
  await page.type("Script", "walk.script");
  await act(() => page.click('//form//button[normalize-space()="Start"]'));
  await page.sees("I look around first.", { millis: 30_000 });
  assert.ok(acts <= MOST_ACTS, `${acts} acts`);
  console.log(
    `    ${acts} acts and ${((Date.now() - begin) / 1000).toFixed(1)} s from the open folder to a running task`,
  );
  await page.button("Stop now");
  await until("the run to end", () => page.run(() => document.querySelector('[data-testid="rests"]') !== null));
}

/** Says what the folder goes without before it is asked to be set up, and sets it up all the same. */
async function asks(page, words, button) {
  await page.sees(words);
  await page.button(button);
  await page.sees("No features yet");
}

async function refusesToSetUp(page) {
  await page.sees("Use Ralph in this folder?");
  await page.click('//*[@role="dialog"]//button[starts-with(normalize-space(), "Set up Ralph")]');
  await page.sees("Make the folder writable and try again");
}

async function showsTheFault(page) {
  await page.find("h1, [role=alert]");
  await page.go("/settings");
  await page.sees("Correct .ralph/config.toml");
  await page.find('//button[normalize-space()="Open the file"]');
}
