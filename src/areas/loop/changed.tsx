import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { commands, type Iteration, queries, type RemarkLine } from "@/ipc";
import { cn } from "@/lib/cn";
import { tellDone, useCommand } from "@/lib/command";
import { count } from "@/lib/format";
import { Button } from "@/ui/button";
import { Result } from "@/ui/query";
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
      {commits.length > 0 && (
        <Lines title={count(commits.length, "commit")} lines={commits} open={commits.length <= 6} />
      )}
      {changed_files.length > 0 && <Lines title={count(changed_files.length, "changed file")} lines={changed_files} />}
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

/** Findings of git beyond commits and files: branches, stash, pushes, a person's uncommitted work. */
function GitRemarks({ remarks }: { remarks: RemarkLine[] }) {
  if (remarks.length === 0) return null;
  return (
    <ul aria-label="What git tells" className="selectable shrink-0 border-b border-line px-6 py-2">
      {remarks.map(({ text, harms, way_back }) => (
        <li key={text} className={cn("wrap-anywhere first-letter:uppercase", harms ? "text-bad" : "text-dim")}>
          {text}
          {way_back !== null && <code className="ml-2 font-mono text-xs text-dim">{way_back}</code>}
        </li>
      ))}
    </ul>
  );
}

/** The person's uncommitted work, as it was before the agent started. */
function Snapshot({ name }: { name: string }) {
  const restore = useCommand(() => commands.restoreSnapshot(name), {
    onDone: ({ written, removed, kept_first }) =>
      tellDone(
        `Your work is back: ${count(written.length + removed.length, "file")}`,
        kept_first === null ? undefined : () => commands.restoreSnapshot(kept_first),
      ),
  });
  return (
    <p className="flex shrink-0 items-center gap-3 border-b border-line px-6 py-2 text-dim">
      Your uncommitted work was kept before the agent started.
      <Button size="sm" disabled={restore.isPending} onClick={() => restore.mutate(undefined)}>
        Put it back
      </Button>
    </p>
  );
}

function Lines({ title, lines, open = false }: { title: string; lines: string[]; open?: boolean }) {
  return (
    <details className="shrink-0 border-b border-line px-6 py-2" open={open}>
      <summary className="num font-medium">{title}</summary>
      <ul className="selectable mt-1 max-h-40 overflow-y-auto font-mono text-xs leading-5 text-dim">
        {lines.map((line) => (
          <li key={line} className="truncate">
            {line}
          </li>
        ))}
      </ul>
    </details>
  );
}
