/** Parses a unified diff into files, hunks and lines. What can't be parsed is shown as it is; nothing here throws. */
import { parsePatch, type StructuredPatch } from "diff";

export type Change = "added" | "removed" | "renamed" | "copied" | "changed";

export type DiffLine = {
  kind: "same" | "added" | "removed";
  /** Without its sign and the line ending; a carriage return stays. */
  text: string;
  /** Line number in the old file, from 1; `null` if the line was not in it, or if the diff is damaged. */
  old: number | null;
  new: number | null;
  /** The file ends here without a newline. */
  unended: boolean;
  /** Index in its hunk. */
  at: number;
  /** The line that replaced it, or that it replaced. */
  twin: DiffLine | null;
};

export type Hunk = {
  /** The hunk's header, as git wrote it: `@@ -12,7 +12,9 @@`. */
  head: string;
  /** The context that git shows after the hunk's header: a function, a heading. */
  section: string;
  lines: DiffLine[];
};

export type DiffFile = {
  path: string;
  /** The previous path, if it was moved. */
  oldPath: string | null;
  change: Change;
  added: number;
  removed: number;
  binary: boolean;
  /** File modes of git, if they changed: `["100644", "100755"]`. */
  modes: [string, string] | null;
  /** Some lines end in CRLF and others in LF. */
  mixedEnds: boolean;
  /** The text was truncated, or its counts are wrong. */
  torn: boolean;
  hunks: Hunk[];
  /** A hash of the text: a mark on a file is valid for exactly this diff. */
  digest: string;
};

export type Diff = {
  files: DiffFile[];
  /** Text between the files: a note on truncation, or on what is missing. */
  notes: string[];
};

/** A combined diff has a sign for each parent, which no parser here supports. */
const OF_A_MERGE = /^diff --(?:cc|combined) /;
const FILE_HEAD = /^diff --(?:git|cc|combined) /;

/** Parses the output of `git diff`, even if it was truncated anywhere. */
export function parseDiff(text: string): Diff {
  const { sections, notes } = split(text);
  return { files: sections.flatMap(readSection), notes };
}

/** Characters of a diff that are parsed first: about a screen of long lines. */
const BEGINNING = 4_000;

/** The beginning of a long diff, and how the whole is parsed; `null` if the beginning is the whole. */
type Begun = Diff & { whole: (() => Diff) | null };

/**
 * Parses the beginning of a diff. The whole keeps its files as the same objects, unless the diff begins with a long file: of that one, the
 * beginning has only the first lines.
 */
export function beginDiff(text: string): Begun {
  if (text.length <= 2 * BEGINNING) return { ...parseDiff(text), whole: null };
  const end = text.slice(0, 4 * BEGINNING).indexOf("\ndiff --git ", BEGINNING);
  if (end > 0) {
    const begun = parseDiff(text.slice(0, end));
    const whole = () => {
      const rest = parseDiff(text.slice(end + 1));
      return { files: [...begun.files, ...rest.files], notes: [...begun.notes, ...rest.notes] };
    };
    return { ...begun, whole };
  }
  const { files, notes } = parseDiff(text.slice(0, text.lastIndexOf("\n", BEGINNING) + 1));
  // It was truncated here, not by git.
  return { files: files.map((file) => ({ ...file, torn: false, digest: "" })), notes, whole: () => parseDiff(text) };
}

/** The text of each file, and the lines in between that belong to none. */
function split(text: string): { sections: string[]; notes: string[] } {
  const sections: string[][] = [];
  const notes: string[] = [];
  const plain = !/^diff --/m.test(text);
  for (const line of text.split("\n")) {
    // Every line of a hunk starts with a sign, and no line of a file's header starts like this.
    if (line.startsWith("[")) notes.push(line.replace(/^\[(.*)\]$/, "$1"));
    else if (FILE_HEAD.test(line) || (plain && line.startsWith("--- ") && !sections.at(-1)?.some(isHunkHead)))
      sections.push([line]);
    else if (sections.length > 0) sections.at(-1)?.push(line);
    else if (line.trim() !== "") notes.push(line);
  }
  return { sections: sections.map((lines) => lines.join("\n")), notes };
}

