import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { ConsolidationView, Decision, Entry, Fate } from "@/ipc";
import { count } from "@/lib/format";
import type { Tone } from "@/lib/words";
import { Badge } from "@/ui/badge";
import { Section } from "@/ui/page";

const FATES: Fate[] = ["goes", "contradiction", "redundant", "superseded", "newest", "young"];
const word: Record<Fate, string> = {
  goes: "Go into documents",
  contradiction: "Contradicted: yours to decide",
  redundant: "Already said elsewhere",
  superseded: "Superseded by a newer one",
  newest: "The newest, which stay",
  young: "Not proven yet",
};
const tone: Record<Fate, Tone> = {
  goes: "ok",
  contradiction: "bad",
  redundant: "dim",
  superseded: "dim",
  newest: "dim",
  young: "dim",
};

/** What a consolidation would do with each entry, and why. Entries that only wait are collapsed. */
export function Batch({ view, feature }: { view: ConsolidationView; feature: string | undefined }) {
  const entries = useMemo(
    () => new Map(view.entries.map((entry) => [`${entry.source} ${entry.key}`, entry] as const)),
    [view.entries],
  );
  const here = view.decisions.filter(({ source }) => feature === undefined || source === feature);
  return (
    <Section
      title="Decisions"
      note={
        view.report && (
          <>
            those of the last consolidation are in <span className="selectable font-mono">{view.report}</span>
          </>
        )
      }
    >
      <div className="flex flex-col gap-2">
        {FATES.map((fate) => {
          const those = here.filter(({ decision }) => decision === fate);
          return (
            those.length > 0 && (
              <details key={fate} open={fate === "goes" || fate === "contradiction"}>
                <summary className="num flex cursor-pointer items-center gap-2 py-1">
                  <Badge tone={tone[fate]}>{those.length}</Badge> {word[fate]}
                </summary>
                <ul aria-label={word[fate]} className="divide-y divide-line border-t border-line">
                  {those.map((decision) => (
                    <Row
                      key={`${decision.source} ${decision.key}`}
                      decision={decision}
                      entry={entries.get(`${decision.source} ${decision.key}`)}
                    />
                  ))}
                </ul>
              </details>
            )
          );
        })}
      </div>
    </Section>
  );
}

function Row({ decision, entry }: { decision: Decision; entry: Entry | undefined }) {
  // An entry's own reason already mentions its age.
  const age = decision.reason === entry?.reason ? null : entry?.age_active_days;
  return (
    <li className="py-2">
      <p className="selectable wrap-anywhere">{decision.title ?? entry?.text ?? decision.key}</p>
      <p className="num flex flex-wrap gap-x-3 text-xs text-dim">
        {entry?.kind === "feature" ? (
          <Link to="/features/$name" params={{ name: decision.source }} className="hover:text-text">
            {decision.source}
          </Link>
        ) : (
          <span className="font-mono">
            {decision.source}
            {entry?.line ? `:${entry.line}` : ""}
          </span>
        )}
        {age !== null && age !== undefined && <span>{count(age, "active day")}</span>}
        <span className="selectable wrap-anywhere">{decision.reason}</span>
        {decision.score !== null && decision.score !== undefined && (
          <span>{Math.round(100 * decision.score)} % alike</span>
        )}
      </p>
      {decision.other_text && (
        <p className="selectable mt-0.5 border-l-2 border-line pl-2 text-xs wrap-anywhere text-dim">
          {decision.other_text} <span className="font-mono text-faint">{decision.other}</span>
        </p>
      )}
      {(entry?.warnings ?? []).map((warning) => (
        <p key={warning} className="text-xs text-warn">
          {warning}
        </p>
      ))}
    </li>
  );
}
