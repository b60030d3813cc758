import { Link } from "@tanstack/react-router";
import { Check, X } from "lucide-react";
import type { EvalInsights } from "@/ipc";
import { count, moment, reached } from "@/lib/format";
import { NumbersTable } from "@/ui/chart/day-chart";
import { Section } from "@/ui/page";
import { QuestionsLink } from "./questions-link";

/** The conditions under which learned terms count, each with its measured value; and the evaluation cycles. */
export function Gates({ insights: { gates, cycles, terms_count, mode, agreement } }: { insights: EvalInsights }) {
  if (gates.length === 0) return null;
  const open = gates.filter((gate) => gate.open).length;
  return (
    <Section title="Gates" note={`${open} of ${gates.length} open; ${standing(terms_count, mode)}`}>
      <p className="max-w-2xl pb-2 text-dim">
        Ralph learns words by which a learning is found, from what is chosen. They may change an answer only while every
        condition below is met by measurement; none is ticked by hand.
      </p>
      <ul aria-label="Gates" className="num">
        <li className="grid grid-cols-[1.25rem_minmax(0,1fr)_minmax(0,1fr)] gap-x-3 pb-1 text-xs text-faint">
          <span />
          <span>Required</span>
          <span>Measured</span>
        </li>
        {gates.map(({ name, required, measured, open }) => (
          <li
            key={name}
            className="grid grid-cols-[1.25rem_minmax(0,1fr)_minmax(0,1fr)] gap-x-3 border-t border-line py-1.5"
          >
            {open ? (
              <Check size={14} className="mt-0.5 text-ok" role="img" aria-label="Open" />
            ) : (
              <X size={14} className="mt-0.5 text-faint" role="img" aria-label="Closed" />
            )}
            <span className="wrap-anywhere">{required}</span>
            <span className="wrap-anywhere text-dim">{measured}</span>
          </li>
        ))}
      </ul>
      {cycles.length > 0 && (
        <NumbersTable
          label={count(cycles.length, "evaluation cycle")}
          head={["Cycle", "Questions", "Days", "From", "To"]}
          rows={cycles.toReversed()}
          row={(cycle) => ({
            key: String(cycle.number),
            cells: [
              cycle.number,
              <QuestionsLink key="questions" search={{ cycle: cycle.number }}>
                {cycle.queries} of {cycle.queries_required}
              </QuestionsLink>,
              `${reached(cycle.days, 1)} of ${cycle.days_required}`,
              moment(cycle.from),
              moment(cycle.to),
            ],
          })}
        />
      )}
      <p className="num mt-2 text-xs text-dim">
        An agent as judge {agreement.counts ? "counts" : "does not count yet"}:{" "}
        <Link to="/insights/label" className="underline decoration-dotted underline-offset-3 hover:text-accent">
          {agreement.pairs} of {agreement.pairs_required} pairs labeled by both
        </Link>
        {agreement.agreement !== null && `, ${reached(agreement.agreement * 100, 0)} % alike`}
        {agreement.kappa !== null && `, kappa ${agreement.kappa.toFixed(2)}`}.
      </p>
    </Section>
  );
}

function standing(count: boolean, mode: EvalInsights["mode"]): string {
  if (mode === "off") return "learning from selections is off";
  if (count) return "learned terms count";
  return mode === "on" ? "learned terms wait for the other gates" : "learned terms are only watched (shadow)";
}
