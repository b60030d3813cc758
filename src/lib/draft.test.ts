import { expect, it } from "vitest";
import { rebased } from "./draft";

it("keeps what was typed, and takes what somebody else changed where nothing was typed", () => {
  const before = { a: "1", b: "2", list: "x", inner: { c: 1, d: 2 } };
  const typed = { ...before, a: "mine", inner: { c: 1, d: 20 } };
  const now = { ...before, a: "theirs", b: "3", inner: { c: 10, d: 2 } };
  expect(rebased(typed, before, now)).toEqual({ a: "mine", b: "3", list: "x", inner: { c: 10, d: 20 } });
});

it("drops what is gone, unless it was typed over", () => {
  type Words = { a?: string; b?: string };
  const before: Words = { a: "1", b: "2" };
  expect(rebased<Words>(before, before, { a: "1" })).toEqual({ a: "1" });
  expect(rebased<Words>({ a: "1", b: "mine" }, before, { a: "1" })).toEqual({ a: "1", b: "mine" });
});
