import { describe, expect, it } from "vitest";
import type { JournalEntry } from "@/ipc";
import { folded } from "./journal";

/** `llr`: learned twice, then reconciled once; the ids are the places. */
const entries = (kinds: string): JournalEntry[] =>
  [...kinds].map((kind, at) => ({
    id: String(at),
    at: "2026-11-22T05:00:00Z",
    event: kind,
    learning: null,
    summary: kind,
    act: null,
  }));

const words = (kinds: string, ...open: string[]) =>
  folded(entries(kinds), new Set(open)).map(
    ({ entry, more }) => `${entry.event}${entry.id}${more > 0 ? `+${more}` : ""}`,
  );

describe("events of one kind in a row", () => {
  it.each([
    ["", []],
    ["lll", ["l0", "l1", "l2"]],
    ["llll", ["l0", "l1", "l2+1"]],
    ["lrrrrrl", ["l0", "r1", "r2", "r3+2", "l6"]],
    ["lrlrlr", ["l0", "r1", "l2", "r3", "l4", "r5"]],
  ])("%j are folded to %j", (kinds, shown) => {
    expect(words(kinds)).toEqual(shown);
  });

  it("are all shown once the rest is asked for, and the others stay folded", () => {
    expect(words("lrrrrrl", "3")).toEqual(["l0", "r1", "r2", "r3", "r4", "r5", "l6"]);
    expect(words("rrrrrllll", "2")).toEqual(["r0", "r1", "r2", "r3", "r4", "l5", "l6", "l7+1"]);
  });
});
