import { Children, type ReactNode } from "react";
import { cn } from "@/lib/cn";

/**
 * A line of small facts with dots between them; `lead` stands before the first without one. Each fact has its dot before it, and what
 * stands left of the line is not seen: so no line begins or ends with a dot, wherever it breaks.
 */
export function FactLine({ lead, className, children }: { lead?: ReactNode; className?: string; children: ReactNode }) {
  return (
    <div className={cn("-ml-1 overflow-x-clip pl-1", className)}>
      <p className="num -ml-3.5 flex flex-wrap items-center gap-y-0.5 text-xs text-faint">
        {lead && <span className="pl-3.5 empty:hidden">{lead}</span>}
        {Children.toArray(children).map((fact, at) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: facts of one line keep their places.
            key={at}
            // A fact that turns out to have nothing to say leaves no dot behind.
            className={cn(
              "relative inline-flex min-w-0 items-center empty:hidden",
              at === 0 && lead ? "pl-1.5" : "pl-3.5 before:absolute before:left-1.25 before:content-['·']",
            )}
          >
            {fact}
          </span>
        ))}
      </p>
    </div>
  );
}
