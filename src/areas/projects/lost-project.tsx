import { useQuery } from "@tanstack/react-query";
import { commands, queries, toFault } from "@/ipc";
import { forgetDrafts } from "@/lib/draft";
import { count, moment } from "@/lib/format";
import { useReopen } from "@/lib/project";
import { Button } from "@/ui/button";
import { TerminalCommand } from "@/ui/said";
import { ErrorNote, Skeleton } from "@/ui/state";

/** A project whose database is missing or damaged: what a restoration would recover and what would be lost, before it is done. */
export function LostProject({ path }: { path: string }) {
  const plan = useQuery(queries.restoration(path));
  const restore = useReopen(() => commands.restoreProject(path));
  const anew = useReopen(async () => {
    await commands.beginAnew(path);
    forgetDrafts(path);
  });
  const fault = restore.fault ?? anew.fault;
  const busy = restore.isPending || anew.isPending;
  if (plan.isError) return <ErrorNote fault={toFault(plan.error)} />;
  if (!plan.data) return <Skeleton rows={3} />;
  const { from, made, features, tasks, learnings, missing, others } = plan.data;
  return (
    <section aria-label="Restore" className="rounded-xl border border-line bg-panel p-4">
      <h2 className="font-semibold">Bring it back</h2>
      <p className="mt-1 text-dim">
        {from === null
          ? "No copy of the database is left. What was learned comes back from the journals."
          : `From the copy of ${made === null ? "an unknown time" : moment(made)}: ${count(features, "feature")}, ${count(tasks, "task")}, ${count(learnings, "learning")}. The journals add what they know.`}
      </p>
      {missing.length > 0 && (
        <>
          <h3 className="mt-3 text-xs font-medium text-faint">What will be missing</h3>
          <ul className="selectable mt-1 list-disc pl-5 text-dim">
            {missing.map((line) => (
              <li key={line} className="wrap-anywhere">
                {line}
              </li>
            ))}
          </ul>
        </>
      )}
      {others.length > 0 && (
        <details className="mt-3">
          <summary className="text-xs text-dim">{count(others.length, "copy", "copies")} of other places</summary>
          <ul className="selectable mt-1 font-mono text-xs wrap-anywhere text-dim">
            {others.map((other) => (
              <li key={other}>{other}</li>
            ))}
          </ul>
          <p className="mt-1 text-xs text-faint">
            They are used only when you name one: <TerminalCommand command="ralph restore --from FILE" />
          </p>
        </details>
      )}
      {fault && (
        <div className="mt-3">
          <ErrorNote fault={fault} />
        </div>
      )}
      <div className="mt-3 flex gap-2">
        <Button look="primary" disabled={busy} onClick={() => restore.mutate(undefined)}>
          {restore.isPending ? "Restoring…" : "Restore"}
        </Button>
        <Button look="ghost" disabled={busy} onClick={() => anew.mutate(undefined)}>
          Begin anew; keep what is left aside
        </Button>
      </div>
    </section>
  );
}
