import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { commands, queries } from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { lines, useDraft, words } from "@/lib/draft";
import { nameOf } from "@/lib/names";
import { Checkbox } from "@/ui/checkbox";
import { Dialog, DialogEnd } from "@/ui/dialog";
import { ErrorNote } from "@/ui/state";
import { EMPTY_TASK, type TaskDraft, TaskFields, takingTasks } from "./task-form";

/** A form for a new task; where no feature takes tasks it also creates one, and continues to the start of the loop. */
export function CreateTask({ open, feature, onClose }: { open: boolean; feature?: string; onClose: () => void }) {
  const navigate = useNavigate();
  const { data: features } = useQuery(queries.features());
  const [typed, change, clear] = useDraft("task", EMPTY_TASK);
  const { data: project } = useQuery(queries.project());
  const scope = typed.scope ?? project?.name ?? "";
  const taking = takingTasks(features ?? []).map(({ feature: { name } }) => name);
  const first = features !== undefined && taking.length === 0;
  const only = taking.length === 1 ? taking[0] : undefined;
  // A feature that has been archived since it was chosen takes no tasks, nor does such a one whose list of tasks led here. The feature that
  // it was opened for comes before that of an earlier draft, and after what is chosen now.
  const [opening, setOpening] = useState({ open, chosen: false });
  if (opening.open !== open) setOpening({ open, chosen: false });
  const wished = opening.chosen ? [typed.feature, feature] : [feature, typed.feature];
  const named = [...wished, only].find((name) => name && taking.includes(name));
  const draft = { ...typed, feature: named ?? "" };
  const changed = (part: Partial<TaskDraft>) => {
    if ("feature" in part) setOpening({ open, chosen: true });
    change(part);
  };
  const create = useCommand(
    async () => {
      const feature = first ? (await commands.createFeature(scopeNamed(scope))).name : draft.feature;
      const task = await commands.createTask({
        feature,
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
      return { task, wasFirst: first };
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
  const ready = draft.title.trim() !== "" && (first ? nameOf(scope) : draft.feature) !== "";
  return (
    <Dialog
      wide
      open={open}
      onClose={onClose}
      title="New task"
      writing={create.isPending}
      onSubmit={() => ready && create.mutate(undefined)}
      footer={
        <>
          <div className="mr-auto flex items-center gap-2 text-dim">
            <Checkbox label="Keep as a draft" checked={draft.draft} onChange={(on) => change({ draft: on })} />
            <span aria-hidden="true">Keep as a draft</span>
          </div>
          <DialogEnd send="Create task" onCancel={onClose} disabled={!ready} />
        </>
      }
    >
      <TaskFields draft={draft} onChange={changed} scope={first ? scope : undefined} />
      {create.fault && <ErrorNote fault={create.fault} />}
    </Dialog>
  );
}

/** A feature of which only the name is given. */
function scopeNamed(name: string) {
  return { name: nameOf(name), display_name: name.trim(), acronym: null, description: "", parent: null };
}
