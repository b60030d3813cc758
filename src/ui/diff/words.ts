/** The difference between a line and the line that replaced it. */
import { diffWordsWithSpace } from "diff";
import type { DiffLine } from "./parse";

/** Start and end offsets in the text of a line. */
export type Mark = readonly [number, number];

/** Nobody compares longer lines, and the time grows with the square of the words. */
const MAX_CHARS = 400;
/** Two lines that share less than this are shown as entirely different. */
const MIN_SHARED = 0.35;

const known = new WeakMap<DiffLine, readonly Mark[]>();
const NONE: readonly Mark[] = [];

/** The parts of a line that the other lacks; none if the two have little in common. */
export function marksOf(line: DiffLine): readonly Mark[] {
  if (!line.twin) return NONE;
  const before = known.get(line);
  if (before) return before;
  const [removed, added] = line.kind === "removed" ? [line, line.twin] : [line.twin, line];
  const [ofRemoved, ofAdded] = compare(removed.text, added.text);
  known.set(removed, ofRemoved);
  known.set(added, ofAdded);
  return line === removed ? ofRemoved : ofAdded;
}

function compare(removed: string, added: string): [readonly Mark[], readonly Mark[]] {
  if (Math.max(removed.length, added.length) > MAX_CHARS) return [NONE, NONE];
  const marks: [Mark[], Mark[]] = [[], []];
  let [old, now, shared] = [0, 0, 0];
  for (const part of diffWordsWithSpace(removed, added)) {
    const { length } = part.value;
    if (!part.added && !part.removed) shared += part.value.trim().length;
    if (part.removed) marks[0].push([old, old + length]);
    if (part.added) marks[1].push([now, now + length]);
    if (!part.added) old += length;
    if (!part.removed) now += length;
  }
  const longer = Math.max(removed.trim().length, added.trim().length);
  return shared < longer * MIN_SHARED ? [NONE, NONE] : marks;
}
