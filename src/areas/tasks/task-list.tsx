import { ChevronDown, GripVertical } from "lucide-react";
import { type KeyboardEvent, useMemo, useState } from "react";
import { commands, type Task } from "@/ipc";
import { cn } from "@/lib/cn";
import { tellFault } from "@/lib/command";
import { number } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { shortcut } from "@/lib/keys";
import { rowKeys } from "@/lib/rows";
import { beforeOf, type Group, grouped, groupWord } from "@/lib/tasks/task-order";
import { Checkbox } from "@/ui/checkbox";
import { TaskRow } from "@/ui/task/task-row";
import { PageRows } from "@/ui/virtual-list";
import type { Chosen } from "./bulk";
import { useReorder } from "./use-reorder";

type Selection = { selected: ReadonlySet<number>; onSelected: (selected: ReadonlySet<number>) => void };

/** Height of a row in pixels. */
const ROW = 36;
const CLOSED: Group[] = ["done", "skipped"];

/** Ready tasks first, then by status; open ones can be reordered within their priority. */
export function TaskList({
  tasks,
  expandAll,
  onChoose,
  ...selection
}: { tasks: Task[]; expandAll: boolean; onChoose: (which: Chosen, task: number) => void } & Selection) {
  const { selected, onSelected } = selection;
  const groups = useMemo(() => grouped(tasks), [tasks]);
  const onKey = (event: KeyboardEvent<HTMLElement>) => {
    rowKeys(event);
    if (event.key === "Escape" && selected.size > 0) onSelected(new Set());
    const row = (event.target as HTMLElement).closest<HTMLElement>("[data-row]");
    const id = Number(row?.closest<HTMLElement>("[data-task]")?.dataset.task);
    if (!row || Number.isNaN(id) || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = shortcut(event);
    if (key === "x") onSelected(toggled(selected, id));
    else if (key === "s" || key === "p") onChoose(key === "s" ? "status" : "priority", id);
    else return;
    event.preventDefault();
  };
  return (
    <section aria-label="Tasks" onKeyDown={onKey} className="pb-8">
      {groups.map(([group, members]) => (
        <TaskGroup
          key={group}
          group={group}
          tasks={members}
          open={expandAll || !CLOSED.includes(group)}
          {...selection}
        />
      ))}
    </section>
  );
}

function TaskGroup({ group, tasks, open, ...selection }: { group: Group; tasks: Task[]; open: boolean } & Selection) {
  const [toggled, setToggled] = useState(false);
  const shown = open !== toggled;
  return (
    <section aria-label={groupWord[group]} data-group={group}>
      <button
        type="button"
        aria-expanded={shown}
        onClick={() => setToggled(!toggled)}
        className="flex h-8 w-full items-center gap-2 bg-hover px-6 text-left text-xs font-medium text-dim"
      >
        <ChevronDown
          size={13}
          aria-hidden="true"
          className={cn("text-faint transition-transform", !shown && "-rotate-90")}
        />
        {groupWord[group]}
        <span className="num font-normal text-faint">{number(tasks.length)}</span>
      </button>
      {shown &&
        (group === "ready" || group === "draft" ? (
          <Sortable label={groupWord[group]} tasks={tasks} {...selection} />
        ) : (
          <Plain label={groupWord[group]} tasks={tasks} {...selection} />
        ))}
    </section>
  );
}

function Plain({ label, tasks, ...selection }: { label: string; tasks: Task[] } & Selection) {
  const now = useNow(60_000);
  return (
    <PageRows
      label={label}
      items={tasks}
      keyOf={({ id }) => id}
      estimate={ROW}
      render={(task) => (
        <TaskRow
          task={task}
          now={now}
          selected={selection.selected.has(task.id)}
          lead={
            <>
              <span className="-mr-1 w-3.5 shrink-0 max-[600px]:hidden" />
              <Pick task={task} {...selection} />
            </>
          }
        />
      )}
    />
  );
}

function toggled(selected: ReadonlySet<number>, id: number): ReadonlySet<number> {
  const after = new Set(selected);
  if (!after.delete(id)) after.add(id);
  return after;
}

function Pick({ task, selected, onSelected }: { task: Task } & Selection) {
  const on = selected.has(task.id);
  return (
    <Checkbox
      className={cn(
        "relative z-1 group-hover:opacity-100 focus-visible:opacity-100",
        !on && selected.size === 0 && "opacity-0",
      )}
      checked={on}
      label={`Select task ${task.id}`}
      onChange={(next) => {
        if (next !== on) onSelected(toggled(selected, task.id));
      }}
    />
  );
}

/** Rows that can be reordered within their priority by a handle. */
function Sortable({ label, tasks, ...selection }: { label: string; tasks: Task[] } & Selection) {
  // The order after a drop, until the backend answers with tasks of its own.
  const [dropped, setDropped] = useState<{ of: Task[]; order: Task[] } | null>(null);
  const now = useNow(60_000);
  const shown = dropped?.of === tasks ? dropped.order : tasks;
  const drop = (id: number, over: number) => {
    const moved = shown.find((one) => one.id === id);
    const before = beforeOf(shown, id, over);
    if (!moved || before === null) return;
    const rest = shown.filter(({ id }) => id !== moved.id);
    const at =
      before === 0
        ? rest.findLastIndex(({ priority }) => priority === moved.priority) + 1
        : rest.findIndex(({ id }) => id === before);
    setDropped({ of: tasks, order: [...rest.slice(0, at), moved, ...rest.slice(at)] });
    commands.updateTask(moved.id, { before }).catch((error) => {
      setDropped(null);
      tellFault(error);
    });
  };
  const { held, handle, shift } = useReorder({ ids: shown.map(({ id }) => id), height: ROW, onDrop: drop });
  return (
    <>
      <PageRows
        label={label}
        items={shown}
        keyOf={({ id }) => id}
        estimate={ROW}
        render={(task, index) => (
          <div
            style={{ transform: shift(index) === 0 ? undefined : `translateY(${shift(index)}px)` }}
            className={cn(
              held && held.id !== task.id && "transition-transform",
              held?.id === task.id && "relative z-20 bg-panel shadow-pop",
            )}
          >
            <TaskRow
              task={task}
              now={now}
              selected={selection.selected.has(task.id)}
              lead={
                <>
                  <button
                    type="button"
                    aria-label={`Move task ${task.id}`}
                    aria-pressed={held?.byKeys === true && held.id === task.id}
                    className="relative z-1 -mr-1 -ml-0.5 flex h-6 w-4 shrink-0 cursor-grab touch-none items-center justify-center text-faint opacity-0 group-hover:opacity-100 focus-visible:opacity-100"
                    {...handle(task.id)}
                  >
                    <GripVertical size={13} />
                  </button>
                  <Pick task={task} {...selection} />
                </>
              }
            />
          </div>
        )}
      />
      <p className="sr-only" aria-live="assertive">
        {held?.byKeys &&
          `#${held.id} would stand ${held.to + 1} of ${shown.length}. Arrow keys move it, Enter puts it there, Escape leaves it.`}
      </p>
    </>
  );
}
