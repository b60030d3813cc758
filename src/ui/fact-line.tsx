import { Children, type ReactNode } from "react";
import { cn } from "@/lib/cn";

/** A line of small facts with dots between them; `lead` stands before the first without one. */
export function FactLine({ lead, className, children }: { lead?: ReactNode; className?: string; children: ReactNode }) {
  return (
    <p className={cn("num flex flex-wrap items-center gap-x-1.5 gap-y-0.5 text-xs text-faint", className)}>
      {lead}
      {Children.toArray(children).map((fact, at) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: facts of one line keep their places.
          key={at}
          // A fact that turns out to have nothing to say leaves no dot behind.
          className={cn("inline-flex min-w-0 items-center gap-x-1.5 empty:hidden", at > 0 && "before:content-['·']")}
        >
          {fact}
        </span>
      ))}
    </p>
  );
}
