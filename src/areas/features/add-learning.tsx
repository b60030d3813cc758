import { commands, type RememberOutcome } from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { useDraft, words } from "@/lib/draft";
import { count } from "@/lib/format";
import { EMPTY_LEARNING, LearningDialog } from "@/ui/learning/learning-dialog";

/** The verdict in words: never "added" when it was not. */
function verdictWords({ verdict, pruned, redacted, cut, conflicts_with, put_away }: RememberOutcome): string {
  const told = {
    added: "Added",
    observed: "Already known: counted as an observation",
    conflict: `Added, but it contradicts ${count(conflicts_with.length, "learning")}; both wait for your review`,
    parked: "Kept, and waiting for room",
    put_away: put_away?.asks_again
      ? "Put away before, and said again by several iterations: Knowledge › Review asks you once more"
      : "Put away before: it stays away; restore the earlier one if it holds after all",
    staged: "Known on its branch; it comes here when that branch is merged",
    refused: "Not told to agents: the quality gate refused it; Knowledge › Review shows why and brings it back",
  }[verdict];
  const room = pruned.length > 0 ? ` ${count(pruned.length, "older learning")} made room.` : "";
  const secrets = redacted > 0 ? ` ${count(redacted, "secret")} taken out.` : "";
  const short = cut ? " It was longer than is kept: only its beginning is stored." : "";
  return `${told}.${room}${secrets}${short}`;
}

export function AddLearning({ onClose, feature }: { onClose: () => void; feature: string }) {
  const [draft, change, clear] = useDraft(`learning.${feature}`, EMPTY_LEARNING);
  const add = useCommand(
    () =>
      commands.appendFeatureLearning({
        feature,
        text: draft.text.trim(),
        reason: draft.reason.trim() || null,
        category: draft.category || null,
        tags: words(draft.tags),
        source: "human",
        task_id: null,
        iteration: null,
      }),
    {
      errors: "inline",
      onDone: (remembered) => {
        tellDone(verdictWords(remembered));
        clear();
        onClose();
      },
    },
  );
  return (
    <LearningDialog
      mode="add"
      draft={draft}
      onChange={change}
      onClose={onClose}
      onSave={() => add.mutate(undefined)}
      saving={add.isPending}
      fault={add.fault}
    />
  );
}
