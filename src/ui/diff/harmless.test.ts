import { describe, expect, it } from "vitest";
import { harmless } from "./harmless";

const shown = (text: string) =>
  harmless(text)
    .map(({ text, unseen }) => (unseen ? `‹${text}›` : text))
    .join("");

describe("a text from a repository", () => {
  it("names what a screen would obey, hide or mirror", () => {
    for (const [text, expected] of [
      ["plain\ttab", "plain\ttab"],
      ["\u001b[31mred", "‹ESC›[31mred"],
      ["a\rb\u0000c\u007f", "a‹CR›b‹NUL›c‹DEL›"],
      ["if (a \u202e} \u2066) {", "if (a ‹U+202E›} ‹U+2066›) {"],
      ["zero\u200bwidth\ufeff", "zero‹U+200B›width‹U+FEFF›"],
      ["ad\u00admin", "ad‹U+00AD›min"],
      ["tag\u{e0041}", "tag‹U+E0041›"],
      ["a\u200db", "a‹U+200D›b"],
      ["", ""],
    ] as const)
      expect(shown(text)).toBe(expected);
  });

  it("leaves letters of every script, and emoji, as they are", () => {
    for (const text of ["Größe €", "支払い", "مرحبا", "👩‍👩‍👧", "नमस्‍ते"]) expect(shown(text)).toBe(text);
  });
});
