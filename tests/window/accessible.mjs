/**
 * Every page and every overlay under axe-core, light and dark: no serious finding, at the smallest size of the window. Neither at 200 %
 * nor at 300 %, the most, does a page scroll sideways, or a row that has the focus stand below what stays at the top of its list.
 */
import assert from "node:assert/strict";
import axe from "axe-core";
import { until } from "./driver.mjs";

const SMALLEST = [1024, 700];
/** What a person can't work around. */
const GRAVE = ["serious", "critical"];

/** The pages of any project with one feature, one task and one run. */
const PAGES = [
  "/features",
  ...["learnings", "tasks", "context", "journal", "split"].map((tab) => `/features/checkout?tab=${tab}`),
  "/tasks",
  "/tasks?view=graph",
  "/tasks/1",
  "/loop",
  "/loop/snapshots",
  ...["live", "told", "changed", "hooks"].map((tab) => `/loop/1?tab=${tab}`),
  "/review",
  "/knowledge",
  "/knowledge?q=prices",
  ...["memories", "documents", "consolidate", "review", "merge", "audit"].map((tab) => `/knowledge?tab=${tab}`),
  "/insights",
  "/insights/label",
  "/insights/iterations",
  "/insights/questions",
  "/needs-you",
  "/needs-you?settled=true",
  "/settings",
  "/settings?tab=worktrees",
  "/projects",
  "/nothing-is-here",
];

const MENU = "[role=menu]";
// The search of a dialog has a list box of its own, which is always there.
const LIST = "[role=listbox][data-state=open]";

/** What opens over a page, with how, and what tells that it is there: a dialog unless said otherwise. */
const OVERLAYS = [
  ["the palette", "/features", (page) => page.browser.keys(["Control", "k"])],
  ["the keys", "/features", (page) => page.browser.keys("?")],
  ["a new feature", "/features?new=true", () => {}],
  ["a new task", "/tasks?new=true", () => {}],
  ["tasks of a list", "/tasks?import=true", () => {}],
  ["a new learning", "/features/checkout", (page) => page.button("Add learning")],
  ["a task that is edited", "/tasks/1", (page) => page.button("Edit")],
  ["a new discipline", "/settings", (page) => page.button("New discipline…")],
  ["a stated fact", "/knowledge?tab=memories", (page) => page.button("State a fact…")],
  ["what waits", "/features", (page) => page.click('[data-testid="needs-you"]')],
  ["what agents outside are told", "/knowledge?tab=documents", (page) => page.button("AGENTS.md…")],
  ["what a snapshot holds", "/loop/snapshots", (page) => page.click('[aria-label="Snapshots"] a')],
  ["more actions on a learning", "/features/checkout", (page) => page.button("More actions"), MENU],
  ["a filter", "/tasks", (page) => page.button("Status"), MENU],
  ["the order of features", "/features", (page) => page.click('[role=combobox][aria-label="Sort"]'), LIST],
  ["the feature of tasks", "/tasks", (page) => page.click('[role=combobox][aria-label="Feature"]'), LIST],
  ["the agent of a run", "/loop", (page) => page.click("form [role=combobox]"), LIST],
  ["a choice in a dialog", "/tasks?new=true", (page) => page.click("[role=dialog] [role=combobox]"), LIST],
];

export async function accessible(page) {
  await page.browser.setWindowSize(...SMALLEST);
  await page.run(axe.source);
  // The code of each page is read before it is looked at, so that what is looked at is the page and not the one before.
  for (const address of PAGES) await page.go(address);
  const found = [];
  for (const theme of ["Dark", "Light"]) {
    await page.go("/features");
    await page.theme(theme);
    for (const address of PAGES) {
      await page.go(address);
      await until(`the heading of ${address}`, () => page.run(() => document.querySelector("h1") !== null));
      found.push(...(await findings(page, `${address}, ${theme}`)));
    }
    for (const [name, address, open, overlay = "[role=dialog]"] of OVERLAYS) {
      await page.go(address);
      await page.find("h1");
      await open(page);
      await page.find(overlay);
      found.push(...(await findings(page, `${name}, ${theme}`)));
      await close(page, overlay, name);
      // What stood below it, such as the dialog of a choice.
      await close(page, "[role=dialog]", name);
    }
  }
  found.push(...(await zoomed(page)));
  assert.deepEqual(found, [], "axe-core found");
  console.log(`    ${PAGES.length} pages and ${OVERLAYS.length} overlays, light and dark`);
}

