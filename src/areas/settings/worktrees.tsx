import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Brush, FolderOpen, FolderTree, Trash2 } from "lucide-react";
import { useState } from "react";
import { commands, queries, type WorktreeRow, type WorktreeStanding } from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { bytes, count, moment, old } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { worksAtWork } from "@/lib/loop/at-work";
import { rowKeys } from "@/lib/rows";
import type { Tone } from "@/lib/words";
import { nameOf } from "@/lib/work";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { useFew } from "@/ui/few";
import { Result } from "@/ui/query";
import { Empty, ErrorNote } from "@/ui/state";
import { Tooltip } from "@/ui/tooltip";
import { CleanUp } from "./clean-up";
import { SnapshotsLink } from "./snapshots-link";

/** The project's worktrees. */
export function Worktrees() {
  const { data: overview } = useQuery(queries.overview());
  const worktrees = useQuery(queries.worktrees(overview ? worksAtWork(overview) : []));
  const [cleaning, setCleaning] = useState(false);
  return (
    <Result of={worktrees}>
      {(rows) =>
        rows.length === 0 ? (
          <Empty
            icon={FolderTree}
            title="No worktrees"
            action={
              <Link to="/loop" className="text-accent underline underline-offset-2">
                Start a run with several workers
              </Link>
            }
          >
            Several workers, or a run that says so, work in a folder for each task, outside of this checkout. They stand
            here with their size until they are merged or removed.
          </Empty>
        ) : (
          <>
            <div className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 px-6">
              <p className="num text-dim">
                {count(rows.length, "worktree")} · {bytes(rows.reduce((sum, row) => sum + (row.bytes ?? 0), 0))}
              </p>
              <span className="ml-auto text-dim">
                <SnapshotsLink>Snapshots of what was not committed</SnapshotsLink>
              </span>
              <Button onClick={() => setCleaning(true)}>
                <Brush size={13} aria-hidden="true" /> Clean up…
              </Button>
            </div>
            <Lines rows={rows} />
            {cleaning && <CleanUp onClose={() => setCleaning(false)} />}
          </>
        )
      }
    </Result>
  );
}

function Lines({ rows }: { rows: readonly WorktreeRow[] }) {
  const [shown, more] = useFew(rows);
  return (
    <>
      <ul aria-label="Worktrees" className="border-t border-line" onKeyDown={rowKeys}>
        {shown.map((row) => (
          <li key={row.branch}>
            <Line row={row} />
          </li>
        ))}
      </ul>
      {more && <p className="px-6">{more}</p>}
    </>
  );
}

const stateLook: Record<WorktreeStanding, { words: string; tone: Tone }> = {
  making: { words: "incomplete", tone: "warn" },
  ready: { words: "unfinished", tone: "neutral" },
  in_review: { words: "waits for review", tone: "accent" },
  merged: { words: "merged", tone: "ok" },
  discarded: { words: "discarded", tone: "dim" },
  missing: { words: "folder is gone", tone: "bad" },
};

/** Whatever its state is: nothing may happen to it now. */
const AT_WORK = { words: "at work", tone: "accent" as const };

/** Whose worktree it is. */
function WorkLink({ row }: { row: WorktreeRow }) {
  const look = { "data-row": true, className: "shrink-0 font-medium hover:underline" };
  return row.task === null ? (
    <Link to="/loop/errands/$errand" params={{ errand: String(row.errand) }} {...look}>
      {nameOf(row)}
    </Link>
  ) : (
    <Link to="/tasks/$id" params={{ id: String(row.task) }} {...look}>
      {nameOf(row)}
    </Link>
  );
}

