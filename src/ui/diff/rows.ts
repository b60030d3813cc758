/** Flattens a diff into the rows of a virtual list. */
import type { DiffFile, DiffLine, Hunk } from "./parse";

export type Layout = "inline" | "split";

/** A remark on a line of the new file (of the old one if the file was deleted), or on the file. */
export type LineRemark = {
  key: string;
  file: string;
  line: number | null;
  text: string;
  author: string;
  /** Not sent yet: it can still be edited. */
  draft: boolean;
};

/** The target of a remark. */
export type LinePlace = {
  file: string;
  line: number;
  /** The text of the line. */
  words: string;
  /** Whether the line was removed: then the number is that of the line after it. */
  removed: boolean;
};

/** The target of the remark that is being written; `lost`: the line is not found any more. */
export type WrittenPlace = LinePlace & { lost?: boolean };

export type Row =
  | { kind: "file"; key: string; file: DiffFile }
  | { kind: "hunk"; key: string; file: DiffFile; hunk: Hunk }
  | { kind: "line"; key: string; file: DiffFile; hunk: Hunk; line: DiffLine }
  | { kind: "pair"; key: string; file: DiffFile; hunk: Hunk; left: DiffLine | null; right: DiffLine | null }
  | { kind: "said"; key: string; file: DiffFile; text: string; loads: boolean }
  | { kind: "remark"; key: string; file: DiffFile; remark: LineRemark }
  | { kind: "writing"; key: string; file: DiffFile; place: WrittenPlace };

export type Shown = {
  rows: Row[];
  /** The first row of each file, by path. */
  files: Map<string, number>;
  /** The first row of each run of changed lines. */
  changes: number[];
};

export type Choice = {
  layout: Layout;
  collapsed: ReadonlySet<string>;
  remarks: readonly LineRemark[];
  writing: WrittenPlace | null;
  /** Whether missing files can be requested. */
  loads: boolean;
};

export function rowsOf(files: readonly DiffFile[], choice: Choice): Shown {
  const shown: Shown = { rows: [], files: new Map(), changes: [] };
  for (const file of files) {
    shown.files.set(file.path, shown.rows.length);
    shown.rows.push({ kind: "file", key: file.path, file });
    if (!choice.collapsed.has(file.path)) addFile(shown, file, choice);
  }
  return shown;
}

function addFile(shown: Shown, file: DiffFile, choice: Choice): void {
  const { rows } = shown;
  const words = wordsOf(file);
  if (words) rows.push({ kind: "said", key: `${file.path}|said`, file, text: words, loads: false });
  if (file.hunks.length === 0 && !words) {
    rows.push({ kind: "said", key: `${file.path}|load`, file, text: "Not read yet", loads: choice.loads });
  }
  const remarks = choice.remarks.filter((remark) => remark.file === file.path);
  const writing = choice.writing?.file === file.path ? choice.writing : null;
  const placed = new Set<string>();
  const addPlaced = (line: DiffLine | null) => {
    const number = line && numberOf(file, line);
    if (number === null) return;
    for (const remark of remarks)
      if (remark.line === number && !placed.has(remark.key)) {
        placed.add(remark.key);
        rows.push({ kind: "remark", key: `remark ${remark.key}`, file, remark });
      }
    if (writing?.line === number && !placed.has("writing")) {
      placed.add("writing");
      rows.push({ kind: "writing", key: "writing", file, place: writing });
    }
  };
  file.hunks.forEach((hunk, index) => {
    const key = `${file.path}|${index}`;
    if (hunk.head !== "") rows.push({ kind: "hunk", key, file, hunk });
    if (choice.layout === "inline") addLines(shown, file, hunk, key, addPlaced);
    else addPairs(shown, file, hunk, key, addPlaced);
  });
  // Remarks on a line that this diff does not show are placed below the file's header, and so is one that is being written.
  const elsewhere = remarks
    .filter(({ key }) => !placed.has(key))
    .map((remark): Row => ({ kind: "remark", key: `remark ${remark.key}`, file, remark }));
  if (writing && !placed.has("writing")) elsewhere.push({ kind: "writing", key: "writing", file, place: writing });
  const at = (shown.files.get(file.path) ?? 0) + 1;
  rows.splice(at, 0, ...elsewhere);
  if (elsewhere.length > 0) shown.changes = shown.changes.map((row) => (row >= at ? row + elsewhere.length : row));
}

