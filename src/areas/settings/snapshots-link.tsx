import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

/** To the snapshots that are kept. */
export function SnapshotsLink({ children }: { children: ReactNode }) {
  return (
    <Link to="/loop/snapshots" className="underline underline-offset-2">
      {children}
    </Link>
  );
}
