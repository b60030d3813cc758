import { commands, type Doubt } from "@/ipc";
import { tellDone } from "@/lib/command";
import { DecideList, DecideRow } from "@/ui/learning/decide-list";

/** Learnings that a reviewing agent considers wrong or leaves to a person. */
export function Doubts({ doubts }: { doubts: Doubt[] }) {
  return (
    <DecideList label="Doubted" all={doubts}>
      {({ learning, finding, errand }) => (
        <DecideRow
          learning={learning}
          why={`${finding.verdict === "wrong" ? "thought to be wrong" : "needs a person"} by errand ${errand}: ${finding.reason}`}
          keep="It is right"
          drop="Put away"
          decide={async (kept) => {
            if (kept) {
              await commands.reviewLearning(learning.id);
              tellDone("Reviewed: it stays");
            } else {
              await commands.retireLearning(learning.id);
              tellDone("Put away", () => commands.restoreLearning(learning.id));
            }
          }}
        />
      )}
    </DecideList>
  );
}
