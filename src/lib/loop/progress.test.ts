import { expect, it } from "vitest";
import { run } from "@/test/builders";
import { iterationsOf } from "./progress";

it("a run is not told to be beyond its limit of iterations because it met usage limits", () => {
  const limits = { max_iterations: 5, max_minutes: null, max_usd: null };
  expect(iterationsOf(run(1, { iterations: 23, uncounted: 19, limits }), " of ")).toBe("4 of 5");
  expect(iterationsOf(run(1, { iterations: 3, limits }), " / ")).toBe("3 / 5");
  const unlimited = { ...limits, max_iterations: null };
  expect(iterationsOf(run(1, { iterations: 23, uncounted: 19, limits: unlimited }), " of ")).toBe("23");
});
