import { describe, expect, it } from "vitest";
import { beginDiff, type DiffFile, parseDiff } from "./parse";

const HEAD = "diff --git a/a.rs b/a.rs\nindex 1f2e3d4..5a6b7c8 100644\n--- a/a.rs\n+++ b/a.rs\n";
const one = (text: string): DiffFile => {
  const [file, ...rest] = parseDiff(text).files;
  expect(rest).toEqual([]);
  return file as DiffFile;
};
const shape = (file: DiffFile) =>
  file.hunks.flatMap(({ lines }) => lines.map(({ kind, text, old, new: now }) => [kind, text, old, now]));

describe("a diff", () => {
  it("has lines with the numbers of both sides, and what git found above a hunk", () => {
    const file = one(`${HEAD}@@ -3,3 +3,4 @@ impl Retry {\n a\n-b\n+c\n+d\n e\n`);
    expect(shape(file)).toEqual([
      ["same", "a", 3, 3],
      ["removed", "b", 4, null],
      ["added", "c", null, 4],
      ["added", "d", null, 5],
      ["same", "e", 5, 6],
    ]);
    expect(file).toMatchObject({ path: "a.rs", change: "changed", added: 2, removed: 1, torn: false });
    expect(file.hunks[0]).toMatchObject({ head: "@@ -3,3 +3,4 @@", section: "impl Retry {" });
    expect(file.hunks[0]?.lines[1]?.twin?.text).toBe("c");
    expect(file.hunks[0]?.lines[3]?.twin).toBeNull();
  });

  it("keeps lines that look like heads of files or hunks", () => {
    const file = one(`${HEAD}@@ -1,3 +1,3 @@\n--- a b\n-@@ -1 +1 @@\n+++ z\n+diff --git a/x b/x\n [same]\n`);
    expect(shape(file).map(([kind, text]) => `${kind} ${text}`)).toEqual([
      "removed -- a b",
      "removed @@ -1 +1 @@",
      "added ++ z",
      "added diff --git a/x b/x",
      "same [same]",
    ]);
  });

  it("says where a file ends without a newline, on either side", () => {
    const mark = "\\ No newline at end of file";
    const [lines] = one(`${HEAD}@@ -1,2 +1,2 @@\n a\n-b\n${mark}\n+c\n${mark}\n`).hunks.map((hunk) => hunk.lines);
    expect(lines?.map(({ unended }) => unended)).toEqual([false, true, true]);
  });

  it("tells renames, copies, modes, new, removed, empty and binary files apart", () => {
    const { files } = parseDiff(
      [
        "diff --git a/mv.txt b/moved b.txt",
        "similarity index 88%",
        "rename from mv.txt",
        "rename to moved b.txt",
        "index 535d2b0..0719398 100644",
        "--- a/mv.txt",
        "+++ b/moved b.txt\t",
        "@@ -6,1 +6,2 @@",
        " 6",
        "+9",
        "diff --git a/mode.sh b/mode.sh",
        "old mode 100644",
        "new mode 100755",
        "diff --git a/bin b/bin",
        "index b6c2a1f..434a552 100644",
        "Binary files a/bin and b/bin differ",
        "diff --git a/empty b/empty",
        "new file mode 100644",
        "index 0000000..e69de29",
        "diff --git a/gone b/gone",
        "deleted file mode 100644",
        "index 286c5f5..0000000",
        "--- a/gone",
        "+++ /dev/null",
        "@@ -1 +0,0 @@",
        "-gone",
        "diff --git a/one.rs b/two.rs",
        "similarity index 100%",
        "copy from one.rs",
        "copy to two.rs",
        "",
      ].join("\n"),
    );
    expect(files.map(({ path, oldPath, change, binary, modes }) => [path, oldPath, change, binary, modes])).toEqual([
      ["moved b.txt", "mv.txt", "renamed", false, null],
      ["mode.sh", null, "changed", false, ["100644", "100755"]],
      ["bin", null, "changed", true, null],
      ["empty", null, "added", false, null],
      ["gone", null, "removed", false, null],
      ["two.rs", "one.rs", "copied", false, null],
    ]);
    expect(files.every(({ torn }) => !torn)).toBe(true);
  });

  it("reads the names that git puts in quotes", () => {
    const name = '"a/odd n\\303\\244me\\".txt"';
    const file = one(
      `diff --git ${name} ${name.replace("a/", "b/")}\n--- ${name}\n+++ ${name.replace("a/", "b/")}\n@@ -1 +1 @@\n-6\n+7\n`,
    );
    expect(file.path).toBe('odd näme".txt');
    expect(file.oldPath).toBeNull();
  });

  it("tells mixed ends of lines, and splits no line at a lone carriage return", () => {
    const file = one(`${HEAD}@@ -1,2 +1,2 @@\n a\r\n-b\rc\r\n+b\n`);
    expect(file.mixedEnds).toBe(true);
    expect(shape(file).map(([, text]) => text)).toEqual(["a\r", "b\rc\r", "b"]);
    expect(one(`${HEAD}@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n`).mixedEnds).toBe(false);
  });

  it("shows what is there of a text that breaks off anywhere", () => {
    const whole = `${HEAD}@@ -3,3 +3,4 @@ impl\n a\n-b\n+c\n+d\n e\n@@ -20,2 +21,2 @@\n x\n-y\n+z\n`;
    for (let length = 0; length <= whole.length; length += 1) {
      const { files } = parseDiff(whole.slice(0, length));
      const shown = files.flatMap(({ hunks }) => hunks.flatMap(({ lines }) => lines.map(({ text }) => text)));
      // A line that the cut went through is shown as far as it goes; those before it are whole.
      const lines = whole
        .slice(0, length)
        .split("\n")
        .slice(4, -1)
        .filter((line) => /^[ +-]/.test(line));
      for (const line of lines) expect(shown, `cut at ${length}`).toContain(line.slice(1));
    }
    expect(one(whole.slice(0, -14))).toMatchObject({ torn: true, added: 2, removed: 1 });
  });

  it("tells what stands between the files", () => {
    const { files, notes } = parseDiff(
      `[commit abc is not in this repository; uncommitted changes only]\n${HEAD}@@ -1 +1 @@\n-a\n+b\n[diff cut at 100 bytes]\n`,
    );
    expect(notes).toEqual(["commit abc is not in this repository; uncommitted changes only", "diff cut at 100 bytes"]);
    expect(files).toMatchObject([{ path: "a.rs", torn: false, added: 1, removed: 1 }]);
  });

  it("shows the diff of a merge, and lines that make no sense, as they stand", () => {
    const merge = one("diff --cc a.rs\nindex 1,2..3\n--- a/a.rs\n+++ b/a.rs\n@@@ -1,2 -1,2 +1,2 @@@\n- a\n -b\n++c\n");
    expect(merge).toMatchObject({ path: "a.rs", torn: false });
    expect(merge.hunks[0]?.lines.map(({ text }) => text)).toEqual(["@@@ -1,2 -1,2 +1,2 @@@", "- a", " -b", "++c"]);
    expect(parseDiff("").files).toEqual([]);
    expect(parseDiff("no diff at all\n")).toEqual({ files: [], notes: ["no diff at all"] });
  });

  it("reads a plain diff without git's heads", () => {
    const { files } = parseDiff(
      "--- a/x.txt\n+++ b/x.txt\n@@ -1 +1 @@\n-a\n+b\n--- a/y.txt\n+++ b/y.txt\n@@ -1 +1 @@\n-a\n+b\n",
    );
    expect(files.map(({ path, added, removed }) => [path, added, removed])).toEqual([
      ["x.txt", 1, 1],
      ["y.txt", 1, 1],
    ]);
  });

  it("reads what git writes when it is told to leave out signs of blank lines, or to name sides by letters", () => {
    const file = one(
      "diff --git i/a.rs w/a.rs\nindex 1..2 100644\n--- i/a.rs\n+++ w/a.rs\n@@ -1,4 +1,4 @@\n a\n\n-b\n+c\n\n",
    );
    expect(file).toMatchObject({ path: "a.rs", oldPath: null, change: "changed", torn: false });
    expect(shape(file)[1]).toEqual(["same", "", 2, 2]);
    const cut = one(`${HEAD}@@ -1,9 +1,9 @@\n a\n\n-b\n+c\n`);
    expect(shape(cut).map(([, text]) => text)).toEqual(["a", "", "b", "c"]);
  });

  it("changes the digest of a file with its text only", () => {
    const of = (line: string) => one(`${HEAD}@@ -1 +1 @@\n-a\n+${line}\n`).digest;
    expect(of("b")).toBe(of("b"));
    expect(of("b")).not.toBe(of("c"));
  });
});

