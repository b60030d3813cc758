import { describe, expect, it } from "vitest";
import { addressOf, inWords, isOneCommand, partsOf, placesIn } from "./said";

describe("a command in a sentence of Ralph's", () => {
  it.each([
    ["list what there is with `ralph feature list`", "list what there is under Features", "#/features"],
    ["stop it with `ralph stop`, or wait until it ends", "stop it under Loop, or wait until it ends", "#/loop"],
    ["`ralph worktree list` shows what is there", "Worktrees shows what is there", '#/settings?tab="worktrees"'],
    [
      "uncommitted work is gone: a\n  → ralph snapshot restore 4.1",
      "uncommitted work is gone: a\n  → Snapshot 4.1",
      '#/loop/snapshots?show="4.1"',
    ],
    ["`ralph snapshot restore e3` brings it back", "Snapshot e3 brings it back", '#/loop/snapshots?show="e3"'],
    ["`ralph merge 12 --resolve` has an agent settle it", "the review of #12 has an agent settle it", "#/review/12"],
    ["`ralph task update 7 --status pending` opens it again", "task #7 opens it again", "#/tasks/7"],
    ["Run `ralph review`", "See the review of Knowledge", '#/knowledge?tab="review"'],
    ["look at it with `ralph trust`", "look at it under Needs you", "#/needs-you"],
  ])("leads to where the window does the same: %s", (text, words, address) => {
    expect(inWords(text)).toBe(words);
    expect(placesIn(text).map((place) => decodeURIComponent(addressOf(place)))).toEqual([address]);
  });

  it.each(["run `ralph rebuild`", "`ralph audit --wash` takes it out", "run `ralph restore`", "see `git fsck`"])(
    "stays where only a terminal does it: %s",
    (text) => {
      expect(inWords(text)).toBe(text);
      expect(placesIn(text)).toEqual([]);
    },
  );

  it("stands beside another one", () => {
    const [one, between, other] = partsOf("`git rebase --continue`, or `git rebase --abort`");
    expect(between).toBe(", or ");
    expect([one, other]).toEqual(
      ["--continue", "--abort"].map((how) => ({ command: `git rebase ${how}`, place: null })),
    );
  });

  it.each([
    ["git branch main-before 0123456789ab", true],
    ["git branch 'fix;touch it-before' 0123456789ab", true],
    ["git switch 'a, or b'", true],
    ["`git log 1..2`, then keep 'fix' or set it back", false],
    ["git log 1..2, then keep it", false],
    ["git branch fix;touch it", false],
    ["git switch 'fix", false],
  ])("is copied as a whole where it is the whole: %s", (text, one) => {
    expect(isOneCommand(text)).toBe(one);
  });

  it("is told from what is none", () => {
    expect(partsOf("ask ralph itself, and see `.gitignore`")).toEqual(["ask ralph itself, and see `.gitignore`"]);
  });
});
