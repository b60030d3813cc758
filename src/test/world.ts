/** A small project in memory that answers every command: the backend of tests and of the preview. */
import type {
  FeatureLearning,
  FeatureRow,
  LearningFilter,
  LearningRow,
  LearningState,
  MergeOffer,
  Overview,
  Settings,
  SplitView,
  Task,
  Topic,
} from "@/ipc";
import { FakeTransport, fault, type Handlers } from "@/ipc/fake-transport";
import { before, counts, featureRow, learning, saturation, saturationPoints } from "./builders";
import { consolidationHandlers } from "./consolidation";
import { disciplineHandlers, documentHandlers } from "./documents";
import { EMPTY_INSIGHTS, SAMPLE_INSIGHTS } from "./history";
import { gateReport, knowledgeHandlers } from "./knowledge";
import { lane, laneHandlers } from "./lanes";
import { memoryHandlers } from "./memories";
import { NOTICES, noticeHandlers } from "./notices";
import { historyHandlers } from "./over-time";
import { reviewHandlers } from "./reviews";
import { ITERATIONS, RUNS, runHandlers } from "./runs";
import { SAMPLE_LEARNINGS } from "./sample";
import { snapshotHandlers } from "./snapshots";
import { sampleTasks, taskHandlers } from "./tasks";
import { trustHandlers } from "./trust";
import { worktreeHandlers } from "./worktrees";

/** Numbers of this database, and those of before replicas, are its own. */
export const OWN_REPLICA = "01KARX0000000000000000OWN1";

export type World = {
  features: FeatureRow[];
  learnings: (FeatureLearning & Partial<LearningRow>)[];
  tasks: Task[];
  overview: Overview;
  settings: Settings;
  transport: FakeTransport;
};

const SETTINGS: Settings = {
  agent: "claude",
  model: "sonnet",
  claude_path: "",
  codex_path: "",
  opencode_path: "",
  permission_mode: "acceptEdits",
  permissions: "normal",
  ask_minutes: 2,
  allowed_tools: ["mcp__ralph", "Bash"],
  script: "",
  check: "cargo nextest run",
  max_iterations: 20,
  max_minutes: 0,
  max_usd: 5,
  max_attempts: 5,
  stuck_after: 3,
  max_learnings: 50,
  strategy: "escalate",
  models: ["haiku", "sonnet", "opus"],
  stall_stop: 5,
  hold_out: 0,
  embedding: "bundled",
  embedding_model: "nomic-embed-text",
  embedding_url: "http://localhost:11434",
  gate: "warn",
  reconcile: true,
  feedback: "shadow",
  feedback_shadow_days: 7,
  recall: {},
  pass_env: [],
  consolidation: {},
  automatic_learning: {},
  worktrees: {
    folder: "",
    branch: "ralph/{task}-{slug}",
    base: "",
    setup: "npm ci",
    bring_along: [".env"],
    port_base: 4000,
    ports: 10,
    keep_days: 14,
    keep_gb: 20,
    review: "person",
    merge: "merge",
    dependencies: "merged",
    resolve: "ask",
    reviewer: null,
    reviewer_model: "",
    reviewer_send_backs: 1,
  },
};

function sampleFeatures(): FeatureRow[] {
  const named = (name: string, display_name: string, acronym: string, description: string, part: Partial<FeatureRow>) =>
    featureRow(name, { of: { display_name, acronym, description }, ...part });
  return [
    named("payments", "Payments", "PAY", "Provider adapters, refunds and the ledger", {
      tasks: counts({ done: 9, in_progress: 1, pending: 3, blocked: 1 }),
      saturation: saturation("payments", 46, 38),
      split_task: 214,
      parked_count: 2,
    }),
    named("auth", "Authentication", "AUTH", "Tokens with rotating refresh, sessions, sign-in", {
      tasks: counts({ done: 19, pending: 3 }),
      saturation: saturation("auth", 42, 21),
    }),
    named("sync", "Offline sync", "SYNC", "Merging of edits made without a connection", {
      tasks: counts({ done: 6, in_progress: 1, pending: 8, failed: 1, blocked: 1 }),
      saturation: saturation("sync", 33, 9),
      review_count: 1,
    }),
    named("search", "Search", "SRCH", "Index, ranking, tolerance of typing errors", {
      tasks: counts({ done: 9 }),
      saturation: saturation("search", 17, 11),
    }),
    named("onboarding", "Onboarding", "ONB", "The first five minutes", {
      tasks: counts({ done: 1, pending: 5 }),
      saturation: saturation("onboarding", 4, 1),
    }),
    named("export", "Export", "EXP", "Files that other programs read", { tasks: counts({ draft: 4 }) }),
  ];
}

