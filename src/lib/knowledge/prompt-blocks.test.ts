import { describe, expect, it } from "vitest";
import { SAMPLE_PROMPT } from "@/test/sample";
import { promptBlocks } from "./prompt-blocks";

describe("the memory in a prompt", () => {
  it("is marked part by part, and ends where the prompt goes on", () => {
    expect(promptBlocks(SAMPLE_PROMPT).map(({ memory }) => memory)).toEqual([
      null,
      "Previous Attempts",
      "Learnings from Previous Iterations",
      "Loop Status",
      null,
    ]);
  });

  it("loses no word", () => {
    const whole = promptBlocks(SAMPLE_PROMPT)
      .map(({ text }) => text)
      .join("\n");
    expect(whole).toBe(SAMPLE_PROMPT);
  });

  it("is not ended by a heading that an agent wrote", () => {
    const attempts = promptBlocks(SAMPLE_PROMPT).find(({ memory }) => memory === "Previous Attempts");
    expect(attempts?.text).toContain("This heading was written by an agent.");
  });
});
