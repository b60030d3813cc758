import { describe, expect, it } from "vitest";
import type { Outcome } from "@/ipc";
import { attempt, failure, iteration } from "@/test/builders";
import { failuresInRow, sameFailures } from "./failures";

const attempts = (...outcomes: Outcome[]) =>
  outcomes.map((outcome, index) => attempt(iteration(index, 1, 1, "t", { outcome })));

describe("failures in a row", () => {
  it.each<[number, Outcome[], number[]]>([
    [0, ["running"], []],
    [0, ["done", "failed", "failed"], []],
    [2, ["failed", "no_sigil", "done", "failed"], [0, 1]],
    [3, ["running", "error", "failed", "failed", "failed"], [1, 2, 3]],
  ])("are the newest %i that ended of %j", (failures, outcomes, expected) => {
    expect(failuresInRow(attempts(...outcomes), failures).map(({ iteration }) => iteration)).toEqual(expected);
  });

  it("do not count what was refused before it was an attempt", () => {
    const refused = { ...attempt(iteration(9, 1, 1, "t", { outcome: "authentication" })), number: 0 };
    const all = [refused, ...attempts("failed", "failed", "done")];
    expect(failuresInRow(all, 2).map(({ iteration }) => iteration)).toEqual([0, 1]);
  });

  it("are the same where their signatures are equal", () => {
    const one = (signature: string | null) =>
      attempt(iteration(1, 1, 1, "t"), signature === null ? null : failure({ signature }));
    const all = [one("a"), one("b"), one("a"), one(null), one(""), one("")];
    expect(all.map((each) => sameFailures(all, each))).toEqual([2, 1, 2, 0, 0, 0]);
  });
});
