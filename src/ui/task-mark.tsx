import { Ban, Circle, CircleCheck, CircleDashed, CircleDotDashed, CirclePause, CircleX, SignalHigh, SignalLow, SignalMedium, TriangleAlert } from "lucide-react";
import type { Priority, TaskStatus } from "@/ipc";
import { cn } from "@/lib/cn";
import { priorityWord, statusWord } from "@/lib/words";

const statusLook = {
  draft: [CircleDashed, "text-faint"],
  pending: [Circle, "text-dim"],
  in_progress: [CircleDotDashed, "text-accent"],
  blocked: [CirclePause, "text-warn"],
  done: [CircleCheck, "text-ok"],
  failed: [CircleX, "text-bad"],
  skipped: [Ban, "text-faint"],
} as const satisfies Record<TaskStatus, unknown>;

export function StatusMark({ status }: { status: TaskStatus }) {
  const [Icon, colour] = statusLook[status];
  return <Icon size={15} strokeWidth={1.75} role="img" aria-label={statusWord[status]} className={cn("shrink-0", colour)} />;
}

const priorityLook = {
  critical: [TriangleAlert, "text-bad"],
  high: [SignalHigh, "text-high"],
  medium: [SignalMedium, "text-dim"],
  low: [SignalLow, "text-faint"],
} as const satisfies Record<Priority, unknown>;

export function PriorityMark({ priority }: { priority: Priority }) {
  const [Icon, colour] = priorityLook[priority];
  return (
    <Icon size={15} strokeWidth={2} role="img" aria-label={`${priorityWord[priority]} priority`} className={cn("shrink-0", colour)} />
  );
}
