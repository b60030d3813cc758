import {
  Ban,
  Circle,
  CircleCheck,
  CircleDashed,
  CircleDotDashed,
  CircleEllipsis,
  CirclePause,
  CircleX,
} from "lucide-react";
import type { Priority, TaskStatus } from "@/ipc";
import { cn } from "@/lib/cn";
import { priorityWord, statusWord } from "@/lib/words";

const statusLook = {
  draft: [CircleDashed, "text-faint"],
  pending: [Circle, "text-dim"],
  in_progress: [CircleDotDashed, "text-accent"],
  blocked: [CirclePause, "text-warn"],
  in_review: [CircleEllipsis, "text-high"],
  done: [CircleCheck, "text-ok"],
  failed: [CircleX, "text-bad"],
  skipped: [Ban, "text-faint"],
} as const satisfies Record<TaskStatus, unknown>;

export function StatusMark({ status }: { status: TaskStatus }) {
  const [Icon, colour] = statusLook[status];
  return (
    <Icon size={15} strokeWidth={1.75} role="img" aria-label={statusWord[status]} className={cn("shrink-0", colour)} />
  );
}

const bars: Record<Priority, number> = { critical: 4, high: 3, medium: 2, low: 1 };

/** Bars of rising height, one for each level of priority; red for the highest. */
export function PriorityMark({ priority }: { priority: Priority }) {
  const colour = { critical: "text-bad", high: "text-high", medium: "text-dim", low: "text-dim" }[priority];
  return (
    <svg
      width="14"
      height="14"
      viewBox="0 0 14 14"
      role="img"
      aria-label={`${priorityWord[priority]} priority`}
      className={cn("shrink-0", colour)}
    >
      {[0, 1, 2, 3].map((bar) => (
        <rect
          key={bar}
          x={1 + bar * 3.25}
          y={9 - bar * 2.25}
          width="2.25"
          height={4 + bar * 2.25}
          rx="0.75"
          fill="currentColor"
          opacity={bar < bars[priority] ? 1 : 0.22}
        />
      ))}
    </svg>
  );
}
