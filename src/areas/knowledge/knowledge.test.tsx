import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
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
