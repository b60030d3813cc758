import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Comparison, Insights } from "@/ipc";
import { dollars, needleOf, percent, signed, signedDollars } from "@/lib/format";
import { IntervalBar } from "@/ui/chart/interval-bar";
import { Section } from "@/ui/page";
import { RowsLink } from "./rows-link";

type Measured = Extract<Comparison, { kind: "measured" }>;

/** Attempts with learnings in their prompts against attempts from which they were withheld. */
export function Memory({ insights }: { insights: Insights }) {
  const { memory_on_success, memory_on_cost, learnings } = insights;
  const waiting = [memory_on_success, memory_on_cost].some(({ kind }) => kind === "not_enough");
  return (
    <Section title="Does memory help?" note="attempts that were told learnings, against attempts held out">
      <dl className="num grid grid-cols-[8rem_minmax(0,1fr)] gap-x-4 gap-y-2.5">
        <dt className="text-dim">Tasks done</dt>
        <dd>
          <Compared of={memory_on_success}>{(effect) => <Rates effect={effect} />}</Compared>
        </dd>
        <dt className="text-dim">Cost per attempt</dt>
        <dd>
          <Compared of={memory_on_cost}>{(effect) => <Costs effect={effect} />}</Compared>
        </dd>
      </dl>
      {waiting && <HowTo />}
      {learnings.length > 0 && <ByLearning learnings={learnings} />}
    </Section>
  );
}

/** A measured effect, or a note that there is too little data for a number. */
function Compared({
  of,
  learning,
  children,
}: {
  of: Comparison;
  learning?: string;
  children: (effect: Measured) => ReactNode;
}) {
  if (of.kind === "measured") return children(of);
  return (
    <span className="text-dim">
      <span>
        not enough yet ({of.have} of {of.need})
      </span>{" "}
      · attempts: <Sides told="told" withheld="withheld" learning={learning} />
    </span>
  );
}

/** Both sides of a comparison, each linked to its attempts. */
function Sides({ told, withheld, learning }: { told: string; withheld: string; learning?: string }) {
  return (
    <>
      <RowsLink search={{ memory: "told", learning }}>{told}</RowsLink>,{" "}
      <RowsLink search={{ memory: "withheld", learning }}>{withheld}</RowsLink>
    </>
  );
}

/** The conclusion that the interval of an effect supports. */
function verdict({ interval }: Measured, better: "more" | "less"): string {
  const [low, high] = [interval.low ?? 0, interval.high ?? 0];
  if (low <= 0 && high >= 0) return "no effect shown";
  return low > 0 === (better === "more") ? "memory helps" : "memory harms";
}

function Rates({ effect, learning }: { effect: Measured; learning?: string }) {
  const { first, second, difference, interval } = effect;
  const [at, low, high] = [difference ?? 0, interval.low ?? -1, interval.high ?? 1];
  const points = (share: number) => signed(share * 100);
  return (
    <span className="grid grid-cols-[minmax(0,1fr)_12rem] items-center gap-4">
      <span>
        <Sides told={`${percent(first)} told`} withheld={`${percent(second)} withheld`} learning={learning} />:{" "}
        <span className="font-medium">{points(at)} points</span>{" "}
        <span className="text-dim">
          ({points(low)} to {points(high)}) · {verdict(effect, "more")}
        </span>
      </span>
      <IntervalBar low={low} high={high} value={at} min={-1} max={1} />
    </span>
  );
}

function Costs({ effect }: { effect: Measured }) {
  const { first, second, difference, interval } = effect;
  const money = (usd: number | null) => signedDollars(usd ?? 0);
  return (
    <>
      <Sides told={`${dollars(first)} told`} withheld={`${dollars(second)} withheld`} />:{" "}
      <span className="font-medium">{money(difference)}</span>{" "}
      <span className="text-dim">
        ({money(interval.low)} to {money(interval.high)}) · {verdict(effect, "less")}
      </span>
    </>
  );
}

function HowTo() {
  return (
    <p className="mt-3 max-w-2xl text-dim">
      Both sides need attempts from runs with a hold-out: a small share of them is then told no learnings. Turn it on
      for every run in{" "}
      <Link to="/settings" className="text-accent underline underline-offset-2">
        Settings
      </Link>
      , or for one under “More” when you{" "}
      <Link to="/loop" className="text-accent underline underline-offset-2">
        start the loop
      </Link>
      .
    </p>
  );
}

function ByLearning({ learnings }: { learnings: Insights["learnings"] }) {
  return (
    <>
      <h3 className="mt-5 mb-1 font-medium">By learning</h3>
      <ul aria-label="Effect by learning">
        {learnings.map(({ id, text, effect }) => (
          <li key={id} className="num border-t border-line py-2">
            <Link to="/knowledge" search={{ q: needleOf(text) }} className="block truncate hover:text-accent">
              {text}
            </Link>
            <span className="text-xs">
              <Compared of={effect} learning={id}>
                {(measured) => <Rates effect={measured} learning={id} />}
              </Compared>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
