import { Link } from "@tanstack/react-router";
import type { Iteration } from "@/ipc";
import { dollars, duration } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { outcomeTone, outcomeWord } from "@/lib/words";
import { toneText } from "@/ui/badge";
import { Section } from "@/ui/page";

/** What was tried: outcome, model, cost, and why it came out so. */
export function Attempts({ iterations }: { iterations: Iteration[] }) {
  const now = useNow(
    1000,
    iterations.some(({ outcome }) => outcome === "running"),
  );
  if (iterations.length === 0) return null;
  return (
    <Section title="Attempts" note="newest first">
      <ul className="overflow-hidden rounded-lg border border-line">
        {iterations.map((iteration) => (
          <li key={iteration.id} className="border-b border-line last:border-0">
            <Link
              to="/loop/$run/$iteration"
              params={{ run: String(iteration.run), iteration: String(iteration.id) }}
              className="num block px-3 py-2 hover:bg-hover"
            >
              <span className="flex items-center gap-4">
                <span className={`w-24 ${toneText[outcomeTone[iteration.outcome]]}`}>
                  {outcomeWord[iteration.outcome]}
                </span>
                <span className="text-dim">
                  {iteration.attempt === null ? "no attempt" : `attempt ${iteration.attempt}`}
                </span>
                <span className="text-dim">{iteration.model}</span>
                <span className="ml-auto text-dim">
                  {duration((iteration.ended ? Date.parse(iteration.ended) : now) - Date.parse(iteration.started))}
                </span>
                <span className="w-14 text-right text-dim">{dollars(iteration.usage.cost_usd)}</span>
              </span>
              {iteration.note && <span className="block text-xs wrap-anywhere text-faint">{iteration.note}</span>}
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}
