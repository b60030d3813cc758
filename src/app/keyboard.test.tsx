import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { toast } from "sonner";
import { describe, expect, it } from "vitest";
import { LEARNING_TEXT_CHARS } from "@/ipc";
import { fault } from "@/ipc/fake-transport";
import { run, runRow } from "@/test/builders";
import { renderWindow } from "@/test/render";
import { makeWorld } from "@/test/world";

describe("the keys of a list", () => {
  it("leave the menu of one of its rows its arrow keys", async () => {
    makeWorld();
    const { person } = renderWindow("/features/payments");
    const rows = within(await screen.findByRole("list", { name: "Learnings" }));
    const third = (await rows.findAllByRole("button", { name: "More actions" }))[2] as HTMLElement;
    third.focus();
    await person.keyboard("{Enter}");
    const items = within(await screen.findByRole("menu")).getAllByRole("menuitem");
    // Opened by a key, it has the focus on its first item without another key press.
    await waitFor(() => expect(items[0]).toHaveFocus());
    expect(items[0]).toHaveTextContent(/^Undo the last change/);
    await person.keyboard("{ArrowDown}");
    await waitFor(() => expect(items[1]).toHaveFocus());
  });
});

describe("the review of knowledge by keyboard", () => {
  it("leads from row to row through all its parts", async () => {
    makeWorld();
    const { person } = renderWindow("/knowledge?tab=review");
    await screen.findByRole("article", { name: "Conflict in sync" });
    await person.keyboard("j");
    expect(screen.getByRole("article", { name: "Conflict in sync" })).toHaveFocus();
    const parts = new Set<string | null | undefined>();
    for (let step = 0; step < 12; step++) {
      await person.keyboard("j");
      parts.add(document.activeElement?.closest("section[aria-label]")?.getAttribute("aria-label"));
    }
    expect([...parts]).toEqual(
      expect.arrayContaining(["Parked", "Gate warnings", "Doubted", "Said again", "Done by Ralph"]),
    );
  });
});

describe("Ctrl+Enter in a form", () => {
  it("sends it once, however long the keys are held", async () => {
    const world = makeWorld();
    world.transport.handlers.add_comment = () => new Promise<never>(() => {});
    const { person } = renderWindow("/tasks/214");
    await person.type(await screen.findByRole("textbox", { name: "New comment" }), "Once.");
    await person.keyboard("{Control>}{Enter}{Enter}{Enter}{/Control}");
    await waitFor(() =>
      expect(screen.getByRole("button", { name: "Comment" })).toHaveAttribute("aria-disabled", "true"),
    );
    await person.keyboard("{Control>}{Enter}{/Control}");
    expect(world.transport.called("add_comment")).toHaveLength(1);
  });

  it("sends nothing that its button would not", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/features/payments");
    await person.click(await screen.findByRole("button", { name: "Add learning" }));
    const lesson = await screen.findByRole("textbox", { name: "Lesson" });
    fireEvent.change(lesson, { target: { value: "x".repeat(LEARNING_TEXT_CHARS + 1) } });
    await person.type(lesson, "{Control>}{Enter}{/Control}");
    expect(screen.getByRole("button", { name: "Add learning" })).toHaveAttribute("aria-disabled", "true");
    expect(world.transport.called("append_feature_learning")).toEqual([]);
  });

  it.each(["What to do", "Priority", "Depends on", "Keep as a draft"])("sends a task from '%s'", async (name) => {
    const world = makeWorld();
    const { person } = renderWindow("/tasks?new=true&feature=auth");
    await person.type(await screen.findByRole("textbox", { name: "Title" }), "Say hello");
    act(() => screen.getByLabelText(name).focus());
    await person.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() => expect(world.transport.called("create_task")).toHaveLength(1));
  });

  it("leaves a plain button its own meaning", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/tasks?new=true&feature=auth");
    await person.type(await screen.findByRole("textbox", { name: "Title" }), "Say hello");
    act(() => screen.getByRole("button", { name: "Cancel" }).focus());
    await person.keyboard("{Control>}{Enter}{/Control}");
    expect(world.transport.called("create_task")).toEqual([]);
  });
});

