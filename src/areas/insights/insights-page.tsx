import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ChartNoAxesColumn } from "lucide-react";
import type { ReactNode } from "react";
import { type Insights, queries } from "@/ipc";
import { count, percent } from "@/lib/format";
import { categoryWord } from "@/lib/words";
import { Cost } from "@/ui/cost";
import { Page, Section } from "@/ui/page";
import { Result } from "@/ui/query";
import { Empty } from "@/ui/state";
import { Memory } from "./memory";
import { Models } from "./models";

/** What the project's own history says, and how sure that is. */
export function InsightsPage() {
  const insights = useQuery(queries.insights());
  return (
    <Page title="Insights" sub="measured over this project's own attempts">
      <Result of={insights}>
        {(found) =>
          found.attempts.trials === 0 ? (
            <Empty
              icon={ChartNoAxesColumn}
              title="Nothing to measure yet"
              action={
                <Link
                  to="/loop"
                  className="inline-flex h-7 items-center rounded-md bg-accent px-2.5 font-medium text-accent-ink hover:brightness-110"
                >
                  Start the loop
                </Link>
              }
            >
              Once attempts have ended, this page says how often each model succeeds, what a done task costs, what fails
              again and again, and whether memory helps.
            </Empty>
          ) : (
            <div className="max-w-4xl px-6 pb-10">
              <Figures insights={found} />
              <Models models={found.models} />
              <Failures insights={found} />
              <Memory insights={found} />
            </div>
          )
        }
      </Result>
    </Page>
  );
}

function Figures({ insights }: { insights: Insights }) {
  const { attempts, done_tasks, cost_usd, cost_estimated, cost_per_done_task } = insights;
  return (
    <dl className="num grid grid-cols-4 gap-px overflow-hidden rounded-lg border border-line bg-line">
      <Figure label="Attempts" note={`${percent(attempts.successes / attempts.trials)} ended with the task done`}>
        <Link to="/loop" className="hover:text-accent">
          {attempts.trials.toLocaleString("en-US")}
        </Link>
      </Figure>
      <Figure label="Tasks done by a run">
        <Link to="/tasks" search={{ status: ["done"] }} className="hover:text-accent">
          {done_tasks.toLocaleString("en-US")}
        </Link>
      </Figure>
      <Figure label="Cost per done task" note={cost_estimated ? "partly estimated" : undefined}>
        {cost_per_done_task === null ? (
          <span className="text-faint">none done yet</span>
        ) : (
          <Cost usd={cost_per_done_task} estimated={cost_estimated} />
        )}
      </Figure>
      <Figure label="Cost of all iterations" note={cost_estimated ? "partly estimated" : undefined}>
        <Link to="/loop" className="hover:text-accent">
          <Cost usd={cost_usd} estimated={cost_estimated} />
        </Link>
      </Figure>
    </dl>
  );
}

function Figure({ label, note, children }: { label: string; note?: string; children: ReactNode }) {
  return (
    <div className="bg-panel px-3.5 py-2.5">
      <dt className="text-xs text-faint">{label}</dt>
      <dd className="text-lg font-semibold tracking-tight">{children}</dd>
      {note && <dd className="text-xs text-dim">{note}</dd>}
    </div>
  );
}

function Failures({ insights: { categories, failures, repeated_failures } }: { insights: Insights }) {
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
                <span className="text-right text-dim">{one.count}</span>
                <span
                  aria-hidden="true"
                  className="h-1 rounded-full bg-bad/70"
                  style={{ width: `${(one.count / most) * 100}%` }}
                />
              </li>
            ))}
          </ul>
          <p className="num mt-3 text-dim">
            {repeated_failures === 0
              ? "No attempt failed in the same way as an earlier one at the same task."
              : `${count(repeated_failures, "attempt")} failed in the same way as an earlier one at the same task.`}{" "}
            <Link to="/tasks" search={{ status: ["failed", "blocked"] }} className="text-accent">
              Failed and blocked tasks
            </Link>
          </p>
        </>
      )}
    </Section>
  );
}
