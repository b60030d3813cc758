/** What the sample project's days, its search and its surroundings say. */
import type { EvalInsights, LabelledPair, LearningEffect, QuestionRows, WorkOverTime } from "@/ipc";
import type { Handlers } from "@/ipc/fake-transport";
import { daysBefore } from "@/lib/days";
import { before } from "./builders";

const today = before(0).slice(0, 10);

const SAMPLE_DAYS: WorkOverTime = {
  today,
  days: [24, 21, 20, 13, 12, 9, 6, 5, 2, 1, 0].map((back, at) => ({
    day: daysBefore(today, back),
    done: 3 + ((at * 7) % 11),
    failed: (at * 5) % 4,
    cost_usd: 0.8 + ((at * 13) % 7) * 0.35,
    estimated_usd: at === 9 ? 0.4 : 0,
  })),
  features: [
    { feature: "payments", done: 31, failed: 9, cost_usd: 9.9, estimated_usd: 2.6 },
    { feature: "sync", done: 18, failed: 11, cost_usd: 5.4, estimated_usd: 0 },
    { feature: "auth", done: 12, failed: 3, cost_usd: 1.8, estimated_usd: 0 },
  ],
};

const NO_RETRIEVAL = { queries: 0, judged: 0, mrr_5: null, hit_10: null, selection_rank: null };

const EMPTY_EVALUATION: EvalInsights = {
  mode: "shadow",
  terms_count: false,
  gates: [
    {
      name: "cycles",
      required: "2 cycles of 100 queries and 14 days each",
      measured: "0 of 2",
      open: false,
    },
  ],
  channels: {},
  learned_terms: [],
  noise_rate: null,
  cycles: [],
  retrieval: NO_RETRIEVAL,
  weeks: [],
  trials: [],
  arms: {
    learned: NO_RETRIEVAL,
    plain: NO_RETRIEVAL,
    mrr_delta: null,
    interval: null,
    weeks_not_worse: 0,
    queries_needed: 30,
    answer: "wait",
  },
  agreement: { pairs: 0, pairs_required: 50, agreement: null, kappa: null, counts: false },
  provisional: [],
  recorded: { queries: 0, results: 0, selections: 0, labels: 0, comparisons: 0, dropped: 0 },
};

export const SAMPLE_EFFECTS: LearningEffect[] = [
  {
    learning: "L1",
    text: "Refund windows follow the provider's clock",
    shown: 22,
    succeeded: 17,
    failed: 5,
    failed_as_warned: 1,
    avoided: 8,
    withheld: { trials: 6, successes: 3 },
    effect: { kind: "not_enough", have: 6, need: 20 },
    harmful: false,
  },
];

/** As the product answers, but in the existing order. */
export const firstEffects = (effects: readonly LearningEffect[], limit: number) => ({
  rows: effects.slice(0, limit),
  total: effects.length,
});

const SAMPLE_EVALUATION: EvalInsights = {
  ...EMPTY_EVALUATION,
  gates: [
    {
      name: "cycles",
      required: "3 evaluation cycles of 100 questions and 14 days",
      measured: "1 cycle, and 64 questions of the second",
      open: false,
    },
    {
      name: "noise",
      required: "at most 10 % of learned terms bring what nobody chooses",
      measured: "4 % of 24",
      open: true,
    },
  ],
  channels: {
    lexical: { found: 812, exclusive: 120, exclusive_rate: 0.12, selected: 90, mrr_5_without: 0.41 },
    vector: { found: 640, exclusive: 210, exclusive_rate: 0.21, selected: 71, mrr_5_without: 0.38 },
  },
  learned_terms: [
    {
      learning: "L1",
      term: "chargeback",
      learnt: before(60 * 30),
      by: "person",
      query: "Q1",
      rank: 4,
      strength: 0.8,
      added: 6,
      confirmed: 3,
      noise: false,
    },
    {
      learning: "L2",
      term: "sandbox",
      learnt: before(60 * 90),
      by: "agent:12@R1",
      query: "Q2",
      rank: 7,
      strength: 0.4,
      added: 5,
      confirmed: 0,
      noise: true,
    },
  ],
  trials: [
    {
      other: "chunk_bonus=0.3",
      queries: 164,
      judged: 88,
      questions: 88,
      overlap: 0.94,
      tau: 0.91,
      moved: 0.4,
      live_mrr: 0.52,
      mrr_delta: -0.012,
      interval: { low: -0.03, high: 0.004 },
      weeks_not_worse: 1,
      queries_needed: 0,
      answer: "wait",
    },
    {
      other: "learned",
      queries: 41,
      judged: 18,
      questions: 18,
      overlap: 0.81,
      tau: 0.7,
      moved: 1.6,
      live_mrr: 0.44,
      mrr_delta: 0.11,
      interval: { low: 0.02, high: 0.2 },
      weeks_not_worse: 2,
      queries_needed: 12,
      answer: "wait",
    },
  ],
  provisional: ["chunk_bonus 0", "learned 0.7", "path 0.1", "dependency 0.4"],
  cycles: [
    {
      number: 1,
      queries: 100,
      queries_required: 100,
      days: 15.2,
      days_required: 14,
      complete: true,
      from: before(60 * 24 * 30),
      to: before(60 * 24 * 14),
    },
  ],
  retrieval: { queries: 164, judged: 88, mrr_5: 0.52, hit_10: 0.81, selection_rank: 2.4 },
  weeks: [3, 2, 1].map((week) => ({
    from: `${daysBefore(today, week * 7)}T00:00:00Z`,
    retrieval: {
      queries: 50 + week,
      judged: 25 + week,
      mrr_5: 0.6 - week * 0.05,
      hit_10: 0.9 - week * 0.08,
      selection_rank: 2,
    },
  })),
  recorded: { queries: 164, results: 1640, selections: 90, labels: 12, comparisons: 0, dropped: 0 },
};

