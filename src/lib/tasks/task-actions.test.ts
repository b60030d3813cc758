import { describe, expect, it } from "vitest";
import { task } from "@/test/builders";
import { backTo } from "./task-actions";

describe("the way back of a change", () => {
  const working = task(1, "payments", "Refund", { status: "in_progress", priority: "low" });

  it("restores what was changed and leaves what the loop does meanwhile", () => {
    expect(backTo(working, { priority: "high" })).toEqual({ priority: "low" });
  });

  it("restores a status with its reason, and never puts a task to work", () => {
    expect(backTo(working, { status: "blocked" })).toEqual({ status: "pending" });
    const blocked = task(2, "payments", "Retry", { status: "blocked", blocked_reason: "no key" });
    expect(backTo(blocked, { status: "done" })).toEqual({ status: "blocked", blocked_reason: "no key" });
  });

  it("does not exist for a task that was taken from its review", () => {
    const reviewed = task(3, "payments", "Ledger", { status: "in_review" });
    expect(backTo(reviewed, { status: "skipped" })).toBeNull();
    expect(backTo(reviewed, { priority: "high" })).toEqual({ priority: "medium" });
  });
});
