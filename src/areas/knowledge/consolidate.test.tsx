import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { fault } from "@/ipc/fake-transport";
import { young } from "@/test/consolidation";
import { later } from "@/test/later";
import { renderWindow } from "@/test/render";
import { makeWorld } from "@/test/world";
import { barsOf, endOf } from "./age-histogram";

describe("consolidation", () => {
  it("shows ages against the line, when it is due, and what becomes of each entry", async () => {
    makeWorld();
    renderWindow("/knowledge?tab=consolidate");
    expect(await screen.findByText("2 learnings")).toBeVisible();
    const bars = within(screen.getByRole("list", { name: "Entries by age" })).getAllByRole("listitem");
    expect(bars.some((bar) => bar.title.endsWith(": 1"))).toBe(true);
    const sources = within(screen.getByRole("table", { name: "Sources" }));
    expect(sources.getByRole("row", { name: /payments 182 of 150 11 of 14 4 of 6, at least 3 due/ })).toBeVisible();
    const going = within(screen.getByRole("list", { name: "Go into documents" }));
    expect(going.getByText(/sandbox provider answers/)).toBeVisible();
    expect(screen.getByText("Already said elsewhere")).toBeVisible();
    expect(screen.getByText(".ralph/tmp/consolidation-report.md")).toBeVisible();
  });

  it("is ordered, and leads to the proposal", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/knowledge?tab=consolidate");
    await person.click(await screen.findByRole("button", { name: "Write documents" }));
    expect(world.transport.called("consolidate")).toEqual([{ feature: null }]);
  });

  it("tells of its proposal, and leads there on request, whoever went elsewhere meanwhile", async () => {
    const written = later<string>();
    makeWorld("sample", { consolidate: () => written.promise });
    const { person, router } = renderWindow("/knowledge?tab=consolidate");
    await person.click(await screen.findByRole("button", { name: "Write documents" }));
    await router.navigate({ to: "/tasks" });
    written.resolve("e9");
    const message = await screen.findByText("The proposal e9 waits for your review");
    expect(router.state.location.pathname).toBe("/tasks");
    await person.click(
      within(message.closest("li") as HTMLElement).getByRole("button", { name: "Review", hidden: true }),
    );
    await waitFor(() => expect(router.state.location.pathname).toBe("/review/e9"));
  });

  it("tells whoever went elsewhere meanwhile that it failed", async () => {
    let fail = (_: unknown) => {};
    const written = new Promise<never>((_, no) => {
      fail = no;
    });
    makeWorld("sample", { consolidate: () => written });
    const { person, router } = renderWindow("/knowledge?tab=consolidate");
    await person.click(await screen.findByRole("button", { name: "Write documents" }));
    await router.navigate({ to: "/tasks" });
    await screen.findByRole("heading", { name: "Tasks" });
    fail(fault("agent_failed", "The agent wrote nothing.", "Try again."));
    expect(await screen.findByText("The agent wrote nothing.")).toBeVisible();
  });

  it("is ordered for what is shown, also after the feature that it is shown for has changed", async () => {
    const world = makeWorld();
    const { person, router } = renderWindow("/knowledge?tab=consolidate&feature=payments");
    await screen.findByRole("button", { name: "Write documents" });
    await router.navigate({ to: "/knowledge", search: { tab: "consolidate" } });
    await person.click(await screen.findByRole("button", { name: "Write documents" }));
    expect(world.transport.called("consolidate")).toEqual([{ feature: null }]);
  });

  it("is taken back as a whole, unless a proposal is open", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/knowledge?tab=consolidate");
    const history = within(await screen.findByRole("list", { name: "Consolidations" }));
    expect(history.getByText(/3 learnings of payments/)).toBeVisible();
    await person.click(history.getByRole("button", { name: "Take back…" }));
    expect(world.transport.called("undo_consolidation")).toEqual([{ act: "A1" }]);
  });

  it("has nothing to show in an empty project", async () => {
    makeWorld("empty");
    renderWindow("/knowledge?tab=consolidate");
    expect(await screen.findByText("Nothing to consolidate")).toBeVisible();
    expect(await screen.findByRole("link", { name: "New feature" })).toBeVisible();
  });

  it("leads to where a learning is added while there is none", async () => {
    makeWorld("sample", { consolidation_view: () => ({ ...young(), entries: [], decisions: [], sources: [] }) });
    renderWindow("/knowledge?tab=consolidate");
    expect(await screen.findByText(/Learnings come from runs and from you: add one/)).toBeVisible();
    expect(await screen.findByRole("link", { name: "Add a learning" })).toHaveAttribute("href", "/features/payments");
  });

  it("tells when the first learning is old enough, and that nothing needs doing until then", async () => {
    makeWorld("sample", { consolidation_view: () => young() });
    renderWindow("/knowledge?tab=consolidate");
    expect(
      await screen.findByText(/becomes eligible after 4 more days with commits\. Nothing needs doing/),
    ).toBeVisible();
    expect(screen.getByRole("button", { name: "Write documents" })).toHaveAttribute("aria-disabled", "true");
  });

  it("says of sources that are too long while nothing may go that a person has to make room", async () => {
    const long = () => {
      const of = young();
      return { ...of, sources: of.sources.map((one) => ({ ...one, needs_person: true })) };
    };
    makeWorld("sample", { consolidation_view: long });
    renderWindow("/knowledge?tab=consolidate");
    expect(await screen.findByText(/too long, and nothing in (it|them) may go yet: split the feature/)).toBeVisible();
    expect(screen.queryByText(/Nothing needs doing/)).toBeNull();
  });

  it("leads to what waits for a decision while nothing else can go", async () => {
    const contradicted = () => {
      const of = young();
      return { ...of, decisions: of.decisions.map((one) => ({ ...one, decision: "contradiction" as const })) };
    };
    makeWorld("sample", { consolidation_view: contradicted });
    renderWindow("/knowledge?tab=consolidate");
    expect(await screen.findByRole("link", { name: "review what contradicts" })).toBeVisible();
  });

  it("is offered beside the bar of a feature that fills", async () => {
    makeWorld();
    renderWindow("/features/payments");
    expect(await screen.findByRole("link", { name: "2 of 46 could become documents: 92 % → 88 %" })).toBeVisible();
  });

  it("draws bars of equal width, one of which begins at the line", () => {
    for (const [ages, fresh, end] of [
      [[0, 3, 7, 31], 7, "34"],
      [[0, 90, 200], 7, "161+"],
      [[], 7, "7"],
      [[500], 14, "322+"],
    ] as const) {
      const { bars, width } = barsOf(ages, fresh);
      expect(bars.some(({ from }) => from === fresh)).toBe(true);
      expect(bars.reduce((sum, { n }) => sum + n, 0)).toBe(ages.length);
      expect(endOf(bars, width)).toBe(end);
      expect(bars.every(({ from }, index) => from === index * width)).toBe(true);
    }
  });
});
