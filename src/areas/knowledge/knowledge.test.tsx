import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { fault } from "@/ipc/fake-transport";
import { learning } from "@/test/builders";
import { recalled } from "@/test/knowledge";
import { renderWindow } from "@/test/render";
import { makeWorld, type World } from "@/test/world";

let world: World;

describe("the review queue", () => {
  it("shows both sides of a conflict with the words that differ, and takes the person's choice with a way back", async () => {
    world = makeWorld();
    const { person } = renderWindow("/knowledge?tab=review&part=conflicts");
    const pair = within(await screen.findByRole("article", { name: "Conflict in sync" }));
    const [older, newer] = [pair.getByRole("article", { name: "Older" }), pair.getByRole("article", { name: "Newer" })];
    expect([...older.querySelectorAll("mark")].map((mark) => mark.textContent)).toEqual(["3"]);
    expect([...newer.querySelectorAll("mark")].map((mark) => mark.textContent)).toEqual(["5"]);
    expect(pair.getByText("a different number: 3 ↔ 5")).toBeVisible();
    await person.click(pair.getByRole("button", { name: "Replace with newer" }));
    expect(world.transport.called("resolve_conflict")).toEqual([{ older: "C1", newer: "C2", choice: "keep_newer" }]);
    await waitFor(() => expect(screen.queryByRole("article", { name: "Conflict in sync" })).toBeNull());
    await person.click(await screen.findByRole("button", { name: "Undo" }));
    expect(await screen.findByRole("article", { name: "Conflict in sync" })).toBeVisible();
    expect(world.transport.called("reopen_conflict")).toEqual([{ older: "C1", newer: "C2" }]);
  });

  it("lets a person say one side better", async () => {
    world = makeWorld();
    const { person } = renderWindow("/knowledge?tab=review");
    await person.click(await screen.findByRole("button", { name: "Edit the newer one" }));
    const text = await screen.findByLabelText("Lesson");
    await person.clear(text);
    await person.type(text, "Retry an upload 4 times");
    await person.click(screen.getByRole("button", { name: "Save" }));
    expect(world.transport.called("edit_learning")).toEqual([
      { id: "C2", text: "Retry an upload 4 times", reason: "" },
    ]);
  });

  it("says why the gate warned and with what right, and takes a decision either way", async () => {
    world = makeWorld();
    const { person } = renderWindow("/knowledge?tab=review&part=warnings");
    const part = within(await screen.findByRole("region", { name: "Gate warnings" }));
    expect(part.getByText(/The gate warns only · flagged 12 of 140 \(9 %\) · false alarm in 1 of 6/)).toBeVisible();
    const rows = part.getAllByRole("article").map((row) => within(row));
    expect(rows[0]?.getByText("quality 0.22; a lesson needs 0.40")).toBeVisible();
    expect(rows[1]?.getByText("a line that every session repeats, true only at that moment")).toBeVisible();
    await person.click(rows[0]?.getByRole("button", { name: "Keep" }) as HTMLElement);
    await waitFor(() => expect(part.getAllByRole("article")).toHaveLength(1));
    await person.click(part.getByRole("button", { name: "Put away" }));
    expect(world.transport.called("decide_gate")).toEqual([
      { id: "W1", kept: true },
      { id: "W2", kept: false },
    ]);
    await waitFor(() => expect(screen.getByText("No warnings of the quality gate")).toBeVisible());
  });

  it("takes back what was said of a warning", async () => {
    world = makeWorld();
    const { person } = renderWindow("/knowledge?tab=review&part=warnings");
    const part = within(await screen.findByRole("region", { name: "Gate warnings" }));
    await person.click(part.getAllByRole("button", { name: "Keep" })[0] as HTMLElement);
    await waitFor(() => expect(part.getAllByRole("article")).toHaveLength(1));
    await person.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() => expect(part.getAllByRole("article")).toHaveLength(2));
    expect(world.transport.called("reopen_warning")).toEqual([{ id: "W1" }]);
  });

  it("lists what Ralph did by itself, and undoes it", async () => {
    world = makeWorld();
    const { person } = renderWindow("/knowledge?tab=review&part=acts");
    const act = within(await screen.findByRole("article", { name: "Counted as seen again" }));
    expect(act.getByText("94 % alike")).toBeVisible();
    await person.click(act.getByRole("button", { name: "Undo" }));
    expect(world.transport.called("undo_reconciliation")).toEqual([{ id: "N0.94" }]);
    await waitFor(() => expect(screen.queryByRole("article", { name: "Counted as seen again" })).toBeNull());
  });

  it("shows what a merge made of two", async () => {
    world = makeWorld();
    renderWindow("/knowledge?tab=review&part=acts");
    const act = within(await screen.findByRole("article", { name: "Merged into one" }));
    expect(
      within(act.getByRole("region", { name: "Now" })).getByText(/without the feature failures stay hidden/),
    ).toBeVisible();
  });

  it("shows one feature's part with the rest a click away", async () => {
    world = makeWorld();
    const { person } = renderWindow("/knowledge?tab=review&part=parked&feature=sync");
    expect(await screen.findByText("Nothing is parked")).toBeVisible();
    await person.click(screen.getByRole("link", { name: /only sync · 8 elsewhere · show all/ }));
    const parked = await screen.findByRole("list", { name: "Parked learnings" });
    await person.click(within(parked).getAllByRole("button", { name: "Restore" })[0] as HTMLElement);
    expect(world.transport.called("restore_learning")).toEqual([{ id: "P1" }]);
  });

  it("is counted on the page with all that asks for a decision", async () => {
    world = makeWorld();
    const queue = await world.transport.handlers.review_queue?.();
    const asks = [queue?.pairs, queue?.doubts, queue?.said_again].map((part) => part?.length ?? 0);
    expect(asks.every((n) => n > 0)).toBe(true);
    const toDecide = asks.reduce((sum, n) => sum + n);
    const parked = queue?.parked.length ?? 0;
    renderWindow("/knowledge");
    expect(await screen.findByText(new RegExp(`${parked} parked · ${toDecide} to decide$`))).toBeVisible();
    expect(screen.getByRole("tab", { name: new RegExp(`^Review ?${toDecide + parked}$`) })).toBeVisible();
  });

  it("shows no number that is not known", async () => {
    world = makeWorld("sample", {
      review_queue: () => {
        throw fault("database", "The database can't be read");
      },
    });
    renderWindow("/knowledge?tab=review");
    expect(await screen.findByText(/^\d+ active$/)).toBeVisible();
    expect(await screen.findByRole("alert")).toHaveTextContent("can't be read");
    // The rail's number is known all the same.
    expect(screen.getByRole("tab", { name: /^Review ?5$/ })).toBeVisible();
  });

  it("is calm where nothing waits", async () => {
    world = makeWorld("empty");
    renderWindow("/knowledge?tab=review");
    expect(await screen.findByText("Nothing waits for you")).toBeVisible();
  });
});

