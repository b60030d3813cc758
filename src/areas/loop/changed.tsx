import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { EVIDENCE_ITEMS, type Iteration, queries, type RemarkLine } from "@/ipc";
import { cn } from "@/lib/cn";
import { count } from "@/lib/format";
import { isOneCommand } from "@/lib/said";
import { buttonLook } from "@/ui/button";
import { Result } from "@/ui/query";
import { Said, TerminalCommand } from "@/ui/said";
import { Empty, Skeleton } from "@/ui/state";
import { CheckLine } from "@/ui/task/check-line";

/** Fetched when a diff is first shown, so that following a run does not wait for it. */
const DiffOf = lazy(() => import("@/ui/diff/diff-of").then((m) => ({ default: m.DiffOf })));

/** The evidence: commits, files, the result of the check, and the diff. */
export function Changed({ iteration, remarks }: { iteration: Iteration; remarks: RemarkLine[] }) {
  const { commits, changed_files, check, ralph_files = [], snapshot = null } = iteration.evidence;
  const diff = useQuery({ ...queries.iterationDiff(iteration.id), enabled: iteration.outcome !== "running" });
  if (iteration.outcome === "running") {
    return <Empty title="Still at work">Commits, changed files and the check are read when the iteration ends.</Empty>;
  }
  const changed = commits.length > 0 || changed_files.length > 0;
  const nothing = !changed && !check && remarks.length === 0 && ralph_files.length === 0;
  return (
    <>
      {nothing && <Empty title="Nothing changed">No commit, no changed file outside .ralph, and no check ran.</Empty>}
      {check && <CheckLine check={check} />}
      <GitRemarks remarks={remarks} />
      {ralph_files.length > 0 && <Lines title="Changed below .ralph, and not in force" lines={ralph_files} open />}
      {snapshot && <Snapshot name={snapshot} />}
      {commits.length > 0 && <Lines title={atLeast(commits, "commit")} lines={commits} open={commits.length <= 6} />}
      {changed_files.length > 0 && <Lines title={atLeast(changed_files, "changed file")} lines={changed_files} />}
      {!nothing && (
        <Result of={diff}>
          {(text) =>
            text === "" ? (
              changed_files.length > 0 && (
                <p className="px-6 py-3 text-dim">Nothing of it was committed, so there is no difference to show.</p>
              )
            ) : (
              <Suspense fallback={<Skeleton />}>
                <DiffOf text={text} changed={changed_files} />
              </Suspense>
            )
          }
        </Result>
      )}
    </>
  );
}

/** How many there are, as far as they are named. */
function atLeast(named: readonly string[], noun: string): string {
  return `${named.length < EVIDENCE_ITEMS ? "" : "at least "}${count(named.length, noun)}`;
}

/** Findings of git beyond commits and files: branches, stash, pushes, a person's uncommitted work. */
function GitRemarks({ remarks }: { remarks: RemarkLine[] }) {
  if (remarks.length === 0) return null;
  return (
    <ul aria-label="What git tells" className="selectable shrink-0 border-b border-line px-6 py-2">
      {remarks.map((remark) => (
        <li key={remark.text} className="flex flex-wrap items-baseline gap-x-3">
          <span className={cn("wrap-anywhere first-letter:uppercase", remark.harms ? "text-bad" : "text-dim")}>
            {remark.text}
          </span>
          <WayBack {...remark} />
        </li>
      ))}
    </ul>
  );
}

/** How what was lost is recovered: here, or by a command of git. */
function WayBack({ way_back, snapshot }: RemarkLine) {
  if (snapshot !== null) return <PutBack name={snapshot} />;
  if (way_back === null) return null;
  return (
    <span className="text-xs text-dim">
      {isOneCommand(way_back) ? <TerminalCommand command={way_back} /> : <Said text={way_back} />}
    </span>
  );
}

/** Links to what a snapshot would restore, before it does. */
function PutBack({ name }: { name: string }) {
  return (
    <Link to="/loop/snapshots" search={{ show: name }} className={buttonLook({ size: "sm" })}>
      Put it back…
    </Link>
  );
}

/** The person's uncommitted work, as it was before the agent started. */
function Snapshot({ name }: { name: string }) {
  return (
    <p className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-6 py-2 text-dim">
      Your uncommitted work was kept before the agent started.
      <PutBack name={name} />
      <Link to="/loop/snapshots" className="text-xs hover:text-text hover:underline">
        All snapshots
      </Link>
    </p>
  );
}

function Lines({ title, lines, open = false }: { title: string; lines: string[]; open?: boolean }) {
  return (
    <details className="shrink-0 border-b border-line px-6 py-2" open={open}>
      <summary className="num font-medium">{title}</summary>
      <ul className="selectable mt-1 max-h-40 overflow-y-auto font-mono text-xs leading-5 text-dim">
        {lines.map((line) => (
          <li key={line} className="truncate" title={line}>
            {line}
          </li>
        ))}
      </ul>
    </details>
  );
}
