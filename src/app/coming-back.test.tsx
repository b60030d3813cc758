import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { NIGHT, NIGHT_RUN, nightBefore, SINCE } from "@/test/night";
import { renderWindow } from "@/test/render";
import { makeWorld } from "@/test/world";

describe("the bar while the loop rests", () => {
  it("says how the last run came out, each part a link", async () => {
    const world = makeWorld();
    nightBefore(world);
    renderWindow("/tasks");
    const rests = await screen.findByTestId("rests");
    expect(rests).toHaveTextContent(/Run 40 ended .*·257 done·43 failed·\$9\.76·203 need you/);
    const failed = within(rests).getByRole("link", { name: "43 failed" });
    expect(failed).toHaveAttribute("href", expect.stringMatching(/\/loop\/40\?show=failed/));
    expect(within(rests).getByRole("link", { name: "203 need you" })).toHaveAttribute(
      "href",
      expect.stringContaining("/needs-you"),
    );
  });

  it("names an end that a person should know of", async () => {
    const world = makeWorld();
    nightBefore(world);
    world.overview.rests_after = { ...NIGHT_RUN, stop_reason: "crashed", done: 0, failed: 0 };
    renderWindow("/tasks");
    expect(await screen.findByTestId("rests")).toHaveTextContent(/Run 40 died/);
  });
});

describe("the window's name", () => {
  it("tells the project and how much waits, also while nobody looks at it", async () => {
    const world = makeWorld();
    nightBefore(world);
    renderWindow("/features");
    await waitFor(() =>
      expect(world.transport.called("name_window").at(-1)).toEqual({ title: "(203) acme-payments – Ralph" }),
    );
    expect(document.title).toBe("(203) acme-payments – Ralph");
  });
});

describe("a person who comes back", () => {
  it("sees what happened since they left, each figure a link, until they say so", async () => {
    const world = makeWorld();
    nightBefore(world);
    const { person } = renderWindow("/features");
    const panel = await screen.findByRole("region", { name: "Since you left" });
    expect(panel).toHaveTextContent("9 h ago");
    for (const name of [
      "257 tasks done",
      "31 tasks failed",
      "$9.76 spent",
      "64 learned",
      "62 → 92 % payments",
      "203 need you",
    ]) {
      expect(within(panel).getByRole("link", { name })).toBeVisible();
    }
    expect(within(panel).getByRole("link", { name: "+1 other feature" })).toBeVisible();
    const rows = (name: string) => within(panel).getByRole("link", { name }).getAttribute("href") ?? "";
    expect(rows("257 tasks done")).toMatch(/\/insights\/iterations\?result=done&attempts=true&since=/);
    expect(rows("31 tasks failed")).toMatch(/result=failed&attempts=true&since=.*&undone=true/);
    await person.click(within(panel).getByRole("button", { name: "Seen" }));
    await waitFor(() => expect(screen.queryByRole("region", { name: "Since you left" })).toBeNull());
  });

  it("is told which runs ended badly meanwhile, and what waits by its kind", async () => {
    const world = makeWorld();
    nightBefore(world);
    renderWindow("/features");
    const health = await screen.findByTestId("health");
    expect(await within(health).findByRole("link", { name: /^Run 39 died/ })).toHaveAttribute(
      "href",
      expect.stringContaining("/loop/39"),
    );
    expect(within(health).getByRole("link", { name: /^Run 38 stalled/ })).toBeVisible();
    for (const name of ["199 blocked", "contradictions in 1 feature", "2 to review"]) {
      expect(within(health).getByRole("link", { name })).toBeVisible();
    }
  });

  it("finds what is new marked until then", async () => {
    const world = makeWorld();
    nightBefore(world);
    const { person } = renderWindow("/loop");
    const row = (await screen.findByRole("link", { name: /Run 40 new/ })).closest("li") as HTMLElement;
    expect(row).toHaveTextContent("257 done43 failed");
    expect(screen.queryByRole("link", { name: /Run 37 new/ })).toBeNull();
    await person.click(screen.getByRole("button", { name: "Seen" }));
    await waitFor(() => expect(screen.queryByRole("link", { name: /Run 40 new/ })).toBeNull());
  });

  it("is not bothered when nothing happened", async () => {
    const nothing = { done: 0, failed: 0, cost_usd: 0, estimated_usd: 0 };
    makeWorld("sample", { since_look: () => ({ ...SINCE, work: nothing, learnt: 0, put_away: 0, saturation: [] }) });
    renderWindow("/features");
    await screen.findByText("Payments");
    expect(screen.queryByRole("region", { name: "Since you left" })).toBeNull();
  });

  it("is told before it is noted that they look, and again after five minutes away", async () => {
    const focused = vi.spyOn(document, "hasFocus").mockReturnValue(true);
    const clock = vi.spyOn(Date, "now");
    const world = makeWorld();
    nightBefore(world);
    renderWindow("/features");
    await screen.findByRole("region", { name: "Since you left" });
    await waitFor(() => expect(world.transport.called("look")).toHaveLength(1));
    const order = world.transport.calls.map(({ command }) => command);
    expect(order.indexOf("since_look")).toBeLessThan(order.indexOf("look"));

    const left = Date.now();
    window.dispatchEvent(new Event("blur"));
    clock.mockReturnValue(left + 60_000);
    window.dispatchEvent(new Event("focus"));
    expect(world.transport.called("since_look")).toHaveLength(1);

    window.dispatchEvent(new Event("blur"));
    clock.mockReturnValue(left + 60_000 + 5 * 60_000);
    window.dispatchEvent(new Event("focus"));
    await waitFor(() => expect(world.transport.called("since_look")).toHaveLength(2));
    focused.mockRestore();
    clock.mockRestore();
  });
});

