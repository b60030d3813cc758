import { act, screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { fault } from "@/ipc/fake-transport";
import { renderWindow } from "@/test/render";
import { makeWorld } from "@/test/world";

it("says on every page that a newer Ralph has taken over, and still shows what it reads", async () => {
  const { transport } = makeWorld();
  renderWindow("/tasks");
  await screen.findByRole("region", { name: "Ready" });
  expect(screen.queryByRole("region", { name: "Nothing can be changed" })).toBeNull();
  transport.handlers.write_refusal = () => fault("newer_database", "the project's database has schema 47", "update");
  // As the shell reports it.
  await act(() => transport.changed("settings", "tasks"));
  expect(await screen.findByRole("region", { name: "Nothing can be changed" })).toHaveTextContent(/newer Ralph/);
  expect(screen.getByRole("region", { name: "Ready" })).toBeVisible();
});

it("says why a folder can't be written to, and looks again when asked", async () => {
  const { transport } = makeWorld("sample", {
    write_refusal: () => fault("read_only", "the project is read-only", "make .ralph/db writable and try again"),
  });
  const { person } = renderWindow("/features");
  const told = await screen.findByRole("region", { name: "Nothing can be changed" });
  expect(told).toHaveTextContent("The project is read-only. Make .ralph/db writable and try again");
  transport.handlers.write_refusal = () => null;
  await person.click(screen.getByRole("button", { name: "Look again" }));
  await waitFor(() => expect(screen.queryByRole("region", { name: "Nothing can be changed" })).toBeNull());
});
