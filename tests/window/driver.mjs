/** The real window under WebDriver: every drive has its own ports, home and folders, and leaves no process behind. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { remote } from "webdriverio";

export const ROOT = resolve(import.meta.dirname, "../..");
const BIN = (name) => join(ROOT, "target/debug", process.platform === "win32" ? `${name}.exe` : name);
const DESKTOP = process.env.RALPH_DESKTOP_BIN ?? BIN("ralph-desktop");
export const RALPH = process.env.RALPH_BIN ?? BIN("ralph");
const TAURI_DRIVER = process.env.TAURI_DRIVER ?? join(ROOT, "target/tools/bin/tauri-driver");

/** Polls `look` until it returns something; what it last saw is in the error. */
export async function until(what, look, { millis = 20_000, every = 50 } = {}) {
  const end = Date.now() + millis;
  let last;
  for (;;) {
    try {
      const found = await look();
      if (found) return found;
      last = found;
    } catch (error) {
      last = error.message;
    }
    if (Date.now() > end) throw new Error(`waited ${millis} ms for ${what}; last: ${String(last)}`);
    await new Promise((go) => setTimeout(go, every));
  }
}

/** A port that nobody listens on. */
function freePort() {
  return new Promise((done, fail) => {
    const server = createServer();
    server.on("error", fail);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

/** An environment without the person's own settings, fonts of the system aside. */
export function isolated(home) {
  const env = { ...process.env, HOME: home, RALPH_LOG: "warn" };
  // Without this renderer WebKit never answers a screenshot. The window leaves the variable alone where it is set.
  env.WEBKIT_DISABLE_DMABUF_RENDERER = "0";
  for (const name of ["CONFIG", "DATA", "CACHE", "STATE"]) env[`XDG_${name}_HOME`] = join(home, name.toLowerCase());
  return env;
}

/** Opens the window on a project (or on nothing) and hands it to `work`; ends everything whatever happens. `more` is added to its environment. */
export async function drive(project, work, more = {}) {
  const home = mkdtempSync(join(tmpdir(), "ralph-window-"));
  mkdirSync(join(home, "data"), { recursive: true });
  const [port, nativePort] = [await freePort(), await freePort()];
  const driver = spawn(TAURI_DRIVER, ["--port", String(port), "--native-port", String(nativePort)], {
    env: { ...isolated(home), ...more },
    stdio: ["ignore", "inherit", "inherit"],
  });
  let browser;
  try {
    const gone = new Promise((_, fail) => {
      driver.on("error", fail);
      driver.on("exit", (code) => fail(new Error(`tauri-driver ended with ${code}`)));
    });
    gone.catch(() => {});
    // The driver of the web view first: asked before it listens, tauri-driver prints a backtrace.
    for (const [name, one] of [
      ["the driver of the web view", nativePort],
      ["tauri-driver", port],
    ]) {
      await Promise.race([until(name, async () => (await fetch(`http://127.0.0.1:${one}/status`)).ok), gone]);
    }
    browser = await remote({
      hostname: "127.0.0.1",
      port,
      logLevel: process.env.WDIO_LOG ?? "error",
      connectionRetryCount: 0,
      capabilities: {
        "wdio:enforceWebDriverClassic": true,
        "tauri:options": { application: DESKTOP, args: project ? [project] : [] },
      },
    });
    return await work(new Page(browser));
  } finally {
    await browser?.deleteSession().catch(() => {});
    driver.kill();
    // The web view may still write its caches; what is left in the temporary folder must not hide why a step failed.
    try {
      rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    } catch (error) {
      console.warn(`    left behind: ${error.message}`);
    }
  }
}

/** The page as a person uses it: by roles, labels and words. */
export class Page {
  constructor(browser) {
    this.browser = browser;
  }

  /** Runs a function in the page. */
  run(script, ...args) {
    return this.browser.execute(script, ...args);
  }

  /** The first visible element of a selector, once it is there. */
  async find(selector, millis = 15_000) {
    const element = await this.browser.$(selector);
    await element.waitForDisplayed({ timeout: millis, interval: 50, timeoutMsg: `'${selector}' did not appear` });
    return element;
  }

  /** Clicks once the element stays where it is: what arrives above it may still push it away from under the pointer. */
  async click(selector) {
    const element = await until(`'${selector}' to stand still`, async () => {
      const found = await this.find(selector);
      return (await this.browser.executeAsync(standsStill, found)) && found;
    });
    await element.click();
  }

  button(name) {
    return this.click(`//button[normalize-space()="${name}" or @aria-label="${name}"]`);
  }

  /** Types into the field of a label. */
  async type(label, text) {
    const id = await until(`the field '${label}'`, () =>
      this.run((words) => [...document.querySelectorAll("label")].find((l) => l.textContent === words)?.htmlFor, label),
    );
    const field = await this.find(`[id="${id}"]`);
    await field.click();
    await field.setValue(text);
  }

  /** Chooses in one of our selects. */
  async choose(label, option) {
    const id = await this.run(
      (words) => [...document.querySelectorAll("label")].find((l) => l.textContent === words)?.htmlFor,
      label,
    );
    await this.click(`[id="${id}"]`);
    await this.click(`//*[@role="option" and normalize-space()="${option}"]`);
  }

  /** Goes to an address inside the window. */
  async go(address) {
    await this.run((to) => {
      location.hash = to;
    }, address);
    await until(`the page ${address}`, () => this.run((to) => location.hash.startsWith(`#${to}`), address));
  }

  text() {
    return this.run(() => document.body.innerText);
  }

  sees(words, options) {
    return until(`the words '${words}'`, async () => (await this.text()).includes(words), options);
  }

  async theme(name) {
    await this.click(`[aria-label="Theme: ${name}"]`);
    await until(`the theme ${name}`, () =>
      this.run((t) => document.documentElement.dataset.theme === t, name.toLowerCase()),
    );
  }

  /** A picture of what is painted: two frames after the DOM has settled, since the DOM is ahead of the screen. */
  async picture(folder, name) {
    mkdirSync(folder, { recursive: true });
    await this.browser.executeAsync((done) => {
      document.fonts.ready.then(() => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 250))));
    });
    await this.browser.saveScreenshot(join(folder, `${name}.png`));
  }
}

/** Whether an element is at the same place two frames later. */
function standsStill(element, done) {
  const place = () => JSON.stringify(element.getBoundingClientRect());
  const before = place();
  requestAnimationFrame(() => requestAnimationFrame(() => done(before === place())));
}
