/** What could become documents in the sample project, and what did. */
import type { ConsolidationView, Decision, Entry, Fate, Topic } from "@/ipc";
import { fault, type Handlers } from "@/ipc/fake-transport";
import { before } from "./builders";

const FRESH = 7;

function entry(number: number, age: number | null, text: string, source = "payments"): Entry {
  return {
    key: `C${number}`,
    id: `C${number}`,
    source,
    kind: "feature",
    text,
    created: before(60 * 24 * (age ?? 0)),
    written: null,
    age_active_days: age,
    eligible: age !== null && age >= FRESH,
    reason: age === null ? "its age is not known" : `${age} active days old`,
    protected: false,
  };
}

const ENTRIES: [Entry, Fate][] = [
  [entry(1, 31, "The sandbox provider answers 202 before it has booked anything."), "goes"],
  [entry(2, 19, "Refunds carry the idempotency key of their payment."), "goes"],
  [entry(3, 12, "Amounts are integers of the smallest unit, also in the ledger."), "redundant"],
  [entry(4, 9, "The provider's webhooks arrive in any order."), "contradiction"],
  [entry(5, 3, "Retries are counted by the worker."), "young"],
  [entry(6, 1, "The ledger's export is sorted by booking day."), "newest"],
];

/** The sample with what is only too young left in it. */
export function young(): ConsolidationView {
  const of = sample();
  const entries = of.entries.filter(({ eligible }) => !eligible);
  const decisions = of.decisions.filter(({ key }) => entries.some((entry) => entry.key === key));
  return { ...of, entries, decisions, history: [], report: null };
}

function sample(): ConsolidationView {
  const decision = ([of, fate]: [Entry, Fate]): Decision => ({
    key: of.key,
    id: of.id,
    source: of.source,
    decision: fate,
    reason: fate === "redundant" ? "docs/knowledge/ledger.md says it already" : of.reason,
    other: fate === "redundant" ? "docs/knowledge/ledger.md:12" : null,
    other_text: fate === "redundant" ? "Money is kept in integers." : null,
    score: fate === "redundant" ? 0.93 : null,
  });
  const entries = ENTRIES.map(([of]) => of);
  return {
    entries,
    summary: {
      history: "complete",
      active_days: 64,
      fresh_days: FRESH,
      entries: entries.length,
      eligible: entries.filter(({ eligible }) => eligible).length,
      uncommitted: 0,
      oldest: 31,
      notes: [],
    },
    sources: [
      {
        source: "payments",
        kind: "feature",
        due: true,
        causes: ["size"],
        lines: 182,
        lines_limit: 150,
        active_days_since: 11,
        stale_days: 14,
        last: "2026-03-02",
        entries: entries.length,
        fresh: 4,
        min_entries: 3,
        fresh_days: FRESH,
        needs_person: false,
        why: "182 lines, 150 are too many; 4 entries have stayed true for 7 active days",
      },
    ],
    decisions: ENTRIES.map(decision),
    open: null,
    report: ".ralph/tmp/consolidation-report.md",
    notes: [],
    history: [
      {
        id: "K1",
        act: "A1",
        feature: "payments",
        source: "payments",
        entries: ["X1", "X2", "X3"],
        files: ["docs/knowledge/ledger.md"],
        at: before(60 * 24 * 20),
        day: "2026-03-02",
        undone: null,
      },
    ],
  };
}

export function consolidationHandlers(full: boolean, changed: (...topics: Topic[]) => void): Handlers {
  let view: ConsolidationView = full
    ? sample()
    : { ...sample(), entries: [], sources: [], decisions: [], history: [], report: null };
  const propose = (errand: number) => {
    if (view.open) throw fault("invalid", `errand ${view.open.errand} has a proposal that waits for its review`, "");
    view = { ...view, open: { errand, writing: false } };
    changed("learnings", "worktrees");
    return `e${errand}`;
  };
  return {
    consolidation_view: () => view,
    learnings_to_consolidate: (feature) =>
      view.decisions.filter(({ decision, source, id }) => decision === "goes" && source === feature && id).length,
    consolidate: () => propose(31),
    undo_consolidation: () => propose(32),
  };
}
