/** The input of the start form: what is wrong with it, and the request that it makes. */
import { type AgentKind, type PermissionProfile, type RunRequest, type Settings, type Strategy, WORKERS } from "@/ipc";
import { dollarsFault, numberFault } from "@/lib/setting-ranges";

export type RunDraft = {
  agent: AgentKind;
  strategy: Strategy;
  model: string;
  script: string;
  check: string;
  iterations: string;
  minutes: string;
  usd: string;
  holdOut: string;
  workers: string;
  where: Where;
  /** Empty: as the project has it. */
  permissions: PermissionProfile | "";
};

/** Where agents work: as the number of workers suggests, or as a person says. */
export type Where = "" | "checkout" | "worktrees";

export function draftOf(settings: Settings): RunDraft {
  const limit = (n: number | null) => (n ? String(n) : "");
  return {
    agent: settings.agent,
    strategy: settings.strategy,
    // A model named here is the weakest that the strategy may use, so none is named unasked.
    model: "",
    script: settings.script,
    check: settings.check,
    iterations: limit(settings.max_iterations),
    minutes: limit(settings.max_minutes),
    usd: limit(settings.max_usd),
    holdOut: limit(settings.hold_out),
    workers: "",
    where: "",
    permissions: "",
  };
}

const numberOf = (text: string) => (text.trim() === "" ? null : Number(text));

/** More than one agent at once. */
export const isSeveral = ({ workers }: RunDraft, task: number | null) => task === null && (numberOf(workers) ?? 1) > 1;

/** Whether agents would work in worktrees, as far as the form says. */
export const worksInWorktrees = (draft: RunDraft, task: number | null) =>
  draft.where === "worktrees" || (draft.where === "" && isSeveral(draft, task));

type Typed = "iterations" | "minutes" | "usd" | "holdOut" | "workers";

/** What is wrong with the numbers, by field. An empty field is valid: it means no limit, or the default. */
export function faultsOf(draft: RunDraft, task: number | null): Partial<Record<Typed, string>> {
  const typed = (field: Typed, fault: (text: string) => string | undefined) =>
    draft[field].trim() === "" ? undefined : fault(draft[field]);
  const faults = {
    iterations: typed("iterations", (text) => numberFault("max_iterations", text)),
    minutes: typed("minutes", (text) => numberFault("max_minutes", text)),
    usd: typed("usd", dollarsFault),
    holdOut: typed("holdOut", (text) => numberFault("hold_out", text)),
    workers: task === null ? typed("workers", (text) => workersFault(text, draft)) : undefined,
  };
  return Object.fromEntries(Object.entries(faults).filter(([, fault]) => fault !== undefined));
}

function workersFault(text: string, draft: RunDraft): string | undefined {
  const number = Number(text);
  if (!/^\d+$/.test(text.trim()) || number < 1 || number > WORKERS) return `between 1 and ${WORKERS}`;
  return number > 1 && draft.where === "checkout" ? "Several can't share this checkout." : undefined;
}

/**
 * The request that the form makes. An empty field means no limit and no check, even if the project has one: on the wire that is 0. Only
 * iterations are always limited. A script and a check that are the same as in the settings are not included: they run only if the person
 * has agreed to what the folder brings along.
 */
export function requestOf(draft: RunDraft, defaults: Settings, task: number | null): RunRequest {
  const given = (words: string, setting: string) => (words.trim() === setting.trim() ? null : words.trim());
  return {
    agent: draft.agent,
    model: draft.model.trim() || null,
    script: draft.agent === "scripted" ? given(draft.script, defaults.script) || null : null,
    task,
    limits: {
      max_iterations: numberOf(draft.iterations),
      max_minutes: numberOf(draft.minutes) ?? 0,
      max_usd: numberOf(draft.usd) ?? 0,
    },
    check: given(draft.check, defaults.check),
    strategy: draft.strategy,
    hold_out: numberOf(draft.holdOut) ?? 0,
    permissions: draft.permissions || null,
    checkout: null,
    workers: task === null ? numberOf(draft.workers) : null,
    in_place: draft.where === "" ? null : draft.where === "checkout",
  };
}
