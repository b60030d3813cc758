import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { NeedsYou } from "@/ipc";
import { before as minutesAgo } from "@/test/builders";
import { nightBefore } from "@/test/night";
import { renderWindow } from "@/test/render";
import { makeWorld, type World } from "@/test/world";

let world: World;

const blockedTask = (task: number, reason: string): NeedsYou => ({
  kind: "blocked_task",
  task,
  title: `Task ${task}`,
  feature: "payments",
  reason,
  since: minutesAgo(task),
});

describe("blocked tasks", () => {
  it("answers one and puts it back in one act, with a way back", async () => {
    world = makeWorld();
    const { person } = renderWindow("/needs-you");
    const row = await screen.findByTestId("blocked");
    expect(row).toHaveTextContent("payments");
    expect(row).toHaveTextContent("7 h ago");
    await person.click(within(row).getByRole("button", { name: "Answer #199" }));
    await person.type(within(row).getByLabelText("Answer to #199"), "It is in the vault by now.");
    await person.click(within(row).getByRole("button", { name: "Answer and put back" }));
    expect(world.transport.called("put_back")).toEqual([{ tasks: [199], answer: "It is in the vault by now." }]);
    await waitFor(() => expect(screen.queryByTestId("blocked")).toBeNull());
    await person.click(await screen.findByRole("button", { name: "Undo" }));
    const before = { status: "blocked", blocked_reason: "needs the new secret from the vault", comment: 7 };
    expect(world.transport.called("undo_put_back")).toMatchObject([{ acts: [{ task: 199, ...before }] }]);
  });

  it("is worked through by keys: what was answered is undone by Ctrl+Z, and j goes on where it stood", async () => {
    world = makeWorld();
    world.overview.needs_you = [199, 220, 221].map((task) => ({
      kind: "blocked_task" as const,
      task,
      title: `Task ${task}`,
      reason: `reason ${task}`,
      feature: "payments",
      since: minutesAgo(5),
    }));
    const { person } = renderWindow("/needs-you");
    await screen.findByRole("link", { name: /#199/ });
    await person.keyboard("jj");
    expect(document.activeElement).toHaveTextContent("#220");
    // Past the link to its feature.
    await person.tab();
    await person.tab();
    await person.keyboard("{Enter}");
    await person.keyboard("In the vault.{Control>}{Enter}{/Control}");
    await waitFor(() => expect(screen.queryByRole("link", { name: /#220/ })).toBeNull());
    await person.keyboard("j");
    expect(document.activeElement).toHaveTextContent("#221");
    await person.keyboard("{Control>}z{/Control}");
    await waitFor(() => expect(world.transport.called("undo_put_back")).toHaveLength(1));
    await person.keyboard("{Control>}z{/Control}");
    expect(world.transport.called("undo_put_back")).toHaveLength(1);
  });

  it("keeps an answer that is refused beside the field", async () => {
    world = makeWorld("sample", {
      put_back: () => {
        throw { code: "task_running", message: "task #199 is worked on by iteration 7", hint: "wait until it ends" };
      },
    });
    const { person } = renderWindow("/needs-you");
    await person.click(await screen.findByRole("button", { name: "Answer #199" }));
    await person.type(screen.getByLabelText("Answer to #199"), "Go on.");
    await person.click(screen.getByRole("button", { name: "Answer and put back" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("Wait until it ends");
    expect(screen.getByLabelText("Answer to #199")).toHaveValue("Go on.");
  });

  it("puts many tasks back with one answer", async () => {
    world = makeWorld("empty");
    const blocked = (task: number) => blockedTask(task, `the network was down at ${task} o'clock`);
    world.overview.needs_you = Array.from({ length: 60 }, (_, index) => blocked(index + 1));
    world.overview.needs_you_count = 60;
    const { person } = renderWindow("/needs-you");
    // Of many rows only those near the screen exist.
    const rows = await screen.findAllByTestId("blocked");
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.length).toBeLessThan(40);
    await person.click(screen.getByRole("checkbox", { name: "Select #1" }));
    await person.click(screen.getByRole("checkbox", { name: "Select #3" }));
    world.transport.handlers.put_back = () => [];
    await person.click(screen.getByRole("button", { name: "Answer all" }));
    await person.type(screen.getByLabelText("Answer to 2 tasks"), "It is up again.");
    // What is typed for some tasks is not said to others.
    await person.click(screen.getByRole("checkbox", { name: "Select #2" }));
    expect(screen.getByLabelText("Answer to 3 tasks")).toHaveValue("");
    await person.click(screen.getByRole("checkbox", { name: "Select #2" }));
    expect(screen.getByLabelText("Answer to 2 tasks")).toHaveValue("It is up again.");
    await person.click(screen.getByLabelText("Answer to 2 tasks"));
    await person.keyboard("{Control>}{Enter}{/Control}");
    expect(world.transport.called("put_back")).toEqual([{ tasks: [1, 3], answer: "It is up again." }]);
  });

  it("keeps what was typed for several when one of them is freed elsewhere, and their selection when it is not sent", async () => {
    world = makeWorld("empty");
    const blocked = (task: number) => blockedTask(task, `the network was down at ${task} o'clock`);
    world.overview = { ...world.overview, needs_you: [3, 1, 2].map(blocked), needs_you_count: 3 };
    const { person } = renderWindow("/needs-you");
    await person.click(await screen.findByRole("button", { name: "Select all" }));
    const all = screen.getByRole("button", { name: "Answer all" });
    await person.click(all);
    await person.type(screen.getByLabelText("Answer to 3 tasks"), "It is up again.");
    world.overview = { ...world.overview, needs_you: [3, 2].map(blocked), needs_you_count: 2 };
    world.transport.changed("tasks");
    expect(await screen.findByLabelText("Answer to 2 tasks")).toHaveValue("It is up again.");
    await person.keyboard("{Escape}");
    expect(all).toHaveFocus();
    expect(screen.getByText("2 selected")).toBeVisible();
    await person.click(all);
    expect(screen.getByLabelText("Answer to 2 tasks")).toHaveValue("It is up again.");
  });

  it("keeps what was typed for all with one reason while others come to have it", async () => {
    world = makeWorld("empty");
    const blocked = (task: number) => blockedTask(task, "the vault is sealed");
    world.overview = { ...world.overview, needs_you: [1, 2, 3, 4].map(blocked), needs_you_count: 4 };
    const { person } = renderWindow("/needs-you");
    await person.click(await screen.findByRole("button", { name: /^Answer 4 tasks/ }));
    await person.type(screen.getByRole("textbox", { name: /^Answer to 4 tasks/ }), "It is open.");
    world.overview = { ...world.overview, needs_you: [1, 2, 3, 4, 5].map(blocked), needs_you_count: 5 };
    world.transport.changed("tasks");
    expect(await screen.findByRole("textbox", { name: /^Answer to 5 tasks/ })).toHaveValue("It is open.");
    await person.click(screen.getByRole("button", { name: "Cancel" }));
    await person.click(screen.getByRole("button", { name: /^Answer 5 tasks/ }));
    expect(screen.getByRole("textbox", { name: /^Answer to 5 tasks/ })).toHaveValue("It is open.");
  });

  it("folds tasks that wait for the same, and answers them once", async () => {
    world = makeWorld();
    nightBefore(world);
    world.transport.handlers.put_back = () => [];
    const { person } = renderWindow("/needs-you");
    const folds = await screen.findAllByTestId("blocked-fold");
    expect(folds).toHaveLength(3);
    const vault = folds.find((row) => row.textContent?.includes("vault")) as HTMLElement;
    expect(vault).toHaveTextContent("66 tasks");
    await person.click(within(vault).getByRole("button", { name: /^Answer 66 tasks/ }));
    await person.type(within(vault).getByRole("textbox"), "It is in the vault now.");
    await person.click(within(vault).getByRole("button", { name: "Answer and put back" }));
    const [sent] = world.transport.called("put_back") as { tasks: number[]; answer: string }[];
    expect(sent?.tasks).toHaveLength(66);
    expect(sent?.answer).toBe("It is in the vault now.");
    expect(screen.getByRole("button", { name: "conflicts in 1 feature" })).toBeVisible();
  });

  it("keeps an answer that is being typed where more tasks are blocked for the same reason, or fewer", async () => {
    const blocked = (tasks: number[]) => tasks.map((task) => blockedTask(task, "asks for a decision"));
    world = makeWorld("empty");
    world.overview.needs_you = blocked([1, 2, 3]);
    const changes = async (tasks: number[]) => {
      world.overview = { ...world.overview, needs_you: blocked(tasks) };
      await world.transport.changed("tasks");
    };
    const { person } = renderWindow("/needs-you");
    await person.click(await screen.findByRole("button", { name: "Answer #2" }));
    await person.type(screen.getByLabelText("Answer to #2"), "Yes");
    await changes([1, 2, 3, 4]);
    expect(await screen.findByRole("button", { name: "Answer #4" })).toBeVisible();
    expect(screen.getByLabelText("Answer to #2")).toHaveFocus();
    await person.click(screen.getByRole("button", { name: "Cancel" }));
    await person.click(await screen.findByRole("button", { name: "Answer 4 tasks: asks for a decision" }));
    await changes([1, 2]);
    expect(await screen.findByLabelText("Answer to 2 tasks: asks for a decision")).toHaveFocus();
  });
});
