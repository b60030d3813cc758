import { Checkbox } from "@/ui/checkbox";
import { ChoiceField, NumberField } from "@/ui/field";
import { Section } from "@/ui/page";
import { type PartProps, settingsFaults } from "./settings-draft";

const MERGES = "Merge learnings that say the same in other words";

/** How much is learnt, and which of it is accepted. */
export function KnowledgeFields({ draft, onChange }: PartProps) {
  const faults = settingsFaults(draft);
  return (
    <Section title="Knowledge">
      <div className="grid grid-cols-2 gap-3 min-[1180px]:grid-cols-4">
        <NumberField
          label="Learnings of a feature"
          hint="A feature may have its own."
          error={faults.max_learnings}
          value={draft.max_learnings}
          onChange={(max_learnings) => onChange({ max_learnings })}
        />
        <NumberField
          label="Hold-out, percent"
          hint="Attempts that are told no learnings, to measure their effect. 0 to 90."
          error={faults.hold_out}
          value={draft.hold_out}
          onChange={(hold_out) => onChange({ hold_out })}
        />
        <ChoiceField
          className="col-span-2"
          label="Quality gate"
          hint="For what agents write and says too little. Refusing starts after two weeks of recorded warnings."
          value={draft.gate ?? "warn"}
          onChange={(gate) => onChange({ gate })}
          options={[
            { value: "warn", label: "Stores it, and warns" },
            { value: "enforce", label: "Refuses it; a person can bring it back" },
          ]}
        />
      </div>
      <div className="mt-3 flex gap-2">
        <Checkbox
          className="mt-0.75"
          label={MERGES}
          checked={draft.reconcile ?? true}
          onChange={(reconcile) => onChange({ reconcile })}
        />
        <div>
          <p>{MERGES}</p>
          <p className="text-xs text-faint">Each act is listed under Knowledge › Review and can be undone there.</p>
        </div>
      </div>
    </Section>
  );
}
