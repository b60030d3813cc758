import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Question } from "@/ipc";
import { learning, before as minutesAgo } from "@/test/builders";
import { notice } from "@/test/notices";
import { renderWindow } from "@/test/render";
import { trustHandlers } from "@/test/trust";
import { makeWorld, type World } from "@/test/world";

let world: World;

describe("what needs a person", () => {
  it("makes the change that an agent proposed only when a person accepts it", async () => {
    world = makeWorld();
    const { person } = renderWindow("/needs-you");
    const row = (await screen.findByText("Close task #220 as done")).closest("article") as HTMLElement;
    expect(within(row).getByText("status: pending → done")).toBeVisible();
    expect(within(row).getByRole("link", { name: "task #220" })).toHaveAttribute(
      "href",
      expect.stringContaining("220"),
    );
    await person.click(within(row).getByRole("button", { name: "Accept" }));
    expect(world.transport.called("settle_notice")).toEqual([{ id: 4, accept: true }]);
    expect(await screen.findByText("Accepted: the change is made")).toBeVisible();
    await waitFor(() => expect(screen.queryByText("Close task #220 as done")).toBeNull());
  });

  it("lets a dismissed proposal wait again", async () => {
    world = makeWorld();
    const { person } = renderWindow("/needs-you");
    const row = (await screen.findByText("Close task #220 as done")).closest("article") as HTMLElement;
    await person.click(within(row).getByRole("button", { name: "Dismiss" }));
    await waitFor(() => expect(screen.queryByText("Close task #220 as done")).toBeNull());
    await person.click(await screen.findByRole("button", { name: "Undo" }));
    expect(world.transport.called("reopen_notice")).toEqual([{ id: 4 }]);
    expect(await screen.findByText("Close task #220 as done")).toBeVisible();
  });

  it("names the learnings that a notice is about, and asks for no others", async () => {
    world = makeWorld();
    const id = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    world.learnings.push(learning(id, "sync", "Retry an upload three times"));
    world.overview.needs_you = [
      { kind: "notice", notice: notice(9, { title: `Retire learning ${id}` }) },
      { kind: "notice", notice: notice(10, { title: "Close task #220 as done" }) },
    ];
    renderWindow("/needs-you");
    expect(await screen.findByText("Retry an upload three times")).toBeVisible();
    expect(world.transport.called("learnings_by_id")).toEqual([{ ids: [id] }]);
    expect(world.transport.called("list_learnings")).toEqual([]);
  });

  it("says how many proposals wait behind those that are listed", async () => {
    world = makeWorld();
    const proposal = { kind: "notice" as const, notice: notice(9, { title: "Close task #220 as done" }) };
    world.overview = { ...world.overview, needs_you: [proposal], needs_you_count: 24 };
    renderWindow("/needs-you");
    expect(await screen.findByText("24 things; 23 proposals are listed once others are decided")).toBeVisible();
  });

  it("draws the first of hundreds of proposals, and the others on demand", async () => {
    world = makeWorld();
    world.overview.needs_you = Array.from({ length: 300 }, (_, at) => ({
      kind: "notice" as const,
      notice: notice(at + 1, { title: `Proposal ${at + 1}` }),
    }));
    const { person } = renderWindow("/needs-you");
    expect(await screen.findByText("Proposal 30")).toBeVisible();
    expect(screen.queryByText("Proposal 31")).toBeNull();
    await person.click(screen.getByRole("button", { name: "Show 100 more of 300" }));
    expect(screen.getByText("Proposal 130")).toBeVisible();
    expect(screen.queryByText("Proposal 131")).toBeNull();
  });

  it("shows learnings that contradict each other side by side, and takes the choice where they are listed", async () => {
    world = makeWorld();
    const { person } = renderWindow("/needs-you");
    await person.click(await screen.findByRole("button", { name: "Decide in sync" }));
    const pair = within(await screen.findByRole("article", { name: "Conflict in sync" }));
    await person.click(pair.getByRole("button", { name: "Keep older" }));
    expect(world.transport.called("resolve_conflict")).toEqual([{ older: "C1", newer: "C2", choice: "keep_older" }]);
    expect(await screen.findByRole("button", { name: "Undo" })).toBeVisible();
  });

  it("asks first what an agent waits for, and sends the answer", async () => {
    world = makeWorld();
    const question: Question = {
      id: 3,
      run: 38,
      iteration: 104,
      task: 208,
      title: "Refund twice",
      tool: "WebFetch",
      summary: `https://example.org/rates\u202e\n${"\n".repeat(20)}and all of it`,
      asked: minutesAgo(0),
      until: new Date(Date.now() + 90_000).toISOString(),
      answer: null,
      answered: null,
      by_person: false,
    };
    world.overview.needs_you = [{ kind: "question", question }, ...world.overview.needs_you];
    const { person } = renderWindow("/needs-you");
    const row = await screen.findByTestId("question");
    expect(row).toHaveTextContent("#208 Refund twice asks to use WebFetch");
    expect(row).toHaveTextContent(/denied in \d+ s/);
    expect(row).toHaveTextContent("https://example.org/ratesU+202E");
    expect(row).not.toHaveTextContent("and all of it");
    await person.click(within(row).getByRole("button", { name: /more characters/ }));
    expect(row).toHaveTextContent("and all of it");
    expect(screen.getAllByRole("heading", { level: 2 })[0]).toHaveTextContent("Questions");
    await person.click(within(row).getByRole("button", { name: "Allow" }));
    expect(world.transport.called("answer_question")).toEqual([{ id: 3, answer: "yes" }]);
  });

  it("lists what is settled elsewhere with the way there", async () => {
    world = makeWorld();
    renderWindow("/needs-you");
    expect(await screen.findByRole("link", { name: /#199 Rotate provider credentials/ })).toBeVisible();
    // Learnings that a split task makes room for are nobody's business.
    expect(screen.getByText("6 things")).toBeVisible();
    const settles = within(screen.getByRole("region", { name: "Settles itself" }));
    expect(settles.getByText("Split task #214 will make room.")).toBeVisible();
    expect(screen.getByTestId("needs-you")).toHaveTextContent("6");
  });

  it("counts what has no room while its split waits for the person itself", async () => {
    world = makeWorld();
    world.overview.needs_you = [{ kind: "parked", feature: "payments", count: 2, split_task: 214, split_waits: true }];
    renderWindow("/needs-you");
    const waits = within(await screen.findByRole("region", { name: "No room" }));
    expect(waits.getByText("Split task #214 would make room, and waits for you.")).toBeVisible();
    expect(waits.getByRole("link", { name: "Open #214" })).toHaveAttribute("href", "/tasks/214");
    expect(screen.queryByRole("link", { name: "Run the split" })).toBeNull();
    expect(screen.queryByRole("region", { name: "Settles itself" })).toBeNull();
  });

  it("puts decisions first, and what is only to be seen after them", async () => {
    world = makeWorld();
    renderWindow("/needs-you");
    await screen.findByRole("region", { name: "Proposals" });
    const groups = within(screen.getByRole("main")).getAllByRole("heading", { level: 2 });
    expect(groups.map(({ textContent }) => textContent)).toEqual([
      "Proposals",
      "Conflicts",
      "To review",
      "Blocked",
      "Worth a look",
      "Settles itself",
    ]);
  });

  it("leads from work that is done to its review, and says why it could not be merged", async () => {
    world = makeWorld();
    renderWindow("/needs-you");
    const [clean, refused] = await screen.findAllByTestId("in-review");
    expect(within(clean as HTMLElement).getByRole("link", { name: "Review" })).toHaveAttribute(
      "href",
      expect.stringContaining("/review/208"),
    );
    expect(refused).toHaveTextContent("Not merged: 'main' and 'ralph/221-rate-limit' changed the same lines");
    expect(refused).toHaveTextContent("1 h ago");
  });

  it("lists what an errand proposes under what is to be reviewed", async () => {
    world = makeWorld();
    world.overview.needs_you = [
      {
        kind: "proposed",
        errand: 3,
        title: "documents",
        refused: null,
        way_out: null,
        under_way: null,
        since: minutesAgo(5),
      },
    ];
    renderWindow("/needs-you");
    const row = within(await screen.findByRole("region", { name: "To review" })).getByTestId("in-review");
    expect(row).toHaveTextContent("e3 documents");
    expect(within(row).getByRole("link", { name: "Review" })).toHaveAttribute(
      "href",
      expect.stringContaining("/review/e3"),
    );
  });

  it("names a run that stalled", async () => {
    world = makeWorld("empty");
    world.overview.needs_you.push({
      kind: "run_stopped",
      run: 7,
      reason: "stalled",
      note: "5 in a row left nothing",
      since: minutesAgo(5),
    });
    renderWindow("/needs-you");
    const need = await screen.findByRole("link", { name: /Run 7 stalled/ });
    expect(need).toHaveAttribute("href", expect.stringContaining("/loop/7"));
    expect(screen.getByRole("region", { name: "Worth a look" })).toHaveTextContent("5 in a row left nothing");
  });

  it("is walked through by j, notices and proposals too", async () => {
    world = makeWorld();
    renderWindow("/needs-you");
    const accept = await screen.findAllByRole("button", { name: "Accept" });
    expect(accept[0]?.closest("[data-row]")).toHaveAttribute("tabindex", "-1");
  });

  it("shows what was settled on demand, and how", async () => {
    world = makeWorld();
    const { person } = renderWindow("/needs-you");
    await person.click(await screen.findByRole("link", { name: "Show what was settled" }));
    const settled = within(await screen.findByRole("region", { name: "Settled" }));
    expect(await settled.findByText(/dismissed/)).toBeVisible();
    expect(settled.queryByRole("button", { name: "Accept" })).toBeNull();
  });

  it("has what is for later, as `ralph status` tells it, and nothing waits for that", async () => {
    world = makeWorld("empty");
    world.overview = { ...world.overview, reviews: 2, for_later: 2 };
    renderWindow("/needs-you");
    const group = await screen.findByRole("region", { name: "For when you have time" });
    const link = within(group).getByRole("link", { name: "2 questions about what is known" });
    expect(link).toHaveAttribute("href", "/knowledge?tab=review");
    expect(screen.getByText("Nothing waits for you")).toBeVisible();
  });

  it("is calm when nothing waits", async () => {
    world = makeWorld("empty");
    renderWindow("/needs-you");
    expect(await screen.findByText("Nothing waits for you")).toBeVisible();
  });

  it("is led to by each kind that waits, also by that of the folder", async () => {
    world = makeWorld("sample", trustHandlers(true));
    world.overview.needs_you.push({ kind: "untrusted", items: ["check (make test && ./upload.sh)"] });
    const { person } = renderWindow("/needs-you");
    await screen.findByRole("region", { name: "Waits for your yes" });
    const kinds = within(await screen.findByRole("list", { name: "Kinds" })).getAllByRole("button");
    for (const kind of kinds) {
      (document.activeElement as HTMLElement | null)?.blur();
      await person.click(kind);
      expect(document.activeElement?.closest("main section")).not.toBeNull();
    }
    await person.click(screen.getByRole("button", { name: "waits for your yes" }));
    expect(screen.getByRole("region", { name: "Waits for your yes" })).toHaveFocus();
  });
});
