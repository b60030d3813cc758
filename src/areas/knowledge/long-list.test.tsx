import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { LearningFilter } from "@/ipc";
import { fault, type Handlers } from "@/ipc/fake-transport";
import { learning } from "@/test/builders";
import { renderWindow } from "@/test/render";
import { makeWorld, type World } from "@/test/world";

let world: World;

describe("a long list of learnings", () => {
  const asked = () => world.transport.called("learning_page") as { filter: LearningFilter; from: number }[];
  const withMany = (overrides: Handlers = {}) => {
    world = makeWorld("sample", overrides);
    const many = Array.from({ length: 950 }, (_, at) => learning(`M${at}`, "sync", `Lesson ${at}.`, {}));
    world.learnings.splice(0, world.learnings.length, ...many);
  };
  const scrollTo = (list: HTMLElement, top: number) => {
    list.scrollTop = top;
    fireEvent.scroll(list);
  };

  it("is counted as a whole, and of its pages only those near what is seen are fetched", async () => {
    withMany();
    renderWindow("/knowledge");
    expect(await screen.findByText("Lesson 0.")).toBeVisible();
    expect(screen.getByText("950 learnings")).toBeVisible();
    expect(asked().map(({ from }) => from)).toEqual([0]);
    scrollTo(screen.getByRole("region", { name: "Learnings" }), 650 * 64);
    expect(await screen.findByText("Lesson 651.")).toBeVisible();
    const from = asked().map((one) => one.from);
    expect(from).toContain(600);
    expect(from.filter((row) => row > 0 && (row < 500 || row > 700))).toEqual([]);
    expect(screen.queryByText("Lesson 0.")).toBeNull();
  });

  it("keeps the place of rows that are on their way", async () => {
    let send = () => {};
    const sent = new Promise<void>((go) => {
      send = go;
    });
    withMany({
      learning_page: async (_, from, most) => {
        if (from > 0) await sent;
        const rows = world.learnings.map((one) => ({ outside: false, outside_replica: null, ...one }));
        return { rows: rows.slice(from, from + most), total: rows.length };
      },
    });
    renderWindow("/knowledge");
    await screen.findByText("Lesson 0.");
    scrollTo(screen.getByRole("region", { name: "Learnings" }), 650 * 64);
    await waitFor(() => expect(document.querySelector("[aria-busy=true]")).not.toBeNull());
    send();
    expect(await screen.findByText("Lesson 651.")).toBeVisible();
    expect(document.querySelector("[aria-busy=true]")).toBeNull();
  });

  it("says what failed on the way to a part of it, and tries again", async () => {
    let broken = true;
    withMany({
      learning_page: (_, from, most) => {
        if (from > 0 && broken) throw fault("io", "The disk does not answer.");
        const rows = world.learnings.map((one) => ({ outside: false, outside_replica: null, ...one }));
        return { rows: rows.slice(from, from + most), total: rows.length };
      },
    });
    const { person } = renderWindow("/knowledge");
    await screen.findByText("Lesson 0.");
    scrollTo(screen.getByRole("region", { name: "Learnings" }), 650 * 64);
    expect(await screen.findByText("The disk does not answer.")).toBeVisible();
    broken = false;
    await person.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByText("Lesson 651.")).toBeVisible();
  });

  it("is filtered where it is stored", async () => {
    withMany();
    Object.assign(world.learnings[949] as object, { category: "gotcha" });
    renderWindow("/knowledge?kind=gotcha");
    expect(await screen.findByText("Lesson 949.")).toBeVisible();
    expect(screen.getByText("1 learning")).toBeVisible();
    expect(asked().map(({ filter }) => filter)).toEqual([
      { feature: null, states: ["active"], category: "gotcha", sources: [] },
    ]);
  });

  it("is not fetched for the hits of a search", async () => {
    world = makeWorld();
    renderWindow("/knowledge?q=refund");
    expect(await screen.findByRole("region", { name: "Hits" })).toBeVisible();
    expect(asked()).toEqual([]);
  });

  it("is asked by the palette for what has the words that are typed", async () => {
    withMany();
    const { person } = renderWindow("/tasks");
    await screen.findByRole("main");
    await person.keyboard("{Control>}k{/Control}");
    await person.type(await screen.findByPlaceholderText(/^Search features/), "lesson 949");
    await person.click(await screen.findByRole("option", { name: "Lesson 949." }));
    expect(await screen.findByText("Lesson 949.")).toBeVisible();
    expect(world.transport.called("list_learnings")).toEqual([{ feature: "sync", states: ["active"] }]);
  });
});

describe("a long review", () => {
  it("tells how much is not listed yet, also where a feature has none of what is", async () => {
    world = makeWorld();
    const queue = await world.transport.handlers.review_queue?.();
    if (!queue) throw new Error("no review queue");
    world.transport.handlers.review_queue = () => ({
      ...queue,
      more: { warnings: 23, acts: 4, said_again: 0, doubts: 0 },
    });
    renderWindow("/knowledge?tab=review&part=warnings");
    expect(await screen.findByText("and 23 more, listed once those before them are decided")).toBeVisible();
    expect(screen.getByRole("link", { name: "Gate warnings 25" })).toBeVisible();
    cleanup();
    renderWindow("/knowledge?tab=review&feature=none-of-these");
    expect(await screen.findByText(/^and 23 more of all features/)).toBeVisible();
    expect(screen.getByText(/^and 4 more of all features, older ones/)).toHaveTextContent(
      "older ones: ralph review undo ID",
    );
    expect(screen.queryByText("Nothing waits for you")).toBeNull();
  });
});
