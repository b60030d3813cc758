/** A project for a drive: a git repository with `.ralph`, and the CLI on it. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isolated, RALPH } from "./driver.mjs";

const GIT_PERSON = {
  GIT_AUTHOR_NAME: "J",
  GIT_AUTHOR_EMAIL: "j@example.org",
  GIT_COMMITTER_NAME: "J",
  GIT_COMMITTER_EMAIL: "j@example.org",
};

export class Project {
  constructor() {
    this.home = mkdtempSync(join(tmpdir(), "ralph-project-"));
    this.path = join(this.home, "corner-shop");
    execFileSync("git", ["init", "--quiet", "--initial-branch=main", this.path]);
    this.write("README.md", "# Corner shop\n");
    this.git("add", "-A");
    this.git("commit", "--quiet", "-m", "A small shop");
    this.ralph("init");
  }

  write(name, text) {
    writeFileSync(join(this.path, name), text);
  }

  git(...args) {
    return execFileSync("git", args, { cwd: this.path, encoding: "utf8", env: { ...process.env, ...GIT_PERSON } });
  }

  /** Runs `ralph` on the project and returns what it prints as JSON. */
  ralph(...args) {
    const out = execFileSync(RALPH, ["--json", "-C", this.path, ...args], {
      encoding: "utf8",
      env: isolated(this.home),
    });
    return out.trim() === "" ? null : JSON.parse(out);
  }

  /** What a process that is ending still writes must not hide why a step failed. */
  remove() {
    try {
      rmSync(this.home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    } catch (error) {
      console.warn(`    left behind: ${error.message}`);
    }
  }
}
