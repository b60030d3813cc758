/** Days in the backend's format (`2026-11-23`), for calendars and charts. */
import type { WorkDay } from "@/ipc";

const DAY = 86_400_000;
const WEEK = 7 * DAY;

const DAY_WORD = new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric", timeZone: "UTC" });

/** Totals of a day without iterations. */
const NOTHING = { done: 0, failed: 0, cost_usd: 0, estimated_usd: 0 };

/** The date a number of days before another. */
export function daysBefore(day: string, back: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - back * DAY).toISOString().slice(0, 10);
}

/** Every day of the last `many` up to today, oldest first; including those without work, so that a gap is visible. */
export function lastDays(days: readonly WorkDay[], today: string, many: number): WorkDay[] {
  const known = new Map(days.map((day) => [day.day, day]));
  return Array.from({ length: many }, (_, at) => {
    const day = daysBefore(today, many - 1 - at);
    return known.get(day) ?? { day, ...NOTHING };
  });
}

/** Every week from the first one up to the present, of at most `many`, oldest first; those of which nothing is known are `null`. */
export function everyWeek<T extends { from: string }>(weeks: readonly T[], now: number, many: number) {
  const known = new Map(weeks.map((week) => [Date.parse(week.from), week]));
  // Weeks of the backend are counted since the epoch.
  const last = Math.floor(now / WEEK) * WEEK;
  const length = Math.round((last - Math.min(last, ...known.keys())) / WEEK) + 1;
  return Array.from({ length: Math.min(length, many) }, (_, back) => last - back * WEEK)
    .reverse()
    .map((from) => ({ from: new Date(from).toISOString().slice(0, 10), week: known.get(from) ?? null }));
}

/** `Nov 23`. */
export function dayWord(day: string): string {
  return DAY_WORD.format(Date.parse(`${day}T00:00:00Z`));
}
