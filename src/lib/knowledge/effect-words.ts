import type { LearningEffect } from "@/ipc";

const points = (share: number | null) => `${(share ?? 0) < 0 ? "−" : "+"}${Math.round(Math.abs(share ?? 0) * 100)}`;

/** Success with a learning against without, in percentage points with the 95 % interval, or what is missing for that. */
export function effectWords({ effect }: LearningEffect): string {
  if (effect.kind === "not_enough") return `${effect.have} of ${effect.need} to compare`;
  const { difference, interval } = effect;
  return `${points(difference)} (${points(interval.low)} to ${points(interval.high)})`;
}
