import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { fault } from "@/ipc/fake-transport";
import { renderWindow } from "@/test/render";
import { makeWorld, type World } from "@/test/world";

/** No run is active: then files can be put back. */
function atRest(): World {
  const world = makeWorld();
  world.overview = { ...world.overview, active_run: null, runs_at_work: [], lanes: [] };
  return world;
}

const dialog = () => screen.findByRole("dialog", { name: "Put back what snapshot 104 holds?" });

describe("a snapshot", () => {
  it("is found from the loop, and tells by file what would happen before anything does", async () => {
    const world = atRest();
    const { person } = renderWindow("/loop");
    await person.click(await screen.findByRole("link", { name: "Snapshots" }));
    await person.click(await screen.findByRole("link", { name: "Snapshot 104" }));
    const asked = await dialog();
    expect(await within(asked).findByRole("region", { name: "Replaced" })).toHaveTextContent("src/refund/window.rs");
    expect(within(asked).getByRole("region", { name: "Come back" })).toHaveTextContent("notes.md");
    expect(within(asked).getByRole("region", { name: "Already so" })).toHaveTextContent("README.md");
    expect(asked).toHaveTextContent("before iteration 104 on #208 Retry refunds that time out");
    expect(world.transport.called("restore_snapshot")).toEqual([]);

    await person.click(within(asked).getByRole("button", { name: "Replace 1, put back 2" }));
    expect(world.transport.called("restore_snapshot")).toEqual([{ name: "104", files: [] }]);
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    // What it replaced comes back from the snapshot that was taken of it, and nothing else does.
    await person.click(await screen.findByRole("button", { name: "Undo" }));
    expect(world.transport.called("restore_snapshot")[1]).toEqual({ name: "104.1", files: ["src/refund/window.rs"] });
  });

  it("puts back the chosen files only", async () => {
    const world = atRest();
    const { person } = renderWindow("/loop/snapshots?show=104");
    const asked = await dialog();
    await person.click(await within(asked).findByRole("checkbox", { name: "src/refund/window.rs" }));
    await person.click(within(asked).getByRole("button", { name: "Put back 2 files" }));
    const files = ["notes.md", "docs/refunds.md"];
    expect(world.transport.called("restore_snapshot")).toEqual([{ name: "104", files }]);
  });

  it("leaves alone what can't be kept first, and says what to do", async () => {
    const world = atRest();
    world.transport.handlers.get_snapshot = (name) => ({
      info: { name, made: "2026-03-04T10:00:00Z", iteration: null, errand: null },
      folder: "/home/ada/pay",
      files: [
        { path: "build", effect: "in_the_way" },
        { path: "notes.md", effect: "comes_back" },
      ],
      more: 0,
    });
    const { person } = renderWindow("/loop/snapshots?show=104");
    const asked = await dialog();
    expect(await within(asked).findByRole("region", { name: "In the way" })).toHaveTextContent("Move it away");
    expect(within(asked).queryByRole("checkbox", { name: "build" })).toBeNull();
    await person.click(within(asked).getByRole("button", { name: "Put back 1 file" }));
    expect(world.transport.called("restore_snapshot")).toEqual([{ name: "104", files: ["notes.md"] }]);
  });

  it("counts all that came back, and offers no undo of what it does not list", async () => {
    const world = atRest();
    const files = [{ path: "a.txt", effect: "replaced" as const }];
    let blocked = false;
    world.transport.handlers.get_snapshot = (name) => ({
      info: { name, made: "2026-03-04T10:00:00Z", iteration: null, errand: null },
      folder: "/home/ada/pay",
      files: blocked ? [{ path: "build", effect: "in_the_way" }, ...files] : files,
      more: 2,
    });
    world.transport.handlers.restore_snapshot = (name) => ({
      name,
      written: ["a.txt", "b.txt", "c.txt"],
      removed: [],
      kept_first: `${name}.1`,
    });
    const { person } = renderWindow("/loop/snapshots?show=104");
    const asked = await dialog();
    await person.click(await within(asked).findByRole("button", { name: "Put back all" }));
    expect(await screen.findByText("3 files put back")).toBeVisible();
    expect(screen.queryByRole("button", { name: "Undo" })).toBeNull();

    blocked = true;
    await world.transport.changed("iterations");
    await person.click(await screen.findByRole("link", { name: "Snapshot 104" }));
    const again = await dialog();
    expect(await within(again).findByText(/can be put back once nothing is in the way/)).toBeVisible();
    expect(within(again).getByRole("button", { name: "Replace 1 file" })).not.toHaveAttribute("aria-disabled");
  });

  it("waits for the end of a run that is at work", async () => {
    makeWorld();
    renderWindow("/loop/snapshots?show=104");
    const asked = await dialog();
    expect(await within(asked).findByRole("link", { name: "Run 38" })).toHaveAttribute("href", "/loop/38");
    expect(within(asked).getByRole("button", { name: "Replace 1, put back 2" })).toHaveAttribute(
      "aria-disabled",
      "true",
    );
  });

  it("keeps the choice where it could not be put back, with the reason and the way out", async () => {
    const world = atRest();
    world.transport.handlers.restore_snapshot = () => {
      throw fault("run_active", "Run 39 is at work.", "stop it with `ralph stop`, or wait until it ends");
    };
    const { person } = renderWindow("/loop/snapshots?show=104");
    const asked = await dialog();
    await person.click(await within(asked).findByRole("checkbox", { name: "notes.md" }));
    await person.click(within(asked).getByRole("button", { name: "Replace 1, put back 1" }));
    const told = await within(asked).findByRole("alert");
    expect(told).toHaveTextContent("Stop it under Loop, or wait until it ends");
    expect(within(told).getByRole("link", { name: "Loop" })).toHaveAttribute("href", "/loop");
    expect(within(asked).getByRole("checkbox", { name: "notes.md" })).not.toBeChecked();
  });

  it("is looked at again while it is shown", async () => {
    const world = atRest();
    renderWindow("/loop/snapshots");
    await screen.findByRole("link", { name: "Snapshot 104" });
    world.transport.handlers.list_snapshots = () => [];
    await world.transport.changed("iterations");
    expect(await screen.findByText("No snapshots")).toBeVisible();
  });

  it("is a press away from the iteration that lost work", async () => {
    makeWorld();
    renderWindow("/loop/38/104?tab=changed");
    const told = await screen.findByRole("list", { name: "What git tells" });
    expect(within(told).getByRole("link", { name: "Put it back…" })).toHaveAttribute(
      "href",
      "/loop/snapshots?show=%22104%22",
    );
  });
});