describe("a window that stays in front while its person is away", () => {
  it("notes no look without a sign of them, and the first one after a while is their return", async () => {
    vi.spyOn(document, "hasFocus").mockReturnValue(true);
    const clock = vi.spyOn(Date, "now");
    const timers = vi.spyOn(globalThis, "setInterval");
    const world = makeWorld();
    nightBefore(world);
    renderWindow("/features");
    await screen.findByRole("region", { name: "Since you left" });
    await waitFor(() => expect(world.transport.called("look")).toHaveLength(1));
    const pulse = () => {
      for (const [tick, every] of timers.mock.calls) if (every === 60_000 && typeof tick === "function") tick();
    };
    pulse();
    expect(world.transport.called("look"), "nobody has done anything").toHaveLength(1);
    window.dispatchEvent(new KeyboardEvent("keydown", { key: "Shift" }));
    pulse();
    expect(world.transport.called("look")).toHaveLength(2);
    pulse();
    expect(world.transport.called("look")).toHaveLength(2);
    clock.mockReturnValue(Date.now() + 6 * 60_000);
    expect(world.transport.called("since_look")).toHaveLength(1);
    window.dispatchEvent(new WheelEvent("wheel"));
    await waitFor(() => expect(world.transport.called("since_look")).toHaveLength(2));
    vi.restoreAllMocks();
  });
});

describe("the iterations of a long run", () => {
  it("are filtered by how they came out and by words, in the address", async () => {
    const world = makeWorld();
    nightBefore(world);
    const { person, router } = renderWindow("/loop/40?show=failed");
    const rows = await screen.findAllByTestId("iteration");
    expect(rows.every((row) => row.dataset.outcome === "failed")).toBe(true);
    const choice = within(screen.getByRole("navigation", { name: "Which iterations" }));
    expect(choice.getByRole("link", { name: "Failed 43" })).toHaveAttribute("aria-current", "true");
    await person.click(choice.getByRole("link", { name: "Done 257" }));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ show: "done" }));
    expect(screen.getAllByTestId("iteration")[0]).toHaveAttribute("data-outcome", "done");
    await person.type(screen.getByLabelText("Filter iterations"), "nothing has these words");
    expect(await screen.findByText("No iteration matches.")).toBeVisible();
  });

  it("are gone through failure by failure with f", async () => {
    const world = makeWorld();
    nightBefore(world);
    const { person, router } = renderWindow("/loop/40");
    await screen.findAllByTestId("iteration");
    const failed = NIGHT.filter(({ outcome }) => outcome === "failed").map(({ id }) => id);
    await person.keyboard("f");
    await waitFor(() => expect(router.state.location.pathname).toBe(`/loop/40/${failed[0]}`));
    await person.keyboard("f");
    await waitFor(() => expect(router.state.location.pathname).toBe(`/loop/40/${failed[1]}`));
  });

  it("say once what several of them have in common", async () => {
    const world = makeWorld();
    nightBefore(world);
    renderWindow("/loop/40");
    await screen.findAllByTestId("iteration");
    expect(screen.queryByText("escalate: the weakest model first")).toBeNull();
  });
});
