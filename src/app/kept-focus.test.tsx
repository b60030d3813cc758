import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { NeedsYou } from "@/ipc";
import { before } from "@/test/builders";
import { renderWindow } from "@/test/render";
import { makeWorld } from "@/test/world";

const blocked = (task: number): NeedsYou => ({
  kind: "blocked_task",
  task,
  title: `Task ${task}`,
  feature: "payments",
  reason: `reason ${task}`,
  since: before(task),
});

/** Three blocked tasks, of which nothing is left but these. */
async function blockedOnes(tasks: number[]) {
  const world = makeWorld();
  const wait = (left: number[]) => {
    world.overview = { ...world.overview, needs_you: left.map(blocked), needs_you_count: left.length, for_later: 0 };
  };
  wait(tasks);
  renderWindow("/needs-you");
  await screen.findAllByTestId("blocked");
  const left = async (those: number[]) => {
    wait(those);
    await act(() => world.transport.changed("tasks"));
    await waitFor(() => expect(screen.queryAllByTestId("blocked")).toHaveLength(those.length));
  };
  return { left };
}

const link = (task: number) => screen.getByRole("link", { name: new RegExp(`^#${task} `) });

describe("a row that goes with the focus", () => {
  it("leaves it to the next one, and the last to the one before", async () => {
    const { left } = await blockedOnes([1, 2, 3]);
    screen.getByRole("button", { name: "Put back #2" }).focus();
    await left([1, 3]);
    await waitFor(() => expect(link(3)).toHaveFocus());
    await left([1]);
    await waitFor(() => expect(link(1)).toHaveFocus());
  });

  it("leaves it to the page when it was the only one", async () => {
    const { left } = await blockedOnes([1]);
    link(1).focus();
    await left([]);
    await waitFor(() => expect(screen.getByRole("main")).toHaveFocus());
  });

  it("takes none from a person who is elsewhere by then", async () => {
    const { left } = await blockedOnes([1, 2]);
    link(1).focus();
    const elsewhere = screen.getByRole("link", { name: /^Insights/ });
    elsewhere.focus();
    await left([2]);
    expect(elsewhere).toHaveFocus();
    link(2).focus();
    link(2).blur();
    await left([]);
    expect(document.body).toHaveFocus();
  });
});

describe("the focus after an act", () => {
  it("is on the next row when the dialog that removed one closes", async () => {
    makeWorld();
    const { person } = renderWindow("/settings?tab=worktrees");
    const button = await screen.findByRole("button", { name: "Remove the worktree of #221" });
    button.focus();
    await person.keyboard("{Enter}");
    await person.click(await screen.findByRole("button", { name: "Remove" }));
    await waitFor(() => expect(button).not.toBeInTheDocument());
    const rows = screen.getByRole("list", { name: "Worktrees" });
    await waitFor(() => expect(within(rows).getByRole("link", { name: "#207" })).toHaveFocus());
  });

  it("is on the row whose own button went", async () => {
    makeWorld();
    const { person } = renderWindow('/features/payments?state=["active","retired"]');
    const rows = within(await screen.findByRole("list", { name: "Learnings" }));
    const [retire] = await rows.findAllByRole("button", { name: "Retire" });
    retire?.focus();
    await person.keyboard("{Enter}");
    await waitFor(() => expect(retire).not.toBeInTheDocument());
    await waitFor(() => expect(document.activeElement).toHaveAttribute("data-row"));
    expect(within(document.activeElement as HTMLElement).getByRole("button", { name: "Restore" })).toBeVisible();
  });
});
