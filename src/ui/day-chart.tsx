import type { ReactNode } from "react";
import { dayWord } from "@/lib/days";

/** One day: what its bar is made of, from the bottom up, and what it says in words. */
export type DayBar = { day: string; parts: { value: number; className: string }[]; words: string };

/** Days as bars on one scale, the newest at the right. The numbers stand in the table behind it, and in each bar's tooltip. */
export function DayChart({
  bars,
  label,
  top,
  by = "day",
}: {
  bars: readonly DayBar[];
  label: string;
  top: string;
  by?: "day" | "week";
}) {
  const sum = ({ parts }: DayBar) => parts.reduce((all, { value }) => all + value, 0);
  const most = Math.max(...bars.map(sum), 0);
  const wide = 1000 / Math.max(bars.length, 1);
  return (
    <figure className="num min-w-0">
      <figcaption className="flex justify-between gap-2 text-2xs text-faint">
        <span>{label}</span>
        {most > 0 && <span>at most {top}</span>}
      </figcaption>
      <svg
        role="img"
        aria-label={`${label} by ${by}`}
        viewBox="0 0 1000 100"
        preserveAspectRatio="none"
        className="mt-1 block h-16 w-full border-b border-line"
      >
        {bars.map((bar, at) => (
          <g key={bar.day}>
            <title>{`${dayWord(bar.day)}: ${bar.words}`}</title>
            {/* The whole column answers the pointer. */}
            <rect x={at * wide} y="0" width={wide} height="100" className="fill-transparent" />
            {stacked(bar, most).map(({ from, height, className }) => (
              <rect
                key={className}
                x={at * wide + wide * 0.12}
                y={100 - from - height}
                width={wide * 0.76}
                height={height}
                className={className}
              />
            ))}
          </g>
        ))}
      </svg>
      <p aria-hidden="true" className="mt-1 flex justify-between text-2xs text-faint">
        <span>{bars[0] && dayWord(bars[0].day)}</span>
        <span>{by === "day" ? "today" : "this week"}</span>
      </p>
    </figure>
  );
}

function stacked({ parts }: DayBar, most: number) {
  let from = 0;
  return parts.flatMap(({ value, className }) => {
    if (value <= 0 || most <= 0) return [];
    const part = { from, height: (value / most) * 100, className };
    from += part.height;
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
