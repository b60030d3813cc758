import type { WorktreeSettings } from "@/ipc";
import { lines } from "@/lib/draft";
import { numberFault } from "@/lib/setting-ranges";

type Numbers = "keep_days" | "keep_gb" | "reviewer_send_backs";

/** The settings of worktrees, with lists and numbers as typed. */
export type WorktreeDraft = Omit<WorktreeSettings, "bring_along" | Numbers> & { bring_along: string } & Record<
    Numbers,
    string
  >;

export function worktreeDraft(settings: WorktreeSettings): WorktreeDraft {
  return {
    ...settings,
    bring_along: (settings.bring_along ?? []).join("\n"),
    keep_days: String(settings.keep_days ?? 0),
    keep_gb: String(settings.keep_gb ?? 0),
    reviewer_send_backs: String(settings.reviewer_send_backs ?? 1),
  };
}

/** The settings that the draft makes; what is not shown stays as stored, whatever was typed before. */
export function worktreeSettings(draft: WorktreeDraft, stored: WorktreeDraft): WorktreeSettings {
  return {
    ...draft,
    bring_along: lines(draft.bring_along),
    keep_days: Number(draft.keep_days),
    keep_gb: Number(draft.keep_gb),
    reviewer_send_backs: Number((draft.reviewer ? draft : stored).reviewer_send_backs),
  };
}

/** Their names among the ranges of settings. */
const RANGE: Record<Numbers, string> = {
  keep_days: "worktree_days",
  keep_gb: "worktree_gb",
  reviewer_send_backs: "reviewer_send_backs",
};

/** The errors of the fields that are shown, by key. */
export function worktreeFaults(draft: WorktreeDraft): Partial<Record<Numbers, string>> {
  const faults: Partial<Record<Numbers, string>> = {};
  for (const key of Object.keys(RANGE) as Numbers[]) {
    const fault = numberFault(RANGE[key], draft[key]);
    if (fault && (key !== "reviewer_send_backs" || draft.reviewer)) faults[key] = fault;
  }
  return faults;
}
