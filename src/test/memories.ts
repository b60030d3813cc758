/** Facts and episodes of the sample world. */
import type { AuditClass, AuditFinding, AuditReport, EpisodeRow, FactRow, LearningStatus } from "@/ipc";
import type { Handlers } from "@/ipc/fake-transport";
import { before } from "./builders";

const own = { source: "human" as const, state: "active" as const, outside: false, outside_replica: null };

const finding = (memories: AuditFinding["memories"]): AuditFinding => ({
  count: memories.length,
  share: memories.length / 20,
  memories,
  places: [],
  washed: false,
});

function sampleAudit(): AuditReport {
  const memory = { kind: "learning" as const, feature: "billing", protected: false };
  const why = "it says the same as learning L1";
  const classes: AuditReport["classes"] = {
    duplicate: finding([
      { ...memory, id: "D1", text: "Run make seed before the tests", why },
      { ...memory, id: "D2", text: "Run make seed first", why, protected: true },
    ]),
    boilerplate: finding([{ ...memory, id: "B1", text: "All tests pass", why: "it says what every session says" }]),
  };
  const days = [
    { day: "2026-03-01", memories: 18, junk: 1, classes: { duplicate: 1 } },
    { day: "2026-03-02", memories: 20, junk: 3, classes: { duplicate: 2, boilerplate: 1 } },
  ];
  return { memories: 20, junk: 3, classes, days, undoable: null };
}

const SAMPLE_STATUS: LearningStatus = {
  enabled: true,
  mode: "moderate",
  extractor: "rules",
  operations: 1_204,
  dropped: 0,
  detections: 31,
  detected: { mended_failure: 9, repeated_failure: 3, task_completion: 19 },
  episodes_created: 8,
  known: 3,
  refused: { needs_model: 19, nothing_differed: 1 },
  waiting: 0,
  queue: 0,
  extracted: 0,
  fallback: 0,
  extractor_calls: 0,
  extractor_failed: 0,
  extractor_ms: 0,
  extractor_usd: 0,
  facts_created: 42,
  modes: {
    aggressive: { detections: 22, by_rules: 18 },
    moderate: { detections: 8, by_rules: 4 },
    minimal: { detections: 0, by_rules: 0 },
  },
  days: [
    {
      day: "2026-03-02",
      operations: 120,
      dropped: 0,
      detections: 4,
      detected: {},
      episodes_created: 2,
      known: 1,
      refused: { needs_model: 1 },
      extracted: 0,
      fallback: 0,
      extractor_calls: 0,
      extractor_failed: 0,
      extractor_ms: 0,
      extractor_usd: 0,
    },
  ],
};

export function memoryHandlers(full: boolean): Handlers {
  const audit: AuditReport = full ? sampleAudit() : { memories: 0, junk: 0, classes: {}, days: [], undoable: null };
  const away: AuditReport["classes"] = {};
  let facts: FactRow[] = full
    ? [
        {
          ...own,
          id: "F1",
          kind: "test_command",
          subject: "test command",
          value: "make test",
          confidence: 1,
          file: "Makefile",
          line: 3,
          created: before(60),
        },
      ]
    : [];
  let episodes: EpisodeRow[] = full
    ? [
        {
          ...own,
          id: "E1",
          feature: "billing",
          source: "auto",
          lesson: "'Refund by key' was done, and the check passed. Changed: src/refund.rs",
          lesson_type: "success",
          confidence: 0.9,
          task_id: 7,
          iteration: 40,
          files: ["src/refund.rs"],
          created: before(30),
        },
      ]
    : [];
  const stands = (id: string, active: boolean) => {
    const state = active ? ("active" as const) : ("withdrawn" as const);
    const withdrawn = active ? null : { at: before(0), because: "person" as const, detail: "" };
    facts = facts.map((fact) => (fact.id === id ? { ...fact, state, withdrawn } : fact));
    episodes = episodes.map((episode) => (episode.id === id ? { ...episode, state, withdrawn } : episode));
    return null;
  };
  return {
    list_facts: () => facts,
    list_episodes: () => episodes,
    state_fact: ({ subject, value, feature, file, line }) => {
      const made = {
        ...own,
        id: `F${facts.length + 1}`,
        kind: "note",
        subject,
        value,
        confidence: 1,
        created: before(0),
      };
      const fact: FactRow = { ...made, feature, file, line };
      facts = [...facts, fact];
      return { verdict: "added" as const, id: fact.id, fact, replaced: [] };
    },
    operations_behind: (id) =>
      id === "E1"
        ? [
            {
              tool: "Bash",
              arguments: "cargo test refund",
              error: "1 test failed",
              exit_code: 101,
              at: before(31),
              duration_ms: 900,
            },
            {
              tool: "Bash",
              arguments: "cargo test refund",
              error: null,
              exit_code: 0,
              at: before(30),
              duration_ms: 800,
            },
          ]
        : [],
    learning_status: () => (full ? SAMPLE_STATUS : { ...SAMPLE_STATUS, enabled: false, days: [] }),
    audit_report: () => structuredClone(audit),
    retire_class: (of) => {
      const memories = audit.classes[of]?.memories ?? [];
      away[of] = audit.classes[of];
      audit.classes[of] = finding(memories.filter((memory) => memory.protected));
      audit.undoable = { act: `act-${of}`, class: of };
      const ids = (kept: boolean) => memories.filter((memory) => memory.protected === kept).map(({ id }) => id);
      return { act: `act-${of}`, class: of, retired: ids(false), kept: ids(true) };
    },
    undo_audit: (act) => {
      const of = act.replace("act-", "") as AuditClass;
      audit.classes[of] = away[of];
      audit.undoable = null;
      return { class: of, returned: (away[of]?.memories ?? []).map(({ id }) => id), left: [] };
    },
    withdraw_memory: (id) => stands(id, false),
    restore_memory: (id) => stands(id, true),
  };
}
