import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { EVIDENCE_ITEMS, type Iteration } from "@/ipc";
import { fault } from "@/ipc/fake-transport";
import { iteration, run, runRow } from "@/test/builders";
import { renderWindow } from "@/test/render";
import { makeWorld, type World } from "@/test/world";

let world: World;

describe("a run", () => {
  it("shows the live transcript: folded calls, marked failures, sigils apart", async () => {
    world = makeWorld();
    renderWindow("/loop/38");
    const log = await screen.findByRole("log");
    expect(within(log).getByText("42 passed · 1.4 s")).toBeVisible();
    expect(within(log).getByText("1 of 42 failed · 1.4 s")).toHaveClass("text-bad");
    expect(within(log).getByText(/denied/)).toBeVisible();
    expect(within(log).getAllByTestId("sigil")).toHaveLength(2);
  });

  it("shows what an agent prints as plain text, never as markup", async () => {
    world = makeWorld("sample", {
      follow_transcript: (_iteration, channel) => {
        const text = '<img src=x onerror="alert(1)"> **bold**';
        const read = { spoken: [{ kind: "prose" as const, text }], answer: null };
        const signal = { kind: "text" as const, text };
        const entries = [{ at: new Date().toISOString(), by: "agent" as const, signal, ...read }];
        channel.onmessage({ entries, ended: true, gone: false });
        return null;
      },
    });
    renderWindow("/loop/38");
    const log = await screen.findByRole("log");
    expect(within(log).getByText('<img src=x onerror="alert(1)"> **bold**')).toBeVisible();
    expect(log.querySelector("img")).toBeNull();
  });

  it("says that a transcript's file is gone, not that its agent said nothing", async () => {
    let gone = true;
    world = makeWorld("sample", {
      follow_transcript: (_iteration, channel) => {
        channel.onmessage({ entries: [], ended: true, gone });
        return null;
      },
    });
    const { router } = renderWindow("/loop/38");
    expect(await screen.findByText("The transcript's file is not there")).toBeVisible();
    expect(screen.queryByText(/without a word/)).toBeNull();
    gone = false;
    await router.navigate({ to: "/features" });
    await router.navigate({ to: "/loop/$run", params: { run: "38" } });
    expect(await screen.findByText("The agent ended without a word.")).toBeVisible();
  });

  it("stops the reader on the other side when the page is left", async () => {
    world = makeWorld();
    const { router } = renderWindow("/loop/38");
    await screen.findByRole("log");
    await router.navigate({ to: "/features" });
    await waitFor(() => expect(world.transport.called("stop_following").length).toBeGreaterThan(0));
  });

  it("says that older iterations of a long run are not listed", async () => {
    world = makeWorld("sample", {
      get_run: () => ({
        run: run(38, { iterations: 620 }),
        iterations: [iteration(104, 38, 208, "Refund")],
        done: 1,
        failed: 0,
        result: "done",
      }),
    });
    renderWindow("/loop/38");
    expect(await screen.findByText("The newest 1 of 620 are listed.")).toBeVisible();
  });

  it("does not tell the named files as all that changed where the list was cut", async () => {
    const changed_files = Array.from({ length: EVIDENCE_ITEMS }, (_, at) => `gen/${at}.rs`);
    const one = iteration(104, 38, 208, "Refund");
    one.evidence.changed_files = changed_files;
    world = makeWorld("sample", {
      get_run: () => ({ run: run(38), iterations: [one], done: 1, failed: 0, result: "done" }),
    });
    const { person } = renderWindow("/loop/38/104");
    await person.click(await screen.findByRole("tab", { name: /Changed.*200\+/ }));
    expect(await screen.findByText("at least 200 changed files")).toBeVisible();
  });

  it("tells the exact prompt, the evidence and the hooks", async () => {
    world = makeWorld();
    const { person } = renderWindow("/loop/38/104");
    await person.click(await screen.findByRole("tab", { name: /Told/ }));
    expect(await screen.findByText(/A refund whose provider call times out is lost today/)).toBeVisible();
    expect(screen.getByRole("region", { name: "Previous Attempts" })).toHaveTextContent("from memory");
    await person.click(screen.getByRole("tab", { name: /Changed/ }));
    expect(await screen.findByText("failed with 100")).toBeVisible();
    const diff = await screen.findByRole("region", { name: "Diff" });
    expect(within(diff).getByText("retry.rs")).toBeVisible();
    // The files are counted once, as the tab does; those that no commit holds are named.
    const panel = screen.getByRole("tabpanel", { name: /Changed/ });
    expect(within(panel).getByText("3 changed files")).toBeVisible();
    expect(within(panel).queryByText(/^\d+ files?$/)).toBeNull();
    expect(within(panel).getByText("Not committed: src/refund/clock.rs, tests/refund.rs")).toBeVisible();
    const added = within(diff).getAllByTestId("diff-line")[3];
    expect(added).toHaveTextContent("13+added: pub fn due(&self, now: Timestamp) -> bool {");
    await person.click(screen.getByRole("tab", { name: /Hooks/ }));
    expect(await screen.findByText("#208 is ready again; second attempt")).toBeVisible();
  });
});

