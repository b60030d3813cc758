import { Link } from "@tanstack/react-router";
import { type ConflictChoice, commands, type FeatureLearning, type Hit, type ReviewPair } from "@/ipc";
import { cn } from "@/lib/cn";
import { tellDone, useCommand } from "@/lib/command";
import { percent } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { hitKindWord, pairWord } from "@/lib/knowledge/knowledge-words";
import { useEditLearning } from "@/ui/learning/edit-learning";
import { Badge } from "./badge";
import { Button } from "./button";
import { useFew } from "./few";
import { Side } from "./side";

/** Pairs that a person decides between. */
export function Conflicts({ pairs, className }: { pairs: ReviewPair[]; className?: string }) {
  const [edit, dialog] = useEditLearning();
  const [shown, more] = useFew(pairs);
  return (
    <>
      <ul className={cn("flex flex-col gap-3", className)}>
        {shown.map((pair) => (
          <li key={`${pair.older.id} ${pair.newer.id}`}>
            <Pair pair={pair} onEdit={edit} />
          </li>
        ))}
      </ul>
      {more && <p className={className}>{more}</p>}
      {dialog}
    </>
  );
}

const done: Record<ConflictChoice, string> = {
  keep_older: "The older one stays; the newer one is retired",
  keep_newer: "The newer one takes the older one's place",
  keep_both: "Both stay",
};

function Pair({ pair, onEdit }: { pair: ReviewPair; onEdit: (learning: FeatureLearning) => void }) {
  const { older, newer } = pair;
  const now = useNow(60_000);
  const resolve = useCommand(async (choice: ConflictChoice) => {
    await commands.resolveConflict(older.id, newer.id, choice);
    tellDone(done[choice], () => commands.reopenConflict(older.id, newer.id));
  });
  // The words of a consolidated one are those of its document.
  const editing = (one: FeatureLearning) => (one.state === "consolidated" ? {} : { onEdit: () => onEdit(one) });
  const choose = (choice: ConflictChoice) => ({ disabled: resolve.isPending, onClick: () => resolve.mutate(choice) });
  return (
    <article
      data-row
      tabIndex={-1}
      className="rounded-xl border border-warn/45 bg-panel"
      aria-label={`Conflict in ${newer.feature}`}
    >
      <header className="flex flex-wrap items-center gap-x-2 gap-y-1.5 border-b border-line px-4 py-2">
        <span className="font-medium">{pairWord[pair.verdict]}</span>
        {pair.hits.slice(0, 3).map((hit) => (
          <HitBadge key={`${hit.kind} ${hit.older} ${hit.newer}`} hit={hit} />
        ))}
        {pair.similarity !== null && <span className="num text-xs text-faint">{percent(pair.similarity)} alike</span>}
        <Link to="/features/$name" params={{ name: newer.feature }} className="text-xs text-dim hover:text-text">
          {newer.feature}
        </Link>
        <div className="ml-auto flex flex-wrap gap-2">
          <Button {...choose("keep_older")}>Keep older</Button>
          <Button {...choose("keep_newer")}>Replace with newer</Button>
          <Button {...choose("keep_both")}>Keep both</Button>
        </div>
      </header>
      <div className="grid grid-cols-2 divide-x divide-line">
        <Side title="Older" learning={older} pieces={pair.older_text} now={now} {...editing(older)} />
        <Side title="Newer" learning={newer} pieces={pair.newer_text} now={now} {...editing(newer)} />
      </div>
    </article>
  );
}

function HitBadge({ hit }: { hit: Hit }) {
  return (
    <Badge tone="warn" className="max-w-72">
      <span className="truncate">
        {hitKindWord[hit.kind]}
        {(hit.older || hit.newer) && `: ${hit.older || "–"} ↔ ${hit.newer || "–"}`}
      </span>
    </Badge>
  );
}
