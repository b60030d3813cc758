import { dollars } from "@/lib/format";

/** Dollars; marked where they, or a part of them, were worked out from tokens instead of being reported. */
export function Cost({ usd, estimated = false }: { usd: number | null; estimated?: boolean }) {
  if (!estimated) return <>{dollars(usd)}</>;
  return (
    <span title="Estimated from tokens and list prices: the agent did not report all of it">≈ {dollars(usd)}</span>
  );
}
