import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { fault } from "@/ipc/fake-transport";
import { renderWindow } from "@/test/render";
import { makeWorld, type World } from "@/test/world";

let world: World;

describe("a conflict", () => {
  it("shows both sides with the words that differ, and takes the person's choice", async () => {
    world = makeWorld();
    const { person } = renderWindow("/knowledge?tab=review");
    const older = await screen.findByRole("region", { name: "Older" });
    const newer = screen.getByRole("region", { name: "Newer" });
    expect([...older.querySelectorAll("mark")].map((mark) => mark.textContent)).toEqual(["3"]);
    expect([...newer.querySelectorAll("mark")].map((mark) => mark.textContent)).toEqual(["5"]);
    await person.click(screen.getByRole("button", { name: "Keep newer" }));
    expect(world.transport.called("resolve_conflict")).toEqual([{ older: "C1", newer: "C2", choice: "keep_newer" }]);
  });
});

describe("the search over knowledge", () => {
  it("finds all words, in any order, and narrows by source", async () => {
    world = makeWorld();
    renderWindow("/knowledge?q=session%20tokens&source=%5B%22human%22%5D");
    const list = await screen.findByRole("list", { name: "Learnings" });
    expect(within(list).getAllByRole("article")).toHaveLength(1);
    expect(within(list).getByText(/Refresh tokens rotate/)).toBeVisible();
  });
});

describe("an offer to merge", () => {
  const first = { name: /^3 alike in payments/ };

  it("shows every text, keeps one of them edited, and merges those that were chosen", async () => {
    world = makeWorld();
    const { person } = renderWindow("/knowledge?tab=merge");
    const offer = within((await screen.findAllByRole("article", first))[0] as HTMLElement);
    expect(within(offer.getByRole("list")).getAllByRole("listitem")).toHaveLength(3);
    await person.click(offer.getAllByRole("checkbox")[2] as HTMLElement);
    const text = offer.getByLabelText("The one learning that takes their place");
    await person.clear(text);
    expect(offer.getByRole("button", { name: "Merge 2 learnings" })).toBeDisabled();
    await person.type(text, "Poll until it is final");
    await person.click(offer.getByRole("button", { name: "Merge 2 learnings" }));
    expect(world.transport.called("merge_learnings")).toEqual([
      { ids: ["L003", "L010"], text: "Poll until it is final", reason: null },
    ]);
    await person.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() => expect(world.transport.called("restore_learning")).toEqual([{ id: "L003" }, { id: "L010" }]));
    expect(world.transport.called("retire_learning")).toEqual([{ id: "ML003" }]);
  });

  it("loses nothing typed when the merge is refused", async () => {
    world = makeWorld("sample", {
      merge_learnings: () => {
        throw fault("invalid", "learning L003 is retired", "merge active learnings");
      },
    });
    const { person } = renderWindow("/knowledge?tab=merge");
    const offer = within((await screen.findAllByRole("article", first))[0] as HTMLElement);
    await person.type(offer.getByLabelText("Why it holds (optional)"), "seen twice");
    await person.click(offer.getByRole("button", { name: "Merge 3 learnings" }));
    expect(await offer.findByRole("alert")).toHaveTextContent("learning L003 is retired");
    expect(offer.getByLabelText("Why it holds (optional)")).toHaveValue("seen twice");
  });

  it("waits when it is put off, and can be called back", async () => {
    world = makeWorld();
    const { person } = renderWindow("/knowledge?tab=merge");
    expect(await screen.findAllByRole("article", first)).toHaveLength(2);
    await person.click(screen.getAllByRole("button", { name: "Not now" })[0] as HTMLElement);
    expect(screen.getAllByRole("article", first)).toHaveLength(1);
    await person.click(screen.getByRole("button", { name: "Show again" }));
    expect(screen.getAllByRole("article", first)).toHaveLength(2);
  });
});
