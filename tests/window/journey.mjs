/**
 * The journey through the real window: a feature and a task are made in it, the scripted agent fills the feature, the bar
 * passes 60, 80 and 90 % with its colours, the split task appears, and what the CLI does is on screen within half a second.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { accessible } from "./accessible.mjs";
import { announces } from "./announce.mjs";
import { closes } from "./closing.mjs";
import { drive, ROOT, until } from "./driver.mjs";
import { Project } from "./project.mjs";
import { standsOpen } from "./stands-open.mjs";
import { strangers } from "./stranger.mjs";

const PICTURES = process.env.RALPH_SCREENSHOTS ?? join(ROOT, "artifacts/screenshots");

/** Learnings one by one with rests between the levels: 12, 31, 41, then 46 of 50. Each names a path of its own, so none repeats another. */
const SCRIPT = `[task "Wait for ever"]
say I wait.
hang

[task "Print a lot"]
flood 100000
say The flood is over.
done

[task "Throw work away"]
run rm mine.txt
done

[*]
say I look at the shop first.
run ls
${lessons(12, "page")}
pause 4000
${lessons(19, "route")}
pause 2500
${lessons(10, "table")}
pause 2500
${lessons(5, "worker")}
pause 1500
append NOTES.md Prices are integers.
commit Notes on prices
learn convention prices: Prices are integers in cents everywhere but in the supplier's list.
usage 5200 840 0.03
done
`;

/** A question that shares no word with the lesson on prices. */
const QUESTION = "what type do amounts of money have";

function lessons(count, subject) {
  const text = `The ${subject} in shop/${subject}_\${n}.py answers with code ${subject.toUpperCase()}_\${n}0 while its cache is cold.`;
  return `repeat ${count}\n  mcp append_feature_learning {"feature": "\${feature}", "text": "${text}"}\nend`;
}

const steps = [];
async function step(name, work) {
  const begin = Date.now();
  await work();
  steps.push(name);
  console.log(`  ✓ ${name} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
}

const BAR = '[data-testid="saturation-bar"][data-feature="checkout"]';
const project = new Project();
project.write("journey.script", SCRIPT);
try {
  await drive(project.path, journey);
} finally {
  project.remove();
}
await step("the desktop is told once, and a click leads to the place", announces);
await step("what changes under an open window is noticed within five seconds", standsOpen);
await step("a window that a signal ends leaves no agent and no check", closes);
await step("a stranger comes from any folder to a running task, or is told why not", strangers);
console.log(`${steps.length} steps through the real window; pictures in ${PICTURES}`);

async function journey(page) {
  await step("an empty project says what to do next", async () => {
    await page.sees("No features yet");
    await page.picture(PICTURES, "journey-01-empty");
  });

  await step("a feature is made", async () => {
    await page.button("New feature");
    await page.type("Name", "Checkout");
    await page.button("Create feature");
    await page.sees("Nothing learned yet");
    assert.equal(project.ralph("feature", "list")[0].name, "checkout");
  });

  await step("a task is made", async () => {
    await page.go("/tasks");
    await page.button("New task");
    await page.type("Title", "Refuse an empty basket");
    await page.button("Create task");
    await page.sees("Refuse an empty basket");
    await page.picture(PICTURES, "journey-02-task");
  });

  await step("the scripted agent starts", async () => {
    await start(page);
    await page.sees("I look at the shop first.", { millis: 30_000 });
    await page.picture(PICTURES, "journey-03-live");
  });

  await step("the bar passes 60, 80 and 90 % in its colours", () => levels(page));

  await step("the tooltip tells the counts", async () => {
    await (await page.find(BAR)).moveTo();
    // The last lesson comes as a sigil when the iteration ends, which may be now.
    const shown = () => page.run(() => document.querySelector('[role="tooltip"]')?.textContent);
    await until("the tooltip", async () => /^4[67]\/50 learnings — 0 protected/.test(await shown()));
    await page.picture(PICTURES, "journey-07-tooltip");
  });

  await step("the split task is there, one click away", async () => {
    await page.click('[data-testid="split-link"]');
    await page.sees("Checkout");
    const split = project.ralph("task", "list").filter((task) => task.kind === "split");
    assert.equal(split.length, 1);
    assert.match(await page.run(() => document.querySelector("main h1").textContent), new RegExp(`#${split[0].id}`));
    await page.picture(PICTURES, "journey-08-split-task");
  });

  await step("the iteration ends done, with its evidence", async () => {
    await page.go("/loop/1");
    await page.find('[data-testid="iteration"][data-outcome="done"]', 30_000);
    await rests(page, 1);
    await page.click('//*[@role="tab" and starts-with(normalize-space(), "Changed")]');
    await page.sees("Notes on prices");
    await page.sees("Prices are integers.");
    await page.picture(PICTURES, "journey-09-changed");
    await page.click('//*[@role="tab" and starts-with(normalize-space(), "Told")]');
    await page.sees("Refuse an empty basket");
  });

  await step("a search finds what was learned in other words, and says why", () => search(page));

  await step("a conflict is decided, and the decision taken back", () => conflict(page));

  await step("stop now stops a hanging agent within five seconds", () => stopNow(page));

  await step("a flood of output leaves the page alive", () => flood(page));

  await step("work that an agent threw away is put back from its notice", () => putBack(page));

  await step("what the CLI makes is on screen within half a second", () => changesFromOutside(page));

  await step("nothing serious is found by axe-core on any page or overlay", () => accessible(page));
}

