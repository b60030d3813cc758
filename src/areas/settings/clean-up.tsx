import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { commands, queries, type WorktreeRow } from "@/ipc";
import { cn } from "@/lib/cn";
import { tellDone, useCommand } from "@/lib/command";
import { bytes, count } from "@/lib/format";
import { nameOf } from "@/lib/work";
import { Button } from "@/ui/button";
import { Checkbox } from "@/ui/checkbox";
import { Dialog } from "@/ui/dialog";
import { useFew } from "@/ui/few";
import { Result } from "@/ui/query";
import { ErrorNote } from "@/ui/state";
import { SnapshotsLink } from "./snapshots-link";

const sum = (rows: WorktreeRow[]) => rows.reduce((all, row) => all + (row.bytes ?? 0), 0);

/** Removes stored files, after showing which ones would go, and which ones stay and why. */
export function CleanUp({ onClose }: { onClose: () => void }) {
  const [withSnapshot, setWithSnapshot] = useState(false);
  const plan = useQuery(queries.prunableWorktrees(withSnapshot));
  // A plan that is being fetched again may remove more than the one that is shown.
  const looking = plan.isFetching;
  const goes = plan.data?.removed ?? [];
  const prune = useCommand(() => commands.pruneWorktrees(withSnapshot), {
    errors: "inline",
    works: true,
    onDone: ({ removed }) => {
      tellDone(`Removed ${count(removed.length, "worktree")}, ${bytes(sum(removed))}`);
      onClose();
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      wide
      title="Clean up worktrees"
      description="What is merged, older or larger than the settings say goes. Commits always stay on their branches."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="danger"
            disabled={looking || goes.length === 0 || prune.isPending}
            onClick={() => prune.mutate(undefined)}
          >
            {prune.isPending ? "Removing…" : looking ? "Looking…" : `Remove ${goes.length} (${bytes(sum(goes))})`}
          </Button>
        </>
      }
    >
      <Result of={plan} rows={3}>
        {({ removed, kept }) => (
          <div aria-busy={looking} className={cn("flex flex-col gap-3 pb-1", looking && "opacity-60")}>
            <List title="Goes" rows={removed} none="Nothing may go now." />
            {kept.length > 0 && <List title="Stays" rows={kept} none="" />}
            {prune.fault && <ErrorNote fault={prune.fault} />}
          </div>
        )}
      </Result>
      <div className="flex items-start gap-2 border-t border-line py-2.5">
        <Checkbox
          className="mt-0.75"
          label="Also those with changes that are not committed"
          checked={withSnapshot}
          onChange={setWithSnapshot}
        />
        <div>
          <p>Also those with changes that are not committed</p>
          <p className="text-xs text-faint">
            Each is kept as a snapshot first, which can be put back from <SnapshotsLink>Snapshots</SnapshotsLink>.
          </p>
        </div>
      </div>
    </Dialog>
  );
}

function List({ title, rows, none }: { title: string; rows: WorktreeRow[]; none: string }) {
  const [shown, more] = useFew(rows);
  return (
    <section aria-label={title}>
      <h3 className="mb-1 text-xs font-medium text-faint">{title}</h3>
      {rows.length === 0 ? (
        <p className="text-dim">{none}</p>
      ) : (
        <ul className="flex flex-col gap-1">
          {shown.map((row) => (
            <li key={row.branch} className="num flex items-baseline gap-2">
              <span className="shrink-0">{nameOf(row)}</span>
              <span className="min-w-0 flex-1">
                <span className="block truncate font-mono text-xs">{row.branch}</span>
                {row.kept && <span className="block text-xs wrap-anywhere text-dim">{row.kept}</span>}
              </span>
              <span className="shrink-0 text-dim">{bytes(row.bytes)}</span>
            </li>
          ))}
        </ul>
      )}
      {more}
    </section>
  );
}
