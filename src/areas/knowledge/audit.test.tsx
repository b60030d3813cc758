import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderWindow } from "@/test/render";
import { makeWorld } from "@/test/world";

describe("the audit", () => {
  it("puts a class away by one click, says what stays, and brings it back", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/knowledge?tab=audit");
    const audit = within(await screen.findByRole("region", { name: "Audit" }));
    expect(await audit.findByText("20 memories told, 3 of them junk (15 %)")).toBeVisible();
    expect(within(audit.getByRole("list", { name: "Duplicates" })).getAllByRole("listitem")).toHaveLength(2);
    await person.click(audit.getByRole("button", { name: /: duplicates$/ }));
    expect(world.transport.called("retire_class")).toEqual([{ of: "duplicate" }]);
    expect(await screen.findByText("1 memory put away; 1 protected stay")).toBeVisible();
    await person.click(screen.getByRole("button", { name: "Undo" }));
    expect(world.transport.called("undo_audit")).toEqual([{ act: "act-duplicate" }]);
  });

  it("says so when nothing is junk", async () => {
    makeWorld("empty");
    renderWindow("/knowledge?tab=audit");
    expect(await screen.findByText("Nothing to put away")).toBeVisible();
  });
});
