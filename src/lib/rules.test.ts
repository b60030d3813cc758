import { describe, expect, it } from "vitest";
import { layered } from "@/lib/tasks/layers";
import { beforeOf, grouped } from "@/lib/tasks/task-order";
import { task } from "@/test/builders";
import { age, dollars, duration, span, tokens } from "./format";
import { nameOf } from "./names";
import { flag, manyOf, oneOf } from "./search";

describe("numbers and times", () => {
  it("are short and of one width", () => {
    expect([duration(820), duration(8200), duration(102_000), duration(7_390_000)]).toEqual([
      "0.8 s",
      "8.2 s",
      "1:42",
      "2:03:10",
    ]);
    expect([span(9_000), span(41 * 60_000), span(185 * 60_000)]).toEqual(["9 s", "41 min", "3 h 05"]);
    expect([dollars(null), dollars(1.839), dollars(0.0042)]).toEqual(["$0.00", "$1.84", "$0.0042"]);
    expect([tokens(950), tokens(18_400), tokens(1_200_000)]).toEqual(["950", "18.4k", "1.2M"]);
    const now = Date.parse("2026-11-21T12:00:00Z");
    expect(["2026-11-21T11:59:40Z", "2026-11-21T09:00:00Z", "2026-11-09T12:00:00Z"].map((t) => age(t, now))).toEqual([
      "now",
      "3h",
      "12d",
    ]);
  });
});

describe("the layers of a graph", () => {
  it("put a task right of everything it depends on", () => {
    const placed = layered([
      { id: 1, depends_on: [] },
      { id: 2, depends_on: [1] },
      { id: 3, depends_on: [1, 2] },
      { id: 4, depends_on: [99] },
    ]);
    expect(placed.map(({ layer }) => layer)).toEqual([0, 1, 2, 0]);
    expect(new Set(placed.map(({ layer, row }) => `${layer} ${row}`)).size).toBe(4);
  });

  it("end even in a cycle", () => {
    expect(
      layered([
        { id: 1, depends_on: [2] },
        { id: 2, depends_on: [1] },
      ]),
    ).toHaveLength(2);
  });
});

describe("the order of tasks", () => {
  const tasks = [
    task(1, "f", "a", { priority: "high", position: 1 }),
    task(2, "f", "b", { priority: "high", position: 2 }),
    task(3, "f", "c", { priority: "high", position: 3 }),
    task(4, "f", "d", { priority: "low", position: 1 }),
  ];

  it("is ready first, then by what it waits for", () => {
    const groups = grouped([
      task(9, "f", "done", { status: "done", readiness: "closed" }),
      task(8, "f", "waits", { readiness: "waiting" }),
      ...[...tasks].reverse(),
    ]);
    expect(groups.map(([group, members]) => [group, members.map(({ id }) => id)])).toEqual([
      ["ready", [1, 2, 3, 4]],
      ["waiting", [8]],
      ["done", [9]],
    ]);
  });

  it("changes by a drop within one priority only", () => {
    expect(beforeOf(tasks, 3, 1)).toBe(1);
    expect(beforeOf(tasks, 1, 2)).toBe(3);
    expect(beforeOf(tasks, 1, 3)).toBe(0);
    expect(beforeOf(tasks, 1, 4)).toBeNull();
    expect(beforeOf(tasks, 2, 2)).toBeNull();
  });
});

describe("what a URL says", () => {
  it("is dropped where it is unknown", () => {
    expect(oneOf("graph", ["graph"])).toBe("graph");
    expect(oneOf("maze", ["graph"])).toBeUndefined();
    expect(manyOf(["done", "eaten"], ["done", "draft"])).toEqual(["done"]);
    expect(manyOf("draft", ["done", "draft"])).toEqual(["draft"]);
    expect(flag("yes")).toBeUndefined();
  });
});

describe("the name that a display name suggests", () => {
  it("is safe as a file name", () => {
    expect(["Payments", "  Offline sync! ", "Größe & Länge", "…"].map(nameOf)).toEqual([
      "payments",
      "offline-sync",
      "gro-e-lange",
      "",
    ]);
  });
});
