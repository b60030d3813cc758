import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { notice } from "@/test/notices";
import { renderWindow } from "@/test/render";
import { makeWorld } from "@/test/world";

describe("the list of reviews", () => {
  it("tells how each work stands, and opens one by keyboard", async () => {
    makeWorld();
    const { person, router } = renderWindow("/features");
    await screen.findByTestId("shell");
    await person.keyboard("gr");
    const rows = await screen.findAllByTestId("review-row");
    expect(rows.map((row) => row.textContent)).toEqual([
      expect.stringMatching(/#208.*ralph\/208-retry-refunds.*check passed.*merges cleanly.*8 files/),
      expect.stringMatching(/#221.*check failed.*conflicts with main/),
      expect.stringMatching(/#230.*main moved on.*20 files\+10,000 −10,000/),
      expect.stringMatching(/#241.*discarded/),
    ]);
    within(rows[0] as HTMLElement)
      .getByRole("link")
      .focus();
    await person.keyboard("j{Enter}");
    await waitFor(() => expect(router.state.location.pathname).toBe("/review/221"));
  });

  it("looks again how each work stands when somebody comes back, who may have committed to its base", async () => {
    const { transport } = makeWorld();
    renderWindow("/review");
    await screen.findAllByTestId("review-row");
    const asked = transport.called("list_reviews").length;
    window.dispatchEvent(new Event("focus"));
    await waitFor(() => expect(transport.called("list_reviews").length).toBeGreaterThan(asked));
  });

  it("leads there from the task and from Ctrl+K", async () => {
    makeWorld();
    const { person, router } = renderWindow("/tasks/208");
    await person.click(await screen.findByRole("link", { name: "Review its work" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/review/208"));
    await person.keyboard("{Control>}k{/Control}");
    await person.type(await screen.findByPlaceholderText(/Search features/), "ralph/230");
    await person.click(await screen.findByText("ralph/230-order"));
    await waitFor(() => expect(router.state.location.pathname).toBe("/review/230"));
  });

  it("says what comes here while there is nothing", async () => {
    makeWorld("empty");
    renderWindow("/review");
    expect(await screen.findByText("Nothing waits for review")).toBeVisible();
  });
});

describe("a merge that is held up", () => {
  it("says before the click that nothing is merged, and leads to why", async () => {
    const world = makeWorld();
    const what = notice(3, { kind: "git_harm", title: "Iteration 3: the setting core.hooksPath was changed" });
    world.overview.needs_you = [{ kind: "holds_merges", notice: what }];
    const { person } = renderWindow("/review/208");
    await screen.findByRole("region", { name: "Diff" });
    expect(await screen.findByText("can't be merged yet")).toBeVisible();
    expect(screen.queryByText("merges cleanly")).toBeNull();
    await person.keyboard("a");
    const dialog = await screen.findByRole("dialog");
    expect(dialog).toHaveTextContent("core.hooksPath was changed. A merge would run it as you");
    expect(within(dialog).getByRole("button", { name: "Merge" })).toHaveAttribute("aria-disabled", "true");
    expect(within(dialog).getByRole("link", { name: "see what it is" })).toHaveAttribute("href", "/needs-you");
  });
});