/** The line number for display: that of the new file, or of the old one if the file was deleted. */
function numberOf(file: DiffFile, line: DiffLine): number | null {
  return file.change === "removed" ? line.old : line.new;
}

/** The target of a remark on a line: for a removed line, the line after it, or the last one. */
export function placeOf(file: DiffFile, hunk: Hunk, line: DiffLine): LinePlace | null {
  const own = numberOf(file, line);
  if (own !== null) return { file: file.path, line: own, words: line.text, removed: false };
  const after = hunk.lines.slice(line.at).find((other) => other.new !== null)?.new;
  const before = hunk.lines.slice(0, line.at).findLast((other) => other.new !== null)?.new;
  const near = after ?? before;
  if (line.kind !== "removed" || near == null) return null;
  return { file: file.path, line: near, words: line.text, removed: true };
}

/**
 * The current place of the line that a remark was begun on: the work may have changed since. Lines that were added or removed above it
 * change its number; `null` means that it is gone. Not `sure` if it was not found: then the remark has to say which line it means.
 */
export function placeNow(files: readonly DiffFile[], place: LinePlace): { line: number | null; sure: boolean } {
  const file = files.find(({ path }) => path === place.file);
  if (!file) return { line: null, sure: false };
  const isRead = file.hunks.length > 0 || file.digest !== "";
  if (!isRead) return { line: place.line, sure: true };
  const alike = file.hunks.flatMap((hunk) =>
    hunk.lines
      .filter(({ text }) => text === place.words)
      .flatMap((line) => placeOf(file, hunk, line) ?? [])
      .filter(({ removed }) => removed === place.removed),
  );
  const nearest = alike.sort((a, b) => Math.abs(a.line - place.line) - Math.abs(b.line - place.line))[0];
  // One empty line is like any other.
  if (nearest && (nearest.line === place.line || place.words.trim() !== "")) return { line: nearest.line, sure: true };
  const isShown = file.hunks.some(({ lines }) => lines.some((line) => numberOf(file, line) === place.line));
  return { line: isShown ? null : place.line, sure: false };
}

function addLines(shown: Shown, file: DiffFile, hunk: Hunk, key: string, after: (line: DiffLine) => void): void {
  let before: DiffLine["kind"] = "same";
  for (const line of hunk.lines) {
    if (line.kind !== "same" && before === "same") shown.changes.push(shown.rows.length);
    before = line.kind;
    shown.rows.push({ kind: "line", key: `${key}|${line.at}`, file, hunk, line });
    after(line);
  }
}

function addPairs(shown: Shown, file: DiffFile, hunk: Hunk, key: string, after: (line: DiffLine | null) => void): void {
  const add = (left: DiffLine | null, right: DiffLine | null) => {
    shown.rows.push({ kind: "pair", key: `${key}|${left?.at ?? "-"}|${right?.at ?? "-"}`, file, hunk, left, right });
    after(file.change === "removed" ? left : right);
  };
  let run: [DiffLine[], DiffLine[]] = [[], []];
  const flush = () => {
    const [removed, added] = run;
    const length = Math.max(removed.length, added.length);
    if (length > 0) shown.changes.push(shown.rows.length);
    for (let n = 0; n < length; n += 1) add(removed[n] ?? null, added[n] ?? null);
    run = [[], []];
  };
  for (const line of hunk.lines) {
    if (line.kind === "same") {
      flush();
      add(line, line);
    } else {
      run[line.kind === "removed" ? 0 : 1].push(line);
    }
  }
  flush();
}

/** A note on a file, shown instead of its lines or before them. */
function wordsOf(file: DiffFile): string {
  const said: string[] = [];
  if (file.binary) said.push("Binary file: its content is not shown");
  if (file.modes) said.push(`Mode changed from ${file.modes[0]} to ${file.modes[1]}`);
  if (file.torn) said.push("The text of this difference breaks off or does not add up; what there is of it is shown");
  if (file.hunks.length === 0 && said.length === 0 && file.digest !== "") {
    if (file.change === "renamed") said.push("Renamed without a change");
    else if (file.change === "copied") said.push("Copied without a change");
    else if (file.change === "added") said.push("An empty file");
    else if (file.change === "removed") said.push("It was empty");
    else said.push("No line changed");
  }
  return said.join(". ");
}
