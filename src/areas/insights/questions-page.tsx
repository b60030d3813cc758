import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { SearchX } from "lucide-react";
import { type QuestionRow, queries, toFault } from "@/ipc";
import { ago, count, moment, needleOf } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { channelWord } from "@/lib/knowledge/knowledge-words";
import { type QuestionSearch, questionFilterOf } from "@/lib/knowledge/question-search";
import { Button } from "@/ui/button";
import { Result } from "@/ui/query";
import { Empty, ErrorNote } from "@/ui/state";
import { VirtualList } from "@/ui/virtual-list";
import { BehindInsights } from "./behind-insights";

const route = getRouteApi("/insights/questions");

/** The questions behind a figure of retrieval. The URL holds the filter, so that it can be bookmarked and shared. */
export function QuestionsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const found = useInfiniteQuery(queries.questionRows(questionFilterOf(search)));
  const total = found.data?.pages[0]?.total ?? 0;
  const narrowed = Object.values(search).some((part) => part !== undefined);
  const clear = <Button onClick={() => void navigate({ search: {}, replace: true })}>Show all questions</Button>;
  const now = useNow(60_000);
  return (
    <div className="flex h-full min-h-0 flex-col low:overflow-x-hidden low:overflow-y-auto">
      <header className="flex min-h-14 shrink-0 flex-wrap items-center gap-x-3 px-6 pt-3 pb-2">
        <BehindInsights title="Questions" />
        <p className="num text-dim" data-testid="behind">
          {found.data && count(total, "row")}
          {narrowed && `: ${words(search)}`}
        </p>
        {narrowed && <span className="ml-auto">{clear}</span>}
      </header>
      <Result of={found}>
        {({ pages }) =>
          total > 0 ? (
            <>
              <VirtualList
                label="Questions"
                items={pages.flatMap(({ rows }) => rows)}
                keyOf={(row) => `${row.query} ${row.memory ?? ""}`}
                estimate={72}
                render={(row) => <Line row={row} alternative={search.alternative} now={now} />}
              />
              {found.hasNextPage && (
                <footer className="flex min-h-11 shrink-0 flex-wrap items-center gap-3 border-t border-line px-6 py-1.5">
                  {found.isFetchNextPageError && <ErrorNote fault={toFault(found.error)} />}
                  <Button disabled={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
                    {found.isFetchingNextPage ? "Loading…" : "Show more"}
                  </Button>
                </footer>
              )}
            </>
          ) : (
            <Empty icon={SearchX} title="No recorded question matches" action={narrowed && clear}>
              Each search and each prompt is recorded as a question, with what was found and what was chosen of it.
            </Empty>
          )
        }
      </Result>
    </div>
  );
}

/** The current filter. */
function words({ channel, alone, chosen, judged, week, cycle, alternative, arm, term }: QuestionSearch): string {
  return [
    channel && `found by ${channelWord[channel]}${alone ? " alone" : ""}, among the first ten`,
    chosen && (term ? "chosen since the term was learned" : "chosen by somebody"),
    judged && "with a known answer",
    week && `in the week of ${week.slice(0, 10)}`,
    cycle && `in cycle ${cycle}`,
    alternative && `compared with ${alternative}`,
    arm && `answered ${arm === "plain" ? "without" : "with"} learned terms`,
    term && `where ${term} brings a learning`,
  ]
    .filter(Boolean)
    .join(", ");
}

function Line({ row, alternative, now }: { row: QuestionRow; alternative: string | undefined; now: number }) {
  return (
    <article tabIndex={-1} data-row className="num border-b border-line px-6 py-2 hover:bg-hover">
      <p className="flex items-baseline gap-3">
        <span className="selectable line-clamp-2 min-w-0 flex-1 wrap-anywhere">{row.text}</span>
        <span className="shrink-0 text-xs text-dim">
          MRR@5 {row.mrr_5 === null ? "not known" : row.mrr_5.toFixed(2)}
          {alternative && row.other_mrr_5 !== null && `, with ${alternative} ${row.other_mrr_5.toFixed(2)}`}
        </span>
        <span className="w-20 shrink-0 text-right text-xs text-faint" title={moment(row.at)}>
          {ago(row.at, now)}
        </span>
      </p>
      <p className="flex gap-3 text-xs text-dim">
        <span className="w-20 shrink-0 text-faint">
          {row.iteration === null ? row.origin : `iteration ${row.iteration}`}
        </span>
        {row.memory === null ? (
          <span>{count(row.results, "result")}; answer not known</span>
        ) : (
          <Link
            to="/knowledge"
            search={{ q: needleOf(row.memory_text ?? row.memory) }}
            className="line-clamp-1 min-w-0 flex-1 wrap-anywhere hover:text-accent"
          >
            {row.rank === null ? "not among the results" : `rank ${row.rank} of ${row.results}`} ·{" "}
            {row.channels.map((channel) => channelWord[channel]).join(", ")} · {row.memory_text ?? row.memory}
          </Link>
        )}
      </p>
    </article>
  );
}
