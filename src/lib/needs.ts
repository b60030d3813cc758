/** What needs a person, counted by what they do about it. */
import type { NeedsYou, Notice } from "@/ipc";
import { count, number } from "./format";

/** Whether the loop makes room for parked learnings: by a split task that waits for nobody. */
export function settlesItself({
  split_task,
  split_waits,
}: Pick<Extract<NeedsYou, { kind: "parked" }>, "split_task" | "split_waits">): boolean {
  return split_task !== null && !split_waits;
}

/** Work that is done and waits for its review: of a task, or what an errand proposes. */
export type ToReview = Extract<NeedsYou, { kind: "in_review" | "proposed" }>;

export function isReview(item: NeedsYou): item is ToReview {
  return item.kind === "in_review" || item.kind === "proposed";
}

/** The notice because of which nothing is merged now. */
export function heldUpBy(items: readonly NeedsYou[] | undefined): Notice | undefined {
  return items?.find((item) => item.kind === "holds_merges")?.notice;
}

/** One kind of thing that waits: in words, with the group of the page that shows it. */
type NeedKind = { group: string; count: number; words: string };

const KINDS: [string, (item: NeedsYou) => boolean, (count: number) => string][] = [
  ["Waits for your yes", ({ kind }) => kind === "untrusted", () => "waits for your yes"],
  ["Questions", ({ kind }) => kind === "question", (n) => count(n, "question")],
  ["Merging is held up", ({ kind }) => kind === "holds_merges", () => "merging is held up"],
  ["Proposals", (item) => item.kind === "notice" && item.notice.kind === "proposal", (n) => count(n, "proposal")],
  ["Conflicts", ({ kind }) => kind === "conflicts", (n) => `conflicts in ${count(n, "feature")}`],
  ["To review", (item) => isReview(item) && item.under_way === null, (n) => `${number(n)} to review`],
  ["Blocked", ({ kind }) => kind === "blocked_task", (n) => `${number(n)} blocked`],
  ["Stranded", ({ kind }) => kind === "stranded_task", (n) => `${number(n)} stranded`],
  ["No room", (item) => item.kind === "parked" && !settlesItself(item), (n) => `no room in ${count(n, "feature")}`],
  [
    "Worth a look",
    (item) => item.kind === "run_stopped" || (item.kind === "notice" && item.notice.kind !== "proposal"),
    (n) => `${number(n)} worth a look`,
  ],
];

/** The kinds that wait, in the order of the page; none is left out that a person can settle. */
export function needKinds(items: readonly NeedsYou[]): NeedKind[] {
  return KINDS.map(([group, is, words]) => {
    const found = items.filter(is).length;
    return { group, count: found, words: words(found) };
  }).filter((kind) => kind.count > 0);
}
