/** What the sample project's search, index and review answer. */
import type {
  AutomaticAct,
  FeatureLearning,
  GateReport,
  IndexState,
  LearningQuality,
  PairVerdict,
  Piece,
  RecallQuery,
  RecallResponse,
  ReviewQueue,
  Topic,
} from "@/ipc";
import { fault, type Handlers } from "@/ipc/fake-transport";
import { before, learning } from "./builders";

export const INDEX: IndexState = {
  model: "all-MiniLM-L6-v2",
  fault: null,
  dimension: 384,
  passages: 1204,
  embedded: 1204,
  vector_mib: 1.76,
  model_mib: 0.8,
};

/** An answer to a question by its words alone, with the shape of a real one. */
export function recalled(learnings: FeatureLearning[], request: RecallQuery): RecallResponse {
  const words = request.query.toLowerCase().split(/\s+/).filter(Boolean);
  const share = (l: FeatureLearning) =>
    words.filter((word) => l.text.toLowerCase().includes(word)).length / words.length;
  const found = learnings
    .filter(
      (l) =>
        (request.all_states || l.state === "active") && (request.feature === null || l.feature === request.feature),
    )
    .map((l) => ({ l, hit: share(l) }))
    .filter(({ hit }) => hit > 0)
    .sort((a, b) => b.hit - a.hit)
    .slice(0, request.limit);
  const hits = found.map(({ l, hit }, at) => {
    const lexical = 0.31 * hit * 0.97 ** at;
    const vector = 0.52 * hit * 0.94 ** at;
    const trigram = at % 3 === 2 ? 0 : 0.14 * hit * 0.9 ** at;
    const neighbours = at % 4 === 1 ? 0.06 : 0;
    const factors = [
      ...(l.source === "human" || l.hit_count >= 3 ? [{ name: "evidence" as const, factor: 1.1 }] : []),
      { name: "recency" as const, factor: 1 + 0.3 * 0.9 ** at },
    ];
    const fused = lexical + vector + trigram;
    return {
      kind: "learning" as const,
      id: l.id,
      file: null,
      line: null,
      heading: null,
      task: null,
      feature: l.feature,
      text: l.text,
      state: l.state,
      conflicts_with: l.conflicts_with,
      created: l.created,
      score: {
        total: factors.reduce((score, { factor }) => score * factor, fused + neighbours),
        channels: [
          { channel: "lexical" as const, rank: at + 1, raw: 7.42 * hit * 0.97 ** at, contribution: lexical },
          ...(trigram > 0
            ? [{ channel: "trigram" as const, rank: at + 1, raw: 4.1 * 0.9 ** at, contribution: trigram }]
            : []),
          { channel: "vector" as const, rank: at + 1, raw: 0.74 * 0.98 ** at, contribution: vector },
        ],
        fused,
        neighbours,
        chunks: 1,
        chunk_bonus: 0,
        factors,
        likeness: 1.2 * hit,
      },
    };
  });
  return {
    query: "01JD0000000000000000000000",
    origin: request.origin ?? "person",
    hits,
    confidence: 0.98,
    nothing_known: false,
    missing: [],
    weights: [
      { channel: "vector", weight: 0.52, confidence: 1.08 },
      { channel: "lexical", weight: 0.31, confidence: 0.62 },
      { channel: "trigram", weight: 0.14, confidence: 0.4 },
      { channel: "trigger", weight: 0.03, confidence: 0.9 },
    ],
    searched: INDEX.passages,
  };
}

/** A text in pieces, with the words between `*` marked. */
export function pieces(text: string): Piece[] {
  return text
    .split("*")
    .map((part, at) => ({ text: part, differs: at % 2 === 1 }))
    .filter((piece) => piece.text !== "");
}

export function gateReport(part: Partial<GateReport> = {}): GateReport {
  return {
    passed: false,
    density: 0.22,
    threshold: 0.4,
    faults: [],
    parts: [
      { part: "specifics", score: 0.4, weight: 0.3 },
      { part: "identifiers", score: 0, weight: 0.2 },
      { part: "cause", score: 0, weight: 0.2 },
      { part: "action", score: 0.5, weight: 0.15 },
      { part: "length", score: 0.3, weight: 0.1 },
      { part: "tags", score: 0, weight: 0.05 },
    ],
    ...part,
  };
}

const verdict = (id: string, report: GateReport) => ({
  learning: id,
  at: before(90),
  report,
  refused: false,
  kept: null,
});

function act(of: PairVerdict, known: string, newer: string, similarity: number, text?: string): AutomaticAct {
  const made = text ? learning(`M${similarity}`, "payments", text, { created: before(180), source: "auto" }) : null;
  const plain = (text: string) => text.replaceAll("*", "");
  const other = learning(`K${similarity}`, "payments", plain(known), {
    hit_count: 2,
    created: before(60 * 24 * 9),
    state: made ? "superseded" : "active",
  });
  const one = learning(`N${similarity}`, "payments", plain(newer), {
    state: "superseded",
    superseded_by: made?.id ?? other.id,
    created: before(200),
  });
  return {
    reconciliation: {
      learning: one.id,
      model: INDEX.model,
      other: other.id,
      made: made?.id ?? null,
      counted: of === "observed" ? [{ replica: null, iteration: 101 }] : [],
      at: before(180),
      verdict: of,
      cosine: similarity - 0.05,
      similarity,
      hits: [],
    },
    learning: one,
    other,
    made,
    learning_text: pieces(newer),
    other_text: pieces(known),
  };
}

