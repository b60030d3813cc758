import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { IndexState, Settings } from "@/ipc";
import { fault } from "@/ipc/fake-transport";
import { INDEX } from "@/test/knowledge";
import { later } from "@/test/later";
import { renderWindow } from "@/test/render";
import { makeWorld } from "@/test/world";
import { leaving } from "./privacy";

describe("the settings", () => {
  it("keep the models in order, and say how each strategy chooses", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/settings");
    const models = await screen.findByLabelText("Models");
    expect(models).toHaveValue("haiku\nsonnet\nopus");
    await person.clear(models);
    await person.type(models, "small\n\nbig");
    await person.clear(screen.getByLabelText("Hold-out, percent"));
    await person.type(screen.getByLabelText("Hold-out, percent"), "20");
    await person.click(screen.getByRole("combobox", { name: "Strategy" }));
    await person.click(await screen.findByRole("option", { name: "Fixed" }));
    expect(screen.getByText("Always the given model.")).toBeVisible();
    await person.click(screen.getByRole("button", { name: "Save" }));
    expect(world.transport.called("update_settings")).toMatchObject([
      { settings: { models: ["small", "big"], hold_out: 20, stall_stop: 5, strategy: "fixed" } },
    ]);
  });

  it("offer the permission modes that Claude Code takes, and no other word", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/settings");
    await person.click(await screen.findByRole("combobox", { name: "Permission mode of Claude Code" }));
    await person.click(await screen.findByRole("option", { name: "plan" }));
    await person.click(screen.getByRole("button", { name: "Save" }));
    expect(world.transport.called("update_settings")).toMatchObject([{ settings: { permission_mode: "plan" } }]);
  });

  it("tell all of what the doctor says, also what is long", async () => {
    const detail = `Codex was not found in: ${"/a/folder/on/the/path, ".repeat(20)}/the/last`;
    makeWorld("sample", {
      doctor: () => ({ ok: true, checks: [{ name: "agent codex", status: "warning", detail, hint: null }] }),
    });
    const { person } = renderWindow("/settings");
    const told = await screen.findByText(detail);
    expect(told).toHaveClass("line-clamp-3");
    await person.click(screen.getByRole("button", { name: "Show all of it" }));
    expect(told).not.toHaveClass("line-clamp-3");
  });

  it("have the doctor look again once they are changed, by whomever", async () => {
    const detail = ["agent claude", "agent codex"];
    const world = makeWorld("sample", {
      doctor: () => ({
        ok: true,
        checks: [{ name: "settings", status: "ok", detail: detail.shift() ?? "", hint: null }],
      }),
    });
    renderWindow("/settings");
    await screen.findByText("agent claude");
    world.transport.changed("settings");
    expect(await screen.findByText("agent codex")).toBeVisible();
  });

  it("show what was saved when a person comes back", async () => {
    makeWorld();
    const { person, router } = renderWindow("/settings");
    const holdOut = await screen.findByLabelText("Hold-out, percent");
    await person.clear(holdOut);
    await person.type(holdOut, "20");
    await person.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(screen.getByRole("button", { name: "Save" })).toHaveAttribute("aria-disabled", "true"));
    await router.navigate({ to: "/features" });
    await waitFor(() => expect(screen.queryByLabelText("Hold-out, percent")).toBeNull());
    await router.navigate({ to: "/settings" });
    expect(await screen.findByLabelText("Hold-out, percent")).toHaveValue("20");
  });

  it("keep what is typed while they are being saved", async () => {
    const saved = later<Settings>();
    const { settings } = makeWorld("sample", { update_settings: () => saved.promise });
    const { person } = renderWindow("/settings");
    const check = await screen.findByLabelText("Check command");
    await person.clear(check);
    await person.type(check, "make test");
    await person.click(screen.getByRole("button", { name: "Save" }));
    await person.type(check, " lint");
    await act(async () => saved.resolve({ ...settings, check: "make test" }));
    expect(check).toHaveValue("make test lint");
  });

  it("that are discarded take the error about them along", async () => {
    makeWorld("sample", {
      update_settings: () => {
        throw fault("busy", "Another process writes.", "Try again.");
      },
    });
    const { person } = renderWindow("/settings");
    const check = await screen.findByLabelText("Check command");
    await person.type(check, " lint");
    await person.click(screen.getByRole("button", { name: "Save" }));
    expect(await screen.findByText("Another process writes.")).toBeVisible();
    await person.click(screen.getByRole("button", { name: "Discard" }));
    expect((check as HTMLInputElement).value).not.toMatch(/lint$/);
    expect(screen.queryByText("Another process writes.")).toBeNull();
  });

  it("tell the shell while they are unsaved: no page is asked when its window closes", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/settings");
    const holdOut = await screen.findByLabelText("Hold-out, percent");
    expect(world.transport.called("tell_unsaved")).toEqual([]);
    await person.type(holdOut, "1");
    await waitFor(() => expect(world.transport.called("tell_unsaved")).toEqual([{ unsaved: true }]));
    await person.type(holdOut, "{Backspace}");
    await waitFor(() => expect(world.transport.called("tell_unsaved").at(-1)).toEqual({ unsaved: false }));
  });

  it("tell what is sent where", () => {
    const { settings } = makeWorld();
    const none = "What agents send to their own models. Nothing else, and nothing to whoever made Ralph.";
    expect(leaving(settings, []).join(" ")).toBe(none);
    const asked = {
      ...settings.automatic_learning,
      extractor: "endpoint" as const,
      extractor_url: "http://127.0.0.1:11434",
    };
    const all = { ...settings, embedding: "ollama" as const, embedding_url: "", automatic_learning: asked };
    const told = leaving(all, []);
    expect(told[1]).toBe("Texts that search compares, to the model server.");
    expect(told[2]).toBe("Failures of which lessons are to be learnt, to http://127.0.0.1:11434.");
    const waiting = leaving(all, ["embedding_url"]);
    expect(waiting[1]).toBe("Texts that search compares, to the model server – not yet: it waits for your yes.");
    expect(waiting[2]).toBe(told[2]);
  });

  it("choose when the desktop is told", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/settings");
    const choice = await screen.findByRole("combobox", { name: "Notify" });
    expect(choice).toHaveTextContent("While I am away from the window");
    await person.click(choice);
    await person.click(await screen.findByRole("option", { name: "Never" }));
    expect(world.transport.called("choose_announce")).toEqual([{ choice: "never" }]);
    await waitFor(() => expect(choice).toHaveTextContent("Never"));
  });

  it("take another embedding model, and say beforehand what that costs", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/settings");
    const source = await screen.findByRole("combobox", { name: "Embedding model" });
    expect(screen.queryByLabelText("Address")).toBeNull();
    await person.click(source);
    await person.click(await screen.findByRole("option", { name: "Ollama" }));
    expect(screen.getByText(/makes the vectors of 1,204 passages anew/)).toBeVisible();
    expect(screen.getByText("RALPH_EMBEDDING_KEY")).toBeVisible();
    await person.clear(screen.getByLabelText("Name of the model"));
    await person.type(screen.getByLabelText("Name of the model"), "bge-m3");
    await person.click(screen.getByRole("button", { name: "Save" }));
    expect(world.transport.called("update_settings")).toMatchObject([
      { settings: { embedding: "ollama", embedding_model: "bge-m3", embedding_url: "http://localhost:11434" } },
    ]);
    await waitFor(() => expect(screen.queryByText(/passages anew/)).toBeNull());
  });

  it("take what the gate does, and whether learnings are made one", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/settings");
    await person.click(await screen.findByRole("combobox", { name: "Quality gate" }));
    await person.click(await screen.findByRole("option", { name: /^Refuses it/ }));
    await person.click(screen.getByRole("checkbox", { name: "Merge learnings that say the same in other words" }));
    await person.click(screen.getByRole("button", { name: "Save" }));
    expect(world.transport.called("update_settings")).toMatchObject([
      { settings: { gate: "enforce", reconcile: false } },
    ]);
  });
});

