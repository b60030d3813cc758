import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderWindow } from "@/test/render";
import { makeWorld } from "@/test/world";

describe("facts and episodes", () => {
  it("are listed with their places, put away, and come back", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/knowledge?tab=memories");
    const list = within(await screen.findByRole("region", { name: "Facts and episodes" }));
    expect(await list.findByText("test command: make test")).toBeVisible();
    expect(list.getByRole("button", { name: "Makefile:3" })).toBeVisible();
    expect(list.getByText(/'Refund by key' was done/)).toBeVisible();
    await person.click(list.getByRole("button", { name: "Put away test command: make test" }));
    expect(world.transport.called("withdraw_memory")).toEqual([{ id: "F1" }]);
    await person.click(await screen.findByRole("button", { name: "Undo" }));
    expect(world.transport.called("restore_memory")).toEqual([{ id: "F1" }]);
  });

  it("are stated with the file that says so", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/knowledge?tab=memories");
    await person.click(await screen.findByRole("button", { name: "State a fact…" }));
    const dialog = within(await screen.findByRole("dialog", { name: "State a fact" }));
    await person.type(dialog.getByRole("textbox", { name: "Subject" }), "release command");
    await person.type(dialog.getByRole("textbox", { name: "What holds" }), "make release");
    await person.type(dialog.getByRole("textbox", { name: "File that says so" }), "Makefile");
    await person.type(dialog.getByRole("textbox", { name: "Line" }), "12");
    await person.click(dialog.getByRole("button", { name: "State" }));
    expect(world.transport.called("state_fact")).toEqual([
      {
        fact: {
          feature: null,
          kind: null,
          subject: "release command",
          value: "make release",
          confidence: null,
          file: "Makefile",
          line: 12,
        },
      },
    ]);
    expect(await screen.findByText("Stated")).toBeVisible();
  });

  it("lose nothing typed by Escape, and keep nothing once they are stated", async () => {
    makeWorld();
    const { person } = renderWindow("/knowledge?tab=memories");
    const open = async () => {
      await person.click(await screen.findByRole("button", { name: "State a fact…" }));
      return within(await screen.findByRole("dialog", { name: "State a fact" }));
    };
    await person.type((await open()).getByRole("textbox", { name: "Subject" }), "release command");
    await person.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    const again = await open();
    expect(again.getByRole("textbox", { name: "Subject" })).toHaveValue("release command");
    await person.type(again.getByRole("textbox", { name: "What holds" }), "make release");
    await person.click(again.getByRole("button", { name: "State" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect((await open()).getByRole("textbox", { name: "Subject" })).toHaveValue("");
  });

  it("say which calls of tools an episode was learned from", async () => {
    makeWorld();
    const { person } = renderWindow("/knowledge?tab=memories");
    await person.click(await screen.findByRole("button", { name: /: where 'Refund by key'/ }));
    const dialog = within(await screen.findByRole("dialog", { name: "Episode" }));
    const calls = within(await dialog.findByRole("list", { name: "Tool calls" })).getAllByRole("listitem");
    expect(calls.map((call) => call.textContent)).toEqual([
      expect.stringContaining("failed with 1011 test failed"),
      expect.stringContaining("worked"),
    ]);
    expect(dialog.getByText(/written by rule, of task #7, in iteration 40/)).toBeVisible();
  });
});