describe("the list of runs", () => {
  it.each([
    [499, "499 runs"],
    [500, "the newest 500 runs"],
  ])("of %i says no more than is known", async (n, words) => {
    world = makeWorld("empty", { list_runs: () => Array.from({ length: n }, (_, at) => runRow(run(at + 1))) });
    renderWindow("/loop");
    expect(await screen.findByText(words)).toBeVisible();
  });
});

describe("what an iteration was told", () => {
  it("does not take for gone what is still on its way, and says what could not be read", async () => {
    let arrive = () => {};
    const arrived = new Promise<void>((done) => {
      arrive = done;
    });
    const memory = (kind: "fact" | "episode", id: string) => ({ kind, id, rank: 1, channels: [] });
    world = makeWorld("sample", {
      list_facts: () => arrived.then(() => []),
      list_episodes: () => {
        throw fault("database", "The episodes can't be read");
      },
    });
    const get = world.transport.handlers.get_iteration;
    world.transport.handlers.get_iteration = async (id) => {
      const detail = await get?.(id);
      if (!detail) throw fault("not_found", "There is none");
      const told = [memory("fact", "F404"), memory("episode", "E1")];
      return { ...detail, iteration: { ...detail.iteration, told } };
    };
    renderWindow("/loop/38/105?tab=told");
    const told = within(await screen.findByRole("region", { name: "Told learnings" }));
    expect(await told.findByRole("alert")).toHaveTextContent("The episodes can't be read");
    expect(told.queryByText(/not kept any more/)).toBeNull();
    arrive();
    expect(await told.findByText("F404, which is not kept any more")).toBeVisible();
    expect(told.queryByText(/^E1/)).toBeNull();
  });

  it("leads to each learning", async () => {
    world = makeWorld();
    const { person, router } = renderWindow("/loop/38/105?tab=told");
    const told = await screen.findByRole("region", { name: "Told learnings" });
    expect(await within(told).findAllByRole("link")).toHaveLength(4);
    await person.click(within(told).getByText(/Run `cargo nextest run -p refund` before committing/));
    await waitFor(() => expect(router.state.location.pathname).toBe("/features/payments"));
    expect(router.state.location.search).toMatchObject({ q: expect.stringContaining("Run `cargo nextest") });
  });

  it("says what was withheld from an iteration that was held out", async () => {
    world = makeWorld();
    renderWindow("/loop/38/103?tab=told");
    const withheld = await screen.findByRole("region", { name: "Withheld learnings" });
    expect(withheld).toHaveTextContent("held out: 3 learnings withheld");
    expect(await within(withheld).findAllByRole("link")).toHaveLength(3);
  });
});

