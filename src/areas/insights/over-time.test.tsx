import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { fault } from "@/ipc/fake-transport";
import { manyOfAll } from "@/test/large";
import { later } from "@/test/later";
import { QUESTION_ROWS } from "@/test/over-time";
import { renderWindow } from "@/test/render";
import { makeWorld } from "@/test/world";

describe("Insights over time", () => {
  it("say what changed since yesterday, and draw each day with a table behind it", async () => {
    makeWorld("sample", {
      work_over_time: () => ({
        today: "2026-11-23",
        days: [
          { day: "2026-11-22", done: 7, failed: 1, cost_usd: 2, estimated_usd: 0, unpriced: 1 },
          { day: "2026-11-23", done: 4, failed: 3, cost_usd: 2.5, estimated_usd: 0, errands_usd: 1 },
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
    const spent = screen.getByRole("img", { name: "Dollars by day" });
    expect(within(spent).getByText("Nov 22: more than $2.00")).toBeInTheDocument();
    await person.click(screen.getByText("Every day with work"));
    const rows = within(screen.getByRole("table", { name: "Every day with work" })).getAllByRole("row");
    expect(rows[1]).toHaveTextContent("Nov 2343$2.50, $1.00 of it by errands");
    expect(rows[2]).toHaveTextContent(/^Nov 2271more than \$2\.00$/);
    const costs = within(screen.getByRole("list", { name: "Cost by feature" })).getAllByRole("listitem");
    expect(costs[0]).toHaveTextContent("payments$4.00$0.40 each");
    expect(costs[1]).toHaveTextContent("sync$0.50none done");
  });

  it("set what is required beside what was measured, and take learned terms back", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/insights");
    const gates = within(await screen.findByRole("list", { name: "Gates" })).getAllByRole("listitem");
    expect(gates[0]).toHaveTextContent("RequiredMeasured");
    expect(gates[1]).toHaveTextContent("3 evaluation cycles of 100 questions and 14 days1 cycle");
    const terms = within(screen.getByRole("list", { name: "Learned terms" })).getAllByRole("listitem");
    expect(terms[1]).toHaveTextContent("noise");
    await person.click(screen.getByRole("button", { name: "Take back chargeback" }));
    await screen.findByText("chargeback is taken back");
    expect(world.transport.called("unlearn")).toEqual([{ learning: "L1", term: "chargeback" }]);
  });

  it("set A against B with intervals and what is still needed, and name what is provisional", async () => {
    makeWorld();
    renderWindow("/insights");
    const rows = within(await screen.findByRole("table", { name: "2 alternatives on trial" })).getAllByRole("row");
    expect(rows[1]).toHaveTextContent("chunk_bonus=0.388 of 164 judged");
    expect(rows[1]).toHaveTextContent("−0.012 (−0.030 to +0.004)wait: 1 of 2 weeks not worse");
    expect(rows[2]).toHaveTextContent("wait: 12 more judged questions");
    expect(screen.getByText(/^Provisional, until a trial/)).toHaveTextContent("chunk bonus 0 · learned 0.7");
  });

  it("say in an empty project what is required, and claim nothing", async () => {
    makeWorld("empty");
    const { person } = renderWindow("/insights");
    expect(await screen.findByText(/^Nothing has been asked yet/)).toBeVisible();
    await person.click(screen.getByText("What questions will decide"));
    expect(screen.getByRole("list", { name: "Gates" })).toHaveTextContent("2 cycles of 100 queries");
    expect(screen.getByText(/0 of 50 pairs labeled by both/)).toBeVisible();
  });

  it("open down to the questions behind a figure", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/insights");
    await person.click(await screen.findByText("What each channel brings"));
    await person.click(screen.getByRole("link", { name: "812 found by words" }));
    expect(await screen.findByText("how long may a refund take")).toBeVisible();
    expect(screen.getByTestId("behind")).toHaveTextContent("2 rows: found by words, among the first ten");
    expect(world.transport.called("question_rows")[0]).toMatchObject({ filter: { channel: "lexical", alone: false } });
  });

  it("say why no more questions come", async () => {
    const world = makeWorld();
    world.transport.handlers.question_rows = () => ({ ...QUESTION_ROWS, next: "Q1" });
    const { person } = renderWindow("/insights/questions");
    await screen.findByText("how long may a refund take");
    world.transport.handlers.question_rows = () => {
      throw fault("busy", "Another process writes");
    };
    await person.click(screen.getByRole("button", { name: "Show more" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("Another process writes");
    expect(screen.getByText("how long may a refund take")).toBeVisible();
  });

  it("draw some rows of thousands, and the next ones when they are asked for", async () => {
    const world = makeWorld();
    manyOfAll(world);
    const { person } = renderWindow("/insights");
    const table = await screen.findByRole("table", { name: "10,000 learnings" });
    expect(within(table).getAllByRole("row")).toHaveLength(31);
    await person.click(screen.getByRole("button", { name: "Show 100 more of 10,000" }));
    await waitFor(() => expect(within(table).getAllByRole("row")).toHaveLength(131));
  });

  it("order learnings by what they did", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/insights");
    const table = await screen.findByRole("table", { name: "1 learning" });
    expect(table).toHaveTextContent("6 of 20 to compare");
    await person.click(screen.getByRole("combobox", { name: "Order" }));
    await person.click(await screen.findByRole("option", { name: "Best effect first" }));
    await waitFor(() =>
      expect(world.transport.called("learning_effects").at(-1)).toEqual({ order: "effect", limit: 30 }),
    );
    expect(table).toHaveTextContent("Refund windows");
  });

  it("lead from what a learning did to the attempts that were told it", async () => {
    makeWorld();
    renderWindow("/insights");
    const failed = await screen.findByRole("link", { name: /^\d+ failed$/ });
    expect(failed.getAttribute("href")).toMatch(/iterations\?learning=L1&effect=failed$/);
    const warned = screen.getByRole("link", { name: "1 failed as it warns" });
    expect(warned.getAttribute("href")).toMatch(/iterations\?learning=L1&effect=failed_as_warned$/);
    const avoided = screen.getByRole("link", { name: "8 avoided" });
    expect(avoided.getAttribute("href")).toMatch(/iterations\?learning=L1&effect=avoided$/);
  });

  it("are labelled by keys, one pair at a time", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/insights/label");
    expect(await screen.findByText("how long may a refund take")).toBeVisible();
    await person.keyboard("y");
    expect(await screen.findByText("tokens that expire")).toBeVisible();
    // These are the few that were requested at once: those after them are not counted.
    expect(screen.getByText("1 left of these 2")).toBeVisible();
    await person.keyboard("x");
    await waitFor(() =>
      expect(world.transport.called("label_pair")).toEqual([
        { query: "Q1", memory: "L1", relevant: true },
        { query: "Q2", memory: "L9", relevant: false },
      ]),
    );
    expect(await screen.findByText("where is the refund table")).toBeVisible();
    await person.keyboard("y");
    expect(await screen.findByText("Nothing left to label")).toBeVisible();
    expect(screen.queryByText(/skipped/)).toBeNull();
    expect(screen.getByRole("list", { name: "Disagreements" })).toHaveTextContent(
      "You: it does not · judge: it answers",
    );
  });

  it("that were skipped don't hide those behind them, and come again on demand", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/insights/label");
    expect(await screen.findByText("how long may a refund take")).toBeVisible();
    await person.keyboard("e");
    expect(await screen.findByText("tokens that expire")).toBeVisible();
    await person.keyboard("e");
    expect(await screen.findByText("where is the refund table")).toBeVisible();
    await person.keyboard("e");
    expect(await screen.findByText("3 pairs skipped.")).toBeVisible();
    expect(world.transport.called("label_pair")).toEqual([]);
    await person.click(screen.getByRole("button", { name: "Show again" }));
    expect(await screen.findByText("how long may a refund take")).toBeVisible();
  });

  it("are not skipped while they are being labelled", async () => {
    const written = later<void>();
    const world = makeWorld();
    const label = world.transport.handlers.label_pair;
    world.transport.handlers.label_pair = async (query, memory, relevant) => {
      await written.promise;
      if (!label) throw fault("invalid", "nobody labels");
      return label(query, memory, relevant);
    };
    const { person } = renderWindow("/insights/label");
    expect(await screen.findByText("how long may a refund take")).toBeVisible();
    await person.keyboard("y");
    await waitFor(() => expect(world.transport.called("label_pair")).toHaveLength(1));
    await person.keyboard("e");
    expect(screen.getByText("how long may a refund take")).toBeVisible();
    written.resolve();
    expect(await screen.findByText("tokens that expire")).toBeVisible();
  });
});
