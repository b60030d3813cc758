import type { TaskCounts } from "@/ipc";
import { cn } from "@/lib/cn";

const MAX_SQUARES = 16;

const parts = [
  ["done", "bg-ok"],
  ["skipped", "bg-ok/40"],
  ["in_progress", "bg-accent"],
  ["in_review", "bg-high"],
  ["blocked", "bg-warn"],
  ["failed", "bg-bad"],
  ["pending", "bg-line-strong"],
  ["draft", "bg-raised"],
] as const;

/** A feature's tasks at a glance: one square each, or shares of one bar if there are many. */
export function TaskSquares({ counts }: { counts: TaskCounts }) {
  const total = parts.reduce((sum, [status]) => sum + counts[status], 0);
  if (total === 0) return <span className="text-xs text-faint">no tasks yet</span>;
  return (
    <div>
      <div aria-hidden="true" className="flex h-4 max-w-44 items-center gap-0.75">
        {total <= MAX_SQUARES
          ? parts.flatMap(([status, colour]) =>
              Array.from({ length: counts[status] }, (_, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: squares of a status are all alike.
                <span key={`${status}${index}`} className={cn("size-1.75 rounded-[2px]", colour)} />
              )),
            )
          : parts
              // An empty one would add the gap beside it.
              .filter(([status]) => counts[status] > 0)
              .map(([status, colour]) => (
                <span
                  key={status}
                  className={cn("h-1.75 rounded-[2px]", colour)}
                  style={{ flexGrow: counts[status] }}
                />
              ))}
      </div>
      <p className="num text-xs text-dim">
        {counts.done} of {total} done{counts.skipped > 0 && `, ${counts.skipped} skipped`}
      </p>
    </div>
  );
}
