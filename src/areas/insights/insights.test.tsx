import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { fault } from "@/ipc/fake-transport";
import { EMPTY_INSIGHTS, SAMPLE_INSIGHTS } from "@/test/history";
import { renderWindow } from "@/test/render";
import { makeWorld } from "@/test/world";

describe("the Insights page", () => {
  it("shows success with its interval, as a bar and in numbers", async () => {
    makeWorld();
    renderWindow("/insights");
    const table = await screen.findByRole("table", { name: "Success by model and difficulty" });
    const [, first, second] = within(table).getAllByRole("row");
    expect(first).toHaveTextContent("haikueasy33 of 4083 %68 % to 91 %≈ $0.06, estimated");
    expect(second).toHaveTextContent("sonnetnot estimated3 of 475 %30 % to 95 %unknown");
    const bar = first?.querySelector<HTMLElement>("[data-part=interval]");
    expect(bar).toHaveStyle({ left: "68%" });
    expect(Number.parseFloat(bar?.style.width ?? "")).toBeCloseTo(23.3, 5);
  });

  it("tells what was learned without being asked, by day, and what was refused and why", async () => {
    makeWorld();
    renderWindow("/insights");
    const learned = await screen.findByLabelText("What was learned");
    expect(learned).toHaveTextContent("Calls heard1,204");
    expect(learned).toHaveTextContent("Episodes written8");
    expect(learned).toHaveTextContent("Refused: needs model19");
    const [, day] = within(screen.getByRole("table", { name: "Learned by day" })).getAllByRole("row");
    expect(day).toHaveTextContent("Mar 21204211");
  });

  it("says what will stand there while nothing was learned without being asked", async () => {
    const { transport } = makeWorld();
    const status = await transport.handlers.learning_status?.();
    if (!status) throw new Error("the sample answers this");
    const none = { operations: 0, dropped: 0, waiting: 0, facts_created: 0, detections: 0, days: [] };
    transport.handlers.learning_status = () => ({ ...status, ...none });
    renderWindow("/insights");
    expect(await screen.findByText(/Nothing has been heard yet/)).toBeVisible();
    expect(screen.queryByLabelText("What was learned")).toBeNull();
  });

  it("marks every cost that is partly estimated, and says how much of it", async () => {
    makeWorld();
    renderWindow("/insights");
    const total = await screen.findByText(/^≈ \$17\.10/);
    expect(total).toHaveAttribute("title", expect.stringMatching(/^\$2\.60 of this is estimated from tokens/));
    expect(total).toHaveTextContent("≈ $17.10, part estimated");
    expect(screen.getByText(/^≈ \$0\.38/)).toHaveAttribute("title", expect.stringContaining("of this is estimated"));
  });

  it("says neither of an unknown cost that it is none, nor of errands that they are free", async () => {
    makeWorld("sample", {
      get_insights: () => ({ ...SAMPLE_INSIGHTS, cost_usd: 0, cost_estimated: false, estimated_usd: 0, unpriced: 3 }),
    });
    renderWindow("/insights");
    expect((await screen.findAllByText("cost unknown"))[0]).toHaveAttribute(
      "title",
      expect.stringMatching(/^3 agents used/),
    );
    expect(screen.queryByText(/by errands/)).not.toBeInTheDocument();
  });

  it("divides what a model cost by the attempts whose cost is known", async () => {
    const [model] = SAMPLE_INSIGHTS.models;
    if (!model) throw new Error("the sample has models");
    makeWorld("sample", {
      get_insights: () => ({ ...SAMPLE_INSIGHTS, errands_usd: 1.25, models: [{ ...model, priced: 4 }] }),
    });
    renderWindow("/insights");
    const table = await screen.findByRole("table", { name: "Success by model and difficulty" });
    expect(within(table).getAllByRole("row")[1]).toHaveTextContent("≈ $0.60, estimated");
    expect(screen.getByText(/\$1\.25 of it by errands/)).toBeVisible();
  });

  it("tells what memory changed where it was measured, and how far it is where it was not", async () => {
    makeWorld();
    renderWindow("/insights");
    expect(await screen.findByText("+25 points")).toBeVisible();
    expect(screen.getByText("(+3 to +45) · memory helps")).toBeVisible();
    expect(screen.getByText("not enough yet (7 of 20)")).toBeVisible();
    expect(screen.getByText(/hold-out/)).toHaveTextContent("Turn it on for every run in Settings");
    const learnings = screen.getByRole("list", { name: "Effect by learning" });
    expect(within(learnings).getByText("(−12 to +31) · no effect shown")).toBeVisible();
    await waitFor(() =>
      expect(within(learnings).getByRole("link", { name: /Refund windows/ })).toHaveAttribute(
        "href",
        expect.stringMatching(/^\/knowledge\?q=Refund/),
      ),
    );
  });

  it("gives no number at all while there is too little", async () => {
    const none = { kind: "not_enough" as const, have: 3, need: 20 };
    makeWorld("sample", {
      get_insights: () => ({ ...SAMPLE_INSIGHTS, memory_on_success: none, memory_on_cost: none, learnings: [] }),
    });
    renderWindow("/insights");
    expect(await screen.findAllByText("not enough yet (3 of 20)")).toHaveLength(2);
    expect(screen.queryByText(/points/)).toBeNull();
  });

  it("opens the rows behind each figure", async () => {
    makeWorld();
    renderWindow("/insights");
    const link = async (name: string | RegExp) => (await screen.findByRole("link", { name })).getAttribute("href");
    const at = "/insights/iterations";
    expect(await link("84")).toBe(`${at}?attempts=true`);
    expect(await link("45")).toBe(`${at}?result=done&task_done=true`);
    expect(await link("$2.60 of it estimated")).toBe(`${at}?estimated=true`);
    expect(await link("33 of 40")).toBe(`${at}?model=haiku&difficulty=easy&attempts=true&recent=true`);
    expect(await link("3 of 4")).toBe(`${at}?model=sonnet&difficulty=unknown&attempts=true&recent=true`);
    expect(await link("17")).toBe(`${at}?category=test_failure`);
    expect(await link(/^2 attempts failed in the same way/)).toBe(`${at}?repeated=true`);
    expect(await link("3×")).toContain(`${at}?signature=test_failure`);
    expect(await link("55 % withheld")).toBe(`${at}?memory=withheld`);
    expect(await link("70 % withheld")).toBe(`${at}?memory=withheld&learning=L001`);
  });

  it("opens the failures of one signature, whatever stands in it", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/insights");
    await person.click(await screen.findByRole("link", { name: "3×" }));
    const list = await screen.findByRole("list", { name: "Iterations" });
    expect(within(list).getAllByRole("link")).toHaveLength(2);
    expect(world.transport.called("iterations_where").at(-1)).toMatchObject({
      filter: { signature: "test_failure: one test still compares wall time" },
    });
  });

  it("shows how full each feature was over time, the fullest first, also before the first attempt", async () => {
    makeWorld("sample", { get_insights: () => EMPTY_INSIGHTS });
    renderWindow("/insights");
    const list = within(await screen.findByRole("list", { name: "Saturation by feature" }));
    const names = list.getAllByRole("link").map(({ textContent }) => textContent);
    expect(names).toEqual(["payments", "auth", "sync", "search", "onboarding"]);
    expect(list.getAllByRole("img")).toHaveLength(5);
  });

  it("tells what was spent though no attempt has ended, as when all met a usage limit", async () => {
    makeWorld("empty", { get_insights: () => ({ ...EMPTY_INSIGHTS, cost_usd: 0.16 }) });
    renderWindow("/insights");
    expect(await screen.findByText("$0.16")).toBeVisible();
    expect(screen.queryByText(/ended with the task done|NaN/)).toBeNull();
  });

  it("is empty before the first attempt", async () => {
    makeWorld("empty", { get_insights: () => EMPTY_INSIGHTS });
    renderWindow("/insights");
    expect(await screen.findByText("Nothing to measure yet")).toBeVisible();
  });
});

