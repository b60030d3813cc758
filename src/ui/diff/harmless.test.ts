import { readFileSync } from "node:fs";
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
      ["ü\u200db\ufe0f", "ü‹U+200D›b‹U+FE0F›"],
      ["test\u3164\u2800", "test‹U+3164›‹U+2800›"],
      ["", ""],
    ] as const)
      expect(shown(text)).toBe(expected);
  });

  it("leaves letters of every script, and emoji, as they are", () => {
    for (const text of ["Größe €", "支払い", "مرحبا", "👩‍👩‍👧", "❤️ 👁️‍🗨️ 👍🏽‍", "नमस्‍ते", "می‌خواهم"])
      expect(shown(text)).toBe(text);
  });

  it("names every character that Ralph itself holds to be hidden, and no other", () => {
    const rust = readFileSync("crates/ralph-core/src/visible.rs", "utf8");
    const hidden = new Set<number>();
    const listed = (rule: string) => rust.split(`pub fn ${rule}`)[1]?.split("\n}")[0] ?? "";
    const point = (shown: string) =>
      shown.startsWith("u") ? Number.parseInt(shown.slice(2), 16) : { r: 0x0d, n: 0x0a }[shown];
    for (const [, from = "", to = from] of `${listed("is_hidden")}${listed("is_line_end")}`.matchAll(
      /'\\(u\{\w+\}|\w)'(?:\.\.='\\(u\{\w+\})')?/g,
    ))
      for (let code = point(from) ?? -1; code <= (point(to) ?? -1); code += 1) hidden.add(code);
    expect(hidden.size).toBeGreaterThan(4000);
    const differing: string[] = [];
    for (let code = 0; code <= 0x10ffff; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const character = String.fromCodePoint(code);
      const control = /\p{Cc}/u.test(character) && character !== "\t";
      const named = harmless(character)[0]?.unseen === true;
      if (named !== (control || hidden.has(code))) differing.push(code.toString(16));
    }
    expect(differing).toEqual([]);
  });
});
