import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { Copy } from "lucide-react";
import { useState } from "react";
import { type Iteration, type IterationDetail, queries, type ToldMemory } from "@/ipc";
import { tellDone, tellFault } from "@/lib/command";
import { channelWord } from "@/lib/knowledge/knowledge-words";
import { placeOf, toldInWords } from "@/lib/knowledge/told";
import { Button } from "@/ui/button";
import { DocumentDialog, type DocumentPlace } from "@/ui/document-dialog";
import { LearningLink } from "@/ui/learning/learning-link";
import { useLearningsById } from "@/ui/learning/with-names";
import { PromptText } from "@/ui/prompt-text";
import { Result } from "@/ui/query";
import { Empty } from "@/ui/state";

/** Learnings listed above the prompt at first; more would push the prompt out of view, and it contains them anyway. */
const FEW = 5;

/** The exact prompt, with its parts from memory highlighted and its learnings listed. */
export function ToldTab({ detail }: { detail: UseQueryResult<IterationDetail> }) {
  return (
    <Result of={detail}>
      {({ prompt, iteration }) =>
        prompt === "" ? (
          <Empty title="The prompt's file is gone" />
        ) : (
          <div className="px-5 pt-3 pb-6">
            <div className="mb-3 flex items-start gap-4">
              <Learnings iteration={iteration} />
              <Button
                size="sm"
                className="ml-auto"
                onClick={() => void navigator.clipboard.writeText(prompt).then(() => tellDone("Copied"), tellFault)}
              >
                <Copy size={12} aria-hidden="true" /> Copy
              </Button>
            </div>
            <PromptText prompt={prompt} />
          </div>
        )
      }
    </Result>
  );
}

/** Memories that were included or withheld, each linked to its page. */
function Learnings({ iteration }: { iteration: Iteration }) {
  const memories = iteration.held_out ? iteration.withheld : iteration.told;
  if (iteration.held_out) {
    return (
      <section aria-label="Withheld learnings" className="min-w-0 flex-1">
        <p className="text-warn">held out: {toldInWords(memories)} withheld, to measure what they change</p>
        <Links memories={memories} />
      </section>
    );
  }
  if (memories.length === 0) return <p className="text-faint">No learnings were told.</p>;
  return (
    <section aria-label="Told learnings" className="min-w-0 flex-1">
      <details open={memories.length <= FEW}>
        <summary className="py-0.5 font-medium">{toldInWords(memories)} told</summary>
        <Links memories={memories} />
      </details>
    </section>
  );
}

function Links({ memories }: { memories: ToldMemory[] }) {
  const known = useLearningsById();
  const texts = useTexts(memories);
  const [shown, setShown] = useState<DocumentPlace>();
  return (
    <ul className="mt-1 flex flex-col gap-0.5 text-xs text-dim">
      {memories.map(({ kind, id, rank, channels }) => {
        const learning = known?.get(id);
        const place = kind === "document" ? placeOf(id) : undefined;
        const by = channels.map((channel) => channelWord[channel]).join(", ") || "its feature alone";
        return (
          <li key={`${kind} ${id}`} className="min-w-0" title={`#${rank} of what was found, by ${by}`}>
            {place ? (
              <button
                type="button"
                className="block min-h-6 truncate leading-6 hover:text-accent"
                onClick={() => setShown(place)}
              >
                {id}
              </button>
            ) : learning ? (
              <LearningLink learning={learning} />
            ) : texts.has(id) ? (
              <span className="block truncate">
                {kind}: {texts.get(id)}
              </span>
            ) : (
              known && <span>{id}, which is not kept any more</span>
            )}
          </li>
        );
      })}
      {shown && <DocumentDialog place={shown} onClose={() => setShown(undefined)} />}
    </ul>
  );
}

/** The texts of facts and episodes by id; fetched only if there are any. */
function useTexts(memories: ToldMemory[]): ReadonlyMap<string, string> {
  const has = (kind: ToldMemory["kind"]) => memories.some((memory) => memory.kind === kind);
  const { data: facts = [] } = useQuery({ ...queries.facts(), enabled: has("fact") });
  const { data: episodes = [] } = useQuery({ ...queries.episodes(), enabled: has("episode") });
  const ofFacts = facts.map(({ id, subject, value }) => [id, `${subject}: ${value}`] as const);
  return new Map([...ofFacts, ...episodes.map(({ id, lesson }) => [id, lesson] as const)]);
}
