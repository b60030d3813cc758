/**
 * Figures of the real window over 200 features, 2,000 tasks, 10,000 learnings and 300 iterations: frames a second while it scrolls beside
 * those of the window at rest, how long visits, the palette and a key in a filter take, and its memory after a tour and while an agent's
 * lines stream in, and how long the review of 20,000 changed lines takes beside that of 200. It asserts nothing, since a busy machine is slow.
 *
 * `RALPH_DESKTOP_BIN=… RALPH_BIN=… npm run window-at-size` (release builds; ten minutes), `SCALE=0.1 MINUTES=1` for a first look.
 */
import { spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { drive, isolated, RALPH, until } from "./driver.mjs";
import { Project } from "./project.mjs";

const SCALE = Number(process.env.SCALE ?? 1);
const MINUTES = Number(process.env.MINUTES ?? 5);
const [FEATURES, TASKS, ITERATIONS] = [200, 2_000, 300].map((n) => Math.round(n * SCALE));
/** Each feature knows much, and not yet so much that it is to be split. */
const [LEARNINGS_OF_EACH, ROOM] = [50, 60];
const PALETTE_READY_MILLIS = 4_000;
/** Changed lines of each of the twenty files of a task to be reviewed. */
const REVIEWS = { "small change": 10, "large change": 1_000 };
const REVIEWED_FILES = 20;

const WORK = `[task "stream"]
say It begins.
repeat ${Math.round(MINUTES * 120)}
  flood 500
  pause 400
end
done

${Object.entries(REVIEWS).map(changes).join("")}[attempt 1 task "3 of"]
say The check is red.
run false
failed

[*]
say I look around, and change a line.
append NOTES.md A line of \${task}
commit Work on \${task}
usage 5200 840 0.03
done
`;

/** What is visited: what tells that it is there, and what scrolls. */
const PAGES = [
  ["features", "/features", "main [data-row]", "[data-scroller]"],
  ["tasks", "/tasks", "main [data-group] [data-row], main [data-row]", "[data-scroller], main section, main div"],
  ["knowledge", "/knowledge", "main [data-learning]", 'section[aria-label="Learnings"]'],
  ["iterations of the run", "/loop/1", "main [data-testid=iteration]", 'section[aria-label="Iterations"]'],
  ["graph", "/tasks?view=graph", "main svg", null],
  ["insights", "/insights", "main h2", "[data-scroller]"],
  ["needs you", "/needs-you", "main h1", "[data-scroller]"],
  ["a feature", "/features/area-7", "main [data-learning]", null],
  ["settings", "/settings", "main form", null],
];

const project = new Project();
/** The home of the project's commands, and the renderer that the window chooses by itself, which the journey can't use for its pictures. */
const AS_USED = { ...isolated(project.home), WEBKIT_DISABLE_DMABUF_RENDERER: "1" };
project.write("work.script", WORK);
project.git("add", "-A");
project.git("commit", "--quiet", "-m", "A script");
const figures = [];
const tell = (what, ...values) => {
  figures.push([what, ...values]);
  console.log(`${what}: ${values.join(", ")}`);
};
try {
  await drive(project.path, fill, AS_USED);
  run("--in-place", "--max-iterations", String(ITERATIONS));
  const tasks = Object.keys(REVIEWS).map((title) => newTask(title));
  for (const task of tasks) run("--worktrees", "--task", String(task));
  await drive(project.path, (page) => look(page, tasks), AS_USED);
  // In a window of its own: what other figures leave behind goes whenever the engine collects it.
  await drive(project.path, (page) => stream(page, tasks.length + 2), AS_USED);
} finally {
  project.remove();
}
console.log(JSON.stringify(Object.fromEntries(figures.map(([what, ...values]) => [what, values]))));

/** That its limit ends it is an exit code, too. */
function run(...limits) {
  spawnSync(RALPH, runArgs(...limits), { env: isolated(project.home), stdio: "ignore" });
}

function runArgs(...more) {
  return ["-C", project.path, "run", "--agent", "scripted", "--script", "work.script", ...more];
}

/** The part of the script for a task that changes many files. */
function changes([title, lines]) {
  const files = `for file in $(seq ${REVIEWED_FILES}); do seq ${lines} > ${title.split(" ")[0]}$file.txt; done`;
  return `[task "${title}"]\nrun ${files}\ncommit Many files\ndone\n\n`;
}

function newTask(title) {
  return project.ralph("task", "create", "--feature", "area-0", "--title", title, "--priority", "critical").id;
}

/** Makes what there is to see, by the window's own commands. */
async function fill(page) {
  await page.find('[data-testid="shell"]');
  const begin = Date.now();
  await page.run(
    (features, tasks, each, max_learnings) => {
      const ask = (name, args) => window.__TAURI_INTERNALS__.invoke(name, args);
      const work = async () => {
        for (let at = 0; at < features; at++) {
          await ask("create_feature", { feature: { name: `area-${at}`, display_name: `Area ${at}`, max_learnings } });
          for (let n = 0; n < each; n++) {
            const text = `The route of src/area_${at}/part_${n}.rs answers with code ${at}${n} while the cache of level ${n} is cold.`;
            const learning = { feature: `area-${at}`, text, reason: null, category: "gotcha", tags: ["cache"] };
            await ask("append_feature_learning", {
              learning: { ...learning, source: "agent", task_id: null, iteration: null },
            });
          }
        }
        for (let at = 0; at < tasks; at++) {
          const title = `Work of some length on part ${at + 1} of the whole`;
          const depends_on = at % 4 === 3 ? [at] : [];
          await ask("create_task", { task: { feature: `area-${at % features}`, title, depends_on } });
        }
      };
      work().then(
        () => {
          window.filled = "";
        },
        (fault) => {
          window.filled = JSON.stringify(fault);
        },
      );
    },
    FEATURES,
    TASKS,
    LEARNINGS_OF_EACH,
    ROOM,
  );
  // WebDriver's own patience is shorter than this takes.
  const failed = await until(
    "all to be made",
    () => page.run(() => (window.filled === undefined ? null : [window.filled])),
    {
      millis: 1_800_000,
      every: 1_000,
    },
  );
  if (failed[0] !== "") throw new Error(failed[0]);
  console.log(`filled in ${Math.round((Date.now() - begin) / 1000)} s`);
}

/** What is measured inside of the page: a frame is there once the one after it begins. */
function tools() {
  const frame = () => new Promise((go) => requestAnimationFrame(() => setTimeout(go, 0)));
  const until = async (is) => {
    while (!is()) await frame();
    await frame();
  };
  window.measure = {
    frame,
    /** Milliseconds until a page shows what it is for. */
    visit: async (address, ready) => {
      const begin = performance.now();
      location.hash = address;
      await until(() => document.querySelector(ready) !== null);
      return Math.round(performance.now() - begin);
    },
    /** Frames a second over some seconds, while `scroller` is moved by `step` pixels a frame; null moves nothing. */
    frames: async (scroller, step, seconds) => {
      const moved =
        scroller && [...document.querySelectorAll(scroller)].find((one) => one.scrollHeight > one.clientHeight + 200);
      if (scroller && !moved) return null;
      let [count, by] = [0, step];
      const begin = performance.now();
      while (performance.now() - begin < seconds * 1000) {
        await new Promise(requestAnimationFrame);
        count += 1;
        if (!moved) continue;
        const before = moved.scrollTop;
        moved.scrollTop += by;
        if (moved.scrollTop === before) by = -by;
      }
      return Math.round((count / (performance.now() - begin)) * 1000);
    },
    /** Milliseconds from a key to the frame that shows what it opens. */
    palette: async () => {
      const begin = performance.now();
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true, bubbles: true }));
      await until(() => document.querySelector("[cmdk-input]") !== null);
      return Math.round(performance.now() - begin);
    },
    close: async () => {
      document
        .querySelector("[cmdk-input]")
        .dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
      await until(() => document.querySelector("[cmdk-input]") === null);
    },
    /** Milliseconds from a letter in a field to its frame, for each letter. */
    typed: async (field, text) => {
      const input = document.querySelector(field);
      const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
      const took = [];
      for (let at = 1; at <= text.length; at++) {
        const begin = performance.now();
        set.call(input, text.slice(0, at));
        input.dispatchEvent(new Event("input", { bubbles: true }));
        await frame();
        took.push(Math.round(performance.now() - begin));
        await new Promise((go) => setTimeout(go, 250));
      }
      return took;
    },
  };
}

