import { screen, waitFor, within } from "@testing-library/react";
import { beforeAll, describe, expect, it } from "vitest";
import type { MergeDone, Review } from "@/ipc";
import { fault, type Handlers } from "@/ipc/fake-transport";
import { later } from "@/test/later";
import { renderWindow } from "@/test/render";
import { reviewHandlers } from "@/test/reviews";
import { letScroll } from "@/test/scrolling";
import { makeWorld, type World } from "@/test/world";

let world: World;

beforeAll(letScroll);

/** The review of #208, once its difference is drawn. */
async function openReview(overrides: Handlers = {}, address = "/review/208") {
  world = makeWorld("sample", overrides);
  const view = renderWindow(address);
  const diff = await screen.findByRole("region", { name: "Diff" });
  return { ...view, diff };
}

/** Lets every review have more to it. */
function addToReviews(part: Partial<Review>) {
  const get = world.transport.handlers.get_review;
  world.transport.handlers.get_review = async (task) => {
    const review = await get?.(task);
    if (!review) throw fault("not_found", "gone");
    return { ...review, ...part };
  };
}

const files = () => within(screen.getByRole("navigation", { name: "Changed files" }));
const current = () => files().getByRole("button", { current: true }).title;
const cursor = () => document.querySelector('[data-testid="diff-line"][aria-current]');