/** Looks at the bar until it is critical; every level and its colour must have been seen on the way. */
async function levels(page) {
  await page.go("/features");
  const seen = new Map();
  const look = () =>
    page.run((selector) => {
      const bar = document.querySelector(selector);
      const part = bar?.querySelector("[data-part=prunable]");
      return bar && { level: bar.dataset.level, colour: getComputedStyle(part).backgroundColor };
    }, BAR);
  await until(
    "a critical bar",
    async () => {
      const bar = await look();
      if (bar && !seen.has(bar.level)) {
        seen.set(bar.level, bar.colour);
        await page.picture(PICTURES, `journey-${String(3 + seen.size).padStart(2, "0")}-${bar.level}`);
      }
      return bar?.level === "critical";
    },
    { millis: 60_000 },
  );
  assert.deepEqual([...seen.keys()], ["low", "medium", "high", "critical"]);
  assert.equal(new Set(seen.values()).size, 4, `four colours, not ${[...seen.values()].join(", ")}`);
}

async function search(page) {
  await page.go("/knowledge");
  const field = await page.find('[aria-label="Search what is known"]');
  await field.setValue(QUESTION);
  await until("the lesson on prices as the first hit", async () => {
    const first = await page.run(() => document.querySelector('[aria-label="Hits"] article')?.innerText);
    if (!first?.includes("Prices are integers in cents")) throw new Error(first ?? "no hit");
    return true;
  });
  await page.click('//*[@aria-label="Hits"]//button[starts-with(normalize-space(), "Why this?")]');
  const why = await page.find('section[aria-label="Why this hit"]');
  assert.match(await why.getText(), /meaning\s*[01]\.\d\d.*total\s*\d/s, "its meaning has a part in it");
  await page.picture(PICTURES, "journey-10-search");
}

/** Whether the message is there and moves no more: a click on what moves would miss it. Runs in the page. */
function atRest() {
  const message = document.querySelector("[data-sonner-toast]");
  return message?.getAnimations({ subtree: true }).every(({ playState }) => playState !== "running") ?? false;
}

/** Two lessons that contradict each other: whatever is decided, the way back leaves both as they were. */
async function conflict(page) {
  const learn = (source, text) =>
    project.ralph("learning", "add", "--feature", "checkout", "--source", source, "--text", text).id;
  const older = learn("human", "Never mock the clock in tests of the checkout.");
  const newer = learn("agent", "Mock the clock in tests of the checkout.");
  await page.go("/knowledge?tab=review&part=conflicts");
  const pair = '[aria-label="Conflict in checkout"]';
  const states = () => [older, newer].map((id) => project.ralph("learning", "show", id).state);
  for (const [choice, left] of [
    ["Keep both", ["active", "active"]],
    ["Keep older", ["active", "retired"]],
    ["Replace with newer", ["superseded", "active"]],
  ]) {
    await page.find(pair);
    await page.button(choice);
    await until(`the pair to leave after '${choice}'`, () => page.run((one) => !document.querySelector(one), pair));
    assert.deepEqual(states(), left, choice);
    assert.equal(project.ralph("learning", "conflicts").length, 0, choice);
    if (choice === "Keep older") await page.picture(PICTURES, "journey-11-undo");
    await until("the message to come to rest", () => page.run(atRest));
    await page.button("Undo");
    await until(`the pair to wait again after '${choice}'`, async () => {
      if (await page.run((one) => document.querySelector(one) !== null, pair)) return true;
      throw new Error(await page.text());
    });
    assert.deepEqual(states(), ["active", "active"], `${choice}, taken back`);
    assert.equal(project.ralph("learning", "conflicts").length, 1, `${choice}, taken back`);
    await until("the message to leave", () => page.run(() => !document.querySelector("[data-sonner-toast]")));
  }
  await page.picture(PICTURES, "journey-12-conflict");
  const journals = project.ralph("doctor").checks.find(({ name }) => name === "journals");
  assert.equal(journals.status, "ok", journals.detail);
}

