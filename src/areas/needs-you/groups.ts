import type { NeedsYou, Notice } from "@/ipc";

type Of<K extends NeedsYou["kind"]> = Extract<NeedsYou, { kind: K }>;

export type Blocked = Of<"blocked_task">;

/** What waits, by what a person does about it. */
export type Groups = {
  untrusted: boolean;
  proposals: Notice[];
  blocked: Blocked[];
  reviews: Of<"in_review">[];
  conflicts: Of<"conflicts">[];
  stranded: Of<"stranded_task">[];
  /** Learnings without room, where only a person can make some. */
  parked: Of<"parked">[];
  /** What happened and is only to be seen. */
  events: (Of<"run_stopped"> | Of<"notice">)[];
  /** What the loop settles by itself. */
  settling: Of<"parked">[];
};

export function groupsOf(items: NeedsYou[]): Groups {
  const of = <K extends NeedsYou["kind"]>(kind: K) => items.filter((item): item is Of<K> => item.kind === kind);
  const notices = of("notice");
  const parked = of("parked");
  return {
    untrusted: of("untrusted").length > 0,
    proposals: notices.map(({ notice }) => notice).filter(({ kind }) => kind === "proposal"),
    blocked: of("blocked_task"),
    reviews: of("in_review"),
    conflicts: of("conflicts"),
    stranded: of("stranded_task"),
    parked: parked.filter(({ split_task }) => split_task === null),
    events: [...of("run_stopped"), ...notices.filter(({ notice }) => notice.kind !== "proposal")],
    settling: parked.filter(({ split_task }) => split_task !== null),
  };
}

/** Blocked tasks for one and the same reason: answered once, they are answered all. */
export type Fold = { reason: string; items: Blocked[] };

/** So many with one reason stand behind one row. */
const FOLD_FROM = 4;

/** Rows of the blocked tasks: those that share their reason as one, where the first of them would stand. */
export function folded(items: readonly Blocked[]): (Blocked | Fold)[] {
  const byReason = new Map<string, Blocked[]>();
  for (const item of items) byReason.set(item.reason, [...(byReason.get(item.reason) ?? []), item]);
  return [...byReason].flatMap<Blocked | Fold>(([reason, same]) =>
    same.length < FOLD_FROM ? same : [{ reason, items: same }],
  );
}