describe("a review", () => {
  it("draws a bounded part of 20,000 changed lines", async () => {
    const { diff } = await openReview({}, "/review/230");
    expect(within(diff).getAllByTestId("diff-line").length).toBeGreaterThan(10);
    expect(diff.querySelectorAll("li").length).toBeLessThan(120);
  });

  it("shows odd content harmlessly", async () => {
    const { person } = await openReview();
    await person.click(files().getByRole("button", { name: /odd.txt/ }));
    const [picture] = await screen.findAllByText("ESC");
    const row = picture?.closest('[data-testid="diff-line"]');
    expect(row).toHaveTextContent("ESC[31mredESC[0m, turned U+202EroundU+202C, andU+200B nothing");
    for (const unseen of ["\u001b", "\u202e", "\u202c", "\u200b"]) expect(row?.textContent).not.toContain(unseen);
    const long = await screen.findByRole("button", { name: "1,560 more characters" });
    await person.click(long);
    expect(screen.queryByRole("button", { name: /more characters/ })).toBeNull();
    await person.click(files().getByRole("button", { name: /refund.png/ }));
    expect(await screen.findByText("Binary file: its content is not shown")).toBeVisible();
    await person.click(files().getByRole("button", { name: /replay.sh/ }));
    expect(await screen.findByText("Mode changed from 100644 to 100755")).toBeVisible();
  });

  it("is walked through by keys: files, changes, lines, commits", async () => {
    const { person, router } = await openReview();
    expect(current()).toBe("src/refund/retry.rs");
    await person.keyboard("j");
    await waitFor(() => expect(current()).toBe("src/refund/clock.rs"));
    await person.keyboard("k");
    await waitFor(() => expect(current()).toBe("src/refund/retry.rs"));
    await person.keyboard("n");
    expect(cursor()).toHaveTextContent("pub fn due(&self) -> bool {");
    await person.keyboard("n");
    expect(cursor()).toHaveTextContent("The provider compares it byte by byte.");
    await person.keyboard("p");
    await person.keyboard("{ArrowUp}");
    expect(cursor()).toHaveTextContent("/// Whether it is time.");
    await person.keyboard("]");
    await waitFor(() => expect(router.state.location.search).toMatchObject({ commit: "4f1c2d9a8b7e6f5d" }));
    await waitFor(() => expect(files().getAllByRole("button")).toHaveLength(1));
    await person.keyboard("[[");
    await waitFor(() => expect(router.state.location.search).not.toHaveProperty("commit", expect.anything()));
  });

  it("keeps no key of a chord for itself", async () => {
    const { person, router } = await openReview();
    await person.keyboard("gs");
    await waitFor(() => expect(router.state.location.pathname).toBe("/settings"));
    expect(localStorage.getItem("ralph.diff-layout")).toBeNull();
  });

  it("shows the two sides beside each other", async () => {
    const { person } = await openReview();
    await person.keyboard("s");
    const line = (await screen.findByText(/SystemTime/)).closest('[data-testid="diff-line"]');
    expect(line).toHaveTextContent(/^14−removed: SystemTime::now.*14\+added: \/\/\/ The clock/);
  });

  it("marks a file as viewed, closes it and goes on; the mark outlives a reload and not a change", async () => {
    const { person, unmount } = await openReview();
    await person.keyboard("v");
    expect(await files().findByText("1 of 8 viewed")).toBeVisible();
    await waitFor(() => expect(current()).toBe("src/refund/clock.rs"));
    expect(screen.getByRole("button", { name: "Lines of src/refund/retry.rs" })).toHaveAttribute(
      "aria-expanded",
      "false",
    );
    unmount();
    const again = await openReview();
    expect(await files().findByText("1 of 8 viewed")).toBeVisible();
    again.unmount();
    const text = (await import("@/test/sample-diffs")).REFUND_DIFF.replace("MAX_ATTEMPTS", "MAX_TRIES");
    await openReview({ review_diff: () => ({ text, cut: false }) });
    expect(await files().findByText("0 of 8 viewed")).toBeVisible();
  });

  it("reads the whole of a file when asked, and goes back", async () => {
    const { person, diff } = await openReview();
    await person.keyboard("w");
    expect(await within(diff).findByText("//! Refunds that are tried again.")).toBeVisible();
    expect(world.transport.called("review_diff").at(-1)).toEqual({
      work: "208",
      commit: null,
      path: "src/refund/retry.rs",
    });
    await person.keyboard("w");
    await waitFor(() => expect(within(diff).queryByText("//! Refunds that are tried again.")).toBeNull());
  });

  it("offers files that the difference was too long for", async () => {
    const { REFUND_DIFF } = await import("@/test/sample-diffs");
    const cut = REFUND_DIFF.slice(0, REFUND_DIFF.indexOf("diff --git a/web"));
    const { person, diff } = await openReview({
      review_diff: (_task, _commit, path) =>
        path === null
          ? { text: `${cut}[diff cut at 3000 bytes]\n`, cut: true }
          : { text: REFUND_DIFF.slice(cut.length), cut: false },
    });
    expect(files().getAllByRole("button")).toHaveLength(8);
    expect(screen.getByText(/diff cut at 3000 bytes/)).toBeVisible();
    await person.click(files().getByRole("button", { name: /refund-state.tsx/ }));
    await person.click((await within(diff).findAllByRole("button", { name: "Read it" }))[0] as HTMLElement);
    expect(await within(diff).findByText(/Under way/)).toBeVisible();
  });
});

