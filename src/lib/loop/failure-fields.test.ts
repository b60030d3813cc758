import { describe, expect, it } from "vitest";
import { fieldsOf, kindOf } from "./failure-fields";

describe("a failure report", () => {
  it("is read as fields, the reason first, with what goes over several lines", () => {
    expect(
      fieldsOf(
        "\nwhat_was_tried: Compared refunds\nby the clock\nwhy_it_failed: The zone: another\nrelevant_files: a.rs\n",
      ),
    ).toEqual([
      ["Why it failed", "The zone: another"],
      ["What was tried", "Compared refunds\nby the clock"],
      ["Files", "a.rs"],
    ]);
  });
  it("is of a kind in one of the product's words, or in its agent's own where none of them is meant", () => {
    for (const [words, kind] of [
      ["test_failure", "test failure"],
      ["Build Error", "build error"],
      ["logic", "logic error"],
      ["type-error", "type error"],
      ["error_during_execution", "error during execution"],
      ["missing_context", "missing context"],
      ["--", "unknown"],
    ] as const)
      expect(kindOf(words)).toBe(kind);
  });
  it("that has no fields, or says something before them, is shown as it is", () => {
    expect(fieldsOf("I gave up")).toEqual([]);
    expect(fieldsOf("Sorry.\nwhy_it_failed: x")).toEqual([]);
    expect(fieldsOf("")).toEqual([]);
  });
});
