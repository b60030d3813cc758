import type { ExtractorApi, LearningExtractor } from "@/ipc";
import { ChoiceField, NumberField, TextField } from "@/ui/field";
import { Said } from "@/ui/said";
import { hasLimits, type LearningDraft, learningFaults } from "./learning-draft";

const TELLERS: { value: LearningExtractor; label: string }[] = [
  { value: "rules", label: "Rules: only what they can know" },
  { value: "agent", label: "The project's agent, in an errand" },
  { value: "endpoint", label: "A model server" },
];
const APIS: { value: ExtractorApi; label: string }[] = [
  { value: "openai", label: "OpenAI's, as vLLM and others offer it" },
  { value: "ollama", label: "Ollama's own" },
];

/** Who extracts the lesson of a detection, and how often a model may be asked. */
export function ExtractorFields({
  draft,
  onChange,
}: {
  draft: LearningDraft;
  onChange: (change: Partial<LearningDraft>) => void;
}) {
  const faults = learningFaults(draft);
  const text = (key: "extractor_url" | "extractor_model", label: string, hint?: string) => (
    <TextField
      mono
      label={label}
      hint={hint && <Said text={hint} />}
      error={key === "extractor_url" ? undefined : faults[key]}
      value={draft[key] ?? ""}
      onChange={(value) => onChange({ [key]: value })}
    />
  );
  return (
    <div className="mt-3 grid grid-cols-2 gap-3 max-[900px]:grid-cols-1">
      <ChoiceField
        label="Who writes the lessons"
        hint="A model is asked after the work, never while a tool is called."
        value={draft.extractor}
        onChange={(extractor) => onChange({ extractor })}
        options={TELLERS}
      />
      {draft.extractor !== "rules" && text("extractor_model", "Model for lessons", modelHint[draft.extractor])}
      {draft.extractor === "endpoint" && (
        <>
          {text(
            "extractor_url",
            "Address of the server",
            "Its key stands in the keyring, where `ralph key set` in a terminal puts it, or in RALPH_EXTRACTOR_KEY, never in this file.",
          )}
          <ChoiceField
            label="Its protocol"
            value={draft.extractor_api ?? "openai"}
            onChange={(api) => onChange({ extractor_api: api })}
            options={APIS}
          />
        </>
      )}
      {hasLimits(draft) && (
        <>
          <NumberField
            label="Calls a day at most"
            hint="Beyond that, rules decide."
            error={faults.extractor_calls}
            value={draft.extractor_calls}
            onChange={(extractor_calls) => onChange({ extractor_calls })}
          />
          <NumberField
            label="Dollars a day at most"
            error={faults.extractor_usd}
            value={draft.extractor_usd}
            onChange={(extractor_usd) => onChange({ extractor_usd })}
          />
        </>
      )}
    </div>
  );
}

const modelHint: Record<LearningExtractor, string | undefined> = {
  rules: undefined,
  agent: "Empty: the project's model.",
  endpoint: undefined,
};
