import { commands, type Task, type TaskPatch, type TaskStatus } from "@/ipc";
import { tellDone, tellFault } from "@/lib/command";
import { count } from "@/lib/format";
import { useFocusReturn } from "@/lib/hooks";
import { backTo } from "@/lib/tasks/task-actions";
import { PRIORITIES, priorityWord, STATUSES_BY_A_PERSON, statusWord } from "@/lib/words";
import { Button } from "@/ui/button";
import { Menu, MenuContent, MenuItem, MenuTrigger } from "@/ui/menu";
import { PriorityMark, StatusMark } from "@/ui/task/task-mark";

/** Changes each task; the first error is shown, the others are still changed, and all that have a way back can be undone. */
async function change(tasks: Task[], patch: Pick<TaskPatch, "status" | "priority">, what: string): Promise<void> {
  const changed: Task[] = [];
  const faults: unknown[] = [];
  for (const task of tasks) {
    try {
      await commands.updateTask(task.id, patch);
      changed.push(task);
    } catch (error) {
      faults.push(error);
    }
  }
  if (faults.length > 0) tellFault(faults[0]);
  if (changed.length === 0) return;
  const backs = changed.flatMap((task) => {
    const back = backTo(task, patch);
    return back ? [() => commands.updateTask(task.id, back)] : [];
  });
  const lost = changed.length - backs.length;
  const words = `${count(changed.length, "task")}: ${what}`;
  if (backs.length === 0) tellDone(words);
  else {
    const undo = () => Promise.all(backs.map((back) => back()));
    tellDone(lost > 0 ? `${words}. Undo can't put ${lost} back in review.` : words, undo);
  }
}

/** What is chosen for tasks. */
export type Chosen = "status" | "priority";
/** Which menu is open; a key can open it, too. */
export type Choosing = Chosen | null;

export function Bulk({
  chosen,
  choosing,
  onChoosing,
  onDone,
}: {
  chosen: Task[];
  choosing: Choosing;
  onChoosing: (which: Choosing) => void;
  onDone: () => void;
}) {
  const menu = (which: "status" | "priority") => ({
    open: choosing === which,
    onOpenChange: (open: boolean) => onChoosing(open ? which : null),
  });
  const focus = useFocusReturn(choosing !== null);
  const onCloseAutoFocus = (event: Event) => {
    // The focus stays where the person clicked meanwhile.
    if (document.activeElement === document.body) focus.onCloseAutoFocus(event);
  };
  const setStatus = (status: TaskStatus) =>
    void change(chosen, { status }, statusWord[status].toLowerCase()).then(onDone);
  const setPriority = (priority: Task["priority"]) =>
    void change(chosen, { priority }, `${priorityWord[priority].toLowerCase()} priority`).then(onDone);
  return (
    <>
      <span className="num text-dim">{count(chosen.length, "task")} selected</span>
      <Menu {...menu("status")}>
        <MenuTrigger asChild>
          <Button>Set status</Button>
        </MenuTrigger>
        <MenuContent onCloseAutoFocus={onCloseAutoFocus}>
          {STATUSES_BY_A_PERSON.map((status) => (
            <MenuItem key={status} onSelect={() => setStatus(status)}>
              <StatusMark status={status} /> {statusWord[status]}
            </MenuItem>
          ))}
        </MenuContent>
      </Menu>
      <Menu {...menu("priority")}>
        <MenuTrigger asChild>
          <Button>Set priority</Button>
        </MenuTrigger>
        <MenuContent onCloseAutoFocus={onCloseAutoFocus}>
          {PRIORITIES.map((priority) => (
            <MenuItem key={priority} onSelect={() => setPriority(priority)}>
              <PriorityMark priority={priority} /> {priorityWord[priority]}
            </MenuItem>
          ))}
        </MenuContent>
      </Menu>
      <Button look="ghost" onClick={onDone}>
        Clear selection
      </Button>
    </>
  );
}
