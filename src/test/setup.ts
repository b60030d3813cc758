import "@testing-library/jest-dom/vitest";
import { cleanup, configure } from "@testing-library/react";
import { afterEach, vi } from "vitest";
import { forgetMessages } from "@/lib/command";

// A machine that also compiles is slow; a condition that never comes still fails.
configure({ asyncUtilTimeout: 8000 });

// jsdom lays nothing out. Virtual lists need a height to show anything, and Radix asks for these.
for (const [name, pixels] of [
  ["clientHeight", 800],
  ["clientWidth", 1000],
  ["offsetHeight", 60],
] as const) {
  Object.defineProperty(HTMLElement.prototype, name, { configurable: true, get: () => pixels });
}
globalThis.ResizeObserver = class {
  observe() {}
  unobserve() {}
  disconnect() {}
};
Element.prototype.scrollIntoView = () => {};
Element.prototype.scrollTo = () => {};
window.scrollTo = () => {};
// Nor does it know `inert`: the invisibly rehearsed palette would take the focus from a field that somebody types into.
const focus = HTMLElement.prototype.focus;
HTMLElement.prototype.focus = function (options) {
  if (!this.closest("[inert]")) focus.call(this, options);
};
Element.prototype.hasPointerCapture = () => false;
Element.prototype.setPointerCapture = () => {};
Element.prototype.releasePointerCapture = () => {};
window.matchMedia = vi.fn().mockReturnValue({ matches: false, addEventListener() {}, removeEventListener() {} });

afterEach(() => {
  cleanup();
  // Messages are kept outside of the page, so that the next one would show them.
  forgetMessages();
  sessionStorage.clear();
  localStorage.clear();
});