/** Steps of the keyboard: from the actual size to 200 %, and from there to 300 %. */
const ZOOMS = [
  [5, 2],
  [2, 3],
];

/** What scrolls sideways when the window is zoomed by its keys. */
async function zoomed(page) {
  const width = () => page.run(() => window.innerWidth);
  const actual = await width();
  const found = [...(await covered(page, 1)), ...(await coveredFields(page))];
  for (const [steps, times] of ZOOMS) {
    for (let step = 0; step < steps; step++) await page.browser.keys(["Control", "="]);
    await until(`${times}00 %`, async () => Math.abs((await width()) - actual / times) <= 1);
    for (const address of PAGES) {
      await page.go(address);
      await until(`the heading of ${address}`, () => page.run(() => document.querySelector("h1") !== null));
      found.push(...(await sideways(page, `${address}, ${times}00 %`)));
    }
    found.push(...(await covered(page, times)));
  }
  await page.browser.keys(["Control", "0"]);
  await until("the actual size", async () => (await width()) === actual);
  return found;
}

/** Rows that the keys lead up to, and that stand below what stays at the top of their list. */
async function covered(page, times) {
  const found = [];
  for (const address of ["/tasks", "/features"]) {
    await page.go(address);
    await page.find("main [data-row]");
    await page.run(() => [...document.querySelectorAll("main [data-row]")].at(-1).focus());
    for (let step = 0; step < 12; step++) {
      await page.browser.keys("k");
      const row = await page.run(() => {
        const at = document.activeElement.getBoundingClientRect();
        const bar = document.querySelector("main [class*=sticky]").getBoundingClientRect();
        return at.top < bar.bottom - 1 ? document.activeElement.textContent : null;
      });
      if (row !== null) found.push(`${address}, ${times}00 %: '${row}' is covered`);
    }
  }
  return found;
}

/** Fields that Tab leads to, and that stand below the bar at the bottom of their form, or out of sight. */
async function coveredFields(page) {
  const found = [];
  for (const address of ["/settings", "/loop"]) {
    await page.go(address);
    await page.find("main form");
    await page.run(() => document.querySelector("main form :is(button, input)").focus());
    for (let step = 0; step < 25; step++) {
      await page.browser.keys(["Tab"]);
      const field = await page.browser.executeAsync((done) => {
        const seen = () => {
          const one = document.activeElement;
          const { left, right, top, bottom } = one.getBoundingClientRect();
          const middle = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
          done(one.closest("form") && !one.contains(middle) ? one.outerHTML.slice(0, 120) : null);
        };
        requestAnimationFrame(() => requestAnimationFrame(seen));
      });
      if (field !== null) found.push(`${address}: the keyboard leads to '${field}', which is covered`);
    }
  }
  return found;
}

async function close(page, overlay, name) {
  const isOpen = () => page.run((is) => document.querySelector(is) !== null, overlay);
  if (!(await isOpen())) return;
  await page.browser.keys(["Escape"]);
  await until(`${name} to close`, async () => !(await isOpen()));
}

/** What axe-core holds for serious, and what scrolls sideways that should not. */
async function findings(page, where) {
  const grave = await page.browser.executeAsync((serious, done) => {
    // What still moves has the colours of no theme.
    const rest = () => Promise.allSettled(document.getAnimations().map((one) => one.finished));
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
    const drawn = () => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)));
    // Dots that pulse while something runs never come to rest.
    document.fonts.ready
      .then(drawn)
      .then(() => Promise.race([rest(), new Promise((go) => setTimeout(go, 400))]))
      .then(() => window.axe.run(document, { resultTypes: ["violations"], runOnly: { type: "tag", values: tags } }))
      .then(({ violations }) =>
        violations
          .filter(({ impact }) => serious.includes(impact))
          .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`),
      )
      .then(done, (error) => done([String(error)]));
  }, GRAVE);
  return [...grave.map((what) => `${where}: ${what}`), ...(await sideways(page, where))];
}

async function sideways(page, where) {
  const wide = await page.run(() =>
    [...document.querySelectorAll("[data-scroller]")]
      .filter((part) => part.scrollWidth > part.clientWidth + 1)
      .map((part) => `${part.scrollWidth} pixels of content in ${part.clientWidth}`),
  );
  return wide.map((what) => `${where}: ${what}`);
}
