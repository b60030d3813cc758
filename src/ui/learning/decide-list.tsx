import type { ReactNode } from "react";
import type { FeatureLearning } from "@/ipc";
import { cn } from "@/lib/cn";
import { useCommand } from "@/lib/command";
import { useNow } from "@/lib/hooks";
import { Button } from "@/ui/button";
import { useFew } from "@/ui/few";
import { LearningMeta } from "./learning-row";

/** Learnings that a person decides one by one. */
export function DecideList<T extends { learning: FeatureLearning }>({
  label,
  all,
  children,
}: {
  label: string;
  all: readonly T[];
  /** The row of one. */
  children: (one: T) => ReactNode;
}) {
  const [shown, more] = useFew(all);
  return (
    <>
      <ul aria-label={label} className="border-t border-line">
        {shown.map((one) => (
          <li key={one.learning.id}>{children(one)}</li>
        ))}
      </ul>
      {more && <p className="px-6">{more}</p>}
    </>
  );
}

/** A learning, why it waits, and its two ways out. Nothing changes before a person chooses one. */
export function DecideRow({
  learning,
  why,
  beside,
  keep,
  drop,
  decide,
}: {
  learning: FeatureLearning;
  why: ReactNode;
  /** What is between the words and the buttons. */
  beside?: ReactNode;
  /** Words of the two buttons. */
  keep: string;
  drop: string;
  decide: (kept: boolean) => Promise<void>;
}) {
  const now = useNow(60_000);
  const { isPending, mutate } = useCommand(decide);
  const columns = beside ? "grid-cols-[minmax(0,1fr)_15rem_auto]" : "grid-cols-[minmax(0,1fr)_auto]";
  return (
    <article
      data-row
      tabIndex={-1}
      className={cn(
        "grid items-start gap-4 border-b border-line px-6 py-2.5 hover:bg-hover max-[700px]:grid-cols-1 max-[700px]:gap-y-2",
        columns,
      )}
    >
      <div className="min-w-0">
        <p className="selectable wrap-anywhere">{learning.text}</p>
        <LearningMeta learning={learning} now={now} showFeature />
        <p className="num selectable mt-0.5 text-xs wrap-anywhere text-warn">{why}</p>
      </div>
      {beside}
      <div className="flex gap-2">
        <Button disabled={isPending} onClick={() => mutate(true)}>
          {keep}
        </Button>
        <Button disabled={isPending} onClick={() => mutate(false)}>
          {drop}
        </Button>
      </div>
    </article>
  );
}
