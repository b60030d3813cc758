import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { fault } from "@/ipc/fake-transport";
import type { Row } from "@/lib/loop/transcript-store";
import { renderWindow } from "@/test/render";
import { readFurtherUp } from "@/test/transcript";
import { makeWorld } from "@/test/world";
import { asText, matches } from "./find-bar";

describe("a transcript", () => {
  it("tells the time of each entry", async () => {
    makeWorld();
    renderWindow("/loop/38");
    const log = await screen.findByRole("log");
    expect(within(log).getAllByText(/^\d\d:\d\d:\d\d$/).length).toBeGreaterThan(5);
  });

  it("that could not be read is read again on demand", async () => {
    const { transport } = makeWorld();
    const { follow_transcript } = transport.handlers;
    transport.handlers.follow_transcript = () => {
      throw fault("io", "The log can't be read.");
    };
    const { person } = renderWindow("/loop/38");
    expect(await screen.findByRole("alert")).toHaveTextContent("The log can't be read.");
    transport.handlers.follow_transcript = follow_transcript;
    await person.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByRole("log")).toBeVisible();
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("is searched as a whole with Ctrl+F, hit by hit", async () => {
    makeWorld();
    const { person } = renderWindow("/loop/38");
    await screen.findByRole("log");
    await person.keyboard("{Control>}f{/Control}");
    const field = screen.getByLabelText("Find in the transcript");
    expect(field).toHaveFocus();
    await person.keyboard("nextest");
    expect(await screen.findByText(/^1 of 2$/)).toBeVisible();
    await person.keyboard("{Enter}");
    expect(screen.getByText("2 of 2")).toBeVisible();
    await person.keyboard("{Enter}");
    expect(screen.getByText("1 of 2")).toBeVisible();
    await person.clear(field);
    await person.type(field, "no such words");
    expect(await screen.findByText("nothing")).toBeVisible();
  });

  it("is followed again by End, whatever comes in until it is there", async () => {
    makeWorld();
    const { person } = renderWindow("/loop/38");
    const log = await readFurtherUp();
    log.focus();
    await person.keyboard("{End}");
    expect(await screen.findByText("following")).toBeVisible();
  });

  it("shows what went wrong alone", async () => {
    makeWorld();
    const { person } = renderWindow("/loop/38");
    const log = await screen.findByRole("log");
    await person.click(screen.getByRole("button", { name: /^Errors only/ }));
    expect(within(log).getByText("1 of 42 failed · 1.4 s")).toBeVisible();
    expect(within(log).getByText(/denied/)).toBeVisible();
    expect(within(log).queryByText("42 passed · 1.4 s")).toBeNull();
  });

  it("is copied as it is listed", async () => {
    makeWorld();
    const { person } = renderWindow("/loop/38");
    await screen.findByRole("log");
    const copied = vi.spyOn(navigator.clipboard, "writeText");
    await person.click(screen.getByRole("button", { name: /^Errors only/ }));
    await person.click(screen.getByRole("button", { name: "Copy what is listed" }));
    await waitFor(() => expect(copied).toHaveBeenCalledTimes(1));
    expect(copied.mock.calls[0]?.[0]).toMatch(/^\d\d:\d\d:\d\d {2}Bash cargo nextest run -p refund/);
  });
});

describe("finding in rows", () => {
  const at = "2026-01-01T00:00:00Z";
  const rows: Row[] = [
    { seq: 0, at, kind: "text", text: "The Clock is read twice", voice: "agent" },
    { seq: 1, at, kind: "note", label: "check", text: "passed", tone: "ok" },
  ];

  it("does not mind capitals, and finds nothing for no words", () => {
    expect(matches(rows, "clock")).toEqual([0]);
    expect(matches(rows, "CHECK passed")).toEqual([1]);
    expect(matches(rows, "  ")).toEqual([]);
  });

  it("tells rows as lines", () => {
    expect(asText(rows).split("\n")).toHaveLength(2);
    expect(asText(rows)).toContain("  check passed");
  });
});