/** A world with the sample project, or an empty one. */
export function makeWorld(kind: "sample" | "empty" | "closed" = "sample", overrides: Handlers = {}): World {
  const full = kind === "sample";
  const world = {
    features: full ? sampleFeatures() : [],
    learnings: full ? SAMPLE_LEARNINGS.map((l) => ({ ...l })) : [],
    tasks: full ? sampleTasks() : [],
    settings: { ...SETTINGS },
  } as World;
  world.overview = {
    features: world.features.length,
    open_tasks: world.tasks.filter(({ readiness }) => readiness !== "closed").length,
    learnings: world.features.reduce((sum, row) => sum + row.saturation.learnings_count, 0),
    reviews: full ? 5 : 0,
    for_later: 0,
    active_run: full ? (RUNS[0] ?? null) : null,
    active_iteration: full ? (ITERATIONS[0] ?? null) : null,
    lanes: full
      ? [lane(1, 208, "Retry refunds that time out", { model: "opus", since: before(1.7), worktree: null })]
      : [],
    idle_lanes: [],
    runs_at_work: [],
    errands_at_work: [],
    guidance: [],
    needs_you: full
      ? [
          {
            kind: "blocked_task",
            task: 199,
            title: "Rotate provider credentials",
            reason: "needs the new secret from the vault",
            feature: "payments",
            since: before(60 * 7),
          },
          {
            kind: "in_review",
            task: 208,
            title: "Retry refunds that time out",
            feature: "payments",
            refused: null,
            way_out: null,
            under_way: null,
            since: before(40),
          },
          {
            kind: "in_review",
            task: 221,
            title: "Rate limit for sign-in",
            feature: "auth",
            refused: "'main' and 'ralph/221-rate-limit' changed the same lines of src/auth/limits.rs",
            way_out: "`ralph merge 221 --resolve` has an agent settle it",
            under_way: null,
            since: before(95),
          },
          { kind: "conflicts", feature: "sync", count: 1 },
          { kind: "parked", feature: "payments", count: 2, split_task: 214, split_waits: false },
          ...NOTICES.slice(0, 2).map((notice) => ({ kind: "notice" as const, notice })),
        ]
      : [],
    needs_you_count: full ? 6 : 0,
    rests_after: null,
    own_replicas: [OWN_REPLICA, null],
  };
  const project = { path: "/home/dev/acme-payments", name: "acme-payments", branch: "main" };
  const changed = (...topics: Topic[]) => void Promise.resolve().then(() => world.transport.changed(...topics));
  const handlers: Handlers = {
    current_project: () => (kind === "closed" ? null : project),
    refused_project: () => null,
    write_refusal: () => null,
    empty_in_worktrees: () => [],
    hooks_missing_in_worktrees: () => null,
    recent_projects: () => [project, { path: "/home/dev/notes", name: "notes", branch: null }],
    open_project: () => project,
    overview: () => world.overview,
    since_look: () => null,
    look: () => before(0),
    name_window: () => null,
    tell_unsaved: () => undefined,
    ...noticeHandlers(world, full, changed),
    ...trustHandlers(false),
    saturation_history: (feature) =>
      world.features
        .filter((row) => feature === null || row.feature.name === feature)
        .map((row) => ({ feature: row.feature.name, points: saturationPoints(row.saturation) })),
    get_split: (feature) => splitOf(world, feature),
    ...documentHandlers(full),
    ...historyHandlers(full),
    ...memoryHandlers(full),
    ...consolidationHandlers(full, changed),
    ...disciplineHandlers(),
    get_feature_saturations: () => world.features.map(({ saturation }) => saturation),
    get_insights: () => (full ? SAMPLE_INSIGHTS : EMPTY_INSIGHTS),
    get_settings: () => world.settings,
    update_settings: (_base, settings) => {
      world.settings = settings;
      changed("settings");
      return settings;
    },
    announce_choice: () => "away",
    choose_announce: (choice) => choice,
    doctor: () => ({
      ok: true,
      checks: [
        { name: "git", status: "ok", detail: "2.39.5", hint: null },
        { name: "agent claude", status: "ok", detail: "2.1.330 at /usr/local/bin/claude", hint: null },
        {
          name: "journals",
          status: "warning",
          detail: "sync.jsonl ends in a torn line",
          hint: "It is skipped; `ralph rebuild` writes a clean one.",
        },
      ],
    }),
    export_project: () => "/home/dev/acme-payments-export",
    "plugin:dialog|open": () => "/home/dev/elsewhere",
    "plugin:dialog|save": () => "/home/dev/ralph-export.json",
    "plugin:webview|set_webview_zoom": () => undefined,
    ...featureHandlers(world, changed),
    ...knowledgeHandlers(world, full, changed),
    ...taskHandlers(world, changed),
    ...reviewHandlers(world, full, changed),
    ...runHandlers(full),
    ...laneHandlers(world, full, changed),
    ...snapshotHandlers(full),
    ...worktreeHandlers(full, changed),
    ...overrides,
  };
  world.transport = new FakeTransport(handlers);
  return world;
}

type Changed = (...topics: Topic[]) => void;

