import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderWindow } from "@/test/render";
import { trustHandlers, WAITING } from "@/test/trust";
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

  it("shows the exact values that wait for a yes, and agrees to just what was shown", async () => {
    const world = makeWorld("empty", trustHandlers(true));
    world.overview.needs_you.push({ kind: "untrusted", items: ["check (make test && ./upload.sh)"] });
    const { person } = renderWindow("/needs-you");
    const list = within(await screen.findByRole("list", { name: "What the folder brings along" }));
    expect(list.getByText("+make test && ./upload.sh")).toHaveClass("text-ok");
    expect(list.getByText("./bin/claude")).toBeVisible();
    expect(screen.getByText(/hooks, gpg.program/)).toBeVisible();
    expect(screen.getByRole("button", { name: "Put back what I agreed to" })).toBeVisible();
    await person.click(screen.getByRole("button", { name: "Agree to all of it" }));
    expect(world.transport.called("agree")).toEqual([{ fingerprint: "f1" }]);
    await waitFor(() => expect(screen.queryByRole("list", { name: "What the folder brings along" })).toBeNull());
  });

  it("can be turned down also where nothing was agreed to before, and what can't is named", async () => {
    const waiting = { ...WAITING, items: WAITING.items.map((item) => ({ ...item, diff: null })) };
    const world = makeWorld("empty", { get_trust: () => waiting, restore_agreed: () => waiting });
    const { person } = renderWindow("/needs-you");
    await person.click(await screen.findByRole("button", { name: "Put back what I agreed to" }));
    expect(world.transport.called("restore_agreed")).toHaveLength(1);
    expect(await screen.findByText(/^What still waits is not a setting or rule of Ralph/)).toBeVisible();
  });

  it("is not called calm where the count is behind", async () => {
    makeWorld("empty", trustHandlers(true));
    renderWindow("/needs-you");
    expect(await screen.findByRole("region", { name: "Waits for your yes" })).toBeVisible();
    expect(screen.queryByText("Nothing waits for you")).toBeNull();
  });

  it("names the characters of a command that nobody sees", async () => {
    const check = { name: "check", value: "make\u3164test\nrm \u200bx", effect: "", agreed: false, diff: null };
    makeWorld("empty", { ...trustHandlers(true), get_trust: () => ({ ...WAITING, items: [check] }) });
    renderWindow("/needs-you");
    const value = (await screen.findByText("U+3164")).closest("pre");
    expect(value?.textContent).toBe("makeU+3164testrm U+200Bx");
  });
});
