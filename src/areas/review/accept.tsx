import { useQuery } from "@tanstack/react-query";
import { type CommandFault, commands, type MergeDone, queries, type Review } from "@/ipc";
import { useCommand } from "@/lib/command";
import { count, span } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { heldUpBy } from "@/lib/needs";
import { nameOf, workOf } from "@/lib/work";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { ErrorNote } from "@/ui/state";
import { HeldUp } from "./held-up";
import { useMergeKey } from "./under-way";
import { divergingLines, hereSaid } from "./words";

/** The confirmation before work is merged. */
export function Accept({
  onClose,
  review,
  drafts,
  onMerged,
}: {
  onClose: () => void;
  review: Review;
  /** Remarks not sent yet. */
  drafts: number;
  onMerged: (done: MergeDone) => void;
}) {
  const { branch, base, check, standing } = review.row;
  const merge = useCommand((resolve: boolean) => commands.mergeWork(workOf(review.row), resolve), {
    errors: "inline",
    works: true,
    key: useMergeKey(review.row),
    onDone: onMerged,
  });
  const stop = useCommand(() => commands.stopMerge(workOf(review.row)));
  const { data: overview } = useQuery(queries.overview());
  const held = heldUpBy(overview?.needs_you);
  const fault = merge.fault ?? review.refusal;
  const diverging = divergingLines(review.divergences);
  // What an errand proposes is small enough to be ordered again.
  const conflicts = standing === "conflicts" && review.row.errand === null;
  // The ways out of a conflict are shown above it.
  const said = (what: CommandFault): CommandFault =>
    conflicts && what.code === "conflict" ? { ...hereSaid(what, review.row), hint: null } : hereSaid(what, review.row);
  const resolving = merge.isPending && merge.variables;
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Merge ${nameOf(review.row)} into ${base}`}
      onSubmit={() => {
        if (!held) merge.mutate(false);
      }}
      footer={
        <>
          {merge.isPending && (
            <Button className="mr-auto" disabled={stop.isPending} onClick={() => stop.mutate(undefined)}>
              Stop merging
            </Button>
          )}
          <Button
            type="submit"
            look={conflicts ? "plain" : "primary"}
            autoFocus
            disabled={held !== undefined || merge.isPending}
          >
            {merge.isPending && !resolving ? "Merging…" : fault || conflicts ? "Try to merge" : "Merge"}
          </Button>
          {/* It costs money, so a hasty Enter must not begin it. */}
          {conflicts && (
            <Button look="primary" disabled={held !== undefined || merge.isPending} onClick={() => merge.mutate(true)}>
              {resolving ? "Resolving…" : "Have an agent resolve it"}
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-2">
        <p>
          {count(review.commits.length, "commit")} of <code className="font-mono text-xs">{branch}</code>:{" "}
          {count(review.files.length, "changed file")}.
        </p>
        {standing === "base_moved" && (
          <p className="text-dim">
            {base} moved on since. It is brought in first, and the check runs on what comes out of it.
          </p>
        )}
        {conflicts && !merge.isPending && (
          <p className="text-warn">
            Both sides changed the same. An agent can settle it in the worktree: what it makes is checked and merged. Or
            send it back, or settle the files there yourself and try again.
          </p>
        )}
        {diverging > 0 && (
          <p className="text-warn">
            {count(diverging, "entry", "entries")} may say something else than what was learnt: compare{" "}
            {diverging === 1 ? "it" : "them"} before you merge.
          </p>
        )}
        {check && !check.passed && <p className="text-warn">The check failed on this work.</p>}
        {drafts > 0 && (
          <p className="text-warn">
            {count(drafts, "comment")} of yours {drafts === 1 ? "was" : "were"} not sent; merging sends none.
          </p>
        )}
        {merge.isPending && <Merging since={merge.submittedAt} resolving={resolving === true} />}
        {held ? <HeldUp notice={held} /> : fault && !merge.isPending && <ErrorNote fault={said(fault)} />}
      </div>
    </Dialog>
  );
}

/** How long a merge has been running, and what it is doing. */
function Merging({ since, resolving }: { since: number; resolving: boolean }) {
  const now = useNow(1000);
  const what = resolving
    ? "An agent settles the conflict in the worktree; what it makes is checked, and then lands"
    : "It is merged and checked in its worktree, and then lands";
  return (
    <p role="status" className="num text-dim">
      {what}: {span(now - since)}. It goes on when this is closed.
    </p>
  );
}