function featureHandlers(world: World, changed: Changed): Handlers {
  const find = (name: string) => {
    const row = world.features.find(({ feature }) => feature.name === name);
    if (!row) throw fault("not_found", `There is no feature '${name}'.`, "See the list of features.");
    return row;
  };
  const setState = (state: FeatureLearning["state"]) => (id: string) => {
    const found = world.learnings.find((l) => l.id === id);
    if (!found) throw fault("not_found", `There is no learning '${id}'.`);
    Object.assign(found, { state });
    changed("learnings");
    return found;
  };
  return {
    list_features: () => [...world.features],
    get_feature: (name) => find(name),
    create_feature: (given) => {
      const display_name = given.display_name ?? given.name ?? "";
      const row = featureRow(given.name ?? display_name.toLowerCase().replaceAll(" ", "-"), {
        of: {
          description: given.description,
          display_name,
          acronym: given.acronym ?? display_name.slice(0, 4).toUpperCase(),
        },
      });
      world.features.push(row);
      changed("features");
      return row.feature;
    },
    update_feature: (name, patch) => {
      Object.assign(find(name).feature, patch);
      changed("features");
      return find(name).feature;
    },
    list_learnings: (feature, states) => listed(world, feature, states),
    learning_page: (filter, from, most) => {
      const passing = listed(world, filter.feature ?? null, filter.states ?? []).filter((l) => passes(l, filter));
      return { rows: passing.slice(from, from + most), total: passing.length };
    },
    learning_categories: (feature, states) =>
      [...new Set(listed(world, feature, states).map((l) => l.category))].sort(),
    learnings_by_id: (ids) => listed(world, null, []).filter(({ id }) => ids.includes(id)),
    append_feature_learning: (given) => {
      const id = `L${world.learnings.length + 1}`;
      world.learnings.unshift(learning(id, given.feature, given.text, { source: given.source, reason: given.reason }));
      changed("learnings");
      return {
        verdict: "added",
        id,
        pruned: [],
        conflicts_with: [],
        redacted: 0,
        cut: false,
        saturation: find(given.feature).saturation,
        split_task: null,
        gate: gateReport({ passed: true }),
        reconcile_pending: true,
      };
    },
    edit_learning: (id, text) =>
      setState("superseded")(id) && learning(`${id}b`, "payments", text, { source: "human" }),
    review_learning: setState("active"),
    retire_learning: setState("retired"),
    restore_learning: setState("active"),
    list_merge_offers: () => mergeOffers(world),
    count_merge_offers: () => mergeOffers(world).length,
    move_learning: (id, to) => {
      const moved = world.learnings.find((l) => l.id === id);
      if (!moved) throw fault("not_found", `There is no learning '${id}'.`);
      Object.assign(moved, { feature: to });
      changed("learnings");
      return moved;
    },
    undo_learning: setState("active"),
    merge_learnings: (ids, text) => {
      for (const id of ids) setState("superseded")(id);
      const merged = learning(`M${ids[0]}`, "payments", text, { source: "human" });
      world.learnings.unshift(merged);
      return merged;
    },
    list_journal: (feature, limit) =>
      world.learnings
        .filter((l) => l.feature === feature)
        .slice(0, limit)
        .map((l, index) => ({
          id: `J${l.id}`,
          at: before(12 + index * 97),
          event: index % 3 === 1 ? "observed" : "learned",
          learning: l.id,
          summary: l.text,
          act: null,
        })),
  };
}

/** The sample's lessons come in rounds; those of one kind are offered as long as two of them are active. */
function listed(world: World, feature: string | null, states: readonly LearningState[]): LearningRow[] {
  return world.learnings
    .filter((l) => (feature === null || l.feature === feature) && (states.length === 0 || states.includes(l.state)))
    .map((l) => ({ outside: false, outside_replica: null, ...l }));
}

function passes(learning: LearningRow, { category, sources = [], words = [] }: LearningFilter): boolean {
  const text = `${learning.text} ${learning.tags.join(" ")} ${learning.feature}`.toLowerCase();
  return (
    (category == null || learning.category === category) &&
    (sources.length === 0 || sources.includes(learning.source)) &&
    words.every((word) => text.includes(word.toLowerCase()))
  );
}

function mergeOffers(world: World): MergeOffer[] {
  return ["The sandbox provider answers", "Amounts are integers"].flatMap((start) => {
    const alike = world.learnings.filter((l) => l.state === "active" && l.text.startsWith(start)).slice(0, 3);
    return alike.length > 1 && alike[0] ? [{ feature: "payments", category: alike[0].category, learnings: alike }] : [];
  });
}

function splitOf(world: World, feature: string): SplitView {
  const children = world.features.filter((row) => row.feature.parent === feature).length;
  const open = world.tasks.filter((t) => t.feature === feature && t.kind === "work" && t.readiness !== "closed");
  const ids = open.map(({ id }) => id);
  const learnings = world.learnings.filter((l) => l.feature === feature && l.state === "active").map(({ id }) => id);
  const half = Math.ceil(ids.length / 2);
  return {
    progress: { children, open_tasks: ids },
    left: ids.length > 0 ? `open tasks are still in it: ${ids.map((id) => `#${id}`).join(", ")}` : "",
    clusters: [
      { about: ["refund", "provider", "retry"], tasks: ids.slice(0, half), learnings: learnings.slice(0, 20) },
      { about: ["ledger", "nightly", "amounts"], tasks: ids.slice(half), learnings: learnings.slice(20) },
    ],
  };
}
