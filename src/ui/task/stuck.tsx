import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { TaskDetail } from "@/ipc";
import { failuresInRow } from "@/lib/loop/failures";

/** A warning that a task is stuck, with what its agents say they tried; nothing if it is not. */
export function Stuck({ task, children }: { task: TaskDetail; children?: ReactNode }) {
  const { stuck, consecutive_failures, attempts } = task;
  if (!stuck) return null;
  const told = failuresInRow(attempts, consecutive_failures).flatMap(({ failure }) =>
    failure && !failure.generated ? failure.what_was_tried : [],
  );
  const tried = [...new Set(told)];
  // Why a task is blocked says how often it failed.
  if (tried.length === 0 && task.status === "blocked") return null;
  return (
    <div
      role="status"
      data-testid="stuck"
      className="flex gap-2.5 rounded-lg border border-warn/40 bg-warn-soft px-3 py-2"
    >
      <TriangleAlert size={15} className="mt-0.5 shrink-0 text-warn" aria-hidden="true" />
      <div className="selectable min-w-0 flex-1">
        <p className="num">
          <span className="inline-block font-medium first-letter:uppercase">
            stuck: failed {consecutive_failures} times in a row
          </span>{" "}
          {children}
        </p>
        {tried.length > 0 && (
          <p className="line-clamp-2 text-xs wrap-anywhere text-dim" title={tried.join("\n")}>
            Tried: {tried.join(" · ")}
          </p>
        )}
      </div>
    </div>
  );
}
