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

/** Addresses of the pages, with the fullest feature and the newest run there is. */
async function pages(page) {
  await page.go("/features");
  await page.browser.pause(500);
  const feature = await page.run(() => document.querySelector("[data-testid=feature-row]")?.dataset.feature);
  await page.go("/loop");
  await page.browser.pause(500);
  const run = await page.run(() => document.querySelector("main a[data-row]")?.getAttribute("href")?.split("/").at(-1));
  return [
    ["features", "/features"],
    ...(feature
      ? [
          ["feature", `/features/${feature}`],
          ["journal", `/features/${feature}?tab=journal`],
          ["split", `/features/${feature}?tab=split`],
        ]
      : []),
    ["tasks", "/tasks"],
    ["graph", "/tasks?view=graph"],
    ["loop", "/loop"],
    ...(run
      ? [
          ["run", `/loop/${run}`],
          ["told", `/loop/${run}?tab=told`],
          ["changed", `/loop/${run}?tab=changed`],
          ["hooks", `/loop/${run}?tab=hooks`],
        ]
      : []),
    ["knowledge", "/knowledge"],
    ["review", "/knowledge?tab=review"],
    ["settings", "/settings"],
  ];
}
