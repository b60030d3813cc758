import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ChevronRight, Scale } from "lucide-react";
import { useState } from "react";
import { commands, type LabelledPair, queries } from "@/ipc";
import { useCommand } from "@/lib/command";
import { count } from "@/lib/format";
import { useKey } from "@/lib/hooks";
import { Kbd } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Page } from "@/ui/page";
import { Result } from "@/ui/query";
import { Empty } from "@/ui/state";

const keyOf = (pair: LabelledPair) => `${pair.query} ${pair.memory}`;

/** Asks whether a memory answers a question, one pair at a time: every measurement of search depends on these labels. */
export function LabelPage() {
  const queue = useQuery(queries.labelQueue());
  const [past, setPast] = useState<ReadonlySet<string>>(new Set());
  return (
    <Page
      title="Does it answer?"
      sub={
        <span className="flex items-center gap-1">
          <Link to="/insights" className="hover:text-text">
            Insights
          </Link>
          <ChevronRight size={12} aria-hidden="true" />
          {queue.data && `${count(queue.data.labelled, "pair")} labelled by you`}
        </span>
      }
    >
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
                    // The next ten are requested together with the last of these.
                    if (next.every((one) => after.has(keyOf(one)))) void queue.refetch();
                  }}
                />
              ) : (
                <Empty icon={Scale} title="Nothing waits for your word">
                  Each question that search answers brings pairs to be labelled; come back when more was asked.
                </Empty>
              )}
              <Disagreements pairs={disagreements} />
            </>
          );
        }}
      </Result>
    </Page>
  );
}

/** Pairs that the agent judged differently. The person's label counts; reviewing these shows whether the agent can judge the rest. */
function Disagreements({ pairs }: { pairs: LabelledPair[] }) {
  if (pairs.length === 0) return null;
  return (
    <section className="mx-auto w-full max-w-2xl px-6 pb-8">
      <h2 className="text-xs text-faint">The judge says otherwise, {count(pairs.length, "time")}</h2>
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
          Leave it open <Kbd>E</Kbd>
        </Button>
        <span className="num ml-auto text-xs text-faint">{left} of these left</span>
      </div>
    </article>
  );
}