const PAIRS: LabelledPair[] = [
  {
    query: "Q1",
    question: "how long may a refund take",
    memory: "L1",
    text: "Refund windows follow the provider's clock, not ours.",
    judge: null,
    person: null,
  },
  {
    query: "Q2",
    question: "tokens that expire",
    memory: "L9",
    text: "The nightly ledger job holds a lock for a minute.",
    judge: null,
    person: null,
  },
  {
    query: "Q3",
    question: "where is the refund table",
    memory: "L1",
    text: "Refund windows follow the provider's clock, not ours.",
    judge: null,
    person: null,
  },
];

const DISAGREEMENT: LabelledPair = {
  query: "Q7",
  question: "why does the webhook come twice",
  memory: "L9",
  text: "The nightly ledger job holds a lock for a minute.",
  judge: true,
  person: false,
};

export const QUESTION_ROWS: QuestionRows = {
  total: 2,
  next: null,
  rows: [
    {
      query: "Q1",
      at: before(90),
      origin: "person",
      text: "how long may a refund take",
      iteration: null,
      arm: "plain",
      results: 12,
      memory: "L1",
      memory_text: "Refund windows follow the provider's clock, not ours.",
      rank: 2,
      channels: ["lexical", "vector"],
      mrr_5: 0.5,
      other_mrr_5: 1,
    },
    {
      query: "Q2",
      at: before(60 * 26),
      origin: "prompt",
      text: "Make the ledger job wait for its lock. It fails at night.",
      iteration: 14,
      arm: "plain",
      results: 9,
      memory: null,
      memory_text: null,
      rank: null,
      channels: [],
      mrr_5: null,
      other_mrr_5: null,
    },
  ],
};

/** Answers about history and surroundings. */
export function historyHandlers(full: boolean): Handlers {
  const labelled = new Set<string>();
  return {
    work_over_time: () => (full ? SAMPLE_DAYS : { today, days: [], features: [] }),
    get_eval_insights: () => (full ? SAMPLE_EVALUATION : EMPTY_EVALUATION),
    learning_effects: (_, limit) => firstEffects(full ? SAMPLE_EFFECTS : [], limit),
    pairs_to_label: (skipped) => ({
      labelled: labelled.size,
      agreement: EMPTY_EVALUATION.agreement,
      next: full ? PAIRS.filter(({ query }) => !labelled.has(query)).slice(0, skipped + 2) : [],
      disagreements: full ? [DISAGREEMENT] : [],
    }),
    label_pair: (query, memory, relevant) => {
      labelled.add(query);
      return { query, memory, relevant, by: "person", at: before(0) };
    },
    unlearn: (learning) => ({ learnings: [learning], terms: 1, validations: 0 }),
    question_rows: () => (full ? QUESTION_ROWS : { total: 0, rows: [], next: null }),
    select_memory: ({ learning, kind }) => ({
      id: "S1",
      learning,
      kind,
      by: "person",
      rank: 1,
      counted: true,
      learnt: [],
      evicted: [],
      not_learnt: null,
      importance: "normal",
      factor: 1,
    }),
    learning_evidence: (learning) => ({
      feedback: { terms: [], validations: [], importance: "normal", promoted: null },
      useful: 0,
      not_useful: 0,
      factor: 1,
      effect: SAMPLE_EFFECTS.find((effect) => effect.learning === learning) ?? null,
    }),
    look_at_folder: () => ({ is_repository: true, has_commits: true }),
    check_agent: (agent) => ({
      name: "agent claude",
      status: "ok",
      detail: agent === "claude" ? "2.1.330, /usr/local/bin/claude" : "part of Ralph",
      hint: null,
    }),
    open_settings_file: () => null,
  };
}
