import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderWindow } from "@/test/render";
import { trustHandlers } from "@/test/trust";
import { makeWorld } from "@/test/world";

describe("what waits for a yes", () => {
  it("is counted as soon as it came, and nothing is called calm meanwhile", async () => {
    const world = makeWorld("empty");
    renderWindow("/needs-you");
    expect(await screen.findByText("Nothing waits for you")).toBeVisible();
    Object.assign(world.transport.handlers, trustHandlers(true));
    const items = ["check (make test && ./upload.sh)"];
    world.overview = { ...world.overview, needs_you: [{ kind: "untrusted", items }], needs_you_count: 1 };
    await world.transport.changed("settings");
    expect(await screen.findByText("1 thing")).toBeVisible();
    expect(within(screen.getByTestId("needs-you")).getByText("1")).toBeVisible();
    expect(screen.queryByText("Nothing waits for you")).toBeNull();
  });

  it("is not called calm where the count is behind", async () => {
    makeWorld("empty", trustHandlers(true));
    renderWindow("/needs-you");
    expect(await screen.findByRole("region", { name: "Waits for your yes" })).toBeVisible();
    expect(screen.queryByText("Nothing waits for you")).toBeNull();
  });
});
