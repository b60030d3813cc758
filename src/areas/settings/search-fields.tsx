import { useQuery } from "@tanstack/react-query";
import { queries, type Settings } from "@/ipc";
import { count } from "@/lib/format";
import { EMBEDDING_SOURCES, embeddingWord } from "@/lib/knowledge/knowledge-words";
import { ChoiceField, TextField } from "@/ui/field";
import { Section } from "@/ui/page";
import { TerminalCommand } from "@/ui/said";

type Choice = Pick<Settings, "embedding" | "embedding_model" | "embedding_url">;

/** The model whose vectors search compares. */
export function SearchFields({
  draft,
  stored,
  onChange,
}: {
  draft: Choice;
  stored: Choice;
  onChange: (change: Partial<Choice>) => void;
}) {
  const { data: index } = useQuery(queries.indexState());
  const own = draft.embedding !== "bundled";
  return (
    <Section title="Search" note="the model that compares meanings">
      <div className="grid grid-cols-2 gap-3">
        <ChoiceField
          label="Embedding model"
          hint={own ? undefined : "Runs in this program; nothing leaves the machine."}
          className={own ? "col-span-2" : undefined}
          value={draft.embedding}
          onChange={(embedding) => onChange({ embedding })}
          options={EMBEDDING_SOURCES.map((value) => ({ value, label: embeddingWord[value] }))}
        />
        {own && (
          <>
            <TextField
              mono
              label="Name of the model"
              hint="As the server knows it."
              value={draft.embedding_model}
              onChange={(embedding_model) => onChange({ embedding_model })}
            />
            <TextField
              mono
              label="Address"
              hint="On this machine, or https."
              value={draft.embedding_url}
              onChange={(embedding_url) => onChange({ embedding_url })}
            />
            <p className="col-span-2 text-xs text-faint">
              A key, where the server asks for one, stands in the keyring, where{" "}
              <TerminalCommand command="ralph key set" /> in a terminal puts it, or in the environment variable{" "}
              <code className="font-mono">RALPH_EMBEDDING_KEY</code>, never in this file.
            </p>
          </>
        )}
        {isAnother(draft, stored) && (
          <p role="status" className="num col-span-2 text-xs text-warn">
            Another model makes {index ? `the vectors of ${count(index.passages, "passage")}` : "all vectors"} anew, in
            the background. Until then, search goes by words.
          </p>
        )}
      </div>
    </Section>
  );
}

/** Whether the existing vectors would be another model's. A different address may serve the same model. */
function isAnother(draft: Choice, stored: Choice): boolean {
  if (draft.embedding !== stored.embedding) return true;
  return draft.embedding !== "bundled" && draft.embedding_model.trim() !== stored.embedding_model.trim();
}