describe("the search index", () => {
  it("shows how far the vectors are, and follows them", async () => {
    let index: IndexState = { ...INDEX, embedded: 301, dimension: null, vector_mib: 0.01, model_mib: 0 };
    const world = makeWorld("sample", { index_state: () => index });
    renderWindow("/settings");
    const bar = await screen.findByRole("progressbar", { name: "Passages with a vector" });
    expect(bar).toHaveAttribute("aria-valuenow", "301");
    expect(screen.getByText("301 of 1,204 passages embedded")).toBeVisible();
    expect(screen.getByText("known after its first answer")).toBeVisible();
    expect(screen.getByText("11 KiB")).toBeVisible();
    index = { ...INDEX };
    await world.transport.changed("passages");
    expect(await screen.findByText("1,204 of 1,204 passages embedded")).toBeVisible();
    expect(screen.queryByRole("progressbar")).toBeNull();
    expect(screen.getByText("384")).toBeVisible();
  });

  it("says why the model can't be used, and that search goes on", async () => {
    makeWorld("sample", { index_state: () => ({ ...INDEX, fault: "nobody answers at http://localhost:11434" }) });
    renderWindow("/settings");
    const alert = await screen.findByRole("alert");
    expect(alert).toHaveTextContent("nobody answers at http://localhost:11434");
    expect(alert).toHaveTextContent("Until then, search goes by words and loses nothing.");
  });

  it("is calm over an empty project", async () => {
    makeWorld("empty");
    renderWindow("/settings");
    expect(await screen.findByText(/Nothing is known yet/)).toBeVisible();
  });
});

