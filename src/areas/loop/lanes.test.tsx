import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { lastSignal } from "@/lib/loop/lane-signal";
import { before } from "@/test/builders";
import { errand, lane, sideBySide } from "@/test/lanes";
import { renderWindow } from "@/test/render";
import { makeWorld, type World } from "@/test/world";

let world: World;

describe("workers side by side", () => {
  it("have a line each: task, model, what they do just now, cost, and why this task", async () => {
    world = makeWorld();
    sideBySide(world);
    renderWindow("/loop");
    const [first, second, third, fourth] = await screen.findAllByTestId("lane");
    expect(first).toHaveTextContent("#208 Retry refunds that time out");
    expect(first).toHaveTextContent("Claude Code · opus");
    expect(within(first as HTMLElement).getByTestId("lane-elapsed")).toHaveTextContent(/^1:4\d$/);
    await waitFor(() =>
      expect(within(first as HTMLElement).getByTestId("lane-signal")).toHaveTextContent(
        "Bashcargo nextest run -p refund",
      ),
    );
    expect(first).toHaveTextContent("$0.41");
    expect(second).toHaveTextContent("pauses after this");
    expect(second).toHaveTextContent(/2:1\d ago/);
    expect(third).toHaveTextContent("≈ $0.36");
    expect(third).toHaveTextContent("before #232, which likely touches src/sync/merge.rs");
    expect(fourth).toHaveTextContent("looking for a task");
  });

  it("are paused, ended and stopped one by one, and go on", async () => {
    world = makeWorld();
    sideBySide(world);
    const { person } = renderWindow("/loop");
    await person.click(await screen.findByRole("button", { name: "Pause lane 1 after #208" }));
    await person.click(screen.getByRole("button", { name: "End lane 3 after #230" }));
    await person.click(screen.getByRole("button", { name: "Let lane 2 keep going" }));
    await person.click(screen.getByRole("button", { name: "Stop lane 1 now" }));
    expect(world.transport.called("control_run")).toEqual([
      { run: 38, control: "pause", lane: 1 },
      { run: 38, control: "stop_after", lane: 3 },
      { run: 38, control: "none", lane: 2 },
      { run: 38, control: "stop_now", lane: 1 },
    ]);
  });

  it("let a lane without a task go on that was paused", async () => {
    world = makeWorld();
    sideBySide(world);
    world.overview.idle_lanes = [{ lane: 4, control: "stop_after" }];
    const { person } = renderWindow("/loop");
    const lanes = await screen.findAllByTestId("lane");
    expect(lanes[3]).toHaveTextContent("stopped; the others go on");
    await person.click(screen.getByRole("button", { name: "Let it continue: lane 4" }));
    expect(world.transport.called("control_run")).toEqual([{ run: 38, control: "none", lane: 4 }]);
  });

  it("say until when nothing is begun while others still work, and why", async () => {
    world = makeWorld();
    sideBySide(world);
    const run = world.overview.active_run;
    if (!run) throw new Error("the sample has a run at work");
    Object.assign(run, { waiting_until: new Date(2099, 10, 30, 15, 5).toISOString(), note: "usage limit" });
    renderWindow("/loop");
    const lanes = await screen.findAllByTestId("lane");
    expect(lanes[3]).toHaveTextContent("waits until Nov 30, 15:05: usage limit");
    expect(screen.getByText("begins nothing until Nov 30, 15:05")).toBeVisible();
  });

  it("stand apart for each of several runs, which are steered one by one", async () => {
    world = makeWorld();
    sideBySide(world);
    const first = world.overview.active_run;
    if (!first) throw new Error("the sample has a run at work");
    world.overview.runs_at_work = [
      { run: first, lanes: world.overview.lanes, idle_lanes: world.overview.idle_lanes },
      { run: { ...first, id: 37, workers: 1 }, lanes: [], idle_lanes: [{ lane: 1, control: "none" }] },
    ];
    const { person } = renderWindow("/loop");
    expect(await screen.findByRole("region", { name: /^Run 38/ })).toBeVisible();
    expect(screen.getAllByTestId("lane")).toHaveLength(5);
    expect(screen.getByTestId("other-runs")).toHaveTextContent("and 1 other run");
    await person.click(screen.getByRole("button", { name: "Stop run 37 now" }));
    expect(world.transport.called("control_run")).toEqual([{ run: 37, control: "stop_now", lane: null }]);
  });

  it("are all stopped at once from any page, with the errands beside them", async () => {
    world = makeWorld();
    const first = world.overview.active_run;
    const errand = (await world.transport.handlers.list_errands?.())?.find(({ ended }) => ended === null);
    if (!first || !errand) throw new Error("the sample has a run and an errand at work");
    const beside = { run: { ...first, id: 37 }, lanes: [], idle_lanes: [] };
    Object.assign(world.overview, { runs_at_work: [beside], errands_at_work: [errand] });
    const { person } = renderWindow("/insights");
    await screen.findByTestId("other-runs");
    await person.keyboard("{Control>}k{/Control}");
    await person.click(await screen.findByRole("option", { name: "Stop every run and errand now" }));
    await waitFor(() => expect(world.transport.called("stop_errand")).toEqual([{ id: errand.id }]));
    const stops = [38, 37].map((run) => ({ run, control: "stop_now", lane: null }));
    expect(world.transport.called("control_run")).toEqual(stops);
  });

  it("stand above the iterations of their run", async () => {
    world = makeWorld();
    sideBySide(world);
    renderWindow("/loop/38");
    expect(await screen.findAllByTestId("lane")).toHaveLength(4);
  });

  it("leave one worker alone to the bar at the top", async () => {
    world = makeWorld();
    renderWindow("/loop");
    expect(await screen.findByTestId("lane")).toHaveTextContent("#208");
    expect(screen.queryByRole("button", { name: /lane 1/ })).toBeNull();
  });
});