function isHunkHead(line: string): boolean {
  return line.startsWith("@@");
}

function readSection(section: string): DiffFile[] {
  if (OF_A_MERGE.test(section)) return [asItStands(section)];
  const whole = tryParse(section);
  if (whole) return whole.map((patch) => fileOf(patch, section, false));
  const mended = mend(section);
  const rest = tryParse(mended);
  if (rest) return rest.map((patch) => fileOf(patch, mended, true));
  return [asItStands(section)];
}

/** The files of a section, unless it has an error or lines that nobody would see. */
function tryParse(section: string): StructuredPatch[] | null {
  try {
    const patches = parsePatch(section);
    const hunks = patches.flatMap((patch) => patch.hunks);
    const heads = section.split("\n").filter(isHunkHead).length;
    return patches.length > 0 && heads === hunks.length && hunks.every(addsUp) ? patches : null;
  } catch {
    return null;
  }
}

function addsUp({ oldLines, newLines, lines }: StructuredPatch["hunks"][number]): boolean {
  // Git can be configured to omit the sign of a blank line.
  const count = (sign: string) => lines.filter((line) => line === "" || line[0] === " " || line[0] === sign).length;
  return lines.length > 0 && count("-") === oldLines && count("+") === newLines;
}

const HUNK_HEAD = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/s;

/** The section with the counts of hunk headers corrected; a header without lines is omitted. */
function mend(section: string): string {
  const out: string[] = [];
  let hunk: { head: RegExpExecArray; lines: string[] } | null = null;
  const close = () => {
    // The text after the last line ending is not a line.
    if (hunk?.lines.at(-1) === "") hunk.lines.pop();
    if (!hunk || hunk.lines.length === 0) return;
    const count = (sign: string) => hunk?.lines.filter((line) => ["", " ", sign].includes(line[0] ?? "")).length;
    const [, old, now, rest] = hunk.head;
    out.push(`@@ -${old},${count("-")} +${now},${count("+")} @@${rest}`, ...hunk.lines);
  };
  for (const line of section.split("\n")) {
    const head = HUNK_HEAD.exec(line);
    if (head) {
      close();
      hunk = { head, lines: [] };
    } else if (!hunk && !isHunkHead(line)) {
      out.push(line);
    } else if (/^([ +\-\\]|$)/.test(line)) {
      hunk?.lines.push(line);
    }
  }
  close();
  return `${out.join("\n")}\n`;
}

function fileOf(patch: StructuredPatch, section: string, torn: boolean): DiffFile {
  const heads = section.split("\n").filter((line) => HUNK_HEAD.test(line));
  const hunks = patch.hunks.map((hunk, index) => {
    const [, head = "", rest = ""] = /^(@@ .*? @@)(.*)$/s.exec(heads[index] ?? "") ?? [];
    return { head, section: rest.trim(), lines: linesOf(hunk.lines, hunk.oldStart, hunk.newStart) };
  });
  const [from, to] = namesOf(patch, section);
  const moved = from !== to && from !== null && to !== null;
  const modes: [string, string] | null =
    patch.oldMode && patch.newMode && patch.oldMode !== patch.newMode ? [patch.oldMode, patch.newMode] : null;
  const binary = patch.isBinary === true || /^GIT binary patch$/m.test(section);
  return {
    path: to ?? from ?? "?",
    oldPath: moved ? from : null,
    change: changeOf(patch, from, to),
    binary,
    modes,
    torn,
    ...counted(hunks),
    hunks,
    digest: digest(section),
  };
}

function changeOf(patch: StructuredPatch, from: string | null, to: string | null): Change {
  if (patch.isCreate || from === null) return "added";
  if (patch.isDelete || to === null) return "removed";
  if (patch.isCopy) return "copied";
  return patch.isRename || from !== to ? "renamed" : "changed";
}

