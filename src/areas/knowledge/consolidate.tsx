import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ConsolidationView, commands, queries, type SourceTrigger } from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { count } from "@/lib/format";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Section } from "@/ui/page";
import { Result } from "@/ui/query";
import { ErrorNote } from "@/ui/state";
import { AgeHistogram } from "./age-histogram";
import { Batch } from "./batch";
import { NoLearnings, NothingGoes } from "./consolidate-next";
import { ConsolidationHistory } from "./consolidation-history";
import { useProposal } from "./use-proposal";

/** Entries that have proved themselves and could move into documents; earlier consolidations, with an undo. */
export function Consolidate({ feature }: { feature: string | undefined }) {
  const view = useQuery(queries.consolidation());
  return (
    <Result of={view}>
      {(view) =>
        view.entries.length === 0 && view.history.length === 0 ? (
          <NoLearnings freshDays={view.summary.fresh_days} feature={feature} />
        ) : (
          <div className="flex flex-col divide-y divide-line px-6">
            <Head view={view} feature={feature} />
            <Section title="Age" note={`in days with commits; the project has ${view.summary.active_days}`}>
              <AgeHistogram entries={view.entries} freshDays={view.summary.fresh_days} />
            </Section>
            <Section title="Sources" note="when a consolidation is due">
              <Sources sources={view.sources} />
            </Section>
            <Batch view={view} feature={feature} />
            <ConsolidationHistory rows={view.history} busy={view.open !== null} />
          </div>
        )
      }
    </Result>
  );
}

function Head({ view, feature }: { view: ConsolidationView; feature: string | undefined }) {
  const showProposal = useProposal();
  const going = view.decisions.filter(
    ({ decision, source }) => decision === "goes" && (feature === undefined || source === feature),
  ).length;
  const order = useCommand(() => commands.consolidate(feature ?? null), {
    errors: "inline",
    works: true,
    onDone: (work) => {
      if (work === null) tellDone("Nothing waits for a review");
      else showProposal(work);
    },
  });
  const { open } = view;
  return (
    <div className="flex flex-col gap-2 py-4">
      <div className="flex items-center gap-3">
        <p className="num mr-auto">
          <span className="font-medium">{going === 0 ? "No learnings" : count(going, "learning")}</span> could become
          documents{going === 0 && " yet"}
          {feature !== undefined && <span className="text-dim"> of {feature}</span>}
        </p>
        {open && !open.writing && (
          <Link to="/review/$task" params={{ task: `e${open.errand}` }} className="text-accent hover:underline">
            Review the proposal e{open.errand}
          </Link>
        )}
        {open?.writing && (
          <Link to="/loop" className="text-dim hover:text-text">
            Errand {open.errand} is writing…
          </Link>
        )}
        <Button
          look="primary"
          disabled={going === 0 || open !== null || order.isPending}
          onClick={() => order.mutate(undefined)}
        >
          {order.isPending ? "Writing…" : "Write documents"}
        </Button>
      </div>
      {going === 0 && open === null && <NothingGoes view={view} feature={feature} />}
      {order.fault && <ErrorNote fault={order.fault} />}
      {view.notes.map((note) => (
        <p key={note} className="selectable text-xs wrap-anywhere text-warn">
          {note}
        </p>
      ))}
    </div>
  );
}

function Sources({ sources }: { sources: readonly SourceTrigger[] }) {
  const cell = "py-1.5 pr-4 max-[480px]:pr-2 text-right whitespace-nowrap";
  return (
    <table aria-label="Sources" className="num w-full text-xs">
      <thead>
        <tr className="text-left text-faint">
          <th className="py-1 pr-4 max-[480px]:pr-2 font-normal">Source</th>
          <th className="py-1 pr-4 max-[480px]:pr-2 text-right font-normal">Lines</th>
          <th className="py-1 pr-4 max-[480px]:pr-2 text-right font-normal">Days since last time</th>
          <th className="py-1 pr-4 max-[480px]:pr-2 text-right font-normal">Proven</th>
          <th className="py-1 font-normal">Due</th>
        </tr>
      </thead>
      <tbody>
        {sources.map((one) => (
          <tr key={`${one.kind} ${one.source}`} className="border-t border-line" title={one.why}>
            <td className="py-1.5 pr-4 font-mono wrap-anywhere">{one.source}</td>
            <td className={`${cell} ${one.causes.includes("size") ? "text-high" : ""}`}>
              {one.lines} <span className="text-faint">of {one.lines_limit}</span>
            </td>
            <td className={`${cell} ${one.causes.includes("stale") ? "text-high" : ""}`}>
              {one.active_days_since ?? "unknown"} <span className="text-faint">of {one.stale_days}</span>
              {one.last === null && <span className="text-faint max-[700px]:hidden">, since the oldest entry</span>}
            </td>
            <td className={cell}>
              {one.fresh}{" "}
              <span className="text-faint">
                of {one.entries}
                <span className="max-[700px]:hidden">, at least {one.min_entries}</span>
              </span>
            </td>
            <td className="py-1.5">
              {one.due && <Badge tone="warn">due</Badge>}
              {one.needs_person && <Badge tone="bad">too long</Badge>}
              {!one.due && !one.needs_person && <span className="text-faint">no</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