describe("disciplines", () => {
  it("name the line that is not a server, and are not saved with it", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/settings");
    await person.click(await screen.findByRole("button", { name: "New discipline…" }));
    const dialog = within(await screen.findByRole("dialog", { name: "New discipline" }));
    await person.type(dialog.getByLabelText("Name"), "Backend");
    await person.type(dialog.getByLabelText("MCP servers"), 'docs=npx docs{Enter}{{"name": "broken');
    expect(dialog.getByText('Write NAME=COMMAND; this is not a server: {"name": "broken')).toBeVisible();
    expect(dialog.getByRole("button", { name: "Save" })).toHaveAttribute("aria-disabled", "true");
    expect(world.transport.called("set_discipline")).toEqual([]);
  });

  it("are made and edited", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/settings");
    await person.click(await screen.findByRole("button", { name: "New discipline…" }));
    await person.type(screen.getByLabelText("Name"), "Data work");
    await person.type(screen.getByLabelText("Who the agent is"), "You clean data.");
    await person.type(screen.getByLabelText("MCP servers"), "files=/bin/files --root .");
    await person.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Save" }));
    const mcp_servers = [{ name: "files", command: "/bin/files", args: ["--root", "."] }];
    expect(world.transport.called("set_discipline")).toMatchObject([
      { name: "data-work", patch: { display_name: "Data work", persona: "You clean data.", mcp_servers } },
    ]);
    await person.click(screen.getByRole("button", { name: "backend" }));
    expect(await screen.findByRole("dialog", { name: "Edit backend" })).toBeVisible();
  });

  it("whose names have no Latin letter take a short name", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/settings");
    await person.click(await screen.findByRole("button", { name: "New discipline…" }));
    await person.type(screen.getByLabelText("Name"), "后端");
    const save = within(screen.getByRole("dialog")).getByRole("button", { name: "Save" });
    expect(screen.getByText("It needs a short name of Latin letters or digits")).toBeVisible();
    await person.type(screen.getByLabelText("Short name"), "Backend");
    expect(screen.getByText(/There is 'Backend' already/)).toBeVisible();
    await person.type(screen.getByLabelText("Short name"), "-cn");
    await person.click(save);
    expect(world.transport.called("set_discipline")).toMatchObject([
      { name: "Backend-cn", patch: { display_name: "后端" } },
    ]);
  });

  it("are not overwritten by a new one of the same name", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/settings");
    await person.click(await screen.findByRole("button", { name: "New discipline…" }));
    await person.type(screen.getByLabelText("Name"), "Backend ");
    expect(screen.getByText(/There is 'backend' already/)).toBeVisible();
    const save = within(screen.getByRole("dialog")).getByRole("button", { name: "Save" });
    expect(save).toHaveAttribute("aria-disabled", "true");
    await person.keyboard("{Enter}");
    await person.type(screen.getByLabelText("Name"), "of phones");
    await person.click(save);
    expect(world.transport.called("set_discipline")).toMatchObject([{ name: "backend-of-phones" }]);
  });

  it("lose nothing that somebody else changed while one is edited", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/settings");
    await person.click(await screen.findByRole("button", { name: "backend" }));
    await person.type(screen.getByLabelText("Working rules"), "Say why.");
    await person.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Save" }));
    expect(world.transport.called("set_discipline")).toEqual([
      { name: "backend", patch: { conventions: expect.stringMatching(/Say why\.$/) } },
    ]);
  });

  it("change what is learned without being asked, and say what each mode would have done", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/settings");
    const mode = await screen.findByRole("combobox", { name: "Mode" });
    await person.click(await screen.findByRole("checkbox", { name: "Learn from what agents do" }));
    await person.click(mode);
    await person.click(await screen.findByRole("option", { name: /^Aggressive/ }));
    expect(await screen.findByText(/rules can tell a lesson of 18: 14 more than with moderate/)).toBeVisible();
    const sure = screen.getByLabelText("How sure an episode must be");
    await person.clear(sure);
    await person.type(sure, "2");
    expect(screen.getByText("a number from 0 to 1 is needed")).toBeVisible();
    expect(screen.getByRole("button", { name: "Save" })).toHaveAttribute("aria-disabled", "true");
    await person.clear(sure);
    await person.type(sure, "0.8");
    await person.click(screen.getByRole("button", { name: "Save" }));
    expect(world.transport.called("update_settings")).toMatchObject([
      { settings: { automatic_learning: { enabled: true, mode: "aggressive", min_episode_confidence: 0.8 } } },
    ]);
  });

  it("let a model tell the lessons, within calls and dollars a day", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/settings");
    await person.click(await screen.findByRole("combobox", { name: "Who writes the lessons" }));
    await person.click(await screen.findByRole("option", { name: "A model server" }));
    expect(screen.getByText("name the model that the server is to use")).toBeVisible();
    expect(screen.getByRole("button", { name: "Save" })).toHaveAttribute("aria-disabled", "true");
    await person.type(screen.getByLabelText("Model for lessons"), "qwen3:8b");
    const calls = screen.getByLabelText("Calls a day at most");
    await person.clear(calls);
    await person.type(calls, "0");
    expect(screen.getByText("a whole number from 1 to 10,000 is needed")).toBeVisible();
    await person.clear(calls);
    await person.type(calls, "5");
    await person.click(screen.getByRole("button", { name: "Save" }));
    expect(world.transport.called("update_settings")).toMatchObject([
      {
        settings: { automatic_learning: { extractor: "endpoint", extractor_model: "qwen3:8b", extractor_calls: 5 } },
      },
    ]);
  });

  it("are not held up by what was typed into a field that is no longer shown", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/settings");
    await person.click(await screen.findByRole("combobox", { name: "Who writes the lessons" }));
    await person.click(await screen.findByRole("option", { name: "The project's agent, in an errand" }));
    await person.type(screen.getByLabelText("Calls a day at most"), "x");
    await person.click(screen.getByRole("combobox", { name: "Who looks before a person does" }));
    await person.click(await screen.findByRole("option", { name: "Codex" }));
    await person.type(screen.getByLabelText("Times it may send work back"), "x");
    expect(screen.getByRole("button", { name: "Save" })).toHaveAttribute("aria-disabled", "true");
    await person.click(screen.getByRole("combobox", { name: "Who writes the lessons" }));
    await person.click(await screen.findByRole("option", { name: /^Rules/ }));
    await person.click(screen.getByRole("combobox", { name: "Who looks before a person does" }));
    await person.click(await screen.findByRole("option", { name: "Nobody" }));
    await person.click(screen.getByRole("button", { name: "Save" }));
    expect(world.transport.called("update_settings")).toMatchObject([
      { settings: { automatic_learning: { extractor_calls: 20 }, worktrees: { reviewer_send_backs: 1 } } },
    ]);
  });
});
