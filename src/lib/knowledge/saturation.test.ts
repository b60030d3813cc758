import { describe, expect, it } from "vitest";
import type { SaturationPoint } from "@/ipc";
import { steps } from "./saturation";

const point = (seconds: number, learnings_count: number, protected_count: number): SaturationPoint => ({
  at: new Date(seconds * 1000).toISOString(),
  learnings_count,
  protected_count,
  max_learnings: 10,
  saturation_pct: learnings_count * 10,
  level: "low",
});

describe("the steps of saturation", () => {
  it("hold each level until the next change, and the last one until now", () => {
    const { active, held } = steps([point(0, 0, 0), point(5, 4, 1), point(8, 6, 3)], 10_000, 100);
    expect(active).toBe("M 0 100 H 500 V 60 H 800 V 40 H 1000");
    expect(held).toBe("M 0 100 H 500 V 90 H 800 V 70 H 1000");
  });

  it("draw a single point as one level, also when its clock is ahead", () => {
    expect(steps([point(50, 5, 0)], 10_000, 100).active).toBe("M 0 50 H 1000");
    expect(steps([], 10_000, 100).active).toBe("");
  });
});
