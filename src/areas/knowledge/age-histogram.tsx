import { nice, ticks } from "d3-array";
import type { Entry } from "@/ipc";
import { count } from "@/lib/format";

/** Maximum number of bars. */
const BARS = 24;
/** Maximum number of values on the scale. */
const VALUES = 3;

/** The number of entries by age; a line marks the age from which an entry has proved itself. */
export function AgeHistogram({ entries, freshDays }: { entries: readonly Entry[]; freshDays: number }) {
  const ages = entries.flatMap(({ age_active_days }) => (age_active_days === null ? [] : [age_active_days]));
  const unknown = entries.length - ages.length;
  const { bars, width } = barsOf(ages, freshDays);
  const [, top] = nice(0, Math.max(1, ...bars.map(({ n }) => n)), VALUES);
  const values = ticks(0, top, VALUES).filter((value) => Number.isInteger(value) && value > 0);
  const scale = endOf(bars, width);
  // Each number is at the left edge of the bar that begins with it.
  const line = freshDays / width;
  return (
    <figure className="num relative pl-8">
      <div aria-hidden="true" className="absolute inset-x-0 top-0 h-28 text-2xs text-faint">
        {values.map((value) => (
          <span
            key={value}
            className="absolute inset-x-0 flex items-center"
            style={{ bottom: `${(100 * value) / top}%` }}
          >
            <span className="absolute w-6 text-right">{value}</span>
            <span className="ml-8 flex-1 border-t border-line" />
          </span>
        ))}
      </div>
      <ol aria-label="Entries by age" className="relative flex h-28 items-end gap-px border-b border-line-strong">
        {bars.map(({ from, n }) => {
          const proved = from >= freshDays;
          const to = from === bars.at(-1)?.from ? "and more" : width === 1 ? "" : `to ${from + width - 1}`;
          const days = `${from} ${to} days`.replace("  ", " ");
          return (
            <li
              key={from}
              title={`${days}: ${n}`}
              aria-label={`${days}: ${count(n, "entry", "entries")}`}
              className={`flex h-full min-w-1.5 flex-1 items-end ${from === freshDays ? "border-l border-dashed border-accent" : ""}`}
            >
              <span
                className={`w-full rounded-t-sm ${proved ? "bg-accent" : "bg-line-strong"}`}
                style={{ height: `${(100 * n) / top}%` }}
              />
            </li>
          );
        })}
      </ol>
      <p aria-hidden="true" className="relative mt-1 flex justify-between text-xs text-dim">
        <span>0</span>
        {line > 0 && (
          <span className="absolute -translate-x-1/2" style={{ left: `${(100 * line) / bars.length}%` }}>
            {freshDays}
          </span>
        )}
        {line < bars.length - 1 && <span>{scale}</span>}
      </p>
      <figcaption className="text-center text-xs text-dim">
        {count(ages.filter((age) => age >= freshDays).length, "entry", "entries")} {freshDays} or more days old
        {unknown > 0 && `, ${unknown} of unknown age`}
      </figcaption>
    </figure>
  );
}

/** The greatest age below the last bar; the last of as many bars as there may be includes everything older. */
export function endOf(bars: readonly { from: number }[], width: number): string {
  const from = bars.at(-1)?.from ?? 0;
  return bars.length === BARS ? `${from}+` : `${from + width - 1}`;
}

/** Bars of equal width, one of which starts at the line; the last one includes everything older. */
export function barsOf(
  ages: readonly number[],
  freshDays: number,
): { bars: { from: number; n: number }[]; width: number } {
  const oldest = Math.max(freshDays, ...ages);
  let width = 1;
  // The line must be between two bars, so it has to be a multiple of their width.
  while (width < freshDays && (freshDays % width !== 0 || oldest >= width * BARS)) width += 1;
  const length = Math.min(Math.floor(oldest / width) + 1, BARS);
  const bars = Array.from({ length }, (_, index) => ({ from: index * width, n: 0 }));
  for (const age of ages) {
    const bar = bars[Math.min(Math.floor(age / width), length - 1)];
    if (bar) bar.n += 1;
  }
  return { bars, width };
}
