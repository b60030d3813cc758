import { Link } from "@tanstack/react-router";
import type { Notice } from "@/ipc";
import { cn } from "@/lib/cn";

/** Why nothing is merged now, and where that is settled. */
export function HeldUp({ notice, className }: { notice: Notice; className?: string }) {
  return (
    <p className={cn("selectable wrap-anywhere text-bad", className)}>
      {notice.title}. A merge would run it as you, so nothing is merged before you have looked at it:{" "}
      <Link to="/needs-you" className="underline underline-offset-2">
        see what it is
      </Link>
    </p>
  );
}
