import type { SaturationPoint } from "@/ipc";

/** How full a feature is from a moment on, in percent: by all active learnings, and by the protected ones among them. */
export type Level = { at: number; active: number; held: number };

/** The levels from the first point until `now`: saturation stays as it is until the next change, so the last one is repeated there. */
export function levels(points: readonly SaturationPoint[], now: number): Level[] {
  const found = points.map((point) => ({
    at: Date.parse(point.at),
    active: point.saturation_pct,
    held: point.learnings_count === 0 ? 0 : (point.saturation_pct * point.protected_count) / point.learnings_count,
  }));
  const [first, last] = [found[0], found.at(-1)];
  // A single point is drawn as one level, also when its clock is ahead.
  return first && last ? [...found, { ...last, at: Math.max(now, last.at, first.at + 1) }] : [];
}
