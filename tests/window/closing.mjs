/** A window that a signal ends while it is at work: whoever logs out, or presses Ctrl-C where it was started, leaves no agent and no check. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { drive, isolated, until } from "./driver.mjs";
import { Project } from "./project.mjs";

const SCRIPT = "closing.script";
const WORK = `[task "Wait for ever"]
say I wait.
hang

[*]
append NOTES.md Done.
commit Notes
done
`;
/** What the check runs while work is merged. */
const CHECK = "sleep 4321";

export async function closes() {
  const run = await ended("SIGTERM", runs);
  assert.notEqual(run.stop_reason, "crashed", "it was stopped, and not found dead later");
  await ended("SIGINT", merges);
}

/** Ends a window by a signal while it does what `begin` began; the last run. */
async function ended(signal, begin) {
  const project = new Project();
  project.write(SCRIPT, WORK);
  try {
    project.ralph("feature", "create", "shop");
    const work = async (page) => {
      await page.find('[data-testid="shell"]');
      const words = await begin(page, project);
      const [window] = processes("ralph-desktop", project.path);
      process.kill(window, signal);
      await until("the window to end", () => !processes("ralph-desktop", project.path).includes(window));
      assert.deepEqual(processes(words), [], `left by ${signal}`);
    };
    // The home of the project's commands: what they made is agreed to there.
    await drive(project.path, work, isolated(project.home));
    return project.ralph("status").rests_after;
  } finally {
    project.remove();
  }
}

async function runs(page, project) {
  project.ralph("task", "create", "--feature", "shop", "--title", "Wait for ever");
  await page.go("/loop");
  await page.choose("Agent", "Scripted agent");
  await page.type("Script", SCRIPT);
  await page.click('//form//button[normalize-space()="Start"]');
  await page.sees("I wait.", { millis: 30_000 });
  return SCRIPT;
}

async function merges(page, project) {
  project.ralph("task", "create", "--feature", "shop", "--title", "Write notes");
  try {
    project.ralph("run", "--agent", "scripted", "--script", SCRIPT, "--worktrees", "--max-iterations", "1");
  } catch {
    // That something waits for a person is an exit code.
  }
  const config = join(".ralph", "config.toml");
  const settings = readFileSync(join(project.path, config), "utf8");
  project.write(config, settings.replace(/^check = .*$/m, `check = "${CHECK}"`));
  project.ralph("trust", "--yes");
  await page.go("/review/1");
  await page.button("Accept…");
  await page.button("Merge");
  await until("the check to begin", () => processes(CHECK).length > 0);
  return CHECK;
}

/** Numbers of the processes whose command has all of these words. */
function processes(...words) {
  const lines = execFileSync("ps", ["-eo", "pid,args"], { encoding: "utf8" }).split("\n");
  return lines.filter((line) => words.every((word) => line.includes(word))).map((line) => Number.parseInt(line, 10));
}
