/** Settings that can't be saved as they are typed, or that nobody saved yet. */
import { screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { fault } from "@/ipc/fake-transport";
import { renderWindow } from "@/test/render";
import { makeWorld } from "@/test/world";

describe("the settings", () => {
  it("say at the field which numbers it may be, before anything is sent", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/settings");
    const holdOut = await screen.findByLabelText("Hold-out, percent");
    await person.clear(holdOut);
    await person.type(holdOut, "95");
    expect(holdOut).toHaveAccessibleDescription("between 0 and 90");
    await person.type(holdOut, ".5");
    expect(holdOut).toHaveAccessibleDescription("a whole number is needed");
    const model = screen.getByLabelText("Model");
    await person.clear(model);
    expect(model).toHaveAccessibleDescription(/name a model/);
    expect(screen.getByText("2 fields can't be saved like this")).toBeVisible();
    expect(screen.getByRole("button", { name: "Save" })).toHaveAttribute("aria-disabled", "true");
    expect(world.transport.called("update_settings")).toEqual([]);
  });

  it("ask before a person leaves what is not saved", async () => {
    makeWorld();
    const { person, router } = renderWindow("/settings");
    await person.type(await screen.findByLabelText("Check command"), " --all");
    void router.navigate({ to: "/features" });
    await screen.findByRole("dialog", { name: "These settings are not saved" });
    await person.click(screen.getByRole("button", { name: "Stay" }));
    expect(screen.getByLabelText("Check command")).toHaveValue("cargo nextest run --all");
    expect(router.state.location.pathname).toBe("/settings");
    void router.navigate({ to: "/features" });
    await person.click(await screen.findByRole("button", { name: "Leave without saving" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/features"));
  });

  it("ask before another tab or another project takes their place", async () => {
    const world = makeWorld();
    const { person, router } = renderWindow("/settings");
    await person.type(await screen.findByLabelText("Check command"), " --all");
    await person.click(screen.getByRole("tab", { name: "Worktrees" }));
    await person.click(await screen.findByRole("button", { name: "Stay" }));
    expect(screen.getByLabelText("Check command")).toHaveValue("cargo nextest run --all");
    await person.click(screen.getByRole("button", { name: /^Project/ }));
    await person.click(await screen.findByRole("menuitem", { name: "notes" }));
    await screen.findByRole("dialog", { name: "These settings are not saved" });
    expect(world.transport.called("open_project")).toEqual([]);
    await person.click(screen.getByRole("button", { name: "Leave without saving" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/projects"));
  });

  it("write back nothing that somebody else changed meanwhile", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/settings");
    await person.type(await screen.findByLabelText("Check command"), " --all");
    world.settings = {
      ...world.settings,
      max_iterations: 33,
      worktrees: { ...world.settings.worktrees, keep_days: 7 },
    };
    await world.transport.changed("settings");
    await waitFor(() => expect(screen.getByLabelText("Iterations")).toHaveValue("33"));
    expect(screen.getByLabelText("Check command")).toHaveValue("cargo nextest run --all");
    await person.click(screen.getByRole("button", { name: "Save" }));
    const [sent] = world.transport.called("update_settings") as [{ settings: typeof world.settings }];
    expect(sent.settings).toMatchObject({ check: "cargo nextest run --all", max_iterations: 33 });
    expect(sent.settings.worktrees.keep_days).toBe(7);
  });

  it("say which numbers worktrees may have", async () => {
    makeWorld();
    const { person } = renderWindow("/settings");
    const days = await screen.findByLabelText("Days to keep");
    await person.type(days, "999999999");
    expect(days).toHaveAccessibleDescription("between 0 and 36,500");
    expect(screen.getByRole("button", { name: "Save" })).toHaveAttribute("aria-disabled", "true");
  });

  it("that can't be read open in an editor", async () => {
    const world = makeWorld("sample", {
      get_settings: () => {
        throw fault("config", ".ralph/config.toml: expected a value at line 3", "mend .ralph/config.toml");
      },
    });
    const { person } = renderWindow("/settings");
    await person.click(await screen.findByRole("button", { name: "Open the file" }));
    expect(world.transport.called("open_settings_file")).toHaveLength(1);
  });
});
