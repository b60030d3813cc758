import { type ReactNode, useState } from "react";
import { commands, type FeatureLearning } from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { useDraft } from "@/lib/draft";
import { EMPTY_LEARNING, LearningDialog, type LearningDraft } from "./learning-dialog";

/** Opens the dialog for one of many learnings, and renders it. */
export function useEditLearning(): [edit: (learning: FeatureLearning) => void, dialog: ReactNode] {
  const [editing, setEditing] = useState<FeatureLearning | null>(null);
  const dialog = editing && <EditLearning key={editing.id} learning={editing} onClose={() => setEditing(null)} />;
  return [setEditing, dialog];
}

/** The dialog for editing one learning; mounted separately for each. */
function EditLearning({ learning, onClose }: { learning: FeatureLearning; onClose: () => void }) {
  const [draft, change, clear] = useDraft<LearningDraft>(`learning.${learning.id}`, {
    ...EMPTY_LEARNING,
    text: learning.text,
    reason: learning.reason ?? "",
  });
  const save = useCommand(() => commands.editLearning(learning.id, draft.text.trim(), draft.reason.trim()), {
    errors: "inline",
    onDone: (saved) => {
      tellDone("Saved; the old version is superseded", () => commands.undoLearning(saved.id));
      clear();
      onClose();
    },
  });
  return (
    <LearningDialog
      mode="edit"
      draft={draft}
      onChange={change}
      onClose={onClose}
      onSave={() => save.mutate(undefined)}
      saving={save.isPending}
      fault={save.fault}
    />
  );
}
