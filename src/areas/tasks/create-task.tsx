import { useNavigate } from "@tanstack/react-router";
import { commands } from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { lines, useDraft, words } from "@/lib/draft";
import { Checkbox } from "@/ui/checkbox";
import { Dialog, DialogEnd } from "@/ui/dialog";
import { ErrorNote } from "@/ui/state";
import { useFeatureChoice } from "./feature-choice";
import { EMPTY_TASK, type TaskDraft, TaskFields } from "./task-form";

/** A form for a new task; where no feature takes tasks it also creates one, and continues to the start of the loop. */
export function CreateTask({ feature, onClose }: { feature?: string; onClose: () => void }) {
  const navigate = useNavigate();
  const [typed, change, clear] = useDraft("task", EMPTY_TASK);
  const choice = useFeatureChoice(feature, typed.feature, typed.scope);
  const draft = { ...typed, feature: choice.feature };
  const changed = (part: Partial<TaskDraft>) => {
    if ("feature" in part) choice.chosen();
    change(part);
  };
  const create = useCommand(
    async () => {
      const wasFirst = choice.scope !== undefined;
      const task = await commands.createTask({
        feature: await choice.made(),
        title: draft.title.trim(),
        description: draft.description.trim(),
        acceptance_criteria: lines(draft.criteria),
        status: draft.draft ? "draft" : "pending",
        priority: draft.priority,
        tags: words(draft.tags),
        depends_on: draft.depends_on,
        discipline: draft.discipline || null,
      });
      // By now the list of features includes the new one.
      return { task, wasFirst };
    },
    {
      errors: "inline",
      onDone: ({ task, wasFirst }) => {
        tellDone(`Task #${task.id} created`);
        clear();
        if (wasFirst) void navigate({ to: "/loop" });
        else onClose();
      },
    },
  );
  const lacks = draft.title.trim() === "" ? "A title is missing" : choice.lacks;
  return (
    <Dialog
      wide
      open
      onClose={onClose}
      title="New task"
      writing={create.isPending}
      onSubmit={() => lacks === undefined && create.mutate(undefined)}
      footer={
        <>
          <div className="mr-auto flex items-center gap-2 text-dim">
            <Checkbox label="Keep as a draft" checked={draft.draft} onChange={(on) => change({ draft: on })} />
            <span aria-hidden="true">Keep as a draft</span>
          </div>
          <DialogEnd send="Create task" onCancel={onClose} lacks={lacks} />
        </>
      }
    >
      <TaskFields draft={draft} onChange={changed} scope={choice.scope} />
      {create.fault && <ErrorNote fault={create.fault} />}
    </Dialog>
  );
}
