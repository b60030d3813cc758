import type { ReactNode } from "react";
import { cn } from "@/lib/cn";

/** The way from the page above down to this one. */
export function Crumbs({ className = "mb-1", children }: { className?: string; children: ReactNode }) {
  return (
    <nav aria-label="Where this is" className={cn("flex items-center gap-1 text-xs text-faint", className)}>
      {children}
    </nav>
  );
}
