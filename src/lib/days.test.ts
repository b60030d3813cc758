import { describe, expect, it } from "vitest";
import { daysBefore, dayWord, everyWeek, lastDays } from "./days";

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
  it("of weeks without questions are not left out, and the last week is the present one", () => {
    const weeks = [{ from: "2026-02-05T00:00:00Z" }, { from: "2026-02-19T00:00:00Z" }];
    const at = (many: number) => everyWeek(weeks, Date.parse("2026-03-01T12:00:00Z"), many);
    const none = (from: string) => ({ from, week: null });
    const all = [
      { from: "2026-02-05", week: weeks[0] },
      none("2026-02-12"),
      { from: "2026-02-19", week: weeks[1] },
      none("2026-02-26"),
    ];
    expect(at(9)).toEqual(all);
    expect(at(2)).toEqual(all.slice(2));
  });
  it("are counted over the ends of months and the change of clocks", () => {
    expect(daysBefore("2026-03-30", 2)).toBe("2026-03-28");
    expect(daysBefore("2027-01-01", 1)).toBe("2026-12-31");
    expect(dayWord("2026-03-01")).toBe("Mar 1");
  });
});
