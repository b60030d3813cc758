import type { Usage } from "@/ipc";
import { dollars } from "@/lib/format";

/**
 * Dollars, marked if all or a part of them was computed from tokens instead of being reported. `estimated`: that part in
 * dollars, or just whether there is one; `words` shows it as text, otherwise it is in the tooltip.
 */
export function Cost({
  usd,
  estimated = false,
  words = false,
  unpriced = 0,
}: {
  usd: number | null;
  estimated?: boolean | number | null;
  words?: boolean;
  /** The number of agents with use of unknown cost, or just whether a part of one agent's use is. */
  unpriced?: number | boolean;
}) {
  if (Number(unpriced) > 0) {
    const told = Number(unpriced) === 1 ? "One agent" : `${unpriced} agents`;
    return (
      <span title={`${told} used tokens whose price is not known, and reported no cost of them`}>
        {usd ? <MoreThan brief={unpriced === true} /> : "cost unknown"}
        {usd ? dollars(usd) : ""}
      </span>
    );
  }
  if (usd === null) {
    return <span title="The agent reported no cost, and the price of its tokens is not known">cost unknown</span>;
  }
  if (!estimated) return <>{dollars(usd)}</>;
  const part = typeof estimated === "number" && estimated < usd;
  return (
    <span
      title={
        part
          ? `${dollars(estimated)} of this is estimated from tokens and list prices, because the agent reported no cost for it`
          : "Estimated from tokens and list prices, because the agent did not report all of it"
      }
    >
      ≈ {dollars(usd)}
      <span className={words ? "font-normal text-dim" : "sr-only"}>, {part ? "part " : ""}estimated</span>
    </span>
  );
}

/** Words for a sum, a sign for one agent's cost, which is in a narrow column. */
function MoreThan({ brief }: { brief: boolean }) {
  if (!brief) return <>more than </>;
  return (
    <>
      <span aria-hidden>&gt; </span>
      <span className="sr-only">more than </span>
    </>
  );
}

/** The cost of one agent; nothing where it has used nothing yet. */
export function CostOf({ usage }: { usage: Usage }) {
  if (usage.cost_usd === null && !usage.unpriced && usage.input_tokens + usage.output_tokens === 0) return null;
  return <Cost usd={usage.cost_usd} estimated={usage.cost_estimated} unpriced={usage.unpriced} />;
}
