import { useQuery } from "@tanstack/react-query";
import { Command } from "cmdk";
import { X } from "lucide-react";
import { useState } from "react";
import { queries } from "@/ipc";
import { StatusMark } from "@/ui/task/task-mark";

/** Maximum number of suggestions: more words narrow them down. */
const MAX_ROWS = 6;

/** Selects the tasks that must be finished first, by number or words. */
export function DependencyPicker({
  self,
  value,
  onChange,
}: {
  self?: number;
  value: number[];
  onChange: (value: number[]) => void;
}) {
  const { data: tasks = [] } = useQuery(queries.tasks({}));
  const [text, setText] = useState("");
  const needles = text.toLowerCase().split(/\s+/).filter(Boolean);
  const hits =
    needles.length === 0
      ? []
      : tasks
          .filter((task) => task.id !== self && !value.includes(task.id))
          .filter((task) =>
            needles.every((needle) => `#${task.id} ${task.title} ${task.feature}`.toLowerCase().includes(needle)),
          )
          .slice(0, MAX_ROWS);
  const choose = (task: number) => {
    onChange([...value, task]);
    setText("");
  };
  /** A complete number says which task is meant, even if it was not chosen: a person who then sends the form has named it. */
  const named = () => {
    const number = Number(/^\s*#?(\d+)\s*$/.exec(text)?.[1]);
    return tasks.find((task) => task.id === number && task.id !== self && !value.includes(task.id));
  };
  return (
    <div className="flex flex-col gap-1">
      {/* The search field is labeled by its `Command`. */}
      <span aria-hidden="true" className="text-xs font-medium text-dim">
        Depends on
      </span>
      <Command
        shouldFilter={false}
        label="Depends on"
        className="rounded-md border border-line-strong bg-bg"
        onBlur={(event) => {
          const task = event.currentTarget.contains(event.relatedTarget) ? undefined : named();
          if (task) choose(task.id);
        }}
      >
        {value.length > 0 && (
          <ul className="flex flex-wrap gap-1 p-1.5">
            {value.map((dependency) => (
              <li
                key={dependency}
                className="num flex h-6 max-w-full items-center gap-1 rounded-md bg-raised pl-1.5 text-xs"
              >
                <span className="truncate">
                  #{dependency} {tasks.find((task) => task.id === dependency)?.title}
                </span>
                <button
                  type="button"
                  aria-label={`Remove #${dependency}`}
                  onClick={() => onChange(value.filter((other) => other !== dependency))}
                  className="flex size-5 shrink-0 items-center justify-center text-faint hover:text-text"
                >
                  <X size={12} />
                </button>
              </li>
            ))}
          </ul>
        )}
        <Command.Input
          value={text}
          onValueChange={setText}
          placeholder="Number or words from a task"
          className="h-8 w-full rounded-md bg-transparent px-2.5 text-sm"
        />
        <Command.List>
          {hits.map((task) => (
            <Command.Item
              key={task.id}
              value={String(task.id)}
              onSelect={() => choose(task.id)}
              className="flex h-7 items-center gap-2 px-2.5 last:rounded-b-md data-[selected=true]:lit"
            >
              <StatusMark status={task.status} />
              <span className="num text-faint">#{task.id}</span>
              <span className="truncate">{task.title}</span>
            </Command.Item>
          ))}
          {needles.length > 0 && hits.length === 0 && <p className="px-2.5 py-2 text-xs text-faint">No such task</p>}
        </Command.List>
      </Command>
    </div>
  );
}
