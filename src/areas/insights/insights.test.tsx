import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { EMPTY_INSIGHTS, SAMPLE_INSIGHTS } from "@/test/history";
import { renderWindow } from "@/test/render";
import { makeWorld } from "@/test/world";

describe("the Insights page", () => {
  it("shows success with its interval, as a bar and in numbers", async () => {
    makeWorld();
    renderWindow("/insights");
    const table = await screen.findByRole("table", { name: "Success by model and difficulty" });
    const [, first, second] = within(table).getAllByRole("row");
    expect(first).toHaveTextContent("haikueasy33 of 4083 %68 % to 91 %$0.06");
    expect(second).toHaveTextContent("sonnetnot estimated3 of 475 %30 % to 95 %unknown");
    const bar = first?.querySelector<HTMLElement>("[data-part=interval]");
    expect(bar).toHaveStyle({ left: "68%" });
    expect(Number.parseFloat(bar?.style.width ?? "")).toBeCloseTo(23.3, 5);
  });

  it("marks a cost that is partly estimated", async () => {
    makeWorld();
    renderWindow("/insights");
    const cost = await screen.findByText("≈ $0.38");
    expect(cost).toHaveAttribute("title", expect.stringContaining("Estimated"));
    expect(screen.getAllByText("partly estimated")).toHaveLength(2);
  });

  it("tells what memory changed where it was measured, and how far it is where it was not", async () => {
    makeWorld();
    renderWindow("/insights");
    expect(await screen.findByText("+25 points")).toBeVisible();
    expect(screen.getByText("(+3 to +45) · memory helps")).toBeVisible();
    expect(screen.getByText("not enough yet (7 of 20)")).toBeVisible();
    expect(screen.getByText(/hold-out/)).toHaveTextContent("Turn it on for every run in Settings");
    const learnings = screen.getByRole("list", { name: "Effect by learning" });
    expect(within(learnings).getByText("(−12 to +31) · no effect is shown")).toBeVisible();
    await waitFor(() =>
      expect(within(learnings).getByRole("link")).toHaveAttribute(
        "href",
        expect.stringMatching(/^\/features\/payments/),
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

  it("leads to the tasks behind a figure, and is empty before the first attempt", async () => {
    makeWorld();
    const { person, router, unmount } = renderWindow("/insights");
    await person.click(await screen.findByRole("link", { name: "45" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/tasks"));
    expect(router.state.location.search).toMatchObject({ status: ["done"] });
    unmount();
    makeWorld("empty", { get_insights: () => EMPTY_INSIGHTS });
    renderWindow("/insights");
    expect(await screen.findByText("Nothing to measure yet")).toBeVisible();
  });
});
