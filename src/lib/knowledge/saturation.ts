import { area, curveStepAfter, line } from "d3-shape";
import type { SaturationPoint } from "@/ipc";

/** Width of the drawing; its height is 100. */
const WIDTH = 1000;

/** The drawing of one level: the line along it, and the area below. Both are paths, empty without a point. */
export type Level = { line: string; area: string };

/**
 * The levels of all active and of the protected learnings, from the first point to `now`; `top` is the percentage at the upper edge.
 * Saturation stays as it is until the next change, so each point begins a step.
 */
export function levels(points: readonly SaturationPoint[], now: number, top: number): { active: Level; held: Level } {
  const start = Date.parse(points[0]?.at ?? "");
  const end = Math.max(now, Date.parse(points.at(-1)?.at ?? ""), start + 1);
  const x = (at: number) => ((at - start) / (end - start)) * WIDTH;
  const drawn = (pct: (point: SaturationPoint) => number): Level => {
    const places = points.map((point): [number, number] => [x(Date.parse(point.at)), 100 - (pct(point) / top) * 100]);
    const last = places.at(-1);
    if (!last) return { line: "", area: "" };
    places.push([WIDTH, last[1]]);
    const along = line().digits(1).curve(curveStepAfter);
    const below = area().digits(1).curve(curveStepAfter).y0(100);
    return { line: along(places) ?? "", area: below(places) ?? "" };
  };
  return {
    active: drawn(({ saturation_pct }) => saturation_pct),
    held: drawn((p) => (p.learnings_count === 0 ? 0 : (p.saturation_pct * p.protected_count) / p.learnings_count)),
  };
}
