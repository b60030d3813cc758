import { useQuery } from "@tanstack/react-query";
import { type LearningMode, type LearningStatus, queries } from "@/ipc";
import { count, number } from "@/lib/format";
import { Checkbox } from "@/ui/checkbox";
import { ChoiceField, NumberField } from "@/ui/field";
import { Section } from "@/ui/page";
import { ExtractorFields } from "./extractor-fields";
import { type LearningDraft, learningFaults } from "./learning-draft";

const MODES: { value: LearningMode; label: string }[] = [
  { value: "aggressive", label: "Aggressive: everything that is detected" },
  { value: "moderate", label: "Moderate: tasks that end, what failed again and again" },
  { value: "minimal", label: "Minimal: only facts of the code, and what is stated explicitly" },
];

type Switch = "track_tasks" | "track_code_changes" | "track_operations" | "episode_deduplication";
const SWITCHES: readonly { key: Switch; label: string; hint: string }[] = [
  { key: "track_tasks", label: "Learn from tasks that come to an end", hint: "What was done, and what failed before." },
  {
    key: "track_operations",
    label: "Learn from calls of tools",
    hint: "What failed again and again, and what mended it.",
  },
  {
    key: "track_code_changes",
    label: "Learn facts from manifests and code",
    hint: "Dependencies, frameworks, endpoints and commands; they follow their files.",
  },
  {
    key: "episode_deduplication",
    label: "Leave out what is already known",
    hint: "A lesson that comes again counts as seen again.",
  },
];

/** The settings of automatic learning. The mode decides; the switches only narrow it. */
export function LearningFields({
  draft,
  onChange,
}: {
  draft: LearningDraft;
  onChange: (change: Partial<LearningDraft>) => void;
}) {
  const { data: status } = useQuery(queries.learningStatus());
  return (
    <Section title="Automatic learning" note="what is kept without being asked for">
      <Switched
        label="Learn from what agents do"
        hint={status ? sofar(status) : ""}
        on={draft.enabled}
        onChange={(enabled) => onChange({ enabled })}
      />
      <div className="mt-3 grid grid-cols-2 gap-3">
        <ChoiceField
          label="Mode"
          hint={status ? effect(status, draft.mode) : undefined}
          value={draft.mode}
          onChange={(mode) => onChange({ mode })}
          options={MODES}
        />
        <NumberField
          label="How sure an episode must be"
          hint="From 0 to 1. What fails twice and is then mended is told with 0.85."
          error={learningFaults(draft).min_episode_confidence}
          value={draft.min_episode_confidence}
          onChange={(min_episode_confidence) => onChange({ min_episode_confidence })}
        />
      </div>
      <div className="mt-3 grid grid-cols-2 gap-3">
        {SWITCHES.map(({ key, label, hint }) => (
          <Switched key={key} label={label} hint={hint} on={draft[key]} onChange={(on) => onChange({ [key]: on })} />
        ))}
      </div>
      <ExtractorFields draft={draft} onChange={onChange} />
    </Section>
  );
}

function Switched({
  label,
  hint,
  on,
  onChange,
}: {
  label: string;
  hint: string;
  on: boolean;
  onChange: (on: boolean) => void;
}) {
  return (
    <div className="flex gap-2">
      <Checkbox className="mt-0.75" label={label} checked={on} onChange={onChange} />
      <div>
        <p>{label}</p>
        <p className="text-xs text-faint">{hint}</p>
      </div>
    </div>
  );
}

function sofar({ operations, episodes_created, facts_created }: LearningStatus): string {
  const told = `${count(episodes_created, "episode")} from detections in 30 days, ${count(facts_created, "fact")} of the files now`;
  return `${number(operations)} calls heard: ${told}.`;
}

/** What a mode would have stored this week beside the current one, from this project's own statistics. */
function effect({ mode, modes }: LearningStatus, chosen: LearningMode): string {
  const [by, now] = [modes[chosen]?.by_rules ?? 0, modes[mode]?.by_rules ?? 0];
  const all = modes[chosen]?.detections ?? 0;
  const detected =
    all === 0 ? "Nothing detected this week" : `Detected this week: ${all}, of which rules can tell a lesson of ${by}`;
  if (chosen === mode || all + now === 0) return `${detected}.`;
  if (by === now) return `${detected}: as many as with ${mode}.`;
  return `${detected}: ${Math.abs(by - now)} ${by > now ? "more" : "fewer"} than with ${mode}.`;
}
