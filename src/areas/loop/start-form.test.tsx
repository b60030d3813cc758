import { screen, waitFor, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { fault } from "@/ipc/fake-transport";
import { renderWindow } from "@/test/render";
import { makeWorld } from "@/test/world";

it("says that no git hook runs in worktrees, once agents are to work there", async () => {
  const world = makeWorld("sample", { hooks_missing_in_worktrees: () => ".husky/_" });
  world.overview = { ...world.overview, active_run: null, active_iteration: null, lanes: [] };
  const { person } = renderWindow("/loop");
  const form = within(await screen.findByRole("form", { name: "Start the loop" }));
  expect(form.queryByRole("note")).toBeNull();
  await person.type(form.getByLabelText("Workers"), "2");
  expect(await form.findByRole("note")).toHaveTextContent(
    /No git hook runs in worktrees: they begin without \.husky\/_/,
  );
});

it("says that worktrees lack their submodules, and where to bring them, once agents are to work there", async () => {
  const world = makeWorld("sample", { empty_in_worktrees: () => ["vendor/lib", "docs/theme"] });
  world.overview = { ...world.overview, active_run: null, active_iteration: null, lanes: [] };
  const { person } = renderWindow("/loop");
  const form = within(await screen.findByRole("form", { name: "Start the loop" }));
  expect(form.queryByRole("note")).toBeNull();
  await person.type(form.getByLabelText("Workers"), "2");
  expect(await form.findByRole("note")).toHaveTextContent(/files of submodules \(vendor\/lib, docs\/theme\)/);
  await person.clear(form.getByLabelText("Workers"));
  await waitFor(() => expect(form.queryByRole("note")).toBeNull());
  await person.click(form.getByRole("combobox", { name: "Where" }));
  await person.click(await screen.findByRole("option", { name: "Worktrees" }));
  expect(within(await form.findByRole("note")).getByRole("link")).toHaveAttribute(
    "href",
    expect.stringContaining("part"),
  );
});

it("says why a start was refused where its button stays in view", async () => {
  makeWorld("empty", {
    start_run: () => {
      throw fault("invalid", "No task is ready.", "Write one.");
    },
  });
  const { person } = renderWindow("/loop");
  const start = await screen.findByRole("button", { name: "Start" });
  await person.click(start);
  const refused = await screen.findByRole("alert");
  expect(refused).toHaveTextContent("No task is ready.");
  // The bar that is at the bottom of the page wherever the person is in the form.
  expect(refused.closest(".sticky")).toContainElement(start);
});
