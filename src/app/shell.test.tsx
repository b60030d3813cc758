import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { commands } from "@/ipc";
import { fault, type Handlers } from "@/ipc/fake-transport";
import { startZoom, zoom } from "@/lib/zoom";
import { renderWindow } from "@/test/render";
import { makeWorld, type World } from "@/test/world";

const RESTORATION = {
  path: "/home/dev/notes",
  from: "/home/dev/.local/share/ralph/copy.db",
  made: "2026-11-20T10:00:00Z",
  features: 3,
  tasks: 12,
  learnings: 40,
  missing: ["what was done after the copy was made"],
  others: [],
  replaces: false,
};

let world: World;

describe("the shell", () => {
  it("finds every entity and action with Ctrl+K", async () => {
    world = makeWorld();
    const { person, router } = renderWindow("/features");
    await screen.findByTestId("shell");
    await person.keyboard("{Control>}k{/Control}");
    await person.type(await screen.findByPlaceholderText(/Search features/), "cookie");
    await person.click(await screen.findByText("Remove the old cookie format"));
    await waitFor(() => expect(router.state.location.pathname).toBe("/tasks/222"));
  });

  it("finds errands, what they propose, and disciplines", async () => {
    world = makeWorld();
    const [row] = (await world.transport.handlers.list_reviews?.()) ?? [];
    if (!row) throw new Error("no review");
    world.transport.handlers.list_reviews = () => [{ ...row, task: null, errand: 12, title: "Three documents" }];
    const { person, router } = renderWindow("/features");
    await screen.findByTestId("shell");
    for (const [words, found, path] of [
      ["errand 12", /^errand 12$/, "/review/e12"],
      ["errand 1", /^Errand 1$/, "/loop/errands/1"],
      ["discipline backend", /^backend$/i, "/settings"],
    ] as const) {
      await person.keyboard("{Control>}k{/Control}");
      await person.type(await screen.findByPlaceholderText(/Search features/), words);
      await person.click(await screen.findByText(found));
      await waitFor(() => expect(router.state.location.pathname).toBe(path));
    }
  });

  it("leads to the tasks that can be worked now, and not to those that wait for them", async () => {
    world = makeWorld();
    const { person, router } = renderWindow("/features");
    await screen.findByTestId("shell");
    await person.keyboard("{Control>}k{/Control}");
    await person.type(await screen.findByPlaceholderText(/Search features/), "ready tasks");
    await person.click(await screen.findByText("Ready tasks"));
    await waitFor(() => expect(router.state.location.search).toEqual({ ready: true }));
    expect(await screen.findByRole("region", { name: "Ready" })).toBeVisible();
    expect(screen.queryByRole("region", { name: "Waiting on others" })).toBeNull();
    await person.click(screen.getByRole("button", { name: "Only ready" }));
    expect(await screen.findByRole("region", { name: "Waiting on others" })).toBeVisible();
  });

  it("finds a task by its number first, also a closed one behind many that begin with it", async () => {
    world = makeWorld();
    const [some] = world.tasks;
    if (!some) throw new Error("no task");
    world.tasks.push(
      ...Array.from({ length: 12 }, (_, at) => ({
        ...some,
        id: 3000 + at,
        title: `Later ${at}`,
        readiness: "ready" as const,
      })),
      { ...some, id: 3, title: "The third", status: "done" as const, readiness: "closed" as const },
    );
    const { person } = renderWindow("/features");
    await screen.findByTestId("shell");
    await person.keyboard("{Control>}k{/Control}");
    await person.type(await screen.findByPlaceholderText(/Search features/), "#3");
    expect(await screen.findByText("The third")).toBeVisible();
  });

  it("rehearses the palette where nobody sees it, and asks nothing for it", async () => {
    world = makeWorld();
    renderWindow("/settings");
    const palette = () => document.querySelector("[cmdk-input]");
    await waitFor(() => expect(palette()).not.toBeNull());
    expect(palette()?.closest("[inert][aria-hidden=true]")).not.toBeNull();
    expect(screen.queryByRole("dialog")).toBeNull();
    await waitFor(() => expect(palette()).toBeNull());
    expect(world.transport.called("list_tasks")).toEqual([]);
  });

  it.each(["/tasks/abc", "/tasks/99999999999", "/loop/x", "/loop/38/y", "/loop/errands/z", "/review/w1", "/nowhere"])(
    "says that nothing is at %s, and leads on",
    async (address) => {
      world = makeWorld();
      renderWindow(address);
      expect(await screen.findByText("There is nothing at this address")).toBeVisible();
      expect(screen.getByRole("link", { name: "Go to Features" })).toBeVisible();
      expect(screen.queryByText(/fault of Ralph/)).toBeNull();
    },
  );

  it.each([
    ["/tasks/404", "There is no task #404.", "/tasks", "Task #404"],
    ["/features/nowhere", "There is no feature 'nowhere'.", "/features", "Feature nowhere"],
    ["/loop/404", "There is no run 404.", "/loop", "Run 404"],
  ])("leads from %s, which does not exist, to what there is", async (address, words, list, title) => {
    world = makeWorld();
    const { person, router } = renderWindow(address);
    const note = await screen.findByRole("alert");
    expect(note).toHaveTextContent(words);
    expect(within(note).queryByRole("button", { name: "Try again" })).toBeNull();
    expect(screen.getByRole("heading", { level: 1, name: title })).toBeVisible();
    expect(within(screen.getByRole("navigation", { name: "Where this is" })).getByRole("link")).toHaveAttribute(
      "href",
      list,
    );
    await person.click(within(note).getByRole("link", { name: "See what there is" }));
    await waitFor(() => expect(router.state.location.pathname).toBe(list));
  });

  it("leads to a first task where nothing is open, and to the loop otherwise", async () => {
    world = makeWorld("empty");
    renderWindow("/insights");
    await screen.findByText("Nothing to measure yet");
    expect(screen.getAllByRole("link", { name: "New task" })).toHaveLength(2);
    expect(screen.queryByRole("link", { name: "Start the loop" })).toBeNull();
  });

  it("is zoomed by keys also while something is typed, by the steps of a browser, and as large the next time", async () => {
    world = makeWorld();
    const { person } = renderWindow("/features");
    await person.click(await screen.findByLabelText("Filter features"));
    await person.keyboard("{Control>}+={/Control}");
    const factors = () =>
      world.transport.calls
        .filter(({ command }) => command === "plugin:webview|set_webview_zoom")
        .map(({ args }) => (args as { value: number }).value);
    expect(factors()).toEqual([1.1, 1.25]);
    startZoom();
    expect(factors().at(-1)).toBe(1.25);
    await person.keyboard("{Control>}-0{/Control}");
    expect(factors().slice(3)).toEqual([1.1, 1]);
    for (let steps = 0; steps < 9; steps++) zoom("in");
    // It ends where no row fits any more.
    expect(factors().at(-1)).toBe(3);
    zoom("actual");
    expect(localStorage.getItem("ralph.zoom")).toBeNull();
  });

  it("lists its keys with ?, and goes places with g", async () => {
    world = makeWorld();
    const { person, router } = renderWindow("/features");
    await screen.findAllByTestId("feature-row");
    await person.keyboard("gk");
    await waitFor(() => expect(router.state.location.pathname).toBe("/knowledge"));
    await person.keyboard("gi");
    await waitFor(() => expect(router.state.location.pathname).toBe("/insights"));
    await person.keyboard("?");
    expect(await screen.findByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
  });

  it("leads from anywhere to the first row, from a search field too, and back", async () => {
    world = makeWorld();
    const { person, router } = renderWindow("/tasks");
    const first = async () => {
      await screen.findByRole("main");
      await waitFor(() => expect(document.querySelector("main [data-row]")).not.toBeNull());
      return document.querySelector("main [data-row]");
    };
    const row = await first();
    await person.keyboard("j");
    expect(row).toHaveFocus();
    await person.keyboard("/");
    expect(row).not.toHaveFocus();
    await person.keyboard("{ArrowDown}");
    expect(document.querySelector("main [data-row]")).toHaveFocus();
    await person.keyboard("j");
    expect(document.querySelectorAll("main [data-row]")[1]).toHaveFocus();
    await router.navigate({ to: "/insights" });
    await waitFor(() => expect(router.state.location.pathname).toBe("/insights"));
    await person.keyboard("{Alt>}{ArrowLeft}{/Alt}");
    await waitFor(() => expect(router.state.location.pathname).toBe("/tasks"));
    await first();
    await person.keyboard("j");
    expect(document.querySelectorAll("main [data-row]")[1]).toHaveFocus();
  });

  it("stands where it was left for whoever comes back", async () => {
    Object.defineProperty(HTMLElement.prototype, "scrollHeight", { configurable: true, get: () => 10_000 });
    world = makeWorld();
    const { person, router } = renderWindow("/tasks");
    const page = async () => {
      await waitFor(() => expect(document.querySelector("main [data-row]")).toBeVisible());
      return document.querySelector("main [data-scroller]") as HTMLElement;
    };
    const list = await page();
    list.scrollTop = 900;
    fireEvent.scroll(list);
    await router.navigate({ to: "/tasks/$id", params: { id: "199" } });
    await screen.findByRole("heading", { name: /#199/ });
    await person.keyboard("{Alt>}{ArrowLeft}{/Alt}");
    await waitFor(async () => expect((await page()).scrollTop).toBe(900));
    await router.navigate({ to: "/insights" });
    await screen.findByRole("heading", { name: "Insights" });
    await router.navigate({ to: "/tasks" });
    expect((await page()).scrollTop, "whoever comes anew begins at the top").toBe(0);
    Reflect.deleteProperty(HTMLElement.prototype, "scrollHeight");
  });

  it("is skipped to the page, and gives the focus back after the palette", async () => {
    world = makeWorld();
    const { person } = renderWindow("/features");
    await screen.findByText("Payments");
    await person.tab();
    const skip = screen.getByRole("button", { name: "Skip to the page" });
    expect(skip).toHaveFocus();
    await person.keyboard("{Enter}");
    expect(screen.getByRole("main")).toHaveFocus();
    const search = screen.getByLabelText("Filter features");
    search.focus();
    await person.keyboard("{Control>}k{/Control}");
    await screen.findByRole("dialog", { name: "Search everything" });
    await person.keyboard("{Escape}");
    await waitFor(() => expect(search).toHaveFocus());
  });

  it("names the project as it is seen", async () => {
    world = makeWorld();
    renderWindow("/features");
    expect(await screen.findByRole("button", { name: /^Project ?acme-payments ?main$/ })).toBeVisible();
  });

  it("focuses the first thing that waits when the small list opens", async () => {
    world = makeWorld();
    const { person } = renderWindow("/features");
    (await screen.findByTestId("needs-you")).focus();
    await person.keyboard("{Enter}");
    const inbox = await screen.findByRole("dialog", { name: "Needs you" });
    await waitFor(() => expect(within(inbox).getByRole("link", { name: /#199/ })).toHaveFocus());
  });

  it("gathers what waits for a person in one inbox", async () => {
    world = makeWorld();
    const { person, router } = renderWindow("/features");
    await person.click(await screen.findByTestId("needs-you"));
    const inbox = await screen.findByRole("dialog", { name: "Needs you" });
    expect(within(inbox).getAllByRole("listitem")).toHaveLength(7);
    await person.click(within(inbox).getByText(/1 conflict in sync/));
    await waitFor(() => expect(router.state.location.pathname).toBe("/knowledge"));
    expect(router.state.location.search).toMatchObject({ tab: "review", feature: "sync" });
  });

  it("goes where a click on a notification leads", async () => {
    world = makeWorld();
    const { router } = renderWindow("/features");
    await screen.findByTestId("shell");
    await world.transport.clicked({ kind: "run", run: 7 });
    await waitFor(() => expect(router.state.location.pathname).toBe("/loop/7"));
    await world.transport.clicked({ kind: "needs_you" });
    await waitFor(() => expect(router.state.location.pathname).toBe("/needs-you"));
  });

  it("changes the theme at once and remembers it", async () => {
    world = makeWorld();
    const { person } = renderWindow("/features");
    await person.click(await screen.findByRole("button", { name: "Theme: Dark" }));
    expect(document.documentElement.dataset.theme).toBe("dark");
    expect(localStorage.getItem("ralph.theme")).toBe("dark");
  });

  it("shows only the picker while no project is open, and offers to set one up", async () => {
    world = makeWorld("closed", {
      open_project: (_path, init) => {
        if (!init) throw fault("no_project", "/home/dev/notes is not in a Ralph project");
        return { path: "/home/dev/notes", name: "notes", branch: null };
      },
    });
    const { person } = renderWindow("/features");
    await screen.findByText("Open a project");
    expect(screen.queryByTestId("shell")).toBeNull();
    await person.click(await screen.findByRole("button", { name: /notes/ }));
    await person.click(await screen.findByRole("button", { name: "Set up Ralph here" }));
    expect(world.transport.called("open_project")).toEqual([
      { path: "/home/dev/notes", init: false },
      { path: "/home/dev/notes", init: true },
    ]);
  });
});

describe("a project that can't be opened", () => {
  const picker = (code: string, more: Handlers) => {
    world = makeWorld("closed", {
      open_project: () => {
        throw fault(code, "It can't be opened as it stands");
      },
      ...more,
      restore_project: () => {
        return { path: "/home/dev/notes", name: "notes", branch: null };
      },
    });
    return renderWindow("/features");
  };

  it("comes back from a copy, and says first what will be missing", async () => {
    const { person } = picker("project_lost", { restoration: () => RESTORATION });
    await person.click(await screen.findByRole("button", { name: /notes/ }));
    expect(await screen.findByText("what was done after the copy was made")).toBeVisible();
    await person.click(screen.getByRole("button", { name: "Restore" }));
    expect(world.transport.called("restore_project")).toEqual([{ path: "/home/dev/notes" }]);
  });

  it("is led to from the switcher of the rail", async () => {
    const open_project = () => {
      throw fault("project_lost", "The project is lost");
    };
    world = makeWorld("sample", { open_project, restoration: () => RESTORATION });
    const { person, router } = renderWindow("/features");
    await person.click(await screen.findByRole("button", { name: /^Project/ }));
    await person.click(await screen.findByRole("menuitem", { name: "notes" }));
    expect(await screen.findByText("what was done after the copy was made")).toBeVisible();
    expect(router.state.location.pathname).toBe("/projects");
  });

  it("shows what another user's folder brings along before it is opened", async () => {
    const { person } = picker("untrusted", {});
    await person.click(await screen.findByRole("button", { name: /notes/ }));
    expect(await screen.findByText("./bin/claude")).toBeVisible();
    await person.click(screen.getByRole("button", { name: "Agree and open" }));
    await waitFor(() => expect(world.transport.called("open_project")).toHaveLength(2));
    expect(world.transport.called("agree_to_folder")).toEqual([{ path: "/home/dev/notes" }]);
  });
});

describe("the fake transport", () => {
  it("refuses a command that it does not know, by name", async () => {
    world = makeWorld();
    delete world.transport.handlers.doctor;
    await expect(commands.doctor()).rejects.toMatchObject({
      code: "unknown_command",
      message: expect.stringContaining("'doctor'"),
    });
  });
});
