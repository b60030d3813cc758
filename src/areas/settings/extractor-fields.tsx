import type { ExtractorApi, LearningExtractor } from "@/ipc";
import { Field, Input } from "@/ui/field";
import { Select } from "@/ui/select";
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
  const text = (
    key: "extractor_url" | "extractor_model" | "extractor_calls" | "extractor_usd",
    label: string,
    hint?: string,
  ) => (
    <Field label={label} hint={hint} error={key === "extractor_url" ? undefined : faults[key]}>
      {(field) => (
        <Input
          {...field}
          className={key === "extractor_url" || key === "extractor_model" ? "font-mono" : "num"}
          value={draft[key] ?? ""}
          onChange={(event) => onChange({ [key]: event.target.value })}
        />
      )}
    </Field>
  );
  return (
    <div className="mt-3 grid grid-cols-2 gap-3 max-[900px]:grid-cols-1">
      <Field label="Who writes the lessons" hint="A model is asked after the work, never while a tool is called.">
        {({ id }) => (
          <Select
            id={id}
            value={draft.extractor}
            onChange={(extractor) => onChange({ extractor: extractor as LearningExtractor })}
            options={TELLERS}
          />
        )}
      </Field>
      {draft.extractor !== "rules" && text("extractor_model", "Model for lessons", modelHint[draft.extractor])}
      {draft.extractor === "endpoint" && (
        <>
          {text(
            "extractor_url",
            "Address of the server",
            "Its key stands in the keyring (`ralph key set`) or in RALPH_EXTRACTOR_KEY, never in this file.",
          )}
          <Field label="Its protocol">
            {({ id }) => (
              <Select
                id={id}
                value={draft.extractor_api ?? "openai"}
                onChange={(api) => onChange({ extractor_api: api as ExtractorApi })}
                options={APIS}
              />
            )}
          </Field>
        </>
      )}
      {hasLimits(draft) && (
        <>
          {text("extractor_calls", "Calls a day at most", "Beyond that, rules decide.")}
          {text("extractor_usd", "Dollars a day at most")}
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
