import { useState } from "react";
import { commands, type Task, type TaskPatch } from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { lines, TYPED_BEFORE, useDraft, words } from "@/lib/draft";
import { Dialog, DialogEnd } from "@/ui/dialog";
import { ErrorNote } from "@/ui/state";
import { draftOf, type TaskDraft, TaskFields } from "./task-form";

/** Sends only the changed fields: what an agent changed meanwhile is not overwritten. */
export function patchOf(draft: TaskDraft, stored: TaskDraft): TaskPatch {
  const patch: TaskPatch = {};
  if (draft.title !== stored.title) patch.title = draft.title.trim();
  if (draft.feature !== stored.feature) patch.feature = draft.feature;
  if (draft.description !== stored.description) patch.description = draft.description.trim();
  if (draft.criteria !== stored.criteria) patch.acceptance_criteria = lines(draft.criteria);
  if (draft.priority !== stored.priority) patch.priority = draft.priority;
  if (draft.tags !== stored.tags) patch.tags = words(draft.tags);
  if (draft.depends_on.join() !== stored.depends_on.join()) patch.depends_on = draft.depends_on;
  if (draft.discipline !== stored.discipline) patch.discipline = draft.discipline;
  return patch;
}

export function EditTask({ task, onClose }: { task: Task; onClose: () => void }) {
  const [stored] = useState(() => draftOf(task));
  // Only what was typed is kept, so that Escape loses nothing and an old draft hides nothing.
  const [typed, change, clear] = useDraft<Partial<TaskDraft>>(`task.${task.id}`, {});
  const draft = { ...stored, ...typed };
  const patch = patchOf(draft, stored);
  const [isOld] = useState(Object.keys(patch).length > 0);
  const save = useCommand(() => commands.updateTask(task.id, patch), {
    errors: "inline",
    onDone: () => {
      tellDone("Saved");
      clear();
      onClose();
    },
  });
  const cancel = () => {
    clear();
    onClose();
  };
  const lacks =
    draft.title.trim() === ""
      ? "A title is missing"
      : Object.keys(patch).length === 0
        ? "Nothing is changed"
        : undefined;
  return (
    <Dialog
      wide
      open
      onClose={onClose}
      title={`Edit task #${task.id}`}
      description={isOld ? TYPED_BEFORE : undefined}
      writing={save.isPending}
      onSubmit={() => lacks === undefined && save.mutate(undefined)}
      footer={<DialogEnd send="Save" onCancel={cancel} lacks={lacks} />}
    >
      <TaskFields draft={draft} self={task.id} onChange={change} />
      {save.fault && <ErrorNote fault={save.fault} />}
    </Dialog>
  );
}
