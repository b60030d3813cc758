import { describe, expect, it } from "vitest";
import { type DiffFile, parseDiff } from "./parse";
import { type Choice, type LineRemark, placeNow, placeOf, rowsOf } from "./rows";
import { marksOf } from "./words";

const HEAD = "diff --git a/a.rs b/a.rs\n--- a/a.rs\n+++ b/a.rs\n";
const read = (text: string) => parseDiff(text).files[0] as DiffFile;
const CHOICE: Choice = { layout: "inline", collapsed: new Set(), remarks: [], writing: null, loads: false };
const remark = (key: string, line: number | null): LineRemark => {
  return { key, file: "a.rs", line, text: key, author: "You", draft: true };
};

describe("the rows of a diff", () => {
  const file = read(`${HEAD}@@ -1,3 +1,4 @@\n a\n-b\n+c\n+d\n e\n`);

  it("pair what was removed with what took its place", () => {
    const { rows, changes } = rowsOf([file], { ...CHOICE, layout: "split" });
    const pairs = rows.flatMap((row) => (row.kind === "pair" ? [[row.left?.text, row.right?.text]] : []));
    expect(pairs).toEqual([
      ["a", "a"],
      ["b", "c"],
      [undefined, "d"],
      ["e", "e"],
    ]);
    expect(changes).toEqual([3]);
  });

  it("hold each remark once, below its line, or below the head where no line of it is shown", () => {
    for (const layout of ["inline", "split"] as const) {
      const remarks = [remark("on d", 3), remark("far away", 99), remark("on the file", null)];
      const { rows, changes } = rowsOf([file], { ...CHOICE, layout, remarks });
      const said = rows.flatMap((row, at) => (row.kind === "remark" ? [[row.remark.text, rows[at - 1]?.kind]] : []));
      expect(said.slice(0, 2)).toEqual([
        ["far away", "file"],
        ["on the file", "remark"],
      ]);
      expect(said.slice(2)).toEqual([["on d", layout === "inline" ? "line" : "pair"]]);
      expect(rows[changes[0] ?? -1]).toMatchObject(
        layout === "inline" ? { line: { text: "b" } } : { left: { text: "b" } },
      );
    }
  });

  it("hold what is being written also where its line is not shown any more", () => {
    const writing = { file: "a.rs", line: 99, words: "far away", removed: false };
    const { rows } = rowsOf([file], { ...CHOICE, writing });
    expect(rows.slice(0, 2).map(({ kind }) => kind)).toEqual(["file", "writing"]);
  });

  it("leave out what is collapsed", () => {
    const { rows } = rowsOf([file], { ...CHOICE, collapsed: new Set(["a.rs"]), remarks: [remark("x", 1)] });
    expect(rows.map(({ kind }) => kind)).toEqual(["file"]);
  });

  it("speak of a removed line at the one that follows, and of a removed file by its own numbers", () => {
    const at = (file: DiffFile, line: number) => {
      const [hunk] = file.hunks;
      const found = hunk?.lines[line];
      return hunk && found && placeOf(file, hunk, found);
    };
    expect(at(file, 1)).toEqual({ file: "a.rs", line: 2, words: "b", removed: true });
    expect(at(file, 3)).toEqual({ file: "a.rs", line: 3, words: "d", removed: false });
    const last = read(`${HEAD}@@ -1,2 +1 @@\n a\n-b\n`);
    expect(at(last, 1)).toEqual({ file: "a.rs", line: 1, words: "b", removed: true });
    const gone = read(
      "diff --git a/a.rs b/a.rs\ndeleted file mode 100644\n--- a/a.rs\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n",
    );
    expect(at(gone, 1)).toEqual({ file: "a.rs", line: 2, words: "b", removed: false });
  });
});

describe("a line that a remark was begun on", () => {
  const begun = (line: number, words: string, removed = false) => ({ file: "a.rs", line, words, removed });

  it.each([
    ["stands as it was", "@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n", begun(2, "c"), { line: 2, sure: true }],
    ["was moved down", "@@ -1,3 +1,5 @@\n+x\n+y\n a\n-b\n+c\n d\n", begun(2, "c"), { line: 4, sure: true }],
    ["is the nearest of several", "@@ -1,2 +1,4 @@\n+c\n a\n+c\n d\n", begun(4, "c"), { line: 3, sure: true }],
    ["was changed", "@@ -1,3 +1,3 @@\n a\n-b\n+other\n d\n", begun(2, "c"), { line: null, sure: false }],
    ["is not shown", "@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n", begun(90, "far"), { line: 90, sure: false }],
    ["is empty, and like any other", "@@ -1,2 +1,3 @@\n+\n a\n d\n", begun(3, ""), { line: null, sure: false }],
    ["was removed, as before", "@@ -1,3 +1,2 @@\n a\n-b\n d\n", begun(2, "b", true), { line: 2, sure: true }],
    ["was removed, and is back", "@@ -1,2 +1,3 @@\n a\n b\n+n\n", begun(2, "b", true), { line: null, sure: false }],
  ])("%s", (_, hunk, place, expected) => {
    expect(placeNow([read(`${HEAD}${hunk}`)], place)).toEqual(expected);
  });

  it("is gone with its file, and trusted in one that is not read yet", () => {
    const unread = { ...read(`${HEAD}@@ -1 +1 @@\n-a\n+b\n`), hunks: [], digest: "" };
    expect(placeNow([], begun(2, "c"))).toEqual({ line: null, sure: false });
    expect(placeNow([unread], begun(2, "c"))).toEqual({ line: 2, sure: true });
  });
});

describe("a line that took the place of another", () => {
  const marked = (before: string, after: string) => {
    const [lines] = read(`${HEAD}@@ -1 +1 @@\n-${before}\n+${after}\n`).hunks.map((hunk) => hunk.lines);
    return lines?.map((line) => marksOf(line).map(([from, to]) => line.text.slice(from, to)));
  };

  it("has the words marked that the other lacks", () => {
    expect(marked("let a = old(1);", "let a = new(1);")).toEqual([["old"], ["new"]]);
  });

  it("has none marked where the two share little, or are too long to compare", () => {
    expect(marked("fn one() {}", "struct Completely { different: bool }")).toEqual([[], []]);
    expect(marked("x ".repeat(300), "y ".repeat(300))).toEqual([[], []]);
  });
});
