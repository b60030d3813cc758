import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { iteration, run } from "@/test/builders";
import { renderWindow } from "@/test/render";
import { readFurtherUp } from "@/test/transcript";
import { makeWorld, type World } from "@/test/world";

/** The iteration that is looked at ends, and the run begins the next one. */
async function goesOn({ transport }: World): Promise<void> {
  const { get_run, get_iteration } = transport.handlers;
  const next = iteration(106, 38, 220, "Expire sessions", { outcome: "running", ended: null });
  transport.handlers.get_run = async (id) => {
    const detail = await known(get_run)(id);
    const before = detail.iterations.map((one) =>
      one.ended === null ? { ...one, outcome: "done" as const, ended: one.started } : one,
    );
    return { ...detail, iterations: [next, ...before] };
  };
  transport.handlers.get_iteration = async (id) => ({
    ...(await known(get_iteration)(id === next.id ? 105 : id)),
    ...(id === next.id && { iteration: next }),
  });
  await act(() => transport.changed("runs", "iterations"));
}

function known<T>(handler: T | undefined): T {
  if (!handler) throw new Error("the sample answers this");
  return handler;
}

const chosen = () => within(screen.getByRole("region", { name: "Iterations" })).getByRole("link", { current: true });

describe("the next iteration of a run", () => {
  it("takes the place of the one that is followed", async () => {
    const world = makeWorld();
    renderWindow("/loop/38");
    await screen.findByRole("log");
    await goesOn(world);
    await waitFor(() => expect(chosen()).toHaveTextContent("#220"));
    expect(screen.queryByText(/the run goes on/)).toBeNull();
  });

  it("waits for whoever reads further up, and is one press away", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/loop/38");
    await readFurtherUp();
    await goesOn(world);
    expect(await screen.findByText(/^This one is over, and the run goes on/)).toBeVisible();
    expect(chosen()).toHaveTextContent("#208");
    await person.click(screen.getByRole("button", { name: "Follow the run" }));
    await waitFor(() => expect(chosen()).toHaveTextContent("#220"));
  });

  it("waits for whoever looks at what was changed", async () => {
    const world = makeWorld();
    renderWindow("/loop/38?tab=changed");
    await screen.findByRole("tab", { name: /Changed/, selected: true });
    await goesOn(world);
    expect(await screen.findByText(/the run goes on/)).toBeVisible();
    expect(chosen()).toHaveTextContent("#208");
  });

  it("leaves whoever writes guidance their field, and what they wrote", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/loop/38");
    const name = "What the next iteration on #208 should know";
    await person.type(await screen.findByRole("textbox", { name }), "Pass the");
    await goesOn(world);
    await screen.findByText(/the run goes on/);
    await person.keyboard(" clock.");
    expect(screen.getByRole("textbox", { name })).toHaveValue("Pass the clock.");
    expect(screen.getByRole("textbox", { name })).toHaveFocus();
  });
});

describe("an iteration that the list of its run leaves out", () => {
  it("is the one that its address names", async () => {
    const newest = iteration(720, 38, 220, "Expire sessions");
    const world = makeWorld("sample", {
      get_run: () => ({
        run: run(38, { iterations: 620 }),
        iterations: [newest],
        done: 1,
        failed: 0,
        result: "done",
      }),
    });
    renderWindow("/loop/38/104");
    expect(await screen.findByText("1 refused tool: WebFetch")).toBeVisible();
    await waitFor(() => expect(world.transport.called("follow_transcript")).toHaveLength(1));
    expect(world.transport.called("follow_transcript")).toMatchObject([{ iteration: 104 }]);
    expect(screen.getByRole("region", { name: "Iterations" }).querySelector("[aria-current]")).toBeNull();
  });

  it("is not taken for one of another run", async () => {
    makeWorld();
    renderWindow("/loop/37/104");
    expect(await screen.findByText("Iteration 104 is not one of run 37")).toBeVisible();
    expect(screen.getByRole("link", { name: "See it in run 38" })).toHaveAttribute("href", "/loop/38/104");
  });
});
