import { expect, it } from "vitest";
import type { NeedsYou, Question } from "@/ipc";
import { needKinds } from "./needs";

const blocked = (task: number): NeedsYou => ({
  kind: "blocked_task",
  task,
  title: "",
  feature: "sync",
  reason: "",
  since: "2026-01-01T00:00:00Z",
});

it("counts what waits by what is done about it, decisions first", () => {
  const items: NeedsYou[] = [
    { kind: "run_stopped", run: 7, reason: "stalled", note: "", since: "2026-01-01T00:00:00Z" },
    ...Array.from({ length: 1200 }, (_, at) => blocked(at)),
    { kind: "conflicts", feature: "sync", count: 4 },
    { kind: "parked", feature: "sync", count: 2, split_task: 9, split_waits: false },
    { kind: "parked", feature: "export", count: 1, split_task: 10, split_waits: true },
    { kind: "question", question: { id: 3 } as Question },
  ];
  expect(needKinds(items).map(({ words }) => words)).toEqual([
    "1 question",
    "conflicts in 1 feature",
    "1,200 blocked",
    "no room in 1 feature",
    "1 worth a look",
  ]);
});
