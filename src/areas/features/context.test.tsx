import { screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { fault } from "@/ipc/fake-transport";
import { renderWindow } from "@/test/render";
import { makeWorld } from "@/test/world";

it("discards what was typed about a feature together with why it could not be saved", async () => {
  makeWorld("sample", {
    update_feature: () => {
      throw fault("busy", "Another process writes.", "Try again.");
    },
  });
  const { person } = renderWindow("/features/payments?tab=context");
  const name = await screen.findByLabelText("Name");
  await person.type(name, "!");
  await person.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByText("Another process writes.")).toBeVisible();
  await person.click(screen.getByRole("button", { name: "Discard" }));
  await waitFor(() => expect(name).toHaveValue("Payments"));
  expect(screen.queryByText("Another process writes.")).toBeNull();
});
