import { Link } from "@tanstack/react-router";
import type { Attempt, FailureRecord, Iteration, TaskDetail } from "@/ipc";
import { count, duration } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { sameFailures } from "@/lib/loop/failures";
import { categoryWord, outcomeTone, outcomeWord } from "@/lib/words";
import { Badge, toneText } from "@/ui/badge";
import { CostOf } from "@/ui/cost";
import { useFew } from "@/ui/few";
import { Section } from "@/ui/page";
import { InCode } from "@/ui/said";

/** Attempts: outcome, model, cost, and reason. Iterations that do not count as attempts are listed, too. */
export function Attempts({ task: { iterations, attempts } }: { task: TaskDetail }) {
  const now = useNow(
    1000,
    iterations.some(({ outcome }) => outcome === "running"),
  );
  const [shown, more] = useFew(iterations);
  if (iterations.length === 0) return null;
  const byIteration = new Map(attempts.map((attempt) => [attempt.iteration, attempt]));
  return (
    <Section title="Attempts" note="newest first">
      <ul className="overflow-hidden rounded-lg border border-line">
        {shown.map((iteration, at) => {
          const attempt = byIteration.get(iteration.id);
          const above = byIteration.get(shown[at - 1]?.id ?? 0)?.failure;
          const repeats = attempt?.failure != null && reportOf(attempt.failure) === (above && reportOf(above));
          return (
            <li key={iteration.id} className="border-b border-line last:border-0">
              <Head iteration={iteration} why={attempt?.failure?.why_it_failed} repeats={repeats} now={now} />
              {attempt?.failure && !repeats && <Failure attempt={attempt} same={sameFailures(attempts, attempt)} />}
            </li>
          );
        })}
      </ul>
      {more}
    </Section>
  );
}

/** What a report says, whoever says it and when. */
const reportOf = ({ what_was_tried, why_it_failed, retry_suggestion, relevant_files, stack_trace }: FailureRecord) =>
  JSON.stringify([what_was_tried, why_it_failed, retry_suggestion, relevant_files, stack_trace]);

function Head({
  iteration,
  why,
  repeats,
  now,
}: {
  iteration: Iteration;
  why: string | undefined;
  /** Its report says what the one above it says. */
  repeats: boolean;
  now: number;
}) {
  const { attempt, model, note, outcome, rationale, usage } = iteration;
  return (
    <Link
      to="/loop/$run/$iteration"
      params={{ run: String(iteration.run), iteration: String(iteration.id) }}
      className="num block px-3 py-2 hover:bg-hover"
    >
      <span className="flex items-center gap-4">
        <span className={`w-24 ${toneText[outcomeTone[outcome]]}`}>{outcomeWord[outcome]}</span>
        <span className="text-dim">{attempt === null ? "no attempt" : `attempt ${attempt}`}</span>
        <span className="text-dim" title={rationale ?? undefined}>
          {model}
        </span>
        {iteration.held_out && <Badge>held out</Badge>}
        <span className="ml-auto text-dim">
          {duration((iteration.ended ? Date.parse(iteration.ended) : now) - Date.parse(iteration.started))}
        </span>
        <span className="w-20 text-right text-dim">
          <CostOf usage={usage} />
        </span>
      </span>
      {/* Left out if the report below gives the same reason. */}
      {repeats ? (
        <span className="block text-xs text-faint">the same report as the attempt above</span>
      ) : (
        note &&
        !(why && note.includes(why)) && (
          <span className="block text-xs wrap-anywhere text-faint">
            <InCode text={note} />
          </span>
        )
      )}
    </Link>
  );
}

/** The report of a failed attempt, from its agent or generated. */
function Failure({ attempt: { number, failure }, same }: { attempt: Attempt; same: number }) {
  if (!failure) return null;
  return (
    <section aria-label={`Report of attempt ${number}`} className="px-3 pb-3 text-xs">
      <p className="mb-1.5 flex flex-wrap gap-1.5">
        {/* What nobody could tell is not a finding. */}
        {failure.category !== "unknown" && <Badge tone="bad">{categoryWord[failure.category]}</Badge>}
        {same > 1 && <Badge tone="warn">failed the same way {count(same, "time")}</Badge>}
        {failure.generated && (
          <Badge title="The agent left no report, so Ralph made one from the result and the check">
            Ralph's report
          </Badge>
        )}
      </p>
      <dl className="selectable grid grid-cols-[4.5rem_minmax(0,1fr)] gap-x-3 gap-y-1 [&_dd]:whitespace-pre-wrap [&_dd]:wrap-anywhere [&_dt]:text-faint">
        <dt>Tried</dt>
        <dd>{failure.what_was_tried}</dd>
        <dt>Failed</dt>
        <dd>{failure.why_it_failed}</dd>
        {failure.retry_suggestion && (
          <>
            <dt>Suggests</dt>
            <dd>{failure.retry_suggestion}</dd>
          </>
        )}
        {failure.relevant_files.length > 0 && (
          <>
            <dt>Files</dt>
            <dd className="font-mono text-2xs leading-4.5">{failure.relevant_files.join("\n")}</dd>
          </>
        )}
      </dl>
      {failure.stack_trace && (
        <details className="mt-1.5">
          <summary className="text-faint">Trace</summary>
          <pre className="mt-1 max-h-52 overflow-auto font-mono text-2xs leading-4.5 whitespace-pre-wrap wrap-anywhere text-dim">
            {failure.stack_trace}
          </pre>
        </details>
      )}
    </section>
  );
}
