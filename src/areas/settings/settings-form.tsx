import { type AgentKind, commands, type GateMode, type PermissionProfile, type Settings, type Strategy } from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { lines, useDraftOf } from "@/lib/draft";
import { count } from "@/lib/format";
import { dollarsFault, numberFault } from "@/lib/setting-ranges";
import {
  AGENTS,
  agentWord,
  PERMISSIONS,
  permissionHint,
  permissionWord,
  STRATEGIES,
  strategyHint,
  strategyWord,
} from "@/lib/words";
import { Button } from "@/ui/button";
import { Checkbox } from "@/ui/checkbox";
import { Field, Input, Textarea } from "@/ui/field";
import { Section } from "@/ui/page";
import { Select } from "@/ui/select";
import { ErrorNote } from "@/ui/state";
import { LeaveUnsaved, useUnsaved } from "@/ui/unsaved";
import { type LearningDraft, learningDraft, learningFaults, learningSettings } from "./learning-draft";
import { LearningFields } from "./learning-fields";
import { SearchFields } from "./search-fields";
import {
  badWorktreeNumber,
  type WorktreeDraft,
  WorktreeFields,
  worktreeDraft,
  worktreeSettings,
} from "./worktree-fields";

/** The path of an agent's program, for agents that have one. */
type Path = `${Exclude<AgentKind, "scripted">}_path`;

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
/** The settings, with number fields as typed. */
type Draft = Omit<Settings, Numbers | Lists | "worktrees" | "automatic_learning"> &
  Record<Numbers | Lists, string> & { worktrees: WorktreeDraft; automatic_learning: LearningDraft };

