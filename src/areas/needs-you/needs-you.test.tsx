import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { before } from "@/test/builders";
import { renderWindow } from "@/test/render";
import { trustHandlers } from "@/test/trust";
import { makeWorld, type World } from "@/test/world";

let world: World;

describe("what needs a person", () => {
  it("makes the change that an agent proposed only when a person accepts it", async () => {
    world = makeWorld();
    const { person } = renderWindow("/needs-you");
    const row = (await screen.findByText("Close task #220 as done")).closest("article") as HTMLElement;
    expect(within(row).getByText("status: pending → done")).toBeVisible();
    expect(within(row).getByRole("link", { name: "task #220" })).toHaveAttribute(
      "href",
      expect.stringContaining("220"),
    );
    await person.click(within(row).getByRole("button", { name: "Accept" }));
    expect(world.transport.called("settle_notice")).toEqual([{ id: 4, accept: true }]);
    expect(await screen.findByText("Accepted: the change is made")).toBeVisible();
    await waitFor(() => expect(screen.queryByText("Close task #220 as done")).toBeNull());
  });

  it("lists what is settled elsewhere with the way there", async () => {
    world = makeWorld();
    renderWindow("/needs-you");
    expect(await screen.findByRole("link", { name: /#199 Rotate provider credentials/ })).toBeVisible();
    expect(screen.getByText("5 things")).toBeVisible();
  });

  it("names a run that stalled", async () => {
    world = makeWorld("empty");
    world.overview.needs_you.push({
      kind: "run_stopped",
      run: 7,
      reason: "stalled",
      note: "5 in a row left nothing",
      since: before(5),
    });
    renderWindow("/needs-you");
    const need = await screen.findByRole("link", { name: /Run 7 stalled/ });
    expect(need).toHaveAttribute("href", expect.stringContaining("/loop/7"));
    expect(need).toHaveTextContent("5 in a row left nothing");
  });

  it("shows what was settled on demand, and how", async () => {
    world = makeWorld();
    const { person } = renderWindow("/needs-you");
    await person.click(await screen.findByRole("link", { name: "Show what was settled" }));
    const settled = within(await screen.findByRole("region", { name: "Settled" }));
    expect(await settled.findByText(/dismissed/)).toBeVisible();
    expect(settled.queryByRole("button", { name: "Accept" })).toBeNull();
  });

  it("is calm when nothing waits", async () => {
    world = makeWorld("empty");
    renderWindow("/needs-you");
    expect(await screen.findByText("Nothing waits for you")).toBeVisible();
  });

  it("shows the exact values that wait for a yes, and agrees to just what was shown", async () => {
    world = makeWorld("empty", trustHandlers(true));
    world.overview.needs_you.push({ kind: "untrusted", items: ["check (make test && ./upload.sh)"] });
    const { person } = renderWindow("/needs-you");
    const list = within(await screen.findByRole("list", { name: "What the folder brings along" }));
    expect(list.getByText("+make test && ./upload.sh")).toHaveClass("text-ok");
    expect(list.getByText("./bin/claude")).toBeVisible();
    expect(screen.getByRole("button", { name: "Put back what I agreed to" })).toBeVisible();
    await person.click(screen.getByRole("button", { name: "Agree to all of it" }));
    expect(world.transport.called("agree")).toEqual([{ fingerprint: "f1" }]);
    await waitFor(() => expect(screen.queryByRole("list", { name: "What the folder brings along" })).toBeNull());
  });
});
