import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { notice } from "@/test/notices";
import { renderWindow } from "@/test/render";
import { makeWorld } from "@/test/world";

it("says how many proposals wait behind those that are listed", async () => {
  const world = makeWorld();
  const proposal = { kind: "notice" as const, notice: notice(9, { title: "Close task #220 as done" }) };
  world.overview = { ...world.overview, needs_you: [proposal], needs_you_count: 24 };
  renderWindow("/needs-you");
  expect(await screen.findByText("24 things; 23 proposals are listed once others are decided")).toBeVisible();
});
