/** A window that stands open while the world changes under it: a run that is killed, a folder that moves, a database that is deleted. */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { drive, isolated, RALPH, until } from "./driver.mjs";
import { Project } from "./project.mjs";

/** Within so many milliseconds the window knows. */
const NOTICED = 5_000;
const SCRIPT = "hang.script";
const GONE = '[aria-label="The project is gone"]';

export async function standsOpen() {
  const project = new Project();
  project.write(SCRIPT, "say I wait.\nhang\n");
  try {
    project.ralph("feature", "create", "shop");
    project.ralph("task", "create", "--feature", "shop", "--title", "Wait for ever");
    // The home of the project's commands: what they made is agreed to there.
    const env = isolated(project.home);
    await drive(
      project.path,
      async (page) => {
        await killed(page, project, env);
        await moved(page, project);
        await deleted(page, project);
      },
      env,
    );
  } finally {
    project.remove();
  }
}

/** A run from a terminal that is killed: the bar says so, its agent is ended, and what it worked on is free again. */
async function killed(page, project, env) {
  const command = ["-C", project.path, "run", "--agent", "scripted", "--script", SCRIPT, "--in-place"];
  const run = spawn(RALPH, command, { env, stdio: "ignore" });
  await page.go("/loop/1");
  await page.sees("I wait.", { millis: 30_000 });
  const begin = Date.now();
  run.kill("SIGKILL");
  const bar = () => page.run(() => document.querySelector('[data-testid="rests"]')?.textContent);
  await until("the bar to say that the run died", async () => (await bar())?.startsWith("Run 1 died"));
  await until("its agent to end", () => agents().length === 0, { millis: NOTICED });
  const took = Date.now() - begin;
  assert.ok(took <= NOTICED, `noticed after ${took} ms`);
  await page.go("/loop");
  await page.sees("its process ended at");
  assert.equal(project.ralph("task", "list")[0].status, "pending");
  console.log(`    a killed run noticed, and its agent ended, after ${took} ms`);
}

function agents() {
  const all = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).split("\n");
  return all.filter((args) => args.includes(SCRIPT));
}

/** The folder is moved away and back: nothing is written where it was, and the window goes on once it is back. */
async function moved(page, project) {
  const away = `${project.path}-moved`;
  renameSync(project.path, away);
  await noticed(page, "a moved folder");
  assert.equal(await createTask(page), "project_gone");
  assert.ok(!existsSync(project.path), "nothing is made where the folder was");
  renameSync(away, project.path);
  await until("the window to go on", () => page.run((is) => !document.querySelector(is), GONE));
}

/** What `git clean -fdx` deletes: nothing is written into it, and it can be brought back from here. */
async function deleted(page, project) {
  rmSync(join(project.path, ".ralph"), { recursive: true });
  await noticed(page, "a deleted database");
  assert.match(await createTask(page), /^project_(gone|lost)$/);
  await page.button("Restore");
  await until("the window to go on", () => page.run((is) => !document.querySelector(is), GONE));
  await page.go("/tasks");
  await page.sees("Wait for ever");
  assert.equal(project.ralph("task", "list").length, 1);
}

async function noticed(page, what) {
  const begin = Date.now();
  await page.find(GONE);
  const took = Date.now() - begin;
  assert.ok(took <= NOTICED, `${what} noticed after ${took} ms`);
  console.log(`    ${what} noticed after ${took} ms`);
}

/** The code with which a write is refused. */
function createTask(page) {
  return page.browser.executeAsync((done) => {
    window.__TAURI_INTERNALS__.invoke("create_task", { task: { feature: "shop", title: "Into nothing" } }).then(
      () => done("written"),
      (fault) => done(fault.code),
    );
  });
}
