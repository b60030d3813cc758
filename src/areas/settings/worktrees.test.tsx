import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderWindow } from "@/test/render";
import { worktree } from "@/test/worktrees";
import { makeWorld } from "@/test/world";

const rowOf = async (branch: string) =>
  (await screen.findByText(branch)).closest("[data-testid=worktree]") as HTMLElement;

describe("worktrees in the settings", () => {
  it("are listed with size, state and why they are kept", async () => {
    makeWorld();
    renderWindow("/settings?tab=worktrees");
    expect(await screen.findByText("5 worktrees · 2.4 GB")).toBeVisible();
    expect(await rowOf("ralph/208-retry-refunds")).toHaveTextContent("waits for review");
    const kept = await rowOf("ralph/241-skip-the-tour");
    expect(kept).toHaveTextContent("discarded");
    expect(kept).toHaveTextContent("1.2 GB");
    expect(kept).toHaveTextContent("not committed: src/tour/steps.ts, src/tour/notes.md");
    const missing = await rowOf("ralph/190-ledger-export");
    expect(missing).toHaveTextContent("folder is gone");
    expect(within(missing).getByRole("button", { name: "Open the folder of #190" })).toHaveAttribute(
      "aria-disabled",
      "true",
    );
  });

  it("name the errand whose proposal stands in one", async () => {
    const branch = "ralph/e3-documents";
    makeWorld("sample", { list_worktrees: () => [worktree(3, "documents", { task: null, errand: 3, branch })] });
    renderWindow("/settings?tab=worktrees");
    const row = within(await rowOf(branch));
    expect(row.getByRole("link", { name: "errand 3" })).toHaveAttribute("href", "/loop/errands/3");
    expect(row.getByRole("button", { name: "Remove the worktree of errand 3" })).toBeVisible();
  });

  it("can't be removed while an agent works in one", async () => {
    const busy = worktree(4, "refund", { under_way: "iteration 8 works on it" });
    makeWorld("sample", { list_worktrees: () => [busy] });
    renderWindow("/settings?tab=worktrees");
    const row = await rowOf(busy.branch);
    expect(row).toHaveTextContent("at work");
    expect(row).not.toHaveTextContent("unfinished");
    expect(within(row).getByRole("button", { name: "Remove the worktree of #4" })).toHaveAttribute(
      "aria-disabled",
      "true",
    );
  });

  it("say that an agent works in one once it begins", async () => {
    let rows = [worktree(4, "refund")];
    const world = makeWorld("sample", { list_worktrees: () => rows });
    renderWindow("/settings?tab=worktrees");
    expect(await rowOf("ralph/4-refund")).toHaveTextContent("unfinished");
    rows = [worktree(4, "refund", { under_way: "iteration 900 works on it" })];
    const [lane] = world.overview.lanes;
    if (!lane) throw new Error("the sample is at work");
    world.overview = { ...world.overview, lanes: [{ ...lane, iteration: 900, task: 4 }] };
    await act(() => world.transport.changed("iterations"));
    await waitFor(() => expect(screen.getByText("Now: iteration 900 works on it")).toBeVisible());
  });

  it("are shown in the desktop's own folders", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/settings?tab=worktrees");
    await person.click(await screen.findByRole("button", { name: "Open the folder of #208" }));
    expect(world.transport.called("show_worktree")).toEqual([{ branch: "ralph/208-retry-refunds" }]);
  });

  it("are removed only after it was said what goes, and with a snapshot of what is not committed", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/settings?tab=worktrees");
    await person.click(await screen.findByRole("button", { name: "Remove the worktree of #241" }));
    const dialog = await screen.findByRole("dialog", { name: "Remove the worktree of #241?" });
    expect(dialog).toHaveTextContent("every commit on it stay");
    expect(dialog).toHaveTextContent("A snapshot of that is kept first");
    expect(world.transport.called("remove_worktree")).toEqual([]);
    await person.click(within(dialog).getByRole("button", { name: "Keep a snapshot and remove" }));
    expect(world.transport.called("remove_worktree")).toEqual([
      { branch: "ralph/241-skip-the-tour", withSnapshot: true },
    ]);
    await waitFor(() => expect(screen.queryByText("ralph/241-skip-the-tour")).toBeNull());
  });

  it("say why one can't be removed now", async () => {
    makeWorld("sample", {
      remove_worktree: () => {
        throw { code: "invalid", message: "it stays: iteration 7 works on its task", hint: "wait for it, or stop it" };
      },
    });
    const { person } = renderWindow("/settings?tab=worktrees");
    await person.click(await screen.findByRole("button", { name: "Remove the worktree of #208" }));
    await person.click(await screen.findByRole("button", { name: "Remove" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("iteration 7 works on its task");
  });

  it("say why one was not removed to whoever closed the question meanwhile", async () => {
    let fail = (_: unknown) => {};
    const removed = new Promise<never>((_, no) => {
      fail = no;
    });
    makeWorld("sample", { remove_worktree: () => removed });
    const { person } = renderWindow("/settings?tab=worktrees");
    await person.click(await screen.findByRole("button", { name: "Remove the worktree of #208" }));
    await person.click(await screen.findByRole("button", { name: "Remove" }));
    await person.click(screen.getByRole("button", { name: "Keep it" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    fail({ code: "io", message: "A file in it is in use", hint: "close what uses it" });
    expect(await screen.findByText("A file in it is in use")).toBeVisible();
  });

  it("are cleaned up by a plan that says what goes and what stays", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/settings?tab=worktrees");
    await person.click(await screen.findByRole("button", { name: "Clean up…" }));
    const goes = within(await screen.findByRole("region", { name: "Goes" }));
    expect(goes.getAllByRole("listitem")).toHaveLength(2);
    expect(within(screen.getByRole("region", { name: "Stays" })).getByText(/steps.ts/)).toBeVisible();
    await person.click(screen.getByRole("checkbox", { name: "Also those with changes that are not committed" }));
    await person.click(await screen.findByRole("button", { name: "Remove 3 (1.6 GB)" }));
    expect(world.transport.called("prune_worktrees")).toEqual([{ withSnapshot: true }]);
    expect(await screen.findByText("2 worktrees · 830 MB")).toBeVisible();
  });

  it("are not removed by a plan that nobody has seen yet", async () => {
    const world = makeWorld();
    const sift = world.transport.handlers.prunable_worktrees;
    let seen = () => {};
    const looked = new Promise<void>((done) => {
      seen = done;
    });
    world.transport.handlers.prunable_worktrees = async (withSnapshot) => {
      if (withSnapshot) await looked;
      return sift?.(withSnapshot) ?? { removed: [], kept: [] };
    };
    const { person } = renderWindow("/settings?tab=worktrees");
    await person.click(await screen.findByRole("button", { name: "Clean up…" }));
    await screen.findByRole("button", { name: /^Remove 2/ });
    await person.click(screen.getByRole("checkbox", { name: "Also those with changes that are not committed" }));
    expect(await screen.findByRole("button", { name: "Looking…" })).toHaveAttribute("aria-disabled", "true");
    expect(screen.queryByRole("button", { name: /^Remove 2/ })).toBeNull();
    seen();
    expect(await screen.findByRole("button", { name: "Remove 3 (1.6 GB)" })).not.toHaveAttribute("aria-disabled");
  });

  it("have settings that are saved with the others", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/settings");
    const days = await screen.findByLabelText("Days to keep");
    await person.clear(days);
    expect(screen.getByText("a whole number is needed")).toBeVisible();
    expect(screen.getByRole("button", { name: "Save" })).toHaveAttribute("aria-disabled", "true");
    await person.type(days, "7");
    await person.type(screen.getByLabelText("Ignored files to bring along"), "\n.env.local");
    await person.click(screen.getByRole("combobox", { name: "Who accepts what is done" }));
    await person.click(await screen.findByRole("option", { name: /^Ralph, when/ }));
    await person.click(screen.getByRole("button", { name: "Save" }));
    expect(world.transport.called("update_settings")).toMatchObject([
      { settings: { worktrees: { keep_days: 7, bring_along: [".env", ".env.local"], review: "auto", ports: 10 } } },
    ]);
  });
});

describe("what is known on a branch only", () => {
  it("that attempts on one branch said again is one row, which says so", async () => {
    const { transport } = makeWorld();
    const { list_staged } = transport.handlers;
    transport.handlers.list_staged = async (feature) => {
      const [one] = (await list_staged?.(feature)) ?? [];
      return one ? [one, { ...one, id: "01KSTAGED0000000000000000C" }] : [];
    };
    renderWindow("/features/payments");
    expect(await screen.findByTestId("staged")).toHaveTextContent("said 2×");
  });

  it("stands with its feature as staged, outside of what counts", async () => {
    makeWorld();
    const { person } = renderWindow("/features/payments");
    const staged = await screen.findByTestId("staged");
    expect(staged).toHaveTextContent("staged");
    expect(staged).toHaveTextContent("ralph/208-retry-refunds");
    expect(within(staged).queryByRole("checkbox")).toBeNull();
    expect(screen.queryByText(/What landed is an ordinary learning/)).toBeNull();
    await person.type(screen.getByLabelText("Filter learnings"), "nothing like it");
    await waitFor(() => expect(screen.queryByTestId("staged")).toBeNull());
  });
});
