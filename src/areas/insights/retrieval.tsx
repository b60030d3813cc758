import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Check, Undo2, X } from "lucide-react";
import { commands, type EvalInsights, type LearnedTermRow, queries } from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { ago, count, moment, percent } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { DayChart, NumbersTable } from "@/ui/day-chart";
import { Section } from "@/ui/page";
import { RowsLink } from "./rows-link";

const figure = (value: number | null) => (value === null ? "–" : value.toFixed(2));

/** How good search is, week by week, and what is learned from what people and agents choose. */
export function Retrieval() {
  const { data } = useQuery(queries.evalInsights());
  if (!data || data.recorded.queries === 0) return null;
  return (
    <>
      <Section
        title="Does search find it?"
        note={`${count(data.recorded.queries, "question")}, ${count(data.retrieval.judged, "answer")} known`}
      >
        <Weeks insights={data} />
        <p className="mt-2">
          <Link to="/insights/label" className="text-accent hover:underline">
            Say what answers a question
          </Link>{" "}
          <span className="text-dim">– one pair at a time, by keys. Every figure here rests on such words.</span>
        </p>
        <Channels insights={data} />
      </Section>
      <Gates insights={data} />
      <Terms terms={data.learned_terms} />
      <Effects insights={data} />
    </>
  );
}

function Weeks({ insights: { retrieval, weeks } }: { insights: EvalInsights }) {
  return (
    <>
      <p className="num flex flex-wrap gap-x-5">
        <span>
          {retrieval.hit_10 === null ? "–" : percent(retrieval.hit_10)}{" "}
          <span className="text-dim">have an answer among the first ten</span>
        </span>
        <span>
          {figure(retrieval.mrr_5)} <span className="text-dim">MRR@5</span>
        </span>
        <span>
          {figure(retrieval.selection_rank)} <span className="text-dim">mean place of what was chosen</span>
        </span>
      </p>
      {weeks.length > 1 && (
        <div className="mt-3 max-w-xl">
          <DayChart
            label="Answer among the first ten, by week"
            top={percent(Math.max(...weeks.map((week) => week.retrieval.hit_10 ?? 0)))}
            bars={weeks.map((week) => ({
              day: week.from.slice(0, 10),
              words: `${percent(week.retrieval.hit_10)} of ${week.retrieval.judged}`,
              parts: [{ value: week.retrieval.hit_10 ?? 0, className: "fill-accent" }],
            }))}
          />
        </div>
      )}
      <NumbersTable
        label="Week by week"
        head={["Week of", "Questions", "Answer known", "First ten", "MRR@5"]}
        rows={weeks.toReversed().map(({ from, retrieval: one }) => ({
          key: from,
          cells: [
            from.slice(0, 10),
            one.queries,
            one.judged,
            one.hit_10 === null ? "–" : percent(one.hit_10),
            figure(one.mrr_5),
          ],
        }))}
      />
    </>
  );
}

function Channels({ insights: { channels } }: { insights: EvalInsights }) {
  const rows = Object.entries(channels).flatMap(([channel, share]) => (share ? [{ channel, share }] : []));
  if (rows.length === 0) return null;
  return (
    <NumbersTable
      label="What each channel brings"
      head={["Channel", "Found", "Alone", "Chosen", "MRR@5 without it"]}
      rows={rows.map(({ channel, share }) => ({
        key: channel,
        cells: [
          channel.replaceAll("_", " "),
          share.found,
          `${share.exclusive} (${percent(share.exclusive_rate)})`,
          share.selected,
          figure(share.mrr_5_without),
        ],
      }))}
    />
  );
}

