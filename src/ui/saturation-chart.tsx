import { curveStepAfter } from "@visx/curve";
import { useParentSize } from "@visx/responsive";
import { scaleLinear } from "@visx/scale";
import { AreaClosed, Line, LinePath } from "@visx/shape";
import { CRITICAL_PCT, type SaturationPoint } from "@/ipc";
import { cn } from "@/lib/cn";
import { moment } from "@/lib/format";
import { type Level, levels } from "@/lib/saturation";

/** Until the room is measured. */
const WIDTH = 480;

/** How full a feature was over time: a step at each change, solid where knowledge was protected. The line is where a split begins. */
export function SaturationChart({
  points,
  now,
  label,
  height,
  className,
}: {
  points: readonly SaturationPoint[];
  now: number;
  label: string;
  /** Pixels. */
  height: number;
  className?: string;
}) {
  const { parentRef, width } = useParentSize({
    initialSize: { width: WIDTH },
    ignoreDimensions: ["height", "top", "left"],
  });
  const first = points[0];
  const last = points.at(-1);
  if (!first || !last) return null;
  const drawn = levels(points, now);
  const x = scaleLinear({ domain: [drawn[0]?.at ?? 0, drawn.at(-1)?.at ?? 1], range: [0, width] });
  const y = scaleLinear({ domain: [0, Math.max(100, ...drawn.map(({ active }) => active))], range: [height - 1, 1] });
  const at = (level: Level) => x(level.at);
  const active = (level: Level) => y(level.active);
  const line = y(CRITICAL_PCT);
  return (
    <figure className={cn("num", className)}>
      <div ref={parentRef} className="min-w-0 overflow-hidden border-b border-line text-accent">
        <svg
          role="img"
          aria-label={`${label}: from ${first.saturation_pct} % on ${moment(first.at)} to ${last.saturation_pct} % now`}
          width={width}
          height={height}
          className="block"
        >
          <AreaClosed
            data={drawn}
            x={at}
            y={active}
            yScale={y}
            curve={curveStepAfter}
            className="fill-current opacity-15"
          />
          <AreaClosed
            data={drawn}
            x={at}
            y={(level) => y(level.held)}
            yScale={y}
            curve={curveStepAfter}
            className="fill-current opacity-25"
          />
          <LinePath data={drawn} x={at} y={active} curve={curveStepAfter} stroke="currentColor" strokeWidth={1.5} />
          <Line from={{ x: 0, y: line }} to={{ x: width, y: line }} stroke="var(--c-bad)" strokeDasharray="3 4" />
        </svg>
      </div>
      <figcaption className="mt-1 flex justify-between text-2xs text-faint">
        <time dateTime={first.at}>{moment(first.at)}</time>
        <span className="text-bad">split at {CRITICAL_PCT} %</span>
        <span>now</span>
      </figcaption>
    </figure>
  );
}
