/** The URL parameters that select recorded questions: the filter of the backend as it is. */
import type { QuestionFilter } from "@/ipc";
import { flag, oneOf, said, text } from "@/lib/search";

const CHANNELS = [
  "lexical",
  "trigram",
  "trigger",
  "path",
  "vector",
  "neighbours",
  "learned",
  "tokens",
  "story",
] as const;
const ARMS = ["plain", "learned"] as const;

export function questionSearch(s: Record<string, unknown>) {
  const cycle = Number(s.cycle);
  return said({
    channel: oneOf(s.channel, CHANNELS),
    alone: flag(s.alone),
    chosen: flag(s.chosen),
    judged: flag(s.judged),
    week: text(s.week),
    cycle: Number.isInteger(cycle) && cycle > 0 ? cycle : undefined,
    alternative: text(s.alternative),
    arm: oneOf(s.arm, ARMS),
    learning: text(s.learning),
    term: text(s.term),
  });
}

export type QuestionSearch = ReturnType<typeof questionSearch>;

export function questionFilterOf(search: QuestionSearch): QuestionFilter {
  return {
    channel: null,
    week: null,
    cycle: null,
    alternative: null,
    arm: null,
    learning: null,
    term: null,
    ...search,
    alone: search.alone ?? false,
    chosen: search.chosen ?? false,
    judged: search.judged ?? false,
  };
}
