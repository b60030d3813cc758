import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { Copy } from "lucide-react";
import { useState } from "react";
import { type Iteration, type IterationDetail, queries, type ToldMemory, toFault } from "@/ipc";
import { tellDone, tellFault } from "@/lib/command";
import { channelWord } from "@/lib/knowledge/knowledge-words";
import { placeOf, toldInWords } from "@/lib/knowledge/told";
import { Button } from "@/ui/button";
import { DocumentDialog, type DocumentPlace } from "@/ui/document-dialog";
import { LearningLink } from "@/ui/learning/learning-link";
import { PromptText } from "@/ui/prompt-text";
import { Result } from "@/ui/query";
import { Empty, ErrorNote } from "@/ui/state";

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
          <div className="px-6 pt-3 pb-6">
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
  const { learnings, texts, isLoaded, failed } = useKnown(memories);
  const [shown, setShown] = useState<DocumentPlace>();
  return (
    <>
      {failed && <ErrorNote fault={toFault(failed.error)} onRetry={() => void failed.refetch()} />}
      <ul className="mt-1 flex flex-col gap-0.5 text-xs text-dim">
        {memories.map(({ kind, id, rank, channels }) => {
          const learning = learnings.get(id);
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
                isLoaded(kind) && <span>{id}, which is not kept any more</span>
              )}
            </li>
          );
        })}
        {shown && <DocumentDialog place={shown} onClose={() => setShown(undefined)} />}
      </ul>
    </>
  );
}

/** What is stored about the memories. Only their kinds are requested; a missing one is gone only once its kind has arrived. */
function useKnown(memories: ToldMemory[]) {
  const idsOf = (kind: ToldMemory["kind"]) => memories.filter((memory) => memory.kind === kind).map(({ id }) => id);
  const ids = idsOf("learning");
  const learning = useQuery({ ...queries.learningsById(ids), enabled: ids.length > 0 });
  const fact = useQuery({ ...queries.facts(), enabled: idsOf("fact").length > 0 });
  const episode = useQuery({ ...queries.episodes(), enabled: idsOf("episode").length > 0 });
  const asked: Partial<Record<ToldMemory["kind"], { data: unknown }>> = { learning, fact, episode };
  const ofFacts = (fact.data ?? []).map(({ id, subject, value }) => [id, `${subject}: ${value}`] as const);
  const ofEpisodes = (episode.data ?? []).map(({ id, lesson }) => [id, lesson] as const);
  return {
    learnings: new Map(learning.data?.map((one) => [one.id, one])),
    texts: new Map([...ofFacts, ...ofEpisodes]),
    isLoaded: (kind: ToldMemory["kind"]) => !asked[kind] || asked[kind].data !== undefined,
    failed: [learning, fact, episode].find(({ isLoadingError }) => isLoadingError),
  };
}
