import type { ArmsTrial, EvalInsights, Interval, Trial } from "@/ipc";
import { count } from "@/lib/format";
import { NumbersTable } from "@/ui/chart/day-chart";
import { Section } from "@/ui/page";
import { QuestionsLink } from "./questions-link";

/** Consecutive weeks in which an alternative must not do worse. */
const WEEKS = 2;

const figure = (value: number | null) => (value === null ? "–" : value.toFixed(2));
const signed = (value: number) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(3)}`;

/** A difference with its 95 % interval. */
function change(delta: number | null, interval: Interval | null): string {
  if (delta === null) return "–";
  return interval ? `${signed(delta)} (${signed(interval.low ?? 0)} to ${signed(interval.high ?? 0)})` : signed(delta);
}

/** The decision in words, and what is still required for it. */
function answer({ answer: said, queries_needed, weeks_not_worse }: Trial | ArmsTrial): string {
  if (said === "promote") return `promote: not worse for ${count(weeks_not_worse, "week")}`;
  if (said === "roll_back") return "roll back: measurably worse";
  return queries_needed > 0
    ? `wait: ${count(queries_needed, "more judged question")}`
    : `wait: ${weeks_not_worse} of ${WEEKS} weeks not worse`;
}

/** The current configuration against its alternatives: other weights on the same questions, and learned terms against none. */
export function Alternatives({ insights: { trials, arms, provisional } }: { insights: EvalInsights }) {
  const drawn = arms.learned.queries + arms.plain.queries;
  if (trials.length === 0 && drawn === 0 && provisional.length === 0) return null;
  return (
    <Section title="A against B" note="asked again with other weights, beside what is in force">
      {trials.length > 0 && (
        <NumbersTable
          wide
          open
          label={`${count(trials.length, "alternative")} on trial`}
          head={[
            "Alternative",
            "Questions",
            <span key="o" title="Share of the first ten results that both have in common">
              Overlap
            </span>,
            <span key="t" title="Kendall's τ of what both found: 1 = the same order, −1 = reversed">
              Order τ
            </span>,
            <span key="m" title="Mean difference in rank of what both found">
              Moved
            </span>,
            "MRR@5 in force",
            "Change (95 %)",
            "Verdict",
          ]}
          rows={trials}
          row={(trial) => ({
            key: trial.other,
            cells: [
              trial.other === "learned" ? "with learned terms" : trial.other,
              <QuestionsLink key="all" search={{ alternative: trial.other }}>
                {trial.judged} <span className="text-faint">of {trial.queries} judged</span>
              </QuestionsLink>,
              ...[trial.overlap, trial.tau, trial.moved].map((value, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the columns never move.
                <QuestionsLink key={at} search={{ alternative: trial.other }}>
                  {figure(value)}
                </QuestionsLink>
              )),
              ...[figure(trial.live_mrr), change(trial.mrr_delta, trial.interval)].map((value, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the columns never move.
                <QuestionsLink key={`judged ${at}`} search={{ alternative: trial.other, judged: true }}>
                  {value}
                </QuestionsLink>
              )),
              answer(trial),
            ],
          })}
        />
      )}
      {drawn > 0 && (
        <p className="num mt-2">
          Learned terms count now, and a fifth of the questions are still answered without them:{" "}
          <QuestionsLink search={{ arm: "learned" }}>{arms.learned.queries} with</QuestionsLink>, MRR@5{" "}
          {figure(arms.learned.mrr_5)};{" "}
          <QuestionsLink search={{ arm: "plain" }}>{arms.plain.queries} without</QuestionsLink>,{" "}
          {figure(arms.plain.mrr_5)}. Change {change(arms.mrr_delta, arms.interval)}: {answer(arms)}.
        </p>
      )}
      {provisional.length > 0 && (
        <p className="mt-2 max-w-2xl text-xs text-dim">
          Provisional, until a trial of this project decides:{" "}
          {provisional.map((one) => one.replaceAll("_", " ")).join(" · ")}.
        </p>
      )}
    </Section>
  );
}
