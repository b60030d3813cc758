import { describe, expect, it } from "vitest";
import { type DiffFile, parseDiff } from "./parse";
import { type Choice, type LineRemark, placeOf, rowsOf } from "./rows";
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
