import { describe, expect, it } from "vitest";
import type { AgentSignal, DoorAnswer, ShownEntry, SpokenPiece } from "@/ipc";
import { TranscriptStore } from "./transcript-store";

const at = (seconds: number) => new Date(seconds * 1000).toISOString();
const entry = (signal: AgentSignal, seconds = 0): ShownEntry => ({
  at: at(seconds),
  by: "agent",
  signal,
  spoken: [],
  answer: null,
});
const spoken = (...pieces: SpokenPiece[]): ShownEntry => ({ ...entry({ kind: "text", text: "" }), spoken: pieces });
const text = (words: string) => spoken({ kind: "prose", text: words });
const call = (id: string, seconds = 0) =>
  entry({ kind: "tool_call", id, name: "Bash", summary: "make", paths: [] }, seconds);
const result = (id: string, is_error: boolean, seconds = 0) =>
  entry({ kind: "tool_result", id, is_error, summary: "said" }, seconds);
const many = (count: number, from = 0) => Array.from({ length: count }, (_, index) => text(`row ${from + index}`));

describe("the transcript store", () => {
  it("folds a result into its call, with how long it took", () => {
    const store = new TranscriptStore();
    store.push([call("a", 10), text("meanwhile"), result("a", true, 13)], false);
    const { rows } = store.getSnapshot();
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({ kind: "tool", result: { failed: true, text: "said", millis: 3000 } });
  });

  it("shows a result whose call it does not have as a row of its own", () => {
    const store = new TranscriptStore();
    store.push([result("lost", true)], false);
    expect(store.getSnapshot().rows[0]).toMatchObject({ kind: "note", label: "result", tone: "bad" });
  });

  it("keeps the newest rows only, and says how many it let go", () => {
    const store = new TranscriptStore(100, 200);
    for (let pushed = 0; pushed < 1000; pushed += 50) store.push(many(50, pushed), false);
    const { rows, dropped } = store.getSnapshot();
    expect(rows.length).toBeLessThanOrEqual(110);
    expect(dropped + rows.length).toBe(1000);
    expect(rows.at(-1)).toMatchObject({ seq: 999, text: "row 999" });
  });

  it("lets a reader who scrolled up keep twice as many, and no more", () => {
    const store = new TranscriptStore(100, 200);
    store.following = false;
    store.push(many(200), false);
    expect(store.getSnapshot().dropped).toBe(0);
    store.push(many(800, 200), false);
    expect(store.getSnapshot().rows.length).toBeLessThanOrEqual(220);
  });

  it("folds results also after rows were let go", () => {
    const store = new TranscriptStore(10, 20);
    store.push([...many(30), call("late")], false);
    store.push([result("late", false)], true);
    const { rows, ended } = store.getSnapshot();
    expect(rows.at(-1)).toMatchObject({ kind: "tool", result: { failed: false } });
    expect(ended).toBe(true);
  });

  it("takes 100,000 entries in well under a second", () => {
    const store = new TranscriptStore();
    const begin = performance.now();
    for (let pushed = 0; pushed < 100_000; pushed += 500) store.push(many(500, pushed), false);
    expect(store.getSnapshot().rows).toHaveLength(100_000);
    expect(performance.now() - begin).toBeLessThan(2000);
  });
});

describe("a call that remembers a learning", () => {
  const remembering = entry({
    kind: "tool_call",
    id: "d",
    name: "mcp__ralph__append_feature_learning",
    summary: 'Say "no" to floats',
    paths: [],
  });
  const said = (summary: string, answer: DoorAnswer | null) => ({
    ...entry({ kind: "tool_result", id: "d", is_error: false, summary }),
    answer,
  });

  it("shows the lesson and the verdict, not their JSON", () => {
    const store = new TranscriptStore();
    store.push([remembering, said("{…}", { verdict: "added", learnings_count: 12, max_learnings: 50 })], false);
    expect(store.getSnapshot().rows[0]).toMatchObject({
      name: "ralph · append_feature_learning",
      knowledge: true,
      target: 'Say "no" to floats',
      result: { text: "added · 12/50" },
    });
  });

  it("shows an answer that was not understood as it is", () => {
    const store = new TranscriptStore();
    store.push([remembering, said("stored", null)], false);
    expect(store.getSnapshot().rows[0]).toMatchObject({ result: { text: "stored" } });
  });
});

describe("sigils", () => {
  it("stand apart from the prose around them, as they were read", () => {
    const store = new TranscriptStore();
    const words = spoken(
      { kind: "prose", text: "Done." },
      { kind: "sigil", name: "learning", category: "pitfall", tags: "a, b", text: "Mind the gap" },
      { kind: "sigil", name: "task-done", category: null, tags: null, text: "4" },
    );
    store.push([words], false);
    expect(store.getSnapshot().rows).toMatchObject([
      { kind: "text", text: "Done.", voice: "agent" },
      { kind: "sigil", name: "learning", detail: "pitfall · a, b", text: "Mind the gap" },
      { kind: "sigil", name: "task-done", detail: "", text: "4" },
    ]);
  });
});
