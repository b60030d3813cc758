import { describe, expect, it } from "vitest";
import type { RunResult } from "@/ipc";
import { endOf, resultTone, signatureInWords } from "./words";

describe("how a run ended", () => {
  it("is told by what it achieved and left, not by that it found no further task", () => {
    const end = (result: RunResult, done: number, task: number | null = null, note: string | null = null) =>
      endOf({ state: "ended", stop_reason: "nothing_ready", done, task, result, note });
    expect(end("done", 3)).toBe("all ready tasks done");
    expect(end("done", 1, 2)).toBe("its task is done");
    expect(end("done", 1, 2, "task 2 is in review")).toBe("task 2 is in review");
    expect(end("done", 0)).toBe("no task was ready");
    expect(end("all_failed", 0)).toBe("every attempt failed");
    expect(end("needs_you", 1)).toBe("what is left needs you");
    const limited = { state: "ended", stop_reason: "max_iterations", done: 1, task: null, note: null } as const;
    expect(endOf({ ...limited, result: "all_failed" })).toBe("every attempt failed");
    expect(endOf({ ...limited, result: "needs_you" })).toBe("what is left needs you");
    expect(endOf({ ...limited, result: "limit" })).toBe("iteration limit reached");
    expect([resultTone.done, resultTone.needs_you, resultTone.all_failed]).toEqual(["ok", "warn", "bad"]);
  });
});

it("tells the kind of a failure in a signature by its name", () => {
  expect(signatureInWords("logic_error: the totals differ: 3")).toBe("logic error: the totals differ: 3");
  expect(signatureInWords("an_agent: wrote this")).toBe("an_agent: wrote this");
});
