import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { NeedsYou, Question } from "@/ipc";
import { learning, before as minutesAgo } from "@/test/builders";
import { nightBefore } from "@/test/night";
import { notice } from "@/test/notices";
import { renderWindow } from "@/test/render";
import { trustHandlers } from "@/test/trust";
import { makeWorld, type World } from "@/test/world";

let world: World;

const blockedTask = (task: number, reason: string): NeedsYou => ({
  kind: "blocked_task",
  task,
  title: `Task ${task}`,
  feature: "payments",
  reason,
  since: minutesAgo(task),
});

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
    const words = "24 things; 23 proposals are listed once others are decided";
    expect(await screen.findByText(words)).toBeVisible();
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
      "Contradictions",
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

  it("answers a blocked task and puts it back in one act, with a way back", async () => {
    world = makeWorld();
    const { person } = renderWindow("/needs-you");
    const row = await screen.findByTestId("blocked");
    expect(row).toHaveTextContent("payments");
    expect(row).toHaveTextContent("7 h ago");
    await person.click(within(row).getByRole("button", { name: "Answer #199" }));
    await person.type(within(row).getByLabelText("Answer to #199"), "It is in the vault by now.");
    await person.click(within(row).getByRole("button", { name: "Answer and put back" }));
    expect(world.transport.called("put_back")).toEqual([{ tasks: [199], answer: "It is in the vault by now." }]);
    await waitFor(() => expect(screen.queryByTestId("blocked")).toBeNull());
    await person.click(await screen.findByRole("button", { name: "Undo" }));
    const before = { status: "blocked", blocked_reason: "needs the new secret from the vault", comment: 7 };
    expect(world.transport.called("undo_put_back")).toMatchObject([{ acts: [{ task: 199, ...before }] }]);
  });

  it("is worked through by keys: what was answered is undone by Ctrl+Z, and j goes on where it stood", async () => {
    world = makeWorld();
    world.overview.needs_you = [199, 220, 221].map((task) => ({
      kind: "blocked_task" as const,
      task,
      title: `Task ${task}`,
      reason: `reason ${task}`,
      feature: "payments",
      since: minutesAgo(5),
    }));
    const { person } = renderWindow("/needs-you");
    await screen.findByRole("link", { name: /#199/ });
    await person.keyboard("jj");
    expect(document.activeElement).toHaveTextContent("#220");
    // Past the link to its feature.
    await person.tab();
    await person.tab();
    await person.keyboard("{Enter}");
    await person.keyboard("In the vault.{Control>}{Enter}{/Control}");
    await waitFor(() => expect(screen.queryByRole("link", { name: /#220/ })).toBeNull());
    await person.keyboard("j");
    expect(document.activeElement).toHaveTextContent("#221");
    await person.keyboard("{Control>}z{/Control}");
    await waitFor(() => expect(world.transport.called("undo_put_back")).toHaveLength(1));
    await person.keyboard("{Control>}z{/Control}");
    expect(world.transport.called("undo_put_back")).toHaveLength(1);
  });

  it("keeps an answer that is refused beside the field", async () => {
    world = makeWorld("sample", {
      put_back: () => {
        throw { code: "task_running", message: "task #199 is worked on by iteration 7", hint: "wait until it ends" };
      },
    });
    const { person } = renderWindow("/needs-you");
    await person.click(await screen.findByRole("button", { name: "Answer #199" }));
    await person.type(screen.getByLabelText("Answer to #199"), "Go on.");
    await person.click(screen.getByRole("button", { name: "Answer and put back" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("wait until it ends");
    expect(screen.getByLabelText("Answer to #199")).toHaveValue("Go on.");
  });

  it("puts many tasks back with one answer", async () => {
    world = makeWorld("empty");
    const blocked = (task: number) => blockedTask(task, `the network was down at ${task} o'clock`);
    world.overview.needs_you = Array.from({ length: 60 }, (_, index) => blocked(index + 1));
    world.overview.needs_you_count = 60;
    const { person } = renderWindow("/needs-you");
    // Of many rows only those near the screen exist.
    const rows = await screen.findAllByTestId("blocked");
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.length).toBeLessThan(40);
    await person.click(screen.getByRole("checkbox", { name: "Select #1" }));
    await person.click(screen.getByRole("checkbox", { name: "Select #3" }));
    world.transport.handlers.put_back = () => [];
    await person.click(screen.getByRole("button", { name: "Answer all" }));
    await person.type(screen.getByLabelText("Answer to 2 tasks"), "It is up again.");
    // What is typed for some tasks is not said to others.
    await person.click(screen.getByRole("checkbox", { name: "Select #2" }));
    expect(screen.getByLabelText("Answer to 3 tasks")).toHaveValue("");
    await person.click(screen.getByRole("checkbox", { name: "Select #2" }));
    expect(screen.getByLabelText("Answer to 2 tasks")).toHaveValue("It is up again.");
    await person.click(screen.getByLabelText("Answer to 2 tasks"));
    await person.keyboard("{Control>}{Enter}{/Control}");
    expect(world.transport.called("put_back")).toEqual([{ tasks: [1, 3], answer: "It is up again." }]);
  });

  it("keeps what was typed for several when one of them is freed elsewhere, and their selection when it is not sent", async () => {
    world = makeWorld("empty");
    const blocked = (task: number) => blockedTask(task, `the network was down at ${task} o'clock`);
    world.overview = { ...world.overview, needs_you: [3, 1, 2].map(blocked), needs_you_count: 3 };
    const { person } = renderWindow("/needs-you");
    await person.click(await screen.findByRole("button", { name: "Select all" }));
    const all = screen.getByRole("button", { name: "Answer all" });
    await person.click(all);
    await person.type(screen.getByLabelText("Answer to 3 tasks"), "It is up again.");
    world.overview = { ...world.overview, needs_you: [3, 2].map(blocked), needs_you_count: 2 };
    world.transport.changed("tasks");
    expect(await screen.findByLabelText("Answer to 2 tasks")).toHaveValue("It is up again.");
    await person.keyboard("{Escape}");
    expect(all).toHaveFocus();
    expect(screen.getByText("2 selected")).toBeVisible();
    await person.click(all);
    expect(screen.getByLabelText("Answer to 2 tasks")).toHaveValue("It is up again.");
  });

  it("keeps what was typed for all with one reason while others come to have it", async () => {
    world = makeWorld("empty");
    const blocked = (task: number) => blockedTask(task, "the vault is sealed");
    world.overview = { ...world.overview, needs_you: [1, 2, 3, 4].map(blocked), needs_you_count: 4 };
    const { person } = renderWindow("/needs-you");
    await person.click(await screen.findByRole("button", { name: /^Answer 4 tasks/ }));
    await person.type(screen.getByRole("textbox", { name: /^Answer to 4 tasks/ }), "It is open.");
    world.overview = { ...world.overview, needs_you: [1, 2, 3, 4, 5].map(blocked), needs_you_count: 5 };
    world.transport.changed("tasks");
    expect(await screen.findByRole("textbox", { name: /^Answer to 5 tasks/ })).toHaveValue("It is open.");
    await person.click(screen.getByRole("button", { name: "Cancel" }));
    await person.click(screen.getByRole("button", { name: /^Answer 5 tasks/ }));
    expect(screen.getByRole("textbox", { name: /^Answer to 5 tasks/ })).toHaveValue("It is open.");
  });

  it("folds tasks that wait for the same, and answers them once", async () => {
    world = makeWorld();
    nightBefore(world);
    world.transport.handlers.put_back = () => [];
    const { person } = renderWindow("/needs-you");
    const folds = await screen.findAllByTestId("blocked-fold");
    expect(folds).toHaveLength(3);
    const vault = folds.find((row) => row.textContent?.includes("vault")) as HTMLElement;
    expect(vault).toHaveTextContent("66 tasks");
    await person.click(within(vault).getByRole("button", { name: /^Answer 66 tasks/ }));
    await person.type(within(vault).getByRole("textbox"), "It is in the vault now.");
    await person.click(within(vault).getByRole("button", { name: "Answer and put back" }));
    const [sent] = world.transport.called("put_back") as { tasks: number[]; answer: string }[];
    expect(sent?.tasks).toHaveLength(66);
    expect(sent?.answer).toBe("It is in the vault now.");
    expect(screen.getByRole("button", { name: "contradictions in 1 feature" })).toBeVisible();
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

  it("keeps an answer that is being typed where more tasks are blocked for the same reason, or fewer", async () => {
    const blocked = (tasks: number[]) => tasks.map((task) => blockedTask(task, "asks for a decision"));
    world = makeWorld("empty");
    world.overview.needs_you = blocked([1, 2, 3]);
    const changes = async (tasks: number[]) => {
      world.overview = { ...world.overview, needs_you: blocked(tasks) };
      await world.transport.changed("tasks");
    };
    const { person } = renderWindow("/needs-you");
    await person.click(await screen.findByRole("button", { name: "Answer #2" }));
    await person.type(screen.getByLabelText("Answer to #2"), "Yes");
    await changes([1, 2, 3, 4]);
    expect(await screen.findByRole("button", { name: "Answer #4" })).toBeVisible();
    expect(screen.getByLabelText("Answer to #2")).toHaveFocus();
    await person.click(screen.getByRole("button", { name: "Cancel" }));
    await person.click(await screen.findByRole("button", { name: "Answer 4 tasks: asks for a decision" }));
    await changes([1, 2]);
    expect(await screen.findByLabelText("Answer to 2 tasks: asks for a decision")).toHaveFocus();
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
