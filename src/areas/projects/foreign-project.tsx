import { useQuery } from "@tanstack/react-query";
import { commands, queries, toFault } from "@/ipc";
import { useCommand } from "@/lib/command";
import { Button } from "@/ui/button";
import { ErrorNote, Skeleton } from "@/ui/state";
import { TrustItems } from "@/ui/trust-items";

/** A folder that is not opened before the person agrees: another user's, or one whose database comes from elsewhere. */
export function ForeignProject({ path, onAgreed }: { path: string; onAgreed: () => void }) {
  const report = useQuery(queries.trustOf(path));
  const agree = useCommand(() => commands.agreeToFolder(path), { errors: "inline", onDone: onAgreed });
  if (report.isError) return <ErrorNote fault={toFault(report.error)} />;
  if (!report.data) return <Skeleton rows={3} />;
  return (
    <section aria-label="Waits for your yes" className="rounded-xl border border-line bg-panel p-4">
      <h2 className="mb-2 font-semibold">It is opened once you agree</h2>
      <p className="mb-2 font-mono text-xs wrap-anywhere text-dim">{path}</p>
      <TrustItems items={report.data.items.filter(({ agreed }) => !agreed)} />
      {agree.fault && (
        <div className="mt-3">
          <ErrorNote fault={agree.fault} />
        </div>
      )}
      <Button look="primary" className="mt-3" disabled={agree.isPending} onClick={() => agree.mutate(undefined)}>
        Agree and open
      </Button>
    </section>
  );
}
