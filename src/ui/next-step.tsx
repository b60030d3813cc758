import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Play, Plus } from "lucide-react";
import { queries } from "@/ipc";
import { cn } from "@/lib/cn";

/** The next step while no run is active: starting the loop, or writing what it could work on. */
export function NextStep({ className }: { className?: string }) {
  const { data: overview } = useQuery(queries.overview());
  const place = cn("inline-flex h-7 shrink-0 items-center gap-1.5 rounded-md px-2.5", className);
  if (overview?.open_tasks === 0) {
    return (
      <Link to="/tasks" search={{ new: true }} className={place}>
        <Plus size={14} aria-hidden="true" /> New task
      </Link>
    );
  }
  return (
    <Link to="/loop" className={place}>
      <Play size={13} aria-hidden="true" />
      <span>
        Start <span className="max-[600px]:sr-only">the loop</span>
      </span>
    </Link>
  );
}

export const primaryStep = "bg-accent font-medium text-accent-ink hover:brightness-110";
