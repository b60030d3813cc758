import { describe, expect, it } from "vitest";
import type { SaturationPoint } from "@/ipc";
import { levels } from "./saturation";

const point = (seconds: number, learnings_count: number, protected_count: number): SaturationPoint => ({
  at: new Date(seconds * 1000).toISOString(),
  learnings_count,
  protected_count,
  max_learnings: 10,
  saturation_pct: learnings_count * 10,
  level: "low",
});

describe("the levels of saturation", () => {
  it("hold until the next change, and the last one until now", () => {
    expect(levels([point(0, 0, 0), point(5, 4, 1), point(8, 6, 3)], 10_000)).toEqual([
      { at: 0, active: 0, held: 0 },
      { at: 5_000, active: 40, held: 10 },
      { at: 8_000, active: 60, held: 30 },
      { at: 10_000, active: 60, held: 30 },
    ]);
  });

  it("make one level of a single point, also when its clock is ahead", () => {
    expect(levels([point(50, 5, 0)], 10_000).map(({ at, active }) => [at, active])).toEqual([
      [50_000, 50],
      [50_001, 50],
    ]);
    expect(levels([], 10_000)).toEqual([]);
  });
});
