/**
 * A picture of each page of the demo and its states, light and dark, wide and at the smallest size, and of an empty project:
 * `RALPH_OPEN_PROJECT=… npm run demo-screens [NAME…]`; with names, only those pictures. With `RALPH_OWN_PROJECT` it is a person's own: the
 * pages that every project has, with what this machine knows of it.
 */
import { join } from "node:path";
import { drive, ROOT, until } from "./driver.mjs";
import { Project } from "./project.mjs";

const FOLDER = process.env.RALPH_SCREENSHOTS ?? join(ROOT, "artifacts/screenshots");
const project = process.env.RALPH_OPEN_PROJECT;
if (!project) {
  console.error("which project? Set RALPH_OPEN_PROJECT");
  process.exit(2);
}
const only = process.argv.slice(2);
const THEMES = ["Dark", "Light"];
const WIDE = [1280, 840];
const SMALL = [1024, 700];
/** A question that the demo answers by words, by meaning, and by what an attempt failed at. */
const QUESTION = "rebuild the index without waiting";

let taken = 0;
if (process.env.RALPH_OWN_PROJECT) await own();
else await demo();
console.log(`${taken} pictures in ${FOLDER}`);

async function demo() {
  await drive(project, async (page) => {
    await page.find('[data-testid="shell"]');
    await walk(page, await states(page));
  });
  const empty = new Project();
  try {
    await drive(empty.path, async (page) => {
      await page.find('[data-testid="shell"]');
      await walk(page, pages(), "empty-");
    });
  } finally {
    empty.remove();
  }
}

/** A folder that asks something first, such as one that Ralph was never set up in, is answered by nobody here: that is the picture then. */
async function own() {
  const { HOME, XDG_DATA_HOME } = process.env;
  const look = async (page) => {
    await page.find('[data-testid="shell"], [role="dialog"], main h1');
    if (await page.run(() => document.querySelector('[data-testid="shell"]') !== null)) return walk(page, pages());
    await page.picture(FOLDER, "asks-first");
    taken += 1;
    console.log(`No pages yet: ${(await page.text()).trim().split("\n").join(" ")}`);
  };
  await drive(project, look, { HOME, XDG_DATA_HOME });
}

/** Takes a picture of each state in both themes, and of each in the smallest window in the first. */
async function walk(page, all, prefix = "") {
  const sizes = prefix === "" ? [WIDE, SMALL] : [WIDE];
  for (const [size, theme] of sizes.flatMap((one) => THEMES.map((theme) => [one, theme]))) {
    if (size === SMALL && theme !== THEMES[0]) continue;
    await page.browser.setWindowSize(...size);
    await page.theme(theme);
    await page.run(() => document.activeElement?.blur());
    for (const [name, address, act] of all) {
      const file = `${prefix}${name}-${size === SMALL ? "small" : theme.toLowerCase()}`;
      if (only.length > 0 && !only.some((word) => file.startsWith(word))) continue;
      await page.go(address);
      // Rows come within a few frames; a page without any is a picture, too.
      await page.browser.pause(500);
      await act?.(page);
      await page.picture(FOLDER, file);
      taken += 1;
      // What was opened over the page is closed before the next one, and nothing keeps the focus or the pointer.
      await page.browser.keys(["Escape"]);
      await page.run(() => document.activeElement?.blur());
      await (await page.find("h1")).moveTo();
    }
  }
}

/** The pages that every project has. */
function pages() {
  return [
    ["features", "/features"],
    ["tasks", "/tasks"],
    ["graph", "/tasks?view=graph"],
    ["loop", "/loop"],
    ["snapshots", "/loop/snapshots"],
    ["reviews", "/review"],
    ["knowledge", "/knowledge"],
    ["documents", "/knowledge?tab=documents"],
    ["consolidate", "/knowledge?tab=consolidate"],
    ["review", "/knowledge?tab=review"],
    ["insights", "/insights"],
    ["settings", "/settings"],
    ["needs-you-page", "/needs-you"],
    ["needs-you", "/features", (page) => page.click('[data-testid="needs-you"]')],
  ];
}