describe("the keys that scroll", () => {
  async function shown(address: string) {
    makeWorld();
    const { person } = renderWindow(address);
    await screen.findByRole("heading", { level: 1 });
    const scroller = document.querySelector("main [data-scroller]") as HTMLElement;
    Object.defineProperty(scroller, "scrollHeight", { value: 4000 });
    return { person, scroller };
  }

  it("scroll the page also where nothing has the focus, or what does is outside of it", async () => {
    const { person, scroller } = await shown("/insights");
    await person.keyboard("{PageDown}");
    expect(scroller.scrollTop).toBe(760);
    await person.keyboard("{Shift>} {/Shift}{ArrowDown}");
    expect(scroller.scrollTop).toBe(40);
    screen.getByRole("link", { name: /^Insights/ }).focus();
    await person.keyboard("{End}");
    expect(scroller.scrollTop).toBe(4000);
  });

  it("stay with what has the focus", async () => {
    const { person, scroller } = await shown("/features");
    (await screen.findByRole("link", { name: "Payments" })).focus();
    await person.keyboard("{PageDown}");
    screen.getByRole("button", { name: "New feature" }).focus();
    await person.keyboard(" ");
    screen.getByRole("textbox", { name: "Name" }).focus();
    await person.keyboard("{End}{PageDown}");
    expect(scroller.scrollTop).toBe(0);
  });
});

/** What engines do with a disabled control that has the focus, and jsdom does not. */
async function blurWhileDisabled(control: HTMLElement): Promise<void> {
  await waitFor(() => expect(control).toBeDisabled());
  const other = document.querySelector("main");
  other?.focus();
  other?.blur();
}

describe("the focus", () => {
  it("is back on a button once what it began has failed", async () => {
    const world = makeWorld();
    let refuse = (_: unknown) => {};
    world.transport.handlers.create_task = () =>
      new Promise<never>((_, fail) => {
        refuse = fail;
      });
    const { person } = renderWindow("/tasks?new=true&feature=auth");
    await person.type(await screen.findByRole("textbox", { name: "Title" }), "Say hello");
    const button = screen.getByRole("button", { name: "Create task" });
    button.focus();
    await person.keyboard("{Enter}");
    await blurWhileDisabled(button);
    refuse(fault("busy", "Another process writes."));
    await waitFor(() => expect(button).toHaveFocus());
  });

  it("goes on from the row where it was lost", async () => {
    makeWorld();
    const { person } = renderWindow("/tasks");
    await screen.findByRole("region", { name: "Ready" });
    await person.keyboard("jjj");
    const third = document.activeElement as HTMLElement;
    third.blur();
    await person.keyboard("j");
    expect(third).toHaveFocus();
  });

  it("goes on by Tab from the place of a row that went while nothing had it", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/needs-you");
    const [first] = await screen.findAllByTestId("blocked");
    const button = within(first as HTMLElement).getByRole("button", { name: /^Put back/ });
    button.focus();
    button.blur();
    const number = Number(first?.querySelector("a")?.getAttribute("href")?.split("/").at(-1));
    const left = world.overview.needs_you.filter((item) => item.kind !== "blocked_task" || item.task !== number);
    world.overview = { ...world.overview, needs_you: left };
    await act(() => world.transport.changed("tasks"));
    await waitFor(() => expect(first).not.toBeInTheDocument());
    const rows = [...document.querySelectorAll("main [data-row]")];
    await person.tab();
    const at = rows.indexOf(document.activeElement as Element);
    expect(at, "a row further down, and not the first control of the page").toBeGreaterThan(0);
  });
});

