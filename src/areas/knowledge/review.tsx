import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { GitCompareArrows } from "lucide-react";
import { type Conflict, type ConflictChoice, commands, type FeatureLearning, queries } from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { diffWords, type Word } from "@/lib/diff-words";
import { useNow } from "@/lib/hooks";
import { Button } from "@/ui/button";
import { LearningMeta } from "@/ui/learning-row";
import { Result } from "@/ui/query";
import { Empty } from "@/ui/state";

const done: Record<ConflictChoice, string> = {
  keep_older: "The older one stays; the newer one is retired",
  keep_newer: "The newer one takes the older one's place",
  keep_both: "Both stay",
};

/** Learnings that contradict each other, side by side, until a person decides. */
export function Review({ feature }: { feature: string | undefined }) {
  const conflicts = useQuery(queries.conflicts());
  return (
    <Result of={conflicts}>
      {(all) => {
        const shown = all.filter(({ newer }) => feature === undefined || newer.feature === feature);
        if (shown.length === 0) {
          return (
            <Empty icon={GitCompareArrows} title="No conflicts to decide">
              {all.length > 0 ? (
                <Link to="/knowledge" search={{ tab: "review" }} className="text-accent">
                  {all.length} in other features
                </Link>
              ) : (
                "When two learnings contradict each other, both wait here until you choose."
              )}
            </Empty>
          );
        }
        return (
          <ul className="flex flex-col gap-3 px-6 py-4">
            {shown.map((conflict) => (
              <li key={`${conflict.older.id} ${conflict.newer.id}`}>
                <Pair conflict={conflict} />
              </li>
            ))}
          </ul>
        );
      }}
    </Result>
  );
}

function Pair({ conflict: { older, newer } }: { conflict: Conflict }) {
  const now = useNow(60_000);
  const [left, right] = diffWords(older.text, newer.text);
  const resolve = useCommand(async (choice: ConflictChoice) => {
    await commands.resolveConflict(older.id, newer.id, choice);
    tellDone(done[choice]);
  });
  return (
    <article className="rounded-xl border border-line bg-panel" aria-label={`Conflict in ${newer.feature}`}>
      <div className="grid grid-cols-2 divide-x divide-line">
        <Side title="Older" learning={older} words={left} now={now} />
        <Side title="Newer" learning={newer} words={right} now={now} />
      </div>
      <footer className="flex items-center gap-2 border-t border-line px-4 py-2.5">
        <Link
          to="/features/$name"
          params={{ name: newer.feature }}
          className="mr-auto text-xs text-dim hover:text-text"
        >
          {newer.feature}
        </Link>
        <Button disabled={resolve.isPending} onClick={() => resolve.mutate("keep_older")}>
          Keep older
        </Button>
        <Button disabled={resolve.isPending} onClick={() => resolve.mutate("keep_newer")}>
          Keep newer
        </Button>
        <Button disabled={resolve.isPending} onClick={() => resolve.mutate("keep_both")}>
          Keep both
        </Button>
      </footer>
    </article>
  );
}

function Side({
  title,
  learning,
  words,
  now,
}: {
  title: string;
  learning: FeatureLearning;
  words: Word[];
  now: number;
}) {
  return (
    <section className="min-w-0 px-4 py-3" aria-label={title}>
      <h3 className="mb-1 text-2xs font-medium text-faint">{title}</h3>
      <p className="selectable wrap-anywhere">
        {words.map((word, index) =>
          word.differs ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: words of a fixed text; they may repeat.
            <mark key={index} className="rounded-[3px] bg-warn-soft px-0.5 font-medium text-warn">
              {word.text}
            </mark>
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: words of a fixed text; they may repeat.
            <span key={index}>{word.text}</span>
          ),
        )}
      </p>
      {learning.reason && <p className="selectable text-xs wrap-anywhere text-dim">{learning.reason}</p>}
      <LearningMeta learning={{ ...learning, conflicts_with: [] }} now={now} showFeature={false} />
    </section>
  );
}
