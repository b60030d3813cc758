import { dollars } from "@/lib/format";

/**
 * Dollars; marked where they, or a part of them, were worked out from tokens instead of being reported. `estimated` is that
 * part in dollars, or just whether there is one; `words` says it where there is room, else only the tooltip does.
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
  /** Iterations whose cost nobody knows. */
  unpriced?: number;
}) {
  if (unpriced > 0) {
    const told = unpriced === 1 ? "One iteration" : `${unpriced} iterations`;
    return (
      <span title={`${told} used tokens whose price is not known, and the agent reported no cost`}>
        {usd ? `more than ${dollars(usd)}` : "cost unknown"}
      </span>
    );
  }
  if (!estimated) return <>{dollars(usd)}</>;
  const part = typeof estimated === "number" && estimated < (usd ?? 0);
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
