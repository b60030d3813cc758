import { fireEvent, renderHook } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { useKey } from "./hooks";
import { shortcut } from "./keys";

it.each([
  ["a Latin layout", { key: "j", code: "KeyJ" }, "j"],
  ["Dvorak, whose letters stand elsewhere", { key: "j", code: "KeyC" }, "j"],
  ["Russian", { key: "л", code: "KeyK" }, "k"],
  ["Greek", { key: "κ", code: "KeyK" }, "k"],
  ["Hebrew", { key: "ל", code: "KeyK" }, "k"],
  ["Caps Lock", { key: "J", code: "KeyJ" }, "j"],
  ["Caps Lock in Russian", { key: "Л", code: "KeyK" }, "k"],
  ["Shift", { key: "J", code: "KeyJ", shiftKey: true }, "J"],
  ["a letter where no Latin one stands", { key: "ö", code: "Semicolon" }, "ö"],
  ["a key that writes nothing", { key: "ArrowDown", code: "ArrowDown" }, "ArrowDown"],
])("a shortcut is the same key with %s", (_, pressed, key) => {
  expect(shortcut({ shiftKey: false, ...pressed })).toBe(key);
});

it("a key that is held decides about one thing, and not about the next as well; one that moves goes on", () => {
  const [judge, step] = [vi.fn(), vi.fn()];
  renderHook(() => useKey("y", judge));
  renderHook(() => useKey("j", step, true));
  for (const [key, code] of [
    ["y", "KeyY"],
    ["j", "KeyJ"],
  ])
    for (const repeat of [false, true, true]) fireEvent.keyDown(document.body, { key, code, repeat });
  expect(judge).toHaveBeenCalledOnce();
  expect(step).toHaveBeenCalledTimes(3);
});