export function reviewQueue(learnings: FeatureLearning[], full: boolean): ReviewQueue {
  const parked = learnings.filter(({ state }) => state === "parked");
  const gate = {
    mode: "warn" as const,
    since: full ? before(60 * 24 * 6) : null,
    enforces_from: full ? before(-60 * 24 * 8) : null,
    enforcing: false,
    flagged: full ? { successes: 12, trials: 140 } : { successes: 0, trials: 0 },
    false_rejections: full ? { successes: 1, trials: 6 } : { successes: 0, trials: 0 },
  };
  const more = { warnings: 0, acts: 0, said_again: 0, doubts: 0 };
  if (!full) return { pairs: [], parked, warnings: [], doubts: [], acts: [], said_again: [], more, gate };

  return {
    pairs: [
      {
        older: learning("C1", "sync", "Retry an upload 3 times with exponential backoff", {
          source: "human",
          created: before(60 * 24 * 12),
        }),
        newer: learning("C2", "sync", "Retry an upload 5 times with exponential backoff", {
          created: before(14),
          task_id: 230,
        }),
        older_text: pieces("Retry an upload *3* times with exponential backoff"),
        newer_text: pieces("Retry an upload *5* times with exponential backoff"),
        verdict: "conflict",
        similarity: 0.96,
        hits: [{ kind: "number", older: "3", newer: "5" }],
      },
    ],
    parked,
    warnings: [
      {
        learning: learning("W1", "auth", "Be careful with sessions.", { created: before(90), task_id: 220 }),
        verdict: verdict("W1", gateReport()),
      },
      {
        learning: learning("W2", "payments", "All tests pass and the work is complete.", { created: before(300) }),
        verdict: verdict("W2", gateReport({ density: 0.12, faults: ["boilerplate", "transient"] })),
      },
    ],
    doubts: [
      {
        learning: learning("D1", "payments", "The header for a key is `Idempotency`", { created: before(60 * 24 * 9) }),
        finding: { learning: "D1", verdict: "wrong", reason: "src/http.rs sends `Idempotency-Key`" },
        errand: 4,
      },
    ],
    said_again: [
      {
        learning: learning("S1", "payments", "Refunds never need a second try", {
          state: "retired",
          created: before(60 * 24 * 20),
        }),
        put_away: { by: "human", at: before(60 * 24 * 12), asks_again: true },
        iterations: 3,
      },
    ],
    acts: [
      act(
        "observed",
        "Amounts are integers in minor units everywhere *but* in the CSV import",
        "*All* amounts are integers in minor units, *except* in the CSV import",
        0.94,
      ),
      act(
        "merged",
        "Run the ledger tests with *`--features ledger`*, or failures stay hidden",
        "Ledger tests need *the feature switched on*, or failures stay hidden",
        0.89,
        "Run the ledger tests with `--features ledger`: without the feature failures stay hidden",
      ),
    ],
    more,
    gate,
  };
}

/** The verdicts on a few of the sample's learnings. */
function qualities(learnings: FeatureLearning[]): LearningQuality[] {
  return learnings.map(({ id }, at) => ({
    learning: id,
    gate:
      at % 7 === 1
        ? null
        : verdict(id, at % 7 === 3 ? gateReport({ density: 0.31 }) : gateReport({ passed: true, density: 0.72 })),
    reconciliation:
      at % 7 === 0
        ? null
        : {
            learning: id,
            model: INDEX.model,
            other: at % 7 === 4 ? (learnings[0]?.id ?? null) : null,
            made: null,
            counted: [],
            at: before(100),
            verdict: at % 7 === 4 ? "related" : "distinct",
            cosine: 0.7,
            similarity: at % 7 === 4 ? 0.81 : 0.34,
            hits: [],
          },
  }));
}

/** The learnings of a world that these answers are about. */
type Known = { learnings: FeatureLearning[] };

export function knowledgeHandlers(world: Known, full: boolean, changed: (...topics: Topic[]) => void): Handlers {
  const queue = reviewQueue([], full);
  /** Takes a decided row off the queue. */
  const drop = (keep: Partial<ReviewQueue>) => {
    Object.assign(queue, keep);
    changed("learnings");
  };
  return {
    recall: (request) => recalled(world.learnings, request),
    index_state: () => (full ? INDEX : { ...INDEX, passages: 0, embedded: 0, vector_mib: 0, model_mib: 0 }),
    review_queue: () => ({ ...queue, parked: world.learnings.filter(({ state }) => state === "parked") }),
    learning_qualities: (feature) =>
      qualities(world.learnings.filter((l) => feature === null || l.feature === feature)),
    resolve_conflict: (_older, newer) => {
      drop({ pairs: queue.pairs.filter((pair) => pair.newer.id !== newer) });
      return null;
    },
    reopen_conflict: () => {
      drop({ pairs: reviewQueue([], full).pairs });
      return null;
    },
    decide_gate: (id) => {
      const found = [...queue.warnings, ...queue.said_again].find((one) => one.learning.id === id);
      if (!found) throw fault("not_found", `There is no learning '${id}'.`);
      drop({
        warnings: queue.warnings.filter((one) => one !== found),
        said_again: queue.said_again.filter((one) => one !== found),
      });
      return found.learning;
    },
    reopen_warning: (id) => {
      const found = reviewQueue([], full).warnings.find((warning) => warning.learning.id === id);
      if (!found) throw fault("not_found", `There is no decided warning '${id}'.`);
      drop({ warnings: [found, ...queue.warnings] });
      return found.learning;
    },
    undo_reconciliation: (id) => {
      drop({ acts: queue.acts.filter(({ reconciliation }) => reconciliation.learning !== id) });
      return null;
    },
  };
}