describe("the iterations of a run", () => {
  it("give the reason of each model, and mark costs that are estimated", async () => {
    world = makeWorld();
    renderWindow("/loop/38");
    expect(await screen.findByText("escalate: opus, one step up after 3 failures in a row of #208")).toBeVisible();
    const rows = screen.getAllByTestId("iteration");
    const heldOut = rows.find((row) => row.textContent?.includes("#207"));
    expect(within(heldOut as HTMLElement).getByText("≈ $0.34")).toHaveAttribute(
      "title",
      expect.stringContaining("Estimated"),
    );
    expect(heldOut).toHaveTextContent("held out: 3 learnings withheld");
    const reported = rows.find((row) => row.textContent?.includes("#206"));
    expect(reported).not.toHaveTextContent("≈");
  });

  it("stand below what errands added to the run's cost", async () => {
    world = makeWorld();
    const get = world.transport.handlers.get_run;
    world.transport.handlers.get_run = async (id) => {
      const detail = await get?.(id);
      if (!detail) throw fault("not_found", "There is none");
      return { ...detail, run: { ...detail.run, errands_usd: 0.4 } };
    };
    renderWindow("/loop/38");
    const list = await screen.findByRole("region", { name: "Run 38" });
    expect(list).toHaveTextContent("$1.84, part estimated · 41 min");
    expect(list).toHaveTextContent("$0.40 of it by errands");
    expect(within(list).getByRole("link", { name: "errands" })).toHaveAttribute("href", "/loop");
  });

  it("name the saturation before and after, and the split task that one caused", async () => {
    world = makeWorld();
    renderWindow("/loop/38/104");
    await screen.findByText("escalate: opus, one step up after 3 failures in a row of #208");
    const said = await screen.findAllByTestId("iteration-saturation");
    const words = said.map(({ textContent }) => textContent);
    expect(words).toContain("knowledge 88 → 92 % · made split task #214");
    // If the saturation did not change, only the iteration itself says how full the feature is.
    expect(words).not.toContain("knowledge 88 %");
    expect(screen.getByRole("link", { name: "split task #214" })).toHaveAttribute(
      "href",
      expect.stringContaining("/tasks/214"),
    );
  });

  it("say why a model was chosen where it changed, and how they ended where that differs from the one like them", async () => {
    const told = (id: number, more: Partial<Iteration>) =>
      iteration(id, 38, 300 + id, `Task ${id}`, { model: "haiku", rationale: `the weakest, ${id}`, ...more });
    makeWorld("sample", {
      get_run: () => ({
        run: run(38, { iterations: 4 }),
        done: 2,
        failed: 1,
        result: "done",
        iterations: [
          told(4, { outcome: "done", note: "1 commit" }),
          told(3, { outcome: "failed", note: "the check failed" }),
          told(2, { outcome: "done", note: "1 commit", model: "opus" }),
          told(1, { outcome: "done", note: "2 commits" }),
        ],
      }),
    });
    renderWindow("/loop/38");
    const rows = await screen.findAllByTestId("iteration");
    expect(rows.map((row) => /the weakest, \d/.exec(row.textContent ?? "")?.[0] ?? null)).toEqual([
      null,
      "the weakest, 3",
      "the weakest, 2",
      "the weakest, 1",
    ]);
    expect(rows.map((row) => /\d commits?|the check failed/.exec(row.textContent ?? "")?.[0] ?? null)).toEqual([
      null,
      "the check failed",
      "1 commit",
      "2 commits",
    ]);
  });

  it("say when the task is stuck, with what was tried", async () => {
    world = makeWorld();
    renderWindow("/loop/38");
    const stuck = await screen.findByTestId("stuck");
    expect(stuck).toHaveTextContent("stuck: failed 3 times in a row");
    expect(stuck).toHaveTextContent("Mocked the system clock in the refund tests · Added a retry crate");
    expect(within(stuck).getByRole("link")).toHaveAttribute("href", expect.stringContaining("/tasks/208"));
  });
});

describe("the run bar", () => {
  it("has pause and stop in reach from every page", async () => {
    world = makeWorld();
    const { person } = renderWindow("/settings");
    const bar = await screen.findByTestId("run-bar");
    expect(await within(bar).findByText("iteration 5 of 20")).toBeVisible();
    expect(bar).toHaveTextContent("≈ $1.84, part estimated of $5.00");
    expect(within(bar).getByText(/^≈ \$1\.84/)).toHaveAttribute("title", expect.stringContaining("$0.34 of this"));
    await person.click(within(bar).getByRole("button", { name: "Pause" }));
    await person.click(within(bar).getByRole("button", { name: "Stop after this" }));
    await person.click(within(bar).getByRole("button", { name: "Stop now" }));
    expect(world.transport.called("control_run")).toEqual([
      { run: 38, control: "pause", lane: null },
      { run: 38, control: "stop_after", lane: null },
      { run: 38, control: "stop_now", lane: null },
    ]);
  });
});

