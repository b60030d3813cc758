import type { AutomaticLearning } from "@/ipc";

type Said =
  | "enabled"
  | "mode"
  | "track_tasks"
  | "track_code_changes"
  | "track_operations"
  | "episode_deduplication"
  | "extractor";
type Typed = "min_episode_confidence" | "extractor_calls" | "extractor_usd";

/** The settings of automatic learning, with numbers as typed. */
export type LearningDraft = Omit<AutomaticLearning, Said | Typed> &
  Required<Pick<AutomaticLearning, Said>> &
  Record<Typed, string>;

export function learningDraft(settings: AutomaticLearning | undefined): LearningDraft {
  // Without the table in the file, automatic learning is off.
  const { enabled = false, mode = "moderate", track_tasks = true, track_code_changes = true } = settings ?? {};
  const { track_operations = true, min_episode_confidence = 0.6, episode_deduplication = true } = settings ?? {};
  const { extractor = "rules", extractor_calls = 20, extractor_usd = 0.5 } = settings ?? {};
  return {
    ...settings,
    enabled,
    mode,
    track_tasks,
    track_code_changes,
    track_operations,
    min_episode_confidence: String(min_episode_confidence ?? 0.6),
    episode_deduplication,
    extractor,
    extractor_calls: String(extractor_calls),
    extractor_usd: String(extractor_usd ?? 0.5),
  };
}

/** Whether the limits of a model that writes lessons are shown. */
export const hasLimits = ({ extractor }: LearningDraft) => extractor !== "rules";

/** The settings that the draft makes; limits that are not shown stay as stored, whatever was typed before. */
export function learningSettings(draft: LearningDraft, stored: LearningDraft): AutomaticLearning {
  const { extractor_calls, extractor_usd } = hasLimits(draft) ? draft : stored;
  return {
    ...draft,
    min_episode_confidence: Number(draft.min_episode_confidence),
    extractor_calls: Number(extractor_calls),
    extractor_usd: Number(extractor_usd),
  };
}

/** The errors of the fields that are shown, by key. */
export function learningFaults(draft: LearningDraft): Partial<Record<Typed | "extractor_model", string>> {
  const faults: Partial<Record<Typed | "extractor_model", string>> = {};
  const among = (key: Typed, from: number, to: number, whole: boolean) => {
    const number = Number(draft[key]);
    if (draft[key].trim() === "" || !(number >= from && number <= to) || (whole && !Number.isInteger(number)))
      faults[key] = `a ${whole ? "whole " : ""}number from ${from} to ${to.toLocaleString("en-US")} is needed`;
  };
  among("min_episode_confidence", 0, 1, false);
  if (hasLimits(draft)) {
    among("extractor_calls", 1, 10_000, true);
    among("extractor_usd", 0, 1_000, false);
  }
  if (draft.extractor === "endpoint" && !draft.extractor_model?.trim())
    faults.extractor_model = "name the model that the server is to use";
  return faults;
}