describe("the list of iterations", () => {
  it("asks for what the address says, and tells what all of them add up to", async () => {
    const world = makeWorld();
    renderWindow("/insights/iterations?model=haiku&difficulty=unknown&attempts=true&recent=true&memory=nonsense");
    const list = await screen.findByRole("list", { name: "Iterations" });
    expect(within(list).getAllByRole("link")).toHaveLength(2);
    expect(screen.getByTestId("sums")).toHaveTextContent("2 iterations · 0 done · 1 task · $0.42");
    expect(world.transport.called("iterations_where").at(-1)).toEqual({
      filter: { model: "haiku", difficulty: null, difficulty_unknown: true, attempts: true, recent: true },
      before: null,
    });
  });

  it("says why each failed, and leads to it", async () => {
    makeWorld();
    const { person, router } = renderWindow("/insights/iterations?category=dependency_error");
    const row = await screen.findByRole("link", { name: /The crate needs a newer toolchain/ });
    expect(row).toHaveTextContent("dependency error");
    await person.click(row);
    await waitFor(() => expect(router.state.location.pathname).toBe("/loop/37/97"));
  });

  it("shows a page, then more", async () => {
    makeWorld();
    const { person } = renderWindow("/insights/iterations");
    const list = await screen.findByRole("list", { name: "Iterations" });
    expect(within(list).getAllByRole("link")).toHaveLength(4);
    expect(screen.getByText("4 of 7 shown")).toBeVisible();
    await person.click(screen.getByRole("button", { name: "Show more" }));
    await waitFor(() => expect(within(list).getAllByRole("link")).toHaveLength(7));
    expect(screen.queryByRole("button", { name: "Show more" })).toBeNull();
  });

  it("says why it shows no more, and tries again", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/insights/iterations");
    const list = await screen.findByRole("list", { name: "Iterations" });
    world.transport.handlers.iterations_where = () => {
      throw fault("busy", "Another process writes");
    };
    await person.click(screen.getByRole("button", { name: "Show more" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("Another process writes");
    expect(within(list).getAllByRole("link")).toHaveLength(4);
    expect(screen.getByRole("button", { name: "Show more" })).not.toHaveAttribute("aria-disabled");
  });

  it("drops what became of a task since a time with that time", async () => {
    makeWorld();
    const since = "2026-03-01T00:00:00Z";
    const { person, router } = renderWindow(`/insights/iterations?result=failed&since=${since}&undone=true`);
    expect(await screen.findByRole("button", { name: "task still not done" })).toBeVisible();
    await person.click(screen.getByRole("button", { name: /^ended after/ }));
    await waitFor(() => expect(router.state.location.search).toEqual({ result: "failed" }));
  });

  it("takes a figure's filter away in one click, and says when nothing is left", async () => {
    makeWorld();
    const { person, router } = renderWindow("/insights/iterations?signature=unheard&estimated=true");
    expect(await screen.findByText("No iteration matches the filters")).toBeVisible();
    await person.click(screen.getByRole("button", { name: "failure: unheard" }));
    expect(await screen.findByRole("link", { name: /Idempotency keys for refunds/ })).toBeVisible();
    expect(router.state.location.search).toEqual({ estimated: true });
  });
});
