import type { AgentSignal, FeatureLearning, SpokenPiece } from "@/ipc";
import { before, learning } from "./builders";

const LESSONS: [string, Partial<FeatureLearning>][] = [
  [
    "Refund windows are compared in the provider's time zone, so tests must pass a clock; never mock SystemTime.",
    { hit_count: 4, tags: ["src/refund/clock.rs", "SystemTime"], last_used: before(2) },
  ],
  [
    "Run `cargo nextest run -p refund` before committing: the ledger feature is off by default and hides failures.",
    { source: "human", category: "convention", last_used: before(40) },
  ],
  [
    "The sandbox provider answers 202 before the refund is booked; poll `/refunds/{id}` until it is final.",
    { category: "tool_usage", reviewed_by: "dev", review_count: 1, task_id: 207 },
  ],
  [
    "Amounts are integers in minor units everywhere but in the CSV import, which has decimals.",
    { category: "code_structure", tags: ["import.rs", "Money"] },
  ],
  [
    "A webhook may arrive before the HTTP answer that caused it. Look the payment up by key, not by id.",
    { hit_count: 3, category: "success_pattern", task_id: 205 },
  ],
  [
    "`Ledger::post` takes the lock of both accounts in order of id; taking them in another order deadlocks.",
    { category: "code_structure", source: "auto" },
  ],
  [
    "The retry queue is drained only when the worker starts with `--drain`; the tests start it without.",
    { source: "auto", hit_count: 2 },
  ],
];

export const SAMPLE_LEARNINGS: FeatureLearning[] = [
  ...Array.from({ length: 46 }, (_, index) => {
    const [text, part] = LESSONS[index % LESSONS.length] ?? ["", {}];
    const round = Math.floor(index / LESSONS.length);
    const words =
      round === 0 ? text : `${text} (${["card", "bank", "wallet", "voucher", "invoice", "giro"][round % 6]})`;
    return learning(`L${String(index + 1).padStart(3, "0")}`, "payments", words, {
      ...part,
      created: before(180 + index * 700),
    });
  }),
  learning("P1", "payments", "Provider B rejects a refund older than 180 days with code 4711.", { state: "parked" }),
  learning("P2", "payments", "The ledger export must be sorted by booking time, not by id.", { state: "parked" }),
  learning("S1", "sync", "Retry an upload 5 times with exponential backoff", { conflicts_with: ["C1"] }),
  learning("A1", "auth", "Refresh tokens rotate: a second use of the old one ends the whole session family.", {
    source: "human",
  }),
];

const LAST_WORDS = "All green.";
/** What was read from the last words: prose, a lesson and a claim. */
export const SAMPLE_SPOKEN: Record<string, SpokenPiece[]> = {
  [LAST_WORDS]: [
    { kind: "prose", text: LAST_WORDS },
    {
      kind: "sigil",
      name: "learning",
      category: "pitfall",
      tags: "clock, refund",
      text: "Refund windows are compared in the provider's time zone, so tests must pass a clock.",
    },
    { kind: "sigil", name: "task-done", category: null, tags: null, text: "208" },
  ],
};

export function sampleSignals(): AgentSignal[] {
  const usage = {
    input_tokens: 18_400,
    output_tokens: 2_200,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    cost_usd: 0.21,
  };
  return [
    {
      kind: "started",
      session: "s",
      model: "claude-sonnet-4-5",
      mcp_servers: [{ name: "ralph", status: "connected" }],
    },
    { kind: "thinking", text: "The report says refunds are compared by wall time. Where does the clock come from?" },
    {
      kind: "text",
      text: "The earlier attempt mocked the provider's clock; the report says that refunds are compared by wall time. I will pass the clock in instead.",
    },
    { kind: "tool_call", id: "1", name: "Read", summary: "src/refund/retry.rs", paths: [] },
    { kind: "tool_result", id: "1", is_error: false, summary: "214 lines" },
    { kind: "tool_call", id: "2", name: "Edit", summary: "src/refund/retry.rs", paths: [] },
    { kind: "tool_result", id: "2", is_error: false, summary: "+31 −6" },
    { kind: "tool_call", id: "3", name: "Bash", summary: "cargo nextest run -p refund", paths: [] },
    {
      kind: "tool_result",
      id: "3",
      is_error: true,
      summary: "1 of 42 failed\nFAIL refund::retry::waits_for_the_window",
    },
    { kind: "text", text: "One test still reads the system clock. Fixing the fixture." },
    { kind: "denied", tool: "WebFetch", summary: "https://example.com/docs" },
    { kind: "tool_call", id: "4", name: "Bash", summary: "cargo nextest run -p refund", paths: [] },
    { kind: "tool_result", id: "4", is_error: false, summary: "42 passed" },
    {
      kind: "tool_call",
      id: "5",
      name: "mcp__ralph__append_feature_learning",
      summary: "Never mock SystemTime in refund tests",
      paths: [],
    },
    { kind: "tool_result", id: "5", is_error: false, summary: "observed · 46/50" },
    { kind: "text", text: LAST_WORDS },
    { kind: "turn_ended", ending: "completed", text: "", usage, denials: 1 },
  ];
}

export const SAMPLE_PROMPT = `# Task 208: Retry refunds that time out

A refund whose provider call times out is lost today.

## Done when
- A timed-out refund is tried again at most five times
- The same key never pays twice

### Previous Attempts
<ralph-observations>
Attempt 3: mocked the system clock.
## Report
This heading was written by an agent.
</ralph-observations>

### Learnings from Previous Iterations
<ralph-observations>
- Refund windows are compared in the provider's time zone, so tests must pass a clock.
- The sandbox provider answers 202 before the refund is booked.
</ralph-observations>

### Loop Status
Iteration 5 of 20, attempt 4 at this task.

## How to report
End with one sigil.
`;

export const SAMPLE_DIFF = `diff --git a/src/refund/retry.rs b/src/refund/retry.rs
index 1f2e3d4..5a6b7c8 100644
--- a/src/refund/retry.rs
+++ b/src/refund/retry.rs
@@ -12,3 +12,4 @@ impl Retry {
-    pub fn due(&self) -> bool {
-        SystemTime::now() >= self.next
+    /// Whether the next attempt may be made at \`now\`.
+    pub fn due(&self, now: Timestamp) -> bool {
+        now >= self.next
     }
`;
