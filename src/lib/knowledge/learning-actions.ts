import { commands, type FeatureLearning } from "@/ipc";
import { tellDone, tellFault } from "@/lib/command";
import { count } from "@/lib/format";

/** What a person does with learnings, one or many, with a way back where there is one. */
export type LearningAction = "review" | "retire" | "restore";

const done: Record<LearningAction, string> = { review: "Reviewed", retire: "Retired", restore: "Restored" };
const run: Record<LearningAction, (id: string) => Promise<FeatureLearning>> = {
  review: commands.reviewLearning,
  retire: commands.retireLearning,
  restore: commands.restoreLearning,
};

/** Acts on each; a failure is shown and does not prevent the others. */
export async function actOnLearnings(action: LearningAction, ids: readonly string[]): Promise<void> {
  const succeeded: string[] = [];
  const faults: unknown[] = [];
  for (const id of ids) {
    try {
      await run[action](id);
      succeeded.push(id);
    } catch (error) {
      faults.push(error);
    }
  }
  if (faults.length > 0) tellFault(faults[0]);
  if (succeeded.length === 0) return;
  // Each was a separate act, so each is undone separately; a review takes nothing away.
  const undo = action === "review" ? undefined : () => Promise.all(succeeded.map((id) => commands.undoLearning(id)));
  tellDone(`${done[action]} ${count(succeeded.length, "learning")}`, undo);
}
