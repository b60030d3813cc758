import { screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderWindow } from "@/test/render";
import { makeWorld } from "@/test/world";

it("counts what was said of a learning as every other place does: one hand's word once", async () => {
  const said = { useful: true, at: "2026-11-01T10:00:00Z", by: "person", replica: "R", query: "Q" };
  makeWorld("sample", {
    learning_evidence: () => ({
      feedback: {
        terms: [],
        validations: [said, said, { ...said, useful: false }],
        importance: "normal",
        promoted: null,
      },
      useful: 1,
      not_useful: 1,
      factor: 0.9,
      effect: null,
    }),
  });
  const { person } = renderWindow("/knowledge?q=clock");
  const hits = within(await screen.findByRole("list", { name: "Hits" }));
  await person.click(hits.getAllByRole("button", { name: /^Why this/ })[0] as HTMLElement);
  expect(await hits.findByText("Helped 1×, did not 1× · score ×0.90")).toBeVisible();
});