describe("guidance", () => {
  it("is given to one worker's next iteration, waits in sight, and is taken back", async () => {
    world = makeWorld();
    sideBySide(world);
    const { person } = renderWindow("/loop");
    await person.click(await screen.findByRole("button", { name: "Guide #230" }));
    await person.type(
      screen.getByLabelText("What the next iteration on #230 should know"),
      "Keep the old order.{Enter}",
    );
    expect(world.transport.called("guide")).toEqual([{ task: 230, text: "Keep the old order." }]);
    const waiting = await screen.findByRole("list", { name: "Guidance that waits" });
    const given = (await within(waiting).findByText("Keep the old order.")).closest("li") as HTMLElement;
    expect(given).toHaveTextContent("for the next iteration of #230");
    await person.click(within(given).getByRole("button", { name: "Take back" }));
    await waitFor(() => expect(within(waiting).queryByText("Keep the old order.")).toBeNull());
    expect(within(waiting).getByText(/The sandbox answers 202/)).toBeVisible();
  });

  it("stays with the task that it was begun for when its worker takes another one, or none", async () => {
    world = makeWorld();
    sideBySide(world);
    const { person } = renderWindow("/loop");
    await person.click(await screen.findByRole("button", { name: "Guide #230" }));
    const field = () => screen.getByRole("textbox", { name: "What the next iteration on #230 should know" });
    await person.type(field(), "Keep the");
    const others = world.overview.lanes.filter(({ task }) => task !== 230);
    world.overview = { ...world.overview, lanes: [...others, lane(3, 231, "Something else")] };
    await act(() => world.transport.changed("iterations"));
    await screen.findByRole("button", { name: "Guide #231" });
    await person.keyboard(" old");
    const idle_lanes = [{ lane: 3, control: "none" as const }, ...(world.overview.idle_lanes ?? [])];
    world.overview = { ...world.overview, lanes: others, idle_lanes };
    await act(() => world.transport.changed("iterations"));
    await waitFor(() => expect(screen.queryByRole("button", { name: "Guide #231" })).toBeNull());
    await person.keyboard(" order.");
    expect(field()).toHaveValue("Keep the old order.");
    expect(screen.getByText("For #230, which this worker has left.")).toBeVisible();
    await person.keyboard("{Enter}");
    expect(world.transport.called("guide")).toEqual([{ task: 230, text: "Keep the old order." }]);
  });

  it("stands on the task that it is for", async () => {
    world = makeWorld();
    sideBySide(world);
    renderWindow("/tasks/208");
    expect(await screen.findByText("The sandbox answers 202: wait for the webhook.")).toBeVisible();
  });

  it("keeps what was typed when it is refused", async () => {
    world = makeWorld("sample", {
      guide: () => {
        throw { code: "invalid", message: "text: 50 pieces of guidance wait already", hint: "start a run" };
      },
    });
    const { person } = renderWindow("/loop");
    const field = await screen.findByLabelText("What the next iteration should know");
    await person.type(field, "Be brief.{Enter}");
    expect(await screen.findByRole("alert")).toHaveTextContent("wait already");
    expect(field).toHaveValue("Be brief.");
  });
});

