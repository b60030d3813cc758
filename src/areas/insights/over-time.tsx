import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Cost as CostOfWork, type FeatureWork, queries, type SaturationHistory, type WorkOverTime } from "@/ipc";
import { dayWord, lastDays } from "@/lib/days";
import { costInWords, count, dollars, signed, signedDollars } from "@/lib/format";
import type { IterationSearch } from "@/lib/loop/iteration-search";
import { DayChart, NumbersTable } from "@/ui/chart/day-chart";
import { Cost } from "@/ui/cost";
import { Section } from "@/ui/page";
import { RowsLink } from "./rows-link";

/** Number of days in the chart. */
const DAYS = 30;
/** Features whose cost is listed before the rest is requested. */
const FEATURES = 8;

/** Attempts done and failed by day, with their cost, and the change since yesterday. */
export function OverTime() {
  const { data } = useQuery(queries.workOverTime());
  const { data: saturation = [] } = useQuery(queries.saturationHistory(null));
  if (!data || data.days.length === 0) return null;
  return (
    <>
      <Section title="Day by day" note={`the last ${DAYS} days, by your clock`}>
        <SinceYesterday work={data} saturation={saturation} />
        <Days work={data} />
      </Section>
      <ByFeature features={data.features} />
    </>
  );
}

function Days({ work }: { work: WorkOverTime }) {
  const days = lastDays(work.days, work.today, DAYS);
  return (
    <>
      <div className="mt-3 grid grid-cols-2 gap-x-8 gap-y-4 max-[900px]:grid-cols-1">
        <DayChart
          label="Attempts: done below, failed above"
          format={String}
          bars={days.map(({ day, done, failed }) => ({
            day,
            words: `${done} done, ${failed} failed`,
            parts: [
              { value: done, className: "fill-ok" },
              { value: failed, className: "fill-bad" },
            ],
          }))}
        />
        <DayChart
          label="Dollars"
          format={dollars}
          bars={days.map(({ day, cost_usd, unpriced }) => ({
            day,
            words: costInWords(cost_usd, unpriced),
            parts: [{ value: cost_usd ?? 0, className: "fill-accent" }],
          }))}
        />
      </div>
      <NumbersTable
        label="Every day with work"
        head={["Day", "Done", "Failed", "Cost"]}
        rows={work.days.toReversed()}
        row={(day) => ({
          key: day.day,
          cells: [
            dayWord(day.day),
            <RowsLink key="done" search={{ day: day.day, result: "done" }}>
              {day.done}
            </RowsLink>,
            <RowsLink key="failed" search={{ day: day.day, result: "failed", attempts: true }}>
              {day.failed}
            </RowsLink>,
            <CostCell key="cost" of={day} search={{ day: day.day }} />,
          ],
        })}
      />
    </>
  );
}

/** Today against yesterday, in words. */
function SinceYesterday({ work, saturation }: { work: WorkOverTime; saturation: SaturationHistory[] }) {
  const [yesterday, today] = lastDays(work.days, work.today, 2);
  if (!yesterday || !today) return null;
  const moved = saturation.flatMap((history) => movedOn(history, work.today));
  return (
    <p className="num flex flex-wrap gap-x-5 gap-y-1" data-testid="since-yesterday">
      <span className="text-dim">Today, and against yesterday:</span>
      <Change words={`${today.done} done`} by={signed(today.done - yesterday.done)} />
      <Change words={`${today.failed} failed`} by={signed(today.failed - yesterday.failed)} />
      <Change
        words={costInWords(today.cost_usd, today.unpriced)}
        by={signedDollars((today.cost_usd ?? 0) - (yesterday.cost_usd ?? 0))}
      />
      {moved.slice(0, FEATURES).map(({ feature, from, to }) => (
        <Link key={feature} to="/features/$name" params={{ name: feature }} className="hover:text-accent">
          {feature} {from} → {to} % full
        </Link>
      ))}
      {moved.length > FEATURES && (
        <span className="text-dim">{count(moved.length - FEATURES, "more feature")} moved</span>
      )}
    </p>
  );
}

