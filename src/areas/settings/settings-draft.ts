import type { AgentKind, Settings } from "@/ipc";
import { lines } from "@/lib/draft";
import { dollarsFault, numberFault } from "@/lib/setting-ranges";
import { type LearningDraft, learningDraft, learningSettings } from "./learning-draft";
import { type WorktreeDraft, worktreeDraft, worktreeSettings } from "./worktree-draft";

const NUMBERS = [
  "max_iterations",
  "ask_minutes",
  "max_minutes",
  "max_usd",
  "max_attempts",
  "stuck_after",
  "max_learnings",
  "stall_stop",
  "hold_out",
] as const;
type Numbers = (typeof NUMBERS)[number];
/** Lists entered with one entry per line. */
type Lists = "allowed_tools" | "models";

/** The path of an agent's program, for agents that have one. */
export type Path = `${Exclude<AgentKind, "scripted">}_path`;

/** The settings, with numbers and lists as typed. */
export type SettingsDraft = Omit<Settings, Numbers | Lists | "worktrees" | "automatic_learning"> &
  Record<Numbers | Lists, string> & { worktrees: WorktreeDraft; automatic_learning: LearningDraft };

export function settingsDraft(settings: Settings): SettingsDraft {
  const numbers = Object.fromEntries(NUMBERS.map((key) => [key, String(settings[key] ?? 0)])) as Record<
    Numbers,
    string
  >;
  return {
    ...settings,
    ...numbers,
    allowed_tools: settings.allowed_tools.join("\n"),
    models: settings.models.join("\n"),
    worktrees: worktreeDraft(settings.worktrees),
    automatic_learning: learningDraft(settings.automatic_learning),
  };
}

/** The settings that the draft makes. */
export function settingsOf(draft: SettingsDraft, stored: SettingsDraft): Settings {
  const numbers = Object.fromEntries(NUMBERS.map((key) => [key, Number(draft[key])])) as Record<Numbers, number>;
  const { allowed_tools, models, worktrees, automatic_learning } = draft;
  return {
    ...draft,
    ...numbers,
    allowed_tools: lines(allowed_tools),
    models: lines(models),
    worktrees: worktreeSettings(worktrees, stored.worktrees),
    automatic_learning: learningSettings(automatic_learning, stored.automatic_learning),
  };
}

/** The errors of the fields that belong to no separate part, by key. */
export function settingsFaults(draft: SettingsDraft): Partial<Record<Numbers | "model", string>> {
  const faults: Partial<Record<Numbers | "model", string>> = {};
  for (const key of NUMBERS) {
    const fault = key === "max_usd" ? dollarsFault(draft[key]) : numberFault(key, draft[key]);
    if (fault) faults[key] = fault;
  }
  if (draft.model.trim() === "") faults.model = "name a model, such as sonnet";
  return faults;
}

/** What each part of the form is given. */
export type PartProps = { draft: SettingsDraft; onChange: (change: Partial<SettingsDraft>) => void };
