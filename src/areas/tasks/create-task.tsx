import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { commands, queries } from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { lines, useDraft, words } from "@/lib/draft";
import { Button } from "@/ui/button";
import { Checkbox } from "@/ui/checkbox";
import { Dialog } from "@/ui/dialog";
import { ErrorNote } from "@/ui/state";
import { EMPTY_TASK, TaskFields } from "./task-form";

export function CreateTask({ open, feature, onClose }: { open: boolean; feature?: string; onClose: () => void }) {
  const navigate = useNavigate();
  const { data: features } = useQuery(queries.features());
  const [typed, change, clear] = useDraft("task", EMPTY_TASK);
  const only = features?.length === 1 ? features[0]?.feature.name : undefined;
  const draft = { ...typed, feature: typed.feature || feature || only || "" };
  const create = useCommand(
    () =>
      commands.createTask({
        feature: draft.feature,
        title: draft.title.trim(),
        description: draft.description.trim(),
        acceptance_criteria: lines(draft.criteria),
        status: draft.draft ? "draft" : "pending",
        priority: draft.priority,
        tags: words(draft.tags),
        depends_on: draft.depends_on,
        discipline: draft.discipline || null,
      }),
    {
      errors: "inline",
      onDone: (task) => {
        tellDone(`Task #${task.id} created`);
        clear();
        onClose();
      },
    },
  );
  const ready = draft.title.trim() !== "" && draft.feature !== "";
  if (open && features?.length === 0) {
    return (
      <Dialog open onClose={onClose} title="A task needs a feature">
        <p className="pb-3 text-dim">
          Tasks belong to a feature, so that what is learnt stays with the work it came from.
        </p>
        <div className="flex justify-end pb-2">
          <Button look="primary" onClick={() => void navigate({ to: "/features", search: { new: true } })}>
            New feature
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog
      wide
      open={open}
      onClose={onClose}
      title="New task"
      onSubmit={() => ready && create.mutate(undefined)}
      footer={
        <>
          <div className="mr-auto flex items-center gap-2 text-dim">
            <Checkbox label="Keep as a draft" checked={draft.draft} onChange={(on) => change({ draft: on })} />
            <span aria-hidden="true">Keep as a draft</span>
          </div>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={!ready || create.isPending}>
            Create task
          </Button>
        </>
      }
    >
      <TaskFields draft={draft} onChange={change} />
      {create.fault && <ErrorNote fault={create.fault} />}
    </Dialog>
  );
}
