import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Task } from "@/ipc";
import { cn } from "@/lib/cn";
import { age } from "@/lib/format";
import { provenanceWord } from "@/lib/words";
import { Badge } from "@/ui/badge";
import { PriorityMark, StatusMark } from "./task-mark";

/** One task in one line, and why it is blocked in a second. The whole row opens it; `lead` holds a handle or a checkbox. */
export function TaskRow({
  task,
  now,
  showFeature = true,
  lead,
  selected = false,
}: {
  task: Task;
  now: number;
  showFeature?: boolean;
  lead?: ReactNode;
  selected?: boolean;
}) {
  const closed = task.readiness === "closed";
  return (
    <div
      data-task={task.id}
      className={cn(
        "group relative border-b border-line px-6 hover:bg-hover max-[480px]:px-4",
        selected && "bg-accent-soft hover:bg-accent-soft",
      )}
    >
      <div className="flex h-8.75 items-center gap-2.5 max-[600px]:h-auto max-[600px]:min-h-8.75 max-[600px]:flex-wrap max-[600px]:gap-y-0.5 max-[600px]:py-1.5">
        {/* With large text the title has the first line for itself, and its marks the second. */}
        <div className="contents max-[600px]:flex max-[600px]:basis-full max-[600px]:items-center max-[600px]:gap-2.5">
          {lead}
          <PriorityMark priority={task.priority} />
          <span className="num w-10 shrink-0 text-faint">#{task.id}</span>
          <StatusMark status={task.status} />
          <Link
            to="/tasks/$id"
            params={{ id: String(task.id) }}
            data-row
            title={task.title}
            className={cn(
              "min-w-24 shrink truncate after:absolute after:inset-0 max-[900px]:min-w-48 max-[600px]:line-clamp-2 max-[600px]:min-w-0 max-[600px]:whitespace-normal",
              closed && "text-dim",
            )}
          >
            {task.title}
          </Link>
        </div>
        {task.stuck && (
          <Badge tone="warn" title={`Failed ${task.consecutive_failures} times in a row`} data-testid="stuck-mark">
            stuck ×{task.consecutive_failures}
          </Badge>
        )}
        {task.kind === "split" && <Badge tone="bad">split</Badge>}
        {task.readiness === "waiting" && (
          <Badge className="max-[480px]:hidden">
            waits for{" "}
            {task.waiting_on
              .slice(0, 3)
              .map((id) => `#${id}`)
              .join(", ")}
            {task.waiting_on.length > 3 && " …"}
          </Badge>
        )}
        {task.readiness === "archived" && <Badge>feature archived</Badge>}
        {task.readiness === "stranded" && <Badge tone="bad">stranded</Badge>}
        <span
          className={cn(
            "num ml-auto flex min-w-8 shrink-9 items-center justify-end gap-3 overflow-hidden text-xs text-faint max-[480px]:hidden",
            showFeature && "min-w-28 max-[700px]:min-w-8",
          )}
        >
          {task.tags.slice(0, 2).map((tag) => (
            <span key={tag} className="max-w-28 truncate max-[1180px]:hidden">
              {tag}
            </span>
          ))}
          {task.provenance !== "human" && (
            <span className="shrink-0 max-[1180px]:hidden">{provenanceWord[task.provenance]}</span>
          )}
          {showFeature && (
            <span className="max-w-36 min-w-16 truncate text-right text-dim max-[700px]:hidden">{task.feature}</span>
          )}
          <span className="w-8 shrink-0 text-right">{age(task.updated, now)}</span>
        </span>
      </div>
      {task.status === "blocked" && task.blocked_reason && (
        <p className={cn("-mt-1 pb-1.5 text-xs wrap-anywhere text-warn max-[600px]:pl-0", lead ? "pl-36" : "pl-24.75")}>
          {task.blocked_reason}
        </p>
      )}
    </div>
  );
}
