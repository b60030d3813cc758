import { screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { learning } from "@/test/builders";
import { renderWindow } from "@/test/render";
import { makeWorld } from "@/test/world";

it("a consolidated learning tells its document and heading, and opens it at its words", async () => {
  const world = makeWorld("sample", {
    read_document: () => "# Refunds\n\n- One <!-- ralph:K2 -->\n- Twice, so count once <!-- ralph:K1 -->\n",
  });
  const consolidated_into = { file: "docs/refunds.md", heading: "Refunds" };
  const gone = learning("K1", "sync", "Events come twice.", { state: "consolidated", consolidated_into });
  world.learnings.splice(0, world.learnings.length, gone);
  const { person } = renderWindow("/knowledge?state=%5B%22consolidated%22%5D");
  await person.click(await screen.findByRole("button", { name: "docs/refunds.md · Refunds" }));
  const dialog = within(await screen.findByRole("dialog", { name: "docs/refunds.md" }));
  const lines = await dialog.findAllByRole("listitem");
  const wanted = lines.find((line) => line.getAttribute("aria-current") === "location");
  expect(wanted).toHaveTextContent("Twice, so count once");
});