/** What must be so before learned terms count, beside what was measured; and the cycles that it is measured in. */
function Gates({ insights: { gates, cycles, terms_count, trials, agreement } }: { insights: EvalInsights }) {
  return (
    <Section title="Gates" note={terms_count ? "all open: learnt terms count" : "learnt terms do not count yet"}>
      <ul aria-label="Gates" className="num max-w-3xl">
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
      <NumbersTable
        label={count(cycles.length, "evaluation cycle")}
        head={["Cycle", "Questions", "Days", "From", "To"]}
        rows={cycles.toReversed().map((cycle) => ({
          key: String(cycle.number),
          cells: [
            cycle.number,
            `${cycle.queries} of ${cycle.queries_required}`,
            `${(cycle.days ?? 0).toFixed(1)} of ${cycle.days_required}`,
            moment(cycle.from),
            moment(cycle.to),
          ],
        }))}
      />
      {trials.length > 0 && (
        <NumbersTable
          label={`${count(trials.length, "alternative")} on trial`}
          head={["Alternative", "Questions", "MRR@5, change", "Weeks not worse", "Answer"]}
          rows={trials.map((trial) => ({
            key: trial.other,
            cells: [
              trial.other,
              trial.judged,
              figure(trial.mrr_delta),
              trial.weeks_not_worse,
              trial.answer.replaceAll("_", " "),
            ],
          }))}
        />
      )}
      <p className="num mt-2 text-xs text-dim">
        The judge {agreement.counts ? "counts" : "does not count yet"}: {agreement.pairs} of {agreement.pairs_required}{" "}
        pairs labelled by both{agreement.agreement !== null && `, ${percent(agreement.agreement)} alike`}.
      </p>
    </Section>
  );
}

/** Words by which learnings are found since they were chosen for a question with that word. */
function Terms({ terms }: { terms: LearnedTermRow[] }) {
  const now = useNow(60_000);
  const back = useCommand((since: string) => commands.rollFeedbackBack(since), {
    onDone: ({ terms: gone, learnings }) =>
      tellDone(`${count(gone, "learnt term")} of ${count(learnings.length, "learning")} taken back`),
  });
  if (terms.length === 0) return null;
  const newest = terms.toSorted((one, other) => other.learnt.localeCompare(one.learnt));
  return (
    <Section
      title="Learnt terms"
      note="they fade within thirty days; taking one back takes back what was learnt after it"
    >
      <ul aria-label="Learnt terms" className="num max-w-3xl">
        {newest.map((row) => (
          <li key={`${row.learning} ${row.term}`} className="flex items-center gap-3 border-t border-line py-1">
            <Link
              to="/knowledge"
              search={{ q: row.term }}
              className="w-32 shrink-0 truncate py-0.5 font-mono text-xs hover:text-accent"
              title={`What ${row.term} finds`}
            >
              {row.term}
            </Link>
            <span className="min-w-0 flex-1 truncate text-xs text-dim">
              by {row.by.split(":")[0]}, {ago(row.learnt, now)} · brought it {row.added}× · chosen since {row.confirmed}
              × · strength {percent(row.strength)}
            </span>
            {row.noise && <Badge tone="warn">noise</Badge>}
            <Button
              size="sm"
              look="ghost"
              aria-label={`Take back ${row.term} and what was learnt after it`}
              disabled={back.isPending}
              onClick={() => back.mutate(row.learnt)}
            >
              <Undo2 size={13} aria-hidden="true" /> Take back
            </Button>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** What each learning did for the attempts that were told it. */
function Effects({ insights: { effects } }: { insights: EvalInsights }) {
  if (effects.length === 0) return null;
  return (
    <Section title="What each learning did" note="for the attempts that were told it">
      <NumbersTable
        label={count(effects.length, "learning")}
        head={["Learning", "Told", "Done", "Failed", "Failed as it warns", "Avoided"]}
        rows={effects.map((row) => ({
          key: row.learning,
          cells: [
            <span key="text" className="line-clamp-2 wrap-anywhere">
              {row.harmful && <Badge tone="bad">harmful</Badge>}{" "}
              <Link to="/knowledge" search={{ q: row.text.slice(0, 60) }} className="hover:text-accent">
                {row.text}
              </Link>
            </span>,
            <RowsLink key="told" search={{ learning: row.learning, memory: "told", attempts: true }}>
              {row.shown} <span className="sr-only">told</span>
            </RowsLink>,
            <RowsLink key="done" search={{ learning: row.learning, memory: "told", attempts: true, result: "done" }}>
              {row.succeeded} <span className="sr-only">done</span>
            </RowsLink>,
            <RowsLink
              key="failed"
              search={{ learning: row.learning, memory: "told", attempts: true, result: "failed" }}
            >
              {row.failed} <span className="sr-only">failed</span>
            </RowsLink>,
            row.failed_as_warned,
            row.avoided,
          ],
        }))}
      />
    </Section>
  );
}
