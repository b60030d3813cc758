import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { cn } from "@/lib/cn";
import { ago, moment } from "@/lib/format";
import { useIsNew, useNow } from "@/lib/hooks";
import { NewMark } from "@/ui/badge";

/** One open item: what it is, the reason, its place, its age, and the possible actions. */
export function Row({
  title,
  reason,
  tone = "text-dim",
  feature,
  since,
  lead,
  actions,
  children,
  testId,
}: {
  /** A link to the item's page; `data-row` makes it a row of the list. */
  title: ReactNode;
  reason?: ReactNode;
  tone?: string;
  feature?: string;
  since?: string;
  lead?: ReactNode;
  actions?: ReactNode;
  /** Expanded content below the row. */
  children?: ReactNode;
  testId?: string;
}) {
  const now = useNow(60_000);
  const isNew = useIsNew();
  return (
    <div data-testid={testId} className="border-b border-line px-6 py-2 hover:bg-hover">
      <div className="flex items-start gap-x-3 max-[700px]:flex-wrap">
        {lead}
        {/* With large text, the details go below its name rather than take its room. */}
        <div className="min-w-0 flex-1 max-[700px]:min-w-[min(18rem,100%)]">
          <div className="flex min-w-0 items-center gap-2 leading-7">
            <div className="min-w-0">{title}</div>
            {isNew(since ?? null) && <NewMark />}
          </div>
          {reason && <p className={cn("selectable -mt-0.5 text-xs wrap-anywhere", tone)}>{reason}</p>}
        </div>
        <div className="flex shrink-0 items-center gap-3 leading-7 max-[700px]:ml-auto max-[480px]:shrink max-[480px]:flex-wrap">
          {feature && (
            <Link
              to="/features/$name"
              params={{ name: feature }}
              className="max-w-36 truncate text-right text-xs text-faint hover:text-text max-[1100px]:max-w-24"
            >
              {feature}
            </Link>
          )}
          <span
            className="num w-20 text-right text-xs text-faint max-[700px]:w-auto max-[700px]:empty:hidden"
            title={since && moment(since)}
          >
            {since && ago(since, now)}
          </span>
          <span className="flex w-38 items-center max-[700px]:w-auto justify-end gap-1.5">{actions}</span>
        </div>
      </div>
      {children}
    </div>
  );
}

/** A kind of open item, with its count. */
export function Group({
  title,
  note,
  count,
  actions,
  children,
}: {
  title: string;
  note?: string;
  count: number;
  actions?: ReactNode;
  children: ReactNode;
}) {
  if (count === 0) return null;
  return (
    <section aria-label={title} tabIndex={-1} className="pt-3 pb-2">
      <div className="flex min-h-8 items-center gap-2 px-6 pb-1">
        <h2 className="font-semibold">{title}</h2>
        <span className="num text-xs text-faint">{count}</span>
        {note && <span className="min-w-0 text-xs text-faint">{note}</span>}
        <span className="ml-auto flex items-center gap-2">{actions}</span>
      </div>
      <div className="border-t border-line">{children}</div>
    </section>
  );
}
