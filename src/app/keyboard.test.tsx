import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderWindow } from "@/test/render";
import { makeWorld } from "@/test/world";

describe("the keys of a list", () => {
  it("leave the menu of one of its rows its arrow keys", async () => {
    makeWorld();
    const { person } = renderWindow("/features/payments");
    const rows = within(await screen.findByRole("list", { name: "Learnings" }));
    const third = (await rows.findAllByRole("button", { name: "More actions" }))[2] as HTMLElement;
    third.focus();
    await person.keyboard("{Enter}");
    await screen.findByRole("menu");
    await person.keyboard("{ArrowDown}");
    await waitFor(() => expect(screen.getByRole("menuitem", { name: /^Undo the last change/ })).toHaveFocus());
  });
});
