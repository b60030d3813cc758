import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook } from "@testing-library/react";
import { createElement, type ReactNode } from "react";
import { expect, it, vi } from "vitest";
import { forgetDrafts, rebased, useDraft } from "./draft";

/** A form with two fields. */
function form(key: string) {
  const client = new QueryClient();
  const wrapper = ({ children }: { children: ReactNode }) => createElement(QueryClientProvider, { client, children });
  const { result } = renderHook(() => useDraft(key, { title: "", text: "" }), { wrapper });
  const type = (part: { title?: string; text?: string }) => act(() => result.current[1](part));
  return { typed: () => result.current[0], type };
}

it("takes whatever is typed, however little the store holds", () => {
  const put = vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
  });
  const first = form("new-task");
  first.type({ title: "Read the log" });
  first.type({ text: "all of it" });
  expect(first.typed()).toEqual({ title: "Read the log", text: "all of it" });
  expect(form("new-task").typed(), "when the dialog is opened again").toEqual(first.typed());
  put.mockRestore();
  first.type({ text: "some of it" });
  forgetDrafts("");
  expect(form("new-task").typed()).toEqual({ title: "", text: "" });
});

it("leaves room in the store beside a log that was pasted", () => {
  const log = "x".repeat(3_000_000);
  for (const key of ["one", "two", "three"]) {
    const { type, typed } = form(key);
    type({ text: log });
    expect(typed().text).toBe(log);
  }
  expect(JSON.stringify(localStorage).length).toBeLessThan(1_000_000);
  forgetDrafts("");
  expect(form("one").typed().text).toBe("");
});

it("keeps what was typed, and takes what somebody else changed where nothing was typed", () => {
  const before = { a: "1", b: "2", list: "x", inner: { c: 1, d: 2 } };
  const typed = { ...before, a: "mine", inner: { c: 1, d: 20 } };
  const now = { ...before, a: "theirs", b: "3", inner: { c: 10, d: 2 } };
  expect(rebased(typed, before, now)).toEqual({ a: "mine", b: "3", list: "x", inner: { c: 10, d: 20 } });
});

it("drops what is gone, unless it was typed over", () => {
  type Words = { a?: string; b?: string };
  const before: Words = { a: "1", b: "2" };
  expect(rebased<Words>(before, before, { a: "1" })).toEqual({ a: "1" });
  expect(rebased<Words>({ a: "1", b: "mine" }, before, { a: "1" })).toEqual({ a: "1", b: "mine" });
});