/** The old and new name, without git's `a/` and `b/` (or `i/` and `w/`, if it is so configured); `null` for no file. */
function namesOf(patch: StructuredPatch, section: string): [string | null, string | null] {
  const [from, to] = [patch.oldFileName, patch.newFileName];
  if (from && to && from !== to && /^[ciwo]\//.test(from) && /^[ciwo]\//.test(to) && from.slice(1) === to.slice(1))
    return [from.slice(2), to.slice(2)];
  const prefixed = /^diff --git "?a\//.test(section) || /^--- "?a\//.test(section);
  const name = (given: string | undefined, prefix: string) => {
    if (given === undefined || given === "/dev/null") return null;
    return prefixed && given.startsWith(prefix) ? given.slice(prefix.length) : given;
  };
  return [name(patch.oldFileName, "a/"), name(patch.newFileName, "b/")];
}

function counted(hunks: Hunk[]): Pick<DiffFile, "added" | "removed" | "mixedEnds"> {
  let [added, removed, crlf, lf] = [0, 0, 0, 0];
  for (const { lines } of hunks)
    for (const { kind, text } of lines) {
      if (kind === "added") added += 1;
      if (kind === "removed") removed += 1;
      if (text.endsWith("\r")) crlf += 1;
      else lf += 1;
    }
  return { added, removed, mixedEnds: crlf > 0 && lf > 0 };
}

function linesOf(raw: string[], oldStart: number, newStart: number): DiffLine[] {
  const lines: DiffLine[] = [];
  let [old, now] = [oldStart, newStart];
  for (const line of raw) {
    const sign = line[0];
    if (sign === "\\") {
      const last = lines.at(-1);
      if (last) last.unended = true;
      continue;
    }
    const kind = sign === "+" ? "added" : sign === "-" ? "removed" : "same";
    lines.push({
      kind,
      text: line.slice(1),
      old: kind === "added" ? null : old++,
      new: kind === "removed" ? null : now++,
      unended: false,
      at: lines.length,
      twin: null,
    });
  }
  for (const [removed, added] of runs(lines))
    for (let n = 0; n < Math.min(removed.length, added.length); n += 1) {
      const [one, other] = [removed[n], added[n]];
      if (one && other) [one.twin, other.twin] = [other, one];
    }
  return lines;
}

/** Runs of removed lines, each with the added lines right after it. */
export function runs(lines: DiffLine[]): [DiffLine[], DiffLine[]][] {
  const found: [DiffLine[], DiffLine[]][] = [];
  let before: DiffLine["kind"] = "same";
  for (const line of lines) {
    if (line.kind !== "same" && (before === "same" || (before === "added" && line.kind === "removed")))
      found.push([[], []]);
    if (line.kind !== "same") found.at(-1)?.[line.kind === "removed" ? 0 : 1].push(line);
    before = line.kind;
  }
  return found;
}

/** For unsupported text (the diff of a merge, garbled text): its lines by their signs, without numbers. */
function asItStands(section: string): DiffFile {
  const all = section.split("\n");
  const start = all.findIndex(isHunkHead);
  const body = (start < 0 ? all : all.slice(start)).filter((line, index, of) => line !== "" || index < of.length - 1);
  const lines = body.map((text, at): DiffLine => {
    const kind = text.startsWith("+") ? "added" : text.startsWith("-") ? "removed" : "same";
    return { kind, text, old: null, new: null, unended: false, at, twin: null };
  });
  const hunks = [{ head: "", section: "", lines }];
  const path = (all[0] ?? "").replace(FILE_HEAD, "").replace(/^(?:a\/(.*) b\/\1)$/, "$1");
  return {
    path: path || "?",
    oldPath: null,
    change: "changed",
    binary: false,
    modes: null,
    torn: !OF_A_MERGE.test(section),
    ...counted(hunks),
    hunks,
    digest: digest(section),
  };
}

/** FNV-1a of the text: enough to notice that a diff changed, nothing more. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}
