/** Days in the backend's format (`2026-11-23`), for calendars and charts. */
import type { WorkDay } from "@/ipc";

const DAY = 86_400_000;

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

/** `Nov 23`. */
export function dayWord(day: string): string {
  return DAY_WORD.format(Date.parse(`${day}T00:00:00Z`));
}
