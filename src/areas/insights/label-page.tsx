import { useQuery } from "@tanstack/react-query";
import { Scale } from "lucide-react";
import { useState } from "react";
import { commands, type LabelledPair, queries } from "@/ipc";
import { useCommand } from "@/lib/command";
import { count } from "@/lib/format";
import { useKey } from "@/lib/hooks";
import { Kbd } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Result } from "@/ui/query";
import { Empty } from "@/ui/state";
import { BehindInsights } from "./behind-insights";

const keyOf = (pair: LabelledPair) => `${pair.query} ${pair.memory}`;

/** Asks whether a memory answers a question, one pair at a time: every measurement of search depends on these labels. */
export function LabelPage() {
  const queue = useQuery(queries.labelQueue());
  const [past, setPast] = useState<ReadonlySet<string>>(new Set());
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
                    onPast={() => {
                      const after = new Set(past).add(keyOf(pair));
                      setPast(after);
                      // The next ten are asked for with the last of these.
                      if (next.every((one) => after.has(keyOf(one)))) void queue.refetch();
                    }}
                  />
                ) : (
                  <Empty icon={Scale} title="Nothing left to label">
                    Each question that search answers brings pairs to label; come back when more has been asked.
                  </Empty>
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

/** Pairs that the agent judged differently. The person's label counts; reviewing these shows whether the agent can judge the rest. */
function Disagreements({ pairs }: { pairs: LabelledPair[] }) {
  if (pairs.length === 0) return null;
  return (
    <section className="mx-auto w-full max-w-2xl px-6 pb-8">
      <h2 className="text-xs text-faint">The judge disagrees on {count(pairs.length, "pair")}</h2>
      <ul aria-label="Disagreements" className="mt-1">
        {pairs.map((pair) => (
          <li key={keyOf(pair)} className="border-t border-line py-1.5 text-xs">
            <p className="selectable wrap-anywhere">{pair.question}</p>
            <p className="selectable line-clamp-3 wrap-anywhere text-dim">{pair.text}</p>
            <p className="text-faint">
              You: {pair.person ? "it answers" : "it does not"} · judge: {pair.judge ? "it answers" : "it does not"}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Pair({ pair, left, onPast }: { pair: LabelledPair; left: number; onPast: () => void }) {
  const label = useCommand((relevant: boolean) => commands.labelPair(pair.query, pair.memory, relevant), {
    onDone: onPast,
  });
  const say = (relevant: boolean) => {
    if (!label.isPending) label.mutate(relevant);
  };
  useKey("y", () => say(true));
  useKey("x", () => say(false));
  useKey("e", onPast);
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
        <Button look="ghost" disabled={label.isPending} onClick={onPast}>
          Skip <Kbd>E</Kbd>
        </Button>
        <span className="num ml-auto text-xs text-faint">{left} left</span>
      </div>
    </article>
  );
}
