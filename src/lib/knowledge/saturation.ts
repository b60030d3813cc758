import type { SaturationPoint } from "@/ipc";

/** Width of the drawing; its height is 100. */
const WIDTH = 1000;

/**
 * The outlines of all active and of the protected learnings, as paths from the first point to `now`; `top` is the percentage at the
 * upper edge. Saturation stays as it is until the next change, so each point begins a level.
 */
export function steps(points: readonly SaturationPoint[], now: number, top: number): { active: string; held: string } {
  const start = Date.parse(points[0]?.at ?? "");
  const end = Math.max(now, Date.parse(points.at(-1)?.at ?? ""), start + 1);
  const x = (at: string) => round(((Date.parse(at) - start) / (end - start)) * WIDTH);
  const path = (level: (point: SaturationPoint) => number) => {
    const y = (point: SaturationPoint) => round(100 - (level(point) / top) * 100);
    const [first, ...later] = points;
    if (!first) return "";
    return [`M 0 ${y(first)}`, ...later.map((point) => `H ${x(point.at)} V ${y(point)}`), `H ${WIDTH}`].join(" ");
  };
  return {
    active: path(({ saturation_pct }) => saturation_pct),
    held: path((p) => (p.learnings_count === 0 ? 0 : (p.saturation_pct * p.protected_count) / p.learnings_count)),
  };
}

const round = (value: number) => Math.round(value * 10) / 10;
