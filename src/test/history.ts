/** What the sample project's history says. */
import type { Insights, Prompt } from "@/ipc";
import { toldLearning } from "./builders";

export const EMPTY_INSIGHTS: Insights = {
  attempts: { successes: 0, trials: 0 },
  models: [],
  cost_usd: 0,
  cost_estimated: false,
  estimated_usd: 0,
  done_tasks: 0,
  cost_per_done_task: null,
  repeated_failures: 0,
  failures: 0,
  categories: [],
  returning: [],
  memory_on_success: { kind: "not_enough", have: 0, need: 20 },
  memory_on_cost: { kind: "not_enough", have: 0, need: 20 },
  learnings: [],
};

export const SAMPLE_INSIGHTS: Insights = {
  ...EMPTY_INSIGHTS,
  attempts: { successes: 61, trials: 84 },
  models: [
    {
      model: "haiku",
      difficulty: "easy",
      attempts: 40,
      successes: 33,
      cost_usd: 2.4,
      priced: 40,
      cost_estimated: true,
      success: { low: 0.68, high: 0.913 },
    },
    {
      model: "sonnet",
      difficulty: null,
      attempts: 4,
      successes: 3,
      cost_usd: null,
      priced: 0,
      cost_estimated: false,
      success: { low: 0.301, high: 0.954 },
    },
  ],
  cost_usd: 17.1,
  cost_estimated: true,
  estimated_usd: 2.6,
  done_tasks: 45,
  cost_per_done_task: 0.38,
  repeated_failures: 2,
  failures: 23,
  categories: [
    { category: "test_failure", count: 17 },
    { category: "build_error", count: 6 },
  ],
  returning: [
    { signature: "test_failure: one test still compares wall time", count: 3, tasks: 1 },
    { signature: "build_error: cannot find crate for ledger", count: 2, tasks: 2 },
  ],
  memory_on_success: {
    kind: "measured",
    first: 0.8,
    second: 0.55,
    difference: 0.25,
    interval: { low: 0.034, high: 0.45 },
  },
  memory_on_cost: { kind: "not_enough", have: 7, need: 20 },
  learnings: [
    {
      id: "L001",
      text: "Refund windows are compared in the provider's time zone",
      effect: { kind: "measured", first: 0.8, second: 0.7, difference: 0.1, interval: { low: -0.12, high: 0.31 } },
    },
  ],
};

export const SAMPLE_NEXT_PROMPT: Prompt = {
  text: "## Task #208: Retry refunds that time out\n\n### Previous Attempts\nAttempt 3 mocked the system clock.\n\n## How to report\nEnd with one sigil.\n",
  sections: [
    { name: "task", chars: 1204, origin: "task #208" },
    { name: "attempts", chars: 412, origin: "3 earlier attempts" },
    { name: "report", chars: 980, origin: "Ralph" },
  ],
  told: ["L001", "L002"].map(toldLearning),
  withheld: [],
};
