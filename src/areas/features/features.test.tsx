import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Feature, FeatureRow, JournalEntry } from "@/ipc";
import { fault } from "@/ipc/fake-transport";
import { before, counts, featureRow, learning, saturation } from "@/test/builders";
import { gateReport } from "@/test/knowledge";
import { later } from "@/test/later";
import { renderWindow } from "@/test/render";
import { makeWorld, OWN_REPLICA, type World } from "@/test/world";

let world: World;

describe("the list of features", () => {
  it("counts what is in review among the open tasks, as the rail does", async () => {
    world = makeWorld("empty");
    world.features.push(featureRow("payments", { tasks: counts({ pending: 2, in_review: 3, done: 4 }) }));
    renderWindow("/features");
    expect(await screen.findByText("1 feature · 5 open tasks · 0 learnings")).toBeVisible();
  });

  it("counts archived ones apart, and nothing that is in them, as the rail does", async () => {
    world = makeWorld("empty");
    const full = { tasks: counts({ pending: 2 }), saturation: saturation("old", 3, 3) };
    world.features.push(featureRow("payments"), featureRow("old", { of: { state: "archived" }, ...full }));
    renderWindow("/features");
    expect(await screen.findByText("1 feature, 1 archived · 0 open tasks · 0 learnings")).toBeVisible();
  });

  it("does not count what was thrown away as done", async () => {
    world = makeWorld("empty");
    world.features.push(featureRow("payments", { tasks: counts({ pending: 5, skipped: 1, done: 2 }) }));
    renderWindow("/features");
    expect(await screen.findByText("2 of 8 done, 1 skipped")).toBeVisible();
  });
});

describe("the bar of a feature", () => {
  it.each([
    [29, "low", "bg-low"],
    [30, "medium", "bg-warn"],
    [40, "high", "bg-high"],
    [45, "critical", "bg-bad"],
  ])("with %i of 50 learnings is %s", async (count, level, colour) => {
    world = makeWorld("empty");
    world.features.push(featureRow("payments", { saturation: saturation("payments", count, 7) }));
    renderWindow("/features");
    const bar = await screen.findByTestId("saturation-bar");
    expect(bar).toHaveAttribute("data-level", level);
    expect(bar.querySelector("[data-part=protected]")).toHaveClass(colour);
    expect(bar.querySelector("[data-part=protected]")).toHaveStyle({ width: "14%" });
    expect(bar.querySelector("[data-part=prunable]")).toHaveStyle({ width: `${(count - 7) * 2}%` });
  });

  it("shows what the one pass over all features says", async () => {
    world = makeWorld("empty", { get_feature_saturations: () => [saturation("payments", 45, 7)] });
    world.features.push(featureRow("payments", { saturation: saturation("payments", 3, 0) }));
    renderWindow("/features");
    await waitFor(() => expect(screen.getByTestId("saturation-bar")).toHaveAttribute("data-level", "critical"));
  });

  it("tells its counts in the tooltip, on focus too", async () => {
    world = makeWorld();
    const { person } = renderWindow("/features");
    const row = await screen.findByText("Payments");
    const bar = within(row.closest("li") as HTMLElement).getByTestId("saturation-bar");
    await person.hover(bar);
    const tooltip = await screen.findByRole("tooltip");
    expect(tooltip).toHaveTextContent("46/50 learnings — 38 protected");
    expect(tooltip).toHaveTextContent("8 prunable · room for 4 more");
    expect(tooltip).toHaveTextContent("2 learnings parked until there is room");
    await person.unhover(bar);
    await waitFor(() => expect(screen.queryByRole("tooltip")).toBeNull());
    within(row.closest("li") as HTMLElement)
      .getByRole("link", { name: "Payments" })
      .focus();
    await person.tab();
    expect(bar).toHaveFocus();
    expect(await screen.findByRole("tooltip")).toHaveTextContent("38 protected");
  });

  it("is not there without learnings", async () => {
    world = makeWorld("empty");
    world.features.push(featureRow("payments"));
    renderWindow("/features");
    await screen.findByText("no learnings yet");
    expect(screen.queryByTestId("saturation-bar")).toBeNull();
  });
});