describe("errands", () => {
  it("are listed with kind, state, cost and what became of them, and can be stopped", async () => {
    world = makeWorld();
    const { person } = renderWindow("/loop");
    const [running, failed] = await screen.findAllByTestId("errand");
    expect(running).toHaveTextContent("Review work for #230");
    expect(running).toHaveTextContent("at work");
    expect(failed).toHaveTextContent("Resolve a conflict for #221");
    expect(failed).toHaveTextContent("$0.11");
    expect(failed).toHaveTextContent("the check failed on its result");
    await person.click(screen.getByRole("button", { name: "Stop errand 3" }));
    expect(world.transport.called("stop_errand")).toEqual([{ id: 3 }]);
    await waitFor(() => expect(screen.getAllByTestId("errand")[0]).toHaveTextContent("stopped"));
  });

  it("can be stopped one after the other from their pages", async () => {
    const at = { state: "running" as const, ended: null };
    world = makeWorld("sample", {
      list_errands: () => [errand(5, at), errand(4, at)],
      get_errand: (id) => errand(id, at),
      stop_errand: (id) => errand(id, at),
    });
    const { person, router } = renderWindow("/loop/errands/4");
    await screen.findByRole("button", { name: "Stop errand 4" });
    await router.navigate({ to: "/loop/errands/$errand", params: { errand: "5" } });
    await person.click(await screen.findByRole("button", { name: "Stop errand 5" }));
    expect(await screen.findByText("Stopping")).toBeVisible();
    await router.navigate({ to: "/loop/errands/$errand", params: { errand: "4" } });
    await person.click(await screen.findByRole("button", { name: "Stop errand 4" }));
    expect(world.transport.called("stop_errand")).toEqual([{ id: 5 }, { id: 4 }]);
  });

  it("have a page however old they are", async () => {
    world = makeWorld("sample", { list_errands: () => [errand(900)] });
    renderWindow("/loop/errands/1");
    expect(await screen.findByText(/the base's counter stays/)).toBeVisible();
  });

  it("have a page with their answer and their transcript", async () => {
    world = makeWorld();
    renderWindow("/loop/errands/1");
    expect(await screen.findByText(/the base's counter stays/)).toBeVisible();
    expect(await screen.findByRole("log")).toBeVisible();
    expect(world.transport.called("follow_errand")).toHaveLength(1);
  });
});

describe("the last signal of a worker", () => {
  it("is one line in plain words", () => {
    const at = before(1);
    const said = (signal: Parameters<typeof lastSignal>[0]) => lastSignal(signal);
    expect(said({ at, by: "agent", signal: { kind: "text", text: "First.\n\nThen this.\n" } }).text).toBe("Then this.");
    expect(said({ at, by: "ralph", note: "check", text: "cargo\n test" })).toMatchObject({
      label: "check",
      text: "cargo test",
    });
    const denied = { kind: "denied", tool: "WebFetch", summary: "https://x" } as const;
    expect(said({ at, by: "agent", signal: denied })).toEqual({
      label: "denied",
      text: "WebFetch https://x",
      tone: "bad",
    });
    const call = { kind: "tool_call" as const, id: "1", name: "mcp__ralph__recall", summary: "refunds", paths: [] };
    expect(said({ at, by: "agent", signal: call }).label).toBe("ralph · recall");
  });
});
