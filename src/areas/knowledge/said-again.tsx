import { commands, type SaidAgain } from "@/ipc";
import { tellDone } from "@/lib/command";
import { ago, count, moment } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { DecideList, DecideRow } from "@/ui/learning/decide-list";

/** Put-away learnings that several iterations repeated: the person is asked once more. */
export function SaidAgainList({ said }: { said: SaidAgain[] }) {
  const now = useNow(60_000);
  return (
    <DecideList label="Said again" all={said}>
      {({ learning, put_away, iterations }) => (
        <DecideRow
          learning={learning}
          why={
            <>
              put away by {put_away.by} <time title={moment(put_away.at)}>{ago(put_away.at, now)}</time>, and said again
              by {count(iterations, "iteration")}
            </>
          }
          keep="Bring back"
          drop="Keep it out"
          decide={async (kept) => {
            await commands.decideGate(learning.id, kept);
            if (kept) tellDone("Brought back: agents are told it again", () => commands.undoLearning(learning.id));
            else tellDone("It stays out");
          }}
        />
      )}
    </DecideList>
  );
}