describe("the search over knowledge", () => {
  const request = { query: "session tokens", feature: null, task: null, kinds: [], all_states: false, limit: 100 };

  it("answers what the URL asks, and narrows by source", async () => {
    world = makeWorld();
    renderWindow("/knowledge?q=session%20tokens&source=%5B%22human%22%5D");
    const list = await screen.findByRole("list", { name: "Hits" });
    await waitFor(() => expect(within(list).getAllByRole("article")).toHaveLength(1));
    expect(within(list).getByText(/Refresh tokens rotate/)).toBeVisible();
    expect(world.transport.called("recall")).toEqual([{ request: { ...request, kinds: ["learning"] } }]);
  });

  it.each([
    ["kind=episode", ["episode"]],
    ["kind=gotcha", ["learning"]],
    ["state=%5B%22active%22%2C%22parked%22%5D", []],
  ])("asks only for what can pass the filters: %s", async (filters, kinds) => {
    world = makeWorld();
    renderWindow(`/knowledge?q=refund&${filters}`);
    await waitFor(() => expect(world.transport.called("recall")).toMatchObject([{ request: { kinds } }]));
  });

  it("does not take the best hits for all there are", async () => {
    world = makeWorld("sample", {
      recall: (asked) => {
        const answer = recalled(world.learnings, { ...asked, query: "the" });
        const [hit] = answer.hits;
        return {
          ...answer,
          hits: hit ? Array.from({ length: asked.limit }, (_, at) => ({ ...hit, id: `${at}` })) : [],
        };
      },
    });
    const { person } = renderWindow("/knowledge?q=the");
    expect(await screen.findByText("the best 100")).toBeVisible();
    await person.click(screen.getByRole("button", { name: /^Source/ }));
    await person.click(await screen.findByRole("menuitemcheckbox", { name: /person/i }));
    expect(await screen.findByText("None of the best 100 matches the filters")).toBeVisible();
    expect(screen.getByText("0 among the best 100")).toBeVisible();
  });

  it("asks what is typed, at once on Enter, and lists everything again when it is cleared", async () => {
    world = makeWorld();
    const { person, router } = renderWindow("/knowledge");
    await screen.findByRole("list", { name: "Learnings" });
    await person.keyboard("/");
    expect(screen.getByLabelText("Search what is known")).toHaveFocus();
    await person.keyboard("session tokens{Enter}");
    await screen.findByRole("list", { name: "Hits" });
    expect(router.state.location.search).toMatchObject({ q: "session tokens" });
    expect(world.transport.called("recall")).toContainEqual({ request });
    await person.click(screen.getAllByRole("button", { name: "Clear" })[0] as HTMLElement);
    await screen.findByRole("list", { name: "Learnings" });
    expect(router.state.location.search).not.toHaveProperty("q", expect.anything());
  });

  it("asks for other states where the filter does, and for the feature", async () => {
    world = makeWorld();
    renderWindow("/knowledge?q=refund&feature=payments&state=%5B%22parked%22%5D");
    const list = await screen.findByRole("list", { name: "Hits" });
    await waitFor(() => expect(within(list).getAllByRole("article")).toHaveLength(1));
    expect(world.transport.called("recall")).toEqual([
      {
        request: {
          ...request,
          query: "refund",
          feature: "payments",
          kinds: ["learning"],
          all_states: true,
          limit: 200,
        },
      },
    ]);
  });

  it("says on demand why a hit is here: what each channel gave, what moved it, and the total", async () => {
    world = makeWorld();
    const { person } = renderWindow("/knowledge?q=clock");
    const list = within(await screen.findByRole("list", { name: "Hits" }));
    const why = list.getAllByRole("button", { name: /^Why this\?/ })[0] as HTMLElement;
    expect(why).toHaveAttribute("aria-expanded", "false");
    await person.click(why);
    const panel = within(list.getByRole("region", { name: "Why this hit" }));
    const rows = panel.getAllByRole("listitem").map((row) => row.textContent);
    expect(rows).toEqual([
      "meaning0.52rank 1 · cosine 0.74",
      "words0.31rank 1 · BM25 7.42",
      "fragments0.14rank 1 · BM25 4.10",
      "triggers0.00did not find it",
    ]);
    expect(panel.getByText(/a person or three iterations stand behind it/)).toHaveTextContent("×1.10");
    expect(panel.getByText("1.39")).toBeVisible();
    await person.click(why);
    expect(list.queryByRole("region", { name: "Why this hit" })).toBeNull();
  });

  it("says calmly that it went by words, why, and where to look", async () => {
    world = makeWorld("sample", {
      recall: (request) => ({
        ...recalled(world.learnings, request),
        missing: [{ channel: "vector", reason: "no passage has a vector yet; `ralph reconcile` makes them" }],
      }),
    });
    renderWindow("/knowledge?q=clock");
    // While the answer is on its way another status says so.
    await screen.findByText(/For now search goes by words/);
    const note = screen.getByRole("status");
    expect(note).toHaveTextContent("For now search goes by words: no passage has a vector yet");
    expect(within(note).getByRole("link", { name: "Search index" })).toBeVisible();
    expect(screen.getByRole("list", { name: "Hits" })).toBeVisible();
  });

  it("notes what is opened and marked of an answer, and tells what a learning did", async () => {
    world = makeWorld();
    const { person } = renderWindow("/knowledge?q=clock");
    const hits = within(await screen.findByRole("list", { name: "Hits" }));
    await person.click(hits.getAllByRole("button", { name: "It helps with this question" })[0] as HTMLElement);
    await screen.findByText("Noted: it helps");
    await person.click(hits.getAllByRole("button", { name: /^Why this/ })[0] as HTMLElement);
    const told = world.transport.called("select_memory") as { selection: { kind: string; query: string | null } }[];
    expect(told.map(({ selection }) => selection.kind)).toEqual(["useful", "opened"]);
    expect(told.every(({ selection }) => selection.query !== null)).toBe(true);
  });

  it("folds away what answers far less than the best, a click away", async () => {
    world = makeWorld("sample", {
      recall: (request) => {
        const answer = recalled(world.learnings, request);
        const total = (at: number) => (at < 2 ? 1.2 : 0.3);
        return {
          ...answer,
          hits: answer.hits.map((hit, at) => ({ ...hit, score: { ...hit.score, total: total(at) } })),
        };
      },
    });
    const { person } = renderWindow("/knowledge?q=the");
    const list = within(await screen.findByRole("list", { name: "Hits" }));
    await waitFor(() => expect(list.getAllByRole("article")).toHaveLength(2));
    await person.click(screen.getByRole("button", { name: /^Show \d+ weak hits$/ }));
    expect(list.getAllByRole("article").length).toBeGreaterThan(2);
    await person.click(screen.getByRole("button", { name: /^Hide \d+ weak hits$/ }));
    expect(list.getAllByRole("article")).toHaveLength(2);
  });

  it("tells why an attempt failed, with the way to its task", async () => {
    const report = { kind: "failure_report" as const, id: "41", task: 7, text: "The provider answers in its own zone" };
    world = makeWorld("sample", {
      recall: (request) => {
        const answer = recalled(world.learnings, request);
        return { ...answer, hits: answer.hits.slice(0, 1).map((hit) => ({ ...hit, ...report })) };
      },
    });
    renderWindow("/knowledge?q=clock");
    expect(await screen.findByText(report.text)).toBeVisible();
    expect(screen.getByRole("link", { name: "Task #7" })).toHaveAttribute("href", expect.stringContaining("/tasks/7"));
  });

  it("answers again when something was learned", async () => {
    world = makeWorld();
    renderWindow("/knowledge?q=zebra");
    expect(await screen.findByText("Nothing known answers this")).toBeVisible();
    world.learnings.push(learning("Z1", "auth", "A zebra has stripes"));
    await world.transport.changed("learnings", "passages");
    expect(await screen.findByText("A zebra has stripes")).toBeVisible();
  });

  it("tells a failed search with what to do", async () => {
    world = makeWorld("sample", {
      recall: () => {
        throw fault("embedding", "the model is broken", "install it anew");
      },
    });
    renderWindow("/knowledge?q=clock");
    expect(await screen.findByRole("alert")).toHaveTextContent("The model is brokenInstall it anew");
  });
});

