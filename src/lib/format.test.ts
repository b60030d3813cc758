import { expect, it } from "vitest";
import { needleOf } from "./format";

it("the beginning of a text by which it is found ends between letters, and within its first line", () => {
  expect(needleOf(`${"a".repeat(59)}🙂 and more`)).toBe(`${"a".repeat(59)}🙂`);
  expect(needleOf("One line\nand another")).toBe("One line");
});