function Line({ row }: { row: WorktreeRow }) {
  const now = useNow(60_000);
  const [asking, setAsking] = useState(false);
  const show = useCommand(() => commands.showWorktree(row.branch), { works: true });
  const look = row.under_way ? AT_WORK : stateLook[row.state];
  return (
    <div
      data-testid="worktree"
      className="flex min-h-14 items-center gap-3 border-b border-line px-6 py-1.5 hover:bg-hover max-[900px]:flex-wrap max-[900px]:gap-y-1"
    >
      <div className="min-w-0 flex-1 max-[900px]:basis-full">
        <p className="num flex min-w-0 items-baseline gap-2 max-[900px]:flex-wrap">
          <WorkLink row={row} />
          <span className="min-w-0 truncate font-mono text-xs">{row.branch}</span>
          <span className="shrink-0 text-xs text-faint">into {row.base}</span>
        </p>
        <p className="selectable truncate font-mono text-2xs text-faint" title={row.path}>
          {row.path}
        </p>
        {row.under_way && <p className="text-xs text-dim">Now: {row.under_way}</p>}
        {row.kept && <p className="text-xs wrap-anywhere text-warn">Kept: {row.kept}</p>}
      </div>
      <span className="flex min-w-24 shrink-0 justify-end max-[900px]:mr-auto max-[900px]:min-w-0">
        <Badge tone={look.tone}>{look.words}</Badge>
      </span>
      <span className="num w-16 shrink-0 text-right text-xs text-faint" title={moment(row.made)}>
        {old(row.made, now)}
      </span>
      <span className="num w-20 shrink-0 text-right text-dim">{row.state === "missing" ? "" : bytes(row.bytes)}</span>
      <span className="flex shrink-0 gap-0.5">
        <Tooltip content="Open the folder">
          <Button
            look="ghost"
            size="icon"
            aria-label={`Open the folder of ${nameOf(row)}`}
            disabled={show.isPending}
            lacks={row.state === "missing" ? "The folder is gone" : undefined}
            onClick={() => show.mutate(undefined)}
          >
            <FolderOpen size={14} />
          </Button>
        </Tooltip>
        <Tooltip content="Remove">
          <Button
            look="ghost"
            size="icon"
            aria-label={`Remove the worktree of ${nameOf(row)}`}
            lacks={row.under_way === null ? undefined : `Can't be removed now: ${row.under_way}`}
            onClick={() => setAsking(true)}
          >
            <Trash2 size={14} />
          </Button>
        </Tooltip>
      </span>
      {asking && <Remove row={row} onClose={() => setAsking(false)} />}
    </div>
  );
}

/** Shows what a removal would delete and what it would keep. */
function Remove({ row, onClose }: { row: WorktreeRow; onClose: () => void }) {
  const remove = useCommand((withSnapshot: boolean) => commands.removeWorktree(row.branch, withSnapshot), {
    errors: "inline",
    works: true,
    onDone: (gone) => {
      tellDone(`Removed the worktree of ${nameOf(gone)}`);
      onClose();
    },
  });
  const merged = row.state === "merged";
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Remove the worktree of ${nameOf(row)}?`}
      footer={
        <>
          <Button onClick={onClose}>Keep it</Button>
          {remove.fault && (
            <Button look="danger" disabled={remove.isPending} onClick={() => remove.mutate(true)}>
              Keep a snapshot and remove
            </Button>
          )}
          {!remove.fault && (
            <Button look="danger" disabled={remove.isPending} onClick={() => remove.mutate(row.kept !== null)}>
              {row.kept ? "Keep a snapshot and remove" : "Remove"}
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-2 pb-1">
        <p>
          The folder goes ({bytes(row.bytes)}).{" "}
          {merged
            ? "Its work is merged, so its branch may go too."
            : "Its branch and every commit on it stay; the worktree can be made again from them."}
        </p>
        {row.kept && (
          <p className="text-warn wrap-anywhere">
            In it: {row.kept}. A <SnapshotsLink>snapshot</SnapshotsLink> of that is kept first, which can be put back.
          </p>
        )}
        {remove.fault && <ErrorNote fault={remove.fault} />}
      </div>
    </Dialog>
  );
}