describe("what was put away and said again", () => {
  it.each([
    ["Keep it out", false, "It stays out"],
    ["Bring back", true, "Brought back: agents are told it again"],
  ])("asks once more, and takes the word: %s", async (name, kept, told) => {
    world = makeWorld();
    const { person } = renderWindow("/knowledge?tab=review&part=said_again");
    const row = (await screen.findByText("Refunds never need a second try")).closest("article") as HTMLElement;
    expect(row).toHaveTextContent("put away by human 12 d ago, and said again by 3 iterations");
    await person.click(within(row).getByRole("button", { name }));
    expect(await screen.findByText(told)).toBeVisible();
    expect(world.transport.called("decide_gate")).toEqual([{ id: "S1", kept }]);
    expect(await screen.findByText("Nothing that was put away was said again")).toBeVisible();
  });

  it("is what it was before when it is brought back and that is undone, not retired", async () => {
    world = makeWorld("sample", { undo_learning: (id) => learning(id, "payments", "as before") });
    const { person } = renderWindow("/knowledge?tab=review&part=said_again");
    await person.click(await screen.findByRole("button", { name: "Bring back" }));
    await person.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() => expect(world.transport.called("undo_learning")).toEqual([{ id: "S1" }]));
    expect(world.transport.called("retire_learning")).toEqual([]);
  });
});