describe("the beginning of a long diff", () => {
  const file = (name: string, lines: number) => {
    const added = Array.from({ length: lines }, (_, at) => `+line ${at} of ${name}\n`).join("");
    return `diff --git a/${name} b/${name}\nnew file mode 100644\n--- /dev/null\n+++ b/${name}\n@@ -0,0 +1,${lines} @@\n${added}`;
  };
  const files = Array.from({ length: 12 }, (_, at) => file(`part-${at}.txt`, 200));

  it("is followed by the rest, and its files stay the same objects", () => {
    const text = `${files.join("")}[12 more files]\n`;
    const begun = beginDiff(text);
    expect(begun.files.length).toBeGreaterThan(0);
    expect(begun.files.length).toBeLessThan(12);
    const whole = begun.whole?.();
    expect(whole).toEqual(parseDiff(text));
    for (const [at, one] of begun.files.entries()) expect(whole?.files[at]).toBe(one);
  });

  it("is the first lines of a long file, which is not truncated for that", () => {
    const text = file("long.txt", 20_000);
    const begun = beginDiff(text);
    expect(begun.files).toMatchObject([{ path: "long.txt", torn: false, digest: "" }]);
    expect(begun.files[0]?.hunks[0]?.lines.length).toBeLessThan(5_000);
    expect(begun.whole?.()).toEqual(parseDiff(text));
  });

  it("is all of a short one", () => {
    const text = files[0] ?? "";
    expect(beginDiff(text)).toEqual({ ...parseDiff(text), whole: null });
  });
});
