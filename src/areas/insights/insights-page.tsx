import { useQuery } from "@tanstack/react-query";
import { ChartNoAxesColumn } from "lucide-react";
import type { ReactNode } from "react";
import { type Insights, queries } from "@/ipc";
import { dollars, number, percent } from "@/lib/format";
import { useDrawn } from "@/lib/hooks";
import { Cost } from "@/ui/cost";
import { NextStep, primaryStep } from "@/ui/next-step";
import { Page } from "@/ui/page";
import { Result } from "@/ui/query";
import { Empty } from "@/ui/state";
import { Failures } from "./failures";
import { Learning } from "./learning";
import { Memory } from "./memory";
import { Models } from "./models";
import { OverTime } from "./over-time";
import { Retrieval } from "./retrieval";
import { RowsLink } from "./rows-link";
import { Saturation } from "./saturation";

/** Statistics of the project's own history, each with its uncertainty. */
export function InsightsPage() {
  const insights = useQuery(queries.insights());
  const drawn = useDrawn();
  return (
    <Page title="Insights" sub="measured over this project's own attempts">
      <Result of={insights}>
        {(found) =>
          found.attempts.trials + (found.unpriced ?? 0) + (found.cost_usd ?? 0) === 0 ? (
            <Empty
              icon={ChartNoAxesColumn}
              title="Nothing to measure yet"
              action={<NextStep className={primaryStep} />}
            >
              Once attempts have ended, this page says how often each model succeeds, what a done task costs, what fails
              again and again, and whether memory helps.
            </Empty>
          ) : (
            <div className="max-w-4xl px-6">
              <Figures insights={found} />
              <OverTime />
              <Models models={found.models} />
              <Failures insights={found} />
              <Memory insights={found} />
            </div>
          )
        }
      </Result>
      {drawn && (
        <div className="max-w-4xl px-6 pb-10">
          <Saturation />
          <Retrieval />
          <Learning />
        </div>
      )}
    </Page>
  );
}

function Figures({ insights }: { insights: Insights }) {
  const { attempts, done_tasks, cost_usd, cost_estimated, estimated_usd, cost_per_done_task, unpriced } = insights;
  const errands_usd = insights.errands_usd ?? 0;
  return (
    <dl className="num grid grid-cols-4 gap-px max-[900px]:grid-cols-2 overflow-hidden rounded-lg border border-line bg-line">
      <Figure
        label="Attempts"
        note={
          attempts.trials > 0 && (
            <RowsLink search={{ attempts: true, result: "done" }}>
              {percent(attempts.successes / attempts.trials)} ended with the task done
            </RowsLink>
          )
        }
      >
        <RowsLink search={{ attempts: true }}>{number(attempts.trials)}</RowsLink>
      </Figure>
      <Figure label="Tasks done by a run">
        <RowsLink search={{ result: "done", task_done: true }}>{number(done_tasks)}</RowsLink>
      </Figure>
      <Figure label="Cost per done task" note={cost_estimated && "part estimated"}>
        {done_tasks === 0 ? (
          <span className="text-faint">none done yet</span>
        ) : (
          <RowsLink search={{}}>
            <Cost usd={cost_per_done_task ?? 0} estimated={(estimated_usd ?? 0) / done_tasks} unpriced={unpriced} />
          </RowsLink>
        )}
      </Figure>
      <Figure
        label="Cost of all agents"
        note={
          (cost_estimated || errands_usd > 0) && (
            <>
              {cost_estimated && (
                <RowsLink search={{ estimated: true }}>{dollars(estimated_usd)} of it estimated</RowsLink>
              )}
              {cost_estimated && errands_usd > 0 && ", "}
              {errands_usd > 0 && `${dollars(errands_usd)} of it by errands`}
            </>
          )
        }
      >
        <RowsLink search={{}}>
          <Cost usd={cost_usd} estimated={estimated_usd} unpriced={unpriced} />
        </RowsLink>
      </Figure>
    </dl>
  );
}

function Figure({ label, note, children }: { label: string; note?: ReactNode; children: ReactNode }) {
  return (
    <div className="bg-panel px-3.5 py-2.5">
      <dt className="text-xs text-faint">{label}</dt>
      <dd className="text-lg font-semibold tracking-tight">{children}</dd>
      {note && <dd className="text-xs text-dim">{note}</dd>}
    </div>
  );
}
