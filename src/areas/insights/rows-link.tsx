import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { IterationSearch } from "@/lib/loop/iteration-search";

/** A figure linked to the iterations that it counts. */
export function RowsLink({ search, children }: { search: IterationSearch; children: ReactNode }) {
  return (
    <Link
      to="/insights/iterations"
      search={search}
      className="inline-flex min-h-6 items-center rounded-sm underline decoration-line-strong decoration-dotted underline-offset-3 hover:text-accent hover:decoration-accent"
    >
      {children}
    </Link>
  );
}
