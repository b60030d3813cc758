import { Link } from "@tanstack/react-router";
import { Undo2 } from "lucide-react";
import { type AutomaticAct, commands } from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { ago, moment, percent } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { actWord } from "@/lib/knowledge/knowledge-words";
import { Button } from "@/ui/button";
import { useFew } from "@/ui/few";
import { LearningMeta } from "@/ui/learning/learning-row";
import { Side } from "@/ui/side";

/** Ralph's automatic acts on learnings, each with an undo. */
export function Acts({ acts }: { acts: AutomaticAct[] }) {
  const [shown, more] = useFew(acts);
  return (
    <>
      <ul aria-label="Done by Ralph" className="flex flex-col gap-3 px-6">
        {shown.map((act) => (
          <li key={gaveWay(act)}>
            <Act act={act} />
          </li>
        ))}
      </ul>
      {more && <p className="px-6">{more}</p>}
    </>
  );
}

/** The learning that gave way, after which an act is named: one that stays may have replaced several. */
function gaveWay({ learning, other }: AutomaticAct): string {
  return other.superseded_by && !learning.superseded_by ? other.id : learning.id;
}

function Act({ act }: { act: AutomaticAct }) {
  const { reconciliation, learning, other, made, learning_text, other_text } = act;
  const now = useNow(60_000);
  const undo = useCommand(async () => {
    await commands.undoReconciliation(gaveWay(act));
    tellDone("Undone: both stay, and are kept apart from now on");
  });
  return (
    <article
      data-row
      tabIndex={-1}
      className="rounded-xl border border-line bg-panel"
      aria-label={actWord[reconciliation.verdict]}
    >
      <header className="num flex flex-wrap items-center gap-x-2 gap-y-1 border-b border-line px-4 py-1.5">
        <span className="font-medium">{actWord[reconciliation.verdict]}</span>
        <span className="text-xs text-faint">{percent(reconciliation.similarity)} alike</span>
        <span className="text-xs text-faint" title={moment(reconciliation.at)}>
          {ago(reconciliation.at, now)}
        </span>
        <Link to="/features/$name" params={{ name: learning.feature }} className="text-xs text-dim hover:text-text">
          {learning.feature}
        </Link>
        <Button size="sm" className="ml-auto" disabled={undo.isPending} onClick={() => undo.mutate(undefined)}>
          <Undo2 size={13} aria-hidden="true" /> Undo
        </Button>
      </header>
      <div className="grid grid-cols-2 divide-x divide-line">
        <Side title="Known" learning={other} pieces={other_text} now={now} quiet />
        <Side title="Newer" learning={learning} pieces={learning_text} now={now} quiet />
      </div>
      {made && (
        <section aria-label="Now" className="border-t border-line px-4 py-2.5">
          <h3 className="text-2xs font-medium text-faint">Now</h3>
          <p className="selectable wrap-anywhere">{made.text}</p>
          <LearningMeta learning={made} now={now} showFeature={false} />
        </section>
      )}
    </article>
  );
}