describe("the start form", () => {
  it("says at the field which numbers it may be, and never starts without a limit that was meant", async () => {
    world = makeWorld("empty");
    const { person } = renderWindow("/loop");
    const dollars = await screen.findByLabelText("Dollars");
    const start = screen.getByRole("button", { name: "Start" });
    await person.clear(dollars);
    for (const typed of ["1.5.2", "2,50", "1e3"]) {
      await person.type(dollars, typed);
      expect(dollars).toHaveValue(typed);
      expect(dollars).toHaveAccessibleDescription(/an amount such as 2.50 is needed/);
      expect(start).toHaveAttribute("aria-disabled", "true");
      await person.clear(dollars);
    }
    await person.type(screen.getByLabelText("Minutes"), "99999999999");
    expect(screen.getByLabelText("Minutes")).toHaveAccessibleDescription("between 0 and 1,000,000");
    await person.clear(screen.getByLabelText("Minutes"));
    await person.type(screen.getByLabelText("Workers"), "33");
    expect(screen.getByLabelText("Workers")).toHaveAccessibleDescription("between 1 and 32");
    expect(start).toHaveAttribute("aria-disabled", "true");
    await person.type(screen.getByLabelText("Workers"), "{Enter}");
    expect(world.transport.called("start_run")).toEqual([]);
    await person.clear(screen.getByLabelText("Workers"));
    expect(start).not.toHaveAttribute("aria-disabled");
  });

  it("has no word missed where a person stopped the run", async () => {
    world = makeWorld();
    const runs = world.transport.handlers.list_runs;
    world.transport.handlers.list_runs = async () =>
      ((await runs?.()) ?? []).map((run) => ({ ...run, stop_reason: run.id === 37 ? "stopped_now" : run.stop_reason }));
    renderWindow("/loop");
    const row = (await screen.findByText("Run 37")).closest("li");
    expect(row).toHaveTextContent("stopped at once");
    expect(row).not.toHaveTextContent("without a word");
  });

  it("sends what was typed, and keeps it when the start is refused", async () => {
    world = makeWorld("empty", {
      start_run: () => {
        throw fault("agent_unavailable", "Claude Code was not found.", "Install it, or name its path in Settings.");
      },
    });
    const { person } = renderWindow("/loop");
    const iterations = await screen.findByLabelText("Iterations");
    await person.clear(iterations);
    await person.type(iterations, "7");
    await person.clear(screen.getByLabelText("Check"));
    expect(screen.getByRole("combobox", { name: "Strategy" })).toHaveTextContent("Escalate");
    await person.click(screen.getByText("More"));
    await person.type(screen.getByLabelText("Hold-out, percent"), "20");
    await person.type(screen.getByLabelText("Workers"), "3");
    await person.click(screen.getByRole("button", { name: "Start" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("Install it, or name its path");
    expect(iterations).toHaveValue("7");
    expect(world.transport.called("start_run")).toEqual([
      {
        request: {
          agent: "claude",
          model: null,
          script: null,
          task: null,
          limits: { max_iterations: 7, max_minutes: 0, max_usd: 5 },
          check: "",
          permissions: null,
          checkout: null,
          strategy: "escalate",
          hold_out: 20,
          workers: 3,
          in_place: null,
        },
      },
    ]);
    await person.type(iterations, "1");
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("follows the settings in what nobody typed over, also when something else was typed before they changed", async () => {
    world = makeWorld("empty");
    const { person, unmount } = renderWindow("/loop");
    const iterations = await screen.findByLabelText("Iterations");
    await person.clear(iterations);
    await person.type(iterations, "7");
    unmount();
    world = makeWorld("empty");
    world.settings = { ...world.settings, check: "npm test", max_usd: 3 };
    renderWindow("/loop");
    expect(await screen.findByLabelText("Iterations")).toHaveValue("7");
    expect(screen.getByLabelText("Check")).toHaveValue("npm test");
    expect(screen.getByLabelText("Dollars")).toHaveValue("3");
  });

  it("does not give as its own what the settings have, so that a folder's check still waits for a yes", async () => {
    world = makeWorld("empty", {
      start_run: () => {
        throw fault("untrusted", "The folder brings a check along.", "Agree to it first.");
      },
    });
    const { person } = renderWindow("/loop");
    expect(await screen.findByLabelText("Check")).not.toHaveValue("");
    await person.click(screen.getByRole("button", { name: "Start" }));
    await screen.findByRole("alert");
    expect(world.transport.called("start_run")).toEqual([
      { request: expect.objectContaining({ check: null, script: null }) },
    ]);
  });
});
