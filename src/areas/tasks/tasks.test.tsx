import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { TaskDetail } from "@/ipc";
import { fault } from "@/ipc/fake-transport";
import { TYPED_BEFORE } from "@/lib/draft";
import { featureRow, task } from "@/test/builders";
import { later } from "@/test/later";
import { renderWindow } from "@/test/render";
import { makeWorld, type World } from "@/test/world";

let world: World;

describe("the Tasks page", () => {
  it("makes a task for the feature that it was asked for, whatever an earlier draft was for", async () => {
    world = makeWorld();
    const first = renderWindow("/tasks?new=true");
    const dialog = within(await screen.findByRole("dialog", { name: "New task" }));
    await first.person.type(dialog.getByLabelText("Title"), "Log out everywhere");
    await first.person.click(dialog.getByRole("combobox", { name: "Feature" }));
    await first.person.click(await screen.findByRole("option", { name: /Authentication/ }));
    first.unmount();
    const { person } = renderWindow("/tasks?new=true&feature=sync");
    const again = within(await screen.findByRole("dialog", { name: "New task" }));
    expect(again.getByLabelText("Title")).toHaveValue("Log out everywhere");
    await person.click(again.getByRole("button", { name: "Create task" }));
    await waitFor(() => expect(world.transport.called("create_task")).toMatchObject([{ task: { feature: "sync" } }]));
  });

  it("keeps what was typed when it failed, and not why", async () => {
    world = makeWorld("sample", {
      create_task: () => {
        throw fault("busy", "Another process writes.", "Try again.");
      },
    });
    const { person } = renderWindow("/tasks?new=true&feature=sync");
    await person.type(await screen.findByLabelText("Title"), "The first");
    await person.click(screen.getByRole("button", { name: "Create task" }));
    expect(await screen.findByText("Another process writes.")).toBeVisible();
    await person.click(screen.getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await person.click(screen.getByRole("button", { name: "New task" }));
    expect(await screen.findByLabelText("Title")).toHaveValue("The first");
    expect(screen.queryByText("Another process writes.")).toBeNull();
  });

  it("keeps a form as it was sent until that is written, and says that it waits", async () => {
    world = makeWorld();
    const create = world.transport.handlers.create_task;
    const free = later<void>();
    world.transport.handlers.create_task = async (given) => {
      await free.promise;
      if (!create) throw fault("invalid", "nobody makes tasks", "");
      return create(given);
    };
    const { person } = renderWindow("/tasks?new=true&feature=sync");
    const dialog = await screen.findByRole("dialog", { name: "New task" });
    const title = within(dialog).getByLabelText("Title");
    await person.type(title, "The first");
    await person.click(within(dialog).getByRole("button", { name: "Create task" }));
    // It fades in: on a busy machine it is there before it is seen.
    await waitFor(() => expect(screen.getByText("Not done yet")).toBeVisible(), { timeout: 8000 });
    expect(title).toBeDisabled();
    for (const name of ["Cancel", "Close", "Create task"])
      expect(within(dialog).getByRole("button", { name })).toBeDisabled();
    await person.keyboard("{Escape}");
    expect(dialog).toBeVisible();
    free.resolve();
    // First of all: on a busy machine it may be gone again before anything else has been looked for.
    expect(await screen.findByText(/^Task #\d+ created$/)).toBeVisible();
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await waitFor(() => expect(screen.queryByText("Not done yet")).toBeNull());
  });

  it("shows what is ready first, in the order of the loop", async () => {
    world = makeWorld();
    renderWindow("/tasks");
    const ready = await screen.findByRole("region", { name: "Ready" });
    const ids = [...ready.querySelectorAll<HTMLElement>("[data-task]")].map((row) => row.dataset.task);
    expect(ids).toEqual(["220", "214", "221", "230", "232", "240", "222", "241"]);
  });

  it("marks those that are stuck", async () => {
    world = makeWorld();
    renderWindow("/tasks");
    const mark = await screen.findByTestId("stuck-mark");
    expect(mark).toHaveTextContent("stuck ×3");
    expect(mark.closest("[data-task]")).toHaveAttribute("data-task", "208");
  });

  it("tells all of why a task is blocked, whatever its length", async () => {
    world = makeWorld();
    const why = `Which of the tables holds, and who may change it? ${"a-long-path/".repeat(30)}`;
    world.tasks = world.tasks.map((task) => (task.id === 199 ? { ...task, blocked_reason: why } : task));
    renderWindow("/tasks");
    const row = (await screen.findByText(why.trim())).closest("[data-task]");
    expect(row).toHaveAttribute("data-task", "199");
    expect(row).toHaveTextContent("Rotate provider credentials");
  });

  it("takes its filters from the URL and puts them there", async () => {
    world = makeWorld();
    const { person, router } = renderWindow("/tasks?feature=sync&status=%5B%22failed%22%5D");
    await screen.findByText("Resume an upload after sleep");
    expect(world.transport.called("list_tasks")).toContainEqual({
      filter: { feature: "sync", statuses: ["failed"], priorities: [], provenances: [], text: null },
    });
    await person.click(screen.getByRole("button", { name: "Clear" }));
    await waitFor(() => expect(router.state.location.search).toEqual({}));
    await person.type(screen.getByLabelText("Filter tasks"), "cookie");
    await waitFor(() => expect(router.state.location.search).toMatchObject({ q: "cookie" }));
  });

  it("makes a task; a refused one loses nothing typed", async () => {
    let refuse = true;
    world = makeWorld();
    const create = world.transport.handlers.create_task;
    world.transport.handlers.create_task = (given) => {
      if (refuse || !create) throw fault("invalid", "title: too long", "say it shorter");
      return create(given);
    };
    const { person } = renderWindow("/tasks?new=true&feature=auth");
    const dialog = await screen.findByRole("dialog", { name: "New task" });
    await person.type(within(dialog).getByLabelText("Title"), "Log out everywhere");
    await person.type(within(dialog).getByLabelText("Depends on"), "220");
    await person.click(await within(dialog).findByText("Expire sessions after a password change"));
    await person.click(within(dialog).getByRole("button", { name: "Create task" }));
    expect(await within(dialog).findByRole("alert")).toHaveTextContent("Say it shorter");
    expect(within(dialog).getByLabelText("Title")).toHaveValue("Log out everywhere");
    refuse = false;
    await person.click(within(dialog).getByRole("button", { name: "Create task" }));
    expect(await screen.findByText("Log out everywhere")).toBeVisible();
    expect(world.transport.called("create_task").at(-1)).toMatchObject({
      task: { feature: "auth", title: "Log out everywhere", depends_on: [220], status: "pending" },
    });
  });

  it("depend on what is chosen by a click or by Enter, and on a number that was typed and not chosen", async () => {
    world = makeWorld();
    const { person } = renderWindow("/tasks?new=true&feature=auth");
    const dialog = await screen.findByRole("dialog", { name: "New task" });
    const input = within(dialog).getByLabelText("Depends on");
    fireEvent.change(within(dialog).getByLabelText("Title"), { target: { value: "Log out everywhere" } });
    fireEvent.change(input, { target: { value: "220" } });
    await person.click(await within(dialog).findByText("Expire sessions after a password change"));
    fireEvent.change(input, { target: { value: "208" } });
    await within(dialog).findByText("#208", { selector: "[cmdk-item] *" });
    fireEvent.keyDown(input, { key: "Enter" });
    fireEvent.change(input, { target: { value: " #221 " } });
    act(() => input.focus());
    await person.click(within(dialog).getByRole("button", { name: "Create task" }));
    expect(await screen.findByText("Log out everywhere")).toBeVisible();
    expect(world.transport.called("create_task").at(-1)).toMatchObject({ task: { depends_on: [220, 208, 221] } });
  });

  it("are made of a list, after it was shown what it comes to", async () => {
    world = makeWorld();
    const { person } = renderWindow("/tasks?feature=auth");
    await person.click(await screen.findByRole("button", { name: "From a list" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Tasks from a list" }));
    expect(dialog.getByRole("button", { name: "Create tasks" })).toHaveAttribute("aria-disabled", "true");
    expect(dialog.getByText("A list is missing")).toBeVisible();
    const there = world.tasks[0]?.title;
    fireEvent.change(dialog.getByLabelText("List"), { target: { value: `Log out everywhere\n${there}` } });
    const shown = await dialog.findByRole("region", { name: "What is made" });
    expect(shown).toHaveTextContent(/^1 task, 1 left out.*Log out everywhere.*already/);
    await person.click(dialog.getByRole("checkbox", { name: "Each waits for the one before it" }));
    await person.click(await dialog.findByRole("button", { name: "Create 1 task" }));
    expect(await screen.findByText("Log out everywhere")).toBeVisible();
    expect(world.transport.called("import_tasks")).toMatchObject([{ list: { feature: "auth", chained: true } }]);
  });

  it("are made of no list before a feature is chosen, which is said", async () => {
    world = makeWorld();
    const { person } = renderWindow("/tasks?import=true");
    const dialog = within(await screen.findByRole("dialog", { name: "Tasks from a list" }));
    fireEvent.change(dialog.getByLabelText("List"), { target: { value: "- [ ] Log out everywhere" } });
    const make = await dialog.findByRole("button", { name: "Create 1 task" });
    expect(make).toHaveAttribute("aria-disabled", "true");
    expect(make).toHaveAccessibleDescription("Choose a feature");
    await person.click(dialog.getByRole("combobox", { name: "Feature" }));
    await person.click(await screen.findByRole("option", { name: /Authentication/ }));
    expect(make).not.toHaveAttribute("aria-disabled");
  });

  it("can be made first in a project whose name is in letters that no feature's name has", async () => {
    world = makeWorld("empty", {
      current_project: () => ({ path: "/home/dev/支付", name: "支付", branch: "main" }),
    });
    const { person } = renderWindow("/tasks?new=true");
    const dialog = within(await screen.findByRole("dialog", { name: "New task" }));
    const create = dialog.getByRole("button", { name: "Create task" });
    expect(create).toHaveAccessibleDescription("A title is missing");
    await person.type(dialog.getByLabelText("Title"), "Log out everywhere");
    await person.click(create);
    await waitFor(() => expect(world.transport.called("create_task")).toMatchObject([{ task: { feature: "first" } }]));
    expect(world.transport.called("create_feature")).toMatchObject([{ feature: { display_name: "支付" } }]);
  });

  it("are ready or not by the state of their feature, too", async () => {
    world = makeWorld();
    renderWindow("/tasks");
    await screen.findByRole("checkbox", { name: "Select task 221" });
    const asked = world.transport.called("list_tasks").length;
    world.transport.changed("features");
    await waitFor(() => expect(world.transport.called("list_tasks").length).toBeGreaterThan(asked));
  });

  it("counts nothing in an archived feature as open, as the rail does", async () => {
    world = makeWorld("empty");
    world.features.push(featureRow("payments"), featureRow("old", { of: { state: "archived" } }));
    world.tasks.push(task(1, "payments", "Retry refunds"), task(2, "old", "Old ways", { readiness: "archived" }));
    renderWindow("/tasks");
    expect(await screen.findByText("1 ready · 1 open · 2 tasks")).toBeVisible();
  });

  it("offers no archived feature, and makes another where all are archived", async () => {
    world = makeWorld();
    const archive = (name: string) => {
      for (const row of world.features)
        if (row.feature.name === name) row.feature = { ...row.feature, state: "archived" };
    };
    archive("auth");
    const first = renderWindow("/tasks?new=true&feature=auth");
    const dialog = within(await screen.findByRole("dialog", { name: "New task" }));
    expect(await dialog.findByRole("combobox", { name: "Feature" })).toHaveTextContent("Choose");
    first.unmount();
    for (const { feature } of world.features) archive(feature.name);
    const { person } = renderWindow("/tasks?new=true");
    const again = within(await screen.findByRole("dialog", { name: "New task" }));
    expect(await again.findByRole("textbox", { name: "Feature" })).toHaveValue("acme-payments");
    await person.type(again.getByLabelText("Title"), "Say hello");
    await person.click(again.getByRole("button", { name: "Create task" }));
    await waitFor(() => expect(world.transport.called("create_feature")).toHaveLength(1));
  });

  it("makes the first task together with its feature, and leads to the start of the loop", async () => {
    world = makeWorld("empty");
    const { person, router } = renderWindow("/features");
    await person.click(await screen.findByRole("link", { name: "Write the first task" }));
    const dialog = await screen.findByRole("dialog", { name: "New task" });
    expect(within(dialog).getByLabelText("Feature")).toHaveValue("acme-payments");
    await person.type(within(dialog).getByLabelText("Title"), "Say hello");
    await person.click(within(dialog).getByRole("button", { name: "Create task" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/loop"));
    expect(world.transport.called("create_feature")).toMatchObject([{ feature: { name: "acme-payments" } }]);
    expect(world.transport.called("create_task")).toMatchObject([
      { task: { feature: "acme-payments", title: "Say hello", status: "pending" } },
    ]);
  });

  it("changes many at once, with a way back", async () => {
    world = makeWorld();
    const { person } = renderWindow("/tasks");
    await person.click(await screen.findByRole("checkbox", { name: "Select task 221" }));
    await person.click(screen.getByRole("checkbox", { name: "Select task 222" }));
    await person.click(screen.getByRole("button", { name: "Set status" }));
    await person.click(await screen.findByRole("menuitem", { name: /Done/ }));
    expect(await screen.findByText("2 tasks: done")).toBeVisible();
    expect(world.transport.called("update_task")).toEqual([
      { id: 221, patch: { status: "done" } },
      { id: 222, patch: { status: "done" } },
    ]);
  });
});

describe("an undo", () => {
  it("works once: by two clicks or by Ctrl+Z after one, too", async () => {
    world = makeWorld();
    const { person } = renderWindow("/tasks");
    await person.click(await screen.findByRole("checkbox", { name: "Select task 221" }));
    await person.click(screen.getByRole("button", { name: "Set status" }));
    await person.click(await screen.findByRole("menuitem", { name: /Done/ }));
    await person.dblClick(await screen.findByRole("button", { name: "Undo" }));
    await person.keyboard("{Control>}z{/Control}");
    expect(world.transport.called("update_task")).toEqual([
      { id: 221, patch: { status: "done" } },
      { id: 221, patch: { status: "pending" } },
    ]);
  });

  it("is not offered for a task taken from its review, which nobody puts back there", async () => {
    world = makeWorld();
    for (const task of world.tasks) if (task.id === 221) task.status = "in_review";
    const { person } = renderWindow("/tasks");
    await person.click(await screen.findByRole("checkbox", { name: "Select task 221" }));
    await person.click(screen.getByRole("checkbox", { name: "Select task 222" }));
    await person.click(screen.getByRole("button", { name: "Set status" }));
    await person.click(await screen.findByRole("menuitem", { name: /Failed/ }));
    expect(await screen.findByText("2 tasks: failed. Undo can't put 1 back in review.")).toBeVisible();
    await person.click(screen.getByRole("button", { name: "Undo" }));
    expect(world.transport.called("update_task").slice(2)).toEqual([{ id: 222, patch: { status: "pending" } }]);
  });

  it("does not reach into another project", async () => {
    world = makeWorld();
    const { person, router } = renderWindow("/tasks");
    await person.click(await screen.findByRole("checkbox", { name: "Select task 221" }));
    await person.click(screen.getByRole("button", { name: "Set status" }));
    await person.click(await screen.findByRole("menuitem", { name: /Done/ }));
    await screen.findByText("1 task: done");
    await person.click(screen.getByRole("button", { name: /^Project/ }));
    await person.click(await screen.findByRole("menuitem", { name: "notes" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/features"));
    await person.keyboard("{Control>}z{/Control}");
    expect(world.transport.called("update_task")).toHaveLength(1);
    await waitFor(() => expect(screen.queryByText("1 task: done")).toBeNull());
  });
});

describe("a task's page", () => {
  it("shows its attempts and frees it when it is blocked", async () => {
    world = makeWorld();
    const { person } = renderWindow("/tasks/199");
    expect(await screen.findByText(/needs the new secret/)).toBeVisible();
    await person.click(screen.getByRole("button", { name: "Put back to pending" }));
    expect(world.transport.called("update_task")).toEqual([{ id: 199, patch: { status: "pending" } }]);
  });

  it("folds a long description, so that what follows stays in sight", async () => {
    world = makeWorld();
    const lines = Array.from({ length: 60 }, (_, at) => `Line ${at + 1}.`);
    for (const task of world.tasks) if (task.id === 208) task.description = lines.join("\n");
    const { person } = renderWindow("/tasks/208");
    const unfold = await screen.findByRole("button", { name: "Show all 60 lines" });
    expect(screen.queryByText(/Line 60\./)).toBeNull();
    await person.click(unfold);
    expect(screen.getByText(/Line 60\./)).toBeVisible();
    await person.click(screen.getByRole("button", { name: "Show less" }));
    expect(screen.queryByText(/Line 60\./)).toBeNull();
  });

  it("tells of each attempt what was tried, why it failed, and who says so", async () => {
    world = makeWorld();
    renderWindow("/tasks/208");
    const third = await screen.findByRole("region", { name: "Report of attempt 3" });
    for (const words of ["test failure", "Mocked the system clock", "One test still compares", "Pass a clock into"]) {
      expect(third).toHaveTextContent(words);
    }
    expect(third).toHaveTextContent("src/refund/retry.rs");
    expect(third).toHaveTextContent("failed the same way 2 times");
    expect(third).not.toHaveTextContent("Ralph's report");
    expect(screen.getByRole("region", { name: "Report of attempt 2" })).toHaveTextContent("Ralph's report");
    const first = screen.getByRole("region", { name: "Report of attempt 1" });
    expect(first).toHaveTextContent("dependency error");
    expect(first).not.toHaveTextContent("same way");
    expect(screen.getByTestId("stuck")).toHaveTextContent("stuck: failed 3 times in a row");
  });

  it("tells once what several attempts in a row report alike", async () => {
    world = makeWorld();
    const handler = world.transport.handlers.get_task;
    world.transport.handlers.get_task = (given) => {
      const task = handler?.(given) as TaskDetail;
      const report = task.attempts.find(({ failure }) => failure)?.failure ?? null;
      return { ...task, attempts: task.attempts.map((one) => ({ ...one, failure: one.failure && report })) };
    };
    renderWindow("/tasks/208");
    await screen.findByRole("region", { name: "Report of attempt 3" });
    expect(screen.getAllByRole("region", { name: /^Report of attempt/ })).toHaveLength(1);
    expect(screen.getAllByText("the same report as the attempt above")).toHaveLength(2);
  });

  it("asks what the next attempt will be told once a person wants to know", async () => {
    world = makeWorld();
    const { person } = renderWindow("/tasks/208");
    const summary = await screen.findByText("What the next attempt will be told");
    expect(world.transport.called("next_prompt")).toEqual([]);
    await person.click(summary);
    const parts = await screen.findByRole("table", { name: "Parts of the prompt" });
    expect(within(parts).getByRole("row", { name: /attempts 412 3 earlier attempts/ })).toBeVisible();
    expect(within(parts).getByRole("row", { name: /whole 2,596 2 learnings told/ })).toBeVisible();
    expect(world.transport.called("next_prompt")).toEqual([{ task: 208 }]);
    expect(screen.getByRole("region", { name: "Previous Attempts" })).toHaveTextContent("from memory");
  });

  it("says so when there is no such task", async () => {
    world = makeWorld();
    renderWindow("/tasks/9999");
    expect(await screen.findByRole("alert")).toHaveTextContent("There is no task #9999.");
  });

  it("keeps what was typed over a task when its dialog is left by Escape, and forgets it with Cancel", async () => {
    makeWorld();
    const { person } = renderWindow("/tasks/208");
    await person.click(await screen.findByRole("button", { name: "Edit" }));
    await person.type(await screen.findByLabelText("What to do"), " And log it.");
    expect(screen.getByRole("dialog")).not.toHaveTextContent(TYPED_BEFORE);
    await person.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await person.click(screen.getByRole("button", { name: "Edit" }));
    expect((await screen.findByLabelText<HTMLTextAreaElement>("What to do")).value).toMatch(/ And log it\.$/);
    expect(screen.getByRole("dialog"), "it may be older than what is stored").toHaveTextContent(TYPED_BEFORE);
    await person.click(screen.getByRole("button", { name: "Cancel" }));
    await person.click(screen.getByRole("button", { name: "Edit" }));
    expect((await screen.findByLabelText<HTMLTextAreaElement>("What to do")).value).not.toMatch(/ And log it/);
    expect(screen.getByRole("dialog")).not.toHaveTextContent(TYPED_BEFORE);
  });
});
