import { CircleAlert, type LucideIcon } from "lucide-react";
import { type ReactNode, useState } from "react";
import { type CommandFault, commands } from "@/ipc";
import { cn } from "@/lib/cn";
import { tellFault } from "@/lib/command";
import { useSlow } from "@/lib/hooks";
import { Button } from "./button";
import { Said } from "./said";

/** An empty state with the action that fills it. */
export function Empty({
  icon: Icon,
  title,
  children,
  action,
}: {
  icon?: LucideIcon;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center justify-center gap-1.5 px-6 py-14 text-center">
      {Icon && <Icon size={20} strokeWidth={1.5} className="mb-1 text-faint" aria-hidden="true" />}
      <p className="font-medium">{title}</p>
      {children && <p className="max-w-md text-dim">{children}</p>}
      {action && <div className="mt-2.5 flex gap-2">{action}</div>}
    </div>
  );
}

/** An error: what failed, why, and what to do. */
export function ErrorNote({ fault, onRetry }: { fault: CommandFault; onRetry?: () => void }) {
  return (
    <div role="alert" className="flex flex-wrap gap-2.5 rounded-lg border border-bad/40 bg-bad-soft px-3 py-2">
      <CircleAlert size={15} className="mt-0.5 shrink-0 text-bad" aria-hidden="true" />
      {/* In a narrow form the buttons go below the words. */}
      <div className="selectable min-w-0 flex-1 basis-52">
        <LongText text={fault.message} />
        {fault.hint && (
          <p className="wrap-anywhere text-dim">
            <Said text={fault.hint} />
          </p>
        )}
      </div>
      {fault.code === "config" && (
        <Button size="sm" onClick={() => void commands.openSettingsFile().catch(tellFault)}>
          Open the file
        </Button>
      )}
      {onRetry && (
        <Button size="sm" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** Length up to which a text is shown completely: some errors list every folder that was searched. */
const MESSAGE_CHARS = 240;

/** A text whose rest is shown on demand. */
export function LongText({ text, className }: { text: string; className?: string }) {
  const [whole, setWhole] = useState(false);
  const folds = text.length > MESSAGE_CHARS;
  return (
    <>
      <p className={cn("wrap-anywhere", folds && !whole && "line-clamp-3", className)}>
        <Said text={text} />
      </p>
      {folds && (
        <button
          type="button"
          aria-expanded={whole}
          className="text-xs text-dim underline underline-offset-2"
          onClick={() => setWhole(!whole)}
        >
          {whole ? "Show less" : "Show all of it"}
        </button>
      )}
    </>
  );
}

/** Placeholders for rows, shown once the wait is long enough to notice. */
export function Skeleton({ rows = 6, waiting = true }: { rows?: number; waiting?: boolean }) {
  const slow = useSlow(waiting);
  if (!slow) return null;
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-3 p-4">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike.
        <div key={row} className="pulse flex gap-3">
          <div className="h-4 w-12 rounded bg-raised" />
          <div className="h-4 flex-1 rounded bg-raised" style={{ maxWidth: `${70 - ((row * 13) % 35)}%` }} />
        </div>
      ))}
    </div>
  );
}
