import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type EvalInsights, queries, type RetrievalWeek } from "@/ipc";
import { everyWeek } from "@/lib/days";
import { count, percent } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { channelHint, channelWord } from "@/lib/knowledge/knowledge-words";
import { DayChart, NumbersTable } from "@/ui/chart/day-chart";
import { Section } from "@/ui/page";
import { Alternatives } from "./alternatives";
import { Effects } from "./effects";
import { Gates } from "./gates";
import { Terms } from "./learned-terms";
import { QuestionsLink } from "./questions-link";

/** Weeks in the chart; the table has all. */
const WEEKS = 52;

const figure = (value: number | null) => (value === null ? "–" : value.toFixed(2));

const MRR = "How high the first answer ranks: 1 = always first, 0.5 = second on average, 0 = not among the first five";

/** The quality of search by week, and what is learned from the selections of people and agents. */
export function Retrieval() {
  const { data } = useQuery(queries.evalInsights());
  if (!data) return null;
  const conditions = (
    <>
      <Alternatives insights={data} />
      <Gates insights={data} />
    </>
  );
  return (
    <>
      <Section
        title="Does search find it?"
        note={
          data.recorded.queries > 0 && (
            <>
              <QuestionsLink search={{}}>{count(data.recorded.queries, "question")}</QuestionsLink>,{" "}
              <QuestionsLink search={{ judged: true }}>{count(data.retrieval.judged, "answer")} known</QuestionsLink>
              {data.recorded.dropped > 0 && `, ${count(data.recorded.dropped, "record")} dropped`}
            </>
          )
        }
      >
        {data.recorded.queries === 0 ? (
          <p className="max-w-2xl text-dim">
            Nothing has been asked yet. Each search and each prompt is recorded here, with what it found and what was
            chosen.
          </p>
        ) : (
          <>
            <Weeks insights={data} />
            <p className="mt-2">
              <Link to="/insights/label" className="text-accent hover:underline">
                Label what answers a question
              </Link>{" "}
              <span className="text-dim">
                – one pair at a time, by keyboard. Every figure here rests on such labels, and on what was opened,
                copied or marked.
              </span>
            </p>
            <Channels insights={data} />
          </>
        )}
      </Section>
      {data.recorded.queries === 0 ? (
        <details className="mt-4">
          <summary className="w-fit cursor-pointer text-dim hover:text-text">What questions will decide</summary>
          {conditions}
        </details>
      ) : (
        conditions
      )}
      <Terms terms={data.learned_terms} noise={data.noise_rate} />
      <Effects />
    </>
  );
}

const inWords = ({ retrieval: { hit_10, judged } }: RetrievalWeek) =>
  hit_10 === null ? "no answer known" : `${percent(hit_10)} of ${judged}`;

function Weeks({ insights: { retrieval, weeks } }: { insights: EvalInsights }) {
  const shown = everyWeek(weeks, useNow(3_600_000), WEEKS);
  return (
    <>
      <p className="num flex flex-wrap gap-x-5">
        <span>
          <QuestionsLink search={{ judged: true }}>
            {retrieval.hit_10 === null ? "–" : percent(retrieval.hit_10)}
          </QuestionsLink>{" "}
          <span className="text-dim">have an answer among the first ten</span>
        </span>
        <span title={MRR}>
          <QuestionsLink search={{ judged: true }}>{figure(retrieval.mrr_5)}</QuestionsLink>{" "}
          <span className="text-dim">MRR@5</span>
        </span>
        <span>
          <QuestionsLink search={{ chosen: true }}>{figure(retrieval.selection_rank)}</QuestionsLink>{" "}
          <span className="text-dim">mean rank of what was chosen</span>
        </span>
      </p>
      {shown.length > 1 && (
        <div className="mt-3 max-w-xl">
          <DayChart
            by="week"
            label="Answer among the first ten"
            format={percent}
            bars={shown.map(({ from, week }) => ({
              day: from,
              words: week ? inWords(week) : "no questions",
              parts: [{ value: week?.retrieval.hit_10 ?? 0, className: "fill-accent" }],
            }))}
          />
        </div>
      )}
      <NumbersTable
        label="Week by week"
        head={["Week of (UTC)", "Questions", "Answer known", "First ten", "MRR@5", "Rank chosen"]}
        rows={weeks.toReversed()}
        row={({ from, retrieval: one }) => ({
          key: from,
          cells: [
            from.slice(0, 10),
            <QuestionsLink key="all" search={{ week: from }}>
              {one.queries}
            </QuestionsLink>,
            <QuestionsLink key="judged" search={{ week: from, judged: true }}>
              {one.judged}
            </QuestionsLink>,
            <QuestionsLink key="first" search={{ week: from, judged: true }}>
              {one.hit_10 === null ? "–" : percent(one.hit_10)}
            </QuestionsLink>,
            <QuestionsLink key="mrr" search={{ week: from, judged: true }}>
              {figure(one.mrr_5)}
            </QuestionsLink>,
            <QuestionsLink key="place" search={{ week: from, chosen: true }}>
              {figure(one.selection_rank)}
            </QuestionsLink>,
          ],
        })}
      />
    </>
  );
}

function Channels({ insights: { channels } }: { insights: EvalInsights }) {
  const rows = Object.entries(channels).flatMap(([channel, share]) => (share ? [{ channel, share }] : []));
  if (rows.length === 0) return null;
  const of = (channel: string) => channel as keyof typeof channelWord;
  return (
    <NumbersTable
      label="What each channel brings"
      head={["Channel", "Found", "Alone", "Chosen", "MRR@5 without it"]}
      rows={rows}
      row={({ channel, share }) => ({
        key: channel,
        cells: [
          <span key="name" title={channelHint[of(channel)]}>
            {channelWord[of(channel)]}
          </span>,
          <QuestionsLink key="found" search={{ channel: of(channel) }}>
            {share.found} <span className="sr-only">found by {channelWord[of(channel)]}</span>
          </QuestionsLink>,
          <QuestionsLink key="alone" search={{ channel: of(channel), alone: true }}>
            {share.exclusive} ({percent(share.exclusive_rate)})
          </QuestionsLink>,
          <QuestionsLink key="chosen" search={{ channel: of(channel), chosen: true }}>
            {share.selected}
          </QuestionsLink>,
          <QuestionsLink key="without" search={{ judged: true }}>
            {figure(share.mrr_5_without)}
          </QuestionsLink>,
        ],
      })}
    />
  );
}