describe("Alt and the arrow to the left", () => {
  it.each([
    ["X11; Linux x86_64", "/features"],
    ["Macintosh; Intel Mac OS X 10_15_7", "/tasks/214"],
  ])("in a text of %s lead to %s", async (system, path) => {
    const { userAgent } = navigator;
    Object.defineProperty(navigator, "userAgent", { configurable: true, value: `Mozilla/5.0 (${system})` });
    makeWorld();
    const { person, router } = renderWindow("/features");
    await screen.findByText("Payments");
    await router.navigate({ to: "/tasks/$id", params: { id: "214" } });
    await person.type(await screen.findByRole("textbox", { name: "New comment" }), "Two words");
    await person.keyboard("{Alt>}{ArrowLeft}{/Alt}");
    expect(router.history.location.pathname).toBe(path);
    Object.defineProperty(navigator, "userAgent", { configurable: true, value: userAgent });
  });
});

describe("the message of a fault", () => {
  async function refused() {
    const world = makeWorld();
    world.transport.handlers.put_back = () => Promise.reject(fault("busy", "Another process writes.", "Try again."));
    const { person } = renderWindow("/needs-you");
    const button = await screen.findByRole("button", { name: "Put back #199" });
    await person.click(button);
    expect(await screen.findByText("Another process writes.")).toBeVisible();
    return { person, button };
  }
  const isGone = () => waitFor(() => expect(screen.queryByText("Another process writes.")).toBeNull());

  it("shows once, and stays until it was read", async () => {
    const { person, button } = await refused();
    await waitFor(() => expect(button).not.toHaveAttribute("aria-disabled"));
    await person.click(button);
    await waitFor(() => expect(button).not.toHaveAttribute("aria-disabled"));
    expect(toast.getToasts()).toMatchObject([{ duration: Number.POSITIVE_INFINITY }]);
    await person.click(screen.getByRole("button", { name: "Close the message" }));
    await isGone();
  });

  it("goes by Escape", async () => {
    const { person } = await refused();
    await person.keyboard("{Escape}");
    await isGone();
  });
});

describe("a screen reader", () => {
  it("is told what becomes of the run, and what waits, while it reads something else", async () => {
    const world = makeWorld();
    renderWindow("/settings");
    const told = await screen.findByText(/^Run 38 is running, \d+ things wait for you$/);
    expect(told).toHaveAttribute("aria-live", "polite");
    world.overview = { ...world.overview, active_run: null, rests_after: runRow(run(38)), needs_you_count: 1 };
    await world.transport.changed("runs");
    await waitFor(() => expect(told).toHaveTextContent("Run 38 has ended, 1 thing waits for you"));
  });
});

describe("other keyboards", () => {
  it("open the palette and move through rows where the letters of the shortcuts stand", async () => {
    makeWorld();
    renderWindow("/features");
    const rows = await screen.findAllByTestId("feature-row");
    fireEvent.keyDown(document.body, { key: "о", code: "KeyJ" });
    expect(rows[0]?.contains(document.activeElement)).toBe(true);
    fireEvent.keyDown(document.body, { key: "л", code: "KeyK", ctrlKey: true });
    expect(await screen.findByRole("dialog", { name: "Search everything" })).toBeVisible();
  });

  it("give up a word of an input method, and not the form that it is written in", async () => {
    makeWorld();
    const { person } = renderWindow("/tasks?new=true");
    const title = await screen.findByLabelText("Title");
    await person.type(title, "a");
    for (const composed of [{ isComposing: true }, { keyCode: 229 }])
      fireEvent.keyDown(title, { key: "Escape", code: "Escape", ...composed });
    expect(title).toBeVisible();
    fireEvent.keyDown(title, { key: "Escape", code: "Escape" });
    await waitFor(() => expect(title).not.toBeInTheDocument());
  });
});

it("Alt with an arrow goes back and forward again", async () => {
  makeWorld();
  const { router } = renderWindow("/features");
  await screen.findByRole("heading", { name: "Features" });
  await act(() => router.navigate({ to: "/tasks" }));
  fireEvent.keyDown(document.body, { key: "ArrowLeft", altKey: true });
  expect(await screen.findByRole("heading", { name: "Features" })).toBeVisible();
  fireEvent.keyDown(document.body, { key: "ArrowRight", altKey: true });
  expect(await screen.findByRole("heading", { name: "Tasks" })).toBeVisible();
});
