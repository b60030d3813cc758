import { commands, type Doubt } from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { useNow } from "@/lib/hooks";
import { Button } from "@/ui/button";
import { LearningMeta } from "@/ui/learning/learning-row";

/** Learnings that a reviewing agent considers wrong or leaves to a person. Nothing changes before a person decides. */
export function Doubts({ doubts }: { doubts: Doubt[] }) {
  return (
    <ul aria-label="Doubted" className="border-t border-line">
      {doubts.map((one) => (
        <li key={one.learning.id}>
          <Doubted doubt={one} />
        </li>
      ))}
    </ul>
  );
}

function Doubted({ doubt: { learning, finding, errand } }: { doubt: Doubt }) {
  const now = useNow(60_000);
  const decide = useCommand(async (holds: boolean) => {
    if (holds) {
      await commands.reviewLearning(learning.id);
      tellDone("Reviewed: it stays");
    } else {
      await commands.retireLearning(learning.id);
      tellDone("Put away", () => commands.restoreLearning(learning.id));
    }
  });
  return (
    <article className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-4 border-b border-line px-6 py-2.5 hover:bg-hover">
      <div className="min-w-0">
        <p className="selectable wrap-anywhere">{learning.text}</p>
        <LearningMeta learning={learning} now={now} showFeature />
        <p className="selectable mt-0.5 text-xs wrap-anywhere text-warn">
          {finding.verdict === "wrong" ? "thought to be wrong" : "needs a person"} by errand {errand}: {finding.reason}
        </p>
      </div>
      <div className="flex gap-2">
        <Button disabled={decide.isPending} onClick={() => decide.mutate(true)}>
          It is right
        </Button>
        <Button disabled={decide.isPending} onClick={() => decide.mutate(false)}>
          Put away
        </Button>
      </div>
    </article>
  );
}
