import { describe, expect, it } from "vitest";
import { outcomeWords } from "./tool-outcome";

const result = (text: string, failed = false, millis = 10) => ({ text, failed, millis });

describe("the end of a tool's call", () => {
  it.each([
    ["what it printed first", result("42 passed\nmore"), "42 passed"],
    ["a document is not news", result('{"id": "L1"}'), "ok"],
    [
      "a refusal by Ralph in its own words",
      result('{"error":{"code":"knowledge_full","message":"is full"}}', true),
      "is full",
    ],
    ["another tool's document", result('{"why": 1}', true), '{"why": 1}'],
    ["a torn document", result('{"error":', true), '{"error":'],
    ["null is not a refusal", result("[null]", true), "[null]"],
    ["how long, from a second on", result("done", false, 8200), "done · 8.2 s"],
  ])("%s", (_, call, words) => {
    expect(outcomeWords(call)).toBe(words);
  });
});
