/** What the desktop is told while a run goes on, and where a click leads. */
import assert from "node:assert/strict";
import { Desktop } from "./desktop.mjs";
import { drive, isolated, until } from "./driver.mjs";
import { Project } from "./project.mjs";

/** A run ends, a task is blocked, another run ends: each is told once, and a click leads to the place. */
export async function announces() {
  const project = new Project();
  const desktop = await Desktop.start();
  project.write("quick.script", "say Done at once.\ndone\n");
  try {
    project.ralph("feature", "create", "shop");
    project.ralph("task", "create", "--feature", "shop", "--title", "Say hello");
    const env = { ...isolated(project.home), DBUS_SESSION_BUS_ADDRESS: desktop.address };
    await drive(project.path, (page) => tells(page, project, desktop), env);
  } finally {
    desktop.end();
    project.remove();
  }
}

async function tells(page, project, desktop) {
  await page.sees("shop");
  await page.go("/settings");
  await page.click('//*[@aria-label="Notify"]');
  await page.click('//*[@role="option" and normalize-space()="Always"]');
  project.ralph("run", "--agent", "scripted", "--script", "quick.script");
  await until("the end of the run on the desktop", () => desktop.shown.length === 1);
  assert.match(desktop.shown[0].title, /^Run 1 finished$/);
  desktop.click(0);
  await until("the run's page", () => page.run(() => location.hash.startsWith("#/loop/1")));

  project.ralph("task", "create", "--feature", "shop", "--title", "Ask <b>her</b> & him");
  project.ralph("task", "update", "2", "--status", "blocked");
  await until("the blocked task on the desktop", () => desktop.shown.length === 2);
  assert.equal(desktop.shown[1].title, "Something needs you");
  assert.match(desktop.shown[1].body, /^#2 Ask ‹b›her‹\/b› ＆ him is blocked/);
  desktop.click(1);
  await until("what needs a person", () => page.run(() => location.hash.startsWith("#/needs-you")));

  // A change that is no news; what is told next shows that it was not told.
  project.ralph("task", "update", "2", "--priority", "high");
  project.ralph("task", "update", "2", "--status", "pending");
  project.ralph("run", "--agent", "scripted", "--script", "quick.script");
  await until("the second run on the desktop", () => desktop.shown.length === 3);
  assert.match(desktop.shown[2].title, /^Run 2 finished$/);
}