async function look(page, reviewed) {
  await page.find("main [data-row]");
  page.browser.setTimeout({ script: 120_000 });
  await page.run(tools);
  const call = (name, ...args) =>
    page.browser.executeAsync(
      (of, given, done) => window.measure[of](...given).then(done, (fault) => done(String(fault))),
      name,
      args,
    );
  await page.browser.pause(PALETTE_READY_MILLIS);
  const start = memory();
  tell("PSS at the start, MB", start.all, start.parts);
  tell("frames a second at rest", await call("frames", null, 0, 3));
  tell("the palette's openings, ms", ...(await openings(call, page)));
  await tour(call, page, "first visit, ms");
  await tour(call, page, "second visit, ms");
  await rested(call, page, "PSS after two tours, MB", start);
  await call("visit", "/tasks", "main [data-row]");
  tell("keys in the filter of tasks, ms", ...(await call("typed", "main [data-search]", "part 19")));
  await reviews(call, page, reviewed);
  for (const [name, address, ready, scroller] of PAGES) {
    if (scroller === null) continue;
    await call("visit", address, ready);
    await page.browser.pause(500);
    tell(`frames a second while ${name} scroll`, await call("frames", scroller, 60, 4));
  }
  await rested(call, page, "PSS after scrolling all of them, MB", start);
}

