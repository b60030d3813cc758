/** The URL parameters that select iterations, and the corresponding filter for the backend. */
import type { IterationFilter } from "@/ipc";
import { flag, oneOf, said, text } from "@/lib/search";
import { DIFFICULTIES, ERROR_CATEGORIES, STRATEGIES } from "@/lib/words";

export const RESULTS = ["done", "failed"] as const;
export const MEMORY_SIDES = ["told", "withheld"] as const;
const EFFECT_FIGURES = ["shown", "succeeded", "failed", "failed_as_warned", "avoided", "withheld", "compared"] as const;
export const DIFFICULTIES_OR_NONE = [...DIFFICULTIES, "unknown" as const];

/** A time of the wire, such as `2026-11-23T03:12:00Z`. */
const time = (given: unknown) => {
  const said = text(given);
  return said !== undefined && !Number.isNaN(Date.parse(said)) ? said : undefined;
};

export function iterationSearch(s: Record<string, unknown>) {
  return said({
    model: text(s.model),
    difficulty: oneOf(s.difficulty, DIFFICULTIES_OR_NONE),
    category: oneOf(s.category, ERROR_CATEGORIES),
    strategy: oneOf(s.strategy, STRATEGIES),
    memory: oneOf(s.memory, MEMORY_SIDES),
    result: oneOf(s.result, RESULTS),
    task_done: flag(s.task_done),
    signature: text(s.signature),
    learning: text(s.learning),
    effect: oneOf(s.effect, EFFECT_FIGURES),
    feature: text(s.feature),
    day: text(s.day),
    since: time(s.since),
    undone: flag(s.undone),
    repeated: flag(s.repeated),
    attempts: flag(s.attempts),
    estimated: flag(s.estimated),
    recent: flag(s.recent),
  });
}

export type IterationSearch = ReturnType<typeof iterationSearch>;

export function filterOf({ difficulty, result, ...rest }: IterationSearch): IterationFilter {
  return {
    ...rest,
    difficulty: difficulty === "unknown" ? null : difficulty,
    difficulty_unknown: difficulty === "unknown",
    done: result && result === "done",
  };
}
