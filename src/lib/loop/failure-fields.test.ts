import { describe, expect, it } from "vitest";
import { fieldsOf } from "./failure-fields";

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
  it("that has no fields, or says something before them, is shown as it is", () => {
    expect(fieldsOf("I gave up")).toEqual([]);
    expect(fieldsOf("Sorry.\nwhy_it_failed: x")).toEqual([]);
    expect(fieldsOf("")).toEqual([]);
  });
});