/** All pages and their states: with the fullest feature, one that was split, the longest run, and the task that failed most. */
async function states(page) {
  await page.go("/features");
  await page.find('[data-testid="feature-row"]');
  const [feature, split] = await page.run(() => {
    const rows = [...document.querySelectorAll("[data-testid=feature-row]")];
    const learnings = (row) => Number(/(\d+) \/ \d+/.exec(row.innerText)?.[1] ?? 0);
    const fullest = rows.toSorted((a, b) => learnings(b) - learnings(a))[0];
    const parted = rows.find((row) => row.innerText.includes("decomposed")) ?? fullest;
    return [fullest.dataset.feature, parted.dataset.feature];
  });
  await page.go("/loop");
  await page.find("section[aria-label=Runs] li");
  const runs = await page.run(() => {
    const iterations = (row) => Number(/(\d+) iter/.exec(row.innerText)?.[1] ?? 0);
    const rows = [...document.querySelectorAll("section[aria-label=Runs] li")];
    const longest = rows.toSorted((a, b) => iterations(b) - iterations(a));
    return longest.map((row) => row.querySelector("a").getAttribute("href").split("/").at(-1));
  });
  const task = await mostFailed(page, runs);
  return [
    ...pages(),
    ["feature", `/features/${feature}`],
    ...["tasks", "context", "journal", "split"].map((tab) => [`feature-${tab}`, `/features/${feature}?tab=${tab}`]),
    ["decomposed", `/features/${split}?tab=split`],
    ["attempts", `/tasks/${task}`],
    ["run", `/loop/${runs[0]}`],
    ...["told", "changed", "hooks"].map((tab) => [tab, `/loop/${runs[0]}?tab=${tab}`]),
    ["search", `/knowledge?q=${encodeURIComponent(QUESTION)}`, (here) => here.find('[aria-label="Hits"] article')],
    ["why", `/knowledge?q=${encodeURIComponent(QUESTION)}`, openWhy],
    ["filtered-out", "/knowledge?kind=nothing"],
    ["conflicts", "/knowledge?tab=review&part=conflicts"],
    ["parked", "/knowledge?tab=review&part=parked"],
    ["warnings", "/knowledge?tab=review&part=warnings"],
    ["acts", "/knowledge?tab=review&part=acts"],
    ["iterations", "/insights/iterations"],
    ["settings-search", "/settings", (here) => show(here, "Search index")],
    ["settings-form", "/settings", (here) => show(here, "Knowledge")],
    ["palette", "/features", (here) => here.browser.keys(["Control", "k"])],
    ["keys", "/features", (here) => here.browser.keys("?")],
    ["new-task", "/tasks", (here) => here.button("New task")],
    ["from-a-list", "/tasks", (here) => here.button("From a list")],
    ["tooltip", "/features", async (here) => (await here.find('[data-testid="saturation-bar"]')).moveTo()],
  ];
}

/** Opens the reasons of the first hit. */
async function openWhy(page) {
  await page.find('[aria-label="Hits"] article');
  await page.run(() => {
    const buttons = [...document.querySelectorAll('[aria-label="Hits"] button[aria-expanded]')];
    const first = buttons.find((button) => button.textContent.startsWith("Why this?"));
    if (first.getAttribute("aria-expanded") === "false") first.click();
  });
  await page.find('section[aria-label="Why this hit"]');
}

/** Brings a part of a page, named by its heading, to the top. */
async function show(page, heading) {
  await until(`the part '${heading}'`, () =>
    page.run((words) => {
      const found = [...document.querySelectorAll("h2")].find((one) => one.textContent.startsWith(words));
      found?.scrollIntoView({ block: "start" });
      return found !== undefined;
    }, heading),
  );
}

/** The task with the most failed attempts in the runs. */
async function mostFailed(page, runs) {
  const failures = new Map();
  for (const run of runs) {
    await page.go(`/loop/${run}`);
    await page.find("[data-testid=iteration]");
    const ids = await page.run(() =>
      [...document.querySelectorAll("[data-testid=iteration]:not([data-outcome=done])")].map(
        (row) => /#(\d+)/.exec(row.innerText)?.[1],
      ),
    );
    for (const id of ids) failures.set(id, (failures.get(id) ?? 0) + 1);
  }
  return [...failures].sort(([, a], [, b]) => b - a)[0]?.[0];
}
