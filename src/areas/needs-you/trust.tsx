import { useQuery } from "@tanstack/react-query";
import { commands, queries, type TrustReport } from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { Button } from "@/ui/button";
import { Section } from "@/ui/page";
import { ErrorNote } from "@/ui/state";
import { TrustItems } from "@/ui/trust-items";

/** Trust items of the folder that nobody has agreed to on this machine: none of them is in force before that. */
export function Trust() {
  const { data: report, refetch } = useQuery(queries.trust());
  if (!report || report.agreed) return null;
  return <Waiting report={report} onSettled={() => void refetch()} />;
}

function Waiting({ report, onSettled }: { report: TrustReport; onSettled: () => void }) {
  const waiting = report.items.filter(({ agreed }) => !agreed);
  const settled = (words: string) => (after: TrustReport) => {
    tellDone(
      after.agreed ? words : "What still waits is not a setting or rule of Ralph: take it back by hand, or agree",
    );
    onSettled();
  };
  const agree = useCommand(() => commands.agree(report.fingerprint), {
    errors: "inline",
    onDone: settled("Agreed: these values are in force on this machine"),
  });
  const restore = useCommand(() => commands.restoreAgreed(), {
    errors: "inline",
    onDone: settled("Settings and rules are as they were agreed to"),
  });
  const busy = agree.isPending || restore.isPending;
  const fault = agree.fault ?? restore.fault;
  return (
    // The link at the top of the page, and the palette, lead here.
    <section aria-label="Waits for your yes" data-row tabIndex={-1} className="max-w-4xl px-6">
      <Section title="Waits for your yes">
        <p className="mb-3 max-w-3xl text-dim">
          This folder brings along what Ralph or an agent would run, obey or send. It came with the repository, or was
          changed outside of Ralph. Until you agree it is not in force: no run starts, nothing is merged unchecked, and
          nothing is sent to a new address.
        </p>
        <TrustItems items={waiting} />
        {fault && (
          <div className="mt-3">
            <ErrorNote fault={fault} onRetry={onSettled} />
          </div>
        )}
        <div className="mt-3 flex gap-2">
          <Button look="primary" disabled={busy} onClick={() => agree.mutate(undefined)}>
            Agree to all of it
          </Button>
          <Button disabled={busy} onClick={() => restore.mutate(undefined)}>
            Put back what I agreed to
          </Button>
        </div>
      </Section>
    </section>
  );
}
