import { expect, it } from "vitest";
import type { NeedsYou } from "@/ipc";
import { groupsOf } from "./groups";

it("leaves work with which something is being done among what settles itself", () => {
  const work = (task: number, under_way: string | null): NeedsYou => ({
    kind: "in_review",
    task,
    title: "",
    feature: "payments",
    refused: null,
    way_out: null,
    under_way,
    since: "",
  });
  const waits = work(1, null);
  const merges = work(2, "it is being merged");
  const parked: NeedsYou = { kind: "parked", feature: "payments", count: 2, split_task: 214, split_waits: false };
  const { reviews, settling } = groupsOf([merges, parked, waits]);
  expect(reviews).toEqual([waits]);
  expect(settling).toEqual([merges, parked]);
});
