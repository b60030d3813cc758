import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderWindow } from "@/test/render";
import { makeWorld } from "@/test/world";

describe("Insights over time", () => {
  it("say what changed since yesterday, and draw each day with a table behind it", async () => {
    makeWorld("sample", {
      work_over_time: () => ({
        today: "2026-11-23",
        days: [
          { day: "2026-11-22", done: 7, failed: 1, cost_usd: 2, estimated_usd: 0 },
          { day: "2026-11-23", done: 4, failed: 3, cost_usd: 2.5, estimated_usd: 0 },
        ],
        features: [
          { feature: "payments", done: 10, failed: 4, cost_usd: 4, estimated_usd: 0 },
          { feature: "sync", done: 0, failed: 2, cost_usd: 0.5, estimated_usd: 0 },
        ],
      }),
    });
    const { person } = renderWindow("/insights");
    const changed = await screen.findByTestId("since-yesterday");
    expect(changed).toHaveTextContent("4 done (−3)");
    expect(changed).toHaveTextContent("3 failed (+2)");
    expect(changed).toHaveTextContent("$2.50 (+$0.50)");
    const chart = screen.getByRole("img", { name: "Attempts: done below, failed above by day" });
    expect(within(chart).getByText("Nov 22: 7 done, 1 failed")).toBeInTheDocument();
    await person.click(screen.getByText("Every day with work"));
    const rows = within(screen.getByRole("table", { name: "Every day with work" })).getAllByRole("row");
    expect(rows[1]).toHaveTextContent("Nov 2343$2.50");
    const costs = within(screen.getByRole("list", { name: "Cost by feature" })).getAllByRole("listitem");
    expect(costs[0]).toHaveTextContent("payments$4.00$0.40 each");
    expect(costs[1]).toHaveTextContent("sync$0.50none done");
  });

  it("set what is required beside what was measured, and take learnt terms back", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/insights");
    const gates = within(await screen.findByRole("list", { name: "Gates" })).getAllByRole("listitem");
    expect(gates[0]).toHaveTextContent("3 evaluation cycles of 100 questions and 14 days1 cycle");
    const terms = within(screen.getByRole("list", { name: "Learnt terms" })).getAllByRole("listitem");
    expect(terms[1]).toHaveTextContent("noise");
    await person.click(screen.getByRole("button", { name: /^Take back chargeback/ }));
    await screen.findByText("1 learnt term of 1 learning taken back");
    expect(world.transport.called("roll_feedback_back")).toHaveLength(1);
  });

  it("lead from what a learning did to the attempts that were told it", async () => {
    makeWorld();
    renderWindow("/insights");
    const failed = await screen.findByRole("link", { name: /^\d+ failed$/ });
    expect(failed.getAttribute("href")).toMatch(/iterations\?learning=L1&memory=told.*result=failed/);
  });

  it("are labelled by keys, one pair at a time", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/insights/label");
    expect(await screen.findByText("how long may a refund take")).toBeVisible();
    await person.keyboard("y");
    expect(await screen.findByText("tokens that expire")).toBeVisible();
    await person.keyboard("x");
    await waitFor(() =>
      expect(world.transport.called("label_pair")).toEqual([
        { query: "Q1", memory: "L1", relevant: true },
        { query: "Q2", memory: "L9", relevant: false },
      ]),
    );
    expect(await screen.findByText("Nothing waits for your word")).toBeVisible();
  });
});