describe("the Features page", () => {
  it("puts the fullest first, and links a critical one to its split task", async () => {
    world = makeWorld();
    renderWindow("/features");
    const rows = await screen.findAllByTestId("feature-row");
    expect(rows.map((row) => row.dataset.feature).slice(0, 3)).toEqual(["payments", "auth", "sync"]);
    expect(screen.getByTestId("split-link")).toHaveAttribute("href", expect.stringContaining("/tasks/214"));
  });

  it("says of a feature and of a learning whose words came from elsewhere", async () => {
    world = makeWorld("empty");
    const origin = { outside: true, outside_replica: "01KARX0000000000000000TH3M" };
    world.features.push(featureRow("theirs", origin), featureRow("ours"));
    world.learnings.push({ ...learning("L1", "ours", "Theirs"), ...origin }, learning("L2", "ours", "Ours"));
    const { router } = renderWindow("/features");
    const rows = await screen.findAllByTestId("feature-row");
    expect(rows.map((row) => within(row).queryByText("from outside · TH3M") !== null)).toEqual(
      rows.map((row) => row.dataset.feature === "theirs"),
    );
    await router.navigate({ to: "/features/$name", params: { name: "ours" } });
    const [theirs, ours] = await Promise.all(["Theirs", "Ours"].map((text) => screen.findByText(text)));
    expect(theirs?.closest("article")).toHaveTextContent("from outside · TH3M");
    expect(ours?.closest("article")).not.toHaveTextContent("from outside");
  });

  it("shows what another process made as soon as its topic comes, without a reload", async () => {
    world = makeWorld("empty");
    renderWindow("/features");
    await screen.findByText("No features yet");
    world.features.push(featureRow("made-elsewhere"));
    await world.transport.changed("features");
    expect(await screen.findAllByText("made-elsewhere")).not.toHaveLength(0);
  });

  it("asks again only for what a topic touches", async () => {
    world = makeWorld();
    renderWindow("/settings");
    await screen.findByText("Limits of a run");
    await waitFor(() => expect(world.transport.called("overview")).toHaveLength(1));
    await world.transport.changed("tasks");
    await waitFor(() => expect(world.transport.called("overview")).toHaveLength(2));
    expect(world.transport.called("get_settings")).toHaveLength(1);
  });

  it("makes a feature whose short name follows from its name", async () => {
    world = makeWorld("empty");
    const { person, router } = renderWindow("/features");
    await screen.findByText("No features yet");
    await person.keyboard("n");
    await person.type(await screen.findByLabelText("Name"), "Offline sync");
    await person.click(screen.getByRole("button", { name: "Create feature" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/features/offline-sync"));
    expect(world.transport.called("create_feature")[0]).toMatchObject({ feature: { name: "offline-sync" } });
  });
});

describe("the learnings of a feature", () => {
  it("a refused learning says why and what to do, and loses nothing typed", async () => {
    world = makeWorld("sample", {
      append_feature_learning: () => {
        throw fault(
          "knowledge_full",
          "The knowledge of 'payments' is full: 50 of 50.",
          "It returns when task #214 is done.",
        );
      },
    });
    const { person, router } = renderWindow("/features/payments");
    await person.click(await screen.findByRole("button", { name: /Add learning/ }));
    await person.type(screen.getByLabelText("Lesson"), "Mind the clock");
    await person.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Add learning" }));
    const alert = await screen.findByRole("alert");
    expect(alert).toHaveTextContent("The knowledge of 'payments' is full");
    expect(alert).toHaveTextContent("task #214");
    expect(screen.getByLabelText("Lesson")).toHaveValue("Mind the clock");

    await person.keyboard("{Escape}");
    await router.navigate({ to: "/settings" });
    await router.navigate({ to: "/features/$name", params: { name: "payments" } });
    await person.click(await screen.findByRole("button", { name: /Add learning/ }));
    expect(screen.getByLabelText("Lesson")).toHaveValue("Mind the clock");
  });

  it("tells the verdict, and never says added when nothing was", async () => {
    world = makeWorld("sample", {
      append_feature_learning: () => ({
        verdict: "observed",
        id: "L001",
        pruned: [],
        conflicts_with: [],
        redacted: 1,
        cut: true,
        saturation: saturation("payments", 46, 38),
        split_task: 214,
        gate: gateReport({ passed: true }),
        reconcile_pending: false,
      }),
    });
    const { person } = renderWindow("/features/payments");
    await person.click(await screen.findByRole("button", { name: /Add learning/ }));
    await person.type(screen.getByLabelText("Lesson"), "Known already");
    await person.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Add learning" }));
    expect(
      await screen.findByText(
        /Already known: counted as an observation.*1 secret taken out.*only its beginning is stored/,
      ),
    ).toBeVisible();
  });

  it("can be retired, and the way back is one click", async () => {
    world = makeWorld();
    const { person } = renderWindow("/features/payments");
    const first = (await screen.findByText(/Refund windows are compared.*SystemTime\.$/)).closest(
      "article",
    ) as HTMLElement;
    await person.click(within(first).getByRole("button", { name: "Retire" }));
    expect(await screen.findByText("Retired 1 learning")).toBeVisible();
    await waitFor(() => expect(screen.queryByText(/Refund windows are compared.*SystemTime\.$/)).toBeNull());
    await person.click(screen.getByRole("button", { name: "Undo" }));
    expect(await screen.findByText(/Refund windows are compared.*SystemTime\.$/)).toBeVisible();
    expect(world.transport.called("undo_learning")).toEqual([{ id: "L001" }]);
  });

  it("move to another feature, and the way back is one command", async () => {
    world = makeWorld();
    const { person } = renderWindow("/features/payments");
    const first = (await screen.findByText(/Refund windows.*SystemTime\.$/)).closest("article") as HTMLElement;
    await person.click(within(first).getByRole("button", { name: "More actions" }));
    await person.click(await screen.findByRole("menuitem", { name: "Offline sync" }));
    expect(world.transport.called("move_learning")).toEqual([{ id: "L001", to: "sync" }]);
    await person.click(await screen.findByRole("button", { name: "Undo" }));
    expect(world.transport.called("undo_learning")).toEqual([{ id: "L001" }]);
  });

  it("link to tasks of this database alone; those of another clone name it", async () => {
    world = makeWorld("empty");
    world.features.push(featureRow("payments", { saturation: saturation("payments", 3, 0) }));
    world.learnings.push(
      learning("A", "payments", "Learned here", { task_id: 7, replica: OWN_REPLICA }),
      learning("B", "payments", "Learned before there were replicas", { task_id: 8 }),
      learning("C", "payments", "Learned in a clone", { task_id: 9, replica: "01KARX0000000000000000CLN7" }),
    );
    renderWindow("/features/payments");
    expect(await screen.findByRole("link", { name: "#7" })).toHaveAttribute(
      "href",
      expect.stringContaining("/tasks/7"),
    );
    expect(screen.getByRole("link", { name: "#8" })).toBeVisible();
    expect(screen.getByTestId("foreign-task")).toHaveTextContent("#9 of …CLN7");
    expect(screen.queryByRole("link", { name: "#9" })).toBeNull();
  });

  it("are acted on in bulk", async () => {
    world = makeWorld();
    const { person } = renderWindow("/features/payments?q=ledger");
    await screen.findAllByText(/nextest/);
    await person.click(screen.getByRole("checkbox", { name: "Select all" }));
    await person.click(screen.getByRole("button", { name: "Review" }));
    await screen.findByText(/^Reviewed \d+ learnings$/);
    expect(world.transport.called("review_learning").length).toBeGreaterThan(5);
  });

  it("say their quality, why the gate warned, and what they are related to", async () => {
    world = makeWorld();
    const { person } = renderWindow("/features/payments");
    const warned = (await screen.findByText(/^Amounts are integers.*decimals\.$/)).closest("article") as HTMLElement;
    await person.hover(await within(warned).findByRole("button", { name: "quality 0.31" }));
    expect((await screen.findAllByText(/The gate warned: quality 0\.31; a lesson needs 0\.40/))[0]).toBeVisible();
    const fresh = screen.getByText(/^Refund windows.*SystemTime\.$/).closest("article") as HTMLElement;
    expect(within(fresh).getByRole("button", { name: "not compared yet" })).toBeVisible();
    const sibling = screen.getByText(/^A webhook may arrive.*not by id\.$/).closest("article") as HTMLElement;
    within(sibling).getByRole("button", { name: "related" }).focus();
    expect((await screen.findAllByText("81 % alike, both kept:"))[0]).toBeVisible();
  });
});

describe("the context of a feature", () => {
  it("is saved once it is stored, also where it was stored in other words", async () => {
    const world = makeWorld();
    world.transport.handlers.update_feature = (name, patch) => {
      const row = world.features.find(({ feature }) => feature.name === name);
      if (!row) throw fault("not_found", "There is none");
      const feature = { ...row.feature, description: patch.description?.trim() ?? row.feature.description };
      world.features = world.features.map((one) => (one === row ? { ...row, feature } : one));
      void Promise.resolve().then(() => world.transport.changed("features"));
      return feature;
    };
    const { person } = renderWindow("/features/payments?tab=context");
    await person.type(await screen.findByLabelText("What it is for"), " and more  ");
    const save = screen.getByRole("button", { name: "Save" });
    await person.click(save);
    await waitFor(() => expect(save).toHaveAttribute("aria-disabled", "true"));
    expect(screen.getByLabelText<HTMLTextAreaElement>("What it is for").value).toMatch(/ and more$/);
  });

  it("keeps what is typed while it is being saved", async () => {
    const saved = later<Feature>();
    const { features } = makeWorld("sample", { update_feature: () => saved.promise });
    const { person } = renderWindow("/features/payments?tab=context");
    const field = await screen.findByLabelText<HTMLTextAreaElement>("What it is for");
    await person.type(field, " and more");
    await person.click(screen.getByRole("button", { name: "Save" }));
    await person.type(field, ", and a word since");
    const description = `${features[0]?.feature.description} and more`;
    await act(async () => saved.resolve({ ...(features[0] as FeatureRow).feature, description }));
    expect(field).toHaveValue(`${description}, and a word since`);
    expect(screen.getByRole("button", { name: "Save" })).not.toHaveAttribute("aria-disabled");
  });
});

describe("the history of a feature's saturation", () => {
  it("is drawn above the journal, with the numbers behind it on demand", async () => {
    world = makeWorld();
    const { person } = renderWindow("/features/payments?tab=journal");
    expect(
      await screen.findByRole("img", { name: /^Saturation of payments: from 0 % on .* to 92 % now$/ }),
    ).toBeVisible();
    await person.click(screen.getByText("47 changes"));
    const rows = within(await screen.findByRole("table", { name: "Saturation of payments" })).getAllByRole("row");
    expect(rows[1]).toHaveTextContent(/46385092 %$/);
    expect(world.transport.called("saturation_history")).toEqual([{ feature: "payments" }]);
  });
});

describe("the journal of a feature", () => {
  it("stays on screen while earlier lines are fetched", async () => {
    const earlier = later<JournalEntry[]>();
    const lines = Array.from({ length: 200 }, (_, at) => ({
      id: `L${at}`,
      at: before(at),
      event: "learned",
      learning: null,
      summary: `Line ${at}`,
    }));
    world = makeWorld("sample", {
      list_journal: (_, limit) => (limit > 200 ? earlier.promise : lines) as JournalEntry[],
    });
    const { person } = renderWindow("/features/payments?tab=journal");
    await person.click(await screen.findByRole("button", { name: "Show earlier" }));
    expect(screen.getByText("Line 0")).toBeVisible();
    earlier.resolve([...lines, { ...lines[0], id: "L200", event: "parked", summary: "The first" }] as JournalEntry[]);
    expect(await screen.findByText("The first")).toBeVisible();
  });

  it("names its events as people do", async () => {
    const events = ["learned", "conflict_resolved", "parked", "an_event_of_later"];
    const entry = (event: string, at: number) => ({
      id: `E${at}`,
      at: "2026-05-03T10:00:00Z",
      event,
      learning: null,
      summary: `What happened ${at}`,
      act: null,
    });
    world = makeWorld("sample", { list_journal: () => events.map(entry) });
    renderWindow("/features/payments?tab=journal");
    const line = (await screen.findByText("What happened 0")).closest("ol") as HTMLElement;
    for (const word of ["learnt", "decided", "parked", "an event of later"]) {
      expect(within(line).getByText(word)).toBeVisible();
    }
  });
});

describe("the split of a feature", () => {
  it("says what is still to do, and which tasks could go together", async () => {
    world = makeWorld();
    renderWindow("/features/payments?tab=split");
    const asked = within(await screen.findByRole("list", { name: "What closing the split task requires" }));
    expect(asked.getByText("0 of at least 2 child features")).toBeVisible();
    expect(asked.getByText("4 open tasks to move")).toBeVisible();
    expect(asked.getAllByRole("img", { name: "To do" })).toHaveLength(2);
    const clusters = within(await screen.findByRole("list", { name: "Suggested clusters" }));
    expect(await clusters.findByText("refund, provider, retry")).toBeVisible();
    expect(clusters.getByRole("link", { name: "Retry refunds that time out" })).toBeVisible();
    expect(clusters.queryByText(/Idempotency keys/)).toBeNull();
  });

  it("is ready to be closed with two children and nothing left to move", async () => {
    const done = { progress: { children: 2, open_tasks: [] }, left: "", clusters: [] };
    world = makeWorld("sample", { get_split: () => done });
    renderWindow("/features/payments?tab=split");
    expect(await screen.findByText("the split task can be closed")).toBeVisible();
    expect(screen.getByText("no open task is left here")).toBeVisible();
  });
});
