import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { forgetDrafts } from "@/lib/draft";
import { NIGHT, NIGHT_RUN, nightBefore, SINCE } from "@/test/night";
import { renderWindow } from "@/test/render";
import { makeWorld } from "@/test/world";

describe("the bar while the loop rests", () => {
  it("says how the last run came out, each part a link", async () => {
    const world = makeWorld();
    nightBefore(world);
    renderWindow("/tasks");
    const rests = await screen.findByTestId("rests");
    expect(rests).toHaveTextContent(/Run 40 ended .*·257 done·43 attempts failed·\$9\.76·203 need you/);
    const failed = within(rests).getByRole("link", { name: "43 attempts failed" });
    expect(failed).toHaveAttribute("href", expect.stringMatching(/\/loop\/40\?show=failed/));
    expect(within(rests).getByRole("link", { name: "203 need you" })).toHaveAttribute(
      "href",
      expect.stringContaining("/needs-you"),
    );
  });

  it("is coloured by how it came out, also where its limit ended it", async () => {
    const world = makeWorld();
    nightBefore(world);
    world.overview.rests_after = { ...NIGHT_RUN, stop_reason: "max_iterations", result: "all_failed", done: 0 };
    renderWindow("/tasks");
    expect((await screen.findByTestId("rests")).firstElementChild).toHaveClass("text-bad");
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
    expect(rows("257 tasks done")).toMatch(/\/insights\/iterations\?result=done&task_done=true&attempts=true&since=/);
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
    for (const name of ["199 blocked", "conflicts in 1 feature", "2 to review"]) {
      expect(within(health).getByRole("link", { name })).toBeVisible();
    }
  });

  it("finds what is new marked until then", async () => {
    const world = makeWorld();
    nightBefore(world);
    const { person } = renderWindow("/loop");
    const row = (await screen.findByRole("link", { name: /Run 40 new/ })).closest("li") as HTMLElement;
    expect(row).toHaveTextContent("257 done43 attempts failed");
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
  it("notes a sign of them at once and not again within a minute, and the first one after a while is their return", async () => {
    vi.spyOn(document, "hasFocus").mockReturnValue(true);
    const clock = vi.spyOn(Date, "now");
    const world = makeWorld();
    nightBefore(world);
    renderWindow("/features");
    await screen.findByRole("region", { name: "Since you left" });
    await waitFor(() => expect(world.transport.called("look")).toHaveLength(1));
    const press = () => window.dispatchEvent(new KeyboardEvent("keydown", { key: "Shift" }));
    const start = Date.now();
    const at = (millis: number) => clock.mockReturnValue(start + millis);
    at(61_000);
    press();
    expect(world.transport.called("look")).toHaveLength(2);
    at(90_000);
    press();
    expect(world.transport.called("look"), "what happens from now on is after the last note").toHaveLength(2);
    at(90_000 + 5 * 60_000);
    expect(world.transport.called("since_look")).toHaveLength(1);
    window.dispatchEvent(new WheelEvent("wheel"));
    await waitFor(() => expect(world.transport.called("look")).toHaveLength(3));
    expect(world.transport.called("since_look")).toHaveLength(2);
    vi.restoreAllMocks();
  });

  it("tells what they have not dismissed until they do, with what has happened since", async () => {
    vi.spyOn(document, "hasFocus").mockReturnValue(true);
    const clock = vi.spyOn(Date, "now");
    const quiet = { ...SINCE, at: new Date().toISOString(), work: { ...SINCE.work, done: 0, failed: 0, cost_usd: 0 } };
    const world = makeWorld();
    nightBefore(world);
    const later = { ...SINCE, work: { ...SINCE.work, done: 258 } };
    world.transport.handlers.since_look = (from) =>
      from === SINCE.at
        ? later
        : world.transport.called("since_look").length === 1
          ? SINCE
          : { ...quiet, learnt: 0, put_away: 0, saturation: [] };
    const { person } = renderWindow("/features");
    const panel = await screen.findByRole("region", { name: "Since you left" });
    await waitFor(() => expect(world.transport.called("look")).toHaveLength(1));
    const start = Date.now();
    clock.mockReturnValue(start + 6 * 60_000);
    window.dispatchEvent(new WheelEvent("wheel"));
    expect(await within(panel).findByRole("link", { name: "258 tasks done" })).toBeVisible();
    await person.click(within(panel).getByRole("button", { name: "Seen" }));
    await waitFor(() => expect(screen.queryByRole("region", { name: "Since you left" })).toBeNull());
    clock.mockReturnValue(start + 12 * 60_000);
    window.dispatchEvent(new WheelEvent("wheel"));
    await waitFor(() => expect(world.transport.called("look").length).toBeGreaterThan(2));
    expect(world.transport.called("since_look")).toEqual([{ from: null }, { from: SINCE.at }, { from: null }]);
    vi.restoreAllMocks();
  });
});

describe("what was typed and not sent", () => {
  it("is there after the window was closed, in the project that it was typed in", async () => {
    const field = () => screen.findByLabelText("New comment");
    const world = makeWorld();
    const first = renderWindow("/tasks/208");
    await first.person.type(await field(), "Look at the queue");
    first.unmount();
    sessionStorage.clear();

    world.transport.handlers.current_project = () => ({ path: "/home/dev/notes", name: "notes", branch: null });
    const other = renderWindow("/tasks/208");
    expect(await field()).toHaveValue("");
    await other.person.type(await field(), "Elsewhere");
    other.unmount();

    makeWorld();
    renderWindow("/tasks/208");
    expect(await field()).toHaveValue("Look at the queue");
    forgetDrafts("/home/dev/acme-payments");
    expect(Object.keys(localStorage).filter((key) => key.endsWith("comment.208"))).toHaveLength(1);
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