function draftOf(settings: Settings): Draft {
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

function settingsOf(draft: Draft, stored: Draft): Settings {
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

export function SettingsForm({ stored }: { stored: Settings }) {
  const { draft, dirty, change, setDraft } = useDraftOf(draftOf(stored));
  const faultOf = (key: Numbers) => (key === "max_usd" ? dollarsFault(draft[key]) : numberFault(key, draft[key]));
  const noModel = draft.model.trim() === "" ? "name a model, such as sonnet" : undefined;
  const bad = NUMBERS.filter((key) => faultOf(key) !== undefined).length + (noModel ? 1 : 0);
  const isBad =
    bad > 0 || badWorktreeNumber(draft.worktrees) || Object.keys(learningFaults(draft.automatic_learning)).length > 0;
  const leave = useUnsaved(dirty);
  const save = useCommand(() => commands.updateSettings(stored, settingsOf(draft, draftOf(stored))), {
    errors: "inline",
    onDone: (saved) => {
      // Shows the entered values as they were stored.
      setDraft(draftOf(saved));
      tellDone("Settings saved");
    },
  });
  const number = (key: Numbers, label: string, hint?: string) => (
    <Field label={label} hint={hint} error={faultOf(key)}>
      {(field) => (
        <Input
          {...field}
          className="num"
          inputMode="decimal"
          value={draft[key]}
          onChange={(e) => change({ [key]: e.target.value })}
        />
      )}
    </Field>
  );
  const text = (
    key: "model" | Path | "permission_mode" | "script" | "check",
    label: string,
    hint?: string,
    placeholder?: string,
    error?: string,
  ) => (
    <Field label={label} hint={hint} error={error}>
      {(field) => (
        <Input
          {...field}
          className="font-mono text-xs"
          placeholder={placeholder}
          value={draft[key]}
          onChange={(e) => change({ [key]: e.target.value })}
        />
      )}
    </Field>
  );
  const list = (key: Lists, label: string, hint: string) => (
    <Field label={label} hint={hint}>
      {(field) => (
        <Textarea
          {...field}
          className="font-mono text-xs"
          value={draft[key]}
          onChange={(e) => change({ [key]: e.target.value })}
        />
      )}
    </Field>
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (dirty && !isBad) save.mutate(undefined);
      }}
    >
      <Section title="Agent">
        <div className="grid grid-cols-2 gap-3 max-[600px]:grid-cols-1">
          <Field label="Agent of a new run">
            {({ id }) => (
              <Select
                id={id}
                value={draft.agent}
                onChange={(agent) => change({ agent: agent as AgentKind })}
                options={AGENTS}
              />
            )}
          </Field>
          {text(
            "model",
            "Model",
            "Used by the strategy Fixed, and by the others while the list of models is empty.",
            undefined,
            noModel,
          )}
          {draft.agent !== "scripted" &&
            text(
              `${draft.agent}_path`,
              `Path of ${agentWord[draft.agent]}`,
              "Empty: looked for on PATH and in npm's folders.",
              "found automatically",
            )}
          <Field label="What agents may do" hint={permissionHint[draft.permissions ?? "normal"]}>
            {({ id }) => (
              <Select
                id={id}
                value={draft.permissions ?? "normal"}
                onChange={(permissions) => change({ permissions: permissions as PermissionProfile })}
                options={PERMISSIONS.map((value) => ({ value, label: permissionWord[value] }))}
              />
            )}
          </Field>
          {number(
            "ask_minutes",
            "Minutes to answer",
            "When an agent asks for more than it may. After that the answer is no; 0: at once.",
          )}
          {text("permission_mode", "Permission mode")}
          {list("allowed_tools", "Tools allowed without asking", "One per line.")}
          {text("script", "Script of the scripted agent", "Relative to the project.")}
        </div>
      </Section>
      <Section title="Choice of model">
        <div className="grid grid-cols-2 gap-3">
          <Field label="Strategy" hint={strategyHint[draft.strategy]}>
            {({ id }) => (
              <Select
                id={id}
                value={draft.strategy}
                onChange={(strategy) => change({ strategy: strategy as Strategy })}
                options={STRATEGIES.map((value) => ({ value, label: strategyWord[value] }))}
              />
            )}
          </Field>
          {list("models", "Models", "One per line, from weak to strong, as the agent knows them.")}
        </div>
      </Section>
      <Section title="When a task is done">
        {text(
          "check",
          "Check command",
          "Must pass before a task counts as done. Empty: the agent's word counts.",
          "cargo test",
        )}
      </Section>
      <Section title="Limits of a run" note="0 = no limit for minutes and dollars">
        <div className="grid grid-cols-2 min-[700px]:grid-cols-3 gap-3">
          {number("max_iterations", "Iterations")}
          {number("max_minutes", "Minutes")}
          {number("max_usd", "Dollars")}
          {number("max_attempts", "Attempts at a task")}
          {number("stuck_after", "Stuck after", "Failures in a row from which a task counts as stuck.")}
          {number(
            "stall_stop",
            "Stalled iterations",
            "A run ends when this many in a row left nothing behind. 0: never.",
          )}
        </div>
      </Section>
      <Section title="Knowledge">
        <div className="grid grid-cols-2 gap-3 min-[1180px]:grid-cols-4">
          {number("max_learnings", "Learnings of a feature", "A feature may have its own.")}
          {number(
            "hold_out",
            "Hold-out, percent",
            "Attempts that are told no learnings, to measure their effect. 0 to 90.",
          )}
          <Field
            className="col-span-2"
            label="Quality gate"
            hint="For what agents write and says too little. Refusing starts after two weeks of recorded warnings."
          >
            {({ id }) => (
              <Select
                id={id}
                value={draft.gate ?? "warn"}
                onChange={(gate) => change({ gate: gate as GateMode })}
                options={[
                  { value: "warn", label: "Stores it, and warns" },
                  { value: "enforce", label: "Refuses it; a person can bring it back" },
                ]}
              />
            )}
          </Field>
        </div>
        <div className="mt-3 flex gap-2">
          <Checkbox
            className="mt-0.75"
            label="Merge learnings that say the same in other words"
            checked={draft.reconcile ?? true}
            onChange={(reconcile) => change({ reconcile })}
          />
          <div>
            <p>Merge learnings that say the same in other words</p>
            <p className="text-xs text-faint">Each act is listed under Knowledge › Review and can be undone there.</p>
          </div>
        </div>
      </Section>
      <LearningFields
        draft={draft.automatic_learning}
        onChange={(part) => change({ automatic_learning: { ...draft.automatic_learning, ...part } })}
      />
      <WorktreeFields
        draft={draft.worktrees}
        onChange={(part) => change({ worktrees: { ...draft.worktrees, ...part } })}
      />
      <SearchFields draft={draft} stored={stored} onChange={change} />
      <LeaveUnsaved leave={leave} what="These settings" />
      <div className="sticky bottom-0 z-10 flex flex-wrap items-center gap-2 bg-bg py-3">
        {save.fault && (
          <div className="w-full">
            <ErrorNote fault={save.fault} />
          </div>
        )}
        <Button type="submit" look="primary" disabled={!dirty || isBad || save.isPending}>
          Save
        </Button>
        <Button disabled={!dirty} onClick={() => setDraft(draftOf(stored))}>
          Discard
        </Button>
        {isBad && (
          <p role="status" className="text-xs text-bad">
            {bad > 0
              ? `${count(bad, "field")} can't be saved like this`
              : badWorktreeNumber(draft.worktrees)
                ? "A number of the worktrees can't be saved like this"
                : "A field of automatic learning can't be saved like this"}
          </p>
        )}
      </div>
    </form>
  );
}
