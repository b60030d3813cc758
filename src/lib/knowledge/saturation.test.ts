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
  it("hold each step until the next change, and the last one until now", () => {
    const { active, held } = levels([point(0, 0, 0), point(5, 4, 1), point(8, 6, 3)], 10_000, 100);
    expect(active.line).toBe("M0,100L500,100L500,60L800,60L800,40L1000,40L1000,40");
    expect(held.line).toBe("M0,100L500,100L500,90L800,90L800,70L1000,70L1000,70");
    expect(held.area.startsWith(`${held.line}L1000,100`)).toBe(true);
  });

  it("draw a single point as one step, also when its clock is ahead", () => {
    expect(levels([point(50, 5, 0)], 10_000, 100).active.line).toBe("M0,50L1000,50L1000,50");
    expect(levels([], 10_000, 100).active).toEqual({ line: "", area: "" });
  });
});
