import { screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderWindow } from "@/test/render";
import { makeWorld } from "@/test/world";

it("an offer to merge gives back the text that another one took the place of", async () => {
  makeWorld();
  const { person } = renderWindow("/knowledge?tab=merge");
  const offer = within((await screen.findAllByRole("article", { name: /alike in/ }))[0] as HTMLElement);
  const field = offer.getByRole("textbox", { name: /^The one learning/ });
  const [, other] = offer.getAllByRole("button", { name: "Use this text" });
  await person.click(other as HTMLElement);
  expect(screen.queryByText("Your text was replaced"), "nobody wrote the other one here").toBeNull();
  await person.clear(field);
  await person.type(field, "Words of my own.");
  await person.click(other as HTMLElement);
  expect(field).not.toHaveValue("Words of my own.");
  await person.click(await screen.findByRole("button", { name: "Undo" }));
  expect(field).toHaveValue("Words of my own.");
});

it("an offer takes no words while it is being merged: they would go with the form", async () => {
  makeWorld("sample", { merge_learnings: () => new Promise<never>(() => {}) });
  const { person } = renderWindow("/knowledge?tab=merge");
  const offer = within((await screen.findAllByRole("article", { name: /alike in/ }))[0] as HTMLElement);
  await person.click(offer.getByRole("button", { name: /^Merge / }));
  expect(offer.getByRole("textbox", { name: /^The one learning/ })).toHaveAttribute("readonly");
});

it("of many offers only some are drawn, each with all that it would merge", async () => {
  const world = makeWorld();
  const list = world.transport.handlers.list_merge_offers;
  world.transport.handlers.list_merge_offers = async () => {
    const [offer] = (await list?.()) ?? [];
    if (!offer) throw new Error("the sample offers something");
    const learningsOf = (at: number) => offer.learnings.map((one) => ({ ...one, id: `${one.id}-${at}` }));
    return Array.from({ length: 30 }, (_, at) => ({ ...offer, learnings: learningsOf(at) }));
  };
  const { person } = renderWindow("/knowledge?tab=merge");
  expect(await screen.findAllByRole("article", { name: /alike in/ })).toHaveLength(5);
  await person.click(screen.getByRole("button", { name: "Show 5 more of 30" }));
  expect(screen.getAllByRole("article", { name: /alike in/ })).toHaveLength(10);
});