/** Memory on the first page, after results without a reader are gone. */
async function rested(call, page, what, start) {
  await call("visit", "/features", "main [data-row]");
  await page.browser.pause(25_000);
  const after = memory();
  tell(what, after.all, `${(after.all / start.all).toFixed(2)} x`, after.parts);
}

async function openings(call, page) {
  const took = [];
  for (let at = 0; at < 4; at++) {
    took.push(await call("palette"));
    await page.browser.pause(1_000);
    await call("close");
    await page.browser.pause(500);
  }
  return took;
}

async function tour(call, page, what) {
  for (const [name, address, ready] of PAGES) {
    tell(`${name}, ${what}`, await call("visit", address, ready));
    await page.browser.pause(1_200);
  }
}

/** The first lines of reviews of different sizes, in turns. */
async function reviews(call, page, tasks) {
  const took = tasks.map(() => []);
  for (let round = 0; round < 5; round++) {
    for (const [at, task] of tasks.entries()) {
      await call("visit", "/settings", "main form");
      await page.browser.pause(1_000);
      took[at].push(await call("visit", `/review/${task}`, "[data-testid=diff-line]"));
    }
  }
  for (const [at, title] of Object.keys(REVIEWS).entries())
    tell(`first lines of the review of a ${title}, ms`, ...took[at]);
}

/** Memory while lines stream in for some minutes. */
async function stream(page, run) {
  await page.find("main [data-row]");
  const task = newTask("stream for long");
  const args = runArgs("--in-place", "--task", String(task));
  const working = spawn(RALPH, args, { env: isolated(project.home), stdio: "ignore" });
  await page.go(`/loop/${run}`);
  await page.sees("stream for long", { millis: 30_000 });
  const seen = [];
  const end = Date.now() + MINUTES * 60_000;
  while (Date.now() < end) {
    const { all, parts } = memory();
    seen.push(`${all} (${parts})`);
    await page.browser.pause(Math.min(30_000, MINUTES * 6_000));
  }
  tell(`PSS while lines stream for ${MINUTES} minutes, MB`, ...seen);
  working.kill("SIGTERM");
  await until("the run to end", () => working.exitCode !== null || working.signalCode !== null);
}

/** Megabytes of the window and its descendants; pages that they share count once. */
function memory() {
  const parents = new Map();
  let root;
  for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${id}/stat`, "utf8");
      parents.set(id, stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
      // The name of a process has at most fifteen letters.
      if (stat.includes("(ralph-desktop)") && readFileSync(`/proc/${id}/cmdline`, "utf8").includes(project.path))
        root = id;
    } catch {
      // One that ended meanwhile.
    }
  }
  const belongs = (id) => id !== undefined && (id === root || belongs(parents.get(id)));
  const megabytes = new Map();
  for (const id of [...parents.keys()].filter(belongs)) {
    try {
      const kilobytes = Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/smaps_rollup`, "utf8"))?.[1] ?? 0);
      const name = readFileSync(`/proc/${id}/comm`, "utf8").trim();
      megabytes.set(name, (megabytes.get(name) ?? 0) + kilobytes / 1024);
    } catch {
      // One that ended meanwhile holds nothing.
    }
  }
  const parts = [...megabytes].map(([name, size]) => `${name} ${Math.round(size)}`);
  return { all: Math.round([...megabytes.values()].reduce((sum, size) => sum + size, 0)), parts: parts.join(", ") };
}
