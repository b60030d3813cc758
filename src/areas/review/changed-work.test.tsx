import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeAll, describe, expect, it } from "vitest";
import { renderWindow } from "@/test/render";
import { REFUND_DIFF } from "@/test/sample-diffs";
import { letScroll } from "@/test/scrolling";
import { makeWorld, type World } from "@/test/world";

let world: World;

beforeAll(letScroll);

/** The review of #208, and how its work changes while it is read. */
async function openReview() {
  let text = REFUND_DIFF;
  world = makeWorld("sample", { review_diff: () => ({ text, cut: false }) });
  const view = renderWindow("/review/208");
  await screen.findByRole("region", { name: "Diff" });
  const change = (by: (text: string) => string) => {
    text = by(text);
    return act(() => world.transport.changed("worktrees"));
  };
  return { ...view, change };
}

describe("a remark on work that changes meanwhile", () => {
  it("goes with its line when the work changes, and names the line once that is gone", async () => {
    const { person, change } = await openReview();
    await person.click(screen.getByRole("button", { name: "Comment on line 16" }));
    await person.type(await screen.findByRole("textbox"), "Compare times{Control>}{Enter}{/Control}");
    await person.click(screen.getByRole("button", { name: "Comment on line 15" }));
    await person.type(await screen.findByRole("textbox"), "Half a");
    await change((text) =>
      text
        .replace("@@ -10,10 +10,13 @@", "@@ -10,10 +10,14 @@")
        .replace("+    ///\n", "+    ///\n+    /// More.\n")
        .replace("due(&self, now: Timestamp)", "due_at(&self, now: Timestamp)"),
    );
    expect(await screen.findByRole("article", { name: "Comment on line 17" })).toHaveTextContent("Compare times");
    expect(await screen.findByText(/On a line that was here before/)).toBeVisible();
    await person.type(screen.getByRole("textbox"), " sentence");
    (document.activeElement as HTMLElement).blur();
    await person.keyboard("b");
    const dialog = await screen.findByRole("dialog", { name: "Send #208 back" });
    await person.click(within(dialog).getByRole("button", { name: "Send back" }));
    await waitFor(() => expect(world.transport.called("send_back_task")).toHaveLength(1));
    const file = "src/refund/retry.rs";
    const gone = "On the line `pub fn due(&self, now: Timestamp) -> bool {`: Half a sentence";
    expect(world.transport.called("send_back_task")).toMatchObject([
      {
        sent: {
          lines: [
            { file, line: 17, text: "Compare times" },
            { file, line: null, text: gone },
          ],
        },
      },
    ]);
  });

  it("on a file that the work no longer changes can be taken out before it is sent", async () => {
    const { person, change } = await openReview();
    await person.click(screen.getByRole("button", { name: "Comment on line 15" }));
    await person.type(await screen.findByRole("textbox"), "Too short{Control>}{Enter}{/Control}");
    await change((text) => text.slice(text.indexOf("diff --git a/src/refund/clock.rs")));
    await waitFor(() => expect(screen.queryByText("Too short")).toBeNull());
    await person.keyboard("b");
    const dialog = await screen.findByRole("dialog", { name: "Send #208 back" });
    await person.click(within(dialog).getByRole("button", { name: /^Remove: .*Too short/ }));
    expect(within(dialog).queryByText(/Too short/)).toBeNull();
  });
});
