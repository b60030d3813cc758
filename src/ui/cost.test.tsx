import { render } from "@testing-library/react";
import { expect, it } from "vitest";
import { Cost, CostOf } from "./cost";

const usage = (input_tokens: number, cost_usd: number | null) => ({
  input_tokens,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  cost_usd,
});

it.each([
  ["what nobody knows is not free", <Cost key="unknown" usd={null} />, "cost unknown"],
  ["what cost nothing says so", <Cost key="none" usd={0} />, "$0.00"],
  ["tokens without a price", <CostOf key="unpriced" usage={usage(900, null)} />, "cost unknown"],
  ["no tokens and no cost", <CostOf key="unused" usage={usage(0, null)} />, ""],
  [
    "a cost with a part that nobody knows",
    <CostOf key="part" usage={{ ...usage(900, 0.21), unpriced: true }} />,
    "more than $0.21",
  ],
  ["costs with parts that nobody knows", <Cost key="parts" usd={4} unpriced={2} />, "more than $4.00"],
  ["a cost", <CostOf key="known" usage={usage(900, 0.21)} />, "$0.21"],
])("%s", (_, shown, words) => {
  expect(render(shown).container).toHaveTextContent(words === "" ? /^$/ : words);
});