function Change({ words, by }: { words: string; by: string }) {
  return (
    <span>
      {words} <span className="text-faint">({by})</span>
    </span>
  );
}

/** The change of a feature's saturation since the end of yesterday. */
function movedOn({ feature, points }: SaturationHistory, today: string) {
  const start = new Date(`${today}T00:00:00`).getTime();
  const to = points.at(-1)?.saturation_pct ?? 0;
  const from = points.findLast(({ at }) => Date.parse(at) < start)?.saturation_pct ?? 0;
  return from === to ? [] : [{ feature, from, to }];
}

/** What cost something without a task: consolidations, reviews of learnings. */
const NO_FEATURE = "of no feature";

/** The cost of each feature, highest first, and the cost per finished attempt. */
function ByFeature({ features }: { features: FeatureWork[] }) {
  const dearest = Math.max(...features.map(({ cost_usd }) => cost_usd ?? 0), 0);
  if (dearest === 0) return null;
  return (
    <Section title="Cost by feature" note="over all iterations and errands, and per attempt that was done">
      <ul aria-label="Cost by feature" className="num flex flex-col gap-1.5">
        {features
          .filter((row, at) => at < FEATURES || row.feature === null)
          .map((row) => (
            <li
              key={row.feature ?? ""}
              className="grid grid-cols-[minmax(0,11rem)_minmax(0,1fr)_5rem_6rem] items-center gap-3"
            >
              {row.feature === null ? (
                <span className="truncate text-dim">{NO_FEATURE}</span>
              ) : (
                <Link to="/features/$name" params={{ name: row.feature }} className="truncate hover:text-accent">
                  {row.feature}
                </Link>
              )}
              <span aria-hidden="true" className="h-1.5 rounded-full bg-raised">
                <span
                  className="block h-full rounded-full bg-accent"
                  style={{ width: `${((row.cost_usd ?? 0) / dearest) * 100}%` }}
                />
              </span>
              <span className="text-right">
                <Cost usd={row.cost_usd} estimated={row.estimated_usd} unpriced={row.unpriced} />
              </span>
              <span className="text-right text-xs text-dim">{perDone(row)}</span>
            </li>
          ))}
      </ul>
      <NumbersTable
        label="Every feature"
        head={["Feature", "Done", "Failed", "Cost", "Per done"]}
        rows={features}
        row={({ feature, ...row }) => {
          // No iteration is without a feature.
          if (feature === null) {
            const cost = <Cost key="cost" usd={row.cost_usd} estimated={row.estimated_usd} unpriced={row.unpriced} />;
            return { key: "", cells: [NO_FEATURE, row.done, row.failed, cost, perDone(row)] };
          }
          return {
            key: feature,
            cells: [
              feature,
              <RowsLink key="done" search={{ feature, result: "done" }}>
                {row.done}
              </RowsLink>,
              <RowsLink key="failed" search={{ feature, result: "failed", attempts: true }}>
                {row.failed}
              </RowsLink>,
              <CostCell key="cost" of={row} search={{ feature }} />,
              perDone(row),
            ],
          };
        }}
      />
    </Section>
  );
}

/** A cost, linked to its iterations, with the part that they lack. */
function CostCell({ of, search }: { of: CostOfWork; search: IterationSearch }) {
  return (
    <>
      <RowsLink search={search}>
        <Cost usd={of.cost_usd} estimated={of.estimated_usd} unpriced={of.unpriced} />
      </RowsLink>
      {!!of.errands_usd && <span className="text-dim">, {dollars(of.errands_usd)} of it by errands</span>}
    </>
  );
}

function perDone({ done, cost_usd, unpriced }: Omit<FeatureWork, "feature">): string {
  if (done === 0) return "none done";
  const each = costInWords((cost_usd ?? 0) / done, unpriced);
  return unpriced && !cost_usd ? each : `${each} each`;
}
