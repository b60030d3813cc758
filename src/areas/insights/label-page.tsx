import { useQuery } from "@tanstack/react-query";
import { Scale } from "lucide-react";
import { useState } from "react";
import { commands, type LabelledPair, queries } from "@/ipc";
import { useCommand } from "@/lib/command";
import { count } from "@/lib/format";
import { useKey } from "@/lib/hooks";
import { Kbd } from "@/ui/badge";
import { Button } from "@/ui/button";
import { useFew } from "@/ui/few";
import { Result } from "@/ui/query";
import { Empty } from "@/ui/state";
import { BehindInsights } from "./behind-insights";

const keyOf = (pair: LabelledPair) => `${pair.query} ${pair.memory}`;

/** Asks whether a memory answers a question, one pair at a time: every measurement of search depends on these labels. */
export function LabelPage() {
  // Each pair that was here, and whether it was skipped.
  const [past, setPast] = useState<ReadonlyMap<string, boolean>>(new Map());
  // What was skipped still waits, ahead of the next ones.
  const [skipped, setSkipped] = useState(0);
  const queue = useQuery(queries.labelQueue(skipped));
  return (
    <div className="flex h-full min-h-0 flex-col">
      <header className="flex min-h-14 shrink-0 flex-wrap items-center gap-x-3 px-6 pt-3 pb-2">
        <BehindInsights title="Does it answer?" />
        <p className="num text-dim">{queue.data && `${count(queue.data.labelled, "pair")} labeled by you`}</p>
      </header>
      <div data-scroller className="min-h-0 flex-1 overflow-y-auto">
        <Result of={queue}>
          {({ next, disagreements }) => {
            const pair = next.find((one) => !past.has(keyOf(one)));
            return (
              <>
                {pair ? (
                  <Pair
                    key={keyOf(pair)}
                    pair={pair}
                    left={next.filter((one) => !past.has(keyOf(one))).length}
                    of={next.length}
                    onPast={(skip) => {
                      const after = new Map(past).set(keyOf(pair), skip);
                      setPast(after);
                      // The next ten are requested with the last of these.
                      if (!next.every((one) => after.has(keyOf(one)))) return;
                      const waiting = [...after.values()].filter(Boolean).length;
                      if (waiting === skipped) void queue.refetch();
                      else setSkipped(waiting);
                    }}
                  />
                ) : (
                  !queue.isFetching && (
                    <NothingLeft
                      skipped={skipped}
                      onAgain={() => {
                        setPast(new Map());
                        setSkipped(0);
                      }}
                    />
                  )
                )}
                <Disagreements pairs={disagreements} />
              </>
            );
          }}
        </Result>
      </div>
    </div>
  );
}

function NothingLeft({ skipped, onAgain }: { skipped: number; onAgain: () => void }) {
  return (
    <>
      <Empty icon={Scale} title="Nothing left to label">
        Each question that search answers brings pairs to label; come back when more has been asked.
      </Empty>
      {skipped > 0 && (
        <p className="num pb-4 text-center text-dim">
          {count(skipped, "pair")} skipped.{" "}
          <button type="button" className="text-accent hover:underline" onClick={onAgain}>
            Show again
          </button>
        </p>
      )}
    </>
  );
}

/** Pairs that the agent judged differently. The person's label counts; reviewing these shows whether the agent can judge the rest. */
function Disagreements({ pairs }: { pairs: LabelledPair[] }) {
  const [shown, more] = useFew(pairs);
  if (pairs.length === 0) return null;
  return (
    <section className="mx-auto w-full max-w-2xl px-6 pb-8">
      <h2 className="text-xs text-faint">The judge disagrees on {count(pairs.length, "pair")}</h2>
      <ul aria-label="Disagreements" className="mt-1">
        {shown.map((pair) => (
          <li key={keyOf(pair)} className="border-t border-line py-1.5 text-xs">
            <p className="selectable wrap-anywhere">{pair.question}</p>
            <p className="selectable line-clamp-3 wrap-anywhere text-dim">{pair.text}</p>
            <p className="text-faint">
              You: {pair.person ? "it answers" : "it does not"} · judge: {pair.judge ? "it answers" : "it does not"}
            </p>
          </li>
        ))}
      </ul>
      {more}
    </section>
  );
}

function Pair({
  pair,
  left,
  of,
  onPast,
}: {
  pair: LabelledPair;
  /** Out of the few that were requested with it, including itself; more may wait. */
  left: number;
  of: number;
  onPast: (skip: boolean) => void;
}) {
  const label = useCommand((relevant: boolean) => commands.labelPair(pair.query, pair.memory, relevant), {
    onDone: () => onPast(false),
  });
  const say = (relevant: boolean) => {
    if (!label.isPending) label.mutate(relevant);
  };
  useKey("y", () => say(true));
  useKey("x", () => say(false));
  useKey("e", () => label.isPending || onPast(true));
  return (
    <article className="mx-auto flex max-w-2xl flex-col gap-4 px-6 py-6" aria-live="polite">
      <section>
        <h2 className="text-xs text-faint">Somebody asked</h2>
        <p className="selectable text-base wrap-anywhere">{pair.question}</p>
      </section>
      <section className="rounded-xl border border-line bg-panel p-4">
        <h2 className="text-xs text-faint">Does this answer it?</h2>
        <p className="selectable mt-1 whitespace-pre-wrap wrap-anywhere">{pair.text}</p>
      </section>
      <div className="flex flex-wrap items-center gap-2">
        <Button look="primary" disabled={label.isPending} onClick={() => say(true)}>
          It answers <Kbd>Y</Kbd>
        </Button>
        <Button disabled={label.isPending} onClick={() => say(false)}>
          It does not <Kbd>X</Kbd>
        </Button>
        <Button look="ghost" disabled={label.isPending} onClick={() => onPast(true)}>
          Skip <Kbd>E</Kbd>
        </Button>
        <span className="num ml-auto text-xs text-faint">
          {left} left of these {of}
        </span>
      </div>
    </article>
  );
}