/** Waits until the bar at the top says how the run came out. */
async function rests(page, run) {
  const bar = () => page.run(() => document.querySelector('[data-testid="rests"]')?.textContent);
  await until(`the bar at rest after run ${run}`, async () => (await bar())?.startsWith(`Run ${run} `));
}

/** Starts one iteration of the scripted agent from the form. */
async function start(page) {
  await page.go("/loop");
  await page.sees("Start the loop");
  await page.choose("Agent", "Scripted agent");
  await page.type("Script", "journey.script");
  await page.type("Iterations", "1");
  await page.click('//form//button[normalize-space()="Start"]');
}

async function stopNow(page) {
  project.ralph("task", "create", "--feature", "checkout", "--title", "Wait for ever", "--priority", "critical");
  await start(page);
  await page.sees("I wait.", { millis: 30_000 });
  const begin = Date.now();
  await page.button("Stop now");
  await rests(page, 2);
  const took = Date.now() - begin;
  assert.ok(took <= 5000, `stopped after ${took} ms`);
  const left = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })
    .split("\n")
    .filter((args) => args.includes("journey.script"));
  assert.deepEqual(left, [], "no agent is left");
  console.log(`    stopped after ${took} ms`);
  project.ralph(
    "task",
    "update",
    String(project.ralph("task", "list").find(({ title }) => title === "Wait for ever").id),
    "--status",
    "skipped",
  );
}

async function flood(page) {
  project.ralph("task", "create", "--feature", "checkout", "--title", "Print a lot", "--priority", "critical");
  await start(page);
  await page.find('[role="log"]', 30_000);
  // The longest time between two frames while the lines stream in.
  await page.run(() => {
    window.longest = 0;
    let last = performance.now();
    const frame = (now) => {
      window.longest = Math.max(window.longest, now - last);
      last = now;
      window.counting = requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  await page.sees("The flood is over.", { millis: 90_000 });
  const longest = await page.run(() => {
    cancelAnimationFrame(window.counting);
    return Math.round(window.longest);
  });
  const drawn = await page.run(() => document.querySelectorAll('[role="log"] [data-index]').length);
  assert.ok(drawn < 200, `${drawn} rows exist of 100,000`);
  assert.ok(longest < 3000, `the page stood still for ${longest} ms`);
  console.log(`    longest time without a frame: ${longest} ms; rows in the page: ${drawn}`);
  await page.picture(PICTURES, "journey-13-flood");
}

/** From the notice to the snapshot, which says what would happen, and the file is there again. */
async function putBack(page) {
  project.ralph("task", "create", "--feature", "checkout", "--title", "Throw work away", "--priority", "critical");
  project.write("mine.txt", "not committed\n");
  await start(page);
  await rests(page, 4);
  const mine = join(project.path, "mine.txt");
  assert.ok(!existsSync(mine), "the agent threw it away");
  await page.go("/needs-you");
  await page.click('//article//a[starts-with(normalize-space(), "Snapshot ")]');
  const dialog = await page.find('[role="dialog"] section[aria-label="Come back"]');
  assert.match(await dialog.getText(), /mine\.txt/);
  await page.picture(PICTURES, "journey-14-snapshot");
  assert.ok(!existsSync(mine), "nothing is done before it is asked for");
  await page.button("Put back 1 file");
  await until("the file to be back", () => existsSync(mine));
  assert.equal(readFileSync(mine, "utf8"), "not committed\n");
  await page.sees("1 file put back");
}

async function changesFromOutside(page) {
  await page.go("/tasks");
  await page.find('[data-group="ready"]');
  await page.run(() => {
    window.notReloaded = true;
  });
  const waits = [];
  for (const title of ["Take vouchers", "Round the tax once", "Show delivery times"]) {
    project.ralph("task", "create", "--feature", "checkout", "--title", title);
    const done = Date.now();
    await until(title, async () => (await page.text()).includes(title), { millis: 5000, every: 10 });
    waits.push(Date.now() - done);
  }
  assert.ok(Math.max(...waits) <= 500, `seen after ${waits.join(", ")} ms`);
  assert.ok(await page.run(() => window.notReloaded === true), "the page was not reloaded");
  console.log(`    on screen ${waits.join(", ")} ms after the command ended`);
  await page.picture(PICTURES, "journey-15-from-outside");
}
