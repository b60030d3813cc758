import { expect, it } from "vitest";
import { belowLimit, bytes, dollars, needleOf, percent, reached, signedDollars, tokens } from "./format";

it("the beginning of a text by which it is found ends between letters, and within its first line", () => {
  expect(needleOf(`${"a".repeat(59)}🙂 and more`)).toBe(`${"a".repeat(59)}🙂`);
  expect(needleOf("One line\nand another")).toBe("One line");
});

it("a share that is not nothing or not all is not rounded to that", () => {
  const shares = [0, 1 / 300, 0.005, 0.834, 0.995, 299 / 300, 1, null].map(percent);
  expect(shares).toEqual(["0 %", "< 1 %", "1 %", "83 %", "> 99 %", "> 99 %", "100 %", "0 %"]);
});

it("a number that just misses its bound is not told as reaching it", () => {
  expect([0.396, 0.4, 0.57].map((share) => reached(share, 2))).toEqual(["0.39", "0.40", "0.57"]);
  expect([4.996, 4.2, 5, 0.0999, null].map((usd) => belowLimit(usd, 5))).toEqual([4.99, 4.2, 5, 0.0999, null]);
  expect(belowLimit(4.996, null)).toBe(4.996);
  expect([79.6, 0.57 * 100, null].map((percent) => reached(percent, 0))).toEqual(["79", "57", "0"]);
});

it("a small sum, or difference, of dollars is not shown as none", () => {
  expect([0, 0.004, 0.01, 1234.5].map(dollars)).toEqual(["$0.00", "$0.0040", "$0.01", "$1,234.50"]);
  expect([0, 0.004, -0.004, -0.35].map(signedDollars)).toEqual(["±$0.00", "+$0.0040", "−$0.0040", "−$0.35"]);
});

it("a number that rounds to a thousand is told in the next unit", () => {
  expect([999, 999_949, 999_950, 1_250_000].map(tokens)).toEqual(["999", "999.9k", "1.0M", "1.3M"]);
  expect([820_000, 999_001, 999_499_999, 999_500_000].map(bytes)).toEqual(["820 kB", "1 MB", "999 MB", "1.0 GB"]);
});
