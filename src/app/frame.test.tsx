import { readFileSync } from "node:fs";
import { screen, waitFor, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderWindow } from "@/test/render";
import { makeWorld } from "@/test/world";

/** The frame in index.html before any code is loaded, filled by `public/start.js` for the project that the shell opens. */
function frame(opens: string): Document {
  const page = new DOMParser().parseFromString(readFileSync("index.html", "utf8"), "text/html");
  const start = new Function("document", "window", readFileSync("public/start.js", "utf8"));
  start(page, { ralphOpens: opens });
  page.dispatchEvent(new Event("readystatechange"));
  return page;
}

/** The project of `makeWorld`. */
const ACME = "/home/dev/acme-payments";

const words = (element: Element | null) => element?.textContent?.replace(/\s+/g, " ").trim();

it("is tried out where objects can't be given what the window refuses to give them", () => {
  const settings = JSON.parse(readFileSync("src-tauri/tauri.conf.json", "utf8"));
  expect(settings.app.security.freezePrototype).toBe(true);
  const object: { constructor?: unknown } = {};
  expect(() => {
    object.constructor = null;
  }).toThrow(TypeError);
});

it("says what the window said last, in the words and places of the window", async () => {
  sessionStorage.clear();
  makeWorld();
  renderWindow("/features");
  const nav = await screen.findByRole("navigation", { name: "Main" });
  await waitFor(() => expect(localStorage.getItem("ralph.last-known")).toContain("acme-payments"));
  await within(nav).findByText("acme-payments");
  sessionStorage.clear();
  const before = frame(ACME).querySelector("nav");
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

it("says nothing of another project", async () => {
  localStorage.clear();
  makeWorld();
  renderWindow("/features");
  await waitFor(() => expect(localStorage.getItem("ralph.last-known")).toContain("acme-payments"));
  sessionStorage.clear();
  const said = (opens: string) => [...frame(opens).querySelectorAll("[data-last]")].map(words).join("");
  expect(said("/home/dev/notes")).toBe("");
  expect(said(ACME)).toContain("acme-payments");
  // A reload of the window, in which another project was opened meanwhile.
  sessionStorage.setItem("ralph.open", ACME);
  expect(said("/home/dev/notes")).toContain("acme-payments");
});

it("forgets the projects that were opened long ago, and what an older window kept", async () => {
  const old = Array.from({ length: 12 }, (_, at) => [`/home/dev/p${at}`, { project: `p${at}` }]);
  localStorage.setItem("ralph.last-known", JSON.stringify({ project: "acme", ...Object.fromEntries(old) }));
  makeWorld();
  renderWindow("/features");
  await waitFor(() => expect(localStorage.getItem("ralph.last-known")).toContain("acme-payments"));
  const kept = Object.keys(JSON.parse(localStorage.getItem("ralph.last-known") ?? "{}"));
  expect(kept).toEqual([ACME, ...old.slice(0, 7).map(([path]) => path)]);
});
