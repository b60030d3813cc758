import type { Insights } from "@/ipc";
import { count } from "@/lib/format";
import { categoryWord, signatureInWords } from "@/lib/words";
import { Section } from "@/ui/page";
import { RowsLink } from "./rows-link";

/** Failures by kind, and failures that recurred. */
export function Failures({ insights: { categories, failures, repeated_failures, returning } }: { insights: Insights }) {
  const most = Math.max(1, ...categories.map((one) => one.count));
  return (
    <Section title="Failures" note={count(failures, "failed attempt with a report", "failed attempts with a report")}>
      {categories.length === 0 ? (
        <p className="text-dim">No attempt has failed.</p>
      ) : (
        <>
          <ul aria-label="Failures by kind" className="num flex max-w-lg flex-col gap-1.5">
            {categories.map((one) => (
              <li key={one.category} className="grid grid-cols-[9rem_2.5rem_minmax(0,1fr)] items-center gap-3">
                <span>{categoryWord[one.category]}</span>
                <span className="text-right text-dim">
                  <RowsLink search={{ category: one.category }}>{one.count}</RowsLink>
                </span>
                <span
                  aria-hidden="true"
                  className="h-1 rounded-full bg-bad/70"
                  style={{ width: `${(one.count / most) * 100}%` }}
                />
              </li>
            ))}
          </ul>
          <p className="num mt-3 text-dim">
            {repeated_failures === 0 ? (
              "No attempt failed in the same way as an earlier one at the same task."
            ) : (
              <RowsLink search={{ repeated: true }}>
                {count(repeated_failures, "attempt")} failed in the same way as an earlier one at the same task.
              </RowsLink>
            )}
          </p>
          {returning.length > 0 && <Returning failures={returning} />}
        </>
      )}
    </Section>
  );
}

/** Recurring failures, of one task or of several. */
function Returning({ failures }: { failures: Insights["returning"] }) {
  return (
    <>
      <h3 className="mt-5 mb-1 font-medium">What came back</h3>
      <ul aria-label="Failures that came back" className="num">
        {failures.map(({ signature, count: times, tasks }) => (
          <li
            key={signature}
            className="grid grid-cols-[3rem_minmax(0,1fr)_6rem] items-baseline gap-3 border-t border-line py-1.5"
          >
            <span className="text-right font-medium">
              <RowsLink search={{ signature }}>{times}×</RowsLink>
            </span>
            <span className="truncate font-mono text-xs text-dim" title={signatureInWords(signature)}>
              {signatureInWords(signature)}
            </span>
            <span className="text-right text-xs text-faint">at {count(tasks, "task")}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
