import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderWindow } from "@/test/render";
import { makeWorld } from "@/test/world";

describe("documents", () => {
  it("are brought in by choosing files, with what was skipped and why", async () => {
    const world = makeWorld();
    world.transport.handlers["plugin:dialog|open"] = () => ["/p/docs/ledger.md", "/p/docs/shot.png"];
    const { person } = renderWindow("/knowledge?tab=documents");
    await person.click(await screen.findByRole("button", { name: "Files…" }));
    expect(await screen.findByText("1 document known")).toBeVisible();
    await person.click(screen.getByText("1 skipped"));
    expect(screen.getByText("/p/docs/shot.png: it is binary")).toBeVisible();
    expect(world.transport.called("ingest_documents")).toEqual([{ paths: ["/p/docs/ledger.md", "/p/docs/shot.png"] }]);
  });

  it("are read with their lines, and forgotten", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/knowledge?tab=documents");
    await person.click(await screen.findByRole("button", { name: "docs/refunds.md" }));
    const dialog = within(await screen.findByRole("dialog", { name: "docs/refunds.md" }));
    expect(await dialog.findByText("The provider sends each event twice.")).toBeVisible();
    await person.click(dialog.getAllByRole("button", { name: "Close" })[0] as HTMLElement);
    await person.click(screen.getByRole("button", { name: "Forget docs/refunds.md" }));
    expect(world.transport.called("forget_documents")).toEqual([{ paths: ["docs/refunds.md"] }]);
  });

  it("say of a long one which lines are shown, and show all of them on request", async () => {
    const text = Array.from({ length: 500 }, (_, at) => `Sentence ${at + 1}.`).join("\n");
    makeWorld("sample", { read_document: () => text });
    const { person } = renderWindow("/knowledge?tab=documents");
    await person.click(await screen.findByRole("button", { name: "docs/refunds.md" }));
    const dialog = within(await screen.findByRole("dialog", { name: "docs/refunds.md" }));
    expect(await dialog.findByText("lines 1–201 of 500")).toBeVisible();
    await person.click(dialog.getByRole("button", { name: "Show more lines" }));
    await person.click(dialog.getByRole("button", { name: "Show more lines" }));
    expect(dialog.getByText("Sentence 500.")).toBeVisible();
    expect(dialog.queryByText(/^lines /)).toBeNull();
  });

  it("are opened from a hit at its line", async () => {
    const world = makeWorld();
    const answer = world.transport.handlers.recall;
    world.transport.handlers.recall = async (request) => {
      const found = await answer?.(request);
      if (!found?.hits[0]) throw new Error("the sample world answers");
      const [first] = found.hits;
      const section = { ...first, kind: "document" as const, id: "docs/refunds.md:3", feature: "" };
      return { ...found, hits: [{ ...section, file: "docs/refunds.md", line: 3, heading: "Refunds", text: "Twice." }] };
    };
    const { person } = renderWindow("/knowledge?q=refund");
    await person.click(await screen.findByRole("button", { name: /^docs\/refunds.md:3/ }));
    const dialog = within(await screen.findByRole("dialog", { name: "docs/refunds.md" }));
    const wanted = (await dialog.findAllByRole("listitem")).find(
      (line) => line.getAttribute("aria-current") === "location",
    );
    expect(wanted).toHaveTextContent("3The provider sends each event twice.");
  });

  it("tell agents outside of Ralph only after the difference was shown", async () => {
    const world = makeWorld();
    const { person } = renderWindow("/knowledge?tab=documents");
    await person.click(await screen.findByRole("button", { name: "AGENTS.md…" }));
    const dialog = within(await screen.findByRole("dialog", { name: "What agents outside of Ralph are told" }));
    const lines = await dialog.findByRole("region", { name: "What changes in AGENTS.md" });
    expect(within(lines).getByText("+- Amounts are integers in cents.")).toHaveClass("text-ok");
    expect(dialog.getByText("2 from a clone or a pull are left out: nobody reviewed them here.")).toBeVisible();
    expect(world.transport.called("agents_file")).toEqual([{ file: null, act: "show" }]);
    await person.click(dialog.getByRole("button", { name: "Write into AGENTS.md" }));
    expect(world.transport.called("agents_file").at(-1)).toEqual({ file: "AGENTS.md", act: "write" });
    expect(await screen.findByText("AGENTS.md is written")).toBeVisible();
  });
});
