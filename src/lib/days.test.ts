import { describe, expect, it } from "vitest";
import { daysBefore, dayWord, lastDays } from "./days";

describe("days", () => {
  it("show those without work as well, up to today", () => {
    const days = [{ day: "2026-02-27", done: 2, failed: 1, cost_usd: 1, estimated_usd: 0 }];
    expect(lastDays(days, "2026-03-01", 4).map(({ day, done }) => [day, done])).toEqual([
      ["2026-02-26", 0],
      ["2026-02-27", 2],
      ["2026-02-28", 0],
      ["2026-03-01", 0],
    ]);
  });
  it("are counted over the ends of months and the change of clocks", () => {
    expect(daysBefore("2026-03-30", 2)).toBe("2026-03-28");
    expect(daysBefore("2027-01-01", 1)).toBe("2026-12-31");
    expect(dayWord("2026-03-01")).toBe("Mar 1");
  });
});