describe("what a person says about a review", () => {
  it("is kept over a reload and sent back with file and line", async () => {
    const first = await openReview();
    await first.person.keyboard("nc");
    const field = await screen.findByRole("textbox", { name: "Comment on line 13 of src/refund/retry.rs" });
    await waitFor(() => expect(field).toHaveFocus());
    await first.person.type(field, "Keep the old name{Control>}{Enter}{/Control}");
    expect(
      await screen.findByText("On the removed line `pub fn due(&self) -> bool {`: Keep the old name"),
    ).toBeVisible();
    await first.person.click(screen.getByRole("button", { name: "Comment on line 15" }));
    await first.person.type(await screen.findByRole("textbox", { name: /Comment on line 15/ }), "Half a sent");
    first.unmount();

    const { person, router } = await openReview();
    const half = await screen.findByRole("textbox", { name: /Comment on line 15/ });
    expect(half).toHaveValue("Half a sent");
    await person.type(half, "ence");
    await person.click(screen.getByRole("button", { name: "Keep comment" }));
    (document.activeElement as HTMLElement).blur();
    await person.keyboard("b");
    const dialog = await screen.findByRole("dialog", { name: "Send #208 back" });
    await person.type(within(dialog).getByLabelText("On the whole"), "Almost");
    await person.click(within(dialog).getByRole("button", { name: "Send back" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/review"));
    const lines = [
      {
        file: "src/refund/retry.rs",
        line: 13,
        text: "On the removed line `pub fn due(&self) -> bool {`: Keep the old name",
      },
      { file: "src/refund/retry.rs", line: 15, text: "Half a sentence" },
    ];
    expect(world.transport.called("send_back_task")).toEqual([{ sent: { task: 208, comment: "Almost", lines } }]);
    expect(Object.keys(localStorage).filter((key) => key.endsWith(".208"))).toEqual([]);
  });

  it("can be changed and taken back, and other's words can't", async () => {
    const { person } = await openReview();
    const sent = await screen.findByRole("article", { name: "Comment on line 14" });
    expect(sent).toHaveTextContent("Agent");
    expect(within(sent).queryByRole("button")).toBeNull();
    await person.click(screen.getByRole("button", { name: "Comment on line 15" }));
    await person.type(await screen.findByRole("textbox"), "One");
    await person.click(screen.getByRole("button", { name: "Keep comment" }));
    await person.click(await screen.findByRole("button", { name: "Change the comment" }));
    await person.type(await screen.findByRole("textbox"), " and two");
    await person.click(screen.getByRole("button", { name: "Keep comment" }));
    expect(await screen.findByText("One and two")).toBeVisible();
    await person.click(screen.getByRole("button", { name: "Remove the comment" }));
    await waitFor(() => expect(screen.queryByText("One and two")).toBeNull());
  });

  it("is kept when another one is begun, and dropped by Cancel only", async () => {
    const { person } = await openReview();
    await person.click(screen.getByRole("button", { name: "Comment on line 15" }));
    await person.type(await screen.findByRole("textbox"), "First{Escape}");
    expect(screen.getByRole("textbox")).toHaveValue("First");
    await person.click(screen.getByRole("button", { name: "Comment on line 16" }));
    expect(await screen.findByRole("article", { name: "Comment on line 15" })).toHaveTextContent("First");
    await person.type(await screen.findByRole("textbox", { name: /line 16/ }), "Second");
    await person.click(screen.getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(screen.queryByRole("textbox")).toBeNull());
    expect(screen.queryByText("Second")).toBeNull();
  });

  it("says which line of which commit it means", async () => {
    const { person } = await openReview({}, "/review/208?commit=4f1c2d9a8b7e6f5d");
    expect(screen.queryByRole("article")).toBeNull();
    await person.click(screen.getByRole("button", { name: "Comment on line 15" }));
    await person.type(await screen.findByRole("textbox"), "Later{Control>}{Enter}{/Control}");
    const words = "In commit 4f1c2d9, on the line `pub fn due(&self, now: Timestamp) -> bool {`: Later";
    expect(await screen.findByText(words)).toBeVisible();
    await person.keyboard("[[");
    await waitFor(() => expect(files().getAllByRole("button")).toHaveLength(8));
    expect(screen.queryByText(words)).toBeNull();
    await person.keyboard("b");
    expect(within(await screen.findByRole("dialog")).getByText(words)).toBeVisible();
  });

  it("stands beside what others said of a whole file", async () => {
    world = makeWorld();
    const file = "src/refund/retry.rs";
    addToReviews({ comments: [{ id: 8, author: "agent", sent: true, line: 0, file, text: "Split this file" }] });
    renderWindow("/review/208");
    expect(await screen.findByRole("article", { name: "Comment on the file" })).toHaveTextContent("Split this file");
  });

  it("of a reviewer on a file that the work left alone stands above the files", async () => {
    world = makeWorld();
    const finding = { file: "src/caller.rs", line: 3, weight: "must" as const, text: "Its caller breaks" };
    addToReviews({ by_agent: { errand: 12, model: "opus", current: true, sent_back: false, findings: [finding] } });
    renderWindow("/review/208");
    const others = await screen.findByRole("list", { name: "Findings on other files" });
    expect(others).toHaveTextContent("src/caller.rs:3: Its caller breaks");
  });

  it("is not lost when sending fails", async () => {
    const { person } = await openReview({
      send_back_task: () => {
        throw fault("locked", "Another process writes", "Try again.");
      },
    });
    await person.keyboard("b");
    const dialog = await screen.findByRole("dialog");
    expect(within(dialog).getByRole("button", { name: "Send back" })).toHaveAttribute("aria-disabled", "true");
    await person.type(within(dialog).getByLabelText("On the whole"), "No");
    await person.click(within(dialog).getByRole("button", { name: "Send back" }));
    expect(await within(dialog).findByText("Another process writes")).toBeVisible();
    expect(within(dialog).getByLabelText("On the whole")).toHaveValue("No");
  });
});

describe("what becomes of a review", () => {
  it("is merged after a last look", async () => {
    const { person, router } = await openReview();
    await person.keyboard("va");
    const dialog = await screen.findByRole("dialog", { name: "Merge #208 into main" });
    expect(dialog).toHaveTextContent("3 commits of ralph/208-retry-refunds: 8 changed files.");
    await person.keyboard("{Enter}");
    await waitFor(() => expect(router.state.location.pathname).toBe("/review"));
    expect(world.transport.called("merge_work")).toEqual([{ work: "208", resolve: false }]);
    expect(await screen.findByText("#208 is in main")).toBeVisible();
    expect(Object.keys(localStorage).filter((key) => key.endsWith(".208"))).toEqual([]);
    const waiting = await screen.findByRole("list", { name: "To review" });
    await waitFor(() => expect(within(waiting).getAllByTestId("review-row")).toHaveLength(2));
  });

  it("leads nobody away who went elsewhere while it was merged", async () => {
    const merged = later<MergeDone>();
    const { person, router } = await openReview({ merge_work: () => merged.promise });
    await person.keyboard("a{Enter}");
    await router.navigate({ to: "/features", search: { new: true } });
    await screen.findByRole("dialog", { name: "New feature" });
    merged.resolve({ kept: null } as MergeDone);
    expect(await screen.findByText("#208 is in main")).toBeVisible();
    expect(router.state.location.pathname).toBe("/features");
  });

  it("says why it can't be merged, before and after it was tried", async () => {
    const { person } = await openReview({}, "/review/221");
    expect(screen.getByRole("alert")).toHaveTextContent(
      "changed the same lines of src/auth/limits.rs, src/auth/session.rsAccept… can have an agent resolve it, and Send back…",
    );
    await person.keyboard("a");
    const dialog = await screen.findByRole("dialog");
    await person.click(within(dialog).getByRole("button", { name: "Try to merge" }));
    expect(await within(dialog).findByText(/^Task #221 is not merged: 'main' and/)).toBeVisible();
    // The ways out are shown above it, and name no button that this dialog lacks.
    expect(dialog).not.toHaveTextContent("Accept…");
    expect(world.transport.called("merge_work")).toEqual([{ work: "221", resolve: false }]);
  });

  it("sends an agent to a conflict only on a click of its own", async () => {
    const { person } = await openReview({}, "/review/221");
    await person.keyboard("a");
    const dialog = await screen.findByRole("dialog");
    expect(dialog).toHaveTextContent("An agent can settle it in the worktree");
    await person.click(within(dialog).getByRole("button", { name: "Have an agent resolve it" }));
    await waitFor(() => expect(world.transport.called("merge_work")).toEqual([{ work: "221", resolve: true }]));
  });

  it("says of each file what the two sides did to it", async () => {
    const sample = reviewHandlers(makeWorld(), true, () => undefined).get_review?.("208") as Review;
    const conflicts = [
      { path: "a.rs", how: "deleted_in_base" as const },
      { path: "b.png", how: "binary" as const },
    ];
    await openReview({ get_review: () => ({ ...sample, conflicts }) });
    const told = within(screen.getByRole("list", { name: "Conflicts" })).getAllByRole("listitem");
    expect(told.map((item) => item.textContent)).toEqual([
      "a.rs: deleted in main, changed here",
      "b.png: binary, changed on both sides",
    ]);
  });

  it("is discarded, and brought back by Undo", async () => {
    const { person, router } = await openReview();
    await person.keyboard("d");
    await waitFor(() => expect(router.state.location.pathname).toBe("/review"));
    const discarded = await screen.findByRole("list", { name: "Discarded" });
    await waitFor(() => expect(within(discarded).getAllByTestId("review-row")).toHaveLength(2));
    await person.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() => expect(within(discarded).getAllByTestId("review-row")).toHaveLength(1));
    expect(world.transport.called("undo_discard")).toEqual([{ work: "208" }]);
  });

  it("can be brought back later from what was discarded", async () => {
    const { person } = await openReview({}, "/review/241");
    expect(screen.queryByRole("button", { name: /Accept/ })).toBeNull();
    await person.keyboard("a");
    expect(screen.queryByRole("dialog")).toBeNull();
    await person.click(screen.getByRole("button", { name: "Bring back" }));
    expect(await screen.findByRole("button", { name: /Accept/ })).toBeVisible();
  });

  it("that is discarded is no longer told what stood against its merge", async () => {
    await openReview({}, "/review/221");
    expect(screen.getByText(/^Accept… can have an agent resolve it/)).toBeVisible();
    await world.transport.handlers.discard_work?.("221");
    expect(await screen.findByText("discarded")).toBeVisible();
    expect(screen.queryByText(/Accept…/)).toBeNull();
  });

  it("can be told in the text of a pull request", async () => {
    const { person } = await openReview();
    await person.keyboard("y");
    const dialog = await screen.findByRole("dialog", { name: "Text of a pull request" });
    expect(await within(dialog).findByText(/# Retry refunds that time out/)).toBeVisible();
    await person.click(within(dialog).getByRole("button", { name: "Copy" }));
    expect(await navigator.clipboard.readText()).toContain("It is tried again with backoff");
  });

  it("is opened as a pull request where gh is there", async () => {
    const { person } = await openReview();
    await person.keyboard("y");
    const dialog = await screen.findByRole("dialog", { name: "Text of a pull request" });
    await person.click(await within(dialog).findByRole("button", { name: "Open with gh" }));
    expect(world.transport.called("open_pull_request")).toEqual([{ work: "208" }]);
    expect(await screen.findByText("Opened https://example.org/pull/208")).toBeVisible();
  });

  it("shows what was learnt beside words that may say something else", async () => {
    world = makeWorld();
    const text = 'entry L1 says "less than 4", and not "at least 4"';
    const entry = "Tests time out with less than 4 GB";
    addToReviews({ divergences: [{ file: "src/refund/retry.rs", line: 15, text, entry }] });
    const { person } = renderWindow("/review/208");
    const diff = await screen.findByRole("region", { name: "Diff" });
    expect(screen.getByText(/^1 entry may say something else than what was learnt/)).toBeVisible();
    await person.keyboard("a");
    expect(await screen.findByRole("dialog")).toHaveTextContent("1 entry may say something else");
    await person.keyboard("{Escape}");
    const remark = await within(diff).findByRole("article", { name: "Comment on line 15" });
    expect(remark).toHaveTextContent(
      /^Ralph.*Perhaps not what was learnt: entry L1 says.*Learnt was: Tests time out with less than 4 GB$/,
    );
  });

  it("names no entry beside words that belong to none", async () => {
    world = makeWorld();
    const text = 'an older line stands below "Production" and not below "Staging"';
    addToReviews({ divergences: [{ file: "src/refund/retry.rs", line: 15, text, entry: "" }] });
    renderWindow("/review/208");
    const diff = await screen.findByRole("region", { name: "Diff" });
    const remark = await within(diff).findByRole("article", { name: "Comment on line 15" });
    expect(remark).toHaveTextContent(/not below "Staging"\.$/);
  });

  it("tells what an agent found that looked before", async () => {
    await openReview();
    expect(screen.getByText("1 finding, 1 must be changed")).toBeVisible();
    expect(await screen.findByText("A refund that was booked meanwhile is tried again.")).toBeInTheDocument();
  });
});
