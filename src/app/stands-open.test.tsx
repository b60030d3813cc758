/** A window that stands open while the world changes around it. */
import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { fault } from "@/ipc/fake-transport";
import { renderWindow } from "@/test/render";
import { RUNS } from "@/test/runs";
import { makeWorld } from "@/test/world";

describe("a project that goes away under the window", () => {
  it("is told with the way back, and what was read stays on screen", async () => {
    let gone = false;
    const world = makeWorld("sample", {
      overview: () => {
        if (gone) throw fault("project_gone", "ralph.db was moved or deleted while it was open");
        return world.overview;
      },
      restoration: () => ({
        path: "/home/dev/acme-payments",
        from: "/home/dev/.local/share/ralph/projects/1/ralph.db",
        made: null,
        features: 6,
        tasks: 17,
        learnings: 142,
        journals: true,
        replaces: false,
        missing: [],
        others: [],
      }),
    });
    renderWindow("/features");
    expect(await screen.findByText("Payments")).toBeVisible();
    expect(screen.queryByRole("region", { name: "The project is gone" })).toBeNull();
    gone = true;
    await world.transport.changed("runs", "features");
    const told = await screen.findByRole("region", { name: "The project is gone" });
    expect(within(told).getByRole("alert")).toHaveTextContent("Nothing is written any more");
    expect(within(told).getByRole("alert")).toHaveTextContent("moved or deleted while it was open");
    expect(await within(told).findByRole("button", { name: "Restore" })).toBeVisible();
    expect(within(told).getByRole("button", { name: /open it there/ })).toBeVisible();
    expect(screen.getByText("Payments")).toBeVisible();
    gone = false;
    await world.transport.changed("runs");
    await waitFor(() => expect(screen.queryByRole("region", { name: "The project is gone" })).toBeNull());
  });
});

describe("a project that can't be read any more", () => {
  it("says so beside what was last read, until it can", async () => {
    let damaged = false;
    const world = makeWorld("sample", {
      overview: () => {
        if (damaged) throw fault("damaged_database", "ralph.db is damaged", "restore it with `ralph restore`");
        return world.overview;
      },
    });
    const { person } = renderWindow("/features");
    expect(await screen.findByText("Payments")).toBeVisible();
    damaged = true;
    await world.transport.changed("runs");
    const told = await screen.findByRole("region", { name: "The project can't be read" });
    expect(within(told).getByRole("alert")).toHaveTextContent("ralph.db is damaged");
    expect(told).toHaveTextContent("as it was last read");
    expect(screen.getByText("Payments")).toBeVisible();
    damaged = false;
    await person.click(within(told).getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(told).not.toBeInTheDocument());
  });

  it("is not taken for one where nothing waits", async () => {
    makeWorld("sample", {
      overview: () => {
        throw fault("newer_data", "the column 'stop_reason' holds 'tired', which this Ralph can't read");
      },
    });
    renderWindow("/features");
    const told = await screen.findByRole("region", { name: "The project can't be read" });
    expect(told).not.toHaveTextContent("as it was last read");
    expect(screen.getByTestId("needs-you")).toHaveTextContent(/^Needs you$/);
  });

  it("is not taken for one where nothing is at work: each run can be stopped", async () => {
    const { transport } = makeWorld("sample", {
      overview: () => {
        throw fault("newer_data", "the column 'stop_reason' holds 'tired', which this Ralph can't read");
      },
    });
    const { person } = renderWindow("/loop");
    const bar = within(await screen.findByTestId("run-bar"));
    expect(await bar.findByRole("link", { name: "Run 38 is at work" })).toBeVisible();
    expect(await screen.findByText("Start another run beside it")).toBeVisible();
    expect(screen.queryByRole("form", { name: "Start the loop" })).toBeNull();
    await person.click(bar.getByRole("button", { name: "Stop now" }));
    expect(transport.called("control_run")).toMatchObject([{ run: 38, control: "stop_now" }]);
  });

  it("says so where only a list can't be read again", async () => {
    const world = makeWorld();
    const { list_tasks } = world.transport.handlers;
    const { person } = renderWindow("/tasks");
    const ready = await screen.findByRole("region", { name: "Ready" });
    world.transport.handlers.list_tasks = () => {
      throw fault("database", "the disk is full");
    };
    await world.transport.changed("tasks");
    const told = await screen.findByRole("region", { name: "The project can't be read" });
    expect(told).toHaveTextContent("The disk is full");
    expect(told).toHaveTextContent("as it was last read");
    expect(ready).toHaveTextContent("Expire sessions after a password change");
    world.transport.handlers.list_tasks = list_tasks;
    await person.click(within(told).getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(told).not.toBeInTheDocument());
  });
});

