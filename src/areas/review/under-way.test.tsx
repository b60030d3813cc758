import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { MergeDone, NeedsYou, Review } from "@/ipc";
import { fault } from "@/ipc/fake-transport";
import { later } from "@/test/later";
import { renderWindow } from "@/test/render";
import { reviewHandlers } from "@/test/reviews";
import { makeWorld } from "@/test/world";

describe("work with which something is being done", () => {
  it("tells that in the list, instead of how it stands", async () => {
    const world = makeWorld();
    const at = (item: NeedsYou) =>
      item.kind === "in_review" && item.task === 221 ? { ...item, under_way: "iteration 9 works on it" } : item;
    world.overview = { ...world.overview, needs_you: world.overview.needs_you.map(at) };
    renderWindow("/review");
    const row = (await screen.findByText("iteration 9 works on it")).closest("[data-testid=review-row]");
    expect(row).toHaveTextContent("#221");
    expect(row).not.toHaveTextContent("conflicts with main");
  });

  it("says that it is being merged, also where that was left, and can be stopped", async () => {
    let refuse: (fault: unknown) => void = () => {};
    const merged = new Promise<MergeDone>((_, reject) => {
      refuse = reject;
    });
    const world = makeWorld("sample", { merge_work: () => merged });
    const { person } = renderWindow("/review/208");
    await screen.findByRole("button", { name: "Accept…" });
    await person.keyboard("a{Enter}");
    const dialog = await screen.findByRole("dialog");
    expect(await within(dialog).findByRole("status")).toHaveTextContent(/then lands: \d+ s/);
    expect(within(dialog).getByRole("button", { name: "Stop merging" })).not.toHaveAttribute("aria-disabled");
    await person.keyboard("{Escape}");
    expect(await screen.findByText("it is being merged")).toBeVisible();
    for (const name of ["Accept…", "Send back…", "Discard"])
      expect(screen.getByRole("button", { name })).toHaveAttribute("aria-disabled", "true");
    await person.keyboard("d");
    expect(world.transport.called("discard_work")).toEqual([]);
    await person.click(screen.getByRole("button", { name: "Stop merging" }));
    expect(world.transport.called("stop_merge")).toEqual([{ work: "208" }]);
    refuse(fault("busy", "Task #208 is not merged: it was stopped before its check was over", ""));
    expect(await screen.findByText(/it was stopped before its check was over/)).toBeVisible();
    await waitFor(() => expect(screen.getByRole("button", { name: "Accept…" })).not.toHaveAttribute("aria-disabled"));
  });

  it("says that an agent is at work on a conflict, and no longer what stood against the merge", async () => {
    const sample = reviewHandlers(makeWorld(), true, () => undefined).get_review?.("221") as Review;
    const refusal = { code: "conflict", message: "task #221 is not merged: both changed it", hint: "settle it" };
    makeWorld("sample", {
      get_review: () => ({ ...sample, refusal }),
      merge_work: () => new Promise<never>(() => {}),
    });
    const { person } = renderWindow("/review/221");
    expect(await screen.findByText("Task #221 is not merged: both changed it")).toBeVisible();
    await person.keyboard("a");
    const dialog = await screen.findByRole("dialog");
    await person.click(within(dialog).getByRole("button", { name: "Have an agent resolve it" }));
    expect(await within(dialog).findByRole("button", { name: "Resolving…" })).toHaveAttribute("aria-disabled", "true");
    expect(within(dialog).getByRole("status")).toHaveTextContent("An agent settles the conflict in the worktree");
    expect(screen.queryByText(/is not merged/)).toBeNull();
  });

  it("is tried again without what stood against it before", async () => {
    makeWorld("sample", {
      merge_work: () => {
        throw fault("check_failed", "The check failed.", "Send it back.");
      },
    });
    const { person } = renderWindow("/review/208");
    await screen.findByRole("button", { name: "Accept…" });
    await person.keyboard("a{Enter}");
    expect(await screen.findByText("The check failed.")).toBeVisible();
    await person.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await person.keyboard("a");
    const dialog = await screen.findByRole("dialog");
    expect(dialog).not.toHaveTextContent("The check failed.");
    expect(within(dialog).getByRole("button", { name: "Merge" })).toBeVisible();
  });

  it("is not told in another project, which has the same numbers", async () => {
    const merged = later<MergeDone>();
    const world = makeWorld("sample", { merge_work: () => merged.promise });
    const [, other] = await (world.transport.handlers.recent_projects?.() ?? []);
    if (!other) throw new Error("the sample knows another project");
    const { person, router } = renderWindow("/review/208");
    await screen.findByRole("button", { name: "Accept…" });
    await person.keyboard("a{Enter}");
    await person.keyboard("{Escape}");
    expect(await screen.findByText("it is being merged")).toBeVisible();
    world.transport.handlers.open_project = () => other;
    world.transport.handlers.current_project = () => other;
    await person.click(screen.getByRole("button", { name: /^Project/ }));
    await person.click(await screen.findByRole("menuitem", { name: other.name }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/features"));
    await router.navigate({ to: "/review/$task", params: { task: "208" } });
    expect(await screen.findByRole("button", { name: "Accept…" })).not.toHaveAttribute("aria-disabled");
    await act(async () => merged.resolve({ kept: null } as MergeDone));
    expect(screen.queryByText(/^#208 is in /)).toBeNull();
    expect(router.state.location.pathname, "nobody is led away there").toBe("/review/208");
  });
});
