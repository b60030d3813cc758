import { CRITICAL_PCT, type SaturationPoint } from "@/ipc";
import { cn } from "@/lib/cn";
import { moment } from "@/lib/format";
import { levels } from "@/lib/knowledge/saturation";

/** A feature's saturation over time: a step for each change, solid for protected learnings. A line marks where a split begins. */
export function SaturationChart({
  points,
  now,
  label,
  className,
}: {
  points: readonly SaturationPoint[];
  now: number;
  label: string;
  className?: string;
}) {
  const first = points[0];
  const last = points.at(-1);
  if (!first || !last) return null;
  const top = Math.max(100, ...points.map(({ saturation_pct }) => saturation_pct));
  const { active, held } = levels(points, now, top);
  const line = 100 - (CRITICAL_PCT / top) * 100;
  return (
    <figure className={cn("num", className)}>
      <svg
        role="img"
        aria-label={`${label}: from ${first.saturation_pct} % on ${moment(first.at)} to ${last.saturation_pct} % now`}
        viewBox="0 0 1000 100"
        preserveAspectRatio="none"
        className="block h-full min-h-8 w-full overflow-visible border-b border-line text-accent"
      >
        <path d={active.area} className="fill-current opacity-15" />
        <path d={held.area} className="fill-current opacity-25" />
        <path
          d={active.line}
          className="fill-none stroke-current"
          strokeWidth="1.5"
          vectorEffect="non-scaling-stroke"
        />
        <line
          x1="0"
          x2="1000"
          y1={line}
          y2={line}
          className="stroke-bad"
          strokeDasharray="3 4"
          vectorEffect="non-scaling-stroke"
        />
      </svg>
      <figcaption className="mt-1 flex justify-between text-2xs text-faint">
        <time dateTime={first.at}>{moment(first.at)}</time>
        <span className="text-bad">split at {CRITICAL_PCT} %</span>
        <span>now</span>
      </figcaption>
    </figure>
  );
}
