import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderWindow } from "@/test/render";
import { makeWorld } from "@/test/world";

describe("tasks by keyboard", () => {
  it("are selected with x, and given a status with s", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/tasks");
    await screen.findByRole("region", { name: "Ready" });
    await person.keyboard("jxjx");
    expect(await screen.findByText("2 tasks selected")).toBeVisible();
    await person.keyboard("s");
    await person.click(await screen.findByRole("menuitem", { name: /Skipped/ }));
    await waitFor(() => expect(world.transport.called("update_task")).toHaveLength(2));
    const changed = world.transport.called("update_task");
    expect(changed).toContainEqual({ id: 220, patch: { status: "skipped" } });
    expect(changed).toContainEqual({ id: 214, patch: { status: "skipped" } });
  });

  it("take the row under the focus where nothing is selected", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/tasks");
    await screen.findByRole("region", { name: "Ready" });
    await person.keyboard("jp");
    await person.click(await screen.findByRole("menuitem", { name: /Low/ }));
    await waitFor(() =>
      expect(world.transport.called("update_task")).toMatchObject([{ id: 220, patch: { priority: "low" } }]),
    );
  });

  it("select nothing by a choice that was left, and lead back to their row", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/tasks");
    await screen.findByRole("region", { name: "Ready" });
    await person.keyboard("j");
    const row = document.activeElement;
    await person.keyboard("s");
    await screen.findByRole("menu");
    await person.keyboard("{Escape}");
    await waitFor(() => expect(row).toHaveFocus());
    expect(screen.queryByText(/task selected/)).toBeNull();
    await person.keyboard("jp");
    await person.click(await screen.findByRole("menuitem", { name: /Low/ }));
    await waitFor(() => expect(world.transport.called("update_task")).toMatchObject([{ id: 214 }]));
  });

  it("are no longer selected after Escape", async () => {
    makeWorld();
    const { person } = renderWindow("/tasks");
    await screen.findByRole("region", { name: "Ready" });
    await person.keyboard("jx");
    expect(await screen.findByText("1 task selected")).toBeVisible();
    await person.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByText("1 task selected")).toBeNull());
  });

  it("take the row under the focus where what is selected is not shown", async () => {
    const world = makeWorld();
    const { person, router } = renderWindow("/tasks?feature=sync");
    await screen.findByRole("region", { name: "Ready" });
    await person.keyboard("jx");
    expect(await screen.findByText("1 task selected")).toBeVisible();
    await router.navigate({ to: "/tasks", search: { feature: "auth" } });
    await waitFor(() => expect(screen.queryByText("1 task selected")).toBeNull());
    await screen.findByRole("region", { name: "Ready" });
    await person.keyboard("jp");
    await person.click(await screen.findByRole("menuitem", { name: /Low/ }));
    await waitFor(() => expect(world.transport.called("update_task")).toMatchObject([{ patch: { priority: "low" } }]));
  });

  it("are acted on from the palette, which knows what the page offers", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/tasks/220");
    await screen.findByRole("combobox", { name: "Status" });
    await person.keyboard("{Control>}k{/Control}");
    const palette = await screen.findByRole("dialog", { name: "Search everything" });
    await person.type(within(palette).getByRole("combobox"), "set to blocked");
    await person.click(await within(palette).findByText("Set #220 to blocked"));
    await waitFor(() =>
      expect(world.transport.called("update_task")).toMatchObject([{ id: 220, patch: { status: "blocked" } }]),
    );
  });

  it.each([
    ["/knowledge", "audit", "Knowledge: audit", "/knowledge", { tab: "audit" }],
    ["/knowledge", "only parked", "Filter: only parked learnings", "/knowledge", { state: ["parked"] }],
    ["/loop/38", "only failed", "Filter: only failed iterations", "/loop/38/105", { show: "failed" }],
    ["/loop/38/105", "iteration changed", "Iteration: changed", "/loop/38/105", { tab: "changed" }],
    ["/needs-you", "settled", "Show what was settled", "/needs-you", { settled: true }],
    ["/settings", "settings: work", "Settings: worktrees", "/settings", { tab: "worktrees" }],
  ])("%s offers its own in the palette: %s", async (address, typed, words, path, search) => {
    makeWorld();
    const { person, router } = renderWindow(address);
    await screen.findByRole("heading", { level: 1 });
    await person.keyboard("{Control>}k{/Control}");
    const palette = await screen.findByRole("dialog", { name: "Search everything" });
    await person.type(within(palette).getByRole("combobox"), typed);
    await person.click(await within(palette).findByText(words));
    await waitFor(() => expect(router.state.location.search).toMatchObject(search));
    expect(router.state.location.pathname).toBe(path);
  });

  it("are moved within their priority by the keys of their handle", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/tasks");
    const handle = await screen.findByRole("button", { name: "Move task 221" });
    handle.focus();
    await person.keyboard("{Enter}{ArrowUp}");
    expect(screen.getByText(/^#221 would stand 2 of 8/)).toBeInTheDocument();
    await person.keyboard("{Escape}{Enter}{ArrowDown}{Enter}");
    const [moved] = world.transport.called("update_task");
    expect(moved).toMatchObject({ id: 221 });
    expect(world.transport.called("update_task")).toHaveLength(1);
  });

  it("stay in view while the keys move them past the edge of the window", async () => {
    const seen: Element[] = [];
    const { scrollIntoView } = Element.prototype;
    Element.prototype.scrollIntoView = function into(this: Element) {
      seen.push(this);
    };
    makeWorld();
    const { person } = renderWindow("/tasks");
    const handle = await screen.findByRole("button", { name: "Move task 221" });
    handle.focus();
    await person.keyboard("{Enter}{ArrowDown}");
    await waitFor(() => expect(seen).toContain(handle));
    Element.prototype.scrollIntoView = scrollIntoView;
  });

  it("stay the one that is moved when the loop takes another meanwhile, and are let go when it takes them", async () => {
    const world = makeWorld();
    const takes = async (id: number) => {
      const running = { status: "in_progress", readiness: "running" } as const;
      world.tasks = world.tasks.map((task) => (task.id === id ? { ...task, ...running } : task));
      await world.transport.changed("tasks");
      await waitFor(() => expect(screen.queryByRole("button", { name: `Move task ${id}` })).toBeNull());
    };
    const { person } = renderWindow("/tasks");
    const handle = await screen.findByRole("button", { name: "Move task 221" });
    handle.focus();
    await person.keyboard("{Enter}{ArrowDown}");
    await takes(220);
    expect(screen.getByText(/^#221 would stand 3 of 7/)).toBeInTheDocument();
    await person.keyboard("{Enter}");
    expect(world.transport.called("update_task")).toEqual([{ id: 221, patch: { before: 0 } }]);
    screen.getByRole("button", { name: "Move task 222" }).focus();
    await person.keyboard("{Enter}{ArrowUp}");
    await takes(222);
    expect(screen.queryByText(/would stand/)).toBeNull();
  });
});
