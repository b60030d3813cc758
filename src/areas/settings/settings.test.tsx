import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderWindow } from "@/test/render";
import { makeWorld } from "@/test/world";

describe("the settings", () => {
  it("keep the models in order, and say how each strategy chooses", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/settings");
    const models = await screen.findByLabelText("Models");
    expect(models).toHaveValue("haiku\nsonnet\nopus");
    await person.clear(models);
    await person.type(models, "small\n\nbig");
    await person.clear(screen.getByLabelText("Hold-out, percent"));
    await person.type(screen.getByLabelText("Hold-out, percent"), "20");
    await person.click(screen.getByRole("combobox", { name: "Strategy" }));
    await person.click(await screen.findByRole("option", { name: "Fixed" }));
    expect(screen.getByText("Always the given model.")).toBeVisible();
    await person.click(screen.getByRole("button", { name: "Save" }));
    expect(world.transport.called("update_settings")).toMatchObject([
      { settings: { models: ["small", "big"], hold_out: 20, stall_stop: 5, strategy: "fixed" } },
    ]);
  });
});
