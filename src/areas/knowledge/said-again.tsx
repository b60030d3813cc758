import { commands, type SaidAgain } from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { ago, count, moment } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { Button } from "@/ui/button";
import { useFew } from "@/ui/few";
import { LearningMeta } from "@/ui/learning/learning-row";

/** Put-away learnings that several iterations repeated: the person is asked once more. */
export function SaidAgainList({ said }: { said: SaidAgain[] }) {
  const [shown, more] = useFew(said);
  return (
    <>
      <ul aria-label="Said again" className="border-t border-line">
        {shown.map((one) => (
          <li key={one.learning.id}>
            <Again said={one} />
          </li>
        ))}
      </ul>
      {more && <p className="px-6">{more}</p>}
    </>
  );
}

function Again({ said: { learning, put_away, iterations } }: { said: SaidAgain }) {
  const now = useNow(60_000);
  const decide = useCommand(async (kept: boolean) => {
    await commands.decideGate(learning.id, kept);
    if (kept) tellDone("Brought back: agents are told it again", () => commands.undoLearning(learning.id));
    else tellDone("It stays out");
  });
  return (
    <article className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-4 border-b border-line px-6 py-2.5 hover:bg-hover">
      <div className="min-w-0">
        <p className="selectable wrap-anywhere">{learning.text}</p>
        <LearningMeta learning={learning} now={now} showFeature />
        <p className="num mt-0.5 text-xs text-warn">
          put away by {put_away.by} <time title={moment(put_away.at)}>{ago(put_away.at, now)}</time>, and said again by{" "}
          {count(iterations, "iteration")}
        </p>
      </div>
      <div className="flex gap-2">
        <Button disabled={decide.isPending} onClick={() => decide.mutate(true)}>
          Bring back
        </Button>
        <Button disabled={decide.isPending} onClick={() => decide.mutate(false)}>
          Keep it out
        </Button>
      </div>
    </article>
  );
}
