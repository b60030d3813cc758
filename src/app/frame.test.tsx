import { readFileSync } from "node:fs";
import { screen, waitFor, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderWindow } from "@/test/render";
import { makeWorld } from "@/test/world";

/** The frame that stands in index.html before any code has come, filled by `public/start.js`. */
function frame(): Document {
  const page = new DOMParser().parseFromString(readFileSync("index.html", "utf8"), "text/html");
  const known = JSON.parse(localStorage.getItem("ralph.last-known") ?? "{}");
  for (const place of page.querySelectorAll<HTMLElement>("[data-last]")) {
    place.textContent = known[place.dataset.last ?? ""];
  }
  return page;
}

const words = (element: Element | null) => element?.textContent?.replace(/\s+/g, " ").trim();

it("says what the window said last, in the words and places of the window", async () => {
  makeWorld();
  renderWindow("/features");
  const nav = await screen.findByRole("navigation", { name: "Main" });
  await waitFor(() => expect(localStorage.getItem("ralph.last-known")).toContain("acme-payments"));
  await within(nav).findByText("acme-payments");
  const before = frame().querySelector("nav");
  const rows = (of: Element | null) => [...(of?.querySelectorAll("ul li") ?? [])].map(words);
  await waitFor(() => expect(rows(before)).toEqual(rows(nav)));
  expect(before?.className).toBe(nav.className);
  expect(words(before?.querySelector("[data-last=needs]") ?? null)).toBe("6");
});

it("holds no code and no text of a project by itself", () => {
  const page = new DOMParser().parseFromString(readFileSync("index.html", "utf8"), "text/html");
  expect([...page.scripts].every((script) => script.src !== "" && script.textContent === "")).toBe(true);
  expect([...page.querySelectorAll("[data-last]")].every(({ textContent }) => textContent === "")).toBe(true);
});
