import { Link } from "@tanstack/react-router";
import { ChevronDown, SearchX, ThumbsDown, ThumbsUp } from "lucide-react";
import { useState } from "react";
import { commands, type RecallHit, type RecallResponse } from "@/ipc";
import { cn } from "@/lib/cn";
import { tellDone, useCommand } from "@/lib/command";
import { count, moment, old } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { DocumentDialog, type DocumentPlace } from "@/ui/document-dialog";
import { FactLine } from "@/ui/fact-line";
import { useEditLearning } from "@/ui/learning/edit-learning";
import { LearningRow } from "@/ui/learning/learning-row";
import { Wording } from "@/ui/learning/wording";
import { Empty } from "@/ui/state";
import { Tooltip } from "@/ui/tooltip";
import { VirtualList } from "@/ui/virtual-list";
import { Evidence } from "./evidence";
import type { Found } from "./found";
import { Weighing } from "./weighing";
import { WhyThis } from "./why-this";

/** Hits below this share of the best score are collapsed: nearly every text has something in common with a question. */
const WEAK = 0.35;

/** The results of a search, best first, with the weights of the channels. */
export function Hits({
  answer,
  found,
  stale,
  narrowed,
  cut,
}: {
  answer: RecallResponse;
  found: Found[];
  /** These are the previous results; the new ones are loading. */
  stale: boolean;
  narrowed: boolean;
  /** There may be more than these hits; the filters leave `found` of them. */
  cut: boolean;
}) {
  const now = useNow(60_000);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [edit, dialog] = useEditLearning();
  const [place, setPlace] = useState<DocumentPlace>();
  const [weakToo, setWeakToo] = useState(false);
  const best = found[0]?.hit.score.total ?? 0;
  const strong = found.filter(({ hit }) => (hit.score.total ?? 0) >= WEAK * best);
  const folded = found.length - strong.length;
  // Only a record of what was selected: nothing waits for it, and its loss is not reported.
  const tell = (kind: "opened" | "copied", learning: string) => {
    if (found.some(({ learning: one }) => one?.id === learning)) {
      void commands.selectMemory({ learning, kind, query: answer.query }).catch(() => undefined);
    }
  };
  const toggle = (id: string) => {
    if (!open.has(id)) tell("opened", id);
    setOpen((before) => new Set(before.has(id) ? [...before].filter((other) => other !== id) : [...before, id]));
  };
  return (
    <div className={cn("flex min-h-0 flex-1 flex-col transition-opacity", stale && "opacity-60")} aria-busy={stale}>
      <Weighing answer={answer} />
      {found.length === 0 ? (
        <Empty
          icon={SearchX}
          title={cut ? `None of the best ${answer.hits.length} matches the filters` : "Nothing known answers this"}
        >
          {cut && "Others may that answer less well: say more of what you look for, or clear the filters."}
          {!cut && (narrowed ? "Other kinds, features or states may: clear the filters." : "Other words may find it.")}
        </Empty>
      ) : (
        <VirtualList
          label="Hits"
          items={weakToo ? found : strong}
          keyOf={({ hit }) => hit.id}
          estimate={64}
          render={({ hit, learning }) => {
            const shown = open.has(hit.id);
            const why = <WhyButton hit={hit} open={shown} onToggle={() => toggle(hit.id)} />;
            const panel = shown && <WhyThis score={hit.score} answer={answer} />;
            return learning ? (
              <div onCopy={() => tell("copied", learning.id)}>
                <LearningRow
                  learning={learning}
                  now={now}
                  showFeature
                  onEdit={(one) => {
                    tell("opened", one.id);
                    edit(one);
                  }}
                  aside={
                    <span className="flex items-center">
                      <Marks learning={learning.id} query={answer.query} />
                      {why}
                    </span>
                  }
                >
                  {panel}
                  {shown && <Evidence learning={learning.id} />}
                </LearningRow>
              </div>
            ) : (
              <article tabIndex={-1} data-row className="flex gap-3 border-b border-line px-6 py-2.5 hover:bg-hover">
                <div className="min-w-0 flex-1">
                  {hit.file !== null && hit.line !== null && (
                    <button
                      type="button"
                      className="num block max-w-full truncate text-xs text-dim hover:text-accent"
                      onClick={() => setPlace({ file: hit.file ?? "", line: hit.line ?? 1 })}
                    >
                      {hit.file}:{hit.line}
                      {hit.heading && <span className="text-faint"> · {hit.heading}</span>}
                    </button>
                  )}
                  <Wording text={hit.text} className="line-clamp-6 whitespace-pre-line" />
                  <FactLine className="mt-0.5" lead={<Badge>{hit.kind.replaceAll("_", " ")}</Badge>}>
                    {hit.feature && <span className="text-dim">{hit.feature}</span>}
                    {hit.task !== null && (
                      <Link to="/tasks/$id" params={{ id: String(hit.task) }} className="text-dim hover:text-text">
                        Task #{hit.task}
                      </Link>
                    )}
                    <span title={moment(hit.created)}>{old(hit.created, now)}</span>
                  </FactLine>
                  {panel}
                </div>
                {why}
              </article>
            );
          }}
        />
      )}
      {folded > 0 && (
        <div className="flex shrink-0 border-t border-line px-6 py-2">
          <Button onClick={() => setWeakToo(!weakToo)}>
            {weakToo ? `Hide ${count(folded, "weak hit")}` : `Show ${count(folded, "weak hit")}`}
          </Button>
        </div>
      )}
      {dialog}
      {place && <DocumentDialog place={place} onClose={() => setPlace(undefined)} />}
    </div>
  );
}

function WhyButton({ hit, open, onToggle }: { hit: RecallHit; open: boolean; onToggle: () => void }) {
  return (
    <button
      type="button"
      aria-expanded={open}
      onClick={onToggle}
      className="num inline-flex min-h-6 shrink-0 items-center gap-1 self-end rounded px-1 text-xs text-dim hover:text-accent"
    >
      Why this? <span className="text-faint">{(hit.score.total ?? 0).toFixed(2)}</span>
      <ChevronDown size={12} aria-hidden="true" className={cn("transition-transform", open && "rotate-180")} />
    </button>
  );
}

/** Whether the hit helps with this question: the basis for measuring search, and for later rankings. */
function Marks({ learning, query }: { learning: string; query: string }) {
  const mark = useCommand((kind: "useful" | "not_useful") => commands.selectMemory({ learning, kind, query }), {
    onDone: ({ counted, kind }) =>
      tellDone(counted ? (kind === "useful" ? "Noted: it helps" : "Noted: it does not help") : "Noted before"),
  });
  return (
    <>
      {(
        [
          ["useful", "It helps with this question", ThumbsUp],
          ["not_useful", "It does not help with this question", ThumbsDown],
        ] as const
      ).map(([kind, label, Icon]) => (
        <Tooltip key={kind} content={label}>
          <Button
            look="ghost"
            size="icon"
            aria-label={label}
            disabled={mark.isPending}
            onClick={() => mark.mutate(kind)}
          >
            <Icon size={13} />
          </Button>
        </Tooltip>
      ))}
    </>
  );
}
