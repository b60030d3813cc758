import { AxisBottom, AxisLeft } from "@visx/axis";
import { GridRows } from "@visx/grid";
import { useParentSize } from "@visx/responsive";
import { scaleBand, scaleLinear } from "@visx/scale";
import { Bar } from "@visx/shape";
import type { ReactNode } from "react";
import { dayWord } from "@/lib/days";

/** One day: what its bar is made of, from the bottom up, and what it says in words. */
export type DayBar = { day: string; parts: { value: number; className: string }[]; words: string };

const HEIGHT = 104;
/** Room for the values at the left and the days below. */
const MARGIN = { top: 8, right: 2, bottom: 20, left: 44 };
/** Until the room is measured. */
const WIDTH = 480;
/** Values and days that are named. */
const VALUES = 3;
const DAYS = 5;
const LABEL = { fill: "var(--c-faint)", fontFamily: "inherit", fontSize: 10 } as const;

/** Days as bars on one scale, the newest at the right. The numbers stand in the table behind it, and in each bar's tooltip. */
export function DayChart({
  bars,
  label,
  format,
  by = "day",
}: {
  bars: readonly DayBar[];
  label: string;
  /** How a value is written at the scale. */
  format: (value: number) => string;
  by?: "day" | "week";
}) {
  const { parentRef, width } = useParentSize({
    initialSize: { width: WIDTH },
    ignoreDimensions: ["height", "top", "left"],
  });
  const values = bars.flatMap(({ parts }) => parts.map(({ value }) => value));
  const most = Math.max(0, ...bars.map(({ parts }) => parts.reduce((all, { value }) => all + value, 0)));
  const x = scaleBand({
    domain: bars.map(({ day }) => day),
    range: [MARGIN.left, width - MARGIN.right],
    padding: 0.24,
  });
  const y = scaleLinear({ domain: [0, most || 1], range: [HEIGHT - MARGIN.bottom, MARGIN.top], nice: VALUES });
  // There is no half attempt.
  const whole = values.every(Number.isInteger);
  const named = y.ticks(VALUES).filter((value) => !whole || Number.isInteger(value));
  const newest = bars.at(-1)?.day;
  return (
    <figure className="num min-w-0">
      <figcaption className="text-2xs text-faint">{label}</figcaption>
      <div ref={parentRef} className="mt-1 min-w-0 overflow-hidden">
        <svg role="img" aria-label={`${label} by ${by}`} width={width} height={HEIGHT} className="block">
          <GridRows
            scale={y}
            tickValues={named}
            left={MARGIN.left}
            width={width - MARGIN.left - MARGIN.right}
            stroke="var(--c-line)"
          />
          {bars.map((bar) => (
            <g key={bar.day}>
              <title>{`${dayWord(bar.day)}: ${bar.words}`}</title>
              {/* The whole column answers the pointer. */}
              <Bar
                x={x(bar.day)}
                y={MARGIN.top}
                width={x.bandwidth()}
                height={HEIGHT - MARGIN.top - MARGIN.bottom}
                fill="transparent"
              />
              {stacked(bar).map(({ from, to, className }) => (
                <Bar
                  key={className}
                  x={x(bar.day)}
                  y={y(to)}
                  width={x.bandwidth()}
                  height={Math.max(0, y(from) - y(to))}
                  className={className}
                />
              ))}
            </g>
          ))}
          <AxisLeft
            scale={y}
            left={MARGIN.left}
            tickValues={named}
            tickFormat={(value) => format(Number(value))}
            hideAxisLine
            hideTicks
            tickLabelProps={{ ...LABEL, dx: -2, dy: 3, textAnchor: "end" }}
          />
          <AxisBottom
            scale={x}
            top={HEIGHT - MARGIN.bottom}
            tickValues={spread(bars)}
            tickFormat={(day) => (day === newest ? (by === "day" ? "today" : "this week") : dayWord(day))}
            stroke="var(--c-line-strong)"
            hideTicks
            tickLabelProps={(day) => ({
              ...LABEL,
              dy: -4,
              textAnchor: day === newest ? "end" : "middle",
              dx: day === newest ? x.bandwidth() / 2 : 0,
            })}
          />
        </svg>
      </div>
    </figure>
  );
}

/** Every so many days backwards from the newest. */
function spread(bars: readonly DayBar[]): string[] {
  const step = Math.max(1, Math.ceil(bars.length / DAYS));
  return bars.map(({ day }) => day).filter((_, at) => (bars.length - 1 - at) % step === 0);
}

function stacked({ parts }: DayBar) {
  let from = 0;
  return parts.flatMap(({ value, className }) => {
    if (value <= 0) return [];
    const part = { from, to: from + value, className };
    from = part.to;
    return [part];
  });
}

/** The numbers behind a chart; `head` and each row's cells after the first stand at the right. */
export function NumbersTable({
  label,
  head,
  rows,
  open = false,
  wide = false,
}: {
  label: string;
  head: ReactNode[];
  rows: { key: string; cells: ReactNode[] }[];
  open?: boolean;
  /** Many columns, which take the room that there is. */
  wide?: boolean;
}) {
  return (
    <details className="mt-2 text-xs" open={open}>
      <summary className="w-fit cursor-pointer text-dim hover:text-text">{label}</summary>
      <div className="overflow-x-auto">
        <table aria-label={label} className={`num mt-1.5 w-full ${wide ? "" : "max-w-xl"}`}>
          <thead>
            <tr className="text-faint">
              {head.map((word, at) => (
                <th key={columnKey(word, at)} className={cell(at, "font-normal")}>
                  {word}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, cells }) => (
              <tr key={key} className="border-t border-line">
                {cells.map((content, at) => (
                  <td key={columnKey(head[at], at)} className={cell(at, "")}>
                    {content}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

const columnKey = (word: ReactNode, at: number) => (typeof word === "string" ? word : String(at));

const cell = (at: number, more: string) => `py-1 ${at === 0 ? "pr-4 text-left" : "pl-4 text-right"} ${more}`;
