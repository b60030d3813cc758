import { useMemo } from "react";
import { type Consolidation, commands } from "@/ipc";
import { useCommand } from "@/lib/command";
import { count, moment } from "@/lib/format";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { useFew } from "@/ui/few";
import { Section } from "@/ui/page";
import { ErrorNote } from "@/ui/state";
import { useProposal } from "./use-proposal";

/** Earlier consolidations, newest first; each is undone as a whole. `busy` while a proposal is open. */
export function ConsolidationHistory({ rows, busy }: { rows: readonly Consolidation[]; busy: boolean }) {
  const showProposal = useProposal();
  const undo = useCommand((act: string) => commands.undoConsolidation(act), {
    errors: "inline",
    works: true,
    onDone: (work) => work !== null && showProposal(work),
  });
  // A consolidation of several sources has a row for each.
  const acts = useMemo(() => {
    const acts = new Map<string, Consolidation[]>();
    for (const row of rows) acts.set(row.act, [...(acts.get(row.act) ?? []), row]);
    return [...acts];
  }, [rows]);
  const [shown, more] = useFew(acts);
  return (
    <Section title="History" note="taken back on a branch, for review">
      {acts.length === 0 && <p className="text-dim">Nothing has become a document yet.</p>}
      {busy && acts.some(([, [first]]) => !first?.undone) && (
        <p className="text-dim">One can be taken back once the proposal that is open is decided.</p>
      )}
      <ol className="divide-y divide-line" aria-label="Consolidations">
        {shown.map(([act, parts]) => {
          const [first] = parts;
          if (!first) return null;
          const entries = parts.reduce((sum, { entries }) => sum + entries.length, 0);
          const files = [...new Set(parts.flatMap(({ files }) => files))];
          return (
            <li key={act} className="flex items-center gap-3 py-2">
              <div className="min-w-0 flex-1">
                <p className="num">
                  {count(entries, "learning")} of {parts.map(({ source }) => source).join(", ")}
                </p>
                <p className="num selectable text-xs wrap-anywhere text-dim">
                  <time dateTime={first.at}>{moment(first.at)}</time> ·{" "}
                  <span className="font-mono">{files.join(", ")}</span>
                </p>
              </div>
              {first.undone ? (
                <Badge tone="dim">taken back {moment(first.undone)}</Badge>
              ) : (
                <Button size="sm" disabled={busy || undo.isPending} onClick={() => undo.mutate(act)}>
                  {undo.isPending && undo.variables === act ? "Taking back…" : "Take back…"}
                </Button>
              )}
            </li>
          );
        })}
      </ol>
      {more}
      {undo.fault && <ErrorNote fault={undo.fault} />}
    </Section>
  );
}
