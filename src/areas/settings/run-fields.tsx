import { CLAUDE_MODES } from "@/ipc";
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
import { AreaField, ChoiceField, NumberField, TextField } from "@/ui/field";
import { Section } from "@/ui/page";
import { type PartProps, type Path, settingsFaults } from "./settings-draft";

const MODES = ["", ...CLAUDE_MODES].map((value) => ({ value, label: value || "Claude Code's default" }));

/** Which agent works, and what it may do. */
export function AgentFields({ draft, onChange }: PartProps) {
  const faults = settingsFaults(draft);
  const permissions = draft.permissions ?? "normal";
  return (
    <Section title="Agent">
      <div className="grid grid-cols-2 gap-3 max-[600px]:grid-cols-1">
        <ChoiceField
          label="Agent of a new run"
          value={draft.agent}
          onChange={(agent) => onChange({ agent })}
          options={AGENTS}
        />
        <TextField
          mono
          label="Model"
          hint="Used by the strategy Fixed, and by the others while the list of models is empty."
          error={faults.model}
          value={draft.model}
          onChange={(model) => onChange({ model })}
        />
        {draft.agent !== "scripted" && (
          <PathField
            path={`${draft.agent}_path`}
            label={`Path of ${agentWord[draft.agent]}`}
            draft={draft}
            onChange={onChange}
          />
        )}
        <ChoiceField
          label="What agents may do"
          hint={permissionHint[permissions]}
          value={permissions}
          onChange={(permissions) => onChange({ permissions })}
          options={PERMISSIONS.map((value) => ({ value, label: permissionWord[value] }))}
        />
        <NumberField
          label="Minutes to answer"
          hint="When an agent asks for more than it may. After that the answer is no; 0: at once."
          error={faults.ask_minutes}
          value={draft.ask_minutes}
          onChange={(ask_minutes) => onChange({ ask_minutes })}
        />
        <ChoiceField
          label="Permission mode of Claude Code"
          value={draft.permission_mode}
          onChange={(permission_mode) => onChange({ permission_mode })}
          options={MODES}
        />
        <AreaField
          mono
          label="Tools allowed without asking"
          hint="One per line."
          value={draft.allowed_tools}
          onChange={(allowed_tools) => onChange({ allowed_tools })}
        />
        <TextField
          mono
          label="Script of the scripted agent"
          hint="Relative to the project."
          value={draft.script}
          onChange={(script) => onChange({ script })}
        />
      </div>
    </Section>
  );
}

function PathField({ path, label, draft, onChange }: PartProps & { path: Path; label: string }) {
  return (
    <TextField
      mono
      label={label}
      hint="Empty: looked for on PATH and in npm's folders."
      placeholder="found automatically"
      value={draft[path] ?? ""}
      onChange={(value) => onChange({ [path]: value })}
    />
  );
}

/** How the model of an attempt is chosen. */
export function ModelFields({ draft, onChange }: PartProps) {
  return (
    <Section title="Choice of model">
      <div className="grid grid-cols-2 gap-3">
        <ChoiceField
          label="Strategy"
          hint={strategyHint[draft.strategy]}
          value={draft.strategy}
          onChange={(strategy) => onChange({ strategy })}
          options={STRATEGIES.map((value) => ({ value, label: strategyWord[value] }))}
        />
        <AreaField
          mono
          label="Models"
          hint="One per line, from weak to strong, as the agent knows them."
          value={draft.models}
          onChange={(models) => onChange({ models })}
        />
      </div>
    </Section>
  );
}

/** What must hold before a task counts as done. */
export function CheckFields({ draft, onChange }: PartProps) {
  return (
    <Section title="When a task is done">
      <TextField
        mono
        label="Check command"
        hint="Must pass before a task counts as done. Empty: the agent's word counts."
        placeholder="cargo test"
        value={draft.check}
        onChange={(check) => onChange({ check })}
      />
    </Section>
  );
}

const LIMITS = [
  ["max_iterations", "Iterations", undefined],
  ["max_minutes", "Minutes", undefined],
  ["max_usd", "Dollars", undefined],
  ["max_attempts", "Attempts at a task", undefined],
  ["stuck_after", "Stuck after", "Failures in a row from which a task counts as stuck."],
  [
    "stall_stop",
    "Stalled iterations",
    "A run ends when this many in a row left nothing behind; a first task that they block is left to you, and the others are tried. 0: never.",
  ],
] as const;

/** When a run ends by itself. */
export function LimitFields({ draft, onChange }: PartProps) {
  const faults = settingsFaults(draft);
  return (
    <Section title="Limits of a run" note="0 = no limit for minutes and dollars">
      <div className="grid grid-cols-2 min-[700px]:grid-cols-3 gap-3">
        {LIMITS.map(([key, label, hint]) => (
          <NumberField
            key={key}
            label={label}
            hint={hint}
            error={faults[key]}
            value={draft[key]}
            onChange={(value) => onChange({ [key]: value })}
          />
        ))}
      </div>
    </Section>
  );
}