describe("a window that stands open overnight", () => {
  it("counts by the new day, although nothing was written since", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"], now: new Date(2026, 10, 23, 23, 59) });
    try {
      const { transport } = makeWorld();
      renderWindow("/insights");
      await screen.findByTestId("since-yesterday");
      expect(transport.called("work_over_time")).toHaveLength(1);
      vi.setSystemTime(new Date(2026, 10, 24, 0, 1));
      await act(() => vi.advanceTimersByTime(60_000));
      await waitFor(() => expect(transport.called("work_over_time")).toHaveLength(2));
      expect(
        transport.called("since_look"),
        "what happened since they left is not asked of another moment",
      ).toHaveLength(1);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("a stop", () => {
  it("on a run whose process was killed tells how it ended, and is not an error", async () => {
    const [run] = RUNS;
    if (!run) throw new Error("the sample has runs");
    const note = "its process ended at 03:12 without telling why; what it worked on is free again";
    makeWorld("sample", {
      control_run: () => ({ ...run, state: "ended", stop_reason: "crashed", ended: "2026-11-23T03:12:00Z", note }),
    });
    const { person } = renderWindow("/features");
    await person.click(await screen.findByRole("button", { name: "Stop now" }));
    expect(await screen.findByText(`Run ${run.id} was over already: ${note}`)).toBeVisible();
  });

  it("that comes after the end never answers that no run is active", async () => {
    makeWorld("sample", {
      control_run: () => {
        throw fault("no_run", "no run is active", "start one with `ralph run`");
      },
    });
    const { person } = renderWindow("/features");
    await person.click(await screen.findByRole("button", { name: "Stop now" }));
    expect(await screen.findByText("The run was over already")).toBeVisible();
    expect(screen.queryByText(/no run is active/)).toBeNull();
  });
});

describe("a change of status", () => {
  it("by a person can be taken back, with the reason of a block", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/tasks/199");
    await person.click(await screen.findByRole("combobox", { name: "Status" }));
    await person.click(await screen.findByRole("option", { name: "Done" }));
    await person.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() => expect(world.transport.called("update_task")).toHaveLength(2));
    expect(world.transport.called("update_task")[1]).toMatchObject({
      id: 199,
      patch: { status: "blocked", blocked_reason: "needs the new secret from the vault" },
    });
  });
});

describe("the start form", () => {
  it("looks at the agent before Start, and does not start one that is missing", async () => {
    const world = makeWorld("sample", {
      check_agent: () => ({
        name: "agent claude",
        status: "error",
        detail: "'claude' is neither on PATH nor in npm's folders",
        hint: "install the agent, or name its path",
      }),
    });
    world.overview.active_run = null;
    renderWindow("/loop");
    const form = await screen.findByRole("form", { name: "Start the loop" });
    expect(await within(form).findByText(/neither on PATH/)).toBeVisible();
    expect(within(form).getByRole("button", { name: "Start" })).toHaveAttribute("aria-disabled", "true");
  });
});

describe("a folder without git", () => {
  it("is accepted only with what it costs", async () => {
    makeWorld("closed", {
      open_project: () => {
        throw fault("no_project", "/home/dev/elsewhere is not in a Ralph project");
      },
      look_at_folder: () => ({ is_repository: false, has_commits: false }),
    });
    const { person } = renderWindow("/");
    await person.click(await screen.findByRole("button", { name: "Open folder…" }));
    const note = await screen.findByRole("note");
    expect(note).toHaveTextContent("one worker only");
    expect(screen.getByRole("button", { name: "Set up Ralph without git" })).toBeVisible();
  });
});

describe("a palette whose code fails", () => {
  it("leaves the window and the run as they are", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const world = makeWorld();
    // An answer that the palette does not expect.
    world.transport.handlers.list_features = () => [{}] as never;
    const { person } = renderWindow("/loop");
    await screen.findByTestId("shell");
    await person.keyboard("{Control>}k{/Control}");
    expect(await screen.findByText(/undefined/)).toBeVisible();
    await person.click(screen.getByRole("button", { name: "Stop now" }));
    expect(world.transport.called("control_run")).toHaveLength(1);
  });
});

describe("a page whose code fails", () => {
  it("leaves the frame, the run and the other pages as they are", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const world = makeWorld();
    // An answer that no page expects.
    world.transport.handlers.get_insights = () => ({}) as never;
    const { person } = renderWindow("/insights");
    const goTo = async (page: RegExp) =>
      person.click(within(screen.getByRole("navigation", { name: "Main" })).getByRole("link", { name: page }));
    expect(await screen.findByRole("heading", { name: "This page can't be shown" })).toBeVisible();
    await person.click(screen.getByRole("button", { name: "Stop now" }));
    expect(world.transport.called("control_run")).toHaveLength(1);
    await goTo(/^Tasks/);
    expect(await screen.findByRole("heading", { name: "Tasks" })).toBeVisible();
    expect(screen.queryByRole("heading", { name: "This page can't be shown" })).toBeNull();
  });
});
