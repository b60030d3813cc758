import { max, nice, ticks } from "d3-array";
import { stack } from "d3-shape";
import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { dayWord } from "@/lib/days";
import { useFew } from "@/ui/few";

/** One day: the parts of its bar from the bottom up, and its tooltip. */
type DayBar = { day: string; parts: { value: number; className: string }[]; words: string };

const HEIGHT = 104;
/** Margins for the days below, whose last label is wider than its bar; the values on the left take what they need. */
const MARGIN = { top: 8, right: 20, bottom: 20 };
/** Room for the values at least, so that charts side by side begin alike; and for each letter of a longer one, at ten pixels. */
const LEFT = 44;
const LETTER = 6;
const PLOT = HEIGHT - MARGIN.top - MARGIN.bottom;
/** The width until it is measured. */
const WIDTH = 480;
/** The share of a day's width that its bar takes. */
const FILLED = 0.76;
/** Maximum number of labels on each axis. */
const VALUES = 3;
const DAYS = 5;

/** Days as bars on one scale, the newest on the right. The numbers are in the table behind it, and in each bar's tooltip. */
export function DayChart({
  bars,
  label,
  format,
  by = "day",
}: {
  bars: readonly DayBar[];
  label: string;
  /** Formats a value of the scale. */
  format: (value: number) => string;
  by?: "day" | "week";
}) {
  const { room, width } = useWidth();
  const values = bars.flatMap(({ parts }) => parts.map(({ value }) => value));
  const layers = stacked(bars);
  const most = max(layers.flat(), ([, to]) => to);
  const [, top] = nice(0, most || 1, VALUES);
  const y = (value: number) => MARGIN.top + PLOT * (1 - value / top);
  // Counts have no fractions.
  const whole = values.every(Number.isInteger);
  const named = ticks(0, top, VALUES).filter((value) => !whole || Number.isInteger(value));
  const left = Math.max(LEFT, 12 + LETTER * Math.max(0, ...named.map((value) => format(value).length)));
  const step = (width - left - MARGIN.right) / Math.max(1, bars.length);
  const x = (at: number) => left + step * (at + (1 - FILLED) / 2);
  const every = Math.max(1, Math.ceil(bars.length / DAYS));
  return (
    <figure className="num min-w-0">
      <figcaption className="text-2xs text-faint">{label}</figcaption>
      <div ref={room} className="mt-1 min-w-0 overflow-hidden">
        <svg role="img" aria-label={`${label} by ${by}`} width={width} height={HEIGHT} className="block text-[10px]">
          {named.map((value) => (
            <g key={value}>
              <line
                x1={left}
                x2={width - MARGIN.right}
                y1={y(value)}
                y2={y(value)}
                className={value === 0 ? "stroke-line-strong" : "stroke-line"}
              />
              <text x={left - 8} y={y(value)} dy="0.32em" textAnchor="end" className="fill-faint">
                {format(value)}
              </text>
            </g>
          ))}
          {bars.map((bar, at) => (
            <g key={bar.day}>
              <title>{`${dayWord(bar.day)}: ${bar.words}`}</title>
              {/* The whole column shows the tooltip. */}
              <rect x={x(at)} y={MARGIN.top} width={step * FILLED} height={PLOT} className="fill-transparent" />
              {bar.parts.map(({ value, className }, part) => {
                const [from, to] = layers[part]?.[at] ?? [0, 0];
                if (value <= 0) return null;
                return (
                  <rect
                    key={className}
                    x={x(at)}
                    y={y(to)}
                    width={step * FILLED}
                    height={y(from) - y(to)}
                    className={className}
                  />
                );
              })}
            </g>
          ))}
          {bars.map(({ day }, at) => {
            const newest = at === bars.length - 1;
            if ((bars.length - 1 - at) % every !== 0) return null;
            return (
              <text key={day} x={x(at) + (step * FILLED) / 2} y={HEIGHT - 5} textAnchor="middle" className="fill-faint">
                {newest ? (by === "day" ? "today" : "this week") : dayWord(day)}
              </text>
            );
          })}
        </svg>
      </div>
    </figure>
  );
}

/** The width of an element in pixels, so that text and lines are not distorted. */
function useWidth() {
  const room = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(WIDTH);
  useLayoutEffect(() => {
    const element = room.current;
    if (!element) return;
    const measure = () => setWidth(element.clientWidth || WIDTH);
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  return { room, width };
}

/** Where each part of each bar begins and ends: a row for each part, the lowest first. Nothing is drawn below 0. */
function stacked(bars: readonly DayBar[]) {
  const parts = Math.max(0, ...bars.map((bar) => bar.parts.length));
  const value = (bar: DayBar, part: number) => Math.max(0, bar.parts[part]?.value ?? 0);
  return stack<DayBar, number>()
    .keys(Array.from({ length: parts }, (_, part) => part))
    .value(value)(bars);
}

/**
 * The numbers behind a chart; `head` and each row's cells after the first are right-aligned. Rows are created when they are drawn: in an
 * open table, and some at a time.
 */
export function NumbersTable<T>({
  label,
  head,
  rows,
  row,
  open: opened = false,
  wide = false,
  total,
  onMore,
}: {
  label: string;
  head: ReactNode[];
  rows: readonly T[];
  /** How many rows there are, if not all of them are here yet. */
  total?: number;
  /** Called with the number of rows to be shown next. */
  onMore?: (shown: number) => void;
  row: (of: T) => { key: string; cells: ReactNode[] };
  open?: boolean;
  /** For many columns: takes the whole width. */
  wide?: boolean;
}) {
  const [open, setOpen] = useState(opened);
  const [shown, more] = useFew(rows, { total, onMore });
  return (
    <details className="mt-2 text-xs" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
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
            {(open ? shown.map(row) : []).map(({ key, cells }) => (
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
      {more}
    </details>
  );
}

const columnKey = (word: ReactNode, at: number) => (typeof word === "string" ? word : String(at));

const cell = (at: number, more: string) => `py-1 ${at === 0 ? "pr-4 text-left" : "pl-4 text-right"} ${more}`;
