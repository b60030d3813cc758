import { screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderWindow } from "@/test/render";
import { makeWorld } from "@/test/world";

const remark = () => screen.queryByRole("article", { name: "Comment on line 15" });

it("a comment that was removed, or not kept, comes back", async () => {
  makeWorld();
  const { person } = renderWindow("/review/208");
  await person.click(await screen.findByRole("button", { name: "Comment on line 15" }));
  await person.type(await screen.findByRole("textbox", { name: /Comment on line 15/ }), "Name the clock.");
  await person.click(screen.getByRole("button", { name: "Cancel" }));
  await waitFor(() => expect(screen.queryByRole("textbox", { name: /Comment on line 15/ })).toBeNull());
  await person.click(await screen.findByRole("button", { name: "Undo" }));
  await waitFor(() => expect(remark()).toHaveTextContent("Name the clock."));
  await person.click(screen.getByRole("button", { name: "Remove the comment" }));
  await waitFor(() => expect(remark()).toBeNull());
  await person.keyboard("{Control>}z{/Control}");
  await waitFor(() => expect(remark()).toHaveTextContent("Name the clock."));
});

it("a comment comes back also where the review was left meanwhile", async () => {
  makeWorld();
  const { person, router } = renderWindow("/review/208");
  await person.click(await screen.findByRole("button", { name: "Comment on line 15" }));
  await person.type(await screen.findByRole("textbox", { name: /Comment on line 15/ }), "Name the clock.");
  await person.click(screen.getByRole("button", { name: "Cancel" }));
  await router.navigate({ to: "/features" });
  await person.click(await screen.findByRole("button", { name: "Undo" }));
  await router.navigate({ to: "/review/$task", params: { task: "208" } });
  await waitFor(() => expect(remark()).toHaveTextContent("Name the clock."));
});
