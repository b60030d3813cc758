import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArrowRight, GitPullRequest } from "lucide-react";
import { queries, type ReviewRow } from "@/ipc";
import { cn } from "@/lib/cn";
import { count } from "@/lib/format";
import { heldUpBy } from "@/lib/needs";
import { rowKeys } from "@/lib/rows";
import { workOf } from "@/lib/work";
import { Badge, Dot } from "@/ui/badge";
import { Counts } from "@/ui/diff/counts";
import { Page } from "@/ui/page";
import { Result } from "@/ui/query";
import { Empty } from "@/ui/state";
import { PageRows } from "@/ui/virtual-list";
import { useUnderWay } from "./under-way";
import { standingOf } from "./words";

/** Finished work in worktrees that awaits a person's decision. */
export function ReviewsPage() {
  const reviews = useQuery(queries.reviews());
  const waiting = reviews.data?.filter((row) => row.state !== "discarded").length ?? 0;
  return (
    <Page title="Review" sub={waiting > 0 ? `${waiting} to review` : undefined}>
      <Result of={reviews}>{(rows) => <Rows rows={rows} />}</Result>
    </Page>
  );
}

function Rows({ rows }: { rows: ReviewRow[] }) {
  const waiting = rows.filter(({ state }) => state !== "discarded");
  const discarded = rows.filter(({ state }) => state === "discarded");
  return (
    <>
      {waiting.length === 0 && (
        <Empty
          icon={GitPullRequest}
          title="Nothing waits for review"
          action={
            <Link to="/loop" className="text-accent underline underline-offset-2">
              Go to Loop
            </Link>
          }
        >
          A task that an agent did in a worktree of its own comes here, with its changes, before it is merged.
        </Empty>
      )}
      {waiting.length > 0 && <List label="To review" rows={waiting} />}
      {discarded.length > 0 && (
        <section className="pt-6">
          <h2 className="px-6 pb-2 font-semibold">
            Discarded <span className="text-xs font-normal text-faint">until their branches are pruned</span>
          </h2>
          <List label="Discarded" rows={discarded} />
        </section>
      )}
    </>
  );
}

function List({ label, rows }: { label: string; rows: ReviewRow[] }) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: moves the focus between the rows.
    <div className="border-t border-line" onKeyDown={rowKeys}>
      <PageRows label={label} items={rows} keyOf={workOf} estimate={49} render={(row) => <Line row={row} />} />
    </div>
  );
}

/** Where it breaks into two lines the second begins below the words of the work, not below its number. */
const belowTitle = "max-[700px]:ml-15";

function Line({ row }: { row: ReviewRow }) {
  const { data: overview } = useQuery(queries.overview());
  const standing = standingOf(row, heldUpBy(overview?.needs_you) !== undefined, useUnderWay(row).words);
  return (
    <div
      data-testid="review-row"
      className="relative flex min-h-12 items-center gap-3 border-b border-line px-6 py-1.5 hover:bg-hover max-[700px]:flex-wrap max-[700px]:gap-y-1"
    >
      <span className="num w-12 shrink-0 text-right text-xs text-faint">
        {row.task === null ? workOf(row) : `#${row.task}`}
      </span>
      <div className="min-w-0 flex-1 max-[700px]:min-w-[calc(100%-4rem)]">
        <Link
          to="/review/$task"
          params={{ task: workOf(row) }}
          data-row
          title={row.title}
          className="block truncate after:absolute after:inset-0"
        >
          {row.title}
        </Link>
        <p className="flex min-w-0 items-center gap-1.5 font-mono text-2xs text-faint">
          <span className="truncate">{row.branch}</span>
          <ArrowRight size={11} className="shrink-0" aria-label="into" />
          <span className="max-w-40 shrink-0 truncate">{row.base}</span>
        </p>
      </div>
      {row.check && (
        <span className={cn("flex shrink-0 items-center gap-1.5 text-xs text-dim", belowTitle)}>
          <Dot tone={row.check.passed ? "ok" : "bad"} /> check {row.check.passed ? "passed" : "failed"}
        </span>
      )}
      <Badge tone={standing.tone} className={cn(!row.check && belowTitle)}>
        {standing.words}
      </Badge>
      <span className="num w-16 shrink-0 text-right text-xs text-faint max-[700px]:w-auto">
        {count(row.files, "file")}
      </span>
      <span className="w-32 shrink-0 text-right max-[700px]:w-auto">
        <Counts added={row.added} removed={row.removed} />
      </span>
    </div>
  );
}
