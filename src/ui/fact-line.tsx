import { Children, type ReactNode } from "react";
import { cn } from "@/lib/cn";

/**
 * A line of small details separated by dots; `lead` precedes the first one without a dot. Each detail has its dot on the left,
 * and overflow on the left is hidden, so that no line begins or ends with a dot, wherever it wraps.
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
            // A detail that renders nothing leaves no dot behind.
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
