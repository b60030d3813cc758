import type { NeedsYou, Notice } from "@/ipc";
import { isReview, settlesItself, type ToReview } from "@/lib/needs";

type Of<K extends NeedsYou["kind"]> = Extract<NeedsYou, { kind: K }>;

export type Blocked = Of<"blocked_task">;

/** Open items, grouped by what a person does about them. */
export type Groups = {
  untrusted: boolean;
  /** What git would run as the person who merges. */
  holding: Notice[];
  proposals: Notice[];
  /** Permissions that running agents ask for. */
  questions: Of<"question">[];
  blocked: Blocked[];
  reviews: ToReview[];
  conflicts: Of<"conflicts">[];
  stranded: Of<"stranded_task">[];
  /** Learnings without room that only a person can make. */
  parked: Of<"parked">[];
  /** Events that only need to be seen. */
  events: (Of<"run_stopped"> | Of<"notice">)[];
  /** Items that the loop resolves by itself, and work with which something is being done. */
  settling: (Of<"parked"> | ToReview)[];
};

export function groupsOf(items: NeedsYou[]): Groups {
  const of = <K extends NeedsYou["kind"]>(kind: K) => items.filter((item): item is Of<K> => item.kind === kind);
  const notices = of("notice");
  const parked = of("parked");
  const reviews = items.filter(isReview);
  return {
    untrusted: of("untrusted").length > 0,
    holding: of("holds_merges").map(({ notice }) => notice),
    proposals: notices.map(({ notice }) => notice).filter(({ kind }) => kind === "proposal"),
    questions: of("question"),
    blocked: of("blocked_task"),
    reviews: reviews.filter((item) => item.under_way === null),
    conflicts: of("conflicts"),
    stranded: of("stranded_task"),
    parked: parked.filter((item) => !settlesItself(item)),
    events: [...of("run_stopped"), ...notices.filter(({ notice }) => notice.kind !== "proposal")],
    settling: [...reviews.filter((item) => item.under_way !== null), ...parked.filter(settlesItself)],
  };
}

/** Tasks blocked for exactly the same reason: one answer resolves them all. */
export type Fold = { reason: string; items: Blocked[] };

/** From this number on, tasks with the same reason share a row. */
const FOLD_FROM = 4;

/**
 * Rows of the blocked tasks: those with the same reason share one, at the position of the first. `held` names the reasons whose tasks stay
 * together, or apart, however many they have become.
 */
export function folded(items: readonly Blocked[], held: ReadonlyMap<string, boolean> = new Map()): (Blocked | Fold)[] {
  const byReason = new Map<string, Blocked[]>();
  for (const item of items) byReason.set(item.reason, [...(byReason.get(item.reason) ?? []), item]);
  return [...byReason].flatMap<Blocked | Fold>(([reason, same]) =>
    (held.get(reason) ?? same.length >= FOLD_FROM) ? [{ reason, items: same }] : same,
  );
}