describe("what an agent doubted", () => {
  it("waits with the agent's reason, and a person's word is carried out", async () => {
    world = makeWorld();
    const { person } = renderWindow("/knowledge?tab=review&part=doubts");
    const row = (await screen.findByText("The header for a key is `Idempotency`")).closest("article") as HTMLElement;
    expect(row).toHaveTextContent("thought to be wrong by errand 4: src/http.rs sends `Idempotency-Key`");
    await person.click(within(row).getByRole("button", { name: "Put away" }));
    await waitFor(() => expect(world.transport.called("retire_learning")).toEqual([{ id: "D1" }]));
  });
});

describe("an offer to merge", () => {
  const first = { name: /^3 alike in payments/ };

  it("shows every text, keeps one of them edited, and merges those that were chosen", async () => {
    world = makeWorld();
    const { person } = renderWindow("/knowledge?tab=merge");
    const offer = within((await screen.findAllByRole("article", first))[0] as HTMLElement);
    expect(within(offer.getByRole("list")).getAllByRole("listitem")).toHaveLength(3);
    await person.click(offer.getAllByRole("checkbox")[2] as HTMLElement);
    const text = offer.getByLabelText("The one learning that takes their place");
    await person.clear(text);
    expect(offer.getByRole("button", { name: "Merge 2 learnings" })).toHaveAttribute("aria-disabled", "true");
    await person.type(text, "Poll until it is final");
    await person.click(offer.getByRole("button", { name: "Merge 2 learnings" }));
    expect(world.transport.called("merge_learnings")).toEqual([
      { ids: ["L003", "L010"], text: "Poll until it is final", reason: null },
    ]);
    await person.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() => expect(world.transport.called("undo_learning")).toEqual([{ id: "ML003" }]));
  });

  it("loses nothing typed when the merge is refused", async () => {
    world = makeWorld("sample", {
      merge_learnings: () => {
        throw fault("invalid", "learning L003 is retired", "merge active learnings");
      },
    });
    const { person } = renderWindow("/knowledge?tab=merge");
    const offer = within((await screen.findAllByRole("article", first))[0] as HTMLElement);
    await person.type(offer.getByLabelText("Why it holds (optional)"), "seen twice");
    await person.click(offer.getByRole("button", { name: "Merge 3 learnings" }));
    expect(await offer.findByRole("alert")).toHaveTextContent("Learning L003 is retired");
    expect(offer.getByLabelText("Why it holds (optional)")).toHaveValue("seen twice");
  });

  it("waits when it is put off, and can be called back", async () => {
    world = makeWorld();
    const { person } = renderWindow("/knowledge?tab=merge");
    expect(await screen.findAllByRole("article", first)).toHaveLength(2);
    await person.click(screen.getAllByRole("button", { name: "Not now" })[0] as HTMLElement);
    expect(screen.getAllByRole("article", first)).toHaveLength(1);
    await person.click(screen.getByRole("button", { name: "Show again" }));
    expect(screen.getAllByRole("article", first)).toHaveLength(2);
  });
});
