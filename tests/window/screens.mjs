/** A picture of each page of a project, light and dark: `RALPH_OPEN_PROJECT=… npm run demo-screens`. */
import { join } from "node:path";
import { drive, ROOT } from "./driver.mjs";

const FOLDER = process.env.RALPH_SCREENSHOTS ?? join(ROOT, "artifacts/screenshots");
const project = process.env.RALPH_OPEN_PROJECT ?? process.argv[2];
if (!project) {
  console.error("which project? Name its folder, or set RALPH_OPEN_PROJECT");
  process.exit(2);
}

await drive(project, async (page) => {
  await page.find('[data-testid="shell"]');
  for (const theme of ["Dark", "Light"]) {
    await page.theme(theme);
    for (const [name, address] of await pages(page)) {
      await page.go(address);
      // Rows come within a few frames; a page without any is a picture, too.
      await page.browser.pause(500);
      await page.picture(FOLDER, `${name}-${theme.toLowerCase()}`);
    }
  }
});
console.log(`pictures in ${FOLDER}`);

/** Addresses of the pages, with the fullest feature, one that was split, the longest run, and the task that failed most. */
async function pages(page) {
  await page.go("/features");
  await page.find("main");
  await page.browser.pause(500);
  const [feature, split] = await page.run(() => {
    const rows = [...document.querySelectorAll("[data-testid=feature-row]")];
    const parted = rows.find(
      (row) => row.querySelector("[data-testid=split-link]") || row.innerText.includes("decomposed"),
    );
    return [rows[0]?.dataset.feature, parted?.dataset.feature];
  });
  await page.go("/loop");
  await page.browser.pause(500);
  const run = await page.run(() => {
    const iterations = (row) => Number(/(\d+) iter/.exec(row.innerText)?.[1] ?? 0);
    const rows = [...document.querySelectorAll("section[aria-label=Runs] li")].sort(
      (a, b) => iterations(b) - iterations(a),
    );
    return rows[0]?.querySelector("a")?.getAttribute("href")?.split("/").at(-1);
  });
  const task = run && (await mostFailed(page, run));
  const of = (name, tabs) => tabs.map((tab) => [tab, `${name}?tab=${tab}`]);
  return [
    ["features", "/features"],
    ...(feature ? [["feature", `/features/${feature}`], ...of(`/features/${feature}`, ["context", "journal"])] : []),
    ...(split ? of(`/features/${split}`, ["split"]) : []),
    ["tasks", "/tasks"],
    ["graph", "/tasks?view=graph"],
    ...(task ? [["attempts", `/tasks/${task}`]] : []),
    ["loop", "/loop"],
    ...(run ? [["run", `/loop/${run}`], ...of(`/loop/${run}`, ["told", "changed", "hooks"])] : []),
    ["knowledge", "/knowledge"],
    ["search", "/knowledge?q=test"],
    ["review", "/knowledge?tab=review"],
    ["insights", "/insights"],
    ["settings", "/settings"],
  ];
}

/** The task with the most failed attempts in a run. */
async function mostFailed(page, run) {
  await page.go(`/loop/${run}`);
  await page.browser.pause(500);
  return page.run(() => {
    const failures = new Map();
    for (const row of document.querySelectorAll("[data-testid=iteration]:not([data-outcome=done])")) {
      const id = /#(\d+)/.exec(row.innerText)?.[1];
      failures.set(id, (failures.get(id) ?? 0) + 1);
    }
    return [...failures].sort(([, a], [, b]) => b - a)[0]?.[0];
  });
}
